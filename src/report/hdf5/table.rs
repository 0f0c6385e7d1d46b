//! Tables: datasets of one dimension whose elements are rows with named columns.
//!
//! A table is described by its columns, each a name, a unit and a way to get its cell from a row.
//! Texts have the length of the longest one in their column, since neither numpy nor PyTables takes
//! rows with texts of any length.

use std::collections::BTreeSet;

use hdf5_metno::types::{
    CompoundField, CompoundType, FloatSize, IntSize, TypeDescriptor, VarLenUnicode,
};
use hdf5_metno::{Dataset, Datatype, Group, H5Type, Location, Result};

use super::raw::{self, Transfer};

/// Bytes of a text in a table, at most. A longer one ends with `…` there and is kept in
/// `/long_texts`, so that one name of a megabyte does not make every row as long.
pub const LONGEST_TEXT: usize = 1024;

/// Bytes that a chunk of a table holds before compression: as large as HDF5's cache of chunks, so
/// that a row can be read without unpacking its chunk again and again.
const CHUNK: usize = 1 << 20;

/// How hard to compress, 1 to 9: the library compresses on one thread, and after shuffling most of
/// what is to be gained is gained by the first level.
pub const DEFLATE: u8 = 1;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nothing that has a unit: references, lines, texts.
    None,
    /// Times, in ticks of the trace's clock.
    Ticks,
    Bytes,
    BytesPerSecond,
    Visits,
    Messages,
    Operations,
    Events,
    Locations,
    Samples,
}

impl Unit {
    /// The unit as attributes say it.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Unit::None => None,
            Unit::Ticks => Some("ticks"),
            Unit::Bytes => Some("bytes"),
            Unit::BytesPerSecond => Some("bytes per second"),
            Unit::Visits => Some("visits"),
            Unit::Messages => Some("messages"),
            Unit::Operations => Some("operations"),
            Unit::Events => Some("events"),
            Unit::Locations => Some("locations"),
            Unit::Samples => Some("samples"),
        }
    }
}

type Get<'a, T, V> = Box<dyn Fn(&T) -> V + 'a>;

enum Cells<'a, T> {
    U32(Get<'a, T, u32>),
    I64(Get<'a, T, i64>),
    U64(Get<'a, T, u64>),
    F64(Get<'a, T, f64>),
    Text(Get<'a, T, String>),
}

/// A column of rows of `T`.
pub struct Column<'a, T> {
    pub name: String,
    unit: Unit,
    cells: Cells<'a, T>,
}

impl<T> Column<'_, T> {
    /// The type of its cells; texts have this width.
    fn kind(&self, width: usize) -> TypeDescriptor {
        match self.cells {
            Cells::U32(_) => TypeDescriptor::Unsigned(IntSize::U4),
            Cells::I64(_) => TypeDescriptor::Integer(IntSize::U8),
            Cells::U64(_) => TypeDescriptor::Unsigned(IntSize::U8),
            Cells::F64(_) => TypeDescriptor::Float(FloatSize::U8),
            Cells::Text(_) => TypeDescriptor::FixedUnicode(width),
        }
    }

    /// Bytes of a cell, where that does not depend on the rows: of numbers.
    pub fn width(&self) -> Option<usize> {
        match self.cells {
            Cells::U32(_) => Some(4),
            Cells::I64(_) | Cells::U64(_) | Cells::F64(_) => Some(8),
            Cells::Text(_) => None,
        }
    }

    /// Makes a dataset of numbers for so many rows, in chunks of so many.
    pub fn make(&self, group: &Group, rows: usize, chunk: usize) -> Result<()> {
        let width = self.width().ok_or("texts are written in tables only")?;
        let dataset = create(group, &self.name, &self.kind(width), rows, chunk)?;
        match self.unit.name() {
            Some(unit) => text_attribute(&dataset, "unit", unit),
            None => Ok(()),
        }
    }

    /// Writes the cells of rows into the dataset, from a row on.
    pub fn write(
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
            Cells::Text(_) => Err("texts are written in tables only".into()),
        }
    }
}

/// The columns of a table of `T`.
pub struct Columns<'a, T> {
    columns: Vec<Column<'a, T>>,
}

impl<'a, T> Columns<'a, T> {
    pub fn new() -> Self {
        Columns { columns: Vec::new() }
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Column<'a, T>> {
        self.columns.iter()
    }

    fn push(mut self, name: impl Into<String>, unit: Unit, cells: Cells<'a, T>) -> Self {
        self.columns.push(Column { name: name.into(), unit, cells });
        self
    }

    pub fn u32(self, name: &str, unit: Unit, get: impl Fn(&T) -> u32 + 'a) -> Self {
        self.push(name, unit, Cells::U32(Box::new(get)))
    }

