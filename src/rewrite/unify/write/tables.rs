//! The mapping tables that locations get.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::tables::table;
use streamfold_kernels::unify::{Global, Key, Known, Scope};
use streamfold_model::enums::MappingType;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use crate::unify::findings::{numbered as numbered_as, File, Findings};
use crate::unify::number::attributes::Same;
use crate::unify::number::renumbering::Renumbering;
use crate::unify::number::undefined::Meant;
use crate::unify::ranks::by_paradigm::is_name_of_list;
use crate::unify::read::beside::{is_always_global, mapped};
use crate::unify::read::global_read::Changed;
use crate::unify::read::inputs::Numbered;
use crate::unify::read::kept::{KeptLocation, Stands};
use crate::unify::read::local::LocalFile;
use crate::unify::read::source::Source;
use crate::unify::same::known::Globals;
use crate::unify::same::waiting::WaitingLocation;
use streamfold_otf2::Mappings;
use streamfold_text::human;

/// Facts about other files, for a location's tables.
struct Around<'a> {
    globals: &'a Globals,
    waiting: Option<&'a WaitingLocation>,
}

impl Known for Around<'_> {
    fn global(&self, kind: ReferenceKind, number: u64) -> Global {
        self.globals.get(&(kind, number)).copied().unwrap_or(Global::Unasked)
    }

    fn waited(&self, place: usize) -> Option<Key> {
        self.waiting.and_then(|waiting| waiting.keys.get(&place).copied())
    }
}

/// The mapping tables that a location gets.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub tables: BTreeMap<MappingType, IdMap>,
    /// True if the file has the same ones already.
    pub same: bool,
    /// How many would have said nothing, and are left out.
    pub identities: u64,
    /// Findings about the definitions that they lead to.
    pub findings: Findings,
    /// Attributes, own ones and global ones, that become one.
    pub same_attributes: Same,
    /// All numbers that the location lists, and what they become.
    pub meant: Meant,
}

/// New numbers of one location.
pub(crate) struct OfLocation<'a, S> {
    pub numbered: Numbered,
    pub source: &'a S,
    pub renumbering: &'a Renumbering<'a>,
}

