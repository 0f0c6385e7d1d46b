//! The definitions of a trace, of what all its files say.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use streamfold_model::enums::{
    IoParadigmClass, LocationGroupType, LocationType, Paradigm, RegionRole,
};
use streamfold_model::ids::{LocationGroupRef, LocationRef, SystemTreeNodeRef};
use streamfold_model::store::Definitions;

use super::file::{microseconds, Counts, Interface, Name, Process, Property, Scanned};
use super::files::{program_of, Settling};
use super::groups::Groups;
use super::messages::Guesses;
use super::series::{self, Series};
use super::slices::{Overlaps, Peer};
use super::trace::{Dftracer, TracePart};
use crate::defining::{Defining, Kept, Value};
use crate::runs::Runs;
use crate::Note;

/// The strings that hashes stand for, in all files.
struct Hashes {
    files: HashMap<BString, BString>,
    hosts: HashMap<BString, BString>,
    others: HashMap<BString, BString>,
    /// Synthesised names of files whose hashes nothing defines.
    unnamed: BTreeSet<BString>,
}

impl Hashes {
    /// Of several files that define a hash, the first one counts.
    fn new(parts: &[(PathBuf, Scanned)]) -> Self {
        let (mut files, mut hosts, mut others) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (_, scanned) in parts {
            let strings = &scanned.strings;
            let tables = [
                (&mut files, &strings.files),
                (&mut hosts, &strings.hosts),
                (&mut others, &strings.others),
            ];
            for (all, own) in tables {
                for (hash, text) in own {
                    all.entry(hash.clone()).or_insert_with(|| text.clone());
                }
            }
        }
        Hashes { files, hosts, others, unnamed: BTreeSet::new() }
    }

    fn file(&mut self, scanned: &Scanned, name: &Name) -> BString {
        match name {
            Name::Literal(name) => name.clone(),
            Name::Hash(hash) => {
                let own = scanned.strings.files.get(hash);
                own.or_else(|| self.files.get(hash)).cloned().unwrap_or_else(|| {
                    let unnamed = BString::from(format!("#{hash}"));
                    self.unnamed.insert(unnamed.clone());
                    unnamed
                })
            }
        }
    }

    /// Something that records say of a process.
    fn property(&self, scanned: &Scanned, property: &Property) -> Value {
        let (own, all, hash) = match property {
            Property::Number(number) => return Value::Number(*number),
            Property::Text(text) => return Value::Text(text.clone()),
            Property::Hash(hash) => (&scanned.strings.others, &self.others, hash),
            Property::FileHash(hash) => (&scanned.strings.files, &self.files, hash),
        };
        let text = own.get(hash).or_else(|| all.get(hash)).cloned();
        Value::Text(text.unwrap_or_else(|| format!("#{hash}").into()))
    }

    fn host(&self, scanned: &Scanned, process: &Process) -> BString {
        match &process.host {
            None => "unknown".into(),
            Some(Name::Literal(name)) => name.clone(),
            Some(Name::Hash(hash)) => {
                let own = scanned.strings.hosts.get(hash);
                let known = own.or_else(|| self.hosts.get(hash)).cloned();
                known.unwrap_or_else(|| format!("unknown:{hash}").into())
            }
        }
    }
}

/// The paradigm of accelerators, by the names of calls to their library.
fn paradigm_of_devices<'r>(regions: impl Iterator<Item = &'r (BString, BString)>) -> Paradigm {
    let mut of_library = regions.filter(|(category, _)| category.ends_with(b"_runtime"));
    match of_library.any(|(_, name)| name.starts_with(b"hip")) {
        true => Paradigm::Hip,
        false => Paradigm::Cuda,
    }
}

