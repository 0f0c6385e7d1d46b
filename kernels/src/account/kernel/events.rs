//! Events of a location, as the account takes them.

use streamfold_model::calls::{hand_over, hand_over_message, Calls};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::stream::{EventHead, EventSet};

use super::{AccountScan, Stretch};
use crate::account::Role;
use crate::call_stack::CallStack;
use crate::stretches::UpTo;

impl EventVisitor for AccountScan<'_, '_> {
    const WANTS: EventSet =
        CallStack::WANTS.and(EventSet::TEAMS).and(EventSet::MESSAGES).and(EventSet::TRANSFERS).and(
            EventSet::of(&[
                EventKind::MpiCollectiveEnd,
                EventKind::NonBlockingCollectiveComplete,
                EventKind::IoOperationComplete,
                EventKind::RmaOpCompleteBlocking,
                EventKind::RmaOpCompleteNonBlocking,
                EventKind::ThreadBegin,
                EventKind::ProgramBegin,
                EventKind::BufferFlush,
                EventKind::Metric,
            ]),
        );

    #[inline]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        loop {
            let behind = match self.stretch(calls.time().0) {
                Some(Stretch { since, limit: None, counts }) => self.follow(calls, since, counts),
                Some(Stretch { since, limit: Some(limit), counts }) => {
                    let mut before = UpTo::new(calls, limit);
                    self.follow(&mut before, since, counts).or(before.behind)
                }
                None => calls.next(),
            };
            if let Some(call) = behind {
                hand_over(self, call, &calls.head());
            } else if let Some(message) = calls.next_envelope() {
                hand_over_message(self, message, &calls.head());
            } else {
                return;
            }
        }
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let time = head.time.0.max(self.since.unwrap_or(0));
        match &event {
            Event::ProgramBegin(of) => self.found.map.name((head.location, of.program_name)),
            Event::Metric(values) => {
                if let Some(cells) = &mut self.cells {
                    cells.metric(self.found, time, values);
                }
                if self.role == Some(Role::Thread) {
                    self.grow(time, values);
                }
                return;
            }
            _ => {}
        }
        if self.role.is_none() {
            return;
        }
        self.count_up_to(time);
        match &event {
            Event::MpiSend(of) => {
                self.found.counts.messages += 1;
                self.bytes(time, of.msg_length, 0);
            }
            Event::MpiIsend(of) => {
                self.found.counts.messages += 1;
                self.bytes(time, of.msg_length, 0);
            }
            Event::MpiRecv(of) => self.bytes(time, 0, of.msg_length),
            Event::MpiIrecv(of) => self.bytes(time, 0, of.msg_length),
            Event::MpiCollectiveEnd(of) => {
                self.found.counts.collectives += 1;
                self.bytes(time, of.size_sent, of.size_received);
            }
            Event::NonBlockingCollectiveComplete(of) => {
                self.found.counts.collectives += 1;
                self.bytes(time, of.size_sent, of.size_received);
            }
            Event::IoOperationComplete(of) => {
                self.found.counts.io += 1;
                if of.bytes_result != u64::MAX {
                    if let Some(work) = self.part_of(time) {
                        work.file_bytes = work.file_bytes.saturating_add(of.bytes_result);
                    }
                }
            }
            Event::RmaPut(of) => {
                self.transfer(time, true, (of.win, of.matching_id), (of.remote, of.bytes));
            }
            Event::RmaGet(of) => {
                self.transfer(time, false, (of.win, of.matching_id), (of.remote, of.bytes));
            }
            Event::RmaAtomic(of) => {
                self.found.counts.transfers += 1;
                self.send(time, of.bytes_sent.saturating_add(of.bytes_received));
            }
            Event::RmaOpCompleteBlocking(of) => self.complete((of.win, of.matching_id)),
            Event::RmaOpCompleteNonBlocking(of) => self.complete((of.win, of.matching_id)),
            Event::BufferFlush(of) => self.flushes = of.stop_time.0,
            // The program created the thread: it belongs to no team yet.
            Event::ThreadBegin(_) => {
                self.idles = false;
                self.look();
            }
            _ => {
                match self.teams.take(&event) {
                    true => self.idles |= self.is_worker && self.teams.is_inside(),
                    false => self.visit(head, &event, time),
                }
                self.look();
            }
        }
    }
}
