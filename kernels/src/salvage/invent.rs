//! Missing definitions, as far as their uses determine them.

use streamfold_model::definitions::*;
use streamfold_model::enums::*;
use streamfold_model::ids::*;
use streamfold_model::references::ReferenceKind;

use super::book::Book;
use super::facts::Facts;
use super::processes::process_of;

/// The groups of communicating locations, once they are needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommGroups {
    /// Of processes, by messages.
    pub ranks: Option<GroupRef>,
    /// Of threads.
    pub threads: Option<GroupRef>,
}

impl CommGroups {
    /// The group of a communicator with unknown members.
    pub(super) fn of(self, comm: CommRef, facts: &Facts) -> Option<GroupRef> {
        let CommGroups { ranks, threads } = self;
        match facts.comms.get(&comm.0).is_none_or(|of| of.messages) {
            true => ranks.or(threads),
            false => threads.or(ranks),
        }
    }
}

impl Book {
    /// Adds a definition of this kind and number, by what events say of it. `false`: there is
    /// nothing that it could say.
    pub(super) fn invent(
        &mut self,
        kind: ReferenceKind,
        number: u64,
        facts: &Facts,
        groups: CommGroups,
    ) -> bool {
        let id = number as u32;
        match kind {
            ReferenceKind::String => {
                let (id, string) = (StringRef(id), format!("string {number}").into());
                self.add(Definition::StringDef(StringDef { id, string }));
            }
            ReferenceKind::Location => self.invent_location(LocationRef(number), facts),
            ReferenceKind::LocationGroup => self.invent_location_group(LocationGroupRef(id)),
            ReferenceKind::SystemTreeNode => {
                self.invent_node(SystemTreeNodeRef(id));
            }
            ReferenceKind::Region => self.invent_region(RegionRef(id), &format!("region {number}")),
            ReferenceKind::Attribute => self.invent_attribute(AttributeRef(id), facts),
            ReferenceKind::Parameter => self.invent_parameter(ParameterRef(id), facts),
            ReferenceKind::Metric => self.invent_metric(MetricRef(id)),
            ReferenceKind::MetricMember => {
                let name = format!("metric member {number}");
                let value_type = self.metrics.of_member(id);
                self.invent_member(MetricMemberRef(id), &name, value_type);
            }
            ReferenceKind::Group => self.invent_group(GroupRef(id)),
            ReferenceKind::Comm => self.invent_comm(CommRef(id), facts, groups),
            ReferenceKind::RmaWin => self.invent_window(RmaWinRef(id), facts, groups),
            _ => return self.invent_other(kind, number),
        }
        true
    }

    fn invent_other(&mut self, kind: ReferenceKind, number: u64) -> bool {
        let id = number as u32;
        match kind {
            ReferenceKind::CallingContext => self.invent_context(CallingContextRef(id)),
            ReferenceKind::Callpath => {
                let region = self.new_region(&format!("call path {number}"));
                let (id, parent) = (CallpathRef(id), CallpathRef::UNDEFINED);
                self.add(Definition::Callpath(Callpath { id, parent, region }));
            }
            ReferenceKind::SourceCodeLocation => {
                // Readers look at every name of a file.
                let (id, file) = (SourceCodeLocationRef(id), self.string(""));
                let line = SourceCodeLocation { id, file, line_number: 0 };
                self.add(Definition::SourceCodeLocation(line));
            }
            ReferenceKind::InterruptGenerator => {
                let generator = InterruptGenerator {
                    id: InterruptGeneratorRef(id),
                    name: self.string(&format!("interrupt generator {number}")),
                    interrupt_generator_mode: InterruptGeneratorMode::Count,
                    base: Base::Decimal,
                    exponent: 0,
                    period: 1,
                };
                self.add(Definition::InterruptGenerator(generator));
            }
            ReferenceKind::IoParadigm => self.invent_io_paradigm(IoParadigmRef(number as u8)),
            ReferenceKind::IoFile => {
                let name = self.string(&format!("file {number}"));
                let (id, scope) = (IoFileRef(id), SystemTreeNodeRef::UNDEFINED);
                self.add(Definition::IoRegularFile(IoRegularFile { id, name, scope }));
            }
            ReferenceKind::IoHandle => self.invent_io_handle(IoHandleRef(id)),
            _ => return false,
        }
        true
    }

