//! Waits: ticks and places, and the agreement of clocks.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationRef, SystemTreeNodeRef};

use super::call::Call;
use super::culprit::Culprit;
use super::flights::{Flight, Flights};
use super::metric::Metric;
use super::over_time::{WaitBins, WaitsOverTime};
use super::path::PathId;
use crate::matching::{Process, Processes};
use crate::Window;

/// The place of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The metric of the wait.
    pub metric: Metric,
    /// The call path.
    pub path: PathId,
    /// The location that waited.
    pub location: LocationRef,
}

/// Ticks and number of waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waited {
    /// Ticks.
    pub ticks: u128,
    /// Calls in which it was waited.
    pub instances: u64,
}

impl Waited {
    /// Both together.
    pub fn add(&mut self, other: Waited) {
        self.ticks += other.ticks;
        self.instances += other.instances;
    }
}

/// One wait. The longest come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Instance {
    /// How long, in ticks.
    pub ticks: Reverse<u64>,
    /// The location that waited.
    pub location: LocationRef,
    /// The number of the event with which the call was entered.
    pub number: u64,
    /// When it was entered, in ticks.
    pub enter: u64,
    /// When it was left, in ticks; `None`: that was not recorded.
    pub leave: Option<u64>,
    /// Its call path.
    pub path: PathId,
    /// For whom it waited, where one can be named.
    pub culprit: Option<Culprit>,
}

/// How long others waited for one, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blamed {
    /// Ticks, and how many waited.
    pub waited: Waited,
    /// The longest of these waits, in ticks, and who waited: of equal ones the first location.
    pub longest: (u64, Reverse<LocationRef>),
}

impl Default for Blamed {
    fn default() -> Self {
        Blamed { waited: Waited::default(), longest: (0, Reverse(LocationRef::UNDEFINED)) }
    }
}

impl Blamed {
    /// Both together.
    pub fn add(&mut self, other: Blamed) {
        self.waited.add(other.waited);
        self.longest = self.longest.max(other.longest);
    }
}

/// Causes and effects by what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// A send and its receive.
    PointToPoint,
    /// Members of a collective operation.
    Collective,
    /// Threads of a team.
    OpenMp,
    /// Remote memory.
    Rma,
}

/// Effects that came before their causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violations {
    /// How many.
    pub count: u64,
    /// The largest time between both, in ticks.
    pub largest: u64,
}

/// The waits of some locations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Severities {
    /// By metric, call path and location.
    pub of: HashMap<Place, Waited, RandomState>,
    /// By metric, late location, and its call path.
    pub blamed: HashMap<(Metric, LocationRef, PathId), Blamed, RandomState>,
    /// The longest instances of each metric.
    pub worst: BTreeMap<Metric, BTreeSet<Instance>>,
    /// Most instances of each metric that are kept.
    pub keeps: usize,
    /// Messages that were longest on their way, where rows are wanted.
    pub flights: Flights,
    /// Clocks that disagree.
    pub violations: ByClocks,
    /// Numbers of items that were left out, by kind.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Locations in teams, by kind of team.
    pub in_teams: BTreeMap<LocationRef, InTeams>,
    /// By row and part of the time, where these are wanted.
    pub over_time: WaitsOverTime,
    /// The time that counts of each location; `None`: all.
    #[serde(skip)]
    windows: Option<Arc<BTreeMap<LocationRef, Window>>>,
    /// The node of each process, for those who compare.
    #[serde(skip)]
    nodes: Arc<[SystemTreeNodeRef]>,
}

/// In what teams a location is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InTeams {
    /// In one that the first thread of its process leads.
    pub led: bool,
    /// In one that another location forked.
    pub guest: bool,
}

/// Clocks that disagree: what was compared, and the nodes of the cause and of the effect.
pub type ByClocks = BTreeMap<(Kind, SystemTreeNodeRef, SystemTreeNodeRef), Violations>;

