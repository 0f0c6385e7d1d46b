//! Numbers and names as people read them.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::style;

/// Units that take the prefixes of SI.
const SCALED: [&str; 13] =
    ["J", "W", "V", "A", "Hz", "B", "B/s", "J/s", "b", "b/s", "FLOP", "FLOP/s", "Wh"];

/// Ticks as time, to four digits: `17.51 ms`.
pub fn time(ticks: u128, resolution: u64) -> String {
    seconds(ticks as f64 / resolution.max(1) as f64)
}

/// The same of times that may be negative.
pub fn signed_time(ticks: i128, resolution: u64) -> String {
    let sign = if ticks < 0 { "-" } else { "" };
    format!("{sign}{}", time(ticks.unsigned_abs(), resolution))
}

/// Seconds as time, to four digits.
pub fn seconds(seconds: f64) -> String {
    scaled(seconds, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")])
}

/// A number in the first unit that it reaches, else in the last.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    if value == 0.0 {
        return format!("0 {}", units[0].1);
    }
    // A number that rounds up to 1000 of a unit is 1 of the next.
    let fits = |(scale, _): &&(f64, &str)| value / scale >= 0.99995;
    let (scale, unit) = units.iter().find(fits).unwrap_or(&units[units.len() - 1]);
    let value = value / scale;
    let digits = match value {
        v if v >= 999.95 => 0,
        v if v >= 99.995 => 1,
        v if v >= 9.9995 => 2,
        _ => 3,
    };
    format!("{value:.digits$} {unit}")
}

/// Bytes: `1.500 MiB`.
pub fn bytes(bytes: u128) -> String {
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = match value {
        v if v >= 99.995 => 1,
        v if v >= 9.9995 => 2,
        _ => 3,
    };
    format!("{value:.digits$} {}", units[unit])
}

/// A quantity of some unit, to four digits: `17.51 mW`; of things that are counted, `#` or nothing,
/// whole numbers in full. Only units of SI take prefixes, and those of time none for large numbers.
pub fn quantity(value: f64, unit: &str) -> String {
    const UNITS: [(f64, &str); 9] = [
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "u"),
        (1e-9, "n"),
        (1e-12, "p"),
    ];
    let sign = if value < 0.0 { "-" } else { "" };
    let size = value.abs();
    if matches!(unit, "" | "#" | "1") {
        return format!("{sign}{}", number(size));
    }
    if size != 0.0 && !(1e-15..1e15).contains(&size) {
        return format!("{sign}{size:.3e} {}", visible(unit));
    }
    let unit = if matches!(unit, "bytes" | "byte" | "Bytes") { "B" } else { unit };
    if !takes_prefixes(unit) {
        let number = match size {
            _ if size == 0.0 => "0".to_owned(),
            _ if (0.001..999.95).contains(&size) => {
                scaled(size, &[(1.0, "")]).trim_end().to_owned()
            }
            _ => number(size),
        };
        return format!("{sign}{number} {}", visible(unit));
    }
    if unit == "s" {
        return format!("{sign}{}", seconds(size));
    }
    let units = UNITS.map(|(scale, prefix)| (scale, format!("{prefix}{}", visible(unit))));
    let units = units.each_ref().map(|(scale, unit)| (*scale, unit.as_str()));
    // Nothing is nothing of the unit itself.
    let units = if size == 0.0 { &units[4..5] } else { &units[..] };
    format!("{sign}{}", scaled(size, units))
}

/// Tells whether a unit takes the prefixes of SI.
pub(super) fn takes_prefixes(unit: &str) -> bool {
    unit == "s" || SCALED.contains(&unit)
}

/// A number from 0 on, without a unit: whole ones in full.
fn number(size: f64) -> String {
    match size {
        _ if size == size.trunc() && size < 1e15 => count(size as u64),
        _ if (1e6..1e15).contains(&size) => count(size.round() as u64),
        _ if (1e-3..1e6).contains(&size) => format!("{size:.3}"),
        _ => format!("{size:.3e}"),
    }
}

