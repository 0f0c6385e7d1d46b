//! Directly-follows graphs of traces: ranks take disjoint cases, read them once, and fold their logs.

mod chosen;
mod mapping;
mod strace;

pub use chosen::{Chosen, Subset};
pub use mapping::{Mapping, Site};
pub use strace::{find_cases, log_of_cases, Cases, Found, Logs, Options};
