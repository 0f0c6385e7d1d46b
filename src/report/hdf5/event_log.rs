//! Event logs: a group for each case with a table of its calls, section 4 of the notes on the method of
//! directly-follows graphs.

use hdf5_metno::File;

use super::columns::{Columns, Unit};
use super::table::{number_attribute, text_attribute, texts_attribute, Tables};
use streamfold_analyses::dfg::{CaseCalls, StoredCall};
use streamfold_formats::strace::TimeForm;
use streamfold_output::{Output, Unfinished};
use streamfold_system::exit::Failure;

/// The layout of event logs.
const SCHEMA: [&str; 2] = ["streamfold event log", "1.0"];

/// An event log that is written case by case. It appears when it is whole.
#[derive(Debug)]
pub struct EventLog<'o> {
    output: &'o Output,
    unfinished: Unfinished<'o>,
    file: File,
    cases: u64,
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
        let file =
            begin().map_err(|error: hdf5_metno::Error| Failure::output(output.path(), &error))?;
        Ok(EventLog { output, unfinished, file, cases: 0 })
    }

    /// Writes a case.
    ///
    /// # Errors
    ///
    /// When that is not possible.
    pub fn case(&mut self, of: &CaseCalls) -> Result<(), Failure> {
        self.cases += 1;
        self.write(of).map_err(|error| Failure::output(self.output.path(), &error))
    }

    /// Ends with the last case.
    ///
    /// # Errors
    ///
    /// When that is not possible.
    pub fn end(self) -> Result<(), Failure> {
        let EventLog { output, unfinished, file, cases } = self;
        let end = || {
            number_attribute(&file, "cases", cases)?;
            file.flush()
        };
        end().map_err(|error| Failure::output(output.path(), &error))?;
        file.close().map_err(|error| Failure::output(output.path(), &error))?;
        unfinished.finish()
    }

    fn write(&self, of: &CaseCalls) -> hdf5_metno::Result<()> {
        let CaseCalls { case, files, bytes, times, lines, calls, .. } = of;
        // Names of files, and so of cases, have no slash.
        let group = self.file.create_group(&case.to_string())?;
        text_attribute(&group, "cid", &case.cid)?;
        text_attribute(&group, "host", &case.host)?;
        number_attribute(&group, "rid", case.rid)?;
        number_attribute(&group, "clock_forms", times.iter().map(|form| form.bit()).sum())?;
        let times: Vec<&str> = times.iter().copied().map(TimeForm::name).collect();
        text_attribute(&group, "clock", &times.join(" "))?;
        texts_attribute(&group, "files", files)?;
        number_attribute(&group, "bytes", *bytes)?;
        for (name, count) in lines.each() {
            number_attribute(&group, &format!("lines.{name}"), count)?;
        }
        let mut tables = Tables::default();
        tables.write(&group, "table", columns(of), calls)?;
        tables.end(&group)
    }
}

fn columns(of: &CaseCalls) -> Columns<'_, StoredCall> {
    let seconds = |nanoseconds: i64| nanoseconds as f64 / 1e9;
    Columns::new()
        .i64("pid", Unit::None, |call: &StoredCall| call.pid)
        .text("call", |call| of.texts[call.name as usize].clone())
        .f64("start", Unit::Seconds, move |call| seconds(call.start))
        .f64("dur", Unit::Seconds, move |call| call.duration.map_or(f64::NAN, seconds))
        .text("fp", |call| {
            call.path.map_or_else(String::new, |path| of.texts[path as usize].clone())
        })
        .f64("size", Unit::Bytes, |call| call.size.map_or(f64::NAN, |size| size as f64))
        .i64("start_ns", Unit::Nanoseconds, |call| call.start)
        .i64("dur_ns", Unit::Nanoseconds, |call| call.duration.unwrap_or(i64::MIN))
        .i64("errno", Unit::None, |call| call.errno)
        .i64("line", Unit::None, |call| call.at.1 as i64)
        .i64("file", Unit::None, |call| call.at.0.into())
        .i64("again", Unit::None, |call| call.again.into())
}
