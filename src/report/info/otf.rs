//! Streams, records by kind and counters of traces of OTF, version 1, as `otfinfo` shows them.

use std::io;

use serde_json::{json, Map, Value};

use super::Page;
use streamfold_analyses::info::{CounterInfo, Level, OtfInfo};
use streamfold_formats::otf::{Section, StreamCounts};
use streamfold_text::human::{bytes, count, short, visible};

const SECTIONS: [(Section, &str); 5] = [
    (Section::Definitions, "definitions"),
    (Section::Events, "events"),
    (Section::Statistics, "statistics"),
    (Section::Snapshots, "snapshots"),
    (Section::Markers, "markers"),
];

/// Writes streams, records by kind, and counters.
pub(super) fn write(page: &mut Page<'_>, otf: &OtfInfo) -> io::Result<()> {
    let is_read = otf.level >= Level::Records;
    if is_read {
        if let Some((first, last)) = otf.span {
            page.fact("events from, to", &format!("tick {first} to {last}"))?;
        }
        if otf.backward > 0 {
            page.fact("times that go back", &count(otf.backward))?;
        }
    }
    streams(page, otf, is_read)?;
    for (section, name) in SECTIONS {
        if !is_read && section != Section::Definitions {
            continue;
        }
        let title = match section {
            Section::Definitions => "Definitions".to_owned(),
            _ => format!("Records of {name}"),
        };
        page.heading(&title)?;
        let mut total = 0;
        for (record, number) in otf.of_section(section) {
            total += number;
            writeln!(page.out, "  {:<28} {:>12}", record.kind().name, count(number))?;
        }
        writeln!(page.out, "  {:<28} {:>12}", "total", count(total))?;
    }
    if is_read && otf.keyvalues > 0 {
        page.heading("Key-values")?;
        page.fact("lines", &count(otf.keyvalues))?;
    }
    counters(page, otf)
}

/// The most streams that a page shows.
const STREAMS: usize = 50;

fn streams(page: &mut Page<'_>, otf: &OtfInfo, is_read: bool) -> io::Result<()> {
    page.heading("Streams")?;
    let streams: Vec<&StreamCounts> = otf.streams.iter().filter(|it| it.id != 0).collect();
    let mut rows = Vec::new();
    for stream in streams.iter().take(STREAMS) {
        let events = match is_read {
            true => count(stream.events.values().sum()),
            false => String::new(),
        };
        let size: u64 = stream.files.iter().map(|(.., bytes)| bytes).sum();
        let files: Vec<&str> = stream.files.iter().map(|(section, ..)| section.ending()).collect();
        let is_compressed =
            stream.files.iter().any(|(_, path, _)| path.extension().is_some_and(|it| it == "z"));
        let compressed = if is_compressed { " (compressed)" } else { "" };
        rows.push(vec![
            format!("{:x}", stream.id),
            count(stream.processes),
            events,
            bytes(size.into()),
            format!(" {}{compressed}", files.join(", ")),
        ]);
    }
    let columns = [("processes", 10), ("events", 15), ("bytes", 11), (" files", 0)];
    page.table(("number", 10), &columns, &rows)?;
    if streams.len() > STREAMS {
        writeln!(page.out, "  and {} more", count((streams.len() - STREAMS) as u64))?;
    }
    Ok(())
}

fn counters(page: &mut Page<'_>, otf: &OtfInfo) -> io::Result<()> {
    if otf.counters.is_empty() {
        return Ok(());
    }
    page.heading("Counters; rates are those of one process, per second")?;
    let mut rows = Vec::new();
    for counter in &otf.counters {
        let CounterInfo { name, samples, last, average, highest, adds_up, .. } = counter;
        let name = short(visible(&name.to_string()).into_owned());
        let numbers = match *adds_up && *samples > 0 {
            true => [last, average, highest].map(|number| format!("{number:.6}")),
            false => [(); 3].map(|()| String::new()),
        };
        let [last, average, highest] = numbers.map(|number| match number.contains('.') {
            true => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => number,
        });
        let samples = count(*samples);
        rows.push(vec![name, samples, last, average, highest]);
    }
    let columns = [("values", 12), ("last, in all", 16), ("average", 13), ("highest", 13)];
    page.table(("name", 24), &columns, &rows)
}

/// Writes all names, where they are known.
pub(super) fn names(page: &mut Page<'_>, otf: &OtfInfo) -> io::Result<()> {
    for (record, names) in &otf.names {
        page.heading(&format!("Names of {}", record.kind().name))?;
        for (token, name) in names {
            writeln!(page.out, "  {token:>10}  {}", visible(&name.to_string()))?;
        }
    }
    Ok(())
}

/// The same for programs.
pub(super) fn json(otf: &OtfInfo) -> Value {
    let is_read = otf.level >= Level::Records;
    let sections = SECTIONS
        .into_iter()
        .filter(|(section, _)| is_read || *section == Section::Definitions)
        .map(|(section, name)| {
            let records = otf.of_section(section);
            let records = records.map(|(record, count)| (record.kind().name.into(), json!(count)));
            (name.to_owned(), Value::Object(records.collect()))
        });
    let mut value = json!({
        "level": match otf.level {
            Level::Definitions => 2,
            Level::Records => 3,
            Level::Names => 4,
        },
        "records": sections.collect::<Map<_, _>>(),
        "streams": otf.streams.iter().map(|stream| self::stream(stream, is_read)).collect::<Vec<_>>(),
    });
    let Some(members) = value.as_object_mut() else { return value };
    if is_read {
        let times = otf.span.map(|(first, last)| json!([first, last]));
        members.insert("first_and_last_event".into(), json!(times));
        members.insert("backward_events".into(), json!(otf.backward));
        members.insert("key_value_lines".into(), json!(otf.keyvalues));
        let counters = otf.counters.iter().map(|counter| {
            let known = counter.adds_up && counter.samples > 0;
            json!({
                "counter": counter.counter,
                "name": counter.name.to_string(),
                "unit": counter.unit.to_string(),
                "values": counter.samples,
                "last": known.then_some(counter.last),
                "average_per_second": known.then_some(counter.average),
                "highest_per_second": known.then_some(counter.highest),
            })
        });
        members.insert("counters".into(), counters.collect());
    }
    if otf.level == Level::Names {
        let names = otf.names.iter().map(|(record, names)| {
            let names = names.iter().map(|(token, name)| json!([token, name.to_string()]));
            (record.kind().name.to_owned(), names.collect::<Value>())
        });
        members.insert("names".into(), Value::Object(names.collect()));
    }
    value
}

fn stream(stream: &StreamCounts, is_read: bool) -> Value {
    let files = stream.files.iter().map(|(section, path, bytes)| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        json!({ "kind": section.ending(), "name": name, "bytes": bytes })
    });
    let events: u64 = stream.events.values().sum();
    json!({
        "stream": stream.id,
        "processes": stream.processes,
        "events": is_read.then_some(events),
        "first_and_last_event": stream.span.map(|(first, last)| json!([first, last])),
        "files": files.collect::<Vec<_>>(),
    })
}
