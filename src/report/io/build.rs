//! The tables of a report.

use std::collections::BTreeMap;
use std::rc::Rc;

use streamfold_kernels::io::{
    bin_of, percentile, Bin, CallFacts, Facts, FileFacts, Kind, Level, Moved, ProcessFacts, Sizes,
    State, BOUNDS,
};
use streamfold_model::ids::Reference;

use super::IoReport;
use crate::tables::{columns, ticks, Cell, Column, Row, Table};
use streamfold_text::names;

/// All tables, those without rows included.
pub(super) fn tables<'a>(report: &IoReport<'a>) -> Vec<Table<'a>> {
    vec![
        findings(report),
        levels(report),
        calls(report),
        files(report),
        directories(report),
        processes(report),
        nodes(report),
        sizes(report),
        file_sizes(report),
        bins(report),
        heat(report),
    ]
}

/// Of calls of all kinds.
const FACTS: [(&str, &str); 15] = [
    ("opens", "opens"),
    ("reads", "reads"),
    ("writes", "writes"),
    ("syncs", ""),
    ("metadata", "metadata"),
    ("calls", ""),
    ("failed", "failed"),
    ("bytes_read", "read"),
    ("bytes_written", "written"),
    ("ticks", "time"),
    ("read_ticks", ""),
    ("write_ticks", ""),
    ("metadata_ticks", "in metadata"),
    ("read_rate", "read rate"),
    ("write_rate", "write rate"),
];

impl IoReport<'_> {
    /// Bytes a second, in thousandths.
    fn rate(&self, bytes: u128, ticks: u128) -> Cell {
        let resolution = u128::from(self.provenance.timer_resolution);
        let thousandths = || bytes.checked_mul(1000)?.checked_mul(resolution)?.checked_div(ticks);
        match bytes {
            0 => Cell::Empty,
            _ => thousandths().map_or(Cell::Empty, Cell::ExactRate),
        }
    }

    /// The cells of [`FACTS`].
    fn facts(&self, facts: &Facts) -> Row {
        let [all, metadata] = [facts.all(), facts.metadata()];
        let [read, write] = [Kind::Read, Kind::Write].map(|kind| *facts.of(kind));
        vec![
            Cell::Count(facts.of(Kind::Open).count),
            Cell::Count(read.count),
            Cell::Count(write.count),
            Cell::Count(facts.of(Kind::Sync).count),
            Cell::Count(metadata.count),
            Cell::Count(all.count),
            Cell::Count(all.failed),
            known(facts.moved.known_read()),
            known(facts.moved.known_written()),
            ticks(all.ticks),
            ticks(read.ticks),
            ticks(write.ticks),
            ticks(metadata.ticks),
            self.rate(facts.moved.read, read.ticks),
            self.rate(facts.moved.written, write.ticks),
        ]
    }
}

fn with_facts(
    before: &[(&'static str, &'static str)],
    behind: &[(&'static str, &'static str)],
) -> Vec<Column> {
    columns(before.iter().chain(&FACTS).chain(behind))
}

fn findings<'a>(report: &IoReport<'a>) -> Table<'a> {
    let rows = report.findings().into_iter().map(|finding| {
        vec![
            finding.kind.into(),
            Cell::Share(finding.share.0, finding.share.1),
            finding.text.into(),
        ]
    });
    let columns = columns(&[("finding", ""), ("percent", ""), ("text", "what stands out")]);
    Table::of_rows("findings", "What stands out", columns, rows.collect())
}

/// Libraries, and behind them all calls that are not inside of others.
fn levels<'a>(report: &IoReport<'a>) -> Table<'a> {
    let levels = report.by_level();
    let mut rows: Vec<Row> = Vec::new();
    for (level, facts) in &levels {
        let mut row: Row = vec![level.name().into()];
        row.extend(report.facts(facts));
        rows.push(row);
    }
    if levels.len() > 1 {
        let mut row: Row = vec!["all, outermost calls".into()];
        row.extend(report.facts(&report.total()));
        rows.push(row);
    }
    Table::of_rows("levels", "Libraries", with_facts(&[("level", "library")], &[]), rows)
}

const CALLS: [(&str, &str); 18] = [
    ("call", "call"),
    ("level", "library"),
    ("kind", "kind"),
    ("count", "calls"),
    ("failed", "failed"),
    ("ticks", "time"),
    ("percent", "%"),
    ("outer_count", ""),
    ("outer_ticks", ""),
    ("bytes", "bytes"),
    ("outer_bytes", ""),
    ("size_min", "least"),
    ("size_p25", ""),
    ("size_median", "median"),
    ("size_p75", ""),
    ("size_p95", "95 %"),
    ("size_max", "most"),
    ("rate", "rate"),
];

