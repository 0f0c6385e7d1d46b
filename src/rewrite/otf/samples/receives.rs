//! How many messages were received before each sample.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Sender, receiver, communicator, tag.
pub(super) type Key = (u32, u32, u32, u32);

/// Receives by key.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Receives {
    /// For each key how many more there are before a sample than before the one before it. Samples that nothing
    /// changes at are left out.
    more: BTreeMap<Key, BTreeMap<u32, u64>>,
    /// All receives, if sends need them: time, length, place in the source.
    each: BTreeMap<Key, Vec<[u64; 3]>>,
}

impl Receives {
    /// Adds a receive at a time, given the times of samples.
    pub(super) fn add(&mut self, key: Key, time: u64, samples: &[u64]) {
        // The events at the time of a sample are not before it.
        let first = samples.partition_point(|sample| *sample <= time) as u32;
        *self.more.entry(key).or_default().entry(first).or_default() += 1;
    }

    /// Keeps a receive, for its send.
    pub(super) fn keep(&mut self, key: Key, receive: [u64; 3]) {
        self.each.entry(key).or_default().push(receive);
    }

    /// The receive of a send, by its number.
    pub(super) fn of_send(&self, key: &Key, number: u64) -> Option<[u64; 3]> {
        self.each.get(key)?.get(usize::try_from(number).ok()?).copied()
    }

    /// How many were received before a sample.
    pub(super) fn before(&self, key: &Key, sample: usize) -> u64 {
        let more = self.more.get(key);
        more.map_or(0, |more| more.range(..=sample as u32).map(|(_, more)| *more).sum())
    }

    /// How many were received at all.
    pub(super) fn all(&self, key: &Key) -> u64 {
        self.more.get(key).map_or(0, |more| more.values().sum())
    }

    /// With others.
    pub(super) fn fold(mut self, other: Receives) -> Receives {
        for (key, more) in other.more {
            let own = self.more.entry(key).or_default();
            for (sample, count) in more {
                *own.entry(sample).or_default() += count;
            }
        }
        // Those of a key are all in one stream, that of the receiver.
        for (key, mut each) in other.each {
            self.each.entry(key).or_default().append(&mut each);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_at_the_time_of_a_sample_are_behind_it() {
        let key = (1, 2, 3, 4);
        let mut receives = Receives::default();
        for time in [5, 10, 11, 30] {
            receives.add(key, time, &[10, 20]);
        }
        assert_eq!([0, 1].map(|sample| receives.before(&key, sample)), [1, 3]);
        assert_eq!((receives.all(&key), receives.all(&(0, 0, 0, 0))), (4, 0));
    }
}
