//! The way of a trace: open it once, let every rank scan its share, fold the partial results.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_kernels::adapt::References;
use streamfold_kernels::{Kernel, Pieces, Window, WindowKernel};
use streamfold_model::definitions::Location;
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::store::Definitions;
use streamfold_model::values::Ticks;

use crate::select::{Candidate, Cutting, Plan};
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_formats::{
    self as formats, About, Brings, Found, Input, Manifest, ReadOptions, Sharing, Source, Step,
    Stream,
};
use streamfold_system::exit::{ExitCode, Failure, Stop};

mod forks;
pub mod in_order;
mod job;
mod location;
mod pieces;
pub mod rounds;
pub mod select;
mod settle;
mod together;
mod windows;

pub use forks::TraceForkStreams;
pub use job::{main, Job};
use location::LocationRead;
use pieces::{Item, Units};
pub use settle::settle;

pub use streamfold_formats::Clocks;

/// A trace of which this rank knows the definitions.
#[derive(Debug)]
pub struct Trace {
    /// The source of its events.
    pub source: Box<dyn Source>,
    /// Its global definitions.
    pub definitions: Definitions,
    /// Times of its events: corrected or raw.
    pub clocks: Clocks,
}

/// Opens a trace on all ranks: rank 0 finds out its format, reads its definitions and broadcasts them. Files that
/// each define what is in them are shared: each is read by one rank, and rank 0 settles what all of them define.
///
/// # Errors
///
/// On all ranks when the trace cannot be read.
pub fn open<'a>(
    ranks: &dyn Communicator,
    input: impl Into<Input<'a>>,
    options: ReadOptions,
) -> Result<Trace, Stop> {
    fail_point("open", ranks.rank())?;
    let input = input.into();
    let outcome = (ranks.rank() == 0).then(|| formats::find(&input, options));
    let mut manifest = match ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)? {
        Found::Defined(manifest) => *manifest,
        Found::Dftracer(files) => {
            let own = select::own_files(files.sizes(), ranks);
            read_share(ranks, files.share(own))?
        }
        Found::Strace(files) => {
            let own = select::own_files(files.sizes(), ranks);
            read_share(ranks, files.share(own))?
        }
    };
    input.clock.correct(&mut manifest.definitions);
    Trace::of(manifest, options).map_err(Stop::Together)
}

/// Reads the files of this rank. Rank 0 gets all that definitions depend on, settles and broadcasts them.
fn read_share<S: Sharing>(ranks: &dyn Communicator, mut share: S) -> Result<Manifest, Stop>
where
    About: From<S::Trace>,
{
    let mut question = S::Question::default();
    loop {
        let reply = share.reply(&question);
        fail_point("read files", ranks.rank())?;
        let replies = ranks.gather(0, reply)?;
        let step = replies.map(|replies| share.settle(replies).map_err(Failure::from));
        match ranks.broadcast_result(0, step)?.map_err(Stop::Together)? {
            Step::Ask(next) => question = next,
            Step::Settled(settled) => {
                let (trace, definitions) = *settled;
                return Ok(Manifest { about: share.keep(trace).into(), definitions });
            }
        }
    }
}

impl Trace {
    /// The window between two times, in seconds since the start of the trace.
    pub fn window(&self, from: f64, to: f64) -> Window {
        let clock = self.definitions.clock.as_ref();
        let (resolution, offset) =
            clock.map_or((1, 0), |clock| (clock.timer_resolution, clock.global_offset));
        let ticks = |seconds: f64| {
            Ticks(offset.saturating_add((seconds * resolution.max(1) as f64).round() as u64))
        };
        Window::new(ticks(from), Some(ticks(to)))
    }

    /// The same trace as if these locations alone, and their processes, had been recorded.
    pub fn only(&self, options: ReadOptions, locations: &[LocationRef]) -> Trace {
        let mut definitions = self.definitions.clone();
        let chosen: BTreeSet<LocationRef> = locations.iter().copied().collect();
        definitions.locations.retain(|location, _| chosen.contains(location));
        let groups = definitions.locations.values().map(|location| location.location_group);
        let groups: BTreeSet<LocationGroupRef> = groups.collect();
        definitions.location_groups.retain(|group, _| groups.contains(group));
        Trace { source: self.source.with_options(options), definitions, clocks: self.clocks }
    }

