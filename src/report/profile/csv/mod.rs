//! Tables with a heading line and exact integers, as pandas opens them.
//!
//! docs/use/profile.md says what the columns are. Times are ticks; the column `ticks_per_second` says
//! how long one is.

mod fields;
mod metrics;
mod samples;

use std::io::{self, Write};

use csv::Writer;
use streamfold_kernels::profile::{SampleRow, Samples, Step, TakenBack};
use streamfold_model::ids::{Reference, StringRef};

use super::metric_rows::metric_rows;
use super::samples::{of_group, of_location, of_region, region_rows};
use super::sort::{self, SortKey};
use super::{By, ProfileReport};
use fields::{
    oddity_fields, reference, row_fields, spread_fields, traffic_fields, ODDITIES, ROW, SPREAD,
    TRAFFIC, WHOLE,
};
use metrics::{metric_fields, MetricFields, METRIC};
use samples::{sample_columns, sample_fields, whole_columns, whole_sample_fields};
use streamfold_analyses::steps;
use streamfold_text::names;

const TAKEN_BACK: [&str; 3] =
    ["taken_back_visits", "taken_back_inclusive_ticks", "taken_back_exclusive_ticks"];

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
        // Iterations and kernels have reports of their own.
        By::Region | By::Process | By::Thread | By::Node | By::Iteration | By::Kernel => {
            table.regions(key, top)?;
        }
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
        let outer_back: &[&str] =
            if self.has_taken_back() { &["taken_back_outer_ticks"] } else { &[] };
        let columns =
            [&head[..], &ROW, &["outer_ticks"], &SPREAD, &TRAFFIC, self.taken_back_columns()];
        self.heading_with(&[&columns[..], &[outer_back]].concat(), more)?;
        let (profile, definitions) = (self.report.profile, self.report.definitions);
        let rows = region_rows(profile);
        let name = |i: usize| steps::step(definitions, rows[i].step);
        for i in sort::regions(&rows, samples, key, top, name) {
            let row = &rows[i];
            let mut fields = vec![reference(row.step), name(i), steps::kind(row.step).to_owned()];
            fields.extend(self.source(row.step));
            fields.extend(row_fields(&row.row));
            fields.push(row.outer.to_string());
            fields.extend(spread_fields(&row.row));
            fields.extend(traffic_fields(&row.row.traffic));
            let taken_back = profile.taken_back.regions.get(&row.step);
            fields.extend(self.taken_back(taken_back));
            if self.has_taken_back() {
                let outer = profile.taken_back.outer.get(&row.step);
                fields.push(outer.copied().unwrap_or_default().to_string());
            }
            fields.extend(self.metrics.row(
                self.report,
                (row.row.exclusive, row.outer),
                profile.metrics.of_region(i),
            ));
            if let Some(samples) = samples {
                let row = of_region(Some(samples), row.step);
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
        let name = |i: usize| steps::step(definitions, profile.paths[i].step);
        for i in sort::paths(profile, key, top, name) {
            let row = &profile.paths[i];
            let mut fields = vec![
                i.to_string(),
                row.parent.map(|parent| parent.to_string()).unwrap_or_default(),
                row.depth.to_string(),
                reference(row.step),
                name(i),
                steps::kind(row.step).to_owned(),
                steps::callpath(definitions, &profile.paths, i),
            ];
            fields.extend(row_fields(&row.row));
            fields.extend(spread_fields(&row.row));
            fields.extend(traffic_fields(&row.row.traffic));
            fields.extend(self.taken_back(profile.taken_back.paths.get(&(i as u32))));
            fields.extend(self.metrics.row(
                self.report,
                (row.row.exclusive, row.row.inclusive),
                profile.metrics.of_path(i),
            ));
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
            fields.extend(self.metrics.whole(
                self.report,
                row.inside,
                profile.metrics.of_location(i),
            ));
            if let Some(samples) = self.samples() {
                let row = of_location(profile, i);
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
            fields.extend(self.metrics.whole(self.report, row.inside, profile.metrics.of_group(i)));
            if let Some(samples) = self.samples() {
                let row = of_group(profile, i);
                let counts = row.map(|row| (&row.counts, row.estimated));
                fields.extend(whole_sample_fields(samples, counts));
            }
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }
}
