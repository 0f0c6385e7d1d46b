//! What a location has on a call path: as workers put it aside, and as the file has it.
//!
//! Most numbers of most rows are zero or small, and take a byte or two while they are aside.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use streamfold_kernels::profile::metrics::{Aggregate, LocationMetric, MetricKind, Number};
use streamfold_kernels::profile::{LocationPath, PathIndex, Traffic, Visits};
use streamfold_model::ids::MetricMemberRef;

use super::bytes::{put, put_signed, take, take_signed, take_u32, take_u64};
use super::metrics::number;
use super::profile::unit;
use super::spool::{Entry, Stretch};
use super::table::{Columns, Unit, HIGH};

/// A row of a matrix of locations and call paths, with the path's index in the tree of a worker.
pub(super) trait Row: Sized {
    /// The same in the file. It stands there in the order of keys.
    type Cell: Cell;

    /// Where those of a location are.
    fn of(entry: &Entry) -> &Stretch;

    fn put(&self, bytes: &mut Vec<u8>);

    /// `None`: the bytes are not those of a row.
    fn take(bytes: &mut &[u8]) -> Option<Self>;

    fn path(&self) -> PathIndex;

    /// With the path's place in the profile.
    fn cell(self, path: u32) -> Self::Cell;
}

/// A row in the file.
pub(super) trait Cell: Copy + Serialize + DeserializeOwned + 'static {
    /// The group of the matrix.
    const GROUP: &str;
    /// No other row of its location has the same.
    type Key: Ord;

    fn key(&self) -> Self::Key;

    fn columns() -> Columns<'static, Self>;
}

/// What a location has on a path.
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

    /// The numbers in the order of their declaration.
    fn put(&self, bytes: &mut Vec<u8>) {
        let LocationPath { path, visits, traffic } = self;
        let Visits { visits, closed, inclusive, exclusive, shortest, longest } = *visits;
        // One more, modulo 2^64, so that "none" is short.
        let shortest = shortest.wrapping_add(1);
        for number in [path.0.into(), visits, closed, inclusive, exclusive, shortest, longest] {
            put(bytes, number.into());
        }
        traffic.numbers().into_iter().for_each(|number| put(bytes, number));
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let path = PathIndex(take_u32(bytes)?);
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

    fn path(&self) -> PathIndex {
        self.path
    }

    fn cell(self, path: u32) -> PathCell {
        let LocationPath { visits, traffic, .. } = self;
        PathCell { path, visits, traffic }
    }
}

impl Cell for PathCell {
    const GROUP: &str = "per_location";
    type Key = u32;

    fn key(&self) -> u32 {
        self.path
    }

    /// Numbers of 64 bits. Only sums of bytes, which are whatever the trace says, can be larger: they
    /// have a second one.
    fn columns() -> Columns<'static, PathCell> {
        let mut columns = Columns::<PathCell>::new()
            .u32("path", Unit::None, |c| c.path)
            .u64("visits", Unit::Visits, |c| c.visits.visits)
            .u64("closed", Unit::Visits, |c| c.visits.closed)
            .u64("inclusive", Unit::Ticks, |c| c.visits.inclusive)
            .u64("exclusive", Unit::Ticks, |c| c.visits.exclusive)
            .u64("shortest", Unit::Ticks, |c| c.visits.shortest)
            .u64("longest", Unit::Ticks, |c| c.visits.longest);
        for (i, (name, quantity)) in Traffic::COLUMNS.into_iter().enumerate() {
            let unit = unit(quantity);
            columns = columns.u64(name, unit, move |c| c.traffic.numbers()[i] as u64);
            if unit == Unit::Bytes {
                let high = move |c: &PathCell| (c.traffic.numbers()[i] >> 64) as u64;
                columns = columns.u64(&format!("{name}{HIGH}"), unit, high);
            }
        }
        columns
    }
}

/// What a location has of a metric on a path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricCell {
    /// The path's place in the profile.
    path: u32,
    member: MetricMemberRef,
    kind: MetricKind,
    inclusive: Rounded,
    exclusive: Rounded,
}

/// An [`Aggregate`] to which nothing is added any more. Integers are as they were.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Rounded {
    count: u64,
    sum: Number,
    range: Option<(Number, Number)>,
}

impl From<&Aggregate> for Rounded {
    fn from(aggregate: &Aggregate) -> Self {
        let Aggregate { count, ref sum, range } = *aggregate;
        Rounded { count, sum: sum.number(), range }
    }
}

/// What a location has of a metric on a path, while it is aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MetricRow {
    path: PathIndex,
    member: MetricMemberRef,
    kind: MetricKind,
    inclusive: Rounded,
    exclusive: Rounded,
}

impl From<&LocationMetric> for MetricRow {
    fn from(metric: &LocationMetric) -> Self {
        let LocationMetric { path, member, kind, ref measured } = *metric;
        let (inclusive, exclusive) = ((&measured.inclusive).into(), (&measured.exclusive).into());
        MetricRow { path, member, kind, inclusive, exclusive }
    }
}

