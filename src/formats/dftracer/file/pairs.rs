//! Begins and ends: the calls that they are of.
//!
//! Records of a thread need not be in the order of their times, so begins and ends are sorted first. An end with a name
//! ends the innermost open call of that name, an end without one the innermost of all.

use std::collections::BTreeMap;
use std::io;

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::{FileReading, Map};
use crate::dftracer::json::unescaped;
use crate::dftracer::record::Record;
use crate::dftracer::slices::{Op, Outer, Slice, Sorter};

/// Begins and ends of a file.
#[derive(Default)]
pub(super) struct Marks {
    sorter: Sorter,
    /// Names that ends have.
    names: IndexSet<BString, RandomState>,
}

impl Marks {
    /// The number of the name of an end.
    fn name(&mut self, name: &[u8]) -> u32 {
        let known = self.names.get_index_of(name.as_bstr()).filter(|_| !name.contains(&b'\\'));
        known.unwrap_or_else(|| self.names.insert_full(unescaped(name).into()).0) as u32
    }
}

/// Open calls of a thread.
#[derive(Default)]
struct Opens {
    /// In the order in which they began.
    all: BTreeMap<u64, Slice>,
    /// The same by names, as far as ends have these.
    by_name: Map<u32, Vec<u64>>,
    begun: u64,
    /// Ends at this time that no open call has the name of, with their lines: the begin may stand behind the end.
    time: u64,
    early: BTreeMap<(u32, u64), u64>,
}

impl Opens {
    fn begin(&mut self, slice: Slice, name: Option<u32>) {
        self.begun += 1;
        self.all.insert(self.begun, slice);
        if let Some(name) = name {
            self.by_name.entry(name).or_default().push(self.begun);
        }
    }

    /// Takes the innermost call of a name out.
    fn end_of_name(&mut self, name: u32) -> Option<Slice> {
        let place = self.by_name.get_mut(&name)?.pop()?;
        self.all.remove(&place)
    }

    /// Takes the innermost call out. `name`: of a region.
    fn end(&mut self, name: impl Fn(u32) -> Option<u32>) -> Option<Slice> {
        let (_, slice) = self.all.pop_last()?;
        let of_name = name(slice.region).and_then(|name| self.by_name.get_mut(&name));
        of_name.and_then(Vec::pop);
        Some(slice)
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
        let begin = Slice { lane, start, end, line, number, region, file, op, offset };
        self.marks.sorter.push(begin, Outer::First)
    }

    pub(super) fn leave(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(time) = self.time(record, line) else { return Ok(()) };
        let region = match record.name {
            b"" => Slice::NONE,
            name => self.marks.name(name),
        };
        let (lane, start, end, number) = (self.thread(record), time, time, self.number);
        let (file, op, offset) = (Slice::NONE, Op::End, None);
        let end = Slice { lane, start, end, line, number, region, file, op, offset };
        self.marks.sorter.push(end, Outer::First)
    }

    /// Makes calls of begins and ends, when all of them are there.
    pub(super) fn pair(&mut self) -> io::Result<()> {
        let Marks { sorter, names } = std::mem::take(&mut self.marks);
        let name = |(_, name): &(BString, BString)| names.get_index_of(name).map(|name| name as u32);
        let of_region: Vec<Option<u32>> = self.region_list.iter().map(name).collect();
        let name = |region: u32| of_region.get(region as usize).copied().flatten();
        let mut opens = Opens::default();
        let mut thread = None;
        sorter.each(Outer::First, |mark| {
            let is_other = thread != Some(mark.lane);
            if is_other || opens.time != mark.start {
                self.without_begin(&mut opens);
                opens.time = mark.start;
            }
            if is_other {
                thread = Some(mark.lane);
                self.without_end(&mut opens)?;
            }
            let ended = match mark.op {
                Op::End if mark.region == Slice::NONE => opens.end(name),
                Op::End => opens.end_of_name(mark.region),
                _ if name(mark.region).is_some_and(|name| opens.early(name)) => Some(mark),
                _ => {
                    opens.begin(mark, name(mark.region));
                    return Ok(());
                }
            };
            match ended {
                Some(begin) => self.call(Slice { end: mark.start, ..begin }),
                None => {
                    opens.early.insert((mark.region, mark.number), mark.line);
                    Ok(())
                }
            }
        })?;
        self.without_begin(&mut opens);
        self.without_end(&mut opens)
    }

    /// Reports ends that are of no call.
    fn without_begin(&mut self, opens: &mut Opens) {
        let mut lines: Vec<u64> = std::mem::take(&mut opens.early).into_values().collect();
        lines.sort_unstable();
        for line in lines {
            self.counts.unmatched += 1;
            self.lose(line, "an end without its begin".to_owned());
        }
    }

    /// Takes calls that do not end: the program may have been killed in them.
    fn without_end(&mut self, opens: &mut Opens) -> io::Result<()> {
        opens.by_name.clear();
        for (_, begin) in std::mem::take(&mut opens.all) {
            self.counts.open += 1;
            // Nothing is known of the result.
            let op = if let Op::Phase(_) = begin.op { begin.op } else { Op::Other };
            self.call(Slice { end: Slice::OPEN, op, ..begin })?;
        }
        Ok(())
    }
}
