//! The sections of the page, each from one analysis.

use std::cmp::Reverse;

use bstr::ByteSlice;
use streamfold_kernels::account::{Class, Group, Role, RowsBy, Work};
use streamfold_kernels::efficiency::{Factor, ProcessWork};
use streamfold_kernels::profile::{RegionRow, Step};
use streamfold_kernels::waitstates::Metric;

use super::{Bar, FactorRow, Page, PageReport, Section};
use crate::colours::{hex, of_group};
use crate::critical::{text as critical_text, CriticalReport};
use crate::efficiency::EfficiencyReport;
use crate::io::{self as io_picture, HeatOf, IoReport};
use crate::matching::heat::ValueOf;
use crate::matching::{picture, MatchReport, MatrixOf};
use crate::profile::ProfileReport;
use crate::tables::{columns, html, ticks, Cell, Row, Table};
use crate::time_line::TimeLine;
use crate::time_map::{HeatValue, TimeMapReport};
use crate::waitstates::{text as wait_text, WaitReport};
use streamfold_analyses::steps;
use streamfold_analyses::wait_tree::{of_trace, TreeRow};
use streamfold_text::{human, names};

/// Rows of tables at most.
const ROWS: usize = 25;

/// Bars of processes at most: neighbours share one beyond that.
const BARS: usize = 48;

/// Rows of the table of processes at most.
const PROCESSES: usize = 200;

/// Parts of the time in pictures at most.
const PARTS: u32 = 256;

/// Sentence on the time line.
const ZOOM: &str =
    "Turn the wheel to zoom, drag to move, drag with Shift to add up a part; ? shows all keys.";

/// Note on times that the table of regions counts otherwise than the sections above.
const FORKS: &str = "Here the time to fork and join teams of threads belongs to the region around them; above it is OpenMP.";

