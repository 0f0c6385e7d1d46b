//! The whole log once: what it defines, how many events each processor has, and every fault.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use bstr::ByteSlice;
use foldhash::fast::RandomState;
use streamfold_model::store::Definitions;

use super::head::{refused, Block, Head, Readings};
use super::meaning::{definitions, Count, Lane, Meaning};
use super::records::{Next, Record, Shape};
use super::source::Log;
use super::text::{is_space, Token, Tokens, BLOCK};
use super::MAGIC;
use crate::text::{Extent, Parting};
use crate::{Loss, Note, Place};

/// Number of faults and oddities that are kept; all are counted.
const KEPT: usize = 1000;

/// More processors than this are defined only where they have records.
const DEFINED: u32 = 1 << 16;

/// Reads a log.
///
/// # Errors
///
/// When the file cannot be read, or is refused: magic, header, and settings of the wrong shape.
pub fn scan(path: &Path, readings: Readings) -> Result<(Log, Definitions), Loss> {
    scan_in_blocks(path, readings, Parting { size: BLOCK, is_alone: true })
}

/// The same in blocks of so many bytes.
pub(super) fn scan_in_blocks(
    path: &Path,
    readings: Readings,
    parting: Parting,
) -> Result<(Log, Definitions), Loss> {
    let mut head = Head::default();
    let extent = Extent::begin(path).map_err(|error| Loss::of_system(path, &error))?;
    let mut tokens = open(path, extent, &mut head, parting)?;
    let begin = (tokens.offset(), tokens.line());
    let (counters, states) = (head.counters.clone(), head.states.len());
    let mut scanned = Scanned::of(path, &mut tokens, &mut head, readings)?;
    if head.counters != counters || head.states.len() != states {
        // The footer says something else of the records before it.
        let mut again = head.clone();
        let mut tokens = Tokens::open(path, extent, begin, parting)?;
        scanned = Scanned::of(path, &mut tokens, &mut again, readings)?;
    }
    scanned.finish(path, &head, begin, readings, extent)
}

/// Goes behind the header.
fn open(path: &Path, extent: Extent, head: &mut Head, parting: Parting) -> Result<Tokens, Loss> {
    let mut tokens = Tokens::open(path, extent, (0, 1), parting)?;
    let magic = tokens.first(11)?.to_owned();
    let digits = magic.get(8..10).filter(|_| magic.starts_with(MAGIC));
    match digits {
        Some(b"01") if magic.get(10).is_none_or(|byte| is_space(*byte)) => {}
        Some(digits) if digits.iter().all(u8::is_ascii_digit) && digits != b"01" => {
            let what = format!("version {} is not supported, but 01 is", digits.as_bstr());
            return Err(refused(path, 1, "E02", what));
        }
        _ => {
            let what = format!("expected GISTLOG-01 and white space, found {:?}", magic.as_bstr());
            return Err(refused(path, 1, "E01", what));
        }
    }
    tokens.pass(10);
    let line = tokens.line();
    match tokens.next()? {
        Some((_, Token::Word(b"head"))) => {}
        other => {
            let line = other.map_or(line, |(at, _)| at.line);
            return Err(refused(path, line, "E03", "expected the header: head { … }"));
        }
    }
    Block { path, tokens: &mut tokens, name: "head", head }.read()?;
    Ok(tokens)
}

/// How often something odd was found, and where first.
#[derive(Default)]
struct Oddity {
    count: u64,
    line: u64,
}

impl Oddity {
    fn at(&mut self, line: u64) {
        if self.count == 0 {
            self.line = line;
        }
        self.count += 1;
    }
}

/// A processor that has records.
struct Processor {
    lane: Lane,
    /// The time of its last record.
    last: u64,
    first_line: u64,
}

/// Result of the pass over the records.
#[derive(Default)]
struct Scanned {
    lanes: HashMap<u32, Processor, RandomState>,
    /// The first line of each event that is not declared.
    undeclared: BTreeMap<u32, u64>,
    span: Option<(u64, u64)>,
    records: u64,
    /// The length of the first record in bytes.
    width: Option<usize>,
    widths: Oddity,
    back: Oddity,
    lost: u64,
    losses: Vec<Loss>,
    notes: Vec<Note>,
    noted: u64,
    outside: Oddity,
}

