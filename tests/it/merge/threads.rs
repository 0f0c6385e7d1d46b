//! Threads in other archives than the first location of their process, which alone has a rank: they are in the
//! communicators of their process.

use streamfold::model::definitions::Definition;
use streamfold::model::enums::GroupType;
use streamfold::model::ids::CommRef;

use crate::common::program::said;
use crate::merge::made::{comm, group, send, string, visit, Made, Process, Trace};
use crate::merge::meaning::{number, of_kind, records};
use crate::merge::{expect_message, Place};

/// The definitions of a location of a job of four: the world, and below it a communicator with these members,
/// `None`: nobody has told the location who is in it.
fn own(members: Option<&[u64]>) -> Vec<Definition> {
    let mut own = vec![
        string(0, ""),
        string(5, "MPI_COMM_WORLD"),
        group(0, GroupType::CommLocations, &[0, 100, 200, 300]),
        group(1, GroupType::CommGroup, &[0, 1, 2, 3]),
        comm(0, 5, 1, CommRef::UNDEFINED),
    ];
    own.extend(members.map(|members| group(2, GroupType::CommGroup, members)));
    own.push(comm(1, 0, if members.is_some() { 2 } else { u32::MAX }, CommRef(0)));
    own
}

/// A part of a run, with these locations.
fn part(processes: Vec<Process>) -> Made {
    let mut trace = Trace::job(96, &[0, 100, 200, 300], "main");
    trace.global.retain(|it| !matches!(it, Definition::Group(_) | Definition::Comm(_)));
    Trace { processes, ..trace }.write()
}

fn process(location: u64, group: u32, own: Vec<Definition>, sends: bool) -> Process {
    let mut events = visit([2_000, 2_900], 0);
    if sends {
        events.insert(1, (2_100, Vec::new(), send(0, 1, 77)));
    }
    Process { location, group, own, events, ..Process::default() }
}

/// The processes, of which the first two have a communicator of their own; and a thread of one of them.
fn parts(of: u32) -> [Made; 2] {
    let first = (0..4).map(|rank| match rank {
        0 | 1 => process(u64::from(rank) * 100, rank, own(Some(&[0, 1])), true),
        _ => process(u64::from(rank) * 100, rank, Vec::new(), false),
    });
    [part(first.collect()), part(vec![process(400, of, own(None), true)])]
}

/// In which communicator the thread sent, and its group.
fn sent(place: &Place) -> (u64, Option<u64>) {
    let is_its = |it: &serde_json::Value| it["location"] == 400 && it["msg_tag"] == 77;
    let event = records(&place.anchor(), &[]).into_iter().find(is_its).expect("a message");
    let comm = number(&event["communicator"]);
    let comms = of_kind(&place.anchor(), "Comm");
    let comm = comms.iter().find(|it| number(&it["id"]) == comm).expect("it is defined");
    (number(&comm["id"]), comm["group"].as_u64())
}

const NOBODY: &str = "400.def: Comm 1: nobody knows who is in it";

#[test]
fn threads_are_in_the_communicators_of_their_process_only() {
    for order in [[0, 1], [1, 0]] {
        let parts = parts(1);
        let place = Place::new();
        let ended = place.merge(&order.map(|at| &parts[at].anchor), &[]);
        expect_message::<&str>(&ended, 0, &[]);
        assert!(sent(&place).1.is_some(), "{}", said(&ended));
        // Of a process that is in no such communicator.
        let parts = self::parts(2);
        let place = Place::new();
        let ended = place.merge(&order.map(|at| &parts[at].anchor), &[]);
        expect_message(&ended, 0, &[NOBODY]);
        assert_eq!(sent(&place).1, None);
    }
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_finds_the_same() {
    use crate::common::files::Files;
    use crate::common::program::on_ranks;

    for (of, code, part) in [(0, 0, ""), (2, 0, NOBODY)] {
        let parts = parts(of);
        let place = Place::new();
        let ended = place.merge(&parts, &[]);
        expect_message(&ended, code, &[part]);
        let expected = Files::read(&place.anchor());
        for ranks in [1, 2, 3] {
            let place = Place::new();
            let args = ["merge".into(), "-o".into(), place.anchor().into_os_string()];
            let paths = parts.iter().map(|part| part.anchor.clone().into_os_string());
            let Some(ended) = on_ranks(ranks, args.into_iter().chain(paths)) else { return };
            expect_message(&ended, code, &[part]);
            Files::read(&place.anchor()).assert_same(&expected, &format!("{ranks} ranks"));
        }
    }
}
