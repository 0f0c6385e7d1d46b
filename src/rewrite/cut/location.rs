//! One location: the events that stay, and those that begin and end what a window has cut.

use std::sync::atomic::Ordering;

use streamfold_kernels::validate::Known;
use streamfold_kernels::Window;
use streamfold_model::events::{BufferFlush, CallingContextEnter, Event};
use streamfold_model::ids::{CallingContextRef, LocationRef};
use streamfold_model::values::Ticks;

use super::families::Family;
use super::ledger::Ledger;
use super::messages::{Alone, Messages, Partners};
use super::numbering::{listed, Here};
use super::open::Open;
use super::own::Own;
use super::regions::{Chosen, Programs, Regions};
use super::step::{Marks, Nobody, Step};
use super::used::{Tables, Used};
use super::way::{Before, Way, WAY};
use super::{Counts, Cutting};
use crate::drive::Trace;
use crate::formats::otf2::{
    BeforeTime, Clock, Error, EventReader, EventWriter, LocalDefinitions, Mappings, Part, RawEvent,
    Stamps, WriteError,
};

/// What is needed for every location.
pub(super) struct Cutter<'a> {
    pub trace: &'a Trace,
    pub cutting: Cutting<'a>,
    pub known: &'a Known,
    pub chosen: Option<Chosen<'a>>,
    pub programs: Programs,
    pub partners: &'a Partners<'a>,
    pub ledger: &'a Ledger,
}

/// What came of a location.
#[derive(Debug, Default)]
pub(super) struct LocationCut {
    pub counts: Counts,
    pub alone: Alone,
    pub bytes: u64,
    /// What could not be read.
    pub losses: Vec<String>,
    /// Whether its mapping tables are known.
    pub readable: bool,
    /// Whether its own definitions count: nobody may change the numbers of others then.
    pub has_own: bool,
    /// The numbers by which its events lead to definitions.
    pub here: Here,
}

/// Why a location was left.
enum Stop {
    Read(Error),
    Write(WriteError),
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

impl Cutter<'_> {
    /// Writes the events of a location that stay, and adds what they lead to.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    pub fn location(
        &self,
        location: LocationRef,
        used: &mut Used,
    ) -> Result<LocationCut, WriteError> {
        let mut cut = LocationCut::default();
        let mut writer = self.cutting.to.events(location);
        match self.open(location, used, &mut cut) {
            Ok((reader, regions, clock)) => {
                let mut stream = self.stream(reader, regions, clock, used, &mut writer);
                let outcome = stream.run(self.cutting.window);
                cut.counts = stream.step.counts;
                cut.here = listed(&stream.step.marks.here);
                cut.alone = stream.step.messages.end();
                match outcome {
                    Ok(()) => {}
                    Err(Stop::Write(error)) => return Err(error),
                    Err(Stop::Read(error)) => {
                        let events = cut.counts.read;
                        cut.losses.push(format!("{error} (the {events} events before that count)"));
                    }
                }
            }
            Err(error) => cut.losses.push(format!("{error} (no event of this location is left)")),
        }
        (cut.counts.events, cut.bytes) = writer.finish_with_length()?;
        Ok(cut)
    }

    /// Opens the events of a location, with the numbers that they have there.
    fn open(
        &self,
        location: LocationRef,
        used: &mut Used,
        cut: &mut LocationCut,
    ) -> Result<(EventReader, Regions<'_>, Clock), Error> {
        let archive = &self.trace.archive;
        let mut own = Own::default();
        let local = archive.read_all_local_definitions(location, |definition| own.take(definition));
        let LocalDefinitions { mappings, clock, complaints, .. } = local?;
        cut.readable = true;
        cut.losses = complaints;
        // Where somebody has made tables of them they count no more.
        cut.has_own = own.any && mappings.kinds().next().is_none();
        if cut.has_own {
            own.lead_to(self.known, used);
        }
        let local = LocalDefinitions {
            mappings: Mappings::default(),
            clock: clock.clone(),
            ..LocalDefinitions::default()
        };
        let reader = archive.events_with(location, local)?;
        let tables = Tables::new(mappings);
        let definitions = &self.trace.definitions;
        let regions = Regions::new(definitions, own.definitions, tables, self.chosen.as_ref());
        Ok((reader, regions, clock))
    }

    fn stream<'s>(
        &'s self,
        reader: EventReader,
        regions: Regions<'s>,
        clock: Clock,
        used: &'s mut Used,
        writer: &'s mut EventWriter,
    ) -> Stream<'s> {
        let messages = Messages::new(self.partners, self.ledger, reader.location());
        let Cutting { families, depth, window, .. } = self.cutting;
        let follows_io = window.is_some_and(|window| window.begin > Ticks(0));
        let way = Way { open: Open::default(), regions, families, depth, follows_io };
        let step = Step {
            way,
            marks: Marks { cutter: self, here: Used::default(), used },
            messages,
            counts: Counts::default(),
            keep: false,
            stop: None,
        };
        let stamps = Stamps::new(clock.clone());
        Stream { reader, writer, clock, stamps, step, cutter: self, told: (0, 0) }
    }
}

/// A location that is read and written.
struct Stream<'a> {
    reader: EventReader,
    writer: &'a mut EventWriter,
    clock: Clock,
    /// How times of the result will be corrected.
    stamps: Stamps,
    step: Step<'a>,
    cutter: &'a Cutter<'a>,
    /// Events and bytes that those who watch know of.
    told: (u64, u64),
}

