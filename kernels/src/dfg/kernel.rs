//! Graphs of any trace: each location is a case, and visits of regions are its events.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::definitions::Location;
use streamfold_model::enums::{IoOperationMode, Type};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{IoFileRef, IoHandleRef, LocationRef, RegionRef, StringRef};
use streamfold_model::store::{Definitions, IoFile};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::{Facts, Happening, Keeping, Log};
use crate::call_stack::{CallStack, Change, Place};
use crate::Kernel;

/// The visits that are events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// All of them.
    Regions,
    /// Visits with an operation on a file: a handle is created, used, or destroyed. The innermost visit counts.
    Files,
}

/// Names an event, given its region and its file. Events without a name are left out.
pub type Naming<'n> = dyn Fn(&str, Option<&str>) -> Option<String> + Sync + 'n;

/// Makes the graph of a trace.
pub struct DfgKernel<'n> {
    over: Over,
    keeping: Keeping,
    naming: &'n Naming<'n>,
    regions: HashMap<RegionRef, String, RandomState>,
    /// Files, and those of handles.
    files: HashMap<FileOf, String, RandomState>,
    /// The activity whose timeline is wanted, and the names of locations.
    timeline: Option<(String, HashMap<LocationRef, String, RandomState>)>,
}

impl std::fmt::Debug for DfgKernel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DfgKernel").field("over", &self.over).finish_non_exhaustive()
    }
}

impl<'n> DfgKernel<'n> {
    /// Given the definitions that references lead to.
    pub fn new(
        definitions: &Definitions,
        over: Over,
        keeping: Keeping,
        naming: &'n Naming<'n>,
    ) -> Self {
        let text = |name| definitions.string(name).map(ToString::to_string);
        let regions = definitions.regions.values();
        let regions = regions.filter_map(|region| Some((region.id, text(region.name)?)));
        let name = |file: &IoFile| match file {
            IoFile::Regular(file) => file.name,
            IoFile::Directory(folder) => folder.name,
        };
        let named = |file, name: StringRef| Some((file, text(name)?));
        let of_handles = definitions.io_handles.values().filter_map(|handle| {
            let file = definitions.io_files.get(&handle.file);
            // A handle without a file has a name of its own: standard output.
            named(FileOf::Handle(handle.id), file.map_or(handle.name, name))
        });
        let own = definitions.io_files.iter();
        let own = own.filter_map(|(id, file)| named(FileOf::File(*id), name(file)));
        let files = of_handles.chain(own);
        let (regions, files) = (regions.collect(), files.collect());
        DfgKernel { over, keeping, naming, regions, files, timeline: None }
    }

    /// Keeps each event of an activity, too.
    #[must_use]
    pub fn with_timeline(mut self, activity: &str, definitions: &Definitions) -> Self {
        let text = |name| definitions.string(name).map(ToString::to_string).unwrap_or_default();
        let name = |location: &Location| {
            let group = definitions.location_groups.get(&location.location_group);
            match group.map(|group| text(group.name)) {
                Some(group) => format!("{group}: {}", text(location.name)),
                None => text(location.name),
            }
        };
        let names = definitions.locations.values().map(|location| (location.id, name(location)));
        self.timeline = Some((activity.to_owned(), names.collect()));
        self
    }
}

/// The state of a worker.
#[derive(Debug, Default)]
pub struct DfgWorker {
    log: Log,
    known: HashMap<(RegionRef, Option<FileOf>), Option<u32>, RandomState>,
    happenings: Vec<Happening>,
    /// The number of the activity whose timeline is wanted.
    watched: Option<u32>,
}

/// The source of a file's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FileOf {
    Handle(IoHandleRef),
    /// An attribute of a call.
    File(IoFileRef),
}

/// An operation on a file in a visit.
#[derive(Clone, Copy, Debug)]
struct OnFile {
    file: FileOf,
    bytes: Option<u64>,
}

/// Receives the events of a location.
#[derive(Debug)]
pub struct DfgScan<'w> {
    kernel: &'w DfgKernel<'w>,
    worker: &'w mut DfgWorker,
    location: LocationRef,
    stack: CallStack,
    /// Of each open visit: the number of its first event, and what happened to a file in it.
    visits: Vec<(u64, Option<OnFile>)>,
    /// Set if the last operation on a file was a flush.
    flushes: bool,
}

/// The file that attributes of an event name.
fn file_of(head: &EventHead<'_>) -> Option<FileOf> {
    let mut attributes = head.attributes.iter();
    let entry = attributes.find(|entry| entry.value.value_type == Type::IoFile)?;
    Some(FileOf::File(IoFileRef(u32::try_from(entry.value.bits).ok()?)))
}

impl DfgScan<'_> {
    /// Something happened to a file.
    fn on_handle(&mut self, handle: IoHandleRef, bytes: Option<u64>) {
        self.on_file(FileOf::Handle(handle), bytes);
    }

    /// The same, by whatever says which file it is.
    fn on_file(&mut self, file: FileOf, bytes: Option<u64>) {
        let depth = self.stack.open().len();
        let Some((_, of)) = depth.checked_sub(1).and_then(|at| self.visits.get_mut(at)) else {
            return;
        };
        match of {
            Some(of) if of.file == file => {
                of.bytes = match (of.bytes, bytes) {
                    (Some(before), Some(bytes)) => Some(before.saturating_add(bytes)),
                    (before, bytes) => before.or(bytes),
                };
            }
            // The first file counts.
            Some(_) => {}
            None => *of = Some(OnFile { file, bytes }),
        }
    }
}

