//! Columns of the profile's tables, once for each kind of row: CSV, JSON, HDF5 and Parquet are written from these lists.
//!
//! A row is known by its index in the profile. Outputs differ in some columns, so each says in which it stands.

#[cfg(feature = "hdf5")]
mod hdf5;
mod metrics;
mod rows;
mod samples;
mod taken_back;

use std::io::{self, Write};

use serde::ser::{Serialize, Serializer};

use crate::json;
use crate::tables::{Cell, Column as TableColumn, Kind, Table, Unit};
#[cfg(feature = "hdf5")]
pub(crate) use hdf5::{derived_cells, measured, places, PARTS};
pub(crate) use metrics::{aggregates, derived, members, series};
#[cfg(feature = "hdf5")]
pub(crate) use rows::unit;
pub(crate) use rows::{groups, locations, numbers, paths, regions, total};
pub(crate) use samples::{
    contexts, generators, lines, sampled_groups, sampled_locations, sampled_regions, sampled_total,
};
pub(crate) use taken_back::TakenBackTables;

/// Outputs that have a column: a sum of them.
pub(crate) type Outputs = u8;

/// CSV and Parquet.
pub(crate) const CSV: Outputs = 1;
pub(crate) const JSON: Outputs = 2;
pub(crate) const HDF5: Outputs = 4;
pub(crate) const ALL: Outputs = CSV | JSON | HDF5;

/// Type and unit of a column.
pub(crate) type Type = (Kind, Unit);

const ID: Type = (Kind::Id32, Unit::None);
const LONG_ID: Type = (Kind::Id64, Unit::None);
const PARENT: Type = (Kind::Parent, Unit::None);
const TEXT: Type = (Kind::Text, Unit::None);
const SMALL: Type = (Kind::U32, Unit::None);
const COUNT: Type = (Kind::U64, Unit::None);
const EVENTS: Type = (Kind::U64, Unit::Events);
const VISITS: Type = (Kind::U64, Unit::Visits);
const LOCATIONS: Type = (Kind::U64, Unit::Locations);
const SAMPLES: Type = (Kind::U64, Unit::Samples);
const TICKS: Type = (Kind::U64, Unit::Ticks);
const MEAN_TICKS: Type = (Kind::F64, Unit::Ticks);
const SIGNED: Type = (Kind::I64, Unit::None);
const FLOAT: Type = (Kind::F64, Unit::None);
const NUMBER: Type = (Kind::Number, Unit::None);

/// A value of each row.
pub(crate) trait Of<'a, T>: Fn(usize) -> T + Copy + 'a {}

impl<'a, T, F: Fn(usize) -> T + Copy + 'a> Of<'a, T> for F {}

/// A column.
pub(crate) struct Column<'a> {
    /// Name in JSON and HDF5. CSV says of times that they are ticks.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) unit: Unit,
    outputs: Outputs,
    /// Set if HDF5 has 0 where there is no value, instead of the value that stands for none.
    pub(crate) or_zero: bool,
    /// The cell of a row.
    pub(crate) get: Box<dyn Fn(usize) -> Cell + 'a>,
}

/// The columns of a kind of row, and how many rows there are.
pub(crate) struct Columns<'a> {
    columns: Vec<Column<'a>>,
    /// Number of rows.
    pub(crate) rows: usize,
}

impl<'a> Columns<'a> {
    /// No columns yet, of so many rows.
    pub(crate) fn of(rows: usize) -> Self {
        Columns { columns: Vec::new(), rows }
    }

    /// With a column in these outputs.
    pub(crate) fn put<V: Into<Cell>>(
        mut self,
        outputs: Outputs,
        name: impl Into<String>,
        (kind, unit): Type,
        get: impl Fn(usize) -> V + 'a,
    ) -> Self {
        let get = Box::new(move |row| get(row).into());
        let (name, or_zero) = (name.into(), false);
        self.columns.push(Column { name, kind, unit, outputs, or_zero, get });
        self
    }

    /// With a column, if there is to be one.
    fn put_if<V: Into<Cell>>(
        self,
        put: bool,
        outputs: Outputs,
        name: impl Into<String>,
        of: Type,
        get: impl Fn(usize) -> V + 'a,
    ) -> Self {
        match put {
            true => self.put(outputs, name, of, get),
            false => self,
        }
    }

    /// The last column has 0 in HDF5 where there is no value.
    pub(crate) fn or_zero(mut self) -> Self {
        self.columns.iter_mut().last().into_iter().for_each(|column| column.or_zero = true);
        self
    }

    /// The columns of an output.
    pub(crate) fn iter(&self, output: Outputs) -> impl Iterator<Item = &Column<'a>> {
        self.columns.iter().filter(move |column| column.outputs & output != 0)
    }

    /// Rows in this order as a table of CSV and Parquet.
    pub(crate) fn table<'b>(&'b self, order: &'b [usize]) -> Table<'b> {
        let heading = |column: &Column<'a>| {
            let ticks = if column.unit == Unit::Ticks { "_ticks" } else { "" };
            TableColumn {
                name: format!("{}{ticks}", column.name).into(),
                heading: None,
                declared: Some((column.kind, column.unit)),
            }
        };
        let cell = |column: &Column<'a>, row| match (column.get)(row) {
            Cell::Text(text) if text.is_empty() => Cell::Empty,
            Cell::Absent => Cell::Empty,
            cell => cell,
        };
        let row = move |&row: &usize| self.iter(CSV).map(|column| cell(column, row)).collect();
        let headings = self.iter(CSV).map(heading).collect();
        Table::new("profile", "", headings, move || order.iter().map(row))
    }

    /// Writes a row as an object of JSON. Names of columns need no escapes.
    pub(crate) fn write_object(&self, line: &mut Vec<u8>, row: usize) -> io::Result<()> {
        let mut before = b'{';
        for column in self.iter(JSON) {
            let cell = (column.get)(row);
            if !matches!(cell, Cell::Absent) {
                write!(line, "{}\"{}\":", char::from(before), column.name)?;
                json::to_writer(&mut *line, &cell)?;
                before = b',';
            }
        }
        line.push(b'}');
        Ok(())
    }

    /// A row as an object of JSON.
    pub(crate) fn object(&self, row: usize) -> Object<'_> {
        Object { columns: self, row }
    }
}

/// A list of objects.
impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((0..self.rows).map(|row| self.object(row)))
    }
}

/// A row as an object of JSON.
pub(crate) struct Object<'a> {
    columns: &'a Columns<'a>,
    row: usize,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let members = self.columns.iter(JSON);
        let members = members.map(|column| (&column.name, (column.get)(self.row)));
        to.collect_map(members.filter(|(_, cell)| !matches!(cell, Cell::Absent)))
    }
}