fn loss(path: &Path, line: u64, code: Option<&'static str>, what: String) -> Loss {
    Loss {
        file: path.to_owned(),
        place: Some(Place::Line(line)),
        record: None,
        code: code.map(Into::into),
        what,
        is_io: false,
    }
}

impl Scanned {
    /// Reads the records and the footer.
    fn of(
        path: &Path,
        tokens: &mut Tokens,
        head: &mut Head,
        readings: Readings,
    ) -> Result<Scanned, Loss> {
        let mut scanned = Scanned::default();
        let declared: HashSet<u32, RandomState> =
            head.events.iter().map(|(event, _)| *event).collect();
        let (meaning, span) = (Meaning::new(head, []), (head.start, head.stop));
        let mut shape =
            Shape { counters: head.counters.len(), processors: readings.processors, width: None };
        let mut found = Vec::new();
        let foot = loop {
            if let Some(records) = tokens.records(shape, None)? {
                for (record, counters) in records.iter() {
                    scanned.record(record, counters, &meaning, &declared, span);
                }
                shape.width = scanned.width;
                continue;
            }
            match shape.next(tokens, &mut found, |_| true)? {
                Next::Passed => {}
                Next::Foot(at) => break Some(at),
                Next::End => break None,
                Next::Rejected(at, rejected) => {
                    if let Some(lane) = rejected.processor.and_then(|p| scanned.lanes.get_mut(&p)) {
                        lane.lane.separate(&meaning, Count);
                    }
                    let what = format!("{} (the record is skipped)", rejected.what);
                    scanned.lose(loss(path, at.line, Some(rejected.code), what));
                }
                Next::Record(record) => {
                    scanned.record(record, &found, &meaning, &declared, span);
                    shape.width = scanned.width;
                }
            }
        };
        for processor in scanned.lanes.values_mut() {
            processor.lane.separate(&meaning, Count);
        }
        match foot {
            Some(_) => {
                let foot = Block { path, tokens, name: "foot", head };
                match foot.read() {
                    Err(cut) if cut.code.as_deref() == Some("E03") => {
                        let what = format!("the file ends in the footer: {}", cut.what);
                        scanned.lose(Loss { code: Some("E09".into()), what, ..cut });
                    }
                    read => read?,
                }
                if let Some((at, _)) = tokens.next()? {
                    let what = "there is more behind the footer, which is not read".to_owned();
                    let about = loss(path, at.line, Some("E12"), what);
                    scanned.note(Note { about, is_error: true });
                }
            }
            None => {
                let what = "the file ends without a footer: it was cut, or the program did not end"
                    .to_owned();
                scanned.lose(loss(path, tokens.line(), Some("E09"), what));
            }
        }
        Ok(scanned)
    }

    /// Takes a record; `start` and `stop` are those of the header.
    fn record(
        &mut self,
        record: Record,
        counters: &[u64],
        meaning: &Meaning,
        declared: &HashSet<u32, RandomState>,
        (start, stop): (Option<u64>, Option<u64>),
    ) {
        let Record { processor, event, time, line, length } = record;
        if *self.width.get_or_insert(length) != length {
            self.widths.at(line);
        }
        if !declared.contains(&event) {
            self.undeclared.entry(event).or_insert(line);
        }
        let (first, last) = self.span.get_or_insert((time, time));
        (*first, *last) = ((*first).min(time), (*last).max(time));
        if start.is_some_and(|start| time < start) || stop.is_some_and(|stop| time > stop) {
            self.outside.at(line);
        }
        let new = || Processor { lane: Lane::default(), last: time, first_line: line };
        let of = self.lanes.entry(processor).or_insert_with(new);
        if time < of.last {
            self.back.at(line);
        }
        of.last = time;
        self.records += 1;
        of.lane.take(meaning, record, counters, Count);
    }

