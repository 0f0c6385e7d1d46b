// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Events of threads, their locks and their tasks.

use crate::enums::Paradigm;
use crate::ids::CommRef;

/// The event `OmpFork` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpFork {
    /// `numberOfRequestedThreads`
    pub number_of_requested_threads: u32,
}

/// The event `OmpJoin` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpJoin;

/// The event `OmpAcquireLock` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpAcquireLock {
    /// `lockID`
    pub lock_id: u32,
    /// `acquisitionOrder`
    pub acquisition_order: u32,
}

/// The event `OmpReleaseLock` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpReleaseLock {
    /// `lockID`
    pub lock_id: u32,
    /// `acquisitionOrder`
    pub acquisition_order: u32,
}

/// The event `OmpTaskCreate` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpTaskCreate {
    /// `taskID`
    pub task_id: u64,
}

/// The event `OmpTaskSwitch` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpTaskSwitch {
    /// `taskID`
    pub task_id: u64,
}

/// The event `OmpTaskComplete` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpTaskComplete {
    /// `taskID`
    pub task_id: u64,
}

/// The event `ThreadFork` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadFork {
    /// `model`
    pub model: Paradigm,
    /// `numberOfRequestedThreads`
    pub number_of_requested_threads: u32,
}

/// The event `ThreadJoin` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadJoin {
    /// `model`
    pub model: Paradigm,
}

/// The event `ThreadTeamBegin` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTeamBegin {
    /// `threadTeam`, global
    pub thread_team: CommRef,
}

/// The event `ThreadTeamEnd` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTeamEnd {
    /// `threadTeam`, global
    pub thread_team: CommRef,
}

/// The event `ThreadAcquireLock` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadAcquireLock {
    /// `model`
    pub model: Paradigm,
    /// `lockID`
    pub lock_id: u32,
    /// `acquisitionOrder`
    pub acquisition_order: u32,
}

/// The event `ThreadReleaseLock` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadReleaseLock {
    /// `model`
    pub model: Paradigm,
    /// `lockID`
    pub lock_id: u32,
    /// `acquisitionOrder`
    pub acquisition_order: u32,
}

/// The event `ThreadTaskCreate` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTaskCreate {
    /// `threadTeam`, global
    pub thread_team: CommRef,
    /// `creatingThread`
    pub creating_thread: u32,
    /// `generationNumber`
    pub generation_number: u32,
}

/// The event `ThreadTaskSwitch` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTaskSwitch {
    /// `threadTeam`, global
    pub thread_team: CommRef,
    /// `creatingThread`
    pub creating_thread: u32,
    /// `generationNumber`
    pub generation_number: u32,
}

/// The event `ThreadTaskComplete` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTaskComplete {
    /// `threadTeam`, global
    pub thread_team: CommRef,
    /// `creatingThread`
    pub creating_thread: u32,
    /// `generationNumber`
    pub generation_number: u32,
}

/// The event `ThreadCreate` (since 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadCreate {
    /// `threadContingent`, global
    pub thread_contingent: CommRef,
    /// `sequenceCount`
    pub sequence_count: u64,
}

/// The event `ThreadBegin` (since 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadBegin {
    /// `threadContingent`, global
    pub thread_contingent: CommRef,
    /// `sequenceCount`
    pub sequence_count: u64,
}

/// The event `ThreadWait` (since 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadWait {
    /// `threadContingent`, global
    pub thread_contingent: CommRef,
    /// `sequenceCount`
    pub sequence_count: u64,
}

/// The event `ThreadEnd` (since 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadEnd {
    /// `threadContingent`, global
    pub thread_contingent: CommRef,
    /// `sequenceCount`
    pub sequence_count: u64,
}
