//! The boxes of a flame graph: which call paths are wide enough, and where each begins.

use super::FlamePath;

/// Paths narrower than this part of the whole share one box with their like.
const NARROW: u128 = 1000;
/// Levels that are drawn: what is deeper belongs to the last one.
const LEVELS: u32 = 200;

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlameBox {
    pub name: String,
    pub depth: u32,
    /// Width of everything at its left.
    pub begin: u128,
    /// How wide it is.
    pub wide: u128,
    /// Its path; `None`: it stands for several.
    pub path: Option<usize>,
}

/// All of them: the first one stands for everything.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Boxes {
    pub all: Vec<FlameBox>,
    pub total: u128,
    /// Paths that have no box of their own.
    pub narrow: u64,
}

/// Returns the inclusive value of each path: its own, and that of all paths below. Paths stand before those below them.
pub fn with_below(paths: &[FlamePath], own: impl Fn(usize) -> u128) -> Vec<u128> {
    let mut whole: Vec<u128> = (0..paths.len()).map(own).collect();
    for (at, path) in paths.iter().enumerate().rev() {
        if let Some(parent) = path.parent {
            whole[parent as usize] = whole[parent as usize].saturating_add(whole[at]);
        }
    }
    whole
}

impl Boxes {
    /// `root`: what everything together is called.
    pub(super) fn new(root: &str, paths: &[FlamePath]) -> Self {
        let wide = with_below(paths, |at| paths[at].own);
        let of_roots = paths.iter().zip(&wide).filter(|(path, _)| path.parent.is_none());
        let total = of_roots.fold(0u128, |sum, (_, wide)| sum.saturating_add(*wide));
        let mut boxes = Boxes { all: Vec::new(), total, narrow: 0 };
        if total == 0 {
            return boxes;
        }
        let name = root.to_owned();
        boxes.all.push(FlameBox { name, depth: 0, begin: 0, wide: total, path: None });
        // `next`: left end of the next box below each path. `narrow`: number and width of the narrow paths below each.
        let mut next: Vec<u128> = vec![0; paths.len()];
        let mut drawn = vec![false; paths.len()];
        let mut depths: Vec<u32> = vec![0; paths.len()];
        let mut narrow: Vec<(u64, u128)> = vec![(0, 0); paths.len() + 1];
        let mut next_root = 0;
        for (at, path) in paths.iter().enumerate() {
            let wide = wide[at];
            let parent = path.parent.map(|parent| parent as usize);
            depths[at] = parent.map_or(0, |parent| depths[parent].saturating_add(1));
            if parent.is_some_and(|parent| !drawn[parent]) {
                boxes.narrow += u64::from(wide > 0);
                continue;
            }
            if wide.saturating_mul(NARROW) < total || depths[at] >= LEVELS {
                let of = &mut narrow[parent.unwrap_or(paths.len())];
                *of = (of.0 + u64::from(wide > 0), of.1 + wide);
                boxes.narrow += u64::from(wide > 0);
                continue;
            }
            let place = parent.map_or(&mut next_root, |parent| &mut next[parent]);
            let begin = *place;
            *place += wide;
            (next[at], drawn[at]) = (begin, true);
            let (name, depth) = (path.name.clone(), depths[at] + 1);
            boxes.all.push(FlameBox { name, depth, begin, wide, path: Some(at) });
        }
        // Narrow paths stand at the right of the others.
        for (place, (count, wide)) in narrow.into_iter().enumerate().filter(|(_, (_, w))| *w > 0) {
            let (begin, depth) = match next.get(place) {
                Some(begin) => (*begin, depths[place] + 2),
                None => (next_root, 1),
            };
            let name = match count {
                1 => "(1 narrow path)".to_owned(),
                count => format!("({count} narrow paths)"),
            };
            boxes.all.push(FlameBox { name, depth, begin, wide, path: None });
        }
        boxes
    }
}
