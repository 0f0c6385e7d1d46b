//! Definitions come behind those that they lead to, whichever location knows what.

use streamfold::model::definitions::{Definition, RmaWin};
use streamfold::model::enums::{GroupType, RmaWinFlag};
use streamfold::model::ids::{CommRef, GroupRef, RmaWinRef};

use crate::common::reference::{is_installed, otf2_print};
use crate::unify::made::{defects, make, of_kind, send, Defs, Local, Made};
use crate::unify::one_set;

/// What stands for a group that a location does not know.
const UNKNOWN: GroupRef = GroupRef::UNDEFINED;

/// The world is known whole at the last location alone, its first half at the one before, and the first location has
/// made another one from that, and a window on it.
fn known_later() -> Made {
    let local = |which: u64| {
        let mut defs = Defs::new(30 - 10 * which as u32);
        let group = |defs: &mut Defs, is_known: bool, ranks: &[u64]| match is_known {
            true => defs.group(GroupType::CommGroup, ranks),
            false => UNKNOWN,
        };
        if which == 2 {
            defs.group(GroupType::CommLocations, &[0, 100, 200]);
        }
        let all = group(&mut defs, which == 2, &[0, 1, 2]);
        let world = defs.comm("MPI_COMM_WORLD", all, CommRef::UNDEFINED);
        let mut events = vec![send(world, 1)];
        if which < 2 {
            let half = group(&mut defs, which == 1, &[0, 1]);
            let half = defs.comm("half", half, world);
            events.push(send(half, 2));
            if which == 0 {
                let alone = group(&mut defs, true, &[0]);
                let comm = defs.comm("alone", alone, half);
                events.push(send(comm, 3));
                let (id, name) = (RmaWinRef(defs.number()), defs.string("window"));
                let flags = RmaWinFlag::NONE;
                defs.add(Definition::RmaWin(RmaWin { id, name, comm, flags }));
            }
        }
        Local::new(defs, events)
    };
    make(&[local(0), local(1), local(2)])
}

#[test]
fn communicators_come_behind_those_that_they_were_made_from() {
    let made = known_later();
    for way in [&[][..], &["--rewrite-events"]] {
        let place = one_set(&made.anchor, way);
        let comms = of_kind(&place, "Comm");
        let said: Vec<_> = comms.iter().map(|comm| (&comm["name_text"], &comm["id"])).collect();
        let expected = [("MPI_COMM_WORLD", 0), ("half", 1), ("alone", 2)];
        assert_eq!(said.len(), expected.len());
        for ((name, id), (expected, number)) in said.into_iter().zip(expected) {
            assert_eq!((name, id), (&expected.into(), &number.into()));
        }
        assert_eq!(comms[1]["parent"], comms[0]["id"]);
        assert_eq!(comms[2]["parent"], comms[1]["id"]);
        assert_eq!(of_kind(&place, "RmaWin")[0]["comm"], comms[2]["id"]);
        assert_eq!(defects(&place), [""; 0]);
        if is_installed("otf2-print") {
            let printed = otf2_print(&["-G"], &place.anchor());
            assert_eq!(crate::common::program::said(&printed), "");
        }
    }
    #[cfg(feature = "ranks")]
    crate::unify::on_ranks::expect_same(&made, 0);
}
