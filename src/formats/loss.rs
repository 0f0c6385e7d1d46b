//! Losses: parts of a trace that could not be read or used. Notes: its oddities.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::otf2;
use streamfold_system::exit::{At, ExitCode, Failure};

/// Something that could not be read or used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The file.
    pub file: PathBuf,
    /// The place in the file, if that is known.
    pub place: Option<Place>,
    /// The record, as the format names it, if the loss is inside of one.
    pub record: Option<String>,
    /// The code of the fault, if the description of the format has codes.
    pub code: Option<Cow<'static, str>>,
    /// The expected and the found value, in words.
    pub what: String,
    /// Set if the operating system refused the file, rather than its content being wrong.
    pub is_io: bool,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// An offset in bytes, from 0.
    Byte(u64),
    /// A line, from 1.
    Line(u64),
}

/// Something odd that loses nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The oddity and its place.
    pub about: Loss,
    /// Set if the format calls it an error that a strict reader refuses.
    pub is_error: bool,
}

impl Loss {
    /// Of a whole file, whose content is wrong.
    pub fn of_file(file: &Path, what: impl Into<String>) -> Loss {
        let (file, what) = (file.to_owned(), what.into());
        Loss { file, place: None, record: None, code: None, what, is_io: false }
    }

    /// Of a whole file, which the system refuses.
    pub fn of_system(file: &Path, error: &dyn fmt::Display) -> Loss {
        Loss { is_io: true, ..Loss::of_file(file, error.to_string()) }
    }

    /// Of a line.
    pub fn of_line(file: &Path, line: u64, what: impl Into<String>) -> Loss {
        Loss { place: Some(Place::Line(line)), ..Loss::of_file(file, what) }
    }
}

impl Note {
    /// Something odd about a whole file.
    pub fn of_file(file: &Path, what: impl Into<String>) -> Note {
        Note { about: Loss::of_file(file, what), is_error: false }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file.display())?;
        match self.place {
            Some(Place::Byte(offset)) => write!(f, "at byte {offset}: ")?,
            Some(Place::Line(line)) => write!(f, "line {line}: ")?,
            None => {}
        }
        for part in [self.code.as_deref(), self.record.as_deref()].into_iter().flatten() {
            write!(f, "{part}: ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Loss {}

impl From<Loss> for Failure {
    fn from(loss: Loss) -> Self {
        let code = if loss.is_io { ExitCode::Io } else { ExitCode::Trace };
        let message = loss.to_string();
        let mut at = At { file: loss.file, record: loss.record, ..At::default() };
        match loss.place {
            Some(Place::Byte(offset)) => at.offset = Some(offset),
            Some(Place::Line(line)) => at.line = Some(line),
            None => {}
        }
        Failure { at: Some(Box::new(at)), ..Failure::new(code, message) }
    }
}

impl From<otf2::Error> for Loss {
    fn from(error: otf2::Error) -> Self {
        Loss {
            place: error.offset.map(Place::Byte),
            record: error.record.map(|record| record.named()),
            code: None,
            is_io: error.is_io(),
            what: error.kind.to_string(),
            file: error.path,
        }
    }
}
