//! The tables.

use streamfold_kernels::account::{Group, Role, Work};

use super::{ProcessReport, Row};
use crate::tables::{self, columns, ticks, Cell, Table};
use crate::work::{sum, BYTES, KINDS, TIMES};
use streamfold_text::names;

/// Squares of a bar.
const SQUARES: u128 = 24;

pub(super) fn tables<'a>(report: &ProcessReport<'a>) -> Vec<Table<'a>> {
    let rows = report.rows();
    vec![processes(report, &rows), statistics(report, &rows), accelerators(report)]
}

/// Returns the cells of a row, after its number.
fn cells(report: &ProcessReport<'_>, row: &Row) -> Vec<Cell> {
    let all = u128::from(row.work.all());
    let mut cells: Vec<Cell> = TIMES.iter().map(|(_, _, of)| ticks(of(&row.work))).collect();
    cells.insert(1, Cell::Share(row.work.useful().into(), all));
    let waiting = report.waits.map_or(Cell::Empty, |_| ticks(row.waiting));
    cells.insert(3, waiting);
    cells.extend(BYTES.iter().map(|(_, _, of)| Cell::Bytes(of(&row.work))));
    cells
}

fn columns_after(
    first: &[(&'static str, &'static str)],
    last: &[(&'static str, &'static str)],
) -> Vec<tables::Column> {
    let mut names: Vec<(&'static str, &'static str)> = first.to_vec();
    names.extend(TIMES.iter().map(|(name, heading, _)| (*name, *heading)));
    names.insert(first.len() + 1, ("computation_percent", "%"));
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
    /// A time, or the waits of a row.
    type OfRow = dyn Fn(&Row) -> u128;
    let count = rows.len() as u128;
    let mut all = Vec::new();
    // A statistic of all rows: the least, and so on.
    let statistic = |name: &str, of: &dyn Fn(&OfRow) -> u128, whole: u128| {
        let mut cells: Vec<Cell> =
            TIMES.iter().map(|(_, _, time)| ticks(of(&|row| time(&row.work)))).collect();
        cells.insert(1, Cell::Share(of(&|row| row.work.useful().into()), whole));
        let waits = report.waits;
        cells.insert(3, waits.map_or(Cell::Empty, |_| ticks(of(&|row| row.waiting))));
        cells.extend(BYTES.iter().map(|(_, _, bytes)| Cell::Bytes(of(&|row| bytes(&row.work)))));
        cells.push(name.into());
        cells
    };
    if count > 1 {
        let values = |of: &OfRow| rows.iter().map(of).collect::<Vec<_>>();
        let mean = |of: &OfRow| values(of).iter().sum::<u128>() / count;
        let least = |of: &OfRow| values(of).into_iter().min().unwrap_or(0);
        let most = |of: &OfRow| values(of).into_iter().max().unwrap_or(0);
        let whole = mean(&|row| row.work.all().into());
        all.push(statistic("least", &least, whole));
        all.push(statistic("mean", &mean, whole));
        all.push(statistic("most", &most, whole));
        all.push(statistic("most less mean", &|of| most(of) - mean(of), whole));
    }
    let [_, many] = report.noun();
    let title = format!("Of all {many}");
    Table::of_rows("statistics", title, columns_after(&[], &[("statistic", "")]), all)
        .with_heading("statistic", " ")
}

fn accelerators<'a>(report: &ProcessReport<'a>) -> Table<'a> {
    let mut rows = Vec::new();
    for (location, found) in &report.account.locations {
        let Some(work) = found.parts.first().filter(|_| found.role == Role::Stream) else {
            continue;
        };
        let time = |group| u128::from(work.of(group));
        let busy = [Group::Kernels, Group::Copies, Group::Memset].map(time).iter().sum();
        rows.push(vec![
            Cell::id(*location),
            ticks(busy),
            Cell::Share(busy, work.all().into()),
            ticks(work.all().into()),
            names::place(report.definitions, *location).into(),
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
