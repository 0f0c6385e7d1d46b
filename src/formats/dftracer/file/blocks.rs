//! Blocks of a file: calls are read ahead of the order of the file, on all threads.
//!
//! A block numbers what it names for itself. Records that are no calls, and lines that are odd, are left to the file,
//! which takes blocks in their order. So the same comes out for blocks of any length and any number of threads.

use std::io;

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};

use super::numbering::Numbering;
use super::tables::{Names, Tables};
use super::FileReading;
use crate::dftracer::objects::{Layout, Pieces};
use crate::dftracer::record::{nanoseconds, Args, FileName, Phase, Record};
use crate::dftracer::slices::{Op, Slice};
use crate::text::{AheadOfText, Block, Blocks};

/// The blocks of a file.
pub(super) struct Parts {
    blocks: AheadOfText<Work, Parsed>,
    layout: Layout,
    /// Nanoseconds of a unit of time.
    pub unit: u64,
}

impl Parts {
    pub(super) fn new(blocks: Blocks, layout: Layout, unit: u64, is_alone: bool) -> Self {
        Parts { blocks: AheadOfText::new(blocks, parse, is_alone), layout, unit }
    }

    /// Bytes of text that were read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.blocks.bytes()
    }

    /// The next block. An error comes where it is in the text.
    pub(super) fn next(&mut self) -> io::Result<Option<Parsed>> {
        let Parts { layout, unit, .. } = *self;
        let parsed = self.blocks.next(|block| Work { block, layout, unit })?;
        // Another unit since: the block is read once more.
        let again = |parsed: Parsed| match parsed.unit == unit {
            true => parsed,
            false => parsed.again(0, layout, unit),
        };
        Ok(parsed.map(again))
    }
}

impl Pieces for Parts {
    fn append_to(&mut self, to: &mut Vec<u8>) -> io::Result<usize> {
        let block = self.next()?;
        let bytes = block.map(|block| block.bytes).unwrap_or_default();
        to.extend_from_slice(&bytes);
        Ok(bytes.len())
    }
}

/// A block that is to be read.
struct Work {
    block: Block,
    layout: Layout,
    unit: u64,
}

/// A block that was read.
#[derive(Default)]
pub(super) struct Parsed {
    pub bytes: Vec<u8>,
    is_whole: bool,
    unit: u64,
    items: Vec<Item>,
    tables: Tables,
    tracks: IndexMap<BString, Track, RandomState>,
    /// Names of ends.
    ends: IndexSet<BString, RandomState>,
    numbering: Numbering,
    has_fractions: bool,
    /// Set if there is a record.
    pub has_records: bool,
    /// Bytes that were read, and line ends in them. Behind them the order of the file is needed.
    pub end: usize,
    pub lines: u64,
}

/// An item of a block. Lines count from 0 there.
enum Item {
    /// A call, with the numbers of the block.
    Call(Slice),
    /// The begin of a call, or the end of one, by the number of its name in the block.
    Begin(Slice),
    End(Slice),
    /// A record that only counts.
    Counted,
    /// Bytes that are left to the file: a record of a document, or a line.
    Left {
        begin: usize,
        end: usize,
        line: u64,
    },
}

/// A thread of a block.
struct Track {
    pid: BString,
    tid: BString,
    /// The host: a name, and whether it is a hash.
    host: Option<(BString, bool)>,
    is_stream: bool,
    uses_devices: bool,
}

fn parse(work: Work) -> Parsed {
    let Work { block: Block { bytes, is_whole, .. }, layout, unit } = work;
    // Records have some 150 bytes, as a rule.
    let items = Vec::with_capacity(bytes.len() / 128);
    let mut parsed = Parsed { is_whole, unit, items, ..Parsed::default() };
    match layout {
        Layout::Lines => parsed.read_lines(&bytes),
        Layout::Document | Layout::Bare => parsed.read_document(&bytes),
    }
    parsed.bytes = bytes;
    parsed
}

impl Parsed {
    /// Reads from a place on once more.
    fn again(mut self, begin: usize, layout: Layout, unit: u64) -> Parsed {
        let (bytes, is_whole) = (self.bytes.split_off(begin), self.is_whole);
        let block = Block { bytes, is_whole, ..Block::default() };
        parse(Work { block, layout, unit })
    }

