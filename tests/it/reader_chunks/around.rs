//! What stands around records: times that other records move on, and attribute lists.

use streamfold::model::events::{Event, EventKind, EventVisitor};
use streamfold::model::stream::{EventHead, EventSet};

use super::{archive_of, event_file, read, reader, Item, List};
use crate::common::small::{Bytes, Order, CHUNK, ORDERS};

/// Wants nothing but Enter.
#[derive(Default)]
struct Enters(Vec<u64>);

impl EventVisitor for Enters {
    const WANTS: EventSet = EventSet::of(&[EventKind::Enter]);

    fn event(&mut self, head: &EventHead<'_>, _: Event<'_>) {
        self.0.push(head.time.0);
    }
}

/// The time at which a flush ended goes through the clock correction, too, and moves it on: the
/// same recorded time is then corrected differently. That must not depend on whether anybody wants
/// to hear of flushes, nor on where a window ends.
#[test]
fn a_flush_moves_the_clock_even_where_nobody_wants_it() {
    // In the first interval 150 becomes 165, in the second 180.
    let offsets = [(100, 10), (200, 20), (300, 0)];
    for order in ORDERS {
        let mut definitions = Bytes::new(order).header();
        for (time, offset) in offsets {
            let payload = definitions.payload().u64(time).c(offset).u64(0);
            definitions = definitions.record(6, payload);
        }
        let definitions = definitions.end().bytes;
        for shift in 0..64 {
            let filler = |bytes| (0..shift).fold(bytes, |bytes: Bytes, _| bytes.enter(0));
            let events = filler(Bytes::new(order).header().time(150)).enter(0);
            let stop = events.payload().u64(250);
            let events = events.record(10, stop).enter(1).time(150).enter(2).time(160).enter(3);
            let written = archive_of(CHUNK, events.end().bytes, Some(definitions.clone()));
            for window in [64, 77, 1 << 20] {
                let mut enters = Enters::default();
                reader(&written, window, true).read_all(&mut enters).unwrap();
                let (before, after) = enters.0.split_at(shift + 1);
                assert!(before.iter().all(|&time| time == 165), "{before:?}");
                assert_eq!(after, [180, 180, 188], "{order:?} {shift} {window}");

                let all = read(&written, window).0;
                assert!(all[shift + 1].ends_with("165 [] BufferFlush 260"), "{:?}", all[shift + 1]);
                let after: Vec<_> =
                    all[shift + 2..].iter().map(|e| &e[e.find(' ').unwrap()..]).collect();
                assert_eq!(after, [" 180 [] Enter 1", " 180 [] Enter 2", " 188 [] Enter 3"]);
            }
        }
    }
}

/// Attribute lists belong to the next record of any kind, and are gone then.
#[test]
fn a_record_of_an_unknown_kind_takes_its_attributes_with_it() {
    let list = vec![(3, 4, 5)];
    let items = [Item::Attributes(list, None), Item::Unknown(250, 10), Item::Enter(1)];
    let written = archive_of(CHUNK, event_file(&[Order::Little], CHUNK, &items), None);
    assert_eq!(read(&written, 64).0, ["1: 0 [(3, 4, 5)] unknown 250", "2: 0 [] Enter 1"]);
}

/// Damage in an attribute list: its record is not delivered, and nothing after it.
#[test]
fn attribute_lists_that_cannot_be() {
    let entry = |bytes: Bytes, id| bytes.c(id).raw(&[4]).c(1);
    let payload = || Bytes::new(Order::Little);
    let twice = entry(entry(payload().c(2), 6), 6);
    let too_long = entry(payload().c(1), 6).raw(&[0; 20]);
    let cut = payload().c(1).c(6).raw(&[4, 8, 1]);
    let countless = payload().c(0xffff_ffff).c(6).raw(&[4]).c(1);
    let empty = payload();
    for (list, message) in [
        (twice, "attribute 6 stands twice in one list"),
        (too_long, "an attribute list of 1 attributes claims 27 bytes"),
        (cut, "the record ends inside of a value"),
        (countless, "an array claims 4294967295 elements, with 5 bytes left in its record"),
        (empty, "the record ends inside of a value"),
    ] {
        let file = Bytes::new(Order::Little).header().enter(0).record(6, list).enter(1);
        let written = archive_of(CHUNK, file.end().bytes, None);
        let mut list = List::default();
        let error = reader(&written, 64, true).read_all(&mut list).unwrap_err().to_string();
        assert!(error.ends_with(message), "{error}");
        assert!(error.contains("0.evt: at byte ") && error.contains("Enter record 2"), "{error}");
        assert_eq!(list.0.len(), 1);
    }
}
