//! A file, record by record: what its processes and threads did, and what it names.

mod blocks;
mod calls;
mod counts;
mod metadata;
mod names;
mod numbering;
mod pairs;
mod processes;
mod tables;
mod values;
mod written;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::IndexSet;
use serde::{Deserialize, Serialize};

use super::files::has_name;
use super::json::{look, next_object, Look, Unended, IN_OBJECT};
use super::objects::{layout, About, Found, Layout, Objects};
use super::record::{nanoseconds, Phase, Record};
use super::series::Series;
use super::slices::{Cuts, Lane, Lanes, Overlaps, Slice, Slices, Sorter, Wanted, LANES};
use crate::defining::Kept;
use crate::text::{Blocks, Extent, Parting, Text};
use crate::Loss;
use blocks::{Parsed, Parts};
use numbering::Numbering;
use pairs::Marks;
use tables::Tables;
use written::Written;

pub(super) use calls::{Interface, Messages};
pub(super) use counts::Counts;
pub(super) use names::{Name, Strings};
pub(super) use processes::{Process, Property, Thread, Track};

type Map<K, V> = HashMap<K, V, RandomState>;

/// Two roundings to nanoseconds move the end of a call by so much.
const ROUNDING: u64 = 2;

/// A time for people.
pub(super) fn microseconds(nanoseconds: u64) -> String {
    match nanoseconds % 1000 {
        0 => format!("{} us", nanoseconds / 1000),
        rest => format!("{}.{rest:03} us", nanoseconds / 1000),
    }
}

/// Content of a file, without its calls.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Scanned {
    /// Lanes of one thread follow each other.
    pub lanes: Vec<Lane>,
    /// Threads whose calls overlap.
    pub overlaps: Vec<Overlaps>,
    /// Set if streams copy, and say how much.
    pub has_copies: bool,
    /// Set if streams have work with the number of its operation alone.
    pub has_external: bool,
    /// Receives from any source of processes whose rank is known.
    pub wanted: Vec<Wanted>,
    /// Category and name.
    pub regions: Vec<(BString, BString)>,
    /// Files, and how they are used.
    pub names: Vec<(Name, Interface)>,
    /// Series of values.
    pub series: Vec<Series>,
    /// Set if calls have parameters.
    pub has_phases: bool,
    /// Set if calls say what they start on streams.
    pub has_links: bool,
    pub processes: Vec<Process>,
    pub threads: Vec<Thread>,
    pub strings: Strings,
    pub messages: Messages,
    pub counts: Counts,
    /// When the first call begins, and the last one ends, in nanoseconds.
    pub span: Option<(u64, u64)>,
    pub losses: Kept<Loss>,
    /// Oddities that lose nothing.
    pub odd: Vec<String>,
    /// Bytes of text.
    pub bytes: u64,
    /// The length of the file, and whether it has grown since reading began.
    pub extent: Extent,
    pub growth: Option<Loss>,
}

/// Reads a file: its content, and its calls; to where it ended when reading began, if that was before.
///
/// # Errors
///
/// When it cannot be opened, or holds no trace of this format.
pub(super) fn scan_file(
    path: &Path,
    extent: Option<Extent>,
    parting: Parting,
) -> Result<(Scanned, Slices), Loss> {
    let failed = |error: io::Error| Loss::of_system(path, &error);
    let extent = extent.map_or_else(|| Extent::begin(path), Ok).map_err(failed)?;
    let layout = layout(path, extent).map_err(failed)?;
    let (mut layout, mut is_sorted) = (layout.unwrap_or(Layout::Lines), false);
    loop {
        let mut reading = FileReading::new(path, extent, is_sorted, parting);
        let bytes = match layout {
            Layout::Lines => reading.lines(),
            layout => reading.document(layout),
        };
        match (reading.again, bytes.map_err(failed)?) {
            (None, bytes) => return reading.end(bytes).map_err(failed),
            (Some(Again::Bare), _) => layout = Layout::Bare,
            (Some(Again::Sorted), _) => is_sorted = true,
        }
    }
}

/// Reasons for which a file is read once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Again {
    /// Objects are not on lines.
    Bare,
    /// Begins and ends are not in the order of their times.
    Sorted,
}

/// The rest of a text from its next object on, so many bytes behind its begin or later.
fn from_object(text: &[u8], bytes: usize) -> &[u8] {
    next_object(text, bytes).map_or(&[], |at| &text[at..])
}

