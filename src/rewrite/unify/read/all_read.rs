//! Global definitions that a rank has read, and their changes before they are compared.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;

use streamfold_kernels::unify::{Record, Seed};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::global_file::{GlobalFile, OtherFile};
use super::global_read::{read, Read, Undefined};
use super::inputs::{ordinal, Input, Numbered};
use super::source::Source;
use super::tally::Tally;
use crate::location_count;
use crate::missing_definitions::{said_of, MissingDefinitions};
use crate::unify::comms::sides::{Changed, Joined};
use crate::unify::findings::{File, Findings};
use crate::unify::number::attributes;
use crate::unify::number::attributes::Same;
use crate::unify::ranks::by_paradigm::is_name_of_list;
use crate::unify::ranks::joined::JoinedLists;
use crate::unify::ranks::lists;
use crate::unify::same::defined::Defined;
use crate::unify::same::join::Join;
use crate::unify::same::keys::Share;
use crate::unify::same::pool::Pool;
use crate::unify::Report;
use streamfold_collective::stop::agree;
use streamfold_collective::{self as collective, Communicator};
use streamfold_otf2::{Archive, FileKind};
use streamfold_system::exit::{Failure, Stop};
use streamfold_text::human;

/// Global definitions that a rank has read.
#[derive(Debug, Default)]
pub(crate) struct AllRead {
    /// Of the first archive, on rank 0.
    pub first: Option<First>,
    /// The locations of the archives that this rank keeps.
    pub locations: BTreeMap<u32, Vec<LocationRef>>,
    pub counts: Tally,
    /// Findings about single definitions.
    pub findings: Findings,
    /// Sides of communicators between groups that were joined.
    joined: u64,
    /// Changes of them in other archives.
    pub changed: BTreeMap<u32, Changed>,
    /// Definitions of other archives, resolved with the first keys.
    pub others: Vec<OtherFile>,
    pub pool: Pool,
    /// Of each archive the locations that have files and that nobody defines.
    pub undefined: BTreeMap<u32, Undefined>,
    /// Locations that only their own files define.
    pub missing_definitions: u64,
}

/// The global definitions of the first archive.
#[derive(Debug)]
pub(crate) struct First {
    pub global: GlobalFile,
    /// For each record of the file which one it is of those that are compared.
    pub places: Vec<Option<usize>>,
}

