//! Communicators between two groups, of which a tracer has written each side for itself.
//!
//! Ranks in messages on such a communicator are those of the other group. So messages that were sent on a side are not
//! received on it, but on the other one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Sender, receiver and tag: ranks as the record of the message has them, each in its own group.
pub type Channel = (u64, u64, u32);

/// Messages, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Traffic {
    /// Number of messages.
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
    /// Sent messages, by (sender, receiver, tag).
    pub sent: BTreeMap<Channel, Traffic>,
    /// Received messages, by (sender, receiver, tag).
    pub received: BTreeMap<Channel, Traffic>,
}

impl Side<'_> {
    /// Returns whether sent and received messages differ.
    fn is_alone(&self) -> bool {
        self.sent != self.received
    }

    /// Messages that went out and came in on the same channel, and so may be its own.
    fn own(&self) -> u64 {
        let received = |channel: &Channel| self.received.get(channel).map_or(0, |it| it.messages);
        let both = self.sent.iter().map(|(channel, sent)| sent.messages.min(received(channel)));
        both.fold(0, u64::saturating_add)
    }

    /// Ends of messages.
    fn ends(&self) -> u64 {
        let all = self.sent.values().chain(self.received.values());
        all.fold(0, |sum, traffic| sum.saturating_add(traffic.messages))
    }

    /// Returns whether another communicator may be the other side. The two share no member, and each has the ranks that
    /// the other one names.
    fn may_be_of(&self, other: &Side<'_>) -> bool {
        let has_ranks_of = |one: &Side<'_>, other: &Side<'_>| {
            let known = |(sender, receiver, _): &Channel| {
                *sender < one.members.len() as u64 && *receiver < other.members.len() as u64
            };
            one.sent.keys().chain(other.received.keys()).all(known)
        };
        self.members.is_disjoint(other.members)
            && has_ranks_of(self, other)
            && has_ranks_of(other, self)
    }
}

/// Returns whether the messages between two outnumber those that may be their own. Two that lost ends of their own
/// messages may look like sides by just those.
fn is_clear(common: u64, own: u64) -> bool {
    common > own.saturating_mul(2)
}

/// Sides with the same messages as so many others are told apart by their members.
const MANY: usize = 64;

/// Pairs of communicators that are two sides of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Pairs of their places. Each place is in one pair.
    pub found: Vec<(usize, usize)>,
    /// Places of those that look like sides, and fit to none well enough or to several.
    pub left: Vec<usize>,
}

