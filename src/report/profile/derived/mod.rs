//! Metrics that follow from others: instructions per cycle, rates, and what is asked for.

mod expression;

use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;

use foldhash::fast::RandomState;
use streamfold_kernels::profile::metrics::{Aggregate, Measured, MetricKind, Metrics};
use streamfold_model::store::Definitions;

pub use expression::Expression;

use super::ProfileReport;
use streamfold_text::{human, names};

/// Metrics that are derived from counters of PAPI and of Linux by default, if a trace has the parts. Of each name the
/// first one counts whose parts are all there.
const USUAL: [(&str, &str); 16] = [
    ("IPC", "PAPI_TOT_INS / PAPI_TOT_CYC"),
    ("IPC", "instructions / cycles"),
    ("IPC", "instructions / \"cpu-cycles\""),
    ("instructions_per_second", "PAPI_TOT_INS / time"),
    ("instructions_per_second", "instructions / time"),
    ("cycles_per_second", "PAPI_TOT_CYC / time"),
    ("cycles_per_second", "cycles / time"),
    ("flops_per_second", "PAPI_FP_OPS / time"),
    ("flops_per_second", "PAPI_DP_OPS / time"),
    ("L1_data_miss_rate", "PAPI_L1_DCM / PAPI_L1_DCA"),
    ("L2_miss_rate", "PAPI_L2_TCM / PAPI_L2_TCA"),
    ("L3_miss_rate", "PAPI_L3_TCM / PAPI_L3_TCA"),
    ("L2_misses_per_1000_instructions", "1000 * PAPI_L2_TCM / PAPI_TOT_INS"),
    ("L3_misses_per_1000_instructions", "1000 * PAPI_L3_TCM / PAPI_TOT_INS"),
    ("branch_miss_rate", "PAPI_BR_MSP / PAPI_BR_CN"),
    ("cache_miss_rate", "\"cache-misses\" / \"cache-references\""),
];

/// The name that stands for the time in seconds, where no metric is called that.
const TIME: &str = "time";

/// A metric that somebody asks for: `ipc=PAPI_TOT_INS/PAPI_TOT_CYC`.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Name of the metric.
    pub name: String,
    /// Expression as it was written.
    pub text: String,
    /// Expression in its parsed form.
    pub expression: Expression,
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Wanted, String> {
        let (name, of) = text
            .split_once('=')
            .ok_or("NAME=EXPRESSION is expected, such as ipc=PAPI_TOT_INS/PAPI_TOT_CYC")?;
        let (name, of) = (name.trim(), of.trim());
        if name.is_empty() {
            return Err("a name is missing before the =".to_owned());
        }
        let expression = of.parse()?;
        Ok(Wanted { name: name.to_owned(), text: of.to_owned(), expression })
    }
}

/// Returns a message about the first metric that is wrong: its expression names a metric that is not defined, or its
/// name is taken. Returns `None` if no metric is defined, unless `all` locations were read: single locations may define
/// some.
pub fn unknown(wanted: &[Wanted], definitions: &Definitions, all: bool) -> Option<String> {
    let members = definitions.metric_members.keys();
    let known: BTreeSet<String> =
        members.map(|member| names::metric(definitions, *member)).collect();
    if known.is_empty() && !all {
        return None;
    }
    for (index, of) in wanted.iter().enumerate() {
        if wanted[..index].iter().any(|other| other.name == of.name) {
            return Some(format!("--metric {} is given twice", of.name));
        }
        if known.contains(&of.name) {
            return Some(format!("the trace has a metric {} already (--metric)", of.name));
        }
        let mut names = of.expression.names().into_iter();
        let Some(name) = names.find(|name| *name != TIME && !known.contains(*name)) else {
            continue;
        };
        const MOST: usize = 50;
        let listed: Vec<String> = known.iter().take(MOST).cloned().map(human::short).collect();
        let more = human::and_more(known.len().saturating_sub(MOST) as u64, "");
        let it_has = match listed.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has {}{more}", listed.join(", ")),
        };
        return Some(format!("the trace has no metric {name} (--metric); {it_has}"));
    }
    None
}

/// A metric of rows of a profile.
#[derive(Clone, Debug)]
pub struct Derived {
    /// Name of the metric.
    pub name: String,
    /// How it is computed.
    pub text: String,
    expression: Expression,
    /// The columns of each metric in it.
    columns: HashMap<String, Vec<u32>, RandomState>,
}

