//! One clock for archives that have one each.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use streamfold_model::definitions::ClockProperties;

use super::summary::Summary;
use crate::Times;
use streamfold_system::exit::{ExitCode, Failure};

/// Ticks per second of real time stamps.
const NANOSECONDS: u64 = 1_000_000_000;
/// A real time stamp that nobody knows.
const UNKNOWN: u64 = u64::MAX;

/// Common reference of the times of different archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
pub enum Align {
    /// The real time at which each began
    Realtime,
    /// All began at the same time
    Start,
    /// One clock that all of them have read: times stay as they are, but for the resolution
    None,
}

/// Decisions about the clocks.
pub(super) struct Clocks {
    pub align: Align,
    /// True if archives without a real time stamp decided that.
    pub lacks_real_time: bool,
    /// How many runs have parts that were moved against each other, as nothing says that they have read one clock.
    pub apart: u64,
    /// The clock of all.
    pub now: ClockProperties,
    /// Conversion of the times of each archive.
    pub times: Vec<Times>,
}

impl Clocks {
    /// Aligns the clocks: the finest resolution counts, and the first archive keeps its times where none
    /// begins so much before it that times would have to be negative. Those whose clocks say the same, as
    /// those of parts of one run mostly do, become the same. `runs`: of which run each is.
    pub(super) fn align(
        paths: &[PathBuf],
        all: &[Summary],
        runs: &[u32],
        wanted: Option<Align>,
    ) -> Result<Clocks, Failure> {
        let clocks: Vec<&ClockProperties> = all.iter().map(|summary| &summary.clock).collect();
        let without = clocks.iter().position(|clock| clock.realtime_timestamp == UNKNOWN);
        if let (Some(Align::Realtime), Some(without)) = (wanted, without) {
            let path = paths[without].display();
            let text =
                "it has no real time stamp, by which times are to be aligned: --align start or \
                        none does without";
            return Err(Failure::new(ExitCode::Usage, format!("{path}: {text}")));
        }
        let by_itself = if without.is_none() { Align::Realtime } else { Align::Start };
        let align = wanted.unwrap_or(by_itself);
        let resolution = clocks.iter().map(|clock| clock.timer_resolution).max().unwrap_or(1);
        let cut = cut(all, runs);
        let mut apart = 0;
        let begins: Vec<Option<u64>> = match align {
            Align::Realtime => {
                keep_distances(by_real_time(&clocks, resolution), &clocks, &cut, resolution)
            }
            Align::Start if wanted.is_none() => {
                let (begins, moved) = by_runs(&clocks, (runs, &cut), resolution);
                apart = moved;
                begins
            }
            Align::Start => vec![own_begin(clocks[0], resolution); clocks.len()],
            Align::None => clocks.iter().map(|clock| own_begin(clock, resolution)).collect(),
        };
        let mut times = Vec::with_capacity(all.len());
        let mut spans = Vec::with_capacity(all.len());
        for (i, (clock, begin)) in clocks.iter().zip(begins).enumerate() {
            let placed = begin.map(|begin| Times::new(clock, begin, resolution));
            let fitting = placed.and_then(|times| Some((times, span(&times, &all[i].clock)?)));
            let (now, span) = fitting.ok_or_else(|| {
                let text = "together with the others its times do not fit into 64 bits, with";
                let path = paths[i].display();
                let text = format!("{path}: {text} {resolution} ticks per second");
                Failure::new(ExitCode::Trace, text)
            })?;
            times.push(now);
            spans.push(span);
        }
        let end = spans.iter().map(|(_, end)| *end).max().unwrap_or(0);
        let first = (0..spans.len()).min_by_key(|i| spans[*i].0).unwrap_or(0);
        let begin = spans[first].0;
        let now = ClockProperties {
            timer_resolution: resolution,
            global_offset: begin,
            trace_length: end.saturating_sub(begin),
            realtime_timestamp: all[first].clock.realtime_timestamp,
        };
        let lacks_real_time = wanted.is_none() && without.is_some();
        Ok(Clocks { align, lacks_real_time, apart, now, times })
    }
}

