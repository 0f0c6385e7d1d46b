//! The targets: each tries one input. Programs in `../targets` hand them to libFuzzer, and
//! `../tests/seeds.rs` to the ordinary tests.

pub mod anchor;
pub mod archive;
pub mod definitions;
pub mod dftracer;
pub mod events;
pub mod matching;
pub mod otf;
pub mod rewrite;
pub mod strace;
