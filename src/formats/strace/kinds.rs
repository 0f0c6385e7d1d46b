//! Calls of one name on one file: what is known of them is found out once.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::call::{Call, Target};

/// Facts of calls, by their names and files as these are written.
#[derive(Debug)]
pub struct Kinds<V> {
    known: HashMap<Vec<u8>, V, RandomState>,
    key: Vec<u8>,
}

impl<V> Default for Kinds<V> {
    fn default() -> Self {
        Kinds { known: HashMap::default(), key: Vec::new() }
    }
}

impl<V: Copy> Kinds<V> {
    /// Returns the facts of a call like this one, which are found where none was like it.
    pub fn of(&mut self, call: &Call<'_>, find: impl FnOnce() -> V) -> V {
        let key = &mut self.key;
        key.clear();
        key.extend_from_slice(call.name);
        match call.target {
            Target::None => {}
            Target::Descriptor(text) => add(key, b'\n', text),
            Target::Path(text) => add(key, b'\r', text),
            Target::Plain(text) => add(key, b'\x0b', text),
            Target::In(folder, text) => {
                add(key, b'\t', folder);
                add(key, b'\n', text);
            }
        }
        if let Some(known) = self.known.get(key.as_slice()) {
            return *known;
        }
        // A program that names ever new files is not to fill the memory.
        const MOST: usize = 1 << 16;
        if self.known.len() >= MOST {
            self.known.clear();
        }
        let found = find();
        self.known.insert(key.clone(), found);
        found
    }
}

fn add(key: &mut Vec<u8>, before: u8, text: &[u8]) {
    key.push(before);
    key.extend_from_slice(text);
}
