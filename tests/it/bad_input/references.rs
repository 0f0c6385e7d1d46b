//! References to what is not defined.

use std::ffi::OsStr;

use serde_json::Value;

use super::{globals, header, loses_something, payload, profile, run, Little};
use crate::common::small::{Bytes, Definitions, Small};

#[test]
fn events_of_regions_that_are_not_defined() {
    let mut small = Small::new(Little);
    let events = header().time(100).enter(7).time(110).leave(7).time(120).enter(0).leave(0);
    small.locations[0].events = Some(events.end().bytes);
    let says =
        ["region 7 that events refer to is not defined", "t.def", "t/0.evt", "validate` names"];
    let run = loses_something(&small.write(), &says);
    let row = "\n0,work,CPU_THREAD,0,,4,100,120,1,2,2,";
    assert!(run.csv.as_ref().unwrap().contains(row), "{:?}", run.csv);
}

/// The number that stands for no region is that of calling contexts that nobody defines, too.
#[test]
fn events_of_no_region() {
    let mut small = Small::new(Little);
    small.locations[0].events = Some(header().time(100).enter(0xffff_ffff).end().bytes);
    let written = small.write();
    loses_something(&written, &["enters or leaves are of no region", "validate` names"]);
    let shown = run(["profile".as_ref(), written.anchor().as_os_str()]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("<undefined region>") && !shown.contains("context"), "{shown}");
}

#[test]
fn events_of_calling_contexts_that_are_not_defined() {
    let mut small = Small::new(Little);
    let context = |bytes: Bytes, id: u8| {
        let payload = bytes.payload().c(9).c(1);
        bytes.record(id, payload)
    };
    let events = context(context(header().time(100), 66), 67);
    small.locations[0].events = Some(events.end().bytes);
    let written = small.write();
    loses_something(&written, &["calling contexts that are not defined", "t.def"]);
    // Their region has no number, wherever it is shown.
    let shown = |options: &[&str]| {
        let args = ["profile", "-q"].iter().chain(options).map(OsStr::new);
        let ended = run(args.chain([written.anchor().as_os_str()]));
        String::from_utf8_lossy(&ended.stdout).into_owned()
    };
    let report: Value = serde_json::from_str(&shown(&["--format", "json"])).expect("JSON");
    for list in ["/regions", "/paths", "/samples/regions", "/samples/contexts"] {
        let rows = report.pointer(list).and_then(Value::as_array).expect("rows");
        let is_it = |row: &&Value| row["name"].as_str().is_some_and(|n| n.starts_with("<undef"));
        let row = rows.iter().find(is_it).unwrap_or_else(|| panic!("{list} of {report}"));
        assert_eq!(row.get("region"), Some(&Value::Null), "{list}");
    }
    for (by, row) in [
        ("region", "\n,<undefined region>,region,"),
        ("callpath", ",,0,,<undefined region>,region,"),
    ] {
        let table = shown(&["--by", by, "--format", "csv"]);
        assert!(table.contains(row), "{table}");
    }
}

/// What refers to nothing is a loss as any other: `--strict` does not pass over it.
#[test]
fn strict_minds_references_as_well() {
    let mut small = Small::new(Little);
    small.locations[0].events = Some(header().time(100).enter(7).leave(7).end().bytes);
    let run = profile(&small.write().anchor(), &["--strict"]);
    assert_eq!((run.code, run.csv), (2, None), "{}", run.stderr);
    assert!(run.stderr.contains("region 7"), "{}", run.stderr);
}

/// Whoever defines regions and locations without names has lost none.
#[test]
fn definitions_without_names() {
    const NONE: u64 = 0xffff_ffff;
    let region = payload().c(0).c(NONE).c(NONE).raw(&[1]).c(0).c(0).c(0).c(NONE).raw(&[1, 1]).c(0);
    let location = payload().c(0).c(NONE).raw(&[1]).c(0).c(0);
    let definitions =
        Definitions::new(Little).record(15, region).record(14, location).location(1, 0);
    let run = profile(&globals(definitions).anchor(), &["--strict"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let region = payload().c(0).c(88).c(NONE).raw(&[1]).c(0).c(0).c(0).c(NONE).raw(&[1, 1]).c(0);
    let definitions = Definitions::new(Little).record(15, region).location(0, 0).location(1, 0);
    loses_something(&globals(definitions), &["the name of region 0 that events refer to"]);
}

/// A name that is not there is no reason to lose what it names.
#[test]
fn definitions_of_names_and_groups_that_are_not_defined() {
    let region = payload().c(0).c(88).c(0).raw(&[1]).c(0).c(0).c(0).c(88).raw(&[1, 1]).c(0);
    let definitions = Definitions::new(Little).record(15, region).location(0, 55).location(1, 0);
    let written = globals(definitions);
    for by in ["region", "callpath", "group", "location"] {
        for format in ["table", "csv", "json"] {
            let anchor = written.anchor().into_os_string();
            let args = [
                "profile".into(),
                anchor,
                "--by".into(),
                by.into(),
                "--format".into(),
                format.into(),
            ];
            let ended = run(args);
            assert!([Some(0), Some(3)].contains(&ended.status.code()), "{by} {format}: {ended:#?}");
            assert!(!ended.stdout.is_empty(), "{by} {format}: {ended:#?}");
        }
    }
}
