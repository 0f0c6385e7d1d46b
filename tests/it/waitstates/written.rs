//! A trace as an archive.

use std::path::PathBuf;

use streamfold::formats::otf2::{Anchor, ArchiveWriter, WriteOptions};
use streamfold::model::definitions::{
    Attribute, ClockProperties, Comm, Definition, Group, InterComm, IoHandle, Location,
    LocationGroup, Region, RmaWin, StringDef, SystemTreeNode,
};
use streamfold::model::enums::{
    CommFlag, GroupFlag, GroupType, IoHandleFlag, LocationGroupType, LocationType, Paradigm,
    RegionFlag, RegionRole, RmaWinFlag, Type,
};
use streamfold::model::ids::{
    AttributeRef, CommRef, GroupRef, IoFileRef, IoHandleRef, IoParadigmRef, LocationGroupRef,
    LocationRef, RegionRef, RmaWinRef, StringRef, SystemTreeNodeRef,
};
use streamfold::model::values::{AttributeEntry, Ticks, TypedValue};
use tempfile::TempDir;

use crate::common::backward;
use crate::waitstates::regions;
use crate::waitstates::trace::{node_of, Trace, BETWEEN, EVEN, GROUP, OWN, TEAM, WORLD};

/// A trace on disk.
pub struct Written {
    _folder: TempDir,
    pub anchor: PathBuf,
}

impl Written {
    /// Writes a trace.
    pub fn new(trace: &Trace) -> Written {
        Written::with(trace, regions::kind, [])
    }

    /// The same, by a recorder that knows nothing of regions but their names, and has handles of files.
    pub fn by_names(trace: &Trace) -> Written {
        let function = (Paradigm::User, RegionRole::Function);
        let mut named = trace.clone();
        for name in &mut named.regions {
            *name = regions::plain_name(name).expect("a region with a name").to_owned();
        }
        Written::with(&named, |_| Some(function), [handle()])
    }

    /// The same; paradigm and role of each region are what `kind` says, and there are more definitions.
    fn with(
        trace: &Trace,
        kind: impl Fn(&str) -> Option<(Paradigm, RegionRole)>,
        more: impl IntoIterator<Item = Definition>,
    ) -> Written {
        let folder = tempfile::tempdir().expect("a folder");
        let options = WriteOptions { event_chunk_size: 256 << 10, ..WriteOptions::default() };
        let to = ArchiveWriter::create(&folder.path().join("t.otf2"), options).expect("an archive");
        let mut locations = Vec::new();
        for (id, events) in &trace.streams {
            let mut writer = to.events(LocationRef(*id));
            let times: Vec<u64> = events.iter().map(|(time, _)| *time).collect();
            let goes_back = backward::go_back(&times);
            for (place, (time, event)) in events.iter().enumerate() {
                let time = if goes_back { backward::instead(place) } else { *time };
                let name = trace.names.get(&(*id, place)).map(|stream| AttributeEntry {
                    attribute: AttributeRef(0),
                    value: TypedValue { value_type: Type::Location, bits: *stream },
                });
                writer.write(Ticks(time), name.as_slice(), event).expect("written");
            }
            let number_of_events = writer.finish().expect("written");
            if goes_back {
                backward::set(&folder.path().join(format!("t/{id}.evt")), &times);
            }
            to.local_definitions(LocationRef(*id)).finish().expect("written");
            locations.push(location(trace, *id, number_of_events));
        }
        let mut writer = to.global_definitions();
        let definitions = definitions(trace, kind).into_iter().chain(locations).chain(more);
        definitions.for_each(|definition| writer.write(&definition).expect("written"));
        let count = writer.finish().expect("written");
        let mut anchor = Anchor::new(&to.options(), trace.streams.len() as u64, count, "by hand");
        anchor.trace_identifier = 77;
        to.finish(&anchor).expect("written");
        Written { anchor: to.anchor_path(), _folder: folder }
    }
}

fn handle() -> Definition {
    Definition::IoHandle(IoHandle {
        id: IoHandleRef(0),
        name: NAMELESS,
        file: IoFileRef::UNDEFINED,
        io_paradigm: IoParadigmRef::UNDEFINED,
        io_handle_flags: IoHandleFlag::NONE,
        comm: CommRef::UNDEFINED,
        parent: IoHandleRef::UNDEFINED,
    })
}

const NAMELESS: StringRef = StringRef(0);

fn location(trace: &Trace, id: u64, number_of_events: u64) -> Definition {
    let location_type = match () {
        () if trace.metrics.contains(&id) => LocationType::Metric,
        () if trace.devices.contains(&id) => LocationType::AcceleratorStream,
        () => LocationType::CpuThread,
    };
    Definition::Location(Location {
        id: LocationRef(id),
        name: NAMELESS,
        location_type,
        number_of_events,
        location_group: LocationGroupRef((id / 10) as u32),
    })
}

