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

    /// What a corrected time becomes, to the nearest tick, halves to even ones. Times before the first
    /// possible one wrap.
    pub fn corrected(&self, time: u64) -> u64 {
        if self.is_identity() {
            return time;
        }
        let since = i128::from(time) - i128::from(self.begin);
        self.at(since, 0, 1)
    }

    /// What the time `since` the begin, and the part `rest / of` of a tick, becomes. `0 <= rest < of`.
    fn at(&self, since: i128, rest: i128, of: i128) -> u64 {
        let (new, old) = (i128::from(self.scale.0), i128::from(self.scale.1));
        let ticks = since.wrapping_mul(new);
        let (whole, left) = (ticks.div_euclid(old), ticks.rem_euclid(old));
        // What is left of a tick: left / old + rest * new / (of * old).
        let numerator = left.wrapping_mul(of).wrapping_add(rest.wrapping_mul(new));
        let denominator = of.wrapping_mul(old).max(1);
        let whole = whole.wrapping_add(numerator.div_euclid(denominator));
        let twice = numerator.rem_euclid(denominator).wrapping_mul(2);
        // The result is even, not what is added.
        let odd = whole.wrapping_add(i128::from(self.to)) % 2 != 0;
        let up = twice > denominator || (twice == denominator && odd);
        self.to.wrapping_add(whole.wrapping_add(i128::from(up)) as u64)
    }

    /// The clock offsets of a location, by which readers make of times as they were recorded what they
    /// become: exact where there was an offset, or, where there were none, at the begin and the end of the
    /// trace.
    pub fn offsets(&self, old: &[ClockOffset]) -> Vec<ClockOffset> {
        if self.is_identity() {
            return old.to_vec();
        }
        let offset = |time: u64, corrected: u64, standard_deviation: f64| ClockOffset {
            time,
            offset: self.corrected(corrected).wrapping_sub(time) as i64,
            standard_deviation,
        };
        // A single one corrects nothing.
        if old.len() < 2 {
            let last = self.begin.checked_add(self.length.max(1));
            let (first, last) = match last {
                Some(last) => (self.begin, last),
                None => (self.begin.saturating_sub(1), u64::MAX),
            };
            return [first, last].map(|time| offset(time, time, 0.0)).to_vec();
        }
        let new = |old: &ClockOffset| {
            let corrected = old.time.wrapping_add(old.offset as u64);
            offset(old.time, corrected, old.standard_deviation)
        };
        let mut all: Vec<ClockOffset> = old.iter().map(new).collect();
        if self.scale != (1, 1) {
            self.reach(old, &mut all);
        }
        all
    }

    /// Adds clock offsets about where the trace begins and ends, if all others are within: ticks are whole,
    /// and beyond two offsets that are near to each other what is missing to that would grow.
    fn reach(&self, old: &[ClockOffset], all: &mut Vec<ClockOffset>) {
        let at = |time: u64| ClockOffset {
            time,
            offset: self.recorded(old, time).wrapping_sub(time) as i64,
            standard_deviation: 0.0,
        };
        let (first, last) = (&old[0], &old[old.len() - 1]);
        let corrected = |offset: &ClockOffset| offset.time.wrapping_add(offset.offset as u64);
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
    pub fn recorded(&self, offsets: &[ClockOffset], time: u64) -> u64 {
        let Some((from, to)) = interval(offsets, time) else { return self.corrected(time) };
        let length = i128::from(to.time) - i128::from(from.time);
        let rise = i128::from(to.offset.wrapping_sub(from.offset));
        let since = i128::from(time) - i128::from(from.time);
        let corrected = i128::from(time) + i128::from(from.offset);
        let more = since.wrapping_mul(rise);
        let begin = i128::from(self.begin);
        let length = length.max(1);
        let whole = corrected - begin + more.div_euclid(length);
        self.at(whole, more.rem_euclid(length), length)
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
        assert_eq!(now, [7, 10, 12, 14, 4]);
        assert_eq!(times.corrected(150), 7 + 125);
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
                let new = times.offsets(old);
                let clock = Clock::new(&new).expect("times ascend");
                let mut before = None;
                for time in (1_000..2_000_000).step_by(997) {
                    let exact = times.recorded(old, time);
                    let read = clock.correct_first(Ticks(time)).0;
                    assert!(exact.abs_diff(read) <= 2, "{resolution} {time}: {exact} {read}");
                    assert!(before.is_none_or(|before| before <= exact), "{time}");
                    before = Some(exact);
                }
                for ClockOffset { time, .. } in &new {
                    let read = clock.correct_first(Ticks(*time)).0;
                    assert_eq!(read, times.recorded(old, *time), "{resolution} {time}");
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
            times.corrected(time);
            times.recorded(&offsets, time);
            assert!(times.offsets(&[]).windows(2).all(|pair| pair[0].time < pair[1].time));
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
