//! The slow profile of one location.

use std::collections::BTreeMap;

use streamfold::kernels::profile::{
    LocationRow, Oddities, ParameterValue, Splitting, Step, Traffic, Visits,
};
use streamfold::model::enums::IoOperationMode;
use streamfold::model::ids::{LocationRef, ParameterRef, RegionRef};
use streamfold::model::store::Definitions;
use streamfold::model::values::Ticks;

use super::metrics::{Log, SlowMetrics};
use super::{CallPath, Contexts, Happening, Paths, Stream, Task};

struct SlowVisit {
    /// As it began.
    step: Step,
    path: CallPath,
    /// The visit that this one is directly inside of.
    inside: Option<usize>,
    /// The number of the stack in which it is.
    stack: usize,
    begin: u64,
    end: Option<u64>,
    /// Of one that was dropped and left later: its own time, and what had ended inside when it was dropped, which
    /// both are no more those of the visit by this number.
    late: Option<Late>,
    /// Of a stretch of a task: the number of its stack, and from when to when it ran in the task's own time.
    ran: Option<(usize, u64, u64)>,
}

#[derive(Clone, Copy)]
struct Late {
    own: u64,
    inside: u64,
    around: usize,
    /// When it was dropped.
    since: u64,
    /// The visit outside of the one that was left then, and what had ended inside of it.
    outside: (Option<usize>, u64),
    /// Its own time outside.
    more: u64,
}

/// A dropped visit whose own leave may follow.
#[derive(Clone, Copy)]
struct Dropped {
    visit: usize,
    late: Late,
}

impl SlowVisit {
    /// Its own time as one that was dropped directly in the location.
    fn more_of_root(&self) -> u64 {
        self.late.filter(|late| late.outside.0.is_none()).map_or(0, |late| late.more)
    }

    fn is_of_region(&self) -> bool {
        matches!(self.step, Step::Region(_))
    }
}

/// The open visits of a task.
#[derive(Default)]
struct Stack {
    /// No other stack has this number; the implicit task's is 0.
    number: usize,
    open: Vec<usize>,
    dropped: Vec<Dropped>,
    /// The region that was entered last while none was open.
    outermost: Option<RegionRef>,
    /// How long the task ran, up to the last time that it was suspended.
    ran: u64,
}

/// A stretch in which an explicit task runs.
#[derive(Clone, Copy)]
struct Stretch {
    task: Task,
    since: u64,
    /// The visit that it is for the implicit task.
    visit: usize,
}

pub struct SlowLocation {
    pub paths: Paths,
    pub row: LocationRow,
    pub outside: Traffic,
    pub metrics: SlowMetrics,
}

/// All that is held of a location.
#[derive(Default)]
struct Walk {
    metrics: Log,
    stacks_made: usize,
    visits: Vec<SlowVisit>,
    /// By task; `None` is the implicit one.
    stacks: BTreeMap<Option<Task>, Stack>,
    running: Option<Stretch>,
    /// What stands in an event that has to do with visits moves it, nothing else needs one.
    clock: u64,
    /// The visit that is the period in which recording is off.
    off: Option<usize>,
    /// What counts where.
    operations: Vec<(CallPath, Traffic)>,
    oddities: Oddities,
    depth: usize,
    /// Whether an explicit task ever ran.
    any_task: bool,
    /// The flush that nothing at a later time has followed so far.
    flushed: Option<Flushed>,
    begun_io: BTreeMap<(u32, u64), IoOperationMode>,
}

/// A flush; what happens at the time when it begins happens before it.
#[derive(Clone, Copy)]
struct Flushed {
    visit: usize,
    since: u64,
    until: u64,
    was_off: bool,
}

/// What call paths have, with signs, and which operations.
pub type Standing = BTreeMap<CallPath, ([i128; 4], Traffic)>;

