//! Answers for assistants: the protocol, spoken by hand and by the client of another project.

#![cfg(feature = "mcp")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{json, Value};

use crate::common::program::{streamfold, LONGEST};
use crate::common::{copy_folder, skipped};

/// Bytes of an answer at most: no text has more characters.
const MOST: usize = 6000;

const TOOLS: [&str; 8] =
    ["overview", "profile", "waits", "critical_path", "efficiency", "io", "diff", "validate"];

/// The program, spoken to.
struct Client {
    child: Child,
    to: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Messages that nobody has asked for yet.
    kept: Vec<Value>,
    asked: i64,
}

impl Client {
    /// Starts it with these arguments, and begins the protocol.
    fn start(arguments: &[&str]) -> Client {
        let mut client = Client::spawn(arguments);
        let about = json!({ "name": "a test", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about });
        let begun = client.ask("initialize", hello);
        assert_eq!(begun["result"]["protocolVersion"], "2025-06-18", "{begun}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn spawn(arguments: &[&str]) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
        command.arg("mcp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (said, lines) = mpsc::channel();
        std::thread::spawn(move || {
            out.lines().map_while(Result::ok).try_for_each(|line| said.send(line))
        });
        let to = child.stdin.take();
        Client { child, to, lines, kept: Vec::new(), asked: 0 }
    }

    fn send_text(&mut self, text: &str) {
        let to = self.to.as_mut().expect("it is open");
        to.write_all(format!("{text}\n").as_bytes()).expect("it reads");
        to.flush().expect("it reads");
    }

    fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    /// Sends a request, and returns its number.
    fn request(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message for which something holds. Standard output has nothing else than messages.
    fn next(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&is_wanted) {
            return self.kept.remove(at);
        }
        loop {
            let line = self.lines.recv_timeout(LONGEST).expect("it answers");
            let message: Value = serde_json::from_str(&line).expect("a message");
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            if is_wanted(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    fn answer(&mut self, id: i64) -> Value {
        self.next(|message| message["id"] == id && message.get("method").is_none())
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// The result of a tool.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        answer.get("result").unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// Text and numbers of an answer.
    fn answered(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let result = self.call(tool, arguments.clone());
        let text = text_of(&result);
        assert_ne!(result["isError"], true, "{tool} {arguments}: {text}");
        assert!(text.len() <= MOST, "{tool} {arguments}: {} bytes", text.len());
        let structured = result["structuredContent"].clone();
        assert!(structured.to_string().len() <= MOST, "{tool} {arguments}");
        (text, structured)
    }

    /// The message of an error of a tool.
    fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text_of(&result)
    }

    /// Closes standard input, and returns the exit code, which comes soon.
    fn end(mut self) -> Option<i32> {
        drop(self.to.take());
        let begin = Instant::now();
        loop {
            match self.child.try_wait().expect("a child") {
                Some(status) => return status.code(),
                None if begin.elapsed() > Duration::from_secs(60) => {
                    self.child.kill().expect("killed");
                    panic!("it does not end");
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }
}

fn text_of(result: &Value) -> String {
    let content = result["content"].as_array().expect("content");
    assert_eq!(content.len(), 1, "{result}");
    assert_eq!(content[0]["type"], "text");
    content[0]["text"].as_str().expect("a text").to_owned()
}

const TUTORIAL: &str = "tests/data/tutorial";

#[test]
fn it_says_what_it_is_and_which_tools_it_has() {
    let mut client = Client::spawn(&[TUTORIAL]);
    let about = json!({ "name": "a test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about });
    let begun = client.ask("initialize", hello)["result"].clone();
    assert_eq!(begun["serverInfo"]["name"], "streamfold");
    let instructions = begun["instructions"].as_str().expect("instructions");
    assert_eq!(instructions.split(". ").count(), 3, "{instructions}");
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let tools = tools.as_array().expect("tools");
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    assert_eq!(names, TOOLS);
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(tool["annotations"]["openWorldHint"], false);
        let schema = &tool["inputSchema"];
        assert_eq!(
            (&schema["type"], &schema["additionalProperties"]),
            (&json!("object"), &json!(false))
        );
        for (name, property) in schema["properties"].as_object().expect("properties") {
            let about = property["description"].as_str().expect("a description");
            assert!(about.len() > 20, "{name}: {about}");
        }
    }
    let profile = tools.iter().find(|tool| tool["name"] == "profile").expect("it is there");
    let by = &profile["inputSchema"]["properties"]["by"]["enum"];
    assert!(by.as_array().expect("values").contains(&json!("callpath")));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn each_tool_answers_with_a_verdict_and_the_next_question() {
    let mut client = Client::start(&[TUTORIAL]);
    let (list, structured) = client.answered("overview", json!({}));
    assert!(list.starts_with("2 traces below "), "{list}");
    let paths: Vec<_> = structured["traces"].as_array().expect("traces").iter().collect();
    assert_eq!(paths.len(), 2);
    assert_eq!(paths[1]["trace"], "before/traces.otf2");
    assert_eq!(paths[1]["format"], "OTF2");
    assert!(paths[1]["bytes"].as_u64().is_some_and(|bytes| bytes > 80_000), "{structured}");
    let trace = json!({ "trace": "before" });
    for (tool, begin, table) in [
        ("overview", "Of 8 threads × 2.301 s = 18.41 s, start-up", "MPI_Waitall"),
        ("profile", "recorded by the recorder of the tutorial: 2.301 s", "MPI_Waitall"),
        ("waits", "Of 8 threads × 2.301 s = 18.41 s, start-up", "Late sender"),
        (
            "critical_path",
            "The critical path, 2.301 s, is on 7 threads",
            "The path by class of time",
        ),
        ("efficiency", "Of 8 threads × 2.301 s = 18.41 s, start-up", "Load balance"),
        ("io", "At least one of 4 processes is in I/O", "heat.out"),
        ("validate", "before: nothing is wrong in 18 files", ""),
    ] {
        let (text, structured) = client.answered(tool, trace.clone());
        assert!(text.starts_with(begin), "{tool}: {text}");
        assert!(text.contains(table), "{tool}: {text}");
        let last = text.lines().last().expect("lines");
        let next = last.strip_prefix("Next: ").unwrap_or_else(|| panic!("{tool}: {text}"));
        let (name, arguments) = next.split_once(' ').expect("a tool and its parameters");
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        assert_eq!(structured["next"], json!({ "tool": name, "arguments": arguments }));
        // The question can be asked.
        client.answered(name, arguments);
    }
    let (text, _) = client.answered("diff", json!({ "before": "before", "after": "after" }));
    assert!(text.starts_with("AFTER is 54.9 % faster: 1.039 s instead of 2.301 s"), "{text}");
    assert!(text.contains("-96.8"), "{text}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn numbers_are_those_of_the_command() {
    let trace = format!("{TUTORIAL}/before");
    let run = streamfold(["profile", "-q", "--format", "csv", &trace]).output().expect("a run");
    let mut table = csv::Reader::from_reader(&*run.stdout);
    let columns = table.headers().expect("columns").clone();
    let at = |name: &str| columns.iter().position(|column| column == name).expect("a column");
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
    let mut client = Client::start(&[TUTORIAL]);
    let (text, structured) = client.answered("profile", json!({ "trace": "before", "top": 50 }));
    let found = &structured["tables"]["profile"];
    assert_eq!(found["rows_left_out"], 0, "{found}");
    let names: Vec<&str> =
        found["columns"].as_array().expect("columns").iter().filter_map(Value::as_str).collect();
    let found: Vec<BTreeMap<&str, &Value>> = found["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| names.iter().copied().zip(row.as_array().expect("a row")).collect())
        .collect();
    assert_eq!(found.len(), rows.len());
    for (found, row) in found.iter().zip(&rows) {
        assert_eq!(found["name"].as_str(), Some(&row[at("name")]));
        assert_eq!(found["visits"].to_string(), row[at("visits")]);
        for time in ["exclusive", "inclusive"] {
            // A tick of this clock is a nanosecond.
            let ticks: u64 = row[at(&format!("{time}_ticks"))].parse().expect("ticks");
            let seconds = format!("{}.{:09}", ticks / 1_000_000_000, ticks % 1_000_000_000);
            let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
            assert_eq!(found[&*format!("{time}_seconds")].to_string(), seconds, "{row:?}");
        }
        assert!(text.contains(&row[at("name")]), "{text}");
    }
    let (_, structured) = client.answered("profile", json!({ "trace": "before", "top": 3 }));
    assert_eq!(structured["tables"]["profile"]["rows_left_out"], rows.len() - 3);
    // Text has the lines of the command.
    let shown = streamfold(["profile", "-q", &trace]).output().expect("a run");
    let shown = String::from_utf8(shown.stdout).expect("text");
    let line = |text: &str| -> Option<Vec<String>> {
        let line = text.lines().find(|line| line.ends_with("MPI_Waitall"))?;
        Some(line.split_whitespace().take(5).map(str::to_owned).collect())
    };
    assert_eq!(line(&text), line(&shown));
    client.end();
}

/// Traces of all formats, sound and damaged.
#[test]
fn no_answer_about_any_trace_is_too_long() {
    let mut client = Client::start(&["tests/data"]);
    let (text, structured) = client.answered("overview", json!({}));
    assert!(text.contains("traces below "), "{text}");
    let traces = structured["traces"].as_array().expect("traces").clone();
    assert!(traces.len() > 20 && traces.len() <= 50, "{}", traces.len());
    let mut count = 0;
    for trace in &traces {
        let trace = json!({ "trace": trace["trace"], "top": 50 });
        for tool in ["profile", "waits", "critical_path", "efficiency", "io", "validate"] {
            let result = client.call(tool, trace.clone());
            let text = text_of(&result);
            assert!(!text.is_empty() && text.len() <= MOST, "{tool} {trace}: {text}");
            assert!(result["structuredContent"].to_string().len() <= MOST, "{tool} {trace}");
            count += usize::from(result["isError"] != true);
        }
    }
    assert!(count > 3 * traces.len(), "{count}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn nothing_outside_of_the_folders_is_read() {
    let place = tempfile::tempdir().expect("a folder");
    let inside = place.path().join("inside");
    copy_folder(Path::new(&format!("{TUTORIAL}/before")), &inside.join("run"));
    copy_folder(Path::new(&format!("{TUTORIAL}/before")), &place.path().join("outside"));
    let outside = place.path().join("outside");
    symlink(&outside, inside.join("link")).expect("a link");
    symlink(inside.join("run"), inside.join("good")).expect("a link");
    copy_folder(&inside.join("run"), &inside.join("half"));
    let stream = inside.join("half/traces/0.evt");
    fs::remove_file(&stream).expect("it is there");
    symlink(outside.join("traces/0.evt"), &stream).expect("a link");
    let mut client = Client::start(&[inside.to_str().expect("a name")]);
    let outside = outside.to_str().expect("a name");
    let whole = inside.join("run").display().to_string();
    for path in ["run", "run/traces.otf2", "good", &whole] {
        client.answered("overview", json!({ "trace": path }));
    }
    for path in [
        "../outside",
        "run/../../outside/traces.otf2",
        outside,
        "/etc/passwd",
        "link",
        "link/traces.otf2",
        "half",
        "half/traces.otf2",
        "",
        "run\u{0}",
    ] {
        for tool in ["overview", "profile", "validate"] {
            let text = client.refused(tool, json!({ "trace": path }));
            assert!(
                text.contains("may not be read: allowed are traces below"),
                "{tool} {path}: {text}"
            );
            assert!(text.contains(inside.to_str().expect("a name")), "{text}");
        }
        let text = client.refused("diff", json!({ "before": "run", "after": path }));
        assert!(text.contains("may not be read"), "{text}");
    }
    let (list, _) = client.answered("overview", json!({}));
    assert!(list.contains("run/traces.otf2") && !list.contains("link"), "{list}");
    assert_eq!(client.end(), Some(0));
    let ended = streamfold(["mcp", outside, "no/such/folder"]).output().expect("a run");
    assert_eq!(ended.status.code(), Some(1));
}

/// Files of a folder, with their contents.
fn contents(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => contents(&path, found),
            false => drop(found.insert(path.clone(), fs::read(&path).expect("a file"))),
        }
    }
}

#[test]
fn no_file_is_written_and_no_option_gets_through() {
    let place = tempfile::tempdir().expect("a folder");
    copy_folder(Path::new(TUTORIAL), place.path());
    let mut before = BTreeMap::new();
    contents(place.path(), &mut before);
    let name = place.path().to_str().expect("a name");
    let mut client = Client::start(&[name, "--threads", "2", "--memory", "100MB"]);
    let file = place.path().join("x.csv").display().to_string();
    for tool in TOOLS {
        let arguments = json!({ "trace": "before", "before": "before", "after": "after" });
        client.call(tool, arguments);
        for (parameter, value) in [
            ("output", json!(file)),
            ("-o", json!(file)),
            ("options", json!(["-o", file])),
            ("time", json!(format!("-o {file}"))),
            ("time", json!(format!("0s --output={file}"))),
            ("by", json!(format!("region --output={file}"))),
            ("process", json!(format!("x --output={file}"))),
            ("region", json!(["-o", file])),
        ] {
            let mut arguments = json!({ "trace": "before" });
            if tool == "diff" {
                arguments = json!({ "before": "before", "after": "after" });
            }
            arguments[parameter] = value;
            client.call(tool, arguments);
        }
        client.call(tool, json!({ "trace": format!("--output={file}") }));
    }
    assert_eq!(client.end(), Some(0));
    let mut after = BTreeMap::new();
    contents(place.path(), &mut after);
    assert!(before == after, "files have changed");
}

#[test]
fn errors_have_the_message_of_the_command() {
    let place = tempfile::tempdir().expect("a folder");
    fs::write(place.path().join("bad.otf2"), b"OTF2 it is not").expect("written");
    let name = place.path().to_str().expect("a name");
    let mut client = Client::start(&[name]);
    let text = client.refused("profile", json!({ "trace": "bad.otf2" }));
    let real = place.path().canonicalize().expect("there").join("bad.otf2");
    let run = streamfold([Path::new("profile"), &real]).output().expect("a run");
    let message = String::from_utf8(run.stderr).expect("text");
    let last = message.lines().last().expect("a message").replace("streamfold: ", "");
    assert_eq!(
        text,
        last.replace(&format!("{}/", place.path().canonicalize().expect("there").display()), "")
    );
    let text = client.refused("profile", json!({ "trace": "bad.otf2", "region": "(" }));
    assert!(text.contains("--region"), "{text}");
    let text = client.refused("profile", json!({ "trace": "missing" }));
    assert!(text.contains("There is no \"missing\" below"), "{text}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn losses_are_said_and_lead_to_validation() {
    let place = tempfile::tempdir().expect("a folder");
    copy_folder(Path::new(&format!("{TUTORIAL}/before")), &place.path().join("cut"));
    let stream = place.path().join("cut/traces/0.evt");
    let bytes = fs::read(&stream).expect("a stream");
    fs::write(&stream, &bytes[..bytes.len() / 2]).expect("written");
    let mut client = Client::start(&[place.path().to_str().expect("a name")]);
    let (text, structured) = client.answered("overview", json!({ "trace": "cut" }));
    assert!(text.contains("Lost: not all of the trace could be read: "), "{text}");
    assert!(text.contains("0.evt"), "{text}");
    assert_eq!(structured["next"]["tool"], "validate");
    let (text, _) = client.answered("validate", json!({ "trace": "cut" }));
    assert!(text.contains("0.evt"), "{text}");
    client.end();
}

/// A trace that takes a while to read.
fn large(folder: &Path, calls: u64) {
    let call = |n: u64| {
        format!(
            "{{\"name\":\"read\",\"cat\":\"POSIX\",\"pid\":1,\"tid\":1,\"ts\":{},\"dur\":5,\"ph\":\"X\"}}\n",
            10 * n
        )
    };
    fs::write(folder.join("large.pfw"), (0..calls).map(call).collect::<String>()).expect("written");
}

#[test]
fn calls_are_cancelled_and_tell_their_progress() {
    let place = tempfile::tempdir().expect("a folder");
    fs::create_dir(place.path().join("small")).expect("made");
    fs::copy("tests/data/gistlog/page-example.gist", place.path().join("small/x.gist"))
        .expect("copied");
    let mut client = Client::start(&[place.path().to_str().expect("a name"), "--threads", "1"]);
    let call = |arguments: Value| json!({ "name": "profile", "arguments": arguments, "_meta": { "progressToken": "t" } });
    // A fast machine is done before it tells its progress: the trace grows until it does.
    let mut calls = 100_000;
    let (cancelled, waiting, told) = loop {
        large(place.path(), calls);
        let cancelled = client.request("tools/call", call(json!({ "trace": "large.pfw" })));
        // A call that waits is cancelled, too.
        let waiting = client.request("tools/call", call(json!({ "trace": "large.pfw", "top": 3 })));
        let is_progress = |message: &Value| message["method"] == "notifications/progress";
        let first = client.next(|message| is_progress(message) || message["id"] == cancelled);
        if is_progress(&first) {
            break (cancelled, waiting, first);
        }
        client.answer(waiting);
        client.kept.clear();
        calls *= 4;
        assert!(calls < 50_000_000, "no progress is told");
    };
    assert_eq!(told["params"]["progressToken"], "t");
    assert!(told["params"]["progress"].as_f64().is_some_and(|progress| progress > 0.0), "{told}");
    assert!(
        told["params"]["message"].as_str().is_some_and(|text| text.contains("events")),
        "{told}"
    );
    for id in [waiting, cancelled] {
        let params = json!({ "requestId": id, "reason": "enough" });
        client.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
        );
    }
    let begin = Instant::now();
    client.answered("overview", json!({ "trace": "small/x.gist" }));
    let other = begin.elapsed();
    let begin = Instant::now();
    client.answered("profile", json!({ "trace": "large.pfw" }));
    assert!(other < begin.elapsed(), "{other:?}, and {:?} for the whole trace", begin.elapsed());
    let is_answer = |message: &&Value| [cancelled, waiting].iter().any(|id| message["id"] == *id);
    assert_eq!(client.kept.iter().find(is_answer), None, "an answer that nobody wants");
    // Standard input ends while a call runs.
    client.request("tools/call", call(json!({ "trace": "large.pfw" })));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn several_calls_at_once_do_not_disturb_each_other() {
    let mut client = Client::start(&[TUTORIAL]);
    let questions: Vec<(&str, Value)> = TOOLS
        .iter()
        .flat_map(|tool| ["before", "after"].map(|trace| (*tool, json!({ "trace": trace }))))
        .filter(|(tool, _)| *tool != "diff")
        .collect();
    let alone: Vec<Value> =
        questions.iter().map(|(tool, arguments)| client.call(tool, arguments.clone())).collect();
    let ids: Vec<i64> = questions
        .iter()
        .map(|(tool, arguments)| {
            client.request("tools/call", json!({ "name": tool, "arguments": arguments }))
        })
        .collect();
    for (id, alone) in ids.into_iter().zip(alone).rev() {
        assert_eq!(client.answer(id)["result"], alone);
    }
    assert_eq!(client.end(), Some(0));
}

#[test]
fn input_that_is_no_request_gets_errors() {
    let mut client = Client::spawn(&[TUTORIAL]);
    client.send_text("before it begins");
    assert_eq!(client.next(|message| message.get("error").is_some())["error"]["code"], -32700);
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 900, "result": {} }));
    let about = json!({ "name": "a test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about });
    client.ask("initialize", hello);
    for (text, code) in [
        ("{", -32700),
        ("\u{1}\u{2}", -32700),
        (&*"[".repeat(10_000), -32700),
        ("[]", -32600),
        ("7", -32600),
        (&*format!("\"{}\"", "x".repeat(3 << 20)), -32600),
    ] {
        client.send_text(text);
        let error = client.next(|message| message.get("error").is_some());
        assert_eq!(error["error"]["code"], code, "{error}");
    }
    let unknown = client.ask("tools/call", json!({ "name": "erase", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let unknown = client.ask("no/such/method", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let wrong = client.ask("tools/call", json!({ "name": "profile", "arguments": [1] }));
    assert!(wrong.get("error").is_some() || wrong["result"]["isError"] == true, "{wrong}");
    let wrong = client.ask("tools/call", json!({ "arguments": 7 }));
    assert!(wrong.get("error").is_some(), "{wrong}");
    let text = client.refused("profile", json!({ "trace": "x".repeat(100_000) }));
    assert!(text.len() <= MOST, "{}", text.len());
    let text = client.refused("profile", json!({ "x".repeat(100_000): 1 }));
    assert!(text.len() <= MOST, "{}", text.len());
    assert!(client.ask("ping", json!({})).get("result").is_some());
    assert_eq!(client.end(), Some(0));
    assert_eq!(Client::spawn(&[TUTORIAL]).end(), Some(0));
}

/// The session on the page is a real one: requests as they are sent, and of the answers the text, with `…` for what is left
/// out.
#[test]
fn the_session_of_the_page_is_real() {
    let page = fs::read_to_string("docs/use/mcp.md").expect("a page");
    let (_, session) = page.split_once("## A session").expect("a session");
    let session = session.split("```").nth(1).expect("an example");
    let mut client = Client::start(&[TUTORIAL]);
    let mut count = 0;
    for exchange in session.split("\n> ").skip(1) {
        let (request, shown) = exchange.split_once('\n').expect("an answer");
        client.send_text(request);
        let id = serde_json::from_str::<Value>(request).expect("JSON")["id"].clone();
        let answer = client.next(|message| message["id"] == id);
        let text = text_of(&answer["result"]);
        let (shown, mut rest) = (format!("\n{shown}"), text.as_str());
        for part in shown.split("\n…\n").map(str::trim).filter(|part| !part.is_empty()) {
            let (_, behind) =
                rest.split_once(part).unwrap_or_else(|| panic!("{part}\n\nis not in\n\n{text}"));
            rest = behind;
        }
        count += 1;
    }
    assert!(count >= 4, "{count}");
    assert_eq!(client.end(), Some(0));
}

/// The client of PyPI's package `mcp`, with the newest revision of the protocol that both know, and the oldest way.
#[test]
fn a_client_of_another_project_gets_answers() {
    let python = std::env::var_os("STREAMFOLD_PYTHON").unwrap_or("python3".into());
    let has = Command::new(&python)
        .args(["-c", "from mcp import Client, StdioServerParameters"])
        .output();
    if !has.is_ok_and(|has| has.status.success()) {
        skipped("answers for a client in Python, which has no mcp 2 (STREAMFOLD_PYTHON)");
        return;
    }
    let script = "\
import asyncio, json, sys
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main(mode):
    server = StdioServerParameters(command=sys.argv[1], args=['mcp', sys.argv[2]])
    async with Client(stdio_client(server), mode=mode) as client:
        tools = (await client.list_tools()).tools
        print(len(tools), all(tool.annotations.read_only_hint for tool in tools))
        found = await client.call_tool('overview', {})
        trace = found.structured_content['traces'][1]['trace']
        seen = []
        async def progress(*told):
            seen.append(told)
        for name, arguments in [('overview', {}), ('waits', {'top': 5}), ('profile', {'by': 'process', 'time': '40% 50%'})]:
            answer = await client.call_tool(name, {'trace': trace, **arguments}, progress_callback=progress)
            print(name, bool(answer.is_error), answer.content[0].text.splitlines()[0][:20], len(answer.content[0].text) <= 6000)
        refused = await client.call_tool('profile', {'trace': '../secret'})
        print(refused.is_error, 'may not be read' in refused.content[0].text)

for mode in ['auto', 'legacy']:
    asyncio.run(main(mode))
";
    let run = Command::new(&python)
        .args(["-c", script, env!("CARGO_BIN_EXE_streamfold"), TUTORIAL])
        .output()
        .expect("a run");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let once = "8 True\n\
                overview False Of 8 threads × 2.301 True\n\
                waits False Of 8 threads × 2.301 True\n\
                profile False Of 8 threads × 230.1 True\n\
                True True\n";
    assert_eq!(String::from_utf8_lossy(&run.stdout), once.repeat(2));
}
