//! Report of unifying, and the time that each phase took.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::findings::Findings;
use super::write::links::Links;
use crate::Outcome;
use streamfold_drive::Losses;
use streamfold_system::memory;

/// How many records of each kind there are, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts(pub BTreeMap<String, u64>);

impl Counts {
    pub(super) fn add(&mut self, other: &Counts) {
        for (name, count) in &other.0 {
            *self.0.entry(name.clone()).or_default() += count;
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

/// Report of unifying.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Output and losses.
    pub outcome: Outcome,
    /// Warnings about faulty definitions that stay.
    pub warnings: Losses,
    /// Locations.
    pub locations: u64,
    /// Those with mapping tables.
    pub mapped: u64,
    /// Those with definitions that nobody had unified.
    pub ununified: u64,
    /// Those that only their own files defined.
    pub missing_definitions: u64,
    /// Global definitions that said once more what others say.
    pub doubled: u64,
    /// Global numbers that have become others.
    pub renumbered: u64,
    /// Global definitions as they were.
    pub global: Counts,
    /// Definitions of locations as they were.
    pub local: Counts,
    /// Global definitions as they are.
    pub after: Counts,
    /// Records in the global file.
    pub definitions: u64,
    /// Mapping tables that were written.
    pub tables: u64,
    /// Those that stay in files that are copied as they are.
    pub kept_tables: u64,
    /// Those that would have said nothing, and were not written.
    pub identities: u64,
    /// References that led in a circle or to what nobody defines, and ranks that nobody has: they lead
    /// nowhere now.
    pub references: u64,
    /// How many events each location of each archive has, where somebody looked.
    pub events: BTreeMap<(u32, LocationRef), u64>,
    /// Communicators between two groups, whose sides had been written one by one.
    pub joined: u64,
    /// Paradigms whose lists of locations with ranks differed from location to location, and became one.
    pub lists: u64,
    /// Files that should get a second name.
    pub links: Links,
    /// True if the global definitions have not changed.
    pub same: bool,
    /// Another number for other contents.
    pub digest: u64,
}

impl Report {
    pub(super) fn take(&mut self, findings: Findings) {
        self.outcome.losses.fold(findings.losses);
        self.warnings.fold(findings.warnings);
        self.references += findings.references;
    }

    pub(super) fn fold(mut self, other: Report) -> Report {
        self.outcome = self.outcome.fold(other.outcome);
        self.warnings.fold(other.warnings);
        self.locations += other.locations;
        self.mapped += other.mapped;
        self.ununified += other.ununified;
        self.missing_definitions += other.missing_definitions;
        self.doubled += other.doubled;
        self.renumbered += other.renumbered;
        self.global.add(&other.global);
        self.local.add(&other.local);
        self.after.add(&other.after);
        self.definitions += other.definitions;
        self.tables += other.tables;
        self.kept_tables += other.kept_tables;
        self.identities += other.identities;
        self.references += other.references;
        self.events.extend(other.events);
        self.joined += other.joined;
        self.lists += other.lists;
        self.links.fold(other.links);
        self.same |= other.same;
        self.digest = self.digest.wrapping_add(other.digest);
        self
    }
}

/// Phases in their order, with their times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases(pub Vec<Phase>);

/// A part of the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// How long it took on the rank that took longest, in seconds.
    pub seconds: f64,
    /// How much memory a rank had at most up to its end, in bytes.
    pub memory: u64,
}

impl Phases {
    pub(super) fn end(&mut self, name: &'static str, begin: &mut Instant) {
        let seconds = begin.elapsed().as_secs_f64();
        self.0.push(Phase { name: name.to_owned(), seconds, memory: memory::peak() });
        *begin = Instant::now();
    }

    /// The same phases on other ranks.
    pub(super) fn fold(mut self, others: Phases) -> Phases {
        for (phase, other) in self.0.iter_mut().zip(others.0) {
            phase.seconds = phase.seconds.max(other.seconds);
            phase.memory = phase.memory.max(other.memory);
        }
        self
    }
}
