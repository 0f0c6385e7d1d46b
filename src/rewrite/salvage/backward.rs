//! Times that go back, which no writer writes: what is behind such a step cannot be trusted.

use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use crate::formats::otf2::{
    Archive, ArchiveWriter, BeforeEvent, Copied, EventWriter, LocalDefinitions, Part, WriteError,
};

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

/// Writes the events before the one of this number.
///
/// # Errors
///
/// When they cannot be written.
pub fn rewrite(
    archive: &Archive,
    to: &ArchiveWriter,
    location: LocationRef,
    number: u64,
) -> Result<Copied, WriteError> {
    let mut again = Again { writer: to.events(location), failed: None, unknown: 0 };
    if let Ok(mut reader) = archive.events_with(location, LocalDefinitions::default()) {
        while let Ok(Part::More) = reader.read_part_to(BeforeEvent(number), &mut again) {}
    }
    if let Some(error) = again.failed {
        return Err(error);
    }
    let (records, bytes) = again.writer.finish_with_length()?;
    Ok(Copied { records, unknown: again.unknown, bytes })
}

/// Writes the events that it receives.
struct Again {
    writer: EventWriter,
    failed: Option<WriteError>,
    /// Records of unknown kinds, which cannot be written so.
    unknown: u64,
}

impl EventVisitor for Again {
    const WANTS: EventSet = EventSet::ALL;
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if self.failed.is_none() {
            self.failed = self.writer.write(head.time, head.attributes, &event).err();
        }
    }

    fn unknown(&mut self, _: &EventHead<'_>, _: u8) {
        self.unknown += 1;
    }
}
