//! Pairs of events that begin and end something: requests, operations, locks, and brackets that are counted.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use foldhash::fast::RandomState;

use super::code::Code;
use super::conventions::Conventions;
use super::elsewhere::{Begin, Half, Subject};
use super::rules::Rules;
use super::sink::Sink;
use super::tasks::Lives;

/// Open items by key, with their begin.
#[derive(Debug)]
pub(super) struct Open<K, B> {
    open: HashMap<K, B, RandomState>,
}

impl<K, B> Default for Open<K, B> {
    fn default() -> Self {
        Open { open: HashMap::default() }
    }
}

impl<K: Copy + Eq + Hash, B: Copy> Open<K, B> {
    /// Opens; returns what is open already under that key, which is over.
    pub(super) fn begin(&mut self, key: K, begin: B) -> Option<B> {
        self.open.insert(key, begin)
    }

    /// The begin of what is open.
    pub(super) fn get(&self, key: K) -> Option<B> {
        self.open.get(&key).copied()
    }

    /// Closes; `false` where it was not open.
    pub(super) fn end(&mut self, key: K) -> bool {
        self.open.remove(&key).is_some()
    }

    /// Takes open items at the end of the stream, in the order in which they began.
    fn take_open<M: Ord>(&mut self, mark: impl Fn(&B) -> M) -> Vec<(K, B)> {
        let mut left: Vec<_> = self.open.drain().collect();
        left.sort_by_key(|(_, begin)| mark(begin));
        left
    }
}

impl<K: Copy + Eq + Hash, M: Copy + Ord> Open<K, M> {
    /// Reports these.
    fn tell_open<S: Sink<Mark = M>>(
        &mut self,
        sink: &mut S,
        code: Code,
        text: impl Fn(K) -> String,
    ) {
        for (key, mark) in self.take_open(|mark| *mark) {
            sink.tell(code, mark, || text(key));
        }
    }
}

impl<K: Copy + Eq + Hash, M: Copy + Ord> Open<K, Begin<M>> {
    /// Reports those that no other location of the process can have ended.
    fn tell_left<S: Sink<Mark = M>>(
        &mut self,
        (rules, sink): (&Rules<'_>, &mut S),
        code: Code,
        subject: impl Fn(K) -> Subject,
    ) {
        for (key, Begin { record, at, mark }) in self.take_open(|begin| begin.mark) {
            let half = Half::Begun { record, at, over: None };
            sink.tell_half(rules.shared(at.location), (code, subject(key)), mark, half);
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
    pub requests: Open<u64, Begin<M>>,
    pub io: Open<(u32, u64), Begin<M>>,
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
    pub(super) fn end<S: Sink<Mark = M>>(&mut self, rules: &Rules<'_>, sink: &mut S) {
        self.conventions.end(sink);
        self.requests.tell_left((rules, sink), Code::OpenRequest, Subject::Request);
        let operation = |(handle, id)| Subject::Operation(handle, id);
        self.io.tell_left((rules, sink), Code::OpenOperation, operation);
        self.rma.tell_open(sink, Code::OpenOperation, |(window, id)| {
            format!("operation {id} on window {window} is never completed")
        });
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
