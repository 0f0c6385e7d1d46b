//! Definitions as they were read, so that each number means one thing.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_model::definitions::Definition;
use streamfold_model::references::{ReferenceKind, References};

use super::{named, Complaints, NumbersByKind};

/// Definitions of which no two have one number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tidied {
    /// The definitions, in their order.
    pub definitions: Vec<Definition>,
    /// Changed definitions, in words.
    pub complaints: Complaints,
    /// Definitions that repeat another one.
    pub doubled: u64,
}

/// Places of each number that is defined more than once, and its new number there.
type Places = BTreeMap<(ReferenceKind, u64), Vec<(usize, u64)>>;

/// Makes each number mean one thing. Of two definitions of one number the later one keeps it, as
/// events mean that one; what stands between the two means the earlier one, which gets a number of
/// its own.
pub fn tidy(definitions: Vec<Definition>) -> Tidied {
    let mut tidied = Tidied::default();
    let places = places(&definitions, &mut tidied);
    let last_clock = definitions.iter().rposition(|d| matches!(d, Definition::ClockProperties(_)));
    for (index, mut definition) in definitions.into_iter().enumerate() {
        if let Some((kind, number)) = definition.defines() {
            if number == kind.undefined() {
                let text =
                    format!("{} {number}: this number stands for \"undefined\"", kind.name());
                tidied.complaints.push(text);
                continue;
            }
            if let Some(of) = places.get(&(kind, number)) {
                let found = of.binary_search_by_key(&index, |(at, _)| *at);
                let Ok(found) = found else { continue };
                let own = of[found].1;
                definition.set_number(own);
            }
        } else if let Definition::ClockProperties(_) = definition {
            if Some(index) != last_clock {
                tidied.complaints.push("ClockProperties: they stand here twice".to_owned());
                continue;
            }
        }
        if !places.is_empty() {
            definition.renumber(&mut |kind, number| led_to(&places, index, kind, number));
        }
        tidied.definitions.push(definition);
    }
    leave_out_instances_of_instances(&mut tidied);
    tidied
}

/// An instance of a metric is one of a class.
fn leave_out_instances_of_instances(tidied: &mut Tidied) {
    let instance = |definition: &Definition| match definition {
        Definition::MetricInstance(instance) => Some(instance.id),
        _ => None,
    };
    let instances: BTreeSet<_> = tidied.definitions.iter().filter_map(instance).collect();
    let Tidied { definitions, complaints, .. } = tidied;
    definitions.retain(|definition| match definition {
        Definition::MetricInstance(of) if instances.contains(&of.metric_class) => {
            let (id, class) = (of.id, of.metric_class);
            let text = format!("Metric {id}: metric {class} is no class; it is left out");
            complaints.push(text);
            false
        }
        _ => true,
    });
}

/// Finds the numbers that are defined more than once. Repeated definitions are left out.
fn places(definitions: &[Definition], tidied: &mut Tidied) -> Places {
    let mut places = Places::new();
    let mut taken = NumbersByKind::default();
    for (index, definition) in definitions.iter().enumerate() {
        definition.each_reference(|_, kind, number| taken.insert(kind, number));
        let Some((kind, number)) = definition.defines() else { continue };
        taken.insert(kind, number);
        places.entry((kind, number)).or_default().push((index, number));
    }
    places.retain(|_, of| of.len() > 1);
    for ((kind, number), of) in &mut places {
        let all = of.len() as u64;
        of.dedup_by(|(at, _), (before, _)| definitions[*at] == definitions[*before]);
        tidied.doubled += all - of.len() as u64;
        if of.len() == 1 {
            continue;
        }
        let text =
            format!("{}: it is defined more than once, and not the same", named(*kind, *number));
        tidied.complaints.push(text);
        // A location is its file, whatever is said of it.
        if *kind == ReferenceKind::Location {
            of.drain(..of.len() - 1);
            continue;
        }
        let earlier = of.len() - 1;
        for (_, own) in &mut of[..earlier] {
            *own = taken.of(*kind).free();
            taken.insert(*kind, *own);
        }
    }
    places
}

/// Returns the number of the definition that a number refers to at a place: the last one before it, or else the last of
/// all.
fn led_to(places: &Places, index: usize, kind: ReferenceKind, number: u64) -> u64 {
    let Some(of) = places.get(&(kind, number)) else { return number };
    let before = of.partition_point(|(at, _)| *at < index);
    let found = if before > 0 { of.get(before - 1) } else { of.last() };
    found.map_or(number, |(_, number)| *number)
}

#[cfg(test)]
mod tests {
    use super::super::order::tests::{group, string};
    use super::*;
    use streamfold_model::enums::GroupType;

    #[test]
    fn the_later_one_keeps_the_number() {
        let all = vec![string(1, "a"), group(0, 1, GroupType::CommLocations), string(1, "b")];
        let tidied = tidy([all, vec![group(0, 1, GroupType::CommGroup)]].concat());
        assert_eq!(tidied.complaints.count, 2);
        let expected = [
            string(0, "a"),
            group(1, 0, GroupType::CommLocations),
            string(1, "b"),
            group(0, 1, GroupType::CommGroup),
        ];
        assert_eq!(tidied.definitions, expected);
    }

    #[test]
    fn what_is_said_again_is_no_complaint() {
        let tidied = tidy(vec![string(1, "a"), string(1, "a"), string(u32::MAX, "b")]);
        assert_eq!(tidied.definitions, [string(1, "a")]);
        assert_eq!((tidied.doubled, tidied.complaints.count), (1, 1));
    }
}
