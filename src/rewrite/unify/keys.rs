//! The keys of all that is defined: every rank reads its share, and asks the others for what its own
//! files do not say.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::{class, Appearance, Candidate};
use streamfold_kernels::unify::members::{place, Stretch};
use streamfold_kernels::unify::{Content, Global, Key, Known, Record, Scope, Seed, Target};
use streamfold_model::enums::GroupType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::inputs::Numbered;
use super::local::LocalFile;
use super::pool::{Map, Pool, Pooled};
use super::records::{counted, location, members, GroupMembers};
use super::source::Source;
use super::waiting::{Incomplete, WaitingLocation};
use super::Counts;
use crate::collective::{Communicator, Error};
use crate::drive::{on_workers, Losses, Queue};

/// Nothing is known from outside so far.
pub(super) struct Nothing;

impl Known for Nothing {
    fn global(&self, _: ReferenceKind, _: u64) -> Global {
        Global::Unasked
    }

    fn waited(&self, _: usize) -> Option<Key> {
        None
    }
}

/// Nothing is around global definitions. What leads nowhere may keep its number.
struct Alone {
    keeps_numbers: bool,
}

impl Known for Alone {
    fn global(&self, _: ReferenceKind, _: u64) -> Global {
        Global::Nowhere
    }

    fn waited(&self, _: usize) -> Option<Key> {
        None
    }

    fn nowhere(&self, number: u64) -> Target {
        match self.keeps_numbers {
            true => Target::Nowhere(number),
            false => Target::Undefined,
        }
    }
}

/// The global definitions of the first archive, which have nothing around them. Rank 0 holds them.
#[derive(Debug, Default)]
pub(super) struct GlobalFile {
    pub records: Vec<Record>,
    /// The keys of the records.
    pub keys: Vec<Key>,
    /// Records that say something else than the file does.
    pub rewritten: BTreeSet<usize>,
    /// References that lead in a circle, or to what nobody defines.
    pub circles: u64,
}

impl GlobalFile {
    /// Finds the keys, and takes the contents into a pool.
    pub fn resolve(&mut self, seed: Seed, pool: &mut Pool) {
        let taken = |place, _: u64| (0, place as u64);
        (self.keys, self.circles) =
            resolve(&mut self.records, &Alone { keeps_numbers: true }, seed, pool, taken);
    }
}

/// Finds the keys of definitions that have nothing around them, and takes the contents into a pool.
/// `first`: where something was read, by its place and by how many came before it. Returns the keys, and how
/// many references lead in a circle.
fn resolve(
    records: &mut [Record],
    around: &impl Known,
    seed: Seed,
    pool: &mut Pool,
    first: impl Fn(usize, u64) -> Appearance,
) -> (Vec<Key>, u64) {
    // One whose group nobody knows is what it is.
    for record in records.iter_mut().filter(|record| record.is_incomplete()) {
        record.comm = None;
    }
    let mut sequence = 0;
    let resolved = Scope::new(records).resolve(seed, around, |place, key, content| {
        pool.take(key, pooled(&records[place], content, first(place, sequence)));
        sequence += 1;
    });
    let known = |key: Option<Key>| key.expect("nothing waits for anything");
    (resolved.keys.into_iter().map(known).collect(), resolved.circles)
}

/// The global definitions of another archive: what their numbers stand for.
#[derive(Debug, Default)]
pub(super) struct OtherFile {
    /// Which archive it is.
    pub input: u32,
    /// The keys of what has a number; of several with the same number that of the last one.
    pub keys: Map<(ReferenceKind, u64), Key>,
    /// Those of its locations.
    pub locations: Map<LocationRef, Key>,
    /// References that lead in a circle, or to what nobody defines.
    pub circles: u64,
}

