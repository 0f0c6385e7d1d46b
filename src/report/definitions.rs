//! Tables of what a trace defines: locations, regions, and properties of the trace itself.

use streamfold_analyses::info::TraceInfo;
use streamfold_text::names;

use super::provenance::Provenance;
use super::tables::{columns, Cell, Schema, Table, TableReport};

/// The columns of locations.
const LOCATIONS: [(&str, &str); 6] = [
    ("location", "location"),
    ("name", "name"),
    ("type", "type"),
    ("group", ""),
    ("group_name", "group"),
    ("events", "events"),
];

/// The columns of regions.
const REGIONS: [(&str, &str); 8] = [
    ("region", "region"),
    ("name", "name"),
    ("canonical_name", ""),
    ("file", "file"),
    ("begin_line", "line"),
    ("end_line", ""),
    ("role", "role"),
    ("paradigm", "paradigm"),
];

/// The columns of properties.
const PROPERTIES: [(&str, &str); 2] = [("name", "name"), ("value", "value")];

/// The layout of these tables.
pub const SCHEMA: Schema = Schema { command: "definitions", version: "1.0" };

/// The tables `locations`, `regions` and `properties` of a trace.
pub fn tables<'a>(info: &'a TraceInfo, provenance: &'a Provenance) -> TableReport<'a> {
    let definitions = &info.defined;
    let text = |string| match definitions.string(string) {
        Some(text) => Cell::Text(text.to_string()),
        None => Cell::Empty,
    };
    let locations = definitions.locations.values().map(|of| {
        vec![
            Cell::number(of.id),
            names::location(definitions, of.id).into(),
            names::value(of.location_type.name(), of.location_type).into(),
            Cell::id(of.location_group),
            names::group_of(definitions, of.id).into(),
            of.number_of_events.into(),
        ]
    });
    let regions = definitions.regions.values().map(|of| {
        vec![
            Cell::number(of.id),
            names::region(definitions, of.id).into(),
            text(of.canonical_name),
            text(of.source_file),
            of.begin_line_number.into(),
            of.end_line_number.into(),
            names::value(of.region_role.name(), of.region_role).into(),
            names::value(of.paradigm.name(), of.paradigm).into(),
        ]
    });
    let properties =
        properties(info).into_iter().map(|(name, value)| vec![name.into(), value.into()]);
    TableReport {
        schema: SCHEMA,
        provenance,
        definitions,
        more: Vec::new(),
        tables: vec![
            Table::of_rows("locations", "Locations", columns(&LOCATIONS), locations.collect()),
            Table::of_rows("regions", "Regions", columns(&REGIONS), regions.collect()),
            Table::of_rows("properties", "Properties", columns(&PROPERTIES), properties.collect()),
        ],
    }
}

/// Facts of the trace by names, then the properties that its writer gave to it.
fn properties(info: &TraceInfo) -> Vec<(String, String)> {
    let mut properties = vec![("format".to_owned(), info.format.name().to_owned())];
    let mut add = |name: &str, value: String| properties.push((name.to_owned(), value));
    if let Some(clock) = &info.clock {
        add("ticks_per_second", clock.timer_resolution.to_string());
        add("begin_ticks", clock.global_offset.to_string());
        add("length_ticks", clock.trace_length.to_string());
    }
    info.facts.iter().for_each(|(name, value)| add(name, value.clone()));
    if let Some(anchor) = &info.anchor {
        add("creator", anchor.creator.to_string());
        add("description", anchor.description.to_string());
        add("machine_name", anchor.machine_name.to_string());
        add("trace_identifier", format!("{:016x}", anchor.trace_identifier));
        anchor
            .properties
            .iter()
            .for_each(|(name, value)| add(&name.to_string(), value.to_string()));
    }
    properties
}
