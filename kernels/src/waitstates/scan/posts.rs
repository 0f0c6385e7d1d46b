//! Messages and their requests.

use streamfold_model::ids::CommRef;
use streamfold_model::stream::EventHead;

use super::WaitScan;
use crate::matching::messages::Channel;
use crate::matching::requests::{Ended, Orphan, RequestEvent};
use crate::matching::{Key, Order};
use crate::waitstates::messages::MessageEnd;
use crate::waitstates::open::Pending;
use crate::waitstates::requests::{joined, Begin, Completed, Participated, Posted};
use crate::waitstates::severity::LeftOut;

/// A message as one record has it.
pub(super) struct Envelope {
    pub(super) comm: CommRef,
    pub(super) rank: u32,
    pub(super) tag: u32,
    pub(super) sends: bool,
}

impl WaitScan<'_, '_> {
    pub(super) fn send(&mut self, key: Key, end: MessageEnd) {
        self.room.sends.push(key, end, &mut self.room.to_sends);
    }

    pub(super) fn receive(&mut self, key: Key, end: MessageEnd) {
        self.room.receives.push(key, end, &mut self.room.to_receives);
    }

    /// The key of a message, where definitions say what it is.
    pub(super) fn channel(&mut self, message: Envelope) -> Option<Key> {
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
    pub(super) fn end_here(&mut self, head: &EventHead<'_>) -> MessageEnd {
        let (posted, time) = (self.order(head), head.time.0);
        let (entered, path, number) = (self.entered_at(), self.entered_by(), head.number);
        let completer = self.location;
        let (bytes, completed, call) = (0, time, None);
        MessageEnd { posted, time, entered, path, bytes, completed, completer, number, call }
    }

    /// A message is open under a number from here on: a send with this key, or a receive.
    pub(super) fn message_posted(&mut self, number: u64, key: Option<Key>, end: MessageEnd) {
        let begin =
            Begin { time: end.time, entered: end.entered, path: end.path, bytes: end.bytes };
        let posted = key.map_or(Posted::Receive(begin), |key| Posted::Send(key, begin));
        let lost = self.room.requests.post(number, end.posted, posted);
        lost.into_iter().for_each(|(at, lost)| self.never_completed(at, lost));
    }

    /// A message that was open is complete, as if it had been posted here.
    pub(super) fn message_completed(&mut self, number: u64, completed: Completed) {
        let (ended, lost) = self.room.requests.complete(number, &completed);
        lost.into_iter().for_each(|(at, lost)| self.never_completed(at, lost));
        match ended {
            Ended::Here(at, post) => match (joined(at, post, &completed), completed) {
                (Some((key, end)), Completed::Send(_)) => self.in_mpi(Pending::Send(key, end)),
                (Some((key, end)), _) => self.in_mpi(Pending::Receive(key, end)),
                (None, _) => {}
            },
            Ended::Elsewhere(key) => self.in_mpi(Pending::Completed(key, completed)),
            Ended::Undefined => {
                if let Completed::Receive(key, end) = completed {
                    self.room.found.leave_out(LeftOut::UnpostedReceives, 1);
                    key.into_iter().for_each(|key| self.in_mpi(Pending::Receive(key, end)));
                }
            }
        }
    }

    /// Handles a post whose end is unknown.
    pub(super) fn never_completed(&mut self, at: Order, post: Posted) {
        match post {
            Posted::Send(key, begin) => self.send(key, begin.end(at)),
            Posted::Receive(_) => self.room.found.leave_out(LeftOut::OpenReceives, 1),
        }
    }

    /// A message was completed that another thread may have posted.
    pub(super) fn completed_elsewhere(&mut self, key: Key, completed: Completed) {
        let (Completed::Send(end) | Completed::Receive(_, end)) = &completed;
        let order = end.posted;
        self.room.requests.push(key, Orphan { order, action: RequestEvent::Completed(completed) });
    }

    /// The same of an operation.
    pub(super) fn participated_elsewhere(&mut self, key: Key, member: Participated) {
        let order = member.1.order;
        self.room.operations.push(key, Orphan { order, action: RequestEvent::Completed(member) });
    }

    /// A request was cancelled, of a message or an operation.
    pub(super) fn cancel(&mut self, number: u64, here: Order) {
        let cancelled = self.room.requests.cancel(number).is_some()
            | self.room.operations.cancel(number).is_some();
        self.room.found.leave_out(LeftOut::Cancelled, cancelled.into());
        if !cancelled {
            self.room.requests.cancel_elsewhere(number, here);
            self.room.operations.cancel_elsewhere(number, here);
        }
    }
}
