//! What the program does on terminals, and in pipes whose reader has seen enough.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::archives::one;
use crate::common::program::{streamfold, text};
use crate::common::skipped;

const PROGRAM: &str = env!("CARGO_BIN_EXE_streamfold");

fn anchor(name: &str) -> PathBuf {
    one(name).anchor
}

/// What a shell command that starts with `"$PROGRAM"` shows on a terminal of so many columns. `None`,
/// said and counted, without `script`, which has terminals.
fn on_terminal(columns: usize, command: &str, environment: &[(&str, &str)]) -> Option<String> {
    let command = format!("stty rows 50 cols {columns} -onlcr; {command}");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]);
    script.env("PROGRAM", PROGRAM).env("ANCHOR", anchor("intercomm")).env("TERM", "xterm");
    // `CI` says that logs show colors, whatever terminal they come from.
    for surroundings in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "COLUMNS"] {
        script.env_remove(surroundings);
    }
    script.envs(environment.iter().copied());
    let Ok(output) = script.stdin(Stdio::null()).output() else {
        skipped("no script (util-linux)");
        return None;
    };
    assert!(output.status.success(), "{command}: {output:?}");
    Some(text(&output.stdout))
}

/// The same in a pipe.
fn in_pipe(arguments: &[&str]) -> String {
    let mut command = streamfold(arguments);
    let output = command.env("COLUMNS", "40").output().expect("a run");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    text(&output.stdout)
}

#[test]
fn help_has_colors_on_terminals_that_want_them() {
    let help = r#""$PROGRAM" --help"#;
    let Some(colored) = on_terminal(80, help, &[]) else { return };
    assert!(colored.contains("\x1b["), "{colored}");
    for environment in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let plain = on_terminal(80, help, &[environment]).expect("a terminal");
        assert!(plain.contains("Usage: streamfold"), "{environment:?}: {plain}");
        assert!(!plain.contains('\x1b'), "{environment:?}: {plain}");
    }
    assert!(!in_pipe(&["--help"]).contains('\x1b'));
}

/// Ranks write to a terminal of the launcher, which passes it on to a file.
#[cfg(feature = "ranks")]
#[test]
fn help_of_ranks_has_no_colors() {
    let Some(output) = crate::common::program::mpirun(1, ["--help"]) else { return };
    let help = text(&output.stdout);
    assert!(help.contains("Usage: streamfold") && !help.contains('\x1b'), "{help}");
}

#[test]
fn tables_fit_on_terminals() {
    let anchor = anchor("intercomm");
    let anchor = anchor.to_str().expect("text");
    for by in ["region", "callpath", "location", "group"] {
        let table = format!(r#""$PROGRAM" profile -q --mpi off --by {by} "$ANCHOR""#);
        let whole = in_pipe(&["profile", "-q", "--by", by, anchor]);
        let Some(wide) = on_terminal(400, &table, &[("NO_COLOR", "1")]) else { return };
        assert_eq!(wide, whole, "{by}");

        let narrow = on_terminal(80, &table, &[("NO_COLOR", "1")]).expect("a terminal");
        // The heading above is the path of the trace.
        let (_, rows) = narrow.split_once("\n\n").expect("a table");
        let longest = rows.lines().map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest <= 80), "{by}: {narrow}");
        let lines = |text: &str| text.lines().count();
        let left_out = whole.lines().any(|line| line.chars().count() > 80);
        assert_eq!(
            narrow.contains(" no room: add | less -S to see all"),
            left_out,
            "{by}: {narrow}"
        );
        assert_eq!(lines(&narrow), lines(&whole) + usize::from(left_out), "{by}: {narrow}");
    }
}

