//! The kernel: facts from definitions, and results of threads.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use bstr::ByteSlice;
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::Type;
use streamfold_model::ids::{
    AttributeRef, IoFileRef, IoHandleRef, IoParadigmRef, LocationRef, RegionRef, StringRef,
};
use streamfold_model::store::{Definitions, IoFile};

use super::busy::{key_of_part, key_of_process, Interval, State};
use super::facts::{Bin, CallFacts, Facts, FileFacts, ProcessFacts};
use super::kind::{Kind, Level};
use super::regions::{natures, Nature};
use crate::matching::{Lanes, Outgoing, Sink};

/// All time is cut into so many parts, each of which is united by itself. A thread that is busy all the time has a
/// block in each: there are fewer parts where there are many threads.
const PARTS: (u64, u64) = (64, 256);
/// Number of blocks that are worth it.
const BLOCKS: u64 = 1 << 15;

/// A file, or what stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FileKey {
    /// A file or a directory.
    File(IoFileRef),
    /// A handle without a file: standard output.
    Handle(IoHandleRef),
    /// The trace does not say which file it was.
    Unknown,
}

/// A file as it is accessed by a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Subject {
    /// The file.
    pub file: FileKey,
    /// The library.
    pub level: Level,
}

/// Options of the analysis.
pub struct IoOptions<'o> {
    /// Set if a thread computes outside of all regions: regions are system calls then.
    pub outside_computes: bool,
    /// Categories of regions that are the application's own input and output, in any case of letters.
    pub application: Vec<String>,
    /// Number of bins of the time that is shown.
    pub bins: u32,
    /// Number of rows of processes: neighbours share a row.
    pub rows: u32,
    /// Returns whether a file of this name is left out.
    pub leaves_out: &'o dyn Fn(&str) -> bool,
}

/// The partial result.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct IoFound {
    /// Files by library.
    pub files: HashMap<Subject, FileFacts, RandomState>,
    /// Calls by region, kind, and library.
    pub calls: HashMap<(RegionRef, Kind, Level), CallFacts, RandomState>,
    /// Processes, by their places in the definitions.
    pub processes: BTreeMap<u32, ProcessFacts>,
    /// The bins of each row in which anything happens, all of them.
    pub bins: BTreeMap<u32, Vec<Bin>>,
    /// Calls on files that are left out.
    pub left_out: Facts,
    /// Calls that ended outside of the time in which the trace says that it lies, and count for the first or last bin.
    pub outside: u64,
}

impl IoFound {
    pub(super) fn fold(mut self, other: IoFound) -> IoFound {
        for (subject, facts) in other.files {
            self.files.entry(subject).or_default().add(&facts);
        }
        for (key, facts) in other.calls {
            self.calls.entry(key).or_default().add(&facts);
        }
        for (process, facts) in other.processes {
            self.processes.entry(process).or_default().add(&facts);
        }
        for (row, more) in other.bins {
            match self.bins.entry(row) {
                Entry::Vacant(row) => drop(row.insert(more)),
                Entry::Occupied(row) => {
                    row.into_mut().iter_mut().zip(&more).for_each(|(bin, more)| bin.add(more));
                }
            }
        }
        self.left_out.add(&other.left_out);
        self.outside += other.outside;
        self
    }
}

/// Finds what happens to files.
pub struct IoKernel<'k> {
    pub(super) regions: HashMap<RegionRef, Nature, RandomState>,
    /// The file and the library of handles, and whether they are left out.
    handles: HashMap<IoHandleRef, (Subject, bool), RandomState>,
    /// The handle of files that have one only, by library.
    only: HashMap<Subject, Option<IoHandleRef>, RandomState>,
    paradigms: HashMap<IoParadigmRef, Level, RandomState>,
    left_out: HashSet<IoFileRef, RandomState>,
    pub(super) attributes: Attributes,
    /// The place of the process of each location, and whether it has others.
    pub(super) processes: HashMap<LocationRef, (u32, bool), RandomState>,
    /// Set if there is one process only.
    is_one: bool,
    pub(super) count: u32,
    /// Begin and length of the time that the trace says it has, in ticks.
    time: (u64, u64),
    /// Parts of that time.
    parts: u64,
    pub(super) bins: u32,
    pub(super) rows: u32,
    pub(super) outside: State,
    pub(super) sink: &'k dyn Sink,
}

impl std::fmt::Debug for IoKernel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IoKernel").field("time", &self.time).finish_non_exhaustive()
    }
}

