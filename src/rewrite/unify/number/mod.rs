//! Gives every definition its global number.

pub mod attributes;
pub mod numbering;
pub mod renumbering;
pub mod undefined;
