//! What the times of a trace become among those of others.

use streamfold_model::definitions::{ClockOffset, ClockProperties};

/// A straight line from the times of a trace, as its clock offsets correct them, to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// When the trace begins and how long it is, in its own ticks.
    begin: u64,
    length: u64,
    /// What the begin becomes.
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

    /// Whether all times stay as they are.
    pub fn is_identity(&self) -> bool {
        self.scale == (1, 1) && self.begin == self.to
    }

    /// What a corrected time becomes, to the nearest tick, halves to even ones.
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

    /// What the time `since` the begin, and the part `rest / of` of a tick, becomes. `0 <= rest < of`.
    fn at(&self, since: i128, rest: i128, of: i128) -> Result<i128, Beyond> {
        let (new, old) = (i128::from(self.scale.0), i128::from(self.scale.1));
        let beyond = if since < 0 { Beyond::Before } else { Beyond::After };
        let ticks = since.checked_mul(new).ok_or(beyond)?;
        let (whole, left) = (ticks.div_euclid(old), ticks.rem_euclid(old));
        // So far apart are clock offsets that parts of ticks are next to nothing.
        let large = u32::from(of >> 62 > 0) * 32;
        let (rest, of) = (rest >> large, of >> large);
        // What is left of a tick: left / old + rest * new / (of * old).
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

    /// The clock offsets of a location, by which readers make of times as they were recorded what they
    /// become: exact where there was an offset, or, where there were none, at the begin and the end of the
    /// trace. And whether all of that can be said in 64 bits; else it is the nearest that can be.
    pub fn offsets(&self, old: &[ClockOffset]) -> (Vec<ClockOffset>, bool) {
        let mut fits = true;
        let offsets = self.new_offsets(old, &mut fits);
        (offsets, fits)
    }

    fn new_offsets(&self, old: &[ClockOffset], fits: &mut bool) -> Vec<ClockOffset> {
        if self.is_identity() {
            return old.to_vec();
        }
        // Before the begin of the trace a time may well be less than 0: no event has it.
        let mut offset = |time: u64, corrected: i128, standard_deviation: f64| {
            let (offset, exact) = difference(self.moved(corrected), time);
            *fits &= exact;
            ClockOffset { time, offset, standard_deviation }
        };
        // A single one corrects nothing.
        if old.len() < 2 {
            let last = self.begin.checked_add(self.length.max(1));
            let (first, last) = match last {
                Some(last) => (self.begin, last),
                None => (self.begin.saturating_sub(1), u64::MAX),
            };
            return [first, last].map(|time| offset(time, time.into(), 0.0)).to_vec();
        }
        let new = |old: &ClockOffset| offset(old.time, corrected(old), old.standard_deviation);
        let mut all: Vec<ClockOffset> = old.iter().map(new).collect();
        if self.scale != (1, 1) {
            self.reach(old, &mut all, fits);
        }
        all
    }

    /// Adds clock offsets about where the trace begins and ends, if all others are within: ticks are whole,
    /// and beyond two offsets that are near to each other what is missing to that would grow.
    fn reach(&self, old: &[ClockOffset], all: &mut Vec<ClockOffset>, fits: &mut bool) {
        let mut at = |time: u64| {
            let (offset, exact) = difference(self.exact(old, time), time);
            *fits &= exact;
            ClockOffset { time, offset, standard_deviation: 0.0 }
        };
        let (first, last) = (&old[0], &old[old.len() - 1]);
        let corrected = |offset: &ClockOffset| nearest(fitting(corrected(offset)));
        let before = corrected(first).saturating_sub(self.begin);
        let time = first.time.saturating_sub(before);
        if time < first.time {
            all.insert(0, at(time));
        }
        let after = self.begin.saturating_add(self.length).saturating_sub(corrected(last));
        let time = last.time.saturating_add(after);
        if time > last.time {
            all.push(at(time));
        }
    }

    /// What a time as it was recorded becomes, where the location has these clock offsets: exactly, with
    /// one rounding at the end.
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
        let whole = corrected - begin + more.div_euclid(length);
        self.at(whole, more.rem_euclid(length), length)
    }

    /// Clock offsets by which readers make the first possible time of all that would be before it, from the
    /// time `first` on. `old`: those of the location; `offsets`: what they have become.
    pub fn from_first(
        &self,
        old: &[ClockOffset],
        offsets: Vec<ClockOffset>,
        first: u64,
    ) -> Vec<ClockOffset> {
        let is_before = |time: u64| self.recorded(old, time) == Err(Beyond::Before);
        // The last time that is before, as times ascend.
        let mut times = offsets.iter().map(|offset| offset.time);
        let end = times.find(|time| *time > first && !is_before(*time));
        let (mut last, mut end) = (first, end.unwrap_or(u64::MAX));
        while end.saturating_sub(last) > 1 {
            let middle = last + (end - last) / 2;
            if is_before(middle) {
                last = middle;
            } else {
                end = middle;
            }
        }
        let zero = |time: u64| ClockOffset {
            time,
            offset: difference(Ok(0), time).0,
            standard_deviation: 0.0,
        };
        let mut all = vec![zero(first)];
        all.extend((last > first).then(|| zero(last)));
        let behind: Vec<_> = offsets.into_iter().filter(|offset| offset.time > last).collect();
        if last < u64::MAX && behind.first().is_none_or(|next| next.time > last + 1) {
            let (offset, _) = difference(self.exact(old, last + 1), last + 1);
            all.push(ClockOffset { time: last + 1, offset, standard_deviation: 0.0 });
        }
        all.extend(behind);
        all
    }
}

