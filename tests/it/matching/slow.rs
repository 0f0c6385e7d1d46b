//! Matching in the simplest way: everything is held, and looked for from the begin.

use std::collections::BTreeMap;

use crate::matching::made::{BETWEEN, EVEN, OWN, WORLD};

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
    /// Collective operations that were never completed, cancelled, and never begun.
    pub operations: [u64; 3],
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

/// Where something happened: the location, and its place there.
type Place = (u64, usize);

/// What an event is to the request whose number it has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Posts(What),
    Ends(What),
    Cancels,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Send,
    Receive,
    Operation,
}

/// The number of the request and the role of an event: among messages, or among collective operations.
fn role(happening: Happening, operations: bool) -> Option<(u64, Role)> {
    let role = match happening {
        Happening::Isend { request, .. } => (request, Role::Posts(What::Send)),
        Happening::IsendComplete { request } => (request, Role::Ends(What::Send)),
        Happening::IrecvRequest { request } => (request, Role::Posts(What::Receive)),
        Happening::Irecv { request, .. } => (request, Role::Ends(What::Receive)),
        Happening::Request { request } => (request, Role::Posts(What::Operation)),
        Happening::Complete { request, .. } => (request, Role::Ends(What::Operation)),
        Happening::Cancelled { request } => return Some((request, Role::Cancels)),
        _ => return None,
    };
    let is_operation = matches!(role.1, Role::Posts(What::Operation) | Role::Ends(What::Operation));
    (is_operation == operations).then_some(role)
}

/// What became of the requests of a process: what each end has ended, and those that were cancelled.
#[derive(Debug, Default)]
struct Followed {
    posted: BTreeMap<Place, Place>,
    cancelled: Vec<Place>,
}

impl Followed {
    /// An event ends what another one has posted, if it can.
    fn ends(&mut self, (post, what): (Place, Role), (end, role): (Place, Role)) {
        if !ends(what, role) {
            return;
        }
        match role {
            Role::Cancels => self.cancelled.push(post),
            _ => {
                self.posted.insert(end, post);
            }
        }
    }
}

/// The requests of a location alone: what it has posted and ended itself, and all else by number.
type Own = (Vec<(usize, usize)>, Vec<(u64, usize)>);

fn own((_, events): &Stream, operations: bool) -> Own {
    let (mut pairs, mut rest) = (Vec::new(), Vec::new());
    let mut of: BTreeMap<u64, Vec<(usize, Role)>> = BTreeMap::new();
    for (i, (_, happening)) in events.iter().enumerate() {
        if let Some((request, role)) = role(*happening, operations) {
            of.entry(request).or_default().push((i, role));
        }
    }
    for (request, history) in of {
        let mut history = history.into_iter().peekable();
        while let Some((at, role)) = history.next() {
            match history.next_if(|(_, next)| ends(role, *next)) {
                Some((end, _)) => pairs.push((at, end)),
                None => rest.push((request, at)),
            }
        }
    }
    (pairs, rest)
}

/// Whether an event can end what another one has posted.
fn ends(post: Role, end: Role) -> bool {
    match (post, end) {
        (Role::Posts(what), Role::Ends(kind)) => what == kind,
        (Role::Posts(_), Role::Cancels) => true,
        _ => false,
    }
}

