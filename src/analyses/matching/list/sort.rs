//! More messages than fit into memory, in their order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use streamfold_kernels::matching::listed::{ListedEnd, Message};
use streamfold_model::ids::{CommRef, LocationRef};

use streamfold_drive::rounds::Room;
use streamfold_system::exit::Failure;

/// Number of sorted files that are read at a time; more of them are merged first.
const FILES: usize = 64;
/// The buffer of each.
const BUFFER: usize = 1 << 16;
/// Number of messages that are held at least.
const LEAST: usize = if cfg!(test) { 4 } else { 256 };
/// Bytes of a message in a file.
const MESSAGE: usize = 12 * 8;

/// Takes messages in any order.
pub(in crate::matching) struct Sorting {
    room: Room,
    messages: Vec<Message>,
    /// Sorted files. Several of one level become one of the next, so that there are never many.
    runs: Vec<Vec<File>>,
    /// The first failure. Nothing is taken after it.
    failed: Option<Failure>,
    spilled: u64,
}

impl Sorting {
    pub(crate) fn new(room: Room) -> Self {
        Sorting { room, messages: Vec::new(), runs: Vec::new(), failed: None, spilled: 0 }
    }

    pub(crate) fn push(&mut self, message: Message) {
        if self.failed.is_some() {
            return;
        }
        // Less would make files of nothing.
        let most = (self.room.bytes / size_of::<Message>()).max(LEAST);
        if self.messages.len() == self.messages.capacity() {
            // Not beyond that: twice as many, for a while, is what there may not be room for.
            self.messages
                .reserve_exact(self.messages.len().max(LEAST).min(most - self.messages.len()));
        }
        self.messages.push(message);
        if self.messages.len() >= most {
            self.failed = self.spill().err();
        }
    }

    fn spill(&mut self) -> Result<(), Failure> {
        self.messages.sort_unstable_by_key(Message::place);
        let messages = self.messages.drain(..);
        self.spilled += (messages.len() * MESSAGE) as u64;
        let mut run = written(messages.map(Ok), &self.room)?;
        for level in 0.. {
            if level == self.runs.len() {
                self.runs.push(Vec::new());
            }
            self.runs[level].push(run);
            if self.runs[level].len() < FILES {
                break;
            }
            run = merged(std::mem::take(&mut self.runs[level]), &self.room)?;
        }
        Ok(())
    }

    /// How many bytes went to temporary files.
    pub(crate) fn spilled(&self) -> u64 {
        self.spilled
    }

    /// All of them.
    ///
    /// # Errors
    ///
    /// When a temporary file could not be written or cannot be read.
    pub(crate) fn sorted(mut self) -> Result<Sorted, Failure> {
        if let Some(failure) = self.failed {
            return Err(failure);
        }
        let mut runs: Vec<File> = self.runs.into_iter().flatten().collect();
        while runs.len() > FILES {
            let first: Vec<File> = runs.drain(..FILES).collect();
            runs.push(merged(first, &self.room)?);
        }
        self.messages.sort_unstable_by_key(|message| Reverse(message.place()));
        Sorted::new(self.messages, runs, self.room)
    }
}

/// One file of several.
fn merged(runs: Vec<File>, room: &Room) -> Result<File, Failure> {
    let mut sorted = Sorted::new(Vec::new(), runs, room.clone())?;
    written(std::iter::from_fn(|| sorted.next().transpose()), room)
}

/// A file of messages.
fn written(
    messages: impl Iterator<Item = Result<Message, Failure>>,
    room: &Room,
) -> Result<File, Failure> {
    let mut out = BufWriter::with_capacity(BUFFER, room.file()?);
    for message in messages {
        out.write_all(&bytes(&message?)).map_err(|error| room.failure(&error))?;
    }
    let file = out.into_inner().map_err(io::IntoInnerError::into_error);
    file.map_err(|error| room.failure(&error))
}

/// Messages in their order.
pub(in crate::matching) struct Sorted {
    /// The last one first.
    memory: Vec<Message>,
    files: Vec<BufReader<File>>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    room: Room,
}

/// The next message of a run: of memory, or else of the file before that number.
struct Waiting {
    message: Message,
    run: usize,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        (self.message.place(), self.run) == (other.message.place(), other.run)
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.message.place(), self.run).cmp(&(other.message.place(), other.run))
    }
}