/// The state of the profile at a time, after the events before it: by call path the visits, those that
/// ended, inclusive and exclusive time, where what is open has had its time up to then; and the
/// shortest and the longest of the visits that ended and began with event `first`, at `begin`, or later.
pub fn slow_standing(
    stream: &Stream,
    (first, begin): (usize, u64),
    time: u64,
    contexts: &Contexts,
    splitting: &Splitting,
) -> (Standing, BTreeMap<CallPath, (u64, u64)>, Oddities) {
    let mut walk = Walk::default();
    let mut visits_before = 0;
    for (number, &(time, happening)) in stream.iter().enumerate() {
        if number == first {
            visits_before = walk.visits_before(begin);
        }
        walk.take(time, happening, contexts, splitting);
    }
    if first >= stream.len() {
        visits_before = walk.visits_before(begin);
    }
    let goes_on = walk.stop_at(time);
    let mut standing = Standing::new();
    let mut extremes: BTreeMap<CallPath, (u64, u64)> = BTreeMap::new();
    for (number, (visit, inside)) in walk.visits.iter().zip(insides(&walk.visits)).enumerate() {
        let ([visits, closed, inclusive, exclusive], _) =
            standing.entry(visit.path.clone()).or_default();
        *visits += 1;
        let Some(end) = visit.end else { continue };
        *inclusive += i128::from(end - visit.begin);
        *exclusive += i128::from(end - visit.begin - inside);
        if goes_on.contains(&number) {
            continue;
        }
        *closed += 1;
        if number >= visits_before {
            let found = extremes.entry(visit.path.clone()).or_insert((u64::MAX, 0));
            *found = (found.0.min(end - visit.begin), found.1.max(end - visit.begin));
        }
    }
    for (path, traffic) in &walk.operations {
        standing.entry(path.clone()).or_default().1.add(traffic);
    }
    (standing, extremes, walk.oddities)
}

/// The metrics of the events from `first` on, in a window that ends before the stream does.
pub fn slow_window_metrics(
    location: LocationRef,
    stream: &Stream,
    first: usize,
    definitions: &Definitions,
    contexts: &Contexts,
    splitting: &Splitting,
) -> SlowMetrics {
    let mut walk = Walk { metrics: Log::new(definitions, location), ..Walk::default() };
    for (number, &(time, happening)) in stream.iter().enumerate() {
        if number == first {
            walk.metrics.begin_window(walk.visits.len());
        }
        if number >= first || !matches!(happening, Happening::Metric(_)) {
            walk.take(time, happening, contexts, splitting);
        }
    }
    walk.metrics.end_window();
    let visits = walk.visits.iter().map(|visit| (visit.path.clone(), visit.inside)).collect();
    walk.metrics.finish(visits)
}

/// All rules of the profile for one location.
pub fn slow_location(
    location: LocationRef,
    stream: &Stream,
    definitions: &Definitions,
    contexts: &Contexts,
    splitting: &Splitting,
) -> SlowLocation {
    let mut walk = Walk { metrics: Log::new(definitions, location), ..Walk::default() };
    for &(time, happening) in stream {
        walk.take(time, happening, contexts, splitting);
    }
    walk.end();
    walk.oddities.backward = stream.windows(2).filter(|pair| pair[1].0 < pair[0].0).count() as u64;
    let mut paths = sum_up(&walk.visits);
    if walk.any_task {
        tally(&mut paths, &vec![Step::Tasks]);
    }
    let mut outside = Traffic::default();
    for (path, traffic) in &walk.operations {
        match path.is_empty() {
            true => outside.add(traffic),
            false => tally(&mut paths, path).1.add(traffic),
        }
    }
    let regions: Vec<_> = walk.visits.iter().filter(|visit| visit.is_of_region()).collect();
    let times: Vec<u64> = regions.iter().filter_map(|v| Some(v.end? - v.begin)).collect();
    let mut row = LocationRow {
        location,
        events: stream.len() as u64,
        unknown: 0,
        first: stream.first().map(|event| Ticks(event.0)),
        last: stream.last().map(|event| Ticks(event.0)),
        visits: regions.len() as u64,
        closed: times.len() as u64,
        inclusive: times.iter().map(|&time| u128::from(time)).sum(),
        inside: paths.values().map(|(visits, _)| u128::from(visits.exclusive)).sum(),
        shortest: times.iter().copied().min().unwrap_or(u64::MAX),
        longest: times.iter().copied().max().unwrap_or(0),
        depth: walk.depth as u64,
        traffic: outside,
        oddities: walk.oddities,
    };
    paths.values().for_each(|(_, traffic)| row.traffic.add(traffic));
    let visits = walk.visits.iter().map(|visit| (visit.path.clone(), visit.inside)).collect();
    SlowLocation { paths, row, outside, metrics: walk.metrics.finish(visits) }
}

