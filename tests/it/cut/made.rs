//! Archives made for tests.

use std::path::PathBuf;

use streamfold::formats::otf2::{Anchor, ArchiveWriter, EventWriter, WriteOptions};
use streamfold::model::definitions::{
    ClockOffset, ClockProperties, Comm, Definition, Group, Location, LocationGroup, MappingTable,
    MetricClass, MetricMember, Region, StringDef, SystemTreeNode,
};
use streamfold::model::enums::{
    Base, CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, MappingType, MetricMode,
    MetricOccurrence, MetricType, Paradigm, RecorderKind, RegionFlag, RegionRole, Type,
};
use streamfold::model::events::{Enter, Event, Leave, MpiRecv, MpiSend};
use streamfold::model::ids::{
    CommRef, GroupRef, LocationGroupRef, LocationRef, MetricMemberRef, MetricRef, RegionRef,
    StringRef, SystemTreeNodeRef,
};
use streamfold::model::values::{IdMap, Ticks};

use crate::cut::Place;

/// So many regions there are, `r0` and so on, of which those of even numbers are of MPI.
pub const REGIONS: u32 = 10;
/// So many strings.
const STRINGS: u32 = 40;

/// An archive of processes, each with one location.
pub struct Made {
    /// Where it lies, as long as it is there.
    _place: Place,
    pub to: ArchiveWriter,
    definitions: Vec<Definition>,
    locations: u64,
    /// Properties of the anchor.
    pub properties: Vec<(&'static str, &'static str)>,
}

impl Made {
    /// With a clock from 1000 to 2000 ticks, of which a billion are a second; communicator 0 of all, and
    /// metric 0, of one integer.
    pub fn new(locations: u64) -> Made {
        let place = Place::new();
        let options = WriteOptions { event_chunk_size: 256 << 10, ..WriteOptions::default() };
        let to = ArchiveWriter::create(&place.file("made.otf2"), options).expect("an archive");
        let mut made =
            Made { _place: place, to, definitions: Vec::new(), locations, properties: Vec::new() };
        made.base();
        made.communicator();
        made
    }

    fn base(&mut self) {
        self.add(Definition::ClockProperties(ClockProperties {
            timer_resolution: 1_000_000_000,
            global_offset: 1000,
            trace_length: 1000,
            realtime_timestamp: 5_000_000_000,
        }));
        for id in 0..STRINGS {
            let string = match id {
                0 => String::new(),
                1..=REGIONS => format!("r{}", id - 1),
                _ => format!("s{id}"),
            };
            self.add(Definition::StringDef(StringDef {
                id: StringRef(id),
                string: string.as_str().into(),
            }));
        }
        self.add(Definition::SystemTreeNode(SystemTreeNode {
            id: SystemTreeNodeRef(0),
            name: StringRef(20),
            class_name: StringRef(20),
            parent: SystemTreeNodeRef::UNDEFINED,
        }));
        (0..REGIONS).for_each(|region| self.region(region));
        for location in 0..self.locations {
            let group = LocationGroupRef(location as u32);
            self.add(Definition::LocationGroup(LocationGroup {
                id: group,
                name: StringRef(30 + location as u32),
                location_group_type: LocationGroupType::Process,
                system_tree_parent: SystemTreeNodeRef(0),
                creating_location_group: LocationGroupRef::UNDEFINED,
            }));
            self.add(Definition::Location(Location {
                id: LocationRef(location),
                name: StringRef(21),
                location_type: LocationType::CpuThread,
                number_of_events: 0,
                location_group: group,
            }));
        }
    }

    fn region(&mut self, region: u32) {
        self.add(Definition::Region(Region {
            id: RegionRef(region),
            name: StringRef(region + 1),
            description: StringRef(0),
            source_file: StringRef(0),
            begin_line_number: 0,
            end_line_number: 0,
            canonical_name: StringRef(region + 1),
            region_role: RegionRole::Function,
            paradigm: if region.is_multiple_of(2) { Paradigm::Mpi } else { Paradigm::User },
            region_flags: RegionFlag::NONE,
        }));
    }

