//! Provenance of a report. Nothing here depends on how many ranks or threads made it.

use serde::Serialize;

/// Provenance of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// This program and its version.
    pub program: String,
    /// The trace, as given on the command line.
    pub input: String,
    /// The trace's own identifier, 16 hexadecimal digits.
    pub trace_identifier: String,
    /// The program that recorded the trace.
    pub creator: String,
    /// Options that change what is in the report, by name.
    pub options: Vec<(String, String)>,
    /// Ticks a second.
    pub timer_resolution: u64,
    /// How much was lost in reading.
    pub loss_count: u64,
    /// The first of these losses, a line for each.
    pub losses: Vec<String>,
}
