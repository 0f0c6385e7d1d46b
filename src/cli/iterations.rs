//! Iterations of a program: visits of a region, from one number up to another.

use std::collections::BTreeMap;
use std::time::Instant;

use clap::ValueHint;
use streamfold_kernels::iterations::{
    IterationRange, Iterations, IterationsKernel, LocationIterations,
};
use streamfold_kernels::Window;
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::store::Definitions;
use streamfold_model::values::Ticks;

use super::regions::regions_of;
use crate::session::Session;
use streamfold_analyses::account::{self, AccountQuery, CountedTime};
use streamfold_drive::{Clocks, Folded, Job};
use streamfold_formats::{Input, ReadOptions};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

/// Which iterations count.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct IterationArgs {
    /// From the begin of visit A of a region up to the end of its visit B only: 5..10, 5.., ..10, 7.
    /// Each process counts its own visits, from 1 on; REGION is a name, or what matches it
    #[arg(long, num_args = 2, value_names = ["REGION", "A..B"], value_hint = ValueHint::Other)]
    #[arg(conflicts_with = "time")]
    #[arg(help_heading = "What is counted")]
    iterations: Vec<String>,
    /// All of the time but start-up and finalization of MPI: of each process from the last leave of MPI_Init up to the
    /// first enter of MPI_Finalize. Those without MPI count as a whole
    #[arg(long, conflicts_with_all = ["iterations", "time"])]
    #[arg(help_heading = "What is counted")]
    without_startup: bool,
}

/// Times of the chosen iterations, by location.
#[derive(Clone, Debug)]
pub(super) struct IterationWindows {
    /// From the enter of the first to the leave of the last; without an end the last is still open.
    pub windows: BTreeMap<LocationRef, Window>,
}

impl IterationWindows {
    /// The time from the first begin to the last end of any location.
    pub(super) fn span(&self) -> Option<Window> {
        Window::around(self.windows.values())
    }

    /// The same times for an account.
    pub(super) fn counted(&self) -> CountedTime {
        let end = |window: &Window| window.end.map_or(u64::MAX, |end| end.0);
        let windows = self.windows.iter();
        CountedTime::Visits(windows.map(|(at, of)| (*at, (of.begin.0, end(of)))).collect())
    }
}

/// `5..10`, `5..`, `..10`, `7`: from 1 on, both included.
fn range(text: &str) -> Result<IterationRange, Failure> {
    let number = |text: &str, otherwise: u64| match text.trim() {
        "" => Some(otherwise),
        text => text.parse().ok().filter(|number| *number > 0),
    };
    let range = match text.split_once("..") {
        Some((first, last)) => number(first, 1).zip(number(last.trim_start_matches('='), u64::MAX)),
        None => text.trim().parse().ok().filter(|one| *one > 0).map(|one| (one, one)),
    };
    match range {
        Some((first, last)) if first <= last => Ok(IterationRange { first, last }),
        _ => {
            let message = format!(
                "{text} is no range of iterations (--iterations): 5..10, 5.., ..10 and 7 are, from 1 on"
            );
            Err(Failure::new(ExitCode::Usage, message))
        }
    }
}

/// Reads a trace for the visits of a region; what was found is on rank 0.
///
/// # Errors
///
/// When the trace has no such region, or cannot be read.
pub(super) fn visits(
    session: &Session<'_>,
    job: &Job<'_>,
    region: &str,
    range: IterationRange,
    with_rows: bool,
) -> Result<Option<Folded<Iterations>>, Stop> {
    let regions = regions_of(job.definitions(), region).map_err(Stop::Together)?;
    let kernel = IterationsKernel::new(regions, range, with_rows);
    session.watch(0, |progress| job.run_watched(&kernel, progress))
}

