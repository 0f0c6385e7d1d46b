//! Snapshots: the state of a location, told by the events that led to it.

use std::io::Write;

use streamfold_model::events::*;
use streamfold_model::snapshots::Snapshot;
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use super::line::Line;
use super::printer::Printer;

impl<W: Write> Printer<W> {
    /// Prints a record of a snapshot; the head tells location and time of the snapshot.
    ///
    /// Records of unknown kinds are [`EventVisitor::unknown`] ones.
    pub fn snapshot(&mut self, head: &EventHead<'_>, snapshot: &Snapshot<'_>) {
        if !self.options.time.contains(&head.time.0) {
            return;
        }
        match *snapshot {
            Snapshot::SnapshotStart(s) => self.bound(head, |line, time| {
                line.event("SNAPSHOT_START", time).number("# Events: ", s.number_of_records)
            }),
            Snapshot::SnapshotEnd(s) => self.bound(head, |line, time| {
                line.event("SNAPSHOT_END", time).number("Cont. Read Position: ", s.cont_read_pos)
            }),
            _ => {
                if let Some((time, event)) = as_event(snapshot) {
                    let head = EventHead { time, ..*head };
                    // Both times have to be wanted.
                    self.event(&head, event);
                }
            }
        }
    }

    fn bound(&mut self, head: &EventHead<'_>, fields: impl FnOnce(Line<'_>, Ticks) -> Line<'_>) {
        let text = &mut self.output.text;
        let line = Line::new(text, &self.names, self.options.timestamps, head.location);
        fields(line, head.time).end();
        self.print_attributes(head.attributes);
        self.output.record_done();
    }
}

/// The event that the record of a state tells of, and when it happened. Its fields are called alike.
macro_rules! state {
    ($state:expr, $event:ident $({ $($field:ident),* })?) => {
        ($state.orig_event_time, Event::$event($event $({ $($field: $state.$field),* })?))
    };
}

/// The event of the state, and when it happened.
fn as_event<'a>(snapshot: &Snapshot<'a>) -> Option<(Ticks, Event<'a>)> {
    Some(match *snapshot {
        Snapshot::SnapshotStart(_) | Snapshot::SnapshotEnd(_) => return None,
        Snapshot::MeasurementOnOffSnap(s) => state!(s, MeasurementOnOff { measurement_mode }),
        Snapshot::EnterSnap(s) => state!(s, Enter { region }),
        Snapshot::MpiSendSnap(s) => {
            state!(s, MpiSend { receiver, communicator, msg_tag, msg_length })
        }
        Snapshot::MpiIsendSnap(s) => {
            state!(s, MpiIsend { receiver, communicator, msg_tag, msg_length, request_id })
        }
        Snapshot::MpiIsendCompleteSnap(s) => state!(s, MpiIsendComplete { request_id }),
        Snapshot::MpiRecvSnap(s) => {
            state!(s, MpiRecv { sender, communicator, msg_tag, msg_length })
        }
        Snapshot::MpiIrecvRequestSnap(s) => state!(s, MpiIrecvRequest { request_id }),
        Snapshot::MpiIrecvSnap(s) => {
            state!(s, MpiIrecv { sender, communicator, msg_tag, msg_length, request_id })
        }
        Snapshot::MpiCollectiveBeginSnap(s) => state!(s, MpiCollectiveBegin),
        Snapshot::MpiCollectiveEndSnap(s) => state!(
            s,
            MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received }
        ),
        Snapshot::OmpForkSnap(s) => state!(s, OmpFork { number_of_requested_threads }),
        Snapshot::OmpAcquireLockSnap(s) => state!(s, OmpAcquireLock { lock_id, acquisition_order }),
        Snapshot::OmpTaskCreateSnap(s) => state!(s, OmpTaskCreate { task_id }),
        Snapshot::OmpTaskSwitchSnap(s) => state!(s, OmpTaskSwitch { task_id }),
        Snapshot::MetricSnap(s) => state!(s, Metric { metric, values }),
        Snapshot::ParameterStringSnap(s) => state!(s, ParameterString { parameter, string }),
        Snapshot::ParameterIntSnap(s) => state!(s, ParameterInt { parameter, value }),
        Snapshot::ParameterUnsignedIntSnap(s) => {
            state!(s, ParameterUnsignedInt { parameter, value })
        }
    })
}
