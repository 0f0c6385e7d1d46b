//! `/per_location`: what each location has on each call path, without the places where that is
//! nothing.
//!
//! Rows stand by location, and within a location by path. They are on the ranks that read the
//! locations, in any order, and every rank knows how many each location has, so also where in the
//! file they go. The file is written in rounds: in each, a stretch of chunks is shared out evenly,
//! every rank sends the rows that it has in there to the ranks that write them, and all write one
//! whole piece each, together. No chunk is written by two ranks or twice, which would mean to
//! unpack it and pack it again.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use foldhash::fast::RandomState;
use hdf5_metno::types::{IntSize, TypeDescriptor};
use hdf5_metno::{Dataset, File, Group};
use serde::{Deserialize, Serialize};
use streamfold_kernels::profile::{Profile, Traffic, Visits};
use streamfold_model::ids::{LocationRef, RegionRef};

use super::raw::{self, Transfer};
use super::spool::{Entry, Spool, Spools};
use super::table::{create, number_attribute, text_attribute, Unit};
use super::Job;
use crate::collective::{self, Communicator};
use crate::exit::Stop;

/// The group.
pub const GROUP: &str = "per_location";

/// Rows in a chunk: 256 KiB of a column, which compresses well and is still a small thing to read
/// for one location.
const CHUNK: u64 = 1 << 15;

/// Chunks that a rank sends, and that it writes, in a round at most. A row takes 160 bytes in
/// memory, so that both together stay below 50 MiB.
const CHUNKS_IN_ROUND: u64 = 4;

/// What a location has on a path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Cell {
    path: u32,
    visits: Visits,
    traffic: Traffic,
}

/// The columns of 64 bits. Only sums of bytes, which are whatever the trace says, can be larger.
const COLUMNS: [(&str, Unit, fn(&Cell) -> u64); 17] = [
    ("visits", Unit::Visits, |c| c.visits.visits),
    ("closed", Unit::Visits, |c| c.visits.closed),
    ("inclusive", Unit::Ticks, |c| c.visits.inclusive),
    ("exclusive", Unit::Ticks, |c| c.visits.exclusive),
    ("shortest", Unit::Ticks, |c| c.visits.shortest),
    ("longest", Unit::Ticks, |c| c.visits.longest),
    ("sent", Unit::Messages, |c| c.traffic.sent),
    ("bytes_sent", Unit::Bytes, |c| c.traffic.bytes_sent as u64),
    ("bytes_sent_high", Unit::Bytes, |c| (c.traffic.bytes_sent >> 64) as u64),
    ("received", Unit::Messages, |c| c.traffic.received),
    ("bytes_received", Unit::Bytes, |c| c.traffic.bytes_received as u64),
    ("bytes_received_high", Unit::Bytes, |c| (c.traffic.bytes_received >> 64) as u64),
    ("collectives", Unit::Operations, |c| c.traffic.collectives),
    ("collective_bytes_sent", Unit::Bytes, |c| c.traffic.collective_bytes_sent as u64),
    ("collective_bytes_sent_high", Unit::Bytes, |c| (c.traffic.collective_bytes_sent >> 64) as u64),
    ("collective_bytes_received", Unit::Bytes, |c| c.traffic.collective_bytes_received as u64),
    ("collective_bytes_received_high", Unit::Bytes, |c| {
        (c.traffic.collective_bytes_received >> 64) as u64
    }),
];

/// The column of 32 bits.
const PATH: &str = "path";

/// Which rows go where, as all ranks know it.
#[derive(Debug)]
pub struct Plan {
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
    rows: u32,
}

impl Part {
    fn range(&self) -> Range<u64> {
        self.start..self.start + u64::from(self.rows)
    }
}

impl Plan {
    /// Finds out who has what. Collective.
    pub(super) fn new(job: &Job<'_>, spools: &Spools) -> Result<Plan, Stop> {
        let own = counts(&spools.ended());
        let own = job.agree(own.map_err(spool_failed))?;
        let counts = job.ranks.all_gather(own)?.into_iter().enumerate();
        let part = |rank, (location, rows)| Part { location, rank, start: 0, rows };
        let parts =
            counts.flat_map(|(rank, counts)| counts.into_iter().map(move |c| part(rank, c)));
        Ok(Plan::of(parts.collect()))
    }

    fn of(mut parts: Vec<Part>) -> Plan {
        parts.sort_unstable_by_key(|part| part.location);
        let mut rows = 0;
        for part in &mut parts {
            part.start = rows;
            rows += u64::from(part.rows);
        }
        Plan { parts, rows }
    }

