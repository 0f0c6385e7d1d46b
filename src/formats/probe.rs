//! Detects the format of a trace, and reads all facts that ranks have to know.

use std::ffi::OsStr;
use std::io::Read;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use streamfold_model::definitions::ClockProperties;
use streamfold_model::store::Definitions;

use super::otf2::{Anchor, Archive};
use super::{dftracer, gistlog, otf, otf2, strace, Format, Loss, ReadOptions, Source};
use crate::input;
use streamfold_system::exit::{ExitCode, Failure};

/// A trace that is to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// A file of it, or its folder.
    pub path: &'a Path,
    /// More files of it, for logs of strace.
    pub more: &'a [PathBuf],
    /// Its format, where that is given; else it is found out.
    pub format: Option<Format>,
    /// How a GISTLOG is read.
    pub gistlog: gistlog::Readings,
    /// Clock properties that replace those of the trace.
    pub clock: GivenClock,
}

/// Clock properties that the user gives, in place of those of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenClock {
    /// Ticks a second.
    pub ticks_per_second: Option<NonZeroU64>,
    /// The tick with which the trace begins.
    pub begin: Option<u64>,
}

impl GivenClock {
    /// Corrects the clock properties. The trace ends at the recorded end, unless that is before it
    /// begins.
    pub fn correct(self, definitions: &mut Definitions) {
        if self == GivenClock::default() {
            return;
        }
        let undefined = ClockProperties {
            timer_resolution: 0,
            global_offset: 0,
            trace_length: 0,
            realtime_timestamp: u64::MAX,
        };
        let clock = definitions.clock.get_or_insert(undefined);
        if let Some(ticks) = self.ticks_per_second {
            clock.timer_resolution = ticks.get();
        }
        if let Some(begin) = self.begin {
            let end = clock.global_offset.saturating_add(clock.trace_length);
            // The date belongs to the begin that was wrong.
            if begin != clock.global_offset {
                clock.realtime_timestamp = u64::MAX;
            }
            clock.global_offset = begin;
            clock.trace_length = end.saturating_sub(begin);
        }
    }
}

impl<'a> From<&'a Path> for Input<'a> {
    fn from(path: &'a Path) -> Self {
        Input {
            path,
            more: &[],
            format: None,
            gistlog: gistlog::Readings::default(),
            clock: GivenClock::default(),
        }
    }
}

impl<'a> From<&'a PathBuf> for Input<'a> {
    fn from(path: &'a PathBuf) -> Self {
        path.as_path().into()
    }
}

/// Facts of a trace that rank 0 has read. They are broadcast, so that other ranks open nothing but the files that they
/// read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The facts of the format itself.
    pub about: About,
    /// All global definitions.
    pub definitions: Definitions,
}

/// The facts from which any rank makes a source without opening a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum About {
    /// The path of the anchor, and the anchor.
    Otf2(PathBuf, Box<Anchor>),
    /// Facts of master file and definitions.
    Otf(Box<otf::Otf>),
    /// Result of the one pass over a log.
    Gistlog(Box<gistlog::Log>),
    /// Result of the one pass over logs.
    Strace(Box<strace::StraceLog>),
    /// Result of the one pass over traces of DFTracer.
    Dftracer(Box<dftracer::Dftracer>),
}

impl From<dftracer::Dftracer> for About {
    fn from(trace: dftracer::Dftracer) -> Self {
        About::Dftracer(Box::new(trace))
    }
}

impl From<strace::StraceLog> for About {
    fn from(log: strace::StraceLog) -> Self {
        About::Strace(Box::new(log))
    }
}

impl About {
    /// The source.
    ///
    /// # Errors
    ///
    /// When the name of an anchor is not valid.
    pub fn source(self, options: ReadOptions) -> Result<Box<dyn Source>, Failure> {
        Ok(match self {
            About::Otf2(path, anchor) => {
                Box::new(Archive::with_anchor(&path, *anchor, options).map_err(Loss::from)?)
            }
            About::Otf(trace) => trace,
            About::Gistlog(log) => log,
            About::Strace(log) => log,
            About::Dftracer(trace) => trace,
        })
    }
}

/// A trace as one rank finds it. It is broadcast, so that other ranks open nothing but the files that they read.
#[derive(Debug, Serialize, Deserialize)]
pub enum Found {
    /// Its definitions stand in one place, and are read.
    Defined(Box<Manifest>),
    /// Files of DFTracer, each of which says what is in it.
    Dftracer(dftracer::Files),
    /// Logs of strace, in the same way.
    Strace(strace::Files),
}

