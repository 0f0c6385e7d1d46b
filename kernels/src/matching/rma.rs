//! Access to the memory of others, by window.

use std::collections::hash_map::{Entry, HashMap};
use std::collections::BTreeMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::{CollectiveOp, RmaSyncLevel};
use streamfold_model::events::{RmaAtomic, RmaCollectiveEnd, RmaGet, RmaGroupSync, RmaPut};
use streamfold_model::ids::{GroupRef, RmaWinRef};
use streamfold_model::stream::EventHead;

use super::chosen::Counting;
use super::spans::{self, Spans};
use super::Amount;

/// Most operations of a location that are tracked at a time; those above are counted only.
const MOST_OPEN: usize = 1 << 20;

/// Operations on a window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowUse {
    /// Puts, and the bytes put.
    pub puts: Amount,
    /// Gets, and the bytes got.
    pub gets: Amount,
    /// Atomic operations, and the bytes sent and received by them.
    pub atomics: Amount,
    /// Collective operations on the window, one for each member, by kind, and the bytes sent and
    /// received by them.
    pub collectives: BTreeMap<CollectiveOp, Amount>,
    /// Operations that are known to be complete where they began.
    pub complete: u64,
    /// The time that these took, in ticks: from their begin to the first record that says so.
    pub ticks: u128,
    /// Operations that are known to be complete at the other side, too.
    pub remote: u64,
    /// Operations without a recorded completion.
    pub open: u64,
    /// Completions of operations that were not recorded.
    pub unknown: u64,
    /// From the request of a lock on it to its release.
    pub locks: Spans,
    /// Starts of `groups` outside of a call that decides the side of the epoch, or that are not followed.
    pub unclear: u64,
    /// Starts of `groups` with more processes than are followed, also those that do not count.
    pub unfollowed: u64,
    /// Starts of `groups` with undefined groups, or undefined members of these, also those that do not count.
    pub ungrouped: u64,
    /// From a synchronisation with a group that only meets its processes to the one that also ends their
    /// accesses: MPI_Win_start to MPI_Win_complete, and MPI_Win_post to MPI_Win_wait.
    pub groups: Spans,
}

impl WindowUse {
    /// An operation is known to be complete where it began.
    fn complete(&mut self, open: Open, now: u64) {
        self.complete += 1;
        self.ticks += u128::from(now.saturating_sub(open.begin));
    }

    fn add(&mut self, other: &WindowUse) {
        self.puts.add(&other.puts);
        self.gets.add(&other.gets);
        self.atomics.add(&other.atomics);
        for (op, amount) in &other.collectives {
            self.collectives.entry(*op).or_default().add(amount);
        }
        self.complete += other.complete;
        self.ticks += other.ticks;
        self.remote += other.remote;
        self.open += other.open;
        self.unknown += other.unknown;
        self.locks.add(&other.locks);
        self.groups.add(&other.groups);
        self.unclear += other.unclear;
        self.unfollowed += other.unfollowed;
        self.ungrouped += other.ungrouped;
    }
}

/// Windows by number; undefined ones together.
pub type Windows = BTreeMap<RmaWinRef, WindowUse>;

/// Tells whether an epoch begins at an event, and does not end there.
pub(super) fn begins(event: &RmaGroupSync) -> bool {
    let level = event.sync_level;
    level.contains(RmaSyncLevel::PROCESS) && !level.contains(RmaSyncLevel::MEMORY)
}

/// Adds those of others.
pub(super) fn fold(into: &mut Windows, other: &Windows) {
    other.iter().for_each(|(win, of)| into.entry(*win).or_default().add(of));
}

/// An operation whose completion may come.
#[derive(Clone, Copy, Debug)]
struct Open {
    begin: u64,
    is_complete: bool,
}

/// State of a worker for the windows of one location after another.
#[derive(Default)]
pub(super) struct WindowRoom {
    pub windows: Windows,
    open: HashMap<(RmaWinRef, u64), Open, RandomState>,
    /// Locks that were asked for: window, target and number.
    locks: spans::Open<(RmaWinRef, u32, u64)>,
    /// Groups that were met: which, and how many times before.
    groups: spans::Open<(RmaWinRef, GroupRef, u64)>,
    /// How often each group was met, and how often that ended, where that is not equally often.
    met: HashMap<(RmaWinRef, GroupRef), [u64; 2], RandomState>,
    /// Selection of the location's events.
    pub counting: Counting,
    /// Operations, locks and epochs that began and were not tracked, of all locations.
    pub untracked: u64,
}

impl WindowRoom {
    pub(super) fn put(&mut self, head: &EventHead<'_>, win: RmaWinRef, event: &RmaPut) {
        if self.counting.counts(head.time.0) {
            self.windows.entry(win).or_default().puts.count(event.bytes);
        }
        self.begin(win, event.matching_id, head.time.0);
    }

