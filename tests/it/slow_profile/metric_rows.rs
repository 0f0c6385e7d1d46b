//! All numbers of metrics by name, so that two results can be compared.

use std::collections::BTreeMap;

use streamfold::kernels::profile::metrics::{
    Aggregate, Column, Measured, MetricKind, MetricOddities, Number,
};
use streamfold::kernels::profile::{Profile, Step};
use streamfold::model::enums::{MetricMode, Type};
use streamfold::model::ids::{LocationGroupRef, LocationRef, MetricMemberRef};
use streamfold::model::store::Definitions;

use super::location::SlowLocation;
use super::metrics::{Several, SlowSeries, PLACES};
use super::sums::{counts_for, group_of, row_of};
use super::CallPath;

/// Each number, as text, by what it says.
pub type Numbers = BTreeMap<String, String>;

/// Those of a result. `wanted`: the metrics to be compared.
pub fn numbers_of(profile: &Profile, wanted: impl Fn(MetricMemberRef) -> bool) -> Numbers {
    let metrics = &profile.metrics;
    let mut numbers = Numbers::new();
    let column = |index: u32| Some(metrics.columns[index as usize]).filter(|c| wanted(c.member));
    for row in metrics.members.iter().filter(|row| wanted(row.member)) {
        numbers.insert(format!("records of {}", row.member), shown(&row.records));
    }
    let mut paths: Vec<CallPath> = Vec::new();
    for row in &profile.paths {
        let mut path = row.parent.map_or(vec![], |parent| paths[parent as usize].clone());
        path.push(row.step);
        paths.push(path);
    }
    let mut measured = |what: String, row: &[(u32, Measured)]| {
        for (index, measured) in row {
            if let Some(column) = column(*index) {
                let (inclusive, exclusive) = (&measured.inclusive, &measured.exclusive);
                let text = format!("{} / {}", shown(inclusive), shown(exclusive));
                numbers.insert(format!("{what}, {column:?}"), text);
            }
        }
    };
    for (i, row) in metrics.paths.iter().enumerate() {
        measured(format!("path {:?}", paths[i]), row);
    }
    for (i, row) in metrics.regions.iter().enumerate() {
        measured(format!("region {:?}", profile.regions[i].step), row);
    }
    let mut totals = |what: String, row: &[(u32, Aggregate)]| {
        for (index, aggregate) in row {
            if let Some(column) = column(*index) {
                numbers.insert(format!("{what}, {column:?}"), shown(aggregate));
            }
        }
    };
    for (i, row) in metrics.locations.iter().enumerate() {
        totals(format!("location {}", profile.locations[i].location), row);
    }
    for (i, row) in metrics.groups.iter().enumerate() {
        totals(format!("group {}", profile.groups[i].group), row);
    }
    totals("total".to_owned(), &metrics.total);
    totals("outside".to_owned(), &metrics.outside);
    for series in metrics.series.iter().filter(|series| wanted(series.key.member)) {
        let key = series.key;
        let name =
            format!("series {} {} {} at {}", key.member, key.metric, key.position, key.recorder);
        let numbers_of_series = [series.first, series.last, series.least, series.most];
        let text = format!(
            "{:?} {} from {} to {}: {:?}",
            (series.scope.kind, series.scope.reference),
            series.count,
            series.first_time,
            series.last_time,
            numbers_of_series.map(number),
        );
        numbers.insert(format!("integral of {name}"), format!("{:?}", series.integral.number()));
        numbers.insert(name, text);
    }
    let oddities = MetricOddities::NAMES.into_iter().zip(metrics.oddities.numbers());
    numbers.extend(oddities.map(|(name, count)| (name.to_owned(), count.to_string())));
    numbers
}

fn number(number: Number) -> String {
    match number {
        Number::Integer(integer) => integer.to_string(),
        Number::Float(float) => format!("{float:?}"),
    }
}

