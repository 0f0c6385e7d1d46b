//! The ranks of an MPI job.
//!
//! A rank that waits for others waits inside the MPI library, which usually spins on one core. That
//! is the library's affair: Open MPI gives the core away between looks with
//! `--mca mpi_yield_when_idle 1`, which is worth it when there are more ranks than cores. Worker
//! threads never wait for other ranks.

use super::calls::{Calls, Tag};
use super::communicator::{check_buffers, check_peer, check_rank};
use super::library::{self, Universe};
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
    comm: Box<dyn Calls>,
    limit: PieceLimit,
    _universe: Option<Universe>,
}

impl World {
    /// Starts MPI; to be called once in a process, on all ranks, from the thread that will do all
    /// communication. `limit` must be the same on all ranks.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyStarted`], or [`Error::NoThreads`] when the library cannot live with threads; those of finding
    /// the library where it is not linked.
    pub fn start(limit: PieceLimit) -> Result<Self, Error> {
        let (world, universe) = library::start()?;
        // A communicator of our own: no message of another library in this process can be mistaken
        // for one of ours.
        Self::with(world.duplicate()?, limit, Some(universe))
    }

    /// The ranks of a communicator that the program has made itself, after it started MPI. Messages travel in
    /// a duplicate of it. Collective among its ranks; `limit` must be the same on all of them. The program
    /// ends MPI after this was dropped.
    #[cfg(feature = "mpi")]
    pub fn of(host: &impl mpi::traits::Communicator, limit: PieceLimit) -> Result<Self, Error> {
        Self::with(library::duplicate(host), limit, None)
    }

    /// The ranks of a communicator that the host program of this library has made: `handle` is the value of its
    /// `MPI_Comm` (with mpi4py: `MPI._handleof(comm)`). Messages travel in a duplicate of it. Collective among its
    /// ranks; `limit` must be the same on all of them. The host ends MPI after this was dropped.
    ///
    /// # Errors
    ///
    /// [`Error::HostComm`] where the process has loaded no MPI library or has not started MPI, and where the handle is
    /// null or one between two groups of ranks.
    ///
    /// # Safety
    ///
    /// `handle` is a communicator of the MPI library that the process has loaded, not freed, and used by no other
    /// thread during this call.
    #[cfg(not(feature = "mpi"))]
    pub unsafe fn of_handle(handle: usize, limit: PieceLimit) -> Result<Self, Error> {
        // SAFETY: as the caller says.
        Self::with(unsafe { library::duplicate(handle) }?, limit, None)
    }

    fn with(
        comm: Box<dyn Calls>,
        limit: PieceLimit,
        universe: Option<Universe>,
    ) -> Result<Self, Error> {
        let node = World { node: None, comm: comm.split_shared()?, limit, _universe: None };
        Ok(World { node: Some(Box::new(node)), comm, limit, _universe: universe })
    }

    /// All-to-all of much: each rank sends to each other one.
    fn exchange_directly(&self, mut outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Error> {
        let (rank, size) = (self.rank(), self.size());
        let outgoing_lengths: Vec<u64> = outgoing.iter().map(|b| b.len() as u64).collect();
        let mut lengths = vec![0u64; size];
        self.comm.all_to_all(&outgoing_lengths, &mut lengths)?;

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
        let mut pieces = self.limit.pieces(message);
        let mut incoming = Incoming::new(from, length, self.limit);
        loop {
            match (pieces.next(), incoming.next_piece()?) {
                (Some(piece), Some(room)) => {
                    self.comm.send_receive((to, piece), (from, room), PIECE)?;
                }
                (Some(piece), None) => self.comm.send(to, piece, PIECE)?,
                (None, Some(room)) => self.comm.receive(from, room, PIECE)?,
                (None, None) => return Ok(incoming.finish()),
            }
        }
    }
}

impl Communicator for World {
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn node(&self) -> &dyn Communicator {
        self.node.as_deref().unwrap_or(self)
    }

    fn broadcast_bytes(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), Error> {
        check_rank(root, self.size())?;
        let mut length = (bytes.len() as u64).to_ne_bytes();
        self.comm.broadcast(root, &mut length)?;
        if self.rank() == root {
            // MPI's broadcast reads here, but its interface takes a buffer that it might write.
            for piece in bytes.chunks_mut(self.limit.bytes()) {
                self.comm.broadcast(root, piece)?;
            }
        } else {
            let mut incoming = Incoming::new(root, u64::from_ne_bytes(length), self.limit);
            while let Some(room) = incoming.next_piece()? {
                self.comm.broadcast(root, room)?;
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
        if self.comm.any(own > hops::LITTLE * self.size() as u64)? {
            return self.exchange_directly(outgoing);
        }
        hops::exchange(self.rank(), outgoing, |to, from, bytes| {
            let sent = (bytes.len() as u64).to_ne_bytes();
            let mut length = [0; 8];
            self.comm.send_receive((to, &sent), (from, &mut length), LENGTH)?;
            self.swap(to, from, &bytes, u64::from_ne_bytes(length))
        })
    }

    fn send_bytes(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        check_peer(to, self.rank(), self.size())?;
        self.comm.send(to, &(bytes.len() as u64).to_ne_bytes(), LENGTH)?;
        for piece in self.limit.pieces(bytes) {
            self.comm.send(to, piece, PIECE)?;
        }
        Ok(())
    }

    fn receive_bytes(&self, from: usize) -> Result<Vec<u8>, Error> {
        check_peer(from, self.rank(), self.size())?;
        let mut length = [0; 8];
        self.comm.receive(from, &mut length, LENGTH)?;
        let mut incoming = Incoming::new(from, u64::from_ne_bytes(length), self.limit);
        while let Some(room) = incoming.next_piece()? {
            self.comm.receive(from, room, PIECE)?;
        }
        Ok(incoming.finish())
    }

    fn barrier(&self) -> Result<(), Error> {
        self.comm.barrier()
    }

    fn uses_mpi(&self) -> bool {
        true
    }

    #[cfg(feature = "mpi")]
    fn mpi_comm(&self) -> Option<mpi::ffi::MPI_Comm> {
        Some(self.comm.raw())
    }
}
