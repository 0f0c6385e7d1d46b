//! Random access: wherever reading begins, it goes on as it does from the start.

use proptest::prelude::*;
use streamfold::formats::otf2::{
    Archive, BeforeEvent, BeforeTime, ChunkIndex, Error, ErrorKind, EventReader, LocalDefinitions,
    Part, ReadOptions,
};
use streamfold::model::calls::Calls;
use streamfold::model::events::{Event, EventVisitor};
use streamfold::model::ids::LocationRef;
use streamfold::model::stream::{EventHead, StreamSummary};
use streamfold::model::values::Ticks;

use super::{archive_of, take_all, Item, List};
use crate::common::small::{Bytes, Order, Written, CHUNK, ORDERS};

const LOCATION: LocationRef = LocationRef(0);

/// Events as text, whatever their numbers: each with its number and time.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen(Vec<(u64, u64, String)>);

impl EventVisitor for Seen {
    const ATTRIBUTES: bool = true;

    fn calls<C: Calls>(&mut self, calls: &mut C) {
        take_all(calls, |head, text| {
            self.0.push((head.number, head.time.0, format!("1: 0 [] {text}")));
        });
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let mut list = List::default();
        // The list numbers its events itself.
        list.event(&EventHead { number: 1, time: Ticks(0), ..*head }, event);
        self.0.push((head.number, head.time.0, list.0.remove(0)));
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.0.push((head.number, head.time.0, format!("{:?} {id}", head.attributes)));
    }
}

impl Seen {
    /// Events whose number is one of these.
    fn part(&self, numbers: impl std::ops::RangeBounds<u64>) -> &[(u64, u64, String)] {
        let begin = self.0.partition_point(|(number, ..)| match numbers.start_bound() {
            std::ops::Bound::Included(begin) => number < begin,
            _ => false,
        });
        let end = self.0.partition_point(|(number, ..)| match numbers.end_bound() {
            std::ops::Bound::Excluded(end) => number < end,
            _ => true,
        });
        &self.0[begin..end]
    }
}

/// An event file as a writer makes it: numbers in headers, and the time of the first record behind
/// each but the first.
fn written_file(orders: &[Order], items: &[Item]) -> Vec<u8> {
    let mut orders = orders.iter().cycle().copied();
    let header = |mut bytes: Bytes, order: Order, first: u64| {
        bytes.order = order;
        let order = if order == Order::Little { 0x42 } else { 0x23 };
        bytes.raw(&[3, order]).u64(first).u64(0)
    };
    let mut file = header(Bytes::new(Order::Little), orders.next().unwrap(), 1);
    let (mut number, mut time) = (0, 0);
    let close = |file: &mut Bytes, number: u64| {
        let begin = (file.bytes.len() as u64 - 1) / CHUNK * CHUNK;
        let at = begin as usize + 10;
        let last = file.payload().u64(number).bytes;
        file.bytes[at..at + 8].copy_from_slice(&last);
    };
    for group in items.split_inclusive(Item::is_record) {
        for item in group {
            if let Item::Time(new) | Item::Attributes(_, Some(new)) = item {
                time = *new;
            }
        }
        let encode = |file: Bytes| group.iter().fold(file, |bytes, item| item.encode(bytes));
        let whole = encode(file.clone());
        let begin = file.bytes.len() as u64 / CHUNK * CHUNK;
        file = if (whole.bytes.len() as u64) < begin + CHUNK {
            whole
        } else {
            close(&mut file, number);
            let next = header(file.pad(CHUNK), orders.next().unwrap(), number + 1);
            encode(next.time(time))
        };
        number += u64::from(group.last().is_some_and(Item::is_record));
    }
    close(&mut file, number);
    file.end().bytes
}

/// Local definitions with these clock offsets.
fn clock(offsets: &[(u64, u64)]) -> Option<Vec<u8>> {
    let mut definitions = Bytes::new(Order::Little).header();
    for (time, offset) in offsets {
        let payload = definitions.payload().u64(*time).c(*offset).u64(0);
        definitions = definitions.record(6, payload);
    }
    Some(definitions.end().bytes)
}

