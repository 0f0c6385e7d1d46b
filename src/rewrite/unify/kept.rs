//! What is kept of the definitions of locations until their files are written, so that most of them are read
//! once. It is bounded: what does not fit is read again, and the same comes of it.

use std::num::NonZeroUsize;

use streamfold_kernels::unify::{Key, Place, Scope};
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use super::local::LocalFile;
use super::pool::{Map, Pool};

/// Bytes that a rank keeps at most.
const MOST: usize = 64 << 20;
/// Bytes for each content that is met: its key, and later its number.
const OF_CONTENT: usize = size_of::<Key>() + size_of::<Option<u64>>();

/// What a number of a location stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// For the content at this place among those that its thread has met.
    Content(u32),
    /// For what others say of the record at this place of the file.
    Waits(u32),
}

/// What the numbers of one kind stand for, in their order.
#[derive(Debug)]
pub(super) struct OfKind {
    pub kind: ReferenceKind,
    /// Empty: they count from 0, without gaps.
    numbers: Box<[u64]>,
    stand: Box<[Stands]>,
}

impl OfKind {
    /// `None`: one stands for several records.
    fn new(kind: ReferenceKind, places: &[Place], stands: &[Stands]) -> Option<OfKind> {
        let is_from_0 = places.iter().zip(0..).all(|((number, _), at)| *number == at);
        let is_once = is_from_0 || places.is_sorted_by(|(one, _), (next, _)| one < next);
        let numbers = places.iter().filter(|_| !is_from_0).map(|(number, _)| *number);
        let stand = places.iter().map(|(_, place)| stands[*place]);
        is_once.then(|| OfKind { kind, numbers: numbers.collect(), stand: stand.collect() })
    }

    /// Each number, and what it stands for.
    pub fn each(&self) -> impl Iterator<Item = (u64, Stands)> + '_ {
        let number = |at: usize| self.numbers.get(at).copied().unwrap_or(at as u64);
        self.stand.iter().enumerate().map(move |(at, stands)| (number(at), *stands))
    }
}

/// What came of the definitions of a location.
#[derive(Debug)]
pub(super) struct KeptLocation {
    /// Its file, without records.
    pub file: LocalFile,
    /// Its numbers.
    pub numbers: Box<[OfKind]>,
    /// Which thread has met its contents.
    pub thread: usize,
}

/// What a rank keeps.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// By their order among all.
    locations: Map<u64, KeptLocation>,
    /// The keys of the contents that each thread has met.
    keys: Vec<Vec<Key>>,
}

impl Kept {
    /// With what other threads keep.
    pub fn fold(mut self, other: Kept) -> Kept {
        let before = self.keys.len();
        self.keys.extend(other.keys);
        let others = other.locations.into_iter();
        self.locations.extend(others.map(|(ordinal, location)| {
            (ordinal, KeptLocation { thread: before + location.thread, ..location })
        }));
        self
    }

    /// A location, by its order among all.
    pub fn location(&self, ordinal: u64) -> Option<&KeptLocation> {
        self.locations.get(&ordinal)
    }

    /// The key of a content that a thread has met.
    pub fn key(&self, thread: usize, content: u32) -> Key {
        self.keys[thread][content as usize]
    }

    /// The numbers of the contents that each thread has met, where they have any.
    pub fn numbers(&self, numbers: &Map<Key, u64>) -> Vec<Vec<Option<u64>>> {
        let number = |key: &Key| numbers.get(key).copied();
        self.keys.iter().map(|keys| keys.iter().map(number).collect()).collect()
    }
}

/// What a thread keeps while it reads.
pub(super) struct Keeping {
    kept: Map<u64, KeptLocation>,
    /// Bytes that it still may keep.
    left: usize,
    /// How many contents had been met when it last kept something.
    contents: usize,
}

impl Keeping {
    /// One of so many threads.
    pub fn new(threads: NonZeroUsize) -> Keeping {
        Keeping { kept: Map::default(), left: MOST / threads, contents: 0 }
    }

    /// Whether there may be room for these definitions.
    pub fn has_room(&self, scope: &Scope<'_>) -> bool {
        size_of_val(scope.records()) <= self.left
    }

    /// Keeps what came of a file, if there is room. `contents`: how many were met so far.
    pub fn keep(&mut self, ordinal: u64, file: LocalFile, numbers: Box<[OfKind]>, contents: usize) {
        let met = OF_CONTENT * (contents - self.contents);
        let size = met + size_of_kept(&file, &numbers);
        if size <= self.left && contents <= u32::MAX as usize {
            (self.left, self.contents) = (self.left - size, contents);
            let file = LocalFile { records: Vec::new(), ..file };
            self.kept.insert(ordinal, KeptLocation { file, numbers, thread: 0 });
        }
    }

    /// All that is kept of what was taken into this pool.
    pub fn end(self, pool: &Pool) -> Kept {
        let keys = pool.contents.keys().copied().take(self.contents).collect();
        Kept { locations: self.kept, keys: vec![keys] }
    }
}

/// What the numbers of a file stand for; `None`: one stands for several records, and what is wrong with that is
/// told when the file is read again.
pub(super) fn numbers(scope: &Scope<'_>, stands: &[Stands]) -> Option<Box<[OfKind]>> {
    let of_kinds = ReferenceKind::ALL.iter().map(|kind| (*kind, scope.of_kind(*kind)));
    let of_kinds = of_kinds.filter(|(_, places)| !places.is_empty());
    of_kinds.map(|(kind, places)| OfKind::new(kind, places, stands)).collect()
}

/// About how many bytes it takes.
fn size_of_kept(file: &LocalFile, numbers: &[OfKind]) -> usize {
    /// Of a place in a table, of which some are always empty.
    const PLACE: usize = 2 * size_of::<(u64, KeptLocation)>();
    /// Of a single thing in a tree.
    const SMALL: usize = 64;
    let numbers = numbers.iter().map(|of_kind| {
        size_of::<OfKind>() + size_of_val(&*of_kind.numbers) + size_of_val(&*of_kind.stand)
    });
    let tables = file.tables.values().map(|table| match table {
        IdMap::Dense(globals) => size_of_val(globals.as_slice()),
        IdMap::Sparse(pairs) => size_of_val(pairs.as_slice()),
    });
    let small = 4 + file.places.len() + file.more_tables.len() + 2 * file.clocks.len();
    PLACE + SMALL * small + numbers.sum::<usize>() + tables.sum::<usize>()
}
