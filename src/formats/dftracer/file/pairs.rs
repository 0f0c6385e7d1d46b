//! Begins and ends: the calls that they are of.
//!
//! An end with a name ends the innermost open call of that name, an end without one the innermost of all. Records of a
//! thread need not be in the order of their times. A file in which they are not is read once more: begins and ends are
//! sorted first.

use std::collections::BTreeMap;
use std::io;

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::{Again, FileReading, Map};
use crate::dftracer::json::unescaped;
use crate::dftracer::record::Record;
use crate::dftracer::slices::{Op, Outer, Slice, Sorter};

/// Begins and ends of a file.
#[derive(Default)]
pub(super) struct Marks {
    /// Set if they are sorted.
    sorter: Option<Sorter>,
    /// By thread.
    opens: Vec<Opens>,
    /// Names of begins and ends, and the number of the name of each region.
    names: IndexSet<BString, RandomState>,
    of_region: Vec<Option<u32>>,
}

impl Marks {
    pub(super) fn new(is_sorted: bool) -> Self {
        Marks { sorter: is_sorted.then(Sorter::default), ..Marks::default() }
    }

    /// The number of the name of an end.
    fn name(&mut self, name: &[u8]) -> u32 {
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
    early: BTreeMap<(u32, u64), u64>,
}

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

impl FileReading {
    pub(super) fn begin(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(start) = self.time(record, line) else { return Ok(()) };
        let (file, mut op, offset) = self.facts(record);
        self.phase(record, &mut op);
        let (region, lane) = (self.region(record), self.thread_of_call(record));
        let (end, number) = (start, self.number);
        self.mark(Slice { lane, start, end, line, number, region, file, op, offset })
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
    fn mark(&mut self, mark: Slice) -> io::Result<()> {
        match &mut self.marks.sorter {
            Some(sorter) => sorter.push(mark, Outer::First),
            None => self.pair(mark),
        }
    }

    /// Takes the next begin or end of a thread.
    fn pair(&mut self, mark: Slice) -> io::Result<()> {
        let thread = mark.lane as usize;
        if self.marks.opens.len() <= thread {
            self.marks.opens.resize_with(thread + 1, Opens::default);
        }
        let opens = &mut self.marks.opens[thread];
        if mark.start < opens.time {
            self.again = Some(Again::Sorted);
            return Ok(());
        }
        if mark.start > opens.time && !opens.early.is_empty() {
            self.without_begin(thread);
        }
        let name = match mark.op {
            Op::End => Some(mark.region).filter(|name| *name != Slice::NONE),
            _ => Some(self.marks.name_of(mark.region, &self.region_list)),
        };
        let opens = &mut self.marks.opens[thread];
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
            Some(begin) => self.call(Slice { end: mark.start, ..begin }),
            None => {
                opens.early.insert((mark.region, mark.number), mark.line);
                Ok(())
            }
        }
    }

    /// Takes what is left when all begins and ends are there.
    pub(super) fn end_pairs(&mut self) -> io::Result<()> {
        if let Some(sorter) = self.marks.sorter.take() {
            sorter.each(Outer::First, |mark| self.pair(mark))?;
        }
        for thread in 0..self.marks.opens.len() {
            self.without_begin(thread);
            self.without_end(thread)?;
        }
        Ok(())
    }

    /// Reports ends that are of no call.
    fn without_begin(&mut self, thread: usize) {
        let early = std::mem::take(&mut self.marks.opens[thread].early);
        let mut lines: Vec<u64> = early.into_values().collect();
        lines.sort_unstable();
        for line in lines {
            self.counts.unmatched += 1;
            self.lose(line, "an end without its begin".to_owned());
        }
    }

    /// Takes calls that do not end: the program may have been killed in them.
    fn without_end(&mut self, thread: usize) -> io::Result<()> {
        for (begin, _) in std::mem::take(&mut self.marks.opens[thread].all).into_values() {
            self.counts.open += 1;
            // Results of calls without end are not known.
            let op = if let Op::Phase(_) = begin.op { begin.op } else { Op::Other };
            self.call(Slice { end: Slice::OPEN, op, ..begin })?;
        }
        Ok(())
    }
}