/// An archive, read with windows of a size.
struct Opened {
    _written: Option<Written>,
    archive: Archive,
    local: LocalDefinitions,
}

impl Opened {
    fn new(written: Written, window: usize) -> Opened {
        let options = ReadOptions { window, keep_open: window > 1000 };
        let archive = Archive::open(&written.anchor(), options).unwrap();
        let local = archive.read_local_definitions(LOCATION).unwrap();
        Opened { _written: Some(written), archive, local }
    }

    fn chunks(&self) -> ChunkIndex {
        self.archive.event_chunks(LOCATION).unwrap()
    }

    fn at_chunk(&self, chunk: u64) -> EventReader {
        self.archive.events_from(LOCATION, self.local.clone(), chunk).unwrap()
    }

    fn at_number(&self, number: u64) -> Option<EventReader> {
        self.archive.events_from_number(LOCATION, self.local.clone(), number).unwrap()
    }

    fn at_time(&self, time: u64) -> Option<EventReader> {
        self.archive.events_from_time(LOCATION, self.local.clone(), Ticks(time)).unwrap()
    }

    fn all(&self) -> (Seen, StreamSummary) {
        rest(self.archive.events(LOCATION).unwrap())
    }
}

fn rest(mut reader: EventReader) -> (Seen, StreamSummary) {
    let mut seen = Seen::default();
    reader.read_all(&mut seen).unwrap();
    (seen, reader.summary())
}

/// What a summary says of events, none of which goes back.
fn summary_of(seen: &[(u64, u64, String)]) -> StreamSummary {
    let unknown = seen.iter().filter(|(.., text)| text.starts_with('[')).count() as u64;
    StreamSummary {
        events: seen.len() as u64,
        unknown,
        first: seen.first().map(|event| Ticks(event.1)),
        last: seen.last().map(|event| Ticks(event.1)),
        backward: seen.windows(2).filter(|pair| pair[1].1 < pair[0].1).count() as u64,
    }
}

/// Some chunks of events of all sizes; several events have the same time, also across the begin of a
/// chunk.
fn some_items() -> Vec<Item> {
    let mut items = Vec::new();
    for i in 0..60u64 {
        items.push(Item::Time(100 + i / 7 * 10));
        items.push(Item::Enter(i as u32));
        let request = (i % 3 == 0).then_some(i);
        items.push(Item::Message { received: i % 2 == 0, of: [1, 0, 5], bytes: i, request });
        items.push(Item::Time(101 + i / 7 * 10));
        items.push(Item::Message {
            received: i % 5 == 0,
            of: [1, 0, 5],
            bytes: i << 20,
            request: None,
        });
        if i % 5 == 0 {
            items.push(Item::Attributes(vec![(3, 4, i)], (i % 2 == 0).then_some(100 + i / 7 * 10)));
        }
        items.push(Item::Unknown(200, 12_000 + 900 * (i as usize % 11)));
        items.push(Item::Request(u64::MAX - i));
        items.push(Item::Metric(1, i as usize, false));
    }
    items
}

/// Offsets that correct the times of [`some_items`] by three intervals.
const OFFSETS: [(u64, u64); 4] = [(100, 1000), (120, 1010), (150, 1000), (170, 1002)];

fn opened(order: &[Order], items: &[Item], corrected: bool, window: usize) -> Opened {
    let definitions = if corrected { clock(&OFFSETS) } else { None };
    Opened::new(archive_of(CHUNK, written_file(order, items), definitions), window)
}

fn each(check: impl Fn(&Opened)) {
    for orders in [&ORDERS[..1], &ORDERS[1..], &ORDERS[..]] {
        for corrected in [false, true] {
            for window in [64, 1 << 20] {
                check(&opened(orders, &some_items(), corrected, window));
            }
        }
    }
}

