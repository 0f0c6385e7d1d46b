//! Temporary files of blocks.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use streamfold_kernels::matching::{BlockHead, Key, Order};
use streamfold_model::ids::LocationRef;

use crate::exit::{ExitCode, Failure};

/// How much a box may hold, and where it puts what is more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes in memory.
    pub bytes: usize,
    /// The folder of temporary files.
    pub folder: PathBuf,
}

impl Room {
    /// A file without a name.
    pub(crate) fn file(&self) -> Result<File, Failure> {
        tempfile::tempfile_in(&self.folder).map_err(|error| self.failure(&error))
    }

    /// What to say when a temporary file cannot be made, written, or read.
    pub(crate) fn failure(&self, error: &io::Error) -> Failure {
        let folder = self.folder.display();
        Failure::new(
            ExitCode::Io,
            format!(
                "{folder}: a temporary file: {error} (--memory SIZE holds more in memory, TMPDIR names \
                 another folder)"
            ),
        )
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

/// A file that blocks are written to, one behind the other.
pub(super) struct Writing {
    out: BufWriter<File>,
}

impl Writing {
    pub fn new(room: &Room) -> Result<Self, Failure> {
        Ok(Writing { out: BufWriter::with_capacity(1 << 16, room.file()?) })
    }

    pub fn push(&mut self, head: &BlockHead, items: &[u8]) -> io::Result<()> {
        self.out.write_all(&head_bytes(head))?;
        self.out.write_all(items)
    }

    /// The same file, to be read from its begin with a buffer of so many bytes.
    pub fn read(self, buffer: usize) -> io::Result<Reading> {
        let mut file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(Reading { input: BufReader::with_capacity(buffer, file) })
    }
}

/// A file that blocks are read from.
pub(super) struct Reading {
    input: BufReader<File>,
}

impl Reading {
    /// The next block; `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<(BlockHead, Vec<u8>)>> {
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
