//! Two processes with two threads each (0 to 3), and a stream (4).

use proptest::collection;
use proptest::prelude::*;
use streamfold_model::calls::{Call, Calls, Envelope, Message};
use streamfold_model::definitions::{Definition, Location, LocationGroup, Region};
use streamfold_model::enums::{
    LocationGroupType, LocationType, MeasurementMode, Paradigm, RegionFlag, RegionRole,
};
use streamfold_model::events::{
    BufferFlush, Enter, Event, EventVisitor, Leave, MeasurementOnOff, MpiSend, OmpTaskSwitch,
    ThreadFork, ThreadJoin, ThreadTeamBegin, ThreadTeamEnd,
};
use streamfold_model::ids::{
    CommRef, LocationGroupRef, LocationRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::Ticks as Time;

use super::*;
use crate::Kernel;

const MAIN: u32 = 1;
const SEND: u32 = 2;
const INIT: u32 = 3;
const FINALIZE: u32 = 4;
const GEMM: u32 = 5;
const IDLE: u32 = 6;

fn definitions() -> Definitions {
    let mut all = Definitions::default();
    let names = ["", "main", "MPI_Send", "MPI_Init", "MPI_Finalize", "gemm", "COMPUTE IDLE"];
    for (id, name) in (0..).zip(names) {
        all.strings.insert(StringRef(id), name.into());
    }
    for id in 0..2 {
        all.insert(Definition::LocationGroup(LocationGroup {
            id: LocationGroupRef(id),
            name: StringRef(0),
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef(0),
            creating_location_group: LocationGroupRef::UNDEFINED,
        }));
    }
    let (thread, stream) = (LocationType::CpuThread, LocationType::AcceleratorStream);
    let locations =
        [(0, 0, thread), (1, 0, thread), (2, 1, thread), (3, 1, thread), (4, 1, stream)];
    for (id, group, location_type) in locations {
        all.insert(Definition::Location(Location {
            id: LocationRef(id),
            name: StringRef(0),
            location_type,
            number_of_events: 0,
            location_group: LocationGroupRef(group),
        }));
    }
    let (function, point) = (RegionRole::Function, RegionRole::Point2point);
    for (id, paradigm, region_role) in [
        (MAIN, Paradigm::User, function),
        (SEND, Paradigm::Mpi, point),
        (INIT, Paradigm::Mpi, function),
        (FINALIZE, Paradigm::Mpi, function),
        (GEMM, Paradigm::Cuda, function),
        (IDLE, Paradigm::Cuda, RegionRole::Artificial),
    ] {
        all.insert(Definition::Region(Region {
            id: RegionRef(id),
            name: StringRef(id),
            canonical_name: StringRef(id),
            description: StringRef(0),
            region_role,
            paradigm,
            region_flags: RegionFlag::NONE,
            source_file: StringRef(0),
            begin_line_number: 0,
            end_line_number: 0,
        }));
    }
    all
}

fn enter(region: u32) -> Event<'static> {
    Event::Enter(Enter { region: RegionRef(region) })
}

fn leave(region: u32) -> Event<'static> {
    Event::Leave(Leave { region: RegionRef(region) })
}

