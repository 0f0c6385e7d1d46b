//! All files once: what they define, and what is wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BString, ByteSlice};
use rayon::prelude::*;
use streamfold_model::definitions::{
    ClockProperties, Definition, IoHandle, IoParadigm, IoRegularFile, Location, LocationGroup,
    Region,
};
use streamfold_model::enums::{
    IoHandleFlag, IoParadigmClass, IoParadigmFlag, LocationGroupType, LocationType, Paradigm,
    RegionFlag, RegionRole,
};
use streamfold_model::ids::{
    CommRef, IoFileRef, IoHandleRef, IoParadigmRef, LocationGroupRef, LocationRef, RegionRef,
    StringRef, SystemTreeNodeRef,
};
use streamfold_model::store::Definitions;

use super::file::{scan_file, Counts, Name, Process, Scanned};
use super::objects::layout;
use super::slices::Slice;
use super::source::{Dftracer, TracePart};
use crate::formats::defining::{Defining, Kept};
use crate::formats::{Loss, Note};

/// Whether a path leads to a trace, or to a folder with some, by the names of files or by their first bytes.
pub fn is_trace(path: &Path) -> bool {
    match path.is_dir() {
        true => !files_in(path).is_empty(),
        false => path.is_file() && (has_name(path) || has_content(path)),
    }
}

/// Whether the name of a file is one that the tracer gives.
pub(super) fn has_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".pfw", ".pfw.gz"].iter().any(|ending| name.ends_with(ending))
}

fn has_content(path: &Path) -> bool {
    layout(path).is_ok_and(|layout| layout.is_some())
}

/// The traces in a folder, in the order of their names: those of the tracer, or else Chrome traces.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    all.sort();
    let own: Vec<PathBuf> = all.iter().filter(|path| has_name(path)).cloned().collect();
    if !own.is_empty() {
        return own;
    }
    let is_json = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        [".json", ".json.gz"].iter().any(|ending| name.ends_with(ending)) && has_content(path)
    };
    all.into_iter().filter(is_json).collect()
}

/// Reads a file, or all traces of a folder.
///
/// # Errors
///
/// When no file can be read, or none has a record.
pub fn scan(path: &Path) -> Result<(Dftracer, Definitions), Loss> {
    let files = if path.is_dir() { files_in(path) } else { vec![path.to_owned()] };
    let scanned: Vec<Result<Scanned, Loss>> =
        files.par_iter().map(|file| scan_file(file)).collect();
    let (mut losses, mut notes) = (Kept::default(), Kept::default());
    let mut parts = Vec::new();
    let mut first_refused = None;
    for (path, scanned) in files.into_iter().zip(scanned) {
        match scanned {
            Ok(scanned) => parts.push((path, scanned)),
            Err(loss) => {
                first_refused.get_or_insert(loss.clone());
                losses.push(loss);
            }
        }
    }
    if let Some(loss) = first_refused.filter(|_| parts.is_empty()) {
        return Err(loss);
    }
    let records: u64 = parts.iter().map(|(_, scanned)| scanned.counts.records()).sum();
    if records == 0 {
        let first = parts.iter_mut().find_map(|(_, scanned)| scanned.losses.first.pop());
        let what = match path.is_dir() {
            true => "there is no record in any file of this folder: the program may have ended before it wrote any",
            false => "there is no record in this file: the program may have ended before it wrote any",
        };
        let (file, what) = (path.to_owned(), what.to_owned());
        let empty = Loss { file, place: None, record: None, code: None, what, is_io: false };
        return Err(first.unwrap_or(empty));
    }
    for (path, scanned) in &mut parts {
        losses.count += scanned.losses.count - scanned.losses.first.len() as u64;
        scanned.losses.first.drain(..).for_each(|loss| losses.push(loss));
        for what in &scanned.odd {
            notes.push(odd(path, what));
        }
    }
    Ok(build(path, parts, losses, notes))
}

fn odd(path: &Path, what: &str) -> Note {
    let (file, what) = (path.to_owned(), what.to_owned());
    let about = Loss { file, place: None, record: None, code: None, what, is_io: false };
    Note { about, is_error: false }
}

