//! Analyses of a trace: each has its kernel, its rounds and its result.

pub mod compare;
pub mod devices;
pub mod dfg;
pub mod efficiency;
pub mod info;
pub mod io;
pub mod matching;
pub mod processes;
pub mod profile;
pub mod statistics;
pub mod steps;
pub mod time_map;
pub mod validate;
pub mod waitstates;
