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

/// The event of the state, and when it happened.
fn as_event<'a>(snapshot: &Snapshot<'a>) -> Option<(Ticks, Event<'a>)> {
    Some(match *snapshot {
        Snapshot::SnapshotStart(_) | Snapshot::SnapshotEnd(_) => return None,
        Snapshot::MeasurementOnOffSnap(s) => {
            let measurement_mode = s.measurement_mode;
            (s.orig_event_time, Event::MeasurementOnOff(MeasurementOnOff { measurement_mode }))
        }
        Snapshot::EnterSnap(s) => (s.orig_event_time, Event::Enter(Enter { region: s.region })),
        Snapshot::MpiSendSnap(s) => (
            s.orig_event_time,
            Event::MpiSend(MpiSend {
                receiver: s.receiver,
                communicator: s.communicator,
                msg_tag: s.msg_tag,
                msg_length: s.msg_length,
            }),
        ),
        Snapshot::MpiIsendSnap(s) => (
            s.orig_event_time,
            Event::MpiIsend(MpiIsend {
                receiver: s.receiver,
                communicator: s.communicator,
                msg_tag: s.msg_tag,
                msg_length: s.msg_length,
                request_id: s.request_id,
            }),
        ),
        Snapshot::MpiIsendCompleteSnap(s) => {
            let request_id = s.request_id;
            (s.orig_event_time, Event::MpiIsendComplete(MpiIsendComplete { request_id }))
        }
        Snapshot::MpiRecvSnap(s) => (
            s.orig_event_time,
            Event::MpiRecv(MpiRecv {
                sender: s.sender,
                communicator: s.communicator,
                msg_tag: s.msg_tag,
                msg_length: s.msg_length,
            }),
        ),
        Snapshot::MpiIrecvRequestSnap(s) => {
            let request_id = s.request_id;
            (s.orig_event_time, Event::MpiIrecvRequest(MpiIrecvRequest { request_id }))
        }
        Snapshot::MpiIrecvSnap(s) => (
            s.orig_event_time,
            Event::MpiIrecv(MpiIrecv {
                sender: s.sender,
                communicator: s.communicator,
                msg_tag: s.msg_tag,
                msg_length: s.msg_length,
                request_id: s.request_id,
            }),
        ),
        Snapshot::MpiCollectiveBeginSnap(s) => {
            (s.orig_event_time, Event::MpiCollectiveBegin(MpiCollectiveBegin))
        }
        Snapshot::MpiCollectiveEndSnap(s) => (
            s.orig_event_time,
            Event::MpiCollectiveEnd(MpiCollectiveEnd {
                collective_op: s.collective_op,
                communicator: s.communicator,
                root: s.root,
                size_sent: s.size_sent,
                size_received: s.size_received,
            }),
        ),
        Snapshot::OmpForkSnap(s) => {
            let number_of_requested_threads = s.number_of_requested_threads;
            (s.orig_event_time, Event::OmpFork(OmpFork { number_of_requested_threads }))
        }
        Snapshot::OmpAcquireLockSnap(s) => (
            s.orig_event_time,
            Event::OmpAcquireLock(OmpAcquireLock {
                lock_id: s.lock_id,
                acquisition_order: s.acquisition_order,
            }),
        ),
        Snapshot::OmpTaskCreateSnap(s) => {
            (s.orig_event_time, Event::OmpTaskCreate(OmpTaskCreate { task_id: s.task_id }))
        }
        Snapshot::OmpTaskSwitchSnap(s) => {
            (s.orig_event_time, Event::OmpTaskSwitch(OmpTaskSwitch { task_id: s.task_id }))
        }
        Snapshot::MetricSnap(s) => {
            (s.orig_event_time, Event::Metric(Metric { metric: s.metric, values: s.values }))
        }
        Snapshot::ParameterStringSnap(s) => (
            s.orig_event_time,
            Event::ParameterString(ParameterString { parameter: s.parameter, string: s.string }),
        ),
        Snapshot::ParameterIntSnap(s) => (
            s.orig_event_time,
            Event::ParameterInt(ParameterInt { parameter: s.parameter, value: s.value }),
        ),
        Snapshot::ParameterUnsignedIntSnap(s) => (
            s.orig_event_time,
            Event::ParameterUnsignedInt(ParameterUnsignedInt {
                parameter: s.parameter,
                value: s.value,
            }),
        ),
    })
}
