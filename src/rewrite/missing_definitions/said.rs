//! Definition of a location in its own file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use bstr::BString;
use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::tables::entries;
use streamfold_model::definitions::{Definition, Location, LocationGroup, SystemTreeNode};
use streamfold_model::enums::{LocationGroupType, LocationType, MappingType};
use streamfold_model::ids::{LocationGroupRef, LocationRef, StringRef, SystemTreeNodeRef};
use streamfold_model::references::ReferenceKind;

use streamfold_otf2::{Archive, Error};

/// A location as its own file defines it, by what that says and not by the numbers in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Said {
    pub name: Name,
    pub location_type: LocationType,
    pub number_of_events: u64,
    pub group: Chain<Group>,
    /// True if the file has mapping tables: then it is unified, and global numbers in it mean the global definitions.
    pub is_mapped: bool,
}

/// A name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Name {
    Undefined,
    Global(StringRef),
    Own(BString),
}

/// Something, what it is below, what that is below, …: as far as the file defines it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chain<T> {
    pub links: Vec<T>,
    /// The global number of what the last one is below; undefined, too.
    pub end: u32,
}

/// A group of locations, and the node that it is on. It is below the group that created it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Group {
    pub name: Name,
    pub kind: LocationGroupType,
    pub node: Chain<Node>,
    /// How many that say the same stand before it in the file: processes may have one name.
    pub nth: u32,
}

/// A node of the system tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Node {
    pub name: Name,
    pub class: Name,
}

impl Said {
    /// Reads the file of a location; `None`: it does not define it, or there is none.
    ///
    /// # Errors
    ///
    /// When it is damaged or cannot be read.
    pub(crate) fn read(archive: &Archive, location: LocationRef) -> Result<Option<Said>, Error> {
        let Some(mut reader) = archive.local_definitions(location)? else { return Ok(None) };
        let mut file = OwnFile::default();
        while let Some(definition) = reader.next()? {
            definition.into_iter().for_each(|definition| file.take(location, definition));
        }
        Ok(file.location.as_ref().map(|location| file.said(location)))
    }

    /// The global numbers to which the location itself leads; undefined where it leads to nothing, or its file
    /// defines it.
    pub(crate) fn led_to(&self) -> [(ReferenceKind, u32); 2] {
        let name = match self.name {
            Name::Global(name) => name,
            Name::Undefined | Name::Own(_) => StringRef::UNDEFINED,
        };
        let undefined = LocationGroupRef::UNDEFINED.0;
        let group = if self.group.links.is_empty() { self.group.end } else { undefined };
        [(ReferenceKind::String, name.0), (ReferenceKind::LocationGroup, group)]
    }
}

/// Definitions of a file that matter to its location.
#[derive(Default)]
struct OwnFile {
    location: Option<Location>,
    strings: HashMap<StringRef, BString>,
    nodes: HashMap<SystemTreeNodeRef, SystemTreeNode>,
    groups: Vec<LocationGroup>,
    /// The place of the last one of each number.
    places: HashMap<LocationGroupRef, usize>,
    /// True if it has mapping tables.
    is_mapped: bool,
    /// Its mapping table of strings.
    global_strings: Option<BTreeMap<u64, u64>>,
}

impl OwnFile {
    fn take(&mut self, of: LocationRef, definition: Definition) {
        match definition {
            Definition::StringDef(string) => drop(self.strings.insert(string.id, string.string)),
            Definition::SystemTreeNode(node) => drop(self.nodes.insert(node.id, node)),
            Definition::LocationGroup(group) => {
                self.places.insert(group.id, self.groups.len());
                self.groups.push(group);
            }
            // The first one counts, as it does among global ones.
            Definition::Location(location) if location.id == of => {
                self.location.get_or_insert(location);
            }
            Definition::MappingTable(table) => {
                self.is_mapped = true;
                if table.mapping_type == MappingType::String {
                    self.global_strings.get_or_insert_with(|| entries(&table.id_map));
                }
            }
            _ => {}
        }
    }

    fn said(&self, location: &Location) -> Said {
        Said {
            name: self.name(location.name),
            location_type: location.location_type,
            number_of_events: location.number_of_events,
            group: self.group(location.location_group),
            is_mapped: self.is_mapped,
        }
    }

    fn name(&self, name: StringRef) -> Name {
        if name == StringRef::UNDEFINED {
            return Name::Undefined;
        }
        if let Some(string) = self.strings.get(&name) {
            return Name::Own(string.clone());
        }
        let global = self.global_strings.as_ref().and_then(|all| all.get(&name.0.into()));
        let global = global.and_then(|global| u32::try_from(*global).ok());
        Name::Global(global.map_or(name, StringRef))
    }

    fn group(&self, group: LocationGroupRef) -> Chain<Group> {
        let (groups, end) = chain(group, LocationGroupRef::UNDEFINED, |group| {
            let place = *self.places.get(&group)?;
            Some((place, self.groups[place].creating_location_group))
        });
        let links = groups.into_iter().map(|place| {
            let (all, group) = (&self.groups, &self.groups[place]);
            let (name, node) = (self.name(group.name), self.node(group.system_tree_parent));
            let is_same = |other: &&LocationGroup| {
                other.location_group_type == group.location_group_type
                    && other.creating_location_group == group.creating_location_group
                    && self.name(other.name) == name
                    && self.node(other.system_tree_parent) == node
            };
            let nth = all[..place].iter().filter(is_same).count() as u32;
            Group { name, kind: group.location_group_type, node, nth }
        });
        Chain { links: links.collect(), end: end.0 }
    }

    fn node(&self, node: SystemTreeNodeRef) -> Chain<Node> {
        let (nodes, end) = chain(node, SystemTreeNodeRef::UNDEFINED, |node| {
            self.nodes.get(&node).map(|found| (found, found.parent))
        });
        let links = nodes
            .into_iter()
            .map(|node| Node { name: self.name(node.name), class: self.name(node.class_name) });
        Chain { links: links.collect(), end: end.0 }
    }
}

/// All that is found from `first` on, each with the next one, and what is not found at the end. A circle ends
/// where it closes.
fn chain<I: Copy + Eq + Hash, T>(
    first: I,
    undefined: I,
    find: impl Fn(I) -> Option<(T, I)>,
) -> (Vec<T>, I) {
    let (mut found, mut seen, mut next) = (Vec::new(), HashSet::new(), first);
    while next != undefined {
        let Some((one, behind)) = find(next) else { return (found, next) };
        if !seen.insert(next) {
            return (found, undefined);
        }
        found.push(one);
        next = behind;
    }
    (found, undefined)
}
