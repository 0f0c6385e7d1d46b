//! Cache of the records that a thread has read. Most files of locations repeat records of others, in the same bytes, or
//! with other numbers alone. A record is the same only if all of its bytes are; records that are not in the cache are
//! decoded. So nothing but time depends on it.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::FixedState;
use streamfold_kernels::unify::{Record, Ref, Says};
use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;

use super::shells::Shells;
use streamfold_otf2::{definition_into, Order, RawDefinition};

/// In so many places records are looked for.
const PLACES: usize = 1 << 15;
/// Largest number of records that are remembered, and of their bytes.
const MOST: usize = 1 << 16;
const MOST_BYTES: usize = 8 << 20;
/// Bytes that one of them takes at most.
const LONGEST: usize = 512;
/// From here on numbers on disk mean the same in files of either kind.
const FIRST: u8 = 10;

/// A definition of a location, as it is unified.
#[derive(Clone)]
pub(crate) struct Said {
    pub record: Record,
    /// The name of such records.
    pub name: &'static str,
    /// True if values may be locations, according to it.
    pub leads_to_locations: bool,
}

/// Records that were read lately and more than once.
pub(crate) struct Recent {
    /// In the order in which they were read when they were remembered, in which most files have them.
    known: Vec<Known>,
    /// Their bytes, one behind the other.
    bytes: Vec<u8>,
    /// The one that may come next.
    next: usize,
    /// Hash table of records that do not come next: the mark and the index of the one in each slot.
    places: Vec<(Mark, u32)>,
    /// Marks of the records that were read last, by slot.
    read: Vec<Mark>,
    /// Shells of records that are not known.
    pub shells: Shells,
    /// True if records of an id on disk begin with the number that they define; `None`: none was met yet.
    numbered: [Option<bool>; 256],
    /// The one that was looked for last, as it stands.
    last: Last,
    /// A definition that is looked for, as it would stand in a file.
    encoded: Vec<u8>,
    /// How many the last file had: the next one may have as many.
    pub records: usize,
}

/// A part of a hash: what has another one need not be compared.
type Mark = u32;

/// A record, and what it says.
struct Known {
    head: Head,
    /// Its place among the bytes of all, without its own number.
    bytes: Range<u32>,
    kind: Option<ReferenceKind>,
    leads_to_locations: bool,
    says: Arc<Says>,
    name: &'static str,
}

/// Conditions on which the meaning of a record's bytes depends.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Head {
    id: u8,
    order: Order,
    /// The archive that it is from, where that matters.
    of: Option<u32>,
}

impl Head {
    fn seed(self) -> u64 {
        let of = self.of.map_or(0, |of| u64::from(of) + 1);
        of << 16 | u64::from(self.order.number()) << 8 | u64::from(self.id)
    }
}

struct Last {
    head: Head,
    bytes: Vec<u8>,
}

impl Default for Recent {
    fn default() -> Self {
        let head = Head { id: 0, order: Order::NATIVE, of: None };
        Recent {
            known: Vec::new(),
            bytes: Vec::new(),
            next: 0,
            places: vec![(0, u32::MAX); PLACES],
            read: vec![0; PLACES],
            shells: Shells::of_many(),
            numbered: [None; 256],
            last: Last { head, bytes: Vec::new() },
            encoded: Vec::new(),
            records: 0,
        }
    }
}

impl Recent {
    /// Returns the record with these bytes in a file `of` this archive (`None`: that does not matter), if it is in the
    /// cache.
    #[inline]
    pub(crate) fn find(&mut self, raw: RawDefinition<'_>, of: Option<u32>) -> Option<Said> {
        let head = Head { id: raw.id, order: raw.order, of };
        let found = self.known(head, raw);
        if found.is_none() {
            self.last.head = head;
            self.last.bytes.clear();
            self.last.bytes.extend_from_slice(raw.payload);
        }
        found
    }

    fn known(&mut self, head: Head, raw: RawDefinition<'_>) -> Option<Said> {
        let (number, bytes) = match self.numbered[usize::from(raw.id)]? {
            true => raw.split_number()?,
            false => (0, raw.payload),
        };
        if !self.is_known(self.next, head, bytes) {
            let (place, mark) = place(head.seed(), bytes);
            let (_, known) = Some(self.places[place]).filter(|(other, _)| *other == mark)?;
            self.next = Some(known as usize).filter(|known| self.is_known(*known, head, bytes))?;
        }
        let known = &self.known[self.next];
        self.next += 1;
        Some(Said {
            record: Record {
                own: known.kind.map(|kind| (kind, number.into())),
                says: Arc::clone(&known.says),
            },
            name: known.name,
            leads_to_locations: known.leads_to_locations,
        })
    }

    /// Returns whether this is the record with these bytes.
    fn is_known(&self, which: usize, head: Head, bytes: &[u8]) -> bool {
        self.known.get(which).is_some_and(|known| {
            let Range { start, end } = known.bytes;
            known.head == head && self.bytes[start as usize..end as usize] == *bytes
        })
    }

