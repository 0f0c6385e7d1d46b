//! The definitions of one file, and the keys that they have.

mod above;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use streamfold_model::references::ReferenceKind;

use super::content::{Content, ContentRef, Key, Record, Ref, Says, Target};

type Map<K, V> = HashMap<K, V, RandomState>;

/// What is known of a number that a file does not define itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Global {
    /// The global definition of this number has this key.
    Key(Key),
    /// There is none.
    Undefined,
    /// Nobody has asked so far.
    Unasked,
}

/// What is known from outside of a file.
pub trait Known {
    /// The global definition of a number.
    fn global(&self, kind: ReferenceKind, number: u64) -> Global;

    /// The key of a record of this file, by its place, that the file alone could not tell.
    fn waited(&self, _place: usize) -> Option<Key> {
        None
    }

    /// Whether other files may say more: then communicators wait for what these say of their groups.
    fn has_others(&self) -> bool {
        true
    }

    /// What stands for a number that nobody defines, in what is compared.
    fn undefined_references(&self, _kind: ReferenceKind, _number: u64) -> Target {
        Target::Undefined
    }
}

/// What a field of a record leads to, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// It is known.
    Target(Target),
    /// To the record at this place of the file, which is not known itself.
    Place(usize),
    /// To a number that the file does not define, of which nobody has asked so far.
    Ask(ReferenceKind, u64),
}

/// A record whose key its file alone does not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its place in the file.
    pub place: usize,
    /// What its fields lead to.
    pub awaited: Vec<Awaited>,
}

/// A reference that cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The place of its record in the file.
    pub place: usize,
    /// Which reference of the record it is, from 0.
    pub reference: usize,
    /// Whether it leads back to its own record, over others or not; else nobody defines what it leads to.
    pub in_circle: bool,
}

/// All references of a file that cannot be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllBroken {
    /// How many.
    pub count: u64,
    /// The first of them that were met, which is the same order always.
    pub first: Vec<Broken>,
}

impl AllBroken {
    /// So many are kept.
    pub const KEPT: usize = 1000;

    /// Adds one.
    pub fn push(&mut self, broken: Broken) {
        self.count += 1;
        if self.first.len() < AllBroken::KEPT {
            self.first.push(broken);
        }
    }
}

/// What came of the records of a file.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The key of each record, where it is known.
    pub keys: Vec<Option<Key>>,
    /// Those that are not known.
    pub waiting: Vec<Waiting>,
    /// References that lead to their own record, over others or not, or to what nobody defines.
    pub broken: AllBroken,
    /// What was made so far.
    pub made: Made,
}

/// The definitions of one file: those of a location, or the global ones.
#[derive(Debug)]
pub struct Scope<'a> {
    records: &'a [Record],
    /// Where each number is defined: in the order of kinds, numbers and places in the file.
    places: Vec<Place>,
    /// Where those of each kind begin, and where the last ones end.
    begins: [usize; KINDS + 1],
    /// The first record of each circle, once somebody has to know.
    circles: OnceLock<BTreeSet<usize>>,
}

/// A number, and the place of a record that defines it.
pub type Place = (u64, usize);

const KINDS: usize = ReferenceKind::ALL.len();

impl<'a> Scope<'a> {
    /// Of these records, in the order of the file.
    pub fn new(records: &'a [Record]) -> Self {
        let mut begins = [0; KINDS + 1];
        for (kind, _) in records.iter().filter_map(|record| record.own) {
            begins[kind as usize + 1] += 1;
        }
        for kind in 0..KINDS {
            begins[kind + 1] += begins[kind];
        }
        let (mut places, mut next) = (vec![(0, 0); begins[KINDS]], begins);
        for (place, record) in records.iter().enumerate() {
            if let Some((kind, number)) = record.own {
                let next = &mut next[kind as usize];
                places[*next] = (number, place);
                *next += 1;
            }
        }
        for kind in 0..KINDS {
            let of_kind = &mut places[begins[kind]..begins[kind + 1]];
            // As in most files.
            if !of_kind.is_sorted() {
                of_kind.sort_unstable();
            }
        }
        Scope { records, places, begins, circles: OnceLock::new() }
    }