impl Stream<'_> {
    fn run(&mut self, window: Option<Window>) -> Result<(), Stop> {
        let outcome = self.window(window);
        self.step.counts.read = self.reader.count();
        self.tell();
        outcome
    }

    fn window(&mut self, window: Option<Window>) -> Result<(), Stop> {
        let Some(Window { begin, end }) = window else {
            return self.events(None).map(drop);
        };
        if begin > Ticks(0) {
            if !self.skip_to(begin)? {
                return Ok(());
            }
            self.begin(begin, end)?;
        }
        self.step.way.open.forget_io();
        self.step.way.follows_io = false;
        if self.events(end)? {
            self.end(end.expect("something ended it"))?;
        }
        Ok(())
    }

    /// Goes to the first event that is not before a time. `false`: there is none.
    fn skip_to(&mut self, begin: Ticks) -> Result<bool, Error> {
        loop {
            let mut before = Before(&mut self.step.way);
            let part = self.reader.read_part_to(BeforeTime(begin), &mut before)?;
            self.tell();
            match part {
                Part::More => {}
                Part::Limit => return Ok(self.reader.peek()?.is_some()),
                Part::End => return Ok(false),
            }
        }
    }

    /// Reads the window. `true`: something follows behind its end.
    fn events(&mut self, end: Option<Ticks>) -> Result<bool, Stop> {
        const OFTEN: u32 = 1 << 16;
        let order = self.writer.order();
        let mut raw = RawEvent::default();
        for events in 0_u32.. {
            let Some(time) = self.reader.peek()? else { return Ok(false) };
            if end.is_some_and(|end| time >= end) {
                return Ok(true);
            }
            if events % OFTEN == OFTEN - 1 {
                self.tell();
            }
            if self.is_passed_over() {
                self.step.counts.left_out += 1;
                self.reader.deliver(&mut Nobody)?;
                continue;
            }
            self.reader.take_raw(order, &mut raw)?;
            self.reader.deliver(&mut self.step)?;
            if self.step.keep {
                self.keep(time, &raw, end)?;
            }
        }
        Ok(false)
    }

    /// Whether the next event neither stays nor says what is open.
    fn is_passed_over(&self) -> bool {
        let kind = self.reader.kind();
        !self.step.way.families.has(Family::of(kind)) && kind.is_none_or(|kind| !WAY.contains(kind))
    }

    /// Writes an event that stays, at this corrected time.
    fn keep(&mut self, time: Ticks, raw: &RawEvent, end: Option<Ticks>) -> Result<(), WriteError> {
        let cut = self.step.stop.take().zip(end).filter(|(stop, end)| stop > end);
        let stop = raw.stop_time(self.writer.order());
        // Where time goes back the record can only be copied.
        let stop_inside = stop.filter(|_| raw.time() >= self.writer.time());
        if let (Some((_, end)), Some(stop)) = (cut, stop_inside) {
            // It goes on behind the end, where nothing does any more.
            let stop_time = self.clock.last_not_behind(end, raw.time(), stop);
            let flush = Event::BufferFlush(BufferFlush { stop_time });
            self.step.counts.shortened += 1;
            self.writer.write(raw.time(), raw.attributes(), &flush)?;
        } else {
            self.writer.write_raw(raw)?;
        }
        if !self.stamps.is_identity() {
            let same = self.stamps.correct(raw.time()) == time;
            self.step.counts.moved += u64::from(!same);
            if let Some(stop) = stop {
                self.stamps.correct(stop);
            }
        }
        Ok(())
    }

    /// Begins what is open where the window begins.
    fn begin(&mut self, begin: Ticks, end: Option<Ticks>) -> Result<(), WriteError> {
        let (_, next) = self.reader.found();
        let time = self.clock.first_not_before(begin, next);
        let Stream { step, writer, clock, .. } = self;
        let Step { way, marks, counts, .. } = step;
        let mut shortened = 0;
        let flush_end = |stop| match end.filter(|end| *end < stop) {
            Some(end) => {
                shortened = 1;
                clock.last_not_behind(end, time, Ticks(u64::MAX))
            }
            None => clock.first_not_before(stop, Ticks(u64::MAX)),
        };
        let tasks = way.families.has(Family::Tasks);
        let mut below: Option<CallingContextRef> = None;
        way.open.begins(begin, tasks, flush_end, |mut event| {
            if let Event::CallingContextEnter(enter) = &mut event {
                enter.unwind_distance = distance(&way.regions, *enter, below);
                below = Some(enter.calling_context);
            }
            marks.add(&way.regions.tables, &event, &[]);
            counts.begun += 1;
            writer.write(time, &[], &event)
        })?;
        counts.shortened += shortened;
        if counts.begun > 0 {
            self.stamps.correct(time);
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

    /// Tells those who watch.
    fn tell(&mut self) {
        let progress = self.cutter.cutting.progress;
        let (events, bytes) = (self.reader.count(), self.reader.reached());
        progress.events.fetch_add(events - self.told.0, Ordering::Relaxed);
        progress.bytes.fetch_add(bytes.saturating_sub(self.told.1), Ordering::Relaxed);
        self.told = (events, bytes);
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
