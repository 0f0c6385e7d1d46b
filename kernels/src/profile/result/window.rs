//! Windows of time: what a profile of a part of each stream counts.
//!
//! The profile of a stream up to a time t is that of its events before t, where the visits that are
//! open at t have had their time up to t. A window's profile is what the one up to its end has more
//! than the one up to its begin; so those of windows that adjoin add up to the whole, wherever they
//! are cut. A visit counts in the window in which it begins, and its end in that in which it ends.
//!
//! A visit may turn out to have no end, or to have a parameter and so another path, when windows
//! before have counted it: then the profile has less in that place than before, which is told as
//! [`TakenBack`].

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::values::Ticks;

use crate::profile::result::tally::Visits;
use crate::profile::scan::stack::Stack;
use crate::profile::scan::walk::Walk;
use crate::profile::tree::step::Step;
use crate::profile::tree::PathIndex;

/// Time of an open visit so far. Times in ticks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Charge {
    /// Path for which it would count.
    pub path: PathIndex,
    /// Its time.
    pub inclusive: u64,
    /// That without what was inside.
    pub exclusive: u64,
}

/// Numbers that earlier windows have counted and the whole profile does not. Times in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenBack {
    /// Visits; those that have no end count, so only those that a parameter has moved.
    pub visits: u64,
    /// Inclusive time.
    pub inclusive: u128,
    /// Exclusive time.
    pub exclusive: u128,
}

impl TakenBack {
    /// Adds what others have.
    pub fn add(&mut self, other: &TakenBack) {
        self.visits += other.visits;
        self.inclusive += other.inclusive;
        self.exclusive += other.exclusive;
    }

    /// Returns the part that counts for a location.
    fn of(self, is_region: bool) -> TakenBack {
        match is_region {
            true => self,
            false => TakenBack { exclusive: self.exclusive, ..TakenBack::default() },
        }
    }
}

/// Sums of the visits that are open at the end of a window.
#[derive(Clone, Copy, Default)]
struct Open {
    visits: u64,
    inclusive: u64,
    exclusive: u64,
}

/// Numbers taken back, by path and by location.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TakenBackSums {
    paths: HashMap<PathIndex, TakenBack, RandomState>,
    locations: HashMap<LocationRef, TakenBack, RandomState>,
}

impl TakenBackSums {
    /// Adds what a location has; visits of a location are only those of regions.
    pub(crate) fn add(
        &mut self,
        location: LocationRef,
        at: TakenBackAt,
        is_region: impl Fn(PathIndex) -> bool,
    ) {
        let whole = self.locations.entry(location).or_default();
        for (path, back) in at {
            self.paths.entry(path).or_default().add(&back);
            whole.add(&back.of(is_region(path)));
        }
    }

    /// Adds that of other locations, whose paths have these numbers here.
    pub(crate) fn fold(&mut self, other: TakenBackSums, to: &[PathIndex]) {
        for (path, back) in other.paths {
            self.paths.entry(to[path.index()]).or_default().add(&back);
        }
        self.locations.extend(other.locations);
    }

    /// Tells whether numbers are taken back for a path.
    pub(crate) fn has(&self, path: PathIndex) -> bool {
        self.paths.contains_key(&path)
    }

    /// Returns the inclusive time that is taken back for a path.
    pub(crate) fn inclusive(&self, path: PathIndex) -> u128 {
        self.paths.get(&path).map_or(0, |back| back.inclusive)
    }
}

/// Visits of regions on a path before a window of time; those that were open when it began have their time up to then.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Earlier {
    /// Visits that had ended.
    pub closed: u64,
    /// Inclusive time, in ticks.
    pub inclusive: u128,
}

impl Earlier {
    fn add(&mut self, other: Earlier) {
        self.closed += other.closed;
        self.inclusive += other.inclusive;
    }
}

/// The paths that a location had before a window of time, some of them several times.
pub(crate) type EarlierAt = Vec<(PathIndex, Earlier)>;

/// The paths of locations before a window of time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EarlierSums(HashMap<PathIndex, Earlier, RandomState>);

