//! Whether times go forward and stay within the span that the clock's definition gives.
//!
//! The reader of events counts steps backwards and knows the first and the last time, so only a
//! stream that has something is looked at event by event.

use streamfold_model::definitions::ClockProperties;
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::Ticks;

use super::code::Code;
use super::sink::{Sink, Teller};

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

/// Whether a stream must be looked at event by event.
pub fn is_suspicious(clock: Option<&ClockProperties>, summary: &StreamSummary) -> bool {
    let outside = |time: Option<Ticks>| time.is_some_and(|time| !span(clock).contains(&time.0));
    summary.backward > 0 || outside(summary.first) || outside(summary.last)
}

/// Looks at the times of one location.
#[derive(Debug)]
pub(super) struct Order {
    span: std::ops::RangeInclusive<u64>,
    recorded: Ticks,
    corrected: Ticks,
}

impl Order {
    /// Begins with a location.
    pub fn new(clock: Option<&ClockProperties>) -> Self {
        Order { span: span(clock), recorded: Ticks(0), corrected: Ticks(0) }
    }

    /// The next event, with its time as recorded.
    pub fn event(
        &mut self,
        teller: &mut Teller<'_>,
        head: &EventHead<'_>,
        record: &'static str,
        recorded: Ticks,
    ) {
        let here = teller.here(head.number, record);
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
}
