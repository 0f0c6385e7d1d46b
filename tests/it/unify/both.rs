//! Numbers that a location without mapping tables defines, and the global definitions as well.

use std::ffi::OsStr;
use std::path::Path;

use streamfold::model::definitions::{CallingContext, Definition, Parameter};
use streamfold::model::enums::ParameterType;
use streamfold::model::events::{CallingContextEnter, CallingContextLeave, Event, ParameterString};
use streamfold::model::ids::{
    CallingContextRef, CommRef, GroupRef, ParameterRef, RegionRef, SourceCodeLocationRef,
};

use crate::common::program::{on_ranks, said, streamfold, text};
use crate::common::reference::{is_installed, otf2_print};
use crate::unify::made::{make, make_with, records, send, system, visit, Defs, Local, Made};
use crate::unify::profiles::{profile_of, rows};
use crate::unify::{expect, Place};

/// A location that visits three regions of its own, and sends in a communicator of its own.
fn local(names: [&str; 3]) -> Local {
    let mut defs = Defs::new(0);
    let regions = names.map(|name| defs.region(name));
    let (_, comm) = defs.world(&[0]);
    assert_eq!((regions, comm), ([2, 4, 6].map(RegionRef), CommRef(10)));
    let visits = regions.into_iter().flat_map(visit);
    Local::new(defs, visits.chain([send(comm, 7)]).collect::<Vec<Event<'static>>>())
}

/// Two such locations, and global definitions that say something else of two of the regions and of the
/// communicator.
fn made() -> Made {
    let locals = [local(["a", "b", "c"]), local(["b", "d", "c"])];
    let mut others = Defs::new(50);
    others.region("x");
    others.region("b");
    others.comm("other", GroupRef::UNDEFINED, CommRef::UNDEFINED);
    let mut regions = [2, 4].map(RegionRef).into_iter();
    let mut global = system(&locals);
    global.all.extend(others.all.into_iter().map(|mut definition| {
        match &mut definition {
            Definition::Region(region) => region.id = regions.next().expect("two"),
            Definition::Comm(comm) => comm.id = CommRef(10),
            _ => {}
        }
        definition
    }));
    make_with(global, &locals, |_| (0, 0))
}

#[track_caller]
fn run(args: &[&str], from: &[&Path]) -> Place {
    let place = Place::new();
    let mut run = streamfold(args);
    let ended = run.args(from).arg("-o").arg(place.anchor()).output().expect("a run");
    expect(&ended, 0);
    place
}

/// The rows of a profile of the two locations.
fn profile(anchor: &Path, by: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let all = profile_of(anchor, by, 0, &["-L", "0", "-L", "100"]);
    let head = all.0.clone();
    rows(all, &head)
}

#[test]
fn events_mean_the_global_ones_before_and_after() {
    let made = made();
    let anchor = made.anchor.as_path();
    let other = make(&[local(["e", "f", "c"])]);
    let ways: [(&[&str], &[&Path]); 7] = [
        (&["unify"], &[anchor]),
        (&["unify", "--rewrite-events"], &[anchor]),
        (&["cut", "-L", "0", "-L", "100", "--only", "calls", "--only", "messages"], &[anchor]),
        (&["merge"], &[anchor]),
        (&["merge"], &[anchor, &other.anchor]),
        (&["merge", "--rewrite-events"], &[anchor, &other.anchor]),
        (&["copy", "--reencode"], &[anchor]),
    ];
    for (args, from) in ways {
        let place = run(args, from);
        for by in ["region", "callpath", "location"] {
            let (found, expected) = (profile(&place.anchor(), by), profile(anchor, by));
            assert!(!expected.1.is_empty());
            assert_eq!(found, expected, "{args:?} by {by}");
        }
    }
    let of_regions = profile(anchor, "region");
    let column = of_regions.0.iter().position(|name| name == "name").expect("a name");
    let names: Vec<&str> = of_regions.1.iter().map(|row| row[column].as_str()).collect();
    assert_eq!(names, ["b", "c", "x"]);
}

/// A location with a calling context of its own, which leads to a region of its own.
fn sampled(names: [&str; 2]) -> Local {
    let mut defs = Defs::new(0);
    let regions = names.map(|name| defs.region(name));
    assert_eq!(regions, [2, 4].map(RegionRef));
    let mut events = Vec::new();
    for region in regions {
        let id = CallingContextRef(defs.number());
        defs.add(Definition::CallingContext(CallingContext {
            id,
            region,
            source_code_location: SourceCodeLocationRef::UNDEFINED,
            parent: CallingContextRef::UNDEFINED,
        }));
        let enter = CallingContextEnter { calling_context: id, unwind_distance: 1 };
        events.push(Event::CallingContextEnter(enter));
        events.push(Event::CallingContextLeave(CallingContextLeave { calling_context: id }));
    }
    // In events it is the one of the trace.
    Local::new(defs, events.into_iter().chain(visit(regions[0])))
}

/// Who was visited where, how often and how long. What samples say of contexts that only locations define
/// counts for no context and no region.
fn visits(anchor: &Path, by: &str) -> Vec<Vec<String>> {
    let columns =
        ["name", "kind", "callpath", "location", "visits", "inclusive_ticks", "exclusive_ticks"];
    let (head, rows) = profile(anchor, by);
    let kept: Vec<_> = (0..head.len()).filter(|at| columns.contains(&&*head[*at])).collect();
    let rows = rows.iter().map(|row| kept.iter().map(|at| row[*at].clone()).collect());
    let undefined = ["<undefined calling context>", "<undefined region>"];
    rows.filter(|row: &Vec<String>| !undefined.contains(&&*row[0])).collect()
}

/// Definitions of a location lead to others of its file, events to those of the trace.
#[test]
fn calling_contexts_lead_to_regions_of_their_location() {
    let locals = [sampled(["a", "b"]), sampled(["b", "c"])];
    let mut global = system(&locals);
    let mut others = Defs::new(50);
    others.region("x");
    if let Some(Definition::Region(region)) = others.all.last_mut() {
        region.id = RegionRef(2);
    }
    global.all.extend(others.all);
    let made = make_with(global, &locals, |_| (0, 0));
    let anchor = made.anchor.as_path();
    for args in [&["unify"][..], &["unify", "--rewrite-events"], &["merge"]] {
        let place = run(args, &[anchor]);
        for by in ["region", "callpath", "location"] {
            let (found, expected) = (visits(&place.anchor(), by), visits(anchor, by));
            assert!(expected.len() >= 2);
            assert_eq!(found, expected, "{args:?} by {by}");
        }
    }
    for (options, expected) in [(&[][..], &["a", "b", "c", "x"][..]), (&["--region", "b"], &["b"])]
    {
        let (head, all) = profile_of(anchor, "region", 0, options);
        let column = head.iter().position(|name| name == "name").expect("a name");
        let names: Vec<&str> = all.iter().map(|row| row[column].as_str()).collect();
        let mut names: Vec<&str> =
            names.into_iter().filter(|name| !name.starts_with('<')).collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{options:?}");
    }
}

/// Adds a parameter with texts as values.
fn parameter(defs: &mut Defs, id: u32) -> ParameterRef {
    let (id, name) = (ParameterRef(id), defs.string("step"));
    let parameter_type = ParameterType::String;
    defs.add(Definition::Parameter(Parameter { id, name, parameter_type }));
    id
}

/// A location that sets the parameter of the trace, or one of its own, to these texts.
fn texts(own: bool, values: &[&str]) -> Local {
    let mut defs = Defs::new(0);
    let region = defs.region("f");
    let parameter = if own { parameter(&mut defs, 9) } else { ParameterRef(7) };
    let visits = values.iter().flat_map(|value| {
        let string = defs.string(value);
        let [enter, leave] = visit(region);
        [enter, Event::ParameterString(ParameterString { parameter, string }), leave]
    });
    let visits: Vec<Event<'static>> = visits.collect();
    Local::new(defs, visits)
}

/// These locations in a trace that has the parameter, and one of the texts, as its own.
fn with_parameter(locals: &[Local]) -> Made {
    let mut global = system(locals);
    let mut others = Defs::new(50);
    others.string("y");
    parameter(&mut others, 7);
    global.all.extend(others.all);
    make_with(global, locals, |_| (0, 0))
}

/// Values of parameters are strings of the location that sets them, whatever the trace calls so.
#[test]
fn texts_of_parameters_are_those_of_their_location() {
    let locals = [texts(false, &["x", "new"]), texts(true, &["new", "y", "newer"])];
    let made = with_parameter(&locals);
    let anchor = made.anchor.as_path();
    let split = |anchor: &Path| -> Vec<Vec<String>> {
        let columns = ["callpath", "kind", "visits", "inclusive_ticks", "exclusive_ticks"];
        let (head, rows) = profile_of(anchor, "callpath", 0, &["--by-parameter", "step"]);
        let kept = columns.map(|name| head.iter().position(|it| it == name).expect("a column"));
        let mut rows: Vec<Vec<String>> =
            rows.iter().map(|row| kept.map(|at| row[at].clone()).to_vec()).collect();
        rows.sort();
        rows
    };
    let expected = split(anchor);
    let of_texts: Vec<&str> = expected.iter().map(|row| row[0].as_str()).collect();
    let paths = ["(step = new)", "(step = newer)", "(step = x)", "(step = y)"];
    let paths = paths.map(|text| format!("f > {text}"));
    assert_eq!(of_texts[of_texts.len() - 4..], paths);
    for args in [&["unify"][..], &["unify", "--rewrite-events"], &["merge"]] {
        let place = run(args, &[anchor]);
        assert_eq!(split(&place.anchor()), expected, "{args:?}");
    }
}

/// Nobody's turn decides on which numbers texts get that only locations define.
#[test]
fn texts_of_parameters_come_out_alike_from_any_ranks_and_threads() {
    let values = ["d", "b", "x", "c", "a", "y"];
    let locals: Vec<Local> = (0..5)
        .map(|at| texts(at % 2 == 0, &[values[at], values[at + 1], values[5 - at]]))
        .collect();
    let made = with_parameter(&locals);
    let args = |threads: &'static str| {
        let args = ["profile", "--quiet", "--format", "csv", "--by", "callpath"].map(OsStr::new);
        let more = ["--by-parameter", "step", "--threads", threads].map(OsStr::new);
        args.into_iter().chain(more).chain([made.anchor.as_os_str()])
    };
    let alone = streamfold(args("1")).output().expect("a run");
    assert_eq!(alone.status.code(), Some(0), "{}", said(&alone));
    // By their names and by their paths.
    assert_eq!(text(&alone.stdout).matches("(step = ").count(), 2 * 6, "{}", text(&alone.stdout));
    let threads = streamfold(args("4")).output().expect("a run");
    assert_eq!(text(&threads.stdout), text(&alone.stdout));
    for ranks in [2, 3] {
        let Some(ended) = on_ranks(ranks, args("2")) else { return };
        assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
        assert_eq!(text(&ended.stdout), text(&alone.stdout), "{ranks} ranks");
    }
}

