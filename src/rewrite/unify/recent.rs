//! What a thread remembers of the records that it has read: most files of locations say what others said, in
//! the same bytes, or in the same but for the numbers of what they lead to. A record is the same only if all of
//! its bytes are; what is not remembered is decoded. So nothing but time depends on it.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::fast::FixedState;
use streamfold_kernels::unify::{Record, Ref, Says};
use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;

use crate::formats::otf2::{definition_into, Order, RawDefinition};

/// So many records are remembered at most.
const PLACES: usize = 1 << 15;
/// Bytes that one of them takes at most.
const LONGEST: usize = 512;
/// From here on numbers on disk mean the same in files of either kind.
const FIRST: u8 = 10;

/// A definition of a location, as it is unified.
#[derive(Clone)]
pub(super) struct Said {
    pub record: Record,
    /// The name of such records.
    pub name: &'static str,
    /// Whether it says that values may be locations.
    pub leads_to_locations: bool,
}

/// Records that were read lately, each in the one place where it may be.
pub(super) struct Recent {
    places: Vec<Option<Box<Known>>>,
    /// Shells of other records, which need not be in memory twice.
    shells: Vec<Option<Arc<[u8]>>>,
    /// Whether records of a number on disk begin with the number of what they define, once one was met.
    numbered: [Option<bool>; 256],
    /// The one that was looked for last, as it stands.
    last: Last,
    /// A definition that is looked for, as it would stand in a file.
    encoded: Vec<u8>,
    /// How many the last file had: the next one may have as many.
    pub records: usize,
}

/// A record, as it stands and without its own number, and what it says.
struct Known {
    head: Head,
    bytes: Vec<u8>,
    kind: Option<ReferenceKind>,
    says: Arc<Says>,
    name: &'static str,
    leads_to_locations: bool,
}

/// What else decides on what the bytes of a record say.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Head {
    id: u8,
    order: Order,
    /// The archive that it is from, where that matters.
    of: Option<u32>,
}

struct Last {
    head: Head,
    bytes: Vec<u8>,
}

impl Default for Recent {
    fn default() -> Self {
        let head = Head { id: 0, order: Order::NATIVE, of: None };
        Recent {
            places: (0..PLACES).map(|_| None).collect(),
            shells: vec![None; PLACES],
            numbered: [None; 256],
            last: Last { head, bytes: Vec::new() },
            encoded: Vec::new(),
            records: 0,
        }
    }
}

impl Recent {
    /// What a record says that stands so in a file `of` this archive (`None`: that does not matter), if it is
    /// remembered.
    pub fn find(&mut self, raw: RawDefinition<'_>, of: Option<u32>) -> Option<Said> {
        let head = Head { id: raw.id, order: raw.order, of };
        let found = self.known(head, raw);
        if found.is_none() {
            self.last.head = head;
            self.last.bytes.clear();
            self.last.bytes.extend_from_slice(raw.payload);
        }
        found
    }

    fn known(&self, head: Head, raw: RawDefinition<'_>) -> Option<Said> {
        let (number, bytes) = match self.numbered[usize::from(raw.id)]? {
            true => raw.split_number()?,
            false => (0, raw.payload),
        };
        let known = self.places[place(head.id, bytes)].as_ref()?;
        let is_it = known.head == head && known.bytes == bytes;
        is_it.then(|| Said {
            record: Record {
                own: known.kind.map(|kind| (kind, number.into())),
                says: Arc::clone(&known.says),
            },
            name: known.name,
            leads_to_locations: known.leads_to_locations,
        })
    }

    /// The same of a definition that is in no file.
    pub fn find_definition(&mut self, definition: &Definition, of: Option<u32>) -> Option<Said> {
        let mut payload = std::mem::take(&mut self.encoded);
        let id = definition_into(definition, &mut payload);
        let raw = RawDefinition { id, order: Order::Little, payload: &payload };
        let found = self.find(raw, of);
        self.encoded = payload;
        found
    }

    /// Remembers what the record says that was looked for last, and forgets the one in its place.
    pub fn remember(&mut self, said: &mut Said) {
        self.share(&mut said.record);
        let Said { record, name, leads_to_locations } = &*said;
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
        let place = &mut self.places[place(head.id, bytes)];
        // Its memory is used again.
        let mut kept =
            place.as_mut().map_or_else(Vec::new, |known| std::mem::take(&mut known.bytes));
        kept.clear();
        kept.extend_from_slice(bytes);
        let known = Known {
            head: *head,
            bytes: kept,
            kind: record.own.map(|(kind, _)| kind),
            says: Arc::clone(&record.says),
            name,
            leads_to_locations: *leads_to_locations,
        };
        match place {
            Some(before) => **before = known,
            None => *place = Some(Box::new(known)),
        }
    }

    /// Lets a record have its shell in common with others.
    fn share(&mut self, record: &mut Record) {
        let Some(says) = Arc::get_mut(&mut record.says) else { return };
        if says.shell.len() > LONGEST {
            return;
        }
        match &mut self.shells[place(0, &says.shell)] {
            Some(known) if *known == says.shell => says.shell = Arc::clone(known),
            other => *other = Some(Arc::clone(&says.shell)),
        }
    }
}

/// The one place where a record, or a shell, may be.
fn place(id: u8, bytes: &[u8]) -> usize {
    let mut hasher = FixedState::with_seed(id.into()).build_hasher();
    hasher.write(bytes);
    hasher.finish() as usize % PLACES
}