/// A count with its thousands apart: `1 234 567`.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A part of a whole in percent: `12.3`; empty where there is no whole.
pub fn percent(part: u128, whole: u128) -> String {
    if whole == 0 {
        return String::new();
    }
    format!("{:.1}", 100.0 * part as f64 / whole as f64)
}

/// A text in lines of at most so many characters, where that is known: broken between words, and not between a number
/// and its unit. A longer word stands alone. Blanks at the begin stand before each line.
pub fn wrapped(text: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else { return vec![text.to_owned()] };
    let begin = text.trim_start_matches(' ');
    let indent = &text[..text.len() - begin.len()];
    if !indent.is_empty() {
        let lines = wrapped(begin, Some(width.saturating_sub(indent.len())));
        return lines.into_iter().map(|line| format!("{indent}{line}")).collect();
    }
    let words: Vec<&str> = text.split(' ').collect();
    let mut lines: Vec<String> = Vec::new();
    let mut rest = &words[..];
    while let Some(first) = rest.first() {
        let is_joined = |pair: &&[&str]| belong_together(pair[0], pair[1]);
        let together = 1 + rest.windows(2).take_while(is_joined).count();
        let joined = rest[..together].join(" ");
        // Words that do not fit into a line together are words as others.
        let is_short = style::width(&joined) <= width;
        let word = if is_short { joined.as_str() } else { first };
        rest = &rest[if is_short { together } else { 1 }..];
        match lines.last_mut() {
            Some(line) if style::width(line) + 1 + style::width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => {
                // A word that is longer than a line is broken anywhere.
                let letters: Vec<char> = word.chars().collect();
                let pieces = letters.chunks(width.max(1)).map(|piece| piece.iter().collect());
                lines.extend(pieces);
            }
        }
    }
    lines
}

/// Tells whether two words are a number and its unit, parts of a number, or a name and its number.
fn belong_together(one: &str, other: &str) -> bool {
    const UNITS: [&str; 12] =
        ["%", "s", "ms", "us", "ns", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let letters = |word: &str| word.chars().filter(|c| !is_hidden(*c)).collect::<String>();
    let (one, other) = (letters(one), letters(other));
    let bare = other.trim_end_matches(['.', ',', ';', ':', ')']);
    let is_digits = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit());
    match one.ends_with(|c: char| c.is_ascii_digit()) {
        true => UNITS.contains(&bare) || is_digits && bare.len() == 3,
        false => is_digits && one.starts_with(|c: char| c.is_uppercase()),
    }
}

/// A factor with two digits behind the point, or more where it is small: `0.43`, `0.0012`.
pub fn share(value: f64) -> String {
    match value {
        value if value >= 0.095 || value == 0.0 => format!("{value:.2}"),
        value if value >= 0.0095 => format!("{value:.3}"),
        value if value >= 0.00005 => format!("{value:.4}"),
        _ => "<0.0001".to_owned(),
    }
}

/// One or many: `1 event`, `2 events`.
pub fn plural(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// One or many, by both words: `1 loss`, `2 losses`.
pub fn counted(number: u64, [one, many]: [&str; 2]) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// That there are so many more, after the first of them: nothing where there are none. `what`: of what kind they are,
/// with a blank before it.
pub fn and_more(number: u64, what: &str) -> String {
    match number {
        0 => String::new(),
        number => format!(" and {} more{what}", count(number)),
    }
}

/// A text as one line that does nothing to a terminal. Control characters become pictures of themselves. Characters
/// that turn the direction of a line, or are not seen at all, become a sign that they are there. Names in traces may
/// hold anything.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let picture = |c: char| match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '\u{2421}',
        c if is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    Cow::Owned(text.chars().map(picture).collect())
}

