//! Comparisons of runs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{json, Value};

use crate::common::archives::{large_folders, one, own, Archive};
use crate::common::program::{on_ranks, said, streamfold, text};

fn diff<A: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    streamfold(["diff", "-q"]).args(args).output().expect("the program runs")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("JSON: {}", said(output)))
}

/// A report of a command on a trace.
fn report(command: &str, anchor: &Path, folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let mut run = streamfold([command, "-q", "-o"]);
    let run = run.arg(&path).arg(anchor).output().expect("a run");
    assert!(matches!(run.status.code(), Some(0 | 3)), "{}", said(&run));
    path
}

/// The same report with what `change` does to it.
fn changed(report: &Path, name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let text = fs::read_to_string(report).expect("a report");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    change(&mut document);
    let path = report.with_file_name(name);
    // A line for each member, as the program writes it.
    let members = document.as_object().expect("an object");
    let members: Vec<_> =
        members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    fs::write(&path, format!("{{\n{}\n}}\n", members.join(",\n"))).expect("a file");
    path
}

/// Makes a region take so many times its time.
fn slow_down(document: &mut Value, name: &str, factor: f64) {
    let rows = document["regions"].as_array_mut().expect("rows");
    let row = rows.iter_mut().find(|row| row["name"] == name).expect("the region");
    let ticks = row["exclusive"].as_u64().expect("a number");
    let more = (ticks as f64 * factor) as u64;
    row["exclusive"] = json!(more);
    row["outer"] = json!(row["outer"].as_u64().expect("a number") + more - ticks);
    let total = document["total"]["exclusive"].as_u64().expect("a number");
    document["total"]["exclusive"] = json!(total + more - ticks);
}

/// The region with the most exclusive time.
fn largest(report: &Path) -> (String, f64) {
    let document: Value =
        serde_json::from_slice(&fs::read(report).expect("a report")).expect("JSON");
    let row = &document["regions"][0];
    let resolution = document["units"]["ticks_per_second"].as_f64().expect("a number");
    let seconds = row["exclusive"].as_f64().expect("a number") / resolution;
    (row["name"].as_str().expect("a name").to_owned(), seconds)
}

#[test]
fn a_trace_and_itself_are_the_same() {
    for archive in own() {
        for by in ["region", "callpath", "waits"] {
            let anchor = &archive.anchor;
            let found = diff(
                ["--by", by, "--fail-over", "0"]
                    .map(OsString::from)
                    .into_iter()
                    .chain([anchor.clone().into_os_string(), anchor.clone().into_os_string()]),
            );
            let code = found.status.code();
            assert!(matches!(code, Some(0 | 3)), "{} {by}: {}", archive.name, said(&found));
            assert!(
                text(&found.stdout).starts_with("Nothing changed: "),
                "{} {by}: {}",
                archive.name,
                text(&found.stdout),
            );
        }
    }
}

#[test]
fn a_report_is_as_good_as_its_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = one("hybrid").anchor;
    let profile = report("profile", &anchor, folder.path(), "p.json");
    let waits = report("waitstates", &anchor, folder.path(), "w.json");
    for (by, earlier) in [("region", &profile), ("callpath", &profile), ("waits", &waits)] {
        for more in [&[][..], &["--inclusive"]] {
            if by == "waits" && !more.is_empty() {
                continue;
            }
            let mut args = vec![anchor.as_os_str(), earlier.as_os_str()];
            args.extend(["--by", by].map(std::ffi::OsStr::new));
            args.extend(more.iter().map(std::ffi::OsStr::new));
            let found = diff(args);
            assert!(text(&found.stdout).starts_with("Nothing changed"), "{by}: {}", said(&found));
        }
    }
    // A report of wait states says by what it is compared.
    let found = diff([&waits, &waits]);
    assert!(text(&found.stdout).starts_with("Nothing changed"), "{}", said(&found));
    let found = diff([&waits, &profile]);
    assert_eq!(found.status.code(), Some(1), "{}", said(&found));
    assert!(said(&found).contains("has no wait states: say --by region"), "{}", said(&found));
}

