//! Facts of a trace about itself: how it was recorded, the global definitions, and the sizes of files. Of the events of an
//! archive the first one of a thread is read, which may name the program. A log that defines nothing in front is read once.

mod files;
mod locations;
mod memory;
mod origin;
mod otf;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use streamfold_formats::Loss;

use streamfold_model::definitions::ClockProperties;
use streamfold_model::fields::Record;
use streamfold_model::store::Definitions;

pub use files::{FileCount, Files};
pub use locations::{Locations, Longest, OfType};
pub use memory::Memory;
pub use origin::Origin;
pub use otf::{CounterInfo, Level, OtfInfo};
use streamfold_drive::{Losses, Trace};
use streamfold_formats::{self as formats, About, Format, Identity, Input, ReadOptions, Source};
use streamfold_otf2::{Anchor, Archive, Error};
use streamfold_system::exit::Failure;
use streamfold_text::human;

/// The facts about a trace.
#[derive(Clone, Debug)]
pub struct TraceInfo {
    /// The format.
    pub format: Format,
    /// The anchor of an OTF2 archive.
    pub anchor: Option<Anchor>,
    /// Facts of a trace of another format about itself, by name.
    pub facts: Vec<(&'static str, String)>,
    /// The clock, where it is defined.
    pub clock: Option<ClockProperties>,
    /// The program that was recorded, and its nodes.
    pub origin: Origin,
    /// The recorder, and the identifier.
    pub identity: Identity,
    /// Global definitions.
    pub defined: Definitions,
    /// Global definitions of each kind, by the name that the format gives to it.
    pub definitions: BTreeMap<&'static str, u64>,
    /// Global definitions of kinds that this version does not know.
    pub unknown_definitions: u64,
    /// Global definitions whose reference was defined before.
    pub redefined: u64,
    /// The locations and their declared events.
    pub locations: Locations,
    /// The files, and their sizes.
    pub files: Files,
    /// Why the first file that cannot be looked at cannot, in words.
    pub refused: Option<String>,
    /// Estimate of the memory of a profile.
    pub memory: Memory,
    /// Losses of opening the trace.
    pub losses: Losses,
    /// Oddities of the trace that lose nothing: their number, and the first ones.
    pub notes: (u64, Vec<String>),
    /// Further facts of traces of OTF, version 1.
    pub otf: Option<OtfInfo>,
}

impl TraceInfo {
    /// Looks at a trace. `threads`: of a rank that will make a profile. `level`: how much is reported of OTF,
    /// version 1.
    ///
    /// # Errors
    ///
    /// When definitions are damaged or cannot be read, or the trace is refused.
    pub fn read(
        input: &Input<'_>,
        threads: NonZeroUsize,
        level: Level,
    ) -> Result<TraceInfo, Failure> {
        match formats::find_format(input) {
            Format::Otf2 => TraceInfo::of_archive(input.path, threads),
            format => TraceInfo::of_log(format, input, threads, level),
        }
    }

    fn of_archive(path: &Path, threads: NonZeroUsize) -> Result<TraceInfo, Failure> {
        let archive = formats::open_archive(path, ReadOptions::default())?;
        let (definitions, counts) = read_definitions(&archive).map_err(Loss::from)?;
        let (files, refused) = Files::of(&archive, archive.anchor_path(), &definitions);
        let window = files.of_kind("events").largest.min(ReadOptions::default().window as u64);
        let memory = Memory::of(window, &files, definitions.locations.len() as u64, threads);
        let mut losses = Losses::default();
        let local = files.of_kind("local_definitions");
        if local.files > 0 && local.missing > 0 {
            let is_defined = |location| definitions.locations.contains_key(&location);
            for location in definitions.locations.keys() {
                let missing = archive.missing_local_definitions(*location, is_defined);
                missing.into_iter().for_each(|error| losses.push(*location, error.to_string()));
            }
        }
        let notes = others(&archive, &definitions).into_iter();
        let locations = Locations::of(&definitions);
        let notes: Vec<String> = notes.chain(too_few(&archive, &locations, &files)).collect();
        Ok(TraceInfo {
            format: Format::Otf2,
            anchor: Some(archive.anchor().clone()),
            facts: Vec::new(),
            unknown_definitions: definitions.unknown,
            redefined: definitions.redefined,
            locations,
            clock: definitions.clock.clone(),
            origin: Origin::of_archive(&archive, &definitions),
            identity: archive.identity(),
            defined: definitions,
            definitions: counts,
            files,
            refused: refused.map(|error| error.to_string()),
            memory,
            losses,
            notes: (notes.len() as u64, notes),
            otf: None,
        })
    }

