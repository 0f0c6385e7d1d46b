//! The state of a worker, and the facts that it finds.

use streamfold_model::ids::LocationRef;

use super::OpenRegions;
use crate::matching::{Lanes, Outgoing, PartnerCache, RequestRoom};
use crate::waitstates::classes::Classes;
use crate::waitstates::collectives::Member;
use crate::waitstates::meetings::Attendance;
use crate::waitstates::messages::MessageEnd;
use crate::waitstates::path::{PathId, PathIds};
use crate::waitstates::requests::{Completed, Participated, Posted, Start};
use crate::waitstates::severity::LeftOut;
use crate::waitstates::windows::EpochLanes;

/// State of a worker, used for one location after another.
pub(in crate::waitstates) struct Room<'s> {
    pub classes: Classes<'s>,
    pub ids: PathIds,
    pub sends: Lanes<MessageEnd>,
    pub receives: Lanes<MessageEnd>,
    pub requests: RequestRoom<'s, Posted, Completed>,
    pub operations: RequestRoom<'s, Start, Participated>,
    pub members: Lanes<Member>,
    pub attendances: Lanes<Attendance>,
    pub epochs: EpochLanes<'s>,
    pub to_sends: Outgoing<'s>,
    pub to_receives: Outgoing<'s>,
    pub to_members: Outgoing<'s>,
    pub to_attendances: Outgoing<'s>,
    pub cache: PartnerCache,
    pub found: Recorded,
}

/// Facts from the scans of all locations.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Recorded {
    /// Numbers of items that were left out.
    pub left_out: std::collections::BTreeMap<LeftOut, u64>,
    /// Set if any collective operation recorded its bytes.
    pub sizes_known: bool,
    /// Set if any collective operation moves data.
    pub moved_data: bool,
    /// Set if there are teams of OpenMP.
    pub openmp: bool,
    /// Own time that was forking and joining teams: location, path and ticks. Set if others were idle around it.
    pub moved: Vec<(LocationRef, PathId, u64, bool)>,
    /// Own time that visits inside of dropped visits count, too: location, path and ticks.
    pub counted_twice: Vec<(LocationRef, PathId, u64)>,
    /// Locations that never left a parallel region.
    pub open_regions: Vec<OpenRegions>,
    /// Locations whose last event flushed the buffer, with its end in ticks.
    pub flushed: Vec<(LocationRef, u64)>,
    /// Threads that were created one by one.
    pub created: Vec<LocationRef>,
}

impl Recorded {
    pub(in crate::waitstates) fn leave_out(&mut self, what: LeftOut, count: u64) {
        if count > 0 {
            *self.left_out.entry(what).or_default() += count;
        }
    }

    /// Both together.
    #[must_use]
    pub fn fold(mut self, mut other: Recorded) -> Recorded {
        for (what, count) in other.left_out {
            self.leave_out(what, count);
        }
        self.sizes_known |= other.sizes_known;
        self.moved_data |= other.moved_data;
        self.openmp |= other.openmp;
        self.moved.append(&mut other.moved);
        self.counted_twice.append(&mut other.counted_twice);
        self.open_regions.append(&mut other.open_regions);
        self.flushed.append(&mut other.flushed);
        self.created.append(&mut other.created);
        self
    }
}
