//! Definitions of which single records are gone.

use std::fs;
use std::path::Path;

/// Bytes of the header of a chunk.
const HEADER: usize = 18;

/// Takes the record out of a file of definitions, in one chunk and little-endian, that is the one of
/// this number among those of its kind, from 0.
pub fn drop_record(path: &Path, id: u8, number: usize) {
    let bytes = fs::read(path).expect("definitions");
    let records = records(&bytes);
    let (begin, end) =
        *records.iter().filter(|of| bytes[of.0] == id).nth(number).expect("a record");
    fs::write(path, [&bytes[..begin], &bytes[end..]].concat()).expect("written");
}

/// Where records begin and end.
fn records(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut at, mut records) = (HEADER, Vec::new());
    while bytes[at] != 2 {
        let end = match bytes[at + 1] {
            255 => {
                let length = bytes[at + 2..at + 10].try_into().expect("eight bytes");
                at + 10 + u64::from_le_bytes(length) as usize
            }
            length => at + 2 + usize::from(length),
        };
        records.push((at, end));
        at = end;
    }
    records
}
