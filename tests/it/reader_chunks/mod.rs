//! How event files are cut: into chunks by the format, into windows by the reader. Neither may
//! ever show in what is delivered.

mod access;
mod around;
mod chunks;
mod span;
mod summaries;
mod windows;

use crate::common::small::{anchor_with, Bytes, Definitions, Files, Order, Small, Written, CHUNK};
use streamfold::formats::otf2::{Archive, EventReader, FileKind, ReadOptions};
use streamfold::model::calls::{Call, Calls, Envelope, Message};
use streamfold::model::events::{Event, EventVisitor};
use streamfold::model::ids::LocationRef;
use streamfold::model::stream::EventHead;
use streamfold::model::values::{AttributeEntry, Ticks, TypedValue};

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
            Event::MpiSend(e) => message(false, e.msg_length),
            Event::MpiIsend(e) => message(false, e.msg_length),
            Event::MpiRecv(e) => message(true, e.msg_length),
            Event::MpiIrecv(e) => message(true, e.msg_length),
            other => format!("{other:?}"),
        };
        self.push_head(head, &text);
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.push_head(head, &format!("unknown {id}"));
    }
}

fn message(received: bool, bytes: u64) -> String {
    format!("{} {bytes}", if received { "received" } else { "sent" })
}

/// Takes enters, leaves and messages out of a run, each as [`List`] says it.
fn take_all<C: Calls>(calls: &mut C, mut take: impl FnMut(&EventHead<'_>, String)) {
    loop {
        let text = if let Some(call) = calls.next() {
            match call {
                Call::Enter(region) => format!("Enter {region}"),
                Call::Leave(region) => format!("Leave {region}"),
            }
        } else if let Some(Message { received, bytes }) = calls.next_message() {
            message(received, bytes)
        } else {
            return;
        };
        take(&calls.head(), text);
    }
}

/// The same by one who takes messages where they follow enters and leaves.
#[derive(Default)]
struct TakesMessages(List);

impl EventVisitor for TakesMessages {
    const ATTRIBUTES: bool = true;

    fn calls<C: Calls>(&mut self, calls: &mut C) {
        take_all(calls, |head, text| self.0.push_head(head, &text));
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.0.event(head, event);
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.0.unknown(head, id);
    }
}

/// Messages with all that they say, taken where they follow enters and leaves, or as events.
#[derive(Debug, Default, PartialEq)]
struct Envelopes<const IN_RUNS: bool>(Vec<(u64, Ticks, Envelope)>);

impl<const IN_RUNS: bool> EventVisitor for Envelopes<IN_RUNS> {
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        loop {
            calls.skip();
            let Some(envelope) = IN_RUNS.then(|| calls.next_envelope()).flatten() else { return };
            let EventHead { number, time, .. } = calls.head();
            self.0.push((number, time, envelope));
        }
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let (received, partner, comm, tag, bytes, request) = match event {
            Event::MpiSend(e) => (false, e.receiver, e.communicator, e.msg_tag, e.msg_length, None),
            Event::MpiIsend(e) => {
                (false, e.receiver, e.communicator, e.msg_tag, e.msg_length, Some(e.request_id))
            }
            Event::MpiRecv(e) => (true, e.sender, e.communicator, e.msg_tag, e.msg_length, None),
            Event::MpiIrecv(e) => {
                (true, e.sender, e.communicator, e.msg_tag, e.msg_length, Some(e.request_id))
            }
            _ => return,
        };
        let envelope = Envelope { received, partner, comm, tag, bytes, request };
        self.0.push((head.number, head.time, envelope));
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
    Message {
        received: bool,
        /// Partner, communicator, tag.
        of: [u32; 3],
        bytes: u64,
        request: Option<u64>,
    },
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
            Item::Message { received, of, bytes: length, request } => {
                let fields =
                    of.iter().fold(bytes.payload(), |payload, field| payload.c((*field).into()));
                let fields = fields.c(*length);
                let fields = request.map_or(fields.clone(), |request| fields.c(request));
                let id = 14 + 4 * u8::from(*received) + u8::from(request.is_some());
                bytes.record(id, fields)
            }
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
            Item::Message { received, bytes, .. } => message(*received, *bytes),
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

/// Reads in the ways that there are: all at once, messages as events or not, and event by event.
fn read(written: &Written, window: usize) -> List {
    let (mut at_once, mut one_by_one) = (List::default(), List::default());
    reader(written, window, true).read_all(&mut at_once).unwrap();
    let mut with_messages = TakesMessages::default();
    reader(written, window, true).read_all(&mut with_messages).unwrap();
    assert_eq!(at_once, with_messages.0);
    let (mut in_runs, mut as_events) =
        (Envelopes::<true>::default(), Envelopes::<false>::default());
    reader(written, window, true).read_all(&mut in_runs).unwrap();
    reader(written, window, true).read_all(&mut as_events).unwrap();
    assert_eq!(in_runs.0, as_events.0);
    let mut reader = reader(written, window, false);
    while let Some(time) = reader.peek().unwrap() {
        assert_eq!(reader.peek().unwrap(), Some(time), "looking changes nothing");
        reader.deliver(&mut one_by_one).unwrap();
    }
    assert_eq!(at_once, one_by_one);
    at_once
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
