//! Chooses the rank of a node that speaks when the job ends early.
//!
//! A signal often comes to all ranks at once, and a launcher ends the others when one has failed. So
//! that there is one message even so, the ranks of a node share a file without a name: the first
//! one that writes to it speaks. This works while ranks wait for each other in MPI, or are lost.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;

use super::{Communicator, Error};
use streamfold_system::paths;

/// The file that the ranks of this node share; nothing where a process is alone.
static SPEAKER: OnceLock<Speaker> = OnceLock::new();

/// The rank that reports the end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// This rank speaks.
    Speaks,
    /// Another rank of this node has spoken, and the job ends with this code.
    Silent(i32),
}

/// Lets the ranks of a node share a file. Collective among them, also where it brings nothing.
pub(super) fn share(node: &dyn Communicator) -> Result<(), Error> {
    if node.size() == 1 {
        return Ok(());
    }
    let own = if node.rank() == 0 { tempfile::NamedTempFile::new().ok() } else { None };
    // Bytes, since a folder for temporary files may have any name.
    let path = own.as_ref().map(|file| paths::to_bytes(file.path()));
    let path: Option<Vec<u8>> = node.broadcast(0, (node.rank() == 0).then_some(path))?;
    let path = path.map(paths::from_bytes);
    // Without a folder for temporary files there may be several messages, which is no reason not to
    // work.
    if let Some(speaker) = path.and_then(|path| Speaker::open(&path, node.rank()).ok()) {
        let _ = SPEAKER.set(speaker);
    }
    node.barrier()?;
    // All have opened it: it loses its name here.
    drop(own);
    Ok(())
}

/// Returns whether this rank speaks for the end of the job with `code`. To be asked once in a
/// process.
pub(super) fn claim(code: i32) -> Part {
    match SPEAKER.get() {
        None => Part::Speaks,
        Some(speaker) => speaker.claim(code).unwrap_or(Part::Speaks),
    }
}

#[derive(Debug)]
struct Speaker {
    file: File,
    rank: u32,
}

impl Speaker {
    fn open(path: &Path, rank: usize) -> io::Result<Speaker> {
        let file = OpenOptions::new().read(true).append(true).open(path)?;
        Ok(Speaker { file, rank: rank as u32 }) // MPI counts ranks as `i32`
    }

    /// Each rank adds its number and code; the system keeps additions apart and in an order.
    fn claim(&self, code: i32) -> io::Result<Part> {
        let mut line = [0; 8];
        line[..4].copy_from_slice(&self.rank.to_le_bytes());
        line[4..].copy_from_slice(&code.to_le_bytes());
        (&self.file).write_all(&line)?;
        let mut first = [0; 8];
        self.file.read_exact_at(&mut first, 0)?;
        let [r0, r1, r2, r3, c0, c1, c2, c3] = first;
        Ok(match u32::from_le_bytes([r0, r1, r2, r3]) == self.rank {
            true => Part::Speaks,
            false => Part::Silent(i32::from_le_bytes([c0, c1, c2, c3])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_speaks_and_the_others_learn_its_code() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let speakers: Vec<_> =
            (0..20).map(|rank| Speaker::open(file.path(), rank).expect("opened")).collect();
        let parts: Vec<Part> = std::thread::scope(|scope| {
            let claim = |speaker: &'_ Speaker| speaker.claim(speaker.rank as i32).expect("claimed");
            let threads: Vec<_> =
                speakers.iter().map(|speaker| scope.spawn(move || claim(speaker))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let speaks = |part: &&Part| **part == Part::Speaks;
        assert_eq!(parts.iter().filter(speaks).count(), 1, "{parts:?}");
        let first = parts.iter().position(|part| *part == Part::Speaks).expect("one") as i32;
        let silent = |part: &&Part| **part == Part::Silent(first);
        assert_eq!(parts.iter().filter(silent).count(), 19, "{parts:?}");
    }

    #[test]
    fn who_is_alone_speaks() {
        share(&super::super::Solo).expect("nothing to share");
        assert_eq!(claim(5), Part::Speaks);
    }
}
