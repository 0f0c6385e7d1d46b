//! Items of a process: launches, activities, and calls that wait.

use streamfold_model::ids::LocationRef;

use super::calls::Kind;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Order};

/// The number of a launch, and of which attribute it is.
pub(super) type Number = (u32, u64);

/// An event of a thread or a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeviceItem {
    /// A launch stands at its enter, an activity at its begin, a wait at the leave of its call.
    pub order: Order,
    /// Its meaning.
    pub what: DeviceEvent,
}

/// The meaning of an item. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeviceEvent {
    /// A call launches something.
    Launched {
        /// When it was left.
        leave: u64,
        /// Its kind, if that is known.
        kind: Option<Kind>,
        /// The stream, if the call names one.
        stream: Option<LocationRef>,
        /// Its number.
        number: Option<Number>,
    },
    /// An activity.
    Ran {
        /// Its end.
        end: u64,
        /// Its kind.
        kind: Kind,
        /// The number of its launch.
        number: Option<Number>,
    },
    /// A call may have waited.
    Waited {
        /// From when on.
        since: u64,
        /// The number of the event from which on it did.
        number: u64,
        /// The stream, if the call names one.
        stream: Option<LocationRef>,
        /// Set if it waits for all that was launched before.
        for_all: bool,
    },
}

fn put_kind(kind: Option<Kind>, bytes: &mut Vec<u8>) {
    let place = kind.and_then(|kind| Kind::ALL.iter().position(|known| *known == kind));
    put(place.map_or(0, |place| place as u64 + 1), bytes);
}

fn take_kind(bytes: &mut &[u8]) -> Option<Option<Kind>> {
    match take(bytes)?.checked_sub(1) {
        Some(place) => Some(Some(*Kind::ALL.get(usize::try_from(place).ok()?)?)),
        None => Some(None),
    }
}

fn put_number(number: Option<Number>, bytes: &mut Vec<u8>) {
    put(number.map_or(0, |(kind, _)| u64::from(kind) + 1), bytes);
    number.into_iter().for_each(|(_, number)| put(number, bytes));
}

fn take_number(bytes: &mut &[u8]) -> Option<Option<Number>> {
    match take(bytes)?.checked_sub(1) {
        Some(kind) => Some(Some((kind.try_into().ok()?, take(bytes)?))),
        None => Some(None),
    }
}

fn put_stream(stream: Option<LocationRef>, bytes: &mut Vec<u8>) {
    put(stream.is_some().into(), bytes);
    stream.into_iter().for_each(|LocationRef(stream)| put(stream, bytes));
}

fn take_stream(bytes: &mut &[u8]) -> Option<Option<LocationRef>> {
    Some(match take(bytes)? {
        0 => None,
        _ => Some(LocationRef(take(bytes)?)),
    })
}

impl Item for DeviceItem {
    fn order(&self) -> Order {
        self.order
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let from = before.map_or((0, 0), |of| (of.order.time, of.order.number));
        put_change(self.order.time, from.0, bytes);
        put_change(self.order.number, from.1, bytes);
        match self.what {
            DeviceEvent::Launched { leave, kind, stream, number } => {
                put(0, bytes);
                put_change(leave, self.order.time, bytes);
                put_kind(kind, bytes);
                put_stream(stream, bytes);
                put_number(number, bytes);
            }
            DeviceEvent::Ran { end, kind, number } => {
                put(1, bytes);
                put_change(end, self.order.time, bytes);
                put_kind(Some(kind), bytes);
                put_number(number, bytes);
            }
            DeviceEvent::Waited { since, number, stream, for_all } => {
                put(2 + u64::from(for_all), bytes);
                put_change(since, self.order.time, bytes);
                put_change(number, self.order.number, bytes);
                put_stream(stream, bytes);
            }
        }
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let from = before.map_or((0, 0), |of| (of.order.time, of.order.number));
        let (time, number) = (take_change(from.0, bytes)?, take_change(from.1, bytes)?);
        let order = Order { time, location, number };
        let what = match take(bytes)? {
            0 => DeviceEvent::Launched {
                leave: take_change(time, bytes)?,
                kind: take_kind(bytes)?,
                stream: take_stream(bytes)?,
                number: take_number(bytes)?,
            },
            1 => DeviceEvent::Ran {
                end: take_change(time, bytes)?,
                kind: take_kind(bytes)??,
                number: take_number(bytes)?,
            },
            tag @ (2 | 3) => DeviceEvent::Waited {
                since: take_change(time, bytes)?,
                number: take_change(number, bytes)?,
                stream: take_stream(bytes)?,
                for_all: tag == 3,
            },
            _ => return None,
        };
        Some(DeviceItem { order, what })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Made = (u64, u64, u8, (u64, u64), Option<u64>, Option<(u32, u64)>);

    fn made((time, event, what, (a, b), stream, number): Made) -> DeviceItem {
        let location = LocationRef(3);
        let number = number.map(|(kind, number)| (kind % 2, number));
        let kind = Kind::ALL[usize::from(what) % 3];
        let stream = stream.map(LocationRef);
        let what = match what % 4 {
            0 => DeviceEvent::Launched { leave: a, kind: Some(kind), stream, number },
            1 => DeviceEvent::Launched { leave: a, kind: None, stream, number },
            2 => DeviceEvent::Ran { end: a, kind, number },
            _ => DeviceEvent::Waited { since: a, number: b, stream, for_all: b % 2 == 0 },
        };
        DeviceItem { order: Order { time, location, number: event }, what }
    }

    proptest! {
        #[test]
        fn items_are_read_as_they_were_written(
            all in proptest::collection::vec(any::<Made>(), 1..20),
        ) {
            let all: Vec<DeviceItem> = all.into_iter().map(made).collect();
            let (mut bytes, mut before) = (Vec::new(), None);
            for item in &all {
                item.put(before, &mut bytes);
                before = Some(item);
            }
            let (mut rest, mut found) = (&bytes[..], Vec::new());
            while !rest.is_empty() {
                let item = DeviceItem::take(found.last(), LocationRef(3), &mut rest);
                found.push(item.expect("an item"));
            }
            prop_assert_eq!(found, all);
        }
    }
}
