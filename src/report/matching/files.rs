//! The table of operations on files.

use std::collections::BTreeMap;

use streamfold_kernels::matching::{io, Amount};
use streamfold_model::enums::IoOperationMode;
use streamfold_model::ids::{IoFileRef, IoHandleRef, IoParadigmRef};
use streamfold_model::store::IoFile;

use super::MatchReport;
use crate::report::names;
use crate::report::tables::{columns, Cell, Table};

impl<'a> MatchReport<'a> {
    pub(super) fn files(&self) -> Table<'a> {
        let columns = columns(&[
            ("file", ""),
            ("begun", "begun"),
            ("requested_bytes", "requested"),
            ("complete", "complete"),
            ("bytes", "moved"),
            ("ticks", "time"),
            ("bytes_per_second", "bandwidth"),
            ("cancelled", ""),
            ("open", "open"),
            ("mode", "mode"),
            ("paradigm", "by"),
            ("name", "file"),
        ]);
        type Kind = (Option<IoFileRef>, Option<IoParadigmRef>, Option<IoOperationMode>);
        let mut kinds: BTreeMap<Kind, io::Operations> = BTreeMap::new();
        for (handle, of) in &self.outcome.folded.partial.handles {
            let (file, paradigm) = self.handle(*handle);
            for (mode, operations) in &of.modes {
                kinds.entry((file, paradigm, Some(*mode))).or_default().add(operations);
            }
            if of.unbegun.count > 0 {
                let complete = of.unbegun;
                let unbegun = io::Operations { complete, ..io::Operations::default() };
                kinds.entry((file, paradigm, None)).or_default().add(&unbegun);
            }
        }
        let rows = kinds.iter().map(|((file, paradigm, mode), of)| {
            let mode = mode.map(|mode| names::value(mode.name(), mode));
            vec![
                file.map_or(Cell::Empty, Cell::id),
                Cell::Count(of.begun.count),
                Cell::Bytes(of.begun.bytes),
                Cell::Count(of.complete.count),
                Cell::Bytes(of.complete.bytes),
                Cell::Ticks(of.ticks as i128),
                bandwidth(&of.complete, of.ticks, self.provenance.timer_resolution),
                Cell::Count(of.cancelled),
                Cell::Count(of.open),
                mode.unwrap_or_else(|| "<not begun>".to_owned()).into(),
                self.paradigm(*paradigm).into(),
                self.file(*file).into(),
            ]
        });
        let rows = rows.collect();
        Table::of_rows("files", "Operations on files", columns, rows)
    }

    /// The file and the paradigm of a handle: its own, or those of the handles that it stands on.
    fn handle(&self, handle: IoHandleRef) -> (Option<IoFileRef>, Option<IoParadigmRef>) {
        const MOST_PARENTS: usize = 16;
        let handles = &self.definitions.io_handles;
        let Some(own) = handles.get(&handle) else { return (None, None) };
        let mut at = own;
        for _ in 0..MOST_PARENTS {
            if self.definitions.io_files.contains_key(&at.file) {
                return (Some(at.file), Some(own.io_paradigm));
            }
            let Some(parent) = handles.get(&at.parent) else { break };
            at = parent;
        }
        (None, Some(own.io_paradigm))
    }

    fn file(&self, file: Option<IoFileRef>) -> String {
        let Some(file) = file else { return "<no file>".to_owned() };
        let name = match self.definitions.io_files.get(&file) {
            Some(IoFile::Regular(file)) => self.string(file.name),
            Some(IoFile::Directory(file)) => self.string(file.name),
            None => None,
        };
        name.unwrap_or_else(|| format!("<file {file} without a name>"))
    }

    fn paradigm(&self, paradigm: Option<IoParadigmRef>) -> String {
        let Some(paradigm) = paradigm else { return "<undefined handles>".to_owned() };
        let found = self.definitions.io_paradigms.get(&paradigm);
        let name = found.and_then(|found| self.string(found.name));
        name.unwrap_or_else(|| format!("<paradigm {paradigm}>"))
    }
}

/// Bytes in a second of so many ticks; none where no time passed.
fn bandwidth(moved: &Amount, ticks: u128, resolution: u64) -> Cell {
    let bytes = moved.bytes.saturating_mul(resolution.into());
    match bytes.checked_div(ticks) {
        Some(bytes) if moved.count > 0 => Cell::Rate(u64::try_from(bytes).unwrap_or(u64::MAX - 1)),
        _ => Cell::Empty,
    }
}
