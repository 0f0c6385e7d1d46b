//! The numbers that the tracer gives to records: which are missing.

use super::{Counts, FileReading};
use crate::dftracer::json::Value;
use crate::dftracer::record::{Phase, Record};
use crate::Loss;

/// The tracer's numbering of its records. Each record has a number, from 1 on; up to version 2.0 metadata has numbers,
/// too.
#[derive(Default)]
pub(super) struct Numbering {
    /// Records in which the tracer starts, and ends.
    pub starts: u64,
    pub ends: u64,
    /// Records with a number, and the largest one.
    found: u64,
    last: u64,
    /// Numbers that all ends together say were given.
    pub told: u64,
    /// Set if numbers are given when calls begin: some may not have ended.
    is_early: bool,
}

impl Numbering {
    pub(super) fn take(&mut self, record: &Record<'_>) {
        let Some(id) = record.id.and_then(Value::whole) else { return };
        self.found += 1;
        self.last = self.last.max(id);
        self.is_early |= record.phase == Phase::Metadata;
    }

    /// Adds what a block found.
    pub(super) fn fold(&mut self, block: &Numbering) {
        self.found += block.found;
        self.last = self.last.max(block.last);
        self.is_early |= block.is_early;
    }

    /// Records that are not in the file, of how many.
    pub(super) fn missing(&self) -> Option<(u64, u64)> {
        let given = self.told.max(self.last);
        let missing = given.checked_sub(self.found).filter(|missing| *missing > 0)?;
        (self.ends > 0).then_some((missing, given))
    }
}

impl FileReading {
    /// Compares the numbers of records with what the end says of them.
    pub(super) fn find_missing(&mut self) {
        let Counts { aggregates, malformed, .. } = self.tables.counts;
        let Some((missing, given)) = self.numbering.missing() else { return };
        // Calls that are added up have numbers. Lines that cannot be read are lost already.
        let missing = missing.saturating_sub(malformed);
        if missing == 0 || aggregates > 0 {
            return;
        }
        let Numbering { starts, ends, is_early, .. } = self.numbering;
        let what =
            format!("the tracer numbered {given} records, and {missing} are not in the file");
        // Otherwise a part of a process may be in another file.
        let is_whole = starts == 1 && ends == 1 && self.processes.len() == 1;
        if is_early {
            self.odd.push(format!("{what}: they are lost, or calls that did not end"));
        } else if is_whole {
            self.tables.counts.missing = missing;
            self.losses.push(Loss::of_file(&self.path, what));
        } else {
            self.odd.push(what);
        }
    }
}
