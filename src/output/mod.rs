//! Files that appear whole or not at all.

pub mod colors;
pub mod taken;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use streamfold_collective::inject::fail_point;
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_system::unfinished::UnfinishedFile;
use streamfold_text::style;
use streamfold_text::terminal::Terminal;

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
    /// Looks at a place before the work begins, so that no user waits for a result that cannot be
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

    /// Tells whether this is standard output.
    pub fn is_standard(&self) -> bool {
        self.kind == Kind::Standard
    }

    /// The place as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the output and puts it in its place. A terminal shows control characters, and obeys none.
    ///
    /// # Errors
    ///
    /// When it cannot be written; nothing is left then, and what was there before stays.
    pub fn write(
        &self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let written = match &self.kind {
            Kind::Standard if taken::is_taken() => {
                let taker = taken::taker().map(taken::Taken);
                taker.map_or(Ok(()), |taker| through(taker, write))
            }
            Kind::Standard => {
                let mut out = Standard { out: io::stdout(), is_left: false };
                match shown(io::stdout().is_terminal(), &mut out, write) {
                    // The reader has seen enough.
                    Err(_) if out.is_left => Ok(()),
                    other => other,
                }
            }
            Kind::Device => File::options()
                .write(true)
                .open(&self.path)
                .and_then(|file| shown(file.is_terminal(), file, write)),
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

    /// Writes text for people, with [styles](style) where standard output has [colours](colors).
    ///
    /// # Errors
    ///
    /// Those of [`Output::write`].
    pub fn write_text(
        &self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if taken::is_taken() || !(self.is_standard() && colors::are_on(&io::stdout())) {
            return self.write(write);
        }
        let mut out = Standard { out: io::stdout(), is_left: false };
        let terminal = Terminal::with_colors(&mut out, true);
        match style::painting(true, || through(terminal, write)) {
            Err(_) if out.is_left => Ok(()),
            other => other.map_err(|error| self.failure(error)),
        }
    }

    /// Writes the output while something else may fail, such as reading: `write` returns that within its result. Standard
    /// output keeps what was written before; a file does not appear.
    ///
    /// # Errors
    ///
    /// Those of [`Output::write`], and then what else has failed.
    pub fn write_while(
        &self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<Result<(), Failure>>,
    ) -> Result<(), Failure> {
        let mut ended = Ok(());
        let written = self.write(|out| {
            ended = write(out)?;
            match ended.is_ok() {
                true => Ok(()),
                false => Err(io::ErrorKind::InvalidData.into()),
            }
        });
        ended.and(written)
    }

    /// The file to write to by its path, for libraries that cannot write to a stream.
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
            return standard_failure(&error);
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
    /// Its path until then.
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

/// How what a library wrote to standard output itself, and could not, ends.
///
/// # Errors
///
/// For every error but a broken pipe, which means that the reader has seen enough.
pub fn written_to_standard(error: io::Error) -> Result<(), Failure> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(standard_failure(&error)),
    }
}

fn standard_failure(error: &io::Error) -> Failure {
    Failure::new(ExitCode::Io, format!("cannot write to standard output: {error}"))
}

/// Standard output. Libraries wrap errors in their own, so that it remembers itself whether its reader has left.
#[derive(Debug)]
struct Standard {
    out: io::Stdout,
    is_left: bool,
}

impl Standard {
    fn look<T>(&mut self, written: io::Result<T>) -> io::Result<T> {
        let is_broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        self.is_left |= written.as_ref().err().is_some_and(is_broken);
        written
    }
}

impl Write for Standard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.look(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.look(flushed)
    }
}

/// Writes to what may be a terminal.
fn shown(
    is_terminal: bool,
    sink: impl Write + Send,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    match is_terminal {
        true => through(Terminal::new(sink), write),
        false => through(sink, write),
    }
}

fn through(
    sink: impl Write + Send,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, sink);
    write(&mut out)?;
    out.flush()
}

/// The reason of an error. The user does not know of the temporary file, so if it cannot be made,
/// the folder is named.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
        _ => error.to_string(),
    }
}
