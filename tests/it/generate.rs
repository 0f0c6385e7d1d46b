//! Manual pages and completions for shells: what `--help` says, in formats that their readers take.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::program::{streamfold, text};
use crate::common::skipped;
use tempfile::TempDir;

fn generated(what: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let folder_name = folder.path().to_str().expect("text");
    let output = streamfold(["generate", what, folder_name]).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    folder
}

/// Runs a program on a file; `None`, said and counted, where it is not installed.
fn run(program: &str, arguments: &[&str], file: &Path) -> Option<Output> {
    let mut command = Command::new(program);
    match command.args(arguments).arg(file).stdin(Stdio::null()).output() {
        Ok(output) => Some(output),
        Err(_) => {
            skipped(&format!("no {program}"));
            None
        }
    }
}

/// The long options that the help of a command shows.
fn options(command: &[&str]) -> Vec<String> {
    let output = streamfold(command.iter().copied().chain(["--help"])).output().expect("a run");
    let help = text(&output.stdout);
    let option = |line: &str| {
        let (_, name) = line.trim_start().strip_prefix('-').map(|_| line.split_once("--"))??;
        let name: String =
            name.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        Some(name)
    };
    let options: Vec<_> = help.lines().filter_map(option).collect();
    assert!(options.len() > 3, "{help}");
    options
}

#[test]
fn there_is_a_page_for_each_command_with_all_its_options() {
    let folder = generated("man");
    let help = text(&streamfold(["--help"]).output().expect("a run").stdout);
    let (_, commands) = help.split_once("Commands:\n").expect("commands");
    let commands = commands.lines().take_while(|line| !line.is_empty());
    // What is deeper is the rest of a line.
    let names = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty());
    let mut pages = vec![("streamfold.1".to_owned(), options(&[]))];
    for name in names.filter(|name| *name != "help") {
        pages.push((format!("streamfold-{name}.1"), options(&[name])));
    }
    assert!(pages.len() > 2, "{help}");
    for (page, options) in &pages {
        let page = fs::read_to_string(folder.path().join(page)).expect("a page");
        for option in options {
            let written = format!("\\-\\-{}", option.replace('-', "\\-"));
            assert!(page.contains(&written), "{option}: {page}");
        }
        assert!(page.contains(".SH \"EXIT STATUS\"") && page.contains("SIGTERM"), "{page}");
        assert!(page.is_ascii(), "{page}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), pages.len());
    let profile = fs::read_to_string(folder.path().join("streamfold-profile.1")).expect("a page");
    assert!(profile.contains(".SH EXAMPLES\n.nf\n"), "{profile}");
}

#[test]
fn pages_are_formatted_without_warnings() {
    let folder = generated("man");
    for page in ["streamfold.1", "streamfold-profile.1", "streamfold-print.1"] {
        let page = folder.path().join(page);
        let Some(output) = run("groff", &["-man", "-ww", "-Tascii"], &page) else { return };
        assert!(output.status.success() && !output.stdout.is_empty());
        assert_eq!(text(&output.stderr), "", "{}", page.display());
    }
}

#[test]
fn shells_take_the_completions() {
    let folder = generated("completions");
    for (shell, file) in
        [("bash", "streamfold.bash"), ("zsh", "_streamfold"), ("fish", "streamfold.fish")]
    {
        let path = folder.path().join(file);
        let completions = fs::read_to_string(&path).expect("completions");
        for wanted in ["profile", "print", "generate", "per-location", "max-open-files"] {
            assert!(completions.contains(wanted), "{shell}: {wanted}");
        }
        let Some(output) = run(shell, &["-n"], &path) else { continue };
        assert!(output.status.success(), "{shell}: {}", text(&output.stderr));
    }
}

#[test]
fn bash_completes() {
    let folder = generated("completions");
    let complete = |words: &str| {
        let script = format!(
            "source streamfold.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _streamfold streamfold \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; \
             echo \"${{COMPREPLY[@]}}\""
        );
        let mut bash = Command::new("bash");
        let output = bash.args(["-c", &script]).current_dir(folder.path()).output().expect("bash");
        text(&output.stdout).trim().to_owned()
    };
    assert_eq!(complete("streamfold prof"), "profile");
    assert_eq!(complete("streamfold profile --per"), "--per-location");
    assert_eq!(complete("streamfold profile --by call"), "callpath");
    assert_eq!(complete("streamfold gen"), "generate");
}

#[test]
fn help_shows_it_and_a_folder_is_needed() {
    for arguments in [&["--help"][..], &["help"], &["-h"]] {
        let help = text(&streamfold(arguments.iter().copied()).output().expect("a run").stdout);
        assert!(help.contains("generate"), "{help}");
    }
    let output = streamfold(["generate", "man", "/nowhere/at/all"]).output().expect("a run");
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains("cannot write /nowhere/at/all"));
    let output = streamfold(["generate", "poems", "."]).output().expect("a run");
    assert_eq!(output.status.code(), Some(1));
}
