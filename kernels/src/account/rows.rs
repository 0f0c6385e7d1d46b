//! Rows of a picture, and their locations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::RandomState;
use streamfold_model::definitions::Location;
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::store::Definitions;

use super::Role;
use crate::matching::Processes;

/// The subject of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowOf {
    /// The threads of a process.
    Process(LocationGroupRef),
    /// The streams of an accelerator.
    Accelerator(LocationGroupRef),
    /// A thread or a stream; a process that is one location.
    Location(LocationRef),
}

/// The kind of all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowsBy {
    /// Processes and accelerators.
    #[default]
    Process,
    /// Threads and streams.
    Location,
}

/// A row, or neighbours that share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSpan {
    /// The first one.
    pub first: RowOf,
    /// The last one.
    pub last: RowOf,
    /// How many there are.
    pub count: u32,
    /// Set if these are streams of accelerators.
    pub accelerator: bool,
}

/// All rows, in the order of the definitions: those of processors, then those of accelerators.
#[derive(Clone, Debug, Default)]
pub struct TimeRows {
    /// The processes or locations of each row.
    pub spans: Vec<RowSpan>,
    /// Number of processes or locations of a row, but for the last ones.
    pub shared: u32,
    of: HashMap<LocationRef, u32, RandomState>,
    /// Those of locations that record metrics only: the rows of their groups.
    of_metrics: HashMap<LocationRef, u32, RandomState>,
    /// The first row of each group.
    of_groups: HashMap<LocationGroupRef, u32, RandomState>,
}

impl TimeRows {
    /// Rows of these locations (`None`: all), at most `most` of them.
    pub fn new(
        definitions: &Definitions,
        by: RowsBy,
        only: Option<&BTreeSet<LocationRef>>,
        most: u32,
    ) -> Self {
        let role = |location: &Location| Role::of(definitions, location.id);
        let is_wanted = |location: &&Location| {
            matches!(role(location), Some(Role::Thread | Role::Stream))
                && only.is_none_or(|only| only.contains(&location.id))
        };
        let processes = Processes::new(definitions);
        let mut members: BTreeMap<(bool, usize), (RowOf, Vec<LocationRef>)> = BTreeMap::new();
        for (at, location) in definitions.locations.values().filter(is_wanted).enumerate() {
            let accelerator = role(location) == Some(Role::Stream);
            let (place, of) = match by {
                RowsBy::Location => (at, RowOf::Location(location.id)),
                RowsBy::Process => {
                    let Some(process) = processes.of(location.id) else { continue };
                    let of = match processes.identity(process, definitions) {
                        Ok(group) if accelerator => RowOf::Accelerator(group),
                        Ok(group) => RowOf::Process(group),
                        Err(alone) => RowOf::Location(alone),
                    };
                    (process.0 as usize, of)
                }
            };
            let row = members.entry((accelerator, place)).or_insert((of, Vec::new()));
            row.1.push(location.id);
        }
        let shared = together(members.keys().map(|(accelerator, _)| *accelerator), most);
        let mut rows = TimeRows { shared, ..TimeRows::default() };
        for ((accelerator, _), (of, locations)) in members {
            match rows.spans.last_mut() {
                Some(last) if last.accelerator == accelerator && last.count < shared => {
                    last.last = of;
                    last.count += 1;
                }
                _ => rows.spans.push(RowSpan { first: of, last: of, count: 1, accelerator }),
            }
            let row = rows.spans.len() as u32 - 1;
            rows.of.extend(locations.into_iter().map(|location| (location, row)));
        }
        let group_of = |location: LocationRef| {
            definitions.locations.get(&location).map(|location| location.location_group)
        };
        let mut groups: HashMap<LocationGroupRef, u32, RandomState> = HashMap::default();
        let mut known: Vec<_> = rows.of.iter().collect();
        known.sort_unstable();
        for (location, row) in known {
            group_of(*location).into_iter().for_each(|group| {
                groups.entry(group).or_insert(*row);
            });
        }
        let all = definitions.locations.values();
        let recorders = all.filter(|of| matches!(role(of), Some(Role::Metrics | Role::Process)));
        rows.of_metrics = recorders
            .filter_map(|location| Some((location.id, *groups.get(&location.location_group)?)))
            .collect();
        rows.of_groups = groups;
        rows
    }

    /// Joins neighbours, so that at most so many rows are left. Returns the new row of each row, too.
    pub fn coarser(&self, most: u32) -> (TimeRows, Vec<u32>) {
        let joined = together(self.spans.iter().map(|span| span.accelerator), most);
        let shared = self.shared.saturating_mul(joined);
        let mut spans: Vec<RowSpan> = Vec::new();
        let mut new = Vec::with_capacity(self.spans.len());
        for span in &self.spans {
            match spans.last_mut() {
                Some(last)
                    if last.accelerator == span.accelerator
                        && last.count.saturating_add(span.count) <= shared =>
                {
                    last.last = span.last;
                    last.count += span.count;
                }
                _ => spans.push(*span),
            }
            new.push(spans.len() as u32 - 1);
        }
        let moved = |row: &u32| new.get(*row as usize).copied().unwrap_or(*row);
        let of = self.of.iter().map(|(of, row)| (*of, moved(row))).collect();
        let of_metrics = self.of_metrics.iter().map(|(of, row)| (*of, moved(row))).collect();
        let of_groups = self.of_groups.iter().map(|(of, row)| (*of, moved(row))).collect();
        (TimeRows { spans, shared, of, of_metrics, of_groups }, new)
    }

    /// The first one of a group.
    pub fn of_group(&self, group: LocationGroupRef) -> Option<u32> {
        self.of_groups.get(&group).copied()
    }

    /// That of a location that records metrics only.
    pub fn of_metrics(&self, location: LocationRef) -> Option<u32> {
        self.of_metrics.get(&location).copied()
    }

    /// That of a location.
    pub fn of(&self, location: LocationRef) -> Option<u32> {
        self.of.get(&location).copied()
    }
}

/// How many neighbours share a row, so that there are at most `most` rows: a power of two, as ranks are mostly. Streams
/// of accelerators never share a row with threads.
fn together(is_stream: impl Iterator<Item = bool>, most: u32) -> u32 {
    let mut counts = [0_u32; 2];
    is_stream.for_each(|stream| counts[usize::from(stream)] += 1);
    let rows = |shared: u32| counts.iter().map(|count| count.div_ceil(shared)).sum::<u32>();
    let mut shared = 1_u32;
    while rows(shared) > most.max(2) {
        shared = shared.saturating_mul(2);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::together;

    #[test]
    fn neighbours_share_rows_by_powers_of_two() {
        let of = |threads: usize, streams: usize, most: u32| {
            let all = [vec![false; threads], vec![true; streams]].concat();
            together(all.into_iter(), most)
        };
        assert_eq!([512, 513, 1024, 1025].map(|threads| of(threads, 0, 512)), [1, 2, 2, 4]);
        assert_eq!([of(3, 3, 6), of(3, 3, 5), of(3, 3, 4), of(3, 3, 2)], [1, 2, 2, 4]);
        assert_eq!([of(0, 0, 1), of(1, 1, 0), of(7, 0, 0)], [1, 1, 4]);
    }
}
