//! The definitions of one file, and their keys.

mod above;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use streamfold_model::references::ReferenceKind;

use super::content::{Content, ContentRef, Key, Record, Ref, Says, Target};

type Map<K, V> = HashMap<K, V, RandomState>;

/// The global definition of a number that a file does not define itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Global {
    /// The global definition of this number has this key.
    Key(Key),
    /// No global definition has this number.
    Undefined,
    /// No rank has asked for it so far.
    Unasked,
}

/// Facts from outside of a file.
pub trait Known {
    /// The global definition of a number.
    fn global(&self, kind: ReferenceKind, number: u64) -> Global;

    /// The key of a record of this file, by its place, if it depends on other files.
    fn waited(&self, _place: usize) -> Option<Key> {
        None
    }

    /// Returns whether other files may add members: communicators then wait for the groups that those files record.
    fn has_others(&self) -> bool {
        true
    }

    /// Stands for an undefined reference when contents are compared.
    fn undefined_references(&self, _kind: ReferenceKind, _number: u64) -> Target {
        Target::Undefined
    }
}

/// The target of a field of a record, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The target is known.
    Target(Target),
    /// The record at this place of the file. Its key is not known.
    Place(usize),
    /// A number that the file does not define, and that no rank has asked for so far.
    Ask(ReferenceKind, u64),
}

/// A record whose key depends on other files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its place in the file.
    pub place: usize,
    /// The targets of its fields.
    pub awaited: Vec<Awaited>,
}

/// A reference that cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The place of its record in the file.
    pub place: usize,
    /// Index of the reference in the record, from 0.
    pub reference: usize,
    /// Set if the references lead back to the same record, directly or not; else it is an undefined reference.
    pub in_circle: bool,
}

/// All references of a file that cannot be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllBroken {
    /// Number of references.
    pub count: u64,
    /// The first of them, in an order that is always the same.
    pub first: Vec<Broken>,
}

impl AllBroken {
    /// Most references that are kept.
    pub const KEPT: usize = 1000;

    /// Adds one.
    pub fn push(&mut self, broken: Broken) {
        self.count += 1;
        if self.first.len() < AllBroken::KEPT {
            self.first.push(broken);
        }
    }
}

/// The keys of a file's records, as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The key of each record, if it is known.
    pub keys: Vec<Option<Key>>,
    /// Records without a key.
    pub waiting: Vec<Waiting>,
    /// Circular and undefined references.
    pub broken: AllBroken,
    /// Numbers of synthesised definitions so far.
    pub made: Made,
}

/// The definitions of one file: those of a location, or the global ones.
#[derive(Debug)]
pub struct Scope<'a> {
    records: &'a [Record],
    /// Places by kind, number and place in the file. Searched by binary search.
    places: Vec<Place>,
    /// Index of the first entry of each kind, and of the end of the last one.
    begins: [usize; KINDS + 1],
    /// The first record of each circle. Computed on first use.
    circles: OnceLock<BTreeSet<usize>>,
}

/// A number, and the place of a record that defines it.
pub type Place = (u64, usize);

const KINDS: usize = ReferenceKind::ALL.len();

impl<'a> Scope<'a> {
    /// Indexes these records. They are in the order of the file.
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
            // Most files are sorted.
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

    /// Returns the places that define a number.
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

    /// Returns the record that a number stands for after all were read: the last one that defines it.
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

    /// Numbers that several records define with different `keys`, and the number of those records.
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

    /// Returns the record that a field leads to: the last one before its own that defines the number, or else the last
    /// one of all.
    pub fn led_to(&self, from: usize, kind: ReferenceKind, number: u64) -> Option<usize> {
        let all = self.places(kind, number);
        let before = all.partition_point(|(_, place)| *place < from);
        let led_to = before.checked_sub(1).and_then(|last| all.get(last)).or(all.last());
        led_to.map(|(_, place)| *place)
    }

    /// Finds the keys of all records, in topological order: implied records first, then each record after its targets.
    /// `key` receives each content with its place, and returns its key.
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

    /// Continues with a record after a target of it was resolved.
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
            // References that other records added are reported with those records.
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
                // The other records of the circle then stay in topological order.
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
        // Targets are visited first, in the same order as when the record waited.
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

/// A record that is being resolved.
#[derive(Clone, Copy)]
struct Looking {
    place: usize,
    /// Index in [`Found`] of the target of its first field.
    begin: usize,
}

/// Targets of the fields of all records that are being resolved.
#[derive(Default)]
struct Found {
    /// Targets of all of them, one after the other.
    awaited: Vec<Awaited>,
    /// Targets of the last one, if all are known.
    targets: Vec<Target>,
}

/// State of a record that has no key.
#[derive(Clone, Copy, Debug)]
enum State {
    New,
    /// A target of it is being resolved.
    Open,
    Waits,
}

/// The next step with a record.
enum Step {
    /// Another record comes first.
    First(usize),
    Done,
    Known(Key),
    Waits(Waiting),
    /// All its targets are known.
    Content,
}

/// Number of synthesised definitions by content.
#[derive(Clone, Debug, Default)]
pub struct Made(Map<Content, u32>);

impl Made {
    /// Returns the number of earlier ones of the same content.
    pub fn count(&mut self, content: ContentRef<'_>) -> u32 {
        *self.0.entry(content.owned()).and_modify(|nth| *nth += 1).or_insert(0)
    }
}
