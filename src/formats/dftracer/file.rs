//! A file, record by record: what its processes and threads did, and what it names.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::json::{leaves, members_and, unescaped, Value};
use super::messages::{self, Peer};
use super::objects::{layout, Found, Layout, Objects};
use super::record::{nanoseconds, Args, FileName, Phase, Record};
use super::series::{Measure, Series};
use super::slices::{Op, Slice, Slices, Sorter};
use crate::formats::defining::Kept;
use crate::formats::text::Text;
use crate::formats::Loss;

type Map<K, V> = HashMap<K, V, RandomState>;

macro_rules! counts {
    ($($field:ident $name:literal $what:literal;)*) => {
        /// How many records of each kind there were.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub(super) struct Counts { $(#[doc = $what] pub $field: u64,)* }

        impl Counts {
            /// Each number, with its name.
            pub fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$(($name, self.$field)),*].into_iter()
            }

            /// Of two files together.
            #[must_use]
            pub fn fold(self, other: Counts) -> Counts {
                Counts { $($field: self.$field + other.$field,)* }
            }
        }
    };
}

counts! {
    calls "calls" "complete events, and pairs of begin and end";
    metadata "metadata records" "names, hashes, and facts of processes";
    counters "counter records" "values at a time";
    aggregates "aggregated records" "many calls of an interval";
    aggregated "aggregated calls" "calls in those";
    instants "instants" "events without duration";
    asynchronous "flows and asynchronous events" "what belongs to no thread's calls";
    unknown "records of unknown kinds" "other phases";
    malformed "malformed lines" "lines, or events, that cannot be read";
    untimed "records without a time" "calls whose time, or duration, is none";
    unmatched "begins and ends without each other" "of pairs of begin and end";
    failed "failed calls" "calls whose result is negative";
    collisions "colliding hashes" "hashes of two names in one file";
    missing "missing records" "records that the tracer numbered, and that are not in the file";
}

impl Counts {
    /// Records that are no damage.
    pub fn records(&self) -> u64 {
        let Counts {
            calls, metadata, counters, aggregates, instants, asynchronous, unknown, ..
        } = *self;
        calls + metadata + counters + aggregates + instants + asynchronous + unknown
    }
}

/// How the file of a call is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    /// By the hash of a string that this or another file defines.
    Hash(BString),
    Literal(BString),
}

/// How a call uses files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Interface {
    Posix,
    Stdio,
    MpiIo,
    Hdf5,
}

impl Interface {
    pub const ALL: [Interface; 4] =
        [Interface::Posix, Interface::Stdio, Interface::MpiIo, Interface::Hdf5];

    /// That of a category; all others use files as POSIX does.
    pub fn of(category: &[u8]) -> Interface {
        match category {
            b"STDIO" | b"stdio" => Interface::Stdio,
            b"MPIIO" | b"MPI-IO" | b"mpiio" => Interface::MpiIo,
            b"HDF5" | b"hdf5" => Interface::Hdf5,
            _ => Interface::Posix,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Interface::Posix => "POSIX",
            Interface::Stdio => "STDIO",
            Interface::MpiIo => "MPI-IO",
            Interface::Hdf5 => "HDF5",
        }
    }
}

/// A process of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Process {
    /// Its number, or what stands in place of one.
    pub pid: BString,
    /// The host, where records name it.
    pub host: Option<Name>,
    pub rank: Option<u64>,
    /// What the trace calls it.
    pub label: Option<BString>,
    /// What else records say of it, by names with dots between them. The first value counts.
    pub properties: IndexMap<BString, Property, RandomState>,
}

/// Something that records say of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Number(u64),
    Text(BString),
    /// The string that a hash stands for.
    Hash(BString),
    /// The name of the file that a hash stands for.
    FileHash(BString),
}

impl Property {
    /// The values that are hashes.
    fn new(name: &[u8], value: Value<'_>) -> Property {
        match (name, value) {
            (b"cmd_hash" | b"exec_hash", value) => Property::Hash(value.token().into()),
            (b"cwd", value) => Property::FileHash(value.token().into()),
            (_, Value::Word(_)) if value.whole().is_some() => {
                Property::Number(value.whole().unwrap_or(0))
            }
            (_, value) => Property::Text(unescaped(value.token()).into()),
        }
    }
}

