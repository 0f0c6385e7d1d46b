//! Records that define the tokens of a trace.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, BString, ByteSlice};
use streamfold_model::definitions::{IoDirectory, IoRegularFile, MetricMember};
use streamfold_model::enums::{Base, CollectiveOp, LocationType, MetricMode, Paradigm, Type};
use streamfold_model::ids::{CommRef, GroupRef, MetricRef, StringRef};
use streamfold_model::store::{Communicator, IoFile, Metric};

use super::super::definitions::{Kept, Line};
use super::tables::{collective, members, token, Tables};
use streamfold_formats::otf::Record;

/// Attributes of threads on accelerators, by the table of attributes.
const IS_CUDA_THREAD: u32 = 8;

impl Tables<'_> {
    /// All definitions, given the span of times, the collective operations that there are, and whether recording
    /// paused.
    pub(super) fn lines(
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
        let all = self.definitions.metric_members.values();
        let groups: BTreeSet<StringRef> = all.map(|member| member.description).collect();
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
