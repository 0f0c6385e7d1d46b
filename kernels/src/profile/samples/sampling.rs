//! Events with calling contexts: samples, and the way of the location from one context to the next.
//!
//! # Unwind distances
//!
//! The definition `CallingContext` of OTF2 says what an unwind distance d of an event means. Of the
//! regions of its context, the last one first:
//!
//! * d > 1: the first d - 1 were newly entered since the event before, of any kind that has a calling
//!   context. The next one was open all the time, and it is in it that time has passed;
//! * d = 1: none was newly entered; in the first one time has passed;
//! * d = 0: nothing has happened since.
//!
//! A leave has a distance of 1, and what it leaves is no longer part of the context before, for the
//! next event. A region can have stayed open where the regions up to it, and the lines of its callers,
//! are those of the context before: from another line of a caller it is another call. Its own line
//! may be another one. Distances that contradict the context before are counted and passed over.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{InterruptGeneratorRef, LocationRef};

use crate::profile::tree::contexts::{Contexts, Place};

/// Sums by calling context. Times in ticks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SampleSums {
    /// By place; empty as long as there was no event with a calling context.
    pub(crate) contexts: Vec<ContextSums>,
    /// How many samples each interrupt generator took in each context.
    pub(crate) counts: HashMap<(Place, InterruptGeneratorRef), u64, RandomState>,
    /// The locations that have events with a calling context.
    pub(crate) locations: Vec<LocationSamples>,
    /// Set if regions with equal contents are kept apart.
    pub(crate) by_id: bool,
}

/// Sums of one calling context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContextSums {
    /// Events that enter its region.
    pub enters: u64,
    /// Summed up over all that were called from here: how often the region was newly entered. Each
    /// event adds one to its own context, and takes it from the one up to which all stayed open.
    pub entries: i64,
    /// Time from one event to the next, in which the location was here, as far as is known.
    pub estimated: u128,
    /// Time in which no region further in was open all along.
    pub certain: u128,
}

impl ContextSums {
    /// Adds those of other events.
    pub(crate) fn add(&mut self, other: &ContextSums) {
        self.enters += other.enters;
        self.entries += other.entries;
        self.estimated += other.estimated;
        self.certain += other.certain;
    }
}

/// The samples of a location. Times in ticks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationSamples {
    /// The location.
    pub location: LocationRef,
    /// How many samples each interrupt generator took.
    pub counts: BTreeMap<InterruptGeneratorRef, u64>,
    /// Time between events with calling contexts: the sum of what their contexts share.
    pub estimated: u128,
    /// Unwind distances that contradict the calling context of the event before.
    pub odd_unwinds: u64,
    /// Samples in calling contexts that are not defined.
    pub undefined: u64,
}

impl LocationSamples {
    /// All samples.
    pub fn samples(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl SampleSums {
    /// Adds those of other locations.
    pub(crate) fn fold(&mut self, mut other: SampleSums) {
        if self.contexts.len() < other.contexts.len() {
            std::mem::swap(&mut self.contexts, &mut other.contexts);
        }
        for (into, sums) in self.contexts.iter_mut().zip(&other.contexts) {
            into.add(sums);
        }
        for (key, count) in other.counts {
            *self.counts.entry(key).or_default() += count;
        }
        self.locations.append(&mut other.locations);
        self.by_id |= other.by_id;
    }

    fn at(&mut self, place: Place) -> &mut ContextSums {
        &mut self.contexts[place.index()]
    }
}

/// When an event happens, in ticks of the location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub now: u64,
    /// How much of the time so far was spent elsewhere: recording was off, or the buffer was written.
    pub away: u64,
}

/// One location on its way from context to context.
#[derive(Default)]
pub(crate) struct Sampling {
    last: Option<Last>,
    counts: BTreeMap<InterruptGeneratorRef, u64>,
    estimated: u128,
    odd_unwinds: u64,
    undefined: u64,
}

/// The event before.
struct Last {
    /// Context of the location afterwards; `None`: in no region.
    context: Option<Place>,
    moment: Moment,
}

/// The sums that the events of a location add to.
pub(crate) struct Counting<'a> {
    pub contexts: &'a Contexts,
    pub sums: &'a mut SampleSums,
}

impl Sampling {
    /// A region is entered, which is the last one of a context.
    pub(crate) fn enter(
        &mut self,
        counting: Counting<'_>,
        place: Place,
        unwind_distance: u32,
        moment: Moment,
    ) {
        let Counting { contexts, sums } = counting;
        // It is newly entered, whatever the event says.
        let stayed = self.stayed(contexts, place, unwind_distance.max(2));
        self.pass(contexts, sums, contexts.caller(place), stayed, moment);
        sums.at(place).enters += 1;
        enter_from(sums, stayed, place);
        self.arrive(Some(place), moment);
    }

