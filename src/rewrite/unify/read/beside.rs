//! Definitions of a location beside mapping tables. Such a file is unified, and the definitions of the trace count. But
//! there may be tables of some kinds alone, and definitions of others that are not unified.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::RandomState;
use streamfold_kernels::unify::tables::entries;
use streamfold_kernels::unify::{Record, Ref};
use streamfold_model::enums::MappingType;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use crate::unify::same::defined::Defined;

/// The mapping tables of a location.
type Tables = BTreeMap<MappingType, IdMap>;

/// Kind and number of a definition.
type Own = (ReferenceKind, u64);

/// The kinds of mapping tables, and what each is about.
pub(crate) fn mapped() -> impl Iterator<Item = (MappingType, ReferenceKind)> {
    MappingType::NAMED.iter().filter_map(|mapping| Some((*mapping, mapping.leads_to()?)))
}

/// Returns whether a trace that is not unified has global definitions of a kind, too, since locations need them. Then
/// numbers in events are those of the location.
pub(crate) fn is_always_global(kind: ReferenceKind) -> bool {
    use ReferenceKind::{Group, Location, LocationGroup, String, SystemTreeNode};
    matches!(kind, String | SystemTreeNode | LocationGroup | Location | Group)
}

/// Returns whether events may use this definition of a location with these tables: no table leads from its number to
/// the trace.
fn is_met(own: Own, tables: &Tables) -> bool {
    let mapping = mapped().find(|(_, kind)| *kind == own.0);
    let is_without = mapping.is_some_and(|(mapping, _)| !tables.contains_key(&mapping));
    is_without && (own.0 == ReferenceKind::String || !is_always_global(own.0))
}

/// Returns whether any of these may count.
pub(crate) fn may_count(records: &[Record], tables: &Tables) -> bool {
    records.iter().filter_map(|record| record.own).any(|own| is_met(own, tables))
}

/// Leaves those of the records of a file with these tables that count: what events may mean and the trace does
/// not define, with all that it leads to in this file, and what is said more about any of it.
pub(crate) fn keep_counting(records: &mut Vec<Record>, tables: &Tables, defined: &Defined) {
    let mut places: HashMap<Own, Vec<usize>, RandomState> = HashMap::default();
    for (place, record) in records.iter().enumerate() {
        let about = match record.refs.first() {
            Some(&Ref::Number(kind, number)) => Some((kind, number)),
            _ => None,
        };
        if let Some(own) = record.own.or(about) {
            places.entry(own).or_default().push(place);
        }
    }
    let is_defined: BTreeSet<Own> = records.iter().filter_map(|record| record.own).collect();
    let counts = |own: &Own| is_met(*own, tables) && !defined.has(own.0, own.1);
    let mut open: Vec<Own> = is_defined.iter().copied().filter(counts).collect();
    let mut counting: BTreeSet<Own> = open.iter().copied().collect();
    let mut kept = BTreeSet::new();
    while let Some(own) = open.pop() {
        for &place in &places[&own] {
            kept.insert(place);
            for reference in &records[place].refs {
                let Ref::Number(kind, number) = *reference else { continue };
                if is_defined.contains(&(kind, number)) && counting.insert((kind, number)) {
                    open.push((kind, number));
                }
            }
        }
    }
    let mut place = 0;
    records.retain(|_| {
        place += 1;
        kept.contains(&(place - 1))
    });
    lead_on(records, tables, &counting);
}

/// Replaces references to numbers outside of the file by global ones, according to the tables.
fn lead_on(records: &mut [Record], tables: &Tables, counting: &BTreeSet<Own>) {
    let numbers: BTreeMap<ReferenceKind, BTreeMap<u64, u64>> = mapped()
        .filter_map(|(mapping, kind)| Some((kind, entries(tables.get(&mapping)?))))
        .collect();
    let global = |reference: &Ref| match *reference {
        Ref::Number(kind, number) if !counting.contains(&(kind, number)) => {
            let global = *numbers.get(&kind)?.get(&number)?;
            (global != number).then_some(Ref::Number(kind, global))
        }
        _ => None,
    };
    for record in records {
        if record.refs.iter().any(|reference| global(reference).is_some()) {
            for reference in &mut record.says_mut().refs {
                *reference = global(reference).unwrap_or(*reference);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use streamfold_kernels::unify::Says;

    use super::*;
    use ReferenceKind::{CallingContext, Region, String};

    fn record(own: Option<Own>, refs: &[Own]) -> Record {
        let refs = refs.iter().map(|(kind, number)| Ref::Number(*kind, *number)).collect();
        Record { own, says: Arc::new(Says { refs, ..Says::default() }) }
    }

    #[test]
    fn what_no_table_is_about_counts_with_all_that_it_leads_to() {
        let records = vec![
            record(Some((String, 1)), &[]),
            record(Some((String, 2)), &[]),
            record(Some((Region, 4)), &[(String, 1), (String, 7)]),
            record(Some((Region, 5)), &[(String, 2)]),
            record(Some((CallingContext, 6)), &[(Region, 4)]),
            record(None, &[(Region, 4), (String, 7)]),
            record(None, &[(Region, 5), (String, 7)]),
        ];
        let tables: Tables = [(MappingType::String, IdMap::Sparse(vec![(1, 30), (7, 70)]))].into();
        assert!(may_count(&records, &tables));
        let left = |defined: &[Own]| {
            let mut left = records.clone();
            keep_counting(&mut left, &tables, &Defined::new(defined.iter().copied()));
            left
        };
        // The table says of string 7, which the location does not define, which one it is.
        let region = record(Some((Region, 4)), &[(String, 1), (String, 70)]);
        let more = record(None, &[(Region, 4), (String, 70)]);
        let context = records[4].clone();
        let expected = [records[0].clone(), region, context, more];
        assert_eq!(left(&[(Region, 5)]), expected);
        // A definition that references it counts, even if the trace defines it.
        assert_eq!(left(&[(Region, 4), (Region, 5)]), expected);
        assert_eq!(left(&[(Region, 4), (Region, 5), (CallingContext, 6)]), []);
        let all = mapped().map(|(mapping, _)| (mapping, IdMap::Sparse(vec![(0, 0)])));
        assert!(!may_count(&records, &all.collect()));
    }
}
