//! One pass over the events of a location.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::calls::{Call as Visit, Calls};
use streamfold_model::enums::{CollectiveOp, LockType, Paradigm, RmaSyncLevel};
use streamfold_model::events::*;
use streamfold_model::ids::{CommRef, GroupRef, LocationRef, RegionRef, RmaWinRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet};

use super::call::Call;
use super::class::{CallKind, MpiCall};
use super::classes::Classes;
use super::collectives::{Manner, Member};
use super::meetings::{Attendance, Deed, Meeting};
use super::messages::MessageEnd;
use super::open::{OpenCall, OpenCalls, Pending};
use super::path::{PathId, PathIds};
use super::requests::{key_of_request, Deed as RequestDeed, Orphan};
use super::severity::LeftOut;
use super::teams::{Fork, Moved, Teams};
use super::threads::Threads;
use super::windows::{processes_of, At, EpochLanes, Windows};
use crate::matching::messages::Channel;
use crate::matching::{Key, Lanes, Order, Outgoing, PartnerCache, Partners, Process, Processes};
use crate::profile::Scan;

/// Requests that a location has open at a time, of which more is remembered than that they were there.
const MOST_OPEN: usize = 1 << 20;
/// What waits for the end of one call, as far as it is remembered.
const MOST_PENDING: usize = 1 << 20;

/// What a worker holds for one location after another.
pub(super) struct Room<'s> {
    pub classes: Classes<'s>,
    pub ids: PathIds,
    pub sends: Lanes<MessageEnd>,
    pub receives: Lanes<MessageEnd>,
    pub orphans: Lanes<Orphan>,
    pub to_orphans: Outgoing<'s>,
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

/// What is known when all locations were scanned.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Recorded {
    /// What took no part.
    pub left_out: std::collections::BTreeMap<LeftOut, u64>,
    /// Whether anybody recorded how much data a collective operation moved.
    pub sizes_known: bool,
    /// Whether there was any that moves data.
    pub moved_data: bool,
    /// Whether there are teams of OpenMP.
    pub openmp: bool,
    /// What of the own time of locations was to fork and join teams: where, and how much; and whether
    /// others were idle around it.
    pub moved: Vec<(LocationRef, PathId, u64, bool)>,
    /// What of the own time of locations is that of visits inside of dropped ones, too: where, and ticks.
    pub counted_twice: Vec<(LocationRef, PathId, u64)>,
    /// Threads that were created one by one.
    pub created: Vec<LocationRef>,
}

impl Recorded {
    fn leave_out(&mut self, what: LeftOut, count: u64) {
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
        self.created.append(&mut other.created);
        self
    }
}

/// What the trace says of who is who.
#[derive(Clone, Copy)]
pub(super) struct World<'w> {
    pub definitions: &'w Definitions,
    pub processes: &'w Processes,
    pub partners: &'w Partners<'w>,
    pub threads: &'w Threads,
}

/// Which task runs; none: what the thread itself does.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Task {
    Thread(CommRef, u32, u32),
    Omp(u64),
}

/// What is open under the number of a request.
enum Request {
    Send(Key, MessageEnd),
    Receive(MessageEnd),
}

/// When something started that is complete later.
#[derive(Clone, Copy)]
struct Start {
    order: Order,
    time: u64,
    irregular: bool,
}

/// Receives the events of one location.
pub struct WaitScan<'w, 's> {
    pub(super) profile: Scan<'w>,
    world: World<'w>,
    pub(super) room: &'w mut Room<'s>,
    location: LocationRef,
    own: Option<Process>,
    latest: u64,
    open: OpenCalls,
    /// What of [`Scan::crossed`] was seen.
    crossed: u64,
    running: Option<Task>,
    suspended: HashMap<Task, Vec<OpenCall>, RandomState>,
    /// The calls of the thread itself, while a task runs.
    interrupted: Vec<OpenCall>,
    requests: HashMap<u64, Request, RandomState>,
    collectives: HashMap<u64, Start, RandomState>,
    begun: Option<Start>,
    window_begun: Option<Start>,
    teams: Teams,
    /// What of its own time was to fork and join teams, by path, and whether others were idle around it.
    moved: HashMap<(PathId, bool), u64, RandomState>,
    windows: Windows,
}

/// A message as one record tells it.
struct Envelope {
    comm: CommRef,
    rank: u32,
    tag: u32,
    sends: bool,
}

/// A run of enters and leaves, up to one of a region that matters here.
struct Watched<'c, 'd, C> {
    calls: &'c mut C,
    classes: &'c mut Classes<'d>,
    stopped: Option<(Visit, CallKind)>,
}

impl<C: Calls> Calls for Watched<'_, '_, C> {
    #[inline(always)]
    fn next(&mut self) -> Option<Visit> {
        if self.stopped.is_some() {
            return None;
        }
        let visit = self.calls.next()?;
        if let Some(kind) = self.classes.of(visit.region()).call {
            self.stopped = Some((visit, kind));
        }
        Some(visit)
    }

