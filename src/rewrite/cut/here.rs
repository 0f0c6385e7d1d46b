//! The numbers by which the events of a location that stay lead to definitions: mapping tables have to
//! lead from them to the new ones. They are remembered from when the events are written to when the
//! tables are; where those of all locations are too many they are read once more.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use streamfold_kernels::validate::Known;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::{ReferenceKind, References};
use streamfold_model::stream::EventHead;
use streamfold_model::values::AttributeEntry;

use super::numbering::may_change;
use super::used::{Tables, Used};
use streamfold_drive::Trace;
use streamfold_otf2::{Archive, ArchiveWriter, Error, LocalDefinitions};

/// The numbers by which the events of a location that stay lead to definitions, by kind.
pub(super) type Here = Box<[(ReferenceKind, Box<[u64]>)]>;

/// The same of locations.
pub(super) type OfLocations = BTreeMap<LocationRef, Here>;

/// Count of numbers that are remembered by a rank, of 8 bytes each.
pub const MOST_REMEMBERED: usize = 1 << 22;

/// Room for numbers that are remembered.
pub(super) struct Room(AtomicUsize);

impl Room {
    pub(super) fn new(numbers: usize) -> Room {
        Room(AtomicUsize::new(numbers))
    }

    /// Takes room for the numbers of a location. Returns whether there was enough.
    pub(super) fn take(&self, here: &Here) -> bool {
        /// Cost of a location besides its numbers, and of a kind of it.
        const BESIDES: usize = 8;
        let kinds = here.iter().map(|(_, numbers)| numbers.len() + BESIDES);
        let wanted = kinds.sum::<usize>() + BESIDES;
        let left = |room: usize| room.checked_sub(wanted);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok()
    }
}

/// Hands over the numbers by which an event and its attributes lead to definitions.
#[inline]
pub(crate) fn each_number(
    event: &Event<'_>,
    attributes: &[AttributeEntry],
    mut each: impl FnMut(ReferenceKind, u64),
) {
    event.each_reference(|_, kind, number| each(kind, number));
    for AttributeEntry { attribute, value } in attributes {
        each(ReferenceKind::Attribute, attribute.0.into());
        if let Some(kind) = value.value_type.leads_to() {
            each(kind, value.bits);
        }
    }
}

/// Returns the numbers that were used at a location, as a list.
pub(super) fn listed(used: &Used) -> Here {
    let mut kinds: BTreeMap<ReferenceKind, Vec<u64>> = BTreeMap::new();
    used.each(|kind, number| {
        if may_change(kind) {
            kinds.entry(kind).or_default().push(number);
        }
    });
    kinds.into_iter().map(|(kind, numbers)| (kind, numbers.into())).collect()
}

/// Reads once more what the events of a location that were written lead to.
///
/// # Errors
///
/// When they cannot be read, or the tables of the location cannot.
pub(super) fn read(
    trace: &Trace,
    to: &ArchiveWriter,
    location: LocationRef,
    known: &Known,
) -> Result<Here, Error> {
    let archive = trace.source.otf2();
    let tables = Tables::new(archive.read_local_definitions(location)?.mappings);
    let (anchor, options) = (archive.anchor().clone(), archive.options());
    let written = Archive::with_anchor(&to.anchor_path(), anchor, options)?;
    let mut reader = written.events_with(location, LocalDefinitions::default())?;
    let mut found = Finder { known, tables, here: Used::default() };
    reader.read_all(&mut found)?;
    Ok(listed(&found.here))
}

/// Finds them.
struct Finder<'a> {
    known: &'a Known,
    tables: Tables,
    here: Used,
}

impl EventVisitor for Finder<'_> {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let Finder { known, tables, here } = self;
        each_number(&event, head.attributes, |kind, number| {
            if known.has(kind, tables.global(kind, number)) {
                here.add(kind, number);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_remembered_as_there_is_room_for() {
        let mut used = Used::default();
        for number in 0..10 {
            used.add(ReferenceKind::Region, number);
        }
        used.add(ReferenceKind::Location, 5);
        let here = listed(&used);
        assert_eq!(here.iter().map(|(_, numbers)| numbers.len()).sum::<usize>(), 10);
        let room = Room::new(60);
        assert_eq!([(); 3].map(|()| room.take(&here)), [true, true, false]);
        assert!(room.take(&listed(&Used::default())));
    }
}