/// Calls by their time, the longest first. Shares are of all time in outermost calls.
fn calls<'a>(report: &IoReport<'a>) -> Table<'a> {
    let whole = report.total().all().ticks;
    let found = &report.outcome.found.calls;
    let mut all: Vec<_> = found
        .iter()
        .map(|((region, kind, level), facts)| {
            let name = match region.is_undefined() {
                true => "(no region)".to_owned(),
                false => names::region(report.definitions, *region),
            };
            (name, *level, *kind, facts)
        })
        .collect();
    all.sort_by(|a, b| {
        b.3.calls.ticks.cmp(&a.3.calls.ticks).then_with(|| (&a.0, a.1, a.2).cmp(&(&b.0, b.1, b.2)))
    });
    let row = |(name, level, kind, facts): (String, Level, Kind, &CallFacts)| {
        let sorted = facts.sizes.sorted();
        let size = |percent| percentile(&sorted, percent).map_or(Cell::Empty, length);
        let least = sorted.first().map_or(Cell::Empty, |(size, _)| length(*size));
        let bytes = |moved: &Moved| match moved.transfers() {
            [0, _] => Cell::Empty,
            _ => Cell::Bytes(moved.bytes()),
        };
        vec![
            name.into(),
            level.name().into(),
            kind.name().into(),
            Cell::Count(facts.calls.count),
            Cell::Count(facts.calls.failed),
            ticks(facts.calls.ticks),
            match kind {
                Kind::Region => Cell::Empty,
                _ => Cell::Share(facts.calls.ticks, whole),
            },
            Cell::Count(facts.outer.count),
            ticks(facts.outer.ticks),
            bytes(&facts.moved),
            bytes(&facts.outer_moved),
            least,
            size(25),
            size(50),
            size(75),
            size(95),
            size(100),
            report.rate(facts.moved.bytes(), facts.calls.ticks),
        ]
    };
    Table::of_rows("calls", "Calls", columns(&CALLS), all.into_iter().map(row).collect())
}

/// Bytes, if the trace says how many there are.
fn known(bytes: Option<u128>) -> Cell {
    bytes.map_or(Cell::Empty, Cell::Bytes)
}

fn length(bytes: u64) -> Cell {
    Cell::Length(bytes.into())
}

/// Behind the facts of files and folders.
const USE: [(&str, &str); 11] = [
    ("first", ""),
    ("last", ""),
    ("processes", "processes"),
    ("shared", ""),
    ("access", "access"),
    ("consecutive", ""),
    ("strided", ""),
    ("forward", ""),
    ("backward", ""),
    ("first_accesses", ""),
    ("unknown_places", ""),
];

/// The cells of [`USE`].
fn use_of(facts: &FileFacts) -> Row {
    let pattern = &facts.pattern;
    let processes = facts.processes.count();
    vec![
        if facts.first == u64::MAX { Cell::Empty } else { Cell::Ticks(facts.first.into()) },
        if facts.first == u64::MAX { Cell::Empty } else { Cell::Ticks(facts.last.into()) },
        Cell::Count(processes),
        (if processes > 1 { "shared" } else { "private" }).into(),
        pattern.access().map_or(Cell::Empty, |access| access.name().into()),
        Cell::Count(pattern.consecutive),
        Cell::Count(pattern.strided),
        Cell::Count(pattern.forward),
        Cell::Count(pattern.backward),
        Cell::Count(pattern.first),
        Cell::Count(pattern.unknown),
    ]
}

/// Files by the time in their calls, the longest first.
fn files<'a>(report: &IoReport<'a>) -> Table<'a> {
    let columns = with_facts(&[("level", "library")], &USE);
    let columns: Vec<_> = columns.into_iter().chain(self::columns(&[("file", "file")])).collect();
    let row = |(name, level, facts): (String, Level, FileFacts)| {
        let mut row: Row = vec![level.name().into()];
        row.extend(report.facts(&facts.facts));
        row.extend(use_of(&facts));
        row.push(name.into());
        row
    };
    Table::of_rows("files", "Files", columns, report.files().into_iter().map(row).collect())
}