/// As the reference does, which asks no location what its numbers mean.
#[test]
fn the_reference_sees_the_same_where_it_saw_any() {
    if !is_installed("otf2-print") {
        return;
    }
    let made = made();
    let place = run(&["unify"], &[&made.anchor]);
    let names = |anchor: &Path| -> Vec<String> {
        let printed = text(otf2_print(&[], anchor).stdout);
        let events = printed.lines().filter(|line| line.starts_with(['E', 'L', 'M']));
        let quoted = events.map(|line| line.split('"').nth(1).unwrap_or_default().to_owned());
        quoted.collect()
    };
    let (before, after) = (names(&made.anchor), names(&place.anchor()));
    let known = before.iter().zip(&after).filter(|(before, _)| !before.is_empty());
    assert!(known.clone().count() >= 10, "{before:?}");
    assert!(known.clone().all(|(before, after)| before == after), "{before:?} {after:?}");
}

#[test]
fn it_is_told() {
    let made = made();
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect(&ended, 0);
    let text = "the global definitions have the same numbers: events mean those";
    for line in [
        format!("t/0.def: Region 2: {text}"),
        format!("t/100.def: Region 2 and 1 more: {text}"),
        format!("t/0.def: Comm 10: {text}"),
    ] {
        assert!(said(&ended).contains(&line), "{line}: {}", said(&ended));
    }
    let comms: Vec<_> =
        records(&place, &[]).iter().filter_map(|it| it["communicator"].as_u64()).collect();
    assert_eq!(comms, [10, 10]);
}
