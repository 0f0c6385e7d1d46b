//! Numbers for definitions that have none yet.

use serde::{Deserialize, Serialize};

/// Numbers of one kind that are taken, in stretches, in their order and with others between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken(Vec<Stretch>);

/// Numbers that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stretch {
    last: u64,
    /// How many free numbers there are before it.
    free: u64,
}

impl Taken {
    /// Of these numbers, in any order.
    pub fn new(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        let mut stretches: Vec<Stretch> = Vec::new();
        for number in numbers {
            match stretches.last_mut() {
                Some(before) if number <= before.last.saturating_add(1) => {
                    before.last = number;
                }
                last => {
                    let free = last.map_or(number, |it| it.free + (number - it.last - 1));
                    stretches.push(Stretch { last: number, free });
                }
            }
        }
        Taken(stretches)
    }

    /// The number that is free with so many free ones before it; `None`: beyond `most`.
    pub fn free(&self, before: u64, most: u64) -> Option<u64> {
        let lower = self.0.partition_point(|stretch| stretch.free <= before);
        let number = match lower.checked_sub(1).map(|last| self.0[last]) {
            None => before,
            Some(Stretch { last, free, .. }) => last.checked_add(1)?.checked_add(before - free)?,
        };
        (number <= most).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_numbers_are_those_between_and_behind_the_taken_ones() {
        let taken = Taken::new(vec![7, 0, 1, 3, 1]);
        let free: Vec<_> = (0..6).map(|before| taken.free(before, 100).unwrap()).collect();
        assert_eq!(free, [2, 4, 5, 6, 8, 9]);
        assert_eq!(Taken::default().free(5, 100), Some(5));
        assert_eq!(Taken::new(vec![0, 0]).free(0, 100), Some(1));
        assert_eq!(taken.free(4, 7), None);
        assert_eq!(Taken::new(vec![0, u64::MAX]).free(u64::MAX, u64::MAX), None);
    }

    #[test]
    fn stretches_that_meet_are_one() {
        let all = Stretch { last: 2, free: 0 };
        assert_eq!(Taken::new(vec![2, 1, 0]), Taken(vec![all]));
    }
}
