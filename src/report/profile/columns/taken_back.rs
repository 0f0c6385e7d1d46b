//! Visits and times that windows before have counted.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;
use streamfold_kernels::profile::{TakenBack, TakenBackRows};

use super::{Columns, Of, Outputs, CSV, HDF5, ID, JSON, LONG_ID, TICKS, VISITS};
use crate::profile::ProfileReport;
use crate::tables::Cell;

impl<'a> Columns<'a> {
    /// Columns of what windows before have too much, if they have anything.
    pub(super) fn taken_back(
        self,
        rows: &'a TakenBackRows,
        of: impl Of<'a, Option<&'a TakenBack>>,
    ) -> Self {
        match rows.is_empty() {
            true => self,
            false => self.back(CSV, "taken_back_", move |i| of(i).copied().unwrap_or_default()),
        }
    }

    fn back(
        self,
        outputs: Outputs,
        prefix: &str,
        of: impl Fn(usize) -> TakenBack + Clone + 'a,
    ) -> Self {
        let (inclusive, exclusive) = (of.clone(), of.clone());
        self.put(outputs, format!("{prefix}visits"), VISITS, move |i| of(i).visits)
            .put(outputs, format!("{prefix}inclusive"), TICKS, move |i| inclusive(i).inclusive)
            .put(outputs, format!("{prefix}exclusive"), TICKS, move |i| exclusive(i).exclusive)
    }
}

/// Tables of their own, as JSON and HDF5 have them.
#[derive(Serialize)]
pub(crate) struct TakenBackTables<'a> {
    pub(crate) total: TakenBack,
    pub(crate) regions: Columns<'a>,
    pub(crate) paths: Columns<'a>,
    pub(crate) groups: Columns<'a>,
    pub(crate) locations: Columns<'a>,
}

impl<'a> TakenBackTables<'a> {
    pub(crate) fn new(report: ProfileReport<'a>) -> Self {
        const TO: Outputs = JSON | HDF5;
        let of = &report.profile.taken_back;
        let regions = table(&of.regions, |columns, keys| {
            columns.step(TO, report.definitions, move |i| keys[i])
        });
        let steps: Vec<_> = of.regions.keys().collect();
        let regions = regions.put(TO, "outer", TICKS, move |i| of.outer.get(steps[i]).copied());
        let paths = table(&of.paths, |columns, keys| {
            columns.put(TO, "path", ID, move |i| Cell::Id(keys[i].into()))
        });
        let groups = table(&of.groups, |columns, keys| {
            columns.put(TO, "group", ID, move |i| Cell::id(keys[i]))
        });
        let locations = table(&of.locations, |columns, keys| {
            columns.put(TO, "location", LONG_ID, move |i| Cell::Id(keys[i].0))
        });
        TakenBackTables { total: of.total, regions, paths, groups, locations }
    }

    /// The total as a table of HDF5.
    #[cfg(feature = "hdf5")]
    pub(crate) fn total(&self) -> Columns<'static> {
        let total = self.total;
        Columns::of(1).back(HDF5, "", move |_| total)
    }
}

/// The table of some rows, in the order of their keys.
fn table<'a, K: Copy + Ord + 'a>(
    of: &'a BTreeMap<K, TakenBack>,
    key: impl FnOnce(Columns<'a>, Rc<[K]>) -> Columns<'a>,
) -> Columns<'a> {
    let keys: Rc<[K]> = of.keys().copied().collect();
    let columns = key(Columns::of(keys.len()), Rc::clone(&keys));
    columns.back(JSON | HDF5, "", move |i| of[&keys[i]])
}
