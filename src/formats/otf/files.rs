//! Files of a trace of OTF: which names are its own.

use std::ffi::OsStr;

use super::Section;

/// Order of a file among those of a trace: 0 for the master file, 1 for others; `None`: the name is none of the trace's.
pub fn file_order(name: &OsStr, file: &OsStr) -> Option<u8> {
    let rest = file.as_encoded_bytes().strip_prefix(name.as_encoded_bytes())?;
    match rest {
        b".otf" => return Some(0),
        b".thumb" => return Some(1),
        _ => {}
    }
    let rest = rest.strip_prefix(b".")?;
    let rest = rest.strip_suffix(b".z").unwrap_or(rest);
    let point = memchr::memrchr(b'.', rest)?;
    let (number, ending) = (&rest[..point], &rest[point + 1..]);
    // The specification also names `defs`.
    let is_file = ending == b"defs"
        || Section::ALL.iter().any(|section| section.ending().as_bytes() == ending);
    let is_number = (1..=8).contains(&number.len()) && number.iter().all(u8::is_ascii_hexdigit);
    (is_file && is_number).then_some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_trace_are_known_by_their_names() {
        let name = OsStr::new("a.b");
        let own = [
            "a.b.otf",
            "a.b.thumb",
            "a.b.0.def",
            "a.b.1f.events.z",
            "a.b.0.defs",
            "a.b.ffffffff.marker",
        ];
        for file in own {
            assert!(file_order(name, OsStr::new(file)).is_some(), "{file}");
        }
        for file in ["a.b", "a.b.otf2", "a.b.x.events", "a.b.1.txt", "a.0.def", "a.b.1.2.def"] {
            assert!(file_order(name, OsStr::new(file)).is_none(), "{file}");
        }
    }
}
