//! Traces of OTF, version 1, that are written: the files are those of the reference tools, whatever they were made of.

mod convert;
mod merge;
mod refusals;
mod same_bytes;
mod samples;
mod shrink;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::{Decompress, FlushDecompress};
use serde_json::Value;

use crate::common::archives::traces_folder;
use crate::common::program::{said, streamfold};
use crate::common::skipped;

/// The folder of a case. `None`: there are no samples here.
fn case(name: &str) -> Option<PathBuf> {
    let folder = traces_folder().join("otf1").join(name);
    if !folder.is_dir() {
        skipped("no samples of OTF");
        return None;
    }
    Some(folder)
}

/// Runs the program; returns its exit code and what it said.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output = streamfold(arguments).output().expect("the program runs");
    (output.status.code(), said(&output))
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// The files of the trace `trace` in a folder by their names, their text where they are compressed, without the
/// identifier of the trace, which is new in each.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if !name.starts_with("trace.") {
            continue;
        }
        let text = text(&path);
        let id = |line: &&str| !line.starts_with("DUI") && !line.starts_with("DEFUNIQUEID");
        let text = match name.contains(".def") {
            true => text.split_inclusive('\n').filter(id).collect(),
            false => text,
        };
        files.insert(name.strip_suffix(".z").unwrap_or(&name).to_owned(), text);
    }
    files
}

/// The text of a file, inflated where it is compressed.
fn text(path: &Path) -> String {
    let mut bytes = Vec::new();
    File::open(path).expect("a file").read_to_end(&mut bytes).expect("bytes");
    if path.extension().is_some_and(|ending| ending == "z") {
        assert_eq!(bytes[bytes.len() - 4..], [0, 0, 0xff, 0xff], "{}", path.display());
        let mut text = Vec::with_capacity(1 << 20);
        let mut inflate = Decompress::new(true);
        inflate.decompress_vec(&bytes, &mut text, FlushDecompress::None).expect("a zlib stream");
        bytes = text;
    }
    String::from_utf8(bytes).expect("text")
}

/// The line of the identifier of the trace.
fn identifier(folder: &Path) -> Option<String> {
    let paths = ["trace.0.def", "trace.0.def.z"].map(|name| folder.join(name));
    let text = text(paths.iter().find(|path| path.is_file())?);
    let mut lines = text.lines();
    let line = lines
        .find_map(|line| line.strip_prefix("DUI").or_else(|| line.strip_prefix("DEFUNIQUEID ")));
    line.map(str::to_owned)
}

/// Compares files, one after another, so that a difference is seen at once.
fn assert_same(found: &BTreeMap<String, String>, expected: &BTreeMap<String, String>, what: &str) {
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected), "{what}");
    for (name, text) in expected {
        let lines = found[name].lines().zip(text.lines()).enumerate();
        let first = lines.clone().find(|(_, (one, other))| one != other);
        assert!(found[name] == *text, "{what}: {name}: {first:?}");
    }
}

/// The profile of a trace, but for where it comes from.
fn profile(trace: &Path) -> Value {
    let output = streamfold(["profile", "-q", "--format", "json", path(trace)]).output();
    let output = output.expect("the program runs");
    let mut profile: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}: {}", trace.display(), said(&output)));
    if let Some(profile) = profile.as_object_mut() {
        profile.remove("provenance");
    }
    profile
}

/// Visits, exclusive and inclusive ticks of regions by name.
fn regions(profile: &Value) -> BTreeMap<String, [u64; 3]> {
    let mut regions: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    for row in profile["regions"].as_array().expect("rows") {
        let numbers = ["visits", "exclusive", "inclusive"];
        let numbers = numbers.map(|key| row[key].as_u64().unwrap_or(0));
        let sums = regions.entry(row["name"].as_str().expect("a name").to_owned()).or_default();
        sums.iter_mut().zip(numbers).for_each(|(sum, more)| *sum += more);
    }
    regions.retain(|_, numbers| numbers[0] > 0);
    regions
}
