//! Styles of text on terminals: marks within a text, which terminals with colours show as such.
//!
//! A mark is a character that Unicode keeps for programs (U+FDD0 to U+FDEF). [`visible`](crate::human::visible) takes
//! these out of names. Marks are set only while [`painting`]: texts in pipes and files have none.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::RangeInclusive;

/// A look of text. Colours are those of classes of time in pictures, as near as 256 colours are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Titles, and headings of columns.
    Heading = 1,
    /// The numbers of an answer.
    Key,
    /// Anything that is odd.
    Warning,
    /// Anything that was lost.
    Loss,
    /// Computation and kernels.
    Green,
    /// MPI.
    Vermilion,
    /// SHMEM and GASPI.
    Amber,
    /// Threads.
    Sky,
    /// Calls to accelerators.
    Purple,
    /// Copies.
    Blue,
    /// Memory that is set.
    PaleBlue,
    /// Accesses to files.
    Yellow,
    /// All other classes.
    Grey,
}

/// The sequences that terminals obey: the end of a style, then those of all styles.
const SEQUENCES: [&str; 14] = [
    "\x1b[0m",
    "\x1b[1m",
    "\x1b[1m",
    "\x1b[33m",
    "\x1b[31m",
    "\x1b[38;5;36m",
    "\x1b[38;5;166m",
    "\x1b[38;5;178m",
    "\x1b[38;5;74m",
    "\x1b[38;5;175m",
    "\x1b[38;5;32m",
    "\x1b[38;5;110m",
    "\x1b[38;5;184m",
    "\x1b[38;5;246m",
];

/// The mark of the end of a style; those of styles follow it.
const END: char = '\u{fdd0}';

/// Characters that may be marks.
pub(crate) const MARKS: RangeInclusive<char> = '\u{fdd0}'..='\u{fdef}';

thread_local! {
    /// Texts of this thread go to a terminal with colours.
    static PAINTING: Cell<bool> = const { Cell::new(false) };
}

/// Does what writes text of this thread, with marks of styles where they are `wanted`.
pub fn painting<T>(wanted: bool, write: impl FnOnce() -> T) -> T {
    /// Ends with the scope, also by a panic.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            PAINTING.set(self.0);
        }
    }
    let _before = Before(PAINTING.replace(wanted));
    write()
}

/// A text with a style, where styles are wanted.
pub fn styled(style: Style, text: &str) -> Cow<'_, str> {
    if !PAINTING.get() || text.is_empty() {
        return Cow::Borrowed(text);
    }
    let begin = char::from_u32(END as u32 + style as u32).unwrap_or(END);
    Cow::Owned(format!("{begin}{text}{END}"))
}

/// The sequence of a mark. `None`: the character is none.
pub(crate) fn sequence(mark: char) -> Option<&'static str> {
    let number = (mark as u32).checked_sub(END as u32)?;
    SEQUENCES.get(number as usize).copied()
}

/// A sentence of an answer, visible, whose shares in percent stand out; if it has none, its first time.
pub fn answer(sentence: &str) -> Cow<'_, str> {
    const TIMES: [&str; 4] = ["s", "ms", "us", "ns"];
    if !PAINTING.get() {
        return Cow::Borrowed(sentence);
    }
    let words: Vec<&str> = sentence.split(' ').collect();
    let unit = |word: &str| word.trim_end_matches(['.', ',', ';', ':', ')']).to_owned();
    let is_number = |word: &str| word.trim_start_matches('(').parse::<f64>().is_ok();
    let of = |is_unit: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let ends = words.windows(2).enumerate();
        ends.filter(|(_, pair)| is_number(pair[0]) && is_unit(&unit(pair[1])))
            .map(|(at, _)| at)
            .collect()
    };
    let mut keys = of(&|unit| unit == "%");
    if keys.is_empty() {
        keys = of(&|unit| TIMES.contains(&unit));
        keys.truncate(1);
    }
    let shown = words.iter().enumerate().map(|(at, word)| match () {
        () if keys.contains(&at) => {
            let number = word.trim_start_matches('(');
            let before = &word[..word.len() - number.len()];
            format!("{before}{}", styled(Style::Key, number))
        }
        () if at > 0 && keys.contains(&(at - 1)) => {
            let unit = unit(word);
            format!("{}{}", styled(Style::Key, &unit), &word[unit.len()..])
        }
        () => (*word).to_owned(),
    });
    Cow::Owned(shown.collect::<Vec<_>>().join(" "))
}

/// A text without its marks, as long as it is on a terminal.
pub fn width(text: &str) -> usize {
    text.chars().filter(|c| !MARKS.contains(c)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_there_only_where_they_are_wanted() {
        assert_eq!(styled(Style::Loss, "a"), "a");
        painting(true, || {
            assert_eq!(styled(Style::Loss, "a"), "\u{fdd4}a\u{fdd0}");
            assert_eq!(styled(Style::Grey, ""), "");
            painting(false, || assert_eq!(styled(Style::Loss, "a"), "a"));
            assert_eq!(width(&styled(Style::Grey, "abc")), 3);
        });
        assert_eq!(styled(Style::Loss, "a"), "a");
    }

    #[test]
    fn all_styles_have_sequences() {
        let sequences: Vec<_> = MARKS.filter_map(sequence).collect();
        assert_eq!(sequences, SEQUENCES);
        assert_eq!(SEQUENCES.len(), Style::Grey as usize + 1);
        assert_eq!((sequence('a'), sequence('\u{fdef}')), (None, None));
    }

    #[test]
    fn numbers_of_answers_stand_out() {
        let plain = |text: &str| {
            let text = painting(true, || answer(text).into_owned());
            text.replace('\u{fdd2}', "<").replace('\u{fdd0}', ">")
        };
        assert_eq!(plain("It is (1.5 %), of 2 s."), "It is (<1.5> <%>), of 2 s.");
        assert_eq!(plain("It is 1.5 ms, or 2 s."), "It is <1.5> <ms>, or 2 s.");
        assert_eq!(plain("It is."), "It is.");
        assert_eq!(answer("It is 1.5 %."), "It is 1.5 %.");
    }
}
