//! Definitions as they are compared, and back.

use std::sync::Arc;

use streamfold_kernels::unify::members::{stretches, Stretch};
use streamfold_kernels::unify::{CommRefs, Content, Record, Ref, Says, Target};
use streamfold_model::definitions::{Definition, Group};
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::references::ReferenceKind;

use super::shells::Shells;
use streamfold_otf2::{definition_into, Scope};

/// That of the properties of the clock.
pub(crate) const CLOCK_PROPERTIES: u8 = 5;
/// That of a paradigm.
pub(crate) const PARADIGM: u8 = 6;
/// That of a property of a paradigm.
pub(crate) const PARADIGM_PROPERTY: u8 = 7;
/// That of a group of locations.
pub(crate) const LOCATION_GROUP: u8 = 13;
/// That of what nobody defines, which is no record: definitions have others.
const NOBODY: u8 = 0;
/// First byte of the payload in a shell.
const PAYLOAD: usize = 13;
/// Bytes of a stretch of members in a shell.
const STRETCH: usize = 24;

/// A definition as it is compared, told apart from the same one `of` something else. Locations keep their
/// numbers, by which their files are named.
pub(crate) fn record(definition: Definition, of: u64) -> Record {
    record_with(definition, of, &mut Shells::default())
}

/// The same, with a shell that others may have, too.
pub(crate) fn record_with(mut definition: Definition, of: u64, shells: &mut Shells) -> Record {
    let own = definition.defines().filter(|(kind, _)| *kind != ReferenceKind::Location);
    if own.is_some() {
        definition.set_number(0);
    }
    let mut refs = Vec::new();
    definition.renumber(&mut |kind, number| {
        if kind == ReferenceKind::Location {
            return number;
        }
        refs.push(match number == kind.undefined() {
            true => Ref::Undefined,
            false => Ref::Number(kind, number),
        });
        0
    });
    let made = matches!(
        definition,
        Definition::LocationGroup(_)
            | Definition::IoParadigm(_)
            | Definition::Comm(_)
            | Definition::InterComm(_)
            | Definition::RmaWin(_)
            | Definition::IoHandle(_)
    );
    // A communicator leads to its name, its group or groups, and its parent.
    let comm = match definition {
        Definition::Comm(_) => Some(CommRefs { group: 1, other: None, parent: 2 }),
        Definition::InterComm(_) => Some(CommRefs { group: 1, other: Some(2), parent: 3 }),
        _ => None,
    };
    let implied =
        matches!(&definition, Definition::Group(g) if g.group_type == GroupType::CommLocations);
    let set = match &definition {
        Definition::Group(group) if is_set(group.group_type) => {
            Some(refs.len() - group.members.len())
        }
        _ => None,
    };
    let shell = shells.get(|shell, payload| put(definition, of, shell, payload));
    let says = Says { shell, refs, set, made, comm, implied, ..Says::default() };
    Record { own, says: Arc::new(says) }
}

/// Returns whether the members of groups of this type are a set of definitions: each counts once, in no order. (The
/// places of locations in a list are ranks, and no two locations become one.)
fn is_set(group_type: GroupType) -> bool {
    group_type.leads_to().is_some_and(|kind| kind != ReferenceKind::Location)
}

/// The record of a group with these members, which are ranks or locations.
pub(crate) fn group(group: Group, members: &[Stretch]) -> Record {
    let mut record = record(Definition::Group(group), 0);
    let says = record.says_mut();
    let mut shell = says.shell.to_vec();
    push_members(&mut shell, members);
    says.shell = shell.into();
    record
}

/// Returns a substitute for an undefined reference among the definitions of something (see [`of`]). It gets a number
/// that nothing else has, and is not written.
pub(crate) fn nobody(kind: ReferenceKind, number: u64, of: u64) -> Record {
    let payload = [&[kind as u8][..], &number.to_le_bytes()].concat();
    let shell = [&(payload.len() as u32).to_le_bytes()[..], &of.to_le_bytes(), &[NOBODY], &payload];
    let says = Says { shell: shell.concat().into(), ..Says::default() };
    Record { own: Some((kind, number)), says: Arc::new(says) }
}

/// Returns whether a shell stands for an undefined reference.
pub(crate) fn is_nobody(shell: &[u8]) -> bool {
    record_id(shell) == NOBODY
}

/// The record without numbers: the length of what follows, what it is of, its number on disk and payload,
/// and members of groups in stretches.
pub(crate) fn put(mut definition: Definition, of: u64, shell: &mut Vec<u8>, payload: &mut Vec<u8>) {
    let members = match &mut definition {
        Definition::Group(group) if !group.members.is_empty() => {
            let members = std::mem::take(&mut group.members);
            // The references of a set tell who is in it.
            if is_set(group.group_type) {
                Vec::new()
            } else {
                stretches(members)
            }
        }
        _ => Vec::new(),
    };
    let id = definition_into(&definition, payload);
    shell.reserve(PAYLOAD + payload.len() + STRETCH * members.len());
    shell.extend((payload.len() as u32).to_le_bytes());
    shell.extend(of.to_le_bytes());
    shell.push(id);
    shell.extend_from_slice(payload);
    push_members(shell, &members);
}

fn push_members(shell: &mut Vec<u8>, members: &[Stretch]) {
    for Stretch { first, step, count } in members {
        shell.extend([first, step, count].into_iter().flat_map(|number| number.to_le_bytes()));
    }
}

/// The number on disk of the record in a shell.
pub(crate) fn record_id(shell: &[u8]) -> u8 {
    shell[PAYLOAD - 1]
}

