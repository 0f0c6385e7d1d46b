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
    /// The index of the later offset, from 0.
    pub index: usize,
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
        let interval = |(before, pair): (usize, &[ClockOffset])| {
            let (first, last) = (&pair[0], &pair[1]);
            if last.time <= first.time {
                return Err(ClockError { index: before + 1, before: first.time, time: last.time });
            }
            let rise = last.offset.wrapping_sub(first.offset) as f64;
            let slope = rise / (last.time - first.time) as f64;
            Ok(Interval { begin: first.time, end: last.time, offset: first.offset, slope })
        };
        Ok(Clock {
            intervals: offsets.windows(2).enumerate().map(interval).collect::<Result<_, _>>()?,
        })
    }

    /// Tells whether times stay as they are.
    pub fn is_identity(&self) -> bool {
        self.intervals.is_empty()
    }

    /// The first time up to `last`, as recorded, whose corrected time is not before one; `last` where
    /// there is none. Both for a time that is the first of a stream.
    pub fn first_not_before(&self, corrected: Ticks, last: Ticks) -> Ticks {
        let is_before = |time: u64| self.unwrapped(time) < i128::from(corrected.0);
        let (mut low, mut high) = (0, last.0);
        while low < high {
            let middle = low + (high - low) / 2;
            match is_before(middle) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ticks(low)
    }

    /// The last time from `first` up to `last`, as recorded, whose corrected time is not behind one;
    /// `first` where there is none.
    pub fn last_not_behind(&self, corrected: Ticks, first: Ticks, last: Ticks) -> Ticks {
        let is_behind = |time: u64| self.unwrapped(time) > i128::from(corrected.0);
        let (mut low, mut high) = (first.0, last.0.max(first.0));
        while low < high {
            let middle = high - (high - low) / 2;
            match is_behind(middle) {
                true => high = middle - 1,
                false => low = middle,
            }
        }
        Ticks(low)
    }

    /// The corrected time of the first of a stream, also where it is before 0 or behind the last tick.
    fn unwrapped(&self, time: u64) -> i128 {
        let Some((_, with_end)) = self.intervals.split_last() else { return time.into() };
        let interval = with_end.partition_point(|interval| time > interval.end);
        let Interval { begin, offset, slope, .. } = self.intervals[interval];
        let distance = match time >= begin {
            true => (time - begin) as f64,
            false => -((begin - time) as f64),
        };
        let moved = to_i64((slope * distance).round_ties_even());
        i128::from(time) + i128::from(offset) + i128::from(moved)
    }

    /// The corrected time, where it is the first of a stream.
    pub fn correct_first(&self, time: Ticks) -> Ticks {
        let Some((_, with_end)) = self.intervals.split_last() else { return time };
        let interval = with_end.partition_point(|interval| time.0 > interval.end);
        Ticks(self.line(interval).map_or(time.0, |line| line.correct_slowly(time.0)))
    }
}

/// Corrects the times of one stream of events. The interval in use only ever moves forward, so
/// the result for a time can depend on the times before it, as it does in the reference.
#[derive(Clone, Debug)]
pub struct Stamps {
    clock: Clock,
    interval: usize,
    /// That of the interval in use, or [`Line::IDENTITY`].
    line: Line,
}

/// Coefficients of an interval, which each time in it is corrected with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    begin: u64,
    /// Later times belong to the next interval; the last one has no end.
    end: u64,
    slope: f64,
    /// Up to so many ticks behind the begin the correction is an ordinary number; see
    /// [`Line::correct`].
    ordinary: u64,
    /// The offset, less the bits of [`ROUNDING`], which [`Line::correct`] leaves in what it adds.
    shift: u64,
}

impl Line {
    /// Times stay as they are.
    const IDENTITY: Line =
        Line { begin: 0, end: u64::MAX, slope: 0.0, ordinary: u64::MAX, shift: shift(0) };
}

