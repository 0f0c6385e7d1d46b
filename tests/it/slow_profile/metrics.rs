//! Metrics of the slow profile: all records of a location are held, and what a visit has is looked
//! up among them at the end.
//!
//! Numbers are integers: those of floating-point metrics in units of 2^-60, which is exact for what
//! the tests have.

use std::collections::{BTreeMap, BTreeSet};

use streamfold::kernels::profile::metrics::MetricKind;
use streamfold::model::enums::{MetricMode, MetricOccurrence, MetricScope, Type};
use streamfold::model::ids::{LocationRef, MetricMemberRef, MetricRef};
use streamfold::model::store::{Definitions, Metric};
use streamfold::model::values::TypedValue;

use super::{CallPath, MetricRecord};

/// The unit of floating-point numbers is two to the power of this, less than one.
pub const PLACES: i32 = 60;

/// Number, sum, smallest and largest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Several {
    pub count: u64,
    pub sum: i128,
    pub range: Option<(i128, i128)>,
}

impl Several {
    pub fn add(&mut self, number: i128) {
        self.join(&Several { count: 1, sum: number, range: Some((number, number)) });
    }

    pub fn join(&mut self, other: &Several) {
        self.count += other.count;
        self.sum += other.sum;
        let ranges = [self.range, other.range].into_iter().flatten();
        self.range = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    }

    /// Without smallest and largest.
    fn add_sum(&mut self, number: i128) {
        self.join(&Several { count: 1, sum: number, range: None });
    }
}

/// The key of a series: member, metric, position in its class.
pub type SeriesKey = (u32, u32, usize);

/// A series, as all that was recorded.
#[derive(Clone, Debug)]
pub struct SlowSeries {
    pub scope: (MetricScope, u64),
    pub mode: MetricMode,
    /// Times and values as they stand there.
    pub points: Vec<(u64, i128)>,
}

/// What a location has.
#[derive(Clone, Debug, Default)]
pub struct SlowMetrics {
    pub records: BTreeMap<u32, Several>,
    /// Inclusive and exclusive; of recorded values only the latter.
    pub paths: BTreeMap<(CallPath, u32, MetricKind), (Several, Several)>,
    pub series: BTreeMap<SeriesKey, SlowSeries>,
    /// In the order of their names in the result.
    pub oddities: [u64; 7],
}

/// A change of a metric that a synchronous record tells.
#[derive(Clone, Copy, Debug)]
struct Change {
    member: u32,
    by: i128,
    /// Whether the value before is known.
    known: bool,
    /// The visit that stands for the stretch of the explicit task in which it happened.
    stretch: Option<usize>,
}

/// The values that a visit began or ended with.
#[derive(Clone, Debug)]
struct Call {
    /// How many changes there were before.
    changes: usize,
    members: BTreeSet<u32>,
}

/// What is written down while the events go by.
#[derive(Default)]
pub struct Log {
    classes: BTreeMap<u32, Class>,
    location: u64,
    result: SlowMetrics,
    levels: BTreeMap<u32, i128>,
    /// The path of the last record of each series.
    last_path: BTreeMap<SeriesKey, CallPath>,
    changes: Vec<Change>,
    pending: BTreeSet<u32>,
    pending_values: Vec<(u32, i128)>,
    /// Those of relative metrics.
    pending_changes: Vec<(u32, i128)>,
    enters: BTreeMap<usize, Call>,
    leaves: BTreeMap<usize, Call>,
    stack_of_visit: BTreeMap<usize, usize>,
    stack_of_stretch: BTreeMap<usize, usize>,
    running: Option<usize>,
    /// How each stretch that is over ended, by its visit.
    ends: BTreeMap<usize, End>,
    /// The time of the last switch, and the stretch before; `None` once somebody was told.
    switched: Option<(u64, Option<usize>)>,
    /// How many visits there were when a window of time began; visits in it have later numbers.
    window: Option<usize>,
}

