//! Tokens of the model's references.

use std::collections::{BTreeMap, HashMap};

use bstr::{BStr, ByteSlice};
use foldhash::fast::RandomState;
use streamfold_kernels::matching::{GroupSide, Partners, Processes};
use streamfold_model::definitions::Location;
use streamfold_model::enums::{CollectiveOp, CollectiveRoot, LocationType, MetricOccurrence, Type};
use streamfold_model::ids::{
    CallingContextRef, CommRef, IoHandleRef, LocationRef, MetricMemberRef, MetricRef, RegionRef,
    RmaWinRef, SourceCodeLocationRef, StringRef,
};
use streamfold_model::store::Definitions;

use streamfold_formats::otf::KeyValueType;

/// The token of what has a number from 0; 0 where it is undefined.
pub(super) fn token(number: u32) -> u32 {
    number.wrapping_add(1)
}

/// Tokens of a trace.
pub(super) struct Tables<'d> {
    pub(super) definitions: &'d Definitions,
    processes: &'d Processes,
    pub(super) partners: Partners<'d>,
    /// The processes of all locations: token, and that of the process it is a thread of.
    pub(super) locations: HashMap<LocationRef, (u32, u32), RandomState>,
    /// Locations by token.
    pub by_token: BTreeMap<u32, LocationRef>,
    pub(super) comms: HashMap<CommRef, u32, RandomState>,
    /// The counters of each class or instance, and their names.
    counters: HashMap<MetricRef, Vec<u32>, RandomState>,
    pub(super) counter_of: BTreeMap<u32, (MetricRef, usize)>,
    pub(super) files: HashMap<IoHandleRef, u32, RandomState>,
    /// Places in the source of regions, which have no number in the model.
    pub(super) sources: BTreeMap<(StringRef, u32), u32>,
}

impl<'d> Tables<'d> {
    pub(super) fn new(definitions: &'d Definitions, processes: &'d Processes) -> Self {
        let partners = Partners::new(definitions, processes);
        let by_token = location_tokens(definitions);
        let locations = with_parents(&by_token, definitions, processes);
        let mut next = by_token.keys().next_back().copied().unwrap_or(0);
        let mut comms: Vec<CommRef> = definitions.comms.keys().copied().collect();
        comms.sort_unstable();
        // Processes and groups share their tokens.
        let comms = comms.into_iter().map(|comm| {
            next = next.wrapping_add(1);
            (comm, next)
        });
        let comms = comms.collect();
        let mut counter_of = BTreeMap::new();
        let mut counters: HashMap<MetricRef, Vec<u32>, RandomState> = HashMap::default();
        let mut metrics: Vec<MetricRef> = definitions.metrics.keys().copied().collect();
        metrics.sort_unstable();
        for metric in metrics {
            for place in 0..members(definitions, metric).len() {
                let counter = counter_of.len() as u32 + 1;
                counter_of.insert(counter, (metric, place));
                counters.entry(metric).or_default().push(counter);
            }
        }
        let last = definitions.io_files.keys().map(|file| token(file.0)).max().unwrap_or(0);
        let mut next = last;
        let mut handles: Vec<_> = definitions.io_handles.values().collect();
        handles.sort_unstable_by_key(|handle| handle.id);
        let files = handles.into_iter().map(|handle| {
            let is_known = definitions.io_files.contains_key(&handle.file);
            if !is_known {
                next = next.wrapping_add(1);
            }
            (handle.id, if is_known { token(handle.file.0) } else { next })
        });
        let files = files.collect();
        let known = definitions.source_code_locations.keys();
        let mut next = known.map(|source| token(source.0)).max().unwrap_or(0);
        let mut sources = BTreeMap::new();
        for region in definitions.regions.values() {
            if definitions.strings.contains_key(&region.source_file) {
                sources.insert((region.source_file, region.begin_line_number), 0);
            }
        }
        for source in sources.values_mut() {
            next = next.wrapping_add(1);
            *source = next;
        }
        Tables {
            definitions,
            processes,
            partners,
            locations,
            by_token,
            comms,
            counters,
            counter_of,
            files,
            sources,
        }
    }

    /// The process that a location is.
    pub(super) fn process(&self, location: LocationRef) -> u32 {
        self.locations.get(&location).map_or(0, |(token, _)| *token)
    }

    /// The stream of a location: each has one.
    pub(super) fn stream(&self, location: LocationRef) -> u32 {
        let own = self.process(location);
        self.by_token.range(..=own).count() as u32
    }

    /// The communicator of a token, 0 where it is not defined.
    pub(super) fn comm(&self, comm: CommRef) -> u32 {
        self.comms.get(&comm).copied().unwrap_or(0)
    }

    /// The communicator of a window.
    pub(super) fn comm_of(&self, win: RmaWinRef) -> CommRef {
        self.partners.comm_of(win).unwrap_or(CommRef::UNDEFINED)
    }

    /// The process with a rank, as a location sees it. `None`: nobody defines it.
    pub(super) fn peer(&self, own: LocationRef, comm: CommRef, rank: u32) -> Option<u32> {
        let process = self.processes.of(own)?;
        match self.partners.side(comm, process)? {
            GroupSide::Own => Some(self.locations.get(&own)?.1),
            GroupSide::Group(group) => {
                let location = self.partners.location(group, rank.into())?;
                self.locations.get(&location).map(|(token, _)| *token)
            }
        }
    }

