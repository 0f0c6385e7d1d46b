//! Mapping tables that locations have already, and that are kept where right.

use std::collections::BTreeMap;
use std::sync::Arc;

use streamfold_kernels::unify::tables::{entries, table};
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use super::tables::{OfLocation, Tables};
use crate::unify::findings::{missing, numbered as numbered_as, File, Findings, Odd};
use crate::unify::number::renumbering::Renumbering;
use crate::unify::number::undefined::Meant;
use crate::unify::read::beside::mapped;
use crate::unify::read::inputs::Numbered;
use crate::unify::read::local::LocalFile;
use crate::unify::read::source::Source;
use crate::unify::same::defined::Dangling;

impl<S: Source> OfLocation<'_, S> {
    /// Its tables, where it has some already. `own`: those of its definitions that count, and of global numbers
    /// that have changed, which those stand for that it has not.
    pub(crate) fn composed_tables(&self, file: &LocalFile, own: Tables) -> Tables {
        let mut tables = file.tables.clone();
        let (mut findings, mut meant) = (own.findings, Meant::new());
        let (mut added, mut made) = (own.tables, own.meant);
        for (mapping, kind) in mapped() {
            let Some(old) = file.tables.get(&mapping) else {
                tables.extend(added.remove(&mapping).map(|table| (mapping, table)));
                meant.extend(made.remove(&mapping).map(|numbers| (mapping, numbers)));
                continue;
            };
            let dangling = self.dangling(kind, old, &mut findings);
            let Some(numbers) = self.composed(kind, old, &dangling) else {
                meant.insert(mapping, entries(old).into_iter().collect());
                continue;
            };
            match table(&numbers) {
                Some(table) => tables.insert(mapping, table),
                None => tables.remove(&mapping),
            };
            meant.insert(mapping, numbers);
        }
        let same = tables == file.tables;
        Tables { tables, same, findings, meant, ..Tables::default() }
    }

    /// The numbers in a table that nobody defines, and what stands for them now, if that is something else.
    fn dangling(
        &self,
        kind: ReferenceKind,
        old: &IdMap,
        findings: &mut Findings,
    ) -> BTreeMap<u64, u64> {
        let Numbered { input, location, now, .. } = self.numbered;
        let Renumbering { defined, numbered, .. } = self.renumbering;
        let Some(defined) = defined.get(&input).map(Arc::as_ref) else { return BTreeMap::new() };
        let dangling = Dangling { defined, numbered, placed: self.source.placed() };
        let file = File { name: || self.source.local_name(location), location: now };
        let mut changed = BTreeMap::new();
        let (mut lost, mut kept) = (Vec::new(), Vec::new());
        for number in entries(old).into_values() {
            // As readers cut it to the width of the field.
            let number_read = number & kind.undefined();
            match dangling.now(kind, number_read) {
                Some(now) if now == number_read => kept.push(number),
                Some(now) => {
                    changed.insert(number, now);
                    lost.push(number);
                }
                None => {}
            }
        }
        let called = format!("MappingTable of {}", kind.name());
        let text = |all: &[u64], now: &str| {
            missing(&called, all.len() as u64, &numbered_as(kind, all[0]), now)
        };
        if !lost.is_empty() {
            findings.take(&file, Odd::Lost(text(&lost, "undefined now"), lost.len() as u64));
        }
        if !kept.is_empty() {
            findings.take(&file, Odd::Kept(text(&kept, "it stays")));
        }
        changed
    }

    /// Returns the new numbers of a kind, ascending, if a table leads to the old ones. `None`: nothing changes.
    /// `dangling`: new numbers of undefined references.
    fn composed(
        &self,
        kind: ReferenceKind,
        old: &IdMap,
        dangling: &BTreeMap<u64, u64>,
    ) -> Option<Vec<(u64, u64)>> {
        let changed = self.renumbering.changed(self.numbered.input).get(&kind);
        // Locations have others in a few tables only, where values lead to them.
        let renamed = (kind == ReferenceKind::Location)
            .then(|| self.source.placed().renamed_locations())
            .flatten();
        if changed.is_none() && renamed.is_none() && dangling.is_empty() {
            return None;
        }
        let now = |global: u64| {
            let now = dangling.get(&global).copied();
            let now = now.or_else(|| changed.and_then(|changed| changed.get(&global).copied()));
            now.or_else(|| renamed?.now(global)).unwrap_or(global)
        };
        let mut numbers = changed.cloned().unwrap_or_default();
        let old = entries(old).into_iter();
        numbers.extend(old.map(|(local, global)| (local, now(global))));
        Some(numbers.into_iter().collect())
    }
}
