//! Pictures of pixels from vector pictures.

use std::io::{self, Write};
#[cfg(feature = "png")]
use std::sync::Arc;

#[cfg(feature = "png")]
use resvg::tiny_skia::{Pixmap, Transform};
#[cfg(feature = "png")]
use resvg::usvg::{fontdb::Database, Options, Tree};

/// Pixels of a unit of the picture, where there is room.
#[cfg(feature = "png")]
const SCALE: f32 = 2.0;
/// Pixels of a picture, at most: four bytes each.
#[cfg(feature = "png")]
const MOST: f32 = 32e6;

/// Refuses to write a picture: the program was built without PNG.
///
/// # Errors
///
/// Always.
#[cfg(not(feature = "png"))]
pub(super) fn write_png(_: &mut dyn Write, _: &str) -> io::Result<()> {
    Err(io::Error::other("this program was built without PNG (feature `png`)"))
}

/// Writes a vector picture (SVG) as PNG. Texts are in a font that the program brings: the picture is the same on any
/// machine.
///
/// # Errors
///
/// When it is no picture, or the output cannot be written.
#[cfg(feature = "png")]
pub(super) fn write_png(out: &mut dyn Write, svg: &str) -> io::Result<()> {
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans_mono::regular().to_vec());
    fonts.load_font_data(dejavu::sans_mono::bold().to_vec());
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_monospace_family("DejaVu Sans Mono");
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options {
        fontdb: Arc::new(fonts),
        font_family: "DejaVu Sans Mono".to_owned(),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(io::Error::other)?;
    let size = tree.size();
    let scale = SCALE.min((MOST / (size.width() * size.height())).sqrt());
    let pixels = |length: f32| (length * scale).ceil().max(1.0) as u32;
    let pixmap = Pixmap::new(pixels(size.width()), pixels(size.height()));
    let mut pixmap = pixmap.ok_or_else(|| io::Error::other("the picture is too large"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    let (width, height) = (pixmap.width(), pixmap.height());
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let unwritten = |error| match error {
        png::EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    };
    let mut writer = encoder.write_header().map_err(unwritten)?;
    // The background of pictures is opaque: colours are what they are without their transparency.
    writer.write_image_data(pixmap.data()).map_err(unwritten)?;
    writer.finish().map_err(unwritten)
}
