//! Wait states in the simplest way: all is held, and looked for from the begin, as the definitions say.

mod collectives;
mod comms;
mod idle;
mod messages;
mod rma;
mod setup;
mod threads;
mod visits;

use std::collections::BTreeMap;

pub use comms::members;
pub use idle::idle;
pub use visits::{Location, Visit, Visits};

use crate::found::{ByNodes, Violations, Waits};
use crate::trace::{node_of, Trace};

/// What there is to find.
pub struct Found<'a> {
    trace: &'a Trace,
    /// Ticks by metric, location, and number of the visit there.
    pub severities: BTreeMap<(&'static str, u64, usize), u64>,
    pub violations: Violations,
    /// The same by the nodes of cause and effect.
    pub by_nodes: ByNodes,
    pub visits: Visits,
    /// The time that visits have of their own, as far as nothing was charged to it.
    left: BTreeMap<Call, u64>,
}

/// Finds all.
pub fn analyse(trace: &Trace) -> Found<'_> {
    let visits = Visits::new(trace);
    let (severities, violations, by_nodes) = Default::default();
    let left = visits.own_times(trace);
    let mut found = Found { trace, severities, violations, by_nodes, visits, left };
    messages::find(&mut found);
    collectives::find(&mut found);
    setup::find(&mut found);
    threads::find(&mut found);
    rma::find(&mut found);
    found
}

impl Found<'_> {
    /// Charges ticks, if there are any, to a visit of a location: not more than it has of its own. Returns
    /// how many.
    fn charge(&mut self, metric: &'static str, call: Call, ticks: i128) -> i128 {
        let left = self.left.get(&call).copied().unwrap_or(0);
        let ticks = ticks.clamp(0, i128::from(left));
        self.left.insert(call, left - ticks as u64);
        self.add(metric, call, ticks);
        ticks
    }

    /// Adds ticks to a visit that are not of its own time, or are part of what was charged.
    fn add(&mut self, metric: &'static str, (location, visit): Call, ticks: i128) {
        if ticks > 0 {
            *self.severities.entry((metric, location, visit)).or_default() += ticks as u64;
        }
    }

    /// Counts a cause that was after its effect, each with its process.
    fn check(&mut self, kind: &str, (cause, causing): (u64, u64), (effect, other): (u64, u64)) {
        if cause > effect {
            let nodes = [causing, other].map(node_of);
            let by_nodes = self.by_nodes.entry((kind.to_owned(), nodes[0], nodes[1]));
            for sum in [self.violations.entry(kind.to_owned()).or_default(), by_nodes.or_default()]
            {
                *sum = (sum.0 + 1, sum.1.max(cause - effect));
            }
        }
    }

    /// Ticks of fork and join that the thread that forks has in the region around.
    pub fn parents(&self) -> BTreeMap<(u64, Option<usize>), i128> {
        idle::parents(self)
    }

    /// Ticks by metric, region and location.
    pub fn waits(&self) -> Waits {
        self.sums(|ticks| ticks)
    }

    /// How many calls waited, likewise.
    pub fn counts(&self) -> Waits {
        self.sums(|_| 1)
    }

    fn sums(&self, of: impl Fn(u64) -> u64) -> Waits {
        let mut sums = Waits::new();
        for ((metric, location, visit), ticks) in &self.severities {
            let region = &self.visits.of(*location).visits[*visit].name;
            let key = ((*metric).to_owned(), region.clone(), *location);
            *sums.entry(key).or_default() += of(*ticks);
        }
        sums
    }
}

/// A visit of a location, by its number there.
type Call = (u64, usize);

/// An event of a location, by its number there.
type Place = (u64, usize);

/// `a − b`, whichever is larger.
fn minus(a: u64, b: u64) -> i128 {
    i128::from(a) - i128::from(b)
}