/// A process has so many properties at most.
const PROPERTIES: usize = 256;

/// A thread of a file.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub process: u32,
    pub tid: BString,
    pub label: Option<BString>,
    /// Whether it stands for the counters of the process.
    pub is_counters: bool,
}

/// The hashes of a file with the strings that they stand for.
#[derive(Debug, Default)]
pub(super) struct Strings {
    pub files: Map<BString, BString>,
    pub hosts: Map<BString, BString>,
    pub others: Map<BString, BString>,
}

/// What is known of the messages of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Messages {
    /// Calls that send, receive, wait, or take part in collective operations.
    pub calls: u64,
    /// The largest rank that a call names.
    pub most: Option<u32>,
    /// Calls that make communicators.
    pub communicators: u64,
}

/// What is in a file.
pub(super) struct Scanned {
    pub slices: Slices,
    /// Category and name.
    pub regions: Vec<(BString, BString)>,
    /// Files, and how they are used.
    pub names: Vec<(Name, Interface)>,
    /// What values are of.
    pub series: Vec<Series>,
    /// Whether calls have parameters.
    pub has_phases: bool,
    pub processes: Vec<Process>,
    pub threads: Vec<Thread>,
    pub strings: Strings,
    pub messages: Messages,
    pub counts: Counts,
    /// When the first call begins, and the last one ends, in nanoseconds.
    pub span: Option<(u64, u64)>,
    pub losses: Kept<Loss>,
    /// What is odd, and loses nothing.
    pub odd: Vec<String>,
    /// Bytes of text.
    pub bytes: u64,
}

/// Reads a file.
///
/// # Errors
///
/// When it cannot be opened, or holds no trace of this format.
pub(super) fn scan_file(path: &Path) -> Result<Scanned, Loss> {
    let failed = |error: io::Error| Loss::of_system(path, &error);
    let layout = layout(path).map_err(failed)?;
    let mut reading = FileReading::new(path);
    let bytes = match layout {
        None | Some(Layout::Lines) => reading.lines(),
        Some(Layout::Document) => reading.document(),
    };
    let bytes = bytes.map_err(failed)?;
    reading.end(bytes).map_err(failed)
}

/// A call that began, and has not ended.
struct Open {
    line: u64,
    time: u64,
    region: u32,
    file: u32,
    op: Op,
    offset: Option<u64>,
}

/// What the tracer says of its records. Each has a number, beginning with 1; up to version 2.0 metadata has, too.
#[derive(Default)]
struct Numbering {
    /// Records in which the tracer starts, and ends.
    starts: u64,
    ends: u64,
    /// Records with a number, and the largest one.
    found: u64,
    last: u64,
    /// Numbers that all ends together say were given.
    told: u64,
    /// Whether numbers are given when calls begin: some may not have ended.
    is_early: bool,
}

impl Numbering {
    fn take(&mut self, record: &Record<'_>) {
        let Some(id) = record.id else { return };
        self.found += 1;
        self.last = self.last.max(id);
        self.is_early |= record.phase == Phase::Metadata;
    }

    /// Records that are not in the file, of how many.
    fn missing(&self) -> Option<(u64, u64)> {
        let given = self.told.max(self.last);
        let missing = given.checked_sub(self.found).filter(|missing| *missing > 0)?;
        (self.ends > 0).then_some((missing, given))
    }
}

struct FileReading {
    path: PathBuf,
    sorter: Sorter,
    /// Categories and names with a line end between them.
    regions: Map<BString, u32>,
    region_list: Vec<(BString, BString)>,
    /// Literal names of files, and hashes, by the number of the interface.
    names: [[Map<BString, u32>; 2]; 4],
    name_list: Vec<(Name, Interface)>,
    series: IndexSet<Series, RandomState>,
    has_phases: bool,
    /// Room for a key.
    key: Vec<u8>,
    processes: Vec<Process>,
    /// The process of a number that was seen last.
    of_pid: Map<BString, u32>,
    threads: Vec<Thread>,
    of_tid: Map<(u32, BString), u32>,
    /// Calls that began, of each thread.
    open: Map<u32, Vec<Open>>,
    strings: Strings,
    messages: Messages,
    counts: Counts,
    span: Option<(u64, u64)>,
    losses: Kept<Loss>,
    odd: Vec<String>,
    /// Nanoseconds of a unit of time.
    unit: u64,
    /// Whether the file could not be read to its end.
    is_broken: bool,
    numbering: Numbering,
    collision: Option<String>,
    /// The same again is found at once.
    last_thread: Option<(BString, BString, u32)>,
}