impl PageReport<'_> {
    pub(super) fn resolution(&self) -> u64 {
        self.provenance.timer_resolution
    }

    fn time(&self, ticks: u128) -> String {
        human::time(ticks, self.resolution())
    }

    /// The program that ran, where the trace says it.
    pub(super) fn program(&self) -> Option<String> {
        let (_, name) = self.run.account().map.program?;
        let name = self.definitions.string(name)?.to_str_lossy().into_owned();
        let name = name.rsplit('/').next().unwrap_or_default();
        (!name.is_empty()).then(|| name.to_owned())
    }

    pub(super) fn page(&self) -> Page {
        let sections = [
            self.efficiencies(),
            self.processes(),
            self.over_time(),
            self.regions(),
            self.flame(),
            self.critical(),
            self.waits(),
            self.messages(),
            self.files(),
            self.accelerators(),
        ];
        let title = self.program();
        let input = human::visible(&self.provenance.input).into_owned();
        let creator = human::visible(&self.provenance.creator).into_owned();
        let creator = if creator.is_empty() { "an unnamed program".to_owned() } else { creator };
        let title = title.unwrap_or_else(|| human::last_parts(&input).to_owned());
        Page {
            title: self.title.map_or(title, str::to_owned),
            subtitle: format!("{input}, recorded by {creator}"),
            warnings: self
                .warnings
                .iter()
                .map(|warning| human::visible(warning).into_owned())
                .collect(),
            verdict: self.verdict(),
            facts: self.facts(),
            sections: sections.into_iter().flatten().collect(),
            losses: self
                .provenance
                .losses
                .iter()
                .map(|loss| human::visible(loss).into_owned())
                .collect(),
            loss_count: self.provenance.loss_count,
            program: self.provenance.program.clone(),
            style: if self.visits.is_some() { TimeLine::style() } else { "" },
        }
    }

    /// The verdict.
    fn verdict(&self) -> Vec<String> {
        let mut sentences = self.run.verdict().sentences();
        let critical = self.critical_report();
        let most = |report| critical_text::most(report, "The critical path");
        sentences.extend(critical.as_ref().and_then(most));
        sentences.extend(self.first_of_files());
        sentences.iter().map(|sentence| human::visible(sentence).into_owned()).collect()
    }

    /// The first finding on files, if they take time.
    fn first_of_files(&self) -> Option<String> {
        let account = self.run.account();
        let threads = account.sum(Role::Thread, 0);
        let (of_files, all) = (threads.of_group(Group::Io), threads.total());
        if of_files * 100 < all && threads.of_group(Group::Mpi) > 0 {
            return None;
        }
        let share = format!(
            "Calls on files take {} %, {}",
            human::percent(of_files, all),
            self.time(of_files)
        );
        let report = self.io_report()?;
        let finding = report.findings().into_iter().next();
        Some(match finding {
            Some(finding) => format!("{share}. {}.", finding.text.trim_end_matches('.')),
            None => format!("{share}."),
        })
    }

    fn facts(&self) -> Vec<(String, String)> {
        let whole = &self.run.whole;
        let [processes, threads, streams, devices] = whole.counts;
        let groups = whole.processes.iter().filter_map(|of| of.process.ok());
        let node =
            |group| self.definitions.location_groups.get(&group).map(|of| of.system_tree_parent);
        let nodes = groups.filter_map(node).collect::<std::collections::BTreeSet<_>>().len();
        let mut facts = vec![
            ("run time".to_owned(), self.time(whole.elapsed.into())),
            ("processes".to_owned(), human::count(processes)),
            ("threads".to_owned(), human::count(threads)),
            ("nodes".to_owned(), human::count(nodes as u64)),
        ];
        if streams > 0 {
            facts.push(("accelerator streams".to_owned(), human::count(streams)));
            facts.push(("devices".to_owned(), human::count(devices)));
        }
        facts.push(("events".to_owned(), human::count(self.run.outcome.events)));
        facts.push(("losses in reading".to_owned(), human::count(self.provenance.loss_count)));
        facts
    }

    fn efficiencies(&self) -> Option<Section> {
        let whole = &self.run.whole;
        if whole.factors.is_empty() {
            return None;
        }
        let row = |(factor, ratio): &(Factor, streamfold_kernels::efficiency::Ratio)| {
            let value = ratio.value();
            FactorRow {
                indent: factor.depth() * 22,
                title: factor.title(),
                value: human::share(value),
                percent: format!("{:.1}", value.clamp(0.0, 1.0) * 100.0),
            }
        };
        Some(Section {
            id: "efficiency".to_owned(),
            title: "How well processors are used".to_owned(),
            factors: whole.factors.iter().map(row).collect(),
            note: "Factors of POP. `streamfold efficiency` splits communication efficiency into serialisation and transfer."
                .to_owned(),
            ..Section::default()
        })
    }

    /// The length of the longest bar of a process, in ticks.
    pub(super) fn longest_bar(&self) -> u64 {
        let length = |of: &ProcessWork| of.all.all() - of.all.of(Group::Absent);
        self.run.whole.processes.iter().map(length).max().unwrap_or(0)
    }

    fn processes(&self) -> Option<Section> {
        let whole = &self.run.whole;
        let own = self.longest_bar();
        let most = self.longest.unwrap_or(own);
        if own == 0 {
            return None;
        }
        let size = whole.processes.len().div_ceil(BARS);
        let mut sorted: Vec<ProcessWork> = whole.processes.clone();
        if size > 1 {
            sorted.sort_by_key(|of| Reverse(of.all.useful()));
        }
        let bars = sorted.chunks(size).map(|processes| self.bar(processes, most)).collect();
        let is_there = |group: &&Group| {
            **group != Group::Absent && whole.processes.iter().any(|of| of.all.of(**group) > 0)
        };
        let legend = Group::ALL.iter().filter(is_there);
        let whole_time = crate::account::whole(self.run.account(), Role::Thread, self.resolution());
        let note = match size {
            1 => format!("Of {whole_time}. The number beside a bar is its time."),
            size => format!(
                "Sorted by computation, the most first. Each bar is the mean of up to {size} processes, the number beside \
                 it their time, and the line in it is from the least to the most computation among them."
            ),
        };
        let runs = std::slice::from_ref(self.run);
        let report = EfficiencyReport { runs, growth: None }.tables();
        let tables = report.table("processes").map(|table| {
            html::table(&most_and_least(table), self.resolution(), PROCESSES, |_| true)
        });
        Some(Section {
            id: "processes".to_owned(),
            title: "What processes are busy with".to_owned(),
            legend: legend.map(|group| (hex(of_group(*group)), group.title())).collect(),
            bars,
            tables: tables.into_iter().collect(),
            note,
            ..Section::default()
        })
    }

    fn bar(&self, processes: &[ProcessWork], most: u64) -> Bar {
        let name = |of: &ProcessWork| names::process(self.definitions, of.process);
        let mut work = Work::default();
        processes.iter().for_each(|of| work.add(&of.all));
        let count = processes.len() as u128;
        let whole = u128::from(most) * count;
        let parts: Vec<(Group, u128)> = Group::ALL
            .iter()
            .filter(|group| **group != Group::Absent)
            .map(|group| (*group, u128::from(work.of(*group))))
            .filter(|of| of.1 > 0)
            .collect();
        let said = parts
            .iter()
            .map(|(group, ticks)| format!("{} {}", group.title(), self.time(ticks / count)));
        let name = match processes {
            [one] => name(one),
            [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
            [] => String::new(),
        };
        let percent = |ticks: u128| format!("{:.3}", 100.0 * ticks as f64 / whole as f64);
        let useful = || processes.iter().map(|of| of.all.useful());
        let band = useful().min().zip(useful().max()).filter(|_| processes.len() > 1);
        let band = band.map(|(least, most)| {
            let (least, most) = (u128::from(least) * count, u128::from(most) * count);
            (percent(least), percent(most - least))
        });
        let length: u128 = parts.iter().map(|(_, ticks)| ticks).sum();
        Bar {
            label: format!("{name}: {}", said.collect::<Vec<_>>().join(", ")),
            name: human::visible(&name).into_owned(),
            parts: parts.iter().map(|(of, ticks)| (hex(of_group(*of)), percent(*ticks))).collect(),
            band,
            value: self.time(length / count.max(1)),
        }
    }

    fn over_time(&self) -> Option<Section> {
        let over = self.run.outcome.rows.as_ref()?;
        let account = self.run.account();
        if account.map.rows.is_empty() {
            return None;
        }
        let (map, over) = over.coarser(&account.map, self.rows, PARTS);
        let value = HeatValue::of(&map);
        let report = TimeMapReport {
            account,
            map: &map,
            over: &over,
            definitions: self.definitions,
            provenance: self.provenance,
            value,
            by: RowsBy::Process,
            critical: self.critical.map(|(path, _)| path).filter(|path| path.sections.len() > 1),
        };
        let time_line = self.time_line(&report);
        Some(Section {
            id: "time".to_owned(),
            title: "Over time".to_owned(),
            pictures: vec![report.areas(), report.heat_map()],
            texts: time_line.iter().map(|_| ZOOM.to_owned()).collect(),
            time_line: time_line.unwrap_or_default(),
            ..Section::default()
        })
    }

    /// The time line that one can zoom, if it is wanted.
    fn time_line(&self, coarse: &TimeMapReport<'_>) -> Option<String> {
        let visits = self.visits?;
        let account = self.run.account();
        let over = self.run.outcome.rows.as_ref()?;
        let map = TimeMapReport { map: &account.map, over, ..coarse.clone() };
        let line = TimeLine { map: &map, waits: Some(self.wait_report()), visits: Some(visits) };
        line.part().ok()
    }

    /// Regions, the one with most time of its own first.
    fn rows_of_regions(&self) -> Vec<RegionRow> {
        let regions = &self.waits.states.profile.regions;
        let mut rows: Vec<RegionRow> = regions
            .iter()
            .filter(|row| matches!(row.step, Step::Region(_)) && row.row.exclusive > 0)
            .copied()
            .collect();
        rows.sort_by_key(|row| Reverse(row.row.exclusive));
        rows
    }

    fn regions(&self) -> Option<Section> {
        let rows = self.rows_of_regions();
        if rows.is_empty() {
            return None;
        }
        let visits = &self.run.account().visits;
        let visited = |region, role| visits.get(&(region, role)).is_some_and(|count| *count > 0);
        let is_of_streams = |row: &RegionRow| match row.step {
            Step::Region(region) => visited(region, Role::Stream) && !visited(region, Role::Thread),
            _ => false,
        };
        let (of_streams, of_threads): (Vec<RegionRow>, Vec<RegionRow>) =
            rows.into_iter().partition(is_of_streams);
        let tables = [(of_threads, "Regions by their own time"), (of_streams, "On accelerators")];
        let tables = tables.into_iter().filter(|(rows, _)| !rows.is_empty());
        let has_teams = self.run.account().sum(Role::Thread, 0).of(Class::ForkJoin) > 0;
        Some(Section {
            id: "regions".to_owned(),
            title: "Where time goes".to_owned(),
            note: if has_teams { FORKS.to_owned() } else { String::new() },
            tables: tables.map(|(rows, title)| self.table_of_regions(&rows, title)).collect(),
            ..Section::default()
        })
    }

    /// Regions of threads, or of streams.
    fn table_of_regions(&self, rows: &[RegionRow], title: &'static str) -> html::HtmlTable {
        let total: u128 = rows.iter().map(|row| row.row.exclusive).sum();
        let cells = |of: &RegionRow| -> Row {
            let spread = of.row.spread;
            let mean = of.row.exclusive / u128::from(spread.locations.max(1));
            vec![
                steps::step(self.definitions, of.step).into(),
                ticks(of.row.exclusive),
                Cell::Share(of.row.exclusive, total),
                ticks(of.outer),
                Cell::Count(of.row.visits),
                ticks(if spread.locations > 0 { spread.least } else { 0 }),
                ticks(mean),
                ticks(spread.most),
                names::place(self.definitions, spread.most_at).into(),
                self.source(of.step),
            ]
        };
        let columns = columns(&[
            ("region", "region"),
            ("exclusive", "own time"),
            ("percent", "%"),
            ("inclusive", "with callees"),
            ("visits", "visits"),
            ("least", "least of a thread"),
            ("mean", "mean"),
            ("most", "most"),
            ("most_at", "most in"),
            ("source", "at"),
        ]);
        let rows = rows.iter().map(cells).collect();
        let table = Table::of_rows("regions", title, columns, rows);
        html::table(&table, self.resolution(), 40, |_| true)
    }

    fn source(&self, step: Step) -> Cell {
        let region =
            steps::reference(step).and_then(|region| self.definitions.regions.get(&region));
        let file = region.and_then(|of| {
            Some((self.definitions.string(of.source_file)?.to_string(), of.begin_line_number))
        });
        match file.filter(|(file, line)| !file.is_empty() && *line > 0) {
            Some((file, line)) => format!("{}:{line}", human::short_path(&file)).into(),
            None => Cell::Empty,
        }
    }

    fn flame(&self) -> Option<Section> {
        let profile = &self.waits.states.profile;
        if profile.paths.is_empty() {
            return None;
        }
        let report = ProfileReport {
            profile,
            definitions: self.definitions,
            provenance: self.provenance,
            derived: &[],
        };
        Some(Section {
            id: "flame".to_owned(),
            title: "Call paths".to_owned(),
            texts: vec!["Click a box to enlarge it.".to_owned()],
            pictures: vec![report.flame_graph()],
            ..Section::default()
        })
    }

    fn wait_report(&self) -> WaitReport<'_> {
        WaitReport {
            outcome: self.waits,
            accounted: &self.run.outcome,
            definitions: self.definitions,
            provenance: self.provenance,
        }
    }

    fn waits(&self) -> Option<Section> {
        let report = self.wait_report();
        let tables = report.table_report();
        // A wait that is a part of another one stands there as that.
        let parts = Metric::all().filter(|metric| metric.parent().is_some());
        let parts: Vec<&str> = parts.map(Metric::id).collect();
        let has_time = |row: &Row| {
            let is_part = matches!(row.first(), Some(Cell::Text(id)) if parts.contains(&&**id));
            !is_part && row.iter().any(|cell| matches!(cell, Cell::Ticks(ticks) if *ticks > 0))
        };
        let made = ["worst", "causes"].into_iter().filter_map(|name| {
            let table = tables.table(name).filter(|table| !table.is_empty())?;
            Some(html::table(&by_time(table), self.resolution(), ROWS, has_time))
        });
        let mut tables: Vec<_> = made.filter(|table| !table.rows.is_empty()).collect();
        if !tables.is_empty() {
            tables.insert(0, html::table(&tree(&report), self.resolution(), 100, |_| true));
        }
        (!tables.is_empty()).then(|| Section {
            id: "waits".to_owned(),
            title: "Who waits for whom".to_owned(),
            texts: wait_text::sentences(&report)
                .into_iter()
                .map(|sentence| human::visible(&sentence).into_owned())
                .collect(),
            tables,
            ..Section::default()
        })
    }

    /// The critical path, if it is on more than one location.
    fn critical_report(&self) -> Option<CriticalReport<'_>> {
        let (path, accounted) = self.critical.filter(|(path, _)| path.sections.len() > 1)?;
        let waits = WaitReport { accounted, ..self.wait_report() };
        Some(CriticalReport { waits, path, run_ticks: path.total() })
    }

    fn critical(&self) -> Option<Section> {
        let report = self.critical_report()?;
        let tables = report.table_report();
        let made = ["by_call_path", "by_class", "by_location", "longest"].map(|name| {
            let table = tables.table(name).filter(|table| !table.is_empty())?;
            Some(html::table(table, self.resolution(), ROWS, |_| true))
        });
        let texts = critical_text::sentences(&report).into_iter();
        Some(Section {
            id: "critical".to_owned(),
            title: "What determined how long it took".to_owned(),
            texts: texts.map(|text| human::visible(&text).into_owned()).collect(),
            tables: made.into_iter().flatten().collect(),
            ..Section::default()
        })
    }

    fn messages(&self) -> Option<Section> {
        let outcome = self.matched?;
        let count: u64 = outcome.messages.by_comm.values().map(|of| of.matched.messages).sum();
        if count == 0 {
            return None;
        }
        let processes = streamfold_kernels::matching::Processes::new(self.definitions);
        let report = MatchReport {
            outcome,
            definitions: self.definitions,
            processes: &processes,
            provenance: self.provenance,
            matrix: MatrixOf::Process,
            files: &[],
        };
        Some(Section {
            id: "messages".to_owned(),
            title: "Messages".to_owned(),
            texts: vec![format!("{} matched.", human::plural(count, "message"))],
            pictures: vec![picture::svg(&report, ValueOf::Bytes, self.squares)],
            ..Section::default()
        })
    }

    /// The use of files, if there is any.
    fn io_report(&self) -> Option<IoReport<'_>> {
        let report = IoReport {
            outcome: self.io?,
            account: self.run.account(),
            definitions: self.definitions,
            provenance: self.provenance,
            left_out: None,
        };
        (!report.total().is_empty()).then_some(report)
    }

    fn files(&self) -> Option<Section> {
        let report = self.io_report()?;
        let mut picture = Vec::new();
        let drawn = io_picture::write_svg(&mut picture, &report, HeatOf::default());
        let pictures = drawn.ok().map(|()| String::from_utf8_lossy(&picture).into_owned());
        let tables = report.tables();
        let made =
            ["levels", "calls", "files", "processes", "sizes"].into_iter().filter_map(|name| {
                let table = tables.table(name).filter(|table| !table.is_empty())?;
                Some(html::table(table, self.resolution(), ROWS, |_| true))
            });
        Some(Section {
            id: "files".to_owned(),
            title: "Files".to_owned(),
            texts: report.findings().into_iter().map(|finding| finding.text).collect(),
            pictures: pictures.into_iter().collect(),
            tables: made.collect(),
            ..Section::default()
        })
    }

    fn accelerators(&self) -> Option<Section> {
        let account = self.run.account();
        if account.sum(Role::Stream, 0).count == 0 {
            return None;
        }
        let resolution = self.resolution();
        let whole = crate::account::whole(account, Role::Stream, resolution);
        let table = crate::account::table(&[(account, resolution)]);
        let is_of_streams = |row: &Row| row[1] == Cell::from("streams");
        Some(Section {
            id: "accelerators".to_owned(),
            title: "Accelerators".to_owned(),
            texts: vec![format!("Of {whole}.")],
            tables: vec![html::table(&table, resolution, ROWS, is_of_streams)],
            ..Section::default()
        })
    }
}

