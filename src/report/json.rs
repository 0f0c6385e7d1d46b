//! JSON as all outputs write it: what a terminal would obey, and what is not seen, stands there by its number.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use streamfold_text::human;

/// Writes a value on one line.
///
/// # Errors
///
/// When the output cannot be written, or the value cannot be serialized.
pub fn to_writer<T: Serialize + ?Sized>(out: impl Write, value: &T) -> io::Result<()> {
    let formatter = Escaping(CompactFormatter);
    Ok(value.serialize(&mut Serializer::with_formatter(out, formatter))?)
}

/// Writes a value with a line for each member.
///
/// # Errors
///
/// Those of [`to_writer`].
pub fn to_writer_pretty<T: Serialize + ?Sized>(out: impl Write, value: &T) -> io::Result<()> {
    let formatter = Escaping(PrettyFormatter::new());
    Ok(value.serialize(&mut Serializer::with_formatter(out, formatter))?)
}

/// A formatter with escapes for [hidden](human::is_hidden) characters, where that of serde_json has some for C0 only.
struct Escaping<F>(F);

/// Hands on what has no text in it.
macro_rules! hand_on {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(fn $name<W: ?Sized + Write>(&mut self, out: &mut W, $($argument: $kind),*) -> io::Result<()> {
            self.0.$name(out, $($argument),*)
        })*
    };
}

impl<F: Formatter> Formatter for Escaping<F> {
    hand_on! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        human::with_hidden(
            text,
            out,
            |out, text| out.write_all(text.as_bytes()),
            |out, c| {
                c.encode_utf16(&mut [0; 2]).iter().try_for_each(|it| write!(out, "\\u{it:04x}"))
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        let mut line = Vec::new();
        to_writer(&mut line, text).expect("memory");
        String::from_utf8(line).expect("text")
    }

    #[test]
    fn hidden_characters_stand_by_their_numbers() {
        assert_eq!(line("a\x1b\x7f\u{9b}b"), r#""a\u001b\u007f\u009bb""#);
        let turned = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}";
        assert_eq!(line(turned), r#""\u061c\u200e\u200f\u202a\u202e\u2066\u2069""#);
        assert_eq!(line("größer\t\"\\\n\u{e0041}"), r#""größer\t\"\\\n\udb40\udc41""#);
    }

    #[test]
    fn values_are_laid_out_as_before() {
        let value = serde_json::json!({ "a\u{85}": [1, 0.5, null], "b": { "c": [] } });
        let mut pretty = Vec::new();
        to_writer_pretty(&mut pretty, &value).expect("memory");
        let expected = serde_json::to_string_pretty(&value).expect("JSON");
        let expected = expected.replace('\u{85}', "\\u0085");
        assert_eq!(String::from_utf8(pretty).expect("text"), expected);
        let text = line("a\u{85}\u{1f600}");
        assert_eq!(serde_json::from_str::<String>(&text).expect("JSON"), "a\u{85}\u{1f600}");
    }
}
