//! The forks of other locations. The streams of forking locations are read once more, beside that of a member of their
//! teams, up to the fork that is asked for.
//!
//! The result for a location depends on no other reading. Of passed forks those are kept that were not asked for yet.
//! If a location has few forks, all of them are kept, for the other members of its teams.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use foldhash::fast::RandomState;
use streamfold_model::ids::{CommRef, LocationRef};

use super::passed::Passed;
use crate::adapt::LocalReferences;
use crate::profile::scan::before::Before;
use crate::profile::scan::tallies::Tallies;
use crate::profile::tree::{CallTree, PathIndex};

/// Receives the events of one location that say where it forks.
pub type ThreadScan<'w> = Before<'w, true>;

/// Brings the events of locations that fork teams.
pub trait ForkStreams: Sync {
    /// Begins to read a location; `None` where that cannot be.
    fn open(&self, location: LocationRef) -> Option<(Box<dyn ForkStream + '_>, LocalReferences)>;
}

/// The events of a location that forks teams.
pub trait ForkStream: Send {
    /// Brings some of the events that follow, in bounded number. `false`: there are no more.
    fn read_part(&mut self, scan: &mut ThreadScan<'_>) -> bool;
}

/// Forks whose teams have begun at the location of the fork, and the path where each was.
pub(crate) type Forks = VecDeque<(CommRef, PathIndex)>;

/// A location that forks teams, as far as its forks are needed.
pub(crate) struct Master<'w> {
    source: Source<'w>,
    /// Its paths in the tree of the location that asks.
    to: Vec<Option<PathIndex>>,
}

/// Source of forks. Both give the same.
enum Source<'w> {
    Stream { reading: Reading<'w>, passed: Passed },
    Log(Arc<ForkLog>),
}

/// A location that is being read for its forks.
pub(crate) struct Reading<'w> {
    stream: Option<Box<dyn ForkStream + 'w>>,
    /// Follows the location along its forks.
    scan: Box<ThreadScan<'w>>,
}

impl<'w> Reading<'w> {
    pub(crate) fn new(stream: Box<dyn ForkStream + 'w>, scan: ThreadScan<'w>) -> Self {
        Reading { stream: Some(stream), scan: Box::new(scan) }
    }

    /// The fork of a team with so many before it. Those of other teams on the way are kept.
    fn fork(&mut self, team: CommRef, before: u64, passed: &mut Passed) -> Option<PathIndex> {
        while !passed.has_come(team, before) {
            let (team, path) = self.next()?;
            passed.push(team, path);
        }
        passed.take(team, before)
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
    pub(crate) fn read(reading: Reading<'w>) -> Self {
        Master::of(Source::Stream { reading, passed: Passed::new(KEPT_OF_ONE) })
    }

    /// Read before.
    pub(crate) fn logged(log: Arc<ForkLog>) -> Self {
        Master::of(Source::Log(log))
    }

    fn of(source: Source<'w>) -> Self {
        Master { source, to: Vec::new() }
    }

    /// The path of the fork of a team with so many before it, in another tree: of each team one after
    /// the other. `None`: there is none, or it is no longer kept.
    pub(crate) fn fork(
        &mut self,
        team: CommRef,
        before: u64,
        into: &mut Tallies,
    ) -> Option<PathIndex> {
        let path = match &mut self.source {
            Source::Stream { reading, passed } => reading.fork(team, before, passed),
            Source::Log(log) => log.fork(team, before),
        };
        path.map(|path| self.place(path, into))
    }

    /// A path of this location in another tree.
    fn place(&mut self, path: PathIndex, into: &mut Tallies) -> PathIndex {
        let tree = match &self.source {
            Source::Stream { reading, .. } => reading.scan.0.tree(),
            Source::Log(log) => &log.tree,
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
        here = into.path(here, tree.step(path));
        to[path.index()] = Some(here);
    }
    here
}

/// All forks of a location, for all members of its teams.
#[derive(Debug)]
pub(crate) struct ForkLog {
    tree: CallTree,
    teams: HashMap<CommRef, Vec<PathIndex>, RandomState>,
    /// Of all teams.
    count: usize,
}

impl ForkLog {
    /// `None`: there are more forks than that.
    fn read(mut reading: Reading<'_>, most: usize) -> Option<ForkLog> {
        let (mut tallies, mut to, mut count) = (Tallies::default(), Vec::new(), 0);
        let mut teams: HashMap<CommRef, Vec<PathIndex>, RandomState> = HashMap::default();
        while let Some((team, path)) = reading.next() {
            if count == most {
                return None;
            }
            count += 1;
            let path = place(reading.scan.0.tree(), path, &mut to, &mut tallies);
            teams.entry(team).or_default().push(path);
        }
        Some(ForkLog { tree: tallies.tree, teams, count })
    }

    fn fork(&self, team: CommRef, before: u64) -> Option<PathIndex> {
        let forks = self.teams.get(&team)?;
        forks.get(usize::try_from(before).ok()?).copied()
    }
}

/// The forks of locations, so that not every member of a team has to read them again. Forks above the limit are read
/// again.
#[derive(Debug)]
pub(crate) struct ForkLogs {
    logs: Mutex<HashMap<LocationRef, LogCell, RandomState>>,
    /// Number of further forks that may be kept.
    room: AtomicUsize,
    most_of_one: usize,
}

/// Number of forks of one location that are kept in memory, …
pub(crate) const KEPT_OF_ONE: usize = 1 << 20;

/// … and so many of all that one process reads, for several: 32 MiB.
pub(crate) const KEPT: usize = 8 << 20;

/// Made once, by the first who asks, while others wait: it waits for nobody.
type LogCell = Arc<OnceLock<Option<Arc<ForkLog>>>>;

impl ForkLogs {
    /// Room for so many forks, of one location and of all together: 4 bytes each. Not more of one
    /// than those that are kept where it is read anew, or what is found would depend on the room.
    pub(crate) fn new(most_of_one: usize, most: usize) -> Self {
        ForkLogs { logs: Mutex::default(), room: AtomicUsize::new(most), most_of_one }
    }

    /// The forks of a location; `None` where they have no room or cannot be read.
    pub(crate) fn get<'r>(
        &self,
        location: LocationRef,
        open: impl FnOnce() -> Option<Reading<'r>>,
    ) -> Option<Arc<ForkLog>> {
        let cell = self.lock().entry(location).or_default().clone();
        cell.get_or_init(|| {
            let most = self.most_of_one.min(self.room.load(Ordering::Relaxed));
            let log = (most > 0).then(open).flatten().and_then(|r| ForkLog::read(r, most))?;
            self.take(log.count).then(|| Arc::new(log))
        })
        .clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<LocationRef, LogCell, RandomState>> {
        // A thread that panicked with the lock held has left nothing half done: it adds a single entry.
        self.logs.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes room, where there is some.
    fn take(&self, forks: usize) -> bool {
        let take = |room: usize| room.checked_sub(forks);
        self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}
