//! Blocks on their way to the ranks that own them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use streamfold_kernels::matching::{Blocks, Sink};

use super::inbox::Inbox;
use super::spill::{head_bytes, head_of, Room, HEAD};
use super::together;
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_system::exit::{Failure, Stop};

/// A round brings at least so many bytes to each rank, where there are so many: several blocks.
const LEAST: usize = 1 << 14;

/// Holds blocks by the rank that owns them, until all ranks have scanned.
pub struct Outbox {
    room: Room,
    state: Mutex<State>,
}

struct State {
    /// The outgoing blocks of each rank, as they are sent.
    held: Vec<Vec<u8>>,
    size: usize,
    spilled: Option<Spilled>,
    /// The first failure. Nothing is taken after it.
    failed: Option<Failure>,
}

/// Blocks that did not fit into memory.
struct Spilled {
    file: File,
    end: u64,
    /// Parts of the file for each rank.
    parts: Vec<VecDeque<Part>>,
}

#[derive(Clone, Copy)]
struct Part {
    begin: u64,
    end: u64,
}

impl Outbox {
    /// For so many ranks.
    pub fn new(ranks: usize, room: Room) -> Self {
        let held = vec![Vec::new(); ranks];
        let state = Mutex::new(State { held, size: 0, spilled: None, failed: None });
        Outbox { room, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Outbox {
    fn take(&self, blocks: &Blocks) {
        let mut state = self.state();
        if state.failed.is_some() {
            return;
        }
        let ranks = state.held.len();
        for (head, items) in blocks.iter() {
            let held = &mut state.held[head.key.owner(ranks)];
            held.extend_from_slice(&head_bytes(head));
            held.extend_from_slice(items);
            state.size += HEAD + items.len();
        }
        if state.size > self.room.bytes {
            let spilled = state.spill(&self.room);
            state.failed = spilled.err();
        }
    }
}

impl State {
    fn spill(&mut self, room: &Room) -> Result<(), Failure> {
        let spilled = match &mut self.spilled {
            Some(spilled) => spilled,
            none => {
                let parts = vec![VecDeque::new(); self.held.len()];
                none.insert(Spilled { file: room.file()?, end: 0, parts })
            }
        };
        for (held, parts) in self.held.iter_mut().zip(&mut spilled.parts) {
            if held.is_empty() {
                continue;
            }
            spilled.file.write_all(held).map_err(|error| room.failure(&error))?;
            let begin = spilled.end;
            spilled.end += held.len() as u64;
            parts.push_back(Part { begin, end: spilled.end });
            *held = Vec::new();
        }
        self.size = 0;
        Ok(())
    }

    /// Takes whole blocks for a rank, up to so many bytes but at least one.
    fn take(&mut self, rank: usize, most: usize) -> io::Result<Vec<u8>> {
        if let Some(spilled) = &mut self.spilled {
            if !spilled.parts[rank].is_empty() {
                return spilled.take(rank, most);
            }
        }
        let held = &mut self.held[rank];
        let end = whole_blocks(held, most);
        let rest = held.split_off(end);
        Ok(std::mem::replace(held, rest))
    }

    fn is_empty(&self) -> bool {
        let is_empty = |spilled: &Spilled| spilled.parts.iter().all(VecDeque::is_empty);
        self.held.iter().all(Vec::is_empty) && self.spilled.as_ref().is_none_or(is_empty)
    }
}

impl Spilled {
    fn take(&mut self, rank: usize, most: usize) -> io::Result<Vec<u8>> {
        let parts = &mut self.parts[rank];
        let part = parts.front_mut().expect("whoever takes has looked");
        let length = usize::try_from(part.end - part.begin).unwrap_or(usize::MAX);
        let mut bytes = vec![0; length.min(most)];
        self.file.read_exact_at(&mut bytes, part.begin)?;
        let end = whole_blocks(&bytes, most);
        let read = bytes.len();
        bytes.resize(end, 0);
        if end > read {
            self.file.read_exact_at(&mut bytes[read..], part.begin + read as u64)?;
        }
        part.begin += end as u64;
        if part.begin == part.end {
            parts.pop_front();
        }
        Ok(bytes)
    }
}

/// The length of the first block, and of those behind it that end within so many bytes and are there
/// as a whole.
fn whole_blocks(bytes: &[u8], most: usize) -> usize {
    let most = most.min(bytes.len());
    let mut end = 0;
    while let Some(head) = bytes[end..].first_chunk::<HEAD>() {
        let next = end + HEAD + head_of(head).bytes as usize;
        if end > 0 && next > most {
            break;
        }
        end = next;
    }
    end
}

/// The blocks that [`Outbox`] holds as bytes.
fn blocks_of(mut bytes: &[u8]) -> Blocks {
    let mut blocks = Blocks::default();
    while let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() {
        let head = head_of(head);
        let (items, rest) = rest.split_at(head.bytes as usize);
        blocks.push(head.key, head.first, items);
        bytes = rest;
    }
    blocks
}

/// Brings all blocks to the inboxes of the ranks that own them, in rounds. In a round, no rank sends or receives much
/// more than the room of its outbox.
///
/// # Errors
///
/// When a temporary file cannot be written or read, and when ranks cannot communicate.
pub fn deliver(ranks: &dyn Communicator, outbox: Outbox, inbox: &Inbox) -> Result<(), Stop> {
    let Outbox { room, state } = outbox;
    let mut state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut failed = state.failed.take();
    let most = (room.bytes / ranks.size()).max(LEAST);
    loop {
        fail_point("round", ranks.rank())?;
        let outgoing = match failed {
            None => (0..ranks.size()).map(|rank| state.take(rank, most)).collect(),
            // Others learn it in this round.
            Some(_) => Ok(vec![Vec::new(); ranks.size()]),
        };
        let outgoing: Vec<_> = outgoing.unwrap_or_else(|error: io::Error| {
            failed = Some(room.failure(&error));
            vec![Vec::new(); ranks.size()]
        });
        for bytes in ranks.exchange_bytes(outgoing)? {
            inbox.take(&blocks_of(&bytes));
        }
        together(ranks, failed.take().or_else(|| inbox.failed()).map_or(Ok(()), Err))?;
        if ranks.all_reduce(state.is_empty(), |a, b| a && b)? {
            return Ok(());
        }
    }
}
