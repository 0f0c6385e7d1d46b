//! Counting records by the names of their kinds, of which there are few.

use crate::unify::Counts;

/// How many records of each kind there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    counts: Vec<(&'static str, u64)>,
    /// The place of the one that was counted last: most records are of the kind of the one before.
    last: usize,
}

impl Tally {
    /// Counts one.
    pub(crate) fn count(&mut self, name: &'static str) {
        self.add(name, 1);
    }

    fn add(&mut self, name: &'static str, count: u64) {
        // Most calls come with the same string.
        let is_same =
            |at: &usize| self.counts.get(*at).is_some_and(|(other, _)| std::ptr::eq(*other, name));
        let at = Some(self.last).filter(is_same);
        let at = at.or_else(|| self.counts.iter().position(|(other, _)| *other == name));
        self.last = at.unwrap_or(self.counts.len());
        match self.counts.get_mut(self.last) {
            Some((_, counted)) => *counted += count,
            None => self.counts.push((name, count)),
        }
    }

    /// Those of others, too.
    pub(crate) fn fold(&mut self, other: &Tally) {
        other.counts.iter().for_each(|(name, count)| self.add(name, *count));
    }

    /// Returns whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// By their names.
    pub(crate) fn counts(&self) -> Counts {
        Counts(self.counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect())
    }
}
