//! Spilled bytes of joins.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::spill::Room;
use streamfold_system::exit::Failure;

/// A temporary file that is written at its end and read anywhere. It is made when something is put aside.
#[derive(Default)]
pub struct SpillFile {
    file: Option<File>,
    end: u64,
}

impl SpillFile {
    /// Returns where the bytes begin.
    pub fn put(&mut self, bytes: &[u8], room: &Room) -> Result<u64, Failure> {
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
    pub fn bring_back(&self, begin: u64, bytes: &mut [u8], room: &Room) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Err(room.broken()) };
        file.read_exact_at(bytes, begin).map_err(|error| room.failure(&error))
    }

    /// Its room on the disk is free.
    pub fn forget(&mut self, room: &Room) -> Result<(), Failure> {
        self.end = 0;
        let cut = self.file.as_ref().map_or(Ok(()), |file| file.set_len(0));
        cut.map_err(|error| room.failure(&error))
    }
}
