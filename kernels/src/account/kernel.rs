//! Follows the open regions of a location, and counts the time of the innermost one.

mod events;
mod row;

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::calls::{Call, Calls};
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::events::{Event, Metric};
use streamfold_model::ids::{LocationRef, RegionRef, RmaWinRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, StreamSummary};

use self::row::Cells;
use super::cells::CellOptions;
use super::counters::Counters;
use super::metric::LastValues;
use super::overlap::{Follow, Intervals, Overlaps};
use super::regions::{Edge, RegionClass, RegionClasses, TeamRegion};
use super::run::{OfPlace, OwnSums, Run};
use super::work::EdgeMark;
use super::{
    Accounts, Class, CopiesUnderWay, CopyEnds, Direction, Group, LocationAccount, Partition, Role,
    TeamState, Ticks, Work,
};
use crate::call_stack::{CallStack, Change, Place, Visit};
use crate::matching::{Processes, RecurringSums};
use crate::waitstates::Threads;
use crate::Kernel;

/// Regions of each location that are kept.
const REGIONS: usize = 16;

/// Options of an account.
#[derive(Clone, Debug, Default)]
pub struct AccountOptions<'k> {
    /// Set if the regions of the trace are calls of the system.
    pub regions_are_system_calls: bool,
    /// Rows and parts of the time, if they are wanted.
    pub cells: Option<CellOptions<'k>>,
    /// Destination of the times in which devices and their hosts are busy, if they are wanted.
    pub overlaps: Option<Arc<Overlaps<'k>>>,
}

/// Accounts for the time of threads and streams.
#[derive(Debug)]
pub struct AccountKernel<'k> {
    definitions: &'k Definitions,
    partition: &'k Partition,
    options: AccountOptions<'k>,
    classes: RegionClasses,
    ends: CopyEnds,
    threads: Threads,
    /// Set if the trace lists the locations of OpenMP.
    lists_threads: bool,
    counters: Counters,
    /// Set if any kernel on a stream communicates.
    has_communication: bool,
}

impl<'k> AccountKernel<'k> {
    /// Given the definitions that references lead to, and the parts of the time that count.
    pub fn new(
        definitions: &'k Definitions,
        partition: &'k Partition,
        options: AccountOptions<'k>,
    ) -> Self {
        let lists = definitions.comm_locations();
        let list = definitions.location_list(&lists, Paradigm::Openmp);
        let classes = RegionClasses::new(definitions, options.regions_are_system_calls);
        AccountKernel {
            definitions,
            partition,
            has_communication: classes.has_on_streams(Class::CommunicationKernel),
            classes,
            ends: CopyEnds::new(definitions),
            counters: Counters::new(definitions),
            threads: Threads::new(definitions, &Processes::new(definitions)),
            lists_threads: list.is_some_and(|list| list.group_type == GroupType::CommLocations),
            options,
        }
    }
}

/// The state of a worker.
#[derive(Debug)]
pub struct AccountWorker<'k> {
    found: Accounts,
    intervals: Intervals<'k>,
    /// Sums of the present location; they are empty between locations.
    sums: LocationSums,
    /// Visits and places of all locations so far.
    visits: HashMap<(RegionRef, Role), u64, RandomState>,
    places: HashMap<OfPlace, u128, RandomState>,
}

/// Sums of a location that others reuse the memory of.
#[derive(Debug, Default)]
struct LocationSums {
    /// Visits that ended, by region.
    counts: RecurringSums<RegionRef>,
    places: RecurringSums<OfPlace>,
    /// Sums of runs of calls, to be added to ticks, places and visits.
    own: OwnSums,
    /// Ticks of computation, by region.
    computing: HashMap<RegionRef, u64, RandomState>,
}

