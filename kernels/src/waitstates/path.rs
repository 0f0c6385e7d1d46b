//! Call paths as they travel between ranks.

use serde::{Deserialize, Serialize};

use crate::matching::coding::{put, take};
use crate::matching::paths::PathHashes;
use crate::profile::{CallTree, PathIndex};

/// A call path, by the number that [`PathHashes`] give it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
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

/// The innermost open region of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OnPathPlace {
    /// Its call path; [`PathId::ROOT`]: outside of all regions.
    pub path: PathId,
    /// Set if a team is forked or joined then.
    pub forking: bool,
}

impl OnPathPlace {
    /// Writes it.
    pub(crate) fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(self.forking.into());
        self.path.put(Some(PathId::ROOT), bytes);
    }

    /// Reads what [`OnPathPlace::put`] has written.
    pub(crate) fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (forking, rest) = bytes.split_first()?;
        *bytes = rest;
        let path = PathId::take(Some(PathId::ROOT), bytes)?;
        Some(OnPathPlace { path, forking: *forking == 1 })
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
