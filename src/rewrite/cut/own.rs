//! A location's own definitions, and those of them that count: no mapping table leads from them to a definition of the
//! trace.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_kernels::validate::Known;
use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;
use streamfold_model::store::Definitions;

use super::used::{each_target, Tables, Used};

/// Kind and number of a definition.
type Number = (ReferenceKind, u64);

/// A set of kinds of definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kinds(u32);

impl Kinds {
    pub(super) fn add(&mut self, kind: ReferenceKind) {
        self.0 |= 1 << kind as u32;
    }

    pub(super) fn has(self, kind: ReferenceKind) -> bool {
        self.0 >> kind as u32 & 1 == 1
    }

    /// All of both.
    pub(super) fn fold(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

/// A definition of the location.
struct Record {
    own: Option<Number>,
    leads_to: Vec<Number>,
}

/// A location's own definitions.
#[derive(Default)]
pub(super) struct Own {
    /// Definitions whose names its events may use.
    pub definitions: Definitions,
    records: Vec<Record>,
}

impl Own {
    /// Takes in a definition of the location.
    pub(super) fn take(&mut self, definition: &Definition) {
        match definition {
            Definition::MappingTable(_) | Definition::ClockOffset(_) => return,
            Definition::StringDef(_) | Definition::Region(_) | Definition::CallingContext(_) => {
                self.definitions.insert(definition.clone())
            }
            _ => {}
        }
        let mut leads_to = Vec::new();
        each_target(definition, |kind, number| leads_to.push((kind, number)));
        self.records.push(Record { own: definition.defines(), leads_to });
    }

    /// Adds the global definitions that counting ones reference and the location does not define: they stay. Returns
    /// the kinds of which no number may change then. These are the kinds of counting definitions, and of their
    /// references past mapping tables.
    ///
    /// A definition counts by itself where its kind has no table, or where the table leads to nothing;
    /// of a kind for which there are no tables, where others that count lead to it.
    pub(super) fn lead_to(&self, known: &Known, tables: &Tables, used: &mut Used) -> Kinds {
        let mut counting = Counting::new(&self.records);
        for (place, record) in self.records.iter().enumerate() {
            let counts = match record.own {
                Some((kind, _)) if !Tables::may_have(kind) => !tables.any(),
                Some((kind, number)) => {
                    !tables.has(kind) || !known.has(kind, tables.global(kind, number))
                }
                None => !tables.any(),
            };
            if counts {
                counting.count(place);
            }
        }
        counting.run(|(kind, number)| {
            let global = tables.global(kind, number);
            if known.has(kind, global) {
                used.add(kind, global);
            }
            number != kind.undefined() && !tables.has(kind)
        })
    }
}

/// Goes from what counts to all that counts with it.
struct Counting<'a> {
    records: &'a [Record],
    /// Places of the location's definitions, by number.
    defined: HashMap<Number, Vec<usize>, RandomState>,
    /// Places of records without a number, by their references: a record counts with its reference.
    described: HashMap<Number, Vec<usize>, RandomState>,
    counts: Vec<bool>,
    found: Vec<usize>,
}

impl<'a> Counting<'a> {
    fn new(records: &'a [Record]) -> Self {
        let (mut defined, mut described) = (HashMap::default(), HashMap::default());
        for (place, Record { own, leads_to }) in records.iter().enumerate() {
            let places = |map: &mut HashMap<Number, Vec<usize>, RandomState>, number: Number| {
                map.entry(number).or_default().push(place);
            };
            match own {
                Some(number) => places(&mut defined, *number),
                None => leads_to.iter().for_each(|number| places(&mut described, *number)),
            }
        }
        let counts = vec![false; records.len()];
        Counting { records, defined, described, counts, found: Vec::new() }
    }

    fn count(&mut self, place: usize) {
        if !std::mem::replace(&mut self.counts[place], true) {
            self.found.push(place);
        }
    }

