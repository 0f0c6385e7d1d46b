//! Locations whose definitions lead to what they do not define themselves.

use std::collections::BTreeMap;

use streamfold_kernels::unify::incomplete::{class, sides, Appearance, Sure};
use streamfold_kernels::unify::{
    AllBroken, Awaited, Broken, CommRefs, Content, ContentRef, Global, Key, Made, Record, Ref,
    Resolved, Scope, Seed, Target, Waiting,
};
use streamfold_model::references::ReferenceKind;

use super::known::Globals;
use super::pool::{Map, Pool};
use crate::unify::comms::sequences::InOrder;
use crate::unify::read::inputs::Numbered;

/// Surroundings of a location's definitions that wait.
pub(crate) struct Around<'a> {
    /// By which keys are made.
    pub seed: Seed,
    /// Facts about the global definitions of its archive.
    pub globals: &'a Globals,
    /// Pool that gets the contents.
    pub pool: &'a mut Pool,
}

/// A location some of whose definitions have no key yet.
#[derive(Debug)]
pub(crate) struct WaitingLocation {
    pub numbered: Numbered,
    records: Map<usize, WaitingRecord>,
    /// The places of those without a key, each after those that it leads to.
    order: Vec<usize>,
    /// The keys of those that waited, by their places.
    pub keys: Map<usize, Key>,
    made: Made,
    /// The communicators that it knows whole, and those of others that it means.
    whole: Vec<InOrder>,
    /// How many contents it has, which says which one the next is.
    sequence: u64,
}

#[derive(Debug)]
struct WaitingRecord {
    record: Record,
    awaited: Vec<Awaited>,
    /// Communicators above it.
    depth: usize,
}

/// Communicators without a group at one location, that have all but the group in common.
#[derive(Debug)]
pub(crate) struct Incomplete {
    pub class: Key,
    /// The class without any group.
    pub common: Key,
    /// Of those between two groups, of which one is known here: this one.
    pub side: Option<Side>,
    /// Their places, in their order.
    pub places: Vec<usize>,
}

/// The group that a location knows of a communicator between two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub group: Key,
    /// True if it is the second one.
    pub is_second: bool,
}

/// Choice for communicators without a group.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub sure: Sure,
    /// The place of the first of them.
    pub first: usize,
    /// Those that may be others as well.
    pub guessed: u64,
    /// The places of those of which nobody knows who is in them.
    pub unknown: Vec<usize>,
    /// True if the location has others of the same class, for which these may be taken.
    pub is_one_of_several: bool,
    /// True if they are intercommunicators.
    pub is_between: bool,
}

impl WaitingLocation {
    /// Returns the definitions of a location that wait.
    pub(crate) fn new(
        numbered: Numbered,
        scope: &Scope<'_>,
        resolved: Resolved,
        whole: Vec<InOrder>,
    ) -> WaitingLocation {
        let Resolved { waiting, made, .. } = resolved;
        let order = waiting.iter().map(|waiting| waiting.place).collect();
        // Behind all that did not wait.
        let sequence = scope.records().len() as u64;
        let depths = scope.depths();
        let waits = |Waiting { place, awaited }| {
            let record = scope.records()[place].clone();
            (place, WaitingRecord { record, awaited, depth: depths[place] })
        };
        let records = waiting.into_iter().map(waits).collect();
        WaitingLocation { numbered, records, order, keys: Map::default(), made, whole, sequence }
    }

    /// The communicators that it, or others, know whole.
    pub(crate) fn comms(&self) -> &[InOrder] {
        &self.whole
    }

