//! The forks of other locations: the streams of those who fork are read once more, beside that of
//! the location that belongs to their teams, never further than to the fork that is asked for.
//!
//! So nothing has to be kept of forks that have been, and what a location finds depends on no
//! other reading. Where the forks of a location are few they are kept all the same, for the other
//! members of its teams.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use foldhash::fast::RandomState;
use streamfold_model::ids::{CommRef, LocationRef};
use streamfold_model::store::Definitions;

use super::before::Before;
use super::tallies::Tallies;
use super::tree::{CallTree, PathIndex};
use crate::{Mapping, Renaming};

/// Receives the events of one location that say where it forks.
pub type ThreadScan<'w> = Before<'w, false, true>;

/// What the references of a location are to be, given its own definitions and its mapping tables.
pub type Rename<'r> = &'r mut dyn FnMut(&Definitions, &dyn Mapping) -> Renaming;

/// Brings the events of locations that fork teams.
pub trait Masters: Sync {
    /// Begins to read a location; `None` where that cannot be.
    fn open<'m>(
        &'m self,
        location: LocationRef,
        rename: Rename<'_>,
    ) -> Option<Box<dyn MasterStream + 'm>>;
}

/// The events of a location that forks teams.
pub trait MasterStream: Send {
    /// Brings some of the events that follow, in bounded number. `false`: there are no more.
    fn read_part(&mut self, scan: &mut ThreadScan<'_>) -> bool;
}

/// Forks whose teams have begun at the location of the fork, and the path where each was.
pub(super) type Forks = VecDeque<(CommRef, PathIndex)>;

/// A location that forks teams, as far as its forks are needed.
pub(super) struct Master<'w> {
    source: Source<'w>,
    seen: HashMap<CommRef, Seen, RandomState>,
    /// Its paths in the tree of who asks.
    to: Vec<Option<PathIndex>>,
}

/// Where forks come from. Both give the same.
enum Source<'w> {
    Stream(Reading<'w>),
    Log { log: Arc<ForkLog>, next: usize },
}

/// A location that is being read for its forks.
pub(super) struct Reading<'w> {
    stream: Option<Box<dyn MasterStream + 'w>>,
    scan: Box<ThreadScan<'w>>,
}

/// The forks of a team so far.
#[derive(Clone, Copy)]
struct Seen {
    count: u64,
    /// That of the last one.
    path: PathIndex,
}

impl<'w> Reading<'w> {
    /// `scan` remembers forks.
    pub fn new(stream: Box<dyn MasterStream + 'w>, scan: ThreadScan<'w>) -> Self {
        Reading { stream: Some(stream), scan: Box::new(scan) }
    }

    fn next(&mut self) -> Option<(CommRef, PathIndex)> {
        loop {
            if let Some(fork) = self.scan.0.forks().pop_front() {
                return Some(fork);
            }
            if !self.stream.as_mut()?.read_part(&mut self.scan) {
                self.stream = None;
            }
        }
    }
}

impl<'w> Master<'w> {
    /// Read beside who asks.
    pub fn read(reading: Reading<'w>) -> Self {
        Master::of(Source::Stream(reading))
    }

    /// Read before.
    pub fn logged(log: Arc<ForkLog>) -> Self {
        Master::of(Source::Log { log, next: 0 })
    }

    fn of(source: Source<'w>) -> Self {
        Master { source, seen: HashMap::default(), to: Vec::new() }
    }

    /// The path of the fork of a team with so many before it, in another tree. `None`: there is none,
    /// or it lies before one that was asked for already.
    pub fn fork(&mut self, team: CommRef, before: u64, into: &mut Tallies) -> Option<PathIndex> {
        loop {
            match self.seen.get(&team) {
                Some(seen) if seen.count > before => {
                    let Seen { count, path } = *seen;
                    return (count == before + 1).then(|| self.place(path, into));
                }
                _ => {}
            }
            let (team, path) = self.next()?;
            let seen = self.seen.entry(team).or_insert(Seen { count: 0, path });
            *seen = Seen { count: seen.count + 1, path };
        }
    }

