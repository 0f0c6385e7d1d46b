//! Reading tables with the HDF5 library, in pieces.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;

use hdf5_metno::dataset::Layout;
use hdf5_metno::sync::sync;
use hdf5_metno::types::{CompoundField, CompoundType, FloatSize, IntSize, TypeDescriptor};
use hdf5_metno::{h5check, Dataset, Datatype};
use hdf5_metno_sys::h5d::H5Dread;
use hdf5_metno_sys::h5p::H5P_DEFAULT;
use hdf5_metno_sys::h5s::{H5Sclose, H5Screate_simple, H5Sselect_hyperslab, H5S_SELECT_SET};

/// Bytes of the rows that are read at a time.
const PIECE: usize = 1 << 22;

/// Rows wider than that are refused, in bytes.
const WIDEST: usize = 1 << 16;

/// Bytes that a byte of a compressed chunk stands for, at most: deflate makes 1032 of one.
const UNPACKED: u64 = 1100;

/// The rows of a table, for all of which there is data in a file of so many bytes. The library trusts any number.
pub(super) fn rows(table: &Dataset, file: u64) -> Result<u64, String> {
    let failed = |error: hdf5_metno::Error| error.to_string();
    let dimensions = table.ndim();
    if dimensions != 1 {
        return Err(format!("expected a table of one dimension, found {dimensions}"));
    }
    let rows = table.size() as u64;
    if rows == 0 {
        return Ok(0);
    }
    let width = table.dtype().map_err(failed)?.size();
    if width == 0 || width > WIDEST {
        return Err(format!("rows of {width} bytes are too wide"));
    }
    let width = width as u64;
    let is_elsewhere =
        table.layout() == Layout::Virtual || !table.dcpl().map_err(failed)?.external().is_empty();
    if is_elsewhere {
        return Err("its data is in other files".to_owned());
    }
    let stored = table.storage_size().min(file);
    let room = match table.chunk().and_then(|chunk| chunk.first().copied()) {
        None => stored / width,
        Some(chunk) => {
            let chunk = chunk as u64;
            let packed = if table.filters().is_empty() { 1 } else { UNPACKED };
            let most = stored.saturating_mul(packed) / width;
            if chunk > most {
                return Err(format!(
                    "chunks of {chunk} rows are declared, and its data has room for {most}"
                ));
            }
            // The last chunk is longer than what is left for it.
            let chunks = table.num_chunks().unwrap_or(0) as u64;
            chunks.saturating_mul(chunk).min(most.saturating_add(chunk))
        }
    };
    match rows <= room {
        true => Ok(rows),
        false => Err(format!("{rows} rows are declared, and its data has room for {room}")),
    }
}

/// How a column is read, whatever the widths of its numbers are in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whole numbers, `i64`.
    Whole,
    /// Numbers from 0 on, `u64`.
    Count,
    /// `f64`.
    Real,
    /// Texts of one width.
    Text,
    /// Texts, or whole numbers that stand for them.
    TextOrWhole,
}

impl Kind {
    /// The type in memory of a column that has a type in the file; else what was expected.
    fn in_memory(self, there: &TypeDescriptor) -> Result<TypeDescriptor, &'static str> {
        use TypeDescriptor::{FixedAscii, FixedUnicode, Float, Integer, Unsigned};
        match (self, there) {
            (Kind::Whole | Kind::TextOrWhole, Integer(_) | Unsigned(_)) => Ok(Integer(IntSize::U8)),
            (Kind::Count, Integer(_) | Unsigned(_)) => Ok(Unsigned(IntSize::U8)),
            (Kind::Real, Integer(_) | Unsigned(_) | Float(_)) => Ok(Float(FloatSize::U8)),
            (Kind::Text | Kind::TextOrWhole, FixedAscii(_) | FixedUnicode(_)) => Ok(there.clone()),
            (Kind::Text | Kind::TextOrWhole, _) => Err("texts of one width"),
            (Kind::Whole | Kind::Count, _) => Err("whole numbers"),
            (Kind::Real, _) => Err("numbers"),
        }
    }
}

/// The place of a column in rows in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    offset: usize,
    width: usize,
    /// Set if its cells are texts.
    pub is_text: bool,
}

impl Column {
    fn eight(self, row: &[u8]) -> [u8; 8] {
        row[self.offset..self.offset + 8].try_into().unwrap_or_default()
    }

    pub(super) fn whole(self, row: &[u8]) -> i64 {
        i64::from_ne_bytes(self.eight(row))
    }

    pub(super) fn count(self, row: &[u8]) -> u64 {
        u64::from_ne_bytes(self.eight(row))
    }

    pub(super) fn real(self, row: &[u8]) -> f64 {
        f64::from_ne_bytes(self.eight(row))
    }

    pub(super) fn text(self, row: &[u8]) -> &[u8] {
        let text = &row[self.offset..self.offset + self.width];
        // Padded with zeros, or with spaces as Fortran does.
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(self.width);
        &text[..end]
    }
}

