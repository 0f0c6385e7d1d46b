//! Flame graphs and folded stacks: what they add up to is what the profile says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::archives::{one, own};
use crate::common::program::{on_ranks, said, streamfold};

fn profile(anchor: &Path) -> Value {
    let run = streamfold(["profile", "-q", "--format", "json"]).arg(anchor).output();
    serde_json::from_slice(&run.expect("a run").stdout).expect("JSON")
}

fn written(anchor: &Path, file: &Path, more: &[&str]) -> String {
    let mut program = streamfold(["profile", "-q", "-o"]);
    let output = program.arg(file).args(more).arg(anchor).output().expect("a run");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
    fs::read_to_string(file).expect("a file")
}

#[test]
fn folded_stacks_have_all_exclusive_time() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("x.folded");
    for anchor in [one("hybrid").anchor, one("sampling").anchor, own().remove(0).anchor] {
        let folded = written(&anchor, &file, &[]);
        let mut by_last: BTreeMap<String, u128> = BTreeMap::new();
        for line in folded.lines() {
            let (stack, ticks) = line.rsplit_once(' ').expect("a number");
            let last = stack.rsplit(';').next().expect("a name").to_owned();
            *by_last.entry(last).or_default() += ticks.parse::<u128>().expect("ticks");
        }
        let report = profile(&anchor);
        let mut expected: BTreeMap<String, u128> = BTreeMap::new();
        for row in report["paths"].as_array().expect("paths") {
            let ticks = u128::from(row["exclusive"].as_u64().expect("ticks"));
            let name = row["name"].as_str().expect("a name").replace(';', ":");
            if ticks > 0 {
                *expected.entry(name).or_default() += ticks;
            }
        }
        assert_eq!(by_last, expected, "{}", anchor.display());
    }
}

/// Boxes: left end, width, depth.
fn boxes(picture: &str) -> Vec<(f64, f64, f64, String)> {
    let of = |line: &str, name: &str| -> f64 {
        let (_, rest) = line.split_once(&format!(" {name}=\"")).expect("an attribute");
        rest.split_once('"').expect("an attribute").0.parse().expect("a number")
    };
    let groups = picture.split("<g class=\"b\"").skip(1);
    let one = |group: &str| {
        let (_, title) = group.split_once("<title>").expect("a title");
        let (_, rect) = group.split_once("<rect").expect("a box");
        let rect = rect.split_once("/>").expect("an end").0;
        let name = title.split(['\n', '<']).next().unwrap_or_default().to_owned();
        (of(rect, "x"), of(rect, "width"), of(rect, "y"), name)
    };
    groups.map(one).collect()
}

#[test]
fn boxes_stand_below_their_callers() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("flame.svg");
    for name in ["hybrid", "intercomm", "pingpong"] {
        let picture = written(&one(name).anchor, &file, &[]);
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        assert!(picture.contains("role=\"img\"") && picture.contains("<![CDATA["));
        let boxes = boxes(&picture);
        assert!(boxes.len() > 3, "{name}");
        let find = "<g class=\"find\" display=\"none\"";
        assert!(picture.contains(find), "only a script shows what a mouse is needed for");
        let workers = boxes.iter().filter(|of| of.3 == "workers of teams").count();
        assert_eq!(workers, usize::from(name == "hybrid"), "{name}");
        let (first, others) = boxes.split_first().expect("a box for all");
        assert_eq!(first.3, "all threads");
        for (x, width, y, name) in others {
            let is_above = |above: &&(f64, f64, f64, String)| {
                let near = 0.4;
                (above.2 + 17.0 - y).abs() < 0.1
                    && above.0 <= x + near
                    && above.0 + above.1 >= x + width - near
            };
            assert!(boxes.iter().any(|above| is_above(&above)), "{name}");
        }
    }
}

#[test]
fn the_same_bytes_come_from_any_number_of_ranks() {
    let folder = TempDir::new().expect("a folder");
    let anchor = one("hybrid").anchor;
    let mut expected: Option<Vec<String>> = None;
    for ranks in [1, 2, 3, 5, 8] {
        let files = ["a.svg", "a.folded"].map(|name| folder.path().join(name));
        let mut arguments: Vec<std::ffi::OsString> = vec!["profile".into(), "-q".into()];
        files.iter().for_each(|file| arguments.extend(["-o".into(), file.into()]));
        arguments.push(anchor.clone().into());
        let Some(output) = on_ranks(ranks, arguments) else { continue };
        assert!(output.status.success(), "{}", said(&output));
        let found = files.map(|file| fs::read_to_string(file).expect("a file")).to_vec();
        match &expected {
            Some(expected) => assert!(*expected == found, "{ranks} ranks"),
            None => expected = Some(found),
        }
    }
}

