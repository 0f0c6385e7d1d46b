//! Mapping tables for locations whose events lead to definitions that have other numbers now.

use std::collections::BTreeMap;

use streamfold_kernels::salvage::Renumbered;
use streamfold_kernels::unify::tables::{entries, table};
use streamfold_model::definitions::{Definition, MappingTable};
use streamfold_model::enums::MappingType;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::stream::EventHead;
use streamfold_model::values::IdMap;

use super::local::{Local, NewTables};
use crate::cut::{each_number, Tables};
use streamfold_otf2::{Archive, Error, LocalDefinitions};

/// The numbers of one kind that become others, at a location.
type Numbers = BTreeMap<u64, u64>;

impl NewTables {
    /// Those of a location: by its events as they were `written`, and by the tables that it had in the
    /// archive that its definitions are `from`.
    ///
    /// # Errors
    ///
    /// When the events cannot be read.
    pub fn new(
        written: &Archive,
        from: Option<&Archive>,
        location: LocationRef,
        local: &Local,
        renumbered: &Renumbered,
    ) -> Result<NewTables, Error> {
        let mut found = Finder {
            tables: Tables::new(local.mappings.clone()),
            renumbered,
            numbers: BTreeMap::new(),
        };
        written.events_with(location, LocalDefinitions::default())?.read_all(&mut found)?;
        let mut numbers = found.numbers;
        let mut tables = NewTables::default();
        if let Some(from) = from {
            tables.replace(from, location, local, renumbered, &mut numbers);
        }
        for (kind, numbers) in numbers {
            let of_kind = |mapping: &&MappingType| mapping.leads_to() == Some(kind);
            let mapping_type = MappingType::NAMED.iter().find(of_kind);
            let more = mapping_type.zip(id_map(numbers));
            let more = more.map(|(of, id_map)| MappingTable { mapping_type: *of, id_map });
            tables.more.extend(more);
        }
        Ok(tables)
    }

    /// Those in place of the tables that the location had. Takes the `numbers` of their kinds.
    fn replace(
        &mut self,
        from: &Archive,
        location: LocationRef,
        local: &Local,
        renumbered: &Renumbered,
        numbers: &mut BTreeMap<ReferenceKind, Numbers>,
    ) {
        // A file that cannot be read was reported when it was read for the first time.
        let Ok(Some(mut reader)) = from.local_definitions(location) else { return };
        let mut place = 0;
        while let Ok(Some(definition)) = reader.next() {
            if let (Ok(Definition::MappingTable(old)), true) = (definition, local.keeps(place)) {
                let kind = old.mapping_type.leads_to();
                if let Some((kind, now)) =
                    kind.and_then(|kind| Some((kind, renumbered.get(&kind)?)))
                {
                    let mut all = entries(&old.id_map);
                    // As readers cut it to the width of the field.
                    let global = |number: u64| number & kind.undefined();
                    all.values_mut().for_each(|it| *it = *now.get(&global(*it)).unwrap_or(it));
                    all.extend(numbers.remove(&kind).unwrap_or_default());
                    let mapping_type = old.mapping_type;
                    let table = id_map(all).map(|id_map| MappingTable { mapping_type, id_map });
                    self.instead.insert(place, table);
                }
            }
            place += 1;
        }
    }
}

fn id_map(numbers: Numbers) -> Option<IdMap> {
    table(&numbers.into_iter().collect::<Vec<_>>())
}

/// Finds the numbers of events that lead to other ones now.
struct Finder<'a> {
    tables: Tables,
    renumbered: &'a Renumbered,
    numbers: BTreeMap<ReferenceKind, Numbers>,
}

impl EventVisitor for Finder<'_> {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let Finder { tables, renumbered, numbers } = self;
        each_number(&event, head.attributes, |kind, number| {
            let Some(now) = renumbered.get(&kind) else { return };
            if let Some(now) = now.get(&tables.global(kind, number)) {
                numbers.entry(kind).or_default().insert(number, *now);
            }
        });
    }
}