impl<S: Source> OfLocation<'_, S> {
    /// Its tables, by what its definitions say.
    pub(crate) fn tables(&self, file: &LocalFile) -> Tables {
        let own = match self.renumbering.kept(self.numbered) {
            Some(kept) => self.kept_tables(kept),
            None => self.new_tables(file),
        };
        match file.tables.is_empty() {
            true => own,
            false => self.composed_tables(file, own),
        }
    }

    fn new_tables(&self, file: &LocalFile) -> Tables {
        let Renumbering { numbers, globals, seed, .. } = self.renumbering;
        let scope = Scope::new(&file.records);
        let around = Around { globals: globals.of(self.numbered.input), waiting: self.waiting() };
        let resolved = scope.resolve(&around, |_, content| content.key(*seed));
        let all: Vec<_> =
            scope.numbers().filter(|(kind, number, _)| !is_name_of_list(*kind, *number)).collect();
        let by_kind = all.chunk_by(|a, b| a.0 == b.0).map(|of_kind| {
            let now = |&(_, number, place): &(ReferenceKind, u64, usize)| {
                let now = resolved.keys[place].and_then(|key| numbers.get(&key));
                (number, now.copied().unwrap_or(number))
            };
            (of_kind[0].0, of_kind.iter().map(now).collect())
        });
        let mut made = self.made(file, by_kind);
        let called = self.called();
        made.findings.contradictions(&called, scope.contradictions(&resolved.keys));
        let records = scope.records().iter().zip(&resolved.keys);
        let comms = records.filter_map(|(record, key)| {
            let (kind, number) = record.own?;
            (kind == ReferenceKind::Comm).then_some((number, (*key)?))
        });
        self.tell_disputes(comms, &mut made.findings);
        made
    }

    /// The same, without the file: none of its numbers is defined twice.
    fn kept_tables(&self, kept: KeptLocation<'_>) -> Tables {
        let Renumbering { numbers, kept: all, kept_numbers, .. } = self.renumbering;
        let waiting = self.waiting();
        let waited = |place: u32| waiting?.keys.get(&(place as usize));
        let of_thread = &kept_numbers[kept.thread];
        let by_kind = kept.by_kind().map(|(kind, numbered)| {
            let now = numbered.map(|(number, stands)| {
                let now = match stands {
                    Stands::Content(content) => of_thread[content as usize],
                    Stands::Waits(place) => waited(place).and_then(|key| numbers.get(key)).copied(),
                };
                (number, now.unwrap_or(number))
            });
            (kind, now.collect())
        });
        let mut made = self.made(kept.file, by_kind);
        let comms = kept.by_kind().filter(|(kind, _)| *kind == ReferenceKind::Comm);
        let comms = comms.flat_map(|(_, comms)| comms).filter_map(|(number, stands)| {
            let key = match stands {
                Stands::Content(content) => Some(all.key(kept.thread, content)),
                Stands::Waits(place) => waited(place).copied(),
            };
            Some((number, key?))
        });
        self.tell_disputes(comms, &mut made.findings);
        made
    }

    /// Its definitions that wait for what others say.
    fn waiting(&self) -> Option<&WaitingLocation> {
        self.renumbering.waiting.get(&self.numbered.ordinal).copied()
    }

    /// The tables of a file, by what its numbers become.
    fn made(
        &self,
        file: &LocalFile,
        numbers: impl Iterator<Item = (ReferenceKind, Vec<(u64, u64)>)>,
    ) -> Tables {
        let mut by_kind: BTreeMap<ReferenceKind, Vec<(u64, u64)>> = numbers.collect();
        // A number that the file does not define is global.
        let mut add = |kind: ReferenceKind, globals: &mut dyn Iterator<Item = (u64, u64)>| {
            let own = by_kind.entry(kind).or_default();
            let mut all: BTreeMap<u64, u64> = globals.collect();
            all.extend(own.iter().copied());
            *own = all.into_iter().collect();
        };
        for (kind, changed) in self.renumbering.changed(self.numbered.input) {
            add(*kind, &mut changed.iter().map(|(number, now)| (*number, *now)));
        }
        if file.has_location_values {
            add(ReferenceKind::Location, &mut self.source.placed().renamed());
        }
        let mut made = Tables::default();
        for (kind, numbers) in &mut by_kind {
            // A file with mapping tables is unified, also for strings and the like.
            let is_unified = !file.tables.is_empty() && *kind != ReferenceKind::Location;
            if is_unified || !is_always_global(*kind) {
                self.mean_global(*kind, numbers, &mut made.findings);
            }
        }
        if let Some(attributes) = by_kind.get(&ReferenceKind::Attribute) {
            made.same_attributes = self.same_attributes(attributes);
        }
        for (mapping, kind) in mapped() {
            let Some(numbers) = by_kind.remove(&kind) else { continue };
            match table(&numbers) {
                Some(table) => drop(made.tables.insert(mapping, table)),
                None => made.identities += 1,
            }
            made.meant.insert(mapping, numbers);
        }
        made.same = made.tables.is_empty() && !file.defines;
        made
    }

    /// The attributes that events of the location may have and that become one, by what they become.
    fn same_attributes(&self, attributes: &[(u64, u64)]) -> Same {
        let mut by_now: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        attributes.iter().for_each(|(number, now)| by_now.entry(*now).or_default().push(*number));
        let numbers: BTreeSet<u64> = attributes.iter().map(|(number, _)| *number).collect();
        if let Some(defined) = self.renumbering.defined.get(&self.numbered.input) {
            // Global ones that stay as they are.
            for (now, all) in &mut by_now {
                if !numbers.contains(now) && defined.has(ReferenceKind::Attribute, *now) {
                    all.push(*now);
                }
            }
        }
        let several = by_now.into_values().filter(|all| all.len() > 1);
        let several = several.flat_map(|all| all.clone().into_iter().map(move |it| (it, all[0])));
        several.map(|(number, first)| (number as u32, first as u32)).collect()
    }

    /// Numbers that the global definitions have, too, mean those in events, as they do to all who read them
    /// without a mapping table. `numbers`: those of a kind, and what they become.
    fn mean_global(
        &self,
        kind: ReferenceKind,
        numbers: &mut [(u64, u64)],
        findings: &mut Findings,
    ) {
        let defined = self.renumbering.defined.get(&self.numbered.input);
        let Some(defined) = defined else { return };
        let changed = self.renumbering.changed(self.numbered.input).get(&kind);
        let (mut count, mut first) = (0, None);
        for (number, now) in numbers.iter_mut().filter(|(number, _)| defined.has(kind, *number)) {
            let global =
                changed.and_then(|changed| changed.get(number)).copied().unwrap_or(*number);
            if *now != global {
                count += 1;
                first.get_or_insert(*number);
                *now = global;
            }
        }
        if let Some(first) = first {
            let first = numbered_as(kind, first);
            let more = human::and_more(count - 1, "");
            let text = "the global definitions have the same numbers: events mean those";
            findings.warn(&self.called(), format_args!("{first}{more}: {text}"));
        }
    }

    fn called(&self) -> File<impl Fn() -> String + '_> {
        let Numbered { location, now, .. } = self.numbered;
        File { name: move || self.source.local_name(location), location: now }
    }

    /// Tells of communicators about which others say something else. `comms`: those of this location.
    fn tell_disputes(&self, comms: impl Iterator<Item = (u64, Key)>, findings: &mut Findings) {
        let Renumbering { disputes, lists, .. } = self.renumbering;
        let ranks = || lists.ranks(self.numbered.now);
        disputes.tell(&self.called(), comms, ranks, findings);
    }
}

/// Returns mapping tables for the new global numbers.
pub(crate) fn global_maps(changed: &Changed) -> Mappings {
    let tables = mapped().filter_map(|(mapping, kind)| {
        let numbers: Vec<(u64, u64)> =
            changed.get(&kind)?.iter().map(|(number, now)| (*number, *now)).collect();
        Some((mapping, table(&numbers)?))
    });
    maps_of(&tables.collect())
}

/// Tables as they are applied.
pub(crate) fn maps_of(tables: &BTreeMap<MappingType, IdMap>) -> Mappings {
    let mut maps = Mappings::default();
    for (kind, map) in tables {
        // There is one of each kind.
        let _: Result<(), &str> = maps.insert(*kind, map.clone());
    }
    maps
}
