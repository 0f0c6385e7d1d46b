//! The call paths of single locations, put aside while the trace is read.
//!
//! Where a path stands in the report is known at the end only, and what all locations have on all
//! paths is too much for memory. So each worker writes down the rows of a location as soon as it is
//! finished, with the path's index in its own tree, and the report fetches them again by location.
//! Most numbers of most rows are zero or small, and take a byte or two.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use streamfold_kernels::profile::{
    CallTree, LocationPath, OwnRegions, PathIndex, PathSink, Step, Traffic, Visits,
};
use streamfold_model::ids::LocationRef;
use tempfile::SpooledTempFile;

/// Bytes that a worker keeps in memory before it moves to a file: enough for small traces never to
/// touch a disk, little beside what a worker holds anyway.
const IN_MEMORY: usize = 4 << 20;

/// What all workers of this rank have put aside.
#[derive(Clone, Debug, Default)]
pub struct Spools {
    ended: Arc<Mutex<Vec<Spool>>>,
}

impl Spools {
    /// Nothing yet.
    pub fn new() -> Self {
        Spools::default()
    }

    /// A sink for one worker. What it takes in arrives here when it ends.
    ///
    /// Files are made in the folder for temporary files (`TMPDIR`) without a name, so that nothing
    /// stays of them. A sink that cannot write takes nothing more in; the report then fails.
    pub fn sink(&self) -> Box<dyn PathSink> {
        let file = SpooledTempFile::new(IN_MEMORY);
        Box::new(Sink {
            to: self.clone(),
            spool: Spool {
                nodes: Vec::new(),
                own: OwnRegions::default(),
                locations: Vec::new(),
                file,
                error: None,
            },
            length: 0,
            buffer: Vec::new(),
        })
    }

    /// Those of the workers that have ended.
    pub(super) fn ended(&self) -> MutexGuard<'_, Vec<Spool>> {
        // Who panicked while it held the lock can have left nothing half done: it is one push.
        self.ended.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// What one worker has put aside.
#[derive(Debug)]
pub(super) struct Spool {
    /// Parent and last step of each path of the worker's tree; the first is the root.
    pub nodes: Vec<(PathIndex, Step)>,
    /// What regions in these steps are that have numbers of the worker's.
    pub own: OwnRegions,
    /// Where the rows of each location are.
    pub locations: Vec<Entry>,
    /// Why it is not whole.
    pub error: Option<io::Error>,
    file: SpooledTempFile,
}

/// Where the rows of a location are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub location: LocationRef,
    /// How many rows.
    pub rows: u32,
    offset: u64,
    bytes: u64,
}

impl Spool {
    /// The rows of a location; paths are the worker's.
    pub fn read(&mut self, entry: &Entry) -> io::Result<Vec<LocationPath>> {
        let mut bytes = vec![0; entry.bytes as usize];
        self.file.seek(SeekFrom::Start(entry.offset))?;
        self.file.read_exact(&mut bytes)?;
        let mut rest = &bytes[..];
        (0..entry.rows).map(|_| take_row(&mut rest)).collect::<Option<_>>().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "rows are not as they were written")
        })
    }
}

/// What to tell of it.
pub(super) fn spool_failed(error: io::Error) -> String {
    format!("the call paths of single locations cannot be put aside in a temporary file: {error}")
}

struct Sink {
    to: Spools,
    spool: Spool,
    length: u64,
    buffer: Vec<u8>,
}

impl PathSink for Sink {
    fn location(&mut self, location: LocationRef, paths: &[LocationPath]) {
        if self.spool.error.is_some() {
            return;
        }
        self.buffer.clear();
        paths.iter().for_each(|row| put_row(&mut self.buffer, row));
        if let Err(error) = self.spool.file.write_all(&self.buffer) {
            self.spool.error = Some(error);
            return;
        }
        let bytes = self.buffer.len() as u64;
        // No more than there are paths, which a `PathIndex` counts.
        let rows = paths.len() as u32;
        self.spool.locations.push(Entry { location, rows, offset: self.length, bytes });
        self.length += bytes;
    }

    fn end(mut self: Box<Self>, tree: &CallTree) {
        let node = |path| (tree.parent(path), tree.step(path));
        self.spool.nodes = std::iter::once(PathIndex::ROOT).chain(tree.paths()).map(node).collect();
        self.spool.own = tree.own().clone();
        self.to.ended().push(self.spool);
    }
}

