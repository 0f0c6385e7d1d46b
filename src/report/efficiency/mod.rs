//! How well runs use their processors: tables for people and scripts, and the shape that TALP-Pages reads.
//!
//! docs/use/efficiency.md describes the layouts.

mod build;
mod talp;
mod text;

use serde_json::json;
use streamfold_kernels::account::Account;
use streamfold_kernels::efficiency::{Efficiencies, Factor, ProcessWork};
use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use super::tables::{Schema, TableReport};
use super::verdict::Verdict;
use streamfold_analyses::account::Outcome;
use streamfold_text::{human, names};

pub use talp::write as write_talp;
pub use text::{bar, write as write_text};

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "efficiency", version: "2.0" };

/// One run.
#[derive(Debug)]
pub struct Run {
    /// Outcome of the analysis.
    pub outcome: Outcome,
    /// Efficiencies of all that counts.
    pub whole: Efficiencies,
    /// Of each part of the time, with the ticks at which it begins and ends.
    pub bins: Vec<(u64, u64, Efficiencies)>,
    /// Definitions that its references lead to.
    pub definitions: Definitions,
    /// Provenance of the run.
    pub provenance: Provenance,
    /// Replays with other times, if they were asked for.
    pub replays: Option<Replays>,
    /// The run, of several in one folder.
    pub part: Option<String>,
}

/// Replays of a run with other times. All times are in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replays {
    /// How long it took.
    pub run_ticks: u64,
    /// Dependencies that could not be kept: clocks disagree.
    pub given_up: u64,
    /// The scenarios. The first is an ideal network.
    pub scenarios: Vec<WhatIf>,
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The difference, in words.
    pub what: String,
    /// The region whose time changes.
    pub region: Option<String>,
    /// The part of that time that stays, in millionths.
    pub millionths: u64,
    /// Ticks that each message takes longer.
    pub latency_ticks: u64,
    /// How long the run would take.
    pub ticks: u64,
}

/// Runs, and how they scale.
#[derive(Clone, Copy, Debug)]
pub struct EfficiencyReport<'a> {
    /// In the order in which they were given.
    pub runs: &'a [Run],
    /// How the problem grows with the number of processors; `None`: that is assumed.
    pub growth: Option<Growth>,
}

impl Run {
    /// A run of which an account was made. `is_whole`: all of the time of each thread counts, in the window.
    pub fn new(
        outcome: Outcome,
        definitions: Definitions,
        provenance: Provenance,
        is_whole: bool,
    ) -> Run {
        let whole = outcome.efficiencies(&definitions, is_whole);
        let mut bins = Vec::new();
        if let Some((of, account)) = &outcome.bins {
            for bin in 0..of.count() {
                let (begin, end) = (of.begin_of(bin), of.begin_of(bin + 1));
                let length = Some(end - begin);
                let found = Efficiencies::new(account, &definitions, bin as usize, length, &[]);
                bins.push((begin, end, found));
            }
        }
        Run { outcome, whole, bins, definitions, provenance, replays: None, part: None }
    }

    /// The same as one of several runs in a folder.
    #[must_use]
    pub fn of_part(mut self, part: Option<String>) -> Run {
        if let Some(name) = &part {
            self.provenance.input = format!("{} ({name})", self.provenance.input);
        }
        Run { part, ..self }
    }

    /// The same with what it would take with other times.
    #[must_use]
    pub fn replayed(mut self, replays: Option<Replays>) -> Run {
        if let Some(ideal) = replays.as_ref().and_then(|of| of.scenarios.first()) {
            self.whole.add_ideal(ideal.ticks);
        }
        Run { replays, ..self }
    }

    /// Ticks a second.
    pub fn resolution(&self) -> u64 {
        self.provenance.timer_resolution
    }

    /// The account of all that counts.
    pub fn account(&self) -> &Account {
        &self.outcome.account
    }

    /// The name of a process.
    fn process(&self, of: &ProcessWork) -> String {
        names::process(&self.definitions, of.process)
    }

    /// Instructions, instructions in a cycle, and cycles in a second of computation. `None`: they were not counted.
    pub fn rates(&self) -> Option<[f64; 3]> {
        let [instructions, cycles] = self.whole.counted.map(|of| of as f64);
        let useful = self.seconds(self.whole.useful);
        let is_known = instructions > 0.0 && cycles > 0.0 && useful > 0.0;
        is_known.then(|| [instructions, instructions / cycles, cycles / useful])
    }

    /// The verdict on it.
    pub fn verdict(&self) -> Verdict<'_> {
        let (outcome, definitions) = (&self.outcome, &self.definitions);
        Verdict { outcome, definitions, resolution: self.resolution() }
    }

    fn seconds(&self, ticks: u128) -> f64 {
        ticks as f64 / self.resolution().max(1) as f64
    }
}

/// The sentence on several runs in one folder; on a list that is long the first of them.
pub(crate) fn several(names: &[&str]) -> String {
    const NAMED: usize = 8;
    let first: Vec<_> = names.iter().take(NAMED).map(|name| human::visible(name)).collect();
    let more = human::and_more(names.len().saturating_sub(NAMED) as u64, "");
    let runs = human::plural(names.len() as u64, "run");
    format!(
        "{runs}: {}{more}. One began after the other: they are compared, not added.",
        first.join(", ")
    )
}

