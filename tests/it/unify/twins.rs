//! Definitions of one file that are the same but for what else is said about them.

use streamfold::model::definitions::{CartCoordinate, CartTopology, Definition};
use streamfold::model::ids::{CartTopologyRef, CommRef};

use crate::unify::made::{make, of_kind, visit, Defs, Local};
use crate::unify::one_set;

/// A location that has the same topology for each of these coordinates of its own.
fn with_topologies(first: u32, coordinates: &[&[u32]]) -> Local {
    let mut defs = Defs::new(first);
    let region = defs.region("a");
    let name = defs.string("grid");
    for all in coordinates {
        let (id, communicator) = (CartTopologyRef(defs.number()), CommRef::UNDEFINED);
        let topology = CartTopology { id, name, communicator, cart_dimensions: Vec::new() };
        defs.add(Definition::CartTopology(topology));
        for coordinate in *all {
            let coordinates = vec![*coordinate];
            let own = CartCoordinate { cart_topology: id, rank: 7, coordinates };
            defs.add(Definition::CartCoordinate(own));
        }
    }
    Local::new(defs, visit(region))
}

/// Only where one file says different things of those that are the same but for that they are several.
#[test]
fn what_is_said_of_them_tells_them_apart_where_it_differs() {
    let one: &[&[u32]] = &[&[1]];
    let all: [(&[&[u32]], usize); 6] = [
        (&[&[1], &[1]], 1),
        (&[&[3], &[3]], 1),
        (&[&[3, 4], &[4, 3]], 1),
        (&[&[], &[]], 1),
        // The one of the other location is a third one, as nobody knows which of these it is.
        (&[&[1], &[2]], 3),
        (&[&[1], &[]], 2),
    ];
    for (twice, expected) in all {
        let place =
            one_set(&make(&[with_topologies(0, one), with_topologies(33, twice)]).anchor, &[]);
        assert_eq!(of_kind(&place, "CartTopology").len(), expected, "{twice:?}");
    }
}