/// Returns the role and paradigm of a region, given the paradigm of accelerators.
fn role(category: &[u8], name: &[u8], devices: Paradigm) -> (RegionRole, Paradigm) {
    match category {
        b"kernel" | b"gpu_memset" => return (RegionRole::Function, devices),
        b"gpu_memcpy" => return (RegionRole::DataTransfer, devices),
        // The begin and the end of the recording.
        b"dftracer" => return (RegionRole::Function, Paradigm::MeasurementSystem),
        b"cuda_runtime" | b"cuda_driver" | b"hip_runtime" => {
            return (RegionRole::Function, devices);
        }
        _ => {}
    }
    const MOVES: [&str; 11] = [
        "read", "write", "pread", "pwrite", "fread", "fwrite", "fput", "fget", "sendfile",
        "H5Dread", "H5Dwrite",
    ];
    const MOVES_OF_MPI: [&str; 4] =
        ["MPI_File_read", "MPI_File_write", "MPI_File_iread", "MPI_File_iwrite"];
    let is = |names: &[&str]| names.iter().any(|other| name.starts_with(other.as_bytes()));
    let is_of_mpi = name.starts_with(b"MPI_");
    let paradigm = if is_of_mpi { Paradigm::Mpi } else { Paradigm::Unknown };
    let role = match category.to_ascii_uppercase().as_slice() {
        b"POSIX" if is_on_processes(name) => RegionRole::Function,
        b"POSIX" | b"STDIO" | b"HDF5" | b"MPIIO" | b"MPI-IO" => {
            match is(&MOVES) || is(&MOVES_OF_MPI) {
                true => RegionRole::FileIo,
                false => RegionRole::FileIoMetadata,
            }
        }
        b"P2P" if is_of_mpi => RegionRole::Point2point,
        b"COLLECTIVE" if is_of_mpi => match () {
            () if is(&["MPI_Barrier", "MPI_Ibarrier"]) => RegionRole::Barrier,
            () if is(&["MPI_Bcast", "MPI_Ibcast", "MPI_Scatter", "MPI_Iscatter"]) => {
                RegionRole::CollOne2all
            }
            // Data that is reduced and scattered goes from all to all.
            () if is(&["MPI_Reduce_", "MPI_Ireduce_"]) => RegionRole::CollAll2all,
            () if is(&["MPI_Reduce", "MPI_Ireduce", "MPI_Gather", "MPI_Igather"]) => {
                RegionRole::CollAll2one
            }
            () => RegionRole::CollAll2all,
        },
        _ => RegionRole::Function,
    };
    (role, paradigm)
}

/// Tells whether a call of POSIX is about processes, not about files.
fn is_on_processes(name: &[u8]) -> bool {
    const CALLS: [&str; 14] = [
        "fork", "vfork", "clone", "clone3", "wait", "wait3", "wait4", "waitid", "waitpid", "kill",
        "system", "exit", "_exit", "pause",
    ];
    let is_of_family = |family: &str| name.starts_with(family.as_bytes());
    CALLS.iter().any(|call| name == call.as_bytes())
        || ["exec", "posix_spawn", "sleep", "usleep", "nanosleep"].into_iter().any(is_of_family)
}

/// The definitions of a trace while they are built, with the numbers of its regions, handles and
/// series.
struct Building {
    to: Defining,
    hashes: Hashes,
    regions: BTreeMap<(BString, BString), u32>,
    handles: BTreeMap<(BString, Interface), u32>,
    /// The file of each handle.
    files: Vec<u32>,
    /// Series of values, each with its number.
    series: BTreeMap<Series, u32>,
    nodes: BTreeMap<BString, u32>,
    /// Labels of accelerators that several groups have.
    repeated: BTreeSet<BString>,
    /// Processes and locations so far.
    processes: u32,
    locations: u64,
}

impl Building {
    /// Defines what all files have in common.
    fn new(parts: &[(PathBuf, Scanned)]) -> Self {
        let mut hashes = Hashes::new(parts);
        let (mut regions, mut handles, mut hosts) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (mut series, mut has_phases) = (BTreeSet::new(), false);
        for (_, scanned) in parts {
            regions.extend(scanned.regions.iter().cloned());
            series.extend(scanned.series.iter().cloned());
            has_phases |= scanned.has_phases;
            for (name, interface) in &scanned.names {
                handles.insert((hashes.file(scanned, name), *interface));
            }
            hosts.extend(scanned.processes.iter().map(|process| hashes.host(scanned, process)));
        }
        let mut building = Building {
            to: Defining::default(),
            hashes,
            regions: regions.into_iter().zip(0..).collect(),
            handles: handles.into_iter().zip(0..).collect(),
            files: Vec::new(),
            series: series.into_iter().zip(0..).collect(),
            nodes: hosts.into_iter().zip(1..).collect(),
            repeated: repeated_devices(parts),
            processes: 0,
            locations: 0,
        };
        building.to.text(b"".as_bstr());
        building.to.attributes();
        if parts.iter().any(|(_, scanned)| scanned.has_links) {
            building.to.links();
        }
        if parts.iter().any(|(_, scanned)| scanned.has_external) {
            building.to.external_links();
        }
        building.define_regions();
        building.define_files();
        building.define_nodes();
        series::define(&mut building.to, building.series.keys());
        if has_phases {
            series::define_parameters(&mut building.to);
        }
        building
    }

