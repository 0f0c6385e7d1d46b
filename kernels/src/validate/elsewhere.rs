//! Requests of MPI and operations on files that one location begins and another one of its process ends.
//!
//! A location that has only one end of these is no defect yet: it is a [`Suspect`]. The end is sent as an orphan, as those
//! of [`matching`](crate::matching::requests), and [`confirm`] joins the orphans of all locations of a process. A suspect
//! is a defect if its end stays alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::events::EventKind;
use streamfold_model::ids::LocationRef;

use super::code::Code;
use super::sink::Mark;
use crate::matching::coding::{put, take};
use crate::matching::requests::{
    adopt, request_key, Follower, Luggage, Orphan, Post, RequestEvent,
};
use crate::matching::{Key, Lanes, Order, Outgoing, Process, Sink, Source};

/// The number under which something begins and ends in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A request of MPI.
    Request(u64),
    /// An operation on a file handle.
    Operation(u32, u64),
}

impl Subject {
    fn key(self, Process(process): Process) -> Key {
        match self {
            Subject::Request(number) => request_key(Process(process), number),
            // Processes are counted from 0: these are keys of no request.
            Subject::Operation(handle, id) => Key([!process, handle, id as u32, (id >> 32) as u32]),
        }
    }

    /// The defect if it ends and did not begin.
    pub(super) fn unknown(self) -> Code {
        match self {
            Subject::Request(_) => Code::UnknownRequest,
            Subject::Operation(..) => Code::UnknownOperation,
        }
    }

    /// The defect of this kind, in words. `at`: where other ends were looked for.
    pub(super) fn message(self, code: Code, at: &str) -> String {
        let is_reused = matches!(code, Code::ReusedRequest | Code::ReusedOperation);
        let is_open = matches!(code, Code::OpenRequest | Code::OpenOperation);
        match self {
            Subject::Request(id) if is_reused => format!("request {id} is not complete yet"),
            Subject::Request(id) if is_open => {
                format!("request {id} is never completed nor cancelled")
            }
            Subject::Request(id) => format!("no request {id} is open {at}"),
            Subject::Operation(handle, id) if is_reused => {
                format!("operation {id} on handle {handle} is not complete yet")
            }
            Subject::Operation(handle, id) if is_open => {
                format!("operation {id} on handle {handle} is never completed")
            }
            Subject::Operation(handle, id) => {
                format!("no operation {id} on handle {handle} is open {at}")
            }
        }
    }
}

/// A begin, until it is ended at its location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin<M> {
    /// Its record.
    pub record: &'static str,
    /// Its place among those of its process.
    pub at: Order,
    /// Its place in reports.
    pub mark: M,
}

/// One end, whose other end its location did not record.
#[derive(Clone, Copy, Debug)]
pub enum Half {
    /// A begin by this record. If the location used its number again, it is over at that place.
    Begun { record: &'static str, at: Order, over: Option<Order> },
    /// An end.
    Ended { at: Order },
}

/// A defect, if no other location of the process has the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its kind.
    pub code: Code,
    /// The location that has the record.
    pub location: LocationRef,
    /// The record.
    pub record: Mark,
    /// Its place among the defects of the stream.
    pub place: u64,
    subject: Subject,
}

impl Suspect {
    /// The defect, in words.
    pub fn message(&self) -> String {
        self.subject.message(self.code, "in this process")
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        put(self.code as u64, bytes);
        put_record(self.record.name, bytes);
        [self.record.number, self.record.offset, self.place].iter().for_each(|it| put(*it, bytes));
        match self.subject {
            Subject::Request(number) => [0, 0, number],
            Subject::Operation(handle, number) => [1, handle.into(), number],
        }
        .iter()
        .for_each(|it| put(*it, bytes));
    }

    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let code = *Code::ALL.get(usize::try_from(take(bytes)?).ok()?)?;
        let name = take_record(bytes)?;
        let record = Mark { number: take(bytes)?, offset: take(bytes)?, name };
        let place = take(bytes)?;
        let subject = match (take(bytes)?, take(bytes)?, take(bytes)?) {
            (0, _, number) => Subject::Request(number),
            (_, handle, number) => Subject::Operation(handle.try_into().ok()?, number),
        };
        Some(Suspect { code, location, record, place, subject })
    }
}

fn put_record(name: &'static str, bytes: &mut Vec<u8>) {
    let kind = EventKind::ALL.iter().position(|kind| kind.name() == name);
    put(kind.map_or(u64::MAX, |kind| kind as u64), bytes);
}

fn take_record(bytes: &mut &[u8]) -> Option<&'static str> {
    let kind = EventKind::ALL.get(usize::try_from(take(bytes)?).ok()?)?;
    Some(kind.name())
}

/// A begin, and the defect that it is if it has no end.
#[derive(Clone, Copy)]
struct Begun {
    record: &'static str,
    suspect: Suspect,
}

/// An end, and the defect that it is if nothing began.
#[derive(Clone, Copy)]
struct Ended(Suspect);

