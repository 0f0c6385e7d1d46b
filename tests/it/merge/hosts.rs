//! Hosts of one name: one below the same machine, two, which is told, below others.

use streamfold::model::definitions::{Definition, SystemTreeNodeDomain};
use streamfold::model::enums::SystemTreeDomain;
use streamfold::model::ids::SystemTreeNodeRef;

use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::merge::made::{node, string, Made, Trace};
use crate::merge::meaning::{errors, of_kind};
use crate::merge::{expect, Place};

/// A job on a host that is called `node`, below these nodes.
fn on(identifier: u64, class: &str, above: &[&str]) -> Trace {
    let mut trace = Trace::job(identifier, &[0, 1], "a");
    trace.global.retain(|it| !matches!(it, Definition::SystemTreeNode(_)));
    trace.global.push(string(60, class));
    // From the root on, as readers like it.
    let mut parent = SystemTreeNodeRef::UNDEFINED;
    for (id, name) in (0..).zip(above.iter().rev()) {
        trace.global.extend([string(70 + id, name), node(id, 70 + id, 1, parent)]);
        parent = SystemTreeNodeRef(id);
    }
    trace.global.push(node(above.len() as u32, 2, 60, parent));
    trace
}

/// That host is the second node.
fn shared(mut trace: Trace) -> Trace {
    trace.global.push(Definition::SystemTreeNodeDomain(SystemTreeNodeDomain {
        system_tree_node: SystemTreeNodeRef(1),
        system_tree_domain: SystemTreeDomain::SharedMemory,
    }));
    trace
}

/// How many hosts there are, and what is told about them.
#[track_caller]
fn hosts(traces: [Trace; 2]) -> (usize, Vec<String>, [Made; 2]) {
    let made = traces.map(|trace| trace.write());
    let place = Place::new();
    let ended = place.merge(&made, &["--strict"]);
    expect(&ended, 0);
    assert_eq!(errors(&place.anchor()), [""; 0]);
    if is_installed("otf2-print") {
        assert_eq!(said(&otf2_print(&["-G"], &place.anchor())), "", "without a warning");
    }
    let nodes = of_kind(&place.anchor(), "SystemTreeNode");
    let count = nodes.iter().filter(|node| node["name_text"] == "node").count();
    let told = said(&ended);
    let told = told.lines().filter(|line| line.contains("the host")).map(str::to_owned).collect();
    (count, told, made)
}

#[test]
fn below_the_same_machine_hosts_are_one() {
    for class in ["node", "computer"] {
        let (count, told, _) =
            hosts([1, 2].map(|identifier| on(identifier, class, &["rack", "linux"])));
        assert_eq!((count, told), (1, Vec::new()));
    }
}

#[test]
fn below_another_machine_they_are_two_and_told() {
    let pairs = [
        [on(1, "node", &["linux"]), on(2, "node", &["cluster"])],
        [shared(on(1, "host", &["linux"])), shared(on(2, "host", &["cluster"]))],
    ];
    for pair in pairs {
        let (count, told, [one, other]) = hosts(pair);
        let (one, other) = (one.anchor.display(), other.anchor.display());
        let text = format!(
            "streamfold: warning: {other}: the host node is below cluster, in {one} below linux: they \
             stay two hosts"
        );
        assert_eq!((count, told), (2, vec![text]));
    }
    let (count, told, _) = hosts([on(1, "node", &["linux"]), on(2, "node", &[])]);
    assert_eq!(count, 2);
    assert!(told.len() == 1 && told[0].contains("is below nothing, in"), "{told:?}");
    // What is no host may stand in many places.
    let (count, told, _) = hosts([on(1, "socket", &["linux"]), on(2, "socket", &["cluster"])]);
    assert_eq!((count, told), (2, Vec::new()));
}
