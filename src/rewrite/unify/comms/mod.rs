//! Settles communicators, whose members may disagree about them.

pub(super) mod disputes;
pub(super) mod intercomms;
pub(super) mod parts;
pub(super) mod sequences;
pub(super) mod sides;
pub(super) mod traffic;
pub(super) mod whole;
