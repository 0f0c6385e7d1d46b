//! The messages that were longest on their way.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

/// A message. The longest come first; no two are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Flight {
    /// Ticks from its send to the completion of its receive; 0 where clocks say that this came first.
    pub ticks: Reverse<u64>,
    /// When it was sent, by its record, in ticks.
    pub sent: u64,
    /// The location that sent it.
    pub sender: LocationRef,
    /// The number of the send there.
    pub number: u64,
    /// When its receive was complete, by its record, in ticks.
    pub received: u64,
    /// The location that received it.
    pub receiver: LocationRef,
    /// Bytes that were sent.
    pub bytes: u64,
}

/// Messages between two rows of which one end is in the time that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flights {
    /// All of them.
    pub count: u64,
    /// The longest.
    pub longest: BTreeSet<Flight>,
    /// Most that are kept.
    pub keeps: usize,
}

impl Flights {
    /// None; so many are kept.
    pub fn new(keeps: usize) -> Self {
        Flights { keeps, ..Flights::default() }
    }

    /// Adds one.
    pub fn add(&mut self, flight: Flight) {
        self.count += 1;
        if self.longest.len() < self.keeps || self.longest.last().is_some_and(|of| flight < *of) {
            self.longest.insert(flight);
            if self.longest.len() > self.keeps {
                self.longest.pop_last();
            }
        }
    }

    /// Both together.
    #[must_use]
    pub fn fold(mut self, other: Flights) -> Self {
        self.keeps = self.keeps.max(other.keeps);
        self.count += other.count;
        self.longest.extend(other.longest);
        while self.longest.len() > self.keeps {
            self.longest.pop_last();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flight(ticks: u64, number: u64) -> Flight {
        let (sender, receiver) = (LocationRef(number % 3), LocationRef(7));
        Flight { ticks: Reverse(ticks), sent: 5, sender, number, received: 5, receiver, bytes: 1 }
    }

    #[test]
    fn the_longest_are_kept_in_any_order() {
        let all: Vec<Flight> = (0..40).map(|number| flight(number * 7 % 10, number)).collect();
        let of = |part: &mut dyn Iterator<Item = &Flight>| {
            part.fold(Flights::new(6), |mut sum, flight| {
                sum.add(*flight);
                sum
            })
        };
        let one = of(&mut all.iter());
        let folded = of(&mut all.iter().rev().take(15)).fold(of(&mut all.iter().rev().skip(15)));
        assert_eq!(one, folded);
        assert_eq!(one.count, 40);
        let mut sorted = all;
        sorted.sort();
        assert!(one.longest.iter().eq(&sorted[..6]));
        assert!(of(&mut sorted.iter()).longest.iter().all(|of| of.ticks.0 >= 8));
    }
}
