//! How event files are cut: into chunks by the format, into windows by the reader. Neither may
//! ever show in what is delivered.

#[path = "common/archive.rs"]
mod archive;

use archive::{anchor_with, Bytes, Definitions, Files, Order, Small, Written, CHUNK, ORDERS};
use proptest::prelude::*;
use streamfold::formats::otf2::{Archive, Error, ErrorKind, EventReader, FileKind, ReadOptions};
use streamfold::model::events::{Event, EventKind, EventVisitor};
use streamfold::model::ids::LocationRef;
use streamfold::model::stream::{EventHead, EventSet, StreamSummary};
use streamfold::model::values::{AttributeEntry, TypedValue};

/// Events as text: number, time, attributes, and the event.
#[derive(Debug, Default, PartialEq)]
struct List(Vec<String>);

impl List {
    fn push(&mut self, time: u64, attributes: &[(u32, u8, u64)], event: &str) {
        let number = self.0.len() + 1;
        self.0.push(format!("{number}: {time} {attributes:?} {event}"));
    }

    fn push_head(&mut self, head: &EventHead<'_>, event: &str) {
        let attribute =
            |a: &AttributeEntry| (a.attribute.0, u8::from(a.value.value_type), a.value.bits);
        let attributes: Vec<_> = head.attributes.iter().map(attribute).collect();
        assert_eq!(head.number, self.0.len() as u64 + 1);
        self.push(head.time.0, &attributes, event);
    }
}

impl EventVisitor for List {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let text = match event {
            Event::Metric(m) => {
                let value = |v: &TypedValue| (u8::from(v.value_type), v.bits);
                format!("Metric {} {:?}", m.metric, m.values.iter().map(value).collect::<Vec<_>>())
            }
            Event::Enter(e) => format!("Enter {}", e.region),
            Event::Leave(e) => format!("Leave {}", e.region),
            Event::MpiIsendComplete(e) => format!("MpiIsendComplete {}", e.request_id),
            Event::BufferFlush(e) => format!("BufferFlush {}", e.stop_time),
            other => format!("{other:?}"),
        };
        self.push_head(head, &text);
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.push_head(head, &format!("unknown {id}"));
    }
}

/// What stands in an event file between two headers, and what it says.
#[derive(Clone, Debug)]
enum Item {
    Time(u64),
    /// Identifier, type, value. With a time behind it when there is one.
    Attributes(Vec<(u32, u8, u64)>, Option<u64>),
    Enter(u32),
    /// A bare record of up to ten bytes.
    Request(u64),
    /// Metric, number of values; whether its length takes nine bytes even so.
    Metric(u32, usize, bool),
    /// A record of an unknown kind and its length.
    Unknown(u8, usize),
}

impl Item {
    fn encode(&self, bytes: Bytes) -> Bytes {
        match self {
            Item::Time(time) => bytes.time(*time),
            Item::Attributes(list, time) => {
                let mut payload = bytes.payload().c(list.len() as u64);
                for (id, value_type, value) in list {
                    // UINT64 takes a compressed integer, DOUBLE eight bytes.
                    payload = payload.c((*id).into()).raw(&[*value_type]);
                    payload =
                        if *value_type == 10 { payload.u64(*value) } else { payload.c(*value) };
                }
                let bytes = bytes.record(6, payload);
                time.map_or(bytes.clone(), |time| bytes.time(time))
            }
            Item::Enter(region) => bytes.enter((*region).into()),
            Item::Request(id) => bytes.raw(&[16]).c(*id),
            Item::Metric(metric, count, long) => {
                let mut payload = bytes.payload().c((*metric).into()).raw(&[*count as u8]);
                for i in 0..*count {
                    payload = payload.raw(&[4]).c(i as u64);
                }
                match long {
                    true => bytes.long_record(31, payload),
                    false => bytes.record(31, payload),
                }
            }
            Item::Unknown(id, length) => {
                let payload = bytes.payload().raw(&vec![2; *length]);
                bytes.record(*id, payload)
            }
        }
    }

    fn is_record(&self) -> bool {
        !matches!(self, Item::Time(_) | Item::Attributes(..))
    }
}

/// What the items mean.
fn expected(items: &[Item]) -> List {
    let (mut list, mut time, mut attributes) = (List::default(), 0, Vec::new());
    for item in items {
        let event = match item {
            Item::Time(new) => {
                time = *new;
                continue;
            }
            Item::Attributes(new, then) => {
                attributes = new.clone();
                time = then.unwrap_or(time);
                continue;
            }
            Item::Enter(region) => format!("Enter {region}"),
            Item::Request(id) => format!("MpiIsendComplete {id}"),
            Item::Metric(metric, count, _) => {
                let values: Vec<_> = (0..*count).map(|value| (4, value)).collect();
                format!("Metric {metric} {values:?}")
            }
            Item::Unknown(id, _) => format!("unknown {id}"),
        };
        list.push(time, &std::mem::take(&mut attributes), &event);
    }
    list
}

