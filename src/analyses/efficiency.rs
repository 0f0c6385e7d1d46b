//! How well a run uses its processors. The trace is read once; once more for the visits of a region, and once more for
//! bins of time, where these are asked for.

use std::collections::BTreeMap;

use streamfold_kernels::activity::{
    Activities, ActivityKernel, LocationWork, PhaseKernel, Phases, Visits,
};
use streamfold_kernels::efficiency::Efficiencies;
use streamfold_kernels::Window;
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::values::Ticks;

use streamfold_drive::{Amount, Folded, Job, Losses, Progress};
use streamfold_system::exit::Stop;

/// The part of a run that counts.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// This part of the time; `None`: all.
    pub window: Option<Window>,
    /// Equal parts of it, besides; 0: none.
    pub bins: u32,
    /// The time of each location that counts in it.
    pub time: CountedTime,
}

/// The time that counts.
#[derive(Clone, Debug, Default)]
pub enum CountedTime {
    /// All of it.
    #[default]
    All,
    /// That in which any of these regions is open, of each process.
    Regions(Vec<RegionRef>),
    /// The ticks from which, and up to which, of each location; those without count for nothing.
    Visits(BTreeMap<LocationRef, (u64, u64)>),
}

/// Result of the analysis.
#[derive(Debug)]
pub struct Outcome {
    /// Of all that counts.
    pub whole: Efficiencies,
    /// Of each bin, with the ticks at which it begins and ends.
    pub bins: Vec<(u64, u64, Efficiencies)>,
    /// Set if time in which no region is open counts as computation: no region of the program was recorded.
    pub outside_computes: bool,
    /// Losses.
    pub losses: Losses,
    /// How much was read.
    pub amount: Amount,
}

/// Finds how well processors are used; what was found is on rank 0.
///
/// # Errors
///
/// The first loss, when the job is strict; when ranks cannot communicate.
pub fn run(job: &Job<'_>, counted: &Counted, progress: &Progress) -> Result<Option<Outcome>, Stop> {
    let ranks = job.ranks();
    let all = Window { begin: Ticks(0), end: None };
    let window = counted.window.unwrap_or(all);
    let within = |bins: u32, end: u64| match (bins, counted.window) {
        (0 | 1, None) => Phases::default(),
        _ => Phases::bins(window, end, bins),
    };
    let visits: Option<Visits> = match &counted.time {
        CountedTime::All => None,
        CountedTime::Visits(visits) => {
            Some(visits.iter().map(|(location, own)| (*location, vec![*own])).collect())
        }
        CountedTime::Regions(regions) => {
            let kernel = PhaseKernel::new(job.definitions(), regions.clone());
            let found = job.run_watched(&kernel, progress)?;
            let found = found.map(|folded| kernel.visits(folded.partial));
            Some(ranks.broadcast(0, found)?)
        }
    };
    let chosen = |phases: Phases| match &visits {
        Some(visits) => phases.within(visits.clone()),
        None => phases,
    };
    let phases = chosen(within(1, u64::MAX));
    let Some((folded, edges)) = scan(job, &phases, progress)? else {
        bins(job, counted, &chosen, None, progress)?;
        return Ok(None);
    };
    let Folded { mut partial, losses, amount } = folded;
    let outside_computes = partial.compute_outside(job.definitions());
    let elapsed = visits.as_ref().map(|visits| longest(&partial, visits));
    let whole = Efficiencies::new(&partial, job.definitions(), 0, elapsed);
    let bins = bins(job, counted, &chosen, edges, progress)?;
    Ok(Some(Outcome { whole, bins, outside_computes, losses, amount }))
}

/// The longest time of a location that counts, in ticks: as far as the location has events.
fn longest(activities: &Activities, visits: &Visits) -> u64 {
    let of = |(location, work): (&LocationRef, &LocationWork)| {
        let (first, last) = work.span?;
        let times = visits.get(location)?.iter();
        let cut = times.map(|(from, to)| (*to).min(last).saturating_sub((*from).max(first)));
        Some(cut.sum::<u64>())
    };
    activities.locations.iter().filter_map(of).max().unwrap_or(0)
}

/// Returns the activities of all locations, and the first and last tick; on rank 0.
#[allow(clippy::type_complexity)] // said once
fn scan(
    job: &Job<'_>,
    phases: &Phases,
    progress: &Progress,
) -> Result<Option<(Folded<Activities>, Option<(u64, u64)>)>, Stop> {
    let outside_computes = job.trace().source.regions_are_system_calls();
    let kernel = ActivityKernel::new(job.definitions(), phases, outside_computes);
    let folded = job.run_watched(&kernel, progress)?;
    Ok(folded.map(|folded| {
        let spans = folded.partial.locations.values().filter_map(|of| of.span);
        let span = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        (folded, span)
    }))
}

/// The same of each bin. `span` is known on rank 0.
fn bins(
    job: &Job<'_>,
    counted: &Counted,
    chosen: &dyn Fn(Phases) -> Phases,
    span: Option<(u64, u64)>,
    progress: &Progress,
) -> Result<Vec<(u64, u64, Efficiencies)>, Stop> {
    if counted.bins == 0 {
        return Ok(Vec::new());
    }
    let ranks = job.ranks();
    let is_root = ranks.rank() == 0;
    let Some((first, last)) = ranks.broadcast(0, is_root.then_some(span))? else {
        return Ok(Vec::new());
    };
    let window = Window { begin: Ticks(first), end: Some(Ticks(last)) };
    let phases = chosen(Phases::bins(window, last, counted.bins));
    let Some((mut folded, _)) = scan(job, &phases, progress)? else { return Ok(Vec::new()) };
    folded.partial.compute_outside(job.definitions());
    let edges = phases.edges();
    let of = |(part, edge): (usize, &[u64])| {
        let length = edge[1] - edge[0];
        let found = Efficiencies::new(&folded.partial, job.definitions(), part, Some(length));
        (edge[0], edge[1], found)
    };
    Ok(edges.windows(2).enumerate().map(of).collect())
}
