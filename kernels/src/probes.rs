//! Matched receives: what `MpiMrecv` and `MpiImrecv` do not say of a message, its probe has said.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::events::{
    Event, EventKind, MpiImrecv, MpiImrecvRequest, MpiIrecv, MpiIrecvRequest, MpiMrecv, MpiProbe,
};
use streamfold_model::ids::CommRef;
use streamfold_model::stream::EventSet;

/// Reads the matched probes and receives of one location as a receive that is posted where the message was
/// probed: matching goes by the order of probes.
///
/// A message that another location of the process has probed is of an undefined communicator.
#[derive(Clone, Debug, Default)]
pub struct Probes {
    /// By the number of the message.
    probed: HashMap<u64, MpiProbe, RandomState>,
    /// The messages of non-blocking receives, by request.
    requests: HashMap<u64, u64, RandomState>,
}

/// The number that stands for a message where requests are numbered. Requests are counted from 0, or are
/// addresses: none has the highest bit.
const fn request_of(message: u64) -> u64 {
    message ^ (1 << 63)
}

impl Probes {
    /// The kinds of events that it reads.
    pub const WANTS: EventSet = EventSet::of(&[
        EventKind::MpiProbe,
        EventKind::MpiMrecv,
        EventKind::MpiImrecvRequest,
        EventKind::MpiImrecv,
    ]);

    /// A probe; where it is of a message that is received by number, the post of the receive.
    pub fn probe(&mut self, event: MpiProbe) -> Option<MpiIrecvRequest> {
        if event.message_id == u64::MAX {
            return None;
        }
        let request_id = request_of(event.message_id);
        self.probed.insert(event.message_id, event);
        Some(MpiIrecvRequest { request_id })
    }

    /// A receive of such a message.
    pub fn mrecv(&mut self, event: MpiMrecv) -> MpiIrecv {
        self.receive(event.message_id, event.msg_length)
    }

    /// The begin of a non-blocking one.
    pub fn imrecv_request(&mut self, event: MpiImrecvRequest) {
        self.requests.insert(event.request_id, event.message_id);
    }

    /// Its end.
    pub fn imrecv(&mut self, event: MpiImrecv) -> MpiIrecv {
        let message = self.requests.remove(&event.request_id);
        self.receive(message.unwrap_or(u64::MAX), event.msg_length)
    }

    fn receive(&mut self, message: u64, msg_length: u64) -> MpiIrecv {
        let request_id = request_of(message);
        match self.probed.remove(&message) {
            Some(MpiProbe { sender, communicator, tag: msg_tag, .. }) => {
                MpiIrecv { sender, communicator, msg_tag, msg_length, request_id }
            }
            None => MpiIrecv {
                sender: u32::MAX,
                communicator: CommRef::UNDEFINED,
                msg_tag: u32::MAX,
                msg_length,
                request_id,
            },
        }
    }

    /// The receive that an event completes, if it is one of these.
    pub fn take(&mut self, event: &Event<'_>) -> Option<MpiIrecv> {
        match *event {
            Event::MpiProbe(event) => drop(self.probe(event)),
            Event::MpiMrecv(event) => return Some(self.mrecv(event)),
            Event::MpiImrecvRequest(event) => self.imrecv_request(event),
            Event::MpiImrecv(event) => return Some(self.imrecv(event)),
            _ => {}
        }
        None
    }
}
