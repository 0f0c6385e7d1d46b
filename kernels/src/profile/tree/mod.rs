//! The call tree: a node for each call path.

pub(super) mod cached;
pub(super) mod children;
pub(super) mod chosen;
pub(super) mod content;
pub(super) mod contexts;
pub(super) mod own;
pub(super) mod own_numbers;
pub(super) mod programs;
pub(super) mod step;

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::RegionRef;

use super::tree::children::{Index, IndexFinder};
use super::tree::own_numbers::Renumbering;
use super::tree::step::Step;

/// A call path in a [`CallTree`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct PathIndex(pub u32);

impl PathIndex {
    /// The path of no region: the location itself.
    pub const ROOT: PathIndex = PathIndex(0);

    /// As an index.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Call paths, each as its parent and one step from there. Parents come first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallTree {
    nodes: Vec<Node>,
    /// How many regions are open on each of them; [`DEEP`] from [`Step::Rest`] on.
    depths: Vec<u32>,
    /// The children by regions.
    #[serde(skip)]
    children: Index,
    /// All other children.
    #[serde(skip)]
    others: HashMap<(PathIndex, Step), PathIndex, RandomState>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node {
    parent: PathIndex,
    step: Step,
}

/// The call paths that are kept. Visits on deeper ones are counted below [`Step::Rest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// No more paths than these, unless there are more of no depth at all: the depth is the largest one at which that
    /// holds.
    pub most: usize,
    /// No paths on which more regions are open than these; [`u32::MAX`]: all.
    pub depth: u32,
}

impl Kept {
    /// All of them.
    pub const ALL: Kept = Kept { most: usize::MAX, depth: DEEP };
}

impl Default for Kept {
    fn default() -> Self {
        Kept::ALL
    }
}

/// The depth of all paths from a [`Step::Rest`] on.
pub(crate) const DEEP: u32 = u32::MAX;

#[inline(always)]
fn key(parent: PathIndex, region: RegionRef) -> u64 {
    u64::from(parent.0) << 32 | u64::from(region.0)
}

/// Finds the paths of a tree to which nothing is added.
#[derive(Clone, Copy)]
pub(crate) struct Finder<'a>(IndexFinder<'a>);

impl Finder<'_> {
    /// The path of `region` entered from `parent`, where it exists.
    #[inline(always)]
    pub(crate) fn find(self, parent: PathIndex, region: RegionRef) -> Option<PathIndex> {
        self.0.get(key(parent, region)).map(PathIndex)
    }
}

impl Default for CallTree {
    fn default() -> Self {
        let step = Step::Region(RegionRef::UNDEFINED);
        let root = Node { parent: PathIndex::ROOT, step };
        CallTree {
            nodes: vec![root],
            depths: vec![0],
            children: Index::default(),
            others: HashMap::default(),
        }
    }
}

impl CallTree {
    /// How many call paths there are, the root included.
    #[allow(clippy::len_without_is_empty)] // there always is a root
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The path from which this one is entered; the root's is the root.
    pub fn parent(&self, path: PathIndex) -> PathIndex {
        self.nodes[path.index()].parent
    }

    /// The last step.
    #[inline(always)]
    pub fn step(&self, path: PathIndex) -> Step {
        self.nodes[path.index()].step
    }

