//! The columns of what a location has on a call path.

use streamfold_kernels::profile::metrics::MetricKind;
use streamfold_kernels::profile::Traffic;

use super::columns::{Columns, Unit};
use crate::aside::{Cell, MetricCell, PathCell, Rounded};
use crate::profile::columns::unit;

/// A row of a matrix in the file.
pub(super) trait FileCell: Cell {
    /// The group of the matrix.
    const GROUP: &str;

    fn columns() -> Columns<'static, Self>;
}

impl FileCell for PathCell {
    const GROUP: &str = "per_location";

    /// Numbers of 64 bits. Only sums of bytes, which are whatever the trace says, can be larger.
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
            columns = columns.u128(name, unit, move |c| c.traffic.numbers()[i]);
        }
        columns
    }
}

/// As the file says it. In the order of kinds, so that it is that of keys.
fn kind_number(kind: MetricKind) -> u32 {
    match kind {
        MetricKind::Difference => 0,
        MetricKind::Values => 1,
        MetricKind::Growth => 2,
    }
}

impl FileCell for MetricCell {
    const GROUP: &str = "per_location_metrics";

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
    columns
        .u64(&format!("{name}_count"), Unit::None, move |c| of(c).count)
        .number(name, move |c| Some(of(c).sum))
        .number(&format!("{name}_min"), move |c| of(c).range.map(|r| r.0))
        .number(&format!("{name}_max"), move |c| of(c).range.map(|r| r.1))
}
