//! Definitions that are made of what was found in files that define nothing.

use bstr::{BStr, BString, ByteSlice};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::{
    Attribute, ClockProperties, Comm, Definition, Group, IoHandle, IoParadigm, IoRegularFile,
    Location, LocationGroup, LocationGroupProperty, Region, RmaWin, StringDef, SystemTreeNode,
};
use streamfold_model::enums::{
    CommFlag, GroupFlag, GroupType, IoHandleFlag, IoParadigmClass, IoParadigmFlag,
    LocationGroupType, LocationType, Paradigm, RegionFlag, RegionRole, RmaWinFlag, Type,
};
use streamfold_model::ids::{
    AttributeRef, CommRef, GroupRef, IoFileRef, IoHandleRef, IoParadigmRef, LocationGroupRef,
    LocationRef, RegionRef, RmaWinRef, StringRef, SystemTreeNodeRef,
};
use streamfold_model::store::Definitions;
use streamfold_model::values::{AttributeEntry, TypedValue};

/// Number of faults and oddities that are kept; all are counted.
const KEPT: usize = 1000;

/// Faults: their number, and the first ones.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept<T> {
    pub count: u64,
    pub first: Vec<T>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept { count: 0, first: Vec::new() }
    }
}

impl<T> Kept<T> {
    /// Counts one, and keeps it if it is among the first.
    pub(crate) fn push(&mut self, what: T) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(what);
        }
    }
}

/// An attribute of a call's enter, beside its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The file that it is about, where no operation on a handle says so.
    File(IoFileRef),
    /// The offset in its file at which it reads or writes, or to which it seeks.
    Offset(u64),
    /// It failed, with this error number, 0 where that is not known.
    Error(u32),
    /// The number that a call of a library of accelerators shares with what it starts on a stream.
    Correlation(u64),
    /// The number of the operation of a framework that a call or the work of a stream belongs to.
    External(u64),
}

impl Known {
    const ALL: [(&'static str, Type, &'static str); 5] = [
        ("file", Type::IoFile, "the file that a call is about"),
        ("offset", Type::Uint64, "where in its file a call reads or writes, or goes to"),
        ("error", Type::Uint32, "the number of the error with which a call failed; 0: not known"),
        ("correlation", Type::Uint64, "the same for a call and for what it starts on a stream"),
        (
            "external id",
            Type::Uint64,
            "the same for an operation and for what it starts on a stream",
        ),
    ];

    /// As an attribute.
    pub(crate) fn entry(self) -> AttributeEntry {
        let (number, bits) = match self {
            Known::File(file) => (0, file.0.into()),
            Known::Offset(offset) => (1, offset),
            Known::Error(error) => (2, error.into()),
            Known::Correlation(number) => (3, number),
            Known::External(number) => (4, number),
        };
        let value = TypedValue { value_type: Known::ALL[number].1, bits };
        AttributeEntry { attribute: AttributeRef(number as u32), value }
    }
}

/// The value of a property of a process.
pub(super) enum Value {
    Number(u64),
    Text(BString),
}

/// Adds definitions, and gives a reference to each text.
#[derive(Default)]
pub(super) struct Defining {
    pub definitions: Definitions,
    texts: IndexMap<BString, (), foldhash::fast::RandomState>,
}

impl Defining {
    /// The reference of a text.
    pub(crate) fn text(&mut self, text: &BStr) -> StringRef {
        if let Some(id) = self.texts.get_index_of(text) {
            return StringRef(id as u32);
        }
        let id = StringRef(self.texts.len() as u32);
        self.texts.insert(text.to_owned(), ());
        self.definitions.insert(Definition::StringDef(StringDef { id, string: text.to_owned() }));
        id
    }

    /// The attributes of [`Known`] that calls on files have.
    pub(crate) fn attributes(&mut self) {
        self.known(0..3);
    }

    /// The attribute of calls that start something on streams.
    pub(crate) fn links(&mut self) {
        self.known(3..4);
    }