impl Luggage for Begun {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_record(self.record, bytes);
        self.suspect.put(bytes);
    }

    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        Some(Begun { record: take_record(bytes)?, suspect: Suspect::take(location, bytes)? })
    }
}

impl Luggage for Ended {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
    }

    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        Suspect::take(location, bytes).map(Ended)
    }
}

impl Post<Ended> for Begun {
    fn is_completed_by(&self, Ended(end): &Ended) -> bool {
        begin_of(end.record.name).is_none_or(|begin| begin == self.record)
    }
}

/// The record that begins the requests that a record completes; `None` if it ends any.
pub(super) fn begin_of(end: &str) -> Option<&'static str> {
    let begin = match end {
        "MpiIsendComplete" => EventKind::MpiIsend,
        "MpiIrecv" => EventKind::MpiIrecvRequest,
        "MpiImrecv" => EventKind::MpiImrecvRequest,
        "NonBlockingCollectiveComplete" => EventKind::NonBlockingCollectiveRequest,
        _ => return None,
    };
    Some(begin.name())
}

/// Other locations of the process of a location.
#[derive(Clone, Copy)]
pub enum Others<'a> {
    /// They are asked: ends go to this sink, for [`confirm`].
    Ask(&'a dyn Sink),
    /// They were asked before: these are the defects.
    Asked(&'a Confirmed),
}

/// The same for one location.
pub(super) enum Asking<'a> {
    Sent(Box<Sent<'a>>),
    Asked(&'a Confirmed),
}

/// Ends on their way.
pub(super) struct Sent<'a> {
    lanes: Lanes<Orphan<Begun, Ended>>,
    outgoing: Outgoing<'a>,
}

impl<'a> Asking<'a> {
    pub(super) fn new(others: Others<'a>) -> Self {
        match others {
            Others::Ask(sink) => {
                let (lanes, outgoing) = (Lanes::default(), Outgoing::new(sink));
                Asking::Sent(Box::new(Sent { lanes, outgoing }))
            }
            Others::Asked(confirmed) => Asking::Asked(confirmed),
        }
    }

    /// All ends of the location are there.
    pub(super) fn end(&mut self) {
        if let Asking::Sent(sent) = self {
            let Sent { lanes, outgoing } = &mut **sent;
            lanes.empty(outgoing);
            outgoing.hand_over();
        }
    }

    /// Returns whether this is known to be a defect.
    pub(super) fn ask(
        &mut self,
        process: Process,
        (code, subject): (Code, Subject),
        (record, place): (Mark, u64),
        half: Half,
    ) -> bool {
        let location = half.location();
        let suspect = Suspect { code, location, record, place, subject };
        match self {
            Asking::Asked(confirmed) => confirmed.has(location, place),
            Asking::Sent(sent) => {
                let orphan = match half {
                    Half::Begun { record, at, over } => Orphan {
                        order: at,
                        action: RequestEvent::Posted(Begun { record, suspect }, over),
                    },
                    Half::Ended { at } => {
                        Orphan { order: at, action: RequestEvent::Completed(Ended(suspect)) }
                    }
                };
                sent.lanes.push(subject.key(process), orphan, &mut sent.outgoing);
                false
            }
        }
    }
}

impl Half {
    fn location(self) -> LocationRef {
        let (Half::Begun { at, .. } | Half::Ended { at }) = self;
        at.location
    }
}

/// Suspects that are defects, by location: a bit for each place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmed(BTreeMap<LocationRef, Vec<u64>>);

impl Confirmed {
    /// Adds one.
    pub fn add(&mut self, suspect: &Suspect) {
        let bits = self.0.entry(suspect.location).or_default();
        let word = (suspect.place / 64) as usize;
        if bits.len() <= word {
            bits.resize(word + 1, 0);
        }
        bits[word] |= 1 << (suspect.place % 64);
    }

    /// Adds all of others.
    pub fn fold(&mut self, other: Confirmed) {
        for (location, more) in other.0 {
            let bits = self.0.entry(location).or_default();
            bits.resize(bits.len().max(more.len()), 0);
            bits.iter_mut().zip(more).for_each(|(own, other)| *own |= other);
        }
    }

    fn has(&self, location: LocationRef, place: u64) -> bool {
        let bits = self.0.get(&location);
        let word = bits.and_then(|bits| bits.get((place / 64) as usize));
        word.is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}

/// Hands over those that no location has ended or begun.
struct Alone<F>(F);

impl<F: FnMut(&Suspect)> Follower<Begun, Ended> for Alone<F> {
    fn complete(&mut self, _: Order, _: Begun, _: Ended) {}

    fn cancelled(&mut self, _: Order, _: Begun) {}

    fn never_completed(&mut self, _: Order, begun: Begun) {
        self.0(&begun.suspect);
    }

    fn never_posted(&mut self, Ended(suspect): Ended) {
        self.0(&suspect);
    }
}

/// Joins the ends that locations sent, and hands over the defects.
///
/// # Errors
///
/// When a block cannot be read.
pub fn confirm<S: Source>(source: S, defect: impl FnMut(&Suspect)) -> Result<(), S::Error> {
    adopt(source, &mut Alone(defect))
}