/// What a time becomes, if it can be said in 64 bits.
pub type Now = Result<u64, Beyond>;

/// Where a time would be that cannot be said in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Before the first possible time.
    Before,
    /// After the last one.
    After,
}

/// The time, or the nearest one that can be said.
pub fn nearest(now: Now) -> u64 {
    now.unwrap_or_else(|beyond| match beyond {
        Beyond::Before => 0,
        Beyond::After => u64::MAX,
    })
}

fn fitting(time: i128) -> Now {
    let beyond = if time < 0 { Beyond::Before } else { Beyond::After };
    u64::try_from(time).map_err(|_| beyond)
}

/// What an offset makes of its time.
fn corrected(offset: &ClockOffset) -> i128 {
    i128::from(offset.time) + i128::from(offset.offset)
}

/// The offset that makes another time of one, and whether it does so exactly.
fn difference(now: Result<i128, Beyond>, time: u64) -> (i64, bool) {
    let offset = now.map(|now| now.saturating_sub(time.into()));
    let is_less = offset.map_or_else(|beyond| beyond == Beyond::Before, |offset| offset < 0);
    match offset.map(i64::try_from) {
        Ok(Ok(offset)) => (offset, true),
        _ => (if is_less { i64::MIN } else { i64::MAX }, false),
    }
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
    use crate::formats::otf2::Clock;
    use streamfold_model::values::Ticks;

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

    /// Readers that know nothing but the new offsets find what exact arithmetic says, to two ticks, and
    /// to the tick where offsets stand.
    #[test]
    fn new_offsets_say_what_times_become() {
        let cases = [
            vec![],
            vec![offset(5, 3)],
            vec![offset(1_000, -70), offset(90_000, 15), offset(2_000_000, 800)],
            // Near to each other, and far from the begin and the end.
            vec![
                offset(800_000, 40),
                offset(800_100, 41),
                offset(900_000, 50),
                offset(900_001, 50),
            ],
        ];
        for (resolution, to) in [(1_000_000, 20_000), (2_600_000_013, 1 << 40), (999_999, 30_000)] {
            let times = Times::new(&clock(1_000_000, 1_000, 2_000_000), to, resolution);
            for old in &cases {
                let (new, fits) = times.offsets(old);
                assert!(fits);
                let clock = Clock::new(&new).expect("times ascend");
                let mut before = None;
                for time in (1_000..2_000_000).step_by(997) {
                    let exact = times.recorded(old, time).expect("it fits");
                    let read = clock.correct_first(Ticks(time)).0;
                    assert!(exact.abs_diff(read) <= 2, "{resolution} {time}: {exact} {read}");
                    assert!(before.is_none_or(|before| before <= exact), "{time}");
                    before = Some(exact);
                }
                for ClockOffset { time, .. } in &new {
                    let read = clock.correct_first(Ticks(*time)).0;
                    assert_eq!(Ok(read), times.recorded(old, *time), "{resolution} {time}");
                }
            }
        }
    }

    #[test]
    fn whatever_the_numbers_are_nothing_panics() {
        let many = [0, 1, 1 << 31, u64::MAX / 2, u64::MAX - 1, u64::MAX];
        for (begin, length, to, resolution, time) in all_of_five(&many) {
            let times = Times::new(&clock(resolution, begin, length), to, time);
            let offsets = [offset(begin.min(5), i64::MIN), offset(u64::MAX, i64::MAX)];
            let _ =
                (times.corrected(time), times.recorded(&offsets, time), times.offsets(&offsets));
            assert!(times.offsets(&[]).0.windows(2).all(|pair| pair[0].time < pair[1].time));
        }
    }

    #[test]
    fn times_that_cannot_be_said_are_none() {
        let back = Times::new(&clock(1_000, 100, 50), 7, 1_000);
        let now = [93, 92, 0].map(|time| back.corrected(time));
        assert_eq!(now, [Ok(0), Err(Beyond::Before), Err(Beyond::Before)]);
        let far = Times::new(&clock(1, 0, 50), u64::MAX - 10, 4);
        assert_eq!([2, 3].map(|time| far.corrected(time)), [Ok(u64::MAX - 2), Err(Beyond::After)]);
        assert!(!far.offsets(&[]).1);
        // So far that an offset cannot say it, though both times can be said.
        let (offsets, fits) = Times::new(&clock(1, 0, 1), 1 << 63, 1).offsets(&[]);
        assert_eq!((offsets[0].offset, fits), (i64::MAX, false));
        // Where no event is, a time may be before the first one.
        let early = [offset(80, 5), offset(120, 5)];
        let expected = [offset(80, -88), offset(120, -88)];
        assert_eq!(back.offsets(&early), (expected.to_vec(), true));
        let steep = [offset(0, i64::MIN), offset(u64::MAX, i64::MAX)];
        assert_eq!(back.recorded(&steep, 1), Err(Beyond::Before));
    }

    /// Readers, who know nothing but the offsets, find 0 before, and the rest as it would be.
    #[test]
    fn what_would_be_before_the_first_time_is_the_first_time() {
        for old in [vec![], vec![offset(1_000, -70), offset(90_000, 15)]] {
            let times = Times::new(&clock(1_000, 1_000, 90_000), 300, 1_700);
            let (offsets, _) = times.offsets(&old);
            let offsets = times.from_first(&old, offsets, 3);
            let clock = Clock::new(&offsets).expect("times ascend");
            for time in (3..95_000).step_by(7) {
                let exact = nearest(times.recorded(&old, time));
                let read = clock.correct_first(Ticks(time)).0;
                assert!(exact.abs_diff(read) <= 2, "{time}: {exact} {read}");
            }
        }
    }

    fn all_of_five(values: &[u64]) -> impl Iterator<Item = (u64, u64, u64, u64, u64)> + '_ {
        let n = values.len();
        (0..n.pow(5)).map(move |i| {
            let at = |digit: u32| values[i / n.pow(digit) % n];
            (at(0), at(1), at(2), at(3), at(4))
        })
    }
}
