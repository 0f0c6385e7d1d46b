//! Running the tools of the reference library, where they are installed.

use std::path::Path;
use std::process::{Command, Output};

use super::skipped;

/// Whether there is a tool of this name; says so where there is none.
pub fn is_installed(tool: &str) -> bool {
    let version = Command::new(tool).arg("--version").output();
    let there = version.is_ok_and(|run| run.status.success());
    if !there {
        skipped(&format!("what {tool} says, which is not installed"));
    }
    there
}

/// What `otf2-print` says of an archive.
pub fn otf2_print(options: &[&str], anchor: &Path) -> Output {
    let mut command = Command::new("otf2-print");
    command.args(options).arg(anchor).env("TZ", "UTC").output().expect("otf2-print runs")
}
