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
    /// The ranks of processes or threads in each communicator.
    pub ranks: HashMap<u32, HashMap<u32, u32, RandomState>, RandomState>,
    /// The communicator of all processes.
    pub all: u32,
    pub collectives: HashMap<u32, CollectiveOp, RandomState>,
    /// The type of values, and whether the trace has them in 32 bits of floating point.
    pub counters: HashMap<u32, (Type, bool), RandomState>,
    pub keys: HashMap<u32, Type, RandomState>,
    /// The attribute of the place in the source.
    pub source: u32,
}

impl Known {
    /// The place of the stream of a process in the list.
    pub(super) fn stream_of(&self, process: u32) -> Option<usize> {
        self.stream_of.get(&process).copied()
    }

    /// The rank of a process or thread in a communicator: its own, or else that of its process.
    pub(super) fn rank(&self, comm: u32, process: u32) -> Option<u32> {
        let ranks = self.ranks.get(&comm)?;
        ranks.get(&process).or_else(|| ranks.get(&self.root_of(process))).copied()
    }

    /// The process of a thread; any other one is its own.
    pub(super) fn root_of(&self, process: u32) -> u32 {
        self.process_of.get(&process).copied().unwrap_or(process)
    }
}