/// Follows the requests of a process: those that one location has posted and ended first, then all else
/// in the order of time; in one tick what was posted is ended first, then something else is posted. What cancels something of its own location, be it a message or an operation, does
/// nothing to another one's.
fn follow(streams: &[&Stream], operations: bool) -> Followed {
    let mut followed = Followed::default();
    let mut rest: BTreeMap<u64, Vec<(Order, Place, Role)>> = BTreeMap::new();
    for stream in streams {
        let (location, events) = stream;
        let role = |at: usize| role(events[at].1, operations).expect("has a request").1;
        let (pairs, alone) = own(stream, operations);
        for (at, end) in pairs {
            followed.ends(((*location, at), role(at)), ((*location, end), role(end)));
        }
        let (of_others, _) = own(stream, !operations);
        let is_over = |at: usize| of_others.iter().any(|(_, end)| *end == at);
        for (request, at) in alone.into_iter().filter(|(_, at)| !is_over(*at)) {
            let place = (*location, at);
            rest.entry(request).or_default().push((order(stream, at), place, role(at)));
        }
    }
    for mut history in rest.into_values() {
        history.sort_by_key(|(order, ..)| *order);
        let mut open: Option<(Place, Role)> = None;
        while let Some(((now, ..), ..)) = history.first().copied() {
            // What locations do in one tick has no order, but that of each.
            let is_next = |i: &usize| {
                let ((time, location, _), ..) = history[*i];
                let before = history[..*i].iter().any(|((_, other, _), ..)| *other == location);
                time == now && !before
            };
            let heads: Vec<usize> = (0..history.len()).filter(is_next).collect();
            let ended = |i: &&usize| {
                let (at, end, role) = history[**i];
                let over = |post| match given_again(streams, post, operations) {
                    Some(again) => again.0 < now || (post.0 == end.0 && again <= at),
                    None => false,
                };
                open.is_some_and(|(post, what)| ends(what, role) && !over(post))
            };
            let posts = |i: &&usize| matches!(history[**i].2, Role::Posts(_));
            let next = heads.iter().find(ended).or_else(|| heads.iter().find(posts));
            let next = *next.unwrap_or(&heads[0]);
            let is_end = ended(&&next);
            let (_, place, role) = history.remove(next);
            match role {
                Role::Posts(_) => open = Some((place, role)),
                _ if is_end => followed.ends(open.take().expect("something"), (place, role)),
                Role::Ends(_) => open = None,
                Role::Cancels => {}
            }
        }
    }
    followed
}

/// Where the location of a post gave its number again, if it did.
fn given_again(streams: &[&Stream], post: Place, operations: bool) -> Option<Order> {
    let stream = streams.iter().find(|(location, _)| *location == post.0).expect("a stream");
    let number = |i: usize| role(stream.1[i].1, operations).map(|(number, _)| number);
    let posts = |i: usize| {
        let role = role(stream.1[i].1, operations).map(|(_, role)| role);
        matches!(role, Some(Role::Posts(_)))
    };
    let mut after = post.1 + 1..stream.1.len();
    let again = after.find(|&i| number(i) == number(post.1) && posts(i))?;
    Some(order(stream, again))
}

/// Where an event stands among those of its process: the latest time that its location knew by then, as far
/// as it has to do with messages and operations; the location; the number of the event.
type Order = (u64, u64, u64);

fn order((location, events): &Stream, i: usize) -> Order {
    let counts = |h: &Happening| !matches!(h, Happening::Enter { .. } | Happening::Leave { .. });
    let known = events[..=i].iter().filter(|(_, happening)| counts(happening));
    (known.map(|(time, _)| *time).max().unwrap_or(0), *location, i as u64 + 1)
}

/// The locations of a process.
fn of_process(streams: &[Stream], process: u64) -> Vec<&Stream> {
    streams.iter().filter(|(location, _)| location / 10 == process).collect()
}

/// All ends of messages of a process.
fn all_ends(streams: &[&Stream], processes: u64, slow: &mut Slow) -> Vec<End> {
    let followed = follow(streams, false);
    let mut ends = Vec::new();
    for stream in streams {
        let (location, events) = stream;
        let own = location / 10;
        for (i, &(time, happening)) in events.iter().enumerate() {
            let here = (*location, i);
            let mut end = |is_send: bool, at: Place, comm, rank, tag, bytes| {
                let other = partner(comm, own, rank, processes);
                let key = other.map(|other| match is_send {
                    true => (comm, own, other, tag),
                    false => (comm, other, own, tag),
                });
                let of = streams.iter().find(|(location, _)| *location == at.0).expect("a stream");
                let (place, location, number) = (order(of, at.1), *location, i as u64 + 1);
                let path = path(&events[..i]);
                ends.push(End { is_send, place, key, comm, time, bytes, location, number, path });
            };
            match happening {
                Happening::Send { comm, to, tag, bytes } => end(true, here, comm, to, tag, bytes),
                Happening::Isend { comm, to, tag, bytes, .. } => {
                    let cancelled = followed.cancelled.contains(&here);
                    slow.requests[0] += u64::from(cancelled);
                    if !cancelled {
                        end(true, here, comm, to, tag, bytes);
                    }
                }
                Happening::Recv { comm, from, tag, bytes } => {
                    end(false, here, comm, from, tag, bytes);
                }
                Happening::Irecv { comm, from, tag, bytes, .. } => {
                    let posted = followed.posted.get(&here).copied();
                    slow.requests[3] += u64::from(posted.is_none());
                    end(false, posted.unwrap_or(here), comm, from, tag, bytes);
                }
                Happening::IrecvRequest { .. } => {
                    let cancelled = followed.cancelled.contains(&here);
                    slow.requests[1] += u64::from(cancelled);
                    let ended = followed.posted.values().any(|posted| *posted == here);
                    slow.requests[2] += u64::from(!cancelled && !ended);
                }
                _ => {}
            }
        }
    }
    ends
}

