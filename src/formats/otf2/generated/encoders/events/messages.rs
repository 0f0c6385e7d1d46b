// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of events of messages, collective operations and communicators.

use crate::mapping::Mappings;
use crate::payload::Payload;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::MappingType;
use streamfold_model::events;

#[inline]
pub(super) fn put_mpi_send<O: ByteOrder>(record: &events::MpiSend, to: &mut Payload<'_, O>) {
    to.cu32(record.receiver);
    to.cu32(record.communicator.0);
    to.cu32(record.msg_tag);
    to.cu64(record.msg_length);
}

#[inline]
pub(super) fn copy_mpi_send<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_isend<O: ByteOrder>(record: &events::MpiIsend, to: &mut Payload<'_, O>) {
    to.cu32(record.receiver);
    to.cu32(record.communicator.0);
    to.cu32(record.msg_tag);
    to.cu64(record.msg_length);
    to.cu64(record.request_id);
}

#[inline]
pub(super) fn copy_mpi_isend<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_isend_complete<O: ByteOrder>(
    record: &events::MpiIsendComplete,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.request_id);
}

#[inline]
pub(super) fn copy_mpi_isend_complete<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_irecv_request<O: ByteOrder>(
    record: &events::MpiIrecvRequest,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.request_id);
}

#[inline]
pub(super) fn copy_mpi_irecv_request<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_recv<O: ByteOrder>(record: &events::MpiRecv, to: &mut Payload<'_, O>) {
    to.cu32(record.sender);
    to.cu32(record.communicator.0);
    to.cu32(record.msg_tag);
    to.cu64(record.msg_length);
}

#[inline]
pub(super) fn copy_mpi_recv<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_irecv<O: ByteOrder>(record: &events::MpiIrecv, to: &mut Payload<'_, O>) {
    to.cu32(record.sender);
    to.cu32(record.communicator.0);
    to.cu32(record.msg_tag);
    to.cu64(record.msg_length);
    to.cu64(record.request_id);
}

#[inline]
pub(super) fn copy_mpi_irecv<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_request_test<O: ByteOrder>(
    record: &events::MpiRequestTest,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.request_id);
}

#[inline]
pub(super) fn copy_mpi_request_test<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_request_cancelled<O: ByteOrder>(
    record: &events::MpiRequestCancelled,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.request_id);
}

#[inline]
pub(super) fn copy_mpi_request_cancelled<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_collective_begin<O: ByteOrder>(
    _record: &events::MpiCollectiveBegin,
    _to: &mut Payload<'_, O>,
) {
}

#[inline]
pub(super) fn copy_mpi_collective_begin<O: ByteOrder, P: ByteOrder>(
    _c: &mut Cursor<'_, O>,
    _to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    Ok(())
}

#[inline]
pub(super) fn put_mpi_collective_end<O: ByteOrder>(
    record: &events::MpiCollectiveEnd,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.collective_op.into());
    to.cu32(record.communicator.0);
    to.cu32(record.root);
    to.cu64(record.size_sent);
    to.cu64(record.size_received);
}

#[inline]
pub(super) fn copy_mpi_collective_end<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_non_blocking_collective_request<O: ByteOrder>(
    record: &events::NonBlockingCollectiveRequest,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.request_id);
}

#[inline]
pub(super) fn copy_non_blocking_collective_request<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_non_blocking_collective_complete<O: ByteOrder>(
    record: &events::NonBlockingCollectiveComplete,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.collective_op.into());
    to.cu32(record.communicator.0);
    to.cu32(record.root);
    to.cu64(record.size_sent);
    to.cu64(record.size_received);
    to.cu64(record.request_id);
}

#[inline]
pub(super) fn copy_non_blocking_collective_complete<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_comm_create<O: ByteOrder>(record: &events::CommCreate, to: &mut Payload<'_, O>) {
    to.cu32(record.communicator.0);
}

#[inline]
pub(super) fn copy_comm_create<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_comm_destroy<O: ByteOrder>(
    record: &events::CommDestroy,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.communicator.0);
}

#[inline]
pub(super) fn copy_comm_destroy<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_mpi_probe<O: ByteOrder>(record: &events::MpiProbe, to: &mut Payload<'_, O>) {
    to.cu32(record.sender);
    to.cu32(record.communicator.0);
    to.cu32(record.tag);
    to.cu64(record.message_id);
}

#[inline]
pub(super) fn copy_mpi_probe<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_mrecv<O: ByteOrder>(record: &events::MpiMrecv, to: &mut Payload<'_, O>) {
    to.cu64(record.message_id);
    to.cu64(record.msg_length);
}

#[inline]
pub(super) fn copy_mpi_mrecv<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_imrecv_request<O: ByteOrder>(
    record: &events::MpiImrecvRequest,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.message_id);
    to.cu64(record.request_id);
}

#[inline]
pub(super) fn copy_mpi_imrecv_request<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_mpi_imrecv<O: ByteOrder>(record: &events::MpiImrecv, to: &mut Payload<'_, O>) {
    to.cu64(record.request_id);
    to.cu64(record.msg_length);
}

#[inline]
pub(super) fn copy_mpi_imrecv<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}