    fn read_lines(&mut self, bytes: &[u8]) {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        while self.end < bytes.len() {
            let begin = self.end;
            let line_end = memchr::memchr(b'\n', &bytes[begin..]).map(|at| begin + at);
            let end = line_end.unwrap_or(bytes.len());
            let line = self.lines;
            self.end = line_end.map_or(end, |end| end + 1);
            self.lines += 1;
            let text = bytes[begin..end].trim_ascii_start();
            let text = text.strip_prefix(b",").unwrap_or(text);
            if text.is_empty() {
                continue;
            }
            let mut record = Record::default();
            let end_of_record = record.take(text).ok().filter(|_| line_end.is_some());
            let is_alone = |behind: usize| text[behind..].iter().all(is_between);
            if !end_of_record.is_some_and(is_alone) || !self.record(&record, line) {
                self.items.push(Item::Left { begin, end, line });
                // It may say in which units times are.
                if memchr::memmem::find(text, b"CM").is_some() {
                    return;
                }
            }
        }
    }

    fn read_document(&mut self, bytes: &[u8]) {
        loop {
            let begin = self.end;
            while bytes
                .get(self.end)
                .is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b',')
            {
                self.end += 1;
            }
            self.lines += line_ends(&bytes[begin..self.end]);
            let text = &bytes[self.end..];
            if text.first() != Some(&b'{') {
                return;
            }
            let mut record = Record::default();
            let Ok(length) = record.take(text) else { return };
            let (begin, line) = (self.end, self.lines);
            self.has_records = true;
            self.end += length;
            self.lines += line_ends(&text[..length]);
            if !self.record(&record, line) {
                self.items.push(Item::Left { begin, end: self.end, line });
                // It may say in which units times are.
                if record.name == b"CM" {
                    return;
                }
            }
        }
    }

    /// Takes a record. `false`: it is left to the file.
    fn record(&mut self, record: &Record<'_>, line: u64) -> bool {
        if record.is_empty() || !record.is_event() {
            return false;
        }
        let counts = &mut self.tables.counts;
        let count = match record.phase {
            Phase::Complete if record.is_annotation() => &mut counts.annotations,
            Phase::Complete | Phase::Begin | Phase::End => return self.timed(record, line),
            Phase::Instant => &mut counts.instants,
            Phase::Passing => &mut counts.passing,
            Phase::Unknown => &mut counts.unknown,
            _ => return false,
        };
        *count += 1;
        self.numbering.take(record);
        self.items.push(Item::Counted);
        true
    }

    /// Takes a call, or its begin or end.
    fn timed(&mut self, record: &Record<'_>, line: u64) -> bool {
        let unit = self.unit;
        let time = |value| nanoseconds(value, unit);
        let Some(start) = record.time.and_then(time) else { return false };
        self.has_fractions |= start % unit != 0;
        let start = start.min(Slice::OPEN - 1);
        let item = match record.phase {
            Phase::Begin => {
                let lane = self.track(record);
                Item::Begin(Slice { lane, line, ..self.tables.call(record, start) })
            }
            Phase::End => {
                let (number, offset, file, op) = (0, None, Slice::NONE, Op::End);
                let lane = self.track(record);
                let region = self.end_name(record.name);
                let end = start;
                Item::End(Slice { lane, start, end, line, number, region, file, op, offset })
            }
            _ => {
                let Some(duration) = record.duration.map_or(Some(0), time) else { return false };
                if record.category == b"dftracer" {
                    return false;
                }
                self.has_fractions |= duration % unit != 0;
                let end = start.saturating_add(duration).min(Slice::OPEN - 1);
                let lane = self.track(record);
                Item::Call(Slice { lane, end, line, ..self.tables.call(record, start) })
            }
        };
        self.numbering.take(record);
        self.items.push(item);
        true
    }

    /// The number of the name of an end in the block.
    fn end_name(&mut self, name: &[u8]) -> u32 {
        if name.is_empty() {
            return Slice::NONE;
        }
        let known = self.ends.get_index_of(name.as_bstr());
        known.unwrap_or_else(|| self.ends.insert_full(name.into()).0) as u32
    }

    /// The number of the thread of a call in the block.
    fn track(&mut self, record: &Record<'_>) -> u32 {
        let host = record.args.host;
        let is_it = |track: &Track| {
            let is_host = match (&track.host, host) {
                (Some((name, is_hash)), Some(host)) => {
                    name == host.token() && *is_hash == matches!(host, FileName::Hash(_))
                }
                (known, host) => known.is_none() && host.is_none(),
            };
            track.pid == record.pid && track.tid == record.tid && is_host
        };
        let last = self.items.iter().rev().take(2).find_map(|item| match item {
            Item::Call(slice) | Item::Begin(slice) | Item::End(slice) => Some(slice.lane),
            _ => None,
        });
        let last = last.filter(|last| is_it(&self.tracks[*last as usize]));
        let number = last.unwrap_or_else(|| {
            let (name, kind) = match host {
                None => (&b""[..], &b"-"[..]),
                Some(FileName::Hash(hash)) => (hash, &b"h"[..]),
                Some(FileName::Literal(name)) => (name, &b"n"[..]),
            };
            let key = [record.pid, record.tid, kind, name].join(&0);
            if let Some(number) = self.tracks.get_index_of(key.as_bstr()) {
                return number as u32;
            }
            let host = host.map(|_| (BString::from(name), kind == b"h"));
            let (pid, tid) = (record.pid.into(), record.tid.into());
            let (is_stream, uses_devices) = (false, false);
            let track = Track { pid, tid, host, is_stream, uses_devices };
            self.tracks.insert_full(key.into(), track).0 as u32
        });
        if record.phase != Phase::End {
            let track = &mut self.tracks[number as usize];
            track.is_stream |= record.is_of_stream();
            track.uses_devices |= record.is_of_library();
        }
        number
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

impl FileReading {
    /// Takes all lines of a block, behind so many.
    pub(super) fn lines_of(&mut self, mut parsed: Parsed, mut before: u64) -> io::Result<u64> {
        loop {
            let (end, lines) = (parsed.end, parsed.lines);
            let left = parsed.bytes.len() - end;
            let rest = self.items(&mut parsed, before, true)?;
            before += lines;
            if left == 0 || rest {
                return Ok(before);
            }
            parsed = parsed.again(end, Layout::Lines, self.unit);
        }
    }

    /// Takes the items of a block, behind so many lines. `true`: the file is to be read once more.
    pub(super) fn items(
        &mut self,
        parsed: &mut Parsed,
        before: u64,
        are_lines: bool,
    ) -> io::Result<bool> {
        let mut names = self.tables.take(std::mem::take(&mut parsed.tables));
        self.numbering.fold(&parsed.numbering);
        self.has_fractions |= parsed.has_fractions;
        let tracks = std::mem::take(&mut parsed.tracks);
        let mut threads: Vec<Option<u32>> = vec![None; tracks.len()];
        let ends = std::mem::take(&mut parsed.ends);
        for item in std::mem::take(&mut parsed.items) {
            match item {
                Item::Call(of) | Item::Begin(of) | Item::End(of) => {
                    let track = of.lane as usize;
                    let lane = match threads[track] {
                        // Processes of one number are told apart in the order of their records.
                        Some(thread) if !self.has_namesakes => thread,
                        _ => *threads[track].insert(self.thread_of_track(&tracks[track])),
                    };
                    self.number += 1;
                    let (line, number) = (before + of.line + u64::from(are_lines), self.number);
                    let slice = Slice { lane, line, number, ..of };
                    let region = |names: &mut Names, tables| names.region(of.region, tables);
                    let file = |names: &mut Names, tables| {
                        names.file(of.file, tables).unwrap_or(Slice::NONE)
                    };
                    self.has_record();
                    match item {
                        Item::End(_) => {
                            let name = ends.get_index(of.region as usize);
                            let region = name.map_or(Slice::NONE, |name| self.marks.name(name));
                            self.mark(Slice { region, ..slice })?;
                        }
                        Item::Begin(_) => {
                            let region = region(&mut names, &mut self.tables);
                            let file = file(&mut names, &mut self.tables);
                            self.mark(Slice { region, file, ..slice })?;
                        }
                        _ => {
                            let region = region(&mut names, &mut self.tables);
                            let file = file(&mut names, &mut self.tables);
                            let slice = Slice { region, file, ..slice };
                            self.written.take(&slice);
                            self.call(slice)?;
                        }
                    }
                }
                Item::Counted => self.has_record(),
                Item::Left { begin, end, line } => {
                    let line = before + line + u64::from(are_lines);
                    match are_lines {
                        true => {
                            let is_whole = end < parsed.bytes.len();
                            self.left_line(&parsed.bytes[begin..end], line, is_whole)?;
                        }
                        false => {
                            // It was read before.
                            if let Ok((record, _)) = Record::read(&parsed.bytes[begin..end]) {
                                self.record(&record, line)?;
                            }
                        }
                    }
                }
            }
            if self.again.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A line with a record says nothing of the lines around it.
    fn has_record(&mut self) {
        self.cut.clear();
        self.filling.opened_behind = None;
    }

    fn thread_of_track(&mut self, track: &Track) -> u32 {
        let host = track.host.as_ref().map(|(name, is_hash)| match is_hash {
            true => FileName::Hash(name),
            false => FileName::Literal(name),
        });
        let args = Args { host, ..Args::default() };
        let (pid, tid) = (track.pid.as_slice(), track.tid.as_slice());
        let number = self.thread(&Record { pid, tid, args, ..Record::default() });
        self.used(number, track.is_stream, track.uses_devices);
        number
    }
}
