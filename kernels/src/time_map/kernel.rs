//! The kernel: adds up ticks by row, part of the time, and class.

use std::collections::{BTreeMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::events::{Event, EventKind, EventVisitor, Metric};
use streamfold_model::ids::{LocationRef, MetricRef, RegionRef, StringRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::metric::{LastValues, MetricWatch, Part, Scope};
use super::{TimeBins, TimeRows, WorkClass, WorkClasses};
use crate::activity::TeamState;
use crate::call_stack::{CallStack, Place};
use crate::Kernel;

/// Options of the map.
#[derive(Clone, Debug, Default)]
pub struct TimeMapOptions {
    /// Regions whose inclusive time is wanted, as if they were one.
    pub marked: HashSet<RegionRef, RandomState>,
    /// Set if a thread computes outside of all regions: regions are system calls then.
    pub outside_computes: bool,
    /// A metric that is wanted.
    pub metric: Option<MetricWatch>,
    /// Set if only the metric is wanted.
    pub only_metric: bool,
}

/// One row in a part of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeCell {
    /// Ticks of threads by class.
    pub classes: [u64; WorkClass::COUNT],
    /// Ticks in which a marked region is open.
    pub marked: u64,
    /// Bytes sent: in messages, in collective operations, and to and from the memory of others.
    pub bytes: u64,
    /// Ticks that were waited, if they were filled in.
    pub waited: u64,
    /// Growth of the metric, or its level times ticks: see [`MetricWatch::one`].
    pub metric: i128,
    /// Ticks of threads in which it is known.
    pub measured: u64,
}

impl TimeCell {
    /// Ticks in which anything is open.
    pub fn inside(&self) -> u64 {
        self.classes.iter().fold(0, |sum, ticks| sum.saturating_add(*ticks))
    }

    /// Adds another cell. Sums are capped at the largest number, so that the order of additions never shows.
    pub fn add(&mut self, other: &TimeCell) {
        let classes = self.classes.iter_mut().zip(other.classes);
        classes.for_each(|(sum, more)| *sum = sum.saturating_add(more));
        self.marked = self.marked.saturating_add(other.marked);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.waited = self.waited.saturating_add(other.waited);
        self.metric = self.metric.saturating_add(other.metric);
        self.measured = self.measured.saturating_add(other.measured);
    }
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRow {
    /// Its parts of the time.
    pub cells: Vec<TimeCell>,
    /// Threads or streams in it that visited anything.
    pub threads: u64,
}

/// The partial result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeMap {
    /// Rows in which anything happened, by their numbers.
    pub rows: BTreeMap<u32, TimeRow>,
    /// The first and the last event that was looked at.
    pub span: Option<(u64, u64)>,
    /// The name of the program, as the first location that says it has it.
    pub program: Option<(LocationRef, StringRef)>,
}

impl TimeMap {
    /// Adds another one that has nothing but a metric; its rows and parts are the same, its span does not count.
    pub fn measure(&mut self, other: TimeMap) {
        for (row, of) in other.rows {
            let own = &mut self.rows.entry(row).or_default().cells;
            own.resize(own.len().max(of.cells.len()), TimeCell::default());
            own.iter_mut().zip(&of.cells).for_each(|(own, of)| own.add(of));
        }
    }

    fn name(&mut self, program: (LocationRef, StringRef)) {
        self.program = Some(self.program.map_or(program, |known| known.min(program)));
    }

    fn see(&mut self, span: (u64, u64)) {
        let (first, last) = self.span.unwrap_or(span);
        self.span = Some((first.min(span.0), last.max(span.1)));
    }
}

/// Adds up what time is spent on.
#[derive(Debug)]
pub struct TimeMapKernel<'k> {
    classes: WorkClasses,
    rows: &'k TimeRows,
    bins: TimeBins,
    options: &'k TimeMapOptions,
}

impl<'k> TimeMapKernel<'k> {
    /// Given the classes of regions, who shares a row, and the parts of the time.
    pub fn new(
        classes: WorkClasses,
        rows: &'k TimeRows,
        bins: TimeBins,
        options: &'k TimeMapOptions,
    ) -> Self {
        TimeMapKernel { classes, rows, bins, options }
    }
}

