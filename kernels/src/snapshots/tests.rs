//! Two processes with a thread each, of one communicator.

use streamfold_model::definitions::{
    Comm, Definition, Group, Location, LocationGroup, MetricClass, MetricMember, Region,
};
use streamfold_model::enums::{
    Base, CollectiveOp, CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType,
    MetricMode, MetricOccurrence, MetricType, Paradigm, RecorderKind, RegionFlag, RegionRole,
};
use streamfold_model::events::{
    MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiIsendComplete,
    MpiRecv, MpiRequestCancelled, MpiSend, OmpAcquireLock, OmpReleaseLock, OmpTaskComplete,
    OmpTaskCreate, ParameterInt, ThreadFork,
};
use streamfold_model::ids::{
    CommRef, GroupRef, LocationGroupRef, LocationRef, MetricMemberRef, ParameterRef, StringRef,
    SystemTreeNodeRef,
};

use super::*;

const COMM: CommRef = CommRef(7);
const NONE: StringRef = StringRef(0);

fn definitions() -> Definitions {
    let mut all = Definitions::default();
    for id in 0..2 {
        all.insert(Definition::LocationGroup(LocationGroup {
            id: LocationGroupRef(id),
            name: NONE,
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef(0),
            creating_location_group: LocationGroupRef::UNDEFINED,
        }));
        all.insert(Definition::Location(Location {
            id: LocationRef(id.into()),
            name: NONE,
            location_type: LocationType::CpuThread,
            number_of_events: 0,
            location_group: LocationGroupRef(id),
        }));
    }
    for (id, group_type) in [(0, GroupType::CommLocations), (1, GroupType::CommGroup)] {
        all.insert(Definition::Group(Group {
            id: GroupRef(id),
            name: NONE,
            members: vec![0, 1],
            group_type,
            paradigm: Paradigm::Mpi,
            group_flags: GroupFlag::NONE,
        }));
    }
    all.insert(Definition::Comm(Comm {
        id: COMM,
        name: NONE,
        group: GroupRef(1),
        parent: CommRef::UNDEFINED,
        flags: CommFlag::NONE,
    }));
    for id in [1, 2] {
        all.insert(Definition::Region(Region {
            id: RegionRef(id),
            name: NONE,
            canonical_name: NONE,
            description: NONE,
            region_role: RegionRole::Function,
            paradigm: Paradigm::User,
            region_flags: RegionFlag::NONE,
            source_file: NONE,
            begin_line_number: 0,
            end_line_number: 0,
        }));
    }
    for (id, metric_mode) in [(0, MetricMode::RelativePoint), (1, MetricMode::AbsolutePoint)] {
        all.insert(Definition::MetricMember(MetricMember {
            id: MetricMemberRef(id),
            name: NONE,
            description: NONE,
            metric_type: MetricType::User,
            metric_mode,
            value_type: Type::Uint64,
            base: Base::Decimal,
            exponent: 0,
            unit: NONE,
        }));
    }
    all.insert(Definition::MetricClass(MetricClass {
        id: MetricRef(3),
        metric_members: vec![MetricMemberRef(0), MetricMemberRef(1)],
        metric_occurrence: MetricOccurrence::Asynchronous,
        recorder_kind: RecorderKind::Cpu,
    }));
    all
}

/// The times of the records of both locations after these events, in their order, and how many regions are innermost.
fn kept(events: &[(u64, Event<'_>)]) -> ([Vec<u64>; 2], Vec<u64>, Oddities) {
    let definitions = definitions();
    let processes = Processes::new(&definitions);
    let partners = Partners::new(&definitions, &processes);
    let mut states = States::new(&definitions, &processes, &partners);
    for (time, (location, event)) in (1..).zip(events) {
        let (location, time) = (LocationRef(*location), Ticks(time));
        let head = EventHead { location, number: 1, time, attributes: &[] };
        if let Some(event) = states.counted(*event) {
            states.take(&head, &event);
        }
    }
    let times = |location| states.records(location).map(|(_, record)| time_of(&record)).collect();
    ([times(0), times(1)], states.active().to_vec(), states.oddities())
}

fn time_of(record: &Snapshot<'_>) -> u64 {
    let text = format!("{record:?}");
    let rest = text.split("orig_event_time: Ticks(").nth(1).expect("a time");
    rest.split(')').next().expect("a number").parse().expect("a number")
}

fn enter(region: u32) -> Event<'static> {
    Event::Enter(Enter { region: RegionRef(region) })
}

fn leave(region: u32) -> Event<'static> {
    Event::Leave(Leave { region: RegionRef(region) })
}