/// The strings that hashes stand for, in all files.
struct Hashes {
    files: HashMap<BString, BString>,
    hosts: HashMap<BString, BString>,
    /// Hashes of files that nothing defines.
    unknown: BTreeSet<BString>,
}

impl Hashes {
    /// The files of earlier names count.
    fn new(parts: &[(PathBuf, Scanned)]) -> Self {
        let (mut files, mut hosts) = (HashMap::new(), HashMap::new());
        for (_, scanned) in parts {
            let strings = &scanned.strings;
            for (all, own) in [(&mut files, &strings.files), (&mut hosts, &strings.hosts)] {
                for (hash, text) in own {
                    all.entry(hash.clone()).or_insert_with(|| text.clone());
                }
            }
        }
        Hashes { files, hosts, unknown: BTreeSet::new() }
    }

    fn file(&mut self, scanned: &Scanned, name: &Name) -> BString {
        match name {
            Name::Literal(name) => name.clone(),
            Name::Hash(hash) => {
                let own = scanned.strings.files.get(hash);
                own.or_else(|| self.files.get(hash)).cloned().unwrap_or_else(|| {
                    self.unknown.insert(hash.clone());
                    unknown(hash)
                })
            }
        }
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

fn unknown(hash: &BString) -> BString {
    format!("#{hash}").into()
}

/// Which interface a category's calls belong to, where they do something to files.
fn interface(category: &[u8]) -> Option<&'static str> {
    match category.to_ascii_uppercase().as_slice() {
        b"POSIX" => Some("POSIX"),
        b"STDIO" => Some("STDIO"),
        b"MPIIO" | b"MPI-IO" => Some("MPI-IO"),
        b"HDF5" => Some("HDF5"),
        _ => None,
    }
}

/// What kind of call a region is.
fn role(category: &[u8], name: &[u8]) -> (RegionRole, Paradigm) {
    let is = |names: &[&str]| names.iter().any(|other| name.starts_with(other.as_bytes()));
    match category.to_ascii_uppercase().as_slice() {
        b"POSIX" | b"STDIO" | b"HDF5" | b"MPIIO" | b"MPI-IO" => {
            let moves = [
                "read",
                "write",
                "pread",
                "pwrite",
                "fread",
                "fwrite",
                "MPI_File_read",
                "MPI_File_write",
            ];
            let moves_more = [
                "MPI_File_iread",
                "MPI_File_iwrite",
                "H5Dread",
                "H5Dwrite",
                "sendfile",
                "fput",
                "fget",
            ];
            let role = if is(&moves) || is(&moves_more) {
                RegionRole::FileIo
            } else {
                RegionRole::FileIoMetadata
            };
            let paradigm =
                if name.starts_with(b"MPI_") { Paradigm::Mpi } else { Paradigm::Unknown };
            (role, paradigm)
        }
        b"P2P" => (RegionRole::Point2point, Paradigm::Mpi),
        b"COLLECTIVE" => {
            let role = match () {
                () if is(&["MPI_Barrier", "MPI_Ibarrier"]) => RegionRole::Barrier,
                () if is(&["MPI_Bcast", "MPI_Scatter", "MPI_Ibcast"]) => RegionRole::CollOne2all,
                () if is(&["MPI_Reduce", "MPI_Gather"]) => RegionRole::CollAll2one,
                () => RegionRole::CollAll2all,
            };
            (role, Paradigm::Mpi)
        }
        _ if name.starts_with(b"MPI_") => (RegionRole::Function, Paradigm::Mpi),
        _ => (RegionRole::Function, Paradigm::Unknown),
    }
}

fn build(
    path: &Path,
    parts: Vec<(PathBuf, Scanned)>,
    losses: Kept<Loss>,
    mut notes: Kept<Note>,
) -> (Dftracer, Definitions) {
    let mut hashes = Hashes::new(&parts);
    let mut to = Defining::default();
    to.text(b"".as_bstr());
    let regions: BTreeSet<(BString, BString)> =
        parts.iter().flat_map(|(_, scanned)| scanned.regions.iter().cloned()).collect();
    let regions: BTreeMap<(BString, BString), u32> = regions.into_iter().zip(0..).collect();
    for ((category, name), id) in &regions {
        define_region(&mut to, *id, category, name);
    }
    // A file has a handle for each interface that is used with it.
    let mut handles: BTreeSet<(BString, &'static str)> = BTreeSet::new();
    let mut named: Vec<Vec<BString>> = Vec::new();
    for (_, scanned) in &parts {
        let names: Vec<BString> =
            scanned.names.iter().map(|name| hashes.file(scanned, name)).collect();
        let interfaces: BTreeSet<&'static str> = scanned
            .regions
            .iter()
            .map(|(category, _)| interface(category).unwrap_or("POSIX"))
            .collect();
        for name in &names {
            handles.extend(interfaces.iter().map(|interface| (name.clone(), *interface)));
        }
        named.push(names);
    }
    let handles: BTreeMap<(BString, &'static str), u32> = handles.into_iter().zip(0..).collect();
    define_files(&mut to, &handles);
    let mut hosts: BTreeSet<BString> = BTreeSet::new();
    for (_, scanned) in &parts {
        hosts.extend(scanned.processes.iter().map(|process| hashes.host(scanned, process)));
    }
    let hosts: BTreeMap<BString, u32> = hosts.into_iter().zip(1..).collect();
    to.node(0, "DFTracer", "machine", SystemTreeNodeRef::UNDEFINED);
    for (host, id) in &hosts {
        to.node(*id, &host.to_str_lossy(), "node", SystemTreeNodeRef(0));
        if let Some(hash) = host.strip_prefix(b"unknown:") {
            let hash = hash.as_bstr();
            notes.push(odd(path, &format!("no record names the host with the hash {hash}")));
        }
    }
    if let Some(first) = hashes.unknown.first() {
        let count = hashes.unknown.len();
        notes.push(odd(
            path,
            &format!("{count} hashes of files have no name, the first is {first}"),
        ));
    }
    let mut trace_parts = Vec::new();
    let mut counts = Counts::default();
    let (mut next, mut next_group) = (0, 0);
    let mut span: Option<(u64, u64)> = None;
    let mut slices = HashMap::new();
    for (number, ((file, scanned), names)) in parts.into_iter().zip(&named).enumerate() {
        let mut groups: HashMap<u32, u32> = HashMap::new();
        let first = next;
        for lane in &scanned.slices.lanes {
            let thread = &scanned.threads[lane.thread as usize];
            let process = &scanned.processes[thread.process as usize];
            let group = *groups.entry(thread.process).or_insert_with(|| {
                let host = hosts.get(&hashes.host(&scanned, process)).copied().unwrap_or(0);
                let name = to.text(process_name(process).as_bytes().as_bstr());
                to.definitions.insert(Definition::LocationGroup(LocationGroup {
                    id: LocationGroupRef(next_group),
                    name,
                    location_group_type: LocationGroupType::Process,
                    system_tree_parent: SystemTreeNodeRef(host),
                    creating_location_group: LocationGroupRef::UNDEFINED,
                }));
                next_group += 1;
                next_group - 1
            });
            let mut name = match &thread.label {
                Some(label) => label.to_string(),
                None => format!("thread {}", thread.tid),
            };
            if lane.number > 0 {
                name.push_str(&format!(" ({})", lane.number + 1));
            }
            let name = to.text(name.as_bytes().as_bstr());
            to.definitions.insert(Definition::Location(Location {
                id: LocationRef(next),
                name,
                location_type: LocationType::CpuThread,
                number_of_events: 2 * (lane.calls + lane.operations),
                location_group: LocationGroupRef(group),
            }));
            next += 1;
        }
        if let Some((begin, end)) = scanned.span {
            let (all_begin, all_end) = span.get_or_insert((begin, end));
            (*all_begin, *all_end) = ((*all_begin).min(begin), (*all_end).max(end));
        }
        counts = counts.fold(scanned.counts);
        let interfaces =
            scanned.regions.iter().map(|(category, _)| interface(category).unwrap_or("POSIX"));
        let handle = |name: &BString, interface: &'static str| {
            handles.get(&(name.clone(), interface)).copied().unwrap_or(Slice::NONE)
        };
        let used: BTreeSet<&'static str> = interfaces.clone().collect();
        let used: Vec<&'static str> = used.into_iter().collect();
        let of = |interface: &'static str| {
            used.iter().position(|other| *other == interface).unwrap_or(0) as u32
        };
        trace_parts.push(TracePart {
            path: file,
            first_location: first,
            lanes: scanned.slices.lanes.iter().map(|lane| lane.calls).collect(),
            bytes: scanned.bytes,
            regions: scanned
                .regions
                .iter()
                .map(|region| (regions[region], of(interface(&region.0).unwrap_or("POSIX"))))
                .collect(),
            handles: names
                .iter()
                .map(|name| used.iter().map(|interface| handle(name, interface)).collect())
                .collect(),
        });
        slices.insert(number, Arc::new(scanned.slices));
    }
    let (first, last) = span.unwrap_or((0, 0));
    to.definitions.insert(Definition::ClockProperties(ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: first,
        trace_length: last - first,
        realtime_timestamp: u64::MAX,
    }));
    if counts.aggregated > 0 {
        let (records, calls) = (counts.aggregates, counts.aggregated);
        let what = format!("{records} records are sums of {calls} calls without their times: they are not among the calls");
        notes.push(odd(path, &what));
    }
    if counts.counters > 0 {
        notes.push(odd(path, &format!("{} values of counters are passed over", counts.counters)));
    }
    let passed = counts.instants + counts.asynchronous + counts.unknown;
    if passed > 0 {
        notes.push(odd(
            path,
            &format!("{passed} instants, flows, and asynchronous events are passed over"),
        ));
    }
    let trace = Dftracer::new(path, trace_parts, counts, losses, notes, slices);
    (trace, to.definitions)
}

