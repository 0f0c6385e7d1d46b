//! Tables with a heading line and exact integers, as pandas opens them.
//!
//! docs/profile.md says what the columns are. Times are ticks; the column `ticks_per_second` says
//! how long one is.

use std::collections::BTreeMap;
use std::io::{self, Write};

use csv::Writer;
use streamfold_kernels::profile::metrics::{Aggregate, Measured, MetricKind, Metrics, Number};
use streamfold_kernels::profile::{
    GeneratorRow, Oddities, Row, SampleRow, Samples, Step, TakenBack, Traffic,
};
use streamfold_model::definitions::InterruptGenerator;
use streamfold_model::ids::{InterruptGeneratorRef, Reference, StringRef};

use super::metric_rows::{metric_rows, MetricRow, Told};
use super::sort::{self, SortKey};
use super::{metrics, names, samples, By, ProfileReport};

const TRAFFIC: [&str; 13] = {
    let mut names = [""; 13];
    let mut i = 0;
    while i < names.len() {
        names[i] = Traffic::COLUMNS[i].0;
        i += 1;
    }
    names
};
const ROW: [&str; 7] = [
    "visits",
    "closed",
    "inclusive_ticks",
    "exclusive_ticks",
    "shortest_ticks",
    "longest_ticks",
    "mean_ticks",
];
const WHOLE: [&str; 7] = [
    "visits",
    "closed",
    "inclusive_ticks",
    "inside_ticks",
    "shortest_ticks",
    "longest_ticks",
    "mean_ticks",
];
const SPREAD: [&str; 5] = [
    "locations",
    "least_exclusive_ticks",
    "mean_exclusive_ticks",
    "most_exclusive_ticks",
    "most_at_location",
];
const ODDITIES: [&str; 7] =
    ["open", "crossed", "unmatched", "dropped", "backward", "undefined_contexts", "unbegun_io"];

const TAKEN_BACK: [&str; 3] =
    ["taken_back_visits", "taken_back_inclusive_ticks", "taken_back_exclusive_ticks"];
const METRIC: [&str; 27] = [
    "member",
    "name",
    "description",
    "type",
    "mode",
    "value_type",
    "unit",
    "base",
    "exponent",
    "kind",
    "metric",
    "recorder",
    "recorder_name",
    "scope_kind",
    "scope",
    "scope_name",
    "count",
    "sum",
    "min",
    "max",
    "first",
    "last",
    "mean",
    "first_ticks",
    "last_ticks",
    "integral_ticks",
    "records",
];

/// Writes the table of one kind of rows.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &ProfileReport<'_>,
    by: By,
    key: SortKey,
    top: Option<usize>,
) -> io::Result<()> {
    let metrics = MetricFields::new(report, by);
    let mut table = Table { csv: Writer::from_writer(out), report, metrics };
    match by {
        By::Region => table.regions(key, top)?,
        By::Callpath => table.paths(key, top)?,
        By::Location => table.locations(key, top)?,
        By::Group => table.groups(key, top)?,
        By::Context => table.contexts(key, top)?,
        By::Line => table.lines(key, top)?,
        By::Generator => table.generators(key, top)?,
        By::Metric => table.metrics(key, top)?,
    }
    table.csv.flush()
}

struct Table<'a, W: Write> {
    csv: Writer<W>,
    report: &'a ProfileReport<'a>,
    metrics: MetricFields,
}