    /// The records.
    pub fn records(&self) -> &'a [Record] {
        self.records
    }

    /// The numbers of a kind, in their order, and the places of the records that define them.
    pub fn of_kind(&self, kind: ReferenceKind) -> &[Place] {
        &self.places[self.begins[kind as usize]..self.begins[kind as usize + 1]]
    }

    /// Where a number is defined.
    fn places(&self, kind: ReferenceKind, number: u64) -> &[Place] {
        let all = self.of_kind(kind);
        let Some((first, _)) = all.first() else { return &[] };
        let is_it = |at: usize| all.get(at).is_some_and(|(other, _)| *other == number);
        // Most files count from some number on, without gaps.
        let at = number.wrapping_sub(*first) as usize;
        if is_it(at) && !is_it(at + 1) && !is_it(at.wrapping_sub(1)) {
            return &all[at..=at];
        }
        let begin = all.partition_point(|(other, _)| *other < number);
        let behind = &all[begin..];
        &behind[..behind.partition_point(|(other, _)| *other == number)]
    }

    /// Which record a number stands for where all have been read: the last one that defines it.
    pub fn last(&self, kind: ReferenceKind, number: u64) -> Option<usize> {
        self.places(kind, number).last().map(|(_, place)| *place)
    }

    /// The places of each number.
    fn by_number(&self) -> impl Iterator<Item = (ReferenceKind, &[Place])> {
        ReferenceKind::ALL.iter().flat_map(|&kind| {
            let numbers = self.of_kind(kind).chunk_by(|a, b| a.0 == b.0);
            numbers.map(move |places| (kind, places))
        })
    }

    /// The numbers that are defined, each with its last record, in the order of kinds and numbers.
    pub fn numbers(&self) -> impl Iterator<Item = (ReferenceKind, u64, usize)> + '_ {
        self.by_number().filter_map(|(kind, places)| {
            let (number, place) = *places.last()?;
            Some((kind, number, place))
        })
    }

    /// The numbers that are defined several times and not each time as the same: how often, where all
    /// have these `keys`.
    pub fn contradictions<'s>(
        &'s self,
        keys: &'s [Option<Key>],
    ) -> impl Iterator<Item = (ReferenceKind, u64, usize)> + 's {
        self.by_number().filter_map(|(kind, places)| {
            let (number, first) = places[0];
            let differ = places.iter().any(|(_, at)| keys[*at] != keys[first]);
            differ.then_some((kind, number, places.len()))
        })
    }

    /// Which record a field leads to: the last one before its own that defines the number, or else the
    /// last one at all.
    pub fn led_to(&self, from: usize, kind: ReferenceKind, number: u64) -> Option<usize> {
        let all = self.places(kind, number);
        let before = all.partition_point(|(_, place)| *place < from);
        let led_to = before.checked_sub(1).and_then(|last| all.get(last)).or(all.last());
        led_to.map(|(_, place)| *place)
    }

    /// Finds the keys of all records. Each content is handed to `key` with its place, and gets what it
    /// returns: first those that others need without leading to them, and each behind what it leads to.
    pub fn resolve(
        &self,
        known: &impl Known,
        mut key: impl FnMut(usize, ContentRef<'_>) -> Key,
    ) -> Resolved {
        let mut states = vec![State::New; self.records.len()];
        let mut resolved = Resolved { keys: vec![None; self.records.len()], ..Resolved::default() };
        let (mut path, mut found) = (Vec::new(), Found::default());
        let implied = self.records.iter().zip(0..).filter(|(record, _)| record.implied);
        let implied = implied.map(|(_, place)| place).chain(self.distinct_by_order());
        for first in implied.chain(0..self.records.len()) {
            let mut looking = Looking { place: first, begin: 0 };
            // Not by recursion: chains of parents may be as long as the file.
            loop {
                let place = looking.place;
                match self.step(looking, &mut found, &states, known, &mut resolved) {
                    Step::First(other) => {
                        states[place] = State::Open;
                        path.push(looking);
                        looking = Looking { place: other, begin: found.awaited.len() };
                        continue;
                    }
                    Step::Done => {}
                    Step::Known(key) => resolved.keys[place] = Some(key),
                    Step::Waits(waiting) => {
                        states[place] = State::Waits;
                        resolved.waiting.push(waiting);
                    }
                    Step::Content => {
                        let Says { shell, made: is_made, nth, .. } = &*self.records[place];
                        let content = ContentRef { shell, targets: &found.targets, nth: 0 };
                        let nth = match nth {
                            Some(nth) => *nth,
                            None if *is_made => resolved.made.count(content),
                            None => 0,
                        };
                        let content = ContentRef { nth, ..content };
                        resolved.keys[place] = Some(key(place, content));
                    }
                }
                found.awaited.truncate(looking.begin);
                match path.pop() {
                    Some(before) => looking = before,
                    None => break,
                }
            }
        }
        resolved
    }

    /// Goes on with a record, from where another one had to be looked at before.
    fn step(
        &self,
        Looking { place, begin }: Looking,
        Found { awaited, targets }: &mut Found,
        states: &[State],
        known: &impl Known,
        Resolved { keys, broken, .. }: &mut Resolved,
    ) -> Step {
        if keys[place].is_some() || matches!(states[place], State::Waits) {
            return Step::Done;
        }
        let record = &self.records[place];
        let mut tell = |reference: usize, in_circle: bool| {
            // Those of others are told with these.
            if reference < record.refs.len() - record.added {
                broken.push(Broken { place, reference, in_circle });
            }
        };
        for reference in &record.refs[awaited.len() - begin..] {
            let Ref::Number(kind, number) = *reference else {
                awaited.push(Awaited::Target(Target::Undefined));
                continue;
            };
            awaited.push(match self.led_to(place, kind, number) {
                // So that all others of the circle stay behind those that they lead to.
                Some(other) if other > place && self.begins_circle(place, kind) => {
                    tell(awaited.len() - begin, true);
                    Awaited::Target(Target::Undefined)
                }
                Some(other) => match (keys[other], states[other]) {
                    (Some(key), _) => Awaited::Target(Target::Key(key)),
                    (None, State::New) => return Step::First(other),
                    (None, State::Waits) => Awaited::Place(other),
                    (None, State::Open) => {
                        tell(awaited.len() - begin, true);
                        Awaited::Target(Target::Undefined)
                    }
                },
                None => match known.global(kind, number) {
                    Global::Key(key) => Awaited::Target(Target::Key(key)),
                    Global::Undefined => {
                        let target = known.undefined_references(kind, number);
                        if target == Target::Undefined {
                            tell(awaited.len() - begin, false);
                        }
                        Awaited::Target(target)
                    }
                    Global::Unasked => Awaited::Ask(kind, number),
                },
            });
        }
        // Not before: what it leads to is looked at in the same order as when it waited.
        if let Some(key) = known.waited(place) {
            return Step::Known(key);
        }
        let awaited = &awaited[begin..];
        targets.clear();
        targets.extend(awaited.iter().filter_map(|awaited| match awaited {
            Awaited::Target(target) => Some(*target),
            _ => None,
        }));
        if targets.len() < awaited.len() || (record.waits() && known.has_others()) {
            return Step::Waits(Waiting { place, awaited: awaited.to_vec() });
        }
        record.once(targets);
        Step::Content
    }
}

/// A record that is being looked at.
#[derive(Clone, Copy)]
struct Looking {
    place: usize,
    /// Where what its first fields lead to begins in [`Found`].
    begin: usize,
}

/// What the fields of records lead to that are being looked at.
#[derive(Default)]
struct Found {
    /// Of all of them, one behind the other.
    awaited: Vec<Awaited>,
    /// Of the last one, where all is known.
    targets: Vec<Target>,
}

/// How far a record is that has no key.
#[derive(Clone, Copy, Debug)]
enum State {
    New,
    /// What it leads to is being looked at.
    Open,
    Waits,
}

/// What comes next with a record.
enum Step {
    /// Another one has to be looked at before.
    First(usize),
    Done,
    Known(Key),
    Waits(Waiting),
    /// What it leads to is known.
    Content,
}

/// How often something of the same content was made.
#[derive(Clone, Debug, Default)]
pub struct Made(Map<Content, u32>);

impl Made {
    /// How many of the same content were made before.
    pub fn count(&mut self, content: ContentRef<'_>) -> u32 {
        *self.0.entry(content.owned()).and_modify(|nth| *nth += 1).or_insert(0)
    }
}
