//! The metrics of the file, and what a location has of each.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use streamfold_kernels::profile::metrics::{Column, MetricKind, Number};
use streamfold_kernels::profile::{Profile, Step, Traffic};
use streamfold_model::enums::Type;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::tree::CallTree;
use crate::aside::{MetricCell, PathCell};
use crate::profile::metrics::Described;

/// Source of the values of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Source {
    Visits,
    Time,
    /// The shortest visit.
    Shortest,
    /// The longest visit.
    Longest,
    /// The sum of two of the numbers of [`Traffic`], which may be the same one.
    Traffic([usize; 2]),
    /// How much a counter changed.
    Difference(Column),
    /// The smallest of the values that were recorded.
    Smallest(Column),
    /// The largest of them.
    Largest(Column),
    /// Rank 0 has them: see [`More`].
    Given,
    /// All ranks have put them aside, as the value of this number of each cell: see [`More`].
    Aside(u32),
}

/// A metric beside the profile. It is exclusive, in seconds, and has what the metrics below it have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct More {
    /// As people read it.
    pub display: String,
    /// As expressions name it.
    pub unique: String,
    /// Description for people.
    pub description: String,
    /// Below which one it stands: an index of one before it.
    pub parent: Option<usize>,
    /// In ticks, by call path, as an index of the profile's, and location. `None`: outside of all paths.
    pub ticks: Vec<(Option<u32>, LocationRef, u128)>,
    /// The number of the value of the cells that all ranks have [put aside](crate::aside::PlaceCells), and the call paths
    /// that have any. `None`: `ticks` are all.
    pub aside: Option<(u32, BTreeSet<u32>)>,
}

/// How a value is written, and with what it is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Unsigned,
    Signed,
    Double,
    Smallest,
    Largest,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Unsigned => "UINT64",
            Kind::Signed => "INT64",
            Kind::Double => "DOUBLE",
            Kind::Smallest => "MINDOUBLE",
            Kind::Largest => "MAXDOUBLE",
        }
    }

    /// Returns the bits that stand for no value in the file.
    pub(super) fn nothing(self) -> u64 {
        match self {
            Kind::Unsigned | Kind::Signed | Kind::Double => 0,
            Kind::Smallest => f64::MAX.to_bits(),
            Kind::Largest => f64::MIN.to_bits(),
        }
    }
}

/// A metric of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Metric {
    /// As people read it.
    pub display: String,
    /// As expressions name it. No other metric has the same.
    pub unique: String,
    pub unit: String,
    pub description: String,
    pub source: Source,
    pub kind: Kind,
    /// Set if values include the call paths below.
    pub is_inclusive: bool,
    /// For each call path, whether it has a row.
    pub rows: Vec<bool>,
    /// Below which metric it stands.
    pub parent: Option<usize>,
}

