//! Lists of locations with ranks that differ from location to location: they become one, in which ranks have
//! other places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bstr::BString;
use streamfold_kernels::unify::members::{Places, Stretch};
use streamfold_kernels::unify::{Record, Ref};
use streamfold_model::definitions::{Definition, Group};
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::references::ReferenceKind;

use super::by_paradigm::{lead_to_name, list, name_of_list, renumber};
use crate::unify::findings::{numbered, Odd};
use crate::unify::read::records;

/// The lists of one archive that were joined, by paradigm.
#[derive(Clone, Debug, Default)]
pub struct JoinedLists(BTreeMap<Paradigm, Arc<JoinedList>>);

/// Lists of one archive that were joined.
#[derive(Debug)]
pub struct JoinedList {
    /// How many ranks there are in the first one: those of files without a list.
    pub first: u64,
    /// True if that one is global.
    pub is_global: bool,
    /// All of them as one, with the numbers that locations have.
    pub own: Places,
    /// The list of all archives.
    pub all: Arc<Vec<Stretch>>,
    /// First place of this archive's lists in it.
    pub shift: u64,
    /// The name of that list; `None`: it has none.
    pub name: Option<BString>,
}

/// The list that a file of definitions has of its own.
struct OwnList {
    place: usize,
    number: u64,
    members: Vec<u64>,
    /// True if it is not the list of all.
    is_other: bool,
}

impl JoinedLists {
    /// Of each paradigm whose lists were joined.
    pub fn new(all: impl Iterator<Item = (Paradigm, JoinedList)>) -> JoinedLists {
        JoinedLists(all.map(|(paradigm, list)| (paradigm, Arc::new(list))).collect())
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Of how many paradigms there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the lists of a paradigm were joined.
    pub fn has(&self, paradigm: Paradigm) -> bool {
        self.0.contains_key(&paradigm)
    }

    /// Gives to ranks in the definitions of a location the places that they have in the lists of all. `tell`
    /// learns what is wrong with them.
    pub(crate) fn translate(&self, records: &mut Vec<Record>, tell: &mut dyn FnMut(Odd)) {
        if self.is_empty() {
            return;
        }
        let own = self.lists(records);
        for (place, record) in records.iter_mut().enumerate() {
            let Some(group) = group(record) else { continue };
            let Some(joined) = self.0.get(&group.paradigm) else { continue };
            let own = own.get(&group.paradigm);
            match group.group_type {
                GroupType::CommLocations if own.is_some_and(|own| own.place == place) => {
                    *record = joined.list(group);
                }
                GroupType::CommGroup => joined.renumber(record, group, own, tell),
                _ => {}
            }
        }
        tell_comms(records, &own, tell);
        for paradigm in own.keys() {
            let name = self.0[paradigm].name.as_ref();
            records.extend(name.map(|name| name_of_list(*paradigm, name)));
        }
    }

    /// Puts the lists of all into the global definitions of an archive that is alone. Returns the records that
    /// become others.
    pub(crate) fn rewrite(
        &self,
        records: &[Record],
        tell: &mut dyn FnMut(Odd),
    ) -> Vec<(usize, Record)> {
        let own = self.lists(records);
        let mut changed = Vec::new();
        for (place, record) in records.iter().enumerate() {
            let Some(mut group) = group(record) else { continue };
            let Some(joined) = self.0.get(&group.paradigm) else { continue };
            let own = own.get(&group.paradigm);
            let now = match group.group_type {
                GroupType::CommLocations if own.is_some_and(|own| own.place == place) => {
                    list(group, &joined.all)
                }
                GroupType::CommGroup => {
                    renumber(&mut group, joined.first, |rank| rank, tell);
                    records::record(Definition::Group(group), records::of(&record.shell))
                }
                _ => continue,
            };
            if now != *record {
                changed.push((place, now));
            }
        }
        tell_comms(records, &own, tell);
        changed
    }

    /// The first list of each paradigm that the records of a file have, of those that were joined.
    fn lists(&self, records: &[Record]) -> BTreeMap<Paradigm, OwnList> {
        let mut lists = BTreeMap::new();
        for (place, record) in records.iter().enumerate().filter(|(_, record)| record.implied) {
            let Some((_, number)) = record.own else { continue };
            let Some(listed) = records::members(&record.shell) else { continue };
            let Some(joined) = self.0.get(&listed.paradigm) else { continue };
            lists.entry(listed.paradigm).or_insert_with(|| OwnList {
                place,
                number,
                is_other: listed.members != *joined.all,
                members: listed.members.into_iter().flat_map(Stretch::members).collect(),
            });
        }
        lists
    }
}

impl JoinedList {
    /// The list of all in place of that of a location.
    fn list(&self, group: Group) -> Record {
        let (paradigm, mut record) = (group.paradigm, list(group, &self.all));
        match &self.name {
            Some(_) => lead_to_name(&mut record, paradigm),
            None => record.says_mut().refs[0] = Ref::Undefined,
        }
        record
    }

