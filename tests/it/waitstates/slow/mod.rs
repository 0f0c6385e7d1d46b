//! Wait states in the simplest way: all is held, and looked for from the begin, as the definitions say.

mod collectives;
mod comms;
mod idle;
mod messages;
mod rma;
mod setup;
mod threads;
mod visits;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

pub use comms::members;
pub use idle::idle;
pub use visits::{Location, Task, Visit, Visits};

use crate::waitstates::found::{ByNodes, Violations, Waits};
use crate::waitstates::regions;
use crate::waitstates::trace::{node_of, Trace};

/// What there is to find.
pub struct Found<'a> {
    trace: &'a Trace,
    /// Ticks by metric, location, and number of the visit there.
    pub severities: BTreeMap<(&'static str, u64, usize), u64>,
    pub violations: Violations,
    /// The same by the nodes of cause and effect.
    pub by_nodes: ByNodes,
    pub visits: Visits,
    /// The time that visits have of their own.
    own: BTreeMap<Call, u64>,
    /// What they waited, before it is known how much of it others count.
    claims: BTreeMap<Call, Vec<Claim>>,
    /// Steps from waits to their causes, and from threads of teams to their forks.
    pub edges: Vec<Edge>,
    /// Waits that what ended them came too late for.
    pub impossible: u64,
}

/// The end of a wait: the location that ended it, and when.
type Cause = Option<(u64, u64)>;

/// A location went on when another one had done something.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub location: u64,
    pub end: u64,
    /// The metric of the wait, or `fork`.
    pub kind: &'static str,
    pub cause: u64,
}

impl Edge {
    /// Of those that end at one time at one location, which one leads on.
    pub fn order(&self) -> (usize, u64) {
        let order = ORDER.iter().position(|metric| *metric == self.kind);
        (order.unwrap_or(usize::MAX), self.cause)
    }
}

/// A wait of a call.
struct Claim {
    from: u64,
    metric: &'static str,
    ticks: u64,
    /// Parts of it.
    parts: Vec<(&'static str, u64)>,
    cause: Cause,
}

/// Of waits that begin at one time, which one counts first.
const ORDER: [&str; 26] = [
    "mpi_init_completion",
    "mpi_finalize_wait",
    "mpi_rma_wait_at_create",
    "mpi_rma_wait_at_free",
    "mpi_barrier_wait",
    "mpi_barrier_completion",
    "mpi_rma_sync_late_post",
    "mpi_rma_early_wait",
    "mpi_rma_wait_at_fence",
    "mpi_rma_sync_lock_competition",
    "mpi_latesender",
    "mpi_latereceiver",
    "mpi_earlyreduce",
    "mpi_earlyscan",
    "mpi_latebroadcast",
    "mpi_wait_nxn",
    "mpi_nxn_completion",
    "mpi_rma_comm_late_post",
    "mpi_rma_comm_lock_competition",
    "omp_ebarrier_wait",
    "omp_ibarrier_wait",
    "omp_lock_contention_critical",
    "omp_lock_contention_api",
    "pthread_join_wait",
    "pthread_lock_contention_mutex_lock",
    "pthread_lock_contention_conditional",
];

/// Finds all.
pub fn analyse(trace: &Trace) -> Found<'_> {
    let visits = Visits::new(trace);
    let (severities, violations, by_nodes) = Default::default();
    let (own, claims) = (visits.own_times(trace), BTreeMap::new());
    let (edges, impossible) = Default::default();
    let mut found =
        Found { trace, severities, violations, by_nodes, visits, own, claims, edges, impossible };
    messages::find(&mut found);
    collectives::find(&mut found);
    setup::find(&mut found);
    threads::find(&mut found);
    rma::find(&mut found);
    for (call, claims) in std::mem::take(&mut found.claims) {
        found.settle(call, claims);
    }
    found
}

