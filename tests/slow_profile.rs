//! The profile against a slow one that does the same in the simplest way: it holds every visit of
//! every location, and sums them up at the end.

mod common;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use common::{large, own, Archive};
use proptest::prelude::*;
use streamfold::collective::{codec, Solo};
use streamfold::drive::{self, Progress, Scanning};
use streamfold::formats::otf2::ReadOptions;
use streamfold::kernels::profile::{
    CallTree, GroupRow, LocationPath, LocationRow, Oddities, Partial, PathIndex, PathRow, PathSink,
    Profile, ProfileKernel, RegionRow, Row, Spread, Traffic, Visits,
};
use streamfold::kernels::Kernel;
use streamfold::model::definitions::{CallingContext, Definition, Location, LocationGroup};
use streamfold::model::enums::{CollectiveOp, LocationGroupType, LocationType};
use streamfold::model::events::{
    CallingContextEnter, CallingContextLeave, Enter, EventVisitor, Leave, MpiCollectiveEnd,
    MpiIrecv, MpiIsend, MpiRecv, MpiSend, NonBlockingCollectiveComplete,
};
use streamfold::model::ids::{
    CallingContextRef, CommRef, LocationGroupRef, LocationRef, RegionRef, SourceCodeLocationRef,
    StringRef, SystemTreeNodeRef,
};
use streamfold::model::store::Definitions;
use streamfold::model::stream::{EventHead, StreamSummary};
use streamfold::model::values::Ticks;
use streamfold::selection::Plan;

/// What an event means for a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Enter(u32),
    Leave(u32),
    ContextEnter(u32),
    ContextLeave(u32),
    Send(u64),
    Isend(u64),
    Recv(u64),
    Irecv(u64),
    Collective(u64, u64),
    NonBlockingCollective(u64, u64),
    /// Anything else.
    Other,
}

/// The events of a location in their order: each with its time.
type Stream = Vec<(u64, Step)>;

/// The events of all locations.
type Streams = BTreeMap<LocationRef, Stream>;

/// The regions of calling contexts.
type Contexts = BTreeMap<u32, RegionRef>;

/// Regions from the outermost to the last.
type CallPath = Vec<RegionRef>;

/// What call paths of one location have.
type Paths = BTreeMap<CallPath, (Visits, Traffic)>;

// ------------------------------------------------------------ the slow profile

struct SlowVisit {
    path: CallPath,
    /// The visit that this one is directly inside of.
    inside: Option<usize>,
    begin: u64,
    end: Option<u64>,
}

struct SlowLocation {
    paths: Paths,
    row: LocationRow,
    outside: Traffic,
}

