// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of definitions of groups, communicators and windows of memory.

use super::conversions::{
    group_type_pre12_group_flags, group_type_pre12_group_type, group_type_pre12_paradigm,
};
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;
use streamfold_model::enums::{
    CommFlag, GroupFlag, GroupType, GroupTypePre12, Paradigm, RmaWinFlag,
};
use streamfold_model::ids::{CommRef, GroupRef, RmaWinRef, StringRef};

#[inline]
pub(super) fn group<O: ByteOrder>(c: &Cursor<'_, O>) -> Result<definitions::Group, WireError> {
    let mut c = *c;
    let id = GroupRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let group_type_pre12 = GroupTypePre12::from(c.u8()?);
    let number_of_members = c.cu32()?;
    let number_of_members = c.count(number_of_members, 1)?;
    let mut members = Vec::with_capacity(number_of_members);
    for _ in 0..number_of_members {
        members.push(c.cu64()?);
    }
    let group_type = if c.at_end() {
        group_type_pre12_group_type(group_type_pre12)
    } else {
        GroupType::from(c.u8()?)
    };
    let paradigm = if c.at_end() {
        group_type_pre12_paradigm(group_type_pre12)
    } else {
        Paradigm::from(c.u8()?)
    };
    let group_flags = if c.at_end() {
        group_type_pre12_group_flags(group_type_pre12)
    } else {
        GroupFlag::from(c.cu32()?)
    };
    Ok(definitions::Group { id, name, members, group_type, paradigm, group_flags })
}

#[inline]
pub(super) fn comm<O: ByteOrder>(c: &Cursor<'_, O>) -> Result<definitions::Comm, WireError> {
    let mut c = *c;
    let id = CommRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let group = GroupRef(c.cu32()?);
    let parent = CommRef(c.cu32()?);
    let flags = if c.at_end() { CommFlag::from(0) } else { CommFlag::from(c.cu32()?) };
    Ok(definitions::Comm { id, name, group, parent, flags })
}

#[inline]
pub(super) fn rma_win<O: ByteOrder>(c: &Cursor<'_, O>) -> Result<definitions::RmaWin, WireError> {
    let mut c = *c;
    let id = RmaWinRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let comm = CommRef(c.cu32()?);
    let flags = if c.at_end() { RmaWinFlag::from(1) } else { RmaWinFlag::from(c.cu32()?) };
    Ok(definitions::RmaWin { id, name, comm, flags })
}

#[inline]
pub(super) fn inter_comm<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::InterComm, WireError> {
    let mut c = *c;
    let id = CommRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let group_a = GroupRef(c.cu32()?);
    let group_b = GroupRef(c.cu32()?);
    let common_communicator = CommRef(c.cu32()?);
    let flags = CommFlag::from(c.cu32()?);
    Ok(definitions::InterComm { id, name, group_a, group_b, common_communicator, flags })
}
