// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Definitions of groups, communicators and windows of memory.

use crate::enums::{CommFlag, GroupFlag, GroupType, Paradigm, RmaWinFlag};
use crate::ids::{CommRef, GroupRef, RmaWinRef, StringRef};
use serde::{Deserialize, Serialize};

/// The definition `Group` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `self`
    pub id: GroupRef,
    /// `name`
    pub name: StringRef,
    /// `members`
    pub members: Vec<u64>,
    /// `groupType`
    pub group_type: GroupType,
    /// `paradigm`
    pub paradigm: Paradigm,
    /// `groupFlags`
    pub group_flags: GroupFlag,
}

/// The definition `Comm` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comm {
    /// `self`
    pub id: CommRef,
    /// `name`
    pub name: StringRef,
    /// `group`
    pub group: GroupRef,
    /// `parent`
    pub parent: CommRef,
    /// `flags`
    pub flags: CommFlag,
}

/// The definition `RmaWin` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RmaWin {
    /// `self`
    pub id: RmaWinRef,
    /// `name`
    pub name: StringRef,
    /// `comm`
    pub comm: CommRef,
    /// `flags`
    pub flags: RmaWinFlag,
}

/// The definition `InterComm` (since 3.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterComm {
    /// `self`
    pub id: CommRef,
    /// `name`
    pub name: StringRef,
    /// `groupA`
    pub group_a: GroupRef,
    /// `groupB`
    pub group_b: GroupRef,
    /// `commonCommunicator`
    pub common_communicator: CommRef,
    /// `flags`
    pub flags: CommFlag,
}
