//! What definitions of the model become: tokens, and records that define them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bstr::{BStr, BString, ByteSlice};
use foldhash::fast::RandomState;
use streamfold_kernels::matching::{GroupSide, Partners, Processes};
use streamfold_model::definitions::{IoDirectory, IoRegularFile, Location, MetricMember};
use streamfold_model::enums::{Base, CollectiveOp, LocationType, MetricMode, Paradigm, Type};
use streamfold_model::ids::{
    CallingContextRef, CommRef, GroupRef, IoHandleRef, LocationRef, MetricMemberRef, MetricRef,
    RegionRef, RmaWinRef, SourceCodeLocationRef, StringRef,
};
use streamfold_model::store::{Communicator, Definitions, IoFile, Metric};

use super::super::definitions::{Kept, Line};
use crate::formats::otf::{KeyValueType, Record};

/// Attributes of threads on accelerators, by the table of attributes.
const IS_CUDA_THREAD: u32 = 8;

/// The token of what has a number from 0; 0 where it is undefined.
pub(super) fn token(number: u32) -> u32 {
    number.wrapping_add(1)
}

/// Tokens of a trace.
pub(super) struct Tables<'d> {
    definitions: &'d Definitions,
    processes: &'d Processes,
    partners: Partners<'d>,
    /// The processes of all locations: token, and that of the process it is a thread of.
    locations: HashMap<LocationRef, (u32, u32), RandomState>,
    /// Locations by token.
    pub by_token: BTreeMap<u32, LocationRef>,
    comms: HashMap<CommRef, u32, RandomState>,
    /// The counters of each class or instance, and their names.
    counters: HashMap<MetricRef, Vec<u32>, RandomState>,
    counter_of: BTreeMap<u32, (MetricRef, usize)>,
    files: HashMap<IoHandleRef, u32, RandomState>,
    /// Places in the source of regions, which have no number in the model.
    sources: BTreeMap<(StringRef, u32), u32>,
}

impl<'d> Tables<'d> {
    pub fn new(definitions: &'d Definitions, processes: &'d Processes) -> Self {
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
    pub fn process(&self, location: LocationRef) -> u32 {
        self.locations.get(&location).map_or(0, |(token, _)| *token)
    }

    /// The stream of a location: each has one.
    pub fn stream(&self, location: LocationRef) -> u32 {
        let own = self.process(location);
        self.by_token.range(..=own).count() as u32
    }

    /// The communicator of a token, 0 where it is not defined.
    pub fn comm(&self, comm: CommRef) -> u32 {
        self.comms.get(&comm).copied().unwrap_or(0)
    }

    /// The communicator of a window.
    pub fn comm_of(&self, win: RmaWinRef) -> CommRef {
        self.partners.comm_of(win).unwrap_or(CommRef::UNDEFINED)
    }

    /// The process with a rank, as a location sees it. `None`: nobody defines it.
    pub fn peer(&self, own: LocationRef, comm: CommRef, rank: u32) -> Option<u32> {
        let process = self.processes.of(own)?;
        match self.partners.side(comm, process)? {
            GroupSide::Own => Some(self.locations.get(&own)?.1),
            GroupSide::Group(group) => {
                let location = self.partners.location(group, rank.into())?;
                self.locations.get(&location).map(|(token, _)| *token)
            }
        }
    }

    /// The process with a rank of a communicator, as the root of an operation; 0 where there is none.
    pub fn root(&self, comm: CommRef, rank: u32) -> u32 {
        let group = match self.definitions.comms.get(&comm) {
            Some(Communicator::Comm(comm)) => comm.group,
            Some(Communicator::InterComm(comm)) => comm.group_a,
            None => return 0,
        };
        let location = self.partners.location(group, rank.into());
        location.map_or(0, |location| self.process(location))
    }

    /// The counter of a value.
    pub fn counters(&self, metric: MetricRef) -> &[u32] {
        self.counters.get(&metric).map_or(&[], Vec::as_slice)
    }

    /// The function of a region; 0 where it is not defined.
    pub fn function(&self, region: RegionRef) -> u32 {
        if self.definitions.regions.contains_key(&region) {
            token(region.0)
        } else {
            0
        }
    }

    /// The function of a calling context.
    pub fn function_of(&self, context: CallingContextRef) -> u32 {
        let context = self.definitions.calling_contexts.get(&context);
        context.map_or(0, |context| self.function(context.region))
    }

    /// The function that stands for a time without recording.
    pub fn off(&self) -> u32 {
        let last = self.definitions.regions.keys().map(|region| token(region.0)).max();
        last.unwrap_or(0).wrapping_add(1)
    }

    /// The file of a handle.
    pub fn file(&self, handle: IoHandleRef) -> u32 {
        self.files.get(&handle).copied().unwrap_or(0)
    }

    /// The text of a reference; nothing where it is not defined.
    pub fn text(&self, string: StringRef) -> &'d BStr {
        self.definitions.strings.get(&string).map_or(BStr::new(""), |text| text.as_bstr())
    }

