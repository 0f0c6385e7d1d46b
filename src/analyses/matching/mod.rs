//! Finds what belongs together in a trace: reads it once, brings the ends of messages and the parts
//! of collective operations to the ranks that own them, and adds up what these join.

pub mod list;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_kernels::adapt::References;
use streamfold_kernels::matching::collectives::{
    adopt as adopt_parts, gather, number, CollectiveTotals,
};
use streamfold_kernels::matching::epochs::{self, EpochTotals};
use streamfold_kernels::matching::listed::{Listing, Message};
use streamfold_kernels::matching::messages::{adopt, End, MessageEnd};
use streamfold_kernels::matching::pairs::{Pairs, PairsOf};
use streamfold_kernels::matching::paths::{FoundWithPaths, PathEnd, PathKernel, PathNumbers};
use streamfold_kernels::matching::sites::{CallSites, SiteTotals};
use streamfold_kernels::matching::totals::{MessageTotals, Streams, Totalling};
use streamfold_kernels::matching::{
    join, Chosen, Found, MatchKernel, Partners, Process, Processes, Sinks,
};

use self::list::{Listed, Paths, Sorting};
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_drive::rounds::{together, Exchange, Room, Sorted};
use streamfold_drive::select::Plan;
use streamfold_drive::{self as drive, Folded, Loss, Losses, Scanning, Trace};
use streamfold_system::exit::{Failure, Stop};

/// Result of matching a trace.
#[derive(Debug)]
pub struct Outcome {
    /// Recorded sums, losses, and how much was read.
    pub folded: Folded<Found>,
    /// Totals of matched messages.
    pub messages: MessageTotals,
    /// Totals of collective operations.
    pub collectives: CollectiveTotals,
    /// Totals of epochs of windows with groups of processes.
    pub epochs: EpochTotals,
    /// State of the streams of each process, by its number.
    pub streams: Vec<Streams>,
    /// Bytes that went to temporary files, of all ranks.
    pub spilled: u64,
}

/// Matches everything; what was found is on rank 0.
///
/// `plan` reads all locations of the processes that `chosen` reads; messages are added up by pairs of `pairs_of`, if
/// of any; `room` is what this rank may hold of what has to be matched.
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
    chosen: &Chosen,
    pairs_of: Option<PairsOf>,
    room: &Room,
) -> Result<Option<Outcome>, Stop> {
    let processes = Processes::new(&trace.definitions);
    let partners = Partners::new(&trace.definitions, &processes);
    let boxes = OutgoingBlocks::new(ranks, room);
    let kernel = MatchKernel::new(&trace.definitions, &processes, &partners, boxes.sinks());
    let kernel = kernel.choose(chosen);
    let folded = drive::scan_uncut(ranks, trace, plan, &kernel, scanning)?;
    let streams = streams(ranks, trace, &processes, &folded.partial, &folded.losses)?;
    let folded = drive::reduce(ranks, &kernel, folded)?;
    let (processes, partners) = (&processes, &partners);
    let pairs = &Pairs::new(pairs_of);
    scanning.progress.begin("matching sends with receives", 0);
    let joining = Joining { ranks, trace, processes, partners, chosen, room, pairs };
    let parts = scanning.workers.get();
    let joined = joining.join::<End>(boxes, &streams, parts, |parts, new_totalling| {
        let join_part = |[sends, receives]: [Sorted; 2]| -> Result<MessageTotals, Failure> {
            let mut totalling = new_totalling();
            join::<_, End>(sends, receives, &mut totalling)?;
            Ok(totalling.totals())
        };
        let totals = parts.into_par_iter().map(join_part);
        Ok((totals.try_reduce(MessageTotals::default, |a, b| Ok(a.fold(b)))?, 0))
    })?;
    Ok(folded.zip(joined).map(|(folded, joined)| joined.outcome(folded, streams)))
}

/// The same, and every matched message with the call paths of both ends.
///
/// # Errors
///
/// Those of [`run`].
pub fn run_listed(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    scanning: Scanning<'_>,
    chosen: &Chosen,
    pairs_of: Option<PairsOf>,
    room: &Room,
) -> Result<(Option<Outcome>, Listed), Stop> {
    let mut sorting = Sorting::new(room.clone());
    let scanned =
        scan_paths(ranks, trace, plan, scanning, (chosen, pairs_of, room), |parts, new| {
            let mut listing = Listing::new(new(), |message| sorting.push(message));
            for [sends, receives] in parts {
                join::<_, PathEnd>(sends, receives, &mut listing)?;
            }
            let totals = listing.totals();
            Ok((totals, sorting.spilled()))
        });
    let (outcome, paths) = scanned?.unzip();
    /// A rank sends between so many messages at a time, as far as there is room for those of all.
    const PIECE: [usize; 2] = [32, 4096];
    let piece = (room.bytes / ranks.size() / size_of::<Message>()).clamp(PIECE[0], PIECE[1]);
    let count = |of: &Outcome| of.messages.by_comm.values().map(|of| of.matched.messages).sum();
    let count = outcome.as_ref().map_or(0, count);
    Ok((outcome, Listed { sorting, count, paths, piece }))
}

