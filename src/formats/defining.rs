//! Definitions that are made of what was found in files that define nothing.

use bstr::{BStr, BString, ByteSlice};
use indexmap::IndexMap;
use streamfold_model::definitions::{Definition, StringDef, SystemTreeNode};
use streamfold_model::ids::{StringRef, SystemTreeNodeRef};
use streamfold_model::store::Definitions;

/// So many faults and oddities are kept; all are counted.
const KEPT: usize = 1000;

/// What is kept of faults.
pub(super) struct Kept<T> {
    pub count: u64,
    pub first: Vec<T>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept { count: 0, first: Vec::new() }
    }
}

impl<T> Kept<T> {
    pub fn push(&mut self, what: T) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(what);
        }
    }
}

/// Adds definitions, and gives a reference to each text.
#[derive(Default)]
pub(super) struct Defining {
    pub definitions: Definitions,
    texts: IndexMap<BString, (), foldhash::fast::RandomState>,
}

impl Defining {
    pub fn text(&mut self, text: &BStr) -> StringRef {
        if let Some(id) = self.texts.get_index_of(text) {
            return StringRef(id as u32);
        }
        let id = StringRef(self.texts.len() as u32);
        self.texts.insert(text.to_owned(), ());
        self.definitions.insert(Definition::StringDef(StringDef { id, string: text.to_owned() }));
        id
    }

    pub fn node(&mut self, id: u32, name: &str, class: &str, parent: SystemTreeNodeRef) {
        let node = SystemTreeNode {
            id: SystemTreeNodeRef(id),
            name: self.text(name.as_bytes().as_bstr()),
            class_name: self.text(class.as_bytes().as_bstr()),
            parent,
        };
        self.definitions.insert(Definition::SystemTreeNode(node));
    }
}
