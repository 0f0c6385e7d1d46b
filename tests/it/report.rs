//! The report as one page.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::archives::{data, large, one, own};
use crate::common::program::{mpirun, said, streamfold, team, text};

fn page(trace: &Path, folder: &TempDir, name: &str) -> String {
    let file = folder.path().join(name);
    let output = streamfold(["report", "-q", "-o"]).arg(&file).arg(trace).output().expect("a run");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}: {}", trace.display(), said(&output));
    assert!(output.stdout.is_empty());
    fs::read_to_string(&file).expect("a page")
}

/// Whatever is fetched is named by an attribute or a function.
fn needs_no_network(page: &str) {
    for attribute in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "<link", "<iframe"] {
        assert!(!page.contains(attribute), "{attribute}");
    }
    let links = page.match_indices("href=\"").map(|(at, found)| &page[at + found.len()..]);
    assert!(links.into_iter().all(|link| link.starts_with('#')), "links lead into the page");
}

/// Elements that are opened are closed, one inside of another.
fn is_nested(page: &str) {
    const ALONE: [&str; 5] = ["meta", "!DOCTYPE", "br", "wbr", "input"];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or("");
        if let Some(raw) =
            ["script", "style"].into_iter().find(|raw| *raw == name && !tag.starts_with('/'))
        {
            let close = format!("</{raw}>");
            rest = &rest[rest.find(&close).expect("it is closed") + close.len()..];
            continue;
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') && !ALONE.contains(&name) {
            open.push(name);
        }
        rest = &rest[end..];
    }
    assert!(open.is_empty(), "{open:?}");
}

/// The text of a part of a page.
fn shown(part: &str) -> String {
    let mut text = String::new();
    for piece in part.split('<').enumerate() {
        match piece {
            (0, piece) => text.push_str(piece),
            (_, piece) => text.push_str(piece.split_once('>').map_or("", |(_, rest)| rest)),
        }
    }
    text.replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn every_archive_has_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    for archive in own().into_iter().chain(large()) {
        let page = page(&archive.anchor, &folder, "page.html");
        needs_no_network(&page);
        is_nested(&page);
        // Less than 2 MB without the time line, and 16 MB with it.
        let data = page.split("id=\"time-line-data\">").nth(1).and_then(|of| of.split('<').next());
        let data = data.map_or(0, str::len);
        assert!(data < 14_000_000, "{}: {data} bytes", archive.name);
        assert!(page.len() - data < 2_000_000, "{}: {} bytes", archive.name, page.len() - data);
    }
}

#[test]
fn other_formats_have_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    for trace in ["strace/edge_exec", "dftracer/2.2-plain"] {
        let page = page(&data().join(trace), &folder, "page.html");
        needs_no_network(&page);
        is_nested(&page);
        assert!(page.contains("<h2 id=\"files\">"), "{trace}");
    }
}

#[test]
fn a_page_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = page(&one("pingpong").anchor, &folder, "page.html");
    let parts = ["efficiency", "processes", "time", "regions", "flame", "critical", "waits"];
    for part in parts.into_iter().chain(["messages"]) {
        assert!(page.contains(&format!("<h2 id=\"{part}\">")), "{part}");
    }
    let verdict = page.split("aria-label=\"Verdict\">").nth(1).expect("a verdict");
    let verdict = verdict.split("</section>").next().expect("its end");
    // MPI_Init takes most of the time, and is set aside.
    assert!(verdict.contains("start-up and finalize of MPI are "), "{verdict}");
    // All commands begin with the same sentences.
    let run = streamfold(["efficiency", "-q"]).arg(one("pingpong").anchor).output().expect("a run");
    let said = text(&run.stdout);
    let lines: Vec<&str> = said.lines().skip(3).take_while(|line| !line.is_empty()).collect();
    assert!(lines.len() > 1, "{said}");
    for line in lines {
        assert!(shown(verdict).contains(&line.replace('`', "")), "{line}: {verdict}");
    }
    assert!(verdict.contains("The critical path spends most"), "{verdict}");
    let sentences = verdict.matches("<p>").count();
    assert!((1..=6).contains(&sentences), "{verdict}");
}

#[test]
fn ranks_do_not_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = one("pingpong").anchor;
    let alone = page(&anchor, &folder, "alone.html");
    let file = folder.path().join("more.html");
    let args = ["report", "-q", "-o", file.to_str().unwrap(), anchor.to_str().unwrap()];
    for size in [2, 3] {
        let output = team(size, args);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(fs::read_to_string(&file).unwrap(), alone, "{size} ranks");
    }
    if let Some(output) = mpirun(2, args) {
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(fs::read_to_string(&file).unwrap(), alone);
    }
}

#[test]
fn a_page_is_a_file_or_standard_output() {
    let anchor = one("pingpong").anchor;
    let to = |place: &str| {
        let mut run = streamfold(["report", "-q", "-o", place]);
        run.arg(&anchor).output().expect("a run")
    };
    let output = to("x.csv");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let output = to("-");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    assert!(to(file.to_str().expect("text")).status.success());
    assert_eq!(fs::read(&file).expect("a page"), output.stdout);
}

