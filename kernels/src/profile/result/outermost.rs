//! Visits of a region that are not inside of another one with a time: each tick of the region once.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::window::{Earlier, EarlierSums, TakenBackSums};
use super::{rows_of_regions, PathRow};
use crate::profile::tree::step::Step;
use crate::profile::tree::{CallTree, PathIndex};

type Ticks = HashMap<Step, u128, RandomState>;

/// Paths whose visits are the outermost ones of their region with a time: no path above has the region and any time. A
/// visit that never ends has none. A parameter is no visit of its own.
///
/// The profile up to the end of a window of time may say another thing of a path than that up to its begin, where a path
/// above has got its first time since, or has none any more.
#[derive(Default)]
pub(super) struct Outermost {
    /// By index of the path: whether its visits are the outermost ones.
    pub paths: Vec<bool>,
    /// Time before the window of paths that are outermost ones now and were not then, by row of the table of regions.
    pub gained: Ticks,
    /// The same of those that were then and are not now.
    pub lost: Ticks,
}

impl Outermost {
    /// Of these paths, and their rows of the table of regions.
    pub(super) fn of(paths: &[PathRow], rows: &[Option<Step>]) -> Self {
        let have_time = paths.iter().map(|path| path.row.closed > 0 || path.row.inclusive > 0);
        Outermost { paths: outermost(paths, rows, have_time.collect()), ..Outermost::default() }
    }

    /// Of a window of time: of all paths, with their indices; those that are shown, with theirs; and what was before the
    /// window, and is taken back of that.
    pub(super) fn of_window(
        tree: &CallTree,
        (every, order): (Vec<PathRow>, Vec<u32>),
        shown: impl Iterator<Item = (PathIndex, u32)>,
        (earlier, taken_back): (&EarlierSums, &TakenBackSums),
    ) -> Self {
        let rows = rows_of_regions(&every);
        let mut before = vec![Earlier::default(); every.len()];
        let mut had_time = vec![false; every.len()];
        let mut have_time = vec![false; every.len()];
        for path in tree.paths() {
            let (of, index) = (earlier.of(path), order[path.index()] as usize);
            let row = &every[index].row;
            let inclusive = of.inclusive + row.inclusive;
            before[index] = of;
            had_time[index] = of.closed > 0 || of.inclusive > 0;
            have_time[index] =
                of.closed > 0 || row.closed > 0 || inclusive > taken_back.inclusive(path);
        }
        let then = outermost(&every, &rows, had_time);
        let now = outermost(&every, &rows, have_time);
        let mut found = Outermost::default();
        for (index, row) in rows.iter().enumerate() {
            let (Some(row), Earlier { inclusive, .. }) = (*row, before[index]) else { continue };
            let moved = match (then[index], now[index]) {
                (false, true) => &mut found.gained,
                (true, false) => &mut found.lost,
                _ => continue,
            };
            if inclusive > 0 {
                *moved.entry(row).or_default() += inclusive;
            }
        }
        let mut shown: Vec<_> = shown.collect();
        shown.sort_unstable_by_key(|(_, index)| *index);
        found.paths = shown.iter().map(|(path, _)| now[order[path.index()] as usize]).collect();
        found
    }
}

/// Tells for each path whether its visits are the outermost ones, given which paths have time.
fn outermost(paths: &[PathRow], rows: &[Option<Step>], mut have_time: Vec<bool>) -> Vec<bool> {
    let mut outermost = Vec::with_capacity(paths.len());
    let mut open: HashMap<Step, u32, RandomState> = HashMap::default();
    let mut stack: Vec<Option<Step>> = Vec::new();
    // Times of parameters count for the path above, which they follow.
    for (index, path) in paths.iter().enumerate().rev() {
        if let (Step::Parameter(..), Some(above)) = (path.step, path.parent) {
            have_time[above as usize] |= have_time[index];
        }
    }
    for ((path, row), has_time) in paths.iter().zip(rows).zip(have_time) {
        for left in stack.drain(path.depth as usize..).flatten() {
            *open.entry(left).or_default() -= 1;
        }
        let is_visit = !matches!(path.step, Step::Parameter(..));
        let counts = is_visit && has_time;
        stack.push(row.filter(|_| counts));
        let Some(row) = *row else {
            outermost.push(false);
            continue;
        };
        let count = open.entry(row).or_default();
        outermost.push(*count == u32::from(!is_visit));
        *count += u32::from(counts);
    }
    outermost
}
