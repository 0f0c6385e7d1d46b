//! The same profile, written by several ranks and in several rounds.

use streamfold_kernels::profile::{Profile, ProfileKernel, Worker};
use streamfold_kernels::Kernel;
use streamfold_model::events::{Enter, EventVisitor, Leave, MpiSend};
use streamfold_model::ids::{CommRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::Ticks;

use super::super::provenance::Provenance;
use super::*;
use streamfold_collective::{team, PieceLimit};

const LOCATIONS: u64 = 7;

/// Locations with call paths of their own, each in an order of its own.
fn scan(kernel: &ProfileKernel<'_>, worker: &mut Worker, location: LocationRef) {
    let mut scan = kernel.scan(worker, location);
    let mut number = 0;
    let mut head = || {
        number += 1;
        EventHead { location, number, time: Ticks(number * (location.0 + 1)), attributes: &[] }
    };
    let l = location.0 as u32;
    for outer in 0..5 {
        let outer = RegionRef(outer * (l + 1) % 7);
        scan.enter(&head(), Enter { region: outer });
        for inner in 0..3 + l {
            let region = RegionRef(10 + inner * 3 % (2 + l));
            scan.enter(&head(), Enter { region });
            let (communicator, msg_length) = (CommRef(0), u64::from(inner));
            scan.mpi_send(&head(), MpiSend { receiver: 0, communicator, msg_tag: 0, msg_length });
            scan.leave(&head(), Leave { region });
        }
        scan.leave(&head(), Leave { region: outer });
    }
    kernel.end(scan, &StreamSummary { events: number, ..StreamSummary::default() });
}

/// Returns the file that ranks write together, in rounds of so many values.
fn written(size: usize, round: u64) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.cubex");
    team::run(size, PieceLimit::DEFAULT, |ranks| {
        let definitions = Definitions::default();
        let spools = Spools::new();
        let sinks = || spools.sink();
        let kernel = ProfileKernel::new(&definitions).with_sinks(&sinks);
        let mut worker = kernel.worker();
        for location in (0..LOCATIONS).map(|at| at * 5 % LOCATIONS) {
            if location as usize * 3 % size == ranks.rank() {
                scan(&kernel, &mut worker, LocationRef(location));
            }
        }
        let partial = kernel.partial(worker);
        let partial = ranks.reduce(0, partial, |a, b| kernel.fold(a, b)).unwrap();
        let profile = partial.map(|partial| Profile::new(partial, &definitions).0);
        let provenance = Provenance {
            program: "streamfold 0".to_owned(),
            input: "none".to_owned(),
            trace_identifier: String::new(),
            creator: String::new(),
            options: Vec::new(),
            timer_resolution: 1000,
            loss_count: 0,
            losses: Vec::new(),
        };
        let ticks = (0..4).map(|path| (Some(path), LocationRef(path.into()), 7)).collect();
        let outside = vec![(None, LocationRef(3), 5), (None, LocationRef(99), 6)];
        let below = More { parent: Some(0), ticks: outside, ..More::default() };
        let more = [More { ticks, ..More::default() }, below];
        let output = Output::prepare(&path).unwrap();
        let report = profile.as_ref().map(|profile| {
            let (definitions, provenance) = (&definitions, &provenance);
            ProfileReport { profile, definitions, provenance, derived: &[] }
        });
        let report = report.as_ref().map(|report| (&output, report));
        write_in_rounds(&path, ranks, report, (&spools, &more), round).unwrap();
    });
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    std::fs::read(path).unwrap()
}

/// Tar and Cube pad members of whole blocks differently: there are none.
#[test]
fn anchors_of_whole_blocks_get_a_blank_line() {
    for (length, written) in [(511, 511), (512, 513), (513, 513), (1024, 1025)] {
        let contents = Contents::new("x".repeat(length), 1);
        let (at, anchor) = &contents.pieces[0];
        assert_eq!((*at, anchor.len()), (512, written));
        assert_eq!(anchor.ends_with(b"\n"), length.is_multiple_of(512));
        let (_, head) = contents.container.heads().next().unwrap();
        assert_eq!(&head[124..135], format!("{written:011o}").as_bytes());
    }
}

#[test]
fn ranks_and_rounds_never_show() {
    let one = written(1, ROUND);
    assert_eq!(one.len() % 512, 0);
    assert_eq!(&one[257..262], b"ustar");
    for (size, round) in [(1, 1), (1, 100), (2, ROUND), (2, 1), (3, 333), (5, 200)] {
        assert!(written(size, round) == one, "{size} ranks, rounds of {round} values");
    }
}
