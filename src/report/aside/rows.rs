//! Rows per location and call path: as workers spill them, and as reports read them.

use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use streamfold_kernels::profile::metrics::{Aggregate, LocationMetric, MetricKind, Number};
use streamfold_kernels::profile::{LocationPath, PathIndex, Renumbering, Traffic, Visits};
use streamfold_model::ids::{LocationRef, MetricMemberRef};

use streamfold_collective::codec;

/// Place of the rows of a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub location: LocationRef,
    /// Its call paths.
    pub paths: Stretch,
    /// Its metrics on call paths.
    pub metrics: Stretch,
}

/// Rows that stand together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// How many.
    pub rows: u64,
    pub offset: u64,
    pub bytes: u64,
}

/// A row of a matrix of locations and call paths, with the path's index in the tree of a worker.
pub(crate) trait Row: Sized {
    /// The same in the report. It stands there in the order of keys.
    type Cell: Cell;

    /// Returns the place of the rows of a location.
    fn of(entry: &Entry) -> &Stretch;

    /// Those of a location as bytes.
    fn encode(rows: &[Self]) -> io::Result<Vec<u8>>;

    /// Number of rows that were encoded.
    fn decode(bytes: &[u8], rows: u64) -> io::Result<Vec<Self>>;

    fn path(&self) -> PathIndex;

    /// With the path's place in the profile, and the numbers that metrics have there.
    fn cell(self, path: u32, numbers: &Renumbering) -> Self::Cell;
}

/// A row in the report.
pub(crate) trait Cell: Copy + Serialize + DeserializeOwned + 'static {
    /// No other row of its location has the same.
    type Key: Ord;

    fn key(&self) -> Self::Key;
}

/// Values of a location on a path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathCell {
    /// The path's place in the profile.
    pub path: u32,
    /// Visits and times.
    pub visits: Visits,
    /// Messages.
    pub traffic: Traffic,
}

impl Row for LocationPath {
    type Cell = PathCell;

    fn of(entry: &Entry) -> &Stretch {
        &entry.paths
    }

    fn encode(rows: &[Self]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        rows.iter().for_each(|row| put_row(&mut bytes, row));
        Ok(bytes)
    }

    fn decode(mut bytes: &[u8], rows: u64) -> io::Result<Vec<Self>> {
        (0..rows).map(|_| take_row(&mut bytes)).collect::<Option<_>>().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "rows are not as they were written")
        })
    }

    fn path(&self) -> PathIndex {
        self.path
    }

    fn cell(self, path: u32, _: &Renumbering) -> PathCell {
        let LocationPath { visits, traffic, .. } = self;
        PathCell { path, visits, traffic }
    }
}

/// The numbers of a row in the order of their declaration, seven bits a byte, the lowest first; the
/// highest bit of a byte says that more follow. Most numbers of most rows are zero or small.
fn put_row(bytes: &mut Vec<u8>, row: &LocationPath) {
    let LocationPath { path, visits, traffic } = row;
    let Visits { visits, closed, inclusive, exclusive, shortest, longest } = *visits;
    // One more, modulo 2^64, so that "none" is short.
    let shortest = shortest.wrapping_add(1);
    for number in [path.0.into(), visits, closed, inclusive, exclusive, shortest, longest] {
        put(bytes, number.into());
    }
    traffic.numbers().into_iter().for_each(|number| put(bytes, number));
}

fn take_row(bytes: &mut &[u8]) -> Option<LocationPath> {
    let path = PathIndex(take_u64(bytes)?.try_into().ok()?);
    let visits = Visits {
        visits: take_u64(bytes)?,
        closed: take_u64(bytes)?,
        inclusive: take_u64(bytes)?,
        exclusive: take_u64(bytes)?,
        shortest: take_u64(bytes)?.wrapping_sub(1),
        longest: take_u64(bytes)?,
    };
    let mut numbers = [0; Traffic::COLUMNS.len()];
    for number in &mut numbers {
        *number = take(bytes)?;
    }
    let traffic = Traffic::from_numbers(numbers)?;
    Some(LocationPath { path, visits, traffic })
}

