//! Settles lists of locations, and the ranks that are places in them.

pub(super) mod by_paradigm;
pub(super) mod joined;
pub(super) mod lists;
pub(super) mod processes;
