//! Where reports of profiles go.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{Args, Format};
use crate::cli::hdf5_files::Hdf5Files;
use crate::cli::terminal_width;
use crate::exit::{ExitCode, Failure};
use crate::report::output::Output;
use crate::report::profile::sort::{self, default_key, SortKey};
use crate::report::profile::{csv, json, table, By, ProfileReport};

/// An output and what goes into it.
pub(super) enum Target {
    Text(Output, Format),
    Hdf5(Output),
}

impl Args {
    /// What clap cannot know.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let mut hdf5 = false;
        for path in &self.output {
            hdf5 |= self.format_of(path)?.is_none();
        }
        if let Some(key) = self.sort.filter(|key| !sort::fits(self.by, *key)) {
            return Err(Failure::new(ExitCode::Usage, unsorted(self.by, key)));
        }
        if self.per_location && !hdf5 {
            let message = "--per-location is for HDF5 files: name one with -o FILE.h5";
            return Err(Failure::new(ExitCode::Usage, message));
        }
        Ok(())
    }

    /// `None` for HDF5.
    fn format_of(&self, path: &Path) -> Result<Option<Format>, Failure> {
        use crate::cli::formats::Format as Files;
        const KNOWN: [Files; 4] = [Files::Csv, Files::Json, Files::Hdf5, Files::Text];
        Ok(match Files::of(path, &KNOWN, true)? {
            None => Some(self.format),
            Some(Files::Csv) => Some(Format::Csv),
            Some(Files::Json) => Some(Format::Json),
            Some(Files::Hdf5) => None,
            Some(_) => Some(Format::Table),
        })
    }

    pub(super) fn targets(&self) -> Result<Vec<Target>, Failure> {
        let standard = [PathBuf::from("-")];
        let outputs = if self.output.is_empty() { &standard[..] } else { &self.output };
        let target = |path: &PathBuf| {
            let output = Output::prepare(path)?;
            Ok(match self.format_of(path)? {
                Some(format) => Target::Text(output, format),
                None => Target::Hdf5(output),
            })
        };
        outputs.iter().map(target).collect()
    }

    /// The HDF5 files among the outputs.
    pub(super) fn hdf5_files(&self) -> Hdf5Files {
        let wanted = |path: &&PathBuf| matches!(self.format_of(path), Ok(None));
        Hdf5Files::new(self.output.iter().filter(wanted).cloned().collect(), self.per_location)
    }

    pub(super) fn write(
        &self,
        out: &Output,
        format: Format,
        report: &ProfileReport<'_>,
    ) -> Result<(), Failure> {
        let key = self.sort.unwrap_or(default_key(self.by, report.profile.samples.is_some()));
        match format {
            Format::Table => {
                let width = out.is_standard().then(terminal_width).flatten();
                out.write(|out| table::write(out, report, self.by, key, self.top, width))
            }
            Format::Csv => out.write(|out| csv::write(out, report, self.by, key, self.top)),
            Format::Json => out.write(|out| json::write(out, report)),
        }
    }
}

/// Why rows of a kind cannot be sorted by a key.
fn unsorted(by: By, key: SortKey) -> String {
    if key == SortKey::Imbalance && matches!(by, By::Group | By::Location) {
        return "--sort imbalance compares locations: it is for regions and call paths".to_owned();
    }
    if by == By::Metric {
        return "--by metric takes --sort name or id: metrics have units of their own".to_owned();
    }
    let name = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    };
    let (by, key) = (name(by.to_possible_value()), name(key.to_possible_value()));
    format!("rows --by {by} have nothing that --sort {key} could compare")
}
