//! Matching in the simplest way: everything is held, and looked for from the begin.

use std::collections::BTreeMap;

use crate::made::{BETWEEN, EVEN, OWN, WORLD};

/// What happened on a location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    Send { comm: u32, to: u32, tag: u32, bytes: u64 },
    Isend { comm: u32, to: u32, tag: u32, bytes: u64, request: u64 },
    IsendComplete { request: u64 },
    Recv { comm: u32, from: u32, tag: u32, bytes: u64 },
    IrecvRequest { request: u64 },
    Irecv { comm: u32, from: u32, tag: u32, bytes: u64, request: u64 },
    Cancelled { request: u64 },
    Begin,
    End { comm: u32, op: u8, root: u32 },
    Request { request: u64 },
    Complete { comm: u32, op: u8, root: u32, request: u64 },
    Enter { region: u32 },
    Leave { region: u32 },
}

/// A location, and what happened there: when, and what.
pub type Stream = (u64, Vec<(u64, Happening)>);

/// One end of a message: its place is time, location, and number of the event that posted it.
#[derive(Clone, Debug)]
struct End {
    is_send: bool,
    place: (u64, u64, u64),
    key: Option<(u32, u64, u64, u32)>,
    comm: u32,
    time: u64,
    bytes: u64,
    location: u64,
    number: u64,
    path: Vec<u32>,
}

/// A matched message: time, location, number of the event, and bytes of both ends; when the receive was
/// posted; communicator and tag; and the regions that are open at both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub send: [u64; 4],
    pub receive: [u64; 4],
    pub posted: u64,
    pub comm: u32,
    pub tag: u32,
    pub paths: [Vec<u32>; 2],
}

/// Messages of a communicator: recorded sends and receives, their bytes, those of undefined ranks, matched
/// ones, their bytes, their time, those of unequal lengths, late ones, and the ends that are alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    pub recorded: [(u64, u128, u64); 2],
    pub matched: (u64, u128, i128, u64, u64),
    pub alone: [u64; 2],
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slow {
    pub comms: BTreeMap<u32, Sums>,
    pub pairs: BTreeMap<(u64, u64), (u64, u128)>,
    /// Cancelled sends, cancelled receives, open receives, unposted receives.
    pub requests: [u64; 4],
    /// By communicator and the operation of the first member: complete, incomplete, disagreeing.
    pub collectives: BTreeMap<(u32, u8), [u64; 3]>,
    /// All matched messages, in the order in which they were sent.
    pub list: Vec<Listed>,
}

/// The regions that are open where an event is, the outermost first.
fn path(events: &[(u64, Happening)]) -> Vec<u32> {
    let mut open = Vec::new();
    for (_, happening) in events {
        match *happening {
            Happening::Enter { region } => open.push(region),
            Happening::Leave { region } => {
                // Of a region that is not open it is passed over.
                if let Some(place) = open.iter().rposition(|other| *other == region) {
                    open.truncate(place);
                }
            }
            _ => {}
        }
    }
    open
}

/// The process that a rank is, as seen from one.
fn partner(comm: u32, own: u64, rank: u32, processes: u64) -> Option<u64> {
    let of = |parity: u64| (0..processes).filter(|p| p % 2 == parity).nth(rank as usize);
    match comm {
        WORLD => Some(u64::from(rank)).filter(|rank| *rank < processes),
        OWN => Some(own),
        EVEN => of(0),
        BETWEEN => of(1 - own % 2),
        _ => None,
    }
}

fn size(comm: u32, processes: u64) -> u64 {
    match comm {
        WORLD | BETWEEN => processes,
        OWN => 1,
        _ => processes.div_ceil(2),
    }
}