    /// The type of an attribute's values, and the name of what has no place in the format.
    pub fn key_type(value_type: Type) -> Option<KeyValueType> {
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

    /// All definitions, given the span of times, the collective operations that there are, and whether recording
    /// paused.
    pub fn lines(
        &self,
        creator: &str,
        span: (u64, u64),
        (collectives, has_gaps): (&BTreeSet<u8>, bool),
    ) -> Vec<Line> {
        let mut lines = Lines::default();
        let ticks = self.definitions.clock.as_ref().map_or(1_000_000_000, |it| it.timer_resolution);
        lines.add(Record::DefVersion, vec![Kept::Version([1, 12, 5]), Kept::text("streamfold")]);
        lines.add(Record::DefUniqueId, vec![Kept::Number(0)]);
        lines.add(Record::DefCreator, vec![Kept::text(creator)]);
        lines.add(Record::DefTimerResolution, vec![Kept::Number(ticks)]);
        lines.add(Record::DefTimeRange, vec![Kept::Number(span.0), Kept::Number(span.1)]);
        self.process_lines(&mut lines);
        self.groups(&mut lines);
        self.functions(has_gaps, &mut lines);
        for op in collectives {
            let op = CollectiveOp::from(*op);
            let values = vec![number(collective(op)), text(collective_name(op)), number(class(op))];
            lines.add(Record::DefCollectiveOperation, values);
        }
        self.counter_lines(&mut lines);
        self.file_lines(&mut lines);
        for attribute in self.definitions.attributes.values() {
            let Some(key_type) = Tables::key_type(attribute.value_type) else { continue };
            let values = vec![
                number(token(attribute.id.0)),
                number(key_type as u32),
                text(self.text(attribute.name)),
                text(self.text(attribute.description)),
            ];
            lines.add(Record::DefKeyValue, values);
        }
        lines.0
    }

    fn process_lines(&self, lines: &mut Lines) {
        let definitions = self.definitions;
        let mut streams = Vec::new();
        for (own, location) in &self.by_token {
            let Some(location) = definitions.locations.get(location) else { continue };
            let parent = self.locations.get(&location.id).map_or(*own, |(_, parent)| *parent);
            let group = definitions.location_groups.get(&location.location_group);
            let group = group.map_or(BStr::new(""), |group| self.text(group.name));
            let name = process_name(group, self.text(location.name), parent == *own);
            let parent = if parent == *own { 0 } else { parent };
            lines.add(Record::DefProcess, vec![number(*own), text(name), number(parent)]);
            if location.location_type == LocationType::AcceleratorStream {
                streams.push(*own);
            }
        }
        if !streams.is_empty() {
            let list = vec![number(1), Kept::List(vec![IS_CUDA_THREAD])];
            lines.add(Record::DefAttributeList, list);
        }
        for stream in streams {
            lines.add(Record::DefProcessOrGroupAttributes, vec![number(stream), number(1)]);
        }
    }

    fn groups(&self, lines: &mut Lines) {
        let mut comms: Vec<(u32, CommRef)> =
            self.comms.iter().map(|(comm, token)| (*token, *comm)).collect();
        comms.sort_unstable();
        for (own, comm) in comms {
            let (name, groups) = match &self.definitions.comms[&comm] {
                Communicator::Comm(comm) => (comm.name, vec![comm.group]),
                Communicator::InterComm(comm) => (comm.name, vec![comm.group_a, comm.group_b]),
            };
            let members = groups.into_iter().flat_map(|group| self.members(group)).collect();
            let values = vec![number(own), Kept::List(members), text(self.text(name))];
            lines.add(Record::DefProcessGroup, values);
        }
    }

    fn members(&self, group: GroupRef) -> Vec<u32> {
        let size = self.partners.members_of(group) as u64;
        let locations = (0..size).filter_map(|rank| self.partners.location(group, rank));
        locations.map(|location| self.process(location)).filter(|process| *process != 0).collect()
    }

    fn functions(&self, has_gaps: bool, lines: &mut Lines) {
        let definitions = self.definitions;
        let mut paradigms: BTreeSet<u8> =
            definitions.regions.values().map(|region| region.paradigm.into()).collect();
        paradigms.extend(has_gaps.then_some(u8::from(Paradigm::MeasurementSystem)));
        for paradigm in paradigms {
            let values = vec![number(group_of(paradigm)), text(group_name(paradigm.into()))];
            lines.add(Record::DefFunctionGroup, values);
        }
        let known = definitions.source_code_locations.values();
        let files: BTreeSet<StringRef> = known
            .clone()
            .map(|source| source.file)
            .chain(self.sources.keys().map(|(file, _)| *file))
            .collect();
        for file in files {
            let values = vec![number(token(file.0)), text(self.text(file))];
            lines.add(Record::DefSclFile, values);
        }
        let mut all: BTreeMap<u32, (StringRef, u32)> =
            known.map(|it| (token(it.id.0), (it.file, it.line_number))).collect();
        all.extend(self.sources.iter().map(|(place, token)| (*token, *place)));
        for (own, (file, line)) in all {
            let values = vec![number(own), number(token(file.0)), number(line)];
            lines.add(Record::DefScl, values);
        }
        if has_gaps {
            let own = number(group_of(Paradigm::MeasurementSystem.into()));
            let values = vec![number(self.off()), own, text("(measurement off)"), number(0)];
            lines.add(Record::DefFunction, values);
        }
        let mut regions: Vec<_> = definitions.regions.values().collect();
        regions.sort_unstable_by_key(|region| region.id);
        for region in regions {
            let source = self.sources.get(&(region.source_file, region.begin_line_number));
            let values = vec![
                number(token(region.id.0)),
                number(group_of(region.paradigm.into())),
                text(self.text(region.name)),
                number(source.copied().unwrap_or(0)),
            ];
            lines.add(Record::DefFunction, values);
        }
    }

    fn counter_lines(&self, lines: &mut Lines) {
        let members = self.definitions.metric_members.values();
        let groups: BTreeSet<StringRef> = members.map(|member| member.description).collect();
        for group in groups.into_iter().filter(|group| self.counter_group(*group) != 0) {
            let values = vec![number(self.counter_group(group)), text(self.text(group))];
            lines.add(Record::DefCounterGroup, values);
        }
        for (own, (metric, place)) in &self.counter_of {
            let member = members(self.definitions, *metric).get(*place);
            let member = member.and_then(|it| self.definitions.metric_members.get(it));
            let values = match member {
                Some(member) => self.counter(*own, *metric, member),
                None => vec![
                    number(*own),
                    number(0),
                    text(format!("metric {}", metric.0)),
                    number(0),
                    number(0),
                    text(""),
                ],
            };
            lines.add(Record::DefCounter, values);
        }
    }

    /// The group of counters of a description; 0 where there is none.
    fn counter_group(&self, description: StringRef) -> u32 {
        if self.text(description).is_empty() {
            0
        } else {
            token(description.0)
        }
    }

    fn counter(&self, own: u32, metric: MetricRef, member: &MetricMember) -> Vec<Kept> {
        let mut name = self.text(member.name).to_owned();
        if let Some(Metric::Instance(instance)) = self.definitions.metrics.get(&metric) {
            name.extend_from_slice(format!(" ({})", instance.scope).as_bytes());
        }
        let unit = self.text(member.unit);
        let unit = match (member.exponent, member.base) {
            (0, _) => unit.to_owned(),
            (exponent, Base::Binary) => format!("2^{exponent}*{unit}").into(),
            (exponent, _) => format!("10^{exponent}*{unit}").into(),
        };
        let properties = properties(member.metric_mode, member.value_type);
        let group = self.counter_group(member.description);
        vec![number(own), number(group), text(name), number(properties), number(0), text(unit)]
    }

    fn file_lines(&self, lines: &mut Lines) {
        let mut names: BTreeMap<u32, StringRef> = BTreeMap::new();
        for file in self.definitions.io_files.values() {
            let (IoFile::Regular(IoRegularFile { id, name, .. })
            | IoFile::Directory(IoDirectory { id, name, .. })) = file;
            names.insert(token(id.0), *name);
        }
        for (handle, file) in &self.files {
            let name = self.definitions.io_handles.get(handle).map(|handle| handle.name);
            names.entry(*file).or_insert(name.unwrap_or(StringRef::UNDEFINED));
        }
        for (own, name) in names {
            lines.add(Record::DefFile, vec![number(own), text(self.text(name)), number(0)]);
        }
    }
}

/// Records that define something.
#[derive(Default)]
struct Lines(Vec<Line>);

impl Lines {
    fn add(&mut self, record: Record, values: Vec<Kept>) {
        self.0.push(Line::new(record, values));
    }
}

fn number(number: u32) -> Kept {
    Kept::Number(number.into())
}

fn text(text: impl Into<BString>) -> Kept {
    Kept::Text(Some(text.into()))
}

/// The token of a place in the source.
pub(super) fn source(source: SourceCodeLocationRef) -> u32 {
    token(source.0)
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

/// A process has the name of its group, a thread that and its own.
fn process_name(group: &BStr, own: &BStr, is_first: bool) -> BString {
    match (group.is_empty(), own.is_empty()) {
        (true, _) => own.to_owned(),
        (_, true) => group.to_owned(),
        _ if group == own || is_first => group.to_owned(),
        _ if own.starts_with(group.as_bytes()) => own.to_owned(),
        _ => {
            let mut name = group.to_owned();
            name.extend_from_slice(b": ");
            name.extend_from_slice(own);
            name
        }
    }
}

/// The members of a class, or of that of an instance.
fn members(definitions: &Definitions, metric: MetricRef) -> &[MetricMemberRef] {
    match definitions.metrics.get(&metric) {
        Some(Metric::Class(class)) => &class.metric_members,
        Some(Metric::Instance(instance)) => match definitions.metrics.get(&instance.metric_class) {
            Some(Metric::Class(class)) => &class.metric_members,
            _ => &[],
        },
        None => &[],
    }
}

/// The properties of a counter, section 9.3.
fn properties(mode: MetricMode, value_type: Type) -> u32 {
    let (kind, scope) = match mode {
        MetricMode::AccumulatedStart => (0, 0),
        MetricMode::AccumulatedPoint => (0, 1),
        MetricMode::AccumulatedLast => (0, 2),
        MetricMode::AccumulatedNext => (0, 3),
        MetricMode::AbsoluteLast | MetricMode::RelativeLast => (1, 2),
        MetricMode::AbsoluteNext | MetricMode::RelativeNext => (1, 3),
        _ => (1, 1),
    };
    let value_type = match value_type {
        Type::Int8 | Type::Int16 | Type::Int32 | Type::Int64 => 1,
        Type::Float => 8,
        Type::Double => 9,
        _ => 0,
    };
    kind | scope << 2 | value_type << 5
}

fn group_of(paradigm: u8) -> u32 {
    u32::from(paradigm) + 1
}

/// The name of the functions of a paradigm, as VampirTrace calls them where it knows it.
fn group_name(paradigm: Paradigm) -> &'static str {
    match paradigm {
        Paradigm::Mpi => "MPI",
        Paradigm::Openmp => "OMP",
        Paradigm::Pthread => "PTHREAD",
        Paradigm::MeasurementSystem => "VT_API",
        Paradigm::Compiler | Paradigm::User | Paradigm::Unknown => "Application",
        other => other.name().unwrap_or("Application"),
    }
}

/// The token of a collective operation.
pub(super) fn collective(op: CollectiveOp) -> u32 {
    u32::from(u8::from(op)) + 1
}

fn collective_name(op: CollectiveOp) -> String {
    let Some(name) = op.name() else { return format!("collective {}", u8::from(op)) };
    let (first, rest) = name.split_at(1);
    format!("MPI_{first}{}", rest.to_lowercase())
}

/// Barrier, one to all, all to one, all to all; 0: none of these.
fn class(op: CollectiveOp) -> u32 {
    match op {
        CollectiveOp::Barrier => 1,
        CollectiveOp::Bcast | CollectiveOp::Scatter | CollectiveOp::Scatterv => 2,
        CollectiveOp::Gather | CollectiveOp::Gatherv | CollectiveOp::Reduce => 3,
        CollectiveOp::Allgather
        | CollectiveOp::Allgatherv
        | CollectiveOp::Alltoall
        | CollectiveOp::Alltoallv
        | CollectiveOp::Alltoallw
        | CollectiveOp::Allreduce
        | CollectiveOp::ReduceScatter
        | CollectiveOp::ReduceScatterBlock
        | CollectiveOp::Scan
        | CollectiveOp::Exscan => 4,
        _ => 0,
    }
}
