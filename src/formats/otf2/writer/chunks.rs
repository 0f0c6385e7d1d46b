//! Files of chunks as they are written, section 2.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::{WriteError, WriteErrorKind};
use crate::chunk::{ChunkHead, Order, CHUNK_HEADER, CHUNK_HEADER_SIZE, END_OF_BUFFER, END_OF_FILE};

/// A file of chunks. It is made when its first chunk is full or the file ends, and holds one chunk at
/// a time in memory.
#[derive(Debug)]
pub(super) struct ChunkWriter {
    path: PathBuf,
    file: Option<File>,
    size: usize,
    order: Order,
    /// The chunk, up to where it is filled.
    chunk: Vec<u8>,
    /// The number of the first record of this chunk, where records are counted.
    first: u64,
    /// Records so far, where they are counted.
    count: u64,
    /// Bytes in the file.
    written: u64,
}

impl ChunkWriter {
    /// A new file of chunks of this size.
    pub(super) fn new(path: PathBuf, size: u64, order: Order) -> Self {
        let mut writer = ChunkWriter {
            path,
            file: None,
            size: size as usize,
            order,
            chunk: spare::take(),
            first: 1,
            count: 0,
            written: 0,
        };
        writer.header();
        writer
    }

    /// Goes on behind the records of a file that was ended, whose chunks are of this size.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is none that was ended here.
    pub(super) fn reopen(path: PathBuf, size: u64) -> Result<Self, WriteError> {
        let opened = reopened(&path, size);
        let (file, begin, chunk) =
            opened.map_err(|error| WriteError::new(&path, WriteErrorKind::Io(error)))?;
        let Ok((order, head)) = ChunkHead::parse(begin, &chunk) else {
            let error = io::Error::from(io::ErrorKind::InvalidData);
            return Err(WriteError::new(&path, WriteErrorKind::Io(error)));
        };
        let (size, first, count) = (size as usize, head.first, head.last);
        Ok(ChunkWriter { path, file: Some(file), size, order, chunk, first, count, written: begin })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The order of bytes.
    #[inline(always)]
    pub(super) fn order(&self) -> Order {
        self.order
    }

    /// Records so far, where they are counted.
    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Tells whether a record for which so many bytes are reserved still goes into this chunk. One byte at least stays
    /// free for the mark that ends the chunk.
    #[inline(always)]
    pub(super) fn has_room(&self, reserved: u64) -> bool {
        reserved < self.free() as u64
    }

    /// Bytes that are free in this chunk.
    #[inline(always)]
    pub(super) fn free(&self) -> usize {
        self.size - self.chunk.len()
    }

    /// Tells whether no record is in this chunk.
    pub(super) fn is_fresh(&self) -> bool {
        self.chunk.len() == CHUNK_HEADER_SIZE as usize
    }

    /// Counts a record.
    #[inline(always)]
    pub(super) fn count_record(&mut self) {
        self.count += 1;
    }

    /// Counts several.
    #[inline(always)]
    pub(super) fn count_records(&mut self, records: u64) {
        self.count += records;
    }

    /// Appends bytes for which there is room.
    #[inline(always)]
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.chunk.extend_from_slice(bytes);
    }

    /// Holds no file open until the next chunk is full.
    pub(super) fn rest(&mut self) {
        self.file = None;
    }

    /// Ends this chunk and begins the next.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    #[cold]
    pub(super) fn next_chunk(&mut self) -> Result<(), WriteError> {
        self.chunk.resize(self.size, 0);
        self.flush()?;
        self.first = self.count + 1;
        self.header();
        Ok(())
    }

    /// Ends the file, section 2.3. Returns its length in bytes.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub(super) fn finish(mut self) -> Result<u64, WriteError> {
        // A chunk always has room for the first of them, but perhaps not for the second, which no
        // reader reads.
        self.chunk.extend_from_slice(&[END_OF_FILE, END_OF_BUFFER]);
        self.chunk.truncate(self.size);
        self.flush()?;
        Ok(self.written)
    }

    fn header(&mut self) {
        self.chunk.clear();
        self.chunk.extend_from_slice(&[CHUNK_HEADER, self.order.number()]);
        self.chunk.extend_from_slice(&self.order.bytes_u64(self.first));
        self.chunk.extend_from_slice(&[0; 8]);
    }

    /// Writes the chunk with the number of its last record.
    fn flush(&mut self) -> Result<(), WriteError> {
        self.chunk[10..CHUNK_HEADER_SIZE as usize]
            .copy_from_slice(&self.order.bytes_u64(self.count));
        let result = self.write();
        result.map_err(|error| WriteError::new(&self.path, WriteErrorKind::Io(error)))?;
        self.written += self.chunk.len() as u64;
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut options = OpenOptions::new();
                let file = match self.written {
                    0 => options.write(true).create_new(true).open(&self.path)?,
                    _ => options.append(true).open(&self.path)?,
                };
                self.file.insert(file)
            }
        };
        file.write_all(&self.chunk)
    }
}

/// A file at its last chunk, where that begins, and the chunk without what ends it.
fn reopened(path: &Path, size: u64) -> io::Result<(File, u64, Vec<u8>)> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    let begin = length.saturating_sub(1) / size * size;
    file.seek(SeekFrom::Start(begin))?;
    let mut chunk = spare::take();
    chunk.clear();
    Read::by_ref(&mut file).take(size).read_to_end(&mut chunk)?;
    file.seek(SeekFrom::Start(begin))?;
    let marks = if chunk.ends_with(&[END_OF_FILE, END_OF_BUFFER]) { 2 } else { 1 };
    chunk.truncate(chunk.len().saturating_sub(marks));
    Ok((file, begin, chunk))
}

impl Drop for ChunkWriter {
    fn drop(&mut self) {
        spare::give_back(std::mem::take(&mut self.chunk));
    }
}

/// Chunks of files that are written, for the next file that this thread writes.
mod spare {
    use super::RefCell;

    /// A location has its definitions open, its events and its snapshots.
    const MOST: usize = 3;

    thread_local! {
        static FREE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn take() -> Vec<u8> {
        FREE.with_borrow_mut(|free| free.pop().unwrap_or_default())
    }

    pub(super) fn give_back(chunk: Vec<u8>) {
        FREE.with_borrow_mut(|free| {
            if chunk.capacity() > 0 && free.len() < MOST {
                free.push(chunk);
            }
        });
    }
}
