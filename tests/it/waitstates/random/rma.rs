//! Access to the memory of others.

use proptest::collection::vec;
use proptest::prelude::*;
use streamfold::model::enums::CollectiveOp as Op;
use streamfold::model::enums::LockType;

use super::made::{gap, gaps, Clock, Gaps};
use super::{backward, check_many, compare_many, cut, cuts, jumps, time_is_within_spans};
use crate::waitstates::events::{
    closed, get, lock_acquire, lock_release, lock_request, not_yet, on_window, opened, put,
    rma_begin, rma_end,
};
use crate::waitstates::trace::Trace;

/// An operation on the memory of a process.
#[derive(Clone, Debug)]
struct Access {
    target: u64,
    gaps: Gaps,
    gets: bool,
}

#[derive(Clone, Debug)]
enum What {
    /// All processes; what each of them does before, and how long it takes.
    Fence(Vec<(Gaps, Vec<Access>)>),
    /// Those of the first number have access to those of the second, as bits.
    Epoch { origins: u8, targets: u8, calls: Vec<[Gaps; 4]>, accesses: Vec<Access>, tests: bool },
    Lock {
        origin: u64,
        target: u64,
        exclusive: bool,
        calls: [Gaps; 2],
        accesses: Vec<Access>,
        acquires: bool,
    },
    /// The memory of all processes is locked at once.
    LockAll { origin: u64, calls: [Gaps; 2], accesses: Vec<Access> },
}

#[derive(Clone, Debug)]
pub struct Script {
    /// When each process begins, and how many threads it has.
    begins: Vec<(u64, u64)>,
    creates: bool,
    /// On which window; whether all processes begin at about the same time; which thread; what.
    steps: Vec<(u32, bool, u64, What)>,
}

const MOST: usize = 4;

fn access() -> impl Strategy<Value = Access> + Clone {
    (0u64..MOST as u64, gaps(), any::<bool>()).prop_map(|(target, gaps, gets)| Access {
        target,
        gaps,
        gets,
    })
}

fn what() -> impl Strategy<Value = What> + Clone {
    let fence = vec((gaps(), vec(access(), 0..3)), MOST).prop_map(What::Fence);
    let calls = vec([gaps(), gaps(), gaps(), gaps()], MOST);
    let tests = prop_oneof![3 => Just(false), 1 => Just(true)];
    let epoch = (1u8..16, 1u8..16, calls, vec(access(), 0..4), tests).prop_map(
        |(origins, targets, calls, accesses, tests)| What::Epoch {
            origins,
            targets,
            calls,
            accesses,
            tests,
        },
    );
    let most = MOST as u64;
    let acquires = prop_oneof![4 => Just(false), 1 => Just(true)];
    let lock =
        (
            0..most,
            prop_oneof![2 => Just(0), 1 => 0..most],
            any::<bool>(),
            [gaps(), gaps()],
            vec(access(), 0..3),
            acquires,
        )
            .prop_map(|(origin, target, exclusive, calls, accesses, acquires)| {
                What::Lock { origin, target, exclusive, calls, accesses, acquires }
            });
    let lock_all = (0..most, [gaps(), gaps()], vec(access(), 0..3))
        .prop_map(|(origin, calls, accesses)| What::LockAll { origin, calls, accesses });
    prop_oneof![6 => fence, 6 => epoch, 14 => lock, 3 => lock_all]
}

pub fn script(count: usize) -> impl Strategy<Value = Script> + Clone {
    let window = prop_oneof![4 => Just(0u32), 1 => Just(1)];
    let together = prop_oneof![2 => Just(true), 1 => Just(false)];
    let thread = prop_oneof![2 => Just(0u64), 1 => Just(1)];
    let steps = vec((window, together, thread, what()), 0..count);
    let threads = prop_oneof![3 => Just(1u64), 1 => Just(2)];
    (vec((gap(), threads), 2..=MOST), any::<bool>(), steps)
        .prop_map(|(begins, creates, steps)| Script { begins, creates, steps })
}

struct Maker {
    trace: Trace,
    now: Vec<u64>,
    /// Which thread does what comes.
    thread: u64,
}

impl Maker {
    fn processes(&self) -> u64 {
        self.now.len() as u64
    }