/// Finds the communicators that are two sides of one. They have no member in common. All messages sent on one were
/// received on the other, and the reverse. If ends of messages were lost, most of them suffice, and neither may fit to
/// a third one as well. Most means more than twice of the messages that each may have sent to itself. Those with the
/// same messages as very many others are left alone.
pub fn pairs(sides: &[Side<'_>]) -> Pairs {
    let mut found = exact(sides);
    let mut is_open: Vec<bool> = sides.iter().map(Side::is_alone).collect();
    for (one, other) in &found {
        (is_open[*one], is_open[*other]) = (false, false);
    }
    let open: Vec<usize> = (0..sides.len()).filter(|place| is_open[*place]).collect();
    let Pairs { found: close, left } = close(sides, &open);
    found.extend(close);
    found.sort_unstable();
    Pairs { found, left }
}

/// Those over which exactly the same went.
fn exact(sides: &[Side<'_>]) -> Vec<(usize, usize)> {
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
        // Both have sent as much to themselves, if they have, and all ends are those of both.
        let clear = is_clear(side.ends(), side.own().saturating_mul(2));
        (clear && others.next().is_none()).then_some(first)
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

/// Number of pairs of senders and receivers on one channel that are looked at.
const COMPARED: usize = 1024;

/// Those of the `open` ones over which nearly the same went.
fn close(sides: &[Side<'_>], open: &[usize]) -> Pairs {
    let common = Common::of(sides, open);
    let best = common.best(sides);
    let partner = |place: usize| common.partner(place, sides, &best);
    let mut found = Vec::new();
    for &place in best.keys() {
        let other = partner(place).filter(|other| place < *other);
        found.extend(other.filter(|other| partner(*other) == Some(place)).map(|it| (place, it)));
    }
    let joined: BTreeSet<usize> = found.iter().flat_map(|(one, other)| [*one, *other]).collect();
    let left: BTreeSet<usize> = common.unseen.iter().chain(best.keys()).copied().collect();
    Pairs { found, left: left.difference(&joined).copied().collect() }
}

/// Those that fit best to each: how many messages they have in common, and which they are.
type Best = BTreeMap<usize, (u64, Vec<usize>)>;

/// Messages that pairs of communicators share.
#[derive(Default)]
struct Common {
    /// How many messages one of each two sent and the other received, and each sent itself.
    messages: BTreeMap<(usize, usize), u64>,
    /// Places that were not compared.
    unseen: BTreeSet<usize>,
}

impl Common {
    fn of(sides: &[Side<'_>], open: &[usize]) -> Common {
        let mut channels: BTreeMap<Channel, [Vec<(usize, u64)>; 2]> = BTreeMap::new();
        for &place in open {
            for (ways, which) in [(&sides[place].sent, 0), (&sides[place].received, 1)] {
                for (channel, traffic) in ways {
                    let of_channel = channels.entry(*channel).or_default();
                    of_channel[which].push((place, traffic.messages));
                }
            }
        }
        let mut common = Common::default();
        channels.into_values().for_each(|[sent, received]| common.add(&sent, &received));
        common
    }

    /// Adds those that sent and those that received on one channel.
    fn add(&mut self, sent: &[(usize, u64)], received: &[(usize, u64)]) {
        if sent.len() * received.len() > COMPARED {
            // Too many to compare. Messages that went both ways over one may be its own.
            let places = |ends: &[(usize, u64)]| -> BTreeSet<usize> {
                ends.iter().map(|(place, _)| *place).collect()
            };
            self.unseen.extend(places(sent).symmetric_difference(&places(received)));
            return;
        }
        for (sender, sent) in sent {
            for (receiver, received) in received {
                let pair = (*sender.min(receiver), *sender.max(receiver));
                let messages = self.messages.entry(pair).or_default();
                *messages = messages.saturating_add(*sent.min(received));
            }
        }
    }

    /// How many messages two may have sent to themselves.
    fn own(&self, one: usize, other: usize) -> u64 {
        let own = |place| self.messages.get(&(place, place)).copied().unwrap_or(0);
        u64::saturating_add(own(one), own(other))
    }

    fn best(&self, sides: &[Side<'_>]) -> Best {
        let mut best = Best::new();
        for (&(one, other), &count) in self.messages.iter().filter(|((a, b), _)| a != b) {
            // Messages that each may have sent to itself are as likely.
            let is_more = count > self.own(one, other);
            if !is_more || !sides[one].may_be_of(&sides[other]) {
                continue;
            }
            for (place, partner) in [(one, other), (other, one)] {
                let (most, partners) = best.entry(place).or_default();
                if count > *most {
                    (*most, *partners) = (count, Vec::new());
                }
                if count == *most {
                    partners.push(partner);
                }
            }
        }
        best
    }

    /// The only one that fits best to one, if it fits well enough.
    fn partner(&self, place: usize, sides: &[Side<'_>], best: &Best) -> Option<usize> {
        let (count, partners) = best.get(&place).filter(|_| !self.unseen.contains(&place))?;
        let [partner] = partners[..] else { return None };
        // Of all of their messages, each of which has two ends at most, most are those of both.
        let all = sides[place].ends().saturating_add(sides[partner].ends()) - count;
        let fits = is_clear(*count, self.own(place, partner)) && count.saturating_mul(2) >= all;
        fits.then_some(partner)
    }
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
        assert_eq!(pairs(&sides), Pairs { found: vec![(1, 2)], left: Vec::new() });
    }

    #[test]
    fn what_fits_twice_or_has_members_in_common_is_left_alone() {
        let [even, odd, others, mixed] = [&[0, 2], &[1, 3], &[4, 5], &[2, 3]].map(|it| set(it));
        let one = side(&even, &[], &[(1, 0, 7)]);
        let other = side(&odd, &[(1, 0, 7)], &[]);
        let third = side(&others, &[(1, 0, 7)], &[]);
        let left = Pairs { found: Vec::new(), left: vec![0, 1, 2] };
        assert_eq!(pairs(&[one.clone(), other.clone(), third]), left);
        let shared = side(&mixed, &[(1, 0, 7)], &[]);
        assert_eq!(pairs(&[one.clone(), shared]), Pairs::default());
        // No member has rank 1 there.
        let alone = set(&[5]);
        assert_eq!(pairs(&[one, side(&alone, &[(1, 0, 7), (0, 0, 7)], &[])]), Pairs::default());
    }

    #[test]
    fn sides_are_found_where_ends_of_messages_were_lost() {
        let [even, odd, others] = [&[0, 2], &[1, 3], &[4, 5]].map(|it| set(it));
        let one = side(&even, &[(0, 1, 3)], &[(1, 0, 7), (0, 0, 7)]);
        let mut other = side(&odd, &[(1, 0, 7), (0, 0, 7)], &[(0, 1, 3)]);
        let joined = Pairs { found: vec![(0, 1)], left: Vec::new() };
        other.sent.values_mut().for_each(|traffic| traffic.bytes -= 1);
        assert_eq!(pairs(&[one.clone(), other.clone()]), joined, "other lengths");
        other.sent.remove(&(0, 0, 7));
        assert_eq!(pairs(&[one.clone(), other.clone()]), joined, "fewer messages");
        // A third one with one message like these.
        let third = side(&others, &[(0, 0, 7)], &[]);
        let joined = Pairs { found: vec![(0, 1)], left: vec![2] };
        assert_eq!(pairs(&[one.clone(), other.clone(), third]), joined);
        // Most is missing.
        other.sent.remove(&(1, 0, 7));
        let mut little = one.clone();
        little.received.values_mut().for_each(|traffic| traffic.messages = 50);
        let left = Pairs { found: Vec::new(), left: vec![0, 1] };
        assert_eq!(pairs(&[little, other]), left);
    }

    /// Two communicators on which each received its own messages, but for one.
    #[test]
    fn rows_that_lost_a_message_are_no_sides() {
        let [even, odd] = [&[0, 2], &[1, 3]].map(|it| set(it));
        let mut rows = [&even, &odd].map(|members| side(members, &[(0, 1, 5)], &[(0, 1, 5)]));
        for row in &mut rows {
            row.received.values_mut().for_each(|traffic| traffic.messages = 1);
        }
        assert_eq!(pairs(&rows), Pairs::default());
    }

    /// Two rows each of which lost an end of one message or two: more went across than inside, by just these.
    #[test]
    fn rows_that_lost_different_ends_are_no_sides() {
        let [even, odd] = [&[0, 2], &[1, 3]].map(|it| set(it));
        let row = |members, sent: u64, received: u64| {
            let mut row = side(members, &[(0, 1, 5)], &[(0, 1, 5)]);
            row.sent.values_mut().for_each(|traffic| traffic.messages = sent);
            row.received.values_mut().for_each(|traffic| traffic.messages = received);
            row
        };
        let left = Pairs { found: Vec::new(), left: vec![0, 1] };
        for (sent, received) in [(98, 100), (99, 100)] {
            assert_eq!(pairs(&[row(&even, 100, 99), row(&odd, sent, received)]), left, "{sent}");
        }
        // Few messages were sent back.
        let joined = Pairs { found: vec![(0, 1)], left: Vec::new() };
        assert_eq!(pairs(&[row(&even, 100, 9), row(&odd, 9, 100)]), joined);
        assert_eq!(pairs(&[row(&even, 100, 9), row(&odd, 9, 99)]), joined);
    }

    /// Not each is compared with each.
    #[test]
    fn very_many_over_which_the_same_went_are_left_alone() {
        let [even, odd] = [&[0, 2], &[1, 3]].map(|it| set(it));
        let mut sides = vec![side(&even, &[], &[(1, 0, 7)]); 50_000];
        sides.extend(vec![side(&odd, &[(1, 0, 7)], &[]); 50_000]);
        let Pairs { found, left } = pairs(&sides);
        assert_eq!((found, left.len()), (Vec::new(), 100_000));
    }
}
