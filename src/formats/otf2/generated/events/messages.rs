// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of events of messages, collective operations and communicators.

use crate::mapping::Mappings;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::{CollectiveOp, MappingType};
use streamfold_model::events;
use streamfold_model::ids::CommRef;

#[inline]
pub(super) fn mpi_send<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiSend, WireError> {
    let mut c = *c;
    let receiver = c.cu32()?;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    Ok(events::MpiSend { receiver, communicator, msg_tag, msg_length })
}

#[inline]
pub(super) fn mpi_isend<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiIsend, WireError> {
    let mut c = *c;
    let receiver = c.cu32()?;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    let request_id = c.cu64()?;
    Ok(events::MpiIsend { receiver, communicator, msg_tag, msg_length, request_id })
}

#[inline]
pub(super) fn mpi_isend_complete<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::MpiIsendComplete, WireError> {
    let mut c = *c;
    let request_id = c.cu64()?;
    Ok(events::MpiIsendComplete { request_id })
}

#[inline]
pub(super) fn mpi_irecv_request<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::MpiIrecvRequest, WireError> {
    let mut c = *c;
    let request_id = c.cu64()?;
    Ok(events::MpiIrecvRequest { request_id })
}

#[inline]
pub(super) fn mpi_recv<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiRecv, WireError> {
    let mut c = *c;
    let sender = c.cu32()?;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    Ok(events::MpiRecv { sender, communicator, msg_tag, msg_length })
}

#[inline]
pub(super) fn mpi_irecv<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiIrecv, WireError> {
    let mut c = *c;
    let sender = c.cu32()?;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    let request_id = c.cu64()?;
    Ok(events::MpiIrecv { sender, communicator, msg_tag, msg_length, request_id })
}

#[inline]
pub(super) fn mpi_request_test<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::MpiRequestTest, WireError> {
    let mut c = *c;
    let request_id = c.cu64()?;
    Ok(events::MpiRequestTest { request_id })
}

#[inline]
pub(super) fn mpi_request_cancelled<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::MpiRequestCancelled, WireError> {
    let mut c = *c;
    let request_id = c.cu64()?;
    Ok(events::MpiRequestCancelled { request_id })
}

#[inline]
pub(super) fn mpi_collective_begin<O: ByteOrder>(
    _c: &Cursor<'_, O>,
) -> Result<events::MpiCollectiveBegin, WireError> {
    Ok(events::MpiCollectiveBegin)
}

#[inline]
pub(super) fn mpi_collective_end<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiCollectiveEnd, WireError> {
    let mut c = *c;
    let collective_op = CollectiveOp::from(c.u8()?);
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let root = c.cu32()?;
    let size_sent = c.cu64()?;
    let size_received = c.cu64()?;
    Ok(events::MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received })
}

#[inline]
pub(super) fn non_blocking_collective_request<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::NonBlockingCollectiveRequest, WireError> {
    let mut c = *c;
    let request_id = c.cu64()?;
    Ok(events::NonBlockingCollectiveRequest { request_id })
}

#[inline]
pub(super) fn non_blocking_collective_complete<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::NonBlockingCollectiveComplete, WireError> {
    let mut c = *c;
    let collective_op = CollectiveOp::from(c.u8()?);
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let root = c.cu32()?;
    let size_sent = c.cu64()?;
    let size_received = c.cu64()?;
    let request_id = c.cu64()?;
    Ok(events::NonBlockingCollectiveComplete {
        collective_op,
        communicator,
        root,
        size_sent,
        size_received,
        request_id,
    })
}

#[inline]
pub(super) fn comm_create<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CommCreate, WireError> {
    let mut c = *c;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(events::CommCreate { communicator })
}

#[inline]
pub(super) fn comm_destroy<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CommDestroy, WireError> {
    let mut c = *c;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(events::CommDestroy { communicator })
}

#[inline]
pub(super) fn mpi_probe<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiProbe, WireError> {
    let mut c = *c;
    let sender = c.cu32()?;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let tag = c.cu32()?;
    let message_id = c.cu64()?;
    Ok(events::MpiProbe { sender, communicator, tag, message_id })
}

#[inline]
pub(super) fn mpi_mrecv<O: ByteOrder>(c: &Cursor<'_, O>) -> Result<events::MpiMrecv, WireError> {
    let mut c = *c;
    let message_id = c.cu64()?;
    let msg_length = c.cu64()?;
    Ok(events::MpiMrecv { message_id, msg_length })
}

#[inline]
pub(super) fn mpi_imrecv_request<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::MpiImrecvRequest, WireError> {
    let mut c = *c;
    let message_id = c.cu64()?;
    let request_id = c.cu64()?;
    Ok(events::MpiImrecvRequest { message_id, request_id })
}

#[inline]
pub(super) fn mpi_imrecv<O: ByteOrder>(c: &Cursor<'_, O>) -> Result<events::MpiImrecv, WireError> {
    let mut c = *c;
    let request_id = c.cu64()?;
    let msg_length = c.cu64()?;
    Ok(events::MpiImrecv { request_id, msg_length })
}