#[test]
fn what_became_slower_comes_first_and_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = report("profile", &one("pingpong").anchor, folder.path(), "before.json");
    let (name, seconds) = largest(&before);
    let after = changed(&before, "after.json", |document| slow_down(document, &name, 1.5));
    let found =
        diff(["--format", "json"].iter().map(PathBuf::from).chain([before.clone(), after.clone()]));
    assert_eq!(found.status.code(), Some(0), "{}", said(&found));
    let document = json(&found);
    let row = &document["rows"][0];
    assert_eq!((&row["name"], &row["verdict"]), (&json!(name), &json!("slower")));
    let number = |name: &str| row[name].as_f64().expect("a number");
    assert!((number("before_seconds") - seconds).abs() < 1e-9);
    assert!((number("change_seconds") - seconds / 2.0).abs() < 1e-6);
    assert!((number("change_percent") - 50.0).abs() < 0.01);
    assert_eq!(document["same"], json!(false));

    let gate = |limit: &str, from: &Path, to: &Path| {
        diff([OsString::from("--fail-over"), limit.into(), from.into(), to.into()])
    };
    let failed = gate("10%", &before, &after);
    assert_eq!(failed.status.code(), Some(6), "{}", said(&failed));
    assert!(said(&failed).contains(&format!("too much time: {name}: ")), "{}", said(&failed));
    assert!(text(&failed.stdout).contains("slower") && text(&failed.stdout).contains(&name));
    for (limit, from, to) in [("60%", &before, &after), ("10%", &after, &before)] {
        let passed = gate(limit, from, to);
        assert_eq!(passed.status.code(), Some(0), "{}", said(&passed));
        assert!(said(&passed).is_empty(), "{}", said(&passed));
    }
}

#[test]
fn small_changes_are_hidden_and_forgiven() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = report("profile", &one("pingpong").anchor, folder.path(), "before.json");
    let (name, _) = largest(&before);
    let after = changed(&before, "after.json", |document| slow_down(document, &name, 1.5));
    let args = ["--fail-over", "10%", "--min", "99%"].map(OsString::from);
    let found = diff(args.into_iter().chain([before.into(), after.into()]));
    assert_eq!(found.status.code(), Some(0), "{}", said(&found));
    let shown = text(&found.stdout);
    assert!(shown.contains("Hidden: 1 region whose change is less than 99 %"), "{shown}");
}

#[test]
fn changes_within_the_spread_are_noise() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = report("profile", &one("pingpong").anchor, folder.path(), "one.json");
    let (name, _) = largest(&one);
    let run = |file: &str, factor: f64| changed(&one, file, |it| slow_down(it, &name, factor));
    let before = [run("b1.json", 1.0), run("b2.json", 1.3)];
    let near = [run("n1.json", 1.2), run("n2.json", 1.6)];
    let far = [run("f1.json", 1.9), run("f2.json", 2.0)];
    let verdict = |after: &[PathBuf]| {
        let mut args: Vec<OsString> = vec!["--before".into()];
        args.extend(before.iter().map(Into::into));
        args.push("--after".into());
        args.extend(after.iter().map(Into::into));
        args.extend(["--fail-over", "5%", "--format", "json"].map(Into::into));
        let found = diff(args);
        (json(&found)["rows"][0]["verdict"].clone(), found.status.code())
    };
    assert_eq!(verdict(&near), (json!("noise"), Some(0)));
    assert_eq!(verdict(&far), (json!("slower"), Some(6)));
}

#[test]
fn all_formats_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = report("profile", &one("pingpong").anchor, folder.path(), "before.json");
    let (name, _) = largest(&before);
    let after = changed(&before, "after.json", |document| slow_down(document, &name, 1.5));
    let outputs =
        ["d.md", "d.csv", "d.json", "d.xml", "d.txt"].map(|file| folder.path().join(file));
    let mut args: Vec<OsString> =
        vec![before.into(), after.into(), "--fail-over".into(), "10".into()];
    outputs.iter().for_each(|path| args.extend(["-o".into(), path.into()]));
    let found = diff(args);
    assert_eq!(found.status.code(), Some(6), "{}", said(&found));
    assert!(found.stdout.is_empty());
    let [md, csv, json, xml, txt] = outputs.map(|path| fs::read_to_string(path).expect("a file"));
    let document: Value = serde_json::from_str(&json).expect("JSON");
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(csv.lines().count(), rows.len() + 1);
    assert!(md.contains("| region | before | after |") && md.contains("+50.0"), "{md}");
    assert!(txt.contains("+50.0") && txt.starts_with("AFTER takes as long"), "{txt}");
    let cases = xml.matches("<testcase ").count();
    assert!(xml.contains(&format!("tests=\"{cases}\" failures=\"1\"")), "{xml}");
    assert_eq!(xml.matches("<failure ").count(), 1, "{xml}");
}

