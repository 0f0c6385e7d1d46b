//! Records of the newer library, OTF2 3.2, in an archive that its Python module wrote (`tests/data/probes`).

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::archives::one;
use crate::common::program::{said, streamfold, text};

fn run(args: &[&str]) -> String {
    let output = streamfold(["--mpi", "off", "-q"]).args(args).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", said(&output));
    text(&output.stdout)
}

fn probes() -> String {
    one("probes").anchor.to_str().expect("text").to_owned()
}

/// The lines of the records that are new, without the columns in front.
fn lines(anchor: &str) -> Vec<String> {
    let printed = run(&["print", anchor]);
    let names = ["MPI_PROBE", "MPI_MRECV", "MPI_IMRECV"];
    let new = printed.lines().filter(|line| names.iter().any(|name| line.starts_with(name)));
    new.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

const PRINTED: [&str; 8] = [
    "MPI_PROBE 1 100 Sender: 0 (\"Rank 0\" <0>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 7, Message: UNDEFINED",
    "MPI_PROBE 1 165 Sender: 0 (\"Rank 0\" <0>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 7, Message: 41",
    "MPI_PROBE 1 220 Sender: 0 (\"Rank 0\" <0>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 7, Message: 42",
    "MPI_MRECV 1 275 Message: 42, Length: 2000",
    "MPI_IMRECV_REQUEST 1 295 Message: 41, Request: 5",
    "MPI_IMRECV 1 315 Request: 5, Length: 1000",
    "MPI_PROBE 1 335 Sender: 0 (\"Rank 0\" <0>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 8, Message: 43",
    "MPI_MRECV 1 355 Message: 43, Length: 3000",
];

#[test]
fn probes_and_matched_receives_are_shown() {
    assert_eq!(lines(&probes()), PRINTED);
    let definitions = run(&["print", "-G", &probes()]);
    assert!(definitions.contains("Type: COMM_LOCATION_GROUPS"), "{definitions}");
    assert!(definitions.contains("0 (\"Rank 0\" <0>), 1 (\"Rank 1\" <1>)"), "{definitions}");
}

/// Each message has one length at both ends, though the first one is received last: matching goes by the probes.
#[test]
fn a_matched_receive_is_of_the_message_that_was_probed() {
    let report: Value =
        serde_json::from_str(&run(&["match", "--format", "json", &probes()])).expect("JSON");
    let comm = &report["communicators"][0];
    let count = |name: &str| comm[name].as_u64().expect("a count");
    assert_eq!(["sends", "receives", "messages"].map(count), [3; 3]);
    assert_eq!((count("unequal_lengths"), count("bytes")), (0, 6000));
    let profile: Value =
        serde_json::from_str(&run(&["profile", "--format", "json", &probes()])).expect("JSON");
    assert_eq!(
        (&profile["total"]["received"], &profile["total"]["bytes_received"]),
        (&3.into(), &6000.into())
    );
    run(&["waitstates", &probes()]);
    run(&["validate", &probes()]);
}

#[test]
fn what_is_written_has_the_same_records() {
    let folder = TempDir::new().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    for (number, command) in
        [&["copy", "--reencode"][..], &["copy"], &["unify"], &["cut", "--location", "1"]]
            .iter()
            .enumerate()
    {
        let output = place(&format!("{number}/t.otf2"));
        std::fs::create_dir(Path::new(&output).parent().expect("a folder")).expect("a folder");
        let probes = probes();
        run(&[command, &[probes.as_str(), "-o", &output][..]].concat());
        let found = lines(&output);
        assert_eq!(found.len(), PRINTED.len(), "{command:?}");
        for (found, expected) in found.iter().zip(PRINTED) {
            let head = |line: &str| line.split(" Communicator").next().map(str::to_owned);
            assert_eq!(head(found), head(expected), "{command:?}");
        }
    }
}