/// Reads a location.
#[derive(Debug)]
pub struct AccountScan<'w, 'k> {
    kernel: &'w AccountKernel<'k>,
    found: &'w mut Accounts,
    intervals: &'w mut Intervals<'k>,
    /// `None`: times of devices are not wanted, or the location belongs to none.
    follow: Option<Follow>,
    location: LocationRef,
    /// `None`: it has no account.
    role: Option<Role>,
    /// The time of it that counts, and the place in that.
    visits: Option<&'w [(u64, u64)]>,
    at: usize,
    stack: CallStack,
    teams: TeamState,
    /// Parallel regions that are open.
    parallel: u32,
    /// Set if time without a region is idle.
    idles: bool,
    /// Set if it is not the first thread of its process.
    is_worker: bool,
    /// Copies that are recorded as transfers, of streams.
    under_way: CopiesUnderWay<Direction>,
    copies: [u64; Direction::COUNT],
    /// Time up to here is counted. `None`: there was no event yet.
    since: Option<u64>,
    /// The first event that was wanted.
    first: Option<u64>,
    /// The buffer is written out up to here.
    flushes: u64,
    /// The present class.
    class: Class,
    /// The class of the time just before `since`.
    class_before: Class,
    region: Option<RegionRef>,
    /// The region around it.
    caller: Option<RegionRef>,
    marked: bool,
    visited: (bool, bool),
    edges: [EdgeMark; 2],
    work: Vec<Work>,
    sums: &'w mut LocationSums,
    visits_of_all: &'w mut HashMap<(RegionRef, Role), u64, RandomState>,
    places_of_all: &'w mut HashMap<OfPlace, u128, RandomState>,
    cells: Option<Cells<'w>>,
    /// The last values of counters, with their times.
    last_counted: [Option<(u64, u64)>; 2],
}

/// A time in which all counts, or nothing.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// Time up to here is counted.
    since: u64,
    /// Its end; `None`: that of the location.
    limit: Option<u64>,
    counts: bool,
}

impl AccountScan<'_, '_> {
    /// Ticks of the first part of the time up to the latest event.
    pub(crate) fn ticks(&self) -> &Ticks {
        &self.work[0].ticks
    }

    /// The open visits, the outermost first.
    pub(crate) fn open(&self) -> &[Visit] {
        self.stack.open()
    }

    /// The class of the time in a region, with the teams and copies of the present.
    fn class_in(&self, of: RegionClass) -> Class {
        match (self.role, of.thread) {
            (Some(Role::Stream), _) => of.stream,
            (_, Class::Flush) => Class::Flush,
            _ if self.teams.is_forking() => Class::ForkJoin,
            (_, Class::Serial) if self.is_in_team() => Class::Team,
            (_, thread) => thread,
        }
    }

    /// The same outside of all regions.
    fn class_outside(&self) -> Class {
        match self.role {
            Some(Role::Stream) => self.copy(),
            _ if self.teams.is_forking() => Class::ForkJoin,
            _ if self.idles => Class::AnyIdle,
            _ => Class::NoRegion,
        }
    }

    /// Looks at the innermost region that is open now.
    fn look(&mut self) {
        let mut open = self.stack.open().iter().rev().map(|visit| visit.place);
        let top = open.next();
        self.caller = match open.next() {
            Some(Place::Region(region)) => Some(region),
            _ => None,
        };
        (self.region, self.class) = match top {
            Some(Place::Off) => (None, Class::Off),
            Some(Place::Region(region)) => {
                (Some(region), self.class_in(self.kernel.classes.of(region)))
            }
            None => (None, self.class_outside()),
        };
        if let Some(follow) = &mut self.follow {
            follow.go_on(Some(self.class), self.since.unwrap_or(0), self.intervals);
        }
        if let Some(cells) = &self.cells {
            let marked = &cells.options.marked;
            let is_marked =
                |place| matches!(place, Place::Region(region) if marked.contains(&region));
            self.marked =
                !marked.is_empty() && self.stack.open().iter().any(|of| is_marked(of.place));
        }
    }

