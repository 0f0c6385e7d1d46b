//! Definitions of an archive that say the same and are several, told apart by their order alone: without the first of two
//! the second one would be taken for the first, where parts become one again.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_kernels::unify::{ContentRef, Key, Record, Scope, Seed};
use streamfold_model::definitions::Definition;
use streamfold_model::enums::GroupType;
use streamfold_model::references::ReferenceKind;

use super::known::ByNumber;
use crate::unify::read::records::record;

/// Of these, several that say the same stay several.
const TOLD_BY_ORDER: [ReferenceKind; 8] = [
    ReferenceKind::Attribute,
    ReferenceKind::CartTopology,
    ReferenceKind::Comm,
    ReferenceKind::IoHandle,
    ReferenceKind::IoParadigm,
    ReferenceKind::LocationGroup,
    ReferenceKind::RmaWin,
    ReferenceKind::SystemTreeNode,
];

/// To what these lead.
const LED_TO: [ReferenceKind; 4] = [
    ReferenceKind::CartDimension,
    ReferenceKind::Group,
    ReferenceKind::IoFile,
    ReferenceKind::String,
];

/// Global definitions of an archive that may say the same as others and be different ones.
#[derive(Default)]
pub(crate) struct DistinctByOrder {
    records: Vec<Record>,
    /// Place of each in the file.
    places: Vec<usize>,
}

impl DistinctByOrder {
    /// Takes in the definition at a place of the file.
    pub(crate) fn take(&mut self, place: usize, definition: &Definition) {
        let kind = definition.defines().map(|(kind, _)| kind);
        if !kind.is_some_and(|kind| TOLD_BY_ORDER.contains(&kind) || LED_TO.contains(&kind)) {
            return;
        }
        // Groups of regions and of metrics are led to by none of them, and may be long.
        let is_other = |definition: &Definition| match definition {
            Definition::Group(group) => {
                !matches!(group.group_type, GroupType::CommGroup | GroupType::CommSelf)
                    && group.group_type != GroupType::CommLocations
            }
            _ => false,
        };
        if !is_other(definition) {
            self.records.push(record(definition.clone(), 0));
            self.places.push(place);
        }
    }

    /// For the place of each that says the same as others that of the last one before it.
    pub(crate) fn before(self) -> HashMap<usize, usize, RandomState> {
        let DistinctByOrder { records, places } = self;
        let key =
            |_, content: ContentRef<'_>| ContentRef { nth: 0, ..content }.key(Seed::default());
        let keys = Scope::new(&records).resolve(&ByNumber, key).keys;
        let mut last: HashMap<Key, usize, RandomState> = HashMap::default();
        let mut before = HashMap::default();
        for ((record, key), place) in records.iter().zip(keys).zip(places) {
            let is_told = record.own.is_some_and(|(kind, _)| TOLD_BY_ORDER.contains(&kind));
            let same = key.filter(|_| is_told).and_then(|key| last.insert(key, place));
            before.extend(same.map(|same| (place, same)));
        }
        before
    }
}
