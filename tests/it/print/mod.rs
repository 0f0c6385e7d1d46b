//! What `print` writes.

mod expected;
mod json;
mod text;