/// All rules of the profile for one location, in the order in which they are stated.
fn slow_location(location: LocationRef, stream: &Stream, contexts: &Contexts) -> SlowLocation {
    let mut visits: Vec<SlowVisit> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut paths = Paths::new();
    let mut outside = Traffic::default();
    let mut oddities = Oddities::default();
    let mut depth = 0;
    // Only enters and leaves move the clock of a location: nothing else needs one.
    let mut clock = 0;
    for &(time, step) in stream {
        let region_of = |context| contexts.get(&context).copied().unwrap_or(RegionRef::UNDEFINED);
        let is_undefined = |context| u64::from(!contexts.contains_key(&context));
        match step {
            Step::ContextEnter(c) | Step::ContextLeave(c) => {
                oddities.undefined_contexts += is_undefined(c)
            }
            _ => {}
        }
        let moves = match step {
            Step::Enter(region) => Some((true, RegionRef(region))),
            Step::Leave(region) => Some((false, RegionRef(region))),
            Step::ContextEnter(context) => Some((true, region_of(context))),
            Step::ContextLeave(context) => Some((false, region_of(context))),
            _ => None,
        };
        match moves {
            Some((true, region)) => {
                clock = clock.max(time);
                let inside = open.last().copied();
                let mut path = inside.map_or(CallPath::new(), |outer| visits[outer].path.clone());
                path.push(region);
                open.push(visits.len());
                visits.push(SlowVisit { path, inside, begin: clock, end: None });
                depth = depth.max(open.len());
            }
            Some((false, region)) => {
                clock = clock.max(time);
                match open.iter().rposition(|&visit| visits[visit].path.last() == Some(&region)) {
                    None => oddities.unmatched += 1,
                    Some(at) => {
                        let dropped = open.len() - at - 1;
                        oddities.crossed += u64::from(dropped > 0);
                        oddities.dropped += dropped as u64;
                        visits[open[at]].end = Some(clock);
                        open.truncate(at);
                    }
                }
            }
            None => {
                let traffic = match open.last() {
                    Some(&visit) => &mut tally(&mut paths, &visits[visit].path).1,
                    None => &mut outside,
                };
                add_traffic(traffic, step);
            }
        }
    }
    oddities.open = open.len() as u64;
    oddities.backward = stream.windows(2).filter(|pair| pair[1].0 < pair[0].0).count() as u64;
    sum_up(&visits, &mut paths);
    let mut row = LocationRow {
        location,
        events: stream.len() as u64,
        unknown: 0,
        first: stream.first().map(|event| Ticks(event.0)),
        last: stream.last().map(|event| Ticks(event.0)),
        visits: visits.len() as u64,
        closed: visits.iter().filter(|visit| visit.end.is_some()).count() as u64,
        inclusive: paths.values().map(|(visits, _)| u128::from(visits.inclusive)).sum(),
        inside: paths.values().map(|(visits, _)| u128::from(visits.exclusive)).sum(),
        shortest: paths.values().map(|(visits, _)| visits.shortest).min().unwrap_or(u64::MAX),
        longest: paths.values().map(|(visits, _)| visits.longest).max().unwrap_or(0),
        depth: depth as u64,
        traffic: outside,
        oddities,
    };
    paths.values().for_each(|(_, traffic)| row.traffic.add(traffic));
    SlowLocation { paths, row, outside }
}

fn tally<'a>(paths: &'a mut Paths, path: &CallPath) -> &'a mut (Visits, Traffic) {
    paths.entry(path.clone()).or_insert((Visits::NONE, Traffic::default()))
}

fn add_traffic(traffic: &mut Traffic, step: Step) {
    match step {
        Step::Send(bytes) | Step::Isend(bytes) => {
            traffic.sent += 1;
            traffic.bytes_sent += u128::from(bytes);
        }
        Step::Recv(bytes) | Step::Irecv(bytes) => {
            traffic.received += 1;
            traffic.bytes_received += u128::from(bytes);
        }
        Step::Collective(sent, received) | Step::NonBlockingCollective(sent, received) => {
            traffic.collectives += 1;
            traffic.collective_bytes_sent += u128::from(sent);
            traffic.collective_bytes_received += u128::from(received);
        }
        _ => {}
    }
}

/// Adds every visit to its path, with its times where it has an end.
fn sum_up(visits: &[SlowVisit], paths: &mut Paths) {
    let mut inside = vec![0; visits.len()];
    for visit in visits {
        if let (Some(outer), Some(end)) = (visit.inside, visit.end) {
            inside[outer] += end - visit.begin;
        }
    }
    for (visit, inside) in visits.iter().zip(inside) {
        let (sum, _) = tally(paths, &visit.path);
        sum.visits += 1;
        if let Some(end) = visit.end {
            let inclusive = end - visit.begin;
            sum.closed += 1;
            sum.inclusive += inclusive;
            sum.exclusive += inclusive - inside;
            sum.shortest = sum.shortest.min(inclusive);
            sum.longest = sum.longest.max(inclusive);
        }
    }
}

