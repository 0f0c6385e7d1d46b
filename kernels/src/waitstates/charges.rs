//! Charges waits to calls, and never more than their own time.
//!
//! Most calls have one wait at most. Possible other waits return to their locations, which take the waits of each call
//! one after another ([`settle`]).

use std::collections::BTreeMap;
use std::iter::successors;

use streamfold_model::ids::LocationRef;

use super::call::Call;
use super::culprit::Culprit;
use super::edges::Edges;
use super::metric::Metric;
use super::severity::Severities;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Items, Key, Lanes, Order, Outgoing, Sink, Source};
use crate::replay::Links;

/// One time that a location waited. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The metric of the wait.
    pub metric: Metric,
    /// The location that waited.
    pub location: LocationRef,
    /// The call that waited.
    pub call: Call,
    /// Begin of the wait.
    pub from: u64,
    /// Its ticks, were it the only wait of the call.
    pub ticks: u64,
    /// A part of it with a metric below that of the wait, and its ticks.
    pub part: Option<(Metric, u64)>,
    /// The location that it waited for, if it is known.
    pub culprit: Option<Culprit>,
}

impl Wait {
    /// From the enter of a call until something happened.
    pub fn until(cause: u64, metric: Metric, location: LocationRef, call: Call) -> Self {
        let ticks = call.wait_for(cause);
        Wait { metric, location, call, from: call.enter, ticks, part: None, culprit: None }
    }

    /// The same, for a culprit.
    #[must_use]
    pub fn for_whom(self, culprit: Option<Culprit>) -> Self {
        Wait { culprit, ..self }
    }

    /// Metrics and their ticks, if so many ticks of the wait count.
    fn parts(&self, ticks: u64) -> impl Iterator<Item = (Metric, u64)> + use<> {
        let (whole, part) = (self.metric, self.part.map(|(metric, _)| metric));
        let of_part = self.part.map_or(0, |(_, part)| part.min(ticks));
        let up_to_here = successors(part, |metric| metric.parent());
        let up_to_here = up_to_here.take_while(move |metric| *metric != whole);
        std::iter::once((whole, ticks)).chain(up_to_here.map(move |metric| (metric, of_part)))
    }

    fn key(&self) -> Key {
        let LocationRef(location) = self.location;
        Key([location as u32, (location >> 32) as u32, 0, 0])
    }
}

impl Item for Wait {
    /// By call, then by when they begin.
    fn order(&self) -> Order {
        Order { time: self.call.number, location: self.location, number: self.from }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let last = before.map(|before| before.call);
        let time = last.map_or(0, |call| call.enter);
        Call::put_any(Some(self.call), time, last.as_ref(), bytes);
        put(self.metric.number().into(), bytes);
        put_change(self.from, self.call.enter, bytes);
        put(self.ticks, bytes);
        put(self.part.map_or(0, |(metric, _)| 1 + u64::from(metric.number())), bytes);
        self.part.into_iter().for_each(|(_, ticks)| put(ticks, bytes));
        Culprit::put_any(self.culprit, bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let last = before.map(|before| before.call);
        let time = last.map_or(0, |call| call.enter);
        let call = Call::take_any(time, last.as_ref(), bytes)??;
        let metric = Metric::of_number(take(bytes)?)?;
        let (from, ticks) = (take_change(call.enter, bytes)?, take(bytes)?);
        let part = match take(bytes)?.checked_sub(1) {
            Some(number) => Some((Metric::of_number(number)?, take(bytes)?)),
            None => None,
        };
        let culprit = Culprit::take_any(bytes)?;
        Some(Wait { metric, location, call, from, ticks, part, culprit })
    }
}

/// Waits on their way to their locations.
pub struct Claims<'s> {
    lanes: Lanes<Wait>,
    outgoing: Outgoing<'s>,
}

impl<'s> Claims<'s> {
    /// To be put into a sink.
    pub fn new(sink: &'s dyn Sink) -> Self {
        Claims { lanes: Lanes::default(), outgoing: Outgoing::new(sink) }
    }

    /// No more are to come.
    pub fn end(mut self) {
        self.lanes.empty(&mut self.outgoing);
        self.outgoing.hand_over();
    }
}

/// Destinations of waits.
pub struct Charges<'a, 's> {
    /// Waits that are certain.
    pub severities: &'a mut Severities,
    /// Waits that depend on other waits of the call.
    pub claims: &'a mut Claims<'s>,
    /// Edges to what was waited for.
    pub edges: &'a mut Edges<'s>,
    /// Dependencies, for replays.
    pub links: &'a mut Links<'s>,
}

