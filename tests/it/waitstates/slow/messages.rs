//! Late senders, wrong order, late receivers; and operations that are waited for like messages.

use std::collections::BTreeMap;

use streamfold::model::events::Event;

use super::{collectives, comms, minus, Call, Cause, Found, Place};
use crate::waitstates::trace::Trace;

const SINGLE: [&str; 2] = ["mpi_wait", "mpi_waitany"];
const MULTI: [&str; 2] = ["mpi_waitall", "mpi_waitsome"];
pub const TESTS: [&str; 5] =
    ["mpi_test", "mpi_testany", "mpi_testall", "mpi_testsome", "mpi_request_get_status"];
/// Calls in which no sender waits for the receiver.
const NEVER: [&str; 6] = [
    "mpi_bsend",
    "mpi_rsend",
    "mpi_sendrecv",
    "mpi_sendrecv_replace",
    "mpi_request_free",
    "mpi_ibsend",
];

/// A message; places are those of the events.
#[derive(Clone, Debug)]
struct Message {
    posted_send: Place,
    completed_send: Option<Place>,
    posted_receive: Option<Place>,
    completed_receive: Place,
    sender: u64,
}

/// Communicator, sender, receiver, tag.
type Key = (u32, u64, u64, u32);

/// What posting order goes by: time, location, number of the event.
type Order = (u64, u64, usize);

pub fn order(trace: &Trace, (location, event): Place) -> Order {
    let before = trace.streams[&location][..=event].iter();
    let counts = before.filter(|(_, event)| !matches!(event, Event::MpiRequestTest(_)));
    let latest = counts.map(|(time, _)| *time).max();
    // A test that is the first event of its location has no time that counts, and is no end of anything.
    (latest.unwrap_or(0), location, event)
}

/// The request that an event has, and whether it is of a collective operation; of a cancelled one either.
fn request(event: &Event, operation: bool) -> Option<u64> {
    match event {
        Event::NonBlockingCollectiveRequest(it) if operation => Some(it.request_id),
        Event::NonBlockingCollectiveComplete(it) if operation => Some(it.request_id),
        Event::MpiRequestCancelled(it) => Some(it.request_id),
        _ if operation => None,
        Event::MpiIsend(it) => Some(it.request_id),
        Event::MpiIsendComplete(it) => Some(it.request_id),
        Event::MpiIrecvRequest(it) => Some(it.request_id),
        Event::MpiIrecv(it) => Some(it.request_id),
        _ => None,
    }
}

/// The post that an event completes or cancels: the last event of its request before it, on its own
/// location or, where there is none that is open, on another one of the process.
pub fn post_of(trace: &Trace, place: Place) -> Option<Place> {
    let ends = &trace.streams[&place.0][place.1].1;
    let operation = matches!(ends, Event::NonBlockingCollectiveComplete(_));
    let wanted = request(ends, operation);
    let last = |location: u64| {
        let events = trace.streams[&location].iter().enumerate().rev();
        let mut before =
            events.filter(|(number, _)| order(trace, (location, *number)) < order(trace, place));
        let same = |event: &Event| request(event, operation) == wanted;
        let (number, (_, event)) = before.find(|(_, (_, event))| same(event))?;
        let is_post = matches!(
            event,
            Event::MpiIsend(_) | Event::MpiIrecvRequest(_) | Event::NonBlockingCollectiveRequest(_)
        );
        is_post.then_some((location, number))
    };
    let process = place.0 / 10;
    let others = trace.streams.keys().filter(|l| **l / 10 == process && **l != place.0);
    last(place.0).or_else(|| others.copied().find_map(last))
}

