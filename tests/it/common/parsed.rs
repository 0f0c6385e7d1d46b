//! A tiny parser of files of events, which shares nothing with the program: what stands in which chunk,
//! and whether all of it is framed as the format says.

use std::ops::Range;

/// Records without a length hold one compressed integer.
pub const BARE: [u8; 10] = [12, 13, 16, 17, 20, 21, 24, 28, 29, 30];

/// Bytes of a chunk's header.
pub const HEADER: usize = 18;

/// Bytes of a time with its number.
pub const STAMP: usize = 9;

/// A record as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The chunk that it is in, from 0.
    pub chunk: usize,
    /// Where it and what belongs to it stands, from its time on.
    pub place: Range<usize>,
    /// Times stored directly before it, and before its attributes.
    pub stamps: Vec<u64>,
    /// The time that holds for it.
    pub time: u64,
    /// Its attributes, without head.
    pub list: Option<Vec<u8>>,
    /// Its number.
    pub id: u8,
    /// Its fields.
    pub payload: Vec<u8>,
}

impl Parsed {
    /// What it says, wherever it stands.
    pub fn content(&self) -> (u64, Option<&[u8]>, u8, &[u8]) {
        (self.time, self.list.as_deref(), self.id, &self.payload)
    }
}

/// Reads events, or snapshots, which have no bare records.
pub struct Parser<'a> {
    bytes: &'a [u8],
    chunk_size: usize,
    bare: &'static [u8],
    little: bool,
    at: usize,
    time: u64,
    records: Vec<Parsed>,
}

impl<'a> Parser<'a> {
    pub fn events(bytes: &'a [u8], chunk_size: u64) -> Parser<'a> {
        let chunk_size = chunk_size as usize;
        let little = bytes[1] == 0x42;
        Parser { bytes, chunk_size, bare: &BARE, little, at: 0, time: 0, records: Vec::new() }
    }

    pub fn snapshots(bytes: &'a [u8], chunk_size: u64) -> Parser<'a> {
        Parser { bare: &[], ..Parser::events(bytes, chunk_size) }
    }

    fn u64(&self, at: usize) -> u64 {
        let bytes = self.bytes[at..at + 8].try_into().expect("8 bytes");
        match self.little {
            true => u64::from_le_bytes(bytes),
            false => u64::from_be_bytes(bytes),
        }
    }

    /// The records, where nothing but their order and their framing counts.
    pub fn records(mut self) -> Vec<Parsed> {
        for chunk in 0.. {
            self.at = chunk * self.chunk_size + HEADER;
            if self.chunk(chunk) {
                break;
            }
        }
        self.records
    }

    /// The records of a file that keeps all rules of section 2 of the format's description: numbers in
    /// headers, padding, a time first in every chunk but the first, how the file ends.
    pub fn strictly(self) -> Vec<Parsed> {
        let (bytes, size) = (self.bytes, self.chunk_size);
        let headers: Vec<_> = (0..bytes.len().div_ceil(size))
            .map(|chunk| {
                let begin = chunk * size;
                assert_eq!(bytes[begin..begin + 2], bytes[..2], "chunk {chunk}");
                (self.u64(begin + 2), self.u64(begin + 10), bytes[begin + HEADER])
            })
            .collect();
        let records = self.records();
        let mut number = 0;
        for (chunk, (first, last, next)) in headers.into_iter().enumerate() {
            let mut of_chunk = records.iter().filter(|record| record.chunk == chunk);
            assert_eq!(first, number + 1, "chunk {chunk}: first record");
            number += of_chunk.clone().count() as u64;
            assert_eq!(last, number, "chunk {chunk}: last record");
            assert!(chunk == 0 || next == 5, "chunk {chunk} begins with {next}, which is no time");
            let end = of_chunk.next_back().map_or(0, |record| record.place.end);
            let pad = &bytes[end.max(chunk * size + HEADER)..bytes.len().min((chunk + 1) * size)];
            if (chunk + 1) * size >= bytes.len() {
                check_end(pad, bytes.len().is_multiple_of(size));
            } else if end > 0 {
                assert!(
                    !pad.is_empty() && pad.iter().all(|byte| *byte == 0),
                    "chunk {chunk}: padding"
                );
            }
        }
        records
    }

    /// Reads the records of a chunk. Whether it is the last.
    fn chunk(&mut self, chunk: usize) -> bool {
        let (mut stamps, mut list, mut begin) = (Vec::new(), None, self.at);
        loop {
            let id = self.bytes[self.at];
            match id {
                0 => return false,
                2 => return true,
                5 => {
                    self.time = self.u64(self.at + 1);
                    stamps.push(self.time);
                    self.at += STAMP;
                    continue;
                }
                _ => {}
            }
            let payload = self.payload(id);
            self.at = payload.end;
            assert!(self.at <= (chunk + 1) * self.chunk_size, "a record is in one chunk");
            let payload = self.bytes[payload].to_vec();
            if id == 6 {
                list = Some(payload);
                continue;
            }
            let place = begin..self.at;
            let (stamps, list) = (std::mem::take(&mut stamps), list.take());
            let time = self.time;
            self.records.push(Parsed { chunk, place, stamps, time, list, id, payload });
            begin = self.at;
        }
    }

    fn payload(&self, id: u8) -> Range<usize> {
        let begin = self.at + 1;
        match self.bytes[begin] {
            255 if self.bare.contains(&id) => begin..begin + 1,
            length if self.bare.contains(&id) => begin..begin + 1 + usize::from(length),
            255 => begin + 9..begin + 9 + self.u64(begin + 1) as usize,
            length => begin + 1..begin + 1 + usize::from(length),
        }
    }
}

/// A file ends with two marks, or with one of them where its chunk is full.
fn check_end(end: &[u8], full: bool) {
    // A chunk that was begun in vain has nothing but a time.
    let end = match end {
        [5, rest @ ..] if rest.len() > 8 => &rest[8..],
        end => end,
    };
    assert!(end == [2, 1] || (full && end == [2]), "the file ends with {end:x?}");
}