/// An event file. What belongs to one record stays in one chunk, so that the items are grouped:
/// everything up to and with a record. Where one does not fit there is a new chunk, whose order of
/// bytes may be another.
fn event_file(orders: &[Order], chunk: u64, items: &[Item]) -> Vec<u8> {
    let mut orders = orders.iter().cycle().copied();
    let mut file = Bytes::new(orders.next().unwrap()).header();
    for group in items.split_inclusive(Item::is_record) {
        let encode = |file: Bytes| group.iter().fold(file, |bytes, item| item.encode(bytes));
        let whole = encode(file.clone());
        let begin = file.bytes.len() as u64 / chunk * chunk;
        // The zero or the two behind it still has to fit.
        file = if (whole.bytes.len() as u64) < begin + chunk {
            whole
        } else {
            let mut padded = file.pad(chunk);
            padded.order = orders.next().unwrap();
            encode(padded.header())
        };
    }
    file.end().bytes
}

fn archive_of(chunk: u64, events: Vec<u8>, definitions: Option<Vec<u8>>) -> Written {
    let globals = Definitions::new(Order::Little).location(0, 0);
    let files = Files { events: Some(events), definitions };
    let mut small = Small::with(Order::Little, globals, vec![files]);
    small.anchor = anchor_with(Order::Little, chunk, CHUNK, 1, 5);
    small.write()
}

fn reader(written: &Written, window: usize, keep_open: bool) -> EventReader {
    let options = ReadOptions { window, keep_open };
    let archive = Archive::open(&written.anchor(), options).unwrap();
    archive.events(LocationRef(0)).unwrap()
}

/// Reads in the two ways that there are: all at once, and event by event.
fn read(written: &Written, window: usize) -> List {
    let (mut at_once, mut one_by_one) = (List::default(), List::default());
    reader(written, window, true).read_all(&mut at_once).unwrap();
    let mut reader = reader(written, window, false);
    while let Some(time) = reader.peek().unwrap() {
        assert_eq!(reader.peek().unwrap(), Some(time), "looking changes nothing");
        reader.deliver(&mut one_by_one).unwrap();
    }
    assert_eq!(at_once, one_by_one);
    at_once
}

/// One of everything that can be split, with every length form.
fn one_of_everything() -> Vec<Item> {
    let attributes = |n: u32| (0..n).map(|i| (7 * i, 4, u64::from(i) << (i % 60))).collect();
    vec![
        Item::Time(1),
        Item::Time(2),
        Item::Time(3),
        Item::Enter(0),
        Item::Request(u64::MAX),
        Item::Request(0x0102_0304_0506_0708),
        Item::Attributes(vec![(1, 10, 0x0203_0405_0603_0201)], None),
        Item::Enter(5),
        Item::Attributes(attributes(3), Some(9)),
        Item::Metric(1, 3, false),
        Item::Time(11),
        Item::Attributes(attributes(40), None),
        Item::Metric(2, 40, false),
        Item::Metric(3, 1, true),
        Item::Attributes(attributes(1), Some(12)),
        Item::Unknown(200, 3),
        Item::Enter(0x0202_0202),
        Item::Unknown(201, 300),
        Item::Unknown(4, 0),
        Item::Metric(4, 200, false),
        Item::Request(0),
    ]
}

/// Protects against bytes that are looked at before they are there, and against starting again
/// behind a part of what was read: times and attribute lists in front of a record, which is not
/// all at hand, have to survive, and must not count twice.
#[test]
fn whatever_the_end_of_a_window_splits_is_read_as_if_it_were_whole() {
    for order in ORDERS {
        for shift in (0..70).filter(|&shift| shift != 1) {
            // Filler of exactly this many bytes: two or three bytes an event.
            let three = shift % 2;
            let mut items = vec![Item::Enter(0); (shift - 3 * three) / 2];
            items.extend(vec![Item::Enter(1); three]);
            items.extend(one_of_everything());
            let written = archive_of(CHUNK, event_file(&[order], CHUNK, &items), None);
            let expected = expected(&items);
            for window in [64, 65, 66, 67, 71, 89, 128, 1 << 20] {
                assert_eq!(read(&written, window), expected, "{order:?} {shift} {window}");
            }
        }
    }
}

