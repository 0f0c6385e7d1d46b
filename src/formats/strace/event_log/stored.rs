//! Event logs that are read with the HDF5 library.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hdf5_metno::{Dataset, File as Hdf5File};

use super::super::call::Call;
use super::super::names::CaseName;
use super::calls::{self, Columns};
use super::index::{self, Entry, Texts};
use super::tables::{self, Table};
use super::Stored;
use crate::input;
use crate::Loss;

/// An event log. Its file is not kept open.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
    /// The cases by name, where their calls are in one table; else each has a group.
    index: Option<HashMap<CaseName, Entry>>,
    /// The paths, when they were needed first.
    paths: OnceLock<Result<Texts, Loss>>,
}

impl EventLog {
    /// Reads the index of an event log, where it has one, and checks the columns of its calls.
    ///
    /// # Errors
    ///
    /// When the file is no event log.
    pub fn open(path: &Path) -> Result<EventLog, Loss> {
        let (file, bytes) = open(path)?;
        let index = match file.dataset("calls") {
            Ok(table) => Some(together(&file, table, bytes).map_err(|what| refused(path, &what))?),
            Err(_) => None,
        };
        Ok(EventLog { path: path.to_owned(), index, paths: OnceLock::new() })
    }

    /// The cases, with the places of their calls in their table.
    ///
    /// # Errors
    ///
    /// When the file is no event log.
    pub fn cases(&self) -> Result<Vec<(CaseName, Range<u64>)>, Loss> {
        let Some(index) = &self.index else { return apart(&self.path) };
        Ok(index.iter().map(|(name, case)| (name.clone(), case.rows.clone())).collect())
    }

    /// Begins to read cases. The calls of the cases that follow are read along, but not those from the place `until`
    /// on.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn reader(&self, until: u64) -> Result<CaseReader<'_>, Loss> {
        let (file, bytes) = open(&self.path)?;
        let calls = match &self.index {
            None => None,
            Some(_) => {
                let table = file.dataset("calls").map_err(|error| refused(&self.path, &error))?;
                Some(self.calls(table, bytes, "calls")?)
            }
        };
        Ok(CaseReader { log: self, file, bytes, calls, until })
    }

    /// Opens a table of calls.
    fn calls(&self, table: Dataset, file: u64, name: &str) -> Result<(Table, Columns), Loss> {
        calls::open(table, file)
            .map_err(|what| refused(&self.path, &format_args!("{name}: {what}")))
    }

    /// The paths, of a log with so many calls.
    fn paths(&self, file: &Hdf5File, bytes: u64, calls: u64) -> Result<&Texts, Loss> {
        let read = || {
            let paths = index::paths(file, bytes, calls);
            paths.map_err(|what| refused(&self.path, &format_args!("paths: {what}")))
        };
        self.paths.get_or_init(read).as_ref().map_err(Loss::clone)
    }
}

/// Reads cases of an event log, quickly where they follow on each other in the file.
pub struct CaseReader<'l> {
    log: &'l EventLog,
    file: Hdf5File,
    bytes: u64,
    /// The calls of all cases.
    calls: Option<(Table, Columns)>,
    until: u64,
}

impl fmt::Debug for CaseReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CaseReader").field("log", &self.log.path).finish_non_exhaustive()
    }
}

impl CaseReader<'_> {
    /// Reads the calls of a case in the order of their begins, each with the number of the file that it was in.
    /// `sockets`: whether `recv` and `send` and their like transfer bytes.
    ///
    /// # Errors
    ///
    /// When there is no such case, or its calls cannot be read.
    pub fn case(
        &mut self,
        name: &CaseName,
        sockets: bool,
        receive: &mut dyn FnMut(&Call<'_>, u64),
    ) -> Result<Stored, Loss> {
        let CaseReader { log, file, bytes, calls, until } = self;
        let failed = |what: &dyn fmt::Display| refused(&log.path, &format_args!("{name}: {what}"));
        let missing = || failed(&"the case is gone");
        match (&log.index, calls) {
            (Some(index), Some((table, columns))) => {
                let Entry { number, rows, stored } = index.get(name).ok_or_else(missing)?;
                let paths = match columns.path.is_text {
                    true => &Texts::default(),
                    false => log.paths(file, *bytes, table.rows)?,
                };
                let of_row = |row: &[u8], at: u64| {
                    if let Some(case) = columns.case(row).filter(|case| case != number) {
                        return Err(format!("call {at} is of case {case}"));
                    }
                    columns.hand_out(row, at - rows.start, paths, sockets, receive)
                };
                table.each(rows.clone(), *until, of_row).map_err(|what| failed(&what))?;
                Ok(stored.clone())
            }
            _ => {
                let group = file.group(&name.to_string()).map_err(|error| failed(&error))?;
                let table = group.dataset("table").map_err(|error| failed(&error))?;
                let (mut table, columns) = log.calls(table, *bytes, &format!("{name}/table"))?;
                let of_row = |row: &[u8], at: u64| {
                    columns.hand_out(row, at, &Texts::default(), sockets, receive)
                };
                let rows = table.rows;
                let stored = index::of_group(&group, rows, *bytes).map_err(|what| failed(&what))?;
                table.each(0..rows, rows, of_row).map_err(|what| failed(&what))?;
                Ok(stored)
            }
        }
    }
}

/// Opens an event log. Its size, in bytes, comes back, too.
fn open(path: &Path) -> Result<(Hdf5File, u64), Loss> {
    let of_system = |error: std::io::Error| Loss::of_system(path, &error);
    input::open(path).map_err(of_system)?;
    let bytes = fs::metadata(path).map_err(of_system)?.len();
    Ok((Hdf5File::open(path).map_err(|error| refused(path, &error))?, bytes))
}

fn refused(path: &Path, what: &dyn fmt::Display) -> Loss {
    Loss::of_file(path, format!("this is no event log: {what}"))
}

/// Reads the index of cases whose calls are in one table.
fn together(
    file: &Hdf5File,
    table: Dataset,
    bytes: u64,
) -> Result<HashMap<CaseName, Entry>, String> {
    let (table, columns) = calls::open(table, bytes).map_err(|what| format!("calls: {what}"))?;
    if !columns.path.is_text {
        index::open_paths(file, bytes, table.rows).map_err(|what| format!("paths: {what}"))?;
    }
    let cases = index::cases(file, bytes, table.rows).map_err(|what| format!("cases: {what}"))?;
    match cases.is_empty() {
        true => Err("cases: there is none".to_owned()),
        false => Ok(cases),
    }
}

/// Finds the cases that have a group each.
fn apart(path: &Path) -> Result<Vec<(CaseName, Range<u64>)>, Loss> {
    let (file, bytes) = open(path)?;
    let mut cases = HashMap::new();
    // One is open at a time: thousands of open groups are slow.
    for name in file.member_names().map_err(|error| refused(path, &error))? {
        let Ok(group) = file.group(&name) else { continue };
        // A case is named as its file, without the suffix.
        let Some(case) = CaseName::of(Path::new(&format!("{name}.st")), None) else { continue };
        let Ok(table) = group.dataset("table") else { continue };
        let rows = tables::rows(&table, bytes)
            .map_err(|what| Loss::of_file(path, format!("{name}/table: {what}")))?;
        if cases.insert(case, 0..rows).is_some() {
            return Err(refused(path, &format_args!("{name}: the case is there twice")));
        }
    }
    if cases.is_empty() {
        return Err(refused(path, &"expected the tables calls and cases, or a group of each case"));
    }
    Ok(cases.into_iter().collect())
}
