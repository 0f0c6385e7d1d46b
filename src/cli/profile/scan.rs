//! Scan of a trace: the parts that are read, the ranks that read them, and the kernels.

use std::collections::HashSet;

use rayon::prelude::*;
use streamfold_kernels::adapt::repair::{Repaired, Rule};
use streamfold_kernels::profile::{Partial, ProfileKernel, Splitting, ThreadTreeKernel};
use streamfold_kernels::{Pieces, Window, WindowKernel};
use streamfold_model::ids::LocationRef;

use super::Args;
use crate::cli::iterations::IterationWindows;
use crate::cli::regions::RegionRule;
use crate::cli::session::Session;
use crate::cli::shared_files::SharedFiles;
use crate::cli::slices::Slices;
use crate::collective::Communicator;
use crate::drive::select::{Candidate, Cutting, Plan};
use crate::drive::{self, Folded, Scanning, Trace, TraceForkStreams};
use crate::system::exit::{Failure, Stop};

/// Part of the trace that counts, and the parameters that split its call paths.
#[derive(Clone)]
pub(super) struct Part {
    splitting: Splitting,
    /// Rule for the regions that are steps of call paths; `None`: all are.
    rule: Option<RegionRule>,
    pub(super) window: Option<Window>,
    /// The windows of locations, where they have their own.
    iterations: Option<IterationWindows>,
}

/// Time of each location that counts.
#[derive(Clone, Copy)]
enum Times<'p> {
    All,
    Window(Window),
    Iterations(&'p IterationWindows),
}

impl Part {
    pub(super) fn new(
        slices: &Slices,
        trace: &Trace,
        iterations: Option<IterationWindows>,
    ) -> Result<Part, Failure> {
        Ok(Part {
            iterations,
            splitting: slices.splitting(trace)?,
            rule: slices.rule()?,
            window: slices.extent().window(trace)?,
        })
    }

    /// Returns whether locations may be cut. A window of time and chosen regions are read in order.
    fn is_cut(&self) -> bool {
        self.rule.is_none() && self.window.is_none() && self.iterations.is_none()
    }

    fn times(&self) -> Times<'_> {
        match (&self.iterations, self.window) {
            (Some(iterations), _) => Times::Iterations(iterations),
            (None, Some(window)) => Times::Window(window),
            (None, None) => Times::All,
        }
    }
}

/// Result of a scan: all of it on rank 0.
pub(super) type Scanned = Option<Folded<Partial>>;

/// Scans the share of this rank. Reads locations a second time if records of one timestamp stand in the wrong order:
/// only later records show that.
pub(super) fn scan(
    args: &Args,
    session: &Session<'_>,
    trace: &Trace,
    (candidates, plan): (&[Candidate], &Plan),
    part: Part,
    files: &mut SharedFiles,
) -> Result<Scanned, Stop> {
    let ranks = session.ranks;
    if args.tolerant {
        return scan_by(args, session, trace, plan, part, files, Some(Rule::Tolerant));
    }
    let scanned = scan_by(args, session, trace, plan, part.clone(), files, None)?;
    let odd = scanned.as_ref().map(|folded| folded.partial.with_leaves_that_do_not_fit());
    let odd: HashSet<LocationRef> =
        ranks.broadcast(0, (ranks.rank() == 0).then(|| odd.unwrap_or_default()))?;
    if odd.is_empty() {
        return Ok(scanned);
    }
    let uncut = Plan::new(candidates, ranks.size());
    let own = &uncut.share(ranks.rank()).locations;
    let own: Vec<LocationRef> = own.iter().copied().filter(|own| odd.contains(own)).collect();
    let kernel = args.kernel(trace, part.splitting.clone());
    let disordered = own.into_par_iter().filter(|own| trace.is_disordered(&kernel, *own)).collect();
    let disordered: Vec<Vec<LocationRef>> = ranks.all_gather(disordered)?;
    let disordered: HashSet<LocationRef> = disordered.into_iter().flatten().collect();
    if disordered.is_empty() {
        return Ok(scanned);
    }
    drop(scanned);
    files.begin_again();
    let find = |location: LocationRef, renaming: &_| {
        disordered.contains(&location).then(|| trace.find_repairs(location, renaming)).flatten()
    };
    scan_by(args, session, trace, &uncut, part, files, Some(Rule::Order(&find)))
}