/// Items that have no partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LeftOut {
    /// Sends without a receive.
    Sends,
    /// Receives without a send.
    Receives,
    /// Messages over undefined communicators, or with undefined ranks.
    NowhereMessages,
    /// Parts of collective operations on undefined communicators.
    NowhereCollectives,
    /// Operations on undefined windows, or on undefined groups or ranks of them.
    NowhereWindows,
    /// Receives that were posted and never completed.
    OpenReceives,
    /// Receives without a recorded request: taken as posted where they were completed.
    UnpostedReceives,
    /// Requests that were cancelled.
    Cancelled,
    /// Requests and operations on windows that are beyond what is remembered of one location: their completion
    /// is not known.
    Untracked,
    /// Threads and processes at one meeting (a barrier, the begin of all processes) beyond those that are compared.
    Absent,
    /// Collective operations of which members are missing.
    IncompleteCollectives,
    /// Collective operations whose members disagree on what it is, or on the root.
    DisagreeingCollectives,
    /// Collective operations that were requested and not completed.
    OpenCollectives,
    /// Epochs of access to the memory of others without a partner.
    Epochs,
    /// Epochs with more processes than are followed.
    LargeEpochs,
    /// Data was exchanged, and no bytes were recorded: all members are taken to have moved some.
    SizesUnknown,
    /// Waits whose cause came after their end: no path leads over them.
    LateCauses,
}

impl Severities {
    /// None, of these processes; so many instances of each metric are kept.
    pub fn new(keeps: usize, processes: &Processes) -> Self {
        let all = 0..processes.count() as u32;
        let nodes = all.map(|process| processes.node(Process(process))).collect();
        Severities { keeps, nodes, ..Severities::default() }
    }

    /// The same; waits are added up by row and part of the time, too.
    #[must_use]
    pub fn over_time(self, of: Option<Arc<WaitBins>>) -> Self {
        Severities { over_time: WaitsOverTime::new(of), ..self }
    }

    /// The same; so many messages are kept that were longest on their way.
    #[must_use]
    pub fn with_flights(self, keeps: usize) -> Self {
        Severities { flights: Flights::new(keeps), ..self }
    }

    /// None, of the same processes.
    #[must_use]
    pub fn none(&self) -> Self {
        Severities {
            keeps: self.keeps,
            nodes: Arc::clone(&self.nodes),
            over_time: self.over_time.none(),
            flights: Flights::new(self.flights.keeps),
            windows: self.windows.clone(),
            ..Severities::default()
        }
    }

    /// The same; only waits in these windows count, and only the part of them that is in them.
    #[must_use]
    pub fn within(self, windows: Option<Arc<BTreeMap<LocationRef, Window>>>) -> Self {
        Severities { windows, ..self }
    }

    /// Counts a time that a location waited, from one tick on, in its parts of the time. Returns how much of it counts.
    pub(super) fn count(
        &mut self,
        metric: Metric,
        location: LocationRef,
        from: u64,
        ticks: u64,
    ) -> u64 {
        let all = Window::ALL;
        let window = self.windows.as_ref().map_or(Some(all), |of| of.get(&location).copied());
        let Some(Window { begin, end, .. }) = window else { return 0 };
        let until = from.saturating_add(ticks).min(end.map_or(u64::MAX, |end| end.0));
        let from = from.max(begin.0);
        let ticks = until.saturating_sub(from);
        self.over_time.wait(metric, location, from, ticks);
        ticks
    }

    /// Adds a wait of a call, of which so many ticks count: those in the window.
    pub fn wait(
        &mut self,
        metric: Metric,
        location: LocationRef,
        call: &Call,
        ticks: u64,
        culprit: Option<Culprit>,
    ) {
        if ticks == 0 {
            return;
        }
        self.add(Place { metric, path: call.path, location }, ticks, 1);
        let (Call { enter, path, number, .. }, leave) = (*call, call.left());
        let instance =
            Instance { ticks: Reverse(ticks), location, number, enter, leave, path, culprit };
        let worst = self.worst.entry(metric).or_default();
        if worst.len() < self.keeps || worst.last().is_some_and(|last| instance < *last) {
            worst.insert(instance);
            if worst.len() > self.keeps {
                worst.pop_last();
            }
        }
    }