/// Finds out the format of a trace, and reads its definitions. For one rank.
///
/// # Errors
///
/// When the trace cannot be read, or is refused.
pub fn probe(input: &Input<'_>, options: ReadOptions) -> Result<Manifest, Failure> {
    let mut manifest = match find(input, options)? {
        Found::Defined(manifest) => *manifest,
        Found::Dftracer(files) => {
            let (trace, definitions) = files.scan()?;
            Manifest { about: trace.into(), definitions }
        }
        Found::Strace(files) => {
            let (log, definitions) = files.scan()?;
            Manifest { about: log.into(), definitions }
        }
    };
    input.clock.correct(&mut manifest.definitions);
    Ok(manifest)
}

/// Finds out the format of a trace, and reads its definitions where they stand in one place. For one rank.
///
/// # Errors
///
/// When the trace cannot be read, or is refused.
pub fn find(input: &Input<'_>, options: ReadOptions) -> Result<Found, Failure> {
    let path = &anchor_of(input.path);
    input::check(path).map_err(|error| Loss::of_system(path, &error))?;
    refuse_others(input)?;
    let manifest = match input.format.unwrap_or_else(|| format_of(path)) {
        Format::Otf2 => {
            refuse_several(path)?;
            let archive = Archive::open(path, options).map_err(|error| no_trace(path, error))?;
            let definitions = archive.read_global_definitions().map_err(Loss::from)?;
            let anchor = Box::new(archive.anchor().clone());
            Manifest { about: About::Otf2(path.clone(), anchor), definitions }
        }
        Format::Otf => {
            let (trace, definitions) = otf::scan(path)?;
            Manifest { about: About::Otf(Box::new(trace)), definitions }
        }
        Format::Gistlog => {
            let (log, definitions) = gistlog::scan(path, input.gistlog)?;
            Manifest { about: About::Gistlog(Box::new(log)), definitions }
        }
        Format::Strace => return Ok(Found::Strace(strace::Files::list(path, input.more)?)),
        Format::Dftracer => return Ok(Found::Dftracer(dftracer::Files::list(path))),
    };
    Ok(Found::Defined(Box::new(manifest)))
}

/// The format of a trace: the one that is given, or else the one that its first bytes show.
pub fn find_format(input: &Input<'_>) -> Format {
    input.format.unwrap_or_else(|| format_of(&anchor_of(input.path)))
}

/// Opens what has to be an archive, given any path that leads to it.
///
/// # Errors
///
/// When it cannot be read, or the trace has another format.
pub fn open_archive(path: &Path, options: ReadOptions) -> Result<Archive, Failure> {
    let path = &anchor_of(path);
    input::check(path).map_err(|error| Loss::of_system(path, &error))?;
    match format_of(path) {
        Format::Otf2 => {
            refuse_several(path)?;
            Ok(Archive::open(path, options).map_err(|error| no_trace(path, error))?)
        }
        format => Err(only_otf2(path, format)),
    }
}

/// Why a command that works on the files of an archive refuses a trace.
pub fn only_otf2(path: &Path, format: Format) -> Failure {
    let (path, format) = (path.display(), format.name());
    Failure::new(
        ExitCode::Trace,
        format!(
            "{path} has the format {format}, and this command reads OTF2 archives only: \
             `streamfold convert \"{path}\" -o NEW.otf2` makes one"
        ),
    )
}

/// The format that the first bytes of a file show. A file of no other format may be a damaged anchor.
fn format_of(path: &Path) -> Format {
    let mut head = Vec::new();
    let read = input::open(path)
        .ok()
        .map(|file| file.take(gistlog::MAGIC.len() as u64).read_to_end(&mut head));
    let is_gistlog = read.is_some_and(|read| read.is_ok()) && head == gistlog::MAGIC;
    let is_named = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gist"));
    if is_gistlog || is_named {
        Format::Gistlog
    } else if otf::is_trace(path) {
        Format::Otf
    } else if strace::has_name(path) {
        Format::Strace
    } else if dftracer::is_trace(path) {
        Format::Dftracer
    } else if strace::is_log(path) {
        Format::Strace
    } else {
        Format::Otf2
    }
}

