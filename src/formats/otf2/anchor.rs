//! The anchor file, section 4, and the options that it shows of how files were written.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use bstr::{BString, ByteSlice};
use serde::{Deserialize, Serialize};
use streamfold_model::enums::{Compression, FileSubstrate};

use super::chunk::{Order, CHUNK_HEADER, CHUNK_SIZES, END_OF_BUFFER, END_OF_CHUNK, END_OF_FILE};
use super::error::{Error, ErrorKind};
use super::payload::Payload;
use super::window::open_file;
use super::wire::{BigEndian, ByteOrder, Cursor, LittleEndian, WireError};
use super::writer::{WriteError, WriteErrorKind};

/// An anchor is at most this long.
const MAX_SIZE: u64 = 256 << 10;
const NEWEST_ANCHOR: u8 = 3;
const NEWEST_TRACE: u8 = 2;
/// The version of the reference library that writes the same records in the same way.
const WRITTEN_AS: [u8; 3] = [3, 0, 2];

/// Anchor of an archive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// The order of its bytes.
    pub order: Order,
    /// The anchor's own format, 1 to 3.
    pub anchor_format: u8,
    /// The trace format, 0 to 2.
    pub trace_format: u8,
    /// Version of the library that wrote the archive: major, minor, bug fix.
    pub version: [u8; 3],
    /// Chunk size of event and snapshot files in bytes.
    pub event_chunk_size: u64,
    /// Chunk size of definition and marker files in bytes.
    pub definition_chunk_size: u64,
    /// How the files are stored.
    pub substrate: FileSubstrate,
    /// How they are compressed.
    pub compression: Compression,
    /// Location records in the global definitions.
    pub number_of_locations: u64,
    /// Records in the global definitions.
    pub number_of_global_definitions: u64,
    /// The machine that the trace was recorded on; may be empty.
    pub machine_name: BString,
    /// The program that wrote the trace.
    pub creator: BString,
    /// Free text.
    pub description: BString,
    /// Names and values, in the order of the file.
    pub properties: Vec<(BString, BString)>,
    /// Unique for the trace; 0 in anchors of format 1.
    pub trace_identifier: u64,
    /// Points in time for which every location has a snapshot.
    pub number_of_snapshots: u32,
    /// Thumbnail files.
    pub number_of_thumbnails: u32,
}

impl Anchor {
    /// The anchor of a new archive, written with these options. Its identifier follows from when it is made.
    pub fn new(
        options: &WriteOptions,
        number_of_locations: u64,
        number_of_global_definitions: u64,
        creator: &str,
    ) -> Anchor {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Anchor {
            order: options.order,
            anchor_format: NEWEST_ANCHOR,
            trace_format: NEWEST_TRACE,
            version: WRITTEN_AS,
            event_chunk_size: options.event_chunk_size,
            definition_chunk_size: options.definition_chunk_size,
            substrate: FileSubstrate::Posix,
            compression: Compression::None,
            number_of_locations,
            number_of_global_definitions,
            machine_name: BString::default(),
            creator: creator.into(),
            description: BString::default(),
            properties: Vec::new(),
            trace_identifier: (since.as_nanos() as u64).max(1),
            number_of_snapshots: 0,
            number_of_thumbnails: 0,
        }
    }

    /// Reads an anchor.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no anchor, or belongs to an archive that cannot be read:
    /// compressed ones and those in SION containers.
    pub fn read(path: &Path) -> Result<Anchor, Error> {
        let bytes = read_file(path).map_err(|kind| Error::new(path, None, kind))?;
        let error = |offset: usize, kind| Error::new(path, offset as u64, kind);
        match bytes[..] {
            [] => return Err(Error::new(path, None, ErrorKind::Empty)),
            [CHUNK_HEADER, ..] => {}
            [other, ..] => return Err(error(0, ErrorKind::NoChunkHeader(other))),
        }
        let order = bytes.get(1).copied().unwrap_or(0);
        let parsed = match Order::new(order) {
            Some(Order::Little) => parse::<LittleEndian>(&bytes),
            Some(Order::Big) => {
                parse::<BigEndian>(&bytes).map(|anchor| Anchor { order: Order::Big, ..anchor })
            }
            None if bytes.len() < 2 => Err((1, ErrorKind::UnexpectedEnd("in the header"))),
            None => Err((1, ErrorKind::ByteOrder(order))),
        };
        parsed.map_err(|(offset, kind)| error(offset, kind))
    }

