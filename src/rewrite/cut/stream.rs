//! The events of a location that stay, and those that begin and end what a window has cut.

use std::sync::atomic::Ordering;

use streamfold_kernels::Window;
use streamfold_model::values::Ticks;

use super::begin::Before;
use super::families::Family;
use super::flush::{Held, Kept};
use super::full::Full;
use super::step::{Nobody, Step};
use super::way::WAY;
use streamfold_drive::Progress;
use streamfold_otf2::{
    BeforeTime, Clock, Error, EventReader, EventWriter, Part, RawEvent, Stamps, WriteError,
};

/// Why a location was left.
pub(super) enum Stop {
    Read(Error),
    Write(WriteError),
    /// Nobody knows what is open any more.
    Full(Full),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Read(error)
    }
}

impl From<WriteError> for Stop {
    fn from(error: WriteError) -> Self {
        Stop::Write(error)
    }
}

/// A location that is read and written.
pub(super) struct Stream<'a> {
    reader: EventReader,
    writer: &'a mut EventWriter,
    clock: Clock,
    /// How times of the result will be corrected.
    stamps: Stamps,
    step: Step<'a>,
    /// A flush that may go on behind the end, and what follows it.
    held: Held,
    more_io: u64,
    told: Told<'a>,
}

/// Counts that the progress line already has.
struct Told<'a> {
    progress: &'a Progress,
    events: u64,
    bytes: u64,
}

impl Told<'_> {
    fn tell(&mut self, reader: &EventReader) {
        let (events, bytes) = (reader.count(), reader.reached());
        self.progress.events.fetch_add(events - self.events, Ordering::Relaxed);
        self.progress.bytes.fetch_add(bytes.saturating_sub(self.bytes), Ordering::Relaxed);
        (self.events, self.bytes) = (events, bytes);
    }
}

impl<'a> Stream<'a> {
    pub(super) fn new(
        reader: EventReader,
        clock: Clock,
        writer: &'a mut EventWriter,
        step: Step<'a>,
        progress: &'a Progress,
    ) -> Self {
        let stamps = Stamps::new(clock.clone());
        let told = Told { progress, events: 0, bytes: 0 };
        Stream { reader, writer, clock, stamps, step, held: Held::default(), more_io: 0, told }
    }

    /// Returns the result, and the number of operations on files under way at the begin of the window that do not begin
    /// anew.
    pub(super) fn finish(self) -> (Step<'a>, u64) {
        (self.step, self.more_io)
    }

    /// Writes the events that stay, of a part of the time or of all of it.
    pub(super) fn run(&mut self, window: Option<Window>) -> Result<(), Stop> {
        let outcome = self.window(window);
        self.step.counts.read = self.reader.count();
        self.told.tell(&self.reader);
        outcome
    }

    fn window(&mut self, window: Option<Window>) -> Result<(), Stop> {
        let Some(window) = window else { return self.events(&Window::ALL).map(drop) };
        if window.begin > Ticks(0) && !self.begin(window)? {
            return Ok(());
        }
        self.more_io = self.step.way.begin_window(window.end.is_some());
        let outcome = self.events(&window);
        let goes_on = matches!(outcome, Ok(true));
        self.release(window.end, goes_on)?;
        if let Some(end) = window.end.filter(|_| goes_on) {
            self.end(end)?;
        }
        outcome.map(drop)
    }

    /// Goes to the first event that is not before a window, and begins what is open there. `false`: there
    /// is none.
    fn begin(&mut self, window: Window) -> Result<bool, Stop> {
        let Stream { reader, writer, clock, stamps, step, told, .. } = self;
        let mut before = Before::new(window, (clock, stamps), step, writer);
        loop {
            let part = reader.read_part_to(BeforeTime(window.begin), &mut before)?;
            told.tell(reader);
            if let Some(full) = before.step.way.open.full() {
                return Err(Stop::Full(full));
            }
            match part {
                Part::More => {}
                Part::Limit if reader.peek()?.is_some() => {
                    if let Some(flush) = before.begin(reader.found().1)? {
                        step.counts.begun += 1;
                        self.held = Held::old(flush);
                    }
                    return Ok(true);
                }
                Part::Limit | Part::End => {
                    before.end(reader.count())?;
                    return Ok(false);
                }
            }
        }
    }

