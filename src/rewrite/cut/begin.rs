//! The begin of a window: what is open there begins anew, and buffer flushes that reach over it go on.
//!
//! A flush lasts up to its stop time, but ends earlier at the next event. An event at the time of its begin happens
//! before it. If a flush goes on in the window and no event happened there yet, open visits begin anew. The rest of the
//! flush follows, once no event can end it right there. So parts that adjoin add up.

use streamfold_kernels::Window;
use streamfold_model::events::{
    BufferFlush, CallingContextEnter, Enter, Event, EventVisitor, Leave,
};
use streamfold_model::ids::CallingContextRef;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::families::Family;
use super::flush::{ends_flush, Kept, PARAMETERS};
use super::regions::Regions;
use super::step::{is_enter, Step};
use super::way::WAY;
use streamfold_otf2::{Clock, EventWriter, RawEvent, Stamps, WriteError};

/// Receives the events before a window.
pub(super) struct Before<'w, 'a> {
    window: Window,
    clock: &'w Clock,
    stamps: &'w mut Stamps,
    pub step: &'w mut Step<'a>,
    writer: &'w mut EventWriter,
    /// The last flush, where it reaches over the begin and nothing later is known to follow it.
    flush: Option<Flush>,
    /// When what is open begins anew, as recorded, once that was written.
    begun: Option<Ticks>,
}

/// A flush before the window, with corrected times.
#[derive(Clone, Copy)]
struct Flush {
    /// The number of the event.
    number: u64,
    time: Ticks,
    stop: Ticks,
}

impl<'w, 'a> Before<'w, 'a> {
    pub(super) fn new(
        window: Window,
        (clock, stamps): (&'w Clock, &'w mut Stamps),
        step: &'w mut Step<'a>,
        writer: &'w mut EventWriter,
    ) -> Self {
        Before { window, clock, stamps, step, writer, flush: None, begun: None }
    }

    /// The window begins with an event of this time, as recorded. Returns the flush that goes on there, which
    /// is not written.
    pub(super) fn begin(mut self, next: Ticks) -> Result<Option<Kept>, WriteError> {
        let flush = self.go_on(next)?;
        let has_begun = self.begun.is_some();
        if !has_begun {
            self.begin_visits(next)?;
        }
        let time = self.time();
        let Before { step, writer, .. } = &mut self;
        let Step { way, marks, counts, .. } = &mut **step;
        way.open.begins_io(|event| {
            marks.add(&way.regions.tables, &event, &[]);
            counts.begun += 1;
            writer.write(time, &[], &event)
        })?;
        if !has_begun {
            self.begin_off()?;
        }
        let flush = flush.map(|Flush { stop, number, .. }| Kept {
            raw: RawEvent::buffer_flush(self.writer.order(), time, self.stop_time(stop)),
            time: self.stamps.correct(time),
            number,
            reaches: self.window.end.is_some_and(|end| end < stop),
            ends: true,
        });
        if self.step.counts.begun > 0 {
            self.stamps.correct(time);
        }
        Ok(flush)
    }

    /// The stream ends before the window begins, after so many events.
    pub(super) fn end(mut self, events: u64) -> Result<(), WriteError> {
        let is_last = self.flush.is_some_and(|flush| flush.number == events);
        match is_last {
            // The part in which it begins has all of it.
            true => Ok(()),
            false => self.go_on_alone(),
        }
    }

    /// The rest of the last flush is all that there is.
    fn go_on_alone(&mut self) -> Result<(), WriteError> {
        let Some(Flush { stop, .. }) = self.go_on(Ticks(u64::MAX))? else { return Ok(()) };
        let stop_time = match self.window.end.filter(|end| *end < stop) {
            Some(end) => {
                self.step.counts.shortened += 1;
                self.clock.last_not_behind(end, self.time(), Ticks(u64::MAX))
            }
            None => self.stop_time(stop),
        };
        self.stamps.correct(self.time());
        self.stamps.correct(stop_time);
        self.write(&Event::BufferFlush(BufferFlush { stop_time }))
    }

