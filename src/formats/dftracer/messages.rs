//! MPI calls as messages and collective operations, as far as their arguments suffice: section 4 of this project's
//! notes.
//!
//! Communicators and requests are not in traces. Ranks are taken as those of all processes; an operation that does not
//! block ends in the next call that waits. The sender of a receive from any source is a guess: the first message that
//! is left for it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::io;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::CollectiveOp;

use super::record::Args;
use super::slices::{Op, Peer, Slice, Slices, Wanted};
use crate::mpi::COLLECTIVES;

/// Returns the operation of a call of MPI, by its name and arguments.
pub(super) fn operation(name: &[u8], args: &Args<'_>) -> Op {
    let number = |value: Option<i64>| value.and_then(|value| u32::try_from(value).ok());
    // Negative ranks and tags stand for any, or for none: then no message is left for them.
    let any = |value: Option<i64>| number(value).unwrap_or(Peer::ANY);
    let to = |tag| Some(Peer { rank: number(args.dest)?, tag: number(tag)? });
    let from = |tag| args.source.map(|_| Peer { rank: any(args.source), tag: any(tag) });
    let Some(call) = name.strip_prefix(b"MPI_") else { return Op::Other };
    let found = match call {
        b"Send" | b"Bsend" | b"Ssend" | b"Rsend" => to(args.tag).map(Op::Send),
        b"Isend" | b"Ibsend" | b"Issend" | b"Irsend" => to(args.tag).map(Op::Isend),
        b"Recv" => from(args.tag).map(Op::Recv),
        b"Irecv" => from(args.tag).map(Op::Irecv),
        b"Sendrecv" | b"Sendrecv_replace" => {
            let (to_tag, from_tag) = (args.sendtag.or(args.tag), args.recvtag.or(args.tag));
            match (to(to_tag), from(from_tag)) {
                (Some(to), Some(from)) => Some(Op::Sendrecv(to, from)),
                (to, from) => to.map(Op::Send).or(from.map(Op::Recv)),
            }
        }
        b"Wait" | b"Waitany" | b"Waitsome" => Some(Op::Wait),
        b"Waitall" => Some(Op::Waitall),
        _ => collective(call).map(|op| Op::Collective(op, number(args.root).unwrap_or(Peer::ANY))),
    };
    found.unwrap_or(Op::Other)
}

/// The operation by its place in the list.
fn collective(call: &[u8]) -> Option<u8> {
    COLLECTIVES.iter().position(|(name, _)| *name == call).map(|place| place as u8)
}

/// The operation at a place of the list.
pub(super) fn collective_op(place: u8) -> CollectiveOp {
    COLLECTIVES.get(usize::from(place)).map_or(CollectiveOp::Barrier, |(_, op)| *op)
}

/// Tells whether a call makes or changes communicators: ranks may be those of others.
pub(super) fn makes_communicator(name: &[u8]) -> bool {
    let makes = [
        &b"MPI_Comm_split"[..],
        b"MPI_Comm_create",
        b"MPI_Comm_spawn",
        b"MPI_Comm_connect",
        b"MPI_Comm_accept",
        b"MPI_Cart_",
        b"MPI_Graph_create",
        b"MPI_Dist_graph",
        b"MPI_Intercomm",
    ];
    makes.iter().any(|begin| name.starts_with(begin))
}

/// A message that was sent, and is left for receives from any source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Sent {
    start: u64,
    rank: u32,
    tag: u32,
    line: u64,
}

/// Receives from any source of a process: the number of its file, and the receives.
pub(super) type WantedBy = BTreeMap<u32, (usize, Vec<Wanted>)>;

/// Messages that receives from any source may take: the calls of all files are asked for them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Sought {
    /// The tags that are wanted, by the rank that receives.
    tags: HashMap<u32, BTreeSet<u32>, RandomState>,
    /// The rank of each lane, by the number of the file. Files without ranks have no messages.
    ranks: BTreeMap<usize, Vec<Option<u32>>>,
}

/// The calls of a file that have to do with receives from any source.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Offered {
    /// Messages that such a receive may take, by the rank to which they go.
    sent: BTreeMap<u32, Vec<Sent>>,
    /// Receives of such messages that name their sender: by rank, sender and tag.
    taken: BTreeMap<(u32, u32, u32), u64>,
}

impl Sought {
    /// Those of all receives from any source; `None`: there is none.
    pub(super) fn new(
        wanted: &WantedBy,
        ranks: impl Iterator<Item = (usize, Vec<Option<u32>>)>,
    ) -> Option<Sought> {
        let tags = wanted.iter().map(|(rank, (_, wanted))| {
            (*rank, wanted.iter().map(|wanted| wanted.peer.tag).collect())
        });
        let ranks = ranks.filter(|(_, lanes)| lanes.iter().any(Option::is_some));
        (!wanted.is_empty()).then(|| Sought { tags: tags.collect(), ranks: ranks.collect() })
    }

