//! Finds wait states: reads the trace once, brings what has to be compared to the ranks that own it, and
//! what was found there back to where the time of each location is known.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_kernels::account::{TimeBins, TimeRows};
use streamfold_kernels::adapt::References;
use streamfold_kernels::critical::own_times;
use streamfold_kernels::delays::{Costs, Groups, Syncs};
use streamfold_kernels::devices::{connect, DependencyKernel};
use streamfold_kernels::matching::collectives::{number_by, whose};
use streamfold_kernels::matching::paths::PathNumbers;
use streamfold_kernels::matching::{join, Key, Partners, Processes, Sink};
use streamfold_kernels::profile::metrics::LocationMetric;
use streamfold_kernels::profile::{CallTree, LocationPath, PathSink, ProfileKernel, SinkMaker};
use streamfold_kernels::replay::{LinkSinks, Links};
use streamfold_kernels::waitstates::charges::{settle, Charges, Claims};
use streamfold_kernels::waitstates::collectives::{gather, Gathering, Member};
use streamfold_kernels::waitstates::edges::{Edges, RunParts};
use streamfold_kernels::waitstates::epochs;
use streamfold_kernels::waitstates::meetings::meet;
use streamfold_kernels::waitstates::messages::{MessageEnd, Waiting};
use streamfold_kernels::waitstates::requests::{adopt, adopt_members};
use streamfold_kernels::waitstates::verdict::{judge, Verdicts};
use streamfold_kernels::waitstates::{
    LeftOut, PartKernel, Parts, Severities, Threads, TimeSinks, Times, WaitBins, WaitKernel,
    WaitPartial, WaitSinks, WaitStates,
};
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;
use streamfold_model::values::Ticks;

use super::critical::{self, CriticalPath, PathQuery};
use super::delays::{self, Delays};
use super::schedule::ScheduleBox;
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_drive::rounds::{together, Exchange, Room, Sorted};
use streamfold_drive::select::Plan;
use streamfold_drive::{self as drive, Amount, Folded, Losses, Progress, Scanning, Trace};
use streamfold_system::exit::{Failure, Stop};

/// Result of the analysis.
#[derive(Debug)]
pub struct Outcome {
    /// The wait states: all time by metric.
    pub states: WaitStates,
    /// Losses.
    pub losses: Losses,
    /// How much was read.
    pub amount: Amount,
    /// Bytes that went to temporary files, of all ranks.
    pub spilled: u64,
    /// Call paths that cannot be distinguished from others: their waits stand outside of all paths.
    pub unclear_paths: u64,
    /// The time of the first event of the trace.
    pub begin: Option<Ticks>,
    /// The critical path, if it is wanted and the trace has events.
    pub critical: Option<CriticalPath>,
    /// The costs of delays, if they are wanted.
    pub delays: Option<Delays>,
    /// The parts of the time for which waits were added up.
    pub bins: Option<TimeBins>,
}

/// A query for wait states.
pub struct WaitQuery<'q> {
    /// Memory of this rank for items that have to be compared.
    pub room: &'q Room,
    /// Number of the longest waits of each metric that are reported one by one.
    pub worst: usize,
    /// Messages that are kept, those that are longest on their way between rows of `over_time`.
    pub flights: usize,
    /// The time that counts of each location; `None`: all.
    pub windows: Option<&'q BTreeMap<LocationRef, Window>>,
    /// Rows and parts of the time for which waits are added up.
    pub over_time: Option<OverTime>,
    /// Gets what each location has on each call path, a sink for each worker.
    pub besides: Option<&'q SinkMaker<'q>>,
    /// The wanted facts about the critical path. `None`: no path is wanted.
    pub critical: Option<PathQuery<'q>>,
    /// Gets the dependencies of locations, for replays.
    pub links: Option<&'q LinkBox>,
    /// Set if the costs of delays are wanted.
    pub delays: bool,
}

/// Rows and parts of the time for which waits are added up.
#[derive(Clone, Debug)]
pub enum OverTime {
    /// These.
    Bins(Arc<WaitBins>),
    /// These rows, and at most so many parts of the run.
    OfRun(TimeRows, u32),
}

