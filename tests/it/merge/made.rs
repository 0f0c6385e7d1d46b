//! Archives that tests make: a few processes of one program.

use std::path::PathBuf;

use streamfold::formats::otf2::{Anchor, ArchiveWriter, WriteOptions};
use streamfold::model::definitions::{
    ClockOffset, ClockProperties, Comm, Definition, Group, Location, LocationGroup, Region,
    StringDef, SystemTreeNode,
};
use streamfold::model::enums::{
    CommFlag, Compression, FileSubstrate, GroupFlag, GroupType, LocationGroupType, LocationType,
    Paradigm, RegionFlag, RegionRole,
};
use streamfold::model::events::{Enter, Event, Leave, MpiRecv, MpiSend};
use streamfold::model::ids::{
    CommRef, GroupRef, LocationGroupRef, LocationRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold::model::markers::MarkerRecord;
use streamfold::model::values::{AttributeEntry, Ticks};
use tempfile::TempDir;

/// Nobody knows the real time.
pub const UNKNOWN: u64 = u64::MAX;

/// An event, when it was, and its attributes.
pub type Timed = (u64, Vec<AttributeEntry>, Event<'static>);

/// A process with one thread.
#[derive(Clone, Default)]
pub struct Process {
    pub location: u64,
    /// The group that it is.
    pub group: u32,
    /// The definitions that it has for itself.
    pub own: Vec<Definition>,
    pub offsets: Vec<ClockOffset>,
    pub events: Vec<Timed>,
}

/// An archive that is to be written.
#[derive(Clone)]
pub struct Trace {
    pub identifier: u64,
    pub clock: Option<ClockProperties>,
    pub event_chunk_size: u64,
    pub processes: Vec<Process>,
    /// All global definitions but the clock and the locations.
    pub global: Vec<Definition>,
    pub markers: Vec<MarkerRecord>,
    pub properties: Vec<(&'static str, &'static str)>,
    pub snapshots: u32,
}

/// An archive on disk.
pub struct Made {
    pub folder: TempDir,
    pub anchor: PathBuf,
}

impl AsRef<std::path::Path> for Made {
    fn as_ref(&self) -> &std::path::Path {
        &self.anchor
    }
}

pub fn clock(timer_resolution: u64, begin: u64, length: u64, realtime: u64) -> ClockProperties {
    ClockProperties {
        timer_resolution,
        global_offset: begin,
        trace_length: length,
        realtime_timestamp: realtime,
    }
}

/// Strings that all have.
pub const STRINGS: [&str; 6] = ["", "machine", "node", "process", "thread", "MPI_COMM_WORLD"];

pub fn string(id: u32, string: &str) -> Definition {
    Definition::StringDef(StringDef { id: StringRef(id), string: string.into() })
}

pub fn region(id: u32, name: u32) -> Definition {
    Definition::Region(Region {
        id: RegionRef(id),
        name: StringRef(name),
        description: StringRef(0),
        source_file: StringRef(0),
        begin_line_number: 1,
        end_line_number: 2,
        canonical_name: StringRef(name),
        region_role: RegionRole::Function,
        paradigm: Paradigm::User,
        region_flags: RegionFlag::NONE,
    })
}

pub fn group(id: u32, group_type: GroupType, members: &[u64]) -> Definition {
    Definition::Group(Group {
        id: GroupRef(id),
        name: StringRef(0),
        members: members.to_vec(),
        group_type,
        paradigm: Paradigm::Mpi,
        group_flags: GroupFlag::NONE,
    })
}

pub fn comm(id: u32, name: u32, group: u32, parent: CommRef) -> Definition {
    let (id, name, group) = (CommRef(id), StringRef(name), GroupRef(group));
    Definition::Comm(Comm { id, name, group, parent, flags: CommFlag::NONE })
}

pub fn node(id: u32, name: u32, class_name: u32, parent: SystemTreeNodeRef) -> Definition {
    let [name, class_name] = [name, class_name].map(StringRef);
    Definition::SystemTreeNode(SystemTreeNode {
        id: SystemTreeNodeRef(id),
        name,
        class_name,
        parent,
    })
}

/// The process with a rank, on node 0, and its name.
pub fn process_group(rank: u32) -> [Definition; 2] {
    let name = string(40 + rank, &format!("MPI Rank {rank}"));
    let group = Definition::LocationGroup(LocationGroup {
        id: LocationGroupRef(rank),
        name: StringRef(40 + rank),
        location_group_type: LocationGroupType::Process,
        system_tree_parent: SystemTreeNodeRef(0),
        creating_location_group: LocationGroupRef::UNDEFINED,
    });
    [name, group]
}

pub fn visit(times: [u64; 2], region: u32) -> Vec<Timed> {
    let region = RegionRef(region);
    vec![
        (times[0], Vec::new(), Event::Enter(Enter { region })),
        (times[1], Vec::new(), Event::Leave(Leave { region })),
    ]
}

pub fn send(receiver: u32, communicator: u32, msg_tag: u32) -> Event<'static> {
    let communicator = CommRef(communicator);
    Event::MpiSend(MpiSend { receiver, communicator, msg_tag, msg_length: 8 })
}

pub fn receive(sender: u32, communicator: u32, msg_tag: u32) -> Event<'static> {
    let communicator = CommRef(communicator);
    Event::MpiRecv(MpiRecv { sender, communicator, msg_tag, msg_length: 8 })
}

