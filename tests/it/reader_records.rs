//! Every kind of record, field by field, as the reference library reads or wrote it.
//!
//! The archives in `otf2-records` hold random values in every field, and beside them lie logs of
//! what the reference's reader delivered (`callbacks.log`) or what its writer was given
//! (`written.log`): one line a record, `KIND NAME [loc= time= attrs=] FIELD=VALUE ...`. The order of
//! fields within a line is that of the reference's interface and no part of the comparison.

use std::fmt::Write;
use std::path::Path;

use crate::common::archives::traces;
use streamfold::drive::in_order::Merge;
use streamfold::formats::otf2::{Archive, FileKind, LocalDefinitions, ReadOptions};
use streamfold::model::definitions::Definition;
use streamfold::model::events::{Event, EventVisitor};
use streamfold::model::fields::{FieldValue, Record};
use streamfold::model::ids::LocationRef;
use streamfold::model::stream::EventHead;
use streamfold::model::values::IdMap;

/// Windows smaller than most records, smaller than most files, and larger than any of them.
const OPTIONS: [ReadOptions; 6] = [
    ReadOptions { window: 1 << 20, keep_open: true },
    ReadOptions { window: 1 << 20, keep_open: false },
    ReadOptions { window: 4 << 10, keep_open: true },
    ReadOptions { window: 4 << 10, keep_open: false },
    ReadOptions { window: 64, keep_open: true },
    ReadOptions { window: 64, keep_open: false },
];

/// What was read, as lines of a log.
#[derive(Default)]
struct Log {
    lines: Vec<String>,
    unknown: u64,
}

impl Log {
    fn title(&mut self, title: impl Into<String>) {
        self.lines.push(title.into());
    }

    fn record(&mut self, kind: &str, head: Vec<String>, record: &dyn Record) {
        let mut fields = head;
        record.each_field(&mut |field, value| {
            fields.push(format!("{}={}", field.name, logged(value)));
        });
        self.lines.push(line(kind, record.record_name(), fields));
    }

    fn known_or_not<R: Record>(&mut self, kind: &str, record: Result<R, u8>) {
        match record {
            Ok(record) => self.record(kind, Vec::new(), &record),
            Err(_) => self.unknown += 1,
        }
    }

    /// `with_location`: logs of one file leave it out.
    fn timed<R: Record>(
        &mut self,
        kind: &str,
        head: &EventHead<'_>,
        with_location: bool,
        record: Result<R, u8>,
    ) {
        let Ok(record) = record else {
            self.unknown += 1;
            return;
        };
        let mut fields = vec![format!("time={}", head.time)];
        if with_location {
            fields.push(format!("loc={}", head.location));
        }
        let mut list = "attrs=".to_owned();
        for entry in head.attributes {
            let (id, value) = (entry.attribute, entry.value);
            write!(list, "{id}:{}:{};", u8::from(value.value_type), value.bits).unwrap();
        }
        fields.push(list);
        self.record(kind, fields, &record);
    }
}

/// Hands events of one location or several to a log.
struct Events<'a> {
    log: &'a mut Log,
    with_location: bool,
}

impl EventVisitor for Events<'_> {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.log.timed("evt", head, self.with_location, Ok(event));
    }

    fn unknown(&mut self, _: &EventHead<'_>, _: u8) {
        self.log.unknown += 1;
    }
}

fn line(kind: &str, name: &str, mut fields: Vec<String>) -> String {
    fields.sort();
    format!("{kind} {name} {}", fields.join(" "))
}

/// Signed numbers and doubles stand in the logs as their 64 bits.
fn logged(value: FieldValue<'_>) -> String {
    match value {
        FieldValue::Unsigned(number) => number.to_string(),
        FieldValue::Signed(number) => (number as u64).to_string(),
        FieldValue::Double(number) => number.to_bits().to_string(),
        FieldValue::Text(text) => text.to_string(),
        FieldValue::List(list) => list.map(|number| format!("{number},")).collect(),
        FieldValue::Map(IdMap::Dense(globals)) => {
            let pair = |(local, global): (usize, &u64)| format!("{local}>{global};");
            format!("0:{}", globals.iter().enumerate().map(pair).collect::<String>())
        }
        FieldValue::Map(IdMap::Sparse(pairs)) => {
            let pair = |(local, global): &(u64, u64)| format!("{local}>{global};");
            format!("1:{}", pairs.iter().map(pair).collect::<String>())
        }
    }
}

