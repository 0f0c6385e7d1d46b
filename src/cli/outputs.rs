//! Outputs of commands, checked: none may replace the trace that a command reads.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use clap::ArgMatches;

use super::formats::Format;
use streamfold_formats::strace::CasePattern;
use streamfold_formats::{Input, TraceFiles};
use streamfold_rewrite::belongs_to_trace;
use streamfold_system::exit::{ExitCode, Failure};

/// How standard output is named.
pub(super) const STANDARD: &str = "-";

/// A place to write to, as it was given. `-` is standard output. Every option that names a place to write to has
/// this type: [`Given`] finds it by that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OutputPath(PathBuf);

impl Deref for OutputPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl ValueParserFactory for OutputPath {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> OutputPath>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(OutputPath as fn(PathBuf) -> OutputPath)
    }
}

/// The paths on a command line: what is read, and what is written.
#[derive(Debug, Default)]
pub(super) struct Given {
    read: Vec<PathBuf>,
    written: Vec<OutputPath>,
    format: Option<super::input::Format>,
    pattern: Option<CasePattern>,
}

impl Given {
    /// Those of a command and its options.
    pub(crate) fn of(matches: &ArgMatches) -> Given {
        let mut given = Given::default();
        let mut level = Some(matches);
        while let Some(matches) = level {
            for id in matches.ids() {
                given.read.extend(all(matches, id.as_str()));
                given.written.extend(all(matches, id.as_str()));
                given.format = all(matches, id.as_str()).pop().or(given.format);
                given.pattern = all(matches, id.as_str()).pop().or(given.pattern);
            }
            level = matches.subcommand().map(|(_, matches)| matches);
        }
        given
    }

    /// Refuses to write to a file of a trace that is read. For one rank, before anything is opened.
    ///
    /// # Errors
    ///
    /// The first such output.
    pub(crate) fn refuse_inputs(&self) -> Result<(), Failure> {
        let written: Vec<&Path> = self.written.iter().map(|path| &**path).collect();
        self.refuse(&written)
    }

    /// Refuses other places to write to in the same way: those that a command chooses by itself.
    ///
    /// # Errors
    ///
    /// The first such place.
    pub(crate) fn refuse(&self, places: &[&Path]) -> Result<(), Failure> {
        let places: Vec<_> = places.iter().filter(|path| **path != Path::new(STANDARD)).collect();
        if places.is_empty() {
            return Ok(());
        }
        for path in &self.read {
            let format = self.format.map(Into::into);
            let files = TraceFiles::of(&Input { format, ..path.into() }, self.pattern.as_ref());
            if let Some(place) = places.iter().find(|place| files.have(place)) {
                return Err(belongs_to_trace(place));
            }
        }
        Ok(())
    }
}

/// The options of a command and of those below it that name a place to write to.
pub(super) fn written(
    command: &clap::Command,
    words: &[String],
    found: &mut Vec<(Vec<String>, String)>,
) {
    for option in command.get_arguments().filter(|option| is_output(option)) {
        let name = option.get_long().expect("places to write to are named by options");
        found.push((words.to_vec(), format!("--{name}")));
    }
    for below in command.get_subcommands() {
        let words = [words, &[below.get_name().to_owned()]].concat();
        written(below, &words, found);
    }
}

fn is_output(option: &clap::Arg) -> bool {
    option.get_value_parser().type_id() == TypeId::of::<OutputPath>()
}

/// The values of an argument, where they have this type.
fn all<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Vec<T> {
    let values = matches.try_get_many::<T>(id).ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

/// Refuses outputs of which one would replace another.
///
/// # Errors
///
/// The first place that is named twice.
pub(super) fn refuse_twice<'p>(paths: impl Iterator<Item = &'p Path>) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    for path in paths {
        if !seen.insert(place(path)) {
            let message = format!("{} is named as an output twice", path.display());
            return Err(Failure::new(ExitCode::Usage, message));
        }
    }
    Ok(())
}