    #[inline(always)]
    fn time(&self) -> streamfold_model::values::Ticks {
        self.calls.time()
    }

    fn head(&self) -> EventHead<'static> {
        self.calls.head()
    }
}

impl<'w, 's> WaitScan<'w, 's> {
    pub(super) fn new(
        profile: Scan<'w>,
        world: World<'w>,
        room: &'w mut Room<'s>,
        location: LocationRef,
    ) -> Self {
        room.classes.adopt(profile.call_tree().own());
        let crossed = profile.crossed();
        let own = world.processes.of(location);
        WaitScan {
            profile,
            world,
            room,
            location,
            own,
            latest: 0,
            open: OpenCalls::default(),
            crossed,
            running: None,
            suspended: HashMap::default(),
            interrupted: Vec::new(),
            requests: HashMap::default(),
            collectives: HashMap::default(),
            begun: None,
            window_begun: None,
            teams: Teams::default(),
            moved: HashMap::default(),
            windows: Windows::default(),
        }
    }

    /// All events were delivered: hands out the profile's scan.
    pub(super) fn end(mut self) -> Scan<'w> {
        while let Some(call) = self.open.pop() {
            self.drop_call(call);
        }
        let interrupted = std::mem::take(&mut self.interrupted);
        let suspended = std::mem::take(&mut self.suspended).into_values().flatten();
        suspended.chain(interrupted).for_each(|call| self.drop_call(call));
        for (number, request) in std::mem::take(&mut self.requests) {
            self.never_completed(number, request);
        }
        let begun = usize::from(self.begun.is_some());
        let open = (self.collectives.len() + begun) as u64;
        self.room.found.leave_out(LeftOut::OpenCollectives, open);
        self.hand_over_teams(|teams, over| teams.end_all(over));
        let (room, location) = (self.room, self.location);
        let moved = self.moved.into_iter().map(|((path, leads), t)| (location, path, t, leads));
        room.found.moved.extend(moved);
        let mut twice: HashMap<PathId, u64, RandomState> = HashMap::default();
        for (path, ticks) in self.profile.counted_twice() {
            *twice.entry(room.ids.of(*path, self.profile.call_tree())).or_default() += ticks;
        }
        let twice = twice.into_iter().map(|(path, ticks)| (location, path, ticks));
        room.found.counted_twice.extend(twice);
        room.sends.empty(&mut room.to_sends);
        room.receives.empty(&mut room.to_receives);
        room.orphans.empty(&mut room.to_orphans);
        room.members.empty(&mut room.to_members);
        room.attendances.empty(&mut room.to_attendances);
        room.epochs.empty();
        room.cache.clear();
        self.profile
    }

    /// Where an event of the location stands.
    fn order(&mut self, head: &EventHead<'_>) -> Order {
        self.latest = self.latest.max(head.time.0);
        Order { time: self.latest, location: self.location, number: head.number }
    }

    /// A region that matters was entered.
    fn entered(&mut self, region: RegionRef, kind: CallKind, number: u64) {
        let depth = self.profile.depth();
        // Those that were dropped are not open any more.
        while self.open.last().is_some_and(|call| call.depth >= depth) {
            let call = self.open.pop().expect("there is a last one");
            self.drop_call(call);
        }
        let barrier = match kind {
            CallKind::TeamBarrier(_) => self.teams.barrier(),
            CallKind::Parallel => {
                self.room.found.openmp = true;
                self.teams.enter(number);
                None
            }
            _ => None,
        };
        let (path, enter, pending) = (self.profile.path(), self.profile.now(), self.open.room());
        self.open.push(OpenCall { kind, region, path, enter, number, depth, barrier, pending });
    }

    /// A region that matters was left.
    fn left(&mut self, region: RegionRef) {
        let depth = self.profile.depth() + 1;
        let is_last = |call: &OpenCall| call.depth == depth && call.region == region;
        if self.open.last().is_some_and(is_last) && self.crossed == self.profile.crossed() {
            let call = self.open.pop().expect("there is a last one");
            self.close(call);
        } else {
            self.settle(Some(region));
        }
    }

    /// Drops the calls that are not open any more; the one that was left just now is of a region.
    fn settle(&mut self, left: Option<RegionRef>) {
        self.crossed = self.profile.crossed();
        while let Some(call) = self.open.last() {
            if self.profile.path_at(call.depth) == Some(call.path) {
                return;
            }
            let call = self.open.pop().expect("there is a last one");
            match call.depth == self.profile.depth() + 1 && left == Some(call.region) {
                true => self.close(call),
                false => self.drop_call(call),
            }
        }
    }

    /// The innermost call of MPI.
    fn mpi(&mut self) -> Option<&mut OpenCall> {
        if self.crossed != self.profile.crossed() {
            self.settle(None);
        }
        self.open.mpi()
    }

    /// When the innermost call of MPI was entered.
    fn entered_at(&mut self) -> Option<u64> {
        self.mpi().map(|call| call.enter)
    }

    /// The call was left just now.
    fn close(&mut self, call: OpenCall) {
        let (leave, exclusive) = (self.profile.now(), self.profile.exclusive_of_left());
        let leave = leave.max(call.enter);
        let exclusive = exclusive.min(leave - call.enter);
        self.end_call(call, leave, exclusive);
    }

    /// Nobody recorded how the call ended: it has no time.
    fn drop_call(&mut self, call: OpenCall) {
        let leave = call.enter;
        self.end_call(call, leave, 0);
    }

    fn end_call(&mut self, mut open: OpenCall, leave: u64, exclusive: u64) {
        let path = self.room.ids.of(open.path, self.profile.call_tree());
        let call = Call { enter: open.enter, leave, exclusive, path, number: open.number };
        let pending = std::mem::take(&mut open.pending);
        for pending in &pending {
            self.finish(*pending, open.kind, call);
        }
        self.open.give_back(pending);
        self.meet(&open, call);
    }

    /// The call in which something happened is over.
    fn finish(&mut self, pending: Pending, kind: CallKind, call: Call) {
        let mpi = match kind {
            CallKind::Mpi(mpi) => mpi,
            _ => MpiCall::Tests,
        };
        match pending {
            Pending::Send(key, end) => self.send(key, Pending::send_in(end, mpi, call)),
            Pending::Receive(key, end) => self.receive(key, Pending::receive_in(end, mpi, call)),
            Pending::Orphan(key, orphan) => {
                self.orphan(key, Pending::orphan_in(orphan, mpi, call));
            }
            Pending::Member(key, member) => {
                let call = mpi.waits_for_senders().then_some(call);
                self.member(key, Member { call, ..member });
            }
            Pending::Acquired { order, key, time } => {
                let CallKind::Lock(metric) = kind else { return };
                let deed = Deed::Acquired(time, metric);
                self.attend(key, Attendance { order, deed, call: Some(call) });
            }
            Pending::Joined { order, key } => {
                self.attend(key, Attendance { order, deed: Deed::Was, call: Some(call) });
            }
            _ => self.finish_on_window(pending, mpi, call),
        }
    }

    fn finish_on_window(&mut self, pending: Pending, mpi: MpiCall, call: Call) {
        let (Some(own), World { processes, partners, definitions, .. }) = (self.own, self.world)
        else {
            return;
        };
        let (windows, lanes) = (&mut self.windows, &mut self.room.epochs);
        match pending {
            Pending::Group { win, group, order, empty } => {
                let MpiCall::Window(kind) = mpi else { return };
                let size = definitions.groups.get(&group).map_or(0, |group| group.members.len());
                let all = || processes_of(partners, processes, group, size as u64);
                if !empty {
                    windows.group(kind, At { win, own, order }, call, all, lanes);
                }
            }
            Pending::Operation { win, target, order, time } => {
                windows.operation(At { win, own, order }, target, time, call);
            }
            Pending::Request { win, target, alone, time } => {
                let order = Order { time, location: self.location, number: call.number };
                windows.request(At { win, own, order }, target, (time, alone), call);
            }
            Pending::Release { win, target, order, time } => {
                windows.release(At { win, own, order }, target, time, call, lanes);
            }
            _ => {}
        }
    }

    /// What the call itself is attended as.
    fn meet(&mut self, open: &OpenCall, call: Call) {
        let Some(process) = self.own else { return };
        let order = Order { time: 0, location: self.location, number: call.number };
        match open.kind {
            CallKind::Mpi(kind @ (MpiCall::Init | MpiCall::Finalize)) => {
                let init = kind == MpiCall::Init;
                let meeting = if init { Meeting::Init } else { Meeting::Finalize };
                let attendance = Attendance { order, deed: Deed::Was, call: Some(call) };
                self.attend(meeting.key(), attendance);
            }
            CallKind::TeamBarrier(metric) => {
                let Some(barrier) = open.barrier else { return };
                let meeting = Meeting::Barriers(process, barrier.team, barrier.begin);
                let order = Order { time: barrier.number, ..order };
                let deed = Deed::Barrier(metric);
                self.attend(meeting.key(), Attendance { order, deed, call: Some(call) });
            }
            CallKind::Parallel => {
                self.teams.leave(call);
                self.hand_over_teams(|teams, over| teams.settle(over));
            }
            _ => {}
        }
    }

    /// Hands over what was done in teams that are over.
    fn hand_over_teams(
        &mut self,
        which: impl FnOnce(&mut Teams, &mut dyn FnMut(super::teams::Over)),
    ) {
        let mut teams = std::mem::take(&mut self.teams);
        which(&mut teams, &mut |over| {
            if let Some(Moved { path, ticks, leads }) = over.moved.filter(|m| m.ticks > 0) {
                *self.moved.entry((path, leads)).or_default() += ticks;
            }
            if let Some(process) = self.own {
                let (meeting, attendance) = over.attendance(process, self.location);
                self.attend(meeting.key(), attendance);
            }
        });
        self.teams = teams;
    }

    fn send(&mut self, key: Key, end: MessageEnd) {
        self.room.sends.push(key, end, &mut self.room.to_sends);
    }

    fn receive(&mut self, key: Key, end: MessageEnd) {
        self.room.receives.push(key, end, &mut self.room.to_receives);
    }

    fn member(&mut self, key: Key, member: Member) {
        let room = &mut *self.room;
        if key.0[2] == 1 {
            let touched = self.windows.collective(RmaWinRef(key.0[0]), &member);
            touched.for_each(|touch| room.members.push(key, touch, &mut room.to_members));
        }
        room.members.push(key, member, &mut room.to_members);
    }

    fn attend(&mut self, key: Key, attendance: Attendance) {
        self.room.attendances.push(key, attendance, &mut self.room.to_attendances);
    }

    /// Something happened in the innermost call of MPI: all of it is known when that ends.
    fn in_mpi(&mut self, pending: Pending) {
        match self.mpi() {
            Some(call) if call.pending.len() < MOST_PENDING => call.pending.push(pending),
            Some(_) => {
                self.room.found.leave_out(LeftOut::Untracked, 1);
                self.in_no_call(pending);
            }
            None => self.in_no_call(pending),
        }
    }

    /// It was in no call: nobody waited.
    fn in_no_call(&mut self, pending: Pending) {
        match pending {
            Pending::Send(key, end) => self.send(key, end),
            Pending::Receive(key, end) => self.receive(key, end),
            Pending::Orphan(key, orphan) => self.orphan(key, orphan),
            Pending::Member(key, member) => self.member(key, member),
            _ => {}
        }
    }

    /// The key of a message, where definitions say what it is.
    fn channel(&mut self, message: Envelope) -> Option<Key> {
        let Envelope { comm, rank, tag, sends } = message;
        let partner = self.room.cache.find(self.world.partners, self.own, comm, rank);
        let (Some(own), Some(partner)) = (self.own, partner) else {
            self.room.found.leave_out(LeftOut::NowhereMessages, 1);
            return None;
        };
        let (sender, receiver) = if sends { (own, partner) } else { (partner, own) };
        Some(Channel { comm, sender, receiver, tag }.key())
    }

    /// An end that is posted here, and complete at once.
    fn end_here(&mut self, head: &EventHead<'_>) -> MessageEnd {
        let (posted, time) = (self.order(head), head.time.0);
        let (entered, number) = (self.entered_at(), head.number);
        let completer = self.location;
        MessageEnd { posted, time, entered, completed: time, completer, number, call: None }
    }

    /// A request is open from here on.
    fn request(&mut self, number: u64, request: Request) {
        let (Request::Send(_, end) | Request::Receive(end)) = &request;
        let end = *end;
        if self.requests.len() >= MOST_OPEN && !self.requests.contains_key(&number) {
            self.room.found.leave_out(LeftOut::Untracked, 1);
            return self.never_completed(number, request);
        }
        let Some(before) = self.requests.insert(number, request) else { return };
        // Its number was given again: it is over, and this location did not record how it ended.
        self.never_completed(number, before);
        if let Some(process) = self.shared() {
            let (order, deed, message) = (end.posted, RequestDeed::Over, Key::default());
            self.orphan(key_of_request(process, number), Orphan { order, deed, end, message });
        }
    }

    /// The process of the location, if it has others: they may know the other ends of requests.
    fn shared(&self) -> Option<Process> {
        self.own.filter(|process| self.world.threads.is_shared(*process))
    }

    /// The location did not complete a request.
    fn never_completed(&mut self, number: u64, request: Request) {
        match (request, self.shared()) {
            (Request::Send(key, end), None) => self.send(key, end),
            (Request::Receive(_), None) => self.room.found.leave_out(LeftOut::OpenReceives, 1),
            (Request::Send(message, end), Some(process)) => {
                let (order, deed) = (end.posted, RequestDeed::PostedSend);
                let key = key_of_request(process, number);
                self.orphan(key, Orphan { order, deed, end, message });
            }
            (Request::Receive(end), Some(process)) => {
                let (order, deed) = (end.posted, RequestDeed::PostedReceive);
                let key = key_of_request(process, number);
                self.orphan(key, Orphan { order, deed, end, message: Key::default() });
            }
        }
    }

    /// The location did something with a request that it did not post; `false`: nobody else can have.
    fn not_posted(
        &mut self,
        number: u64,
        deed: RequestDeed,
        end: MessageEnd,
        message: Key,
    ) -> bool {
        let Some(process) = self.shared() else { return false };
        let key = key_of_request(process, number);
        self.in_mpi(Pending::Orphan(key, Orphan { order: end.posted, deed, end, message }));
        true
    }

    fn orphan(&mut self, key: Key, orphan: Orphan) {
        self.room.orphans.push(key, orphan, &mut self.room.to_orphans);
    }

    /// A collective operation starts here.
    fn start(&mut self, head: &EventHead<'_>) -> Start {
        let irregular = self.mpi().is_some_and(|call| call.mpi() == Some(MpiCall::Neighbors));
        Start { order: self.order(head), time: head.time.0, irregular }
    }

    /// A member of a collective operation is complete.
    fn part(
        &mut self,
        head: &EventHead<'_>,
        start: Option<Start>,
        manner: Manner,
        event: MpiCollectiveEnd,
    ) {
        let MpiCollectiveEnd { collective_op: op, root, size_sent, size_received, .. } = event;
        let found = &mut self.room.found;
        found.sizes_known |= size_sent > 0 || size_received > 0;
        // Kinds that were added later may move nothing.
        let moves = (1..=16).contains(&u8::from(op));
        found.moved_data |= moves;
        let Some(process) = self.own else { return };
        let comm = event.communicator;
        if !self.world.definitions.comms.contains_key(&comm) {
            return self.room.found.leave_out(LeftOut::IncompleteCollectives, 1);
        }
        let key = Key([comm.0, process.0, 0, 0]);
        let member = self.member_of(head, start, (process, manner, op, root));
        self.in_mpi(Pending::Member(
            key,
            Member { sent: size_sent, received: size_received, ..member },
        ));
    }

    fn member_of(
        &mut self,
        head: &EventHead<'_>,
        start: Option<Start>,
        (process, manner, op, root): (Process, Manner, CollectiveOp, u32),
    ) -> Member {
        let entered = self.entered_at();
        let start = start.unwrap_or_else(|| {
            let here = self.start(head);
            Start { time: entered.unwrap_or(here.time), ..here }
        });
        Member {
            order: start.order,
            process,
            begin: start.time,
            end: head.time.0,
            op,
            root,
            sent: 0,
            received: 0,
            manner,
            irregular: start.irregular,
            number: head.number,
            call: None,
        }
    }

    /// The process of a rank of a window.
    fn target(&mut self, win: RmaWinRef, rank: u32) -> Option<Process> {
        let win = self.world.definitions.rma_wins.get(&win)?;
        self.room.cache.find(self.world.partners, self.own, win.comm, rank)
    }

    fn operation(&mut self, head: &EventHead<'_>, win: RmaWinRef, rank: u32) {
        let order = self.order(head);
        if let Some(target) = self.target(win, rank) {
            self.in_mpi(Pending::Operation { win, target, order, time: head.time.0 });
        }
    }

    fn acquired(&mut self, head: &EventHead<'_>, paradigm: Paradigm, (lock, turn): (u32, u32)) {
        let Some(process) = self.own else { return };
        let key = Meeting::Lock(process, paradigm.into(), lock).key();
        // What is released after it comes behind.
        let order =
            Order { time: u64::from(turn) * 2, location: self.location, number: head.number };
        if self.crossed != self.profile.crossed() {
            self.settle(None);
        }
        if let Some(call) = self.open.lock().filter(|call| call.pending.len() < MOST_PENDING) {
            call.pending.push(Pending::Acquired { order, key, time: head.time.0 });
        }
    }

    fn released(&mut self, head: &EventHead<'_>, paradigm: Paradigm, (lock, turn): (u32, u32)) {
        let Some(process) = self.own else { return };
        let key = Meeting::Lock(process, paradigm.into(), lock).key();
        let time = u64::from(turn) * 2 + 1;
        let order = Order { time, location: self.location, number: head.number };
        self.attend(key, Attendance { order, deed: Deed::Released(head.time.0), call: None });
    }

    fn fork(&mut self, head: &EventHead<'_>) {
        let path = self.room.ids.of(self.profile.path(), self.profile.call_tree());
        self.teams.fork(Fork { time: head.time.0.max(self.profile.now()), path });
    }

    fn join(&mut self, head: &EventHead<'_>) {
        let time = head.time.0.max(self.profile.now());
        self.hand_over_teams(|teams, over| teams.join(time, over));
    }

    /// What a created thread is known by, and its order there.
    fn thread(
        &mut self,
        head: &EventHead<'_>,
        contingent: CommRef,
        sequence: u64,
    ) -> Option<(Key, Order)> {
        let order = Order { time: sequence, location: self.location, number: head.number };
        Some((Meeting::Thread(self.own?, contingent.0, sequence).key(), order))
    }

    /// Another task goes on; none: what the thread itself does.
    fn switch(&mut self, task: Option<Task>) {
        if self.running == task {
            return;
        }
        let calls = match task {
            Some(task) => self.suspended.remove(&task).unwrap_or_default(),
            None => std::mem::take(&mut self.interrupted),
        };
        let before = self.open.exchange(calls);
        match self.running {
            Some(task) => {
                self.suspended.insert(task, before);
            }
            None => self.interrupted = before,
        }
        self.running = task;
    }

    fn complete(&mut self, task: Task) {
        if self.running == Some(task) {
            self.switch(None);
        }
        let over = self.suspended.remove(&task).unwrap_or_default();
        over.into_iter().for_each(|call| self.drop_call(call));
    }

    fn visit(&mut self, visit: Visit, kind: CallKind, number: u64) {
        match visit {
            Visit::Enter(region) => self.entered(region, kind, number),
            Visit::Leave(region) => self.left(region),
        }
    }

    /// The same of an enter or leave that comes alone.
    fn visit_alone(&mut self, visit: Visit, number: u64) {
        if let Some(kind) = self.room.classes.of(visit.region()).call {
            self.visit(visit, kind, number);
        }
    }
}