    /// `leave` is told of everything that the location does not define, and says whether its number
    /// stands there for itself.
    fn run(mut self, mut leave: impl FnMut(Number) -> bool) -> Kinds {
        let mut kinds = Kinds::default();
        while let Some(place) = self.found.pop() {
            let Record { own, leads_to } = &self.records[place];
            if let Some(number) = own {
                kinds.add(number.0);
                // Each of them is asked for once.
                let describing = self.described.remove(number).unwrap_or_default();
                describing.into_iter().for_each(|place| self.count(place));
            }
            for number in leads_to {
                match self.defined.get_mut(number).map(std::mem::take) {
                    Some(places) => places.into_iter().for_each(|place| self.count(place)),
                    None if leave(*number) => kinds.add(number.0),
                    None => {}
                }
            }
        }
        kinds
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{Attribute, MetricMember, StringDef};
    use streamfold_model::enums::{Base, MappingType, MetricMode, MetricType, Type};
    use streamfold_model::ids::{AttributeRef, MetricMemberRef, StringRef};
    use streamfold_model::values::IdMap;

    use super::*;
    use streamfold_otf2::Mappings;

    const STRING: ReferenceKind = ReferenceKind::String;
    const ATTRIBUTE: ReferenceKind = ReferenceKind::Attribute;
    const MEMBER: ReferenceKind = ReferenceKind::MetricMember;

    fn attribute(id: u32, name: u32) -> Definition {
        Definition::Attribute(Attribute {
            id: AttributeRef(id),
            name: StringRef(name),
            description: StringRef(0),
            value_type: Type::Uint64,
        })
    }

    fn member(id: u32, name: u32) -> Definition {
        Definition::MetricMember(MetricMember {
            id: MetricMemberRef(id),
            name: StringRef(name),
            description: StringRef(0),
            metric_type: MetricType::Other,
            metric_mode: MetricMode::AbsolutePoint,
            value_type: Type::Uint64,
            base: Base::Decimal,
            exponent: 0,
            unit: StringRef(0),
        })
    }

    /// The kinds and the strings that these lead to, where the trace has strings 0 to 9 and attributes
    /// 0 and 1.
    fn found(own: &[Definition], maps: &[(MappingType, IdMap)]) -> (Kinds, Vec<u64>) {
        let strings = (0..10).map(|number| (STRING, number));
        let known = Known::new(strings.chain((0..2).map(|number| (ATTRIBUTE, number))));
        let mut mappings = Mappings::default();
        for (kind, map) in maps {
            mappings.insert(*kind, map.clone()).unwrap();
        }
        let (mut all, mut used) = (Own::default(), Used::default());
        own.iter().for_each(|definition| all.take(definition));
        let kinds = all.lead_to(&known, &Tables::new(mappings), &mut used);
        let mut numbers = Vec::new();
        used.each(|kind, number| numbers.extend((kind == STRING).then_some(number)));
        (kinds, numbers)
    }

    fn kinds(all: &[ReferenceKind]) -> Kinds {
        let mut kinds = Kinds::default();
        all.iter().for_each(|kind| kinds.add(*kind));
        kinds
    }

    #[test]
    fn each_kind_is_looked_at_for_itself() {
        let of_strings = [(MappingType::String, IdMap::Sparse(vec![(2, 3)]))];
        let of_attributes = (MappingType::Attribute, IdMap::Dense(vec![1]));
        let own = [attribute(7, 2)];
        assert_eq!(found(&own, &[]), (kinds(&[ATTRIBUTE, STRING]), vec![0, 2]));
        let (found_kinds, strings) = found(&own, &of_strings);
        assert_eq!((found_kinds, strings), (kinds(&[ATTRIBUTE]), vec![0, 3]));
        // The table does not say anything of 7, which the trace does not define.
        let [strings_too] = of_strings;
        let both = [strings_too, of_attributes.clone()];
        assert_eq!(found(&own, &both).0, kinds(&[ATTRIBUTE]));
        assert_eq!(found(&[attribute(0, 2)], &both), (kinds(&[]), vec![]));
        let text = StringDef { id: StringRef(2), string: "own".into() };
        let with_text = [attribute(7, 2), Definition::StringDef(text)];
        assert_eq!(found(&with_text, &[of_attributes]).1, [0], "the location defines 2 itself");
    }

    #[test]
    fn what_no_table_is_for_counts_with_what_leads_to_it() {
        let of_attributes = (MappingType::Attribute, IdMap::Dense(vec![1]));
        assert_eq!(found(&[member(0, 5)], &[of_attributes]), (kinds(&[]), vec![]));
        assert_eq!(found(&[member(0, 5)], &[]), (kinds(&[MEMBER, STRING]), vec![0, 5]));
    }
}
