//! The lists of locations with ranks: the first one of each paradigm, and whether files of locations have others.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bstr::BString;
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::members::{place, Places, Stretch, Union};
use streamfold_kernels::unify::{Key, Record, Ref};
use streamfold_model::definitions::Definition;
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::joined::{JoinedList, JoinedLists};
use crate::unify::read::records::{members, without_members, GroupMembers};
use crate::unify::same::pool::Pool;
use streamfold_collective::{Communicator, Error};

/// The locations that communicate by each paradigm, in the order of their ranks; and where their list was read first.
#[derive(Debug, Default)]
pub(crate) struct Lists(BTreeMap<u8, Vec<Stretch>>, BTreeMap<u8, Appearance>);

impl Lists {
    /// The ranks of a location, by paradigm.
    pub(crate) fn ranks(&self, location: LocationRef) -> BTreeMap<u8, u64> {
        let rank = |(paradigm, list): (&u8, &Vec<Stretch>)| {
            place(list, location.0).map(|rank| (*paradigm, rank))
        };
        self.0.iter().filter_map(rank).collect()
    }

    /// Those by which locations communicate.
    pub(crate) fn paradigms(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.keys().copied()
    }

    /// The locations with ranks, in their order, as they are kept.
    pub(crate) fn stretches(&self, paradigm: u8) -> &[Stretch] {
        self.0.get(&paradigm).map_or(&[], Vec::as_slice)
    }

    /// Returns whether this is the list of the paradigm.
    fn has(&self, paradigm: u8, members: &[Stretch]) -> bool {
        self.0.get(&paradigm).is_some_and(|list| list == members)
    }

    /// Returns whether locations have other ranks in this list than in the one of the paradigm, if there is one.
    pub(crate) fn differ(&self, paradigm: u8, members: &[Stretch]) -> bool {
        let mut all = self.members(paradigm);
        let mut listed = members.iter().flat_map(|stretch| stretch.members());
        self.0.contains_key(&paradigm) && !listed.all(|location| all.next() == Some(location))
    }

    /// The locations with ranks, in their order.
    pub(crate) fn members(&self, paradigm: u8) -> impl Iterator<Item = u64> + '_ {
        self.0.get(&paradigm).into_iter().flatten().flat_map(|stretch| stretch.members())
    }

    /// Returns the first appearance of a paradigm's list.
    pub(crate) fn first(&self, paradigm: u8) -> Option<Appearance> {
        self.1.get(&paradigm).copied()
    }

    /// How many ranks there are, where anybody says so.
    pub(crate) fn count(&self, paradigm: u8) -> Option<u64> {
        Some(self.0.get(&paradigm)?.iter().map(|stretch| stretch.count).sum())
    }
}

/// Tells all ranks which locations communicate. Collective.
pub(crate) fn all_lists(ranks: &dyn Communicator, pool: &Pool) -> Result<Lists, Error> {
    let listed = pool.contents.iter().filter_map(|(key, pooled)| {
        let of_group = pooled.kind == Some(ReferenceKind::Group);
        let group = of_group.then(|| members(&pooled.content.shell)).flatten()?;
        let all = group.kind == GroupType::CommLocations;
        all.then(|| (u8::from(group.paradigm), (pooled.first, *key), group.members))
    });
    // Of each paradigm the first one that this rank knows.
    let mut own: BTreeMap<u8, (Appearance, Key, Vec<Stretch>)> = BTreeMap::new();
    for (paradigm, (first, key), members) in listed {
        let known = own.get(&paradigm).map(|(first, key, _)| (*first, *key));
        if known.is_none_or(|known| (first, key) < known) {
            own.insert(paradigm, (first, key, members));
        }
    }
    let listed = ranks.all_gather(own.into_iter().collect::<Vec<_>>())?;
    let mut listed: Vec<_> = listed.into_iter().flatten().collect();
    listed.sort_by_key(|(_, (first, key, _))| (*first, *key));
    let mut lists = Lists::default();
    for (paradigm, (first, _, members)) in listed {
        lists.0.entry(paradigm).or_insert(members);
        lists.1.entry(paradigm).or_insert(first);
    }
    Ok(lists)
}

/// The lists by which the ranks of files count: the first one of each paradigm in each file.
#[derive(Debug, Default)]
pub(crate) struct ListsOfFiles(HashMap<Arc<[u8]>, Listed, RandomState>);

/// A list, as the first file has it that has it.
#[derive(Debug)]
struct Listed {
    paradigm: Paradigm,
    /// Its place in the order of all files; 0: the global one.
    ordinal: u64,
    name: Name,
}

/// The name of a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Name {
    None,
    Text(BString),
    /// That of a global definition.
    Global(u64),
}

impl ListsOfFiles {
    /// Takes in those of a file, which is the `ordinal`th in the order of all.
    pub(crate) fn take(&mut self, records: &[Record], ordinal: u64) {
        let mut seen = Vec::new();
        for record in records.iter().filter(|record| record.implied) {
            match self.0.get_mut(&record.shell) {
                Some(listed) if seen.contains(&listed.paradigm) => {}
                Some(listed) => {
                    seen.push(listed.paradigm);
                    if ordinal < listed.ordinal {
                        (listed.ordinal, listed.name) = (ordinal, name(record, records));
                    }
                }
                None => {
                    let Some(GroupMembers { paradigm, .. }) = members(&record.shell) else {
                        continue;
                    };
                    if !seen.contains(&paradigm) {
                        seen.push(paradigm);
                        let listed = Listed { paradigm, ordinal, name: name(record, records) };
                        self.0.insert(Arc::clone(&record.shell), listed);
                    }
                }
            }
        }
    }

