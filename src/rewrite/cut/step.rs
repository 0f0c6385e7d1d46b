//! The events of a window, one at a time: whether they stay, and what they lead to.

use streamfold_kernels::validate::Known;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::CommRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::{AttributeEntry, Ticks};

use super::families::Family;
use super::flush::ends_flush;
use super::here::each_number;
use super::messages::Messages;
use super::regions::Programs;
use super::used::{Tables, Used};
use super::way::Way;
use super::Counts;

/// Definitions that events reference.
pub(super) struct Marks<'a> {
    pub definitions: &'a Definitions,
    pub known: &'a Known,
    pub programs: &'a Programs,
    /// The numbers that were met, as they stand at the location.
    pub here: Used,
    pub used: &'a mut Used,
}

impl Marks<'_> {
    /// Adds the definitions that an event references: they stay.
    #[inline]
    pub(super) fn add(
        &mut self,
        tables: &Tables,
        event: &Event<'_>,
        attributes: &[AttributeEntry],
    ) {
        each_number(event, attributes, |kind, number| self.number(tables, kind, number));
        if let Event::ProgramBegin(program) = event {
            for region in self.programs.regions(program, tables, self.definitions) {
                self.used.add(ReferenceKind::Region, region.0.into());
            }
        }
    }

    #[inline]
    fn number(&mut self, tables: &Tables, kind: ReferenceKind, number: u64) {
        let (global, known) = (tables.global(kind, number), self.known);
        if known.has(kind, global) {
            if self.here.add(kind, number) {
                self.used.add(kind, global);
            }
        } else if global < known.count(kind) {
            // Nobody defines it. Beyond as many as there are nothing gets a new number.
            self.used.add(kind, global);
        }
    }
}

/// Returns whether a visit begins.
pub(super) fn is_enter(event: &Event<'_>) -> bool {
    matches!(event, Event::Enter(_) | Event::CallingContextEnter(_))
}

/// Wants no event.
pub(super) struct Nobody;

impl EventVisitor for Nobody {
    const WANTS: EventSet = EventSet::NONE;
}

/// Receives the events of a window, one at a time, and says whether they stay.
pub(super) struct Step<'a> {
    pub way: Way<'a>,
    pub marks: Marks<'a>,
    pub messages: Messages<'a>,
    pub counts: Counts,
    pub keep: bool,
    /// The corrected stop time of the last event, if it is a flush.
    pub stop: Option<Ticks>,
    /// True if the last event that stays ends a flush.
    pub ends: bool,
}

impl EventVisitor for Step<'_> {
    const ATTRIBUTES: bool = true;

    #[inline]
    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let family = Family::of(Some(event.kind()));
        self.keep = self.way.event(&event) && self.way.families.has(family);
        if !self.keep {
            self.counts.left_out += 1;
            return;
        }
        let tables = &self.way.regions.tables;
        self.marks.add(tables, &event, head.attributes);
        self.counts.visits += u64::from(is_enter(&event));
        self.ends = ends_flush(&event);
        match event {
            Event::BufferFlush(flush) => self.stop = Some(flush.stop_time),
            _ => self.messages.take(&event, |comm| {
                CommRef(tables.global(ReferenceKind::Comm, comm.0.into()) as u32)
            }),
        }
    }

    fn unknown(&mut self, _: &EventHead<'_>, _: u8) {
        self.keep = self.way.families.has(Family::Unknown);
        self.ends = false;
        self.counts.unknown += u64::from(self.keep);
    }
}
