//! Letters of pixels, for pictures of pixels.

use std::collections::HashMap;

/// The letters of the font "9x18" of the X Window System, in the public domain: for each its
/// number in Unicode and 18 rows of 16 bits, the leftmost of which is the highest.
const FONT: &str = include_str!("9x18.hex");

/// Pixels of a letter.
pub(super) const WIDTH: usize = 9;
pub(super) const HEIGHT: usize = 18;
/// Rows above the line on which letters stand.
pub(super) const ASCENT: usize = 14;

/// In place of letters that the font has not.
const UNKNOWN: char = '\u{fffd}';

type Letter = [u16; HEIGHT];

/// All letters.
pub(super) struct Font {
    letters: HashMap<char, Letter>,
}

impl Font {
    pub fn new() -> Self {
        let letter = |line: &str| {
            let (number, rows) = line.split_once(':')?;
            let number = u32::from_str_radix(number, 16).ok()?;
            let mut letter = [0; HEIGHT];
            for (i, row) in letter.iter_mut().enumerate() {
                *row = u16::from_str_radix(rows.get(4 * i..4 * (i + 1))?, 16).ok()?;
            }
            Some((char::from_u32(number)?, letter))
        };
        Font { letters: FONT.lines().filter_map(letter).collect() }
    }

    /// Whether a pixel of a text is dark.
    pub fn is_dark(&self, text: &[char], x: usize, y: usize) -> bool {
        let Some(letter) = text.get(x / WIDTH) else { return false };
        let letter = self.letters.get(letter).or_else(|| self.letters.get(&UNKNOWN));
        let row = letter.and_then(|letter| letter.get(y)).copied().unwrap_or(0);
        row >> (15 - x % WIDTH) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_there() {
        let font = Font::new();
        assert_eq!(font.letters.len(), FONT.lines().count());
        let all = (' '..='~').chain("·µ…→äßéñЖΩ".chars()).chain([UNKNOWN]);
        assert!(all.into_iter().all(|letter| font.letters.contains_key(&letter)));
    }

    #[test]
    fn letters_stand_beside_each_other() {
        let font = Font::new();
        let dark = |text: &str| {
            let text: Vec<char> = text.chars().collect();
            let pixels = (0..HEIGHT).flat_map(|y| (0..30).map(move |x| (x, y)));
            pixels.filter(|&(x, y)| font.is_dark(&text, x, y)).collect::<Vec<_>>()
        };
        assert!(dark("  ").is_empty());
        assert!(dark("I").iter().all(|&(x, y)| x < WIDTH && y < ASCENT) && !dark("I").is_empty());
        let moved: Vec<_> = dark("I").iter().map(|&(x, y)| (x + WIDTH, y)).collect();
        assert_eq!(dark(" I"), moved);
        assert_eq!(dark("\u{1f600}"), dark("\u{fffd}"));
    }
}
