//! What the program says of itself.

use std::collections::BTreeSet;

use super::{text, Place};
use crate::common::program::{said, streamfold};

/// The long options that a help text lists.
fn options(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let option = |line: &str| {
        let (_, rest) = line.split_once("--")?;
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
        Some(rest[..end].to_owned())
    };
    lines.filter_map(option).collect()
}

#[test]
fn help_lists_commands_options_and_exit_codes() {
    let output = streamfold(["--help"]).output().expect("a run");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(said(&output), "");
    let help = text(&output.stdout);
    let expected = ["color", "help", "max-open-files", "mpi", "quiet", "threads", "version"];
    assert_eq!(options(&help), expected.map(str::to_owned).into());
    assert!(help.lines().any(|line| line.trim_start().starts_with("profile  ")));
    let (_, codes) = help.split_once("Exit codes:").expect("exit codes");
    for code in 0..=6 {
        assert!(codes.contains(&format!("\n  {code}  ")), "{code} in {codes}");
    }
}

#[test]
fn help_of_profile_lists_all_options_and_examples() {
    for args in [["profile", "--help"], ["help", "profile"]] {
        let output = streamfold(args).output().expect("a run");
        assert_eq!(output.status.code(), Some(0));
        let help = text(&output.stdout);
        let expected = [
            "by",
            "by-id",
            "by-parameter",
            "calls",
            "clock-begin",
            "color",
            "counters",
            "depth",
            "exclude",
            "format",
            "gist-proc-base",
            "group",
            "help",
            "input-format",
            "iterations",
            "location",
            "matrices",
            "max-open-files",
            "memory",
            "metric",
            "mpi",
            "of",
            "output",
            "paradigm",
            "per-location",
            "plan",
            "program-root",
            "quiet",
            "raw-clocks",
            "region",
            "sizes",
            "sort",
            "statistics",
            "strict",
            "thread-tree",
            "threads",
            "ticks-per-second",
            "time",
            "tolerant",
            "top",
            "without-startup",
        ];
        assert_eq!(options(&help), expected.map(str::to_owned).into());
        assert!(help.contains("\nExamples:\n"));
    }
}

/// Every example of the help is a command that works.
#[test]
fn the_examples_work() {
    let help = text(&streamfold(["profile", "--help"]).output().expect("a run").stdout);
    let (_, examples) = help.split_once("\nExamples:\n").expect("examples");
    let place = Place::new();
    let mut done = 0;
    for example in examples.lines() {
        let example = example.trim();
        // Jobs of a launcher, outputs that a build need not be able to write, other traces, and regions that this one has
        // not are not for here.
        let is_elsewhere = |name: &str| example.contains(name);
        if !example.starts_with("streamfold ")
            || [".h5", "run.otf", " step"].into_iter().any(is_elsewhere)
        {
            continue;
        }
        // A comment stands behind two spaces.
        let command = example.split("  ").next().unwrap_or_default();
        let mut run = streamfold(command.split(' ').skip(1));
        let output = run.current_dir(place.trace()).output().expect("a run");
        assert_eq!(output.status.code(), Some(0), "{command}: {}", said(&output));
        done += 1;
    }
    assert!(done >= 4, "{done} examples");
}

#[test]
fn version_is_that_of_the_package() {
    let output = streamfold(["--version"]).output().expect("a run");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), concat!("streamfold ", env!("CARGO_PKG_VERSION"), "\n"));
}

fn help_of(command: &str) -> String {
    text(&streamfold([command, "--help"]).output().expect("a run").stdout)
}

/// What a command has for itself comes first, and what all have stands together behind it.
#[test]
fn options_of_all_commands_stand_behind_those_of_one() {
    for command in ["profile", "match", "waitstates", "print", "validate", "cut", "merge"] {
        let help = help_of(command);
        let (all, _) = help.split_once("\nExamples:").expect("examples");
        let (_, last) = all.split_once("\nHow it runs:").expect("a section");
        let names: Vec<&str> = last
            .lines()
            .filter(|line| line.trim_start().starts_with('-'))
            .filter_map(|line| line.split_once("--")?.1.split([' ', '[']).next())
            .collect();
        let common = ["color", "quiet", "threads", "mpi", "max-open-files"];
        assert!(names.ends_with(&common), "{command}: {names:?}");
        assert!(names.len() <= common.len() + 1, "{command}: {names:?}");
    }
}

#[test]
fn help_of_print_names_what_it_takes_as_others_do() {
    let help = help_of("print");
    assert!(help.contains("<TRACE>") && !help.contains("ANCHORFILE"), "{help}");
    assert!(help.contains("--time <MIN> <MAX>\n"), "{help}");
}

#[test]
fn help_says_how_strict_ends() {
    for command in ["profile", "match", "waitstates", "copy", "cut", "unify", "merge", "salvage"] {
        let help = help_of(command);
        let (_, strict) = help.split_once("--strict\n").expect("an option");
        let first = strict.lines().next().unwrap_or_default().trim();
        assert!(first.starts_with("End with exit code 2"), "{command}: {first}");
    }
    let cut = help_of("cut");
    let place = |text: &str| cut.find(text).unwrap_or_else(|| panic!("{text} in {cut}"));
    assert!(place("--strict") < place("What stays:"));
    assert!(help_of("match").contains(".svg and .png"));
}

#[test]
fn commands_are_offered_where_one_is_misspelt() {
    let ended = streamfold(["generat"]).output().expect("a run");
    assert_eq!(ended.status.code(), Some(1));
    assert!(said(&ended).contains("generate"), "{}", said(&ended));
}
