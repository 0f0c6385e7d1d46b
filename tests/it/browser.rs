//! Pages in a browser: tables sort, flame graphs enlarge, nothing fails and nothing is fetched.
//!
//! Needs Chromium. Where it is missing the test says so and is skipped, unless STREAMFOLD_BROWSER=required, as
//! ci/test says where it could install it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::archives::{data, one};
use crate::common::program::{said, streamfold, text};

/// Notes errors, and what the page is forbidden to fetch.
const WATCH: &str = r#"<script>
window.seen = [];
addEventListener("error", event => window.seen.push("error: " + event.message));
addEventListener("securitypolicyviolation", event => window.seen.push("fetches " + event.blockedURI));
</script>"#;

/// Chromium, by the names that it has.
fn browser() -> Option<&'static str> {
    let is_there = |name: &&str| {
        let mut version = Command::new(name);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(is_there);
    if found.is_none() {
        let required = std::env::var_os("STREAMFOLD_BROWSER").is_some_and(|is| is == "required");
        assert!(!required, "the tests of pages cannot run: Chromium is not installed");
        crate::common::skipped("pages in a browser: Chromium is not installed");
    }
    found
}

/// What a reader of the page sees in a window of that width.
fn read(browser: &str, page: &Path, width: u32, folder: &TempDir) -> Value {
    let content = fs::read_to_string(page).expect("a page");
    let script = format!("<script>{}</script></body>", include_str!("browser_seen.js"));
    let watched = content.replacen("<head>", &format!("<head>{WATCH}"), 1);
    let watched = watched.replacen("</body>", &script, 1);
    let file = folder.path().join("watched.html");
    fs::write(&file, watched).expect("a page");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .args([format!("--window-size={width},900"), "--dump-dom".to_owned()])
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("a browser");
    let dom = text(&output.stdout);
    let seen = dom.split("<pre id=\"seen\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let seen = seen.unwrap_or_else(|| panic!("the page did not load: {}", text(&output.stderr)));
    serde_json::from_str(&seen.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))
        .expect("JSON")
}

#[test]
fn pages_work_in_a_browser() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [hybrid, pingpong] = ["hybrid", "pingpong"].map(|name| one(name).anchor);
    let files = data().join("dftracer/2.2-plain");
    let pages: [Vec<PathBuf>; 3] = [vec![hybrid.clone()], vec![files], vec![hybrid, pingpong]];
    for traces in pages {
        let page = folder.path().join("page.html");
        let output = streamfold(["report", "-q", "-o"]).arg(&page).args(&traces).output();
        let output = output.expect("a run");
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
        for width in [1280, 700] {
            let seen = read(browser, &page, width, &folder);
            assert_eq!(seen["wrong"], serde_json::json!([]), "{traces:?}, {width} pixels");
            assert!(seen["sorted"].as_u64() > Some(10), "{traces:?}: {seen}");
            assert!(seen["zoomed"].as_u64() >= Some(traces.len() as u64), "{traces:?}: {seen}");
        }
    }
}