impl OtherFile {
    /// Finds the keys of the definitions that are the `ordinal`th thing that is read, and takes their contents
    /// into a pool.
    pub fn resolve(
        input: u32,
        ordinal: u64,
        mut records: Vec<Record>,
        seed: Seed,
        pool: &mut Pool,
    ) -> OtherFile {
        // What is led to comes first, and so is numbered and written first.
        let first = |_, sequence| (ordinal, sequence);
        let (keys, circles) =
            resolve(&mut records, &Alone { keeps_numbers: false }, seed, pool, first);
        let all = || records.iter().zip(&keys);
        let owned = all().filter_map(|(record, key)| Some((record.own?, *key))).collect();
        let locations = all().filter_map(|(record, key)| Some((location(&record.shell)?, *key)));
        OtherFile { input, keys: owned, locations: locations.collect(), circles }
    }
}

impl GlobalFile {
    /// The places of those that stay, each behind those that it leads to, and otherwise in the order of the
    /// file: with each place in the file what is written there.
    pub fn order(&self, pool: &Pool) -> BTreeMap<usize, Vec<usize>> {
        let place = |key: &Key| match pool.contents[key].first {
            (0, place) => place as usize,
            _ => unreachable!("what is read first of all is read from the global file"),
        };
        let mut begun = vec![false; self.records.len()];
        let mut order: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (root, key) in self.keys.iter().enumerate() {
            if place(key) != root || begun[root] {
                continue;
            }
            // Not by recursion, see `Scope::resolve`.
            let mut path = vec![(root, 0)];
            begun[root] = true;
            while let Some((at, next)) = path.last_mut() {
                let targets = &pool.contents[&self.keys[*at]].content.targets;
                let Some(target) = targets.get(*next) else {
                    order.entry(root).or_default().push(*at);
                    path.pop();
                    continue;
                };
                *next += 1;
                if let Target::Key(key) = target {
                    let other = place(key);
                    if !std::mem::replace(&mut begun[other], true) {
                        path.push((other, 0));
                    }
                }
            }
        }
        order
    }

    /// Puts the number of events that locations have into their definitions, where it is another one.
    pub fn count_events(&mut self, events: &BTreeMap<LocationRef, u64>, pool: &mut Pool) {
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
    pub fn doubled(&self, pool: &Pool) -> u64 {
        let firsts = self.keys.iter().enumerate();
        let doubled = firsts.filter(|(place, key)| pool.contents[key].first != (0, *place as u64));
        doubled.count() as u64
    }

    /// Whether none of them says what another one says, and all have their numbers still.
    pub fn is_one_set(&self, pool: &Pool, numbers: &Map<Key, u64>) -> bool {
        let as_read = self.rewritten.is_empty() && self.circles == 0;
        as_read
            && self.records.iter().zip(&self.keys).enumerate().all(|(place, (record, key))| {
                let is_first = pool.contents[key].first == (0, place as u64);
                is_first && record.own.is_none_or(|(_, number)| numbers.get(key) == Some(&number))
            })
    }
}

fn pooled(record: &Record, content: Content, first: Appearance) -> Pooled {
    let kind = record.own.map(|(kind, _)| kind);
    Pooled { content, kind, comm: record.comm, first }
}

/// What a rank has read of its locations.
#[derive(Debug, Default)]
pub(super) struct Share {
    pub pool: Pool,
    pub waiting: Vec<WaitingLocation>,
    pub counts: Counts,
    pub losses: Losses,
    /// Locations with mapping tables, and with definitions that nobody has unified.
    pub mapped: u64,
    pub ununified: u64,
    /// References that lead in a circle, or to what nobody defines.
    pub circles: u64,
    /// Who is in the global groups to which definitions of locations lead.
    groups: Map<Key, CommMembers>,
}

/// What is known of the global definitions of an archive, by their numbers.
pub(super) type Globals = Map<(ReferenceKind, u64), Global>;

/// The same of all archives.
#[derive(Debug, Default)]
pub(super) struct AllGlobals {
    by_input: Map<u32, Globals>,
    none: Globals,
}

impl AllGlobals {
    /// Of one archive.
    pub fn of(&self, input: u32) -> &Globals {
        self.by_input.get(&input).unwrap_or(&self.none)
    }
}

/// The global definitions that a rank has read, and who has read those of others.
pub(super) struct Files<'a> {
    pub first: Option<&'a GlobalFile>,
    pub others: &'a [OtherFile],
    /// Which rank has read those of which archive.
    pub keepers: &'a [usize],
}

