//! Preparation before any event is read: rank 0 reads definitions and shares their numbers with all ranks.

use std::path::{Path, PathBuf};
use streamfold_formats::Loss;

use serde::{Deserialize, Serialize};
use streamfold_kernels::salvage::{
    defined, tidy, unclear, Complaints, Defined, NumbersByKind, RankLists,
};
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;

use super::find::{find, Input};
use crate::missing_definitions::{self, Adopted};
use streamfold_drive::Losses;
use streamfold_formats::open_archive;
use streamfold_otf2::{
    recover, Anchor, Archive, DefinitionReader, Error, FileKind, Order, ReadOptions, WriteOptions,
};
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_system::paths;
use streamfold_text::human;

/// Number of files that are looked at for the size of their chunks.
const PROBED: usize = 16;

/// State that all ranks share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Known {
    /// Path of the anchor, even if there is none.
    anchor_path: Vec<u8>,
    /// The anchor, or what is assumed of it.
    pub anchor: Anchor,
    /// True if the anchor is assumed.
    pub assumed: bool,
    /// Locations with files.
    pub locations: Vec<LocationRef>,
    /// Numbers of definitions.
    pub defined: NumbersByKind,
    /// Numbers that are defined, but not clearly.
    pub unclear: NumbersByKind,
    /// By what groups name ranks.
    pub rank_lists: RankLists,
    /// The anchor of the donor.
    donor: Option<Anchor>,
}

/// State of rank 0 alone.
#[derive(Debug, Default)]
pub(super) struct Root {
    /// Definitions of the archive and of its donor.
    pub definitions: Vec<Definition>,
    /// How many of them are the donor's.
    pub taken: u64,
    /// How many the archive has itself.
    pub own: u64,
    /// How many of these only files of locations have.
    pub missing_definitions: u64,
    /// True if all definitions of the archive could be read without contradiction.
    pub whole: bool,
    /// True if they could be read to their end.
    pub readable: bool,
    /// Records of unknown kinds among them.
    pub unknown: u64,
    /// Losses so far.
    pub losses: Losses,
    /// Notes that are no losses.
    pub notes: Vec<String>,
    /// The definitions of the donor, where they are used.
    pub donor: Option<PathBuf>,
    /// Ticks of a second, as the donor says.
    pub resolution: Option<u64>,
}

impl Known {
    /// The archive.
    ///
    /// # Errors
    ///
    /// When its name is none.
    pub(super) fn archive(&self, options: ReadOptions) -> Result<Archive, Error> {
        let path = paths::from_bytes(self.anchor_path.clone());
        Archive::with_anchor(&path, self.anchor.clone(), options)
    }

    /// Returns the definitions that exist, for looking up.
    pub(super) fn defined(&self) -> Defined {
        Defined::new(&self.defined, &self.unclear)
    }

    /// The donor, at this path.
    ///
    /// # Errors
    ///
    /// When its name is none.
    pub(super) fn donor(&self, path: Option<&Path>) -> Result<Option<Archive>, Error> {
        let donor = path.zip(self.donor.clone());
        let open = |(path, anchor)| Archive::with_anchor(path, anchor, ReadOptions::default());
        donor.map(open).transpose()
    }
}

/// Reads what there is besides events.
///
/// # Errors
///
/// Those of [`find`], and when the donor cannot be read.
pub(super) fn prepare(path: &Path, donor: Option<&Path>) -> Result<(Known, Root), Failure> {
    let input = find(path)?;
    let mut root = Root::default();
    let donor = donor.map(Donor::read).transpose()?;
    let assumed = input.anchor.is_none();
    let anchor = match &input.anchor {
        Some(anchor) => anchor.clone(),
        None => assume(&input, donor.as_ref(), &mut root)?,
    };
    if let Some(damage) = &input.damage {
        root.losses.push(LocationRef::UNDEFINED, format!("{damage} (it is made anew)"));
    }
    let archive = Archive::with_anchor(&input.anchor_path, anchor.clone(), ReadOptions::default())
        .map_err(Loss::from)?;
    let (mut read, mut own) = (Read::default(), Vec::new());
    read.all(&archive, &mut own);
    root.take(&archive, own, &read);
    // Otherwise numbers are the donor's.
    if donor.is_none() || root.readable {
        root.adopt(
            &archive,
            missing_definitions::beside(&archive, &root.definitions, &input.locations),
        );
    }
    if let Some(donor) = &donor {
        root.merge(donor, &archive);
    }
    if input.snapshots && anchor.number_of_snapshots == 0 {
        let folder = archive.path(FileKind::Events(LocationRef(0)));
        let folder = folder.parent().unwrap_or(Path::new("")).display().to_string();
        let text = "snapshots are left out: nobody says how many there are";
        root.losses.push(LocationRef::UNDEFINED, format!("{folder}: {text}"));
    }
    let known = Known {
        anchor_path: paths::to_bytes(&input.anchor_path),
        anchor,
        assumed,
        locations: input.locations.into_iter().collect(),
        defined: defined(&root.definitions),
        unclear: unclear(&root.definitions),
        rank_lists: RankLists::of(&root.definitions),
        donor: donor.filter(|_| !root.readable).map(|donor| donor.archive.anchor().clone()),
    };
    Ok((known, root))
}

