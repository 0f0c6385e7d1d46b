//! Time by class of work, by process and over time: pictures, and tables for people and scripts.
//!
//! [`TimeMapReport::picture`] is all of it on one sheet; [`TimeMapReport::heat_map`] and
//! [`TimeMapReport::areas`] are its parts, each a picture of its own that a page can hold.

mod areas;
mod build;
mod heat;
mod picture;
mod text;

use bstr::ByteSlice;
use streamfold_kernels::account::{
    Account, Group, MetricWatch, RowOf, RowSpan, RowsBy, TimeCell, TimeCells, TimeMap,
};
use streamfold_kernels::profile::metrics::Number;
use streamfold_model::ids::{MetricMemberRef, SystemTreeNodeRef};
use streamfold_model::store::Definitions;

use super::heat_map;
use super::profile::metrics::Described;
use super::provenance::Provenance;
use streamfold_analyses::account::RowsOverTime;
use streamfold_analyses::critical::CriticalPath;
use streamfold_text::{human, names};

pub use text::write as write_text;

/// Value that a heat map shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeatValue {
    /// The share of the time that is spent on a class of work.
    Class(Group),
    /// The share of the time in which any of some regions is open: their name.
    Region(String),
    /// Bytes sent in a second.
    Bytes,
    /// The class of work on which most of the time is spent.
    Classes,
    /// The share of the time in which somebody waits for others.
    Waits,
    /// Growth of a metric in a second, or its level.
    Metric(MetricMemberRef),
}

impl HeatValue {
    /// Returns the default value: the share of MPI. Without MPI it is the class that takes most of the time besides
    /// computation.
    pub fn of(map: &TimeMap) -> Self {
        let mut sum = TimeCell::default();
        map.rows.values().for_each(|row| sum.add(&row.cells.total()));
        let ticks = |class: Group| sum.of(class);
        if ticks(Group::Mpi) > 0 {
            return HeatValue::Class(Group::Mpi);
        }
        let others = [Group::Kernels, Group::Io, Group::Accelerator, Group::Threads];
        let most = others.into_iter().rev().max_by_key(|class| ticks(*class));
        let most = most.filter(|class| ticks(*class) > 0).unwrap_or(Group::Computation);
        HeatValue::Class(most)
    }

    /// For scripts and command lines.
    pub fn id(&self, definitions: &Definitions) -> String {
        let id = match self {
            HeatValue::Class(class) => class.id(),
            HeatValue::Region(name) => name,
            HeatValue::Bytes => "bytes",
            HeatValue::Classes => "classes",
            HeatValue::Waits => "waits",
            HeatValue::Metric(member) => return names::metric(definitions, *member),
        };
        id.to_owned()
    }

    /// Returns whether it is a quantity, not a share of the time.
    fn is_quantity(&self) -> bool {
        matches!(self, HeatValue::Bytes | HeatValue::Metric(_))
    }

    /// As a title begins.
    fn share_title(&self) -> String {
        match self {
            HeatValue::Class(class) => format!("{}: share of the time", class.title()),
            HeatValue::Region(name) => {
                format!("{}: share of the time, inclusive", human::visible(name))
            }
            HeatValue::Bytes => "Bytes sent in a second".to_owned(),
            HeatValue::Classes => "What most of the time is spent on".to_owned(),
            HeatValue::Waits => "Waits for others: share of the time".to_owned(),
            HeatValue::Metric(_) => String::new(),
        }
    }
}

/// Input of pictures and tables.
#[derive(Clone, Debug)]
pub struct TimeMapReport<'a> {
    /// The account.
    pub account: &'a Account,
    /// Its rows over time, or coarser ones.
    pub map: &'a TimeMap,
    /// Rows and parts of the time.
    pub over: &'a RowsOverTime,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
    /// Value that the heat map shows.
    pub value: HeatValue,
    /// Subject of its rows.
    pub by: RowsBy,
    /// The critical path, to be drawn over the rows.
    pub critical: Option<&'a CriticalPath>,
}