    /// The same of a definition that is in no file.
    pub(crate) fn find_definition(
        &mut self,
        definition: &Definition,
        of: Option<u32>,
    ) -> Option<Said> {
        let mut payload = std::mem::take(&mut self.encoded);
        let id = definition_into(definition, &mut payload);
        let raw = RawDefinition { id, order: Order::Little, payload: &payload };
        let found = self.find(raw, of);
        self.encoded = payload;
        found
    }

    /// Remembers what the record says that was looked for last, if it is read again. Forgets all others where
    /// there is no room.
    pub(crate) fn remember(&mut self, said: &Said) {
        let Said { record, name, leads_to_locations } = said;
        let Last { head, bytes } = &self.last;
        let (id, raw) = (head.id, RawDefinition { id: head.id, order: head.order, payload: bytes });
        let bytes = match record.own {
            None => Some(raw.payload),
            Some((_, own)) => {
                let split = raw.split_number().filter(|(number, _)| u64::from(*number) == own);
                split.map(|(_, bytes)| bytes)
            }
        };
        let Some(bytes) = bytes else { return };
        let size = bytes.len() + record.shell.len() + record.refs.len() * size_of::<Ref>();
        let is_numbered = record.own.is_some();
        if id < FIRST
            || size > LONGEST
            || *self.numbered[usize::from(id)].get_or_insert(is_numbered) != is_numbered
        {
            return;
        }
        let (place, mark) = place(head.seed(), bytes);
        if std::mem::replace(&mut self.read[place], mark) != mark {
            return;
        }
        if self.known.len() == MOST || self.bytes.len() + bytes.len() > MOST_BYTES {
            self.known.clear();
            self.bytes.clear();
            self.places.fill((0, u32::MAX));
        }
        let begin = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        self.places[place] = (mark, self.known.len() as u32);
        self.known.push(Known {
            head: *head,
            bytes: begin..self.bytes.len() as u32,
            kind: record.own.map(|(kind, _)| kind),
            leads_to_locations: *leads_to_locations,
            says: Arc::clone(&record.says),
            name,
        });
    }
}

/// The one place where a record may be, and its mark there.
fn place(seed: u64, bytes: &[u8]) -> (usize, Mark) {
    let mut hasher = FixedState::with_seed(seed).build_hasher();
    hasher.write(bytes);
    let hash = hasher.finish();
    (hash as usize % PLACES, (hash >> 32) as Mark)
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{Parameter, StringDef};
    use streamfold_model::enums::ParameterType;
    use streamfold_model::ids::{ParameterRef, StringRef};

    use super::*;
    use crate::unify::read::records::record;

    fn string(id: u32, text: &str) -> Definition {
        Definition::StringDef(StringDef { id: StringRef(id), string: text.into() })
    }

    fn parameter(id: u32, name: u32) -> Definition {
        let parameter_type = ParameterType::Int64;
        Definition::Parameter(Parameter {
            id: ParameterRef(id),
            name: StringRef(name),
            parameter_type,
        })
    }

    /// Looks for it, and remembers it where it is not there. Returns whether it was.
    fn read(recent: &mut Recent, definition: &Definition, of: Option<u32>) -> bool {
        let record = record(definition.clone(), 0);
        if let Some(said) = recent.find_definition(definition, of) {
            assert_eq!((said.record, said.name), (record, definition.name()));
            return true;
        }
        recent.remember(&Said { record, name: definition.name(), leads_to_locations: false });
        false
    }

    #[test]
    fn what_is_read_twice_is_remembered_whatever_its_number() {
        let mut recent = Recent::default();
        let numbers = [7, 7, u32::MAX, 300];
        assert_eq!(
            numbers.map(|number| read(&mut recent, &string(number, "main"), None)),
            [false, false, true, true]
        );
        assert!(!read(&mut recent, &string(7, "man"), None));
        assert_eq!(
            [(1, 2), (3, 2), (4, 2), (4, 5)]
                .map(|(id, name)| { read(&mut recent, &parameter(id, name), None) }),
            [false, false, true, false]
        );
    }

    #[test]
    fn the_archive_and_the_order_of_bytes_count() {
        let mut recent = Recent::default();
        let main = string(1, "main");
        assert_eq!([(); 3].map(|()| read(&mut recent, &main, Some(4))), [false, false, true]);
        assert!(!read(&mut recent, &main, Some(5)) && !read(&mut recent, &main, None));
        let (mut payload, of) = (Vec::new(), Some(4));
        let id = definition_into(&main, &mut payload);
        let mut raw = RawDefinition { id, order: Order::Little, payload: &payload };
        assert!(recent.find(raw, of).is_some());
        raw.order = Order::Big;
        assert!(recent.find(raw, of).is_none());
    }

    #[test]
    fn however_many_are_read_few_are_kept() {
        let mut recent = Recent::default();
        for i in 0..3 * PLACES {
            let text = string(0, &i.to_string());
            assert_eq!([(); 3].map(|()| read(&mut recent, &text, None)), [false, false, true]);
        }
        let long = string(0, &"x".repeat(LONGEST));
        assert_eq!([(); 3].map(|()| read(&mut recent, &long, None)), [false; 3]);
    }
}
