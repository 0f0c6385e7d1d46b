//! What the commands write: one file or folder per kind of output.

pub mod print;