    fn define_regions(&mut self) {
        let devices = paradigm_of_devices(self.regions.keys());
        for ((category, name), id) in &self.regions {
            let named = if name.is_empty() { b"unnamed".as_bstr() } else { name.as_bstr() };
            let canonical = format!("{category}/{named}");
            let texts = [named, category.as_bstr(), canonical.as_bytes().as_bstr()];
            self.to.region(*id, texts, role(category, name, devices));
        }
    }

    /// Files, each with a handle for each interface that it is used with.
    fn define_files(&mut self) {
        for interface in Interface::ALL {
            if self.handles.keys().any(|(_, other)| *other == interface) {
                let class = match interface {
                    Interface::MpiIo => IoParadigmClass::Parallel,
                    _ => IoParadigmClass::Serial,
                };
                self.to.interface(interface as u8, interface.name(), interface.name(), class);
            }
        }
        let mut files: BTreeMap<&BString, u32> = BTreeMap::new();
        for ((name, interface), handle) in &self.handles {
            let next = files.len() as u32;
            let file = *files.entry(name).or_insert(next);
            if file == next {
                self.to.file(file, name.as_bstr());
            }
            self.to.handle(*handle, file, *interface as u8);
            self.files.push(file);
        }
    }

    fn define_nodes(&mut self) {
        self.to.node(0, "DFTracer", "machine", SystemTreeNodeRef::UNDEFINED);
        for (host, id) in &self.nodes {
            self.to.node(*id, &host.to_str_lossy(), "node", SystemTreeNodeRef(0));
        }
    }

    /// Defines the processes and accelerators of a file, their threads and streams.
    fn define_lanes(&mut self, scanned: &Scanned, groups: &Groups<'_>, events: &[u64]) {
        let first = self.processes;
        for (lane, events) in scanned.lanes.iter().zip(events) {
            let thread = &scanned.threads[lane.thread as usize];
            let (number, process, group_kind) = groups.group(lane.thread);
            let group = first + number;
            // Groups come in the order of their first locations.
            if group == self.processes {
                let node = self.nodes.get(&self.hashes.host(scanned, process)).copied();
                let is_device = group_kind == LocationGroupType::Accelerator;
                let label = process.device.as_ref().filter(|_| is_device);
                let host = is_device.then(|| groups.host(lane.thread)).flatten();
                let name = match (label, host) {
                    (None, _) => process_name(process),
                    (Some(label), Some(host)) if self.repeated.contains(label) => {
                        format!("{label} of {}", process_name(groups.process_of(host)))
                    }
                    (Some(label), _) => label.to_string(),
                };
                let host =
                    host.map_or(LocationGroupRef::UNDEFINED, |host| LocationGroupRef(first + host));
                self.to.group((group, group_kind), &name, node.unwrap_or(0), host);
                let properties = process.properties.iter().filter(|_| !is_device);
                for (name, property) in properties {
                    let value = self.hashes.property(scanned, property);
                    self.to.property(group, name.as_bstr(), value);
                }
                self.processes += 1;
            }
            let mut name = match &thread.label {
                Some(label) => label.to_string(),
                None => format!("thread {}", thread.tid),
            };
            if lane.number > 0 {
                name.push_str(&format!(" ({})", lane.number + 1));
            }
            let kind = groups.kind(lane.thread);
            self.to.location((self.locations, kind), &name, group, *events);
            self.locations += 1;
        }
    }

