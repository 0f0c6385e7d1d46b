//! The blocks of the keys that this rank owns.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use streamfold_kernels::matching::{BlockHead, Blocks, Key, Order, Sink, Source};

use super::spill::{Reading, Room, Writing};
use crate::exit::{ExitCode, Failure};

/// So many sorted files are read at a time; where there are more, they are merged first.
const FILES: usize = 64;
/// The buffer of each.
const BUFFER: usize = 1 << 16;

/// Takes blocks in any order and yields them in that of their keys.
pub struct Inbox {
    room: Room,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    blocks: Blocks,
    runs: Vec<Writing>,
    /// What went wrong first. Nothing is taken any more then.
    failed: Option<Failure>,
    spilled: u64,
}

impl Inbox {
    /// Empty.
    pub fn new(room: Room) -> Self {
        Inbox { room, state: Mutex::default() }
    }

    /// Whether nothing went to temporary files, so that [`Inbox::parts`] may be asked for.
    pub fn is_in_memory(&self) -> bool {
        self.state().runs.is_empty()
    }

    /// All blocks by the hash of their keys, in so many parts of about one size, of which this rank of so many
    /// owns the keys. Boxes of one rank that are cut into as many parts have the same keys in the same part.
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
        parts.map(|part| Sorted::new(part, Vec::new(), room.clone())).collect()
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
        let State { blocks, mut runs, failed, spilled } = self.into_state();
        if let Some(failure) = failed {
            return Err(failure);
        }
        while runs.len() > FILES {
            let first: Vec<Writing> = runs.drain(..FILES).collect();
            runs.push(merged(first, &room)?);
        }
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
            match full.spill(&self.room) {
                Ok(run) => state.runs.push(run),
                Err(failure) => state.failed = Some(failure),
            }
        }
    }
}

/// One sorted file of several.
fn merged(runs: Vec<Writing>, room: &Room) -> Result<Writing, Failure> {
    let mut sorted = Sorted::new(InMemory::new(Blocks::default()), runs, room.clone())?;
    let mut run = Writing::new(room)?;
    while let Some((head, items)) = sorted.next()? {
        run.push(&head, &items).map_err(|error| room.failure(&error))?;
    }
    Ok(run)
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
        order.sort_unstable_by_key(|(head, _)| Reverse(head.place()));
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

    fn spill(mut self, room: &Room) -> Result<Writing, Failure> {
        let mut run = Writing::new(room)?;
        while let Some((head, begin)) = self.order.pop() {
            let written = run.push(&head, self.blocks.items(begin, &head));
            written.map_err(|error| room.failure(&error))?;
        }
        Ok(run)
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

/// The next block of a run. Runs tell those apart that have one place.
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
    room: Room,
}

impl Sorted {
    fn new(memory: InMemory, files: Vec<Writing>, room: Room) -> Result<Self, Failure> {
        let mut runs = vec![Run::Memory(memory)];
        for file in files {
            let reading = file.read(BUFFER).map_err(|error| room.failure(&error))?;
            runs.push(Run::File(reading));
        }
        let mut sorted = Sorted { runs, waiting: BinaryHeap::new(), room };
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
        let folder = self.room.folder.display();
        let message = format!("{folder}: a temporary file does not hold what was written to it");
        Failure::new(ExitCode::Io, message)
    }
}