struct FileReading {
    path: PathBuf,
    extent: Extent,
    sorter: Sorter,
    tables: Tables,
    series: IndexSet<Series, RandomState>,
    processes: Vec<Process>,
    /// The process of a number that was seen last.
    of_pid: Map<BString, u32>,
    /// Set if two processes have the same number.
    has_namesakes: bool,
    threads: Vec<Thread>,
    of_tid: Map<(u32, BString), u32>,
    marks: Marks,
    written: Written,
    strings: Strings,
    span: Option<(u64, u64)>,
    losses: Kept<Loss>,
    odd: Vec<String>,
    /// Nanoseconds of a unit of time.
    unit: u64,
    /// Set if times are not whole units.
    has_fractions: bool,
    /// Records so far.
    number: u64,
    /// Set if the file could not be read to its end.
    is_broken: bool,
    numbering: Numbering,
    collision: Option<String>,
    /// The same again is found at once.
    last_thread: Option<(BString, BString, u32)>,
    filling: Filling,
    /// An object that ends behind its line, if at all.
    cut: Vec<u8>,
    /// Set if the file is to be read once more.
    again: Option<Again>,
    about: About,
    parting: Parting,
}

/// Bytes between the records on lines: brackets of the array, and NUL bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Filling {
    opened: u64,
    closed: u64,
    /// The first line with NUL bytes, and how many there are.
    nul: Option<(u64, u64)>,
    /// The first line with a bracket that closes nothing. An array may lack the one that opens it.
    unopened: Option<u64>,
    /// The line of a bracket that opens an array, if no record follows it.
    opened_behind: Option<u64>,
}

impl Filling {
    fn take(&mut self, bytes: &[u8], line: u64) {
        for byte in bytes {
            match byte {
                b'[' => {
                    self.opened += 1;
                    self.opened_behind.get_or_insert(line);
                }
                b']' => {
                    self.closed += 1;
                    if self.closed > self.opened.max(1) {
                        self.unopened.get_or_insert(line);
                    }
                    self.opened_behind = None;
                }
                0 => self.nul.get_or_insert((line, 0)).1 += 1,
                _ => {}
            }
        }
    }
}

impl FileReading {
    fn new(path: &Path, extent: Extent, is_sorted: bool, parting: Parting) -> Self {
        FileReading {
            path: path.to_owned(),
            extent,
            sorter: Sorter::new(parting.is_alone),
            tables: Tables::default(),
            series: IndexSet::default(),
            processes: Vec::new(),
            of_pid: Map::default(),
            has_namesakes: false,
            threads: Vec::new(),
            of_tid: Map::default(),
            marks: Marks::new(is_sorted),
            written: Written::new(has_name(path)),
            strings: Strings::default(),
            span: None,
            losses: Kept::default(),
            odd: Vec::new(),
            unit: 1000,
            has_fractions: false,
            number: 0,
            is_broken: false,
            numbering: Numbering::default(),
            collision: None,
            last_thread: None,
            filling: Filling::default(),
            cut: Vec::new(),
            again: None,
            about: About::default(),
            parting,
        }
    }

    fn lose(&mut self, line: u64, what: String) {
        self.losses.push(Loss::of_line(&self.path, line, what));
    }

    /// The text of the file, from its begin on.
    fn text(&self) -> io::Result<Text> {
        Text::open_to(&self.path, self.extent)
    }

    /// An object on each line. Returns the bytes of text.
    fn lines(&mut self) -> io::Result<u64> {
        let Parting { size, is_alone } = self.parting;
        let blocks = Blocks::of_lines(self.text()?, size);
        let mut parts = Parts::new(blocks, Layout::Lines, self.unit, is_alone);
        let mut lines = 0;
        while self.again.is_none() {
            parts.unit = self.unit;
            match parts.next() {
                Ok(Some(parsed)) => lines = self.lines_of(parsed, lines)?,
                Ok(None) => {
                    self.odd_filling();
                    break;
                }
                Err(error) => {
                    let what = format!("the file cannot be read on: {error}");
                    self.lose(lines + 1, what);
                    self.is_broken = true;
                }
            }
        }
        Ok(parts.bytes())
    }

