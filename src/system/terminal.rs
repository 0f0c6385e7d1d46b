//! Terminals: whether a stream is one, and obeys.

use std::io::IsTerminal;

/// Tells whether a stream is a terminal on which lines can be written over. One that is `dumb` obeys nothing.
pub fn obeys(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}
