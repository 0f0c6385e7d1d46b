//! Scopes of references: the trace, the events of a location, and its own definitions.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;
use streamfold_model::store::Definitions;
use streamfold_model::values::IdMap;

type Map<K, V> = HashMap<K, V, RandomState>;

/// Definitions that only one location has, and the mapping tables from its numbers to those of the trace.
#[derive(Clone, Debug, Default)]
pub struct LocalScope {
    definitions: Definitions,
    tables: Map<ReferenceKind, Table>,
}

/// A mapping table.
#[derive(Clone, Debug, Default)]
struct Table {
    /// The trace's numbers by those of the location.
    globals: Map<u64, u64>,
    /// The numbers of what the location defines, by those of the trace.
    locals: Map<u64, u64>,
}

impl LocalScope {
    /// Those of a file, mapping tables among them; `None`: it defines nothing that has a number.
    pub fn new(all: &[Definition]) -> Option<LocalScope> {
        let mut own = LocalScope::default();
        all.iter()
            .filter(|d| d.defines().is_some())
            .for_each(|d| own.definitions.insert(d.clone()));
        if own.definitions.count == 0 {
            return None;
        }
        for definition in all {
            let Definition::MappingTable(table) = definition else { continue };
            if let Some(kind) = table.mapping_type.leads_to() {
                // Of several the first one counts.
                let definitions = &own.definitions;
                own.tables
                    .entry(kind)
                    .or_insert_with(|| Table::new(definitions, kind, &table.id_map));
            }
        }
        Some(own)
    }

    /// The location's number of what it defines, given the trace's.
    fn local(&self, kind: ReferenceKind, global: u64) -> Option<u64> {
        let local = match self.tables.get(&kind) {
            None => global,
            Some(table) => match table.locals.get(&global) {
                Some(local) => *local,
                None if table.globals.contains_key(&global) => return None,
                None => global,
            },
        };
        self.definitions.has(kind, local).then_some(local)
    }

    /// Returns its definitions of a kind, by their numbers in the trace.
    pub fn numbers(&self, kind: ReferenceKind) -> impl Iterator<Item = u64> + '_ {
        let own = self.definitions.numbers().filter(move |(of, _)| *of == kind);
        own.map(move |(_, local)| self.global(kind, local))
    }

    /// The trace's number of one of the location.
    fn global(&self, kind: ReferenceKind, local: u64) -> u64 {
        let table = self.tables.get(&kind);
        table.and_then(|table| table.globals.get(&local)).copied().unwrap_or(local)
    }
}

impl Table {
    fn new(own: &Definitions, kind: ReferenceKind, map: &IdMap) -> Table {
        let globals: Map<u64, u64> = match map {
            IdMap::Dense(globals) => (0..).zip(globals.iter().copied()).collect(),
            IdMap::Sparse(pairs) => pairs.iter().copied().collect(),
        };
        let mut defined: Vec<_> =
            globals.iter().filter(|(local, _)| own.has(kind, **local)).collect();
        // If several local numbers map to one number of the trace, the last of them counts.
        defined.sort_unstable();
        let locals = defined.into_iter().map(|(local, global)| (*global, *local)).collect();
        Table { globals, locals }
    }
}

/// The definitions that references mean in one place.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    trace: &'a Definitions,
    own: Option<&'a LocalScope>,
    /// Set if the references are in the location's own definitions.
    inside: bool,
}

impl<'a> Scope<'a> {
    /// Returns the scope of the trace's definitions.
    pub fn of_trace(trace: &'a Definitions) -> Self {
        Scope { trace, own: None, inside: false }
    }

    /// The events of a location, whose numbers are mapped.
    ///
    /// The trace's definitions count, then those of the location. Strings, groups and the system tree
    /// are among the trace's also where nobody has unified anything: without mapping tables the
    /// location's own count first.
    pub fn of_events(trace: &'a Definitions, own: Option<&'a LocalScope>) -> Self {
        Scope { trace, own, inside: false }
    }

