//! Forks of a location that its stream has passed and that were not asked for so far.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use streamfold_model::ids::CommRef;

use crate::profile::tree::PathIndex;

/// Paths of the last forks of a location, by team.
///
/// A search for a missing fork reads the stream to its end, past the forks of other teams that are needed later.
#[derive(Debug)]
pub(crate) struct Passed {
    teams: HashMap<CommRef, OfTeam, RandomState>,
    /// Of all teams, the oldest first: each with its number in its team. Some are not kept any more.
    order: VecDeque<(CommRef, u64)>,
    most: usize,
}

/// The forks of a team.
#[derive(Debug, Default)]
struct OfTeam {
    /// How many came before those that are kept.
    before: u64,
    paths: VecDeque<PathIndex>,
}

impl OfTeam {
    fn come(&self) -> u64 {
        self.before + self.paths.len() as u64
    }

    /// Keeps none of the first so many.
    fn forget(&mut self, first: u64) {
        while self.before < first && self.paths.pop_front().is_some() {
            self.before += 1;
        }
    }
}

impl Passed {
    /// Keeps so many, the last ones.
    pub(crate) fn new(most: usize) -> Self {
        Passed { teams: HashMap::default(), order: VecDeque::new(), most }
    }

    /// The next fork of a team.
    pub(crate) fn push(&mut self, team: CommRef, path: PathIndex) {
        let forks = self.teams.entry(team).or_default();
        self.order.push_back((team, forks.come()));
        forks.paths.push_back(path);
        if self.order.len() > self.most {
            self.forget_oldest();
        }
    }

    /// Tells whether the fork of a team with so many before it has come.
    pub(crate) fn has_come(&self, team: CommRef, before: u64) -> bool {
        self.teams.get(&team).is_some_and(|forks| forks.come() > before)
    }

    /// That fork, if it is kept; it and those before it are not any more.
    pub(crate) fn take(&mut self, team: CommRef, before: u64) -> Option<PathIndex> {
        let forks = self.teams.get_mut(&team)?;
        let place = usize::try_from(before.checked_sub(forks.before)?).ok()?;
        let path = forks.paths.get(place).copied();
        forks.forget(before + 1);
        self.forget_taken();
        path
    }

    fn forget_oldest(&mut self) {
        let Some((team, number)) = self.order.pop_front() else { return };
        if let Some(forks) = self.teams.get_mut(&team) {
            forks.forget(number + 1);
        }
    }

    /// The order begins with a fork that is kept.
    fn forget_taken(&mut self) {
        let is_kept = |(team, number): &(CommRef, u64)| {
            self.teams.get(team).is_some_and(|forks| *number >= forks.before)
        };
        while self.order.front().is_some_and(|oldest| !is_kept(oldest)) {
            self.order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: CommRef = CommRef(1);
    const OTHER: CommRef = CommRef(2);

    fn passed(most: usize, forks: &[CommRef]) -> Passed {
        let mut passed = Passed::new(most);
        (0..).zip(forks).for_each(|(path, team)| passed.push(*team, PathIndex(path)));
        passed
    }

    #[test]
    fn each_fork_has_its_number_in_its_team() {
        let mut passed = passed(9, &[ONE, OTHER, ONE, OTHER, ONE]);
        assert!(passed.has_come(ONE, 2) && !passed.has_come(ONE, 3));
        assert_eq!(passed.take(ONE, 0), Some(PathIndex(0)));
        assert_eq!(passed.take(OTHER, 1), Some(PathIndex(3)));
        assert_eq!(passed.take(ONE, 1), Some(PathIndex(2)));
        assert_eq!(passed.take(ONE, 3), None);
        assert!(passed.order.is_empty(), "all that were kept were asked for or skipped");
    }

    #[test]
    fn only_the_last_ones_are_kept() {
        let mut passed = passed(2, &[ONE, ONE, OTHER, ONE]);
        assert!(passed.has_come(ONE, 0));
        assert_eq!([passed.take(ONE, 0), passed.take(ONE, 1)], [None, None]);
        assert_eq!(passed.take(ONE, 2), Some(PathIndex(3)));
        assert_eq!(passed.take(OTHER, 0), Some(PathIndex(2)));
    }

    /// In order, nothing is kept at all.
    #[test]
    fn what_is_asked_for_makes_room() {
        let mut passed = Passed::new(1);
        for number in 0..1000 {
            passed.push(ONE, PathIndex(number));
            assert_eq!(passed.take(ONE, number.into()), Some(PathIndex(number)));
            assert!(passed.order.is_empty());
        }
    }
}