    /// Whether these are the locations of a profile.
    fn fits(&self, profile: &Profile) -> bool {
        let locations = profile.locations.iter().map(|row| row.location);
        locations.eq(self.parts.iter().map(|part| part.location))
    }

    /// Bytes that the file can have once it is open on all ranks, which is when the library may
    /// store the chunks without their contents. `length` is what it has before.
    pub fn room_to_open(&self, length: u64) -> u64 {
        length + overhead(self.rows.div_ceil(CHUNK) * (1 + COLUMNS.len() as u64))
    }

    /// The stretches of rows that are written in one round each. They begin and end at chunks, and
    /// no rank has more in one of them than it may send, nor gets more than it may write.
    fn rounds(&self, ranks: usize, chunk: u64) -> Vec<Range<u64>> {
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
            if full || next.end - start > most.saturating_mul(ranks as u64) {
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

/// Bytes that so many chunks take besides their contents: what deflate adds where it gains nothing,
/// or makes of zeros (below 400 bytes), and their entries in the index. Besides, the library takes
/// room for its own use, of which 64 KiB is more than was ever seen.
fn overhead(chunks: u64) -> u64 {
    (chunks << 10) + (1 << 16)
}

/// Bytes that the rows of a round take at most.
fn room(rows: u64) -> u64 {
    let row = size_of::<u32>() + COLUMNS.len() * size_of::<u64>();
    rows * row as u64 + overhead(rows.div_ceil(CHUNK) * (1 + COLUMNS.len() as u64))
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> Range<u64> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// How many rows each location of this rank has.
fn counts(spools: &[Spool]) -> io::Result<Vec<(LocationRef, u32)>> {
    if let Some(error) = spools.iter().find_map(|spool| spool.error.as_ref()) {
        return Err(io::Error::new(error.kind(), error.to_string()));
    }
    let entries = spools.iter().flat_map(|spool| &spool.locations);
    Ok(entries.map(|entry| (entry.location, entry.rows)).collect())
}

fn spool_failed(error: io::Error) -> String {
    format!("the call paths of single locations cannot be put aside in a temporary file: {error}")
}

/// Makes all datasets of the group, those of the rows without their contents.
pub fn make(file: &Group, plan: &Plan, profile: &Profile) -> hdf5_metno::Result<()> {
    if !plan.fits(profile) {
        return Err("not all locations of the profile have brought their call paths".into());
    }
    let group = file.create_group(GROUP)?;
    number_attribute(&group, "outside", profile.paths.len() as u64)?;
    let u64_type = TypeDescriptor::Unsigned(IntSize::U8);
    let rows = plan.rows as usize;
    let mut offsets: Vec<u64> = plan.parts.iter().map(|part| part.start).collect();
    offsets.push(plan.rows);
    let dataset = create(&group, "offsets", &u64_type, offsets.len(), CHUNK as usize)?;
    raw::write_values(&dataset, 0, &offsets, Transfer::Alone)?;
    create(&group, PATH, &TypeDescriptor::Unsigned(IntSize::U4), rows, CHUNK as usize)?;
    for (name, unit, _) in COLUMNS {
        let dataset = create(&group, name, &u64_type, rows, CHUNK as usize)?;
        text_attribute(&dataset, "unit", unit.name().unwrap_or_default())?;
    }
    Ok(())
}

/// The call paths of the profile, by the path above and the region. Where no region is open counts
/// as the path after the last one.
#[derive(Debug)]
pub struct Paths {
    index: HashMap<(u32, RegionRef), u32, RandomState>,
}

impl Paths {
    /// Tells all ranks of the profile that rank 0 has. Collective.
    pub fn new(
        ranks: &dyn Communicator,
        profile: Option<&Profile>,
    ) -> Result<Paths, collective::Error> {
        let paths = profile.map(|profile| {
            let outside = profile.paths.len() as u32;
            let paths = profile.paths.iter();
            paths.map(|path| (path.parent.unwrap_or(outside), path.region)).collect::<Vec<_>>()
        });
        let paths = ranks.broadcast(0, paths)?;
        Ok(Paths { index: paths.into_iter().zip(0..).collect() })
    }

    /// Where the paths of a worker's tree are; `None` when one of them is not in the profile.
    fn of(&self, spool: &Spool) -> Option<Vec<u32>> {
        let mut to = vec![self.index.len() as u32];
        for (parent, region) in &spool.nodes[1..] {
            to.push(*self.index.get(&(to[parent.index()], *region))?);
        }
        Some(to)
    }
}

/// The rows of this rank, in the order of the file.
struct Source<'a> {
    spools: &'a mut [Spool],
    /// For each spool, where its paths are.
    paths: Vec<Vec<u32>>,
    /// Where rows go and where they are: range in the file, spool, entry.
    entries: Vec<(Range<u64>, usize, Entry)>,
    /// The first entry that is not written to its end.
    next: usize,
    /// The rows that were read last, and of which entry: long locations go on in the next round.
    last: Option<(usize, Vec<Cell>)>,
}

impl<'a> Source<'a> {
    fn new(rank: usize, plan: &Plan, paths: &Paths, spools: &'a mut [Spool]) -> Option<Self> {
        let mapped = spools.iter().map(|spool| paths.of(spool)).collect::<Option<_>>()?;
        let mut own: Vec<(usize, Entry)> = Vec::new();
        for (i, spool) in spools.iter().enumerate() {
            own.extend(spool.locations.iter().map(|entry| (i, *entry)));
        }
        own.sort_unstable_by_key(|(_, entry)| entry.location);
        let ranges = plan.parts.iter().filter(|part| part.rank == rank).map(Part::range);
        let entries = ranges.zip(own).map(|(range, (spool, entry))| (range, spool, entry));
        let entries = entries.collect();
        Some(Source { spools, paths: mapped, entries, next: 0, last: None })
    }

    /// The rows in a stretch of the file, each piece for the rank that writes it. Stretches must
    /// come in their order.
    fn take(&mut self, writers: &Writers) -> io::Result<Vec<(usize, (u64, Vec<Cell>))>> {
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

    fn load(&mut self, at: usize) -> io::Result<()> {
        if self.last.as_ref().is_none_or(|(loaded, _)| *loaded != at) {
            let (_, spool, entry) = &self.entries[at];
            let (rows, to) = (self.spools[*spool].read(entry)?, &self.paths[*spool]);
            let rows = rows.into_iter();
            let mut cells: Vec<Cell> = rows
                .map(|row| Cell {
                    path: to[row.path.index()],
                    visits: row.visits,
                    traffic: row.traffic,
                })
                .collect();
            cells.sort_unstable_by_key(|cell| cell.path);
            self.last = Some((at, cells));
        }
        Ok(())
    }
}

/// Who writes what in a round: every rank whole chunks, one after the other.
struct Writers {
    round: Range<u64>,
    chunk: u64,
    ranks: u64,
}

impl Writers {
    fn chunks(&self) -> u64 {
        (self.round.end - self.round.start).div_ceil(self.chunk)
    }

    /// What a rank writes; perhaps nothing.
    fn share(&self, rank: usize) -> Range<u64> {
        let begin = |rank: u64| self.round.start + self.chunks() * rank / self.ranks * self.chunk;
        let end = begin(rank as u64 + 1).min(self.round.end);
        begin(rank as u64).min(end)..end
    }

    /// The rank that writes a row, and the end of what it writes.
    fn at(&self, row: u64) -> (usize, u64) {
        // The last rank whose share begins at or before the row's chunk.
        let chunk = (row - self.round.start) / self.chunk;
        let rank = ((chunk + 1) * self.ranks - 1) / self.chunks();
        let rank = rank as usize;
        (rank, self.share(rank).end)
    }
}

/// The rows that this rank writes in a round, from all ranks that have some. Collective.
fn collect(job: &Job<'_>, source: &mut Source<'_>, writers: &Writers) -> Result<Vec<Cell>, Stop> {
    let pieces = job.agree(source.take(writers).map_err(spool_failed))?;
    let mut pieces = job.ranks.exchange(pieces)?;
    pieces.sort_unstable_by_key(|(start, _)| *start);
    Ok(pieces.into_iter().flat_map(|(_, cells)| cells).collect())
}

/// Writes the rows of all locations. Collective; `file` is open on all ranks. `reserve` is asked
/// for so many bytes more before they are written.
pub(super) fn write(
    job: &Job<'_>,
    file: &File,
    plan: &Plan,
    paths: &Paths,
    spools: &Spools,
    transfer: Transfer,
    reserve: &dyn Fn(u64) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let ranks = job.ranks;
    let datasets = job.agree(open(file))?;
    let mut ended = spools.ended();
    let source = Source::new(ranks.rank(), plan, paths, &mut ended);
    let mut source = job.agree(source.ok_or("a call path is not in the profile"))?;
    for round in plan.rounds(ranks.size(), CHUNK) {
        reserve(room(round.end - round.start))?;
        let writers = Writers { round, chunk: CHUNK, ranks: ranks.size() as u64 };
        let cells = collect(job, &mut source, &writers)?;
        let start = writers.share(ranks.rank()).start;
        let wrote = write_round(job, &datasets, start, &cells, transfer);
        if let Err(Stop::Alone(failure)) = wrote {
            // To close them might wait for the others.
            std::mem::forget(datasets);
            return Err(Stop::Alone(failure));
        }
        wrote?;
    }
    Ok(())
}

fn write_round(
    job: &Job<'_>,
    datasets: &Datasets,
    start: u64,
    cells: &[Cell],
    transfer: Transfer,
) -> Result<(), Stop> {
    let path: Vec<u32> = cells.iter().map(|cell| cell.path).collect();
    // After each call all ranks hear how it went, so that none enters the next one alone.
    job.agree_or_abort(raw::write_values(&datasets.path, start, &path, transfer))?;
    for (dataset, (_, _, get)) in datasets.columns.iter().zip(COLUMNS) {
        let values: Vec<u64> = cells.iter().map(get).collect();
        job.agree_or_abort(raw::write_values(dataset, start, &values, transfer))?;
    }
    Ok(())
}

struct Datasets {
    path: Dataset,
    columns: Vec<Dataset>,
}

fn open(file: &File) -> hdf5_metno::Result<Datasets> {
    let group = file.group(GROUP)?;
    let columns = COLUMNS.iter().map(|(name, _, _)| group.dataset(name)).collect::<Result<_, _>>();
    Ok(Datasets { path: group.dataset(PATH)?, columns: columns? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::{team, PieceLimit};
    use proptest::prelude::*;
    use std::path::Path;
    use streamfold_kernels::profile::{CallTree, LocationPath, PathIndex};

    const SMALL: u64 = 4;

    fn row(path: PathIndex, visits: u64) -> LocationPath {
        let visits = Visits { visits, ..Visits::NONE };
        LocationPath { path, visits, traffic: Traffic::default() }
    }

    proptest! {
        #[test]
        fn rounds_go_through_all_rows_and_overload_nobody(
            locations in prop::collection::vec((0usize..5, 0u32..40), 0..60),
            ranks in 5usize..8,
        ) {
            let part = |(i, (rank, rows))| {
                Part { location: LocationRef(i as u64), rank, start: 0, rows }
            };
            let plan = Plan::of(locations.into_iter().enumerate().map(part).collect());
            let mut at = 0;
            for round in plan.rounds(ranks, SMALL) {
                prop_assert_eq!(round.start, at);
                at = round.end;
                prop_assert!(at % SMALL == 0 || at == plan.rows);
                for rank in 0..ranks {
                    let own = plan.parts.iter().filter(|part| part.rank == rank);
                    let within = own.map(|part| overlap(&part.range(), &round));
                    let sent: u64 = within.map(|w| w.end.saturating_sub(w.start)).sum();
                    prop_assert!(sent <= CHUNKS_IN_ROUND * SMALL);
                }
                let writers = Writers { round: round.clone(), chunk: SMALL, ranks: ranks as u64 };
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

    /// Locations 0 to 39, on ranks and spools without any order, each with some of the paths; its
    /// row of path p counts 1000 l + p visits.
    #[test]
    fn every_row_arrives_at_its_place() {
        const PATHS: u64 = 9;
        let has = |location: u64, path: u64| (location * 7 + path * path) % 5 < 2;
        let index = (0..PATHS as u32).map(|path| ((PATHS as u32, RegionRef(path)), path));
        let paths = Paths { index: index.collect() };
        for size in [1, 2, 3, 5, 8] {
            let written = team::run(size, PieceLimit::DEFAULT, |ranks| {
                let job = Job { path: Path::new("x.h5"), ranks };
                let spools = Spools::new();
                for worker in 0..2 {
                    let mut sink = spools.sink();
                    let mut tree = CallTree::default();
                    // A tree in another order than the profile, so rows have to be sorted.
                    let region = |path| RegionRef((path * 5 + worker as u64) as u32 % PATHS as u32);
                    for path in 0..PATHS {
                        tree.child(PathIndex::ROOT, region(path));
                    }
                    for l in 0..40 {
                        if (l * l / 3) as usize % size == ranks.rank() && l % 2 == worker {
                            let own = tree.paths().filter(|p| has(l, tree.region(*p).0.into()));
                            let visits = |p| 1000 * l + u64::from(tree.region(p).0);
                            let mut rows: Vec<_> = own.map(|p| row(p, visits(p))).collect();
                            if l == 3 {
                                rows.insert(0, row(PathIndex::ROOT, 1000 * l + PATHS));
                            }
                            sink.location(LocationRef(l), &rows);
                        }
                    }
                    sink.end(&tree);
                }
                let plan = Plan::new(&job, &spools).unwrap();
                let mut ended = spools.ended();
                let mut source = Source::new(ranks.rank(), &plan, &paths, &mut ended).unwrap();
                let mut written = Vec::new();
                for round in plan.rounds(size, SMALL) {
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
