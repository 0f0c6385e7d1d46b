//! `/per_location` and `/per_location_metrics`: what each location has on each call path, and of each
//! metric there, without the places where that is nothing.
//!
//! Rows stand by location, and within a location by path. They are on the ranks that read the
//! locations, in any order, and every rank knows how many each location has, so also where in the
//! file they go. The file is written in rounds: in each, a stretch of chunks is shared out evenly,
//! every rank sends the rows that it has in there to the ranks that write them, and all write one
//! whole piece each, together. No chunk is written by two ranks or twice, which would mean to
//! unpack it and pack it again.

use hdf5_metno::types::{IntSize, TypeDescriptor};
use hdf5_metno::{Dataset, File, Group};
use streamfold_kernels::profile::{LocationPath, Profile};

use super::plan::{Plan, Plans, Writers};
use super::raw::{self, Transfer};
use super::rows::FileCell;
use super::source::{collect, Source};
use super::table::{create, number_attribute};
use super::Job;
use crate::aside::{MetricCell, PathCell, Paths, Places, Row, Spool, Spools};
use streamfold_system::exit::Stop;

/// Rows in a chunk: 256 KiB of a column, which compresses well and is still a small thing to read
/// for one location.
const CHUNK: u64 = 1 << 15;

/// Bytes that so many chunks take besides their contents: what deflate adds where it gains nothing,
/// or makes of zeros (below 400 bytes), and their entries in the index. Besides, the library takes
/// room for its own use, of which 64 KiB is more than was ever seen.
fn overhead(chunks: u64) -> u64 {
    (chunks << 10) + (1 << 16)
}

impl Plans {
    /// Bytes that the file can have more once it is open on all ranks, which is when the library may
    /// store the chunks without their contents.
    pub(super) fn room_to_open(&self) -> u64 {
        let metrics = self.metrics.as_ref().map_or(0, room_to_open::<MetricCell>);
        room_to_open::<PathCell>(&self.paths) + metrics
    }

    /// Makes the groups and all their datasets, those of the rows without their contents.
    pub(super) fn make(&self, file: &Group, profile: &Profile) -> hdf5_metno::Result<()> {
        if !self.paths.fits(profile) {
            return Err("not all locations of the profile have brought their call paths".into());
        }
        make::<PathCell>(file, &self.paths, profile)?;
        match &self.metrics {
            Some(metrics) => make::<MetricCell>(file, metrics, profile),
            None => Ok(()),
        }
    }
}

fn room_to_open<C: FileCell>(plan: &Plan) -> u64 {
    overhead(plan.rows().div_ceil(CHUNK) * C::columns().iter().count() as u64)
}

/// Bytes that the rows of a round take at most.
fn room<C: FileCell>(rows: u64) -> u64 {
    let columns = C::columns();
    let row: usize = columns.iter().filter_map(|column| column.width()).sum();
    rows * row as u64 + overhead(rows.div_ceil(CHUNK) * columns.iter().count() as u64)
}

fn make<C: FileCell>(file: &Group, plan: &Plan, profile: &Profile) -> hdf5_metno::Result<()> {
    let group = file.create_group(C::GROUP)?;
    number_attribute(&group, "outside", profile.paths.len() as u64)?;
    let u64_type = TypeDescriptor::Unsigned(IntSize::U8);
    let rows = plan.rows() as usize;
    let offsets = plan.offsets();
    let dataset = create(&group, "offsets", &u64_type, offsets.len(), CHUNK as usize)?;
    raw::write_values(&dataset, 0, &offsets, Transfer::Alone)?;
    C::columns().iter().try_for_each(|column| column.make(&group, rows, CHUNK as usize))
}

/// File, ranks and settings with which both matrices are written.
pub(super) struct Writing<'a> {
    pub job: &'a Job<'a>,
    /// Open on all ranks that write.
    pub file: Option<&'a File>,
    pub transfer: Transfer,
    /// Is asked for so many bytes more before they are written.
    pub reserve: &'a dyn Fn(u64) -> Result<(), Stop>,
}

impl Writing<'_> {
    /// Writes the rows of all locations, the paths first. Collective.
    pub(super) fn matrices(
        &self,
        plans: &Plans,
        paths: &Paths,
        spools: &Spools,
    ) -> Result<(), Stop> {
        let mut ended = spools.ended();
        let places = paths.places(&ended);
        self.matrix::<LocationPath>(&plans.paths, &places, &mut ended)?;
        match &plans.metrics {
            Some(metrics) => self.matrix::<MetricCell>(metrics, &places, &mut ended),
            None => Ok(()),
        }
    }

    fn matrix<R: Row<Cell: FileCell>>(
        &self,
        plan: &Plan,
        places: &[Places],
        spools: &mut [Spool],
    ) -> Result<(), Stop> {
        let Writing { job, file, transfer, reserve } = *self;
        let ranks = job.ranks;
        let datasets = job.agree(file.map(open::<R::Cell>).transpose())?;
        let mut source = Source::<R>::new(ranks.rank(), plan, places, spools);
        for round in plan.rounds(ranks.size(), job.writers(), CHUNK) {
            reserve(room::<R::Cell>(round.end - round.start))?;
            let writers = Writers { round, chunk: CHUNK, ranks: job.writers() as u64 };
            let cells = collect(job, &mut source, &writers)?;
            let start = writers.share(ranks.rank()).start;
            let wrote = write_round(job, datasets.as_deref(), start, &cells, transfer);
            if let Err(Stop::Alone(failure)) = wrote {
                // To close them might wait for the others.
                std::mem::forget(datasets);
                return Err(Stop::Alone(failure));
            }
            wrote?;
        }
        Ok(())
    }
}

fn write_round<C: FileCell>(
    job: &Job<'_>,
    datasets: Option<&[Dataset]>,
    start: u64,
    cells: &[C],
    transfer: Transfer,
) -> Result<(), Stop> {
    let checked = C::columns().check(cells);
    job.agree(checked.map_err(|error| format!("{}: {error}", C::GROUP)))?;
    // After each call all ranks hear how it went, so that none enters the next one alone.
    C::columns().iter().enumerate().try_for_each(|(number, column)| {
        let dataset = datasets.map(|datasets| &datasets[number]);
        let write = |dataset| column.write(dataset, start, cells, transfer);
        job.agree_or_abort(dataset.map_or(Ok(()), write))
    })
}

/// The dataset of each column.
fn open<C: FileCell>(file: &File) -> hdf5_metno::Result<Vec<Dataset>> {
    let group = file.group(C::GROUP)?;
    C::columns().iter().map(|column| group.dataset(&column.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/rules/hdf5.md names this number.
    #[test]
    fn a_rank_writes_20_mib_in_a_round_at_most() {
        assert_eq!(room::<PathCell>(4 * CHUNK) >> 20, 19);
        assert!(room::<MetricCell>(4 * CHUNK) >> 20 < 19);
    }
}
