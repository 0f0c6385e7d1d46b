//! Definitions to which others are added.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::RandomState;
use streamfold_model::definitions::{Definition, StringDef};
use streamfold_model::ids::{
    IoParadigmRef, LocationGroupRef, LocationRef, Reference, StringRef, SystemTreeNodeRef,
};
use streamfold_model::references::ReferenceKind;

use super::processes::process_of;
use super::{defined, NumbersByKind};

/// Definitions, with what is needed to add some.
#[derive(Debug)]
pub(super) struct Book {
    pub definitions: Vec<Definition>,
    /// What is defined.
    pub defined: NumbersByKind,
    /// What is defined, or led to: numbers that nothing else may have.
    taken: NumbersByKind,
    /// Strings that were added, by their text.
    strings: HashMap<String, StringRef, RandomState>,
    /// The group of each process, so far as somebody says it.
    pub groups: BTreeMap<u32, LocationGroupRef>,
    /// The node of the system tree below which new groups go.
    pub node: Option<SystemTreeNodeRef>,
    /// The paradigm of handles that were added.
    pub io_paradigm: Option<IoParadigmRef>,
    /// Kinds of which any was added.
    pub made: BTreeSet<ReferenceKind>,
    /// How many were added of each kind.
    pub invented: BTreeMap<String, u64>,
    /// Locations that were added without a file.
    pub placeholders: Vec<LocationRef>,
}

impl Book {
    /// Begins with these; nothing that is added may have one of the numbers that are `taken`.
    pub fn new(mut definitions: Vec<Definition>, mut taken: NumbersByKind) -> Book {
        let defined = defined(&definitions);
        taken.fold(&defined);
        let (mut groups, mut node) = (BTreeMap::new(), None);
        for definition in &mut definitions {
            definition.renumber(&mut |kind, number| {
                taken.insert(kind, number);
                number
            });
            match definition {
                Definition::Location(location) if !location.location_group.is_undefined() => {
                    groups.entry(process_of(location.id)).or_insert(location.location_group);
                }
                Definition::SystemTreeNode(of) => drop(node.get_or_insert(of.id)),
                _ => {}
            }
        }
        Book {
            definitions,
            defined,
            taken,
            strings: HashMap::default(),
            groups,
            node,
            io_paradigm: None,
            made: BTreeSet::new(),
            invented: BTreeMap::new(),
            placeholders: Vec::new(),
        }
    }

    /// Adds a definition that nobody has.
    pub fn add(&mut self, definition: Definition) {
        if let Some((kind, number)) = definition.defines() {
            self.defined.insert(kind, number);
            self.taken.insert(kind, number);
            self.made.insert(kind);
        }
        match self.invented.get_mut(definition.name()) {
            Some(count) => *count += 1,
            None => drop(self.invented.insert(definition.name().to_owned(), 1)),
        }
        self.definitions.push(definition);
    }

    /// Whether a number is defined.
    pub fn has(&self, kind: ReferenceKind, number: u64) -> bool {
        self.defined.has(kind, number)
    }

    /// The first number of a kind that nothing has and nothing leads to.
    pub fn free(&mut self, kind: ReferenceKind) -> u64 {
        let number = self.taken.of(kind).free();
        self.taken.insert(kind, number);
        number
    }

    /// A string with this text.
    pub fn string(&mut self, text: &str) -> StringRef {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let id = StringRef(self.free(ReferenceKind::String) as u32);
        self.add(Definition::StringDef(StringDef { id, string: text.into() }));
        self.strings.insert(text.to_owned(), id);
        id
    }
}
