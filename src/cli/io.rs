//! `streamfold io`: what happens to files.

use std::collections::BTreeSet;
use std::time::Instant;

use bstr::{BStr, ByteSlice};
use regex::Regex;
use streamfold_kernels::io::{IoOptions, APPLICATION};
use streamfold_model::store::{Definitions, IoFile};

use super::formats::{Format, Standard, ONE_TABLE};
use super::input::InputArgs;
use super::memory_limit::MemoryLimit;
use super::numbers::{self, there_are};
use super::outputs::{OutputPath, Reports};
use super::references::provenance;
use super::slices::Extent;
use super::summary;
use super::tables::{refuse_losses, Target};
use crate::session::Session;
use streamfold_analyses::account::{self, AccountQuery};
use streamfold_analyses::io::{self, Outcome};
use streamfold_formats::ReadOptions;
use streamfold_report::io::{write_png, write_svg, write_text, HeatOf, IoReport};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;

const EXAMPLES: &str = "\
Examples:
  streamfold io run.pfw.gz                              how long, how much, which files
  streamfold io traces/ --exclude-system                without files of the system
  streamfold io traces.otf2 --only /scratch -o io.json  everything of some files, for scripts
  streamfold io traces/ -o heat.svg --bins 200          time in I/O over time, by process
  streamfold io traces/ -o heat.png --heat bytes
  streamfold io traces/ -o files.csv --table files
  mpirun -n 4 streamfold io traces/ -o io.h5";

/// Shows what happens to files: how often, how much, how long, where in them, and what stands out
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    extent: Extent,
    /// Leave out files of the system (programs, libraries, settings, /proc, /sys, /dev), sockets, and pipes
    #[arg(long, help_heading = "What is counted")]
    exclude_system: bool,
    /// Leave out files in whose names EXPRESSION is found. As often as wanted
    #[arg(long, value_name = "EXPRESSION", help_heading = "What is counted")]
    exclude: Vec<Regex>,
    /// Only files in whose names EXPRESSION is found. As often as wanted
    #[arg(long, value_name = "EXPRESSION", help_heading = "What is counted")]
    only: Vec<Regex>,
    /// Regions of this category are input and output of the application. As often as wanted
    /// [default: io, data, dataloader, data_loader, reader, storage, checkpoint]
    #[arg(long, value_name = "CATEGORY", help_heading = "What is counted")]
    application_io: Vec<String>,
    /// Parts of the time in tables and pictures
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = numbers::bins)]
    bins: u32,
    /// Meaning of colours in pictures [default: time]
    #[arg(long, value_enum, value_name = "WHAT")]
    heat: Option<HeatOf>,
    /// Number of rows of each table, in text
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::whole::<usize>)]
    top: usize,
    /// Where to write, by suffix: .svg and .png (the picture), .txt, .json and .h5 (everything), .csv and .parquet
    /// (the table of --table); - is standard output. As often as wanted [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<OutputPath>,
    /// What standard output gets [default: table]
    #[arg(long, value_enum)]
    format: Option<Standard>,
    /// Table that CSV and Parquet hold [default: files]
    #[arg(long, value_name = "TABLE", value_parser = TABLES)]
    table: Option<String>,
    /// End with exit code 2 at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    limit: MemoryLimit,
}

/// The names of the tables.
const TABLES: [&str; 11] = [
    "findings",
    "levels",
    "calls",
    "files",
    "directories",
    "processes",
    "nodes",
    "sizes",
    "file_sizes",
    "bins",
    "heat",
];

/// Rows and bins of a picture at most: no person sees more.
const ROWS: u32 = 512;

/// Reports are written so.
const REPORTS: [Format; 7] = [
    Format::Svg,
    Format::Png,
    Format::Csv,
    Format::Parquet,
    Format::Json,
    Format::Hdf5,
    Format::Text,
];

