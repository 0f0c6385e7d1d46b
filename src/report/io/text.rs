//! File accesses, for people.

use std::io::{self, Write};

use streamfold_kernels::account::{Class, Group, Role};
use streamfold_kernels::io::{Bin, Moved, State};

use super::subjects::UNKNOWN;
use super::IoReport;
use crate::tables::text::{self, Look, Shown};
use crate::tables::{Cell, Row, Table, TableReport};
use streamfold_text::human;

/// Columns that a table can do without on narrow terminals, the least missed first.
const SPARED: [&str; 14] = [
    "95 %",
    "least",
    "kind",
    "node",
    "read rate",
    "write rate",
    "rate",
    "nothing else",
    "threads",
    "computing",
    "metadata",
    "access",
    "processes",
    "library",
];

/// Columns that are shown only where they say anything.
const SELDOM: [&str; 15] = [
    "failed",
    "opens",
    "reads",
    "writes",
    "metadata",
    "read",
    "written",
    "computing",
    "least",
    "in metadata",
    "read rate",
    "write rate",
    "rate",
    "bytes",
    "access",
];

/// Writes the share of files in the time of all threads: accesses of MPI, and all others.
fn of_threads(out: &mut dyn Write, report: &IoReport<'_>, width: Option<usize>) -> io::Result<()> {
    let threads = report.account.sum(Role::Thread, 0);
    let whole =
        crate::account::whole(report.account, Role::Thread, report.provenance.timer_resolution);
    let (io, mpi) = (threads.of_group(Group::Io), threads.of(Class::Files));
    let share = |ticks| human::percent(ticks, threads.total());
    let text = format!(
        "Of {whole}, {} % are files: file I/O {} %, MPI files {} %.",
        share(io + mpi),
        share(io),
        share(mpi)
    );
    crate::say::answer(out, &text, width)
}

/// Writes how long the program was at its files, what stands out, and all tables with `top` rows at most.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &IoReport<'_>,
    tables: &TableReport<'_>,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let look = Look { resolution, top, width, spared: &SPARED, seldom: &SELDOM };
    text::begin(out, tables, width)?;
    let total = report.total();
    if total.is_empty() {
        writeln!(out, "No call that accesses files is recorded.")?;
        return left_out(out, report);
    }
    answer(out, report)?;
    of_threads(out, report, width)?;
    let findings = report.findings();
    if !findings.is_empty() {
        writeln!(out, "\nWhat stands out")?;
        for finding in findings {
            writeln!(out, "  * {}", finding.text)?;
        }
    }
    writeln!(out)?;
    times(out, report)?;
    for name in ["levels", "calls", "files", "directories", "processes", "nodes", "sizes"] {
        let Some(table) = tables.table(name).filter(|table| !table.is_empty()) else { continue };
        let is_one = table.len() == 1 && matches!(name, "nodes" | "directories");
        if is_one {
            continue;
        }
        writeln!(out)?;
        match name {
            // Their order is that of definitions.
            "processes" if table.len() > top => {
                Shown::first(table, top, |_| true, in_io).write(out, table, &look)?;
            }
            _ => {
                first(table, &look).write(out, table, &look)?;
            }
        }
    }
    if let Some(table) = tables.table("bins").filter(|table| !table.is_empty()) {
        writeln!(out)?;
        over_time(out, report, table.len())?;
    }
    left_out(out, report)
}

/// The first rows of a table that is sorted.
fn first(table: &Table<'_>, look: &Look) -> Shown {
    Shown::first(table, look.top, |_| true, |_| 0)
}

/// How long a process is in I/O.
fn in_io(row: &Row) -> i128 {
    let mut times = row.iter().filter_map(|cell| match cell {
        Cell::Ticks(ticks) => Some(*ticks),
        _ => None,
    });
    // The first one is how long it lasts.
    times.nth(1).unwrap_or(0)
}

/// The answer in a sentence or two.
fn answer(out: &mut dyn Write, report: &IoReport<'_>) -> io::Result<()> {
    let total = report.total();
    let all = total.all();
    let resolution = report.provenance.timer_resolution;
    let (io, length) = (report.outcome.whole.io, report.length());
    let who = match report.outcome.found.processes.len() {
        1 => "The process".to_owned(),
        all => format!("At least one of {} processes", human::count(all as u64)),
    };
    writeln!(
        out,
        "{who} is in I/O for {} of {} ({} %){}.",
        human::time(io.into(), resolution),
        human::time(length.into(), resolution),
        human::percent(io.into(), length.into()).trim(),
        match report.outcome.whole.compute {
            0 => String::new(),
            _ => {
                let alone = report.outcome.whole.unoverlapped_io();
                format!(", for {} of that without computing", human::time(alone.into(), resolution))
            }
        },
    )?;
    let mut names: Vec<String> = report.files().into_iter().map(|(name, ..)| name).collect();
    names.sort_unstable();
    names.dedup();
    let has_unknown = names.iter().any(|name| name == UNKNOWN);
    names.retain(|name| name != UNKNOWN);
    let files = match names.len() {
        0 if has_unknown => "files that are not recorded".to_owned(),
        count => human::counted(count as u64, ["file", "files"]),
    };
    writeln!(
        out,
        "{} in {files}: {}, {} % of the time of calls in metadata.",
        human::counted(all.count, ["call", "calls"]),
        moved(&total.moved),
        human::percent(total.metadata().ticks, all.ticks).trim(),
    )?;
    without_size(out, report, &total.moved)
}

