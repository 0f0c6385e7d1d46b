//! Activity on files: reads the trace once, and brings together when threads of a process, and all processes, are busy.

use std::collections::BTreeMap;

use rayon::prelude::*;
use streamfold_kernels::io::{unite, wider, Busy, IoFound, IoKernel, IoOptions};

use streamfold_drive::rounds::{together, Exchange, Room};
use streamfold_drive::{Amount, Folded, Job, Losses, Progress};
use streamfold_system::exit::Stop;

/// Result of the analysis.
#[derive(Debug)]
pub struct Outcome {
    /// Files, calls, processes, and times.
    pub found: IoFound,
    /// When any process is busy.
    pub whole: Busy,
    /// The first and the last event. `None`: there are none.
    pub span: Option<(u64, u64)>,
    /// How bins are arranged.
    pub bins: Bins,
    /// Losses.
    pub losses: Losses,
    /// How much was read.
    pub amount: Amount,
    /// Bytes that went to temporary files, of all ranks.
    pub spilled: u64,
}

/// How bins of time are arranged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bins {
    /// Rows, and how many processes share one.
    pub rows: (u32, u32),
    /// When each bin begins, and when the last one ends, in ticks.
    pub begins: Vec<u64>,
}

/// Number of exchanges: one of intervals of processes, and of parts of the time.
pub const BOXES: u64 = 1;

/// Finds what happens to files; what was found is on rank 0. `workers` threads unite what belongs together; `room` is
/// what this rank may hold of that.
///
/// # Errors
///
/// The first loss, when the job is strict; when temporary files cannot be written; when ranks cannot communicate.
pub fn run(
    job: &Job<'_>,
    options: &IoOptions<'_>,
    room: &Room,
    workers: usize,
    progress: &Progress,
) -> Result<Option<Outcome>, Stop> {
    let ranks = job.ranks();
    let mail = Exchange::new(ranks.size(), room);
    let kernel = IoKernel::new(job.definitions(), options, mail.sink());
    let folded = job.run_watched(&kernel, progress)?;
    let begins = (0..=options.bins.max(1)).map(|bin| kernel.begin_of_bin(bin)).collect();
    let bins = Bins { rows: kernel.rows(), begins };
    drop(kernel);
    let mut spilled = 0;
    let parts = Exchange::sorted_parts([mail], ranks, workers, &mut spilled)?;
    let of_part = |[part]: [_; 1]| {
        let mut busy: BTreeMap<Option<u32>, Busy> = BTreeMap::new();
        unite(part, |process, found| busy.entry(process).or_default().add(found)).map(|()| busy)
    };
    let of_all =
        parts.into_par_iter().map(of_part).try_reduce(BTreeMap::new, |a, b| Ok(added(a, b)));
    let of_all = together(ranks, of_all)?;
    let of_all = ranks.reduce(0, (of_all, spilled), |a, b| (added(a.0, b.0), a.1 + b.1))?;
    let Some((folded, (busy, spilled))) = folded.zip(of_all) else { return Ok(None) };
    let Folded { partial: mut found, losses, amount } = folded;
    let mut whole = busy.get(&None).copied();
    for (process, busy) in busy {
        let of = process.map(|process| found.processes.entry(process).or_default());
        of.into_iter().for_each(|of| of.busy.add(&busy));
    }
    // The times of a process that is alone are those of all.
    if found.processes.len() == 1 {
        whole = whole.or_else(|| found.processes.values().next().map(|of| of.busy));
    }
    let span = found.processes.values().fold(None, |span, of| wider(span, of.span));
    Ok(Some(Outcome {
        found,
        whole: whole.unwrap_or_default(),
        span,
        bins,
        losses,
        amount,
        spilled,
    }))
}

fn added(
    mut into: BTreeMap<Option<u32>, Busy>,
    other: BTreeMap<Option<u32>, Busy>,
) -> BTreeMap<Option<u32>, Busy> {
    other.into_iter().for_each(|(process, busy)| into.entry(process).or_default().add(&busy));
    into
}
