//! The metrics of a finished profile.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationGroupRef, LocationRef, MetricMemberRef};

use super::super::result::{GroupRow, PathRow, RegionRow};
use super::super::tree::PathIndex;
use super::series::SeriesRow;
use super::sums::{Aggregate, Measured, MetricKind, MetricOddities, MetricSums};
use crate::profile::result::tally::LocationRow;
use crate::profile::tree::step::Step;

/// Metrics of all locations; nothing where none were recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// The metrics that were recorded, in the order of their references.
    pub members: Vec<MemberRow>,
    /// Columns of the call paths, in the order of references.
    pub columns: Vec<Column>,
    /// By call path, in the order of [`Profile::paths`](super::super::Profile::paths).
    pub paths: Vec<RowValues<Measured>>,
    /// By region, in the order of [`Profile::regions`](super::super::Profile::regions). The sum of what is inclusive
    /// is that of visits that are not inside of another visit of the region; so are number and range of recorded
    /// values, while those of differences are of all visits.
    pub regions: Vec<RowValues<Measured>>,
    /// By location, in the order of [`Profile::locations`](super::super::Profile::locations): of
    /// differences the sum of the exclusive ones.
    pub locations: Vec<RowValues<Aggregate>>,
    /// The same by location group, in the order of [`Profile::groups`](super::super::Profile::groups).
    pub groups: Vec<RowValues<Aggregate>>,
    /// The same of all locations.
    pub total: Vec<(u32, Aggregate)>,
    /// Of this, what was recorded while no region was open.
    pub outside: Vec<(u32, Aggregate)>,
    /// Metrics over time, in the order of their keys.
    pub series: Vec<SeriesRow>,
    /// Oddities of metric records.
    pub oddities: MetricOddities,
}

/// A metric that was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberRow {
    /// The metric.
    pub member: MetricMemberRef,
    /// All values as they were recorded.
    pub records: Aggregate,
}

/// A kind of value of a metric that is counted by call paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Column {
    /// The metric.
    pub member: MetricMemberRef,
    /// The kind of value.
    pub kind: MetricKind,
}

/// Values of a row: the index of each column in which it has one and the value, in the order of columns.
pub type RowValues<T> = Vec<(u32, T)>;

/// The rows of a profile that are there already.
pub(crate) struct Rows<'a> {
    pub paths: &'a [PathRow],
    /// The row of regions in which each path counts.
    pub steps: &'a [Option<Step>],
    pub regions: &'a [RegionRow],
    pub locations: &'a [LocationRow],
    pub groups: &'a [GroupRow],
    /// The group row of a location.
    pub group_of: &'a dyn Fn(LocationRef) -> LocationGroupRef,
    /// The index in `paths` of each path of the tree.
    pub order: &'a [u32],
}

impl Metrics {
    /// Tells whether no metrics were recorded at all.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.oddities.is_empty()
    }

    /// Returns the values of a call path.
    pub fn of_path(&self, index: usize) -> &[(u32, Measured)] {
        self.paths.get(index).map_or(&[], |row| row)
    }

    /// Returns the values of a region.
    pub fn of_region(&self, index: usize) -> &[(u32, Measured)] {
        self.regions.get(index).map_or(&[], |row| row)
    }

    /// Returns the values of a location.
    pub fn of_location(&self, index: usize) -> &[(u32, Aggregate)] {
        self.locations.get(index).map_or(&[], |row| row)
    }

    /// Returns the values of a location group.
    pub fn of_group(&self, index: usize) -> &[(u32, Aggregate)] {
        self.groups.get(index).map_or(&[], |row| row)
    }

    pub(crate) fn new(sums: MetricSums, rows: &Rows<'_>) -> Metrics {
        let MetricSums { members, paths, locations, mut series, oddities } = sums;
        let mut members: Vec<_> = members.into_iter().collect();
        members.sort_unstable_by_key(|(member, _)| *member);
        let members = members.into_iter().map(|(member, records)| MemberRow { member, records });
        series.sort_unstable_by_key(|row| row.key);
        let columns: HashSet<Column, RandomState> =
            paths.keys().map(|(_, member, kind)| Column { member: *member, kind: *kind }).collect();
        let mut columns: Vec<_> = columns.into_iter().collect();
        columns.sort_unstable();
        let index = (0u32..).zip(&columns).map(|(index, column)| (*column, index)).collect();
        let locations = by_location(locations, &index, rows.locations);
        let (paths, outside) = by_path(paths, &index, rows);
        Metrics {
            regions: by_region(&paths, &columns, rows),
            groups: by_group(&locations, rows),
            total: joined(locations.iter().flatten()),
            members: members.collect(),
            columns,
            paths,
            locations,
            outside,
            series,
            oddities,
        }
    }
}

type Index = HashMap<Column, u32, RandomState>;

fn by_location(
    sums: HashMap<(LocationRef, MetricMemberRef, MetricKind), Aggregate, RandomState>,
    index: &Index,
    rows: &[LocationRow],
) -> Vec<RowValues<Aggregate>> {
    if sums.is_empty() {
        return Vec::new();
    }
    let mut values = vec![Vec::new(); rows.len()];
    for ((location, member, kind), aggregate) in sums {
        if let Ok(row) = rows.binary_search_by_key(&location, |row| row.location) {
            values[row].push((index[&Column { member, kind }], aggregate));
        }
    }
    sorted(values)
}

