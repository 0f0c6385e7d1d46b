//! An archive in which events lead to definitions of every kind that they can lead to.

use std::fs;
use std::path::{Path, PathBuf};

use streamfold::formats::otf2::{Anchor, ArchiveWriter, EventWriter, Order, WriteOptions};
use streamfold::model::definitions::*;
use streamfold::model::enums::*;
use streamfold::model::events::*;
use streamfold::model::ids::*;
use streamfold::model::values::{AttributeEntry, IdMap, Ticks, TypedValue};

use crate::salvage::Place;

/// A process and a thread of its own, twice.
pub const LOCATIONS: [u64; 4] = [0, 1, 1 << 32, (1 << 32) | 1];

pub const OPTIONS: WriteOptions = WriteOptions {
    event_chunk_size: 256 << 10,
    definition_chunk_size: 256 << 10,
    order: Order::Little,
};

/// The archive `t` in a folder of its own.
pub struct Made {
    pub place: Place,
}

impl Made {
    /// With so many rounds of events in each location.
    pub fn new(order: Order, rounds: u64) -> Made {
        let made = Made { place: Place::new() };
        let options = WriteOptions { order, ..OPTIONS };
        let to = ArchiveWriter::create(&made.anchor(), options).expect("an archive");
        for location in LOCATIONS {
            let mut events = to.events(LocationRef(location));
            write_events(&mut events, location, rounds);
            events.finish().expect("events");
            if location != 1 {
                to.local_definitions(LocationRef(location)).finish().expect("no definitions");
            }
        }
        // The second process knows regions under other numbers, and has another clock.
        let mut local = to.local_definitions(LocationRef(1));
        let table = MappingTable {
            mapping_type: MappingType::Region,
            id_map: IdMap::Dense((0..20).map(|id| if id < 2 { 1 - id } else { id }).collect()),
        };
        local.write(&Definition::MappingTable(table)).expect("a table");
        for (time, offset) in [(0, -1), (1 << 40, -1)] {
            let offset = ClockOffset { time, offset, standard_deviation: 0.0 };
            local.write(&Definition::ClockOffset(offset)).expect("an offset");
        }
        local.finish().expect("definitions");
        let all = all_definitions(&to_counts(&to, rounds));
        let mut definitions = to.global_definitions();
        for definition in &all {
            definitions.write(definition).expect("a definition");
        }
        let count = definitions.finish().expect("definitions");
        let locations = LOCATIONS.len() as u64;
        to.finish(&Anchor::new(&options, locations, count, "made")).expect("an anchor");
        made
    }

    pub fn anchor(&self) -> PathBuf {
        self.place.file("in/t.otf2")
    }

    /// A file of the archive by what comes behind its name: `.def`, `/0.evt`.
    pub fn file(&self, suffix: &str) -> PathBuf {
        self.place.file(format!("in/t{suffix}"))
    }

    pub fn remove(&self, suffix: &str) {
        fs::remove_file(self.file(suffix)).expect("removed");
    }

    /// Leaves so many bytes of a file.
    pub fn cut(&self, suffix: &str, length: u64) {
        cut(&self.file(suffix), length);
    }
}

pub fn cut(path: &Path, length: u64) {
    let file = fs::OpenOptions::new().write(true).open(path).expect("a file");
    file.set_len(length).expect("shorter");
}

/// How many events each location has.
fn to_counts(to: &ArchiveWriter, rounds: u64) -> Vec<u64> {
    let of = |location: u64| {
        let scratch = Place::new();
        let other = ArchiveWriter::create(&scratch.file("c.otf2"), to.options()).expect("a place");
        let mut events = other.events(LocationRef(location));
        write_events(&mut events, location, rounds);
        events.count()
    };
    LOCATIONS.into_iter().map(of).collect()
}

/// What the events of a location are; what is open at the end is left.
fn write_events(events: &mut EventWriter, location: u64, rounds: u64) {
    let mut time = 1000 + location % 7;
    let mut put = |event: Event<'_>| {
        time += 3;
        events.write(Ticks(time), &[], &event).expect("an event");
    };
    let enter = |region| Event::Enter(Enter { region: RegionRef(region) });
    let leave = |region| Event::Leave(Leave { region: RegionRef(region) });
    put(enter(0));
    for round in 0..rounds {
        put(enter(1));
        match location >> 32 {
            0 => process_events(&mut put, location as u32, round),
            _ => thread_events(&mut put, round),
        }
        put(leave(1));
    }
    put(leave(0));
    let entry = |attribute, value_type, bits| AttributeEntry {
        attribute: AttributeRef(attribute),
        value: TypedValue { value_type, bits },
    };
    let list = [entry(2, Type::Double, 7), entry(3, Type::Region, 9)];
    events.write(Ticks(time + 3), &list, &enter(12)).expect("an event");
    events.write(Ticks(time + 6), &[], &leave(12)).expect("an event");
}

