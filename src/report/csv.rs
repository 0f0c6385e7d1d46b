//! Tables with a heading line and exact integers, as pandas opens them.
//!
//! docs/profile.md says what the columns are. Times are ticks; the column `ticks_per_second` says
//! how long one is.

use std::io::{self, Write};

use csv::Writer;
use streamfold_kernels::profile::{GroupRow, LocationRow, Oddities, Row, Step, Traffic};
use streamfold_model::ids::{Reference, StringRef};

use super::sort::{self, SortKey};
use super::{names, By, ProfileReport};

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
    let mut table = Table { csv: Writer::from_writer(out), report };
    match by {
        By::Region => table.regions(key, top)?,
        By::Callpath => table.paths(key, top)?,
        By::Location => table.locations(key, top)?,
        By::Group => table.groups(key, top)?,
    }
    table.csv.flush()
}

struct Table<'a, W: Write> {
    csv: Writer<W>,
    report: &'a ProfileReport<'a>,
}

impl<W: Write> Table<'_, W> {
    fn line(&mut self, fields: Vec<String>) -> io::Result<()> {
        self.csv.write_record(fields).map_err(io::Error::other)
    }

    fn heading(&mut self, parts: &[&[&str]]) -> io::Result<()> {
        let columns = parts.iter().flat_map(|part| part.iter());
        let fields = columns.chain(&["ticks_per_second"]).map(|name| name.to_string());
        self.line(fields.collect())
    }

    fn resolution(&self) -> String {
        self.report.provenance.timer_resolution.to_string()
    }

    fn regions(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let head = ["region", "name", "kind", "file", "line", "paradigm", "role"];
        self.heading(&[&head, &ROW, &["outer_ticks"], &SPREAD, &TRAFFIC])?;
        let (profile, definitions) = (self.report.profile, self.report.definitions);
        let name = |i: usize| names::step(definitions, profile.regions[i].step);
        for i in sort::regions(profile, key, top, name) {
            let row = &profile.regions[i];
            let mut fields = vec![reference(row.step), name(i), names::kind(row.step).to_owned()];
            fields.extend(self.source(row.step));
            fields.extend(row_fields(&row.row));
            fields.push(row.outer.to_string());
            fields.extend(spread_fields(&row.row));
            fields.extend(traffic_fields(&row.row.traffic));
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
            region.paradigm.name().map_or(u8::from(region.paradigm).to_string(), str::to_owned),
            region
                .region_role
                .name()
                .map_or(u8::from(region.region_role).to_string(), str::to_owned),
        ]
    }

    fn paths(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let head = ["path", "parent", "depth", "region", "name", "kind", "callpath"];
        self.heading(&[&head, &ROW, &SPREAD, &TRAFFIC])?;
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
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    fn locations(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let head = ["location", "name", "type", "group", "group_name", "events"];
        let rest = ["first_ticks", "last_ticks", "max_depth"];
        self.heading(&[&head, &rest, &WHOLE, &TRAFFIC, &ODDITIES])?;
        let (profile, definitions) = (self.report.profile, self.report.definitions);
        let name = |i: usize| names::location(definitions, profile.locations[i].location);
        for i in sort::whole(&profile.locations, key, top, location_row, name) {
            let row = &profile.locations[i];
            let definition = definitions.locations.get(&row.location);
            let kind = definition.map(|d| d.location_type);
            let mut fields = vec![
                row.location.to_string(),
                name(i),
                kind.and_then(|kind| kind.name()).unwrap_or_default().to_owned(),
                definition.map(|d| d.location_group.to_string()).unwrap_or_default(),
                names::group_of(definitions, row.location),
                row.events.to_string(),
                row.first.map(|time| time.to_string()).unwrap_or_default(),
                row.last.map(|time| time.to_string()).unwrap_or_default(),
                row.depth.to_string(),
            ];
            fields.extend(row_fields(&location_row(row)));
            fields.extend(traffic_fields(&row.traffic));
            fields.extend(oddity_fields(&row.oddities));
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    fn groups(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let head = ["group", "name", "locations", "events"];
        self.heading(&[&head, &WHOLE, &TRAFFIC, &ODDITIES])?;
        let (profile, definitions) = (self.report.profile, self.report.definitions);
        let name = |i: usize| names::group(definitions, profile.groups[i].group);
        for i in sort::whole(&profile.groups, key, top, group_row, name) {
            let row = &profile.groups[i];
            let id = (!row.group.is_undefined()).then(|| row.group.to_string());
            let mut fields = vec![
                id.unwrap_or_default(),
                name(i),
                row.locations.to_string(),
                row.events.to_string(),
            ];
            fields.extend(row_fields(&group_row(row)));
            fields.extend(traffic_fields(&row.traffic));
            fields.extend(oddity_fields(&row.oddities));
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }
}

/// The reference of a region; empty for any other step.
fn reference(step: Step) -> String {
    step.region().map(|region| region.to_string()).unwrap_or_default()
}

/// A location as a row, for sorting.
pub(super) fn location_row(row: &LocationRow) -> Row {
    Row {
        visits: row.visits,
        closed: row.closed,
        inclusive: row.inclusive,
        exclusive: row.inside,
        shortest: row.shortest,
        longest: row.longest,
        traffic: row.traffic,
        ..Row::EMPTY
    }
}

/// A group as a row, for sorting.
pub(super) fn group_row(row: &GroupRow) -> Row {
    Row {
        visits: row.visits,
        closed: row.closed,
        inclusive: row.inclusive,
        exclusive: row.inside,
        shortest: row.shortest,
        longest: row.longest,
        traffic: row.traffic,
        ..Row::EMPTY
    }
}

fn row_fields(row: &Row) -> [String; 7] {
    let if_closed = |text: String| if row.closed > 0 { text } else { String::new() };
    [
        row.visits.to_string(),
        row.closed.to_string(),
        row.inclusive.to_string(),
        row.exclusive.to_string(),
        if_closed(row.shortest.to_string()),
        if_closed(row.longest.to_string()),
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
