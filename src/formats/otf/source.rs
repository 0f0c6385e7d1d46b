//! A trace as a source of events.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::CollectiveOp;
use streamfold_model::ids::{CommRef, LocationRef};
use streamfold_model::store::Definitions;

use super::definitions::Tokens;
use super::known::{Comm, Known, StreamFiles};
use super::lines::BLOCK;
use super::reader::Reader;
use super::record::Record;
use crate::{
    Batches, Brings, Clocks, Format, Identity, InBatches, Loss, Note, Prepared, ReadOptions,
    Rename, Source,
};

/// Text takes so much more room than its compressed file, about.
const INFLATED: u64 = 8;

/// A trace whose definitions were read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Otf {
    pub(super) path: PathBuf,
    pub(super) stub: PathBuf,
    pub(super) identity: (String, String),
    pub(super) definitions_file: PathBuf,
    pub(super) streams: Vec<StreamFiles>,
    pub(super) tokens: Tokens,
    /// Counters whose values have 32 bits of floating point.
    pub(super) floats: Vec<u32>,
    pub(super) facts: Facts,
    pub(super) losses: (u64, Vec<Loss>),
    pub(super) notes: (u64, Vec<Note>),
    #[serde(skip)]
    pub(super) known: OnceLock<Arc<Known>>,
}

/// Facts about a trace: version, counts and comments.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Facts {
    /// That of the library that wrote it.
    pub version: Option<String>,
    /// Points of time with snapshots, and with statistics.
    pub snapshots: u64,
    pub statistics: u64,
    /// Definitions of each kind.
    pub definitions: Vec<(String, u64)>,
    pub comments: Vec<String>,
}

impl Otf {
    pub(super) fn known(&self) -> &Arc<Known> {
        self.known.get_or_init(|| {
            let streams = self.streams.clone();
            let places = streams.iter().enumerate();
            let stream_of = places
                .flat_map(|(place, stream)| stream.processes.iter().map(move |it| (*it, place)));
            let ranks = |processes: &[u32]| processes.iter().copied().zip(0..).collect();
            let Tokens { process_of, comms, all, collectives, counters, keys, source, .. } =
                &self.tokens;
            let members = comms.iter().map(|(comm, members)| (*comm, members.as_slice()));
            let everywhere = (!comms.contains_key(all)).then_some((*all, &[][..]));
            let comms = members.chain(everywhere);
            let comms = comms.map(|(comm, members)| Comm { comm, ranks: ranks(members) });
            let comms: Vec<Comm> = comms.collect();
            let places = comms.iter().zip(0..).map(|(of, place)| (of.comm, place));
            let places: HashMap<u32, usize, RandomState> = places.collect();
            let counters = counters.iter().map(|(counter, value_type)| {
                (*counter, (*value_type, self.floats.binary_search(counter).is_ok()))
            });
            Arc::new(Known {
                stream_of: stream_of.collect(),
                streams,
                process_of: process_of.iter().map(|(of, is)| (*of, *is)).collect(),
                all: places[all],
                comms,
                places,
                collectives: collectives.iter().map(|(of, is)| (*of, *is)).collect(),
                counters: counters.collect(),
                keys: keys.iter().map(|(of, is)| (*of, *is)).collect(),
                source: *source,
            })
        })
    }

    /// Returns the collective operation of a token.
    pub(super) fn collective(&self, token: u32) -> CollectiveOp {
        self.known().collectives.get(&token).copied().unwrap_or(CollectiveOp::Barrier)
    }

    /// The communicator of all processes, and the rank of a process there.
    pub fn rank_among_all(&self, process: u32) -> Option<(CommRef, u32)> {
        let known = self.known();
        Some((CommRef(known.comms[known.all].comm), known.rank(known.all, process)?))
    }

