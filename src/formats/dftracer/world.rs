//! The ranks of all processes, and what is known of their messages.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use streamfold_model::ids::LocationRef;

use super::file::Scanned;
use super::messages::{Guesses, Sought, WantedBy};
use crate::defining::Kept;
use crate::Note;

/// Programs have no more ranks than that.
const MOST: u32 = 1 << 22;

/// Ranks of the processes.
#[derive(Debug, Default)]
pub(super) struct World {
    /// The file and the process of each rank.
    ranks: BTreeMap<u32, (usize, u32)>,
    /// Ranks, those included that calls name and that no file is of.
    size: u32,
    /// Calls of messages and collective operations.
    calls: u64,
    /// Calls that make communicators.
    communicators: u64,
    /// A rank that several processes have.
    twice: Option<u32>,
    /// Files with such calls and without a rank.
    unranked: u64,
    /// How many ranks there are, as records say.
    told: u64,
}

impl World {
    /// Of all files.
    pub(super) fn new(parts: &[(PathBuf, Scanned)]) -> World {
        let mut world = World::default();
        for (number, (_, scanned)) in parts.iter().enumerate() {
            for (process, of) in scanned.processes.iter().enumerate() {
                let rank = of.rank.and_then(|rank| u32::try_from(rank).ok());
                world.told = world.told.max(of.ranks.unwrap_or(0));
                let Some(rank) = rank.filter(|rank| *rank < MOST) else { continue };
                let is_new = world.ranks.insert(rank, (number, process as u32)).is_none();
                if !is_new {
                    world.twice = world.twice.or(Some(rank));
                }
            }
            let has_rank = scanned.processes.iter().any(|process| process.rank.is_some());
            world.unranked += u64::from(scanned.messages.calls > 0 && !has_rank);
            world.calls += scanned.messages.calls;
            world.communicators += scanned.messages.communicators;
            let most = scanned.messages.most.filter(|most| *most < MOST);
            world.size = world.size.max(most.map_or(0, |most| most + 1));
        }
        let last = world.ranks.last_key_value().map_or(0, |(rank, _)| rank + 1);
        world.size = world.size.max(last);
        world
    }

    /// Tells whether messages have ends: there are some, and each rank is one process.
    pub(super) fn is_known(&self) -> bool {
        self.calls > 0 && !self.ranks.is_empty() && self.twice.is_none()
    }

    /// Returns whether messages have ends, for each lane of a file.
    pub(super) fn has_messages(&self, number: usize, scanned: &Scanned) -> Vec<bool> {
        let ranks = self.ranks_of(number, scanned).into_iter();
        ranks.map(|rank| self.is_known() && rank.is_some()).collect()
    }

    /// The rank of each lane of a file.
    fn ranks_of(&self, number: usize, scanned: &Scanned) -> Vec<Option<u32>> {
        let own = self.ranks.iter().filter(|(_, (part, _))| *part == number);
        let own: BTreeMap<u32, u32> = own.map(|(rank, (_, process))| (*process, *rank)).collect();
        let process = |thread: u32| scanned.threads[thread as usize].process;
        let lanes = scanned.lanes.iter();
        lanes.map(|lane| own.get(&process(lane.thread)).copied()).collect()
    }

    /// The receives from any source by the rank of their process, where messages have ends.
    pub(super) fn wanted(&self, parts: &[(PathBuf, Scanned)]) -> WantedBy {
        let mut wanted = WantedBy::new();
        for (number, (_, scanned)) in parts.iter().enumerate().filter(|_| self.is_known()) {
            let ranks = self.ranks_of(number, scanned);
            for of in &scanned.wanted {
                let Some(rank) = ranks.get(of.lane as usize).copied().flatten() else { continue };
                wanted.entry(rank).or_insert_with(|| (number, Vec::new())).1.push(*of);
            }
        }
        wanted
    }

    /// The question to all files for messages that these receives may take. `numbers` are those of the files.
    pub(super) fn sought(
        &self,
        wanted: &WantedBy,
        numbers: &[usize],
        parts: &[(PathBuf, Scanned)],
    ) -> Option<Sought> {
        let ranks = parts.iter().enumerate().zip(numbers);
        let ranks = ranks.map(|((part, (_, scanned)), file)| (*file, self.ranks_of(part, scanned)));
        Sought::new(wanted, ranks)
    }

    /// How many events each lane of a file has.
    pub(super) fn events(&self, number: usize, scanned: &Scanned, guesses: &Guesses) -> Vec<u64> {
        let lanes = (0..).zip(&scanned.lanes).zip(self.has_messages(number, scanned));
        let events = lanes.map(|((place, lane), has_messages)| {
            let missing = guesses.missing.get(&(number, place)).copied().unwrap_or(0);
            let messages = if has_messages { lane.messages - missing } else { 0 };
            2 * (lane.calls + lane.operations) + messages + lane.values - lane.open
        });
        events.collect()
    }

    /// The location that stands for each rank: the first one of its process, by file and process.
    pub(super) fn locations(&self, firsts: &HashMap<(usize, u32), u64>) -> Vec<u64> {
        let location = |rank: u32| self.ranks.get(&rank).and_then(|of| firsts.get(of)).copied();
        let all = (0..self.size).map(|rank| location(rank).unwrap_or(LocationRef::UNDEFINED.0));
        all.collect()
    }

    /// Adds notes about oddities of messages.
    pub(super) fn remark(&self, path: &Path, guesses: &Guesses, notes: &mut Kept<Note>) {
        let mut odd = |what: String, is_error: bool| {
            notes.push(Note { is_error, ..Note::of_file(path, what) });
        };
        let (ranks, told) = (self.ranks.len(), self.told);
        if told > ranks as u64 && self.twice.is_none() {
            odd(format!("the trace has {ranks} of {told} ranks"), false);
        }
        if self.calls == 0 {
            return;
        }
        if let Some(rank) = self.twice {
            odd(format!("several processes have rank {rank}: messages are not matched"), true);
        } else if self.ranks.is_empty() {
            odd(
                "no record says which rank a process is: messages are not matched".to_owned(),
                true,
            );
        } else {
            if self.unranked > 0 {
                let files = self.unranked;
                let what = format!(
                    "no record says which rank the processes of {files} files are: their messages are not matched"
                );
                odd(what, true);
            }
            if self.communicators > 0 {
                let calls = self.communicators;
                let what = format!(
                    "ranks are taken as those of all processes, though {calls} calls make communicators"
                );
                odd(what, true);
            }
            if guesses.guessed > 0 {
                let guessed = guesses.guessed;
                odd(format!("the senders of {guessed} receives from anybody are guessed"), true);
            }
        }
    }
}
