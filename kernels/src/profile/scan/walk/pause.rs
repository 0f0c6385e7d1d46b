//! Periods in which something else than a visit of a region goes on: recording is off, or the buffer is written
//! out.

use serde::{Deserialize, Serialize};
use streamfold_model::values::Ticks;

use super::Walk;
use crate::profile::result::window::{Charge, Cut};
use crate::profile::tree::step::Step;
use crate::profile::tree::PathIndex;

/// A period in which recording is off.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Off {
    pub path: PathIndex,
    /// When it began, in ticks.
    pub since: u64,
    pub carried: Option<Charge>,
}

/// A period in which the buffer is written out.
///
/// The event that did not fit has the time of its start, and is stored behind it: the event happens first. Any later
/// event ends the period, whatever its record says.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Flush {
    /// When it began, in ticks.
    since: u64,
    stop: Ticks,
    /// Set if recording is off again when it ends.
    was_off: bool,
    carried: Option<Charge>,
}

impl Walk {
    /// Recording goes off.
    pub(crate) fn measurement_off(&mut self, time: Ticks) {
        self.go_to(time);
        match &mut self.flush {
            Some(flush) => flush.was_off = true,
            None if self.off.is_none() => self.begin_off(),
            None => {}
        }
    }

    fn begin_off(&mut self) {
        let path = self.path_here(Step::MeasurementOff);
        self.off = Some(Off { path, since: self.now, carried: None });
    }

    /// Recording goes on.
    pub(crate) fn measurement_on(&mut self, time: Ticks) {
        self.go_to(time);
        self.end_of_off();
    }

    /// Ends the period in which recording is off, if it is.
    pub(crate) fn end_of_off(&mut self) {
        if let Some(flush) = &mut self.flush {
            flush.was_off = false;
        }
        if let Some(Off { path, since, carried }) = self.off.take() {
            self.away = self.away.saturating_add(self.now - since);
            self.add_visit(path, since, carried);
        }
    }

    /// Returns the clock at an event of this time, and the ticks so far in which recording was off or the buffer was
    /// written out.
    pub(crate) fn present(&self, time: Ticks) -> (u64, u64) {
        let now = self.now.max(time.0);
        let (now, pause) = match (&self.flush, &self.off) {
            (Some(flush), _) => {
                let end = flush.stop.0.clamp(self.now, now);
                (now, if flush.was_off { now } else { end } - flush.since)
            }
            (None, Some(off)) => (now, now - off.since),
            (None, None) => (now, 0),
        };
        (now, self.away.saturating_add(pause))
    }

    /// The buffer is written out from a time to another.
    pub(crate) fn buffer_flush(&mut self, time: Ticks, stop: Ticks) {
        self.go_to(time);
        let before = self.flush.map(|flush| (flush.was_off, flush.stop));
        let (was_off, last) = before.unwrap_or((self.off.is_some(), stop));
        // Recording ends first, so that the end of the flush before, at the same time, does not begin that again.
        self.end_of_off();
        self.end_flush(Some(self.now));
        // The recorded end of the flush before is checked here; the larger one is checked at its own end.
        self.oddities.wrong_flushes += u64::from(stop.0 < self.now && last.0 >= self.now);
        let (since, stop) = (self.now, stop.max(last));
        self.flush = Some(Flush { since, stop, was_off, carried: None });
    }

    /// Ends a flush that began before this time: an event happens.
    pub(crate) fn end_flush_before(&mut self, time: Ticks) {
        let Some(flush) = self.flush.filter(|_| time.0 > self.now) else { return };
        self.oddities.wrong_flushes += u64::from(flush.stop > time);
        self.end_flush(Some(time.0));
    }

    /// Ends a flush, if there is one; at `latest`, if an event happens then.
    fn end_flush(&mut self, latest: Option<u64>) {
        let Some(Flush { since, stop, was_off, carried }) = self.flush.take() else { return };
        self.oddities.wrong_flushes += u64::from(stop.0 < since);
        let path = self.path_here(Step::BufferFlush);
        self.pass(latest.map_or(stop, |latest| Ticks(latest.min(stop.0))));
        self.away = self.away.saturating_add(self.now - since);
        self.add_visit(path, since, carried);
        if was_off {
            self.begin_off();
        }
    }

    /// When the last flush ends, in ticks, if nothing at a later time happens behind it.
    pub(crate) fn end_of_flush(&self) -> Option<u64> {
        self.flush.map(|flush| flush.stop.0.max(self.now))
    }

    /// The last flush, if nothing at a later time has happened behind it.
    pub(crate) fn flush(&self) -> Option<Flush> {
        self.flush
    }

    /// The last flush is this one.
    pub(crate) fn set_flush(&mut self, flush: Option<Flush>) {
        self.flush = flush;
    }

    /// Nothing happens before a time, in ticks: whether the last flush ends before is known.
    pub(crate) fn look_to(&mut self, time: u64) {
        if self.flush.is_some_and(|flush| flush.stop.0 <= time) {
            self.end_flush(None);
        }
    }

    /// Up to now something else than a visit of a region goes on, which was so when the window began;
    /// returns how long.
    pub(crate) fn carry_pause(&mut self, now: u64) -> u64 {
        let Some((charge, _)) = self.pause(now) else { return 0 };
        let carried = Some(charge);
        match (&mut self.flush, &mut self.off) {
            (Some(flush), _) => flush.carried = carried,
            (None, Some(off)) => off.carried = carried,
            (None, None) => {}
        }
        charge.inclusive
    }

    /// The same when the window ends.
    pub(crate) fn cut_pause(&mut self, now: u64, cut: &mut Cut) -> u64 {
        let Some((charge, carried)) = self.pause(now) else { return 0 };
        cut.visit(charge, carried, &mut self.taken_back);
        charge.inclusive
    }

    /// For how long something was open in the present stack, when it is `now`, in ticks.
    pub(crate) fn busy(&self, now: u64) -> u64 {
        let paused = self.flush.map(|flush| flush.since).or(self.off.map(|off| off.since));
        self.stack.busy(now, paused.map_or(0, |since| now - since))
    }

    /// Returns the flush or period without recording that goes on, up to now, and its time in an earlier window.
    fn pause(&mut self, now: u64) -> Option<(Charge, Option<Charge>)> {
        let (path, since, carried) = match (self.flush, &self.off) {
            (Some(flush), _) => (self.path_here(Step::BufferFlush), flush.since, flush.carried),
            (None, Some(off)) => (off.path, off.since, off.carried),
            (None, None) => return None,
        };
        let inclusive = now - since;
        Some((Charge { path, inclusive, exclusive: inclusive }, carried))
    }

    /// Nothing follows: a flush ends when it says, and that recording is off has no end.
    pub(crate) fn end_pauses(&mut self) {
        self.end_flush(None);
        if let Some(Off { path, carried, .. }) = self.off.take() {
            self.leave_open(path, carried);
        }
    }
}