    pub fn i64(self, name: &str, unit: Unit, get: impl Fn(&T) -> i64 + 'a) -> Self {
        self.push(name, unit, Cells::I64(Box::new(get)))
    }

    pub fn u64(self, name: &str, unit: Unit, get: impl Fn(&T) -> u64 + 'a) -> Self {
        self.push(name, unit, Cells::U64(Box::new(get)))
    }

    pub fn f64(self, name: &str, unit: Unit, get: impl Fn(&T) -> f64 + 'a) -> Self {
        self.push(name, unit, Cells::F64(Box::new(get)))
    }

    /// Two columns: the lower 64 bits, and under the name with `_high` the upper ones.
    pub fn u128(self, name: &str, unit: Unit, get: impl Fn(&T) -> u128 + Copy + 'a) -> Self {
        let high = format!("{name}{HIGH}");
        self.u64(name, unit, move |row| get(row) as u64).push(
            high,
            unit,
            Cells::U64(Box::new(move |row| (get(row) >> 64) as u64)),
        )
    }

    /// The same of a number that may be below zero: the upper 64 bits have its sign.
    pub fn i128(self, name: &str, unit: Unit, get: impl Fn(&T) -> i128 + Copy + 'a) -> Self {
        let high = format!("{name}{HIGH}");
        self.u64(name, unit, move |row| get(row) as u64).push(
            high,
            unit,
            Cells::I64(Box::new(move |row| (get(row) >> 64) as i64)),
        )
    }

    pub fn text(self, name: &str, get: impl Fn(&T) -> String + 'a) -> Self {
        self.push(name, Unit::None, Cells::Text(Box::new(move |row| without_nul(get(row)))))
    }
}

impl<T> Columns<'_, T> {
    /// The type of a row, where texts have these widths, and its bytes.
    fn row(&self, widths: &[usize]) -> (TypeDescriptor, usize) {
        let mut size = 0;
        let mut fields = Vec::new();
        for (column, &width) in self.columns.iter().zip(widths) {
            let kind = column.kind(width);
            fields.push(CompoundField::new(&column.name, kind, size, fields.len()));
            size += width;
        }
        (TypeDescriptor::Compound(CompoundType { fields, size }), size)
    }

    /// Makes a table of so many rows in a group.
    fn make_table(
        &self,
        group: &Group,
        name: &str,
        widths: &[usize],
        rows: usize,
    ) -> Result<Dataset> {
        let (kind, size) = self.row(widths);
        let dataset = create(group, name, &kind, rows, chunk(size))?;
        for column in &self.columns {
            if let Some(unit) = column.unit.name() {
                text_attribute(&dataset, &format!("unit.{}", column.name), unit)?;
            }
        }
        Ok(dataset)
    }

    /// The widths of columns that are all numbers.
    fn widths(&self) -> Result<Vec<usize>> {
        let widths = self.columns.iter().map(Column::width).collect::<Option<_>>();
        widths.ok_or_else(|| "texts are written in whole tables only".into())
    }

    /// Makes a table of so many rows of numbers in a group, which [`Rows`] writes.
    pub fn make_rows(&self, group: &Group, name: &str, rows: usize) -> Result<()> {
        self.make_table(group, name, &self.widths()?, rows).map(drop)
    }
}

/// Rows in a chunk of a table whose rows have so many bytes.
fn chunk(size: usize) -> usize {
    (CHUNK / size).max(1)
}

/// Writes a table of numbers piece by piece.
pub struct Rows<'a, T> {
    dataset: Dataset,
    columns: &'a Columns<'a, T>,
    widths: Vec<usize>,
    written: u64,
}

impl<'a, T> Rows<'a, T> {
    /// One that was [made](Columns::make_rows).
    pub fn new(group: &Group, name: &str, columns: &'a Columns<'a, T>) -> Result<Self> {
        let (dataset, widths) = (group.dataset(name)?, columns.widths()?);
        Ok(Rows { dataset, columns, widths, written: 0 })
    }

    /// So many rows are written at best at a time.
    pub fn chunk(&self) -> usize {
        chunk(self.size())
    }

    /// Bytes that so many rows take at most.
    pub fn bytes(&self, rows: usize) -> u64 {
        // Compression never makes much more of a chunk, and each has a place in an index.
        let chunks = rows.div_ceil(self.chunk()) * self.chunk() * self.size();
        (chunks + chunks / 64) as u64
    }

    fn size(&self) -> usize {
        self.widths.iter().sum()
    }

    /// Writes those that follow.
    pub fn write(&mut self, rows: &[T]) -> Result<()> {
        let mut bytes = Vec::with_capacity(rows.len() * self.size());
        for row in rows {
            self.columns.put(&mut bytes, &self.widths, row);
        }
        raw::write_rows(&self.dataset, self.written, &bytes)?;
        self.written += rows.len() as u64;
        Ok(())
    }
}

