//! The commands: arguments in, one call into the library, report out.

pub mod print;
