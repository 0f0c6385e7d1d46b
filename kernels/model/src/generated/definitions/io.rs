// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Definitions of files and their handles.

use crate::enums::{
    IoAccessMode, IoHandleFlag, IoParadigmClass, IoParadigmFlag, IoParadigmProperty, IoStatusFlag,
};
use crate::ids::{CommRef, IoFileRef, IoHandleRef, IoParadigmRef, StringRef, SystemTreeNodeRef};
use crate::values::TypedValue;
use serde::{Deserialize, Serialize};

/// The definition `IoParadigm` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoParadigm {
    /// `self`
    pub id: IoParadigmRef,
    /// `identification`
    pub identification: StringRef,
    /// `name`
    pub name: StringRef,
    /// `ioParadigmClass`
    pub io_paradigm_class: IoParadigmClass,
    /// `ioParadigmFlags`
    pub io_paradigm_flags: IoParadigmFlag,
    /// `values`
    pub properties: Vec<(IoParadigmProperty, TypedValue)>,
}

/// The definition `IoFileProperty` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoFileProperty {
    /// `ioFile`
    pub io_file: IoFileRef,
    /// `name`
    pub name: StringRef,
    /// `value`
    pub value: TypedValue,
}

/// The definition `IoRegularFile` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoRegularFile {
    /// `self`
    pub id: IoFileRef,
    /// `name`
    pub name: StringRef,
    /// `scope`
    pub scope: SystemTreeNodeRef,
}

/// The definition `IoDirectory` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoDirectory {
    /// `self`
    pub id: IoFileRef,
    /// `name`
    pub name: StringRef,
    /// `scope`
    pub scope: SystemTreeNodeRef,
}

/// The definition `IoHandle` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoHandle {
    /// `self`
    pub id: IoHandleRef,
    /// `name`
    pub name: StringRef,
    /// `file`
    pub file: IoFileRef,
    /// `ioParadigm`
    pub io_paradigm: IoParadigmRef,
    /// `ioHandleFlags`
    pub io_handle_flags: IoHandleFlag,
    /// `comm`
    pub comm: CommRef,
    /// `parent`
    pub parent: IoHandleRef,
}

/// The definition `IoPreCreatedHandleState` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoPreCreatedHandleState {
    /// `ioHandle`
    pub io_handle: IoHandleRef,
    /// `mode`
    pub mode: IoAccessMode,
    /// `statusFlags`
    pub status_flags: IoStatusFlag,
}
