//! Topological order of definitions: each after those that it references.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;
use streamfold_model::definitions::{Definition, Group};
use streamfold_model::enums::GroupType;
use streamfold_model::ids::{
    CallingContextRef, CallpathRef, CommRef, IoHandleRef, LocationGroupRef, Reference,
    SystemTreeNodeRef,
};
use streamfold_model::references::ReferenceKind;

use super::named;

/// Sorts definitions by kind and number, and parents before their children. If parents lead in a circle, the parent of
/// the first of them becomes undefined; `broken` receives its name.
pub fn ordered(definitions: Vec<Definition>, mut broken: impl FnMut(String)) -> Vec<Definition> {
    let mut kinds: Vec<Vec<Definition>> = Vec::new();
    for definition in definitions {
        let kind = place(&definition);
        if kinds.len() <= kind {
            kinds.resize_with(kind + 1, Vec::new);
        }
        kinds[kind].push(definition);
    }
    for kind in &mut kinds {
        kind.sort_by_key(number);
        if any_list_is_behind(kind) {
            kind.sort_by_key(|definition| !is_list(definition));
        }
    }
    kinds.into_iter().flat_map(|kind| parents_first(kind, &mut broken)).collect()
}

/// The number by which definitions of a kind are in order; that of locations says nothing.
fn number(definition: &Definition) -> u64 {
    match definition.defines() {
        None | Some((ReferenceKind::Location, _)) => 0,
        Some((_, number)) => number,
    }
}

/// Returns whether a list of locations stands behind groups whose members are ranks by it: readers need it first.
fn any_list_is_behind(kind: &[Definition]) -> bool {
    let mut with_ranks = BTreeSet::new();
    kind.iter().any(|definition| {
        let Definition::Group(group) = definition else { return false };
        if group.group_type == GroupType::CommGroup {
            with_ranks.insert(group.paradigm);
        }
        is_list(definition) && with_ranks.contains(&group.paradigm)
    })
}

fn is_list(definition: &Definition) -> bool {
    let lists = |group: &Group| {
        matches!(group.group_type, GroupType::CommLocations | GroupType::CommLocationGroups)
    };
    matches!(definition, Definition::Group(group) if lists(group))
}

/// Returns the place of a definition's kind in the order.
fn place(definition: &Definition) -> usize {
    match definition {
        Definition::ClockProperties(_) | Definition::ClockOffset(_) => 0,
        Definition::StringDef(_) | Definition::MappingTable(_) => 1,
        Definition::ParadigmDef(_) => 2,
        Definition::ParadigmPropertyDef(_) => 3,
        Definition::IoParadigm(_) => 4,
        Definition::Attribute(_) => 5,
        Definition::SystemTreeNode(_) => 6,
        Definition::SystemTreeNodeProperty(_) => 7,
        Definition::SystemTreeNodeDomain(_) => 8,
        Definition::LocationGroup(_) => 9,
        Definition::LocationGroupProperty(_) => 10,
        Definition::Location(_) => 11,
        Definition::LocationProperty(_) => 12,
        Definition::Region(_) => 13,
        Definition::SourceCodeLocation(_) => 14,
        Definition::CallingContext(_) => 15,
        Definition::CallingContextProperty(_) => 16,
        Definition::Parameter(_) => 17,
        Definition::Callpath(_) => 18,
        Definition::CallpathParameter(_) => 19,
        Definition::Callsite(_) => 20,
        Definition::InterruptGenerator(_) => 21,
        Definition::MetricMember(_) => 22,
        Definition::Group(_) => 24,
        Definition::MetricClass(_) | Definition::MetricInstance(_) => 25,
        Definition::MetricClassRecorder(_) => 26,
        Definition::Comm(_) | Definition::InterComm(_) => 27,
        Definition::RmaWin(_) => 28,
        Definition::CartDimension(_) => 29,
        Definition::CartTopology(_) => 30,
        Definition::CartCoordinate(_) => 31,
        Definition::IoRegularFile(_) | Definition::IoDirectory(_) => 32,
        Definition::IoFileProperty(_) => 33,
        Definition::IoHandle(_) => 34,
        Definition::IoPreCreatedHandleState(_) => 35,
    }
}

/// The definition of the same kind that comes before.
fn parent(definition: &Definition) -> Option<u64> {
    match definition {
        Definition::SystemTreeNode(d) => d.parent.defined(),
        Definition::LocationGroup(d) => d.creating_location_group.defined(),
        Definition::Callpath(d) => d.parent.defined(),
        Definition::CallingContext(d) => d.parent.defined(),
        Definition::Comm(d) => d.parent.defined(),
        Definition::InterComm(d) => d.common_communicator.defined(),
        Definition::IoHandle(d) => d.parent.defined(),
        Definition::MetricInstance(d) => d.metric_class.defined(),
        _ => None,
    }
}

fn forget_parent(definition: &mut Definition) {
    match definition {
        Definition::SystemTreeNode(d) => d.parent = SystemTreeNodeRef::UNDEFINED,
        Definition::LocationGroup(d) => d.creating_location_group = LocationGroupRef::UNDEFINED,
        Definition::Callpath(d) => d.parent = CallpathRef::UNDEFINED,
        Definition::CallingContext(d) => d.parent = CallingContextRef::UNDEFINED,
        Definition::Comm(d) => d.parent = CommRef::UNDEFINED,
        Definition::InterComm(d) => d.common_communicator = CommRef::UNDEFINED,
        Definition::IoHandle(d) => d.parent = IoHandleRef::UNDEFINED,
        _ => {}
    }
}

