//! Warnings about faulty definitions that stay, and about different definitions of one thing in different files. The
//! rank that has read a definition first reports it once.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::members::stretches;
use streamfold_kernels::unify::{AllBroken, Key, Target};
use streamfold_model::definitions::Definition;
use streamfold_model::enums::GroupType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::identity::{identity, Identity, Said};
use super::keys::Share;
use super::places;
use super::pool::Pooled;
use super::shared::Shared;
use crate::unify::called::{called_of, field};
use crate::unify::comms::intercomms::lacks_group;
use crate::unify::comms::parts::Parts;
use crate::unify::findings::{missing, numbered, File, Findings};
use crate::unify::read::all_read::AllRead;
use crate::unify::read::global_file::OtherFile;
use crate::unify::read::inputs::{in_archive, Numbered, Renamed};
use crate::unify::read::records;
use crate::unify::read::source::{several, Source};
use streamfold_collective::{Communicator, Error};

/// Definitions that this rank has read, and facts that all ranks share.
pub(crate) struct Checks<'a, S> {
    pub sources: &'a [S],
    /// The locations of this rank, in the order of all.
    pub locations: &'a [Numbered],
    pub share: &'a Share,
    pub shared: &'a Shared,
    pub others: &'a [OtherFile],
    /// The rank that has read each archive.
    pub keepers: &'a [usize],
}

/// Result of the checks.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub findings: Findings,
    /// Definitions that are left out, since others count.
    pub dropped: BTreeSet<Key>,
}

