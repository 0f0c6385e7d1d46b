//! Files that appear whole or not at all.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::exit::Failure;

/// A file that is written beside its place and moved there when it is whole, or standard output.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    file: Option<NamedTempFile>,
}

impl Output {
    /// Prepares an output, so that a place where nothing can be written is known before the work
    /// begins. `-` is standard output.
    ///
    /// # Errors
    ///
    /// When no file can be made there.
    pub fn create(path: &Path) -> Result<Output, Failure> {
        let output = |file| Output { path: path.to_owned(), file };
        if path == Path::new("-") {
            return Ok(output(None));
        }
        if path.is_dir() {
            return Err(Failure::output(path, &"it is a directory"));
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let file = tempfile::Builder::new()
            .prefix(".streamfold-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder)
            .map_err(|error| Failure::output(path, &reason(error)))?;
        Ok(output(Some(file)))
    }

    /// The file that is to be written now; `None` for standard output.
    pub fn unfinished(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path())
    }

    /// Writes the output and puts it in its place.
    ///
    /// # Errors
    ///
    /// When it cannot be written; nothing is left then, and what was there before stays.
    pub fn write(
        mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let written = match &mut self.file {
            Some(file) => {
                let mut out = BufWriter::with_capacity(1 << 18, file.as_file_mut());
                write(&mut out).and_then(|()| out.flush())
            }
            None => {
                let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
                match write(&mut out).and_then(|()| out.flush()) {
                    // Whoever reads has seen enough.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    other => other,
                }
            }
        };
        written.map_err(|error| Failure::output(&self.path, &reason(error)))?;
        self.finish()
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    ///
    /// When it cannot be put there.
    pub fn finish(self) -> Result<(), Failure> {
        let Some(file) = self.file else { return Ok(()) };
        file.persist(&self.path).map_err(|error| Failure::output(&self.path, &error.error))?;
        Ok(())
    }
}

/// Without the name of the file beside, which nobody knows.
fn reason(error: io::Error) -> String {
    match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number).to_string(),
        None => match error.kind() {
            kind if error.get_ref().is_some() => kind.to_string(),
            _ => error.to_string(),
        },
    }
}
