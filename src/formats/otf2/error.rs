//! Errors of reading an archive.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::wire::WireError;

/// An error in an archive, with its file and offset.
#[derive(Debug)]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// Offset in the file, in bytes, where that is known.
    pub offset: Option<u64>,
    /// The record, where the error is inside of one.
    pub record: Option<Record>,
    /// The kind of error.
    pub kind: ErrorKind,
}

/// A record, by its name where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number on disk.
    pub id: u8,
    /// Its name.
    pub name: Option<&'static str>,
    /// Its number in the file, from 1; 0 where records are not counted.
    pub number: u64,
}

/// The kind of an error: a variant for each, with the value found.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum ErrorKind {
    #[error("{0}")]
    Io(io::Error),
    #[error("not a regular file")]
    NotAFile,
    #[error("this is a directory; the anchor of an archive is the file in it that ends in .otf2")]
    Directory,
    #[error(
        "this folder has event files and no anchor: the measurement did not end. `streamfold salvage \"{}\" -o \
         NEW.otf2` makes a whole archive of what there is",
        .folder.display()
    )]
    OnlyEvents { folder: PathBuf },
    #[error(
        "there is no such file, but others of its archive are there: the measurement did not end, and its \
         archive is unfinished. `streamfold salvage` makes a whole one of what there is"
    )]
    Unfinished,
    #[error(
        "there is no such file: the files of an archive have the name of its anchor. Beside it are {name}.def \
         and {name}/, so the anchor was renamed: call it {name}.otf2"
    )]
    Renamed { name: String },
    #[error(
        "the content is of no format that streamfold reads, and the name of an anchor ends in .otf2 or .OTF2"
    )]
    AnchorName,
    #[error("the file is empty")]
    Empty,
    #[error("the file ends early: {0}")]
    UnexpectedEnd(&'static str),
    #[error("expected a chunk header (0x03), found {0:#04x}")]
    NoChunkHeader(u8),
    #[error("unknown byte order {0:#04x}: 0x42 (little-endian) and 0x23 (big-endian) are known")]
    ByteOrder(u8),
    #[error("this is not an OTF2 anchor: it should say \"OTF2\", but says {0:?}")]
    Magic(bstr::BString),
    #[error("anchor format 0 is not valid")]
    AnchorFormat,
    #[error("trace format {0} is newer than this program knows (2)")]
    TraceFormat(u8),
    #[error("chunks of {0} bytes are not valid: 256 KiB to 16 MiB are")]
    ChunkSize(u64),
    #[error(
        "the archive lies in SION containers, whose format is not part of OTF2; unpack it with \
         SIONlib's tools or write the trace with the POSIX substrate"
    )]
    Sion,
    #[error("the archive stores nothing (substrate NONE)")]
    NoSubstrate,
    #[error("unknown substrate {0}: 1 (POSIX), 2 (SION) and 3 (NONE) are known")]
    Substrate(u8),
    #[error(
        "the archive is compressed with zlib, which OTF2 has given up since version 3.0 and whose \
         files old versions wrote wrongly; rewrite it with a library older than 3.0"
    )]
    Zlib,
    #[error("unknown compression {0}: 1 (none) and 2 (zlib) are known")]
    Compression(u8),
    #[error("the anchor has no end mark (0x02), but {0:#04x}")]
    AnchorEnd(u8),
    #[error("the property name {0:?} is not made of parts of letters, digits and _, joined by ::")]
    PropertyName(bstr::BString),
    #[error("the record claims {length} bytes, with {left} bytes left in its chunk")]
    RecordLength { length: u64, left: u64 },
    #[error("the chunk claims records {first} to {last}, which cannot be here")]
    ChunkNumbers { first: u64, last: u64 },
    #[error("the chunk does not begin with a time, so that reading cannot begin here")]
    ChunkTime,
    #[error("the file has {chunks} chunk{}, so none of number {chunk}",
        if *chunks == 1 { "" } else { "s" })]
    NoChunk { chunk: u64, chunks: u64 },
    #[error(
        "its chunk has another order of bytes than the first, and {left} bytes of it mean nothing to \
         this version, so that they cannot be turned"
    )]
    MixedOrder { left: u64 },
    #[error("the chunk ends without an end mark")]
    ChunkEnd,
    #[error("{0}")]
    Wire(#[from] WireError),
    #[error(
        "{count} more mapping table{} for {kind}; the first one stays in force",
        if *count == 1 { "" } else { "s" }
    )]
    DuplicateMapping { kind: &'static str, count: u64 },
    #[error("clock offsets at {before} and then {time}: their times must increase")]
    ClockOffsets { before: u64, time: u64 },
    #[error(
        "the file is missing, and other locations have theirs: numbers and times of this location are not mapped"
    )]
    NoLocalDefinitions,
    #[error("the anchor announces {announced} global definitions, the file holds {found}")]
    DefinitionCount { announced: u64, found: u64 },
}

impl Error {
    /// An error at an offset of a file, in bytes.
    pub fn new(path: &Path, offset: impl Into<Option<u64>>, kind: ErrorKind) -> Self {
        Error { path: path.to_owned(), offset: offset.into(), record: None, kind }
    }

    /// A file that was there before.
    pub fn gone(path: &Path) -> Self {
        Error::new(path, None, ErrorKind::Io(io::Error::from(io::ErrorKind::NotFound)))
    }

    /// That an archive is unfinished, where a file is missing without which it is none.
    pub(super) fn unfinished(self) -> Self {
        match self.is_not_found() {
            true => Error { kind: ErrorKind::Unfinished, ..self },
            false => self,
        }
    }

    /// Tells whether the operating system refused the file, rather than its content being wrong.
    pub fn is_io(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Io(_)
                | ErrorKind::NotAFile
                | ErrorKind::Directory
                | ErrorKind::OnlyEvents { .. }
        )
    }

    /// Tells whether the file does not exist.
    pub fn is_not_found(&self) -> bool {
        match &self.kind {
            ErrorKind::Io(error) => error.kind() == io::ErrorKind::NotFound,
            ErrorKind::Unfinished | ErrorKind::Renamed { .. } | ErrorKind::NoLocalDefinitions => {
                true
            }
            _ => false,
        }
    }

    /// Tells whether the file holds no chunk, whatever else it holds.
    pub(super) fn is_no_chunk(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Empty | ErrorKind::NoChunkHeader(_) | ErrorKind::ByteOrder(_)
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(offset) = self.offset {
            write!(f, "at byte {offset}: ")?;
        }
        if let Some(record) = self.record {
            write!(f, "{}: ", record.named())?;
        }
        write!(f, "{}", self.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl Record {
    /// As messages name it.
    pub fn named(&self) -> String {
        let name = self
            .name
            .map_or_else(|| format!("record of kind {}", self.id), |name| format!("{name} record"));
        match self.number {
            0 => name,
            number => format!("{name} {number}"),
        }
    }
}
