//! Paths as strace writes them, to bytes: sections 1.4 and 1.6.

/// Text without its escapes.
pub(super) fn unescaped(text: &[u8], to: &mut Vec<u8>) {
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            to.push(byte);
            continue;
        }
        let octal = |byte: &u8| (b'0'..=b'7').contains(byte);
        match rest.next() {
            Some(first) if octal(&first) => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    match rest.next_if(octal) {
                        Some(digit) => value = value * 8 + u32::from(digit - b'0'),
                        None => break,
                    }
                }
                to.push(value as u8);
            }
            Some(b'x') => {
                let mut value = 0;
                for _ in 0..2 {
                    match rest.next_if(u8::is_ascii_hexdigit) {
                        Some(digit) => {
                            value = value * 16 + char::from(digit).to_digit(16).unwrap_or(0);
                        }
                        None => break,
                    }
                }
                to.push(value as u8);
            }
            Some(other) => to.push(match other {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'v' => 0x0b,
                b'f' => 0x0c,
                b'a' => 0x07,
                b'b' => 0x08,
                other => other,
            }),
            None => to.push(b'\\'),
        }
    }
}

/// Tells whether a path begins at the root, in the escapes of `-x`, too.
pub(super) fn is_absolute(path: &[u8]) -> bool {
    path.first() == Some(&b'/') || path.starts_with(br"\x2f") || path.starts_with(br"\57")
}

/// Tells whether the decoration behind a descriptor names a file, rather than a process.
pub(super) fn names_file(decoration: &[u8]) -> bool {
    if is_absolute(decoration) {
        return true;
    }
    if decoration.first() == Some(&b'\\') {
        let mut plain = Vec::new();
        unescaped(decoration, &mut plain);
        return plain.first() != Some(&b'\\') && names_file(&plain);
    }
    let kind = decoration.iter().position(|byte| *byte == b':');
    let Some(kind) = kind else { return false };
    decoration.get(kind + 1) == Some(&b'[')
        || decoration.starts_with(b"anon_inode:")
        || decoration.starts_with(b"pidfd:")
}

/// The file of a decoration, without escapes: without the part of a device, and without the remark that it was removed.
pub(super) fn of_decoration(decoration: &[u8], to: &mut Vec<u8>) {
    if !is_absolute(decoration) {
        return unescaped(decoration, to);
    }
    let device = decoration.iter().position(|byte| *byte == b'<');
    let begin = to.len();
    unescaped(&decoration[..device.unwrap_or(decoration.len())], to);
    for remark in [&b"(deleted)"[..], b" "] {
        let Some(path) = to[begin..].strip_suffix(remark) else { return };
        to.truncate(begin + path.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        let check = |text: &str, expected: &[u8]| {
            let mut bytes = Vec::new();
            unescaped(text.as_bytes(), &mut bytes);
            assert_eq!(bytes, expected, "{text}");
        };
        check(r"a\74b\76\n\\\x41\0", b"a<b>\n\\A\0");
        check(r"\3031", b"\xc31");
        check(r"\1777\", b"\x7f7\\");
        let file = |text: &str| {
            let mut bytes = Vec::new();
            of_decoration(text.as_bytes(), &mut bytes);
            String::from_utf8(bytes).expect("text")
        };
        assert_eq!(file("/dev/pts/7<char 136:7>"), "/dev/pts/7");
        assert_eq!(file("/d/gone (deleted)"), "/d/gone");
        assert_eq!(file("/d/gone(deleted)"), "/d/gone");
        assert_eq!(file(r"\x2f\x64\x20\x28\x64\x65\x6c\x65\x74\x65\x64\x29"), "/d");
        assert_eq!(file("pipe:[1]"), "pipe:[1]");
        assert!(names_file(br"\x2f\x64") && names_file(br"\x70\x69\x70\x65\x3a\x5b\x31\x5d"));
        assert!(!names_file(br"\x73\x68") && !names_file(br"\x5c\x5c"));
        assert!(names_file(b"pipe:[1]") && names_file(b"anon_inode:inotify") && names_file(b"/x"));
        assert!(!names_file(b"sh") && !names_file(b"a:b"));
    }
}
