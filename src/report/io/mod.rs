//! File accesses: tables for people and scripts, and a picture.

mod build;
mod findings;
mod picture;
mod subjects;
mod text;

use std::collections::BTreeMap;

use serde_json::json;
use streamfold_kernels::account::Account;
use streamfold_kernels::io::{Facts, Level};
use streamfold_model::store::Definitions;

use crate::provenance::Provenance;
use crate::tables::{Schema, TableReport};
use streamfold_analyses::io::Outcome;

pub use findings::Finding;
pub use picture::{write_png, write_svg, HeatOf};
pub use text::write as write_text;

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "io", version: "1.1" };

/// Report on files.
#[derive(Clone, Copy, Debug)]
pub struct IoReport<'a> {
    /// Outcome of the analysis.
    pub outcome: &'a Outcome,
    /// The account of the same time.
    pub account: &'a Account,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
    /// How many files are left out, and why; `None`: none is to be.
    pub left_out: Option<(u64, &'a str)>,
}

impl<'a> IoReport<'a> {
    /// All calls that are not inside of others.
    pub fn total(&self) -> Facts {
        self.outcome.found.processes.values().fold(Facts::default(), |mut sum, of| {
            sum.add(&of.facts);
            sum
        })
    }

    /// All calls by library, those inside of others included.
    pub fn by_level(&self) -> BTreeMap<Level, Facts> {
        let mut levels: BTreeMap<Level, Facts> = BTreeMap::new();
        for ((_, kind, level), call) in &self.outcome.found.calls {
            let of = levels.entry(*level).or_default();
            of.kinds[*kind as usize].add(&call.calls);
            of.moved.add(&call.moved);
        }
        levels
    }

    /// Ticks from the first to the last event.
    pub fn length(&self) -> u64 {
        self.outcome.span.map_or(0, |(first, last)| last - first)
    }

    /// All tables, those without rows included.
    pub fn tables(&self) -> TableReport<'a> {
        let Outcome { whole, found, .. } = self.outcome;
        let total = self.total();
        let seconds_of_threads = found.processes.values().fold([0; 6], |mut sum, of| {
            sum.iter_mut().zip(of.states).for_each(|(sum, ticks)| *sum += ticks);
            sum
        });
        let states =
            ["io", "application_io", "communication", "computing", "other_calls", "outside"];
        let threads: serde_json::Map<String, serde_json::Value> = states
            .iter()
            .zip(seconds_of_threads)
            .map(|(name, ticks)| ((*name).to_owned(), json!(ticks)))
            .collect();
        let resolution = self.provenance.timer_resolution;
        let mut more = vec![
            ("account", crate::account::json(self.account, resolution)),
            (
                "time",
                json!({
                    "length": self.length(),
                    "io": whole.io,
                    "compute": whole.compute,
                    "io_and_compute": whole.both,
                    "unoverlapped_io": whole.unoverlapped_io(),
                    "unoverlapped_compute": whole.unoverlapped_compute(),
                    "application_io": whole.application_io,
                    "application_compute": whole.application_compute,
                    "unoverlapped_application_io": whole.application_io - whole.application_both,
                    "unoverlapped_application_compute":
                        whole.application_compute - whole.application_both,
                    "of_threads": threads,
                }),
            ),
            (
                "total",
                json!({
                    "calls": total.all().count, "failed": total.all().failed,
                    "ticks": total.all().ticks, "bytes_read": total.moved.known_read(),
                    "bytes_written": total.moved.known_written(),
                    "transfers_without_size": total.moved.transfers()[1],
                    "metadata_ticks": total.metadata().ticks,
                }),
            ),
        ];
        if let Some((files, why)) = self.left_out {
            let facts = found.left_out;
            more.push((
                "left_out",
                json!({
                    "files": files, "why": why, "calls": facts.all().count,
                    "ticks": facts.all().ticks, "bytes": facts.moved.bytes(),
                }),
            ));
        }
        let tables = build::tables(self);
        TableReport {
            schema: SCHEMA,
            provenance: self.provenance,
            definitions: self.definitions,
            more,
            tables,
        }
    }
}