    fn is_in_team(&self) -> bool {
        self.teams.is_inside() || self.parallel > 0 || self.stack.task().is_some()
    }

    /// The copy that is under way on a stream.
    fn copy(&self) -> Class {
        let of = |direction: Direction| self.copies[direction as usize] > 0;
        match () {
            () if of(Direction::HostToDevice) => Class::HostToDevice,
            () if of(Direction::DeviceToHost) => Class::DeviceToHost,
            () if of(Direction::DeviceToDevice) => Class::DeviceToDevice,
            () if of(Direction::ToDevice) || of(Direction::FromDevice) => Class::OtherCopies,
            () => Class::AnyIdle,
        }
    }

    fn count_up_to(&mut self, time: u64) {
        let since = *self.since.get_or_insert(time);
        self.first.get_or_insert(time);
        if time <= since {
            return;
        }
        self.since = Some(time);
        let flushed = std::mem::take(&mut self.flushes).clamp(since, time);
        if since < flushed {
            let region = self.region.take();
            self.count(Class::Flush, (since, flushed));
            self.region = region;
            self.class_before = Class::Flush;
        }
        if flushed < time {
            self.count(self.class, (flushed, time));
            self.class_before = self.class;
        }
    }

    fn count(&mut self, class: Class, (from, to): (u64, u64)) {
        let AccountScan { kernel, work, sums, region, caller, visits, at, cells, marked, .. } =
            self;
        let place = region.filter(|_| class != Class::ForkJoin).map(|of| (class, of, *caller));
        let mut add = |part: usize, from: u64, to: u64| {
            let ticks = to - from;
            work[part].ticks.add(class, ticks);
            if let Some(place) = place {
                sums.places.add(place, ticks);
            }
            if let Some(cells) = cells {
                cells.add(class, *marked, (from, to));
            }
        };
        match kernel.partition.is_whole() {
            true => add(0, from, to),
            false => kernel.partition.split(*visits, at, (from, to), add),
        }
    }

    /// The part of the time in which something happens at a time, where it counts.
    fn part_of(&mut self, time: u64) -> Option<&mut Work> {
        if self.kernel.partition.is_whole() {
            return self.work.first_mut();
        }
        let mut found = None;
        let (visits, mut at) = (self.visits, self.at);
        let tick = (time, time.saturating_add(1));
        self.kernel.partition.split(visits, &mut at, tick, |part, _, _| found = Some(part));
        found.map(|part| &mut self.work[part])
    }

    fn bytes(&mut self, time: u64, sent: u64, received: u64) {
        if let Some(work) = self.part_of(time) {
            work.bytes[0] = work.bytes[0].saturating_add(sent);
            work.bytes[1] = work.bytes[1].saturating_add(received);
        }
        self.send(time, sent);
    }

    /// Counters grew while the thread was busy with the class of the time before the record: that record may stand
    /// behind the event of the same time that begins the present class.
    fn grow(&mut self, time: u64, values: &Metric<'_>) {
        let growth = self.kernel.counters.growth(values, time, &mut self.last_counted);
        let (class, before) = (self.class, self.class_before);
        let has_passed = self.since.is_none_or(|since| since < time);
        let of_computation = growth.map(|(more, from)| {
            let class = if has_passed || from >= time { class } else { before };
            if class.group() == Group::Computation {
                more
            } else {
                0
            }
        });
        if of_computation == [0; 2] {
            return;
        }
        // The time before the record is what counts.
        if let Some(work) = self.part_of(time.saturating_sub(1)) {
            let sums = work.counted.iter_mut().zip(of_computation);
            sums.for_each(|(sum, more)| *sum = sum.saturating_add(more));
        }
    }

    fn send(&mut self, time: u64, bytes: u64) {
        if self.visits.is_some() && self.part_of(time).is_none() {
            return;
        }
        let Some(cells) = self.cells.as_mut().filter(|cells| cells.row.is_some()) else { return };
        let bins = cells.options.bins;
        if (bins.begin()..bins.end()).contains(&time) {
            cells.of_row().send(bins.bin(time) as usize, bytes);
        }
    }

