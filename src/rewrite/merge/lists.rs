//! Lists of locations with ranks, and how the lists of several archives are joined.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bstr::BString;
use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::members::{stretches, Places, Stretch, Union};
use streamfold_model::definitions::Definition;
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::ids::{GroupRef, LocationRef, StringRef};

use crate::unify::{Input, JoinedList, JoinedLists, Ranks, Renamed};
use streamfold_otf2::{Archive, FileKind};

/// Locations with ranks of a paradigm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct List {
    members: Vec<Stretch>,
    /// All lists of the archive as one, where files of locations have others than this one, which is the first.
    joined: Option<Vec<Stretch>>,
    /// The name of their group.
    name: BString,
    /// Its number, and the location that defines it; undefined: it is global.
    group: GroupRef,
    location: LocationRef,
    is_global: bool,
}

/// Finds the first list of each paradigm in a file of definitions, which is that of a location or the global
/// one.
pub(super) struct Lists {
    location: LocationRef,
    found: BTreeMap<Paradigm, (GroupRef, Vec<Stretch>, StringRef)>,
    strings: BTreeMap<StringRef, BString>,
}

impl Lists {
    pub(super) fn of(location: LocationRef) -> Lists {
        Lists { location, found: BTreeMap::new(), strings: BTreeMap::new() }
    }

    /// The strings so far.
    pub(super) fn strings(&self) -> &BTreeMap<StringRef, BString> {
        &self.strings
    }

    pub(super) fn take(&mut self, definition: Definition) {
        match definition {
            Definition::Group(group) if group.group_type == GroupType::CommLocations => {
                let list = || (group.id, stretches(group.members), group.name);
                self.found.entry(group.paradigm).or_insert_with(list);
            }
            Definition::StringDef(string) => drop(self.strings.insert(string.id, string.string)),
            _ => {}
        }
    }

    pub(super) fn end(self) -> BTreeMap<Paradigm, List> {
        let Lists { location, found, strings } = self;
        let named = |(paradigm, (group, members, name))| {
            let name = strings.get(&name).cloned().unwrap_or_default();
            let is_global = location == LocationRef::UNDEFINED;
            (paradigm, List { members, joined: None, name, group, location, is_global })
        };
        found.into_iter().map(named).collect()
    }
}

/// Adds the lists of local definitions to those of global ones: the first one of each paradigm, and all as one if they
/// differ. Files that cannot be read are reported when all is read.
pub(super) fn add_lists_of_locations(
    archive: &Archive,
    locations: &[LocationRef],
    all: &mut BTreeMap<Paradigm, List>,
) {
    let mut joined: BTreeMap<Paradigm, Union> = BTreeMap::new();
    'locations: for location in locations {
        let Ok(Some(mut reader)) = archive.local_definitions(*location) else { continue };
        let mut lists = Lists::of(*location);
        while let Ok(Some(definition)) = reader.next() {
            match definition {
                // A file with mapping tables is unified, and so are all.
                Ok(Definition::MappingTable(_)) => break 'locations,
                Ok(definition) => lists.take(definition),
                Err(_unknown) => {}
            }
        }
        for (paradigm, list) in lists.end() {
            let first = all.entry(paradigm).or_insert_with(|| list.clone());
            if first.members != list.members {
                let union =
                    joined.entry(paradigm).or_insert_with(|| Union::new(first.members.clone()));
                union.add(&list.members);
            }
        }
    }
    for (paradigm, union) in joined {
        all.entry(paradigm).and_modify(|first| first.joined = Some(union.end()));
    }
}

/// Ranks of an archive in the result, and the joined lists if its own lists differ.
pub(super) type RanksOfArchive = (BTreeMap<Paradigm, Ranks>, JoinedLists);

/// Returns the new ranks: the lists of all runs behind each other, each list once. Also returns contradictions between
/// lists.
pub(super) fn ranks_of(
    all: &[&OwnLists],
    runs: &[u32],
    renamed: &[Option<Arc<Renamed>>],
) -> (Vec<RanksOfArchive>, Vec<Contradiction>) {
    let all = lists_of_runs(all, runs);
    let parts = parts(&all, runs);
    let mut joined = Joined::default();
    for (input, ((own, run), renamed)) in all.iter().zip(runs).zip(renamed).enumerate() {
        for (paradigm, list) in own {
            let whole = parts.get(&(*run, *paradigm, list.members.clone()));
            joined.take((input, *run), *paradigm, (list, whole), renamed.as_deref());
        }
    }
    let contradictions = std::mem::take(&mut joined.contradictions);
    let lists: BTreeMap<Paradigm, (Arc<Vec<Stretch>>, BString)> = joined
        .lists
        .into_iter()
        .map(|(paradigm, (members, name))| (paradigm, (Arc::new(stretches(members)), name)))
        .collect();
    let of = |run: u32, own: &OwnLists, paradigm: Paradigm| -> Option<Ranks> {
        // An archive without a list has the ranks of another part of its run.
        let first = joined.first.get(&(run, paradigm))?;
        let list = own.get(&paradigm).unwrap_or(first);
        let shift = joined.begins[&(run, paradigm, list.members.clone())];
        let (all, name) = lists[&paradigm].clone();
        let name = (name != list.name).then_some(name);
        Some(Ranks { own: list.members.clone(), all, shift, name })
    };
    let ranks = |((own, run), renamed): ((&OwnLists, &u32), &Option<Arc<Renamed>>)| {
        let ranks = lists.keys();
        let ranks = ranks.filter_map(|paradigm| Some((*paradigm, of(*run, own, *paradigm)?)));
        let ranks: BTreeMap<Paradigm, Ranks> = ranks.collect();
        let joined = own.iter().filter_map(|(paradigm, list)| {
            list.joined.as_ref()?;
            let whole = &parts[&(*run, *paradigm, list.members.clone())];
            let (all, name) = lists[paradigm].clone();
            let shift = ranks[paradigm].shift;
            let own = whole.iter().flat_map(|stretch| stretch.members());
            let own = own.map(|location| number(location, renamed.as_deref()));
            let joined = JoinedList {
                first: list.members.iter().map(|stretch| stretch.count).sum(),
                is_global: list.is_global,
                own: Places::new(stretches(own)),
                all,
                shift,
                name: Some(name),
            };
            Some((*paradigm, joined))
        });
        let joined = JoinedLists::new(joined);
        (ranks, joined)
    };
    (all.iter().zip(runs).zip(renamed).map(ranks).collect(), contradictions)
}