/// The profile of all locations, from what each of them has.
fn slow_profile(locations: &[SlowLocation], definitions: &Definitions) -> Profile {
    let mut all: BTreeMap<CallPath, Vec<(LocationRef, Visits, Traffic)>> = BTreeMap::new();
    for location in locations {
        for (path, (visits, traffic)) in &location.paths {
            let found = (location.row.location, *visits, *traffic);
            all.entry(path.clone()).or_default().push(found);
        }
    }
    let rows: BTreeMap<CallPath, Row> =
        all.iter().map(|(path, found)| (path.clone(), slow_row(found))).collect();
    let mut paths = Vec::new();
    list_paths(&rows, &CallPath::new(), None, &mut paths);
    let mut outside = Traffic::default();
    let mut oddities = Oddities::default();
    for location in locations {
        outside.add(&location.outside);
        oddities.add(&location.row.oddities);
    }
    let everything: Vec<_> = all.values().flatten().copied().collect();
    let mut total = slow_row(&everything);
    total.traffic.add(&outside);
    // Of the total every location is part, visits or not.
    total.spread = slow_spread(locations.iter().map(|l| (l.row.location, l.row.inside)));
    Profile {
        regions: slow_regions(&all),
        paths,
        locations: locations.iter().map(|location| location.row).collect(),
        groups: slow_groups(locations, definitions),
        outside,
        total,
        events: locations.iter().map(|location| location.row.events).sum(),
        oddities,
    }
}

/// Of what some locations have, each perhaps several times.
fn slow_row(found: &[(LocationRef, Visits, Traffic)]) -> Row {
    let mut by_location: BTreeMap<LocationRef, u128> = BTreeMap::new();
    let mut row = Row::EMPTY;
    for (location, visits, traffic) in found {
        *by_location.entry(*location).or_default() += u128::from(visits.exclusive);
        row.visits += visits.visits;
        row.closed += visits.closed;
        row.inclusive += u128::from(visits.inclusive);
        row.exclusive += u128::from(visits.exclusive);
        row.shortest = row.shortest.min(visits.shortest);
        row.longest = row.longest.max(visits.longest);
        row.traffic.add(traffic);
    }
    row.spread = slow_spread(by_location.into_iter());
    row
}

fn slow_spread(exclusive: impl Iterator<Item = (LocationRef, u128)>) -> Spread {
    let all: Vec<_> = exclusive.collect();
    let Some(&(most_at, most)) = all.iter().min_by_key(|(location, t)| (Reverse(*t), *location))
    else {
        return Spread::NONE;
    };
    let least = all.iter().map(|(_, t)| *t).min().expect("there is one");
    Spread { locations: all.len() as u64, least, most, most_at }
}

/// The paths entered from `parent`, each followed by those that are entered from it.
fn list_paths(
    rows: &BTreeMap<CallPath, Row>,
    parent: &CallPath,
    index: Option<u32>,
    list: &mut Vec<PathRow>,
) {
    let is_child = |path: &CallPath| path.len() == parent.len() + 1 && path.starts_with(parent);
    let mut children: Vec<_> = rows.iter().filter(|(path, _)| is_child(path)).collect();
    children.sort_by_key(|(path, row)| (Reverse(row.inclusive), *path.last().expect("a region")));
    for (path, row) in children {
        let here = list.len() as u32;
        let region = *path.last().expect("a region");
        list.push(PathRow { parent: index, depth: parent.len() as u32, region, row: *row });
        list_paths(rows, path, Some(here), list);
    }
}

fn slow_regions(all: &BTreeMap<CallPath, Vec<(LocationRef, Visits, Traffic)>>) -> Vec<RegionRow> {
    let mut by_region: BTreeMap<RegionRef, (Vec<_>, u128)> = BTreeMap::new();
    for (path, found) in all {
        let region = *path.last().expect("a region");
        let (list, outer) = by_region.entry(region).or_default();
        list.extend(found.iter().copied());
        if path.iter().filter(|&&above| above == region).count() == 1 {
            *outer += found.iter().map(|(_, v, _)| u128::from(v.inclusive)).sum::<u128>();
        }
    }
    let row = |(region, (found, outer)): (RegionRef, (Vec<_>, u128))| RegionRow {
        region,
        row: slow_row(&found),
        outer,
    };
    let mut regions: Vec<_> = by_region.into_iter().map(row).collect();
    regions.sort_by_key(|row| (Reverse(row.row.exclusive), row.region));
    regions
}

