//! A call as an event, section 1.6.

use std::ops::Range;

use bstr::BStr;
use streamfold_model::enums::RegionRole;

use super::lines::{Parts, Returned};
use super::path::{is_absolute, of_decoration, unescaped};

/// A call that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The line with which it began, from 1.
    pub line: u64,
    /// The process.
    pub pid: u64,
    /// How often the number of the process was used again before.
    pub generation: u32,
    /// When it began, in nanoseconds.
    pub start: i64,
    /// How long it took, in nanoseconds, where that was recorded.
    pub duration: Option<i64>,
    /// The name of the call.
    pub name: &'a [u8],
    /// The file that it is about.
    pub target: Target<'a>,
    /// Bytes that were transferred, where the call transfers any.
    pub size: Option<u64>,
    /// The offset in the file at which it read or wrote, or to which it went, if the line has it.
    pub offset: Option<u64>,
    /// The error with which it failed.
    pub error: Option<&'a [u8]>,
}

/// The file that a call is about, as it is written in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target<'a> {
    /// None.
    None,
    /// That of a descriptor.
    Descriptor(&'a [u8]),
    /// A path in quotes.
    Path(&'a [u8]),
    /// A path in quotes, in the folder of a descriptor.
    In(&'a [u8], &'a [u8]),
    /// A path as it is, from an event log.
    Plain(&'a [u8]),
}

impl Target<'_> {
    /// The path, or what else names the file, as bytes. `None`: there is none.
    pub fn to_path(self) -> Option<Vec<u8>> {
        let mut path = Vec::new();
        match self {
            Target::None => return None,
            Target::Descriptor(text) => of_decoration(text, &mut path),
            Target::Path(text) => unescaped(text, &mut path),
            Target::Plain(text) => path.extend_from_slice(text),
            Target::In(folder, text) => {
                of_decoration(folder, &mut path);
                path.push(b'/');
                unescaped(text, &mut path);
            }
        }
        Some(path)
    }
}

/// Calls whose result is a number of bytes that went between memory and a file, or between files.
pub(super) fn transfers(name: &[u8], sockets: bool) -> bool {
    let is_of_socket = || {
        const CALLS: [&[u8]; 8] = [
            b"recv",
            b"recvfrom",
            b"recvmsg",
            b"recvmmsg",
            b"send",
            b"sendto",
            b"sendmsg",
            b"sendmmsg",
        ];
        CALLS.contains(&name)
    };
    matches!(
        name,
        b"read"
            | b"write"
            | b"pread64"
            | b"pwrite64"
            | b"pread"
            | b"pwrite"
            | b"readv"
            | b"writev"
            | b"preadv"
            | b"pwritev"
            | b"preadv2"
            | b"pwritev2"
            | b"sendfile"
            | b"sendfile64"
            | b"copy_file_range"
            | b"splice"
            | b"tee"
            | b"vmsplice"
    ) || sockets && is_of_socket()
}

/// Calls that move data between memory and files, or make sure that it is there.
const FILE_IO: [&str; 26] = [
    "copy_file_range",
    "fdatasync",
    "fsync",
    "io_submit",
    "pread",
    "pread64",
    "preadv",
    "preadv2",
    "pwrite",
    "pwrite64",
    "pwritev",
    "pwritev2",
    "read",
    "readahead",
    "readv",
    "sendfile",
    "sendfile64",
    "splice",
    "sync",
    "sync_file_range",
    "syncfs",
    "tee",
    "vmsplice",
    "write",
    "writev",
    "msync",
];

/// Calls that do something else with files and folders.
const FILE_IO_METADATA: [&str; 89] = [
    "_llseek",
    "access",
    "chdir",
    "chmod",
    "chown",
    "chown32",
    "chroot",
    "close",
    "close_range",
    "creat",
    "dup",
    "dup2",
    "dup3",
    "faccessat",
    "faccessat2",
    "fadvise64",
    "fadvise64_64",
    "fallocate",
    "fchdir",
    "fchmod",
    "fchmodat",
    "fchown",
    "fchownat",
    "fcntl",
    "fcntl64",
    "fgetxattr",
    "flistxattr",
    "flock",
    "fremovexattr",
    "fsetxattr",
    "fstat",
    "fstat64",
    "fstatat64",
    "fstatfs",
    "fstatfs64",
    "ftruncate",
    "ftruncate64",
    "futimesat",
    "getcwd",
    "getdents",
    "getdents64",
    "getxattr",
    "inotify_add_watch",
    "lchown",
    "lgetxattr",
    "link",
    "linkat",
    "listxattr",
    "llistxattr",
    "lremovexattr",
    "lseek",
    "lsetxattr",
    "lstat",
    "lstat64",
    "memfd_create",
    "mkdir",
    "mkdirat",
    "mknod",
    "mknodat",
    "name_to_handle_at",
    "newfstatat",
    "open",
    "open_by_handle_at",
    "openat",
    "openat2",
    "quotactl",
    "readlink",
    "readlinkat",
    "removexattr",
    "rename",
    "renameat",
    "renameat2",
    "rmdir",
    "setxattr",
    "stat",
    "stat64",
    "statfs",
    "statfs64",
    "statx",
    "symlink",
    "symlinkat",
    "truncate",
    "truncate64",
    "unlink",
    "unlinkat",
    "utime",
    "utimensat",
    "utimes",
    "umask",
];

/// Returns the role of a call.
pub(super) fn role(name: &BStr) -> RegionRole {
    let is_in = |list: &[&str]| list.iter().any(|known| name == known);
    match () {
        () if is_in(&FILE_IO) => RegionRole::FileIo,
        () if is_in(&FILE_IO_METADATA) => RegionRole::FileIoMetadata,
        () => RegionRole::Function,
    }
}

/// Facts of a call, from its line.
pub(super) struct Facts<'a> {
    pub target: Target<'a>,
    /// Bytes that were transferred.
    pub size: Option<u64>,
    pub offset: Option<u64>,
    pub error: Option<&'a [u8]>,
}