impl Files<'_> {
    /// What numbers of an archive stand for.
    fn keys(&self, input: u32) -> impl Fn(ReferenceKind, u64) -> Option<Key> + '_ {
        let scope = self.first.filter(|_| input == 0);
        let scope = scope.map(|global| (Scope::new(&global.records), &global.keys));
        let other = self.others.iter().find(|other| other.input == input);
        move |kind, number| match &scope {
            Some((scope, keys)) => scope.last(kind, number).map(|place| keys[place]),
            None => other?.keys.get(&(kind, number)).copied(),
        }
    }
}

/// The paradigm of a group of ranks, as a number, and who is in it.
type CommMembers = (u8, Vec<Stretch>);

impl Share {
    fn fold(mut self, other: Share) -> Share {
        self.pool = self.pool.fold(other.pool);
        self.waiting.extend(other.waiting);
        self.counts.add(&other.counts);
        self.losses.fold(other.losses);
        self.mapped += other.mapped;
        self.ununified += other.ununified;
        self.circles += other.circles;
        self
    }

    /// Reads the definitions of locations, with all threads.
    pub fn read(
        sources: &[impl Source],
        locations: &[Numbered],
        workers: NonZeroUsize,
        seed: Seed,
    ) -> Share {
        let work = |queue: &Queue<'_, Numbered>| {
            let mut share = Share::default();
            while let Some(numbered) = queue.take() {
                match LocalFile::read(&sources[numbered.input as usize], numbered.location) {
                    Ok(file) => share.take(numbered, &file, seed),
                    Err(error) => share.losses.push(numbered.now, error.to_string()),
                }
            }
            share
        };
        on_workers(locations, workers, work, Share::fold)
    }

    fn take(&mut self, numbered: Numbered, file: &LocalFile, seed: Seed) {
        self.counts.add(&file.counts);
        self.mapped += u64::from(!file.tables.is_empty());
        let records = file.ununified();
        self.ununified += u64::from(!records.is_empty());
        let scope = Scope::new(records);
        let (mut whole, mut sequence) = (Vec::new(), 0);
        let resolved = scope.resolve(seed, &Nothing, |place, key, content| {
            let record = &records[place];
            if let Some(comm) = record.comm {
                whole.push((class(&content, comm.group, seed), key));
            }
            // What is led to comes first, and so is numbered and written first.
            self.pool.take(key, pooled(record, content, (numbered.ordinal, sequence)));
            sequence += 1;
        });
        self.circles += resolved.circles + file.beyond;
        let waiting = WaitingLocation::new(numbered, &scope, resolved, whole);
        self.waiting.extend(waiting);
    }

    /// Finds the keys of all that waits. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub fn settle(
        &mut self,
        ranks: &dyn Communicator,
        files: &Files<'_>,
        seed: Seed,
    ) -> Result<AllGlobals, Error> {
        let (globals, groups) = self.ask(ranks, files)?;
        self.groups = groups;
        for waiting in &self.waiting {
            let globals = globals.of(waiting.numbered.input);
            let nowhere = waiting.asks().filter(|of| globals.get(of) == Some(&Global::Nowhere));
            self.circles += nowhere.count() as u64;
        }
        let locations = all_locations(ranks, &self.pool)?;
        loop {
            for waiting in &mut self.waiting {
                waiting.settle(seed, globals.of(waiting.numbered.input), &mut self.pool);
            }
            let depths = self.waiting.iter();
            let depths =
                depths.map(|waiting| waiting.least_depth(globals.of(waiting.numbered.input)));
            let own = depths.flatten().min();
            let least = |a: Option<usize>, b: Option<usize>| match (a, b) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            let Some(depth) = ranks.all_reduce(own, least)? else { break };
            self.choose(ranks, &globals, &locations, depth, seed)?;
        }
        for waiting in &mut self.waiting {
            self.circles += waiting.give_up(seed, &mut self.pool);
            waiting.end();
        }
        Ok(globals)
    }

    /// Asks for the global definitions to which those of locations lead: whoever has read them.
    fn ask(
        &self,
        ranks: &dyn Communicator,
        files: &Files<'_>,
    ) -> Result<(AllGlobals, Map<Key, CommMembers>), Error> {
        let mut asks: BTreeMap<u32, BTreeSet<(ReferenceKind, u64)>> = BTreeMap::new();
        for waiting in &self.waiting {
            asks.entry(waiting.numbered.input).or_default().extend(waiting.asks());
        }
        let asks = asks.into_iter().map(|(input, asks)| {
            let asks: Vec<_> = asks.into_iter().collect();
            (files.keepers[input as usize], (ranks.rank(), input, asks))
        });
        let asked: Vec<Asked> = ranks.exchange(asks.collect())?;
        let answers = asked.into_iter().map(|(rank, input, asks)| {
            let keys = files.keys(input);
            let answer = |(kind, number)| {
                let key = keys(kind, number);
                let group = key.filter(|_| kind == ReferenceKind::Group);
                let group = group.and_then(|key| comm_members(&self.pool, &key));
                ((kind, number), key, group)
            };
            (rank, (input, asks.into_iter().map(answer).collect::<Vec<_>>()))
        });
        let answers: Vec<(u32, Vec<Answer>)> = ranks.exchange(answers.collect())?;
        let (mut globals, mut groups) = (AllGlobals::default(), Map::default());
        for (input, answers) in answers {
            let known = globals.by_input.entry(input).or_default();
            for (of, key, group) in answers {
                known.insert(of, key.map_or(Global::Nowhere, Global::Key));
                groups.extend(key.zip(group));
            }
        }
        Ok((globals, groups))
    }

    /// Finds out which communicators are meant by those without a group that have so many others above
    /// them.
    fn choose(
        &mut self,
        ranks: &dyn Communicator,
        globals: &AllGlobals,
        locations: &Locations,
        depth: usize,
        seed: Seed,
    ) -> Result<(), Error> {
        let incomplete = self
            .waiting
            .iter()
            .map(|waiting| waiting.incomplete(seed, globals.of(waiting.numbered.input), depth));
        let incomplete: Vec<Vec<Incomplete>> = incomplete.collect();
        let mut classes: Vec<Key> = incomplete.iter().flatten().map(|other| other.class).collect();
        classes.sort_unstable();
        classes.dedup();
        let candidates = candidates(ranks, self, &classes, seed)?;
        for (waiting, incomplete) in self.waiting.iter_mut().zip(incomplete) {
            let Numbered { input, now, .. } = waiting.numbered;
            for incomplete in incomplete {
                let possible = candidates.get(&incomplete.class).map_or(&[][..], Vec::as_slice);
                let rank = |paradigm: u8| locations.rank(paradigm, now);
                let globals = globals.of(input);
                waiting.choose(&incomplete, possible, rank, seed, globals, &mut self.pool);
            }
        }
        Ok(())
    }
}