/// Both runs are compared, and shown beside each other.
#[test]
fn two_runs_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let [before, after] = [one("intercomm").anchor, one("pingpong").anchor];
    let file = folder.path().join("two.html");
    let args = ["report", "-q", "-o", file.to_str().unwrap()];
    let args = args.into_iter().chain([before.to_str().unwrap(), after.to_str().unwrap()]);
    let args: Vec<&str> = args.collect();
    let output = streamfold(&args).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    let page = fs::read_to_string(&file).expect("a page");
    needs_no_network(&page);
    is_nested(&page);
    let parts = ["changes", "efficiency", "waits", "time-before", "time-after", "flame-before"];
    for part in parts {
        assert!(page.contains(&format!("<h2 id=\"{part}\">")), "{part}");
    }
    assert!(page.contains("<p>AFTER is ") && page.contains(" → "));
    let output = team(3, &args);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(fs::read_to_string(&file).unwrap(), page, "3 ranks");
}

#[test]
fn a_run_and_itself_are_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = one("pingpong").anchor;
    let file = folder.path().join("same.html");
    let output = streamfold(["report", "-q", "-o"]).arg(&file).args([&anchor, &anchor]).output();
    let output = output.expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    let page = fs::read_to_string(&file).expect("a page");
    assert!(page.contains("Nothing changed: ") && !page.contains("<h2 id=\"changes\">"));
}

/// Runs that follow each other in a folder are compared, never added: logs of strace, and files of DFTracer.
#[test]
fn runs_of_a_folder_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let call =
        |second: u32| format!("7 {second}.000000 read(3</tmp/x>, \"\"..., 8) = 8 <0.500000>\n");
    for (cid, begin) in [("ssf", 1_700_000_010), ("fpp", 1_700_000_020)] {
        let lines: String = (0..3).map(|step| call(begin + step)).collect();
        write(&format!("strace/{cid}_host1_7.st"), lines);
        let event = |step: u32| {
            let begin = u64::from(begin + step) * 1_000_000;
            format!(
                "{{\"id\":{step},\"name\":\"read\",\"cat\":\"POSIX\",\"pid\":7,\"tid\":7,\"ts\":{begin},\"dur\":500000,\"ph\":\"X\"}}\n"
            )
        };
        let lines: String = (0..3).map(event).collect();
        write(&format!("dftracer/{cid}-{begin:x}-app.pfw"), format!("[\n{lines}"));
    }
    for format in ["strace", "dftracer"] {
        let trace = folder.path().join(format);
        let file = folder.path().join("runs.html");
        let args = ["report", "-q", "-o", file.to_str().unwrap(), trace.to_str().unwrap()];
        let output = streamfold(args).output().expect("a run");
        assert!(output.status.success(), "{}", said(&output));
        let page = fs::read_to_string(&file).expect("a page");
        needs_no_network(&page);
        is_nested(&page);
        let sentence = "2 runs: ssf, fpp. One began after the other: they are compared, not added.";
        assert!(page.contains(sentence) && page.contains(": ssf and fpp</h1>"), "{format}");
        assert!(page.contains("<h2 id=\"processes-before\">"), "{format}");
        // Three calls in both runs, however often a run is read: one number for both.
        let before_events = page.split("</b><span>events</span>").next().expect("a fact");
        let events = before_events.rsplit("<b>").next().expect("a number");
        assert!(events.parse::<u64>().is_ok_and(|count| count >= 6), "{format}: {events} events");
        let output = team(3, args);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(fs::read_to_string(&file).unwrap(), page, "{format} on 3 ranks");
        // Where two folders are compared, the runs of one count as one.
        let elsewhere = "tests/data/pingpong/traces.otf2";
        for (command, options) in
            [("report", &args[2..4]), ("diff", &[]), ("diff", &["--by", "waits"])]
        {
            let output = streamfold([command, "-q", trace.to_str().unwrap(), elsewhere])
                .args(options)
                .output();
            let told = said(&output.expect("a run"));
            assert!(
                told.contains("2 runs in one folder, ssf, fpp, count as one here"),
                "{command}: {told}"
            );
        }
        for command in ["overview", "efficiency"] {
            let run = streamfold([command, "-q"]).arg(&trace).output().expect("a run");
            let told = String::from_utf8_lossy(&run.stdout).into_owned();
            assert!(told.contains(sentence), "{command}: {told}");
            let next = format!("  streamfold efficiency {}", trace.display());
            assert!(
                command != "overview" || told.contains(&next) || told.contains("efficiency TRACE"),
                "{told}"
            );
        }
    }
    // Runs at the same time belong together.
    fs::copy(
        folder.path().join("strace/ssf_host1_7.st"),
        folder.path().join("strace/more_host1_8.st"),
    )
    .expect("a copy");
    let run = streamfold(["efficiency", "-q"]).arg(folder.path().join("strace")).output();
    let told = String::from_utf8_lossy(&run.expect("a run").stdout).into_owned();
    assert!(!told.contains(" runs: "), "{told}");
}
