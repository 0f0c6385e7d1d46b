//! Clock offsets that are out of order, in files that have ordered ones.

use std::fs;
use std::ops::Range;
use std::path::Path;

use super::parsed::HEADER;

/// Number of the record on disk.
const CLOCK_OFFSET: u8 = 6;

/// Swaps the times of the first two clock offsets in the definitions of a location, all of which are in one
/// chunk.
pub fn disorder(path: &Path) {
    let mut bytes = fs::read(path).expect("definitions");
    let times: Vec<Range<usize>> = clock_offsets(&bytes).collect();
    let [first, second, ..] = &times[..] else { panic!("{}: {times:?}", path.display()) };
    let swapped = [bytes[second.clone()].to_vec(), bytes[first.clone()].to_vec()];
    bytes[first.clone()].copy_from_slice(&swapped[0]);
    bytes[second.clone()].copy_from_slice(&swapped[1]);
    fs::write(path, bytes).expect("written");
}

/// Where the times of clock offsets stand.
fn clock_offsets(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = HEADER;
    std::iter::from_fn(move || loop {
        let id = bytes[at];
        if id == 2 {
            return None;
        }
        let long = || u64::from_le_bytes(bytes[at + 2..at + 10].try_into().expect("8 bytes"));
        let (begin, length) = match bytes[at + 1] {
            255 => (at + 10, long() as usize),
            length => (at + 2, length.into()),
        };
        at = begin + length;
        if id == CLOCK_OFFSET {
            return Some(begin..begin + 8);
        }
    })
}