/// A table, and those of its columns that are wanted. Rows that were read are kept until others are wanted.
pub(super) struct Table {
    dataset: Dataset,
    memory: Datatype,
    /// Bytes of a row in memory.
    width: usize,
    columns: HashMap<String, Column>,
    /// Number of rows.
    pub rows: u64,
    held: Range<u64>,
    bytes: Vec<u8>,
}

impl Table {
    /// A table in a file of so many bytes.
    pub(super) fn new(
        dataset: Dataset,
        file: u64,
        wanted: &[(&str, Kind)],
    ) -> Result<Table, String> {
        let rows = rows(&dataset, file)?;
        let kind = dataset
            .dtype()
            .and_then(|kind| kind.to_descriptor())
            .map_err(|error| error.to_string())?;
        let TypeDescriptor::Compound(there) = kind else {
            return Err("the table has no columns".to_owned());
        };
        // The library trusts where a damaged file says that columns are.
        let is_inside = |field: &CompoundField| {
            let end = field.offset.checked_add(field.ty.size());
            end.is_some_and(|end| end <= there.size)
        };
        if !there.fields.iter().all(is_inside) {
            return Err("columns are outside of their rows".to_owned());
        }
        let mut columns = HashMap::new();
        let (mut fields, mut width) = (Vec::new(), 0);
        // In the order of the file: rows that are the same in memory need not be converted.
        for field in &there.fields {
            let name = field.name.as_str();
            let Some((_, kind)) = wanted.iter().find(|(wanted, _)| *wanted == name) else {
                continue;
            };
            let ty = kind
                .in_memory(&field.ty)
                .map_err(|expected| format!("expected {expected} in the column {name}"))?;
            let is_text = matches!(kind, Kind::Text | Kind::TextOrWhole) && !is_number(&ty);
            let column = Column { offset: width, width: ty.size(), is_text };
            if columns.insert(name.to_owned(), column).is_some() {
                return Err(format!("the column {name} is there twice"));
            }
            width += ty.size();
            let index = fields.len();
            fields.push(CompoundField { name: name.to_owned(), ty, offset: column.offset, index });
        }
        if width > WIDEST {
            return Err(format!("rows of {width} bytes are too wide"));
        }
        if fields.is_empty() {
            return Err("the table has none of the columns".to_owned());
        }
        let row = TypeDescriptor::Compound(CompoundType { fields, size: width });
        let memory = Datatype::from_descriptor(&row).map_err(|error| error.to_string())?;
        Ok(Table { dataset, memory, width, columns, rows, held: 0..0, bytes: Vec::new() })
    }

    /// A column that has to be there.
    pub(super) fn column(&self, name: &str) -> Result<Column, String> {
        self.optional(name).ok_or_else(|| format!("the table has no column {name}"))
    }

    /// A column that need not be there.
    pub(super) fn optional(&self, name: &str) -> Option<Column> {
        self.columns.get(name).copied()
    }

    /// Hands out rows, each with its number. Those that follow are read along, but none from `until` on.
    pub(super) fn each(
        &mut self,
        rows: Range<u64>,
        until: u64,
        mut receive: impl FnMut(&[u8], u64) -> Result<(), String>,
    ) -> Result<(), String> {
        let until = until.min(self.rows).max(rows.end);
        let mut next = rows.start;
        while next < rows.end {
            if !self.held.contains(&next) {
                let most = (PIECE / self.width).max(1) as u64;
                let piece = next..until.min(next + most);
                self.read(piece).map_err(|error| error.to_string())?;
            }
            let end = rows.end.min(self.held.end);
            let at = |row: u64| (row - self.held.start) as usize * self.width;
            let bytes = &self.bytes[at(next)..at(end)];
            for (row, number) in bytes.chunks_exact(self.width).zip(next..) {
                receive(row, number)?;
            }
            next = end;
        }
        Ok(())
    }

    /// Reads rows in the place of those that are held.
    fn read(&mut self, rows: Range<u64>) -> hdf5_metno::Result<()> {
        let (start, count) = (rows.start, rows.end - rows.start);
        self.held = 0..0;
        self.bytes.clear();
        self.bytes.resize(count as usize * self.width, 0);
        let to = self.bytes.as_mut_ptr().cast::<c_void>();
        sync(|| -> hdf5_metno::Result<()> {
            // SAFETY: all identifiers are open, the pointers to counts point to one each, which is the number of
            // dimensions, and there is room for `count` rows of the type `memory`, which is one without pointers:
            // texts have a fixed width.
            unsafe {
                let space = self.dataset.space()?;
                let (stride, block) = (std::ptr::null(), std::ptr::null());
                let set = H5S_SELECT_SET;
                h5check(H5Sselect_hyperslab(space.id(), set, &start, stride, &count, block))?;
                let into = h5check(H5Screate_simple(1, &count, std::ptr::null()))?;
                let (from, memory) = (self.dataset.id(), self.memory.id());
                let read = H5Dread(from, memory, into, space.id(), H5P_DEFAULT, to);
                H5Sclose(into);
                h5check(read)?;
            }
            Ok(())
        })?;
        self.held = rows;
        Ok(())
    }
}

fn is_number(ty: &TypeDescriptor) -> bool {
    matches!(ty, TypeDescriptor::Integer(_))
}
