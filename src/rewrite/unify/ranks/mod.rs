//! Settles lists of locations, and the ranks that are places in them.

pub mod by_paradigm;
pub mod joined;
pub mod lists;
pub mod processes;
