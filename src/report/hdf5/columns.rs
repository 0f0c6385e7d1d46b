//! Columns of tables: each a name, a unit and a way to get its cell from a row.

use hdf5_metno::types::{FloatSize, IntSize, TypeDescriptor};
use hdf5_metno::{Dataset, Group, H5Type, Result};
use streamfold_kernels::profile::metrics::Number;

use super::raw::{self, Transfer};
use super::table::{create, text_attribute, without_nul};
pub(super) use crate::tables::Unit;
use crate::tables::{Cell, Kind};

pub(super) type Get<'a, T, V> = Box<dyn Fn(&T) -> V + 'a>;

/// How to get the cells of a column.
pub(super) enum Cells<'a, T> {
    U32(Get<'a, T, u32>),
    I64(Get<'a, T, i64>),
    U64(Get<'a, T, u64>),
    /// Sums, which 64 bits nearly always hold.
    Sum(Get<'a, T, u128>),
    /// The same where they may be below zero.
    SignedSum(Get<'a, T, i128>),
    F64(Get<'a, T, f64>),
    Text(Get<'a, T, String>),
}

/// A column of rows of `T`.
pub(super) struct Column<'a, T> {
    pub name: String,
    pub(super) unit: Unit,
    pub(super) cells: Cells<'a, T>,
}

impl<T> Column<'_, T> {
    /// The type of its cells; texts have this width.
    pub(super) fn kind(&self, width: usize) -> TypeDescriptor {
        match self.cells {
            Cells::U32(_) => TypeDescriptor::Unsigned(IntSize::U4),
            Cells::I64(_) | Cells::SignedSum(_) => TypeDescriptor::Integer(IntSize::U8),
            Cells::U64(_) | Cells::Sum(_) => TypeDescriptor::Unsigned(IntSize::U8),
            Cells::F64(_) => TypeDescriptor::Float(FloatSize::U8),
            Cells::Text(_) => TypeDescriptor::FixedUnicode(width),
        }
    }

    /// Bytes of a cell, where that does not depend on the rows: of numbers.
    pub(super) fn width(&self) -> Option<usize> {
        match self.cells {
            Cells::U32(_) => Some(4),
            Cells::Text(_) => None,
            _ => Some(8),
        }
    }

    /// An error where the sum of a row needs more bits than the column has.
    fn check(&self, row: &T) -> Result<()> {
        let fits = match &self.cells {
            Cells::Sum(get) => u64::try_from(get(row)).is_ok(),
            Cells::SignedSum(get) => i64::try_from(get(row)).is_ok(),
            _ => true,
        };
        match fits {
            true => Ok(()),
            false => {
                let name = &self.name;
                let what = format!(
                    "column {name}: a number needs more than 64 bits: CSV and JSON have it"
                );
                Err(what.into())
            }
        }
    }

    /// Makes a dataset of numbers for so many rows, in chunks of so many.
    pub(super) fn make(&self, group: &Group, rows: usize, chunk: usize) -> Result<()> {
        let width = self.width().ok_or("texts are written in tables only")?;
        let dataset = create(group, &self.name, &self.kind(width), rows, chunk)?;
        match self.unit.name() {
            Some(unit) => text_attribute(&dataset, "unit", unit),
            None => Ok(()),
        }
    }

    /// Writes the cells of rows, which were [checked](Columns::check), into the dataset, from a row on.
    pub(super) fn write(
        &self,
        dataset: &Dataset,
        start: u64,
        rows: &[T],
        transfer: Transfer,
    ) -> Result<()> {
        fn cells<T, V: H5Type>(rows: &[T], get: &Get<'_, T, V>) -> Vec<V> {
            rows.iter().map(get).collect()
        }
        match &self.cells {
            Cells::U32(get) => raw::write_values(dataset, start, &cells(rows, get), transfer),
            Cells::I64(get) => raw::write_values(dataset, start, &cells(rows, get), transfer),
            Cells::U64(get) => raw::write_values(dataset, start, &cells(rows, get), transfer),
            Cells::F64(get) => raw::write_values(dataset, start, &cells(rows, get), transfer),
            Cells::Sum(get) => {
                let cells: Vec<u64> = rows.iter().map(|row| get(row) as u64).collect();
                raw::write_values(dataset, start, &cells, transfer)
            }
            Cells::SignedSum(get) => {
                let cells: Vec<i64> = rows.iter().map(|row| get(row) as i64).collect();
                raw::write_values(dataset, start, &cells, transfer)
            }
            Cells::Text(_) => Err("texts are written in tables only".into()),
        }
    }
}

/// The columns of a table of `T`.
pub(super) struct Columns<'a, T> {
    pub(super) columns: Vec<Column<'a, T>>,
}

impl<'a, T> Columns<'a, T> {
    pub(super) fn new() -> Self {
        Columns { columns: Vec::new() }
    }

    /// An error where a sum of any row needs more bits than its column has.
    pub(super) fn check(&self, rows: &[T]) -> Result<()> {
        rows.iter().try_for_each(|row| self.columns.iter().try_for_each(|column| column.check(row)))
    }

    /// One after the other.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Column<'a, T>> {
        self.columns.iter()
    }

    fn push(mut self, name: impl Into<String>, unit: Unit, cells: Cells<'a, T>) -> Self {
        self.columns.push(Column { name: name.into(), unit, cells });
        self
    }

    pub(super) fn u32(self, name: &str, unit: Unit, get: impl Fn(&T) -> u32 + 'a) -> Self {
        self.push(name, unit, Cells::U32(Box::new(get)))
    }

    pub(super) fn i64(self, name: &str, unit: Unit, get: impl Fn(&T) -> i64 + 'a) -> Self {
        self.push(name, unit, Cells::I64(Box::new(get)))
    }

    pub(super) fn u64(self, name: &str, unit: Unit, get: impl Fn(&T) -> u64 + 'a) -> Self {
        self.push(name, unit, Cells::U64(Box::new(get)))
    }

    pub(super) fn f64(self, name: &str, unit: Unit, get: impl Fn(&T) -> f64 + 'a) -> Self {
        self.push(name, unit, Cells::F64(Box::new(get)))
    }

    /// Sums as unsigned numbers of 64 bits. Writing fails if a sum needs more bits.
    pub(super) fn u128(self, name: &str, unit: Unit, get: impl Fn(&T) -> u128 + 'a) -> Self {
        self.push(name, unit, Cells::Sum(Box::new(get)))
    }

    /// The same of numbers that may be below zero, as signed ones.
    pub(super) fn i128(self, name: &str, unit: Unit, get: impl Fn(&T) -> i128 + 'a) -> Self {
        self.push(name, unit, Cells::SignedSum(Box::new(get)))
    }

    /// Cells of any table. The largest number of a type says that there is no value, in a column of rows -1, unless
    /// that is said by 0.
    pub(super) fn cells(
        self,
        name: &str,
        (kind, unit): (Kind, Unit),
        or_zero: bool,
        cell: impl Fn(&T) -> Cell + Copy + 'a,
    ) -> Self {
        let none = match kind {
            _ if or_zero => 0,
            Kind::Id32 | Kind::U32 => u32::MAX.into(),
            Kind::Parent | Kind::I64 => -1,
            _ => u64::MAX.into(),
        };
        let integer = move |row: &T| cell(row).integer().unwrap_or(none);
        match kind {
            Kind::Id32 | Kind::U32 => self.u32(name, unit, move |row| integer(row) as u32),
            Kind::Id64 | Kind::U64 => self.u128(name, unit, move |row| integer(row) as u128),
            Kind::Parent | Kind::I64 => self.i128(name, unit, integer),
            Kind::F64 => self.f64(name, unit, move |row| cell(row).float().unwrap_or(f64::NAN)),
            Kind::Number => self.number(name, move |row| match cell(row) {
                Cell::Number(number) => Some(number),
                _ => None,
            }),
            Kind::Text => self.text(name, move |row| match cell(row) {
                Cell::Text(text) => text,
                Cell::Count(number) => number.to_string(),
                _ => String::new(),
            }),
        }
    }

    /// A number as two columns: rounded, and exact if it is an integer.
    pub(super) fn number(self, name: &str, of: impl Fn(&T) -> Option<Number> + Copy + 'a) -> Self {
        let integer = move |row: &T| match of(row) {
            Some(Number::Integer(integer)) => integer,
            Some(Number::Float(_)) | None => 0,
        };
        let rounded = move |row: &T| of(row).map_or(f64::NAN, Number::as_f64);
        self.f64(name, Unit::None, rounded).i128(&format!("{name}_int"), Unit::None, integer)
    }

    pub(super) fn text(self, name: &str, get: impl Fn(&T) -> String + 'a) -> Self {
        self.push(name, Unit::None, Cells::Text(Box::new(move |row| without_nul(get(row)))))
    }
}