/// What is looked for in a request's history, from its event back or forth.
fn all_ends((location, events): &Stream, processes: u64, slow: &mut Slow) -> Vec<End> {
    let own = location / 10;
    let latest = |i: usize| events[..=i].iter().map(|(time, _)| *time).max().unwrap();
    let place = |i: usize| (latest(i), *location, i as u64 + 1);
    // What the last event before this one that has the request is.
    let before = |i: usize, request: u64| {
        (0..i).rev().find(|&j| match events[j].1 {
            Happening::Isend { request: r, .. }
            | Happening::IsendComplete { request: r }
            | Happening::IrecvRequest { request: r }
            | Happening::Irecv { request: r, .. }
            | Happening::Cancelled { request: r } => r == request,
            _ => false,
        })
    };
    let mut ends = Vec::new();
    let mut cancelled = Vec::new();
    let mut used = Vec::new();
    for (i, &(time, happening)) in events.iter().enumerate() {
        let mut end = |is_send: bool, at: usize, comm, rank, tag, bytes| {
            let other = partner(comm, own, rank, processes);
            let key = other.map(|other| match is_send {
                true => (comm, own, other, tag),
                false => (comm, other, own, tag),
            });
            let (place, location, number) = (place(at), *location, i as u64 + 1);
            let path = path(&events[..i]);
            let end = End { is_send, place, key, comm, time, bytes, location, number, path };
            ends.push((i, end));
        };
        match happening {
            Happening::Send { comm, to, tag, bytes } => end(true, i, comm, to, tag, bytes),
            Happening::Isend { comm, to, tag, bytes, .. } => end(true, i, comm, to, tag, bytes),
            Happening::Recv { comm, from, tag, bytes } => end(false, i, comm, from, tag, bytes),
            Happening::Irecv { comm, from, tag, bytes, request } => {
                let posted = before(i, request)
                    .filter(|&j| matches!(events[j].1, Happening::IrecvRequest { .. }));
                used.extend(posted);
                slow.requests[3] += u64::from(posted.is_none());
                end(false, posted.unwrap_or(i), comm, from, tag, bytes);
            }
            Happening::Cancelled { request } => {
                match before(i, request).map(|j| (j, events[j].1)) {
                    Some((j, Happening::Isend { .. })) => {
                        cancelled.push(j);
                        slow.requests[0] += 1;
                    }
                    Some((j, Happening::IrecvRequest { .. })) => {
                        used.push(j);
                        slow.requests[1] += 1;
                    }
                    _ => {}
                }
            }
            // Whatever it was is over.
            Happening::IsendComplete { request } => {
                let posted = before(i, request)
                    .filter(|&j| matches!(events[j].1, Happening::IrecvRequest { .. }));
                // A request to receive that completes as a send: nobody knows what became of it.
                used.extend(posted);
            }
            _ => {}
        }
    }
    let requests =
        events.iter().filter(|(_, h)| matches!(h, Happening::IrecvRequest { .. })).count();
    slow.requests[2] += (requests - used.len()) as u64;
    ends.into_iter().filter(|(i, _)| !cancelled.contains(i)).map(|(_, end)| end).collect()
}

