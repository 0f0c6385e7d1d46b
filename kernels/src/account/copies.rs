//! Copies between memories that are recorded as transfers: their direction, and those under way.

use std::collections::{HashMap, HashSet, VecDeque};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{GroupRef, LocationRef, RmaWinRef};
use streamfold_model::store::Definitions;

use super::Role;
use crate::matching::{GroupSide, Partners, Process, Processes};

/// From which memory to which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Direction {
    /// From the host to an accelerator.
    HostToDevice,
    /// From an accelerator to the host.
    DeviceToHost,
    /// Between accelerators, or on one.
    DeviceToDevice,
    /// To an accelerator, from an unknown place.
    ToDevice,
    /// From an accelerator, to an unknown place.
    FromDevice,
    /// In an unknown direction.
    Unknown,
}

impl Direction {
    /// How many there are.
    pub(super) const COUNT: usize = Direction::Unknown as usize + 1;

    /// From and to: whether that is an accelerator, where it is known. `None` where neither is one.
    fn of(from: Option<bool>, to: Option<bool>) -> Option<Direction> {
        match (from, to) {
            (Some(true), Some(true)) => Some(Direction::DeviceToDevice),
            (Some(true), Some(false)) => Some(Direction::DeviceToHost),
            (Some(true), None) => Some(Direction::FromDevice),
            (Some(false), Some(true)) => Some(Direction::HostToDevice),
            (None, Some(true)) => Some(Direction::ToDevice),
            _ => None,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Direction::HostToDevice => "host to device",
            Direction::DeviceToHost => "device to host",
            Direction::DeviceToDevice => "device to device",
            Direction::ToDevice => "to device",
            Direction::FromDevice => "from device",
            Direction::Unknown => "unknown",
        }
    }
}

/// Both ends of transfers, by window and rank.
#[derive(Debug, Default)]
pub struct CopyEnds {
    streams: HashSet<LocationRef, RandomState>,
    /// The group that the ranks of a window are in.
    groups: HashMap<RmaWinRef, GroupRef, RandomState>,
    /// The ranks of each of these groups.
    remotes: HashMap<GroupRef, Remotes, RandomState>,
}

/// The ranks of a group.
#[derive(Debug, Default)]
struct Remotes {
    /// How many there are.
    count: u64,
    /// Those that are streams.
    streams: HashSet<u32, RandomState>,
}

impl CopyEnds {
    /// The windows of a trace.
    pub fn new(definitions: &Definitions) -> Self {
        let all = definitions.locations.keys().copied();
        let streams: HashSet<LocationRef, RandomState> =
            all.filter(|location| Role::is_stream(definitions, *location)).collect();
        let mut remotes: HashMap<GroupRef, Remotes, RandomState> = HashMap::default();
        let mut groups = HashMap::default();
        if streams.is_empty() {
            return CopyEnds::default();
        }
        let processes = Processes::new(definitions);
        let partners = Partners::new(definitions, &processes);
        let own = processes.of(LocationRef(0)).unwrap_or(Process(0));
        for win in definitions.rma_wins.keys() {
            let comm = partners.comm_of(*win);
            let Some(comm) = comm.filter(|comm| !partners.has_two_groups(*comm)) else {
                continue;
            };
            let Some(GroupSide::Group(group)) = partners.side(comm, own) else { continue };
            groups.insert(*win, group);
            if remotes.contains_key(&group) {
                continue;
            }
            let count = partners.size(comm).unwrap_or(0);
            let is_stream = |rank: &u32| {
                let location = partners.location(group, (*rank).into());
                location.is_some_and(|location| streams.contains(&location))
            };
            let ranks = 0..u32::try_from(count).unwrap_or(u32::MAX);
            let of = ranks.filter(is_stream).collect();
            remotes.insert(group, Remotes { count, streams: of });
        }
        CopyEnds { streams, groups, remotes }
    }

    /// Returns whether the trace has any stream of an accelerator.
    pub fn has_streams(&self) -> bool {
        !self.streams.is_empty()
    }

    /// The direction of a transfer between a location and a rank of a window; `puts`: towards that rank. `None`: it is
    /// between hosts.
    pub fn direction(
        &self,
        location: LocationRef,
        puts: bool,
        win: RmaWinRef,
        rank: u32,
    ) -> Option<Direction> {
        let own = Some(self.streams.contains(&location));
        let other = self.groups.get(&win).and_then(|group| {
            let remotes = self.remotes.get(group)?;
            (u64::from(rank) < remotes.count).then(|| remotes.streams.contains(&rank))
        });
        match puts {
            true => Direction::of(own, other),
            false => Direction::of(other, own),
        }
    }
}

/// Most copies of a location that are open at a time. The ends of others are not sought.
pub(crate) const MOST_UNDER_WAY: usize = 1 << 16;

/// Copies of a location that have begun and not ended, by window and matching id. Of several the oldest ends first.
#[derive(Debug)]
pub struct CopiesUnderWay<T> {
    open: HashMap<(RmaWinRef, u64), VecDeque<T>, RandomState>,
    count: usize,
}

impl<T> Default for CopiesUnderWay<T> {
    fn default() -> Self {
        CopiesUnderWay { open: HashMap::default(), count: 0 }
    }
}

impl<T> CopiesUnderWay<T> {
    /// A copy begins; returns whether its end is sought.
    pub fn begin(&mut self, copy: (RmaWinRef, u64), of: T) -> bool {
        let has_room = self.count < MOST_UNDER_WAY;
        if has_room {
            self.count += 1;
            self.open.entry(copy).or_default().push_back(of);
        }
        has_room
    }

    /// A copy ends.
    pub fn end(&mut self, copy: (RmaWinRef, u64)) -> Option<T> {
        let waiting = self.open.get_mut(&copy)?;
        let ended = waiting.pop_front();
        if waiting.is_empty() {
            self.open.remove(&copy);
        }
        self.count -= usize::from(ended.is_some());
        ended
    }
}