impl TimeMapReport<'_> {
    fn time(&self, ticks: u64) -> String {
        human::time(ticks.into(), self.provenance.timer_resolution)
    }

    pub(crate) fn bins(&self) -> u32 {
        self.over.bins.count()
    }

    /// The begin of the trace in ticks, or the first event where the trace does not say when it begins.
    pub(crate) fn begin(&self) -> u64 {
        heat_map::begin(self.definitions, self.over.bins.begin())
    }

    /// Seconds since the begin of the trace.
    fn seconds(&self, tick: u64) -> f64 {
        let ticks = tick.saturating_sub(self.begin());
        ticks as f64 / self.provenance.timer_resolution.max(1) as f64
    }

    /// The node that a row is on.
    pub(crate) fn node(&self, row: RowOf) -> Option<SystemTreeNodeRef> {
        let group = match row {
            RowOf::Process(group) | RowOf::Accelerator(group) => group,
            RowOf::Location(location) => self.definitions.locations.get(&location)?.location_group,
        };
        Some(self.definitions.location_groups.get(&group)?.system_tree_parent)
    }

    pub(crate) fn cells(&self, row: usize) -> Option<&TimeCells> {
        let row = self.map.rows.get(&(row as u32))?;
        (!row.cells.is_empty()).then_some(&row.cells)
    }

    pub(crate) fn threads(&self, row: usize) -> u64 {
        self.map.rows.get(&(row as u32)).map_or(0, |row| row.threads)
    }

    /// As a title begins.
    fn title(&self) -> String {
        let HeatValue::Metric(member) = self.value else { return self.value.share_title() };
        let name = names::metric(self.definitions, member);
        let name = human::visible(&name);
        match self.over.metric_grows() {
            true => format!("{name} in a second"),
            false => format!("{name}, mean"),
        }
    }

    /// A metric of some parts together, which last for so many ticks.
    fn metric_of(&self, cell: &TimeCell, ticks: u64) -> Option<f64> {
        let seconds = ticks.max(1) as f64 / self.provenance.timer_resolution.max(1) as f64;
        metric_of(self.over.metric.as_ref()?, cell, seconds)
    }

    /// The part of the whole that the value is.
    fn part(&self, cell: &TimeCell) -> u64 {
        match &self.value {
            HeatValue::Waits => cell.waited,
            HeatValue::Metric(_) => 0,
            HeatValue::Class(class) => cell.of(*class),
            HeatValue::Region(_) => cell.marked,
            HeatValue::Bytes => cell.bytes,
            HeatValue::Classes => most(cell).map_or(0, |class| cell.of(class)),
        }
    }

    /// A value from 0 on: a share up to 1, or bytes in a second. `None`: nothing was recorded.
    fn number(&self, row: usize, bin: u32) -> Option<f64> {
        let cell = &self.cells(row)?.get(bin as usize)?;
        if let HeatValue::Metric(_) = self.value {
            return self.metric_of(cell, self.over.bins.length_of(bin));
        }
        if self.value == HeatValue::Bytes {
            let ticks = self.over.bins.length_of(bin).max(1) as f64;
            return Some(
                cell.bytes as f64 / ticks * self.provenance.timer_resolution.max(1) as f64,
            );
        }
        share(self.part(cell), cell)
    }

    /// The value of all of the time of a row.
    fn number_of_row(&self, row: usize) -> Option<f64> {
        let cells = self.cells(row)?;
        if let HeatValue::Metric(_) = self.value {
            let sum = cells.total();
            return self.metric_of(&sum, self.over.bins.end() - self.over.bins.begin());
        }
        if self.value == HeatValue::Bytes {
            let bytes = cells.iter().map(|cell| cell.bytes as f64).sum::<f64>();
            let length = self.over.bins.end() - self.over.bins.begin();
            return Some(bytes / length as f64 * self.provenance.timer_resolution.max(1) as f64);
        }
        let part = cells.iter().fold(0_u64, |sum, cell| sum.saturating_add(self.part(&cell)));
        share(part, &cells.total())
    }

    fn shown(&self, number: f64) -> String {
        match self.value {
            HeatValue::Bytes => format!("{}/s", human::bytes(number.round() as u128)),
            HeatValue::Metric(member) => {
                let described = Described::new(self.definitions, member);
                match self.over.metric_grows() {
                    true => described.shown_per_second(number),
                    false => described.shown(Number::Float(number)),
                }
            }
            _ => format!("{:.1} %", number * 100.0),
        }
    }

    /// All threads of processes, or all streams of accelerators, by part of the time; and how many there are.
    fn sums(&self, accelerator: bool) -> (Vec<TimeCell>, u64) {
        let mut sums = vec![TimeCell::default(); self.bins() as usize];
        let mut threads = 0;
        for (row, _) in self.spans().filter(|(_, span)| span.accelerator == accelerator) {
            threads += self.threads(row);
            let cells = self.cells(row).into_iter().flat_map(TimeCells::iter);
            sums.iter_mut().zip(cells).for_each(|(sum, cell)| sum.add(&cell));
        }
        (sums, threads)
    }

    pub(crate) fn spans(&self) -> impl Iterator<Item = (usize, &RowSpan)> {
        self.over.rows.spans.iter().enumerate()
    }

    fn name_of(&self, row: RowOf) -> String {
        match row {
            RowOf::Process(group) => names::group(self.definitions, group),
            RowOf::Accelerator(group) => {
                let name = names::group(self.definitions, group);
                match self.over.rows.spans.iter().any(|span| span.first == RowOf::Process(group)) {
                    true => format!("{name} (accelerator)"),
                    false => name,
                }
            }
            RowOf::Location(location) => names::place(self.definitions, location),
        }
    }

    /// The first and the last of those that share a row.
    fn ends(&self, span: &RowSpan) -> [String; 2] {
        [self.name_of(span.first), self.name_of(span.last)]
    }

    pub(crate) fn name(&self, row: usize) -> String {
        let [first, last] = self.ends(&self.over.rows.spans[row]);
        if first == last {
            first
        } else {
            format!("{first} to {last}")
        }
    }

    /// The program that ran, where the trace says it, else the trace.
    pub(crate) fn program(&self) -> String {
        let program = self.map.program;
        let name = program.and_then(|(_, name)| self.definitions.string(name));
        let name = name.map(|name| name.to_str_lossy().into_owned()).unwrap_or_default();
        let name = name.rsplit('/').next().unwrap_or_default();
        if name.is_empty() {
            return human::last_parts(&self.provenance.input).to_owned();
        }
        name.to_owned()
    }

    /// How much there is: processes, threads, how long.
    pub(crate) fn extent(&self) -> String {
        let bins = &self.over.bins;
        let count = |accelerator: bool| -> u64 {
            let spans = self.spans().filter(|(_, span)| span.accelerator == accelerator);
            spans.map(|(_, span)| u64::from(span.count)).sum()
        };
        let nouns = match self.by {
            RowsBy::Process => [["process", "processes"], ["accelerator", "accelerators"]],
            RowsBy::Location => [["thread", "threads"], ["stream", "streams"]],
        };
        let [processes, accelerators] = [false, true].map(count);
        let mut parts = Vec::new();
        if processes > 0 || accelerators == 0 {
            parts.push(human::counted(processes, nouns[0]));
        }
        if accelerators > 0 {
            parts.push(human::counted(accelerators, nouns[1]));
        }
        let threads: u64 = self.spans().map(|(row, _)| self.threads(row)).sum();
        if self.by == RowsBy::Process && threads != processes + accelerators {
            parts.push(human::plural(threads, "thread"));
        }
        let length = self.time(bins.end() - bins.begin());
        let part = self.time(bins.length_of(0));
        let count = human::count(bins.count().into());
        format!("{}; {length} in {count} parts of {part}", parts.join(", "))
    }

    /// Returns a sentence that explains the values.
    fn explained(&self) -> &'static str {
        match self.value {
            HeatValue::Bytes => {
                "Bytes of messages, collective operations and transfers to and from remote memory, \
                 where they are recorded."
            }
            HeatValue::Waits => "Of all time of threads.",
            HeatValue::Metric(_) if self.over.metric_grows() => {
                "What it grows by counts evenly from one value to the next."
            }
            HeatValue::Metric(_) => "A value holds up to the next one.",
            _ => "Of all time of threads and streams.",
        }
    }
}

/// A metric of parts that last so long, in seconds.
fn metric_of(watch: &MetricWatch, cell: &TimeCell, seconds: f64) -> Option<f64> {
    let sum = cell.metric as f64 / watch.one() as f64;
    let whole = if watch.grows() { seconds } else { cell.measured as f64 };
    (cell.measured > 0 || cell.metric != 0).then(|| sum / whole)
}

/// All parts together.
fn total(cells: &[TimeCell]) -> TimeCell {
    cells.iter().fold(TimeCell::default(), |mut sum, cell| {
        sum.add(cell);
        sum
    })
}

/// A part of a cell as a share of its time. `None`: nothing was recorded.
fn share(part: u64, cell: &TimeCell) -> Option<f64> {
    let all = cell.all();
    (all > cell.of(Group::Absent)).then(|| part as f64 / all as f64)
}

/// The class on which most of the time is spent.
fn most(cell: &TimeCell) -> Option<Group> {
    let is_known = |group: &Group| !matches!(group, Group::NotRecorded | Group::Absent);
    let all = Group::ALL.iter().copied().rev().filter(is_known);
    all.filter(|group| cell.of(*group) > 0).max_by_key(|group| cell.of(*group))
}