impl Walk {
    /// How many visits begin before a time that no event so far has reached.
    fn visits_before(&mut self, time: u64) -> usize {
        if let Some(flushed) = self.flushed.filter(|flushed| flushed.until <= time) {
            self.end_flush(flushed.until);
        }
        self.visits.len()
    }

    /// What happens at a time ends the flush before it.
    fn end_flush_before(&mut self, time: u64) {
        if let Some(flushed) = self.flushed.filter(|_| time > self.clock) {
            self.oddities.wrong_flushes += u64::from(flushed.until > time);
            self.end_flush(flushed.until.min(time));
        }
    }

    /// The flush ends, in the visit that is the innermost one now.
    fn end_flush(&mut self, end: u64) {
        let Some(Flushed { visit, since, until, was_off }) = self.flushed.take() else { return };
        self.oddities.wrong_flushes += u64::from(until < since);
        self.visits[visit] = self.flush_here();
        self.clock = self.clock.max(end);
        self.visits[visit].end = Some(self.now());
        if was_off {
            self.off(end);
        }
    }

    fn flush_here(&mut self) -> SlowVisit {
        self.begin(Step::BufferFlush);
        self.visits.pop().expect("it has begun")
    }

    /// What is open ends at a time, or at the latest time before where that is later; returns which
    /// visits. A flush that nothing follows is open, too.
    fn stop_at(&mut self, time: u64) -> Vec<usize> {
        let mut goes_on = Vec::new();
        self.visits_before(time);
        if let Some(Flushed { visit, .. }) = self.flushed.take() {
            self.visits[visit] = self.flush_here();
            goes_on.push(visit);
        }
        self.clock = self.clock.max(time);
        let now = self.now();
        goes_on.extend(self.off);
        goes_on.extend(self.stack().open.iter().copied());
        goes_on.iter().for_each(|&visit| self.visits[visit].end = Some(now));
        if let Some(stretch) = self.running {
            self.suspend();
            goes_on.push(stretch.visit);
            let clock = self.clock;
            let open = self.stack().open.clone();
            open.iter().for_each(|&visit| self.visits[visit].end = Some(clock));
            goes_on.extend(open);
        }
        for (task, stack) in &self.stacks {
            if task.is_some() {
                stack.open.iter().for_each(|&visit| self.visits[visit].end = Some(stack.ran));
                goes_on.extend(&stack.open);
            }
        }
        goes_on
    }

    fn take(&mut self, time: u64, what: Happening, contexts: &Contexts, splitting: &Splitting) {
        if moves_time(what) {
            self.end_flush_before(time);
        }
        match what {
            Happening::Enter(region) => self.enter(time, RegionRef(region)),
            Happening::Leave(region) => self.leave(time, RegionRef(region)),
            Happening::ContextEnter(context) => {
                let region = self.region_of(context, contexts);
                self.enter(time, region);
            }
            Happening::ContextLeave(context) => {
                let region = self.region_of(context, contexts);
                self.leave(time, region);
            }
            Happening::RecordingOff => self.off(time),
            Happening::RecordingOn => self.on(time),
            Happening::Flush(until) => self.flush(time, until),
            Happening::Switch(task) => self.switch(time, task),
            Happening::Complete(task) => self.complete(time, task),
            Happening::Parameter(parameter, value) => {
                self.end_flush_before(time);
                if splitting.by(ParameterRef(parameter)) {
                    self.parameter(ParameterRef(parameter), value);
                }
            }
            Happening::Metric(record) => {
                let (now, is_now) = (self.now(), time <= self.clock);
                let mut open = self.stack().open.clone();
                open.reverse();
                let open = open.into_iter().map(|visit| {
                    let SlowVisit { path, begin, .. } = &self.visits[visit];
                    (path.clone(), is_now && *begin == now)
                });
                let open: Vec<_> = open.collect();
                self.metrics.record(time, record, &open);
            }
            operation => self.operation(operation),
        }
    }

    fn region_of(&mut self, context: u32, contexts: &Contexts) -> RegionRef {
        let region = contexts.get(&context).copied();
        self.oddities.undefined_contexts += u64::from(region.is_none());
        region.unwrap_or(RegionRef::UNDEFINED)
    }

    /// The stack of the task that runs.
    fn stack(&mut self) -> &mut Stack {
        let task = self.running.map(|stretch| stretch.task);
        if task.is_some() && !self.stacks.contains_key(&task) {
            self.stacks_made += 1;
            self.stacks.insert(task, Stack { number: self.stacks_made, ..Stack::default() });
        }
        self.stacks.entry(task).or_default()
    }

