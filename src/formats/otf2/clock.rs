//! Clock correction, section 9.

use streamfold_model::definitions::ClockOffset;
use streamfold_model::values::Ticks;

/// The corrections of one location's clock: straight lines between its clock offsets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clock {
    intervals: Vec<Interval>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    begin: u64,
    end: u64,
    offset: i64,
    slope: f64,
}

/// Two clock offsets whose times do not increase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockError {
    /// The time of the earlier one in the file.
    pub before: u64,
    /// The time of the later one.
    pub time: u64,
}

impl Clock {
    /// Makes the intervals between clock offsets in the order of the file. None, or a single
    /// one, correct nothing.
    ///
    /// # Errors
    ///
    /// When times do not increase strictly.
    pub fn new(offsets: &[ClockOffset]) -> Result<Clock, ClockError> {
        let interval = |pair: &[ClockOffset]| {
            let (first, last) = (&pair[0], &pair[1]);
            if last.time <= first.time {
                return Err(ClockError { before: first.time, time: last.time });
            }
            let rise = last.offset.wrapping_sub(first.offset) as f64;
            let slope = rise / (last.time - first.time) as f64;
            Ok(Interval { begin: first.time, end: last.time, offset: first.offset, slope })
        };
        Ok(Clock { intervals: offsets.windows(2).map(interval).collect::<Result<_, _>>()? })
    }

    /// Whether times stay as they are.
    pub fn is_identity(&self) -> bool {
        self.intervals.is_empty()
    }
}

/// Corrects the times of one stream of events. The interval in use only ever moves forward, so
/// the result for a time can depend on the times before it, as it does in the reference.
#[derive(Clone, Debug, Default)]
pub struct Stamps {
    clock: Clock,
    interval: usize,
}

impl Stamps {
    /// Begins with the first interval.
    pub fn new(clock: Clock) -> Self {
        Stamps { clock, interval: 0 }
    }

    /// The corrected time.
    #[inline]
    pub fn correct(&mut self, time: Ticks) -> Ticks {
        if self.clock.intervals.is_empty() {
            return time;
        }
        self.correct_in_interval(time)
    }

    fn correct_in_interval(&mut self, Ticks(time): Ticks) -> Ticks {
        let intervals = &self.clock.intervals;
        while time > intervals[self.interval].end && self.interval + 1 < intervals.len() {
            self.interval += 1;
        }
        let Interval { begin, offset, slope, .. } = intervals[self.interval];
        let distance = if time >= begin { (time - begin) as f64 } else { -((begin - time) as f64) };
        let moved = to_i64(nearest_even(slope * distance));
        Ticks(time.wrapping_add_signed(offset).wrapping_add_signed(moved))
    }
}

/// The nearest integer, halves to the even one. `f64::round_ties_even` calls into the C library
/// where the processor's instruction is not known to exist; a double of this magnitude has no
/// room for a fraction, so adding and taking it away rounds in the default mode.
#[inline]
fn nearest_even(value: f64) -> f64 {
    const INTEGERS_ONLY: f64 = 4_503_599_627_370_496.0; // 2^52
    if value.abs() >= INTEGERS_ONLY || value.is_nan() {
        return value;
    }
    let magnitude = INTEGERS_ONLY.copysign(value);
    (value + magnitude) - magnitude
}

/// As x86-64 converts: what does not fit becomes the smallest number, where Rust would saturate.
#[inline]
fn to_i64(value: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
    if value >= LIMIT || value.is_nan() {
        return i64::MIN;
    }
    value as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(offsets: &[(u64, i64)]) -> Stamps {
        let offset =
            |&(time, offset): &(u64, i64)| ClockOffset { time, offset, standard_deviation: 0.0 };
        let offsets: Vec<_> = offsets.iter().map(offset).collect();
        Stamps::new(Clock::new(&offsets).unwrap())
    }

    #[test]
    fn a_single_offset_corrects_nothing() {
        assert_eq!(stamps(&[(10, 500)]).correct(Ticks(20)), Ticks(20));
        assert_eq!(stamps(&[]).correct(Ticks(20)), Ticks(20));
    }

    #[test]
    fn times_before_and_after_are_extrapolated() {
        let mut stamps = stamps(&[(100, 10), (200, 20), (300, 0)]);
        assert_eq!(stamps.correct(Ticks(0)), Ticks(0));
        assert_eq!(stamps.correct(Ticks(150)), Ticks(165));
        assert_eq!(stamps.correct(Ticks(200)), Ticks(220));
        assert_eq!(stamps.correct(Ticks(250)), Ticks(260));
        assert_eq!(stamps.correct(Ticks(400)), Ticks(380));
    }

    #[test]
    fn the_interval_never_moves_back() {
        let mut stamps = stamps(&[(100, 10), (200, 20), (300, 0)]);
        stamps.correct(Ticks(250));
        // In the first interval this would be 165.
        assert_eq!(stamps.correct(Ticks(150)), Ticks(180));
    }

    #[test]
    fn halves_go_to_the_even_neighbour() {
        for (value, expected) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, 0.0), (-1.5, -2.0)] {
            assert_eq!(nearest_even(value), expected, "{value}");
            assert_eq!(nearest_even(value), f64::round_ties_even(value), "{value}");
        }
        assert_eq!(nearest_even(1e300), 1e300);
    }

    #[test]
    fn what_does_not_fit_becomes_the_smallest_number() {
        assert_eq!(to_i64(1e30), i64::MIN);
        assert_eq!(to_i64(-1e30), i64::MIN);
        assert_eq!(to_i64(f64::NAN), i64::MIN);
        assert_eq!(to_i64(-7.0), -7);
    }

    #[test]
    fn times_must_increase() {
        let offset = |time| ClockOffset { time, offset: 0, standard_deviation: 0.0 };
        let error = Clock::new(&[offset(5), offset(5)]).unwrap_err();
        assert_eq!(error, ClockError { before: 5, time: 5 });
    }
}