impl OverTime {
    fn bins(&self, run: Option<(u64, u64)>) -> Option<Arc<WaitBins>> {
        match self {
            OverTime::Bins(bins) => Some(Arc::clone(bins)),
            OverTime::OfRun(rows, most) => {
                let (begin, end) = run?;
                let bins = TimeBins::new(begin, end, *most);
                Some(Arc::new(WaitBins { rows: rows.clone(), bins }))
            }
        }
    }
}

/// Takes the dependencies of locations.
pub struct LinkBox {
    /// Points by parts of the run.
    pub(crate) mail: Exchange,
    /// The first and the last event of the run, in ticks, once they are known.
    pub(crate) run: OnceLock<(u64, u64)>,
    /// The same points for a schedule, if one is wanted.
    pub(crate) schedule: Option<ScheduleBox>,
}

impl LinkBox {
    /// For so many ranks.
    pub fn new(ranks: usize, room: &Room) -> Self {
        LinkBox { mail: Exchange::new(ranks, room), run: OnceLock::new(), schedule: None }
    }

    /// The same; a schedule is wanted, too.
    #[must_use]
    pub fn with_schedule(self, schedule: ScheduleBox) -> Self {
        LinkBox { schedule: Some(schedule), ..self }
    }

    /// Its sinks.
    pub(crate) fn sinks<'s>(&'s self, parts: &'s RunParts) -> LinkSinks<'s> {
        let schedule = self.schedule.as_ref().map(ScheduleBox::sinks);
        LinkSinks { replay: (parts, self.mail.sink()), schedule }
    }
}

impl<'q> WaitQuery<'q> {
    /// Asks for all waits, and for none of them one by one.
    pub fn new(room: &'q Room) -> Self {
        WaitQuery {
            room,
            worst: 0,
            flights: 0,
            windows: None,
            over_time: None,
            besides: None,
            critical: None,
            links: None,
            delays: false,
        }
    }
}

