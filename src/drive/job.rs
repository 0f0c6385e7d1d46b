//! A job: a kernel of any author over a trace, with all that stands around it.

use std::collections::BTreeSet;
use std::io::Write;
use std::num::NonZeroUsize;

use streamfold_kernels::adapt::{Adapted, OwnContents, References, RegionSet};
use streamfold_kernels::{Kernel, Window};
use streamfold_model::definitions::Region;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::select::Plan;
use super::{settle, Folded, Losses, Progress, Scanning, Trace};
use streamfold_collective::{self as collective, threads, Communicator, MpiMode, PieceLimit};
use streamfold_formats::{Input, ReadOptions};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

/// A trace that all ranks have opened, and what of it is to be read.
///
/// ```no_run
/// use streamfold_drive::Job;
/// use streamfold_kernels::profile::ProfileKernel;
/// # use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     streamfold_drive::main(|ranks| {
///         let job = Job::open(ranks, std::path::Path::new("traces.otf2"))?;
///         let kernel = ProfileKernel::new(job.definitions());
///         let Some(done) = job.run(&kernel)? else { return Ok(()) };
///         println!("{} events", done.amount.events);
///         Ok(done.conclude()?)
///     })
/// }
/// ```
pub struct Job<'r> {
    ranks: &'r dyn Communicator,
    trace: Trace,
    settled: Settled,
    workers: NonZeroUsize,
    only: Option<BTreeSet<LocationRef>>,
    chosen: Option<RegionSet>,
    window: Option<Window>,
    strict: bool,
    by_location: bool,
}

/// Definitions of locations beside those of the trace.
#[derive(Debug)]
struct Settled {
    found: OwnContents,
    /// Set if references in the events of any location stand for others.
    any: bool,
    /// The definitions of the trace, with those of locations.
    definitions: Definitions,
}

impl std::fmt::Debug for Job<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut job = to.debug_struct("Job");
        job.field("trace", &self.trace).field("window", &self.window).finish_non_exhaustive()
    }
}

