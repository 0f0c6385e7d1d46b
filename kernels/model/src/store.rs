//! The definitions of a whole trace, by kind and reference.

use std::collections::HashMap;

use bstr::{BStr, BString};
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::definitions::*;
use crate::enums::{GroupType, LocationType, MetricMode, Paradigm};
use crate::ids::*;

/// Definitions of one kind by reference, in the order of their first appearance.
///
/// The hasher is seeded at random, since references come from files that nobody vouches for.
pub type Table<K, V> = IndexMap<K, V, RandomState>;

/// Metric classes and instances share one space of references.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Metric {
    /// A class: its members, recorded together.
    Class(MetricClass),
    /// A class as recorded by another location.
    Instance(MetricInstance),
}

/// Communicators and inter-communicators share one space of references.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Communicator {
    /// Within one group.
    Comm(Comm),
    /// Between two groups.
    InterComm(InterComm),
}

/// Regular files and directories share one space of references.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum IoFile {
    /// A regular file.
    Regular(IoRegularFile),
    /// A directory.
    Directory(IoDirectory),
}

/// For each paradigm the group that lists the locations which communicate by it.
pub type CommLocations = HashMap<Paradigm, LocationList, RandomState>;

/// Group that lists the locations that communicate by a paradigm.
#[derive(Clone, Debug, PartialEq)]
pub enum LocationList {
    /// The one of this reference.
    Group(GroupRef),
    /// One whose reference has another definition now, by its place in
    /// [`Definitions::replaced_lists`].
    Replaced(usize),
    /// Made of one that lists location groups: the first thread of each, which stands for all of its process. Undefined
    /// if the group has none.
    Processes(Group),
}

/// The global definitions of a trace.
///
/// If a reference is defined twice, the later definition counts, at the place of the first; [`Definitions::redefined`]
/// counts these.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)] // each table is named after the definitions that it holds
pub struct Definitions {
    pub clock: Option<ClockProperties>,
    pub paradigms: Vec<ParadigmDef>,
    pub paradigm_properties: Vec<ParadigmPropertyDef>,
    pub io_paradigms: Table<IoParadigmRef, IoParadigm>,
    pub strings: Table<StringRef, BString>,
    pub attributes: Table<AttributeRef, Attribute>,
    pub system_tree_nodes: Table<SystemTreeNodeRef, SystemTreeNode>,
    pub location_groups: Table<LocationGroupRef, LocationGroup>,
    pub locations: Table<LocationRef, Location>,
    pub regions: Table<RegionRef, Region>,
    pub callsites: Table<CallsiteRef, Callsite>,
    pub callpaths: Table<CallpathRef, Callpath>,
    pub groups: Table<GroupRef, Group>,
    /// Groups that list the locations of a paradigm, and whose reference a later definition of another
    /// type has: some programs give one number to both. The first of each paradigm.
    pub replaced_lists: Vec<Group>,
    pub metric_members: Table<MetricMemberRef, MetricMember>,
    pub metrics: Table<MetricRef, Metric>,
    pub comms: Table<CommRef, Communicator>,
    pub parameters: Table<ParameterRef, Parameter>,
    pub rma_wins: Table<RmaWinRef, RmaWin>,
    pub metric_class_recorders: Vec<MetricClassRecorder>,
    pub system_tree_node_properties: Vec<SystemTreeNodeProperty>,
    pub system_tree_node_domains: Vec<SystemTreeNodeDomain>,
    pub location_group_properties: Vec<LocationGroupProperty>,
    pub location_properties: Vec<LocationProperty>,
    pub cart_dimensions: Table<CartDimensionRef, CartDimension>,
    pub cart_topologies: Table<CartTopologyRef, CartTopology>,
    pub cart_coordinates: Vec<CartCoordinate>,
    pub source_code_locations: Table<SourceCodeLocationRef, SourceCodeLocation>,
    pub calling_contexts: Table<CallingContextRef, CallingContext>,
    pub calling_context_properties: Vec<CallingContextProperty>,
    pub interrupt_generators: Table<InterruptGeneratorRef, InterruptGenerator>,
    pub io_file_properties: Vec<IoFileProperty>,
    pub io_files: Table<IoFileRef, IoFile>,
    pub io_handles: Table<IoHandleRef, IoHandle>,
    pub io_pre_created_handle_states: Vec<IoPreCreatedHandleState>,
    pub callpath_parameters: Vec<CallpathParameter>,
    /// Definitions taken in, of every kind.
    pub count: u64,
    /// Definitions whose reference was defined before.
    pub redefined: u64,
    /// Records of kinds that this version does not know, which were passed over.
    pub unknown: u64,
}

