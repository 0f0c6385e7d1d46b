//! Collective operations, windows, teams, locks and threads.

use streamfold_model::enums::{CollectiveOp, Paradigm};
use streamfold_model::events::*;
use streamfold_model::ids::{CommRef, RmaWinRef};
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use super::WaitScan;
use crate::matching::requests::Ended;
use crate::matching::{Key, Order, Process};
use crate::waitstates::class::MpiCall;
use crate::waitstates::collectives::{Manner, Member};
use crate::waitstates::epochs::EVERYBODY;
use crate::waitstates::meetings::{Attendance, Meeting, MeetingEvent};
use crate::waitstates::open::Pending;
use crate::waitstates::requests::{begun, Participated, Start};
use crate::waitstates::severity::LeftOut;
use crate::waitstates::teams::{Moved, Over, Teams};

impl WaitScan<'_, '_> {
    /// Hands over what was done in teams that are over.
    pub(super) fn hand_over_teams(&mut self, which: impl FnOnce(&mut Teams, &mut dyn FnMut(Over))) {
        let mut teams = std::mem::take(&mut self.teams);
        which(&mut teams, &mut |over| {
            if let Some(process) = self.own {
                let (meeting, attendance) = over.attendance(process, self.location);
                self.attend(meeting.key(), attendance);
            }
        });
        self.teams = teams;
    }

    /// Marks times of visits as forking and joining.
    pub(super) fn move_all(&mut self, moved: impl IntoIterator<Item = Moved>) {
        // A thread of an unknown process has no team.
        let moved = moved.into_iter().filter(|_| self.own.is_some());
        moved.for_each(|of| of.charge(&mut self.profile));
    }

    /// Something was entered or left while a team is forked or joined.
    pub(super) fn follow(&mut self) {
        let mut moved = Vec::new();
        self.teams.follow(&self.profile, &mut moved);
        self.move_all(moved);
    }

    /// Another task may take over, or a task be over.
    pub(super) fn before_task(&mut self, head: &EventHead<'_>) {
        if self.teams.follows() {
            let mut moved = Vec::new();
            self.teams.interrupt(&self.profile, head.time, &mut moved);
            self.move_all(moved);
        }
    }

    pub(super) fn member(&mut self, key: Key, member: Member) {
        let room = &mut *self.room;
        if key.0[2] == 1 {
            let touched = self.windows.collective(RmaWinRef(key.0[0]), &member);
            touched.for_each(|touch| room.members.push(key, touch, &mut room.to_members));
        }
        room.members.push(key, member, &mut room.to_members);
    }

    pub(super) fn attend(&mut self, key: Key, attendance: Attendance) {
        self.room.attendances.push(key, attendance, &mut self.room.to_attendances);
    }

    /// A collective operation starts here.
    pub(super) fn start(&mut self, head: &EventHead<'_>) -> (Order, Start) {
        let irregular = self.mpi().is_some_and(|call| call.mpi() == Some(MpiCall::Neighbors));
        let path = self.entered_by();
        (self.order(head), Start { time: head.time.0, path, irregular })
    }

    /// A collective operation that does not block is open under a number from here on.
    pub(super) fn request(&mut self, head: &EventHead<'_>, number: u64) {
        let (at, start) = self.start(head);
        let lost = self.room.operations.post(number, at, start);
        self.room.found.leave_out(LeftOut::OpenCollectives, lost.is_some().into());
    }

    /// A member of a collective operation is complete, as if it had begun here; `None`: the operation is unknown.
    fn participated(
        &mut self,
        head: &EventHead<'_>,
        manner: Manner,
        event: MpiCollectiveEnd,
    ) -> Option<Participated> {
        let MpiCollectiveEnd { collective_op: op, root, size_sent, size_received, .. } = event;
        let found = &mut self.room.found;
        found.sizes_known |= size_sent > 0 || size_received > 0;
        // Kinds that were added later may move nothing.
        let moves = (1..=16).contains(&u8::from(op));
        found.moved_data |= moves;
        let process = self.own?;
        let comm = event.communicator;
        let is_known = self.world.definitions.comms.contains_key(&comm);
        self.room.found.leave_out(LeftOut::NowhereCollectives, (!is_known).into());
        let key = is_known.then_some(Key([comm.0, process.0, 0, 0]));
        let member = self.member_of(head, None, (process, manner, op, root));
        Some((key, Member { sent: size_sent, received: size_received, ..member }))
    }

    /// The same, where it is in a call that blocks.
    pub(super) fn ended(&mut self, head: &EventHead<'_>, event: MpiCollectiveEnd) {
        let begin = self.begun.take();
        if self.world.partners.is_of_threads(event.communicator) {
            let barrier = self.teams.operation(event.communicator.0);
            let call = self.present().team_barrier();
            return call.into_iter().for_each(|call| call.barrier = Some(barrier));
        }
        let Some((key, member)) = self.participated(head, Manner::Blocks, event) else { return };
        self.take_part(key, begin, member);
    }

    /// The same, where it is of a request.
    pub(super) fn completed(&mut self, head: &EventHead<'_>, number: u64, event: MpiCollectiveEnd) {
        let participated = self.participated(head, Manner::Requests, event);
        let Some(participated) = participated else { return };
        let (ended, lost) = self.room.operations.complete(number, &participated);
        self.room.found.leave_out(LeftOut::OpenCollectives, lost.is_some().into());
        let (key, member) = participated;
        match ended {
            Ended::Here(at, start) => self.take_part(key, Some((at, start)), member),
            Ended::Elsewhere(of) => self.in_mpi(Pending::Participated(of, participated)),
            Ended::Undefined => self.take_part(key, None, member),
        }
    }

