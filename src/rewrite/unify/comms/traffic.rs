//! Messages over communicators that may be sides of intercommunicators.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use streamfold_kernels::probes::Probes;
use streamfold_kernels::unify::sides::Traffic;
use streamfold_model::events::{
    EventKind, EventVisitor, MpiImrecv, MpiImrecvRequest, MpiIrecv, MpiIsend, MpiMrecv, MpiProbe,
    MpiRecv, MpiSend,
};
use streamfold_model::ids::{CommRef, LocationRef};
use streamfold_model::stream::{EventHead, EventSet};

use crate::unify::read::inputs::Input;
use streamfold_drive::{on_workers, Queue};
use streamfold_otf2::LocalDefinitions;

/// Messages of a location over a communicator, with its peer and their tag.
pub(crate) type Messages = BTreeMap<(u32, LocationRef, u32, u32), Traffic>;

/// Messages that locations sent and received.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct AllMessages {
    pub sent: Messages,
    pub received: Messages,
    /// True if there are more combinations than are looked at: then none is kept.
    pub too_many: bool,
}

impl AllMessages {
    /// Number of combinations of communicator, location, peer and tag that are looked at in each direction.
    const MOST: usize = 1 << 18;

    /// Of locations of an archive, over these communicators, with all threads. They have the numbers that
    /// they get, and the rest those of the archive.
    pub(crate) fn read(
        input: &Input,
        locations: &[LocationRef],
        workers: NonZeroUsize,
        comms: &BTreeSet<u32>,
    ) -> AllMessages {
        let work = |queue: &Queue<'_, LocationRef>| {
            let mut messages = AllMessages::default();
            while let Some(location) = queue.take() {
                let local = LocalDefinitions::default();
                if let Ok(mut events) = input.archive.events_with(location, local) {
                    let location = input.placed.location(location);
                    let messages = &mut messages;
                    // Events that cannot be read are reported when they are copied.
                    let probes = Probes::default();
                    let _told_later =
                        events.read_all(&mut Counting { messages, comms, location, probes });
                }
            }
            messages
        };
        on_workers(locations, workers, work, AllMessages::fold)
    }

    pub(crate) fn fold(mut self, other: AllMessages) -> AllMessages {
        self.too_many |= other.too_many;
        for (into, from) in [(&mut self.sent, other.sent), (&mut self.received, other.received)] {
            from.into_iter().for_each(|(key, traffic)| into.entry(key).or_default().add(traffic));
        }
        self.limited()
    }

    /// Drops all above the limit. A part of the messages exceeds it only if all messages do.
    fn limited(mut self) -> AllMessages {
        self.too_many |= self.sent.len().max(self.received.len()) > AllMessages::MOST;
        match self.too_many {
            true => AllMessages { too_many: true, ..AllMessages::default() },
            false => self,
        }
    }
}

/// Counts the messages of a location over communicators that may be sides.
struct Counting<'a> {
    messages: &'a mut AllMessages,
    comms: &'a BTreeSet<u32>,
    location: LocationRef,
    probes: Probes,
}

impl Counting<'_> {
    fn count(
        &mut self,
        messages: fn(&mut AllMessages) -> &mut Messages,
        (comm, peer, tag, bytes): (CommRef, u32, u32, u64),
    ) {
        if self.messages.too_many || !self.comms.contains(&comm.0) {
            return;
        }
        let into = messages(self.messages);
        let traffic = into.entry((comm.0, self.location, peer, tag)).or_default();
        traffic.add(Traffic { messages: 1, bytes });
        if into.len() > AllMessages::MOST {
            *self.messages = std::mem::take(self.messages).limited();
        }
    }
}

impl EventVisitor for Counting<'_> {
    const WANTS: EventSet = EventSet::of(&[
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiRecv,
        EventKind::MpiIrecv,
    ])
    .and(Probes::WANTS);

    fn mpi_probe(&mut self, _: &EventHead<'_>, e: MpiProbe) {
        self.probes.probe(e);
    }

    fn mpi_imrecv_request(&mut self, _: &EventHead<'_>, e: MpiImrecvRequest) {
        self.probes.imrecv_request(e);
    }

    fn mpi_mrecv(&mut self, head: &EventHead<'_>, e: MpiMrecv) {
        let received = self.probes.mrecv(e);
        self.mpi_irecv(head, received);
    }

    fn mpi_imrecv(&mut self, head: &EventHead<'_>, e: MpiImrecv) {
        let received = self.probes.imrecv(e);
        self.mpi_irecv(head, received);
    }

    fn mpi_send(&mut self, _: &EventHead<'_>, e: MpiSend) {
        let message = (e.communicator, e.receiver, e.msg_tag, e.msg_length);
        self.count(|all| &mut all.sent, message);
    }

    fn mpi_isend(&mut self, _: &EventHead<'_>, e: MpiIsend) {
        let message = (e.communicator, e.receiver, e.msg_tag, e.msg_length);
        self.count(|all| &mut all.sent, message);
    }

    fn mpi_recv(&mut self, _: &EventHead<'_>, e: MpiRecv) {
        let message = (e.communicator, e.sender, e.msg_tag, e.msg_length);
        self.count(|all| &mut all.received, message);
    }

    fn mpi_irecv(&mut self, _: &EventHead<'_>, e: MpiIrecv) {
        let message = (e.communicator, e.sender, e.msg_tag, e.msg_length);
        self.count(|all| &mut all.received, message);
    }
}
