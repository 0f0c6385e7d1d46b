//! The definitions of one file, and the keys that they have.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::references::ReferenceKind;

use super::content::{Content, Key, Record, Ref, Seed, Target};

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
    fn waited(&self, place: usize) -> Option<Key>;

    /// What stands for a number that nobody defines, in what is compared.
    fn nowhere(&self, _number: u64) -> Target {
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

/// What came of the records of a file.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The key of each record, where it is known.
    pub keys: Vec<Option<Key>>,
    /// Those that are not known.
    pub waiting: Vec<Waiting>,
    /// References that lead to their own record, over others or not, or to what nobody defines.
    pub circles: u64,
    /// What was made so far.
    pub made: Made,
}

/// The definitions of one file: those of a location, or the global ones.
#[derive(Debug)]
pub struct Scope<'a> {
    records: &'a [Record],
    /// Where each number is defined, in the order of the file.
    places: Map<(ReferenceKind, u64), Vec<usize>>,
}

impl<'a> Scope<'a> {
    /// Of these records, in the order of the file.
    pub fn new(records: &'a [Record]) -> Self {
        let mut places: Map<_, Vec<usize>> = Map::default();
        for (place, record) in records.iter().enumerate() {
            if let Some(own) = record.own {
                places.entry(own).or_default().push(place);
            }
        }
        Scope { records, places }
    }