/// How the problem of a program grows with the number of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// It stays as it is: strong scaling.
    Strong,
    /// It grows as much: weak scaling.
    Weak,
}

impl Growth {
    fn name(self) -> &'static str {
        match self {
            Growth::Strong => "strong",
            Growth::Weak => "weak",
        }
    }
}

/// How a run compares with the one that has the fewest processors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Useful time of that run, of that of this one.
    pub computation: f64,
    /// That, times parallel efficiency.
    pub global: f64,
    /// Run time of that run, of that of this one; times processors, where the problem grows with them.
    pub speed_up: f64,
    /// Instructions of that run, of those of this one; instructions in a cycle and cycles in a second of this one, of
    /// those of that run. Their product is that of computation. `None`: a run has no counters of both.
    pub counted: Option<[f64; 3]>,
}

impl<'a> EfficiencyReport<'a> {
    /// The run with the fewest processors, the first of several.
    pub fn reference(&self) -> usize {
        let threads = |of: &usize| self.runs[*of].whole.counts[1];
        (0..self.runs.len()).min_by_key(threads).unwrap_or(0)
    }

    /// How a run scales; `None`: there is one run only, or nothing to compare.
    pub fn scaling(&self, of: usize) -> Option<Scaling> {
        if self.runs.len() < 2 {
            return None;
        }
        let (base, run) = (&self.runs[self.reference()], &self.runs[of]);
        let whole = |run: &Run| {
            let whole = &run.whole;
            (run.seconds(whole.useful), run.seconds(whole.elapsed.into()), whole.counts[1] as f64)
        };
        let ((useful_base, time_base, n_base), (useful, time, n)) = (whole(base), whole(run));
        if [useful, time, n_base].contains(&0.0) {
            return None;
        }
        let grown = if self.growth().0 == Growth::Weak { n / n_base } else { 1.0 };
        let computation = useful_base / useful * grown;
        let parallel = run.whole.factor(Factor::Parallel).map_or(0.0, |of| of.value());
        Some(Scaling {
            computation,
            global: parallel * computation,
            speed_up: time_base / time * grown,
            counted: base
                .rates()
                .zip(run.rates())
                .map(|(base, run)| [base[0] / run[0] * grown, run[1] / base[1], run[2] / base[2]]),
        })
    }

    /// Returns whether all runs have as many threads: they are compared then, and say nothing of scaling.
    pub fn is_even(&self) -> bool {
        let threads = |run: &Run| run.whole.counts[1];
        self.runs.iter().all(|run| threads(run) == threads(&self.runs[0]))
    }

    /// How the problem grows, and whether that is an assumption from the computation: of runs that compute about as long
    /// in all, it stays as it is; of runs whose threads compute about as long each, it grows with them.
    pub fn growth(&self) -> (Growth, bool) {
        if let Some(growth) = self.growth {
            return (growth, false);
        }
        let base = &self.runs[self.reference()];
        let (mut strong, mut weak) = (0.0, 0.0);
        for run in self.runs {
            let of = |run: &Run| (run.seconds(run.whole.useful), run.whole.counts[1].max(1) as f64);
            let ((useful_base, n_base), (useful, n)) = (of(base), of(run));
            if useful_base > 0.0 && useful > 0.0 {
                let grows = (useful / useful_base).ln();
                strong += grows.abs();
                weak += (grows - (n / n_base).ln()).abs();
            }
        }
        (if weak < strong { Growth::Weak } else { Growth::Strong }, true)
    }

    /// The account of the run, or a list of those of all runs.
    fn accounts(&self) -> serde_json::Value {
        let of = |run: &Run| crate::account::json(run.account(), run.resolution());
        match self.runs {
            [run] => of(run),
            runs => runs.iter().map(of).collect(),
        }
    }

    /// All tables, those without rows included.
    pub fn tables(&self) -> TableReport<'a> {
        let first = &self.runs[0];
        let inputs: Vec<_> = self.runs.iter().map(|run| run.provenance.input.clone()).collect();
        let resolutions: Vec<_> = self.runs.iter().map(Run::resolution).collect();
        let is_computed = self.runs.iter().any(|run| run.replays.is_some());
        let not_computed = ["serialisation_efficiency", "transfer_efficiency"];
        let not_computed = if is_computed { &[][..] } else { &not_computed[..] };
        let more = vec![
            ("runs_of", json!(inputs)),
            ("ticks_per_second", json!(resolutions)),
            ("scaling_is", json!(self.growth().0.name())),
            ("scaling_is_assumed", json!(self.growth().1)),
            ("not_computed", json!(not_computed)),
            ("account", self.accounts()),
        ];
        TableReport {
            schema: SCHEMA,
            provenance: &first.provenance,
            definitions: &first.definitions,
            more,
            tables: build::tables(*self),
        }
    }
}

/// A factor as a number: `None` where a run has nothing that it is about.
fn value(of: &Efficiencies, factor: Factor) -> Option<f64> {
    of.factor(factor).map(|ratio| ratio.value())
}
