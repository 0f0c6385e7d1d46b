//! Metrics of all rows, as HDF5 has them: a row for each metric of each row of the profile.

use std::rc::Rc;

use streamfold_kernels::profile::metrics::{Aggregate, Measured, RowValues};

use super::{Columns, COUNT, FLOAT, HDF5, ID, NUMBER, TEXT};
use crate::profile::derived::Derived;
use crate::profile::{metrics, ProfileReport};
use crate::tables::Cell;

/// Aggregates of a metric by name; the sum without one.
type Parts<T> = &'static [(&'static str, fn(&T) -> &Aggregate)];

/// The values of regions and call paths.
pub(crate) const PARTS: Parts<Measured> =
    &[("inclusive", |of| &of.inclusive), ("exclusive", |of| &of.exclusive)];

/// Place of a metric in a row of the profile.
pub(crate) type MetricPlace = (usize, usize);

/// Places of the metrics of all rows, in their order.
pub(crate) fn places<T>(rows: &[RowValues<T>]) -> Vec<MetricPlace> {
    let places = |(row, cells): (usize, &RowValues<T>)| (0..cells.len()).map(move |at| (row, at));
    rows.iter().enumerate().flat_map(places).collect()
}

/// A row in HDF5 for each metric of each row, whose index is in the column `of`, if it has a name.
pub(crate) fn measured<'a, T>(
    report: ProfileReport<'a>,
    of: &str,
    rows: &'a [RowValues<T>],
    places: &'a [MetricPlace],
    parts: Parts<T>,
) -> Columns<'a> {
    let cell = |i: usize| &rows[places[i].0][places[i].1];
    let column = move |i: usize| report.profile.metrics.columns[cell(i).0 as usize];
    let columns = Columns::of(places.len())
        .put_if(!of.is_empty(), HDF5, of, ID, |i| Cell::Id(places[i].0 as u64))
        .put(HDF5, "member", ID, move |i| Cell::Id(column(i).member.0.into()))
        .put(HDF5, "kind", TEXT, move |i| metrics::kind(column(i).kind));
    parts.iter().fold(columns, |columns, (name, get)| {
        let prefix = if name.is_empty() { String::new() } else { format!("{name}_") };
        let name = if name.is_empty() { "sum" } else { name };
        let part = move |i: usize| get(&cell(i).1);
        columns
            .put(HDF5, format!("{prefix}count"), COUNT, move |i| part(i).count)
            .put(HDF5, name, NUMBER, move |i| part(i).sum.number())
            .range(HDF5, &prefix, move |i| Some(part(i)))
    })
}

/// A row in HDF5 for each metric that follows from those of a row of the profile: the values `names` it has.
pub(crate) fn derived_cells<'a, T, const N: usize>(
    report: ProfileReport<'a>,
    of: &str,
    names: [&str; N],
    rows: &'a [RowValues<T>],
    values: impl Fn(&Derived, usize) -> [Option<f64>; N] + Copy + 'a,
) -> Columns<'a> {
    let all = report.derived;
    let filled: Rc<[usize]> = (0..rows.len()).filter(|row| !rows[*row].is_empty()).collect();
    let row = Rc::clone(&filled);
    let columns = Columns::of(filled.len() * all.len())
        .put(HDF5, of, ID, move |i| Cell::Id(row[i / all.len()] as u64))
        .put(HDF5, "name", TEXT, |i| all[i % all.len()].name.clone());
    names.into_iter().enumerate().fold(columns, |columns, (at, name)| {
        let row = Rc::clone(&filled);
        let value = move |i: usize| values(&all[i % all.len()], row[i / all.len()])[at];
        columns.put(HDF5, name, FLOAT, value)
    })
}