/// The same as [`run`], and messages by the call path that sends them.
///
/// # Errors
///
/// Those of [`run`].
pub fn run_by_path(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    scanning: Scanning<'_>,
    chosen: &Chosen,
    room: &Room,
) -> Result<Option<(Outcome, CallSites, Paths)>, Stop> {
    let partners = Exchange::new(ranks.size(), room);
    let mut sites = CallSites::default();
    let scanned = scan_paths(ranks, trace, plan, scanning, (chosen, None, room), |parts, new| {
        let mut totals = MessageTotals::default();
        for [sends, receives] in parts {
            let mut of_part = SiteTotals::new(new(), partners.sink());
            join::<_, PathEnd>(sends, receives, &mut of_part)?;
            let (more, more_sites) = of_part.totals();
            totals = totals.fold(more);
            sites = std::mem::take(&mut sites).fold(more_sites);
        }
        Ok((totals, 0))
    });
    let scanned = scanned?;
    let mut spilled = 0;
    let partners = partners.sorted(ranks, &mut spilled)?;
    together(ranks, sites.count_partners(partners))?;
    let of_all = |(sites, spilled): (CallSites, u64), other: (CallSites, u64)| {
        (sites.fold(other.0), spilled + other.1)
    };
    let sites = ranks.reduce(0, (sites, spilled), of_all)?;
    Ok(scanned.zip(sites).map(|((mut outcome, paths), (sites, spilled))| {
        outcome.spilled += spilled;
        (outcome, sites, paths)
    }))
}

/// Matches everything, with the call paths of both ends of messages, which `messages` joins.
fn scan_paths(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    scanning: Scanning<'_>,
    (chosen, pairs_of, room): (&Chosen, Option<PairsOf>, &Room),
    messages: impl for<'s> FnOnce(
        Vec<[Sorted; 2]>,
        &(dyn Fn() -> Totalling<'s> + Sync),
    ) -> Result<(MessageTotals, u64), Failure>,
) -> Result<Option<(Outcome, Paths)>, Stop> {
    let processes = Processes::new(&trace.definitions);
    let partners = Partners::new(&trace.definitions, &processes);
    let boxes = OutgoingBlocks::new(ranks, room);
    let share = plan.share(ranks.rank()).all();
    let references = References::new(&trace.definitions);
    let references = drive::settle(ranks, trace, &share, scanning.workers, references)?;
    let kernel =
        PathKernel::new(&trace.definitions, &references, &processes, &partners, boxes.sinks());
    let kernel = kernel.choose(chosen);
    let scanning = Scanning { references: Some(&references), ..scanning };
    let folded = drive::scan_uncut(ranks, trace, plan, &kernel, scanning)?;
    let streams = streams(ranks, trace, &processes, &folded.partial.found, &folded.losses)?;
    let folded = drive::reduce(ranks, &kernel, folded)?;
    drop(kernel);
    let (processes, partners) = (&processes, &partners);
    let pairs = &Pairs::new(pairs_of);
    scanning.progress.begin("matching sends with receives", 0);
    let joining = Joining { ranks, trace, processes, partners, chosen, room, pairs };
    let joined = joining.join::<PathEnd>(boxes, &streams, 1, messages)?;
    Ok(folded.zip(joined).map(|(folded, joined)| {
        let Folded { partial: FoundWithPaths { found, profile }, losses, amount } = folded;
        let (profile, numbers) = PathNumbers::new(profile, &trace.definitions);
        let outcome = joined.outcome(Folded { partial: found, losses, amount }, streams);
        (outcome, Paths { profile, numbers })
    }))
}

/// Exchanges of blocks, by their kind.
struct OutgoingBlocks {
    sends: Exchange,
    receives: Exchange,
    parts: Exchange,
    requests: Exchange,
    operations: Exchange,
    accesses: Exchange,
    exposures: Exchange,
}

impl OutgoingBlocks {
    fn new(ranks: &dyn Communicator, room: &Room) -> Self {
        let mail = || Exchange::new(ranks.size(), room);
        OutgoingBlocks {
            sends: mail(),
            receives: mail(),
            parts: mail(),
            requests: mail(),
            operations: mail(),
            accesses: mail(),
            exposures: mail(),
        }
    }

