//! The sums of an account.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::cells::TimeMap;
use super::{Class, Group, Partition, Role, TimeBins, TimeRows, Visits};
use crate::matching::Processes;

/// Ticks by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks([u64; Class::COUNT]);

impl Default for Ticks {
    fn default() -> Self {
        Ticks([0; Class::COUNT])
    }
}

impl Serialize for Ticks {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let all = Class::ALL.iter().map(|class| (*class, self.of(*class)));
        to.collect_seq(all.filter(|(_, ticks)| *ticks > 0).collect::<Vec<_>>())
    }
}

impl<'d> Deserialize<'d> for Ticks {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        let mut ticks = Ticks::default();
        let all = Vec::<(Class, u64)>::deserialize(from)?;
        all.into_iter().for_each(|(class, more)| ticks.add(class, more));
        Ok(ticks)
    }
}

impl Ticks {
    /// Ticks of a class.
    #[inline]
    pub fn of(&self, class: Class) -> u64 {
        self.0[class as usize]
    }

    /// Ticks of a class of the upper level.
    pub fn of_group(&self, group: Group) -> u64 {
        group.classes().iter().fold(0, |sum, class| sum.saturating_add(self.of(*class)))
    }

    /// All ticks.
    pub fn all(&self) -> u64 {
        self.0.iter().fold(0, |sum, ticks| sum.saturating_add(*ticks))
    }

    /// Adds ticks of a class. Sums are capped at the largest number.
    #[inline]
    pub fn add(&mut self, class: Class, ticks: u64) {
        let sum = &mut self.0[class as usize];
        *sum = sum.saturating_add(ticks);
    }

    /// Adds others.
    pub fn add_all(&mut self, other: &Ticks) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }

    /// Moves all ticks of a class to another one.
    fn rename(&mut self, from: Class, to: Class) {
        let ticks = std::mem::take(&mut self.0[from as usize]);
        self.add(to, ticks);
    }

    /// The ticks without others.
    fn without(mut self, other: &Ticks) -> Ticks {
        self.0.iter_mut().zip(other.0).for_each(|(sum, less)| *sum = sum.saturating_sub(less));
        self
    }
}

/// Work of one location in one part of the time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Ticks by class.
    pub ticks: Ticks,
    /// Bytes of messages that were sent, and received.
    pub bytes: [u64; 2],
    /// Bytes that went to files or came from them, by MPI or not.
    pub file_bytes: u64,
    /// Instructions and cycles that were counted in computation.
    pub counted: [u64; 2],
}

impl Work {
    /// Ticks of a class of the upper level.
    pub fn of(&self, group: Group) -> u64 {
        self.ticks.of_group(group)
    }

    /// Ticks of computation.
    pub fn useful(&self) -> u64 {
        self.of(Group::Computation)
    }

    /// All ticks.
    pub fn all(&self) -> u64 {
        self.ticks.all()
    }

    /// Adds other work. Sums are capped at the largest number.
    pub fn add(&mut self, other: &Work) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        self.ticks.add_all(&other.ticks);
        self.bytes.iter_mut().zip(other.bytes).for_each(|(sum, bytes)| add(sum, bytes));
        add(&mut self.file_bytes, other.file_bytes);
        self.counted.iter_mut().zip(other.counted).for_each(|(sum, more)| add(sum, more));
    }
}

/// An edge of the run of a process: when it is, in ticks, and the ticks of the thread that were counted before it.
pub(super) type EdgeMark = Option<(u64, Ticks)>;

/// Work of a location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationAccount {
    /// A thread or a stream.
    pub role: Role,
    /// The first and the last event, in ticks. `None`: there is none.
    pub span: Option<(u64, u64)>,
    /// Events.
    pub events: u64,
    /// Work by part of the time.
    pub parts: Vec<Work>,
    /// The ticks in which it computed, by region, the largest first, as many as are wanted.
    pub regions: Vec<(RegionRef, u64)>,
    /// Set if it visits any region, in all of the time; set if any of these is a region of the program.
    pub(super) visits: (bool, bool),
    /// The last leave of `MPI_Init`, and the first enter of `MPI_Finalize`.
    pub(super) edges: Option<Box<[EdgeMark; 2]>>,
}

/// Numbers of other things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Messages sent.
    pub messages: u64,
    /// Ends of collective operations, one for each member.
    pub collectives: u64,
    /// Transfers to and from remote memory.
    pub transfers: u64,
    /// Operations on files that ended.
    pub io: u64,
    /// Visits that a crossed leave or the end of a stream cut off, and leaves of what was not open.
    pub odd_visits: u64,
}

/// The partial result: what was read of some locations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounts {
    /// Threads and streams.
    pub(super) locations: BTreeMap<LocationRef, LocationAccount>,
    /// Visits of each region that ended, of threads and of streams.
    pub(super) visits: BTreeMap<(RegionRef, Role), u64>,
    /// Own ticks of regions, by the region around them.
    pub(super) places: Places,
    /// Numbers of other things.
    pub(super) counts: Counts,
    /// Rows over time.
    pub(super) map: TimeMap,
    /// Regions that are visited and that nobody defines, with the first location that does.
    pub(super) undefined: BTreeMap<RegionRef, LocationRef>,
}