    fn on(&mut self, process: u64, add: impl FnOnce(&mut Clock<'_>)) {
        let now = self.now[process as usize];
        let thread = self.thread % self.trace.threads[process as usize];
        let mut clock = Clock { trace: &mut self.trace, location: process * 10 + thread, now };
        add(&mut clock);
        self.now[process as usize] = clock.now;
    }

    /// A collective operation on a window.
    fn collective(&mut self, process: u64, window: u32, call: &str, op: Op, gaps: Gaps) {
        self.on(process, |clock| {
            clock.pass(gaps[0]);
            clock.enter(call);
            clock.add(rma_begin());
            clock.pass(gaps[1] + gaps[2]);
            clock.add(on_window(window, rma_end(op)));
            clock.leave(call);
        });
    }

    fn access(&mut self, process: u64, window: u32, target: u64, it: &Access) {
        let (call, event) = match it.gets {
            true => ("MPI_Get", get(target as u32)),
            false => ("MPI_Put", put(target as u32)),
        };
        self.on(process, |clock| clock.call(call, it.gaps, &[on_window(window, event)]));
    }

    fn fence(&mut self, window: u32, members: &[(Gaps, Vec<Access>)]) {
        for process in 0..self.processes() {
            let (gaps, accesses) = &members[process as usize];
            for access in accesses {
                let target = access.target % self.processes();
                self.access(process, window, target, access);
            }
            self.collective(process, window, "MPI_Win_fence", Op::Barrier, *gaps);
        }
    }

    fn epoch(
        &mut self,
        window: u32,
        [origins, targets]: [u8; 2],
        calls: &[[Gaps; 4]],
        accesses: &[Access],
        tests: bool,
    ) {
        let of = |bits: u8| -> Vec<u64> {
            (0..self.processes()).filter(|process| bits >> process & 1 == 1).collect()
        };
        let (origins, targets) = (of(origins), of(targets));
        if origins.is_empty() || targets.is_empty() {
            return;
        }
        let (from, to) = (self.trace.group(&origins), self.trace.group(&targets));
        for process in 0..self.processes() {
            let gaps = calls[process as usize];
            let (is_origin, is_target) = (origins.contains(&process), targets.contains(&process));
            if is_target {
                let records = [on_window(window, opened(from))];
                self.on(process, |clock| clock.call("MPI_Win_post", gaps[0], &records));
            }
            if is_origin {
                let records = [on_window(window, opened(to))];
                self.on(process, |clock| clock.call("MPI_Win_start", gaps[1], &records));
                for access in accesses {
                    let target = targets[access.target as usize % targets.len()];
                    self.access(process, window, target, access);
                }
                let records = [on_window(window, closed(to))];
                self.on(process, |clock| clock.call("MPI_Win_complete", gaps[2], &records));
            }
            if is_target {
                let records = [on_window(window, closed(from))];
                let failed = [on_window(window, not_yet(from))];
                self.on(process, |clock| {
                    if tests {
                        clock.call("MPI_Win_test", [1; 3], &failed);
                        clock.call("MPI_Win_test", gaps[3], &records);
                    } else {
                        clock.call("MPI_Win_wait", gaps[3], &records);
                    }
                });
            }
        }
    }
}

pub fn trace(script: &Script) -> Trace {
    let (now, threads): (Vec<u64>, Vec<u64>) = script.begins.iter().copied().unzip();
    let mut maker = Maker { trace: Trace::new(&threads), now, thread: 0 };
    if script.creates {
        for process in 0..maker.processes() {
            maker.collective(process, 0, "MPI_Win_create", Op::CreateHandle, [1, process, 2]);
        }
    }
    for (window, together, thread, step) in &script.steps {
        // Operations before a fence are those of the thread that is in the fence.
        maker.thread = if matches!(step, What::Fence(_)) { 0 } else { *thread };
        if *together {
            let latest = *maker.now.iter().max().expect("a process");
            maker.now.iter_mut().for_each(|now| *now = latest.saturating_sub(12).max(*now));
        }
        match step {
            What::Fence(members) => maker.fence(*window, members),
            What::Epoch { origins, targets, calls, accesses, tests } => {
                maker.epoch(*window, [*origins, *targets], calls, accesses, *tests);
            }
            What::Lock { origin, target, exclusive, calls, accesses, acquires } => {
                let (origin, target) = (origin % maker.processes(), target % maker.processes());
                let of = if *exclusive { LockType::Exclusive } else { LockType::Shared };
                let rank = target as u32;
                let mut requests = vec![on_window(*window, lock_request(rank, of))];
                if *acquires {
                    requests.push(on_window(*window, lock_acquire(rank, of)));
                }
                maker.on(origin, |clock| clock.call("MPI_Win_lock", calls[0], &requests));
                for access in accesses {
                    maker.access(origin, *window, target, access);
                }
                let releases = [on_window(*window, lock_release(rank))];
                maker.on(origin, |clock| clock.call("MPI_Win_unlock", calls[1], &releases));
            }
            What::LockAll { origin, calls, accesses } => {
                let origin = origin % maker.processes();
                let requests = [on_window(*window, lock_request(u32::MAX, LockType::Shared))];
                maker.on(origin, |clock| clock.call("MPI_Win_lock_all", calls[0], &requests));
                for access in accesses {
                    let target = access.target % maker.processes();
                    maker.access(origin, *window, target, access);
                }
                let releases = [on_window(*window, lock_release(u32::MAX))];
                maker.on(origin, |clock| clock.call("MPI_Win_unlock_all", calls[1], &releases));
            }
        }
    }
    maker.thread = 0;
    if script.creates {
        for process in 0..maker.processes() {
            let gaps = [2, 1, maker.processes() - process];
            maker.collective(process, 0, "MPI_Win_free", Op::DestroyHandle, gaps);
        }
    }
    maker.trace
}

const FOUND: [&str; 10] = [
    "mpi_rma_sync_late_post",
    "mpi_rma_comm_late_post",
    "mpi_rma_early_wait",
    "mpi_rma_late_complete",
    "mpi_rma_wait_at_fence",
    "mpi_rma_early_fence",
    "mpi_rma_wait_at_create",
    "mpi_rma_wait_at_free",
    "mpi_rma_sync_lock_competition",
    "mpi_rma_comm_lock_competition",
];

#[test]
fn random_accesses_have_every_wait_state() {
    check_many(1000, script(12), trace, &FOUND);
}

#[test]
fn accesses_are_as_the_slow_way_says() {
    compare_many(700, script(10), trace);
}

#[test]
fn so_are_many_accesses() {
    compare_many(50, script(40), trace);
}

#[test]
fn clocks_may_go_back() {
    let scripts = (script(10), jumps());
    compare_many(500, scripts, |(script, jumps)| backward(trace(script), jumps));
}

#[test]
fn streams_may_end_too_soon() {
    let scripts = (script(10), cuts());
    compare_many(300, scripts, |(script, cuts)| cut(trace(script), cuts));
}

#[test]
fn there_is_no_more_time_than_passed() {
    time_is_within_spans(200, script(10), trace);
}
