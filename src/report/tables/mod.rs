//! Tables of whatever a command finds, as people and programs read them.
//!
//! A command makes [`Table`]s of its result: what their columns are and what stands in each row. How tables are
//! written is the same for all of them: [`text`] for people, [`csv`] and [`json`] for scripts, and HDF5 (in
//! `report::hdf5`).

pub mod csv;
pub mod html;
pub mod json;
pub mod text;

use std::borrow::Cow;

use serde_json::Value;
use streamfold_kernels::profile::metrics::Number;
use streamfold_model::ids::Reference;
use streamfold_model::store::Definitions;

use super::provenance::Provenance;

/// Tables that belong together, with what outputs for scripts say of them.
pub struct TableReport<'a> {
    /// Schema of the tables.
    pub schema: Schema,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
    /// Definitions that their references lead to.
    pub definitions: &'a Definitions,
    /// Members of JSON documents before the tables.
    pub more: Vec<(&'static str, Value)>,
    /// All of them, those without rows included.
    pub tables: Vec<Table<'a>>,
}

impl<'a> TableReport<'a> {
    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<&Table<'a>> {
        self.tables.iter().find(|table| table.name == name)
    }
}

/// The layout of outputs for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The command whose tables these are.
    pub command: &'static str,
    /// The first number changes when a reader has to, the second when something is added.
    pub version: &'static str,
}

impl Schema {
    /// The name of the layout.
    pub fn name(&self) -> String {
        format!("streamfold-{}", self.command)
    }
}

/// A cell for each column of a table.
pub type Row = Vec<Cell>;

/// Rows of one kind. They are made one after another whenever they are read: there may be more of them than there is
/// room for.
pub struct Table<'a> {
    /// For scripts.
    pub name: &'static str,
    /// For people.
    pub title: String,
    /// Columns of the table.
    pub columns: Vec<Column>,
    count: usize,
    make: Box<dyn Fn() -> Rows<'a> + 'a>,
}

/// The rows of a table, made one after another.
pub type Rows<'a> = Box<dyn ExactSizeIterator<Item = Row> + 'a>;

impl<'a> Table<'a> {
    /// A table whose rows are those that `make` gives, the same ones each time.
    pub fn new<I: ExactSizeIterator<Item = Row> + 'a>(
        name: &'static str,
        title: impl Into<String>,
        columns: Vec<Column>,
        make: impl Fn() -> I + 'a,
    ) -> Table<'a> {
        let (title, count) = (title.into(), make().len());
        let is_first = |(at, column): (usize, &Column)| {
            columns[..at].iter().all(|before| before.name != column.name)
        };
        debug_assert!(columns.iter().enumerate().all(is_first), "{name}: a name has one column");
        Table { name, title, columns, count, make: Box::new(move || Box::new(make())) }
    }

    /// A table of rows that are made already.
    pub fn of_rows(
        name: &'static str,
        title: impl Into<String>,
        columns: Vec<Column>,
        rows: Vec<Row>,
    ) -> Table<'a> {
        let rows = std::rc::Rc::new(rows);
        Table::new(name, title, columns, move || {
            let rows = std::rc::Rc::clone(&rows);
            (0..rows.len()).map(move |at| rows[at].clone())
        })
    }

    /// The same with another heading of a column.
    #[must_use]
    pub fn with_heading(mut self, name: &str, heading: &'static str) -> Table<'a> {
        let columns = self.columns.iter_mut().filter(|column| column.name == name);
        columns.for_each(|column| column.heading = Some(heading));
        self
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All rows.
    pub fn rows(&self) -> Rows<'a> {
        (self.make)()
    }

    /// Type and unit of each column, all cells of which are of one kind but for empty ones; `None` where all are empty
    /// and the name is not that of times.
    pub fn kinds(&self) -> Vec<Option<(Kind, Unit)>> {
        let mut kinds: Vec<_> = self.columns.iter().map(|column| column.declared).collect();
        for row in self.rows() {
            if kinds.iter().all(Option::is_some) {
                break;
            }
            kinds.iter_mut().zip(&row).for_each(|(kind, cell)| *kind = kind.or(cell.kind()));
        }
        // A column of times is one in all tables, also where no row has any.
        let is_time = |name: &str| name == "ticks" || name.ends_with("_ticks");
        for (kind, column) in kinds.iter_mut().zip(&self.columns) {
            *kind = kind.or(is_time(&column.name).then_some((Kind::U64, Unit::Ticks)));
        }
        kinds
    }
}

