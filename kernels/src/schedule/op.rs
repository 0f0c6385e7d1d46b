//! Items of a schedule: ends of dependencies, by what belongs together; operations, by location.

use std::cmp::Ordering;

use streamfold_model::ids::LocationRef;

use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Key, Order};
use crate::replay::{Link, Point, What, SCENARIOS};

/// A point of a dependency, among those of the event that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tie(pub Point);

impl Tie {
    /// The dependency; `None`: the point has none.
    pub(super) fn link(&self) -> Option<Link> {
        match self.0.what {
            What::Step { .. } => None,
            What::Gives { link, .. }
            | What::Takes { link, .. }
            | What::Posts { link }
            | What::Completes { link } => Some(link),
        }
    }

    /// The key of all dependencies that events of one location stand for.
    pub(super) fn key(link: &Link) -> Key {
        let location = link.id.location.0;
        Key([(location >> 32) as u32, location as u32, 0, 0])
    }
}

impl Item for Tie {
    fn order(&self) -> Order {
        let time = self.link().map_or(0, |link| link.id.number);
        Order { time, location: self.0.location, number: self.0.number }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        self.0.put(before.map(|tie| &tie.0), bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        Point::take(before.map(|tie| &tie.0), location, bytes).map(Tie)
    }
}

/// Kinds of operations that belong to dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A send.
    Send,
    /// A receive.
    Receive,
    /// A mark that takes no time.
    Mark,
}

/// The name of an operation: each rank of this job has numbers of its own, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub from: u32,
    pub number: u64,
    pub kind: Kind,
}

/// The work of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Does {
    /// Computes so many nanoseconds.
    Computes(u64),
    /// Sends to a rank so many bytes.
    Sends(u32, u64),
    /// Receives from a rank so many bytes.
    Receives(u32, u64),
}

/// Until when an operation holds up what its thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    /// Not at all.
    Nothing,
    /// To its start.
    Start,
    /// To its end.
    End,
    /// To its end, without regard to what the thread did before.
    Besides,
}

/// An operation, or what a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Act {
    /// An operation. `place`: of several at one event, first by the first number of their dependency.
    Does {
        place: (u64, u32),
        name: Name,
        does: Does,
        /// Set if it comes after what the thread did before.
        after: bool,
        /// It comes after this one, which stands before it in its thread.
        needs: Option<Name>,
        holds: Holds,
    },
    /// The thread waits for an operation that stands before it in its thread.
    Waits(Name),
    /// A mark of a rank on a processor, behind its threads.
    Meets(Name, u32),
    /// An operation comes after one in another thread, or elsewhere in its own.
    Requires { later: Name, earlier: Name },
}

/// An item of a location, or behind all threads of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// A point that changes the own time of the thread.
    Point(Point),
    /// An act at the place of a point.
    Act(Order, Act),
}

impl Op {
    /// A total order of those in one place, whatever ranks made them. `first`: the first number of a rank.
    pub(super) fn compare(&self, other: &Op, first: impl Fn(u32) -> u64) -> Ordering {
        let name = |name: &Name| (first(name.from).saturating_add(name.number), name.kind);
        match (self, other) {
            (Op::Point(_), Op::Point(_)) => Ordering::Equal,
            (Op::Point(_), _) => Ordering::Less,
            (_, Op::Point(_)) => Ordering::Greater,
            (Op::Act(_, one), Op::Act(_, other)) => {
                let place = |act: &Act| match act {
                    Act::Does { place: (of, at), name: it, .. } => {
                        (0, (first(it.from).saturating_add(*of), *at), name(it), None)
                    }
                    Act::Waits(of) => (1, (0, 0), name(of), None),
                    Act::Meets(of, _) => (2, (0, 0), name(of), None),
                    Act::Requires { later, earlier } => {
                        (3, (0, 0), name(later), Some(name(earlier)))
                    }
                };
                place(one).cmp(&place(other))
            }
        }
    }
}

