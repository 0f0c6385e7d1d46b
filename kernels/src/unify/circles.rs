//! Circles of things each of which leads to one other.

use std::collections::BTreeSet;

/// The first one of each circle among so many, numbered from 0. `above`: to which one each leads, if to any.
pub(super) fn first_of_circles(
    count: usize,
    above: impl Fn(usize) -> Option<usize>,
) -> BTreeSet<usize> {
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
