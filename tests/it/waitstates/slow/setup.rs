//! Init and finalize.

use super::{minus, Call, Found};

pub fn find(found: &mut Found<'_>) {
    let calls = |names: &[&str]| -> Option<Vec<(Call, u64, u64)>> {
        let processes = found.trace.processes();
        let of = |process: u64| {
            found.visits.0.values().filter(|l| l.id / 10 == process).find_map(|location| {
                let visit = location.visits.iter().position(|visit| visit.is(names))?;
                let at = &location.visits[visit];
                Some(((location.id, visit), at.enter.0, at.leave?.0))
            })
        };
        (0..processes).map(of).collect()
    };
    let init = calls(&["mpi_init", "mpi_init_thread"]);
    let finalize = calls(&["mpi_finalize"]);
    let latest = |calls: &[(Call, u64, u64)]| calls.iter().map(|call| call.1).max();
    if let Some(calls) = init {
        let last = latest(&calls).expect("a process");
        let first = calls.iter().map(|call| call.2).min().expect("a process");
        for (call, _, leave) in calls {
            let from = last.max(first);
            found.charge("mpi_init_completion", call, from, minus(leave, from), None);
        }
    }
    if let Some(calls) = finalize {
        let last = latest(&calls).expect("a process");
        let of_last = calls.iter().filter(|(_, enter, _)| *enter == last);
        let cause = of_last.map(|((location, _), ..)| (*location, last)).min();
        for (call, enter, leave) in calls {
            let wait = minus(last.min(leave), enter);
            found.charge("mpi_finalize_wait", call, enter, wait, cause);
        }
    }
}