/// Returns the definition in a shell, without the members of a group.
pub(crate) fn without_members(shell: &[u8]) -> Definition {
    let payload = &shell[PAYLOAD..][..length(shell)];
    let decoded = Scope::Global.definition_from_bytes(record_id(shell), payload);
    decoded.ok().flatten().expect("it was made from a definition")
}

/// Bytes of the payload in a shell.
fn length(shell: &[u8]) -> usize {
    u32::from_le_bytes([shell[0], shell[1], shell[2], shell[3]]) as usize
}

/// Returns the number that tells the record in a shell apart from equal ones.
pub(crate) fn of(shell: &[u8]) -> u64 {
    u64::from_le_bytes(shell[4..PAYLOAD - 1].try_into().expect("eight bytes"))
}

/// Tells a record apart from the same one of something else.
pub(crate) fn tell_apart(record: &mut Record, of: u64) {
    let says = record.says_mut();
    let mut shell = says.shell.to_vec();
    shell[4..PAYLOAD - 1].copy_from_slice(&of.to_le_bytes());
    says.shell = shell.into();
}

fn parts(shell: &[u8]) -> (Definition, Vec<Stretch>) {
    let definition = without_members(shell);
    let rest = &shell[PAYLOAD + length(shell)..];
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let stretch = |bytes: &[u8]| Stretch {
        first: number(&bytes[..8]),
        step: number(&bytes[8..16]),
        count: number(&bytes[16..]),
    };
    (definition, rest.chunks_exact(STRETCH).map(stretch).collect())
}

/// A definition of a content, with its own number and those that `number` gives to what it leads to.
pub(crate) fn definition(
    content: &Content,
    own: Option<u64>,
    mut number: impl FnMut(ReferenceKind, Target) -> u64,
) -> Definition {
    let (mut definition, members) = parts(&content.shell);
    if let Definition::Group(group) = &mut definition {
        group.members = match is_set(group.group_type) {
            // All but its name.
            true => vec![0; content.targets.len() - 1],
            false => members.into_iter().flat_map(Stretch::members).collect(),
        };
    }
    if let Some(own) = own {
        definition.set_number(own);
    }
    let mut targets = content.targets.iter();
    definition.renumber(&mut |kind, old| match kind {
        ReferenceKind::Location => old,
        kind => number(kind, *targets.next().expect("each field was told")),
    });
    definition
}

/// The definition of a record that has a number, with the numbers of its file.
pub(crate) fn with_numbers(record: &Record, own: u64) -> Definition {
    let content = Content {
        shell: record.shell[..].into(),
        targets: record
            .refs
            .iter()
            .map(|reference| match reference {
                Ref::Undefined => Target::Undefined,
                Ref::Number(_, number) => Target::Dangling(*number),
            })
            .collect(),
        nth: 0,
    };
    definition(&content, Some(own), |kind, target| match target {
        Target::Dangling(number) => number,
        _ => kind.undefined(),
    })
}

/// The paradigm of a group of ranks, as a number, and who is in it.
pub(crate) type CommMembers = (u8, Vec<Stretch>);

/// Members of a group, and their paradigm. The type tells whether these are all locations of the paradigm.
pub(crate) struct GroupMembers {
    pub paradigm: Paradigm,
    pub members: Vec<Stretch>,
    pub kind: GroupType,
}

/// The members of a group; `None`: it is none.
pub(crate) fn members(shell: &[u8]) -> Option<GroupMembers> {
    if is_nobody(shell) {
        return None;
    }
    match parts(shell) {
        (Definition::Group(group), members) => {
            Some(GroupMembers { paradigm: group.paradigm, members, kind: group.group_type })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::definitions::{Group, MetricInstance, StringDef};
    use streamfold_model::enums::{GroupFlag, MetricScope};
    use streamfold_model::ids::{GroupRef, LocationRef, MetricRef, StringRef};

    /// Returns the definition again, after every target has got its number back.
    fn back(definition: &Definition) -> Definition {
        let record = record(definition.clone(), 3);
        let (_, own) = record.own.expect("each defines something");
        with_numbers(&record, own)
    }

    #[test]
    fn definitions_come_back_from_what_is_compared() {
        let group = |group_type, members: Vec<u64>| {
            Definition::Group(Group {
                id: GroupRef(5),
                name: StringRef(u32::MAX),
                members,
                group_type,
                paradigm: Paradigm::Mpi,
                group_flags: GroupFlag::NONE,
            })
        };
        let all = [
            Definition::StringDef(StringDef { id: StringRef(3), string: "main".into() }),
            group(GroupType::CommGroup, vec![0, 2, 4, 9, 9]),
            group(GroupType::CommLocations, vec![7, 6, 5]),
            group(GroupType::Regions, vec![70, 6]),
            group(GroupType::CommSelf, vec![]),
            Definition::MetricInstance(MetricInstance {
                id: MetricRef(1),
                metric_class: MetricRef(2),
                recorder: LocationRef(1 << 40),
                metric_scope: MetricScope::Location,
                scope: 17,
            }),
        ];
        for definition in all {
            assert_eq!(back(&definition), definition);
        }
    }

    #[test]
    fn large_regular_groups_are_small() {
        let world = Definition::Group(Group {
            id: GroupRef(5),
            name: StringRef(0),
            members: (0..1_000_000).collect(),
            group_type: GroupType::CommGroup,
            paradigm: Paradigm::Mpi,
            group_flags: GroupFlag::NONE,
        });
        assert!(record(world, 0).shell.len() < 60);
    }
}
