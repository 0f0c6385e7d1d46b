//! The communication matrix as a picture of pixels.

use std::io::{self, Write};

use super::font::{self, Font};
use super::heat::ValueOf;
use super::picture::{draw, Canvas, Rect, Style, HEIGHT, TURNED, WIDTH};
use super::MatchReport;
use crate::report::colours::Colour;
use crate::report::human;

/// Pixels of a unit of the picture.
const SCALE: f64 = 2.0;
/// The height of letters from here on is twice that of the font.
const LARGE: f64 = 14.0;

/// Draws the matrix.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &MatchReport<'_>, value: ValueOf) -> io::Result<()> {
    let mut pixels = Pixels::new((WIDTH * SCALE) as usize, (HEIGHT * SCALE) as usize);
    draw(&mut pixels, report, value)?;
    let mut encoder = png::Encoder::new(out, pixels.width as u32, pixels.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(unwritten)?;
    writer.write_image_data(pixels.colours.as_flattened()).map_err(unwritten)?;
    writer.finish().map_err(unwritten)
}

/// What the system said, where that is why the picture cannot be written.
fn unwritten(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

/// A picture, row by row.
struct Pixels {
    width: usize,
    height: usize,
    colours: Vec<Colour>,
    font: Font,
}

impl Pixels {
    fn new(width: usize, height: usize) -> Self {
        Pixels { width, height, colours: vec![[0xff; 3]; width * height], font: Font::new() }
    }

    /// Covers a part of a pixel, from 0 to 1, with a colour.
    fn cover(&mut self, x: i64, y: i64, colour: Colour, part: f64) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x < self.width && y < self.height && part > 0.0 {
            let pixel = &mut self.colours[y * self.width + x];
            for (old, new) in pixel.iter_mut().zip(colour) {
                *old = (f64::from(*old) * (1.0 - part) + f64::from(new) * part).round() as u8;
            }
        }
    }

    /// Fills what is from one pixel up to, not at, another.
    fn fill(&mut self, (left, top): (f64, f64), (right, bottom): (f64, f64), colour: Colour) {
        let at = |place: f64, most: usize| (place.round().max(0.0) as usize).min(most);
        let (left, right) = (at(left, self.width), at(right, self.width));
        for y in at(top, self.height)..at(bottom, self.height) {
            self.colours[y * self.width..][left..right.max(left)].fill(colour);
        }
    }
}

fn scaled((x, y): (f64, f64)) -> (f64, f64) {
    (x * SCALE, y * SCALE)
}

impl Canvas for Pixels {
    fn fill(&mut self, rect: Rect, colour: Colour, _: Option<&str>) -> io::Result<()> {
        let Rect { x, y, width, height } = rect;
        Pixels::fill(self, scaled((x, y)), scaled((x + width, y + height)), colour);
        Ok(())
    }

    fn frame(&mut self, Rect { x, y, width, height }: Rect, colour: Colour) -> io::Result<()> {
        let ((left, top), (right, bottom)) = (scaled((x, y)), scaled((x + width, y + height)));
        let mut line = |from, to| Pixels::fill(self, from, to, colour);
        line((left - 1.0, top - 1.0), (right + 1.0, top + 1.0));
        line((left - 1.0, bottom - 1.0), (right + 1.0, bottom + 1.0));
        line((left - 1.0, top - 1.0), (left + 1.0, bottom + 1.0));
        line((right - 1.0, top - 1.0), (right + 1.0, bottom + 1.0));
        Ok(())
    }

    fn mark(&mut self, (x, y): (f64, f64), length: f64) -> io::Result<()> {
        let ((left, top), right) = (scaled((x, y)), (x + length) * SCALE);
        Pixels::fill(self, (left, top - 1.0), (right, top + 1.0), [0; 3]);
        Ok(())
    }

