//! Many archives become one: their definitions are unified, their locations and ranks are told apart,
//! and their clocks become one.

mod clocks;
mod hosts;
mod lists;
mod origins;
mod plan;
mod runs;
mod summary;

use crate::write_failure;
use std::collections::BTreeMap;
use std::path::PathBuf;

use bstr::BString;

use super::part::{self, Part};
use super::unify::{self, Input, Phases, Report, Unifying};
use super::{lack_events, says_complete, set_unified};
use streamfold_collective::Communicator;
use streamfold_otf2::{ArchiveWriter, ReadOptions};
use streamfold_system::exit::{Failure, Stop};

pub use clocks::Align;
pub use origins::{Moved, Origin};
pub use plan::{Decisions, Overlap};

/// Archives that become one.
#[derive(Debug)]
pub struct Merging {
    inputs: Vec<Input>,
    /// Decisions about them.
    pub decisions: Decisions,
}

/// Reads what the archives are about, and decides what becomes of them. `align`: as times tell best where
/// nobody says it. Collective.
///
/// # Errors
///
/// On all ranks when an archive cannot be read, when one is given twice, or when their times cannot be
/// aligned as wanted.
///
/// # Panics
///
/// When there is none.
pub fn open(
    ranks: &dyn Communicator,
    paths: &[PathBuf],
    align: Option<Align>,
    options: ReadOptions,
) -> Result<Merging, Stop> {
    let (inputs, decisions) = plan::plan(ranks, paths, align, options)?;
    Ok(Merging { inputs, decisions })
}

impl Merging {
    /// The first archive.
    pub fn first(&self) -> &Input {
        &self.inputs[0]
    }

    /// Writes all of the new archive but its anchor. Rank 0 has the result.
    ///
    /// # Errors
    ///
    /// Those of [`unify::unify`].
    pub fn write(
        &self,
        ranks: &dyn Communicator,
        unifying: Unifying<'_>,
    ) -> Result<Option<(Report, Phases)>, Stop> {
        unify::unify(ranks, &self.inputs, unifying)
    }

    /// Writes the anchor, which makes the files an archive. For rank 0, when all others are done.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn finish(&self, to: &ArchiveWriter, report: &Report) -> Result<(), Failure> {
        let mut anchor = self.first().archive.anchor().clone();
        let mut properties = Properties::default();
        std::mem::take(&mut anchor.properties).iter().for_each(|first| properties.keep(first));
        for input in &self.inputs[1..] {
            let other = input.archive.anchor();
            anchor.version = anchor.version.max(other.version);
            other.properties.iter().for_each(|property| properties.add(property));
            properties.keep_promises_of(&other.properties);
        }
        anchor.properties = properties.all;
        part::unsay(&mut anchor);
        let anchors = self.inputs.iter().map(|input| input.archive.anchor());
        Part::together(anchors).into_iter().for_each(|part| part.say(&mut anchor));
        set_unified(&mut anchor);
        if report.outcome.lacks_events {
            lack_events(&mut anchor);
        }
        anchor.number_of_global_definitions = report.definitions;
        anchor.number_of_locations = report.after.0.get("Location").copied().unwrap_or(0);
        anchor.number_of_snapshots = 0;
        anchor.number_of_thumbnails = 0;
        anchor.trace_identifier = unify::identifier(&self.inputs, report);
        to.finish(&anchor).map_err(write_failure)
    }
}

/// Properties of anchors.
#[derive(Default)]
struct Properties {
    all: Vec<(BString, BString)>,
    /// First place of each name.
    places: BTreeMap<BString, usize>,
}

impl Properties {
    /// Keeps a property of the first anchor.
    fn keep(&mut self, property: &(BString, BString)) {
        self.places.entry(property.0.clone()).or_insert(self.all.len());
        self.all.push(property.clone());
    }

    /// Adds one of another anchor: what is true of all is so only where it is true of each; else the first
    /// one counts. That all of something was recorded, all have to say.
    fn add(&mut self, property: &(BString, BString)) {
        let (name, value) = property;
        match self.places.get(name) {
            None if says_complete(name) => self.keep(&(name.clone(), "false".into())),
            None => self.keep(property),
            Some(place) => {
                let known = &mut self.all[*place].1;
                if is(known, b"true") && is(value, b"false") {
                    known.clone_from(value);
                }
            }
        }
    }

    /// Takes back claims of completeness that another anchor does not make.
    fn keep_promises_of(&mut self, others: &[(BString, BString)]) {
        let says =
            |name: &BString| others.iter().any(|(it, value)| it == name && is(value, b"true"));
        for (name, value) in &mut self.all {
            if says_complete(name) && !says(name) {
                *value = "false".into();
            }
        }
    }
}

/// Returns whether a value is this one, in letters of any case.
fn is(value: &BString, expected: &[u8]) -> bool {
    value.eq_ignore_ascii_case(expected)
}
