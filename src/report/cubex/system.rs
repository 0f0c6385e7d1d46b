//! The system tree: machines, nodes, processes and threads.

use std::collections::{BTreeMap, HashMap};

use streamfold_model::enums::{LocationGroupType, LocationType, Paradigm};
use streamfold_model::ids::{LocationGroupRef, LocationRef, SystemTreeNodeRef};
use streamfold_model::store::Definitions;

use streamfold_text::names;

/// Everything that has a location, each thing with what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct System {
    pub nodes: Vec<Node>,
    /// Those in no other node.
    pub roots: Vec<usize>,
    /// In the order of processes.
    pub groups: Vec<Group>,
    /// Set if a location is of an accelerator: only newer versions of the format have these.
    pub has_accelerators: bool,
}

/// A machine, a node or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub name: String,
    pub class: String,
    /// Groups that are directly in the node.
    pub groups: Vec<usize>,
    pub children: Vec<usize>,
}

/// A process, or an accelerator.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub name: String,
    pub rank: u64,
    pub kind: &'static str,
    pub locations: Vec<Location>,
}

/// A thread, or a stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Location {
    pub location: LocationRef,
    pub name: String,
    pub kind: &'static str,
}

impl System {
    /// The system of these locations.
    pub(super) fn new(
        locations: impl IntoIterator<Item = LocationRef>,
        definitions: &Definitions,
    ) -> System {
        let mut of_groups: BTreeMap<LocationGroupRef, Vec<LocationRef>> = BTreeMap::new();
        for location in locations {
            let group = definitions.locations.get(&location).map(|of| of.location_group);
            let group = group.unwrap_or(LocationGroupRef::UNDEFINED);
            of_groups.entry(group).or_default().push(location);
        }
        let ranks = ranks(definitions);
        let order = |(group, locations): (LocationGroupRef, Vec<LocationRef>)| {
            let rank = locations.iter().filter_map(|location| ranks.get(location)).min().copied();
            let place = definitions.location_groups.get_index_of(&group).unwrap_or(usize::MAX);
            ((rank.unwrap_or(u64::MAX), place, group), locations)
        };
        let mut groups: Vec<_> = of_groups.into_iter().map(order).collect();
        groups.sort_unstable();
        let mut system = System::default();
        let mut nodes = Nodes { definitions, places: BTreeMap::new() };
        for ((rank, _, group), locations) in groups {
            let place = system.groups.len();
            let rank = if rank == u64::MAX { place as u64 } else { rank };
            let group_row = system.group(group, rank, locations, definitions);
            system.groups.push(group_row);
            let parent = definitions.location_groups.get(&group).map(|of| of.system_tree_parent);
            let node = nodes.place(&mut system, parent.unwrap_or(SystemTreeNodeRef::UNDEFINED));
            system.nodes[node].groups.push(place);
        }
        if system.nodes.is_empty() {
            // A tree without any node is none for the reader.
            nodes.place(&mut system, SystemTreeNodeRef::UNDEFINED);
        }
        system
    }

    fn group(
        &mut self,
        group: LocationGroupRef,
        rank: u64,
        mut locations: Vec<LocationRef>,
        definitions: &Definitions,
    ) -> Group {
        let kind = match definitions.location_groups.get(&group).map(|of| of.location_group_type) {
            Some(LocationGroupType::Accelerator) => "accelerator",
            _ => "process",
        };
        locations.sort_unstable();
        let location = |location: LocationRef| {
            let kind = match definitions.locations.get(&location).map(|of| of.location_type) {
                Some(LocationType::AcceleratorStream) => "accelerator stream",
                Some(LocationType::Metric) => "metric",
                _ => "thread",
            };
            Location { location, name: names::location(definitions, location), kind }
        };
        let locations: Vec<_> = locations.into_iter().map(location).collect();
        self.has_accelerators |= kind == "accelerator";
        self.has_accelerators |= locations.iter().any(|of| of.kind == "accelerator stream");
        Group { name: names::group(definitions, group), rank, kind, locations }
    }

    /// The locations, in the order of their columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = LocationRef> + '_ {
        self.groups.iter().flat_map(|group| &group.locations).map(|location| location.location)
    }
}