impl Stamps {
    /// Begins with the first interval.
    pub fn new(clock: Clock) -> Self {
        let line = clock.line(0).unwrap_or(Line::IDENTITY);
        Stamps { clock, interval: 0, line }
    }

    /// Returns the clock.
    pub fn into_clock(self) -> Clock {
        self.clock
    }

    /// Tells whether times stay as they are.
    pub fn is_identity(&self) -> bool {
        self.clock.is_identity()
    }

    /// The corrected time.
    #[inline(always)]
    pub fn correct(&mut self, time: Ticks) -> Ticks {
        self.line.correct(time).unwrap_or_else(|| self.correct_slowly(time))
    }

    /// Returns the line that corrects most times up to the next call of [`Stamps::correct`].
    #[inline(always)]
    pub(super) fn line(&self) -> Line {
        self.line
    }

    /// The interval in use, from 0.
    pub fn interval(&self) -> usize {
        self.interval
    }

    /// Uses an interval or, where there are not so many, the last one; never an earlier one than now.
    pub fn skip_to(&mut self, interval: usize) {
        let last = self.clock.intervals.len().saturating_sub(1);
        self.interval = self.interval.max(interval.min(last));
        self.line = self.clock.line(self.interval).unwrap_or(Line::IDENTITY);
    }

    #[cold]
    fn correct_slowly(&mut self, Ticks(time): Ticks) -> Ticks {
        while time > self.line.end {
            self.interval += 1;
            let beyond = Line { end: u64::MAX, ..self.line };
            self.line = self.clock.line(self.interval).unwrap_or(beyond);
        }
        Ticks(self.line.correct_slowly(time))
    }
}

impl Clock {
    fn line(&self, interval: usize) -> Option<Line> {
        let Interval { begin, end, offset, slope } = *self.intervals.get(interval)?;
        let is_last = interval + 1 == self.intervals.len();
        let end = if is_last { u64::MAX } else { end };
        let ordinary = ordinary(end - begin, slope);
        Some(Line { begin, end, slope, ordinary, shift: shift(offset) })
    }
}

/// The sum of it and a smaller number is an integer in its lowest bits: rounded, halves to the even
/// one.
const ROUNDING: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
/// Far enough below 2^51 that nothing that is rounded on the way leads beyond that.
const LARGEST: f64 = 1_125_899_906_842_624.0; // 2^50

/// See [`Line::shift`].
const fn shift(offset: i64) -> u64 {
    (offset as u64).wrapping_sub(ROUNDING.to_bits())
}

/// How far from the begin of an interval, in ticks, its correction is smaller than [`LARGEST`] and
/// the distance a positive number of 64 bits with a sign.
fn ordinary(length: u64, slope: f64) -> u64 {
    // A slope is a quotient of integers, so this is a number, or infinite, which becomes the largest.
    let small = (LARGEST / slope.abs()) as u64;
    length.min(small).min(i64::MAX as u64)
}

impl Line {
    /// The corrected time, where it lies in the interval and the correction is an ordinary number.
    #[inline(always)]
    pub(super) fn correct(&self, Ticks(time): Ticks) -> Option<Ticks> {
        let distance = time.wrapping_sub(self.begin);
        if distance > self.ordinary {
            return None;
        }
        let moved = self.slope * distance as i64 as f64;
        let rounded = (moved + ROUNDING).to_bits();
        Some(Ticks(time.wrapping_add(self.shift).wrapping_add(rounded)))
    }

    /// The same for any time.
    fn correct_slowly(&self, time: u64) -> u64 {
        let distance = match time >= self.begin {
            true => (time - self.begin) as f64,
            false => -((self.begin - time) as f64),
        };
        let moved = to_i64((self.slope * distance).round_ties_even());
        let offset = self.shift.wrapping_add(ROUNDING.to_bits());
        time.wrapping_add(offset).wrapping_add_signed(moved)
    }
}

