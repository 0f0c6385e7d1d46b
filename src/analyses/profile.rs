//! The profile of a trace: the part that counts, the plan of reading, and the repair of leaves that do not fit.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use streamfold_kernels::adapt::repair::{Finder, Repaired, Rule as RepairRule};
use streamfold_kernels::adapt::References;
use streamfold_kernels::profile::{
    Kept, Partial, Profile, ProfileKernel, Rule, SinkMaker, Splitting, ThreadTreeKernel,
};
use streamfold_kernels::{Pieces, Window, WindowKernel};
use streamfold_model::ids::LocationRef;

use streamfold_collective::Communicator;
use streamfold_drive::select::{Candidate, Cutting, Plan};
use streamfold_drive::{
    self as drive, Folded, Losses, Progress, Scanning, Trace, TraceForkStreams,
};
use streamfold_formats::ReadOptions;
use streamfold_system::exit::Stop;

/// Time of each location that counts.
#[derive(Clone, Debug, Default)]
pub enum Times {
    /// All of it.
    #[default]
    All,
    /// The same window for all locations.
    Window(Window),
    /// A window of each location; none of the time of a location without one.
    ByLocation(BTreeMap<LocationRef, Window>),
}

/// Everything that is wanted of a profile, by default all events of all locations.
#[derive(Clone, Default)]
pub struct Wanted {
    /// Time that counts.
    pub times: Times,
    /// Regions that are steps of call paths; `None`: all of them.
    pub rule: Option<Arc<dyn Rule>>,
    /// Parameters by whose values call paths are split.
    pub splitting: Splitting,
    /// Call paths of a team hang below the call path on which it was forked.
    pub thread_tree: bool,
    /// The program is a region, from ProgramBegin to ProgramEnd.
    pub program_root: bool,
    /// Definitions with equal contents are told apart by their numbers.
    pub by_id: bool,
    /// A leave ends the innermost visit, whatever region it names.
    pub tolerant: bool,
    /// The first loss ends the job.
    pub strict: bool,
    /// Call paths that are kept, without trees of threads.
    pub kept: Kept,
    /// Bytes of the pieces into which locations are cut; `None`: long locations are cut as far as that helps.
    pub piece_bytes: Option<u64>,
}

impl Wanted {
    /// Tells whether locations may be cut: windows, chosen regions and trees of threads need them in order.
    fn is_cut(&self) -> bool {
        let is_all = matches!(self.times, Times::All) && self.rule.is_none();
        is_all && !self.has_trees() && !self.tolerant
    }

    fn has_trees(&self) -> bool {
        self.thread_tree || self.program_root
    }

    fn kernel<'a>(
        &self,
        trace: &'a Trace,
        references: Option<&'a References<'a>>,
    ) -> ProfileKernel<'a> {
        let kernel = ProfileKernel::new(&trace.definitions).split(self.splitting.clone());
        let kernel = match references {
            Some(references) => kernel.over(references),
            None => kernel,
        };
        let kernel = kernel.keep(self.kept);
        let kernel = match &self.rule {
            Some(rule) => kernel.choose(&**rule),
            None => kernel,
        };
        match self.by_id {
            true => kernel.by_id(),
            false => kernel,
        }
    }
}

/// Result of a job: on rank 0 all of it.
pub type Scanned = Option<Folded<Partial>>;

/// Makes the sinks for a pass over the trace, which take the call paths of single locations. Passes count from 0: a
/// second one replaces the first.
pub type Sinks<'s> = &'s mut dyn FnMut(u32) -> Option<Box<SinkMaker<'static>>>;

/// A profile of a trace that all ranks have opened.
///
/// ```
/// use std::path::Path;
///
/// use streamfold_analyses::profile::ProfileJob;
/// use streamfold_collective::Solo;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let trace = Path::new("../../tests/data/pingpong/traces.otf2");
/// let job = ProfileJob::open(&Solo, trace)?.between(0.0, 0.5);
/// let done = job.profile()?.expect("this is rank 0");
/// for row in &done.profile.regions {
///     println!("{:?}: {} visits", row.step, row.row.visits);
/// }
/// assert_eq!(done.losses.count, 0);
/// # Ok(())
/// # }
/// ```
pub struct ProfileJob<'r> {
    ranks: &'r dyn Communicator,
    trace: Trace,
    candidates: Vec<Candidate>,
    wanted: Wanted,
    workers: NonZeroUsize,
}

/// A profile, and the trace that it is of.
pub struct Profiled {
    /// The trace. Its definitions have those of single locations, too.
    pub trace: Trace,
    /// The profile.
    pub profile: Profile,
    /// Everything that could not be read.
    pub losses: Losses,
}

