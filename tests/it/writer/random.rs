//! Any events whatever are read as they were written, and stand in the file as the format wants them.

use proptest::collection::vec;
use proptest::prelude::*;
use streamfold::model::enums::{
    CollectiveOp, IoOperationFlag, IoOperationMode, MeasurementMode, RmaAtomicType, Type,
};
use streamfold::model::events::{
    BufferFlush, CallingContextSample, Enter, Event, IoOperationBegin, Leave, MeasurementOnOff,
    MpiCollectiveBegin, MpiCollectiveEnd, MpiIsendComplete, MpiSend, OmpTaskSwitch, ParameterInt,
    ProgramEnd, RmaAtomic, ThreadTaskSwitch,
};
use streamfold::model::ids::{
    AttributeRef, CallingContextRef, CommRef, InterruptGeneratorRef, IoHandleRef, MetricRef,
    ParameterRef, RegionRef, RmaWinRef, StringRef,
};
use streamfold::model::values::{AttributeEntry, Ticks, TypedValue};

use crate::common::parsed::{Parsed, Parser, BARE, HEADER, STAMP};
use crate::writer::written::{Owned, Place, Timed, CHUNK, ORDERS};

/// Numbers of any size, those with a form of their own more often than others.
fn number() -> impl Strategy<Value = u64> + Clone {
    prop_oneof![
        1 => Just(0),
        1 => Just(u64::MAX),
        1 => Just(u64::from(u32::MAX)),
        6 => (any::<u64>(), 0..64_u32).prop_map(|(number, shift)| number >> shift),
    ]
}

fn half() -> impl Strategy<Value = u32> {
    number().prop_map(|number| number as u32)
}

fn small() -> impl Strategy<Value = Event<'static>> {
    let numbers = [number(), number(), number(), number(), number()];
    (0..15_u8, numbers).prop_map(|(kind, [a, b, c, d, e])| plain(kind, a, b, [c, d, e]))
}

/// An event without an array, of those kinds that differ in form.
fn plain(kind: u8, a: u64, b: u64, [c, d, e]: [u64; 3]) -> Event<'static> {
    let (a32, b32, c32) = (a as u32, b as u32, c as u32);
    match kind {
        0 | 1 => Event::Enter(Enter { region: RegionRef(a32) }),
        2 => Event::Leave(Leave { region: RegionRef(a32) }),
        3 => Event::MpiIsendComplete(MpiIsendComplete { request_id: a }),
        4 => Event::OmpTaskSwitch(OmpTaskSwitch { task_id: a }),
        5 => Event::MpiCollectiveBegin(MpiCollectiveBegin),
        6 => Event::MeasurementOnOff(MeasurementOnOff {
            measurement_mode: MeasurementMode::from(a as u8),
        }),
        7 => Event::BufferFlush(BufferFlush { stop_time: Ticks(a) }),
        8 => Event::ProgramEnd(ProgramEnd { exit_status: a as i64 }),
        9 => Event::ParameterInt(ParameterInt { parameter: ParameterRef(a32), value: b as i64 }),
        10 => Event::CallingContextSample(CallingContextSample {
            calling_context: CallingContextRef(a32),
            unwind_distance: b32,
            interrupt_generator: InterruptGeneratorRef(c32),
        }),
        11 => Event::ThreadTaskSwitch(ThreadTaskSwitch {
            thread_team: CommRef(a32),
            creating_thread: b32,
            generation_number: c32,
        }),
        12 => Event::MpiSend(MpiSend {
            receiver: a32,
            communicator: CommRef(b32),
            msg_tag: c32,
            msg_length: d,
        }),
        13 => Event::IoOperationBegin(IoOperationBegin {
            handle: IoHandleRef(a32),
            mode: IoOperationMode::from(b as u8),
            operation_flags: IoOperationFlag(c32),
            bytes_request: d,
            matching_id: e,
        }),
        _ if a.is_multiple_of(2) => Event::MpiCollectiveEnd(MpiCollectiveEnd {
            collective_op: CollectiveOp::from(a as u8),
            communicator: CommRef(b32),
            root: c32,
            size_sent: d,
            size_received: e,
        }),
        _ => Event::RmaAtomic(RmaAtomic {
            win: RmaWinRef(a32),
            remote: b32,
            atomic_type: RmaAtomicType::from(a as u8),
            bytes_sent: c,
            bytes_received: d,
            matching_id: e,
        }),
    }
}

