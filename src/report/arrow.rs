//! Tables as batches of rows of Apache Arrow, for programs that call commands: the columns that Parquet has.
//!
//! Whole numbers are int64 and uint64, texts have a dictionary, which grows from batch to batch. Metadata of the schema
//! are those of a Parquet file.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, UInt64Builder};
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use foldhash::fast::RandomState;

use super::parquet::tables::{about_table, Typed};
use super::parquet::{too_large, Column, Kind, Value};
use super::tables::{Table, TableReport};

/// Rows of a batch, where nobody wants another number.
pub const ROWS: usize = 1 << 16;

/// Makes batches of rows.
pub struct Batches {
    schema: SchemaRef,
    columns: Vec<(Column, Cells)>,
    rows: usize,
}

/// The cells of a column that are not yet in a batch.
enum Cells {
    Signed(Int64Builder),
    Unsigned(UInt64Builder),
    Double(Float64Builder),
    Texts(Box<Texts>),
}

impl Batches {
    /// Batches with these columns, and `about` them, by names.
    pub fn new(columns: Vec<Column>, about: &[(&'static str, String)]) -> Self {
        let schema = Arc::new(schema(&columns, about));
        let columns = columns.into_iter().map(|column| {
            let cells = match column.kind {
                Kind::Signed => Cells::Signed(Int64Builder::new()),
                Kind::Unsigned => Cells::Unsigned(UInt64Builder::new()),
                Kind::Double => Cells::Double(Float64Builder::new()),
                Kind::Text => Cells::Texts(Box::default()),
            };
            (column, cells)
        });
        Batches { schema, columns: columns.collect(), rows: 0 }
    }

    /// The schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Number of rows that are not yet in a batch.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns whether all rows are in batches.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Takes in a row: a value of each column.
    ///
    /// # Errors
    ///
    /// When a value is not of the kind of its column, or one is missing.
    pub fn push(&mut self, row: impl IntoIterator<Item = Value>) -> io::Result<()> {
        let mut count = 0;
        for ((column, cells), value) in self.columns.iter_mut().zip(row) {
            cells.push(column, value)?;
            count += 1;
        }
        if count != self.columns.len() {
            return Err(io::Error::other("a row has fewer values than there are columns"));
        }
        self.rows += 1;
        Ok(())
    }

    /// All rows since the last batch, as the next one.
    ///
    /// # Errors
    ///
    /// When a name of more than 2 GiB, or texts of as much, are in a column.
    pub fn batch(&mut self) -> io::Result<RecordBatch> {
        let arrays = self.columns.iter_mut().map(|(_, cells)| cells.finish());
        let arrays = arrays.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)?;
        self.rows = 0;
        RecordBatch::try_new(self.schema.clone(), arrays).map_err(io::Error::other)
    }
}

/// Makes all batches of a table, one after another, of so many rows at most. Returns their schema.
///
/// # Errors
///
/// When a number needs more than 63 bits, and those of `take`.
pub fn each_batch(
    report: &TableReport<'_>,
    table: &Table<'_>,
    rows: usize,
    mut take: impl FnMut(RecordBatch) -> io::Result<()>,
) -> io::Result<SchemaRef> {
    let typed = Typed::new(table, report.provenance.timer_resolution);
    let mut batches = Batches::new(typed.columns(), &about_table(report, table));
    for row in typed.rows(too_large) {
        batches.push(row?)?;
        if batches.len() >= rows {
            take(batches.batch()?)?;
        }
    }
    if !batches.is_empty() {
        take(batches.batch()?)?;
    }
    Ok(batches.schema())
}

fn schema(columns: &[Column], about: &[(&'static str, String)]) -> Schema {
    let fields: Vec<Field> = columns
        .iter()
        .map(|column| {
            let kind = match column.kind {
                Kind::Signed => DataType::Int64,
                Kind::Unsigned => DataType::UInt64,
                Kind::Double => DataType::Float64,
                Kind::Text => {
                    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
                }
            };
            Field::new(&column.name, kind, column.optional)
        })
        .collect();
    let about = about.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    Schema::new_with_metadata(fields, about.collect::<HashMap<_, _>>())
}

impl Cells {
    fn push(&mut self, column: &Column, value: Value) -> io::Result<()> {
        match (self, value) {
            (Cells::Signed(cells), Value::Signed(number)) => cells.append_value(number),
            (Cells::Unsigned(cells), Value::Unsigned(number)) => cells.append_value(number),
            (Cells::Double(cells), Value::Double(number)) => cells.append_value(number),
            (Cells::Texts(cells), value @ Value::Text(_)) => cells.push(value)?,
            (cells, Value::None) if column.optional => match cells {
                Cells::Signed(cells) => cells.append_null(),
                Cells::Unsigned(cells) => cells.append_null(),
                Cells::Double(cells) => cells.append_null(),
                Cells::Texts(cells) => cells.push_none(),
            },
            (_, value) => {
                let Column { name, kind, .. } = column;
                return Err(io::Error::other(format!("column {name}: {value:?} is not {kind:?}")));
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Cells::Signed(cells) => Arc::new(cells.finish()),
            Cells::Unsigned(cells) => Arc::new(cells.finish()),
            Cells::Double(cells) => Arc::new(cells.finish()),
            Cells::Texts(cells) => Arc::new(cells.finish()?),
        })
    }
}

/// Texts with numbers. Most rows share theirs with others: a text that came lately is known by its place in memory.
struct Texts {
    numbers: Vec<i32>,
    is_there: Vec<bool>,
    any_none: bool,
    known: HashMap<Box<[u8]>, i32, RandomState>,
    /// Texts by their numbers.
    texts: Vec<Box<str>>,
    /// Texts as they were in the last batch.
    dictionary: Option<Arc<StringArray>>,
    /// Held, so that no other text gets their place.
    recent: Vec<Option<(Value, i32)>>,
}

/// Number of texts that are known by their place; a power of two.
const RECENT: usize = 256;

impl Default for Texts {
    fn default() -> Self {
        Texts {
            numbers: Vec::new(),
            is_there: Vec::new(),
            any_none: false,
            known: HashMap::default(),
            texts: Vec::new(),
            dictionary: None,
            recent: vec![None; RECENT],
        }
    }
}

impl Texts {
    fn push(&mut self, value: Value) -> io::Result<()> {
        let bytes = value.bytes().unwrap_or_default();
        let place = bytes.as_ptr() as usize;
        let slot = (place >> 4 ^ place >> 12) % RECENT;
        let is_same = |of: &Value| {
            of.bytes().is_some_and(|of| {
                std::ptr::eq(of.as_ptr(), bytes.as_ptr()) && of.len() == bytes.len()
            })
        };
        let number = match &self.recent[slot] {
            Some((of, number)) if is_same(of) => *number,
            _ => {
                let number = match self.known.get(bytes) {
                    Some(number) => *number,
                    None => {
                        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
                        let number = i32::try_from(self.texts.len()).map_err(io::Error::other)?;
                        self.texts.push(text.into());
                        self.known.insert(bytes.into(), number);
                        number
                    }
                };
                self.recent[slot] = Some((value, number));
                number
            }
        };
        self.numbers.push(number);
        self.is_there.push(true);
        Ok(())
    }

    fn push_none(&mut self) {
        self.numbers.push(0);
        self.is_there.push(false);
        self.any_none = true;
    }

    fn finish(&mut self) -> Result<DictionaryArray<Int32Type>, ArrowError> {
        let is_old = |array: &&Arc<StringArray>| array.len() == self.texts.len();
        let dictionary = match self.dictionary.as_ref().filter(is_old) {
            Some(dictionary) => dictionary.clone(),
            None => {
                let bytes: usize = self.texts.iter().map(|text| text.len()).sum();
                if i32::try_from(bytes).is_err() {
                    let text = "the texts of a column have more than 2 GiB";
                    return Err(ArrowError::InvalidArgumentError(text.to_owned()));
                }
                Arc::new(StringArray::from_iter_values(self.texts.iter()))
            }
        };
        self.dictionary = Some(dictionary.clone());
        let nulls = self.any_none.then(|| NullBuffer::from(std::mem::take(&mut self.is_there)));
        self.is_there.clear();
        self.any_none = false;
        let numbers = Int32Array::new(std::mem::take(&mut self.numbers).into(), nulls);
        DictionaryArray::try_new(numbers, dictionary)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int64Type, UInt64Type};

    use super::*;

    fn text_at(batch: &RecordBatch, column: usize, row: usize) -> String {
        let array = batch.column(column).as_dictionary::<Int32Type>();
        let texts = array.values().as_string::<i32>();
        texts.value(array.keys().value(row) as usize).to_owned()
    }

    #[test]
    fn rows_come_in_batches_with_a_dictionary_that_grows() {
        let columns = vec![
            Column::new("a", Kind::Signed, false),
            Column::new("b", Kind::Unsigned, true),
            Column::new("c", Kind::Double, true),
            Column::new("d", Kind::Text, true),
        ];
        let mut batches = Batches::new(columns, &[("schema", "test".into())]);
        let text = Value::text("ä");
        for i in 0..5i64 {
            let d = if i % 2 == 0 { text.clone() } else { Value::None };
            batches
                .push([Value::Signed(-i), Some(u64::MAX).into(), Value::Double(0.5), d])
                .unwrap();
        }
        let first = batches.batch().unwrap();
        assert!(batches.is_empty());
        // Another text at perhaps the same place in memory.
        for name in ["one", "two", "ä"] {
            let row = [Value::Signed(1), Value::None, Value::None, Value::text(name)];
            batches.push(row).unwrap();
        }
        let second = batches.batch().unwrap();
        assert_eq!((first.num_rows(), second.num_rows()), (5, 3));
        assert_eq!(first.column(0).as_primitive::<Int64Type>().values(), &[0, -1, -2, -3, -4]);
        assert_eq!(first.column(1).as_primitive::<UInt64Type>().value(4), u64::MAX);
        assert_eq!(first.column(3).null_count(), 2);
        assert_eq!((text_at(&first, 3, 0), text_at(&first, 3, 4)), ("ä".into(), "ä".into()));
        let texts: Vec<String> = (0..3).map(|row| text_at(&second, 3, row)).collect();
        assert_eq!(texts, ["one", "two", "ä"]);
        assert_eq!(second.column(2).null_count(), 3);
        assert_eq!(first.schema().metadata()["schema"], "test");
    }

    #[test]
    fn values_of_another_kind_are_errors() {
        let mut batches = Batches::new(vec![Column::new("a", Kind::Signed, false)], &[]);
        assert!(batches.push([Value::None]).is_err());
        assert!(batches.push([Value::Double(1.0)]).is_err());
        assert!(batches.push([]).is_err());
    }
}
