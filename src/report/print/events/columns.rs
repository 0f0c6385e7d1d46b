//! The columns that all events have.

use streamfold_model::values::Ticks;

use crate::print::line::Line;

/// A line whose columns are still to be written, and the time for them.
pub(super) struct Columns<'a> {
    pub line: Line<'a>,
    pub time: Ticks,
}

impl<'a> Columns<'a> {
    /// Those of an event that is called so.
    #[inline]
    pub fn of(self, kind: &str) -> Line<'a> {
        self.line.event(kind, self.time)
    }
}