/// The number of a reference, unless it is undefined.
trait Defined: Reference {
    fn defined(self) -> Option<u64> {
        (!self.is_undefined()).then(|| self.number())
    }
}

impl<R: Reference> Defined for R {}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnTheWay,
    Done,
}

/// Definitions of one kind, which have numbers of one space.
fn parents_first(mut all: Vec<Definition>, broken: &mut impl FnMut(String)) -> Vec<Definition> {
    if !all.iter().any(|definition| parent(definition).is_some()) {
        return all;
    }
    let number = |definition: &Definition| definition.defines().map(|(_, number)| number);
    let places: HashMap<u64, usize, RandomState> =
        all.iter().enumerate().filter_map(|(at, of)| Some((number(of)?, at))).collect();
    let mut states = vec![State::New; all.len()];
    let mut order = Vec::with_capacity(all.len());
    for start in 0..all.len() {
        let mut way = Vec::new();
        let mut at = start;
        while states[at] == State::New {
            states[at] = State::OnTheWay;
            way.push(at);
            match parent(&all[at]).and_then(|parent| places.get(&parent)) {
                Some(next) => at = *next,
                None => break,
            }
        }
        if let Some(&last) = way.last().filter(|last| **last != at || leads_to_itself(&all[at])) {
            if states[at] == State::OnTheWay {
                if let Some((kind, number)) = all[last].defines() {
                    broken(circle(kind, number));
                }
                forget_parent(&mut all[last]);
            }
        }
        for at in way.into_iter().rev() {
            states[at] = State::Done;
            order.push(at);
        }
    }
    let mut all: Vec<Option<Definition>> = all.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| all[at].take()).collect()
}

fn leads_to_itself(definition: &Definition) -> bool {
    let number = definition.defines().map(|(_, number)| number);
    parent(definition).is_some_and(|parent| Some(parent) == number)
}

fn circle(kind: ReferenceKind, number: u64) -> String {
    format!("{}: its ancestors lead back to it; it has none now", named(kind, number))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use streamfold_model::definitions::{Callpath, Region, StringDef};
    use streamfold_model::enums::{GroupFlag, Paradigm, RegionFlag, RegionRole};
    use streamfold_model::ids::{GroupRef, RegionRef, StringRef};

    pub(crate) fn string(id: u32, text: &str) -> Definition {
        Definition::StringDef(StringDef { id: StringRef(id), string: text.into() })
    }

    pub(crate) fn group(id: u32, name: u32, group_type: GroupType) -> Definition {
        Definition::Group(Group {
            id: GroupRef(id),
            name: StringRef(name),
            members: Vec::new(),
            group_type,
            paradigm: Paradigm::Mpi,
            group_flags: GroupFlag::NONE,
        })
    }

    pub(crate) fn region(id: u32, name: u32) -> Definition {
        let name = StringRef(name);
        Definition::Region(Region {
            id: RegionRef(id),
            name,
            description: name,
            source_file: name,
            begin_line_number: 0,
            end_line_number: 0,
            canonical_name: name,
            region_role: RegionRole::Unknown,
            paradigm: Paradigm::Unknown,
            region_flags: RegionFlag::NONE,
        })
    }

    /// Those of whose members they are the ranks come behind lists; other groups stay where they are.
    #[test]
    fn lists_come_before_groups_of_ranks() {
        let (list, ranks) = (GroupType::CommLocations, GroupType::CommGroup);
        let numbers = |all: Vec<Definition>| -> Vec<u64> {
            let all = ordered(all, |_| unreachable!("there are no parents"));
            all.iter().filter_map(|of| Some(of.defines()?.1)).collect()
        };
        assert_eq!(
            numbers(vec![group(0, 0, ranks), group(1, 0, list), group(2, 0, ranks)]),
            [1, 0, 2]
        );
        assert_eq!(numbers(vec![group(3, 0, list), group(1, 0, GroupType::Regions)]), [1, 3]);
        assert_eq!(numbers(vec![group(3, 0, ranks), group(1, 0, list)]), [1, 3]);
    }

    fn callpaths(pairs: &[(u32, u32)]) -> Vec<Definition> {
        let callpath = |&(id, parent): &(u32, u32)| {
            let (id, parent, region) = (CallpathRef(id), CallpathRef(parent), RegionRef(0));
            Definition::Callpath(Callpath { id, parent, region })
        };
        pairs.iter().map(callpath).collect()
    }

    const NONE: u32 = u32::MAX;

    #[test]
    fn parents_come_first() {
        let mut broken = Vec::new();
        let all = callpaths(&[(3, 2), (1, NONE), (2, 1), (4, 9)]);
        let found = ordered(all, |text| broken.push(text));
        assert_eq!(found, callpaths(&[(1, NONE), (2, 1), (3, 2), (4, 9)]));
        assert!(broken.is_empty());
    }

    #[test]
    fn circles_are_broken_at_one_place() {
        let mut broken = Vec::new();
        let all = callpaths(&[(0, 0), (1, 2), (2, 3), (3, 1), (4, 1)]);
        let found = ordered(all, |text| broken.push(text));
        assert_eq!(found, callpaths(&[(0, NONE), (3, NONE), (2, 3), (1, 2), (4, 1)]));
        assert_eq!(broken.len(), 2, "{broken:?}");
    }

    #[test]
    fn strings_come_before_what_has_a_name() {
        let found = ordered(vec![region(0, 1), string(1, "a")], |text| panic!("{text}"));
        assert_eq!(found, [string(1, "a"), region(0, 1)]);
    }
}
