//! The account of time. The trace is read once; once more for the visits of a region or for start-up, and once more
//! for parts of the time where the trace does not last as long as it says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use streamfold_kernels::account::{
    Account, AccountKernel, AccountOptions, Accounts, CellOptions, MetricWatch, Overlap, Overlaps,
    Partition, PhaseKernel, Role, RowsBy, TimeBins, TimeMap, TimeRows, Visits,
};
use streamfold_kernels::efficiency::{DeviceTime, Efficiencies};
use streamfold_kernels::io::{unite, Busy};
use streamfold_kernels::waitstates::WaitsOverTime;
use streamfold_kernels::{Kernel, Window};
use streamfold_model::ids::{LocationGroupRef, LocationRef, RegionRef};

use streamfold_drive::rounds::{together, Exchange, Room};
use streamfold_drive::{Amount, Folded, Job, Losses, Progress};
use streamfold_system::exit::Stop;

/// The part of a run that counts, and what is wanted of it.
#[derive(Clone, Debug, Default)]
pub struct AccountQuery<'q> {
    /// This part of the time; `None`: all.
    pub window: Option<Window>,
    /// The time of each location that counts in it.
    pub time: CountedTime,
    /// Equal parts of the run, besides; 0: none.
    pub bins: u32,
    /// Rows over time, besides.
    pub rows: Option<RowsQuery<'q>>,
    /// Memory of this rank for the times of devices, if these are wanted.
    pub devices: Option<&'q Room>,
}

/// The time that counts.
#[derive(Clone, Debug, Default)]
pub enum CountedTime {
    /// All of it.
    #[default]
    All,
    /// That in which any of these regions is open, of each process.
    Regions(Vec<RegionRef>),
    /// The ticks from which, and up to which, of each location; those without count for nothing.
    Visits(BTreeMap<LocationRef, (u64, u64)>),
    /// The same, of any number of times for each location, in order.
    Sections(Visits),
}

/// A query for rows over time.
#[derive(Clone, Debug)]
pub struct RowsQuery<'q> {
    /// The kind of rows.
    pub by: RowsBy,
    /// Rows at most.
    pub rows: u32,
    /// Parts of the time at most.
    pub bins: u32,
    /// The parts of the time, if they are settled: all of the run or of the window, and as many as above.
    pub settled: Option<TimeBins>,
    /// The locations that have rows; `None`: all.
    pub only: Option<&'q BTreeSet<LocationRef>>,
    /// Regions whose inclusive time is wanted, as if they were one.
    pub marked: Vec<RegionRef>,
    /// A metric that is wanted.
    pub metric: Option<MetricWatch>,
}

/// Result of the analysis.
#[derive(Debug)]
pub struct Outcome {
    /// The account of all that counts.
    pub account: Account,
    /// The same without start-up and finalization. `None`: no process has any, or only a part of the time counts.
    pub main: Option<Account>,
    /// The devices by their groups, if they are wanted.
    pub devices: BTreeMap<LocationGroupRef, DeviceBusy>,
    /// The account of equal parts of the run, if they are wanted.
    pub bins: Option<(TimeBins, Account)>,
    /// Rows over time, if they are wanted.
    pub rows: Option<RowsOverTime>,
    /// Losses.
    pub losses: Losses,
    /// Events of the trace, however often they were read.
    pub events: u64,
    /// How much was read, in all passes.
    pub amount: Amount,
    /// Bytes that went to temporary files, of all ranks.
    pub spilled: u64,
}

/// Rows over time: what stands for them in [`Account::map`].
#[derive(Clone, Debug)]
pub struct RowsOverTime {
    /// The rows.
    pub rows: TimeRows,
    /// The parts of the time.
    pub bins: TimeBins,
    /// The metric that was looked at.
    pub metric: Option<MetricWatch>,
    /// Set if waits were added, see [`Outcome::add_waits`].
    pub has_waits: bool,
}

impl RowsOverTime {
    /// Joins neighbours among rows and parts of the time, given how many may be left, in the map, too.
    #[must_use]
    pub fn coarser(&self, map: &TimeMap, rows: u32, parts: u32) -> (TimeMap, RowsOverTime) {
        let bins = self.bins.coarser(parts);
        let (rows, new) = self.rows.coarser(rows);
        let map = map.coarser(&new, (self.bins.count() / bins.count().max(1)) as usize);
        (map, RowsOverTime { rows, bins, ..self.clone() })
    }

    /// Returns whether cells have the growth of the metric, not its level.
    pub fn metric_grows(&self) -> bool {
        self.metric.as_ref().is_some_and(MetricWatch::grows)
    }
}