fn put(bytes: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u128> {
    let mut number = 0;
    for shift in (0..u128::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u128::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes)?.try_into().ok()
}

impl Cell for PathCell {
    type Key = u32;

    fn key(&self) -> u32 {
        self.path
    }
}

/// Values of a metric on a path, of one location.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricCell {
    /// The path's place in the profile, or, while it is aside, in the tree of a worker.
    pub path: u32,
    /// The metric.
    pub member: MetricMemberRef,
    /// Kind of values.
    pub kind: MetricKind,
    /// With what is below the path.
    pub inclusive: Rounded,
    /// Without it.
    pub exclusive: Rounded,
}

/// An [`Aggregate`] to which nothing is added any more. Integers are as they were.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rounded {
    /// How many values there are.
    pub count: u64,
    /// Their sum.
    pub sum: Number,
    /// The smallest and the largest.
    pub range: Option<(Number, Number)>,
}

impl From<&Aggregate> for Rounded {
    fn from(aggregate: &Aggregate) -> Self {
        let Aggregate { count, ref sum, range } = *aggregate;
        Rounded { count, sum: sum.number(), range }
    }
}

impl From<&LocationMetric> for MetricCell {
    fn from(metric: &LocationMetric) -> Self {
        let LocationMetric { path, member, kind, ref measured } = *metric;
        let (inclusive, exclusive) = ((&measured.inclusive).into(), (&measured.exclusive).into());
        MetricCell { path: path.0, member, kind, inclusive, exclusive }
    }
}

impl Row for MetricCell {
    type Cell = MetricCell;

    fn of(entry: &Entry) -> &Stretch {
        &entry.metrics
    }

    fn encode(rows: &[Self]) -> io::Result<Vec<u8>> {
        codec::encode(rows).map_err(io::Error::other)
    }

    fn decode(bytes: &[u8], _: u64) -> io::Result<Vec<Self>> {
        codec::decode(bytes).map_err(io::Error::other)
    }

    fn path(&self) -> PathIndex {
        PathIndex(self.path)
    }

    fn cell(self, path: u32, numbers: &Renumbering) -> MetricCell {
        MetricCell { path, member: numbers.member(self.member), ..self }
    }
}

impl Cell for MetricCell {
    type Key = (u32, MetricMemberRef, MetricKind);

    fn key(&self) -> Self::Key {
        (self.path, self.member, self.kind)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_number() -> impl Strategy<Value = Number> {
        prop_oneof![
            any::<i128>().prop_map(Number::Integer),
            (-9_i128..9).prop_map(Number::Integer),
            any::<f64>().prop_filter("NaN", |float| !float.is_nan()).prop_map(Number::Float),
        ]
    }

    fn any_rounded() -> impl Strategy<Value = Rounded> {
        let range = proptest::option::of((any_number(), any_number()));
        (any::<u64>(), any_number(), range).prop_map(|(count, sum, range)| Rounded {
            count,
            sum,
            range,
        })
    }

    fn any_cell() -> impl Strategy<Value = MetricCell> {
        let kind = prop_oneof![
            Just(MetricKind::Difference),
            Just(MetricKind::Values),
            Just(MetricKind::Growth)
        ];
        let parts = (any::<u32>(), any::<u32>(), kind, any_rounded(), any_rounded());
        parts.prop_map(|(path, member, kind, inclusive, exclusive)| {
            let member = MetricMemberRef(member);
            MetricCell { path, member, kind, inclusive, exclusive }
        })
    }

    proptest! {
        #[test]
        fn rows_of_metrics_come_back(cells in proptest::collection::vec(any_cell(), 0..9)) {
            let bytes = MetricCell::encode(&cells).unwrap();
            prop_assert_eq!(MetricCell::decode(&bytes, cells.len() as u64).unwrap(), cells);
            for cut in 0..bytes.len() {
                prop_assert!(MetricCell::decode(&bytes[..cut], 0).is_err());
            }
        }
    }
}
