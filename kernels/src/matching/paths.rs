//! Messages with the call paths of both ends.
//!
//! Each worker has a call tree of its own, as for a profile, and an end of a message has to say on which
//! path it is to whoever joins it. So a path travels as a number that follows from its steps
//! alone ([`PathHashes`]), and becomes the row of the profile where all trees were folded
//! ([`PathNumbers`]): there it shows if two paths have the same.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::{FixedState, RandomState};
use serde::{Deserialize, Serialize};
use streamfold_model::calls::{Call, Calls};
use streamfold_model::events::*;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};
use streamfold_model::values::Ticks;

use super::block::{put_change, take_change, Item, Order};
use super::chosen::Chosen;
use super::join::Side;
use super::messages::{End, MessageEnd};
use super::partners::{Partners, Processes};
use super::scan::{Found, MatchKernel, MatchScan, Sinks, Worker};
use crate::adapt::{LocalReferences, References};
use crate::profile::{self, Before, CallTree, PathIndex, Profile, ProfileKernel, Step};
use crate::Kernel;

/// An end of a message, and where in the call tree it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathEnd {
    /// The end.
    pub end: End,
    /// The path of its record, see [`PathHashes`].
    pub path: u64,
}

impl Item for PathEnd {
    const REVOCABLE: bool = true;

    fn order(&self) -> Order {
        self.end.posted
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        self.end.put(before.map(|before| &before.end), bytes);
        put_change(self.path, before.map_or(0, |before| before.path), bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let end = End::take(before.map(|before| &before.end), location, bytes)?;
        let path = take_change(before.map_or(0, |before| before.path), bytes)?;
        Some(PathEnd { end, path })
    }
}

impl MessageEnd for PathEnd {
    fn new(end: End, path: u64) -> Self {
        PathEnd { end, path }
    }

    fn posted_at(self, posted: Order) -> Self {
        PathEnd { end: self.end.posted_at(posted), ..self }
    }
}

/// Numbers of the paths of a tree that follow from their steps: the same in any tree. The root's is 0.
#[derive(Clone, Debug, Default)]
pub struct PathHashes {
    hashes: Vec<u64>,
}

impl PathHashes {
    /// That of a path.
    #[inline]
    pub fn of(&mut self, path: PathIndex, tree: &CallTree) -> u64 {
        if path.index() >= self.hashes.len() {
            self.grow(tree);
        }
        self.hashes[path.index()]
    }

    fn grow(&mut self, tree: &CallTree) {
        let begin = self.hashes.len();
        for number in begin..tree.len() {
            let path = PathIndex(number as u32);
            let hash = match path {
                PathIndex::ROOT => 0,
                _ => hash(self.hashes[tree.parent(path).index()], tree.step(path)),
            };
            self.hashes.push(hash);
        }
    }
}

/// One step further.
pub(crate) fn hash(above: u64, step: Step) -> u64 {
    let state = FixedState::default();
    match step {
        Step::Region(region) => state.hash_one((above, 1u8, region)),
        Step::Task(region) => state.hash_one((above, 3u8, region)),
        other => state.hash_one((above, 4u8, other)),
    }
}

/// Numbers of paths in the profile of all locations.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PathNumbers {
    /// `None` if two paths have one hash.
    of: HashMap<u64, Option<u32>, RandomState>,
}

impl PathNumbers {
    /// Finishes the profile of all locations.
    pub fn new(partial: profile::Partial, definitions: &Definitions) -> (Profile, PathNumbers) {
        let mut hashes = PathHashes::default();
        hashes.grow(&partial.tree);
        let (profile, order) = Profile::new(partial, definitions);
        let mut of: HashMap<u64, Option<u32>, RandomState> = HashMap::default();
        of.insert(0, None);
        for (hash, row) in hashes.hashes.iter().zip(&order).skip(1) {
            of.entry(*hash).and_modify(|row| *row = None).or_insert(Some(*row));
        }
        (profile, PathNumbers { of })
    }

    /// The row of [`Profile::paths`]; `None` where no region was open.
    pub fn row(&self, hash: u64) -> Option<u32> {
        self.of.get(&hash).copied().flatten()
    }

