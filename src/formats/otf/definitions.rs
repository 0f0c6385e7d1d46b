//! Tables of tokens as definitions of the model. Tokens are kept as references.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, BString, ByteSlice};
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::{
    Attribute, Comm, Definition, Group, MetricClass, MetricMember, Region, RmaWin,
    SourceCodeLocation,
};
use streamfold_model::enums::{
    Base, CollectiveOp, CommFlag, GroupFlag, GroupType, IoParadigmClass, LocationType, MetricMode,
    MetricOccurrence, MetricType, Paradigm, RecorderKind, RegionFlag, RegionRole, RmaWinFlag, Type,
};
use streamfold_model::ids::{
    AttributeRef, CommRef, GroupRef, MetricMemberRef, MetricRef, RegionRef, RmaWinRef,
    SourceCodeLocationRef, StringRef, SystemTreeNodeRef,
};

use super::tables::{named, Counter, Function, Key, Process, Tables};
use crate::defining::Defining;
use crate::mpi;

/// Numbers of the table of attributes.
const IS_CUDA_THREAD: u32 = 8;

/// Definitions of tokens that readers of events need.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// The processes of threads.
    pub process_of: BTreeMap<u32, u32>,
    /// The processes of each communicator, or the threads, in the order of their ranks.
    pub comms: BTreeMap<u32, Vec<u32>>,
    /// All processes, in the order of their ranks in the communicator below.
    pub processes: Vec<u32>,
    /// The communicator of those that are in none, or not in the one that is named.
    pub all: u32,
    pub collectives: BTreeMap<u32, CollectiveOp>,
    pub counters: BTreeMap<u32, Type>,
    pub keys: BTreeMap<u32, Type>,
    /// The attribute of the place in the source.
    pub source: u32,
}

/// New tokens of a stream whose own tokens mean something else in other streams.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Renamed {
    pub functions: BTreeMap<u32, u32>,
    pub groups: BTreeMap<u32, u32>,
    pub collectives: BTreeMap<u32, u32>,
    pub counters: BTreeMap<u32, u32>,
    pub sources: BTreeMap<u32, u32>,
    pub files: BTreeMap<u32, u32>,
    pub keys: BTreeMap<u32, u32>,
}

impl Renamed {
    pub(super) fn is_empty(&self) -> bool {
        let Renamed { functions, groups, collectives, counters, sources, files, keys } = self;
        [functions, groups, collectives, counters, sources, files, keys]
            .iter()
            .all(|map| map.is_empty())
    }
}

/// Adds the definitions of a stream to those of all. A token that means something else there gets another number. Facts
/// about the trace count where none came before.
pub(super) fn join(all: &mut Tables, own: Tables) -> Renamed {
    let mut renamed = Renamed::default();
    for (record, count) in own.counts {
        *all.counts.entry(record).or_default() += count;
    }
    all.comments.extend(own.comments);
    all.version = all.version.take().or(own.version);
    all.unique_id = all.unique_id.or(own.unique_id);
    all.creator = all.creator.take().or(own.creator);
    for (kind, count) in own.samples {
        let known = all.samples.entry(kind).or_default();
        *known = count.max(*known);
    }
    for (token, process) in own.processes {
        all.processes.entry(token).or_insert(process);
    }
    let function_groups = add(&mut all.function_groups, own.function_groups);
    let counter_groups = add(&mut all.counter_groups, own.counter_groups);
    let source_files = add(&mut all.source_files, own.source_files);
    let of = |map: &BTreeMap<u32, u32>, token: u32| map.get(&token).copied().unwrap_or(token);
    let sources = own
        .sources
        .into_iter()
        .map(|(token, (file, line))| (token, (of(&source_files, file), line)));
    renamed.sources = add(&mut all.sources, sources.collect());
    let functions = own.functions.into_iter().map(|(token, function)| {
        let group = of(&function_groups, function.group);
        let source = of(&renamed.sources, function.source);
        (token, Function { group, source, ..function })
    });
    renamed.functions = add(&mut all.functions, functions.collect());
    let counters = own.counters.into_iter().map(|(token, counter)| {
        (token, Counter { group: of(&counter_groups, counter.group), ..counter })
    });
    renamed.counters = add(&mut all.counters, counters.collect());
    let is_group = |token: &u32| own.groups.contains_key(token);
    let marked: Vec<(u32, u32, bool)> =
        own.attributes_of.iter().map(|(of, list)| (*of, *list, is_group(of))).collect();
    let lists = add(&mut all.attribute_lists, own.attribute_lists);
    renamed.groups = add(&mut all.groups, own.groups);
    for (token, list, is_group) in marked {
        let token = if is_group { of(&renamed.groups, token) } else { token };
        all.attributes_of.entry(token).or_insert(of(&lists, list));
    }
    renamed.collectives = add(&mut all.collectives, own.collectives);
    renamed.files = add(&mut all.files, own.files);
    renamed.keys = add(&mut all.keys, own.keys);
    renamed
}

