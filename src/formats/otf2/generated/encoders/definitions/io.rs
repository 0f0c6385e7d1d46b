// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of definitions of files and their handles.

use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::definitions;

#[inline]
pub(super) fn put_io_paradigm<O: ByteOrder>(
    record: &definitions::IoParadigm,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.id.0);
    to.cu32(record.identification.0);
    to.cu32(record.name.0);
    to.u8(record.io_paradigm_class.into());
    to.cu32(record.io_paradigm_flags.into());
    to.count_u8(record.properties.len());
    for (property, value) in &record.properties {
        to.u8((*property).into());
        to.u8(value.value_type.into());
        to.attribute_value(*value);
    }
}

#[inline]
pub(super) fn put_io_file_property<O: ByteOrder>(
    record: &definitions::IoFileProperty,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.io_file.0);
    to.cu32(record.name.0);
    to.u8(record.value.value_type.into());
    to.attribute_value(record.value);
}

#[inline]
pub(super) fn put_io_regular_file<O: ByteOrder>(
    record: &definitions::IoRegularFile,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.scope.0);
}

#[inline]
pub(super) fn put_io_directory<O: ByteOrder>(
    record: &definitions::IoDirectory,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.scope.0);
}

#[inline]
pub(super) fn put_io_handle<O: ByteOrder>(record: &definitions::IoHandle, to: &mut Payload<'_, O>) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.file.0);
    to.u8(record.io_paradigm.0);
    to.cu32(record.io_handle_flags.into());
    to.cu32(record.comm.0);
    to.cu32(record.parent.0);
}

#[inline]
pub(super) fn put_io_pre_created_handle_state<O: ByteOrder>(
    record: &definitions::IoPreCreatedHandleState,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.io_handle.0);
    to.u8(record.mode.into());
    to.cu32(record.status_flags.into());
}
