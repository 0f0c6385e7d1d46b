//! One location: its files are opened, and its events handed to its scan.

use std::sync::atomic::Ordering;
use std::sync::LazyLock;

use streamfold_kernels::{Kernel, Mapping, Pieces, Renaming, Window};
use streamfold_model::definitions::Definition;
use streamfold_model::enums::{MappingType, MetricScope};
use streamfold_model::ids::{
    CallingContextRef, LocationRef, MetricRef, ParameterRef, RegionRef, StringRef,
};
use streamfold_model::store::Definitions;

use super::pieces::PieceRead;
use super::{Amount, Clocks, Progress, Reached, Trace};
use crate::formats::otf2::{Archive, Error, EventReader, FileKind, LocalDefinitions, Mappings};
use crate::report::human;

/// What came of one location.
#[derive(Debug, Default)]
pub(super) struct LocationRead {
    pub amount: Amount,
    /// What could not be read or used.
    pub losses: Vec<String>,
}

/// Scans all of a location.
pub(super) fn scan<K: Kernel>(
    trace: &Trace,
    kernel: &K,
    location: LocationRef,
    worker: &mut K::Worker,
    progress: &Progress,
) -> LocationRead {
    let mut scan = LocationScan::new(trace, kernel, location, worker);
    scan.read(u64::MAX, Some(progress));
    scan.end()
}

/// A location that is being read, from its begin.
pub(super) struct LocationScan<'s, K: Kernel + 's> {
    trace: &'s Trace,
    kernel: &'s K,
    location: LocationRef,
    state: State<'s, K>,
    losses: Vec<String>,
}