/// When an archive begins and ends now; `None`: that, or how far its times move, does not fit into 64 bits.
fn span(times: &Times, clock: &ClockProperties) -> Option<(u64, u64)> {
    let end = clock.global_offset.saturating_add(clock.trace_length);
    let span = (times.corrected(clock.global_offset).ok()?, times.corrected(end).ok()?);
    times.fits().then_some(span)
}

/// When an archive begins, in ticks of another resolution; `None`: too late for 64 bits.
fn own_begin(clock: &ClockProperties, resolution: u64) -> Option<u64> {
    let zero = ClockProperties { global_offset: 0, ..clock.clone() };
    Times::new(&zero, 0, resolution).corrected(clock.global_offset).ok()
}

/// The archives of each run whose parts were cut out of one trace: all of them have its clock.
fn cut(all: &[Summary], runs: &[u32]) -> BTreeMap<u32, Vec<usize>> {
    let mut cut: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let parts = all.iter().enumerate().filter(|(_, summary)| summary.elsewhere.is_some());
    parts.for_each(|(part, _)| cut.entry(runs[part]).or_default().push(part));
    cut
}

/// Of parts that were cut out of one trace the first one begins when it does, and the others as long after or before it as
/// their clock says, to the tick.
fn keep_distances(
    mut begins: Vec<Option<u64>>,
    clocks: &[&ClockProperties],
    cut: &BTreeMap<u32, Vec<usize>>,
    resolution: u64,
) -> Vec<Option<u64>> {
    for parts in cut.values() {
        let own = |part: usize| own_begin(clocks[part], resolution);
        let Some(first) = parts.iter().copied().min_by_key(|part| own(*part)) else { continue };
        for &part in parts {
            let since = || own(part)?.checked_sub(own(first)?);
            begins[part] = since().and_then(|since| begins[first]?.checked_add(since));
        }
    }
    begins
}

/// When archives begin where all runs begin with the first one: parts that have read one clock keep their distance.
/// Returns also how many runs have parts that were moved against each other.
/// `runs`: that of each archive, and those whose parts were cut out of one trace.
fn by_runs(
    clocks: &[&ClockProperties],
    (runs, cut): (&[u32], &BTreeMap<u32, Vec<usize>>),
    resolution: u64,
) -> (Vec<Option<u64>>, u64) {
    let mut by_run: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (archive, run) in runs.iter().enumerate() {
        by_run.entry(*run).or_default().push(archive);
    }
    let own = |archive: usize| own_begin(clocks[archive], resolution);
    let (mut begins, mut apart) = (vec![None; clocks.len()], 0);
    let mut first = own(0);
    for (run, mut parts) in by_run {
        parts.sort_by_key(|part| clocks[*part].global_offset);
        let have_one_clock =
            cut.contains_key(&run) || have_one_clock(parts.iter().map(|part| clocks[*part]));
        let earliest = own(parts[0]);
        if parts.contains(&0) && have_one_clock {
            first = earliest;
        }
        let differ = parts.iter().any(|part| own(*part) != earliest);
        apart += u64::from(differ && !have_one_clock);
        for part in parts {
            let behind = || own(part)?.checked_sub(earliest?);
            let behind = if have_one_clock { behind() } else { Some(0) };
            begins[part] = behind.and_then(|behind| first?.checked_add(behind));
        }
    }
    (begins, apart)
}

/// Returns whether all parts of a run have read one clock, as far as that can be seen. Their resolution is the same,
/// and each begins before the end of those before it. Clocks that count from the boot of their own node are mostly far
/// from each other. `parts`: in the order of their begins.
fn have_one_clock<'a>(parts: impl Iterator<Item = &'a ClockProperties>) -> bool {
    let mut before: Option<(u64, u64)> = None;
    for clock in parts {
        let (resolution, end) = before.unwrap_or((clock.timer_resolution, clock.global_offset));
        if clock.timer_resolution != resolution || clock.global_offset > end {
            return false;
        }
        let own_end = clock.global_offset.saturating_add(clock.trace_length);
        before = Some((resolution, end.max(own_end)));
    }
    true
}

