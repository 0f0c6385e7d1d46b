//! The rows that this rank has, and those that it gets from the others to write them.

use std::ops::Range;

use super::plan::{overlap, Plan, Writers};
use super::Job;
use crate::aside::{spool_failed, Entry, Places, Row, Spool};
use streamfold_system::exit::Stop;

/// The number of the first row, and the rows from there.
type Piece<C> = (u64, Vec<C>);

/// Pieces, with the rank that gets each.
type Pieces<C> = Vec<(usize, Piece<C>)>;

/// The rows of this rank, in the order of the file.
pub(super) struct Source<'a, R: Row> {
    spools: &'a mut [Spool],
    /// For each spool, where its paths are.
    places: &'a [Places<'a>],
    /// Places of the rows: range in the file, spool, entry.
    entries: Vec<(Range<u64>, usize, Entry)>,
    /// The first entry that is not written to its end.
    next: usize,
    /// The rows that were read last, and of which entry: long locations go on in the next round.
    last: Option<(usize, Vec<R::Cell>)>,
}

impl<'a, R: Row> Source<'a, R> {
    pub(super) fn new(
        rank: usize,
        plan: &Plan,
        places: &'a [Places<'a>],
        spools: &'a mut [Spool],
    ) -> Self {
        let mut own: Vec<(usize, Entry)> = Vec::new();
        for (i, spool) in spools.iter().enumerate() {
            own.extend(spool.locations.iter().map(|entry| (i, *entry)));
        }
        own.sort_unstable_by_key(|(_, entry)| entry.location);
        let entries =
            plan.of_rank(rank).zip(own).map(|(range, (spool, entry))| (range, spool, entry));
        let entries = entries.collect();
        Source { spools, places, entries, next: 0, last: None }
    }

    /// The rows in a stretch of the file, each piece for the rank that writes it. Stretches must
    /// come in their order.
    ///
    /// # Errors
    ///
    /// When they cannot be read, or one of them is of a path that is not in the profile.
    fn take(&mut self, writers: &Writers) -> Result<Pieces<R::Cell>, String> {
        let mut pieces = Vec::new();
        while let Some((range, _, _)) = self.entries.get(self.next) {
            let range = range.clone();
            let mut wanted = overlap(&range, &writers.round);
            if wanted.start < wanted.end {
                self.load(self.next)?;
            }
            let cells = self.last.as_ref().map_or(&[][..], |(_, cells)| cells);
            while wanted.start < wanted.end {
                let (rank, end) = writers.at(wanted.start);
                let end = end.min(wanted.end);
                let piece = (wanted.start - range.start) as usize..(end - range.start) as usize;
                pieces.push((rank, (wanted.start, cells[piece].to_vec())));
                wanted.start = end;
            }
            if range.end > writers.round.end {
                break;
            }
            self.next += 1;
        }
        Ok(pieces)
    }

    fn load(&mut self, at: usize) -> Result<(), String> {
        if self.last.as_ref().is_none_or(|(loaded, _)| *loaded != at) {
            let (_, spool, entry) = &self.entries[at];
            let rows = self.spools[*spool].read::<R>(entry).map_err(spool_failed)?;
            self.last = Some((at, self.places[*spool].cells(rows)?));
        }
        Ok(())
    }
}

/// The rows that this rank writes in a round, from all ranks that have some. Collective.
pub(super) fn collect<R: Row>(
    job: &Job<'_>,
    source: &mut Source<'_, R>,
    writers: &Writers,
) -> Result<Vec<R::Cell>, Stop> {
    let pieces = job.agree(source.take(writers))?;
    let mut pieces = job.ranks.exchange(pieces)?;
    pieces.sort_unstable_by_key(|(start, _)| *start);
    Ok(pieces.into_iter().flat_map(|(_, cells)| cells).collect())
}

#[cfg(test)]
mod tests {
    use super::super::plan::Plans;
    use super::*;
    use crate::aside::{Paths, Spools};
    use std::path::Path;
    use streamfold_collective::{team, PieceLimit};
    use streamfold_kernels::profile::{CallTree, LocationPath, PathIndex, Step, Traffic, Visits};
    use streamfold_model::ids::{LocationRef, RegionRef};

    const SMALL: u64 = 4;

    fn row(path: PathIndex, visits: u64) -> LocationPath {
        let visits = Visits { visits, ..Visits::NONE };
        LocationPath { path, visits, traffic: Traffic::default() }
    }

    /// Locations 0 to 39, on ranks and spools without any order, each with some of the paths; its
    /// row of path p counts 1000 l + p visits.
    #[test]
    fn every_row_arrives_at_its_place() {
        const PATHS: u64 = 9;
        let has = |location: u64, path: u64| (location * 7 + path * path) % 5 < 2;
        let index =
            (0..PATHS as u32).map(|path| ((PATHS as u32, Step::Region(RegionRef(path))), path));
        let paths = Paths::of_index(index);
        for size in [1, 2, 3, 5, 8] {
            let written = team::run(size, PieceLimit::DEFAULT, |ranks| {
                let job = Job { path: Path::new("x.h5"), ranks };
                let spools = Spools::new();
                for worker in 0..2 {
                    let mut sink = spools.sink();
                    let mut tree = CallTree::default();
                    // A tree in another order than the profile, so rows have to be sorted.
                    let number = |path| (path * 5 + worker) as u32 % PATHS as u32;
                    let step = |path| Step::Region(RegionRef(number(path)));
                    for path in 0..PATHS {
                        tree.child(PathIndex::ROOT, step(path));
                    }
                    let region = |path| tree.step(path).region().map_or(0, |region| region.0);
                    for l in 0..40 {
                        if (l * l / 3) as usize % size == ranks.rank() && l % 2 == worker {
                            let own = tree.paths().filter(|p| has(l, region(*p).into()));
                            let visits = |p| 1000 * l + u64::from(region(p));
                            let mut rows: Vec<_> = own.map(|p| row(p, visits(p))).collect();
                            if l == 3 {
                                rows.insert(0, row(PathIndex::ROOT, 1000 * l + PATHS));
                            }
                            sink.location(LocationRef(l), &CallTree::default(), &rows, &[]);
                        }
                    }
                    sink.end(&tree);
                }
                let plan = Plans::new(&job, &spools).unwrap().paths;
                let mut ended = spools.ended();
                let places = paths.places(&ended);
                let mut source =
                    Source::<LocationPath>::new(ranks.rank(), &plan, &places, &mut ended);
                let mut written = Vec::new();
                for round in plan.rounds(size, size, SMALL) {
                    let writers = Writers { round, chunk: SMALL, ranks: size as u64 };
                    let cells = collect(&job, &mut source, &writers).unwrap();
                    let share = writers.share(ranks.rank());
                    assert_eq!(cells.len() as u64, share.end - share.start);
                    written.extend(share.zip(cells));
                }
                written
            });
            let mut written: Vec<_> = written.into_iter().flatten().collect();
            written.sort_unstable_by_key(|(at, _)| *at);
            let found: Vec<_> =
                written.iter().map(|(_, c)| (c.visits.visits, u64::from(c.path))).collect();
            let all = (0..40).flat_map(|l| (0..=PATHS).map(move |p| (l, p)));
            let some = all.filter(|&(l, p)| if p == PATHS { l == 3 } else { has(l, p) });
            let expected: Vec<_> = some.map(|(l, p)| (1000 * l + p, p)).collect();
            assert_eq!(found, expected, "{size} ranks");
        }
    }
}