    pub(super) fn get(&mut self, head: &EventHead<'_>, win: RmaWinRef, event: &RmaGet) {
        if self.counting.counts(head.time.0) {
            self.windows.entry(win).or_default().gets.count(event.bytes);
        }
        self.begin(win, event.matching_id, head.time.0);
    }

    pub(super) fn atomic(&mut self, head: &EventHead<'_>, win: RmaWinRef, event: &RmaAtomic) {
        if self.counting.counts(head.time.0) {
            let atomics = &mut self.windows.entry(win).or_default().atomics;
            atomics.count(event.bytes_sent);
            atomics.bytes += u128::from(event.bytes_received);
        }
        self.begin(win, event.matching_id, head.time.0);
    }

    pub(super) fn collective(
        &mut self,
        head: &EventHead<'_>,
        win: RmaWinRef,
        event: &RmaCollectiveEnd,
    ) {
        if !self.counting.counts(head.time.0) {
            return;
        }
        let op = event.collective_op;
        let amount = self.windows.entry(win).or_default().collectives.entry(op).or_default();
        amount.count(event.bytes_sent);
        amount.bytes += u128::from(event.bytes_received);
    }

    /// A lock is asked for; `held`: or it is there, which says nothing new where it was asked for.
    pub(super) fn lock(
        &mut self,
        head: &EventHead<'_>,
        win: RmaWinRef,
        of: (u32, u64),
        held: bool,
    ) {
        let (now, key) = (head.time.0, (win, of.0, of.1));
        if held && self.locks.has(&key) {
            return;
        }
        self.spans(now, win, |window| window.locks.begun += 1);
        if let Some(lost) = self.locks.begin(key, now, &mut self.untracked) {
            self.spans(lost, win, |window| window.locks.open += 1);
        }
    }

    pub(super) fn unlock(
        &mut self,
        head: &EventHead<'_>,
        win: RmaWinRef,
        (remote, lock): (u32, u64),
    ) {
        let now = head.time.0;
        match self.locks.end((win, remote, lock)) {
            Some(begin) => self.spans(begin, win, |window| window.locks.end(begin, now)),
            None => self.spans(now, win, |window| window.locks.unbegun += 1),
        }
    }

    /// A synchronisation with a group; the first for the first. `is_clear`: on which side an epoch begins is
    /// known.
    pub(super) fn group(
        &mut self,
        head: &EventHead<'_>,
        win: RmaWinRef,
        event: &RmaGroupSync,
        is_clear: bool,
    ) {
        let RmaGroupSync { sync_level, group, .. } = *event;
        let now = head.time.0;
        if sync_level.contains(RmaSyncLevel::MEMORY) {
            let Some([met, ended]) = self.met.get_mut(&(win, group)) else {
                return self.spans(now, win, |window| window.groups.unbegun += 1);
            };
            *ended += 1;
            let key = (win, group, *ended);
            if met == ended {
                self.met.remove(&(win, group));
            }
            if let Some(begin) = self.groups.end(key) {
                self.spans(begin, win, |window| window.groups.end(begin, now));
            }
        } else if begins(event) {
            self.spans(now, win, |window| {
                window.groups.begun += 1;
                window.unclear += u64::from(!is_clear);
            });
            let lost = self.meet(win, group, now);
            if let Some(lost) = lost {
                self.spans(lost, win, |window| window.groups.open += 1);
            }
        }
    }

