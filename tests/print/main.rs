//! What `print` writes.

#[path = "../common/mod.rs"]
mod common;

mod expected;
mod json;
mod text;
