//! The tables.

use streamfold_kernels::activity::{Activity, Work};
use streamfold_kernels::efficiency::{Efficiencies, Factor, Ratio, Spent};

use super::{EfficiencyReport, Run};
use crate::report::names;
use crate::report::tables::{columns, Cell, Row, Table};

/// Thousandths of thousandths: factors of scaling are numbers of their own.
const MILLION: f64 = 1e6;

pub fn tables(report: EfficiencyReport<'_>) -> Vec<Table<'_>> {
    vec![factors(report), spent(report), processes(report), runs(report), bins(report)]
}

fn ticks(ticks: impl Into<u128>) -> Cell {
    Cell::Ticks(i128::try_from(ticks.into()).unwrap_or(i128::MAX))
}

fn ratio(of: Option<Ratio>) -> Cell {
    of.map_or(Cell::Empty, |of| Cell::Ratio(of.part, of.whole))
}

/// A number of scaling, to six digits.
fn number(value: f64) -> Cell {
    Cell::Ratio((value.max(0.0) * MILLION).round() as u128, MILLION as u128)
}

fn of_runs(report: EfficiencyReport<'_>, rows: impl Fn(&Run, Cell) -> Vec<Row>) -> Vec<Row> {
    let runs = report.runs.iter().enumerate();
    runs.flat_map(|(number, run)| rows(run, Cell::Id(number as u64))).collect()
}

fn factors(report: EfficiencyReport<'_>) -> Table<'_> {
    let rows = of_runs(report, |run, number| {
        let row = |(factor, of): &(Factor, Ratio)| {
            let parent = factor.parent().map_or(Cell::Empty, |parent| parent.id().into());
            let (id, title) = (factor.id().into(), factor.title().into());
            vec![number.clone(), id, parent, title, Cell::Ratio(of.part, of.whole)]
        };
        run.outcome.whole.factors.iter().map(row).collect()
    });
    let columns = columns(&[
        ("run", "run"),
        ("factor", ""),
        ("parent", ""),
        ("title", "factor"),
        ("value", "value"),
    ]);
    Table::of_rows("factors", "Efficiencies", columns, rows)
}

fn spent(report: EfficiencyReport<'_>) -> Table<'_> {
    let rows = of_runs(report, |run, number| {
        let Efficiencies { spent, elapsed, counts, .. } = &run.outcome.whole;
        let whole = u128::from(*elapsed) * u128::from(counts[1]);
        let row = |(of, sum): (&Spent, &u128)| {
            let (id, title) = of.names();
            vec![number.clone(), id.into(), ticks(*sum), Cell::Share(*sum, whole), title.into()]
        };
        spent.iter().map(row).collect()
    });
    let columns = columns(&[
        ("run", ""),
        ("kind", ""),
        ("ticks", "time"),
        ("percent", "%"),
        ("title", "of all threads"),
    ]);
    Table::of_rows("spent", "Where the time of all threads went", columns, rows)
}

/// Times of a process or thread in columns.
pub(super) fn times(work: &Work, elapsed: u64) -> [Cell; 9] {
    let of = |kinds: &[Activity]| ticks(kinds.iter().map(|kind| work.of(*kind)).sum::<u64>());
    [
        ticks(work.useful()),
        Cell::Share(work.useful().into(), elapsed.into()),
        of(&[Activity::Mpi]),
        of(&[Activity::Fork, Activity::Barrier, Activity::OpenMp]),
        of(&[Activity::FileIo]),
        of(&[Activity::Accelerator]),
        of(&[Activity::Runtime, Activity::Measurement]),
        of(&[Activity::Outside]),
        ticks(work.all()),
    ]
}

fn processes(report: EfficiencyReport<'_>) -> Table<'_> {
    let rows = of_runs(report, |run, number| {
        let whole = &run.outcome.whole;
        let row = |of: &streamfold_kernels::efficiency::ProcessWork| {
            let threads = of.threads.len() as u64;
            let id = of.process.map_or(Cell::Empty, Cell::id);
            let mut row = vec![number.clone(), id, Cell::Count(threads)];
            row.extend(times(&of.all, whole.elapsed * threads));
            row.extend(of.all.bytes.map(|bytes| Cell::Bytes(bytes.into())));
            row.push(Cell::Bytes(of.all.file_bytes.into()));
            row.push(run.process(of).into());
            let busiest = of.regions.first().and_then(|(region, _)| *region);
            row.push(
                busiest
                    .map_or(Cell::Empty, |region| names::region(&run.definitions, region).into()),
            );
            row
        };
        whole.processes.iter().map(row).collect()
    });
    let columns = columns(&[
        ("run", ""),
        ("process", ""),
        ("threads", "threads"),
        ("useful_ticks", "computing"),
        ("useful_percent", "%"),
        ("mpi_ticks", "MPI"),
        ("omp_ticks", "OpenMP"),
        ("file_io_ticks", "files"),
        ("accelerator_ticks", "GPU calls"),
        ("other_ticks", "other"),
        ("outside_ticks", "no region"),
        ("all_ticks", ""),
        ("bytes_sent", "sent"),
        ("bytes_received", "received"),
        ("file_bytes", "to files"),
        ("process_name", "process"),
        ("region", "computes most in"),
    ]);
    Table::of_rows("processes", "Processes", columns, rows)
}

fn runs(report: EfficiencyReport<'_>) -> Table<'_> {
    let row = |(at, run): (usize, &Run)| {
        let whole = &run.outcome.whole;
        let mut row = vec![Cell::Id(at as u64)];
        row.extend(whole.counts.map(Cell::Count));
        row.extend([ticks(whole.elapsed), ticks(whole.useful), Cell::Id(run.resolution())]);
        let wanted = [Factor::Parallel, Factor::LoadBalance, Factor::Communication];
        row.extend(wanted.map(|factor| ratio(whole.factor(factor))));
        let scaling = report.scaling(at).map(|of| [of.computation, of.global, of.speed_up]);
        row.extend(scaling.map_or([Cell::Empty, Cell::Empty, Cell::Empty], |of| of.map(number)));
        row.push(run.provenance.input.clone().into());
        row
    };
    let columns = columns(&[
        ("run", "run"),
        ("processes", "processes"),
        ("threads", "threads"),
        ("streams", "streams"),
        ("elapsed_ticks", "run time"),
        ("useful_ticks", "computing"),
        ("resolution", ""),
        ("parallel_efficiency", "parallel"),
        ("load_balance", "balance"),
        ("communication_efficiency", "communication"),
        ("computation_scaling", "computation scaling"),
        ("global_efficiency", "global"),
        ("speed_up", "speed-up"),
        ("trace", "trace"),
    ]);
    Table::of_rows("runs", "Runs", columns, report.runs.iter().enumerate().map(row).collect())
}

fn bins(report: EfficiencyReport<'_>) -> Table<'_> {
    let rows = of_runs(report, |run, number| {
        let first = run.outcome.bins.first().map_or(0, |(begin, ..)| *begin);
        let row = |(begin, end, of): &(u64, u64, Efficiencies)| {
            let whole = u128::from(of.elapsed) * u128::from(of.counts[1]);
            let mpi = of.spent.get(&Spent::Mpi).copied().unwrap_or(0);
            vec![
                number.clone(),
                ticks(*begin),
                ticks(*end),
                ticks(*begin - first),
                ratio(of.factor(Factor::Parallel)),
                ratio(of.factor(Factor::LoadBalance)),
                ratio(of.factor(Factor::Communication)),
                Cell::Share(mpi, whole),
                ratio(of.factor(Factor::Parallel)).into_bar(),
            ]
        };
        run.outcome.bins.iter().map(row).collect()
    });
    let columns = columns(&[
        ("run", ""),
        ("begin", ""),
        ("end", ""),
        ("since_begin", "from"),
        ("parallel_efficiency", "parallel"),
        ("load_balance", "balance"),
        ("communication_efficiency", "communication"),
        ("mpi_percent", "MPI %"),
        ("bar", "parallel efficiency"),
    ]);
    Table::of_rows("bins", "Over time", columns, rows)
}

trait IntoBar {
    /// The value as a bar.
    fn into_bar(self) -> Cell;
}

impl IntoBar for Cell {
    fn into_bar(self) -> Cell {
        match self {
            Cell::Ratio(part, whole) => {
                super::bar(crate::report::tables::ratio(part, whole)).into()
            }
            _ => Cell::Empty,
        }
    }
}
