//! What `streamfold match` writes: tables, pictures of them, and lists of messages.

use std::path::PathBuf;

use super::Args;
use crate::cli::formats::Format;
use crate::cli::tables::{refuse_twice, Target};
use crate::exit::Failure;
use crate::matching::list::{Messages, Paths};
use crate::report::matching::{list, png, svg, text, MatchReport};
use crate::report::output::Output;

/// Reports are written so.
const REPORTS: [Format; 6] =
    [Format::Csv, Format::Json, Format::Hdf5, Format::Svg, Format::Png, Format::Text];
/// Lists of messages are written so.
const LISTS: [Format; 3] = [Format::Csv, Format::JsonLines, Format::Hdf5];

/// All outputs.
pub(super) struct Targets {
    reports: Vec<Target>,
    /// That of every message.
    list: Option<Target>,
}

impl Targets {
    /// Those that are asked for. Nothing is written yet.
    pub(super) fn prepare(args: &Args) -> Result<Self, Failure> {
        refuse_twice(args.output.iter().chain(&args.list).map(PathBuf::as_path))?;
        let reports = Target::reports(&args.output, &REPORTS, args.format)?;
        let list = args.list.as_deref();
        let list = list.map(|path| Target::prepare(path, &LISTS, None)).transpose()?;
        Ok(Targets { reports, list })
    }

    /// Writes all reports.
    pub(super) fn write(&self, report: &MatchReport<'_>, args: &Args) -> Result<(), Failure> {
        let tables = report.table_report();
        self.reports.iter().try_for_each(|target| match target.format {
            Format::Svg => target.output.write(|out| svg::write(out, report, args.value)),
            Format::Png => target.output.write(|out| png::write(out, report, args.value)),
            _ => target.write(&tables, &args.table, |out, width| {
                text::write(out, &tables, args.top, width)
            }),
        })
    }

    /// Writes every message, of which there are so many, where that is wanted.
    pub(super) fn list(
        &self,
        report: &MatchReport<'_>,
        paths: &Paths,
        count: u64,
        messages: &mut Messages<'_>,
    ) -> Result<(), Failure> {
        let Some(Target { output, format }) = &self.list else { return Ok(()) };
        match format {
            Format::Hdf5 => hdf5_list(output, report, paths, count, messages),
            Format::JsonLines => output.write(|out| list::json_lines(out, report, paths, messages)),
            _ => output.write(|out| list::csv(out, report, paths, messages)),
        }
    }
}

#[cfg(feature = "hdf5")]
fn hdf5_list(
    output: &Output,
    report: &MatchReport<'_>,
    paths: &Paths,
    count: u64,
    messages: &mut Messages<'_>,
) -> Result<(), Failure> {
    crate::report::hdf5::messages::write(output, report, paths, count, messages)
}

/// Nobody gets that far, see [`Format::of`].
#[cfg(not(feature = "hdf5"))]
fn hdf5_list(
    output: &Output,
    _: &MatchReport<'_>,
    _: &Paths,
    _: u64,
    _: &mut Messages<'_>,
) -> Result<(), Failure> {
    Err(crate::cli::tables::no_hdf5(output))
}
