//! Threads within a process: forks and joins, teams, locks.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::{CollectiveOp, Paradigm};
use streamfold_model::ids::CommRef;
use streamfold_model::stream::EventHead;

use super::block::Order;
use super::chosen::Counting;
use super::classes::{Class, Classes};
use super::collectives::Part;
use super::partners::Process;
use super::spans::{Open, Spans};

/// Locks of which sums are held, of one location, until they are put in order.
const MOST: usize = 1 << 14;

/// A lock: of which paradigm, and its number.
pub type Lock = (Paradigm, u32);

impl Class for Lock {
    const MOST: usize = 1 << 14;
    const BITS: u32 = 32;

    fn without(self, bits: u32) -> Self {
        (self.0, self.1.without(bits))
    }
}

/// Forks, teams and locks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Threads {
    /// Spans from fork to join, by paradigm.
    pub forks: BTreeMap<Paradigm, Spans>,
    /// Spans from the start of each member of a team to its end, by team.
    pub teams: BTreeMap<CommRef, Spans>,
    /// Spans from the acquisition of a lock to its release.
    pub locks: Classes<Lock, Spans>,
}

impl Threads {
    /// Adds those of others.
    pub fn add(&mut self, other: Threads) {
        for (model, spans) in &other.forks {
            self.forks.entry(*model).or_default().add(spans);
        }
        for (team, spans) in &other.teams {
            self.teams.entry(*team).or_default().add(spans);
        }
        self.locks.fold(other.locks);
    }
}

/// State of a worker for the threads of one location after another.
#[derive(Default)]
pub(super) struct ThreadRoom {
    pub threads: Threads,
    forks: Vec<(Paradigm, u64)>,
    teams: HashMap<CommRef, (Order, u64), RandomState>,
    held: Open<(Lock, u32)>,
    locks: HashMap<Lock, Spans, RandomState>,
    /// Selection of the location's events.
    pub counting: Counting,
    /// Locks and forks that began and were not tracked, of all locations.
    pub untracked: u64,
}

/// Most open forks of a location that are tracked; those above are counted only.
const DEEPEST: usize = 1 << 16;

impl ThreadRoom {
    pub(super) fn fork(&mut self, head: &EventHead<'_>, model: Paradigm) {
        let (now, counts) = (head.time.0, self.counting.counts(head.time.0));
        if counts {
            self.threads.forks.entry(model).or_default().begun += 1;
        }
        if self.forks.len() < DEEPEST {
            self.forks.push((model, now));
        } else {
            self.untracked += 1;
            if counts {
                self.threads.forks.entry(model).or_default().open += 1;
            }
        }
    }

    pub(super) fn join(&mut self, head: &EventHead<'_>, model: Paradigm) {
        let now = head.time.0;
        match self.forks.pop() {
            Some((model, begin)) if self.counting.counts(begin) => {
                self.threads.forks.entry(model).or_default().end(begin, now);
            }
            None if self.counting.counts(now) => {
                self.threads.forks.entry(model).or_default().unbegun += 1;
            }
            _ => {}
        }
    }

    /// A member begins with a team. Returns what is over, since it begins again.
    pub(super) fn begin_team(
        &mut self,
        head: &EventHead<'_>,
        order: Order,
        team: CommRef,
        member: Process,
    ) -> Option<Part> {
        let now = head.time.0;
        if self.counting.counts(now) {
            self.threads.teams.entry(team).or_default().begun += 1;
        }
        let before = self.teams.insert(team, (order, now));
        before.map(|(order, begin)| self.without_end(team, order, begin, member))
    }

    pub(super) fn end_team(
        &mut self,
        head: &EventHead<'_>,
        team: CommRef,
        member: Process,
    ) -> Option<Part> {
        let now = head.time.0;
        let Some((order, begin)) = self.teams.remove(&team) else {
            if self.counting.counts(now) {
                self.threads.teams.entry(team).or_default().unbegun += 1;
            }
            return None;
        };
        if self.counting.counts(begin) {
            self.threads.teams.entry(team).or_default().end(begin, now);
        }
        Some(part(order, member, begin, now))
    }

    fn without_end(&mut self, team: CommRef, order: Order, begin: u64, member: Process) -> Part {
        if self.counting.counts(begin) {
            self.threads.teams.entry(team).or_default().open += 1;
        }
        part(order, member, begin, begin)
    }

    pub(super) fn acquire(&mut self, head: &EventHead<'_>, lock: Lock, order: u32) {
        let now = head.time.0;
        if self.counting.counts(now) {
            self.lock(lock).begun += 1;
        }
        if let Some(lost) = self.held.begin((lock, order), now, &mut self.untracked) {
            if self.counting.counts(lost) {
                self.lock(lock).open += 1;
            }
        }
    }

    pub(super) fn release(&mut self, head: &EventHead<'_>, lock: Lock, order: u32) {
        let now = head.time.0;
        match self.held.end((lock, order)) {
            Some(begin) if self.counting.counts(begin) => self.lock(lock).end(begin, now),
            None if self.counting.counts(now) => self.lock(lock).unbegun += 1,
            _ => {}
        }
    }

    fn lock(&mut self, lock: Lock) -> &mut Spans {
        if self.locks.len() >= MOST && !self.locks.contains_key(&lock) {
            self.end_locks();
        }
        self.locks.entry(lock).or_default()
    }

    fn end_locks(&mut self) {
        for (lock, spans) in self.locks.drain() {
            self.threads.locks.add(lock, &spans);
        }
    }

    /// The location is at its end. Members of teams that have no end are handed on.
    pub(super) fn end(&mut self, member: Option<Process>, mut take: impl FnMut(CommRef, Part)) {
        for (model, begin) in std::mem::take(&mut self.forks) {
            if self.counting.counts(begin) {
                self.threads.forks.entry(model).or_default().open += 1;
            }
        }
        let mut teams: Vec<_> = self.teams.drain().collect();
        teams.sort_unstable_by_key(|(_, (order, _))| *order);
        for (team, (order, begin)) in teams {
            let part = self.without_end(team, order, begin, member.unwrap_or(Process(u32::MAX)));
            if member.is_some() {
                take(team, part);
            }
        }
        let held: Vec<_> = self.held.drain().collect();
        for ((lock, _), begin) in held {
            if self.counting.counts(begin) {
                self.lock(lock).open += 1;
            }
        }
        self.end_locks();
    }
}

/// Returns the part of a member in a team, to be put together with those of the other members.
fn part(order: Order, process: Process, begin: u64, end: u64) -> Part {
    let (op, root, sent, received, blocks) = (CollectiveOp::Barrier, u32::MAX, 0, 0, true);
    Part { order, process, begin, end, op, root, sent, received, blocks }
}
