//! Ranks as threads of one process, for tests: several ranks without MPI and without a launcher, with
//! the same pieces on the way.
//!
//! Unit tests call [`run`]. End-to-end tests set `STREAMFOLD_TEST_RANKS=N`: the program then runs its
//! command on N such ranks. An MPI job starts in half a second, a team in ten milliseconds. Teams share
//! one pool of threads, and the first of them writes HDF5 alone. Not part of the interface of the program.

use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;

use super::communicator::{check_buffers, check_peer, check_rank};
use super::pieces::Incoming;
use super::{hops, Communicator, Error, PieceLimit};

/// The environment variable that asks for a team.
const VARIABLE: &str = "STREAMFOLD_TEST_RANKS";

/// How many ranks the environment asks for; `None` if it asks for none.
pub fn size_asked_for() -> Option<usize> {
    std::env::var(VARIABLE).ok()?.parse().ok().filter(|size| *size > 0)
}

/// Runs `work` on `size` ranks that are threads of this process, and returns what each gave, in the order
/// of ranks. Messages travel in pieces of at most `limit` bytes. A rank that panics takes the others down
/// with it, and the test.
pub fn run<R: Send>(
    size: usize,
    limit: PieceLimit,
    work: impl Fn(&dyn Communicator) -> R + Sync,
) -> Vec<R> {
    let mut members: Vec<Member> =
        (0..size).map(|rank| Member { rank, limit, to: vec![], from: vec![] }).collect();
    for sender in 0..size {
        for receiver in 0..size {
            let (to, from) = channel();
            members[sender].to.push(to);
            members[receiver].from.push(from);
        }
    }
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> =
            members.into_iter().map(|member| scope.spawn(move || work(&member))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank panicked")).collect()
    })
}

/// One rank, with a channel to and from every rank (its own stay empty).
struct Member {
    rank: usize,
    limit: PieceLimit,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

impl Member {
    fn send_piece(&self, to: usize, piece: &[u8]) {
        self.to[to].send(piece.to_vec()).expect("the receiving rank has ended");
    }

    fn receive_piece(&self, from: usize) -> Vec<u8> {
        self.from[from].recv().expect("the sending rank has ended")
    }
}

impl Communicator for Member {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn node(&self) -> &dyn Communicator {
        self
    }

    fn shares_process(&self) -> bool {
        true
    }

    fn broadcast_bytes(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), Error> {
        check_rank(root, self.size())?;
        if self.rank != root {
            *bytes = self.receive_bytes(root)?;
            return Ok(());
        }
        (0..self.size()).filter(|&to| to != root).try_for_each(|to| self.send_bytes(to, bytes))
    }

    fn gather_bytes(&self, root: usize, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, Error> {
        check_rank(root, self.size())?;
        if self.rank != root {
            self.send_bytes(root, &bytes)?;
            return Ok(None);
        }
        let mut own = Some(bytes);
        let gathered = (0..self.size()).map(|from| match own.take_if(|_| from == root) {
            Some(bytes) => Ok(bytes),
            None => self.receive_bytes(from),
        });
        gathered.collect::<Result<_, _>>().map(Some)
    }

    fn exchange_bytes(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Error> {
        check_buffers(outgoing.len(), self.size())?;
        hops::exchange(self.rank, outgoing, |to, from, bytes| {
            self.send_bytes(to, &bytes)?;
            self.receive_bytes(from)
        })
    }

    fn send_bytes(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        check_peer(to, self.rank, self.size())?;
        self.send_piece(to, &(bytes.len() as u64).to_le_bytes());
        self.limit.pieces(bytes).for_each(|piece| self.send_piece(to, piece));
        Ok(())
    }

    fn receive_bytes(&self, from: usize) -> Result<Vec<u8>, Error> {
        check_peer(from, self.rank, self.size())?;
        let length = self.receive_piece(from).try_into().expect("a length has eight bytes");
        let mut incoming = Incoming::new(from, u64::from_le_bytes(length), self.limit);
        while let Some(room) = incoming.next_piece()? {
            room.copy_from_slice(&self.receive_piece(from));
        }
        Ok(incoming.finish())
    }

    fn barrier(&self) -> Result<(), Error> {
        self.gather_bytes(0, Vec::new())?;
        self.broadcast_bytes(0, &mut Vec::new())
    }
}