impl<W: Write> Table<'_, W> {
    fn line(&mut self, fields: Vec<String>) -> io::Result<()> {
        self.csv.write_record(fields).map_err(io::Error::other)
    }

    fn heading(&mut self, parts: &[&[&str]]) -> io::Result<()> {
        self.heading_with(parts, Vec::new())
    }

    /// With columns that only some traces have.
    fn heading_with(&mut self, parts: &[&[&str]], more: Vec<String>) -> io::Result<()> {
        let columns = parts.iter().flat_map(|part| part.iter()).map(|name| name.to_string());
        let more = self.metrics.heading().iter().cloned().chain(more);
        let fields = columns.chain(more).chain(["ticks_per_second".to_owned()]);
        self.line(fields.collect())
    }

    fn samples(&self) -> Option<&Samples> {
        self.report.profile.samples.as_deref()
    }

    fn resolution(&self) -> String {
        self.report.provenance.timer_resolution.to_string()
    }

    fn has_taken_back(&self) -> bool {
        !self.report.profile.taken_back.is_empty()
    }

    fn taken_back_columns(&self) -> &'static [&'static str] {
        match self.has_taken_back() {
            true => &TAKEN_BACK,
            false => &[],
        }
    }

    /// The fields for what windows before have too much.
    fn taken_back(&self, taken_back: Option<&TakenBack>) -> Vec<String> {
        if !self.has_taken_back() {
            return Vec::new();
        }
        let TakenBack { visits, inclusive, exclusive } = taken_back.copied().unwrap_or_default();
        vec![visits.to_string(), inclusive.to_string(), exclusive.to_string()]
    }

    fn regions(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let head = ["region", "name", "kind", "file", "line", "paradigm", "role"];
        let samples = self.report.profile.samples.as_deref();
        let more = samples.map(sample_columns).unwrap_or_default();
        self.heading_with(
            &[&head, &ROW, &["outer_ticks"], &SPREAD, &TRAFFIC, self.taken_back_columns()],
            more,
        )?;
        let (profile, definitions) = (self.report.profile, self.report.definitions);
        let rows = samples::region_rows(profile);
        let name = |i: usize| names::step(definitions, rows[i].step);
        for i in sort::regions(&rows, samples, key, top, name) {
            let row = &rows[i];
            let mut fields = vec![reference(row.step), name(i), names::kind(row.step).to_owned()];
            fields.extend(self.source(row.step));
            fields.extend(row_fields(&row.row));
            fields.push(row.outer.to_string());
            fields.extend(spread_fields(&row.row));
            fields.extend(traffic_fields(&row.row.traffic));
            let taken_back = profile.taken_back.regions.get(&row.step);
            fields.extend(self.taken_back(taken_back));
            fields.extend(self.metrics.row(profile.metrics.of_region(i)));
            if let Some(samples) = samples {
                let row = samples::of_region(Some(samples), row.step);
                fields.extend(sample_fields(samples, row.unwrap_or(&SampleRow::default())));
            }
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    fn source(&self, step: Step) -> [String; 4] {
        let definitions = self.report.definitions;
        let region = step.region().and_then(|region| definitions.regions.get(&region));
        let Some(region) = region else { return Default::default() };
        let text = |string: StringRef| {
            definitions.string(string).map(|text| text.to_string()).unwrap_or_default()
        };
        let line = region.begin_line_number;
        [
            text(region.source_file),
            if line == 0 || line == u32::MAX { String::new() } else { line.to_string() },
            names::value(region.paradigm.name(), region.paradigm),
            names::value(region.region_role.name(), region.region_role),
        ]
    }

    fn paths(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let head = ["path", "parent", "depth", "region", "name", "kind", "callpath"];
        self.heading(&[&head, &ROW, &SPREAD, &TRAFFIC, self.taken_back_columns()])?;
        let (profile, definitions) = (self.report.profile, self.report.definitions);
        let name = |i: usize| names::step(definitions, profile.paths[i].step);
        for i in sort::paths(profile, key, top, name) {
            let row = &profile.paths[i];
            let mut fields = vec![
                i.to_string(),
                row.parent.map(|parent| parent.to_string()).unwrap_or_default(),
                row.depth.to_string(),
                reference(row.step),
                name(i),
                names::kind(row.step).to_owned(),
                names::callpath(definitions, &profile.paths, i),
            ];
            fields.extend(row_fields(&row.row));
            fields.extend(spread_fields(&row.row));
            fields.extend(traffic_fields(&row.row.traffic));
            fields.extend(self.taken_back(profile.taken_back.paths.get(&(i as u32))));
            fields.extend(self.metrics.row(profile.metrics.of_path(i)));
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    fn locations(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let head = ["location", "name", "type", "group", "group_name", "events"];
        let rest = ["first_ticks", "last_ticks", "max_depth"];
        let more = self.samples().map(whole_columns).unwrap_or_default();
        self.heading_with(
            &[&head, &rest, &WHOLE, &TRAFFIC, &ODDITIES, self.taken_back_columns()],
            more,
        )?;
        let (profile, definitions) = (self.report.profile, self.report.definitions);
        let name = |i: usize| names::location(definitions, profile.locations[i].location);
        for i in sort::locations(profile, key, top, name) {
            let row = &profile.locations[i];
            let definition = definitions.locations.get(&row.location);
            let kind = definition.map(|d| d.location_type);
            let kind = kind.map(|kind| names::value(kind.name(), kind));
            let mut fields = vec![
                row.location.to_string(),
                name(i),
                kind.unwrap_or_default(),
                definition.map(|d| d.location_group.to_string()).unwrap_or_default(),
                names::group_of(definitions, row.location),
                row.events.to_string(),
                row.first.map(|time| time.to_string()).unwrap_or_default(),
                row.last.map(|time| time.to_string()).unwrap_or_default(),
                row.depth.to_string(),
            ];
            fields.extend(row_fields(&sort::location_row(row)));
            fields.extend(traffic_fields(&row.traffic));
            fields.extend(oddity_fields(&row.oddities));
            fields.extend(self.taken_back(profile.taken_back.locations.get(&row.location)));
            fields.extend(self.metrics.whole(profile.metrics.of_location(i)));
            if let Some(samples) = self.samples() {
                let row = samples::of_location(profile, i);
                let counts = row.map(|row| (&row.counts, row.estimated));
                fields.extend(whole_sample_fields(samples, counts));
            }
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    fn metrics(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        self.line(
            METRIC.iter().chain(&["ticks_per_second"]).map(|name| name.to_string()).collect(),
        )?;
        for row in metric_rows(self.report, key, top) {
            let mut fields = metric_fields(self.report, &row);
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    fn groups(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let head = ["group", "name", "locations", "events"];
        let more = self.samples().map(whole_columns).unwrap_or_default();
        self.heading_with(&[&head, &WHOLE, &TRAFFIC, &ODDITIES, self.taken_back_columns()], more)?;
        let (profile, definitions) = (self.report.profile, self.report.definitions);
        let name = |i: usize| names::group(definitions, profile.groups[i].group);
        for i in sort::groups(profile, key, top, name) {
            let row = &profile.groups[i];
            let id = (!row.group.is_undefined()).then(|| row.group.to_string());
            let mut fields = vec![
                id.unwrap_or_default(),
                name(i),
                row.locations.to_string(),
                row.events.to_string(),
            ];
            fields.extend(row_fields(&sort::group_row(row)));
            fields.extend(traffic_fields(&row.traffic));
            fields.extend(oddity_fields(&row.oddities));
            fields.extend(self.taken_back(profile.taken_back.groups.get(&row.group)));
            fields.extend(self.metrics.whole(profile.metrics.of_group(i)));
            if let Some(samples) = self.samples() {
                let row = samples::of_group(profile, i);
                let counts = row.map(|row| (&row.counts, row.estimated));
                fields.extend(whole_sample_fields(samples, counts));
            }
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    fn contexts(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let none = Samples::default();
        let samples = self.report.profile.samples.as_deref().unwrap_or(&none);
        let head = ["context", "parent", "depth", "region", "name", "callpath"];
        self.heading_with(&[&head], sample_columns(samples))?;
        let definitions = self.report.definitions;
        let rows = &samples.contexts;
        let name = |i: usize| names::region(definitions, rows[i].region);
        for i in sort::contexts(samples, key, top, name) {
            let row = &rows[i];
            let mut fields = vec![
                i.to_string(),
                row.parent.map(|parent| parent.to_string()).unwrap_or_default(),
                row.depth.to_string(),
                if row.region.is_undefined() { String::new() } else { row.region.to_string() },
                name(i),
                names::context(definitions, rows, i),
            ];
            fields.extend(sample_fields(samples, &row.row));
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    fn lines(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let none = Samples::default();
        let samples = self.report.profile.samples.as_deref().unwrap_or(&none);
        let columns = ["file", "line"];
        let times =
            ["samples", "samples_inclusive", "estimated_ticks", "estimated_inclusive_ticks"];
        self.heading_with(&[&columns, &times], generator_columns(samples, true))?;
        let definitions = self.report.definitions;
        let name = |i: usize| names::line(definitions, samples.lines[i].line);
        for i in sort::lines(samples, key, top, name) {
            let line = &samples.lines[i];
            let mut fields = match line.line {
                Some((file, line)) => vec![names::file(definitions, file), line.to_string()],
                None => vec![String::new(); 2],
            };
            let row = &line.row;
            fields.extend([row.samples, row.samples_inclusive].map(|count| count.to_string()));
            fields.extend([row.estimated, row.estimated_inclusive].map(|time| time.to_string()));
            fields.extend(split_fields(&row.by_generator));
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    fn generators(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let none = Samples::default();
        let samples = self.report.profile.samples.as_deref().unwrap_or(&none);
        let head = ["generator", "name", "mode", "base", "exponent", "period"];
        self.heading(&[&head, &["samples", "locations", "stands_for"]])?;
        let definitions = self.report.definitions;
        let name = |i: usize| names::generator(definitions, samples.generators[i].generator);
        for i in sort::generators(samples, key, top, name) {
            let row = &samples.generators[i];
            let mut fields = vec![reference_of_generator(row.generator), name(i)];
            let definition = samples::definition(definitions, row.generator);
            fields.extend(definition.map_or_else(Default::default, definition_of_generator));
            fields.push(row.samples.to_string());
            fields.push(row.locations.to_string());
            let amount = definition.and_then(|d| samples::stands_for(d, row.samples));
            fields.push(amount.map(|amount| amount.to_string()).unwrap_or_default());
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }
}

fn reference_of_generator(generator: InterruptGeneratorRef) -> String {
    if generator.is_undefined() {
        return String::new();
    }
    generator.to_string()
}

fn definition_of_generator(definition: &InterruptGenerator) -> [String; 4] {
    let mode = definition.interrupt_generator_mode;
    let base = definition.base;
    [
        names::value(mode.name(), mode),
        names::value(base.name(), base),
        definition.exponent.to_string(),
        definition.period.to_string(),
    ]
}

/// Columns that tables of sampled traces have besides.
fn sample_columns(samples: &Samples) -> Vec<String> {
    let columns = [
        "samples",
        "samples_inclusive",
        "context_enters",
        "entered",
        "estimated_ticks",
        "estimated_inclusive_ticks",
        "certain_ticks",
    ];
    columns.map(str::to_owned).into_iter().chain(generator_columns(samples, true)).collect()
}

/// Of each interrupt generator where there are several, but not too many.
fn generator_columns(samples: &Samples, inclusive: bool) -> Vec<String> {
    if !(2..=Samples::MOST_SPLIT).contains(&samples.generators.len()) {
        return Vec::new();
    }
    let columns = samples.generators.iter().flat_map(|row| {
        let reference = reference_of_generator(row.generator);
        let own = format!("samples_{reference}");
        let called = inclusive.then(|| format!("samples_inclusive_{reference}"));
        [own].into_iter().chain(called)
    });
    columns.collect()
}

fn sample_fields(samples: &Samples, row: &SampleRow) -> Vec<String> {
    let mut fields = vec![
        row.samples.to_string(),
        row.samples_inclusive.to_string(),
        row.enters.to_string(),
        row.entered.to_string(),
        row.estimated.to_string(),
        row.estimated_inclusive.to_string(),
        row.certain.to_string(),
    ];
    match row.by_generator.is_empty() {
        // Regions that were never sampled have no counts of their own.
        true => fields.extend(vec!["0".to_owned(); generator_columns(samples, true).len()]),
        false => fields.extend(split_fields(&row.by_generator)),
    }
    fields
}

fn split_fields(by_generator: &[(u64, u64)]) -> Vec<String> {
    if by_generator.len() < 2 {
        return Vec::new();
    }
    by_generator.iter().flat_map(|(own, all)| [own.to_string(), all.to_string()]).collect()
}

/// The columns of samples that locations and groups have.
fn whole_columns(samples: &Samples) -> Vec<String> {
    let columns = ["samples", "estimated_ticks"].map(str::to_owned);
    columns.into_iter().chain(generator_columns(samples, false)).collect()
}

fn whole_sample_fields(
    samples: &Samples,
    row: Option<(&BTreeMap<InterruptGeneratorRef, u64>, u128)>,
) -> Vec<String> {
    let none = BTreeMap::new();
    let (counts, estimated) = row.unwrap_or((&none, 0));
    let mut fields = vec![counts.values().sum::<u64>().to_string(), estimated.to_string()];
    if !generator_columns(samples, false).is_empty() {
        let count = |row: &GeneratorRow| counts.get(&row.generator).copied().unwrap_or(0);
        fields.extend(samples.generators.iter().map(|row| count(row).to_string()));
    }
    fields
}

/// The reference of a region; empty for any other step.
fn reference(step: Step) -> String {
    step.region().map(|region| region.to_string()).unwrap_or_default()
}

fn row_fields(row: &Row) -> [String; 7] {
    let (shortest, longest) = row.extremes().unzip();
    let if_any = |time: Option<u64>| time.map(|time| time.to_string()).unwrap_or_default();
    [
        row.visits.to_string(),
        row.closed.to_string(),
        row.inclusive.to_string(),
        row.exclusive.to_string(),
        if_any(shortest),
        if_any(longest),
        row.mean().map(|mean| mean.to_string()).unwrap_or_default(),
    ]
}

fn spread_fields(row: &Row) -> [String; 5] {
    let spread = &row.spread;
    if spread.locations == 0 {
        return ["0".to_owned(), String::new(), String::new(), String::new(), String::new()];
    }
    [
        spread.locations.to_string(),
        spread.least.to_string(),
        (row.exclusive as f64 / spread.locations as f64).to_string(),
        spread.most.to_string(),
        spread.most_at.to_string(),
    ]
}

fn traffic_fields(traffic: &Traffic) -> [String; 13] {
    traffic.numbers().map(|number| number.to_string())
}

fn oddity_fields(oddities: &Oddities) -> [String; 7] {
    [
        oddities.open.to_string(),
        oddities.crossed.to_string(),
        oddities.unmatched.to_string(),
        oddities.dropped.to_string(),
        oddities.backward.to_string(),
        oddities.undefined_contexts.to_string(),
        oddities.unbegun_io.to_string(),
    ]
}

/// The columns of metrics behind all others.
struct MetricFields {
    kinds: Vec<MetricKind>,
    heading: Vec<String>,
}

impl MetricFields {
    fn new(report: &ProfileReport<'_>, by: By) -> Self {
        let metrics: &Metrics = &report.profile.metrics;
        let labels = metrics::labels(report.definitions, metrics);
        let kinds: Vec<_> = metrics.columns.iter().map(|column| column.kind).collect();
        let columns = |(label, kind): (&String, &MetricKind)| -> Vec<String> {
            let parts: &[&str] = match (by, kind) {
                (By::Metric | By::Context | By::Line | By::Generator, _) => &[],
                (By::Region | By::Callpath, MetricKind::Difference) => &DIFFERENCE,
                (By::Region | By::Callpath, MetricKind::Values) => &VALUES,
                (By::Location | By::Group, MetricKind::Difference) => &WHOLE_DIFFERENCE,
                (By::Location | By::Group, MetricKind::Values) => &WHOLE_VALUES,
            };
            parts.iter().map(|part| format!("{label}_{part}")).collect()
        };
        let heading = labels.iter().zip(&kinds).flat_map(columns).collect();
        MetricFields { kinds, heading }
    }

    fn heading(&self) -> &[String] {
        &self.heading
    }

    fn fields<T>(
        &self,
        row: &[(u32, T)],
        of: impl Fn(MetricKind, Option<&T>) -> Vec<String>,
    ) -> Vec<String> {
        let mut rest = row.iter().peekable();
        let column = |(i, kind): (usize, &MetricKind)| {
            let value = rest.next_if(|(column, _)| *column as usize == i);
            of(*kind, value.map(|(_, value)| value))
        };
        self.kinds.iter().enumerate().flat_map(column).collect()
    }

    /// Of a region or call path.
    fn row(&self, row: &[(u32, Measured)]) -> Vec<String> {
        self.fields(row, |kind, measured| {
            let (inclusive, exclusive) =
                (measured.map(|m| &m.inclusive), measured.map(|m| &m.exclusive));
            let mut fields = vec![sum(inclusive), sum(exclusive)];
            fields.extend(range(inclusive));
            if kind == MetricKind::Values {
                fields.extend(range(exclusive));
            }
            fields
        })
    }

    /// Of a location or group.
    fn whole(&self, row: &[(u32, Aggregate)]) -> Vec<String> {
        self.fields(row, |kind, aggregate| {
            let mut fields = vec![sum(aggregate)];
            match kind {
                MetricKind::Difference => fields.push(range(aggregate)[0].clone()),
                MetricKind::Values => fields.extend(range(aggregate)),
            }
            fields
        })
    }
}

const DIFFERENCE: [&str; 5] = ["incl", "excl", "count", "min", "max"];
const VALUES: [&str; 8] =
    ["incl", "excl", "incl_count", "incl_min", "incl_max", "excl_count", "excl_min", "excl_max"];
const WHOLE_DIFFERENCE: [&str; 2] = ["inside", "count"];
const WHOLE_VALUES: [&str; 4] = ["sum", "count", "min", "max"];

fn sum(aggregate: Option<&Aggregate>) -> String {
    let some = aggregate.filter(|aggregate| aggregate.count > 0);
    some.map(|aggregate| metrics::text(aggregate.sum.number())).unwrap_or_default()
}

/// How many there are, the smallest and the largest.
fn range(aggregate: Option<&Aggregate>) -> [String; 3] {
    let Some(aggregate) = aggregate else { return Default::default() };
    let text = |number: Option<Number>| number.map(metrics::text).unwrap_or_default();
    let range = aggregate.range;
    [aggregate.count.to_string(), text(range.map(|r| r.0)), text(range.map(|r| r.1))]
}

fn metric_fields(report: &ProfileReport<'_>, row: &MetricRow<'_>) -> Vec<String> {
    let of = &row.described;
    let mut fields = vec![row.member.to_string()];
    fields.extend(
        [&of.name, &of.description, &of.kind, &of.mode, &of.value_type, &of.unit].map(Clone::clone),
    );
    fields.push(of.base.map(|base| base.to_string()).unwrap_or_default());
    fields.push(of.exponent.map(|exponent| exponent.to_string()).unwrap_or_default());
    let none = String::new;
    match row.told {
        Told::Total(kind, total) => {
            fields.push(metrics::kind(kind).to_owned());
            fields.extend((0..6).map(|_| none()));
            let [count, least, most] = range(Some(total));
            fields.extend([count, sum(Some(total)), least, most]);
            fields.extend((0..6).map(|_| none()));
        }
        Told::Series(series) => {
            let key = series.key;
            fields.push("series".to_owned());
            fields.extend([
                key.metric.to_string(),
                key.recorder.to_string(),
                names::location(report.definitions, key.recorder),
                metrics::scope_kind(series.scope),
                series.scope.reference.to_string(),
                metrics::scope_name(report.definitions, series.scope),
                series.count.to_string(),
                none(),
            ]);
            let numbers = [series.least, series.most, series.first, series.last];
            fields.extend(numbers.map(metrics::text));
            fields.push(metrics::mean(series).map(metrics::text).unwrap_or_default());
            fields.extend([series.first_time.to_string(), series.last_time.to_string()]);
            fields.push(metrics::text(Number::Float(series.integral.number())));
        }
    }
    fields.push(row.records.to_string());
    fields
}
