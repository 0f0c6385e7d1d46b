//! Outputs of profile reports.

use std::path::Path;

use clap::ValueEnum;

use super::Args;
use crate::formats::Format;
use crate::outputs::Reports;
use crate::session::write_text;
use crate::shared_files::SharedFiles;
use crate::sink::hand_over;
use crate::tables::Target;
use streamfold_report::profile::sort::{self, default_key, SortKey};
use streamfold_report::profile::{caliper, csv, extrap, json, table, By, ProfileReport};
use streamfold_report::{flame, parquet};
use streamfold_system::exit::{ExitCode, Failure};

/// Reports are written so.
const REPORTS: [Format; 11] = [
    Format::Csv,
    Format::Svg,
    Format::Png,
    Format::Folded,
    Format::Parquet,
    Format::Caliper,
    Format::Json,
    Format::ExtraP,
    Format::Cubex,
    Format::Hdf5,
    Format::Text,
];

/// What standard output gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ProfileFormat {
    Table,
    Csv,
    Json,
    /// Call paths in the JSON of Caliper, for Hatchet and Thicket
    Caliper,
    /// Lines of JSON, for Extra-P
    Extrap,
    /// The tables of otfprofile, the tool of OTF 1
    Otfprofile,
}

impl From<ProfileFormat> for Format {
    fn from(format: ProfileFormat) -> Format {
        match format {
            ProfileFormat::Table => Format::Text,
            ProfileFormat::Csv | ProfileFormat::Otfprofile => Format::Csv,
            ProfileFormat::Json => Format::Json,
            ProfileFormat::Caliper => Format::Caliper,
            ProfileFormat::Extrap => Format::ExtraP,
        }
    }
}

impl Args {
    /// Returns the outputs of reports.
    ///
    /// # Errors
    ///
    /// When options do not fit together in a way that clap does not check.
    pub(super) fn reports(&self) -> Result<Reports<'_>, Failure> {
        let reports = Reports::or_standard(&self.output, &REPORTS, self.format.map(Format::from))?;
        if let Some(key) = self.sort.filter(|key| !sort::fits(self.by, *key)) {
            return Err(Failure::new(ExitCode::Usage, unsorted(self.by, key)));
        }
        let files = "HDF5 files: name one with -o FILE.h5";
        reports.refuse_unused(("--per-location", self.per_location), &[Format::Hdf5], files)?;
        Ok(reports)
    }

    /// The files among the outputs that all ranks write together.
    pub(super) fn shared_files(&self, reports: &Reports<'_>) -> SharedFiles {
        let files = |format| reports.of(format).map(Path::to_owned).collect();
        SharedFiles::new(files(Format::Hdf5), self.per_location, files(Format::Cubex))
    }

    /// Writes a report that is of rank 0 alone; the others: [`SharedFiles`].
    pub(super) fn write(
        &self,
        Target { output: out, format }: &Target,
        report: &ProfileReport<'_>,
    ) -> Result<(), Failure> {
        let key = self.sort.unwrap_or(default_key(self.by, report.profile.samples.is_some()));
        match format {
            Format::Csv => out.write(|out| csv::write(out, report, self.by, key, self.top)),
            Format::Json => out.write(|out| json::write(out, report)),
            Format::Svg | Format::Png => {
                let (svg, as_png) = (report.flame_graph(), *format == Format::Png);
                out.write(|out| flame::write_picture(out, &svg, as_png))
            }
            Format::Folded => out.write(|out| report.write_folded(out)),
            Format::Parquet => parquet::profile::write(out, report, self.by, key, self.top),
            Format::Caliper => out.write(|out| caliper::write(out, report)),
            Format::ExtraP => out.write(|out| extrap::write(out, report, self.by)),
            _ => {
                if out.is_standard() {
                    let (by, top) = (self.by, self.top);
                    parquet::profile::with_report(report, by, key, top, hand_over)?;
                }
                write_text(out, |out, width| {
                    table::write(out, report, self.by, key, self.top, width)
                })
            }
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
