//! Clock offsets by which readers find what times become.
//!
//! Readers go along a straight line from one clock offset to the next, in double precision, section 9 of
//! the format: `time + offset + rint(slope * (time - begin))`. Clock offsets are whole ticks, so the line is
//! off by half a tick at most; so is what is rounded at the end. The slope, the distances that lead to it and
//! along it, and their product are rounded to 53 bits. As long as a line adds no more than [`RISE`] ticks,
//! that is 0.88 ticks at most, and at the end of the line, where distances are the same, so little that
//! the result is exact. So no line that events need adds or takes away more. Then times are exact at the
//! clock offsets, within two ticks between them, and in their order, where a tick stays at least half of one:
//! along steeper lines downwards halves, which go to even numbers, may make a step back of a tick.

use std::ops::RangeInclusive;

use streamfold_model::definitions::ClockOffset;

use super::{Beyond, Times};

/// Ticks that a line between two clock offsets adds or takes away at most.
const RISE: u128 = 1 << 51;

/// Number of clock offsets that are added to those of a location at most. If times stay in their order, lines add and take
/// away no more than 2^65 ticks in all, as times have 64 bits. That needs 2^14.
const MOST: u128 = 1 << 15;

/// Clock offsets of a location, and what they cannot say of its events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Breaks {
    /// Their times ascend.
    pub offsets: Vec<ClockOffset>,
    /// True if new times of events would be less than 0, or more than 2^63 ticks earlier. The nearest possible ones
    /// stand for them.
    pub early: bool,
    /// True if new times of events do not fit into 64 bits, or are more than 2^63 ticks later. The nearest possible
    /// ones stand for them.
    pub late: bool,
    /// True if readers find some events more than two ticks away. Then lines are so steep, or go up and down so much,
    /// that they need too many clock offsets.
    pub coarse: bool,
}

impl Times {
    /// The clock offsets of a location, by which readers make of times as they were recorded what they
    /// become. They are exact where there was a clock offset, and at the first and the last of the `events`
    /// where those are not between two, and as few as that and two ticks everywhere need.
    ///
    /// `old`: the clock offsets so far, whose times ascend; `events`: the times between which the location
    /// has events, as they were recorded, if it has any.
    pub fn breaks(&self, old: &[ClockOffset], events: Option<RangeInclusive<u64>>) -> Breaks {
        if self.is_identity() {
            return Breaks { offsets: old.to_vec(), ..Breaks::default() };
        }
        // A single one corrects nothing.
        let old = if old.len() < 2 { &[] } else { old };
        let Some(events) = events else {
            let offsets = old.iter().filter_map(|offset| self.moved_offset(old, offset));
            return Breaks { offsets: offsets.collect(), ..Breaks::default() };
        };
        // One clock offset is none for readers.
        let (first, last) = events.into_inner();
        let (from, to) = match first < last {
            true => (first, last),
            false => (first - u64::from(first == u64::MAX), first.saturating_add(1)),
        };
        let way = Way { times: self, old, events: first..=last };
        let mut knots = way.before(from);
        knots.extend(old.iter().map(Knot::of).filter(|knot| (from + 1..to).contains(&knot.time)));
        knots.extend(way.behind(to));
        way.breaks(way.bends(&knots))
    }

    /// A clock offset where no event is; `None`: no number says it.
    fn moved_offset(&self, old: &[ClockOffset], offset: &ClockOffset) -> Option<ClockOffset> {
        let now = self.exact(old, offset.time).ok()?;
        let moved = i64::try_from(now.saturating_sub(offset.time.into())).ok()?;
        Some(ClockOffset { offset: moved, ..offset.clone() })
    }
}

/// A time at which there is a clock offset.
#[derive(Clone, Copy, Debug)]
struct Knot {
    time: u64,
    standard_deviation: f64,
}

impl Knot {
    fn at(time: u64) -> Knot {
        Knot { time, standard_deviation: 0.0 }
    }

