//! Times of a trace on the common clock of several: exactly, here, and by clock offsets, as readers find them, in
//! [`breaks`].

mod breaks;

use streamfold_model::definitions::{ClockOffset, ClockProperties};

pub(crate) use breaks::Breaks;

/// A straight line from the times of a trace, as its clock offsets correct them, to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// When the trace begins and how long it is, in its own ticks.
    begin: u64,
    length: u64,
    /// New time of the begin.
    to: u64,
    /// New ticks for each old one, as a fraction that cannot be reduced.
    scale: (u64, u64),
}

impl Default for Times {
    /// All times stay as they are.
    fn default() -> Self {
        Times { begin: 0, length: 0, to: 0, scale: (1, 1) }
    }
}

impl Times {
    /// Of a trace with this clock, whose begin becomes the tick `to` of a clock with so many ticks per
    /// second, at least one.
    pub fn new(clock: &ClockProperties, to: u64, resolution: u64) -> Times {
        let old = clock.timer_resolution.max(1);
        let divisor = greatest_common_divisor(resolution.max(1), old);
        Times {
            begin: clock.global_offset,
            length: clock.trace_length,
            to,
            scale: (resolution.max(1) / divisor, old / divisor),
        }
    }

    /// Returns whether all times stay as they are.
    pub fn is_identity(&self) -> bool {
        self.scale == (1, 1) && self.begin == self.to
    }

    /// Returns the new time of a corrected time, to the nearest tick, halves to even ones.
    pub fn corrected(&self, time: u64) -> Now {
        if self.is_identity() {
            return Ok(time);
        }
        self.moved(time.into()).and_then(fitting)
    }

    /// The same of any time.
    fn moved(&self, corrected: i128) -> Result<i128, Beyond> {
        self.at(corrected - i128::from(self.begin), 0, 1)
    }

    /// Returns the new time of `since` ticks behind the begin and the part `rest / of` of a tick. `0 <= rest < of`.
    fn at(&self, since: i128, rest: i128, of: i128) -> Result<i128, Beyond> {
        let (new, old) = (i128::from(self.scale.0), i128::from(self.scale.1));
        let beyond = if since < 0 { Beyond::Before } else { Beyond::After };
        let ticks = since.checked_mul(new).ok_or(beyond)?;
        let (whole, left) = (ticks.div_euclid(old), ticks.rem_euclid(old));
        // So far apart are clock offsets that parts of ticks are next to nothing.
        let large = u32::from(of >> 62 > 0) * 32;
        let (rest, of) = (rest >> large, of >> large);
        // Rest of a tick: left / old + rest * new / (of * old).
        let numerator = left * of + rest * new;
        let denominator = of * old;
        let whole = whole.checked_add(numerator.div_euclid(denominator)).ok_or(beyond)?;
        let left = numerator.rem_euclid(denominator);
        // The result is even, not what is added.
        let now = whole.checked_add(i128::from(self.to)).ok_or(beyond)?;
        let rest = denominator - left;
        let up = left > rest || (left == rest && now % 2 != 0);
        now.checked_add(i128::from(up)).ok_or(beyond)
    }

    /// Returns whether clock offsets can represent the new times of its begin and its end. They are numbers of 64 bits
    /// with a sign.
    pub fn fits(&self) -> bool {
        let end = self.begin.saturating_add(self.length);
        [self.begin, end].into_iter().all(|time| {
            let moved =
                self.moved(time.into()).map(|now| i64::try_from(now.saturating_sub(time.into())));
            matches!(moved, Ok(Ok(_)))
        })
    }

    /// Returns the new time of a recorded time at a location with these clock offsets: exactly, with one rounding at
    /// the end.
    pub fn recorded(&self, offsets: &[ClockOffset], time: u64) -> Now {
        self.exact(offsets, time).and_then(fitting)
    }

    fn exact(&self, offsets: &[ClockOffset], time: u64) -> Result<i128, Beyond> {
        let Some((from, to)) = interval(offsets, time) else { return self.moved(time.into()) };
        let length = i128::from(to.time) - i128::from(from.time);
        let rise = i128::from(to.offset) - i128::from(from.offset);
        let since = i128::from(time) - i128::from(from.time);
        let corrected = i128::from(time) + i128::from(from.offset);
        let beyond = if (since < 0) == (rise < 0) { Beyond::After } else { Beyond::Before };
        let more = since.checked_mul(rise).ok_or(beyond)?;
        let begin = i128::from(self.begin);
        let length = length.max(1);
        let whole = (corrected - begin).checked_add(more.div_euclid(length)).ok_or(beyond)?;
        self.at(whole, more.rem_euclid(length), length)
    }
}