impl Paradigm {
    /// Tells whether it is one of accelerators.
    pub fn is_of_accelerators(self) -> bool {
        matches!(self, Paradigm::Cuda | Paradigm::Hip | Paradigm::Opencl | Paradigm::Openacc)
    }
}

impl Definitions {
    /// The category of a region of no known paradigm: its description. Formats without paradigms have the names of
    /// libraries there.
    pub fn category(&self, region: &Region) -> Option<&BStr> {
        let description = self.strings.get(&region.description)?;
        let stands = region.paradigm == Paradigm::Unknown && !description.is_empty();
        stands.then(|| BStr::new(description))
    }

    /// The class of a metric: that one, or the one of an instance.
    pub fn metric_class(&self, metric: MetricRef) -> Option<&MetricClass> {
        match self.metrics.get(&metric)? {
            Metric::Class(class) => Some(class),
            Metric::Instance(instance) => match self.metrics.get(&instance.metric_class)? {
                Metric::Class(class) => Some(class),
                Metric::Instance(_) => None,
            },
        }
    }

    /// Tells whether values of a member of a metric add up: each is the change since the one before.
    pub fn is_relative(&self, member: MetricMemberRef) -> bool {
        use MetricMode::{RelativeLast, RelativeNext, RelativePoint};
        let mode = self.metric_members.get(&member).map(|member| member.metric_mode);
        mode.is_some_and(|mode| matches!(mode, RelativePoint | RelativeLast | RelativeNext))
    }

    /// For each paradigm the first group that lists its locations; one whose reference has another
    /// definition now only where there is no other.
    pub fn comm_locations(&self) -> CommLocations {
        let mut first = CommLocations::default();
        for group in self.groups.values() {
            if group.group_type == GroupType::CommLocations {
                first.entry(group.paradigm).or_insert(LocationList::Group(group.id));
            }
        }
        for (place, group) in self.replaced_lists.iter().enumerate() {
            first.entry(group.paradigm).or_insert(LocationList::Replaced(place));
        }
        let of_processes = |group: &&Group| group.group_type == GroupType::CommLocationGroups;
        for group in self.groups.values().filter(of_processes) {
            let processes = || LocationList::Processes(self.first_threads(group));
            first.entry(group.paradigm).or_insert_with(processes);
        }
        first
    }

    /// The list of the locations that stand for the processes which a group lists.
    fn first_threads(&self, group: &Group) -> Group {
        let mut threads: HashMap<LocationGroupRef, (bool, LocationRef), RandomState> =
            HashMap::default();
        for location in self.locations.values() {
            let found = (location.location_type == LocationType::CpuThread, location.id);
            let first = threads.entry(location.location_group).or_insert(found);
            if found.0 && !first.0 {
                *first = found;
            }
        }
        let thread = |member: &u64| {
            let group = u32::try_from(*member).ok().map(LocationGroupRef);
            let found = group.and_then(|group| threads.get(&group));
            found.map_or(u64::MAX, |(_, location)| location.0)
        };
        let members = group.members.iter().map(thread).collect();
        Group { members, group_type: GroupType::CommLocations, ..group.clone() }
    }

