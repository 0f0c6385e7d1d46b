//! The files of an archive as they lie on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What an archive consists of, each file under its name without that of the archive: `.otf2`,
/// `.def`, `/0.evt`, `.0.thumb`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files(pub BTreeMap<String, Vec<u8>>);

impl Files {
    /// Those of the archive with its anchor at this path. What else lies there is none of it.
    pub fn read(anchor: &Path) -> Files {
        let folder = anchor.parent().expect("an anchor is in a folder");
        let archive = anchor.file_stem().expect("a name").to_str().expect("a name that is text");
        let mut files = BTreeMap::new();
        for (name, bytes) in in_folder(folder) {
            match name.strip_prefix(archive) {
                Some(rest) if belongs(rest) => drop(files.insert(rest.to_owned(), bytes)),
                _ => {}
            }
        }
        for (name, bytes) in in_folder(&folder.join(archive)) {
            files.insert(format!("/{name}"), bytes);
        }
        Files(files)
    }

    /// One of them.
    pub fn get(&self, name: &str) -> &[u8] {
        self.0.get(name).unwrap_or_else(|| panic!("{name} is not there"))
    }

    /// Fails where both are not the same, byte by byte.
    #[track_caller]
    pub fn assert_same(&self, expected: &Files, what: &str) {
        let names = |files: &Files| files.0.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(self), names(expected), "{what}: files");
        for ((name, found), expected) in self.0.iter().zip(expected.0.values()) {
            assert_same_bytes(found, expected, &format!("{what}, {name}"));
        }
    }
}

/// Fails where both are not the same, and says where they begin to differ.
#[track_caller]
pub fn assert_same_bytes(found: &[u8], expected: &[u8], what: &str) {
    if found == expected {
        return;
    }
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    let at = differs.unwrap_or(found.len().min(expected.len()));
    let near = |bytes: &[u8]| bytes[at.saturating_sub(8)..bytes.len().min(at + 24)].to_vec();
    panic!(
        "{what}: {} bytes, {} expected, which differ from byte {at} on; around there\n{:x?}\n{:x?}",
        found.len(),
        expected.len(),
        near(found),
        near(expected)
    );
}

/// The names in a folder, in order; none where there is no folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = entries.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
}

fn in_folder(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = names(folder).into_iter().filter(|name| folder.join(name).is_file());
    files.map(|name| (name.clone(), fs::read(folder.join(name)).expect("a file"))).collect()
}

fn belongs(rest: &str) -> bool {
    matches!(rest, ".otf2" | ".def" | ".marker") || rest.ends_with(".thumb")
}
