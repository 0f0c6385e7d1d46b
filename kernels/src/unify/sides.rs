//! Communicators between two groups, of which a tracer has written each side for itself.
//!
//! Ranks in messages on such a communicator are those of the other group. So nobody receives on a
//! side what was sent on it; all of it was received on the other one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Who, to whom, with which tag: ranks as the record of the message has them, each in its own group.
pub type Channel = (u64, u64, u32);

/// Messages, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The locations in it.
    pub members: BTreeSet<u64>,
    /// What each sent, by (sender, receiver, tag).
    pub sent: BTreeMap<Channel, Traffic>,
    /// What each received, by (sender, receiver, tag).
    pub received: BTreeMap<Channel, Traffic>,
}

impl Side {
    fn is_silent(&self) -> bool {
        self.sent.is_empty() && self.received.is_empty()
    }

    /// Whether all that was sent over one was received over the other, and the other way round.
    fn fits(&self, other: &Side) -> bool {
        self.members.is_disjoint(&other.members)
            && self.sent == other.received
            && self.received == other.sent
    }
}

/// Which of the communicators are the two sides of one: pairs of their places, each in one pair. Those
/// that fit to several are left alone.
pub fn pairs(sides: &[Side]) -> Vec<(usize, usize)> {
    let lonely = |side: &Side| !side.is_silent() && side.sent != side.received;
    let fitting = |place: usize| {
        let side = &sides[place];
        let mut others =
            sides.iter().enumerate().filter(|(_, other)| lonely(other) && side.fits(other));
        let first = others.next()?.0;
        others.next().is_none().then_some(first)
    };
    let mut found = Vec::new();
    for place in (0..sides.len()).filter(|&place| lonely(&sides[place])) {
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

    fn side(members: &[u64], sent: &[Channel], received: &[Channel]) -> Side {
        let members = members.iter().copied().collect();
        Side { members, sent: traffic(sent), received: traffic(received) }
    }

    #[test]
    fn sides_are_those_that_received_what_the_other_sent() {
        let sides = [
            side(&[0, 1, 2, 3], &[(0, 1, 5)], &[(0, 1, 5)]),
            side(&[0, 2], &[], &[(1, 0, 7)]),
            side(&[1, 3], &[(1, 0, 7)], &[]),
            side(&[1, 3], &[], &[]),
        ];
        assert_eq!(pairs(&sides), [(1, 2)]);
    }

    #[test]
    fn what_fits_twice_or_only_nearly_is_left_alone() {
        let one = side(&[0, 2], &[], &[(1, 0, 7)]);
        let other = side(&[1, 3], &[(1, 0, 7)], &[]);
        let third = side(&[4, 5], &[(1, 0, 7)], &[]);
        assert_eq!(pairs(&[one.clone(), other.clone(), third]), []);
        let shared = side(&[2, 3], &[(1, 0, 7)], &[]);
        assert_eq!(pairs(&[one.clone(), shared]), []);
        let mut fewer = other;
        fewer.sent.values_mut().for_each(|traffic| traffic.bytes -= 1);
        assert_eq!(pairs(&[one, fewer]), []);
    }
}
