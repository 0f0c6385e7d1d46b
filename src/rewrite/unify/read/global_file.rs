//! The keys of global definitions, which have nothing around them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{ContentRef, Global, Key, Known, Record, Scope, Seed, Target};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::records::nobody;
use super::source::Source;
use crate::unify::findings::{File, Findings};
use crate::unify::same::known::ByNumber;
use crate::unify::same::places::{counted, location};
use crate::unify::same::pool::{Map, Pool};

/// Nothing is around global definitions.
struct Alone {
    seed: Seed,
    /// The run of which they are a part, where there are others: a number that nobody defines there means
    /// nothing of another one. Alone it stays as it is.
    run: Option<u32>,
    /// Keys of undefined references.
    nobody: RefCell<Nobody>,
}

/// The keys of what stands for numbers that nobody defines.
type Nobody = BTreeMap<(ReferenceKind, u64), Key>;

impl Alone {
    fn new(source: &impl Source, seed: Seed) -> Alone {
        Alone { seed, run: source.placed().run, nobody: RefCell::default() }
    }

    fn record(&self, kind: ReferenceKind, number: u64) -> Record {
        nobody(kind, number, self.run.map_or(0, |run| u64::from(run) + 1))
    }
}

impl Known for Alone {
    fn global(&self, _: ReferenceKind, _: u64) -> Global {
        Global::Undefined
    }

    fn has_others(&self) -> bool {
        false
    }

    fn undefined_references(&self, kind: ReferenceKind, number: u64) -> Target {
        if self.run.is_none() {
            return ByNumber.undefined_references(kind, number);
        }
        let key = || content(&self.record(kind, number)).key(self.seed);
        Target::Key(*self.nobody.borrow_mut().entry((kind, number)).or_insert_with(key))
    }
}

/// The content of a record that leads nowhere.
fn content(record: &Record) -> ContentRef<'_> {
    ContentRef { shell: &record.shell, targets: &[], nth: 0 }
}

/// The global definitions of the first archive, which have nothing around them. Rank 0 holds them.
#[derive(Debug, Default)]
pub(crate) struct GlobalFile {
    pub records: Vec<Record>,
    /// The keys of the records.
    pub keys: Vec<Key>,
    /// Records that say something else than the file does.
    pub rewritten: BTreeSet<usize>,
    /// Keys of undefined references, if there are other archives.
    pub nobody: Nobody,
    /// Findings about them.
    pub findings: Findings,
}

impl GlobalFile {
    /// Finds the keys, and takes the contents into a pool.
    pub(crate) fn resolve(&mut self, source: &impl Source, seed: Seed, pool: &mut Pool) {
        let taken = |place, _: u64| (0, place as u64);
        let resolved = resolve(source, &self.records, seed, pool, taken);
        (self.keys, self.nobody, self.findings) = resolved;
    }
}

/// Finds the keys of definitions that have nothing around them, and takes the contents into a pool.
/// `first`: where something was read, by its place and by how many came before it. Returns the keys, those
/// of what nobody defines, and what is wrong.
fn resolve(
    source: &impl Source,
    records: &[Record],
    seed: Seed,
    pool: &mut Pool,
    first: impl Fn(usize, u64) -> Appearance,
) -> (Vec<Key>, Nobody, Findings) {
    let mut sequence = 0;
    let scope = Scope::new(records);
    let around = Alone::new(source, seed);
    let resolved = scope.resolve(&around, |place, content| {
        let first = first(place, sequence);
        sequence += 1;
        let key = content.key(seed);
        pool.take(key, &records[place], content, first);
        key
    });
    let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
    let mut findings = Findings::default();
    findings.broken(&file, &resolved.broken, source.placed(), |place| &records[place]);
    findings.contradictions(&file, scope.contradictions(&resolved.keys));
    // Behind all that is defined.
    for ((kind, number), key) in around.nobody.borrow().iter() {
        let record = around.record(*kind, *number);
        pool.take(*key, &record, content(&record), first(records.len(), sequence));
        sequence += 1;
    }
    let known = |key: Option<Key>| key.expect("nothing waits for anything");
    let keys = resolved.keys.into_iter().map(known).collect();
    (keys, around.nobody.into_inner(), findings)
}

/// The places of those that stay, by their kind, as far as nobody has asked for them.
struct OfKinds {
    places: BTreeMap<ReferenceKind, Vec<usize>>,
    asked: BTreeMap<ReferenceKind, usize>,
}

impl OfKinds {
    fn new(file: &GlobalFile, stays: impl Fn(usize) -> bool) -> OfKinds {
        let mut places: BTreeMap<ReferenceKind, Vec<usize>> = BTreeMap::new();
        for (place, record) in file.records.iter().enumerate() {
            if let Some((kind, _)) = record.own.filter(|_| stays(place)) {
                places.entry(kind).or_default().push(place);
            }
        }
        OfKinds { places, asked: BTreeMap::new() }
    }

    /// Those of the same kind before this one for which nobody has asked yet, in their order.
    fn before(&mut self, place: usize, record: &Record) -> std::slice::Iter<'_, usize> {
        let of_kind = record.own.and_then(|(kind, _)| Some((kind, self.places.get(&kind)?)));
        let Some((kind, places)) = of_kind else { return [].iter() };
        let asked = self.asked.entry(kind).or_default();
        let behind = places.partition_point(|other| *other < place).max(*asked);
        let begin = std::mem::replace(asked, behind);
        places[begin..behind].iter()
    }
}

/// The global definitions of another archive: what their numbers stand for.
#[derive(Debug, Default)]
pub(crate) struct OtherFile {
    /// Number of the archive.
    pub input: u32,
    /// The keys of what has a number; of several with the same number that of the last one.
    pub keys: Map<(ReferenceKind, u64), Key>,
    /// Keys of undefined references.
    pub nobody: Nobody,
    /// Those of its locations.
    pub locations: Map<LocationRef, Key>,
    /// Findings about them.
    pub findings: Findings,
}

