//! The facts about a trace as a page.

use std::io::{self, Write};

use chrono::{Local, TimeZone};

use super::{otf, Page};
use streamfold_analyses::info::{FileCount, Files, Level, Memory, Origin, TraceInfo};
use streamfold_otf2::Anchor;
use streamfold_text::human::{and_more, bytes, count, plural, short, time};
use streamfold_text::names;

/// Writes the page, in lines of so many characters on a terminal.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    input: &str,
    info: &TraceInfo,
    width: Option<usize>,
) -> io::Result<()> {
    let mut page = Page { out, width };
    page.text(input)?;
    origin(&mut page, &info.origin)?;
    match &info.anchor {
        Some(about) => anchor(&mut page, about)?,
        None => facts(&mut page, info)?,
    }
    clock(&mut page, info)?;
    locations(&mut page, info)?;
    match &info.otf {
        Some(otf) => otf::write(&mut page, otf)?,
        None => definitions(&mut page, info)?,
    }
    files(&mut page, info)?;
    if let Some(otf) = &info.otf {
        otf::names(&mut page, otf)?;
    }
    memory(&mut page, &info.memory)
}

/// The program with its arguments, and the first nodes.
fn origin(page: &mut Page<'_>, origin: &Origin) -> io::Result<()> {
    const NODES: usize = 8;
    if let Some((name, arguments)) = &origin.program {
        page.fact("program", &command_line(name, arguments))?;
    }
    let (count, first) = (origin.nodes.len(), origin.nodes.iter().take(NODES));
    let first = first.cloned().collect::<Vec<_>>().join(", ");
    let more = and_more(count.saturating_sub(NODES) as u64, "");
    match count {
        0 => Ok(()),
        1 => page.fact("node", &first),
        count => page.fact("nodes", &format!("{count}: {first}{more}")),
    }
}

/// A command as a shell takes it.
fn command_line(name: &str, arguments: &[String]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    let word = |word: &String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    let words = std::iter::once(&name.to_owned()).chain(arguments).map(word).collect::<Vec<_>>();
    words.join(" ")
}

fn facts(page: &mut Page<'_>, info: &TraceInfo) -> io::Result<()> {
    page.fact("format", info.format.name())?;
    for (name, value) in &info.facts {
        page.fact(name, value)?;
    }
    if info.losses.count > 0 {
        page.fact("losses", &count(info.losses.count))?;
    }
    Ok(())
}

fn anchor(page: &mut Page<'_>, anchor: &Anchor) -> io::Result<()> {
    let [major, minor, bugfix] = anchor.version;
    page.fact("creator", &anchor.creator.to_string())?;
    let format = format!(
        "OTF2 {major}.{minor}.{bugfix}, trace format {}, {}, compression {}",
        anchor.trace_format,
        names::value(anchor.substrate.name(), anchor.substrate),
        names::value(anchor.compression.name(), anchor.compression),
    );
    page.fact("written by", &format)?;
    for (name, text) in [("machine", &anchor.machine_name), ("description", &anchor.description)] {
        if !text.is_empty() {
            page.fact(name, &text.to_string())?;
        }
    }
    page.fact("identifier", &format!("{:016x}", anchor.trace_identifier))?;
    let [events, definitions] =
        [anchor.event_chunk_size, anchor.definition_chunk_size].map(|size| bytes(size.into()));
    page.fact("chunks", &format!("{events} of events, {definitions} of definitions"))?;
    if anchor.number_of_snapshots > 0 {
        page.fact("snapshots", &count(anchor.number_of_snapshots.into()))?;
    }
    if anchor.number_of_thumbnails > 0 {
        page.fact("thumbnails", &count(anchor.number_of_thumbnails.into()))?;
    }
    for (name, value) in &anchor.properties {
        page.fact("property", &format!("{name} = {value}"))?;
    }
    Ok(())
}

fn clock(page: &mut Page<'_>, info: &TraceInfo) -> io::Result<()> {
    page.heading("Time, as declared")?;
    let Some(clock) = &info.clock else {
        return page.fact("clock", "not defined");
    };
    let resolution = match clock.timer_resolution {
        0 => "not known: elsewhere a tick is shown as a second".to_owned(),
        resolution => count(resolution),
    };
    page.fact("ticks a second", &resolution)?;
    let end = u128::from(clock.global_offset) + u128::from(clock.trace_length);
    page.fact("from, to", &format!("tick {} to {end}", clock.global_offset))?;
    let length = match clock.timer_resolution {
        0 => plural(clock.trace_length, "tick"),
        resolution => time(clock.trace_length.into(), resolution),
    };
    page.fact("length", &length)?;
    if let Some(date) = date(clock.realtime_timestamp) {
        page.fact("begin", &date)?;
    }
    Ok(())
}