#[test]
fn a_picture_of_pixels_is_one() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("flame.png");
    let mut program = streamfold(["profile", "-q", "-o"]);
    let output = program.arg(&file).arg(one("pingpong").anchor).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    assert!(fs::read(&file).expect("a picture").starts_with(b"\x89PNG"));
}

/// Both sides of a comparison: what folded stacks of each trace alone say.
#[test]
fn folded_stacks_of_two_sides_have_the_times_of_both() {
    let folder = TempDir::new().expect("a folder");
    let [before, after] = ["hybrid", "intercomm"].map(|name| one(name).anchor);
    let file = folder.path().join("x.folded");
    // By stack, in nanoseconds; equal stacks of several paths count together.
    let alone = |anchor: &Path| {
        let report = profile(anchor);
        let resolution = report["units"]["ticks_per_second"].as_u64().expect("ticks") as f64;
        let mut stacks: BTreeMap<String, f64> = BTreeMap::new();
        for line in written(anchor, &file, &[]).lines() {
            let (stack, ticks) = line.rsplit_once(' ').expect("a number");
            // Runs with unequal numbers of locations are compared by location.
            let locations = report["locations"].as_array().expect("rows").len() as f64;
            let time = ticks.parse::<f64>().expect("ticks") * 1e9 / resolution / locations;
            *stacks.entry(stack.to_owned()).or_default() += time;
        }
        stacks
    };
    let expected = [alone(&before), alone(&after)];
    let mut program = streamfold(["diff", "-q", "-o"]);
    let output = program.arg(&file).args([&before, &after]).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    let mut found = [BTreeMap::new(), BTreeMap::new()];
    for line in fs::read_to_string(&file).expect("a file").lines() {
        let (rest, of_after) = line.rsplit_once(' ').expect("a number");
        let (stack, of_before) = rest.rsplit_once(' ').expect("two numbers");
        for (found, time) in found.iter_mut().zip([of_before, of_after]) {
            let time: f64 = time.parse().expect("a time");
            *found.entry(stack.to_owned()).or_insert(0.0) += time;
        }
    }
    for (found, expected) in found.iter().zip(&expected) {
        for (stack, time) in expected {
            let found = found.get(stack).copied().unwrap_or_default();
            assert!((found - time).abs() <= 2.0, "{stack}: {found} {time}");
        }
        let more =
            found.iter().filter(|(stack, time)| **time > 2.0 && !expected.contains_key(*stack));
        assert_eq!(more.count(), 0);
    }
}

/// The colours of boxes, and how wide they are.
#[test]
fn a_picture_of_two_sides_shows_what_changed() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("x.svg");
    let [hybrid, other] = ["hybrid", "intercomm"].map(|name| one(name).anchor);
    let picture = |before: &Path, after: &Path| {
        let mut program = streamfold(["diff", "-q", "-o"]);
        let output = program.arg(&file).args([before, after]).output().expect("a run");
        assert!(output.status.success(), "{}", said(&output));
        fs::read_to_string(&file).expect("a picture")
    };
    let same = picture(&hybrid, &hybrid);
    let [more, less] = ["#f08050", "#7cb0e8"];
    // Once in the legend.
    assert_eq!([more, less].map(|colour| same.matches(colour).count()), [1, 1]);
    // The picture of one trace has a box around the workers of teams, too.
    assert_eq!(boxes(&same).len() + 1, boxes(&written(&hybrid, &file, &[])).len());
    let (there, back) = (picture(&hybrid, &other), picture(&other, &hybrid));
    assert!(there.matches(more).count() > 1 && there.matches(less).count() > 1);
    assert_eq!(there.matches(more).count(), back.matches(less).count());
    assert_eq!(there.matches(less).count(), back.matches(more).count());
    assert!(there.contains(", new\n") && there.contains(", gone\n"));
}

#[test]
fn pictures_of_two_sides_are_of_call_paths() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("x.svg");
    let anchor = one("pingpong").anchor;
    for more in [["--by", "region"], ["--by", "waits"], ["--by", "callpath"]] {
        let mut program = streamfold(["diff", "-q", "--inclusive", "-o"]);
        let output =
            program.arg(&file).args(more).args([&anchor, &anchor]).output().expect("a run");
        assert_eq!(output.status.code(), Some(1), "{more:?}");
        assert!(said(&output).contains("without --inclusive"), "{}", said(&output));
        assert!(!file.exists());
    }
}