    /// The attribute of operations, and of what they start on streams, where no call says so.
    pub(crate) fn external_links(&mut self) {
        self.known(4..5);
    }

    fn known(&mut self, which: std::ops::Range<u32>) {
        let known = (0..).zip(Known::ALL).filter(|(id, _)| which.contains(id));
        for (id, (name, value_type, description)) in known {
            let attribute = Attribute {
                id: AttributeRef(id),
                name: self.text(name.as_bytes().as_bstr()),
                value_type,
                description: self.text(description.as_bytes().as_bstr()),
            };
            self.definitions.insert(Definition::Attribute(attribute));
        }
    }

    /// A node of the system tree.
    pub(crate) fn node(&mut self, id: u32, name: &str, class: &str, parent: SystemTreeNodeRef) {
        let node = SystemTreeNode {
            id: SystemTreeNodeRef(id),
            name: self.text(name.as_bytes().as_bstr()),
            class_name: self.text(class.as_bytes().as_bstr()),
            parent,
        };
        self.definitions.insert(Definition::SystemTreeNode(node));
    }

    /// Defines a region, with its name, description and canonical name.
    pub(crate) fn region(
        &mut self,
        id: u32,
        [name, description, canonical_name]: [&BStr; 3],
        (region_role, paradigm): (RegionRole, Paradigm),
    ) {
        let region = Region {
            id: RegionRef(id),
            name: self.text(name),
            description: self.text(description),
            source_file: StringRef::UNDEFINED,
            begin_line_number: 0,
            end_line_number: 0,
            canonical_name: self.text(canonical_name),
            region_role,
            paradigm,
            region_flags: RegionFlag::NONE,
        };
        self.definitions.insert(Definition::Region(region));
    }

    /// A process on a node.
    pub(crate) fn process(&mut self, id: u32, name: &str, node: u32) {
        self.group((id, LocationGroupType::Process), name, node, LocationGroupRef::UNDEFINED);
    }

    /// A process or an accelerator, with the process that uses the latter.
    pub(crate) fn group(
        &mut self,
        (id, location_group_type): (u32, LocationGroupType),
        name: &str,
        node: u32,
        creating_location_group: LocationGroupRef,
    ) {
        let group = LocationGroup {
            id: LocationGroupRef(id),
            name: self.text(name.as_bytes().as_bstr()),
            location_group_type,
            system_tree_parent: SystemTreeNodeRef(node),
            creating_location_group,
        };
        self.definitions.insert(Definition::LocationGroup(group));
    }

    /// Something that is known of a process.
    pub(crate) fn property(&mut self, process: u32, name: &BStr, value: Value) {
        let (value_type, bits) = match value {
            Value::Number(number) => (Type::Uint64, number),
            Value::Text(text) => (Type::String, self.text(text.as_bstr()).0.into()),
        };
        let property = LocationGroupProperty {
            location_group: LocationGroupRef(process),
            name: self.text(name),
            value: TypedValue { value_type, bits },
        };
        self.definitions.insert(Definition::LocationGroupProperty(property));
    }

    /// A thread of a process, and how many events it has.
    pub(crate) fn thread(&mut self, id: u64, name: &str, process: u32, number_of_events: u64) {
        self.location((id, LocationType::CpuThread), name, process, number_of_events);
    }

    /// A location of any kind.
    pub(crate) fn location(
        &mut self,
        (id, location_type): (u64, LocationType),
        name: &str,
        process: u32,
        number_of_events: u64,
    ) {
        let location = Location {
            id: LocationRef(id),
            name: self.text(name.as_bytes().as_bstr()),
            location_type,
            number_of_events,
            location_group: LocationGroupRef(process),
        };
        self.definitions.insert(Definition::Location(location));
    }

