//! Streams that cannot be read to their end: what is told, and what counts, is what one reader in
//! order would say.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{same_in_pieces, same_on_ranks};
use crate::common::archives::one;
use crate::common::chunks::cut;
use crate::common::small::CHUNK;

const CHUNKS: usize = 8;

/// An archive of some locations in chunks, and the event file of one of them.
fn archive() -> (TempDir, PathBuf, PathBuf) {
    let (folder, anchor) = cut(&one("hybrid"), CHUNKS);
    let file = folder.path().join("traces/0.evt");
    (folder, anchor, file)
}

fn overwrite(file: &Path, offset: u64, bytes: &[u8]) {
    let mut file = fs::File::options().write(true).open(file).expect("events");
    file.seek(SeekFrom::Start(offset)).expect("a place");
    file.write_all(bytes).expect("damage");
}

/// With losses, that are the same however it is read, and the first of them with `--strict`.
fn loses(anchor: &Path, what: &str) {
    let whole = same_in_pieces(anchor, &[]);
    assert_eq!(whole.code, Some(3), "{}", whole.err);
    assert!(whole.err.contains(what), "{}", whole.err);
    same_on_ranks(anchor, &[], &whole, &[2, 5]);
    let strict = same_in_pieces(anchor, &["--strict"]);
    assert_eq!((strict.code, strict.out.as_str()), (Some(2), ""), "{}", strict.err);
    same_on_ranks(anchor, &["--strict"], &strict, &[5]);
}

#[test]
fn a_damaged_record_in_any_chunk() {
    for chunk in [0, 1, 4, CHUNKS as u64 - 1] {
        let (_folder, anchor, file) = archive();
        // Behind header and time: an enter whose region has nine bytes.
        overwrite(&file, chunk * CHUNK + 27, &[12, 9]);
        loses(&anchor, "a compressed integer of 4 bytes claims a size of 9");
    }
}

#[test]
fn a_damaged_header_of_any_chunk() {
    for chunk in [1, 4] {
        let (_folder, anchor, file) = archive();
        overwrite(&file, chunk * CHUNK, &[0]);
        loses(&anchor, "expected a chunk header");
    }
}

#[test]
fn a_file_that_ends_anywhere() {
    for end in [CHUNK * 3, CHUNK * 3 + 5, CHUNK * 3 + 18, CHUNK * 3 + 40, CHUNK * 3 - 1, 30, 0] {
        let (_folder, anchor, file) = archive();
        fs::File::options()
            .write(true)
            .open(&file)
            .and_then(|file| file.set_len(end))
            .expect("cut");
        let whole = same_in_pieces(&anchor, &[]);
        assert_eq!(whole.code, Some(3), "{end}: {}", whole.err);
        same_on_ranks(&anchor, &[], &whole, &[2]);
    }
}

#[test]
fn data_that_ends_in_a_chunk_before_the_last() {
    let (_folder, anchor, file) = archive();
    let before = same_in_pieces(&anchor, &[]);
    overwrite(&file, 4 * CHUNK + 27, &[2, 1]);
    let whole = same_in_pieces(&anchor, &[]);
    // What lies behind the end of the data is not looked at.
    assert!(whole.code == Some(0) && whole.err.is_empty(), "{}", whole.err);
    assert_ne!(whole.out, before.out);
    same_on_ranks(&anchor, &[], &whole, &[2, 5]);
}

#[test]
fn files_that_are_missing_or_mean_nothing() {
    let (_folder, anchor, file) = archive();
    fs::remove_file(&file).expect("removed");
    loses(&anchor, "no event of this location was read");
    let (folder, anchor, _) = archive();
    let definitions = folder.path().join("traces/1.def");
    let whole = fs::read(&definitions).expect("definitions");
    fs::write(&definitions, &whole[..whole.len() / 2]).expect("damaged");
    loses(&anchor, "no event of this location was read");
    fs::write(&definitions, b"no definitions").expect("damaged");
    loses(&anchor, "as if it were not there");
}

#[test]
fn chunks_without_a_time_and_chunks_without_events() {
    let (_folder, anchor, file) = archive();
    let whole = same_in_pieces(&anchor, &[]);
    // A record of an unknown kind and of nine bytes takes the place of the time.
    overwrite(&file, 2 * CHUNK + 18, &[200, 7, 0, 0, 0, 0, 0, 0, 0]);
    // And a chunk is empty.
    overwrite(&file, 5 * CHUNK + 18, &[0]);
    let changed = same_in_pieces(&anchor, &[]);
    // The file is whole.
    assert!(changed.code == Some(0) && changed.err.is_empty(), "{}", changed.err);
    assert_ne!(changed.out, whole.out);
    same_on_ranks(&anchor, &[], &changed, &[2, 5]);
}
