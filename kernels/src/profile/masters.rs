//! The forks of other locations: the streams of those who fork are read once more, beside that of
//! the location that belongs to their teams, never further than to the fork that is asked for.
//!
//! So nothing has to be kept of forks that have been, and what a location finds depends on no
//! other reading.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use streamfold_model::ids::{CommRef, LocationRef};
use streamfold_model::store::Definitions;

use super::scan::Scan;
use super::tallies::Tallies;
use super::tree::PathIndex;
use crate::{Mapping, Renaming};

/// Receives the events of one location, forks and teams among them.
pub type ThreadScan<'w> = Scan<'w, true>;

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
pub trait MasterStream {
    /// Brings some of the events that follow, in bounded number. `false`: there are no more.
    fn read_part(&mut self, scan: &mut ThreadScan<'_>) -> bool;
}

/// Forks whose teams have begun at the location of the fork, and the path where each was.
pub(super) type Forks = VecDeque<(CommRef, PathIndex)>;

/// A location that forks teams, as far as it was read.
pub(super) struct Master<'w> {
    stream: Option<Box<dyn MasterStream + 'w>>,
    scan: Box<ThreadScan<'w>>,
    seen: HashMap<CommRef, Seen, RandomState>,
    /// Its paths in the tree of who asks.
    to: Vec<Option<PathIndex>>,
}

/// The forks of a team so far.
#[derive(Clone, Copy)]
struct Seen {
    count: u64,
    /// That of the last one.
    path: PathIndex,
}

impl<'w> Master<'w> {
    /// `scan` remembers forks.
    pub fn new(stream: Box<dyn MasterStream + 'w>, scan: ThreadScan<'w>) -> Self {
        Master {
            stream: Some(stream),
            scan: Box::new(scan),
            seen: HashMap::default(),
            to: Vec::new(),
        }
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
        loop {
            if let Some(fork) = self.scan.forks().pop_front() {
                return Some(fork);
            }
            if !self.stream.as_mut()?.read_part(&mut self.scan) {
                self.stream = None;
            }
        }
    }

    /// A path of this location in another tree.
    fn place(&mut self, path: PathIndex, into: &mut Tallies) -> PathIndex {
        let tree = self.scan.tree();
        self.to.resize(tree.len(), None);
        let mut steps = Vec::new();
        let mut at = path;
        let mut here = loop {
            match self.to[at.index()] {
                Some(known) => break known,
                None if at == PathIndex::ROOT => break PathIndex::ROOT,
                None => steps.push(at),
            }
            at = tree.parent(at);
        };
        for path in steps.into_iter().rev() {
            let step = into.tree.own_mut().adopt(tree.own(), tree.step(path));
            here = into.path(here, step);
            self.to[path.index()] = Some(here);
        }
        here
    }
}
