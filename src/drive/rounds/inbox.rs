//! The blocks of the keys that this rank owns.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use streamfold_kernels::matching::{BlockHead, Blocks, Key, Order, Sink, Source};

use super::spill::{Reading, Room, Runs, SpillFile};
use streamfold_system::exit::Failure;

/// A sorted run is read with a buffer of so many bytes.
const BUFFER: usize = 1 << 13;
/// Number of runs that are read at a time, whose buffers take half of the room; where there are more, they are
/// merged first.
const RUNS: [usize; 2] = [8, 4096];

/// Takes blocks in any order and yields them in that of their keys.
pub struct Inbox {
    room: Room,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    blocks: Blocks,
    /// Sorted runs that did not fit into memory.
    runs: Option<Runs>,
    /// The first failure. Nothing is taken after it.
    failed: Option<Failure>,
    spilled: u64,
}

impl Inbox {
    /// Empty.
    pub fn new(room: Room) -> Self {
        Inbox { room, state: Mutex::default() }
    }

    /// Tells whether nothing went to temporary files, so that [`Inbox::parts`] may be called.
    pub fn is_in_memory(&self) -> bool {
        self.state().runs.is_none()
    }

    /// All blocks by the hash of their keys, in so many parts of about one size, of which this rank of so many owns the
    /// keys. Inboxes of one rank that are cut into as many parts have the same keys in the same part.
    ///
    /// # Errors
    ///
    /// When a temporary file could not be made.
    ///
    /// # Panics
    ///
    /// When not all is in memory.
    pub fn parts(
        self,
        parts: usize,
        (rank, ranks): (usize, usize),
    ) -> Result<Vec<Sorted>, Failure> {
        assert!(self.is_in_memory(), "files are read from their begin");
        let room = self.room.clone();
        let State { blocks, failed, .. } = self.into_state();
        failed.map_or(Ok(()), Err)?;
        let parts = InMemory::new(blocks).split(parts, (rank, ranks)).into_iter();
        let bytes = room.bytes / parts.len().max(1);
        parts.map(|part| Sorted::new(part, Vec::new(), Room { bytes, ..room.clone() })).collect()
    }

    /// The first failure, if there was one.
    pub fn failed(&self) -> Option<Failure> {
        self.state().failed.clone()
    }

    fn into_state(self) -> State {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// All blocks, and how many bytes of them went to temporary files.
    ///
    /// # Errors
    ///
    /// When a temporary file could not be written or cannot be read.
    pub fn sorted(self) -> Result<(Sorted, u64), Failure> {
        let room = self.room.clone();
        let State { blocks, runs, failed, spilled } = self.into_state();
        if let Some(failure) = failed {
            return Err(failure);
        }
        let runs = runs.map_or(Ok(Vec::new()), |runs| few(runs, &room))?;
        Ok((Sorted::new(InMemory::new(blocks), runs, room)?, spilled))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Inbox {
    fn take(&self, blocks: &Blocks) {
        let mut state = self.state();
        if state.failed.is_some() {
            return;
        }
        state.blocks.append(blocks);
        if state.blocks.size() > self.room.bytes {
            let full = InMemory::new(std::mem::take(&mut state.blocks));
            state.spilled += full.bytes() as u64;
            state.failed = full.spill(&mut state.runs, &self.room).err();
        }
    }
}

/// So few runs that all can be read at a time.
fn few(mut runs: Runs, room: &Room) -> Result<Vec<Reading>, Failure> {
    let most = (room.bytes / 2 / BUFFER).clamp(RUNS[0], RUNS[1]);
    while runs.count() > most {
        // Another file, since this one is never smaller again.
        let mut merged = Runs::new(room)?;
        while runs.count() > 0 {
            let first = runs.read(most, BUFFER);
            let mut sorted = Sorted::new(InMemory::new(Blocks::default()), first, room.clone())?;
            let mut run = merged.write();
            while let Some((head, items)) = sorted.next()? {
                run.push(&head, &items).map_err(|error| room.failure(&error))?;
            }
            run.end().map_err(|error| room.failure(&error))?;
        }
        runs = merged;
    }
    Ok(runs.read(most, BUFFER))
}

/// Blocks in memory, in their order.
struct InMemory {
    blocks: Arc<Blocks>,
    /// Their places, where their bytes begin, and how many these are; the last one first.
    order: Vec<(BlockHead, usize)>,
}

impl InMemory {
    fn new(blocks: Blocks) -> Self {
        let mut begin = 0;
        let place = |(head, items): (&BlockHead, &[u8])| {
            begin += items.len();
            (*head, begin - items.len())
        };
        let mut order: Vec<_> = blocks.iter().map(place).collect();
        order.sort_by_cached_key(|(head, _)| Reverse(head.place()));
        InMemory { blocks: Arc::new(blocks), order }
    }

    /// By owner, as if each rank were so many.
    fn split(mut self, parts: usize, (rank, ranks): (usize, usize)) -> Vec<InMemory> {
        let part = |part| {
            // Those of later parts come first.
            let is_later = |(head, _): &(BlockHead, usize)| head.key.owner(ranks * parts) > part;
            let order = self.order.split_off(self.order.partition_point(is_later));
            InMemory { blocks: Arc::clone(&self.blocks), order }
        };
        (rank * parts..(rank + 1) * parts).map(part).collect()
    }

    fn bytes(&self) -> usize {
        self.blocks.size()
    }

    fn next(&mut self) -> Option<(BlockHead, Vec<u8>)> {
        let (head, begin) = self.order.pop()?;
        Some((head, self.blocks.items(begin, &head).to_vec()))
    }

    fn spill(mut self, runs: &mut Option<Runs>, room: &Room) -> Result<(), Failure> {
        let runs = match runs {
            Some(runs) => runs,
            none => none.insert(Runs::new(room)?),
        };
        let mut run = runs.write();
        while let Some((head, begin)) = self.order.pop() {
            let written = run.push(&head, self.blocks.items(begin, &head));
            written.map_err(|error| room.failure(&error))?;
        }
        run.end().map_err(|error| room.failure(&error))
    }
}

/// A sorted sequence of blocks.
enum Run {
    Memory(InMemory),
    File(Reading),
}

impl Run {
    fn next(&mut self) -> io::Result<Option<(BlockHead, Vec<u8>)>> {
        match self {
            Run::Memory(blocks) => Ok(blocks.next()),
            Run::File(file) => file.next(),
        }
    }
}

type Place = (u64, Key, Order);

/// The next block of a run. The number of the run orders blocks of one place.
struct Waiting {
    place: Place,
    run: usize,
    block: (BlockHead, Vec<u8>),
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        (self.place, self.run) == (other.place, other.run)
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.place, self.run).cmp(&(other.place, other.run))
    }
}

/// All blocks of an inbox in the order of their places.
pub struct Sorted {
    runs: Vec<Run>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    aside: SpillFile,
    room: Room,
}

impl Sorted {
    fn new(memory: InMemory, files: Vec<Reading>, room: Room) -> Result<Self, Failure> {
        let files = files.into_iter().map(Run::File);
        let runs = std::iter::once(Run::Memory(memory)).chain(files).collect();
        let (waiting, aside) = Default::default();
        let mut sorted = Sorted { runs, waiting, aside, room };
        for run in 0..sorted.runs.len() {
            sorted.fetch(run)?;
        }
        Ok(sorted)
    }

