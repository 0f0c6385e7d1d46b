//! Header and footer of a log: settings in any order, section 3 of the notes.

use std::collections::HashSet;
use std::path::Path;
use std::str::FromStr;

use bstr::{BString, ByteSlice};
use serde::{Deserialize, Serialize};

use super::text::{At, Token, Tokens};
use crate::text::{decimal, hexadecimal};
use crate::{Loss, Place};

/// How those things are read that the format leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readings {
    /// Meaning of the numbers in the columns of counters.
    pub counters: Counters,
    /// The base of processor numbers.
    pub processors: Processors,
}

/// Meaning of the numbers in the columns of counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counters {
    /// The value at the record.
    #[default]
    Absolute,
    /// The amount since the previous record of the processor.
    Delta,
}

/// The base of processor numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Processors {
    /// Hexadecimal, as times are.
    #[default]
    Hexadecimal,
    /// Decimal.
    Decimal,
}

/// Header and footer of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Head {
    /// The texts of events by number, as they were declared.
    pub events: Vec<(u32, BString)>,
    /// States: the event that begins it, the event that ends it, its text.
    pub states: Vec<(u32, u32, BString)>,
    /// The names of the counters, in the order of their columns.
    pub counters: Vec<BString>,
    /// Time units in a second.
    pub units: Option<f64>,
    /// How many processors there are.
    pub processors: Option<u32>,
    /// When execution began, in time units.
    pub start: Option<u64>,
    /// When it ended, in time units.
    pub stop: Option<u64>,
    /// The events that are declared, and the pairs of events of states.
    declared: HashSet<u32>,
    pairs: HashSet<(u32, u32)>,
    /// Oddities of them: the line, the code, the message.
    pub odd: Vec<(u64, &'static str, String)>,
}

/// A fault for which a log is refused.
pub(super) fn refused(path: &Path, line: u64, code: &'static str, what: impl Into<String>) -> Loss {
    Loss {
        file: path.to_owned(),
        place: Some(Place::Line(line)),
        record: None,
        code: Some(code.into()),
        what: what.into(),
        is_io: false,
    }
}