/// Attributes of calls that say something of files.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    pub files: HashSet<AttributeRef, RandomState>,
    pub offsets: HashSet<AttributeRef, RandomState>,
    pub errors: HashSet<AttributeRef, RandomState>,
}

impl Attributes {
    fn new(definitions: &Definitions) -> Self {
        const WHOLE: [Type; 8] = [
            Type::Uint8,
            Type::Uint16,
            Type::Uint32,
            Type::Uint64,
            Type::Int8,
            Type::Int16,
            Type::Int32,
            Type::Int64,
        ];
        let mut of = Attributes::default();
        for attribute in definitions.attributes.values() {
            let name = definitions.string(attribute.name).map(|name| name.to_ascii_lowercase());
            let name = name.unwrap_or_default();
            let is_whole = WHOLE.contains(&attribute.value_type);
            match () {
                () if attribute.value_type == Type::IoFile => of.files.insert(attribute.id),
                () if is_whole && name.ends_with(b"offset") => of.offsets.insert(attribute.id),
                () if is_whole && name == b"error" => of.errors.insert(attribute.id),
                () => false,
            };
        }
        of
    }
}

impl<'k> IoKernel<'k> {
    /// Creates a kernel for the global definitions. Busy intervals of threads go to `sink`, for
    /// [`unite`](super::unite).
    pub fn new(definitions: &Definitions, options: &IoOptions<'_>, sink: &'k dyn Sink) -> Self {
        let text = |id: StringRef| definitions.string(id).map(|text| text.to_str_lossy());
        let name = |file: &IoFile| match file {
            IoFile::Regular(file) => file.name,
            IoFile::Directory(folder) => folder.name,
        };
        let leaves_out = |id: StringRef| text(id).is_some_and(|name| (options.leaves_out)(&name));
        let left_out = definitions.io_files.iter().filter(|(_, file)| leaves_out(name(file)));
        let left_out: HashSet<IoFileRef, RandomState> = left_out.map(|(id, _)| *id).collect();
        let level = |paradigm: &streamfold_model::definitions::IoParadigm| {
            let known = |id| Level::of_paradigm(&text(id)?);
            known(paradigm.identification).or_else(|| known(paradigm.name)).unwrap_or(Level::Other)
        };
        let paradigms = definitions.io_paradigms.iter().map(|(id, of)| (*id, level(of)));
        let paradigms: HashMap<IoParadigmRef, Level, RandomState> = paradigms.collect();
        let handle = |handle: &streamfold_model::definitions::IoHandle| {
            let level = paradigms.get(&handle.io_paradigm).copied().unwrap_or(Level::Other);
            let (file, is_left_out) = match definitions.io_files.contains_key(&handle.file) {
                true => (FileKey::File(handle.file), left_out.contains(&handle.file)),
                false => (FileKey::Handle(handle.id), leaves_out(handle.name)),
            };
            (Subject { file, level }, is_left_out)
        };
        let handles = definitions.io_handles.values().map(|of| (of.id, handle(of)));
        let handles: HashMap<IoHandleRef, (Subject, bool), RandomState> = handles.collect();
        let mut only: HashMap<Subject, Option<IoHandleRef>, RandomState> = HashMap::default();
        for (id, (subject, _)) in &handles {
            only.entry(*subject).and_modify(|only| *only = None).or_insert(Some(*id));
        }
        let mut threads: HashMap<u32, u32, RandomState> = HashMap::default();
        let process = |location: &streamfold_model::definitions::Location| {
            let place = definitions.location_groups.get_index_of(&location.location_group);
            place.unwrap_or(definitions.location_groups.len()) as u32
        };
        for location in definitions.locations.values() {
            *threads.entry(process(location)).or_default() += 1;
        }
        let of_location = |location: &streamfold_model::definitions::Location| {
            let process = process(location);
            (location.id, (process, threads[&process] > 1))
        };
        let processes = definitions.locations.values().map(of_location).collect();
        let clock = definitions.clock.as_ref();
        let time = clock.map_or((0, 0), |clock| (clock.global_offset, clock.trace_length));
        let (outside, other) = match options.outside_computes {
            true => (State::Computing, State::OtherCalls),
            false => (State::Outside, State::Computing),
        };
        let count = definitions.location_groups.len() as u32 + 1;
        IoKernel {
            regions: natures(definitions, &options.application, other),
            handles,
            only,
            paradigms,
            left_out,
            attributes: Attributes::new(definitions),
            is_one: threads.len() <= 1,
            processes,
            count,
            time,
            parts: (BLOCKS / definitions.locations.len().max(1) as u64).clamp(PARTS.0, PARTS.1),
            bins: options.bins.max(1),
            rows: options.rows.max(1).min(count),
            outside,
            sink,
        }
    }

