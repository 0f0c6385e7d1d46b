//! Many archives become one: their definitions are unified, their locations and ranks are told apart,
//! and their clocks become one.

mod clocks;
mod plan;

use std::path::PathBuf;

use bstr::BString;

use super::unify::{self, Input, Phases, Report, Unifying};
use crate::collective::Communicator;
use crate::exit::{Failure, Stop};
use crate::formats::otf2::{Anchor, ArchiveWriter, ReadOptions};

pub use clocks::Align;
pub use plan::Decisions;

/// Archives that become one.
#[derive(Debug)]
pub struct Merging {
    inputs: Vec<Input>,
    /// What was decided about them.
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

    /// Writes all of the new archive but its anchor. What was found is on rank 0.
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
        for input in &self.inputs[1..] {
            let other = input.archive.anchor();
            anchor.version = anchor.version.max(other.version);
            other.properties.iter().for_each(|property| add_property(&mut anchor, property));
        }
        anchor.number_of_global_definitions = report.definitions;
        anchor.number_of_locations = report.after.0.get("Location").copied().unwrap_or(0);
        anchor.number_of_snapshots = 0;
        anchor.number_of_thumbnails = 0;
        anchor.trace_identifier = unify::identifier(&self.inputs, report);
        Ok(to.finish(&anchor)?)
    }
}

/// Adds a property: what is true of all is so only where it is true of each; else the first one counts.
fn add_property(anchor: &mut Anchor, (name, value): &(BString, BString)) {
    match anchor.properties.iter_mut().find(|(other, _)| other == name) {
        None => anchor.properties.push((name.clone(), value.clone())),
        Some((_, known)) if *known == "true" && *value == "false" => *known = value.clone(),
        Some(_) => {}
    }
}
