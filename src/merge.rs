//! Ordered merging of streams, for those who need the events of all locations in one order.
//!
//! A tree of losers: each inner node holds the stream that lost there, so that after the winner
//! has moved on only the path from its leaf to the root is played again, one comparison a level.

use streamfold_model::ids::LocationRef;
use streamfold_model::snapshots::Snapshot;
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use crate::formats::otf2::{Error, EventReader, SnapshotReader};

/// A stream of records in the order of its location.
pub trait Stream {
    /// What can go wrong with it.
    type Error;

    /// The time of the next record; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the next record cannot be read.
    fn time(&mut self) -> Result<Option<Ticks>, Self::Error>;

    /// The location, which is unlike that of any other stream.
    fn location(&self) -> LocationRef;
}

impl Stream for EventReader {
    type Error = Error;

    #[inline]
    fn time(&mut self) -> Result<Option<Ticks>, Error> {
        self.peek()
    }

    fn location(&self) -> LocationRef {
        EventReader::location(self)
    }
}

impl Stream for SnapshotReader {
    type Error = Error;

    fn time(&mut self) -> Result<Option<Ticks>, Error> {
        self.peek()
    }

    fn location(&self) -> LocationRef {
        SnapshotReader::location(self)
    }
}

/// By time, then location; streams that have ended come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    ended: bool,
    time: Ticks,
    location: LocationRef,
}

/// Streams in the common order of their records: by time, then by location, section 10.
#[derive(Debug)]
pub struct Merge<S> {
    streams: Vec<S>,
    keys: Vec<Key>,
    /// The loser at each inner node; 0 holds the winner of all.
    losers: Vec<usize>,
    begun: bool,
}

impl<S: Stream> Merge<S> {
    /// Merges streams. Nothing is read yet.
    pub fn new(streams: Vec<S>) -> Self {
        let key = |s: &S| Key { ended: false, time: Ticks(0), location: s.location() };
        let keys = streams.iter().map(key).collect();
        Merge { losers: vec![usize::MAX; streams.len()], streams, keys, begun: false }
    }

    /// The stream with the next record, which the caller takes from it before asking again.
    /// `None`: all have ended.
    ///
    /// # Errors
    ///
    /// When the next record of the stream that was given out last, or at first of any, cannot be
    /// read.
    #[inline]
    pub fn next_stream(&mut self) -> Result<Option<&mut S>, S::Error> {
        if self.streams.is_empty() {
            return Ok(None);
        }
        if self.begun {
            let winner = self.losers[0];
            self.look(winner)?;
            self.play(winner);
        } else {
            self.begin()?;
        }
        let winner = self.losers[0];
        Ok((!self.keys[winner].ended).then(|| &mut self.streams[winner]))
    }

    fn begin(&mut self) -> Result<(), S::Error> {
        for stream in 0..self.streams.len() {
            self.look(stream)?;
        }
        for stream in 0..self.streams.len() {
            self.enter(stream);
        }
        self.begun = true;
        Ok(())
    }

    #[inline]
    fn look(&mut self, stream: usize) -> Result<(), S::Error> {
        match self.streams[stream].time()? {
            Some(time) => self.keys[stream].time = time,
            None => self.keys[stream].ended = true,
        }
        Ok(())
    }

    /// The first time that a stream plays: it waits at the first node where nobody is yet.
    fn enter(&mut self, mut winner: usize) {
        let mut node = (winner + self.streams.len()) / 2;
        while node > 0 {
            if self.losers[node] == usize::MAX {
                self.losers[node] = winner;
                return;
            }
            self.duel(node, &mut winner);
            node /= 2;
        }
        self.losers[0] = winner;
    }

    #[inline]
    fn play(&mut self, mut winner: usize) {
        let mut node = (winner + self.streams.len()) / 2;
        while node > 0 {
            self.duel(node, &mut winner);
            node /= 2;
        }
        self.losers[0] = winner;
    }

    #[inline]
    fn duel(&mut self, node: usize, winner: &mut usize) {
        if self.keys[self.losers[node]] < self.keys[*winner] {
            std::mem::swap(&mut self.losers[node], winner);
        }
    }

    /// The streams, wherever they are.
    pub fn streams(&self) -> &[S] {
        &self.streams
    }
}

impl Merge<SnapshotReader> {
    /// Hands all snapshot records in the common order to `receive`.
    ///
    /// # Errors
    ///
    /// When a file is damaged or cannot be read.
    pub fn read_snapshots(
        &mut self,
        mut receive: impl FnMut(&EventHead<'_>, Result<Snapshot<'_>, u8>),
    ) -> Result<(), Error> {
        while let Some(reader) = self.next_stream()? {
            reader.deliver(&mut receive)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct List(u64, std::iter::Peekable<std::vec::IntoIter<u64>>);

    impl Stream for List {
        type Error = std::convert::Infallible;

        fn time(&mut self) -> Result<Option<Ticks>, Self::Error> {
            Ok(self.1.peek().copied().map(Ticks))
        }

        fn location(&self) -> LocationRef {
            LocationRef(self.0)
        }
    }

    fn merged(lists: &[Vec<u64>]) -> Vec<(u64, u64)> {
        let list =
            |(i, list): (usize, &Vec<u64>)| List(i as u64, list.clone().into_iter().peekable());
        let mut merge = Merge::new(lists.iter().enumerate().map(list).collect());
        let mut all = Vec::new();
        while let Ok(Some(list)) = merge.next_stream() {
            all.push((list.1.next().unwrap(), list.0));
        }
        all
    }

    proptest! {
        #[test]
        fn sorted_streams_come_out_sorted(
            mut lists in prop::collection::vec(prop::collection::vec(0u64..20, 0..10), 0..9)
        ) {
            lists.iter_mut().for_each(|list| list.sort());
            let pairs = |(i, list): (usize, &Vec<u64>)| -> Vec<(u64, u64)> {
                list.iter().map(|time| (*time, i as u64)).collect()
            };
            let mut expected: Vec<_> = lists.iter().enumerate().flat_map(pairs).collect();
            expected.sort();
            prop_assert_eq!(merged(&lists), expected);
        }

        /// Odd clock offsets make times decrease inside of a location.
        #[test]
        fn the_least_head_comes_first_whatever_follows_it(
            lists in prop::collection::vec(prop::collection::vec(0u64..20, 0..10), 0..9)
        ) {
            let mut rest: Vec<std::collections::VecDeque<u64>> =
                lists.iter().map(|list| list.iter().copied().collect()).collect();
            for (time, location) in merged(&lists) {
                let heads = rest.iter().enumerate().filter_map(|(i, l)| Some((*l.front()?, i as u64)));
                prop_assert_eq!(Some((time, location)), heads.min());
                rest[location as usize].pop_front();
            }
            prop_assert!(rest.iter().all(|list| list.is_empty()));
        }
    }
}