impl IterationArgs {
    /// The windows of all locations; `None`: all of the time counts. Reads the trace for them. Collective.
    ///
    /// # Errors
    ///
    /// When no process has any of the iterations; and those of [`visits`].
    pub(super) fn windows(
        &self,
        session: &Session<'_>,
        input: Input<'_>,
        clocks: Clocks,
    ) -> Result<Option<IterationWindows>, Stop> {
        if self.without_startup {
            return self.main_part(session, input, clocks);
        }
        let [region, wanted] = &self.iterations[..] else { return Ok(None) };
        let range = range(wanted).map_err(Stop::Together)?;
        let begin = Instant::now();
        let job = open(session, input, clocks)?;
        let found = visits(session, &job, region, range, false)?;
        let found = found.map(|found| found.partial.locations);
        let found = session.ranks.broadcast(0, found)?;
        let windows = of_processes(job.definitions(), &found);
        if windows.is_empty() {
            let most = found.values().map(|own| own.visits).max().unwrap_or(0);
            let most = human::plural(most, "visit");
            let message = format!(
                "no process has iteration {wanted} of {region} (--iterations): the most that one has is {most}"
            );
            return Err(Stop::Together(Failure::new(ExitCode::Usage, message)));
        }
        let processes = found.values().filter(|own| own.begin.is_some()).count() as u64;
        session.say(&format!(
            "streamfold: iterations {wanted} of {region} at {} (found in {:.3} s)",
            human::plural(processes, "thread"),
            begin.elapsed().as_secs_f64()
        ));
        Ok(Some(IterationWindows { windows }))
    }

    /// The time of each process without start-up. Collective.
    fn main_part(
        &self,
        session: &Session<'_>,
        input: Input<'_>,
        clocks: Clocks,
    ) -> Result<Option<IterationWindows>, Stop> {
        let job = open(session, input, clocks)?;
        let query = AccountQuery::default();
        let found = session.watch(0, |progress| account::run(&job, &query, progress))?;
        let found = found.map(|found| found.account.without_start_up(job.definitions()));
        let Some(visits) = session.ranks.broadcast(0, found)? else {
            session.say("streamfold: no process starts or ends MPI: all of the time counts");
            return Ok(None);
        };
        let window = |&(begin, end): &(u64, u64)| {
            Window::new(Ticks(begin), (end < u64::MAX).then_some(Ticks(end)))
        };
        let of = |(location, times): (_, Vec<_>)| Some((location, window(times.first()?)));
        let windows = visits.into_iter().filter_map(of).collect();
        Ok(Some(IterationWindows { windows }))
    }

    /// Returns the option that was given, by its name.
    pub(super) fn told(&self) -> Option<(String, String)> {
        if self.without_startup {
            return Some(("without-startup".to_owned(), "true".to_owned()));
        }
        let [region, range] = &self.iterations[..] else { return None };
        Some(("iterations".to_owned(), format!("{region} {range}")))
    }
}

/// Opens a trace for its visits or its account.
fn open<'s>(session: &'s Session<'_>, input: Input<'_>, clocks: Clocks) -> Result<Job<'s>, Stop> {
    let mut trace = streamfold_drive::open(session.ranks, input, ReadOptions::default())?;
    trace.clocks = clocks;
    let workers = session.threads.count.min(session.common.max_open_files);
    Ok(Job::over(session.ranks, trace)?.workers(workers))
}

/// All locations of a process have the time of the first one that has any of the iterations.
fn of_processes(
    definitions: &Definitions,
    found: &BTreeMap<LocationRef, LocationIterations>,
) -> BTreeMap<LocationRef, Window> {
    let mut groups: BTreeMap<LocationGroupRef, Window> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for location in definitions.locations.values() {
        if let Some(own) = found.get(&location.id).and_then(LocationIterations::window) {
            match definitions.location_groups.contains_key(&location.location_group) {
                true => drop(groups.entry(location.location_group).or_insert(own)),
                false => drop(all.insert(location.id, own)),
            }
        }
    }
    for location in definitions.locations.values() {
        if let Some(own) = groups.get(&location.location_group) {
            all.insert(location.id, *own);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_both_ends() {
        let of = |text: &str| range(text).ok().map(|range| (range.first, range.last));
        assert_eq!(of("5..10"), Some((5, 10)));
        assert_eq!(of("5..=10"), Some((5, 10)));
        assert_eq!(of("5.."), Some((5, u64::MAX)));
        assert_eq!(of("..3"), Some((1, 3)));
        assert_eq!(of("7"), Some((7, 7)));
        for wrong in ["", "0", "0..3", "4..3", "a..b", "1.5", "-1"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
