//! Runs of enters and leaves: the own time of a visit counts when it ends.

use streamfold_model::calls::{Call, Message};
use streamfold_model::ids::RegionRef;

use super::regions::RegionClasses;
use super::{Class, Work};
use crate::call_stack::{Following, OwnTime, Place, Visit};
use crate::matching::RecurringSums;

/// A class, a region, and the region around it.
pub(super) type OfPlace = (Class, RegionRef, Option<RegionRef>);

/// Places whose sums are at hand.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 9;

/// Ticks and visits that are not yet added to the sums of a location.
#[derive(Debug, Default)]
pub(super) struct OwnSums {
    slots: Vec<Slot>,
}

/// The own ticks of a place, and the visits that ended there.
#[derive(Clone, Copy, Debug)]
struct Slot {
    of: OfPlace,
    ticks: u64,
    visits: u64,
}

impl Slot {
    const UNUSED: Slot =
        Slot { of: (Class::NoRegion, RegionRef::UNDEFINED, None), ticks: 0, visits: 0 };

    fn settle(
        &mut self,
        work: &mut Work,
        places: &mut RecurringSums<OfPlace>,
        counts: &mut RecurringSums<RegionRef>,
    ) {
        let Slot { of, ticks, visits } = std::mem::replace(self, Slot::UNUSED);
        if ticks > 0 {
            work.ticks.add(of.0, ticks);
            places.add(of, ticks);
        }
        if visits > 0 {
            counts.add(of.1, visits);
        }
    }
}

impl OwnSums {
    /// With room.
    pub(super) fn in_use(&mut self) -> &mut Self {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, Slot::UNUSED);
        }
        self
    }

    /// The slot of a place, which may be that of another.
    #[inline(always)]
    fn slot(&mut self, of: &OfPlace) -> Option<&mut Slot> {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let caller = of.2.unwrap_or(RegionRef::UNDEFINED).0;
        let both = u64::from(of.1 .0) << 32 | u64::from(caller);
        self.slots.get_mut((both.wrapping_mul(SPREAD) >> (u64::BITS - SLOT_BITS)) as usize)
    }

    /// Adds all to the sums of the location: the first part of its time is all of it.
    pub(super) fn settle(
        &mut self,
        work: &mut [Work],
        places: &mut RecurringSums<OfPlace>,
        counts: &mut RecurringSums<RegionRef>,
    ) {
        let Some(work) = work.first_mut() else { return };
        self.slots.iter_mut().for_each(|slot| slot.settle(work, places, counts));
    }
}

/// Counts the own time of visits in a run.
pub(super) struct Run<'s> {
    pub classes: &'s RegionClasses,
    /// Set if the time counts, or else only visits do.
    pub counts_time: bool,
    pub is_stream: bool,
    /// The class of regions of the program, on threads.
    pub serial: Class,
    /// The class of the time outside of all regions.
    pub outside: Class,
    pub own: &'s mut OwnSums,
    pub work: &'s mut Work,
    pub places: &'s mut RecurringSums<OfPlace>,
    pub counts: &'s mut RecurringSums<RegionRef>,
    pub messages: &'s mut u64,
    pub has_messages: bool,
    pub visited: &'s mut (bool, bool),
}

fn region_of(visit: &Visit) -> Option<RegionRef> {
    match visit.place {
        Place::Region(region) => Some(region),
        Place::Off => None,
    }
}

impl Following for Run<'_> {
    #[inline(always)]
    fn takes(&mut self, call: Call) -> bool {
        let of = self.classes.of(call.region());
        if !of.is_plain() {
            return false;
        }
        if !call.is_leave() {
            self.visited.0 = true;
            self.visited.1 |= of.thread == Class::Serial;
        }
        true
    }

    #[inline(always)]
    fn own(&mut self, OwnTime { path, ticks, ended }: OwnTime<'_>) {
        let ticks = if self.counts_time { ticks } else { 0 };
        let Some(visit) = path.last() else { return self.work.ticks.add(self.outside, ticks) };
        let Some(region) = region_of(visit) else { return self.work.ticks.add(Class::Off, ticks) };
        let caller = match path {
            [.., caller, _] => region_of(caller),
            _ => None,
        };
        let of = self.classes.of(region);
        let class = match (self.is_stream, of.thread) {
            (true, _) => of.stream,
            (false, Class::Serial) => self.serial,
            (false, thread) => thread,
        };
        let of = (class, region, caller);
        let Some(slot) = self.own.slot(&of) else { return };
        if slot.of != of {
            slot.settle(self.work, self.places, self.counts);
            slot.of = of;
        }
        slot.ticks += ticks;
        slot.visits += u64::from(ended);
    }

    #[inline(always)]
    fn message(&mut self, Message { received, bytes }: Message) {
        self.has_messages = true;
        *self.messages += u64::from(!received);
        let sum = &mut self.work.bytes[usize::from(received)];
        *sum = sum.saturating_add(bytes);
    }
}
