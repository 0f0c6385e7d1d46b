//! Any stream in chunks, with a clock that is corrected.

use std::num::NonZeroUsize;

use proptest::prelude::*;
use streamfold::collective::Solo;
use streamfold::drive::select::{Cutting, Plan};
use streamfold::drive::{self, Amount, Losses, Progress, Scanning, Trace};
use streamfold::formats::otf2::ReadOptions;
use streamfold::kernels::profile::{PathRow, Profile, ProfileKernel};
use streamfold::model::definitions::{CallingContext, Definition};
use streamfold::model::ids::{CallingContextRef, RegionRef, SourceCodeLocationRef};

use crate::common::small::{Bytes, Definitions, Files, Order, Small, CHUNK, ORDERS};

#[derive(Clone, Copy, Debug)]
enum Item {
    Time(u64),
    Enter(u64),
    Leave(u64),
    Message {
        received: bool,
        bytes: u64,
    },
    /// Of a measurement's buffer, up to a time.
    Flush(u64),
    /// A record of a kind that is not known.
    Unknown,
    Chunk {
        /// Whether it begins with the time, as it should.
        timed: bool,
    },
    /// The end of the data, with more behind it.
    End,
}

/// Times as they may stand in a file: they mostly grow.
fn any_items() -> impl Strategy<Value = Vec<Item>> {
    let region = 0u64..3;
    let item = prop_oneof![
        30 => (0i64..40).prop_map(|after| (after, Item::Time(0))),
        1 => (-200i64..0).prop_map(|after| (after, Item::Time(0))),
        20 => region.clone().prop_map(|region| (0, Item::Enter(region))),
        20 => region.prop_map(|region| (0, Item::Leave(region))),
        5 => (any::<bool>(), 0u64..100_000)
            .prop_map(|(received, bytes)| (0, Item::Message { received, bytes })),
        1 => (0u64..1500).prop_map(|stop| (0, Item::Flush(stop))),
        1 => Just((0, Item::Unknown)),
        4 => prop::bool::weighted(0.9).prop_map(|timed| (0, Item::Chunk { timed })),
    ];
    let end = prop::option::weighted(0.1, 0usize..80);
    (prop::collection::vec(item, 0..160), end).prop_map(|(items, end)| {
        let mut now = 100u64;
        let timed = |(after, item): (i64, Item)| {
            now = now.saturating_add_signed(after);
            if let Item::Time(_) = item {
                Item::Time(now)
            } else {
                item
            }
        };
        let mut items: Vec<Item> = items.into_iter().map(timed).collect();
        if let Some(end) = end.filter(|end| *end < items.len()) {
            items.insert(end, Item::End);
        }
        items
    })
}

/// Calls that a correct program makes, and no chunk without a time or an event.
fn correct(items: &[Item]) -> Vec<Item> {
    let (mut open, mut stream) = (Vec::new(), Vec::new());
    let (mut last, mut any) = (0, false);
    for item in items {
        match *item {
            Item::Time(time) => {
                last = last.max(time);
                stream.push(Item::Time(last));
            }
            Item::Enter(region) => {
                open.push(region);
                stream.push(*item);
            }
            Item::Leave(_) => stream.extend(open.pop().map(Item::Leave)),
            Item::Chunk { .. } if any => stream.push(Item::Chunk { timed: true }),
            Item::Message { .. } | Item::Unknown => stream.push(*item),
            Item::Chunk { .. } | Item::Flush(_) | Item::End => {}
        }
        any = match stream.last() {
            Some(Item::Chunk { .. }) => false,
            Some(Item::Time(_)) | None => any,
            Some(_) => true,
        };
    }
    stream.push(Item::Unknown);
    stream
}

fn file(order: Order, items: &[Item]) -> Vec<u8> {
    let mut bytes = Bytes::new(order).header();
    let mut now = 0;
    for item in items {
        bytes = match *item {
            Item::Time(time) => {
                now = time;
                bytes.time(time)
            }
            Item::Enter(region) => bytes.enter(region),
            Item::Leave(region) => bytes.leave(region),
            Item::Message { received, bytes: length } => {
                let payload = bytes.payload().c(3).c(0).c(1).c(length);
                bytes.record(if received { 18 } else { 14 }, payload)
            }
            Item::Flush(stop) => {
                let payload = bytes.payload().u64(stop);
                bytes.record(10, payload)
            }
            Item::Unknown => bytes.raw(&[200, 1, 7]),
            Item::End => bytes.end(),
            Item::Chunk { timed } => {
                let header = Bytes::new(order).header();
                let bytes = bytes.raw(&[0]).pad(CHUNK).raw(&header.bytes);
                if timed {
                    bytes.time(now)
                } else {
                    bytes
                }
            }
        };
    }
    bytes.end().bytes
}

