//! How long a run would have taken with other times: on an ideal network, with a faster region.
//!
//! Waits were found before, and with them the dependencies of locations on each other. One pass over the events adds the
//! steps of locations. The replay passes from the rank with the first part of the run to that with the last.

use super::schedule::ScheduleBox;
use super::waitstates::LinkBox;
use streamfold_drive::rounds::together;
use streamfold_drive::{Job, Progress};
use streamfold_kernels::replay::{Replay, Replayed, Scenario, StepKernel};
use streamfold_kernels::waitstates::edges::RunParts;
use streamfold_system::exit::Stop;

/// Result of a replay.
pub struct Outcome {
    /// The first and the last event of the run, in ticks.
    pub run: (u64, u64),
    /// How long each scenario takes.
    pub replayed: Replayed,
    /// Bytes that went to temporary files, of all ranks.
    pub spilled: u64,
    /// The same points for a schedule, if one is wanted.
    pub schedule: Option<ScheduleBox>,
}

/// Replays a run in several scenarios, at most as many as a [replay](Replay) has room for. `links`: the dependencies that
/// were found in the same trace. The result is on all ranks. `None`: the trace has no events. Collective.
///
/// # Errors
///
/// The first loss, when the job is strict; when temporary files cannot be written; when ranks cannot communicate.
pub fn run(
    job: &Job<'_>,
    links: LinkBox,
    scenarios: &[Scenario],
    progress: &Progress,
) -> Result<Option<Outcome>, Stop> {
    let ranks = job.ranks();
    let Some(&run) = links.run.get() else { return Ok(None) };
    let parts = RunParts::new(run);
    let kernel = StepKernel::new(job.definitions(), scenarios, links.sinks(&parts));
    job.run_watched(&kernel, progress)?;
    drop(kernel);
    let LinkBox { mail, schedule, .. } = links;
    progress.begin("replaying", 0);
    let mut spilled = 0;
    let mut points = Some(mail.sorted(ranks, &mut spilled)?);
    let mut replay = (ranks.rank() == 0).then(|| Replay::new(scenarios, run.0));
    for rank in 0..ranks.size() {
        let mut passed = Ok(());
        if let Some((replay, points)) =
            replay.as_mut().zip(points.take_if(|_| rank == ranks.rank()))
        {
            passed = replay.go_on(points);
        }
        together(ranks, passed)?;
        let next = rank + 1;
        let on = if next < ranks.size() { replay.take() } else { None };
        let received = ranks.exchange(on.map(|replay| (next, replay)).into_iter().collect())?;
        replay = received.into_iter().next().or(replay);
    }
    let last = ranks.size() - 1;
    let replayed = ranks.broadcast(last, replay.map(Replay::end))?;
    let spilled = ranks.all_reduce(spilled, |a, b| a + b)?;
    Ok(Some(Outcome { run, replayed, spilled, schedule }))
}
