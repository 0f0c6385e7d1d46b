//! Finds out which definitions are the same, wherever they were read.

pub mod alike;
pub mod checks;
pub mod claims;
pub mod defined;
pub mod distinct;
pub mod identity;
pub mod join;
pub mod keys;
pub mod known;
pub mod metric_members;
pub mod places;
pub mod pool;
pub mod properties;
pub mod settle;
pub mod shared;
pub mod waiting;
