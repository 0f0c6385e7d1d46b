//! A call in one line, from its name to its duration: sections 1.4 and 1.5.

use std::num::NonZeroU32;
use std::ops::Range;

use memchr::memchr2;

use crate::text::digits;

/// A range of bytes of a line, behind its first one. Lines are shorter than 4 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    begin: NonZeroU32,
    end: u32,
}

impl Default for Span {
    fn default() -> Self {
        Span::new(1..1)
    }
}

impl Span {
    fn new(range: Range<usize>) -> Self {
        let begin = NonZeroU32::new(range.start as u32).unwrap_or(NonZeroU32::MIN);
        Span { begin, end: range.end as u32 }
    }

    /// A part of it: its first byte, and how many there are.
    pub(super) fn part(self, from: usize, length: usize) -> Self {
        let begin = self.begin.get() as usize + from;
        Span::new(begin..begin + length)
    }

    /// The bytes of the line.
    pub(super) fn of(self, line: &[u8]) -> &[u8] {
        line.get(self.begin.get() as usize..self.end as usize).unwrap_or_default()
    }
}

/// A call whose line was read to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// The first arguments.
    pub arguments: [Option<Span>; 3],
    /// The last argument.
    pub last: Span,
    /// The first decoration of a descriptor that names a file, wherever it is.
    pub decoration: Option<Span>,
    /// Decorations of the first arguments.
    pub decorations: [Option<Span>; 3],
    pub result: Returned,
    /// That of the result.
    pub returned: Option<Span>,
    /// How long the call took, in nanoseconds.
    pub duration: Option<i64>,
}

/// Return value of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Returned {
    /// Nothing: `?`.
    #[default]
    Nothing,
    /// The kernel repeats the call: ERESTARTSYS and its like.
    Restarted,
    /// A number.
    Number(i64),
    /// An error by its name.
    Error(Span),
}

/// How the line of a call ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Scanned {
    /// With a result.
    #[default]
    Whole,
    /// The call goes on in another line; its head ends here.
    Unfinished(usize),
    /// strace left the process.
    Detached,
    /// The process has another number from here on.
    PidChanged,
    /// A message of strace about a process that it follows cut it, here.
    Attached(usize),
    /// It is no call: why not.
    Broken(&'static str),
}

/// The end of a name of a call, where the parenthesis is.
pub(super) fn name_end(line: &[u8], begin: usize) -> Option<usize> {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'?';
    let end = begin + line.get(begin..)?.iter().take_while(|byte| is_of_name(byte)).count();
    let starts = line.get(begin).is_some_and(|byte| !byte.is_ascii_digit());
    (end > begin && starts && line.get(end) == Some(&b'(')).then_some(end)
}

const UNFINISHED: &[u8] = b"<unfinished ...>";
const DETACHED: &[u8] = b"<detached ...>";

/// Returns the marker at the end of the line, if the call goes on elsewhere.
fn marker(line: &[u8], at: usize) -> Option<Scanned> {
    let rest = &line[at..];
    if rest == UNFINISHED {
        let head = line[..at].strip_suffix(b" ").unwrap_or(&line[..at]);
        return Some(Scanned::Unfinished(head.len()));
    }
    if rest == DETACHED {
        return Some(Scanned::Detached);
    }
    let changed = rest.strip_prefix(b"<pid changed to ")?.strip_suffix(b" ...>")?;
    let is_number = !changed.is_empty() && changed.iter().all(u8::is_ascii_digit);
    is_number.then_some(Scanned::PidChanged)
}

/// Bytes that mean something between arguments.
const MEANS: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"\"<(){}[],/sP";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};