/// Where the stack of a task was when a stretch of the task ended.
#[derive(Debug)]
struct End {
    /// How many changes there were before.
    changes: usize,
    /// Visits of the stack that were open, and those that had ended.
    open: Vec<usize>,
    left: Vec<usize>,
    /// Whether the task ended, too.
    completed: bool,
}

#[derive(Clone, Debug)]
struct Class {
    occurrence: MetricOccurrence,
    scope: Option<(MetricScope, u64)>,
    members: Vec<Option<Member>>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    reference: u32,
    float: bool,
    mode: MetricMode,
}

fn class(definitions: &Definitions, metric: MetricRef) -> Option<Class> {
    let (of, scope) = match &definitions.metrics[&metric] {
        Metric::Class(of) => (of, None),
        Metric::Instance(instance) => match definitions.metrics.get(&instance.metric_class)? {
            Metric::Class(of) => (of, Some((instance.metric_scope, instance.scope))),
            Metric::Instance(_) => return None,
        },
    };
    let member = |reference: &MetricMemberRef| {
        let of = definitions.metric_members.get(reference)?;
        let float = match of.value_type {
            Type::Double => true,
            Type::Int64 | Type::Uint64 => false,
            _ => return None,
        };
        of.metric_mode.name()?;
        Some(Member { reference: reference.0, float, mode: of.metric_mode })
    };
    let members = of.metric_members.iter().map(member).collect();
    Some(Class { occurrence: of.metric_occurrence, scope, members })
}

fn is_absolute(mode: MetricMode) -> bool {
    mode.name().expect("a name").starts_with("ABSOLUTE")
}

fn is_relative(mode: MetricMode) -> bool {
    mode.name().expect("a name").starts_with("RELATIVE")
}

/// A value as an integer, if it is one of the member's.
fn integer(value: TypedValue, float: bool) -> Option<i128> {
    match (value.value_type, float) {
        (Type::Uint64, false) => Some(value.bits.into()),
        (Type::Int64, false) => Some((value.bits as i64).into()),
        (Type::Double, true) => {
            let number = f64::from_bits(value.bits);
            if !number.is_finite() {
                return None;
            }
            let scaled = number * 2f64.powi(PLACES);
            assert!(scaled.trunc() == scaled && scaled.abs() < 2f64.powi(110), "{number}");
            Some(scaled as i128)
        }
        _ => None,
    }
}

impl Log {
    pub fn new(definitions: &Definitions, location: LocationRef) -> Self {
        let all = definitions.metrics.keys();
        let classes = all.filter_map(|metric| Some((metric.0, class(definitions, *metric)?)));
        Log { classes: classes.collect(), location: location.0, ..Log::default() }
    }

    /// `open`: the path of each open visit, the innermost first, and whether no time of it has passed.
    pub fn record(&mut self, time: u64, record: MetricRecord, open: &[(CallPath, bool)]) {
        let [undefined, miscounted, undefined_members, unusable, ..] = &mut self.result.oddities;
        let Some(class) = self.classes.get(&record.metric).cloned() else {
            *undefined += 1;
            return;
        };
        let values = record.values();
        if values.len() != class.members.len() {
            *miscounted += 1;
            return;
        }
        let mut usable = Vec::new();
        for (position, (member, value)) in class.members.iter().zip(values).enumerate() {
            match member.map(|member| (member, integer(value, member.float))) {
                None => *undefined_members += 1,
                Some((_, None)) => *unusable += 1,
                Some((member, Some(number))) => usable.push((position, member, number)),
            }
        }
        let own = class.scope.is_none_or(|scope| scope == (MetricScope::Location, self.location));
        let synchronous = match class.occurrence {
            MetricOccurrence::SynchronousStrict | MetricOccurrence::Synchronous => own,
            _ => false,
        };
        for (position, member, number) in usable {
            self.result.records.entry(member.reference).or_default().add(number);
            if !synchronous {
                let key = (member.reference, record.metric, position);
                self.point(time, key, &class, member, number, own.then_some(open));
            } else if is_absolute(member.mode) {
                self.pending_values.push((member.reference, number));
            } else {
                self.level(time, member, number);
            }
        }
    }

