//! What is written to a file, by the suffix of its name.

use std::path::Path;

use super::outputs::STANDARD;
use crate::system::exit::{ExitCode, Failure};

/// A format of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Tables for people.
    Text,
    /// One table.
    Csv,
    /// Everything.
    Json,
    /// An object on each line.
    JsonLines,
    /// Everything, where the program was built with it.
    Hdf5,
    /// A picture.
    Svg,
    /// A picture of pixels.
    Png,
    /// A graph for Graphviz.
    Dot,
    /// A page.
    Html,
    /// Folded stacks, for flame graphs.
    Folded,
}

/// What standard output gets, which has no suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Standard {
    Table,
    Csv,
    Json,
}

impl From<Standard> for Format {
    fn from(standard: Standard) -> Format {
        match standard {
            Standard::Table => Format::Text,
            Standard::Csv => Format::Csv,
            Standard::Json => Format::Json,
        }
    }
}

impl Format {
    /// What names of its files end with; the first is the one to tell.
    fn suffixes(self) -> &'static [&'static str] {
        match self {
            Format::Text => &["txt"],
            Format::Csv => &["csv"],
            Format::Json => &["json"],
            Format::JsonLines => &["jsonl", "ndjson"],
            Format::Hdf5 => &["h5", "hdf5"],
            Format::Svg => &["svg"],
            Format::Png => &["png"],
            Format::Dot => &["dot", "gv"],
            Format::Html => &["html"],
            Format::Folded => &["folded"],
        }
    }

    /// Whether the suffix of a file is one of its.
    pub(super) fn is_of(self, path: &Path) -> bool {
        let suffix = path.extension().map(|s| s.to_string_lossy().to_ascii_lowercase());
        suffix.is_some_and(|suffix| self.suffixes().contains(&suffix.as_str()))
    }

    /// That of a file, which is one of these; `None`: standard output.
    ///
    /// # Errors
    ///
    /// When its suffix is none of theirs.
    pub(super) fn of(path: &Path, known: &[Format]) -> Result<Option<Format>, Failure> {
        if path == Path::new(STANDARD) {
            return Ok(None);
        }
        let message = match known.iter().find(|format| format.is_of(path)) {
            Some(Format::Hdf5) if !cfg!(feature = "hdf5") => {
                "this program was built without HDF5 (feature `hdf5`)".to_owned()
            }
            Some(format) => return Ok(Some(*format)),
            None => unknown(path, known),
        };
        Err(Failure::new(ExitCode::Usage, message))
    }
}

fn unknown(path: &Path, known: &[Format]) -> String {
    let suffixes: Vec<_> =
        known.iter().map(|format| format!(".{}", format.suffixes()[0])).collect();
    let (last, others) = suffixes.split_last().expect("some are known");
    format!(
        "cannot tell from its suffix what to write to {}: {} and {last} are known, and - for \
         standard output",
        path.display(),
        others.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Format; 3] = [Format::Csv, Format::JsonLines, Format::Text];

    #[test]
    fn suffixes_say_what_to_write() {
        let of = |path: &str| Format::of(Path::new(path), &KNOWN);
        assert_eq!(of("a.b/x.CSV"), Ok(Some(Format::Csv)));
        assert_eq!(of("x.ndjson"), Ok(Some(Format::JsonLines)));
        assert_eq!(of("-"), Ok(None));
        for other in ["x.svg", "x", "csv", ".csv"] {
            let failure = of(other).expect_err(other);
            assert_eq!(failure.code, ExitCode::Usage);
            let known = "are known, and - for standard output";
            assert!(failure.message.ends_with(&format!("{other}: .csv, .jsonl and .txt {known}")));
        }
    }
}