fn messages(trace: &Trace) -> Vec<Message> {
    let mut sends: Vec<(Key, Place)> = Vec::new();
    let mut receives: Vec<(Key, Order, Option<Place>, Place)> = Vec::new();
    let mut completed: BTreeMap<Place, Place> = BTreeMap::new();
    let mut cancelled: Vec<Place> = Vec::new();
    for (location, events) in &trace.streams {
        let own = location / 10;
        for (number, (_, event)) in events.iter().enumerate() {
            let place = (*location, number);
            let other = |comm, rank| comms::of_rank(comm, own, rank, trace.processes());
            match event {
                Event::MpiSend(it) => {
                    if let Some(to) = other(it.communicator.0, it.receiver) {
                        sends.push(((it.communicator.0, own, to, it.msg_tag), place));
                        completed.insert(place, place);
                    }
                }
                Event::MpiIsend(it) => {
                    if let Some(to) = other(it.communicator.0, it.receiver) {
                        sends.push(((it.communicator.0, own, to, it.msg_tag), place));
                    }
                }
                Event::MpiIsendComplete(_) => {
                    completed.extend(post_of(trace, place).map(|posted| (posted, place)));
                }
                Event::MpiRequestCancelled(_) => cancelled.extend(post_of(trace, place)),
                Event::MpiRecv(it) => {
                    if let Some(from) = other(it.communicator.0, it.sender) {
                        let key = (it.communicator.0, from, own, it.msg_tag);
                        receives.push((key, order(trace, place), Some(place), place));
                    }
                }
                Event::MpiIrecv(it) => {
                    if let Some(from) = other(it.communicator.0, it.sender) {
                        let key = (it.communicator.0, from, own, it.msg_tag);
                        let posted = post_of(trace, place);
                        let at = order(trace, posted.unwrap_or(place));
                        receives.push((key, at, posted, place));
                    }
                }
                _ => {}
            }
        }
    }
    sends.retain(|(_, place)| !cancelled.contains(place));
    sends.sort_by_key(|(_, place)| order(trace, *place));
    receives.sort_by_key(|(_, at, _, _)| *at);
    let mut all = Vec::new();
    for (number, (key, posted_send)) in sends.iter().enumerate() {
        let nth = sends[..number].iter().filter(|(other, _)| other == key).count();
        let Some(receive) = receives.iter().filter(|(other, ..)| other == key).nth(nth) else {
            continue;
        };
        all.push(Message {
            posted_send: *posted_send,
            completed_send: completed.get(posted_send).copied(),
            posted_receive: receive.2,
            completed_receive: receive.3,
            sender: key.1,
        });
    }
    all
}

/// Something that may be the wait state of a call: number of the record, metric, ticks, and the message.
struct Candidate<'a> {
    record: usize,
    metric: &'static str,
    ticks: i128,
    message: Option<&'a Message>,
    cause: Cause,
}

const LATE_SENDER: &str = "mpi_latesender";
const LATE_RECEIVER: &str = "mpi_latereceiver";

pub fn find(found: &mut Found<'_>) {
    let trace = found.trace;
    let messages = messages(trace);
    let at = |place: Place| (trace.streams[&place.0][place.1].0, place.0 / 10);
    for message in &messages {
        found.check("p2p", at(message.posted_send), at(message.completed_receive));
    }
    let mut calls: BTreeMap<Call, Vec<Candidate>> = BTreeMap::new();
    for message in &messages {
        let late = [(late_sender(found, message), message.completed_receive, LATE_SENDER)];
        let receiver = message
            .completed_send
            .map(|place| (late_receiver(found, message, place), place, LATE_RECEIVER));
        for (ticks, place, metric) in late.into_iter().chain(receiver) {
            let Some(call) = found.visits.mpi(place) else { continue };
            let other = match metric {
                LATE_SENDER => Some(message.posted_send),
                _ => message.posted_receive,
            };
            let entered = |other| Some((other, found.visits.enter(found.visits.mpi(other)?)));
            let cause = other.and_then(entered).map(|((location, _), time)| (location, time));
            let message = Some(message);
            let candidate = Candidate { record: place.1, metric, ticks, message, cause };
            calls.entry(call).or_default().push(candidate);
        }
    }
    for (place, metric, ticks, cause) in collectives::non_blocking(found) {
        let Some(call) = found.visits.mpi(place) else { continue };
        let candidate = Candidate { record: place.1, metric, ticks, message: None, cause };
        calls.entry(call).or_default().push(candidate);
    }
    for (call, candidates) in calls {
        choose(found, &messages, call, candidates);
    }
}

