//! Temporary files of blocks, and of what joins put aside.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use streamfold_kernels::matching::{BlockHead, Key, Order};
use streamfold_model::ids::LocationRef;

use streamfold_system::exit::{ExitCode, Failure};

/// Limit of the memory of an inbox or outbox, and the folder for the blocks beyond it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes in memory.
    pub bytes: usize,
    /// The folder of temporary files.
    pub folder: PathBuf,
}

impl Room {
    /// A file without a name.
    pub fn file(&self) -> Result<File, Failure> {
        tempfile::tempfile_in(&self.folder).map_err(|error| self.failure(&error))
    }

    /// The failure of making, writing or reading a temporary file.
    pub fn failure(&self, error: &io::Error) -> Failure {
        let folder = self.folder.display();
        Failure::new(
            ExitCode::Io,
            format!(
                "{folder}: a temporary file: {error} (--memory SIZE holds more in memory, TMPDIR names \
                 another folder)"
            ),
        )
    }

    /// The failure for a temporary file that was changed.
    pub fn broken(&self) -> Failure {
        let folder = self.folder.display();
        let message = format!("{folder}: a temporary file does not hold what was written to it");
        Failure::new(ExitCode::Io, message)
    }
}

/// The bytes of a head.
pub(super) const HEAD: usize = 4 * 4 + 3 * 8 + 4;

/// Writes a head, little-endian.
pub(super) fn head_bytes(head: &BlockHead) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    let mut rest = &mut bytes[..];
    let Order { time, location, number } = head.first;
    // A slice takes what fits, and all of this does.
    let mut put = |part: &[u8]| rest.write_all(part).expect("there is room");
    head.key.0.iter().for_each(|part| put(&part.to_le_bytes()));
    [time, location.0, number].iter().for_each(|part| put(&part.to_le_bytes()));
    put(&head.bytes.to_le_bytes());
    bytes
}

/// Reads what [`head_bytes`] has written.
pub(super) fn head_of(bytes: &[u8; HEAD]) -> BlockHead {
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    let key = Key([u32_at(0), u32_at(4), u32_at(8), u32_at(12)]);
    let (time, location, number) = (u64_at(16), LocationRef(u64_at(24)), u64_at(32));
    BlockHead { key, first: Order { time, location, number }, bytes: u32_at(40) }
}

/// A file that runs of blocks are written to, one behind the other: one file, since there may be more runs
/// than files that can be open.
pub(super) struct Runs {
    file: Arc<File>,
    end: u64,
    runs: VecDeque<Range<u64>>,
}

impl Runs {
    pub(super) fn new(room: &Room) -> Result<Self, Failure> {
        Ok(Runs { file: Arc::new(room.file()?), end: 0, runs: VecDeque::new() })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.runs.len()
    }

    /// Another run is written.
    pub(super) fn write(&mut self) -> Writing<'_> {
        let begin = self.end;
        let out = Appending { file: Arc::clone(&self.file), end: begin };
        Writing { runs: self, begin, out: BufWriter::with_capacity(1 << 16, out) }
    }

    /// Takes the first ones, so many at most, to be read with a buffer of so many bytes each.
    pub(super) fn read(&mut self, most: usize, buffer: usize) -> Vec<Reading> {
        let runs = self.runs.drain(..most.min(self.runs.len()));
        let reading = |run: Range<u64>| {
            let part = Part { file: Arc::clone(&self.file), rest: run };
            Reading { input: BufReader::with_capacity(buffer, part) }
        };
        runs.map(reading).collect()
    }
}

/// The end of a file.
struct Appending {
    file: Arc<File>,
    end: u64,
}

impl Write for Appending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write_at(bytes, self.end)?;
        self.end += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A run of blocks that is written.
pub(super) struct Writing<'r> {
    runs: &'r mut Runs,
    begin: u64,
    out: BufWriter<Appending>,
}

impl Writing<'_> {
    pub(super) fn push(&mut self, head: &BlockHead, items: &[u8]) -> io::Result<()> {
        self.out.write_all(&head_bytes(head))?;
        self.out.write_all(items)
    }

    /// It is one of the runs.
    pub(super) fn end(self) -> io::Result<()> {
        let Writing { runs, begin, out } = self;
        let out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        runs.end = out.end;
        runs.runs.push_back(begin..out.end);
        Ok(())
    }
}

/// A part of a file.
struct Part {
    file: Arc<File>,
    rest: Range<u64>,
}

impl Read for Part {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.rest.end - self.rest.start).unwrap_or(usize::MAX);
        let most = most.min(bytes.len());
        let read = self.file.read_at(&mut bytes[..most], self.rest.start)?;
        self.rest.start += read as u64;
        Ok(read)
    }
}

/// A run that blocks are read from.
pub(super) struct Reading {
    input: BufReader<Part>,
}

impl Reading {
    /// The next block; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<(BlockHead, Vec<u8>)>> {
        let mut head = [0; HEAD];
        if self.input.read(&mut head[..1])? == 0 {
            return Ok(None);
        }
        self.input.read_exact(&mut head[1..])?;
        let head = head_of(&head);
        let mut items = vec![0; head.bytes as usize];
        self.input.read_exact(&mut items)?;
        Ok(Some((head, items)))
    }
}

/// A temporary file that is written at its end and read anywhere. It is made when something is put aside.
#[derive(Default)]
pub(super) struct SpillFile {
    file: Option<File>,
    end: u64,
}

impl SpillFile {
    /// Returns where the bytes begin.
    pub(super) fn put(&mut self, bytes: &[u8], room: &Room) -> Result<u64, Failure> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(room.file()?),
        };
        let begin = self.end;
        file.write_all_at(bytes, begin).map_err(|error| room.failure(&error))?;
        self.end += bytes.len() as u64;
        Ok(begin)
    }

    /// Reads those that begin there.
    pub(super) fn bring_back(
        &self,
        begin: u64,
        bytes: &mut [u8],
        room: &Room,
    ) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Err(room.broken()) };
        file.read_exact_at(bytes, begin).map_err(|error| room.failure(&error))
    }

    /// Its room on the disk is free.
    pub(super) fn forget(&mut self, room: &Room) -> Result<(), Failure> {
        self.end = 0;
        let cut = self.file.as_ref().map_or(Ok(()), |file| file.set_len(0));
        cut.map_err(|error| room.failure(&error))
    }
}