    fn fetch(&mut self, run: usize) -> Result<(), Failure> {
        let next = self.runs[run].next().map_err(|error| self.room.failure(&error))?;
        if let Some(block) = next {
            self.waiting.push(Reverse(Waiting { place: block.0.place(), run, block }));
        }
        Ok(())
    }
}

impl Source for Sorted {
    type Error = Failure;

    fn next(&mut self) -> Result<Option<(BlockHead, Vec<u8>)>, Failure> {
        let Some(Reverse(first)) = self.waiting.pop() else { return Ok(None) };
        self.fetch(first.run)?;
        Ok(Some(first.block))
    }

    fn broken(&self) -> Failure {
        self.room.broken()
    }

    fn room(&self) -> usize {
        self.room.bytes / 2
    }

    fn put_aside(&mut self, bytes: &[u8]) -> Result<u64, Failure> {
        self.aside.put(bytes, &self.room)
    }

    fn bring_back(&mut self, begin: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        self.aside.bring_back(begin, bytes, &self.room)
    }

    fn forget_aside(&mut self) -> Result<(), Failure> {
        self.aside.forget(&self.room)
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::ids::LocationRef;

    use super::*;

    fn block(number: u64) -> (Key, Order, Vec<u8>) {
        let (time, location) = (number * 7919 % 1009, LocationRef(number % 3));
        let key = Key([number as u32 % 7, 1, 2, 3]);
        (key, Order { time, location, number }, vec![number as u8; number as usize % 100])
    }

    /// All blocks of an inbox, and how many runs it had.
    fn brought(bytes: usize, count: u64) -> (Vec<(BlockHead, Vec<u8>)>, usize) {
        let inbox = Inbox::new(Room { bytes, folder: std::env::temp_dir() });
        for number in 0..count {
            let mut blocks = Blocks::default();
            let (key, first, items) = block(number);
            blocks.push(key, first, &items);
            inbox.take(&blocks);
        }
        let runs = inbox.state().runs.as_ref().map_or(0, Runs::count);
        let (mut sorted, _) = inbox.sorted().unwrap();
        (std::iter::from_fn(|| sorted.next().unwrap()).collect(), runs)
    }

    #[test]
    fn blocks_come_in_order_from_however_many_runs() {
        let (expected, none) = brought(1 << 30, 3000);
        assert!(none == 0 && expected.len() == 3000);
        assert!(expected.is_sorted_by_key(|(head, _)| head.place()));
        for (head, items) in &expected {
            assert_eq!((head.key, head.first, items.clone()), block(head.first.number));
        }
        // More than can be read at a time, and more than can be merged at once.
        for (bytes, least) in [(10_000, RUNS[0] + 1), (2000, RUNS[0] * RUNS[0] + 1)] {
            let (found, runs) = brought(bytes, 3000);
            assert!(runs >= least, "{runs} runs of {bytes} bytes");
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_is_put_aside_comes_back() {
        let inbox = Inbox::new(Room { bytes: 100, folder: std::env::temp_dir() });
        let (mut sorted, _) = inbox.sorted().unwrap();
        for _ in 0..2 {
            let [first, second] =
                [b"some bytes", b"and others"].map(|b| sorted.put_aside(b).unwrap());
            assert_eq!((first, second), (0, 10));
            let mut bytes = [0; 6];
            sorted.bring_back(second + 4, &mut bytes).unwrap();
            assert_eq!(&bytes, b"others");
            assert!(sorted.bring_back(second + 5, &mut bytes).is_err());
            sorted.forget_aside().unwrap();
        }
    }
}