    /// A transfer begins.
    fn transfer(&mut self, time: u64, puts: bool, copy: (RmaWinRef, u64), to: (u32, u64)) {
        self.found.counts.transfers += 1;
        self.send(time, to.1);
        if self.role == Some(Role::Stream) {
            let direction = self.kernel.ends.direction(self.location, puts, copy.0, to.0);
            if let Some(direction) = direction.filter(|of| self.under_way.begin(copy, *of)) {
                self.copies[direction as usize] += 1;
            }
            self.look();
        }
    }

    fn complete(&mut self, copy: (RmaWinRef, u64)) {
        if let Some(direction) = self.under_way.end(copy) {
            self.copies[direction as usize] -= 1;
            self.look();
        }
    }

    /// Returns the stretch in which enters and leaves from a time on are counted in a run. Nothing else than they and
    /// messages may happen in it, and nothing may depend on when they happen. `None`: each counts on its own.
    fn stretch(&mut self, time: u64) -> Option<Stretch> {
        let is_plain = self.role.is_some()
            && self.follow.is_none()
            && self.cells.is_none()
            && !self.kernel.partition.has_bins()
            && self.kernel.counters.is_empty()
            && self.flushes == 0
            && !self.teams.is_forking();
        let since = self.since.filter(|since| is_plain && *since <= time)?;
        let Some(visits) = self.visits else {
            return Some(Stretch { since, limit: None, counts: true });
        };
        while visits.get(self.at).is_some_and(|visit| visit.1 <= since) {
            self.at += 1;
        }
        let (limit, counts) = match &visits[self.at..] {
            [] => (u64::MAX, false),
            [(begin, _), ..] if since < *begin => (*begin, false),
            [(_, end), (next, _), ..] if next < end => return None,
            [(_, end), ..] => (*end, true),
        };
        Some(Stretch { since, limit: Some(limit), counts })
    }

    /// Enters and leaves that follow each other, and messages. Returns the first call that was not taken.
    #[inline(always)]
    fn follow<C: Calls>(&mut self, calls: &mut C, since: u64, counts_time: bool) -> Option<Call> {
        let (class, outside) = (self.class_in(RegionClass::UNDEFINED), self.class_outside());
        let AccountScan { kernel, work, sums, visited, found, .. } = self;
        let LocationSums { counts, places, own, .. } = &mut **sums;
        let mut run = Run {
            classes: &kernel.classes,
            counts_time,
            is_stream: self.role == Some(Role::Stream),
            serial: class,
            outside,
            own: own.in_use(),
            work: &mut work[0],
            places,
            counts,
            messages: &mut found.counts.messages,
            has_messages: false,
            visited,
        };
        let (now, behind) = self.stack.follow(calls, since, &mut run);
        let has_messages = run.has_messages;
        self.since = Some(now);
        self.look();
        // A message may be later than the last call. Without any, the time may be that of an event that is not wanted.
        if behind.is_none() && has_messages {
            self.count_up_to(calls.time().0);
        }
        behind
    }

