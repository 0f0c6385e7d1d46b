//! Tables: datasets of one dimension whose elements are rows with named columns.
//!
//! A table is described by its columns, each a name, a unit and a way to get its cell from a row.
//! Texts have the length of the longest one in their column, since neither numpy nor PyTables takes
//! rows with texts of any length.

use std::collections::BTreeSet;

use hdf5_metno::types::{CompoundField, CompoundType, TypeDescriptor, VarLenUnicode};
use hdf5_metno::{Dataset, Datatype, Group, Location, Result};

use super::columns::{Cells, Column, Columns};
use super::raw;

/// Bytes of a text in a table, at most. A longer one ends with `…` there and is kept in
/// `/long_texts`, so that one name of a megabyte does not make every row as long.
pub(super) const LONGEST_TEXT: usize = 1024;

/// Bytes that a chunk of a table holds before compression: as large as HDF5's cache of chunks, so
/// that a row can be read without unpacking its chunk again and again.
const CHUNK: usize = 1 << 20;

/// How hard to compress, 1 to 9: the library compresses on one thread, and after shuffling most of
/// what is to be gained is gained by the first level.
pub(super) const DEFLATE: u8 = 1;

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
        self.say_units(&dataset)?;
        Ok(dataset)
    }

    /// Gives a table attributes with the units of its columns.
    fn say_units(&self, dataset: &Dataset) -> Result<()> {
        for column in &self.columns {
            if let Some(unit) = column.unit.name() {
                text_attribute(dataset, &format!("unit.{}", column.name), unit)?;
            }
        }
        Ok(())
    }

    /// The widths of columns whose texts are empty: HDF5 has no texts of no bytes.
    fn least_widths(&self) -> Vec<usize> {
        self.widths_with(1)
    }

    /// The widths of columns whose texts have so many bytes.
    fn widths_with(&self, text: usize) -> Vec<usize> {
        self.columns.iter().map(|column| column.width().unwrap_or(text)).collect()
    }

    /// The widths of columns that are all numbers.
    fn widths(&self) -> Result<Vec<usize>> {
        let widths = self.columns.iter().map(Column::width).collect::<Option<_>>();
        widths.ok_or_else(|| "texts are written in whole tables only".into())
    }

    /// Makes a table of so many rows of numbers in a group, which [`Rows`] writes.
    pub(super) fn make_rows(&self, group: &Group, name: &str, rows: usize) -> Result<()> {
        self.make_table(group, name, &self.widths()?, rows).map(drop)
    }
}

/// Rows in a chunk of a table whose rows have so many bytes.
fn chunk(size: usize) -> usize {
    (CHUNK / size).max(1)
}

/// Writes a table of numbers piece by piece.
pub(super) struct Rows<'a, T> {
    dataset: Dataset,
    columns: &'a Columns<'a, T>,
    widths: Vec<usize>,
    written: u64,
}

impl<'a, T> Rows<'a, T> {
    /// One that was [made](Columns::make_rows).
    pub(super) fn new(group: &Group, name: &str, columns: &'a Columns<'a, T>) -> Result<Self> {
        let (dataset, widths) = (group.dataset(name)?, columns.widths()?);
        Ok(Rows { dataset, columns, widths, written: 0 })
    }

    /// Number of rows that are written at best at a time.
    pub(super) fn chunk(&self) -> usize {
        chunk(self.size())
    }

    /// Bytes that so many rows take at most.
    pub(super) fn bytes(&self, rows: usize) -> u64 {
        // Compression never makes much more of a chunk, and each has a place in an index.
        let chunks = rows.div_ceil(self.chunk()) * self.chunk() * self.size();
        (chunks + chunks / 64) as u64
    }

    fn size(&self) -> usize {
        self.widths.iter().sum()
    }

    /// Writes those that follow.
    ///
    /// # Errors
    ///
    /// When a sum needs more bits than its column has.
    pub(super) fn write(&mut self, rows: &[T]) -> Result<()> {
        let checked = self.columns.check(rows);
        checked.map_err(|error| format!("{}: {error}", self.dataset.name()))?;
        let mut bytes = Vec::with_capacity(rows.len() * self.size());
        for row in rows {
            self.columns.put(&mut bytes, &self.widths, row);
        }
        raw::write_rows(&self.dataset, self.written, &bytes)?;
        self.written += rows.len() as u64;
        Ok(())
    }
}

/// Writes a table whose number of rows is not known at its begin. Texts have a width that is.
pub(super) struct Growing {
    group: Group,
    name: &'static str,
    text: usize,
    /// Made when there is a chunk of rows: a table that has fewer is a whole one.
    dataset: Option<Dataset>,
    bytes: Vec<u8>,
    written: u64,
}

impl Growing {
    /// One in a group, with texts of so many bytes. Longer ones are cut.
    pub(super) fn new(group: Group, name: &'static str, text: usize) -> Growing {
        Growing { group, name, text, dataset: None, bytes: Vec::new(), written: 0 }
    }

    /// Writes rows that follow. The columns are the same each time.
    pub(super) fn write<T>(
        &mut self,
        columns: &Columns<'_, T>,
        rows: impl Iterator<Item = T>,
    ) -> Result<()> {
        let widths = columns.widths_with(self.text);
        let size: usize = widths.iter().sum();
        for row in rows {
            columns.put(&mut self.bytes, &widths, &row);
            if self.bytes.len() == chunk(size) * size {
                self.flush(columns, &widths)?;
            }
        }
        Ok(())
    }

    /// Writes what is left.
    pub(super) fn end<T>(mut self, columns: &Columns<'_, T>) -> Result<()> {
        let widths = columns.widths_with(self.text);
        self.flush(columns, &widths)
    }