    fn of(offset: &ClockOffset) -> Knot {
        Knot { time: offset.time, standard_deviation: offset.standard_deviation }
    }
}

/// New time, as far as clock offsets can represent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Said {
    offset: i64,
    /// Side of the exact time, if it is out of range.
    beyond: Option<Beyond>,
}

/// The way from recorded times to what they become.
struct Way<'a> {
    times: &'a Times,
    old: &'a [ClockOffset],
    /// The times of events as they were recorded.
    events: RangeInclusive<u64>,
}

impl Way<'_> {
    /// Returns the new time of a time, or the nearest possible one.
    fn said(&self, time: u64) -> Said {
        let time = i128::from(time);
        let most = i128::from(i64::MAX);
        // The result of a clock offset must itself be a time.
        let (lowest, highest) = ((-most).max(-time), most.min(i128::from(u64::MAX) - time));
        let exact = self.exact(time as u64);
        let (offset, beyond) = match exact {
            Err(Beyond::Before) => (lowest, Some(Beyond::Before)),
            Err(Beyond::After) => (highest, Some(Beyond::After)),
            Ok(offset) if offset < lowest => (lowest, Some(Beyond::Before)),
            Ok(offset) if offset > highest => (highest, Some(Beyond::After)),
            Ok(offset) => (offset, None),
        };
        Said { offset: offset as i64, beyond }
    }

    /// Returns the side on which an event at this time is out of range, if it is.
    fn beyond(&self, time: u64) -> Option<Beyond> {
        self.events.contains(&time).then(|| self.said(time).beyond).flatten()
    }

    /// The offset at a time, however large.
    fn exact(&self, time: u64) -> Result<i128, Beyond> {
        let now = self.times.exact(self.old, time)?;
        Ok(now.saturating_sub(time.into()))
    }

    /// Returns the offset at a knot. A time before the first possible one is allowed if no event has it.
    fn offset(&self, knot: &Knot) -> i64 {
        match self.exact(knot.time).map(i64::try_from) {
            Ok(Ok(offset)) if !self.events.contains(&knot.time) => offset,
            _ => self.said(knot.time).offset,
        }
    }

    /// Returns whether a clock offset can represent the new time, at a time without an event.
    fn fits(&self, knot: &Knot) -> bool {
        matches!(self.exact(knot.time).map(i64::try_from), Ok(Ok(_)))
    }

    /// How much the line between two knots adds or takes away.
    fn rise(&self, from: &Knot, to: &Knot) -> u128 {
        let [from, to] = [from, to].map(|knot| i128::from(self.offset(knot)));
        from.abs_diff(to)
    }

    /// The clock offsets from which the line to the first event comes: those that there were, or the
    /// event's own.
    fn before(&self, first: u64) -> Vec<Knot> {
        let count = self.old.partition_point(|offset| offset.time <= first);
        let knots: Vec<Knot> = self.old[..count].iter().map(Knot::of).collect();
        let next = self.old.get(count).map_or(Knot::at(first), Knot::of);
        match knots.last() {
            Some(last) if self.stay(&knots, first) && self.rise(last, &next) <= RISE => knots,
            _ => vec![self.known(first)],
        }
    }

    /// The same to which the line from the last event goes.
    fn behind(&self, last: u64) -> Vec<Knot> {
        let count = self.old.partition_point(|offset| offset.time < last);
        let knots: Vec<Knot> = self.old[count..].iter().map(Knot::of).collect();
        let before = count.checked_sub(1).map_or(Knot::at(last), |at| Knot::of(&self.old[at]));
        match knots.first() {
            Some(first) if self.stay(&knots, last) && self.rise(&before, first) <= RISE => knots,
            _ => vec![self.known(last)],
        }
    }

    /// Returns whether clock offsets about an event can stay as they were.
    fn stay(&self, knots: &[Knot], event: u64) -> bool {
        knots.iter().all(|knot| self.fits(knot)) && self.said(event).beyond.is_none()
    }

    /// A knot at this time, perhaps one that there was.
    fn known(&self, time: u64) -> Knot {
        let known = self.old.iter().find(|offset| offset.time == time);
        known.map_or(Knot::at(time), Knot::of)
    }

    /// The same knots, and others where lines bend since what would follow cannot be said.
    fn bends(&self, knots: &[Knot]) -> Vec<Knot> {
        let mut all: Vec<Knot> = Vec::with_capacity(knots.len());
        let add = |time: u64, all: &mut Vec<Knot>| {
            if all.last().is_none_or(|last| last.time < time) {
                all.push(Knot::at(time));
            }
        };
        // Only times with events have to be represented.
        let beyond = |time: u64| self.beyond(time);
        for pair in knots.windows(2) {
            all.extend(all.last().is_none_or(|last| last.time < pair[0].time).then_some(pair[0]));
            let (mut from, to) = (pair[0].time, pair[1].time);
            let end = beyond(to);
            while beyond(from) != end {
                let side = beyond(from);
                let last = last_where(from..=to, |time| beyond(time) == side);
                self.bend(from..=last, side, |time| add(time, &mut all));
                add(last, &mut all);
                from = last + 1;
                if from < to {
                    add(from, &mut all);
                }
            }
            self.bend(from..=to, end, |time| add(time, &mut all));
        }
        all.extend(knots.last());
        all
    }

    /// The nearest that can be said bends once: where it comes to the end of what 64 bits can say.
    fn bend(&self, times: RangeInclusive<u64>, beyond: Option<Beyond>, mut add: impl FnMut(u64)) {
        const BEND: u64 = i64::MAX as u64;
        let (first, last) = times.into_inner();
        if beyond.is_some() && first < BEND && BEND + 1 < last {
            add(BEND);
            add(BEND + 1);
        }
    }

    /// Clock offsets at these knots, and between them where lines are too long.
    fn breaks(&self, knots: Vec<Knot>) -> Breaks {
        let mut breaks = Breaks::default();
        let mut left = MOST;
        for (i, knot) in knots.iter().enumerate() {
            self.add(knot, &mut breaks);
            let Some(next) = knots.get(i + 1) else { continue };
            let has_events = knot.time <= *self.events.end() && *self.events.start() <= next.time;
            let rise = self.rise(knot, next);
            if !has_events || rise <= RISE {
                continue;
            }
            match pieces(next.time - knot.time, rise).filter(|count| count - 1 <= left) {
                Some(count) => {
                    left -= count - 1;
                    let length = u128::from(next.time - knot.time);
                    for piece in 1..count {
                        let since = length * piece / count;
                        self.add(&Knot::at(knot.time + since as u64), &mut breaks);
                    }
                }
                None => breaks.coarse = true,
            }
        }
        breaks
    }

    fn add(&self, knot: &Knot, breaks: &mut Breaks) {
        let Knot { time, standard_deviation } = *knot;
        let beyond = self.beyond(time);
        breaks.early |= beyond == Some(Beyond::Before);
        breaks.late |= beyond == Some(Beyond::After);
        let offset = self.offset(knot);
        breaks.offsets.push(ClockOffset { time, offset, standard_deviation });
    }
}

/// Into how many pieces a line is cut, so that none adds or takes away too much; `None`: there are not so
/// many ticks.
fn pieces(length: u64, rise: u128) -> Option<u128> {
    let longest = (RISE * u128::from(length)).checked_div(rise)?;
    (longest > 0).then(|| u128::from(length).div_ceil(longest))
}

/// The last of these times for which something holds that holds for the first ones only, and for the first.
fn last_where(times: RangeInclusive<u64>, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = times.into_inner();
    while low < high {
        let middle = high - (high - low) / 2;
        match holds(middle) {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    low
}

#[cfg(test)]
mod tests;