impl Found<'_> {
    /// The time that a visit has of its own.
    fn own(&self, call: Call) -> i128 {
        self.own.get(&call).copied().unwrap_or(0).into()
    }

    /// Charges ticks from a time on, if there are any, to a visit of a location: not more than it has of its own.
    /// Returns how many, were they alone.
    fn charge(
        &mut self,
        metric: &'static str,
        call: Call,
        from: u64,
        ticks: i128,
        cause: Cause,
    ) -> i128 {
        self.charge_with(metric, call, from, ticks, Vec::new(), cause)
    }

    /// The same with metrics of parts of it, and their ticks.
    fn charge_with(
        &mut self,
        metric: &'static str,
        call: Call,
        from: u64,
        ticks: i128,
        parts: Vec<(&'static str, i128)>,
        cause: Cause,
    ) -> i128 {
        let ticks = ticks.clamp(0, self.own(call));
        let parts = parts.into_iter().map(|(part, of)| (part, of.clamp(0, ticks) as u64)).collect();
        let claim = Claim { from, metric, ticks: ticks as u64, parts, cause };
        self.claims.entry(call).or_default().push(claim);
        ticks
    }

    /// Of all that a call waited each tick counts once.
    fn settle(&mut self, call: Call, mut claims: Vec<Claim>) {
        let place = |claim: &Claim| {
            let order = ORDER.iter().position(|metric| *metric == claim.metric);
            (claim.from, order, Reverse(claim.ticks))
        };
        claims.sort_by_key(place);
        let mut known: BTreeSet<u64> = BTreeSet::new();
        for claim in claims {
            let new: Vec<u64> =
                (claim.from..claim.from + claim.ticks).filter(|t| !known.contains(t)).collect();
            let left = self.own(call) - self.waited(call);
            let ticks = (new.len() as i128).min(left);
            known.extend(new);
            self.add(claim.metric, call, ticks);
            let is_cause = |(location, _): &(u64, u64)| ticks > 0 && *location != call.0;
            if let Some((location, time)) = claim.cause.filter(is_cause) {
                self.lead(claim.metric, call, (location, time));
            }
            for (part, of_part) in claim.parts {
                self.add(part, call, ticks.min(of_part.into()));
            }
        }
    }

    /// A call waited for what a location did at a time, and was left before that where clocks disagree.
    fn lead(&mut self, kind: &'static str, call: Call, (cause, end): (u64, u64)) {
        match self.visits.leave(call).is_some_and(|leave| end <= leave) {
            true => self.edges.push(Edge { location: call.0, end, kind, cause }),
            false => self.impossible += 1,
        }
    }

    /// How long a call waited, as far as it is known.
    fn waited(&self, (location, visit): Call) -> i128 {
        let of_call = |metric| self.severities.get(&(metric, location, visit)).copied();
        ORDER.iter().filter_map(|metric| of_call(*metric)).map(i128::from).sum()
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

    /// Ticks by metric, region and location.
    pub fn waits(&self) -> Waits {
        self.sums(|ticks| ticks)
    }

    /// How many calls waited, likewise.
    pub fn counts(&self) -> Waits {
        self.sums(|_| 1)
    }

    /// Ticks of waits by call path, without the completion of operations.
    pub fn waits_by_path(&self) -> BTreeMap<String, u64> {
        let mut sums = BTreeMap::new();
        let leads = |metric: &&str| ORDER.contains(metric) && !metric.ends_with("_completion");
        let whole = self.severities.iter().filter(|((metric, ..), _)| leads(metric));
        for ((_, location, visit), ticks) in whole {
            let visits = &self.visits.of(*location).visits;
            let around = |visit: &usize| visits[*visit].parent;
            let names = std::iter::successors(Some(*visit), around);
            let mut names: Vec<_> =
                names.map(|visit| regions::written(&visits[visit].name)).collect();
            names.reverse();
            *sums.entry(names.join(" > ")).or_default() += ticks;
        }
        sums
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