    fn take_part(&mut self, key: Option<Key>, begin: Option<(Order, Start)>, member: Member) {
        let member = match begin {
            Some((at, start)) => begun(at, start, member),
            None => member,
        };
        key.into_iter().for_each(|key| self.in_mpi(Pending::Member(key, member)));
    }

    pub(super) fn member_of(
        &mut self,
        head: &EventHead<'_>,
        begin: Option<(Order, Start)>,
        (process, manner, op, root): (Process, Manner, CollectiveOp, u32),
    ) -> Member {
        let entered = self.entered_at();
        let (order, start) = begin.unwrap_or_else(|| {
            let (here, start) = self.start(head);
            (here, Start { time: entered.unwrap_or(start.time), ..start })
        });
        Member {
            order,
            process,
            begin: start.time,
            path: start.path,
            end: head.time.0,
            op,
            root,
            sent: 0,
            received: 0,
            manner,
            irregular: start.irregular,
            completer: self.location,
            number: head.number,
            call: None,
        }
    }

    /// The process of a rank of a window; operations on an unknown one are counted.
    fn target(&mut self, win: RmaWinRef, rank: u32) -> Option<Process> {
        let (cache, partners) = (&mut self.room.cache, self.world.partners);
        let comm = partners.comm_of(win);
        let target = comm.and_then(|comm| cache.find(partners, self.own, comm, rank));
        self.room.found.leave_out(LeftOut::NowhereWindows, target.is_none().into());
        target
    }

    /// The process whose memory is locked. Rank `u32::MAX` stands for all processes.
    pub(super) fn locked(&mut self, win: RmaWinRef, rank: u32) -> Option<Process> {
        match rank {
            u32::MAX => self.knows(win).then_some(EVERYBODY),
            _ => self.target(win, rank),
        }
    }

    /// Returns whether a window is defined; operations on another one are counted.
    pub(super) fn knows(&mut self, win: RmaWinRef) -> bool {
        let is_known = self.world.definitions.rma_wins.contains_key(&win);
        self.room.found.leave_out(LeftOut::NowhereWindows, (!is_known).into());
        is_known
    }

    pub(super) fn operation(&mut self, head: &EventHead<'_>, win: RmaWinRef, rank: u32) {
        let order = self.order(head);
        if let Some(target) = self.target(win, rank) {
            self.in_mpi(Pending::Operation { win, target, order, time: head.time.0 });
        }
    }

    pub(super) fn acquired(
        &mut self,
        head: &EventHead<'_>,
        paradigm: Paradigm,
        (lock, turn): (u32, u32),
    ) {
        let Some(process) = self.own else { return };
        let key = Meeting::Lock(process, paradigm.into(), lock).key();
        // The release of the same turn comes behind.
        let order =
            Order { time: u64::from(turn) * 2, location: self.location, number: head.number };
        let acquired = Pending::Acquired { order, key, time: head.time.0 };
        let is_tracked = self.present().lock().is_none_or(|call| call.wait(acquired));
        self.room.found.leave_out(LeftOut::Untracked, (!is_tracked).into());
    }

    pub(super) fn released(
        &mut self,
        head: &EventHead<'_>,
        paradigm: Paradigm,
        (lock, turn): (u32, u32),
    ) {
        let Some(process) = self.own else { return };
        let key = Meeting::Lock(process, paradigm.into(), lock).key();
        let time = u64::from(turn) * 2 + 1;
        let order = Order { time, location: self.location, number: head.number };
        self.attend(
            key,
            Attendance { order, action: MeetingEvent::Released(head.time.0), call: None },
        );
    }

    pub(super) fn fork(&mut self, head: &EventHead<'_>) {
        let time = self.teams.pass(head.time.0.max(self.profile.now()));
        let (from, mut moved) = (self.profile.here(Ticks(time)), Vec::new());
        self.teams.fork(time, from, &self.profile, &mut moved);
        self.move_all(moved);
    }

    /// Nothing has counted up to this time.
    pub fn begin_of_part(&mut self, time: Ticks) {
        self.teams.join_from(self.profile.here(time));
    }

    /// Nothing counts from this time on.
    pub fn end_of_part(&mut self, time: Ticks) {
        let is_master = self.world.threads.master_of(self.location).is_some();
        let moved = self.teams.fork_up_to(time, is_master, &self.profile);
        self.move_all(moved);
    }

    pub(super) fn join(&mut self, head: &EventHead<'_>) {
        let time = self.teams.pass(head.time.0.max(self.profile.now()));
        let moved = self.teams.join(time, &self.profile);
        self.move_all(moved);
        self.hand_over_teams(|teams, over| teams.settle(over));
    }

    /// Returns the key of a created thread, and its order there.
    pub(super) fn thread(
        &mut self,
        head: &EventHead<'_>,
        contingent: CommRef,
        sequence: u64,
    ) -> Option<(Key, Order)> {
        let order = Order { time: sequence, location: self.location, number: head.number };
        Some((Meeting::Thread(self.own?, contingent.0, sequence).key(), order))
    }
}