/// Folders with files of the system.
const SYSTEM: [&str; 14] = [
    "/bin/",
    "/boot/",
    "/dev/",
    "/etc/",
    "/lib/",
    "/lib32/",
    "/lib64/",
    "/proc/",
    "/run/",
    "/sbin/",
    "/snap/",
    "/sys/",
    "/usr/",
    "/var/lib/",
];

/// With what the names of descriptors begin that are no files.
const NO_FILES: [&str; 6] = ["anon_inode:", "pipe:", "socket:", "TCP:", "UNIX:", "NETLINK:"];

/// Returns whether a file belongs to the system rather than to the data of the program.
fn is_of_system(name: &str) -> bool {
    let is_library = || {
        let name = name.rsplit('/').next().unwrap_or(name);
        name.ends_with(".so") || name.contains(".so.")
    };
    let is_folder = SYSTEM.iter().any(|folder| name == folder.trim_end_matches('/'));
    let is_no_file = || NO_FILES.iter().any(|kind| name.starts_with(kind));
    is_folder
        || is_no_file()
        || SYSTEM.iter().any(|folder| name.starts_with(folder))
        || is_library()
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let reports = args.reports().map_err(Stop::Together)?;
    let mut trace = session.open(args.input.input(), ReadOptions::default())?;
    trace.clocks = args.extent.clocks();
    let targets = session.on_root(|| Target::reports(&reports))?;
    let window = args.extent.window(&trace).map_err(Stop::Together)?;
    let outside_computes = trace.source.regions_are_system_calls();
    let only = args.extent.only(&trace, session)?;
    session.say_who_works();
    let workers = session.threads.count.min(session.common.max_open_files);
    let mut job = session.job(trace, only.as_ref(), args.strict)?;
    session.on_root(|| args.refuse_unknown(job.definitions()))?;
    let query = AccountQuery { window, ..AccountQuery::default() };
    let accounted = session.watch(0, |progress| account::run(&job, &query, progress))?;
    if let Some(window) = window {
        job = job.window(window);
    }
    let application = match args.application_io.is_empty() {
        true => APPLICATION.map(str::to_owned).to_vec(),
        false => args.application_io.clone(),
    };
    let leaves_out = |name: &str| args.leaves_out(name);
    let bins = args.bins;
    let options =
        IoOptions { outside_computes, application, bins, rows: ROWS, leaves_out: &leaves_out };
    let outcome = session.watch(0, |progress| {
        let room = args.limit.room(session, io::BOXES, 0);
        io::run(&job, &options, &room, workers.get(), progress)
    })?;
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let (Some(outcome), Some(accounted), Some(targets)) = (&outcome, &accounted, &targets)
        else {
            return Ok(ExitCode::Done);
        };
        refuse_losses(args.strict, &outcome.losses)?;
        let mut told: Vec<(String, String)> = args.input.told().collect();
        told.extend(args.extent.told(window.as_ref()));
        told.extend(args.told());
        let provenance = provenance(job.trace(), args.input.path(), told, &outcome.losses);
        let definitions = job.definitions();
        let why = args.why();
        let left_out = why.as_deref().map(|why| (args.count_left_out(definitions), why));
        let (account, provenance) = (&accounted.account, &provenance);
        let report = IoReport { outcome, account, definitions, provenance, left_out };
        args.write(&report, targets)?;
        Ok(session.conclude(&outcome.losses, &summary(outcome, begin, memory)))
    })?;
    Ok(session.ranks.broadcast(0, finished)?)
}

/// The names of all files and directories, as often as they are defined.
fn files(definitions: &Definitions) -> impl Iterator<Item = &BStr> {
    let name = |file: &IoFile| match file {
        IoFile::Regular(file) => file.name,
        IoFile::Directory(folder) => folder.name,
    };
    definitions.io_files.values().filter_map(move |file| definitions.string(name(file)))
}

fn summary(outcome: &Outcome, begin: Instant, memory: u64) -> String {
    let pace = summary::pace(outcome.amount.events, "", outcome.amount.bytes, begin);
    let memory = summary::memory(memory.max(memory::peak()), outcome.spilled);
    format!("streamfold: {pace}, {memory}")
}