impl OtherFile {
    /// Finds the keys of the definitions that are the `ordinal`th thing that is read, and takes their contents
    /// into a pool.
    pub(crate) fn resolve(
        source: &impl Source,
        input: u32,
        ordinal: u64,
        records: Vec<Record>,
        seed: Seed,
        pool: &mut Pool,
    ) -> OtherFile {
        // Referenced definitions come first, and so are numbered and written first.
        let first = |_, sequence| (ordinal, sequence);
        let (keys, nobody, findings) = resolve(source, &records, seed, pool, first);
        let all = || records.iter().zip(&keys);
        let owned = all().filter_map(|(record, key)| Some((record.own?, *key))).collect();
        // Of several of one number the first one counts, as in the first archive.
        let mut locations = Map::default();
        for (record, key) in all() {
            if let Some(location) = location(&record.shell) {
                locations.entry(location).or_insert(*key);
            }
        }
        OtherFile { input, keys: owned, nobody, locations, findings }
    }
}

impl GlobalFile {
    /// The places of those that stay, each behind those that it leads to, and otherwise in the order of the
    /// file: with each place in the file what is written there. Before one that is needed earlier than it stands come the
    /// others of its kind that stand before it, so that numbers go up.
    pub(crate) fn order(&self, pool: &Pool) -> BTreeMap<usize, Vec<usize>> {
        let place = |key: &Key| match pool.contents[key].first {
            (0, place) => place as usize,
            _ => unreachable!("what is read first of all is read from the global file"),
        };
        let mut of_kinds = OfKinds::new(self, |at| place(&self.keys[at]) == at);
        let mut begun = vec![false; self.records.len()];
        let mut order: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (root, key) in self.keys.iter().enumerate() {
            if place(key) != root || begun[root] {
                continue;
            }
            // Without recursion, see `Scope::resolve`. A record that was not looked at yet has no next target.
            let mut path = vec![(root, None)];
            while let Some((at, next)) = path.last_mut() {
                let at = *at;
                if next.is_none() && std::mem::replace(&mut begun[at], true) {
                    path.pop();
                    continue;
                }
                let targets = &pool.contents[&self.keys[at]].content.targets;
                let next = next.get_or_insert(0);
                let Some(target) = targets.get(*next) else {
                    order.entry(root).or_default().push(at);
                    path.pop();
                    continue;
                };
                *next += 1;
                let Target::Key(key) = target else { continue };
                if pool.contents[key].is_nobody() || begun[place(key)] {
                    continue;
                }
                let other = place(key);
                path.push((other, None));
                let before = of_kinds.before(other, &self.records[other]);
                path.extend(before.rev().map(|before| (*before, None)));
            }
        }
        order
    }

    /// Appends records that stand in no global file.
    pub(crate) fn append(&mut self, records: Vec<Record>) {
        self.rewritten.extend(self.records.len()..self.records.len() + records.len());
        self.records.extend(records);
    }

    /// Puts others in the place of records.
    pub(crate) fn rewrite(&mut self, changed: Vec<(usize, Record)>) {
        for (place, record) in changed {
            self.records[place] = record;
            self.rewritten.insert(place);
        }
    }

    /// Puts the number of events that locations have into their definitions, where it is another one.
    pub(crate) fn count_events(&mut self, events: &BTreeMap<LocationRef, u64>, pool: &mut Pool) {
        if events.is_empty() {
            return;
        }
        for (place, key) in self.keys.iter().enumerate() {
            let content = &mut pool.contents.get_mut(key).expect("it was read").content;
            if let Some(shell) = counted(&content.shell, events) {
                content.shell = shell;
                self.rewritten.insert(place);
            }
        }
    }

    /// How many say once more what others say.
    pub(crate) fn doubled(&self, pool: &Pool) -> u64 {
        let firsts = self.keys.iter().enumerate();
        let doubled = firsts.filter(|(place, key)| pool.contents[*key].first != (0, *place as u64));
        doubled.count() as u64
    }

    /// Returns whether no two of them are the same, and all keep their numbers.
    pub(crate) fn is_one_set(&self, pool: &Pool, numbers: &Map<Key, u64>) -> bool {
        let as_read = self.rewritten.is_empty() && self.findings.references == 0;
        as_read
            && self.records.iter().zip(&self.keys).enumerate().all(|(place, (record, key))| {
                let is_first = pool.contents[key].first == (0, place as u64);
                is_first && record.own.is_none_or(|(_, number)| numbers.get(key) == Some(&number))
            })
    }
}

/// The global definitions that a rank has read, and who has read those of others.
pub(crate) struct Files<'a> {
    pub first: Option<&'a GlobalFile>,
    pub others: &'a [OtherFile],
    /// The rank that has read those of each archive.
    pub keepers: &'a [usize],
}

impl Files<'_> {
    /// Returns the keys of an archive's numbers, those of the first archive only if asked for.
    pub(crate) fn keys(
        &self,
        asks_first: bool,
    ) -> impl Fn(u32, ReferenceKind, u64) -> Option<Key> + '_ {
        let first = self.first.filter(|_| asks_first);
        let first = first.map(|global| (Scope::new(&global.records), &global.keys));
        let others: Map<u32, &OtherFile> =
            self.others.iter().map(|other| (other.input, other)).collect();
        move |input, kind, number| match (input, &first) {
            (0, Some((scope, keys))) => scope.last(kind, number).map(|place| keys[place]),
            _ => others.get(&input)?.keys.get(&(kind, number)).copied(),
        }
    }
}
