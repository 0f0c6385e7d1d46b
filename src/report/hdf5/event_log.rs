//! Event logs: the calls of many cases in one table, section 4 of the notes on the method of directly-follows graphs.
//!
//! One table for all cases, since a group for each takes most of the time and of the file where cases are small. Paths
//! are numbers in it: they would make each row as wide as the longest path, and their widths are not known until the
//! last case.

use foldhash::fast::RandomState;
use hdf5_metno::File;
use indexmap::IndexSet;

use super::columns::{Columns, Unit};
use super::table::{number_attribute, text_attribute, Growing, Tables};
use streamfold_analyses::dfg::{CaseCalls, StoredCall};
use streamfold_formats::strace::{CaseName, Lines, TimeForm};
use streamfold_output::{Output, Unfinished};
use streamfold_system::exit::Failure;

/// The layout of event logs.
const SCHEMA: [&str; 2] = ["streamfold event log", "2.0"];

/// Bytes of the name of a call, at most: no system has one that long.
const CALL: usize = 32;

/// An event log that is written case by case. It appears when it is whole.
pub struct EventLog<'o> {
    output: &'o Output,
    unfinished: Unfinished<'o>,
    file: File,
    calls: Growing,
    cases: Vec<Case>,
    /// Each path once, in the order in which they come. The first one is that of calls without a path.
    paths: IndexSet<String, RandomState>,
}

/// A row of the table of cases.
struct Case {
    name: CaseName,
    first: u64,
    rows: u64,
    files: Vec<String>,
    bytes: u64,
    times: Vec<TimeForm>,
    lines: Lines,
}

/// A row of the table of calls.
struct Row<'c> {
    case: i64,
    call: &'c StoredCall,
    name: &'c str,
    path: i64,
}

impl<'o> EventLog<'o> {
    /// Begins one.
    ///
    /// # Errors
    ///
    /// When there is no room for it.
    pub fn new(output: &'o Output) -> Result<Self, Failure> {
        let unfinished = output.begin()?;
        let begin = || {
            let file = File::create(unfinished.path())?;
            text_attribute(&file, "schema", SCHEMA[0])?;
            text_attribute(&file, "schema_version", SCHEMA[1])?;
            text_attribute(&file, "program", concat!("streamfold ", env!("CARGO_PKG_VERSION")))?;
            Ok(file)
        };
        let begun = begin().and_then(|file| {
            let calls = Growing::new(file.as_group()?, "calls", CALL);
            Ok((file, calls))
        });
        let (file, calls) =
            begun.map_err(|error: hdf5_metno::Error| Failure::output(output.path(), &error))?;
        let paths = IndexSet::from_iter([String::new()]);
        Ok(EventLog { output, unfinished, file, calls, cases: Vec::new(), paths })
    }

    /// Writes a case.
    ///
    /// # Errors
    ///
    /// When that is not possible.
    pub fn case(&mut self, of: &CaseCalls) -> Result<(), Failure> {
        self.write(of).map_err(|error| Failure::output(self.output.path(), &error))
    }

    /// Ends with the last case.
    ///
    /// # Errors
    ///
    /// When that is not possible.
    pub fn end(self) -> Result<(), Failure> {
        let EventLog { output, unfinished, file, calls, cases, paths } = self;
        let end = || {
            calls.end(&columns())?;
            number_attribute(&file, "cases", cases.len() as u64)?;
            let mut tables = Tables::default();
            tables.write(&file, "cases", columns_of_cases(), &cases)?;
            let columns = Columns::new().text("fp", |path: &&String| (*path).clone());
            tables.write_each(&file, "paths", &columns, paths.len(), || paths.iter())?;
            let files = || {
                let of_case = |(number, case): (usize, &'_ Case)| -> Vec<(u64, String)> {
                    case.files.iter().map(|name| (number as u64, name.clone())).collect()
                };
                cases.iter().enumerate().flat_map(of_case)
            };
            let columns = Columns::new()
                .u64("case", Unit::None, |(case, _): &(u64, String)| *case)
                .text("name", |(_, name)| name.clone());
            tables.write_each(&file, "files", &columns, files().count(), files)?;
            tables.end(&file)?;
            file.flush()
        };
        end().map_err(|error| Failure::output(output.path(), &error))?;
        file.close().map_err(|error| Failure::output(output.path(), &error))?;
        unfinished.finish()
    }

