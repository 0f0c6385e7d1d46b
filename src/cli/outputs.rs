//! Where commands write to: what is asked for, and never over the trace that they read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::formats::Format;
use crate::report::output::Output;
use crate::rewrite::has_file;
use crate::system::exit::{ExitCode, Failure};

/// How standard output is named.
pub(super) const STANDARD: &str = "-";

/// Looks at a place for output of a command that reads the trace with this anchor.
///
/// # Errors
///
/// When the place is one of the trace's own, or no file can be made there.
pub(super) fn prepare(path: &Path, anchor: &Path) -> Result<Output, Failure> {
    if path != Path::new(STANDARD) && has_file(anchor, path) {
        let message = format!("cannot write {}: it belongs to the trace", path.display());
        return Err(Failure::new(ExitCode::Usage, message));
    }
    Output::prepare(path)
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

/// Where a file is, however one gets there.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// The reports that are asked for: where each goes, and in which format.
pub(super) struct Reports<'p>(Vec<(&'p Path, Format)>);

impl<'p> Reports<'p> {
    /// Those at these places, each of one of these formats, or of that of standard output.
    ///
    /// # Errors
    ///
    /// Where one is named twice, a suffix names none of the formats, or something is said of standard output,
    /// which gets nothing.
    pub fn named(
        paths: &'p [PathBuf],
        formats: &[Format],
        standard: Option<impl Into<Format>>,
    ) -> Result<Self, Failure> {
        refuse_twice(paths.iter().map(PathBuf::as_path))?;
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
    pub fn or_standard(
        paths: &'p [PathBuf],
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
    /// Where it is `given` and there is none; `what` they are, and how to ask for one.
    pub fn refuse_unused(
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

    /// Where those of a format go.
    pub fn of(&self, format: Format) -> impl Iterator<Item = &'p Path> + '_ {
        self.0.iter().filter(move |(_, of)| *of == format).map(|(path, _)| *path)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = (&'p Path, Format)> + '_ {
        self.0.iter().copied()
    }
}

/// What an option is answered that would do nothing.
pub(super) fn unused(option: &str, what: &str) -> Failure {
    Failure::new(ExitCode::Usage, format!("{option} is for {what}"))
}
