//! Numbers, units, names and texts as people read them. A leaf: every module may use it.

pub mod human;
pub mod names;
pub mod style;
pub mod terminal;
pub mod units;