/// How long the receiver waits for the sender's call.
fn late_sender(found: &Found<'_>, message: &Message) -> i128 {
    let visits = &found.visits;
    let Some(waits) = visits.mpi(message.completed_receive) else { return 0 };
    let Some(sends) = visits.mpi(message.posted_send) else { return 0 };
    let Some(leave) = visits.leave(waits) else { return 0 };
    if visits.visit(waits).is(&TESTS) {
        return 0;
    }
    minus(visits.enter(sends).min(leave), visits.enter(waits))
}

/// How long the sender waits for the call that posts the receive.
fn late_receiver(found: &Found<'_>, message: &Message, completed: Place) -> i128 {
    let visits = &found.visits;
    let Some(waits) = visits.mpi(completed) else { return 0 };
    let Some(posts) = message.posted_receive.and_then(|place| visits.mpi(place)) else { return 0 };
    let Some(leave) = visits.leave(waits) else { return 0 };
    let call = visits.visit(waits);
    if call.is(&TESTS) || call.is(&NEVER) || leave <= visits.enter(posts) {
        return 0;
    }
    minus(visits.enter(posts), visits.enter(waits))
}

/// Of all that a call could have waited for, the largest counts: the first of those, and no late receiver
/// where a sender is late. None is longer than the call's own time.
fn choose(found: &mut Found<'_>, all: &[Message], call: Call, mut candidates: Vec<Candidate>) {
    let own = found.own(call);
    candidates.iter_mut().for_each(|candidate| candidate.ticks = candidate.ticks.min(own));
    candidates.retain(|candidate| candidate.ticks > 0);
    candidates.sort_by_key(|candidate| candidate.record);
    if candidates.iter().any(|candidate| candidate.metric == LATE_SENDER) {
        candidates.retain(|candidate| candidate.metric != LATE_RECEIVER);
    }
    let Some(largest) = candidates.iter().map(|candidate| candidate.ticks).max() else { return };
    let first = candidates.iter().find(|candidate| candidate.ticks == largest);
    let chosen = first.expect("there is a largest");
    let message = chosen.message.filter(|_| chosen.metric == LATE_SENDER);
    let wrong = message.and_then(|message| wrong_order(found, all, call, message));
    let parts = wrong.into_iter().flat_map(|same| {
        let variant = if same { "mpi_lswo_same" } else { "mpi_lswo_different" };
        [("mpi_latesender_wo", chosen.ticks), (variant, chosen.ticks)]
    });
    let enter = found.visits.enter(call);
    let (ticks, cause) = (chosen.ticks, chosen.cause);
    found.charge_with(chosen.metric, call, enter, ticks, parts.collect(), cause);
}

/// Whether a message that was received later was sent earlier, and then whether by the same sender.
fn wrong_order(found: &Found<'_>, all: &[Message], call: Call, message: &Message) -> Option<bool> {
    let sent = |message: &Message| {
        let (location, event) = message.posted_send;
        found.trace.streams[&location][event].0
    };
    let location = message.completed_receive.0;
    let leave = found.visits.visit(call).leave.expect("it waited until then").1;
    let several = !found.visits.visit(call).is(&SINGLE)
        && (found.visits.visit(call).is(&MULTI) || completions(found, call) > 1);
    let after = if several { leave } else { message.completed_receive.1 };
    let mut later: Vec<_> = all
        .iter()
        .filter(|other| other.completed_receive.0 == location && other.completed_receive.1 > after)
        .collect();
    later.sort_by_key(|other| other.completed_receive.1);
    let witness = later.into_iter().find(|other| sent(other) < sent(message))?;
    Some(witness.sender == message.sender)
}

/// How many requests complete in a call.
fn completions(found: &Found<'_>, (location, visit): Call) -> usize {
    let events = found.trace.streams[&location].iter().enumerate();
    let inside = events
        .filter(|(number, _)| found.visits.mpi((location, *number)) == Some((location, visit)));
    let completes = |event: &Event| {
        matches!(
            event,
            Event::MpiIrecv(_)
                | Event::MpiIsendComplete(_)
                | Event::NonBlockingCollectiveComplete(_)
        )
    };
    inside.filter(|(_, (_, event))| completes(event)).count()
}