    /// Writes an anchor of the newest format, whatever it was read from.
    ///
    /// # Errors
    ///
    /// When there is a file already, when it would be too long for readers, or when it cannot be
    /// written.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        let mut bytes = Vec::new();
        match self.order {
            Order::Little => self.encode(&mut Payload::<LittleEndian>::new(&mut bytes)),
            Order::Big => self.encode(&mut Payload::<BigEndian>::new(&mut bytes)),
        }
        if bytes.len() as u64 > MAX_SIZE {
            return Err(WriteError::new(path, WriteErrorKind::AnchorSize(bytes.len())));
        }
        let written = File::create_new(path).and_then(|mut file| file.write_all(&bytes));
        written.map_err(|error| WriteError::new(path, WriteErrorKind::Io(error)))
    }

    fn encode<O: ByteOrder>(&self, to: &mut Payload<'_, O>) {
        to.raw(&[CHUNK_HEADER, self.order.number()]);
        to.string(b"OTF2");
        to.raw(&[NEWEST_ANCHOR, NEWEST_TRACE]);
        to.raw(&self.version);
        to.u64(self.event_chunk_size);
        to.u64(self.definition_chunk_size);
        to.u8(self.substrate.into());
        to.u8(self.compression.into());
        to.u64(self.number_of_locations);
        to.u64(self.number_of_global_definitions);
        to.string(&self.machine_name);
        to.string(&self.creator);
        to.string(&self.description);
        to.u32(self.properties.len() as u32);
        for (name, value) in &self.properties {
            to.string(name);
            to.string(value);
        }
        to.u64(self.trace_identifier);
        to.u32(self.number_of_snapshots);
        to.u32(self.number_of_thumbnails);
        // The last byte is a chunk's, of which the anchor is one.
        to.raw(&[END_OF_FILE, END_OF_BUFFER, END_OF_CHUNK]);
    }
}

/// How files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// Chunk size of event and snapshot files in bytes, 256 KiB to 16 MiB.
    pub event_chunk_size: u64,
    /// Chunk size of definition and marker files in bytes, 256 KiB to 16 MiB.
    pub definition_chunk_size: u64,
    /// The order of bytes in all files.
    pub order: Order,
}

impl Default for WriteOptions {
    /// As the reference library writes: chunks of 1 and 4 MiB, in the order of this machine.
    fn default() -> Self {
        WriteOptions {
            event_chunk_size: 1 << 20,
            definition_chunk_size: 4 << 20,
            order: Order::NATIVE,
        }
    }
}

