//! The messages of all ranks, brought to rank 0 in their order.
//!
//! Rank 0 holds some of the next messages of each rank and asks, in rounds, those of which it has too few for more. So
//! its memory is bounded, and no rank waits for messages that rank 0 did not ask for.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use streamfold_kernels::matching::listed::Message;
use streamfold_model::ids::LocationRef;

use super::sort::Sorted;
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_system::exit::{Failure, Stop};

/// That of a message, see [`Message::place`].
type Place = (u64, LocationRef, u64);

/// The request of rank 0 in a round: set for the ranks that shall send; `None`: it has all that it
/// wants.
type Wanted = Option<Vec<bool>>;

/// The next messages of a rank, and whether these are the last; or why it has none.
type Sent = Result<(Vec<Message>, bool), Failure>;

/// Brings the messages of all ranks to rank 0, where `take` has them one after another; other ranks do
/// not call it. `most` is how many a rank sends at a time. Collective.
///
/// # Errors
///
/// [`Stop::Together`] when `take` fails, or a rank cannot read what it has put aside;
/// [`Stop::Alone`] when the ranks have lost each other.
pub(super) fn bring(
    ranks: &dyn Communicator,
    own: Sorted,
    most: usize,
    take: impl FnOnce(&mut Messages<'_>) -> Result<(), Failure>,
) -> Result<(), Stop> {
    if ranks.rank() != 0 {
        return send(ranks, own, most);
    }
    let mut messages = Messages::new(ranks, own, most);
    let taken = take(&mut messages);
    let outcome = match messages.stopped {
        Some(Stop::Alone(failure)) => return Err(Stop::Alone(failure)),
        Some(Stop::Together(failure)) => Err(failure),
        None => taken,
    };
    let outcome = outcome.map(|()| Wanted::None);
    ranks.broadcast_result(0, Some(outcome))?.map(drop).map_err(Stop::Together)
}

/// Sends the messages of another rank to rank 0, in rounds.
fn send(ranks: &dyn Communicator, mut own: Sorted, most: usize) -> Result<(), Stop> {
    loop {
        fail_point("list", ranks.rank())?;
        let wanted: Result<Wanted, Failure> = ranks.broadcast_result(0, None)?;
        let Some(wanted) = wanted.map_err(Stop::Together)? else { return Ok(()) };
        let sent: Sent = match wanted.get(ranks.rank()) {
            Some(true) => own.take(most),
            _ => Ok((Vec::new(), false)),
        };
        ranks.gather(0, sent)?;
    }
}

/// The messages of all ranks, as rank 0 gets them. There are no more, too, when something went wrong.
pub struct Messages<'a> {
    ranks: &'a dyn Communicator,
    own: Sorted,
    most: usize,
    held: Vec<Held>,
    /// The place of the next message of each rank that has any, and the rank.
    next: BinaryHeap<Reverse<(Place, usize)>>,
    /// Ranks that may have more, of which nothing is held.
    dry: usize,
    stopped: Option<Stop>,
}

/// Messages of a rank that rank 0 holds.
#[derive(Default)]
struct Held {
    messages: VecDeque<Message>,
    /// It has no more.
    ended: bool,
}

impl<'a> Messages<'a> {
    fn new(ranks: &'a dyn Communicator, own: Sorted, most: usize) -> Self {
        let mut held = Vec::new();
        held.resize_with(ranks.size(), Held::default);
        let (dry, next) = (held.len(), BinaryHeap::new());
        Messages { ranks, own, most, held, next, dry, stopped: None }
    }

    /// Why there are no more.
    pub fn stopped(&self) -> Option<&Stop> {
        self.stopped.as_ref()
    }

    fn advance(&mut self) -> Result<Option<Message>, Stop> {
        while self.dry > 0 {
            self.round()?;
        }
        let Some(Reverse((_, rank))) = self.next.pop() else { return Ok(None) };
        let held = &mut self.held[rank];
        let message = held.messages.pop_front();
        match held.messages.front() {
            Some(next) => self.next.push(Reverse((next.place(), rank))),
            None => self.dry += usize::from(!held.ended),
        }
        Ok(message)
    }