/// As x86-64 converts: what does not fit becomes the smallest number, where Rust would saturate.
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
    fn the_first_time_of_a_stream_is_corrected_as_any() {
        for offsets in
            [&[][..], &[(100, 10)], &[(100, 10), (200, 20)], &[(100, 10), (200, 20), (300, 0)]]
        {
            let first = stamps(offsets).into_clock();
            for time in [0, 99, 100, 101, 200, 201, 250, 300, 301, 1000, u64::MAX - 5, u64::MAX] {
                let expected = stamps(offsets).correct(Ticks(time));
                assert_eq!(first.correct_first(Ticks(time)), expected, "{offsets:?} {time}");
            }
        }
    }

    /// Corrected times of this clock skip some ticks and meet others twice.
    #[test]
    fn bounds_are_found_among_recorded_times() {
        for offsets in [&[][..], &[(100, -40), (1100, 960)], &[(100, 900), (1100, 400), (2000, 0)]]
        {
            let clock = stamps(offsets).into_clock();
            let corrected = |time: u64| clock.unwrapped(time);
            for bound in (0..3000).step_by(7) {
                let first = clock.first_not_before(Ticks(bound), Ticks(5000)).0;
                assert!(corrected(first) >= bound.into(), "{offsets:?} {bound}");
                assert!(first == 0 || corrected(first - 1) < bound.into(), "{offsets:?} {bound}");
                let last = clock.last_not_behind(Ticks(bound), Ticks(3), Ticks(5000)).0;
                assert!(last == 3 || corrected(last) <= bound.into(), "{offsets:?} {bound}");
                assert!(corrected(last + 1) > bound.into(), "{offsets:?} {bound}");
            }
            assert_eq!(clock.first_not_before(Ticks(u64::MAX), Ticks(50)), Ticks(50));
            assert_eq!(clock.last_not_behind(Ticks(0), Ticks(7), Ticks(3)), Ticks(7));
        }
    }

    #[test]
    fn the_interval_never_moves_back() {
        let mut stamps = stamps(&[(100, 10), (200, 20), (300, 0)]);
        stamps.correct(Ticks(250));
        // In the first interval this would be 165.
        assert_eq!(stamps.correct(Ticks(150)), Ticks(180));
    }

    #[test]
    fn the_line_of_those_who_correct_nothing_changes_no_time() {
        for time in [0, 1, 1 << 51, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX].map(Ticks) {
            assert_eq!(Line::IDENTITY.correct(time), Some(time));
        }
    }

    /// Both ways to correct a time say the same wherever both know an answer.
    #[test]
    fn the_short_way_rounds_like_the_long_one() {
        let mut answers = 0;
        for slope in [0.5, -0.5, 1.5e-5, -3.7e-9, 0.0, 1.0, 123_456.789, 1e300] {
            for begin in [0, 7, 1 << 52, 1 << 63, u64::MAX - 3] {
                let end = u64::MAX;
                let ordinary = ordinary(end - begin, slope);
                let line = Line { begin, end, slope, ordinary, shift: shift(-17) };
                let far = [1 << 40, (1 << 50) + 1, (1 << 51) + 1, (1 << 63) - 1, 1 << 63];
                let steps = [0_u64, 1, 2, 3, 5, 1001, ordinary, ordinary.wrapping_add(1)];
                for step in steps.into_iter().chain(far) {
                    for time in [begin.wrapping_add(step), begin.wrapping_sub(step)] {
                        if let Some(corrected) = line.correct(Ticks(time)) {
                            assert_eq!(corrected.0, line.correct_slowly(time), "{line:?} {time}");
                            answers += 1;
                        }
                    }
                }
            }
        }
        assert!(answers > 200, "{answers}");
    }

    #[test]
    fn halves_go_to_the_even_neighbour() {
        let line = Line { slope: 0.5, ordinary: 100, ..Line::IDENTITY };
        for (time, corrected) in [(1, 1), (3, 5), (5, 7), (7, 11)] {
            assert_eq!(line.correct(Ticks(time)), Some(Ticks(corrected)), "{time}");
        }
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
        assert_eq!(error, ClockError { index: 1, before: 5, time: 5 });
    }
}