    /// Writes the rows that are kept.
    fn flush<T>(&mut self, columns: &Columns<'_, T>, widths: &[usize]) -> Result<()> {
        let (kind, size) = columns.row(widths);
        let rows = self.bytes.len() / size;
        let dataset = match &self.dataset {
            Some(dataset) => dataset,
            None => {
                let made = match rows < chunk(size) {
                    true => create(&self.group, self.name, &kind, rows, chunk(size))?,
                    false => create_growing(&self.group, self.name, &kind, rows)?,
                };
                columns.say_units(&made)?;
                self.dataset.insert(made)
            }
        };
        if rows > 0 {
            let end = self.written + rows as u64;
            if end > dataset.size() as u64 {
                dataset.resize(end as usize)?;
            }
            raw::write_rows(dataset, self.written, &self.bytes)?;
            self.written = end;
            self.bytes.clear();
        }
        Ok(())
    }
}

/// Writes tables, and keeps the texts that were too long for them.
#[derive(Default)]
pub(super) struct Tables {
    long_texts: BTreeSet<String>,
}

impl Tables {
    /// Makes a table in a group.
    pub(super) fn write<T>(
        &mut self,
        group: &Group,
        name: &str,
        columns: Columns<'_, T>,
        rows: &[T],
    ) -> Result<()> {
        let mut widths = columns.least_widths();
        rows.iter().for_each(|row| self.widen(&mut widths, &columns, row));
        let dataset = columns.make_table(group, name, &widths, rows.len())?;
        let mut to = Rows { dataset, columns: &columns, widths, written: 0 };
        rows.chunks(to.chunk()).try_for_each(|rows| to.write(rows))
    }

    /// The same of so many rows that are made whenever they are read, and never all at a time.
    pub(super) fn write_each<T, I: Iterator<Item = T>>(
        &mut self,
        group: &Group,
        name: &str,
        columns: &Columns<'_, T>,
        count: usize,
        rows: impl Fn() -> I,
    ) -> Result<()> {
        let mut widths = columns.least_widths();
        rows().for_each(|row| self.widen(&mut widths, columns, &row));
        let dataset = columns.make_table(group, name, &widths, count)?;
        let mut to = Rows { dataset, columns, widths, written: 0 };
        let mut rows = rows();
        loop {
            let part: Vec<T> = rows.by_ref().take(to.chunk()).collect();
            if part.is_empty() {
                return Ok(());
            }
            to.write(&part)?;
        }
    }

    /// Makes columns of texts as wide as a row's texts are, and keeps those that are too long.
    fn widen<T>(&mut self, widths: &mut [usize], columns: &Columns<'_, T>, row: &T) {
        for (width, column) in widths.iter_mut().zip(columns.iter()) {
            let Cells::Text(get) = &column.cells else { continue };
            let text = get(row);
            *width = (*width).max(text.len().min(LONGEST_TEXT));
            if text.len() > LONGEST_TEXT {
                self.long_texts.insert(text);
            }
        }
    }

    /// Makes the dataset of the texts that were too long for the tables, if there are any.
    pub(super) fn end(self, group: &Group) -> Result<()> {
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
        Cells::Sum(get) => bytes.extend((get(row) as u64).to_ne_bytes()),
        Cells::SignedSum(get) => bytes.extend((get(row) as i64).to_ne_bytes()),
        Cells::F64(get) => bytes.extend(get(row).to_ne_bytes()),
        Cells::Text(get) => {
            let end = bytes.len() + width;
            bytes.extend(cut(&get(row), width).bytes());
            bytes.resize(end, 0);
        }
    }
}

/// With the symbol for NUL in place of the character, which ends texts in HDF5.
pub(super) fn without_nul(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "\u{2400}")
    } else {
        text
    }
}

/// The text, or as much of it as a column of that width takes.
fn cut(text: &str, width: usize) -> std::borrow::Cow<'_, str> {
    const MARK: char = '…';
    if text.len() <= width {
        return text.into();
    }
    let mut end = width - MARK.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{MARK}", &text[..end]).into()
}

/// Makes a dataset of one dimension, in compressed chunks of so many elements.
pub(super) fn create(
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

/// The same of one that grows by chunks, which has a chunk of elements at its begin.
fn create_growing(
    group: &Group,
    name: &str,
    kind: &TypeDescriptor,
    chunk: usize,
) -> Result<Dataset> {
    let builder = group.new_dataset_builder().chunk(chunk).shuffle().deflate(DEFLATE);
    builder.empty_as(Datatype::from_descriptor(kind)?).shape(chunk..).create(name)
}

/// Gives a file, group or dataset an attribute that is a text.
pub(super) fn text_attribute(of: &Location, name: &str, text: &str) -> Result<()> {
    of.new_attr::<VarLenUnicode>().create(name)?.write_scalar(&any(text))
}

/// Gives a file, group or dataset an attribute that is a list of texts.
pub(super) fn texts_attribute(of: &Location, name: &str, texts: &[String]) -> Result<()> {
    let texts: Vec<_> = texts.iter().map(|text| any(text)).collect();
    of.new_attr::<VarLenUnicode>().shape(texts.len()).create(name)?.write_raw(&texts)
}

/// Gives a file, group or dataset an attribute that is a number.
pub(super) fn number_attribute(of: &Location, name: &str, number: u64) -> Result<()> {
    of.new_attr::<u64>().create(name)?.write_scalar(&number)
}

/// As HDF5 takes it.
fn any(text: &str) -> VarLenUnicode {
    // It refuses nothing but NUL.
    without_nul(text.to_owned()).parse().unwrap_or_default()
}
