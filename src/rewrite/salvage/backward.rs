//! Times that go back, which no writer writes: what is behind such a step cannot be trusted.

use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use streamfold_otf2::{Archive, LocalDefinitions};

/// The first event before whose predecessor it happened, by the times in the file: its number, and
/// both times.
pub fn first_backward(archive: &Archive, location: LocationRef) -> Option<(u64, Ticks, Ticks)> {
    let mut times = Times::default();
    let mut reader = archive.events_with(location, LocalDefinitions::default()).ok()?;
    while times.found.is_none() && reader.read_part(&mut times).unwrap_or(false) {}
    times.found
}

/// Looks for a time that goes back.
#[derive(Default)]
struct Times {
    last: Ticks,
    found: Option<(u64, Ticks, Ticks)>,
}

impl Times {
    fn look(&mut self, head: &EventHead<'_>) {
        if head.time < self.last {
            self.found.get_or_insert((head.number, self.last, head.time));
        }
        self.last = head.time;
    }
}

impl EventVisitor for Times {
    const WANTS: EventSet = EventSet::ALL;

    fn event(&mut self, head: &EventHead<'_>, _: Event<'_>) {
        self.look(head);
    }

    fn unknown(&mut self, head: &EventHead<'_>, _: u8) {
        self.look(head);
    }
}
