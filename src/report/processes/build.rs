//! The tables.

use streamfold_kernels::activity::{Activity, Work};
use streamfold_model::enums::LocationType;

use super::{ProcessReport, Row};
use crate::report::names;
use crate::report::tables::{self, columns, Cell, Table};

/// Squares of a bar.
const SQUARES: u128 = 24;

/// What bars show: a letter for each kind of work, in this order.
pub(super) const KINDS: [(char, &str, &[Activity]); 6] = [
    ('█', "computation", &[Activity::Serial, Activity::Parallel]),
    ('▒', "MPI", &[Activity::Mpi]),
    ('░', "OpenMP", &[Activity::Fork, Activity::Barrier, Activity::OpenMp]),
    ('▪', "files", &[Activity::FileIo]),
    ('▫', "GPU calls", &[Activity::Accelerator]),
    ('·', "the rest", &[Activity::Runtime, Activity::Measurement, Activity::Outside]),
];

pub fn tables<'a>(report: &ProcessReport<'a>) -> Vec<Table<'a>> {
    let rows = report.rows();
    vec![processes(report, &rows), statistics(report, &rows), accelerators(report)]
}

fn ticks(ticks: u128) -> Cell {
    Cell::Ticks(i128::try_from(ticks).unwrap_or(i128::MAX))
}

/// Ticks of some kinds of work.
pub(super) fn sum(work: &Work, kinds: &[Activity]) -> u128 {
    kinds.iter().map(|kind| u128::from(work.of(*kind))).sum()
}

/// What the columns of times are: of a row with its waits.
type Of = fn(&Row) -> u128;

/// Times in columns: the name for scripts, the heading, and what they are.
const TIMES: [(&str, &str, Of); 9] = [
    ("computing_ticks", "computing", |row| row.work.useful().into()),
    ("mpi_ticks", "MPI", |row| sum(&row.work, &[Activity::Mpi])),
    ("omp_ticks", "OpenMP", |row| sum(&row.work, KINDS[2].2)),
    ("file_io_ticks", "files", |row| sum(&row.work, &[Activity::FileIo])),
    ("accelerator_ticks", "GPU calls", |row| sum(&row.work, &[Activity::Accelerator])),
    ("runtime_ticks", "other runtimes", |row| sum(&row.work, &[Activity::Runtime])),
    ("measurement_ticks", "measurement", |row| sum(&row.work, &[Activity::Measurement])),
    ("outside_ticks", "no region", |row| sum(&row.work, &[Activity::Outside])),
    ("all_ticks", "all", |row| row.work.all().into()),
];

/// Columns of numbers besides.
const BYTES: [(&str, &str, Of); 3] = [
    ("bytes_sent", "sent", |row| row.work.bytes[0].into()),
    ("bytes_received", "received", |row| row.work.bytes[1].into()),
    ("file_bytes", "to files", |row| row.work.file_bytes.into()),
];

/// What every row has, after its number.
fn cells(report: &ProcessReport<'_>, row: &Row) -> Vec<Cell> {
    let all = u128::from(row.work.all());
    let mut cells: Vec<Cell> = TIMES.iter().map(|(_, _, of)| ticks(of(row))).collect();
    cells.insert(1, Cell::Share(row.work.useful().into(), all));
    let waiting = report.outcome.waits.as_ref().map_or(Cell::Empty, |_| ticks(row.waiting));
    cells.insert(3, waiting);
    cells.extend(BYTES.iter().map(|(_, _, of)| Cell::Bytes(of(row))));
    cells
}

fn columns_after(
    first: &[(&'static str, &'static str)],
    last: &[(&'static str, &'static str)],
) -> Vec<tables::Column> {
    let mut names: Vec<(&'static str, &'static str)> = first.to_vec();
    names.extend(TIMES.iter().map(|(name, heading, _)| (*name, *heading)));
    names.insert(first.len() + 1, ("computing_percent", "%"));
    names.insert(first.len() + 3, ("waiting_ticks", "waiting"));
    names.extend(BYTES.iter().map(|(name, heading, _)| (*name, *heading)));
    names.extend(last);
    columns(&names)
}

