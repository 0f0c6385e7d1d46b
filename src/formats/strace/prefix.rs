//! The text in front of a call: process and time, section 1.2.

use crate::text;

/// Process identifiers are not greater than this: a greater number is a time.
const MOST_PROCESSES: u64 = 4_194_304;

const SECOND: i64 = 1_000_000_000;

/// The time of a line, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    /// Since midnight.
    Clock(i64),
    /// Since 1970.
    Epoch(i64),
    /// Since the line before.
    Relative(i64),
}

/// Process and time in front of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prefix {
    pub pid: Option<u64>,
    /// Set if the process stands in brackets, as on the terminal.
    pub in_brackets: bool,
    pub stamp: Option<Stamp>,
    /// The start of the rest of the line.
    pub rest: usize,
}

/// Reads it.
pub(super) fn prefix(line: &[u8]) -> Prefix {
    let mut prefix = Prefix::default();
    let mut at = 0;
    if let Some((pid, next)) = bracketed(line) {
        prefix.pid = Some(pid);
        prefix.in_brackets = true;
        at = next;
    } else if let Some((pid, next)) = column(line) {
        prefix.pid = Some(pid);
        at = next;
    }
    let (stamp, next) = stamp(line, at);
    prefix.stamp = stamp;
    at = next;
    // The number of the call, and where in the program it stands.
    while let Some(next) = field(line, at) {
        at = next;
    }
    prefix.rest = at;
    prefix
}

fn blanks(line: &[u8], mut at: usize) -> usize {
    while line.get(at) == Some(&b' ') {
        at += 1;
    }
    at
}

/// A number, and the place behind its digits. No digit, or too large a number, is 0 at the place itself.
fn digits(line: &[u8], begin: usize) -> (u64, usize) {
    let text = line.get(begin..).unwrap_or_default();
    text::digits(text).map_or((0, begin), |(number, rest)| (number, line.len() - rest.len()))
}

/// The name of the program behind a process: `<name>`, with blanks and escapes.
fn comm(line: &[u8], at: usize) -> Option<usize> {
    match line.get(at) {
        Some(b'<') => line[at..].iter().position(|byte| *byte == b'>').map(|end| at + end + 1),
        _ => Some(at),
    }
}

/// `[pid    77<sh>] `
fn bracketed(line: &[u8]) -> Option<(u64, usize)> {
    let begin = blanks(line, line.strip_prefix(b"[pid ").map(|_| 5)?);
    let (pid, end) = digits(line, begin);
    let end = comm(line, end)?;
    let is_closed = end > begin && line.get(end) == Some(&b']');
    is_closed.then(|| (pid, blanks(line, end + 1)))
}

/// `77    `, `20715<python3> `
fn column(line: &[u8]) -> Option<(u64, usize)> {
    let (pid, end) = digits(line, 0);
    if end == 0 || pid > MOST_PROCESSES {
        return None;
    }
    let end = comm(line, end)?;
    (line.get(end) == Some(&b' ')).then(|| (pid, blanks(line, end)))
}

/// A number with up to nine decimals, as nanoseconds.
fn seconds(line: &[u8], begin: usize) -> Option<(u64, i64, usize)> {
    let (whole, mut at) = digits(line, begin);
    if at == begin {
        return None;
    }
    let mut fraction = 0;
    if line.get(at) == Some(&b'.') {
        let (number, end) = digits(line, at + 1);
        let count = (end - at - 1) as u32;
        if !(1..=9).contains(&count) {
            return None;
        }
        fraction = number as i64 * 10i64.pow(9 - count);
        at = end;
    }
    Some((whole, fraction, at))
}

