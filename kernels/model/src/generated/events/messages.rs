// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Events of messages, collective operations and communicators.

use crate::enums::CollectiveOp;
use crate::ids::CommRef;

/// The event `MpiSend` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiSend {
    /// `receiver`
    pub receiver: u32,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
}

/// The event `MpiIsend` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIsend {
    /// `receiver`
    pub receiver: u32,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiIsendComplete` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIsendComplete {
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiIrecvRequest` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIrecvRequest {
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiRecv` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiRecv {
    /// `sender`
    pub sender: u32,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
}

/// The event `MpiIrecv` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIrecv {
    /// `sender`
    pub sender: u32,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiRequestTest` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiRequestTest {
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiRequestCancelled` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiRequestCancelled {
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiCollectiveBegin` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiCollectiveBegin;

/// The event `MpiCollectiveEnd` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiCollectiveEnd {
    /// `collectiveOp`
    pub collective_op: CollectiveOp,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `root`
    pub root: u32,
    /// `sizeSent`
    pub size_sent: u64,
    /// `sizeReceived`
    pub size_received: u64,
}

/// The event `NonBlockingCollectiveRequest` (since 3.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonBlockingCollectiveRequest {
    /// `requestID`
    pub request_id: u64,
}

/// The event `NonBlockingCollectiveComplete` (since 3.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonBlockingCollectiveComplete {
    /// `collectiveOp`
    pub collective_op: CollectiveOp,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `root`
    pub root: u32,
    /// `sizeSent`
    pub size_sent: u64,
    /// `sizeReceived`
    pub size_received: u64,
    /// `requestID`
    pub request_id: u64,
}

/// The event `CommCreate` (since 3.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommCreate {
    /// `communicator`, global
    pub communicator: CommRef,
}

/// The event `CommDestroy` (since 3.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommDestroy {
    /// `communicator`, global
    pub communicator: CommRef,
}

/// The event `MpiProbe` (since 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiProbe {
    /// `sender`
    pub sender: u32,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `tag`
    pub tag: u32,
    /// `messageId`
    pub message_id: u64,
}

/// The event `MpiMrecv` (since 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiMrecv {
    /// `messageId`
    pub message_id: u64,
    /// `msgLength`
    pub msg_length: u64,
}

/// The event `MpiImrecvRequest` (since 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiImrecvRequest {
    /// `messageId`
    pub message_id: u64,
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiImrecv` (since 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiImrecv {
    /// `requestID`
    pub request_id: u64,
    /// `msgLength`
    pub msg_length: u64,
}
