//! Where all time goes, in the simplest way.

use std::collections::BTreeMap;

use streamfold::model::enums::{Paradigm, RegionRole as Role};

use crate::waitstates::slow::{idle, Found, Visit};
use crate::waitstates::trace::Trace;

/// The metric that has the time of a region, for the regions of these tests.
fn leaf(visit: &Visit) -> &'static str {
    let call = visit.call();
    match visit.paradigm {
        _ if visit.name == "TRACE BUFFER FLUSH" => "overhead",
        Paradigm::Mpi => mpi(&call, visit.role),
        Paradigm::Openmp => match visit.role {
            Role::Barrier => "omp_ebarrier",
            Role::ImplicitBarrier => "omp_ibarrier",
            Role::Critical | Role::Atomic => "omp_critical",
            Role::Ordered => "omp_ordered",
            Role::TaskWait => "omp_taskwait",
            Role::Flush => "omp_flush",
            _ if call.ends_with("_lock") => "omp_lock_api",
            Role::Function | Role::TaskCreate => "omp_time",
            _ => "comp",
        },
        Paradigm::Pthread if call.starts_with("pthread_mutex_") => "pthread_lock_api",
        Paradigm::Pthread if call.starts_with("pthread_cond_") => "pthread_conditional",
        Paradigm::Pthread => "pthread_management",
        _ if matches!(visit.role, Role::FileIo | Role::FileIoMetadata) => "io_time",
        _ => "comp",
    }
}

fn mpi(call: &str, role: Role) -> &'static str {
    let call = call.trim_start_matches("mpi_");
    match call {
        "init" | "init_thread" | "finalize" => return "mpi_init_exit",
        _ if call.starts_with("comm_") => return "mpi_mgmt_comm",
        "win_create" | "win_allocate" | "win_create_dynamic" | "win_free" => return "mpi_mgmt_win",
        "win_start" | "win_complete" | "win_post" | "win_wait" | "win_test" | "win_fence" => {
            return "mpi_rma_sync_active"
        }
        "win_lock" | "win_unlock" | "win_lock_all" | "win_unlock_all" => {
            return "mpi_rma_sync_passive"
        }
        "win_flush" | "win_sync" => return "mpi_rma_sync_passive",
        _ if call.starts_with("wait") || call.starts_with("test") => return "mpi_point2point",
        _ => {}
    }
    match role {
        Role::Barrier => "mpi_sync_collective",
        Role::Point2point => "mpi_point2point",
        Role::CollOne2all | Role::CollAll2one | Role::CollAll2all | Role::CollOther => {
            "mpi_collective"
        }
        Role::Rma | Role::Atomic => "mpi_rma_communication",
        _ => "mpi",
    }
}

/// A metric with the wait state that is part of it.
const PARTS: [(&str, &str); 7] = [
    ("mpi_latesender", "mpi_latesender_wo"),
    ("mpi_latesender_wo", "mpi_lswo_same"),
    ("mpi_latesender_wo", "mpi_lswo_different"),
    ("mpi_rma_early_wait", "mpi_rma_late_complete"),
    ("mpi_rma_wait_at_fence", "mpi_rma_early_fence"),
    ("omp_management", "omp_fork"),
    ("omp_idle_threads", "omp_limited_parallelism"),
];

/// Ticks by location and metric, without those of children; `None` where a call has less time than it
/// waited, because of regions inside of it.
pub fn own_ticks(trace: &Trace, found: &Found<'_>) -> Option<BTreeMap<(u64, String), u64>> {
    let own_times = found.visits.own_times(trace);
    let mut of_visits: BTreeMap<_, _> =
        own_times.into_iter().map(|(call, ticks)| (call, i128::from(ticks))).collect();
    let mut own: BTreeMap<(u64, &str), i128> = BTreeMap::new();
    for (location, events) in &trace.streams {
        let span = events.last().map_or(0, |last| last.0 - events[0].0);
        let inside: i128 =
            of_visits.iter().filter(|(call, _)| call.0 == *location).map(|(_, ticks)| ticks).sum();
        own.insert((*location, "outside"), i128::from(span) - inside);
    }
    let fork_and_join = found.parents();
    for (metric, location, visit) in found.severities.keys() {
        let ticks = i128::from(found.severities[&(*metric, *location, *visit)]);
        *own.entry((*location, metric)).or_default() += ticks;
        match PARTS.iter().find(|(_, part)| part == metric) {
            Some((whole, _)) => *own.entry((*location, whole)).or_default() -= ticks,
            None if *metric != "omp_management" => {
                *of_visits.entry((*location, *visit)).or_default() -= ticks;
            }
            None => {}
        }
    }
    for ((location, parent), ticks) in fork_and_join {
        match parent {
            Some(parent) => *of_visits.entry((location, parent)).or_default() -= ticks,
            None => *own.entry((location, "outside")).or_default() -= ticks,
        }
    }
    for ((location, visit), ticks) in of_visits {
        if ticks < 0 {
            return None;
        }
        let metric = leaf(&found.visits.of(location).visits[visit]);
        *own.entry((location, metric)).or_default() += ticks;
    }
    for (location, [outside, limited]) in idle(found) {
        // What these threads are in no region they are idle, or fork and join: that counts once.
        own.remove(&(location, "outside"));
        *own.entry((location, "omp_idle_threads")).or_default() += outside;
        *own.entry((location, "omp_limited_parallelism")).or_default() += limited;
    }
    own.retain(|_, ticks| *ticks != 0);
    let positive = |((location, metric), ticks): ((u64, &str), i128)| {
        Some(((location, metric.to_owned()), u64::try_from(ticks).ok()?))
    };
    own.into_iter().map(positive).collect()
}