/// New time, if it fits into 64 bits.
pub type Now = Result<u64, Beyond>;

/// Side on which a time does not fit into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Before the first possible time.
    Before,
    /// After the last one.
    After,
}

/// The time, or the nearest one that can be said.
pub(crate) fn nearest(now: Now) -> u64 {
    now.unwrap_or_else(|beyond| match beyond {
        Beyond::Before => 0,
        Beyond::After => u64::MAX,
    })
}

fn fitting(time: i128) -> Now {
    let beyond = if time < 0 { Beyond::Before } else { Beyond::After };
    u64::try_from(time).map_err(|_| beyond)
}

/// The clock offsets between which a time is, or the nearest two; `None`: there are no two.
fn interval(offsets: &[ClockOffset], time: u64) -> Option<(&ClockOffset, &ClockOffset)> {
    let last = offsets.len().checked_sub(2)?;
    let at = offsets.partition_point(|offset| offset.time < time).saturating_sub(1).min(last);
    Some((&offsets[at], &offsets[at + 1]))
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        b => greatest_common_divisor(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(timer_resolution: u64, global_offset: u64, trace_length: u64) -> ClockProperties {
        let realtime_timestamp = u64::MAX;
        ClockProperties { timer_resolution, global_offset, trace_length, realtime_timestamp }
    }

    fn offset(time: u64, offset: i64) -> ClockOffset {
        ClockOffset { time, offset, standard_deviation: 0.0 }
    }

    #[test]
    fn times_are_moved_and_scaled_to_the_nearest_tick() {
        let times = Times::new(&clock(1_000, 100, 50), 7, 2_500);
        let now: Vec<_> = [100, 101, 102, 103, 99].map(|time| times.corrected(time)).to_vec();
        assert_eq!(now, [7, 10, 12, 14, 4].map(Ok));
        assert_eq!(times.corrected(150), Ok(7 + 125));
        assert!(Times::new(&clock(1_000, 100, 50), 100, 1_000).is_identity());
        assert!(Times::default().is_identity());
    }

    #[test]
    fn whatever_the_numbers_are_nothing_panics() {
        let many = [0, 1, 1 << 31, u64::MAX / 2, u64::MAX - 1, u64::MAX];
        for (begin, length, to, resolution, time) in all_of_five(&many) {
            let times = Times::new(&clock(resolution, begin, length), to, time);
            let offsets = [offset(begin.min(5), i64::MIN), offset(u64::MAX, i64::MAX)];
            let _ = (times.corrected(time), times.recorded(&offsets, time), times.fits());
            for old in [&[][..], &offsets] {
                for events in [None, Some(begin..=begin), Some(begin.min(time)..=u64::MAX)] {
                    let offsets = times.breaks(old, events).offsets;
                    assert!(offsets.windows(2).all(|pair| pair[0].time < pair[1].time));
                }
            }
        }
    }

    #[test]
    fn times_that_cannot_be_said_are_none() {
        let back = Times::new(&clock(1_000, 100, 50), 7, 1_000);
        let now = [93, 92, 0].map(|time| back.corrected(time));
        assert_eq!(now, [Ok(0), Err(Beyond::Before), Err(Beyond::Before)]);
        let far = Times::new(&clock(1, 0, 50), u64::MAX - 10, 4);
        assert_eq!([2, 3].map(|time| far.corrected(time)), [Ok(u64::MAX - 2), Err(Beyond::After)]);
        assert!(back.fits() && !far.fits());
        // So far that an offset cannot say it, though both times can be said.
        assert!(!Times::new(&clock(1, 0, 1), 1 << 63, 1).fits());
        let steep = [offset(0, i64::MIN), offset(u64::MAX, i64::MAX)];
        assert_eq!(back.recorded(&steep, 1), Err(Beyond::Before));
    }

    fn all_of_five(values: &[u64]) -> impl Iterator<Item = (u64, u64, u64, u64, u64)> + '_ {
        let n = values.len();
        (0..n.pow(5)).map(move |i| {
            let at = |digit: u32| values[i / n.pow(digit) % n];
            (at(0), at(1), at(2), at(3), at(4))
        })
    }
}
