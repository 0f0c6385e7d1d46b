//! Locations that files of locations define once more. The global definitions of them count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::{Key, Scope, Target};
use streamfold_model::definitions::{Definition, Location};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::places::location;
use super::pool::{Map, Pool};
use crate::unify::called::of_location;
use crate::unify::findings::{File, Findings};
use crate::unify::read::global_file::Files;
use crate::unify::read::inputs::Numbered;
use crate::unify::read::records::without_members;
use crate::unify::read::source::Source;
use streamfold_collective::{Communicator, Error};

/// Definition of a location in the file of a location, without the number of its events.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Claim {
    /// The file: its place in the order of reading, and its archive.
    pub numbered: (u64, u32),
    /// Of which location, with the number that it has there, and the one that it has now.
    was: LocationRef,
    location: LocationRef,
    location_type: u8,
    name: To,
    /// `None`: the file defines its group itself, by a number of its own.
    group: Option<To>,
}

/// To what a field leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum To {
    Nothing,
    /// To what the file defines.
    Own(Key),
    /// To the global definition of a number.
    Global(u64),
}

impl Claim {
    /// Returns the claim of a file. `keys`: those of its records.
    pub(crate) fn new(
        of: Numbered,
        claimed: &Location,
        now: LocationRef,
        scope: &Scope<'_>,
        keys: &[Option<Key>],
    ) -> Claim {
        let to = |kind: ReferenceKind, number: u64| {
            if number == kind.undefined() {
                return Some(To::Nothing);
            }
            match scope.last(kind, number) {
                Some(place) => keys[place].map(To::Own),
                None => Some(To::Global(number)),
            }
        };
        let group = to(ReferenceKind::LocationGroup, claimed.location_group.0.into());
        Claim {
            numbered: (of.ordinal, of.input),
            was: claimed.id,
            location: now,
            location_type: claimed.location_type.into(),
            name: to(ReferenceKind::String, claimed.name.0.into()).unwrap_or(To::Nothing),
            group: group.filter(|group| !matches!(group, To::Own(_))),
        }
    }
}

/// Contradiction between a claim and the global definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Wrong {
    /// Nobody defines the location.
    Undefined,
    /// Its name is another one.
    Name,
    /// It is of another type.
    Type,
    /// It is in another group.
    Group,
}

/// Tells of locations of which files say something else than the global definitions do. Collective.
///
/// # Errors
///
/// When ranks cannot communicate.
pub(crate) fn check(
    ranks: &dyn Communicator,
    sources: &[impl Source],
    files: &Files<'_>,
    locations: &[Numbered],
    claims: Vec<Claim>,
    pool: &Pool,
    findings: &mut Findings,
) -> Result<(), Error> {
    let asks = claims
        .into_iter()
        .map(|claim| (files.keepers[claim.numbered.1 as usize], (ranks.rank(), claim)));
    let asked: Vec<(usize, Claim)> = ranks.exchange(asks.collect())?;
    let asks_first = asked.iter().any(|(_, claim)| claim.numbered.1 == 0);
    let (known, keys) = (Known::new(pool, files, asks_first), files.keys(asks_first));
    let wrong = asked.into_iter().filter_map(|(rank, claim)| {
        let wrong = known.wrong(&claim, &keys)?;
        Some((rank, (claim.numbered.0, claim.was, wrong)))
    });
    let wrong: Vec<(u64, LocationRef, Wrong)> = ranks.exchange(wrong.collect())?;
    for (ordinal, location, wrong) in wrong {
        let place = locations.binary_search_by_key(&ordinal, |numbered| numbered.ordinal);
        let Ok(place) = place else { continue };
        let numbered = locations[place];
        let file = of_location(&sources[numbered.input as usize], numbered);
        tell(findings, &file, location, wrong);
    }
    Ok(())
}

fn tell(
    findings: &mut Findings,
    file: &File<impl Fn() -> String>,
    location: LocationRef,
    wrong: Wrong,
) {
    let field = match wrong {
        Wrong::Undefined => {
            let text = "is not among the global definitions: left out";
            return findings.lose(file, format_args!("Location {location} {text}"));
        }
        Wrong::Name => "name",
        Wrong::Type => "type",
        Wrong::Group => "group",
    };
    let text = "contradicts its global definition, which counts, by its";
    findings.lose(file, format_args!("Location {location} {text} {field}: left out"));
}

/// The global definitions of locations.
struct Known<'a> {
    pool: &'a Pool,
    /// Those of the first archive, if anybody asks.
    first: Map<LocationRef, Key>,
    others: BTreeMap<u32, &'a Map<LocationRef, Key>>,
}

impl<'a> Known<'a> {
    fn new(pool: &'a Pool, files: &'a Files<'a>, asks_first: bool) -> Known<'a> {
        let global = files.first.filter(|_| asks_first).into_iter();
        let all = global.flat_map(|global| global.records.iter().zip(&global.keys));
        // The first one of each number counts.
        let mut first = Map::default();
        for (record, key) in all.filter(|(record, _)| record.own.is_none()) {
            if let Some(location) = location(&record.shell) {
                first.entry(location).or_insert(*key);
            }
        }
        let others = files.others.iter().map(|other| (other.input, &other.locations)).collect();
        Known { pool, first, others }
    }

    /// Returns the contradiction of a claim; `None`: there is none. `keys`: keys of global numbers.
    fn wrong(
        &self,
        claim: &Claim,
        keys: impl Fn(u32, ReferenceKind, u64) -> Option<Key>,
    ) -> Option<Wrong> {
        let input = claim.numbered.1;
        let locations = match input {
            0 => Some(&self.first),
            input => self.others.get(&input).copied(),
        };
        let key = locations.and_then(|locations| locations.get(&claim.location));
        let pooled = key.and_then(|key| self.pool.contents.get(key));
        let Some(content) = pooled.map(|pooled| &pooled.content) else {
            return Some(Wrong::Undefined);
        };
        let Definition::Location(global) = without_members(&content.shell) else {
            return Some(Wrong::Undefined);
        };
        let is_same = |to: Option<To>, kind: ReferenceKind, target: usize| match to {
            // A missing field contradicts nothing.
            None | Some(To::Nothing) => true,
            Some(To::Own(key)) => content.targets.get(target) == Some(&Target::Key(key)),
            Some(To::Global(number)) => {
                let key = keys(input, kind, number);
                key.is_none_or(|key| content.targets.get(target) == Some(&Target::Key(key)))
            }
        };
        let fields = [
            (Wrong::Name, is_same(Some(claim.name), ReferenceKind::String, 0)),
            (Wrong::Type, claim.location_type == u8::from(global.location_type)),
            (Wrong::Group, is_same(claim.group, ReferenceKind::LocationGroup, 1)),
        ];
        fields.into_iter().find(|(_, is_same)| !is_same).map(|(wrong, _)| wrong)
    }
}
