//! Counts of the records of a trace: number of each kind, times, and totals of counters.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bstr::BString;

use super::file::{Item, RecordFile};
use super::master::stream_file;
use super::merged::Selection;
use super::record::{FieldType, Record, Section, Value};
use super::source::Otf;
use crate::Loss;

/// Number of losses of a stream that are kept; the others are counted.
const KEPT: usize = 20;

/// Counts of the files of a stream.
#[derive(Clone, Debug, Default)]
pub struct StreamCounts {
    /// The number of the stream.
    pub id: u32,
    /// How many processes it has.
    pub processes: u64,
    /// Its files, and how many bytes they have.
    pub files: Vec<(Section, PathBuf, u64)>,
    /// Records of each kind.
    pub records: BTreeMap<Record, u64>,
    /// Lines with key-values.
    pub keyvalues: u64,
    /// Events of each process.
    pub events: BTreeMap<u32, u64>,
    /// The first and the last time of events.
    pub span: Option<(u64, u64)>,
    /// Events whose time is before that of the event before, and the line of the first one.
    pub backward: u64,
    /// See above.
    pub first_backward: Option<u64>,
    /// First, last and highest values of counters, by process and counter.
    pub counters: BTreeMap<(u32, u32), CounterTrack>,
    /// Losses: all are counted, the first ones are kept.
    pub losses: (u64, Vec<Loss>),
}

/// The values of a counter at a process, as bits.
#[derive(Clone, Copy, Debug)]
pub struct CounterTrack {
    /// The first one, and its time.
    pub first: (u64, u64),
    /// The last one, and its time.
    pub last: (u64, u64),
    /// The highest rate between two that follow each other, per tick.
    pub highest: f64,
    /// How many there are.
    pub samples: u64,
}

impl Otf {
    /// The numbers of all streams.
    pub fn stream_ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.streams.iter().map(|stream| stream.id)
    }

    /// Looks at the files of a stream; `read`: reads them, too. `value` says what bits of a counter are.
    pub fn count_stream(
        &self,
        id: u32,
        read: bool,
        value: &dyn Fn(u32, u64) -> f64,
    ) -> StreamCounts {
        const SECTIONS: [Section; 5] = [
            Section::Definitions,
            Section::Events,
            Section::Snapshots,
            Section::Statistics,
            Section::Markers,
        ];
        let stream = self.streams.binary_search_by_key(&id, |stream| stream.id);
        let processes = stream.map_or(0, |at| self.streams[at].processes.len() as u64);
        let mut counts = StreamCounts { id, processes, ..StreamCounts::default() };
        for section in SECTIONS {
            let Some(path) = stream_file(&self.stub, id, section) else { continue };
            let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
            // Definitions were counted when the trace was opened.
            if read && section != Section::Definitions {
                match RecordFile::open(&path, section) {
                    Ok(mut file) => counts.read(&mut file, section, value),
                    Err(error) => counts.lose(Loss::of_system(&path, &error)),
                }
            }
            counts.files.push((section, path, bytes));
        }
        counts
    }

    /// The names in definitions and of markers, by the kinds of records that give them.
    pub fn names(&self) -> BTreeMap<Record, Vec<(u32, BString)>> {
        let mut names: BTreeMap<Record, Vec<(u32, BString)>> = BTreeMap::new();
        for section in [Section::Definitions, Section::Markers] {
            for (_, path) in self.section_files(section, &Selection::ALL) {
                let Ok(mut file) = RecordFile::open(&path, section) else { continue };
                while file.advance().unwrap_or(false) {
                    file.visit(0, &mut |line| {
                        let Item::Record(record, values) = line.item else { return };
                        let fields = record.kind().fields.iter();
                        let is_name = |field: &&super::Field| {
                            field.name == "name" && field.field_type == FieldType::Text
                        };
                        let Some((_, value)) = fields.zip(values).find(|(field, _)| is_name(field))
                        else {
                            return;
                        };
                        let token = values.first().map_or(0, Value::token);
                        let name = BString::from(value.text().unwrap_or_default());
                        names.entry(record).or_default().push((token, name));
                    });
                }
            }
        }
        names
    }
}

impl StreamCounts {
    fn lose(&mut self, loss: Loss) {
        self.losses.0 += 1;
        if self.losses.1.len() < KEPT {
            self.losses.1.push(loss);
        }
    }

    fn read(&mut self, file: &mut RecordFile, section: Section, value: &dyn Fn(u32, u64) -> f64) {
        let id = self.id;
        let mut last: Option<u64> = None;
        loop {
            let more = file.advance();
            std::mem::take(&mut file.losses).into_iter().for_each(|loss| self.lose(loss));
            match more {
                Ok(true) => {}
                Ok(false) => break,
                Err(loss) => {
                    self.lose(loss);
                    break;
                }
            }
            file.visit(id, &mut |line| match line.item {
                Item::Record(record, values) => {
                    *self.records.entry(record).or_default() += 1;
                    if record.kind().section != Section::Events {
                        return;
                    }
                    *self.events.entry(line.process).or_default() += 1;
                    let time = line.time;
                    let (begin, end) = self.span.unwrap_or((time, time));
                    self.span = Some((begin.min(time), end.max(time)));
                    if last.is_some_and(|last| time < last) {
                        self.backward += 1;
                        self.first_backward.get_or_insert(line.number);
                    }
                    last = Some(time);
                    if record == Record::Counter {
                        let [counter, bits] =
                            [0, 1].map(|at| values.get(at).map_or(0, Value::number));
                        self.counter((line.process, counter as u32), (time, bits), value);
                    }
                }
                Item::KeyValue => self.keyvalues += 1,
                Item::Blank => {}
                Item::Unknown(_) if line.is_unfinished => {}
                Item::Unknown(text) => {
                    let what = format!("no record begins with \"{}\"", super::begin_of(text));
                    self.lose(Loss::of_line(line.path, line.number, what));
                }
                Item::Malformed(malformed) => {
                    let loss = Loss::of_line(line.path, line.number, malformed.to_string());
                    self.lose(Loss { record: Some(malformed.record.to_owned()), ..loss });
                }
            });
        }
        if section.is_stateful() && !file.has_state() && file.line() > 0 {
            let what = "there is no time line with a process line behind it: no record is read";
            self.lose(Loss::of_file(file.path(), what));
        }
    }

    fn counter(
        &mut self,
        key: (u32, u32),
        (time, bits): (u64, u64),
        value: &dyn Fn(u32, u64) -> f64,
    ) {
        let new =
            CounterTrack { first: (time, bits), last: (time, bits), highest: 0.0, samples: 0 };
        let track = self.counters.entry(key).or_insert(new);
        let (before, bits_before) = track.last;
        if time > before {
            let grown = value(key.1, bits) - value(key.1, bits_before);
            track.highest = track.highest.max(grown / (time - before) as f64);
        }
        track.last = (time, bits);
        track.samples += 1;
    }
}