impl EarlierSums {
    /// Adds what a location had.
    pub(crate) fn add(&mut self, at: EarlierAt) {
        at.into_iter().for_each(|(path, earlier)| self.0.entry(path).or_default().add(earlier));
    }

    /// Adds that of other locations, whose paths have these numbers here.
    pub(crate) fn fold(&mut self, other: EarlierSums, to: &[PathIndex]) {
        self.add(other.0.into_iter().map(|(path, of)| (to[path.index()], of)).collect());
    }

    /// Tells whether nothing was before.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what a path had.
    pub(crate) fn of(&self, path: PathIndex) -> Earlier {
        self.0.get(&path).copied().unwrap_or_default()
    }
}

/// Numbers taken back, by the rows of a profile; rows without any are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenBackRows {
    /// By index of the path.
    pub paths: BTreeMap<u32, TakenBack>,
    /// By row of the table of regions.
    pub regions: BTreeMap<Step, TakenBack>,
    /// By row of the table of regions: inclusive time of visits that are not inside of another visit
    /// of the same region, in ticks.
    pub outer: BTreeMap<Step, u128>,
    /// Visits are those of regions; `exclusive` is of all.
    pub locations: BTreeMap<LocationRef, TakenBack>,
    /// The same by group.
    pub groups: BTreeMap<LocationGroupRef, TakenBack>,
    /// The same of all.
    pub total: TakenBack,
}

impl TakenBackRows {
    /// Of these sums, given the index in the profile of each path; of these the rows of regions, and
    /// those that are outermost; the time of regions that is outermost no more; and the group of a location.
    pub(super) fn new(
        sums: TakenBackSums,
        order: &[u32],
        rows: &[Option<Step>],
        (outermost, lost): (&[bool], &HashMap<Step, u128, RandomState>),
        group_of: impl Fn(LocationRef) -> LocationGroupRef,
    ) -> Self {
        let mut taken = TakenBackRows::default();
        for (path, back) in sums.paths {
            let index = order[path.index()];
            taken.paths.insert(index, back);
            if let Some(step) = rows[index as usize] {
                taken.regions.entry(step).or_default().add(&back);
                let outer = taken.outer.entry(step).or_default();
                if outermost[index as usize] {
                    *outer += back.inclusive;
                }
            }
        }
        for (step, ticks) in lost {
            taken.regions.entry(*step).or_default();
            *taken.outer.entry(*step).or_default() += ticks;
        }
        for (location, back) in sums.locations {
            taken.locations.insert(location, back);
            taken.groups.entry(group_of(location)).or_default().add(&back);
            taken.total.add(&back);
        }
        taken
    }

    /// Tells whether nothing is taken back.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.outer.is_empty()
    }
}

/// Gathers what is open at the end of a window.
#[derive(Default)]
pub(crate) struct Cut(HashMap<PathIndex, Open, RandomState>);

/// Paths and what is taken back there.
pub(crate) type TakenBackAt = Vec<(PathIndex, TakenBack)>;

impl Charge {
    /// How many visits, and how much time, this is more than what there was when the window began.
    fn since(self, before: Charge, taken_back: &mut TakenBackAt) -> (u64, Charge) {
        let Charge { path, inclusive, exclusive } = self;
        if before.path != path {
            take_back(taken_back, before, 1);
            return (1, self);
        }
        // It is less only where times went back, to before the window.
        let back = Charge {
            path,
            inclusive: before.inclusive.saturating_sub(inclusive),
            exclusive: before.exclusive.saturating_sub(exclusive),
        };
        if (back.inclusive, back.exclusive) != (0, 0) {
            take_back(taken_back, back, 0);
        }
        let more = Charge {
            path,
            inclusive: inclusive.saturating_sub(before.inclusive),
            exclusive: exclusive.saturating_sub(before.exclusive),
        };
        (0, more)
    }
}

