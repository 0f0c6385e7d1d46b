//! What records without numbers say more about definitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use streamfold_kernels::unify::{Record, Ref, Says};
use streamfold_model::references::ReferenceKind;

/// Of these there may be several that are told apart by what else is said about them alone: the parameters of a
/// call path, the address of an instruction.
const TOLD_BY_MORE: [ReferenceKind; 3] =
    [ReferenceKind::Callpath, ReferenceKind::CallingContext, ReferenceKind::IoFile];

/// Of these each file may say something else and mean the same: each its own coordinate in a topology. Only
/// where one file has several that are the same but for that, they are told apart.
const TOLD_BY_MORE_IN_ONE_FILE: [ReferenceKind; 2] =
    [ReferenceKind::SystemTreeNode, ReferenceKind::CartTopology];

/// Adds to definitions what records without numbers say about them: they are not the same where these are
/// not. For the records of a file.
pub(super) fn add_properties(records: &mut [Record]) {
    let mut places: BTreeMap<(ReferenceKind, u64), Vec<usize>> = BTreeMap::new();
    let mut more = Vec::new();
    let is_told = |kind| TOLD_BY_MORE.contains(&kind) || TOLD_BY_MORE_IN_ONE_FILE.contains(&kind);
    for (place, record) in records.iter().enumerate() {
        match (record.own, record.refs.first()) {
            (Some(own), _) if is_told(own.0) => places.entry(own).or_default().push(place),
            (None, Some(&Ref::Number(kind, number))) if is_told(kind) => {
                more.push((place, (kind, number)));
            }
            _ => {}
        }
    }
    let twins = twins(records, &places);
    for (place, about) in more {
        let Some(places) = places.get(&about) else { continue };
        // The last one before it, or else the last one at all.
        let before = places.partition_point(|other| *other < place);
        let Some(&of) = places.get(before.wrapping_sub(1)).or(places.last()) else { continue };
        if TOLD_BY_MORE.contains(&about.0) || twins.contains(&of) {
            let Record { says: more, .. } = records[place].clone();
            let says = records[of].says_mut();
            says.shell = [&*says.shell, &more.shell].concat().into();
            says.refs.extend(&more.refs[1..]);
            says.added += more.refs.len() - 1;
        }
    }
}

/// Where definitions stand of which a file has several that are the same but for what else is said about them.
fn twins(
    records: &[Record],
    places: &BTreeMap<(ReferenceKind, u64), Vec<usize>>,
) -> BTreeSet<usize> {
    let mut same: HashMap<&Says, Vec<usize>> = HashMap::new();
    let of_kind = places.iter().filter(|((kind, _), _)| TOLD_BY_MORE_IN_ONE_FILE.contains(kind));
    for &place in of_kind.flat_map(|(_, places)| places) {
        same.entry(&records[place].says).or_default().push(place);
    }
    same.into_values().filter(|places| places.len() > 1).flatten().collect()
}