    /// The calls of a file, by its number.
    ///
    /// # Errors
    ///
    /// When a temporary file cannot be read.
    pub(super) fn offered(&self, file: usize, slices: &Slices) -> io::Result<Offered> {
        let mut offered = Offered::default();
        let Some(ranks) = self.ranks.get(&file) else { return Ok(offered) };
        // Of all other messages nothing is held.
        let may_match = |to: u32, tag: u32| {
            self.tags.get(&to).is_some_and(|tags| tags.contains(&tag) || tags.contains(&Peer::ANY))
        };
        slices.each(|slice| {
            let Some(own) = ranks.get(slice.lane as usize).copied().flatten() else { return };
            let (to, from) = match slice.op {
                Op::Send(to) | Op::Isend(to) => (Some(to), None),
                Op::Recv(from) | Op::Irecv(from) => (None, Some(from)),
                Op::Sendrecv(to, from) => (Some(to), Some(from)),
                _ => return,
            };
            if let Some(to) = to.filter(|to| may_match(to.rank, to.tag)) {
                let Slice { start, line, .. } = *slice;
                let message = Sent { start, rank: own, tag: to.tag, line };
                offered.sent.entry(to.rank).or_default().push(message);
            }
            if let Some(from) = from.filter(|from| !from.is_any() && may_match(own, from.tag)) {
                *offered.taken.entry((own, from.rank, from.tag)).or_default() += 1;
            }
        })?;
        Ok(offered)
    }
}

/// Guessed senders of receives from any source.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    /// By file, and by line in it.
    pub parts: BTreeMap<usize, BTreeMap<u64, Peer>>,
    pub guessed: u64,
    /// Lanes of files with receives for which no message is left, and how many events these would have had.
    pub missing: BTreeMap<(usize, u32), u64>,
}

/// Finds messages for receives from any source. At each rank, receives are taken in the order in which they begin. Each
/// gets the first message that is left with its tag. Receives that name their sender take the first messages of it.
pub(super) fn guess(wanted: WantedBy, offered: impl Iterator<Item = Offered>) -> Guesses {
    let mut guesses = Guesses::default();
    let mut all = Offered::default();
    for Offered { sent, taken } in offered {
        for (to, mut messages) in sent {
            all.sent.entry(to).or_default().append(&mut messages);
        }
        taken.into_iter().for_each(|(of, count)| *all.taken.entry(of).or_default() += count);
    }
    let Offered { mut sent, mut taken } = all;
    for (own, (part, mut wanted)) in wanted {
        wanted.sort_unstable();
        let mut all = sent.remove(&own).unwrap_or_default();
        all.sort_unstable();
        all.retain(|message| {
            let taken = taken.get_mut(&(own, message.rank, message.tag));
            match taken.filter(|taken| **taken > 0) {
                Some(taken) => {
                    *taken -= 1;
                    false
                }
                None => true,
            }
        });
        let mut left = Left::new(&all);
        for of in wanted {
            match left.take(of.peer) {
                Some(message) => {
                    let peer = Peer { rank: message.rank, tag: message.tag };
                    guesses.parts.entry(part).or_default().insert(of.line, peer);
                    guesses.guessed += 1;
                }
                None => *guesses.missing.entry((part, of.lane)).or_default() += of.events,
            }
        }
    }
    guesses
}

/// Messages that are left, by what receives ask for.
struct Left<'s> {
    all: &'s [Sent],
    taken: Vec<bool>,
    queues: HashMap<(u32, u32), VecDeque<usize>, RandomState>,
}

impl<'s> Left<'s> {
    fn new(all: &'s [Sent]) -> Self {
        let mut queues: HashMap<(u32, u32), VecDeque<usize>, RandomState> = HashMap::default();
        for (place, message) in all.iter().enumerate() {
            for rank in [message.rank, Peer::ANY] {
                for tag in [message.tag, Peer::ANY] {
                    queues.entry((rank, tag)).or_default().push_back(place);
                }
            }
        }
        Left { all, taken: vec![false; all.len()], queues }
    }

    fn take(&mut self, peer: Peer) -> Option<Sent> {
        let queue = self.queues.get_mut(&(peer.rank, peer.tag))?;
        loop {
            let place = queue.pop_front()?;
            if !std::mem::replace(&mut self.taken[place], true) {
                return Some(self.all[place]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls() {
        let args = Args { dest: Some(3), source: Some(-1), tag: Some(7), ..Args::default() };
        assert_eq!(operation(b"MPI_Isend", &args), Op::Isend(Peer { rank: 3, tag: 7 }));
        assert_eq!(operation(b"MPI_Recv", &args), Op::Recv(Peer { rank: Peer::ANY, tag: 7 }));
        let nobody = Args { dest: Some(-2), ..args };
        assert_eq!(operation(b"MPI_Send", &nobody), Op::Other);
        let root = Args { root: Some(2), ..Args::default() };
        let Op::Collective(place, 2) = operation(b"MPI_Gatherv", &root) else { panic!("none") };
        assert_eq!(collective_op(place), CollectiveOp::Gatherv);
        assert_eq!(operation(b"MPI_Comm_rank", &root), Op::Other);
        assert!(
            makes_communicator(b"MPI_Comm_split_type") && !makes_communicator(b"MPI_Comm_size")
        );
    }

    /// Receives take the first message with their tag, those of any tag the first of all.
    #[test]
    fn what_is_left() {
        let sent = |start, rank, tag| Sent { start, rank, tag, line: start };
        let all = [sent(1, 0, 5), sent(2, 1, 6), sent(3, 1, 5)];
        let mut left = Left::new(&all);
        let any = |tag| Peer { rank: Peer::ANY, tag };
        assert_eq!(left.take(any(6)), Some(all[1]));
        assert_eq!(left.take(any(Peer::ANY)), Some(all[0]));
        assert_eq!(left.take(any(5)), Some(all[2]));
        assert_eq!(left.take(any(5)), None);
    }
}
