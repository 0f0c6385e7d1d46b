//! Archives made for tests.

use std::path::{Path, PathBuf};

use streamfold::formats::otf2::{Anchor, ArchiveWriter, EventWriter, WriteOptions};
use streamfold::model::definitions::{
    ClockProperties, Comm, Definition, Group, InterComm, IoParadigm, Location, LocationGroup,
    Region, RmaWin, StringDef, SystemTreeNode,
};
use streamfold::model::enums::{
    CommFlag, GroupFlag, GroupType, IoParadigmClass, IoParadigmFlag, LocationGroupType,
    LocationType, Paradigm, RegionFlag, RegionRole, RmaWinFlag,
};
use streamfold::model::events::Event;
use streamfold::model::ids::{
    CommRef, GroupRef, IoParadigmRef, LocationGroupRef, LocationRef, RegionRef, RmaWinRef,
    StringRef, SystemTreeNodeRef,
};
use streamfold::model::values::Ticks;
use tempfile::TempDir;

use crate::common::backward;

/// An archive of processes, each with as many locations as it is told to have: location L belongs to
/// process L / 10.
pub struct Made {
    folder: TempDir,
    to: ArchiveWriter,
    definitions: Vec<Definition>,
    locations: Vec<u64>,
}

/// All processes.
pub const WORLD: u32 = 0;
/// Each process for itself.
pub const OWN: u32 = 1;
/// Processes of even numbers.
pub const EVEN: u32 = 2;
/// Between those of even and those of odd numbers.
pub const BETWEEN: u32 = 3;
/// Nobody defines it.
pub const NOWHERE: u32 = 9;

impl Made {
    pub fn new(locations_of: &[u64]) -> Made {
        let folder = tempfile::tempdir().expect("a folder");
        let options = WriteOptions { event_chunk_size: 256 << 10, ..WriteOptions::default() };
        let to =
            ArchiveWriter::create(&folder.path().join("made.otf2"), options).expect("an archive");
        let numbers = (0u64..).zip(locations_of);
        let locations = numbers
            .flat_map(|(process, count)| (0..*count).map(move |l| process * 10 + l))
            .collect();
        let mut made = Made { folder, to, definitions: Vec::new(), locations };
        made.base(locations_of.len() as u32);
        made.communicators(locations_of.len() as u64);
        made
    }

    fn base(&mut self, processes: u32) {
        self.add(Definition::ClockProperties(ClockProperties {
            timer_resolution: 1_000_000,
            global_offset: 0,
            trace_length: 100_000,
            realtime_timestamp: 5_000_000_000,
        }));
        let string = StringDef { id: StringRef(0), string: "".into() };
        self.add(Definition::StringDef(string));
        for node in 0..2 {
            self.add(Definition::SystemTreeNode(SystemTreeNode {
                id: SystemTreeNodeRef(node),
                name: StringRef(0),
                class_name: StringRef(0),
                parent: SystemTreeNodeRef::UNDEFINED,
            }));
        }
        for process in 0..processes {
            self.add(Definition::LocationGroup(LocationGroup {
                id: LocationGroupRef(process),
                name: StringRef(0),
                location_group_type: LocationGroupType::Process,
                system_tree_parent: SystemTreeNodeRef(process % 2),
                creating_location_group: LocationGroupRef::UNDEFINED,
            }));
        }
    }

    fn communicators(&mut self, processes: u64) {
        let all = || 0..processes;
        self.group(0, GroupType::CommLocations, all().map(|process| process * 10));
        self.group(1, GroupType::CommGroup, all());
        self.group(2, GroupType::CommSelf, std::iter::empty());
        self.group(3, GroupType::CommGroup, all().filter(|process| process % 2 == 0));
        self.group(4, GroupType::CommGroup, all().filter(|process| process % 2 == 1));
        for (comm, group) in [(WORLD, 1), (OWN, 2), (EVEN, 3)] {
            self.add(Definition::Comm(Comm {
                id: CommRef(comm),
                name: StringRef(0),
                group: GroupRef(group),
                parent: CommRef::UNDEFINED,
                flags: CommFlag::NONE,
            }));
        }
        self.add(Definition::InterComm(InterComm {
            id: CommRef(BETWEEN),
            name: StringRef(0),
            group_a: GroupRef(3),
            group_b: GroupRef(4),
            common_communicator: CommRef::UNDEFINED,
            flags: CommFlag::NONE,
        }));
    }

    /// Defines a group of MPI.
    pub fn group(&mut self, id: u32, group_type: GroupType, members: impl Iterator<Item = u64>) {
        self.add(Definition::Group(Group {
            id: GroupRef(id),
            name: StringRef(0),
            members: members.collect(),
            group_type,
            paradigm: Paradigm::Mpi,
            group_flags: GroupFlag::NONE,
        }));
    }