/// What the name of a column ends with that holds the upper 64 bits of a number.
pub const HIGH: &str = "_high";

/// Writes tables, and keeps the texts that were too long for them.
#[derive(Default)]
pub struct Tables {
    long_texts: BTreeSet<String>,
}

impl Tables {
    /// Makes a table in a group.
    pub fn write<T>(
        &mut self,
        group: &Group,
        name: &str,
        columns: Columns<'_, T>,
        rows: &[T],
    ) -> Result<()> {
        let widths: Vec<usize> = columns.iter().map(|column| self.width(column, rows)).collect();
        let dataset = columns.make_table(group, name, &widths, rows.len())?;
        let columns = &columns;
        let mut to = Rows { dataset, columns, widths, written: 0 };
        rows.chunks(to.chunk()).try_for_each(|rows| to.write(rows))
    }

    /// Bytes of a column's cells.
    fn width<T>(&mut self, column: &Column<'_, T>, rows: &[T]) -> usize {
        let Cells::Text(get) = &column.cells else { return column.width().unwrap_or_default() };
        let mut longest = 1; // HDF5 has no texts of no bytes
        for row in rows {
            let text = get(row);
            longest = longest.max(text.len());
            if text.len() > LONGEST_TEXT {
                self.long_texts.insert(text);
            }
        }
        longest.min(LONGEST_TEXT)
    }

    /// Makes the dataset of the texts that were too long for the tables, if there are any.
    pub fn end(self, group: &Group) -> Result<()> {
        if self.long_texts.is_empty() {
            return Ok(());
        }
        let texts: Vec<VarLenUnicode> = self.long_texts.iter().map(|text| any(text)).collect();
        let builder = group.new_dataset_builder();
        builder.with_data(&texts[..]).create("long_texts")?;
        Ok(())
    }
}

impl<T> Columns<'_, T> {
    /// The bytes of a row.
    fn put(&self, bytes: &mut Vec<u8>, widths: &[usize], row: &T) {
        for (column, &width) in self.columns.iter().zip(widths) {
            put(bytes, column, width, row);
        }
    }
}

fn put<T>(bytes: &mut Vec<u8>, column: &Column<'_, T>, width: usize, row: &T) {
    match &column.cells {
        Cells::U32(get) => bytes.extend(get(row).to_ne_bytes()),
        Cells::I64(get) => bytes.extend(get(row).to_ne_bytes()),
        Cells::U64(get) => bytes.extend(get(row).to_ne_bytes()),
        Cells::F64(get) => bytes.extend(get(row).to_ne_bytes()),
        Cells::Text(get) => {
            let end = bytes.len() + width;
            bytes.extend(cut(&get(row)).bytes());
            bytes.resize(end, 0);
        }
    }
}

/// With the symbol for NUL in place of the character, which ends texts in HDF5.
fn without_nul(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "\u{2400}")
    } else {
        text
    }
}

/// The text, or as much of it as a table takes.
fn cut(text: &str) -> std::borrow::Cow<'_, str> {
    const MARK: char = '…';
    if text.len() <= LONGEST_TEXT {
        return text.into();
    }
    let mut end = LONGEST_TEXT - MARK.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{MARK}", &text[..end]).into()
}

/// Makes a dataset of one dimension, in compressed chunks of so many elements.
pub fn create(
    group: &Group,
    name: &str,
    kind: &TypeDescriptor,
    length: usize,
    chunk: usize,
) -> Result<Dataset> {
    let builder = group.new_dataset_builder();
    // Of nothing there are no chunks.
    let builder = if length == 0 {
        builder.no_chunk()
    } else {
        builder.chunk(chunk.min(length)).shuffle().deflate(DEFLATE)
    };
    // Told as a descriptor, a row would be laid out anew, with gaps.
    builder.empty_as(Datatype::from_descriptor(kind)?).shape(length).create(name)
}

/// Gives a file, group or dataset an attribute that is a text.
pub fn text_attribute(of: &Location, name: &str, text: &str) -> Result<()> {
    of.new_attr::<VarLenUnicode>().create(name)?.write_scalar(&any(text))
}

/// Gives a file, group or dataset an attribute that is a list of texts.
pub fn texts_attribute(of: &Location, name: &str, texts: &[String]) -> Result<()> {
    let texts: Vec<_> = texts.iter().map(|text| any(text)).collect();
    of.new_attr::<VarLenUnicode>().shape(texts.len()).create(name)?.write_raw(&texts)
}

/// Gives a file, group or dataset an attribute that is a number.
pub fn number_attribute(of: &Location, name: &str, number: u64) -> Result<()> {
    of.new_attr::<u64>().create(name)?.write_scalar(&number)
}

/// As HDF5 takes it.
fn any(text: &str) -> VarLenUnicode {
    // It refuses nothing but NUL.
    without_nul(text.to_owned()).parse().unwrap_or_default()
}
