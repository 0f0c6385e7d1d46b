//! Target of commands that write an archive. The new archive appears whole.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::outputs::{OutputPath, STANDARD};
use crate::session::{tell_losses, Session};
use streamfold_drive::Losses;
use streamfold_formats::ArchiveFiles;
use streamfold_formats::TraceFiles;
use streamfold_otf2::{ArchiveWriter, WriteOptions};
use streamfold_output::Output;
use streamfold_rewrite::{belongs_to_trace, NewArchive, Replacing, Staged};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::paths;

/// Where a new archive goes.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Place {
    /// The anchor file of the new archive (.otf2)
    #[arg(short, long, value_name = "ANCHOR")]
    output: OutputPath,
    /// Replace an archive that is there already, once the new one is whole
    #[arg(long)]
    force: bool,
}

impl Place {
    /// Returns the path as it was given.
    pub(crate) fn path(&self) -> &Path {
        &self.output
    }

    /// Returns the treatment of an archive that is already at the path.
    pub(crate) fn replacing(&self) -> Replacing {
        if self.force {
            Replacing::Forced
        } else {
            Replacing::Refused
        }
    }

    /// Looks at the place where one file is to be made. A file that is there is replaced only where that is wanted.
    /// `-` is standard output.
    ///
    /// # Errors
    ///
    /// When it is refused, or when no file can be made there.
    pub(crate) fn file(&self) -> Result<Output, Failure> {
        self.beside(&self.output)
    }

    /// Looks at a place for a table about the new archive. A file that is there is replaced only where the archive
    /// would be, too. Files of the archive and of its `inputs` never are. `-` is standard output.
    ///
    /// # Errors
    ///
    /// When it is refused, or when no file can be made there.
    pub(crate) fn table(&self, path: &Path, inputs: &[PathBuf]) -> Result<Output, Failure> {
        if path != Path::new(STANDARD) {
            if inputs.iter().any(|input| TraceFiles::of(&input.into(), None).have(path)) {
                return Err(belongs_to_trace(path));
            }
            let is_of_new =
                |files: ArchiveFiles| paths::real(path).is_some_and(|path| files.have(&path));
            if ArchiveFiles::of(&self.output).is_some_and(is_of_new) {
                let path = path.display();
                let text = format!("{path}: this is the place of a file of the new archive");
                return Err(Failure::new(ExitCode::Usage, text));
            }
        }
        self.beside(path)
    }

    /// Looks at a place, where a file is replaced only by force.
    fn beside(&self, path: &Path) -> Result<Output, Failure> {
        let output = Output::prepare(path)?;
        if !output.is_standard() && path.is_file() && !self.force {
            let text = format!("{} exists; say --force to replace it", path.display());
            return Err(Failure::new(ExitCode::Io, text));
        }
        Ok(output)
    }

    /// Writes an archive there: all ranks `write` it, rank 0 then the anchor with `finish`; once more where
    /// definitions turn out to need larger chunks. Returns what `write` returned on rank 0.
    ///
    /// # Errors
    ///
    /// Those of both, and on all ranks when nothing can be written there; nothing is left then.
    pub(crate) fn write<T>(
        &self,
        session: &Session<'_>,
        inputs: &[PathBuf],
        mut options: WriteOptions,
        write: impl Fn(&ArchiveWriter) -> Result<Option<T>, Stop>,
        finish: impl Fn(&ArchiveWriter, &T) -> Result<(), Failure>,
    ) -> Result<Option<T>, Stop> {
        loop {
            match self.write_once(session, inputs, options, &write, &finish) {
                // Definitions may have become longer than any that was there.
                Err(Stop::Together(Failure { larger_chunks: Some(chunks), .. }))
                    if chunks > options.definition_chunk_size =>
                {
                    options.definition_chunk_size = chunks;
                }
                written => return written,
            }
        }
    }

    fn write_once<T>(
        &self,
        session: &Session<'_>,
        inputs: &[PathBuf],
        options: WriteOptions,
        write: impl Fn(&ArchiveWriter) -> Result<Option<T>, Stop>,
        finish: impl Fn(&ArchiveWriter, &T) -> Result<(), Failure>,
    ) -> Result<Option<T>, Stop> {
        let ranks = session.ranks;
        let replacing = self.replacing();
        let new = session.on_root(|| NewArchive::prepare(&self.output, inputs, replacing))?;
        let staged = Staged::share(ranks, new.as_ref())?;
        let to = staged.writer(ranks, options)?;
        let written = write(&to).map_err(|stop| staged.told(stop))?;
        let put = session.on_root(|| {
            let (Some(new), Some(written)) = (new, written) else { return Ok(None) };
            finish(&to, &written).map_err(|failure| staged.told_failure(failure))?;
            new.put()?;
            Ok(Some(written))
        })?;
        Ok(put.flatten())
    }
}

impl Session<'_> {
    /// Says what was written, and what was lost; ends with the exit code of that. `written` is on rank 0,
    /// and nowhere where nothing was.
    pub(super) fn end<T>(
        &self,
        written: Option<T>,
        summary: impl FnOnce(&T) -> Vec<String>,
        losses: impl FnOnce(&T) -> &Losses,
    ) -> Result<ExitCode, Stop> {
        let code = self.on_root(|| {
            let Some(written) = written else { return Ok(ExitCode::Done) };
            for line in summary(&written) {
                self.say(&format!("streamfold: {line}"));
            }
            let losses = losses(&written);
            if losses.is_empty() {
                return Ok(ExitCode::Done);
            }
            tell_losses(losses);
            Ok(ExitCode::Losses)
        })?;
        Ok(self.ranks.broadcast(0, code)?)
    }

    /// Workers of which each has a file that is read and one that is written.
    pub(super) fn copying_workers(&self) -> NonZeroUsize {
        let files = self.common.max_open_files.get().div_ceil(2);
        self.threads.count.min(NonZeroUsize::new(files).unwrap_or(NonZeroUsize::MIN))
    }
}