/// Which rank looks after a key.
pub(super) fn owner(key: Key, ranks: usize) -> usize {
    ((key.0 >> 64) as u64 % ranks as u64) as usize
}

/// A communicator that a rank knows whole, as it travels.
#[derive(Debug, Serialize, Deserialize)]
struct Whole {
    class: Key,
    candidate: Candidate,
}

/// All communicators of these classes that anybody knows whole, in the order of their appearance.
/// Collective.
fn candidates(
    ranks: &dyn Communicator,
    share: &Share,
    classes: &[Key],
    seed: Seed,
) -> Result<Map<Key, Vec<Candidate>>, Error> {
    let size = ranks.size();
    let contents = share.pool.contents.iter();
    let whole = contents.filter_map(|(key, pooled)| whole(*key, pooled, share, seed));
    let whole = whole.map(|whole| (owner(whole.class, size), whole)).collect();
    let mut known: Map<Key, Vec<Candidate>> = Map::default();
    for Whole { class, candidate } in ranks.exchange(whole)? {
        let same = known.entry(class).or_default();
        match same.iter_mut().find(|other| other.key == candidate.key) {
            Some(other) => {
                other.first = other.first.min(candidate.first);
                if other.members.is_none() {
                    (other.paradigm, other.members) = (candidate.paradigm, candidate.members);
                }
            }
            None => same.push(candidate),
        }
    }
    known.values_mut().for_each(|same| same.sort_by_key(|other| (other.first, other.key)));
    let asks = classes.iter().map(|class| (owner(*class, size), (ranks.rank(), *class)));
    let asked: Vec<(usize, Key)> = ranks.exchange(asks.collect())?;
    let answers = asked
        .into_iter()
        .map(|(rank, class)| (rank, (class, known.get(&class).cloned().unwrap_or_default())));
    Ok(ranks.exchange(answers.collect())?.into_iter().collect())
}