    fn level(&mut self, time: u64, member: Member, number: i128) {
        let before = self.levels.get(&member.reference).copied();
        let level = match (is_relative(member.mode), before) {
            (true, Some(before)) => before + number,
            _ => number,
        };
        let stretch = match self.switched {
            Some((switched, before)) if switched == time => before,
            _ => self.running,
        };
        if is_relative(member.mode) {
            self.pending_changes.push((member.reference, number));
        }
        let by = before.map_or(0, |before| level - before);
        let known = before.is_some();
        self.changes.push(Change { member: member.reference, by, known, stretch });
        self.levels.insert(member.reference, level);
        let replaced = !self.pending.insert(member.reference);
        if replaced && !is_relative(member.mode) {
            self.result.oddities[4] += 1;
        }
    }

    fn point(
        &mut self,
        time: u64,
        key: SeriesKey,
        class: &Class,
        member: Member,
        number: i128,
        open: Option<&[(CallPath, bool)]>,
    ) {
        let scope = class.scope.unwrap_or((MetricScope::Location, self.location));
        let new = || SlowSeries { scope, mode: member.mode, points: Vec::new() };
        let series = self.result.series.entry(key).or_insert_with(new);
        let before = series.points.last().map(|(_, number)| *number);
        let is_same_time = series.points.iter().any(|(other, _)| *other >= time);
        series.points.push((time, number));
        let Some(open) = open else { return };
        let innermost = open.first().map_or(vec![], |(path, _)| path.clone());
        let last = self.last_path.insert(key, innermost.clone()).filter(|_| is_same_time);
        if is_absolute(member.mode) || is_relative(member.mode) {
            return self.count_value(innermost, member.reference, number);
        }
        let Some(before) = before else { return };
        let found = open.iter().find(|(path, is_new)| !is_new || last.as_ref() == Some(path));
        let path = found.map_or(vec![], |(path, _)| path.clone());
        let key = (path, member.reference, MetricKind::Growth);
        self.result.paths.entry(key).or_default().1.add(number - before);
    }

    fn count_value(&mut self, path: CallPath, member: u32, number: i128) {
        let key = (path, member, MetricKind::Values);
        self.result.paths.entry(key).or_default().1.add(number);
    }

    /// A visit begins, in a stack.
    pub fn enter(&mut self, visit: usize, stack: usize, path: CallPath) {
        self.stack_of_visit.insert(visit, stack);
        if !self.pending.is_empty() || !self.pending_values.is_empty() {
            self.switched = None;
        }
        self.pending_changes.clear();
        let call = self.call(path);
        if !call.members.is_empty() {
            self.enters.insert(visit, call);
        }
    }

    fn call(&mut self, path: CallPath) -> Call {
        for (member, number) in std::mem::take(&mut self.pending_values) {
            self.count_value(path.clone(), member, number);
        }
        Call { changes: self.changes.len(), members: std::mem::take(&mut self.pending) }
    }

    /// The last of these visits ends, which are open one inside of the other.
    pub fn leave(&mut self, open: &[usize], path: CallPath) {
        let any = open.iter().any(|visit| self.enters.contains_key(visit));
        if any || !self.pending.is_empty() || !self.pending_values.is_empty() {
            self.switched = None;
        }
        let call = self.call(path.clone());
        let visit = open[open.len() - 1];
        let began = self.enters.get(&visit).map(|call| call.members.clone()).unwrap_or_default();
        let whole = self.window.is_none_or(|first| visit >= first);
        let mut lone = BTreeSet::new();
        for (member, number) in std::mem::take(&mut self.pending_changes) {
            if whole && !began.contains(&member) {
                self.count_value(path.clone(), member, number);
            }
            lone.insert(member);
        }
        let one_end = began.symmetric_difference(&call.members);
        let one_end =
            one_end.filter(|member| whole && (began.contains(member) || !lone.contains(member)));
        self.result.oddities[5] += one_end.count() as u64;
        self.leaves.insert(visit, call);
    }

