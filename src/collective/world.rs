//! The ranks of an MPI job.
//!
//! A rank that waits for others waits inside the MPI library, which usually spins on one core. That
//! is the library's affair: Open MPI gives the core away between looks with
//! `--mca mpi_yield_when_idle 1`, which is worth it when there are more ranks than cores. Worker
//! threads never wait for other ranks.

use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::point_to_point::send_receive_into_with_tags;
use mpi::topology::{Process, Rank, SimpleCommunicator};
use mpi::traits::{
    AsRaw, Communicator as _, CommunicatorCollectives, Destination, Root as _, Source,
};
use mpi::{Tag, Threading};

use super::communicator::{check_buffers, check_peer, check_rank};
use super::pieces::Incoming;
use super::{hops, Communicator, Error, PieceLimit};

/// The message that says how long the next one is.
const LENGTH: Tag = 1;
/// A piece of a message.
const PIECE: Tag = 2;

/// The ranks of an MPI job, or those of them that share a node.
///
/// Dropping it ends MPI, which waits for all ranks: where only one rank failed, use
/// `abort` of the communicator instead. A process that started MPI should drop this before it exits.
pub struct World {
    // The order of the fields is the order in which they are dropped: communicators before MPI.
    node: Option<Box<World>>,
    comm: SimpleCommunicator,
    limit: PieceLimit,
    _universe: Option<Universe>,
}

impl World {
    /// Starts MPI; to be called once in a process, on all ranks, from the thread that will do all
    /// communication. `limit` must be the same on all ranks.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyStarted`], or [`Error::NoThreads`] when the library cannot live with threads.
    pub fn start(limit: PieceLimit) -> Result<Self, Error> {
        let (universe, level) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or(Error::AlreadyStarted)?;
        if level < Threading::Funneled {
            return Err(Error::NoThreads);
        }
        // Communicators of our own: no message of another library in this process can be mistaken
        // for one of ours.
        let world = universe.world();
        let node =
            World { node: None, comm: world.split_shared(world.rank()), limit, _universe: None };
        Ok(World {
            node: Some(Box::new(node)),
            comm: world.duplicate(),
            limit,
            _universe: Some(universe),
        })
    }

    /// The ranks of a communicator that the program has made itself, after it started MPI. Messages travel in
    /// a duplicate of it. Collective among its ranks; `limit` must be the same on all of them. The program
    /// ends MPI after this was dropped.
    pub fn of(host: &impl mpi::traits::Communicator, limit: PieceLimit) -> Self {
        let comm = host.duplicate();
        let node =
            World { node: None, comm: comm.split_shared(comm.rank()), limit, _universe: None };
        World { node: Some(Box::new(node)), comm, limit, _universe: None }
    }

    /// `rank` was checked to be below the size, which MPI counts as `Rank`.
    fn process(&self, rank: usize) -> Process<'_> {
        self.comm.process_at_rank(rank as Rank)
    }

    /// All-to-all of much: each rank sends to each other one.
    fn exchange_directly(&self, mut outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Error> {
        let (rank, size) = (self.rank(), self.size());
        let outgoing_lengths: Vec<u64> = outgoing.iter().map(|b| b.len() as u64).collect();
        let mut lengths = vec![0u64; size];
        self.comm.all_to_all_into(&outgoing_lengths[..], &mut lengths[..]);

        let mut received = vec![Vec::new(); size];
        received[rank] = std::mem::take(&mut outgoing[rank]);

        // In round d every rank sends to the one d above it and receives from the one d below it, so each has one
        // partner on either side at a time, and none is overrun. Both partners know from the lengths how many pieces
        // there are. Ranks never wait in a circle: of all transfers that are still open, those of the lowest round and
        // piece can always proceed.
        for distance in 1..size {
            let to = (rank + distance) % size;
            let from = (rank + size - distance) % size;
            let message = std::mem::take(&mut outgoing[to]);
            received[from] = self.swap(to, from, &message, lengths[from])?;
        }
        Ok(received)
    }

    /// Sends to one rank while another one sends so many bytes to this one.
    fn swap(&self, to: usize, from: usize, message: &[u8], length: u64) -> Result<Vec<u8>, Error> {
        let (destination, source) = (self.process(to), self.process(from));
        let mut pieces = self.limit.pieces(message);
        let mut incoming = Incoming::new(from, length, self.limit);
        loop {
            match (pieces.next(), incoming.next_piece()?) {
                (Some(piece), Some(room)) => {
                    send_receive_into_with_tags(piece, &destination, PIECE, room, &source, PIECE);
                }
                (Some(piece), None) => destination.send_with_tag(piece, PIECE),
                (None, Some(room)) => {
                    source.receive_into_with_tag(room, PIECE);
                }
                (None, None) => return Ok(incoming.finish()),
            }
        }
    }
}

