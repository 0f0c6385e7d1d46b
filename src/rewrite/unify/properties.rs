//! What records without numbers say more about definitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use streamfold_kernels::unify::{Key, Record, Ref, Says, Scope, Seed};
use streamfold_model::references::ReferenceKind;

use super::known::ByNumber;

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
    let about: BTreeSet<_> = more.iter().map(|(_, about)| *about).collect();
    let twins = twins(records, &about);
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

/// Where definitions stand of which a file has several that are the same but for what else is said about them,
/// whatever numbers they lead by. `about`: all of which anything is said.
fn twins(records: &[Record], about: &BTreeSet<(ReferenceKind, u64)>) -> BTreeSet<usize> {
    let in_one_file = |kind: ReferenceKind| TOLD_BY_MORE_IN_ONE_FILE.contains(&kind);
    if !about.iter().any(|(kind, _)| in_one_file(*kind)) {
        return BTreeSet::new();
    }
    let places = (0..records.len()).filter(|place| {
        records[*place].own.is_some_and(|(kind, _)| in_one_file(kind) || IS_LED_TO.contains(&kind))
    });
    let places: Vec<usize> = places.collect();
    let led_to: Vec<Record> = places.iter().map(|place| records[*place].clone()).collect();
    let scope = Scope::new(&led_to);
    let keys = scope.resolve(&ByNumber, |_, content| content.key(Seed::default())).keys;
    let mut same: HashMap<(Option<Key>, Option<&Says>), Vec<usize>> = HashMap::new();
    for (place, key) in places.into_iter().zip(keys) {
        let record = &records[place];
        if record.own.is_some_and(|(kind, _)| in_one_file(kind)) {
            // Where others tell what it says, by the numbers.
            let says = key.is_none().then_some(&*record.says);
            same.entry((key, says)).or_default().push(place);
        }
    }
    same.into_values().filter(|places| places.len() > 1).flatten().collect()
}

/// To what those lead that are told apart so.
const IS_LED_TO: [ReferenceKind; 4] = [
    ReferenceKind::String,
    ReferenceKind::Group,
    ReferenceKind::Comm,
    ReferenceKind::CartDimension,
];