/// The lines of the reference's log, fields sorted. Lines without fields are titles.
fn expected(text: &str) -> Vec<String> {
    let tidy = |text: &str| {
        let mut words = text.split(' ');
        let (kind, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        if !["gdef", "ldef", "evt", "snap", "marker", "thumb"].contains(&kind) {
            return text.to_owned();
        }
        let mut fields: Vec<String> = Vec::new();
        for word in words {
            match fields.last_mut() {
                // Texts hold blanks, but no equals signs.
                Some(last) if !word.contains('=') => write!(last, " {word}").unwrap(),
                _ => fields.push(word.to_owned()),
            }
        }
        line(kind, name, fields)
    };
    text.lines().map(tidy).collect()
}

fn assert_same(found: &[String], expected: &[String], what: &str) {
    let pairs = found.iter().zip(expected).enumerate();
    let different = pairs.filter(|(_, (found, expected))| found != expected);
    let first: Vec<_> = different.take(5).collect();
    assert!(first.is_empty(), "{what}: found and expected differ: {first:#?}");
    assert_eq!(found.len(), expected.len(), "{what}: lines");
}

/// Everything in the archive as the reference's merged reader delivers it.
fn read_merged(archive: &Archive) -> Log {
    let mut log = Log::default();
    let mut locations = Vec::new();
    let mut definitions = archive.global_definitions().unwrap();
    while let Some(definition) = definitions.next().unwrap() {
        if let Ok(Definition::Location(location)) = &definition {
            locations.push(location.id);
        }
        log.known_or_not("gdef", definition);
    }
    // In `newer-records` the anchor was left as it is in `mapped` and counts no unknown records;
    // the reference's reader delivers them all, its tools complain of the count.
    let unknown = definitions.count() - archive.anchor().number_of_global_definitions;
    assert_eq!(unknown, log.unknown, "unknown records count as any other");
    assert_eq!(definitions.unknown(), unknown);
    archive.check_definition_count(&definitions).expect("whoever counted did not know them");
    for &location in &locations {
        if let Some(mut definitions) = archive.local_definitions(location).unwrap() {
            log.title(format!("LDEF {location}"));
            while let Some(definition) = definitions.next().unwrap() {
                log.known_or_not("ldef", definition);
            }
        }
    }
    log.title("EVENTS");
    let readers = locations.iter().map(|&location| archive.events(location).unwrap()).collect();
    let mut merge = Merge::new(readers);
    while let Some(reader) = merge.next_stream().unwrap() {
        reader.deliver(&mut Events { log: &mut log, with_location: true }).unwrap();
    }
    log.title("SNAPS");
    let readers = locations.iter().map(|&location| archive.snapshots(location).unwrap()).collect();
    let mut merge = Merge::new(readers);
    while let Some(reader) = merge.next_stream().unwrap() {
        reader.deliver(&mut |head, snapshot| log.timed("snap", head, true, snapshot)).unwrap();
    }
    log
}

fn compare_merged(case: &str, log: &str, unknown: bool) {
    let Some(traces) = traces() else { return };
    let folder = traces.join("otf2-records");
    let expected = expected(&crate::common::gunzip(&folder.join(log)));
    let archive = open(&folder.join(case));
    for options in OPTIONS {
        let read = read_merged(&archive.with_options(options));
        assert_same(&read.lines, &expected, &format!("{case}, {options:?}"));
        assert_eq!(read.unknown > 0, unknown, "{case}: {} records of unknown kinds", read.unknown);
    }
}

fn open(folder: &Path) -> Archive {
    Archive::open(&folder.join("t.otf2"), ReadOptions::default()).unwrap()
}

#[test]
fn little_endian_files_with_mapping_and_clock_correction() {
    compare_merged("mapped", "mapped/callbacks.log.gz", false);
}

#[test]
fn big_endian_files_hold_the_same() {
    compare_merged("mapped-big-endian", "mapped/callbacks.log.gz", false);
}

/// Fields that a record of an older version does not have take the values that stand for them.
#[test]
fn records_of_older_versions_end_early() {
    compare_merged("older-records", "older-records/callbacks.log.gz", false);
}

/// What newer versions append to a record is passed over, and so are records of new kinds.
#[test]
fn records_of_newer_versions_are_longer_and_some_unknown() {
    compare_merged("newer-records", "mapped/callbacks.log.gz", true);
}

/// A part of a log that says what was written into one file.
struct Part<'a> {
    kind: &'a str,
    number: u64,
    lines: Vec<String>,
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let part = |part| {
        let (title, lines) = str::split_once(part, '\n').unwrap();
        let (kind, number) = title.split_once(' ').unwrap();
        // `NEV n` says how many events were written, which the lines show as well.
        let mut lines = expected(lines);
        lines.retain(|line| !line.starts_with("NEV "));
        Part { kind, number: number.parse().unwrap(), lines }
    };
    text.split("FILE ").filter(|part| !part.is_empty()).map(part).collect()
}

