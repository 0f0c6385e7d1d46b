//! Commands on pages: those that use data of this repository run, and their output is the one that the page shows.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{said, streamfold, text};
use tempfile::TempDir;

const DATA: &str = "tests/data/";

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A command of a page, without its first word, and the lines below it.
struct Shown {
    command: String,
    output: String,
}

/// All commands of a page that use data of this repository.
fn commands(page: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut is_in_command = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_in_command = false;
        } else if let Some(command) = line.strip_prefix("$ ") {
            let is_piped = command.contains('|');
            is_in_command =
                command.starts_with("streamfold ") && command.contains(DATA) && !is_piped;
            if let Some(command) = command.strip_prefix("streamfold ").filter(|_| is_in_command) {
                shown.push(Shown { command: command.to_owned(), output: String::new() });
            }
        } else if let Some(last) = shown.last_mut().filter(|_| is_in_command) {
            last.output.push_str(line);
            last.output.push('\n');
        }
    }
    shown
}

/// Words with one space between them: pages break long lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first part of what a page shows that the output has not, in the order of the page. `…` stands for what is left out.
fn missing(shown: &str, output: &str) -> Option<String> {
    let output = words(output);
    let mut rest = output.as_str();
    for part in shown.split('…').map(words).filter(|part| !part.is_empty()) {
        match rest.split_once(&part) {
            Some((_, behind)) => rest = behind,
            None => return Some(part),
        }
    }
    None
}

/// Runs all commands of a page, in a folder where `tests` is that of the repository. Returns how many there are.
#[cfg(unix)]
fn run(page: &str, is_output_compared: bool) -> usize {
    let folder = TempDir::new().expect("a folder");
    let tests = repository().join("tests");
    std::os::unix::fs::symlink(tests, folder.path().join("tests")).expect("a link");
    let shown = commands(&fs::read_to_string(repository().join(page)).expect("a page"));
    for Shown { command, output } in &shown {
        let words: Vec<&str> = command.split_whitespace().collect();
        let made = streamfold(&words).current_dir(&folder).output().expect("it runs");
        assert!(made.status.success(), "{page}: {command}\n{}", said(&made));
        let made = text(&made.stdout);
        if let Some(part) = missing(output, &made).filter(|_| is_output_compared) {
            panic!("{page}: {command}: the output lacks {part:?}\n{made}");
        }
        for pair in words.windows(2).filter(|pair| pair[0] == "-o") {
            assert!(folder.path().join(pair[1]).is_file(), "{page}: {command}: no {}", pair[1]);
        }
    }
    shown.len()
}

#[cfg(unix)]
#[test]
fn pages_show_what_their_commands_say() {
    let use_of = |name: &str| run(&format!("docs/use/{name}.md"), true);
    assert!(use_of("tutorial") >= 12);
    assert!(run("README.md", true) >= 1);
    for name in ["account", "critical", "efficiency", "info", "print"] {
        assert!(use_of(name) >= 1, "{name}");
    }
}

/// Other pages show terminals, with fewer columns and messages between: their commands have to run.
#[cfg(all(unix, feature = "hdf5"))]
#[test]
fn commands_of_all_pages_run() {
    let pages = fs::read_dir(repository().join("docs/use")).expect("pages");
    let names = pages.map(|page| page.expect("a page").file_name().into_string().expect("a name"));
    let counts = names
        .filter(|name| name != "tutorial.md")
        .map(|name| run(&format!("docs/use/{name}"), false));
    assert!(counts.sum::<usize>() >= 15);
}

/// Looks for the words of an example in the output, in their order; line breaks do not count, and no word may be missing.
#[test]
fn a_page_that_shows_something_else_is_found() {
    let output = "one two  three\nfour\nfive";
    assert_eq!(missing("one\ntwo\n…\nfive\n", output), None);
    assert_eq!(missing("five\n…\none", output), Some("one".to_owned()));
    assert_eq!(missing("one three", output), Some("one three".to_owned()));
    let page = "```\n$ streamfold io tests/data/x\nfirst\n$ streamfold io y\nsecond\n```\nthird\n";
    let shown = commands(page);
    assert_eq!(shown.len(), 1);
    assert_eq!(
        (shown[0].command.as_str(), shown[0].output.as_str()),
        ("io tests/data/x", "first\n")
    );
}

/// The archives of the tutorial are whole, and the page shows the fix that the second one has.
#[test]
fn the_tutorial_has_whole_archives_and_the_fix() {
    let data: PathBuf = repository().join(DATA).join("tutorial");
    for run in ["before", "after"] {
        let output = streamfold(["validate", "-q", "--json"]).arg(data.join(run)).output();
        let output = output.expect("a run");
        assert!(output.status.success(), "{run}: {}", said(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["defects"].as_array().map(Vec::len), Some(0), "{run}: {report}");
    }
    let read = |path: PathBuf| fs::read_to_string(path).expect("a file");
    let page = read(repository().join("docs/use/tutorial.md"));
    let fix = read(data.join("fix.diff"));
    assert!(page.contains(&format!("```diff\n{fix}```\n")), "the page has another fix");
    // Each line that the fix removes stands in the program.
    let program = read(data.join("heat.c"));
    let removed = fix
        .lines()
        .filter(|line| !line.starts_with("---"))
        .filter_map(|line| line.strip_prefix('-'));
    let mut count = 0;
    for line in removed {
        assert!(program.lines().any(|of| of == line), "heat.c lacks {line:?}");
        count += 1;
    }
    assert_eq!(count, 5);
}