    /// The last region of a context is left.
    pub(crate) fn leave(&mut self, counting: Counting<'_>, place: Place, moment: Moment) {
        let Counting { contexts, sums } = counting;
        let stayed = self.stayed(contexts, place, 1);
        self.pass(contexts, sums, Some(place), stayed, moment);
        // An undefined context may be the one that was entered before.
        if place != Place::UNDEFINED {
            enter_from(sums, stayed, place);
        }
        self.arrive(contexts.caller(place), moment);
    }

    /// The location is found in a context; `None`: in one that is not defined.
    pub(crate) fn sample(
        &mut self,
        counting: Counting<'_>,
        place: Option<Place>,
        unwind_distance: u32,
        generator: InterruptGeneratorRef,
        moment: Moment,
    ) {
        let Counting { contexts, sums } = counting;
        self.undefined += u64::from(place.is_none());
        let place = place.unwrap_or(Place::UNDEFINED);
        let stayed = self.stayed(contexts, place, unwind_distance);
        self.pass(contexts, sums, Some(place), stayed, moment);
        enter_from(sums, stayed, place);
        *sums.counts.entry((place, generator)).or_default() += 1;
        *self.counts.entry(generator).or_default() += 1;
        self.arrive(Some(place), moment);
    }

    fn arrive(&mut self, context: Option<Place>, moment: Moment) {
        // If time goes backward, it is counted once all the same.
        let before = self.last.as_ref().map_or(0, |last| last.moment.now);
        let moment = Moment { now: moment.now.max(before), ..moment };
        self.last = Some(Last { context, moment });
    }

    /// The innermost region of a context that was open since the event before, as the context of that region; `None`:
    /// there is no such region, or it is unknown.
    fn stayed(&mut self, contexts: &Contexts, place: Place, unwind_distance: u32) -> Option<Place> {
        let last = self.last.as_ref()?;
        if place == Place::UNDEFINED {
            return None;
        }
        let entered = unwind_distance.saturating_sub(1);
        let Some(length) = contexts.length(place).checked_sub(entered) else {
            self.odd_unwinds += 1;
            return None;
        };
        if length == 0 {
            return None;
        }
        let same = |place| contexts.same(place);
        let stayed = contexts.of_length(place, length);
        let before = last.context.and_then(|context| contexts.of_length(context, length));
        let as_said = stayed.zip(before).is_some_and(|(stayed, before)| match unwind_distance {
            0 => last.context.map(same) == Some(same(stayed)),
            _ => {
                contexts.shape(stayed) == contexts.shape(before)
                    && contexts.caller(stayed).map(same) == contexts.caller(before).map(same)
            }
        });
        self.odd_unwinds += u64::from(!as_said);
        stayed.filter(|_| as_said)
    }

    /// Time has passed since the event before: in `working`, as far as is known, and for certain in
    /// what stayed open.
    fn pass(
        &mut self,
        contexts: &Contexts,
        sums: &mut SampleSums,
        working: Option<Place>,
        stayed: Option<Place>,
        moment: Moment,
    ) {
        if sums.contexts.is_empty() {
            sums.contexts.resize(contexts.len(), ContextSums::default());
        }
        let Some(last) = &self.last else { return };
        let away = moment.away.saturating_sub(last.moment.away);
        let time = moment.now.saturating_sub(last.moment.now).saturating_sub(away);
        self.estimated += u128::from(time);
        if let Some(working) = working {
            sums.at(working).estimated += u128::from(time);
        }
        if let Some(stayed) = stayed {
            sums.at(stayed).certain += u128::from(time);
        }
    }

    /// Tells whether there was any event.
    pub(crate) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// Nothing follows at this location.
    pub(crate) fn end(self, location: LocationRef, sums: &mut SampleSums) {
        if self.last.is_none() {
            return;
        }
        let Sampling { counts, estimated, odd_unwinds, undefined, .. } = self;
        let row = LocationSamples { location, counts, estimated, odd_unwinds, undefined };
        sums.locations.push(row);
    }
}

/// All regions of a context are newly entered, but for those that stayed open.
fn enter_from(sums: &mut SampleSums, stayed: Option<Place>, place: Place) {
    sums.at(place).entries += 1;
    if let Some(stayed) = stayed {
        sums.at(stayed).entries -= 1;
    }
}