/// When archives begin, as real time stamps tell.
fn by_real_time(clocks: &[&ClockProperties], resolution: u64) -> Vec<Option<u64>> {
    let real = ClockProperties {
        timer_resolution: NANOSECONDS,
        global_offset: 0,
        trace_length: 0,
        realtime_timestamp: 0,
    };
    let ticks = Times::new(&real, 0, resolution);
    let earliest = clocks.iter().map(|clock| clock.realtime_timestamp).min().unwrap_or(0);
    let since = |clock: &ClockProperties| ticks.corrected(clock.realtime_timestamp - earliest).ok();
    let begin = |clock: &ClockProperties| {
        let before_first = since(clocks[0])?;
        let first = own_begin(clocks[0], resolution)?.max(before_first);
        (first - before_first).checked_add(since(clock)?)
    };
    clocks.iter().map(|clock| begin(clock)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(timer_resolution: u64, global_offset: u64, realtime: u64) -> ClockProperties {
        let realtime_timestamp = realtime;
        ClockProperties { timer_resolution, global_offset, trace_length: 10, realtime_timestamp }
    }

    #[test]
    fn archives_begin_when_real_time_says() {
        let (a, b, c) = (clock(1000, 500, 7_000_000), clock(1000, 3, 9_000_000), clock(1000, 0, 0));
        assert_eq!(by_real_time(&[&a, &b], 1000), [Some(500), Some(502)]);
        assert_eq!(by_real_time(&[&a, &b, &c], 1000), [Some(500), Some(502), Some(493)]);
        // The earliest is at 0 at the latest.
        assert_eq!(by_real_time(&[&c, &a], 1000), [Some(0), Some(7)]);
        assert_eq!(by_real_time(&[&b, &c], 1000), [Some(9), Some(0)]);
        assert_eq!(by_real_time(&[&a, &b], 2000), [Some(1000), Some(1004)]);
        // Centuries are too many ticks of a billionth of a nanosecond.
        let d = clock(1000, 0, 1 << 62);
        assert_eq!(by_real_time(&[&c, &d], u64::MAX), [Some(0), None]);
    }

    #[test]
    fn runs_begin_together_and_their_parts_keep_their_distance() {
        let clock =
            |begin, length| ClockProperties { trace_length: length, ..clock(1000, begin, UNKNOWN) };
        let (a, b, c) = (clock(500, 10), clock(508, 10), clock(518, 2));
        let (d, e) = (clock(70, 5), clock(73, 5));
        // The first archive of the run is not its first part.
        let begins = by_runs(&[&b, &d, &a, &e, &c], (&[0, 1, 0, 1, 0], &BTreeMap::new()), 2000);
        let expected = [1016, 1000, 1000, 1006, 1036].map(Some).to_vec();
        assert_eq!(begins, (expected, 0));
        // Nothing was recorded in between.
        let begins = by_runs(&[&a, &c, &d], (&[0, 0, 2], &BTreeMap::new()), 1000);
        assert_eq!(begins, ([500, 500, 500].map(Some).to_vec(), 1));
        // Other ticks.
        let slow = ClockProperties { timer_resolution: 500, ..a.clone() };
        assert_eq!(
            by_runs(&[&a, &slow], (&[0, 0], &BTreeMap::new()), 1000),
            ([500, 500].map(Some).to_vec(), 1)
        );
        // Each is a run.
        let begins = by_runs(&[&a, &b], (&[0, 1], &BTreeMap::new()), 1000);
        assert_eq!(begins, ([500, 500].map(Some).to_vec(), 0));
    }

    #[test]
    fn a_begin_is_scaled() {
        assert_eq!(own_begin(&clock(1000, 501, 0), 2500), Some(1252));
        assert_eq!(own_begin(&clock(1000, 501, 0), 1000), Some(501));
        assert_eq!(own_begin(&clock(1, 1 << 62, 0), 4), None);
    }
}