fn slow_groups(locations: &[SlowLocation], definitions: &Definitions) -> Vec<GroupRow> {
    let group_of = |location: LocationRef| match definitions.locations.get(&location) {
        Some(l) if definitions.location_groups.contains_key(&l.location_group) => l.location_group,
        _ => LocationGroupRef::UNDEFINED,
    };
    let mut groups: BTreeMap<LocationGroupRef, Vec<&LocationRow>> = BTreeMap::new();
    for location in locations {
        groups.entry(group_of(location.row.location)).or_default().push(&location.row);
    }
    let row = |(group, members): (LocationGroupRef, Vec<&LocationRow>)| {
        let mut traffic = Traffic::default();
        let mut oddities = Oddities::default();
        members.iter().for_each(|row| traffic.add(&row.traffic));
        members.iter().for_each(|row| oddities.add(&row.oddities));
        GroupRow {
            group,
            locations: members.len() as u64,
            events: members.iter().map(|row| row.events).sum(),
            visits: members.iter().map(|row| row.visits).sum(),
            closed: members.iter().map(|row| row.closed).sum(),
            inclusive: members.iter().map(|row| row.inclusive).sum(),
            inside: members.iter().map(|row| row.inside).sum(),
            shortest: members.iter().map(|row| row.shortest).min().expect("a member"),
            longest: members.iter().map(|row| row.longest).max().expect("a member"),
            traffic,
            oddities,
        }
    };
    groups.into_iter().map(row).collect()
}

// ------------------------------------------------------------ what the reference prints

/// The streams that the reference's print program shows, and the regions of calling contexts.
fn read_print(text: &str) -> (Streams, Contexts) {
    let mut streams = Streams::new();
    let mut contexts = Contexts::new();
    let mut in_events = false;
    for line in text.lines() {
        if line.starts_with("===") {
            in_events = line.starts_with("=== Events");
        }
        let mut words = line.split_ascii_whitespace();
        let kind = words.next().unwrap_or_default();
        if kind == "CALLING_CONTEXT" {
            let context = words.next().expect("a reference").parse().expect("a number");
            let (region, _) = line.split_once(", Source code location:").expect("a region");
            contexts.insert(context, RegionRef(last_reference(region)));
        }
        let is_event = in_events && line.starts_with(|first: char| first.is_ascii_uppercase());
        let numbers = (words.next().map(str::parse), words.next().map(str::parse));
        if let (true, (Some(Ok(location)), Some(Ok(time)))) = (is_event, numbers) {
            streams.entry(LocationRef(location)).or_default().push((time, step(kind, line)));
        }
    }
    (streams, contexts)
}

fn step(kind: &str, line: &str) -> Step {
    let length = || number_after(line, ", Length: ");
    let sizes = || (number_after(line, ", Sent: "), number_after(line, ", Received: "));
    match kind {
        "ENTER" => Step::Enter(last_reference(line)),
        "LEAVE" => Step::Leave(last_reference(line)),
        "CALLING_CONTEXT_ENTER" => {
            let (context, _) = line.rsplit_once(", Unwind Distance:").expect("a distance");
            Step::ContextEnter(last_reference(context))
        }
        "CALLING_CONTEXT_LEAVE" => Step::ContextLeave(last_reference(line)),
        "MPI_SEND" => Step::Send(length()),
        "MPI_ISEND" => Step::Isend(length()),
        "MPI_RECV" => Step::Recv(length()),
        "MPI_IRECV" => Step::Irecv(length()),
        "MPI_COLLECTIVE_END" => Step::Collective(sizes().0, sizes().1),
        "NON_BLOCKING_COLLECTIVE_COMPLETE" => Step::NonBlockingCollective(sizes().0, sizes().1),
        _ => Step::Other,
    }
}

