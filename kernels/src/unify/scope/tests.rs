//! Meaning of the records of one file.

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
        found.map_or(Global::Undefined, |(_, global)| *global)
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
    let chain: Vec<_> = (0..200_000).map(|i| record((NODE, i), "n", &[(NODE, i + 1)])).collect();
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

/// References that another record added are reported with that record.
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
        let comm = Some(CommRefs { group: 1, other: None, parent: 2 });
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