type Streams = Vec<(u64, Vec<(u64, Event<'static>)>)>;

fn accounts(kernel: &AccountKernel<'_>, streams: &Streams) -> Accounts {
    let partial = |(location, events): &(u64, Vec<(u64, Event<'static>)>)| {
        let mut worker = kernel.worker();
        let location = LocationRef(*location);
        let mut scan = kernel.scan(&mut worker, location);
        for (number, (time, event)) in (1..).zip(events) {
            let head = EventHead { location, number, time: Time(*time), attributes: &[] };
            scan.event(&head, *event);
        }
        let time = |at: Option<&(u64, Event<'_>)>| at.map(|(time, _)| Time(*time));
        let summary = StreamSummary {
            events: events.len() as u64,
            first: time(events.first()),
            last: time(events.last()),
            ..StreamSummary::default()
        };
        kernel.end(scan, &summary);
        kernel.partial(worker)
    };
    let fold = |a, b| kernel.fold(a, b);
    let forward = streams.iter().map(partial).reduce(fold).unwrap_or_default();
    let backward = streams.iter().rev().map(partial).reduce(fold).unwrap_or_default();
    assert_eq!(forward, backward);
    forward
}

fn account(streams: &Streams, partition: &Partition) -> Account {
    let definitions = definitions();
    let kernel = AccountKernel::new(&definitions, partition, AccountOptions::default());
    Account::new(accounts(&kernel, streams), partition, None)
}

fn of(account: &Account, location: u64, part: usize) -> Vec<(Class, u64)> {
    let work = &account.locations[&LocationRef(location)].parts[part];
    let all = Class::ALL.iter().map(|class| (*class, work.ticks.of(*class)));
    all.filter(|(_, ticks)| *ticks > 0).collect()
}

#[test]
fn each_tick_of_the_run_has_one_class() {
    let streams = vec![
        (0, vec![(12, enter(MAIN)), (15, enter(SEND)), (37, leave(SEND)), (41, leave(MAIN))]),
        (2, vec![(10, enter(SEND)), (20, leave(SEND))]),
        (4, vec![(15, enter(IDLE)), (20, leave(IDLE)), (20, enter(GEMM)), (30, leave(GEMM))]),
    ];
    let account = account(&streams, &Partition::default());
    assert_eq!((account.run, account.assumed), ((10, 41), false));
    let first = [(Class::Serial, 7), (Class::PointToPoint, 22), (Class::NotBegun, 2)];
    assert_eq!(of(&account, 0, 0), first);
    assert_eq!(of(&account, 2, 0), [(Class::PointToPoint, 10), (Class::Ended, 21)]);
    assert_eq!(of(&account, 4, 0), [(Class::AnyKernel, 10), (Class::AnyIdle, 21)]);
    let (threads, streams) = (account.sum(Role::Thread, 0), account.sum(Role::Stream, 0));
    assert_eq!((threads.count, threads.total(), threads.each), (2, 62, Some(31)));
    assert_eq!((streams.count, streams.total()), (1, 31));
    let most = account.places.iter().max_by_key(|(_, ticks)| **ticks);
    let place = (Class::PointToPoint, RegionRef(SEND), Some(RegionRef(MAIN)));
    assert_eq!(most, Some((&place, &22)));
}

/// Calls of MPI alone are recorded: the rest of the time is computation. A part without computation is none.
#[test]
fn time_without_regions_is_computation_if_no_region_of_the_program_is_recorded() {
    let streams =
        vec![(0, vec![(0, enter(SEND)), (10, leave(SEND)), (90, enter(SEND)), (100, leave(SEND))])];
    let whole = account(&streams, &Partition::default());
    assert!(whole.assumed);
    assert_eq!(of(&whole, 0, 0), [(Class::Assumed, 80), (Class::PointToPoint, 20)]);
    let mut streams = streams;
    streams.push((2, vec![(0, enter(MAIN)), (1, leave(MAIN)), (100, enter(SEND))]));
    let part = account(&streams, &Partition::bins(TimeBins::new(20, 80, 1)));
    assert!(!part.assumed);
    assert_eq!(part.run, (20, 80));
    assert_eq!(of(&part, 0, 0), [(Class::NoRegion, 60)]);
}

#[test]
fn threads_of_teams_are_idle_between_them() {
    let model = Paradigm::Openmp;
    let team = CommRef(0);
    let fork = Event::ThreadFork(ThreadFork { model, number_of_requested_threads: 2 });
    let join = Event::ThreadJoin(ThreadJoin { model });
    let begin = Event::ThreadTeamBegin(ThreadTeamBegin { thread_team: team });
    let end = Event::ThreadTeamEnd(ThreadTeamEnd { thread_team: team });
    let streams = vec![
        (
            0,
            vec![
                (0, enter(MAIN)),
                (10, fork),
                (13, begin),
                (20, end),
                (24, join),
                (30, leave(MAIN)),
            ],
        ),
        (
            1,
            vec![
                (14, begin),
                (15, enter(MAIN)),
                (18, leave(MAIN)),
                (19, end),
                (25, begin),
                (26, end),
            ],
        ),
    ];
    let account = account(&streams, &Partition::default());
    let first = [(Class::Serial, 16), (Class::Team, 7), (Class::ForkJoin, 7)];
    assert_eq!(of(&account, 0, 0), first);
    let worker = [(Class::Team, 3), (Class::AnyIdle, 9), (Class::NotBegun, 14), (Class::Ended, 4)];
    assert_eq!(of(&account, 1, 0), worker);
}

#[test]
fn rows_have_the_cells_of_their_locations() {
    let definitions = definitions();
    let rows = TimeRows::new(&definitions, RowsBy::Process, None, 500);
    let bins = TimeBins::new(10, 50, 4);
    let cells = Some(CellOptions {
        rows: &rows,
        bins,
        marked: [RegionRef(MAIN)].into_iter().collect(),
        metric: None,
    });
    let whole = Partition::default();
    let options = AccountOptions { cells, ..AccountOptions::default() };
    let kernel = AccountKernel::new(&definitions, &whole, options);
    let events = vec![(12, enter(MAIN)), (15, enter(SEND)), (37, leave(SEND)), (41, leave(MAIN))];
    let streams = (0..2).map(|location| (location, events.clone()));
    let stream = (4, vec![(10, enter(GEMM)), (50, leave(GEMM))]);
    let streams: Streams = streams.chain([stream]).collect();
    let account = Account::new(accounts(&kernel, &streams), &whole, Some((&rows, bins)));
    let of = |row: u32, group: Group| -> Vec<u64> {
        account.map.rows[&row].cells.iter().map(|cell| cell.of(group)).collect()
    };
    assert_eq!(of(0, Group::Computation), [6, 0, 6, 2]);
    assert_eq!(of(0, Group::Mpi), [10, 20, 14, 0]);
    assert_eq!(of(0, Group::Absent), [4, 0, 0, 18]);
    assert_eq!(of(2, Group::Kernels), [10; 4]);
    let marked: Vec<u64> = account.map.rows[&0].cells.iter().map(|cell| cell.marked).collect();
    assert_eq!(marked, [16, 20, 20, 2]);
    assert_eq!(account.map.rows[&0].threads, 2);
}

/// Events of all threads, from gaps and regions.
fn streams() -> impl Strategy<Value = Streams> {
    let visit = (0u64..9, prop_oneof![Just(MAIN), Just(SEND), Just(GEMM)], 0u64..9);
    let visits = collection::vec(visit, 0..8);
    collection::vec((0u64..20, visits, any::<bool>()), 5).prop_map(|all| {
        let mut streams = Streams::new();
        for (location, (begin, visits, runs)) in (0..).zip(all) {
            let mut now = begin;
            let mut events = Vec::new();
            if location % 2 == 0 && runs {
                events.extend([(now, enter(INIT)), (now + 5, leave(INIT))]);
                now += 5;
            }
            for (gap, region, length) in visits {
                events.extend([(now + gap, enter(region)), (now + gap + length, leave(region))]);
                now += gap + length;
            }
            if location % 2 == 0 && runs {
                events.extend([(now + 3, enter(FINALIZE)), (now + 9, leave(FINALIZE))]);
            }
            streams.push((location, events));
        }
        streams
    })
}

proptest! {
    /// An independent slow way: each tick by itself, from the last region that was entered and not left.
    #[test]
    fn ticks_are_those_of_the_innermost_region(streams in streams()) {
        let account = account(&streams, &Partition::default());
        let events = || streams.iter().flat_map(|(_, events)| events);
        let program = streams.iter().filter(|(location, _)| *location < 4);
        let is_program = |event: &Event<'_>| {
            matches!(event, Event::Enter(of) if of.region == RegionRef(MAIN))
        };
        let assumed = program.clone().any(|(_, of)| !of.is_empty())
            && !program.clone().any(|(_, of)| of.iter().any(|(_, event)| is_program(event)));
        let Some(first) = events().map(|(time, _)| *time).min() else { return Ok(()) };
        let last = events().map(|(time, _)| *time).max().unwrap_or(first);
        prop_assert_eq!(account.run, (first, last));
        for (location, events) in streams.iter().filter(|(_, events)| !events.is_empty()) {
            let mut expected = std::collections::BTreeMap::new();
            let (begin, end) = (events[0].0, events[events.len() - 1].0);
            for tick in first..last {
                let mut open = Vec::new();
                for (_, event) in events.iter().filter(|(time, _)| *time <= tick) {
                    match event {
                        Event::Enter(of) => open.push(of.region.0),
                        _ => drop(open.pop()),
                    }
                }
                let class = match open.last() {
                    _ if *location == 4 && (tick < begin || tick >= end) => Class::AnyIdle,
                    _ if tick < begin => Class::NotBegun,
                    _ if tick >= end => Class::Ended,
                    Some(_) if *location == 4 => Class::AnyKernel,
                    None if *location == 4 => Class::AnyIdle,
                    None if assumed => Class::Assumed,
                    None => Class::NoRegion,
                    Some(&SEND) => Class::PointToPoint,
                    Some(&GEMM) => Class::OtherCalls,
                    Some(&(INIT | FINALIZE)) => Class::StartUp,
                    Some(_) => Class::Serial,
                };
                *expected.entry(class).or_insert(0) += 1;
            }
            let expected: Vec<(Class, u64)> = expected.into_iter().collect();
            prop_assert_eq!(of(&account, *location, 0), expected, "{}", location);
        }
    }

    /// Windows that tile the run add up to the whole, and so do bins.
    #[test]
    fn parts_add_up(streams in streams(), cut in 0u64..200, count in 1u32..7) {
        let whole = account(&streams, &Partition::default());
        let windows = [(0, cut.max(1)), (cut.max(1), u64::MAX)];
        let bins = TimeBins::new(whole.run.0, whole.run.1, count);
        let parts: Vec<Account> = windows
            .map(|(from, to)| account(&streams, &Partition::bins(TimeBins::new(from, to, 1))))
            .into();
        let binned = account(&streams, &Partition::bins(bins));
        for role in [Role::Thread, Role::Stream] {
            let (mut of_parts, mut of_bins) = (Sums::new(), Sums::new());
            parts.iter().for_each(|part| add(&mut of_parts, part.sum(role, 0)));
            (0..bins.count()).for_each(|bin| add(&mut of_bins, binned.sum(role, bin as usize)));
            prop_assert_eq!(&of_parts, &whole.sum(role, 0).ticks);
            if whole.run.0 < whole.run.1 {
                prop_assert_eq!(&of_bins, &whole.sum(role, 0).ticks);
            }
        }
    }

    /// The account without start-up is that of a second look at the time that is left.
    #[test]
    fn start_up_is_set_aside(streams in streams()) {
        let whole = account(&streams, &Partition::default());
        let Some(visits) = whole.without_start_up(&definitions()) else { return Ok(()) };
        let again = account(&streams, &Partition::default().within(visits.clone()));
        if let Some(main) = whole.main_part(&visits) {
            for (location, of) in &main.locations {
                prop_assert_eq!(&of.parts[0].ticks, &again.locations[location].parts[0].ticks);
            }
        }
    }
}

type Sums = std::collections::BTreeMap<Class, u128>;

fn add(sums: &mut Sums, of: Sum) {
    of.ticks.into_iter().for_each(|(class, ticks)| *sums.entry(class).or_default() += ticks);
}

/// Events of a location with their numbers and times, those that follow each other as a run.
struct Run<'e> {
    location: LocationRef,
    rest: &'e [(u64, Event<'static>)],
    number: u64,
    time: u64,
}