/// The number in the angle brackets at the end.
fn last_reference(text: &str) -> u32 {
    let inside = text.trim_end().strip_suffix('>').and_then(|text| text.rsplit_once('<'));
    inside.unwrap_or_else(|| panic!("no reference: {text}")).1.parse().expect("a number")
}

fn number_after(line: &str, what: &str) -> u64 {
    let (_, rest) = line.rsplit_once(what).unwrap_or_else(|| panic!("no{what}: {line}"));
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().expect("a number")
}

// ------------------------------------------------------------ the profile itself

/// Takes the paths of each location, out of all workers.
struct Collector {
    rows: Vec<(LocationRef, Vec<LocationPath>)>,
    all: Arc<Mutex<BTreeMap<LocationRef, Paths>>>,
}

impl PathSink for Collector {
    fn location(&mut self, location: LocationRef, paths: &[LocationPath]) {
        assert!(paths.windows(2).all(|pair| pair[0].path < pair[1].path), "in order of indexes");
        self.rows.push((location, paths.to_vec()));
    }

    fn end(self: Box<Self>, tree: &CallTree) {
        let mut all = self.all.lock().unwrap();
        for (location, rows) in self.rows {
            let named = |row: LocationPath| (regions(tree, row.path), (row.visits, row.traffic));
            let before = all.insert(location, rows.into_iter().map(named).collect());
            assert!(before.is_none(), "location {location} came twice");
        }
    }
}

/// The regions of a path; none for the location itself.
fn regions(tree: &CallTree, mut path: PathIndex) -> CallPath {
    let mut regions = CallPath::new();
    while path != PathIndex::ROOT {
        regions.insert(0, tree.region(path));
        path = tree.parent(path);
    }
    regions
}

/// Profile and paths by location of an archive, as the program makes them.
fn profile_of(archive: &Archive) -> (Profile, BTreeMap<LocationRef, Paths>, Definitions) {
    let trace = drive::open(&Solo, &archive.anchor, ReadOptions::default()).expect("a trace");
    let plan = Plan::new(&drive::weigh(&Solo, &trace).expect("weights"), 1);
    let all = Arc::new(Mutex::new(BTreeMap::new()));
    let collected = all.clone();
    let sink = move || -> Box<dyn PathSink> {
        Box::new(Collector { rows: Vec::new(), all: collected.clone() })
    };
    let kernel = ProfileKernel::new(&trace.definitions).with_sinks(&sink);
    let progress = Progress::default();
    let workers = 3.try_into().expect("not zero");
    let scanning = Scanning { workers, strict: true, progress: &progress };
    let folded = drive::scan(&Solo, &trace, &plan, &kernel, scanning).expect("no losses");
    let (profile, _) = Profile::new(folded.partial, &trace.definitions);
    let paths = std::mem::take(&mut *all.lock().unwrap());
    (profile, paths, trace.definitions)
}

/// What a sink gets of a location that was read by the slow profile: the location itself is a
/// path, too, where it has messages.
fn paths_of(location: &SlowLocation) -> Paths {
    let mut paths = location.paths.clone();
    if !location.outside.is_empty() {
        paths.insert(CallPath::new(), (Visits::NONE, location.outside));
    }
    paths
}