fn shown(of: &Aggregate) -> String {
    let range = of.range.map(|range| (number(range.0), number(range.1)));
    format!("{} {} {range:?}", of.count, number(of.sum.number()))
}

/// Numbers of the slow profile as text.
struct Units<'a>(&'a Definitions);

impl Units<'_> {
    fn is_float(&self, member: u32) -> bool {
        self.0.metric_members[&MetricMemberRef(member)].value_type == Type::Double
    }

    fn number(&self, member: u32, integer: i128) -> String {
        match self.is_float(member) {
            // The conversion rounds to the nearest, what follows does not round.
            true => format!("{:?}", integer as f64 / 2f64.powi(PLACES)),
            false => integer.to_string(),
        }
    }

    fn shown(&self, member: u32, of: &Several) -> String {
        let range = of.range.map(|(a, b)| (self.number(member, a), self.number(member, b)));
        format!("{} {} {range:?}", of.count, self.number(member, of.sum))
    }

    /// The times are those of the records, but never go back. No integral: it is too large.
    fn series(&self, member: u32, series: &SlowSeries) -> (String, Option<String>) {
        let mode = series.mode.name().expect("a name");
        let mut sum = 0;
        let mut now = 0;
        let mut points = Vec::new();
        for (time, value) in &series.points {
            sum = if mode.starts_with("RELATIVE") { sum + value } else { *value };
            now = now.max(*time);
            points.push((now, sum));
        }
        let halves = points.windows(2).try_fold(0i128, |halves, pair| {
            let ticks = i128::from(pair[1].0 - pair[0].0);
            let values = if mode.ends_with("LAST") {
                2 * pair[1].1
            } else if mode.ends_with("NEXT") || series.mode == MetricMode::RelativePoint {
                2 * pair[0].1
            } else {
                pair[0].1 + pair[1].1
            };
            halves.checked_add(values.checked_mul(ticks)?)
        });
        let places = if self.is_float(member) { PLACES } else { 0 };
        let values = || points.iter().map(|(_, value)| *value);
        let numbers = [
            values().next().expect("a point"),
            values().next_back().expect("a point"),
            values().min().expect("a point"),
            values().max().expect("a point"),
        ];
        let text = format!(
            "{:?} {} from {} to {}: {:?}",
            series.scope,
            points.len(),
            points[0].0,
            points[points.len() - 1].0,
            numbers.map(|integer| self.number(member, integer)),
        );
        let integral = |halves: i128| format!("{:?}", halves as f64 / 2f64.powi(places + 1));
        (text, halves.map(integral))
    }
}

type Cells = BTreeMap<(CallPath, u32, MetricKind), (Several, Several)>;

/// Those of the slow profile.
pub fn slow_numbers(
    locations: &[SlowLocation],
    definitions: &Definitions,
    wanted: impl Fn(MetricMemberRef) -> bool,
) -> Numbers {
    let units = Units(definitions);
    let wanted = |member: u32| wanted(MetricMemberRef(member));
    let mut numbers = Numbers::new();
    let mut records: BTreeMap<u32, Several> = BTreeMap::new();
    let mut cells = Cells::new();
    let mut oddities = [0; 7];
    for location in locations {
        for (member, several) in &location.metrics.records {
            records.entry(*member).or_default().join(several);
        }
        for (key, (inclusive, exclusive)) in &location.metrics.paths {
            let cell = cells.entry(key.clone()).or_default();
            cell.0.join(inclusive);
            cell.1.join(exclusive);
        }
        for ((member, metric, position), series) in &location.metrics.series {
            if wanted(*member) {
                let recorder = location.row.location;
                let name = format!("series {member} {metric} {position} at {recorder}");
                let (text, integral) = units.series(*member, series);
                if let Some(integral) = integral {
                    numbers.insert(format!("integral of {name}"), integral);
                }
                numbers.insert(name, text);
            }
        }
        oddities.iter_mut().zip(location.metrics.oddities).for_each(|(sum, count)| *sum += count);
    }
    cells.retain(|(_, member, _), _| wanted(*member));
    for (member, several) in records.iter().filter(|(member, _)| wanted(**member)) {
        numbers.insert(format!("records of {member}"), units.shown(*member, several));
    }
    for ((path, member, kind), (inclusive, exclusive)) in with_ways(&cells) {
        let text =
            format!("{} / {}", units.shown(member, &inclusive), units.shown(member, &exclusive));
        numbers.insert(format!("path {path:?}, {}", column(member, kind)), text);
    }
    for ((step, member, kind), (inclusive, exclusive)) in by_region(&cells) {
        let text =
            format!("{} / {}", units.shown(member, &inclusive), units.shown(member, &exclusive));
        numbers.insert(format!("region {step:?}, {}", column(member, kind)), text);
    }
    for (name, several) in totals(locations, definitions) {
        let (name, member, kind) = name;
        if wanted(member) {
            let name = format!("{name}, {}", column(member, kind));
            numbers.insert(name, units.shown(member, &several));
        }
    }
    let oddities = MetricOddities::NAMES.into_iter().zip(oddities);
    numbers.extend(oddities.map(|(name, count)| (name.to_owned(), count.to_string())));
    numbers
}