#[test]
fn any_number_of_ranks_says_the_same() {
    let (one, other) = (one("hybrid").anchor, one("pingpong").anchor);
    for by in ["region", "callpath", "waits"] {
        let args = || {
            let args = ["diff", "-q", "--format", "json", "--by", by].map(OsString::from);
            args.into_iter().chain([one.clone().into(), other.clone().into()])
        };
        let expected = streamfold(args()).output().expect("a run");
        assert_eq!(expected.status.code(), Some(0), "{}", said(&expected));
        for ranks in [2, 3, 5] {
            let Some(found) = on_ranks(ranks, args()) else { continue };
            assert!(found.stdout == expected.stdout, "{ranks} ranks, {by}: {}", said(&found));
            assert_eq!(found.status.code(), expected.status.code());
        }
    }
}

/// Exclusive time of every region, as the profiles of both traces say.
#[test]
fn differences_are_those_of_profiles() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["scorep7-pingpong-papi", "scorep8-rma"];
    let archives: Vec<Archive> =
        large_folders(&names).iter().filter_map(|folder| Archive::find(folder)).collect();
    let [a, b] = &archives[..] else { return };
    let profiles = [("a.json", a), ("b.json", b)]
        .map(|(name, archive)| report("profile", &archive.anchor, folder.path(), name));
    let sums = profiles.map(|path| {
        let document: Value =
            serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
        let resolution = document["units"]["ticks_per_second"].as_f64().expect("a number");
        let mut sums = std::collections::BTreeMap::new();
        for row in document["regions"].as_array().expect("rows") {
            // Runs with unequal numbers of locations are compared by location.
            let locations = document["locations"].as_array().expect("rows").len() as f64;
            let time = row["exclusive"].as_f64().expect("a number") / resolution / locations;
            *sums.entry(row["name"].as_str().expect("a name").to_owned()).or_insert(0.0) += time;
        }
        sums
    });
    let found =
        diff([OsString::from("--format"), "json".into(), (&a.anchor).into(), (&b.anchor).into()]);
    let document = json(&found);
    for row in document["rows"].as_array().expect("rows") {
        let name = row["name"].as_str().expect("a name");
        let [before, after] = sums.each_ref().map(|sums| sums.get(name).copied());
        // Two regions of a name have their files behind it.
        if before.is_none() && after.is_none() {
            continue;
        }
        let number = |name: &str| row[name].as_f64().expect("a number");
        assert!((number("before_seconds") - before.unwrap_or(0.0)).abs() < 1e-9, "{row}");
        assert!((number("after_seconds") - after.unwrap_or(0.0)).abs() < 1e-9, "{row}");
        assert_eq!(row["verdict"] == "new", before.is_none(), "{row}");
        assert_eq!(row["verdict"] == "gone", after.is_none(), "{row}");
    }
}