/// Matches all messages.
pub fn messages(streams: &[Stream], processes: u64, slow: &mut Slow) {
    let mut ends: Vec<End> = Vec::new();
    for stream in streams {
        ends.extend(all_ends(stream, processes, slow));
    }
    ends.sort_by_key(|end| end.place);
    for end in &ends {
        let comm = if end.comm > BETWEEN { u32::MAX } else { end.comm };
        let sums = slow.comms.entry(comm).or_default();
        let side = usize::from(!end.is_send);
        let recorded = &mut sums.recorded[side];
        *recorded = (
            recorded.0 + 1,
            recorded.1 + u128::from(end.bytes),
            recorded.2 + u64::from(end.key.is_none()),
        );
        if end.key.is_none() {
            continue;
        }
        let same = |is_send: bool| {
            let same = move |other: &&End| other.key == end.key && other.is_send == is_send;
            ends.iter().filter(same)
        };
        let number = same(end.is_send).position(|other| std::ptr::eq(other, end)).unwrap();
        let Some(other) = same(!end.is_send).nth(number) else {
            sums.alone[side] += 1;
            continue;
        };
        if !end.is_send {
            continue;
        }
        let matched = &mut sums.matched;
        *matched = (
            matched.0 + 1,
            matched.1 + u128::from(end.bytes),
            matched.2 + i128::from(other.time) - i128::from(end.time),
            matched.3 + u64::from(end.bytes != other.bytes),
            matched.4 + u64::from(other.time < end.time),
        );
        let pair = slow.pairs.entry((end.location, other.location)).or_default();
        *pair = (pair.0 + 1, pair.1 + u128::from(end.bytes));
        let of = |end: &End| [end.time, end.location, end.number, end.bytes];
        slow.list.push(Listed {
            send: of(end),
            receive: of(other),
            posted: other.place.0,
            comm: end.comm,
            tag: end.key.map_or(0, |key| key.3),
            paths: [end.path.clone(), other.path.clone()],
        });
    }
    slow.list.sort_by_key(|listed| listed.send);
}

/// A part of a collective operation: place of its start, process, communicator, operation, root.
type Part = ((u64, u64, u64), u64, u32, u8, u32);

fn parts((location, events): &Stream) -> Vec<Part> {
    let latest = |i: usize| events[..=i].iter().map(|(time, _)| *time).max().unwrap();
    let place = |i: usize| (latest(i), *location, i as u64 + 1);
    let mut all = Vec::new();
    for (i, (_, happening)) in events.iter().enumerate() {
        match *happening {
            Happening::End { comm, op, root } => {
                let before = (0..i)
                    .rev()
                    .find(|&j| matches!(events[j].1, Happening::Begin | Happening::End { .. }));
                let begun = before.filter(|&j| events[j].1 == Happening::Begin);
                all.push((place(begun.unwrap_or(i)), location / 10, comm, op, root));
            }
            Happening::Complete { comm, op, root, request } => {
                let before = (0..i).rev().find(|&j| match events[j].1 {
                    Happening::Request { request: r }
                    | Happening::Complete { request: r, .. }
                    | Happening::Cancelled { request: r } => r == request,
                    _ => false,
                });
                let asked = before.filter(|&j| matches!(events[j].1, Happening::Request { .. }));
                all.push((place(asked.unwrap_or(i)), location / 10, comm, op, root));
            }
            _ => {}
        }
    }
    all
}

/// Puts the members of collective operations together.
pub fn collectives(streams: &[Stream], processes: u64, slow: &mut Slow) {
    let mut all: Vec<Part> = streams.iter().flat_map(parts).collect();
    all.sort();
    for comm in [WORLD, OWN, EVEN, BETWEEN] {
        let of = |process: u64| {
            let of = all.iter().filter(move |part| part.1 == process && part.2 == comm);
            of.collect::<Vec<_>>()
        };
        let queues: Vec<Vec<&Part>> = (0..processes).map(of).collect();
        let longest = queues.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..longest {
            // Members in the order of their first locations.
            let mut members: Vec<&Part> =
                queues.iter().filter_map(|queue| queue.get(number).copied()).collect();
            members.sort_by_key(|part| part.0 .1);
            let apart = |members: &[&Part]| -> Vec<Vec<Part>> {
                match comm {
                    OWN => members.iter().map(|part| vec![**part]).collect(),
                    _ => vec![members.iter().map(|part| **part).collect()],
                }
            };
            for operation in apart(&members) {
                let first = operation[0];
                let agree = operation
                    .iter()
                    .all(|part| part.3 == first.3 && (comm == BETWEEN || part.4 == first.4));
                let complete = operation.len() as u64 == size(comm, processes);
                let counts = slow.collectives.entry((comm, first.3)).or_default();
                counts[if !agree { 2 } else { usize::from(!complete) }] += 1;
            }
        }
    }
}
