//! Definitions to which others are added.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::RandomState;
use streamfold_model::definitions::{Definition, StringDef};
use streamfold_model::ids::{
    GroupRef, IoParadigmRef, LocationGroupRef, LocationRef, Reference, StringRef, SystemTreeNodeRef,
};
use streamfold_model::references::ReferenceKind;

use super::facts::{Facts, MOST_MADE_UP};
use super::metrics::Metrics;
use super::processes::{most_fileless, process_of};
use super::{defined, Numbers, NumbersByKind};

/// Definitions, with what is needed to add some.
#[derive(Debug)]
pub(super) struct Book {
    pub definitions: Vec<Definition>,
    /// Numbers that are defined.
    pub defined: NumbersByKind,
    /// Numbers that are defined or referenced: nothing else may have them.
    taken: NumbersByKind,
    /// Strings that were added, by their text.
    strings: HashMap<String, StringRef, RandomState>,
    /// The group of each process, as far as it is recorded.
    pub groups: BTreeMap<u32, LocationGroupRef>,
    /// Groups of members of communicators.
    of_comms: BTreeSet<GroupRef>,
    /// Undefined references to groups of locations.
    lost_groups: Numbers,
    /// The node of the system tree below which new groups go.
    pub node: Option<SystemTreeNodeRef>,
    /// The paradigm of handles that were added.
    pub io_paradigm: Option<IoParadigmRef>,
    /// Kinds of which any was added or left out.
    pub changed: BTreeSet<ReferenceKind>,
    /// How many were added of each kind.
    pub invented: BTreeMap<String, u64>,
    /// Locations that were added without a file.
    pub placeholders: Vec<LocationRef>,
    /// Facts about metrics, found in events.
    pub metrics: Metrics,
    /// How many definitions may still be added for other definitions.
    room: u64,
    /// How many locations may be added in all that have no file.
    most_fileless: u64,
}

impl Book {
    /// Begins with these; nothing that is added may have one of the numbers that are missing.
    pub(super) fn new(mut definitions: Vec<Definition>, facts: &Facts) -> Book {
        let (defined, mut taken) = (defined(&definitions), facts.missing.clone());
        taken.fold(&defined);
        let metrics = Metrics::new(&definitions, &defined, facts);
        let (mut groups, mut node, mut of_comms) = (BTreeMap::new(), None, BTreeSet::new());
        for definition in &mut definitions {
            definition.renumber(&mut |kind, number| {
                taken.insert(kind, number);
                number
            });
            match definition {
                Definition::Location(location) if !location.location_group.is_undefined() => {
                    groups.entry(process_of(location.id)).or_insert(location.location_group);
                }
                Definition::Comm(comm) => drop(of_comms.insert(comm.group)),
                Definition::InterComm(comm) => of_comms.extend([comm.group_a, comm.group_b]),
                Definition::SystemTreeNode(of) => drop(node.get_or_insert(of.id)),
                _ => {}
            }
        }
        Book {
            definitions,
            defined,
            taken,
            strings: HashMap::default(),
            groups,
            of_comms,
            lost_groups: facts.missing.of(ReferenceKind::LocationGroup).clone(),
            node,
            io_paradigm: None,
            changed: BTreeSet::new(),
            invented: BTreeMap::new(),
            placeholders: Vec::new(),
            metrics,
            room: MOST_MADE_UP,
            most_fileless: most_fileless(facts.locations.len()),
        }
    }

    /// Returns whether so many more locations without a file may be added.
    pub(super) fn has_room_for_fileless(&self, more: usize) -> bool {
        (self.placeholders.len() + more) as u64 <= self.most_fileless
    }

    /// Makes room for another definition that only definitions lead to. `false`: there is none, since
    /// no program has so many.
    pub(super) fn take_room(&mut self, kind: ReferenceKind) -> bool {
        let has_room = match kind {
            ReferenceKind::Location => self.has_room_for_fileless(1),
            _ => self.room > 0,
        };
        self.room = self.room.saturating_sub(1);
        has_room
    }

    /// Adds a new definition.
    pub(super) fn add(&mut self, definition: Definition) {
        if let Some((kind, number)) = definition.defines() {
            self.defined.insert(kind, number);
            self.taken.insert(kind, number);
            self.changed.insert(kind);
        }
        match self.invented.get_mut(definition.name()) {
            Some(count) => *count += 1,
            None => drop(self.invented.insert(definition.name().to_owned(), 1)),
        }
        self.definitions.push(definition);
    }

    /// Takes out the definitions at these places.
    pub(super) fn leave_out(&mut self, gone: &BTreeSet<usize>) {
        let mut place = 0;
        let Book { definitions, defined, changed, .. } = self;
        definitions.retain(|definition| {
            let stays = !gone.contains(&place);
            if let Some((kind, number)) = definition.defines().filter(|_| !stays) {
                defined.remove(kind, number);
                changed.insert(kind);
            }
            place += 1;
            stays
        });
    }

    /// Returns whether a number is defined.
    pub(super) fn has(&self, kind: ReferenceKind, number: u64) -> bool {
        self.defined.has(kind, number)
    }

    /// The first number of a kind that nothing has and nothing leads to.
    pub(super) fn free(&mut self, kind: ReferenceKind) -> u64 {
        let number = self.taken.of(kind).free();
        self.taken.insert(kind, number);
        number
    }

    /// Returns whether a group has the members of a communicator.
    pub(super) fn is_of_comm(&self, group: GroupRef) -> bool {
        self.of_comms.contains(&group)
    }

    /// A number for the group of a process: that of the process, where others lead there.
    pub(super) fn free_group(&mut self, process: u32) -> LocationGroupRef {
        let (kind, number) = (ReferenceKind::LocationGroup, u64::from(process));
        match self.lost_groups.has(number) && !self.has(kind, number) {
            true => LocationGroupRef(process),
            false => LocationGroupRef(self.free(kind) as u32),
        }
    }

    /// A string with this text.
    pub(super) fn string(&mut self, text: &str) -> StringRef {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let id = StringRef(self.free(ReferenceKind::String) as u32);
        self.add(Definition::StringDef(StringDef { id, string: text.into() }));
        self.strings.insert(text.to_owned(), id);
        id
    }
}
