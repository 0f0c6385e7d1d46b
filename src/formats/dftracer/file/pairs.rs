//! Begins and ends: the calls and spans that they are of.
//!
//! A span is of a process: its begin and end have the same category, scope and identifier. A call is of a thread.
//! An end with a name ends the innermost open call of that name, an end without one the innermost of all. Records of a
//! thread need not be in the order of their times. A file in which they are not is read once more: begins and ends are
//! sorted first.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::{Again, FileReading, Map, Track};
use crate::dftracer::json::{unescaped, Value};
use crate::dftracer::record::Record;
use crate::dftracer::slices::{Op, Outer, Slice, Sorter};

/// Begins and ends of a file.
#[derive(Default)]
pub(super) struct Marks {
    /// Set while they are sorted.
    sorter: Option<Sorter>,
    is_sorted: bool,
    /// By thread, or by track and identifier of a span. Those of spans go when nothing is open.
    opens: Map<(u32, Option<u64>), Opens>,
    /// Spans with early ends, and the track and the time of those.
    waiting: Vec<(u32, Option<u64>)>,
    at: (u32, u64),
    /// Names of begins and ends, and the number of the name of each region.
    names: IndexSet<BString, RandomState>,
    of_region: Vec<Option<u32>>,
}

impl Marks {
    pub(super) fn new(is_sorted: bool) -> Self {
        Marks { sorter: is_sorted.then(|| Sorter::new(false)), is_sorted, ..Marks::default() }
    }

    /// The number of the name of an end.
    pub(super) fn name(&mut self, name: &[u8]) -> u32 {
        let known = self.names.get_index_of(name.as_bstr()).filter(|_| !name.contains(&b'\\'));
        known.unwrap_or_else(|| self.names.insert_full(unescaped(name).into()).0) as u32
    }

    /// The number of the name of a begin.
    fn name_of(&mut self, region: u32, regions: &[(BString, BString)]) -> u32 {
        let region = region as usize;
        if self.of_region.len() <= region {
            self.of_region.resize(region + 1, None);
        }
        let names = &mut self.names;
        let new = || names.insert_full(regions[region].1.clone()).0 as u32;
        *self.of_region[region].get_or_insert_with(new)
    }
}

/// Open calls of a thread.
#[derive(Default)]
struct Opens {
    /// In the order in which they began, with the numbers of their names.
    all: BTreeMap<u64, (Slice, u32)>,
    by_name: Map<u32, Vec<u64>>,
    begun: u64,
    /// The time of the last begin or end.
    time: u64,
    /// Ends at this time that no open call has the name of, with their lines: the begin may stand behind the end.
    early: Early,
}

/// Lines of ends, by the number of their name and their record.
type Early = BTreeMap<(u32, u64), u64>;

impl Opens {
    fn begin(&mut self, slice: Slice, name: u32) {
        self.begun += 1;
        self.all.insert(self.begun, (slice, name));
        self.by_name.entry(name).or_default().push(self.begun);
    }

    /// Takes the innermost call of a name out, or the innermost of all.
    fn end(&mut self, name: Option<u32>) -> Option<Slice> {
        let Some(name) = name else {
            let (_, (slice, name)) = self.all.pop_last()?;
            self.by_name.get_mut(&name).and_then(Vec::pop);
            return Some(slice);
        };
        let place = self.by_name.get_mut(&name)?.pop()?;
        self.all.remove(&place).map(|(slice, _)| slice)
    }

    /// Takes an end at this time and of this name out.
    fn early(&mut self, name: u32) -> bool {
        let first = self.early.range((name, 0)..=(name, u64::MAX)).next();
        let Some(place) = first.map(|(place, _)| *place) else { return false };
        self.early.remove(&place).is_some()
    }
}

/// The identifier of a span in its category, as a hash.
fn span_id(record: &Record<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (record.scope, record.id.map(Value::token)).hash(&mut hasher);
    hasher.finish()
}

impl FileReading {
    pub(super) fn begin(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(start) = self.time(record, line) else { return Ok(()) };
        let number = self.number;
        let slice = Slice { line, number, ..self.tables.call(record, start) };
        let lane = self.thread_of_call(record);
        self.mark(Slice { lane, ..slice })
    }

    pub(super) fn leave(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(time) = self.time(record, line) else { return Ok(()) };
        let region = match record.name {
            b"" => Slice::NONE,
            name => self.marks.name(name),
        };
        let (lane, start, end, number) = (self.thread(record), time, time, self.number);
        let (file, op, offset) = (Slice::NONE, Op::End, None);
        self.mark(Slice { lane, start, end, line, number, region, file, op, offset })
    }

    /// Takes a begin, or an end, whose region is the number of its name.
    pub(super) fn mark(&mut self, mark: Slice) -> io::Result<()> {
        match &mut self.marks.sorter {
            Some(sorter) => sorter.push(mark, Outer::First),
            None => self.pair(mark),
        }
    }

