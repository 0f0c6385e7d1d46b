//! Tallies: for a call path at a location, and across locations.

use serde::{Deserialize, Serialize};
use streamfold_model::calls::Message;
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

/// Messages and other operations. Bytes are as the trace says, which may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Messages sent: MpiSend, MpiIsend.
    pub sent: u64,
    /// Their bytes.
    pub bytes_sent: u128,
    /// Messages received: MpiRecv, MpiIrecv, MpiMrecv, MpiImrecv.
    pub received: u64,
    /// Their bytes.
    pub bytes_received: u128,
    /// Collective operations: MpiCollectiveEnd, NonBlockingCollectiveComplete.
    pub collectives: u64,
    /// The bytes that this location sent in them.
    pub collective_bytes_sent: u128,
    /// The bytes that this location received in them.
    pub collective_bytes_received: u128,
    /// Accesses to memory of others: RmaPut, RmaGet, RmaAtomic, RmaCollectiveEnd.
    pub rma: u64,
    /// The bytes that they wrote there.
    pub bytes_put: u128,
    /// The bytes that they read there.
    pub bytes_got: u128,
    /// Operations on files that are complete: IoOperationComplete.
    pub io: u64,
    /// The bytes that they read.
    pub bytes_read: u128,
    /// The bytes that they wrote.
    pub bytes_written: u128,
}

/// Unit of a number of [`Traffic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Messages; fits into 64 bits.
    Messages,
    /// Operations; fits into 64 bits.
    Operations,
    /// Bytes.
    Bytes,
}

impl Traffic {
    /// The names of its numbers, in the order of [`Traffic::numbers`], and what they count.
    pub const COLUMNS: [(&'static str, Quantity); 13] = [
        ("sent", Quantity::Messages),
        ("bytes_sent", Quantity::Bytes),
        ("received", Quantity::Messages),
        ("bytes_received", Quantity::Bytes),
        ("collectives", Quantity::Operations),
        ("collective_bytes_sent", Quantity::Bytes),
        ("collective_bytes_received", Quantity::Bytes),
        ("rma", Quantity::Operations),
        ("bytes_put", Quantity::Bytes),
        ("bytes_got", Quantity::Bytes),
        ("io", Quantity::Operations),
        ("bytes_read", Quantity::Bytes),
        ("bytes_written", Quantity::Bytes),
    ];

    /// All of its numbers.
    pub fn numbers(&self) -> [u128; 13] {
        [
            self.sent.into(),
            self.bytes_sent,
            self.received.into(),
            self.bytes_received,
            self.collectives.into(),
            self.collective_bytes_sent,
            self.collective_bytes_received,
            self.rma.into(),
            self.bytes_put,
            self.bytes_got,
            self.io.into(),
            self.bytes_read,
            self.bytes_written,
        ]
    }

    /// From all of its numbers; `None` where one is too large.
    pub fn from_numbers(numbers: [u128; 13]) -> Option<Traffic> {
        let count = |i: usize| u64::try_from(numbers[i]).ok();
        Some(Traffic {
            sent: count(0)?,
            bytes_sent: numbers[1],
            received: count(2)?,
            bytes_received: numbers[3],
            collectives: count(4)?,
            collective_bytes_sent: numbers[5],
            collective_bytes_received: numbers[6],
            rma: count(7)?,
            bytes_put: numbers[8],
            bytes_got: numbers[9],
            io: count(10)?,
            bytes_read: numbers[11],
            bytes_written: numbers[12],
        })
    }

    /// None.
    pub const NONE: Traffic = Traffic {
        sent: 0,
        bytes_sent: 0,
        received: 0,
        bytes_received: 0,
        collectives: 0,
        collective_bytes_sent: 0,
        collective_bytes_received: 0,
        rma: 0,
        bytes_put: 0,
        bytes_got: 0,
        io: 0,
        bytes_read: 0,
        bytes_written: 0,
    };

    /// One more message.
    #[inline(always)]
    pub fn add_message(&mut self, message: Message) {
        let Message { received, bytes } = message;
        let (count, sum) = match received {
            true => (&mut self.received, &mut self.bytes_received),
            false => (&mut self.sent, &mut self.bytes_sent),
        };
        *count += 1;
        *sum += u128::from(bytes);
    }

    /// Adds what another path or location has.
    pub fn add(&mut self, other: &Traffic) {
        self.sent += other.sent;
        self.bytes_sent += other.bytes_sent;
        self.received += other.received;
        self.bytes_received += other.bytes_received;
        self.collectives += other.collectives;
        self.collective_bytes_sent += other.collective_bytes_sent;
        self.collective_bytes_received += other.collective_bytes_received;
        self.rma += other.rma;
        self.bytes_put += other.bytes_put;
        self.bytes_got += other.bytes_got;
        self.io += other.io;
        self.bytes_read += other.bytes_read;
        self.bytes_written += other.bytes_written;
    }

    /// Messages and other operations together.
    pub fn operations(&self) -> u64 {
        self.sent + self.received + self.collectives + self.rma + self.io
    }

    /// Their bytes together.
    pub fn bytes(&self) -> u128 {
        let messages = self.bytes_sent + self.bytes_received;
        let collectives = self.collective_bytes_sent + self.collective_bytes_received;
        let memory = self.bytes_put + self.bytes_got;
        messages + collectives + memory + self.bytes_read + self.bytes_written
    }

    /// Tells whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Traffic::NONE
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

    /// Adds a location that has not been added before, with its exclusive time in ticks.
    pub(crate) fn add_location(&mut self, location: LocationRef, exclusive: u128) {
        self.locations += 1;
        self.least = self.least.min(exclusive);
        if exclusive > self.most || (exclusive == self.most && location < self.most_at) {
            (self.most, self.most_at) = (exclusive, location);
        }
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
        traffic: Traffic::NONE,
        spread: Spread::NONE,
    };

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

    /// The shortest and the longest inclusive time of a visit, in ticks; `None` where there is none to
    /// compare: none ended, or none that lies inside of the window of time.
    pub fn extremes(&self) -> Option<(u64, u64)> {
        extremes(self.shortest, self.longest)
    }

    /// Mean inclusive time of a visit that ended, in ticks; `None` where none did.
    pub fn mean(&self) -> Option<f64> {
        (self.closed > 0).then(|| self.inclusive as f64 / self.closed as f64)
    }
}

/// The visits of a call path at those locations that one thread has read, short enough to stay at hand
/// while locations are many: that of a single one has 64 bits. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathSum {
    visits: u64,
    closed: u64,
    inclusive: u128,
    exclusive: u128,
    shortest: u64,
    longest: u64,
    locations: u64,
    least: u64,
    most: u64,
    most_at: LocationRef,
}