impl Trace {
    /// A trace of processes at these locations, which send a message to the next one in their world.
    /// Their region has the number and the name of `name`.
    pub fn job(identifier: u64, locations: &[u64], name: &str) -> Trace {
        let mut global: Vec<Definition> =
            (0..).zip(STRINGS).map(|(id, text)| string(id, text)).collect();
        global.extend([string(6, name), string(7, "work")]);
        global.push(node(0, 2, 1, SystemTreeNodeRef::UNDEFINED));
        global.extend([region(0, 6), region(1, 7)]);
        let ranks: Vec<u64> = (0..locations.len() as u64).collect();
        global.extend(ranks.iter().flat_map(|rank| process_group(*rank as u32)));
        let world = [
            group(0, GroupType::CommLocations, locations),
            group(1, GroupType::CommGroup, &ranks),
            comm(0, 5, 1, CommRef::UNDEFINED),
        ];
        let size = locations.len() as u32;
        let process = |(rank, location): (u32, &u64)| {
            let begin = 1_000 + u64::from(rank) * 10;
            let mut events = visit([begin, begin + 900], 0);
            let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
            events.insert(1, (begin + 100, Vec::new(), send(to, 0, rank)));
            events.insert(2, (begin + 200, Vec::new(), receive(from, 0, from)));
            Process { location: *location, group: rank, events, ..Process::default() }
        };
        let processes = (0..).zip(locations).map(process).collect();
        global.extend(world);
        Trace {
            identifier,
            clock: Some(clock(1_000_000, 1_000, 1_000, UNKNOWN)),
            event_chunk_size: 256 << 10,
            processes,
            global,
            markers: Vec::new(),
            properties: Vec::new(),
            snapshots: 0,
        }
    }

    fn locations(&self) -> impl Iterator<Item = Definition> + '_ {
        self.processes.iter().map(|process| {
            Definition::Location(Location {
                id: LocationRef(process.location),
                name: StringRef(4),
                location_type: LocationType::CpuThread,
                number_of_events: process.events.len() as u64,
                location_group: LocationGroupRef(process.group),
            })
        })
    }

    /// The global definitions, in an order in which none leads to one that follows.
    fn definitions(&self) -> Vec<Definition> {
        let is_early = |definition: &&Definition| {
            !matches!(definition, Definition::Group(_) | Definition::Comm(_))
        };
        let early = self.global.iter().filter(is_early);
        let late = self.global.iter().filter(|definition| !is_early(definition));
        let clock = self.clock.clone().map(Definition::ClockProperties);
        let all = clock.into_iter().chain(early.cloned());
        all.chain(self.locations()).chain(late.cloned()).collect()
    }

    /// The same as a tracer leaves it that cannot communicate: regions and the world are defined by each
    /// location for itself.
    pub fn ununified(mut self) -> Trace {
        let is_own = |it: &Definition| {
            matches!(it, Definition::Region(_) | Definition::Group(_) | Definition::Comm(_))
        };
        let (own, global): (Vec<_>, Vec<_>) = self.global.into_iter().partition(is_own);
        let strings = global.iter().filter(|it| matches!(it, Definition::StringDef(_)));
        let own: Vec<_> = strings.cloned().chain(own).collect();
        self.global = global;
        for process in &mut self.processes {
            process.own.clone_from(&own);
            // A region that nobody else has.
            let alone = 90 + process.group;
            process.own.push(string(alone, &format!("alone {alone}")));
            process.own.push(region(alone, alone));
            let begin = process.events[0].0;
            process.events.splice(1..1, visit([begin + 10, begin + 20], alone));
        }
        self
    }

    /// Writes it as `t.otf2` in a folder of its own.
    pub fn write(&self) -> Made {
        let folder = TempDir::new().expect("a folder");
        let anchor = self.write_to(&folder.path().join("t.otf2"));
        Made { folder, anchor }
    }

    pub fn write_to(&self, anchor: &std::path::Path) -> PathBuf {
        let event_chunk_size = self.event_chunk_size;
        let options = WriteOptions { event_chunk_size, ..WriteOptions::default() };
        let archive = ArchiveWriter::create(anchor, options).expect("folders");
        self.processes.iter().for_each(|process| process.write(&archive));
        let mut definitions = archive.global_definitions();
        self.definitions().iter().for_each(|it| definitions.write(it).expect("a definition"));
        let count = definitions.finish().expect("a file");
        if !self.markers.is_empty() {
            let mut markers = archive.markers();
            self.markers.iter().for_each(|marker| markers.write(marker).expect("a marker"));
            markers.finish().expect("a file");
        }
        archive.finish(&self.anchor(&options, count)).expect("an anchor");
        anchor.to_owned()
    }

    fn anchor(&self, options: &WriteOptions, number_of_global_definitions: u64) -> Anchor {
        let properties = self.properties.iter();
        Anchor {
            order: options.order,
            anchor_format: 3,
            trace_format: 2,
            version: [3, 0, 2],
            event_chunk_size: options.event_chunk_size,
            definition_chunk_size: options.definition_chunk_size,
            substrate: FileSubstrate::Posix,
            compression: Compression::None,
            number_of_locations: self.processes.len() as u64,
            number_of_global_definitions,
            machine_name: "".into(),
            creator: "a test".into(),
            description: "".into(),
            properties: properties.map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            trace_identifier: self.identifier,
            number_of_snapshots: self.snapshots,
            number_of_thumbnails: 0,
        }
    }
}

impl Process {
    fn write(&self, archive: &ArchiveWriter) {
        let location = LocationRef(self.location);
        let mut definitions = archive.local_definitions(location);
        let offsets = self.offsets.iter().cloned().map(Definition::ClockOffset);
        for definition in self.own.iter().cloned().chain(offsets) {
            definitions.write(&definition).expect("a definition");
        }
        definitions.finish().expect("a file");
        let mut events = archive.events(location);
        for (time, attributes, event) in &self.events {
            events.write(Ticks(*time), attributes, event).expect("an event");
        }
        events.finish().expect("a file");
    }
}
