//! Runs of enters and leaves, and of messages between them: most of any trace, so whoever counts them
//! may do so in a loop of its own.

use crate::events::{
    Enter, Event, EventKind, EventVisitor, Leave, MpiIrecv, MpiIsend, MpiRecv, MpiSend,
};
use crate::ids::{CommRef, RegionRef};
use crate::stream::EventHead;
use crate::values::Ticks;

/// An [`Enter`] or [`Leave`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The region is entered.
    Enter(RegionRef),
    /// The region is left.
    Leave(RegionRef),
}

impl Call {
    /// The region that is entered or left.
    #[inline(always)]
    pub fn region(self) -> RegionRef {
        match self {
            Call::Enter(region) | Call::Leave(region) => region,
        }
    }

    /// How many regions are left: 0 or 1.
    #[inline(always)]
    pub fn leaves(self) -> usize {
        match self {
            Call::Enter(_) => 0,
            Call::Leave(_) => 1,
        }
    }

    /// Tells whether the region is left.
    #[inline(always)]
    pub fn is_leave(self) -> bool {
        self.leaves() > 0
    }
}

/// Direction and length of an [`MpiSend`], [`MpiIsend`], [`MpiRecv`] or [`MpiIrecv`], for kernels that count messages.
///
/// [`MpiSend`]: crate::events::MpiSend
/// [`MpiIsend`]: crate::events::MpiIsend
/// [`MpiRecv`]: crate::events::MpiRecv
/// [`MpiIrecv`]: crate::events::MpiIrecv
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Set if it is received, or else it is sent.
    pub received: bool,
    /// Its length in bytes.
    pub bytes: u64,
}

/// All fields of an [`MpiSend`], [`MpiIsend`], [`MpiRecv`] or [`MpiIrecv`], for kernels that need it in its place
/// between enters and leaves.
///
/// [`MpiSend`]: crate::events::MpiSend
/// [`MpiIsend`]: crate::events::MpiIsend
/// [`MpiRecv`]: crate::events::MpiRecv
/// [`MpiIrecv`]: crate::events::MpiIrecv
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Set if it is received, or else it is sent.
    pub received: bool,
    /// The rank that sends or receives it at the other end.
    pub partner: u32,
    /// The communicator of that rank.
    pub comm: CommRef,
    /// Its tag.
    pub tag: u32,
    /// Its length in bytes.
    pub bytes: u64,
    /// The number of the request, of those that do not block.
    pub request: Option<u64>,
}

/// Enters and leaves of one location that follow each other, with nothing between them but messages
/// that were asked for, and whose times do not go backward.
pub trait Calls {
    /// The next one. `None`: something else follows.
    fn next(&mut self) -> Option<Call>;

    /// Passes all that follow, up to something else.
    fn skip(&mut self) {
        while self.next().is_some() {}
    }

    /// Returns the message that follows, and passes it. The caller takes it in place of the event.
    ///
    /// `None`: something else follows, or a message that is to be had as an event only.
    fn next_message(&mut self) -> Option<Message> {
        None
    }

    /// Returns all fields of the message that follows, and passes it. The caller takes it in place of the event;
    /// [`Calls::head`] is then that of the message.
    ///
    /// `None`: something else follows, or a message that is to be had as an event only.
    fn next_envelope(&mut self) -> Option<Envelope> {
        None
    }

    /// Returns the time of the last one, or of the event before if there was none yet: corrected, in ticks. A message
    /// that was taken may count as one, or not.
    fn time(&self) -> Ticks;

    /// All that stands around the last one. It has no attributes.
    fn head(&self) -> EventHead<'static>;
}

/// Hands an enter or leave by calling context to a visitor that wants it, or else that of the region.
pub(crate) fn deliver_context<V: EventVisitor + ?Sized>(
    visitor: &mut V,
    head: &EventHead<'_>,
    event: Event<'_>,
    region: RegionRef,
) {
    match event {
        Event::CallingContextEnter(enter) if V::WANTS.contains(event.kind()) => {
            visitor.calling_context_enter(head, enter);
        }
        Event::CallingContextLeave(leave) if V::WANTS.contains(event.kind()) => {
            visitor.calling_context_leave(head, leave);
        }
        Event::CallingContextEnter(_) if V::WANTS.contains(EventKind::Enter) => {
            visitor.enter(head, Enter { region });
        }
        Event::CallingContextLeave(_) if V::WANTS.contains(EventKind::Leave) => {
            visitor.leave(head, Leave { region });
        }
        _ => {}
    }
}

/// Hands each call to the visitor's method for it.
#[inline(always)]
pub fn deliver<V: EventVisitor + ?Sized, C: Calls>(visitor: &mut V, calls: &mut C) {
    while let Some(call) = calls.next() {
        hand_over(visitor, call, &calls.head());
    }
}

/// Hands a call to the visitor's method for it, if it is wanted.
#[inline(always)]
pub fn hand_over<V: EventVisitor + ?Sized>(visitor: &mut V, call: Call, head: &EventHead<'_>) {
    match call {
        Call::Enter(region) if V::WANTS.contains(EventKind::Enter) => {
            visitor.enter(head, Enter { region });
        }
        Call::Leave(region) if V::WANTS.contains(EventKind::Leave) => {
            visitor.leave(head, Leave { region });
        }
        _ => {}
    }
}

/// Hands a message to the visitor's method for the event that it is.
pub fn hand_over_message<V: EventVisitor>(
    visitor: &mut V,
    message: Envelope,
    head: &EventHead<'_>,
) {
    let Envelope { received, partner, comm: communicator, tag, bytes, request } = message;
    let (receiver, sender, msg_tag, msg_length) = (partner, partner, tag, bytes);
    match (received, request) {
        (false, None) => {
            visitor.mpi_send(head, MpiSend { receiver, communicator, msg_tag, msg_length });
        }
        (false, Some(request_id)) => {
            let event = MpiIsend { receiver, communicator, msg_tag, msg_length, request_id };
            visitor.mpi_isend(head, event);
        }
        (true, None) => {
            visitor.mpi_recv(head, MpiRecv { sender, communicator, msg_tag, msg_length });
        }
        (true, Some(request_id)) => {
            let event = MpiIrecv { sender, communicator, msg_tag, msg_length, request_id };
            visitor.mpi_irecv(head, event);
        }
    }
}