    fn innermost(&mut self) -> Option<usize> {
        self.stack().open.last().copied()
    }

    /// The time in the task that runs: an explicit task's stands still while it is suspended.
    fn now(&mut self) -> u64 {
        let clock = self.clock;
        match self.running {
            None => clock,
            Some(stretch) => self.stack().ran + (clock - stretch.since),
        }
    }

    /// A new visit in the innermost open one.
    fn begin(&mut self, step: Step) -> usize {
        let (inside, begin) = (self.innermost(), self.now());
        let mut path = match (inside, self.running) {
            (Some(outer), _) => self.visits[outer].path.clone(),
            (None, Some(_)) => vec![Step::Tasks],
            (None, None) => vec![],
        };
        path.push(step);
        let stack = self.stack().number;
        self.visits.push(SlowVisit {
            step,
            path,
            inside,
            stack,
            begin,
            end: None,
            late: None,
            ran: None,
        });
        self.visits.len() - 1
    }

    fn enter(&mut self, time: u64, region: RegionRef) {
        self.clock = self.clock.max(time);
        self.end_off();
        let visit = self.begin(Step::Region(region));
        let stack = self.stack();
        if stack.open.is_empty() {
            stack.outermost = Some(region);
        }
        stack.open.push(visit);
        let open = stack.open.len();
        self.depth = self.depth.max(open);
        let (number, path) = (self.stack().number, self.visits[visit].path.clone());
        self.metrics.enter(visit, number, path);
    }

    fn leave(&mut self, time: u64, region: RegionRef) {
        self.clock = self.clock.max(time);
        let now = self.now();
        let open = self.stack().open.clone();
        let is_left = |&visit: &usize| self.visits[visit].step == Step::Region(region);
        let Some(at) = open.iter().rposition(is_left) else {
            self.metrics.leave_nothing();
            let dropped = self.stack().dropped.clone();
            let step = Step::Region(region);
            let found = dropped.iter().rposition(|it| self.visits[it.visit].step == step);
            match found.map(|at| self.stack().dropped.remove(at)) {
                Some(Dropped { visit, mut late }) => {
                    self.end_off();
                    self.visits[visit].end = Some(now);
                    let (outside, inside) = late.outside;
                    let open = self.stack().open.clone();
                    let depth = match outside {
                        Some(outside) => open.iter().position(|it| *it == outside).map(|at| at + 1),
                        None => Some(0),
                    };
                    if let Some(depth) = depth {
                        let until = open.get(depth).map_or(now, |inner| self.visits[*inner].begin);
                        let elsewhere = self.inside_of(outside).saturating_sub(inside);
                        if outside.is_none() && self.running.is_some() {
                            late.more = 0;
                        } else {
                            late.more = until.saturating_sub(late.since).saturating_sub(elsewhere);
                        }
                    }
                    self.visits[visit].late = Some(late);
                    self.oddities.late += 1;
                }
                None => self.oddities.unmatched += 1,
            }
            return;
        };
        self.end_off();
        self.visits[open[at]].end = Some(now);
        self.metrics.leave(&open[..=at], self.visits[open[at]].path.clone());
        let insides = insides(&self.visits);
        let dropped = open.len() - at - 1;
        self.oddities.crossed += u64::from(dropped > 0);
        self.oddities.dropped += dropped as u64;
        let outside = at.checked_sub(1).map(|outside| open[outside]);
        let outside = (outside, self.inside_of(outside));
        let mut deeper = 0;
        for &visit in open[at + 1..].iter().rev() {
            let so_far = now - self.visits[visit].begin;
            let inside = insides[visit];
            let own = so_far.saturating_sub(inside).saturating_sub(deeper);
            deeper = so_far;
            let late = Late { own, inside, around: open[at], since: now, outside, more: 0 };
            self.stack().dropped.push(Dropped { visit, late });
        }
        self.stack().open.truncate(at);
    }

    /// What has ended inside of an open visit, or of all in the stack.
    fn inside_of(&mut self, outside: Option<usize>) -> u64 {
        let stack = self.stack().number;
        match outside {
            Some(outside) => insides(&self.visits)[outside],
            None => {
                let outermost =
                    self.visits.iter().filter(|v| v.stack == stack && v.inside.is_none());
                outermost.filter_map(|v| Some(v.end? - v.begin)).sum::<u64>()
                    + self
                        .visits
                        .iter()
                        .filter(|v| v.stack == stack)
                        .map(SlowVisit::more_of_root)
                        .sum::<u64>()
            }
        }
    }

