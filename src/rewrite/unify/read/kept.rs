//! Bounded cache of the definitions of locations until their files are written, so that most of them are read once. A
//! file without room is read again, with the same result.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use streamfold_kernels::unify::{Key, Place, Scope};
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use super::local::LocalFile;
use crate::unify::ranks::by_paradigm::is_name_of_list;
use crate::unify::same::pool::{Map, Pool};

/// Bytes that a rank keeps at most, besides those for each content.
const MOST: usize = 64 << 20;
/// Bytes more for each content that was met, which takes several times as many itself.
const MORE: usize = 64;
/// Bytes that each of them takes here: its key, and later its number.
const OF_CONTENT: usize = size_of::<Key>() + size_of::<Option<u64>>();

/// Meaning of a number of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    /// For the content at this place among those that its thread has met.
    Content(u32),
    /// For what others say of the record at this place of the file.
    Waits(u32),
}

impl Stands {
    /// Number of places further.
    fn further(self, count: u32) -> Stands {
        match self {
            Stands::Content(place) => Stands::Content(place.wrapping_add(count)),
            Stands::Waits(place) => Stands::Waits(place.wrapping_add(count)),
        }
    }
}

/// Numbers that follow each other, as do the places of what they stand for: where files say the same, in
/// whatever order, most do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    kind: ReferenceKind,
    first: u32,
    stands: Stands,
    count: u32,
}

impl Run {
    /// Extends the run by this number if it fits. Returns whether it does.
    fn takes(&mut self, kind: ReferenceKind, number: u32, stands: Stands) -> bool {
        let next = u64::from(self.first) + u64::from(self.count);
        let is_next = self.kind == kind
            && u64::from(number) == next
            && self.stands.further(self.count) == stands;
        self.count += u32::from(is_next);
        is_next
    }

    fn each(self) -> impl Iterator<Item = (u64, Stands)> {
        (0..self.count).map(move |at| (u64::from(self.first + at), self.stands.further(at)))
    }
}

/// Kept definitions of a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptLocation<'a> {
    /// Its file, without records.
    pub file: &'a LocalFile,
    runs: &'a [Run],
    /// The thread that has met its contents.
    pub thread: usize,
}

impl<'a> KeptLocation<'a> {
    /// Its numbers by kind, each with what it stands for.
    pub(crate) fn by_kind(
        self,
    ) -> impl Iterator<Item = (ReferenceKind, impl Iterator<Item = (u64, Stands)> + 'a)> {
        let of_kinds = self.runs.chunk_by(|a, b| a.kind == b.kind);
        of_kinds.map(|runs| (runs[0].kind, runs.iter().flat_map(|run| run.each())))
    }
}

/// Places of a location's data.
#[derive(Debug)]
struct OfLocation {
    ordinal: u64,
    file: Arc<LocalFile>,
    thread: u32,
    runs: Range<u32>,
}

/// Kept definitions of a rank.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    locations: Vec<OfLocation>,
    threads: Vec<OfThread>,
}

/// Kept definitions of all locations of a thread.
#[derive(Debug, Default)]
struct OfThread {
    runs: Vec<Run>,
    /// The keys of the contents that it has met.
    keys: Vec<Key>,
}

impl Kept {
    /// With what other threads keep.
    pub(crate) fn fold(mut self, other: Kept) -> Kept {
        let before = self.threads.len() as u32;
        self.threads.extend(other.threads);
        let others = other.locations.into_iter();
        self.locations.extend(others.map(|one| OfLocation { thread: before + one.thread, ..one }));
        self.locations.sort_unstable_by_key(|one| one.ordinal);
        self
    }

    /// A location, by its order among all.
    pub(crate) fn location(&self, ordinal: u64) -> Option<KeptLocation<'_>> {
        let place = self.locations.binary_search_by_key(&ordinal, |one| one.ordinal);
        let OfLocation { file, thread, runs, .. } = &self.locations[place.ok()?];
        let thread = *thread as usize;
        let runs = &self.threads[thread].runs[runs.start as usize..runs.end as usize];
        Some(KeptLocation { file, runs, thread })
    }

    /// The key of a content that a thread has met.
    pub(crate) fn key(&self, thread: usize, content: u32) -> Key {
        self.threads[thread].keys[content as usize]
    }

    /// The numbers of the contents that each thread has met, where they have any.
    pub(crate) fn numbers(&self, numbers: &Map<Key, u64>) -> Vec<Vec<Option<u64>>> {
        let number = |key: &Key| numbers.get(key).copied();
        self.threads.iter().map(|thread| thread.keys.iter().map(number).collect()).collect()
    }
}

/// Kept definitions of a thread while it reads.
pub(crate) struct Keeping {
    locations: Vec<OfLocation>,
    runs: Vec<Run>,
    /// Bytes that it may keep at most, besides those for each content.
    most: usize,
    /// Bytes that it keeps.
    used: usize,
    /// How many contents had been met when it last kept something.
    contents: usize,
}

impl Keeping {
    /// One of so many threads.
    pub(crate) fn new(threads: NonZeroUsize) -> Keeping {
        let (locations, runs) = (Vec::new(), Vec::new());
        Keeping { locations, runs, most: MOST / threads, used: 0, contents: 0 }
    }

