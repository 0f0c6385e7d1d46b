//! EZTrace writes what every rank knows into the global definitions: the same region once for each
//! rank, and two groups with one number.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::archives::{one, Archive};
use crate::common::printed::{count, definitions, last_table, number_after, printed};
use crate::common::reference::is_installed;
use crate::unify::of_large;
use crate::unify::one_set;

fn all() -> Vec<Archive> {
    let large = of_large(&["eztrace-mpi-p2p-coll-intercomm", "eztrace-posixio-memory-threads"]);
    [one("eztrace")].into_iter().chain(large).collect()
}

fn quoted<'a>(line: &'a str, word: &str) -> &'a str {
    let rest = &line[line.find(word).expect("the word") + word.len()..];
    rest.trim_start().trim_start_matches('"').split("\" <").next().expect("a name")
}

#[test]
fn regions_and_strings_stand_once_and_every_number_once() {
    if !is_installed("otf2-print") {
        return;
    }
    for archive in all() {
        let place = one_set(&archive.anchor, &[]);
        let lines = printed(&["-G"], &place.anchor());
        let definitions = definitions(&lines);
        let of = |kind: &'static str| {
            definitions.iter().filter(move |line| line.split(' ').next() == Some(kind))
        };
        let regions = count(of("REGION").map(|line| quoted(line, "Name:")));
        assert!(regions.len() >= 5, "{regions:?}");
        assert!(regions.values().all(|count| *count == 1), "{}: {regions:?}", archive.name);
        let text = |line: &&&String| line[line.find('"').expect("a string")..].to_owned();
        let strings = count(of("STRING").map(|line| text(&line)));
        assert!(strings.values().all(|count| *count == 1), "{}: {strings:?}", archive.name);
        for kinds in [&["REGION"][..], &["STRING"], &["GROUP"], &["COMM", "INTER_COMM"]] {
            let numbers = kinds.iter().flat_map(|kind| of(kind));
            let numbers = numbers.map(|line| line.split_whitespace().nth(1).expect("a number"));
            let numbers = count(numbers);
            assert!(numbers.values().all(|count| *count == 1), "{}: {numbers:?}", archive.name);
        }
    }
}

/// Members of groups by location, and the groups of each communicator: its own, or both sides.
#[derive(Default)]
struct Communicators {
    groups: BTreeMap<u64, Vec<u64>>,
    comms: BTreeMap<u64, Vec<u64>>,
}

impl Communicators {
    fn new(definitions: &[&String]) -> Communicators {
        let mut found = Communicators::default();
        for line in definitions {
            let mut words = line.split_whitespace();
            let (kind, number) = (words.next(), words.next().and_then(|n| n.parse().ok()));
            match (kind, number) {
                (Some("GROUP"), Some(number)) => {
                    let members = line.split(" Member").nth(1).unwrap_or("");
                    let bracket = |part: &str| part.split('>').next().and_then(|n| n.parse().ok());
                    let members = members.split('<').skip(1).filter_map(bracket);
                    found.groups.insert(number, members.collect());
                }
                (Some("COMM"), Some(number)) => {
                    let group = number_after(line, "Group:").expect("a group");
                    found.comms.insert(number, vec![group]);
                }
                (Some("INTER_COMM"), Some(number)) => {
                    let groups = ["Group A:", "Group B:"]
                        .map(|word| number_after(line, word).expect("a group"));
                    found.comms.insert(number, groups.to_vec());
                }
                _ => {}
            }
        }
        found
    }

    /// The location of a rank, as seen from another location.
    fn peer(&self, comm: u64, from: u64, rank: u64) -> Option<u64> {
        let groups: Vec<_> = self.comms.get(&comm)?.iter().map(|it| &self.groups[it]).collect();
        let group = match groups[..] {
            [group] => group,
            [a, b] if a.contains(&from) => b,
            [a, _] => a,
            _ => return None,
        };
        group.get(rank as usize).copied()
    }
}

/// Sends, and how many of them have their receive. Receives without waiting are not recorded.
fn matched(archive: &Archive, options: &[&str]) -> (usize, usize) {
    let place = one_set(&archive.anchor, options);
    let comms = printed(&["-G"], &place.anchor());
    let comms = Communicators::new(&definitions(&comms));
    let (mut sends, mut receives) = (BTreeMap::new(), BTreeMap::new());
    for line in last_table(&printed(&[], &place.anchor())) {
        let words: Vec<_> = line.split_whitespace().collect();
        let Some(kind) = words.first() else { continue };
        let (other, to) = match *kind {
            "MPI_SEND" | "MPI_ISEND" => ("Receiver:", &mut sends),
            "MPI_RECV" | "MPI_IRECV" => ("Sender:", &mut receives),
            _ => continue,
        };
        let at: u64 = words[1].parse().expect("a location");
        let comm = number_after(line, "Communicator:").expect("a communicator");
        let rank = number_after(line, other).expect("a rank");
        let tag = number_after(line, "Tag:").expect("a tag");
        let peer = comms.peer(comm, at, rank);
        let (from, into) = match other {
            "Receiver:" => (Some(at), peer),
            _ => (peer, Some(at)),
        };
        *to.entry((comm, from, into, tag)).or_insert(0) += 1;
    }
    let all = sends.values().sum();
    let received = sends.iter().map(|(key, sent)| *sent.min(receives.get(key).unwrap_or(&0)));
    (received.sum(), all)
}

#[test]
fn sends_have_the_receives_that_were_recorded() {
    let archives = of_large(&["eztrace-mpi-p2p-coll-intercomm"]);
    let Some(archive) = archives.first().filter(|_| is_installed("otf2-print")) else { return };
    for options in [&[][..], &["--rewrite-events"]] {
        assert_eq!(matched(archive, options), (46, 126), "{options:?}");
    }
}

/// Each communicator has one number, and both sides of the one between two groups are one.
#[test]
fn the_two_sides_of_a_communicator_become_one() {
    let archives = of_large(&["eztrace-mpi-p2p-coll-intercomm"]);
    let Some(archive) = archives.first().filter(|_| is_installed("otf2-print")) else { return };
    let place = one_set(&archive.anchor, &[]);
    let lines = printed(&["-G"], &place.anchor());
    let all = definitions(&lines);
    let between: Vec<_> = all.iter().filter(|line| line.starts_with("INTER_COMM")).collect();
    assert_eq!(between.len(), 1, "{between:#?}");
    let comms = Communicators::new(&all);
    let number: u64 = between[0].split_whitespace().nth(1).expect("a number").parse().expect("it");
    let sides: BTreeSet<_> = comms.comms[&number].iter().map(|it| &comms.groups[it]).collect();
    let rank = 536_870_911;
    assert_eq!(sides, BTreeSet::from([&vec![0, 2 * rank], &vec![rank, 3 * rank]]));
}