/// Returns the path of a file with links in its folder resolved.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

impl Format {
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
    let known = match others.is_empty() {
        true => format!("{last} is known"),
        false => format!("{} and {last} are known", others.join(", ")),
    };
    format!(
        "cannot tell from its suffix what to write to {}: {known}, and - for standard output",
        path.display(),
    )
}

/// The reports that are asked for: where each goes, and in which format.
pub(super) struct Reports<'p>(Vec<(&'p Path, Format)>);

impl<'p> Reports<'p> {
    /// Those at these places, each of one of these formats, or of that of standard output.
    ///
    /// # Errors
    ///
    /// When a path is named twice, a suffix names none of the formats, or an option is for standard output, which gets
    /// nothing.
    pub(crate) fn named(
        paths: &'p [OutputPath],
        formats: &[Format],
        standard: Option<impl Into<Format>>,
    ) -> Result<Self, Failure> {
        refuse_twice(paths.iter().map(|path| &**path))?;
        let is_given = standard.is_some();
        let of_standard = standard.map_or(Format::Text, Into::into);
        let mut reports = Reports(Vec::new());
        for path in paths {
            reports.0.push((path, Format::of(path, formats)?.unwrap_or(of_standard)));
        }
        let is_standard = |(path, _): &(&Path, Format)| *path == Path::new(STANDARD);
        if is_given && !reports.0.iter().any(is_standard) {
            return Err(unused("--format", "standard output: name it with -o -"));
        }
        Ok(reports)
    }

    /// The same, where standard output gets one if no place is named.
    ///
    /// # Errors
    ///
    /// Those of [`named`](Self::named).
    pub(crate) fn or_standard(
        paths: &'p [OutputPath],
        formats: &[Format],
        standard: Option<impl Into<Format>>,
    ) -> Result<Self, Failure> {
        if paths.is_empty() {
            let format = standard.map_or(Format::Text, Into::into);
            return Ok(Reports(vec![(Path::new(STANDARD), format)]));
        }
        Reports::named(paths, formats, standard)
    }

    /// Refuses an option that says something of reports in certain formats, where none is asked for.
    ///
    /// # Errors
    ///
    /// When the option is `given` and no report has one of these formats. `what` names the reports, and how to ask for
    /// one.
    pub(crate) fn refuse_unused(
        &self,
        (option, given): (&str, bool),
        formats: &[Format],
        what: &str,
    ) -> Result<(), Failure> {
        let used = self.0.iter().any(|(_, format)| formats.contains(format));
        if given && !used {
            return Err(unused(option, what));
        }
        Ok(())
    }

    /// Returns the paths of the reports in a format.
    pub(crate) fn of(&self, format: Format) -> impl Iterator<Item = &'p Path> + '_ {
        self.0.iter().filter(move |(_, of)| *of == format).map(|(path, _)| *path)
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'p Path, Format)> + '_ {
        self.0.iter().copied()
    }
}

/// Returns the error for an option that would have no effect.
pub(super) fn unused(option: &str, what: &str) -> Failure {
    Failure::new(ExitCode::Usage, format!("{option} is for {what}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    fn paths(command: &clap::Command, found: &mut BTreeSet<String>) {
        let is_path =
            |option: &&clap::Arg| option.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        found.extend(command.get_arguments().filter(is_path).map(|it| it.get_id().to_string()));
        command.get_subcommands().for_each(|below| paths(below, found));
    }

    /// A new option with a path is either an [`OutputPath`], which is guarded, or is added here: it is read.
    #[test]
    fn paths_of_other_options_are_read() {
        let mut found = BTreeSet::new();
        paths(&Cli::command(), &mut found);
        let read = [
            "after", "anchor", "anchors", "before", "donor", "file", "input", "list", "logs",
            "mapping", "runs", "trace", "traces",
        ];
        assert_eq!(found, read.map(str::to_owned).into());
    }

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