fn put_name(name: Name, bytes: &mut Vec<u8>) {
    put(name.from.into(), bytes);
    put(name.number, bytes);
    bytes.push(name.kind as u8);
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn take_name(bytes: &mut &[u8]) -> Option<Name> {
    let (from, number) = (take(bytes)?.try_into().ok()?, take(bytes)?);
    let kind = match byte(bytes)? {
        0 => Kind::Send,
        1 => Kind::Receive,
        2 => Kind::Mark,
        _ => return None,
    };
    Some(Name { from, number, kind })
}

const POINT: u8 = 0;
const DOES: u8 = 1;
const WAITS: u8 = 2;
const MEETS: u8 = 3;
const REQUIRES: u8 = 4;
const AFTER: u8 = 8;
const NEEDS: u8 = 16;

impl Item for Op {
    fn order(&self) -> Order {
        match self {
            Op::Point(point) => point.order(),
            Op::Act(order, _) => *order,
        }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let Order { time, number, .. } = self.order();
        put_change(time, before.map_or(0, |op| op.order().time), bytes);
        let act = match self {
            Op::Point(point) => {
                bytes.push(POINT);
                point.put(Some(point), bytes);
                return;
            }
            Op::Act(_, act) => act,
        };
        match *act {
            Act::Does { place, name, does, after, needs, holds } => {
                let after = if after { AFTER } else { 0 };
                bytes.push(DOES | after | if needs.is_some() { NEEDS } else { 0 });
                put(number, bytes);
                put_name(name, bytes);
                put_change(place.0, name.number, bytes);
                put(place.1.into(), bytes);
                let (what, [first, second]) = match does {
                    Does::Computes(time) => (0, [time, 0]),
                    Does::Sends(to, length) => (1, [to.into(), length]),
                    Does::Receives(from, length) => (2, [from.into(), length]),
                };
                bytes.push(what << 2 | holds as u8);
                put(first, bytes);
                put(second, bytes);
                needs.iter().for_each(|of| put_name(*of, bytes));
            }
            Act::Waits(name) => {
                bytes.push(WAITS);
                put(number, bytes);
                put_name(name, bytes);
            }
            Act::Meets(name, cpu) => {
                bytes.push(MEETS);
                put(number, bytes);
                put_name(name, bytes);
                put(cpu.into(), bytes);
            }
            Act::Requires { later, earlier } => {
                bytes.push(REQUIRES);
                put(number, bytes);
                put_name(later, bytes);
                put_name(earlier, bytes);
            }
        }
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let time = take_change(before.map_or(0, |op| op.order().time), bytes)?;
        let flags = byte(bytes)?;
        if flags == POINT {
            let what = What::Step { outside: 0, regions: [0; SCENARIOS], last: false };
            let here = Point { location, time, number: 0, what };
            return Point::take(Some(&here), location, bytes).map(Op::Point);
        }
        let order = Order { time, location, number: take(bytes)? };
        let act = match flags & 7 {
            DOES => {
                let name = take_name(bytes)?;
                let place = (take_change(name.number, bytes)?, take(bytes)?.try_into().ok()?);
                let what = byte(bytes)?;
                let (first, second) = (take(bytes)?, take(bytes)?);
                let does = match what >> 2 {
                    0 => Does::Computes(first),
                    1 => Does::Sends(first.try_into().ok()?, second),
                    2 => Does::Receives(first.try_into().ok()?, second),
                    _ => return None,
                };
                let holds = [Holds::Nothing, Holds::Start, Holds::End, Holds::Besides];
                let holds = holds[usize::from(what & 3)];
                let needs = if flags & NEEDS != 0 { Some(take_name(bytes)?) } else { None };
                Act::Does { place, name, does, after: flags & AFTER != 0, needs, holds }
            }
            WAITS => Act::Waits(take_name(bytes)?),
            MEETS => Act::Meets(take_name(bytes)?, take(bytes)?.try_into().ok()?),
            REQUIRES => Act::Requires { later: take_name(bytes)?, earlier: take_name(bytes)? },
            _ => return None,
        };
        Some(Op::Act(order, act))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{LinkId, On};

    /// Every item is read as it was written, behind any other.
    #[test]
    fn items_are_read_as_they_were_written() {
        let location = LocationRef(7);
        let name = |number: u64, kind: Kind| Name { from: 3, number, kind };
        let id = LinkId { location: LocationRef(9), number: 1 << 40, kind: 2 };
        let link = Link { id, givers: 5, takers: 6, ordered: true, parts: true };
        let at = |time: u64, what: What| Point { location, time, number: time / 2, what };
        let takes = What::Takes {
            link,
            first: 3,
            waited: 17,
            in_mpi: true,
            before: true,
            on: On::Ideal,
            bytes: 1 << 33,
        };
        let points = [
            at(100, What::Gives { link, place: 4, message: true, bytes: 8 }),
            at(90, takes),
            at(200, What::Posts { link }),
            at(0, What::Completes { link: Link { ordered: false, parts: false, ..link } }),
            at(7, What::Step { outside: 5, regions: [0; SCENARIOS], last: true }),
        ];
        let mut ops: Vec<Op> = points.iter().map(|point| Op::Point(*point)).collect();
        let does = |does: Does, after: bool, needs: Option<Name>, holds: Holds| Act::Does {
            place: (12, 3),
            name: name(14, Kind::Send),
            does,
            after,
            needs,
            holds,
        };
        let needs = Some(name(u64::MAX, Kind::Receive));
        let acts = [
            does(Does::Sends(u32::MAX, u64::MAX), true, needs, Holds::Besides),
            does(Does::Receives(1, 2), false, None, Holds::Nothing),
            does(Does::Computes(3), true, None, Holds::Start),
            Act::Waits(name(5, Kind::Mark)),
            Act::Meets(name(6, Kind::Mark), 255),
            Act::Requires { later: name(1, Kind::Mark), earlier: name(2, Kind::Send) },
        ];
        let order = |place: u64| Order { time: 1000 - place, location, number: place };
        ops.extend((0..).zip(acts).map(|(place, act)| Op::Act(order(place), act)));
        let mut bytes = Vec::new();
        for (place, op) in ops.iter().enumerate() {
            op.put(place.checked_sub(1).map(|before| &ops[before]), &mut bytes);
        }
        let (mut rest, mut found) = (&bytes[..], Vec::new());
        while !rest.is_empty() {
            let op = Op::take(found.last(), location, &mut rest);
            found.push(op.expect("as it was written"));
        }
        assert_eq!(found, ops);
        // Bytes that are cut off, or of another kind, are no item.
        for length in 1..bytes.len() {
            let mut rest = &bytes[..length];
            let mut before = None;
            while let Some(op) = Op::take(before.as_ref(), location, &mut rest) {
                before = Some(op);
                if rest.is_empty() {
                    break;
                }
            }
        }
        assert_eq!(Op::take(None, location, &mut &[0, 7, 0][..]), None);
    }
}
