//! Metric values of one location, updated by each metric record.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::{MetricOccurrence, MetricScope};
use streamfold_model::events::Metric;
use streamfold_model::ids::{LocationRef, MetricMemberRef, MetricRef};
use streamfold_model::values::{Ticks, TypedValue};

use super::super::tree::PathIndex;
use super::number::{Number, Sum};
use super::open::OpenValues;
use super::plan::{Member, Plan, Property};
use super::series::{MetricScopeRef, Series, SeriesKey};
use super::sums::{Aggregate, LocationMetric, Measured, MetricKind, MetricOddities, MetricSums};
use crate::profile::tree::content::Meanings;
use crate::profile::tree::own_numbers::OwnNumbers;

/// Takes the records of metrics of one location after another.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// The metrics that were recorded, and where each of them is.
    known: Vec<Option<Known>>,
    known_at: HashMap<Called, usize, RandomState>,
    /// The last of them.
    last: Option<(Called, usize)>,
    /// Numbers for members, in the order in which they are met.
    slots: HashMap<MetricMemberRef, u32, RandomState>,
    members: Vec<Recorded>,
    /// The members that have a value at the present location.
    touched: Vec<u32>,
    /// Members that wait for the next enter or leave with a new value.
    pending: Vec<u32>,
    /// Absolute values that do so.
    values: Vec<(u32, Number)>,
    /// Relative ones, which are pending, too: they count if the visit had no value at its enter.
    lone_changes: Vec<(u32, Number)>,
    /// Changes by the last record; `None`: unknown, since it is the first one of the location, or of the window of
    /// time.
    pub changes: Vec<(u32, Option<Sum>)>,
    /// Set if a visit with values was entered or left since the caller last set this to `false`.
    pub told: bool,
    /// Metrics of the present location, by call path, member and kind.
    tallies: Vec<LocationMetric>,
    /// Index of each of them.
    places: HashMap<(PathIndex, u32, MetricKind), usize, RandomState>,
    series: HashMap<SeriesKey, Series, RandomState>,
    oddities: MetricOddities,
}

/// The number of a class or instance, and whether only locations define it. Undefined metrics may have any number.
type Called = (MetricRef, bool);

/// A class or instance that is defined.
#[derive(Debug)]
struct Known {
    plan: Plan,
    /// The numbers of its members.
    slots: Vec<Option<u32>>,
}

/// A member that was recorded.
#[derive(Debug)]
struct Recorded {
    member: Member,
    /// All values at all locations so far.
    records: Aggregate,
    /// The last value of the present location, or the sum of the changes there.
    level: Option<Sum>,
    /// Set if the next enter or leave gets the level.
    fresh: bool,
}

/// Position of a metric record: location, time, call path, and its definitions.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub meanings: Meanings<'a>,
    /// Metrics that only locations define; set if this metric is one of them.
    pub own: Option<&'a OwnNumbers>,
    pub location: LocationRef,
    pub time: Ticks,
    /// The innermost open visit, or the location itself.
    pub path: PathIndex,
    /// The clock of the location, in ticks.
    pub now: u64,
    /// The path of the innermost open visit that was entered before now, or that has the given path.
    pub path_before: &'a dyn Fn(Option<PathIndex>) -> PathIndex,
}

impl Place<'_> {
    /// The path for which growth up to now counts. `told`: the path of the record before, if that is of the same time.
    fn path_of_growth(&self, told: Option<PathIndex>) -> PathIndex {
        if told == Some(self.path) || self.time.0 > self.now {
            return self.path;
        }
        (self.path_before)(told)
    }
}

impl Meter {
    /// Tells whether the next enter or leave has to be reported to the meter.
    #[inline(always)]
    pub(crate) fn is_pending(&self) -> bool {
        !self.pending.is_empty() || !self.values.is_empty()
    }

    /// Takes a record. The caller takes the changes from [`changes`](Self::changes).
    pub(crate) fn record(&mut self, place: Place<'_>, event: Metric<'_>) {
        let at = self.find(place, event.metric);
        // Taken out and put back, since all else may change meanwhile.
        match self.known[at].take() {
            Some(known) => {
                self.record_known(place, event, &known);
                self.known[at] = Some(known);
            }
            None => self.oddities.undefined += 1,
        }
    }

    /// Returns the index of a metric in `known`.
    #[inline]
    fn find(&mut self, place: Place<'_>, metric: MetricRef) -> usize {
        let called = (metric, place.own.is_some());
        match self.last {
            Some((last, at)) if last == called => at,
            _ => {
                let at = self.known_at.get(&called).copied();
                let at = at.unwrap_or_else(|| self.learn(place, metric));
                self.last = Some((called, at));
                at
            }
        }
    }

