//! The open calls of a location, and items that wait for their ends.

use streamfold_model::ids::{GroupRef, RegionRef, RmaWinRef};

use super::call::Call;
use super::class::{CallKind, MpiCall};
use super::collectives::{Manner, Member};
use super::messages::MessageEnd;
use super::requests::{Completed, Participated};
use crate::matching::{Key, Order, Process};
use crate::profile::PathIndex;

/// A call that is open.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub kind: CallKind,
    pub region: RegionRef,
    pub path: PathIndex,
    /// When it was entered, in ticks.
    pub enter: u64,
    /// The number of the event of its enter.
    pub number: u64,
    /// How many visits were open then, this one included.
    pub depth: usize,
    /// Of a barrier: the team that it is of.
    pub barrier: Option<Barrier>,
    /// Items that are complete when it ends.
    pub pending: Vec<Pending>,
}

/// A barrier of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Barrier {
    pub team: u32,
    /// How often the team had begun before.
    pub begin: u32,
    /// The number of the barrier in the team.
    pub number: u64,
}

/// An item that waits for the end of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pending {
    Send(Key, MessageEnd),
    Receive(Key, MessageEnd),
    /// Of a request that another thread may have posted, by the key of that.
    Completed(Key, Completed),
    Member(Key, Member),
    /// The same of an operation.
    Participated(Key, Participated),
    Acquired {
        order: Order,
        key: Key,
        time: u64,
    },
    /// A thread was waited for.
    Joined {
        order: Order,
        key: Key,
    },
    /// A group of processes is at one end of an epoch.
    Group {
        win: RmaWinRef,
        group: GroupRef,
        order: Order,
        empty: bool,
    },
    Operation {
        win: RmaWinRef,
        target: Process,
        order: Order,
        time: u64,
    },
    Request {
        win: RmaWinRef,
        target: Process,
        alone: bool,
        time: u64,
    },
    Acquire {
        win: RmaWinRef,
        target: Process,
    },
    Release {
        win: RmaWinRef,
        target: Process,
        order: Order,
        time: u64,
    },
}

/// Most items of one call that are remembered.
const MOST_PENDING: usize = 1 << 20;

impl OpenCall {
    /// Adds an item that waits for its end. Returns whether there is room for it.
    pub(super) fn wait(&mut self, pending: Pending) -> bool {
        let has_room = self.pending.len() < MOST_PENDING;
        if has_room {
            self.pending.push(pending);
        }
        has_room
    }

    /// Returns whether it may have waited more than once.
    pub(super) fn has_several(&self) -> bool {
        let itself = match self.kind {
            CallKind::TeamBarrier(_) | CallKind::Mpi(MpiCall::Init | MpiCall::Finalize) => 1,
            _ => 0,
        };
        let of_many = usize::from(self.pending.iter().any(Pending::is_one_of_many));
        let others = self.pending.iter().filter(|pending| !pending.is_one_of_many());
        others.take(2).count() + of_many + itself > 1
    }

    /// Returns the kind of call, if it is of MPI.
    pub(super) fn mpi(&self) -> Option<MpiCall> {
        match self.kind {
            CallKind::Mpi(call) => Some(call),
            _ => None,
        }
    }
}

/// The calls of what runs, the innermost last.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    calls: Vec<OpenCall>,
    /// Room of calls that are over.
    spare: Vec<Vec<Pending>>,
}

impl OpenCalls {
    /// Room for what waits for one more.
    pub(super) fn room(&mut self) -> Vec<Pending> {
        self.spare.pop().unwrap_or_default()
    }

    /// A call is over, and nothing waits for it any more.
    pub(super) fn give_back(&mut self, mut pending: Vec<Pending>) {
        pending.clear();
        self.spare.push(pending);
    }

    pub(super) fn push(&mut self, call: OpenCall) {
        self.calls.push(call);
    }

    pub(super) fn pop(&mut self) -> Option<OpenCall> {
        self.calls.pop()
    }

    pub(super) fn last(&self) -> Option<&OpenCall> {
        self.calls.last()
    }

    /// The innermost call of MPI.
    pub(super) fn mpi(&mut self) -> Option<&mut OpenCall> {
        self.calls.iter_mut().rev().find(|call| call.mpi().is_some())
    }

    /// The innermost barrier of a team.
    pub(super) fn team_barrier(&mut self) -> Option<&mut OpenCall> {
        self.calls.iter_mut().rev().find(|call| matches!(call.kind, CallKind::TeamBarrier(_)))
    }

    /// The innermost call in which a lock may be acquired.
    pub(super) fn lock(&mut self) -> Option<&mut OpenCall> {
        self.calls.iter_mut().rev().find(|call| matches!(call.kind, CallKind::Lock(_)))
    }

    /// The innermost call in which the end of a thread is waited for.
    pub(super) fn thread_join(&mut self) -> Option<&mut OpenCall> {
        self.calls.iter_mut().rev().find(|call| call.kind == CallKind::ThreadJoin)
    }

    /// Those of another task take the place of these, which are returned.
    pub(super) fn exchange(&mut self, calls: Vec<OpenCall>) -> Vec<OpenCall> {
        std::mem::replace(&mut self.calls, calls)
    }
}

impl Pending {
    /// Returns whether a call that completes all of these waits for one of them only.
    fn is_one_of_many(&self) -> bool {
        match self {
            Pending::Send(..)
            | Pending::Receive(..)
            | Pending::Completed(..)
            | Pending::Participated(..) => true,
            Pending::Member(_, member) => member.manner == Manner::Requests,
            _ => false,
        }
    }

    /// The same, done in this call.
    pub(super) fn completed_in(completed: Completed, kind: MpiCall, call: Call) -> Completed {
        match completed {
            Completed::Send(end) => Completed::Send(Pending::send_in(end, kind, call)),
            Completed::Receive(key, end) => {
                Completed::Receive(key, Pending::receive_in(end, kind, call))
            }
        }
    }

    /// The same, done in this call.
    pub(super) fn send_in(end: MessageEnd, kind: MpiCall, call: Call) -> MessageEnd {
        MessageEnd { call: kind.waits_for_receivers().then_some(call), ..end }
    }

    /// The same, done in this call.
    pub(super) fn receive_in(end: MessageEnd, kind: MpiCall, call: Call) -> MessageEnd {
        MessageEnd { call: kind.waits_for_senders().then_some(call), ..end }
    }
}
