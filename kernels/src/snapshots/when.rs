//! Points of time: of snapshots, and of samples.

use streamfold_model::definitions::ClockProperties;
use streamfold_model::values::Ticks;

/// How far snapshots are from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// The number of snapshots.
    pub count: Option<u64>,
    /// The distance in ticks.
    pub period: Option<u64>,
}

impl Interval {
    /// Number of snapshots where nothing is said.
    pub const COUNT: u64 = 10;

    /// The interval in ticks. Of a number of snapshots and of ticks the one counts that gives more of them.
    fn ticks(self, length: u64) -> u64 {
        let by_count = |count: u64| length / count.saturating_add(1).max(1);
        let ticks = match (self.count, self.period) {
            (None, None) => by_count(Interval::COUNT),
            (None, Some(period)) => period,
            (Some(count), None) => by_count(count),
            (Some(count), Some(period)) => {
                let more = length.div_ceil(period.max(1)) > count.saturating_add(1);
                if more {
                    period
                } else {
                    by_count(count)
                }
            }
        };
        ticks.max(1)
    }
}

/// The times of snapshots.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    next: Option<u64>,
    every: u64,
}

impl Times {
    /// Times of a trace's snapshots.
    pub fn new(clock: &ClockProperties, interval: Interval) -> Self {
        let every = interval.ticks(clock.trace_length);
        Times { next: clock.global_offset.checked_add(every), every }
    }

    /// An event comes at a time. Returns when the snapshot is that comes before it: times without events in between have
    /// one together.
    pub fn due(&mut self, time: Ticks) -> Option<Ticks> {
        let due = self.next.filter(|next| *next <= time.0)?;
        let passed = (time.0 - due) / self.every * self.every;
        self.next = due.checked_add(passed).and_then(|last| last.checked_add(self.every));
        Some(Ticks(due))
    }
}

/// The times of the samples of a thumbnail.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    next: u64,
    every: u64,
    left: u64,
}

impl Samples {
    /// Number of samples.
    pub const COUNT: u32 = 4096;

    /// Times of a trace's samples.
    pub fn new(clock: &ClockProperties) -> Self {
        let every = (clock.trace_length / (u64::from(Samples::COUNT) + 1)).max(1);
        Samples {
            next: clock.global_offset.saturating_add(every),
            every,
            left: Samples::COUNT.into(),
        }
    }

    /// Something changed at a time. Returns how many samples up to then show what is now.
    pub fn due(&mut self, time: Ticks) -> u64 {
        let Some(since) = time.0.checked_sub(self.next) else { return 0 };
        let due = (since / self.every).saturating_add(1).min(self.left);
        self.left -= due;
        self.next = self.next.saturating_add(due.saturating_mul(self.every));
        due
    }

    /// Samples that nothing was said of.
    pub fn left(&self) -> u64 {
        self.left
    }
}
