//! Work on blocks ahead of where it is needed, on all threads, and handed out in order.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use rayon::prelude::*;

use super::{Block, Blocks};

/// How long a thread sleeps that has nothing to do until a block is done.
const NAP: Duration = Duration::from_micros(200);

/// Blocks in work, the oldest first. Two for each thread are enough to keep all of them busy.
pub(crate) struct Ahead<B, T> {
    work: fn(B) -> T,
    blocks: VecDeque<Arc<Slot<T>>>,
    most: usize,
}

/// The result of a block, when it is there.
struct Slot<T> {
    result: Mutex<Option<T>>,
    is_done: Condvar,
}

impl<B: Send + 'static, T: Send + 'static> Ahead<B, T> {
    /// With this work for each block, and so many blocks at most; 1: each is done when it comes.
    pub(crate) fn new(work: fn(B) -> T, most: usize) -> Self {
        let most = if rayon::current_num_threads() > 1 { most } else { 1 };
        Ahead { work, blocks: VecDeque::new(), most }
    }

    /// With blocks for all threads. `is_alone`: no other file is read at the same time, so that all threads are free.
    pub(crate) fn of_threads(work: fn(B) -> T, is_alone: bool) -> Self {
        Ahead::new(work, if is_alone { 2 * rayon::current_num_threads() } else { 1 })
    }

    /// Tells whether more blocks would keep no thread busier.
    pub(crate) fn is_full(&self) -> bool {
        self.blocks.len() >= self.most
    }

    /// Adds a block behind all others.
    pub(crate) fn push(&mut self, block: B) {
        let work = self.work;
        let slot = Arc::new(Slot { result: Mutex::new(None), is_done: Condvar::new() });
        let of_work = slot.clone();
        let run = move || {
            let result = work(block);
            *of_work.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            of_work.is_done.notify_one();
        };
        match self.most {
            1 => run(),
            _ => rayon::spawn(run),
        }
        self.blocks.push_back(slot);
    }

    /// The result of the oldest block. `None`: there is no block. A thread of the pool works on blocks while it waits.
    pub(crate) fn next(&mut self) -> Option<T> {
        let slot = self.blocks.pop_front()?;
        loop {
            let result = slot.result.lock().unwrap_or_else(PoisonError::into_inner).take();
            if result.is_some() {
                return result;
            }
            if rayon::yield_now() == Some(rayon::Yield::Executed) {
                continue;
            }
            let result = slot.result.lock().unwrap_or_else(PoisonError::into_inner);
            if result.is_none() {
                drop(slot.is_done.wait_timeout(result, NAP));
            }
        }
    }
}

/// The blocks of a text in work.
pub(crate) struct AheadOfText<W, T> {
    blocks: Blocks,
    ahead: Ahead<W, T>,
    error: Option<io::Error>,
    has_ended: bool,
}

impl<W: Send + 'static, T: Send + 'static> AheadOfText<W, T> {
    /// With this work for each block. `is_alone`: no other file is read at the same time.
    pub(crate) fn new(blocks: Blocks, work: fn(W) -> T, is_alone: bool) -> Self {
        let ahead = Ahead::of_threads(work, is_alone);
        AheadOfText { blocks, ahead, error: None, has_ended: false }
    }

    /// Bytes of text that were read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.bytes()
    }

    /// Takes the bytes of a block back, whose room is used again.
    pub(crate) fn reuse(&mut self, bytes: Vec<u8>) {
        self.blocks.reuse(bytes);
    }

    /// The result of the next block, given what is to be done with those that come. An error comes where it is in the
    /// text.
    pub(crate) fn next(&mut self, mut of: impl FnMut(Block) -> W) -> io::Result<Option<T>> {
        loop {
            while !self.ahead.is_full() && !self.has_ended && self.error.is_none() {
                match self.blocks.next() {
                    Ok(Some(block)) => self.ahead.push(of(block)),
                    Ok(None) => self.has_ended = true,
                    Err(error) => self.error = Some(error),
                }
            }
            if let Some(result) = self.ahead.next() {
                return Ok(Some(result));
            }
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            if self.has_ended {
                return Ok(None);
            }
        }
    }
}

/// Files of more bytes are read alone, on all threads.
const LARGE: u64 = 32 << 20;

/// Tells whether one of so many files, with so many bytes, is read alone, on all threads.
pub fn is_read_alone(files: usize, bytes: u64) -> bool {
    files == 1 || bytes > LARGE
}

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parting {
    /// Bytes of a block, as a rule.
    pub size: usize,
    /// Set if no other file is read at the same time, so that all threads are free.
    pub is_alone: bool,
}

/// Reads files: large ones one after another, each on all threads, the others side by side.
pub(crate) fn read_all<T: Send>(
    files: &[PathBuf],
    size: usize,
    read: impl Fn(&Path, Parting) -> T + Sync,
) -> Vec<T> {
    let bytes = |file: &PathBuf| file.metadata().map_or(0, |file| file.len());
    let is_large = |file: &PathBuf| is_read_alone(files.len(), bytes(file));
    let large: Vec<bool> = files.iter().map(is_large).collect();
    let read = |file: &PathBuf, is_alone| read(file, Parting { size, is_alone });
    let mut results: Vec<Option<T>> = files
        .par_iter()
        .zip(&large)
        .map(|(file, is_large)| (!is_large).then(|| read(file, false)))
        .collect();
    for (file, result) in files.iter().zip(&mut results) {
        result.get_or_insert_with(|| read(file, true));
    }
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
        let all = |is_alone: bool| {
            let mut ahead = Ahead::of_threads(|number: u64| number * number, is_alone);
            let (mut found, mut next) = (Vec::new(), 0..1000);
            loop {
                while !ahead.is_full() {
                    let Some(number) = next.next() else { break };
                    ahead.push(number);
                }
                let Some(result) = ahead.next() else { return found };
                found.push(result);
            }
        };
        let expected: Vec<u64> = (0..1000).map(|number| number * number).collect();
        assert_eq!(pool.install(|| all(true)), expected);
        assert_eq!(all(true), expected);
        assert_eq!(all(false), expected);
    }
}