    /// How many rows there are, and how many processes share one.
    pub fn rows(&self) -> (u32, u32) {
        let shared = self.count.div_ceil(self.rows).next_power_of_two();
        (self.count.div_ceil(shared), shared)
    }

    /// Returns the file and the library of a handle, and whether it is left out. If its paradigm is of no library, the
    /// region decides.
    pub(super) fn subject(&self, handle: IoHandleRef, nature: Option<Nature>) -> (Subject, bool) {
        let nothing = Subject { file: FileKey::Unknown, level: Level::Other };
        let (mut subject, left_out) =
            self.handles.get(&handle).copied().unwrap_or((nothing, false));
        if subject.level == Level::Other {
            subject.level = nature.map_or(Level::Other, |nature| nature.level);
        }
        (subject, left_out)
    }

    pub(super) fn only_handle(&self, subject: Subject) -> Option<IoHandleRef> {
        self.only.get(&subject).copied().flatten()
    }

    pub(super) fn level(&self, paradigm: IoParadigmRef) -> Level {
        self.paradigms.get(&paradigm).copied().unwrap_or(Level::Other)
    }

    pub(super) fn leaves_out(&self, file: IoFileRef) -> bool {
        self.left_out.contains(&file)
    }

    /// Returns whether the intervals of a thread are final: its process has no other thread, or the trace no other
    /// process.
    pub(super) fn is_alone(&self, location: LocationRef) -> bool {
        self.processes.get(&location).is_none_or(|(_, has_others)| !has_others)
    }

    /// The bin of a time, and whether the time is outside of that of the trace.
    pub(super) fn bin(&self, time: u64) -> (u32, bool) {
        let (begin, length) = self.time;
        let after = time.saturating_sub(begin);
        let is_outside = time < begin || after > length;
        let bins = u128::from(self.bins);
        let bin = u128::from(after) * bins / u128::from(length.max(1));
        (bin.min(bins - 1) as u32, is_outside)
    }

    /// When a bin begins.
    pub fn begin_of_bin(&self, bin: u32) -> u64 {
        part_begin(self.time, self.bins.into(), bin.into())
    }
}

/// When one of so many equal parts of a time begins: the first tick in it.
fn part_begin((begin, length): (u64, u64), parts: u64, part: u64) -> u64 {
    let after = (u128::from(length.max(1)) * u128::from(part)).div_ceil(u128::from(parts));
    begin.saturating_add(after as u64)
}

/// The state of a thread of the analysis.
pub struct IoWorker<'k> {
    pub(super) found: IoFound,
    pub(super) lanes: Lanes<Interval>,
    pub(super) outgoing: Outgoing<'k>,
}

impl std::fmt::Debug for IoWorker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IoWorker").field("found", &self.found).finish_non_exhaustive()
    }
}

impl IoWorker<'_> {
    /// A thread was in a state from one time up to another.
    pub(super) fn interval(&mut self, kernel: &IoKernel<'_>, process: u32, interval: Interval) {
        let Interval { location, begin, end, state } = interval;
        let ticks = end - begin;
        let of = self.found.processes.entry(process).or_default();
        of.states[state as usize] += u128::from(ticks);
        if !state.is_united() {
            return;
        }
        match kernel.is_alone(location) {
            true => of.busy.alone(state, ticks),
            false => self.lanes.push(key_of_process(process), interval, &mut self.outgoing),
        }
        if kernel.is_one {
            return;
        }
        let ((begin_of_all, length), parts) = (kernel.time, kernel.parts);
        let part = |time: u64| {
            let after = time.saturating_sub(begin_of_all);
            let part = u128::from(after) * u128::from(parts) / u128::from(length.max(1));
            part.min(u128::from(parts - 1)) as u64
        };
        let mut from = begin;
        while from < end {
            let at = part(from);
            let next = match at + 1 == parts {
                true => end,
                false => part_begin(kernel.time, parts, at + 1).clamp(from + 1, end),
            };
            let piece = Interval { location, begin: from, end: next, state };
            self.lanes.push(key_of_part(at as u32), piece, &mut self.outgoing);
            from = next;
        }
    }
}
