//! Formats of traces: bytes on one side, the records of the model on the other, nothing else.
//!
//! Each format is a folder, and a [`Source`] to those above. [`probe`] finds out on one rank which format a
//! trace has and what it defines; from the [`Manifest`] any other rank makes the same source without
//! opening a file.

mod archive;
mod batch;
mod defining;
pub mod dftracer;
mod files;
pub mod gistlog;
mod loss;
mod mpi;
pub mod otf;
pub use streamfold_otf2 as otf2;
mod probe;
mod runs;
mod sharing;
mod source;
pub mod strace;
mod stream;
mod text;

pub use archive::{file_order, ArchiveFiles, OwnDefinitions};
use batch::OwnRun;
pub use batch::{Batch, Batches, Run};
pub use files::TraceFiles;
pub use loss::{Loss, Note, Place};
pub use otf2::{input, Part};
pub use probe::{
    anchor_of, find, find_format, only_otf2, open_archive, probe, refuse_folder, traces_at, About,
    Found, GivenClock, Input, Manifest,
};
pub use sharing::{Sharing, Step};
use source::InBatches;
pub use source::{Brings, Clocks, Entry, Format, Identity, Prepared, ReadOptions, Rename, Source};
pub use stream::count;
pub use stream::{BatchReader, Stream};
pub use text::is_read_alone;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// The readers of formats open files in `input` alone.
    #[test]
    fn files_are_opened_in_one_place() {
        /// Lines that open files in another way, without those of tests.
        fn others(folder: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    others(&path, found);
                    continue;
                }
                let text = fs::read_to_string(&path).expect("a source");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                for (number, line) in code.lines().enumerate() {
                    let words = ["File::open(", "fs::read(", "fs::read_to_string(", "fs::copy("];
                    let is_other = words.iter().any(|word| {
                        line.match_indices(word).any(|(at, _)| {
                            // Names of other types end so, too.
                            let before = line[..at].chars().next_back();
                            !before.is_some_and(|it| it.is_alphanumeric())
                        })
                    });
                    if is_other {
                        found.push(format!("{}:{}: {line}", path.display(), number + 1));
                    }
                }
            }
        }
        let mut found = Vec::new();
        others(Path::new(env!("CARGO_MANIFEST_DIR")), &mut found);
        assert!(found.is_empty(), "{found:#?}");
    }
}
