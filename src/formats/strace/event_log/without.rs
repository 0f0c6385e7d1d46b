//! Nothing is read where the program was built without HDF5.

use std::ops::Range;
use std::path::Path;

use super::super::call::Call;
use super::super::names::CaseName;
use super::Stored;
use crate::Loss;

/// An event log: there is none.
#[derive(Debug)]
pub enum EventLog {}

/// Reads nothing.
#[derive(Debug)]
pub struct CaseReader<'l>(&'l EventLog);

impl EventLog {
    /// Refuses an event log.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn open(path: &Path) -> Result<EventLog, Loss> {
        Err(Loss::of_file(path, "this program was built without HDF5"))
    }

    /// The cases, with the places of their calls in their table.
    ///
    /// # Errors
    ///
    /// Never: there is no event log.
    pub fn cases(&self) -> Result<Vec<(CaseName, Range<u64>)>, Loss> {
        match *self {}
    }

    /// Begins to read cases.
    ///
    /// # Errors
    ///
    /// Never: there is no event log.
    pub fn reader(&self, _: u64) -> Result<CaseReader<'_>, Loss> {
        match *self {}
    }
}

impl CaseReader<'_> {
    /// Reads a case.
    ///
    /// # Errors
    ///
    /// Never: there is no event log.
    pub fn case(
        &mut self,
        _: &CaseName,
        _: bool,
        _: &mut dyn FnMut(&Call<'_>, u64),
    ) -> Result<Stored, Loss> {
        match *self.0 {}
    }
}