/// Reads a call whose opening parenthesis is at this place. If all of it is there, it is in `parts`, which are empty.
pub(super) fn scan(line: &[u8], open: usize, parts: &mut Parts) -> Scanned {
    if u32::try_from(line.len()).is_err() {
        return Scanned::Broken("the call is too long");
    }
    let (mut at, mut depth) = (open + 1, 0u32);
    let (mut argument, mut begin) = (0, at);
    loop {
        while line.get(at).is_some_and(|byte| !MEANS[usize::from(*byte)]) {
            at += 1;
        }
        let Some(byte) = line.get(at) else {
            return Scanned::Broken("the line ends before the call");
        };
        match byte {
            b'"' => match string(line, at) {
                Some(end) => at = end,
                None => return Scanned::Broken("the line ends within a string"),
            },
            b'<' => {
                if let Some(ended) = marker(line, at) {
                    return ended;
                }
                let Some(inside) = decoration(line, open, at) else {
                    at += 1;
                    continue;
                };
                at = inside.end + 1;
                if super::path::names_file(&line[inside.clone()]) {
                    if let Some(of) = parts.decorations.get_mut(argument) {
                        of.get_or_insert(Span::new(inside.clone()));
                    }
                    parts.decoration.get_or_insert(Span::new(inside));
                }
            }
            b'(' | b'[' | b'{' => {
                depth += 1;
                at += 1;
            }
            b')' if depth == 0 => {
                parts.last = Span::new(begin..at);
                if let Some(of) = parts.arguments.get_mut(argument) {
                    *of = Some(Span::new(trimmed(line, begin..at)));
                }
                return result(line, at + 1, parts);
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            b',' if depth == 0 => {
                if let Some(of) = parts.arguments.get_mut(argument) {
                    *of = Some(Span::new(trimmed(line, begin..at)));
                }
                argument += 1;
                at += 1;
                begin = at;
            }
            b'/' if line.get(at + 1) == Some(&b'*') => {
                match line[at + 2..].windows(2).position(|pair| pair == b"*/") {
                    Some(end) => at += end + 4,
                    None => return Scanned::Broken("the line ends within a comment"),
                }
            }
            b's' | b'P' if is_attached(&line[at..]) => return Scanned::Attached(at),
            _ => at += 1,
        }
    }
}

/// `strace: Process 75 attached` at the end of the line; `Process 75 attached` before strace 4.11.
pub(super) fn attached(text: &[u8]) -> Option<u64> {
    let text = text.strip_suffix(b" (waiting for parent)").unwrap_or(text);
    let rest = text.strip_prefix(b"strace: ").unwrap_or(text).strip_prefix(b"Process ")?;
    let pid = rest.strip_suffix(b" attached")?;
    std::str::from_utf8(pid).ok()?.parse().ok()
}

fn is_attached(text: &[u8]) -> bool {
    (text.starts_with(b"strace: ") || text.starts_with(b"Process ")) && attached(text).is_some()
}

/// Tells whether a line is a message of strace before 4.11, which does not name itself: `Process 75 detached`.
pub(super) fn is_old_message(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"Process ") else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let words: [&[u8]; 5] =
        [b" attached", b" detached", b" suspended", b" resumed", b" interrupted"];
    digits > 0 && words.iter().any(|word| rest[digits..].starts_with(word))
}

fn trimmed(line: &[u8], range: Range<usize>) -> Range<usize> {
    let text = &line[range.clone()];
    let front = text.iter().take_while(|byte| **byte == b' ').count();
    let back = text[front..].iter().rev().take_while(|byte| **byte == b' ').count();
    range.start + front..range.end - back
}

/// The end of a string that begins at a place: behind its quote, and behind the dots that say that it was cut.
fn string(line: &[u8], begin: usize) -> Option<usize> {
    /// Bytes of strings as most are.
    const SHORT: usize = 32;
    let mut at = begin + 1;
    loop {
        match line.get(at)? {
            b'"' => break,
            b'\\' => at += 2,
            _ if at - begin < SHORT => at += 1,
            _ => at += memchr2(b'"', b'\\', &line[at..])?,
        }
    }
    at += 1;
    Some(if line.get(at..at + 3) == Some(b"...") { at + 3 } else { at })
}

/// Returns the text between `<` at a place and its `>`, if that decorates a descriptor.
fn decoration(line: &[u8], open: usize, at: usize) -> Option<Range<usize>> {
    let before = line.get(open..at)?;
    let is_behind = before.last().is_some_and(u8::is_ascii_digit) || before.ends_with(b"AT_FDCWD");
    if !is_behind || line.get(at + 1) == Some(&b'<') {
        return None;
    }
    let begin = at + 1;
    let mut nested = 0u32;
    if line.get(begin) == Some(&b'/') {
        let mut at = begin;
        loop {
            at += memchr2(b'<', b'>', &line[at..])?;
            match line[at] {
                b'<' => nested += 1,
                _ if nested == 0 => return Some(begin..at),
                _ => nested -= 1,
            }
            at += 1;
        }
    }
    let mut place = begin;
    loop {
        match line.get(place)? {
            b'"' => {
                place = string(line, place)?;
                continue;
            }
            b'[' => nested += 1,
            b']' => nested = nested.saturating_sub(1),
            b'>' if nested == 0 && line[place - 1] != b'-' => return Some(begin..place),
            _ => {}
        }
        place += 1;
    }
}

