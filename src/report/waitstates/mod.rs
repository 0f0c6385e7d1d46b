//! Wait states, as people and programs read them.
//!
//! docs/use/waitstates.md describes the layouts. All of them show the same tables.

pub(crate) mod build;
pub mod text;

pub use build::left_out;

use build::tables;
use std::collections::BTreeMap;

use serde_json::json;
use streamfold_kernels::account::Role;
use streamfold_kernels::waitstates::Metric;
use streamfold_model::store::Definitions;

use super::cubex::More;
use super::provenance::Provenance;
use super::tables::{Schema, TableReport};
use streamfold_analyses::critical::PlaceOnPath;
use streamfold_analyses::waitstates::Outcome;

/// The layout of JSON and HDF5.
const SCHEMA: Schema = Schema { command: "waitstates", version: "2.1" };

/// Input of a report.
#[derive(Clone, Copy, Debug)]
pub struct WaitReport<'a> {
    /// The result.
    pub outcome: &'a Outcome,
    /// The account of the same time.
    pub accounted: &'a streamfold_analyses::account::Outcome,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
}

impl<'a> WaitReport<'a> {
    /// The time of all threads, in ticks: the whole of which shares are taken.
    fn threads(&self) -> u128 {
        self.accounted.account.sum(Role::Thread, 0).total()
    }

    /// All tables, with what outputs for scripts say of them.
    pub fn table_report(&self) -> TableReport<'a> {
        let WaitReport { definitions, provenance, .. } = *self;
        let resolution = provenance.timer_resolution;
        let units = json!({ "time": "ticks", "ticks_per_second": resolution });
        let account = crate::account::json(&self.accounted.account, resolution);
        let mut more = vec![("units", units), ("account", account)];
        if let Some(delays) = &self.outcome.delays {
            more.push((
                "delay_not_explained_ticks",
                crate::account::number(delays.not_explained()),
            ));
        }
        TableReport { schema: SCHEMA, provenance, definitions, more, tables: tables(self) }
    }

    /// The costs of delays as metrics of a file of Cube, under the names of Scalasca.
    pub fn delay_costs(&self) -> Vec<More> {
        let Some(delays) = &self.outcome.delays else { return Vec::new() };
        let mut found: BTreeMap<DelayKind, [Vec<_>; 2]> = BTreeMap::new();
        for ((metric, location, PlaceOnPath { path, .. }), cost) in &delays.of {
            let [direct, long_term] = found.entry(DelayKind::of(*metric)).or_default();
            direct.push((*path, *location, cost.direct));
            long_term.push((*path, *location, cost.long_term));
        }
        let more = |(kind, ticks): (DelayKind, [Vec<_>; 2])| {
            let [direct, long_term] = ticks;
            let of = |is_direct: bool, ticks: Vec<_>| {
                let (of, what) = match is_direct {
                    true => ("", "direct"),
                    false => ("_longterm", "long-term"),
                };
                More {
                    display: format!("{} delay costs, {what}", kind.title),
                    unique: format!("delay_{}{of}", kind.id),
                    description: format!("Delay costs > {} > {what}", kind.title),
                    parent: None,
                    ticks,
                    aside: None,
                }
            };
            [of(true, direct), of(false, long_term)]
        };
        found.into_iter().flat_map(more).collect()
    }

    /// The waits as metrics of a file of Cube: each that was found, with the waits below it inside.
    pub fn waits(&self) -> Vec<More> {
        let rows = &self.outcome.states.severities;
        let mut found: BTreeMap<Metric, Vec<_>> = BTreeMap::new();
        for row in rows {
            let (path, location) = row.of;
            found.entry(row.metric).or_default().push((path, location, row.ticks));
        }
        let metrics: Vec<Metric> = found.keys().copied().collect();
        let place = |metric: Metric| metrics.iter().position(|other| *other == metric);
        let more = |(metric, ticks): (Metric, Vec<_>)| More {
            display: metric.title().to_owned(),
            unique: metric.id().to_owned(),
            description: described(metric),
            parent: metric.parent().and_then(place),
            ticks,
            aside: None,
        };
        found.into_iter().map(more).collect()
    }
}

/// A kind of waits for which delays have costs of their own in a file of Cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DelayKind {
    id: &'static str,
    title: &'static str,
}

impl DelayKind {
    /// That of a wait: those that Scalasca has, or else its own.
    fn of(metric: Metric) -> Self {
        let (id, title) = match metric {
            Metric::MPI_LATESENDER => ("latesender", "Late-sender"),
            Metric::MPI_LATERECEIVER => ("latereceiver", "Late-receiver"),
            Metric::MPI_BARRIER_WAIT => ("barrier", "Barrier"),
            Metric::MPI_WAIT_NXN => ("n2n", "N-to-N"),
            Metric::MPI_LATEBROADCAST => ("12n", "1-to-N"),
            Metric::MPI_EARLYREDUCE => ("n21", "N-to-1"),
            Metric::OMP_EBARRIER_WAIT | Metric::OMP_IBARRIER_WAIT => {
                ("ompbarrier", "OpenMP barrier")
            }
            other => (other.id(), other.title()),
        };
        DelayKind { id, title }
    }
}

/// Returns the title of the class of a wait, and the titles of the waits above it and its own.
fn described(metric: Metric) -> String {
    let up = std::iter::successors(Some(metric), |metric| metric.parent());
    let mut titles: Vec<_> = up.map(Metric::title).collect();
    titles.push(metric.class().title());
    titles.reverse();
    titles.join(" > ")
}