/// Folders by the time in the calls of their files, the longest first.
fn directories<'a>(report: &IoReport<'a>) -> Table<'a> {
    let columns = with_facts(&[("files", "files")], &USE[..4]);
    let columns: Vec<_> =
        columns.into_iter().chain(self::columns(&[("directory", "directory")])).collect();
    let row = |(name, count, facts): (String, u64, FileFacts)| {
        let mut row: Row = vec![Cell::Count(count)];
        row.extend(report.facts(&facts.facts));
        row.extend(use_of(&facts).into_iter().take(4));
        row.push(name.into());
        row
    };
    let rows = report.folders().into_iter().map(row).collect();
    Table::of_rows("directories", "Directories", columns, rows)
}

/// When a process is busy.
const BUSY: [(&str, &str); 11] = [
    ("threads", "threads"),
    ("length", "lasts"),
    ("io", "in I/O"),
    ("unoverlapped_io", "nothing else"),
    ("compute", "computing"),
    ("unoverlapped_compute", ""),
    ("application_io", ""),
    ("unoverlapped_application_io", ""),
    ("application_compute", ""),
    ("communication", ""),
    ("files", "files"),
];

fn busy(of: &ProcessFacts, files: Cell) -> Row {
    let busy = &of.busy;
    vec![
        Cell::Count(of.threads),
        of.span.map_or(Cell::Empty, |(first, last)| Cell::Ticks((last - first).into())),
        Cell::Ticks(busy.io.into()),
        Cell::Ticks(busy.unoverlapped_io().into()),
        Cell::Ticks(busy.compute.into()),
        Cell::Ticks(busy.unoverlapped_compute().into()),
        Cell::Ticks(busy.application_io.into()),
        Cell::Ticks((busy.application_io - busy.application_both).into()),
        Cell::Ticks(busy.application_compute.into()),
        ticks(of.in_state(State::Communication)),
        files,
    ]
}

/// Processes in the order of definitions.
fn processes<'a>(report: &IoReport<'a>) -> Table<'a> {
    let before: Vec<(&str, &str)> =
        [("process", "process"), ("group", ""), ("node", "node")].into_iter().chain(BUSY).collect();
    let files = report.files_of_processes();
    let row = |(process, facts): (&u32, &ProcessFacts)| {
        let files = files.get(process).copied().unwrap_or(0);
        let mut row: Row = vec![
            report.process(*process).into(),
            Cell::id(report.group(*process)),
            report.node(*process).into(),
        ];
        row.extend(busy(facts, Cell::Count(files)));
        row.extend(report.facts(&facts.facts));
        row
    };
    let rows = report.outcome.found.processes.iter().map(row).collect();
    Table::of_rows("processes", "Processes", with_facts(&before, &[]), rows)
}

fn nodes<'a>(report: &IoReport<'a>) -> Table<'a> {
    let before = [("node", "node"), ("processes", "processes")];
    let row = |(name, (count, facts)): (String, (u64, ProcessFacts))| {
        let mut row: Row = vec![name.into(), Cell::Count(count)];
        row.extend(report.facts(&facts.facts));
        row
    };
    let rows = report.nodes().into_iter().map(row).collect();
    Table::of_rows("nodes", "Nodes", with_facts(&before, &[]), rows)
}

/// From which size on a bin counts, and below which.
fn bounds(bin: usize) -> [Cell; 2] {
    let from = bin.checked_sub(1).map_or(0, |before| BOUNDS[before]);
    [length(from), BOUNDS.get(bin).copied().map_or(Cell::Empty, length)]
}

/// How many transfers of a library are in which range of sizes.
fn sizes<'a>(report: &IoReport<'a>) -> Table<'a> {
    let mut levels: BTreeMap<(Level, Kind), Sizes> = BTreeMap::new();
    for ((_, kind, level), facts) in &report.outcome.found.calls {
        let sizes = levels.entry((*level, *kind)).or_default();
        sizes.add(&facts.sizes);
    }
    let mut rows = Vec::new();
    for ((level, kind), sizes) in levels {
        let mut bins = [(0u64, 0u128); 10];
        let mut all = 0;
        for (size, count) in sizes.sorted() {
            let bin = &mut bins[bin_of(size)];
            bin.0 += count;
            bin.1 += u128::from(size) * u128::from(count);
            all += count;
        }
        for (bin, (count, bytes)) in bins.into_iter().enumerate().filter(|(_, bin)| bin.0 > 0) {
            let [from, to] = bounds(bin);
            let share = Cell::Share(count.into(), all.into());
            let (level, kind) = (level.name().into(), kind.name().into());
            rows.push(vec![level, kind, from, to, Cell::Count(count), share, Cell::Bytes(bytes)]);
        }
    }
    let columns = columns(&[
        ("level", "library"),
        ("kind", "kind"),
        ("from", "from"),
        ("below", "below"),
        ("count", "transfers"),
        ("percent", "%"),
        ("bytes", "bytes"),
    ]);
    Table::of_rows("sizes", "Sizes of transfers", columns, rows)
}