impl<'r> ProfileJob<'r> {
    /// Opens a trace on all ranks, for a profile of all of it. Collective.
    ///
    /// # Errors
    ///
    /// On all ranks when the trace cannot be read; and when ranks cannot communicate.
    pub fn open(ranks: &'r dyn Communicator, path: &Path) -> Result<ProfileJob<'r>, Stop> {
        let trace = drive::open(ranks, path, ReadOptions::default())?;
        let candidates = drive::weigh(ranks, &trace)?;
        Ok(ProfileJob::over(ranks, trace, candidates, Wanted::default()))
    }

    /// Takes a trace that is open, and those of its locations that are to be read.
    pub fn over(
        ranks: &'r dyn Communicator,
        trace: Trace,
        candidates: Vec<Candidate>,
        wanted: Wanted,
    ) -> ProfileJob<'r> {
        let workers = NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN);
        ProfileJob { ranks, trace, candidates, wanted, workers }
    }

    /// Reads so many locations at a time on this rank; by default as many as there are threads.
    pub fn workers(self, workers: NonZeroUsize) -> Self {
        ProfileJob { workers, ..self }
    }

    /// Counts what lies between two times only, in seconds since the start of the trace.
    pub fn between(mut self, from: f64, to: f64) -> Self {
        self.wanted.times = Times::Window(self.trace.window(from, to));
        self
    }

    /// The trace.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The trace, once the profile is made.
    pub fn into_trace(self) -> Trace {
        self.trace
    }

    /// The locations that are read.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The plan of reading on so many ranks.
    pub fn plan(&self, ranks: usize) -> Plan {
        let mut candidates = Cow::Borrowed(&self.candidates);
        if ranks != self.ranks.size() {
            drive::place(&self.trace, candidates.to_mut(), ranks);
        }
        if !self.wanted.is_cut() {
            return Plan::new(&candidates, ranks);
        }
        let chunk = self.trace.source.grain().unwrap_or(u64::MAX);
        let cutting = match self.wanted.piece_bytes {
            Some(bytes) => Cutting::forced(chunk, bytes),
            None => Cutting::new(chunk),
        };
        drive::plan(&self.wanted.kernel(&self.trace, None), &candidates, ranks, cutting)
    }

    /// Makes the profile. It is on rank 0. Collective.
    ///
    /// # Errors
    ///
    /// With the first loss if none may be; and when ranks cannot communicate.
    pub fn profile(self) -> Result<Option<Profiled>, Stop> {
        let scanned = self.run(&Progress::default(), &mut |_| None)?;
        let mut trace = self.trace;
        Ok(scanned.map(|Folded { partial, losses, .. }| {
            let (profile, _) = Profile::new(partial, &trace.definitions);
            profile.define_own(&mut trace.definitions);
            Profiled { trace, profile, losses }
        }))
    }

    /// Reads the share of this rank and folds the partial results of all. The trace is read once more if records of one
    /// time stand in the wrong order at any location: later records show that only. Collective.
    ///
    /// # Errors
    ///
    /// Those of [`ProfileJob::profile`].
    pub fn run(&self, progress: &Progress, sinks: Sinks<'_>) -> Result<Scanned, Stop> {
        let ranks = self.ranks;
        let plan = self.plan(ranks.size());
        let references = self.references(&plan)?;
        let references = references.as_ref();
        if self.wanted.tolerant {
            let tolerant = Some(RepairRule::Tolerant);
            return self.pass(&plan, references, tolerant, progress, sinks(0));
        }
        let scanned = self.pass(&plan, references, None, progress, sinks(0))?;
        let odd = scanned.as_ref().map(|folded| folded.partial.with_leaves_that_do_not_fit());
        let odd: HashSet<LocationRef> =
            ranks.broadcast(0, (ranks.rank() == 0).then(|| odd.unwrap_or_default()))?;
        if odd.is_empty() {
            return Ok(scanned);
        }
        let trace = &self.trace;
        let uncut = Plan::new(&self.candidates, ranks.size());
        let own = &uncut.share(ranks.rank()).locations;
        let own: Vec<LocationRef> = own.iter().copied().filter(|own| odd.contains(own)).collect();
        let is_disordered = |location: &LocationRef| {
            trace.find_repairs(*location, references).is_some_and(Finder::found_any)
        };
        let disordered = own.into_par_iter().filter(is_disordered).collect();
        let disordered: Vec<Vec<LocationRef>> = ranks.all_gather(disordered)?;
        let disordered: HashSet<LocationRef> = disordered.into_iter().flatten().collect();
        if disordered.is_empty() {
            return Ok(scanned);
        }
        drop(scanned);
        let find = |location: LocationRef| {
            let repairs = || trace.find_repairs(location, references);
            disordered.contains(&location).then(repairs).flatten()
        };
        self.pass(&uncut, references, Some(RepairRule::Order(&find)), progress, sinks(1))
    }

    /// Finds out what locations define; `None`: numbers count alone. Collective.
    fn references(&self, plan: &Plan) -> Result<Option<References<'_>>, Stop> {
        let ProfileJob { ranks, trace, wanted, workers, .. } = self;
        if wanted.by_id {
            return Ok(None);
        }
        let references = match wanted.splitting {
            Splitting::Nothing => References::new(&trace.definitions),
            _ => References::with_parameters(&trace.definitions),
        };
        let share = match wanted.thread_tree {
            // Forks of any location may be needed.
            true => {
                let all = trace.definitions.locations.keys().copied();
                all.skip(ranks.rank()).step_by(ranks.size()).collect()
            }
            false => plan.share(ranks.rank()).all(),
        };
        Ok(Some(drive::settle(*ranks, trace, &share, *workers, references)?))
    }

    /// Reads the share of this rank once. A plan with a `repair` has no cut locations.
    fn pass(
        &self,
        plan: &Plan,
        references: Option<&References<'_>>,
        repair: Option<RepairRule<'_>>,
        progress: &Progress,
        sinks: Option<Box<SinkMaker<'static>>>,
    ) -> Result<Scanned, Stop> {
        let ProfileJob { ranks, trace, wanted, .. } = self;
        progress.begin(drive::READING, plan.share(ranks.rank()).weight);
        let streams = wanted.thread_tree.then(|| TraceForkStreams::new(trace, plan, references));
        let kernel = wanted.kernel(trace, references);
        let kernel = match &sinks {
            Some(sinks) => kernel.with_sinks(&**sinks),
            None => kernel,
        };
        let (workers, strict) = (self.workers, wanted.strict);
        let scanning = Scanning { workers, strict, progress, references };
        let pass = Pass { ranks: *ranks, trace, plan, scanning, repair, times: &wanted.times };
        if wanted.has_trees() {
            let streams = streams.as_ref();
            return pass.trees(&wanted.trees(kernel, streams), streams);
        }
        match wanted.times {
            Times::All if repair.is_none() => pass.pieces(&kernel),
            _ => pass.in_order(&kernel),
        }
    }
}