enum State<'s, K: Kernel + 's> {
    /// Nothing was read yet.
    New(&'s mut K::Worker),
    Open(Box<Open<'s, K>>),
    /// Nothing of it could be read.
    Lost,
}

struct Open<'s, K: Kernel + 's> {
    scan: K::Scan<'s>,
    reader: EventReader,
    /// Nothing more can be read.
    ended: bool,
}

impl<'s, K: Kernel> LocationScan<'s, K> {
    pub fn new(
        trace: &'s Trace,
        kernel: &'s K,
        location: LocationRef,
        worker: &'s mut K::Worker,
    ) -> Self {
        let (state, losses) = (State::New(worker), Vec::new());
        LocationScan { trace, kernel, location, state, losses }
    }

    /// Reads on, up to the chunk at an offset in the file.
    pub fn read(&mut self, end: u64, progress: Option<&Progress>) {
        if matches!(self.state, State::New(_)) {
            self.open();
        }
        let State::Open(open) = &mut self.state else { return };
        if let Err(error) = open.read(end, progress) {
            let events = human::plural(open.reader.count(), "event");
            self.losses.push(format!("{error} (the {events} before that were read)"));
        }
    }

    fn open(&mut self) {
        let State::New(worker) = std::mem::replace(&mut self.state, State::Lost) else { return };
        let rename = |own: &Definitions, maps: &dyn Mapping| self.kernel.rename(worker, own, maps);
        let opened = self.trace.open_location(&self.trace.archive, self.location, rename);
        match opened {
            Ok((reader, complaints)) => {
                self.losses = complaints;
                let scan = self.kernel.scan(worker, self.location);
                self.state = State::Open(Box::new(Open { scan, reader, ended: false }));
            }
            Err(error) => {
                self.losses.push(lost_stream(&error));
            }
        }
    }

    /// Whether nothing more can be read.
    pub fn has_ended(&self) -> bool {
        match &self.state {
            State::New(_) => false,
            State::Open(open) => open.ended,
            State::Lost => true,
        }
    }

    /// Whether nothing was lost so far.
    pub fn is_lossless(&self) -> bool {
        self.losses.is_empty()
    }

    /// Holds no file open until it reads on.
    pub fn rest(&mut self) {
        if let State::Open(open) = &mut self.state {
            open.reader.rest();
        }
    }

    /// Nothing more is wanted.
    pub fn end(mut self) -> LocationRead {
        let mut amount = Amount::default();
        if let State::Open(open) = self.state {
            let Open { scan, reader, ended } = *open;
            let summary = reader.summary();
            self.kernel.end(scan, &summary);
            amount =
                Amount { events: reader.count(), unknown: summary.unknown, bytes: reader.offset() };
            if ended && self.losses.is_empty() {
                self.losses.extend(self.trace.missing_events(self.location, amount.events));
            }
        }
        LocationRead { amount, losses: self.losses }
    }
}

impl<K: Kernel> Open<'_, K> {
    fn read(&mut self, end: u64, progress: Option<&Progress>) -> Result<(), Error> {
        let mut reached = Reached::by(&self.reader);
        while !self.ended {
            let part = self.reader.read_part_before(end, &mut self.scan);
            if let Some(progress) = progress {
                reached.go_on(Reached::by(&self.reader), progress);
            }
            match part {
                Ok(true) => {}
                Ok(false) => {
                    self.ended = self.reader.has_ended();
                    break;
                }
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

impl<K: Pieces> LocationScan<'_, K> {
    /// Goes on behind a piece that was read without what came before, or reads it.
    pub fn join(&mut self, piece: PieceRead<K::Piece>, progress: &Progress) {
        let joined = piece.found.is_some_and(|(passage, found)| match &mut self.state {
            State::Open(open) if open.reader.takes(&passage) => {
                let joined = self.kernel.join(&mut open.scan, found);
                if joined.is_ok() {
                    open.reader.pass(&passage);
                    open.ended = open.reader.has_ended();
                }
                joined.is_ok()
            }
            _ => false,
        });
        if !joined && !self.has_ended() {
            progress.again.fetch_add(1, Ordering::Relaxed);
            self.read(piece.end, None);
        }
    }
}

impl Trace {
    /// What is told where a location has fewer events than its definition says, although its file is whole. There
    /// are recorders that never say how many there are.
    fn missing_events(&self, location: LocationRef, events: u64) -> Option<String> {
        let said = self.definitions.locations.get(&location)?.number_of_events;
        let file = self.archive.path(FileKind::Events(location));
        (events < said).then(|| {
            let file = file.display();
            format!("{file}: {events} events, the definition of location {location} says {said}")
        })
    }
}

/// What is told where nothing of a location could be read.
pub(super) fn lost_stream(error: &Error) -> String {
    format!("{error} (no event of this location was read)")
}

impl Trace {
    /// Opens the events of a location in one of its archive's ways, whose references are renamed
    /// given the location's own definitions and its mapping tables. Also returns what is wrong with
    /// these.
    pub(super) fn open_location(
        &self,
        archive: &Archive,
        location: LocationRef,
        rename: impl FnOnce(&Definitions, &dyn Mapping) -> Renaming,
    ) -> Result<(EventReader, Vec<String>), Error> {
        let mut own = OwnDefinitions::read(self, archive, location)?;
        let complaints = own.take_complaints();
        let renaming = own.renaming(rename);
        Ok((archive.events_with(location, own.renamed(renaming))?, complaints))
    }

    /// Whether anything that can be read of a location is in a window of time.
    pub fn has_events_within(&self, location: LocationRef, window: Window) -> bool {
        let Window { begin, end } = window;
        let own = OwnDefinitions::read(self, &self.archive, location);
        let local = own.map(|own| own.renamed(Renaming::default()));
        let within = |local| self.archive.has_events_within(location, local, (begin, end));
        local.and_then(within).unwrap_or(false)
    }
}

/// What a location says of its references and times. Where its mapping tables are damaged its numbers
/// would mean something else: it is lost then. Where nothing was written at all it has none.
pub(super) struct OwnDefinitions {
    /// Those that the trace does not have; most locations have none.
    own: Option<Box<Definitions>>,
    local: LocalDefinitions,
}

/// Those of a location that has none.
static NONE: LazyLock<Definitions> = LazyLock::new(Definitions::default);

impl OwnDefinitions {
    /// As the trace is read.
    pub fn read(trace: &Trace, archive: &Archive, location: LocationRef) -> Result<Self, Error> {
        let mut own: Option<Box<Definitions>> = None;
        let keep = |definition: &Definition| {
            // Nobody asks for any other.
            if let Definition::StringDef(_)
            | Definition::Region(_)
            | Definition::Parameter(_)
            | Definition::CallingContext(_)
            | Definition::MetricMember(_)
            | Definition::MetricClass(_)
            | Definition::MetricInstance(_) = definition
            {
                own.get_or_insert_default().insert(definition.clone());
            }
        };
        let (mut local, none) = archive.read_local_definitions_or_none(location, keep)?;
        local.complaints.extend(none.map(|error| {
            format!("{error} (events were read as if it were not there: numbers and times in them are not mapped)")
        }));
        if trace.clocks == Clocks::Raw {
            local.keep_raw_times();
        }
        Ok(OwnDefinitions { own, local })
    }

    /// The definitions that only the location has.
    pub fn definitions(&self) -> &Definitions {
        self.own.as_deref().unwrap_or_else(|| &*NONE)
    }

    /// What is wrong with what it says.
    pub fn take_complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.local.complaints)
    }

    /// What a kernel says of them.
    pub fn renaming<R>(&self, rename: impl FnOnce(&Definitions, &dyn Mapping) -> R) -> R {
        rename(self.definitions(), &Maps(&self.local.mappings))
    }

    /// Mapping tables and clock offsets, with other references.
    pub fn renamed(mut self, renaming: Renaming) -> LocalDefinitions {
        let Renaming { own_regions, own_metrics, regions } = renaming;
        self.local.mappings.rename_regions(&own_regions, regions);
        self.local.mappings.rename_metrics(&own_metrics);
        self.local
    }
}

/// Mapping tables, as kernels know them.
struct Maps<'a>(&'a Mappings);

impl Mapping for Maps<'_> {
    fn is_there(&self) -> bool {
        self.0.kinds().next().is_some()
    }

    fn region(&self, region: RegionRef) -> RegionRef {
        RegionRef(self.0.map32(MappingType::Region, region.0))
    }

    fn string(&self, string: StringRef) -> StringRef {
        StringRef(self.0.map32(MappingType::String, string.0))
    }

    fn calling_context(&self, context: CallingContextRef) -> CallingContextRef {
        CallingContextRef(self.0.map32(MappingType::CallingContext, context.0))
    }

    fn parameter(&self, parameter: ParameterRef) -> ParameterRef {
        ParameterRef(self.0.map32(MappingType::Parameter, parameter.0))
    }

    fn metric(&self, metric: MetricRef) -> MetricRef {
        MetricRef(self.0.map32(MappingType::Metric, metric.0))
    }

    fn scope(&self, kind: MetricScope, scope: u64) -> u64 {
        match kind {
            MetricScope::Location => self.0.map64(MappingType::Location, scope),
            MetricScope::LocationGroup => self.0.map64(MappingType::LocationGroup, scope),
            MetricScope::Group => self.0.map64(MappingType::Group, scope),
            // No mapping table is for these.
            MetricScope::SystemTreeNode | MetricScope::Unnamed(_) => scope,
        }
    }
}
