//! The sheet on which pictures are.

use std::io::{self, Write};

use super::TimeMapReport;
use crate::draw::{Drawing, LINE, MARGIN};
use crate::heat_map::TimeAxis;
use crate::raster;
use streamfold_text::human;

impl TimeMapReport<'_> {
    pub(super) fn axis(&self) -> TimeAxis {
        let of = &self.over.bins;
        TimeAxis::new(
            self.bins(),
            (self.seconds(of.begin()), self.seconds(of.end())),
            self.names().width(),
        )
    }

    /// The first lines: what it is, of what, and how much.
    fn heading(&self, on: &mut Drawing, axis: &TimeAxis, title: &str) -> f64 {
        let whole = format!("{} · {}", title, human::visible(&self.program()));
        let extent = format!("{}. {}", self.extent(), self.explained());
        on.heading(axis.sheet() - 2.0 * MARGIN, &whole, &extent)
    }

    /// `body` draws what is above the axis, and says where that ends, and where what stands beside it does.
    fn alone(
        &self,
        title: &str,
        body: impl FnOnce(&mut Drawing, &TimeAxis, f64) -> (f64, f64),
    ) -> String {
        let (axis, mut on) = (self.axis(), Drawing::default());
        let top = self.heading(&mut on, &axis, title);
        let (bottom, beside) = body(&mut on, &axis, top);
        let bottom = axis.draw(&mut on, bottom).max(beside);
        let what = format!("{title} · {}", self.program());
        on.finish((axis.sheet(), bottom + MARGIN), &what, &self.extent())
    }

    /// The heat map alone, as SVG.
    pub fn heat_map(&self) -> String {
        let title = format!("{}, by {}", self.title(), self.noun());
        self.alone(&title, |on, axis, top| self.heat(on, axis, top))
    }

    /// Returns the areas of all threads by class of work, alone, as SVG.
    pub fn areas(&self) -> String {
        self.alone("What time is spent on", |on, axis, top| self.stacks(on, axis, top))
    }

    /// Both on one sheet, as SVG: what all threads spend their time on, and below it the heat map.
    pub fn picture(&self) -> String {
        let title = format!("{}, by {}", self.title(), self.noun());
        self.alone(&title, |on, axis, top| {
            let (below, beside) = self.stacks(on, axis, top);
            self.heat(on, axis, below.max(beside) + LINE)
        })
    }

    pub(super) fn noun(&self) -> &'static str {
        match self.by {
            streamfold_kernels::account::RowsBy::Process => "process",
            streamfold_kernels::account::RowsBy::Location => "thread",
        }
    }

    /// Writes both as SVG.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_svg(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.picture().as_bytes())
    }

    /// Writes both as PNG.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_png(&self, out: &mut dyn Write) -> io::Result<()> {
        raster::write_png(out, &self.picture())
    }
}