    fn communicator(&mut self) {
        let all: Vec<u64> = (0..self.locations).collect();
        for (id, group_type) in [(0, GroupType::CommLocations), (1, GroupType::CommGroup)] {
            self.add(Definition::Group(Group {
                id: GroupRef(id),
                name: StringRef(0),
                members: all.clone(),
                group_type,
                paradigm: Paradigm::Mpi,
                group_flags: GroupFlag::NONE,
            }));
        }
        self.add(Definition::Comm(Comm {
            id: CommRef(0),
            name: StringRef(22),
            group: GroupRef(1),
            parent: CommRef::UNDEFINED,
            flags: CommFlag::NONE,
        }));
        self.add(Definition::MetricMember(MetricMember {
            id: MetricMemberRef(0),
            name: StringRef(23),
            description: StringRef(0),
            metric_type: MetricType::Other,
            metric_mode: MetricMode::AbsolutePoint,
            value_type: Type::Uint64,
            base: Base::Decimal,
            exponent: 0,
            unit: StringRef(0),
        }));
        self.add(Definition::MetricClass(MetricClass {
            id: MetricRef(0),
            metric_members: vec![MetricMemberRef(0)],
            metric_occurrence: MetricOccurrence::Asynchronous,
            recorder_kind: RecorderKind::Cpu,
        }));
    }

    /// One more global definition.
    pub fn add(&mut self, definition: Definition) {
        self.definitions.push(definition);
    }

    /// Writes the events of a location.
    pub fn events(&mut self, location: u64, write: impl FnOnce(&mut Writer)) {
        let mut writer = Writer(self.to.events(LocationRef(location)));
        write(&mut writer);
        let events = writer.0.finish().expect("written");
        for definition in &mut self.definitions {
            if let Definition::Location(own) = definition {
                if own.id == LocationRef(location) {
                    own.number_of_events = events;
                }
            }
        }
    }

    /// Writes the definitions of a location: a table of regions, and clock offsets.
    pub fn local(&mut self, location: u64, regions: Option<IdMap>, offsets: &[(u64, i64)]) {
        let mut writer = self.to.local_definitions(LocationRef(location));
        if let Some(id_map) = regions {
            let table = MappingTable { mapping_type: MappingType::Region, id_map };
            writer.write(&Definition::MappingTable(table)).expect("written");
        }
        for &(time, offset) in offsets {
            let offset = ClockOffset { time, offset, standard_deviation: 0.0 };
            writer.write(&Definition::ClockOffset(offset)).expect("written");
        }
        writer.finish().expect("written");
    }

    /// Writes these as the definitions of a location.
    pub fn define(&mut self, location: u64, definitions: &[Definition]) {
        let mut writer = self.to.local_definitions(LocationRef(location));
        definitions.iter().try_for_each(|it| writer.write(it)).expect("written");
        writer.finish().expect("written");
    }

    /// Ends the archive. Returns its anchor.
    pub fn finish(&self) -> PathBuf {
        self.finish_with(0, 0)
    }

    /// The same, announcing snapshots and thumbnails.
    pub fn finish_with(&self, snapshots: u32, thumbnails: u32) -> PathBuf {
        let mut writer = self.to.global_definitions();
        self.definitions.iter().try_for_each(|it| writer.write(it)).expect("written");
        let count = writer.finish().expect("written");
        for location in 0..self.locations {
            let events =
                self.to.path(streamfold::formats::otf2::FileKind::Events(LocationRef(location)));
            if !events.exists() {
                self.to.events(LocationRef(location)).finish().expect("written");
            }
            let definitions = events.with_extension("def");
            if !definitions.exists() {
                let writer = self.to.local_definitions(LocationRef(location));
                writer.finish().expect("written");
            }
        }
        let mut anchor = Anchor::new(&self.to.options(), self.locations, count, "by hand");
        anchor.number_of_snapshots = snapshots;
        anchor.number_of_thumbnails = thumbnails;
        anchor.trace_identifier = 77;
        let properties = self.properties.iter();
        anchor.properties =
            properties.map(|(name, value)| ((*name).into(), (*value).into())).collect();
        self.to.finish(&anchor).expect("written");
        self.to.anchor_path()
    }
}

/// Writes events.
pub struct Writer(pub EventWriter);

impl Writer {
    pub fn at(&mut self, time: u64, event: Event<'_>) {
        self.0.write(Ticks(time), &[], &event).expect("written");
    }

    pub fn enter(&mut self, time: u64, region: u32) {
        self.at(time, Event::Enter(Enter { region: RegionRef(region) }));
    }

    pub fn leave(&mut self, time: u64, region: u32) {
        self.at(time, Event::Leave(Leave { region: RegionRef(region) }));
    }

    pub fn send(&mut self, time: u64, to: u32, tag: u32) {
        let communicator = CommRef(0);
        let send = MpiSend { receiver: to, communicator, msg_tag: tag, msg_length: 8 };
        self.at(time, Event::MpiSend(send));
    }

    pub fn receive(&mut self, time: u64, from: u32, tag: u32) {
        let communicator = CommRef(0);
        let receive = MpiRecv { sender: from, communicator, msg_tag: tag, msg_length: 8 };
        self.at(time, Event::MpiRecv(receive));
    }
}
