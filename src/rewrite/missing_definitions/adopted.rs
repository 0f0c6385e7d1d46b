//! Definitions of locations become global ones.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use bstr::BString;
use streamfold_kernels::unify::numbers::Taken;
use streamfold_model::definitions::{
    Definition, Location, LocationGroup, StringDef, SystemTreeNode,
};
use streamfold_model::ids::{LocationGroupRef, LocationRef, StringRef, SystemTreeNodeRef};
use streamfold_model::references::ReferenceKind;

use super::said::{Chain, Group, Name, Node, Said};
use crate::unify::{missing, numbered};

/// Contents of the global definitions that locations may repeat, and the new ones that follow.
#[derive(Default)]
pub(super) struct Adopting {
    strings: HashMap<BString, StringRef>,
    nodes: HashMap<NodeSays, SystemTreeNodeRef>,
    /// Those that say the same in their order.
    groups: HashMap<GroupSays, Vec<LocationGroupRef>>,
    new: New,
}

/// A node of the system tree: its name, its class and its parent.
type NodeSays = (StringRef, StringRef, SystemTreeNodeRef);

/// A group of locations: its name, its type, its node and the group that created it.
type GroupSays = (StringRef, u8, SystemTreeNodeRef, LocationGroupRef);

/// Definitions that come behind what there is, and the numbers that they can have.
#[derive(Default)]
struct New {
    numbers: BTreeMap<ReferenceKind, Numbers>,
    adopted: Adopted,
}

/// Definitions that have become global.
#[derive(Debug, Default)]
pub(crate) struct Adopted {
    /// The definitions of locations, and what these lead to: what is led to comes first.
    pub definitions: Vec<Definition>,
    /// Locations that lead to what nobody defines, and what is told of it.
    pub lost: Vec<(LocationRef, String)>,
}

impl Adopted {
    /// The locations.
    pub(crate) fn locations(&self) -> impl Iterator<Item = LocationRef> + '_ {
        self.definitions.iter().filter_map(|definition| match definition {
            Definition::Location(location) => Some(location.id),
            _ => None,
        })
    }
}

/// The numbers of a kind.
#[derive(Default)]
struct Numbers {
    defined: Vec<u64>,
    /// Those that something leads to, whether they are defined or not.
    led_to: HashSet<u64>,
    taken: Taken,
    given: u64,
}

/// To what the definitions of a location lead.
const LED_TO: [ReferenceKind; 3] =
    [ReferenceKind::String, ReferenceKind::SystemTreeNode, ReferenceKind::LocationGroup];

impl New {
    /// A number that nothing has and nothing leads to.
    fn number(&mut self, kind: ReferenceKind) -> Option<u32> {
        let numbers = self.numbers.entry(kind).or_default();
        let most = kind.undefined().saturating_sub(1);
        let number = numbers.taken.free(numbers.given, most)?;
        numbers.given += 1;
        u32::try_from(number).ok()
    }

    /// A number that a location takes for a global one; undefined where it is none.
    fn global(&self, kind: ReferenceKind, number: u32) -> u32 {
        let numbers = self.numbers.get(&kind);
        let found = numbers.and_then(|all| all.defined.binary_search(&number.into()).ok());
        found.map_or(kind.undefined() as u32, |_| number)
    }
}

impl Adopting {
    /// Takes in a global definition.
    pub(super) fn know(&mut self, mut definition: Definition) {
        let numbers = &mut self.new.numbers;
        if let Some((kind, number)) = definition.defines().filter(|(kind, _)| LED_TO.contains(kind))
        {
            numbers.entry(kind).or_default().defined.push(number);
        }
        definition.renumber(&mut |kind, number| {
            if LED_TO.contains(&kind) && number != kind.undefined() {
                numbers.entry(kind).or_default().led_to.insert(number);
            }
            number
        });
        match definition {
            Definition::StringDef(it) => drop(self.strings.entry(it.string).or_insert(it.id)),
            Definition::SystemTreeNode(it) => {
                self.nodes.entry(node_says(&it)).or_insert(it.id);
            }
            Definition::LocationGroup(it) => {
                self.groups.entry(group_says(&it)).or_default().push(it.id);
            }
            _ => {}
        }
    }