    /// Makes a trace from a manifest. Opens no file.
    pub fn of(manifest: Manifest, options: ReadOptions) -> Result<Trace, Failure> {
        let Manifest { about, definitions } = manifest;
        Ok(Trace { source: about.source(options)?, definitions, clocks: Clocks::default() })
    }

    /// Adds what was lost when the trace was opened, and what a strict reader refuses.
    pub fn lose_at_opening(&self, strict: bool, losses: &mut Losses) {
        let (count, first) = self.source.losses();
        first.iter().for_each(|loss| losses.push(LocationRef::UNDEFINED, loss.to_string()));
        losses.count += count - first.len() as u64;
        let refused = self.source.notes().1.iter().filter(|note| strict && note.is_error);
        refused.for_each(|note| losses.push(LocationRef::UNDEFINED, note.about.to_string()));
    }
}

/// Returns the weight of each location: the bytes of its event file, 0 where there is none. Each
/// rank asks for its part of the files, and all ranks get all weights.
///
/// # Errors
///
/// When ranks cannot communicate.
pub fn weigh(ranks: &dyn Communicator, trace: &Trace) -> Result<Vec<Candidate>, Stop> {
    fail_point("plan", ranks.rank())?;
    let locations: Vec<_> = trace.definitions.locations.values().collect();
    let part = locations.len().div_ceil(ranks.size());
    let begin = (part * ranks.rank()).min(locations.len());
    let end = (begin + part).min(locations.len());
    let own: Vec<u64> = locations[begin..end].par_iter().map(|l| trace.source.cost(l.id)).collect();
    let weights = ranks.all_gather(own)?.into_iter().flatten();
    Ok(candidates(ranks, trace, weights))
}

/// All locations with weight 0. Touches no file.
pub fn unweighed(ranks: &dyn Communicator, trace: &Trace) -> Vec<Candidate> {
    candidates(ranks, trace, std::iter::repeat(0))
}

/// All locations, given their weights in the order of the definitions.
fn candidates(
    ranks: &dyn Communicator,
    trace: &Trace,
    weights: impl Iterator<Item = u64>,
) -> Vec<Candidate> {
    let Definitions { locations, location_groups, .. } = &trace.definitions;
    let candidate = |(location, weight): (&Location, u64)| {
        let known = location_groups.contains_key(&location.location_group);
        let group = if known { location.location_group } else { LocationGroupRef::UNDEFINED };
        Candidate { location: location.id, group, weight, rank: None }
    };
    let mut candidates = locations.values().zip(weights).map(candidate).collect::<Vec<_>>();
    place(trace, &mut candidates, ranks.size());
    candidates
}

/// Sets on which of so many ranks locations are held that ranks have read when they opened the trace.
pub fn place(trace: &Trace, candidates: &mut [Candidate], ranks: usize) {
    let readers = select::readers(trace.source.whole_files(), ranks);
    for candidate in candidates {
        let file = trace.source.whole_file(candidate.location);
        candidate.rank = file.and_then(|file| readers.get(file)).copied();
    }
}

/// Makes the plan of reading. Locations are cut only where the kernel says that they may be; all
/// ranks have to ask with the same kernel, so that they have the same plan.
pub fn plan<K: Pieces>(
    kernel: &K,
    candidates: &[Candidate],
    ranks: usize,
    cutting: Cutting,
) -> Plan {
    match kernel.splits() {
        true => Plan::in_pieces(candidates, ranks, cutting),
        false => Plan::new(candidates, ranks),
    }
}

/// Something that could not be read or used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Loss {
    /// Whose stream; undefined where it is not one location's.
    pub location: LocationRef,
    /// File, offset, record, and what is wrong.
    pub message: String,
}

/// Losses: all are counted, the first ones are reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Losses {
    /// How many.
    pub count: u64,
    /// The first of them, by location.
    pub first: Vec<Loss>,
}

impl Losses {
    /// Number of losses that are reported.
    pub const TOLD: usize = 1000;

