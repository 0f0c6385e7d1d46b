//! The definitions of one file, and the keys that they have.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use streamfold_model::references::ReferenceKind;

use super::circles::first_of_circles;
use super::content::{Content, ContentRef, Key, Record, Ref, Says, Target};

type Map<K, V> = HashMap<K, V, RandomState>;

/// What is known of a number that a file does not define itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Global {
    /// The global definition of this number has this key.
    Key(Key),
    /// There is none.
    Nowhere,
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

    /// What stands for a number that nobody defines, in what is compared.
    fn nowhere(&self, _kind: ReferenceKind, _number: u64) -> Target {
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
        let implied = implied.map(|(_, place)| place).chain(self.told_by_order());
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

    /// What is told apart by its order, where something leads to such a record that comes later: so that its order is
    /// that of the file, and not that in which it is led to. Those of the same content have as many of their kind above
    /// them, so that all above them are known.
    fn told_by_order(&self) -> Vec<usize> {
        let is_told = |record: &Record| record.made && record.nth.is_none();
        let mut kinds = [false; KINDS];
        let told = self.records.iter().filter(|record| is_told(record));
        told.filter_map(|record| record.own).for_each(|(kind, _)| kinds[kind as usize] = true);
        let is_early = |(place, record): (usize, &Record)| {
            record.refs.iter().any(|reference| match *reference {
                Ref::Number(kind, number) if kinds[kind as usize] => {
                    self.led_to(place, kind, number).is_some_and(|other| other > place)
                }
                _ => false,
            })
        };
        if !self.records.iter().enumerate().any(is_early) {
            return Vec::new();
        }
        let depths = self.depths_by(|place| self.above(place));
        let told = self.records.iter().enumerate().filter(|(_, record)| is_told(record));
        let mut told: Vec<(u8, usize, usize)> = told
            .filter_map(|(place, record)| {
                let (kind, _) = record.own?;
                // Windows and handles lead to communicators, handles to paradigms.
                let is_led_to = !matches!(kind, ReferenceKind::RmaWin | ReferenceKind::IoHandle);
                Some((u8::from(!is_led_to), depths[place], place))
            })
            .collect();
        told.sort_unstable();
        told.into_iter().map(|(.., place)| place).collect()
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
                    Global::Nowhere => {
                        let target = known.nowhere(kind, number);
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
        if targets.len() < awaited.len() || record.is_incomplete() {
            return Step::Waits(Waiting { place, awaited: awaited.to_vec() });
        }
        record.once(targets);
        Step::Content
    }

    /// Whether a record is the first one of a circle of records of a kind.
    fn begins_circle(&self, place: usize, kind: ReferenceKind) -> bool {
        let is_parent = self.records[place].own.is_some_and(|own| own.0 == kind);
        let all = || first_of_circles(self.records.len(), |place| self.above(place));
        is_parent && self.circles.get_or_init(all).contains(&place)
    }

    /// The record of the same kind to which one leads: its parent.
    fn above(&self, place: usize) -> Option<usize> {
        let (own, _) = self.records[place].own?;
        self.records[place].refs.iter().find_map(|reference| match *reference {
            Ref::Number(kind, number) if kind == own => self.led_to(place, kind, number),
            _ => None,
        })
    }

    /// How many communicators there are above each record, as far as this file says. In a circle there are
    /// as many as records.
    pub fn depths(&self) -> Vec<usize> {
        self.depths_by(|place| self.parent(place))
    }

    fn depths_by(&self, parent: impl Fn(usize) -> Option<usize>) -> Vec<usize> {
        const UNKNOWN: usize = usize::MAX;
        let most = self.records.len();
        let mut depths = vec![UNKNOWN; most];
        let mut path = Vec::new();
        for first in 0..most {
            let mut above = Some(first);
            while let Some(at) = above.filter(|at| depths[*at] == UNKNOWN) {
                // Whoever comes here again is in a circle.
                depths[at] = most;
                path.push(at);
                above = parent(at);
            }
            let above = above.map_or(0, |known| depths[known] + 1);
            for (depth, at) in (above..).zip(path.drain(..).rev()) {
                depths[at] = depth.min(most);
            }
        }
        depths
    }

    fn parent(&self, place: usize) -> Option<usize> {
        let record = &self.records[place];
        match record.refs.get(record.comm?.parent)? {
            Ref::Number(kind, number) => self.led_to(place, *kind, *number),
            Ref::Undefined => None,
        }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::content::{CommRefs, Seed};
    use super::*;

    const STRING: ReferenceKind = ReferenceKind::String;
    const REGION: ReferenceKind = ReferenceKind::Region;
    const NODE: ReferenceKind = ReferenceKind::SystemTreeNode;

    fn record(own: (ReferenceKind, u64), shell: &str, refs: &[(ReferenceKind, u64)]) -> Record {
        let refs = refs.iter().map(|&(kind, number)| Ref::Number(kind, number)).collect();
        let says = Says { shell: shell.as_bytes().into(), refs, ..Says::default() };
        Record { own: Some(own), says: Arc::new(says) }
    }

    /// Nothing but these global definitions.
    struct Around(Vec<((ReferenceKind, u64), Global)>);

    impl Known for Around {
        fn global(&self, kind: ReferenceKind, number: u64) -> Global {
            let found = self.0.iter().find(|(own, _)| *own == (kind, number));
            found.map_or(Global::Nowhere, |(_, global)| *global)
        }

        fn waited(&self, _: usize) -> Option<Key> {
            None
        }
    }

    fn resolve(scope: &Scope<'_>, around: &Around) -> Resolved {
        scope.resolve(around, |_, content| content.key(Seed(0)))
    }

    fn keys(records: &[Record]) -> Vec<Option<Key>> {
        resolve(&Scope::new(records), &Around(Vec::new())).keys
    }

    #[test]
    fn numbers_do_not_matter_and_contents_do() {
        let one = [record((STRING, 0), "main", &[]), record((REGION, 0), "r", &[(STRING, 0)])];
        let other = [record((REGION, 9), "r", &[(STRING, 5)]), record((STRING, 5), "main", &[])];
        let (one, other) = (keys(&one), keys(&other));
        assert_eq!((one[0], one[1]), (other[1], other[0]));
        let third = [record((STRING, 0), "foo", &[]), record((REGION, 0), "r", &[(STRING, 0)])];
        assert_ne!(one[1], keys(&third)[1]);
    }

    #[test]
    fn a_number_that_is_defined_twice_means_what_it_meant_at_that_place() {
        let records = [
            record((STRING, 0), "first", &[]),
            record((REGION, 0), "r", &[(STRING, 0)]),
            record((STRING, 0), "second", &[]),
            record((REGION, 1), "r", &[(STRING, 0)]),
        ];
        let found = keys(&records);
        assert_ne!(found[1], found[3]);
        let scope = Scope::new(&records);
        assert_eq!(scope.last(STRING, 0), Some(2));
        assert_eq!(scope.contradictions(&found).collect::<Vec<_>>(), [(STRING, 0, 2)]);
        let same = vec![found[0]; 4];
        assert_eq!(scope.contradictions(&same).count(), 0);
    }

    /// However the file numbers what it defines.
    #[test]
    fn numbers_are_found_with_gaps_and_in_any_order() {
        for step in [1, 2, 1 << 40] {
            let number = |i: u64| u64::MAX - 1 - (i * 7 % 10) * step;
            let all: Vec<_> = (0..10).map(|i| record((STRING, number(i)), "s", &[])).collect();
            let scope = Scope::new(&all);
            for i in 0..10 {
                assert_eq!(scope.last(STRING, number(i)), Some(i as usize));
            }
            assert_eq!(scope.last(STRING, u64::MAX), None);
            assert_eq!(scope.last(STRING, number(7) - step), None);
            assert_eq!(scope.last(REGION, number(0)), None);
        }
        let again = [0, 1, 1, 2, 1, 4].map(|number| record((STRING, number), "s", &[]));
        let scope = Scope::new(&again);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|number| scope.last(STRING, number)),
            [Some(0), Some(4), Some(3), None, Some(5)]
        );
    }

    #[test]
    fn what_was_made_is_told_apart_by_its_order() {
        let mut records = vec![record((REGION, 0), "c", &[]), record((REGION, 1), "c", &[])];
        assert_eq!(keys(&records)[0], keys(&records)[1]);
        records.iter_mut().for_each(|record| record.says_mut().made = true);
        let found = keys(&records);
        assert_ne!(found[0], found[1]);
        assert_eq!(found, keys(&records));
    }

    /// The first one made is the first one in the file, whichever is led to first.
    #[test]
    fn what_is_led_to_before_it_is_made_has_its_place() {
        const COMM: ReferenceKind = ReferenceKind::Comm;
        let comm = |number, shell, refs: &[(ReferenceKind, u64)]| {
            let mut record = record((COMM, number), shell, refs);
            record.says_mut().made = true;
            record
        };
        let dup = |number| comm(number, "dup", &[(COMM, 0)]);
        let (world, child) = (comm(0, "world", &[]), comm(3, "child", &[(COMM, 2)]));
        let window = record((ReferenceKind::RmaWin, 0), "window", &[(COMM, 2)]);
        let usual = [world.clone(), dup(1), dup(2), child.clone(), window.clone()];
        let early = [window, child, dup(1), dup(2), world];
        let (usual, early) = (keys(&usual), keys(&early));
        assert_ne!(usual[1], usual[2]);
        assert_eq!([0, 1, 2, 3, 4].map(|at| early[at]), [4, 3, 1, 2, 0].map(|at| usual[at]));
    }

    #[test]
    fn circles_and_long_chains_end() {
        let circle = [record((NODE, 0), "a", &[(NODE, 1)]), record((NODE, 1), "b", &[(NODE, 0)])];
        let scope = Scope::new(&circle);
        let resolved = resolve(&scope, &Around(Vec::new()));
        let back = Broken { place: 0, reference: 0, in_circle: true };
        assert_eq!(resolved.broken, AllBroken { count: 1, first: vec![back] });
        assert_eq!(resolved.waiting, []);
        // Wherever one comes into it.
        let node = |number, parent| record((NODE, number), "n", &[(NODE, parent)]);
        let entered = [node(9, 2), node(1, 2), node(2, 1), node(5, 5)];
        let broken = resolve(&Scope::new(&entered), &Around(Vec::new())).broken;
        let places: Vec<usize> = broken.first.iter().map(|broken| broken.place).collect();
        assert_eq!((broken.count, places), (2, vec![1, 3]));
        let chain: Vec<_> =
            (0..200_000).map(|i| record((NODE, i), "n", &[(NODE, i + 1)])).collect();
        assert!(keys(&chain).iter().all(Option::is_some));
    }

    /// Looked at once each, not once more for each of the others.
    #[test]
    fn many_references_to_what_comes_later_take_no_time() {
        let members: Vec<_> = (0..300_000).map(|i| (STRING, i)).collect();
        let mut records = vec![record((REGION, 0), "all", &members)];
        records.extend(members.iter().map(|own| record(*own, &own.1.to_string(), &[])));
        assert!(keys(&records).iter().all(Option::is_some));
    }

    #[test]
    fn references_to_what_nobody_defines_are_counted() {
        let records = [record((REGION, 0), "r", &[(STRING, 7), (STRING, 8)])];
        let resolved = resolve(&Scope::new(&records), &Around(Vec::new()));
        let to = |reference| Broken { place: 0, reference, in_circle: false };
        assert_eq!(resolved.broken, AllBroken { count: 2, first: vec![to(0), to(1)] });
    }

    /// What says more about a record is told where it stands itself.
    #[test]
    fn references_that_were_added_are_not_told_twice() {
        let mut records = [record((REGION, 0), "r", &[(STRING, 7), (STRING, 8)])];
        records[0].says_mut().added = 1;
        let resolved = resolve(&Scope::new(&records), &Around(Vec::new()));
        assert_eq!(resolved.broken.count, 1);
    }

    #[test]
    fn a_communicator_is_below_all_that_it_was_made_from() {
        const COMM: ReferenceKind = ReferenceKind::Comm;
        let comm = |number, parent| {
            let refs = vec![Ref::Undefined, Ref::Undefined, Ref::Number(COMM, parent)];
            let comm = Some(CommRefs { group: 1, parent: 2 });
            let says = Says { shell: b"c".as_slice().into(), refs, comm, ..Says::default() };
            Record { own: Some((COMM, number)), says: Arc::new(says) }
        };
        let chain = [comm(5, 4), comm(4, 3), comm(3, 99), comm(6, 4)];
        assert_eq!(Scope::new(&chain).depths(), [2, 1, 0, 2]);
        let circle = [comm(0, 1), comm(1, 2), comm(2, 1), comm(9, 9), comm(7, 99)];
        assert_eq!(Scope::new(&circle).depths(), [5, 5, 5, 5, 0]);
        let long: Vec<_> = (0..200_000).map(|i| comm(i, i + 1)).collect();
        assert_eq!(Scope::new(&long).depths()[0], 199_999);
    }

    #[test]
    fn who_leads_to_something_that_nobody_has_asked_for_waits() {
        let records = [
            record((NODE, 0), "a", &[(STRING, 7)]),
            record((NODE, 1), "b", &[(NODE, 0)]),
            record((NODE, 2), "c", &[(STRING, 8)]),
        ];
        let around = |seven| Around(vec![((STRING, 7), seven)]);
        let scope = Scope::new(&records);
        let resolved = resolve(&scope, &around(Global::Unasked));
        let first = Waiting { place: 0, awaited: vec![Awaited::Ask(STRING, 7)] };
        let second = Waiting { place: 1, awaited: vec![Awaited::Place(0)] };
        assert_eq!(resolved.waiting, [first, second]);
        assert!(resolved.keys[2].is_some());
        let answered = around(Global::Key(Key(3)));
        assert!(resolve(&scope, &answered).waiting.is_empty());
    }
}
