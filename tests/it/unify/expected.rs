//! The archive that nobody has unified, against what its makers say that has to come of it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::archives::facts;
use crate::common::gunzip;
use crate::common::printed::{
    count, definition, definitions, last_table, printed, without_numbers,
};
use crate::common::program::{streamfold, text};
use crate::common::reference::is_installed;
use crate::unify::{one_set, ununified};

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// The definitions, whatever their numbers are.
fn contents(lines: &[String]) -> BTreeMap<(String, String), usize> {
    let all = definitions(lines).into_iter().filter_map(|line| definition(line));
    count(all.map(|(kind, _, content)| (kind.to_owned(), content)))
}

#[test]
fn definitions_and_events_are_those_that_were_expected() {
    let Some(archive) = ununified().filter(|_| is_installed("otf2-print")) else { return };
    let expected = lines(&gunzip(&archive.folder.join("expected-unified.txt.gz")));
    for options in [&[][..], &["--rewrite-events"]] {
        let place = one_set(&archive.anchor, options);
        let found = printed(&["-A"], &place.anchor());
        let mut wanted = contents(&expected);
        // A name that stands twice among the strings that are expected.
        let twice: Vec<_> = wanted.iter_mut().filter(|(_, count)| **count == 2).collect();
        let twice: Vec<_> = twice
            .into_iter()
            .filter(|((kind, _), _)| kind == "STRING")
            .map(|(key, count)| {
                *count = 1;
                key.1.clone()
            })
            .collect();
        assert_eq!(twice, ["\"MPI\""]);
        assert_eq!(contents(&found), wanted);
        let events = |lines: &[String]| -> Vec<String> {
            let events = last_table(lines).iter().filter(|line| !line.is_empty());
            events.map(|line| without_numbers(line).replace("Metric: 0", "Metric:")).collect()
        };
        let (found, expected) = (events(&found), events(&expected));
        let pairs = found.iter().zip(&expected);
        assert_eq!(pairs.clone().find(|(found, expected)| found != expected), None);
        assert_eq!(found.len(), expected.len());
        assert!(found.len() > 9000);
    }
}

#[test]
fn kinds_have_as_many_definitions_as_expected() {
    let Some(archive) = ununified() else { return };
    let expected = facts(&archive.folder.join("facts-unified.json"));
    let place = one_set(&archive.anchor, &[]);
    let run = streamfold(["print", "--json", "-G"]).arg(place.anchor()).output().expect("a run");
    let printed = text(&run.stdout);
    let records = printed.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let kinds = records.filter_map(|record| record["record"].as_str().map(str::to_owned));
    let mut counts = count(kinds);
    let wanted = expected["definitions"].as_object().expect("counts by kind");
    for (kind, wanted) in wanted {
        let wanted = wanted.as_u64().expect("a count") as usize - usize::from(kind == "String");
        assert_eq!(counts.remove(kind), Some(wanted), "{kind}");
    }
    let rest: Vec<_> = counts.keys().filter(|kind| !kind.starts_with("Anchor")).collect();
    assert!(rest.is_empty(), "{rest:?}");
}

/// The events of all locations name what they named.
#[test]
fn local_files_hold_tables_and_clocks_alone() {
    let Some(archive) = ununified().filter(|_| is_installed("otf2-print")) else { return };
    let expected = facts(&archive.folder.join("facts-unified.json"));
    let place = one_set(&archive.anchor, &[]);
    let run = streamfold(["info", "--json"]).arg(place.anchor()).output().expect("a run");
    assert_eq!(run.status.code(), Some(0));
    let lines = printed(&["-M", "-C"], &place.anchor());
    let clocks = lines.iter().filter(|line| line.starts_with("CLOCK_OFFSET")).count() as u64;
    assert_eq!(Some(clocks), expected["local_definitions_total"]["ClockOffset"].as_u64());
    for kind in ["STRING", "REGION", "COMM"] {
        let table = format!("Type: {kind},");
        assert!(lines.iter().any(|line| line.contains(&table)), "{kind}: {lines:#?}");
    }
}
