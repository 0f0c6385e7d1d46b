//! New ranks of locations: a rank is a place in a list of locations.

use std::sync::Arc;

use bstr::BString;
use streamfold_kernels::unify::members::{stretches, Stretch};
use streamfold_kernels::unify::{Record, Ref};
use streamfold_model::definitions::{Definition, Group, StringDef};
use streamfold_model::enums::{GroupFlag, GroupType, Paradigm};
use streamfold_model::ids::StringRef;
use streamfold_model::references::ReferenceKind;

use crate::unify::findings::{missing, numbered, Odd};
use crate::unify::read::records;

/// New ranks of a paradigm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// The list of this archive, with the numbers that locations had.
    pub own: Vec<Stretch>,
    /// The list of all archives, with the numbers that locations have.
    pub all: Arc<Vec<Stretch>>,
    /// First place of this archive's list in it.
    pub shift: u64,
    /// The name of that list, if it is another one.
    pub name: Option<BString>,
}

impl Ranks {
    /// How many ranks there are in this archive.
    pub fn count(&self) -> u64 {
        self.own.iter().map(|stretch| stretch.count).sum()
    }

    /// Returns whether a group is the list of all locations that have ranks.
    pub(crate) fn is_list(&self, group: &Group) -> bool {
        group.group_type == GroupType::CommLocations
            && stretches(group.members.iter().copied()) == self.own
    }

    /// The list of all archives in place of that of this one.
    pub(crate) fn joined(&self, group: &mut Group) -> Record {
        let (paradigm, mut record) = (group.paradigm, list(group.clone(), &self.all));
        if self.name.is_some() {
            lead_to_name(&mut record, paradigm);
        }
        record
    }

    /// Makes ranks among all archives of those among this one.
    pub(crate) fn shift(&self, group: &mut Group, tell: &mut dyn FnMut(Odd)) {
        renumber(group, self.count(), |rank| rank + self.shift, tell);
    }
}

/// Gives other numbers to the ranks in a group, which are less than `count`.
pub(crate) fn renumber(
    group: &mut Group,
    count: u64,
    now: impl Fn(u64) -> u64,
    tell: &mut dyn FnMut(Odd),
) {
    let called = numbered(ReferenceKind::Group, group.id.0.into());
    if group.group_flags != GroupFlag::NONE && (0..count).any(|rank| now(rank) != rank) {
        // In a group of all ranks each is at its own place.
        let has_all = group.members.iter().copied().eq(0..count);
        match has_all && group.group_flags == GroupFlag::GLOBAL_MEMBERS {
            true => group.group_flags = GroupFlag::NONE,
            false => tell(Odd::Lost(
                format!(
                    "{called} has global members: ranks in events count among all locations, which \
                     are others now"
                ),
                0,
            )),
        }
    }
    let (mut beyond, mut first) = (0, None);
    for member in &mut group.members {
        if *member < count {
            *member = now(*member);
        } else if *member != u64::MAX {
            beyond += 1;
            first.get_or_insert(*member);
            // A rank beyond its own list has no place in that of all.
            *member = u64::MAX;
        }
    }
    if let Some(first) = first {
        let first = format!("rank {first} of {count}");
        tell(Odd::Lost(missing(&called, beyond, &first, "undefined now"), beyond));
    }
}

/// A list of locations with these in place of its own.
pub(crate) fn list(mut group: Group, members: &[Stretch]) -> Record {
    group.members = Vec::new();
    records::group(group, members)
}

/// From here on strings have numbers that no archive can give: names of lists, by their paradigms.
const NAMES: u64 = 1 << 32;

/// Returns whether no archive can have such a number itself.
pub(crate) fn is_name_of_list(kind: ReferenceKind, number: u64) -> bool {
    kind == ReferenceKind::String && number >= NAMES
}

/// The name of the list of a paradigm.
pub(crate) fn name_of_list(paradigm: Paradigm, name: &BString) -> Record {
    let id = StringRef(0);
    let record = records::record(Definition::StringDef(StringDef { id, string: name.clone() }), 0);
    Record { own: Some((ReferenceKind::String, number_of_name(paradigm))), ..record }
}

/// Gives a list that name.
pub(crate) fn lead_to_name(list: &mut Record, paradigm: Paradigm) {
    list.says_mut().refs[0] = Ref::Number(ReferenceKind::String, number_of_name(paradigm));
}

fn number_of_name(paradigm: Paradigm) -> u64 {
    NAMES + u64::from(u8::from(paradigm))
}