/// Scans once. `repair`: rule for leaves that do not fit; nothing of the plan is cut then.
fn scan_by(
    args: &Args,
    session: &Session<'_>,
    trace: &Trace,
    plan: &Plan,
    part: Part,
    files: &SharedFiles,
    repair: Option<Rule<'_>>,
) -> Result<Scanned, Stop> {
    let ranks = session.ranks;
    let sinks = files.sinks();
    let workers = session.threads.count.min(args.trees.workers(session.common.max_open_files));
    session.watch(plan.share(ranks.rank()).weight, |progress| {
        let fork_streams = args.trees.fork_streams(trace, plan);
        let times = part.times();
        let kernel = args.kernel(trace, part.splitting.clone());
        let kernel = match &sinks {
            Some(sinks) => kernel.with_sinks(&**sinks),
            None => kernel,
        };
        let scanning = Scanning { workers, strict: args.strict, progress };
        let job = Job { ranks, trace, plan, scanning, repair };
        if args.trees.any() {
            let fork_streams = fork_streams.as_ref();
            return match part.rule.clone() {
                None => job.trees(&args.trees.kernel(kernel, fork_streams), fork_streams, times),
                Some(rule) => {
                    let kernel = args.trees.kernel(kernel.choose(rule), fork_streams);
                    job.trees(&kernel, fork_streams, times)
                }
            };
        }
        match (part.rule.clone(), times) {
            (None, Times::All) if repair.is_none() => job.pieces(&kernel),
            (None, times) => job.in_order(&kernel, times),
            (Some(rule), times) => job.in_order(&kernel.choose(rule), times),
        }
    })
}

/// All that there is to scan.
struct Job<'a> {
    ranks: &'a dyn Communicator,
    trace: &'a Trace,
    plan: &'a Plan,
    scanning: Scanning<'a>,
    repair: Option<Rule<'a>>,
}

impl Job<'_> {
    /// All of the time, in pieces where there are any.
    fn pieces<K: Pieces<Partial = Partial>>(self, kernel: &K) -> Result<Scanned, Stop> {
        let folded = drive::scan(self.ranks, self.trace, self.plan, kernel, self.scanning)?;
        self.scanning.progress.begin(drive::ADDING, 0);
        drive::reduce(self.ranks, kernel, folded)
    }

    /// Each location in order, and those below which something hangs beside these.
    fn trees<const CHOSEN: bool>(
        self,
        kernel: &ThreadTreeKernel<'_, CHOSEN>,
        fork_streams: Option<&TraceForkStreams<'_>>,
        times: Times<'_>,
    ) -> Result<Scanned, Stop> {
        let mut folded = self.locations(kernel, times)?;
        if let Some(fork_streams) = fork_streams {
            fork_streams.lose(self.ranks, &mut folded.losses, self.scanning.strict)?;
        }
        self.scanning.progress.begin(drive::ADDING, 0);
        drive::reduce(self.ranks, kernel, folded)
    }

    /// All of the time or a window, each location in order.
    fn in_order<K: WindowKernel<Partial = Partial>>(
        self,
        kernel: &K,
        times: Times<'_>,
    ) -> Result<Scanned, Stop> {
        let folded = self.locations(kernel, times)?;
        self.scanning.progress.begin(drive::ADDING, 0);
        drive::reduce(self.ranks, kernel, folded)
    }

    /// Returns the partial result of this rank.
    fn locations<K: WindowKernel<Partial = Partial>>(
        &self,
        kernel: &K,
        times: Times<'_>,
    ) -> Result<Folded<Partial>, Stop> {
        let Some(rule) = self.repair else { return self.scan(kernel, times) };
        let Folded { partial, losses, amount } = self.scan(&Repaired::new(kernel, rule), times)?;
        let partial = partial.partial.with_repairs(&partial.repaired);
        Ok(Folded { partial, losses, amount })
    }

    fn scan<K: WindowKernel>(
        &self,
        kernel: &K,
        times: Times<'_>,
    ) -> Result<Folded<K::Partial>, Stop> {
        let Job { ranks, trace, plan, scanning, .. } = *self;
        match times {
            Times::All => drive::scan_uncut(ranks, trace, plan, kernel, scanning),
            Times::Window(window) => {
                drive::scan_window(ranks, trace, plan, kernel, scanning, window)
            }
            Times::Iterations(windows) => {
                drive::scan_windows(ranks, trace, plan, kernel, scanning, |of| windows.of(of))
            }
        }
    }
}

impl Args {
    /// Assigns locations to ranks.
    pub(super) fn plan(
        &self,
        trace: &Trace,
        part: &Part,
        candidates: &[Candidate],
        ranks: usize,
    ) -> Plan {
        // Call paths that hang below others need their events in order, too.
        if self.trees.any() || !part.is_cut() || self.tolerant {
            return Plan::new(candidates, ranks);
        }
        let kernel = self.kernel(trace, part.splitting.clone());
        drive::plan(&kernel, candidates, ranks, self.cutting(trace))
    }

    /// The profile, as far as threads stand for themselves.
    fn kernel<'a>(&self, trace: &'a Trace, splitting: Splitting) -> ProfileKernel<'a> {
        let kernel = ProfileKernel::new(&trace.definitions).split(splitting);
        let kernel = kernel.keep_paths(self.paths_kept());
        match self.by_id {
            true => kernel.by_id(),
            false => kernel,
        }
    }

    /// How long locations may be cut.
    fn cutting(&self, trace: &Trace) -> Cutting {
        let chunk = trace.source.grain().unwrap_or(u64::MAX);
        match self.piece_bytes {
            Some(bytes) => Cutting::forced(chunk, bytes),
            None => Cutting::new(chunk),
        }
    }
}