    /// The last steps of all paths but the root.
    pub(super) fn steps(&self) -> impl Iterator<Item = Step> + Clone + '_ {
        self.nodes[1..].iter().map(|node| node.step)
    }

    /// All paths but the root, parents first.
    pub fn paths(&self) -> impl Iterator<Item = PathIndex> {
        (1..self.nodes.len() as u32).map(PathIndex)
    }

    /// How many regions are open there.
    #[inline(always)]
    pub fn depth(&self, path: PathIndex) -> u32 {
        self.depths[path.index()]
    }

    /// The path of one more step from `parent`, which is made where it does not exist.
    ///
    /// # Panics
    ///
    /// When there are 2^32 - 1 paths, for which there is no memory either.
    pub fn child(&mut self, parent: PathIndex, step: Step) -> PathIndex {
        self.find(parent, step).unwrap_or_else(|| self.add(parent, step))
    }

    /// The path of one more step from `parent`, where it exists.
    pub fn find(&self, parent: PathIndex, step: Step) -> Option<PathIndex> {
        match step {
            Step::Region(region) => self.finder().find(parent, region),
            _ => self.others.get(&(parent, step)).copied(),
        }
    }

    /// Finds paths of regions while nothing is added.
    #[inline(always)]
    pub(super) fn finder(&self) -> Finder<'_> {
        Finder(self.children.finder())
    }

    /// One more path that no step leads to, like the root: what it stands for is not known yet.
    ///
    /// # Panics
    ///
    /// Those of [`CallTree::child`].
    pub(super) fn detached(&mut self) -> PathIndex {
        let path = self.next();
        let step = Step::Region(RegionRef::UNDEFINED);
        self.push(Node { parent: PathIndex::ROOT, step }, 0);
        path
    }

    /// The path that is made next.
    fn next(&self) -> PathIndex {
        let number = u32::try_from(self.nodes.len()).ok().filter(|n| *n < u32::MAX);
        PathIndex(number.expect("fewer than 2^32 call paths"))
    }

    fn add(&mut self, parent: PathIndex, step: Step) -> PathIndex {
        let path = self.next();
        self.put(parent, step, path);
        let depth = match step {
            Step::Rest => DEEP,
            Step::Region(_) => self.depth(parent).saturating_add(1),
            _ => self.depth(parent),
        };
        self.push(Node { parent, step }, depth);
        path
    }

    fn push(&mut self, node: Node, depth: u32) {
        self.nodes.push(node);
        self.depths.push(depth);
    }

    /// Notes under which key a path is found.
    fn put(&mut self, parent: PathIndex, step: Step, path: PathIndex) {
        match step {
            Step::Region(region) => self.children.insert(key(parent, region), path.0),
            _ => {
                self.others.insert((parent, step), path);
            }
        }
    }

    /// Makes the paths of another tree here, and returns where each of them went.
    pub fn graft(&mut self, other: &CallTree) -> Vec<PathIndex> {
        let mut to = vec![PathIndex::ROOT];
        for node in &other.nodes[1..] {
            to.push(self.child(to[node.parent.index()], node.step));
        }
        to
    }

    /// Makes those paths of another tree here that are wanted, and the ones above them.
    pub(crate) fn graft_some(
        &mut self,
        other: &CallTree,
        mut is_wanted: impl FnMut(PathIndex) -> bool,
    ) {
        let mut wanted: Vec<bool> = vec![false; other.len()];
        // Parents come first.
        for number in (1..other.len()).rev() {
            let path = PathIndex(number as u32);
            wanted[number] |= is_wanted(path);
            wanted[other.parent(path).index()] |= wanted[number];
        }
        let mut to = vec![PathIndex::ROOT; other.len()];
        for path in other.paths().filter(|path| wanted[path.index()]) {
            to[path.index()] = self.child(to[other.parent(path).index()], other.step(path));
        }
    }

    /// The path for visits of a region that are deeper than call paths are kept. `base`: the path on which they hang;
    /// `is_inside`: they are inside of other visits of the region.
    pub(super) fn rest(
        &mut self,
        base: PathIndex,
        region: RegionRef,
        is_inside: bool,
    ) -> PathIndex {
        let rest = self.child(base, Step::Rest);
        let outer = self.child(rest, Step::Region(region));
        match is_inside {
            true => self.child(outer, Step::Region(region)),
            false => outer,
        }
    }

    /// The innermost path around each path, or that one itself, on which no more regions are open than `depth`.
    pub(super) fn bases(&self, depth: u32) -> Vec<PathIndex> {
        let mut bases: Vec<PathIndex> = Vec::with_capacity(self.len());
        // Parents come first.
        for (path, node) in (0..).map(PathIndex).zip(&self.nodes) {
            bases.push(match self.depth(path) <= depth {
                true => path,
                false => bases[node.parent.index()],
            });
        }
        bases
    }

    /// The most regions that are open on a path that is kept as such.
    pub(super) fn deepest(&self) -> u32 {
        self.depths.iter().copied().filter(|depth| *depth < DEEP).max().unwrap_or(0)
    }

    /// The same tree with deeper paths below [`Step::Rest`], and where each path went. `None`: it has more paths than
    /// `most`.
    ///
    /// The tree is the one that comes out if deeper paths are never made. It has the fewer paths, the smaller the
    /// depth is.
    pub(super) fn cut(&self, depth: u32, most: usize) -> Option<(CallTree, Vec<PathIndex>)> {
        let bases = self.bases(depth);
        let mut children: Vec<Vec<PathIndex>> = vec![Vec::new(); self.len()];
        self.paths().for_each(|path| children[self.parent(path).index()].push(path));
        let mut cut = CallTree::default();
        let mut to = vec![PathIndex::ROOT; self.len()];
        let mut open: HashMap<RegionRef, u32, RandomState> = HashMap::default();
        // A path, and whether all below it are done.
        let mut left: Vec<(PathIndex, bool)> = vec![(PathIndex::ROOT, false)];
        while let Some((path, is_done)) = left.pop() {
            let step = self.step(path);
            let region = step.region().filter(|_| path != PathIndex::ROOT);
            if is_done {
                region.and_then(|of| open.get_mut(&of)).into_iter().for_each(|count| *count -= 1);
                continue;
            }
            if path != PathIndex::ROOT {
                let base = to[bases[path.index()].index()];
                to[path.index()] = match step {
                    _ if bases[path.index()] == path => {
                        cut.child(to[self.parent(path).index()], step)
                    }
                    Step::Region(region) => {
                        let is_inside = open.get(&region).is_some_and(|count| *count > 0);
                        cut.rest(base, region, is_inside)
                    }
                    Step::Rest => cut.child(base, step),
                    _ => cut.child(to[self.parent(path).index()], step),
                };
                if cut.len() > most {
                    return None;
                }
            }
            region.into_iter().for_each(|region| *open.entry(region).or_default() += 1);
            left.push((path, true));
            left.extend(children[path.index()].iter().map(|child| (*child, false)));
        }
        Some((cut, to))
    }

    /// The largest depth at which the tree has no more paths than `most`, itself at most `depth`; 0 if there is none.
    pub(super) fn depth_for(&self, most: usize, depth: u32) -> u32 {
        let (mut fits, mut above) = (0, depth.min(self.deepest()) + 1);
        // The number of paths grows with the depth: a binary search.
        while above - fits > 1 {
            let middle = fits + (above - fits) / 2;
            match self.cut(middle, most).is_some() {
                true => fits = middle,
                false => above = middle,
            }
        }
        fits
    }

    /// Gives regions and texts other numbers. Children are not found any more then.
    pub(super) fn renumber(&mut self, numbers: &Renumbering) {
        self.nodes.iter_mut().for_each(|node| node.step = numbers.step(node.step));
    }

    /// Makes the index by which children are found where it is missing: it does not travel with the
    /// tree.
    pub fn index(&mut self) {
        if !self.children.is_empty() || !self.others.is_empty() {
            return;
        }
        for number in 1..self.nodes.len() {
            let Node { parent, step, .. } = self.nodes[number];
            self.put(parent, step, PathIndex(number as u32));
        }
    }
}