/// Writes a text: `hidden` writes each hidden character, `seen` what stands between them.
///
/// # Errors
///
/// Those of both.
pub fn with_hidden<W: Write + ?Sized>(
    text: &str,
    out: &mut W,
    seen: impl Fn(&mut W, &str) -> io::Result<()>,
    hidden: impl Fn(&mut W, char) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = text;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_hidden(*c)) {
        seen(out, &rest[..at])?;
        hidden(out, c)?;
        rest = &rest[at + c.len_utf8()..];
    }
    seen(out, rest)
}

/// Tells whether a character does something to a terminal, or is not seen. These are control characters, and those that
/// say how others are shown: marks of direction, line ends, joints without a width, tags, and [styles](crate::style).
/// Characters that join letters of a word (U+200C and U+200D) belong to some scripts.
#[inline]
pub fn is_hidden(c: char) -> bool {
    if c < '\u{ad}' {
        return c.is_control();
    }
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Number of characters of a name that are shown.
const LONGEST_NAME: usize = 200;

/// The name of a function of C++ without its arguments and what it returns: `Grid::step` for `void Grid::step(int)`.
pub fn function(name: &str) -> &str {
    let end = name.trim_end_matches(" const");
    if !end.ends_with(')') {
        return name;
    }
    let mut depth = 0;
    let begin = end.char_indices().rev().find_map(|(at, letter)| {
        match letter {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    });
    let Some(without) = begin.map(|at| end[..at].trim_end()).filter(|of| !of.is_empty()) else {
        return name;
    };
    // Arguments of templates, and of function types, may have blanks.
    let (mut depth, mut from) = (0, 0);
    for (at, letter) in without.char_indices() {
        match letter {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ' ' if depth == 0 => from = at + 1,
            _ => {}
        }
    }
    match without[from..].trim_start_matches(['*', '&']) {
        "" => without,
        // A blank belongs to the name of an operator.
        name if without.contains("operator ") => without.rfind("operator ").map_or(name, |at| {
            let begin = without[..at].rfind(' ').map_or(0, |blank| blank + 1);
            &without[begin..]
        }),
        name => name,
    }
}

/// A name of bearable length: one string may name very many things.
pub fn short(mut name: String) -> String {
    if let Some((end, _)) = name.char_indices().nth(LONGEST_NAME) {
        name.truncate(end);
        name.push('…');
    }
    name
}

/// The last two parts of a path: enough to know a trace by.
pub fn last_parts(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let mut slashes = path.rmatch_indices('/').map(|(at, _)| at + 1);
    slashes.nth(1).map_or(path, |begin| &path[begin..]).trim_start_matches('/')
}

/// The end of a call path, of bearable length: its last steps matter most.
pub fn short_path(path: &str) -> Cow<'_, str> {
    match path.char_indices().rev().nth(LONGEST_NAME - 1) {
        Some((begin, _)) if begin > 0 => Cow::Owned(format!("…{}", &path[begin..])),
        _ => Cow::Borrowed(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_known_by_two_parts() {
        for (path, parts) in [
            ("/a/b/run-1/traces.otf2", "run-1/traces.otf2"),
            ("logs/", "logs"),
            ("/logs", "logs"),
            ("a/b", "a/b"),
            ("/", ""),
        ] {
            assert_eq!(last_parts(path), parts);
        }
    }

    #[test]
    fn functions_lose_their_arguments() {
        for (name, short) in [
            ("int main(int, char**)", "main"),
            ("void Grid::step<int, float>(double) const", "Grid::step<int, float>"),
            ("(anonymous namespace)::f(int (*)(int))", "(anonymous namespace)::f"),
            ("A::operator()(int)", "A::operator()"),
            ("A::operator bool()", "A::operator bool"),
            ("heavy_kernel(float*, float const*)", "heavy_kernel"),
            ("!$omp for @lulesh.cc:2022", "!$omp for @lulesh.cc:2022"),
            ("MPI_Send", "MPI_Send"),
            ("(unknown)", "(unknown)"),
        ] {
            assert_eq!(function(name), short);
        }
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three", Some(7)), ["one two", "three"]);
        assert_eq!(wrapped("one two", None), ["one two"]);
        assert_eq!(wrapped("abcdefg h", Some(3)), ["abc", "def", "g h"]);
        assert_eq!(wrapped("", Some(3)), [""; 0]);
        assert_eq!(wrapped("  one two", Some(6)), ["  one", "  two"]);
        assert_eq!(wrapped("it is 0.1 %.", Some(10)), ["it is", "0.1 %."]);
        assert_eq!(wrapped("of 1 234 567 B", Some(12)), ["of", "1 234 567 B"]);
        assert_eq!(wrapped("of 1 234 567 B", Some(8)), ["of 1 234", "567 B"]);
        assert_eq!(wrapped("for MPI Rank 0, or", Some(13)), ["for MPI", "Rank 0, or"]);
    }

    #[test]
    fn names_and_paths_are_of_bearable_length() {
        let long = "ä".repeat(LONGEST_NAME);
        assert_eq!(
            (short(long.clone()), short_path(&long).into_owned()),
            (long.clone(), long.clone())
        );
        assert_eq!(short(format!("{long}b")), format!("{long}…"));
        assert_eq!(short_path(&format!("b{long}")), format!("…{long}"));
        assert_eq!(short_path(""), "");
    }

    #[test]
    fn times_have_four_digits() {
        let times = [0, 1, 999, 1_000, 17_505_815, 999_999_999, 1_000_000_000, 123_456_789_012];
        let shown = times.map(|ticks| time(ticks, 1_000_000_000));
        let expected = [
            "0 s", "1.000 ns", "999.0 ns", "1.000 us", "17.51 ms", "1.000 s", "1.000 s", "123.5 s",
        ];
        assert_eq!(shown, expected);
        assert_eq!(time(3, 0), "3.000 s");
        assert_eq!(time(5_000_000, 1), "5000000 s");
    }

    #[test]
    fn quantities_have_prefixes_and_counts_have_none() {
        let shown = [0.0, 0.017505, -1.5e6, 999.99, 5e14, 1e30].map(|value| quantity(value, "W"));
        assert_eq!(shown, ["0 W", "17.50 mW", "-1.500 MW", "1.000 kW", "500.0 TW", "1.000e30 W"]);
        let shown = [0.0, 1234567.0, 1234567.8, -0.5, 1e300].map(|value| quantity(value, "#"));
        assert_eq!(shown, ["0", "1 234 567", "1 234 568", "-0.500", "1.000e300"]);
        assert_eq!(quantity(1.5e9, "bytes"), "1.500 GB");
    }

    #[test]
    fn bytes_are_binary() {
        let shown = [0, 1023, 1024, 1_572_864, 1 << 50].map(bytes);
        assert_eq!(shown, ["0 B", "1023 B", "1.000 KiB", "1.500 MiB", "1.000 PiB"]);
    }

    #[test]
    fn control_characters_show_and_do_nothing() {
        assert_eq!(visible("a\x1b[31m\nb\x7f\u{9b}"), "a␛[31m␊b␡\u{fffd}");
        assert_eq!(visible("MPI_Send · größer"), "MPI_Send · größer");
        let turned = "a\u{202e}b\u{2066}c\u{2069}d\u{200f}e\u{feff}";
        assert_eq!(visible(turned), "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e\u{fffd}");
        assert_eq!(visible("क्‍ष"), "क्‍ष");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short("ä".repeat(200)), "ä".repeat(200));
        assert_eq!(short("ä".repeat(201)), "ä".repeat(200) + "…");
    }

    #[test]
    fn counts_have_their_thousands_apart() {
        assert_eq!([0, 999, 1000, 1234567].map(count), ["0", "999", "1 000", "1 234 567"]);
    }
}
