//! Choice of the regions that are steps of call paths.

use bstr::BStr;
use streamfold_model::calls::{Call, Calls, Message};
use streamfold_model::enums::Paradigm;
use streamfold_model::store::Definitions;
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use super::own_numbers::OwnNumbers;
use crate::adapt::RegionSet;

/// Rule for the regions that are steps of call paths. Enters and leaves of others are passed over, as if they had not
/// been recorded. Events in them belong to the nearest chosen visit around them.
pub trait Rule: Send + Sync {
    /// Tells whether regions of this name and paradigm are chosen.
    fn chooses(&self, name: &BStr, paradigm: Paradigm) -> bool;

    /// Tells whether undefined regions are chosen.
    fn chooses_undefined(&self) -> bool;
}

/// The regions of a trace and its locations that a rule chooses.
pub(crate) fn chosen(rule: &dyn Rule, definitions: &Definitions, own: &OwnNumbers) -> RegionSet {
    let inverted = rule.chooses_undefined();
    let of_trace = definitions.regions.values().filter(|region| {
        let name = definitions.string(region.name).unwrap_or_default();
        rule.chooses(name, region.paradigm) != inverted
    });
    let of_locations = own.regions().filter(|(_, content)| {
        let name = content.name.as_ref().map(AsRef::as_ref).unwrap_or_default();
        rule.chooses(name, content.paradigm) != inverted
    });
    let of_locations = of_locations.map(|(region, _)| region);
    let regions = of_trace.map(|region| region.id).chain(of_locations);
    match inverted {
        true => RegionSet::all_but(regions),
        false => RegionSet::only(regions),
    }
}

/// Those of a run's enters and leaves that are of chosen regions, and its messages.
pub(crate) struct ChosenCalls<'a, C> {
    calls: &'a mut C,
    chosen: &'a RegionSet,
    /// The last one, or what was before.
    last: EventHead<'static>,
}

impl<'a, C: Calls> ChosenCalls<'a, C> {
    pub(crate) fn new(calls: &'a mut C, chosen: &'a RegionSet) -> Self {
        let last = calls.head();
        ChosenCalls { calls, chosen, last }
    }
}

impl<C: Calls> Calls for ChosenCalls<'_, C> {
    #[inline(always)]
    fn next(&mut self) -> Option<Call> {
        loop {
            let call = self.calls.next()?;
            if self.chosen.contains(call.region()) {
                self.last = self.calls.head();
                return Some(call);
            }
        }
    }

    #[inline(always)]
    fn next_message(&mut self) -> Option<Message> {
        self.calls.next_message()
    }

    #[inline(always)]
    fn time(&self) -> Ticks {
        self.last.time
    }

    #[inline(always)]
    fn head(&self) -> EventHead<'static> {
        self.last
    }
}