/// When a device is busy, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceBusy {
    /// Any of its streams is.
    pub busy: u64,
    /// Any, and a thread of the host computes.
    pub with_host: u64,
    /// Any kernel runs.
    pub kernels: u64,
    /// Memory is copied or set.
    pub copies: u64,
    /// Both.
    pub both: u64,
    /// A kernel runs that communicates; 0 where others are not told from these.
    pub communication: u64,
    /// Any other kernel runs, where some communicate.
    pub computation: u64,
    /// Both.
    pub communication_and_computation: u64,
}

impl From<Account> for Outcome {
    /// Nothing but the account.
    fn from(account: Account) -> Self {
        let (main, devices, bins, rows) = Default::default();
        let (losses, events, amount, spilled) = Default::default();
        Outcome { account, main, devices, bins, rows, losses, events, amount, spilled }
    }
}

impl Outcome {
    /// Adds waits by row and part of the time, which were found with the same rows and parts.
    pub fn add_waits(&mut self, waits: &WaitsOverTime) {
        let Some(rows) = &mut self.rows else { return };
        rows.has_waits = true;
        for (row, ticks) in &waits.rows {
            let row = self.account.map.rows.entry(*row).or_default();
            row.cells.wait(ticks);
        }
    }

    /// How well processors are used. `elapsed` of all of the time is the length of the run; of visits it is the longest
    /// time of a thread.
    pub fn efficiencies(
        &self,
        definitions: &streamfold_model::store::Definitions,
        is_whole: bool,
    ) -> Efficiencies {
        let devices: Vec<DeviceTime> = self
            .devices
            .values()
            .map(|of| DeviceTime { useful: of.kernels, active: of.kernels + of.copies - of.both })
            .collect();
        let elapsed = is_whole.then(|| self.account.elapsed());
        Efficiencies::new(&self.account, definitions, 0, elapsed, &devices)
    }
}

/// Number of exchanges: one of intervals of devices and of their hosts.
pub const BOXES: u64 = 1;

/// Accounts for the time of a job, which has no window; what was found is on rank 0.
///
/// # Errors
///
/// The first loss, when the job is strict; when temporary files cannot be written; when ranks cannot communicate.
pub fn run(
    job: &Job<'_>,
    query: &AccountQuery<'_>,
    progress: &Progress,
) -> Result<Option<Outcome>, Stop> {
    run_with(job, query, &(), progress).map(|outcome| outcome.map(|(outcome, ())| outcome))
}

/// The same, and the account of some of the time besides: of each location that of its `sections`. The trace is read
/// once for both.
///
/// # Errors
///
/// Those of [`run`].
pub fn run_with_sections(
    job: &Job<'_>,
    query: &AccountQuery<'_>,
    sections: Visits,
    progress: &Progress,
) -> Result<Option<(Outcome, Account)>, Stop> {
    let partition = Partition::default().within(sections);
    let options = AccountOptions {
        regions_are_system_calls: job.trace().source.regions_are_system_calls(),
        ..AccountOptions::default()
    };
    let kernel = AccountKernel::new(job.definitions(), &partition, options);
    let found = run_with(job, query, &kernel, progress)?;
    Ok(found.map(|(outcome, accounts)| (outcome, Account::new(accounts, &partition, None))))
}

