//! Choices of parts of a trace: names that it lacks, and shares of its time.

use std::path::Path;

use serde_json::Value;

use crate::common::archives::{data, one, own};
use crate::common::program::{said, streamfold};

/// The exit code, and what is said.
fn run(args: &[&str], trace: &Path) -> (i32, String) {
    let output = streamfold(args).arg("-q").arg(trace).output().expect("a run");
    (output.status.code().expect("a code"), said(&output))
}

#[test]
fn names_that_there_are_are_told_instead_of_one_that_there_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("part.otf2");
    let to = to.to_str().expect("text");
    let trace = data().join("by-hand/rare-kinds/t.otf2");
    let regions = "MPI_Put, MPI_Wait, parallel, pthread_create, read, work";
    let paradigms = "mpi, openmp, pthread, user";
    for (args, code, told) in [
        (&["profile", "--region", "NOSUCH"][..], 0, regions),
        (&["print", "--region", "NOSUCH"], 0, regions),
        (&["cut", "--force", "-o", to, "--region", "NOSUCH"], 0, regions),
        (&["efficiency", "--region", "NOSUCH"], 1, regions),
        (&["timeline", "--value", "NOSUCH"], 1, regions),
        (&["waitstates", "--iterations", "NOSUCH", "1"], 1, regions),
        (&["profile", "--exclude", "."], 0, regions),
        (&["profile", "--paradigm", "NOSUCH"], 1, paradigms),
        (&["print", "--paradigm", "NOSUCH"], 1, paradigms),
        (&["cut", "--force", "-o", to, "--paradigm", "NOSUCH"], 1, paradigms),
        (&["profile", "--paradigm", "cuda"], 0, paradigms),
        (&["print", "--paradigm", "cuda"], 0, paradigms),
        (&["cut", "--force", "-o", to, "--paradigm", "cuda"], 0, paradigms),
    ] {
        let (found, said) = run(args, &trace);
        assert_eq!(found, code, "{args:?}: {said}");
        assert!(said.lines().any(|line| line.ends_with(&format!(" {told}"))), "{args:?}: {said}");
    }
    let (code, said) = run(&["print", "--region", "work"], &trace);
    assert_eq!((code, said.as_str()), (0, ""));
}

#[test]
fn of_many_names_those_that_are_most_alike_are_told() {
    let trace = one("pingpong").anchor;
    let (_, said) = run(&["timeline", "--value", "mpi_sen"], &trace);
    assert!(said.contains("it has MPI_Send, "), "{said}");
    let (_, said) = run(&["efficiency", "--region", "MPI_Sned$"], &trace);
    assert!(said.contains("it has MPI_Send, "), "{said}");
    let names = said.split("it has ").nth(1).and_then(|names| names.split(" and ").next());
    assert_eq!(names.map(|names| names.split(", ").count()), Some(20), "{said}");
    assert!(said.trim_end().ends_with(" more"), "{said}");
}

fn profile(trace: &Path, options: &[&str]) -> Value {
    let args = ["profile", "-q", "--format", "json"];
    let output = streamfold(args).args(options).arg(trace).output().expect("a run");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)))
}

fn number(of: &Value, member: &str) -> u64 {
    of[member].as_u64().unwrap_or_else(|| panic!("{member}: {of}"))
}

/// Of formats that say how long the trace is, and of those that do not.
#[test]
fn shares_of_the_time_are_of_that_from_the_first_to_the_last_event() {
    let others = ["strace/edge_exec", "dftracer/2.2-plain"];
    let others = others.map(|name| data().join(name));
    let own = own().into_iter().map(|archive| archive.anchor);
    for trace in own.chain(others) {
        let whole = profile(&trace, &[]);
        let locations = || whole["locations"].as_array().expect("rows").iter();
        let times = |member| locations().filter_map(move |of| of[member].as_u64());
        let (first, last) = (times("first").min(), times("last").max());
        let (Some(first), Some(last)) = (first, last) else { continue };
        let at =
            |share: u128, of: u128| first + (u128::from(last - first) * share).div_ceil(of) as u64;
        let cuts = ["0%", "25%", "62.5%", "100%"];
        let [quarter, later] = [at(25, 100), at(625, 1000)].map(|tick| tick.to_string());
        let ticks = ["begin".to_owned(), quarter, later];
        let ends = [&ticks[1], &ticks[2], "end"];
        let mut sums = [0; 2];
        for (part, window) in cuts.windows(2).enumerate() {
            let part_of = profile(&trace, &["--time", window[0], window[1]]);
            let (begin, end) = (&ticks[part], ends[part]);
            let expected = format!("{} {} (ticks {begin} to before {end})", window[0], window[1]);
            let options = &part_of["provenance"]["options"];
            assert_eq!(options[0][1], expected, "{}", trace.display());
            sums[0] += number(&part_of["total"], "events");
            sums[1] += number(&part_of["total"], "exclusive");
        }
        let total = &whole["total"];
        let whole = [number(total, "events"), number(total, "exclusive")];
        assert_eq!(sums, whole, "{}", trace.display());
    }
}

#[test]
fn commands_have_the_same_shares() {
    let trace = one("intercomm").anchor;
    let whole = profile(&trace, &[]);
    let count = |share: &str| {
        let args = ["print", "-q", "--json", "--time", "40%", share];
        let output = streamfold(args).arg(&trace).output().expect("a run");
        String::from_utf8(output.stdout).expect("text").lines().count() as u64
    };
    let part = |share: &str| number(&profile(&trace, &["--time", "40%", share])["total"], "events");
    assert!(0 < part("99%") && part("99%") < number(&whole["total"], "events"));
    assert_eq!(count("99%"), part("99%"));
    assert_eq!(count("100%"), part("100%"));
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("part.otf2");
    let to = to.to_str().expect("text");
    let (code, said) = run(&["cut", "-o", to, "--time", "40%", "99%"], &trace);
    assert_eq!(code, 0, "{said}");
    for (window, text) in [(["50%", "40%"], "50% is after 40%"), (["50%", "101%"], "0% to 100%")] {
        let (code, said) = run(&["profile", "--time", window[0], window[1]], &trace);
        assert_eq!(code, 1);
        assert!(said.contains(text), "{said}");
    }
}
