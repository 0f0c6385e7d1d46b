//! Outputs of `streamfold match`: tables, pictures of them, and lists of messages.

use std::path::Path;

use super::{Args, SITE_TABLES};
use crate::formats::{Format, Standard, ONE_TABLE};
use crate::outputs::{refuse_twice, unused, Reports, STANDARD};
use crate::tables::Target;
use streamfold_analyses::matching::list::{Messages, Paths};
use streamfold_output::Output;
use streamfold_report::matching::heat::ValueOf;
use streamfold_report::matching::{list, picture, text, MatchReport};
use streamfold_system::exit::{ExitCode, Failure};

/// Reports are written so.
const REPORTS: [Format; 7] = [
    Format::Csv,
    Format::Parquet,
    Format::Json,
    Format::Hdf5,
    Format::Svg,
    Format::Png,
    Format::Text,
];
/// Lists of messages are written so.
const LISTS: [Format; 4] = [Format::Csv, Format::JsonLines, Format::Parquet, Format::Hdf5];

/// All that is asked for.
pub(super) struct Wanted<'a> {
    reports: Reports<'a>,
    /// The list of every message.
    list: Option<(&'a Path, Format)>,
}

impl<'a> Wanted<'a> {
    /// Returns the outputs that the arguments ask for.
    ///
    /// # Errors
    ///
    /// When two outputs have one path, the format of an output is not clear, or an option would have no effect.
    pub(super) fn new(args: &'a Args) -> Result<Self, Failure> {
        refuse_twice(args.output.iter().chain(&args.list).map(|path| &**path))?;
        let list = args.list.as_deref();
        let format = list.map(|path| of_list(path, args.format)).transpose()?;
        let list = list.zip(format);
        let reports = match list {
            Some((path, _)) if path == Path::new(STANDARD) || args.format.is_none() => {
                Reports::named(&args.output, &REPORTS, None::<Standard>)
            }
            _ => Reports::or_standard(&args.output, &REPORTS, args.format),
        }?;
        if let Some(table) = args.table.as_deref().filter(|table| SITE_TABLES.contains(table)) {
            return Err(unused(&format!("--table {table}"), "--by callpath"));
        }
        let (table, value) = (args.table.is_some(), args.value.is_some());
        let csv = "CSV of tables: name a file with -o FILE.csv";
        reports.refuse_unused(("--table", table), &ONE_TABLE, csv)?;
        let pictures = "pictures: name one with -o FILE.svg";
        reports.refuse_unused(("--value", value), &[Format::Svg, Format::Png], pictures)?;
        Ok(Wanted { reports, list })
    }
}

/// In which format a list is written.
fn of_list(path: &Path, standard: Option<Standard>) -> Result<Format, Failure> {
    match (Format::of(path, &LISTS)?, standard) {
        (Some(format), _) => Ok(format),
        (None, Some(Standard::Json)) => Ok(Format::JsonLines),
        (None, None | Some(Standard::Csv)) => Ok(Format::Csv),
        (None, Some(Standard::Table)) => {
            let message = "--list - writes no table: say --format csv or --format json";
            Err(Failure::new(ExitCode::Usage, message))
        }
    }
}

/// All outputs.
pub(super) struct Targets {
    reports: Vec<Target>,
    /// That of every message.
    list: Option<Target>,
}

impl Targets {
    /// Those that are asked for. Nothing is written yet.
    pub(super) fn prepare(wanted: &Wanted<'_>) -> Result<Self, Failure> {
        let reports = Target::reports(&wanted.reports)?;
        let list = wanted.list.map(|(path, format)| Target::prepare(path, format));
        let list = list.transpose()?;
        Ok(Targets { reports, list })
    }

    /// Writes all reports.
    pub(super) fn write(&self, report: &MatchReport<'_>, args: &Args) -> Result<(), Failure> {
        let tables = report.table_report();
        let value = args.value.unwrap_or(ValueOf::Bytes);
        let table = args.table.as_deref().unwrap_or("matrix");
        self.reports.iter().try_for_each(|target| match target.format {
            Format::Svg => target.output.write(|out| picture::write_svg(out, report, value)),
            Format::Png => target.output.write(|out| picture::write_png(out, report, value)),
            _ => target
                .write(&tables, table, |out, width| text::write(out, &tables, args.top, width)),
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
            Format::Parquet => list::parquet(output, report, paths, messages),
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
    streamfold_report::hdf5::messages::write(output, report, paths, count, messages)
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
    Err(crate::tables::no_hdf5(output))
}
