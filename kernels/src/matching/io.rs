//! Operations on files, by handle.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::IoOperationMode;
use streamfold_model::events::{
    IoOperationBegin, IoOperationCancelled, IoOperationComplete, IoOperationIssued,
};
use streamfold_model::ids::IoHandleRef;
use streamfold_model::stream::EventHead;

use super::chosen::Counting;
use super::Amount;

/// Operations that a location has open at a time, of which more is remembered than that they were
/// there.
const MOST_OPEN: usize = 1 << 20;

/// Operations of one mode on one handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Those that began, and the bytes that they were to move. A recorder that does not know
    /// these writes the largest number: they count nothing.
    pub begun: Amount,
    /// Those that are complete, and the bytes that they moved.
    pub complete: Amount,
    /// The time that these took, in ticks.
    pub ticks: u128,
    /// Those of which somebody says that they were handed on, before they were complete (IoOperationIssued).
    pub issued: u64,
    /// Those that were cancelled.
    pub cancelled: u64,
    /// Those without a recorded end.
    pub open: u64,
}

impl Operations {
    /// Adds those of others.
    pub fn add(&mut self, other: &Operations) {
        self.begun.add(&other.begun);
        self.complete.add(&other.complete);
        self.ticks += other.ticks;
        self.issued += other.issued;
        self.cancelled += other.cancelled;
        self.open += other.open;
    }
}

/// Operations on a handle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandleUse {
    /// Operations, by mode.
    pub modes: BTreeMap<IoOperationMode, Operations>,
    /// Ends of operations without a recorded start.
    pub unbegun: Operations,
    /// How often it was created.
    pub created: u64,
    /// How often it was made from another.
    pub duplicated: u64,
    /// How often it was destroyed.
    pub destroyed: u64,
}

impl HandleUse {
    /// Returns the number of ended operations without a recorded start.
    pub fn ends_alone(&self) -> u64 {
        self.unbegun.complete.count + self.unbegun.cancelled
    }

    /// Adds that of others.
    pub fn add(&mut self, other: &HandleUse) {
        for (mode, operations) in &other.modes {
            self.modes.entry(*mode).or_default().add(operations);
        }
        self.unbegun.add(&other.unbegun);
        self.created += other.created;
        self.duplicated += other.duplicated;
        self.destroyed += other.destroyed;
    }
}

/// Handles by number; undefined ones together.
pub type Handles = BTreeMap<IoHandleRef, HandleUse>;

/// Adds those of others.
pub(super) fn fold(into: &mut Handles, other: &Handles) {
    other.iter().for_each(|(handle, of)| into.entry(*handle).or_default().add(of));
}

/// The handles that others were made from; of several that with the smallest number. Origins do not depend on the
/// selection.
pub type Origins = BTreeMap<IoHandleRef, IoHandleRef>;

/// Adds those of others.
pub(super) fn fold_origins(into: &mut Origins, other: &Origins) {
    other.iter().for_each(|(handle, from)| make_from(into, *handle, *from));
}

fn make_from(origins: &mut Origins, handle: IoHandleRef, from: IoHandleRef) {
    let known = origins.entry(handle).or_insert(from);
    *known = from.min(*known);
}

/// An operation that goes on.
#[derive(Clone, Copy, Debug)]
struct Open {
    begin: u64,
    mode: IoOperationMode,
}

/// State of a worker for the files of one location after another.
#[derive(Default)]
pub(super) struct HandleRoom {
    pub handles: Handles,
    pub origins: Origins,
    open: HashMap<(IoHandleRef, u64), Open, RandomState>,
    /// Selection of the location's events.
    pub counting: Counting,
    /// Operations that were not tracked, of all locations.
    pub untracked: u64,
}

impl HandleRoom {
    pub(super) fn created(&mut self, head: &EventHead<'_>, handle: IoHandleRef) {
        if self.counting.counts(head.time.0) {
            self.handles.entry(handle).or_default().created += 1;
        }
    }

    pub(super) fn duplicated(
        &mut self,
        head: &EventHead<'_>,
        from: IoHandleRef,
        handle: IoHandleRef,
    ) {
        make_from(&mut self.origins, handle, from);
        if self.counting.counts(head.time.0) {
            self.handles.entry(handle).or_default().duplicated += 1;
        }
    }

    pub(super) fn destroyed(&mut self, head: &EventHead<'_>, handle: IoHandleRef) {
        if self.counting.counts(head.time.0) {
            self.handles.entry(handle).or_default().destroyed += 1;
        }
    }

    pub(super) fn begin(
        &mut self,
        head: &EventHead<'_>,
        handle: IoHandleRef,
        event: &IoOperationBegin,
    ) {
        let (key, open) =
            ((handle, event.matching_id), Open { begin: head.time.0, mode: event.mode });
        let bytes = if event.bytes_request == u64::MAX { 0 } else { event.bytes_request };
        self.count(handle, open, |operations| operations.begun.count(bytes));
        let is_full = self.open.len() >= MOST_OPEN && !self.open.contains_key(&key);
        self.untracked += u64::from(is_full);
        let lost = if is_full { Some(open) } else { self.open.insert(key, open) };
        if let Some(lost) = lost {
            self.count(handle, lost, |operations| operations.open += 1);
        }
    }

    pub(super) fn issued(&mut self, handle: IoHandleRef, event: &IoOperationIssued) {
        if let Some(open) = self.open.get(&(handle, event.matching_id)).copied() {
            self.count(handle, open, |operations| operations.issued += 1);
        }
    }

    pub(super) fn complete(
        &mut self,
        head: &EventHead<'_>,
        handle: IoHandleRef,
        event: &IoOperationComplete,
    ) {
        let bytes = if event.bytes_result == u64::MAX { 0 } else { event.bytes_result };
        match self.open.remove(&(handle, event.matching_id)) {
            Some(open) => self.count(handle, open, |operations| {
                operations.complete.count(bytes);
                operations.ticks += u128::from(head.time.0.saturating_sub(open.begin));
            }),
            None => self.unbegun(head, handle, |operations| operations.complete.count(bytes)),
        }
    }

    pub(super) fn cancelled(
        &mut self,
        head: &EventHead<'_>,
        handle: IoHandleRef,
        event: &IoOperationCancelled,
    ) {
        match self.open.remove(&(handle, event.matching_id)) {
            Some(open) => self.count(handle, open, |operations| operations.cancelled += 1),
            None => self.unbegun(head, handle, |operations| operations.cancelled += 1),
        }
    }

    /// The location is at its end.
    pub(super) fn end(&mut self) {
        let open: Vec<_> = self.open.drain().map(|((handle, _), open)| (handle, open)).collect();
        for (handle, open) in open {
            self.count(handle, open, |operations| operations.open += 1);
        }
    }

    /// Of an operation that counts.
    fn count(&mut self, handle: IoHandleRef, open: Open, count: impl FnOnce(&mut Operations)) {
        if self.counting.counts(open.begin) {
            count(self.operations(handle, open.mode));
        }
    }

    /// Of an operation that ends, and did not begin here.
    fn unbegun(
        &mut self,
        head: &EventHead<'_>,
        handle: IoHandleRef,
        count: impl FnOnce(&mut Operations),
    ) {
        if self.counting.counts(head.time.0) {
            count(&mut self.handles.entry(handle).or_default().unbegun);
        }
    }

    fn operations(&mut self, handle: IoHandleRef, mode: IoOperationMode) -> &mut Operations {
        self.handles.entry(handle).or_default().modes.entry(mode).or_default()
    }
}
