//! The facts about a trace as one JSON document. docs/use/info.md describes it.

use std::io::{self, Write};

use bstr::BString;
use serde_json::{json, Map, Value};

use super::otf;
use streamfold_analyses::info::{FileCount, Locations, Memory, OfType, Origin, TraceInfo};
use streamfold_text::names;

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "1.4";

/// Writes the facts.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, input: &str, info: &TraceInfo) -> io::Result<()> {
    let mut document = json!({
        "schema": "streamfold-info",
        "schema_version": SCHEMA_VERSION,
        "program": concat!("streamfold ", env!("CARGO_PKG_VERSION")),
        "input": input,
        "origin": origin(&info.origin),
        "anchor": anchor(info),
        "clock": clock(info),
        "locations": locations(&info.locations),
        "definitions": {
            "count": info.number_of_definitions(),
            "unknown": info.unknown_definitions,
            "redefined": info.redefined,
            "by_kind": info.definitions,
        },
        "files": files(info),
        "profile_memory": memory(&info.memory),
    });
    if let (None, Some(members)) = (&info.anchor, document.as_object_mut()) {
        let facts = info.facts.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
        members.insert("format".into(), info.format.name().into());
        members.insert("facts".into(), facts.collect::<Map<_, _>>().into());
        members.insert("loss_count".into(), info.losses.count.into());
        let losses = info.losses.first.iter().map(|loss| json!(loss.message));
        members.insert("losses".into(), losses.collect());
        members.insert("note_count".into(), info.notes.0.into());
        members.insert("notes".into(), json!(info.notes.1));
        if let Some(otf) = &info.otf {
            members.insert("otf".into(), otf::json(otf));
        }
    }
    crate::json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn origin(origin: &Origin) -> Value {
    let program = origin.program.as_ref();
    json!({
        "program": program.map(|(name, _)| name),
        "arguments": program.map(|(_, arguments)| arguments),
        "nodes": origin.nodes,
    })
}

fn anchor(info: &TraceInfo) -> Value {
    let Some(anchor) = &info.anchor else { return Value::Null };
    let pairs = anchor.properties.iter();
    let properties = pairs.map(|(name, value)| json!([name.to_string(), value.to_string()]));
    json!({
        "anchor_format": anchor.anchor_format,
        "trace_format": anchor.trace_format,
        "version": anchor.version,
        "creator": anchor.creator.to_string(),
        "description": anchor.description.to_string(),
        "machine_name": anchor.machine_name.to_string(),
        "substrate": names::json_value(anchor.substrate.name(), anchor.substrate),
        "compression": names::json_value(anchor.compression.name(), anchor.compression),
        "event_chunk_size": anchor.event_chunk_size,
        "definition_chunk_size": anchor.definition_chunk_size,
        "trace_identifier": format!("{:016x}", anchor.trace_identifier),
        "locations": anchor.number_of_locations,
        "global_definitions": anchor.number_of_global_definitions,
        "snapshots": anchor.number_of_snapshots,
        "thumbnails": anchor.number_of_thumbnails,
        "properties": properties.collect::<Vec<_>>(),
    })
}

fn clock(info: &TraceInfo) -> Value {
    info.clock.as_ref().map_or(Value::Null, |clock| {
        let known = clock.realtime_timestamp != u64::MAX;
        json!({
            "ticks_per_second": clock.timer_resolution,
            "global_offset": clock.global_offset,
            "trace_length": clock.trace_length,
            "realtime_timestamp": known.then_some(clock.realtime_timestamp),
        })
    })
}

fn locations(locations: &Locations) -> Value {
    let by_type = locations
        .by_type
        .iter()
        .map(|(kind, of_type)| (names::value(kind.name(), *kind), counted(of_type)));
    let groups = locations
        .groups
        .iter()
        .map(|(kind, count)| (names::value(kind.name(), *kind), json!(count)));
    let text = |name: &Option<BString>| name.as_ref().map(ToString::to_string);
    let longest = locations.longest.iter().map(|l| {
        let (name, group) = (text(&l.name), text(&l.group));
        json!({ "location": l.location, "name": name, "group_name": group, "events": l.events })
    });
    let mut value = counted(&locations.all);
    if let Value::Object(members) = &mut value {
        members.insert("by_type".into(), by_type.collect::<Map<_, _>>().into());
        members.insert("longest".into(), longest.collect());
        members.insert("groups_by_type".into(), groups.collect::<Map<_, _>>().into());
        let least = locations.in_a_group.map(|(least, _)| least);
        let most = locations.in_a_group.map(|(_, most)| most);
        members.insert("least_in_a_group".into(), json!(least));
        members.insert("most_in_a_group".into(), json!(most));
        members.insert("without_group".into(), json!(locations.without_group));
    }
    value
}

fn counted(of_type: &OfType) -> Value {
    json!({
        "count": of_type.locations,
        "events": of_type.events,
        "fewest_events": of_type.fewest,
        "most_events": of_type.most,
    })
}

fn files(info: &TraceInfo) -> Value {
    let count = |count: FileCount| {
        json!({
            "files": count.files,
            "missing": count.missing,
            "unseen": count.unseen,
            "empty": count.empty,
            "bytes": count.bytes,
            "largest": count.largest,
        })
    };
    let kinds = info.files.by_kind().iter().map(|(kind, files)| ((*kind).into(), count(*files)));
    kinds.chain([("total".into(), count(info.files.total()))]).collect::<Map<_, _>>().into()
}

fn memory(memory: &Memory) -> Value {
    json!({
        "threads": memory.threads,
        "program": memory.program,
        "reading": memory.reading,
        "definitions": memory.definitions,
        "locations": memory.locations,
        "total": memory.total(),
        "each_call_path_besides": Memory::CALL_PATH,
        "mpi_besides": Memory::MPI,
    })
}
