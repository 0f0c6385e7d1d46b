//! Gives every definition its global number.

pub(super) mod attributes;
pub(super) mod numbering;
pub(super) mod renumbering;
pub(super) mod undefined;