    /// The records.
    pub fn records(&self) -> &'a [Record] {
        self.records
    }

    /// Which record a number stands for where all have been read: the last one that defines it.
    pub fn last(&self, kind: ReferenceKind, number: u64) -> Option<usize> {
        self.places.get(&(kind, number)).and_then(|places| places.last().copied())
    }

    /// The numbers that are defined, each with its last record.
    pub fn numbers(&self) -> impl Iterator<Item = (ReferenceKind, u64, usize)> + '_ {
        let last = |places: &Vec<usize>| *places.last().expect("each has one");
        self.places.iter().map(move |(&(kind, number), places)| (kind, number, last(places)))
    }

    /// Which record a field leads to: the last one before its own that defines the number, or else the
    /// last one at all.
    fn led_to(&self, from: usize, kind: ReferenceKind, number: u64) -> Option<usize> {
        let places = self.places.get(&(kind, number))?;
        let before = places.partition_point(|&place| place < from);
        places.get(before.wrapping_sub(1)).or(places.last()).copied()
    }

    /// Finds the keys of all records. Each content is handed to `receive` with its key and its place, in
    /// an order in which what is led to comes first.
    pub fn resolve(
        &self,
        seed: Seed,
        known: &impl Known,
        mut receive: impl FnMut(usize, Key, Content),
    ) -> Resolved {
        let mut states = vec![State::New; self.records.len()];
        let mut made = Made::default();
        let mut resolved = Resolved::default();
        let mut path = Vec::new();
        for first in 0..self.records.len() {
            path.push(Looking::at(first));
            // Not by recursion: chains of parents may be as long as the file.
            while let Some(looking) = path.last_mut() {
                let place = looking.place;
                match self.step(looking, &states, known) {
                    Step::First(other) => {
                        states[place] = State::Open;
                        path.push(Looking::at(other));
                        continue;
                    }
                    Step::Done => {}
                    Step::Known(key) => states[place] = State::Key(key),
                    Step::Waits(waiting) => {
                        states[place] = State::Waits;
                        resolved.waiting.push(waiting);
                    }
                    Step::Content(content, circles) => {
                        resolved.circles += circles;
                        let content = made.number(self.records[place].made, content);
                        let key = content.key(seed);
                        states[place] = State::Key(key);
                        receive(place, key, content);
                    }
                }
                path.pop();
            }
        }
        resolved.keys = states.iter().map(|state| state.key()).collect();
        resolved.made = made;
        resolved
    }

    /// Goes on with a record, from where another one had to be looked at before.
    fn step(&self, looking: &mut Looking, states: &[State], known: &impl Known) -> Step {
        let Looking { place, awaited, circles } = looking;
        let place = *place;
        if matches!(states[place], State::Key(_) | State::Waits) {
            return Step::Done;
        }
        let record = &self.records[place];
        for reference in &record.refs[awaited.len()..] {
            let Ref::Number(kind, number) = *reference else {
                awaited.push(Awaited::Target(Target::Undefined));
                continue;
            };
            awaited.push(match self.led_to(place, kind, number) {
                Some(other) => match states[other] {
                    State::New => return Step::First(other),
                    State::Key(key) => Awaited::Target(Target::Key(key)),
                    State::Waits => Awaited::Place(other),
                    State::Open => {
                        *circles += 1;
                        Awaited::Target(Target::Undefined)
                    }
                },
                None => match known.global(kind, number) {
                    Global::Key(key) => Awaited::Target(Target::Key(key)),
                    Global::Nowhere => {
                        let target = known.nowhere(number);
                        *circles += u64::from(target == Target::Undefined);
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
        let target = |awaited: &Awaited| match awaited {
            Awaited::Target(target) => Some(*target),
            _ => None,
        };
        match awaited.iter().map(target).collect::<Option<Vec<_>>>() {
            Some(targets) if !record.is_incomplete() => {
                let shell = record.shell.as_slice().into();
                Step::Content(Content { shell, targets: targets.into(), nth: 0 }, *circles)
            }
            _ => Step::Waits(Waiting { place, awaited: std::mem::take(awaited) }),
        }
    }

    /// How many communicators there are above one, as far as this file says.
    pub fn depth(&self, place: usize) -> usize {
        let mut depth = 0;
        let mut at = place;
        while let Some(parent) = self.parent(at) {
            // In a circle there are as many as records.
            if depth >= self.records.len() {
                break;
            }
            (at, depth) = (parent, depth + 1);
        }
        depth
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
struct Looking {
    place: usize,
    /// What its first fields lead to.
    awaited: Vec<Awaited>,
    /// How many of them lead in a circle, or to nothing.
    circles: u64,
}

impl Looking {
    fn at(place: usize) -> Looking {
        Looking { place, awaited: Vec::new(), circles: 0 }
    }
}

/// How far a record is.
#[derive(Clone, Copy, Debug)]
enum State {
    New,
    /// What it leads to is being looked at.
    Open,
    Waits,
    Key(Key),
}

impl State {
    fn key(&self) -> Option<Key> {
        match self {
            State::Key(key) => Some(*key),
            _ => None,
        }
    }
}

/// What comes next with a record.
enum Step {
    /// Another one has to be looked at before.
    First(usize),
    Done,
    Known(Key),
    Waits(Waiting),
    /// With how many of its references lead in a circle, or to nothing.
    Content(Content, u64),
}

/// How often something of the same content was made.
#[derive(Clone, Debug, Default)]
pub struct Made(Map<Content, u32>);

impl Made {
    /// The content with its order among those that are the same, if it is of something `made`.
    pub fn number(&mut self, made: bool, content: Content) -> Content {
        if !made {
            return content;
        }
        let nth = *self.0.entry(content.clone()).and_modify(|nth| *nth += 1).or_insert(0);
        Content { nth, ..content }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRING: ReferenceKind = ReferenceKind::String;
    const REGION: ReferenceKind = ReferenceKind::Region;
    const NODE: ReferenceKind = ReferenceKind::SystemTreeNode;

    fn record(own: (ReferenceKind, u64), shell: &str, refs: &[(ReferenceKind, u64)]) -> Record {
        let refs = refs.iter().map(|&(kind, number)| Ref::Number(kind, number)).collect();
        Record { own: Some(own), shell: shell.into(), refs, made: false, comm: None }
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

    fn keys(records: &[Record]) -> Vec<Option<Key>> {
        Scope::new(records).resolve(Seed(0), &Around(Vec::new()), |_, _, _| {}).keys
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
        assert_eq!(Scope::new(&records).last(STRING, 0), Some(2));
    }

    #[test]
    fn what_was_made_is_told_apart_by_its_order() {
        let mut records = vec![record((REGION, 0), "c", &[]), record((REGION, 1), "c", &[])];
        assert_eq!(keys(&records)[0], keys(&records)[1]);
        records.iter_mut().for_each(|record| record.made = true);
        let found = keys(&records);
        assert_ne!(found[0], found[1]);
        assert_eq!(found, keys(&records));
    }

    #[test]
    fn circles_and_long_chains_end() {
        let circle = [record((NODE, 0), "a", &[(NODE, 1)]), record((NODE, 1), "b", &[(NODE, 0)])];
        let scope = Scope::new(&circle);
        let resolved = scope.resolve(Seed(0), &Around(Vec::new()), |_, _, _| {});
        assert_eq!((resolved.circles, resolved.waiting.len()), (1, 0));
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
        let resolved = Scope::new(&records).resolve(Seed(0), &Around(Vec::new()), |_, _, _| {});
        assert_eq!(resolved.circles, 2);
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
        let resolved = scope.resolve(Seed(0), &around(Global::Unasked), |_, _, _| {});
        let first = Waiting { place: 0, awaited: vec![Awaited::Ask(STRING, 7)] };
        let second = Waiting { place: 1, awaited: vec![Awaited::Place(0)] };
        assert_eq!(resolved.waiting, [first, second]);
        assert!(resolved.keys[2].is_some());
        let answered = around(Global::Key(Key(3)));
        assert!(scope.resolve(Seed(0), &answered, |_, _, _| {}).waiting.is_empty());
    }
}
