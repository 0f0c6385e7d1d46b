//! Definitions of locations, as they are compared.

use std::collections::BTreeMap;

use streamfold_model::definitions::{Definition, Location};
use streamfold_model::ids::LocationRef;

use crate::unify::read::records::{put, record_id, without_members};

/// The number on disk of the definition of a location.
pub(crate) const LOCATION: u8 = 14;

/// The location that a shell is of.
pub(crate) fn location(shell: &[u8]) -> Option<LocationRef> {
    definition(shell).map(|location| location.id)
}

/// The shell of a location with the number of its events; `None`: it has it, or is none.
pub(crate) fn counted(shell: &[u8], events: &BTreeMap<LocationRef, u64>) -> Option<Box<[u8]>> {
    let mut location = definition(shell)?;
    let count = *events.get(&location.id)?;
    if location.number_of_events == count {
        return None;
    }
    location.number_of_events = count;
    let mut shell = Vec::new();
    put(Definition::Location(location), 0, &mut shell, &mut Vec::new());
    Some(shell.into())
}

fn definition(shell: &[u8]) -> Option<Location> {
    if record_id(shell) != LOCATION {
        return None;
    }
    match without_members(shell) {
        Definition::Location(location) => Some(location),
        _ => None,
    }
}
