//! Calls of one name on one target: what is known of them is found out once.
//!
//! Blocks number the kinds of their calls in tables. So the order of the file, in which one thread takes all calls, asks
//! for numbers, not for texts.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::call::{Call, Target};
use super::Map;

/// Kinds of calls at most, in a table and in all: a program that names ever new files is not to fill the memory.
const IN_TABLE: usize = 1 << 13;
const MOST: usize = 1 << 16;
/// Tables of which facts are kept: more than are in use at once.
const TABLES: usize = 256;

/// Numbers of kinds of calls.
pub(super) struct KindTable {
    /// The number of the table.
    pub id: u64,
    kinds: IndexSet<Vec<u8>, RandomState>,
    key: Vec<u8>,
}

impl Default for KindTable {
    fn default() -> Self {
        KindTable { id: new_id(), kinds: IndexSet::default(), key: Vec::new() }
    }
}

fn new_id() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl KindTable {
    /// Makes room for the kinds of another block.
    pub(super) fn make_room(&mut self) {
        if self.kinds.len() >= IN_TABLE {
            self.kinds.clear();
            self.id = new_id();
        }
    }

    /// The number of the kind of a call.
    pub(super) fn of(&mut self, name: &[u8], target: Target<'_>) -> u32 {
        write(&mut self.key, name, target);
        let number = match self.kinds.get_index_of(&self.key) {
            Some(number) => number,
            None => self.kinds.insert_full(self.key.clone()).0,
        };
        number as u32
    }
}

/// Facts of calls by their kinds.
#[derive(Debug)]
pub struct Kinds<V> {
    known: HashMap<Vec<u8>, V, RandomState>,
    key: Vec<u8>,
    /// Facts by the numbers of tables.
    of_tables: Map<Vec<Option<V>>>,
    /// Those of the table of the call before, and its number.
    last: (u64, Vec<Option<V>>),
}

impl<V> Default for Kinds<V> {
    fn default() -> Self {
        let (known, key, of_tables) = Default::default();
        Kinds { known, key, of_tables, last: (u64::MAX, Vec::new()) }
    }
}

impl<V: Copy> Kinds<V> {
    /// Returns the facts of a call like this one, which are found where none was like it.
    pub fn of(&mut self, call: &Call<'_>, find: impl FnOnce() -> V) -> V {
        let Some((table, number)) = call.kind else { return self.of_text(call, find) };
        if self.last.0 != table {
            self.change(table);
        }
        let number = number as usize;
        if let Some(Some(known)) = self.last.1.get(number) {
            return *known;
        }
        let found = self.of_text(call, find);
        let facts = &mut self.last.1;
        if facts.len() <= number {
            facts.resize(number + 1, None);
        }
        facts[number] = Some(found);
        found
    }

    /// Takes the facts of another table.
    fn change(&mut self, table: u64) {
        if self.of_tables.len() >= TABLES {
            self.of_tables.clear();
        }
        let next = self.of_tables.remove(&table).unwrap_or_default();
        let (last, facts) = std::mem::replace(&mut self.last, (table, next));
        self.of_tables.insert(last, facts);
    }

    fn of_text(&mut self, call: &Call<'_>, find: impl FnOnce() -> V) -> V {
        write(&mut self.key, call.name, call.target);
        if let Some(known) = self.known.get(self.key.as_slice()) {
            return *known;
        }
        if self.known.len() >= MOST {
            self.known.clear();
        }
        let found = find();
        self.known.insert(self.key.clone(), found);
        found
    }
}

fn write(to: &mut Vec<u8>, name: &[u8], target: Target<'_>) {
    to.clear();
    to.extend_from_slice(name);
    let mut add = |before: u8, text: &[u8]| {
        to.push(before);
        to.extend_from_slice(text);
    };
    match target {
        Target::None => {}
        Target::Descriptor(text) => add(b'\n', text),
        Target::Path(text) => add(b'\r', text),
        Target::Plain(text) => add(b'\x0b', text),
        Target::In(folder, text) => {
            add(b'\t', folder);
            add(b'\n', text);
        }
    }
}