/// Receives the events of a location.
#[derive(Debug)]
pub struct TimeMapScan<'w> {
    kernel: &'w TimeMapKernel<'w>,
    map: &'w mut TimeMap,
    /// `None`: it has no row.
    row: Option<u32>,
    /// Set if it runs on an accelerator.
    accelerator: bool,
    cells: Vec<TimeCell>,
    stack: CallStack,
    teams: TeamState,
    /// The times of the first event and the latest one.
    span: Option<(u64, u64)>,
    class: Option<WorkClass>,
    marked: bool,
    visits: bool,
    /// The present part, and the first tick behind it.
    bin: (u32, u64),
    last_values: LastValues,
    /// Set if only metrics count.
    only_metrics: bool,
}

impl TimeMapScan<'_> {
    /// Goes on to the time of an event: what passed belongs to what is open.
    fn go_to(&mut self, time: u64) {
        let bins = &self.kernel.bins;
        let Some((first, now)) = self.span else {
            self.span = Some((time, time));
            self.go_to_bin(bins.bin(time));
            return;
        };
        if time <= now {
            return;
        }
        self.span = Some((first, time));
        let Some(class) = self.class else {
            if time >= self.bin.1 {
                self.go_to_bin(bins.bin(time));
            }
            return;
        };
        let mut from = now;
        while time > self.bin.1 {
            let end = self.bin.1;
            self.add(class, end - from);
            from = end;
            self.go_to_bin(self.bin.0 + 1);
        }
        self.add(class, time - from);
    }

    /// The last part has all that is behind it, too.
    fn go_to_bin(&mut self, bin: u32) {
        let bins = &self.kernel.bins;
        let is_last = bin + 1 >= bins.count();
        self.bin = (bin, if is_last { u64::MAX } else { bins.begin_of(bin + 1) });
    }

    fn cell(&mut self) -> &mut TimeCell {
        let bin = self.bin.0;
        self.cell_at(bin)
    }

    fn cell_at(&mut self, bin: u32) -> &mut TimeCell {
        if self.cells.is_empty() {
            self.cells.resize(self.kernel.bins.count() as usize, TimeCell::default());
        }
        &mut self.cells[bin as usize]
    }

    /// The row of what a metric is about; `None`: it has none.
    fn row_of(&self, watch: &MetricWatch, metric: MetricRef) -> Option<u32> {
        let rows = self.kernel.rows;
        match watch.scope(metric) {
            None => self.row,
            Some(Scope::Group(group)) => rows.of_group(group),
            Some(Scope::Location(location)) => {
                rows.of(location).or_else(|| rows.of_metrics(location))
            }
        }
    }

    /// Adds what a metric says.
    fn measure(&mut self, row: u32, Part { bin, sum, ticks }: Part) {
        let cell = match self.row == Some(row) {
            true => self.cell_at(bin),
            false => {
                let cells = &mut self.map.rows.entry(row).or_default().cells;
                cells.resize(self.kernel.bins.count() as usize, TimeCell::default());
                &mut cells[bin as usize]
            }
        };
        cell.metric = cell.metric.saturating_add(sum);
        cell.measured = cell.measured.saturating_add(ticks);
    }

    fn metric(&mut self, time: u64, values: &Metric<'_>) {
        let kernel = self.kernel;
        let Some(watch) = &kernel.options.metric else { return };
        let Some(row) = self.row_of(watch, values.metric) else { return };
        let mut last = std::mem::take(&mut self.last_values);
        watch.take(values, time, &mut last, &kernel.bins, &mut |part| self.measure(row, part));
        self.last_values = last;
    }

    /// Levels hold up to the last event.
    fn end_of_metric(&mut self) {
        let kernel = self.kernel;
        let (Some(watch), Some((_, time))) = (&kernel.options.metric, self.span) else { return };
        for (metric, from, level) in std::mem::take(&mut self.last_values) {
            let Some(row) = self.row_of(watch, metric) else { continue };
            watch.end(time, (from, level), &kernel.bins, &mut |part| self.measure(row, part));
        }
    }

    fn add(&mut self, class: WorkClass, ticks: u64) {
        let marked = if self.marked { ticks } else { 0 };
        let cell = self.cell();
        let sum = &mut cell.classes[class as usize];
        *sum = sum.saturating_add(ticks);
        cell.marked = cell.marked.saturating_add(marked);
    }

    fn send(&mut self, bytes: u64) {
        let cell = self.cell();
        cell.bytes = cell.bytes.saturating_add(bytes);
    }

    /// Looks at what is open now.
    fn look(&mut self) {
        let open = self.stack.open();
        let outside = self.kernel.options.outside_computes.then_some(WorkClass::Computation);
        self.class = match open.last().map(|visit| visit.place) {
            None => outside,
            Some(_) if self.teams.is_forking() => Some(WorkClass::Openmp),
            Some(_) if self.accelerator => Some(WorkClass::Gpu),
            Some(Place::Off) => Some(WorkClass::Measurement),
            Some(Place::Region(region)) => Some(self.kernel.classes.of(region)),
        };
        self.visits |= !open.is_empty();
        let marked = &self.kernel.options.marked;
        let is_marked = |place| matches!(place, Place::Region(region) if marked.contains(&region));
        self.marked = !marked.is_empty() && open.iter().any(|visit| is_marked(visit.place));
    }
}

