//! Kernels by others: what a job hands to a plain kernel is what the profile counts, in archives whose
//! locations define their own regions, with calling contexts, tasks, and windows of time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bstr::BString;
use serde_json::Value;
use streamfold::collective::Solo;
use streamfold::drive::Job;
use streamfold::kernels::call_stack::{CallStack, Change, Place};
use streamfold::kernels::{Kernel, Window};
use streamfold::model::ids::{LocationRef, RegionRef};
use streamfold::model::store::Definitions;
use streamfold::model::stream::{EventSet, StreamSummary};
use streamfold::model::values::Ticks;
use streamfold::{Event, EventHead, EventVisitor};

use crate::common::archives::{large, own, Archive};
use crate::common::program::{finish, said, streamfold, Launcher, LONGEST};
use crate::common::skipped;

/// Inclusive and exclusive ticks of each region.
type Times<R> = BTreeMap<R, (u128, u128)>;

/// Adds up the times of visits.
struct TimesKernel;

struct TimesScan<'w> {
    stack: CallStack,
    times: &'w mut Times<RegionRef>,
}

impl EventVisitor for TimesScan<'_> {
    const WANTS: EventSet = CallStack::WANTS;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.stack.take(head, &event, |change| {
            let Change::End { path, inclusive, exclusive } = change else { return };
            if let Some(Place::Region(region)) = path.last().map(|visit| visit.place) {
                let times = self.times.entry(region).or_default();
                times.0 += u128::from(inclusive);
                times.1 += u128::from(exclusive);
            }
        });
    }
}

impl Kernel for TimesKernel {
    type Worker = Times<RegionRef>;
    type Scan<'w> = TimesScan<'w>;
    type Partial = Times<RegionRef>;

    fn worker(&self) -> Self::Worker {
        Times::new()
    }

    fn scan<'w>(&'w self, times: &'w mut Self::Worker, _: LocationRef) -> TimesScan<'w> {
        TimesScan { stack: CallStack::default(), times }
    }

    fn end(&self, _: TimesScan<'_>, _: &StreamSummary) {}

    fn partial(&self, times: Self::Worker) -> Self::Partial {
        times
    }

    fn fold(&self, mut into: Self::Partial, other: Self::Partial) -> Self::Partial {
        for (region, (inclusive, exclusive)) in other {
            let times = into.entry(region).or_default();
            *times = (times.0 + inclusive, times.1 + exclusive);
        }
        into
    }
}

/// Counts events.
struct CountKernel;

struct CountScan<'w>(&'w mut u64);

impl EventVisitor for CountScan<'_> {
    fn event(&mut self, _: &EventHead<'_>, _: Event<'_>) {
        *self.0 += 1;
    }

    fn unknown(&mut self, _: &EventHead<'_>, _: u8) {
        *self.0 += 1;
    }
}

impl Kernel for CountKernel {
    type Worker = u64;
    type Scan<'w> = CountScan<'w>;
    type Partial = u64;

    fn worker(&self) -> u64 {
        0
    }

    fn scan<'w>(&'w self, count: &'w mut u64, _: LocationRef) -> CountScan<'w> {
        CountScan(count)
    }