/// Adds a table to another. Returns the new tokens of what could not keep its own.
fn add<T: PartialEq>(all: &mut BTreeMap<u32, T>, own: BTreeMap<u32, T>) -> BTreeMap<u32, u32> {
    let mut renamed = BTreeMap::new();
    for (token, what) in own {
        match all.get(&token) {
            None => {
                all.insert(token, what);
            }
            Some(known) if *known == what => {}
            Some(_) => {
                let same = all.iter().find(|(_, known)| **known == what).map(|(token, _)| *token);
                let other = same.unwrap_or_else(|| unused(all.keys()));
                renamed.insert(token, other);
                all.entry(other).or_insert(what);
            }
        }
    }
    renamed
}

/// A token that nothing has.
fn unused<'t>(tokens: impl DoubleEndedIterator<Item = &'t u32> + Clone) -> u32 {
    let after = tokens.clone().next_back().map_or(Some(1), |last| last.checked_add(1));
    // The last one stands for none.
    let after = after.filter(|token| *token != u32::MAX);
    after.unwrap_or_else(|| {
        let known: BTreeSet<u32> = tokens.copied().collect();
        (1..u32::MAX).find(|token| !known.contains(token)).unwrap_or(u32::MAX)
    })
}

/// The definitions of the model, given the processes of all streams, a name for the machine, and the span of times.
pub(super) fn build(
    tables: &Tables,
    listed: &BTreeSet<u32>,
    span: (u64, u64),
) -> (streamfold_model::store::Definitions, Tokens) {
    let mut to = Defining::default();
    let nothing = b"".as_bstr();
    to.text(nothing);
    to.node(0, "OTF", "machine", SystemTreeNodeRef::UNDEFINED);
    to.clock(tables.ticks_per_second.unwrap_or(0), span);
    let mut tokens = Tokens::default();
    let streams = tables.processes_with(IS_CUDA_THREAD);
    processes(tables, listed, &streams, &mut to, &mut tokens);
    communicators(tables, &streams, &mut to, &mut tokens);
    sources(tables, &mut to);
    for (token, function) in &tables.functions {
        region(*token, function, tables, &mut to);
    }
    for (token, (name, class)) in &tables.collectives {
        tokens.collectives.insert(*token, collective(name, *class));
    }
    for (token, counter) in &tables.counters {
        let value_type = metric(*token, counter, tables, &mut to);
        tokens.counters.insert(*token, value_type);
    }
    to.interface(0, "OTF", "file operations", IoParadigmClass::Serial);
    for (token, name) in &tables.files {
        to.file(*token, name.as_bstr());
        to.handle(*token, *token, 0);
    }
    for (token, key) in &tables.keys {
        let Some(value_type) = key_type(key) else { continue };
        let attribute = Attribute {
            id: AttributeRef(*token),
            name: to.text(key.name.as_bstr()),
            value_type,
            description: to.text(key.description.as_bstr()),
        };
        to.definitions.insert(Definition::Attribute(attribute));
        tokens.keys.insert(*token, value_type);
    }
    tokens.source = unused(tables.keys.keys());
    let attribute = Attribute {
        id: AttributeRef(tokens.source),
        name: to.text(b"source".as_bstr()),
        value_type: Type::SourceCodeLocation,
        description: to.text(b"where in the source the event is".as_bstr()),
    };
    to.definitions.insert(Definition::Attribute(attribute));
    (to.definitions, tokens)
}

