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

/// Tells whether the decoration behind a descriptor names a file, rather than a process.
pub(super) fn names_file(decoration: &[u8]) -> bool {
    if decoration.first() == Some(&b'/') {
        return true;
    }
    let kind = decoration.iter().position(|byte| *byte == b':');
    let Some(kind) = kind else { return false };
    decoration.get(kind + 1) == Some(&b'[')
        || decoration.starts_with(b"anon_inode:")
        || decoration.starts_with(b"pidfd:")
}

/// The file of a decoration: without the part of a device, and without the remark that it was removed.
pub(super) fn of_decoration(decoration: &[u8]) -> &[u8] {
    if decoration.first() != Some(&b'/') {
        return decoration;
    }
    let device = decoration.iter().position(|byte| *byte == b'<');
    let path = &decoration[..device.unwrap_or(decoration.len())];
    path.strip_suffix(b" (deleted)").or_else(|| path.strip_suffix(b"(deleted)")).unwrap_or(path)
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
        assert_eq!(of_decoration(b"/dev/pts/7<char 136:7>"), b"/dev/pts/7");
        assert_eq!(of_decoration(b"/d/gone (deleted)"), b"/d/gone");
        assert!(names_file(b"pipe:[1]") && names_file(b"anon_inode:inotify") && names_file(b"/x"));
        assert!(!names_file(b"sh") && !names_file(b"a:b"));
    }
}
