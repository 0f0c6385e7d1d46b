//! `--plan`

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::RANKS;
use crate::common::archives::{one, own};
use crate::common::copy_folder;
use crate::common::program::{said, streamfold};

/// A line of a plan.
#[derive(Debug)]
struct PlannedRank {
    locations: u64,
    bytes: u64,
    first: Vec<u64>,
    all_shown: bool,
}

fn plan(anchor: &Path, option: &str) -> String {
    let args = [OsStr::new("profile"), anchor.as_os_str(), OsStr::new(option)];
    let output = streamfold(args).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output), "");
    String::from_utf8(output.stdout).expect("text")
}

fn planned_ranks(text: &str) -> Vec<PlannedRank> {
    let rows = text.lines().skip_while(|line| !line.trim_start().starts_with("rank")).skip(1);
    let rank = |(i, line): (usize, &str)| {
        // Thousands are apart, so columns are told by their width.
        let number = |from: usize, to: usize| -> u64 {
            line[from..to].replace(' ', "").parse().expect("a number")
        };
        assert_eq!(number(0, 6), i as u64, "ranks stand in their order");
        let (_, list) = line.split_once('%').expect("a part of the total");
        let first = list.split(',').filter_map(|text| text.trim().parse().ok());
        PlannedRank {
            locations: number(7, 17),
            bytes: number(35, 51),
            first: first.collect(),
            all_shown: !list.contains('…'),
        }
    };
    rows.take_while(|line| !line.is_empty()).enumerate().map(rank).collect()
}

/// Every location is read by one rank, whatever their number.
#[test]
fn plans_are_disjoint_and_complete() {
    for archive in own() {
        let facts = archive.facts();
        let locations: BTreeSet<u64> = facts["locations"]
            .as_array()
            .expect("locations")
            .iter()
            .map(|location| location["ref"].as_u64().expect("a reference"))
            .collect();
        let folder = archive.anchor.with_extension("");
        let bytes = |location: &u64| {
            fs::metadata(folder.join(format!("{location}.evt"))).map_or(0, |file| file.len())
        };
        let total: u64 = locations.iter().map(bytes).sum();
        for ranks in RANKS.into_iter().chain([64]) {
            let text = plan(&archive.anchor, &format!("--plan={ranks}"));
            let planned = planned_ranks(&text);
            let name = format!("{}, {ranks} ranks:\n{text}", archive.name);
            assert_eq!(planned.len(), ranks, "{name}");
            let count: u64 = planned.iter().map(|rank| rank.locations).sum();
            assert_eq!(count, locations.len() as u64, "{name}");
            assert_eq!(planned.iter().map(|rank| rank.bytes).sum::<u64>(), total, "{name}");
            let shown: Vec<u64> = planned.iter().flat_map(|rank| rank.first.clone()).collect();
            let different: BTreeSet<u64> = shown.iter().copied().collect();
            assert_eq!(different.len(), shown.len(), "disjoint: {name}");
            assert!(different.is_subset(&locations), "{name}");
            if planned.iter().all(|rank| rank.all_shown) {
                assert_eq!(different, locations, "complete: {name}");
            }
            for rank in planned.iter().filter(|rank| rank.all_shown) {
                assert_eq!(rank.first.iter().map(bytes).sum::<u64>(), rank.bytes, "{name}");
            }
        }
    }
}

#[test]
fn a_plan_without_a_number_is_for_the_ranks_that_there_are() {
    let archive = one("hybrid");
    assert_eq!(plan(&archive.anchor, "--plan"), plan(&archive.anchor, "--plan=1"));
    #[cfg(feature = "ranks")]
    {
        let args = [OsStr::new("profile"), archive.anchor.as_os_str(), OsStr::new("--plan")];
        let Some(output) = crate::common::program::mpirun(3, args) else { return };
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(text, plan(&archive.anchor, "--plan=3"));
    }
}

#[test]
fn a_plan_reads_no_events() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = one("pingpong");
    copy_folder(&archive.folder, folder.path());
    for name in ["0.evt", "1.evt"] {
        let path = folder.path().join("traces").join(name);
        let size = fs::metadata(&path).expect("events").len();
        fs::write(&path, vec![0xff; size as usize]).expect("overwritten");
    }
    let damaged = plan(&folder.path().join("traces.otf2"), "--plan=2");
    assert_eq!(damaged, plan(&archive.anchor, "--plan=2"));
}