/// The same with another kernel, whose result is that of all of the time.
///
/// # Errors
///
/// Those of [`run`].
pub fn run_with<K: Kernel>(
    job: &Job<'_>,
    query: &AccountQuery<'_>,
    besides: &K,
    progress: &Progress,
) -> Result<Option<(Outcome, K::Partial)>, Stop> {
    let accounting = Accounting { job, query, progress };
    let visits = accounting.visits()?;
    let partition = accounting.partition(visits.clone());
    let mail = query.devices.map(|room| Exchange::new(job.ranks().size(), room));
    let definitions = job.definitions();
    let mut rows = query.rows.as_ref().map(|of| {
        let rows = TimeRows::new(definitions, of.by, of.only, of.rows);
        let bins = of.settled.unwrap_or_else(|| accounting.declared(of.bins));
        RowsOverTime { rows, bins, metric: of.metric.clone(), has_waits: false }
    });
    let overlaps = mail.as_ref().map(|mail| Arc::new(Overlaps::new(definitions, mail.sink())));
    let folded = accounting.pass(&partition, rows.as_ref(), overlaps, besides)?;
    let mut spilled = 0;
    let devices = match mail {
        Some(mail) => accounting.devices(mail, &mut spilled)?,
        None => BTreeMap::new(),
    };
    let events = folded.as_ref().map_or(0, |folded| folded.amount.events);
    let span = folded.as_ref().and_then(|folded| folded.partial.0.span());
    let is_root = job.ranks().rank() == 0;
    let span = job.ranks().broadcast(0, is_root.then_some(span))?;
    let run = span.map(|span| partition.within_run(span));
    let (mut found, others) = folded.map_or((None, None), |folded| {
        let Folded { partial: (accounts, others), losses, amount } = folded;
        (Some(Folded { partial: accounts, losses, amount }), Some(others))
    });
    // Parts of the time do not fit if the trace lasts longer or shorter than it says.
    let is_settled = query.rows.as_ref().is_some_and(|of| of.settled.is_some());
    let of_run = rows.as_mut().zip(run).filter(|(rows, run)| !is_settled && !rows.bins.fits(*run));
    if let Some((rows, run)) = of_run {
        let most = query.rows.as_ref().map_or(1, |of| of.bins);
        rows.bins = TimeBins::new(run.0, run.1, most);
        let again = accounting.pass(&partition, Some(&*rows), None, &())?;
        if let Some((found, again)) = found.as_mut().zip(again) {
            add_amount(&mut found.amount, again.amount);
            found.partial = again.partial.0;
        }
    }
    let mut bins = None;
    if let Some(run) = run.filter(|_| query.bins > 0) {
        let of = TimeBins::new(run.0, run.1, query.bins);
        let parts = Partition::bins(of);
        let parts = match &visits {
            Some(visits) => parts.within(visits.clone()),
            None => parts,
        };
        let again = accounting.pass(&parts, None, None, &())?;
        if let Some((found, again)) = found.as_mut().zip(again) {
            add_amount(&mut found.amount, again.amount);
            bins = Some((of, Account::new(again.partial.0, &parts, None)));
        }
    }
    let of_rows = rows.as_ref().map(|of| (&of.rows, of.bins));
    let losses = found.as_ref().map(|found| found.losses.clone());
    let mut amount = found.as_ref().map(|found| found.amount).unwrap_or_default();
    let account = found.map(|found| Account::new(found.partial, &partition, of_rows));
    let main = match partition.is_whole() {
        true => accounting.main_part(account.as_ref(), &mut amount)?,
        false => None,
    };
    let Some((account, (losses, others))) = account.zip(losses.zip(others)) else {
        return Ok(None);
    };
    let mut devices = devices;
    if query.devices.is_some() {
        let streams = account.locations.iter().filter(|(_, of)| of.role == Role::Stream);
        let groups =
            streams.filter_map(|(id, _)| Some(definitions.locations.get(id)?.location_group));
        let groups: BTreeSet<LocationGroupRef> = groups.collect();
        devices.retain(|device, _| groups.contains(device));
        for device in groups {
            devices.entry(device).or_default();
        }
    }
    let read = Outcome { account, main, devices, bins, rows, losses, events, amount, spilled };
    Ok(Some((read, others)))
}

fn add_amount(sum: &mut Amount, more: Amount) {
    sum.events += more.events;
    sum.bytes += more.bytes;
}

/// The result of a pass, on rank 0.
type Read<K> = Option<Folded<(Accounts, <K as Kernel>::Partial)>>;

/// Inputs of all passes.
struct Accounting<'a> {
    job: &'a Job<'a>,
    query: &'a AccountQuery<'a>,
    progress: &'a Progress,
}