/// Metrics of up to 255 values.
fn metric() -> impl Strategy<Value = Owned> {
    let value_type = prop_oneof![Just(Type::Int64), Just(Type::Uint64), Just(Type::Double)];
    let value =
        (value_type, number()).prop_map(|(value_type, bits)| TypedValue { value_type, bits });
    let values = prop_oneof![3 => vec(value.clone(), 0..8), 1 => vec(value, 200..=255)];
    (half(), values).prop_map(|(metric, values)| Owned::Metric(MetricRef(metric), values))
}

/// Up to so many arguments as one chunk has room for, now and then.
fn program_begin() -> impl Strategy<Value = Owned> {
    let count = prop_oneof![8 => 0..60_usize, 1 => 0..50_000_usize];
    (half(), half(), count).prop_map(|(name, seed, count)| {
        let argument = |i: usize| (seed ^ (i as u32).wrapping_mul(0x9e37_79b9)) >> (i % 32);
        let arguments = (0..count).map(|i| StringRef(argument(i))).collect();
        Owned::ProgramBegin(StringRef(name), arguments)
    })
}

fn attribute_value() -> impl Strategy<Value = TypedValue> {
    (0..40_u8, number()).prop_map(|(kind, bits)| {
        let value_type = Type::from(kind);
        let width = match kind {
            1 | 5 => 8,
            2 | 6 => 16,
            0 | 4 | 8 | 10 | 13 | 26.. => 64,
            _ => 32,
        };
        TypedValue { value_type, bits: bits & (u64::MAX >> (64 - width)) }
    })
}

/// Lists with short lengths and with long ones, which begin at 17. No attribute twice.
fn attributes() -> impl Strategy<Value = Vec<AttributeEntry>> {
    let values = prop_oneof![
        6 => vec(attribute_value(), 0),
        2 => vec(attribute_value(), 1..4),
        1 => vec(attribute_value(), 15..21),
    ];
    (half(), values).prop_map(|(first, values)| {
        let entry = |(i, value)| {
            let attribute = AttributeRef(first.wrapping_add(i as u32));
            AttributeEntry { attribute, value }
        };
        values.into_iter().enumerate().map(entry).collect()
    })
}

/// Events in the order of their times. Many happen at the same time; some files begin at time 0.
fn events() -> impl Strategy<Value = Vec<Timed>> {
    let event = prop_oneof![
        30 => small().prop_map(Owned::Plain),
        4 => metric(),
        1 => program_begin(),
    ];
    let later = prop_oneof![4 => Just(0), 3 => 1..1000_u64, 1 => number().prop_map(|n| n >> 20)];
    let one = (later, attributes(), event);
    let start = prop_oneof![Just(0), 1..1_000_000_u64];
    (start, vec(one, 0..150), 1..120_usize).prop_map(|(start, events, rounds)| {
        let mut time = start;
        let mut all = Vec::new();
        for round in 0..rounds {
            for (later, attributes, event) in &events {
                // Records that are large are so in the first round only.
                if round > 0 && matches!(event, Owned::ProgramBegin(..)) {
                    continue;
                }
                time = time.saturating_add(*later);
                let (attributes, event) = (attributes.clone(), event.clone());
                all.push(Timed { time, attributes, event });
            }
        }
        all
    })
}

