//! Times that go back, in files that were written with times that do not.

use std::fs;
use std::path::Path;

/// What stands in the file for the time of the first event; those of others follow it.
const FIRST: u64 = 0x5eed_0000_0000_0000;

/// Number of the record that has the time of those behind it.
const TIME: u8 = 5;

/// Whether a writer takes these times.
pub fn go_back(times: &[u64]) -> bool {
    !times.is_sorted()
}

/// What to write in place of the time of an event, by its place from 0.
pub fn instead(place: usize) -> u64 {
    FIRST + place as u64
}

/// Gives the events of a file, written with [`instead`] of times, these times.
pub fn set(file: &Path, times: &[u64]) {
    let mut bytes = fs::read(file).expect("events");
    let mut at = 0;
    for (place, time) in times.iter().enumerate() {
        let mut written = vec![TIME];
        written.extend(instead(place).to_le_bytes());
        let found = bytes[at..].windows(written.len()).position(|window| window == written);
        at += found.expect("a time") + written.len();
        bytes[at - 8..at].copy_from_slice(&time.to_le_bytes());
    }
    fs::write(file, bytes).expect("written");
}
