//! Members of groups as stretches: groups of all processes, or of every other one, stay small.

use serde::{Deserialize, Serialize};

/// Members that follow each other by the same step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stretch {
    /// The first of them.
    pub first: u64,
    /// How far it is from one to the next, wrapping.
    pub step: u64,
    /// How many.
    pub count: u64,
}

impl Stretch {
    /// The members.
    pub fn members(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |i| self.first.wrapping_add(self.step.wrapping_mul(i)))
    }

    fn next(self) -> u64 {
        self.first.wrapping_add(self.step.wrapping_mul(self.count))
    }

    /// Where a member stands in it.
    fn place(self, member: u64) -> Option<u64> {
        let (distance, step) = match (self.step as i64) < 0 {
            true => (self.first.wrapping_sub(member), self.step.wrapping_neg()),
            false => (member.wrapping_sub(self.first), self.step),
        };
        let place = match step {
            0 => (distance == 0).then_some(0),
            step => distance.is_multiple_of(step).then(|| distance / step),
        };
        place.filter(|place| *place < self.count)
    }
}

/// The stretches of members, in their order: the same ones for the same members.
pub fn stretches(members: impl IntoIterator<Item = u64>) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    for member in members {
        match found.last_mut() {
            Some(last) if last.count == 1 => {
                last.step = member.wrapping_sub(last.first);
                last.count = 2;
            }
            Some(last) if last.next() == member => last.count += 1,
            _ => found.push(Stretch { first: member, step: 0, count: 1 }),
        }
    }
    found
}

/// Where a member stands among all, from 0.
pub fn place(stretches: &[Stretch], member: u64) -> Option<u64> {
    let mut before = 0;
    for stretch in stretches {
        if let Some(place) = stretch.place(member) {
            return Some(before + place);
        }
        before += stretch.count;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_groups_are_one_stretch() {
        let world = stretches(0..1_000_000);
        assert_eq!(world, [Stretch { first: 0, step: 1, count: 1_000_000 }]);
        assert_eq!(stretches((0..10).map(|i| 3 * i)).len(), 1);
        assert_eq!(stretches([]), []);
    }

    #[test]
    fn members_come_back_in_their_order_and_are_found() {
        for members in [vec![5], vec![5, 5, 5], vec![9, 7, 5, 1, 2, 3], vec![u64::MAX, 0, 1, 8, 8]]
        {
            let found = stretches(members.iter().copied());
            let back: Vec<_> = found.iter().flat_map(|stretch| stretch.members()).collect();
            assert_eq!(back, members);
            for (i, member) in members.iter().enumerate() {
                let first = members.iter().position(|other| other == member);
                assert_eq!(place(&found, *member), first.map(|first| first as u64), "{i}");
            }
            assert_eq!(place(&found, 1_000), None);
        }
    }
}