    /// The definitions of a location: they lead to each other, and to others of the trace through
    /// the mapping tables.
    pub fn of_own(trace: &'a Definitions, own: Option<&'a LocalScope>) -> Self {
        Scope { trace, own, inside: true }
    }

    /// The trace's number of what is meant here by a number.
    pub fn global(self, kind: ReferenceKind, number: u64) -> u64 {
        let own = self.own.filter(|_| self.inside);
        own.map_or(number, |own| own.global(kind, number))
    }

    /// Resolves a reference: returns the definitions that have it, its number there, and the scope of their references.
    pub fn find(self, kind: ReferenceKind, number: u64) -> (&'a Definitions, u64, Scope<'a>) {
        let Some(own) = self.own else { return (self.trace, number, self) };
        let local = match self.inside {
            true => own.definitions.has(kind, number).then_some(number),
            false => own.local(kind, number).filter(|_| {
                own.tables.is_empty() && is_always_there(kind) || !self.trace.has(kind, number)
            }),
        };
        match local {
            Some(local) => (&own.definitions, local, Scope { inside: true, ..self }),
            None => {
                let global = if self.inside { own.global(kind, number) } else { number };
                (self.trace, global, Scope::of_trace(self.trace))
            }
        }
    }
}

/// Kinds of which the trace has definitions also where nobody has unified anything.
fn is_always_there(kind: ReferenceKind) -> bool {
    use ReferenceKind::*;
    matches!(kind, String | Group | LocationGroup | SystemTreeNode | Location)
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{MappingTable, StringDef};
    use streamfold_model::enums::MappingType;
    use streamfold_model::ids::StringRef;

    use super::*;

    fn string(id: u32, text: &str) -> Definition {
        Definition::StringDef(StringDef { id: StringRef(id), string: text.into() })
    }

    fn text(scope: Scope<'_>, number: u64) -> Option<String> {
        let (definitions, number, _) = scope.find(ReferenceKind::String, number);
        definitions.string(StringRef(number as u32)).map(ToString::to_string)
    }

    fn trace() -> Definitions {
        let mut trace = Definitions::default();
        [string(0, "trace 0"), string(7, "trace 7")].into_iter().for_each(|d| trace.insert(d));
        trace
    }

    #[test]
    fn without_tables_the_own_strings_count_first() {
        let trace = trace();
        let own = LocalScope::new(&[string(0, "own 0"), string(3, "own 3")]);
        for scope in [Scope::of_events(&trace, own.as_ref()), Scope::of_own(&trace, own.as_ref())] {
            let texts = [0, 3, 7, 9].map(|number| text(scope, number));
            let expected = [Some("own 0"), Some("own 3"), Some("trace 7"), None];
            assert_eq!(texts, expected.map(|text| text.map(str::to_owned)));
        }
        assert_eq!(text(Scope::of_events(&trace, None), 0).as_deref(), Some("trace 0"));
    }

    #[test]
    fn tables_lead_to_the_trace_and_back() {
        let trace = trace();
        let table = MappingTable {
            mapping_type: MappingType::String,
            id_map: IdMap::Sparse(vec![(0, 7), (3, 12), (5, 0)]),
        };
        let all = [string(0, "own 0"), string(3, "own 3"), Definition::MappingTable(table)];
        let own = LocalScope::new(&all);
        let events = |number| text(Scope::of_events(&trace, own.as_ref()), number);
        let inside = |number| text(Scope::of_own(&trace, own.as_ref()), number);
        let some = |text: &str| Some(text.to_owned());
        // The trace has no 12, which is what the location's 3 is mapped to; its own 3 is not meant by 3.
        assert_eq!(
            [0, 7, 12, 3].map(events),
            [some("trace 0"), some("trace 7"), some("own 3"), None]
        );
        assert_eq!([0, 3, 5].map(inside), [some("own 0"), some("own 3"), some("trace 0")]);
    }

    #[test]
    fn who_defines_nothing_has_nothing_of_its_own() {
        assert!(LocalScope::new(&[]).is_none());
    }
}
