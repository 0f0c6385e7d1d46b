//! What is counted: for a call path at a location, and across locations.

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;
use streamfold_model::values::Ticks;

/// Visits of a call path at one location. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visits {
    /// Visits that began.
    pub visits: u64,
    /// Visits that also ended; only these have a time.
    pub closed: u64,
    /// Inclusive time. It cannot overflow: visits of one path follow each other.
    pub inclusive: u64,
    /// Exclusive time.
    pub exclusive: u64,
    /// The shortest inclusive time of a visit; `u64::MAX` where none ended.
    pub shortest: u64,
    /// The longest inclusive time of a visit; 0 where none ended.
    pub longest: u64,
}

impl Visits {
    /// None.
    pub const NONE: Visits =
        Visits { visits: 0, closed: 0, inclusive: 0, exclusive: 0, shortest: u64::MAX, longest: 0 };
}

/// Messages and collective operations. Bytes are as the trace says, which may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Messages sent: MpiSend, MpiIsend.
    pub sent: u64,
    /// Their bytes.
    pub bytes_sent: u128,
    /// Messages received: MpiRecv, MpiIrecv.
    pub received: u64,
    /// Their bytes.
    pub bytes_received: u128,
    /// Collective operations: MpiCollectiveEnd, NonBlockingCollectiveComplete.
    pub collectives: u64,
    /// The bytes that this location sent in them.
    pub collective_bytes_sent: u128,
    /// The bytes that this location received in them.
    pub collective_bytes_received: u128,
}

impl Traffic {
    /// Adds what another path or location has.
    pub fn add(&mut self, other: &Traffic) {
        self.sent += other.sent;
        self.bytes_sent += other.bytes_sent;
        self.received += other.received;
        self.bytes_received += other.bytes_received;
        self.collectives += other.collectives;
        self.collective_bytes_sent += other.collective_bytes_sent;
        self.collective_bytes_received += other.collective_bytes_received;
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Traffic::default()
    }
}

/// How exclusive time is spread over the locations that have any visit of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// How many locations that are.
    pub locations: u64,
    /// The smallest exclusive time of one of them, in ticks; `u128::MAX` where there is none.
    pub least: u128,
    /// The largest exclusive time of one of them, in ticks.
    pub most: u128,
    /// The location of the largest; the one with the smallest number where several have it.
    pub most_at: LocationRef,
}

impl Spread {
    /// Over no location.
    pub const NONE: Spread =
        Spread { locations: 0, least: u128::MAX, most: 0, most_at: LocationRef::UNDEFINED };

    /// Over one location.
    pub fn of(location: LocationRef, exclusive: u128) -> Self {
        Spread { locations: 1, least: exclusive, most: exclusive, most_at: location }
    }

    /// Over both.
    pub fn add(&mut self, other: &Spread) {
        self.locations += other.locations;
        self.least = self.least.min(other.least);
        let further = (other.most, std::cmp::Reverse(other.most_at));
        if further > (self.most, std::cmp::Reverse(self.most_at)) {
            (self.most, self.most_at) = (other.most, other.most_at);
        }
    }
}

/// A call path or region across locations. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Visits that began.
    pub visits: u64,
    /// Visits that also ended; only these have a time.
    pub closed: u64,
    /// Inclusive time of all visits.
    pub inclusive: u128,
    /// Exclusive time.
    pub exclusive: u128,
    /// The shortest inclusive time of a visit; `u64::MAX` where none ended.
    pub shortest: u64,
    /// The longest inclusive time of a visit; 0 where none ended.
    pub longest: u64,
    /// Messages.
    pub traffic: Traffic,
    /// Exclusive time by location.
    pub spread: Spread,
}

impl Row {
    /// Of nothing.
    pub const EMPTY: Row = Row {
        visits: 0,
        closed: 0,
        inclusive: 0,
        exclusive: 0,
        shortest: u64::MAX,
        longest: 0,
        traffic: Traffic {
            sent: 0,
            bytes_sent: 0,
            received: 0,
            bytes_received: 0,
            collectives: 0,
            collective_bytes_sent: 0,
            collective_bytes_received: 0,
        },
        spread: Spread::NONE,
    };

    /// Of one call path at one location.
    pub fn of(location: LocationRef, visits: &Visits, traffic: &Traffic) -> Row {
        let visited = visits.visits > 0;
        Row {
            visits: visits.visits,
            closed: visits.closed,
            inclusive: visits.inclusive.into(),
            exclusive: visits.exclusive.into(),
            shortest: visits.shortest,
            longest: visits.longest,
            traffic: *traffic,
            spread: if visited {
                Spread::of(location, visits.exclusive.into())
            } else {
                Spread::NONE
            },
        }
    }

    /// Adds all but the spread, which is no sum where both have the same location.
    pub fn add_totals(&mut self, other: &Row) {
        self.visits += other.visits;
        self.closed += other.closed;
        self.inclusive += other.inclusive;
        self.exclusive += other.exclusive;
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
        self.traffic.add(&other.traffic);
    }

    /// Adds the row of other locations.
    pub fn add(&mut self, other: &Row) {
        self.add_totals(other);
        self.spread.add(&other.spread);
    }

    /// Mean inclusive time of a visit that ended, in ticks; `None` where none did.
    pub fn mean(&self) -> Option<f64> {
        (self.closed > 0).then(|| self.inclusive as f64 / self.closed as f64)
    }
}

/// What a stream holds that no correct program leaves behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Oddities {
    /// Visits that are open at the end.
    pub open: u64,
    /// Leaves that are not of the innermost open region, but of one further out.
    pub crossed: u64,
    /// Leaves of a region that is not open.
    pub unmatched: u64,
    /// Visits that a crossed leave dropped.
    pub dropped: u64,
    /// Events whose time is smaller than that of the event before.
    pub backward: u64,
    /// Enters and leaves of calling contexts that are not defined.
    pub undefined_contexts: u64,
}

impl Oddities {
    /// Adds those of another location.
    pub fn add(&mut self, other: &Oddities) {
        self.open += other.open;
        self.crossed += other.crossed;
        self.unmatched += other.unmatched;
        self.dropped += other.dropped;
        self.backward += other.backward;
        self.undefined_contexts += other.undefined_contexts;
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Oddities::default()
    }
}

/// A location as a whole. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationRow {
    /// Which one.
    pub location: LocationRef,
    /// Events, those of unknown kinds included.
    pub events: u64,
    /// Events of unknown kinds.
    pub unknown: u64,
    /// The time of the first event.
    pub first: Option<Ticks>,
    /// The time of the last event.
    pub last: Option<Ticks>,
    /// Visits that began.
    pub visits: u64,
    /// Visits that also ended.
    pub closed: u64,
    /// Inclusive time of all visits, those inside of others too.
    pub inclusive: u128,
    /// The shortest inclusive time of a visit; `u64::MAX` where none ended.
    pub shortest: u64,
    /// The longest inclusive time of a visit; 0 where none ended.
    pub longest: u64,
    /// Time inside of any region: the sum of exclusive times. It can be more than the time that
    /// passed, where leaves are crossed: what lies in a dropped visit counts there and around it.
    pub inside: u128,
    /// Open visits at most at a time.
    pub depth: u64,
    /// Messages.
    pub traffic: Traffic,
    /// What is odd.
    pub oddities: Oddities,
}