/// A process is a location; one without parent also a process of the model, to which its threads belong.
fn processes(
    tables: &Tables,
    listed: &BTreeSet<u32>,
    streams: &BTreeSet<u32>,
    to: &mut Defining,
    tokens: &mut Tokens,
) {
    let all: BTreeSet<u32> = tables.processes.keys().chain(listed).copied().collect();
    let mut numbers = BTreeMap::new();
    for token in &all {
        let root = tables.process_of(*token);
        if root != *token {
            tokens.process_of.insert(*token, root);
            continue;
        }
        // Readers of OTF2 expect the numbers of processes to have no gaps.
        numbers.insert(*token, tokens.processes.len() as u32);
        let name = process_name(tables.processes.get(token), *token);
        to.process(numbers[token], &name, 0);
        tokens.processes.push(*token);
    }
    for token in &all {
        let root = tokens.process_of.get(token).unwrap_or(token);
        let location_type = match streams.contains(token) {
            true => LocationType::AcceleratorStream,
            false => LocationType::CpuThread,
        };
        let name = process_name(tables.processes.get(token), *token);
        to.location(((*token).into(), location_type), &name, numbers[root], 0);
    }
}

fn process_name(process: Option<&Process>, token: u32) -> String {
    let name = process.and_then(|process| process.name.as_ref());
    named(name, "process", token).to_str_lossy().into_owned()
}

/// Each group of processes is a communicator: nothing tells which are. All processes together are another one. Threads
/// stand for their processes, but in groups with a stream, and in those of threads of one process, which are teams.
fn communicators(tables: &Tables, streams: &BTreeSet<u32>, to: &mut Defining, tokens: &mut Tokens) {
    let defined: BTreeSet<u32> =
        tokens.processes.iter().chain(tokens.process_of.keys()).copied().collect();
    tokens.all = match tables.groups.contains_key(&0) {
        false => 0,
        true => unused(tables.groups.keys()),
    };
    let mut lists: Vec<(u32, BString, Paradigm)> = Vec::new();
    for (token, group) in &tables.groups {
        let mut members = tables.members(*token);
        members.retain(|member| defined.contains(member));
        let root = |member: &u32| *tokens.process_of.get(member).unwrap_or(member);
        let roots: BTreeSet<u32> = members.iter().map(root).collect();
        let has_threads = members.iter().any(|member| !roots.contains(member));
        let paradigm = match () {
            () if members.iter().any(|member| streams.contains(member)) => Paradigm::Cuda,
            () if has_threads && roots.len() == 1 => Paradigm::Openmp,
            () => Paradigm::Mpi,
        };
        if paradigm == Paradigm::Mpi {
            let mut known = BTreeSet::new();
            members = members.iter().map(root).filter(|root| known.insert(*root)).collect();
        }
        lists.push((*token, group.name.clone(), paradigm));
        tokens.comms.insert(*token, members);
    }
    lists.push((tokens.all, "all processes".into(), Paradigm::Mpi));
    tokens.comms.insert(tokens.all, tokens.processes.clone());
    let mut taken: BTreeSet<u32> = tokens.comms.keys().copied().collect();
    for (name, paradigm) in [
        ("processes", Paradigm::Mpi),
        ("threads", Paradigm::Openmp),
        ("hosts and streams", Paradigm::Cuda),
    ] {
        let of = || lists.iter().filter(|(.., of)| *of == paradigm).map(|(token, ..)| token);
        let all: BTreeSet<u32> = of().flat_map(|token| &tokens.comms[token]).copied().collect();
        // Processes have the order of their ranks, and are there without any group.
        if all.is_empty() && paradigm != Paradigm::Mpi {
            continue;
        }
        let list = unused(taken.iter());
        taken.insert(list);
        let mut group = Group {
            id: GroupRef(list),
            name: to.text(name.as_bytes().as_bstr()),
            members: all.iter().map(|member| (*member).into()).collect(),
            group_type: GroupType::CommLocations,
            paradigm,
            group_flags: GroupFlag::NONE,
        };
        to.definitions.insert(Definition::Group(group.clone()));
        let places: BTreeMap<u32, u64> = all.into_iter().zip(0..).collect();
        for (token, name, _) in lists.iter().filter(|(.., of)| *of == paradigm) {
            let name = to.text(name.as_bstr());
            group.members = tokens.comms[token].iter().map(|member| places[member]).collect();
            group.group_type = GroupType::CommGroup;
            (group.id, group.name) = (GroupRef(*token), name);
            to.definitions.insert(Definition::Group(group.clone()));
            let comm = CommRef(*token);
            to.definitions.insert(Definition::Comm(Comm {
                id: comm,
                name,
                group: GroupRef(*token),
                parent: CommRef::UNDEFINED,
                flags: CommFlag::NONE,
            }));
            let (id, flags) = (RmaWinRef(*token), RmaWinFlag::NONE);
            to.definitions.insert(Definition::RmaWin(RmaWin { id, name, comm, flags }));
        }
    }
}

