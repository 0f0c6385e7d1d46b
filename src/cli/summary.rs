//! Summary of commands that read events.

use std::time::Instant;

use streamfold_text::human;

/// `12 events, 3.4 kB in 0.005 s: 2 400 events/s`; a note of the events stands behind their number.
pub(super) fn pace(events: u64, note: &str, bytes: u64, begin: Instant) -> String {
    let seconds = begin.elapsed().as_secs_f64();
    format!(
        "{}{note}, {} in {seconds:.3} s: {} events/s",
        human::plural(events, "event"),
        human::bytes(bytes.into()),
        human::count((events as f64 / seconds) as u64),
    )
}

/// How many bytes a rank had in memory at most, and how many went to temporary files.
pub(super) fn memory(bytes: u64, spilled: u64) -> String {
    let spilled = match spilled {
        0 => String::new(),
        bytes => format!(", {} in temporary files", human::bytes(bytes.into())),
    };
    format!("at most {} of memory on a rank{spilled}", human::bytes(bytes.into()))
}
