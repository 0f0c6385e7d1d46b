//! The writers of the library: what they write is what the reference library writes, is what our
//! readers read, and keeps the rules of the format whatever is written.

#[path = "../common/mod.rs"]
mod common;

mod again;
mod breaks;
mod errors;
mod random;
mod reference;
mod written;