    /// The location of an event file; or one that others lead to, which has none.
    fn invent_location(&mut self, id: LocationRef, facts: &Facts) {
        let known = facts.locations.get(&id).copied();
        if known.is_none() {
            self.placeholders.push(id);
        }
        let known = known.unwrap_or_default();
        let location = Location {
            id,
            name: self.string(&format!("location {id}")),
            location_type: match (known.activity.program, known.activity.metrics) {
                (true, _) => LocationType::CpuThread,
                (false, true) => LocationType::Metric,
                (false, false) => LocationType::Unknown,
            },
            number_of_events: known.events,
            location_group: self.group_of(id),
        };
        self.add(Definition::Location(location));
    }

    /// The group of a location: that of its process.
    pub(super) fn group_of(&mut self, location: LocationRef) -> LocationGroupRef {
        let process = process_of(location);
        if let Some(group) = self.groups.get(&process) {
            return *group;
        }
        let group = self.free_group(process);
        self.groups.insert(process, group);
        let name = format!("process {process}");
        self.put_location_group(group, &name);
        group
    }

    fn invent_location_group(&mut self, id: LocationGroupRef) {
        self.put_location_group(id, &format!("location group {id}"));
    }

    fn put_location_group(&mut self, id: LocationGroupRef, name: &str) {
        let node = match self.node {
            Some(node) => node,
            None => {
                let node = SystemTreeNodeRef(self.free(ReferenceKind::SystemTreeNode) as u32);
                self.invent_node(node)
            }
        };
        let group = LocationGroup {
            id,
            name: self.string(name),
            location_group_type: LocationGroupType::Process,
            system_tree_parent: node,
            creating_location_group: LocationGroupRef::UNDEFINED,
        };
        self.add(Definition::LocationGroup(group));
    }

    fn invent_node(&mut self, id: SystemTreeNodeRef) -> SystemTreeNodeRef {
        let name = self.string(&format!("machine {id}"));
        let class_name = self.string("machine");
        let parent = SystemTreeNodeRef::UNDEFINED;
        self.add(Definition::SystemTreeNode(SystemTreeNode { id, name, class_name, parent }));
        *self.node.get_or_insert(id)
    }

    fn invent_region(&mut self, id: RegionRef, name: &str) {
        let (name, empty) = (self.string(name), self.string(""));
        self.add(Definition::Region(Region {
            id,
            name,
            description: empty,
            source_file: empty,
            begin_line_number: 0,
            end_line_number: 0,
            canonical_name: name,
            region_role: RegionRole::Unknown,
            paradigm: Paradigm::Unknown,
            region_flags: RegionFlag::NONE,
        }));
    }

    fn new_region(&mut self, name: &str) -> RegionRef {
        let region = RegionRef(self.free(ReferenceKind::Region) as u32);
        self.invent_region(region, name);
        region
    }

    fn invent_attribute(&mut self, id: AttributeRef, facts: &Facts) {
        let value_type = facts.attributes.get(&id.0).map_or(Type::Uint64, |seen| seen.least);
        let (name, description) = (self.string(&format!("attribute {id}")), self.string(""));
        self.add(Definition::Attribute(Attribute { id, name, value_type, description }));
    }

    fn invent_parameter(&mut self, id: ParameterRef, facts: &Facts) {
        let of = facts.parameters.get(&id.0).map_or(ParameterType::Uint64, |seen| seen.least);
        let name = self.string(&format!("parameter {id}"));
        self.add(Definition::Parameter(Parameter { id, name, parameter_type: of }));
    }

    /// Adds a group with unknown members, and of unknown kind unless a communicator references it.
    fn invent_group(&mut self, id: GroupRef) {
        let (group_type, paradigm) = match self.is_of_comm(id) {
            true => (GroupType::CommGroup, Paradigm::Mpi),
            false => (GroupType::Unknown, Paradigm::Unknown),
        };
        self.put_group(id, &format!("group {id}"), group_type, paradigm, Vec::new());
    }

    pub(super) fn put_group(
        &mut self,
        id: GroupRef,
        name: &str,
        group_type: GroupType,
        paradigm: Paradigm,
        members: Vec<u64>,
    ) {
        let (name, group_flags) = (self.string(name), GroupFlag::NONE);
        let group = Group { id, name, members, group_type, paradigm, group_flags };
        self.add(Definition::Group(group));
    }

