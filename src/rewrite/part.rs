//! Properties of the anchor of a part that was cut out of a trace: the trace, and the locations whose events the part
//! has. With them the parts of one trace can be joined again.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use streamfold_otf2::Anchor;

/// The property of an anchor which says of which trace this is a part, and how many locations that has.
const OF: &[u8] = b"STREAMFOLD::PART_OF";
/// The one which says whose events are in it. All other locations that it defines are there for their numbers.
const LOCATIONS: &[u8] = b"STREAMFOLD::PART_LOCATIONS";

/// A part of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// By which the trace is known: parts with the same one are of the same trace.
    pub of: u64,
    /// How many locations the trace has.
    all: u64,
    /// The locations whose events it has, as stretches of the first and the last number, in their order.
    locations: Vec<(u64, u64)>,
}

impl Part {
    /// Returns the part that an anchor describes. `None`: it is no part, or its properties are not understood.
    pub(crate) fn of(anchor: &Anchor) -> Option<Part> {
        let value = |wanted: &[u8]| {
            let property = anchor.properties.iter().find(|(name, _)| name == wanted);
            property.and_then(|(_, value)| std::str::from_utf8(value).ok())
        };
        let (of, all) = value(OF)?.split_once('/')?;
        let (of, all) = (u64::from_str_radix(of, 16).ok()?, all.parse().ok()?);
        Some(Part { of, all, locations: read_stretches(value(LOCATIONS)?)? })
    }

    /// The part of a trace with the events of some of its locations, in the order of their numbers. Of what is a part
    /// itself it is a smaller one.
    pub(crate) fn with(
        anchor: &Anchor,
        definitions: &Definitions,
        chosen: impl Iterator<Item = LocationRef>,
    ) -> Part {
        let before = Part::of(anchor);
        let new = || (known_by(anchor, definitions), definitions.locations.len() as u64);
        let (of, all) = before.as_ref().map_or_else(new, |part| (part.of, part.all));
        let chosen = chosen.map(|location| location.0);
        let has = |location: &u64| before.as_ref().is_none_or(|part| part.has(*location));
        Part { of, all, locations: stretches(chosen.filter(has)) }
    }

    /// All parts as one, if they are of one trace and not all of it.
    pub(crate) fn together<'a>(anchors: impl Iterator<Item = &'a Anchor>) -> Option<Part> {
        let parts: Vec<Part> = anchors.map(Part::of).collect::<Option<_>>()?;
        let Part { of, all, .. } = *parts.first()?;
        let mut present: Vec<(u64, u64)> =
            parts.iter().flat_map(|part| &part.locations).copied().collect();
        present.sort_unstable();
        let mut locations: Vec<(u64, u64)> = Vec::new();
        for (first, last) in present {
            match locations.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => {
                    before.1 = before.1.max(last);
                }
                _ => locations.push((first, last)),
            }
        }
        let part = Part { of, all, locations };
        let is_part = part.count() < u128::from(all) && parts.iter().all(|part| part.of == of);
        is_part.then_some(part)
    }

    /// Of how many locations it has the events.
    fn count(&self) -> u128 {
        self.locations.iter().map(|(first, last)| u128::from(last - first) + 1).sum()
    }

    /// Returns whether it has the events of a location.
    pub(crate) fn has(&self, location: u64) -> bool {
        let behind = self.locations.partition_point(|(first, _)| *first <= location);
        behind.checked_sub(1).is_some_and(|at| location <= self.locations[at].1)
    }

    /// Says it in an anchor.
    pub(crate) fn say(&self, anchor: &mut Anchor) {
        unsay(anchor);
        let mut text = String::new();
        for (first, last) in &self.locations {
            let comma = if text.is_empty() { "" } else { "," };
            let written = match first == last {
                true => write!(text, "{comma}{first}"),
                false => write!(text, "{comma}{first}-{last}"),
            };
            written.expect("there is room for a text");
        }
        anchor.properties.push((OF.into(), format!("{:016x}/{}", self.of, self.all).into()));
        anchor.properties.push((LOCATIONS.into(), text.into()));
    }
}

