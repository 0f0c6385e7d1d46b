//! The members of each operation, put together.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::CollectiveOp;
use streamfold_model::ids::{CommRef, RmaWinRef};

use super::super::block::{Key, Source};
use super::super::chosen::Chosen;
use super::super::items::Items;
use super::super::partners::{Partners, Process};
use super::roots::Roots;
use super::{Part, What};

/// Operations whose members were put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Those in which all members took part, in agreement.
    pub complete: u64,
    /// Those of which members are missing.
    pub incomplete: u64,
    /// Those whose members disagree on what it is, or on the root.
    pub disagreeing: u64,
    /// The time that members of complete operations spent before the last of them began, in ticks: none of it after
    /// they were complete themselves.
    pub ticks_before_last: u128,
}

impl Operations {
    fn add(&mut self, other: &Operations) {
        self.complete += other.complete;
        self.incomplete += other.incomplete;
        self.disagreeing += other.disagreeing;
        self.ticks_before_last += other.ticks_before_last;
    }
}

/// Operations by communicator and by what its first member says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveTotals {
    /// By communicator and kind.
    pub by_kind: BTreeMap<(CommRef, CollectiveOp), Operations>,
    /// Those on windows.
    pub by_window: BTreeMap<(RmaWinRef, CollectiveOp), Operations>,
    /// Begins of teams of threads.
    pub by_team: BTreeMap<CommRef, Operations>,
}

impl CollectiveTotals {
    /// Adds those of others.
    #[must_use]
    pub fn fold(mut self, other: CollectiveTotals) -> CollectiveTotals {
        for (kind, operations) in &other.by_kind {
            self.by_kind.entry(*kind).or_default().add(operations);
        }
        for (kind, operations) in &other.by_window {
            self.by_window.entry(*kind).or_default().add(operations);
        }
        for (team, operations) in &other.by_team {
            self.by_team.entry(*team).or_default().add(operations);
        }
        self
    }

    /// Those of this, of which one member says that it is this operation.
    fn of(&mut self, what: What, of: u32, op: CollectiveOp) -> &mut Operations {
        match what {
            What::Collective => self.by_kind.entry((CommRef(of), op)).or_default(),
            What::Window => self.by_window.entry((RmaWinRef(of), op)).or_default(),
            What::Team => self.by_team.entry(CommRef(of)).or_default(),
        }
    }
}

/// An operation whose members come one after another.
struct Operation {
    first: Option<Part>,
    /// When each of them began, and was complete, in ticks.
    members: HashMap<Process, (u64, u64), RandomState>,
    roots: Roots,
    disagree: bool,
    first_begin: u64,
    last_begin: u64,
}

impl Default for Operation {
    fn default() -> Self {
        let (members, roots, disagree) = Default::default();
        let (first_begin, last_begin) = (u64::MAX, 0);
        Operation { first: None, members, roots, disagree, first_begin, last_begin }
    }
}

impl Operation {
    fn take(&mut self, part: Part, two_groups: bool) {
        let Part { process, begin, end, .. } = part;
        let first = *self.first.get_or_insert(part);
        self.first_begin = self.first_begin.min(begin);
        self.roots.take(part.root, process, two_groups);
        let is_same = (first.op, first.blocks) == (part.op, part.blocks);
        self.disagree |= !is_same || self.members.insert(process, (begin, end)).is_some();
        self.last_begin = self.last_begin.max(begin);
    }

    fn end(
        &mut self,
        (what, of): (What, u32),
        size: Option<u64>,
        (comm, partners): (Option<CommRef>, &Partners<'_>),
        chosen: &Chosen,
        totals: &mut CollectiveTotals,
    ) {
        let Some(first) = self.first.take() else { return };
        if chosen.is_in_time(self.first_begin) {
            self.disagree |= !self.roots.agree(comm, partners);
            self.count(size, totals.of(what, of, first.op));
        }
        self.members.clear();
        (self.roots, self.disagree) = Default::default();
        (self.first_begin, self.last_begin) = (u64::MAX, 0);
    }

    fn count(&self, size: Option<u64>, of: &mut Operations) {
        let members = self.members.len() as u64;
        if self.disagree {
            of.disagreeing += 1;
        } else if size == Some(members) {
            of.complete += 1;
            let last = self.last_begin;
            let before = |(begin, end): &(u64, u64)| last.min(*end).saturating_sub(*begin);
            let before = self.members.values().map(|times| u128::from(before(times)));
            of.ticks_before_last += before.sum::<u128>();
        } else {
            of.incomplete += 1;
        }
    }
}

/// Puts the members of each operation together. Those that are not chosen are not missed, and of the
/// operations those count whose first member began in the chosen time.
///
/// # Errors
///
/// When a block cannot be read.
pub fn gather<S: Source>(
    source: S,
    partners: &Partners<'_>,
    chosen: &Chosen,
) -> Result<CollectiveTotals, S::Error> {
    let mut items = Items::<S, Part>::new(source)?;
    let (mut totals, mut operation) = (CollectiveTotals::default(), Operation::default());
    let mut sizes: HashMap<(u32, u32), Option<u64>, RandomState> = HashMap::default();
    while let Some(key) = items.key() {
        let Key([of, .., high]) = key;
        let what = What::of(high.reverse_bits());
        let comm = match what {
            What::Collective | What::Team => Some(CommRef(of)),
            What::Window => partners.comm_of(RmaWinRef(of)),
        };
        let size = *sizes.entry((what as u32, of)).or_insert_with(|| match what {
            // All threads of a process are read, or none.
            What::Team => partners.size(comm?),
            _ if chosen.leaves_some() => {
                partners.size_among(comm?, |process| chosen.reads(process))
            }
            _ => partners.size(comm?),
        });
        let two_groups = comm.is_some_and(|comm| partners.has_two_groups(comm));
        let of = (what, of);
        let mut number = None;
        while let Some(part) = items.next(key)? {
            if number.replace(part.order.time) != Some(part.order.time) {
                operation.end(of, size, (comm, partners), chosen, &mut totals);
            }
            operation.take(part, two_groups);
        }
        operation.end(of, size, (comm, partners), chosen, &mut totals);
    }
    Ok(totals)
}