    fn end(&self, _: CountScan<'_>, _: &StreamSummary) {}

    fn partial(&self, count: u64) -> u64 {
        count
    }

    fn fold(&self, into: u64, other: u64) -> u64 {
        into + other
    }
}

/// What a region says, as people know it: several may have one name.
fn by_name(times: &Times<RegionRef>, definitions: &Definitions) -> Times<BString> {
    let mut named = Times::new();
    for (region, (inclusive, exclusive)) in times {
        let name = definitions.region_name(*region).map(ToOwned::to_owned);
        let sums: &mut (u128, u128) = named.entry(name.unwrap_or_default()).or_default();
        *sums = (sums.0 + inclusive, sums.1 + exclusive);
    }
    named.retain(|_, times| *times != (0, 0));
    named
}

/// The same from the profile of the program. Exclusive times are without flushes and periods without
/// recording there as here.
fn profile(anchor: &Path, options: &[&str]) -> Times<BString> {
    let run = streamfold(["profile", "-q", "--format", "json"]).args(options).arg(anchor).output();
    let json: Value = serde_json::from_slice(&run.expect("a run").stdout).expect("JSON");
    let mut named = Times::new();
    for row in json["regions"].as_array().expect("rows") {
        if row["kind"] != "region" {
            continue;
        }
        let number = |key: &str| u128::from(row[key].as_u64().expect("a number"));
        let name = row["name"].as_str().unwrap_or_default();
        let sums: &mut (u128, u128) = named.entry(name.into()).or_default();
        *sums = (sums.0 + number("inclusive"), sums.1 + number("exclusive"));
    }
    named.retain(|_, times| *times != (0, 0));
    named
}

/// Archives that can be read, and in which the program buffers no flush: flushes are no visits here.
fn archives() -> Vec<Archive> {
    own().into_iter().chain(large()).collect()
}

fn is_plain(anchor: &Path) -> bool {
    let run = streamfold(["profile", "-q", "--format", "json"]).arg(anchor).output();
    let run = run.expect("a run");
    let Ok(json) = serde_json::from_slice::<Value>(&run.stdout) else { return false };
    let rows = json["regions"].as_array().expect("rows");
    rows.iter().all(|row| row["kind"] != "flush")
}

#[test]
fn a_plain_kernel_gets_what_the_profile_counts() {
    let mut compared = 0;
    for archive in archives().iter().filter(|archive| is_plain(&archive.anchor)) {
        let job = Job::open(&Solo, archive.anchor.as_path()).expect("a trace");
        if ["eztrace-mpi-p2p-coll-intercomm", "scorep3-stencil4d-32"].contains(&&*archive.name) {
            // Its visits that outlive the one around them are dropped by the call stack.
            continue;
        }
        let done = job.run(&TimesKernel).expect("a run").expect("rank 0");
        let here = by_name(&done.partial, job.definitions());
        let there = profile(&archive.anchor, &[]);
        let other = here.iter().find(|(name, times)| there.get(*name) != Some(times));
        assert!(other.is_none(), "{}: {other:?}", archive.name);
        assert_eq!(here.len(), there.len(), "{}", archive.name);
        compared += 1;
    }
    assert!(compared > 3);
}

#[test]
fn a_window_of_time_is_that_of_the_profile() {
    let mut compared = 0;
    for archive in archives().iter().filter(|archive| is_plain(&archive.anchor)) {
        let job = Job::open(&Solo, archive.anchor.as_path()).expect("a trace");
        let Some(clock) = job.definitions().clock.clone() else { continue };
        let (begin, length) = (clock.global_offset, clock.trace_length);
        let [from, to] = [begin + length / 3, begin + length / 2];
        let job = job.window(Window::new(Ticks(from), Some(Ticks(to))));
        let done = job.run(&TimesKernel).expect("a run").expect("rank 0");
        let here = by_name(&done.partial, job.definitions());
        let there = profile(&archive.anchor, &["--time", &from.to_string(), &to.to_string()]);
        let other = here.iter().find(|(name, times)| there.get(*name) != Some(times));
        assert!(other.is_none(), "{}: {other:?}", archive.name);
        assert_eq!(here.len(), there.len(), "{}", archive.name);
        compared += usize::from(!here.is_empty());
    }
    assert!(compared > 3);
}

#[test]
fn two_kernels_in_one_pass_find_what_each_finds_alone() {
    for archive in own() {
        let Ok(job) = Job::open(&Solo, archive.anchor.as_path()) else { continue };
        let both = job.run(&(TimesKernel, CountKernel)).expect("a run").expect("rank 0").partial;
        let times = job.run(&TimesKernel).expect("a run").expect("rank 0").partial;
        let count = job.run(&CountKernel).expect("a run").expect("rank 0");
        assert!(both == (times, count.partial), "{}", archive.name);
        assert_eq!(count.partial, count.amount.events, "{}", archive.name);
    }
}

#[test]
fn chosen_regions_are_those_of_the_profile() {
    let archive = own().into_iter().find(|archive| archive.name == "pingpong").expect("pingpong");
    let is_mpi = |name: &[u8]| name.starts_with(b"MPI_");
    let job = Job::open(&Solo, archive.anchor.as_path()).expect("a trace");
    let job = job.regions(|region, definitions| {
        definitions.string(region.name).is_some_and(|name| is_mpi(name))
    });
    let done = job.run(&TimesKernel).expect("a run").expect("rank 0");
    let here = by_name(&done.partial, job.definitions());
    assert!(here.keys().all(|name| is_mpi(name)));
    assert_eq!(here, profile(&archive.anchor, &["--region", "^MPI_"]));
}

/// One location only, by its number.
#[test]
fn other_locations_are_not_read() {
    let archive = own().into_iter().find(|archive| archive.name == "pingpong").expect("pingpong");
    let job = Job::open(&Solo, archive.anchor.as_path()).expect("a trace").only([LocationRef(1)]);
    let done = job.run(&TimesKernel).expect("a run").expect("rank 0");
    let here = by_name(&done.partial, job.definitions());
    assert_eq!(here, profile(&archive.anchor, &["-L", "1"]));
}

fn example() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_streamfold"));
    let example = program.with_file_name("examples").join("own_kernel");
    if !example.is_file() {
        let build = ["build", "--quiet", "--locked", "--example", "own_kernel"];
        let built = Command::new(env!("CARGO")).args(build).status().expect("cargo runs");
        assert!(built.success(), "the example can be built");
    }
    example
}

#[test]
fn the_example_says_the_same_on_one_rank_and_on_three() {
    let text = include_str!("../../examples/own_kernel.rs");
    assert!(text.lines().count() <= 80, "it is an example of how little it takes");
    let ununified = large().into_iter().filter(|archive| archive.name.contains("ununified"));
    for archive in own().into_iter().filter(|it| it.name == "pingpong").chain(ununified) {
        let alone = Command::new(example()).arg(&archive.anchor).output().expect("it runs");
        assert!(alone.status.success() && !alone.stdout.is_empty(), "{}", said(&alone));
        let Some(launcher) = Launcher::find() else {
            skipped("the example on three ranks, no mpirun found");
            return;
        };
        let mut command = launcher.command(3, &example());
        let three = finish(command.arg(&archive.anchor), LONGEST).expect("it ends");
        assert!(three.status.success(), "{}", said(&three));
        assert_eq!(alone.stdout, three.stdout, "{}", archive.name);
    }
}

#[test]
fn errors_end_the_example_with_the_codes_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let none = folder.path().join("none.otf2");
    let broken = folder.path().join("broken.otf2");
    fs::write(&broken, b"no anchor").expect("a file");
    for (arguments, code) in [(vec![], 1), (vec![none], 4), (vec![broken], 2)] {
        let run = Command::new(example()).args(&arguments).output().expect("it runs");
        assert_eq!(run.status.code(), Some(code), "{arguments:?}: {}", said(&run));
        assert!(said(&run).starts_with("streamfold: "), "{}", said(&run));
    }
}