/// Reads the text behind the arguments: ` = 3</path> <0.000010>`.
fn result(line: &[u8], at: usize, parts: &mut Parts) -> Scanned {
    let text = &line[at..];
    let blanks = text.iter().take_while(|byte| **byte == b' ').count();
    let Some(rest) = text[blanks..].strip_prefix(b"= ") else {
        return Scanned::Broken("there is no result behind the arguments");
    };
    let begin = line.len() - rest.len();
    let (duration, end) = duration(line, begin);
    parts.duration = duration;
    let value = &line[begin..end];
    let number_end = value.iter().position(|byte| matches!(byte, b' ' | b'<'));
    let number_end = number_end.unwrap_or(value.len());
    let number = &value[..number_end];
    parts.result = if number == b"?" {
        match value.strip_prefix(b"? ").is_some_and(|why| why.starts_with(b"ERESTART")) {
            true => Returned::Restarted,
            false => Returned::Nothing,
        }
    } else {
        let Some(number) = integer(number) else {
            return Scanned::Broken("the result is no number");
        };
        let error = value.strip_prefix(b"-1 ").filter(|error| error.first() == Some(&b'E'));
        match error {
            Some(error) => {
                let length = error.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
                let at = begin + 3;
                match error.starts_with(b"ERESTART") {
                    true => Returned::Restarted,
                    false => Returned::Error(Span::new(at..at + length)),
                }
            }
            None => Returned::Number(number),
        }
    };
    if value.get(number_end) == Some(&b'<') {
        let inside = decoration(&line[..end], begin, begin + number_end);
        let inside = inside.filter(|range| super::path::names_file(&line[range.clone()]));
        parts.returned = inside.map(Span::new);
    }
    Scanned::Whole
}

fn integer(text: &[u8]) -> Option<i64> {
    // Most numbers have no sign. Large ones are bits.
    if let (Some((number, [])), false) = (digits(text), text.is_empty()) {
        return Some(number as i64);
    }
    let text = std::str::from_utf8(text).ok()?;
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(|bits| bits as i64);
    }
    text.parse::<i64>().ok()
}

/// The duration at the end of a line, and where what is before it ends.
fn duration(line: &[u8], begin: usize) -> (Option<i64>, usize) {
    let none = (None, line.len());
    let Some(inside) = line[begin..].strip_suffix(b">") else { return none };
    let Some(open) = inside.iter().rposition(|byte| *byte == b'<') else { return none };
    let digits = &inside[open + 1..];
    if open == 0 || inside[open - 1] != b' ' {
        return none;
    }
    match nanoseconds(digits) {
        Some(duration) => (Some(duration), begin + open - 1),
        None => none,
    }
}