fn sorted<T>(mut values: Vec<RowValues<T>>) -> Vec<RowValues<T>> {
    values.iter_mut().for_each(|row| row.sort_unstable_by_key(|(column, _)| *column));
    values
}

/// All together, by column.
fn joined<'a>(all: impl Iterator<Item = &'a (u32, Aggregate)>) -> RowValues<Aggregate> {
    let mut sums: BTreeMap<u32, Aggregate> = BTreeMap::new();
    for (column, aggregate) in all {
        let sum = sums.entry(*column);
        sum.and_modify(|sum| sum.join(aggregate)).or_insert_with(|| aggregate.clone());
    }
    sums.into_iter().collect()
}

fn by_group(locations: &[RowValues<Aggregate>], rows: &Rows<'_>) -> Vec<RowValues<Aggregate>> {
    if locations.is_empty() {
        return Vec::new();
    }
    let mut members: Vec<Vec<&(u32, Aggregate)>> = vec![Vec::new(); rows.groups.len()];
    for (values, location) in locations.iter().zip(rows.locations) {
        let group = (rows.group_of)(location.location);
        if let Ok(row) = rows.groups.binary_search_by_key(&group, |row| row.group) {
            members[row].extend(values);
        }
    }
    members.into_iter().map(|values| joined(values.into_iter())).collect()
}

/// Paths in the order of the result, and the location itself. Of recorded values the inclusive part
/// is made here.
fn by_path(
    sums: HashMap<(PathIndex, MetricMemberRef, MetricKind), Measured, RandomState>,
    index: &Index,
    rows: &Rows<'_>,
) -> (Vec<RowValues<Measured>>, RowValues<Aggregate>) {
    if sums.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut values: Vec<BTreeMap<u32, Measured>> = vec![BTreeMap::new(); rows.paths.len()];
    let mut outside = Vec::new();
    for ((path, member, kind), mut measured) in sums {
        let column = index[&Column { member, kind }];
        if path == PathIndex::ROOT {
            outside.push((column, measured.exclusive));
            continue;
        }
        if kind.is_of_records() {
            measured.inclusive = measured.exclusive.clone();
        }
        values[rows.order[path.index()] as usize].insert(column, measured);
    }
    outside.sort_unstable_by_key(|(column, _)| *column);
    let is_of_records: Vec<bool> = columns_of_records(index);
    // Parents stand before those below them.
    for (path, row) in rows.paths.iter().enumerate().rev() {
        let Some(parent) = row.parent else { continue };
        let (above, here) = values.split_at_mut(path);
        let above = &mut above[parent as usize];
        for (column, measured) in here[0].iter().filter(|(c, _)| is_of_records[**c as usize]) {
            let above = above.entry(*column).or_insert_with(|| measured.emptied());
            above.inclusive.join(&measured.inclusive);
        }
    }
    (values.into_iter().map(|row| row.into_iter().collect()).collect(), outside)
}

/// Tells for each column whether it is of records, and not of visits.
fn columns_of_records(index: &Index) -> Vec<bool> {
    let mut is_of_records = vec![false; index.len()];
    for (column, at) in index {
        is_of_records[*at as usize] = column.kind.is_of_records();
    }
    is_of_records
}

/// Exclusive over all paths of a region; inclusive sums over those that have the region once.
fn by_region(
    paths: &[RowValues<Measured>],
    columns: &[Column],
    rows: &Rows<'_>,
) -> Vec<RowValues<Measured>> {
    if paths.is_empty() {
        return Vec::new();
    }
    let region_of: HashMap<Step, usize, RandomState> =
        rows.regions.iter().enumerate().map(|(row, region)| (region.step, row)).collect();
    let mut values: Vec<BTreeMap<u32, Measured>> = vec![BTreeMap::new(); rows.regions.len()];
    let mut open: HashMap<Step, u32, RandomState> = HashMap::default();
    let mut stack: Vec<Option<Step>> = Vec::new();
    for ((path, step), measured) in rows.paths.iter().zip(rows.steps).zip(paths) {
        for left in stack.drain(path.depth as usize..).flatten() {
            *open.entry(left).or_default() -= 1;
        }
        // A path with a parameter is a visit of the region above, and no further one inside of it.
        let is_parameter = matches!(path.step, Step::Parameter(..));
        stack.push(step.filter(|_| !is_parameter));
        let Some(step) = *step else { continue };
        let count = open.entry(step).or_default();
        let outermost = *count == u32::from(is_parameter);
        *count += u32::from(!is_parameter);
        let Some(&row) = region_of.get(&step) else { continue };
        for (column, measured) in measured {
            let sum = values[row].entry(*column).or_insert_with(|| measured.emptied());
            sum.exclusive.join(&measured.exclusive);
            // Recorded values below a parameter are inside of the region's own path already.
            let is_of_records = columns[*column as usize].kind.is_of_records();
            match outermost && !(is_parameter && is_of_records) {
                true => sum.inclusive.join(&measured.inclusive),
                // Every visit has a difference of its own, also one inside of another.
                false if !is_of_records => sum.inclusive.join_all_but_sum(&measured.inclusive),
                false => {}
            }
        }
    }
    values.into_iter().map(|row| row.into_iter().collect()).collect()
}