impl EventVisitor for WaitScan<'_, '_> {
    const WANTS: EventSet = EventSet::of(&[
        EventKind::Enter,
        EventKind::Leave,
        EventKind::CallingContextEnter,
        EventKind::CallingContextLeave,
        EventKind::MeasurementOnOff,
        EventKind::BufferFlush,
        EventKind::ThreadTaskSwitch,
        EventKind::ThreadTaskComplete,
        EventKind::OmpTaskSwitch,
        EventKind::OmpTaskComplete,
        EventKind::ThreadFork,
        EventKind::ThreadJoin,
        EventKind::ThreadTeamBegin,
        EventKind::ThreadTeamEnd,
        EventKind::ThreadAcquireLock,
        EventKind::ThreadReleaseLock,
        EventKind::ThreadWait,
        EventKind::ThreadBegin,
        EventKind::ThreadEnd,
        EventKind::OmpFork,
        EventKind::OmpJoin,
        EventKind::OmpAcquireLock,
        EventKind::OmpReleaseLock,
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiIsendComplete,
        EventKind::MpiRecv,
        EventKind::MpiIrecvRequest,
        EventKind::MpiIrecv,
        EventKind::MpiRequestCancelled,
        EventKind::MpiCollectiveBegin,
        EventKind::MpiCollectiveEnd,
        EventKind::NonBlockingCollectiveRequest,
        EventKind::NonBlockingCollectiveComplete,
        EventKind::RmaCollectiveBegin,
        EventKind::RmaCollectiveEnd,
        EventKind::RmaGroupSync,
        EventKind::RmaRequestLock,
        EventKind::RmaReleaseLock,
        EventKind::RmaPut,
        EventKind::RmaGet,
        EventKind::RmaAtomic,
    ]);