    fn off(&mut self, time: u64) {
        self.clock = self.clock.max(time);
        match &mut self.flushed {
            Some(flushed) => flushed.was_off = true,
            None if self.off.is_none() => self.off = Some(self.begin(Step::MeasurementOff)),
            None => {}
        }
    }

    fn on(&mut self, time: u64) {
        self.clock = self.clock.max(time);
        self.end_off();
    }

    fn end_off(&mut self) {
        let now = self.now();
        if let Some(flushed) = &mut self.flushed {
            flushed.was_off = false;
        }
        if let Some(visit) = self.off.take() {
            self.visits[visit].end = Some(now);
        }
    }

    fn flush(&mut self, time: u64, until: u64) {
        self.clock = self.clock.max(time);
        let (was_off, until) = match &self.flushed {
            Some(before) => {
                let hidden = until < self.clock && before.until >= self.clock;
                self.oddities.wrong_flushes += u64::from(hidden);
                (before.was_off, before.until.max(until))
            }
            None => (self.off.is_some(), until),
        };
        self.end_off();
        self.end_flush(self.clock);
        let (visit, since) = (self.begin(Step::BufferFlush), self.clock);
        self.flushed = Some(Flushed { visit, since, until, was_off });
    }

    fn switch(&mut self, time: u64, task: Task) {
        self.clock = self.clock.max(time);
        let running = self.running.map(|stretch| stretch.task);
        if running == (!task.is_implicit()).then_some(task) {
            return;
        }
        self.end_off();
        if running.is_none() {
            self.metrics.switch(self.clock);
        }
        self.suspend();
        if !task.is_implicit() {
            self.resume(task);
        }
    }

    fn complete(&mut self, time: u64, task: Task) {
        self.clock = self.clock.max(time);
        if task.is_implicit() {
            return;
        }
        if self.running.is_some_and(|stretch| stretch.task == task) {
            self.end_off();
            let ended = self.running.map(|stretch| stretch.visit);
            self.suspend();
            ended.into_iter().for_each(|stretch| self.metrics.complete(stretch));
        }
        if let Some(stack) = self.stacks.remove(&Some(task)) {
            self.count_open(&stack);
        }
    }

    /// The implicit task goes on.
    fn suspend(&mut self) {
        let now = self.now();
        let Some(stretch) = self.running else { return };
        let stack = self.stack();
        let ran = (stack.number, stack.ran, now);
        stack.ran = now;
        let (outermost, open) = (stack.outermost, stack.open.clone());
        self.name(stretch, outermost);
        self.visits[stretch.visit].ran = Some(ran);
        self.visits[stretch.visit].end = Some(self.clock);
        self.running = None;
        self.metrics.switch(self.clock);
        self.metrics.suspend(stretch.visit, &open);
    }

    /// What a stretch is called is known when it is over.
    fn name(&mut self, stretch: Stretch, outermost: Option<RegionRef>) {
        let visit = &mut self.visits[stretch.visit];
        visit.step = Step::Task(outermost.unwrap_or(RegionRef::UNDEFINED));
        *visit.path.last_mut().expect("its own step") = visit.step;
    }

    /// The implicit task runs until now.
    fn resume(&mut self, task: Task) {
        let visit = self.begin(Step::Task(RegionRef::UNDEFINED));
        self.any_task = true;
        self.running = Some(Stretch { task, since: self.clock, visit });
        let number = self.stack().number;
        self.metrics.resume(visit, number);
    }

    fn count_open(&mut self, stack: &Stack) {
        self.oddities.open += stack.open.len() as u64;
    }

    fn parameter(&mut self, parameter: ParameterRef, value: ParameterValue) {
        if let Some(visit) = self.innermost() {
            self.visits[visit].path.push(Step::Parameter(parameter, value));
        }
    }

