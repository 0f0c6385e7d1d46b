//! Archives from archives.
//!
//! The files of locations are written by all ranks and their threads, each on its own; global
//! definitions, markers, thumbnails and the anchor by rank 0. All of it happens in a folder beside
//! the place of the new archive, which appears there once it is whole.

pub mod convert;
pub mod copy;
pub mod cut;
pub mod markers;
pub mod merge;
mod missing_definitions;
pub mod otf;
mod part;
mod place;
pub mod salvage;
pub mod snapshots;
mod times;
pub mod unify;

use std::fmt::Display;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use streamfold_collective::Communicator;
use streamfold_drive::{self as drive, Losses, Progress, Trace};
use streamfold_formats::{self as formats, Input, ReadOptions};
use streamfold_otf2::{Anchor, AnnouncedThumbnail, Archive, Copied, Copy, FileKind, WriteError};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

pub use times::{Beyond, Now, Times};

pub use place::{belongs_to_trace, NewArchive, Replacing, Staged};

/// Opens an archive on all ranks, as [`drive::open`] does.
///
/// # Errors
///
/// On all ranks when rank 0 cannot read it, or when the trace has another format.
pub fn open<'a>(
    ranks: &dyn Communicator,
    input: impl Into<Input<'a>>,
    options: ReadOptions,
) -> Result<Trace, Stop> {
    let trace = drive::open(ranks, input, options)?;
    if trace.source.archive().is_none() {
        let refused = formats::only_otf2(trace.source.path(), trace.source.format());
        return Err(Stop::Together(refused));
    }
    Ok(trace)
}

/// Counts of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Files.
    pub files: u64,
    /// Events; 0 where files were copied as they are.
    pub events: u64,
    /// Records of unknown kinds, which were copied as they stand.
    pub unknown: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

impl Written {
    /// A file without events.
    fn file(bytes: u64) -> Written {
        Written { files: 1, bytes, ..Written::default() }
    }

    fn add(&mut self, other: &Written) {
        self.files += other.files;
        self.events += other.events;
        self.unknown += other.unknown;
        self.bytes += other.bytes;
    }
}

/// How writing went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Output.
    pub written: Written,
    /// Losses in reading.
    pub losses: Losses,
    /// True if events of a location are left out, or are not there at all.
    pub lacks_events: bool,
    /// Why nothing can come of it.
    pub failure: Option<Failure>,
}

impl Outcome {
    /// With that of others; the least of all failures, whoever had it.
    fn fold(mut self, other: Outcome) -> Outcome {
        self.written.add(&other.written);
        self.losses.fold(other.losses);
        self.lacks_events |= other.lacks_events;
        self.failure = match (self.failure, other.failure) {
            (Some(one), Some(other)) if other.message < one.message => Some(other),
            (one, other) => one.or(other),
        };
        self
    }
}

impl Outcome {
    /// Takes in what came of a file: `None` where there is none, though it may be `needed`. `told` who
    /// watches.
    fn take(
        &mut self,
        archive: &Archive,
        kind: FileKind,
        copy: Option<Copy>,
        needed: bool,
        told: &Progress,
    ) {
        let Some(Copy { copied: Copied { records, unknown, bytes }, damage, .. }) = copy else {
            if needed {
                self.lacks_events |= matches!(kind, FileKind::Events(_));
                self.lose(archive, kind, "there is no such file");
            }
            return;
        };
        let mut events = 0;
        if let FileKind::Events(_) = kind {
            events = records;
            told.events.fetch_add(events, Ordering::Relaxed);
            told.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        self.written.add(&Written { files: 1, events, unknown, bytes });
        if let Some(damage) = damage {
            self.lacks_events |= matches!(kind, FileKind::Events(_));
            self.losses.push(kind.location(), damage.to_string());
        }
    }

    /// Tells of something that is lost of a file.
    fn lose(&mut self, archive: &Archive, kind: FileKind, text: impl Display) {
        let path = archive.path(kind);
        self.losses.push(kind.location(), format!("{}: {text}", path.display()));
    }

    /// The thumbnails that there are. Those that nobody looks for are lost.
    fn thumbnails(&mut self, archive: &Archive) -> Vec<FileKind> {
        let announced = archive.announced_thumbnails(|number| archive.thumbnail(number).map(drop));
        let mut found = Vec::new();
        for AnnouncedThumbnail { number, unseen, .. } in announced {
            let kind = FileKind::Thumbnail(number);
            found.push(kind);
            if unseen > 0 {
                let text = "more thumbnails are announced and were not looked for";
                self.lose(archive, kind, format_args!("{unseen} {text}"));
            }
        }
        found
    }
}

/// Returns a text if an anchor announces another number of locations than the definitions have.
pub fn location_count(archive: &Archive, found: u64) -> Option<String> {
    let announced = archive.anchor().number_of_locations;
    (announced != found).then(|| {
        let path = archive.path(FileKind::GlobalDefinitions);
        let path = path.display();
        format!("{path}: the anchor announces {announced} locations, here are {found}")
    })
}

/// Properties of a trace that say that all of something was recorded say so no more.
fn lack_events(anchor: &mut Anchor) {
    let complete = anchor.properties.iter_mut().filter(|(name, _)| says_complete(name));
    complete.for_each(|(_, value)| *value = "false".into());
}

/// Returns whether a property of a trace claims that all of something was recorded.
fn says_complete(name: &[u8]) -> bool {
    name.ends_with(b"_COMPLETE")
}

/// Property of an anchor: the definitions of the trace have been unified. Facts that only events show were found out
/// then, while each job was still a trace of its own. So no later run looks for them.
const UNIFIED: &[u8] = b"STREAMFOLD::UNIFIED";

/// Returns whether an anchor marks the definitions of its trace as unified.
fn is_unified(anchor: &Anchor) -> bool {
    anchor.properties.iter().any(|(name, value)| name == UNIFIED && value == "true")
}

/// Says in an anchor that the definitions of its trace have been unified.
fn set_unified(anchor: &mut Anchor) {
    anchor.properties.retain(|(name, _)| name != UNIFIED);
    anchor.properties.push((UNIFIED.into(), "true".into()));
}

/// One or many records that this version does not know.
const UNKNOWN: [&str; 2] =
    ["record of a kind that is not known", "records of kinds that are not known"];

/// Returns the text about so many of them that stay though numbers have changed.
fn unknown_stay(count: u64) -> String {
    format!("{}: numbers in them stay as they are", human::counted(count, UNKNOWN))
}

/// Returns the text about so many of them that cannot stay there.
fn unknown_go(count: u64) -> String {
    let text = "left out, since nobody can change numbers in them";
    format!("{}: {text}", human::counted(count, UNKNOWN))
}

/// The identifier of a trace of which this is said: the same number for the same bytes, on any machine
/// (FNV-1a), and not 0, which means none.
fn identifier(says: impl IntoIterator<Item = u8>) -> u64 {
    let hash = says.into_iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    hash.max(1)
}

/// The failure of a command whose archive cannot be written.
pub fn write_failure(error: WriteError) -> Failure {
    let larger_chunks = error.larger_definition_chunks();
    Failure { larger_chunks, ..Failure::new(ExitCode::Io, error.to_string()) }
}
