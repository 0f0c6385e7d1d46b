//! The program run for its report.

use std::path::Path;

use serde_json::Value;

use crate::common::program::{said, streamfold};

/// What `profile` reports of an archive with these options, and its exit code.
pub fn report(anchor: &Path, options: &[&str]) -> (Value, i32) {
    let args = ["profile", "--quiet", "--format", "json"];
    let args = args.iter().chain(options).map(AsRef::as_ref);
    let output = streamfold(args.chain([anchor.as_os_str()])).output().expect("a run");
    let code = output.status.code().expect("an exit code");
    let report = serde_json::from_slice(&output.stdout);
    (report.unwrap_or_else(|error| panic!("{error}; exit code {code}: {}", said(&output))), code)
}
