//! Non-blocking operations of MPI: for how much of the time from their post to their completion their thread computes.
//!
//! # Rules
//!
//! * An operation is posted by `MpiIsend`, `MpiIrecvRequest`, `MpiImrecvRequest` or `NonBlockingCollectiveRequest`. It is
//!   completed by the next `MpiIsendComplete`, `MpiIrecv`, `MpiImrecv` or `NonBlockingCollectiveComplete` with its number
//!   at the same location. In between it is in flight.
//! * The time in flight has the classes of the [account](crate::account) of the thread that posts it: computation, calls
//!   of MPI, and others.
//! * An operation counts if any of that is in the time that counts, with this part.
//! * An operation that is cancelled, never completed, or completed by another thread does not count. It is over when its
//!   number is posted again.
//! * A thread has operations in flight while any of those is posted that were not completed or cancelled up to then. Those
//!   that never are last up to the last event.

use std::collections::BTreeMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use crate::account::{
    Account, AccountKernel, AccountOptions, AccountScan, AccountWorker, Accounts, Class, Group,
    Partition, Ticks,
};
use crate::call_stack::Place;
use crate::Kernel;

/// Operations that are followed at a time, of a location. Further ones are counted only.
pub const MOST_OPEN: usize = 1 << 18;

/// Call paths that have sums of their own, the smallest ones by their regions.
pub const MOST_PATHS: usize = 1 << 14;

/// Regions of a call path that are kept, the innermost ones.
pub const MOST_REGIONS: usize = 64;

/// Kind of a non-blocking operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operation {
    /// A message is sent.
    Send,
    /// A message is received.
    Receive,
    /// A collective operation.
    Collective,
}

impl Operation {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Send => "send",
            Operation::Receive => "receive",
            Operation::Collective => "collective",
        }
    }
}

/// Ticks of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlightTicks {
    /// All of them.
    pub all: u128,
    /// Those of computation.
    pub computing: u128,
    /// Those of calls of MPI.
    pub mpi: u128,
    /// Those in which no region is open.
    pub not_recorded: u128,
}

impl FlightTicks {
    fn of(ticks: &Ticks) -> Self {
        let of = |group| u128::from(ticks.of_group(group));
        FlightTicks {
            all: ticks.all().into(),
            computing: of(Group::Computation),
            mpi: of(Group::Mpi),
            not_recorded: ticks.of(Class::NoRegion).into(),
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: &FlightTicks) {
        self.all += other.all;
        self.computing += other.computing;
        self.mpi += other.mpi;
        self.not_recorded += other.not_recorded;
    }

    fn since(&self, before: &FlightTicks) -> Self {
        FlightTicks {
            all: self.all - before.all,
            computing: self.computing - before.computing,
            mpi: self.mpi - before.mpi,
            not_recorded: self.not_recorded - before.not_recorded,
        }
    }

    /// Time without a region counts as computation, see [`Account::assumed`].
    fn assume(&mut self) {
        self.computing += std::mem::take(&mut self.not_recorded);
    }

    /// Those of neither computation nor MPI.
    pub fn others(&self) -> u128 {
        self.all - self.computing - self.mpi
    }

    /// Those that no computation covers.
    pub fn exposed(&self) -> u128 {
        self.all - self.computing
    }
}

/// Operations that were completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flights {
    /// How many.
    pub operations: u64,
    /// The sum of the times in which each is in flight.
    pub ticks: FlightTicks,
}

impl Flights {
    fn count(&mut self, ticks: &FlightTicks) {
        self.operations += 1;
        self.ticks.add(ticks);
    }

    fn add(&mut self, other: &Flights) {
        self.operations += other.operations;
        self.ticks.add(&other.ticks);
    }
}

/// Operations of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadFlights {
    /// Each for itself.
    pub flights: Flights,
    /// The time in which any is in flight.
    pub any: FlightTicks,
}

/// Call path that posts operations of a kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PostSite {
    /// Its regions, the outermost first.
    pub path: Vec<RegionRef>,
    /// Set if there are further regions around these.
    pub is_deeper: bool,
    /// The kind.
    pub operation: Operation,
}

