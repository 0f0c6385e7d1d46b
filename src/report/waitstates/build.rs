//! The tables of a report.

use streamfold_kernels::profile::PathRow;
use streamfold_kernels::waitstates::{Kind, LeftOut, Metric, Row};
use streamfold_model::ids::{LocationRef, Reference, SystemTreeNodeRef};

use super::WaitReport;
use crate::tables::{columns, ticks, Cell, Table};
use streamfold_analyses::critical::PlaceOnPath;
use streamfold_analyses::delays::Delays;
use streamfold_analyses::steps;
use streamfold_text::{human, names};

/// All tables, those without rows included. That of delays is there if it was asked for.
pub(super) fn tables<'a>(report: &WaitReport<'a>) -> Vec<Table<'a>> {
    let tables = [
        report.metrics(),
        report.call_paths(),
        report.by_path(),
        report.by_location(),
        report.severities(),
        report.worst(),
        report.causes(),
    ];
    let delays = report.outcome.delays.as_ref().map(|delays| report.delays(delays));
    let rest = [report.violations(), report.left_out()];
    tables.into_iter().chain(delays).chain(rest).collect()
}

pub(crate) fn path_id(path: Option<u32>) -> Cell {
    path.map_or(Cell::Empty, |path| Cell::Id(path.into()))
}

impl WaitReport<'_> {
    /// How long, how much of that is no part of it that has a row of its own, and how much of all time.
    fn times<K>(row: &Row<K>, whole: u128) -> [Cell; 3] {
        [ticks(row.ticks), ticks(row.self_ticks), Cell::Share(row.ticks, whole)]
    }
}