impl FileReading {
    fn new(path: &Path) -> Self {
        FileReading {
            path: path.to_owned(),
            sorter: Sorter::default(),
            regions: Map::default(),
            region_list: Vec::new(),
            names: Default::default(),
            name_list: Vec::new(),
            series: IndexSet::default(),
            has_phases: false,
            key: Vec::new(),
            processes: Vec::new(),
            of_pid: Map::default(),
            threads: Vec::new(),
            of_tid: Map::default(),
            open: Map::default(),
            strings: Strings::default(),
            messages: Messages::default(),
            counts: Counts::default(),
            span: None,
            losses: Kept::default(),
            odd: Vec::new(),
            unit: 1000,
            is_broken: false,
            numbering: Numbering::default(),
            collision: None,
            last_thread: None,
        }
    }

    fn lose(&mut self, line: u64, what: String) {
        self.losses.push(Loss::of_line(&self.path, line, what));
    }

    /// An object on each line. Returns the bytes of text.
    fn lines(&mut self) -> io::Result<u64> {
        let mut text = Text::open(&self.path)?;
        loop {
            match text.next() {
                Ok(Some(at)) => self.line(text.line(at), text.lines, at.is_whole)?,
                Ok(None) => return Ok(text.bytes),
                Err(error) => {
                    let what = format!("the file cannot be read on: {error}");
                    self.lose(text.lines + 1, what);
                    self.is_broken = true;
                }
            }
        }
    }