/// The code of a fault where something else stands: braces are not balanced where the file ends.
fn code(found: &Option<(At, Token<'_>)>) -> &'static str {
    if found.is_some() {
        "E04"
    } else {
        "E03"
    }
}

/// Describes a token for messages.
fn found(token: Option<&Token<'_>>) -> String {
    match token {
        Some(Token::Word(word)) => format!("{:?}", word.as_bstr()),
        Some(Token::Text(text)) => format!("the text {:?}", text.as_bstr()),
        Some(Token::Open) => "{".to_owned(),
        Some(Token::Close) => "}".to_owned(),
        Some(Token::OpenText) => "a text without a closing quote in its line".to_owned(),
        Some(Token::TooLong) => "a word of more than 64 KiB".to_owned(),
        None => "the end of the file".to_owned(),
    }
}

/// Reads one block after its name, up to its closing brace.
pub(super) struct Block<'b> {
    pub path: &'b Path,
    pub tokens: &'b mut Tokens,
    /// `head` or `foot`, in errors.
    pub name: &'static str,
    pub head: &'b mut Head,
}

impl Block<'_> {
    /// Reads the block.
    pub(super) fn read(mut self) -> Result<(), Loss> {
        self.expect_open("E03")?;
        loop {
            let line = self.tokens.line();
            match self.tokens.next()? {
                Some((_, Token::Close)) => return Ok(()),
                Some((at, Token::Word(word))) => {
                    let word = word.to_owned();
                    self.setting(at.line, &word)?;
                }
                None => return Err(self.unbalanced(line)),
                Some((at, token)) => {
                    let what =
                        format!("expected the name of a setting, found {}", found(Some(&token)));
                    return Err(refused(self.path, at.line, "E04", what));
                }
            }
        }
    }

    fn unbalanced(&self, line: u64) -> Loss {
        let what = format!("the braces of {} are not balanced: the file ends first", self.name);
        refused(self.path, line, "E03", what)
    }

    fn expect_open(&mut self, code: &'static str) -> Result<(), Loss> {
        let (path, line) = (self.path, self.tokens.line());
        match self.tokens.next()? {
            Some((_, Token::Open)) => Ok(()),
            other => {
                let line = other.as_ref().map_or(line, |(at, _)| at.line);
                let what = format!("expected {{, found {}", found(other.as_ref().map(|it| &it.1)));
                Err(refused(path, line, code, what))
            }
        }
    }

    fn setting(&mut self, line: u64, name: &[u8]) -> Result<(), Loss> {
        match name {
            b"events" => self.events(),
            b"states" => self.states(),
            b"counters" => self.counters(),
            b"timeunitspersec" => self.units(),
            b"nproc" => self.processors(line),
            b"starttime" => {
                self.head.start = Some(self.time("starttime")?);
                Ok(())
            }
            b"stoptime" => {
                self.head.stop = Some(self.time("stoptime")?);
                Ok(())
            }
            _ => self.unknown(line, name),
        }
    }

    /// The next token, which has to be a word.
    fn word(&mut self, of: &str, expected: &str) -> Result<(At, Vec<u8>), Loss> {
        let (path, line) = (self.path, self.tokens.line());
        match self.tokens.next()? {
            Some((at, Token::Word(word))) => Ok((at, word.to_owned())),
            other => {
                let line = other.as_ref().map_or(line, |(at, _)| at.line);
                let found = found(other.as_ref().map(|it| &it.1));
                let what = format!("{of}: expected {expected}, found {found}");
                Err(refused(path, line, code(&other), what))
            }
        }
    }

    fn time(&mut self, of: &str) -> Result<u64, Loss> {
        self.number(of, hexadecimal, "a hexadecimal number")
    }

    fn number(
        &mut self,
        of: &str,
        read: fn(&[u8]) -> Option<u64>,
        expected: &str,
    ) -> Result<u64, Loss> {
        let (at, word) = self.word(of, expected)?;
        read(&word).ok_or_else(|| {
            let found = word.as_bstr();
            let what = format!("{of}: expected {expected} below 2^64, found {found:?}");
            refused(self.path, at.line, "E04", what)
        })
    }

    /// A number of an event, or the end of the block.
    fn event(&mut self, of: &str) -> Result<Option<(u64, u32)>, Loss> {
        let (path, line) = (self.path, self.tokens.line());
        let wrong = |line, code, found: String| {
            let what = format!("{of}: expected a decimal number below 2^32, found {found}");
            refused(path, line, code, what)
        };
        match self.tokens.next()? {
            Some((_, Token::Close)) => Ok(None),
            Some((at, Token::Word(word))) => match decimal(word).map(u32::try_from) {
                Some(Ok(event)) => Ok(Some((at.line, event))),
                _ => Err(wrong(at.line, "E04", format!("{:?}", word.as_bstr()))),
            },
            Some((at, token)) => Err(wrong(at.line, "E04", found(Some(&token)))),
            None => Err(wrong(line, "E03", found(None))),
        }
    }

    fn text(&mut self, of: &str) -> Result<BString, Loss> {
        let (path, line) = (self.path, self.tokens.line());
        match self.tokens.next()? {
            Some((_, Token::Text(text))) => Ok(text.into()),
            other => {
                let line = other.as_ref().map_or(line, |(at, _)| at.line);
                let found = found(other.as_ref().map(|it| &it.1));
                let what = format!("{of}: expected a text in quotes, found {found}");
                Err(refused(path, line, code(&other), what))
            }
        }
    }

    fn events(&mut self) -> Result<(), Loss> {
        self.expect_open("E04")?;
        while let Some((line, event)) = self.event("events")? {
            let text = self.text("events")?;
            if !self.head.declared.insert(event) {
                let said = format!("event {event} is declared twice; the last text is in force");
                self.head.odd.push((line, "W7", said));
            }
            self.head.events.push((event, text));
        }
        Ok(())
    }

    fn states(&mut self) -> Result<(), Loss> {
        self.expect_open("E04")?;
        while let Some((line, begin)) = self.event("states")? {
            let Some((_, end)) = self.event("states")? else {
                let what = "states: expected the event that ends the state, found }";
                return Err(refused(self.path, line, "E04", what));
            };
            let text = self.text("states")?;
            if !self.head.pairs.insert((begin, end)) {
                let said =
                    format!("two states from event {begin} to event {end}: both are counted");
                self.head.odd.push((line, "W5", said));
            }
            self.head.states.push((begin, end, text));
        }
        Ok(())
    }

    fn counters(&mut self) -> Result<(), Loss> {
        self.expect_open("E04")?;
        self.head.counters.clear();
        loop {
            let line = self.tokens.line();
            match self.tokens.next()? {
                Some((_, Token::Close)) => return Ok(()),
                Some((_, Token::Word(name))) => self.head.counters.push(name.into()),
                other => {
                    let line = other.as_ref().map_or(line, |(at, _)| at.line);
                    let found = found(other.as_ref().map(|it| &it.1));
                    let what = format!("counters: expected the name of a counter, found {found}");
                    return Err(refused(self.path, line, code(&other), what));
                }
            }
        }
    }

    fn units(&mut self) -> Result<(), Loss> {
        let (at, word) = self.word("timeunitspersec", "a number")?;
        let plain =
            word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E'));
        let text = word.to_str().ok().filter(|_| plain);
        let units = text.and_then(|text| f64::from_str(text).ok()).filter(|it| it.is_finite());
        let Some(units) = units else {
            let what = format!("timeunitspersec: expected a number, found {:?}", word.as_bstr());
            return Err(refused(self.path, at.line, "E04", what));
        };
        if units <= 0.0 {
            let what = format!("timeunitspersec is {}: it has to be above 0", word.as_bstr());
            return Err(refused(self.path, at.line, "E13", what));
        }
        self.head.units = Some(units);
        Ok(())
    }

    fn processors(&mut self, line: u64) -> Result<(), Loss> {
        let expected = "a decimal number";
        let count = self.number("nproc", decimal, expected)?;
        let Ok(count) = u32::try_from(count) else {
            let what = format!("nproc: expected a number below 2^32, found {count}");
            return Err(refused(self.path, line, "E04", what));
        };
        if let Some(before) = self.head.processors.filter(|before| *before != count) {
            let what = format!("nproc is {before} before, and {count} here");
            return Err(refused(self.path, line, "E10", what));
        }
        self.head.processors = Some(count);
        Ok(())
    }

    /// A setting that this version does not know: a word, a text or a block follows.
    fn unknown(&mut self, line: u64, name: &[u8]) -> Result<(), Loss> {
        let said = format!("the setting {:?} is not known and is not used", name.as_bstr());
        self.head.odd.push((line, "W8", said));
        let mut depth = 0_u64;
        loop {
            match self.tokens.next()? {
                Some((_, Token::Open)) => depth += 1,
                Some((_, Token::Close)) if depth == 0 => {
                    let what = format!("{:?}: expected a word, a text or a block", name.as_bstr());
                    return Err(refused(self.path, line, "E04", what));
                }
                Some((_, Token::Close)) => depth -= 1,
                Some((at, Token::OpenText)) => {
                    let what = format!("{:?}: {}", name.as_bstr(), found(Some(&Token::OpenText)));
                    return Err(refused(self.path, at.line, "E04", what));
                }
                Some(_) => {}
                None => return Err(self.unbalanced(line)),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