impl Run<'_> {
    fn pass(&mut self) {
        let [(time, _), rest @ ..] = self.rest else { return };
        (self.time, self.number, self.rest) = (*time, self.number + 1, rest);
    }

    /// The next event, if its time does not go back.
    fn first(&self) -> Option<Event<'static>> {
        self.rest.first().filter(|(time, _)| *time >= self.time).map(|(_, event)| *event)
    }
}

impl Calls for Run<'_> {
    fn next(&mut self) -> Option<Call> {
        let call = match self.first()? {
            Event::Enter(of) => Call::Enter(of.region),
            Event::Leave(of) => Call::Leave(of.region),
            _ => return None,
        };
        self.pass();
        Some(call)
    }

    fn next_message(&mut self) -> Option<Message> {
        self.next_envelope().map(|Envelope { received, bytes, .. }| Message { received, bytes })
    }

    fn next_envelope(&mut self) -> Option<Envelope> {
        let Event::MpiSend(of) = self.first()? else { return None };
        self.pass();
        let MpiSend { receiver: partner, communicator: comm, msg_tag: tag, msg_length: bytes } = of;
        Some(Envelope { received: false, partner, comm, tag, bytes, request: None })
    }

    fn time(&self) -> Time {
        Time(self.time)
    }

    fn head(&self) -> EventHead<'static> {
        let Run { location, number, time, .. } = *self;
        EventHead { location, number, time: Time(time), attributes: &[] }
    }
}