    fn line(&mut self, line: &[u8], number: u64, is_whole: bool) -> io::Result<()> {
        let mut rest = line;
        let mut is_told = false;
        loop {
            let is_filling =
                |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']' | 0);
            let filling = rest.iter().take_while(|byte| is_filling(byte)).count();
            rest = &rest[filling..];
            if rest.is_empty() {
                return Ok(());
            }
            let why = match Record::read(rest) {
                Ok((record, end)) => {
                    self.record(&record, number)?;
                    rest = &rest[end..];
                    continue;
                }
                Err(why) => why,
            };
            if !is_told {
                is_told = true;
                self.counts.malformed += 1;
                if !is_whole && self.is_broken {
                    // That the file ends here was said.
                    return Ok(());
                }
                let why = if is_whole { why } else { "the file ends within a line" };
                self.lose(number, format!("{why}: {:?}", rest[..rest.len().min(120)].as_bstr()));
            }
            // Another record may begin in the same line.
            let next = ["{\"id\":", "{\"name\":"].iter().filter_map(|begin| {
                memchr::memmem::find(&rest[1..], begin.as_bytes()).map(|at| at + 1)
            });
            match next.min() {
                Some(at) => rest = &rest[at..],
                None => return Ok(()),
            }
        }
    }

    /// The events of a document.
    fn document(&mut self) -> io::Result<u64> {
        let mut objects = Objects::open(&self.path)?;
        loop {
            let line = objects.lines;
            match objects.next() {
                Ok(Found::Event(begin, end)) => match Record::read(&objects.bytes()[begin..end]) {
                    Ok((record, _)) => self.record(&record, line)?,
                    Err(why) => {
                        self.counts.malformed += 1;
                        self.lose(line, why.to_owned());
                    }
                },
                Ok(Found::Odd(what)) => {
                    self.counts.malformed += 1;
                    self.lose(line, what.to_owned());
                }
                Ok(Found::End(is_whole)) => {
                    if !is_whole {
                        self.odd.push("the document does not end".to_owned());
                    }
                    return Ok(objects.offset());
                }
                Err(error) => {
                    let what = format!("the file cannot be read on: {error}");
                    self.lose(line, what);
                }
            }
        }
    }

    fn record(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        if !record.has_phase && record.phase != Phase::Metadata {
            self.counts.malformed += 1;
            self.lose(line, "the record has no phase (ph)".to_owned());
            return Ok(());
        }
        self.numbering.take(record);
        match record.phase {
            Phase::Complete => return self.complete(record, line),
            Phase::Begin => self.begin(record, line),
            Phase::End => return self.leave(record, line),
            Phase::Metadata => {
                self.counts.metadata += 1;
                self.metadata(record);
            }
            Phase::Counter => return self.counter(record, line),
            Phase::Aggregate => {
                self.counts.aggregates += 1;
                self.counts.aggregated += record.args.aggregated_calls();
                return self.aggregate(record, line);
            }
            Phase::Instant => self.counts.instants += 1,
            Phase::Async => self.counts.asynchronous += 1,
            Phase::Unknown => self.counts.unknown += 1,
        }
        Ok(())
    }

    /// The time of a record.
    fn time(&mut self, record: &Record<'_>, line: u64) -> Option<u64> {
        let time = record.time.and_then(|time| nanoseconds(time, self.unit));
        if time.is_none() {
            self.counts.untimed += 1;
            let found = record.time.map_or("nothing".into(), |time| time.token().to_str_lossy());
            self.lose(line, format!("expected a time (ts), found {found}"));
        }
        time
    }

    fn complete(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(start) = self.time(record, line) else { return Ok(()) };
        let end = start.saturating_add(self.duration(record, line));
        if record.category == b"dftracer" {
            self.lifecycle(record)?;
        }
        let (file, mut op, offset) = self.facts(record);
        self.phase(record, &mut op);
        let (region, lane) = (self.region(record), self.thread(record));
        self.call(Slice { lane, start, end, line, region, file, op, offset })
    }

    /// The duration of a record; one without any lasts no time.
    fn duration(&mut self, record: &Record<'_>, line: u64) -> u64 {
        let Some(duration) = record.duration else { return 0 };
        nanoseconds(duration, self.unit).unwrap_or_else(|| {
            self.counts.untimed += 1;
            let found = duration.token().to_str_lossy();
            self.lose(line, format!("expected a duration (dur), found {found}: 0 is taken"));
            0
        })
    }

    fn call(&mut self, slice: Slice) -> io::Result<()> {
        self.counts.calls += 1;
        let (first, last) = self.span.get_or_insert((slice.start, slice.end));
        (*first, *last) = ((*first).min(slice.start), (*last).max(slice.end));
        self.sorter.push(slice)
    }

    fn begin(&mut self, record: &Record<'_>, line: u64) {
        let Some(time) = self.time(record, line) else { return };
        let (file, mut op, offset) = self.facts(record);
        self.phase(record, &mut op);
        let (region, thread) = (self.region(record), self.thread(record));
        let open = Open { line, time, region, file, op, offset };
        self.open.entry(thread).or_default().push(open);
    }

    fn leave(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(end) = self.time(record, line) else { return Ok(()) };
        let lane = self.thread(record);
        let Some(open) = self.open.get_mut(&lane).and_then(Vec::pop) else {
            self.counts.unmatched += 1;
            self.lose(line, "an end without its begin".to_owned());
            return Ok(());
        };
        let Open { line, time: start, region, file, op, offset } = open;
        let end = end.max(start);
        self.call(Slice { lane, start, end, line, region, file, op, offset })
    }

    /// What the tracer says when it begins and ends.
    fn lifecycle(&mut self, record: &Record<'_>) -> io::Result<()> {
        let numbering = &mut self.numbering;
        match record.name {
            b"start" => numbering.starts += 1,
            b"end" => {
                numbering.ends += 1;
                // The number of the end itself comes after those.
                let told = record.args.events.map_or(0, |events| events.saturating_add(1));
                numbering.told = numbering.told.saturating_add(told);
            }
            _ => return Ok(()),
        }
        if record.args.is_there {
            let process = self.process(record) as usize;
            let properties = &mut self.processes[process].properties;
            let take = |key: &[u8], value: Value<'_>| match value {
                Value::Object(inner) => leaves(inner, &mut |name, value| {
                    let name = [key, b".", name].concat();
                    Self::property(properties, &name, value);
                }),
                value => Self::property(properties, key, value),
            };
            members_and(record.text, b"args", |_, _| {}, take).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Something that records say of a process.
    fn property(of: &mut IndexMap<BString, Property, RandomState>, name: &[u8], value: Value<'_>) {
        let is_known = matches!(name, b"hhash" | b"hostname" | b"p_idx" | b"level" | b"num_events");
        if !is_known && of.len() < PROPERTIES {
            let found = Property::new(name, value);
            of.entry(unescaped(name).into()).or_insert(found);
        }
    }

    /// The file of a call, what it does, and where.
    fn facts(&mut self, record: &Record<'_>) -> (u32, Op, Option<u64>) {
        let args = &record.args;
        if !args.is_there {
            return (Slice::NONE, Op::Other, None);
        }
        let interface = Interface::of(record.category);
        if record.name.starts_with(b"MPI_") && interface != Interface::MpiIo {
            return (Slice::NONE, self.message(record), None);
        }
        let file = match args.file {
            None => Slice::NONE,
            Some(FileName::Hash(b"" | b"0" | b"null")) => Slice::NONE,
            Some(FileName::Hash(hash)) => self.name(hash, true, interface),
            Some(FileName::Literal(name)) => self.name(name, false, interface),
        };
        let (transfer, items) = transfer(record.category, record.name);
        // A seek returns where it went to.
        let is_seek = is_seek(record.category, record.name);
        let offset = if is_seek { None } else { args.offset };
        let Some(returned) = args.returned else { return (file, Op::Other, offset) };
        self.counts.failed += u64::from(returned < 0);
        let Ok(returned) = u64::try_from(returned) else { return (file, Op::Failed, None) };
        if is_seek {
            return (file, Op::Other, Some(returned));
        }
        let bytes = match (items, args.size) {
            // `fread` and `fwrite` return items.
            (true, Some(size)) => returned.saturating_mul(size),
            (true, None) => return (file, Op::Other, offset),
            (false, _) => returned,
        };
        (file, transfer.map_or(Op::Other, |transfer| transfer(bytes)), offset)
    }

    /// The epoch and step of a call of which nothing else is known.
    fn phase(&mut self, record: &Record<'_>, op: &mut Op) {
        let Args { epoch, step, .. } = record.args;
        // The largest number would not have one behind it.
        let phase = [epoch, step].map(|number| number.filter(|number| *number < u64::MAX));
        if *op == Op::Other && phase != [None, None] {
            self.has_phases = true;
            *op = Op::Phase(phase);
        }
    }

    /// The values of a counter: one for each argument that is a number.
    fn counter(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        self.counts.counters += 1;
        let Some(time) = self.time(record, line) else { return Ok(()) };
        let mut values: Vec<(BString, f64)> = Vec::new();
        let mut one = |key: &[u8], value: Value<'_>| {
            let is_known = matches!(key, b"hhash" | b"hostname" | b"fhash" | b"fname");
            let number = std::str::from_utf8(value.token()).ok().and_then(|text| text.parse().ok());
            if let Some(number) = number.filter(|number: &f64| !is_known && number.is_finite()) {
                values.push((unescaped(key).into(), number));
            }
        };
        let take = |key: &[u8], value: Value<'_>| match value {
            Value::Object(inner) => {
                leaves(inner, &mut |name, value| one(&[key, b".", name].concat(), value));
            }
            value => one(key, value),
        };
        members_and(record.text, b"args", |_, _| {}, take).map_err(io::Error::other)?;
        for (key, value) in values {
            self.value(record, (line, time), (key, Measure::Value), value.to_bits())?;
        }
        Ok(())
    }

    /// What is known of many calls: how many, how long, how many bytes.
    fn aggregate(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(time) = self.time(record, line) else { return Ok(()) };
        let args = &record.args;
        let calls = args.aggregated_calls();
        let mut value = |measure, value: Option<u64>| match value {
            Some(value) => self.value(record, (line, time), (BString::default(), measure), value),
            None => Ok(()),
        };
        value(Measure::Calls, Some(calls))?;
        // A value that is the same for all calls stands once.
        let each = |value: Option<u64>| value.map(|value| value.saturating_mul(calls));
        let bytes = match transfer(record.category, record.name) {
            (Some(_), false) => {
                let whole =
                    |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
                whole(args.returned_sum).or_else(|| each(whole(args.returned)))
            }
            _ => None,
        };
        value(Measure::Bytes, bytes)?;
        let unit = self.unit;
        let sum = args.time_sum.and_then(|sum| nanoseconds(sum, unit));
        let sum = sum.or_else(|| each(args.time_each.and_then(|time| nanoseconds(time, unit))));
        match sum {
            Some(sum) => self.value(record, (line, time), (BString::default(), Measure::Time), sum),
            None => Ok(()),
        }
    }

    /// A value at a time goes to the counters of its process.
    fn value(
        &mut self,
        record: &Record<'_>,
        (line, time): (u64, u64),
        (key, measure): (BString, Measure),
        bits: u64,
    ) -> io::Result<()> {
        let plain = |text: &[u8]| BString::from(unescaped(text));
        let (category, name) = (plain(record.category), plain(record.name));
        let (series, _) = self.series.insert_full(Series { category, name, key, measure });
        let process = self.process(record);
        let next = self.threads.len() as u32;
        // No thread is called so.
        let tid = BString::from("\0counters");
        let lane = *self.of_tid.entry((process, tid.clone())).or_insert(next);
        if lane == next {
            let label = Some(BString::from("counters"));
            self.threads.push(Thread { process, tid, label, is_counters: true });
        }
        let (first, last) = self.span.get_or_insert((time, time));
        (*first, *last) = ((*first).min(time), (*last).max(time));
        let (start, end, region, file, op) =
            (time, time, series as u32, Slice::NONE, Op::Value(bits));
        self.sorter.push(Slice { lane, start, end, line, region, file, op, offset: None })
    }

    /// What a call of MPI does.
    fn message(&mut self, record: &Record<'_>) -> Op {
        let op = messages::operation(record.name, &record.args);
        let known = &mut self.messages;
        known.communicators += u64::from(messages::makes_communicator(record.name));
        known.calls += u64::from(op != Op::Other);
        let mut has_peer = |peer: Peer| {
            if peer.rank != Peer::ANY {
                known.most = known.most.max(Some(peer.rank));
            }
        };
        match op {
            Op::Send(to) | Op::Isend(to) => has_peer(to),
            Op::Recv(from) | Op::Irecv(from) => has_peer(from),
            Op::Sendrecv(to, from) => {
                has_peer(to);
                has_peer(from);
            }
            _ => {}
        }
        op
    }

    /// The number of the name of a file, which is a hash or not.
    fn name(&mut self, name: &[u8], is_hash: bool, interface: Interface) -> u32 {
        let known = &mut self.names[interface as usize][usize::from(is_hash)];
        if let Some(number) = known.get(name.as_bstr()) {
            return *number;
        }
        let number = self.name_list.len() as u32;
        known.insert(name.into(), number);
        let name = match is_hash {
            true => Name::Hash(name.into()),
            false => Name::Literal(unescaped(name).into()),
        };
        self.name_list.push((name, interface));
        number
    }

    fn region(&mut self, record: &Record<'_>) -> u32 {
        // No category has a line end.
        self.key.clear();
        self.key.extend_from_slice(record.category);
        self.key.push(b'\n');
        self.key.extend_from_slice(record.name);
        if let Some(region) = self.regions.get(self.key.as_bstr()) {
            return *region;
        }
        let region = self.region_list.len() as u32;
        self.regions.insert(self.key.clone().into(), region);
        let plain = |text: &[u8]| BString::from(unescaped(text));
        self.region_list.push((plain(record.category), plain(record.name)));
        region
    }

    fn host(record: &Record<'_>) -> Option<Name> {
        match record.args.host? {
            FileName::Hash(b"" | b"0" | b"null") | FileName::Literal(b"") => None,
            FileName::Hash(hash) => Some(Name::Hash(hash.into())),
            FileName::Literal(name) => Some(Name::Literal(unescaped(name).into())),
        }
    }

    fn process(&mut self, record: &Record<'_>) -> u32 {
        let host = record.args.host.map(|host| host.token());
        if let Some(&process) = self.of_pid.get(record.pid.as_bstr()) {
            let known = &mut self.processes[process as usize].host;
            match (&known, host) {
                (_, None) => return process,
                (Some(Name::Hash(known) | Name::Literal(known)), Some(host)) if known == host => {
                    return process;
                }
                (None, Some(_)) => {
                    *known = Self::host(record);
                    return process;
                }
                _ => {}
            }
            // The same number on another host.
            let is_it =
                |other: &Process| other.pid == record.pid && other.host == Self::host(record);
            if let Some(process) = self.processes.iter().position(is_it) {
                self.of_pid.insert(record.pid.into(), process as u32);
                return process as u32;
            }
        }
        let process = self.processes.len() as u32;
        let host = Self::host(record);
        self.processes.push(Process { pid: record.pid.into(), host, ..Process::default() });
        self.of_pid.insert(record.pid.into(), process);
        process
    }

    fn thread(&mut self, record: &Record<'_>) -> u32 {
        let host_is_same = |process: &Process| match (&process.host, record.args.host) {
            (Some(Name::Hash(known) | Name::Literal(known)), Some(host)) => known == host.token(),
            (_, None) => true,
            _ => false,
        };
        if let Some((pid, tid, thread)) = &self.last_thread {
            let process = self.threads[*thread as usize].process;
            if pid == record.pid
                && tid == record.tid
                && host_is_same(&self.processes[process as usize])
            {
                return *thread;
            }
        }
        let process = self.process(record);
        let next = self.threads.len() as u32;
        let tid = BString::from(record.tid);
        let thread = *self.of_tid.entry((process, tid.clone())).or_insert(next);
        if thread == next {
            let (label, is_counters) = (None, false);
            self.threads.push(Thread { process, tid: tid.clone(), label, is_counters });
        }
        self.last_thread = Some((record.pid.into(), tid, thread));
        thread
    }

    fn metadata(&mut self, record: &Record<'_>) {
        let args = &record.args;
        // One development state had the string in `name`.
        if let (Some(hash), None) = (args.hash, args.value) {
            self.string(b"FH", hash, record.name);
            return;
        }
        let Some(name) = args.name else { return };
        let value = args.value.map(|value| value.token()).unwrap_or_default();
        match record.name {
            b"FH" | b"HH" | b"SH" => self.string(record.name, value, name),
            b"CM" if name == b"time_metric" => match value {
                b"NS" => self.unit = 1,
                b"US" => self.unit = 1000,
                b"MS" => self.unit = 1_000_000,
                b"SEC" => self.unit = 1_000_000_000,
                other => {
                    let other = other.to_str_lossy();
                    self.odd.push(format!("the unit of times is {other}: microseconds are taken"));
                }
            },
            b"CM" | b"PR" if record.name == b"CM" || name != b"rank" => {
                let Some(value) = args.value else { return };
                let process = self.process(record) as usize;
                Self::property(&mut self.processes[process].properties, name, value);
            }
            b"PR" if name == b"rank" => {
                let process = self.process(record);
                let rank = args.value.and_then(|value| value.whole());
                self.processes[process as usize].rank = rank;
            }
            b"process_name" => {
                let process = self.process(record);
                let label = BString::from(unescaped(name));
                let process = &mut self.processes[process as usize];
                if process.rank.is_none() {
                    let rank =
                        label.strip_prefix(b"Rank ").or_else(|| label.strip_prefix(b"rank "));
                    process.rank = rank.and_then(|rank| rank.to_str().ok()?.trim().parse().ok());
                }
                process.label = Some(label);
            }
            b"thread_name" if name != record.pid => {
                let thread = self.thread(record);
                self.threads[thread as usize].label = Some(unescaped(name).into());
            }
            _ => {}
        }
    }

    /// A hash and what it stands for. The first one counts.
    fn string(&mut self, kind: &[u8], hash: &[u8], text: &[u8]) {
        let strings = match kind {
            b"FH" => &mut self.strings.files,
            b"HH" => &mut self.strings.hosts,
            _ => &mut self.strings.others,
        };
        let text = BString::from(unescaped(text));
        match strings.get(hash.as_bstr()) {
            Some(known) if *known == text => {}
            Some(known) => {
                self.counts.collisions += 1;
                let what = || format!("{} stands for {known} and for {text}", hash.as_bstr());
                self.collision.get_or_insert_with(what);
            }
            None => drop(strings.insert(hash.into(), text)),
        }
    }

    /// Compares the numbers of records with what the end says of them.
    fn find_missing(&mut self) {
        let Counts { aggregates, malformed, .. } = self.counts;
        let Some((missing, given)) = self.numbering.missing() else { return };
        // Calls that are added up have numbers. Lines that cannot be read are lost already.
        let missing = missing.saturating_sub(malformed);
        if missing == 0 || aggregates > 0 {
            return;
        }
        let Numbering { starts, ends, is_early, .. } = self.numbering;
        let what =
            format!("the tracer numbered {given} records, and {missing} are not in the file");
        // Otherwise a part of a process may be in another file.
        let is_whole = starts == 1 && ends == 1 && self.processes.len() == 1;
        if is_early {
            self.odd.push(format!("{what}: they are lost, or calls that did not end"));
        } else if is_whole {
            self.counts.missing = missing;
            self.losses.push(Loss::of_file(&self.path, what));
        } else {
            self.odd.push(what);
        }
    }

    fn end(mut self, bytes: u64) -> io::Result<Scanned> {
        let left: Vec<u64> = self.open.values().flatten().map(|open| open.line).collect();
        self.counts.unmatched += left.len() as u64;
        if let Some(first) = left.iter().min() {
            let what = match left.len() - 1 {
                0 => "a begin without its end".to_owned(),
                more => format!("a begin without its end, and {more} more"),
            };
            self.lose(*first, what);
        }
        if self.numbering.starts > self.numbering.ends {
            self.odd
                .push("the tracer did not end: what it had not yet written is missing".to_owned());
        }
        self.find_missing();
        if let Some(collision) = self.collision.take() {
            let collisions = self.counts.collisions;
            self.odd.push(format!(
                "hashes stand for several names, {collisions} times; the first name counts: {collision}"
            ));
        }
        let cut_after = self.unit;
        let slices = self.sorter.end(cut_after)?;
        if slices.cut > 0 {
            let cut = slices.cut;
            self.odd.push(format!(
                "{cut} calls end a unit of time behind the call around them, and were cut"
            ));
        }
        Ok(Scanned {
            slices,
            regions: self.region_list,
            names: self.name_list,
            series: self.series.into_iter().collect(),
            has_phases: self.has_phases,
            processes: self.processes,
            threads: self.threads,
            strings: self.strings,
            messages: self.messages,
            counts: self.counts,
            span: self.span,
            losses: self.losses,
            odd: self.odd,
            bytes,
        })
    }
}

