//! Finds what belongs together in a trace: reads it once, brings the ends of messages and the parts
//! of collective operations to the ranks that own them, and adds up what these join.

use std::collections::BTreeMap;

use streamfold_kernels::matching::collectives::{gather, number, CollectiveTotals};
use streamfold_kernels::matching::messages::End;
use streamfold_kernels::matching::totals::{MessageTotals, Streams, Totalling};
use streamfold_kernels::matching::{join, Found, MatchKernel, Partners, Process, Processes, Sinks};

use crate::collective::inject::fail_point;
use crate::collective::Communicator;
use crate::drive::{self, Folded, Loss, Scanning, Trace};
use crate::exit::Stop;
use crate::rounds::{Mail, Room};
use crate::selection::Plan;

/// What belongs together in a trace.
#[derive(Debug)]
pub struct Outcome {
    /// What was recorded, what was lost, and how much was read.
    pub folded: Folded<Found>,
    /// What matched messages add up to.
    pub messages: MessageTotals,
    /// What collective operations add up to.
    pub collectives: CollectiveTotals,
    /// What is known of the streams of each process, by its number.
    pub streams: Vec<Streams>,
    /// Bytes that went to temporary files, of all ranks.
    pub spilled: u64,
}

/// Matches everything; what was found is on rank 0.
///
/// `room` is what this rank may hold of what has to be matched.
///
/// # Errors
///
/// The first loss, when `scanning` is strict; when temporary files cannot be written; when ranks
/// cannot communicate.
pub fn run(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    scanning: Scanning<'_>,
    room: &Room,
) -> Result<Option<Outcome>, Stop> {
    let definitions = &trace.definitions;
    let processes = Processes::new(definitions);
    let partners = Partners::new(definitions, &processes);
    let new_mail = || Mail::new(ranks.size(), room);
    let (sends, receives, parts) = (new_mail(), new_mail(), new_mail());
    let sinks = Sinks { sends: sends.sink(), receives: receives.sink(), collectives: parts.sink() };
    let kernel = MatchKernel::new(definitions, &processes, &partners, sinks);
    let folded = drive::scan_uncut(ranks, trace, plan, &kernel, scanning)?;
    let streams = streams(ranks, trace, &processes, &folded)?;
    let folded = drive::reduce(ranks, &kernel, folded)?;
    fail_point("rounds", ranks.rank())?;
    let mut spilled = 0;
    let mut sorted = |of: Mail| of.sorted(ranks, &mut spilled);
    let (sends, receives) = (sorted(sends)?, sorted(receives)?);
    let mut totalling = Totalling::new(definitions, &processes, &streams);
    join::<_, End>(sends, receives, &mut totalling).map_err(Stop::Alone)?;
    let numbered = new_mail();
    number(sorted(parts)?, &partners, numbered.sink()).map_err(Stop::Alone)?;
    let collectives = gather(sorted(numbered)?, &partners).map_err(Stop::Alone)?;
    fail_point("totals", ranks.rank())?;
    let found = (totalling.totals(), collectives, spilled);
    let found = ranks.reduce(0, found, |(a, b, c), (d, e, f)| (a.fold(d), b.fold(e), c + f))?;
    Ok(folded.zip(found).map(|(folded, (messages, collectives, spilled))| Outcome {
        folded,
        messages,
        collectives,
        streams,
        spilled,
    }))
}

/// What is known of the streams of each process, by its number, on all ranks.
fn streams(
    ranks: &dyn Communicator,
    trace: &Trace,
    processes: &Processes,
    folded: &Folded<Found>,
) -> Result<Vec<Streams>, Stop> {
    let mut own: BTreeMap<u32, Streams> = folded.partial.streams.clone();
    for Loss { location, .. } in &folded.losses.first {
        if let Some(Process(process)) = processes.of(*location) {
            own.entry(process).or_default().cut = true;
        }
    }
    let mut all = vec![Streams::default(); processes.count()];
    for (process, streams) in ranks.all_gather(own)?.into_iter().flatten() {
        let known = &mut all[process as usize];
        *known = known.and(streams);
    }
    for location in trace.definitions.locations.values() {
        let Some(Process(process)) = processes.of(location.id) else { continue };
        let streams = &mut all[process as usize];
        // Nothing of it could be read.
        streams.cut |= location.number_of_events > 0 && !streams.recorded;
    }
    Ok(all)
}
