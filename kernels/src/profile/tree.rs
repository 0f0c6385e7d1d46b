//! The call tree: a node for each call path.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::RegionRef;

/// A call path in a [`CallTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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

/// Call paths, each as its parent and the region entered from there. Parents come first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallTree {
    nodes: Vec<Node>,
    /// Seeded at random, since regions come from files that nobody vouches for.
    #[serde(skip)]
    children: HashMap<(PathIndex, RegionRef), PathIndex, RandomState>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node {
    parent: PathIndex,
    region: RegionRef,
}

impl Default for CallTree {
    fn default() -> Self {
        let root = Node { parent: PathIndex::ROOT, region: RegionRef::UNDEFINED };
        CallTree { nodes: vec![root], children: HashMap::default() }
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

    /// The region entered last.
    #[inline(always)]
    pub fn region(&self, path: PathIndex) -> RegionRef {
        self.nodes[path.index()].region
    }

    /// All paths but the root, parents first.
    pub fn paths(&self) -> impl Iterator<Item = PathIndex> {
        (1..self.nodes.len() as u32).map(PathIndex)
    }

    /// Whether the path is `region` entered from `parent`.
    #[inline(always)]
    pub fn is(&self, path: PathIndex, parent: PathIndex, region: RegionRef) -> bool {
        self.nodes.get(path.index()).is_some_and(|n| n.parent == parent && n.region == region)
            && path != PathIndex::ROOT
    }

    /// The path of `region` entered from `parent`, which is made where it does not exist.
    ///
    /// # Panics
    ///
    /// When there are 2^32 - 1 paths, for which there is no memory either.
    pub fn child(&mut self, parent: PathIndex, region: RegionRef) -> PathIndex {
        let nodes = &mut self.nodes;
        *self.children.entry((parent, region)).or_insert_with(|| {
            let path = PathIndex(nodes.len().try_into().expect("fewer than 2^32 call paths"));
            nodes.push(Node { parent, region });
            path
        })
    }

    /// The path of `region` entered from `parent`, where it exists.
    pub fn find(&self, parent: PathIndex, region: RegionRef) -> Option<PathIndex> {
        self.children.get(&(parent, region)).copied()
    }

    /// Makes the paths of another tree here, and returns where each of them went.
    pub fn graft(&mut self, other: &CallTree) -> Vec<PathIndex> {
        let mut to = vec![PathIndex::ROOT];
        for node in &other.nodes[1..] {
            to.push(self.child(to[node.parent.index()], node.region));
        }
        to
    }

    /// Makes the index by which children are found, which does not travel with the tree.
    pub fn index(&mut self) {
        let nodes = self.nodes.iter().enumerate().skip(1);
        let entry = |(i, node): (usize, &Node)| ((node.parent, node.region), PathIndex(i as u32));
        self.children = nodes.map(entry).collect();
    }
}