/// All metrics, in the order of the file.
pub(super) fn metrics(
    profile: &Profile,
    tree: &CallTree,
    definitions: &Definitions,
    more: &[More],
) -> Vec<Metric> {
    let mut metrics = Vec::new();
    let mut metric = |names: [&str; 4], source, kind, is_inclusive, rows| {
        let [display, unique, unit, description] = names.map(str::to_owned);
        metrics.push(Metric {
            display,
            unique,
            unit,
            description,
            source,
            kind,
            is_inclusive,
            rows,
            parent: None,
        });
    };
    let all = vec![true; tree.cnodes.len()];
    let visits = ["Visits", "visits", "occ", "Number of visits"];
    metric(visits, Source::Visits, Kind::Unsigned, false, all.clone());
    let time = ["Time", "time", "sec", "Total CPU allocation time"];
    metric(time, Source::Time, Kind::Double, true, all.clone());
    let shortest =
        ["Minimum Inclusive Time", "min_time", "sec", "Minimum inclusive CPU allocation time"];
    metric(shortest, Source::Shortest, Kind::Smallest, false, all.clone());
    let longest =
        ["Maximum Inclusive Time", "max_time", "sec", "Maximum inclusive CPU allocation time"];
    metric(longest, Source::Longest, Kind::Largest, false, all);
    for (name, description, numbers) in [
        ("bytes_put", "Bytes sent in one-sided communication", ["bytes_put"; 2]),
        ("bytes_get", "Bytes received in one-sided communication", ["bytes_got"; 2]),
        ("io_bytes_read", "I/O bytes read", ["bytes_read"; 2]),
        ("io_bytes_written", "I/O bytes written", ["bytes_written"; 2]),
        ("bytes_sent", "Bytes sent", ["bytes_sent", "collective_bytes_sent"]),
        ("bytes_received", "Bytes received", ["bytes_received", "collective_bytes_received"]),
    ] {
        let numbers = numbers.map(traffic_number);
        let has = |path: u32| {
            let path = profile.paths.get(path as usize);
            let all = path.map_or(profile.outside, |path| path.row.traffic).numbers();
            numbers.iter().any(|number| all[*number] > 0)
        };
        let rows = tree.cnodes.iter().map(|cnode| has(cnode.path)).collect();
        let names = [name, name, "bytes", description];
        metric(names, Source::Traffic(numbers), Kind::Unsigned, false, rows);
    }
    for (number, column) in (0..).zip(&profile.metrics.columns) {
        let described = Described::new(definitions, column.member);
        let unit = unit(&described);
        let (name, about) = (described.name.as_str(), described.description.as_str());
        match column.kind {
            MetricKind::Difference | MetricKind::Growth => {
                let kind = kind_of(profile, number, *column, definitions);
                let rows = with_those_above(rows_of(profile, tree, number), tree);
                let names = [name, name, unit.as_str(), about];
                metric(names, Source::Difference(*column), kind, true, rows);
            }
            MetricKind::Values => {
                for (part, words, source, kind) in [
                    ("min", "smallest value", Source::Smallest(*column), Kind::Smallest),
                    ("max", "largest value", Source::Largest(*column), Kind::Largest),
                ] {
                    let display = format!("{name} ({words})");
                    let unique = format!("{name}_{part}");
                    let names = [display.as_str(), unique.as_str(), unit.as_str(), about];
                    // A row that is missing reads as 0, which may be the smallest or the largest.
                    metric(names, source, kind, false, vec![true; tree.cnodes.len()]);
                }
            }
        }
    }
    let first = metrics.len();
    for metric in more {
        let mut rows = vec![false; tree.cnodes.len()];
        let given = metric.ticks.iter().map(|(path, ..)| *path);
        let aside = metric.aside.iter().flat_map(|(_, paths)| paths).map(|path| Some(*path));
        for cnode in given.chain(aside).filter_map(|path| tree.of_path(path)) {
            rows[cnode as usize] = true;
        }
        metrics.push(Metric {
            display: metric.display.clone(),
            unique: metric.unique.clone(),
            unit: "sec".to_owned(),
            description: metric.description.clone(),
            source: metric.aside.as_ref().map_or(Source::Given, |(value, _)| Source::Aside(*value)),
            kind: Kind::Double,
            is_inclusive: false,
            rows,
            parent: metric.parent.map(|parent| first + parent),
        });
    }
    make_unique(&mut metrics);
    metrics
}

/// Returns the index of the number of [`Traffic`] with this name.
fn traffic_number(name: &str) -> usize {
    let found = Traffic::COLUMNS.iter().position(|(column, _)| *column == name);
    found.expect("the name of one of them")
}

/// For each call path whether it has anything in a column.
fn rows_of(profile: &Profile, tree: &CallTree, column: u32) -> Vec<bool> {
    let has = |path: u32| {
        let path = path as usize;
        let mut inside = profile.metrics.of_path(path).iter();
        let outside = if path == profile.paths.len() { &profile.metrics.outside[..] } else { &[] };
        inside.any(|(of, _)| *of == column) || outside.iter().any(|(of, _)| *of == column)
    };
    tree.cnodes.iter().map(|cnode| has(cnode.path)).collect()
}

/// With all paths above those, of which an inclusive metric has something, too.
fn with_those_above(mut rows: Vec<bool>, tree: &CallTree) -> Vec<bool> {
    for (cnode, above) in tree.counted_in().into_iter().enumerate().rev() {
        if let Some(above) = above.filter(|_| rows[cnode]) {
            rows[above as usize] = true;
        }
    }
    rows
}

/// How differences are written: without a sign where the metric has none and no visit a negative one.
fn kind_of(profile: &Profile, number: u32, column: Column, definitions: &Definitions) -> Kind {
    let value_type = definitions.metric_members.get(&column.member).map(|of| of.value_type);
    match value_type {
        Some(Type::Float | Type::Double) => return Kind::Double,
        Some(Type::Uint8 | Type::Uint16 | Type::Uint32 | Type::Uint64) => {}
        _ => return Kind::Signed,
    }
    let of_path = |path: usize| {
        let values = profile.metrics.of_path(path).iter();
        values.filter(|(of, _)| *of == number).map(move |(_, measured)| (path, measured))
    };
    let is_unsigned = (0..profile.paths.len()).flat_map(of_path).all(|(path, measured)| {
        // Nobody looks how small differences of tasks are.
        let range = measured.inclusive.range.map(|(least, _)| least);
        let is_task = matches!(profile.paths[path].step, Step::Task(_));
        !is_task && range.is_none_or(|least| !least.is_negative())
    });
    if is_unsigned {
        Kind::Unsigned
    } else {
        Kind::Signed
    }
}