#[test]
fn the_index_knows_every_chunk() {
    each(|opened| {
        let (chunks, (all, _)) = (opened.chunks(), opened.all());
        let starts: Vec<_> = chunks.starts().map(Result::unwrap).collect();
        assert_eq!(starts.len() as u64, chunks.len());
        assert!(chunks.len() >= 4, "{}", chunks.len());
        assert_eq!((starts[0].head.first, starts[0].time), (1, Some(Ticks(100))));
        for (pair, chunk) in starts.windows(2).zip(1..) {
            assert_eq!(pair[0].head.last + 1, pair[1].head.first);
            assert_eq!(pair[1].head.offset, chunk * CHUNK);
            assert_eq!(chunks.start(chunk).unwrap(), Some(pair[1]));
            let before = pair[1].records_before() as usize;
            assert_eq!(all.0[before].0, pair[1].head.first);
        }
        assert_eq!(starts.last().unwrap().head.last, all.0.len() as u64);
        assert_eq!(chunks.start(chunks.len()).unwrap(), None);
        assert_eq!(chunks.offset(u64::MAX), None);
    });
}

#[test]
fn from_any_chunk_the_rest_is_read() {
    each(|opened| {
        let (all, _) = opened.all();
        for start in opened.chunks().starts() {
            let start = start.unwrap();
            let reader = opened.at_chunk(start.chunk);
            assert_eq!(reader.next_number(), start.head.first);
            let (seen, summary) = rest(reader);
            let expected = all.part(start.head.first..);
            assert!(seen.0 == expected, "{start:?}");
            assert_eq!(summary, summary_of(expected));
        }
    });
}

#[test]
fn pieces_are_the_whole() {
    each(|opened| {
        let (all, summary) = opened.all();
        let chunks = opened.chunks();
        for length in 1..chunks.len() {
            let (mut joined, mut events) = (Seen::default(), 0);
            for begin in (0..chunks.len()).step_by(length as usize) {
                let mut reader = opened.at_chunk(begin);
                if let Some(end) = chunks.offset(begin + length) {
                    reader.end_before(end);
                }
                reader.read_all(&mut joined).unwrap();
                events += reader.summary().events;
            }
            assert!(joined == all, "pieces of {length}");
            assert_eq!(events, summary.events);
        }
    });
}

#[test]
fn from_any_number_the_rest_is_read() {
    each(|opened| {
        let (all, _) = opened.all();
        let events = all.0.len() as u64;
        for number in 1..=events {
            let mut reader = opened.at_number(number).unwrap();
            assert_eq!((reader.next_number(), reader.count()), (number, 0));
            let expected = all.part(number..);
            assert_eq!(reader.peek().unwrap(), Some(Ticks(expected[0].1)));
            let mut seen = Seen::default();
            let end = loop {
                match reader.read_part_to(BeforeEvent(number + 1), &mut seen).unwrap() {
                    Part::More => {}
                    part => break part,
                }
            };
            assert_eq!(seen.0.len(), 1);
            assert_eq!(end, if number == events { Part::End } else { Part::Limit });
            reader.read_all(&mut seen).unwrap();
            assert!(seen.0 == expected, "{number}");
            assert_eq!(reader.summary(), summary_of(expected));
        }
        // Everything has a first event, which also is the one of number 0.
        assert!(rest(opened.at_number(0).unwrap()).0 == all);
        assert!(opened.at_number(events + 1).is_none());
        assert!(opened.at_number(u64::MAX).is_none());
    });
}

#[test]
fn from_any_time_the_rest_is_read() {
    each(|opened| {
        let (all, _) = opened.all();
        let last = all.0.last().unwrap().1;
        for time in (0..=last + 1).filter(|time| *time <= 90 || *time >= all.0[0].1 - 2) {
            let first = all.0.iter().position(|event| event.1 >= time);
            let reader = opened.at_time(time);
            assert_eq!(reader.is_some(), first.is_some(), "{time}");
            if let (Some(reader), Some(first)) = (reader, first) {
                let (seen, summary) = rest(reader);
                assert!(seen.0 == all.0[first..], "{time}");
                assert_eq!(summary, summary_of(&all.0[first..]));
            }
        }
        assert!(opened.at_time(u64::MAX).is_none());
    });
}

