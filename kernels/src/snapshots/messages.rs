//! Messages that are under way.

use std::collections::{BTreeMap, HashMap, VecDeque};

use foldhash::fast::RandomState;
use streamfold_model::events::Event;
use streamfold_model::ids::CommRef;
use streamfold_model::snapshots::{
    MpiIrecvRequestSnap, MpiIrecvSnap, MpiIsendCompleteSnap, MpiIsendSnap, MpiRecvSnap,
    MpiSendSnap, Snapshot,
};
use streamfold_model::values::Ticks;

use super::{At, Place, Sink};
use crate::matching::{Partners, Process};

/// Messages that one side cannot tell from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Channel {
    from: Process,
    to: Process,
    comm: CommRef,
    tag: u32,
    length: u64,
}

/// A send without its receive.
#[derive(Debug)]
struct Send {
    at: At,
    /// Set if it has to be completed first.
    is_open: bool,
    completed: Option<At>,
}

/// A receive without its send.
#[derive(Debug)]
struct Receive {
    at: At,
    request: Option<At>,
}

/// Open sides of a channel.
#[derive(Debug, Default)]
struct Open {
    sends: BTreeMap<Place, Send>,
    /// Sends whose completion makes them ready, by its place.
    completed: BTreeMap<Place, Place>,
    receives: VecDeque<Receive>,
}

impl Open {
    /// The send that the next receive gets: the first one, and of non-blocking ones that which was completed first.
    fn ready(&mut self) -> Option<Send> {
        let (&first, send) = self.sends.first_key_value()?;
        if !send.is_open {
            return self.sends.remove(&first);
        }
        let (_, place) = self.completed.pop_first()?;
        self.sends.remove(&place)
    }
}

/// Operation that was posted and is not complete.
#[derive(Clone, Copy, Debug)]
enum Request {
    Send { channel: Channel, at: At },
    Receive(At),
}

/// Messages of all channels.
#[derive(Debug)]
pub(super) struct Messages<'d> {
    partners: &'d Partners<'d>,
    open: HashMap<Channel, Open, RandomState>,
    requests: HashMap<(Process, u64), Request, RandomState>,
}

impl<'d> Messages<'d> {
    pub(super) fn new(partners: &'d Partners<'d>) -> Self {
        Messages { partners, open: HashMap::default(), requests: HashMap::default() }
    }

    /// The channel of a message to a rank of a communicator.
    fn channel_to(
        &self,
        own: Process,
        comm: CommRef,
        rank: u32,
        tag: u32,
        length: u64,
    ) -> Option<Channel> {
        let to = self.partner(own, comm, rank)?;
        Some(Channel { from: own, to, comm, tag, length })
    }

    /// The channel of a message from a rank of a communicator.
    fn channel_from(
        &self,
        own: Process,
        comm: CommRef,
        rank: u32,
        tag: u32,
        length: u64,
    ) -> Option<Channel> {
        let from = self.partner(own, comm, rank)?;
        Some(Channel { from, to: own, comm, tag, length })
    }

    /// The process that has a rank of a communicator, as another one names it.
    fn partner(&self, own: Process, comm: CommRef, rank: u32) -> Option<Process> {
        let side = self.partners.side(comm, own)?;
        self.partners.process(side, own, rank)
    }