    fn lose(&mut self, loss: Loss) {
        self.lost += 1;
        if self.losses.len() < KEPT {
            self.losses.push(loss);
        }
    }

    fn note(&mut self, note: Note) {
        self.noted += 1;
        if self.notes.len() < KEPT {
            self.notes.push(note);
        }
    }

    fn finish(
        mut self,
        path: &Path,
        head: &Head,
        begin: (u64, u64),
        readings: Readings,
        extent: Extent,
    ) -> Result<(Log, Definitions), Loss> {
        let mut odd = |line: u64, code: Option<&'static str>, is_error: bool, what: String| {
            self.noted += 1;
            if self.notes.len() < KEPT {
                self.notes.push(Note { about: loss(path, line, code, what), is_error });
            }
        };
        for (line, code, what) in &head.odd {
            odd(*line, Some(code), false, what.clone());
        }
        if head.units.is_none() {
            odd(
                1,
                Some("E13"),
                false,
                "timeunitspersec is missing: a time unit is taken as a second".to_owned(),
            );
        }
        if head.processors.is_none() {
            odd(
                1,
                None,
                false,
                "nproc is missing: processors are those that have records".to_owned(),
            );
        }
        let records = |oddity: &Oddity, one: &str, many: &str| match oddity.count {
            1 => format!("1 record {one}"),
            count => format!("{count} records {many}; this is the first"),
        };
        if self.widths.count > 0 {
            let what = records(
                &self.widths,
                "is of another length than the first one",
                "are of another length than the first one",
            );
            odd(self.widths.line, Some("W1"), true, what);
        }
        if self.back.count > 0 {
            let what = records(
                &self.back,
                "is earlier than the one before it of its processor",
                "are earlier than the one before them of their processor",
            );
            odd(self.back.line, Some("W2"), false, what);
        }
        if self.outside.count > 0 {
            let what = records(
                &self.outside,
                "is outside of starttime and stoptime",
                "are outside of starttime and stoptime",
            );
            odd(self.outside.line, Some("W3"), false, what);
        }
        let mut lanes: Vec<(&u32, &Processor)> = self.lanes.iter().collect();
        lanes.sort_unstable_by_key(|(processor, _)| **processor);
        for (processor, Processor { first_line, .. }) in lanes {
            if head.processors.is_some_and(|count| *processor >= count) {
                let what = format!(
                    "processor {processor} has records, nproc is {}",
                    head.processors.unwrap_or(0)
                );
                odd(*first_line, Some("W4"), true, what);
            }
        }
        let undeclared: Vec<(u32, u64)> = {
            let declared: BTreeSet<u32> = head.events.iter().map(|(event, _)| *event).collect();
            let undeclared = self.undeclared.iter().filter(|(event, _)| !declared.contains(event));
            undeclared.map(|(event, line)| (*event, *line)).collect()
        };
        for (event, line) in &undeclared {
            odd(*line, Some("W6"), false, format!("event {event} is not declared"));
        }
        if let Some(about) = extent.growth(path) {
            self.noted += 1;
            self.notes.push(Note { about, is_error: false });
        }
        let meaning = Meaning::new(head, undeclared.iter().map(|(event, _)| *event));
        let mut processors: BTreeMap<u32, u64> = (0..head.processors.unwrap_or(0).min(DEFINED))
            .map(|processor| (processor, 0))
            .collect();
        for (processor, Processor { lane, .. }) in &self.lanes {
            processors.insert(*processor, lane.events);
        }
        let span = self.span.unwrap_or((head.start.unwrap_or(0), head.stop.unwrap_or(0)));
        let definitions = definitions(head, &meaning, readings.counters, &processors, span);
        let log = Log {
            path: path.to_owned(),
            begin,
            extent,
            readings,
            meaning,
            records: self.records,
            processors: processors.len() as u64,
            width: self.width,
            losses: (self.lost, self.losses),
            notes: (self.noted, self.notes),
        };
        Ok((log, definitions))
    }
}
