//! The walk along the path, from the end of the run back to its begin.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use streamfold_model::ids::LocationRef;

use crate::matching::{Items, Source};
use crate::waitstates::edges::{Edge, EdgeKind};

/// The place of a walk: the path up to here is still to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// The location.
    pub location: LocationRef,
    /// The time, in ticks.
    pub time: u64,
}

/// A part of the path at one location. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The location.
    pub location: LocationRef,
    /// Its begin.
    pub begin: u64,
    /// Its end.
    pub end: u64,
    /// The number of the [kind](EdgeKind) of the edge at its begin. `None`: the location begins there.
    pub after: Option<u8>,
}

impl Section {
    /// Its length, in ticks.
    pub fn ticks(&self) -> u64 {
        self.end - self.begin
    }

    /// The kind of the edge at its begin.
    pub fn edge(&self) -> Option<EdgeKind> {
        EdgeKind::of_number(self.after?.into())
    }
}

/// The sections of a path, in the order of time.
pub type Sections = Vec<Section>;

/// Goes back as far as the edges of a source lead: the latest come first. `tell` gets each section, the latest first.
/// Returns the place that was reached.
///
/// # Errors
///
/// When a block cannot be read.
pub fn walk<S: Source>(
    edges: S,
    mut at: Token,
    mut tell: impl FnMut(Section),
) -> Result<Token, S::Error> {
    let mut edges = Items::<S, Edge>::new(edges)?;
    while let Some(key) = edges.key() {
        while let Some(edge) = edges.next_of_all(key)? {
            if edge.location != at.location || edge.end >= at.time {
                continue;
            }
            let (location, begin, end) = (at.location, edge.end, at.time);
            tell(Section { location, begin, end, after: Some(edge.kind.number()) });
            at = Token { location: edge.cause, time: edge.end };
        }
    }
    Ok(at)
}

/// The sections of each location, in the order of time.
pub(super) type ByLocation = BTreeMap<LocationRef, Sections>;

/// Sorts sections by location.
pub(super) fn by_location(sections: &[Section]) -> ByLocation {
    let mut of = ByLocation::new();
    for section in sections {
        of.entry(section.location).or_default().push(*section);
    }
    of.values_mut().for_each(|of| of.sort_unstable_by_key(|section| section.begin));
    of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::sorted::Kept;
    use crate::waitstates::edges::{Edges, RunParts};
    use crate::waitstates::Culprit;

    /// Waits are of a location, up to a time, for another location.
    fn path(waits: &[(u64, u64, u64)], last: (u64, u64)) -> (Vec<(u64, u64, u64)>, Token) {
        let (kept, parts) = (Kept::default(), RunParts::new((0, 100)));
        let mut edges = Edges::new(Some((&parts, &kept)));
        for &(location, end, cause) in waits {
            let location = LocationRef(location);
            let culprit =
                Culprit { location: LocationRef(cause), path: Default::default(), time: end };
            edges.push((location, EdgeKind::Fork), (end - 1, end), culprit);
        }
        edges.end();
        let mut sections = Vec::new();
        let begin = Token { location: LocationRef(last.0), time: last.1 };
        let reached = walk(kept.sorted(), begin, |of| {
            sections.push((of.location.0, of.begin, of.end));
        });
        (sections, reached.unwrap())
    }

    #[test]
    fn the_latest_wait_before_a_time_leads_on() {
        // Location 0 waits for 1 until 50, 1 waits for 2 until 20; waits of others and later ones do not matter.
        let waits = [(0, 50, 1), (0, 30, 2), (1, 60, 0), (1, 20, 2), (2, 70, 0), (3, 40, 0)];
        let (sections, reached) = path(&waits, (0, 100));
        assert_eq!(sections, [(0, 50, 100), (1, 20, 50)]);
        assert_eq!(reached, Token { location: LocationRef(2), time: 20 });
    }

    /// Two locations that say that they waited for each other up to one time.
    #[test]
    fn waits_that_end_at_one_time_make_no_circle() {
        let (sections, reached) = path(&[(0, 50, 1), (1, 50, 0), (1, 10, 0)], (0, 80));
        assert_eq!(sections, [(0, 50, 80), (1, 10, 50)]);
        assert_eq!(reached, Token { location: LocationRef(0), time: 10 });
    }
}