fn send() -> Event<'static> {
    Event::MpiSend(MpiSend { receiver: 1, communicator: COMM, msg_tag: 0, msg_length: 8 })
}

fn isend(request_id: u64) -> Event<'static> {
    let (communicator, msg_tag, msg_length) = (COMM, 0, 8);
    Event::MpiIsend(MpiIsend { receiver: 1, communicator, msg_tag, msg_length, request_id })
}

fn sent(request_id: u64) -> Event<'static> {
    Event::MpiIsendComplete(MpiIsendComplete { request_id })
}

fn receive(tag: u32) -> Event<'static> {
    Event::MpiRecv(MpiRecv { sender: 0, communicator: COMM, msg_tag: tag, msg_length: 8 })
}

fn post(request_id: u64) -> Event<'static> {
    Event::MpiIrecvRequest(MpiIrecvRequest { request_id })
}

fn irecv(request_id: u64) -> Event<'static> {
    let (communicator, msg_tag, msg_length) = (COMM, 0, 8);
    Event::MpiIrecv(MpiIrecv { sender: 0, communicator, msg_tag, msg_length, request_id })
}

fn records(events: &[(u64, Event<'_>)]) -> [Vec<u64>; 2] {
    kept(events).0
}

#[test]
fn messages_stay_until_both_sides_are_there() {
    assert_eq!(records(&[(0, send())]), [vec![1], vec![]]);
    assert_eq!(records(&[(0, send()), (1, receive(1))]), [vec![1], vec![2]]);
    assert_eq!(records(&[(0, send()), (1, receive(0))]), [vec![], vec![]]);
    // Clocks that differ.
    assert_eq!(records(&[(1, receive(0)), (0, send())]), [vec![], vec![]]);
    assert_eq!(records(&[(0, isend(4)), (1, receive(0))]), [vec![1], vec![2]]);
    assert_eq!(records(&[(0, isend(4)), (1, receive(0)), (0, sent(4))]), [vec![], vec![]]);
    assert_eq!(records(&[(0, isend(4)), (0, sent(4))]), [vec![1, 2], vec![]]);
    let twice = [(0, isend(4)), (0, isend(5)), (0, sent(5)), (1, receive(0))];
    assert_eq!(records(&twice), [vec![1], vec![]]);
}

#[test]
fn a_receive_takes_its_own_request_with_it() {
    let open = [(1, post(1)), (1, post(2)), (0, send()), (1, irecv(1))];
    assert_eq!(records(&open), [vec![], vec![2]]);
    let early = [(1, post(1)), (1, post(2)), (1, irecv(1))];
    assert_eq!(records(&early), [vec![], vec![1, 2, 3]]);
    let cancel = Event::MpiRequestCancelled(MpiRequestCancelled { request_id: 1 });
    assert_eq!(records(&[(1, post(1)), (1, post(2)), (1, cancel)]), [vec![], vec![2]]);
    assert_eq!(records(&[(0, isend(1)), (0, cancel)]), [vec![], vec![]]);
}

#[test]
fn a_message_to_nobody_leaves_nothing() {
    let event = MpiSend { receiver: 9, communicator: COMM, msg_tag: 0, msg_length: 8 };
    assert_eq!(records(&[(0, Event::MpiSend(event))]), [vec![], vec![]]);
    let event = MpiSend { communicator: CommRef(99), ..event };
    assert_eq!(records(&[(0, Event::MpiSend(event))]), [vec![], vec![]]);
}

#[test]
fn collective_operations_stay_until_all_ended() {
    let begin = Event::MpiCollectiveBegin(MpiCollectiveBegin);
    let end = Event::MpiCollectiveEnd(MpiCollectiveEnd {
        collective_op: CollectiveOp::Barrier,
        communicator: COMM,
        root: u32::MAX,
        size_sent: 0,
        size_received: 0,
    });
    let mut events = vec![(0, begin), (0, end), (1, begin), (0, begin), (0, end)];
    assert_eq!(records(&events), [vec![1, 2, 4, 5], vec![3]]);
    events.push((1, end));
    assert_eq!(records(&events), [vec![4, 5], vec![]]);
    events.extend([(1, begin), (1, end)]);
    assert_eq!(records(&events), [vec![], vec![]]);
}

#[test]
fn a_leave_ends_what_is_inside() {
    let parameter = Event::ParameterInt(ParameterInt { parameter: ParameterRef(0), value: -1 });
    let events = [(0, enter(1)), (0, enter(2)), (0, parameter), (1, enter(2))];
    assert_eq!(kept(&events), ([vec![1, 2, 3], vec![4]], vec![0, 2], Oddities::default()));
    let mut events = events.to_vec();
    events.extend([(0, leave(1)), (0, leave(2))]);
    let odd = Oddities { open: 1, unmatched: 1 };
    assert_eq!(kept(&events), ([vec![], vec![4]], vec![0, 1], odd));
}

#[test]
fn relative_values_add_up_behind_all_others() {
    let definitions = definitions();
    let processes = Processes::new(&definitions);
    let partners = Partners::new(&definitions, &processes);
    let mut states = States::new(&definitions, &processes, &partners);
    let value = |bits| TypedValue { value_type: Type::Uint64, bits };
    let all = [[value(5), value(5)], [value(7), value(7)]];
    let metric = |values| Event::Metric(Metric { metric: MetricRef(3), values });
    let events = [metric(&all[0]), enter(1), metric(&all[1])];
    for (time, event) in (10..).zip(events) {
        let (location, time) = (LocationRef(0), Ticks(time));
        states.take(&EventHead { location, number: 1, time, attributes: &[] }, &event);
    }
    let last = states.records(0).last().map(|(_, record)| record);
    let expected = [value(12), value(7)];
    let record = MetricSnap { orig_event_time: Ticks(10), metric: MetricRef(3), values: &expected };
    assert_eq!(last, Some(Snapshot::MetricSnap(record)));
}

#[test]
fn forks_locks_and_tasks_are_kept() {
    let fork = |model| Event::ThreadFork(ThreadFork { model, number_of_requested_threads: 2 });
    let acquire = |lock_id| Event::OmpAcquireLock(OmpAcquireLock { lock_id, acquisition_order: 0 });
    let release = |lock_id| Event::OmpReleaseLock(OmpReleaseLock { lock_id, acquisition_order: 0 });
    let events = [
        (0, fork(Paradigm::Openmp)),
        (0, fork(Paradigm::Pthread)),
        (0, acquire(1)),
        (0, acquire(2)),
        (0, release(1)),
        (0, Event::OmpTaskCreate(OmpTaskCreate { task_id: 5 })),
    ];
    assert_eq!(records(&events), [vec![1, 4, 6], vec![]]);
    let mut events = events.to_vec();
    events.push((0, Event::OmpTaskComplete(OmpTaskComplete { task_id: 5 })));
    assert_eq!(records(&events), [vec![1, 4], vec![]]);
}

#[test]
fn times_are_at_equal_distances() {
    use streamfold_model::definitions::ClockProperties;
    let clock = ClockProperties {
        timer_resolution: 1,
        global_offset: 100,
        trace_length: 110,
        realtime_timestamp: 0,
    };
    let times = |count, period| {
        let mut times = Times::new(&clock, Interval { count, period });
        [105, 110, 111, 155, 210].map(|time| times.due(Ticks(time)).map(|due| due.0))
    };
    assert_eq!(times(None, None), [None, Some(110), None, Some(120), Some(160)]);
    assert_eq!(times(Some(1), None), [None, None, None, Some(155), Some(210)]);
    assert_eq!(times(Some(1), Some(50)), [None, None, None, Some(150), Some(200)]);
    assert_eq!(times(Some(3), Some(100)), [None, None, None, Some(127), Some(181)]);
    assert_eq!(times(None, Some(u64::MAX)), [None; 5]);
}
