//! The tables of operations on files, and of what became of handles.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use streamfold_kernels::matching::{io, Amount};
use streamfold_model::enums::IoOperationMode;
use streamfold_model::ids::{IoFileRef, IoHandleRef, IoParadigmRef};
use streamfold_model::store::IoFile;

use super::MatchReport;
use crate::tables::{columns, Cell, Row, Table};
use streamfold_text::names;

impl<'a> MatchReport<'a> {
    pub(super) fn files(&self) -> Table<'a> {
        let columns = columns(&[
            ("file", ""),
            ("begun", "begun"),
            ("requested_bytes", "requested"),
            ("complete", "complete"),
            ("bytes", "moved"),
            ("ticks", "time"),
            ("bytes_per_second", "rate in calls"),
            ("issued", ""),
            ("cancelled", "cancelled"),
            ("open", "open"),
            ("mode", "mode"),
            ("paradigm", "by"),
            ("name", "file"),
        ]);
        // By what names and paradigms say, not by their numbers: definitions that were never unified say the same
        // under several.
        type Kind = (Named, Option<String>, Option<IoOperationMode>);
        let mut kinds: BTreeMap<Kind, io::Operations> = BTreeMap::new();
        for (handle, of) in &self.outcome.folded.partial.handles {
            let (file, paradigm) = self.handle(*handle);
            let paradigm = paradigm.map(|paradigm| self.paradigm(paradigm));
            let mut add = |mode, operations: &io::Operations| {
                let kind = (file.clone(), paradigm.clone(), mode);
                kinds.entry(kind).or_default().add(operations);
            };
            of.modes.iter().for_each(|(mode, operations)| add(Some(*mode), operations));
            if of.ends_alone() > 0 {
                add(None, &of.unbegun);
            }
        }
        let rows = kinds.iter().map(|((file, paradigm, mode), of)| {
            let mode = mode.map(|mode| names::value(mode.name(), mode));
            vec![
                file.number(),
                Cell::Count(of.begun.count),
                Cell::Bytes(of.begun.bytes),
                Cell::Count(of.complete.count),
                Cell::Bytes(of.complete.bytes),
                Cell::Ticks(of.ticks as i128),
                bandwidth(&of.complete, of.ticks, self.provenance.timer_resolution),
                Cell::Count(of.issued),
                Cell::Count(of.cancelled),
                Cell::Count(of.open),
                mode.unwrap_or_else(|| "<not begun>".to_owned()).into(),
                paradigm_or_not(paradigm.clone()).into(),
                self.file(file).into(),
            ]
        });
        let rows = rows.collect();
        Table::of_rows("files", "Operations on files", columns, rows)
    }

    /// Returns the table of handles: how often each was made and destroyed, and its operations.
    pub(super) fn handles(&self) -> Table<'a> {
        let columns = columns(&[
            ("handle", "handle"),
            ("parent", ""),
            ("made_from", ""),
            ("pre_created", "open before"),
            ("created", "created"),
            ("duplicated", "duplicated"),
            ("destroyed", "destroyed"),
            ("operations", "operations"),
            ("bytes", "moved"),
            ("unbegun", "not begun"),
            ("paradigm", "by"),
            ("name", "name"),
            ("file", "file"),
        ]);
        let report = *self;
        let before: BTreeSet<IoHandleRef> = self
            .definitions
            .io_pre_created_handle_states
            .iter()
            .map(|state| state.io_handle)
            .collect();
        let before = Rc::new(before);
        Table::new("handles", "Handles of files", columns, move || {
            let before = Rc::clone(&before);
            let handles = report.outcome.folded.partial.handles.iter();
            handles.map(move |(handle, of)| report.of_handle(*handle, of, before.contains(handle)))
        })
    }

    fn of_handle(&self, handle: IoHandleRef, of: &io::HandleUse, before: bool) -> Row {
        let own = self.definitions.io_handles.get(&handle);
        let (file, paradigm) = self.handle(handle);
        let moved = of.modes.values().map(|operations| operations.complete.bytes).sum::<u128>();
        let name = own.and_then(|own| self.string(own.name));
        vec![
            Cell::id(handle),
            own.map_or(Cell::Empty, |own| Cell::id(own.parent)),
            self.origin(handle).map_or(Cell::Empty, Cell::id),
            Cell::Count(before.into()),
            Cell::Count(of.created),
            Cell::Count(of.duplicated),
            Cell::Count(of.destroyed),
            Cell::Count(of.modes.values().map(|operations| operations.begun.count).sum()),
            Cell::Bytes(moved + of.unbegun.complete.bytes),
            Cell::Count(of.ends_alone()),
            paradigm_or_not(paradigm.map(|paradigm| self.paradigm(paradigm))).into(),
            name.unwrap_or_default().into(),
            self.file(&file).into(),
        ]
    }

    /// Returns the file behind a handle, and the handle's paradigm. It is the handle's own file, or that of the nearest
    /// handle that it stands on or was made from. Without a file it is the name of the nearest handle that has one.
    fn handle(&self, handle: IoHandleRef) -> (Named, Option<IoParadigmRef>) {
        /// Number of handles that are looked at: whoever writes a trace may have them go round in circles.
        const MOST: usize = 64;
        let handles = &self.definitions.io_handles;
        let Some(own) = handles.get(&handle) else { return (Named::Nothing, None) };
        let (mut seen, mut name) = (vec![own], Named::Nothing);
        let mut place = 0;
        while let Some(&at) = seen.get(place) {
            if self.definitions.io_files.contains_key(&at.file) {
                return (Named::File(at.file), Some(own.io_paradigm));
            }
            if name == Named::Nothing {
                name = self.string(at.name).map_or(Named::Nothing, Named::Handle);
            }
            let below = [Some(at.parent), self.origin(at.id)].into_iter().flatten();
            for below in below.filter_map(|below| handles.get(&below)) {
                if seen.len() < MOST && !seen.iter().any(|known| known.id == below.id) {
                    seen.push(below);
                }
            }
            place += 1;
        }
        (name, Some(own.io_paradigm))
    }

    /// Returns the handle that a handle was made from.
    fn origin(&self, handle: IoHandleRef) -> Option<IoHandleRef> {
        self.outcome.folded.partial.origins.get(&handle).copied()
    }

    fn file(&self, of: &Named) -> String {
        let file = match of {
            Named::File(file) => file,
            Named::Handle(name) => return name.clone(),
            Named::Nothing => return "<no file>".to_owned(),
        };
        let name = match self.definitions.io_files.get(file) {
            Some(IoFile::Regular(file)) => self.string(file.name),
            Some(IoFile::Directory(file)) => self.string(file.name),
            None => None,
        };
        name.unwrap_or_else(|| format!("<file {file} without a name>"))
    }

    fn paradigm(&self, paradigm: IoParadigmRef) -> String {
        let found = self.definitions.io_paradigms.get(&paradigm);
        let name = found.and_then(|found| self.string(found.name));
        name.unwrap_or_else(|| format!("<paradigm {paradigm}>"))
    }
}

/// The paradigm of a handle, where that is defined.
fn paradigm_or_not(paradigm: Option<String>) -> String {
    paradigm.unwrap_or_else(|| "<undefined handles>".to_owned())
}

/// Object of operations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// A file.
    File(IoFileRef),
    /// Nothing that is defined as a file, but has handles of this name: standard output.
    Handle(String),
    /// Nothing that has a name.
    Nothing,
}

impl Named {
    /// The number of the file, where it is one.
    fn number(&self) -> Cell {
        match self {
            Named::File(file) => Cell::id(*file),
            Named::Handle(_) | Named::Nothing => Cell::Empty,
        }
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