fn compare_with_print(archive: &Archive) {
    let name = &archive.name;
    let (profile, mut paths, definitions) = profile_of(archive);
    let (mut streams, contexts) = read_print(&archive.print());
    // Locations without events have no line in the print; they are locations all the same.
    for location in definitions.locations.keys() {
        streams.entry(*location).or_default();
    }
    let slow =
        |(location, stream): (&LocationRef, &Stream)| slow_location(*location, stream, &contexts);
    let slow: Vec<SlowLocation> = streams.iter().map(slow).collect();
    for location in &slow {
        let reference = location.row.location;
        let found = paths.remove(&reference).unwrap_or_default();
        assert_eq!(found, paths_of(location), "{name}: location {reference}");
    }
    assert!(paths.is_empty(), "{name}: locations that the print does not know");
    let expected = slow_profile(&slow, &definitions);
    expect_rows(name, "location", &profile.locations, &expected.locations);
    expect_rows(name, "call path", &profile.paths, &expected.paths);
    expect_rows(name, "region", &profile.regions, &expected.regions);
    assert!(profile == expected, "{name}: groups, total or what is outside of regions");
}

/// Shows the first row that differs, rather than thousands of equal ones.
fn expect_rows<T: PartialEq + std::fmt::Debug>(name: &str, what: &str, found: &[T], wanted: &[T]) {
    for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert_eq!(found, wanted, "{name}: {what} in row {i}");
    }
    assert_eq!(found.len(), wanted.len(), "{name}: rows of {what}");
}

#[test]
fn the_archives_of_this_repository_give_the_slow_profile_of_their_print() {
    own().iter().for_each(compare_with_print);
}

#[test]
fn the_archives_of_the_large_set_give_the_slow_profile_of_their_print() {
    large().iter().for_each(compare_with_print);
}

// ------------------------------------------------------------ any events at all

/// Regions 0 to 3 and contexts 0 to 4 of them; context 5 is not defined. Two groups, and locations
/// of a third one that is not defined.
fn some_definitions() -> (Definitions, Contexts) {
    let mut definitions = Definitions::default();
    let contexts: Contexts = (0..5).map(|context| (context, RegionRef(context % 4))).collect();
    for (context, region) in &contexts {
        definitions.insert(Definition::CallingContext(CallingContext {
            id: CallingContextRef(*context),
            region: *region,
            source_code_location: SourceCodeLocationRef::UNDEFINED,
            parent: CallingContextRef::UNDEFINED,
        }));
    }
    for group in [7, 3] {
        definitions.insert(Definition::LocationGroup(LocationGroup {
            id: LocationGroupRef(group),
            name: StringRef::UNDEFINED,
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef::UNDEFINED,
            creating_location_group: LocationGroupRef::UNDEFINED,
        }));
    }
    for location in LOCATIONS {
        definitions.insert(Definition::Location(Location {
            id: LocationRef(location),
            name: StringRef::UNDEFINED,
            location_type: LocationType::CpuThread,
            number_of_events: 0,
            location_group: LocationGroupRef([7, 3, 9][location as usize % 3]),
        }));
    }
    (definitions, contexts)
}

/// Locations that events may come from, in an order of their own.
const LOCATIONS: [u64; 6] = [4, 1, 1 << 40, 0, 7, 2];

fn any_step() -> impl Strategy<Value = Step> {
    let bytes = || prop_oneof![4 => 0u64..100, 1 => Just(u64::MAX)];
    prop_oneof![
        8 => (0u32..4).prop_map(Step::Enter),
        8 => (0u32..4).prop_map(Step::Leave),
        2 => (0u32..6).prop_map(Step::ContextEnter),
        2 => (0u32..6).prop_map(Step::ContextLeave),
        1 => bytes().prop_map(Step::Send),
        1 => bytes().prop_map(Step::Isend),
        1 => bytes().prop_map(Step::Recv),
        1 => bytes().prop_map(Step::Irecv),
        1 => (bytes(), bytes()).prop_map(|(s, r)| Step::Collective(s, r)),
        1 => (bytes(), bytes()).prop_map(|(s, r)| Step::NonBlockingCollective(s, r)),
        1 => Just(Step::Other),
    ]
}