/// The numbers of a row in the order of their declaration, seven bits a byte, the lowest first; the
/// highest bit of a byte says that more follow.
fn put_row(bytes: &mut Vec<u8>, row: &LocationPath) {
    let LocationPath { path, visits, traffic } = row;
    let Visits { visits, closed, inclusive, exclusive, shortest, longest } = *visits;
    // One more, modulo 2^64, so that "none" is short.
    let shortest = shortest.wrapping_add(1);
    for number in [path.0.into(), visits, closed, inclusive, exclusive, shortest, longest] {
        put(bytes, number.into());
    }
    traffic.numbers().into_iter().for_each(|number| put(bytes, number));
}

fn take_row(bytes: &mut &[u8]) -> Option<LocationPath> {
    let path = PathIndex(take_u64(bytes)?.try_into().ok()?);
    let visits = Visits {
        visits: take_u64(bytes)?,
        closed: take_u64(bytes)?,
        inclusive: take_u64(bytes)?,
        exclusive: take_u64(bytes)?,
        shortest: take_u64(bytes)?.wrapping_sub(1),
        longest: take_u64(bytes)?,
    };
    let mut numbers = [0; Traffic::COLUMNS.len()];
    for number in &mut numbers {
        *number = take(bytes)?;
    }
    let traffic = Traffic::from_numbers(numbers)?;
    Some(LocationPath { path, visits, traffic })
}

fn put(bytes: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u128> {
    let mut number = 0;
    for shift in (0..u128::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u128::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use streamfold_kernels::profile::Quantity;

    const SUMS: usize = Traffic::COLUMNS.len();

    /// Sums that are counts keep their lower half only.
    fn row(path: u32, numbers: [u64; 6], mut sums: [u128; SUMS]) -> LocationPath {
        let [visits, closed, inclusive, exclusive, shortest, longest] = numbers;
        for (sum, (_, quantity)) in sums.iter_mut().zip(Traffic::COLUMNS) {
            if quantity != Quantity::Bytes {
                *sum = u128::from(*sum as u64);
            }
        }
        LocationPath {
            path: PathIndex(path),
            visits: Visits { visits, closed, inclusive, exclusive, shortest, longest },
            traffic: Traffic::from_numbers(sums).expect("counts of 64 bits"),
        }
    }

    proptest! {
        #[test]
        fn rows_come_back(rows in prop::collection::vec(
            (any::<u32>(), any::<[u64; 6]>(), any::<[u128; SUMS]>()), 0..20)
        ) {
            let rows: Vec<_> = rows.into_iter().map(|(p, n, s)| row(p, n, s)).collect();
            let spools = Spools::new();
            let mut sink = spools.sink();
            sink.location(LocationRef(7), &rows);
            sink.location(LocationRef(8), &rows[rows.len() / 2..]);
            sink.end(&CallTree::default());
            let spool = &mut spools.ended()[0];
            let [first, second] = spool.locations[..] else { panic!("two locations") };
            prop_assert_eq!(spool.read(&second).unwrap(), &rows[rows.len() / 2..]);
            prop_assert_eq!(spool.read(&first).unwrap(), rows);
        }
    }

    #[test]
    fn a_visit_that_did_not_end_takes_a_byte_a_number() {
        let mut bytes = Vec::new();
        put_row(&mut bytes, &row(1, [1, 0, 0, 0, u64::MAX, 0], [0; SUMS]));
        assert_eq!(bytes[..2], [1, 1]);
        assert_eq!(bytes[2..], [0; 5 + SUMS]);
    }

    #[test]
    fn what_is_longer_than_memory_goes_to_a_file() {
        let spools = Spools::new();
        let mut sink = spools.sink();
        let rows: Vec<_> = (0..10_000).map(|i| row(i, [u64::MAX - 1; 6], [0; SUMS])).collect();
        for location in 0..6 {
            sink.location(LocationRef(location), &rows);
        }
        sink.end(&CallTree::default());
        let spool = &mut spools.ended()[0];
        assert!(spool.file.is_rolled() && spool.error.is_none());
        let entry = spool.locations[4];
        assert_eq!(spool.read(&entry).unwrap(), rows);
    }
}