/// Column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// For scripts; times are in ticks.
    pub name: Cow<'static, str>,
    /// For people; `None` where there are enough columns for them.
    pub heading: Option<&'static str>,
    /// Type and unit; `None` where the cells tell them.
    pub declared: Option<(Kind, Unit)>,
}

/// Type of the numbers or texts in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// References of 32 bits.
    Id32,
    /// References of 64 bits.
    Id64,
    /// Rows of the same table; signed in files with types, -1 is none.
    Parent,
    /// Counts of 32 bits.
    U32,
    /// Counts and sums of 64 bits.
    U64,
    /// Signed numbers of 64 bits.
    I64,
    /// Floating-point numbers.
    F64,
    /// Values of metrics: integers, or floating-point numbers.
    Number,
    /// Texts.
    Text,
}

/// Unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nothing that has a unit: references, lines, texts.
    None,
    /// Times, in ticks of the trace's clock.
    Ticks,
    /// Times in seconds.
    Seconds,
    /// Times in nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// Rates.
    BytesPerSecond,
    /// Shares.
    Percent,
    /// Visits of regions.
    Visits,
    /// Messages.
    Messages,
    /// Collective operations, and those on memory and files.
    Operations,
    /// Events.
    Events,
    /// Locations.
    Locations,
    /// Samples.
    Samples,
}

impl Unit {
    /// The unit as attributes say it.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Unit::None => None,
            Unit::Ticks => Some("ticks"),
            Unit::Seconds => Some("seconds"),
            Unit::Nanoseconds => Some("nanoseconds"),
            Unit::Bytes => Some("bytes"),
            Unit::BytesPerSecond => Some("bytes per second"),
            Unit::Percent => Some("percent"),
            Unit::Visits => Some("visits"),
            Unit::Messages => Some("messages"),
            Unit::Operations => Some("operations"),
            Unit::Events => Some("events"),
            Unit::Locations => Some("locations"),
            Unit::Samples => Some("samples"),
        }
    }
}

/// Columns by their names for scripts, and for people; those without are not for them.
pub fn columns<'a>(of: impl IntoIterator<Item = &'a (&'static str, &'static str)>) -> Vec<Column> {
    let heading = |heading: &'static str| (!heading.is_empty()).then_some(heading);
    let column = |(name, people): &(&'static str, &'static str)| Column {
        name: Cow::Borrowed(name),
        heading: heading(people),
        declared: None,
    };
    of.into_iter().map(column).collect()
}