    /// Definitions of each kind.
    pub fn definition_counts(&self) -> impl Iterator<Item = (Record, u64)> + '_ {
        let of_name = |name: &str| Record::ALL.into_iter().find(|it| it.kind().name == name);
        let counts = self.facts.definitions.iter();
        counts.filter_map(move |(name, count)| Some((of_name(name)?, *count)))
    }

    /// Counters whose values have 32 bits of floating point, in ascending order.
    pub fn float_counters(&self) -> &[u32] {
        &self.floats
    }

    /// The name of the trace, without ending.
    pub fn stub(&self) -> &Path {
        &self.stub
    }

    /// The streams, in ascending order, with the processes of each.
    pub fn streams(&self) -> BTreeMap<u32, &[u32]> {
        self.streams.iter().map(|stream| (stream.id, stream.processes.as_slice())).collect()
    }

    fn stream(&self, location: LocationRef) -> Option<&StreamFiles> {
        let process = u32::try_from(location.0).ok()?;
        self.known().stream_of(process).map(|place| &self.streams[place])
    }
}

impl Source for Otf {
    fn format(&self) -> Format {
        Format::Otf
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn files(&self) -> Vec<PathBuf> {
        let of = |stream: &StreamFiles| {
            stream.events.iter().chain(&stream.others).cloned().collect::<Vec<_>>()
        };
        let definitions = self.definitions_file.is_file().then(|| self.definitions_file.clone());
        let global = [Some(self.path.clone()), definitions].into_iter().flatten();
        global.chain(self.streams.iter().flat_map(of)).collect()
    }

    fn identity(&self) -> Identity {
        let (identifier, creator) = self.identity.clone();
        Identity { identifier, creator }
    }

    fn definitions_file(&self) -> PathBuf {
        self.definitions_file.clone()
    }

    fn events_file(&self, location: LocationRef) -> PathBuf {
        let events = self.stream(location).and_then(|stream| stream.events.clone());
        events.unwrap_or_else(|| self.path.clone())
    }

    fn cost(&self, location: LocationRef) -> u64 {
        let Some(stream) = self.stream(location) else { return 0 };
        let is_compressed =
            stream.events.as_ref().and_then(|path| path.extension()).is_some_and(|it| it == "z");
        let bytes =
            if is_compressed { stream.extent.0.saturating_mul(INFLATED) } else { stream.extent.0 };
        bytes / stream.processes.len().max(1) as u64
    }

    fn grain(&self) -> Option<u64> {
        None
    }

    fn brings(&self) -> Brings {
        Brings::All
    }

    fn reads_ahead(&self) -> bool {
        self.known().reads_ahead()
    }

    fn prepare<'s>(
        &'s self,
        location: LocationRef,
        _: &'s Definitions,
        _: Clocks,
        _: Rename<'_>,
    ) -> Result<Box<dyn Prepared + 's>, Loss> {
        Ok(Box::new(InBatches { source: self, location }))
    }

    fn together(&self, locations: &[LocationRef]) -> Result<Box<dyn Batches>, Loss> {
        Ok(Box::new(Reader::new(self.known().clone(), locations, BLOCK)))
    }

    fn with_options(&self, _: ReadOptions) -> Box<dyn Source> {
        Box::new(self.clone())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let Facts { version, snapshots, statistics, definitions, comments } = &self.facts;
        let definitions: u64 = definitions.iter().map(|(_, count)| count).sum();
        let processes: usize = self.streams.iter().map(|stream| stream.processes.len()).sum();
        let is_compressed = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "z");
        let compressed =
            self.streams.iter().filter(|stream| stream.events.as_ref().is_some_and(is_compressed));
        let mut facts: Vec<(&'static str, String)> = Vec::new();
        facts.extend(version.clone().map(|version| ("version", version)));
        facts.push(("streams", self.streams.len().to_string()));
        facts.push(("compressed streams", compressed.count().to_string()));
        facts.push(("processes in streams", processes.to_string()));
        facts.push(("definitions", definitions.to_string()));
        facts.push(("snapshots", snapshots.to_string()));
        facts.push(("points of statistics", statistics.to_string()));
        facts.extend(comments.iter().map(|comment| ("comment", comment.clone())));
        facts
    }

    fn losses(&self) -> (u64, &[Loss]) {
        (self.losses.0, &self.losses.1)
    }

    fn notes(&self) -> (u64, &[Note]) {
        (self.notes.0, &self.notes.1)
    }
}