    /// With those of other files.
    pub(crate) fn fold(&mut self, other: ListsOfFiles) {
        for (shell, listed) in other.0 {
            match self.0.get_mut(&shell) {
                Some(known) if known.ordinal <= listed.ordinal => {}
                _ => drop(self.0.insert(shell, listed)),
            }
        }
    }

    /// Returns whether there are others than these, which are the first ones.
    fn differ(&self, lists: &Lists) -> bool {
        self.0.iter().any(|(shell, listed)| {
            let members = members(shell).map(|group| group.members).unwrap_or_default();
            !lists.has(listed.paradigm.into(), &members)
        })
    }

    /// Each as one, by paradigm.
    fn joined(&self) -> BTreeMap<Paradigm, Joined> {
        let mut listed: Vec<_> = self.0.iter().collect();
        listed.sort_by_key(|(shell, listed)| (listed.ordinal, *shell));
        let mut all: BTreeMap<Paradigm, (Joined, Union)> = BTreeMap::new();
        for (shell, Listed { paradigm, ordinal, name }) in listed {
            let members = members(shell).map(|group| group.members).unwrap_or_default();
            match all.get_mut(paradigm) {
                Some((joined, union)) => {
                    joined.differ |= joined.members != members;
                    union.add(&members);
                }
                None => {
                    let first = members.iter().map(|stretch| stretch.count).sum();
                    let (name, is_global) = (name.clone(), *ordinal == 0);
                    let union = Union::new(members.clone());
                    let joined = Joined { first, is_global, name, members, differ: false };
                    all.insert(*paradigm, (joined, union));
                }
            }
        }
        let end = |(joined, union): (Joined, Union)| Joined { members: union.end(), ..joined };
        all.into_iter().map(|(paradigm, all)| (paradigm, end(all))).collect()
    }
}

/// The name of a list among the records of its file.
fn name(list: &Record, records: &[Record]) -> Name {
    let Some(&Ref::Number(kind, number)) = list.refs.first() else { return Name::None };
    let mut own = records.iter().rev().filter(|record| record.own == Some((kind, number)));
    own.next().map_or(Name::Global(number), text)
}

/// Returns the text of a string.
fn text(string: &Record) -> Name {
    match without_members(&string.shell) {
        Definition::StringDef(string) => Name::Text(string.string),
        _ => Name::None,
    }
}

/// The lists of files as one.
#[derive(Debug, Serialize, Deserialize)]
struct Joined {
    /// How many ranks there are in the first one, whether that is global, and its name.
    first: u64,
    is_global: bool,
    name: Name,
    members: Vec<Stretch>,
    /// True if they are not all the same.
    differ: bool,
}

impl Joined {
    /// With those of files behind all of these.
    fn add(&mut self, other: Joined) {
        self.differ |= other.differ || self.members != other.members;
        let mut union = Union::new(std::mem::take(&mut self.members));
        union.add(&other.members);
        self.members = union.end();
    }
}

/// Joins the lists of the files of an archive that is alone, if they differ; `None`: they do not. `lists`: the
/// first ones; `global`: the global definitions, on rank 0. Ranks have files in the order of all. Collective.
///
/// # Errors
///
/// When ranks cannot communicate.
pub(crate) fn join(
    ranks: &dyn Communicator,
    files: &ListsOfFiles,
    lists: &Lists,
    global: Option<&[Record]>,
) -> Result<Option<JoinedLists>, Error> {
    if !ranks.all_reduce(files.differ(lists), |a, b| a || b)? {
        return Ok(None);
    }
    let fold = |mut all: BTreeMap<Paradigm, Joined>, other: BTreeMap<Paradigm, Joined>| {
        for (paradigm, list) in other {
            match all.get_mut(&paradigm) {
                Some(known) => known.add(list),
                None => drop(all.insert(paradigm, list)),
            }
        }
        all
    };
    let mut all = ranks.all_reduce(files.joined(), fold)?;
    // The rank that has read the global definitions knows their names.
    let known = global.map(|global| {
        let names = all.iter().map(|(paradigm, list)| (*paradigm, list.name.among(global)));
        names.collect::<BTreeMap<Paradigm, Option<BString>>>()
    });
    let mut names: BTreeMap<Paradigm, Option<BString>> = ranks.broadcast(0, known)?;
    all.retain(|_, list| list.differ);
    let joined = all.into_iter().map(|(paradigm, list)| {
        let Joined { first, is_global, members, .. } = list;
        let name = names.remove(&paradigm).flatten();
        let (own, all) = (Places::new(members.clone()), Arc::new(members));
        (paradigm, JoinedList { first, is_global, own, all, shift: 0, name })
    });
    Ok(Some(JoinedLists::new(joined)))
}

impl Name {
    /// Returns the text, given the global definitions.
    fn among(&self, global: &[Record]) -> Option<BString> {
        let known = match self {
            Name::Global(number) => {
                let own = Some((ReferenceKind::String, *number));
                let string = global.iter().rev().find(|record| record.own == own);
                string.map_or(Name::None, text)
            }
            known => known.clone(),
        };
        match known {
            Name::Text(text) => Some(text),
            _ => None,
        }
    }
}