/// Clock offsets at these times.
fn clock(order: Order, offsets: &[(u64, u64)]) -> Vec<u8> {
    let offsets = offsets.iter().fold(Bytes::new(order).header(), |bytes, &(time, offset)| {
        let payload = bytes.payload().u64(time).c(offset).u64(0);
        bytes.record(6, payload)
    });
    offsets.end().bytes
}

/// What comes of all locations.
type Outcome = (Profile, Losses, Amount);

/// A profile, and how many pieces were read again for it.
fn profile(trace: &Trace, plan: &Plan, workers: usize) -> (Outcome, u64) {
    let kernel = ProfileKernel::new(&trace.definitions);
    let progress = Progress::default();
    let workers = NonZeroUsize::new(workers).expect("workers");
    let scanning = Scanning { workers, strict: false, progress: &progress, references: None };
    let folded = drive::scan(&Solo, trace, plan, &kernel, scanning).expect("a profile");
    let (profile, _) = Profile::new(folded.partial, &trace.definitions);
    ((profile, folded.losses, folded.amount), progress.again.into_inner())
}

/// A profile of these streams, which is the same whole and in pieces; and how many pieces were read
/// again, at most.
fn check(
    order: Order,
    streams: &[Vec<Item>],
    offsets: &[(u64, u64)],
    chunks: u64,
) -> (Outcome, u64) {
    let mut definitions = Definitions::new(order).region(0).region(1).region(2);
    let mut locations = Vec::new();
    for (location, stream) in streams.iter().enumerate() {
        definitions = definitions.location(location as u64, 0);
        let (events, definitions) = (Some(file(order, stream)), Some(clock(order, offsets)));
        locations.push(Files { events, definitions });
    }
    let written = Small::with(order, definitions, locations).write();
    let trace = drive::open(&Solo, &written.anchor(), ReadOptions::default()).expect("a trace");
    let candidates = drive::weigh(&Solo, &trace).expect("weights");
    let (whole, mut most) = profile(&trace, &Plan::new(&candidates, 1), 1);
    for workers in [1, 3] {
        let plan = Plan::in_pieces(&candidates, 1, Cutting::forced(CHUNK, chunks * CHUNK));
        let (pieces, again) = profile(&trace, &plan, workers);
        most = most.max(again);
        assert_eq!(pieces, whole, "{workers} workers, {chunks} chunks a piece");
    }
    (whole, most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::common::cases::cases(500), ..ProptestConfig::default() })]

    #[test]
    fn any_streams_give_the_same_in_pieces(
        streams in prop::collection::vec((any_items(), any::<bool>()), 1..3),
        offsets in prop::sample::select(vec![
            Vec::new(),
            vec![(0, 10), (1000, 30)],
            vec![(0, 10), (300, 500), (500, 0), (900, 70)],
        ]),
        order in prop::sample::select(&ORDERS[..]),
        chunks in 1u64..3,
    ) {
        let streams: Vec<_> = streams
            .iter()
            .map(|(items, odd)| if *odd { items.clone() } else { correct(items) })
            .collect();
        check(order, &streams, &offsets, chunks);
    }

    /// No work is done twice where a program does nothing odd.
    #[test]
    fn no_piece_of_a_correct_program_is_read_again(
        items in any_items(),
        chunks in 1u64..3,
    ) {
        let offsets = [(0, 10), (300, 500), (500, 600), (900, 630)];
        let stream = correct(&items);
        let (_, again) = check(Order::Little, &[stream], &offsets, chunks);
        prop_assert_eq!(again, 0);
    }
}

/// A profile of one stream, and how many of its pieces were read again.
fn one(stream: &[Item], offsets: &[(u64, i64)]) -> (Profile, u64) {
    let offsets: Vec<_> = offsets.iter().map(|(time, offset)| (*time, *offset as u64)).collect();
    let ((profile, losses, _), again) = check(Order::Little, &[stream.to_vec()], &offsets, 1);
    assert!(losses.is_empty());
    (profile, again)
}