impl EventVisitor for TimeMapScan<'_> {
    const WANTS: EventSet =
        CallStack::WANTS.and(EventSet::TEAMS).and(EventSet::TRANSFERS).and(EventSet::of(&[
            EventKind::MpiSend,
            EventKind::MpiIsend,
            EventKind::MpiCollectiveEnd,
            EventKind::NonBlockingCollectiveComplete,
            EventKind::ProgramBegin,
            EventKind::Metric,
        ]));

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if let Event::ProgramBegin(program) = event {
            return self.map.name((head.location, program.program_name));
        }
        if self.row.is_none() {
            return;
        }
        if let Event::Metric(values) = event {
            if self.kernel.options.metric.is_some() {
                if !self.only_metrics {
                    self.go_to(head.time.0);
                }
                self.metric(head.time.0, &values);
            }
            return;
        }
        if self.only_metrics {
            return;
        }
        self.go_to(head.time.0);
        match event {
            Event::MpiSend(e) => self.send(e.msg_length),
            Event::MpiIsend(e) => self.send(e.msg_length),
            Event::MpiCollectiveEnd(e) => self.send(e.size_sent),
            Event::NonBlockingCollectiveComplete(e) => self.send(e.size_sent),
            Event::RmaPut(e) => self.send(e.bytes),
            Event::RmaGet(e) => self.send(e.bytes),
            Event::RmaAtomic(e) => self.send(e.bytes_sent),
            event => {
                if !self.teams.take(&event) {
                    self.stack.take(head, &event, |_| ());
                }
                self.look();
            }
        }
    }
}

impl<'k> Kernel for TimeMapKernel<'k> {
    type Worker = TimeMap;
    type Scan<'w>
        = TimeMapScan<'w>
    where
        Self: 'w;
    type Partial = TimeMap;

    fn worker(&self) -> TimeMap {
        TimeMap::default()
    }

    fn scan<'w>(&'w self, map: &'w mut TimeMap, location: LocationRef) -> TimeMapScan<'w> {
        let own = self.rows.of(location);
        let of_metrics = self.options.metric.as_ref().and_then(|_| self.rows.of_metrics(location));
        let (row, only_metrics) = (own.or(of_metrics), own.is_none() || self.options.only_metric);
        let span = row.and_then(|row| self.rows.spans.get(row as usize));
        let accelerator = span.is_some_and(|span| span.accelerator);
        // The cells of a row are cached while one of its locations is read.
        let known = row.and_then(|row| map.rows.get_mut(&row));
        let cells = known.map(|row| std::mem::take(&mut row.cells)).unwrap_or_default();
        let (stack, teams, span, class, marked, visits) = Default::default();
        let (bin, last_values) = ((0, 0), LastValues::new());
        let kernel = self;
        TimeMapScan {
            kernel,
            map,
            row,
            accelerator,
            cells,
            stack,
            teams,
            span,
            class,
            marked,
            visits,
            bin,
            last_values,
            only_metrics,
        }
    }