/// A limit is where reading stops; it goes on from there as if nothing had been.
#[test]
fn reading_goes_on_behind_a_limit() {
    each(|opened| {
        let (all, summary) = opened.all();
        let mut reader = opened.archive.events(LOCATION).unwrap();
        let mut seen = Seen::default();
        for time in (0..5000).step_by(3).map(Ticks) {
            loop {
                match reader.read_part_to(BeforeTime(time), &mut seen).unwrap() {
                    Part::More => {}
                    Part::Limit => {
                        // Smaller limits are reached at once.
                        for limit in [time, Ticks(0)] {
                            let part = reader.read_part_to(BeforeTime(limit), &mut seen).unwrap();
                            assert_eq!(part, Part::Limit);
                        }
                        assert!(reader.peek().unwrap().unwrap() >= time);
                        break;
                    }
                    Part::End => break,
                }
            }
            assert!(seen.0.iter().all(|event| event.1 < time.0));
            let expected = all.0.iter().take_while(|event| event.1 < time.0).count();
            assert_eq!(seen.0.len(), expected);
            assert_eq!(reader.summary(), summary_of(&seen.0));
        }
        assert!(seen == all);
        assert_eq!(reader.summary(), summary);
    });
}

/// What does not begin with a time is no place to begin; searches go on before it.
#[test]
fn a_chunk_without_a_time_is_read_from_the_one_before() {
    let mut file = written_file(&ORDERS, &some_items());
    let whole = opened(&ORDERS, &some_items(), false, 64).all().0;
    // An unknown record of eight bytes in its place, whose length byte says seven.
    for at in (CHUNK as usize..file.len()).step_by(CHUNK as usize) {
        file[at + 18..at + 20].copy_from_slice(&[250, 7]);
    }
    let opened = Opened::new(archive_of(CHUNK, file, None), 1 << 20);
    let starts: Vec<_> = opened.chunks().starts().map(Result::unwrap).collect();
    assert!(starts[1..].iter().all(|start| start.time.is_none() && !start.is_entry()));
    let error = opened.archive.events_from(LOCATION, opened.local.clone(), 1).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::ChunkTime), "{error}");
    assert_eq!(opened.chunks().with_record(u64::MAX).unwrap().chunk, 0);
    assert_eq!(opened.chunks().before_time(Ticks(u64::MAX), &Default::default()).unwrap().chunk, 0);
    // Each of these chunks has a record more now.
    let (seen, _) = rest(opened.at_number(whole.0.len() as u64).unwrap());
    assert_eq!(seen.0.len(), starts.len());
}

/// Headers are not believed where they cannot be, and searches end before them.
#[test]
fn damaged_headers_are_errors_where_they_are_and_ends_for_searches() {
    let (all, file) = {
        let opened = opened(&ORDERS, &some_items(), false, 64);
        (opened.all().0, written_file(&ORDERS, &some_items()))
    };
    let damages: [(usize, u8); 4] = [(0, 4), (1, 0x41), (2, 0xff), (9, 0xff)];
    for (at, byte) in damages {
        for chunk in 1..(file.len() as u64).div_ceil(CHUNK) {
            let mut damaged = file.clone();
            damaged[(chunk * CHUNK) as usize + at] = byte;
            let opened = Opened::new(archive_of(CHUNK, damaged, None), 1 << 20);
            let chunks = opened.chunks();
            // 0xff at the low end of a number can be.
            let Err(error) = chunks.start(chunk) else { continue };
            assert!(error.offset.is_some_and(|offset| offset / CHUNK == chunk), "{error}");
            let from = opened.archive.events_from(LOCATION, opened.local.clone(), chunk);
            assert_eq!(from.unwrap_err().to_string(), error.to_string());
            for number in 1..=all.0.len() as u64 {
                let found = chunks.with_record(number).unwrap();
                assert!(found.chunk != chunk && found.head.first <= number);
            }
            // An event before it is found, and all up to there is read.
            let first = chunks.start(chunk - 1).unwrap().unwrap().head.first;
            let reader = opened.archive.events_from_number(LOCATION, opened.local.clone(), first);
            let mut reader = reader.unwrap().unwrap();
            let mut seen = Seen::default();
            let outcome = reader.read_all(&mut seen);
            assert_eq!(seen.0, all.part(first..first + seen.0.len() as u64));
            // Only what a header says of its numbers does not matter to those who read on.
            assert_eq!(outcome.is_err(), at < 2);
        }
    }
}