    /// Asks those for more of which little is left.
    fn round(&mut self) -> Result<(), Stop> {
        fail_point("list", 0)?;
        let few = self.most / 2;
        let wanted = self.held.iter().map(|held| !held.ended && held.messages.len() <= few);
        let wanted: Vec<bool> = wanted.collect();
        let wants_own = wanted[0];
        let said: Result<Wanted, Failure> = Ok(Some(wanted.clone()));
        self.ranks.broadcast_result(0, Some(said))?.map_err(Stop::Together)?;
        let own: Sent = if wants_own { self.own.take(self.most) } else { Ok((Vec::new(), false)) };
        let sent = self.ranks.gather(0, own)?.unwrap_or_default();
        for (rank, sent) in sent.into_iter().enumerate().filter(|(rank, _)| wanted[*rank]) {
            let (messages, ended) = sent.map_err(Stop::Together)?;
            self.hold(rank, messages, ended);
        }
        Ok(())
    }

    fn hold(&mut self, rank: usize, messages: Vec<Message>, ended: bool) {
        let held = &mut self.held[rank];
        let was_dry = held.messages.is_empty();
        held.messages.extend(messages);
        held.ended = ended;
        if was_dry {
            if let Some(next) = held.messages.front() {
                self.next.push(Reverse((next.place(), rank)));
            }
            self.dry -= usize::from(ended || !held.messages.is_empty());
        }
    }
}

impl Iterator for Messages<'_> {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        if self.stopped.is_some() {
            return None;
        }
        match self.advance() {
            Ok(message) => message,
            Err(stop) => {
                self.stopped = Some(stop);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sort::{tests::message, Sorting};
    use super::*;
    use streamfold_collective::{team, PieceLimit};
    use streamfold_drive::rounds::Room;
    use streamfold_system::exit::ExitCode;

    /// Those of some ranks are all before or behind those of others, and some have none.
    fn of_rank(rank: usize, size: usize) -> Vec<Message> {
        let all = (0..500u64).filter(|i| match i {
            0..200 => *i as usize % size == rank,
            200..300 => rank == 0,
            300..400 => rank == size - 1,
            _ => i * i % size as u64 == rank as u64,
        });
        all.map(|i| message(i, i % 3, 1000 - i)).collect()
    }

    fn sorted(messages: &[Message]) -> Sorted {
        let mut sorting = Sorting::new(Room { bytes: 5000, folder: std::env::temp_dir() });
        messages.iter().rev().for_each(|message| sorting.push(*message));
        sorting.sorted().unwrap()
    }

    #[test]
    fn rank_0_gets_all_in_order() {
        for size in [1, 2, 3, 5, 8] {
            let mut expected: Vec<_> = (0..size).flat_map(|rank| of_rank(rank, size)).collect();
            expected.sort_by_key(Message::place);
            for most in [1, 2, 7, 1000] {
                let found = team::run(size, PieceLimit::DEFAULT, |ranks| {
                    let own = sorted(&of_rank(ranks.rank(), size));
                    let mut found = Vec::new();
                    bring(ranks, own, most, |messages| {
                        found.extend(messages);
                        Ok(())
                    })
                    .unwrap();
                    found
                });
                assert_eq!(found[0], expected, "{size} ranks, {most} at a time");
            }
        }
    }

    #[test]
    fn all_ranks_learn_that_rank_0_could_not_write() {
        let full = || Failure::new(ExitCode::Io, "the disk is full");
        let ended = team::run(3, PieceLimit::DEFAULT, |ranks| {
            let own = sorted(&of_rank(ranks.rank(), 3));
            bring(ranks, own, 10, |messages| {
                messages.take(50).for_each(drop);
                Err(full())
            })
        });
        assert!(ended.into_iter().all(|ended| ended == Err(Stop::Together(full()))));
    }
}
