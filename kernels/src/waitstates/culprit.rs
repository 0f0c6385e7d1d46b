//! Locations that made others wait.

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::call::Call;
use super::path::PathId;
use crate::matching::coding::{put, take};

/// The location that came last, and its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Culprit {
    /// The location.
    pub location: LocationRef,
    /// The call path of the call with which it came; [`PathId::ROOT`]: it was in none that is known.
    pub path: PathId,
    /// When it did what others waited for, in ticks.
    pub time: u64,
}

impl Culprit {
    /// A location with its call, and the time of what others waited for.
    pub fn new(location: LocationRef, call: Option<Call>, time: u64) -> Self {
        Culprit { location, path: call.map_or(PathId::ROOT, |call| call.path), time }
    }

    /// Writes one that may not be there.
    pub fn put_any(culprit: Option<Culprit>, bytes: &mut Vec<u8>) {
        put(culprit.is_some().into(), bytes);
        if let Some(Culprit { location, path, time }) = culprit {
            put(location.0, bytes);
            path.put(None, bytes);
            put(time, bytes);
        }
    }

    /// Reads what [`Culprit::put_any`] has written.
    pub fn take_any(bytes: &mut &[u8]) -> Option<Option<Culprit>> {
        Some(match take(bytes)? {
            0 => None,
            _ => Some(Culprit {
                location: LocationRef(take(bytes)?),
                path: PathId::take(None, bytes)?,
                time: take(bytes)?,
            }),
        })
    }
}