impl<S: Source> Checks<'_, S> {
    /// Looks at all that this rank has read first. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn run(&self, ranks: &dyn Communicator, read: &AllRead) -> Result<Checked, Error> {
        let mut checked = Checked::default();
        let alone = self.all_locations(ranks, read)?;
        for key in &self.shared.firsts {
            let pooled = &self.share.pool.contents[key];
            // Most are names, which lead nowhere.
            if pooled.kind == Some(ReferenceKind::String) || pooled.is_nobody() {
                continue;
            }
            self.undefined_references(pooled, &mut checked.findings);
            self.locations(pooled, alone.as_ref(), &mut checked.findings);
            self.ranks(pooled, &mut checked.findings);
            self.list_of_location(pooled, &mut checked.findings);
            self.groups(pooled, &mut checked.findings);
        }
        self.contradictions(ranks, &mut checked)?;
        let Checks { sources, share, others, keepers, .. } = *self;
        Parts { sources, share, read, others, keepers }.check(ranks, &mut checked.findings)?;
        Ok(checked)
    }

    /// The locations of a single archive. Collective.
    fn all_locations(
        &self,
        ranks: &dyn Communicator,
        read: &AllRead,
    ) -> Result<Option<Renamed>, Error> {
        if self.sources.len() > 1 {
            return Ok(None);
        }
        let known = read.locations_of(0).map(|all| stretches(all.iter().map(|it| it.0)));
        Ok(Some(Renamed::new(ranks.broadcast(0, known)?, None)))
    }

    /// The file in which something was read first.
    fn file(&self, (ordinal, _): Appearance) -> File<impl Fn() -> String + '_> {
        let (input, index) = in_archive(ordinal);
        let source = &self.sources[input as usize];
        let local = self.locations.binary_search_by_key(&ordinal, |numbered| numbered.ordinal);
        let local = local.ok().filter(|_| index > 0).map(|place| self.locations[place]);
        let name = move || match local {
            Some(numbered) => source.local_name(numbered.location),
            None => source.name(),
        };
        File { name, location: local.map_or(LocationRef::UNDEFINED, |numbered| numbered.now) }
    }

    /// A content by its number where it was read first.
    fn called(&self, pooled: &Pooled) -> String {
        let placed = || self.sources[in_archive(pooled.first.0).0 as usize].placed();
        match pooled.kind {
            Some(kind) => numbered(kind, pooled.number),
            None => called_of(&pooled.content.shell, None, placed()),
        }
    }

    /// References to numbers that nobody defines, which stay.
    fn undefined_references(&self, pooled: &Pooled, findings: &mut Findings) {
        let content = &pooled.content;
        if !content.targets.iter().any(|target| self.nobody(target).is_some()) {
            return;
        }
        let (mut found, mut count, mut reference) = (Vec::new(), 0, 0);
        let _ = records::definition(content, None, |kind, target| {
            if let Some(number) = self.nobody(&target) {
                count += 1;
                if found.len() < AllBroken::KEPT {
                    found.push((reference, kind, number));
                }
            }
            reference += 1;
            0
        });
        let (file, called) = (self.file(pooled.first), self.called(pooled));
        findings.warnings.count += count - found.len() as u64;
        for (reference, kind, number) in found {
            let (field, to) = (field(&content.shell, reference), numbered(kind, number));
            findings.warn(&file, missing(&format!("{called}: {field}"), 1, &to, "it stays"));
        }
    }

    /// The number that nobody defines to which something leads.
    fn nobody(&self, target: &Target) -> Option<u64> {
        match target {
            Target::Dangling(number) => Some(*number),
            // A rank that has read the reference has both.
            Target::Key(key) => {
                let pooled = self.share.pool.contents.get(key)?;
                pooled.is_nobody().then_some(pooled.number)
            }
            Target::Undefined => None,
        }
    }

    /// Locations that nobody defines, where they keep their numbers.
    fn locations(&self, pooled: &Pooled, alone: Option<&Renamed>, findings: &mut Findings) {
        if !may_lead_to_locations(pooled) {
            return;
        }
        let (input, _) = in_archive(pooled.first.0);
        let of_run = || self.sources[input as usize].placed().locations.as_deref();
        let Some(known) = alone.or_else(of_run).filter(|known| !known.is_other()) else { return };
        let mut definition = records::definition(&pooled.content, None, |_, _| 0);
        if let Definition::Group(group) = &definition {
            // That of all archives was told where each has its own.
            if group.group_type == GroupType::CommLocations && alone.is_none() {
                return;
            }
        }
        let (mut count, mut first) = (0, None);
        definition.renumber(&mut |kind, number| {
            let leads_on = kind != ReferenceKind::Location || number == kind.undefined();
            if !leads_on && known.now(number).is_none() {
                count += 1;
                first.get_or_insert(number);
            }
            number
        });
        if let Some(first) = first {
            let first = numbered(ReferenceKind::Location, first);
            let text = missing(&self.called(pooled), count, &first, "it stays");
            findings.warn(&self.file(pooled.first), text);
        }
    }

    /// Ranks that nobody has, where they stay as they are.
    fn ranks(&self, pooled: &Pooled, findings: &mut Findings) {
        if self.sources.len() > 1 || pooled.kind != Some(ReferenceKind::Group) {
            return;
        }
        let Some(group) = records::members(&pooled.content.shell) else { return };
        let of_ranks = group.kind == GroupType::CommGroup;
        let paradigm = u8::from(group.paradigm);
        let Some(count) = self.share.lists.count(paradigm).filter(|_| of_ranks) else { return };
        let members = group.members.iter().flat_map(|stretch| stretch.members());
        let mut beyond = members.filter(|rank| *rank >= count && *rank != u64::MAX);
        if let Some(first) = beyond.next() {
            let first = format!("rank {first} of {count}");
            let text = missing(&self.called(pooled), 1 + beyond.count() as u64, &first, "it stays");
            findings.warn(&self.file(pooled.first), text);
        }
    }

    /// Lists of locations with ranks that single locations have for themselves: others have other ranks then.
    fn list_of_location(&self, pooled: &Pooled, findings: &mut Findings) {
        let is_local = in_archive(pooled.first.0).1 > 0;
        if !is_local || pooled.kind != Some(ReferenceKind::Group) {
            return;
        }
        let Some(group) = records::members(&pooled.content.shell) else { return };
        let is_list = group.kind == GroupType::CommLocations;
        if is_list && self.share.lists.differ(u8::from(group.paradigm), &group.members) {
            let text = "lists other locations with ranks than the first such list does: ranks are places in \
                        that one, so they may mean others now";
            findings.lose(&self.file(pooled.first), format_args!("{} {text}", self.called(pooled)));
        }
    }

    /// Communicators between two groups of which a location knows one alone, or none, and nobody the other one.
    fn groups(&self, pooled: &Pooled, findings: &mut Findings) {
        if in_archive(pooled.first.0).1 > 0 && lacks_group(pooled) {
            let text =
                "lacks a group, and which communicator others mean by it nobody can tell: if \
                        they have it, this is another one now";
            findings.lose(&self.file(pooled.first), format_args!("{} {text}", self.called(pooled)));
        }
    }

    /// Definitions of which there can be one alone, and are several. Collective.
    fn contradictions(&self, ranks: &dyn Communicator, checked: &mut Checked) -> Result<(), Error> {
        let (size, rank) = (ranks.size(), ranks.rank());
        let runs = several(self.sources).into_iter().map(|run| u64::from(run) + 1).collect();
        let mut own: BTreeMap<Appearance, (Identity, Key)> = BTreeMap::new();
        for key in &self.shared.firsts {
            let pooled = &self.share.pool.contents[key];
            let identity = identity(pooled, &runs);
            own.extend(identity.map(|identity| (pooled.first, (identity, *key))));
        }
        let said = own.iter().map(|(first, (identity, _))| {
            (identity.owner(size), Said { identity: *identity, first: *first, rank })
        });
        let mut all: BTreeMap<Identity, Vec<Said>> = BTreeMap::new();
        for said in ranks.exchange(said.collect())? {
            all.entry(said.identity).or_default().push(said);
        }
        let others = all.into_values().flat_map(|mut same| {
            same.sort_unstable_by_key(|said| said.first);
            let counts = same[0].first;
            same.into_iter().skip(1).map(move |said| (said.rank, (said.first, counts)))
        });
        let told: Vec<(Appearance, Appearance)> = ranks.exchange(others.collect())?;
        for (first, counts) in told {
            let (identity, key) = own[&first];
            let (file, other) = (self.file(first), self.file(counts));
            let pooled = &self.share.pool.contents[&key];
            let text = format!("{} contradicts that of {}", self.called(pooled), (other.name)());
            match identity {
                Identity::Group(_) => {
                    let text = format!("{text}, a part of the same run: both stay");
                    checked.findings.warn(&file, text);
                }
                _ if self.sources.len() == 1 => {
                    checked.findings.warn(&file, format!("{text}: both stay"));
                }
                _ => {
                    checked.findings.lose(&file, format!("{text}, which counts: left out"));
                    checked.dropped.insert(key);
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a definition may reference locations. Most cannot.
fn may_lead_to_locations(pooled: &Pooled) -> bool {
    match pooled.kind {
        Some(kind) => {
            [ReferenceKind::Group, ReferenceKind::Metric, ReferenceKind::IoParadigm].contains(&kind)
        }
        None => records::record_id(&pooled.content.shell) != places::LOCATION,
    }
}
