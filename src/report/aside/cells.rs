//! Values of call paths and locations that ranks find, spilled until a report needs them.

use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use streamfold_model::ids::LocationRef;
use tempfile::SpooledTempFile;

use super::spool::IN_MEMORY;

/// Values of each cell.
pub(crate) const VALUES: usize = 2;
/// Bytes of a cell: row, location, values.
const BYTES: usize = 4 + 8 + VALUES * 8;

/// Cells of this rank: values, in ticks, of a call path at a location.
#[derive(Clone, Debug, Default)]
pub struct PlaceCells(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    to: BufWriter<SpooledTempFile>,
    count: u64,
    /// Why it is not whole.
    error: Option<io::Error>,
}

impl Default for State {
    fn default() -> Self {
        let to = BufWriter::new(SpooledTempFile::new(IN_MEMORY));
        State { to, count: 0, error: None }
    }
}

/// Values of a call path, as a row of the profile, at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaceCell {
    pub path: u32,
    pub location: LocationRef,
    pub values: [u64; VALUES],
}

impl PlaceCells {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes the values of a call path at a location. A failure to write shows when they are read.
    pub fn put(&self, path: u32, location: LocationRef, values: [u64; VALUES]) {
        let mut state = self.state();
        if state.error.is_some() {
            return;
        }
        let mut bytes = [0; BYTES];
        bytes[..4].copy_from_slice(&path.to_le_bytes());
        let numbers = [location.0].into_iter().chain(values);
        for (to, number) in bytes[4..].chunks_exact_mut(8).zip(numbers) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        state.error = state.to.write_all(&bytes).err();
        state.count += 1;
    }

    /// Tells all cells.
    pub(crate) fn read(&self, mut tell: impl FnMut(PlaceCell)) -> io::Result<()> {
        let mut state = self.state();
        if let Some(error) = &state.error {
            return Err(io::Error::new(error.kind(), error.to_string()));
        }
        let count = state.count;
        state.to.flush()?;
        let file = state.to.get_mut();
        file.seek(SeekFrom::Start(0))?;
        let mut from = BufReader::new(file);
        let mut bytes = [0; BYTES];
        for _ in 0..count {
            from.read_exact(&mut bytes)?;
            let number = |at: usize| {
                let mut eight = [0; 8];
                eight.copy_from_slice(&bytes[at..at + 8]);
                u64::from_le_bytes(eight)
            };
            let path = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let values = std::array::from_fn(|value| number(12 + value * 8));
            tell(PlaceCell { path, location: LocationRef(number(4)), values });
        }
        state.to.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_back_as_often_as_they_are_read() {
        let cells = PlaceCells::default();
        let cell = |number: u64| PlaceCell {
            path: number as u32 % 7,
            location: LocationRef(number << 33),
            values: [number, u64::MAX - number],
        };
        let most = 2 * (IN_MEMORY / BYTES) as u64;
        for (from, to) in [(0, 10), (10, most)] {
            for PlaceCell { path, location, values } in (from..to).map(cell) {
                cells.put(path, location, values);
            }
            for _ in 0..2 {
                let mut found = 0;
                let read = cells.read(|read| {
                    assert_eq!(read, cell(found));
                    found += 1;
                });
                assert!(read.is_ok() && found == to);
            }
        }
    }
}
