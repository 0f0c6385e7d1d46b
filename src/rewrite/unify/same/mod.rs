//! Finds out which definitions are the same, wherever they were read.

pub(super) mod alike;
pub(super) mod checks;
pub(super) mod claims;
pub(super) mod defined;
pub(super) mod distinct;
pub(super) mod identity;
pub(super) mod join;
pub(super) mod keys;
pub(super) mod known;
pub(super) mod metric_members;
pub(super) mod places;
pub(super) mod pool;
pub(super) mod properties;
pub(super) mod settle;
pub(super) mod shared;
pub(super) mod waiting;
