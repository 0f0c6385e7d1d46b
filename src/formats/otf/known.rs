//! The streams of a trace, and tables of its definitions, which all readers share.

use std::collections::HashMap;
use std::path::PathBuf;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::{CollectiveOp, Type};

use super::definitions::Renamed;
use crate::text::Extent;

/// The files of a stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StreamFiles {
    /// Its number.
    pub id: u32,
    /// Its processes, in ascending order.
    pub processes: Vec<u32>,
    /// The file with its events, and how long that is.
    pub events: Option<PathBuf>,
    pub extent: Extent,
    /// Its other files.
    pub others: Vec<PathBuf>,
    pub renamed: Option<Renamed>,
}

/// Tables that all readers share.
#[derive(Debug)]
pub(super) struct Known {
    pub streams: Vec<StreamFiles>,
    pub stream_of: HashMap<u32, usize, RandomState>,
    pub process_of: HashMap<u32, u32, RandomState>,
    /// The communicators, and the place of each in the list.
    pub comms: Vec<Comm>,
    pub places: HashMap<u32, usize, RandomState>,
    /// The place of that of all processes.
    pub all: usize,
    pub collectives: HashMap<u32, CollectiveOp, RandomState>,
    /// The type of values, and whether the trace has them in 32 bits of floating point.
    pub counters: HashMap<u32, (Type, bool), RandomState>,
    pub keys: HashMap<u32, Type, RandomState>,
    /// The attribute of the place in the source.
    pub source: u32,
}

/// A communicator, with the ranks of its processes or threads.
#[derive(Debug)]
pub(super) struct Comm {
    pub comm: u32,
    pub ranks: HashMap<u32, u32, RandomState>,
}

impl Known {
    /// The place of the stream of a process in the list.
    pub(super) fn stream_of(&self, process: u32) -> Option<usize> {
        self.stream_of.get(&process).copied()
    }

    /// Tells whether there are threads without a stream, which read blocks ahead.
    pub(super) fn reads_ahead(&self) -> bool {
        self.streams.len() < rayon::current_num_threads()
    }

    /// The place in the list of a communicator; that of all processes, where it is not defined.
    pub(super) fn comm(&self, comm: u32) -> usize {
        self.places.get(&comm).copied().unwrap_or(self.all)
    }

    /// The rank of a process or thread in the communicator at a place: its own, or else that of its process.
    pub(super) fn rank(&self, comm: usize, process: u32) -> Option<u32> {
        let Comm { ranks, .. } = &self.comms[comm];
        ranks.get(&process).or_else(|| ranks.get(&self.root_of(process))).copied()
    }

    /// The process of a thread; any other one is its own.
    pub(super) fn root_of(&self, process: u32) -> u32 {
        self.process_of.get(&process).copied().unwrap_or(process)
    }
}