fn sources(tables: &Tables, to: &mut Defining) {
    for (token, (file, line)) in &tables.sources {
        let name = named(tables.source_files.get(file), "file", *file);
        let location = SourceCodeLocation {
            id: SourceCodeLocationRef(*token),
            file: to.text(&name),
            line_number: *line,
        };
        to.definitions.insert(Definition::SourceCodeLocation(location));
    }
}

fn region(token: u32, function: &Function, tables: &Tables, to: &mut Defining) {
    let group = named(tables.function_groups.get(&function.group), "group", function.group);
    let source = tables.sources.get(&function.source).filter(|_| function.source != 0);
    let (file, line) = match source {
        Some((file, line)) => {
            let name = named(tables.source_files.get(file), "file", *file);
            (to.text(&name), *line)
        }
        None => (StringRef::UNDEFINED, 0),
    };
    let (role, paradigm) = role(function.name.as_bstr(), &group);
    let name = to.text(function.name.as_bstr());
    let region = Region {
        id: RegionRef(token),
        name,
        description: to.text(&group),
        source_file: file,
        begin_line_number: line,
        end_line_number: line,
        canonical_name: name,
        region_role: role,
        paradigm,
        region_flags: RegionFlag::NONE,
    };
    to.definitions.insert(Definition::Region(region));
}

/// Functions of VampirTrace in its own group.
const OF_RECORDER: [&[u8]; 5] =
    [b"flush", b"sync", b"sync time", b"dump statistics", b"tracing off"];

/// Returns the role and paradigm of a function, by its name and the name of its group. VampirTrace names groups after
/// libraries.
fn role(name: &BStr, group: &BStr) -> (RegionRole, Paradigm) {
    let group = group.to_ascii_uppercase();
    let begins = |word: &str| group.starts_with(word.as_bytes());
    let paradigm = match () {
        () if name.starts_with(b"MPI_") || begins("MPI") => Paradigm::Mpi,
        () if name.starts_with(b"!$omp ") || begins("OMP") || begins("OPENMP") => Paradigm::Openmp,
        () if begins("PTHREAD") => Paradigm::Pthread,
        () if begins("CUDA") => Paradigm::Cuda,
        () if begins("OPENCL") => Paradigm::Opencl,
        () if begins("VT_API") || begins("VAMPIRTRACE") => Paradigm::MeasurementSystem,
        () => Paradigm::Compiler,
    };
    let role = match paradigm {
        Paradigm::Openmp => openmp_role(name),
        // The recorder enters it whenever nothing runs.
        Paradigm::Cuda | Paradigm::Opencl if group.ends_with(b"_IDLE") => RegionRole::Artificial,
        // Others in this group stand for the program: `streamfold convert` wrote them.
        Paradigm::MeasurementSystem if !OF_RECORDER.contains(&name.as_bytes()) => {
            RegionRole::Artificial
        }
        _ => RegionRole::Function,
    };
    (role, paradigm)
}