pub(crate) fn take_back(at: &mut TakenBackAt, charge: Charge, visits: u64) {
    let Charge { path, inclusive, exclusive } = charge;
    let (inclusive, exclusive) = (inclusive.into(), exclusive.into());
    at.push((path, TakenBack { visits, inclusive, exclusive }));
}

impl Walk {
    /// A visit ends that was open when the window began.
    #[cold]
    pub(crate) fn close_carried(
        &mut self,
        path: PathIndex,
        inclusive: u64,
        exclusive: u64,
        before: Charge,
    ) {
        let now = Charge { path, inclusive, exclusive };
        let (visits, more) = now.since(before, &mut self.taken_back);
        self.tallies.leave_carried(path, visits, more.inclusive, more.exclusive);
    }

    /// A visit that was open when the window began has no end.
    #[cold]
    pub(crate) fn drop_carried(&mut self, path: PathIndex, before: Charge) {
        let moved = before.path != path;
        if moved {
            self.tallies.leave_open(path);
        }
        take_back(&mut self.taken_back, before, u64::from(moved));
    }

    /// A window begins, in which the present stack goes on; what was counted so far is forgotten.
    pub(crate) fn begin_window(&mut self, begin: Ticks) {
        self.look_to(begin.0);
        self.forget_earlier();
        self.is_windowed = true;
        let now = self.now().max(begin.0);
        let inside = self.carry_pause(now);
        carry(&mut self.stack, now, inside, &mut self.earlier);
    }

    /// Takes visits that were counted so far as those before the window.
    pub(crate) fn forget_earlier(&mut self) {
        let Walk { tallies, earlier, .. } = self;
        tallies.take_visits(|path, _, Visits { closed, inclusive, .. }| {
            earlier.push((path, Earlier { closed, inclusive: inclusive.into() }));
        });
        self.forget();
    }

    /// The window ends, and what is open goes on.
    pub(crate) fn end_window(&mut self, end: Ticks, cut: &mut Cut) {
        self.look_to(end.0);
        let now = self.now().max(end.0);
        let inside = self.cut_pause(now, cut);
        let Walk { stack, taken_back, .. } = self;
        cut.stack(stack, now, inside, taken_back);
    }

    /// Counts what was open at the end of the window.
    pub(crate) fn count_open(&mut self, cut: Cut) {
        for (path, Open { visits, inclusive, exclusive }) in cut.0 {
            // If clocks go back in a window, more of the earlier time can turn out to be exclusive.
            if visits > 0 || inclusive > 0 || exclusive > 0 {
                self.tallies.add_open(path, visits, inclusive, exclusive);
            }
        }
    }
}

/// The window begins, `now`, for what is open in a stack, with something in the innermost visit that
/// has taken `inside` ticks so far.
pub(crate) fn carry(stack: &mut Stack, now: u64, inside: u64, earlier: &mut EarlierAt) {
    let charges = stack.charges(now - stack.late(), inside);
    earlier.extend(
        charges
            .iter()
            .map(|charge| (charge.path, Earlier { closed: 0, inclusive: charge.inclusive.into() })),
    );
    stack.carry(charges);
}

impl Cut {
    /// The window ends, `now`, for what is open in a stack; as [`carry`].
    pub(crate) fn stack(
        &mut self,
        stack: &Stack,
        now: u64,
        inside: u64,
        taken_back: &mut TakenBackAt,
    ) {
        let before = stack.carried().iter().copied().map(Some).chain(std::iter::repeat(None));
        for (charge, before) in stack.charges(now - stack.late(), inside).into_iter().zip(before) {
            self.visit(charge, before, taken_back);
        }
    }

    /// The same for an open visit, and what it had when the window began.
    pub(crate) fn visit(
        &mut self,
        now: Charge,
        before: Option<Charge>,
        taken_back: &mut TakenBackAt,
    ) {
        let (visits, more) = match before {
            Some(before) => now.since(before, taken_back),
            None => (1, now),
        };
        let open = self.0.entry(now.path).or_default();
        open.visits += visits;
        open.inclusive += more.inclusive;
        open.exclusive += more.exclusive;
    }
}
