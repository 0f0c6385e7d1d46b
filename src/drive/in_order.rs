//! K-way merge of streams, for analyses that need the events of all locations in one order.
//!
//! A tree of losers: each inner node holds the stream that lost there, so that after the winner
//! has moved on only the path from its leaf to the root is played again, one comparison a level.

use std::num::NonZeroUsize;

use streamfold_formats::ReadOptions;
pub use streamfold_model::stream::Stream;
use streamfold_model::values::Ticks;

/// Windows that hold a part of the files of all locations in bounded memory, and files that stay
/// open as long as there are not too many of them.
pub fn read_options(locations: usize, max_open_files: NonZeroUsize) -> ReadOptions {
    const MEMORY: usize = 256 << 20;
    const WINDOWS: (usize, usize) = (64 << 10, 1 << 20);
    ReadOptions {
        window: (MEMORY / locations.max(1)).clamp(WINDOWS.0, WINDOWS.1),
        keep_open: locations <= max_open_files.get(),
    }
}

/// A stream and the time of its next record, as one number that orders them: by time, then by
/// place among the streams; streams that have ended come last.
///
/// The order of two streams is as good as random, so a branch on it is guessed wrong half of the time. Numbers are
/// compared and exchanged without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Key {
    const ENDED: u64 = 1 << 63;
    /// A node that no stream has come by yet.
    const NOBODY: Key = Key(u128::MAX);

    #[inline]
    fn new(time: Option<Ticks>, stream: usize) -> Key {
        let (time, stream) = match time {
            Some(time) => (time.0, stream as u64),
            None => (u64::MAX, stream as u64 | Key::ENDED),
        };
        Key(u128::from(time) << 64 | u128::from(stream))
    }

    #[inline]
    fn has_ended(self) -> bool {
        self.0 as u64 & Key::ENDED != 0
    }

    #[inline]
    fn stream(self) -> usize {
        (self.0 as u64 & !Key::ENDED) as usize
    }
}

/// Streams in the common order of their records: by time, then by location, section 10.
#[derive(Debug)]
pub struct Merge<S> {
    /// In the order of their locations.
    streams: Vec<S>,
    /// The loser at each inner node; 0 holds the winner of all.
    losers: Vec<Key>,
    begun: bool,
}

impl<S: Stream> Merge<S> {
    /// Merges streams. Nothing is read yet.
    pub fn new(mut streams: Vec<S>) -> Self {
        streams.sort_by_key(Stream::location);
        Merge { losers: vec![Key::NOBODY; streams.len()], streams, begun: false }
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
            let moved_on = self.look(self.losers[0].stream())?;
            self.play(moved_on);
        } else {
            self.begin()?;
        }
        let winner = self.losers[0];
        Ok((!winner.has_ended()).then(|| &mut self.streams[winner.stream()]))
    }

    /// The streams, those that have ended, too.
    pub fn into_streams(self) -> Vec<S> {
        self.streams
    }

    fn begin(&mut self) -> Result<(), S::Error> {
        let looked = (0..self.streams.len()).map(|stream| self.look(stream));
        for key in looked.collect::<Result<Vec<_>, _>>()? {
            self.enter(key);
        }
        self.begun = true;
        Ok(())
    }

    #[inline]
    fn look(&mut self, stream: usize) -> Result<Key, S::Error> {
        Ok(Key::new(self.streams[stream].time()?, stream))
    }

    /// The first time that a stream plays: it waits at the first node that no other stream holds.
    fn enter(&mut self, mut winner: Key) {
        let mut node = self.first_node(winner);
        while node > 0 {
            if self.losers[node] == Key::NOBODY {
                self.losers[node] = winner;
                return;
            }
            self.duel(node, &mut winner);
            node /= 2;
        }
        self.losers[0] = winner;
    }

    #[inline]
    fn play(&mut self, mut winner: Key) {
        let mut node = self.first_node(winner);
        while node > 0 {
            self.duel(node, &mut winner);
            node /= 2;
        }
        self.losers[0] = winner;
    }

    /// The node at which a stream plays first.
    #[inline]
    fn first_node(&self, key: Key) -> usize {
        (key.stream() + self.streams.len()) / 2
    }

    #[inline]
    fn duel(&mut self, node: usize, winner: &mut Key) {
        let other = self.losers[node];
        self.losers[node] = other.max(*winner);
        *winner = other.min(*winner);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use streamfold_model::ids::LocationRef;

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