/// `0.000010`
fn nanoseconds(text: &[u8]) -> Option<i64> {
    // Most durations have seconds of one digit, and six decimals.
    if let [second @ b'0'..=b'9', b'.', decimals @ ..] = text {
        if let (6, Some((microseconds, []))) = (decimals.len(), digits(decimals)) {
            return Some(i64::from(second - b'0') * 1_000_000_000 + microseconds as i64 * 1000);
        }
    }
    let mut number = 0i64;
    let mut decimals = None;
    for byte in text {
        match byte {
            b'0'..=b'9' => {
                number = number.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
                decimals = decimals.map(|count: u32| count + 1);
            }
            b'.' if decimals.is_none() && number >= 0 => decimals = Some(0),
            _ => return None,
        }
    }
    let decimals = decimals.unwrap_or(0);
    if text.is_empty() || decimals > 9 {
        return None;
    }
    number.checked_mul(10i64.pow(9 - decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(line: &str) -> Parts {
        let open = name_end(line.as_bytes(), 0).expect("a name");
        let mut parts = Parts::default();
        match scan(line.as_bytes(), open, &mut parts) {
            Scanned::Whole => parts,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn text(line: &str, span: Option<Span>) -> String {
        let of = |span: Span| String::from_utf8_lossy(span.of(line.as_bytes())).into_owned();
        span.map(of).unwrap_or_default()
    }

    #[test]
    fn results() {
        let check = |line: &str, result: Returned, duration: Option<i64>| {
            let parts = whole(line);
            assert_eq!((parts.result, parts.duration), (result, duration), "{line}");
        };
        check("read(3, \"\", 1) = 832 <0.000010>", Returned::Number(832), Some(10_000));
        check(
            "read(3</d/paren) = 3>, \"x) = 5 <0.1>\"..., 9)     = 9 <1.5>",
            Returned::Number(9),
            Some(1_500_000_000),
        );
        check(
            "mmap(NULL) = 0x7f41cf2ec000 <0.1>",
            Returned::Number(0x7f41_cf2e_c000),
            Some(100_000_000),
        );
        check("exit_group(0)           = ?", Returned::Nothing, None);
        check("read(6<pipe:[1]>,  <unfinished ...>) = ?", Returned::Nothing, None);
        check("futex(1) = ? <unavailable>", Returned::Nothing, None);
        check(
            "read(3) = ? ERESTARTSYS (To be restarted) <0.03>",
            Returned::Restarted,
            Some(30_000_000),
        );
        check(
            "wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 76",
            Returned::Number(76),
            None,
        );
        check("umask(022) = 022", Returned::Number(22), None);
        check(
            "poll([{fd=6}]) = 1 ([{fd=6, revents=POLLIN}]) <0.1>",
            Returned::Number(1),
            Some(100_000_000),
        );
        check(
            "restart_syscall(<... resuming interrupted read ...>) = 0 <2>",
            Returned::Number(0),
            Some(2_000_000_000),
        );
        check(
            "stat(\"x\", {st_rdev=makedev(0x88, 0x1), st_mtime=1 /* 2019-08-20T1:2) */}) = 0",
            Returned::Number(0),
            None,
        );
        check("x(1<<CAP_CHOWN|1<<CAP_KILL) = 0", Returned::Number(0), None);
        check(
            "write(10<UNIX-STREAM:[11->12, \"/run/s>ock\"]>, \"u\", 1) = 1",
            Returned::Number(1),
            None,
        );
        check("write(9<TCP:[10.0.0.1:42->10.0.0.2:80]>, \"G\", 3) = 3", Returned::Number(3), None);
        let line = "openat(AT_FDCWD</d>, \"x\") = -1 ENOENT (No such file or directory) <0.1>";
        let Returned::Error(error) = whole(line).result else { panic!("{line}") };
        assert_eq!(error.of(line.as_bytes()), b"ENOENT");
    }

    #[test]
    fn parts() {
        let line = "openat(AT_FDCWD</a,b>, \"in)\", O_RDONLY) = 3</data/in.dat>(deleted) <0.1>";
        let parts = whole(line);
        assert_eq!(text(line, parts.arguments[1]), "\"in)\"");
        assert_eq!(text(line, parts.decorations[0]), "/a,b");
        assert_eq!(text(line, parts.returned), "/data/in.dat");
        let line = "kill(77<sh>, SIGTERM) = 0";
        assert_eq!(whole(line).decoration, None);
        let line = "write(1</dev/pts/7<char 136:7>>, \"hi\\n\", 3) = 3 <0.000009>";
        assert_eq!(text(line, whole(line).decorations[0]), "/dev/pts/7<char 136:7>");
    }

    #[test]
    fn other_ends() {
        let scanned = |line: &str| {
            scan(
                line.as_bytes(),
                name_end(line.as_bytes(), 0).expect("a name"),
                &mut Parts::default(),
            )
        };
        assert_eq!(scanned("read(3</d>,  <unfinished ...>"), Scanned::Unfinished(12));
        assert_eq!(scanned("pause( <detached ...>"), Scanned::Detached);
        assert_eq!(
            scanned("execve(\"/x\", [\"x\"], NULL <pid changed to 4711 ...>"),
            Scanned::PidChanged
        );
        assert_eq!(scanned("clone(x=1strace: Process 9 attached"), Scanned::Attached(9));
        for line in [
            "read(3, \"x",
            "read(3",
            "read(3)",
            "read(3) = x",
            "read(3) =",
            "read(3 /* x",
            "read(3<",
        ] {
            assert!(matches!(scanned(line), Scanned::Broken(_)), "{line}");
        }
        assert_eq!(name_end(b"12(", 0), None);
        assert_eq!(name_end(b"syscall_0x1b7(", 0), Some(13));
    }
}
