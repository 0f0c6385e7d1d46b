//! Chunk sizes of files without an anchor, section 2.

use std::io::{BufReader, Read};
use std::path::Path;

use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::EventSet;

use super::chunk::{Order, CHUNK_HEADER, CHUNK_SIZES, END_OF_CHUNK};
use super::definitions::LocalDefinitions;
use super::error::{Error, ErrorKind};
use super::events::EventReader;
use super::window::{open_file, Window};

/// Bytes that are looked at together.
const WINDOW: usize = 256 << 10;

/// Wants no event.
struct Nobody;

impl EventVisitor for Nobody {
    const WANTS: EventSet = EventSet::NONE;
}

/// The chunk size of a file of events, in bytes, as its first chunk shows: it is filled with zeros
/// up to the next one. `None`: it does not show, since there is no more than one chunk, or since
/// that is damaged.
///
/// # Errors
///
/// When the file cannot be read, or does not begin with a chunk.
pub fn event_chunk_size(path: &Path) -> Result<Option<u64>, Error> {
    let largest = *CHUNK_SIZES.end();
    let window = Window::open(path.to_owned(), WINDOW, true)?;
    let local = LocalDefinitions::default();
    let mut reader = EventReader::new(LocationRef::UNDEFINED, window, largest, local)?;
    reader.end_before(largest);
    // Whatever ends it: what counts is what stands there.
    while let Ok(true) = reader.read_part(&mut Nobody) {}
    let end = reader.offset();
    let size = first_behind_zeros(path, end).map_err(|kind| Error::new(path, end, kind))?;
    Ok(size.filter(|size| CHUNK_SIZES.contains(size)))
}

/// Returns the offset of the chunk header behind the zeros from an offset on.
fn first_behind_zeros(path: &Path, offset: u64) -> Result<Option<u64>, ErrorKind> {
    let (file, _) = open_file(path)?;
    let mut file = BufReader::with_capacity(WINDOW, file);
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(offset)).map_err(ErrorKind::Io)?;
    let mut at = offset;
    let mut bytes = file.take(*CHUNK_SIZES.end() + 2).bytes();
    let mut zeros = 0_u64;
    while let Some(byte) = bytes.next().transpose().map_err(ErrorKind::Io)? {
        match byte {
            END_OF_CHUNK => zeros += 1,
            CHUNK_HEADER if zeros > 0 => {
                let order = bytes.next().transpose().map_err(ErrorKind::Io)?;
                return Ok(order.and_then(Order::new).map(|_| at));
            }
            _ => return Ok(None),
        }
        at += 1;
    }
    Ok(None)
}

/// The chunk size of a file of definitions, in bytes, as its second chunk tells, whose header says
/// what all say there. `None`: there is none.
///
/// # Errors
///
/// When the file cannot be read.
pub fn definition_chunk_size(path: &Path) -> Result<Option<u64>, Error> {
    let (smallest, largest) = (*CHUNK_SIZES.start(), *CHUNK_SIZES.end());
    let refused = |kind| Error::new(path, None, kind);
    let (mut file, length) = open_file(path).map_err(refused)?;
    if length <= smallest {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let most = largest + u64::from(u8::MAX);
    let read = Read::by_ref(&mut file).take(most).read_to_end(&mut bytes);
    read.map_err(|error| refused(ErrorKind::Io(error)))?;
    let headers = [Order::Little, Order::Big].map(|order| {
        let numbers = [order.bytes_u64(1), order.bytes_u64(0)].concat();
        [&[END_OF_CHUNK, CHUNK_HEADER, order.number()], &numbers[..]].concat()
    });
    let begins = |at: &u64| {
        let rest = bytes.get(*at as usize - 1..).unwrap_or_default();
        headers.iter().any(|header| rest.starts_with(header))
    };
    Ok((smallest..=largest.min(length)).find(begins))
}

/// Tells whether a chunk may begin at this offset: there is a header, or the file ends before that.
///
/// # Errors
///
/// When the file cannot be read.
pub fn chunk_may_begin(path: &Path, offset: u64) -> Result<bool, Error> {
    let refused = |kind| Error::new(path, offset, kind);
    let (file, length) = open_file(path).map_err(refused)?;
    if length <= offset {
        return Ok(true);
    }
    let mut header = [0; 2];
    let read = std::os::unix::fs::FileExt::read_at(&file, &mut header, offset);
    let count = read.map_err(|error| refused(ErrorKind::Io(error)))?;
    Ok(match header[..count] {
        [CHUNK_HEADER, order] => Order::new(order).is_some(),
        [CHUNK_HEADER] => true,
        _ => false,
    })
}

/// The order of bytes that a file begins with; `None` where it does not say it.
///
/// # Errors
///
/// When the file cannot be read.
pub fn order_of(path: &Path) -> Result<Option<Order>, Error> {
    let refused = |kind| Error::new(path, None, kind);
    let (mut file, _) = open_file(path).map_err(refused)?;
    let mut header = [0; 2];
    match file.read_exact(&mut header) {
        Ok(()) if header[0] == CHUNK_HEADER => Ok(Order::new(header[1])),
        _ => Ok(None),
    }
}
