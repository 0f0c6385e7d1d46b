//! The system tree, to a file or standard output.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::args::Args;
use super::messages::Messages;
use super::sections::read_global_definitions;
use crate::exit::{ExitCode, Failure};
use crate::formats::otf2::{Archive, FileKind};
use crate::report::output::Output;
use crate::report::print::{Options, Printer, SystemTree};

pub(super) fn write_system_tree(args: &Args, messages: &mut Messages) -> Result<(), Failure> {
    let archive = args.open()?;
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    if belongs_to(path, &args.anchor, &archive) {
        let message = format!("cannot write {}: it belongs to the trace", path.display());
        return Err(Failure::new(ExitCode::Usage, message));
    }
    let mut failed = None;
    let written = Output::prepare(path)?.write(|out| {
        let mut tree = SystemTree::new(out);
        let options = Options { global_definitions: false, ..args.options() };
        let mut names = Printer::new(options, io::sink());
        let read = read_global_definitions(&archive, &mut names, messages, |names, definition| {
            tree.definition(names.names(), definition);
        });
        if let Err(failure) = read {
            failed = Some(failure);
            return Err(io::ErrorKind::InvalidData.into());
        }
        tree.finish().map(drop)
    });
    failed.map_or(written, Err)
}

/// Whether what is written to `path` would take the place of a file of the archive, or lie in its
/// folder. Files are compared by what they are, not by how they are called.
fn belongs_to(path: &Path, anchor: &Path, archive: &Archive) -> bool {
    if path == Path::new("-") {
        return false;
    }
    let definitions = archive.path(FileKind::GlobalDefinitions);
    // The anchor may have been found under the second name.
    let files = [
        anchor.to_owned(),
        anchor.with_extension("otf2"),
        definitions.clone(),
        archive.path(FileKind::Markers),
    ];
    let output = identity(path);
    if output.is_some() && files.iter().any(|file| identity(file) == output) {
        return true;
    }
    let folder = definitions.with_extension("");
    let Some(folder) = identity(&folder) else { return false };
    let place = place_of(path);
    place.ancestors().skip(1).any(|above| identity(above) == Some(folder))
}

/// Device and inode.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Where a file is, or would be made.
fn place_of(path: &Path) -> PathBuf {
    if let Ok(place) = path.canonicalize() {
        return place;
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize();
    match (parent, path.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}