/// Whether a call moves to another place in its file, and returns it.
fn is_seek(category: &[u8], name: &[u8]) -> bool {
    matches!(category, b"POSIX" | b"posix") && matches!(name, b"lseek" | b"lseek64")
}

/// What a call does with so many bytes of a file.
type Transfer = fn(u64) -> Op;

/// What a call does to a file, and whether it returns items rather than bytes. `None`: it moves nothing.
fn transfer(category: &[u8], name: &[u8]) -> (Option<Transfer>, bool) {
    match category {
        b"POSIX" | b"posix" => match name {
            b"read" | b"pread" | b"pread64" | b"readv" | b"preadv" | b"preadv64" | b"preadv2"
            | b"__read" | b"__pread64" => (Some(Op::Read), false),
            b"write" | b"pwrite" | b"pwrite64" | b"writev" | b"pwritev" | b"pwritev64"
            | b"pwritev2" | b"sendfile" | b"sendfile64" | b"copy_file_range" => {
                (Some(Op::Write), false)
            }
            _ => (None, false),
        },
        b"STDIO" | b"stdio" => match name {
            b"fread" | b"fread_unlocked" => (Some(Op::Read), true),
            b"fwrite" | b"fwrite_unlocked" => (Some(Op::Write), true),
            _ => (None, false),
        },
        _ => (None, false),
    }
}
