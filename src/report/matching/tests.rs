//! Reports made by hand, and matrices in which neighbours were counted together.

use std::collections::BTreeMap;

use streamfold_kernels::matching::classes::Classes;
use streamfold_kernels::matching::collectives::CollectiveTotals;
use streamfold_kernels::matching::matched::Matched;
use streamfold_kernels::matching::pairs::{Pair, NOBODY};
use streamfold_kernels::matching::totals::MessageTotals;
use streamfold_kernels::matching::{Found, Processes};
use streamfold_model::definitions::{Definition, Group, Location, LocationGroup, StringDef};
use streamfold_model::enums::{GroupFlag, GroupType, LocationGroupType, LocationType, Paradigm};
use streamfold_model::ids::{
    GroupRef, LocationGroupRef, LocationRef, StringRef, SystemTreeNodeRef,
};
use streamfold_model::store::Definitions;

use super::heat::{Heat, ValueOf, SQUARES};
use super::{MatchReport, MatrixOf};
use crate::provenance::Provenance;
use crate::tables::{Cell, Row};
use streamfold_analyses::matching::Outcome;
use streamfold_drive::{Amount, Folded, Losses};

/// Applies `look` to a report of these messages.
pub(super) fn with_report<T>(
    definitions: &Definitions,
    messages: MessageTotals,
    matrix: MatrixOf,
    look: impl FnOnce(&MatchReport<'_>) -> T,
) -> T {
    let (mut partial, losses, amount) = (Found::default(), Losses::default(), Amount::default());
    let comms = messages.by_comm.keys().map(|comm| (*comm, Default::default()));
    partial.messages.by_comm.extend(comms);
    let file = |location: LocationRef| format!("/a/{}{location}.evt", "folder/".repeat(20));
    let files: Vec<_> = messages.examples.iter().map(|example| file(example.location)).collect();
    let folded = Folded { partial, losses, amount };
    let (collectives, epochs) = (CollectiveTotals::default(), BTreeMap::new());
    let (streams, spilled) = (Vec::new(), 0);
    let outcome = &Outcome { folded, messages, collectives, epochs, streams, spilled };
    let provenance = &Provenance {
        program: String::new(),
        input: String::new(),
        trace_identifier: String::new(),
        creator: String::new(),
        options: Vec::new(),
        timer_resolution: 1,
        loss_count: 0,
        losses: Vec::new(),
    };
    let (processes, files) = (&Processes::new(definitions), &files[..]);
    look(&MatchReport { outcome, definitions, processes, provenance, matrix, files })
}

/// Five locations, 10 to 14, the last without a group. The first two, an undefined one, and the fourth have ranks.
pub(super) fn definitions() -> Definitions {
    let mut all = Definitions::default();
    for (id, text) in ["a", "b", "c", "d", "e", "group"].into_iter().enumerate() {
        let id = StringRef(id as u32);
        all.insert(Definition::StringDef(StringDef { id, string: text.into() }));
    }
    for id in 0..4 {
        all.insert(Definition::LocationGroup(LocationGroup {
            id: LocationGroupRef(id),
            name: StringRef(5),
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef::UNDEFINED,
            creating_location_group: LocationGroupRef::UNDEFINED,
        }));
    }
    for id in 0..5 {
        all.insert(Definition::Location(Location {
            id: LocationRef(10 + u64::from(id)),
            name: StringRef(id),
            location_type: LocationType::CpuThread,
            number_of_events: 0,
            location_group: LocationGroupRef(id),
        }));
    }
    all.insert(Definition::Group(Group {
        id: GroupRef(0),
        name: StringRef(0),
        group_type: GroupType::CommLocations,
        paradigm: Paradigm::Mpi,
        group_flags: GroupFlag::NONE,
        members: vec![10, 11, 999, 13],
    }));
    all
}

/// One message for each pair.
fn messages(bits: u32, pairs: &[Pair]) -> MessageTotals {
    let one = Matched { messages: 1, bytes: 8, ..Matched::default() };
    let of = pairs.iter().map(|pair| (*pair, one)).collect();
    MessageTotals { by_pair: Classes { bits, of }, ..MessageTotals::default() }
}

/// The rows of the matrix: the first and the last of those who send, of those who receive, and their names.
fn matrix(bits: u32, pairs: &[Pair], of: MatrixOf) -> Vec<([Cell; 4], [Cell; 2])> {
    let cells = |row: Row| {
        let names = [row[row.len() - 2].clone(), row[row.len() - 1].clone()];
        ([0, 2, 1, 3].map(|i| row[i].clone()), names)
    };
    with_report(&definitions(), messages(bits, pairs), of, |report| {
        report.matrix().rows().map(cells).collect()
    })
}

#[test]
fn neighbours_that_were_counted_together_are_told_by_the_first_and_the_last() {
    let nobody = NOBODY >> 1;
    let found = matrix(1, &[(0, 1), (2, nobody)], MatrixOf::Location);
    let [(first, names), (second, other_names)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(*first, [10, 11, 12, 13].map(Cell::Id));
    assert_eq!(*names, ["group · a to group · b", "group · c to group · d"].map(Cell::from));
    // There is no other behind the last.
    assert_eq!(second[..2], [14, 14].map(Cell::Id));
    assert_eq!(second[2], second[3]);
    assert_eq!(second[2], Cell::Id(u64::MAX));
    assert!(matches!(&other_names[0], Cell::Text(name) if name.ends_with(" · e")), "{found:?}");
}

#[test]
fn a_process_without_a_group_is_known_by_its_location() {
    let found = matrix(0, &[(3, 4)], MatrixOf::Process);
    let [(ids, names)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(*ids, [3, 3, 14, 14].map(Cell::Id));
    assert_eq!(names[0], Cell::from("group"));
    assert!(matches!(&names[1], Cell::Text(name) if name.ends_with(" · e")), "{found:?}");
}

#[test]
fn axes_are_in_the_order_of_ranks() {
    let mut definitions = definitions();
    let (id, name) = (GroupRef(0), StringRef(0));
    let (group_type, paradigm) = (GroupType::CommLocations, Paradigm::Mpi);
    let (group_flags, members) = (GroupFlag::NONE, vec![13, 10, 12]);
    let group = Group { id, name, group_type, paradigm, group_flags, members };
    definitions.insert(Definition::Group(group));
    for of in [MatrixOf::Location, MatrixOf::Process] {
        let heat = with_report(&definitions, messages(0, &[(1, 3), (0, 0)]), of, |report| {
            Heat::new(report, ValueOf::Messages, SQUARES)
        });
        let names = (0..heat.side).map(|square| heat.name(square));
        let ranks: Vec<_> =
            names.map(|name| name.split_once(": ").map(|(rank, _)| rank.to_owned())).collect();
        let expected = [Some("0"), Some("1"), Some("2"), None];
        assert_eq!(ranks, expected.map(|rank| rank.map(str::to_owned)));
        // The second location, which has no rank, sent to the fourth, which is the first.
        assert!(heat.squares.contains_key(&(3, 0)) && heat.squares.contains_key(&(1, 1)));
    }
}

#[test]
fn axes_have_those_with_ranks_and_those_that_sent_or_received() {
    let of = |bits, pairs: &[Pair]| {
        with_report(&definitions(), messages(bits, pairs), MatrixOf::Location, |report| {
            Heat::new(report, ValueOf::Messages, SQUARES)
        })
    };
    let heat = of(0, &[(0, 4)]);
    let names: Vec<String> = (0..heat.side).map(|square| heat.name(square)).collect();
    assert_eq!(names[..3], ["0: group · a", "1: group · b", "3: group · d"]);
    assert!(names[3].ends_with(" · e") && names.len() == 4, "{names:?}");
    assert_eq!((heat.in_square(), heat.squares.len()), (1, 1));
    let heat = of(1, &[(0, 2)]);
    let names: Vec<String> = (0..heat.side).map(|square| heat.name(square)).collect();
    assert_eq!(names[..2], ["0: group · a to group · b", "3: group · c to group · d"]);
    assert_eq!((heat.in_square(), names.len()), (2, 3));
}
