//! A kernel of one's own: the longest visit of each region, and the thread that made it.
//!
//! `cargo run --example own_kernel -- tests/data/pingpong/traces.otf2`, or under mpirun.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use streamfold::drive::{self, Job};
use streamfold::kernels::call_stack::{CallStack, Change, Place};
use streamfold::kernels::Kernel;
use streamfold::model::ids::{LocationRef, RegionRef};
use streamfold::model::stream::{EventSet, StreamSummary};
use streamfold::{Event, EventHead, EventVisitor};

/// For each region its longest visit, in ticks, and where; of equal ones that of the largest location.
type Longest = BTreeMap<RegionRef, (u64, u64)>;

struct LongestVisits;

struct Scan<'w> {
    stack: CallStack,
    longest: &'w mut Longest,
}

impl EventVisitor for Scan<'_> {
    const WANTS: EventSet = CallStack::WANTS;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.stack.take(head, &event, |change| {
            let Change::End { path, inclusive, .. } = change else { return };
            if let Some(Place::Region(region)) = path.last().map(|visit| visit.place) {
                let longest = self.longest.entry(region).or_default();
                *longest = (inclusive, head.location.0).max(*longest);
            }
        });
    }
}

impl Kernel for LongestVisits {
    type Worker = Longest;
    type Scan<'w> = Scan<'w>;
    type Partial = Longest;

    fn worker(&self) -> Longest {
        Longest::new()
    }

    fn scan<'w>(&'w self, longest: &'w mut Longest, _: LocationRef) -> Scan<'w> {
        Scan { stack: CallStack::default(), longest }
    }

    fn end(&self, _: Scan<'_>, _: &StreamSummary) {}

    fn partial(&self, longest: Longest) -> Longest {
        longest
    }

    fn fold(&self, mut into: Longest, other: Longest) -> Longest {
        other.into_iter().for_each(|(region, visit)| {
            let longest = into.entry(region).or_default();
            *longest = visit.max(*longest);
        });
        into
    }
}

fn main() -> ExitCode {
    drive::main(|ranks| {
        let path = std::env::args().nth(1).ok_or("usage: own_kernel TRACE")?;
        let job = Job::open(ranks, Path::new(&path))?;
        let Some(done) = job.run(&LongestVisits)? else { return Ok(()) };
        for (region, (ticks, location)) in &done.partial {
            let name = job.definitions().region_name(*region).unwrap_or_default();
            println!("{ticks:>15} ticks at location {location:<5} {name}");
        }
        Ok(done.conclude()?)
    })
}