/// A value in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// There is none.
    Empty,
    /// The row of a JSON document does not have this member; elsewhere it is empty.
    Absent,
    /// A name.
    Text(String),
    /// A number that something is known by.
    Id(u64),
    /// The number that stands for "none": people see that there is none.
    Undefined(u64),
    /// How often.
    Count(u64),
    /// How many bytes, in all.
    Bytes(u128),
    /// A length in bytes, which nothing adds up to.
    Length(u128),
    /// How long, in ticks.
    Ticks(i128),
    /// How many bytes in a second.
    Rate(u64),
    /// The same, in thousandths of a byte.
    ExactRate(u128),
    /// A part of the ticks of a whole.
    Share(u128, u128),
    /// How long, in picoseconds: where clocks of several traces are compared. Scripts get seconds.
    Picoseconds(i128),
    /// By how much something became more or less, and how much it was.
    Change(i128, u128),
    /// A part of a whole, as a number from 0 to 1, or beyond.
    Ratio(u128, u128),
    /// A measured value, as the bits of a floating-point number, see [`Cell::measured`].
    Measured(u64),
    /// A mean or an amount.
    Mean(f64),
    /// An exact integer, or a value of a metric.
    Number(Number),
    /// Members of an object in JSON, which other tables have as columns.
    Object(Vec<(&'static str, Cell)>),
    /// A list in JSON, which other tables have as columns or rows.
    List(Vec<Cell>),
}

/// A part of a whole, as a number; of nothing it is nothing.
pub fn ratio(part: u128, whole: u128) -> f64 {
    match whole {
        0 => 0.0,
        whole => part as f64 / whole as f64,
    }
}

/// A part of a whole, in percent; of nothing it is nothing.
pub fn percent(part: u128, whole: u128) -> f64 {
    match whole {
        0 => 0.0,
        whole => 100.0 * (part as f64 / whole as f64),
    }
}

/// Picoseconds in a second.
pub const PICOSECONDS: u64 = 1_000_000_000_000;

/// By how much of a whole it became more, in percent; `None` where there was nothing.
pub fn change(by: i128, whole: u128) -> Option<f64> {
    (whole > 0).then(|| 100.0 * (by as f64 / whole as f64))
}

/// A time in a table, in ticks; more than any trace has are the most.
pub fn ticks(ticks: u128) -> Cell {
    Cell::Ticks(i128::try_from(ticks).unwrap_or(i128::MAX))
}

impl Cell {
    /// The number of a definition, if there is one.
    pub fn id<R: Reference>(of: R) -> Self {
        match of.is_undefined() {
            true => Cell::Empty,
            false => Cell::Id(of.number()),
        }
    }

    /// Returns the cell of a measured value; empty if it is not a finite number.
    pub fn measured(number: f64) -> Self {
        match number.is_finite() {
            true => Cell::Measured(number.to_bits()),
            false => Cell::Empty,
        }
    }

    /// Type and unit of cells like this one; `None` where it is empty.
    fn kind(&self) -> Option<(Kind, Unit)> {
        Some(match self {
            Cell::Text(_) => (Kind::Text, Unit::None),
            Cell::Id(_) | Cell::Undefined(_) => (Kind::Id64, Unit::None),
            Cell::Count(_) => (Kind::U64, Unit::None),
            Cell::Bytes(_) | Cell::Length(_) => (Kind::U64, Unit::Bytes),
            Cell::Ticks(_) => (Kind::I64, Unit::Ticks),
            Cell::Rate(_) => (Kind::U64, Unit::BytesPerSecond),
            Cell::ExactRate(_) => (Kind::F64, Unit::BytesPerSecond),
            Cell::Share(..) | Cell::Change(..) => (Kind::F64, Unit::Percent),
            Cell::Picoseconds(_) => (Kind::F64, Unit::Seconds),
            Cell::Ratio(..) | Cell::Measured(_) | Cell::Mean(_) => (Kind::F64, Unit::None),
            Cell::Number(_) => (Kind::Number, Unit::None),
            Cell::Empty | Cell::Absent | Cell::Object(_) | Cell::List(_) => return None,
        })
    }

    /// Returns the value of an integer; more than fit are the most.
    pub fn integer(&self) -> Option<i128> {
        match self {
            Cell::Id(number) | Cell::Undefined(number) => Some((*number).into()),
            Cell::Count(number) | Cell::Rate(number) => Some((*number).into()),
            Cell::Bytes(sum) | Cell::Length(sum) => Some(i128::try_from(*sum).unwrap_or(i128::MAX)),
            Cell::Ticks(integer) | Cell::Number(Number::Integer(integer)) => Some(*integer),
            _ => None,
        }
    }

    /// Returns the value of any other number, as files have it.
    pub fn float(&self) -> Option<f64> {
        match self {
            Cell::ExactRate(thousandths) => Some(*thousandths as f64 / 1000.0),
            Cell::Share(part, whole) => Some(percent(*part, *whole)),
            Cell::Picoseconds(time) => Some(*time as f64 / PICOSECONDS as f64),
            Cell::Change(by, whole) => change(*by, *whole),
            Cell::Ratio(part, whole) => Some(ratio(*part, *whole)),
            Cell::Measured(bits) => Some(f64::from_bits(*bits)),
            Cell::Mean(number) | Cell::Number(Number::Float(number)) => Some(*number),
            _ => None,
        }
    }

    /// The number of a definition, also where it stands for "none".
    pub fn number<R: Reference>(of: R) -> Self {
        match of.is_undefined() {
            true => Cell::Undefined(of.number()),
            false => Cell::Id(of.number()),
        }
    }
}

/// Cells of values.
macro_rules! from {
    ($($kind:ty: $value:ident => $cell:expr;)*) => {$(
        impl From<$kind> for Cell {
            fn from($value: $kind) -> Self {
                $cell
            }
        }
    )*};
}

from! {
    String: text => Cell::Text(text);
    &str: text => Cell::Text(text.to_owned());
    u32: count => Cell::Count(count.into());
    u64: count => Cell::Count(count);
    i128: integer => Cell::Number(Number::Integer(integer));
    u128: sum => Cell::from(i128::try_from(sum).unwrap_or(i128::MAX));
    f64: mean => Cell::Mean(mean);
    Number: number => Cell::Number(number);
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Empty, Into::into)
    }
}
