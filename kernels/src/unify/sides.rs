//! Communicators between two groups, of which a tracer has written each side for itself.
//!
//! Ranks in messages on such a communicator are those of the other group. So nobody receives on a
//! side what was sent on it; all of it was received on the other one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Who, to whom, with which tag: ranks as the record of the message has them, each in its own group.
pub type Channel = (u64, u64, u32);

/// Messages, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Traffic {
    /// How many.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Traffic {
    /// With that of others.
    pub fn add(&mut self, other: Traffic) {
        self.messages += other.messages;
        // Whatever a record says of its length.
        self.bytes = self.bytes.wrapping_add(other.bytes);
    }
}

/// A communicator, and what went over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side<'a> {
    /// The locations in it.
    pub members: &'a BTreeSet<u64>,
    /// What each sent, by (sender, receiver, tag).
    pub sent: BTreeMap<Channel, Traffic>,
    /// What each received, by (sender, receiver, tag).
    pub received: BTreeMap<Channel, Traffic>,
}

impl Side<'_> {
    /// Whether something went over it that nobody received on it.
    fn is_alone(&self) -> bool {
        self.sent != self.received
    }
}

/// So many sides over which the same went are told apart by their members.
const MANY: usize = 64;

/// Which of the communicators are the two sides of one: pairs of their places, each in one pair. All that
/// was sent over one was received over the other, and the other way round, and they have no member in
/// common. Those that fit to several are left alone, and so are those over which the same went as over
/// very many others.
pub fn pairs(sides: &[Side<'_>]) -> Vec<(usize, usize)> {
    let mut by_traffic: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, side) in sides.iter().enumerate().filter(|(_, side)| side.is_alone()) {
        by_traffic.entry((&side.received, &side.sent)).or_default().push(place);
    }
    let fitting = |place: usize| {
        let side = &sides[place];
        let others = by_traffic.get(&(&side.sent, &side.received))?;
        let others = Some(others).filter(|others| others.len() <= MANY)?;
        let fits = |other: &&usize| sides[**other].members.is_disjoint(side.members);
        let mut others = others.iter().filter(fits);
        let first = *others.next()?;
        others.next().is_none().then_some(first)
    };
    let mut found = Vec::new();
    for place in (0..sides.len()).filter(|&place| sides[place].is_alone()) {
        if let Some(other) = fitting(place) {
            if place < other && fitting(other) == Some(place) {
                found.push((place, other));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traffic(channels: &[Channel]) -> BTreeMap<Channel, Traffic> {
        channels.iter().map(|&channel| (channel, Traffic { messages: 2, bytes: 64 })).collect()
    }

    fn set(members: &[u64]) -> BTreeSet<u64> {
        members.iter().copied().collect()
    }

    fn side<'a>(members: &'a BTreeSet<u64>, sent: &[Channel], received: &[Channel]) -> Side<'a> {
        Side { members, sent: traffic(sent), received: traffic(received) }
    }

    #[test]
    fn sides_are_those_that_received_what_the_other_sent() {
        let [world, even, odd] = [&[0, 1, 2, 3][..], &[0, 2], &[1, 3]].map(set);
        let sides = [
            side(&world, &[(0, 1, 5)], &[(0, 1, 5)]),
            side(&even, &[], &[(1, 0, 7)]),
            side(&odd, &[(1, 0, 7)], &[]),
            side(&odd, &[], &[]),
        ];
        assert_eq!(pairs(&sides), [(1, 2)]);
    }

    #[test]
    fn what_fits_twice_or_only_nearly_is_left_alone() {
        let [even, odd, others, mixed] = [&[0, 2], &[1, 3], &[4, 5], &[2, 3]].map(|it| set(it));
        let one = side(&even, &[], &[(1, 0, 7)]);
        let other = side(&odd, &[(1, 0, 7)], &[]);
        let third = side(&others, &[(1, 0, 7)], &[]);
        assert_eq!(pairs(&[one.clone(), other.clone(), third]), []);
        let shared = side(&mixed, &[(1, 0, 7)], &[]);
        assert_eq!(pairs(&[one.clone(), shared]), []);
        let mut fewer = other;
        fewer.sent.values_mut().for_each(|traffic| traffic.bytes -= 1);
        assert_eq!(pairs(&[one, fewer]), []);
    }

    /// Not each is compared with each.
    #[test]
    fn very_many_over_which_the_same_went_are_left_alone() {
        let [even, odd] = [&[0, 2], &[1, 3]].map(|it| set(it));
        let mut sides = vec![side(&even, &[], &[(1, 0, 7)]); 50_000];
        sides.extend(vec![side(&odd, &[(1, 0, 7)], &[]); 50_000]);
        assert_eq!(pairs(&sides), []);
    }
}
