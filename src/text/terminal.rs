//! Text on terminals: control characters of names and other texts of a trace show, and do nothing.

use std::io::{self, Write};

use bstr::ByteSlice;

use super::{human, style};

/// A text as a terminal shows it.
pub fn as_shown(text: &[u8]) -> Vec<u8> {
    let mut terminal = Terminal::new(Vec::with_capacity(text.len()));
    let shown = terminal.show(text);
    debug_assert!(shown.is_ok(), "memory takes everything");
    terminal.to
}

/// A terminal that gets whole characters only, those that are [hidden](human::is_hidden) as `\x1b` or `\u202e`.
/// Tabs and ends of lines stay.
#[derive(Debug)]
pub struct Terminal<W: Write> {
    to: W,
    /// The begin of a character whose end is still to come.
    begun: Vec<u8>,
    /// Marks of [styles](style) are shown as such.
    colors: bool,
}

impl<W: Write> Terminal<W> {
    /// On which nothing stands yet.
    pub fn new(to: W) -> Self {
        Terminal { to, begun: Vec::new(), colors: false }
    }

    /// The same, with marks of [styles](style) as what they stand for, where that is `wanted`.
    pub fn with_colors(to: W, wanted: bool) -> Self {
        Terminal { to, begun: Vec::new(), colors: wanted }
    }

    /// Returns where it was shown. Marks that have begun, and not ended, are left out.
    pub fn into_inner(self) -> W {
        self.to
    }

    /// Shows text that ends with a whole character, or the begin of one that has no end.
    fn show(&mut self, text: &[u8]) -> io::Result<()> {
        ByteSlice::utf8_chunks(text).try_for_each(|chunk| {
            show_text(&mut self.to, chunk.valid(), self.colors)?;
            chunk.invalid().iter().try_for_each(|byte| write!(self.to, "\\x{byte:02x}"))
        })
    }
}

fn show_text(to: &mut impl Write, text: &str, colors: bool) -> io::Result<()> {
    human::with_hidden(
        text,
        to,
        |to, text| to.write_all(text.as_bytes()),
        |to, c| match c {
            c if colors && style::sequence(c).is_some() => {
                to.write_all(style::sequence(c).unwrap_or_default().as_bytes())
            }
            '\t' | '\n' => write!(to, "{c}"),
            '\0'..='\u{ff}' => write!(to, "\\x{:02x}", u32::from(c)),
            _ => write!(to, "\\u{:04x}", u32::from(c)),
        },
    )
}

impl<W: Write> Write for Terminal<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut whole = std::mem::take(&mut self.begun);
        whole.extend_from_slice(text);
        let last = ByteSlice::utf8_chunks(&whole[..]).last();
        let begun = last.filter(|chunk| chunk.incomplete()).map_or(0, |it| it.invalid().len());
        self.begun = whole.split_off(whole.len() - begun);
        self.show(&whole)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        self.show(&begun)?;
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]]) -> String {
        let mut terminal = Terminal::new(Vec::new());
        pieces.iter().for_each(|piece| terminal.write_all(piece).expect("memory"));
        terminal.flush().expect("memory");
        String::from_utf8(terminal.to).expect("text")
    }

    #[test]
    fn control_characters_are_seen() {
        let text = "a\tb\n\x1b]0;c\x07\r\x7f\u{9b}\u{202e}größer␛\n".as_bytes();
        let expected = "a\tb\n\\x1b]0;c\\x07\\x0d\\x7f\\x9b\\u202egrößer␛\n";
        assert_eq!(shown(&[text]), expected);
        for at in 0..text.len() {
            let (one, other) = text.split_at(at);
            assert_eq!(shown(&[one, other]), expected, "{at}");
        }
    }

    #[test]
    fn marks_are_styles_where_colors_are_wanted() {
        let text = style::painting(true, || style::styled(style::Style::Loss, "ab").into_owned());
        for (wanted, expected) in [(true, "\x1b[31mab\x1b[0m"), (false, "\\ufdd4ab\\ufdd0")] {
            for at in 0..text.len() {
                let mut terminal = Terminal::with_colors(Vec::new(), wanted);
                terminal.write_all(&text.as_bytes()[..at]).expect("memory");
                terminal.write_all(&text.as_bytes()[at..]).expect("memory");
                terminal.flush().expect("memory");
                assert_eq!(String::from_utf8(terminal.to).expect("text"), expected, "{at}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_seen() {
        assert_eq!(shown(&[b"a\x9bb\xc3"]), "a\\x9bb\\xc3");
    }
}