impl AllRead {
    /// The archives whose global definitions this rank has read.
    pub(crate) fn kept(&self) -> impl Iterator<Item = u32> + '_ {
        self.locations.keys().copied()
    }

    /// The locations of an archive that this rank keeps.
    pub(crate) fn locations_of(&self, input: u32) -> Option<&[LocationRef]> {
        self.locations.get(&input).map(Vec::as_slice)
    }

    /// Sides of communicators of an archive were looked for.
    pub(crate) fn joined(&mut self, source: &impl Source, joined: Joined) {
        self.joined += joined.count;
        if joined.too_many {
            let text =
                "too much was sent over communicators that may be sides of those between two \
                        groups: nobody looked which belong together";
            let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
            self.findings.warn(&file, text);
        }
        if joined.in_parts {
            let text = "it was cut out of a trace that nobody has unified: nobody looks which of its communicators are \
                        sides of those between two groups. Unify the trace before it is cut";
            let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
            self.findings.warn(&file, text);
        }
        if let Some(first) = joined.first_left {
            let text = match joined.left {
                1 => {
                    "looks like a side of one between two groups, by its messages, and fits to none well enough or \
                     to several: it stays as it is"
                }
                _ => {
                    "look like sides of one between two groups, by their messages, and fit to none well enough or \
                     to several: they stay as they are"
                }
            };
            let more = human::and_more(joined.left - 1, "");
            let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
            self.findings.warn(&file, format_args!("Comm {first}{more} {text}"));
        }
    }

    /// Returns the defined numbers of an archive whose global definitions this rank has read.
    pub(crate) fn defined(&self, input: u32, others: &[OtherFile]) -> Defined {
        let first = self.global().filter(|_| input == 0);
        let first = first.into_iter().flat_map(|global| &global.records);
        let other = others.iter().filter(|other| other.input == input);
        let other = other.flat_map(|other| other.keys.keys().copied());
        let locations = self.locations_of(input).unwrap_or_default().iter();
        let locations = locations.map(|location| (ReferenceKind::Location, location.0));
        let owned = first.filter_map(|record| record.own).chain(other);
        Defined::new(
            owned.filter(|(kind, number)| !is_name_of_list(*kind, *number)).chain(locations),
        )
    }

    /// Those of the first archive.
    pub(crate) fn global(&self) -> Option<&GlobalFile> {
        self.first.as_ref().map(|first| &first.global)
    }

    /// Takes in the locations of an archive that is alone which only their own files define. Each rank looks at a
    /// share of them. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn find_unlisted(
        &mut self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        workers: NonZeroUsize,
    ) -> Result<(), collective::Error> {
        // Those of several are looked for with the global definitions of each.
        let [source] = sources else { return Ok(()) };
        let Some(archive) = source.archive() else { return Ok(()) };
        let undefined = self.locations.get(&0).map(|listed| {
            let listed: HashSet<LocationRef> = listed.iter().copied().collect();
            archive.undefined_locations(|location| listed.contains(&location))
        });
        let all = undefined.iter().flatten().flatten();
        let count = all.clone().count();
        let shares = all.enumerate().map(|(i, location)| (i * ranks.size() / count, *location));
        let share: Vec<LocationRef> = ranks.exchange(shares.collect())?;
        let said = said_of(archive, &share, workers);
        let said = ranks.exchange(said.into_iter().map(|said| (0, said)).collect())?;
        if let Some(undefined) = undefined {
            let said = said.into_iter().collect();
            let missing_definitions =
                undefined.and_then(|left| MissingDefinitions::adopt(archive, left, said));
            let mut read = Read::default();
            read.adopt(missing_definitions, source);
            self.keep_unlisted(0, &mut read);
            self.locations.entry(0).or_default().extend(read.locations);
            if let Some(first) = &mut self.first {
                first.global.append(read.records);
            }
        }
        Ok(())
    }

    /// Keeps what was found of locations of an archive that its global definitions do not have.
    pub(crate) fn keep_unlisted(&mut self, input: u32, read: &mut Read) {
        self.undefined.insert(input, std::mem::take(&mut read.undefined));
        self.missing_definitions += read.missing_definitions;
        self.findings.fold(std::mem::take(&mut read.findings));
    }

    /// Tells global attributes of an archive that is alone apart that say the same, where one event has two of
    /// them. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn tell_attributes_apart(
        &mut self,
        ranks: &dyn Communicator,
        locations: &[Numbered],
        share: &Share,
        join: &mut dyn Join,
    ) -> Result<(), Stop> {
        let global = self.first.as_mut().map(|first| &mut first.global);
        let same = global.as_ref().map(|global| attributes::same(&global.records));
        let same: Same = ranks.broadcast(0, same)?;
        if same.is_empty() {
            return Ok(());
        }
        let is_unified = share.mapped + share.ununified > 0;
        let is_unified = ranks.all_reduce(is_unified, |a, b| a || b)?;
        let pairs = join.pairs(locations, &same, is_unified)?;
        if let Some(global) = global {
            pairs.tell_apart(&same, &mut global.records);
        }
        Ok(())
    }

    /// Joins the lists of locations with ranks of an archive that is alone, where files of locations have other
    /// ones, and puts them into its global definitions. Returns them. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn join_lists(
        &mut self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        share: &mut Share,
    ) -> Result<JoinedLists, collective::Error> {
        // Those of several are joined before, one archive after another.
        let [source] = sources else { return Ok(JoinedLists::default()) };
        let files = &mut share.lists_of_files;
        let global = self.first.as_mut().map(|first| &mut first.global);
        if let Some(global) = &global {
            files.take(&global.records, 0);
        }
        let records = global.as_ref().map(|global| &global.records[..]);
        let joined = lists::join(ranks, files, &share.lists, records)?.unwrap_or_default();
        if let Some(global) = global {
            let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
            let findings = &mut self.findings;
            let changed = joined.rewrite(&global.records, &mut |odd| findings.take(&file, odd));
            global.rewrite(changed);
        }
        Ok(joined)
    }

    /// Finds the keys of all global definitions, and takes their contents into a pool; those of other
    /// archives than the first are read again where it is not for the first time. Collective.
    ///
    /// # Errors
    ///
    /// On all ranks when one cannot read those of another archive than the first once more.
    pub(crate) fn resolve(
        &mut self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        seed: Seed,
        pool: &mut Pool,
    ) -> Result<Vec<OtherFile>, Stop> {
        if let Some(first) = &mut self.first {
            first.global.resolve(&sources[0], seed, pool);
        }
        if seed == Seed::default() {
            *pool = std::mem::take(pool).fold(std::mem::take(&mut self.pool));
            return Ok(std::mem::take(&mut self.others));
        }
        let others = self.locations.keys().filter(|input| **input > 0);
        let other = |&input: &u32| -> Result<OtherFile, Failure> {
            let source = &sources[input as usize];
            let mut one = read(source)?;
            one.find_unlisted(source);
            let Read { mut records, .. } = one;
            replace(&mut records, &self.changed[&input]);
            Ok(OtherFile::resolve(source, input, ordinal(input, 0), records, seed, pool))
        };
        agree(ranks, others.map(other).collect())
    }

    /// Returns the findings in them and in the definitions of locations.
    pub(crate) fn report(&self, share: &Share, others: &[OtherFile]) -> Report {
        let mut report = Report {
            mapped: share.mapped,
            ununified: share.ununified,
            missing_definitions: self.missing_definitions,
            global: self.counts.counts(),
            local: share.counts.counts(),
            joined: self.joined,
            ..Report::default()
        };
        let first = self.global().map(|global| &global.findings);
        let others = others.iter().map(|other| &other.findings);
        let all = [&self.findings, &share.findings].into_iter().chain(first).chain(others);
        all.for_each(|findings| report.take(findings.clone()));
        report
    }

    /// Tells of locations that have files and no definition: they are no part of the trace.
    pub(crate) fn lose_undefined(&self, inputs: &[Input], report: &mut Report) {
        for (&input, listed) in &self.locations {
            let Input { archive, placed, .. } = &inputs[input as usize];
            if let Some(undefined) = self.undefined.get(&input) {
                lose_undefined(archive, undefined, report);
            }
            let elsewhere = placed.elsewhere.iter().flat_map(|others| others.members());
            let count = listed.len() + elsewhere.count();
            if let Some(text) = location_count(archive, count as u64) {
                report.warnings.push(LocationRef::UNDEFINED, text);
            }
        }
    }
}

pub(crate) fn replace(records: &mut [Record], changed: &Changed) {
    changed.iter().for_each(|(place, record)| records[*place].clone_from(record));
}

fn lose_undefined(archive: &Archive, undefined: &Undefined, report: &mut Report) {
    let losses = &mut report.outcome.losses;
    for location in &undefined.locations {
        let path = archive.path(FileKind::Events(*location));
        let text = format!("{}: nobody defines this location", path.display());
        losses.push(*location, text);
    }
    undefined.error.iter().for_each(|error| losses.push(LocationRef::UNDEFINED, error.clone()));
}