/// What is reserved for the fields of an event, from the tables of the format.
fn fields_reserve(event: &Owned) -> usize {
    let event = match event {
        Owned::Metric(_, values) => return 5 + 1 + 10 * values.len(),
        Owned::ProgramBegin(_, arguments) => return 5 + 5 + 5 * arguments.len(),
        Owned::Plain(event) => event,
    };
    match event {
        Event::MpiCollectiveBegin(_) => 0,
        Event::MeasurementOnOff(_) => 1,
        Event::Enter(_) | Event::Leave(_) => 5,
        Event::BufferFlush(_) => 8,
        Event::MpiIsendComplete(_) | Event::OmpTaskSwitch(_) | Event::ProgramEnd(_) => 9,
        Event::ParameterInt(_) => 14,
        Event::CallingContextSample(_) | Event::ThreadTaskSwitch(_) => 15,
        Event::MpiSend(_) => 24,
        Event::IoOperationBegin(_) | Event::MpiCollectiveEnd(_) => 29,
        Event::RmaAtomic(_) => 38,
        other => panic!("{other:?} is not written"),
    }
}

fn length_size(reserved: usize) -> usize {
    match reserved {
        0..255 => 1,
        _ => 9,
    }
}

/// What is reserved for a record with its attributes, section 2.4.
fn reserve(event: &Timed, bare: bool) -> usize {
    let fields = fields_reserve(&event.event);
    let list = 5 + 15 * event.attributes.len();
    let head = if bare { 0 } else { length_size(fields) };
    let list = if event.attributes.is_empty() { 0 } else { 1 + length_size(list) + list };
    1 + head + fields + list
}

/// What stands before a record: the one before it.
struct Before<'a> {
    record: Option<&'a Parsed>,
    time: u64,
}

/// That the record has its place, its times and its lengths where the format wants them.
fn check_record(bytes: &[u8], before: &Before<'_>, record: &Parsed, event: &Timed) {
    let chunk = CHUNK as usize;
    let bare = BARE.contains(&record.id);
    assert_eq!(record.time, event.time);
    let begins = before.record.map_or(record.chunk > 0, |last| last.chunk < record.chunk);
    let stamped = event.time > before.time || event.time == 0 || begins;
    assert_eq!(record.stamps, vec![event.time; usize::from(stamped)], "{record:?}");
    assert_eq!(record.list.is_some(), !event.attributes.is_empty());

    let needed = reserve(event, bare) + STAMP;
    let used = record.place.start - record.chunk * chunk;
    assert!(needed < chunk - used, "{record:?} has no room where it stands");
    if let Some(last) = before.record.filter(|_| begins) {
        let free = (last.chunk + 1) * chunk - last.place.end;
        assert!(needed >= free, "{record:?} had room in the chunk before, {free} bytes");
        assert_eq!(record.chunk, last.chunk + 1);
        assert_eq!(used, HEADER);
    }
    check_lengths(&bytes[record.place.clone()], record, event);
}

/// Long lengths stand where the reserve is long, whatever the length itself is.
fn check_lengths(bytes: &[u8], record: &Parsed, event: &Timed) {
    let mut at = STAMP * record.stamps.len();
    if let Some(list) = &record.list {
        let reserved = 5 + 15 * event.attributes.len();
        assert_eq!((bytes[at], bytes[at + 1] == 255), (6, reserved >= 255));
        assert!(list.len() <= reserved);
        at += 1 + length_size(reserved) + list.len();
    }
    assert_eq!(bytes[at], record.id);
    if !BARE.contains(&record.id) {
        let reserved = fields_reserve(&event.event);
        assert_eq!(bytes[at + 1] == 255, reserved >= 255);
        assert!(record.payload.len() <= reserved);
    }
}

fn check(events: &[Timed]) {
    for order in ORDERS {
        let place = Place::new(order);
        let bytes = place.write(events);
        assert_eq!(bytes[1], order.number());
        let records = Parser::events(&bytes, CHUNK).strictly();
        assert_eq!(records.len(), events.len());
        let mut before = Before { record: None, time: 0 };
        for (record, event) in records.iter().zip(events) {
            check_record(&bytes, &before, record, event);
            before = Before { record: Some(record), time: event.time };
        }
        let read = place.read();
        let different = read.iter().zip(events).position(|(read, written)| read != written);
        assert_eq!(different.map(|i| (&read[i], &events[i])), None);
        assert_eq!(read.len(), events.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::common::cases::cases(400), ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(events in events()) {
        check(&events);
    }
}