    /// A line that is no call by itself.
    fn left_line(&mut self, line: &[u8], number: u64, is_whole: bool) -> io::Result<()> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match self.goes_on(line) {
            true => {
                self.again = Some(Again::Bare);
                Ok(())
            }
            false => self.line(line, number, is_whole),
        }
    }

    /// Tells whether a line goes on with the object that the line before it has cut.
    fn goes_on(&mut self, line: &[u8]) -> bool {
        let text = line.trim_ascii();
        if self.cut.is_empty() || text.is_empty() {
            return false;
        }
        let mut both = std::mem::take(&mut self.cut);
        let is_event = Record::read(text).is_ok_and(|(record, _)| record.is_event());
        both.push(b'\n');
        both.extend_from_slice(line);
        !is_event && !matches!(look(&both), Look::Torn(..))
    }

    fn line(&mut self, line: &[u8], number: u64, is_whole: bool) -> io::Result<()> {
        let mut rest = line;
        let (mut is_told, mut is_torn) = (false, false);
        let mut unended = Unended::default();
        loop {
            let is_filling =
                |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']' | 0);
            let filling = rest.iter().take_while(|byte| is_filling(byte)).count();
            if filling > 0 {
                self.filling.take(&rest[..filling], number);
            }
            rest = &rest[filling..];
            if rest.is_empty() {
                return Ok(());
            }
            let offset = (line.len() - rest.len()) as u64;
            if unended.has(offset) {
                is_torn = true;
                rest = from_object(rest, 1);
                continue;
            }
            let why = match Record::read(rest) {
                // The rest of a record that cannot be read is no record of its own.
                Ok((record, end)) if is_torn && !record.is_event() => {
                    rest = from_object(rest, end);
                    continue;
                }
                Ok((record, end)) => {
                    is_torn = false;
                    self.record(&record, number)?;
                    self.filling.opened_behind = None;
                    rest = &rest[end..];
                    continue;
                }
                Err(why) => why,
            };
            if why == IN_OBJECT && !is_torn && is_whole {
                self.cut = rest.to_vec();
            }
            if !is_told {
                is_told = true;
                self.tables.counts.malformed += 1;
                if !is_whole && self.is_broken {
                    // The end of the file was reported.
                    return Ok(());
                }
                let why = if is_whole { why } else { "the file ends within a line" };
                self.lose(number, format!("{why}: {:?}", rest[..rest.len().min(120)].as_bstr()));
            }
            // Another record may begin in the same line.
            is_torn = true;
            match look(rest) {
                Look::Whole(at) | Look::Torn(at, _) => rest = from_object(rest, at),
                Look::Cut if !unended.keep(rest, offset, rest.len()) => return Ok(()),
                Look::Cut => rest = from_object(rest, 1),
            }
        }
    }

    /// Reports what stands between records and belongs to no array of events.
    fn odd_filling(&mut self) {
        let Filling { nul, unopened, opened_behind, .. } = self.filling;
        if let Some((line, count)) = nul {
            let what = format!("{count} NUL bytes, where a record was expected");
            self.lose(line, what);
        }
        if let Some(line) = unopened.or(opened_behind.filter(|_| self.tables.counts.records() > 0))
        {
            self.lose(line, "a bracket behind the last record: it belongs to no array".to_owned());
        }
    }

    /// The events of a document.
    fn document(&mut self, layout: Layout) -> io::Result<u64> {
        let Parting { size, is_alone } = self.parting;
        let begin = Objects::begin_of_events(self.text()?, layout)?;
        let blocks = Blocks::of_records(self.text()?, size, begin);
        let parts = Parts::new(blocks, layout, self.unit, is_alone);
        let mut objects = Objects::new(parts, layout == Layout::Bare);
        while self.again.is_none() {
            let next = objects.between_events().map_or(Ok(None), |parts| {
                parts.unit = self.unit;
                parts.next()
            });
            match next {
                Ok(Some(mut parsed)) => {
                    self.items(&mut parsed, objects.lines, false)?;
                    let Parsed { bytes, end, lines, has_records, .. } = parsed;
                    objects.took(bytes, (end, lines), has_records);
                    continue;
                }
                Ok(None) => {}
                Err(error) => {
                    objects.failed(error);
                    continue;
                }
            }
            let found = objects.next();
            let line = objects.line;
            match found {
                Ok(Found::Event(begin, end)) => match Record::read(&objects.bytes()[begin..end]) {
                    // The rest of an event that cannot be read is no event of its own.
                    Ok((record, _)) if objects.is_torn() && !record.is_event() => {}
                    Ok((record, _)) => {
                        self.record(&record, line)?;
                        objects.is_event();
                    }
                    Err(why) => {
                        self.tables.counts.malformed += 1;
                        self.lose(line, why.to_owned());
                        objects.tear(begin)?;
                    }
                },
                Ok(Found::Odd(what)) => {
                    self.tables.counts.malformed += 1;
                    self.lose(line, what.to_owned());
                }
                Ok(Found::End(is_whole)) => {
                    let bytes = objects.offset();
                    if !is_whole {
                        self.odd.push("the document does not end".to_owned());
                    }
                    if objects.documents > 1 {
                        let documents = objects.documents;
                        let what = "are read, one behind the other";
                        self.odd.push(format!("{documents} documents in the file {what}"));
                    }
                    if objects.about.has_bases {
                        let what = "documents count times from different begins; the last one counts for all";
                        self.odd.push(what.to_owned());
                    }
                    self.about = objects.about;
                    return Ok(bytes);
                }
                Err(error) => {
                    let what = format!("the file cannot be read on: {error}");
                    self.lose(line, what);
                }
            }
        }
        Ok(objects.offset())
    }

    fn record(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        if record.is_empty() {
            return Ok(());
        }
        if !record.is_event() {
            self.tables.counts.malformed += 1;
            self.lose(line, "the record has no phase (ph)".to_owned());
            return Ok(());
        }
        self.number += 1;
        self.numbering.take(record);
        match record.phase {
            Phase::Complete => return self.complete(record, line),
            Phase::Begin => return self.begin(record, line),
            Phase::End => return self.leave(record, line),
            Phase::Metadata => {
                self.tables.counts.metadata += 1;
                self.metadata(record);
            }
            Phase::Counter => return self.counter(record, line),
            Phase::Aggregate => {
                self.tables.counts.aggregates += 1;
                self.tables.counts.aggregated += record.args.aggregated_calls();
                return self.aggregate(record, line);
            }
            Phase::Instant => self.tables.counts.instants += 1,
            Phase::SpanBegin => return self.span_begin(record, line),
            Phase::SpanEnd => return self.span_end(record, line),
            Phase::Passing => self.tables.counts.passing += 1,
            Phase::Unknown => self.tables.counts.unknown += 1,
        }
        Ok(())
    }

    /// The time of a record.
    fn time(&mut self, record: &Record<'_>, line: u64) -> Option<u64> {
        let time = record.time.and_then(|time| nanoseconds(time, self.unit));
        if time.is_none() {
            self.tables.counts.untimed += 1;
            let found = record.time.map_or("nothing".into(), |time| time.token().to_str_lossy());
            self.lose(line, format!("expected a time (ts), found {found}"));
        }
        self.has_fractions |= time.is_some_and(|time| time % self.unit != 0);
        time.map(|time| time.min(Slice::OPEN - 1))
    }

    fn end(mut self, bytes: u64) -> io::Result<(Scanned, Slices)> {
        self.end_pairs()?;
        if self.numbering.starts > self.numbering.ends {
            self.odd
                .push("the tracer did not end: what it had not yet written is missing".to_owned());
        }
        self.find_missing();
        if let Some(collision) = self.collision.take() {
            let collisions = self.tables.counts.collisions;
            self.odd.push(format!(
                "hashes stand for several names, {collisions} times; the first name counts: {collision}"
            ));
        }
        let tolerance = if self.has_fractions { ROUNDING } else { self.unit };
        let sorter = std::mem::replace(&mut self.sorter, Sorter::new(false));
        let whole = std::mem::take(&mut self.tables.whole);
        let (mut slices, lanes) = sorter.end(self.written.outer(), tolerance, &whole)?;
        let Lanes { all: lanes, cut, crowded, overlaps, has_copies, mut wanted } = lanes;
        slices.base = self.about.base.unwrap_or(0);
        let from_base = |(first, last): (u64, u64)| {
            (first.saturating_add(slices.base), last.saturating_add(slices.base))
        };
        let span = self.span.map(from_base);
        self.distributed(&lanes);
        let rank = |of: &Wanted| {
            let thread = lanes[of.lane as usize].thread;
            self.processes[self.threads[thread as usize].process as usize].rank
        };
        wanted.retain(|of| rank(of).is_some());
        let start = |of: &Wanted| of.start.saturating_add(slices.base).min(Slice::OPEN - 1);
        wanted.iter_mut().for_each(|of| of.start = start(of));
        if cut.count > 0 {
            let Cuts { count, lost, .. } = cut;
            let unit = if self.has_fractions { "nanosecond" } else { "unit of time" };
            self.odd.push(format!(
                "{count} calls end a {unit} behind the call around them, and were cut by {} in all",
                microseconds(lost)
            ));
        }
        if crowded.count > 0 {
            let Cuts { count, lost, line } = crowded;
            let what = format!(
                "more than {LANES} calls at once on a thread: {count} were cut, by {} in all",
                microseconds(lost)
            );
            self.losses.push(Loss::of_line(&self.path, line, what));
        }
        let scanned = Scanned {
            lanes,
            overlaps,
            has_copies,
            has_external: whole.has_external,
            wanted,
            regions: self.tables.region_list,
            names: self.tables.file_list,
            series: self.series.into_iter().collect(),
            has_phases: self.tables.has_phases,
            has_links: self.tables.has_links,
            processes: self.processes,
            threads: self.threads,
            strings: self.strings,
            messages: self.tables.messages,
            counts: self.tables.counts,
            span,
            losses: self.losses,
            odd: self.odd,
            bytes,
            extent: self.extent,
            growth: self.extent.growth(&self.path),
        };
        Ok((scanned, slices))
    }
}
