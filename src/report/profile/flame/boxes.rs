//! The boxes of a flame graph: which call paths are wide enough, and where each begins.

use streamfold_kernels::profile::{PathRow, Step};
use streamfold_kernels::time_map::WorkClass;

use super::ProfileReport;
use crate::report::names;

/// What is narrower than a part in so many is drawn together with its like.
const NARROW: u128 = 1000;
/// Levels that are drawn: what is deeper belongs to the last one.
const LEVELS: u32 = 200;

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlameBox {
    pub name: String,
    pub depth: u32,
    /// Ticks at its left, of all.
    pub begin: u128,
    /// Ticks that it stands for.
    pub ticks: u128,
    /// Its own ones among them; `None`: it stands for several paths.
    pub own: Option<u128>,
    pub visits: Option<u64>,
    pub class: Option<WorkClass>,
}

/// All of them: the first one stands for everything.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Boxes {
    pub all: Vec<FlameBox>,
    pub total: u128,
    /// Paths that have no box of their own.
    pub narrow: u64,
}

/// Times of paths with all that is below them. Paths stand before those that are entered from them.
fn whole_times(paths: &[PathRow]) -> Vec<u128> {
    let mut times: Vec<u128> = paths.iter().map(|path| path.row.exclusive).collect();
    for (at, path) in paths.iter().enumerate().rev() {
        if let Some(parent) = path.parent {
            times[parent as usize] += times[at];
        }
    }
    times
}

impl Boxes {
    pub fn new(report: &ProfileReport<'_>) -> Self {
        let paths = &report.profile.paths;
        let classes = report.work_classes();
        let times = whole_times(paths);
        let of_roots = paths.iter().zip(&times).filter(|(path, _)| path.parent.is_none());
        let total: u128 = of_roots.map(|(_, ticks)| *ticks).sum();
        let mut boxes = Boxes { all: Vec::new(), total, narrow: 0 };
        if total == 0 {
            return boxes;
        }
        let (own, visits, class) = (None, None, None);
        let name = "all threads".to_owned();
        boxes.all.push(FlameBox { name, depth: 0, begin: 0, ticks: total, own, visits, class });
        // Where the next path below a path begins, and what of those below is narrow: paths and ticks.
        let mut next: Vec<u128> = vec![0; paths.len()];
        let mut drawn = vec![false; paths.len()];
        let mut narrow: Vec<(u64, u128)> = vec![(0, 0); paths.len() + 1];
        let mut next_root = 0;
        for (at, path) in paths.iter().enumerate() {
            let ticks = times[at];
            let parent = path.parent.map(|parent| parent as usize);
            if parent.is_some_and(|parent| !drawn[parent]) {
                boxes.narrow += u64::from(ticks > 0);
                continue;
            }
            if ticks * NARROW < total || path.depth >= LEVELS {
                let place = parent.map_or(paths.len(), |parent| parent);
                let of = &mut narrow[place];
                *of = (of.0 + u64::from(ticks > 0), of.1 + ticks);
                boxes.narrow += u64::from(ticks > 0);
                continue;
            }
            let place = parent.map_or(&mut next_root, |parent| &mut next[parent]);
            let begin = *place;
            *place += ticks;
            (next[at], drawn[at]) = (begin, true);
            let class = match path.step {
                Step::Region(region) => classes.of(region),
                Step::MeasurementOff | Step::BufferFlush => WorkClass::Measurement,
                _ => WorkClass::Computation,
            };
            boxes.all.push(FlameBox {
                name: names::step(report.definitions, path.step),
                depth: path.depth + 1,
                begin,
                ticks,
                own: Some(path.row.exclusive),
                visits: Some(path.row.visits),
                class: Some(class),
            });
        }
        // What is narrow stands behind what is not.
        for (place, (count, ticks)) in narrow.into_iter().enumerate().filter(|(_, (_, t))| *t > 0) {
            let (begin, depth) = match paths.get(place) {
                Some(path) => (next[place], path.depth + 2),
                None => (next_root, 1),
            };
            let name = match count {
                1 => "(1 narrow path)".to_owned(),
                count => format!("({count} narrow paths)"),
            };
            boxes.all.push(FlameBox { name, depth, begin, ticks, own, visits, class });
        }
        boxes
    }
}