fn definitions(
    trace: &Trace,
    kind: impl Fn(&str) -> Option<(Paradigm, RegionRole)>,
) -> Vec<Definition> {
    let mut all = vec![Definition::ClockProperties(ClockProperties {
        timer_resolution: 1_000_000,
        global_offset: 0,
        trace_length: 100_000,
        realtime_timestamp: 5_000_000_000,
    })];
    all.push(string(0, ""));
    for node in 0..2 {
        all.push(Definition::SystemTreeNode(SystemTreeNode {
            id: SystemTreeNodeRef(node),
            name: NAMELESS,
            class_name: NAMELESS,
            parent: SystemTreeNodeRef::UNDEFINED,
        }));
    }
    for process in 0..trace.processes() {
        all.push(Definition::LocationGroup(LocationGroup {
            id: LocationGroupRef(process as u32),
            name: NAMELESS,
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef(node_of(process) as u32),
            creating_location_group: LocationGroupRef::UNDEFINED,
        }));
    }
    for (number, name) in (0u32..).zip(&trace.regions) {
        let kind = kind(name).expect("a region");
        all.extend([string(number + 1, regions::written(name)), region(number, kind)]);
    }
    if !trace.names.is_empty() {
        let name = StringRef(trace.regions.len() as u32 + 1);
        all.push(string(name.0, "CUDA_STREAM_REF"));
        all.push(Definition::Attribute(Attribute {
            id: AttributeRef(0),
            name,
            description: NAMELESS,
            value_type: Type::Location,
        }));
    }
    all.extend(communicators(trace));
    all.extend(teams(trace));
    all
}

fn string(id: u32, text: &str) -> Definition {
    Definition::StringDef(StringDef { id: StringRef(id), string: text.into() })
}

fn region(number: u32, (paradigm, region_role): (Paradigm, RegionRole)) -> Definition {
    Definition::Region(Region {
        id: RegionRef(number),
        name: StringRef(number + 1),
        description: NAMELESS,
        source_file: NAMELESS,
        begin_line_number: 0,
        end_line_number: 0,
        canonical_name: StringRef(number + 1),
        region_role,
        paradigm,
        region_flags: RegionFlag::NONE,
    })
}

fn group(id: u32, group_type: GroupType, paradigm: Paradigm, members: Vec<u64>) -> Definition {
    let (id, name, group_flags) = (GroupRef(id), NAMELESS, GroupFlag::NONE);
    Definition::Group(Group { id, name, members, group_type, paradigm, group_flags })
}

fn comm(id: u32, group: u32) -> Definition {
    Definition::Comm(Comm {
        id: CommRef(id),
        name: NAMELESS,
        group: GroupRef(group),
        parent: CommRef::UNDEFINED,
        flags: CommFlag::NONE,
    })
}

fn communicators(trace: &Trace) -> Vec<Definition> {
    let mpi = |id, group_type, members: Vec<u64>| group(id, group_type, Paradigm::Mpi, members);
    let all = || 0..trace.processes();
    let mut definitions = vec![
        mpi(0, GroupType::CommLocations, all().map(|process| process * 10).collect()),
        mpi(1, GroupType::CommGroup, all().collect()),
        mpi(2, GroupType::CommSelf, Vec::new()),
        mpi(3, GroupType::CommGroup, all().filter(|process| process % 2 == 0).collect()),
        mpi(4, GroupType::CommGroup, all().filter(|process| process % 2 == 1).collect()),
    ];
    let groups = (GROUP..).zip(&trace.groups);
    definitions.extend(groups.map(|(id, of)| mpi(id, GroupType::CommGroup, of.clone())));
    definitions.extend([comm(WORLD, 1), comm(OWN, 2), comm(EVEN, 3)]);
    definitions.push(Definition::InterComm(InterComm {
        id: CommRef(BETWEEN),
        name: NAMELESS,
        group_a: GroupRef(3),
        group_b: GroupRef(4),
        common_communicator: CommRef::UNDEFINED,
        flags: CommFlag::NONE,
    }));
    for win in 0..trace.windows {
        let (id, name, comm, flags) = (RmaWinRef(win), NAMELESS, CommRef(WORLD), RmaWinFlag::NONE);
        definitions.push(Definition::RmaWin(RmaWin { id, name, comm, flags }));
    }
    definitions
}

/// Teams, whose members are numbers of locations of the paradigm.
fn teams(trace: &Trace) -> Vec<Definition> {
    let locations: Vec<u64> = trace.streams.keys().copied().collect();
    let number = |location: &u64| {
        locations.iter().position(|known| known == location).expect("a location") as u64
    };
    let mut definitions = Vec::new();
    for paradigm in [Paradigm::Openmp, Paradigm::Pthread] {
        if trace.teams.iter().any(|(of, _)| *of == paradigm) {
            let id = 20 + u32::from(u8::from(paradigm));
            definitions.push(group(id, GroupType::CommLocations, paradigm, locations.clone()));
        }
    }
    for (id, (paradigm, team)) in (TEAM..).zip(&trace.teams) {
        let members = team.iter().map(number).collect();
        definitions.push(group(id, GroupType::CommGroup, *paradigm, members));
        definitions.push(comm(id, id));
    }
    definitions
}
