//! Settles communicators, whose members may disagree about them.

pub mod disputes;
pub mod intercomms;
pub mod parts;
pub mod sequences;
pub mod sides;
pub mod traffic;
pub mod whole;
