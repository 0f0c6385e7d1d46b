// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of definitions of files and their handles.

use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;
use streamfold_model::enums::{
    IoAccessMode, IoHandleFlag, IoParadigmClass, IoParadigmFlag, IoParadigmProperty, IoStatusFlag,
    Type,
};
use streamfold_model::ids::{
    CommRef, IoFileRef, IoHandleRef, IoParadigmRef, StringRef, SystemTreeNodeRef,
};
use streamfold_model::values::TypedValue;

#[inline]
pub(super) fn io_paradigm<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::IoParadigm, WireError> {
    let mut c = *c;
    let id = IoParadigmRef(c.u8()?);
    let identification = StringRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let io_paradigm_class = IoParadigmClass::from(c.u8()?);
    let io_paradigm_flags = IoParadigmFlag::from(c.cu32()?);
    let number_of_properties = c.u8()?;
    let number_of_properties = c.count(number_of_properties, 3)?;
    let mut properties = Vec::with_capacity(number_of_properties);
    for _ in 0..number_of_properties {
        properties.push({
            let property = IoParadigmProperty::from(c.u8()?);
            let value_type = Type::from(c.u8()?);
            (property, TypedValue { value_type, bits: c.attribute_value(value_type)? })
        });
    }
    Ok(definitions::IoParadigm {
        id,
        identification,
        name,
        io_paradigm_class,
        io_paradigm_flags,
        properties,
    })
}

#[inline]
pub(super) fn io_file_property<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::IoFileProperty, WireError> {
    let mut c = *c;
    let io_file = IoFileRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let value_type = Type::from(c.u8()?);
    let value = c.attribute_value(value_type)?;
    Ok(definitions::IoFileProperty { io_file, name, value: TypedValue { value_type, bits: value } })
}

#[inline]
pub(super) fn io_regular_file<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::IoRegularFile, WireError> {
    let mut c = *c;
    let id = IoFileRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let scope = SystemTreeNodeRef(c.cu32()?);
    Ok(definitions::IoRegularFile { id, name, scope })
}

#[inline]
pub(super) fn io_directory<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::IoDirectory, WireError> {
    let mut c = *c;
    let id = IoFileRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let scope = SystemTreeNodeRef(c.cu32()?);
    Ok(definitions::IoDirectory { id, name, scope })
}

#[inline]
pub(super) fn io_handle<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::IoHandle, WireError> {
    let mut c = *c;
    let id = IoHandleRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let file = IoFileRef(c.cu32()?);
    let io_paradigm = IoParadigmRef(c.u8()?);
    let io_handle_flags = IoHandleFlag::from(c.cu32()?);
    let comm = CommRef(c.cu32()?);
    let parent = IoHandleRef(c.cu32()?);
    Ok(definitions::IoHandle { id, name, file, io_paradigm, io_handle_flags, comm, parent })
}

#[inline]
pub(super) fn io_pre_created_handle_state<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::IoPreCreatedHandleState, WireError> {
    let mut c = *c;
    let io_handle = IoHandleRef(c.cu32()?);
    let mode = IoAccessMode::from(c.u8()?);
    let status_flags = IoStatusFlag::from(c.cu32()?);
    Ok(definitions::IoPreCreatedHandleState { io_handle, mode, status_flags })
}
