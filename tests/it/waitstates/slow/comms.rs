//! Communicators.

use crate::waitstates::trace::{BETWEEN, EVEN, OWN, WORLD};

/// The processes of the group to which one belongs.
pub fn own_group(comm: u32, process: u64, processes: u64) -> Vec<u64> {
    match comm {
        WORLD => (0..processes).collect(),
        OWN => vec![process],
        EVEN => (0..processes).filter(|p| p % 2 == 0).collect(),
        BETWEEN => (0..processes).filter(|p| p % 2 == process % 2).collect(),
        _ => Vec::new(),
    }
}

/// The processes of the group that ranks are of, as one sees it.
pub fn other_group(comm: u32, process: u64, processes: u64) -> Vec<u64> {
    match comm {
        BETWEEN => (0..processes).filter(|p| p % 2 != process % 2).collect(),
        _ => own_group(comm, process, processes),
    }
}

/// All members.
pub fn members(comm: u32, process: u64, processes: u64) -> Vec<u64> {
    let mut members = own_group(comm, process, processes);
    if comm == BETWEEN {
        members.extend(other_group(comm, process, processes));
    }
    members.sort();
    members
}

/// The process of a rank, as one sees it.
pub fn of_rank(comm: u32, process: u64, rank: u32, processes: u64) -> Option<u64> {
    other_group(comm, process, processes).get(rank as usize).copied()
}