    fn text(&mut self, at: (f64, f64), style: Style, text: &str) -> io::Result<()> {
        let text: Vec<char> = human::visible(text).chars().collect();
        let times = if style.size >= LARGE { 2.0 } else { 1.0 };
        let (width, height) =
            ((text.len() * font::WIDTH) as f64 * times, font::HEIGHT as f64 * times);
        let ascent = font::ASCENT as f64 * times;
        // From here letters go along one direction, and rise in the other.
        let (x, y) = scaled(at);
        let (sine, cosine) = if style.turned { TURNED.to_radians().sin_cos() } else { (0.0, 1.0) };
        let (x, y) = (x.round(), y.round());
        let begin = if style.ends { -width } else { 0.0 };
        let is_dark = |x: f64, y: f64| {
            let (x, y) = (x / times, y / times);
            let inside = x >= 0.0 && y >= 0.0 && y < font::HEIGHT as f64;
            let dark = |x: f64| x >= 0.0 && self.font.is_dark(&text, x as usize, y as usize);
            inside && (dark(x) || style.bold && dark(x - 1.0))
        };
        let corners = [begin, begin + width].map(|along| {
            [-ascent, height - ascent]
                .map(|down| (along * cosine + down * sine, down * cosine - along * sine))
        });
        let corners = corners.as_flattened();
        // A pixel more for bold letters.
        let range = |of: fn(&(f64, f64)) -> f64| {
            let (least, most) = (corners.iter().map(of), corners.iter().map(of));
            let least = least.fold(f64::INFINITY, f64::min) as i64 - 2;
            least..=most.fold(f64::NEG_INFINITY, f64::max) as i64 + 2
        };
        let mut covered = Vec::new();
        for dy in range(|corner| corner.1) {
            for dx in range(|corner| corner.0) {
                let part = part(dx as f64, dy as f64, |dx, dy| {
                    let along = dx * cosine - dy * sine;
                    let down = dx * sine + dy * cosine;
                    is_dark(along - begin, down + ascent)
                });
                if part > 0.0 {
                    covered.push((x as i64 + dx, y as i64 + dy, part));
                }
            }
        }
        covered.into_iter().for_each(|(x, y, part)| self.cover(x, y, style.colour, part));
        Ok(())
    }
}

/// How much of a pixel is dark, as nine points of it are.
fn part(x: f64, y: f64, is_dark: impl Fn(f64, f64) -> bool) -> f64 {
    const POINTS: [f64; 3] = [1.0 / 6.0, 0.5, 5.0 / 6.0];
    let points = POINTS.into_iter().flat_map(|dx| POINTS.map(|dy| (x + dx, y + dy)));
    points.filter(|&(x, y)| is_dark(x, y)).count() as f64 / 9.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style =
        Style { size: 11.0, bold: false, colour: [0; 3], ends: false, turned: false };

    /// The smallest part of the picture that has all that is not white: left, top, right, bottom.
    fn inked(pixels: &Pixels) -> [usize; 4] {
        let inked = (0..pixels.colours.len()).filter(|i| pixels.colours[*i] != [0xff; 3]);
        inked.fold([usize::MAX, usize::MAX, 0, 0], |[left, top, right, bottom], i| {
            let (x, y) = (i % pixels.width, i / pixels.width);
            [left.min(x), top.min(y), right.max(x), bottom.max(y)]
        })
    }

    #[test]
    fn texts_begin_or_end_where_they_are_put() {
        for (ends, turned) in [(false, false), (true, false), (true, true)] {
            let mut pixels = Pixels::new(400, 400);
            let style = Style { ends, turned, ..STYLE };
            pixels.text((100.0, 100.0), style, "MPI Rank 7").unwrap();
            let [left, top, right, bottom] = inked(&pixels);
            match (ends, turned) {
                (false, _) => assert!(left >= 200 && right <= 290 && top > 180 && bottom < 206),
                (true, false) => assert!(left >= 110 && right < 200 && top > 180 && bottom < 206),
                (true, true) => {
                    assert!(left > 140 && right < 210 && top > 170 && bottom > 250, "{bottom}");
                }
            }
        }
    }

    #[test]
    fn what_is_beyond_the_picture_is_not_drawn() {
        let mut pixels = Pixels::new(20, 20);
        pixels.text((-3.0, 5.0), STYLE, &"M".repeat(50)).unwrap();
        let rect = Rect { x: -5.0, y: -5.0, width: 100.0, height: 7.0 };
        Canvas::fill(&mut pixels, rect, [1, 2, 3], None).unwrap();
        assert_eq!(pixels.colours[0], [1, 2, 3]);
        assert_eq!(pixels.colours[19 * 20], [0xff; 3]);
    }
}
