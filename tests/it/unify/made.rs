//! Archives that tests make, of what locations define for themselves.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use streamfold::formats::otf2::{Anchor, ArchiveWriter, WriteOptions};
use streamfold::model::definitions::{
    ClockOffset, ClockProperties, Comm, Definition, Group, Location, LocationGroup, Region,
    StringDef, SystemTreeNode,
};
use streamfold::model::enums::{
    CommFlag, Compression, FileSubstrate, GroupFlag, GroupType, LocationGroupType, LocationType,
    Paradigm, RegionFlag, RegionRole,
};
use streamfold::model::events::{Enter, Event, Leave, MpiSend};
use streamfold::model::ids::{
    CommRef, GroupRef, LocationGroupRef, LocationRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold::model::values::{AttributeEntry, Ticks};
use tempfile::TempDir;

use crate::common::program::{said, streamfold, text};
use crate::unify::structures::all_kinds;
use crate::unify::Place;

/// Definitions with numbers of their own, from any number on.
pub struct Defs {
    pub all: Vec<Definition>,
    next: u32,
    strings: BTreeMap<String, StringRef>,
}

impl Defs {
    pub fn new(first: u32) -> Defs {
        Defs { all: Vec::new(), next: first, strings: BTreeMap::new() }
    }

    pub fn number(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    pub fn add(&mut self, definition: Definition) {
        self.all.push(definition);
    }

    pub fn string(&mut self, string: &str) -> StringRef {
        if let Some(id) = self.strings.get(string) {
            return *id;
        }
        let id = StringRef(self.number());
        self.strings.insert(string.to_owned(), id);
        self.add(Definition::StringDef(StringDef { id, string: string.into() }));
        id
    }

    pub fn region(&mut self, name: &str) -> RegionRef {
        let (name, empty) = (self.string(name), self.string(""));
        let id = RegionRef(self.number());
        self.add(Definition::Region(Region {
            id,
            name,
            description: empty,
            source_file: empty,
            begin_line_number: 1,
            end_line_number: 2,
            canonical_name: name,
            region_role: RegionRole::Function,
            paradigm: Paradigm::User,
            region_flags: RegionFlag::NONE,
        }));
        id
    }

    pub fn group(&mut self, group_type: GroupType, members: &[u64]) -> GroupRef {
        let name = self.string("");
        let id = GroupRef(self.number());
        self.add(Definition::Group(Group {
            id,
            name,
            members: members.to_vec(),
            group_type,
            paradigm: Paradigm::Mpi,
            group_flags: GroupFlag::NONE,
        }));
        id
    }

    pub fn comm(&mut self, name: &str, group: GroupRef, parent: CommRef) -> CommRef {
        let name = self.string(name);
        let id = CommRef(self.number());
        let flags = CommFlag::NONE;
        self.add(Definition::Comm(Comm { id, name, group, parent, flags }));
        id
    }

    /// The locations that communicate, and all of them as a communicator.
    pub fn world(&mut self, locations: &[u64]) -> (GroupRef, CommRef) {
        self.group(GroupType::CommLocations, locations);
        let ranks: Vec<u64> = (0..locations.len() as u64).collect();
        let all = self.group(GroupType::CommGroup, &ranks);
        (all, self.comm("MPI_COMM_WORLD", all, CommRef::UNDEFINED))
    }
}

/// What a location has.
#[derive(Default)]
pub struct Local {
    pub definitions: Vec<Definition>,
    pub events: Vec<(Vec<AttributeEntry>, Event<'static>)>,
}

impl Local {
    pub fn new(defs: Defs, events: impl IntoIterator<Item = Event<'static>>) -> Local {
        let events = events.into_iter().map(|event| (Vec::new(), event)).collect();
        Local { definitions: defs.all, events }
    }
}

pub fn visit(region: RegionRef) -> [Event<'static>; 2] {
    [Event::Enter(Enter { region }), Event::Leave(Leave { region })]
}

/// A message to rank 0, with a tag by which the test finds it again.
pub fn send(communicator: CommRef, msg_tag: u32) -> Event<'static> {
    Event::MpiSend(MpiSend { receiver: 0, communicator, msg_tag, msg_length: 8 })
}

/// Numbers of locations, which have gaps.
pub fn location(which: usize) -> LocationRef {
    LocationRef(which as u64 * 100)
}

/// The global definitions that all have: clock, system tree, locations.
pub fn system(locals: &[Local]) -> Defs {
    let mut defs = Defs::new(0);
    defs.add(Definition::ClockProperties(ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: 0,
        trace_length: 1 << 20,
        realtime_timestamp: u64::MAX,
    }));
    let [name, class_name] = ["machine", "class"].map(|name| defs.string(name));
    let [process, thread] = ["process", "thread"].map(|name| defs.string(name));
    let (id, parent) = (SystemTreeNodeRef(0), SystemTreeNodeRef::UNDEFINED);
    defs.add(Definition::SystemTreeNode(SystemTreeNode { id, name, class_name, parent }));
    for (which, local) in locals.iter().enumerate() {
        let group = LocationGroupRef(which as u32);
        defs.add(Definition::LocationGroup(LocationGroup {
            id: group,
            name: process,
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef(0),
            creating_location_group: LocationGroupRef::UNDEFINED,
        }));
        defs.add(Definition::Location(Location {
            id: location(which),
            name: thread,
            location_type: LocationType::CpuThread,
            number_of_events: local.events.len() as u64,
            location_group: group,
        }));
    }
    defs
}

/// An archive on disk.
pub struct Made {
    pub folder: TempDir,
    pub anchor: PathBuf,
}

/// An archive of this, without other global definitions than all have.
pub fn make(locals: &[Local]) -> Made {
    make_with(system(locals), locals, |_| (0, 0))
}

/// With these global definitions, and with what `more` writes: so many snapshots and thumbnails.
pub fn make_with(
    global: Defs,
    locals: &[Local],
    more: impl FnOnce(&ArchiveWriter) -> (u32, u32),
) -> Made {
    let folder = TempDir::new().expect("a folder");
    let anchor = folder.path().join("t.otf2");
    let options = WriteOptions { event_chunk_size: 256 << 10, ..WriteOptions::default() };
    let archive = ArchiveWriter::create(&anchor, options).expect("folders");
    for (which, local) in locals.iter().enumerate() {
        let mut definitions = archive.local_definitions(location(which));
        for definition in &local.definitions {
            definitions.write(definition).expect("a definition");
        }
        let offset = ClockOffset { time: 5, offset: which as i64, standard_deviation: 0.5 };
        definitions.write(&Definition::ClockOffset(offset)).expect("an offset");
        definitions.finish().expect("a file");
        let mut events = archive.events(location(which));
        for (time, (attributes, event)) in (1..).zip(&local.events) {
            events.write(Ticks(time * 10), attributes, event).expect("an event");
        }
        events.finish().expect("a file");
    }
    let mut definitions = archive.global_definitions();
    for definition in &global.all {
        definitions.write(definition).expect("a definition");
    }
    let count = definitions.finish().expect("a file");
    let (number_of_snapshots, number_of_thumbnails) = more(&archive);
    let written = Anchor {
        order: options.order,
        anchor_format: 3,
        trace_format: 2,
        version: [3, 0, 2],
        event_chunk_size: options.event_chunk_size,
        definition_chunk_size: options.definition_chunk_size,
        substrate: FileSubstrate::Posix,
        compression: Compression::None,
        number_of_locations: locals.len() as u64,
        number_of_global_definitions: count,
        machine_name: "".into(),
        creator: "a test".into(),
        description: "".into(),
        properties: Vec::new(),
        trace_identifier: 0x1234_5678,
        number_of_snapshots,
        number_of_thumbnails,
    };
    archive.finish(&written).expect("an anchor");
    Made { folder, anchor }
}

/// An archive with definitions of all kinds that can be local, and the folder that it is in.
pub fn everything() -> (TempDir, PathBuf) {
    everything_with(|_| {})
}

/// The same, where the definitions of each location are changed before they are written.
pub fn everything_with(change: impl Fn(&mut Vec<Definition>)) -> (TempDir, PathBuf) {
    let mut locals = [all_kinds(7, false), all_kinds(0, true), all_kinds(1000, false)];
    locals.iter_mut().for_each(|local| change(&mut local.definitions));
    let mut global = system(&locals);
    crate::unify::structures::paradigm(&mut global);
    let made = make_with(global, &locals, |_| (0, 0));
    (made.folder, made.anchor)
}

/// Records as our own print shows them.
pub fn records(place: &Place, options: &[&str]) -> Vec<Value> {
    let print = ["print", "--json", "-q"].iter().chain(options);
    let run = streamfold(print).arg(place.anchor()).output().expect("a run");
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let lines = text(run.stdout);
    let records = lines.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    records.collect()
}

/// The definitions of a kind.
pub fn of_kind(place: &Place, kind: &str) -> Vec<Value> {
    let records = records(place, &["-G"]).into_iter();
    records.filter(|record| record["record"] == kind).collect()
}

/// The members of all groups, by their numbers.
pub fn group_members(place: &Place) -> BTreeMap<u64, Vec<u64>> {
    let number = |value: &Value| value.as_u64().expect("a number");
    let groups = of_kind(place, "Group");
    let members = groups.iter().map(|group| {
        let members = group["members"].as_array().expect("members");
        (number(&group["id"]), members.iter().map(number).collect())
    });
    members.collect()
}

/// What validation finds wrong.
pub fn defects(place: &Place) -> Vec<String> {
    let mut command = streamfold(["validate", "--json", "-q"]);
    let run = command.arg(place.anchor()).output().expect("a run");
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let all = report["defects"].as_array().expect("a list").iter();
    // What is made up here keeps to no conventions.
    let all = all.filter(|defect| defect["code"] != "convention");
    all.map(|defect| defect["message"].to_string()).collect()
}
