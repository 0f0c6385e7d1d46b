//! Counters of instructions and cycles: their growth while a thread computes.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::{MetricMode, Type};
use streamfold_model::events::Metric as Values;
use streamfold_model::ids::{MetricMemberRef, MetricRef};
use streamfold_model::store::Definitions;

/// Names of counters, in small letters: instructions, and cycles.
const NAMES: [&[&str]; 2] = [
    &["papi_tot_ins", "instructions", "perf::instructions", "inst_retired:any_p"],
    &["papi_tot_cyc", "cycles", "cpu-cycles", "perf::cycles", "perf::cpu-cycles"],
];

/// Places of the counters in the records of each metric class or instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters {
    places: HashMap<MetricRef, [Option<usize>; 2], RandomState>,
}

impl Counters {
    /// The counters of a trace.
    pub(super) fn new(definitions: &Definitions) -> Self {
        let which = |member: MetricMemberRef| {
            let member = definitions.metric_members.get(&member)?;
            let name = definitions.string(member.name)?.to_string().to_ascii_lowercase();
            let which = NAMES.iter().position(|names| names.contains(&name.as_str()))?;
            (member.metric_mode == MetricMode::AccumulatedStart).then_some(which)
        };
        let mut places = HashMap::default();
        for id in definitions.metrics.keys() {
            let Some(class) = definitions.metric_class(*id) else { continue };
            let mut of = [None; 2];
            for (place, member) in class.metric_members.iter().enumerate() {
                if let Some(which) = which(*member) {
                    of[which].get_or_insert(place);
                }
            }
            if of.iter().any(Option::is_some) {
                places.insert(*id, of);
            }
        }
        Counters { places }
    }

    /// Returns whether the trace has none.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// By how much the counters grew since the values before, and when these were.
    pub(super) fn growth(
        &self,
        values: &Values<'_>,
        time: u64,
        last: &mut [Option<(u64, u64)>; 2],
    ) -> [(u64, u64); 2] {
        let mut growth = [(0, time); 2];
        let Some(places) = self.places.get(&values.metric) else { return growth };
        for (which, place) in places.iter().enumerate() {
            let value = place.and_then(|place| values.values.get(place));
            let value = value.and_then(|value| match value.value_type {
                Type::Uint64 => Some(value.bits),
                Type::Int64 => u64::try_from(value.bits as i64).ok(),
                _ => None,
            });
            let Some(value) = value else { continue };
            // A smaller value is a restart of the counter.
            if let Some((from, before)) = last[which] {
                growth[which] = (value.saturating_sub(before), from);
            }
            last[which] = Some((time, value));
        }
        growth
    }
}
