//! How much more was sent than received, over all locations.

use std::collections::HashMap;
use std::sync::Mutex;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationGroupRef, LocationRef};

use streamfold_collective::{Communicator, Error};

/// Number of channels that are told apart.
const MOST_CHANNELS: usize = 1 << 18;
/// Number of counts that channels share if there are more. Two may cancel out then, so the sum is a lower bound.
const SHARED: usize = 1 << 20;

/// A process: the group of its locations, or a location that is a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Process {
    Group(LocationGroupRef),
    Location(LocationRef),
}

/// Over which communicator, from whom, to whom, with which tag.
pub(super) type Channel = (u32, Process, Process, u32);

/// Messages that are alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alone {
    /// Sent to processes that were cut away.
    pub sent_away: u64,
    /// Received from processes that were cut away.
    pub received_away: u64,
    /// Sent, and not received in the result.
    pub sent: u64,
    /// Received, and not sent in the result.
    pub received: u64,
    /// Sent or received over what nobody defines, or with a rank that nobody has.
    pub unknown: u64,
    /// True if the counts are lower bounds.
    pub at_least: bool,
}

impl Alone {
    /// All of both.
    #[must_use]
    pub fn fold(self, other: Alone) -> Alone {
        Alone {
            sent_away: self.sent_away + other.sent_away,
            received_away: self.received_away + other.received_away,
            sent: self.sent + other.sent,
            received: self.received + other.received,
            unknown: self.unknown + other.unknown,
            at_least: self.at_least || other.at_least,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.sent_away + self.received_away + self.sent + self.received + self.unknown
    }
}

/// How much more was sent than received, by channel, over all locations of this rank.
#[derive(Debug)]
pub(super) struct Ledger(Mutex<Balances>);

#[derive(Debug)]
enum Balances {
    Each(HashMap<Channel, i64, RandomState>),
    Shared(Vec<i64>),
}

impl Default for Ledger {
    fn default() -> Self {
        Ledger(Mutex::new(Balances::Each(HashMap::default())))
    }
}

impl Ledger {
    /// Adds those of a location.
    pub(super) fn take(&self, more: impl Iterator<Item = (Channel, i64)>) {
        let mut all = self.0.lock().expect("nobody panics with the lock");
        for (channel, balance) in more {
            all.add(channel, balance);
        }
    }

    /// Returns the result of all ranks together, on each of them. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(super) fn settle(self, ranks: &dyn Communicator) -> Result<Alone, Error> {
        let mut all = self.0.into_inner().expect("nobody panics with the lock");
        let size = ranks.size();
        let few = ranks.all_reduce(matches!(all, Balances::Each(_)), |a, b| a && b)?;
        if few {
            let Balances::Each(each) = &all else { unreachable!("all ranks have few") };
            let owner = |channel: &Channel| (hash(channel) % size as u64) as usize;
            let items =
                each.iter().map(|(channel, balance)| (owner(channel), (*channel, *balance)));
            let mut own: HashMap<Channel, i64, RandomState> = HashMap::default();
            for (channel, balance) in ranks.exchange(items.collect())? {
                *own.entry(channel).or_default() += balance;
            }
            let channels = ranks.all_reduce(own.len() as u64, |a, b| a + b)?;
            if channels <= MOST_CHANNELS as u64 {
                return ranks.all_reduce(sum(own.into_values()), Alone::fold);
            }
        }
        all.share();
        let Balances::Shared(shared) = all else { unreachable!("they are shared") };
        let shared = ranks.reduce(0, shared, |mut one, other| {
            one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
            one
        })?;
        let alone = shared.map(|shared| Alone { at_least: true, ..sum(shared.into_iter()) });
        ranks.broadcast(0, alone)
    }
}

impl Balances {
    fn add(&mut self, channel: Channel, balance: i64) {
        match self {
            Balances::Each(each) => {
                *each.entry(channel).or_default() += balance;
                if each.len() > MOST_CHANNELS {
                    self.share();
                }
            }
            Balances::Shared(shared) => shared[place(&channel)] += balance,
        }
    }

    fn share(&mut self) {
        if let Balances::Each(each) = self {
            let mut shared = vec![0; SHARED];
            each.iter().for_each(|(channel, balance)| shared[place(channel)] += balance);
            *self = Balances::Shared(shared);
        }
    }
}

fn sum(balances: impl Iterator<Item = i64>) -> Alone {
    let mut alone = Alone::default();
    for balance in balances {
        let count = balance.unsigned_abs();
        *if balance > 0 { &mut alone.sent } else { &mut alone.received } += count;
    }
    alone
}

fn place(channel: &Channel) -> usize {
    (hash(channel) % SHARED as u64) as usize
}

/// The same on all ranks.
fn hash(&(comm, from, to, tag): &Channel) -> u64 {
    let number = |process: Process| match process {
        Process::Group(group) => u64::from(group.0),
        Process::Location(location) => !location.0,
    };
    let numbers = [comm.into(), number(from), number(to), tag.into()];
    numbers.into_iter().fold(0, |hash: u64, number: u64| {
        let mixed = (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_collective::Solo;

    fn channel(tag: u32) -> Channel {
        let process = |number| Process::Group(LocationGroupRef(number));
        (0, process(1), process(2), tag)
    }

    #[test]
    fn what_is_sent_and_received_as_often_is_not_alone() {
        let ledger = Ledger::default();
        ledger.take([(channel(1), 3), (channel(2), 2), (channel(3), 1)].into_iter());
        ledger.take([(channel(1), -3), (channel(2), -5)].into_iter());
        let alone = ledger.settle(&Solo).unwrap();
        assert_eq!((alone.sent, alone.received, alone.at_least), (1, 3, false));
    }

    #[test]
    fn with_very_many_channels_not_more_are_counted_than_there_are() {
        let ledger = Ledger::default();
        let many = MOST_CHANNELS as u32 + 10;
        ledger.take((0..many).map(|tag| (channel(tag), 1)));
        ledger.take((100..many).map(|tag| (channel(tag), -1)));
        let alone = ledger.settle(&Solo).unwrap();
        assert!(alone.at_least && alone.sent <= 100 && alone.sent > 90, "{alone:?}");
        assert_eq!(alone.received, 0);
    }
}