impl Accounting<'_> {
    /// The time of each location that counts; `None`: all of it does. Collective.
    fn visits(&self) -> Result<Option<Visits>, Stop> {
        let (job, ranks) = (self.job, self.job.ranks());
        let window = self.query.window;
        if window.is_some_and(|window| window.end.is_some_and(|end| end <= window.begin)) {
            return Ok(Some(Visits::default()));
        }
        match &self.query.time {
            CountedTime::All => Ok(None),
            CountedTime::Visits(visits) => {
                Ok(Some(visits.iter().map(|(location, own)| (*location, vec![*own])).collect()))
            }
            CountedTime::Sections(sections) => Ok(Some(sections.clone())),
            CountedTime::Regions(regions) => {
                let kernel = PhaseKernel::new(job.definitions(), regions.clone());
                let found = job.run_watched(&kernel, self.progress)?;
                let found = found.map(|folded| kernel.visits(folded.partial));
                Ok(Some(ranks.broadcast(0, found)?))
            }
        }
    }

    /// The account without start-up; reads the trace again if the account of the whole does not say it. Collective.
    fn main_part(
        &self,
        account: Option<&Account>,
        amount: &mut Amount,
    ) -> Result<Option<Account>, Stop> {
        let visits = account.and_then(|of| of.without_start_up(self.job.definitions()));
        let main = account.zip(visits.as_ref()).and_then(|(of, visits)| of.main_part(visits));
        let missing = visits.filter(|_| main.is_none());
        let ranks = self.job.ranks();
        let is_root = ranks.rank() == 0;
        let Some(visits) = ranks.broadcast(0, is_root.then_some(missing))? else { return Ok(main) };
        let partition = Partition::default().within(visits);
        let found = self.pass(&partition, None, None, &())?;
        Ok(found.map(|found| {
            add_amount(amount, found.amount);
            Account::new(found.partial.0, &partition, None)
        }))
    }

    fn partition(&self, visits: Option<Visits>) -> Partition {
        let bins = self.query.window.map(|window| {
            TimeBins::new(window.begin.0, window.end.map_or(u64::MAX, |end| end.0), 1)
        });
        let partition = bins.map_or_else(Partition::default, Partition::bins);
        match visits {
            Some(visits) => partition.within(visits),
            None => partition,
        }
    }

    /// The parts of the time that the trace says it has, or of the window.
    fn declared(&self, most: u32) -> TimeBins {
        let clock = self.job.definitions().clock.as_ref();
        let (begin, length) =
            clock.map_or((0, 0), |clock| (clock.global_offset, clock.trace_length));
        let end = begin.saturating_add(length);
        let Some(window) = self.query.window else { return TimeBins::new(begin, end, most) };
        let from = window.begin.0.max(begin);
        let to = window.end.map_or(end, |to| to.0.min(end));
        TimeBins::new(from, to.max(from), most)
    }

    /// Reads the trace; the result is on rank 0. Collective.
    fn pass<K: Kernel>(
        &self,
        partition: &Partition,
        rows: Option<&RowsOverTime>,
        overlaps: Option<Arc<Overlaps<'_>>>,
        besides: &K,
    ) -> Result<Read<K>, Stop> {
        let cells = rows.zip(self.query.rows.as_ref()).map(|(of, query)| {
            // Values before a window hold in it.
            let metric = of.metric.clone();
            let metric = metric.map(|watch| match self.query.window {
                Some(window) => watch.within(window),
                None => watch,
            });
            let marked = query.marked.iter().copied().collect();
            CellOptions { rows: &of.rows, bins: of.bins, marked, metric }
        });
        let options = AccountOptions {
            regions_are_system_calls: self.job.trace().source.regions_are_system_calls(),
            cells,
            overlaps,
        };
        let kernel = AccountKernel::new(self.job.definitions(), partition, options);
        self.job.run_watched(&(kernel, besides), self.progress)
    }

    /// Brings together when the streams of devices and the threads of their hosts are busy.
    fn devices(
        &self,
        mail: Exchange,
        spilled: &mut u64,
    ) -> Result<BTreeMap<LocationGroupRef, DeviceBusy>, Stop> {
        let ranks = self.job.ranks();
        let workers = rayon::current_num_threads();
        let mut own = 0;
        let parts = Exchange::sorted_parts([mail], ranks, workers, &mut own)?;
        let of_part = |[part]: [_; 1]| {
            let mut found: BTreeMap<u32, Busy> = BTreeMap::new();
            let tell = |key: Option<u32>, busy: &Busy| {
                key.into_iter().for_each(|key| found.entry(key).or_default().add(busy));
            };
            unite(part, tell).map(|()| found)
        };
        let of_all =
            parts.into_par_iter().map(of_part).try_reduce(BTreeMap::new, |a, b| Ok(added(a, b)));
        let of_all = together(ranks, of_all)?;
        let of_all = ranks.reduce(0, (of_all, own), |a, b| (added(a.0, b.0), a.1 + b.1))?;
        let mut devices: BTreeMap<LocationGroupRef, DeviceBusy> = BTreeMap::new();
        let (of_all, all) = of_all.unwrap_or_default();
        *spilled = all;
        for (key, busy) in of_all {
            let (device, overlap) = Overlap::of_key(key);
            let of = devices.entry(device).or_default();
            match overlap {
                Overlap::WithHost => (of.busy, of.with_host) = (busy.io, busy.both),
                Overlap::OfCopies => {
                    (of.kernels, of.copies, of.both) = (busy.io, busy.compute, busy.both);
                }
                Overlap::OfCommunication => {
                    (of.communication, of.computation) = (busy.io, busy.compute);
                    of.communication_and_computation = busy.both;
                }
            }
        }
        Ok(devices)
    }
}

fn added(mut into: BTreeMap<u32, Busy>, other: BTreeMap<u32, Busy>) -> BTreeMap<u32, Busy> {
    other.into_iter().for_each(|(key, busy)| into.entry(key).or_default().add(&busy));
    into
}