    /// Of a trace that is one file.
    fn of_log(
        format: Format,
        input: &Input<'_>,
        threads: NonZeroUsize,
        level: Level,
    ) -> Result<TraceInfo, Failure> {
        let manifest = formats::probe(input, ReadOptions::default())?;
        let otf = match &manifest.about {
            About::Otf(otf) => Some(otf.clone()),
            _ => None,
        };
        let mut trace = Trace::of(manifest, ReadOptions::default())?;
        let mut losses = Losses::default();
        trace.lose_at_opening(false, &mut losses);
        let otf = otf.map(|otf| OtfInfo::read(&otf, &mut trace.definitions, level, &mut losses));
        let Trace { source, definitions, .. } = &trace;
        let mut counts = BTreeMap::new();
        for definition in definitions.records() {
            *counts.entry(definition.record_name()).or_default() += 1;
        }
        let files = match &otf {
            Some(otf) => otf.files(source.path()),
            None => Files::all("log", &source.files()),
        };
        let memory = Memory::of(0, &files, definitions.locations.len() as u64, threads);
        let (count, first) = source.notes();
        let mut notes: Vec<String> = first.iter().map(|note| note.about.to_string()).collect();
        let before = notes.len();
        notes.extend(otf.iter().flat_map(OtfInfo::backward_streams));
        let count = count + (notes.len() - before) as u64;
        Ok(TraceInfo {
            format,
            anchor: None,
            facts: source.facts(),
            clock: definitions.clock.clone(),
            origin: Origin::of(definitions),
            identity: source.identity(),
            locations: Locations::of(definitions),
            defined: trace.definitions,
            definitions: counts,
            unknown_definitions: 0,
            redefined: 0,
            files,
            refused: None,
            memory,
            losses,
            notes: (count, notes),
            otf,
        })
    }

    /// Global definitions of all kinds.
    pub fn number_of_definitions(&self) -> u64 {
        self.definitions.values().sum::<u64>() + self.unknown_definitions
    }
}

/// Names the locations that have files and no definition. A folder that cannot be listed has none that are known.
fn others(archive: &Archive, definitions: &Definitions) -> Option<String> {
    const MOST: usize = 10;
    let is_defined = |location| definitions.locations.contains_key(&location);
    let others = archive.undefined_locations(is_defined).unwrap_or_default();
    let first: Vec<String> = others.iter().take(MOST).map(ToString::to_string).collect();
    let more = human::and_more((others.len() - first.len()) as u64, "");
    let what = match first.len() {
        0 => return None,
        1 => "location that is not defined",
        _ => "locations that are not defined",
    };
    let (anchor, count) = (archive.anchor_path().display(), human::count(others.len() as u64));
    Some(format!("{anchor}: files are not read of {count} {what}: {}{more}", first.join(", ")))
}

/// The warning of a trace that declares fewer events than its files can hold: some recorders count none.
fn too_few(archive: &Archive, locations: &Locations, files: &Files) -> Option<String> {
    /// More bytes than an event has, on average, in any trace.
    const MOST: u64 = 1024;
    let (declared, bytes) = (locations.all.events, files.of_kind("events").bytes);
    (bytes / MOST > declared).then(|| {
        format!(
            "{}: {} declared, but files of events have {}: `streamfold TRACE` counts what is there",
            archive.anchor_path().display(),
            human::counted(declared, ["event is", "events are"]),
            human::bytes(bytes.into()),
        )
    })
}

/// The definitions, and how many of each kind there are.
fn read_definitions(
    archive: &Archive,
) -> Result<(Definitions, BTreeMap<&'static str, u64>), Error> {
    let mut counts = BTreeMap::new();
    let (definitions, reader) = archive.read_all_global_definitions(|definition| {
        if let Ok(definition) = definition {
            *counts.entry(definition.record_name()).or_default() += 1;
        }
    })?;
    archive.check_definition_count(&reader)?;
    Ok((definitions, counts))
}
