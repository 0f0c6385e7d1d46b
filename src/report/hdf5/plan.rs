//! Plan of the matrices: the place of each row, and the rank that writes it.

use std::io;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use streamfold_kernels::profile::Profile;
use streamfold_model::ids::LocationRef;

use super::Job;
use crate::aside::{spool_failed, Entry, Spool, Spools};
use streamfold_system::exit::Stop;

/// Chunks that a rank sends, and that it writes, in a round at most. A row takes 240 bytes in memory,
/// so that what is sent and what is written take 30 MiB each.
const CHUNKS_IN_ROUND: u64 = 4;

/// Places of the rows of a matrix, known to all ranks.
#[derive(Debug)]
pub(super) struct Plan {
    /// In the order of locations, so also of their rows.
    parts: Vec<Part>,
    rows: u64,
}

/// The rows of a location.
#[derive(Clone, Copy, Debug)]
struct Part {
    location: LocationRef,
    rank: usize,
    start: u64,
    rows: u64,
}

impl Part {
    fn range(&self) -> Range<u64> {
        self.start..self.start + self.rows
    }
}

/// Plans of both matrices.
#[derive(Debug)]
pub(super) struct Plans {
    /// Call paths.
    pub paths: Plan,
    /// Metrics on call paths, where any location has any.
    pub metrics: Option<Plan>,
}

impl Plans {
    /// Finds out who has what. Collective.
    pub(super) fn new(job: &Job<'_>, spools: &Spools) -> Result<Plans, Stop> {
        let own = counts(&spools.ended());
        let own = job.agree(own.map_err(spool_failed))?;
        let counts = job.ranks.all_gather(own)?;
        let plan = |rows: fn(&Counts) -> u64| {
            let part = |rank, count: &Counts| Part {
                location: count.location,
                rank,
                start: 0,
                rows: rows(count),
            };
            let ranks = counts.iter().enumerate();
            let parts = ranks.flat_map(|(rank, own)| own.iter().map(move |c| part(rank, c)));
            Plan::of(parts.collect())
        };
        let any = counts.iter().flatten().any(|count| count.metrics > 0);
        Ok(Plans { paths: plan(|count| count.paths), metrics: any.then(|| plan(|c| c.metrics)) })
    }
}

impl Plan {
    fn of(mut parts: Vec<Part>) -> Plan {
        parts.sort_unstable_by_key(|part| part.location);
        let mut rows = 0;
        for part in &mut parts {
            part.start = rows;
            rows += part.rows;
        }
        Plan { parts, rows }
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// The first row of each location, and the end of the last one's.
    pub(super) fn offsets(&self) -> Vec<u64> {
        let starts = self.parts.iter().map(|part| part.start);
        starts.chain([self.rows]).collect()
    }

    /// Returns the row ranges of a rank's locations, in the order of locations.
    pub(super) fn of_rank(&self, rank: usize) -> impl Iterator<Item = Range<u64>> + '_ {
        self.parts.iter().filter(move |part| part.rank == rank).map(Part::range)
    }

    /// Returns whether these are the locations of a profile.
    pub(super) fn fits(&self, profile: &Profile) -> bool {
        let locations = profile.locations.iter().map(|row| row.location);
        locations.eq(self.parts.iter().map(|part| part.location))
    }

    /// The stretches of rows that are written in one round each. They begin and end at chunks, and
    /// no rank has more in one of them than it may send, nor gets more than it may write, where so many write.
    pub(super) fn rounds(&self, ranks: usize, writers: usize, chunk: u64) -> Vec<Range<u64>> {
        let most = CHUNKS_IN_ROUND * chunk;
        let mut rounds = Vec::new();
        let mut sent = vec![0; ranks];
        let mut parts = self.parts.iter().peekable();
        let mut start = 0;
        let mut end = 0;
        while end < self.rows {
            let next = end..(end + chunk).min(self.rows);
            let mut more = Vec::new();
            while let Some(part) = parts.peek().filter(|part| part.start < next.end) {
                let within = overlap(&part.range(), &next);
                more.push((part.rank, within.end - within.start));
                if part.range().end > next.end {
                    break;
                }
                parts.next();
            }
            more.iter().for_each(|(rank, rows)| sent[*rank] += rows);
            let full = more.iter().any(|(rank, _)| sent[*rank] > most);
            if full || next.end - start > most.saturating_mul(writers as u64) {
                rounds.push(start..end);
                start = end;
                sent.fill(0);
                more.iter().for_each(|(rank, rows)| sent[*rank] += rows);
            }
            end = next.end;
        }
        if start < end {
            rounds.push(start..end);
        }
        rounds
    }
}

