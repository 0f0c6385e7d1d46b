//! The begin of a window: what is open there begins anew, and buffer flushes that reach over it go on.
//!
//! As long as the tracer writes its memory out the clock of a location stands still, so what is recorded
//! during a flush takes no time. Where a flush goes on in the window, what is open is that of when
//! the flush began; it begins anew, then the flush goes on, and what was recorded during it and before
//! the window follows it, all of that where the window begins. So parts that adjoin add up.

use streamfold_kernels::Window;
use streamfold_model::events::{
    BufferFlush, CallingContextEnter, Enter, Event, EventVisitor, Leave,
};
use streamfold_model::ids::CallingContextRef;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::families::Family;
use super::regions::Regions;
use super::step::{is_enter, Step};
use super::way::WAY;
use crate::formats::otf2::{Clock, EventWriter, Stamps, WriteError};

/// Receives the events before a window.
pub(super) struct Before<'w, 'a> {
    window: Window,
    clock: &'w Clock,
    stamps: &'w mut Stamps,
    pub step: &'w mut Step<'a>,
    writer: &'w mut EventWriter,
    /// The last flush, where it reaches over the begin and nothing is known to follow it: the number of
    /// the event, and the corrected time of its end.
    flush: Option<(u64, Ticks)>,
    /// When what is open begins anew, as recorded, once that was written.
    begun: Option<Ticks>,
    /// Why nothing can be written.
    error: Option<WriteError>,
}

impl<'w, 'a> Before<'w, 'a> {
    pub fn new(
        window: Window,
        (clock, stamps): (&'w Clock, &'w mut Stamps),
        step: &'w mut Step<'a>,
        writer: &'w mut EventWriter,
    ) -> Self {
        Before { window, clock, stamps, step, writer, flush: None, begun: None, error: None }
    }

    /// Why nothing could be written.
    pub fn failed(&mut self) -> Result<(), WriteError> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// The window begins with an event of this time, as recorded.
    pub fn begin(mut self, next: Ticks) -> Result<(), WriteError> {
        self.failed()?;
        self.go_on(next, false)?;
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
        if self.step.counts.begun > 0 {
            self.stamps.correct(time);
        }
        Ok(())
    }

    /// The stream ends before the window begins, after so many events.
    pub fn end(mut self, events: u64) -> Result<(), WriteError> {
        self.failed()?;
        let is_last = self.flush.is_some_and(|(number, _)| number == events);
        match is_last && self.begun.is_none() {
            // The part in which it begins has all of it.
            true => Ok(()),
            false => self.go_on(Ticks(u64::MAX), is_last),
        }
    }

    fn time(&self) -> Ticks {
        self.begun.unwrap_or(self.writer.time())
    }

    /// What is open in tasks begins anew, not behind a time as recorded.
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

    /// The last flush goes on in the window, if it reaches over the begin. No event of the window is known
    /// that is before a time as recorded. `is_last`: nothing follows it, so that it ends with the window
    /// only where others do.
    fn go_on(&mut self, last: Ticks, is_last: bool) -> Result<(), WriteError> {
        let Some((_, stop)) = self.flush.take() else { return Ok(()) };
        if self.begun.is_none() {
            self.begin_visits(last)?;
            self.begin_off()?;
        }
        let ends = !is_last || self.step.split;
        let stop_time = match self.window.end.filter(|end| *end < stop && ends) {
            Some(end) => {
                self.step.counts.shortened += 1;
                self.step.split = true;
                self.clock.last_not_behind(end, self.time(), Ticks(u64::MAX))
            }
            None => self.clock.first_not_before(stop, Ticks(u64::MAX)),
        };
        self.stamps.correct(self.time());
        self.stamps.correct(stop_time);
        self.write(&Event::BufferFlush(BufferFlush { stop_time }))
    }

    /// An event where a flush reaches over the begin, or may do so.
    fn next(&mut self, number: u64, event: &Event<'_>) -> Result<(), WriteError> {
        self.go_on(Ticks(u64::MAX), false)?;
        if let Event::BufferFlush(flush) = event {
            let kept = self.step.way.families.has(Family::Recording);
            self.flush =
                (kept && flush.stop_time > self.window.begin).then_some((number, flush.stop_time));
            return Ok(());
        }
        let family = Family::of(Some(event.kind()));
        let stays = self.step.way.event(event) && self.step.way.families.has(family);
        // Operations on files that end here are none of the window, others begin there last.
        match stays && self.begun.is_some() && family != Family::Io {
            true => self.write(event),
            false => Ok(()),
        }
    }

    /// Whether no flush is to be thought of.
    #[inline]
    fn is_plain(&self) -> bool {
        self.flush.is_none() && self.begun.is_none()
    }
}

impl EventVisitor for Before<'_, '_> {
    const WANTS: EventSet = WAY;

    #[inline]
    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        if self.is_plain() {
            self.step.way.enter_region(event.region);
        } else {
            self.event(head, Event::Enter(event));
        }
    }

    #[inline]
    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        if self.is_plain() {
            self.step.way.leave_region(event.region);
        } else {
            self.event(head, Event::Leave(event));
        }
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if self.error.is_none() {
            self.error = self.next(head.number, &event).err();
        }
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
