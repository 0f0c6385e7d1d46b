//! The call paths of one location, while its events go by.

use super::step::Step;
use super::tally::{Traffic, Visits};
use super::tree::Finder;
use super::tree::{CallTree, PathIndex};

/// What is counted on the call paths of one location.
///
/// The tree has the paths of other locations, too.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    pub tree: CallTree,
    times: Vec<Times>,
    visited: Visited,
    traffic: Vec<(PathIndex, Traffic)>,
    /// Where the traffic of each path is, plus one; 0: it has none.
    traffic_of: Vec<u32>,
}

/// The paths that have any visit, in the order in which the first one ended.
#[derive(Debug, Default)]
struct Visited {
    /// As many as there are paths; those behind the others are only room.
    paths: Vec<PathIndex>,
    count: usize,
}

/// Visits of a call path that ended, and how many will not.
///
/// Of those that ended some may have begun before a window of time: so many less are `unended`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    closed: u64,
    inclusive: u64,
    exclusive: u64,
    shortest: u64,
    longest: u64,
    unended: i64,
}

impl Times {
    const NONE: Times =
        Times { closed: 0, inclusive: 0, exclusive: 0, shortest: u64::MAX, longest: 0, unended: 0 };

    /// Whether there is no visit so far.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.closed == 0 && self.unended == 0
    }

    /// A visit ended. Times in ticks.
    #[inline(always)]
    pub fn close(&mut self, inclusive: u64, exclusive: u64) {
        self.closed += 1;
        self.inclusive += inclusive;
        self.exclusive += exclusive;
        // Seldom true, so a guess is cheaper than to write them each time.
        if inclusive < self.shortest {
            self.shortest = inclusive;
        }
        if inclusive > self.longest {
            self.longest = inclusive;
        }
    }

    fn add(&mut self, visits: &Visits) {
        self.closed += visits.closed;
        self.inclusive += visits.inclusive;
        self.exclusive += visits.exclusive;
        self.shortest = self.shortest.min(visits.shortest);
        self.longest = self.longest.max(visits.longest);
        self.unended = self.unended.wrapping_add_unsigned(visits.visits - visits.closed);
    }

    fn visits(&self) -> Visits {
        Visits {
            visits: self.closed.wrapping_add_signed(self.unended),
            closed: self.closed,
            inclusive: self.inclusive,
            exclusive: self.exclusive,
            shortest: self.shortest,
            longest: self.longest,
        }
    }
}

impl Tallies {
    /// The path of one more step.
    pub fn path(&mut self, from: PathIndex, step: Step) -> PathIndex {
        let path = self.tree.child(from, step);
        self.make_room(path);
        path
    }

    /// A path that no step leads to.
    pub fn detached_path(&mut self) -> PathIndex {
        let path = self.tree.detached();
        self.make_room(path);
        path
    }

    #[inline(always)]
    fn make_room(&mut self, path: PathIndex) {
        if path.index() >= self.times.len() {
            self.times.resize(self.tree.len(), Times::NONE);
            self.visited.paths.resize(self.tree.len(), PathIndex::ROOT);
        }
    }

    /// A path has these visits, too. They follow the others, so that their times add up.
    pub fn add_visits(&mut self, path: PathIndex, visits: &Visits) {
        self.visit(path);
        self.times[path.index()].add(visits);
    }

    /// A visit of a path ends. Times in ticks.
    pub fn leave(&mut self, path: PathIndex, inclusive: u64, exclusive: u64) {
        self.visit(path);
        self.times[path.index()].close(inclusive, exclusive);
    }

    /// A visit of a path that began has no end.
    pub fn leave_open(&mut self, path: PathIndex) {
        self.visit(path);
        self.times[path.index()].unended += 1;
    }

    /// A visit ends that did not begin in the window of time, or, where `visits` is 1, counts as if it
    /// had. Times in ticks.
    pub fn leave_carried(&mut self, path: PathIndex, visits: u64, inclusive: u64, exclusive: u64) {
        self.visit(path);
        let times = &mut self.times[path.index()];
        times.closed += 1;
        times.unended += visits as i64 - 1;
        times.inclusive += inclusive;
        times.exclusive += exclusive;
    }

    /// Visits go on when the window of time ends. Nothing may follow for this path. Times in ticks.
    pub fn add_open(&mut self, path: PathIndex, visits: u64, inclusive: u64, exclusive: u64) {
        self.visit(path);
        let times = &mut self.times[path.index()];
        times.unended = times.unended.wrapping_add_unsigned(visits);
        times.inclusive += inclusive;
        times.exclusive += exclusive;
    }

    fn visit(&mut self, path: PathIndex) {
        if self.times[path.index()].is_empty() {
            self.visited.paths[self.visited.count] = path;
            self.visited.count += 1;
        }
    }

    /// What a run of enters and leaves works on, while no path is added.
    #[inline(always)]
    pub fn parts(&mut self) -> Parts<'_> {
        Parts {
            finder: self.tree.finder(),
            times: &mut self.times,
            visited: &mut self.visited.paths,
            count: &mut self.visited.count,
        }
    }

    /// The messages and operations of a path.
    pub fn traffic(&mut self, path: PathIndex) -> &mut Traffic {
        if path.index() >= self.traffic_of.len() {
            self.traffic_of.resize(self.tree.len(), 0);
        }
        let place = &mut self.traffic_of[path.index()];
        if *place == 0 {
            self.traffic.push((path, Traffic::NONE));
            *place = self.traffic.len() as u32;
        }
        &mut self.traffic[*place as usize - 1].1
    }

    /// Hands out what each visited path has, and how many regions are open there, in any order; none
    /// has any visits then.
    pub fn take_visits(&mut self, mut receive: impl FnMut(PathIndex, u32, Visits)) {
        for &path in &self.visited.paths[..std::mem::take(&mut self.visited.count)] {
            let times = std::mem::replace(&mut self.times[path.index()], Times::NONE);
            receive(path, self.tree.depth(path), times.visits());
        }
    }

    /// The same of messages and operations.
    pub fn take_traffic(&mut self, mut receive: impl FnMut(PathIndex, Traffic)) {
        for (path, traffic) in self.traffic.drain(..) {
            self.traffic_of[path.index()] = 0;
            receive(path, traffic);
        }
    }
}

/// The parts of tallies to which no path is added.
pub(super) struct Parts<'a> {
    pub finder: Finder<'a>,
    pub times: &'a mut [Times],
    /// The visited paths, and room for all others.
    pub visited: &'a mut [PathIndex],
    /// How many are visited.
    pub count: &'a mut usize,
}
