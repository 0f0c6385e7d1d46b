//! Streams of records, and what stands around a record in its stream.

use crate::events::EventKind;
use crate::ids::LocationRef;
use crate::values::{AttributeEntry, Ticks};

/// Location, number, time and attributes of an event.
#[derive(Clone, Copy, Debug)]
pub struct EventHead<'a> {
    /// The location whose event this is.
    pub location: LocationRef,
    /// The number of the event in its location, from 1; records of unknown kinds count.
    pub number: u64,
    /// Corrected time, in ticks.
    pub time: Ticks,
    /// Its attributes; empty if the visitor does not ask for them.
    pub attributes: &'a [AttributeEntry],
}

/// A stream of records in the order of its location.
pub trait Stream {
    /// Error of the stream.
    type Error;

    /// The time of the next record; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the next record cannot be read.
    fn time(&mut self) -> Result<Option<Ticks>, Self::Error>;

    /// The location, which is unlike that of any other stream.
    fn location(&self) -> LocationRef;
}

/// Summary of a stream that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSummary {
    /// Events, those of unknown kinds included.
    pub events: u64,
    /// Events of unknown kinds.
    pub unknown: u64,
    /// The corrected time of the first event.
    pub first: Option<Ticks>,
    /// The corrected time of the last event.
    pub last: Option<Ticks>,
    /// Events whose corrected time is smaller than that of the event before.
    pub backward: u64,
}

/// A set of kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSet(u128);

impl EventSet {
    /// No kind.
    pub const NONE: EventSet = EventSet(0);
    /// Every kind, unknown ones too.
    pub const ALL: EventSet = EventSet(u128::MAX);

    /// The set of these kinds.
    pub const fn of(kinds: &[EventKind]) -> EventSet {
        let mut bits = 0;
        let mut i = 0;
        while i < kinds.len() {
            bits |= 1 << kinds[i] as u32;
            i += 1;
        }
        EventSet(bits)
    }

    /// The kinds of both sets.
    pub const fn and(self, other: EventSet) -> EventSet {
        EventSet(self.0 | other.0)
    }

    /// Tells whether the kind belongs to the set.
    #[inline]
    pub const fn contains(self, kind: EventKind) -> bool {
        self.0 >> (kind as u32) & 1 == 1
    }

    /// Tells whether records of unknown kinds belong to the set.
    #[inline]
    pub const fn contains_unknown(self) -> bool {
        self.0 >> 127 & 1 == 1
    }
}

/// Families of kinds that are wanted together.
impl EventSet {
    /// Enters and leaves, by region and by calling context.
    pub const VISITS: EventSet = EventSet::of(&[
        EventKind::Enter,
        EventKind::Leave,
        EventKind::CallingContextEnter,
        EventKind::CallingContextLeave,
    ]);
    /// Switches and completions of tasks.
    pub const TASKS: EventSet = EventSet::of(&[
        EventKind::ThreadTaskSwitch,
        EventKind::ThreadTaskComplete,
        EventKind::OmpTaskSwitch,
        EventKind::OmpTaskComplete,
    ]);
    /// Forks, joins, and the time of threads in their teams.
    pub const TEAMS: EventSet = EventSet::of(&[
        EventKind::ThreadFork,
        EventKind::ThreadJoin,
        EventKind::OmpFork,
        EventKind::OmpJoin,
        EventKind::ThreadTeamBegin,
        EventKind::ThreadTeamEnd,
    ]);
    /// Locks between threads.
    pub const LOCKS: EventSet = EventSet::of(&[
        EventKind::ThreadAcquireLock,
        EventKind::ThreadReleaseLock,
        EventKind::OmpAcquireLock,
        EventKind::OmpReleaseLock,
    ]);
    /// Messages and their requests.
    pub const MESSAGES: EventSet = EventSet::of(&[
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiIsendComplete,
        EventKind::MpiRecv,
        EventKind::MpiIrecvRequest,
        EventKind::MpiIrecv,
        EventKind::MpiProbe,
        EventKind::MpiMrecv,
        EventKind::MpiImrecvRequest,
        EventKind::MpiImrecv,
        EventKind::MpiRequestCancelled,
    ]);
    /// Operations of all members of a communicator or window.
    pub const COLLECTIVES: EventSet = EventSet::of(&[
        EventKind::MpiCollectiveBegin,
        EventKind::MpiCollectiveEnd,
        EventKind::NonBlockingCollectiveRequest,
        EventKind::NonBlockingCollectiveComplete,
        EventKind::RmaCollectiveBegin,
        EventKind::RmaCollectiveEnd,
    ]);
    /// Transfers to and from the memory of others.
    pub const TRANSFERS: EventSet =
        EventSet::of(&[EventKind::RmaPut, EventKind::RmaGet, EventKind::RmaAtomic]);
    /// Changes of file handles, from creation to destruction.
    pub const IO_HANDLES: EventSet = EventSet::of(&[
        EventKind::IoCreateHandle,
        EventKind::IoDestroyHandle,
        EventKind::IoDuplicateHandle,
        EventKind::IoSeek,
        EventKind::IoChangeStatusFlags,
    ]);
    /// Input and output, from begin to end.
    pub const IO_OPERATIONS: EventSet = EventSet::of(&[
        EventKind::IoOperationBegin,
        EventKind::IoOperationComplete,
        EventKind::IoOperationCancelled,
    ]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_its_kinds_and_no_others() {
        const SET: EventSet = EventSet::of(&[EventKind::Enter, EventKind::CommDestroy]);
        for kind in EventKind::ALL {
            let expected = matches!(kind, EventKind::Enter | EventKind::CommDestroy);
            assert_eq!(SET.contains(kind), expected, "{kind:?}");
            assert!(EventSet::ALL.contains(kind));
        }
        assert!(!SET.contains_unknown() && EventSet::ALL.contains_unknown());
    }
}
