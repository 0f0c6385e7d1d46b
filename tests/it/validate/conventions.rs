//! Rules of the manual that no reader needs: archives that each break one of them once.

use crate::common::small::{Bytes, Definitions};
use crate::validate::{archive, assert_defects, at_100, payload, sound, UNDEFINED};

fn case(definitions: Definitions, events: Bytes, count: u64, broken: &[(&str, u64)]) {
    let expected: Vec<_> = broken.iter().map(|(record, n)| ("convention", *record, *n)).collect();
    assert_defects(&archive(definitions, events, count), &expected, 0);
}

/// The number of the next definition.
fn next() -> u64 {
    sound().count + 1
}

fn defined(definitions: Definitions, broken: &[(&str, u64)]) {
    case(definitions, at_100().enter(0).leave(0), 2, broken);
}

#[test]
fn definitions_of_one_thing() {
    let paradigm = || payload().raw(&[4]).c(1).raw(&[0]);
    defined(sound().record(6, paradigm()), &[]);
    defined(sound().record(6, paradigm()).record(6, paradigm()), &[("Paradigm", next() + 1)]);
    let property = |of: u8| payload().raw(&[of, 2, 1, 1]);
    defined(sound().record(7, property(4)).record(7, property(1)), &[]);
    let twice = sound().record(7, property(4)).record(7, property(4));
    defined(twice, &[("ParadigmProperty", next() + 1)]);
    let file = payload().c(0).c(1).c(UNDEFINED);
    let of_file = |name: u64| payload().c(0).c(name).raw(&[1, 7]);
    let files = || sound().record(38, file.clone()).record(37, of_file(1));
    defined(files().record(37, of_file(0)), &[]);
    defined(files().record(37, of_file(1)), &[("IoFileProperty", next() + 2)]);
    let state = || payload().c(0).raw(&[0]).c(0);
    defined(handles().record(41, state()), &[]);
    let twice = handles().record(41, state()).record(41, state());
    defined(twice, &[("IoPreCreatedHandleState", handles().count + 2)]);
}

#[test]
fn definitions_by_themselves() {
    let class = |kind: u8| payload().c(0).raw(&[0, 0, kind]);
    let instance = payload().c(1).c(0).c(0).raw(&[0]).c(0);
    let metrics = |kind| sound().record(20, class(kind)).record(21, instance.clone());
    defined(metrics(1), &[]);
    defined(metrics(2), &[("MetricInstance", next() + 1)]);
    let comm = |group: u64| payload().c(1).c(1).c(group).c(UNDEFINED).c(0);
    defined(sound().record(22, comm(1)), &[]);
    defined(sound().record(22, comm(0)), &[("Comm", next())]);
    let accelerator = |creator: u64| payload().c(1).c(1).raw(&[2]).c(UNDEFINED).c(creator);
    defined(sound().record(13, accelerator(0)), &[]);
    defined(sound().record(13, accelerator(UNDEFINED)), &[("LocationGroup", next())]);
    let paradigm = |class: u8, flags: u64| {
        let identified = sound().string(50, "POSIX");
        identified.record(8, payload().raw(&[0]).c(50).c(1).raw(&[class]).c(flags).raw(&[0]))
    };
    defined(paradigm(0, 1), &[]);
    defined(paradigm(1, 1), &[("IoParadigm", next() + 1)]);
    defined(paradigm(0, 0), &[("IoParadigm", next() + 1)]);
    let with_comm = payload().c(2).c(1).c(UNDEFINED).raw(&[0]).c(0).c(0).c(UNDEFINED);
    defined(handles().record(40, with_comm), &[("IoHandle", handles().count + 1)]);
}

/// Numbers go from 0, in the order of the file. Each kind is told once.
#[test]
fn numbers_without_gaps() {
    let group = |id: u64| payload().c(id).c(1).raw(&[0]).c(0).raw(&[1, 1]).c(0);
    defined(sound().record(18, group(2)).record(18, group(3)), &[]);
    defined(sound().record(18, group(9)).record(18, group(11)), &[("Group", next())]);
    let swapped = sound().record(18, group(3)).record(18, group(2));
    defined(swapped, &[("Group", next())]);
    // Numbers of strings and locations may be any.
    defined(sound().string(77, "x"), &[]);
}

/// Handles 0 and 1, of a serial paradigm.
fn handles() -> Definitions {
    let paradigm = payload().raw(&[0]).c(1).c(1).raw(&[0]).c(0).raw(&[0]);
    let handle = |id| payload().c(id).c(1).c(UNDEFINED).raw(&[0]).c(0).c(UNDEFINED).c(UNDEFINED);
    sound().record(8, paradigm).record(40, handle(0)).record(40, handle(1))
}

const COMM_CREATE: u8 = 87;
const COMM_DESTROY: u8 = 88;
const CREATE_HANDLE: u8 = 17;
const DESTROY_HANDLE: u8 = 18;

fn collective(operation: u8, inside: impl FnOnce(Bytes) -> Bytes, events: Bytes) -> Bytes {
    let end = payload().raw(&[operation]).c(0).c(UNDEFINED).c(0).c(0);
    inside(events.record(22, payload())).record(23, end)
}

