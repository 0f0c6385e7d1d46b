//! Messages and collective operations of MPI and its likes.

use streamfold_model::enums::CollectiveOp;
use streamfold_model::events::Event;
use streamfold_model::ids::CommRef;

use super::columns::Columns;
use crate::print::line::Line;
use crate::print::names::Names;

/// Collective operations and communicators.
pub(super) fn collective<'a>(
    columns: Columns<'a>,
    names: &'a Names,
    event: &Event<'_>,
) -> Line<'a> {
    match event {
        Event::MpiCollectiveBegin(_) => columns.of("MPI_COLLECTIVE_BEGIN"),
        Event::MpiCollectiveEnd(e) => {
            let parts = (e.collective_op, e.communicator, e.root, e.size_sent, e.size_received);
            operation(columns.of("MPI_COLLECTIVE_END"), names, parts)
        }
        Event::NonBlockingCollectiveRequest(e) => {
            columns.of("NON_BLOCKING_COLLECTIVE_REQUEST").number("Request: ", e.request_id)
        }
        Event::NonBlockingCollectiveComplete(e) => {
            let parts = (e.collective_op, e.communicator, e.root, e.size_sent, e.size_received);
            operation(columns.of("NON_BLOCKING_COLLECTIVE_COMPLETE"), names, parts)
                .number(", Request: ", e.request_id)
        }
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
        Event::MpiSend(e) => {
            let parts = (e.communicator, e.receiver, e.msg_tag, e.msg_length);
            transfer(columns.of("MPI_SEND"), names, "Receiver: ", parts)
        }
        Event::MpiIsend(e) => {
            let parts = (e.communicator, e.receiver, e.msg_tag, e.msg_length);
            transfer(columns.of("MPI_ISEND"), names, "Receiver: ", parts)
                .number(", Request: ", e.request_id)
        }
        Event::MpiIsendComplete(e) => {
            columns.of("MPI_ISEND_COMPLETE").number("Request: ", e.request_id)
        }
        Event::MpiIrecvRequest(e) => {
            columns.of("MPI_IRECV_REQUEST").number("Request: ", e.request_id)
        }
        Event::MpiRecv(e) => {
            let parts = (e.communicator, e.sender, e.msg_tag, e.msg_length);
            transfer(columns.of("MPI_RECV"), names, "Sender: ", parts)
        }
        Event::MpiIrecv(e) => {
            let parts = (e.communicator, e.sender, e.msg_tag, e.msg_length);
            transfer(columns.of("MPI_IRECV"), names, "Sender: ", parts)
                .number(", Request: ", e.request_id)
        }
        Event::MpiProbe(e) => columns
            .of("MPI_PROBE")
            .rank("Sender: ", e.communicator, e.sender)
            .name(", Communicator: ", &names.comms, e.communicator)
            .number(", Tag: ", e.tag)
            .optional_number_64(", Message: ", e.message_id),
        Event::MpiMrecv(e) => columns
            .of("MPI_MRECV")
            .number("Message: ", e.message_id)
            .number(", Length: ", e.msg_length),
        Event::MpiImrecvRequest(e) => columns
            .of("MPI_IMRECV_REQUEST")
            .number("Message: ", e.message_id)
            .number(", Request: ", e.request_id),
        Event::MpiImrecv(e) => columns
            .of("MPI_IMRECV")
            .number("Request: ", e.request_id)
            .number(", Length: ", e.msg_length),
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

/// A message from or to a rank.
fn transfer<'a>(
    line: Line<'a>,
    names: &'a Names,
    partner: &str,
    (comm, rank, tag, length): (CommRef, u32, u32, u64),
) -> Line<'a> {
    line.rank(partner, comm, rank)
        .name(", Communicator: ", &names.comms, comm)
        .number(", Tag: ", tag)
        .number(", Length: ", length)
}

/// A collective operation that is complete.
fn operation<'a>(
    line: Line<'a>,
    names: &'a Names,
    (operation, comm, root, sent, received): (CollectiveOp, CommRef, u32, u64, u64),
) -> Line<'a> {
    line.value("Operation: ", operation)
        .name(", Communicator: ", &names.comms, comm)
        .root(", Root: ", comm, root)
        .number(", Sent: ", sent)
        .number(", Received: ", received)
}