/// Bytes that were read and written.
pub(super) fn moved(moved: &Moved) -> String {
    let bytes = |bytes: Option<u128>, done: &str| match bytes {
        Some(bytes) => format!("{} {done}", human::bytes(bytes)),
        None => format!("bytes {done} are not recorded"),
    };
    match (moved.known_read(), moved.known_written()) {
        (None, None) => "bytes are not recorded".to_owned(),
        (read, written) => format!("{}, {}", bytes(read, "read"), bytes(written, "written")),
    }
}

/// Says of how many transfers the bytes are not in the sums, and how they are recorded.
fn without_size(out: &mut dyn Write, report: &IoReport<'_>, moved: &Moved) -> io::Result<()> {
    let [sized, without] = moved.transfers();
    if without == 0 {
        return Ok(());
    }
    if sized > 0 {
        return writeln!(
            out,
            "The trace says no size of {} of {}: sums of bytes are those of the others.",
            human::count(without),
            human::counted(sized + without, ["read or write", "reads and writes"]),
        );
    }
    match &report.provenance.creator[..] {
        "DFTracer" => {
            writeln!(out, "DFTracer records files and sizes with DFTRACER_INC_METADATA=1.")
        }
        _ => Ok(()),
    }
}

/// When any process is busy with what.
fn times(out: &mut dyn Write, report: &IoReport<'_>) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let (whole, length) = (&report.outcome.whole, report.length());
    let mut rows = vec![
        ("all", u128::from(length)),
        ("any process in I/O", whole.io.into()),
        ("  and none computes", whole.unoverlapped_io().into()),
    ];
    if whole.compute > 0 {
        rows.push(("any process computes", whole.compute.into()));
        rows.push(("  and none is in I/O", whole.unoverlapped_compute().into()));
    }
    if whole.application_io > whole.io {
        let alone = whole.application_io - whole.application_both;
        rows.push(("any in I/O of the application", whole.application_io.into()));
        rows.push(("  and none computes outside of it", alone.into()));
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    writeln!(out, "Times, all processes together")?;
    for (name, ticks) in rows {
        let time = human::time(ticks, resolution);
        let percent = human::percent(ticks, length.into());
        writeln!(out, "  {name:<width$}  {time:>10}  {percent:>6} %")?;
    }
    let processes = &report.outcome.found.processes;
    let sum = |state: State| -> u128 { processes.values().map(|of| of.in_state(state)).sum() };
    let all: u128 = State::ALL.into_iter().map(sum).sum();
    let named = [
        (State::Io, "in I/O"),
        (State::ApplicationIo, "in I/O of the application, outside of calls"),
        (State::Communication, "communicating or waiting"),
        (State::Computing, "computing"),
        (State::OtherCalls, "in other calls of the system"),
        (State::Outside, "outside of all that is recorded"),
    ];
    let rows: Vec<_> = named.into_iter().map(|(state, name)| (name, sum(state))).collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    writeln!(out, "\nTimes, of all threads added up")?;
    for (name, ticks) in rows.into_iter().filter(|(_, ticks)| *ticks > 0) {
        let time = human::time(ticks, resolution);
        let percent = human::percent(ticks, all);
        writeln!(out, "  {name:<width$}  {time:>10}  {percent:>6} %")?;
    }
    Ok(())
}

/// Bytes over time, as bars.
fn over_time(out: &mut dyn Write, report: &IoReport<'_>, bins: usize) -> io::Result<()> {
    const COLUMNS: usize = 60;
    const BAR: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bins_of = report.bins();
    let together = bins.div_ceil(COLUMNS);
    let resolution = report.provenance.timer_resolution;
    let begins = &report.outcome.bins.begins;
    let length = begins[begins.len() - 1] - begins[0];
    writeln!(out, "Over {}", human::time(length.into(), resolution))?;
    type Measure = fn(&Bin) -> u64;
    let measures: [(&str, Measure, bool); 4] = [
        ("read", |bin| bin.read, true),
        ("written", |bin| bin.written, true),
        ("transfers", |bin| bin.moves, false),
        ("metadata", |bin| bin.metadata, false),
    ];
    for (name, measure, is_bytes) in measures {
        let values = bins_of.chunks(together);
        let values: Vec<u64> = values.map(|bins| bins.iter().map(measure).sum()).collect();
        let most = values.iter().copied().max().unwrap_or(0);
        if most == 0 {
            continue;
        }
        let bar = values.iter().map(|value| {
            let part = (*value as f64 / most as f64 * 8.0).ceil() as usize;
            BAR[part.min(8)]
        });
        let bar: String = bar.collect();
        let most = match is_bytes {
            true => human::bytes(most.into()),
            false => human::count(most),
        };
        writeln!(out, "  {name:<9} |{bar}| {most} at most")?;
    }
    Ok(())
}

/// Reports the accesses that are not in the numbers.
fn left_out(out: &mut dyn Write, report: &IoReport<'_>) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    if let Some((files, why)) = report.left_out {
        let facts = report.outcome.found.left_out;
        writeln!(
            out,
            "\nLeft out ({why}): {} with {}, {}, {}.",
            human::counted(files, ["file", "files"]),
            human::counted(facts.all().count, ["call", "calls"]),
            human::bytes(facts.moved.bytes()),
            human::time(facts.all().ticks, resolution),
        )?;
    }
    if report.outcome.found.outside > 0 {
        writeln!(
            out,
            "\n{} outside of the time that the trace says it has; they count for the first or last part.",
            human::counted(report.outcome.found.outside, ["call ends", "calls end"]),
        )?;
    }
    Ok(())
}