    /// Reads the window. `true`: something follows behind its end.
    fn events(&mut self, window: &Window) -> Result<bool, Stop> {
        const OFTEN: u32 = 1 << 16;
        let order = self.writer.order();
        let mut raw = RawEvent::default();
        let (end, limit) = (window.end, window.limit());
        for events in 0_u32.. {
            let Some(time) = self.reader.peek()? else { return Ok(false) };
            if limit.is_some_and(|limit| time >= limit) {
                return Ok(true);
            }
            if events % OFTEN == OFTEN - 1 {
                self.told.tell(&self.reader);
            }
            if self.is_passed_over() {
                self.step.counts.left_out += 1;
                self.reader.deliver(&mut Nobody)?;
                continue;
            }
            self.reader.take_raw(order, self.step.way.regions.tables.maps(), &mut raw)?;
            self.reader.deliver(&mut self.step)?;
            if let Some(full) = self.step.way.open.full() {
                return Err(Stop::Full(full));
            }
            if self.step.keep {
                self.keep(time, &mut raw, end)?;
            }
        }
        Ok(false)
    }

    /// Returns whether the next event can be passed over: it does not stay and opens or closes nothing.
    fn is_passed_over(&self) -> bool {
        let kind = self.reader.kind();
        !self.step.way.families.has(Family::of(kind)) && kind.is_none_or(|kind| !WAY.contains(kind))
    }

    /// An event stays, at this corrected time: it is written, or held back with a flush.
    fn keep(&mut self, time: Ticks, raw: &mut RawEvent, end: Option<Ticks>) -> Result<(), Stop> {
        let reaches = self.step.stop.take().zip(end).is_some_and(|(stop, end)| stop > end);
        if self.held.is_empty() && !reaches {
            return Ok(self.write(time, raw)?);
        }
        let (raw, number) = (std::mem::take(raw), self.reader.count());
        let event = Kept { raw, time, number, reaches, ends: self.step.ends };
        if self.held.is_over_with(&event) {
            let is_nothing = self.held.is_nothing_with(&event);
            let held = std::mem::take(&mut self.held).events;
            self.step.counts.begun -= u64::from(is_nothing);
            let mut stay = held.iter().skip(usize::from(is_nothing));
            stay.try_for_each(|it| self.write(it.time, &it.raw))?;
        }
        if self.held.is_empty() && !reaches {
            return Ok(self.write(event.time, &event.raw)?);
        }
        self.held.push(event);
        if self.held.is_full() {
            self.release(end, true)?;
        }
        Ok(())
    }

    /// Writes what is held back, where nothing ends its flush: the rest of it is that of the next part, unless nothing
    /// follows it, where there is none. `goes_on`: something follows behind the window.
    fn release(&mut self, end: Option<Ticks>, goes_on: bool) -> Result<(), WriteError> {
        let order = self.writer.order();
        for mut event in std::mem::take(&mut self.held).events {
            let Kept { raw, time, number, reaches, .. } = &mut event;
            let is_followed = goes_on || *number < self.reader.count();
            let stop = raw.stop_time(order).filter(|_| *reaches && is_followed);
            if let Some((stop, end)) = stop.zip(end) {
                raw.set_stop_time(order, self.clock.last_not_behind(end, raw.time(), stop));
                self.step.counts.shortened += 1;
            }
            self.write(*time, raw)?;
        }
        Ok(())
    }

    /// Writes an event that has this corrected time.
    fn write(&mut self, time: Ticks, raw: &RawEvent) -> Result<(), WriteError> {
        self.writer.write_raw(raw)?;
        if !self.stamps.is_identity() {
            let same = self.stamps.correct(raw.time()) == time;
            self.step.counts.moved += u64::from(!same);
            if let Some(stop) = raw.stop_time(self.writer.order()) {
                self.stamps.correct(stop);
            }
        }
        Ok(())
    }

    /// Ends what is open where the window ends.
    fn end(&mut self, end: Ticks) -> Result<(), WriteError> {
        let (_, next) = self.reader.found();
        let time = self.clock.last_not_behind(end, self.writer.time(), next);
        let Stream { step, writer, .. } = self;
        let Step { way, marks, counts, .. } = step;
        let tasks = way.families.has(Family::Tasks);
        way.open.ends(tasks, |event| {
            marks.add(&way.regions.tables, &event, &[]);
            counts.ended += 1;
            writer.write(time, &[], &event)
        })
    }
}