/// Finds all wait states; what was found is on rank 0.
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
    query: &WaitQuery<'_>,
) -> Result<Option<Outcome>, Stop> {
    let WaitQuery { room, worst, flights, windows, besides, .. } = *query;
    let definitions = &trace.definitions;
    let processes = Processes::new(definitions);
    let partners = Partners::new(definitions, &processes);
    let mut threads = Threads::new(definitions, &processes);
    let new_mail = || Exchange::new(ranks.size(), room);
    let mails = Mails {
        sends: new_mail(),
        receives: new_mail(),
        requests: new_mail(),
        operations: new_mail(),
        members: new_mail(),
        attendances: new_mail(),
        accesses: new_mail(),
        exposures: new_mail(),
    };
    let share = plan.share(ranks.rank()).all();
    let references = References::new(&trace.definitions);
    let references = drive::settle(ranks, trace, &share, scanning.workers, references)?;
    let scanning = Scanning { references: Some(&references), ..scanning };
    let sinks = TimeSinks::new(definitions, &references, &threads);
    let is_by_path = matches!(query.critical, Some(PathQuery::ByCallPath { .. }));
    let of_paths = is_by_path.then(|| Arc::new(new_mail()));
    let sink = || {
        let besides = besides.map(|besides| besides());
        let own = of_paths.as_ref().map(|mail| own_times(Arc::clone(mail) as _));
        let both = |one, other| Box::new(Both(one, other)) as Box<dyn PathSink>;
        besides.into_iter().chain(own).fold(sinks.sink(), both)
    };
    let mut profile = ProfileKernel::new(definitions).over(&references);
    if windows.is_none() {
        profile = profile.with_sinks(&sink);
    }
    let kernel =
        WaitKernel::new(definitions, &processes, &partners, &threads, mails.sinks(), profile);
    let folded = drive::scan_uncut(ranks, trace, plan, &kernel, scanning)?;
    let sizes_known = folded.partial.recorded.sizes_known;
    let sizes_known = ranks.all_reduce(sizes_known, |a, b| a || b)?;
    let created = ranks.all_gather(folded.partial.recorded.created.clone())?;
    scanning.progress.begin(drive::ADDING, 0);
    let folded = drive::reduce(ranks, &kernel, folded)?;
    drop(kernel);
    let is_extent_wanted = query.critical.is_some()
        || query.links.is_some()
        || query.delays
        || matches!(query.over_time, Some(OverTime::OfRun(..)));
    let extent = match is_extent_wanted {
        true => {
            let profile = folded.as_ref().map(|folded| &folded.partial.profile);
            critical::extent(ranks, definitions, profile)?
        }
        false => None,
    };
    let part = match windows {
        Some(windows) => {
            let profile = ProfileKernel::new(definitions).over(&references).with_sinks(&sink);
            let kernel = WaitKernel::new(
                definitions,
                &processes,
                &partners,
                &threads,
                WaitSinks::nowhere(),
                profile,
            );
            let kernel = PartKernel::new(&kernel, definitions, windows);
            let part = drive::scan_uncut(ranks, trace, plan, &kernel, scanning)?;
            drive::reduce(ranks, &kernel, part)?
        }
        None => None,
    };
    threads.exclude(created.into_iter().flatten());
    let times = sinks.times();
    fail_point("rounds", ranks.rank())?;
    let run_parts = extent.map(|extent| RunParts::new(extent.run));
    let of_edges = new_mail();
    let delays = delays::Mails::new(ranks.size(), room);
    let comparing = Comparing {
        ranks,
        edges: run_parts.as_ref().map(|parts| (parts, of_edges.sink())),
        links: run_parts.as_ref().zip(query.links).map(|(parts, links)| links.sinks(parts)),
        syncs: query.delays.then_some(delays.syncs.sink()),
        room,
        gathering: Gathering { definitions, partners: &partners, sizes_known },
        threads: &threads,
        workers: scanning.workers.get(),
        progress: scanning.progress,
    };
    let counted = windows.map(|windows| Arc::new(windows.clone()));
    let severities = Severities::new(worst, &processes);
    let bins = query.over_time.as_ref().and_then(|of| of.bins(extent.map(|extent| extent.run)));
    let run_bins = bins.as_ref().map(|of| of.bins);
    let severities = severities.over_time(bins).with_flights(flights).within(counted);
    let mut found = Compared { severities, times, spilled: 0 };
    comparing.compare(mails, &mut found)?;
    if run_parts.is_some() && (query.critical.is_some() || query.links.is_some()) {
        comparing.devices((trace, plan), scanning, &mut found)?;
    }
    if let Some((links, extent)) = query.links.zip(extent) {
        // Nobody else sets it.
        let _ = links.run.set(extent.run);
    }
    let walked = match extent.zip(query.critical) {
        Some((extent, wanted)) => {
            let edges = of_edges.sorted(ranks, &mut found.spilled)?;
            let walked = critical::walked(ranks, edges, extent)?.within(windows);
            Some(match wanted {
                PathQuery::ByCallPath { longest, .. } if walked.is_looked_at(query.critical) => {
                    let profile = ProfileKernel::new(definitions).over(&references);
                    walked.timed((ranks, trace, plan), profile, scanning, longest)?
                }
                _ => walked,
            })
        }
        None => None,
    };
    let costs = match run_parts.as_ref().filter(|_| query.delays) {
        Some(parts) => {
            let profile = ProfileKernel::new(definitions).over(&references);
            let reading = delays::Reading { ranks, trace, plan, scanning, parts, windows };
            let groups = Groups::new(&partners, &processes);
            let costs = reading.costs(delays, groups, profile, &mut found.spilled)?;
            ranks.reduce(0, costs, Costs::fold)?
        }
        None => None,
    };
    fail_point("totals", ranks.rank())?;
    scanning.progress.begin(drive::ADDING, 0);
    let found = ranks.reduce(0, found, Compared::fold)?;
    let found = folded.zip(found).map(|(folded, found)| {
        let Folded { mut partial, losses, mut amount } = folded;
        let begin = partial.profile.locations.iter().filter_map(|row| row.first).min();
        if let Some(part) = part {
            // Matches are of the whole trace, and times of the part.
            let mut of_waits = found.severities.paths();
            of_waits.extend(costs.iter().flat_map(Costs::paths));
            partial = partial.timed_by(part.partial, &of_waits);
            amount.events += part.amount.events;
            amount.bytes += part.amount.bytes;
        }
        let WaitPartial { profile, recorded } = partial;
        let (profile, paths) = PathNumbers::new(profile, definitions);
        let Compared { severities, times, spilled } = found;
        (Parts { profile, paths, times, recorded, severities }, losses, amount, spilled, begin)
    });
    let mut spilled_late = 0;
    let walked = match (walked, of_paths, query.critical) {
        (Some(path), Some(mail), Some(PathQuery::ByCallPath { cells, .. }))
            if path.is_looked_at(query.critical) =>
        {
            let mail = Arc::into_inner(mail).expect("workers have ended");
            let parts = found.as_ref().map(|(parts, ..)| parts);
            let world = (ranks, definitions);
            Some(path.with_impacts(world, mail, parts, cells, &mut spilled_late)?)
        }
        (walked, ..) => walked,
    };
    let spilled_late = ranks.reduce(0, spilled_late, |a, b| a + b)?;
    let Some((parts, losses, amount, spilled, begin)) = found else { return Ok(None) };
    let spilled = spilled + spilled_late.unwrap_or(0);
    let paths = &parts.paths;
    let unclear_paths = paths.unclear() as u64;
    let critical = walked.map(|walked| walked.of_rows(|path| paths.row(path.0)));
    let delays =
        query.delays.then(|| Delays::new(costs.unwrap_or_default(), |path| paths.row(path.0)));
    let states = WaitStates::new(parts, threads);
    Ok(Some(Outcome {
        states,
        losses,
        amount,
        spilled,
        unclear_paths,
        begin,
        critical,
        delays,
        bins: run_bins,
    }))
}

