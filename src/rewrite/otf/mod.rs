//! Traces of OTF, version 1, from such traces: written anew, merged, divided among other streams.
//!
//! Rank 0 reads the definitions, plans, and writes what is there once: the master file, definitions and markers. Each
//! file of a stream is a task; ranks and their threads share the tasks.

pub mod convert;
mod definitions;
mod layout;
mod place;
mod plan;
mod records;
pub mod samples;
pub mod shrink;
mod streams;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::{Outcome, Replacing};
use streamfold_collective::Communicator;
use streamfold_drive::Losses;
use streamfold_formats::otf::encode::Form;
use streamfold_formats::otf::writer::Shape;
use streamfold_formats::otf::{self, Otf};
use streamfold_formats::{anchor_of, refuse_folder, Source};
use streamfold_system::exit::{Failure, Stop};

pub use layout::Layout;
pub use place::NewSet;

/// A trace that is read.
pub struct Input {
    /// Its name without ending.
    pub stub: PathBuf,
    /// Its streams, with the processes of each in ascending order.
    pub streams: BTreeMap<u32, Vec<u32>>,
    /// The same in the order of the master file.
    pub in_order: BTreeMap<u32, Vec<u32>>,
    /// The trace, whose definitions were read.
    pub otf: Otf,
}

impl Input {
    /// Reads the master file and all definitions.
    ///
    /// # Errors
    ///
    /// When no process is known.
    pub fn open(path: &Path) -> Result<Input, Failure> {
        let path = &anchor_of(path);
        refuse_folder(path)?;
        let (otf, _) = otf::scan(path)?;
        let streams: BTreeMap<u32, Vec<u32>> =
            otf.streams().into_iter().map(|(id, list)| (id, list.to_vec())).collect();
        let mut in_order = streams.clone();
        // Without a master file streams were found by other means.
        if let Ok((named, _)) = otf::streams_of(otf.path()) {
            for (id, list) in &mut in_order {
                if let Some(named) = named.get(id).filter(|named| named.len() == list.len()) {
                    list.clone_from(named);
                }
            }
        }
        Ok(Input { stub: otf.stub().to_owned(), streams, in_order, otf })
    }

    /// Its master file.
    pub fn path(&self) -> &Path {
        self.otf.path()
    }
}

/// Options for the new trace.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Assignment of processes to streams.
    pub layout: Layout,
    /// The spelling, and compression.
    pub shape: Shape,
    /// True if snapshots are kept.
    pub snapshots: bool,
    /// True if statistics are kept.
    pub statistics: bool,
    /// True if the trace keeps its identifier: it is the same trace.
    pub keeps_identifier: bool,
    /// True if processes of different traces with the same token are different ones.
    pub apart: bool,
}

/// Report about the new trace.
#[derive(Debug)]
pub struct Report {
    /// Output and losses.
    pub outcome: Outcome,
    /// Streams and processes of the new trace.
    pub counts: (u64, u64),
    /// Things that are odd about the traces.
    pub warnings: Losses,
    /// Remarks that the user has to know.
    pub remarks: Vec<String>,
}

/// Writes a trace of some traces. The report is on rank 0.
///
/// # Errors
///
/// On all ranks when a trace cannot be read, or files cannot be written; nothing is left then. With the first loss
/// where it is `strict`.
pub fn write(
    ranks: &dyn Communicator,
    inputs: &[PathBuf],
    (output, replacing): (&Path, Replacing),
    wanted: &Wanted,
    (workers, open_files, strict): (NonZeroUsize, NonZeroUsize, bool),
) -> Result<Option<Report>, Stop> {
    let mut prepared = None;
    let outcome = (ranks.rank() == 0).then(|| -> Result<(), Failure> {
        let place = NewSet::prepare(output, inputs, replacing)?;
        let inputs = inputs.iter().map(|path| Input::open(path)).collect::<Result<Vec<_>, _>>()?;
        let planned = plan::plan(&inputs, wanted, &place.stub(), open_files.get());
        let (work, report) = planned.map_err(|failure| place.told(failure))?;
        prepared = Some((place, work, report));
        Ok(())
    });
    ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)?;
    let work = ranks.broadcast(0, prepared.as_ref().map(|(_, work, _)| work.clone()))?;
    let written = streams::write(ranks, &work, workers)?;
    let mut done = None;
    let outcome = prepared.map(|(place, _, mut report)| -> Result<(), Failure> {
        if let Some(written) = written {
            report.outcome = std::mem::take(&mut report.outcome).fold(written);
        }
        if let Some(failure) = report.outcome.failure.take() {
            return Err(place.told(failure));
        }
        if let (true, Some(first)) = (strict, report.outcome.losses.first.first()) {
            let code = streamfold_system::exit::ExitCode::Trace;
            return Err(Failure::new(code, first.message.clone()));
        }
        place.put()?;
        done = Some(report);
        Ok(())
    });
    ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)?;
    Ok(done)
}

/// How files are written, as ranks tell each other.
fn shape(is_long: bool, level: Option<u32>) -> Shape {
    Shape { form: if is_long { Form::Long } else { Form::Short }, level }
}

/// Writes a small file.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| Failure::output(path, &error))
}