/// The partial result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFlight {
    /// Threads that post any operation.
    pub threads: BTreeMap<LocationRef, ThreadFlights>,
    /// By the call path of the post.
    pub sites: BTreeMap<PostSite, Flights>,
    /// Those of all further call paths.
    pub rest: Flights,
    /// Operations that were never completed by the thread that posted them.
    pub open: u64,
    /// Completions of operations that the thread did not post.
    pub unposted: u64,
    /// Operations that were cancelled.
    pub cancelled: u64,
    /// Operations beyond those that are followed.
    pub untracked: u64,
    /// The account of the same time.
    pub accounts: Accounts,
}

impl InFlight {
    fn count(&mut self, site: PostSite, flights: &Flights) {
        self.sites.entry(site).or_default().add(flights);
        if self.sites.len() > MOST_PATHS {
            if let Some((_, flights)) = self.sites.pop_last() {
                self.rest.add(&flights);
            }
        }
    }

    /// All has been read: time without a region counts as the account of the trace says, which is returned.
    pub fn settle(&mut self, partition: &Partition) -> Account {
        let account = Account::new(std::mem::take(&mut self.accounts), partition, None);
        if account.assumed {
            for of in self.threads.values_mut() {
                of.flights.ticks.assume();
                of.any.assume();
            }
            self.sites.values_mut().for_each(|of| of.ticks.assume());
            self.rest.ticks.assume();
        }
        account
    }
}

/// Follows operations of MPI that do not block.
#[derive(Debug)]
pub struct InFlightKernel<'k> {
    account: AccountKernel<'k>,
    /// The time that counts, from here, up to, not at, there.
    counted: (u64, u64),
}

impl<'k> InFlightKernel<'k> {
    /// Given the definitions that references lead to, and the time that counts: one part.
    pub fn new(definitions: &'k Definitions, partition: &'k Partition) -> Self {
        let account = AccountKernel::new(definitions, partition, AccountOptions::default());
        InFlightKernel { account, counted: partition.within_run((0, u64::MAX)) }
    }
}

/// The state of a worker.
#[derive(Debug)]
pub struct InFlightWorker<'k> {
    found: InFlight,
    account: AccountWorker<'k>,
}

/// An operation in flight.
#[derive(Debug)]
struct Open {
    site: PostSite,
    time: u64,
    before: FlightTicks,
}

/// Set for collective operations, and the number of the request.
type Number = (bool, u64);

/// Receives the events of a location.
#[derive(Debug)]
pub struct InFlightScan<'w, 'k> {
    kernel: &'w InFlightKernel<'k>,
    found: &'w mut InFlight,
    account: AccountScan<'w, 'k>,
    location: LocationRef,
    open: indexmap::IndexMap<Number, Open, RandomState>,
    /// When the first of those in flight was posted.
    since: FlightTicks,
    own: ThreadFlights,
    posts: bool,
    now: u64,
}

impl InFlightScan<'_, '_> {
    fn post(&mut self, operation: Operation, number: u64) {
        let key = (operation == Operation::Collective, number);
        self.posts = true;
        if self.open.len() >= MOST_OPEN && !self.open.contains_key(&key) {
            self.found.untracked += 1;
            return;
        }
        let before = FlightTicks::of(self.account.ticks());
        if self.open.is_empty() {
            self.since = before;
        }
        let regions = self.account.open().iter().rev().filter_map(|visit| match visit.place {
            Place::Region(region) => Some(region),
            Place::Off => None,
        });
        let mut path: Vec<RegionRef> = regions.take(MOST_REGIONS + 1).collect();
        let is_deeper = path.len() > MOST_REGIONS;
        path.truncate(MOST_REGIONS);
        path.reverse();
        let site = PostSite { path, is_deeper, operation };
        let lost = self.open.insert(key, Open { site, time: self.now, before });
        self.found.open += u64::from(lost.is_some());
    }