    fn part(
        &mut self,
        (path, file): (PathBuf, usize),
        (scanned, groups): (&Scanned, &Groups<'_>),
        events: &[u64],
        (has_messages, guesses): (Vec<bool>, BTreeMap<u64, Peer>),
    ) -> TracePart {
        let first_location = self.locations;
        self.define_lanes(scanned, groups, events);
        let hosts = hosts(scanned, groups, first_location);
        let handle = |(name, interface): &(Name, Interface)| {
            self.handles[&(self.hashes.file(scanned, name), *interface)]
        };
        let handles: Vec<u32> = scanned.names.iter().map(handle).collect();
        TracePart {
            path,
            file,
            first_location,
            lanes: scanned.lanes.iter().map(|lane| lane.calls).collect(),
            calls: scanned.lanes.iter().map(|lane| lane.calls).sum(),
            extent: scanned.extent,
            bytes: scanned.bytes,
            regions: scanned.regions.iter().map(|region| self.regions[region]).collect(),
            series: scanned
                .series
                .iter()
                .map(|of| (self.series[of], of.measure.value_type()))
                .collect(),
            hosts,
            has_messages,
            guesses,
            files: handles.iter().map(|handle| self.files[*handle as usize]).collect(),
            handles,
        }
    }
}

/// The labels of accelerators that several groups of all files have.
fn repeated_devices(parts: &[(PathBuf, Scanned)]) -> BTreeSet<BString> {
    let (mut seen, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    for (_, scanned) in parts {
        let streams = scanned.lanes.iter().map(|lane| &scanned.threads[lane.thread as usize]);
        let processes: BTreeSet<u32> = streams.map(|thread| thread.process).collect();
        let labels =
            processes.into_iter().filter_map(|it| scanned.processes[it as usize].device.as_ref());
        repeated.extend(labels.filter(|label| !seen.insert(*label)).cloned());
    }
    repeated
}

/// For each location of an accelerator, the first thread of the process that uses it.
fn hosts(scanned: &Scanned, groups: &Groups<'_>, first_location: u64) -> Vec<Option<u32>> {
    let threads = || scanned.lanes.iter().map(|lane| lane.thread);
    let mut firsts: BTreeMap<u32, u32> = BTreeMap::new();
    for (thread, location) in threads().zip(first_location..) {
        if groups.kind(thread) == LocationType::CpuThread {
            firsts.entry(groups.group(thread).0).or_insert(location as u32);
        }
    }
    let of = threads().map(|thread| match groups.kind(thread) {
        LocationType::AcceleratorStream => firsts.get(&groups.host(thread)?).copied(),
        _ => None,
    });
    of.collect()
}

/// In nanoseconds.
const DAY: u64 = 86_400_000_000_000;

/// Makes the trace and its definitions.
pub(super) fn build(
    path: &Path,
    sizes: Vec<u64>,
    settling: Settling,
    mut matched: Guesses,
) -> (Dftracer, Definitions) {
    let Settling { numbers, parts, losses, mut notes, world, .. } = settling;
    let mut building = Building::new(&parts);
    let mut trace_parts = Vec::new();
    let mut counts = Counts::default();
    let mut span: Option<(u64, u64)> = None;
    let mut first_file = None;
    let mut runs = Runs::default();
    let are_named = parts.iter().all(|(file, _)| program_of(file).is_some());
    let mut firsts = HashMap::new();
    let has_copies = parts.iter().any(|(_, scanned)| scanned.has_copies);
    world.remark(path, &matched, &mut notes);
    for (number, (file, scanned)) in parts.into_iter().enumerate() {
        let groups = Groups::new(&scanned);
        for (lane, place) in scanned.lanes.iter().zip(building.locations..) {
            if groups.kind(lane.thread) == LocationType::AcceleratorStream {
                continue;
            }
            let process = scanned.threads[lane.thread as usize].process;
            firsts.entry((number, process)).or_insert(place);
        }
        for of in &scanned.overlaps {
            if groups.kind(of.thread) == LocationType::AcceleratorStream {
                notes.push(Note::of_file(&file, overlap(&scanned, of)));
            }
        }
        if let Some((begin, end)) = scanned.span {
            let (first, last) = span.get_or_insert((begin, end));
            if begin < *first || first_file.is_none() {
                first_file = Some(file.clone());
            }
            (*first, *last) = ((*first).min(begin), (*last).max(end));
        }
        let run = program_of(&file).filter(|_| are_named).unwrap_or_default();
        let locations = building.locations..building.locations + scanned.lanes.len() as u64;
        runs.add(&run, scanned.span, locations.map(LocationRef));
        let has_messages = world.has_messages(number, &scanned);
        let events = world.events(number, &scanned, &matched);
        let guesses = matched.parts.remove(&number).unwrap_or_default();
        trace_parts.push(building.part(
            (file, numbers[number]),
            (&scanned, &groups),
            &events,
            (has_messages, guesses),
        ));
        counts = counts.fold(scanned.counts);
    }
    if world.is_known() {
        building.to.world(world.locations(&firsts));
    }
    if has_copies {
        let devices = paradigm_of_devices(building.regions.keys());
        building.to.copies(devices, building.locations);
    }
    building.to.clock(1_000_000_000, span.unwrap_or((0, 0)));
    remark(path, &building, &counts, &mut notes);
    let days = span.map_or(0, |(begin, end)| (end - begin) / DAY);
    if let Some(file) = first_file.filter(|_| days > 366) {
        let what =
            format!("calls are {days} days apart: clocks or units differ, or files are of several runs; the first is here");
        notes.push(Note::of_file(&file, what));
    }
    let trace = Dftracer::new(path, sizes, trace_parts, counts, losses, notes);
    let trace = trace.with_runs(runs.apart());
    (trace, building.to.definitions)
}

/// The text about kernels and copies of a stream that overlap: they run one after another.
fn overlap(scanned: &Scanned, of: &Overlaps) -> String {
    let thread = &scanned.threads[of.thread as usize];
    let stream = match &thread.label {
        Some(label) => label.to_string(),
        None => format!("stream {}", thread.tid),
    };
    let (late, region) = of.longest;
    let name = scanned.regions.get(region as usize).map(|(_, name)| name.to_string());
    format!(
        "{} of {stream} begin before the one before them ends, {} the latest: by {}",
        of.count,
        name.unwrap_or_default(),
        microseconds(late)
    )
}

/// Adds notes about oddities of all files together.
fn remark(path: &Path, building: &Building, counts: &Counts, notes: &mut Kept<Note>) {
    let mut odd = |what: String| notes.push(Note::of_file(path, what));
    for host in building.nodes.keys() {
        if let Some(hash) = host.strip_prefix(b"unknown:") {
            odd(format!("no record names the host with the hash {}", hash.as_bstr()));
        }
    }
    let unknown: BTreeSet<&BString> = building
        .handles
        .keys()
        .filter(|(name, _)| building.hashes.unnamed.contains(name))
        .map(|(name, _)| name)
        .collect();
    if let Some(first) = unknown.first() {
        let count = unknown.len();
        odd(format!(
            "files that no record names show as their hashes: {count}, the first is {first}"
        ));
    }
    if counts.aggregated > 0 {
        let Counts { aggregates, aggregated, .. } = counts;
        odd(format!(
            "{aggregates} records add up {aggregated} calls without their times: they are metrics, not calls"
        ));
    }
    if counts.annotations > 0 {
        let annotations = counts.annotations;
        odd(format!(
            "{annotations} annotations of streams and of the profiler are passed over: they are nobody's work"
        ));
    }
    let passed = counts.instants + counts.passing + counts.unknown;
    if passed > 0 {
        odd(format!("{passed} instants and flows are passed over"));
    }
}

fn process_name(process: &Process) -> String {
    match (process.rank, &process.label) {
        (Some(rank), _) => format!("rank {rank}"),
        (None, Some(label)) if *label != process.pid => match &process.labels {
            Some(labels) if labels != label => format!("{label} ({labels})"),
            _ => label.to_string(),
        },
        _ => match &process.labels {
            Some(labels) => labels.to_string(),
            None => format!("process {}", process.pid),
        },
    }
}