    /// All that have a row, with it.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.of.iter().filter_map(|(hash, row)| Some((*hash, (*row)?)))
    }

    /// Paths that cannot be told from others: as good as never, unless somebody has made them so.
    pub fn unclear(&self) -> usize {
        self.of.values().filter(|row| row.is_none()).count() - 1
    }
}

/// Result of the scan of all locations, with call paths.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FoundWithPaths {
    /// Result of the matching kernel.
    pub found: Found,
    /// The call paths, and the time on each.
    pub profile: profile::Partial,
}

/// Matching kernel that also finds the call paths of messages: their ends are sent as [`PathEnd`].
pub struct PathKernel<'d> {
    matching: MatchKernel<'d, PathEnd>,
    profile: ProfileKernel<'d>,
}

/// State of a thread.
pub struct PathWorker<'d> {
    matching: Worker<'d, PathEnd>,
    profile: profile::Worker,
    hashes: PathHashes,
}

impl<'d> PathKernel<'d> {
    /// For a trace, whose locations have these references.
    pub fn new(
        definitions: &'d Definitions,
        references: &'d References<'d>,
        processes: &'d Processes,
        partners: &'d Partners<'d>,
        sinks: Sinks<'d>,
    ) -> Self {
        let matching = MatchKernel::of_ends(definitions, processes, partners, sinks);
        PathKernel { matching, profile: ProfileKernel::new(definitions).over(references) }
    }

    /// Only this counts.
    pub fn choose(self, chosen: &'d Chosen) -> Self {
        PathKernel { matching: self.matching.choose(chosen), ..self }
    }
}

impl<'d> Kernel for PathKernel<'d> {
    type Worker = PathWorker<'d>;
    type Scan<'w>
        = PathScan<'w, 'd>
    where
        Self: 'w;
    type Partial = FoundWithPaths;

    fn worker(&self) -> PathWorker<'d> {
        let (matching, profile) = (self.matching.worker(), self.profile.worker());
        PathWorker { matching, profile, hashes: PathHashes::default() }
    }

    fn meet(&self, worker: &mut PathWorker<'d>, local: LocalReferences) {
        self.profile.meet(&mut worker.profile, local);
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut PathWorker<'d>,
        location: LocationRef,
    ) -> PathScan<'w, 'd> {
        let PathWorker { matching, profile, hashes } = worker;
        let matching = self.matching.scan(matching, location);
        PathScan { matching, way: self.profile.way(profile, location), hashes }
    }

    fn end(&self, scan: PathScan<'_, 'd>, summary: &StreamSummary) {
        self.matching.end(scan.matching, summary);
        self.profile.end_way(scan.way, summary);
    }

    fn partial(&self, worker: PathWorker<'d>) -> FoundWithPaths {
        let PathWorker { matching, profile, .. } = worker;
        FoundWithPaths {
            found: self.matching.partial(matching),
            profile: self.profile.partial(profile),
        }
    }

    fn fold(&self, into: FoundWithPaths, other: FoundWithPaths) -> FoundWithPaths {
        FoundWithPaths {
            found: self.matching.fold(into.found, other.found),
            profile: self.profile.fold(into.profile, other.profile),
        }
    }
}

/// Receives the events of one location.
pub struct PathScan<'w, 's> {
    matching: MatchScan<'w, 's, PathEnd>,
    way: Before<'w>,
    hashes: &'w mut PathHashes,
}

impl PathScan<'_, '_> {
    /// Returns the side of epochs that begins in the innermost open call in which any begins.
    fn side(&mut self) -> Option<Side> {
        let mut path = self.way.path();
        while path != PathIndex::ROOT {
            let region = self.way.tree().step(path).region();
            if let Some(side) = region.and_then(|region| self.matching.side(region)) {
                return Some(side);
            }
            path = self.way.tree().parent(path);
        }
        None
    }
}

/// Enters and leaves only: messages are events here.
struct CallsOnly<'a, C>(&'a mut C);

impl<C: Calls> Calls for CallsOnly<'_, C> {
    #[inline(always)]
    fn next(&mut self) -> Option<Call> {
        self.0.next()
    }

    #[inline(always)]
    fn time(&self) -> Ticks {
        self.0.time()
    }

    #[inline(always)]
    fn head(&self) -> EventHead<'static> {
        self.0.head()
    }
}