    /// Defines a window of a communicator.
    pub fn window(&mut self, win: u32, comm: u32) {
        self.add(Definition::RmaWin(RmaWin {
            id: RmaWinRef(win),
            name: StringRef(0),
            comm: CommRef(comm),
            flags: RmaWinFlag::NONE,
        }));
    }

    /// Defines a region of MPI.
    pub fn region(&mut self, region: u32, name: &str) {
        self.region_of(Paradigm::Mpi, region, name);
    }

    /// Defines a region.
    pub fn region_of(&mut self, paradigm: Paradigm, region: u32, name: &str) {
        self.region_as((paradigm, RegionRole::Function), region, name);
    }

    /// Defines a region of a paradigm and a role.
    pub fn region_as(
        &mut self,
        (paradigm, region_role): (Paradigm, RegionRole),
        region: u32,
        name: &str,
    ) {
        let string = StringRef(100 + region);
        self.add(Definition::StringDef(StringDef { id: string, string: name.into() }));
        self.add(Definition::Region(Region {
            id: RegionRef(region),
            name: string,
            canonical_name: string,
            description: StringRef(0),
            region_role,
            paradigm,
            region_flags: RegionFlag::NONE,
            source_file: StringRef(0),
            begin_line_number: 0,
            end_line_number: 0,
        }));
    }

    /// Defines POSIX as the first paradigm of files.
    pub fn posix(&mut self) {
        let (string, io_paradigm_class) = (StringRef(500), IoParadigmClass::Serial);
        self.add(Definition::StringDef(StringDef { id: string, string: "POSIX".into() }));
        self.add(Definition::IoParadigm(IoParadigm {
            id: IoParadigmRef(0),
            identification: string,
            name: string,
            io_paradigm_class,
            io_paradigm_flags: IoParadigmFlag::NONE,
            properties: Vec::new(),
        }));
    }

    /// Takes all communicators out.
    pub fn forget_communicators(&mut self) {
        let is_one = |it: &Definition| matches!(it, Definition::Comm(_) | Definition::InterComm(_));
        self.definitions.retain(|definition| !is_one(definition));
    }

    /// Adds a definition.
    pub fn add(&mut self, definition: Definition) {
        self.definitions.push(definition);
    }

    /// Writes the events of a location.
    pub fn events(&mut self, location: u64, write: impl FnOnce(&mut Writer)) {
        self.events_of(LocationGroupRef((location / 10) as u32), location, write);
    }

    /// The same of a location of this group.
    pub fn events_of(
        &mut self,
        location_group: LocationGroupRef,
        location: u64,
        write: impl FnOnce(&mut Writer),
    ) {
        let mut writer = Writer(self.to.events(LocationRef(location)));
        write(&mut writer);
        let events = writer.0.finish().expect("written");
        self.add(Definition::Location(Location {
            id: LocationRef(location),
            name: StringRef(0),
            location_type: LocationType::CpuThread,
            number_of_events: events,
            location_group,
        }));
    }

    /// The same of these; times may go back.
    pub fn events_at<'e>(&mut self, location: u64, events: &[(u64, Event<'e>)]) {
        let times: Vec<u64> = events.iter().map(|(time, _)| *time).collect();
        let goes_back = backward::go_back(&times);
        self.events(location, |to| {
            for (place, (time, event)) in events.iter().enumerate() {
                let time = if goes_back { backward::instead(place) } else { *time };
                to.at(time, *event);
            }
        });
        if goes_back {
            let file = self.folder.path().join(format!("made/{location}.evt"));
            backward::set(&file, &times);
        }
    }

    /// Ends the archive. Returns its anchor.
    pub fn finish(&self) -> PathBuf {
        let mut writer = self.to.global_definitions();
        self.definitions.iter().try_for_each(|it| writer.write(it)).expect("written");
        let count = writer.finish().expect("written");
        for location in &self.locations {
            let writer = self.to.local_definitions(LocationRef(*location));
            writer.finish().expect("written");
        }
        let locations = self.locations.len() as u64;
        let mut anchor = Anchor::new(&self.to.options(), locations, count, "by hand");
        anchor.trace_identifier = 77;
        self.to.finish(&anchor).expect("written");
        self.to.anchor_path()
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// All of them, in order.
    pub fn locations(&self) -> Vec<u64> {
        self.locations.clone()
    }
}

/// Writes events.
pub struct Writer(EventWriter);

impl Writer {
    pub fn at(&mut self, time: u64, event: Event<'_>) {
        self.0.write(Ticks(time), &[], &event).expect("written");
    }
}