    /// The group that lists the locations of a paradigm, of those that [`Definitions::comm_locations`]
    /// found.
    pub fn location_list<'a>(
        &'a self,
        lists: &'a CommLocations,
        paradigm: Paradigm,
    ) -> Option<&'a Group> {
        match lists.get(&paradigm)? {
            LocationList::Group(group) => self.groups.get(group),
            LocationList::Replaced(place) => self.replaced_lists.get(*place),
            LocationList::Processes(list) => Some(list),
        }
    }

    /// Returns true if the reference was defined before.
    fn put_group(&mut self, group: Group) -> bool {
        let lists = |group: &Group| group.group_type == GroupType::CommLocations;
        let is_list = lists(&group);
        let Some(before) = self.groups.insert(group.id, group) else { return false };
        let known = self.replaced_lists.iter().any(|list| list.paradigm == before.paradigm);
        if lists(&before) && !is_list && !known {
            self.replaced_lists.push(before);
        }
        true
    }

    /// Takes in one definition. Those that stand only in the files of single locations
    /// (mapping tables, clock offsets) have no place here and are left out.
    pub fn insert(&mut self, definition: Definition) {
        self.count += 1;
        let redefined = match definition {
            Definition::ClockProperties(d) => self.clock.replace(d).is_some(),
            Definition::ParadigmDef(d) => push(&mut self.paradigms, d),
            Definition::ParadigmPropertyDef(d) => push(&mut self.paradigm_properties, d),
            Definition::IoParadigm(d) => put(&mut self.io_paradigms, d.id, d),
            Definition::StringDef(d) => put(&mut self.strings, d.id, d.string),
            Definition::Attribute(d) => put(&mut self.attributes, d.id, d),
            Definition::SystemTreeNode(d) => put(&mut self.system_tree_nodes, d.id, d),
            Definition::LocationGroup(d) => put(&mut self.location_groups, d.id, d),
            Definition::Location(d) => put(&mut self.locations, d.id, d),
            Definition::Region(d) => put(&mut self.regions, d.id, d),
            Definition::Callsite(d) => put(&mut self.callsites, d.id, d),
            Definition::Callpath(d) => put(&mut self.callpaths, d.id, d),
            Definition::Group(d) => self.put_group(d),
            Definition::MetricMember(d) => put(&mut self.metric_members, d.id, d),
            Definition::MetricClass(d) => put(&mut self.metrics, d.id, Metric::Class(d)),
            Definition::MetricInstance(d) => put(&mut self.metrics, d.id, Metric::Instance(d)),
            Definition::Comm(d) => put(&mut self.comms, d.id, Communicator::Comm(d)),
            Definition::InterComm(d) => put(&mut self.comms, d.id, Communicator::InterComm(d)),
            Definition::Parameter(d) => put(&mut self.parameters, d.id, d),
            Definition::RmaWin(d) => put(&mut self.rma_wins, d.id, d),
            Definition::MetricClassRecorder(d) => push(&mut self.metric_class_recorders, d),
            Definition::SystemTreeNodeProperty(d) => push(&mut self.system_tree_node_properties, d),
            Definition::SystemTreeNodeDomain(d) => push(&mut self.system_tree_node_domains, d),
            Definition::LocationGroupProperty(d) => push(&mut self.location_group_properties, d),
            Definition::LocationProperty(d) => push(&mut self.location_properties, d),
            Definition::CartDimension(d) => put(&mut self.cart_dimensions, d.id, d),
            Definition::CartTopology(d) => put(&mut self.cart_topologies, d.id, d),
            Definition::CartCoordinate(d) => push(&mut self.cart_coordinates, d),
            Definition::SourceCodeLocation(d) => put(&mut self.source_code_locations, d.id, d),
            Definition::CallingContext(d) => put(&mut self.calling_contexts, d.id, d),
            Definition::CallingContextProperty(d) => push(&mut self.calling_context_properties, d),
            Definition::InterruptGenerator(d) => put(&mut self.interrupt_generators, d.id, d),
            Definition::IoFileProperty(d) => push(&mut self.io_file_properties, d),
            Definition::IoRegularFile(d) => put(&mut self.io_files, d.id, IoFile::Regular(d)),
            Definition::IoDirectory(d) => put(&mut self.io_files, d.id, IoFile::Directory(d)),
            Definition::IoHandle(d) => put(&mut self.io_handles, d.id, d),
            Definition::IoPreCreatedHandleState(d) => {
                push(&mut self.io_pre_created_handle_states, d)
            }
            Definition::CallpathParameter(d) => push(&mut self.callpath_parameters, d),
            Definition::MappingTable(_) | Definition::ClockOffset(_) => false,
        };
        self.redefined += u64::from(redefined);
    }

    /// Returns all definitions, kind by kind, each kind in the order of its table. Replaced definitions and unknown
    /// records are left out.
    pub fn records(&self) -> Vec<Definition> {
        let mut all: Vec<Definition> = Vec::new();
        all.extend(self.clock.clone().map(Definition::ClockProperties));
        let text = |(&id, string): (&StringRef, &BString)| StringDef { id, string: string.clone() };
        all.extend(self.strings.iter().map(text).map(Definition::StringDef));
        all.extend(self.metrics.values().cloned().map(|metric| match metric {
            Metric::Class(class) => Definition::MetricClass(class),
            Metric::Instance(instance) => Definition::MetricInstance(instance),
        }));
        // Readers look for the groups of communicators among those before them.
        all.extend(self.groups.values().cloned().map(Definition::Group));
        all.extend(self.comms.values().cloned().map(|comm| match comm {
            Communicator::Comm(comm) => Definition::Comm(comm),
            Communicator::InterComm(comm) => Definition::InterComm(comm),
        }));
        all.extend(self.io_files.values().cloned().map(|file| match file {
            IoFile::Regular(file) => Definition::IoRegularFile(file),
            IoFile::Directory(file) => Definition::IoDirectory(file),
        }));
        macro_rules! tables {
            ($($table:ident $kind:ident),* $(,)?) => {
                $(all.extend(self.$table.values().cloned().map(Definition::$kind));)*
            };
        }
        tables! {
            io_paradigms IoParadigm, attributes Attribute, system_tree_nodes SystemTreeNode,
            location_groups LocationGroup, locations Location, regions Region, callsites Callsite,
            callpaths Callpath, metric_members MetricMember, parameters Parameter,
            rma_wins RmaWin, cart_dimensions CartDimension, cart_topologies CartTopology,
            source_code_locations SourceCodeLocation, calling_contexts CallingContext,
            interrupt_generators InterruptGenerator, io_handles IoHandle,
        }
        macro_rules! lists {
            ($($list:ident $kind:ident),* $(,)?) => {
                $(all.extend(self.$list.iter().cloned().map(Definition::$kind));)*
            };
        }
        lists! {
            paradigms ParadigmDef, paradigm_properties ParadigmPropertyDef,
            metric_class_recorders MetricClassRecorder,
            system_tree_node_properties SystemTreeNodeProperty,
            system_tree_node_domains SystemTreeNodeDomain,
            location_group_properties LocationGroupProperty,
            location_properties LocationProperty, cart_coordinates CartCoordinate,
            calling_context_properties CallingContextProperty,
            io_file_properties IoFileProperty,
            io_pre_created_handle_states IoPreCreatedHandleState,
            callpath_parameters CallpathParameter,
        }
        all
    }

    /// The text of a string; `None` where it is not defined.
    pub fn string(&self, string: StringRef) -> Option<&BStr> {
        self.strings.get(&string).map(|text| text.as_ref())
    }

    /// The name of a region; `None` where region or string are not defined.
    pub fn region_name(&self, region: RegionRef) -> Option<&BStr> {
        self.string(self.regions.get(&region)?.name)
    }

    /// The name of a location; `None` where location or string are not defined.
    pub fn location_name(&self, location: LocationRef) -> Option<&BStr> {
        self.string(self.locations.get(&location)?.name)
    }

    /// The name of a location group; `None` where group or string are not defined.
    pub fn location_group_name(&self, group: LocationGroupRef) -> Option<&BStr> {
        self.string(self.location_groups.get(&group)?.name)
    }
}