/// Own ticks by class, region, and the region around it, of all threads and streams.
pub type Places = BTreeMap<(Class, RegionRef, Option<RegionRef>), u128>;

/// Undefined regions that are kept.
const UNDEFINED: usize = 1 << 10;

impl Accounts {
    /// Both together.
    pub(super) fn fold(mut self, other: Accounts) -> Accounts {
        self.locations.extend(other.locations);
        for (region, visits) in other.visits {
            *self.visits.entry(region).or_default() += visits;
        }
        for (place, ticks) in other.places {
            *self.places.entry(place).or_default() += ticks;
        }
        let (sums, more) = (&mut self.counts, other.counts);
        sums.messages += more.messages;
        sums.collectives += more.collectives;
        sums.transfers += more.transfers;
        sums.io += more.io;
        sums.odd_visits += more.odd_visits;
        self.map.fold(other.map);
        other.undefined.into_iter().for_each(|(region, at)| self.miss(region, at));
        self
    }

    /// A region is visited that nobody defines.
    pub(super) fn miss(&mut self, region: RegionRef, location: LocationRef) {
        let at = self.undefined.entry(region).or_insert(location);
        *at = (*at).min(location);
        if self.undefined.len() > UNDEFINED {
            self.undefined.pop_last();
        }
    }

    /// The first and the last event of all threads and streams.
    pub fn span(&self) -> Option<(u64, u64)> {
        let spans = self.locations.values().filter_map(|of| of.span);
        spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

/// The part of the time of a run that counts, in ticks: from here, up to there.
pub type Run = (u64, u64);

/// The threads, or the streams, of a run: how many there are, and their ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many there are.
    pub count: u64,
    /// The ticks of each, if all have as many.
    pub each: Option<u64>,
    /// Ticks by class.
    pub ticks: BTreeMap<Class, u128>,
}

impl Sum {
    fn add(&mut self, ticks: &Ticks) {
        let all = ticks.all();
        self.each = match self.count {
            0 => Some(all),
            _ => self.each.filter(|each| *each == all),
        };
        self.count += 1;
        for class in Class::ALL {
            let more = ticks.of(*class);
            if more > 0 {
                *self.ticks.entry(*class).or_default() += u128::from(more);
            }
        }
    }

    /// All ticks: the whole of which shares are taken.
    pub fn total(&self) -> u128 {
        self.ticks.values().sum()
    }

    /// Ticks of a class.
    pub fn of(&self, class: Class) -> u128 {
        self.ticks.get(&class).copied().unwrap_or(0)
    }

    /// Ticks of a class of the upper level.
    pub fn of_group(&self, group: Group) -> u128 {
        group.classes().iter().map(|class| self.of(*class)).sum()
    }

    /// The classes of the upper level that have time.
    pub fn groups(&self) -> impl Iterator<Item = (Group, u128)> + '_ {
        let all = Group::ALL.iter().map(|group| (*group, self.of_group(*group)));
        all.filter(|(_, ticks)| *ticks > 0)
    }
}

/// The account of a run, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The part of the time that counts, between the first and the last event of all.
    pub run: Run,
    /// Threads and streams that have events.
    pub locations: BTreeMap<LocationRef, LocationAccount>,
    /// Visits of each region that ended, of threads and of streams.
    pub visits: BTreeMap<(RegionRef, Role), u64>,
    /// Own ticks of regions, by the region around them.
    pub places: Places,
    /// Numbers of other things.
    pub counts: Counts,
    /// Rows over time, if they are wanted.
    pub map: TimeMap,
    /// Set if time in which no region is open counts as computation.
    pub assumed: bool,
    /// Regions that are visited and that nobody defines.
    pub undefined: BTreeMap<RegionRef, LocationRef>,
}

