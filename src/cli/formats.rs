//! Formats of output files, chosen by the suffix of their name.

use std::path::Path;

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
    pub(super) fn suffixes(self) -> &'static [&'static str] {
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
}