impl EventVisitor for DfgScan<'_> {
    const WANTS: EventSet = CallStack::WANTS
        .and(EventSet::IO_HANDLES)
        .and(EventSet::of(&[EventKind::IoOperationBegin, EventKind::IoOperationComplete]));
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        match event {
            Event::IoCreateHandle(e) => self.on_handle(e.handle, None),
            Event::IoDestroyHandle(e) => self.on_handle(e.handle, None),
            Event::IoDuplicateHandle(e) => self.on_handle(e.old_handle, None),
            Event::IoSeek(e) => self.on_handle(e.handle, None),
            Event::IoChangeStatusFlags(e) => self.on_handle(e.handle, None),
            Event::IoOperationBegin(e) => {
                self.on_handle(e.handle, None);
                self.flushes = e.mode == IoOperationMode::Flush;
            }
            Event::IoOperationComplete(e) => {
                // A flush has no size, and the largest number stands for none.
                let bytes =
                    Some(e.bytes_result).filter(|bytes| *bytes != u64::MAX && !self.flushes);
                self.on_handle(e.handle, bytes);
            }
            event => {
                let DfgScan { kernel, worker, location, stack, visits, .. } = self;
                stack.take(head, &event, |change| match change {
                    Change::Begin { path } => {
                        visits.resize(path.len(), (0, None));
                        if let Some(last) = visits.last_mut() {
                            let file = file_of(head).map(|file| OnFile { file, bytes: None });
                            *last = (head.number, file);
                        }
                    }
                    Change::End { path, inclusive, .. } => {
                        let Some(visit) = path.last() else { return };
                        let (number, on_file) =
                            visits.get(path.len() - 1).copied().unwrap_or((head.number, None));
                        let Place::Region(region) = visit.place else { return };
                        let start = i64::try_from(visit.begin.0).unwrap_or(i64::MAX);
                        let at = (*location, region);
                        worker.visit(kernel, at, (start, inclusive, number), on_file);
                    }
                    Change::Drop { .. } | Change::Unmatched { .. } => {}
                });
            }
        }
    }
}

impl DfgWorker {
    /// A visit has ended: where, when it began, how long it was, and the number of its first event.
    fn visit(
        &mut self,
        kernel: &DfgKernel<'_>,
        (location, region): (LocationRef, RegionRef),
        (start, duration, order): (i64, u64, u64),
        on_file: Option<OnFile>,
    ) {
        let on_file = on_file.filter(|_| kernel.over == Over::Files);
        if kernel.over == Over::Files && on_file.is_none() {
            return;
        }
        let file = on_file.map(|of| of.file);
        let DfgWorker { log, known, happenings, watched } = self;
        let timeline = kernel.timeline.as_ref();
        let activity = known.entry((region, file)).or_insert_with(|| {
            let region = kernel.regions.get(&region)?;
            let file =
                file.map(|file| kernel.files.get(&file)).map(|file| file.map(String::as_str));
            let name = match file {
                None => (kernel.naming)(region, None),
                Some(file) => (kernel.naming)(region, file),
            };
            let name = name?;
            let activity = log.activity(&name);
            if timeline.is_some_and(|(wanted, _)| *wanted == name) {
                *watched = Some(activity);
            }
            Some(activity)
        });
        let Some(activity) = *activity else { return };
        let size = on_file.and_then(|of| of.bytes);
        let facts = Facts { start, duration, size, failed: false };
        log.event(activity, &facts, kernel.keeping);
        if *watched == Some(activity) {
            let name = timeline.and_then(|(_, names)| names.get(&location));
            log.occurrence(name.map_or("", String::as_str), &facts);
        }
        happenings.push(Happening { case: 0, start, order, activity });
    }
}

impl Kernel for DfgKernel<'_> {
    type Worker = DfgWorker;
    type Scan<'w>
        = DfgScan<'w>
    where
        Self: 'w;
    type Partial = Log;

    fn worker(&self) -> DfgWorker {
        DfgWorker::default()
    }

    fn scan<'w>(&'w self, worker: &'w mut DfgWorker, location: LocationRef) -> DfgScan<'w> {
        DfgScan {
            kernel: self,
            worker,
            location,
            stack: CallStack::default(),
            visits: Vec::new(),
            flushes: false,
        }
    }

    fn end(&self, scan: DfgScan<'_>, _: &StreamSummary) {
        let DfgWorker { log, happenings, .. } = scan.worker;
        match happenings.is_empty() {
            true => log.empty_cases(1),
            false => log.cases(happenings, self.keeping),
        }
        happenings.clear();
    }

    fn partial(&self, worker: DfgWorker) -> Log {
        worker.log
    }

    fn fold(&self, into: Log, other: Log) -> Log {
        into.fold(other)
    }
}
