//! Access to the memory of others, by window.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::CollectiveOp;
use streamfold_model::events::{RmaAtomic, RmaCollectiveEnd, RmaGet, RmaPut};
use streamfold_model::ids::RmaWinRef;
use streamfold_model::stream::EventHead;

use super::Amount;

/// Operations that a location has open at a time, of which more is remembered than that they were
/// there.
const MOST_OPEN: usize = 1 << 20;

/// What was done with a window.
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
    /// Operations of which nobody says that they are complete.
    pub open: u64,
    /// Completions of operations that nobody recorded.
    pub unknown: u64,
}

impl WindowUse {
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
    }
}

/// Windows by number; those that nobody defines together.
pub type Windows = BTreeMap<RmaWinRef, WindowUse>;

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

/// What a worker holds for the windows of one location after another.
#[derive(Default)]
pub(super) struct WindowRoom {
    pub windows: Windows,
    open: HashMap<(RmaWinRef, u64), Open, RandomState>,
}

impl WindowRoom {
    pub fn put(&mut self, head: &EventHead<'_>, win: RmaWinRef, event: &RmaPut) {
        self.windows.entry(win).or_default().puts.count(event.bytes);
        self.begin(win, event.matching_id, head.time.0);
    }

    pub fn get(&mut self, head: &EventHead<'_>, win: RmaWinRef, event: &RmaGet) {
        self.windows.entry(win).or_default().gets.count(event.bytes);
        self.begin(win, event.matching_id, head.time.0);
    }

    pub fn atomic(&mut self, head: &EventHead<'_>, win: RmaWinRef, event: &RmaAtomic) {
        let atomics = &mut self.windows.entry(win).or_default().atomics;
        atomics.count(event.bytes_sent);
        atomics.bytes += u128::from(event.bytes_received);
        self.begin(win, event.matching_id, head.time.0);
    }

    pub fn collective(&mut self, win: RmaWinRef, event: &RmaCollectiveEnd) {
        let op = event.collective_op;
        let amount = self.windows.entry(win).or_default().collectives.entry(op).or_default();
        amount.count(event.bytes_sent);
        amount.bytes += u128::from(event.bytes_received);
    }

    /// Complete where it began.
    pub fn complete(&mut self, head: &EventHead<'_>, win: RmaWinRef, matching_id: u64) {
        let window = self.windows.entry(win).or_default();
        match self.open.get_mut(&(win, matching_id)) {
            Some(open) if open.is_complete => {}
            Some(open) => {
                open.is_complete = true;
                window.complete += 1;
                window.ticks += u128::from(head.time.0.saturating_sub(open.begin));
            }
            None => window.unknown += 1,
        }
    }

    /// Complete at the other side, which is the last that is to be known of it.
    pub fn complete_remote(&mut self, head: &EventHead<'_>, win: RmaWinRef, matching_id: u64) {
        let window = self.windows.entry(win).or_default();
        let Some(open) = self.open.remove(&(win, matching_id)) else {
            window.unknown += 1;
            return;
        };
        window.remote += 1;
        if !open.is_complete {
            window.complete += 1;
            window.ticks += u128::from(head.time.0.saturating_sub(open.begin));
        }
    }

    /// The location is at its end.
    pub fn end(&mut self) {
        for ((win, _), open) in self.open.drain() {
            let window = self.windows.entry(win).or_default();
            window.open += u64::from(!open.is_complete);
        }
    }

    fn begin(&mut self, win: RmaWinRef, matching_id: u64, begin: u64) {
        let is_full = self.open.len() >= MOST_OPEN && !self.open.contains_key(&(win, matching_id));
        let before = match is_full {
            true => Some(Open { begin, is_complete: false }),
            false => self.open.insert((win, matching_id), Open { begin, is_complete: false }),
        };
        // Its number was given again, so it is over, and nobody recorded how it ended.
        let lost = before.is_some_and(|open| !open.is_complete);
        self.windows.entry(win).or_default().open += u64::from(lost);
    }
}