/// The first lists of an archive.
pub(super) type OwnLists = BTreeMap<Paradigm, List>;

/// Returns the lists of each archive. If no part of a run has a global one, those of all of its locations count as if
/// they were in one archive.
fn lists_of_runs(all: &[&OwnLists], runs: &[u32]) -> Vec<OwnLists> {
    let mut of_runs: BTreeMap<(u32, Paradigm), List> = BTreeMap::new();
    for (own, run) in all.iter().zip(runs) {
        for (paradigm, list) in *own {
            let first = of_runs.entry((*run, *paradigm)).or_insert_with(|| list.clone());
            first.is_global |= list.is_global;
            if !first.is_global && (first.members != list.members || list.joined.is_some()) {
                let known = first.joined.as_ref().unwrap_or(&first.members);
                let mut union = Union::new(known.clone());
                union.add(list.joined.as_ref().unwrap_or(&list.members));
                first.joined = Some(union.end());
            }
        }
    }
    let own = |(own, run): (&&OwnLists, &u32)| {
        let lists = own.iter().map(|(paradigm, list)| {
            let of_run = &of_runs[&(*run, *paradigm)];
            let is_own = of_run.is_global || of_run.joined.is_none();
            (*paradigm, if is_own { list.clone() } else { of_run.clone() })
        });
        lists.collect()
    };
    all.iter().zip(runs).map(own).collect()
}

/// Lists of parts of one run that begin with the same one.
type Parts = BTreeMap<(u32, Paradigm, Vec<Stretch>), Vec<Stretch>>;

/// All lists of parts that begin with the same one as one, where there are others.
fn parts(all: &[OwnLists], runs: &[u32]) -> Parts {
    let mut parts: BTreeMap<_, Union> = BTreeMap::new();
    for (own, run) in all.iter().zip(runs) {
        for (paradigm, list) in own {
            let Some(joined) = &list.joined else { continue };
            let part = parts.entry((*run, *paradigm, list.members.clone()));
            part.or_insert_with(|| Union::new(list.members.clone())).add(joined);
        }
    }
    parts.into_iter().map(|(part, union)| (part, union.end())).collect()
}

/// The number that a location gets.
fn number(location: u64, renamed: Option<&Renamed>) -> u64 {
    renamed.map_or(location, |renamed| renamed.number(location))
}

/// Lists of two parts of one run that have a location in common, and are not the same.
pub(super) struct Contradiction {
    paradigm: Paradigm,
    /// The archives.
    inputs: [usize; 2],
    both: LocationRef,
}

impl Contradiction {
    /// Returns the text about the later one.
    pub(super) fn text(&self, inputs: &[Input], all: &[&OwnLists]) -> String {
        let [(one, _), (other, number)] = self.inputs.map(|input| {
            let List { group, location, .. } = all[input][&self.paradigm];
            let kind = match location {
                LocationRef::UNDEFINED => FileKind::GlobalDefinitions,
                location => FileKind::LocalDefinitions(location),
            };
            (inputs[input].archive.path(kind).display().to_string(), group)
        });
        let text = "a part of the same run, which lists others beside it: both stay";
        format!(
            "{other}: Group {number} lists location {}, as does that of {one}, {text}",
            self.both
        )
    }
}

/// Lists of locations with ranks, behind each other.
#[derive(Default)]
struct Joined {
    /// All, with the name of the first one.
    lists: BTreeMap<Paradigm, (Vec<u64>, BString)>,
    /// First rank of each list.
    begins: BTreeMap<(u32, Paradigm, Vec<Stretch>), u64>,
    /// The first one of each run.
    first: BTreeMap<(u32, Paradigm), List>,
    /// First archive of a run that lists a location.
    listed: HashMap<(u32, Paradigm, u64), usize>,
    contradictions: Vec<Contradiction>,
}

impl Joined {
    fn take(
        &mut self,
        (input, run): (usize, u32),
        paradigm: Paradigm,
        (list, whole): (&List, Option<&Vec<Stretch>>),
        renamed: Option<&Renamed>,
    ) {
        let List { members, name, .. } = list;
        self.first.entry((run, paradigm)).or_insert_with(|| list.clone());
        let (all, _) = self.lists.entry(paradigm).or_insert_with(|| (Vec::new(), name.clone()));
        let Entry::Vacant(place) = self.begins.entry((run, paradigm, members.to_vec())) else {
            return;
        };
        place.insert(all.len() as u64);
        let mut other = None;
        for location in whole.unwrap_or(members).iter().flat_map(|stretch| stretch.members()) {
            all.push(number(location, renamed));
            let first = *self.listed.entry((run, paradigm, location)).or_insert(input);
            if first != input && location != LocationRef::UNDEFINED.0 {
                other.get_or_insert((first, LocationRef(location)));
            }
        }
        if let Some((first, both)) = other {
            let inputs = [first, input];
            self.contradictions.push(Contradiction { paradigm, inputs, both });
        }
    }
}