    /// Adds one.
    pub fn push(&mut self, location: LocationRef, message: impl Into<String>) {
        let loss = Loss { location, message: message.into() };
        let place = self.first.partition_point(|other| *other <= loss);
        if place < Losses::TOLD {
            self.first.insert(place, loss);
            self.first.truncate(Losses::TOLD);
        }
        self.count += 1;
    }

    /// Adds others.
    pub fn fold(&mut self, other: Losses) {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.sort();
        self.first.truncate(Losses::TOLD);
    }

    /// Tells whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// How much was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// Events.
    pub events: u64,
    /// Events of unknown kinds among them.
    pub unknown: u64,
    /// Bytes of event files.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, other: &Amount) {
        self.events += other.events;
        self.unknown += other.unknown;
        self.bytes += other.bytes;
    }
}

/// Progress of this rank, for observers.
#[derive(Debug, Default)]
pub struct Progress {
    /// Events so far.
    pub events: AtomicU64,
    /// Bytes so far.
    pub bytes: AtomicU64,
    /// Pieces of locations that had to be read once more, since what they say depends on what came
    /// before them.
    pub again: AtomicU64,
    /// The current phase.
    phase: Mutex<Option<Phase>>,
    /// Set from outside where the work is to end early.
    stop: Option<Arc<AtomicBool>>,
}

/// A part of the work, for observers.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// Bytes to read in it; 0: none, or an unknown number.
    pub total: u64,
    /// When it began.
    pub begin: Instant,
    /// Events and bytes before it.
    pub before: (u64, u64),
}

/// The phase in which streams are read.
pub const READING: &str = "reading events";
/// The phase in which what ranks found becomes one.
pub const ADDING: &str = "adding up what was found";

impl Progress {
    /// Progress of work that ends early once `stop` is set. Readers look at it between parts of streams; their results
    /// are of no use then.
    pub fn until(stop: Option<Arc<AtomicBool>>) -> Self {
        Progress { stop, ..Progress::default() }
    }

    /// Tells whether the work is to end early.
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Begins a phase, in which there are so many bytes to read; 0: none.
    pub fn begin(&self, name: &'static str, total: u64) {
        let before = (self.events.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed));
        let phase = Phase { name, total, begin: Instant::now(), before };
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = Some(phase);
    }

    /// The current phase; `None`: nothing has begun.
    pub fn phase(&self) -> Option<Phase> {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far a stream was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reached {
    events: u64,
    bytes: u64,
}

impl Reached {
    /// In this stream.
    pub fn by(stream: &Stream) -> Self {
        Reached::new(stream.count(), stream.bytes())
    }

    /// Number of events and bytes.
    pub fn new(events: u64, bytes: u64) -> Self {
        Reached { events, bytes }
    }

    /// Goes on to here, and adds the difference to the progress. Returns the difference.
    pub fn go_on(&mut self, to: Reached, progress: &Progress) -> Reached {
        let more = Reached { events: to.events - self.events, bytes: to.bytes - self.bytes };
        progress.events.fetch_add(more.events, Ordering::Relaxed);
        progress.bytes.fetch_add(more.bytes, Ordering::Relaxed);
        *self = to;
        more
    }
}

/// How a rank scans its share.
#[derive(Clone, Copy, Debug)]
pub struct Scanning<'a> {
    /// Streams that are read at a time.
    pub workers: NonZeroUsize,
    /// Set if the first loss ends the job.
    pub strict: bool,
    /// Takes the numbers of events and bytes that were read.
    pub progress: &'a Progress,
    /// References of locations become these; `None`: they stay as recorded.
    pub references: Option<&'a References<'a>>,
}

/// Result of scanning, of one rank or of all.
#[derive(Debug, Serialize, Deserialize)]
pub struct Folded<P> {
    /// The result so far.
    pub partial: P,
    /// Losses.
    pub losses: Losses,
    /// How much was read.
    pub amount: Amount,
}

