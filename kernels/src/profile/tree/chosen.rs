//! Choice of the regions that are steps of call paths.

use std::collections::HashMap;

use bstr::BStr;
use foldhash::fast::RandomState;
use streamfold_model::calls::{Call, Calls, Message};
use streamfold_model::enums::Paradigm;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use super::own_numbers::OwnNumbers;

/// Rule for the regions that are steps of call paths. Enters and leaves of others are passed over, as if they had not
/// been recorded. Events in them belong to the nearest chosen visit around them.
pub trait Rule: Send + Sync {
    /// Tells whether regions of this name and paradigm are chosen.
    fn chooses(&self, name: &BStr, paradigm: Paradigm) -> bool;

    /// Tells whether undefined regions are chosen.
    fn chooses_undefined(&self) -> bool;
}

impl<R: Rule + ?Sized> Rule for std::sync::Arc<R> {
    fn chooses(&self, name: &BStr, paradigm: Paradigm) -> bool {
        (**self).chooses(name, paradigm)
    }

    fn chooses_undefined(&self) -> bool {
        (**self).chooses_undefined()
    }
}

type Choices = HashMap<RegionRef, bool, RandomState>;

/// A rule, and its choices for the regions of a trace.
pub(crate) struct Chosen<'a> {
    rule: Box<dyn Rule + 'a>,
    defined: Choices,
}

impl<'a> Chosen<'a> {
    pub fn new(definitions: &Definitions, rule: impl Rule + 'a) -> Self {
        let defined = definitions.regions.values().map(|region| {
            let name = definitions.string(region.name).unwrap_or_default();
            (region.id, rule.chooses(name, region.paradigm))
        });
        Chosen { defined: defined.collect(), rule: Box::new(rule) }
    }

    /// Returns the choices for those of these regions that only locations define.
    pub fn of_own(
        &self,
        regions: &OwnNumbers,
        numbers: impl Iterator<Item = RegionRef>,
    ) -> Choices {
        let choice = |number: RegionRef| {
            let content = regions.content(number)?;
            let name = content.name.as_ref().map(AsRef::as_ref).unwrap_or_default();
            Some((number, self.rule.chooses(name, content.paradigm)))
        };
        numbers.filter_map(choice).collect()
    }
}

/// Choice of the regions that are steps of the call paths of a location.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'a> {
    pub chosen: &'a Chosen<'a>,
    /// Of the regions that only the location defines.
    pub own: &'a Choices,
}

impl Choice<'_> {
    pub fn contains(self, region: RegionRef) -> bool {
        let of_own = || self.own.get(&region).copied();
        let choice = self.chosen.defined.get(&region).copied().or_else(of_own);
        choice.unwrap_or_else(|| self.chosen.rule.chooses_undefined())
    }
}

/// Those of a run's enters and leaves that are of chosen regions, and its messages.
pub(crate) struct ChosenCalls<'a, C> {
    calls: &'a mut C,
    choice: Choice<'a>,
    /// The last one, or what was before.
    last: EventHead<'static>,
}

impl<'a, C: Calls> ChosenCalls<'a, C> {
    pub fn new(calls: &'a mut C, choice: Choice<'a>) -> Self {
        let last = calls.head();
        ChosenCalls { calls, choice, last }
    }
}

impl<C: Calls> Calls for ChosenCalls<'_, C> {
    #[inline(always)]
    fn next(&mut self) -> Option<Call> {
        loop {
            let call = self.calls.next()?;
            let (Call::Enter(region) | Call::Leave(region)) = call;
            if self.choice.contains(region) {
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