    /// Makes locations global ones, beside all that is known by now.
    pub(super) fn adopt(mut self, all: impl IntoIterator<Item = (LocationRef, Said)>) -> Adopted {
        for numbers in self.new.numbers.values_mut() {
            numbers.defined.sort_unstable();
            let led_to = std::mem::take(&mut numbers.led_to).into_iter();
            numbers.taken = Taken::new(led_to.chain(numbers.defined.iter().copied()).collect());
        }
        for (location, said) in all {
            let led_to = said.led_to();
            if self.location(location, said).is_some() {
                self.lose(location, led_to);
            }
        }
        self.new.adopted
    }

    /// `None`: there are no numbers for what it leads to.
    fn location(&mut self, id: LocationRef, said: Said) -> Option<()> {
        let location = Location {
            id,
            name: self.string(said.name)?,
            location_type: said.location_type,
            number_of_events: said.number_of_events,
            location_group: self.group(said.group)?,
        };
        self.new.adopted.definitions.push(Definition::Location(location));
        Some(())
    }

    /// Tells which of the global numbers to which a location leads nobody defines. (Of all else its file is told.)
    fn lose(&mut self, location: LocationRef, led_to: [(ReferenceKind, u32); 2]) {
        for (kind, number) in led_to {
            if number != self.new.global(kind, number) {
                let called = numbered(ReferenceKind::Location, location.0);
                let text = missing(&called, 1, &numbered(kind, number.into()), "undefined now");
                self.new.adopted.lost.push((location, text));
            }
        }
    }

    fn string(&mut self, name: Name) -> Option<StringRef> {
        let Adopting { strings, new, .. } = self;
        match name {
            Name::Undefined => Some(StringRef::UNDEFINED),
            Name::Global(number) => Some(StringRef(new.global(ReferenceKind::String, number.0))),
            Name::Own(string) => known(strings, string.clone(), || {
                let id = StringRef(new.number(ReferenceKind::String)?);
                new.adopted.definitions.push(Definition::StringDef(StringDef { id, string }));
                Some(id)
            }),
        }
    }

    fn node(&mut self, nodes: Chain<Node>) -> Option<SystemTreeNodeRef> {
        let kind = ReferenceKind::SystemTreeNode;
        let mut parent = SystemTreeNodeRef(self.new.global(kind, nodes.end));
        for Node { name, class } in nodes.links.into_iter().rev() {
            let (name, class_name) = (self.string(name)?, self.string(class)?);
            let mut node =
                SystemTreeNode { id: SystemTreeNodeRef::UNDEFINED, name, class_name, parent };
            let Adopting { nodes, new, .. } = self;
            parent = known(nodes, node_says(&node), || {
                node.id = SystemTreeNodeRef(new.number(kind)?);
                let id = node.id;
                new.adopted.definitions.push(Definition::SystemTreeNode(node));
                Some(id)
            })?;
        }
        Some(parent)
    }

    fn group(&mut self, groups: Chain<Group>) -> Option<LocationGroupRef> {
        let kind = ReferenceKind::LocationGroup;
        let mut creating = LocationGroupRef(self.new.global(kind, groups.end));
        for group in groups.links.into_iter().rev() {
            let nth = group.nth as usize;
            let mut group = LocationGroup {
                id: LocationGroupRef::UNDEFINED,
                name: self.string(group.name)?,
                location_group_type: group.kind,
                system_tree_parent: self.node(group.node)?,
                creating_location_group: creating,
            };
            let Adopting { groups, new, .. } = self;
            let same = groups.entry(group_says(&group)).or_default();
            while same.len() <= nth {
                group.id = LocationGroupRef(new.number(kind)?);
                same.push(group.id);
                new.adopted.definitions.push(Definition::LocationGroup(group.clone()));
            }
            creating = same[nth];
        }
        Some(creating)
    }
}

fn node_says(node: &SystemTreeNode) -> NodeSays {
    (node.name, node.class_name, node.parent)
}

fn group_says(group: &LocationGroup) -> GroupSays {
    let kind = group.location_group_type.into();
    (group.name, kind, group.system_tree_parent, group.creating_location_group)
}

/// The number of what says this: the one that is known, or that of a `new` definition, if there is one.
fn known<S: Eq + Hash, R: Copy>(
    all: &mut HashMap<S, R>,
    says: S,
    new: impl FnOnce() -> Option<R>,
) -> Option<R> {
    match all.entry(says) {
        Entry::Occupied(known) => Some(*known.get()),
        Entry::Vacant(place) => Some(*place.insert(new()?)),
    }
}