/// All of a profile: what is wanted, and then the usual ones of which the parts are there.
pub fn of_profile(wanted: &[Wanted], definitions: &Definitions, metrics: &Metrics) -> Vec<Derived> {
    let mut columns: HashMap<String, Vec<u32>, RandomState> = HashMap::default();
    for (index, column) in (0u32..).zip(&metrics.columns) {
        columns.entry(names::metric(definitions, column.member)).or_default().push(index);
    }
    if columns.is_empty() {
        return Vec::new();
    }
    // Sums of visits come before growth, and growth before recorded values.
    for of in columns.values_mut() {
        let kind = |index: &u32| metrics.columns[*index as usize].kind;
        let kinds = [MetricKind::Difference, MetricKind::Growth];
        if let Some(first) = kinds.into_iter().find(|first| of.iter().any(|it| kind(it) == *first))
        {
            of.retain(|index| kind(index) == first);
        }
    }
    let usual = USUAL.iter().filter_map(|(name, text)| {
        let expression: Expression = text.parse().ok()?;
        let is_there = |name: &&str| *name == TIME || columns.contains_key(*name);
        let (name, text) = ((*name).to_owned(), (*text).to_owned());
        expression.names().iter().all(is_there).then_some(Wanted { name, text, expression })
    });
    let usual: Vec<Wanted> = usual.collect();
    let mut derived: Vec<Derived> = Vec::new();
    for Wanted { name, text, expression } in wanted.iter().cloned().chain(usual) {
        let is_taken = columns.contains_key(&name) || derived.iter().any(|of| of.name == name);
        if is_taken {
            continue;
        }
        let own = expression
            .names()
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), columns.get(name)?.clone())));
        let own = own.collect();
        derived.push(Derived { name, text, expression, columns: own });
    }
    derived
}

impl Derived {
    /// Of a row, given what each of its columns has, and its time in ticks.
    fn value<'a>(
        &self,
        report: &ProfileReport<'_>,
        ticks: u128,
        of: &dyn Fn(u32) -> Option<&'a Aggregate>,
    ) -> Option<f64> {
        let columns = &report.profile.metrics.columns;
        let number = |name: &str| {
            let Some(indices) = self.columns.get(name) else {
                let seconds = ticks as f64 / report.provenance.timer_resolution.max(1) as f64;
                return (name == TIME).then_some(seconds);
            };
            let mut sum = None;
            for index in indices {
                let Some(aggregate) = of(*index) else { continue };
                let value = aggregate.sum.number().as_f64();
                let value = match columns[*index as usize].kind {
                    MetricKind::Difference | MetricKind::Growth => value,
                    MetricKind::Values => value / aggregate.count.max(1) as f64,
                };
                sum = Some(sum.unwrap_or(0.0) + value);
            }
            sum
        };
        self.expression.value(&number)
    }

    /// Of the exclusive and of the inclusive part of a region or call path.
    pub fn of_step(
        &self,
        report: &ProfileReport<'_>,
        (exclusive, inclusive): (u128, u128),
        row: &[(u32, Measured)],
    ) -> [Option<f64>; 2] {
        let find = |index: u32| {
            let at = row.binary_search_by_key(&index, |(index, _)| *index).ok()?;
            Some(&row[at].1)
        };
        [
            self.value(report, exclusive, &|index| Some(&find(index)?.exclusive)),
            self.value(report, inclusive, &|index| Some(&find(index)?.inclusive)),
        ]
    }

    /// Of a location or group, or of all.
    pub fn of_whole(
        &self,
        report: &ProfileReport<'_>,
        ticks: u128,
        row: &[(u32, Aggregate)],
    ) -> Option<f64> {
        self.value(report, ticks, &|index| {
            let at = row.binary_search_by_key(&index, |(index, _)| *index).ok()?;
            Some(&row[at].1)
        })
    }

    /// Of all that call paths have.
    pub fn total(&self, report: &ProfileReport<'_>) -> Option<f64> {
        let profile = report.profile;
        self.of_whole(report, profile.total.exclusive, &profile.metrics.total)
    }
}

/// A value for people.
pub fn shown(value: Option<f64>) -> String {
    value.map(|value| human::quantity(value, "#")).unwrap_or_default()
}
