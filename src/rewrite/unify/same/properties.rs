//! Properties of definitions in records without numbers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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
pub(crate) fn add_properties(records: &mut [Record]) {
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
    // The last one before it, or else the last one at all.
    let more = more.into_iter().filter_map(|(place, about)| {
        let places = places.get(&about)?;
        let before = places.partition_point(|other| *other < place);
        let of = places.get(before.wrapping_sub(1)).or(places.last())?;
        Some(More { place, kind: about.0, of: *of })
    });
    let more: Vec<More> = more.collect();
    let twins = twins(records, &more);
    for More { place, kind, of } in more {
        if TOLD_BY_MORE.contains(&kind) || twins.contains(&of) {
            let Record { says: more, .. } = records[place].clone();
            let says = records[of].says_mut();
            says.shell = [&*says.shell, &more.shell].concat().into();
            says.refs.extend(&more.refs[1..]);
            says.added += more.refs.len() - 1;
        }
    }
}

/// A record that says more about a definition of a kind, by their places.
struct More {
    place: usize,
    kind: ReferenceKind,
    of: usize,
}

impl More {
    fn is_in_one_file(&self) -> bool {
        TOLD_BY_MORE_IN_ONE_FILE.contains(&self.kind)
    }
}

/// Content of a record, independent of the numbers in it. A record that references other files is compared with its
/// numbers.
type Said<'a> = (Option<Key>, Option<&'a Says>);

/// Returns the places of equal definitions of a file with different properties. `more`: the properties.
fn twins(records: &[Record], more: &[More]) -> BTreeSet<usize> {
    let in_one_file = |kind: ReferenceKind| TOLD_BY_MORE_IN_ONE_FILE.contains(&kind);
    if !more.iter().any(More::is_in_one_file) {
        return BTreeSet::new();
    }
    let of: BTreeMap<usize, usize> =
        more.iter().filter(|more| more.is_in_one_file()).map(|it| (it.place, it.of)).collect();
    let places = (0..records.len()).filter(|place| {
        let own = records[*place].own;
        let is_needed = own.is_some_and(|(kind, _)| in_one_file(kind) || IS_LED_TO.contains(&kind));
        is_needed || of.contains_key(place)
    });
    let places: Vec<usize> = places.collect();
    let needed = places.iter().map(|place| match of.contains_key(place) {
        true => without_first(&records[*place]),
        false => records[*place].clone(),
    });
    let needed: Vec<Record> = needed.collect();
    let keys =
        Scope::new(&needed).resolve(&ByNumber, |_, content| content.key(Seed::default())).keys;
    let mut same: HashMap<Said<'_>, Vec<usize>> = HashMap::new();
    let mut said: HashMap<usize, HashSet<Said<'_>>> = HashMap::new();
    for ((place, key), record) in places.into_iter().zip(keys).zip(&needed) {
        let says = (key, key.is_none().then_some(&*record.says));
        if let Some(of) = of.get(&place) {
            said.entry(*of).or_default().insert(says);
        } else if record.own.is_some_and(|(kind, _)| in_one_file(kind)) {
            same.entry(says).or_default().push(place);
        }
    }
    let differ =
        |places: &Vec<usize>| places.iter().any(|place| said.get(place) != said.get(&places[0]));
    same.into_values().filter(differ).flatten().collect()
}

/// Returns a property without the definition that it is about.
fn without_first(record: &Record) -> Record {
    let mut record = record.clone();
    record.says_mut().refs.remove(0);
    record
}

/// To what those lead that are told apart so.
const IS_LED_TO: [ReferenceKind; 4] = [
    ReferenceKind::String,
    ReferenceKind::Group,
    ReferenceKind::Comm,
    ReferenceKind::CartDimension,
];
