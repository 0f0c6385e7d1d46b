//! A metric over time: the growth of a counter, or a level.
//!
//! The growth of a counter from one value to the next is spread evenly over the time between them, to the whole number.
//! A level holds from one value to the next one. Fractions of floating-point values count to [`FRACTION`] bits.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::{MetricMode, MetricScope, Type};
use streamfold_model::events::Metric as Values;
use streamfold_model::ids::{LocationGroupRef, LocationRef, MetricMemberRef, MetricRef};
use streamfold_model::store::{Definitions, Metric};

use super::TimeBins;
use crate::Window;

/// Bits of fractions of floating-point values.
pub(super) const FRACTION: u32 = 30;
/// Larger floating-point values count as this one: with their fractions, times ticks, they are to fit.
const LARGEST: f64 = (1u64 << 52) as f64;

/// How values are related to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// They grow: each is a sum since the begin.
    Sum,
    /// Each is what was added since the one before.
    Growth,
    /// Each holds up to the next one.
    Level,
    /// Each held since the one before.
    LevelBefore,
}

/// The row of a value, if that may be another row than that of the recording location.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope {
    Location(LocationRef),
    Group(LocationGroupRef),
}

/// A metric that is looked at.
#[derive(Clone, Debug)]
pub struct MetricWatch {
    /// The places of its values, by the class or instance that is recorded.
    places: HashMap<MetricRef, usize, RandomState>,
    scopes: HashMap<MetricRef, Scope, RandomState>,
    manner: Manner,
    is_float: bool,
    /// Ticks from the first one that counts up to the first that does not.
    counted: (u64, u64),
}

/// The parts of the time that count.
#[derive(Clone, Copy)]
struct Axis<'b> {
    bins: &'b TimeBins,
    counted: (u64, u64),
}

impl<'b> Axis<'b> {
    /// Returns the counted parts of the time from one tick up to another.
    fn parts(self, from: u64, to: u64) -> impl Iterator<Item = (u32, u64, u64)> + 'b {
        let (from, to) = (from.max(self.counted.0), to.min(self.counted.1));
        let bins = self.bins;
        (from < to).then(|| bins.parts(from, to)).into_iter().flatten()
    }
}

/// The last value of each class or instance at a location, with its time.
pub(super) type LastValues = Vec<(MetricRef, u64, i128)>;

/// The share of a metric in a part of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The part.
    pub bin: u32,
    /// The growth, or the level times ticks.
    pub sum: i128,
    /// Ticks in which it is known.
    pub ticks: u64,
}

impl MetricWatch {
    /// A metric of a trace; `adds_up`: its values are sums, although the trace may say something else of them.
    pub fn new(definitions: &Definitions, member: MetricMemberRef, adds_up: bool) -> Self {
        let place = |id: &MetricRef| {
            let members = &definitions.metric_class(*id)?.metric_members;
            Some((*id, members.iter().position(|other| *other == member)?))
        };
        let of = definitions.metric_members.get(&member);
        let manner = match of.map(|of| of.metric_mode) {
            Some(MetricMode::AccumulatedLast | MetricMode::RelativeLast) => Manner::Growth,
            _ if adds_up => Manner::Sum,
            Some(MetricMode::AbsoluteLast) => Manner::LevelBefore,
            _ => Manner::Level,
        };
        let is_float = of.is_some_and(|of| matches!(of.value_type, Type::Double | Type::Float));
        let places = definitions.metrics.keys().filter_map(place).collect();
        let scope = |(id, metric): (&MetricRef, &Metric)| {
            let Metric::Instance(instance) = metric else { return None };
            let scope = match instance.metric_scope {
                MetricScope::Location => Scope::Location(LocationRef(instance.scope)),
                MetricScope::LocationGroup => {
                    Scope::Group(LocationGroupRef(u32::try_from(instance.scope).ok()?))
                }
                _ => return None,
            };
            Some((*id, scope))
        };
        let scopes = definitions.metrics.iter().filter_map(scope).collect();
        MetricWatch { places, scopes, manner, is_float, counted: (0, u64::MAX) }
    }

    /// The same; only what is in a window counts. Values before it are to be given all the same: they may hold in it.
    pub fn within(self, window: Window) -> Self {
        let end = window.end.map_or(u64::MAX, |end| end.0);
        MetricWatch { counted: (window.begin.0, end), ..self }
    }

    /// Returns whether sums are growth, and not a level times ticks.
    pub fn grows(&self) -> bool {
        matches!(self.manner, Manner::Sum | Manner::Growth)
    }

    /// Returns the unit of a value in sums.
    pub fn one(&self) -> i128 {
        if self.is_float {
            1 << FRACTION
        } else {
            1
        }
    }

    /// The value of it, if it has one there.
    fn value(&self, values: &Values<'_>) -> Option<i128> {
        let value = values.values.get(*self.places.get(&values.metric)?)?;
        match value.value_type {
            Type::Uint64 => Some(value.bits.into()),
            Type::Int64 => Some((value.bits as i64).into()),
            Type::Double => {
                let float = f64::from_bits(value.bits);
                let float = Some(float).filter(|float| float.is_finite())?;
                Some((float.clamp(-LARGEST, LARGEST) * f64::from(1u32 << FRACTION)) as i128)
            }
            _ => None,
        }
    }