impl PathSum {
    /// Of nothing.
    pub(crate) const EMPTY: PathSum = PathSum {
        visits: 0,
        closed: 0,
        inclusive: 0,
        exclusive: 0,
        shortest: u64::MAX,
        longest: 0,
        locations: 0,
        least: u64::MAX,
        most: 0,
        most_at: LocationRef::UNDEFINED,
    };

    /// Adds the visits at one location, which has not been added before.
    #[inline(always)]
    pub(crate) fn add(&mut self, location: LocationRef, visits: &Visits) {
        self.visits += visits.visits;
        self.closed += visits.closed;
        self.inclusive += u128::from(visits.inclusive);
        self.exclusive += u128::from(visits.exclusive);
        self.shortest = self.shortest.min(visits.shortest);
        self.longest = self.longest.max(visits.longest);
        self.locations += 1;
        self.least = self.least.min(visits.exclusive);
        let further = visits.exclusive > self.most
            || (visits.exclusive == self.most && location < self.most_at);
        if further {
            (self.most, self.most_at) = (visits.exclusive, location);
        }
    }

    /// The row that has these visits and no traffic.
    pub(crate) fn row(&self) -> Row {
        let PathSum { visits, closed, inclusive, exclusive, shortest, longest, .. } = *self;
        let mut spread = Spread::NONE;
        if self.locations > 0 {
            let PathSum { locations, least, most, most_at, .. } = *self;
            spread = Spread { locations, least: least.into(), most: most.into(), most_at };
        }
        let traffic = Traffic::NONE;
        Row { visits, closed, inclusive, exclusive, shortest, longest, traffic, spread }
    }
}

/// Oddities of a stream, which no correct program leaves behind.
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
    /// Operations on files that are complete and have no begin: whether they read or wrote is not
    /// known, so their bytes do not count.
    pub unbegun_io: u64,
    /// Flushes of the buffer that stop before they begin, or after something else has happened: they
    /// last up to that.
    pub wrong_flushes: u64,
    /// Dropped visits that ended with their own leaves later.
    pub late: u64,
    /// Enters and leaves that stood in the wrong order at one time, and were put in order.
    pub reordered: u64,
    /// Visits without duration whose leave stood before their enter.
    pub instants: u64,
    /// Leaves that ended the innermost visit, although they name another region.
    pub renamed: u64,
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
        self.unbegun_io += other.unbegun_io;
        self.wrong_flushes += other.wrong_flushes;
        self.late += other.late;
        self.reordered += other.reordered;
        self.instants += other.instants;
        self.renamed += other.renamed;
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Oddities::default()
    }
}

/// A location as a whole. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationRow {
    /// The location.
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
    /// Oddities of its stream.
    pub oddities: Oddities,
}

impl LocationRow {
    /// Tells whether any visit of it, or time, counts.
    pub(crate) fn has_any(&self) -> bool {
        (self.visits, self.closed, self.inclusive, self.inside) != (0, 0, 0, 0)
    }
}

impl LocationRow {
    /// Adds the visits of a call path; `of_region`: they are visits of a region.
    pub(crate) fn add_visits(&mut self, visits: &Visits, of_region: bool) {
        self.inside += u128::from(visits.exclusive);
        if of_region {
            self.visits += visits.visits;
            self.closed += visits.closed;
            self.inclusive += u128::from(visits.inclusive);
            self.shortest = self.shortest.min(visits.shortest);
            self.longest = self.longest.max(visits.longest);
        }
    }
}

/// The shortest and the longest of some times, which start at `u64::MAX` and 0; `None`: of none.
pub fn extremes(shortest: u64, longest: u64) -> Option<(u64, u64)> {
    (shortest <= longest).then_some((shortest, longest))
}