/// Hands all to two sinks.
struct Both(Box<dyn PathSink>, Box<dyn PathSink>);

impl PathSink for Both {
    fn location(
        &mut self,
        location: LocationRef,
        tree: &CallTree,
        paths: &[LocationPath],
        metrics: &[LocationMetric],
    ) {
        self.0.location(location, tree, paths, metrics);
        self.1.location(location, tree, paths, metrics);
    }

    fn end(self: Box<Self>, tree: &CallTree) {
        self.0.end(tree);
        self.1.end(tree);
    }
}

/// Result of comparing.
#[derive(Serialize, Deserialize)]
struct Compared {
    severities: Severities,
    times: Times,
    spilled: u64,
}

impl Compared {
    fn fold(self, other: Compared) -> Compared {
        Compared {
            severities: self.severities.fold(other.severities),
            times: self.times.fold(other.times),
            spilled: self.spilled + other.spilled,
        }
    }
}

/// Everything that travels after the scan.
struct Mails {
    sends: Exchange,
    receives: Exchange,
    requests: Exchange,
    operations: Exchange,
    members: Exchange,
    attendances: Exchange,
    accesses: Exchange,
    exposures: Exchange,
}

impl Mails {
    fn sinks(&self) -> WaitSinks<'_> {
        WaitSinks {
            sends: self.sends.sink(),
            receives: self.receives.sink(),
            requests: self.requests.sink(),
            operations: self.operations.sink(),
            members: self.members.sink(),
            attendances: self.attendances.sink(),
            accesses: self.accesses.sink(),
            exposures: self.exposures.sink(),
        }
    }
}

/// Inputs of comparing.
struct Comparing<'a> {
    ranks: &'a dyn Communicator,
    /// Destination of edges, if they are wanted.
    edges: Option<(&'a RunParts, &'a dyn Sink)>,
    /// Destination of dependencies, if they are wanted.
    links: Option<LinkSinks<'a>>,
    /// Destination of waits and of times at which locations are together, if they are wanted.
    syncs: Option<&'a dyn Sink>,
    room: &'a Room,
    gathering: Gathering<'a>,
    threads: &'a Threads,
    /// Threads that compare.
    workers: usize,
    /// The progress of comparing.
    progress: &'a Progress,
}