    /// Takes a record. `add` gets what it says of parts of the time.
    pub(super) fn take(
        &self,
        values: &Values<'_>,
        time: u64,
        last: &mut LastValues,
        bins: &TimeBins,
        add: &mut dyn FnMut(Part),
    ) {
        let Some(value) = self.value(values) else { return };
        let known = last.iter_mut().find(|(metric, ..)| *metric == values.metric);
        let before = known.as_ref().map(|(_, time, value)| (*time, *value));
        match known {
            Some(known) => (known.1, known.2) = (time.max(known.1), value),
            None => last.push((values.metric, time, value)),
        }
        let axis = Axis { bins, counted: self.counted };
        match (self.manner, before) {
            // A smaller value is a restart of the counter.
            (Manner::Sum, Some((from, of))) if value >= of => {
                grow(value - of, from, time, axis, add);
            }
            (Manner::Sum, _) => {}
            (Manner::Growth, Some((from, _))) => grow(value, from, time, axis, add),
            (Manner::Growth, None) => grow(value, time, time, axis, add),
            (Manner::Level, Some((from, of))) => hold(of, from, time, axis, add),
            (Manner::LevelBefore, Some((from, _))) => hold(value, from, time, axis, add),
            (Manner::Level | Manner::LevelBefore, None) => {}
        }
    }

    /// The last event of the location is at this time: a level since `from` holds up to there.
    pub(super) fn end(
        &self,
        time: u64,
        (from, level): (u64, i128),
        bins: &TimeBins,
        add: &mut dyn FnMut(Part),
    ) {
        if self.manner == Manner::Level {
            hold(level, from, time, Axis { bins, counted: self.counted }, add);
        }
    }

    /// Returns the location or group of the values of an instance, if it is one.
    pub(super) fn scope(&self, metric: MetricRef) -> Option<Scope> {
        self.scopes.get(&metric).copied()
    }
}

/// It grew by this from one time up to another.
fn grow(by: i128, from: u64, to: u64, axis: Axis<'_>, add: &mut dyn FnMut(Part)) {
    if to <= from {
        if (axis.counted.0..axis.counted.1).contains(&to) {
            add(Part { bin: axis.bins.bin(to), sum: by, ticks: 0 });
        }
        return;
    }
    let ticks = i128::from(to - from);
    let up_to = |time: u64| by.saturating_mul(i128::from(time - from)) / ticks;
    for (bin, begin, end) in axis.parts(from, to) {
        add(Part { bin, sum: up_to(end) - up_to(begin), ticks: end - begin });
    }
}

/// It was so high from one time up to another.
fn hold(level: i128, from: u64, to: u64, axis: Axis<'_>, add: &mut dyn FnMut(Part)) {
    for (bin, begin, end) in axis.parts(from, to) {
        let ticks = end - begin;
        add(Part { bin, sum: level.saturating_mul(ticks.into()), ticks });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn collected(
        give: impl FnOnce(Axis<'_>, &mut dyn FnMut(Part)),
        bins: TimeBins,
    ) -> Vec<(i128, u64)> {
        let mut found = vec![(0, 0); bins.count() as usize];
        give(Axis { bins: &bins, counted: (0, u64::MAX) }, &mut |Part { bin, sum, ticks }| {
            let of: &mut (i128, u64) = &mut found[bin as usize];
            (of.0, of.1) = (of.0 + sum, of.1 + ticks);
        });
        found
    }

    #[test]
    fn growth_is_even() {
        let bins = TimeBins::new(100, 200, 4);
        let found = collected(|axis, add| grow(80, 110, 190, axis, add), bins);
        assert_eq!(found, [(15, 15), (25, 25), (25, 25), (15, 15)]);
        let found = collected(|axis, add| grow(7, 130, 130, axis, add), bins);
        assert_eq!(found, [(0, 0), (7, 0), (0, 0), (0, 0)]);
    }

    proptest! {
        /// Nothing is lost, and no part has more than its ticks; before and behind all parts, too.
        #[test]
        fn parts_add_up(by in -500i128..500, from in 0u64..300, length in 0u64..300, count in 1u32..9) {
            let bins = TimeBins::new(100, 200, count);
            let found = collected(|axis, add| grow(by, from, from + length, axis, add), bins);
            prop_assert_eq!(found.iter().map(|of| of.0).sum::<i128>(), by);
            let held = collected(|axis, add| hold(by, from, from + length, axis, add), bins);
            prop_assert_eq!(held.iter().map(|of| of.1).sum::<u64>(), length);
            for (bin, (sum, ticks)) in (0..).zip(held) {
                prop_assert_eq!(sum, by * i128::from(ticks));
                let is_inner = bin > 0 && bin + 1 < bins.count();
                prop_assert!(!is_inner || ticks <= bins.length_of(bin));
            }
        }
    }
}
