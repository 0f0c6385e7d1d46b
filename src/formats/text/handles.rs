//! Files of which a limited number is open: the others are closed, and opened again where they were.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Take};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Extent;

/// An open file, or the place of one.
type Slot = Arc<Mutex<Option<Take<File>>>>;

/// The files that are open at a time.
#[derive(Debug)]
pub(crate) struct Handles {
    limit: NonZeroUsize,
    open: Mutex<VecDeque<Slot>>,
}

impl Handles {
    /// At most so many.
    pub(crate) fn new(limit: NonZeroUsize) -> Arc<Handles> {
        Arc::new(Handles { limit, open: Mutex::default() })
    }

    /// A file was opened. The one that was opened before all others is closed, where there are too many.
    fn opened(&self, slot: &Slot) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        while open.len() >= self.limit.get() {
            let Some(first) = open.pop_front() else { break };
            first.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        open.push_back(slot.clone());
    }
}

/// A file that may be closed between reads.
#[derive(Debug)]
pub(crate) struct HandledFile {
    path: PathBuf,
    extent: Extent,
    slot: Slot,
    at: u64,
    handles: Option<Arc<Handles>>,
}

impl HandledFile {
    /// Opens a file. Without handles it stays open.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(crate) fn open(
        path: &Path,
        extent: Extent,
        handles: Option<&Arc<Handles>>,
    ) -> io::Result<HandledFile> {
        let (path, handles) = (path.to_owned(), handles.cloned());
        let file = HandledFile { path, extent, slot: Slot::default(), at: 0, handles };
        file.reopen()?;
        Ok(file)
    }

    /// Opens a file at an offset.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(crate) fn open_at(path: &Path, extent: Extent, at: u64) -> io::Result<HandledFile> {
        let (path, slot) = (path.to_owned(), Slot::default());
        let file = HandledFile { path, extent, slot, at, handles: None };
        file.reopen()?;
        Ok(file)
    }

    /// With which the file is closed until it is read on.
    pub(crate) fn rest(&self) -> Rest {
        Rest(self.slot.clone())
    }

    fn reopen(&self) -> io::Result<()> {
        if let Some(handles) = &self.handles {
            handles.opened(&self.slot);
        }
        let file = self.extent.open(&self.path, self.at)?;
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(())
    }

    fn try_read(&self, to: &mut [u8]) -> io::Result<Option<usize>> {
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_mut().map(|file| file.read(to)).transpose()
    }
}

/// Closes a file until it is read on.
#[derive(Debug)]
pub(crate) struct Rest(Slot);

impl Rest {
    pub(crate) fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Read for HandledFile {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let mut is_second_try = false;
        loop {
            match self.try_read(to) {
                Ok(Some(read)) => {
                    self.at += read as u64;
                    return Ok(read);
                }
                Ok(None) => self.reopen()?,
                // Network file systems forget files: they are opened anew, once.
                Err(error)
                    if error.kind() == ErrorKind::StaleNetworkFileHandle && !is_second_try =>
                {
                    is_second_try = true;
                    self.reopen()?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However few files are open, each is read from its begin to its end.
    #[test]
    fn files_take_turns() {
        let folder = tempfile::TempDir::new().expect("a folder");
        for limit in 1..4 {
            let handles = Handles::new(NonZeroUsize::new(limit).expect("some"));
            let mut files = Vec::new();
            for number in 0..3_u8 {
                let path = folder.path().join(number.to_string());
                let bytes: Vec<u8> = (0..100).map(|at| at ^ number).collect();
                std::fs::write(&path, &bytes).expect("a file");
                let file = HandledFile::open(&path, Extent(100), Some(&handles));
                files.push((bytes, file.expect("it is there")));
            }
            let mut read = vec![Vec::new(); 3];
            for _ in 0..12 {
                for ((_, file), read) in files.iter_mut().zip(&mut read) {
                    let mut piece = [0; 9];
                    let count = file.read(&mut piece).expect("bytes");
                    read.extend_from_slice(&piece[..count]);
                    let open = handles.open.lock().expect("nobody panics");
                    let is_open = |slot: &&Slot| slot.lock().expect("nobody panics").is_some();
                    assert!(open.iter().filter(is_open).count() <= limit);
                }
            }
            for ((bytes, _), read) in files.iter().zip(read) {
                assert_eq!(*bytes, read);
            }
        }
    }
}
