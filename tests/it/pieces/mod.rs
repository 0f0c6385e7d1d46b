//! Locations that are read in pieces: the same bytes for any number of pieces, threads and ranks,
//! also where a stream is odd, damaged, or ends early.

mod damage;
mod layouts;
mod streams;

use std::path::Path;
use std::process::Output;

use crate::common::program::{said, streamfold};
use crate::common::skipped;

/// What a run says, on both outputs, and how it ends.
#[derive(Debug, PartialEq)]
struct Said {
    out: String,
    err: String,
    code: Option<i32>,
}

impl Said {
    fn new(output: &Output) -> Said {
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let ours = |line: &&str| line.starts_with("streamfold: ");
        // Launchers add what they think of exit codes.
        let err = said(output).lines().filter(ours).map(|line| format!("{line}\n")).collect();
        Said { out, err, code: output.status.code() }
    }
}

/// Threads and length of pieces in bytes.
const LAYOUTS: [(&str, &str); 5] =
    [("1", "1"), ("2", "1"), ("3", "600000"), ("4", "1"), ("2", "900000")];

/// A profile with all there is to say, in pieces or not.
fn args<'a>(anchor: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let anchor = anchor.to_str().expect("a path in UTF-8");
    [&["profile", "-q", anchor, "--format", "json", "--threads"], more].concat()
}

/// The profile of an archive, which is the same for pieces of any length, threads and ranks.
fn same_in_pieces(anchor: &Path, more: &[&str]) -> Said {
    let run = |args: &[&str]| Said::new(&streamfold(args).output().expect("a run"));
    let whole = run(&args(anchor, &[&["1"], more].concat()));
    for (threads, bytes) in LAYOUTS {
        let pieces = run(&args(anchor, &[&[threads, "--piece-bytes", bytes], more].concat()));
        assert_eq!(pieces, whole, "{}, {threads} threads, {bytes} bytes", anchor.display());
    }
    whole
}

/// The same with so many ranks.
fn same_on_ranks(anchor: &Path, more: &[&str], whole: &Said, ranks: &[usize]) {
    if cfg!(not(feature = "ranks")) {
        return skipped("pieces on ranks, for want of MPI");
    }
    for ranks in ranks {
        let threads = if ranks % 2 == 0 { "1" } else { "2" };
        let args = args(anchor, &[&[threads, "--piece-bytes", "1"], more].concat());
        let Some(output) = crate::common::program::on_ranks(*ranks, args) else { return };
        assert_eq!(&Said::new(&output), whole, "{}, {ranks} ranks", anchor.display());
    }
}