impl Account {
    /// The account of what was read, in a partition of the time. `rows`: the rows over time and their parts.
    pub fn new(
        found: Accounts,
        partition: &Partition,
        rows: Option<(&TimeRows, TimeBins)>,
    ) -> Account {
        let span = found.span().unwrap_or((0, 0));
        let run = partition.within_run(span);
        let Accounts { mut locations, visits, places, counts, mut map, undefined } = found;
        let threads = || locations.values().filter(|of| of.role == Role::Thread);
        let assumed = threads().any(|of| of.visits.0) && !threads().any(|of| of.visits.1);
        for (location, of) in &mut locations {
            let Some((first, last)) = of.span else { continue };
            let [before, behind] = match of.role {
                Role::Stream => [Class::AnyIdle; 2],
                _ => [Class::NotBegun, Class::Ended],
            };
            let counted = partition.visits(*location);
            for (class, times) in [(before, (run.0, first)), (behind, (last, run.1))] {
                let row = rows.and_then(|(rows, bins)| Some((rows.of(*location)?, bins)));
                partition.split(counted, &mut 0, times, |part, from, to| {
                    of.parts[part].ticks.add(class, to - from);
                    let Some((row, bins)) = row else { return };
                    let cells = &mut map.rows.entry(row).or_default().cells;
                    for (bin, from, to) in bins.parts(from, to) {
                        if (bin as usize) < cells.len() {
                            cells.spend(bin as usize, class.group(), (to - from, 0));
                        }
                    }
                });
            }
            if assumed && of.role == Role::Thread {
                of.parts
                    .iter_mut()
                    .for_each(|work| work.ticks.rename(Class::NoRegion, Class::Assumed));
            }
        }
        if let Some((rows, _)) = rows.filter(|_| assumed) {
            for (row, of) in &mut map.rows {
                if rows.spans.get(*row as usize).is_some_and(|span| span.accelerator) {
                    continue;
                }
                of.cells.rename(Group::NotRecorded, Group::Computation);
            }
        }
        locations.retain(|_, of| of.span.is_some());
        Account { run, locations, visits, places, counts, map, assumed, undefined }
    }

    /// Own ticks of each region, of threads and of streams: the time of teams that are forked and joined is no part of
    /// them.
    pub fn regions(&self) -> BTreeMap<(RegionRef, Role), u128> {
        let mut sums = BTreeMap::new();
        for ((class, region, _), ticks) in &self.places {
            *sums.entry((*region, class.role())).or_default() += ticks;
        }
        sums
    }

    /// The length of the run, in ticks.
    pub fn elapsed(&self) -> u64 {
        self.run.1.saturating_sub(self.run.0)
    }

    /// All threads, or all streams, in a part of the time.
    pub fn sum(&self, role: Role, part: usize) -> Sum {
        let mut sum = Sum::default();
        let all = self.locations.values().filter(|of| of.role == role);
        all.filter_map(|of| of.parts.get(part)).for_each(|work| sum.add(&work.ticks));
        sum
    }

    /// The time of each location that is no start-up or finalization of its process; `None`: no process has any.
    pub fn without_start_up(&self, definitions: &Definitions) -> Option<Visits> {
        let processes = Processes::new(definitions);
        let mut edges: BTreeMap<_, (u64, u64)> = BTreeMap::new();
        for (location, of) in &self.locations {
            let (Some(process), Some(marks)) = (processes.of(*location), &of.edges) else {
                continue;
            };
            let of = edges.entry(process).or_insert((0, u64::MAX));
            of.0 = of.0.max(marks[0].map_or(0, |(time, _)| time));
            of.1 = of.1.min(marks[1].map_or(u64::MAX, |(time, _)| time));
        }
        if edges.is_empty() {
            return None;
        }
        let all = definitions.locations.keys();
        let visits = all.map(|location| {
            let edges = processes.of(*location).and_then(|process| edges.get(&process));
            (*location, vec![edges.copied().unwrap_or((0, u64::MAX))])
        });
        Some(visits.collect())
    }

    /// The account without start-up and finalization, whose time each location `has` left. `None`: threads other than
    /// those that start and finalize MPI do something meanwhile, so that the trace has to be read for it.
    pub fn main_part(&self, has: &Visits) -> Option<Account> {
        let mut main = self.clone();
        for (location, of) in &mut main.locations {
            let (Some((first, last)), Some(&[(begin, end)])) =
                (of.span, has.get(location).map(Vec::as_slice))
            else {
                continue;
            };
            let Some(work) = of.parts.first_mut() else { continue };
            let whole = work.ticks;
            let marks = of.edges.as_deref().copied().unwrap_or_default();
            let (begin, end) =
                (begin.clamp(self.run.0, self.run.1), end.clamp(self.run.0, self.run.1));
            let before = |mark: EdgeMark| {
                mark.map(|(time, mut ticks)| {
                    if self.assumed {
                        ticks.rename(Class::NoRegion, Class::Assumed);
                    }
                    (time, ticks)
                })
            };
            let [init, finalize] = marks.map(before);
            let absent = |class: [Class; 2], ticks: u64| {
                let mut all = Ticks::default();
                all.add(if of.role == Role::Stream { class[1] } else { class[0] }, ticks);
                all
            };
            let not_begun = [Class::NotBegun, Class::AnyIdle];
            let less = match init {
                _ if begin <= first => absent(not_begun, begin - self.run.0),
                Some((time, mut ticks)) if time == begin => {
                    ticks.add_all(&absent(not_begun, first - self.run.0));
                    ticks
                }
                _ => return None,
            };
            work.ticks = work.ticks.without(&less);
            let less = match finalize {
                _ if end >= last => absent([Class::Ended, Class::AnyIdle], self.run.1 - end),
                Some((time, mut ticks)) if time == end => {
                    ticks.add_all(&absent(not_begun, first - self.run.0));
                    whole.without(&ticks)
                }
                _ => return None,
            };
            work.ticks = work.ticks.without(&less);
        }
        Some(main)
    }
}