/// Returns the rows of both stretches. Without a common row the start is behind the end.
pub(super) fn overlap(a: &Range<u64>, b: &Range<u64>) -> Range<u64> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// How many rows a location has.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Counts {
    location: LocationRef,
    paths: u64,
    metrics: u64,
}

/// Those of the locations of this rank.
fn counts(spools: &[Spool]) -> io::Result<Vec<Counts>> {
    if let Some(error) = spools.iter().find_map(|spool| spool.error.as_ref()) {
        return Err(io::Error::new(error.kind(), error.to_string()));
    }
    let entries = spools.iter().flat_map(|spool| &spool.locations);
    let count = |entry: &Entry| Counts {
        location: entry.location,
        paths: entry.paths.rows,
        metrics: entry.metrics.rows,
    };
    Ok(entries.map(count).collect())
}

/// Ranks that write in a round: each writes whole chunks, one after the other.
pub(super) struct Writers {
    /// The rows of the round.
    pub round: Range<u64>,
    /// Rows in a chunk.
    pub chunk: u64,
    /// How many ranks there are.
    pub ranks: u64,
}

impl Writers {
    fn chunks(&self) -> u64 {
        (self.round.end - self.round.start).div_ceil(self.chunk)
    }

    /// Returns the rows that a rank writes; perhaps none.
    pub(super) fn share(&self, rank: usize) -> Range<u64> {
        let begin = |rank: u64| self.round.start + self.chunks() * rank / self.ranks * self.chunk;
        let end = begin(rank as u64 + 1).min(self.round.end);
        begin(rank as u64).min(end)..end
    }

    /// The rank that writes a row, and the end of what it writes.
    pub(super) fn at(&self, row: u64) -> (usize, u64) {
        // The last rank whose share begins at or before the row's chunk.
        let chunk = (row - self.round.start) / self.chunk;
        let rank = ((chunk + 1) * self.ranks - 1) / self.chunks();
        let rank = rank as usize;
        (rank, self.share(rank).end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aside::{MetricCell, PathCell};
    use proptest::prelude::*;

    const SMALL: u64 = 4;

    #[test]
    fn a_row_takes_no_more_than_a_round_counts_on() {
        assert_eq!(size_of::<PathCell>(), 240);
        assert!(size_of::<MetricCell>() <= size_of::<PathCell>());
    }

    proptest! {
        #[test]
        fn rounds_go_through_all_rows_and_overload_nobody(
            locations in prop::collection::vec((0usize..5, 0u64..40), 0..60),
            ranks in 5usize..8,
            alone in any::<bool>(),
        ) {
            let count = if alone { 1 } else { ranks };
            let part = |(i, (rank, rows))| {
                Part { location: LocationRef(i as u64), rank, start: 0, rows }
            };
            let plan = Plan::of(locations.into_iter().enumerate().map(part).collect());
            let mut at = 0;
            for round in plan.rounds(ranks, count, SMALL) {
                prop_assert_eq!(round.start, at);
                at = round.end;
                prop_assert!(at % SMALL == 0 || at == plan.rows);
                for rank in 0..ranks {
                    let own = plan.parts.iter().filter(|part| part.rank == rank);
                    let within = own.map(|part| overlap(&part.range(), &round));
                    let sent: u64 = within.map(|w| w.end.saturating_sub(w.start)).sum();
                    prop_assert!(sent <= CHUNKS_IN_ROUND * SMALL);
                }
                let writers = Writers { round: round.clone(), chunk: SMALL, ranks: count as u64 };
                let mut written = round.start;
                for rank in 0..ranks {
                    let share = writers.share(rank);
                    prop_assert!(share.end - share.start <= CHUNKS_IN_ROUND * SMALL);
                    prop_assert!(share.is_empty() || share.start == written);
                    for row in share.clone() {
                        prop_assert_eq!(writers.at(row), (rank, share.end));
                    }
                    written = written.max(share.end);
                }
                prop_assert_eq!(written, round.end);
            }
            prop_assert_eq!(at, plan.rows);
        }
    }
}
