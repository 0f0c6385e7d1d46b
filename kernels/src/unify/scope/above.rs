//! Topological order of the records of a file: referenced records first.

use std::collections::BTreeSet;

use streamfold_model::references::ReferenceKind;

use super::super::content::{Record, Ref};
use super::{Scope, KINDS};

impl Scope<'_> {
    /// Returns records that are told apart by their order, if another record references such a record that comes later.
    /// They are resolved first, so that their order is that of the file, and not of references. Records of the same
    /// content have equally many records of their kind above them. Sorted by that number, all records above are
    /// resolved first.
    pub(super) fn distinct_by_order(&self) -> Vec<usize> {
        let is_told = |record: &Record| record.made && record.nth.is_none();
        let mut kinds = [false; KINDS];
        let told = self.records.iter().filter(|record| is_told(record));
        told.filter_map(|record| record.own).for_each(|(kind, _)| kinds[kind as usize] = true);
        let is_early = |(place, record): (usize, &Record)| {
            record.refs.iter().any(|reference| match *reference {
                Ref::Number(kind, number) if kinds[kind as usize] => {
                    self.led_to(place, kind, number).is_some_and(|other| other > place)
                }
                _ => false,
            })
        };
        if !self.records.iter().enumerate().any(is_early) {
            return Vec::new();
        }
        let depths = self.depths_by(|place| self.above(place));
        let told = self.records.iter().enumerate().filter(|(_, record)| is_told(record));
        let mut told: Vec<(u8, usize, usize)> = told
            .filter_map(|(place, record)| {
                let (kind, _) = record.own?;
                // Windows and handles lead to communicators, handles to paradigms.
                let is_led_to = !matches!(kind, ReferenceKind::RmaWin | ReferenceKind::IoHandle);
                Some((u8::from(!is_led_to), depths[place], place))
            })
            .collect();
        told.sort_unstable();
        told.into_iter().map(|(.., place)| place).collect()
    }

    /// Returns whether a record is the first one of a circle of records of a kind.
    pub(super) fn begins_circle(&self, place: usize, kind: ReferenceKind) -> bool {
        let is_parent = self.records[place].own.is_some_and(|own| own.0 == kind);
        let all = || first_of_circles(self.records.len(), |place| self.above(place));
        is_parent && self.circles.get_or_init(all).contains(&place)
    }

    /// Returns its parent: the record of the same kind that it references.
    fn above(&self, place: usize) -> Option<usize> {
        let (own, _) = self.records[place].own?;
        self.records[place].refs.iter().find_map(|reference| match *reference {
            Ref::Number(kind, number) if kind == own => self.led_to(place, kind, number),
            _ => None,
        })
    }

    /// Returns the number of communicators above each record, by this file. In a circle it is the number of records.
    pub fn depths(&self) -> Vec<usize> {
        self.depths_by(|place| self.parent(place))
    }

    fn depths_by(&self, parent: impl Fn(usize) -> Option<usize>) -> Vec<usize> {
        const UNKNOWN: usize = usize::MAX;
        let most = self.records.len();
        let mut depths = vec![UNKNOWN; most];
        let mut path = Vec::new();
        for first in 0..most {
            let mut above = Some(first);
            while let Some(at) = above.filter(|at| depths[*at] == UNKNOWN) {
                // A record that is met again is in a circle.
                depths[at] = most;
                path.push(at);
                above = parent(at);
            }
            let above = above.map_or(0, |known| depths[known] + 1);
            for (depth, at) in (above..).zip(path.drain(..).rev()) {
                depths[at] = depth.min(most);
            }
        }
        depths
    }

    fn parent(&self, place: usize) -> Option<usize> {
        let record = &self.records[place];
        match record.refs.get(record.comm?.parent)? {
            Ref::Number(kind, number) => self.led_to(place, *kind, *number),
            Ref::Undefined => None,
        }
    }
}

/// The first one of each circle of things each of which leads to one other, among so many from 0. `above`: to which one each leads, if to any.
fn first_of_circles(count: usize, above: impl Fn(usize) -> Option<usize>) -> BTreeSet<usize> {
    const NOBODY: usize = usize::MAX;
    let mut found = BTreeSet::new();
    // From which one each was come by first.
    let mut seen = vec![NOBODY; count];
    for first in 0..count {
        let mut at = Some(first);
        while let Some(one) = at.filter(|one| seen[*one] == NOBODY) {
            seen[one] = first;
            at = above(one);
        }
        let Some(begin) = at.filter(|one| seen[*one] == first) else { continue };
        let circle =
            std::iter::successors(Some(begin), |one| above(*one).filter(|next| *next != begin));
        found.extend(circle.min());
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_of_each_circle_is_found() {
        let above = [Some(3), Some(4), None, Some(1), Some(1), Some(5), Some(7), Some(8), Some(6)];
        let found = first_of_circles(above.len(), |one| above[one]);
        assert_eq!(found, BTreeSet::from([1, 5, 6]));
    }

    proptest! {
        #[test]
        fn without_these_there_is_none(
            above in proptest::collection::vec(proptest::option::of(0..40_usize), 40),
        ) {
            let found = first_of_circles(40, |one| above[one]);
            for first in 0..40 {
                let next = |one: &usize| above[*one].filter(|_| !found.contains(one));
                let way = std::iter::successors(Some(first), next);
                prop_assert!(way.take(41).count() <= 40);
            }
            // And each is in one.
            for first in &found {
                let mut way = std::iter::successors(above[*first], |one| above[*one]);
                prop_assert!(way.by_ref().take(40).any(|one| one == *first));
            }
        }
    }
}
