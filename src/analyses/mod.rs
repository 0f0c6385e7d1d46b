//! Analyses of a trace: each has its kernel, its rounds and its result.

pub mod account;
pub mod compare;
pub mod critical;
pub mod delays;
pub mod dfg;
pub mod info;
pub mod io;
pub mod launches;
pub mod matching;
pub mod processes;
pub mod profile;
pub mod replay;
pub mod schedule;
pub mod statistics;
pub mod steps;
pub mod validate;
pub mod wait_tree;
pub mod waitstates;