#[test]
fn what_cannot_be_compared_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = one("pingpong").anchor;
    let good = report("profile", &anchor, folder.path(), "good.json");
    let newer = changed(&good, "newer.json", |it| it["schema_version"] = json!("2.0"));
    let other = changed(&good, "other.json", |it| it["schema"] = json!("streamfold-match"));
    let cut = folder.path().join("cut.json");
    let bytes = fs::read(&good).expect("a file");
    fs::write(&cut, &bytes[..bytes.len() / 2]).expect("a file");
    let backward = changed(&good, "backward.json", |it| it["paths"][0]["parent"] = json!(7));
    for (path, by, code, part) in [
        (&newer, "region", 2, "the report has version 2.0"),
        (&other, "region", 1, "a report of `streamfold match`"),
        (&cut, "region", 2, "not a whole report"),
        (&backward, "callpath", 2, "stands before the one"),
        (&folder.path().join("none.json"), "region", 4, "none.json: No such file"),
    ] {
        let args = [OsString::from("--by"), by.into(), path.into(), (&anchor).into()];
        let found = diff(args);
        assert_eq!(found.status.code(), Some(code), "{}", said(&found));
        assert!(said(&found).contains(part), "{}", said(&found));
    }
    let alone = diff([&anchor]);
    assert_eq!(alone.status.code(), Some(1));
    let onto = diff([good.as_os_str(), anchor.as_os_str(), "-o".as_ref(), good.as_os_str()]);
    assert_eq!(onto.status.code(), Some(1), "{}", said(&onto));
    assert!(fs::read(&good).expect("still there") == bytes);
    for more in [&["--region", "x"][..], &["--inclusive"]] {
        let mut args = vec![OsString::from("--by"), "waits".into()];
        args.extend(more.iter().map(OsString::from));
        args.extend([(&anchor).into(), (&anchor).into()]);
        let options = diff(args);
        assert_eq!(options.status.code(), Some(1), "{more:?}: {}", said(&options));
    }
}

/// Classes of time have no visits, and names that can be the subject of a sentence.
#[test]
fn classes_of_time_have_names_and_no_visits() {
    let [ended, whole] = ["time-drops-ended-processes", "part-without-computation"].map(of_account);
    let args = ["--by", "waits", "--format", "json"].map(OsString::from);
    let output = diff(args.into_iter().chain([whole.into(), ended.into()]));
    let report = json(&output);
    let rows = report["rows"].as_array().expect("rows");
    let name = "Not begun, ended > ended";
    let row = rows.iter().find(|row| row["name"] == name).expect("a class");
    assert_eq!((&row["before_visits"], &row["after_visits"]), (&Value::Null, &Value::Null));
    let answer = report["answer"].as_str().expect("a sentence");
    assert!(!answer.contains("change: not ") && !answer.contains("change: ended"), "{answer}");
}

fn of_account(name: &str) -> PathBuf {
    Path::new("tests/data/account").join(name).join("traces.otf2")
}

/// A wait has the same name and the same time as in `waitstates`, and stands below what it is a part of.
#[test]
fn waits_are_the_tree_of_waitstates() {
    let [before, after] = ["before", "after"].map(|of| format!("tests/data/tutorial/{of}"));
    let args = ["--by", "waits", "--min", "0", "--top", "100", &before, &after];
    let found = diff(args);
    let rows: Vec<String> = text(&found.stdout).lines().map(str::to_owned).collect();
    let run = streamfold(["waitstates", "-q", &before]).output().expect("a run");
    let told = text(&run.stdout);
    let tree = told.lines().skip_while(|line| !line.starts_with("Time of ")).skip(2);
    let tree: Vec<&str> = tree.take_while(|line| !line.is_empty()).collect();
    let names: Vec<&str> = tree
        .iter()
        .map(|line| line.split("  ").find(|it| !it.is_empty()).expect("a name").trim())
        .collect();
    assert!(names.contains(&"Late sender") && names.contains(&"Wrong order"), "{told}");
    let mut last = 0;
    for (line, name) in tree.iter().zip(&names) {
        let shown =
            |row: &&String| row.trim_end().ends_with(&format!("  {name}")) || row.trim() == *name;
        let Some(at) = rows.iter().position(|row| shown(&row)) else {
            // Rows without a change are not shown.
            continue;
        };
        assert!(at > last, "{name} comes before what stands above it: {rows:#?}");
        last = at;
        let time = line.trim_start().strip_prefix(name).expect("its name").trim();
        let time: Vec<&str> = time.split_whitespace().take(2).collect();
        let [value, unit] = time[..] else { continue };
        assert!(
            rows[at].trim_start().starts_with(&format!("{value} {unit}")),
            "{line}: {}",
            rows[at]
        );
    }
    assert!(last > 0, "{rows:#?}");
}