    /// Gives to ranks, which are places in the list of their own file or else in the first one, their places
    /// in that of all.
    fn renumber(
        &self,
        record: &mut Record,
        mut group: Group,
        own: Option<&OwnList>,
        tell: &mut dyn FnMut(Odd),
    ) {
        match own {
            Some(own) => {
                let now = |rank: u64| {
                    let place = self.own.of(own.members[rank as usize]);
                    place.map_or(u64::MAX, |place| place + self.shift)
                };
                renumber(&mut group, own.members.len() as u64, now, tell);
            }
            None => {
                if !self.is_global && group.members.iter().any(|rank| *rank != u64::MAX) {
                    let called = numbered(ReferenceKind::Group, group.id.0.into());
                    let text = "is about ranks, of which neither its own nor the global definitions have a \
                                list: taken for places in the first list that there is";
                    tell(Odd::Lost(format!("{called} {text}"), 0));
                }
                renumber(&mut group, self.first, |rank| rank + self.shift, tell);
            }
        }
        let now = records::record(Definition::Group(group), records::of(&record.shell));
        // An unchanged group shares its memory with others.
        if now != *record {
            *record = now;
        }
    }
}

/// A record as a group.
fn group(record: &Record) -> Option<Group> {
    let (_, number) = record.own.filter(|(kind, _)| *kind == ReferenceKind::Group)?;
    match records::with_numbers(record, number) {
        Definition::Group(group) => Some(group),
        _ => None,
    }
}

/// Tells of communicators of all that are in a list, which is another one now.
fn tell_comms(records: &[Record], lists: &BTreeMap<Paradigm, OwnList>, tell: &mut dyn FnMut(Odd)) {
    let numbers = lists.values().filter(|list| list.is_other).map(|list| list.number);
    let mut numbers: BTreeSet<u64> = numbers.collect();
    // Some tracers give one number to the list and, behind it, to a group in it.
    numbers.retain(|number| {
        let own = Some((ReferenceKind::Group, *number));
        records.iter().filter(|record| record.own == own).count() == 1
    });
    for record in records.iter().filter(|_| !numbers.is_empty()) {
        let Some((ReferenceKind::Comm, comm)) = record.own else { continue };
        let groups = record.refs.iter().filter_map(|reference| match reference {
            Ref::Number(ReferenceKind::Group, number) => Some(*number),
            _ => None,
        });
        for number in groups.filter(|number| numbers.contains(number)) {
            let [comm, list] = [(ReferenceKind::Comm, comm), (ReferenceKind::Group, number)]
                .map(|(kind, number)| numbered(kind, number));
            let text = "the list of all locations with ranks, which is another one now";
            tell(Odd::Lost(format!("{comm} has the members of {list}, {text}"), 0));
        }
    }
}