/// Returns the role of a construct of OpenMP: its name is the directive, with a place behind it.
fn openmp_role(name: &BStr) -> RegionRole {
    let directive = name.strip_prefix(b"!$omp ").unwrap_or(name);
    let mut words = directive.split(|byte| !byte.is_ascii_alphanumeric());
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match (first, second) {
        (b"parallel", _) => RegionRole::Parallel,
        (b"ibarrier", _) | (b"implicit", b"barrier") => RegionRole::ImplicitBarrier,
        (b"barrier", _) => RegionRole::Barrier,
        (b"for" | b"do" | b"loop", _) => RegionRole::Loop,
        (b"sections", _) => RegionRole::Sections,
        (b"section", _) => RegionRole::Section,
        (b"workshare", _) => RegionRole::Workshare,
        (b"single", _) => RegionRole::Single,
        (b"master", _) => RegionRole::Master,
        (b"critical", b"sblock") => RegionRole::CriticalSblock,
        (b"critical", _) => RegionRole::Critical,
        (b"atomic", _) => RegionRole::Atomic,
        (b"flush", _) => RegionRole::Flush,
        (b"ordered", _) => RegionRole::Ordered,
        (b"taskwait", _) => RegionRole::TaskWait,
        (b"task", _) => RegionRole::Task,
        _ => RegionRole::Function,
    }
}

/// Returns the collective operation, by its name, or else by its class.
fn collective(name: &BString, class: u32) -> CollectiveOp {
    mpi::collective_op(name).unwrap_or(match class {
        2 => CollectiveOp::Bcast,
        3 => CollectiveOp::Reduce,
        4 => CollectiveOp::Alltoall,
        _ => CollectiveOp::Barrier,
    })
}

/// A counter is a metric of one member. Returns the type of its values.
fn metric(token: u32, counter: &Counter, tables: &Tables, to: &mut Defining) -> Type {
    let Counter { name, group, properties, unit } = counter;
    let value_type = match properties >> 5 & 15 {
        1 | 3 | 5 => Type::Int64,
        8 | 9 => Type::Double,
        _ => Type::Uint64,
    };
    let metric_mode = match (properties & 3, properties >> 2 & 3) {
        (0, 0) => MetricMode::AccumulatedStart,
        (0, 1) => MetricMode::AccumulatedPoint,
        (0, 2) => MetricMode::AccumulatedLast,
        (0, _) => MetricMode::AccumulatedNext,
        (_, 2) => MetricMode::AbsoluteLast,
        (_, 3) => MetricMode::AbsoluteNext,
        _ => MetricMode::AbsolutePoint,
    };
    let metric_type = if name.starts_with(b"PAPI_") { MetricType::Papi } else { MetricType::Other };
    let group = named(tables.counter_groups.get(group), "group", *group);
    let member = MetricMember {
        id: MetricMemberRef(token),
        name: to.text(name.as_bstr()),
        description: to.text(&group),
        metric_type,
        metric_mode,
        value_type,
        base: Base::Decimal,
        exponent: 0,
        unit: to.text(unit.as_bstr()),
    };
    to.definitions.insert(Definition::MetricMember(member));
    to.definitions.insert(Definition::MetricClass(MetricClass {
        id: MetricRef(token),
        metric_members: vec![MetricMemberRef(token)],
        metric_occurrence: MetricOccurrence::Asynchronous,
        recorder_kind: RecorderKind::Abstract,
    }));
    value_type
}

/// The type of an attribute. The model has none for arrays of bytes.
fn key_type(key: &Key) -> Option<Type> {
    Some(match key.value_type {
        0 | 2 => Type::Uint8,
        1 => Type::Int8,
        3 => Type::Int16,
        4 => Type::Uint16,
        5 => Type::Int32,
        6 => Type::Uint32,
        7 => Type::Int64,
        8 => Type::Uint64,
        9 => Type::Float,
        10 => Type::Double,
        _ => return None,
    })
}
