//! Directly-follows graphs of traces: ranks take disjoint cases, read them once, and fold their logs.

mod cases;
mod chosen;
mod events;
mod mapping;
mod strace;

pub use cases::{find_cases, Cases};
pub use chosen::{Chosen, Subset};
pub use events::{each_case, CaseCalls, StoredCall};
pub use mapping::{Mapping, Site};
pub use strace::{log_of_cases, Found, Logs, Options};
