//! The tables beside that of the calls: cases and paths.

use std::collections::hash_map::Entry as Place;
use std::collections::HashMap;
use std::ops::Range;

use hdf5_metno::{File as Hdf5File, Group};

use super::super::clock::TimeForm;
use super::super::names::CaseName;
use super::super::report::{FileReport, Lines};
use super::tables::{Column, Kind, Table};
use super::Stored;

/// A case of an event log.
#[derive(Debug)]
pub(super) struct Entry {
    /// Its number.
    pub number: i64,
    /// Its calls among those of all cases.
    pub rows: Range<u64>,
    /// The rest of what is stored of it.
    pub stored: Stored,
}

/// Texts, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    pub(super) fn get(&self, number: usize) -> Option<&[u8]> {
        let end = *self.ends.get(number)?;
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.bytes[begin..end])
    }

    fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
    }
}

/// Reads the paths of a file of so many bytes, with so many calls.
pub(super) fn paths(file: &Hdf5File, bytes: u64, calls: u64) -> Result<Texts, String> {
    let mut table = open_paths(file, bytes, calls)?;
    let path = table.column("fp")?;
    let mut texts = Texts::default();
    table.each(0..table.rows, table.rows, |row, _| {
        texts.push(path.text(row));
        Ok(())
    })?;
    Ok(texts)
}

/// Opens the table of paths.
pub(super) fn open_paths(file: &Hdf5File, bytes: u64, calls: u64) -> Result<Table, String> {
    let table = file.dataset("paths").map_err(|error| error.to_string())?;
    let table = Table::new(table, bytes, &[("fp", Kind::Text)])?;
    table.column("fp")?;
    // A small file can declare paths that fill any memory. One of them is that of calls without a path.
    if table.rows > calls + 1 {
        return Err(format!("{} paths are more than its {calls} calls have", table.rows));
    }
    Ok(table)
}

/// Reads the cases of a file of so many bytes, with so many calls.
pub(super) fn cases(
    file: &Hdf5File,
    bytes: u64,
    calls: u64,
) -> Result<HashMap<CaseName, Entry>, String> {
    let table = file.dataset("cases").map_err(|error| error.to_string())?;
    let lines: Vec<String> =
        Lines::MEANINGS.iter().map(|(name, _)| format!("lines_{name}")).collect();
    let mut wanted = vec![("cid", Kind::Text), ("host", Kind::Text)];
    let counts = ["rid", "first", "rows", "files", "bytes", "clock_forms"];
    let counts = counts.into_iter().chain(lines.iter().map(String::as_str));
    wanted.extend(counts.map(|name| (name, Kind::Count)));
    let mut table = Table::new(table, bytes, &wanted)?;
    let (cid, host, rid) = (table.column("cid")?, table.column("host")?, table.column("rid")?);
    let (first, rows) = (table.column("first")?, table.column("rows")?);
    let files = table.optional("files");
    let [text_bytes, forms] = ["bytes", "clock_forms"].map(|name| table.optional(name));
    let lines: Vec<Option<Column>> = lines.iter().map(|name| table.optional(name)).collect();
    let (mut cases, mut end) = (HashMap::new(), 0);
    table.each(0..table.rows, table.rows, |row, number| {
        let text = |column: Column| String::from_utf8_lossy(column.text(row)).into_owned();
        let (cid, host) = (text(cid), text(host));
        let name = CaseName { cid, host, rid: rid.count(row), pid: None };
        let (first, rows) = (first.count(row), rows.count(row));
        if first != end {
            return Err(format!(
                "{name} begins at call {first}, and the case before ends at {end}"
            ));
        }
        if rows > calls - end {
            return Err(format!("{name} has {rows} calls, and only {} are left", calls - end));
        }
        end += rows;
        let numbers = Numbers {
            lines: lines.iter().map(|lines| lines.map(|lines| lines.count(row))).collect(),
            bytes: text_bytes.map(|bytes| bytes.count(row)),
            forms: forms.map(|forms| forms.count(row)),
        };
        let report = numbers.report(rows).map_err(|what| format!("{name}: {what}"))?;
        let files = files.map_or(1, |files| files.count(row));
        if files > bytes {
            return Err(format!("{name}: {files} files are too many"));
        }
        let stored = Stored { report, files };
        match cases.entry(name) {
            Place::Occupied(place) => return Err(format!("{} is there twice", place.key())),
            Place::Vacant(place) => {
                place.insert(Entry { number: number as i64, rows: first..end, stored })
            }
        };
        Ok(())
    })?;
    match end == calls {
        true => Ok(cases),
        false => Err(format!("its cases have {end} of {calls} calls")),
    }
}

/// Facts of a case's group, in a file of so many bytes. Only attributes that are numbers are read:
/// the library trusts where a damaged file says that texts are.
pub(super) fn of_group(group: &Group, calls: u64, file: u64) -> Result<Stored, String> {
    let number = |name: &str| group.attr(name).ok()?.read_scalar::<u64>().ok();
    let lines = Lines::MEANINGS.iter().map(|(name, _)| number(&format!("lines.{name}")));
    let (bytes, forms) = (number("bytes"), number("clock_forms"));
    let report = Numbers { lines: lines.collect(), bytes, forms }.report(calls)?;
    let files = group.attr("files").map_or(1, |files| files.size() as u64);
    if files > file {
        return Err(format!("{files} files are declared, and it has {file} bytes"));
    }
    Ok(Stored { report, files })
}

/// Numbers of a case, where they are stored.
struct Numbers {
    /// Of lines by kind, in the order of their meanings.
    lines: Vec<Option<u64>>,
    bytes: Option<u64>,
    forms: Option<u64>,
}

impl Numbers {
    /// The report of a case with so many calls.
    fn report(&self, calls: u64) -> Result<FileReport, String> {
        /// No log has so many lines, or bytes.
        const MOST: u64 = 1 << 53;
        let mut report = FileReport { bytes: self.bytes.unwrap_or(0), ..FileReport::default() };
        if let Some(many) = self.lines.iter().flatten().find(|count| **count > MOST) {
            return Err(format!("{many} lines are too many"));
        }
        if report.bytes > MOST {
            return Err(format!("{} bytes are too many", report.bytes));
        }
        for ((name, _), count) in Lines::MEANINGS.iter().zip(&self.lines) {
            report.lines.set(name, count.unwrap_or(0));
        }
        if report.lines.lines == 0 {
            (report.lines.lines, report.lines.call, report.lines.events) = (calls, calls, calls);
        }
        let forms = [TimeForm::Clock, TimeForm::Epoch, TimeForm::Relative];
        report.forms = match self.forms {
            Some(bits) => forms.into_iter().filter(|form| bits & form.bit() != 0).collect(),
            None => vec![TimeForm::Epoch],
        };
        Ok(report)
    }
}
