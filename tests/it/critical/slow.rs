//! The critical path in the simplest way: from the last event back, looking through all waits at each step.

use std::collections::{BTreeMap, BTreeSet};

use super::path::{ByPath, Section};
use streamfold::model::enums::{Paradigm, RegionRole};

use crate::waitstates::regions;
use crate::waitstates::slow::{self, Found};
use crate::waitstates::split::{moments, Moment};
use crate::waitstates::trace::Trace;

/// The path, as the slow way finds it.
pub struct Expected {
    pub sections: Vec<Section>,
    pub impossible: u64,
    pub run: (u64, u64),
    pub by_path: ByPath,
    pub by_location: BTreeMap<u64, (u64, u64)>,
    /// Of call paths on the path the mean of all locations without waits, and by how much the path has more. `None`:
    /// there are visits without an end.
    pub compared: Option<[ByPath; 2]>,
}

/// Locations that are threads, with their first and last times.
fn spans(trace: &Trace) -> Vec<(u64, u64, u64)> {
    let threads = trace.streams.iter().filter(|(location, _)| !trace.metrics.contains(location));
    let span = |(location, events): (&u64, &crate::waitstates::trace::Stream)| {
        let times = || events.iter().map(|(time, _)| *time);
        Some((*location, times().min()?, times().max()?))
    };
    threads.filter_map(span).collect()
}

/// Finds it; `None`: nothing happened.
pub fn analyse(trace: &Trace) -> Option<Expected> {
    let spans = spans(trace);
    let begin = spans.iter().map(|(_, first, _)| *first).min()?;
    let end = spans.iter().map(|(.., last)| *last).max()?;
    let found = slow::analyse(trace);
    let last = spans.iter().find(|(.., last)| *last == end)?.0;
    let sections = walk(&found, last, (begin, end));
    let mut expected = Expected {
        sections,
        impossible: found.impossible,
        run: (begin, end),
        by_path: ByPath::new(),
        by_location: BTreeMap::new(),
        compared: None,
    };
    let of: BTreeMap<u64, Vec<Moment>> =
        spans.iter().map(|(location, ..)| (*location, moments(trace, *location))).collect();
    let forked = Forked::new(&found);
    for (location, begin, end, after) in &expected.sections {
        let sum = expected.by_location.entry(*location).or_default();
        *sum = (sum.0 + (end - begin), sum.1 + 1);
        let mut rest = end - begin;
        for moment in &of[location] {
            let ticks = moment.end.min(*end).saturating_sub(moment.begin.max(*begin));
            let is_new = after == "fork" && moment.open.is_empty();
            *expected.by_path.entry(forked.key(moment, is_new)).or_default() += ticks;
            rest -= ticks;
        }
        // Before the first event a thread of a team is on its way, before that of others it has not begun.
        let first = spans.iter().find(|(of, ..)| of == location).map_or(0, |(_, first, _)| *first);
        let before = first.min(*end).saturating_sub(*begin);
        *expected.by_path.entry((String::new(), after == "fork")).or_default() += before;
        *expected.by_path.entry((String::new(), false)).or_default() += rest - before;
    }
    expected.by_path.retain(|_, ticks| *ticks > 0);
    let mut visits = found.visits.0.values().flat_map(|location| &location.visits);
    if visits.all(|visit| visit.leave.is_some()) {
        expected.compared = Some(expected.compare_with_all(&found, &forked, &of));
    }
    Some(expected)
}

/// Call paths of workers of teams, each with the only one above a parallel region that is the same code.
struct Forked(BTreeMap<String, String>);

impl Forked {
    fn new(found: &Found<'_>) -> Forked {
        let mut codes: BTreeMap<String, (bool, BTreeSet<String>)> = BTreeMap::new();
        for visits in found.visits.0.values().map(|location| &location.visits) {
            for visit in 0..visits.len() {
                let around = |visit: &usize| visits[*visit].parent;
                let mut open: Vec<usize> = std::iter::successors(Some(visit), around).collect();
                open.reverse();
                let is_parallel = |visit: &usize| {
                    let of = &visits[*visit];
                    of.paradigm == Paradigm::Openmp && of.role == RegionRole::Parallel
                };
                let Some(place) = open.iter().position(is_parallel) else { continue };
                let names = |open: &[usize]| {
                    let names = open.iter().map(|visit| regions::written(&visits[*visit].name));
                    names.collect::<Vec<_>>().join(" > ")
                };
                let (is_worker, above) = codes.entry(names(&open[place..])).or_default();
                match place {
                    0 => *is_worker = true,
                    _ => {
                        above.insert(names(&open));
                    }
                }
            }
        }
        let only = |(code, (is_worker, above)): (String, (bool, BTreeSet<String>))| {
            let mut above = above.into_iter();
            (is_worker && above.len() == 1).then(|| above.next_back().map(|above| (code, above)))?
        };
        Forked(codes.into_iter().filter_map(only).collect())
    }

    fn of(&self, path: String) -> String {
        self.0.get(&path).cloned().unwrap_or(path)
    }

    fn key(&self, moment: &Moment, is_new: bool) -> (String, bool) {
        (self.of(moment.open.join(" > ")), moment.forking || is_new)
    }
}

/// Goes back from the last event.
fn walk(found: &Found<'_>, last: u64, (begin, end): (u64, u64)) -> Vec<Section> {
    let (mut location, mut time, mut sections) = (last, end, Vec::new());
    loop {
        let before = found.edges.iter().filter(|edge| edge.location == location && edge.end < time);
        let inside = before.filter(|edge| edge.end >= begin && edge.end <= end);
        let latest = inside.max_by_key(|edge| (edge.end, std::cmp::Reverse(edge.order())));
        let Some(edge) = latest else { break };
        sections.push((location, edge.end, time, edge.kind.to_owned()));
        (location, time) = (edge.cause, edge.end);
    }
    if time > begin || sections.is_empty() {
        sections.push((location, begin, time, "begin".to_owned()));
    }
    sections.reverse();
    sections
}

impl Expected {
    /// The mean of all locations, of each call path on the path, and by how much the path has more.
    fn compare_with_all(
        &self,
        found: &Found<'_>,
        forked: &Forked,
        of: &BTreeMap<u64, Vec<Moment>>,
    ) -> [ByPath; 2] {
        let [mut all, mut mean, mut imbalance] = [(); 3].map(|()| ByPath::new());
        for moment in of.values().flatten() {
            *all.entry(forked.key(moment, false)).or_default() += moment.end - moment.begin;
        }
        for (path, ticks) in found.waits_by_path() {
            let busy = all.entry((forked.of(path), false)).or_default();
            *busy = busy.saturating_sub(ticks);
        }
        let locations = of.len() as u64;
        for (path, ticks) in &self.by_path {
            if path.0.is_empty() {
                continue;
            }
            let busy = all.get(path).copied().unwrap_or(0);
            mean.insert(path.clone(), busy / locations);
            let excess = (ticks * locations).saturating_sub(busy) / locations;
            imbalance.insert(path.clone(), excess);
        }
        mean.retain(|_, ticks| *ticks > 0);
        imbalance.retain(|_, ticks| *ticks > 0);
        [mean, imbalance]
    }
}