impl Args {
    fn reports(&self) -> Result<Reports<'_>, Failure> {
        let reports = Reports::or_standard(&self.output, &REPORTS, self.format)?;
        let csv = "CSV: name a file with -o FILE.csv";
        reports.refuse_unused(("--table", self.table.is_some()), &ONE_TABLE, csv)?;
        let heat = ("--heat", self.heat.is_some());
        let pictures = "a picture: name one with -o heat.svg";
        reports.refuse_unused(heat, &[Format::Svg, Format::Png], pictures)?;
        Ok(reports)
    }

    /// Returns whether a file is left out.
    fn leaves_out(&self, name: &str) -> bool {
        let is_in = |expressions: &[Regex]| expressions.iter().any(|of| of.is_match(name));
        self.exclude_system && is_of_system(name)
            || is_in(&self.exclude)
            || !self.only.is_empty() && !is_in(&self.only)
    }

    /// Why files are left out. `None`: none is.
    fn why(&self) -> Option<String> {
        let mut why = Vec::new();
        if self.exclude_system {
            why.push("--exclude-system".to_owned());
        }
        why.extend(self.exclude.iter().map(|of| format!("--exclude {of}")));
        why.extend(self.only.iter().map(|of| format!("--only {of}")));
        (!why.is_empty()).then(|| why.join(", "))
    }

    /// Refuses `--only` where it leaves no file.
    fn refuse_unknown(&self, definitions: &Definitions) -> Result<(), Failure> {
        let Some(wanted) = self.only.first() else { return Ok(()) };
        let handles = definitions.io_handles.values();
        let others = handles.filter(|handle| !definitions.io_files.contains_key(&handle.file));
        let others = others.filter_map(|handle| definitions.string(handle.name));
        let names: BTreeSet<String> = files(definitions)
            .chain(others)
            .map(|name| name.to_str_lossy().into_owned())
            .filter(|name| !name.is_empty())
            .collect();
        if names.iter().any(|name| self.only.iter().any(|of| of.is_match(name))) {
            return Ok(());
        }
        let there = there_are("file", wanted.as_str(), names);
        let message =
            format!("the trace has no file whose name matches {wanted} (--only); it has {there}");
        Err(Failure::new(ExitCode::Usage, message))
    }

    fn count_left_out(&self, definitions: &Definitions) -> u64 {
        files(definitions).filter(|name| self.leaves_out(&name.to_str_lossy())).count() as u64
    }

    fn told(&self) -> Vec<(String, String)> {
        let mut told = Vec::new();
        let mut tell = |name: &str, value: String| told.push((name.to_owned(), value));
        if self.exclude_system {
            tell("exclude-system", "true".to_owned());
        }
        self.exclude.iter().for_each(|of| tell("exclude", of.to_string()));
        self.only.iter().for_each(|of| tell("only", of.to_string()));
        self.application_io.iter().for_each(|of| tell("application-io", of.clone()));
        tell("bins", self.bins.to_string());
        if self.strict {
            tell("strict", "true".to_owned());
        }
        told
    }

    fn write(&self, report: &IoReport<'_>, targets: &[Target]) -> Result<(), Failure> {
        let heat = self.heat.unwrap_or_default();
        let table = self.table.as_deref().unwrap_or("files");
        let tables = report.tables();
        targets.iter().try_for_each(|target| match target.format {
            Format::Svg => target.output.write(|out| write_svg(out, report, heat)),
            Format::Png => target.output.write(|out| write_png(out, report, heat)),
            _ => target.write(&tables, table, |out, width| {
                write_text(out, report, &tables, self.top, width)
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_system() {
        for name in
            ["pipe:[12]", "/usr/lib/x", "/etc/passwd", "/proc", "/home/me/libx.so.6", "/opt/a.so"]
        {
            assert!(is_of_system(name), "{name}");
        }
        for name in ["/home/me/usr/x", "/scratch/etc", "usr/x", "/processed/a", "a.sock"] {
            assert!(!is_of_system(name), "{name}");
        }
    }
}