/// Matches all messages.
pub fn messages(streams: &[Stream], processes: u64, slow: &mut Slow) {
    let mut ends: Vec<End> = Vec::new();
    for process in 0..processes {
        ends.extend(all_ends(&of_process(streams, process), processes, slow));
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
            matched.3 + u64::from(other.bytes > 0 && end.bytes != other.bytes),
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

/// A part of a collective operation: place of its start, process, communicator, operation, root, whether it blocks.
type Part = ((u64, u64, u64), u64, u32, u8, u32, bool);

fn parts(streams: &[&Stream], slow: &mut Slow) -> Vec<Part> {
    let followed = follow(streams, true);
    let mut all = Vec::new();
    for stream in streams {
        let (location, events) = stream;
        for (i, (_, happening)) in events.iter().enumerate() {
            let here = (*location, i);
            let blocks = |h: &Happening| matches!(h, Happening::Begin | Happening::End { .. });
            match *happening {
                Happening::Begin => {
                    let next = events[i + 1..].iter().find(|(_, h)| blocks(h));
                    let ended = next.is_some_and(|(_, h)| *h != Happening::Begin);
                    slow.operations[0] += u64::from(!ended);
                }
                Happening::End { comm, op, root } => {
                    let before = (0..i).rev().find(|&j| blocks(&events[j].1));
                    let begun = before.filter(|&j| events[j].1 == Happening::Begin);
                    slow.operations[2] += u64::from(begun.is_none());
                    let at = order(stream, begun.unwrap_or(i));
                    all.push((at, location / 10, comm, op, root, true));
                }
                Happening::Request { .. } => {
                    let cancelled = followed.cancelled.contains(&here);
                    let ended = followed.posted.values().any(|posted| *posted == here);
                    slow.operations[0] += u64::from(!cancelled && !ended);
                    slow.operations[1] += u64::from(cancelled);
                }
                Happening::Complete { comm, op, root, .. } => {
                    let posted = followed.posted.get(&here).copied();
                    slow.operations[2] += u64::from(posted.is_none());
                    let at = posted.unwrap_or(here);
                    let of = streams.iter().find(|(location, _)| *location == at.0);
                    let at = order(of.expect("a stream"), at.1);
                    all.push((at, location / 10, comm, op, root, false));
                }
                _ => {}
            }
        }
    }
    all
}

/// Compares the roots that members tell, if they tell one. Between two groups one says that it is, and others its rank.
fn same_root(parts: &[Part], processes: u64) -> bool {
    const SELF: u32 = u32::MAX - 1;
    if parts[0].2 != BETWEEN {
        let mut ranks = parts.iter().map(|part| part.4).filter(|root| *root < u32::MAX - 2);
        let first = ranks.next();
        return ranks.all(|root| Some(root) == first);
    }
    let own: Vec<u64> = parts.iter().filter(|part| part.4 == SELF).map(|part| part.1).collect();
    let ranks: Vec<&Part> = parts.iter().filter(|part| part.4 < u32::MAX - 2).collect();
    let is_root =
        |part: &&Part| partner(BETWEEN, part.1, part.4, processes) == own.first().copied();
    own.len() <= 1
        && ranks.iter().all(|part| part.4 == ranks[0].4)
        && (own.is_empty() || ranks.iter().all(is_root))
}

/// Puts the members of collective operations together.
pub fn collectives(streams: &[Stream], processes: u64, slow: &mut Slow) {
    let mut all: Vec<Part> = Vec::new();
    for process in 0..processes {
        all.extend(parts(&of_process(streams, process), slow));
    }
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
                let same = |part: &Part| (part.3, part.5) == (first.3, first.5);
                let agree = operation.iter().all(same) && same_root(&operation, processes);
                let complete = operation.len() as u64 == size(comm, processes);
                let counts = slow.collectives.entry((comm, first.3)).or_default();
                counts[if !agree { 2 } else { usize::from(!complete) }] += 1;
            }
        }
    }
}
