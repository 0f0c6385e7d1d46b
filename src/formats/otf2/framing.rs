//! Headers of chunks against the records in them, section 2.

use std::fmt;

use super::ChunkHead;

/// A header of a chunk that does not fit its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramingFault {
    /// The chunk does not begin with a time.
    Start,
    /// The header has other numbers of records than the chunk.
    Numbers {
        /// The first and the last record by the header, from 1.
        said: (u64, u64),
        /// Records of the file before the chunk, and up to its end.
        found: (u64, u64),
    },
}

impl fmt::Display for FramingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FramingFault::Start => f.write_str("the chunk does not begin with a time"),
            FramingFault::Numbers { said: (first, last), found: (before, records) } => {
                write!(f, "the chunk's header says records {first} to {last}, in it are ")?;
                match records - before {
                    0 => write!(f, "none after record {before}"),
                    _ => write!(f, "{} to {records}", before + 1),
                }
            }
        }
    }
}

/// Follows the chunks of a file whose records are counted.
#[derive(Debug)]
pub struct ChunkScan {
    head: ChunkHead,
    /// Records before this chunk.
    before: u64,
}

impl ChunkScan {
    /// Begins with the first chunk.
    pub fn new(head: ChunkHead) -> Self {
        ChunkScan { head, before: 0 }
    }

    /// Takes the chunk that is being read, after so many records of the file. Faults of the one
    /// before it go to `tell`, with their offset.
    #[inline]
    pub fn at(&mut self, head: ChunkHead, records: u64, tell: impl FnOnce(u64, FramingFault)) {
        if head.offset != self.head.offset {
            self.check(records, tell);
            (self.head, self.before) = (head, records);
        }
    }

    /// Ends with the last chunk, and so many records in all.
    pub fn end(self, records: u64, tell: impl FnOnce(u64, FramingFault)) {
        self.check(records, tell);
    }

    fn check(&self, records: u64, tell: impl FnOnce(u64, FramingFault)) {
        let ChunkHead { offset, first, last, .. } = self.head;
        if offset > 0 && !self.head.is_empty() && !self.head.begins_with_time() {
            tell(offset, FramingFault::Start);
        } else if last != 0 && (first, last) != (self.before + 1, records) {
            let found = (self.before, records);
            tell(offset, FramingFault::Numbers { said: (first, last), found });
        }
    }
}