    /// Ends an operation.
    fn take(&mut self, key: Number) -> Option<(Open, FlightTicks)> {
        let open = self.open.swap_remove(&key)?;
        let ticks = FlightTicks::of(self.account.ticks());
        if self.open.is_empty() {
            self.own.any.add(&ticks.since(&self.since));
        }
        let flight = ticks.since(&open.before);
        Some((open, flight))
    }

    fn complete(&mut self, operation: Operation, number: u64) {
        let key = (operation == Operation::Collective, number);
        if self.open.get(&key).is_none_or(|open| open.site.operation != operation) {
            self.found.unposted += 1;
            return;
        }
        let Some((Open { site, time, .. }, ticks)) = self.take(key) else { return };
        let (begin, end) = self.kernel.counted;
        if time < end && self.now >= begin {
            self.own.flights.count(&ticks);
            self.found.count(site, &Flights { operations: 1, ticks });
        }
    }

    fn cancel(&mut self, number: u64) {
        if self.take((false, number)).or_else(|| self.take((true, number))).is_some() {
            self.found.cancelled += 1;
        }
    }
}

impl EventVisitor for InFlightScan<'_, '_> {
    const WANTS: EventSet = <AccountScan<'_, '_> as EventVisitor>::WANTS.and(EventSet::of(&[
        EventKind::MpiIsend,
        EventKind::MpiIsendComplete,
        EventKind::MpiIrecvRequest,
        EventKind::MpiIrecv,
        EventKind::MpiImrecvRequest,
        EventKind::MpiImrecv,
        EventKind::NonBlockingCollectiveRequest,
        EventKind::NonBlockingCollectiveComplete,
        EventKind::MpiRequestCancelled,
    ]));

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.now = self.now.max(head.time.0);
        self.account.event(head, event);
        match event {
            Event::MpiIsend(of) => self.post(Operation::Send, of.request_id),
            Event::MpiIrecvRequest(of) => self.post(Operation::Receive, of.request_id),
            Event::MpiImrecvRequest(of) => self.post(Operation::Receive, of.request_id),
            Event::NonBlockingCollectiveRequest(of) => {
                self.post(Operation::Collective, of.request_id);
            }
            Event::MpiIsendComplete(of) => self.complete(Operation::Send, of.request_id),
            Event::MpiIrecv(of) => self.complete(Operation::Receive, of.request_id),
            Event::MpiImrecv(of) => self.complete(Operation::Receive, of.request_id),
            Event::NonBlockingCollectiveComplete(of) => {
                self.complete(Operation::Collective, of.request_id);
            }
            Event::MpiRequestCancelled(of) => self.cancel(of.request_id),
            _ => {}
        }
    }
}

impl<'k> Kernel for InFlightKernel<'k> {
    type Worker = InFlightWorker<'k>;
    type Scan<'w>
        = InFlightScan<'w, 'k>
    where
        Self: 'w;
    type Partial = InFlight;