/// A kernel that must not be handed pieces is handed none: nobody plans them, and where somebody did
/// they are read in order.
#[test]
fn locations_with_calling_contexts_are_read_in_order() {
    let order = Order::Little;
    let stream = [Item::Time(500), Item::Enter(0), TIMED, Item::Leave(0), TIMED, Item::Unknown];
    let definitions = Definitions::new(order).region(0).location(0, 0);
    let files = Files { events: Some(file(order, &stream)), definitions: Some(clock(order, &[])) };
    let written = Small::with(order, definitions, vec![files]).write();
    let mut trace = drive::open(&Solo, &written.anchor(), ReadOptions::default()).expect("a trace");
    let candidates = drive::weigh(&Solo, &trace).expect("weights");
    let cutting = Cutting::forced(CHUNK, CHUNK);
    let cut = Plan::in_pieces(&candidates, 1, cutting);
    let plan = |trace: &Trace| {
        drive::plan(&ProfileKernel::new(&trace.definitions), &candidates, 1, cutting)
    };
    assert_eq!(plan(&trace), cut);
    let (whole, again) = profile(&trace, &cut, 2);
    assert_eq!(again, 0);
    trace.definitions.insert(Definition::CallingContext(CallingContext {
        id: CallingContextRef(0),
        region: RegionRef(0),
        source_code_location: SourceCodeLocationRef::UNDEFINED,
        parent: CallingContextRef::UNDEFINED,
    }));
    assert_eq!(plan(&trace), Plan::new(&candidates, 1));
    assert_eq!(profile(&trace, &plan(&trace), 2), (whole, 0));
    let refused = std::panic::catch_unwind(|| profile(&trace, &cut, 2));
    assert!(refused.is_err(), "nobody reads in pieces what must not be cut");
}

/// Visits and inclusive time of a region.
fn region(profile: &Profile, region: u32) -> (u64, u128) {
    let is_it = |path: &&PathRow| path.step.region().is_some_and(|step| step.0 == region);
    let row = profile.paths.iter().find(is_it).expect("the region was visited").row;
    (row.visits, row.inclusive)
}

/// An offset of 2000 up to a time of 1000, and five ticks less with each tick from there. Between the
/// first two a time of 600 is 2600; after the second one was passed it is 4600.
const FALLING: [(u64, i64); 3] = [(0, 2000), (1000, 2000), (2000, -3000)];

const TIMED: Item = Item::Chunk { timed: true };
const UNTIMED: Item = Item::Chunk { timed: false };

/// The stop time of a flush lies behind the second clock offset, and the times after it do not: the
/// interval stays the second one, in the chunk that follows, too.
#[test]
fn a_clock_interval_that_moved_before_a_piece_is_found_out() {
    let before = [Item::Time(500), Item::Enter(0), Item::Flush(1500), Item::Time(600)];
    let stream = [&before[..], &[TIMED, Item::Leave(0)]].concat();
    let (profile, again) = one(&stream, &FALLING);
    // From 2500 to 4600.
    assert_eq!((region(&profile, 0), again), ((1, 2100), 1));
}

/// The same where it moved in a piece that was joined.
#[test]
fn a_clock_interval_that_moved_in_a_piece_is_found_out_by_the_next() {
    let moved = [Item::Time(600), TIMED, Item::Enter(1), Item::Flush(1500), Item::Time(700)];
    let stream = [&[Item::Time(500), Item::Enter(0)], &moved[..], &[TIMED, Item::Leave(1)]];
    let (profile, again) = one(&stream.concat(), &FALLING);
    // From 2600 to 700 + 2000 + 5 * 300.
    assert_eq!((region(&profile, 1), again), ((1, 1600), 1));
}

/// Events that say nothing of visits may go back in time without moving the clock of a location.
#[test]
fn time_that_goes_back_between_pieces_is_counted() {
    let before = [Item::Time(500), Item::Enter(0), Item::Time(900), Item::Unknown];
    let stream = [&before[..], &[Item::Time(600), TIMED, Item::Leave(0)]].concat();
    let (profile, again) = one(&stream, &[]);
    assert_eq!((region(&profile, 0), profile.oddities.backward, again), ((1, 100), 1, 0));
}

#[test]
fn the_time_of_a_chunk_without_one_is_that_of_the_chunk_before() {
    let stream = [Item::Time(500), Item::Unknown, UNTIMED, Item::Unknown];
    let (profile, again) = one(&stream, &[]);
    let last = profile.locations[0].last.map(|time| time.0);
    assert_eq!((last, profile.oddities.backward, again), (Some(500), 0, 1));
}

/// A time at the end of a chunk, behind its last event, belongs to the next one.
#[test]
fn the_time_behind_the_last_event_of_a_piece_goes_on() {
    let piece = [TIMED, Item::Unknown, Item::Time(800)];
    let stream = [&[Item::Time(500), Item::Unknown], &piece[..], &[UNTIMED, Item::Unknown]];
    let (profile, again) = one(&stream.concat(), &[]);
    assert_eq!((profile.locations[0].last.map(|time| time.0), again), (Some(800), 1));
}