    fn end<'w>(&'w self, mut scan: TimeMapScan<'w>, summary: &StreamSummary) {
        if scan.only_metrics {
            // Its events are no part of what is read of threads.
            let read = summary.first.zip(summary.last);
            scan.span = read.map(|(first, last)| (first.0, last.0));
            scan.end_of_metric();
            scan.span = None;
        } else {
            scan.end_of_metric();
        }
        let TimeMapScan { map, row, cells, span, visits, .. } = scan;
        span.into_iter().for_each(|span| map.see(span));
        let Some(row) = row else { return };
        if cells.is_empty() && !visits {
            return;
        }
        let row = map.rows.entry(row).or_default();
        row.cells = cells;
        row.threads += u64::from(visits);
    }

    fn partial(&self, map: TimeMap) -> TimeMap {
        map
    }

    fn fold(&self, mut into: TimeMap, other: TimeMap) -> TimeMap {
        other.span.into_iter().for_each(|span| into.see(span));
        other.program.into_iter().for_each(|program| into.name(program));
        for (number, row) in other.rows {
            let own = into.rows.entry(number).or_default();
            own.threads += row.threads;
            match own.cells.is_empty() {
                true => own.cells = row.cells,
                false => own.cells.iter_mut().zip(&row.cells).for_each(|(a, b)| a.add(b)),
            }
        }
        into
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{Definition, Location, Region};
    use streamfold_model::enums::{LocationType, Paradigm, RegionFlag, RegionRole};
    use streamfold_model::events::{Enter, Leave};
    use streamfold_model::ids::{LocationGroupRef, StringRef};
    use streamfold_model::store::Definitions;
    use streamfold_model::values::Ticks;

    use super::super::RowsBy;
    use super::*;

    fn definitions() -> Definitions {
        let region = |id, paradigm| {
            Definition::Region(Region {
                id: RegionRef(id),
                name: StringRef(0),
                canonical_name: StringRef(0),
                description: StringRef(0),
                region_role: RegionRole::Function,
                paradigm,
                region_flags: RegionFlag::NONE,
                source_file: StringRef(0),
                begin_line_number: 0,
                end_line_number: 0,
            })
        };
        let location = |id, location_type| {
            Definition::Location(Location {
                id: LocationRef(id),
                name: StringRef(0),
                location_type,
                number_of_events: 0,
                location_group: LocationGroupRef(0),
            })
        };
        let mut all = Definitions::default();
        all.insert(region(1, Paradigm::Compiler));
        all.insert(region(2, Paradigm::Mpi));
        all.insert(location(1, LocationType::CpuThread));
        all.insert(location(2, LocationType::CpuThread));
        all.insert(location(3, LocationType::AcceleratorStream));
        all
    }

    fn map(locations: &[u64], bins: TimeBins) -> TimeMap {
        let definitions = definitions();
        let rows = TimeRows::new(&definitions, RowsBy::Process, None, 500);
        let options =
            TimeMapOptions { marked: [RegionRef(1)].into_iter().collect(), ..Default::default() };
        let classes = WorkClasses::new(&definitions, false);
        let kernel = TimeMapKernel::new(classes, &rows, bins, &options);
        let mut worker = kernel.worker();
        for location in locations.iter().map(|id| LocationRef(*id)) {
            let mut scan = kernel.scan(&mut worker, location);
            let enter = |region| Event::Enter(Enter { region: RegionRef(region) });
            let leave = |region| Event::Leave(Leave { region: RegionRef(region) });
            for (time, event) in [(12, enter(1)), (15, enter(2)), (37, leave(2)), (41, leave(1))] {
                let head = EventHead { location, number: 1, time: Ticks(time), attributes: &[] };
                scan.event(&head, event);
            }
            kernel.end(scan, &StreamSummary::default());
        }
        worker
    }

    #[test]
    fn ticks_count_for_the_part_in_which_they_are() {
        let map = map(&[1], TimeBins::new(10, 50, 4));
        let row = &map.rows[&0];
        let of = |class: WorkClass| -> Vec<u64> {
            row.cells.iter().map(|cell| cell.classes[class as usize]).collect()
        };
        assert_eq!(of(WorkClass::Computation), [3, 0, 3, 1]);
        assert_eq!(of(WorkClass::Mpi), [5, 10, 7, 0]);
        assert_eq!(row.cells.iter().map(|cell| cell.marked).collect::<Vec<_>>(), [8, 10, 10, 1]);
        assert_eq!((row.threads, map.span), (1, Some((12, 41))));
    }

    /// The time to fork and join a team is that of no region around it.
    #[test]
    fn forks_and_joins_are_openmp() {
        use streamfold_model::events::{ThreadFork, ThreadJoin, ThreadTeamBegin, ThreadTeamEnd};
        use streamfold_model::ids::CommRef;
        let definitions = definitions();
        let rows = TimeRows::new(&definitions, RowsBy::Process, None, 500);
        let options = TimeMapOptions::default();
        let classes = WorkClasses::new(&definitions, false);
        let kernel = TimeMapKernel::new(classes, &rows, TimeBins::new(0, 100, 1), &options);
        let mut worker = kernel.worker();
        let mut scan = kernel.scan(&mut worker, LocationRef(1));
        let model = Paradigm::Openmp;
        let thread_team = CommRef(0);
        let events = [
            (0, Event::Enter(Enter { region: RegionRef(1) })),
            (10, Event::ThreadFork(ThreadFork { model, number_of_requested_threads: 2 })),
            (13, Event::ThreadTeamBegin(ThreadTeamBegin { thread_team })),
            (20, Event::ThreadTeamEnd(ThreadTeamEnd { thread_team })),
            (24, Event::ThreadJoin(ThreadJoin { model })),
            (30, Event::Leave(Leave { region: RegionRef(1) })),
        ];
        for (time, event) in events {
            let (location, number) = (LocationRef(1), 1);
            scan.event(&EventHead { location, number, time: Ticks(time), attributes: &[] }, event);
        }
        kernel.end(scan, &StreamSummary::default());
        let cell = worker.rows[&0].cells[0];
        assert_eq!(cell.classes[WorkClass::Openmp as usize], 7);
        assert_eq!(cell.classes[WorkClass::Computation as usize], 23);
    }

    #[test]
    fn what_is_outside_counts_for_the_first_and_the_last_part() {
        let map = map(&[1], TimeBins::new(20, 30, 2));
        let inside: Vec<u64> = map.rows[&0].cells.iter().map(TimeCell::inside).collect();
        assert_eq!(inside, [13, 16]);
    }

    #[test]
    fn threads_share_the_row_of_their_process_and_accelerators_have_their_own() {
        let bins = TimeBins::new(10, 50, 4);
        let all = map(&[1, 2, 3], bins);
        assert_eq!(all.rows[&0].threads, 2);
        assert_eq!(all.rows[&0].cells[1].classes[WorkClass::Mpi as usize], 20);
        assert_eq!(all.rows[&1].cells[1].classes[WorkClass::Gpu as usize], 10);
        let definitions = definitions();
        let rows = TimeRows::new(&definitions, RowsBy::Process, None, 500);
        let options = TimeMapOptions::default();
        let kernel = TimeMapKernel::new(WorkClasses::default(), &rows, bins, &options);
        let parts = || [map(&[1], bins), map(&[2], bins), map(&[3], bins)];
        let fold = |a, b| kernel.fold(a, b);
        let [a, b, c] = parts();
        assert_eq!(fold(fold(a, b), c), all);
        let [a, b, c] = parts();
        assert_eq!(fold(c, fold(b, a)), all);
    }
}