impl<'a> WaitReport<'a> {
    fn metrics(&self) -> Table<'a> {
        let whole = self.threads();
        let rows = self.outcome.states.metrics.iter().map(|row| {
            let parent = row.metric.parent().map_or(Cell::Empty, |parent| parent.id().into());
            let class = row.metric.class();
            let [all, own, share] = Self::times(row, whole);
            vec![
                row.metric.id().into(),
                parent,
                class.group().id().into(),
                class.id().into(),
                row.metric.title().into(),
                all,
                own,
                share,
                Cell::Count(row.instances),
            ]
        });
        Table::of_rows(
            "metrics",
            "Waits, in all",
            columns(&[
                ("metric", ""),
                ("parent", ""),
                ("group", ""),
                ("class", ""),
                ("title", "wait state"),
                ("ticks", "time"),
                ("self_ticks", ""),
                ("percent", "%"),
                ("instances", "calls"),
            ]),
            rows.collect(),
        )
    }

    fn call_paths(&self) -> Table<'a> {
        let (paths, definitions) = (&self.outcome.states.profile.paths, self.definitions);
        let columns = columns(&[("path", ""), ("parent", ""), ("depth", ""), ("region", "")]);
        Table::new("call_paths", "Call paths", columns, move || {
            paths.iter().enumerate().map(move |(number, path)| {
                vec![
                    Cell::Id(number as u64),
                    path_id(path.parent),
                    Cell::Id(path.depth.into()),
                    steps::step(definitions, path.step).into(),
                ]
            })
        })
    }

    fn by_path(&self) -> Table<'a> {
        let columns = columns(&[
            ("path", ""),
            ("metric", ""),
            ("title", "wait state"),
            ("ticks", "time"),
            ("self_ticks", ""),
            ("percent", "%"),
            ("call_path", "call path"),
        ]);
        let (report, whole) = (*self, self.threads());
        Table::new("by_path", "Waits by call path", columns, move || {
            report.outcome.states.by_path.iter().map(move |row| {
                let [all, own, share] = Self::times(row, whole);
                let (id, title) = (row.metric.id().into(), row.metric.title().into());
                vec![path_id(row.of), id, title, all, own, share, report.path(row.of)]
            })
        })
    }

    fn by_location(&self) -> Table<'a> {
        let columns = columns(&[
            ("location", ""),
            ("metric", ""),
            ("title", "wait state"),
            ("ticks", "time"),
            ("self_ticks", ""),
            ("percent", "%"),
            ("location_name", "location"),
        ]);
        let (report, whole) = (*self, self.threads());
        Table::new("by_location", "Waits by location", columns, move || {
            report.outcome.states.by_location.iter().map(move |row| {
                let [all, own, share] = Self::times(row, whole);
                let (id, title) = (row.metric.id().into(), row.metric.title().into());
                vec![Cell::Id(row.of.0), id, title, all, own, share, report.location(row.of)]
            })
        })
    }

    fn severities(&self) -> Table<'a> {
        let columns = columns(&[
            ("metric", ""),
            ("title", "wait state"),
            ("path", ""),
            ("location", ""),
            ("ticks", "time"),
            ("self_ticks", ""),
            ("percent", "%"),
            ("instances", "calls"),
            ("location_name", "location"),
            ("call_path", "call path"),
        ]);
        let (report, whole) = (*self, self.threads());
        Table::new("severities", "Waits by call path and location", columns, move || {
            report.outcome.states.severities.iter().map(move |row| report.severity(row, whole))
        })
    }

    /// A row of the table of severities.
    fn severity(&self, row: &Row<(Option<u32>, LocationRef)>, whole: u128) -> Vec<Cell> {
        let (path, location) = row.of;
        let [all, own, share] = Self::times(row, whole);
        vec![
            row.metric.id().into(),
            row.metric.title().into(),
            path_id(path),
            Cell::Id(location.0),
            all,
            own,
            share,
            Cell::Count(row.instances),
            self.location(location),
            self.path(path),
        ]
    }

    fn worst(&self) -> Table<'a> {
        let rows = self.outcome.states.worst.iter().map(|row| {
            let time = |time: u64| Cell::Ticks(time.into());
            vec![
                row.metric.id().into(),
                row.metric.title().into(),
                time(row.ticks),
                Cell::Id(row.location.0),
                path_id(row.path),
                self.region(row.path),
                time(row.enter),
                row.leave.map_or(Cell::Empty, time),
                time(row.enter.saturating_sub(self.begin())),
                Cell::Id(row.number),
                row.cause.map_or(Cell::Empty, |(location, _)| Cell::Id(location.0)),
                row.cause.map_or(Cell::Empty, |(_, path)| path_id(path)),
                self.location(row.location),
                row.cause.map_or(Cell::Empty, |(location, _)| self.location(location)),
                self.source(row.path),
                row.cause.map_or(Cell::Empty, |(_, path)| self.source(path)),
                self.path(row.path),
                row.cause.map_or(Cell::Empty, |(_, path)| self.cause_path(path)),
            ]
        });
        Table::of_rows(
            "worst",
            "The longest waits",
            columns(&[
                ("metric", ""),
                ("title", "wait state"),
                ("ticks", "time"),
                ("location", ""),
                ("path", ""),
                ("region", ""),
                ("enter", ""),
                ("leave", ""),
                ("since_begin", "entered at"),
                ("event", "event"),
                ("cause_location", ""),
                ("cause_path", ""),
                ("location_name", "location"),
                ("cause_location_name", "waited for"),
                ("source", "at"),
                ("cause_source", ""),
                ("call_path", "call path"),
                ("cause_call_path", ""),
            ]),
            rows.collect(),
        )
    }

    fn causes(&self) -> Table<'a> {
        let columns = columns(&[
            ("metric", ""),
            ("title", "wait state"),
            ("location", ""),
            ("path", ""),
            ("ticks", "time"),
            ("instances", "waits"),
            ("longest_ticks", "longest"),
            ("longest_location", ""),
            ("location_name", "who came late"),
            ("longest_location_name", "longest wait of"),
            ("source", "at"),
            ("call_path", "call path"),
        ]);
        let report = *self;
        Table::new("causes", "Who made others wait", columns, move || {
            report.outcome.states.causes.iter().map(move |of| {
                let (longest, victim) = of.longest;
                vec![
                    of.metric.id().into(),
                    of.metric.title().into(),
                    Cell::Id(of.location.0),
                    path_id(of.path),
                    ticks(of.ticks),
                    Cell::Count(of.instances),
                    Cell::Ticks(longest.into()),
                    Cell::Id(victim.0),
                    report.location(of.location),
                    report.location(victim),
                    report.source(of.path),
                    report.cause_path(of.path),
                ]
            })
        })
    }

    fn delays(&self, delays: &'a Delays) -> Table<'a> {
        let columns = columns(&[
            ("location", ""),
            ("path", ""),
            ("delay_direct_ticks", "direct"),
            ("delay_long_term_ticks", "long-term"),
            ("percent", "% of waits"),
            ("fork_join", ""),
            ("location_name", "location"),
            ("source", "at"),
            ("call_path", "call path"),
        ]);
        let (report, whole) = (*self, delays.total().ticks() + delays.not_explained());
        let rows = delays.by_place();
        Table::new("delays", "What made others wait", columns, move || {
            let rows = rows.clone().into_iter();
            rows.map(move |((location, place), cost)| {
                vec![
                    Cell::Id(location.0),
                    path_id(place.path),
                    ticks(cost.direct),
                    ticks(cost.long_term),
                    Cell::Share(cost.ticks(), whole),
                    Cell::Id(place.forking.into()),
                    report.location(location),
                    report.source(place.path),
                    report.place(place),
                ]
            })
        })
    }

    /// A call path, with the fork and join of teams as its last step.
    pub(crate) fn place(&self, place: PlaceOnPath) -> Cell {
        match (self.path(place.path), place) {
            (_, PlaceOnPath { path: None, forking: true }) => "(fork and join)".into(),
            (Cell::Text(path), PlaceOnPath { forking: true, .. }) => {
                format!("{path} > (fork and join)").into()
            }
            (path, _) => path,
        }
    }

    /// The file and the line of the innermost region of a call path of which the trace has both.
    pub(crate) fn source(&self, path: Option<u32>) -> Cell {
        let paths = &self.outcome.states.profile.paths;
        let mut next = path;
        while let Some(row) = next.and_then(|path| paths.get(path as usize)) {
            let region = steps::reference(row.step);
            let region = region.and_then(|region| self.definitions.regions.get(&region));
            let file = region.and_then(|region| {
                let file = self.definitions.string(region.source_file)?;
                Some((file.to_string(), region.begin_line_number))
            });
            match file.filter(|(file, line)| !file.is_empty() && *line > 0) {
                Some((file, line)) => {
                    return format!("{}:{line}", human::short_path(&file)).into();
                }
                None => next = row.parent,
            }
        }
        Cell::Empty
    }

    /// The last two regions of a call path.
    pub(crate) fn end_of(&self, path: Option<u32>) -> String {
        let paths = &self.outcome.states.profile.paths;
        let row = path.and_then(|path| paths.get(path as usize));
        let name = |row: &PathRow| human::short(steps::step(self.definitions, row.step));
        let above = row.and_then(|row| paths.get(row.parent? as usize));
        above.into_iter().chain(row).map(name).collect::<Vec<_>>().join(" > ")
    }

    /// The call path with which somebody came.
    fn cause_path(&self, path: Option<u32>) -> Cell {
        path.map_or(Cell::Empty, |path| self.path(Some(path)))
    }

    fn violations(&self) -> Table<'a> {
        let name = |node: SystemTreeNodeRef| match node.is_undefined() {
            true => Cell::from("<no node>"),
            false => names::system_tree_node(self.definitions, node).into(),
        };
        let rows = self.outcome.states.violations.iter().map(|((kind, cause, effect), of)| {
            let kind = match kind {
                Kind::PointToPoint => "p2p",
                Kind::Collective => "collective",
                Kind::OpenMp => "omp",
                Kind::Rma => "rma",
            };
            let (count, largest) = (Cell::Count(of.count), Cell::Ticks(of.largest.into()));
            let ids = [Cell::id(*cause), Cell::id(*effect)];
            let names = [name(*cause), name(*effect)];
            [kind.into()].into_iter().chain(ids).chain([count, largest]).chain(names).collect()
        });
        Table::of_rows(
            "violations",
            "Clocks disagree: effects that came before their causes",
            columns(&[
                ("kind", "between"),
                ("cause_node", ""),
                ("effect_node", ""),
                ("count", "how often"),
                ("largest_ticks", "at most by"),
                ("cause", "cause on"),
                ("effect", "effect on"),
            ]),
            rows.collect(),
        )
    }

    fn left_out(&self) -> Table<'a> {
        let rows = self.outcome.states.left_out.iter();
        let rows = rows.map(|(what, count)| {
            let (id, title) = left_out(*what);
            vec![id.into(), title.into(), Cell::Count(*count)]
        });
        Table::of_rows(
            "left_out",
            "What nobody is known to have waited for",
            columns(&[("what", ""), ("title", "what"), ("count", "how often")]),
            rows.collect(),
        )
    }

    /// The time of the first event of all, in ticks.
    fn begin(&self) -> u64 {
        self.outcome.begin.map_or(0, |begin| begin.0)
    }

    pub(crate) fn location(&self, location: LocationRef) -> Cell {
        names::place(self.definitions, location).into()
    }

    pub(crate) fn path(&self, path: Option<u32>) -> Cell {
        let paths = &self.outcome.states.profile.paths;
        match path {
            Some(path) => steps::callpath(self.definitions, paths, path as usize).into(),
            None => "(outside)".into(),
        }
    }

    pub(crate) fn region(&self, path: Option<u32>) -> Cell {
        let step = path.map(|path| self.outcome.states.profile.paths[path as usize].step);
        step.map_or(Cell::Empty, |step| steps::step(self.definitions, step).into())
    }
}

