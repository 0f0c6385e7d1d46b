//! Pairs of events that begin and end something: requests, operations, locks, and brackets that are counted.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use foldhash::fast::RandomState;

use super::code::Code;
use super::conventions::Conventions;
use super::sink::Sink;
use super::tasks::Lives;

/// Open items by key, with their begin.
#[derive(Debug)]
pub(super) struct Open<K, M> {
    open: HashMap<K, (&'static str, M), RandomState>,
}

impl<K, M> Default for Open<K, M> {
    fn default() -> Self {
        Open { open: HashMap::default() }
    }
}

impl<K: Copy + Eq + Hash, M: Copy + Ord + Debug> Open<K, M> {
    /// Opens; `false` where that is open already (it is open from here then).
    pub(super) fn begin(&mut self, key: K, record: &'static str, at: M) -> bool {
        self.open.insert(key, (record, at)).is_none()
    }

    /// The record that opened it.
    pub(super) fn get(&self, key: K) -> Option<&'static str> {
        self.open.get(&key).map(|(record, _)| *record)
    }

    /// Closes; `false` where it was not open.
    pub(super) fn end(&mut self, key: K) -> bool {
        self.open.remove(&key).is_some()
    }

    /// Reports open items at the end of the stream, in the order in which they began.
    pub(super) fn tell_open<S: Sink<Mark = M>>(
        &mut self,
        sink: &mut S,
        code: Code,
        text: impl Fn(K) -> String,
    ) {
        let mut left: Vec<_> = self.open.drain().collect();
        left.sort_by_key(|(_, (_, at))| *at);
        for (key, (_, at)) in left {
            sink.tell(code, at, || text(key));
        }
    }
}

/// Begins that are open, the innermost last.
#[derive(Debug)]
pub(super) struct Brackets<M> {
    open: Vec<M>,
}

impl<M> Default for Brackets<M> {
    fn default() -> Self {
        Brackets { open: Vec::new() }
    }
}

impl<M: Copy> Brackets<M> {
    pub(super) fn begin(&mut self, at: M) {
        self.open.push(at);
    }

    /// Reports an end without its begin.
    pub(super) fn end<S: Sink<Mark = M>>(&mut self, sink: &mut S, at: M) {
        if self.open.pop().is_none() {
            let text = || "nothing that this could end is open".to_owned();
            sink.tell(Code::UnmatchedEnd, at, text);
        }
    }

    /// Reports open items at the end of the stream.
    pub(super) fn tell_open<S: Sink<Mark = M>>(&mut self, sink: &mut S) {
        for at in self.open.drain(..) {
            sink.tell(Code::OpenBegin, at, || "nothing ends this".to_owned());
        }
    }
}

/// Open items besides regions.
#[derive(Debug)]
pub(super) struct Pairs<M> {
    pub requests: Open<u64, M>,
    pub io: Open<(u32, u64), M>,
    pub rma: Open<(u32, u64), M>,
    pub locks: Open<LockKey, M>,
    pub collectives: Brackets<M>,
    pub rma_collectives: Brackets<M>,
    pub forks: Brackets<M>,
    pub teams: Brackets<M>,
    pub programs: Brackets<M>,
    pub tasks: Lives,
    pub conventions: Conventions<M>,
}

/// A lock that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LockKey {
    /// Of threads: lock and the order in which it was acquired.
    Thread(u32, u32),
    /// Of a window: at a rank.
    Rma(u32, u32, u64),
    /// Of a file.
    Io(u32),
}

impl<M> Default for Pairs<M> {
    fn default() -> Self {
        Pairs {
            requests: Open::default(),
            io: Open::default(),
            rma: Open::default(),
            locks: Open::default(),
            collectives: Brackets::default(),
            rma_collectives: Brackets::default(),
            forks: Brackets::default(),
            teams: Brackets::default(),
            programs: Brackets::default(),
            tasks: Lives::default(),
            conventions: Conventions::default(),
        }
    }
}

impl<M: Copy + Ord + Debug> Pairs<M> {
    /// Reports open items at the end of the stream.
    pub(super) fn end<S: Sink<Mark = M>>(&mut self, sink: &mut S) {
        self.conventions.end(sink);
        self.requests.tell_open(sink, Code::OpenRequest, |id| {
            format!("request {id} is never completed nor cancelled")
        });
        let never = |(of, id): (u32, u64), what: &str| {
            format!("operation {id} on {what} {of} is never completed")
        };
        self.io.tell_open(sink, Code::OpenOperation, |key| never(key, "handle"));
        self.rma.tell_open(sink, Code::OpenOperation, |key| never(key, "window"));
        self.locks.tell_open(sink, Code::OpenLock, |key| match key {
            LockKey::Thread(lock, _) => format!("lock {lock} is never released"),
            LockKey::Rma(window, remote, lock) => {
                format!("lock {lock} of window {window} at rank {remote} is never released")
            }
            LockKey::Io(handle) => format!("the lock of handle {handle} is never released"),
        });
        for brackets in [
            &mut self.collectives,
            &mut self.rma_collectives,
            &mut self.forks,
            &mut self.teams,
            &mut self.programs,
        ] {
            brackets.tell_open(sink);
        }
    }
}