    fn write(&mut self, of: &CaseCalls) -> hdf5_metno::Result<()> {
        let CaseCalls { case, files, bytes, times, lines, calls, texts, .. } = of;
        let number = self.cases.len() as i64;
        let first = self.cases.last().map_or(0, |case| case.first + case.rows);
        self.cases.push(Case {
            name: case.clone(),
            first,
            rows: calls.len() as u64,
            files: files.clone(),
            bytes: *bytes,
            times: times.clone(),
            lines: *lines,
        });
        let paths = &mut self.paths;
        let mut numbers: Vec<Option<i64>> = vec![None; texts.len()];
        let mut number_of = |text: u32| {
            let text = text as usize;
            let number = || match paths.get_index_of(&texts[text]) {
                Some(known) => known as i64,
                None => paths.insert_full(texts[text].clone()).0 as i64,
            };
            *numbers[text].get_or_insert_with(number)
        };
        let rows = calls.iter().map(|call| Row {
            case: number,
            call,
            name: &texts[call.name as usize],
            path: call.path.map_or(0, &mut number_of),
        });
        self.calls.write(&columns(), rows)
    }
}

fn columns<'c>() -> Columns<'static, Row<'c>> {
    let seconds = |nanoseconds: i64| nanoseconds as f64 / 1e9;
    Columns::new()
        .i64("case", Unit::None, |row: &Row<'_>| row.case)
        .i64("pid", Unit::None, |row| row.call.pid)
        .text("call", |row| row.name.to_owned())
        .f64("start", Unit::Seconds, move |row| seconds(row.call.start))
        .f64("dur", Unit::Seconds, move |row| row.call.duration.map_or(f64::NAN, seconds))
        .i64("fp", Unit::None, |row| row.path)
        .f64("size", Unit::Bytes, |row| row.call.size.map_or(f64::NAN, |size| size as f64))
        .i64("start_ns", Unit::Nanoseconds, |row| row.call.start)
        .i64("dur_ns", Unit::Nanoseconds, |row| row.call.duration.unwrap_or(i64::MIN))
        .i64("errno", Unit::None, |row| row.call.errno)
        .i64("line", Unit::None, |row| row.call.at.1 as i64)
        .i64("file", Unit::None, |row| row.call.at.0.into())
        .i64("again", Unit::None, |row| row.call.again.into())
}

fn columns_of_cases() -> Columns<'static, Case> {
    let columns = Columns::new()
        .text("cid", |case: &Case| case.name.cid.clone())
        .text("host", |case| case.name.host.clone())
        .u64("rid", Unit::None, |case| case.name.rid)
        .u64("first", Unit::None, |case| case.first)
        .u64("rows", Unit::None, |case| case.rows)
        .u64("files", Unit::None, |case| case.files.len() as u64)
        .u64("bytes", Unit::Bytes, |case| case.bytes)
        .text("clock", |case| {
            let times: Vec<&str> = case.times.iter().copied().map(TimeForm::name).collect();
            times.join(" ")
        })
        .u64("clock_forms", Unit::None, |case| case.times.iter().map(|form| form.bit()).sum());
    let kinds = Lines::MEANINGS.iter().enumerate();
    kinds.fold(columns, |columns, (i, (name, _))| {
        let count = move |case: &Case| case.lines.each().nth(i).map_or(0, |(_, count)| count);
        columns.u64(&format!("lines_{name}"), Unit::None, count)
    })
}