impl<'r> Job<'r> {
    /// Opens a trace on all ranks. Definitions of locations get numbers that depend on their content alone. Collective.
    ///
    /// # Errors
    ///
    /// On all ranks when the trace cannot be read; and when ranks cannot communicate.
    pub fn open<'i>(
        ranks: &'r dyn Communicator,
        input: impl Into<Input<'i>>,
    ) -> Result<Job<'r>, Stop> {
        Job::over(ranks, super::open(ranks, input, ReadOptions::default())?)
    }

    /// The same as [`Job::open`] for a trace that is open. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub fn over(ranks: &'r dyn Communicator, trace: Trace) -> Result<Job<'r>, Stop> {
        let workers = NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN);
        let settled = Settled::new(ranks, &trace, workers)?;
        let (only, chosen, window) = Default::default();
        let (strict, by_location) = (false, false);
        Ok(Job { ranks, trace, settled, workers, only, chosen, window, strict, by_location })
    }

    /// The definitions that references in events lead to.
    pub fn definitions(&self) -> &Definitions {
        &self.settled.definitions
    }

    /// The ranks that work together.
    pub fn ranks(&self) -> &'r dyn Communicator {
        self.ranks
    }

    /// The trace.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Reads so many locations at a time on this rank; by default as many as there are threads.
    pub fn workers(self, workers: NonZeroUsize) -> Self {
        Job { workers, ..self }
    }

    /// Reads these locations only. All ranks have to say the same.
    pub fn only(self, locations: impl IntoIterator<Item = LocationRef>) -> Self {
        Job { only: Some(locations.into_iter().collect()), ..self }
    }

    /// Hands on enters and leaves of the regions that `choose` wants only.
    pub fn regions(self, mut choose: impl FnMut(&Region, &Definitions) -> bool) -> Self {
        let definitions = self.definitions();
        let all = definitions.regions.values();
        let chosen = all.filter(|region| choose(region, definitions)).map(|region| region.id);
        Job { chosen: Some(RegionSet::only(chosen)), ..self }
    }

    /// Hands on the events of a window of time only. Visits that are open when it begins are entered there,
    /// and those that are open when it ends are left there.
    pub fn window(self, window: Window) -> Self {
        Job { window: Some(window), ..self }
    }

    /// The same from and to seconds since the begin of the trace.
    pub fn between(self, from: f64, to: f64) -> Self {
        let window = self.trace.window(from, to);
        self.window(window)
    }

    /// Sets whether the first loss ends the job.
    pub fn strict(self, strict: bool) -> Self {
        Job { strict, ..self }
    }

    /// Reads locations in the order of groups and numbers. Those that cost the most come first otherwise.
    pub fn by_location(self) -> Self {
        Job { by_location: true, ..self }
    }

    /// Runs a kernel on all ranks. The result is on rank 0. Collective.
    ///
    /// # Errors
    ///
    /// With the first loss where none may be; and when ranks cannot communicate.
    pub fn run<K: Kernel>(&self, kernel: &K) -> Result<Option<Folded<K::Partial>>, Stop> {
        self.run_watched(kernel, &Progress::default())
    }

    /// The same; `progress` shows how far this rank is.
    ///
    /// # Errors
    ///
    /// Those of [`Job::run`].
    pub fn run_watched<K: Kernel>(
        &self,
        kernel: &K,
        progress: &Progress,
    ) -> Result<Option<Folded<K::Partial>>, Stop> {
        self.run_in(self.window, kernel, progress)
    }

    /// The same in another window of time than that of the job.
    ///
    /// # Errors
    ///
    /// Those of [`Job::run`].
    pub fn run_within<K: Kernel>(
        &self,
        window: Window,
        kernel: &K,
        progress: &Progress,
    ) -> Result<Option<Folded<K::Partial>>, Stop> {
        self.run_in(Some(window), kernel, progress)
    }

    fn run_in<K: Kernel>(
        &self,
        window: Option<Window>,
        kernel: &K,
        progress: &Progress,
    ) -> Result<Option<Folded<K::Partial>>, Stop> {
        let candidates = match self.by_location {
            true => super::unweighed(self.ranks, &self.trace),
            false => super::weigh(self.ranks, &self.trace)?,
        };
        let wanted =
            |location: LocationRef| self.only.as_ref().is_none_or(|only| only.contains(&location));
        let candidates = candidates.into_iter().filter(|candidate| wanted(candidate.location));
        let candidates: Vec<_> = candidates.collect();
        let plan = Plan::new(&candidates, self.ranks.size());
        progress.begin(super::READING, plan.share(self.ranks.rank()).weight);
        let (workers, strict, references) = (self.workers, self.strict, None);
        let scanning = Scanning { workers, strict, progress, references };
        if self.is_plain() && window.is_none() {
            let folded = super::scan_uncut(self.ranks, &self.trace, &plan, kernel, scanning)?;
            progress.begin(super::ADDING, 0);
            return super::reduce(self.ranks, kernel, folded);
        }
        let mut references = References::new(&self.trace.definitions);
        references.settle(self.settled.found.clone());
        let adapted = Adapted::new(kernel, references.contexts(), self.chosen.as_ref());
        let scanning = Scanning { references: Some(&references), ..scanning };
        let (ranks, trace) = (self.ranks, &self.trace);
        let folded = match window {
            Some(window) => super::scan_window(ranks, trace, &plan, &adapted, scanning, window)?,
            None => super::scan_uncut(ranks, trace, &plan, &adapted, scanning)?,
        };
        progress.begin(super::ADDING, 0);
        super::reduce(ranks, &adapted, folded)
    }

    /// Tells whether the kernel gets the events as they are.
    fn is_plain(&self) -> bool {
        let contexts = &self.trace.definitions.calling_contexts;
        !self.settled.any && contexts.is_empty() && self.chosen.is_none()
    }
}

impl Settled {
    /// Finds out what all locations define. Collective.
    fn new(
        ranks: &dyn Communicator,
        trace: &Trace,
        workers: NonZeroUsize,
    ) -> Result<Settled, Stop> {
        let mut references = References::new(&trace.definitions);
        let locations = trace.definitions.locations.keys().copied();
        let share: Vec<LocationRef> = locations.skip(ranks.rank()).step_by(ranks.size()).collect();
        let (found, any) = settle::collect(ranks, trace, &share, workers, &references)?;
        let definitions = references.settle(found.clone());
        Ok(Settled { found, any, definitions })
    }
}

impl<P> Folded<P> {
    /// Says what was lost on standard error, as the program does. For rank 0.
    ///
    /// # Errors
    ///
    /// With exit code 3 where anything was lost, so that `main` ends with it.
    pub fn conclude(&self) -> Result<(), Stop> {
        const REPORTED: usize = 20;
        let Losses { count, first } = &self.losses;
        if *count == 0 {
            return Ok(());
        }
        for loss in first.iter().take(REPORTED) {
            say(&loss.message);
        }
        let losses = human::counted(*count, ["loss", "losses"]);
        let message = format!("not all of the trace could be read: {losses}");
        Err(Stop::Together(Failure::new(ExitCode::Losses, message)))
    }
}