    #[inline]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        loop {
            let classes = &mut self.room.classes;
            let mut watched = Watched { calls: &mut *calls, classes, stopped: None };
            EventVisitor::calls(&mut self.profile, &mut watched);
            let Some((visit, kind)) = watched.stopped else { return };
            self.visit(visit, kind, calls.head().number);
        }
    }

    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        EventVisitor::enter(&mut self.profile, head, event);
        self.visit_alone(Visit::Enter(event.region), head.number);
    }

    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        EventVisitor::leave(&mut self.profile, head, event);
        self.visit_alone(Visit::Leave(event.region), head.number);
    }

    fn calling_context_enter(&mut self, head: &EventHead<'_>, event: CallingContextEnter) {
        let region = self.profile.region_of(event.calling_context);
        self.profile.calling_context_enter(head, event);
        if let Some(region) = region {
            self.visit_alone(Visit::Enter(region), head.number);
        }
    }

    fn calling_context_leave(&mut self, head: &EventHead<'_>, event: CallingContextLeave) {
        let region = self.profile.region_of(event.calling_context);
        self.profile.calling_context_leave(head, event);
        if let Some(region) = region {
            self.visit_alone(Visit::Leave(region), head.number);
        }
    }

    fn measurement_on_off(&mut self, head: &EventHead<'_>, event: MeasurementOnOff) {
        self.profile.measurement_on_off(head, event);
    }

    fn buffer_flush(&mut self, head: &EventHead<'_>, event: BufferFlush) {
        self.profile.buffer_flush(head, event);
    }

    fn thread_task_switch(&mut self, head: &EventHead<'_>, event: ThreadTaskSwitch) {
        self.profile.thread_task_switch(head, event);
        let ThreadTaskSwitch { thread_team, creating_thread, generation_number } = event;
        let task = Task::Thread(thread_team, creating_thread, generation_number);
        self.switch((generation_number != 0).then_some(task));
    }

    fn thread_task_complete(&mut self, head: &EventHead<'_>, event: ThreadTaskComplete) {
        self.profile.thread_task_complete(head, event);
        let ThreadTaskComplete { thread_team, creating_thread, generation_number } = event;
        if generation_number != 0 {
            self.complete(Task::Thread(thread_team, creating_thread, generation_number));
        }
    }

    fn omp_task_switch(&mut self, head: &EventHead<'_>, event: OmpTaskSwitch) {
        self.profile.omp_task_switch(head, event);
        self.switch((event.task_id != 0).then_some(Task::Omp(event.task_id)));
    }

    fn omp_task_complete(&mut self, head: &EventHead<'_>, event: OmpTaskComplete) {
        self.profile.omp_task_complete(head, event);
        if event.task_id != 0 {
            self.complete(Task::Omp(event.task_id));
        }
    }

    fn thread_fork(&mut self, head: &EventHead<'_>, _: ThreadFork) {
        self.fork(head);
    }

    fn thread_join(&mut self, head: &EventHead<'_>, _: ThreadJoin) {
        self.join(head);
    }

    fn omp_fork(&mut self, head: &EventHead<'_>, _: OmpFork) {
        self.fork(head);
    }

    fn omp_join(&mut self, head: &EventHead<'_>, _: OmpJoin) {
        self.join(head);
    }

    fn thread_team_begin(&mut self, _: &EventHead<'_>, event: ThreadTeamBegin) {
        let last = self.open.last().filter(|call| call.kind == CallKind::Parallel);
        let region = last.map(|call| call.number);
        let is_master = self.world.threads.master_of(self.location).is_some();
        self.teams.begin(event.thread_team.0, region, is_master);
    }

    fn thread_team_end(&mut self, _: &EventHead<'_>, event: ThreadTeamEnd) {
        self.teams.end(event.thread_team.0);
        self.hand_over_teams(|teams, over| teams.settle(over));
    }

    fn thread_acquire_lock(&mut self, head: &EventHead<'_>, event: ThreadAcquireLock) {
        self.acquired(head, event.model, (event.lock_id, event.acquisition_order));
    }

    fn thread_release_lock(&mut self, head: &EventHead<'_>, event: ThreadReleaseLock) {
        self.released(head, event.model, (event.lock_id, event.acquisition_order));
    }

    fn thread_begin(&mut self, _: &EventHead<'_>, _: ThreadBegin) {
        let created = &mut self.room.found.created;
        if created.last() != Some(&self.location) {
            created.push(self.location);
        }
    }

    fn thread_wait(&mut self, head: &EventHead<'_>, event: ThreadWait) {
        let ThreadWait { thread_contingent: contingent, sequence_count } = event;
        let Some((key, order)) = self.thread(head, contingent, sequence_count) else { return };
        if self.crossed != self.profile.crossed() {
            self.settle(None);
        }
        let joins = |call: &&mut OpenCall| call.pending.len() < MOST_PENDING;
        if let Some(call) = self.open.thread_join().filter(joins) {
            call.pending.push(Pending::Joined { order, key });
        }
    }

    fn thread_end(&mut self, head: &EventHead<'_>, event: ThreadEnd) {
        let ThreadEnd { thread_contingent: contingent, sequence_count } = event;
        let Some((key, order)) = self.thread(head, contingent, sequence_count) else { return };
        self.attend(key, Attendance { order, deed: Deed::Ended(head.time.0), call: None });
    }

    fn omp_acquire_lock(&mut self, head: &EventHead<'_>, event: OmpAcquireLock) {
        self.acquired(head, Paradigm::Openmp, (event.lock_id, event.acquisition_order));
    }

    fn omp_release_lock(&mut self, head: &EventHead<'_>, event: OmpReleaseLock) {
        self.released(head, Paradigm::Openmp, (event.lock_id, event.acquisition_order));
    }

    fn mpi_send(&mut self, head: &EventHead<'_>, event: MpiSend) {
        let MpiSend { receiver: rank, communicator: comm, msg_tag: tag, .. } = event;
        let end = self.end_here(head);
        if let Some(key) = self.channel(Envelope { comm, rank, tag, sends: true }) {
            self.in_mpi(Pending::Send(key, end));
        }
    }

    fn mpi_isend(&mut self, head: &EventHead<'_>, event: MpiIsend) {
        let MpiIsend { receiver: rank, communicator: comm, msg_tag: tag, request_id, .. } = event;
        let end = self.end_here(head);
        if let Some(key) = self.channel(Envelope { comm, rank, tag, sends: true }) {
            self.request(request_id, Request::Send(key, end));
        }
    }

    fn mpi_isend_complete(&mut self, head: &EventHead<'_>, event: MpiIsendComplete) {
        let here = self.end_here(head);
        match self.requests.remove(&event.request_id) {
            Some(Request::Send(key, end)) => {
                let end = MessageEnd { completed: head.time.0, number: head.number, ..end };
                self.in_mpi(Pending::Send(key, end));
            }
            before => {
                if let Some(before) = before {
                    self.never_completed(event.request_id, before);
                }
                let deed = RequestDeed::CompletedSend;
                self.not_posted(event.request_id, deed, here, Key::default());
            }
        }
    }

    fn mpi_recv(&mut self, head: &EventHead<'_>, event: MpiRecv) {
        let MpiRecv { sender: rank, communicator: comm, msg_tag: tag, .. } = event;
        let end = self.end_here(head);
        if let Some(key) = self.channel(Envelope { comm, rank, tag, sends: false }) {
            self.in_mpi(Pending::Receive(key, end));
        }
    }

    fn mpi_irecv_request(&mut self, head: &EventHead<'_>, event: MpiIrecvRequest) {
        let end = self.end_here(head);
        self.request(event.request_id, Request::Receive(end));
    }

    fn mpi_irecv(&mut self, head: &EventHead<'_>, event: MpiIrecv) {
        let MpiIrecv { sender: rank, communicator: comm, msg_tag: tag, request_id, .. } = event;
        let here = self.end_here(head);
        let posted = self.requests.remove(&request_id);
        let key = self.channel(Envelope { comm, rank, tag, sends: false });
        let Some(key) = key else { return };
        match posted {
            Some(Request::Receive(end)) => {
                let end = MessageEnd { completed: head.time.0, number: head.number, ..end };
                self.in_mpi(Pending::Receive(key, end));
            }
            before => {
                if let Some(before) = before {
                    self.never_completed(request_id, before);
                }
                // Nobody knows when it was posted.
                let end = MessageEnd { entered: None, ..here };
                if !self.not_posted(request_id, RequestDeed::CompletedReceive, end, key) {
                    self.room.found.leave_out(LeftOut::UnpostedReceives, 1);
                    self.in_mpi(Pending::Receive(key, end));
                }
            }
        }
    }

    fn mpi_request_cancelled(&mut self, head: &EventHead<'_>, event: MpiRequestCancelled) {
        let cancelled = self.requests.remove(&event.request_id).is_some()
            | self.collectives.remove(&event.request_id).is_some();
        self.room.found.leave_out(LeftOut::Cancelled, cancelled.into());
        if !cancelled {
            let here = self.end_here(head);
            self.not_posted(event.request_id, RequestDeed::Cancelled, here, Key::default());
        }
    }

    fn mpi_collective_begin(&mut self, head: &EventHead<'_>, _: MpiCollectiveBegin) {
        let start = self.start(head);
        let before = self.begun.replace(start);
        self.room.found.leave_out(LeftOut::OpenCollectives, before.is_some().into());
    }

    fn mpi_collective_end(&mut self, head: &EventHead<'_>, event: MpiCollectiveEnd) {
        let start = self.begun.take();
        self.part(head, start, Manner::Blocks, event);
    }

    fn non_blocking_collective_request(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveRequest,
    ) {
        let start = self.start(head);
        let number = event.request_id;
        let is_full =
            self.collectives.len() >= MOST_OPEN && !self.collectives.contains_key(&number);
        let lost = is_full || self.collectives.insert(number, start).is_some();
        self.room.found.leave_out(LeftOut::OpenCollectives, lost.into());
    }

    fn non_blocking_collective_complete(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveComplete,
    ) {
        let start = self.collectives.remove(&event.request_id);
        let NonBlockingCollectiveComplete { collective_op, root, communicator, .. } = event;
        let NonBlockingCollectiveComplete { size_sent, size_received, .. } = event;
        let event =
            MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
        self.part(head, start, Manner::Requests, event);
    }

    fn rma_collective_begin(&mut self, head: &EventHead<'_>, _: RmaCollectiveBegin) {
        let start = self.start(head);
        self.window_begun = Some(start);
    }

    fn rma_collective_end(&mut self, head: &EventHead<'_>, event: RmaCollectiveEnd) {
        let start = self.window_begun.take();
        let (Some(process), RmaCollectiveEnd { collective_op, win, root, .. }) = (self.own, event)
        else {
            return;
        };
        if !self.world.definitions.rma_wins.contains_key(&win) {
            return self.room.found.leave_out(LeftOut::IncompleteCollectives, 1);
        }
        let member = self.member_of(head, start, (process, Manner::Blocks, collective_op, root));
        self.in_mpi(Pending::Member(Key([win.0, process.0, 1, 0]), member));
    }

    fn rma_group_sync(&mut self, head: &EventHead<'_>, event: RmaGroupSync) {
        let RmaGroupSync { win, group, sync_level } = event;
        let (order, group): (Order, GroupRef) = (self.order(head), group);
        // A test that was not successful has none.
        let empty = sync_level == RmaSyncLevel::NONE;
        self.in_mpi(Pending::Group { win, group, order, empty });
    }

    fn rma_request_lock(&mut self, head: &EventHead<'_>, event: RmaRequestLock) {
        let RmaRequestLock { win, remote, lock_type, .. } = event;
        if let Some(target) = self.target(win, remote) {
            let alone = lock_type == LockType::Exclusive;
            self.in_mpi(Pending::Request { win, target, alone, time: head.time.0 });
        }
    }

    fn rma_release_lock(&mut self, head: &EventHead<'_>, event: RmaReleaseLock) {
        let RmaReleaseLock { win, remote, .. } = event;
        let order = self.order(head);
        if let Some(target) = self.target(win, remote) {
            self.in_mpi(Pending::Release { win, target, order, time: head.time.0 });
        }
    }

    fn rma_put(&mut self, head: &EventHead<'_>, event: RmaPut) {
        self.operation(head, event.win, event.remote);
    }

    fn rma_get(&mut self, head: &EventHead<'_>, event: RmaGet) {
        self.operation(head, event.win, event.remote);
    }

    fn rma_atomic(&mut self, head: &EventHead<'_>, event: RmaAtomic) {
        self.operation(head, event.win, event.remote);
    }
}