    /// The ranks of MPI: of each the location that stands for it, and a communicator of all of them, which is the first.
    pub(crate) fn world(&mut self, locations: Vec<u64>) {
        let count = locations.len() as u64;
        let paradigm = Paradigm::Mpi;
        let lists = [
            (GroupType::CommLocations, "MPI ranks", locations),
            (GroupType::CommGroup, "MPI_COMM_WORLD", (0..count).collect()),
        ];
        for (id, (group_type, name, members)) in (0..).zip(lists) {
            let name = self.text(name.as_bytes().as_bstr());
            let (id, group_flags) = (GroupRef(id), GroupFlag::NONE);
            let group = Group { id, name, members, group_type, paradigm, group_flags };
            self.definitions.insert(Definition::Group(group));
        }
        let (id, group) = (CommRef(0), GroupRef(1));
        let name = self.text(b"MPI_COMM_WORLD".as_bstr());
        let (parent, flags) = (CommRef::UNDEFINED, CommFlag::NONE);
        self.definitions.insert(Definition::Comm(Comm { id, name, group, parent, flags }));
    }

    /// The locations between which accelerators copy, each with its number as its rank, in a window of all of them, which
    /// is the first.
    pub(crate) fn copies(&mut self, paradigm: Paradigm, locations: u64) {
        let first = self.definitions.groups.len() as u32;
        let name = self.text(b"locations of accelerators".as_bstr());
        for (id, group_type) in (first..).zip([GroupType::CommLocations, GroupType::CommGroup]) {
            let (id, group_flags) = (GroupRef(id), GroupFlag::NONE);
            let members = (0..locations).collect();
            let group = Group { id, name, members, group_type, paradigm, group_flags };
            self.definitions.insert(Definition::Group(group));
        }
        let (group, comm) = (GroupRef(first + 1), CommRef(self.definitions.comms.len() as u32));
        let (parent, flags) = (CommRef::UNDEFINED, CommFlag::NONE);
        self.definitions.insert(Definition::Comm(Comm { id: comm, name, group, parent, flags }));
        let (id, flags) = (RmaWinRef(0), RmaWinFlag::NONE);
        self.definitions.insert(Definition::RmaWin(RmaWin { id, name, comm, flags }));
    }

    /// How files are used.
    pub(crate) fn interface(
        &mut self,
        id: u8,
        identification: &str,
        name: &str,
        class: IoParadigmClass,
    ) {
        let paradigm = IoParadigm {
            id: IoParadigmRef(id),
            identification: self.text(identification.as_bytes().as_bstr()),
            name: self.text(name.as_bytes().as_bstr()),
            io_paradigm_class: class,
            io_paradigm_flags: IoParadigmFlag::OS,
            properties: Vec::new(),
        };
        self.definitions.insert(Definition::IoParadigm(paradigm));
    }

    /// A file that all nodes see.
    pub(crate) fn file(&mut self, id: u32, name: &BStr) {
        let (id, name, scope) = (IoFileRef(id), self.text(name), SystemTreeNodeRef(0));
        self.definitions.insert(Definition::IoRegularFile(IoRegularFile { id, name, scope }));
    }

    /// A handle of a file, without a name of its own.
    pub(crate) fn handle(&mut self, id: u32, file: u32, interface: u8) {
        let handle = IoHandle {
            id: IoHandleRef(id),
            name: self.text(b"".as_bstr()),
            file: IoFileRef(file),
            io_paradigm: IoParadigmRef(interface),
            io_handle_flags: IoHandleFlag::NONE,
            comm: CommRef::UNDEFINED,
            parent: IoHandleRef::UNDEFINED,
        };
        self.definitions.insert(Definition::IoHandle(handle));
    }

    /// Ticks a second, and the first and the last of them.
    pub(crate) fn clock(&mut self, timer_resolution: u64, (first, last): (u64, u64)) {
        self.definitions.insert(Definition::ClockProperties(ClockProperties {
            timer_resolution,
            global_offset: first,
            trace_length: last.saturating_sub(first),
            realtime_timestamp: u64::MAX,
        }));
    }
}
