//! Estimate of the memory that a profile of the trace will need.

use std::num::NonZeroUsize;

use super::files::Files;

/// An estimate of the memory of one rank that makes a profile, in bytes. BENCHMARKS.md has the
/// measurements that it follows from.
///
/// The call paths and their metrics are not in it: without reading events they are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Threads of the rank.
    pub threads: u64,
    /// The program with its libraries.
    pub program: u64,
    /// The windows through which threads read, and what else a thread needs.
    pub reading: u64,
    /// The global definitions.
    pub definitions: u64,
    /// The data that is kept of each location.
    pub locations: u64,
}

/// The program alone; under MPI it is some more, which depends on the MPI library.
const PROGRAM: u64 = 18 << 20;
/// Besides its window.
const THREAD: u64 = 300 << 10;
/// Bytes of memory for a byte of the file.
const DEFINITIONS: u64 = 8;
const LOCATION: u64 = 1200;

impl Memory {
    /// Bytes for each call path that a rank finds, which come on top.
    pub const CALL_PATH: u64 = 860;
    /// Bytes that an MPI library needs in each rank, which come on top; some need more.
    pub const MPI: u64 = 8 << 20;

    /// `window`: bytes of a file that a reader holds at a time.
    pub(super) fn of(window: u64, files: &Files, locations: u64, threads: NonZeroUsize) -> Memory {
        let threads = threads.get() as u64;
        let readers = threads.min(locations);
        Memory {
            threads,
            program: PROGRAM,
            reading: readers * (window + THREAD),
            definitions: files.of_kind("global_definitions").bytes.saturating_mul(DEFINITIONS),
            locations: locations * LOCATION,
        }
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        let parts = [self.program, self.reading, self.definitions, self.locations];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}