/// Returns the offset in the file at which a call reads or writes, or to which it went.
fn offset(line: &[u8], name: &[u8], parts: &Parts) -> Option<u64> {
    match name {
        b"lseek" => match parts.result {
            Returned::Number(number) => u64::try_from(number).ok(),
            _ => None,
        },
        b"pread64" | b"pwrite64" | b"pread" | b"pwrite" | b"preadv" | b"pwritev" => {
            let last = line.get(parts.last.clone())?;
            std::str::from_utf8(without_name(last.trim_ascii())).ok()?.trim().parse().ok()
        }
        _ => None,
    }
}

/// Returns the facts of a call, given its line. `None`: it is no event, since it did not return.
pub(super) fn facts<'a>(
    line: &'a [u8],
    name: &'a [u8],
    parts: &Parts,
    sockets: bool,
) -> Option<Facts<'a>> {
    let (size, error) = match &parts.result {
        Returned::Nothing | Returned::Restarted => return None,
        Returned::Error(range) => (None, Some(&line[range.clone()])),
        Returned::Number(number) => {
            let size = u64::try_from(*number).ok().filter(|_| transfers(name, sockets));
            (size, None)
        }
    };
    let offset = if error.is_none() { offset(line, name, parts) } else { None };
    Some(Facts { target: target(line, name, parts), size, offset, error })
}

/// The file: rules (a) to (f).
fn target<'a>(line: &'a [u8], name: &[u8], parts: &Parts) -> Target<'a> {
    let descriptor = |range: &Range<usize>| Target::Descriptor(&line[range.clone()]);
    let opens = matches!(name, b"open" | b"openat" | b"openat2" | b"creat");
    if let Some(range) = parts.returned.as_ref().filter(|_| opens) {
        return descriptor(range);
    }
    let argument = |number: usize| {
        let range = parts.arguments[number].clone()?;
        Some(without_name(&line[range]))
    };
    let quoted = |text: &'a [u8]| {
        let inside = text.strip_prefix(b"\"")?;
        let end = quote(inside)?;
        Some(&inside[..end])
    };
    let is_at = name.ends_with(b"at") || name.ends_with(b"at2") || name == b"statx";
    if let Some(path) = argument(1).filter(|_| is_at).and_then(quoted) {
        return match (&parts.first, path) {
            (_, path) if is_absolute(path) => Target::Path(path),
            (Some(folder), b"") => descriptor(folder),
            (Some(folder), path) => Target::In(&line[folder.clone()], path),
            (None, path) => Target::Path(path),
        };
    }
    if let Some(range) = &parts.first {
        return descriptor(range);
    }
    if let Some(path) = argument(0).and_then(quoted) {
        return Target::Path(path);
    }
    parts.decoration.as_ref().map_or(Target::None, descriptor)
}

/// Returns the end of the string whose quote is before this text.
fn quote(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// An argument without its name: `pathname: "x"`.
fn without_name(argument: &[u8]) -> &[u8] {
    let is_of_name = |byte: &&u8| byte.is_ascii_lowercase() || **byte == b'_';
    let length = argument.iter().take_while(is_of_name).count();
    match argument[length..].strip_prefix(b": ") {
        Some(rest) if length > 0 => rest,
        _ => argument,
    }
}