/// Returns a substitute for the anchor.
fn assume(input: &Input, donor: Option<&Donor>, root: &mut Root) -> Result<Anchor, Failure> {
    let donor = donor.map(|donor| donor.archive.anchor());
    let mut options = donor.map_or(WriteOptions::default(), WriteOptions::of);
    let bare = Anchor::new(&options, 0, 0, "");
    let archive = Archive::with_anchor(&input.anchor_path, bare, ReadOptions::default())
        .map_err(Loss::from)?;
    let events = input.locations.iter().map(|location| archive.path(FileKind::Events(*location)));
    if let Some(order) = first_order(events.clone()) {
        options.order = order;
    }
    let large = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|file| file.len() > 256 << 10);
    let sizes = events.filter(large).take(PROBED);
    let size = sizes.filter_map(|path| recover::event_chunk_size(&path).ok().flatten()).next();
    match size {
        Some(size) => options.event_chunk_size = size,
        None => {
            let size = options.event_chunk_size;
            root.notes.push(format!(
                "no event file tells the size of its chunks: {size} bytes are assumed"
            ));
        }
    }
    let definitions = archive.path(FileKind::GlobalDefinitions);
    if let Ok(Some(size)) = recover::definition_chunk_size(&definitions) {
        options.definition_chunk_size = size;
    }
    let creator = concat!("streamfold ", env!("CARGO_PKG_VERSION"), " salvage");
    let mut anchor = Anchor::new(&options, 0, 0, creator);
    if let Some(donor) = donor {
        anchor.machine_name = donor.machine_name.clone();
    }
    Ok(anchor)
}

/// The order of bytes of the first file that says it.
fn first_order(mut events: impl Iterator<Item = PathBuf>) -> Option<Order> {
    events.find_map(|path| recover::order_of(&path).ok().flatten())
}

/// A whole archive of the same program.
pub(super) struct Donor {
    /// The archive.
    pub archive: Archive,
    pub(super) definitions: Vec<Definition>,
}

impl Donor {
    /// Reads its definitions.
    ///
    /// # Errors
    ///
    /// When it cannot be read to the end.
    pub(super) fn read(path: &Path) -> Result<Donor, Failure> {
        let archive = open_archive(path, ReadOptions::default())?;
        let (mut read, mut definitions) = (Read::default(), Vec::new());
        read.all(&archive, &mut definitions);
        match read.damage {
            Some(damage) => Err(Loss::from(damage).into()),
            // Asked once more for its error.
            None if read.missing => Err(archive.global_definitions().map(drop).map_or_else(
                |error| Loss::from(error).into(),
                |()| Failure::new(ExitCode::Io, "the donor has changed"),
            )),
            None => Ok(Donor { archive, definitions: tidy(definitions).definitions }),
        }
    }
}

/// How reading definitions went.
#[derive(Debug, Default)]
struct Read {
    count: u64,
    unknown: u64,
    /// Error that ended reading early.
    damage: Option<Error>,
    /// There is no such file.
    missing: bool,
}

impl Read {
    /// Reads definitions as far as they can be read.
    fn all(&mut self, archive: &Archive, into: &mut Vec<Definition>) {
        match archive.global_definitions() {
            Ok(reader) => self.records(reader, into),
            Err(error) if error.is_not_found() => self.missing = true,
            Err(error) => self.damage = Some(error),
        }
    }

    fn records(&mut self, mut reader: DefinitionReader, into: &mut Vec<Definition>) {
        loop {
            match reader.next() {
                Ok(Some(Ok(definition))) => into.push(definition),
                Ok(Some(Err(_unknown))) => self.unknown += 1,
                Ok(None) => return,
                Err(error) => {
                    self.damage = Some(error);
                    return;
                }
            }
            self.count += 1;
        }
    }
}

impl Root {
    /// Takes in the definitions of the archive itself.
    fn take(&mut self, archive: &Archive, own: Vec<Definition>, read: &Read) {
        let path = archive.path(FileKind::GlobalDefinitions);
        let mut whole = read.damage.is_none() && !read.missing;
        if let Some(damage) = &read.damage {
            let before = human::plural(read.count, "definition");
            let text = format!("{damage} (the {before} before that are kept)");
            self.losses.push(LocationRef::UNDEFINED, text);
        }
        // An anchor that was made up announces nothing.
        let announced = archive.anchor().number_of_global_definitions;
        let early = read.damage.is_none() && !read.missing && read.count < announced;
        if early {
            let text = "the definitions end early, as the anchor announces more";
            let text = format!("{}: {text}: {announced}, not {}", path.display(), read.count);
            self.losses.push(LocationRef::UNDEFINED, text);
            whole = false;
        }
        if read.missing {
            self.notes.push(format!("{}: there are no definitions", path.display()));
        }
        let tidied = tidy(own);
        whole &= tidied.complaints.is_empty() && tidied.doubled == 0;
        self.own = tidied.definitions.len() as u64;
        self.complain(&path, &tidied.complaints);
        self.definitions = tidied.definitions;
        self.whole = whole;
        self.unknown = read.unknown;
        self.readable = read.damage.is_none() && !read.missing && !early;
    }

    /// Takes in the definitions of locations that only their own files define.
    fn adopt(&mut self, archive: &Archive, adopted: Adopted) {
        self.missing_definitions = adopted.locations().count() as u64;
        self.own += adopted.definitions.len() as u64;
        self.definitions.extend(adopted.definitions);
        for (location, text) in adopted.lost {
            let path = archive.path(FileKind::LocalDefinitions(location));
            self.losses.push(location, format!("{}: {text}", path.display()));
        }
    }

    /// Tells what is wrong with definitions.
    pub(super) fn complain(&mut self, path: &Path, complaints: &Complaints) {
        for text in &complaints.first {
            self.losses.push(LocationRef::UNDEFINED, format!("{}: {text}", path.display()));
        }
        self.losses.count += complaints.count - complaints.first.len() as u64;
    }
}