/// Events whose times mostly grow, stand still now and then, and sometimes go back.
fn any_stream() -> impl Strategy<Value = Stream> {
    let event = (prop_oneof![6 => 0i64..50, 1 => -60i64..0], any_step());
    prop::collection::vec(event, 0..60).prop_map(|events| {
        let mut time = 1000u64;
        let at = |(after, step)| {
            time = time.saturating_add_signed(after);
            (time, step)
        };
        events.into_iter().map(at).collect()
    })
}

/// Events with any times at all, whose leaves are all of the innermost open region.
fn any_wild_stream() -> impl Strategy<Value = Stream> {
    let time = prop_oneof![Just(0u64), Just(u64::MAX), Just(1u64 << 63), any::<u64>()];
    prop::collection::vec((time, any_step()), 0..60).prop_map(|events| {
        let mut open = Vec::new();
        let nested = |(time, step)| {
            match step {
                Step::Enter(_) | Step::ContextEnter(_) => open.push(step),
                Step::Leave(_) | Step::ContextLeave(_) => {
                    return match open.pop()? {
                        Step::Enter(region) => Some((time, Step::Leave(region))),
                        Step::ContextEnter(context) => Some((time, Step::ContextLeave(context))),
                        other => unreachable!("{other:?}"),
                    }
                }
                _ => {}
            }
            Some((time, step))
        };
        events.into_iter().filter_map(nested).collect()
    })
}

/// Streams of several locations, and a number for each that decides who reads it when.
fn any_streams(
    stream: impl Strategy<Value = Stream>,
) -> impl Strategy<Value = Vec<(LocationRef, Stream, u32)>> {
    prop::collection::vec((stream, any::<u32>()), 0..LOCATIONS.len()).prop_map(|streams| {
        let with_location = |((stream, key), location)| (LocationRef(location), stream, key);
        streams.into_iter().zip(LOCATIONS).map(with_location).collect()
    })
}

fn deliver(scan: &mut impl EventVisitor, location: LocationRef, stream: &Stream) -> StreamSummary {
    let communicator = CommRef(0);
    let (collective_op, root) = (CollectiveOp::Barrier, 0);
    let (request_id, msg_tag) = (0, 0);
    for (i, (time, step)) in stream.iter().enumerate() {
        let head =
            EventHead { location, number: i as u64 + 1, time: Ticks(*time), attributes: &[] };
        match *step {
            Step::Enter(region) => scan.enter(&head, Enter { region: RegionRef(region) }),
            Step::Leave(region) => scan.leave(&head, Leave { region: RegionRef(region) }),
            Step::ContextEnter(context) => {
                let calling_context = CallingContextRef(context);
                let event = CallingContextEnter { calling_context, unwind_distance: 1 };
                scan.calling_context_enter(&head, event)
            }
            Step::ContextLeave(context) => {
                let calling_context = CallingContextRef(context);
                scan.calling_context_leave(&head, CallingContextLeave { calling_context })
            }
            Step::Send(msg_length) => {
                scan.mpi_send(&head, MpiSend { receiver: 0, communicator, msg_tag, msg_length })
            }
            Step::Isend(msg_length) => {
                let receiver = 0;
                let event = MpiIsend { receiver, communicator, msg_tag, msg_length, request_id };
                scan.mpi_isend(&head, event)
            }
            Step::Recv(msg_length) => {
                scan.mpi_recv(&head, MpiRecv { sender: 0, communicator, msg_tag, msg_length })
            }
            Step::Irecv(msg_length) => {
                let sender = 0;
                let event = MpiIrecv { sender, communicator, msg_tag, msg_length, request_id };
                scan.mpi_irecv(&head, event)
            }
            Step::Collective(size_sent, size_received) => scan.mpi_collective_end(
                &head,
                MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received },
            ),
            Step::NonBlockingCollective(size_sent, size_received) => scan
                .non_blocking_collective_complete(
                    &head,
                    NonBlockingCollectiveComplete {
                        collective_op,
                        communicator,
                        root,
                        size_sent,
                        size_received,
                        request_id,
                    },
                ),
            Step::Other => {}
        }
    }
    StreamSummary {
        events: stream.len() as u64,
        unknown: 0,
        first: stream.first().map(|event| Ticks(event.0)),
        last: stream.last().map(|event| Ticks(event.0)),
        backward: stream.windows(2).filter(|pair| pair[1].0 < pair[0].0).count() as u64,
    }
}

