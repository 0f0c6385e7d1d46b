// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of definitions of files and their handles.

use crate::payload::Payload;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;
use streamfold_model::enums::Type;
use streamfold_model::values::TypedValue;

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
pub(super) fn copy_io_paradigm<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    let number_of_properties = c.u8()?;
    to.u8(number_of_properties);
    let number_of_properties = c.count(number_of_properties, 3)?;
    for _ in 0..number_of_properties {
        to.u8(c.u8()?);
        let value_type = Type::from(c.u8()?);
        to.u8(value_type.into());
        let bits = c.attribute_value(value_type)?;
        to.attribute_value(TypedValue { value_type, bits });
    }
    Ok(())
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
pub(super) fn copy_io_file_property<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    let value_type = Type::from(c.u8()?);
    to.u8(value_type.into());
    let bits = c.attribute_value(value_type)?;
    to.attribute_value(TypedValue { value_type, bits });
    Ok(())
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
pub(super) fn copy_io_regular_file<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
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
pub(super) fn copy_io_directory<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
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
pub(super) fn copy_io_handle<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
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

#[inline]
pub(super) fn copy_io_pre_created_handle_state<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    Ok(())
}
