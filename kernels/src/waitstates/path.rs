//! Call paths as they travel between ranks.

use crate::matching::coding::{put, take};
use crate::matching::paths::PathHashes;
use crate::profile::{CallTree, PathIndex};

/// A call path, by the number that [`PathHashes`] give it.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct PathId(pub u64);

impl PathId {
    /// Outside of all regions.
    pub const ROOT: PathId = PathId(0);

    /// Writes it, given the one before: most often it is the same.
    pub fn put(self, before: Option<PathId>, bytes: &mut Vec<u8>) {
        let same = before == Some(self);
        put(same.into(), bytes);
        if !same {
            bytes.extend_from_slice(&self.0.to_le_bytes());
        }
    }

    /// Reads what [`PathId::put`] has written.
    pub fn take(before: Option<PathId>, bytes: &mut &[u8]) -> Option<PathId> {
        if take(bytes)? == 1 {
            return before;
        }
        let (path, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(PathId(u64::from_le_bytes(*path)))
    }
}

/// The paths of a growing tree.
#[derive(Debug, Default)]
pub(crate) struct PathIds(PathHashes);

impl PathIds {
    /// That of a path of the tree.
    #[inline]
    pub(crate) fn of(&mut self, path: PathIndex, tree: &CallTree) -> PathId {
        PathId(self.0.of(path, tree))
    }
}