fn column(member: u32, kind: MetricKind) -> String {
    format!("{:?}", Column { member: MetricMemberRef(member), kind })
}

/// With the inclusive part of recorded values: that of all paths below.
fn with_ways(cells: &Cells) -> Cells {
    let mut all = Cells::new();
    for ((path, member, kind), (inclusive, exclusive)) in cells {
        if path.is_empty() {
            continue;
        }
        let own = all.entry((path.clone(), *member, *kind)).or_default();
        own.1.join(exclusive);
        match kind {
            MetricKind::Difference => own.0.join(inclusive),
            MetricKind::Values | MetricKind::Growth => {
                for length in 1..=path.len() {
                    let way = (path[..length].to_vec(), *member, *kind);
                    all.entry(way).or_default().0.join(exclusive);
                }
            }
        }
    }
    all
}

fn by_region(cells: &Cells) -> BTreeMap<(Step, u32, MetricKind), (Several, Several)> {
    let mut all: BTreeMap<(Step, u32, MetricKind), (Several, Several)> = BTreeMap::new();
    for ((path, member, kind), (inclusive, exclusive)) in cells {
        if let Some(step) = counts_for(path) {
            let cell = all.entry((step, *member, *kind)).or_default();
            cell.1.join(exclusive);
            let outermost = path.iter().filter(|above| row_of(**above) == Some(step)).count() == 1;
            if *kind == MetricKind::Difference {
                let sum = if outermost { inclusive.sum } else { 0 };
                cell.0.join(&Several { sum, ..inclusive.clone() });
            }
        }
        if *kind != MetricKind::Difference {
            let mut regions: Vec<Step> = path.clone();
            regions.retain(|step| matches!(step, Step::Region(_)));
            regions.sort();
            regions.dedup();
            for step in regions {
                all.entry((step, *member, *kind)).or_default().0.join(exclusive);
            }
        }
    }
    all
}

/// By location and group, in total, and outside of regions.
fn totals(
    locations: &[SlowLocation],
    definitions: &Definitions,
) -> BTreeMap<(String, u32, MetricKind), Several> {
    let mut all: BTreeMap<(String, u32, MetricKind), Several> = BTreeMap::new();
    for location in locations {
        let reference: LocationRef = location.row.location;
        let group: LocationGroupRef = group_of(reference, definitions);
        for ((path, member, kind), (_, exclusive)) in &location.metrics.paths {
            let mut names =
                vec![format!("location {reference}"), format!("group {group}"), "total".to_owned()];
            if path.is_empty() {
                names.push("outside".to_owned());
            }
            for name in names {
                all.entry((name, *member, *kind)).or_default().join(exclusive);
            }
        }
    }
    all
}
