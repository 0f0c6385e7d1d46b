//! Times of lines: section 1.2.

use serde::{Deserialize, Serialize};

use super::prefix::Stamp;
use super::Map;

pub(super) const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3600 * SECOND;
const MINUTE: i64 = 60 * SECOND;
const DAY: i64 = 24 * HOUR;

/// The form of the times of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TimeForm {
    /// Of a day (`-t`, `-tt`): nanoseconds since the midnight before the first line.
    Clock,
    /// Since 1970 (`-ttt`).
    Epoch,
    /// Since the first line (`-r`).
    Relative,
}

impl TimeForm {
    /// A number with one bit, by which event logs store it.
    pub fn bit(self) -> u64 {
        match self {
            TimeForm::Clock => 1,
            TimeForm::Epoch => 2,
            TimeForm::Relative => 4,
        }
    }

    /// As reports name it.
    pub fn name(self) -> &'static str {
        match self {
            TimeForm::Clock => "clock",
            TimeForm::Epoch => "epoch",
            TimeForm::Relative => "relative",
        }
    }
}

/// The time of a line.
pub(super) struct Timed {
    pub start: i64,
    /// Set if it was moved behind the call before.
    pub is_moved: bool,
    /// How far the clock was set back before it, or 0.
    pub back: i64,
}

/// From the times of lines to nanoseconds, section 1.2.
#[derive(Default)]
pub(super) struct Clock {
    /// Set for the forms that were seen, in the order of [`TimeForm`].
    forms: [bool; 3],
    day: i64,
    previous: Option<i64>,
    /// The sum of times since the line before.
    sum: i64,
    last: i64,
    /// When calls of processes ended, where times are relative or there are none.
    ends: Map<i64>,
    /// How far the clock was set back so far.
    back: i64,
    /// The latest begin of a line or end of a call.
    latest: i64,
    /// The process of the line before, and when lines of other ones were last.
    pid: u64,
    lasts: Map<i64>,
}

/// A step back of less is no change of the clock: lines of threads are not in perfect order, and a clock that runs
/// fast is slowed down.
const STEP: i64 = SECOND / 10;

impl Clock {
    pub(super) fn forms(&self) -> Vec<TimeForm> {
        let all = [TimeForm::Clock, TimeForm::Epoch, TimeForm::Relative];
        all.into_iter().zip(self.forms).filter(|(_, seen)| *seen).map(|(form, _)| form).collect()
    }

    fn seen(&mut self, form: TimeForm) {
        let is_seen = &mut self.forms[form as usize];
        // Most lines have the form of the line before, and what was not written is read without delay.
        if !*is_seen {
            *is_seen = true;
        }
    }

    /// Tells whether a line has a time, or none had one so far.
    pub(super) fn is_timed(&self, stamp: Option<Stamp>) -> bool {
        stamp.is_some() || self.forms == [false; 3]
    }

    /// The time of a line.
    pub(super) fn time(&mut self, stamp: Option<Stamp>, pid: u64) -> Timed {
        let (mut is_moved, mut back) = (false, 0);
        self.last = match stamp {
            // Without times the order of lines is all that there is.
            None if self.forms == [false; 3] => {
                self.ends.get(&pid).copied().unwrap_or(self.last).max(self.last)
            }
            None => self.last,
            Some(Stamp::Epoch(time)) => {
                self.seen(TimeForm::Epoch);
                self.steady(time, pid, &mut back)
            }
            Some(Stamp::Relative(since)) => {
                self.seen(TimeForm::Relative);
                self.sum = self.sum.saturating_add(since);
                if let Some(end) = self.ends.get(&pid).filter(|end| self.sum < **end) {
                    self.sum = *end;
                    is_moved = true;
                }
                self.sum
            }
            Some(Stamp::Clock(time)) => {
                self.seen(TimeForm::Clock);
                let time = self.of_day(time);
                self.steady(time, pid, &mut back)
            }
        };
        Timed { start: self.last, is_moved, back }
    }

    fn of_day(&mut self, time: i64) -> i64 {
        if let Some(previous) = self.previous {
            let is_late = self.day > 0 && previous < MINUTE && time >= DAY - MINUTE;
            if is_late {
                return (self.day - 1) * DAY + time;
            }
            if previous - time > 2 * HOUR {
                self.day += 1;
            }
        }
        self.previous = Some(time);
        self.day * DAY + time
    }

    /// The time by a clock that is never set back. A process has lines in the order of their times: where it goes
    /// back, the clock of the machine was set, and its line follows what was before.
    fn steady(&mut self, time: i64, pid: u64, back: &mut i64) -> i64 {
        let mut time = time.saturating_add(self.back);
        if pid != self.pid {
            self.lasts.insert(self.pid, self.last);
        }
        if self.latest.saturating_sub(time) > STEP {
            let own = if pid == self.pid { Some(self.last) } else { self.lasts.get(&pid).copied() };
            if own.is_some_and(|own| own.saturating_sub(time) > STEP) {
                *back = self.latest.saturating_sub(time);
                self.back = self.back.saturating_add(*back);
                time = self.latest;
            }
        }
        self.pid = pid;
        self.latest = self.latest.max(time);
        time
    }

    pub(super) fn ended(&mut self, pid: u64, start: i64, duration: Option<i64>) {
        let end = start.saturating_add(duration.unwrap_or(0));
        if self.forms[2] || self.forms == [false; 3] {
            self.ends.insert(pid, end);
        }
        self.latest = self.latest.max(end);
    }
}
