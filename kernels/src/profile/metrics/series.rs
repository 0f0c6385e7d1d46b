//! A metric over time.

use serde::{Deserialize, Serialize};
use streamfold_model::enums::MetricScope;
use streamfold_model::ids::{LocationRef, MetricMemberRef, MetricRef};
use streamfold_model::values::Ticks;

use super::super::tree::PathIndex;
use super::exact::Exact;
use super::number::{Number, Sum};
use super::plan::{Member, Property, Timing};

/// Key of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SeriesKey {
    /// The metric.
    pub member: MetricMemberRef,
    /// The class or instance with which it was recorded.
    pub metric: MetricRef,
    /// The place of the member in the class.
    pub position: u8,
    /// The location that recorded it.
    pub recorder: LocationRef,
}

/// Scope of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricScopeRef {
    /// Kind of the scope.
    pub kind: MetricScope,
    /// Its reference.
    pub reference: u64,
}

/// A metric over time: of an accumulated one, the accumulated value; of a relative one, the sum of
/// the changes so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesRow {
    /// Key of the series.
    pub key: SeriesKey,
    /// Scope of the series.
    pub scope: MetricScopeRef,
    /// How many records.
    pub count: u64,
    /// The time of the first record.
    pub first_time: Ticks,
    /// The time of the last record; where times go backward, the latest before.
    pub last_time: Ticks,
    /// The value at the first record.
    pub first: Number,
    /// The value at the last record.
    pub last: Number,
    /// The smallest value.
    pub least: Number,
    /// The largest value.
    pub most: Number,
    /// The value times ticks, from the first record to the last one. Exact; in between two records
    /// the value is what the metric's mode says.
    pub integral: Exact,
}

impl SeriesRow {
    /// The mean over the time from the first record to the last one; `None` where that is none.
    pub fn mean(&self) -> Option<f64> {
        let ticks = self.ticks();
        (ticks > 0).then(|| self.integral.number() / ticks as f64)
    }

    /// Ticks from the first record to the last one.
    pub fn ticks(&self) -> u64 {
        self.last_time.0 - self.first_time.0
    }
}

/// A series that goes on.
#[derive(Debug)]
pub(super) struct Series {
    row: SeriesRow,
    /// The present value.
    level: Sum,
    /// The path of the last record.
    path: PathIndex,
}

impl Series {
    /// With its first record.
    pub(super) fn begin(
        key: SeriesKey,
        scope: MetricScopeRef,
        (time, path): (Ticks, PathIndex),
        value: Number,
    ) -> Self {
        let row = SeriesRow {
            key,
            scope,
            count: 1,
            first_time: time,
            last_time: time,
            first: value,
            last: value,
            least: value,
            most: value,
            integral: Exact::default(),
        };
        Series { row, level: Sum::of(value), path }
    }

    /// The next record.
    pub(super) fn record(
        &mut self,
        member: &Member,
        (time, path): (Ticks, PathIndex),
        value: Number,
    ) {
        self.path = path;
        let mut level = Sum::of(value);
        if member.property == Property::Relative {
            level.add_sum(&self.level);
        }
        let before = std::mem::replace(&mut self.level, level);
        let row = &mut self.row;
        let time = row.last_time.max(time);
        let ticks = time.0 - row.last_time.0;
        match member.timing {
            Timing::Point => {
                before.add_half_to_integral(&mut row.integral, ticks);
                self.level.add_half_to_integral(&mut row.integral, ticks);
            }
            Timing::Last => self.level.add_to_integral(&mut row.integral, ticks),
            Timing::Next => before.add_to_integral(&mut row.integral, ticks),
        }
        row.last_time = time;
        row.count += 1;
        row.last = self.level.number();
        row.least = row.least.min(row.last);
        row.most = row.most.max(row.last);
    }

    /// By how much it grows to a value.
    pub(super) fn growth_to(&self, value: Number) -> Sum {
        let mut growth = Sum::of(value);
        growth.sub_sum(&self.level);
        growth
    }

    /// The path of the last record, if that is of this time.
    pub(super) fn path_at(&self, time: Ticks) -> Option<PathIndex> {
        (time <= self.row.last_time).then_some(self.path)
    }

    /// As it is at the end.
    pub(super) fn end(self) -> SeriesRow {
        self.row
    }
}