    /// A corrected stop time, as recorded.
    fn stop_time(&self, stop: Ticks) -> Ticks {
        self.clock.first_not_before(stop, Ticks(u64::MAX))
    }

    fn time(&self) -> Ticks {
        self.begun.unwrap_or(self.writer.time())
    }

    /// Writes the begins of visits that are open in tasks, not behind a time as recorded.
    fn begin_visits(&mut self, last: Ticks) -> Result<(), WriteError> {
        let time = self.clock.first_not_before(self.window.begin, last);
        self.begun = Some(time);
        let Before { step, writer, .. } = self;
        let Step { way, marks, counts, .. } = &mut **step;
        let tasks = way.families.has(Family::Tasks);
        let mut below: Option<CallingContextRef> = None;
        way.open.begins(tasks, |mut event| {
            if let Event::CallingContextEnter(enter) = &mut event {
                enter.unwind_distance = distance(&way.regions, *enter, below);
                below = Some(enter.calling_context);
            }
            marks.add(&way.regions.tables, &event, &[]);
            counts.begun += 1;
            counts.visits += u64::from(is_enter(&event));
            writer.write(time, &[], &event)
        })
    }

    fn begin_off(&mut self) -> Result<(), WriteError> {
        let off = self.step.way.open.begins_off();
        off.map_or(Ok(()), |event| self.write(&event))
    }

    /// Writes an event where the window begins.
    fn write(&mut self, event: &Event<'_>) -> Result<(), WriteError> {
        let time = self.time();
        let Step { way, marks, counts, .. } = &mut *self.step;
        marks.add(&way.regions.tables, event, &[]);
        counts.begun += 1;
        self.writer.write(time, &[], event)
    }

    /// Begins open visits anew before the last flush, which goes on in the window if it reaches over the begin. No
    /// event of the window is known that is before a time as recorded.
    fn go_on(&mut self, last: Ticks) -> Result<Option<Flush>, WriteError> {
        let flush = self.flush.take();
        if flush.is_some() {
            self.begin_visits(last)?;
            self.begin_off()?;
        }
        Ok(flush)
    }

    /// An event where a flush reaches over the begin, or may do so.
    fn next(&mut self, head: &EventHead<'_>, event: &Event<'_>) {
        let (number, time) = (head.number, head.time);
        // Of what does not stay no profile of the part knows.
        let way = &mut self.step.way;
        let stays = way.event(event) && way.families.has(Family::of(Some(event.kind())));
        if stays && ends_flush(event) && self.flush.is_some_and(|flush| time > flush.time) {
            self.flush = None;
        }
        let Event::BufferFlush(BufferFlush { stop_time: stop }) = *event else { return };
        // Of several at one time the last one has it.
        let before = self.flush.take();
        let (time, stop) = match before {
            Some(before) => (before.time, before.stop.max(stop)),
            None => (time, stop),
        };
        let kept = self.step.way.families.has(Family::Recording) && stop > self.window.begin;
        self.flush = kept.then_some(Flush { number, time, stop });
    }
}

impl EventVisitor for Before<'_, '_> {
    const WANTS: EventSet = WAY.and(PARAMETERS);

    #[inline]
    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        if self.flush.is_none() {
            self.step.way.enter_region(event.region);
        } else {
            self.event(head, Event::Enter(event));
        }
    }

    #[inline]
    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        if self.flush.is_none() {
            self.step.way.leave_region(event.region);
        } else {
            self.event(head, Event::Leave(event));
        }
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.next(head, &event);
    }
}

/// How far the stack is unwound where a context is entered on top of another.
fn distance(
    regions: &Regions<'_>,
    enter: CallingContextEnter,
    below: Option<CallingContextRef>,
) -> u32 {
    let CallingContextEnter { calling_context, unwind_distance } = enter;
    regions.distance(calling_context, below).unwrap_or(unwind_distance)
}
