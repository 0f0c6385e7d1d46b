//! One pass over the events of a location.

mod events;

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use streamfold_model::calls::{Call, Calls};
use streamfold_model::events::RmaGroupSync;
use streamfold_model::ids::{
    CallingContextRef, CommRef, IoHandleRef, LocationRef, Reference, RegionRef, RmaWinRef,
};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, StreamSummary};

use super::block::{Order, Sink};
use super::chosen::{Chosen, Counting};
use super::collectives::{CollectiveRoom, RecordedCollectives, What};
use super::epochs::{Begin, EpochRoom};
use super::io::{self, HandleRoom, Handles, Origins};
use super::join::Side;
use super::lanes::Outgoing;
use super::messages::{End, MessageEnd, MessageRoom, Messages, RecordedMessages};
use super::partners::{Partners, Process, Processes};
use super::rma::{self, WindowRoom, Windows};
use super::threads::{ThreadRoom, Threads};
use super::totals::Streams;
use crate::probes::Probes;
use crate::Kernel;

/// Sinks for the items that are matched.
#[derive(Clone, Copy)]
pub struct Sinks<'s> {
    /// Sends, as [`End`](super::messages::End), by [`Channel`](super::messages::Channel).
    pub sends: &'s dyn Sink,
    /// Receives, the same.
    pub receives: &'s dyn Sink,
    /// Collective operations, as [`Part`](super::collectives::Part), by communicator and process.
    pub collectives: &'s dyn Sink,
    /// Requests whose other ends other locations of their processes know, as
    /// [`Orphan`](super::requests::Orphan): those of messages.
    pub requests: &'s dyn Sink,
    /// Those of collective operations.
    pub operations: &'s dyn Sink,
    /// Accesses to windows, as [`Begin`](super::epochs::Begin), by window, origin and target.
    pub accesses: &'s dyn Sink,
    /// Exposures of the windows, by the same key.
    pub exposures: &'s dyn Sink,
}

/// Result of the scan of all locations, without the items that went to the [`Sinks`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Sums of messages.
    pub messages: RecordedMessages,
    /// Sums of collective operations.
    pub collectives: RecordedCollectives,
    /// Accesses to the memory of others.
    pub windows: Windows,
    /// Operations on files.
    pub handles: Handles,
    /// Origins of handles.
    pub origins: Origins,
    /// Forks, teams, locks.
    pub threads: Threads,
    /// State of the streams of each process that has any.
    pub streams: BTreeMap<u32, Streams>,
    /// Requests, operations, locks and forks that began beyond those that are remembered of a location: they count
    /// as open, and their ends as those of nothing.
    pub untracked: u64,
}

impl Found {
    /// All of both.
    #[must_use]
    pub fn fold(mut self, other: Found) -> Found {
        self.messages.add(&other.messages);
        self.collectives.add(&other.collectives);
        rma::fold(&mut self.windows, &other.windows);
        io::fold(&mut self.handles, &other.handles);
        io::fold_origins(&mut self.origins, &other.origins);
        self.threads.add(other.threads);
        self.untracked += other.untracked;
        for (process, streams) in other.streams {
            let own = self.streams.entry(process).or_default();
            *own = own.and(streams);
        }
        self
    }
}

/// Finds what belongs together. Ends of messages travel as `E`.
pub struct MatchKernel<'d, E = End> {
    definitions: &'d Definitions,
    processes: &'d Processes,
    partners: &'d Partners<'d>,
    sinks: Sinks<'d>,
    /// `None`: all.
    chosen: Option<&'d Chosen>,
    ends: PhantomData<fn() -> E>,
}

/// Open regions in which epochs begin that are remembered of a location.
const MOST_CALLS: usize = 1 << 10;

/// State of a thread.
pub struct Worker<'s, E = End> {
    messages: MessageRoom<'s, E>,
    collectives: CollectiveRoom<'s>,
    windows: WindowRoom,
    epochs: EpochRoom<'s>,
    handles: HandleRoom,
    threads: ThreadRoom,
    streams: BTreeMap<u32, Streams>,
}

impl<'d> MatchKernel<'d> {
    /// For a trace.
    pub fn new(
        definitions: &'d Definitions,
        processes: &'d Processes,
        partners: &'d Partners<'d>,
        sinks: Sinks<'d>,
    ) -> Self {
        Self::of_ends(definitions, processes, partners, sinks)
    }
}

