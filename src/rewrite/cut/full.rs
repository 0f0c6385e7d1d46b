//! How much that is open at a location is looked after: what is open may be as much as a broken trace has
//! events.

use super::stack::MOST_BRACKETS;

/// Number of visits that are looked after at a time, over all tasks; teams, forks, programs and arguments of these
/// count as such.
pub(super) const MOST_VISITS: usize = 1 << 20;
/// Number of tasks that do not run and in which something is open.
pub(super) const MOST_TASKS: usize = 1 << 18;
/// Number of operations on files.
pub(super) const MOST_OPERATIONS: usize = 1 << 18;

/// Of what more is open at a time than is looked after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    Visits,
    Tasks,
    Brackets,
}

impl Full {
    /// How many are looked after.
    pub(super) fn most(self) -> usize {
        match self {
            Full::Visits => MOST_VISITS,
            Full::Tasks => MOST_TASKS,
            Full::Brackets => MOST_BRACKETS,
        }
    }

    /// Returns the name of the kind, in the plural.
    pub(super) fn what(self) -> &'static str {
        match self {
            Full::Visits => "visits of regions",
            Full::Tasks => "tasks",
            Full::Brackets => "teams, forks and programs",
        }
    }
}