/// Says no more in an anchor that this is a part.
pub(super) fn unsay(anchor: &mut Anchor) {
    anchor.properties.retain(|(name, _)| name != OF && name != LOCATIONS);
}

/// By what a trace is known of which there are parts: its identifier alone may be that of several files of one job, or
/// of none.
fn known_by(anchor: &Anchor, definitions: &Definitions) -> u64 {
    let Anchor { trace_identifier, number_of_global_definitions, .. } = anchor;
    let clock = definitions.clock.as_ref().map(|clock| {
        [clock.timer_resolution, clock.global_offset, clock.trace_length, clock.realtime_timestamp]
    });
    let mut locations: Vec<u64> = definitions.locations.keys().map(|it| it.0).collect();
    locations.sort_unstable();
    let numbers = [*trace_identifier, *number_of_global_definitions].into_iter();
    let numbers = numbers.chain(clock.into_iter().flatten()).chain(locations);
    super::identifier(numbers.flat_map(u64::to_le_bytes))
}

/// The stretches of numbers that are in their order.
fn stretches(numbers: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut found: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match found.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => found.push((number, number)),
        }
    }
    found
}

/// Stretches as they are written; `None`: these are none, or not in their order.
fn read_stretches(text: &str) -> Option<Vec<(u64, u64)>> {
    let stretch = |text: &str| -> Option<(u64, u64)> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    let texts = text.split(',').filter(|_| !text.is_empty());
    let found: Vec<(u64, u64)> = texts.map(stretch).collect::<Option<_>>()?;
    let in_order = found.iter().all(|(first, last)| first <= last)
        && found.windows(2).all(|pair| pair[0].1 < pair[1].0);
    in_order.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_otf2::WriteOptions;

    fn new() -> Anchor {
        Anchor::new(&WriteOptions::default(), 0, 0, "a test")
    }

    fn anchor(of: &str, locations: &str) -> Anchor {
        let mut anchor = new();
        anchor.properties.push((OF.into(), of.into()));
        anchor.properties.push((LOCATIONS.into(), locations.into()));
        anchor
    }

    #[test]
    fn what_an_anchor_says_is_read_as_it_was_written() {
        for numbers in [&[][..], &[0], &[0, 1, 2, 5, 7, 8], &[u64::MAX - 1, u64::MAX]] {
            let part = Part { of: 77, all: 20, locations: stretches(numbers.iter().copied()) };
            let mut anchor = anchor("1/1", "9");
            part.say(&mut anchor);
            assert_eq!(Part::of(&anchor), Some(part.clone()));
            assert_eq!(anchor.properties.len(), 2);
            let has = [0, 1, 3, 5, 6, 8, u64::MAX].map(|number| part.has(number));
            assert_eq!(has, [0, 1, 3, 5, 6, 8, u64::MAX].map(|number| numbers.contains(&number)));
        }
        for wrong in ["1-", "2-1", "1,1", "3,1", "1-4,4", "x", ",", "18446744073709551616"] {
            assert_eq!(Part::of(&anchor("1/9", wrong)), None, "{wrong}");
        }
        for wrong in ["x/9", "1/x", "1", ""] {
            assert_eq!(Part::of(&anchor(wrong, "1")), None, "{wrong}");
        }
    }

    #[test]
    fn parts_of_one_trace_are_one_part() {
        let anchors = [anchor("a/10", "5-6,9"), anchor("a/10", "0-4"), anchor("a/10", "8")];
        let all = Part::together(anchors.iter()).expect("one");
        assert_eq!((all.of, all.all, all.locations), (10, 10, vec![(0, 6), (8, 9)]));
        let last = anchor("a/10", "7");
        assert_eq!(Part::together(anchors.iter().chain([&last])), None, "the whole");
        assert_eq!(Part::together([anchor("a/9", "1"), anchor("b/9", "2")].iter()), None);
        assert_eq!(Part::together([anchor("a/9", "1"), new()].iter()), None);
    }
}