/// The unit, with what values are to be multiplied by.
fn unit(described: &Described) -> String {
    match (described.base, described.exponent) {
        (Some(base), Some(exponent)) if exponent != 0 => {
            format!("{base}^{exponent} {}", described.unit)
        }
        _ => described.unit.clone(),
    }
}

/// Replaces what expressions cannot name, and numbers metrics whose names are the same.
fn make_unique(metrics: &mut [Metric]) {
    let mut taken = BTreeSet::new();
    for metric in metrics {
        let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '=');
        let plain: String =
            metric.unique.chars().map(|c| if is_fine(c) { c } else { '_' }).collect();
        let plain = if plain.is_empty() { "metric".to_owned() } else { plain };
        let numbered = (2_u64..).map(|number| format!("{plain}_{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        metric.unique = names.find(|name| !taken.contains(name)).unwrap_or(plain);
        taken.insert(metric.unique.clone());
    }
}

/// Layout of the file, known to all ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Shape {
    /// Ticks a second.
    pub resolution: u64,
    /// Index in the call tree of each path of the profile.
    pub of_paths: Vec<Option<u32>>,
    /// Below which path each counts, too.
    pub counted_in: Vec<Option<u32>>,
    /// Set for paths that are tasks at the place where they ran.
    pub is_task: Vec<bool>,
    pub metrics: Vec<(Source, Kind)>,
}

/// A value of one location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    pub metric: u32,
    pub cnode: u32,
    pub bits: u64,
}

