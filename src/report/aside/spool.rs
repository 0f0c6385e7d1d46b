//! Rows per location and call path, spilled while the trace is read.
//!
//! The place of a path in the report is known at the end only, and the rows of all locations do not fit in memory. So
//! each worker writes the rows of a location as soon as it is finished, with the path's index in its own tree. The
//! report reads them back by location.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use streamfold_kernels::profile::metrics::LocationMetric;
use streamfold_kernels::profile::{CallTree, LocationPath, PathIndex, PathSink, Step};
use streamfold_model::ids::LocationRef;
use tempfile::SpooledTempFile;

use super::cells::PlaceCells;
use super::rows::{Entry, MetricCell, Row, Stretch};

/// Bytes that a worker keeps in memory before it moves to a file: enough for small traces never to
/// touch a disk, little beside what a worker holds anyway.
pub(super) const IN_MEMORY: usize = 4 << 20;

/// Spools of all workers of this rank.
#[derive(Clone, Debug, Default)]
pub struct Spools {
    ended: Arc<Mutex<Vec<Spool>>>,
    /// Values of call paths and locations that are not from a profile.
    pub cells: PlaceCells,
}

impl Spools {
    /// Nothing yet.
    pub fn new() -> Self {
        Spools::default()
    }

    /// A sink for one worker. Its rows arrive here when the worker ends.
    ///
    /// Files are made in the folder for temporary files (`TMPDIR`) without a name, so that nothing
    /// stays of them. A sink that cannot write takes nothing more in; the report then fails.
    pub fn sink(&self) -> Box<dyn PathSink> {
        let spool = Spool {
            nodes: Vec::new(),
            locations: Vec::new(),
            error: None,
            file: SpooledTempFile::new(IN_MEMORY),
            length: 0,
        };
        Box::new(Sink { to: self.clone(), spool })
    }

    /// Those of the workers that have ended.
    pub(crate) fn ended(&self) -> MutexGuard<'_, Vec<Spool>> {
        // A panic under the lock leaves nothing half done: the only change is one push.
        self.ended.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Rows of one worker.
#[derive(Debug)]
pub(crate) struct Spool {
    /// Parent and last step of each path of the worker's tree; the first is the root.
    pub nodes: Vec<(PathIndex, Step)>,
    /// Places of the rows of each location.
    pub locations: Vec<Entry>,
    /// Why it is not whole.
    pub error: Option<io::Error>,
    file: SpooledTempFile,
    length: u64,
}

impl Spool {
    /// The rows of a location; paths are the worker's.
    pub(crate) fn read<R: Row>(&mut self, entry: &Entry) -> io::Result<Vec<R>> {
        let Stretch { rows, offset, bytes } = *R::of(entry);
        if rows == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; bytes as usize];
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.read_exact(&mut bytes)?;
        R::decode(&bytes, rows)
    }

    fn put<R: Row>(&mut self, rows: &[R]) -> io::Result<Stretch> {
        let bytes = if rows.is_empty() { Vec::new() } else { R::encode(rows)? };
        self.file.write_all(&bytes)?;
        let (rows, offset, bytes) = (rows.len() as u64, self.length, bytes.len() as u64);
        self.length += bytes;
        Ok(Stretch { rows, offset, bytes })
    }

    fn put_location(
        &mut self,
        location: LocationRef,
        paths: &[LocationPath],
        metrics: &[MetricCell],
    ) -> io::Result<()> {
        let (paths, metrics) = (self.put(paths)?, self.put(metrics)?);
        self.locations.push(Entry { location, paths, metrics });
        Ok(())
    }
}

/// Returns the message about a failed spool.
pub(crate) fn spool_failed(error: io::Error) -> String {
    format!("what single locations have cannot be put aside in a temporary file: {error}")
}

struct Sink {
    to: Spools,
    spool: Spool,
}

impl PathSink for Sink {
    fn location(
        &mut self,
        location: LocationRef,
        _: &CallTree,
        paths: &[LocationPath],
        metrics: &[LocationMetric],
    ) {
        if self.spool.error.is_none() {
            let metrics: Vec<_> = metrics.iter().map(MetricCell::from).collect();
            self.spool.error = self.spool.put_location(location, paths, &metrics).err();
        }
    }

    fn end(mut self: Box<Self>, tree: &CallTree) {
        let node = |path| (tree.parent(path), tree.step(path));
        self.spool.nodes = std::iter::once(PathIndex::ROOT).chain(tree.paths()).map(node).collect();
        self.to.ended().push(self.spool);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use streamfold_kernels::profile::{Quantity, Traffic, Visits};

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
            sink.location(LocationRef(7), &CallTree::default(), &rows, &[]);
            sink.location(LocationRef(8), &CallTree::default(), &rows[rows.len() / 2..], &[]);
            sink.end(&CallTree::default());
            let spool = &mut spools.ended()[0];
            let [first, second] = spool.locations[..] else { panic!("two locations") };
            let mut read = |entry| spool.read::<LocationPath>(entry).unwrap();
            prop_assert_eq!(read(&second), &rows[rows.len() / 2..]);
            prop_assert_eq!(read(&first), rows);
        }
    }

    #[test]
    fn a_visit_that_did_not_end_takes_a_byte_a_number() {
        let bytes = Row::encode(&[row(1, [1, 0, 0, 0, u64::MAX, 0], [0; SUMS])]).unwrap();
        assert_eq!(bytes[..2], [1, 1]);
        assert_eq!(bytes[2..], [0; 5 + SUMS]);
    }

    #[test]
    fn what_is_longer_than_memory_goes_to_a_file() {
        let spools = Spools::new();
        let mut sink = spools.sink();
        let rows: Vec<_> = (0..10_000).map(|i| row(i, [u64::MAX - 1; 6], [0; SUMS])).collect();
        for location in 0..6 {
            sink.location(LocationRef(location), &CallTree::default(), &rows, &[]);
        }
        sink.end(&CallTree::default());
        let spool = &mut spools.ended()[0];
        assert!(spool.file.is_rolled() && spool.error.is_none());
        let entry = spool.locations[4];
        assert_eq!(spool.read::<LocationPath>(&entry).unwrap(), rows);
    }
}