    fn invent_comm(&mut self, id: CommRef, facts: &Facts, groups: CommGroups) {
        let group = match groups.of(id, facts) {
            Some(group) => group,
            None => {
                let group = GroupRef(self.free(ReferenceKind::Group) as u32);
                let name = format!("group {group}");
                self.put_group(group, &name, GroupType::CommGroup, Paradigm::Mpi, Vec::new());
                group
            }
        };
        let name = self.string(&format!("communicator {id}"));
        let (parent, flags) = (CommRef::UNDEFINED, CommFlag::NONE);
        self.add(Definition::Comm(Comm { id, name, group, parent, flags }));
    }

    fn invent_window(&mut self, id: RmaWinRef, facts: &Facts, groups: CommGroups) {
        let comm = CommRef(self.free(ReferenceKind::Comm) as u32);
        self.invent_comm(comm, facts, groups);
        let (name, flags) = (self.string(&format!("window {id}")), RmaWinFlag::NONE);
        self.add(Definition::RmaWin(RmaWin { id, name, comm, flags }));
    }

    fn invent_context(&mut self, id: CallingContextRef) {
        let region = self.new_region(&format!("calling context {id}"));
        self.add(Definition::CallingContext(CallingContext {
            id,
            region,
            source_code_location: SourceCodeLocationRef::UNDEFINED,
            parent: CallingContextRef::UNDEFINED,
        }));
    }

    fn invent_io_paradigm(&mut self, id: IoParadigmRef) {
        let name = self.string(&format!("I/O paradigm {id}"));
        self.add(Definition::IoParadigm(IoParadigm {
            id,
            identification: name,
            name,
            io_paradigm_class: IoParadigmClass::Serial,
            io_paradigm_flags: IoParadigmFlag::NONE,
            properties: Vec::new(),
        }));
    }

    /// A paradigm for all handles whose own one is unknown.
    pub(super) fn any_io_paradigm(&mut self) -> IoParadigmRef {
        if let Some(paradigm) = self.io_paradigm {
            return paradigm;
        }
        // With 255 of them defined any is as good as another one.
        let free = self.free(ReferenceKind::IoParadigm);
        let paradigm = IoParadigmRef(free.min(u64::from(u8::MAX) - 1) as u8);
        if !self.has(ReferenceKind::IoParadigm, paradigm.0.into()) {
            self.invent_io_paradigm(paradigm);
        }
        *self.io_paradigm.insert(paradigm)
    }

    fn invent_io_handle(&mut self, id: IoHandleRef) {
        let io_paradigm = self.any_io_paradigm();
        let name = self.string(&format!("I/O handle {id}"));
        self.add(Definition::IoHandle(IoHandle {
            id,
            name,
            file: IoFileRef::UNDEFINED,
            io_paradigm,
            io_handle_flags: IoHandleFlag::NONE,
            comm: CommRef::UNDEFINED,
            parent: IoHandleRef::UNDEFINED,
        }));
    }

    /// The class of a metric, with as many values as its events have.
    fn invent_metric(&mut self, id: MetricRef) {
        let types = self.metrics.of_class(id.0).to_vec();
        let mut metric_members = Vec::with_capacity(types.len());
        for (place, value_type) in types.iter().enumerate() {
            let name = match types.len() {
                1 => format!("metric {id}"),
                _ => format!("metric {id}, value {place}"),
            };
            let member = MetricMemberRef(self.free(ReferenceKind::MetricMember) as u32);
            self.invent_member(member, &name, *value_type);
            metric_members.push(member);
        }
        self.add(Definition::MetricClass(MetricClass {
            id,
            metric_members,
            metric_occurrence: MetricOccurrence::Asynchronous,
            recorder_kind: RecorderKind::Unknown,
        }));
    }

    fn invent_member(&mut self, id: MetricMemberRef, name: &str, value_type: Type) {
        let (name, empty, unit) = (self.string(name), self.string(""), self.string("#"));
        self.add(Definition::MetricMember(MetricMember {
            id,
            name,
            description: empty,
            metric_type: MetricType::Other,
            metric_mode: MetricMode::AbsolutePoint,
            value_type,
            base: Base::Decimal,
            exponent: 0,
            unit,
        }));
    }
}