/// Scans the share of this rank with the threads of the present rayon pool. Locations that the plan
/// cuts are joined by the first rank that reads of them.
///
/// # Errors
///
/// The first loss, when `strict`; and when ranks cannot communicate.
///
/// # Panics
///
/// When the plan may cut locations and the kernel does not allow it, see [`plan`].
pub fn scan<K: Pieces>(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    kernel: &K,
    scanning: Scanning<'_>,
) -> Result<Folded<K::Partial>, Stop> {
    assert!(kernel.splits() || plan.cutting().is_none(), "locations are read as a whole");
    if trace.source.brings() == Brings::All {
        return scan_uncut(ranks, trace, plan, kernel, scanning);
    }
    fail_point("scan", ranks.rank())?;
    let (items, cut) = pieces::items(plan, ranks.rank(), scanning.workers);
    let mut workers: Vec<K::Worker> = cut.iter().map(|_| kernel.worker()).collect();
    let units = Units::new(trace, kernel, scanning, cut, &mut workers);
    let mut folded = on_workers(
        &items,
        scanning.workers,
        |queue| {
            let mut room = K::Room::default();
            work(kernel, queue, &scanning, |worker, item, folded| match item {
                Item::Whole(location) => {
                    let read = location::scan(trace, kernel, location, worker, &scanning);
                    folded.take(location, read)
                }
                Item::Piece(place) => units.read(place, &mut room),
            })
        },
        |a, b| fold(kernel, a, b),
    );
    fail_point("join", ranks.rank())?;
    for (location, read) in units.join(ranks, plan)? {
        folded.take(location, read);
    }
    for worker in workers {
        folded.partial = kernel.fold(folded.partial, kernel.partial(worker));
    }
    if scanning.strict {
        refuse(ranks, folded.losses.first.first())?;
    }
    Ok(folded)
}

/// Scans the share of this rank, as [`scan`] does, by a kernel that knows no pieces.
///
/// # Errors
///
/// The first loss, when `strict`.
///
/// # Panics
///
/// When the plan may cut locations.
pub fn scan_uncut<K: Kernel>(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    kernel: &K,
    scanning: Scanning<'_>,
) -> Result<Folded<K::Partial>, Stop> {
    if trace.source.brings() == Brings::All {
        return scan_together(ranks, trace, plan, kernel, scanning, |locations, workers| {
            let scans = workers.iter_mut().zip(locations);
            let scans = scans.map(|(worker, of)| together::All::boxed(kernel, worker, *of));
            together::scan(trace, locations, scans.collect(), scanning.progress)
        });
    }
    scan_by(ranks, plan, kernel, scanning, |worker, location| {
        location::scan(trace, kernel, location, worker, &scanning)
    })
}

/// Scans a window of time of the share of this rank, as [`scan_uncut`] does all of it. Nothing behind
/// the window is read, and before it only what the kernel wants there is decoded.
///
/// # Errors
///
/// The first loss, when `strict`.
///
/// # Panics
///
/// Those of [`scan_uncut`].
pub fn scan_window<K: WindowKernel>(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    kernel: &K,
    scanning: Scanning<'_>,
    window: Window,
) -> Result<Folded<K::Partial>, Stop> {
    scan_windows(ranks, trace, plan, kernel, scanning, |_| window)
}

/// The same, where each location has a window of its own.
///
/// # Errors
///
/// Those of [`scan_window`].
///
/// # Panics
///
/// Those of [`scan_window`].
pub fn scan_windows<K: WindowKernel>(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    kernel: &K,
    scanning: Scanning<'_>,
    window_of: impl Fn(LocationRef) -> Window + Sync,
) -> Result<Folded<K::Partial>, Stop> {
    if trace.source.brings() == Brings::All {
        return scan_together(ranks, trace, plan, kernel, scanning, |locations, workers| {
            let scans = workers.iter_mut().zip(locations);
            let scans = scans
                .map(|(worker, of)| together::Within::boxed(kernel, worker, *of, window_of(*of)));
            together::scan(trace, locations, scans.collect(), scanning.progress)
        });
    }
    scan_by(ranks, plan, kernel, scanning, |worker, location| {
        let window = window_of(location);
        windows::scan_location(trace, kernel, worker, location, window, &scanning)
    })
}