fn process_name(process: &Process) -> String {
    match (process.rank, &process.label) {
        (Some(rank), _) => format!("rank {rank}"),
        (None, Some(label)) if *label != process.pid => label.to_string(),
        _ => format!("process {}", process.pid),
    }
}

fn define_region(to: &mut Defining, id: u32, category: &BString, name: &BString) {
    let unnamed = BString::from("unnamed");
    let name = if name.is_empty() { &unnamed } else { name };
    let (region_role, paradigm) = role(category, name);
    let canonical_name = to.text(format!("{category}/{name}").as_bytes().as_bstr());
    let (name, description) = (to.text(name.as_bstr()), to.text(category.as_bstr()));
    to.definitions.insert(Definition::Region(Region {
        id: RegionRef(id),
        name,
        description,
        source_file: StringRef::UNDEFINED,
        begin_line_number: 0,
        end_line_number: 0,
        canonical_name,
        region_role,
        paradigm,
        region_flags: RegionFlag::NONE,
    }));
}

/// Defines files, and handles of each interface.
fn define_files(to: &mut Defining, handles: &BTreeMap<(BString, &'static str), u32>) {
    let interfaces: BTreeSet<&'static str> =
        handles.keys().map(|(_, interface)| *interface).collect();
    let interfaces: BTreeMap<&'static str, u8> = interfaces.into_iter().zip(0..).collect();
    for (interface, id) in &interfaces {
        let name = to.text(interface.as_bytes().as_bstr());
        to.definitions.insert(Definition::IoParadigm(IoParadigm {
            id: IoParadigmRef(*id),
            identification: name,
            name,
            io_paradigm_class: match *interface {
                "MPI-IO" => IoParadigmClass::Parallel,
                _ => IoParadigmClass::Serial,
            },
            io_paradigm_flags: IoParadigmFlag::OS,
            properties: Vec::new(),
        }));
    }
    let mut files: BTreeMap<&BString, u32> = BTreeMap::new();
    for ((name, interface), id) in handles {
        let next = files.len() as u32;
        let file = *files.entry(name).or_insert_with(|| {
            let name = to.text(name.as_bstr());
            let scope = SystemTreeNodeRef(0);
            let id = IoFileRef(next);
            to.definitions.insert(Definition::IoRegularFile(IoRegularFile { id, name, scope }));
            next
        });
        to.definitions.insert(Definition::IoHandle(IoHandle {
            id: IoHandleRef(*id),
            name: StringRef(0),
            file: IoFileRef(file),
            io_paradigm: IoParadigmRef(interfaces[interface]),
            io_handle_flags: IoHandleFlag::NONE,
            comm: CommRef::UNDEFINED,
            parent: IoHandleRef::UNDEFINED,
        }));
    }
}
