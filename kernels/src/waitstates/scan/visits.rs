//! The calls of a location, as they are entered and left, and what waits for their ends.

use streamfold_model::calls::{Call as Visit, Calls};
use streamfold_model::events::Event;
use streamfold_model::ids::RegionRef;
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use super::{WaitScan, World};
use crate::matching::Order;
use crate::task::{Task, TaskEvent};
use crate::waitstates::call::Call;
use crate::waitstates::class::{CallKind, MpiCall, WindowCall};
use crate::waitstates::classes::Classes;
use crate::waitstates::collectives::Member;
use crate::waitstates::meetings::{Attendance, Meeting, MeetingEvent};
use crate::waitstates::metric::Metric;
use crate::waitstates::open::{OpenCall, OpenCalls, Pending};
use crate::waitstates::path::PathId;
use crate::waitstates::severity::LeftOut;
use crate::waitstates::windows::At;

/// A run of enters and leaves, up to one of a region that matters here.
pub(super) struct Watched<'c, 'd, C> {
    pub(super) calls: &'c mut C,
    pub(super) classes: &'c mut Classes<'d>,
    /// Set if all regions matter.
    pub(super) all: bool,
    pub(super) stopped: Option<(Visit, Option<CallKind>)>,
}

impl<C: Calls> Calls for Watched<'_, '_, C> {
    #[inline(always)]
    fn next(&mut self) -> Option<Visit> {
        if self.stopped.is_some() {
            return None;
        }
        let visit = self.calls.next()?;
        let kind = self.classes.of(visit.region()).call;
        if self.all || kind.is_some() {
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

impl WaitScan<'_, '_> {
    /// A region that matters was entered.
    pub(super) fn entered(&mut self, region: RegionRef, kind: CallKind, number: u64) {
        let depth = self.profile.depth();
        // Those that were dropped are not open any more.
        while self.open.last().is_some_and(|call| call.depth >= depth) {
            let call = self.open.pop().expect("there is a last one");
            self.drop_call(call);
        }
        let barrier = match kind {
            CallKind::TeamBarrier(metric) => {
                self.teams.barrier(metric == Metric::OMP_IBARRIER_WAIT)
            }
            CallKind::Parallel => {
                self.room.found.openmp = true;
                let mut moved = Vec::new();
                self.teams.enter(number, &self.profile, &mut moved);
                self.move_all(moved);
                self.regions.enter(self.profile.now());
                None
            }
            _ => None,
        };
        let (path, enter, pending) = (self.profile.path(), self.profile.now(), self.open.room());
        self.open.push(OpenCall { kind, region, path, enter, number, depth, barrier, pending });
    }

    /// A region that matters was left, with an event of this number.
    pub(super) fn left(&mut self, region: RegionRef, number: u64) {
        self.left_with = number;
        let depth = self.profile.depth() + 1;
        let is_last = |call: &OpenCall| call.depth == depth && call.region == region;
        if !self.profile.has_left() {
            self.settle(None);
        } else if self.open.last().is_some_and(is_last) && self.crossed == self.profile.crossed() {
            let call = self.open.pop().expect("there is a last one");
            self.close(call);
        } else {
            self.settle(Some(region));
        }
    }

    /// Drops the calls that are not open any more; the one that was left just now is of a region.
    pub(super) fn settle(&mut self, left: Option<RegionRef>) {
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

    /// The calls that are open, whatever was left meanwhile.
    pub(super) fn present(&mut self) -> &mut OpenCalls {
        if self.crossed != self.profile.crossed() {
            self.settle(None);
        }
        &mut self.open
    }

    /// The innermost call of MPI.
    pub(super) fn mpi(&mut self) -> Option<&mut OpenCall> {
        self.present().mpi()
    }

    /// When the innermost call of MPI was entered.
    pub(super) fn entered_at(&mut self) -> Option<u64> {
        self.mpi().map(|call| call.enter)
    }

    /// The call path of the innermost call of MPI.
    pub(super) fn entered_by(&mut self) -> PathId {
        let path = self.mpi().map(|call| call.path);
        path.map_or(PathId::ROOT, |path| self.room.ids.of(path, self.profile.call_tree()))
    }

    /// The call was left just now.
    pub(super) fn close(&mut self, call: OpenCall) {
        let (leave, exclusive) = (self.profile.now(), self.profile.exclusive_of_left());
        let leave = leave.max(call.enter);
        let exclusive = exclusive.min(leave - call.enter);
        self.end_call(call, Some(leave), exclusive);
    }

    /// Ends a call without a recorded end: it has no time.
    pub(super) fn drop_call(&mut self, call: OpenCall) {
        self.end_call(call, None, 0);
    }

    fn end_call(&mut self, mut open: OpenCall, left: Option<u64>, exclusive: u64) {
        let path = self.room.ids.of(open.path, self.profile.call_tree());
        let OpenCall { enter, number, .. } = open;
        let (leave, is_left) = (left.unwrap_or(enter), left.is_some());
        let has_several = open.has_several();
        let call = Call { enter, leave, is_left, exclusive, has_several, path, number };
        if open.kind == CallKind::Parallel {
            self.regions.end(is_left, self.profile.now());
        }
        let pending = std::mem::take(&mut open.pending);
        for pending in &pending {
            self.finish(*pending, open.kind, call);
        }
        self.open.give_back(pending);
        self.meet(&open, call);
    }

    /// The call in which something happened is over.
    pub(super) fn finish(&mut self, pending: Pending, kind: CallKind, call: Call) {
        let mpi = match kind {
            CallKind::Mpi(mpi) => mpi,
            _ => MpiCall::Tests,
        };
        match pending {
            Pending::Send(key, end) => self.send(key, Pending::send_in(end, mpi, call)),
            Pending::Receive(key, end) => self.receive(key, Pending::receive_in(end, mpi, call)),
            Pending::Completed(key, completed) => {
                self.completed_elsewhere(key, Pending::completed_in(completed, mpi, call));
            }
            Pending::Member(key, member) => {
                let call = mpi.waits_for_senders().then_some(call);
                self.member(key, Member { call, ..member });
            }
            Pending::Participated(key, (of, member)) => {
                let call = mpi.waits_for_senders().then_some(call);
                self.participated_elsewhere(key, (of, Member { call, ..member }));
            }
            Pending::Acquired { order, key, time } => {
                let CallKind::Lock(metric) = kind else { return };
                let action = MeetingEvent::Acquired(time, metric);
                self.attend(key, Attendance { order, action, call: Some(call) });
            }
            Pending::Joined { order, key } => {
                self.attend(key, Attendance { order, action: MeetingEvent::Was, call: Some(call) });
            }
            _ => self.finish_on_window(pending, mpi, call),
        }
    }

    pub(super) fn finish_on_window(&mut self, pending: Pending, mpi: MpiCall, call: Call) {
        let (Some(own), World { partners, .. }) = (self.own, self.world) else { return };
        let (windows, lanes) = (&mut self.windows, &mut self.room.epochs);
        match pending {
            Pending::Group { win, group, order, empty } => {
                let MpiCall::Window(kind) = mpi else { return };
                // The end of an epoch needs no group: it has the group of its begin.
                let begins = matches!(kind, WindowCall::Start | WindowCall::Post);
                if begins && !empty && !partners.has_group(group) {
                    return self.room.found.leave_out(LeftOut::NowhereWindows, 1);
                }
                let at = At { win, own, order };
                if !empty {
                    let left_out = windows.group((kind, group), at, call, partners, lanes);
                    left_out.into_iter().for_each(|what| self.room.found.leave_out(what, 1));
                }
            }
            Pending::Operation { win, target, order, time } => {
                let at = At { win, own, order };
                let is_remembered = windows.operation(at, target, time, call);
                self.room.found.leave_out(LeftOut::Untracked, (!is_remembered).into());
            }
            Pending::Request { win, target, alone, time } => {
                let order = Order { time, location: self.location, number: call.number };
                windows.request(At { win, own, order }, target, (time, alone), call);
            }
            Pending::Acquire { win, target } => {
                let order = Order { time: 0, location: self.location, number: call.number };
                let in_operation = mpi == MpiCall::Window(WindowCall::Operation);
                windows.acquired(At { win, own, order }, target, call, in_operation);
            }
            Pending::Release { win, target, order, time } => {
                windows.release(At { win, own, order }, target, time, call, lanes);
            }
            _ => {}
        }
    }

    /// Adds the call to its own meeting.
    pub(super) fn meet(&mut self, open: &OpenCall, call: Call) {
        let Some(process) = self.own else { return };
        let order = Order { time: 0, location: self.location, number: call.number };
        match open.kind {
            CallKind::Mpi(kind @ (MpiCall::Init | MpiCall::Finalize)) => {
                let init = kind == MpiCall::Init;
                let meeting = if init { Meeting::Init } else { Meeting::Finalize };
                let attendance = Attendance { order, action: MeetingEvent::Was, call: Some(call) };
                self.attend(meeting.key(), attendance);
            }
            CallKind::TeamBarrier(metric) => {
                let Some(barrier) = open.barrier else { return };
                let meeting = Meeting::Barriers(process, barrier.team, barrier.begin);
                let order = Order { time: barrier.number, ..order };
                let action = MeetingEvent::Barrier(metric);
                self.attend(meeting.key(), Attendance { order, action, call: Some(call) });
            }
            CallKind::Parallel => {
                let here = self.profile.here(Ticks(self.profile.now()));
                self.teams.leave(call, self.left_with, here);
                self.hand_over_teams(|teams, over| teams.settle(over));
            }
            _ => {}
        }
    }

    /// Something happened in the innermost call of MPI: all of it is known when that ends.
    pub(super) fn in_mpi(&mut self, pending: Pending) {
        match self.mpi().map(|call| call.wait(pending)) {
            Some(true) => {}
            Some(false) => {
                self.room.found.leave_out(LeftOut::Untracked, 1);
                self.in_no_call(pending);
            }
            None => self.in_no_call(pending),
        }
    }

    /// Handles an item outside of all calls: no call waited.
    pub(super) fn in_no_call(&mut self, pending: Pending) {
        match pending {
            Pending::Send(key, end) => self.send(key, end),
            Pending::Receive(key, end) => self.receive(key, end),
            Pending::Completed(key, completed) => self.completed_elsewhere(key, completed),
            Pending::Member(key, member) => self.member(key, member),
            Pending::Participated(key, member) => self.participated_elsewhere(key, member),
            _ => {}
        }
    }

    /// Handles an event of a task. The thread itself is its implicit task, which never ends.
    pub(super) fn task(&mut self, event: &Event<'_>) {
        match TaskEvent::of(event) {
            Some(TaskEvent::Switch(task)) => self.switch((!task.is_implicit()).then_some(task)),
            Some(TaskEvent::Complete(task)) if !task.is_implicit() => self.complete(task),
            _ => {}
        }
        if self.teams.follows() {
            let here = self.profile.here(Ticks(self.profile.now()));
            self.teams.go_on(|_| false, here);
        }
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

    /// A region was entered or left that matters, or any while a team is forked or joined.
    pub(super) fn visit(&mut self, visit: Visit, kind: Option<CallKind>, number: u64) {
        if self.teams.follows() {
            self.follow();
        }
        match (visit, kind) {
            (Visit::Enter(region), Some(kind)) => self.entered(region, kind, number),
            (Visit::Leave(region), Some(_)) => self.left(region, number),
            (_, None) => {}
        }
    }

    /// The same of an enter or leave that comes alone.
    pub(super) fn visit_alone(&mut self, visit: Visit, number: u64) {
        let kind = self.room.classes.of(visit.region()).call;
        if kind.is_some() || self.teams.follows() {
            self.visit(visit, kind, number);
        }
    }
}