/// At the end of a chunk there may be one zero byte or many; the next chunk may have another order
/// of bytes, and the time goes on.
#[test]
fn chunks_end_wherever_a_record_does() {
    // Header, time and Enter, then id and length of a record that fills the chunk up.
    let before = 18 + 9 + 2 + 10;
    for free in (1..=40).chain([300]) {
        let filler = Item::Unknown(200, CHUNK as usize - before - free);
        let mut items = vec![Item::Time(77), Item::Enter(0), filler];
        // What comes next takes more than what is left of the chunk.
        items.push(Item::Metric(9, 200, false));
        items.extend(one_of_everything().into_iter().skip(3));
        let mut file = event_file(&[Order::Little, Order::Big], CHUNK, &items);
        assert_eq!(file[CHUNK as usize..][..2], [3, 0x23]);
        if free == 300 {
            // Padding need not be zero behind the first byte: nobody looks at it.
            file[CHUNK as usize - 290..CHUNK as usize].fill(0xab);
        }
        let written = archive_of(CHUNK, file, None);
        for window in [64, 4096, 1 << 18, 1 << 20] {
            assert_eq!(read(&written, window), expected(&items), "{free} {window}");
        }
    }
}

fn item() -> impl Strategy<Value = Item> {
    let attribute = (0u32..1 << 20, prop_oneof![Just(4u8), Just(10)], any::<u64>());
    let attributes = prop::collection::vec(attribute, 1..30).prop_map(|mut list| {
        list.sort();
        list.dedup_by_key(|(id, ..)| *id);
        list
    });
    prop_oneof![
        any::<u64>().prop_map(Item::Time),
        (attributes, proptest::option::of(any::<u64>())).prop_map(|(a, t)| Item::Attributes(a, t)),
        (0..u32::MAX).prop_map(Item::Enter),
        any::<u64>().prop_map(Item::Request),
        (0..u32::MAX, 0usize..250, any::<bool>()).prop_map(|(m, n, l)| Item::Metric(m, n, l)),
        // Some of them fill much of a chunk.
        (120u8..255, prop_oneof![0usize..600, 0usize..200_000])
            .prop_map(|(i, n)| Item::Unknown(i, n)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_items_in_any_chunks_through_any_window(
        mut items in prop::collection::vec(item(), 0..60),
        chunk in prop_oneof![Just(CHUNK), CHUNK..2 * CHUNK],
        orders in prop::collection::vec(prop_oneof![Just(Order::Little), Just(Order::Big)], 1..4),
        window in prop_oneof![64usize..400, 400usize..300_000],
    ) {
        // What belongs to no record is followed by one, and no list by another.
        items.push(Item::Enter(0));
        items.dedup_by(|b, a| matches!((a, b), (Item::Attributes(..), Item::Attributes(..))));
        let single = |i: usize| match &items[i] {
            Item::Time(_) => i == 0 || !matches!(items[i - 1], Item::Attributes(..)),
            _ => true,
        };
        let kept: Vec<_> = (0..items.len()).filter(|&i| single(i)).map(|i| items[i].clone()).collect();
        let mut kept = kept;
        kept.dedup_by(|b, a| matches!((a, b), (Item::Attributes(..), Item::Attributes(..))));
        let written = archive_of(chunk, event_file(&orders, chunk, &kept), None);
        prop_assert_eq!(read(&written, window), expected(&kept));
    }
}

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

/// The path of an archive's files follows from the numbers of its locations, however large.
#[test]
fn files_are_named_by_location() {
    let written = archive_of(CHUNK, Bytes::new(Order::Little).header().end().bytes, None);
    let archive = Archive::open(&written.anchor(), ReadOptions::default()).unwrap();
    let path = |kind| archive.path(kind).strip_prefix(written.folder.path()).unwrap().to_owned();
    let location = LocationRef(u64::MAX - 1);
    assert_eq!(path(FileKind::Events(location)).to_str(), Some("t/18446744073709551614.evt"));
    assert_eq!(path(FileKind::LocalDefinitions(LocationRef(7))).to_str(), Some("t/7.def"));
    assert_eq!(path(FileKind::Snapshots(LocationRef(7))).to_str(), Some("t/7.snap"));
    assert_eq!(path(FileKind::GlobalDefinitions).to_str(), Some("t.def"));
    assert_eq!(path(FileKind::Markers).to_str(), Some("t.marker"));
    assert_eq!(path(FileKind::Thumbnail(3)).to_str(), Some("t.3.thumb"));
}
