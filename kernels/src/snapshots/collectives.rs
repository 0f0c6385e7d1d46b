//! Collective operations that not all members have ended.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use streamfold_model::events::Event;
use streamfold_model::ids::CommRef;
use streamfold_model::snapshots::{MpiCollectiveBeginSnap, MpiCollectiveEndSnap, Snapshot};
use streamfold_model::values::Ticks;

use super::{At, Sink};
use crate::matching::{Partners, Process};

/// The operations of a communicator.
#[derive(Debug)]
struct OfComm {
    /// Members that the trace has.
    members: u64,
    /// The oldest open operation, by its number.
    first: u64,
    /// How many each process ended.
    ended: HashMap<Process, u64, RandomState>,
    /// Of each open operation the records of those who ended it.
    open: VecDeque<Operation>,
}

#[derive(Debug, Default)]
struct Operation {
    ended: u64,
    records: Vec<At>,
}

/// The operations of all communicators.
#[derive(Debug)]
pub(super) struct Collectives<'d> {
    partners: &'d Partners<'d>,
    /// Begins without an end, by location.
    begun: HashMap<usize, Vec<At>, RandomState>,
    of: HashMap<CommRef, OfComm, RandomState>,
}

impl<'d> Collectives<'d> {
    pub(super) fn new(partners: &'d Partners<'d>) -> Self {
        Collectives { partners, begun: HashMap::default(), of: HashMap::default() }
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
            Event::MpiCollectiveBegin(_) => {
                let snap = MpiCollectiveBeginSnap { orig_event_time: time };
                sink.keep(at, Snapshot::MpiCollectiveBeginSnap(snap));
                self.begun.entry(at.location).or_default().push(at);
            }
            Event::MpiCollectiveEnd(event) => {
                let snap = MpiCollectiveEndSnap {
                    orig_event_time: time,
                    collective_op: event.collective_op,
                    communicator: event.communicator,
                    root: event.root,
                    size_sent: event.size_sent,
                    size_received: event.size_received,
                };
                sink.keep(at, Snapshot::MpiCollectiveEndSnap(snap));
                let begin = self.begun.get_mut(&at.location).and_then(Vec::pop);
                let complete = self.ended(event.communicator, own, [begin, Some(at)]);
                complete.into_iter().for_each(|at| sink.forget(at));
            }
            _ => {}
        }
    }

    /// A process has ended an operation. Returns the records of one that all have ended now.
    fn ended(&mut self, comm: CommRef, own: Process, records: [Option<At>; 2]) -> Vec<At> {
        let partners = self.partners;
        let of = self.of.entry(comm).or_insert_with(|| OfComm {
            members: partners.size_among(comm, |_| true).unwrap_or(1),
            first: 0,
            ended: HashMap::default(),
            open: VecDeque::new(),
        });
        let records = records.into_iter().flatten();
        if of.members <= 1 {
            return records.collect();
        }
        let ended = of.ended.entry(own).or_default();
        // One who is no member may be behind all others.
        let which = ended.saturating_sub(of.first) as usize;
        *ended = (*ended).max(of.first) + 1;
        if which >= of.open.len() {
            of.open.push_back(Operation::default());
        }
        let operation = &mut of.open[which];
        operation.ended += 1;
        operation.records.extend(records);
        match of.open.front() {
            Some(front) if front.ended >= of.members => {
                of.first += 1;
                of.open.pop_front().map(|complete| complete.records).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}