    fn next(&mut self) -> Option<(CommRef, PathIndex)> {
        match &mut self.source {
            Source::Stream(reading) => reading.next(),
            Source::Log { log, next } => {
                let fork = log.forks.get(*next).copied()?;
                *next += 1;
                Some(fork)
            }
        }
    }

    /// A path of this location in another tree.
    fn place(&mut self, path: PathIndex, into: &mut Tallies) -> PathIndex {
        let tree = match &self.source {
            Source::Stream(reading) => reading.scan.0.tree(),
            Source::Log { log, .. } => &log.tree,
        };
        place(tree, path, &mut self.to, into)
    }
}

/// A path of one tree in another; `to` knows those that were there before.
fn place(
    tree: &CallTree,
    path: PathIndex,
    to: &mut Vec<Option<PathIndex>>,
    into: &mut Tallies,
) -> PathIndex {
    to.resize(tree.len(), None);
    let mut steps = Vec::new();
    let mut at = path;
    let mut here = loop {
        match to[at.index()] {
            Some(known) => break known,
            None if at == PathIndex::ROOT => break PathIndex::ROOT,
            None => steps.push(at),
        }
        at = tree.parent(at);
    };
    for path in steps.into_iter().rev() {
        let step = into.tree.own_mut().adopt(tree.own(), tree.step(path));
        here = into.path(here, step);
        to[path.index()] = Some(here);
    }
    here
}

/// All forks of a location, for all members of its teams.
#[derive(Debug)]
pub(super) struct ForkLog {
    tree: CallTree,
    forks: Vec<(CommRef, PathIndex)>,
}

impl ForkLog {
    /// `None`: there are more forks than that.
    fn read(mut reading: Reading<'_>, most: usize) -> Option<ForkLog> {
        let (mut tallies, mut to, mut forks) = (Tallies::default(), Vec::new(), Vec::new());
        while let Some((team, path)) = reading.next() {
            if forks.len() == most {
                return None;
            }
            forks.push((team, place(reading.scan.0.tree(), path, &mut to, &mut tallies)));
        }
        Some(ForkLog { tree: tallies.tree, forks })
    }
}

/// The forks of locations, so that not every member of a team has to read them again. What has no
/// room here is read again.
#[derive(Debug)]
pub(super) struct ForkLogs {
    logs: Mutex<HashMap<LocationRef, LogCell, RandomState>>,
    /// So many more forks may be kept.
    room: AtomicUsize,
    most_of_one: usize,
}

/// Made once, by the first who asks, while others wait: it waits for nobody.
type LogCell = Arc<OnceLock<Option<Arc<ForkLog>>>>;

impl ForkLogs {
    /// Room for so many forks, of one location and of all together: 8 bytes each.
    pub fn new(most_of_one: usize, most: usize) -> Self {
        ForkLogs { logs: Mutex::default(), room: AtomicUsize::new(most), most_of_one }
    }

    /// The forks of a location; `None` where they have no room or cannot be read.
    pub fn get<'r>(
        &self,
        location: LocationRef,
        open: impl FnOnce() -> Option<Reading<'r>>,
    ) -> Option<Arc<ForkLog>> {
        let cell = self.lock().entry(location).or_default().clone();
        cell.get_or_init(|| {
            let most = self.most_of_one.min(self.room.load(Ordering::Relaxed));
            let log = (most > 0).then(open).flatten().and_then(|r| ForkLog::read(r, most))?;
            self.take(log.forks.len()).then(|| Arc::new(log))
        })
        .clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<LocationRef, LogCell, RandomState>> {
        // Who panicked while it held the lock can have left nothing half done: it is one entry.
        self.logs.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes room, where there is some.
    fn take(&self, forks: usize) -> bool {
        let take = |room: usize| room.checked_sub(forks);
        self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}