    /// Adds a wait for a culprit.
    pub fn blame(
        &mut self,
        metric: Metric,
        location: LocationRef,
        ticks: u64,
        culprit: Option<Culprit>,
    ) {
        if let Some(culprit) = culprit.filter(|_| ticks > 0) {
            let waited = Waited { ticks: ticks.into(), instances: 1 };
            let longest = (ticks, Reverse(location));
            let of = (metric, culprit.location, culprit.path);
            self.blamed.entry(of).or_default().add(Blamed { waited, longest });
        }
    }

    /// The call paths of all waits, and of those for whom it was.
    pub fn paths(&self) -> HashSet<PathId, RandomState> {
        let worst = self.worst.values().flatten();
        let worst = worst.flat_map(|of| [Some(of.path), of.culprit.map(|culprit| culprit.path)]);
        let waits = self.of.keys().map(|place| place.path);
        waits.chain(self.blamed.keys().map(|of| of.2)).chain(worst.flatten()).collect()
    }

    /// Ticks that are of no call.
    pub fn add(&mut self, place: Place, ticks: u64, instances: u64) {
        if ticks > 0 {
            self.of.entry(place).or_default().add(Waited { ticks: ticks.into(), instances });
        }
    }

    /// An effect that should not be before its cause; the processes of both, and when they were.
    #[inline]
    pub fn check(&mut self, kind: Kind, of: [Process; 2], cause: u64, effect: u64) {
        if cause > effect {
            self.violate(kind, of, cause - effect);
        }
    }

    #[cold]
    fn violate(&mut self, kind: Kind, of: [Process; 2], by: u64) {
        let node = |process: Process| self.nodes.get(process.0 as usize).copied();
        let [cause, effect] = of.map(|of| node(of).unwrap_or(SystemTreeNodeRef::UNDEFINED));
        let found = self.violations.entry((kind, cause, effect)).or_default();
        found.count += 1;
        found.largest = found.largest.max(by);
    }

    /// Adds a message, if it is to be drawn.
    pub(super) fn message(&mut self, flight: impl FnOnce() -> Flight) {
        if self.flights.keeps > 0 {
            let flight = flight();
            if self.over_time.has_message(&flight) {
                self.flights.add(flight);
            }
        }
    }

    /// A location was in teams.
    pub fn in_team(&mut self, location: LocationRef, teams: InTeams) {
        let known = self.in_teams.entry(location).or_default();
        *known = InTeams { led: known.led || teams.led, guest: known.guest || teams.guest };
    }

    /// Threads that are in inner teams only are not idle elsewhere; returns them.
    pub(super) fn forget_inner_threads(&mut self) -> Vec<LocationRef> {
        let inner = self.in_teams.iter().filter(|(_, teams)| !teams.led);
        let inner: Vec<LocationRef> = inner.map(|(location, _)| *location).collect();
        let idle = [Metric::OMP_IDLE_THREADS, Metric::OMP_LIMITED_PARALLELISM];
        self.of.retain(|place, _| {
            !idle.contains(&place.metric) || inner.binary_search(&place.location).is_err()
        });
        inner
    }

    /// Something took no part.
    pub fn leave_out(&mut self, what: LeftOut, count: u64) {
        if count > 0 {
            *self.left_out.entry(what).or_default() += count;
        }
    }

    /// Both together.
    #[must_use]
    pub fn fold(mut self, mut other: Severities) -> Severities {
        if self.of.len() < other.of.len() {
            std::mem::swap(&mut self.of, &mut other.of);
        }
        for (place, waited) in other.of {
            self.of.entry(place).or_default().add(waited);
        }
        for (who, blamed) in other.blamed {
            self.blamed.entry(who).or_default().add(blamed);
        }
        self.keeps = self.keeps.max(other.keeps);
        for (metric, instances) in other.worst {
            let worst = self.worst.entry(metric).or_default();
            worst.extend(instances);
            while worst.len() > self.keeps {
                worst.pop_last();
            }
        }
        self.flights = self.flights.fold(other.flights);
        for (clocks, violations) in other.violations {
            let found = self.violations.entry(clocks).or_default();
            found.count += violations.count;
            found.largest = found.largest.max(violations.largest);
        }
        for (what, count) in other.left_out {
            self.leave_out(what, count);
        }
        for (location, teams) in other.in_teams {
            self.in_team(location, teams);
        }
        self.over_time.add(other.over_time);
        self
    }
}
