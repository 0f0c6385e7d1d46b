//! How long each process, thread or node waits in MPI and OpenMP.

use std::collections::BTreeMap;

use streamfold_kernels::account::{Class, Group};
use streamfold_kernels::waitstates::{Metric, WaitStates};
use streamfold_model::ids::LocationRef;

/// How long each location waited in calls of MPI, and in barriers and locks of OpenMP, in ticks.
pub fn waits_of(states: &WaitStates) -> BTreeMap<LocationRef, u128> {
    let counts = |metric: Metric| {
        let class = metric.class();
        let waits = class.group() == Group::Mpi || [Class::Barriers, Class::Locks].contains(&class);
        metric.parent().is_none() && waits
    };
    let mut waits = BTreeMap::new();
    for row in states.by_location.iter().filter(|row| counts(row.metric)) {
        *waits.entry(row.of).or_default() += row.ticks;
    }
    waits
}
