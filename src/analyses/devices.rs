//! Activity of accelerators: reads the trace once, and brings together when the streams of a device are busy and when
//! its host computes.

use std::collections::BTreeMap;

use rayon::prelude::*;
use streamfold_kernels::devices::{DeviceKernel, Sums};
use streamfold_kernels::io::{unite, Busy};
use streamfold_model::ids::LocationGroupRef;

use streamfold_drive::rounds::{together, Exchange, Room};
use streamfold_drive::{Amount, Folded, Job, Losses, Progress};
use streamfold_system::exit::Stop;

/// Result of the analysis.
#[derive(Debug)]
pub struct Outcome {
    /// Kernels, copies and streams.
    pub found: Sums,
    /// Devices, by the groups of their streams.
    pub devices: BTreeMap<LocationGroupRef, DeviceBusy>,
    /// Losses.
    pub losses: Losses,
    /// How much was read.
    pub amount: Amount,
    /// Bytes that went to temporary files, of all ranks.
    pub spilled: u64,
}

/// When a device is busy, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceBusy {
    /// Any of its streams is.
    pub busy: u64,
    /// Any, and a thread of the host computes.
    pub overlapped: u64,
}

/// Number of exchanges: one of intervals of devices and of their hosts.
pub const BOXES: u64 = 1;

/// Finds what accelerators do; what was found is on rank 0. `workers` threads unite what belongs together; `room` is
/// what this rank may hold of that.
///
/// # Errors
///
/// The first loss, when the job is strict; when temporary files cannot be written; when ranks cannot communicate.
pub fn run(
    job: &Job<'_>,
    room: &Room,
    workers: usize,
    progress: &Progress,
) -> Result<Option<Outcome>, Stop> {
    let ranks = job.ranks();
    let mail = Exchange::new(ranks.size(), room);
    let kernel = DeviceKernel::new(job.definitions()).with_sink(mail.sink());
    let folded = job.run_watched(&kernel, progress)?;
    drop(kernel);
    let mut spilled = 0;
    let parts = Exchange::sorted_parts([mail], ranks, workers, &mut spilled)?;
    let of_part = |[part]: [_; 1]| {
        let mut found: BTreeMap<u32, Busy> = BTreeMap::new();
        let tell = |device: Option<u32>, busy: &Busy| {
            device.into_iter().for_each(|device| found.entry(device).or_default().add(busy));
        };
        unite(part, tell).map(|()| found)
    };
    let of_all =
        parts.into_par_iter().map(of_part).try_reduce(BTreeMap::new, |a, b| Ok(added(a, b)));
    let of_all = together(ranks, of_all)?;
    let of_all = ranks.reduce(0, (of_all, spilled), |a, b| (added(a.0, b.0), a.1 + b.1))?;
    let Some((folded, (busy, spilled))) = folded.zip(of_all) else { return Ok(None) };
    let Folded { partial: found, losses, amount } = folded;
    let of = |busy: Busy| DeviceBusy { busy: busy.io, overlapped: busy.both };
    let devices = busy.into_iter().map(|(device, busy)| (LocationGroupRef(device), of(busy)));
    let devices = devices.collect();
    Ok(Some(Outcome { found, devices, losses, amount, spilled }))
}

fn added(mut into: BTreeMap<u32, Busy>, other: BTreeMap<u32, Busy>) -> BTreeMap<u32, Busy> {
    other.into_iter().for_each(|(device, busy)| into.entry(device).or_default().add(&busy));
    into
}
