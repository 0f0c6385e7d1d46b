//! `/per_location`: what each location has on each call path, without the places where that is
//! nothing.
//!
//! Rows stand by location, and within a location by path. They are on the ranks that read the
//! locations, in any order, and every rank knows how many each location has, so also where in the
//! file they go. The file is written in rounds: in each, a stretch of chunks is shared out evenly,
//! every rank sends the rows that it has in there to the ranks that write them, and all write one
//! whole piece each, together. No chunk is written by two ranks or twice, which would mean to
//! unpack it and pack it again.

use hdf5_metno::types::{IntSize, TypeDescriptor};
use hdf5_metno::{Dataset, File, Group};
use streamfold_kernels::profile::{Profile, Traffic};

use super::plan::{Plan, Writers};
use super::profile::unit;
use super::raw::{self, Transfer};
use super::source::{collect, Cell, Paths, Source};
use super::spool::Spools;
use super::table::{create, number_attribute, text_attribute, Unit, HIGH};
use super::Job;
use crate::exit::Stop;

/// The group.
pub const GROUP: &str = "per_location";

/// Rows in a chunk: 256 KiB of a column, which compresses well and is still a small thing to read
/// for one location.
const CHUNK: u64 = 1 << 15;

/// A dataset: its name, its unit, and its part of a cell.
struct Column {
    name: String,
    unit: Unit,
    get: Box<dyn Fn(&Cell) -> u64>,
}

/// The columns of 64 bits. Only sums of bytes, which are whatever the trace says, can be larger:
/// they have a second one.
fn columns() -> Vec<Column> {
    let mut columns = Vec::new();
    let mut column = |name: &str, unit, get: Box<dyn Fn(&Cell) -> u64>| {
        columns.push(Column { name: name.to_owned(), unit, get });
    };
    column("visits", Unit::Visits, Box::new(|c| c.visits.visits));
    column("closed", Unit::Visits, Box::new(|c| c.visits.closed));
    column("inclusive", Unit::Ticks, Box::new(|c| c.visits.inclusive));
    column("exclusive", Unit::Ticks, Box::new(|c| c.visits.exclusive));
    column("shortest", Unit::Ticks, Box::new(|c| c.visits.shortest));
    column("longest", Unit::Ticks, Box::new(|c| c.visits.longest));
    for (i, (name, quantity)) in Traffic::COLUMNS.into_iter().enumerate() {
        let unit = unit(quantity);
        column(name, unit, Box::new(move |c| c.traffic.numbers()[i] as u64));
        if unit == Unit::Bytes {
            let high = move |c: &Cell| (c.traffic.numbers()[i] >> 64) as u64;
            column(&format!("{name}{HIGH}"), unit, Box::new(high));
        }
    }
    columns
}

/// The column of 32 bits.
const PATH: &str = "path";

/// Bytes that so many chunks take besides their contents: what deflate adds where it gains nothing,
/// or makes of zeros (below 400 bytes), and their entries in the index. Besides, the library takes
/// room for its own use, of which 64 KiB is more than was ever seen.
fn overhead(chunks: u64) -> u64 {
    (chunks << 10) + (1 << 16)
}

/// Bytes that the file can have once it is open on all ranks, which is when the library may store
/// the chunks without their contents. `length` is what it has before.
pub fn room_to_open(plan: &Plan, length: u64) -> u64 {
    length + overhead(plan.rows().div_ceil(CHUNK) * (1 + columns().len() as u64))
}

/// Bytes that the rows of a round take at most.
fn room(rows: u64) -> u64 {
    let columns = columns().len();
    let row = size_of::<u32>() + columns * size_of::<u64>();
    rows * row as u64 + overhead(rows.div_ceil(CHUNK) * (1 + columns as u64))
}

/// Makes all datasets of the group, those of the rows without their contents.
pub fn make(file: &Group, plan: &Plan, profile: &Profile) -> hdf5_metno::Result<()> {
    if !plan.fits(profile) {
        return Err("not all locations of the profile have brought their call paths".into());
    }
    let group = file.create_group(GROUP)?;
    number_attribute(&group, "outside", profile.paths.len() as u64)?;
    let u64_type = TypeDescriptor::Unsigned(IntSize::U8);
    let rows = plan.rows() as usize;
    let offsets = plan.offsets();
    let dataset = create(&group, "offsets", &u64_type, offsets.len(), CHUNK as usize)?;
    raw::write_values(&dataset, 0, &offsets, Transfer::Alone)?;
    create(&group, PATH, &TypeDescriptor::Unsigned(IntSize::U4), rows, CHUNK as usize)?;
    for Column { name, unit, .. } in columns() {
        let dataset = create(&group, &name, &u64_type, rows, CHUNK as usize)?;
        text_attribute(&dataset, "unit", unit.name().unwrap_or_default())?;
    }
    Ok(())
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
    let mut source = Source::new(ranks.rank(), plan, paths, &mut ended);
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
    for (dataset, Column { get, .. }) in datasets.columns.iter().zip(columns()) {
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
    let columns =
        columns().iter().map(|column| group.dataset(&column.name)).collect::<Result<_, _>>();
    Ok(Datasets { path: group.dataset(PATH)?, columns: columns? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/hdf5.md names this number.
    #[test]
    fn a_rank_writes_28_mib_in_a_round_at_most() {
        assert_eq!(room(4 * CHUNK) >> 20, 27);
    }
}