    fn operation(&mut self, operation: Happening) {
        let mut mode = None;
        match operation {
            Happening::IoBegin(handle, id, mode) => {
                self.begun_io.insert((handle, id), mode);
            }
            Happening::IoCancel(handle, id) => {
                self.begun_io.remove(&(handle, id));
            }
            Happening::IoComplete(handle, id, _) => {
                mode = self.begun_io.remove(&(handle, id));
                self.oddities.unbegun_io += u64::from(mode.is_none());
            }
            _ => {}
        }
        let path = self.innermost().map_or(CallPath::new(), |v| self.visits[v].path.clone());
        let mut traffic = Traffic::default();
        add_traffic(&mut traffic, operation, mode);
        if !traffic.is_empty() {
            self.operations.push((path, traffic));
        }
    }

    fn end(&mut self) {
        if let Some(Flushed { until, .. }) = self.flushed {
            self.end_flush(until);
        }
        if let Some(stretch) = self.running {
            let outermost = self.stack().outermost;
            self.name(stretch, outermost);
        }
        for stack in std::mem::take(&mut self.stacks).values() {
            self.count_open(stack);
        }
    }
}

/// Whether it happens at a time that matters.
fn moves_time(what: Happening) -> bool {
    use Happening::*;
    matches!(
        what,
        Enter(_)
            | Leave(_)
            | ContextEnter(_)
            | ContextLeave(_)
            | RecordingOff
            | RecordingOn
            | Flush(_)
            | Switch(_)
            | Complete(_)
    )
}

fn add_traffic(traffic: &mut Traffic, operation: Happening, mode: Option<IoOperationMode>) {
    match operation {
        Happening::Send(bytes) | Happening::Isend(bytes) => {
            traffic.sent += 1;
            traffic.bytes_sent += u128::from(bytes);
        }
        Happening::Recv(bytes) | Happening::Irecv(bytes) => {
            traffic.received += 1;
            traffic.bytes_received += u128::from(bytes);
        }
        Happening::Collective(sent, received)
        | Happening::NonBlockingCollective(sent, received) => {
            traffic.collectives += 1;
            traffic.collective_bytes_sent += u128::from(sent);
            traffic.collective_bytes_received += u128::from(received);
        }
        Happening::Put(bytes) => {
            traffic.rma += 1;
            traffic.bytes_put += u128::from(bytes);
        }
        Happening::Get(bytes) => {
            traffic.rma += 1;
            traffic.bytes_got += u128::from(bytes);
        }
        Happening::Atomic(sent, received) | Happening::RmaCollective(sent, received) => {
            traffic.rma += 1;
            traffic.bytes_put += u128::from(sent);
            traffic.bytes_got += u128::from(received);
        }
        Happening::IoComplete(_, _, bytes) => {
            traffic.io += 1;
            match mode {
                Some(IoOperationMode::Read) => traffic.bytes_read += u128::from(bytes),
                Some(IoOperationMode::Write) => traffic.bytes_written += u128::from(bytes),
                _ => {}
            }
        }
        _ => {}
    }
}

/// What of each visit's time is not its own.
fn insides(visits: &[SlowVisit]) -> Vec<u64> {
    let mut inside = vec![0; visits.len()];
    for (number, visit) in visits.iter().enumerate() {
        if let (Some(outer), Some(end), None) = (visit.inside, visit.end, visit.late) {
            inside[outer] += end - visit.begin;
        }
        if let Some(late) = visit.late {
            inside[late.around] += late.own + late.inside;
            if let Some(outside) = late.outside.0 {
                inside[outside] += late.more;
            }
        }
        if let Some((stack, from, to)) = visit.ran {
            let outermost = visits.iter().filter(|v| v.stack == stack && v.inside.is_none());
            let within = outermost.map(|v| {
                let end = v.end.unwrap_or(u64::MAX);
                end.min(to).saturating_sub(v.begin.max(from))
            });
            inside[number] += within.sum::<u64>();
        }
    }
    for (number, visit) in visits.iter().enumerate() {
        if let (Some(late), Some(end)) = (visit.late, visit.end) {
            inside[number] = end - visit.begin - late.own - late.more;
        }
    }
    inside
}

/// Adds every visit to its path, with its times where it has an end.
fn sum_up(visits: &[SlowVisit]) -> Paths {
    let mut paths = Paths::new();
    for (visit, inside) in visits.iter().zip(insides(visits)) {
        let (sum, _) = tally(&mut paths, &visit.path);
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
    paths
}

fn tally<'a>(paths: &'a mut Paths, path: &CallPath) -> &'a mut (Visits, Traffic) {
    paths.entry(path.clone()).or_insert((Visits::NONE, Traffic::default()))
}
