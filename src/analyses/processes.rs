//! How long each process, thread or node waits in MPI and OpenMP.

use std::collections::BTreeMap;

use streamfold_kernels::waitstates::{Metric, WaitStates};
use streamfold_model::ids::LocationRef;

/// How long each location waited in calls of MPI, and in barriers and locks of OpenMP, in ticks.
pub fn waits_of(states: &WaitStates) -> BTreeMap<LocationRef, u128> {
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
