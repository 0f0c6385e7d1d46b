//! The tables of a report.

use streamfold_kernels::waitstates::{Kind, LeftOut, Metric, Row};
use streamfold_model::ids::{LocationRef, Reference, SystemTreeNodeRef};

use super::WaitReport;
use crate::report::names;
use crate::report::tables::{columns, Cell, Table};

/// All tables, those without rows included.
pub fn tables(report: &WaitReport<'_>) -> Vec<Table> {
    vec![
        report.metrics(),
        report.call_paths(),
        report.by_path(),
        report.by_location(),
        report.severities(),
        report.worst(),
        report.violations(),
        report.left_out(),
    ]
}

fn ticks(ticks: u128) -> Cell {
    Cell::Ticks(i128::try_from(ticks).unwrap_or(i128::MAX))
}

fn count(count: Option<u64>) -> Cell {
    count.map_or(Cell::Empty, Cell::Count)
}

fn path_id(path: Option<u32>) -> Cell {
    path.map_or(Cell::Empty, |path| Cell::Id(path.into()))
}

fn times<K>(row: &Row<K>) -> [Cell; 2] {
    [ticks(row.ticks), ticks(row.self_ticks)]
}

impl WaitReport<'_> {
    fn metrics(&self) -> Table {
        let rows = self.outcome.states.metrics.iter().map(|row| {
            let parent = row.metric.parent().map_or(Cell::Empty, |parent| parent.id().into());
            let [all, own] = times(row);
            vec![
                row.metric.id().into(),
                parent,
                row.metric.title().into(),
                all,
                own,
                count(row.instances),
            ]
        });
        Table {
            name: "metrics",
            title: "Where time went".to_owned(),
            columns: columns(&[
                ("metric", ""),
                ("parent", ""),
                ("title", "metric"),
                ("ticks", "time"),
                ("self_ticks", ""),
                ("instances", "calls"),
            ]),
            rows: rows.collect(),
        }
    }

    fn call_paths(&self) -> Table {
        let paths = &self.outcome.states.profile.paths;
        let rows = paths.iter().zip(0..).map(|(path, number)| {
            vec![
                Cell::Id(number),
                path_id(path.parent),
                Cell::Id(path.depth.into()),
                names::step(self.definitions, path.step).into(),
            ]
        });
        Table {
            name: "call_paths",
            title: "Call paths".to_owned(),
            columns: columns(&[("path", ""), ("parent", ""), ("depth", ""), ("region", "")]),
            rows: rows.collect(),
        }
    }

    fn by_path(&self) -> Table {
        let rows = self.outcome.states.by_path.iter().map(|row| {
            let [all, own] = times(row);
            vec![path_id(row.of), row.metric.id().into(), all, own]
        });
        Table {
            name: "by_path",
            title: "By call path".to_owned(),
            columns: columns(&[("path", ""), ("metric", ""), ("ticks", ""), ("self_ticks", "")]),
            rows: rows.collect(),
        }
    }

    fn by_location(&self) -> Table {
        let rows = self.outcome.states.by_location.iter().map(|row| {
            let [all, own] = times(row);
            vec![Cell::Id(row.of.0), row.metric.id().into(), all, own]
        });
        Table {
            name: "by_location",
            title: "By location".to_owned(),
            columns: columns(&[
                ("location", ""),
                ("metric", ""),
                ("ticks", ""),
                ("self_ticks", ""),
            ]),
            rows: rows.collect(),
        }
    }

    fn severities(&self) -> Table {
        let rows = self.outcome.states.severities.iter().map(|row| {
            let (path, location) = row.of;
            let [all, own] = times(row);
            vec![
                row.metric.id().into(),
                row.metric.title().into(),
                path_id(path),
                Cell::Id(location.0),
                all,
                own,
                count(row.instances),
                self.location(location),
                self.path(path),
            ]
        });
        Table {
            name: "severities",
            title: "Waits by call path and location".to_owned(),
            columns: columns(&[
                ("metric", ""),
                ("title", "wait state"),
                ("path", ""),
                ("location", ""),
                ("ticks", "time"),
                ("self_ticks", ""),
                ("instances", "calls"),
                ("location_name", "location"),
                ("call_path", "call path"),
            ]),
            rows: rows.collect(),
        }
    }

    fn worst(&self) -> Table {
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
                time(row.leave),
                time(row.enter.saturating_sub(self.begin())),
                Cell::Id(row.number),
                self.location(row.location),
                self.path(row.path),
            ]
        });
        Table {
            name: "worst",
            title: "The longest waits".to_owned(),
            columns: columns(&[
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
                ("location_name", "location"),
                ("call_path", "call path"),
            ]),
            rows: rows.collect(),
        }
    }

    fn violations(&self) -> Table {
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
        Table {
            name: "violations",
            title: "Clocks disagree: effects that came before their causes".to_owned(),
            columns: columns(&[
                ("kind", "between"),
                ("cause_node", ""),
                ("effect_node", ""),
                ("count", "how often"),
                ("largest_ticks", "at most by"),
                ("cause", "cause on"),
                ("effect", "effect on"),
            ]),
            rows: rows.collect(),
        }
    }

    fn left_out(&self) -> Table {
        let rows = self.outcome.states.left_out.iter();
        let rows = rows.map(|(what, count)| {
            let (id, title) = left_out(*what);
            vec![id.into(), title.into(), Cell::Count(*count)]
        });
        Table {
            name: "left_out",
            title: "What nobody is known to have waited for".to_owned(),
            columns: columns(&[("what", ""), ("title", "what"), ("count", "how often")]),
            rows: rows.collect(),
        }
    }

    /// The time of the first event of all, in ticks.
    fn begin(&self) -> u64 {
        let locations = &self.outcome.states.profile.locations;
        locations.iter().filter_map(|row| row.first).map(|time| time.0).min().unwrap_or(0)
    }

    fn location(&self, location: LocationRef) -> Cell {
        let group = names::group_of(self.definitions, location);
        format!("{group}, {}", names::location(self.definitions, location)).into()
    }

    fn path(&self, path: Option<u32>) -> Cell {
        let paths = &self.outcome.states.profile.paths;
        match path {
            Some(path) => names::callpath(self.definitions, paths, path as usize).into(),
            None => "(outside)".into(),
        }
    }

    fn region(&self, path: Option<u32>) -> Cell {
        let step = path.map(|path| self.outcome.states.profile.paths[path as usize].step);
        step.map_or(Cell::Empty, |step| names::step(self.definitions, step).into())
    }
}

/// For scripts, and for people.
fn left_out(what: LeftOut) -> (&'static str, &'static str) {
    match what {
        LeftOut::Sends => ("unmatched_sends", "sends without a receive"),
        LeftOut::Receives => ("unmatched_receives", "receives without a send"),
        LeftOut::NowhereMessages => {
            ("undefined_messages", "messages over communicators or with ranks that are not defined")
        }
        LeftOut::OpenReceives => ("open_receives", "receives that were posted and never completed"),
        LeftOut::UnpostedReceives => {
            ("unposted_receives", "receives whose request was not recorded (late senders count)")
        }
        LeftOut::Cancelled => ("cancelled_requests", "requests that were cancelled"),
        LeftOut::Untracked => {
            ("untracked_requests", "requests and operations beyond those that are remembered of a location")
        }
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
        LeftOut::SizesUnknown => (
            "sizes_unknown",
            "traces in which no collective operation says how much it moved: all count as if they had",
        ),
    }
}

/// Whether a metric is the part of another wait, and no more time.
pub(super) fn is_part(metric: Metric) -> bool {
    metric.parent().is_some_and(Metric::is_wait)
}
