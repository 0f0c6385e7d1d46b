//! What a reader says of what it has read, which goes as far as what it has delivered.

use streamfold::model::stream::StreamSummary;
use streamfold::model::values::Ticks;

use super::{archive_of, reader, List};
use crate::common::small::{Bytes, Written, CHUNK, ORDERS};

const WINDOWS: [usize; 4] = [64, 77, 100, 1 << 20];

/// The summaries of both ways to read, up to the end or to damage, and how many events came.
fn summaries(written: &Written, window: usize) -> [(StreamSummary, usize); 2] {
    let mut list = List::default();
    let mut at_once = reader(written, window, true);
    let _ = at_once.read_all(&mut list);
    let mut ones = List::default();
    let mut one_by_one = reader(written, window, true);
    while let Ok(Some(_)) = one_by_one.peek() {
        if one_by_one.deliver(&mut ones).is_err() {
            break;
        }
    }
    [(at_once.summary(), list.0.len()), (one_by_one.summary(), ones.0.len())]
}

fn expect(written: &Written, events: u64, (first, last): (u64, u64), backward: u64) {
    let (first, last) = (Some(Ticks(first)), Some(Ticks(last)));
    let expected = StreamSummary { events, unknown: 0, first, last, backward };
    for window in WINDOWS {
        for (summary, delivered) in summaries(written, window) {
            assert_eq!(summary, expected, "a window of {window}");
            assert_eq!(delivered as u64, events);
        }
    }
}

/// A record that cannot be read has a time, but was no event. That time may be met twice: where not
/// all of the record is at hand, the reader begins again at its attributes.
#[test]
fn the_time_of_a_damaged_record_does_not_count() {
    let size = |bytes: Bytes| bytes.raw(&[12, 28]);
    let payload = |bytes: Bytes| bytes.raw(&[14, 40]).raw(&[9; 40]);
    let attributes = |bytes: Bytes| {
        let list = bytes.payload().c(1).c(3).raw(&[4]).c(5);
        bytes.record(6, list)
    };
    for order in ORDERS {
        for shift in 0..40 {
            for (damage, time) in
                [(size as fn(_) -> _, 50), (size, 900), (payload, 50), (payload, 900)]
            {
                let begin = Bytes::new(order).header().time(100);
                let begin = (0..shift).fold(begin, |bytes, _| bytes.enter(0)).enter(0);
                let events = damage(attributes(begin.time(300).leave(0)).time(time)).end();
                expect(&archive_of(CHUNK, events.bytes, None), shift + 2, (100, 300), 0);
            }
        }
    }
}

/// A step back of time counts once, however often the reader comes by.
#[test]
fn a_step_back_counts_once() {
    for order in ORDERS {
        for shift in 0..80 {
            let begin = Bytes::new(order).header().time(100);
            let begin = (0..shift).fold(begin, |bytes, _| bytes.enter(0)).enter(1);
            let metric = begin.payload().c(0).raw(&[3, 4, 1, 7, 4, 1, 8, 4, 1, 9]);
            let events = begin.time(50).record(31, metric).time(120).enter(2).end();
            let written = archive_of(CHUNK, events.bytes, None);
            expect(&written, shift + 3, (100, 120), 1);
        }
    }
}