/// Who asks, about which archive, for what.
type Asked = (usize, u32, Vec<(ReferenceKind, u64)>);

/// What is known of a number: its key, and who is in it if it is a group.
type Answer = ((ReferenceKind, u64), Option<Key>, Option<CommMembers>);

/// Who is in a group of ranks.
fn comm_members(pool: &Pool, group: &Key) -> Option<CommMembers> {
    let GroupMembers { paradigm, members, kind } = members(&pool.contents.get(group)?.content)?;
    (kind == GroupType::CommGroup).then(|| (paradigm.into(), members))
}

fn whole(key: Key, pooled: &Pooled, share: &Share, seed: Seed) -> Option<Whole> {
    let comm = pooled.comm?;
    let Some(Target::Key(group)) = pooled.content.targets.get(comm.group) else { return None };
    let group = comm_members(&share.pool, group).or_else(|| share.groups.get(group).cloned());
    let (paradigm, members) =
        group.map_or((0, None), |(paradigm, members)| (paradigm, Some(members)));
    let candidate = Candidate { key, first: pooled.first, paradigm, members };
    Some(Whole { class: class(&pooled.content, comm.group, seed), candidate })
}

/// The locations that communicate by each paradigm, in the order of their ranks.
#[derive(Debug, Default)]
struct Locations(Map<u8, Vec<Stretch>>);

impl Locations {
    fn rank(&self, paradigm: u8, location: LocationRef) -> Option<u64> {
        self.0.get(&paradigm).and_then(|locations| place(locations, location.0))
    }
}

/// Tells all ranks which locations communicate. Collective.
fn all_locations(ranks: &dyn Communicator, pool: &Pool) -> Result<Locations, Error> {
    let listed = pool.contents.iter().filter_map(|(key, pooled)| {
        let of_group = pooled.kind == Some(ReferenceKind::Group);
        let group = of_group.then(|| members(&pooled.content)).flatten()?;
        let all = group.kind == GroupType::CommLocations;
        all.then(|| (pooled.first, *key, u8::from(group.paradigm), group.members))
    });
    let mut listed: Vec<_> =
        ranks.all_gather(listed.collect::<Vec<_>>())?.into_iter().flatten().collect();
    listed.sort_by_key(|(first, key, ..)| (*first, *key));
    let mut locations = Locations::default();
    for (_, _, paradigm, members) in listed {
        locations.0.entry(paradigm).or_insert(members);
    }
    Ok(locations)
}
