//! What stands around records: the headers of chunks and the end of the data, section 2.

use streamfold_kernels::validate::Code;

use super::defect::InFile;
use crate::formats::otf2::{ChunkHead, Ending};

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

    /// The chunk that is being read, after so many records of the file. What is wrong with the one
    /// before it goes to `tell`, with its offset.
    #[inline]
    pub fn at(&mut self, head: ChunkHead, records: u64, tell: impl FnOnce(u64, Code, String)) {
        if head.offset != self.head.offset {
            self.check(records, tell);
            (self.head, self.before) = (head, records);
        }
    }

    /// Ends with the last chunk, and so many records in all.
    pub fn end(self, records: u64, tell: impl FnOnce(u64, Code, String)) {
        self.check(records, tell);
    }

    fn check(&self, records: u64, tell: impl FnOnce(u64, Code, String)) {
        let ChunkHead { offset, first, last, .. } = self.head;
        if offset > 0 && !self.head.is_empty() && !self.head.begins_with_time() {
            let message = "the chunk does not begin with a time".to_owned();
            tell(offset, Code::ChunkStart, message);
        } else if last != 0 && (first, last) != (self.before + 1, records) {
            let (begin, before) = (self.before + 1, self.before);
            let found = match records - before {
                0 => format!("none after record {before}"),
                _ => format!("{begin} to {records}"),
            };
            let message =
                format!("the chunk's header says records {first} to {last}, in it are {found}");
            tell(offset, Code::ChunkNumbers, message);
        }
    }
}

/// Whether a file ends as it should; else tells.
pub fn check_ending(ending: Ending, file: &mut InFile<'_>) {
    let Ending { offset, closed, trailing } = ending;
    if trailing > 0 {
        let bytes = if trailing == 1 { "byte follows" } else { "bytes follow" };
        file.tell(Code::TrailingData, Some(offset), || {
            format!("{trailing} {bytes} on the end of the data")
        });
    } else if !closed {
        let message =
            || "the end of the data is not followed by the end of the buffer (0x01)".to_owned();
        file.tell(Code::EndMark, Some(offset), message);
    }
}