    /// Keeps what came of a file, if there is room and none of its numbers is defined twice: what is wrong with
    /// that is told when the file is read again. `stand`: what its records stand for; `contents`: how many were
    /// met so far.
    pub(crate) fn keep(
        &mut self,
        ordinal: u64,
        file: LocalFile,
        scope: &Scope<'_>,
        stand: &[Stands],
        contents: usize,
    ) {
        let met = OF_CONTENT * (contents - self.contents);
        let room = (self.most + MORE * contents).saturating_sub(self.used + met);
        let begin = self.runs.len();
        let mut kinds = ReferenceKind::ALL.iter();
        let is_kept = room > size_of::<OfLocation>()
            && kinds.all(|kind| self.add(*kind, scope.of_kind(*kind), stand));
        let same = self.locations.last().filter(|last| *last.file == file);
        let file = same.map(|last| Arc::clone(&last.file)).ok_or(file);
        let size = size_of::<OfLocation>()
            + (self.runs.len() - begin) * size_of::<Run>()
            + file.as_ref().err().map_or(0, size_of_file);
        let runs = u32::try_from(begin).ok().zip(u32::try_from(self.runs.len()).ok());
        match runs.filter(|_| is_kept && size <= room && u32::try_from(contents).is_ok()) {
            Some((begin, end)) => {
                self.used += met + size;
                self.contents = contents;
                let file = match file {
                    Ok(same) => same,
                    Err(other) => Arc::new(other),
                };
                self.locations.push(OfLocation { ordinal, file, thread: 0, runs: begin..end });
            }
            None => self.runs.truncate(begin),
        }
    }

    /// Adds the numbers of a kind, unless one is there twice or too large.
    fn add(&mut self, kind: ReferenceKind, places: &[Place], stand: &[Stands]) -> bool {
        let begin = self.runs.len();
        let mut before = None;
        for &(number, place) in places.iter().filter(|it| !is_name_of_list(kind, it.0)) {
            let is_again = before.replace(number) == Some(number);
            let (false, Ok(number)) = (is_again, u32::try_from(number)) else { return false };
            let stands = stand[place];
            let taken =
                self.runs[begin..].last_mut().is_some_and(|run| run.takes(kind, number, stands));
            if !taken {
                self.runs.push(Run { kind, first: number, stands, count: 1 });
            }
        }
        true
    }

    /// All that is kept of what was taken into this pool.
    pub(crate) fn end(self, pool: &Pool) -> Kept {
        let keys = pool.contents.keys().copied().take(self.contents).collect();
        Kept { locations: self.locations, threads: vec![OfThread { runs: self.runs, keys }] }
    }
}

/// About how many bytes it takes.
fn size_of_file(file: &LocalFile) -> usize {
    /// Of a single thing in a tree.
    const SMALL: usize = 64;
    let tables = file.tables.values().map(|table| match table {
        IdMap::Dense(globals) => size_of_val(globals.as_slice()),
        IdMap::Sparse(pairs) => size_of_val(pairs.as_slice()),
    });
    let places = file.places.len() + file.more_tables.len() + file.unknown_places.len();
    let small = places + 2 * file.clocks.len();
    size_of::<LocalFile>() + SMALL * small + tables.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use streamfold_kernels::unify::{Record, Says};

    use super::*;

    fn record(kind: ReferenceKind, number: u64) -> Record {
        Record { own: Some((kind, number)), says: Arc::new(Says::default()) }
    }

    /// Returns the kept form of these definitions within so many bytes; `None`: nothing.
    fn keep(records: &[Record], stand: &[Stands], most: usize) -> Option<Vec<(u64, Stands)>> {
        let mut keeping = Keeping::new(NonZeroUsize::MIN);
        keeping.most = most;
        keeping.keep(7, LocalFile::default(), &Scope::new(records), stand, 0);
        let kept = Kept::default().fold(keeping.end(&Pool::default()));
        let location = kept.location(7)?;
        assert!(kept.location(6).is_none());
        Some(location.by_kind().flat_map(|(_, numbered)| numbered).collect())
    }

    #[test]
    fn what_has_no_room_or_is_defined_twice_is_not_kept() {
        let strings = |numbers: &[u64]| -> Vec<Record> {
            numbers.iter().map(|number| record(ReferenceKind::String, *number)).collect()
        };
        let stand: Vec<Stands> = (0..1000).map(Stands::Content).collect();
        let many: Vec<u64> = (0..1000).collect();
        assert!(keep(&strings(&many), &stand, MOST).is_some());
        // One stretch is small, whatever its length.
        assert!(keep(&strings(&many), &stand, 1000).is_some());
        assert!(keep(&strings(&many), &stand, 10).is_none());
        let spread: Vec<u64> = (0..1000).map(|number| 3 * number).collect();
        assert!(keep(&strings(&spread), &stand, 1000).is_none());
        assert!(keep(&strings(&[1, 2, 1]), &stand, MOST).is_none());
        let large = record(ReferenceKind::Region, 1 << 32);
        assert!(keep(&[large], &stand, MOST).is_none());
    }

    #[test]
    fn files_of_many_records_that_nobody_knows_are_not_kept() {
        let unknown_places = (0..1000).collect();
        let file = LocalFile { unknown_places, ..LocalFile::default() };
        assert!(size_of_file(&file) > 1000 * size_of::<u64>());
    }

    proptest! {
        #[test]
        fn all_numbers_are_kept_with_what_they_stand_for(
            all in proptest::collection::btree_map(0..60_u64, (any::<bool>(), 0..40_u32), 0..50),
        ) {
            let kind = |number: u64| match number < 30 {
                true => ReferenceKind::Region,
                false => ReferenceKind::String,
            };
            let records: Vec<Record> =
                all.keys().rev().map(|number| record(kind(*number), *number)).collect();
            let stands = |(waits, place): &(bool, u32)| match waits {
                true => Stands::Waits(*place),
                false => Stands::Content(*place),
            };
            let stand: Vec<Stands> = all.values().rev().map(stands).collect();
            let expected = all.iter().map(|(number, to)| (*number, stands(to))).collect();
            prop_assert_eq!(keep(&records, &stand, MOST), Some(expected));
        }
    }
}