/// Names of a kind of items that were left out: for scripts, and for people.
pub fn left_out(what: LeftOut) -> (&'static str, &'static str) {
    match what {
        LeftOut::Sends => ("unmatched_sends", "sends without a receive"),
        LeftOut::Receives => ("unmatched_receives", "receives without a send"),
        LeftOut::NowhereMessages => {
            ("undefined_messages", "messages over communicators or with ranks that are not defined")
        }
        LeftOut::NowhereCollectives => (
            "undefined_collectives",
            "parts of collective operations on communicators that are not defined",
        ),
        LeftOut::NowhereWindows => {
            (
                "undefined_windows",
                "events of windows of memory, or with groups or ranks of them, that are not defined",
            )
        }
        LeftOut::OpenReceives => ("open_receives", "receives that were posted and never completed"),
        LeftOut::UnpostedReceives => {
            ("unposted_receives", "receives whose request was not recorded (late senders count)")
        }
        LeftOut::Cancelled => ("cancelled_requests", "requests that were cancelled"),
        LeftOut::Untracked => {
            ("untracked_requests", "requests and operations beyond those that are remembered of a location")
        }
        LeftOut::Absent => (
            "uncompared_members",
            "threads and processes beyond those that are compared at one meeting",
        ),
        LeftOut::IncompleteCollectives => {
            ("incomplete_collectives", "collective operations whose members are not all there")
        }
        LeftOut::DisagreeingCollectives => {
            ("disagreeing_collectives", "collective operations whose members disagree on what it is")
        }
        LeftOut::OpenCollectives => {
            ("open_collectives", "collective operations that were begun and never completed")
        }
        LeftOut::Epochs => {
            ("unmatched_epochs", "epochs on windows of memory without another side")
        }
        LeftOut::LargeEpochs => {
            ("large_epochs", "epochs on windows of memory with more processes than are followed")
        }
        LeftOut::LateCauses => (
            "late_causes",
            "Waits whose cause came after their end: no path leads over them",
        ),
        LeftOut::SizesUnknown => (
            "sizes_unknown",
            "traces in which no collective operation says how much it moved: all count as if they had",
        ),
    }
}

/// Returns whether a metric is the part of another wait, and adds no time.
pub(super) fn is_part(metric: Metric) -> bool {
    metric.parent().is_some()
}
