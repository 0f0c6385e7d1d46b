//! A call as an event, section 1.6.

use bstr::BStr;
use streamfold_model::enums::{IoOperationMode, RegionRole};
use streamfold_model::system_calls::{self, Class, SystemCall};

use super::lines::{Parts, Returned, Span};
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
    /// The other one, where bytes go from file to file.
    pub second: Target<'a>,
    /// Set if it is about the file of a descriptor, and nothing says which that is.
    pub is_unknown: bool,
    /// Bytes that were transferred, where the call transfers any.
    pub size: Option<u64>,
    /// The way in which the call transfers bytes, if it does.
    pub transfer: Option<Class>,
    /// The offset in the file at which it read or wrote, or to which it went, if the line has it.
    pub offset: Option<u64>,
    /// The error with which it failed.
    pub error: Option<&'a [u8]>,
    /// The table that holds its name and target, and their number there, if they are in one.
    pub(super) kind: Option<(u64, u32)>,
}

/// The name of files of which nothing is known but that they have a descriptor.
const UNKNOWN: &[u8] = b"(unknown file)";

impl Call<'_> {
    /// The path of the file, or what else names it. `None`: it is about none.
    pub(super) fn path(&self) -> Option<Vec<u8>> {
        let is_unknown = self.is_unknown || self.size.is_some();
        self.target.to_path().or_else(|| is_unknown.then(|| UNKNOWN.to_vec()))
    }

    /// The number of files from or to which bytes went.
    pub(super) fn transferred(&self) -> u64 {
        match (self.transfer, self.size) {
            (Some(Class::Copy { .. }), Some(_)) => 2,
            (Some(_), Some(_)) => 1,
            _ => 0,
        }
    }

    /// Hands out each file from or to which bytes went, and which of both it was.
    pub(super) fn transfers(&self, mut receive: impl FnMut(IoOperationMode, Vec<u8>)) {
        let (Some(class), Some(_)) = (self.transfer, self.size) else { return };
        let path = self.path().unwrap_or_default();
        match class {
            Class::Copy { from, .. } => {
                let second = self.second.to_path().unwrap_or_else(|| UNKNOWN.to_vec());
                let (from, to) = if from == 0 { (path, second) } else { (second, path) };
                receive(IoOperationMode::Write, to);
                receive(IoOperationMode::Read, from);
            }
            Class::Read | Class::Receive => receive(IoOperationMode::Read, path),
            _ => receive(IoOperationMode::Write, path),
        }
    }
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

/// The class of a call whose result is a number of bytes that went between memory and a file, or between files.
pub(super) fn transfer(call: Option<SystemCall>, sockets: bool) -> Option<Class> {
    let class = call?.class;
    let is_one = match class {
        Class::Read | Class::Write | Class::Copy { .. } => true,
        Class::Receive | Class::Send => sockets,
        _ => false,
    };
    is_one.then_some(class)
}

/// Returns the role of a call.
pub(super) fn role(name: &BStr) -> RegionRole {
    match system_calls::find(name).map(|call| call.class).filter(|class| class.is_of_files()) {
        Some(class) if class.is_data() => RegionRole::FileIo,
        Some(_) => RegionRole::FileIoMetadata,
        None => RegionRole::Function,
    }
}

/// A target by its places in the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TargetAt {
    #[default]
    None,
    Descriptor(Span),
    Path(Span),
    In(Span, Span),
}

impl TargetAt {
    pub(super) fn of(self, line: &[u8]) -> Target<'_> {
        match self {
            TargetAt::None => Target::None,
            TargetAt::Descriptor(span) => Target::Descriptor(span.of(line)),
            TargetAt::Path(span) => Target::Path(span.of(line)),
            TargetAt::In(folder, span) => Target::In(folder.of(line), span.of(line)),
        }
    }
}

/// Facts that the name and the arguments of a call say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct About {
    /// The system call, if it is about files or descriptors.
    pub call: Option<SystemCall>,
    pub target: TargetAt,
    offset: Option<u64>,
}

impl About {
    pub(super) fn new(line: &[u8], name: &[u8], parts: &Parts) -> Self {
        let is_error = matches!(parts.result, Returned::Error(_));
        let offset = if is_error { None } else { offset(line, name, parts) };
        About { call: system_calls::find(name), target: target(line, name, parts), offset }
    }
}

/// Facts of a call, from its line.
pub(super) struct Facts<'a> {
    pub target: Target<'a>,
    pub second: Target<'a>,
    /// Bytes that were transferred.
    pub size: Option<u64>,
    pub transfer: Option<Class>,
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
            let last = parts.last.of(line);
            std::str::from_utf8(without_name(last.trim_ascii())).ok()?.trim().parse().ok()
        }
        _ => None,
    }
}

/// Returns the facts of a call, given its line. `None`: it is no event, since it did not return.
pub(super) fn facts<'a>(
    line: &'a [u8],
    parts: &Parts,
    about: &About,
    transfer: Option<Class>,
) -> Option<Facts<'a>> {
    let mut second = Target::None;
    let (size, error) = match &parts.result {
        Returned::Nothing | Returned::Restarted => return None,
        Returned::Error(span) => (None, Some(span.of(line))),
        Returned::Number(number) => {
            if let Some(Class::Copy { from, to }) = transfer {
                let place = parts.decorations.get(usize::from(from.max(to))).copied().flatten();
                second = place.map_or(Target::None, |span| Target::Descriptor(span.of(line)));
            }
            let size = u64::try_from(*number).ok().filter(|_| transfer.is_some());
            (size, None)
        }
    };
    let About { target, offset, .. } = *about;
    Some(Facts { target: target.of(line), second, size, transfer, offset, error })
}

/// The file: rules (a) to (f).
fn target(line: &[u8], name: &[u8], parts: &Parts) -> TargetAt {
    let opens = matches!(name, b"open" | b"openat" | b"openat2" | b"creat");
    if let Some(span) = parts.returned.filter(|_| opens) {
        return TargetAt::Descriptor(span);
    }
    let path = |number: usize| {
        let argument = parts.arguments[number]?;
        let text = argument.of(line);
        let plain = without_name(text);
        let path = quoted(plain)?;
        Some(argument.part(text.len() - plain.len() + 1, path.len()))
    };
    let is_at = name.ends_with(b"at") || name.ends_with(b"at2") || name == b"statx";
    if let Some(span) = is_at.then(|| path(1)).flatten() {
        return match (parts.decorations[0], span.of(line)) {
            (_, path) if is_absolute(path) => TargetAt::Path(span),
            (Some(folder), b"") => TargetAt::Descriptor(folder),
            (Some(folder), _) => TargetAt::In(folder, span),
            (None, _) => TargetAt::Path(span),
        };
    }
    if let Some(span) = parts.decorations[0] {
        return TargetAt::Descriptor(span);
    }
    if let Some(span) = path(0) {
        return TargetAt::Path(span);
    }
    parts.decoration.map_or(TargetAt::None, TargetAt::Descriptor)
}

/// The text of an argument in quotes.
pub(super) fn quoted(argument: &[u8]) -> Option<&[u8]> {
    let inside = argument.strip_prefix(b"\"")?;
    let end = quote(inside)?;
    Some(&inside[..end])
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
pub(super) fn without_name(argument: &[u8]) -> &[u8] {
    let is_of_name = |byte: &&u8| byte.is_ascii_lowercase() || **byte == b'_';
    let length = argument.iter().take_while(is_of_name).count();
    match argument[length..].strip_prefix(b": ") {
        Some(rest) if length > 0 => rest,
        _ => argument,
    }
}
