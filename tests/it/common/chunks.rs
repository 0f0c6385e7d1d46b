//! Archives whose event files are cut into many chunks, most of them padding, which takes no place
//! on disk.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::archives::Archive;
use super::copy_folder;
use super::small::{Bytes, Order, CHUNK};

/// Offset of the size of event chunks in an anchor.
const EVENT_CHUNK_SIZE: usize = 12;

/// Records without a length hold one integer, whose length 255 stands for all ones.
const BARE: [u8; 10] = [12, 13, 16, 17, 20, 21, 24, 28, 29, 30];

/// The archive with each event file cut into so many chunks, if it has so many records; they begin
/// with a time, as the reference writes them. Returns the folder and the anchor in it.
pub fn cut(archive: &Archive, chunks: usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy_folder(&archive.folder, folder.path());
    let anchor = folder.path().join(archive.anchor.file_name().expect("a name"));
    let mut bytes = fs::read(&anchor).expect("an anchor");
    let size = Bytes::new(order(bytes[1])).u64(CHUNK).bytes;
    bytes[EVENT_CHUNK_SIZE..EVENT_CHUNK_SIZE + 8].copy_from_slice(&size);
    fs::write(&anchor, bytes).expect("an anchor");
    for entry in fs::read_dir(anchor.with_extension("")).expect("a folder of files") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|suffix| suffix == "evt") {
            cut_file(&path, chunks);
        }
    }
    (folder, anchor)
}

fn order(number: u8) -> Order {
    if number == 0x42 {
        Order::Little
    } else {
        Order::Big
    }
}

/// A record with the attributes before it, the time at which it happened, and whether the time is
/// new.
struct Item {
    time: Option<u64>,
    bytes: Vec<u8>,
}

fn cut_file(path: &Path, chunks: usize) {
    let bytes = fs::read(path).expect("events");
    assert!(bytes.len() as u64 <= CHUNK * 64, "{}: too long to be cut", path.display());
    let order = order(bytes[1]);
    let items = items(order, &bytes);
    let mut file = File::create(path).expect("a file");
    let (mut number, mut now) = (1u64, None);
    let chunks = items.chunks(items.len().div_ceil(chunks).max(1));
    let count = chunks.len();
    for (i, chunk) in chunks.enumerate() {
        let (first, last) = (number, number + chunk.len() as u64 - 1);
        number = last + 1;
        let mut out = Bytes::new(order).header();
        out.bytes.truncate(2);
        out = out.u64(first).u64(last);
        // The first chunk begins with a time only where an event has one.
        if i > 0 {
            out = out.time(chunk[0].time.or(now).expect("events have times"));
        }
        for (at, item) in chunk.iter().enumerate() {
            if let Some(time) = item.time {
                now = Some(time);
                if i == 0 || at > 0 {
                    out = out.time(time);
                }
            }
            out = out.raw(&item.bytes);
        }
        if i + 1 == count {
            out = out.end();
        }
        assert!((out.bytes.len() as u64) < CHUNK, "a chunk has room for its records");
        file.seek(SeekFrom::Start(i as u64 * CHUNK)).expect("a place");
        file.write_all(&out.bytes).expect("a chunk");
    }
    if count == 0 {
        file.write_all(&bytes).expect("an empty stream");
    }
}

/// The records of an event file of one chunk, or of several in memory order.
fn items(order: Order, bytes: &[u8]) -> Vec<Item> {
    let long = |at: usize| {
        let bytes = bytes[at..at + 8].try_into().expect("8 bytes");
        match order {
            Order::Little => u64::from_le_bytes(bytes),
            Order::Big => u64::from_be_bytes(bytes),
        }
    };
    let (mut items, mut at, mut begin, mut time) = (Vec::new(), 18, 18, None);
    loop {
        match bytes[at] {
            2 => return items,
            0 => panic!("a file of one chunk"),
            5 => {
                assert_eq!(begin, at, "times stand before attributes");
                time = Some(long(at + 1));
                (at, begin) = (at + 9, at + 9);
            }
            id => {
                at += match bytes[at + 1] {
                    255 if BARE.contains(&id) => 2,
                    255 => 10 + long(at + 2) as usize,
                    length => 2 + usize::from(length),
                };
                if id != 6 {
                    items.push(Item { time: time.take(), bytes: bytes[begin..at].to_vec() });
                    begin = at;
                }
            }
        }
    }
}
