// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of definitions of groups, communicators and windows of memory.

use crate::generated::encoders::older::older_group_type_pre12;
use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::definitions;

#[inline]
pub(super) fn put_group<O: ByteOrder>(record: &definitions::Group, to: &mut Payload<'_, O>) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.u8(older_group_type_pre12(record).into());
    to.count_cu32(record.members.len());
    for item in &record.members {
        to.cu64(*item);
    }
    to.u8(record.group_type.into());
    to.u8(record.paradigm.into());
    to.cu32(record.group_flags.into());
}

#[inline]
pub(super) fn put_comm<O: ByteOrder>(record: &definitions::Comm, to: &mut Payload<'_, O>) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.group.0);
    to.cu32(record.parent.0);
    to.cu32(record.flags.into());
}

#[inline]
pub(super) fn put_rma_win<O: ByteOrder>(record: &definitions::RmaWin, to: &mut Payload<'_, O>) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.comm.0);
    to.cu32(record.flags.into());
}

#[inline]
pub(super) fn put_inter_comm<O: ByteOrder>(
    record: &definitions::InterComm,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.group_a.0);
    to.cu32(record.group_b.0);
    to.cu32(record.common_communicator.0);
    to.cu32(record.flags.into());
}
