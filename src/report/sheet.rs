//! Parts that pictures in SVG share.

use std::io::{self, Write};

use streamfold_text::human;

/// Of a character of the font that is used, in units of the picture.
pub(super) const CHARACTER: f64 = 7.3;
/// Around the picture.
pub(super) const MARGIN: f64 = 20.0;

/// Begins a picture of this size: white, with letters of one width.
pub(super) fn write_sheet(out: &mut dyn Write, width: f64, height: f64) -> io::Result<()> {
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, \
         monospace\" font-size=\"12\">"
    )?;
    writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")
}

/// A text as XML takes it, with signs in place of what is not seen.
pub(super) fn escaped(text: &str) -> String {
    let visible = human::visible(text);
    visible.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