impl WriteOptions {
    /// As the archive of this anchor was written.
    pub fn of(anchor: &Anchor) -> WriteOptions {
        let Anchor { event_chunk_size, definition_chunk_size, order, .. } = *anchor;
        WriteOptions { event_chunk_size, definition_chunk_size, order }
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, ErrorKind> {
    let (file, _) = open_file(path)?;
    let mut bytes = Vec::new();
    file.take(MAX_SIZE).read_to_end(&mut bytes).map_err(ErrorKind::Io)?;
    Ok(bytes)
}

/// Offset of a fault in the anchor, and its kind.
type Failure = (usize, ErrorKind);

fn parse<O: ByteOrder>(bytes: &[u8]) -> Result<Anchor, Failure> {
    let mut c = Cursor::<O>::new(bytes, 2, bytes.len());
    let magic_end = bytes.len().min(7);
    if &bytes[2..magic_end] != b"OTF2\0" {
        return Err((2, ErrorKind::Magic(bytes[2..magic_end].into())));
    }
    let c = &mut c;
    let mut anchor = fields(c).map_err(|error| ended(c, error))?;
    check_formats(&anchor)?;
    if anchor.anchor_format >= 2 {
        properties(c, &mut anchor.properties)?;
        anchor.trace_identifier = c.u64().map_err(|error| ended(c, error))?;
    }
    if anchor.anchor_format >= NEWEST_ANCHOR {
        anchor.number_of_snapshots = c.u32().map_err(|error| ended(c, error))?;
        anchor.number_of_thumbnails = c.u32().map_err(|error| ended(c, error))?;
    }
    if anchor.anchor_format <= NEWEST_ANCHOR {
        let at = c.position();
        match c.u8().map_err(|error| ended(c, error))? {
            END_OF_FILE => {}
            other => return Err((at, ErrorKind::AnchorEnd(other))),
        }
    }
    check_storage(&anchor)?;
    Ok(anchor)
}

/// The fields that anchors of every format have.
fn fields<O: ByteOrder>(c: &mut Cursor<'_, O>) -> Result<Anchor, WireError> {
    c.string()?; // the magic word, which was looked at before
    Ok(Anchor {
        order: Order::Little,
        anchor_format: c.u8()?,
        trace_format: c.u8()?,
        version: [c.u8()?, c.u8()?, c.u8()?],
        event_chunk_size: c.u64()?,
        definition_chunk_size: c.u64()?,
        substrate: FileSubstrate::from(c.u8()?),
        compression: Compression::from(c.u8()?),
        number_of_locations: c.u64()?,
        number_of_global_definitions: c.u64()?,
        machine_name: c.string()?.into(),
        creator: c.string()?.into(),
        description: c.string()?.into(),
        properties: Vec::new(),
        trace_identifier: 0,
        number_of_snapshots: 0,
        number_of_thumbnails: 0,
    })
}

fn ended<O: ByteOrder>(c: &Cursor<'_, O>, error: WireError) -> Failure {
    let kind = match error {
        WireError::PastEnd | WireError::StringEnd => ErrorKind::UnexpectedEnd("inside of a field"),
        other => other.into(),
    };
    (c.position(), kind)
}

fn properties<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    properties: &mut Vec<(BString, BString)>,
) -> Result<(), Failure> {
    let count = c.u32().map_err(|error| ended(c, error))?;
    let count = c.count(count, 2).map_err(|error| ended(c, error))?;
    for _ in 0..count {
        let at = c.position();
        let name = c.string().map_err(|error| ended(c, error))?;
        if !is_property_name(name) {
            return Err((at, ErrorKind::PropertyName(name.into())));
        }
        let value = c.string().map_err(|error| ended(c, error))?;
        properties.push((name.into(), value.into()));
    }
    Ok(())
}

/// Two or more parts of letters, digits and underscores, joined by `::`.
fn is_property_name(name: &[u8]) -> bool {
    let part = |part: &[u8]| {
        !part.is_empty() && part.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
    };
    name.split_str("::").count() >= 2 && name.split_str("::").all(part)
}

fn check_formats(anchor: &Anchor) -> Result<(), Failure> {
    match (anchor.anchor_format, anchor.trace_format) {
        (0, _) => Err((7, ErrorKind::AnchorFormat)),
        (_, trace) if trace > NEWEST_TRACE => Err((8, ErrorKind::TraceFormat(trace))),
        _ => Ok(()),
    }
}

fn check_storage(anchor: &Anchor) -> Result<(), Failure> {
    match anchor.substrate {
        FileSubstrate::Posix => {}
        FileSubstrate::Sion => return Err((28, ErrorKind::Sion)),
        FileSubstrate::None => return Err((28, ErrorKind::NoSubstrate)),
        other => return Err((28, ErrorKind::Substrate(other.into()))),
    }
    match anchor.compression {
        Compression::None => {}
        Compression::Zlib => return Err((29, ErrorKind::Zlib)),
        other => return Err((29, ErrorKind::Compression(other.into()))),
    }
    for (offset, size) in [(12, anchor.event_chunk_size), (20, anchor.definition_chunk_size)] {
        if !CHUNK_SIZES.contains(&size) {
            return Err((offset, ErrorKind::ChunkSize(size)));
        }
    }
    Ok(())
}