    fn worker(&self) -> InFlightWorker<'k> {
        InFlightWorker { found: InFlight::default(), account: self.account.worker() }
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut InFlightWorker<'k>,
        location: LocationRef,
    ) -> InFlightScan<'w, 'k> {
        let InFlightWorker { found, account } = worker;
        let account = self.account.scan(account, location);
        let (open, since, own, posts, now) = Default::default();
        InFlightScan { kernel: self, found, account, location, open, since, own, posts, now }
    }

    fn end<'w>(&'w self, scan: InFlightScan<'w, 'k>, summary: &StreamSummary) {
        let InFlightScan { found, account, location, open, since, mut own, posts, .. } = scan;
        found.open += open.len() as u64;
        if !open.is_empty() {
            own.any.add(&FlightTicks::of(account.ticks()).since(&since));
        }
        if posts {
            found.threads.insert(location, own);
        }
        self.account.end(account, summary);
    }

    fn partial(&self, worker: InFlightWorker<'k>) -> InFlight {
        let InFlightWorker { mut found, account } = worker;
        found.accounts = self.account.partial(account);
        found
    }

    fn fold(&self, mut into: InFlight, other: InFlight) -> InFlight {
        for (site, flights) in other.sites {
            into.count(site, &flights);
        }
        into.rest.add(&other.rest);
        into.threads.extend(other.threads);
        into.open += other.open;
        into.unposted += other.unposted;
        into.cancelled += other.cancelled;
        into.untracked += other.untracked;
        into.accounts = self.account.fold(into.accounts, other.accounts);
        into
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use streamfold_model::definitions::{Definition, Location, LocationGroup, Region};
    use streamfold_model::enums::{
        LocationGroupType, LocationType, Paradigm, RegionFlag, RegionRole,
    };
    use streamfold_model::events::*;
    use streamfold_model::ids::{CommRef, LocationGroupRef, StringRef, SystemTreeNodeRef};
    use streamfold_model::values::Ticks as Time;

    use super::*;
    use crate::account::TimeBins;

    const MAIN: u32 = 1;
    const WAIT: u32 = 2;
    const BARRIER: u32 = 3;

    /// Two processes with a thread each.
    fn definitions() -> Definitions {
        let mut all = Definitions::default();
        for (id, name) in (0..).zip(["", "main", "MPI_Wait", "barrier"]) {
            all.strings.insert(StringRef(id), name.into());
        }
        for id in 0..2 {
            all.insert(Definition::LocationGroup(LocationGroup {
                id: LocationGroupRef(id),
                name: StringRef(0),
                location_group_type: LocationGroupType::Process,
                system_tree_parent: SystemTreeNodeRef(0),
                creating_location_group: LocationGroupRef::UNDEFINED,
            }));
            all.insert(Definition::Location(Location {
                id: LocationRef(id.into()),
                name: StringRef(0),
                location_type: LocationType::CpuThread,
                number_of_events: 0,
                location_group: LocationGroupRef(id),
            }));
        }
        for (id, paradigm, region_role) in [
            (MAIN, Paradigm::User, RegionRole::Function),
            (WAIT, Paradigm::Mpi, RegionRole::Point2point),
            (BARRIER, Paradigm::Openmp, RegionRole::Barrier),
        ] {
            all.insert(Definition::Region(Region {
                id: RegionRef(id),
                name: StringRef(id),
                canonical_name: StringRef(id),
                description: StringRef(0),
                region_role,
                paradigm,
                region_flags: RegionFlag::NONE,
                source_file: StringRef(0),
                begin_line_number: 0,
                end_line_number: 0,
            }));
        }
        all
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Enter(u32),
        Leave(u32),
        Post(Operation, u64),
        Complete(Operation, u64),
        Cancel(u64),
    }

    type Steps = Vec<(u64, Step)>;

    fn event(step: Step) -> Event<'static> {
        let (communicator, msg_tag, msg_length) = (CommRef(0), 0, 8);
        match step {
            Step::Enter(region) => Event::Enter(Enter { region: RegionRef(region) }),
            Step::Leave(region) => Event::Leave(Leave { region: RegionRef(region) }),
            Step::Post(Operation::Send, request_id) => Event::MpiIsend(MpiIsend {
                receiver: 0,
                communicator,
                msg_tag,
                msg_length,
                request_id,
            }),
            Step::Post(Operation::Receive, request_id) => {
                Event::MpiIrecvRequest(MpiIrecvRequest { request_id })
            }
            Step::Post(Operation::Collective, request_id) => {
                Event::NonBlockingCollectiveRequest(NonBlockingCollectiveRequest { request_id })
            }
            Step::Complete(Operation::Send, request_id) => {
                Event::MpiIsendComplete(MpiIsendComplete { request_id })
            }
            Step::Complete(Operation::Receive, request_id) => Event::MpiIrecv(MpiIrecv {
                sender: 0,
                communicator,
                msg_tag,
                msg_length,
                request_id,
            }),
            Step::Complete(Operation::Collective, request_id) => {
                Event::NonBlockingCollectiveComplete(NonBlockingCollectiveComplete {
                    collective_op: streamfold_model::enums::CollectiveOp::Bcast,
                    communicator,
                    root: 0,
                    size_sent: 0,
                    size_received: 0,
                    request_id,
                })
            }
            Step::Cancel(request_id) => {
                Event::MpiRequestCancelled(MpiRequestCancelled { request_id })
            }
        }
    }

    fn found(streams: &[Steps], partition: &Partition) -> InFlight {
        let definitions = definitions();
        let kernel = InFlightKernel::new(&definitions, partition);
        let partial = |(location, steps): (u64, &Steps)| {
            let mut worker = kernel.worker();
            let location = LocationRef(location);
            let mut scan = kernel.scan(&mut worker, location);
            let (mut time, mut first) = (0, None);
            for (number, (after, step)) in (1..).zip(steps) {
                time += after;
                first.get_or_insert(Time(time));
                let head = EventHead { location, number, time: Time(time), attributes: &[] };
                scan.event(&head, event(*step));
            }
            let (events, last) = (steps.len() as u64, first.map(|_| Time(time)));
            kernel.end(scan, &StreamSummary { events, first, last, ..StreamSummary::default() });
            kernel.partial(worker)
        };
        let fold = |a, b| kernel.fold(a, b);
        let forward = (0..).zip(streams).map(partial).reduce(fold).expect("one");
        let backward = (0..).zip(streams).map(partial).reduce(|a, b| fold(b, a)).expect("one");
        assert_eq!(forward, backward);
        let mut found = forward;
        found.settle(partition);
        found
    }

    /// Sums of operations, of call paths, of the time with any in flight, and what is not complete.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct Slow {
        operations: BTreeMap<u64, (u64, [u128; 3])>,
        sites: BTreeMap<(Vec<u32>, Operation), (u64, [u128; 3])>,
        any: BTreeMap<u64, [u128; 3]>,
        counts: [u64; 3],
    }

    /// The same with the class of each tick.
    fn slow(streams: &[Steps], counted: (u64, u64)) -> Slow {
        let mut all = Slow::default();
        let enters = |region: Option<u32>| {
            let is = move |step: &Step| matches!(step, Step::Enter(of) if region.is_none_or(|r| r == *of));
            streams.iter().flatten().any(|(_, step)| is(step))
        };
        let assumed = enters(None) && !enters(Some(MAIN));
        for (location, steps) in (0..).zip(streams) {
            let (mut stack, mut ticks): (Vec<u32>, Vec<Option<u32>>) = Default::default();
            let mut open: Vec<(Operation, u64, usize, Vec<u32>)> = Vec::new();
            let mut covered: BTreeSet<usize> = BTreeSet::new();
            let (mut posts, mut own) = (false, Vec::new());
            for (after, step) in steps {
                for _ in 0..*after {
                    if !open.is_empty() {
                        covered.insert(ticks.len());
                    }
                    ticks.push(stack.last().copied());
                }
                let now = ticks.len();
                let is = |operation: Operation, number: u64| {
                    let collective = operation == Operation::Collective;
                    move |of: &(Operation, u64, usize, Vec<u32>)| {
                        (of.0 == Operation::Collective, of.1) == (collective, number)
                    }
                };
                match *step {
                    Step::Enter(region) => stack.push(region),
                    Step::Leave(region) => {
                        if let Some(at) = stack.iter().rposition(|of| *of == region) {
                            stack.truncate(at);
                        }
                    }
                    Step::Post(operation, number) => {
                        posts = true;
                        if let Some(at) = open.iter().position(is(operation, number)) {
                            open.remove(at);
                            all.counts[0] += 1;
                        }
                        open.push((operation, number, now, stack.clone()));
                    }
                    Step::Complete(operation, number) => {
                        match open.iter().position(is(operation, number)) {
                            Some(at) if open[at].0 == operation => own.push((open.remove(at), now)),
                            _ => all.counts[1] += 1,
                        }
                    }
                    Step::Cancel(number) => {
                        let at = open.iter().position(is(Operation::Send, number));
                        let at =
                            at.or_else(|| open.iter().position(is(Operation::Collective, number)));
                        if let Some(at) = at {
                            open.remove(at);
                            all.counts[2] += 1;
                        }
                    }
                }
            }
            all.counts[0] += open.len() as u64;
            let class = |tick: usize| match ticks[tick] {
                Some(MAIN) => 1,
                None if assumed => 1,
                Some(WAIT) => 2,
                _ => 0,
            };
            let is_counted = |tick: &usize| (counted.0..counted.1).contains(&(*tick as u64));
            let sums = |of: &mut dyn Iterator<Item = usize>| {
                let mut sums = [0; 3];
                of.filter(is_counted).for_each(|tick| {
                    sums[0] += 1;
                    if class(tick) > 0 {
                        sums[class(tick)] += 1;
                    }
                });
                sums
            };
            let mut flights = (0, [0; 3]);
            for ((operation, _, begin, path), end) in own {
                if begin as u64 >= counted.1 || (end as u64) < counted.0 {
                    continue;
                }
                let ticks = sums(&mut (begin..end));
                for of in [&mut flights, all.sites.entry((path, operation)).or_default()] {
                    of.0 += 1;
                    of.1.iter_mut().zip(ticks).for_each(|(sum, more)| *sum += more);
                }
            }
            if posts {
                all.operations.insert(location, flights);
                all.any.insert(location, sums(&mut covered.into_iter()));
            }
        }
        all
    }

    fn as_slow(found: InFlight) -> Slow {
        let ticks = |of: &FlightTicks| [of.all, of.computing, of.mpi];
        let sums = |of: &Flights| (of.operations, ticks(&of.ticks));
        let sites = found.sites.iter().map(|(site, of)| {
            assert!(!site.is_deeper);
            let path = site.path.iter().map(|region| region.0).collect();
            ((path, site.operation), sums(of))
        });
        Slow {
            operations: found.threads.iter().map(|(at, of)| (at.0, sums(&of.flights))).collect(),
            any: found.threads.iter().map(|(at, of)| (at.0, ticks(&of.any))).collect(),
            sites: sites.collect(),
            counts: [found.open, found.unposted, found.cancelled],
        }
    }

    fn step() -> impl Strategy<Value = Step> {
        let operation = || {
            prop_oneof![
                Just(Operation::Send),
                Just(Operation::Receive),
                Just(Operation::Collective)
            ]
        };
        prop_oneof![
            4 => prop_oneof![2 => Just(MAIN), 2 => Just(WAIT), 1 => Just(BARRIER)].prop_map(Step::Enter),
            4 => (1..4u32).prop_map(Step::Leave),
            4 => (operation(), 0..3u64).prop_map(|(of, number)| Step::Post(of, number)),
            4 => (operation(), 0..3u64).prop_map(|(of, number)| Step::Complete(of, number)),
            1 => (0..3u64).prop_map(Step::Cancel),
        ]
    }

    proptest! {
        #[test]
        fn each_tick_says_the_same(
            streams in collection::vec(collection::vec((0..4u64, step()), 0..40), 1..3),
            window in proptest::option::of((0..40u64, 1..40u64)),
        ) {
            let counted = window.map(|(begin, length)| (begin, begin + length));
            let partition = counted.map_or_else(Partition::default, |(begin, end)| {
                Partition::bins(TimeBins::new(begin, end, 1))
            });
            let expected = slow(&streams, counted.unwrap_or((0, u64::MAX)));
            prop_assert_eq!(as_slow(found(&streams, &partition)), expected);
        }
    }

    #[test]
    fn sums_of_further_call_paths_depend_on_no_order() {
        let flights =
            Flights { operations: 1, ticks: FlightTicks { all: 3, ..FlightTicks::default() } };
        let site = |at: u32| PostSite {
            path: vec![RegionRef(at)],
            is_deeper: false,
            operation: Operation::Send,
        };
        let many = MOST_PATHS as u32 + 10;
        let mut of: [InFlight; 2] = Default::default();
        for at in 0..many {
            of[0].count(site(at), &flights);
            of[1].count(site(many - 1 - at), &flights);
        }
        assert_eq!(of[0], of[1]);
        assert_eq!((of[0].sites.len(), of[0].rest.operations), (MOST_PATHS, 10));
    }
}