/// The rank in MPI of each location that has one.
fn ranks(definitions: &Definitions) -> HashMap<LocationRef, u64> {
    let lists = definitions.comm_locations();
    let Some(list) = definitions.location_list(&lists, Paradigm::Mpi) else {
        return HashMap::new();
    };
    // Of a location that is listed twice the first place counts.
    let members = list.members.iter().enumerate().rev();
    members.map(|(rank, member)| (LocationRef(*member), rank as u64)).collect()
}

/// Places of the nodes that are already in the tree.
struct Nodes<'a> {
    definitions: &'a Definitions,
    places: BTreeMap<SystemTreeNodeRef, usize>,
}

impl Nodes<'_> {
    /// Returns the place of a node. Adds the node and all nodes above it if they are missing.
    fn place(&mut self, system: &mut System, node: SystemTreeNodeRef) -> usize {
        let is_defined =
            |node: &SystemTreeNodeRef| self.definitions.system_tree_nodes.contains_key(node);
        let node = Some(node).filter(is_defined).unwrap_or(SystemTreeNodeRef::UNDEFINED);
        // From the node up to one that is there, or to the top.
        let mut missing = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next.filter(|node| !self.places.contains_key(node)) {
            missing.push(node);
            let parent = self.definitions.system_tree_nodes.get(&node).map(|of| of.parent);
            let parent = parent.filter(is_defined);
            // Traces may say that a node is above itself.
            next = parent.filter(|parent| !missing.contains(parent));
        }
        let mut above = next.and_then(|node| self.places.get(&node).copied());
        for node in missing.into_iter().rev() {
            let place = system.nodes.len();
            match above {
                Some(above) => system.nodes[above].children.push(place),
                None => system.roots.push(place),
            }
            let (name, class) = self.described(node);
            let (groups, children) = (Vec::new(), Vec::new());
            system.nodes.push(Node { name, class, groups, children });
            self.places.insert(node, place);
            above = Some(place);
        }
        above.unwrap_or(0)
    }

    fn described(&self, node: SystemTreeNodeRef) -> (String, String) {
        let Some(of) = self.definitions.system_tree_nodes.get(&node) else {
            return ("machine".to_owned(), "machine".to_owned());
        };
        let class = self.definitions.string(of.class_name).map(ToString::to_string);
        let name = names::system_tree_node(self.definitions, node);
        // Score-P names them so, and profiles are compared by names.
        match class.filter(|class| !class.is_empty()) {
            Some(class) => (format!("{class} {name}"), class),
            None => (name, "node".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{Definition, Location, LocationGroup, SystemTreeNode};
    use streamfold_model::ids::StringRef;

    use super::*;

    #[test]
    fn nodes_above_themselves_end_the_way_up() {
        let mut definitions = Definitions::default();
        for (id, parent) in [(0, 1), (1, 2), (2, 0), (3, 1)] {
            definitions.insert(Definition::SystemTreeNode(SystemTreeNode {
                id: SystemTreeNodeRef(id),
                name: StringRef::UNDEFINED,
                class_name: StringRef::UNDEFINED,
                parent: SystemTreeNodeRef(parent),
            }));
        }
        for id in [0, 3, 9] {
            definitions.insert(Definition::LocationGroup(LocationGroup {
                id: LocationGroupRef(id),
                name: StringRef::UNDEFINED,
                location_group_type: LocationGroupType::Process,
                system_tree_parent: SystemTreeNodeRef(id),
                creating_location_group: LocationGroupRef::UNDEFINED,
            }));
            definitions.insert(Definition::Location(Location {
                id: LocationRef(id.into()),
                name: StringRef::UNDEFINED,
                location_type: LocationType::CpuThread,
                number_of_events: 0,
                location_group: LocationGroupRef(id),
            }));
        }
        let locations = [0, 3, 9, 10].map(LocationRef);
        let system = System::new(locations, &definitions);
        assert_eq!(system.columns().collect::<Vec<_>>(), locations);
        // 2 holds 1, which holds 0 and 3; nothing is known of 9, nor of the group of 10.
        assert_eq!(system.roots, [0, 4]);
        assert_eq!(system.nodes[1].children, [2, 3]);
        let groups: Vec<_> = system.nodes.iter().map(|node| node.groups.clone()).collect();
        assert_eq!(groups, [vec![], vec![], vec![0], vec![1], vec![2, 3]]);
        assert_eq!(system.groups.len(), 4);
    }
}
