//! The tables.

use streamfold_kernels::account::{Account, Group};
use streamfold_kernels::efficiency::{Efficiencies, Factor, Ratio};

use super::{EfficiencyReport, Run};
use crate::tables::{columns, ticks, Cell, Row, Table};
use crate::work::{OfWork, BYTES, TIMES};
use streamfold_text::{human, names};

/// Thousandths of thousandths: factors of scaling are numbers of their own.
const MILLION: f64 = 1e6;

pub(super) fn tables(report: EfficiencyReport<'_>) -> Vec<Table<'_>> {
    vec![
        factors(report),
        spent(report),
        processes(report),
        runs(report),
        bins(report),
        what_if(report),
    ]
}

fn ratio(of: Option<Ratio>) -> Cell {
    of.map_or(Cell::Empty, |of| Cell::Ratio(of.part, of.whole))
}

/// A time that is compared with those of other clocks.
fn picoseconds(ticks: u64, resolution: u64) -> Cell {
    const SECOND: i128 = 1_000_000_000_000;
    Cell::Picoseconds(i128::from(ticks) * SECOND / i128::from(resolution.max(1)))
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
        run.whole.factors.iter().map(row).collect()
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
    let runs: Vec<(&Account, u64)> =
        report.runs.iter().map(|run| (run.account(), run.resolution())).collect();
    crate::account::table(&runs)
}

fn processes(report: EfficiencyReport<'_>) -> Table<'_> {
    let rows = of_runs(report, |run, number| {
        let whole = &run.whole;
        let row = |of: &streamfold_kernels::efficiency::ProcessWork| {
            let threads = of.threads.len() as u64;
            let id = of.process.map_or_else(Cell::id, Cell::id);
            let mut row = vec![number.clone(), id, Cell::Count(threads)];
            row.extend(TIMES.iter().map(|(_, _, time)| ticks(time(&of.all))));
            let all = u128::from(whole.elapsed) * u128::from(threads);
            row.push(Cell::Share(of.all.useful().into(), all));
            row.extend(BYTES.iter().map(|(_, _, bytes)| Cell::Bytes(bytes(&of.all))));
            row.push(run.process(of).into());
            let busiest = of.regions.first();
            row.push(busiest.map_or(Cell::Empty, |(region, _)| {
                human::short(names::region(&run.definitions, *region)).into()
            }));
            row
        };
        whole.processes.iter().map(row).collect()
    });
    let of_work = |(name, heading, _): &(&'static str, &'static str, OfWork)| (*name, *heading);
    let mut names = vec![("run", ""), ("process", ""), ("threads", "threads")];
    names.extend(TIMES.iter().map(of_work));
    names.push(("computation_percent", "computation %"));
    names.extend(BYTES.iter().map(of_work));
    names.extend([("process_name", "process"), ("region", "computes most in")]);
    let columns = columns(&names);
    Table::of_rows("processes", "Processes", columns, rows)
}

fn runs(report: EfficiencyReport<'_>) -> Table<'_> {
    let row = |(at, run): (usize, &Run)| {
        let whole = &run.whole;
        let mut row = vec![Cell::Id(at as u64)];
        row.extend(whole.counts.map(Cell::Count));
        row.extend([ticks(whole.elapsed.into()), ticks(whole.useful)]);
        row.extend([Cell::Id(run.resolution()), picoseconds(whole.elapsed, run.resolution())]);
        let wanted = [Factor::Parallel, Factor::LoadBalance, Factor::Communication];
        row.extend(wanted.map(|factor| ratio(whole.factor(factor))));
        let scaling = report.scaling(at);
        let none = [Cell::Empty, Cell::Empty, Cell::Empty];
        let of = scaling.map(|of| [of.computation, of.global, of.speed_up].map(number));
        row.extend(of.unwrap_or(none.clone()));
        row.extend(scaling.and_then(|of| of.counted).map_or(none, |of| of.map(number)));
        let rates = run.rates();
        row.push(rates.map_or(Cell::Empty, |[_, ipc, _]| number(ipc)));
        row.push(rates.map_or(Cell::Empty, |[.., hertz]| number(hertz / 1e9)));
        row.push(run.provenance.input.clone().into());
        row
    };
    let columns = columns(&[
        ("run", "run"),
        ("processes", "processes"),
        ("threads", "threads"),
        ("streams", "streams"),
        ("devices", "devices"),
        ("elapsed_ticks", ""),
        ("useful_ticks", ""),
        ("resolution", ""),
        ("elapsed", "run time"),
        ("parallel_efficiency", "parallel"),
        ("load_balance", ""),
        ("communication_efficiency", ""),
        ("computation_scaling", "computation"),
        ("global_efficiency", "global"),
        ("speed_up", "speed-up"),
        ("instruction_scaling", "instructions"),
        ("ipc_scaling", "IPC scaling"),
        ("frequency_scaling", "frequency scaling"),
        ("ipc", "IPC"),
        ("gigahertz", "GHz"),
        ("trace", "trace"),
    ]);
    Table::of_rows("runs", "Runs", columns, report.runs.iter().enumerate().map(row).collect())
}

fn what_if(report: EfficiencyReport<'_>) -> Table<'_> {
    let rows = of_runs(report, |run, number| {
        let Some(replays) = &run.replays else { return Vec::new() };
        let mut scenarios: Vec<_> = replays.scenarios.iter().collect();
        // An ideal network comes first.
        scenarios[1..].sort_by_key(|of| (of.latency_ticks, of.ticks));
        let row = |of: &&super::WhatIf| {
            let gain = i128::from(replays.run_ticks) - i128::from(of.ticks);
            let region = of.region.clone().map_or(Cell::Empty, Cell::from);
            vec![
                number.clone(),
                of.what.clone().into(),
                region,
                Cell::Ratio(of.millionths.into(), 1_000_000),
                ticks(u128::from(of.latency_ticks)),
                ticks(u128::from(of.ticks)),
                Cell::Ticks(gain),
                Cell::Ratio(of.ticks.into(), replays.run_ticks.into()),
            ]
        };
        scenarios.iter().map(row).collect()
    });
    let columns = columns(&[
        ("run", ""),
        ("what", "if"),
        ("region", ""),
        ("factor", ""),
        ("latency_ticks", ""),
        ("ticks", "run time"),
        ("gain_ticks", "gain"),
        ("share", "of the run"),
    ]);
    Table::of_rows("what_if", "What the run would take", columns, rows)
}

fn bins(report: EfficiencyReport<'_>) -> Table<'_> {
    let rows = of_runs(report, |run, number| {
        let first = run.bins.first().map_or(0, |(begin, ..)| *begin);
        let row = |(begin, end, of): &(u64, u64, Efficiencies)| {
            let whole = u128::from(of.elapsed) * u128::from(of.counts[1]);
            let mpi = of.threads.of_group(Group::Mpi);
            vec![
                number.clone(),
                ticks((*begin).into()),
                ticks((*end).into()),
                ticks((*begin - first).into()),
                ratio(of.factor(Factor::Parallel)),
                ratio(of.factor(Factor::LoadBalance)),
                ratio(of.factor(Factor::Communication)),
                Cell::Share(mpi, whole),
                of.factor(Factor::Parallel).map_or(Cell::Empty, |of| super::bar(of.value()).into()),
            ]
        };
        run.bins.iter().map(row).collect()
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
