//! Order of times: they go forward and stay within the span that the clock's definition gives.
//!
//! The stop time of a flush lies between its own time and that of any later event.
//!
//! The reader of events counts steps backwards and knows the first and the last time. So only a suspicious stream is
//! checked event by event.

use streamfold_model::definitions::ClockProperties;
use streamfold_model::events::{BufferFlush, Event, EventKind};
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::Ticks;

use super::code::Code;
use super::sink::{Mark, Sink, Teller};

/// The span of a trace, as the clock's definition says; without one anything is inside.
fn span(clock: Option<&ClockProperties>) -> std::ops::RangeInclusive<u64> {
    match clock {
        Some(clock) => {
            let end = clock.global_offset.saturating_add(clock.trace_length);
            clock.global_offset..=end
        }
        None => 0..=u64::MAX,
    }
}

/// Returns whether a stream must be checked event by event.
pub fn is_suspicious(clock: Option<&ClockProperties>, summary: &StreamSummary) -> bool {
    let outside = |time: Option<Ticks>| time.is_some_and(|time| !span(clock).contains(&time.0));
    summary.backward > 0 || outside(summary.first) || outside(summary.last)
}

/// A flush, of which the first event with a later time is still to come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flush {
    time: Ticks,
    stop: Ticks,
}

impl Flush {
    /// Returns whether its stop time is wrong, independent of other events.
    pub(super) fn is_wrong(self, clock: Option<&ClockProperties>) -> bool {
        self.stop < self.time || !span(clock).contains(&self.stop.0)
    }

    /// Returns whether an event of this time is behind the flush. The event that made the flush necessary has its time,
    /// and stands behind it.
    #[inline]
    pub(super) fn is_before(self, time: Ticks) -> bool {
        time > self.time
    }

    /// Returns whether an event of this time lies inside the flush.
    pub(super) fn overlaps(self, time: Ticks) -> bool {
        self.is_before(time) && time < self.stop
    }

    /// Of an event at a time.
    pub(super) fn new(time: Ticks, event: BufferFlush) -> Flush {
        Flush { time, stop: event.stop_time }
    }

    /// Returns whether this one stops later: of several at one time the last stop counts.
    pub(super) fn outlasts(self, other: Flush) -> bool {
        self.stop > other.stop
    }
}

/// Looks at the times of one location.
#[derive(Debug)]
pub(super) struct Order {
    span: std::ops::RangeInclusive<u64>,
    recorded: Ticks,
    corrected: Ticks,
    flush: Option<(Flush, Mark)>,
}

impl Order {
    /// Begins with a location.
    pub(super) fn new(clock: Option<&ClockProperties>) -> Self {
        let (recorded, corrected) = (Ticks(0), Ticks(0));
        Order { span: span(clock), recorded, corrected, flush: None }
    }

    /// The next event, with its time as recorded.
    pub(super) fn event(
        &mut self,
        teller: &mut Teller<'_>,
        head: &EventHead<'_>,
        record: &'static str,
        recorded: Ticks,
    ) {
        let here = teller.here(head.number, record);
        self.behind_flush(teller, head.time);
        let before = std::mem::replace(&mut self.recorded, recorded);
        let corrected = std::mem::replace(&mut self.corrected, head.time);
        if recorded < before {
            let message = || format!("time {recorded} after {before}");
            teller.tell(Code::TimeBackwards, here, message);
        } else if head.time < corrected {
            let message = || {
                let time = head.time;
                format!(
                    "corrected time {time} after {corrected}; recorded: {recorded} after {before}"
                )
            };
            teller.tell(Code::ClockBackwards, here, message);
        }
        if !self.span.contains(&head.time.0) {
            teller.tell(Code::OutsideSpan, here, || {
                let (time, begin, end) = (head.time, self.span.start(), self.span.end());
                format!("time {time}, outside of {begin} to {end}")
            });
        }
    }

    /// Checks the stop time of a flush.
    pub(super) fn flush(
        &mut self,
        teller: &mut Teller<'_>,
        head: &EventHead<'_>,
        event: &Event<'_>,
    ) {
        let Event::BufferFlush(event) = *event else { return };
        let flush @ Flush { time, stop } = Flush::new(head.time, event);
        let here = teller.here(head.number, EventKind::BufferFlush.name());
        if stop < time {
            let message = || format!("stop time {stop}, before its own time {time}");
            teller.tell(Code::WrongFlush, here, message);
        } else if self.flush.is_none_or(|(before, _)| flush.outlasts(before)) {
            self.flush = Some((flush, here));
        }
        if !self.span.contains(&stop.0) {
            teller.tell(Code::OutsideSpan, here, || {
                let (begin, end) = (self.span.start(), self.span.end());
                format!("stop time {stop}, outside of {begin} to {end}")
            });
        }
    }

    /// An event at a time follows the last flush.
    fn behind_flush(&mut self, teller: &mut Teller<'_>, time: Ticks) {
        let Some((flush, here)) = self.flush.filter(|(flush, _)| flush.is_before(time)) else {
            return;
        };
        self.flush = None;
        if flush.overlaps(time) {
            let message = || {
                let stop = flush.stop;
                format!("stop time {stop}, but an event follows at {time}")
            };
            teller.tell(Code::WrongFlush, here, message);
        }
    }
}
