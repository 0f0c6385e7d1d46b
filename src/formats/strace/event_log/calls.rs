//! Calls from the rows of tables.

use hdf5_metno::Dataset;
use streamfold_model::system_calls;

use super::super::call::{transfer, Call, Target};
use super::super::report::FileReport;
use super::index::Texts;
use super::tables::{Column, Kind, Table};

/// Columns of calls, as they are read.
const COLUMNS: [(&str, Kind); 13] = [
    ("case", Kind::Whole),
    ("pid", Kind::Whole),
    ("call", Kind::Text),
    ("start", Kind::Real),
    ("dur", Kind::Real),
    ("fp", Kind::TextOrWhole),
    ("size", Kind::Real),
    ("start_ns", Kind::Whole),
    ("dur_ns", Kind::Whole),
    ("errno", Kind::Whole),
    ("line", Kind::Whole),
    ("file", Kind::Whole),
    ("again", Kind::Whole),
];

/// Opens a table of calls in a file of so many bytes.
pub(super) fn open(table: Dataset, file: u64) -> Result<(Table, Columns), String> {
    let table = Table::new(table, file, &COLUMNS)?;
    let columns = Columns::of(&table)?;
    Ok((table, columns))
}

/// The columns of a table of calls.
pub(super) struct Columns {
    case: Option<Column>,
    pid: Column,
    call: Column,
    /// Paths, or their numbers.
    pub path: Column,
    start: Column,
    duration: Column,
    bytes: Column,
    /// The same in nanoseconds.
    exact: Option<(Column, Column)>,
    errno: Option<Column>,
    line: Option<Column>,
    file: Option<Column>,
    again: Option<Column>,
}

impl Columns {
    fn of(table: &Table) -> Result<Columns, String> {
        Ok(Columns {
            case: table.optional("case"),
            pid: table.column("pid")?,
            call: table.column("call")?,
            path: table.column("fp")?,
            start: table.column("start")?,
            duration: table.column("dur")?,
            bytes: table.column("size")?,
            exact: table.optional("start_ns").zip(table.optional("dur_ns")),
            errno: table.optional("errno"),
            line: table.optional("line"),
            file: table.optional("file"),
            again: table.optional("again"),
        })
    }

    /// The case of a row, where the table says it.
    pub(super) fn case(&self, row: &[u8]) -> Option<i64> {
        self.case.map(|case| case.whole(row))
    }

    /// Hands out the call of a row, which is the row of that number of its case.
    pub(super) fn hand_out(
        &self,
        row: &[u8],
        number: u64,
        paths: &Texts,
        sockets: bool,
        receive: &mut dyn FnMut(&Call<'_>, u64),
    ) -> Result<(), String> {
        let nanoseconds = |seconds: f64| (seconds * 1e9).round() as i64;
        let (start, duration) = match self.exact {
            // The least number says that there is none.
            Some((start, duration)) => {
                let duration = Some(duration.whole(row)).filter(|duration| *duration != i64::MIN);
                (start.whole(row), duration)
            }
            None => {
                let duration =
                    Some(self.duration.real(row)).filter(|duration| duration.is_finite());
                (nanoseconds(self.start.real(row)), duration.map(nanoseconds))
            }
        };
        let name = self.call.text(row);
        let size = Some(self.bytes.real(row)).filter(|size| size.is_finite() && *size >= 0.0);
        let path = match self.path.is_text {
            true => self.path.text(row),
            false => {
                let path = self.path.whole(row);
                let text = usize::try_from(path).ok().and_then(|path| paths.get(path));
                text.ok_or_else(|| format!("there is no path {path}"))?
            }
        };
        let optional = |column: Option<Column>| {
            column.map_or(0, |column| u64::try_from(column.whole(row)).unwrap_or(0))
        };
        let is_error = self.errno.is_some_and(|errno| errno.whole(row) != 0);
        let error: Option<&[u8]> = is_error.then_some(b"error");
        let transfer = transfer(system_calls::find(name), sockets);
        let call = Call {
            line: if self.line.is_some() { optional(self.line) } else { number + 1 },
            pid: u64::try_from(self.pid.whole(row)).unwrap_or(FileReport::SOLE),
            generation: optional(self.again) as u32,
            start,
            duration,
            name,
            second: Target::None,
            is_unknown: false,
            target: if path.is_empty() { Target::None } else { Target::Plain(path) },
            size: size.filter(|_| transfer.is_some()).map(|size| size as u64),
            transfer,
            offset: None,
            error,
            kind: None,
        };
        receive(&call, optional(self.file));
        Ok(())
    }
}
