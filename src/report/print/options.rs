//! Options of printers.

use std::ops::RangeInclusive;

/// How times are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timestamps {
    /// As they are, in ticks.
    #[default]
    Plain,
    /// In ticks since the global offset of the trace's clock.
    Offset,
}

/// Options of a [`Printer`](super::Printer).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Print the global definitions, not only learn their names.
    pub global_definitions: bool,
    /// Only events and snapshots of these times are printed, in ticks.
    pub time: RangeInclusive<u64>,
    /// How times are shown.
    pub timestamps: Timestamps,
    /// Print the callers of the calling context of each event that has one.
    pub unwind_calling_context: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            global_definitions: false,
            time: 0..=u64::MAX,
            timestamps: Timestamps::Plain,
            unwind_calling_context: false,
        }
    }
}
