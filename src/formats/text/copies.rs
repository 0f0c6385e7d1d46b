//! Files that repeat another one.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Text;
use crate::Note;

/// Leaves out files that repeat another one: a text beside its compressed copy, or as much of it as there is. Each one
/// is a note.
pub(crate) fn without_copies(files: &mut Vec<PathBuf>) -> Vec<Note> {
    let (mut notes, mut copies) = (Vec::new(), BTreeSet::new());
    let all: BTreeSet<&PathBuf> = files.iter().collect();
    for compressed in files.iter() {
        let is_compressed = compressed.extension().is_some_and(|end| end == "gz" || end == "zst");
        let plain = compressed.with_extension("");
        if !is_compressed || !all.contains(&plain) {
            continue;
        }
        let Some(order) = compare(&plain, compressed) else { continue };
        let (kept, copy) = match order {
            Ordering::Less => (compressed, &plain),
            _ => (&plain, compressed),
        };
        let name = kept.file_name().unwrap_or_default().to_string_lossy();
        notes.push(Note::of_file(
            copy,
            format!("{name} has the same records: this file is not read"),
        ));
        copies.insert(copy.clone());
    }
    files.retain(|file| !copies.contains(file));
    notes
}

/// Compares the lengths of two texts, one of which is the begin of the other. `None`: neither is, or one is empty.
fn compare(one: &Path, other: &Path) -> Option<Ordering> {
    let mut texts = [Text::open(one).ok()?, Text::open(other).ok()?];
    let mut bytes = [Vec::new(), Vec::new()];
    let mut is_first = true;
    loop {
        for (text, bytes) in texts.iter_mut().zip(&mut bytes) {
            // A text that is cut ends where it cannot be read on.
            while bytes.is_empty() && text.append_to(bytes).is_ok_and(|read| read > 0) {}
        }
        let [here, there] = &mut bytes;
        let common = here.len().min(there.len());
        if common == 0 {
            return (!is_first).then(|| here.len().cmp(&there.len()));
        }
        if here[..common] != there[..common] {
            return None;
        }
        is_first = false;
        here.drain(..common);
        there.drain(..common);
    }
}