/// The same for each file.
fn file_sizes<'a>(report: &IoReport<'a>) -> Table<'a> {
    let mut rows = Vec::new();
    for (name, level, facts) in report.files() {
        for (kind, bins) in [Kind::Read, Kind::Write].into_iter().zip(facts.sizes) {
            for (bin, count) in bins.into_iter().enumerate().filter(|(_, count)| *count > 0) {
                let [from, to] = bounds(bin);
                let (level, kind) = (level.name().into(), kind.name().into());
                rows.push(vec![level, kind, from, to, Cell::Count(count), name.clone().into()]);
            }
        }
    }
    let columns = columns(&[
        ("level", "library"),
        ("kind", "kind"),
        ("from", "from"),
        ("below", "below"),
        ("count", "transfers"),
        ("file", "file"),
    ]);
    Table::of_rows("file_sizes", "Sizes of transfers by file", columns, rows)
}

/// Of a bin of time.
const BIN: [(&str, &str); 7] = [
    ("begin", "from"),
    ("end", "to"),
    ("bytes_read", "read"),
    ("bytes_written", "written"),
    ("transfers", "transfers"),
    ("metadata", "metadata"),
    ("ticks", "time in I/O"),
];

impl IoReport<'_> {
    /// The sum of all rows of a bin, and of each.
    pub(super) fn bins(&self) -> Vec<Bin> {
        let bins = self.outcome.bins.begins.len() - 1;
        let mut sums = vec![Bin::default(); bins];
        for row in self.outcome.found.bins.values() {
            sums.iter_mut().zip(row).for_each(|(sum, bin)| sum.add(bin));
        }
        sums
    }

    fn bin(&self, bin: usize, of: &Bin) -> Row {
        let begins = &self.outcome.bins.begins;
        let from = begins[0];
        let after = |time: u64| Cell::Ticks((time - from).into());
        vec![
            after(begins[bin]),
            after(begins[bin + 1]),
            Cell::Bytes(of.read.into()),
            Cell::Bytes(of.written.into()),
            Cell::Count(of.moves),
            Cell::Count(of.metadata),
            Cell::Ticks(of.ticks.into()),
        ]
    }
}

/// Returns the table of activity over time, since the start of the trace.
fn bins<'a>(report: &IoReport<'a>) -> Table<'a> {
    let rows = match report.outcome.found.bins.is_empty() {
        true => Vec::new(),
        false => report.bins().iter().enumerate().map(|(bin, of)| report.bin(bin, of)).collect(),
    };
    Table::of_rows("bins", "Over time", columns(&BIN), rows)
}

/// The same by process, where anything happens.
fn heat<'a>(report: &IoReport<'a>) -> Table<'a> {
    let report = *report;
    let (_, shared) = report.outcome.bins.rows;
    let used = report.outcome.found.bins.iter().flat_map(|(row, bins)| {
        let used = bins.iter().enumerate().filter(|(_, of)| **of != Bin::default());
        used.map(|(bin, _)| (*row, bin as u32))
    });
    let used: Rc<[(u32, u32)]> = used.collect();
    let make = move |(row, bin): (u32, u32)| {
        let (first, last) = report.processes_of_row(row, shared);
        let bin = bin as usize;
        let mut cells: Row = vec![first.into(), last.into()];
        cells.extend(report.bin(bin, &report.outcome.found.bins[&row][bin]));
        cells
    };
    let before = [("first_process", "process"), ("last_process", "")];
    let columns = columns(before.iter().chain(&BIN));
    Table::new("heat", "Over time, by process", columns, move || {
        let used = Rc::clone(&used);
        (0..used.len()).map(move |at| make(used[at]))
    })
}

impl IoReport<'_> {
    /// The names of the first and the last process of a row of bins.
    pub(super) fn processes_of_row(&self, row: u32, shared: u32) -> (String, String) {
        let all = self.definitions.location_groups.len().max(1) as u32;
        let first = row * shared;
        let last = (first + shared - 1).min(all - 1).max(first);
        (self.process(first), self.process(last))
    }
}