fn processes<'a>(report: &ProcessReport<'a>, rows: &[Row]) -> Table<'a> {
    let most = rows.iter().map(|row| u128::from(row.work.all())).max().unwrap_or(0);
    let of = |row: &Row| {
        let mut all = vec![Cell::Id(row.id), Cell::Count(row.threads)];
        all.extend(cells(report, row));
        all.push(bar(&row.work, most).into());
        all.push(row.name.clone().into());
        all
    };
    let [one, _] = report.noun();
    let columns = columns_after(
        &[("id", ""), ("threads", "threads")],
        &[("bar", "of the time"), ("name", one)],
    );
    let [_, many] = report.noun();
    let title = format!("What {many} are busy with");
    Table::of_rows("processes", title, columns, rows.iter().map(of).collect())
}

/// A bar of all kinds of work; the longest row fills it.
fn bar(work: &Work, most: u128) -> String {
    let mut text = String::new();
    let (mut before, mut drawn) = (0, 0);
    for (letter, _, kinds) in KINDS {
        before += sum(work, kinds);
        let until = (before * SQUARES + most / 2).checked_div(most).unwrap_or(0);
        text.extend(std::iter::repeat_n(letter, (until - drawn) as usize));
        drawn = until;
    }
    text
}

/// The least, the mean and the most of each column, and how much more the most is than the mean.
fn statistics<'a>(report: &ProcessReport<'a>, rows: &[Row]) -> Table<'a> {
    let count = rows.len() as u128;
    let mut all = Vec::new();
    let waits: Of = |row| row.waiting;
    let share: Of = |row| u128::from(row.work.useful());
    let mut times: Vec<Of> = TIMES.iter().map(|(_, _, of)| *of).collect();
    times.insert(1, share);
    times.insert(3, waits);
    let statistic = |name: &str, of: &dyn Fn(Of) -> u128, whole: u128| {
        let mut cells: Vec<Cell> = times.iter().map(|time| ticks(of(*time))).collect();
        cells[1] = Cell::Share(of(share), whole);
        if report.outcome.waits.is_none() {
            cells[3] = Cell::Empty;
        }
        cells.extend(BYTES.iter().map(|(_, _, time)| Cell::Bytes(of(*time))));
        cells.push(name.into());
        cells
    };
    if count > 1 {
        let values = |of: Of| rows.iter().map(of).collect::<Vec<_>>();
        let all_ticks = TIMES[TIMES.len() - 1].2;
        let mean = |of: Of| values(of).iter().sum::<u128>() / count;
        let least = |of: Of| values(of).into_iter().min().unwrap_or(0);
        let most = |of: Of| values(of).into_iter().max().unwrap_or(0);
        all.push(statistic("least", &least, mean(all_ticks)));
        all.push(statistic("mean", &mean, mean(all_ticks)));
        all.push(statistic("most", &most, mean(all_ticks)));
        all.push(statistic("most less mean", &|of| most(of) - mean(of), mean(all_ticks)));
    }
    let [_, many] = report.noun();
    let title = format!("Of all {many}");
    Table::of_rows("statistics", title, columns_after(&[], &[("statistic", "")]), all)
        .with_heading("statistic", " ")
}

fn accelerators<'a>(report: &ProcessReport<'a>) -> Table<'a> {
    let mut rows = Vec::new();
    for location in report.definitions.locations.values() {
        let found = report.outcome.activities.locations.get(&location.id);
        let Some(found) =
            found.filter(|_| location.location_type == LocationType::AcceleratorStream)
        else {
            continue;
        };
        let Some(work) = found.parts.first().filter(|_| found.span.is_some()) else { continue };
        let busy = u128::from(work.of(Activity::Device));
        rows.push(vec![
            Cell::id(location.id),
            ticks(busy),
            Cell::Share(busy, work.all().into()),
            ticks(work.all().into()),
            names::place(report.definitions, location.id).into(),
        ]);
    }
    let columns = columns(&[
        ("location", ""),
        ("busy_ticks", "busy"),
        ("busy_percent", "%"),
        ("all_ticks", "all"),
        ("name", "accelerator stream"),
    ]);
    Table::of_rows("accelerators", "Accelerators", columns, rows)
}