impl Communicator for World {
    fn rank(&self) -> usize {
        self.comm.rank() as usize
    }

    fn size(&self) -> usize {
        self.comm.size() as usize
    }

    fn node(&self) -> &dyn Communicator {
        self.node.as_deref().unwrap_or(self)
    }

    fn broadcast_bytes(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), Error> {
        check_rank(root, self.size())?;
        let from = self.process(root);
        let mut length = bytes.len() as u64;
        from.broadcast_into(&mut length);
        if self.rank() == root {
            // MPI's broadcast reads here, but its interface takes a buffer that it might write.
            for piece in bytes.chunks_mut(self.limit.bytes()) {
                from.broadcast_into(piece);
            }
        } else {
            let mut incoming = Incoming::new(root, length, self.limit);
            while let Some(room) = incoming.next_piece()? {
                from.broadcast_into(room);
            }
            *bytes = incoming.finish();
        }
        Ok(())
    }

    fn gather_bytes(&self, root: usize, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, Error> {
        check_rank(root, self.size())?;
        if self.rank() != root {
            self.send_bytes(root, &bytes)?;
            return Ok(None);
        }
        let mut gathered = Vec::new();
        gathered.resize_with(self.size(), Vec::new);
        gathered[root] = bytes;
        for from in (0..self.size()).filter(|&from| from != root) {
            gathered[from] = self.receive_bytes(from)?;
        }
        Ok(Some(gathered))
    }

    fn exchange_bytes(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Error> {
        check_buffers(outgoing.len(), self.size())?;
        let own: u64 = outgoing.iter().map(|bytes| bytes.len() as u64).sum();
        let mut most = 0u64;
        self.comm.all_reduce_into(&own, &mut most, SystemOperation::max());
        if most > hops::LITTLE * self.size() as u64 {
            return self.exchange_directly(outgoing);
        }
        hops::exchange(self.rank(), outgoing, |to, from, bytes| {
            let (sent, mut length) = (bytes.len() as u64, 0u64);
            send_receive_into_with_tags(
                &sent,
                &self.process(to),
                LENGTH,
                &mut length,
                &self.process(from),
                LENGTH,
            );
            self.swap(to, from, &bytes, length)
        })
    }

    fn send_bytes(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        check_peer(to, self.rank(), self.size())?;
        let destination = self.process(to);
        destination.send_with_tag(&(bytes.len() as u64), LENGTH);
        for piece in self.limit.pieces(bytes) {
            destination.send_with_tag(piece, PIECE);
        }
        Ok(())
    }

    fn receive_bytes(&self, from: usize) -> Result<Vec<u8>, Error> {
        check_peer(from, self.rank(), self.size())?;
        let source = self.process(from);
        let mut length = 0u64;
        source.receive_into_with_tag(&mut length, LENGTH);
        let mut incoming = Incoming::new(from, length, self.limit);
        while let Some(room) = incoming.next_piece()? {
            source.receive_into_with_tag(room, PIECE);
        }
        Ok(incoming.finish())
    }

    fn barrier(&self) -> Result<(), Error> {
        self.comm.barrier();
        Ok(())
    }

    fn mpi_comm(&self) -> Option<mpi::ffi::MPI_Comm> {
        Some(self.comm.as_raw())
    }
}