fn stamp(line: &[u8], begin: usize) -> (Option<Stamp>, usize) {
    let at = blanks(line, begin);
    if line.get(at) == Some(&b'(') && line.get(at + 1) == Some(&b'+') {
        return (None, begin);
    }
    let Some((whole, fraction, end)) = seconds(line, at) else { return (None, begin) };
    let (stamp, end) = match line.get(end) {
        Some(b':') => match clock(line, whole, end) {
            Some(found) => found,
            None => return (None, begin),
        },
        Some(b' ') | None => {
            let whole = i64::try_from(whole).ok().and_then(|whole| whole.checked_mul(SECOND));
            let Some(time) = whole.and_then(|whole| whole.checked_add(fraction)) else {
                return (None, begin);
            };
            let is_epoch = time / SECOND > MOST_PROCESSES as i64;
            (if is_epoch { Stamp::Epoch(time) } else { Stamp::Relative(time) }, end)
        }
        _ => return (None, begin),
    };
    // With -t and -r there are both: `(+     0.001784) `.
    let mut at = blanks(line, end);
    if line.get(at..at + 2) == Some(b"(+") {
        if let Some((.., end)) = seconds(line, blanks(line, at + 2)) {
            if line.get(end) == Some(&b')') {
                at = blanks(line, end + 1);
            }
        }
    }
    (Some(stamp), at)
}

/// `23:59:59.999999`, given the hour and where the first colon is.
fn clock(line: &[u8], hour: u64, colon: usize) -> Option<(Stamp, usize)> {
    let (minute, end) = digits(line, colon + 1);
    if end == colon + 1 || line.get(end) != Some(&b':') {
        return None;
    }
    let (second, fraction, end) = seconds(line, end + 1)?;
    // A leap second is second 60.
    let is_time = hour < 24 && minute < 60 && second <= 60;
    let ends = line.get(end).is_none_or(|byte| *byte == b' ');
    let whole = || (hour * 3600 + minute * 60 + second) as i64 * SECOND;
    (is_time && ends).then(|| (Stamp::Clock(whole() + fraction), end))
}

/// `[ 231] `, `[00007f41cf2ec000] `, `[????????????????] `
fn field(line: &[u8], at: usize) -> Option<usize> {
    let inside = line.get(at..)?.strip_prefix(b"[")?;
    let end = inside.iter().position(|byte| *byte == b']')?;
    let is_field = end > 0
        && inside[..end].iter().all(|b| b.is_ascii_hexdigit() || *b == b' ' || *b == b'?')
        && inside.get(end + 1) == Some(&b' ');
    is_field.then(|| blanks(line, at + end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, pid: Option<u64>, stamp: Option<Stamp>, rest: &str) {
        let found = prefix(line.as_bytes());
        assert_eq!((found.pid, found.stamp), (pid, stamp), "{line}");
        assert_eq!(&line[found.rest..], rest, "{line}");
    }

    #[test]
    fn forms() {
        let clock = Some(Stamp::Clock(86_399_900_000_000));
        check("77    23:59:59.900000 read(3)", Some(77), clock, "read(3)");
        check("[pid    77] 23:59:59.9 read(3)", Some(77), clock, "read(3)");
        check("[pid 77<my sh>] 23:59:59.9 x(", Some(77), clock, "x(");
        check(
            "20715<py 3> 1700000000.5 x(",
            Some(20715),
            Some(Stamp::Epoch(1_700_000_000_500_000_000)),
            "x(",
        );
        check("1700000000 read(", None, Some(Stamp::Epoch(1_700_000_000_000_000_000)), "read(");
        check("     0.001784 x(", None, Some(Stamp::Relative(1_784_000)), "x(");
        check("77      0.001784 x(", Some(77), Some(Stamp::Relative(1_784_000)), "x(");
        check("23:59:59.9 (+     0.001784) x(", None, clock, "x(");
        check("23:59:59.9 [ 231] [00007f41cf2ec000] x(", None, clock, "x(");
        check("23:59:59.9 [????????????????] x(", None, clock, "x(");
        check("77 read(3)", Some(77), None, "read(3)");
        check("77 [00007f59f8d8aad7] read(3)", Some(77), None, "read(3)");
        check("[ 231] [????????????????] +++ exited", None, None, "+++ exited");
        check("[pid 77] [  0] read(3)", Some(77), None, "read(3)");
        let long = "18446744073709551615:59:59 x(";
        check(long, None, None, long);
        check("read(3)", None, None, "read(3)");
        check("+++ exited with 0 +++", None, None, "+++ exited with 0 +++");
        check(" > /lib/x.so [0x1]", None, None, " > /lib/x.so [0x1]");
    }
}
