//! Messages whose partner is not in the result.
//!
//! A message that stays has a channel: sender, receiver, communicator and tag. All messages with a process that was cut
//! away are alone. Of others, the surplus of sends over receives, or of receives over sends, is alone. More may be, if
//! a window of time has cut as many at its begin as at its end.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_kernels::matching::{GroupSide as Side, Partners as Members, Processes};
use streamfold_kernels::probes::Probes;
use streamfold_model::events::Event;
use streamfold_model::ids::{CommRef, LocationRef};
use streamfold_model::store::Definitions;

use super::ledger::{Alone, Channel, Ledger, Process};

/// Of so many of one location.
const MOST_OF_LOCATION: usize = 1 << 14;

/// Partners of messages, and the processes that stay.
#[derive(Debug)]
pub(super) struct Partners<'a> {
    definitions: &'a Definitions,
    processes: &'a Processes,
    members: Members<'a>,
    /// The processes of which something stays.
    stay: HashSet<Process, RandomState>,
}

impl<'a> Partners<'a> {
    pub(super) fn new(
        definitions: &'a Definitions,
        processes: &'a Processes,
        chosen: impl Iterator<Item = LocationRef>,
    ) -> Self {
        let members = Members::new(definitions, processes);
        let mut partners = Partners { definitions, processes, members, stay: HashSet::default() };
        partners.stay = chosen.map(|location| partners.process(location)).collect();
        partners
    }

    fn process(&self, location: LocationRef) -> Process {
        let process = self.processes.of(location);
        match process.map(|process| self.processes.identity(process, self.definitions)) {
            Some(Ok(group)) => Process::Group(group),
            Some(Err(location)) => Process::Location(location),
            None => Process::Location(location),
        }
    }

    /// The side of a communicator on which the partners of a location are.
    fn side(&self, comm: CommRef, own: LocationRef) -> Option<Side> {
        self.members.side(comm, self.processes.of(own)?)
    }
}

/// The messages of one location.
pub(super) struct Messages<'a> {
    partners: &'a Partners<'a>,
    all: &'a Ledger,
    location: LocationRef,
    own: Process,
    sides: HashMap<CommRef, Option<Side>, RandomState>,
    balances: HashMap<Channel, i64, RandomState>,
    alone: Alone,
    probes: Probes,
}

impl<'a> Messages<'a> {
    pub(super) fn new(partners: &'a Partners<'a>, all: &'a Ledger, location: LocationRef) -> Self {
        let (own, alone) = (partners.process(location), Alone::default());
        let (sides, balances) = (HashMap::default(), HashMap::default());
        Messages { partners, all, location, own, sides, balances, alone, probes: Probes::default() }
    }

    /// An event stays. Its communicator has this number in the trace.
    #[inline]
    pub(super) fn take(&mut self, event: &Event<'_>, global: impl Fn(CommRef) -> CommRef) {
        match event {
            Event::MpiSend(e) => self.message(global(e.communicator), e.receiver, e.msg_tag, true),
            Event::MpiIsend(e) => self.message(global(e.communicator), e.receiver, e.msg_tag, true),
            Event::MpiRecv(e) => self.message(global(e.communicator), e.sender, e.msg_tag, false),
            Event::MpiIrecv(e) => self.message(global(e.communicator), e.sender, e.msg_tag, false),
            event => {
                if let Some(e) = self.probes.take(event) {
                    self.message(global(e.communicator), e.sender, e.msg_tag, false);
                }
            }
        }
    }

    fn message(&mut self, comm: CommRef, rank: u32, tag: u32, sent: bool) {
        let (partners, own) = (self.partners, self.own);
        let side = match self.sides.get(&comm) {
            Some(side) => *side,
            None => {
                let side = partners.side(comm, self.location);
                // Numbers that nobody defines are not remembered.
                if side.is_some() {
                    self.sides.insert(comm, side);
                }
                side
            }
        };
        let partner = match side {
            Some(Side::Own) => Some(own),
            Some(Side::Group(group)) => {
                let location = partners.members.location(group, rank.into());
                location.map(|location| partners.process(location))
            }
            None => None,
        };
        let Some(partner) = partner else {
            self.alone.unknown += 1;
            return;
        };
        if !partners.stay.contains(&partner) {
            *if sent { &mut self.alone.sent_away } else { &mut self.alone.received_away } += 1;
            return;
        }
        let (from, to) = if sent { (own, partner) } else { (partner, own) };
        let balance = self.balances.entry((comm.0, from, to, tag)).or_default();
        *balance += if sent { 1 } else { -1 };
        if self.balances.len() >= MOST_OF_LOCATION {
            self.all.take(self.balances.drain());
        }
    }

    /// The location is at its end. Returns what it knows to be alone.
    pub(super) fn end(mut self) -> Alone {
        self.all.take(self.balances.drain());
        self.alone
    }
}