#[test]
fn communicators_come_and_go() {
    // Communicator 1 has the flag, 0 has not.
    let flagged = || sound().record(22, payload().c(1).c(1).c(1).c(UNDEFINED).c(1));
    let change =
        |record: u8, comm: u64| move |events: Bytes| events.record(record, payload().c(comm));
    let fine = collective(CREATE_HANDLE, change(COMM_CREATE, 1), at_100());
    let fine = collective(DESTROY_HANDLE, change(COMM_DESTROY, 1), fine);
    case(flagged(), fine, 6, &[]);
    let other = collective(CREATE_HANDLE, change(COMM_CREATE, 0), at_100());
    case(flagged(), other, 3, &[("CommCreate", 2)]);
    let wrong = collective(DESTROY_HANDLE, change(COMM_CREATE, 1), at_100());
    case(flagged(), wrong, 3, &[("CommCreate", 2)]);
    case(flagged(), change(COMM_DESTROY, 1)(at_100()), 1, &[("CommDestroy", 1)]);
    let begun = payload().c(3);
    let done = payload().raw(&[CREATE_HANDLE]).c(0).c(UNDEFINED).c(0).c(0).c(3);
    let later = at_100().record(85, begun);
    case(flagged(), change(COMM_CREATE, 1)(later).record(86, done), 3, &[]);
}

#[test]
fn windows_come_and_go() {
    let window = |id: u64, flags: u64| payload().c(id).c(1).c(0).c(flags);
    let windows = || sound().record(24, window(0, 1)).record(24, window(1, 0));
    let around = |inside: Bytes, operation: u8| {
        inside.record(38, payload().raw(&[operation]).c(0).c(0).c(UNDEFINED).c(0).c(0))
    };
    let begin = || at_100().record(37, payload());
    let create = |events: Bytes, window: u64| events.record(35, payload().c(window));
    case(windows(), around(create(begin(), 0), CREATE_HANDLE), 3, &[]);
    case(windows(), around(create(begin(), 1), CREATE_HANDLE), 3, &[("RmaWinCreate", 2)]);
    case(windows(), around(create(begin(), 0), 0), 3, &[("RmaWinCreate", 2)]);
    case(windows(), create(at_100(), 0), 1, &[("RmaWinCreate", 1)]);
    // Between a host and its accelerators no collective operation is needed.
    const CUDA: u8 = 5;
    for (paradigm, is_of_accelerator) in [(4, false), (CUDA, true)] {
        let group = |id: u64, kind: u8| {
            payload().c(id).c(1).raw(&[0]).c(1).c(0).raw(&[kind, paradigm]).c(0)
        };
        let comm = payload().c(1).c(1).c(3).c(UNDEFINED).c(0);
        let window = payload().c(0).c(1).c(1).c(1);
        let one = sound().record(18, group(2, 4)).record(18, group(3, 5)).record(22, comm);
        let one = one.record(24, window);
        let broken = [("RmaWinCreate", 1)];
        let broken = if is_of_accelerator { &[][..] } else { &broken[..] };
        case(one, create(at_100(), 0), 1, broken);
    }
}

#[test]
fn operations_on_handles() {
    let create = |events: Bytes, id: u64| events.record(69, payload().c(id).raw(&[0]).c(0).c(0));
    let destroy = |events: Bytes, id: u64| events.record(70, payload().c(id));
    let seek = |events: Bytes| events.record(72, payload().c(0).c(0).raw(&[0]).c(0));
    case(handles(), destroy(seek(create(at_100(), 0)), 0), 3, &[]);
    case(handles(), seek(destroy(create(at_100(), 0), 0)), 3, &[("IoSeek", 3)]);
    case(handles(), destroy(destroy(at_100(), 0), 0), 2, &[("IoDestroyHandle", 2)]);
    case(handles(), seek(create(destroy(at_100(), 0), 0)), 3, &[]);
    let begin =
        |events: Bytes, flags: u64| events.record(75, payload().c(0).raw(&[0]).c(flags).c(8).c(3));
    let issued = |events: Bytes| events.record(77, payload().c(0).c(3));
    let complete = |events: Bytes| events.record(78, payload().c(0).c(8).c(3));
    case(handles(), complete(issued(begin(at_100(), 1))), 3, &[]);
    let blocking = complete(issued(begin(at_100(), 0)));
    case(handles(), blocking, 3, &[("IoOperationIssued", 2)]);
    let after = complete(begin(destroy(at_100(), 0), 0));
    case(handles(), after, 3, &[("IoOperationBegin", 2)]);
}

#[test]
fn a_program_begins_and_ends_once() {
    let begin = |events: Bytes| events.record(83, payload().c(1).c(0));
    let end = |events: Bytes| events.record(84, payload().c(0));
    case(sound(), end(begin(at_100())), 2, &[]);
    let twice = end(begin(end(begin(at_100()))));
    case(sound(), twice, 4, &[("ProgramBegin", 3), ("ProgramEnd", 4)]);
}