impl Charges<'_, '_> {
    /// A location waited.
    pub fn wait(&mut self, wait: Wait) {
        if wait.ticks == 0 {
            return;
        }
        match wait.call.has_several {
            true => self.claims.lanes.push(wait.key(), wait, &mut self.claims.outgoing),
            false => {
                self.edges.wait(&wait, wait.from, wait.ticks);
                wait.parts(wait.ticks).for_each(|(metric, ticks)| {
                    let ticks = self.severities.count(metric, wait.location, wait.from, ticks);
                    self.severities.wait(metric, wait.location, &wait.call, ticks, wait.culprit);
                    self.severities.blame(metric, wait.location, ticks, wait.culprit);
                });
            }
        }
    }
}

/// Takes the waits of each call in the order in which they began, of those that began at one time in the order of
/// metrics: what was waited for several at a time counts for the first.
///
/// # Errors
///
/// When a block cannot be read.
pub fn settle<S: Source>(
    source: S,
    severities: &mut Severities,
    edges: &mut Edges<'_>,
) -> Result<(), S::Error> {
    let mut items = Items::<S, Wait>::new(source)?;
    while let Some(key) = items.key() {
        let mut present: Option<OfCall> = None;
        while let Some(wait) = items.next_of_all(key)? {
            let is_over = |of: &mut OfCall| of.call.number != wait.call.number;
            present.take_if(is_over).into_iter().for_each(|of| of.end(severities, edges));
            present.get_or_insert_with(|| OfCall::new(&wait)).take(wait, severities, edges);
        }
        present.into_iter().for_each(|of| of.end(severities, edges));
    }
    Ok(())
}

/// The waits of one call.
struct OfCall {
    location: LocationRef,
    call: Call,
    /// Own time that no wait has taken, in ticks.
    left: u64,
    /// Waits up to this time are settled.
    known: u64,
    /// Begin of the waits that are being settled.
    from: u64,
    /// The longest of each metric of them: others are within it.
    longest: BTreeMap<Metric, Wait>,
    /// Ticks that count, with the culprit of most of them.
    found: BTreeMap<Metric, (u64, Option<(u64, Culprit)>)>,
    /// Culprits, with ticks.
    blamed: Vec<(Metric, u64, Culprit)>,
}

impl OfCall {
    fn new(first: &Wait) -> Self {
        let Wait { location, call, from, .. } = *first;
        let (left, known) = (call.exclusive, 0);
        let (longest, found, blamed) = Default::default();
        OfCall { location, call, left, known, from, longest, found, blamed }
    }

    fn take(&mut self, wait: Wait, severities: &mut Severities, edges: &mut Edges<'_>) {
        if self.from != wait.from {
            self.settle(severities, edges);
            self.from = wait.from;
        }
        let length = |wait: &Wait| (wait.ticks, wait.part);
        let longest = self.longest.entry(wait.metric).or_insert(wait);
        if length(longest) < length(&wait) {
            *longest = wait;
        }
    }

    /// All that begin at one time are known.
    fn settle(&mut self, severities: &mut Severities, edges: &mut Edges<'_>) {
        for wait in std::mem::take(&mut self.longest).into_values() {
            let until = wait.from.saturating_add(wait.ticks);
            let ticks = until.saturating_sub(self.known.max(wait.from)).min(self.left);
            self.left -= ticks;
            let from = self.known.max(wait.from);
            self.known = self.known.max(until);
            if ticks > 0 {
                edges.wait(&wait, from, ticks);
            }
            for (metric, ticks) in wait.parts(ticks) {
                let ticks = severities.count(metric, self.location, from, ticks);
                let (sum, most) = self.found.entry(metric).or_default();
                *sum += ticks;
                let Some(culprit) = wait.culprit.filter(|_| ticks > 0) else { continue };
                if most.is_none_or(|(most, _)| ticks > most) {
                    *most = Some((ticks, culprit));
                }
                self.blamed.push((metric, ticks, culprit));
            }
        }
    }

    fn end(mut self, severities: &mut Severities, edges: &mut Edges<'_>) {
        self.settle(severities, edges);
        for (metric, (ticks, most)) in self.found {
            let culprit = most.map(|(_, culprit)| culprit);
            severities.wait(metric, self.location, &self.call, ticks, culprit);
        }
        for (metric, ticks, culprit) in self.blamed {
            severities.blame(metric, self.location, ticks, Some(culprit));
        }
    }
}