    /// Takes the begin of a span.
    pub(super) fn span_begin(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(start) = self.time(record, line) else { return Ok(()) };
        let (region, lane) = (self.tables.region(record), self.spans(record));
        let (end, number, file, offset) = (start, self.number, Slice::NONE, None);
        let op = Op::Span(span_id(record));
        self.mark(Slice { lane, start, end, line, number, region, file, op, offset })
    }

    pub(super) fn span_end(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(start) = self.time(record, line) else { return Ok(()) };
        let region = match record.name {
            b"" => Slice::NONE,
            name => self.marks.name(name),
        };
        let (lane, end, number, file) = (self.spans(record), start, self.number, Slice::NONE);
        // The place of an offset holds the identifier.
        let (op, offset) = (Op::End, Some(span_id(record)));
        self.mark(Slice { lane, start, end, line, number, region, file, op, offset })
    }

    /// The track of the spans of a category.
    fn spans(&mut self, record: &Record<'_>) -> u32 {
        let label = [&b"async "[..], &unescaped(record.category)].concat();
        self.track(record, Track::Spans, label.trim_ascii_end())
    }

    /// Takes the next begin or end of a thread, or of a span.
    fn pair(&mut self, mark: Slice) -> io::Result<()> {
        let span = mark.op.span().or(mark.offset.filter(|_| mark.op == Op::End));
        let of = (mark.lane, span);
        let is_sorted = self.marks.is_sorted;
        if self.marks.at != (mark.lane, mark.start) {
            self.marks.at = (mark.lane, mark.start);
            for of in std::mem::take(&mut self.marks.waiting) {
                self.end_of_waiting(of);
            }
        }
        let opens = self.marks.opens.entry(of).or_default();
        if mark.start < opens.time {
            self.again = Some(Again::Sorted);
            return Ok(());
        }
        if mark.start > opens.time && !opens.early.is_empty() {
            let early = std::mem::take(&mut opens.early);
            self.without_begin(early);
        }
        let name = match mark.op {
            Op::End => Some(mark.region).filter(|name| *name != Slice::NONE),
            _ => Some(self.marks.name_of(mark.region, &self.tables.region_list)),
        };
        let opens = self.marks.opens.entry(of).or_default();
        opens.time = mark.start;
        let ended = match (mark.op, name) {
            (Op::End, name) => opens.end(name),
            (_, Some(name)) if !opens.early(name) => {
                opens.begin(mark, name);
                return Ok(());
            }
            _ => Some(mark),
        };
        match ended {
            Some(begin) => {
                if span.is_some() && opens.all.is_empty() && opens.early.is_empty() {
                    self.marks.opens.remove(&of);
                }
                self.call(Slice { end: mark.start, ..begin })
            }
            // The begin may stand behind the end.
            None if span.is_some() && !is_sorted => {
                self.again = Some(Again::Sorted);
                Ok(())
            }
            None => {
                opens.early.insert((mark.region, mark.number), mark.line);
                if span.is_some() {
                    self.marks.waiting.push(of);
                }
                Ok(())
            }
        }
    }

    /// Reports early ends of a span whose begin does not follow.
    fn end_of_waiting(&mut self, of: (u32, Option<u64>)) {
        let Some(opens) = self.marks.opens.get_mut(&of) else { return };
        let early = std::mem::take(&mut opens.early);
        if opens.all.is_empty() {
            self.marks.opens.remove(&of);
        }
        self.without_begin(early);
    }

    /// Takes what is left when all begins and ends are there.
    pub(super) fn end_pairs(&mut self) -> io::Result<()> {
        if let Some(sorter) = self.marks.sorter.take() {
            sorter.each(Outer::First, |mark| self.pair(mark))?;
        }
        let mut left: Vec<_> = std::mem::take(&mut self.marks.opens).into_iter().collect();
        left.sort_unstable_by_key(|(of, _)| *of);
        for (_, opens) in left {
            self.without_begin(opens.early);
            self.without_end(opens.all)?;
        }
        Ok(())
    }

    /// Reports ends that are of no call.
    fn without_begin(&mut self, early: Early) {
        let mut lines: Vec<u64> = early.into_values().collect();
        lines.sort_unstable();
        for line in lines {
            self.tables.counts.unmatched += 1;
            self.lose(line, "an end without its begin".to_owned());
        }
    }

    /// Takes calls that do not end: the program may have been killed in them.
    fn without_end(&mut self, all: BTreeMap<u64, (Slice, u32)>) -> io::Result<()> {
        for (begin, _) in all.into_values() {
            self.tables.counts.open += 1;
            // Results of calls without end are not known.
            let op = if let Op::Phase(_) | Op::Span(_) = begin.op { begin.op } else { Op::Other };
            self.call(Slice { end: Slice::OPEN, op, ..begin })?;
        }
        Ok(())
    }
}