/// Nanoseconds since 1970 as a date where the program runs; `None` where they are not known.
fn date(nanoseconds: u64) -> Option<String> {
    const SECOND: u64 = 1_000_000_000;
    if nanoseconds == u64::MAX {
        return None;
    }
    let (seconds, rest) = (nanoseconds / SECOND, nanoseconds % SECOND);
    let date = Local.timestamp_opt(seconds as i64, rest as u32).single()?;
    Some(date.format("%F %T%.3f %z").to_string())
}

fn locations(page: &mut Page<'_>, info: &TraceInfo) -> io::Result<()> {
    let locations = &info.locations;
    match &info.otf {
        Some(otf) if otf.level < Level::Records => {
            page.heading("Locations; events are counted with --level 3")?;
        }
        Some(_) => page.heading("Locations, and their events")?,
        None => page.heading("Locations, and their events as declared")?,
    }
    let named = |(kind, of_type): (&streamfold_model::enums::LocationType, _)| {
        let number = u8::from(*kind);
        (kind.name().map_or(format!("<type {number}>"), str::to_owned), of_type)
    };
    let rows = locations.by_type.iter().map(named);
    let rows = rows.chain([("total".to_owned(), &locations.all)]).map(|(name, of_type)| {
        let numbers = [of_type.locations, of_type.events, of_type.fewest, of_type.most];
        std::iter::once(name).chain(numbers.map(count)).collect()
    });
    let columns = [("locations", 10), ("events", 15), ("fewest", 15), ("most", 15)];
    page.table(("type", 18), &columns, &rows.collect::<Vec<_>>())?;
    let is_counted = info.otf.as_ref().is_none_or(|otf| otf.level >= Level::Records);
    for longest in locations.longest.iter().filter(|_| is_counted) {
        let events = plural(longest.events, "event");
        let (place, number) = (short(longest.place.clone()), longest.location);
        page.fact("among the longest", &format!("{events}: {place} <{number}>"))?;
    }
    for (kind, number) in &locations.groups {
        let type_number = u8::from(*kind);
        let kind = kind.name().map_or(format!("<type {type_number}>"), str::to_owned);
        page.fact("groups", &format!("{} of type {kind}", count(*number)))?;
    }
    if let Some((least, most)) = locations.in_a_group {
        let each = if least == most { count(most) } else { format!("{least} to {most}") };
        page.fact("locations in a group", &each)?;
    }
    if locations.without_group > 0 {
        page.fact("without a group", &count(locations.without_group))?;
    }
    Ok(())
}

fn definitions(page: &mut Page<'_>, info: &TraceInfo) -> io::Result<()> {
    page.heading("Definitions")?;
    let unknown = Some(("unknown kinds", info.unknown_definitions));
    let redefined = Some(("defined again", info.redefined));
    let odd = [unknown, redefined].into_iter().flatten().filter(|(_, number)| *number > 0);
    let kinds = info.definitions.iter().map(|(kind, number)| (*kind, *number));
    for (kind, number) in kinds.chain([("total", info.number_of_definitions())]).chain(odd) {
        writeln!(page.out, "  {kind:<24} {:>12}", count(number))?;
    }
    Ok(())
}

fn files(page: &mut Page<'_>, info: &TraceInfo) -> io::Result<()> {
    page.heading("Files")?;
    let mut rows = Vec::new();
    let all = [("total", info.files.total())];
    for (kind, files) in info.files.by_kind().iter().copied().chain(all) {
        let FileCount { files: number, missing, unseen, empty, .. } = files;
        let optional = Files::is_optional(kind) || kind == "total";
        let missing = if optional { String::new() } else { count(missing) };
        if number + unseen == 0 && (optional || missing == "0") {
            continue;
        }
        rows.push(vec![
            kind.replace('_', " "),
            count(number),
            bytes(files.bytes.into()),
            bytes(files.largest.into()),
            missing,
            count(empty),
        ]);
    }
    let columns = [("files", 10), ("bytes", 11), ("largest", 11), ("missing", 11), ("empty", 11)];
    page.table(("kind", 18), &columns, &rows)?;
    let unseen = info.files.total().unseen;
    if unseen > 0 {
        page.fact("cannot be looked at", &plural(unseen, "file"))?;
    }
    Ok(())
}

fn memory(page: &mut Page<'_>, memory: &Memory) -> io::Result<()> {
    page.heading("Memory of each rank that makes a profile, estimated")?;
    let threads = plural(memory.threads, "thread");
    for (name, size) in [
        ("program", memory.program),
        (&*format!("reading, {threads}"), memory.reading),
        ("definitions", memory.definitions),
        ("locations", memory.locations),
        ("total", memory.total()),
    ] {
        writeln!(page.out, "  {name:<24} {:>12}", bytes(size.into()))?;
    }
    let each = bytes(Memory::CALL_PATH.into());
    page.text(&format!(
        "  and {each} for each call path, which only the events tell; more for their metrics"
    ))?;
    let mpi = bytes(Memory::MPI.into());
    page.text(&format!("  and about {mpi} under MPI"))
}
