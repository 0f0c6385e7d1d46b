//! Buffer flushes that may go on behind the end of a window. Whether they do is known once something ends them, or the
//! window does. Up to then they are held back, with all that follows them.

use streamfold_model::enums::MeasurementMode;
use streamfold_model::events::{Event, EventKind};
use streamfold_model::stream::EventSet;
use streamfold_model::values::Ticks;

use crate::formats::otf2::RawEvent;

/// Parameters, of which nothing is open, but which end a flush.
pub(super) const PARAMETERS: EventSet = EventSet::of(&[
    EventKind::ParameterString,
    EventKind::ParameterInt,
    EventKind::ParameterUnsignedInt,
]);

/// Whether a flush does not go on behind an event, as in profiles.
pub(super) fn ends_flush(event: &Event<'_>) -> bool {
    const KINDS: EventSet = EventSet::VISITS.and(EventSet::TASKS).and(PARAMETERS);
    match event {
        Event::MeasurementOnOff(event) => {
            !matches!(event.measurement_mode, MeasurementMode::Unnamed(_))
        }
        Event::BufferFlush(_) => true,
        _ => KINDS.contains(event.kind()),
    }
}

/// An event that stays.
pub(super) struct Kept {
    pub raw: RawEvent,
    /// Its corrected time.
    pub time: Ticks,
    /// How many events of the location were read with it.
    pub number: u64,
    /// Whether it is a flush that says that it goes on behind the end of the window.
    pub reaches: bool,
    /// Whether it ends a flush.
    pub ends: bool,
}

/// A flush, and what follows it.
#[derive(Default)]
pub(super) struct Held {
    pub events: Vec<Kept>,
    bytes: usize,
    /// Whether it goes on from before the window: then it is over with what happens where the window begins.
    is_old: bool,
}

impl Held {
    /// So many bytes are held back: behind more of them a flush goes on, for all that anybody looks.
    const MOST: usize = 1 << 20;

    /// A flush that goes on from before the window, at its begin.
    pub fn old(flush: Kept) -> Held {
        Held { bytes: flush.raw.size(), events: vec![flush], is_old: true }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether there is no room for more.
    pub fn is_full(&self) -> bool {
        self.bytes > Held::MOST
    }

    /// Holds an event back.
    pub fn push(&mut self, event: Kept) {
        self.bytes += event.raw.size();
        self.events.push(event);
    }

    /// Whether the flush need not be held back any more where an event happens: that ends it, unless it has its time and
    /// so happens before it, or none can end it where the window begins and the window does not either.
    pub fn is_over_with(&self, event: &Kept) -> bool {
        let Some(flush) = self.events.first() else { return false };
        let is_later = event.time > flush.time;
        match self.is_old {
            true => event.ends || (is_later && !flush.reaches),
            false => event.ends && is_later,
        }
    }

    /// Whether the flush is one from before the window, and an event ends it where that begins.
    pub fn is_nothing_with(&self, event: &Kept) -> bool {
        // Later both as recorded and as corrected: ticks next to each other may have one corrected time.
        let is_later =
            |flush: &Kept| event.raw.time() > flush.raw.time() && event.time > flush.time;
        self.is_old && event.ends && !self.events.first().is_some_and(is_later)
    }
}
