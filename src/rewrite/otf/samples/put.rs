//! Destination of samples: beside the trace, or into a copy of it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::{Input, NewSet};
use super::Samples;
use crate::Replacing;
use streamfold_formats::otf::{stream_file, Section};
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_system::unfinished::UnfinishedFolder;

/// Destination of samples.
pub(super) enum Destination {
    /// Into a copy.
    Copy(NewSet),
    /// Beside the trace.
    Beside {
        /// Folder for unfinished files.
        unfinished: UnfinishedFolder,
        /// The folder of the trace, and its name without ending.
        folder: PathBuf,
        name: OsString,
    },
}

impl Destination {
    pub(super) fn prepare(
        input: &Input,
        output: Option<&Path>,
        replacing: Replacing,
        wanted: &Samples,
    ) -> Result<Destination, Failure> {
        if let Some(output) = output {
            let inputs = [input.path().to_owned()];
            return NewSet::prepare(output, &inputs, replacing).map(Destination::Copy);
        }
        if replacing == Replacing::Refused {
            if let Some(there) = obsolete(input, wanted).first() {
                let text = format!("{} exists; say --force to replace it", there.display());
                return Err(Failure::new(ExitCode::Io, text));
            }
        }
        let folder = input.stub.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        let name = input.stub.file_name().unwrap_or_default().to_owned();
        let unfinished = UnfinishedFolder::beside(&input.stub);
        let unfinished = unfinished.map_err(|error| Failure::output(&input.stub, &error))?;
        Ok(Destination::Beside { unfinished, folder, name })
    }

    /// The name without ending, until samples are in their place.
    pub(super) fn stub(&self) -> PathBuf {
        match self {
            Destination::Copy(new) => new.stub(),
            Destination::Beside { unfinished, name, .. } => unfinished.path().join(name),
        }
    }

    pub(super) fn is_copy(&self) -> bool {
        matches!(self, Destination::Copy(_))
    }

    /// The same failure with the names that people know.
    pub(super) fn told(&self, failure: Failure) -> Failure {
        match self {
            Destination::Copy(new) => new.told(failure),
            Destination::Beside { unfinished, folder, .. } => {
                let from = unfinished.path().to_string_lossy();
                let message = failure.message.replace(&*from, &folder.to_string_lossy());
                Failure { message, ..failure }
            }
        }
    }

    /// Puts samples in their place. Definitions come last: without them no tool looks for samples.
    pub(super) fn put(self, input: &Input, wanted: &Samples) -> Result<(), Failure> {
        let (unfinished, folder) = match self {
            Destination::Copy(new) => return new.put(),
            Destination::Beside { unfinished, folder, .. } => (unfinished, folder),
        };
        let mut old = obsolete(input, wanted);
        let definitions = stream_file(&input.stub, 0, Section::Definitions);
        old.extend(definitions.filter(|path| path.extension().is_some_and(|it| it == "z")));
        let put = |from: &Path| -> std::io::Result<()> {
            let mut new: Vec<PathBuf> = fs::read_dir(from)?
                .map(|entry| Ok(entry?.path()))
                .collect::<std::io::Result<_>>()?;
            new.sort_by_key(|path| path.to_string_lossy().ends_with(".0.def"));
            let mut kept = Vec::new();
            for path in new {
                let to = folder.join(path.file_name().unwrap_or_default());
                fs::rename(&path, &to)?;
                kept.push(to);
            }
            old.iter().filter(|path| !kept.contains(path)).try_for_each(fs::remove_file)
        };
        unfinished.put(put, |_| false).map_err(|error| Failure::output(input.path(), &error))
    }
}

/// Samples that are there and would be replaced.
fn obsolete(input: &Input, wanted: &Samples) -> Vec<PathBuf> {
    let sections =
        [(Section::Snapshots, wanted.snapshots), (Section::Statistics, wanted.statistics)];
    let mut found = Vec::new();
    for stream in input.streams.keys() {
        for (section, _) in sections.iter().filter(|(_, is_wanted)| *is_wanted) {
            for packed in ["", ".z"] {
                let mut name = input.stub.as_os_str().to_owned();
                name.push(format!(".{stream:x}.{}{packed}", section.ending()));
                found.push(PathBuf::from(name));
            }
        }
    }
    if wanted.thumbnail {
        let mut name = input.stub.as_os_str().to_owned();
        name.push(".thumb");
        found.push(PathBuf::from(name));
    }
    found.retain(|path| path.is_file());
    found
}