    /// Finds out what a metric means.
    fn learn(&mut self, place: Place<'_>, metric: MetricRef) -> usize {
        let definitions = place.meanings.definitions;
        let own = place.own.and_then(|own| Some((own, own.metric_content(metric)?)));
        let plan = match own {
            Some((own, content)) => Some(Plan::of_own(definitions, own, content)),
            None => Plan::of(place.meanings, metric),
        };
        let known = plan.map(|plan| {
            let slots = plan.members.iter().map(|member| Some(self.slot(*member.as_ref()?)));
            Known { slots: slots.collect(), plan }
        });
        self.known.push(known);
        self.known_at.insert((metric, place.own.is_some()), self.known.len() - 1);
        self.known.len() - 1
    }

    fn slot(&mut self, member: Member) -> u32 {
        *self.slots.entry(member.reference).or_insert_with(|| {
            let records = Aggregate::none(member.number);
            self.members.push(Recorded { member, records, level: None, fresh: false });
            self.members.len() as u32 - 1
        })
    }

    fn record_known(&mut self, place: Place<'_>, event: Metric<'_>, known: &Known) {
        if event.values.len() != known.slots.len() {
            self.oddities.miscounted += 1;
            return;
        }
        let own = known.plan.is_own(place.location);
        let asynchronous = !matches!(
            known.plan.occurrence,
            MetricOccurrence::SynchronousStrict | MetricOccurrence::Synchronous
        );
        for (position, (slot, value)) in known.slots.iter().zip(event.values).enumerate() {
            let Some((slot, number)) = self.usable(*slot, *value) else { continue };
            let recorded = &mut self.members[slot as usize];
            recorded.records.add(number);
            let member = recorded.member;
            if asynchronous || !own {
                let key = SeriesKey {
                    member: member.reference,
                    metric: event.metric,
                    position: position as u8,
                    recorder: place.location,
                };
                self.record_series(place, key, &known.plan, slot, number);
                continue;
            }
            match member.property {
                Property::Absolute => self.values.push((slot, number)),
                _ => self.await_call(slot, number),
            }
        }
    }

    fn usable(&mut self, slot: Option<u32>, value: TypedValue) -> Option<(u32, Number)> {
        let Some(slot) = slot else {
            self.oddities.undefined_members += 1;
            return None;
        };
        let number = Number::of(value, self.members[slot as usize].member.number);
        self.oddities.unusable += u64::from(number.is_none());
        Some((slot, number?))
    }

    /// A value belongs to the next enter or leave.
    fn await_call(&mut self, slot: u32, number: Number) {
        let Recorded { member, level, fresh, .. } = &mut self.members[slot as usize];
        let mut change = Sum::of(number);
        let change = match (member.property, level.as_mut()) {
            (Property::Relative, Some(level)) => {
                level.add_sum(&change);
                Some(change)
            }
            (_, Some(level)) => {
                change.sub_sum(level);
                level.set(number);
                self.oddities.unattributed += u64::from(*fresh);
                Some(change)
            }
            // The value before the first record is not known.
            (_, None) => {
                self.touched.push(slot);
                *level = Some(change);
                None
            }
        };
        if member.property == Property::Relative {
            self.lone_changes.push((slot, number));
        }
        self.changes.push((slot, change));
        if !std::mem::replace(fresh, true) {
            self.pending.push(slot);
        }
    }

    fn record_series(
        &mut self,
        place: Place<'_>,
        key: SeriesKey,
        plan: &Plan,
        slot: u32,
        value: Number,
    ) {
        let member = self.members[slot as usize].member;
        let grows = member.property == Property::Accumulated;
        let at = (place.time, place.path);
        let mut counts = (place.path, MetricKind::Values, Some(Sum::of(value)));
        match self.series.get_mut(&key) {
            Some(series) => {
                if grows {
                    let path = place.path_of_growth(series.path_at(place.time));
                    counts = (path, MetricKind::Growth, Some(series.growth_to(value)));
                }
                series.record(&member, at, value);
            }
            None => {
                let own = (MetricScope::Location, place.location.0);
                let (kind, reference) = plan.scope.unwrap_or(own);
                let scope = MetricScopeRef { kind, reference };
                self.series.insert(key, Series::begin(key, scope, at, value));
                if grows {
                    counts.2 = None;
                }
            }
        }
        if let (true, (path, kind, Some(value))) = (plan.is_own(place.location), counts) {
            self.tally(path, slot, kind).exclusive.add_exact(&value);
        }
    }

    fn tally(&mut self, path: PathIndex, slot: u32, kind: MetricKind) -> &mut Measured {
        let tallies = &mut self.tallies;
        let place = *self.places.entry((path, slot, kind)).or_insert_with(|| {
            let member = self.members[slot as usize].member;
            let measured = Measured::none(member.number);
            tallies.push(LocationMetric { path, member: member.reference, kind, measured });
            tallies.len() - 1
        });
        &mut tallies[place].measured
    }

    /// A visit is entered; so many are open with it.
    pub(crate) fn enter(&mut self, path: PathIndex, depth: usize, open: &mut OpenValues) {
        self.told = true;
        for slot in self.pending.drain(..) {
            let Recorded { member, fresh, .. } = &mut self.members[slot as usize];
            *fresh = false;
            open.enter(slot, member.number, depth);
        }
        self.lone_changes.clear();
        self.count_values(path);
    }