#[test]
fn tables_of_what_belongs_together_fit_on_terminals() {
    let anchor = anchor("intercomm");
    let command = r#""$PROGRAM" match -q --mpi off "$ANCHOR""#;
    let whole = in_pipe(&["match", "-q", anchor.to_str().expect("text")]);
    let Some(wide) = on_terminal(400, command, &[("NO_COLOR", "1")]) else { return };
    assert_eq!(wide, whole);
    let narrow = on_terminal(80, command, &[("NO_COLOR", "1")]).expect("a terminal");
    let longest = narrow.lines().map(|line| line.chars().count()).max();
    assert!(longest.is_some_and(|longest| longest <= 80), "{narrow}");
    assert!(narrow.contains(" no room: add | less -S"), "{narrow}");
}

/// The lines of a table on a terminal of so many columns, none of which is longer.
fn narrow(columns: usize, arguments: &str, archive: &str) -> Option<Vec<String>> {
    let command = format!(r#""$PROGRAM" {arguments} -q --mpi off "{}""#, anchor(archive).display());
    let text = on_terminal(columns, &command, &[("NO_COLOR", "1")])?;
    let lines: Vec<_> = text.lines().map(str::to_owned).collect();
    let longest = lines.iter().map(|line| line.chars().count()).max();
    assert!(longest.is_some_and(|longest| longest <= columns), "{columns}: {text}");
    Some(lines)
}

#[test]
fn lines_of_source_show_file_and_line_on_terminals() {
    for columns in [80, 100] {
        let Some(lines) = narrow(columns, "profile --by line --top 6", "sampling") else { return };
        let shown =
            |line: &&String| line.contains("/ljForce.c:199") || line.contains("/ljForce.c:198");
        assert_eq!(lines.iter().filter(shown).count(), 2, "{columns}: {lines:?}");
    }
}

#[test]
fn metrics_fit_on_terminals() {
    let Some(lines) = narrow(80, "profile --by metric", "metrics") else { return };
    let heading = lines.iter().find(|line| line.ends_with("  metric")).expect("a heading");
    assert!(heading.contains("mean") && heading.contains("max"), "{lines:?}");
}

/// What tables are for is shown, whatever is left out.
#[test]
fn the_longest_waits_and_late_messages_show_themselves_on_terminals() {
    for columns in [60, 80, 120] {
        let Some(lines) = narrow(columns, "waitstates --top 3", "hybrid") else { return };
        let title = lines.iter().position(|line| line == "The longest waits").expect("a table");
        let headings = &lines[title + 1];
        assert!(["time", "waited for"].iter().all(|it| headings.contains(it)), "{lines:?}");
        assert!(headings.split_whitespace().any(|it| it == "at"), "{lines:?}");
    }

    let lines = narrow(80, "match", "sampling").expect("a terminal");
    let anchor = anchor("sampling");
    let whole = in_pipe(&["match", "-q", anchor.to_str().expect("text")]);
    let late = |line: &&str| line.contains("  late  ") && line.contains("latest");
    let found = lines.iter().map(String::as_str).filter(late).count();
    assert!(whole.lines().filter(late).any(|line| line.chars().count() > 80), "{whole}");
    assert_eq!(found, whole.lines().filter(late).count(), "{lines:?}");
}

/// All commands that answer at once; names and bars are cut, numbers are not.
#[test]
fn everything_fits_on_terminals_of_60_columns() {
    let whole = |text: &str| text.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>();
    let commands = ["", "efficiency", "waitstates", "critical", "profile", "profile --by process"];
    for command in commands.into_iter().chain(["info", "timeline", "timeline --value classes"]) {
        for archive in ["hybrid", "intercomm"] {
            let Some(lines) = narrow(60, command, archive) else { return };
            let anchor = anchor(archive);
            let words = command.split_whitespace().chain(["-q"]);
            let all =
                whole(&in_pipe(&words.chain([anchor.to_str().expect("text")]).collect::<Vec<_>>()));
            // Times and shares, as they stand in the whole table.
            let number = |word: &&str| word.contains('.') && word.parse::<f64>().is_ok();
            for line in &lines {
                let broken = line.split_whitespace().filter(number).find(|it| !all.contains(*it));
                assert_eq!(broken, None, "{command}: {line}");
            }
        }
    }
}

/// Lines are as long as `COLUMNS` says, on terminals only.
#[test]
fn columns_say_how_long_lines_are() {
    let command = r#""$PROGRAM" profile -q --mpi off "$ANCHOR""#;
    // Shells set the variable to what the terminal says.
    let said = format!("COLUMNS=60 {command}");
    let Some(narrow) = on_terminal(200, &said, &[("NO_COLOR", "1")]) else { return };
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    assert_eq!(narrow, on_terminal(60, command, &[("NO_COLOR", "1")]).expect("a terminal"));
}

/// The text without sequences that set colours, and these.
fn without_colors(text: &str) -> (String, BTreeSet<String>) {
    let (mut plain, mut found) = (String::new(), BTreeSet::new());
    let mut parts = text.split("\x1b[");
    plain.extend(parts.next());
    for part in parts {
        let (sequence, rest) = part.split_once('m').expect("a sequence");
        assert!(sequence.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{part:?}");
        found.insert(sequence.to_owned());
        plain.push_str(rest);
    }
    (plain, found)
}

#[test]
fn results_have_colors_on_terminals_that_want_them() {
    let [bold, mpi, computation] = ["1", "38;5;166", "38;5;36"].map(str::to_owned);
    for command in ["", "efficiency", "waitstates", "critical", "profile", "profile --by process"] {
        let run =
            |options: &str| format!(r#""$PROGRAM" {command} -q --mpi off {options} "$ANCHOR""#);
        let Some(colored) = on_terminal(100, &run(""), &[]) else { return };
        let (plain, found) = without_colors(&colored);
        assert!(found.contains(&bold), "{command}: {found:?}");
        let bars = match command {
            "" | "profile --by process" => [true, !command.is_empty()],
            _ => [false, command == "efficiency"],
        };
        let colors = [&mpi, &computation].map(|color| found.contains(color));
        assert_eq!(colors, bars, "{command}: {found:?}");
        // Colours take no room.
        for environment in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let text = on_terminal(100, &run(""), &[environment]).expect("a terminal");
            assert_eq!(text, plain, "{command} {environment:?}");
        }
        let never = on_terminal(100, &run("--color never"), &[]).expect("a terminal");
        assert_eq!(never, plain, "{command}");

        // A pipe has them only where that is said, and loses nothing but these.
        let anchor = anchor("intercomm");
        let words = command.split_whitespace().chain(["-q", anchor.to_str().expect("text")]);
        let words: Vec<&str> = words.collect();
        let piped = in_pipe(&words);
        assert!(!piped.contains('\x1b'), "{command}");
        let always = in_pipe(&[&["--color", "always"][..], &words].concat());
        let (plain, found) = without_colors(&always);
        assert_eq!(plain, piped, "{command}");
        assert!(found.contains(&bold), "{command}");
    }
}

/// Files and records have no colours, whatever is said.
#[test]
fn files_have_no_colors() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = anchor("intercomm");
    let file = folder.path().join("profile.txt");
    let run = ["profile", "-q", "--color=always", "-o"];
    streamfold(run).arg(&file).arg(&anchor).assert().success();
    let text = std::fs::read_to_string(&file).expect("text");
    assert_eq!(text, in_pipe(&["profile", "-q", anchor.to_str().expect("text")]));
    for arguments in
        [&["profile", "--format", "csv"][..], &["print"], &["profile", "--format", "json"]]
    {
        let rest = ["-q", "--color=always", anchor.to_str().expect("text")];
        assert!(!in_pipe(&[arguments, &rest].concat()).contains('\x1b'), "{arguments:?}");
    }
}

/// Warnings are yellow, failures and losses red.
#[test]
fn messages_have_colors() {
    let missing = r#""$PROGRAM" --mpi off --color=always profile -q none.otf2 2>&1 || true"#;
    let Some(said) = on_terminal(200, missing, &[]) else { return };
    assert!(said.starts_with("\x1b[31mstreamfold:\x1b[0m none.otf2: "), "{said:?}");
    let dumb = on_terminal(200, &missing.replace("--color=always", ""), &[("TERM", "dumb")]);
    let dumb = dumb.expect("a terminal");
    assert!(dumb.starts_with("streamfold: none.otf2: ") && !dumb.contains('\x1b'), "{dumb:?}");
    let usage = on_terminal(200, r#""$PROGRAM" --color never profile || true"#, &[]);
    assert!(!usage.expect("a terminal").contains('\x1b'));
}

/// A name cannot set colours: its characters are shown.
#[test]
fn names_have_no_colors() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("a.json");
    let name = "mark\u{fdd4}ed";
    let event = format!(
        r#"{{"ph":"X","name":"{name}","cat":"POSIX","pid":1,"tid":1,"ts":1,"dur":2,"args":{{}}}}"#
    );
    std::fs::write(&trace, format!("[{event}]\n")).expect("written");
    let run = streamfold(["profile", "-q", "--color=always"]).arg(&trace).output().expect("a run");
    let (plain, _) = without_colors(&text(&run.stdout));
    assert!(plain.contains("mark\u{fffd}ed"), "{plain}");
}

/// `streamfold … | head` is no failure.
#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let pingpong = anchor("pingpong");
    let pingpong = pingpong.to_str().expect("text");
    for arguments in [
        &["profile", "-q", pingpong][..],
        &["profile", "-q", pingpong, "--plan=1000"],
        &["print", "-A", pingpong],
        &["print", "-G", pingpong],
        &["print", "--system-tree", pingpong],
        &["match", "-q", "--list", "-", pingpong],
        &["match", "-q", "--list", "-", "--format", "json", pingpong],
        &["profile", "-q", "--format", "csv", pingpong],
        &["waitstates", "-q", "--format", "csv", pingpong],
        &["--version", "--verbose"],
        &["estimate", "Enter"],
        &["--help"],
        &["help", "profile"],
        &["--version"],
    ] {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (reader, writer) = std::io::pipe().expect("a pipe");
        // Nobody reads from the start.
        drop(reader);
        let output = command.stdout(writer).output().expect("a run");
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

/// A name that clears the screen, ends a string of the terminal, and turns the direction of what follows.
const NAME: &str = "a\x1b]0;title\x07\x1b[2Jb\u{9b}31m\u{202e}c\x7f\rd";

/// A trace with that name in a folder, in three formats.
fn traces(folder: &Path) -> [PathBuf; 3] {
    let name = serde_json::to_string(NAME).expect("JSON");
    let event = |at: u64| {
        let args = format!(r#"{{"fname":{name},"size_sum":8}}"#);
        format!(
            r#"{{"ph":"X","name":{name},"cat":"POSIX","pid":1,"tid":1,"ts":{at},"dur":2,"args":{args}}}"#
        )
    };
    let [json, otf2, otf] = ["a.json", "b.otf2", "c.otf"].map(|name| folder.join(name));
    std::fs::write(&json, format!("[{},\n{}]\n", event(1), event(5))).expect("written");
    for to in [&otf2, &otf] {
        streamfold(["convert", "-q"]).arg(&json).arg("-o").arg(to).assert().success();
    }
    [json, otf2, otf]
}

/// Characters that a terminal would obey, or that are not seen. Tabs and ends of lines are none of them.
fn hidden(text: &str) -> String {
    let is_hidden = |c: &char| {
        let is_turning = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2066}'..='\u{2069}');
        is_turning || c.is_control() && !['\t', '\n'].contains(c)
    };
    text.chars().filter(is_hidden).collect()
}

#[test]
fn records_do_nothing_to_terminals_and_stay_as_they_are_in_pipes() {
    let folder = tempfile::tempdir().expect("a folder");
    let [json, otf2, otf] = traces(folder.path()).map(|path| path.display().to_string());
    for (arguments, trace, escapes) in [
        ("print", &json, true),
        ("print -A", &otf2, true),
        ("print -G", &otf2, true),
        ("print", &otf, true),
        ("print --json -G", &json, false),
        ("print --json", &json, false),
        ("profile --format csv", &json, true),
        ("profile", &json, false),
    ] {
        let command = format!(r#""$PROGRAM" {arguments} -q --mpi off "$TRACE""#);
        let environment = [("TRACE", trace.as_str()), ("NO_COLOR", "1")];
        let Some(shown) = on_terminal(400, &command, &environment) else { return };
        assert_eq!(hidden(&shown), "", "{arguments}: {shown:?}");
        assert_eq!(shown.contains("\\x1b]0;title\\x07\\x1b[2Jb\\x9b31m"), escapes, "{shown}");
        let mut words: Vec<&str> = arguments.split(' ').collect();
        words.extend(["-q", trace]);
        assert_eq!(in_pipe(&words).contains(NAME), escapes, "{arguments}");
    }
    // Warnings of print have names, too.
    let command = r#""$PROGRAM" print -q --mpi off "$TRACE" 2>&1"#;
    let shown = on_terminal(400, command, &[("TRACE", &otf2)]).expect("a terminal");
    assert_eq!(hidden(&shown), "", "{shown:?}");
}

/// Every writer of JSON, of pages and of pictures.
#[test]
fn json_and_pages_have_no_hidden_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    let [json, otf2, _] = traces(folder.path()).map(|path| path.display().to_string());
    for (arguments, output) in [
        ("print --json -A", "print.jsonl"),
        ("profile", "profile.json"),
        ("profile", "profile.cali.json"),
        ("profile", "profile.svg"),
        ("match", "match.json"),
        ("match", "match.svg"),
        ("waitstates", "waits.json"),
        ("io", "io.json"),
        ("io", "io.svg"),
        ("timeline", "timeline.json"),
        ("timeline", "timeline.svg"),
        ("efficiency", "efficiency.json"),
        ("dfg", "dfg.json"),
        ("dfg", "dfg.html"),
        ("dfg", "dfg.svg"),
        ("report", "report.html"),
        ("convert", "picture.json"),
    ] {
        let output = folder.path().join(output);
        let words = arguments.split(' ').chain(["-q", otf2.as_str(), "-o"]);
        streamfold(words).arg(&output).assert().success();
        let written = std::fs::read_to_string(&output).expect("text");
        assert_eq!(hidden(&written), "", "{}", output.display());
        assert!(!written.is_empty(), "{}", output.display());
    }
    for arguments in [
        &["profile", "-q", "--format", "extrap", &otf2][..],
        &["info", "-q", "--json", &otf2],
        &["validate", "-q", "--json", &otf2],
        &["diff", "-q", "--format", "json", &otf2, &json],
    ] {
        let run = streamfold(arguments).output().expect("a run");
        let written = text(&run.stdout);
        assert!(!written.is_empty() && hidden(&written).is_empty(), "{arguments:?}: {written:?}");
    }
    let both = folder.path().join("both.html");
    streamfold(["report", "-q", &otf2, &json, "-o"]).arg(&both).assert().success();
    assert_eq!(hidden(&std::fs::read_to_string(&both).expect("text")), "");
    // What is escaped is still the name.
    let profile = std::fs::read(folder.path().join("profile.json")).expect("a file");
    let profile: serde_json::Value = serde_json::from_slice(&profile).expect("JSON");
    let names = profile["regions"].as_array().expect("rows").iter().map(|row| &row["name"]);
    assert!(names.into_iter().any(|name| name == NAME), "{profile}");
}