impl<'d, E> MatchKernel<'d, E> {
    /// The same, with other ends.
    pub(super) fn of_ends(
        definitions: &'d Definitions,
        processes: &'d Processes,
        partners: &'d Partners<'d>,
        sinks: Sinks<'d>,
    ) -> Self {
        let (chosen, ends) = (None, PhantomData);
        MatchKernel { definitions, processes, partners, sinks, chosen, ends }
    }

    /// Only this counts.
    pub fn choose(self, chosen: &'d Chosen) -> Self {
        MatchKernel { chosen: Some(chosen), ..self }
    }
}

impl<'d, E: MessageEnd + Send> Kernel for MatchKernel<'d, E> {
    type Worker = Worker<'d, E>;
    type Scan<'w>
        = MatchScan<'w, 'd, E>
    where
        Self: 'w;
    type Partial = Found;

    fn worker(&self) -> Worker<'d, E> {
        let Sinks { sends, receives, collectives, requests, operations, .. } = self.sinks;
        let Sinks { accesses, exposures, .. } = self.sinks;
        let [sends, receives, requests] = [sends, receives, requests].map(Outgoing::new);
        let [collectives, operations] = [collectives, operations].map(Outgoing::new);
        Worker {
            messages: MessageRoom::new(sends, receives, requests),
            collectives: CollectiveRoom::new(collectives, operations),
            windows: WindowRoom::default(),
            epochs: EpochRoom::new(self.definitions, [accesses, exposures].map(Outgoing::new)),
            handles: HandleRoom::default(),
            threads: ThreadRoom::default(),
            streams: BTreeMap::new(),
        }
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut Worker<'d, E>,
        location: LocationRef,
    ) -> MatchScan<'w, 'd, E> {
        let own = self.processes.of(location);
        let Worker { messages, collectives, windows, epochs, handles, threads, streams } = worker;
        let counting = self.chosen.map_or_else(Counting::default, |chosen| chosen.of(location));
        let shared = own.is_some_and(|process| self.processes.is_shared(process));
        let messages = Messages::new(messages, self.partners, location, (own, shared), counting);
        collectives.begin_location(location, own, shared, counting);
        windows.counting = counting;
        (handles.counting, threads.counting) = (counting, counting);
        let place = self.definitions.locations.get_index_of(&location);
        let streams = own.map(|Process(process)| streams.entry(process).or_default());
        MatchScan {
            definitions: self.definitions,
            partners: self.partners,
            location,
            own,
            messages,
            collectives,
            windows,
            epochs,
            follows: !self.definitions.rma_wins.is_empty(),
            open: Vec::new(),
            handles,
            threads,
            member: place.map(|place| Process(place as u32)),
            streams,
            probes: Probes::default(),
        }
    }

    fn end(&self, scan: MatchScan<'_, 'd, E>, summary: &StreamSummary) {
        let MatchScan { definitions, location, messages, collectives, .. } = scan;
        let MatchScan { windows, epochs, handles, threads, member, streams, .. } = scan;
        messages.end();
        threads.end(member, |team, part| collectives.push(What::Team, team.0, part));
        collectives.end_location();
        windows.end();
        epochs.end();
        handles.end();
        if let Some(streams) = streams {
            let whole = definitions.locations.get(&location).map_or(0, |l| l.number_of_events);
            streams.recorded |= summary.events > 0;
            streams.cut |= summary.events < whole;
        }
    }

    fn partial(&self, mut worker: Worker<'d, E>) -> Found {
        worker.epochs.hand_over();
        let (messages, of_messages) = worker.messages.end();
        let (collectives, of_collectives) = worker.collectives.end_all();
        let of_rooms =
            worker.windows.untracked + worker.handles.untracked + worker.threads.untracked;
        let untracked = of_messages + of_collectives + of_rooms;
        Found {
            messages,
            collectives,
            windows: worker.windows.windows,
            handles: worker.handles.handles,
            origins: worker.handles.origins,
            threads: worker.threads.threads,
            streams: worker.streams,
            untracked,
        }
    }

    fn fold(&self, into: Found, other: Found) -> Found {
        into.fold(other)
    }
}