    /// Returns whether it has communicators without a group.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.records.values().any(|waiting| waiting.record.is_incomplete())
    }

    /// Numbers that it does not define and of which nobody has asked.
    pub(crate) fn asks(&self) -> impl Iterator<Item = (ReferenceKind, u64)> + '_ {
        self.records.values().flat_map(|waiting| &waiting.awaited).filter_map(|awaited| {
            match awaited {
                Awaited::Ask(kind, number) => Some((*kind, *number)),
                _ => None,
            }
        })
    }

    /// Communicators whose group nobody defines are such without a group: others may know it. Returns their places,
    /// ascending, and the numbers of those groups.
    pub(crate) fn forget_groups(&mut self, globals: &Globals) -> Vec<(usize, u64)> {
        let mut found = Vec::new();
        for (place, waiting) in &mut self.records {
            let groups = waiting.record.comm.into_iter().flat_map(|comm| comm.groups());
            for group in groups {
                let Some(Awaited::Ask(kind, number)) = waiting.awaited.get(group).copied() else {
                    continue;
                };
                if globals.get(&(kind, number)) == Some(&Global::Undefined) {
                    waiting.awaited[group] = Awaited::Target(Target::Undefined);
                    waiting.record.says_mut().refs[group] = Ref::Undefined;
                    found.push((*place, number));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// A record that waits, by its place.
    pub(crate) fn record(&self, place: usize) -> &Record {
        &self.records[&place].record
    }

    /// Returns the undefined references.
    pub(crate) fn undefined_references(&self, globals: &Globals) -> AllBroken {
        let mut all = AllBroken::default();
        for &place in &self.order {
            let waiting = &self.records[&place];
            let own = waiting.record.refs.len() - waiting.record.added;
            for (reference, awaited) in waiting.awaited.iter().enumerate().take(own) {
                let Awaited::Ask(kind, number) = awaited else { continue };
                if globals.get(&(*kind, *number)) == Some(&Global::Undefined) {
                    all.push(Broken { place, reference, in_circle: false });
                }
            }
        }
        all
    }

    /// Finds the keys of what can be known by now.
    pub(crate) fn settle(&mut self, around: &mut Around<'_>) {
        let order = std::mem::take(&mut self.order);
        for &place in &order {
            self.settle_one(place, around);
        }
        self.order = order;
        // Nobody looks at those again that are known.
        self.order.retain(|place| !self.keys.contains_key(place));
    }

    fn settle_one(&mut self, place: usize, around: &mut Around<'_>) {
        let waiting = &self.records[&place];
        if self.keys.contains_key(&place) || waiting.record.waits() {
            return;
        }
        if let Some(content) = waiting.content(&self.keys, around.globals) {
            self.give(place, content, around);
        }
    }

    /// Gives a content of its own to a record.
    pub(crate) fn give(
        &mut self,
        place: usize,
        content: Content,
        Around { seed, pool, .. }: &mut Around<'_>,
    ) {
        let record = &self.records[&place].record;
        let nth = if record.made { self.made.count(content.borrowed()) } else { 0 };
        let content = ContentRef { nth, ..content.borrowed() };
        let key = content.key(*seed);
        if let Some(comm) = record.comm.filter(|comm| comm.is_whole(content.targets)) {
            self.whole.extend(InOrder::all(content, comm, *seed, (place, key)));
        }
        let first: Appearance = (self.numbered.ordinal, self.sequence);
        self.sequence += 1;
        pool.take(key, record, content, first);
        self.keys.insert(place, key);
    }

    /// Communicators without a group of which all else is known, with so many others above them, by
    /// their classes.
    pub(crate) fn incomplete(
        &self,
        seed: Seed,
        globals: &Globals,
        depth: usize,
    ) -> Vec<Incomplete> {
        let mut found: Vec<Incomplete> = Vec::new();
        let mut places: Map<Key, usize> = Map::default();
        let ready = self.ready(globals);
        let ready = ready.filter(|(place, _)| self.records[place].record.is_incomplete());
        let mut ready: Vec<_> =
            ready.filter(|(place, _)| self.records[place].depth == depth).collect();
        // As they stand in the file, not as they lead to each other.
        ready.sort_unstable_by_key(|(place, _)| *place);
        for (place, content) in ready {
            let comm = self.records[&place].record.comm.expect("only communicators are incomplete");
            let content = content.borrowed();
            let common = class(content, comm, seed);
            let class = sides(content, comm, seed).next().unwrap_or(common);
            let same = *places.entry(class).or_insert(found.len());
            match found.get_mut(same) {
                Some(same) => same.places.push(place),
                None => {
                    let side = side(&content, comm);
                    found.push(Incomplete { class, common, side, places: vec![place] });
                }
            }
        }
        // A choice with one known group leaves fewer candidates for those without any.
        found.sort_by_key(|incomplete| incomplete.side.is_none());
        found
    }

    /// Communicators between two groups, both of which are known, with so many others above them, that have no keys
    /// yet: their places, as they stand in the file.
    pub(crate) fn between(&self, globals: &Globals, depth: usize) -> Vec<(usize, Content)> {
        let ready = self.ready(globals).filter(|(place, _)| {
            let waiting = &self.records[place];
            waiting.depth == depth && !waiting.record.is_incomplete()
        });
        let mut ready: Vec<(usize, Content)> = ready.collect();
        ready.sort_unstable_by_key(|(place, _)| *place);
        ready
    }

    /// Returns whether any intercommunicator waits.
    pub(crate) fn has_between(&self) -> bool {
        let mut open = self.order.iter().filter(|place| !self.keys.contains_key(*place));
        open.any(|place| self.records[place].record.is_between())
    }

    /// Returns the roles of the references of a communicator that waits, by its place.
    pub(crate) fn refs(&self, place: usize) -> CommRefs {
        self.records[&place].record.comm.expect("it is a communicator")
    }

    /// The content of a record that waits, by its place, where all that it leads to is known.
    pub(crate) fn content(&self, place: usize, globals: &Globals) -> Option<Content> {
        self.records[&place].content(&self.keys, globals)
    }

    fn ready<'s>(&'s self, globals: &'s Globals) -> impl Iterator<Item = (usize, Content)> + 's {
        let open = self.order.iter().map(|place| (*place, &self.records[place]));
        let open = open
            .filter(|(place, waiting)| waiting.record.waits() && !self.keys.contains_key(place));
        open.filter_map(|(place, waiting)| Some((place, waiting.content(&self.keys, globals)?)))
    }

    /// How many communicators there are above the one without a group, or between two, that has the fewest; `None`:
    /// there is none.
    pub(crate) fn least_depth(&self, globals: &Globals) -> Option<usize> {
        self.ready(globals).map(|(place, _)| self.records[&place].depth).min()
    }

    /// All communicators of a class that it has, in the order of its file: `None` where it is not known which.
    pub(crate) fn list(&self, Incomplete { class, places, .. }: &Incomplete) -> Vec<Option<Key>> {
        let own = self.whole.iter().filter(|comm| comm.class == *class);
        let mut list: BTreeMap<usize, Option<Key>> =
            own.map(|comm| (comm.place, Some(comm.key))).collect();
        list.extend(places.iter().map(|place| (*place, None)));
        list.into_values().collect()
    }

    /// Says which communicators are meant by those of a class, as the kernel has found: `None` where nobody knows.
    pub(crate) fn choose(
        &mut self,
        Incomplete { class, common, side, places }: &Incomplete,
        meant: Vec<Option<Key>>,
        sure: Sure,
        around: &mut Around<'_>,
    ) -> Chosen {
        let is_one_of_several = self.whole.iter().any(|comm| comm.class == *common);
        let first = places[0];
        let is_between = self.records[&first].record.is_between();
        let unknown = Vec::new();
        let mut chosen = Chosen { sure, first, guessed: 0, unknown, is_one_of_several, is_between };
        for (&place, key) in places.iter().zip(meant) {
            match key {
                Some(key) => {
                    chosen.guessed += u64::from(sure > Sure::Certain);
                    chosen.is_one_of_several = true;
                    self.keys.insert(place, key);
                    let of_side = side.map(|_| (*class, true));
                    let classes = std::iter::once((*common, false)).chain(of_side);
                    let whole =
                        classes.map(|(class, is_side)| InOrder { class, place, key, is_side });
                    self.whole.extend(whole);
                }
                // Nobody knows: it is one of its own, without a group.
                None => {
                    chosen.unknown.push(place);
                    if let Some(content) = self.records[&place].content(&self.keys, around.globals)
                    {
                        self.give(place, content, around);
                    }
                }
            }
        }
        chosen
    }

    /// Forgets all but the keys, once all are known.
    pub(crate) fn end(&mut self) {
        self.records = Map::default();
        self.order = Vec::new();
        self.made = Made::default();
        self.whole = Vec::new();
        self.keys.shrink_to_fit();
    }

    /// Gives up what nobody looked for, so that all have keys: what it leads to leads nowhere, if that is
    /// not known. Returns their places.
    pub(crate) fn give_up(&mut self, around: &mut Around<'_>) -> Vec<usize> {
        let is_open = |place: &usize| !self.keys.contains_key(place);
        let open: Vec<usize> = self.order.iter().copied().filter(is_open).collect();
        for &place in &open {
            let targets = self.records[&place].awaited.iter().map(|awaited| match awaited {
                Awaited::Target(target) => *target,
                Awaited::Place(other) => {
                    self.keys.get(other).map_or(Target::Undefined, |key| Target::Key(*key))
                }
                Awaited::Ask(..) => Target::Undefined,
            });
            let content = self.records[&place].content_of(targets.collect());
            self.give(place, content, around);
        }
        open
    }
}

/// The only group that is known of a communicator between two.
fn side(content: &ContentRef<'_>, comm: CommRefs) -> Option<Side> {
    let mut known = comm.keys(content.targets).zip([false, true]).filter(|_| comm.is_between());
    known.find_map(|(group, is_second)| Some(Side { group: group?, is_second }))
}

impl WaitingRecord {
    /// Its content, where all that it leads to is known.
    fn content(&self, keys: &Map<usize, Key>, globals: &Globals) -> Option<Content> {
        let target = |awaited: &Awaited| match awaited {
            Awaited::Target(target) => Some(*target),
            Awaited::Place(place) => keys.get(place).map(|key| Target::Key(*key)),
            Awaited::Ask(kind, number) => match globals.get(&(*kind, *number))? {
                Global::Key(key) => Some(Target::Key(*key)),
                Global::Undefined => Some(Target::Undefined),
                Global::Unasked => None,
            },
        };
        Some(self.content_of(self.awaited.iter().map(target).collect::<Option<_>>()?))
    }

    /// Its content, where its fields lead to these.
    fn content_of(&self, mut targets: Vec<Target>) -> Content {
        self.record.once(&mut targets);
        Content { shell: self.record.shell[..].into(), targets: targets.into(), nth: 0 }
    }
}