/// Refuses several files that are not logs of strace.
fn refuse_others(input: &Input<'_>) -> Result<(), Failure> {
    let others = input.more.iter().map(PathBuf::as_path);
    for path in std::iter::once(input.path).chain(others).filter(|_| !input.more.is_empty()) {
        input::check(path).map_err(|error| Loss::of_system(path, &error))?;
        let format = find_format(&Input { path, ..*input });
        if format != Format::Strace {
            let several = "several files are one trace only if they are logs of strace";
            let missing = input.more.iter().find(|more| !more.exists());
            let what = match missing {
                // A number that was meant for an option is more probable than a log.
                Some(missing) => format!("{}: there is no such file; {several}", missing.display()),
                None => format!("{}: {several}, and this is none", path.display()),
            };
            return Err(Failure::new(ExitCode::Usage, what));
        }
    }
    Ok(())
}

/// Why a path is no archive; a folder has none of the files that stand for a trace.
fn no_trace(path: &Path, error: otf2::Error) -> Loss {
    let is_named = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("otf2"));
    match error.kind {
        otf2::ErrorKind::Directory if !is_named => without_trace(path),
        _ => error.into(),
    }
}

/// Number of traces or folders that are named.
const NAMED: usize = 3;

/// A folder has none of the files that stand for a trace. Folders below that have some are named.
fn without_trace(folder: &Path) -> Loss {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    let mut below: Vec<_> = below.filter(|path| !traces_in(path).is_empty()).collect();
    below.sort();
    let what = match below.len() {
        0 => "there is no trace in this folder: no file ends in .otf2, .otf, .gist, .pfw or .st, and none begins as a \
              log of strace or a Chrome trace"
            .to_owned(),
        count => {
            let folders = if count == 1 { "folder below has" } else { "folders below have" };
            let names = some_names(&below);
            format!("there is no trace in this folder, but {count} {folders}: {names}; name one of them")
        }
    };
    Loss::of_file(folder, what)
}

/// The names of the first files or folders.
fn some_names(paths: &[PathBuf]) -> String {
    let names = paths.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy()));
    let mut names: Vec<_> = names.take(NAMED).collect();
    if paths.len() > NAMED {
        names.push("…".into());
    }
    names.join(", ")
}

/// Refuses a folder without a trace of its own, or with several.
///
/// # Errors
///
/// The traces in it, or in folders below.
pub fn refuse_folder(path: &Path) -> Result<(), Loss> {
    refuse_several(path)?;
    match path.is_dir() {
        true => Err(without_trace(path)),
        false => Ok(()),
    }
}

/// Refuses a folder in which several files may be meant.
fn refuse_several(folder: &Path) -> Result<(), Loss> {
    let traces = if folder.is_dir() { traces_in(folder) } else { Vec::new() };
    if traces.len() < 2 {
        return Ok(());
    }
    let (count, names) = (traces.len(), some_names(&traces));
    let what = format!("this folder has {count} traces: {names}; name one of them");
    Err(Loss::of_file(folder, what))
}

/// The file that stands for a trace, given that, the file of its global definitions, the folder that it is in, or the
/// folder of its locations' files. If several files may be meant, the path stays as it was given.
pub fn anchor_of(path: &Path) -> PathBuf {
    let with = |ending: &str| Some(path.with_extension(ending)).filter(|anchor| anchor.is_file());
    let found = match path.is_dir() {
        true => match traces_in(path).as_slice() {
            [only] => Some(only.clone()),
            _ => with("otf2"),
        },
        false if path.extension() == Some(OsStr::new("def")) => with("otf2"),
        false => None,
    };
    found.unwrap_or_else(|| path.to_owned())
}

/// The traces that a folder has of its own: files that stand for traces, or else the folder itself where it has logs of
/// strace or traces of DFTracer or Chrome. Folders below are not looked at.
pub fn traces_at(folder: &Path) -> Vec<PathBuf> {
    let traces = traces_in(folder);
    match traces.is_empty() && (dftracer::is_trace(folder) || strace::is_log(folder)) {
        true => vec![folder.to_owned()],
        false => traces,
    }
}

/// The traces in a folder, in the order of their names. Logs have no file that stands for them.
fn traces_in(folder: &Path) -> Vec<PathBuf> {
    let is_trace = |path: &PathBuf| {
        path.extension().is_some_and(|ending| {
            ["otf2", "otf", "gist"].iter().any(|it| ending.eq_ignore_ascii_case(it))
        }) && path.is_file()
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut traces: Vec<_> = entries.map(|entry| entry.path()).filter(is_trace).collect();
    traces.sort();
    traces
}
