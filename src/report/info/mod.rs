//! The facts about a trace, as a page for people and as JSON for programs.

pub mod json;
mod otf;
pub mod page;
