//! Kinds of events by their numbers on disk, section 14.

use streamfold_model::events::{EventKind, EventVisitor};
use streamfold_model::stream::EventSet;

use super::super::generated::events::EVENT_IDS;

/// A record with a stop time, which moves the clock's interval even if no visitor wants it.
pub(crate) const BUFFER_FLUSH: u8 = 10;
/// The only event with a number of a definition for which there are no mapping tables.
pub(crate) const IO_DELETE_FILE: u8 = 74;
pub(super) const ENTER: u8 = 12;
pub(crate) const LEAVE: u8 = 13;

/// The kinds that have this number on disk, as sets of bits by number.
const fn ids_of(set: EventSet) -> [u64; 4] {
    let mut bits = if set.contains_unknown() { [u64::MAX; 4] } else { [0; 4] };
    let mut i = 0;
    while i < EVENT_IDS.len() {
        let (id, kind) = EVENT_IDS[i];
        let bit = 1 << (id % 64);
        if set.contains(kind) {
            bits[id as usize / 64] |= bit;
        } else {
            bits[id as usize / 64] &= !bit;
        }
        i += 1;
    }
    bits
}

/// Tells whether a visitor wants events of this number.
#[inline(always)]
pub(super) fn wants<V: EventVisitor>(id: u8) -> bool {
    let ids = const { ids_of(V::WANTS) };
    ids[usize::from(id / 64)] >> (id % 64) & 1 == 1
}

/// Tells whether this version knows events of this number.
#[inline(always)]
pub(super) fn is_known(id: u8) -> bool {
    const KNOWN: [u64; 4] = ids_of(EventSet::of(&EventKind::ALL));
    KNOWN[usize::from(id / 64)] >> (id % 64) & 1 == 1
}

/// The name of the event `id`.
pub(crate) fn name(id: u8) -> Option<&'static str> {
    EVENT_IDS.iter().find(|(number, _)| *number == id).map(|(_, kind)| kind.name())
}
