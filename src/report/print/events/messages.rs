//! Messages and collective operations of MPI and its likes.

use streamfold_model::events::Event;

use super::Columns;
use crate::report::print::line::Line;
use crate::report::print::names::Names;

/// Collective operations and communicators.
pub(super) fn collective<'a>(
    columns: Columns<'a>,
    names: &'a Names,
    event: &Event<'_>,
) -> Line<'a> {
    match event {
        Event::MpiCollectiveBegin(_) => columns.of("MPI_COLLECTIVE_BEGIN"),
        Event::MpiCollectiveEnd(e) => columns
            .of("MPI_COLLECTIVE_END")
            .value("Operation: ", e.collective_op)
            .name(", Communicator: ", &names.comms, e.communicator)
            .root(", Root: ", e.communicator, e.root)
            .number(", Sent: ", e.size_sent)
            .number(", Received: ", e.size_received),
        Event::NonBlockingCollectiveRequest(e) => {
            columns.of("NON_BLOCKING_COLLECTIVE_REQUEST").number("Request: ", e.request_id)
        }
        Event::NonBlockingCollectiveComplete(e) => columns
            .of("NON_BLOCKING_COLLECTIVE_COMPLETE")
            .value("Operation: ", e.collective_op)
            .name(", Communicator: ", &names.comms, e.communicator)
            .root(", Root: ", e.communicator, e.root)
            .number(", Sent: ", e.size_sent)
            .number(", Received: ", e.size_received)
            .number(", Request: ", e.request_id),
        Event::CommCreate(e) => {
            columns.of("COMM_CREATE").name("Communicator: ", &names.comms, e.communicator)
        }
        Event::CommDestroy(e) => {
            columns.of("COMM_DESTROY").name("Communicator: ", &names.comms, e.communicator)
        }
        // The caller knows which events these are.
        _ => columns.of("UNKNOWN"),
    }
}

/// Messages between two ranks.
pub(super) fn message<'a>(columns: Columns<'a>, names: &'a Names, event: &Event<'_>) -> Line<'a> {
    match event {
        Event::MpiSend(e) => columns
            .of("MPI_SEND")
            .rank("Receiver: ", e.communicator, e.receiver)
            .name(", Communicator: ", &names.comms, e.communicator)
            .number(", Tag: ", e.msg_tag)
            .number(", Length: ", e.msg_length),
        Event::MpiIsend(e) => columns
            .of("MPI_ISEND")
            .rank("Receiver: ", e.communicator, e.receiver)
            .name(", Communicator: ", &names.comms, e.communicator)
            .number(", Tag: ", e.msg_tag)
            .number(", Length: ", e.msg_length)
            .number(", Request: ", e.request_id),
        Event::MpiIsendComplete(e) => {
            columns.of("MPI_ISEND_COMPLETE").number("Request: ", e.request_id)
        }
        Event::MpiIrecvRequest(e) => {
            columns.of("MPI_IRECV_REQUEST").number("Request: ", e.request_id)
        }
        Event::MpiRecv(e) => columns
            .of("MPI_RECV")
            .rank("Sender: ", e.communicator, e.sender)
            .name(", Communicator: ", &names.comms, e.communicator)
            .number(", Tag: ", e.msg_tag)
            .number(", Length: ", e.msg_length),
        Event::MpiIrecv(e) => columns
            .of("MPI_IRECV")
            .rank("Sender: ", e.communicator, e.sender)
            .name(", Communicator: ", &names.comms, e.communicator)
            .number(", Tag: ", e.msg_tag)
            .number(", Length: ", e.msg_length)
            .number(", Request: ", e.request_id),
        Event::MpiRequestTest(e) => {
            columns.of("MPI_REQUEST_TEST").number("Request: ", e.request_id)
        }
        Event::MpiRequestCancelled(e) => {
            columns.of("MPI_REQUEST_CANCELLED").number("Request: ", e.request_id)
        }
        // The caller knows which events these are.
        _ => columns.of("UNKNOWN"),
    }
}
