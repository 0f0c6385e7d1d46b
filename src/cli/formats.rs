//! Formats of output files, chosen by the suffix of their name.

use std::path::Path;

use super::outputs::STANDARD;
use streamfold_system::exit::{ExitCode, Failure};

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
    /// One table, in columns.
    Parquet,
    /// A profile for Hatchet and Thicket.
    Caliper,
    /// A profile for Extra-P.
    ExtraP,
    /// A profile for Cube.
    Cubex,
    /// A table for merge requests.
    Markdown,
    /// Test cases for servers that build and test.
    JUnit,
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

/// Formats with one table, which an option names.
pub(super) const ONE_TABLE: [Format; 2] = [Format::Csv, Format::Parquet];

impl Format {
    /// Returns the suffixes of its files. Messages show the first one.
    fn suffixes(self) -> &'static [&'static str] {
        match self {
            Format::Text => &["txt"],
            Format::Csv => &["csv"],
            Format::Json => &["json"],
            Format::JsonLines => &["jsonl", "ndjson"],
            Format::Hdf5 => &["h5", "hdf5"],
            Format::Parquet => &["parquet"],
            Format::Caliper => &["cali.json"],
            Format::ExtraP => &["jsonl"],
            Format::Cubex => &["cubex"],
            Format::Markdown => &["md"],
            Format::JUnit => &["xml"],
            Format::Svg => &["svg"],
            Format::Png => &["png"],
            Format::Dot => &["dot", "gv"],
            Format::Html => &["html"],
            Format::Folded => &["folded"],
        }
    }

    /// Returns whether a file has one of its suffixes.
    pub(super) fn is_of(self, path: &Path) -> bool {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
        let has = |name: &str, suffix: &str| {
            let stem = name.strip_suffix(suffix).and_then(|name| name.strip_suffix('.'));
            stem.is_some_and(|stem| !stem.is_empty())
        };
        name.is_some_and(|name| self.suffixes().iter().any(|suffix| has(&name, suffix)))
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
            Some(Format::Parquet) if !cfg!(feature = "parquet") => {
                "this program was built without Parquet (feature `parquet`)".to_owned()
            }
            Some(Format::Png) if !cfg!(feature = "png") => {
                "this program was built without PNG (feature `png`): name a file .svg".to_owned()
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
        let known = [Format::Caliper, Format::Json];
        assert_eq!(Format::of(Path::new("x.cali.json"), &known), Ok(Some(Format::Caliper)));
        assert_eq!(Format::of(Path::new("cali.json"), &known), Ok(Some(Format::Json)));
        assert_eq!(of("-"), Ok(None));
        for other in ["x.svg", "x", "csv", ".csv"] {
            let failure = of(other).expect_err(other);
            assert_eq!(failure.code, ExitCode::Usage);
            let known = "are known, and - for standard output";
            assert!(failure.message.ends_with(&format!("{other}: .csv, .jsonl and .txt {known}")));
        }
    }
}