/// Scans the share of this rank, each location by `read`.
fn scan_by<K: Kernel>(
    ranks: &dyn Communicator,
    plan: &Plan,
    kernel: &K,
    scanning: Scanning<'_>,
    read: impl Fn(&mut K::Worker, LocationRef) -> LocationRead + Sync,
) -> Result<Folded<K::Partial>, Stop> {
    fail_point("scan", ranks.rank())?;
    assert!(plan.cutting().is_none(), "locations are read as a whole");
    let folded = on_workers(
        &plan.share(ranks.rank()).locations,
        scanning.workers,
        |queue| {
            work(kernel, queue, &scanning, |worker, location, folded| {
                folded.take(location, read(worker, location))
            })
        },
        |a, b| fold(kernel, a, b),
    );
    if scanning.strict {
        refuse(ranks, folded.losses.first.first())?;
    }
    Ok(folded)
}

/// Scans the share of this rank of a source whose file holds the events of all locations: `read` some of them in each
/// pass. Losses of opening the trace count on rank 0.
fn scan_together<K: Kernel>(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    kernel: &K,
    scanning: Scanning<'_>,
    read: impl Fn(&[LocationRef], &mut [K::Worker]) -> Vec<(LocationRef, LocationRead)> + Sync,
) -> Result<Folded<K::Partial>, Stop> {
    fail_point("scan", ranks.rank())?;
    let mut share = plan.share(ranks.rank()).locations.clone();
    let groups: Vec<&[LocationRef]> = match trace.source.reads_ahead() {
        true => {
            let file = |location: &LocationRef| trace.source.events_file(*location);
            share.sort_by_cached_key(file);
            let of_files = share.chunk_by(|one, other| file(one) == file(other));
            of_files.flat_map(|of_file| of_file.chunks(together::AT_A_TIME)).collect()
        }
        false => {
            let at_a_time = share.len().div_ceil(scanning.workers.get());
            share.chunks(at_a_time.clamp(1, together::AT_A_TIME)).collect()
        }
    };
    let mut folded = on_workers(
        &groups,
        scanning.workers,
        |queue| {
            let (losses, amount) = Default::default();
            let partial = kernel.partial(kernel.worker());
            let mut folded = Folded { partial, losses, amount };
            while let Some(group) = queue.take() {
                let mut workers: Vec<K::Worker> = group.iter().map(|_| kernel.worker()).collect();
                for (location, read) in read(group, &mut workers) {
                    folded.take(location, read);
                }
                for worker in workers {
                    folded.partial = kernel.fold(folded.partial, kernel.partial(worker));
                }
                let is_lossy = scanning.strict && !folded.losses.is_empty();
                if is_lossy || scanning.progress.is_stopped() {
                    queue.stop();
                }
            }
            folded
        },
        |a, b| fold(kernel, a, b),
    );
    if ranks.rank() == 0 {
        trace.lose_at_opening(scanning.strict, &mut folded.losses);
    }
    if scanning.strict {
        refuse(ranks, folded.losses.first.first())?;
    }
    Ok(folded)
}

/// Lets workers take items, one after another, on the threads of the present rayon pool, and folds
/// what each of them made of its own.
pub fn on_workers<I: Copy + Sync, T: Send>(
    items: &[I],
    workers: NonZeroUsize,
    work: impl Fn(&Queue<'_, I>) -> T + Sync,
    fold: impl Fn(T, T) -> T,
) -> T {
    let queue = Queue { items, next: AtomicUsize::new(0), stopped: AtomicBool::new(false) };
    let done: Mutex<Vec<T>> = Mutex::new(Vec::new());
    rayon::scope(|scope| {
        for _ in 0..workers.get().min(items.len().max(1)) {
            scope.spawn(|_| {
                let worked = work(&queue);
                done.lock().expect("no worker panics with the lock").push(worked);
            });
        }
    });
    let done = done.into_inner().expect("no worker panics with the lock");
    done.into_iter().reduce(fold).expect("there is at least one worker")
}

/// Ends all ranks with the first loss of any of them: the same one for any number of ranks that
/// have read all of their shares up to it.
pub fn refuse(ranks: &dyn Communicator, first: Option<&Loss>) -> Result<(), Stop> {
    let least = |a: Option<Loss>, b: Option<Loss>| match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    match ranks.all_reduce(first.cloned(), least)? {
        Some(loss) => Err(Stop::Together(Failure::new(ExitCode::Trace, loss.message))),
        None => Ok(()),
    }
}

/// Brings the results of all ranks to rank 0.
///
/// # Errors
///
/// When ranks cannot communicate.
pub fn reduce<K: Kernel>(
    ranks: &dyn Communicator,
    kernel: &K,
    folded: Folded<K::Partial>,
) -> Result<Option<Folded<K::Partial>>, Stop> {
    fail_point("reduce", ranks.rank())?;
    Ok(ranks.reduce(0, folded, |a, b| fold(kernel, a, b))?)
}

fn fold<K: Kernel>(
    kernel: &K,
    mut into: Folded<K::Partial>,
    other: Folded<K::Partial>,
) -> Folded<K::Partial> {
    into.partial = kernel.fold(into.partial, other.partial);
    into.losses.fold(other.losses);
    into.amount.add(&other.amount);
    into
}

/// A queue of items that workers take.
pub struct Queue<'a, I = LocationRef> {
    items: &'a [I],
    next: AtomicUsize,
    stopped: AtomicBool,
}