    /// The innermost of so many open visits is left; `whole`: it was entered in the window of time,
    /// if there is one.
    pub(crate) fn leave(
        &mut self,
        path: PathIndex,
        depth: usize,
        whole: bool,
        open: &mut OpenValues,
    ) {
        self.told = true;
        while let Some(entry) = open.end_one(depth) {
            let Recorded { member, fresh, .. } = &mut self.members[entry.slot as usize];
            if !std::mem::replace(fresh, false) {
                self.oddities.incomplete += 1;
                open.add_inside(entry.slot, &entry.inside);
                continue;
            }
            let member = *member;
            let mut inclusive = open.value(entry.slot, member.number).clone();
            inclusive.sub_sum(&entry.enter);
            let mut exclusive = inclusive.clone();
            exclusive.sub_sum(&entry.inside);
            let shrunk = inclusive.number().is_negative();
            let odd = shrunk && member.property == Property::Accumulated;
            self.oddities.decreased += u64::from(odd);
            let measured = self.tally(path, entry.slot, MetricKind::Difference);
            measured.inclusive.add_exact(&inclusive);
            measured.exclusive.add_unranged(&exclusive);
            open.add_inside(entry.slot, &inclusive);
        }
        self.count_lone_changes(whole);
        for slot in self.pending.drain(..) {
            let Recorded { member, fresh, .. } = &mut self.members[slot as usize];
            let alone = std::mem::replace(fresh, false) && member.property != Property::Relative;
            self.oddities.incomplete += u64::from(alone && whole);
        }
        self.count_values(path);
    }

    /// Counts relative changes of members that had no value at the enter of the visit. This is not known of visits from
    /// before a window of time.
    fn count_lone_changes(&mut self, whole: bool) {
        let members = &self.members;
        let lone = self.lone_changes.drain(..);
        self.values.extend(lone.filter(|(slot, _)| whole && members[*slot as usize].fresh));
    }

    fn count_values(&mut self, path: PathIndex) {
        let mut values = std::mem::take(&mut self.values);
        for (slot, number) in values.drain(..) {
            self.tally(path, slot, MetricKind::Values).exclusive.add(number);
        }
        self.values = values;
    }

    /// Counts the pending values as unattributed, and drops them.
    pub(crate) fn give_up(&mut self) {
        self.told |= self.is_pending();
        self.oddities.unattributed += (self.values.len() + self.pending.len()) as u64;
        self.forget_pending();
    }

    /// Drops the pending values.
    pub(crate) fn forget_pending(&mut self) {
        self.values.clear();
        self.forget_differences();
    }

    /// The next enter or leave is passed over: pending absolute values count on this path.
    pub(crate) fn pass_over(&mut self, path: PathIndex) {
        self.told |= self.is_pending();
        self.forget_differences();
        self.count_values(path);
    }

    fn forget_differences(&mut self) {
        self.lone_changes.clear();
        for slot in self.pending.drain(..) {
            self.members[slot as usize].fresh = false;
        }
    }

    /// In a stretch of an explicit task, which was a visit of a path, this changed, part of it inside of the
    /// task's own visits; `first`: nothing was said of the metric before.
    pub(crate) fn stretch(
        &mut self,
        path: PathIndex,
        slot: u32,
        change: &Sum,
        inside: Option<&Sum>,
        first: bool,
    ) {
        let measured = self.tally(path, slot, MetricKind::Difference);
        measured.inclusive.sum.add_sum(change);
        measured.exclusive.sum.add_sum(change);
        if let Some(inside) = inside {
            measured.exclusive.sum.sub_sum(inside);
        }
        measured.inclusive.count += u64::from(first);
        measured.exclusive.count += u64::from(first);
    }

    /// The location has no more. Returns what it has, in the order of paths.
    pub(crate) fn end_location(
        &mut self,
        sums: &mut MetricSums,
        location: LocationRef,
    ) -> Vec<LocationMetric> {
        self.give_up();
        self.places.clear();
        for slot in self.touched.drain(..) {
            self.members[slot as usize].level = None;
        }
        sums.series.extend(self.series.drain().map(|(_, series)| series.end()));
        let mut tallies = std::mem::take(&mut self.tallies);
        tallies.iter().for_each(|metric| sums.add(location, metric));
        tallies.sort_unstable_by_key(|metric| (metric.path, metric.member, metric.kind));
        tallies
    }

    /// No location follows, here.
    pub(crate) fn finish(self, sums: &mut MetricSums) {
        for Recorded { member, records, .. } in self.members {
            if records.count > 0 {
                let sum = sums.members.entry(member.reference);
                sum.and_modify(|sum| sum.join(&records)).or_insert(records);
            }
        }
        sums.oddities.add(&self.oddities);
    }
}