/// One file as it stands there: without mapping or clock correction.
fn read_file(archive: &Archive, kind: &str, number: u64) -> Log {
    let mut log = Log::default();
    let location = LocationRef(number);
    match kind {
        "gdef" | "ldef" => {
            let mut reader = match kind {
                "gdef" => archive.global_definitions().unwrap(),
                _ => archive.local_definitions(location).unwrap().unwrap(),
            };
            while let Some(definition) = reader.next().unwrap() {
                log.known_or_not(kind, definition);
            }
        }
        "evt" => {
            let mut reader = archive.events_with(location, LocalDefinitions::default()).unwrap();
            reader.read_all(&mut Events { log: &mut log, with_location: false }).unwrap();
            assert_eq!(reader.count(), log.lines.len() as u64);
        }
        "snap" => {
            let mut reader = archive.snapshots(location).unwrap();
            while reader.peek().unwrap().is_some() {
                reader
                    .deliver(&mut |head, snapshot| log.timed("snap", head, false, snapshot))
                    .unwrap();
            }
        }
        "marker" => {
            let mut reader = archive.markers().unwrap().unwrap();
            while let Some(marker) = reader.next().unwrap() {
                log.known_or_not(kind, marker);
            }
        }
        "thumb" => {
            let mut reader = archive.thumbnail(number as u32).unwrap();
            while let Some(sample) = reader.next().unwrap() {
                log.known_or_not(kind, sample);
            }
        }
        other => panic!("the log knows a file of kind {other}"),
    }
    log
}

/// Long lengths, attribute lists of any length, and files of several chunks.
#[test]
fn every_record_that_the_reference_can_write() {
    let Some(traces) = traces() else { return };
    let folder = traces.join("otf2-records/all-kinds");
    let text = crate::common::gunzip(&folder.join("written.log.gz"));
    let archive = open(&folder);
    let parts = parts(&text);
    let records: usize = parts.iter().map(|part| part.lines.len()).sum();
    assert_eq!((parts.len(), records), (12, 126_566));
    let events = archive.path(FileKind::Events(LocationRef(0)));
    let chunks = std::fs::metadata(events).unwrap().len() / archive.anchor().event_chunk_size;
    assert!(chunks > 2, "there should be files of several chunks");
    for options in OPTIONS {
        let archive = archive.with_options(options);
        for part in &parts {
            let log = read_file(&archive, part.kind, part.number);
            let what = format!("{} {}, {options:?}", part.kind, part.number);
            assert_same(&log.lines, &part.lines, &what);
            assert_eq!(log.unknown, 0, "{what}");
        }
    }
}
