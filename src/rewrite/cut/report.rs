//! Report of a cut.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::ledger::Alone;
use crate::Outcome;

/// Events, of one location or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Those that were read, those before the window included.
    pub read: u64,
    /// Those that were written.
    pub events: u64,
    /// Enters among them, of regions and of calling contexts.
    pub visits: u64,
    /// Those among them that begin what was open where the window begins.
    pub begun: u64,
    /// Those that end what was open where it ends.
    pub ended: u64,
    /// Those of the window that do not stay.
    pub left_out: u64,
    /// Flushes of the tracer's memory that end with the window, which they did not.
    pub shortened: u64,
    /// Those whose corrected time is another one now.
    pub moved: u64,
    /// Those of unknown kinds among those that were written.
    pub unknown: u64,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Counts) {
        self.read += other.read;
        self.events += other.events;
        self.visits += other.visits;
        self.begun += other.begun;
        self.ended += other.ended;
        self.left_out += other.left_out;
        self.shortened += other.shortened;
        self.moved += other.moved;
        self.unknown += other.unknown;
    }
}

/// Report of a cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Output and losses.
    pub outcome: Outcome,
    /// Events.
    pub counts: Counts,
    /// Messages whose partner is not in the result.
    pub alone: Alone,
    /// How many events each location has whose events stay.
    pub events: BTreeMap<LocationRef, u64>,
    /// Locations in the result.
    pub locations: u64,
    /// Those of them whose events were cut away, and which something else keeps.
    pub emptied: u64,
    /// Those of these by which the ranks of communicators count.
    pub counted: u64,
    /// Global definitions before.
    pub definitions_before: u64,
    /// Global definitions in the result.
    pub definitions: u64,
    /// Kinds of definitions whose numbers are others now, so that there are no gaps.
    pub renumbered: u64,
    /// True if there are gaps, since locations have definitions of their own.
    pub gaps: bool,
    /// True if all definitions stay because an option says so.
    pub keeps_definitions: bool,
    /// True if records of unknown kinds stay: the definitions that they need are unknown.
    pub keeps_for_unknown: bool,
    /// True if any location whose events stay had mapping tables.
    pub has_tables: bool,
    /// Markers in the result.
    pub markers: u64,
    /// Markers that are not.
    pub markers_left_out: u64,
}

impl Report {
    pub(super) fn fold(mut self, other: Report) -> Report {
        self.outcome = self.outcome.fold(other.outcome);
        self.counts.add(&other.counts);
        self.alone = self.alone.fold(other.alone);
        self.events.extend(other.events);
        self.emptied += other.emptied;
        self.has_tables |= other.has_tables;
        self
    }
}
