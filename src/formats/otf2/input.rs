//! Files of a trace: each is a regular file, so that no read waits and none is without end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// An error of something that is no regular file: a pipe, a device, a socket, a folder.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not a regular file")]
struct Irregular;

/// Opens a file of a trace. `O_NONBLOCK` means nothing to a regular file, and opens a pipe without waiting.
///
/// # Errors
///
/// When it cannot be opened, or is not a regular file, see [`is_irregular`].
pub fn open(path: &Path) -> io::Result<File> {
    let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    // A socket cannot be opened at all.
    let file = opened.map_err(|error| if is_special(path) { irregular() } else { error })?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(irregular()),
    }
}

/// Reads a whole file of a trace.
///
/// # Errors
///
/// As those of [`open`], and when it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses a path that is neither a regular file nor a folder. A missing path is not reported.
///
/// # Errors
///
/// When the path leads to a pipe, a device or a socket.
pub fn check(path: &Path) -> io::Result<()> {
    if is_special(path) {
        return Err(irregular());
    }
    Ok(())
}

/// Tells whether [`open`] refused something that is not a regular file.
pub fn is_irregular(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Irregular>())
}

fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|known| !known.is_file() && !known.is_dir())
}

fn irregular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, Irregular)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_files_alone_are_opened() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").expect("written");
        assert_eq!(read(&at("file")).expect("read"), b"text");
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.expect("mkfifo").success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("a socket");
        std::os::unix::fs::symlink("/dev/zero", at("zero")).expect("a link");
        std::os::unix::fs::symlink("/dev/null", at("null")).expect("a link");
        for name in ["pipe", "socket", "zero", "null"] {
            let error = open(&at(name)).expect_err(name);
            assert!(is_irregular(&error) && error.to_string() == "not a regular file", "{name}");
            assert!(check(&at(name)).is_err(), "{name}");
        }
        assert!(is_irregular(&open(folder.path()).expect_err("a folder")));
        assert!(check(folder.path()).is_ok() && check(&at("nothing")).is_ok());
        assert!(!is_irregular(&open(&at("nothing")).expect_err("nothing")));
    }
}