/// The `main` of a program with a kernel of its own: starts MPI where a launcher started the program, and
/// the threads of this rank, then does `work` on all ranks. Panics, signals and errors end all ranks;
/// the exit code is that of the failure, 4 for errors of the system, and 1 for all others.
pub fn main(
    work: impl FnOnce(&dyn Communicator) -> Result<(), Box<dyn std::error::Error>>,
) -> std::process::ExitCode {
    let ranks = match collective::start(MpiMode::Auto, PieceLimit::DEFAULT) {
        Ok(ranks) => ranks,
        Err(error) => {
            say(&error.to_string());
            return (ExitCode::Rank as u8).into();
        }
    };
    collective::install_panic_hook(&*ranks);
    let begun = || -> Result<(), Stop> {
        collective::end_on_signals(&*ranks)?;
        let threads = threads::choose(&*ranks, None)?;
        Ok(threads::start_pool(&*ranks, threads.count)?)
    };
    let ended = match begun() {
        Ok(()) => work(&*ranks),
        Err(stop) => Err(stop.into()),
    };
    let Err(error) = ended else {
        collective::work_is_done(0);
        return std::process::ExitCode::SUCCESS;
    };
    let (code, together) = match error.downcast_ref::<Stop>() {
        Some(stop) => (stop.failure().code, matches!(stop, Stop::Together(_))),
        None if error.is::<std::io::Error>() => (ExitCode::Io, false),
        None => (ExitCode::Usage, false),
    };
    let message = error.to_string();
    // After losses only rank 0 has an error, and no rank waits for it.
    if !together {
        ranks.abort(code as i32, &message);
    }
    collective::work_is_done(code as i32);
    if ranks.rank() == 0 {
        say(&message);
    }
    (code as u8).into()
}

fn say(text: &str) {
    let line = format!("streamfold: {}\n", human::visible(text));
    let _ = std::io::stderr().write_all(line.as_bytes());
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use streamfold_kernels::profile::{Profile, ProfileKernel};
    use streamfold_model::events::{Enter, EventVisitor};
    use streamfold_model::ids::RegionRef;
    use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

    use super::*;
    use streamfold_collective::team;

    /// Counts enters by region.
    struct Enters;

    type Counts = std::collections::BTreeMap<RegionRef, u64>;

    struct Scan<'w>(&'w mut Counts);

    impl EventVisitor for Scan<'_> {
        const WANTS: EventSet = EventSet::of(&[streamfold_model::events::EventKind::Enter]);

        fn enter(&mut self, _: &EventHead<'_>, event: Enter) {
            *self.0.entry(event.region).or_default() += 1;
        }
    }

    impl Kernel for Enters {
        type Worker = Counts;
        type Scan<'w> = Scan<'w>;
        type Partial = Counts;

        fn worker(&self) -> Counts {
            Counts::new()
        }

        fn scan<'w>(&'w self, worker: &'w mut Counts, _: LocationRef) -> Scan<'w> {
            Scan(worker)
        }

        fn end(&self, _: Scan<'_>, _: &StreamSummary) {}

        fn partial(&self, worker: Counts) -> Counts {
            worker
        }

        fn fold(&self, mut into: Counts, other: Counts) -> Counts {
            other.into_iter().for_each(|(region, n)| *into.entry(region).or_default() += n);
            into
        }
    }

    /// Each location of this archive defines its regions under numbers of its own.
    const LOCAL: &str = "../../tests/data/local-defs/traces.otf2";

    #[test]
    fn numbers_are_the_same_on_any_number_of_ranks() {
        let on = |ranks| {
            let found = team::run(ranks, PieceLimit::DEFAULT, |ranks| {
                let job = Job::open(ranks, Path::new(LOCAL)).expect("a trace");
                let done = job.run(&Enters).expect("a run");
                let definitions = format!("{:?}", job.definitions().records());
                (done.map(|done| done.partial), definitions)
            });
            assert!(found.iter().all(|(_, definitions)| *definitions == found[0].1));
            let all_named = found[0].0.as_ref().expect("rank 0").len();
            assert!(all_named > 1);
            found.into_iter().next().expect("rank 0")
        };
        let one = on(1);
        for ranks in [2, 3, 5, 8] {
            assert!(on(ranks) == one, "{ranks} ranks");
        }
    }

    #[test]
    fn a_profile_has_the_names_of_what_locations_define() {
        let job = Job::open(&streamfold_collective::Solo, Path::new(LOCAL)).expect("a trace");
        let done = job.run(&ProfileKernel::new(job.definitions())).expect("a run");
        let (profile, _) = Profile::new(done.expect("rank 0").partial, job.definitions());
        let regions = profile.regions.iter().filter_map(|row| row.step.region());
        assert!(regions.clone().count() > 1);
        assert!({ regions }.all(|region| job.definitions().regions.contains_key(&region)));
    }
}