/// The result of a kernel for the events of a location, which come one by one or in runs.
fn found<K: Kernel>(
    kernel: &K,
    (location, events): &(u64, Vec<(u64, Event<'static>)>),
    in_runs: bool,
) -> K::Partial {
    let (mut worker, location) = (kernel.worker(), LocationRef(*location));
    let mut scan = kernel.scan(&mut worker, location);
    let mut run = Run { location, rest: events, number: 0, time: 0 };
    loop {
        if in_runs {
            scan.calls(&mut run);
        }
        let Some((time, event)) = run.rest.first() else { break };
        run.time = *time;
        run.pass();
        if K::Scan::<'_>::WANTS.contains(event.kind()) {
            event.hand_to(&run.head(), &mut scan);
        }
    }
    let time = |at: Option<&(u64, Event<'_>)>| at.map(|(time, _)| Time(*time));
    let summary = StreamSummary {
        events: events.len() as u64,
        first: time(events.first()),
        last: time(events.last()),
        ..StreamSummary::default()
    };
    kernel.end(scan, &summary);
    kernel.partial(worker)
}

fn event() -> impl Strategy<Value = Event<'static>> {
    let model = Paradigm::Openmp;
    let team = CommRef(0);
    let flush = |stop| Event::BufferFlush(BufferFlush { stop_time: Time(stop) });
    let send = |msg_length| {
        let (receiver, communicator, msg_tag) = (1, CommRef(0), 0);
        Event::MpiSend(MpiSend { receiver, communicator, msg_tag, msg_length })
    };
    prop_oneof![
        20 => (0..8u32).prop_map(enter),
        20 => (0..8u32).prop_map(leave),
        4 => (1..99u64).prop_map(send),
        1 => (0..90u64).prop_map(flush),
        1 => (0..3u64).prop_map(|task_id| Event::OmpTaskSwitch(OmpTaskSwitch { task_id })),
        1 => prop_oneof![Just(MeasurementMode::On), Just(MeasurementMode::Off)].prop_map(|mode| {
            Event::MeasurementOnOff(MeasurementOnOff { measurement_mode: mode })
        }),
        1 => Just(Event::ThreadFork(ThreadFork { model, number_of_requested_threads: 2 })),
        1 => Just(Event::ThreadJoin(ThreadJoin { model })),
        1 => Just(Event::ThreadTeamBegin(ThreadTeamBegin { thread_team: team })),
        1 => Just(Event::ThreadTeamEnd(ThreadTeamEnd { thread_team: team })),
    ]
}

/// Times that go back now and then.
fn stream() -> impl Strategy<Value = (u64, Vec<(u64, Event<'static>)>)> {
    let events = collection::vec((0..4u64, 0..30u32, event()), 0..60);
    (prop_oneof![Just(0u64), Just(1), Just(4)], events).prop_map(|(location, events)| {
        let mut now = 0u64;
        let at = |(step, back, event)| {
            now = if back == 0 { now.saturating_sub(5) } else { now + step };
            (now, event)
        };
        (location, events.into_iter().map(at).collect())
    })
}

proptest! {
    #[test]
    fn runs_leave_what_their_events_leave(
        stream in stream(),
        visits in collection::vec((0..40u64, 0..40u64), 0..4),
        is_whole in any::<bool>(),
    ) {
        let mut visits: Vec<_> =
            visits.into_iter().map(|(from, to)| (from.min(to), from.max(to) + 1)).collect();
        visits.sort_unstable();
        let visits = [(LocationRef(stream.0), visits)].into_iter().collect();
        let partition = Partition::default();
        let partition = if is_whole { partition } else { partition.within(visits) };
        let definitions = definitions();
        let kernel = AccountKernel::new(&definitions, &partition, AccountOptions::default());
        let expected = found(&kernel, &stream, false);
        prop_assert_eq!(&found(&kernel, &stream, true), &expected);
        // Two in one pass.
        let both = found(&(&kernel, &kernel), &stream, true);
        prop_assert_eq!(&both, &(expected.clone(), expected));
    }
}
