//! Operations on files, and what becomes of handles.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use streamfold::model::definitions::{
    Definition, IoHandle, IoPreCreatedHandleState, IoRegularFile, StringDef,
};
use streamfold::model::enums::{
    IoAccessMode, IoCreationFlag, IoHandleFlag, IoOperationFlag, IoOperationMode, IoStatusFlag,
};
use streamfold::model::events::{
    Event, IoCreateHandle, IoDestroyHandle, IoDuplicateHandle, IoOperationBegin,
    IoOperationCancelled, IoOperationComplete, IoOperationIssued,
};
use streamfold::model::ids::{
    CommRef, IoFileRef, IoHandleRef, IoParadigmRef, StringRef, SystemTreeNodeRef,
};

use crate::matching::made::{Made, Writer};
use crate::matching::spans::{numbers, row};
use crate::matching::{report, rows};

const FILE: IoHandleRef = IoHandleRef(0);
/// What it is made from says what it is.
const COPY: IoHandleRef = IoHandleRef(1);
/// It has a name, and is no file.
const OUTPUT: IoHandleRef = IoHandleRef(2);
/// Nobody knows anything of it.
const NAMELESS: IoHandleRef = IoHandleRef(3);

fn define(made: &mut Made) {
    for (id, string) in [(501, "/data/a"), (502, "stdout")] {
        made.add(Definition::StringDef(StringDef { id: StringRef(id), string: string.into() }));
    }
    made.posix();
    made.add(Definition::IoRegularFile(IoRegularFile {
        id: IoFileRef(0),
        name: StringRef(501),
        scope: SystemTreeNodeRef(0),
    }));
    let none = (IoFileRef::UNDEFINED, StringRef::UNDEFINED);
    for (id, (file, name)) in [
        (FILE, (IoFileRef(0), StringRef::UNDEFINED)),
        (COPY, none),
        (OUTPUT, (IoFileRef::UNDEFINED, StringRef(502))),
        (NAMELESS, none),
    ] {
        made.add(Definition::IoHandle(IoHandle {
            id,
            name,
            file,
            io_paradigm: IoParadigmRef(0),
            io_handle_flags: IoHandleFlag::NONE,
            comm: CommRef::UNDEFINED,
            parent: IoHandleRef::UNDEFINED,
        }));
    }
    made.add(Definition::IoPreCreatedHandleState(IoPreCreatedHandleState {
        io_handle: OUTPUT,
        mode: IoAccessMode::WriteOnly,
        status_flags: IoStatusFlag::NONE,
    }));
}

fn begin(to: &mut Writer, time: u64, handle: IoHandleRef, bytes_request: u64) {
    let (mode, operation_flags) = (IoOperationMode::Write, IoOperationFlag::NONE);
    let matching_id = 7;
    let event = IoOperationBegin { handle, mode, operation_flags, bytes_request, matching_id };
    to.at(time, Event::IoOperationBegin(event));
}

fn complete(to: &mut Writer, time: u64, handle: IoHandleRef, bytes_result: u64) {
    let matching_id = 7;
    to.at(
        time,
        Event::IoOperationComplete(IoOperationComplete { handle, bytes_result, matching_id }),
    );
}

fn made() -> (Made, PathBuf) {
    let mut made = Made::new(&[1]);
    define(&mut made);
    made.events(0, |to| {
        let (mode, status_flags) = (IoAccessMode::ReadWrite, IoStatusFlag::NONE);
        let creation_flags = IoCreationFlag::NONE;
        let created = IoCreateHandle { handle: FILE, mode, creation_flags, status_flags };
        to.at(1, Event::IoCreateHandle(created));
        let (old_handle, new_handle) = (FILE, COPY);
        let duplicate = IoDuplicateHandle { old_handle, new_handle, status_flags };
        to.at(2, Event::IoDuplicateHandle(duplicate));
        begin(to, 10, FILE, 100);
        to.at(12, Event::IoOperationIssued(IoOperationIssued { handle: FILE, matching_id: 7 }));
        complete(to, 20, FILE, 90);
        begin(to, 30, COPY, 8);
        complete(to, 33, COPY, 8);
        begin(to, 40, OUTPUT, 5);
        complete(to, 41, OUTPUT, 5);
        begin(to, 50, NAMELESS, 3);
        to.at(
            52,
            Event::IoOperationCancelled(IoOperationCancelled { handle: NAMELESS, matching_id: 7 }),
        );
        to.at(60, Event::IoDestroyHandle(IoDestroyHandle { handle: COPY }));
    });
    let anchor = made.finish();
    (made, anchor)
}