impl Wanted {
    fn trees<'a>(
        &self,
        kernel: ProfileKernel<'a>,
        fork_streams: Option<&'a TraceForkStreams<'a>>,
    ) -> ThreadTreeKernel<'a> {
        let kernel = ThreadTreeKernel::new(kernel);
        let kernel = match fork_streams {
            Some(fork_streams) => kernel.with_fork_streams(fork_streams),
            None => kernel,
        };
        match self.program_root {
            true => kernel.with_programs(),
            false => kernel,
        }
    }
}

/// One pass over the share of a rank.
struct Pass<'a> {
    ranks: &'a dyn Communicator,
    trace: &'a Trace,
    plan: &'a Plan,
    scanning: Scanning<'a>,
    repair: Option<RepairRule<'a>>,
    times: &'a Times,
}

impl Pass<'_> {
    /// All of the time, in pieces.
    fn pieces<K: Pieces<Partial = Partial>>(self, kernel: &K) -> Result<Scanned, Stop> {
        let folded = drive::scan(self.ranks, self.trace, self.plan, kernel, self.scanning)?;
        self.scanning.progress.begin(drive::ADDING, 0);
        drive::reduce(self.ranks, kernel, folded)
    }

    /// Each location in order, and the streams of forking locations beside it.
    fn trees(
        self,
        kernel: &ThreadTreeKernel<'_>,
        fork_streams: Option<&TraceForkStreams<'_>>,
    ) -> Result<Scanned, Stop> {
        let mut folded = self.locations(kernel)?;
        if let Some(fork_streams) = fork_streams {
            fork_streams.lose(self.ranks, &mut folded.losses, self.scanning.strict)?;
        }
        self.scanning.progress.begin(drive::ADDING, 0);
        drive::reduce(self.ranks, kernel, folded)
    }

    /// Each location in order.
    fn in_order<K: WindowKernel<Partial = Partial>>(self, kernel: &K) -> Result<Scanned, Stop> {
        let folded = self.locations(kernel)?;
        self.scanning.progress.begin(drive::ADDING, 0);
        drive::reduce(self.ranks, kernel, folded)
    }

    /// Locations of this rank.
    fn locations<K: WindowKernel<Partial = Partial>>(
        &self,
        kernel: &K,
    ) -> Result<Folded<Partial>, Stop> {
        let Some(rule) = self.repair else { return self.scan(kernel) };
        let Folded { partial, losses, amount } = self.scan(&Repaired::new(kernel, rule))?;
        let partial = partial.partial.with_repairs(&partial.repaired);
        Ok(Folded { partial, losses, amount })
    }

    fn scan<K: WindowKernel>(&self, kernel: &K) -> Result<Folded<K::Partial>, Stop> {
        let Pass { ranks, trace, plan, scanning, .. } = *self;
        match self.times {
            Times::All => drive::scan_uncut(ranks, trace, plan, kernel, scanning),
            Times::Window(window) => {
                drive::scan_window(ranks, trace, plan, kernel, scanning, *window)
            }
            Times::ByLocation(windows) => {
                drive::scan_windows(ranks, trace, plan, kernel, scanning, |of| {
                    windows.get(&of).copied().unwrap_or(Window::NONE)
                })
            }
        }
    }
}
