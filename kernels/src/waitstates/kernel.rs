//! Wait states as a [`Kernel`].

use std::collections::HashSet;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::StreamSummary;

use super::classes::Classes;
use super::path::{PathId, PathIds};
use super::scan::{Recorded, Room, WaitScan, World};
use super::severity::LeftOut;
use super::threads::Threads;
use super::windows::EpochLanes;
use crate::adapt::LocalReferences;
use crate::matching::{
    Blocks, Lanes, Outgoing, PartnerCache, Partners, Processes, RequestRoom, Sink,
};
use crate::profile::{Partial, ProfileKernel, Worker};
use crate::Kernel;

/// Sinks for items that are compared with those of other locations.
#[derive(Clone, Copy)]
pub struct WaitSinks<'s> {
    /// Sends, as [`MessageEnd`](super::messages::MessageEnd).
    pub sends: &'s dyn Sink,
    /// Receives, the same.
    pub receives: &'s dyn Sink,
    /// Requests whose other ends other threads know, as [`Orphan`](crate::matching::requests::Orphan): those
    /// of messages.
    pub requests: &'s dyn Sink,
    /// Those of collective operations.
    pub operations: &'s dyn Sink,
    /// Collective operations, as [`Member`](super::collectives::Member), by communicator or window, and
    /// process.
    pub members: &'s dyn Sink,
    /// Meetings of threads and processes, as [`Attendance`](super::meetings::Attendance).
    pub attendances: &'s dyn Sink,
    /// Accesses to the memory of others, as [`EpochItem`](super::epochs::EpochItem).
    pub accesses: &'s dyn Sink,
    /// Exposures of memory to others, the same.
    pub exposures: &'s dyn Sink,
}

/// Finds what locations have to do with each other, and where their time goes.
pub struct WaitKernel<'d> {
    definitions: &'d Definitions,
    processes: &'d Processes,
    partners: &'d Partners<'d>,
    sinks: WaitSinks<'d>,
    threads: &'d Threads,
    profile: ProfileKernel<'d>,
}

/// The partial result: facts from the scans of locations, without items that went to sinks.
#[derive(Debug, Serialize, Deserialize)]
pub struct WaitPartial {
    /// The profile.
    pub profile: Partial,
    /// The rest.
    pub recorded: Recorded,
}

impl WaitPartial {
    /// Combines the facts of the whole trace with the times of a part of it. Call paths that are named stay, even if the
    /// part has no visit of them.
    #[must_use]
    pub fn timed_by(self, mut part: WaitPartial, named: &HashSet<PathId, RandomState>) -> Self {
        let (tree, mut ids) = (&self.profile.tree, PathIds::default());
        part.profile.tree.index();
        part.profile.tree.graft_some(tree, |path| named.contains(&ids.of(path, tree)));
        let Recorded { left_out, sizes_known, moved_data, openmp, created, .. } = self.recorded;
        let whole =
            Recorded { left_out, sizes_known, moved_data, openmp, created, ..part.recorded };
        WaitPartial { profile: part.profile, recorded: whole }
    }
}

impl WaitSinks<'_> {
    /// Nothing is compared.
    pub fn nowhere() -> Self {
        WaitSinks {
            sends: &Nowhere,
            receives: &Nowhere,
            requests: &Nowhere,
            operations: &Nowhere,
            members: &Nowhere,
            attendances: &Nowhere,
            accesses: &Nowhere,
            exposures: &Nowhere,
        }
    }
}

/// Drops everything.
struct Nowhere;

impl Sink for Nowhere {
    fn take(&self, _: &Blocks) {}
}

/// The state of a worker.
pub struct WaitWorker<'s> {
    profile: Worker,
    room: Room<'s>,
}

impl<'d> WaitKernel<'d> {
    /// For a trace. The profile is to have a sink for its times, see [`TimeSinks`](super::TimeSinks).
    pub fn new(
        definitions: &'d Definitions,
        processes: &'d Processes,
        partners: &'d Partners<'d>,
        threads: &'d Threads,
        sinks: WaitSinks<'d>,
        profile: ProfileKernel<'d>,
    ) -> Self {
        WaitKernel { definitions, processes, partners, threads, sinks, profile }
    }
}

impl<'d> Kernel for WaitKernel<'d> {
    type Worker = WaitWorker<'d>;
    type Scan<'w>
        = WaitScan<'w, 'd>
    where
        Self: 'w;
    type Partial = WaitPartial;

    fn worker(&self) -> WaitWorker<'d> {
        let WaitSinks { sends, receives, requests, operations, .. } = self.sinks;
        let WaitSinks { members, attendances, accesses, exposures, .. } = self.sinks;
        let room = Room {
            classes: Classes::new(self.definitions).with(self.profile.own()),
            ids: PathIds::default(),
            sends: Lanes::default(),
            receives: Lanes::default(),
            requests: RequestRoom::new(Outgoing::new(requests)),
            operations: RequestRoom::new(Outgoing::new(operations)),
            members: Lanes::default(),
            attendances: Lanes::default(),
            epochs: EpochLanes {
                accesses: Lanes::default(),
                exposures: Lanes::default(),
                to_accesses: Outgoing::new(accesses),
                to_exposures: Outgoing::new(exposures),
            },
            to_sends: Outgoing::new(sends),
            to_receives: Outgoing::new(receives),
            to_members: Outgoing::new(members),
            to_attendances: Outgoing::new(attendances),
            cache: PartnerCache::default(),
            found: Recorded::default(),
        };
        WaitWorker { profile: self.profile.worker(), room }
    }

    fn meet(&self, worker: &mut WaitWorker<'d>, local: LocalReferences) {
        self.profile.meet(&mut worker.profile, local);
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut WaitWorker<'d>,
        location: LocationRef,
    ) -> WaitScan<'w, 'd> {
        let WaitWorker { profile, room } = worker;
        let WaitKernel { definitions, processes, partners, threads, .. } = *self;
        let world = World { definitions, processes, partners, threads };
        WaitScan::new(self.profile.scan(profile, location), world, room, location)
    }

    fn end(&self, scan: WaitScan<'_, 'd>, summary: &StreamSummary) {
        self.profile.end(scan.end(), summary);
    }

    fn partial(&self, worker: WaitWorker<'d>) -> WaitPartial {
        let WaitWorker { profile, mut room } = worker;
        room.to_sends.hand_over();
        room.to_receives.hand_over();
        room.requests.hand_over();
        room.operations.hand_over();
        let untracked = room.requests.untracked() + room.operations.untracked();
        room.found.leave_out(LeftOut::Untracked, untracked);
        room.to_members.hand_over();
        room.to_attendances.hand_over();
        room.epochs.to_accesses.hand_over();
        room.epochs.to_exposures.hand_over();
        WaitPartial { profile: self.profile.partial(profile), recorded: room.found }
    }

    fn fold(&self, into: WaitPartial, other: WaitPartial) -> WaitPartial {
        WaitPartial {
            profile: self.profile.fold(into.profile, other.profile),
            recorded: into.recorded.fold(other.recorded),
        }
    }
}