fn process_events(put: &mut impl FnMut(Event<'_>), rank: u32, round: u64) {
    let other = 1 - rank;
    let communicator = CommRef(1);
    let (msg_tag, msg_length) = (7, round);
    put(Event::MpiSend(MpiSend { receiver: other, communicator, msg_tag, msg_length }));
    put(Event::MpiRecv(MpiRecv { sender: other, communicator, msg_tag, msg_length }));
    let values = [(Type::Uint64, round), (Type::Double, 3)];
    let values = values.map(|(value_type, bits)| TypedValue { value_type, bits });
    put(Event::Metric(Metric { metric: MetricRef(1), values: &values }));
    let parameter = ParameterRef(0);
    put(Event::ParameterString(ParameterString { parameter, string: StringRef(3) }));
    put(Event::ParameterInt(ParameterInt { parameter: ParameterRef(1), value: -1 }));
    let (win, bytes, matching_id) = (RmaWinRef(0), 8, round);
    put(Event::RmaPut(RmaPut { win, remote: other, bytes, matching_id }));
    put(Event::RmaOpCompleteBlocking(RmaOpCompleteBlocking { win, matching_id }));
    let handle = IoHandleRef(2);
    put(Event::IoOperationBegin(IoOperationBegin {
        handle,
        mode: IoOperationMode::Read,
        operation_flags: IoOperationFlag::NONE,
        bytes_request: 9,
        matching_id,
    }));
    put(Event::IoOperationComplete(IoOperationComplete { handle, bytes_result: 9, matching_id }));
    let file = IoFileRef(4);
    put(Event::IoDeleteFile(IoDeleteFile { io_paradigm: IoParadigmRef(1), file }));
}

fn thread_events(put: &mut impl FnMut(Event<'_>), round: u64) {
    let thread_team = CommRef(3);
    put(Event::ThreadTeamBegin(ThreadTeamBegin { thread_team }));
    put(Event::ThreadTeamEnd(ThreadTeamEnd { thread_team }));
    let calling_context = CallingContextRef(5);
    let unwind_distance = 1;
    put(Event::CallingContextEnter(CallingContextEnter { calling_context, unwind_distance }));
    put(Event::CallingContextSample(CallingContextSample {
        calling_context,
        unwind_distance,
        interrupt_generator: InterruptGeneratorRef(0),
    }));
    put(Event::CallingContextLeave(CallingContextLeave { calling_context }));
    if round.is_multiple_of(2) {
        put(Event::RmaGroupSync(RmaGroupSync {
            sync_level: RmaSyncLevel::NONE,
            win: RmaWinRef(0),
            group: GroupRef(1),
        }));
    }
}

/// What the archive defines.
fn all_definitions(events: &[u64]) -> Vec<Definition> {
    let names = ["", "node", "process", "thread", "region", "thing", "#"];
    let mut all = vec![Definition::ClockProperties(ClockProperties {
        timer_resolution: 1_000_000,
        global_offset: 1000,
        trace_length: 1 << 30,
        realtime_timestamp: u64::MAX,
    })];
    let strings = names.iter().enumerate().map(|(id, text)| {
        Definition::StringDef(StringDef { id: StringRef(id as u32), string: (*text).into() })
    });
    all.extend(strings);
    all.extend((0..2).map(io_paradigm));
    let types = [Type::Uint64, Type::Uint64, Type::Double, Type::Region];
    all.extend((0..4).map(|id| {
        Definition::Attribute(Attribute {
            id: AttributeRef(id),
            name: StringRef(5),
            value_type: types[id as usize],
            description: StringRef(0),
        })
    }));
    all.push(Definition::SystemTreeNode(SystemTreeNode {
        id: SystemTreeNodeRef(0),
        name: StringRef(1),
        class_name: StringRef(1),
        parent: SystemTreeNodeRef::UNDEFINED,
    }));
    all.extend((0..2).map(location_group));
    all.extend(LOCATIONS.into_iter().zip(events).map(|(id, count)| {
        Definition::Location(Location {
            id: LocationRef(id),
            name: StringRef(3),
            location_type: LocationType::CpuThread,
            number_of_events: *count,
            location_group: LocationGroupRef(id as u32),
        })
    }));
    all.extend((0..20).map(region));
    all.extend((0..6).map(context));
    all.extend(others());
    all
}

fn io_paradigm(id: u8) -> Definition {
    Definition::IoParadigm(IoParadigm {
        id: IoParadigmRef(id),
        identification: StringRef(5),
        name: StringRef(5),
        io_paradigm_class: IoParadigmClass::Serial,
        io_paradigm_flags: IoParadigmFlag::NONE,
        properties: Vec::new(),
    })
}

fn location_group(id: u32) -> Definition {
    Definition::LocationGroup(LocationGroup {
        id: LocationGroupRef(id),
        name: StringRef(2),
        location_group_type: LocationGroupType::Process,
        system_tree_parent: SystemTreeNodeRef(0),
        creating_location_group: LocationGroupRef::UNDEFINED,
    })
}

pub fn region(id: u32) -> Definition {
    Definition::Region(Region {
        id: RegionRef(id),
        name: StringRef(4),
        description: StringRef(0),
        source_file: StringRef(0),
        begin_line_number: id,
        end_line_number: id,
        canonical_name: StringRef(4),
        region_role: RegionRole::Function,
        paradigm: Paradigm::User,
        region_flags: RegionFlag::NONE,
    })
}

fn context(id: u32) -> Definition {
    Definition::CallingContext(CallingContext {
        id: CallingContextRef(id),
        region: RegionRef(1),
        source_code_location: SourceCodeLocationRef::UNDEFINED,
        parent: id.checked_sub(1).map_or(CallingContextRef::UNDEFINED, CallingContextRef),
    })
}

fn group(id: u32, group_type: GroupType, paradigm: Paradigm, members: &[u64]) -> Definition {
    Definition::Group(Group {
        id: GroupRef(id),
        name: StringRef(5),
        members: members.to_vec(),
        group_type,
        paradigm,
        group_flags: GroupFlag::NONE,
    })
}

fn others() -> Vec<Definition> {
    let name = StringRef(5);
    let mut all: Vec<_> = [ParameterType::String, ParameterType::Int64]
        .into_iter()
        .enumerate()
        .map(|(id, parameter_type)| {
            Definition::Parameter(Parameter { id: ParameterRef(id as u32), name, parameter_type })
        })
        .collect();
    all.push(Definition::InterruptGenerator(InterruptGenerator {
        id: InterruptGeneratorRef(0),
        name,
        interrupt_generator_mode: InterruptGeneratorMode::Count,
        base: Base::Decimal,
        exponent: 0,
        period: 1,
    }));
    all.extend([Type::Uint64, Type::Double].into_iter().enumerate().map(|(id, value_type)| {
        Definition::MetricMember(MetricMember {
            id: MetricMemberRef(id as u32),
            name,
            description: StringRef(0),
            metric_type: MetricType::Other,
            metric_mode: MetricMode::AbsolutePoint,
            value_type,
            base: Base::Decimal,
            exponent: 0,
            unit: StringRef(6),
        })
    }));
    all.extend((0..2).map(|id| {
        Definition::MetricClass(MetricClass {
            id: MetricRef(id),
            metric_members: vec![MetricMemberRef(0), MetricMemberRef(1)],
            metric_occurrence: MetricOccurrence::Asynchronous,
            recorder_kind: RecorderKind::Unknown,
        })
    }));
    all.push(group(0, GroupType::CommLocations, Paradigm::Mpi, &[0, 1]));
    all.push(group(1, GroupType::CommGroup, Paradigm::Mpi, &[0, 1]));
    all.push(group(2, GroupType::CommLocations, Paradigm::Openmp, &LOCATIONS));
    all.push(group(3, GroupType::CommGroup, Paradigm::Openmp, &[0, 1, 2, 3]));
    all.extend((0..4).map(|id| {
        let (parent, flags) = (CommRef::UNDEFINED, CommFlag::NONE);
        let group = GroupRef(if id == 3 { 3 } else { 1 });
        Definition::Comm(Comm { id: CommRef(id), name, group, parent, flags })
    }));
    let (comm, flags) = (CommRef(1), RmaWinFlag::NONE);
    all.push(Definition::RmaWin(RmaWin { id: RmaWinRef(0), name, comm, flags }));
    all.extend((0..5).map(|id| {
        let scope = SystemTreeNodeRef(0);
        Definition::IoRegularFile(IoRegularFile { id: IoFileRef(id), name, scope })
    }));
    all.extend((0..3).map(|id| {
        Definition::IoHandle(IoHandle {
            id: IoHandleRef(id),
            name,
            file: IoFileRef(0),
            io_paradigm: IoParadigmRef(0),
            io_handle_flags: IoHandleFlag::NONE,
            comm: CommRef::UNDEFINED,
            parent: IoHandleRef::UNDEFINED,
        })
    }));
    all
}