impl Sorted {
    fn new(memory: Vec<Message>, files: Vec<File>, room: Room) -> Result<Self, Failure> {
        let reading = |mut file: File| {
            file.seek(SeekFrom::Start(0))?;
            Ok(BufReader::with_capacity(BUFFER, file))
        };
        let files = files.into_iter().map(reading).collect::<io::Result<Vec<_>>>();
        let files = files.map_err(|error| room.failure(&error))?;
        let mut sorted = Sorted { memory, files, waiting: BinaryHeap::new(), room };
        for run in 0..=sorted.files.len() {
            sorted.fetch(run)?;
        }
        Ok(sorted)
    }

    fn fetch(&mut self, run: usize) -> Result<(), Failure> {
        let next = match run.checked_sub(1) {
            None => self.memory.pop(),
            Some(file) => read(&mut self.files[file]).map_err(|error| self.room.failure(&error))?,
        };
        if let Some(message) = next {
            self.waiting.push(Reverse(Waiting { message, run }));
        }
        Ok(())
    }

    /// The next one.
    pub(crate) fn next(&mut self) -> Result<Option<Message>, Failure> {
        let Some(Reverse(Waiting { message, run })) = self.waiting.pop() else { return Ok(None) };
        self.fetch(run)?;
        Ok(Some(message))
    }

    /// The next ones, so many at most, and whether these are the last.
    pub(crate) fn take(&mut self, most: usize) -> Result<(Vec<Message>, bool), Failure> {
        let mut messages = Vec::new();
        while messages.len() < most {
            let Some(message) = self.next()? else { break };
            messages.push(message);
        }
        Ok((messages, self.waiting.is_empty()))
    }
}

fn bytes(message: &Message) -> [u8; MESSAGE] {
    let Message { send, receive, posted, comm, tag } = message;
    let of = |end: &ListedEnd| [end.time, end.location.0, end.number, end.bytes, end.path];
    let numbers = [of(send), of(receive)].concat();
    let both = u64::from(comm.0) << 32 | u64::from(*tag);
    let mut bytes = [0; MESSAGE];
    for (place, number) in bytes.chunks_exact_mut(8).zip(numbers.into_iter().chain([*posted, both]))
    {
        place.copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

fn read(file: &mut BufReader<File>) -> io::Result<Option<Message>> {
    let mut bytes = [0; MESSAGE];
    if file.read(&mut bytes[..1])? == 0 {
        return Ok(None);
    }
    file.read_exact(&mut bytes[1..])?;
    let number =
        |at: usize| u64::from_le_bytes(bytes[8 * at..8 * (at + 1)].try_into().expect("8 bytes"));
    let end = |at: usize| ListedEnd {
        time: number(at),
        location: LocationRef(number(at + 1)),
        number: number(at + 2),
        bytes: number(at + 3),
        path: number(at + 4),
    };
    let (comm, tag) = (CommRef((number(11) >> 32) as u32), number(11) as u32);
    Ok(Some(Message { send: end(0), receive: end(5), posted: number(10), comm, tag }))
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn message(time: u64, location: u64, number: u64) -> Message {
        let end = |time: u64, location, path| ListedEnd {
            time,
            location: LocationRef(location),
            number,
            bytes: number << 40 | time,
            path,
        };
        let (send, receive) = (end(time, location, 7), end(time + 3, location + 1, u64::MAX));
        let (comm, tag) = (CommRef(u32::MAX), location as u32);
        Message { send, receive, posted: time + 1, comm, tag }
    }

    proptest! {
        #[test]
        fn any_messages_come_in_order_however_little_memory_there_is(
            places in proptest::collection::btree_set((0u64..20, 0u64..3, any::<u64>()), 0..600),
            bytes in prop_oneof![Just(1usize), 100usize..4000, Just(1 << 20)],
            by in any::<u64>(),
        ) {
            let mut messages: Vec<_> = places.iter().map(|&(t, l, n)| message(t, l, n)).collect();
            let expected = messages.clone();
            // In an order of its own.
            messages.sort_by_key(|m| (m.send.number ^ by, m.send.time, m.send.location));
            let room = Room { bytes, folder: std::env::temp_dir() };
            let mut sorting = Sorting::new(room);
            messages.iter().for_each(|message| sorting.push(*message));
            let most = (bytes / size_of::<Message>()).max(LEAST);
            prop_assert_eq!(sorting.spilled() > 0, expected.len() >= most);
            let mut sorted = sorting.sorted().unwrap();
            let mut found = Vec::new();
            loop {
                let (mut part, last) = sorted.take(7).unwrap();
                found.append(&mut part);
                if last {
                    break;
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
