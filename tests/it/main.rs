//! All end-to-end tests: one program, a module for each command and subject.
//!
//! Run some of them by the path of their module: `cargo test --test it unify::`. Beside this program
//! stand those that cannot be a part of it: `tests/world` (no harness) and `tests/mutations` (its
//! memory is measured).

mod common;

mod account;
mod bad_input;
mod browser;
mod by_process;
mod call;
mod calls;
mod choices;
mod convert;
mod copy;
mod critical;
mod cubex;
mod cut;
mod dfg;
mod dftracer;
mod diff;
mod efficiency;
mod estimate;
mod example;
mod exit_codes;
mod exports;
mod failing_ranks;
mod faults;
mod flame;
mod generate;
mod gistlog;
mod goal;
mod hdf5_file;
mod hdf5_values;
mod info;
mod io;
mod iterations;
mod marker;
mod matching;
mod mcp;
mod merge;
mod missing;
mod mpi_load;
mod newest;
mod otf;
mod otf_write;
mod outputs;
mod overview;
mod own_kernel;
mod pages;
mod pieces;
mod print;
mod profile;
mod profile_layouts;
mod reader_chunks;
mod reader_records;
mod replay;
mod report;
mod salvage;
mod samples;
mod signals;
mod slow_profile;
mod slurm;
mod snapshots;
mod strace;
mod terminal;
mod texts;
mod time_line;
mod timeline;
mod timeline_map;
mod unify;
mod validate;
mod waitstates;
mod writer;