    pub(super) fn take(
        &mut self,
        at: At,
        own: Process,
        time: Ticks,
        event: &Event<'_>,
        sink: &mut Sink<'_>,
    ) {
        match *event {
            Event::MpiSend(event) => {
                let (comm, tag, length) = (event.communicator, event.msg_tag, event.msg_length);
                let channel = self.channel_to(own, comm, event.receiver, tag, length);
                let Some(channel) = channel else {
                    return;
                };
                let snap = MpiSendSnap {
                    orig_event_time: time,
                    receiver: event.receiver,
                    communicator: event.communicator,
                    msg_tag: event.msg_tag,
                    msg_length: event.msg_length,
                };
                sink.keep(at, Snapshot::MpiSendSnap(snap));
                let send = Send { at, is_open: false, completed: None };
                self.open.entry(channel).or_default().sends.insert(at.place, send);
                self.settle(channel, sink);
            }
            Event::MpiIsend(event) => {
                let (comm, tag, length) = (event.communicator, event.msg_tag, event.msg_length);
                let channel = self.channel_to(own, comm, event.receiver, tag, length);
                let Some(channel) = channel else {
                    return;
                };
                let snap = MpiIsendSnap {
                    orig_event_time: time,
                    receiver: event.receiver,
                    communicator: event.communicator,
                    msg_tag: event.msg_tag,
                    msg_length: event.msg_length,
                    request_id: event.request_id,
                };
                sink.keep(at, Snapshot::MpiIsendSnap(snap));
                let send = Send { at, is_open: true, completed: None };
                self.open.entry(channel).or_default().sends.insert(at.place, send);
                let request = Request::Send { channel, at };
                let before = self.requests.insert((own, event.request_id), request);
                self.abandon(before, sink);
            }
            Event::MpiIsendComplete(event) => {
                let posted = self.requests.remove(&(own, event.request_id));
                let Some(Request::Send { channel, at: post }) = posted else { return };
                let Some(open) = self.open.get_mut(&channel) else { return };
                let Some(send) = open.sends.get_mut(&post.place) else { return };
                send.completed = Some(at);
                open.completed.insert(at.place, post.place);
                let snap =
                    MpiIsendCompleteSnap { orig_event_time: time, request_id: event.request_id };
                sink.keep(at, Snapshot::MpiIsendCompleteSnap(snap));
                self.settle(channel, sink);
            }
            Event::MpiIrecvRequest(event) => {
                let snap =
                    MpiIrecvRequestSnap { orig_event_time: time, request_id: event.request_id };
                sink.keep(at, Snapshot::MpiIrecvRequestSnap(snap));
                let before = self.requests.insert((own, event.request_id), Request::Receive(at));
                self.abandon(before, sink);
            }
            Event::MpiRecv(event) => {
                let (comm, tag, length) = (event.communicator, event.msg_tag, event.msg_length);
                let channel = self.channel_from(own, comm, event.sender, tag, length);
                let Some(channel) = channel else {
                    return;
                };
                let snap = MpiRecvSnap {
                    orig_event_time: time,
                    sender: event.sender,
                    communicator: event.communicator,
                    msg_tag: event.msg_tag,
                    msg_length: event.msg_length,
                };
                sink.keep(at, Snapshot::MpiRecvSnap(snap));
                self.received(channel, Receive { at, request: None }, sink);
            }
            Event::MpiIrecv(event) => {
                let request = match self.requests.remove(&(own, event.request_id)) {
                    Some(Request::Receive(at)) => Some(at),
                    _ => None,
                };
                let (comm, tag, length) = (event.communicator, event.msg_tag, event.msg_length);
                let channel = self.channel_from(own, comm, event.sender, tag, length);
                let Some(channel) = channel else {
                    request.into_iter().for_each(|at| sink.forget(at));
                    return;
                };
                let snap = MpiIrecvSnap {
                    orig_event_time: time,
                    sender: event.sender,
                    communicator: event.communicator,
                    msg_tag: event.msg_tag,
                    msg_length: event.msg_length,
                    request_id: event.request_id,
                };
                sink.keep(at, Snapshot::MpiIrecvSnap(snap));
                self.received(channel, Receive { at, request }, sink);
            }
            Event::MpiRequestCancelled(event) => {
                let posted = self.requests.remove(&(own, event.request_id));
                self.abandon(posted, sink);
            }
            _ => {}
        }
    }

    fn received(&mut self, channel: Channel, receive: Receive, sink: &mut Sink<'_>) {
        self.open.entry(channel).or_default().receives.push_back(receive);
        self.settle(channel, sink);
    }

    /// Forgets messages of which both sides are there now.
    fn settle(&mut self, channel: Channel, sink: &mut Sink<'_>) {
        let Some(open) = self.open.get_mut(&channel) else { return };
        while !open.receives.is_empty() {
            let Some(send) = open.ready() else { break };
            let Some(receive) = open.receives.pop_front() else { break };
            let records = [Some(send.at), send.completed, Some(receive.at), receive.request];
            records.into_iter().flatten().for_each(|at| sink.forget(at));
        }
        if open.sends.is_empty() && open.receives.is_empty() {
            self.open.remove(&channel);
        }
    }

    /// An operation that was posted will never be complete.
    fn abandon(&mut self, posted: Option<Request>, sink: &mut Sink<'_>) {
        match posted {
            None => {}
            Some(Request::Receive(at)) => sink.forget(at),
            Some(Request::Send { channel, at }) => {
                sink.forget(at);
                let Some(open) = self.open.get_mut(&channel) else { return };
                open.sends.remove(&at.place);
                self.settle(channel, sink);
            }
        }
    }
}