/// Hands events to those who ask for them.
macro_rules! hand_on {
    (way { $($way:ident: $of_way:ty,)* } both { $($both:ident: $of_both:ty,)* }
     messages { $($message:ident: $of_message:ty,)* } others { $($other:ident: $of_other:ty,)* }) => {
        $(fn $way(&mut self, head: &EventHead<'_>, event: $of_way) {
            self.way.$way(head, event);
        })*
        $(fn $both(&mut self, head: &EventHead<'_>, event: $of_both) {
            self.way.$both(head, event.clone());
            self.matching.$both(head, event);
        })*
        $(fn $message(&mut self, head: &EventHead<'_>, event: $of_message) {
            let path = self.hashes.of(self.way.path(), self.way.tree());
            self.matching.at(path);
            self.matching.$message(head, event);
        })*
        $(fn $other(&mut self, head: &EventHead<'_>, event: $of_other) {
            self.matching.$other(head, event);
        })*

        fn rma_group_sync(&mut self, head: &EventHead<'_>, event: RmaGroupSync) {
            let side = self.side();
            self.matching.group_sync(head, &event, side);
        }
    };
}

impl EventVisitor for PathScan<'_, '_> {
    const WANTS: EventSet = <MatchScan<'_, '_, PathEnd> as EventVisitor>::WANTS
        .and(<Before<'_> as EventVisitor>::WANTS);

    #[inline(always)]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        self.way.calls(&mut CallsOnly(calls));
    }

    hand_on! {
        way {
        enter: Enter,
        leave: Leave,
        calling_context_enter: CallingContextEnter,
        calling_context_leave: CallingContextLeave,
        parameter_int: ParameterInt,
        parameter_unsigned_int: ParameterUnsignedInt,
        parameter_string: ParameterString,
        buffer_flush: BufferFlush,
        thread_task_switch: ThreadTaskSwitch,
        thread_task_complete: ThreadTaskComplete,
        omp_task_switch: OmpTaskSwitch,
        omp_task_complete: OmpTaskComplete,
        }
        both {
        measurement_on_off: MeasurementOnOff,
        io_operation_begin: IoOperationBegin,
        io_operation_complete: IoOperationComplete,
        io_operation_cancelled: IoOperationCancelled,
        }
        messages {
        mpi_send: MpiSend,
        mpi_isend: MpiIsend,
        mpi_recv: MpiRecv,
        mpi_irecv: MpiIrecv,
        mpi_mrecv: MpiMrecv,
        mpi_imrecv: MpiImrecv,
        }
        others {
        mpi_isend_complete: MpiIsendComplete,
        mpi_irecv_request: MpiIrecvRequest,
        mpi_probe: MpiProbe,
        mpi_imrecv_request: MpiImrecvRequest,
        mpi_request_cancelled: MpiRequestCancelled,
        mpi_collective_begin: MpiCollectiveBegin,
        mpi_collective_end: MpiCollectiveEnd,
        non_blocking_collective_request: NonBlockingCollectiveRequest,
        non_blocking_collective_complete: NonBlockingCollectiveComplete,
        rma_collective_begin: RmaCollectiveBegin,
        rma_collective_end: RmaCollectiveEnd,
        rma_request_lock: RmaRequestLock,
        rma_acquire_lock: RmaAcquireLock,
        rma_try_lock: RmaTryLock,
        rma_release_lock: RmaReleaseLock,
        thread_fork: ThreadFork,
        thread_join: ThreadJoin,
        omp_fork: OmpFork,
        omp_join: OmpJoin,
        thread_team_begin: ThreadTeamBegin,
        thread_team_end: ThreadTeamEnd,
        thread_acquire_lock: ThreadAcquireLock,
        thread_release_lock: ThreadReleaseLock,
        omp_acquire_lock: OmpAcquireLock,
        omp_release_lock: OmpReleaseLock,
        rma_put: RmaPut,
        rma_get: RmaGet,
        rma_atomic: RmaAtomic,
        rma_op_complete_blocking: RmaOpCompleteBlocking,
        rma_op_complete_non_blocking: RmaOpCompleteNonBlocking,
        rma_op_complete_remote: RmaOpCompleteRemote,
        io_create_handle: IoCreateHandle,
        io_duplicate_handle: IoDuplicateHandle,
        io_destroy_handle: IoDestroyHandle,
        io_operation_issued: IoOperationIssued,
        }
    }
}
