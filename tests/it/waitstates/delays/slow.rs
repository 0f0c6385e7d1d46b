//! Costs of delays in the simplest way: all of a run is held as stretches of time, and looked through for each wait.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A stretch of time in one region.
#[derive(Clone, Debug)]
pub struct Stretch {
    pub begin: u64,
    pub end: u64,
    pub path: String,
}

/// A wait of a location for another one.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    pub location: u64,
    pub begin: u64,
    pub end: u64,
    pub cause: u64,
    /// What is passed on is rounded for each kind of wait.
    pub kind: &'static str,
}

/// An operation at which locations were together.
#[derive(Clone, Debug)]
pub struct Sync {
    pub locations: Vec<u64>,
    pub time: u64,
}

/// The name of time outside of all regions.
pub const OUTSIDE: &str = "(outside)";

/// All of a run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub stretches: BTreeMap<u64, Vec<Stretch>>,
    pub waits: Vec<Wait>,
    pub syncs: Vec<Sync>,
}

/// Direct and long-term costs by location and call path, and what is not explained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    pub of: BTreeMap<(u64, String), [u64; 2]>,
    pub not_explained: u64,
}

impl Run {
    /// The time of a location by call path between two times, without its waits. Before its first stretch it is
    /// outside of all regions.
    fn own(&self, location: u64, (begin, end): (u64, u64)) -> BTreeMap<&str, u64> {
        let mut own = BTreeMap::new();
        let first = self.stretches[&location].first().map_or(0, |of| of.begin);
        own.insert(OUTSIDE, first.min(end).saturating_sub(begin));
        for of in &self.stretches[&location] {
            let (from, to) = (of.begin.max(begin), of.end.min(end));
            let waits = self.waits.iter().filter(|wait| wait.location == location);
            let waited = waits.map(|wait| wait.end.min(to).saturating_sub(wait.begin.max(from)));
            let ticks = to.saturating_sub(from) - waited.sum::<u64>();
            *own.entry(&of.path[..]).or_default() += ticks;
        }
        own
    }

    /// When two locations were together the last time before a time, or the begin of the run.
    fn together(&self, pair: [u64; 2], before: u64) -> u64 {
        let has_both = |sync: &&Sync| pair.iter().all(|one| sync.locations.contains(one));
        let times = self.syncs.iter().filter(has_both).map(|sync| sync.time);
        let begin = self.stretches.values().filter_map(|of| of.first()).map(|of| of.begin).min();
        times.filter(|time| *time < before).max().or(begin).unwrap_or(0).min(before)
    }

    /// The costs of all delays.
    pub fn costs(&self) -> Costs {
        let mut costs = Costs::default();
        let mut order: Vec<usize> = (0..self.waits.len()).collect();
        order.sort_by_key(|number| {
            let wait = &self.waits[*number];
            (Reverse(wait.end), wait.location, wait.begin)
        });
        // Costs that each wait got from later ones.
        let mut received: Vec<BTreeMap<&str, u64>> = vec![BTreeMap::new(); self.waits.len()];
        for number in &order {
            let Wait { location, begin, end, cause, kind } = self.waits[*number];
            let from = self.together([location, cause], begin);
            let waiting = self.own(location, (from, begin));
            let delaying = self.own(cause, (from, end));
            let mut delays: Vec<(u64, &str)> = delaying
                .into_iter()
                .map(|(path, ticks)| {
                    (ticks.saturating_sub(waiting.get(path).copied().unwrap_or(0)), path)
                })
                .filter(|(ticks, _)| *ticks > 0)
                .collect();
            delays.sort_by_key(|(ticks, _)| Reverse(*ticks));
            let is_inside = |other: &&usize| {
                let other = &self.waits[**other];
                other.location == cause && from < other.end && other.end < end
            };
            let inside: Vec<usize> = order.iter().filter(is_inside).copied().collect();
            let length = |number: usize| self.waits[number].end - self.waits[number].begin;
            let parts = delays.iter().map(|(ticks, _)| *ticks);
            let parts: Vec<u64> = parts.chain(inside.iter().map(|wait| length(*wait))).collect();
            let whole: u64 = parts.iter().sum();
            let own = (end - begin).min(whole);
            costs.not_explained += end - begin - own;
            if whole == 0 {
                costs.not_explained += received[*number].values().sum::<u64>();
                continue;
            }
            let of_later = std::mem::take(&mut received[*number]);
            let of_later = of_later.into_iter().map(|(kind, mass)| (false, kind, mass));
            for (is_own, kind, mass) in of_later.chain([(true, kind, own)]) {
                for (place, share) in shares(mass, &parts).into_iter().enumerate() {
                    match delays.get(place) {
                        Some((_, path)) => {
                            let cost = costs.of.entry((cause, (*path).to_owned())).or_default();
                            cost[usize::from(!is_own)] += share;
                        }
                        None => {
                            let earlier = &mut received[inside[place - delays.len()]];
                            *earlier.entry(kind).or_default() += share;
                        }
                    }
                }
            }
        }
        costs.of.retain(|_, cost| *cost != [0, 0]);
        costs
    }
}

/// A number in proportion to parts: the first parts together get what they should, rounded down.
fn shares(mass: u64, parts: &[u64]) -> Vec<u64> {
    let whole: u64 = parts.iter().sum();
    let upto = |count: usize| {
        let sum: u64 = parts[..count].iter().sum();
        (u128::from(mass) * u128::from(sum) / u128::from(whole)) as u64
    };
    (0..parts.len()).map(|place| upto(place + 1) - upto(place)).collect()
}