/// The profile with so many workers; the keys say who reads a location, in which order, and who is
/// folded with whom. Every other partial result travels as it would between ranks.
fn fast_profile(
    streams: &[(LocationRef, Stream, u32)],
    workers: u32,
    definitions: &Definitions,
) -> Profile {
    let kernel = ProfileKernel::new(definitions);
    let mut order: Vec<_> = streams.iter().collect();
    order.sort_by_key(|(_, _, key)| *key);
    let mut all: Vec<_> = (0..workers).map(|_| kernel.worker()).collect();
    for (location, stream, key) in order {
        let worker = &mut all[(key % workers) as usize];
        let mut scan = kernel.scan(worker, *location);
        let summary = deliver(&mut scan, *location, stream);
        kernel.end(scan, &summary);
    }
    let mut partials: Vec<Partial> = all.into_iter().map(|w| kernel.partial(w)).collect();
    let mut turn = streams.iter().map(|(_, _, key)| *key as usize).cycle();
    while partials.len() > 1 {
        let key = turn.next().unwrap_or(0);
        let into = partials.swap_remove(key % partials.len());
        let other = partials.swap_remove(key / 7 % partials.len());
        let other = if key % 2 == 0 { travel(other) } else { other };
        partials.push(kernel.fold(into, other));
    }
    Profile::new(partials.pop().expect("at least one worker"), definitions).0
}

fn travel(partial: Partial) -> Partial {
    codec::decode(&codec::encode(&partial).expect("encoded")).expect("decoded")
}

fn check(mut streams: Vec<(LocationRef, Stream, u32)>, workers: u32) -> Result<(), TestCaseError> {
    let (definitions, contexts) = some_definitions();
    let profile = fast_profile(&streams, workers, &definitions);
    prop_assert_eq!(&profile, &fast_profile(&streams, 1, &definitions));
    streams.sort_by_key(|(location, ..)| *location);
    let slow = streams.iter().map(|(l, stream, _)| slow_location(*l, stream, &contexts));
    let slow: Vec<SlowLocation> = slow.collect();
    prop_assert_eq!(profile, slow_profile(&slow, &definitions));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// Whoever reads which location, and however results are folded.
    #[test]
    fn any_events_give_the_slow_profile(
        streams in any_streams(any_stream()),
        workers in 1u32..6,
    ) {
        check(streams, workers)?;
    }

    /// Times are 64 bits of a file that nobody vouches for.
    #[test]
    fn any_times_give_the_slow_profile(
        streams in any_streams(any_wild_stream()),
        workers in 1u32..6,
    ) {
        check(streams, workers)?;
    }
}

/// A crossed leave ends a visit whose time has the times of visits inside of dropped ones in it, so
/// the sum of exclusive times at a location can be more than the time that has passed there.
#[test]
fn no_time_is_too_long_for_crossed_leaves() {
    let (definitions, _) = some_definitions();
    for innermost in [2, 0] {
        let steps = [
            (0, Step::Enter(0)),
            (0, Step::Enter(1)),
            (0, Step::Enter(innermost)),
            (u64::MAX, Step::Leave(innermost)),
            (u64::MAX, Step::Leave(0)),
        ];
        let streams = [(LocationRef(0), steps.to_vec(), 0)];
        let profile = fast_profile(&streams, 1, &definitions);
        assert_eq!(profile.total.exclusive, 2 * u128::from(u64::MAX));
        assert_eq!(profile.oddities.dropped, 1);
    }
}