impl Shape {
    /// All that a location has, but what is nothing.
    ///
    /// # Errors
    ///
    /// When a number needs more than 64 bits.
    pub(super) fn values(
        &self,
        paths: &[PathCell],
        metrics: &[MetricCell],
    ) -> Result<Vec<Value>, &'static str> {
        let mut values = Vec::new();
        for (metric, (source, kind)) in (0..).zip(&self.metrics) {
            let mut put = |cnode: u32, bits: u64| {
                if bits != kind.nothing() {
                    values.push(Value { metric, cnode, bits });
                }
            };
            match source {
                Source::Time => {
                    let times = self.times(paths);
                    times.into_iter().zip(0..).for_each(|(ticks, cnode)| {
                        put(cnode, self.seconds(ticks).to_bits());
                    });
                }
                Source::Difference(column) => {
                    for (cnode, number) in self.differences(metrics, *column) {
                        put(cnode, bits(number, *kind)?);
                    }
                }
                Source::Smallest(column) | Source::Largest(column) => {
                    let of = metrics.iter().filter(|cell| is_of(cell, *column));
                    for (cell, cnode) in of.filter_map(|cell| self.with_cnode(cell, cell.path)) {
                        let Some((least, most)) = cell.exclusive.range else { continue };
                        let number = if *kind == Kind::Smallest { least } else { most };
                        put(cnode, number.as_f64().to_bits());
                    }
                }
                Source::Given | Source::Aside(_) => {}
                Source::Visits | Source::Shortest | Source::Longest | Source::Traffic(_) => {
                    for (cell, cnode) in
                        paths.iter().filter_map(|cell| self.with_cnode(cell, cell.path))
                    {
                        if let Some(bits) = self.simple(*source, cell)? {
                            put(cnode, bits);
                        }
                    }
                }
            }
        }
        Ok(values)
    }

    /// Rounded, the product with the resolution is the number of ticks again.
    pub(super) fn seconds(&self, ticks: u128) -> f64 {
        ticks as f64 / self.resolution.max(1) as f64
    }

    /// Besides, where in the call tree it is; `None` where no region is open.
    fn with_cnode<'c, C>(&self, cell: &'c C, path: u32) -> Option<(&'c C, u32)> {
        self.of_paths.get(path as usize).copied().flatten().map(|cnode| (cell, cnode))
    }

    fn simple(&self, source: Source, cell: &PathCell) -> Result<Option<u64>, &'static str> {
        let visits = &cell.visits;
        let seconds = |ticks: u64| self.seconds(ticks.into()).to_bits();
        Ok(match source {
            Source::Visits => Some(visits.visits),
            Source::Shortest => (visits.closed > 0).then(|| seconds(visits.shortest)),
            Source::Longest => (visits.closed > 0).then(|| seconds(visits.longest)),
            Source::Traffic([one, other]) => {
                let numbers = cell.traffic.numbers();
                let more = if one == other { 0 } else { numbers[other] };
                let sum = numbers[one].checked_add(more).and_then(|sum| u64::try_from(sum).ok());
                Some(sum.ok_or(TOO_LARGE)?)
            }
            _ => None,
        })
    }

    /// The inclusive time of each call path: its own, and that of all below. A visit that is open has
    /// none of its own, but what was called in it has, and what hangs below a fork is elsewhere.
    fn times(&self, paths: &[PathCell]) -> Vec<u128> {
        let mut times = vec![0; self.counted_in.len()];
        for (cell, cnode) in paths.iter().filter_map(|cell| self.with_cnode(cell, cell.path)) {
            let visits = &cell.visits;
            // Nothing is below a task where it ran: all of its time counts there.
            let is_task = self.is_task[cnode as usize];
            let own = if is_task { visits.inclusive } else { visits.exclusive };
            times[cnode as usize] += u128::from(own);
        }
        // Paths stand before those below them.
        for (cnode, above) in self.counted_in.iter().enumerate().rev() {
            if let Some(above) = above {
                times[*above as usize] += times[cnode];
            }
        }
        times
    }

    /// The inclusive difference of each call path that has any: its own, and that of all below. A visit
    /// without values has none of its own, but what was called in it may have.
    fn differences(&self, metrics: &[MetricCell], column: Column) -> BTreeMap<u32, Number> {
        let cells = metrics.iter().filter(|cell| is_of(cell, column));
        let cells = cells.filter_map(|cell| self.with_cnode(cell, cell.path));
        // Own value, and `true` if it is whole. A task has no paths below at the place where it ran, so its inclusive
        // sum is whole. Sums of floating-point numbers are exact only as they are.
        let own = |cell: &MetricCell, cnode: u32| {
            let is_float = matches!(cell.inclusive.sum, Number::Float(_));
            match self.is_task[cnode as usize] || is_float && cell.inclusive.count > 0 {
                true => (cell.inclusive.sum, true),
                false => (cell.exclusive.sum, false),
            }
        };
        let mut all: BTreeMap<u32, (Number, bool)> =
            cells.map(|(cell, cnode)| (cnode, own(cell, cnode))).collect();
        // Paths stand before those below them.
        let mut next = all.last_key_value().map(|(cnode, (number, _))| (*cnode, *number));
        while let Some((cnode, number)) = next {
            if let Some(above) = self.counted_in[cnode as usize] {
                let (sum, is_whole) = all.entry(above).or_insert((zero(number), false));
                if !*is_whole {
                    *sum = plus(*sum, number);
                }
            }
            let above = all.range(..cnode).next_back();
            next = above.map(|(cnode, (number, _))| (*cnode, *number));
        }
        all.into_iter().map(|(cnode, (number, _))| (cnode, number)).collect()
    }
}

/// Returns whether anything is outside of all call paths.
pub(super) fn has_outside(profile: &Profile, more: &[More]) -> bool {
    let traffic = profile.outside.numbers().iter().any(|number| *number > 0);
    let given = more.iter().flat_map(|metric| &metric.ticks).any(|(path, _, _)| path.is_none());
    traffic || given || !profile.metrics.outside.is_empty()
}

/// Message about a number that does not fit.
const TOO_LARGE: &str = "a number needs more than 64 bits (.csv and .json have it)";

fn is_of(cell: &MetricCell, column: Column) -> bool {
    cell.member == column.member && cell.kind == column.kind
}

fn zero(like: Number) -> Number {
    match like {
        Number::Integer(_) => Number::Integer(0),
        Number::Float(_) => Number::Float(0.0),
    }
}

fn plus(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => Number::Integer(a.saturating_add(b)),
        _ => Number::Float(a.as_f64() + b.as_f64()),
    }
}

fn bits(number: Number, kind: Kind) -> Result<u64, &'static str> {
    match (number, kind) {
        (Number::Integer(integer), Kind::Unsigned) => u64::try_from(integer).map_err(|_| TOO_LARGE),
        (Number::Integer(integer), Kind::Signed) => {
            i64::try_from(integer).map(|integer| integer as u64).map_err(|_| TOO_LARGE)
        }
        _ => Ok(number.as_f64().to_bits()),
    }
}