    /// Tells whether a communicator is one between two groups.
    pub(super) fn has_two_groups(&self, comm: CommRef) -> bool {
        self.partners.has_two_groups(comm)
    }

    /// The process that a member of an operation reports as its root; 0 where it reports none.
    pub(super) fn root(&self, own: LocationRef, comm: CommRef, root: u32) -> u32 {
        if CollectiveRoot::from(root) == CollectiveRoot::SelfRoot && self.has_two_groups(comm) {
            return self.locations.get(&own).map_or(0, |(_, process)| *process);
        }
        self.peer(own, comm, root).unwrap_or(0)
    }

    /// The counter of a value.
    pub(super) fn counters(&self, metric: MetricRef) -> &[u32] {
        self.counters.get(&metric).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a metric is synchronous: its values belong to the enter or leave behind them.
    pub(super) fn is_of_calls(&self, metric: MetricRef) -> bool {
        let occurrence = self.definitions.metric_class(metric).map(|class| class.metric_occurrence);
        matches!(
            occurrence,
            Some(MetricOccurrence::Synchronous | MetricOccurrence::SynchronousStrict)
        )
    }

    /// The function of a region; 0 where it is not defined.
    pub(super) fn function(&self, region: RegionRef) -> u32 {
        if self.definitions.regions.contains_key(&region) {
            token(region.0)
        } else {
            0
        }
    }

    /// The function of a calling context.
    pub(super) fn function_of(&self, context: CallingContextRef) -> u32 {
        let context = self.definitions.calling_contexts.get(&context);
        context.map_or(0, |context| self.function(context.region))
    }

    /// The function that stands for a time without recording.
    pub(super) fn off(&self) -> u32 {
        let last = self.definitions.regions.keys().map(|region| token(region.0)).max();
        last.unwrap_or(0).wrapping_add(1)
    }

    /// The file of a handle.
    pub(super) fn file(&self, handle: IoHandleRef) -> u32 {
        self.files.get(&handle).copied().unwrap_or(0)
    }

    /// The text of a reference; nothing where it is not defined.
    pub(super) fn text(&self, string: StringRef) -> &'d BStr {
        self.definitions.strings.get(&string).map_or(BStr::new(""), |text| text.as_bstr())
    }

    /// The type of an attribute's values, and the name of what has no place in the format.
    pub(super) fn key_type(value_type: Type) -> Option<KeyValueType> {
        Some(match value_type {
            Type::Uint8 => KeyValueType::Uint8,
            Type::Uint16 => KeyValueType::Uint16,
            Type::Uint32 => KeyValueType::Uint32,
            Type::Uint64 => KeyValueType::Uint64,
            Type::Int8 => KeyValueType::Int8,
            Type::Int16 => KeyValueType::Int16,
            Type::Int32 => KeyValueType::Int32,
            Type::Int64 => KeyValueType::Int64,
            Type::Float => KeyValueType::Float,
            Type::Double => KeyValueType::Double,
            Type::String => KeyValueType::ByteArray,
            _ => return None,
        })
    }
}

/// Tokens keep the numbers of locations, or those behind them; where these are too large, locations are counted.
fn location_tokens(definitions: &Definitions) -> BTreeMap<u32, LocationRef> {
    let mut ids: Vec<u64> = definitions.locations.keys().map(|location| location.0).collect();
    ids.sort_unstable();
    let last = ids.last().copied().unwrap_or(0);
    let offset = u64::from(ids.first() == Some(&0));
    let is_small = last + offset < u64::from(u32::MAX) && last < u64::from(u32::MAX);
    let tokens = ids.iter().enumerate().map(|(place, id)| {
        let token = if is_small { id + offset } else { place as u64 + 1 };
        (token as u32, LocationRef(*id))
    });
    tokens.collect()
}

/// Locations with their tokens, and those of the first location of their process.
fn with_parents(
    by_token: &BTreeMap<u32, LocationRef>,
    definitions: &Definitions,
    processes: &Processes,
) -> HashMap<LocationRef, (u32, u32), RandomState> {
    let is_thread = |location: &Location| location.location_type == LocationType::CpuThread;
    let mut first: HashMap<_, (bool, u32), RandomState> = HashMap::default();
    for (token, location) in by_token {
        let Some(process) = processes.of(*location) else { continue };
        let is_thread = definitions.locations.get(location).is_some_and(is_thread);
        let found = first.entry(process).or_insert((is_thread, *token));
        if is_thread && !found.0 {
            *found = (true, *token);
        }
    }
    let with = by_token.iter().map(|(token, location)| {
        let parent = processes.of(*location).and_then(|process| first.get(&process));
        (*location, (*token, parent.map_or(*token, |(_, parent)| *parent)))
    });
    with.collect()
}

/// The members of a class, or of that of an instance.
pub(super) fn members(definitions: &Definitions, metric: MetricRef) -> &[MetricMemberRef] {
    definitions.metric_class(metric).map_or(&[], |class| &class.metric_members)
}

/// The token of a collective operation.
pub(super) fn collective(op: CollectiveOp) -> u32 {
    u32::from(u8::from(op)) + 1
}

/// The token of a place in the source.
pub(super) fn source(source: SourceCodeLocationRef) -> u32 {
    token(source.0)
}
