//! With global numbers in the events there are no mapping tables, and readers find the same.

use crate::common::archives::{data, large, one, Archive};
use crate::common::files::Files;
use crate::common::printed::printed;
use crate::common::program::{streamfold, text};
use crate::common::reference::is_installed;
use crate::unify::made::everything;
use crate::unify::one_set;

/// Archives of all three kinds.
fn all() -> Vec<Archive> {
    let own = ["eztrace", "local-defs", "sampling", "pingpong", "hybrid", "intercomm", "metrics"];
    let rare = Archive::find(&data().join("by-hand/rare-kinds"));
    own.map(one).into_iter().chain(rare).chain(large()).collect()
}

fn check(archive: &Archive) {
    let tables = one_set(&archive.anchor, &[]);
    let plain = one_set(&archive.anchor, &["--rewrite-events"]);
    let [with, without] = [&tables, &plain].map(|place| Files::read(&place.anchor()));
    assert_eq!(with.get(".def"), without.get(".def"), "{}: definitions", archive.name);
    let mapping = printed(&["-M"], &plain.anchor());
    let says = |word: &str| mapping.iter().any(|line| line.contains(word));
    assert!(!says("MAPPING") && !says("\" <"), "{}: {mapping:#?}", archive.name);
    let clocks = [&tables, &plain].map(|place| {
        let lines = printed(&["-C"], &place.anchor()).into_iter();
        lines.filter(|line| line.starts_with("CLOCK_OFFSET")).collect::<Vec<_>>()
    });
    assert_eq!(clocks[0], clocks[1], "{}: clocks", archive.name);
    let [with, without] = [&tables, &plain].map(|place| {
        let lines = printed(&["-A"], &place.anchor());
        // The identifier of the trace is that of these files; where there are no tables the anchor has to tell that somebody
        // has unified it.
        let own = ["Trace identifier", "Number of properties", "Property "];
        let is_own = |line: &String| own.iter().any(|own| line.starts_with(own));
        lines.into_iter().filter(|line| !is_own(line)).collect::<Vec<_>>()
    });
    let different = with.iter().zip(&without).find(|(with, without)| with != without);
    assert_eq!(different, None, "{}", archive.name);
    assert_eq!(with.len(), without.len(), "{}", archive.name);
}

#[test]
fn the_reference_prints_the_same_events() {
    if is_installed("otf2-print") {
        all().iter().for_each(check);
        let (folder, anchor) = everything();
        check(&Archive { name: "made".into(), folder: folder.path().into(), anchor });
    }
}

#[test]
fn no_mapping_table_is_left() {
    for archive in all() {
        let plain = one_set(&archive.anchor, &["--rewrite-events"]);
        let run = streamfold(["print", "--json", "-M"]).arg(plain.anchor()).output();
        let lines = text(run.expect("a run").stdout);
        assert!(!lines.contains("MappingTable"), "{}: {lines}", archive.name);
        let tables = one_set(&archive.anchor, &[]);
        let again = one_set(&tables.anchor(), &["--rewrite-events"]);
        let [once, twice] = [&plain, &again].map(|place| Files::read(&place.anchor()));
        for (name, bytes) in once.0.iter().filter(|(name, _)| *name != ".otf2") {
            assert!(bytes == twice.get(name), "{}: {name}", archive.name);
        }
        let stays = one_set(&plain.anchor(), &["--rewrite-events"]);
        Files::read(&stays.anchor()).assert_same(&once, &archive.name);
    }
}
