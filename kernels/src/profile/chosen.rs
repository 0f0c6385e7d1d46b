//! Which regions are steps of call paths.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_model::calls::{Call, Calls};
use streamfold_model::ids::RegionRef;
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

/// Which regions are steps of call paths. Enters and leaves of others are passed over, as if they had
/// not been recorded: what happens in them belongs to the nearest chosen visit around them.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// These.
    Only(HashSet<RegionRef, RandomState>),
    /// All but these.
    AllBut(HashSet<RegionRef, RandomState>),
}

impl Default for Chosen {
    /// All.
    fn default() -> Self {
        Chosen::AllBut(HashSet::default())
    }
}

impl Chosen {
    /// Whether visits of a region are.
    pub fn contains(&self, region: RegionRef) -> bool {
        match self {
            Chosen::Only(regions) => regions.contains(&region),
            Chosen::AllBut(regions) => !regions.contains(&region),
        }
    }
}

/// Those of a run of enters and leaves that are of chosen regions.
pub(super) struct ChosenCalls<'a, C> {
    calls: &'a mut C,
    chosen: &'a Chosen,
    /// The last one, or what was before.
    last: EventHead<'static>,
}

impl<'a, C: Calls> ChosenCalls<'a, C> {
    pub fn new(calls: &'a mut C, chosen: &'a Chosen) -> Self {
        let last = calls.head();
        ChosenCalls { calls, chosen, last }
    }
}

impl<C: Calls> Calls for ChosenCalls<'_, C> {
    #[inline(always)]
    fn next(&mut self) -> Option<Call> {
        loop {
            let call = self.calls.next()?;
            let (Call::Enter(region) | Call::Leave(region)) = call;
            if self.chosen.contains(region) {
                self.last = self.calls.head();
                return Some(call);
            }
        }
    }

    #[inline(always)]
    fn time(&self) -> Ticks {
        self.last.time
    }

    #[inline(always)]
    fn number(&self) -> u64 {
        self.last.number
    }

    #[inline(always)]
    fn head(&self) -> EventHead<'static> {
        self.last
    }
}
