//! Rows in groups of columns, written with the crate `parquet`.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use super::{Column, Kind, Value};

/// Rows of a group at most, and bytes of texts: so much is held until a group is written.
const ROWS: usize = 1 << 17;
const BYTES: usize = 1 << 25;

/// A text of a cell. Copies share it.
pub type Text = ByteArray;

/// The bytes of a text.
pub(super) fn bytes_of(text: &Text) -> &[u8] {
    text.data()
}

/// The cells of a column that are not yet written.
enum Cells {
    Numbers(Vec<i64>),
    Doubles(Vec<f64>),
    Texts(Vec<Text>),
}

struct Held {
    column: Column,
    cells: Cells,
    /// 1 for each cell with a value, 0 for an empty one; none where no cell may be empty.
    levels: Vec<i16>,
}

impl Held {
    fn new(column: Column) -> Held {
        let cells = match column.kind {
            Kind::Signed | Kind::Unsigned => Cells::Numbers(Vec::new()),
            Kind::Double => Cells::Doubles(Vec::new()),
            Kind::Text => Cells::Texts(Vec::new()),
        };
        Held { column, cells, levels: Vec::new() }
    }

    /// Takes in a cell. Returns how many bytes its text has.
    fn push(&mut self, value: Value) -> io::Result<usize> {
        if self.column.optional {
            self.levels.push(i16::from(value != Value::None));
        }
        let mut bytes = 0;
        match (&mut self.cells, self.column.kind, value) {
            (_, _, Value::None) if self.column.optional => {}
            (Cells::Numbers(numbers), Kind::Signed, Value::Signed(number)) => numbers.push(number),
            // The type of the column says that the highest bit is no sign.
            (Cells::Numbers(numbers), Kind::Unsigned, Value::Unsigned(number)) => {
                numbers.push(number as i64);
            }
            (Cells::Doubles(numbers), _, Value::Double(number)) => numbers.push(number),
            (Cells::Texts(texts), _, Value::Text(text)) => {
                bytes = text.len();
                texts.push(text);
            }
            (_, kind, value) => {
                let name = &self.column.name;
                return Err(io::Error::other(format!("column {name}: {value:?} is not {kind:?}")));
            }
        }
        Ok(bytes)
    }
}

/// A file whose rows come one after another.
pub struct Rows<W: Write + Send> {
    file: SerializedFileWriter<W>,
    held: Vec<Held>,
    rows: usize,
    bytes: usize,
}

impl<W: Write + Send> Rows<W> {
    /// A file with these columns; `about` it, by names.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn new(out: W, columns: Vec<Column>, about: &[(&str, String)]) -> io::Result<Self> {
        let about =
            about.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let properties = WriterProperties::builder()
            .set_created_by(concat!("streamfold ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(about.collect()))
            .build();
        let schema = schema(&columns).map_err(failed)?;
        let file = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(failed)?;
        let held = columns.into_iter().map(Held::new).collect();
        Ok(Rows { file, held, rows: 0, bytes: 0 })
    }

    /// Takes in a row: a value of each column.
    ///
    /// # Errors
    ///
    /// When a value does not fit its column, or the output cannot be written.
    pub fn push(&mut self, row: impl IntoIterator<Item = Value>) -> io::Result<()> {
        let mut count = 0;
        for (held, value) in self.held.iter_mut().zip(row) {
            self.bytes += held.push(value)?;
            count += 1;
        }
        if count != self.held.len() {
            return Err(io::Error::other("a row has fewer values than there are columns"));
        }
        self.rows += 1;
        match self.rows >= ROWS || self.bytes >= BYTES {
            true => self.write_group(),
            false => Ok(()),
        }
    }

    /// Writes what is held.
    fn write_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group().map_err(failed)?;
        for held in &mut self.held {
            let Some(mut column) = group.next_column().map_err(failed)? else { break };
            let levels = held.column.optional.then_some(&held.levels[..]);
            let written = match &mut held.cells {
                Cells::Numbers(numbers) => {
                    let written = column.typed::<Int64Type>().write_batch(numbers, levels, None);
                    numbers.clear();
                    written
                }
                Cells::Doubles(numbers) => {
                    let written = column.typed::<DoubleType>().write_batch(numbers, levels, None);
                    numbers.clear();
                    written
                }
                Cells::Texts(texts) => {
                    let written = column.typed::<ByteArrayType>().write_batch(texts, levels, None);
                    texts.clear();
                    written
                }
            };
            written.map_err(failed)?;
            column.close().map_err(failed)?;
            held.levels.clear();
        }
        group.close().map_err(failed)?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    /// Nothing follows. Returns the output.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn end(mut self) -> io::Result<W> {
        self.write_group()?;
        self.file.into_inner().map_err(failed)
    }
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let fields = columns.iter().map(|column| {
        let (physical, logical) = match column.kind {
            Kind::Signed => (PhysicalType::INT64, None),
            Kind::Unsigned => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
            Kind::Double => (PhysicalType::DOUBLE, None),
            Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(&column.name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?))
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::*;

    #[test]
    fn rows_come_back_in_groups() {
        let columns = vec![
            Column::new("a", Kind::Signed, false),
            Column::new("b", Kind::Unsigned, true),
            Column::new("c", Kind::Double, true),
            Column::new("d", Kind::Text, true),
        ];
        let mut rows = Rows::new(Vec::new(), columns, &[("schema", "test".into())]).unwrap();
        let text = Value::text("ä");
        for i in 0..ROWS as i64 + 10 {
            let some = i % 2 == 0;
            let d = if some { text.clone() } else { Value::None };
            let b = some.then_some(u64::MAX).into();
            rows.push([Value::Signed(-i), b, Value::Double(0.5), d]).unwrap();
        }
        let bytes = rows.end().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let mut count = 0;
        for (i, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let row: Vec<Field> =
                row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect();
            let some = i % 2 == 0;
            assert_eq!(row[0], Field::Long(-(i as i64)));
            assert_eq!(row[1], if some { Field::ULong(u64::MAX) } else { Field::Null });
            assert_eq!(row[2], Field::Double(0.5));
            assert_eq!(row[3], if some { Field::Str("ä".into()) } else { Field::Null });
            count += 1;
        }
        assert_eq!(count, ROWS + 10);
    }

    #[test]
    fn values_of_another_kind_are_errors() {
        let column = vec![Column::new("a", Kind::Signed, false)];
        let mut rows = Rows::new(Vec::new(), column, &[]).unwrap();
        assert!(rows.push([Value::None]).is_err());
        assert!(rows.push([Value::Double(1.0)]).is_err());
        assert!(rows.push([]).is_err());
    }
}