impl<I: Copy> Queue<'_, I> {
    /// The next item that is still free.
    pub fn take(&self) -> Option<I> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        self.items.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// No worker takes any more.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl<P> Folded<P> {
    /// Takes in what came of a location. Returns whether nothing was lost so far.
    fn take(&mut self, location: LocationRef, read: LocationRead) -> bool {
        self.amount.add(&read.amount);
        for message in read.losses {
            self.losses.push(location, message);
        }
        self.losses.is_empty()
    }
}

/// Loop of one worker: `read` takes in the result of an item, and returns whether nothing was lost.
fn work<K: Kernel, I: Copy>(
    kernel: &K,
    queue: &Queue<'_, I>,
    scanning: &Scanning<'_>,
    mut read: impl FnMut(&mut K::Worker, I, &mut Folded<()>) -> bool,
) -> Folded<K::Partial> {
    let mut worker = kernel.worker();
    let (losses, amount) = Default::default();
    let mut folded = Folded { partial: (), losses, amount };
    while let Some(item) = queue.take() {
        let lossless = read(&mut worker, item, &mut folded);
        if scanning.strict && !lossless || scanning.progress.is_stopped() {
            queue.stopped.store(true, Ordering::Relaxed);
        }
    }
    let Folded { losses, amount, .. } = folded;
    Folded { partial: kernel.partial(worker), losses, amount }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use streamfold_collective::{team, PieceLimit};
    use streamfold_kernels::profile::ProfileKernel;

    use super::*;

    /// Files of five processes.
    fn write(folder: &Path) {
        for process in 0..5 {
            let call = |n: u64| {
                let begin = 10 * n;
                format!(
                    "{{\"name\":\"read\",\"cat\":\"POSIX\",\"pid\":{process},\"tid\":1,\"ts\":{begin},\
                     \"dur\":5,\"ph\":1}}\n"
                )
            };
            let text: String = (0..100 * (process + 1)).map(call).collect();
            fs::write(folder.join(format!("{process}.pfw")), text).expect("written");
        }
    }

    /// No file is there any more once the trace is open.
    #[test]
    fn files_are_read_once() {
        let events = |ranks: usize| {
            let folder = tempfile::tempdir().expect("a folder");
            write(folder.path());
            let found = team::run(ranks, PieceLimit::DEFAULT, |ranks| {
                let job = Job::open(ranks, folder.path()).expect("a trace");
                let own = job.trace().source.files().len();
                ranks.barrier().expect("all ranks");
                if ranks.rank() == 0 {
                    fs::remove_dir_all(folder.path()).expect("removed");
                }
                ranks.barrier().expect("all ranks");
                let candidates = weigh(ranks, job.trace()).expect("candidates");
                assert!(candidates.iter().all(|candidate| candidate.rank.is_some()));
                let done = job.run(&ProfileKernel::new(job.definitions())).expect("a run");
                done.map(|done| (own, done.amount.events, done.losses))
            });
            found.into_iter().flatten().next().expect("rank 0")
        };
        for ranks in [1, 2, 3, 7] {
            assert_eq!(events(ranks), (5, 3000, Losses::default()), "{ranks} ranks");
        }
    }
}