impl Row for MetricRow {
    type Cell = MetricCell;

    fn of(entry: &Entry) -> &Stretch {
        &entry.metrics
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        let MetricRow { path, member, kind, inclusive, exclusive } = *self;
        put(bytes, path.0.into());
        put(bytes, member.0.into());
        put(bytes, kind_number(kind).into());
        for Rounded { count, sum, range } in [inclusive, exclusive] {
            put(bytes, count.into());
            put_number(bytes, sum);
            put(bytes, range.is_some().into());
            if let Some((least, most)) = range {
                put_number(bytes, least);
                put_number(bytes, most);
            }
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let path = PathIndex(take_u32(bytes)?);
        let member = MetricMemberRef(take_u32(bytes)?);
        let kind = kind_of(take_u32(bytes)?)?;
        let (inclusive, exclusive) = (take_rounded(bytes)?, take_rounded(bytes)?);
        Some(MetricRow { path, member, kind, inclusive, exclusive })
    }

    fn path(&self) -> PathIndex {
        self.path
    }

    fn cell(self, path: u32) -> MetricCell {
        let MetricRow { member, kind, inclusive, exclusive, .. } = self;
        MetricCell { path, member, kind, inclusive, exclusive }
    }
}

fn take_rounded(bytes: &mut &[u8]) -> Option<Rounded> {
    let (count, sum) = (take_u64(bytes)?, take_number(bytes)?);
    let range = match take(bytes)? {
        0 => None,
        _ => Some((take_number(bytes)?, take_number(bytes)?)),
    };
    Some(Rounded { count, sum, range })
}

/// As the file says it. In the order of kinds, so that it is that of keys.
const KINDS: [MetricKind; 2] = [MetricKind::Difference, MetricKind::Values];

fn kind_number(kind: MetricKind) -> u32 {
    KINDS.iter().take_while(|known| **known != kind).count() as u32
}

fn kind_of(number: u32) -> Option<MetricKind> {
    KINDS.get(number as usize).copied()
}

/// Which kind of number follows.
const INTEGER: u128 = 0;
const FLOAT: u128 = 1;

fn put_number(bytes: &mut Vec<u8>, number: Number) {
    match number {
        Number::Integer(integer) => {
            put(bytes, INTEGER);
            put_signed(bytes, integer);
        }
        Number::Float(float) => {
            put(bytes, FLOAT);
            bytes.extend(float.to_bits().to_le_bytes());
        }
    }
}

fn take_number(bytes: &mut &[u8]) -> Option<Number> {
    match take(bytes)? {
        INTEGER => Some(Number::Integer(take_signed(bytes)?)),
        FLOAT => {
            let (bits, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(Number::Float(f64::from_bits(u64::from_le_bytes(*bits))))
        }
        _ => None,
    }
}

impl Cell for MetricCell {
    const GROUP: &str = "per_location_metrics";
    type Key = (u32, MetricMemberRef, MetricKind);

    fn key(&self) -> Self::Key {
        (self.path, self.member, self.kind)
    }

    fn columns() -> Columns<'static, MetricCell> {
        let columns = Columns::<MetricCell>::new()
            .u32("path", Unit::None, |c| c.path)
            .u32("member", Unit::None, |c| c.member.0)
            .u32("kind", Unit::None, |c| kind_number(c.kind));
        let columns = rounded(columns, "inclusive", |c| c.inclusive);
        rounded(columns, "exclusive", |c| c.exclusive)
    }
}

fn rounded(
    columns: Columns<'static, MetricCell>,
    name: &str,
    of: fn(&MetricCell) -> Rounded,
) -> Columns<'static, MetricCell> {
    let columns = columns.u64(&format!("{name}_count"), Unit::None, move |c| of(c).count);
    let columns = number(columns, name, move |c| Some(of(c).sum));
    let columns = number(columns, &format!("{name}_min"), move |c| of(c).range.map(|r| r.0));
    number(columns, &format!("{name}_max"), move |c| of(c).range.map(|r| r.1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn kinds_are_in_their_order() {
        assert!(KINDS.is_sorted());
        assert!(KINDS.iter().all(|kind| kind_of(kind_number(*kind)) == Some(*kind)));
    }

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

    proptest! {
        #[test]
        fn rows_of_metrics_come_back(
            (path, member) in any::<(u32, u32)>(),
            is_values in any::<bool>(),
            inclusive in any_rounded(),
            exclusive in any_rounded(),
        ) {
            let kind = if is_values { MetricKind::Values } else { MetricKind::Difference };
            let (path, member) = (PathIndex(path), MetricMemberRef(member));
            let row = MetricRow { path, member, kind, inclusive, exclusive };
            let mut bytes = Vec::new();
            row.put(&mut bytes);
            let mut rest = &bytes[..];
            prop_assert_eq!(MetricRow::take(&mut rest), Some(row));
            prop_assert!(rest.is_empty());
            for cut in 0..bytes.len() {
                prop_assert_eq!(MetricRow::take(&mut &bytes[..cut]), None);
            }
        }
    }
}