impl Comparing<'_> {
    /// Compares all that belongs together, one kind after another.
    fn compare(&self, mails: Mails, found: &mut Compared) -> Result<(), Stop> {
        let Mails { sends, receives, requests, operations, .. } = mails;
        let Mails { members, attendances, accesses, exposures, .. } = mails;
        self.progress.begin("sorting requests", 0);
        let requests = requests.sorted(self.ranks, &mut found.spilled)?;
        let of_messages = together(self.ranks, adopt(requests, sends.sink(), receives.sink()))?;
        let operations = operations.sorted(self.ranks, &mut found.spilled)?;
        let of_members = together(self.ranks, adopt_members(operations, members.sink()))?;
        for (what, count) in of_messages.into_iter().chain(of_members) {
            found.severities.leave_out(what, count);
        }
        let new_mail = || Exchange::new(self.ranks.size(), self.room);
        let (verdicts, claims) = (new_mail(), new_mail());
        self.progress.begin("comparing both ends of messages", 0);
        self.messages([sends, receives], verdicts.sink(), found)?;
        self.progress.begin("comparing members of collective operations", 0);
        let mut claimed = Claims::new(claims.sink());
        let (to_edges, to_syncs) = (self.edges, self.syncs);
        let new_edges = || Edges::with_syncs(to_edges, Syncs::new(to_syncs));
        let (mut edges, mut links) = (new_edges(), Links::new(self.links));
        let mut back = Verdicts::new(verdicts.sink());
        self.collectives(members, &mut back, (&mut claimed, &mut edges, &mut links), found)?;
        back.end();
        self.in_parts([verdicts], found, |[verdicts], severities| {
            let (mut claims, mut edges) = (Claims::new(claims.sink()), new_edges());
            let mut links = Links::new(None);
            let (claims_to, edges_to, links) = (&mut claims, &mut edges, &mut links);
            let mut charges = Charges { severities, claims: claims_to, edges: edges_to, links };
            judge(verdicts, &mut charges)?;
            claims.end();
            severities.leave_out(LeftOut::LateCauses, edges.end());
            Ok(())
        })?;
        self.progress.begin("comparing threads that meet", 0);
        self.meetings(attendances, (&mut claimed, &mut edges, &mut links), found)?;
        self.progress.begin("comparing accesses to memory", 0);
        self.epochs(accesses, exposures, (&mut claimed, &mut edges, &mut links), found)?;
        self.progress.begin("settling who made whom wait", 0);
        claimed.end();
        links.hand_over();
        found.severities.leave_out(LeftOut::LateCauses, edges.end());
        self.in_parts([claims], found, |[claims], severities| {
            let mut edges = new_edges();
            settle(claims, severities, &mut edges)?;
            severities.leave_out(LeftOut::LateCauses, edges.end());
            Ok(())
        })
    }

    /// Reads the trace once more if it has streams of accelerators: edges and dependencies between them and their hosts.
    fn devices(
        &self,
        (trace, plan): (&Trace, &Plan),
        scanning: Scanning<'_>,
        found: &mut Compared,
    ) -> Result<(), Stop> {
        let mail = Exchange::new(self.ranks.size(), self.room);
        let kernel = DependencyKernel::new(&trace.definitions, mail.sink());
        let Some(kernel) = kernel else { return Ok(()) };
        scanning.progress.begin(drive::READING, plan.share(self.ranks.rank()).weight);
        drive::scan_uncut(self.ranks, trace, plan, &kernel, scanning)?;
        drop(kernel);
        self.progress.begin("comparing hosts and streams", 0);
        let (links_to, edges_to) = (self.links, self.edges);
        self.in_parts([mail], found, |[items], severities| {
            let (mut edges, mut links) = (Edges::new(edges_to), Links::new(links_to));
            connect(items, &mut edges, &mut links)?;
            links.hand_over();
            severities.leave_out(LeftOut::LateCauses, edges.end());
            Ok(())
        })
    }

    fn messages(
        &self,
        ends: [Exchange; 2],
        told: &dyn Sink,
        found: &mut Compared,
    ) -> Result<(), Stop> {
        let (links, to_syncs) = (self.links, self.syncs);
        self.in_parts(ends, found, |[sends, receives], severities| {
            let mut verdicts = Verdicts::new(told);
            let (verdicts_to, links_to) = (&mut verdicts, &mut Links::new(links));
            let (verdicts_of, alone) = (verdicts_to, [0; 2]);
            let syncs = &mut Syncs::new(to_syncs);
            let mut waiting =
                Waiting { verdicts: verdicts_of, severities, links: links_to, syncs, alone };
            join::<_, MessageEnd>(sends, receives, &mut waiting)?;
            let [sends, receives] = waiting.alone;
            waiting.links.hand_over();
            waiting.syncs.hand_over();
            verdicts.end();
            severities.leave_out(LeftOut::Sends, sends);
            severities.leave_out(LeftOut::Receives, receives);
            Ok(())
        })
    }

    /// Compares what has keys in common by all threads, each some of the keys.
    fn in_parts<const N: usize>(
        &self,
        of: [Exchange; N],
        found: &mut Compared,
        compare: impl Fn([Sorted; N], &mut Severities) -> Result<(), Failure> + Sync,
    ) -> Result<(), Stop> {
        let Compared { severities, spilled, .. } = found;
        let parts = Exchange::sorted_parts(of, self.ranks, self.workers, spilled)?;
        let none = severities.none();
        let of_part = |part| {
            let mut severities = none.clone();
            compare(part, &mut severities).map(|()| severities)
        };
        let of_all = parts.into_par_iter().map(of_part);
        let of_all = of_all.try_reduce(|| none.clone(), |a, b| Ok(a.fold(b)));
        let of_all = together(self.ranks, of_all)?;
        *severities = std::mem::replace(severities, none.clone()).fold(of_all);
        Ok(())
    }

    fn collectives<'c>(
        &self,
        members: Exchange,
        verdicts: &mut Verdicts<'_>,
        (claims, edges, links): (&mut Claims<'c>, &mut Edges<'c>, &mut Links<'c>),
        found: &mut Compared,
    ) -> Result<(), Stop> {
        let Compared { severities, spilled, .. } = found;
        let numbered = Exchange::new(self.ranks.size(), self.room);
        let members = members.sorted(self.ranks, spilled)?;
        let of_window = |key: Key| key.0[2] == 1;
        let is_numbered =
            number_by::<_, Member>(members, numbered.sink(), |key| match of_window(key) {
                true => u32::MAX,
                false => whose(key, self.gathering.partners),
            });
        together(self.ranks, is_numbered)?;
        let numbered = numbered.sorted(self.ranks, spilled)?;
        let mut charges = Charges { severities, claims, edges, links };
        together(self.ranks, gather(numbered, self.gathering, verdicts, &mut charges))
    }

    fn meetings<'c>(
        &self,
        attendances: Exchange,
        (claims, edges, links): (&mut Claims<'c>, &mut Edges<'c>, &mut Links<'c>),
        found: &mut Compared,
    ) -> Result<(), Stop> {
        let Compared { severities, spilled, .. } = found;
        let attendances = attendances.sorted(self.ranks, spilled)?;
        let mut charges = Charges { severities, claims, edges, links };
        let met = meet(attendances, self.threads, self.threads.processes(), &mut charges);
        together(self.ranks, met)
    }

    fn epochs<'c>(
        &self,
        accesses: Exchange,
        exposures: Exchange,
        (claims, edges, links): (&mut Claims<'c>, &mut Edges<'c>, &mut Links<'c>),
        found: &mut Compared,
    ) -> Result<(), Stop> {
        let Compared { severities, spilled, .. } = found;
        let told = Exchange::new(self.ranks.size(), self.room);
        let accesses = accesses.sorted(self.ranks, spilled)?;
        let exposures = exposures.sorted(self.ranks, spilled)?;
        let mut charges = Charges { severities, claims, edges, links };
        let joined = epochs::join(accesses, exposures, told.sink(), &mut charges);
        together(self.ranks, joined)?;
        let told = told.sorted(self.ranks, spilled)?;
        together(self.ranks, epochs::judge(told, &mut charges))
    }
}