    /// Takes an event that opens or closes visits.
    fn visit(&mut self, head: &EventHead<'_>, event: &Event<'_>, time: u64) {
        let AccountScan { kernel, found, stack, parallel, visited, edges, work, location, .. } =
            self;
        let LocationSums { counts, places, own, .. } = &mut *self.sums;
        let (mut team, mut at_edge) = (None, None);
        stack.take(head, event, |change| {
            let (path, begins, ended) = match change {
                Change::Begin { path } => (path, true, false),
                Change::End { path, .. } => (path, false, true),
                Change::Drop { path } => (path, false, false),
                Change::Unmatched { .. } => {
                    found.counts.odd_visits += 1;
                    return;
                }
            };
            let Some(Place::Region(region)) = path.last().map(|visit| visit.place) else { return };
            let of = kernel.classes.of(region);
            if begins {
                visited.0 = true;
                visited.1 |= of.thread == Class::Serial;
                if !of.defined {
                    found.miss(region, *location);
                }
            } else {
                found.counts.odd_visits += u64::from(!ended);
            }
            if ended {
                counts.add(region, 1);
            }
            match of.team {
                Some(of) if begins => {
                    team = Some(of);
                    *parallel += u32::from(of == TeamRegion::Parallel);
                }
                Some(TeamRegion::Parallel) => *parallel = parallel.saturating_sub(1),
                _ => {}
            }
            match of.edge {
                Some(Edge::Init) if !begins => at_edge = Some(0),
                Some(Edge::Finalize) if begins && edges[1].is_none() => at_edge = Some(1),
                _ => {}
            }
        });
        if let Some(edge) = at_edge {
            own.settle(work, places, counts);
            let before = work.first().map_or(Ticks::default(), |work| work.ticks);
            edges[edge] = Some((time, before));
        }
        self.idles |= self.is_worker && team.is_some();
    }
}

impl<'k> Kernel for AccountKernel<'k> {
    type Worker = AccountWorker<'k>;
    type Scan<'w>
        = AccountScan<'w, 'k>
    where
        Self: 'w;
    type Partial = Accounts;

