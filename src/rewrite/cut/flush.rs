//! Buffer flushes that may go on behind the end of a window. The next event or the end of the window decides this. Up
//! to then a flush and all events behind it are held back.

use streamfold_model::enums::MeasurementMode;
use streamfold_model::events::{Event, EventKind};
use streamfold_model::stream::EventSet;
use streamfold_model::values::Ticks;

use streamfold_otf2::RawEvent;

/// Parameters, of which nothing is open, but which end a flush.
pub(super) const PARAMETERS: EventSet = EventSet::of(&[
    EventKind::ParameterString,
    EventKind::ParameterInt,
    EventKind::ParameterUnsignedInt,
]);

/// Returns whether an event ends a flush, as in profiles.
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
    /// True for a flush whose stop time is behind the end of the window.
    pub reaches: bool,
    /// True if it ends a flush.
    pub ends: bool,
}

/// A flush, and what follows it.
#[derive(Default)]
pub(super) struct Held {
    pub events: Vec<Kept>,
    bytes: usize,
    /// True if it goes on from before the window. Then an event at the begin of the window ends it.
    is_old: bool,
}

impl Held {
    /// Number of bytes that are held back: behind more of them a flush goes on, for all that anybody looks.
    const MOST: usize = 1 << 20;

    /// A flush that goes on from before the window, at its begin.
    pub(super) fn old(flush: Kept) -> Held {
        Held { bytes: flush.raw.size(), events: vec![flush], is_old: true }
    }

    /// Returns whether no event is held back.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns whether the limit of bytes is exceeded.
    pub(super) fn is_full(&self) -> bool {
        self.bytes > Held::MOST
    }

    /// Holds an event back.
    pub(super) fn push(&mut self, event: Kept) {
        self.bytes += event.raw.size();
        self.events.push(event);
    }

    /// Returns whether the flush need no longer be held back at an event. A later event that ends flushes decides this.
    /// For a flush from before the window any such event does, and so does a later one if the flush ends inside.
    pub(super) fn is_over_with(&self, event: &Kept) -> bool {
        let Some(flush) = self.events.first() else { return false };
        let is_later = event.time > flush.time;
        match self.is_old {
            true => event.ends || (is_later && !flush.reaches),
            false => event.ends && is_later,
        }
    }

    /// Returns whether the flush is from before the window and an event ends it at the begin.
    pub(super) fn is_nothing_with(&self, event: &Kept) -> bool {
        // Later both as recorded and as corrected: ticks next to each other may have one corrected time.
        let is_later =
            |flush: &Kept| event.raw.time() > flush.raw.time() && event.time > flush.time;
        self.is_old && event.ends && !self.events.first().is_some_and(is_later)
    }
}
