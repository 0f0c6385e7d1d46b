//! Messages and their requests.

use streamfold_model::ids::CommRef;
use streamfold_model::stream::EventHead;

use super::WaitScan;
use crate::matching::messages::Channel;
use crate::matching::{Key, Process};
use crate::waitstates::messages::MessageEnd;
use crate::waitstates::open::Pending;
use crate::waitstates::requests::{key_of_request, Deed as RequestDeed, Orphan};
use crate::waitstates::severity::LeftOut;

/// Requests that a location has open at a time, of which more is remembered than that they were there.
pub(super) const MOST_OPEN: usize = 1 << 20;
/// What is open under the number of a request.
pub(super) enum Request {
    Send(Key, MessageEnd),
    Receive(MessageEnd),
}

/// A message as one record tells it.
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
        let (entered, number) = (self.entered_at(), head.number);
        let completer = self.location;
        MessageEnd { posted, time, entered, completed: time, completer, number, call: None }
    }

    /// A request is open from here on.
    pub(super) fn request(&mut self, number: u64, request: Request) {
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
    pub(super) fn shared(&self) -> Option<Process> {
        self.own.filter(|process| self.world.threads.is_shared(*process))
    }

    /// The location did not complete a request.
    pub(super) fn never_completed(&mut self, number: u64, request: Request) {
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
    pub(super) fn not_posted(
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

    pub(super) fn orphan(&mut self, key: Key, orphan: Orphan) {
        self.room.orphans.push(key, orphan, &mut self.room.to_orphans);
    }
}