    fn worker(&self) -> AccountWorker<'k> {
        let intervals = Intervals::new(self.options.overlaps.as_deref());
        let (found, sums, visits, places) = Default::default();
        AccountWorker { found, intervals, sums, visits, places }
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut AccountWorker<'k>,
        location: LocationRef,
    ) -> AccountScan<'w, 'k> {
        let AccountWorker { found, intervals, sums, visits, places } = worker;
        let role = Role::of(self.definitions, location);
        let role = match role {
            None => Some(Role::Thread),
            role => role.filter(|role| matches!(role, Role::Thread | Role::Stream)),
        };
        let cells = self.options.cells.as_ref().map(|options| {
            let row = options.rows.of(location);
            // The cells of a row are cached while one of its locations is read.
            let row_of_metrics =
                options.metric.as_ref().and_then(|_| options.rows.of_metrics(location));
            let row = row.or(row_of_metrics);
            let known = row.and_then(|row| found.map.rows.get_mut(&row));
            let of = known.map(|row| std::mem::take(&mut row.cells)).unwrap_or_default();
            Cells { options, row, of, last_values: LastValues::new() }
        });
        let is_worker = self.threads.is_worker(location);
        let mut scan = AccountScan {
            kernel: self,
            found,
            follow: self.options.overlaps.as_ref().and_then(|overlaps| {
                let counted = self.partition.within_run((0, u64::MAX));
                Follow::new(overlaps, location, role?, counted, self.has_communication)
            }),
            intervals,
            location,
            role,
            visits: self.partition.visits(location),
            at: 0,
            stack: CallStack::default(),
            teams: TeamState::default(),
            parallel: 0,
            idles: is_worker && self.lists_threads,
            is_worker,
            under_way: CopiesUnderWay::default(),
            copies: [0; Direction::COUNT],
            since: None,
            first: None,
            flushes: 0,
            class: Class::NoRegion,
            class_before: Class::NoRegion,
            region: None,
            caller: None,
            marked: false,
            visited: (false, false),
            edges: [None; 2],
            work: vec![Work::default(); self.partition.count()],
            sums,
            visits_of_all: visits,
            places_of_all: places,
            cells,
            last_counted: [None; 2],
        };
        scan.look();
        scan
    }

    fn end<'w>(&'w self, mut scan: AccountScan<'w, 'k>, summary: &StreamSummary) {
        let read = summary.first.zip(summary.last).map(|(first, last)| (first.0, last.0));
        let LocationSums { counts, places, own, .. } = &mut *scan.sums;
        own.settle(&mut scan.work, places, counts);
        let is_counted = scan.role.is_some();
        let mut span = None;
        if is_counted {
            if let Some((first, last)) = read {
                let (outside, wanted) = match scan.first {
                    // No region is open before the first event that is wanted.
                    Some(wanted) => (self.before(&scan), wanted),
                    None => (scan.class, last),
                };
                if first < wanted {
                    let at = std::mem::take(&mut scan.at);
                    let region = scan.region.take();
                    let marked = std::mem::take(&mut scan.marked);
                    scan.count(outside, (first, wanted));
                    (scan.at, scan.region, scan.marked) = (at, region, marked);
                    if self.partition.is_whole() {
                        let edges = scan.edges.iter_mut().flatten();
                        edges.for_each(|(_, ticks)| ticks.add(outside, wanted - first));
                    }
                }
                scan.since.get_or_insert(last);
                scan.count_up_to(last);
                if let Some(follow) = &mut scan.follow {
                    follow.go_on(None, last.max(scan.since.unwrap_or(0)), scan.intervals);
                }
            }
            let wanted = scan.first.zip(scan.since);
            span = match (read, wanted) {
                (Some(read), Some(wanted)) => Some((read.0.min(wanted.0), read.1.max(wanted.1))),
                (read, wanted) => read.or(wanted),
            };
        }
        let AccountScan { found, location, role, visited, edges, sums, .. } = scan;
        let AccountScan { work, mut cells, stack, visits_of_all, places_of_all, .. } = scan;
        stack.end(|_| found.counts.odd_visits += u64::from(role.is_some()));
        scan.intervals.empty();
        if let (Some(cells), Some((_, last))) = (&mut cells, read) {
            cells.end_of_metric(found, last);
        }
        if let Some(Cells { row: Some(row), of, options, .. }) = cells {
            if !of.is_empty() || span.is_some() {
                let row = found.map.rows.entry(row).or_default();
                row.cells = of;
                row.cells.grow(options.bins.count() as usize);
                row.threads += u64::from(span.is_some());
            }
        }
        let Some(role) = role else { return };
        let LocationSums { counts, places, computing, .. } = sums;
        counts.take_sums(|region, visits| {
            *visits_of_all.entry((region, role)).or_default() += visits;
        });
        places.take_sums(|place, ticks| {
            *places_of_all.entry(place).or_default() += u128::from(ticks);
            let (class, region, _) = place;
            if class.group() == Group::Computation {
                *computing.entry(region).or_default() += ticks;
            }
        });
        let mut regions: Vec<_> = computing.drain().collect();
        let order = |(region, ticks): &(RegionRef, u64)| (std::cmp::Reverse(*ticks), *region);
        if regions.len() > REGIONS {
            regions.select_nth_unstable_by_key(REGIONS, order);
            regions.truncate(REGIONS);
        }
        regions.sort_unstable_by_key(order);
        let has_edges = edges.iter().any(Option::is_some);
        let account = LocationAccount {
            role,
            span,
            events: summary.events,
            parts: work,
            regions,
            visits: visited,
            edges: has_edges.then(|| Box::new(edges)),
        };
        found.locations.insert(location, account);
    }

    fn partial(&self, worker: AccountWorker<'k>) -> Accounts {
        let AccountWorker { mut found, intervals, visits, places, .. } = worker;
        intervals.hand_over();
        found.visits.extend(visits);
        found.places.extend(places);
        found
    }

    fn fold(&self, into: Accounts, other: Accounts) -> Accounts {
        into.fold(other)
    }
}

impl AccountKernel<'_> {
    /// The class of the time before the first event that is wanted.
    fn before(&self, scan: &AccountScan<'_, '_>) -> Class {
        match scan.role {
            Some(Role::Stream) => Class::AnyIdle,
            _ if scan.is_worker && self.lists_threads => Class::AnyIdle,
            _ => Class::NoRegion,
        }
    }
}