/// Receives the events of one location.
pub struct MatchScan<'w, 's, E = End> {
    definitions: &'w Definitions,
    partners: &'w Partners<'w>,
    location: LocationRef,
    own: Option<Process>,
    messages: Messages<'w, 's, E>,
    collectives: &'w mut CollectiveRoom<'s>,
    windows: &'w mut WindowRoom,
    epochs: &'w mut EpochRoom<'s>,
    /// Set if there are windows. Enters and leaves matter only for the side of an epoch.
    follows: bool,
    /// The open regions in which epochs begin.
    open: Vec<RegionRef>,
    handles: &'w mut HandleRoom,
    threads: &'w mut ThreadRoom,
    /// The location by its place in the definitions.
    member: Option<Process>,
    /// Of its process.
    streams: Option<&'w mut Streams>,
    probes: Probes,
}

impl<E: MessageEnd> MatchScan<'_, '_, E> {
    /// The call path of the events that come now.
    pub(super) fn at(&mut self, path: u64) {
        self.messages.path = path;
    }

    /// Returns the side of epochs that begins in a region.
    pub(super) fn side(&mut self, region: RegionRef) -> Option<Side> {
        self.epochs.callers.side(region)
    }

    /// A synchronisation with a group, in a call in which epochs begin on a side.
    pub(super) fn group_sync(
        &mut self,
        head: &EventHead<'_>,
        event: &RmaGroupSync,
        side: Option<Side>,
    ) {
        let win = self.win(event.win);
        self.windows.group(head, win, event, side.is_some());
        let (Some(own), Some(side)) = (self.own, side) else { return };
        if rma::begins(event) && !win.is_undefined() {
            if !self.partners.has_group(event.group) {
                return self.windows.ungrouped(head, win);
            }
            let members = self.partners.members_of(event.group);
            let processes = self.partners.processes();
            if !self.epochs.followed.follows(members, processes, head.number) {
                return self.windows.unfollowed(head, win);
            }
            let begin = Begin { order: self.order(head), time: head.time.0 };
            let others = self.partners.members(event.group);
            if self.epochs.begin((win, own, side), others, begin) < members {
                self.windows.partly_grouped(win);
            }
        }
    }

    #[inline(never)]
    fn follow<C: Calls>(&mut self, calls: &mut C) {
        while let Some(visit) = calls.next() {
            self.visit(visit);
        }
    }

    /// A region is entered or left.
    #[inline]
    fn visit(&mut self, visit: Call) {
        if !self.follows || self.side(visit.region()).is_none() {
            return;
        }
        match visit {
            Call::Enter(region) => {
                // Nobody has so many open who leaves what was entered.
                if self.open.len() < MOST_CALLS {
                    self.open.push(region);
                }
            }
            Call::Leave(region) => {
                if let Some(place) = self.open.iter().rposition(|open| *open == region) {
                    self.open.truncate(place);
                }
            }
        }
    }

    fn region_of(&self, context: CallingContextRef) -> Option<RegionRef> {
        self.definitions.calling_contexts.get(&context).map(|context| context.region)
    }

    fn comm(&self, comm: CommRef) -> Option<CommRef> {
        self.definitions.comms.contains_key(&comm).then_some(comm)
    }

    fn win(&self, win: RmaWinRef) -> RmaWinRef {
        let known = self.definitions.rma_wins.contains_key(&win);
        if known {
            win
        } else {
            RmaWinRef::UNDEFINED
        }
    }

    fn handle(&self, handle: IoHandleRef) -> IoHandleRef {
        let known = self.definitions.io_handles.contains_key(&handle);
        if known {
            handle
        } else {
            IoHandleRef::UNDEFINED
        }
    }

    fn begin_team(&mut self, head: &EventHead<'_>, team: CommRef) {
        let order = self.order(head);
        let (Some(team), Some(member)) = (self.comm(team), self.member) else { return };
        if let Some(part) = self.threads.begin_team(head, order, team, member) {
            self.collectives.push(What::Team, team.0, part);
        }
    }

    fn end_team(&mut self, head: &EventHead<'_>, team: CommRef) {
        let (Some(team), Some(member)) = (self.comm(team), self.member) else { return };
        if let Some(part) = self.threads.end_team(head, team, member) {
            self.collectives.push(What::Team, team.0, part);
        }
    }

    fn order(&mut self, head: &EventHead<'_>) -> Order {
        self.messages.order(head)
    }
}