#[test]
fn there_is_no_chunk_behind_the_last() {
    let opened = opened(&ORDERS, &some_items(), false, 64);
    for chunk in [opened.chunks().len(), 1 << 40, u64::MAX] {
        let error = opened.archive.events_from(LOCATION, opened.local.clone(), chunk).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::NoChunk { .. }), "{error}");
    }
    let empty = Opened::new(archive_of(CHUNK, Vec::new(), None), 64);
    let error = empty.archive.event_chunks(LOCATION).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Empty), "{error}");
}

/// Errors name the same offset and the same event from wherever reading began.
#[test]
fn errors_are_the_same_from_anywhere() {
    let mut items = some_items();
    let before = items.iter().filter(|item| item.is_record()).count() as u64;
    items.push(Item::Unknown(31, 3)); // a Metric record whose payload is none
    items.push(Item::Enter(0));
    let opened = opened(&ORDERS, &items, true, 64);
    let message = |reader: EventReader| -> String {
        let mut reader = reader;
        let Error { offset, record, kind, .. } = reader.read_all(&mut Seen::default()).unwrap_err();
        assert_eq!(record.unwrap().number, before + 1);
        format!("{offset:?} {record:?} {kind}")
    };
    let expected = message(opened.archive.events(LOCATION).unwrap());
    for start in opened.chunks().starts() {
        let start = start.unwrap();
        assert_eq!(message(opened.at_chunk(start.chunk)), expected);
        assert_eq!(message(opened.at_number(start.head.last.min(before)).unwrap()), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    /// Any times, which may go back: from a number the rest is read as from the start, where no
    /// clock is corrected; from a time it begins with an event that is not before it, and the one
    /// before that is, in its chunk.
    #[test]
    fn any_times_and_sizes(
        steps in prop::collection::vec((any::<u64>(), 0u64..50, 0usize..120_000), 1..40),
        wild in any::<bool>(),
        wanted in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
        window in prop_oneof![64usize..400, 400usize..300_000],
    ) {
        let mut time = 0;
        let items: Vec<Item> = steps.iter().flat_map(|(far, near, size)| {
            time = if wild { *far } else { time + near };
            [Item::Time(time), Item::Unknown(200, *size), Item::Enter(7)]
        }).collect();
        let opened = opened(&ORDERS, &items, false, window);
        let (all, _) = opened.all();
        for index in wanted {
            let event = index.get(&all.0);
            let reader = opened.at_number(event.0).unwrap();
            let (seen, summary) = rest(reader);
            prop_assert_eq!(&seen.0[..], all.part(event.0..));
            prop_assert_eq!(summary, summary_of(&seen.0));
            let Some(reader) = opened.at_time(event.1) else {
                prop_assert!(wild);
                continue;
            };
            let (seen, _) = rest(reader);
            let (first, time, _) = &seen.0[0];
            prop_assert!(*time >= event.1);
            let chunk = opened.chunks().with_record(*first).unwrap();
            let in_chunk = all.part(chunk.head.first..*first);
            prop_assert!(in_chunk.iter().all(|other| other.1 < event.1));
            if !wild {
                prop_assert!(all.part(0..*first).iter().all(|other| other.1 < event.1));
            }
        }
    }
}