    /// An epoch begins; returns when one began that is lost: this where there is no room.
    fn meet(&mut self, win: RmaWinRef, group: GroupRef, now: u64) -> Option<u64> {
        let has_room = self.met.len() < MOST_OPEN;
        let [met, _] = match self.met.entry((win, group)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) if has_room => new.insert([0, 0]),
            Entry::Vacant(_) => {
                self.untracked += 1;
                return Some(now);
            }
        };
        *met += 1;
        self.groups.begin((win, group, *met), now, &mut self.untracked)
    }

    /// Counts an epoch whose members are not followed. It leaves partners without a match even if it is not selected
    /// itself.
    pub(super) fn unfollowed(&mut self, head: &EventHead<'_>, win: RmaWinRef) {
        self.windows.entry(win).or_default().unfollowed += 1;
        self.spans(head.time.0, win, |window| window.unclear += 1);
    }

    /// Counts an epoch with an undefined group, likewise.
    pub(super) fn ungrouped(&mut self, head: &EventHead<'_>, win: RmaWinRef) {
        self.windows.entry(win).or_default().ungrouped += 1;
        self.spans(head.time.0, win, |window| window.unclear += 1);
    }

    /// Counts an epoch with a group of which some members are undefined: the others are followed.
    pub(super) fn partly_grouped(&mut self, win: RmaWinRef) {
        self.windows.entry(win).or_default().ungrouped += 1;
    }

    /// Of what began at a time.
    fn spans(&mut self, begin: u64, win: RmaWinRef, count: impl FnOnce(&mut WindowUse)) {
        if self.counting.counts(begin) {
            count(self.windows.entry(win).or_default());
        }
    }

    /// Complete where it began.
    pub(super) fn complete(&mut self, head: &EventHead<'_>, win: RmaWinRef, matching_id: u64) {
        let now = head.time.0;
        match self.open.get_mut(&(win, matching_id)) {
            Some(open) if open.is_complete => {}
            Some(open) => {
                open.is_complete = true;
                let open = *open;
                self.count(win, open, |window| window.complete(open, now));
            }
            None => self.unknown(now, win),
        }
    }

    /// Complete at the other side, which is the last that is to be known of it.
    pub(super) fn complete_remote(
        &mut self,
        head: &EventHead<'_>,
        win: RmaWinRef,
        matching_id: u64,
    ) {
        let now = head.time.0;
        let Some(open) = self.open.remove(&(win, matching_id)) else {
            self.unknown(now, win);
            return;
        };
        self.count(win, open, |window| {
            window.remote += 1;
            if !open.is_complete {
                window.complete(open, now);
            }
        });
    }

    /// Of an operation that counts.
    fn count(&mut self, win: RmaWinRef, open: Open, count: impl FnOnce(&mut WindowUse)) {
        if self.counting.counts(open.begin) {
            count(self.windows.entry(win).or_default());
        }
    }

    fn unknown(&mut self, now: u64, win: RmaWinRef) {
        if self.counting.counts(now) {
            self.windows.entry(win).or_default().unknown += 1;
        }
    }

    /// The location is at its end.
    pub(super) fn end(&mut self) {
        let locks: Vec<_> = self.locks.drain().collect();
        for ((win, ..), begin) in locks {
            self.spans(begin, win, |window| window.locks.open += 1);
        }
        let groups: Vec<_> = self.groups.drain().collect();
        for ((win, ..), begin) in groups {
            self.spans(begin, win, |window| window.groups.open += 1);
        }
        self.met.clear();
        for ((win, _), open) in self.open.drain() {
            if self.counting.counts(open.begin) {
                let window = self.windows.entry(win).or_default();
                window.open += u64::from(!open.is_complete);
            }
        }
    }

    fn begin(&mut self, win: RmaWinRef, matching_id: u64, begin: u64) {
        let key = (win, matching_id);
        let is_full = self.open.len() >= MOST_OPEN && !self.open.contains_key(&key);
        self.untracked += u64::from(is_full);
        let open = Open { begin, is_complete: false };
        let before = if is_full { Some(open) } else { self.open.insert(key, open) };
        // Its number was used again, so it is over, and its end was not recorded.
        if let Some(lost) = before.filter(|open| !open.is_complete) {
            self.count(win, lost, |window| window.open += 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::ids::LocationRef;
    use streamfold_model::values::Ticks;

    use super::*;

    fn sync(room: &mut WindowRoom, time: u64, group: u32, sync_level: RmaSyncLevel) {
        let (location, win) = (LocationRef(0), RmaWinRef(3));
        let head = EventHead { location, number: 1, time: Ticks(time), attributes: &[] };
        room.group(&head, win, &RmaGroupSync { sync_level, win, group: GroupRef(group) }, true);
    }

    const BEGIN: RmaSyncLevel = RmaSyncLevel::PROCESS;
    const END: RmaSyncLevel = RmaSyncLevel(3);

    /// Groups need not be defined, so there may be any number of them.
    #[test]
    fn as_many_groups_are_remembered_as_are_met() {
        let mut room = WindowRoom::default();
        for group in 0..3 * MOST_OPEN as u32 {
            sync(&mut room, 10, group, BEGIN);
            sync(&mut room, 15, group, END);
            sync(&mut room, 15, group, END);
        }
        assert!(room.met.is_empty());
        let many = MOST_OPEN as u32 + 7;
        (0..many).for_each(|group| sync(&mut room, 20, group, BEGIN));
        assert_eq!(room.met.len(), MOST_OPEN);
        (0..many).for_each(|group| sync(&mut room, 30, group, END));
        sync(&mut room, 40, 5, BEGIN);
        sync(&mut room, 41, 5, BEGIN);
        sync(&mut room, 42, 5, END);
        room.end();
        let all = 3 * MOST_OPEN as u64;
        let Spans { begun, complete, open, unbegun, .. } = room.windows[&RmaWinRef(3)].groups;
        let known = all + MOST_OPEN as u64 + 1;
        assert_eq!([begun, complete, open, unbegun], [known + 8, known, 8, all + 7]);
        assert_eq!(room.untracked, 7);
    }
}