/// Returns true if the reference was defined before.
fn put<K: Reference, V>(table: &mut Table<K, V>, id: K, definition: V) -> bool {
    table.insert(id, definition).is_some()
}

fn push<V>(list: &mut Vec<V>, definition: V) -> bool {
    list.push(definition);
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_definition_of_a_reference_counts_at_the_place_of_the_first() {
        let mut definitions = Definitions::default();
        for (id, text) in [(4, "a"), (2, "b"), (4, "c")] {
            let string = StringDef { id: StringRef(id), string: text.into() };
            definitions.insert(Definition::StringDef(string));
        }
        assert_eq!((definitions.count, definitions.redefined), (3, 1));
        assert_eq!(definitions.string(StringRef(4)), Some("c".into()));
        assert_eq!(definitions.strings.get_index(0).unwrap().1, "c");
        assert_eq!(definitions.string(StringRef(9)), None);
    }

    fn group(id: u32, group_type: GroupType, members: &[u64]) -> Definition {
        Definition::Group(Group {
            id: GroupRef(id),
            name: StringRef(0),
            group_type,
            paradigm: Paradigm::Mpi,
            group_flags: crate::enums::GroupFlag::NONE,
            members: members.to_vec(),
        })
    }

    #[test]
    fn a_list_of_locations_counts_although_its_reference_is_defined_again() {
        use GroupType::{CommGroup, CommLocations};
        let mut definitions = Definitions::default();
        definitions.insert(group(0, CommLocations, &[7, 8, 9]));
        definitions.insert(group(0, CommGroup, &[0, 1]));
        definitions.insert(group(0, CommLocations, &[1]));
        definitions.insert(group(0, CommGroup, &[2, 1]));
        let members = |definitions: &Definitions| {
            let lists = definitions.comm_locations();
            definitions.location_list(&lists, Paradigm::Mpi).map(|list| list.members.clone())
        };
        assert_eq!(definitions.groups[0].members, [2, 1]);
        assert_eq!(members(&definitions), Some(vec![7, 8, 9]));
        assert_eq!((definitions.count, definitions.redefined), (4, 3));
        definitions.insert(group(5, CommLocations, &[4]));
        assert_eq!(members(&definitions), Some(vec![4]), "one that has its reference still");
        let lists = definitions.comm_locations();
        assert_eq!(definitions.location_list(&lists, Paradigm::Openmp), None);
    }
}
