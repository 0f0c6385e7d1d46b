//! Files of an archive from the bytes of one input.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use tempfile::TempDir;

/// Before and behind the name of a part.
const BEGIN: &[u8] = b"\n--- ";
const END: &[u8] = b" ---\n";
const LONGEST_NAME: usize = 32;
/// Chunks are of this size in anchors of seeds, and to the next one of them a file is padded.
const CHUNK: usize = 256 << 10;
/// No padding beyond this, or inputs would become slow.
const PADDED: usize = 8 * CHUNK;

/// An anchor of format 3, little-endian, with chunks of 256 KiB and without properties, in two
/// parts: between them stand the numbers of locations and of global definitions.
const ANCHOR: [&[u8]; 2] = [
    b"\x03\x42OTF2\0\x03\x02\x03\x00\x02\0\0\x04\0\0\0\0\0\0\0\x04\0\0\0\0\0\x01\x01",
    b"\0\0\0\0\0\0\0\x34\x12\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02\x01\0",
];

/// An archive in a folder of its own, removed when this is dropped.
///
/// An input is made of parts: a line `--- NAME ---`, and behind it the bytes of that file, up to the
/// next such line. Names: `t.otf2`, `t.def`, `t.marker`, `0.thumb`, `0.def`, `0.evt`, `0.snap` with
/// any number. A part named `pad` goes on with the file before it, in a new chunk.
pub struct Input {
    folder: TempDir,
    bytes: usize,
}

impl Input {
    /// Writes the files of an input.
    pub fn unpack(input: &[u8]) -> Input {
        Input::write(&parts(input))
    }

    /// An archive of only this anchor.
    pub fn anchor_alone(anchor: &[u8]) -> Input {
        Input::write(&BTreeMap::from([("t.otf2".to_owned(), anchor.to_owned())]))
    }

    fn write(files: &BTreeMap<String, Vec<u8>>) -> Input {
        let folder = tempfile::tempdir().expect("a folder for the input");
        fs::create_dir(folder.path().join("t")).expect("a folder for the input");
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).expect("a file of the input");
        }
        Input { folder, bytes: files.values().map(Vec::len).sum() }
    }

    /// Writes an anchor where the input has none: one that fits to this number of definitions, so
    /// that not every change to them ends at the anchor.
    pub fn complete(&self, definitions: u64) {
        if !self.anchor().exists() {
            let numbers = [0u64.to_le_bytes(), definitions.to_le_bytes()].concat();
            let anchor = [ANCHOR[0], &numbers, ANCHOR[1]].concat();
            fs::write(self.anchor(), anchor).expect("a file of the input");
        }
    }

    /// Path of the anchor, which may not exist.
    pub fn anchor(&self) -> PathBuf {
        self.folder().join("t.otf2")
    }

    /// Folder of all of its files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Bytes of all files together.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

fn parts(input: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut file: Option<String> = None;
    let mut padded = 0;
    for part in input.split_str(BEGIN) {
        let begin = &part[..part.len().min(LONGEST_NAME)];
        let Some(name) = begin.find(END) else { continue };
        let bytes = &part[name + END.len()..];
        let name = &part[..name];
        if name == b"pad" {
            let Some(file) = file.as_ref().and_then(|name| files.get_mut(name)) else { continue };
            let length = file.len().next_multiple_of(CHUNK);
            padded += length - file.len();
            if padded <= PADDED {
                file.resize(length, 0);
            }
            file.extend(bytes);
        } else if let Some(path) = path(name) {
            // The second one of a name replaces the first.
            files.insert(path.clone(), bytes.to_owned());
            file = Some(path);
        }
    }
    files
}

/// Path of a part, below the folder; `None`: it is not written.
fn path(name: &[u8]) -> Option<String> {
    let name = name.to_str().ok()?;
    let (stem, suffix) = name.split_once('.')?;
    if let ("t", "otf2" | "def" | "marker") = (stem, suffix) {
        return Some(name.to_owned());
    }
    let number: u64 = stem.parse().ok()?;
    match suffix {
        "def" | "evt" | "snap" => Some(format!("t/{number}.{suffix}")),
        "thumb" => Some(format!("t.{number}.thumb")),
        _ => None,
    }
}
