//! Activity of each process, thread or node, and its waits. Reads the trace once for the activity, and once more for
//! the waits, if all of its time counts.

use std::collections::BTreeMap;

use streamfold_kernels::activity::{Activities, ActivityKernel, Phases};
use streamfold_kernels::waitstates::{Metric, WaitStates};
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;

use super::waitstates::{self, WaitQuery};
use streamfold_drive::rounds::Room;
use streamfold_drive::select::Plan;
use streamfold_drive::{self as drive, Amount, Folded, Job, Losses, Scanning};
use streamfold_system::exit::Stop;

/// Result of the analysis.
#[derive(Debug)]
pub struct Outcome {
    /// Activities of each location.
    pub activities: Activities,
    /// How long each waited in MPI and OpenMP, in ticks. `None`: that is not known of a part of the time.
    pub waits: Option<BTreeMap<LocationRef, u128>>,
    /// Set if time in which no region is open counts as computation: no region of the program was recorded.
    pub outside_computes: bool,
    /// Losses.
    pub losses: Losses,
    /// How much was read.
    pub amount: Amount,
}

/// Finds what locations do; what was found is on rank 0. `window` is the part of the time that counts, `room` what this
/// rank may hold of what has to be compared.
///
/// # Errors
///
/// The first loss, when `scanning` is strict; when temporary files cannot be written; when ranks cannot communicate.
pub fn run(
    job: &Job<'_>,
    window: Option<Window>,
    scanning: Scanning<'_>,
    room: &Room,
    wants_waits: bool,
) -> Result<Option<Outcome>, Stop> {
    let ranks = job.ranks();
    let phases = window.map_or_else(Phases::default, |window| Phases::bins(window, u64::MAX, 1));
    let outside_computes = job.trace().source.regions_are_system_calls();
    let kernel = ActivityKernel::new(job.definitions(), &phases, outside_computes);
    let folded = job.run_watched(&kernel, scanning.progress)?;
    let mut waits = None;
    if wants_waits {
        let trace = job.trace();
        let plan = Plan::new(&drive::weigh(ranks, trace)?, ranks.size());
        let outcome = waitstates::run(ranks, trace, &plan, scanning, &WaitQuery::new(room))?;
        waits = outcome.map(|outcome| waits_of(&outcome.states));
    }
    Ok(folded.map(|Folded { mut partial, losses, amount }| {
        let outside_computes = partial.compute_outside(job.definitions());
        Outcome { activities: partial, waits, outside_computes, losses, amount }
    }))
}

/// How long each location waited in calls of MPI, and in barriers and locks of OpenMP, in ticks.
fn waits_of(states: &WaitStates) -> BTreeMap<LocationRef, u128> {
    let is_in = |metric: Metric, of: Metric| {
        std::iter::successors(Some(metric), |metric| metric.parent()).any(|metric| metric == of)
    };
    let counts = |metric: Metric| {
        let is_whole = metric.is_wait() && !metric.parent().is_some_and(Metric::is_wait);
        is_whole && (is_in(metric, Metric::MPI) || is_in(metric, Metric::OMP_SYNCHRONIZATION))
    };
    let mut waits = BTreeMap::new();
    for row in states.by_location.iter().filter(|row| counts(row.metric)) {
        *waits.entry(row.of).or_default() += row.ticks;
    }
    waits
}