    fn sinks(&self) -> Sinks<'_> {
        Sinks {
            sends: self.sends.sink(),
            receives: self.receives.sink(),
            collectives: self.parts.sink(),
            requests: self.requests.sink(),
            operations: self.operations.sink(),
            accesses: self.accesses.sink(),
            exposures: self.exposures.sink(),
        }
    }
}

/// Joins what all ranks have scanned.
struct Joining<'a> {
    ranks: &'a dyn Communicator,
    trace: &'a Trace,
    processes: &'a Processes,
    partners: &'a Partners<'a>,
    chosen: &'a Chosen,
    room: &'a Room,
    /// Messages by sender and receiver, of all threads.
    pairs: &'a Pairs,
}

/// Result of joining, on rank 0 of all ranks.
#[derive(Serialize, Deserialize)]
struct Joined {
    messages: MessageTotals,
    collectives: CollectiveTotals,
    epochs: EpochTotals,
    /// Recorded sums of requests that several locations know.
    adopted: Found,
    spilled: u64,
}

impl Joined {
    fn fold(mut self, other: Joined) -> Joined {
        epochs::fold(&mut self.epochs, &other.epochs);
        Joined {
            messages: self.messages.fold(other.messages),
            collectives: self.collectives.fold(other.collectives),
            epochs: self.epochs,
            adopted: self.adopted.fold(other.adopted),
            spilled: self.spilled + other.spilled,
        }
    }

    fn outcome(self, folded: Folded<Found>, streams: Vec<Streams>) -> Outcome {
        let Joined { messages, collectives, epochs, adopted, spilled } = self;
        let Folded { partial, losses, amount } = folded;
        let mut found = partial.fold(adopted);
        found.messages.settle();
        let folded = Folded { partial: found, losses, amount };
        Outcome { folded, messages, collectives, epochs, streams, spilled }
    }
}

impl Joining<'_> {
    /// Joins messages by `messages`, which also says how many bytes of its own went to temporary files. It
    /// gets up to so many parts, each with sends and receives that are joined for themselves.
    fn join<'s, E: MessageEnd>(
        &'s self,
        boxes: OutgoingBlocks,
        streams: &'s [Streams],
        parts: usize,
        messages: impl FnOnce(
            Vec<[Sorted; 2]>,
            &(dyn Fn() -> Totalling<'s> + Sync),
        ) -> Result<(MessageTotals, u64), Failure>,
    ) -> Result<Option<Joined>, Stop> {
        let Joining { ranks, trace, processes, partners, chosen, room, pairs } = *self;
        fail_point("rounds", ranks.rank())?;
        let mut spilled = 0;
        let requests = boxes.requests.sorted(ranks, &mut spilled)?;
        let adopted = adopt::<_, E>(requests, boxes.sends.sink(), boxes.receives.sink());
        let adopted = together(ranks, adopted)?;
        let ends = [boxes.sends, boxes.receives];
        let ends = Exchange::sorted_parts(ends, ranks, parts, &mut spilled)?;
        let new_totalling =
            || Totalling::new(&trace.definitions, processes, streams, pairs).choose(chosen);
        let (mut messages, more) = together(ranks, messages(ends, &new_totalling))?;
        messages.by_pair = pairs.take();
        let mut sorted = |of: Exchange| of.sorted(ranks, &mut spilled);
        let operations = adopt_parts(sorted(boxes.operations)?, boxes.parts.sink());
        let operations = together(ranks, operations)?;
        let numbered = Exchange::new(ranks.size(), room);
        together(ranks, number(sorted(boxes.parts)?, partners, numbered.sink()))?;
        let collectives = together(ranks, gather(sorted(numbered)?, partners, chosen))?;
        let (accesses, exposures) = (sorted(boxes.accesses)?, sorted(boxes.exposures)?);
        let epochs = together(ranks, epochs::join(accesses, exposures, chosen, streams))?;
        fail_point("totals", ranks.rank())?;
        let adopted = Found { messages: adopted, collectives: operations, ..Found::default() };
        let joined = Joined { messages, collectives, epochs, adopted, spilled: spilled + more };
        Ok(ranks.reduce(0, joined, Joined::fold)?)
    }
}

/// Returns the state of the streams of each process, by its number, on all ranks.
fn streams(
    ranks: &dyn Communicator,
    trace: &Trace,
    processes: &Processes,
    found: &Found,
    losses: &Losses,
) -> Result<Vec<Streams>, Stop> {
    let mut own: BTreeMap<u32, Streams> = found.streams.clone();
    for Loss { location, .. } in &losses.first {
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