/// The processes by their computation: some with most, then some with least, then all others.
fn most_and_least<'t>(table: &Table<'_>) -> Table<'t> {
    let at = table.columns.iter().position(|column| column.name == "computation_ticks");
    let computation = |row: &Row| match at.map(|at| &row[at]) {
        Some(Cell::Ticks(ticks)) => *ticks,
        _ => 0,
    };
    let mut rows: Vec<Row> = table.rows().collect();
    rows.sort_by_key(|row| Reverse(computation(row)));
    let (most, least) = (8, 7);
    if rows.len() > most + least {
        let end = rows.split_off(rows.len() - least);
        let rest = rows.split_off(most);
        rows.extend(end);
        rows.extend(rest);
    }
    Table::of_rows(
        table.name,
        "Processes: most and least computation first",
        table.columns.clone(),
        rows,
    )
}

/// All classes of threads that have time, each with the waits that are parts of it.
fn tree<'t>(report: &WaitReport<'_>) -> Table<'t> {
    let account = &report.accounted.account;
    let total = account.sum(Role::Thread, 0).total();
    let row = |of: TreeRow| -> Row {
        let indent: String = std::iter::repeat_n(html::INDENT, of.depth).collect();
        vec![
            format!("{indent}{}", of.title).into(),
            if of.ticks > 0 { ticks(of.ticks) } else { Cell::Empty },
            if of.ticks > 0 { Cell::Share(of.ticks, total) } else { Cell::Empty },
            of.waits.map_or(Cell::Empty, Cell::Count),
        ]
    };
    let columns =
        columns(&[("title", "class"), ("ticks", "time"), ("percent", "%"), ("waits", "waits")]);
    let rows = of_trace(account, &report.outcome.states).into_iter().map(row).collect();
    Table::of_rows("tree", "Where time went", columns, rows)
}

/// The same table, with the rows of most time first.
fn by_time<'t>(table: &Table<'_>) -> Table<'t> {
    let time = |row: &Row| {
        row.iter().find_map(|cell| match cell {
            Cell::Ticks(ticks) => Some(*ticks),
            _ => None,
        })
    };
    let mut rows: Vec<Row> = table.rows().collect();
    rows.sort_by_key(|row| Reverse(time(row)));
    Table::of_rows(table.name, table.title.clone(), table.columns.clone(), rows)
}