    /// A leave of a region that is not open.
    pub fn leave_nothing(&mut self) {
        if !self.pending.is_empty() || !self.pending_values.is_empty() {
            self.switched = None;
        }
        self.result.oddities[4] += (self.pending.len() + self.pending_values.len()) as u64;
        self.pending.clear();
        self.pending_values.clear();
        self.pending_changes.clear();
    }

    /// Another task goes on, after the implicit one unless `suspend` follows.
    pub fn switch(&mut self, time: u64) {
        self.switched = Some((time, None));
    }

    /// The stretch of an explicit task that a visit stands for is over.
    pub fn suspend(&mut self, stretch: usize, open: &[usize]) {
        self.running = None;
        let stack = self.stack_of_stretch[&stretch];
        let of_stack = |visit: &&usize| self.stack_of_visit[*visit] == stack;
        let left = self.leaves.keys().filter(of_stack).copied().collect();
        let (changes, open) = (self.changes.len(), open.to_vec());
        self.ends.insert(stretch, End { changes, open, left, completed: false });
        if let Some((_, before)) = &mut self.switched {
            *before = Some(stretch);
        }
    }

    /// So is its task.
    pub fn complete(&mut self, stretch: usize) {
        self.ends.get_mut(&stretch).expect("it is over").completed = true;
    }

    /// A stretch of an explicit task begins.
    pub fn resume(&mut self, stretch: usize, stack: usize) {
        self.stack_of_stretch.insert(stretch, stack);
        self.running = Some(stretch);
    }

    /// A window begins, before which there were so many visits.
    pub fn begin_window(&mut self, visits: usize) {
        self.window = Some(visits);
        self.switched = None;
    }

    /// The window ends before what comes next.
    pub fn end_window(&mut self) {
        self.pending.clear();
        self.pending_values.clear();
        self.pending_changes.clear();
    }

    /// Whether it is known how metrics changed in a stretch.
    fn is_known(&self, stretch: usize, member: u32) -> bool {
        let of_stretch =
            |change: &&Change| (change.stretch, change.member) == (Some(stretch), member);
        self.window.is_none_or(|first| stretch >= first)
            && self.changes.iter().filter(of_stretch).all(|change| change.known)
    }

    /// `visits`: the path of each, and the visit around it.
    pub fn finish(mut self, visits: Vec<(CallPath, Option<usize>)>) -> SlowMetrics {
        self.leave_nothing();
        let mut differences: BTreeMap<(usize, u32), i128> = BTreeMap::new();
        for (visit, leave) in &self.leaves {
            let Some(enter) = self.enters.get(visit) else { continue };
            for member in enter.members.intersection(&leave.members) {
                let between = &self.changes[enter.changes..leave.changes];
                let stack = self.stack_of_visit[visit];
                let counts = |change: &&Change| {
                    let of_stack = |stretch: usize| self.stack_of_stretch[&stretch] == stack;
                    change.member == *member && (stack == 0 || change.stretch.is_some_and(of_stack))
                };
                let sum = between.iter().filter(counts).map(|change| change.by).sum();
                differences.insert((*visit, *member), sum);
            }
        }
        // A stretch that is over has what happened in it.
        let is_over = |stretch: &usize| Some(*stretch) != self.running;
        for change in &self.changes {
            let counts =
                |stretch: &usize| is_over(stretch) && self.is_known(*stretch, change.member);
            if let Some(stretch) = change.stretch.filter(counts) {
                *differences.entry((stretch, change.member)).or_default() += change.by;
            }
        }
        let mut inside: BTreeMap<(usize, u32), i128> = BTreeMap::new();
        for ((visit, member), difference) in &differences {
            let mut around = visits[*visit].1;
            while let Some(outer) = around {
                if differences.contains_key(&(outer, *member)) {
                    *inside.entry((outer, *member)).or_default() += difference;
                    break;
                }
                around = visits[outer].1;
            }
        }
        let exclusive_of = self.exclusive_of_stretches(&differences, &visits);
        let modes: BTreeMap<u32, MetricMode> = self.modes();
        for ((visit, member), difference) in &differences {
            let key = (visits[*visit].0.clone(), *member, MetricKind::Difference);
            let (inclusive, exclusive) = self.result.paths.entry(key).or_default();
            if self.stack_of_stretch.contains_key(visit) {
                inclusive.add_sum(*difference);
                exclusive.add_sum(exclusive_of[&(*visit, *member)]);
                continue;
            }
            inclusive.add(*difference);
            let inside = inside.get(&(*visit, *member)).copied().unwrap_or(0);
            exclusive.add_sum(difference - inside);
            if *difference < 0 && !is_relative(modes[member]) {
                self.result.oddities[6] += 1;
            }
        }
        self.result
    }

