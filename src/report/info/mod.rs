//! The facts about a trace, as a page for people and as JSON for programs.

pub mod json;
pub mod page;
