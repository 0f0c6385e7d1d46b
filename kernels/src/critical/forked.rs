//! Call paths of the workers of teams, as those of the threads that fork the teams.
//!
//! A call path of a worker begins with the parallel region, that of the thread that forks it above it. Both are the same
//! code: where only one call path leads to it, times of workers count there.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::store::Definitions;

use super::on_path::OnPathTimes;
use crate::delays::Parallel;
use crate::matching::paths::PathNumbers;
use crate::profile::{Profile, Step};
use crate::waitstates::{OnPathPlace, PathId};

/// Call paths of workers, with those of the threads that fork.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forked(HashMap<PathId, PathId, RandomState>);

/// Call paths of one code in a parallel region.
#[derive(Clone, Copy, Debug, Default)]
struct Same {
    /// The one that begins with the region.
    worker: Option<u32>,
    /// One that leads to it, and the number of all.
    forking: (u32, u32),
}

impl Forked {
    /// Those of a profile.
    pub fn new(profile: &Profile, numbers: &PathNumbers, definitions: &Definitions) -> Self {
        let parallel = Parallel::new(definitions);
        let rows = profile.paths.iter().map(|row| (row.parent, row.step));
        let rows = in_pairs(rows, |step| parallel.has(step));
        if rows.is_empty() {
            return Forked::default();
        }
        let ids: HashMap<u32, PathId, RandomState> =
            numbers.all().map(|(path, row)| (row, PathId(path))).collect();
        let id = |row: u32| ids.get(&row).copied();
        Forked(rows.into_iter().filter_map(|(of, to)| id(of).zip(id(to))).collect())
    }

    /// The call path at which the time of a call path counts.
    pub(super) fn of(&self, path: PathId) -> PathId {
        self.0.get(&path).copied().unwrap_or(path)
    }
}

/// Rows of workers, each with the only row that leads to the same code. Given rows in an order in which parents come
/// first: their parent, and their last step.
fn in_pairs(
    rows: impl Iterator<Item = (Option<u32>, Step)>,
    is_parallel: impl Fn(Step) -> bool,
) -> Vec<(u32, u32)> {
    // Of each row in a parallel region: its code, and whether its path begins with the outermost one.
    let mut of: Vec<Option<(u32, bool)>> = Vec::new();
    let mut codes: HashMap<(Option<u32>, Step), u32, RandomState> = HashMap::default();
    let mut same: Vec<Same> = Vec::new();
    for (number, (parent, step)) in (0..).zip(rows) {
        let above = parent.and_then(|parent| of[parent as usize]);
        if above.is_none() && !is_parallel(step) {
            of.push(None);
            continue;
        }
        let is_worker = above.map_or(parent.is_none(), |(_, is_worker)| is_worker);
        let next = codes.len() as u32;
        let code = *codes.entry((above.map(|(code, _)| code), step)).or_insert(next);
        if code == next {
            same.push(Same::default());
        }
        let all = &mut same[code as usize];
        match is_worker {
            true => all.worker = Some(number),
            false => all.forking = (number, all.forking.1 + 1),
        }
        of.push(Some((code, is_worker)));
    }
    let only = |same: Same| (same.forking.1 == 1).then_some(same.forking.0);
    same.into_iter().filter_map(|same| same.worker.zip(only(same))).collect()
}

impl OnPathTimes {
    /// The same times, those of workers where their teams were forked.
    #[must_use]
    pub fn as_forked(self, forked: &Forked) -> Self {
        let place = |of: OnPathPlace| OnPathPlace { path: forked.of(of.path), ..of };
        let mut times = OnPathTimes::default();
        for ((of, location), ticks) in self.by_path {
            *times.by_path.entry((place(of), location)).or_default() += ticks;
        }
        for (section, paths) in self.longest {
            let sums = times.longest.entry(section).or_default();
            paths.into_iter().for_each(|(of, ticks)| *sums.entry(place(of)).or_default() += ticks);
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::ids::RegionRef;

    use super::*;

    #[test]
    fn workers_are_where_one_path_leads_to() {
        let region = |parent: Option<u32>, region: u32| (parent, Step::Region(RegionRef(region)));
        // Regions 10 and 11 are parallel; 11 is forked at two places, inside of 12 at one only.
        let rows = [
            region(None, 0),
            region(Some(0), 10),
            region(Some(1), 12),
            region(Some(0), 11),
            region(Some(3), 12),
            region(Some(2), 11),
            region(None, 10),
            region(Some(6), 12),
            region(Some(6), 13),
            region(None, 11),
            region(Some(9), 12),
            region(Some(7), 11),
            region(Some(0), 1),
            region(Some(12), 11),
        ];
        let is_parallel = |step| [10, 11].map(|of| Step::Region(RegionRef(of))).contains(&step);
        let mut pairs = in_pairs(rows.into_iter(), is_parallel);
        pairs.sort_unstable();
        assert_eq!(pairs, [(6, 1), (7, 2), (10, 4), (11, 5)]);
    }
}