#[test]
fn operations_are_on_the_file_that_a_handle_was_made_from_or_on_what_it_is_called() {
    let (_made, anchor) = made();
    let (report, code) = report(&anchor, &[]);
    assert_eq!(code, 0);
    assert_eq!(rows(&report, "files").len(), 3);
    let columns = ["begun", "requested_bytes", "complete", "bytes", "ticks", "issued", "cancelled"];
    let of = |name| numbers(row(&report, "files", "name", name), columns);
    assert_eq!(of("/data/a"), [2, 108, 2, 98, 13, 1, 0]);
    assert_eq!(of("stdout"), [1, 5, 1, 5, 1, 0, 0]);
    assert_eq!(of("<no file>"), [1, 3, 0, 0, 0, 0, 1]);
}

/// EZTrace gives each rank names and paradigms of its own, of which several say the same.
#[test]
fn what_says_the_same_is_one_row() {
    let (report, _) = report(Path::new("tests/data/eztrace/eztrace_log.otf2"), &[]);
    let key = |row: &serde_json::Value| ["name", "paradigm", "mode"].map(|of| row[of].to_string());
    let keys: Vec<_> = rows(&report, "files").iter().map(key).collect();
    let distinct: BTreeSet<_> = keys.iter().collect();
    assert_eq!((distinct.len(), keys.len()), (6, 6));
}

#[test]
fn what_becomes_of_a_handle_is_told() {
    let (_made, anchor) = made();
    let (report, _) = report(&anchor, &[]);
    let columns = ["pre_created", "created", "duplicated", "destroyed", "operations", "bytes"];
    let found: Vec<_> = rows(&report, "handles").iter().map(|row| numbers(row, columns)).collect();
    let expected =
        [[0, 1, 0, 0, 1, 90], [0, 0, 1, 1, 1, 8], [1, 0, 0, 0, 1, 5], [0, 0, 0, 0, 1, 0]];
    assert_eq!(found, expected);
    assert_eq!(rows(&report, "handles")[1]["made_from"], 0);
    assert_eq!(rows(&report, "handles")[0]["made_from"], serde_json::Value::Null);
}

/// Ends that nobody began are what they are.
#[test]
fn an_operation_that_is_cancelled_and_did_not_begin_is_not_complete() {
    let mut made = Made::new(&[1]);
    define(&mut made);
    made.events(0, |to| {
        to.at(
            5,
            Event::IoOperationCancelled(IoOperationCancelled { handle: FILE, matching_id: 7 }),
        );
        complete(to, 6, FILE, 9);
    });
    let anchor = made.finish();
    let (report, _) = report(&anchor, &[]);
    let [file] = rows(&report, "files") else { panic!("{}", report["files"]) };
    assert_eq!(numbers(file, ["begun", "complete", "bytes", "cancelled"]), [0, 1, 9, 1]);
    let [handle] = rows(&report, "handles") else { panic!("{}", report["handles"]) };
    assert_eq!(numbers(handle, ["operations", "bytes", "unbegun"]), [0, 9, 2]);
}

/// Listing messages goes another way through the events, and says the same of all others.
#[test]
fn a_list_of_messages_changes_nothing_of_it() {
    let (made, anchor) = made();
    let list = made.folder().join("list.csv");
    let (plain, _) = report(&anchor, &[]);
    let (listed, code) = report(&anchor, &["--list", list.to_str().expect("a path")]);
    assert_eq!(code, 0);
    assert_eq!([&listed["files"], &listed["handles"]], [&plain["files"], &plain["handles"]]);
}

/// What a handle is does not depend on what of the trace counts.
#[test]
fn what_a_handle_was_made_from_is_known_whatever_is_chosen() {
    let mut made = Made::new(&[2]);
    define(&mut made);
    let duplicate =
        IoDuplicateHandle { old_handle: FILE, new_handle: COPY, status_flags: IoStatusFlag::NONE };
    made.events(0, |to| to.at(2, Event::IoDuplicateHandle(duplicate)));
    made.events(1, |to| {
        begin(to, 30, COPY, 8);
        complete(to, 33, COPY, 8);
    });
    let anchor = made.finish();
    for more in [&[][..], &["--time", "10us", "end"], &["-L", "1"]] {
        let (report, code) = report(&anchor, more);
        assert_eq!(code, 0);
        let [file] = rows(&report, "files") else { panic!("{more:?}: {}", report["files"]) };
        assert_eq!((&file["name"], &file["begun"]), (&"/data/a".into(), &1.into()), "{more:?}");
        let [handle] = rows(&report, "handles") else { panic!("{more:?}: {}", report["handles"]) };
        let duplicated = u64::from(more.is_empty());
        assert_eq!(numbers(handle, ["made_from", "duplicated", "bytes"]), [0, duplicated, 8]);
        assert_eq!(handle["file"], "/data/a", "{more:?}");
    }
    // Nothing of it counts: no row.
    let (none, _) = report(&anchor, &["--time", "40us", "end"]);
    assert!(rows(&none, "handles").is_empty(), "{}", none["handles"]);
}
