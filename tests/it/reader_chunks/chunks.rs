//! How chunks and files begin and end, and how they should not.

use streamfold::formats::otf2::{Error, ErrorKind};
use streamfold::model::stream::StreamSummary;

use super::{archive_of, event_file, expected, read, reader, Item, List};
use crate::common::small::{Bytes, Order, CHUNK, ORDERS};

/// Section 22 of the description of the format.
#[test]
fn the_worked_example() {
    let bytes = "03 42 01 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00 \
                 05 64 00 00 00 00 00 00 00 06 06 01 01 00 03 01 07 0c 00 \
                 05 65 00 00 00 00 00 00 00 1f 04 00 01 0a 00 0d 00 02 01";
    let bytes = bytes.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
    let mut list = List::default();
    let mut reader = reader(&archive_of(CHUNK, bytes, None), 1 << 20, true);
    reader.read_all(&mut list).unwrap();
    // UINT32 is 3, DOUBLE 10.
    let events =
        ["1: 100 [(0, 3, 7)] Enter 0", "2: 101 [] Metric 0 [(10, 0)]", "3: 101 [] Leave 0"];
    assert_eq!(list.0, events);
    let summary = reader.summary();
    assert_eq!((summary.events, summary.unknown, summary.backward), (3, 0, 0));
}

#[test]
fn an_empty_event_file_has_twenty_bytes() {
    for order in ORDERS {
        let file = Bytes::new(order).header().end().bytes;
        assert_eq!(file.len(), 20);
        let written = archive_of(CHUNK, file, None);
        assert_eq!(read(&written, 64), List::default());
        let mut reader = reader(&written, 1 << 20, true);
        reader.read_all(&mut List::default()).unwrap();
        assert_eq!(reader.summary(), StreamSummary::default());
        assert_eq!(reader.peek().unwrap(), None);
    }
}

/// A chunk may be filled so far that there is no room for the 0x01, which nobody reads anyway.
#[test]
fn the_end_of_the_data_may_be_the_last_byte_of_a_chunk() {
    let events = (CHUNK as usize - 19) / 2;
    let mut items = vec![Item::Enter(0); events - 1];
    items.push(Item::Enter(1)); // three bytes, as the rest is odd
    let mut file = event_file(&[Order::Little], CHUNK, &items);
    assert_eq!(file.len(), CHUNK as usize + 1);
    file.pop();
    assert_eq!(file.last(), Some(&2));
    let written = archive_of(CHUNK, file, None);
    for window in [64, CHUNK as usize - 1, CHUNK as usize, 1 << 20] {
        assert_eq!(read(&written, window), expected(&items), "{window}");
    }
}

/// A record that fills its chunk to the last byte leaves no room for the byte that says so. The
/// file says too little then, and nothing may be read into it.
#[test]
fn a_chunk_without_an_end_mark_is_damaged() {
    let events = (CHUNK as usize - 18) / 2;
    let full = vec![Item::Enter(0); events]
        .iter()
        .fold(Bytes::new(Order::Little).header(), |bytes, item| item.encode(bytes));
    assert_eq!(full.bytes.len(), CHUNK as usize);
    let file = full.header().enter(7).end().bytes;
    let written = archive_of(CHUNK, file, None);
    for window in [64, 4096, CHUNK as usize, 1 << 20] {
        let mut reader = reader(&written, window, true);
        let Error { offset, kind, .. } = reader.read_all(&mut List::default()).unwrap_err();
        assert!(matches!(kind, ErrorKind::ChunkEnd), "{window}: {kind:?}");
        assert_eq!((offset, reader.count()), (Some(CHUNK), events as u64), "{window}");
    }
}

/// Only what a file says about itself may be believed: a record that claims the rest of the file
/// and more is refused at once, whatever the window.
#[test]
fn a_record_that_does_not_fit_into_its_chunk_is_damaged() {
    for length in [CHUNK, CHUNK - 18 - 10, u64::MAX, u64::MAX - 40, 1 << 40] {
        let file = Bytes::new(Order::Little).header().enter(0).raw(&[200, 0xff]).u64(length);
        let file = file.pad(CHUNK).header().enter(1).end().bytes;
        let written = archive_of(CHUNK, file, None);
        for window in [64, 1 << 20] {
            let mut reader = reader(&written, window, true);
            let error = reader.read_all(&mut List::default()).unwrap_err();
            assert_eq!(error.offset, Some(20), "{error}");
            // A few bytes too many show only when the chunk has no more.
            let kind = matches!(error.kind, ErrorKind::RecordLength { .. } | ErrorKind::ChunkEnd);
            assert!(kind, "{error}");
            assert_eq!(reader.count(), 1);
        }
    }
}

/// A file cut at the end of a chunk ends there: old bytes are never read again.
#[test]
fn a_file_cut_between_chunks_ends_early() {
    let items = vec![Item::Metric(1, 200, false); 1500];
    let whole = event_file(&[Order::Little], CHUNK, &items);
    for chunks in 1..=(whole.len() as u64 / CHUNK) {
        let cut = whole[..(chunks * CHUNK) as usize].to_vec();
        let written = archive_of(CHUNK, cut, None);
        for window in [64, 1 << 16, 1 << 20, 1 << 24] {
            let mut reader = reader(&written, window, true);
            let error = reader.read_all(&mut List::default()).unwrap_err();
            assert_eq!(error.offset, Some(chunks * CHUNK), "{error}");
            assert!(matches!(error.kind, ErrorKind::UnexpectedEnd(_)), "{error}");
            assert!(reader.count() < items.len() as u64);
        }
    }
}
