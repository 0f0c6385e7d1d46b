//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::collective::inject::fail_point;
use crate::system::exit::{ExitCode, Failure};
use crate::system::unfinished::UnfinishedFile;

/// A place for output: a file that is written beside it and moved there when it is whole, a pipe or
/// device, or standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    path: PathBuf,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Standard,
    /// Something that exists and is no regular file: it is written to as it is.
    Device,
    /// The file to replace or to make, links followed.
    File(PathBuf),
}

impl Output {
    /// Looks at a place before the work begins, so that nobody waits for a result that cannot be
    /// written. `-` is standard output. Nothing is left there until [`Output::write`].
    ///
    /// # Errors
    ///
    /// When no file can be made there.
    pub fn prepare(path: &Path) -> Result<Output, Failure> {
        let kind = match std::fs::metadata(path) {
            _ if path == Path::new("-") => Kind::Standard,
            Ok(there) if there.is_dir() => {
                return Err(Failure::output(path, &"it is a directory"));
            }
            Ok(there) if there.is_file() => {
                let followed = path.canonicalize();
                Kind::File(followed.map_err(|error| Failure::output(path, &error))?)
            }
            Ok(_) => Kind::Device,
            Err(_) => Kind::File(path.to_owned()),
        };
        let output = Output { path: path.to_owned(), kind };
        if let Kind::File(place) = &output.kind {
            // Made and removed again: whatever ends this job before the report leaves nothing.
            UnfinishedFile::beside(place).map_err(|error| output.failure(error))?;
        }
        Ok(output)
    }

    /// Whether this is standard output.
    pub fn is_standard(&self) -> bool {
        self.kind == Kind::Standard
    }

    /// The place as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the output and puts it in its place.
    ///
    /// # Errors
    ///
    /// When it cannot be written; nothing is left then, and what was there before stays.
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let written = match &self.kind {
            Kind::Standard => match through(io::stdout().lock(), write) {
                // Whoever reads has seen enough.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                other => other,
            },
            Kind::Device => {
                File::options().write(true).open(&self.path).and_then(|file| through(file, write))
            }
            Kind::File(_) => {
                let mut file = self.begin()?;
                match through(file.file.as_file_mut(), write) {
                    Ok(()) => return file.finish(),
                    Err(error) => Err(error),
                }
            }
        };
        written.map_err(|error| self.failure(error))
    }

    /// The file to write to by its path, for those who cannot write to a stream.
    ///
    /// # Errors
    ///
    /// When no file can be made there, or what is there is no regular file.
    pub fn begin(&self) -> Result<Unfinished<'_>, Failure> {
        let Kind::File(place) = &self.kind else {
            return Err(Failure::output(&self.path, &"this format needs a regular file"));
        };
        let file = UnfinishedFile::beside(place).map_err(|error| self.failure(error))?;
        Ok(Unfinished { output: self, place, file })
    }

    fn failure(&self, error: io::Error) -> Failure {
        if self.is_standard() {
            return Failure::new(ExitCode::Io, format!("cannot write to standard output: {error}"));
        }
        Failure::output(&self.path, &reason(&error))
    }
}

/// A file that is not yet in its place, and goes away unless it gets there.
#[derive(Debug)]
pub struct Unfinished<'a> {
    output: &'a Output,
    place: &'a Path,
    file: UnfinishedFile,
}

impl Unfinished<'_> {
    /// Where it is until then.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Opens it for writing.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub fn open(&self) -> io::Result<BufWriter<File>> {
        let file = File::options().write(true).open(self.path())?;
        Ok(BufWriter::with_capacity(1 << 18, file))
    }

    /// Puts it in its place.
    ///
    /// # Errors
    ///
    /// When it cannot be put there.
    pub fn finish(self) -> Result<(), Failure> {
        // Only rank 0 puts outputs in their places.
        fail_point("put", 0).map_err(|error| Failure::new(ExitCode::Rank, error.to_string()))?;
        self.file.persist(self.place).map_err(|error| self.output.failure(error))
    }
}

fn through(
    sink: impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, sink);
    write(&mut out)?;
    out.flush()
}

/// What the system said, in other words where it means the file beside, which nobody knows.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
        _ => error.to_string(),
    }
}
