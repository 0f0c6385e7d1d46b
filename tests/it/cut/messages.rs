//! Messages whose partner was cut away.

use std::path::PathBuf;

use streamfold::model::definitions::{Definition, Group, InterComm};
use streamfold::model::enums::{CommFlag, GroupFlag, GroupType, Paradigm};
use streamfold::model::events::{Event, MpiRecv, MpiSend};
use streamfold::model::ids::{CommRef, GroupRef, StringRef};

use crate::common::archives::{large_folders, Archive};
use crate::cut::made::Made;
use crate::cut::{expect_valid, part};

/// Three processes: 0 sends three to 1, the last of which arrives late, and 2 to 0 one.
fn three() -> (Made, PathBuf) {
    let mut made = Made::new(3);
    made.events(0, |w| {
        w.enter(1000, 1);
        w.send(1100, 1, 5);
        w.send(1200, 1, 5);
        w.send(1300, 1, 6);
        w.receive(1400, 2, 5);
        w.leave(1500, 1);
    });
    made.events(1, |w| {
        w.enter(1000, 1);
        w.receive(1150, 0, 5);
        w.receive(1250, 0, 5);
        w.receive(1800, 0, 6);
        w.leave(1900, 1);
    });
    made.events(2, |w| w.send(1050, 0, 5));
    let anchor = made.finish();
    (made, anchor)
}

fn group(id: u32, members: Vec<u64>, group_flags: GroupFlag) -> Definition {
    Definition::Group(Group {
        id: GroupRef(id),
        name: StringRef(0),
        members,
        group_type: GroupType::CommGroup,
        paradigm: Paradigm::Mpi,
        group_flags,
    })
}

/// Communicator 1, between groups 2 and 3.
fn between_two_groups() -> Definition {
    Definition::InterComm(InterComm {
        id: CommRef(1),
        name: StringRef(24),
        group_a: GroupRef(2),
        group_b: GroupRef(3),
        common_communicator: CommRef(0),
        flags: CommFlag::NONE,
    })
}

/// What is said of messages.
fn alone(said: &str) -> Option<&str> {
    said.lines().find(|line| line.contains("without partner"))
}

#[test]
fn partners_that_were_cut_away_are_counted() {
    let (_made, anchor) = three();
    let (place, said) = part(&anchor, &["-L", "0"]);
    assert_eq!(
        alone(&said),
        Some(
            "streamfold: 4 messages without partner: 3 sent to locations that were cut away, 1 \
             received from such"
        )
    );
    expect_valid(&place.anchor(), "one of three");
    let (_, said) = part(&anchor, &["-L", "0", "-L", "1"]);
    let expected = "streamfold: 1 message without partner: 1 received from such";
    assert_eq!(alone(&said), Some(expected));
}

#[test]
fn partners_outside_of_the_interval_are_counted() {
    let (_made, anchor) = three();
    let (_, said) = part(&anchor, &["--time", "1000", "1700"]);
    let expected = "streamfold: at least 1 message without partner: 1 sent and not received";
    assert_eq!(alone(&said), Some(expected));
    let (_, said) = part(&anchor, &["--time", "1120", "1900"]);
    let parts = "3 received and not sent";
    // One of the tags 5 was sent before, that of 2, too.
    let found = alone(&said).expect("some are alone");
    assert!(
        found.contains("at least 2 messages") && found.contains("2 received"),
        "{found} {parts}"
    );
    let (_, said) = part(&anchor, &["--time", "1000", "end"]);
    assert_eq!(alone(&said), None, "{said}");
}

#[test]
fn none_are_alone_where_there_are_none() {
    let (_made, anchor) = three();
    for kinds in ["messages", "mpi"] {
        let (_, said) = part(&anchor, &["-L", "0", "--without", kinds]);
        assert_eq!(alone(&said), None, "{said}");
    }
}

/// Ranks count in the group of the other side.
#[test]
fn partners_of_the_other_side_are_found() {
    let mut made = Made::new(3);
    for (id, members) in [(2, vec![0]), (3, vec![2, 1])] {
        made.add(group(id, members, GroupFlag::NONE));
    }
    made.add(between_two_groups());
    let communicator = CommRef(1);
    // To rank 0 of the other side, which is process 2.
    made.events(0, |w| {
        let send = MpiSend { receiver: 0, communicator, msg_tag: 1, msg_length: 1 };
        w.at(1100, Event::MpiSend(send));
    });
    made.events(2, |w| {
        let receive = MpiRecv { sender: 0, communicator, msg_tag: 1, msg_length: 1 };
        w.at(1200, Event::MpiRecv(receive));
    });
    let anchor = made.finish();
    let (place, said) = part(&anchor, &["-L", "0", "-L", "2"]);
    assert_eq!(alone(&said), None, "{said}");
    expect_valid(&place.anchor(), "both sides");
    let (_, said) = part(&anchor, &["-L", "0", "-L", "1"]);
    let expected = "streamfold: 1 message without partner: 1 sent to locations that were cut away";
    assert_eq!(alone(&said), Some(expected));
}

/// EZTrace gives one number to the list of all locations and to a group of them.
#[test]
fn lists_of_locations_whose_number_is_defined_again_are_found() {
    let mut made = Made::new(3);
    made.add(group(0, vec![2, 1], GroupFlag::NONE));
    made.events(0, |w| w.send(1100, 1, 5));
    made.events(1, |w| w.receive(1150, 0, 5));
    let anchor = made.finish();
    let (_, said) = part(&anchor, &["-L", "0", "-L", "1"]);
    assert_eq!(alone(&said), None, "{said}");
    let (_, said) = part(&anchor, &["-L", "1"]);
    let expected = "streamfold: 1 message without partner: 1 received from such";
    assert_eq!(alone(&said), Some(expected));
    for folder in large_folders(&["eztrace-mpi-p2p-coll-intercomm"]) {
        let archive = Archive::find(&folder).expect("an archive");
        let (_, said) = part(&archive.anchor, &["--time", "0", "99999999999999999"]);
        assert!(!said.contains("nobody defines"), "{said}");
        let (_, said) = part(&archive.anchor, &["-L", "0"]);
        let alone = alone(&said).expect("partners are away");
        assert!(alone.contains("cut away") && !alone.contains("nobody defines"), "{alone}");
    }
}

/// Ranks are places in the list of all locations there, members of the groups, too.
#[test]
fn members_of_groups_whose_ranks_are_global_are_found() {
    let mut made = Made::new(3);
    for (id, members) in [(2, vec![1]), (3, vec![0, 2])] {
        made.add(group(id, members, GroupFlag::GLOBAL_MEMBERS));
    }
    made.add(between_two_groups());
    let communicator = CommRef(1);
    made.events(1, |w| {
        let send = MpiSend { receiver: 2, communicator, msg_tag: 1, msg_length: 1 };
        w.at(1100, Event::MpiSend(send));
    });
    made.events(2, |w| {
        let receive = MpiRecv { sender: 1, communicator, msg_tag: 1, msg_length: 1 };
        w.at(1200, Event::MpiRecv(receive));
    });
    let anchor = made.finish();
    let (_, said) = part(&anchor, &["-L", "1", "-L", "2"]);
    assert_eq!(alone(&said), None, "{said}");
}