    /// Of what changed in each stretch that which was not in the task's own visits with a value.
    fn exclusive_of_stretches(
        &self,
        differences: &BTreeMap<(usize, u32), i128>,
        visits: &[(CallPath, Option<usize>)],
    ) -> BTreeMap<(usize, u32), i128> {
        let mut exclusive = BTreeMap::new();
        let mut said: BTreeMap<(usize, u32), i128> = BTreeMap::new();
        for (stretch, end) in &self.ends {
            let of_stretch = |change: &&Change| change.stretch == Some(*stretch);
            let changed = self.changes.iter().filter(of_stretch).map(|change| change.member);
            for member in changed.collect::<BTreeSet<_>>() {
                let inside = self.inside_of_task((*stretch, end), member, differences, visits);
                let stack = self.stack_of_stretch[stretch];
                let before = match inside {
                    Some(inside) => said.insert((stack, member), inside).unwrap_or(0),
                    None => 0,
                };
                if let Some(difference) = differences.get(&(*stretch, member)) {
                    let more = inside.map_or(0, |inside| inside - before);
                    exclusive.insert((*stretch, member), difference - more);
                }
            }
        }
        exclusive
    }

    /// How much a metric has changed in the visits of a task, all in all, when a stretch ends. `None`: the task was
    /// over before that was known.
    fn inside_of_task(
        &self,
        (stretch, end): (usize, &End),
        member: u32,
        differences: &BTreeMap<(usize, u32), i128>,
        visits: &[(CallPath, Option<usize>)],
    ) -> Option<i128> {
        let has =
            |visit: usize| self.enters.get(&visit).is_some_and(|c| c.members.contains(&member));
        let counts = |visit: usize| match end.open.contains(&visit) {
            true => has(visit),
            false => end.left.contains(&visit) && differences.contains_key(&(visit, member)),
        };
        let is_outermost = |visit: usize| {
            let around = std::iter::successors(visits[visit].1, |outer| visits[*outer].1);
            counts(visit) && !around.into_iter().any(counts)
        };
        let stack = self.stack_of_stretch[&stretch];
        let of = |change: &Change| {
            change.member == member
                && change.stretch.is_some_and(|stretch| self.stack_of_stretch[&stretch] == stack)
        };
        let early = self.changes[..end.changes]
            .iter()
            .any(|change| (change.stretch, change.member) == (Some(stretch), member));
        if end.completed && !early {
            return None;
        }
        // What is recorded late is known to the visits of a task that goes on.
        let late = self.changes[end.changes..].iter();
        let late = late.filter(|change| !end.completed && change.stretch == Some(stretch));
        let late: i128 = late.filter(|change| of(change)).map(|change| change.by).sum();
        let left = end.left.iter().filter(|visit| is_outermost(**visit));
        let left: i128 = left.filter_map(|visit| differences.get(&(*visit, member))).sum();
        let open = end.open.iter().filter(|visit| is_outermost(**visit)).map(|visit| {
            let since = &self.changes[self.enters[visit].changes..end.changes];
            late + since.iter().filter(|change| of(change)).map(|change| change.by).sum::<i128>()
        });
        Some(left + open.sum::<i128>())
    }

    fn modes(&self) -> BTreeMap<u32, MetricMode> {
        let members = self.classes.values().flat_map(|class| class.members.iter().flatten());
        members.map(|member| (member.reference, member.mode)).collect()
    }
}
