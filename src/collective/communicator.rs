//! The interface of every communicator: its rank, the number of ranks, and moving bytes.

use super::Error;

/// The ranks of a job, as one of them sees them.
///
/// The methods here move bytes; what callers usually want are the typed functions (`broadcast`,
/// `gather`, `exchange`, `reduce`, …) that `dyn Communicator` has on top of them.
///
/// Ranks are numbered from 0 to `size() - 1`. Except for [`send_bytes`](Self::send_bytes),
/// [`receive_bytes`](Self::receive_bytes) and `abort`, every method that moves bytes
/// is collective: all ranks call it, in the same order, with the same `root`.
///
/// # Errors
///
/// After an [`Error`] from any of these methods the ranks may be out of step: some may wait for a
/// message that will never come. The only right thing to do is to carry the error to `main` and call
/// `abort`. A failure of the work itself (a file that cannot be read) is a value, to
/// be shared with `broadcast_result` or folded in `reduce`, not an error of communication. An error
/// inside the MPI library is rarely returned: most end the whole job there.
pub trait Communicator {
    /// This rank's number.
    fn rank(&self) -> usize;

    /// How many ranks there are, at least 1.
    fn size(&self) -> usize;

    /// The ranks that share this rank's node (memory and cores), as a communicator of their own.
    fn node(&self) -> &dyn Communicator;

    /// How many ranks share this rank's node, itself included.
    fn ranks_on_node(&self) -> usize {
        self.node().size()
    }

    /// Replaces `bytes` on every rank by what `root` has in it.
    fn broadcast_bytes(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), Error>;

    /// Brings every rank's `bytes` to `root`: `Some`, in the order of ranks, there; `None` elsewhere.
    fn gather_bytes(&self, root: usize, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, Error>;

    /// All-to-all: takes one buffer for each rank (by index; often empty), returns the one that each
    /// rank had for this one (by index of the sender).
    fn exchange_bytes(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Error>;

    /// Sends to one other rank, which must call [`receive_bytes`](Self::receive_bytes); may wait
    /// until it does.
    fn send_bytes(&self, to: usize, bytes: &[u8]) -> Result<(), Error>;

    /// Waits for what another rank sends to this one.
    fn receive_bytes(&self, from: usize) -> Result<Vec<u8>, Error>;

    /// Returns when every rank has called it.
    fn barrier(&self) -> Result<(), Error>;

    /// Tells whether MPI carries the messages.
    fn uses_mpi(&self) -> bool {
        false
    }

    /// The MPI communicator behind this one, for libraries that need it (parallel HDF5 files);
    /// `None` where MPI was not started. It is valid as long as `self`; what MPI calls it serves are
    /// collective and come from this thread, as all others.
    #[cfg(feature = "mpi")]
    fn mpi_comm(&self) -> Option<mpi::ffi::MPI_Comm> {
        None
    }

    /// Tells whether all ranks are threads of one process, and share what a process has once.
    fn shares_process(&self) -> bool {
        false
    }
}

/// Says whether `rank` is one of `size`.
pub(super) fn check_rank(rank: usize, size: usize) -> Result<(), Error> {
    if rank < size {
        Ok(())
    } else {
        Err(Error::NoSuchRank { rank, size })
    }
}

/// Says whether `rank` is one of the others, which messages can be sent to or received from.
pub(super) fn check_peer(peer: usize, rank: usize, size: usize) -> Result<(), Error> {
    check_rank(peer, size)?;
    if peer == rank {
        Err(Error::MessageToSelf { rank })
    } else {
        Ok(())
    }
}

/// Says whether there is one buffer for each rank.
pub(super) fn check_buffers(found: usize, size: usize) -> Result<(), Error> {
    if found == size {
        Ok(())
    } else {
        Err(Error::BufferCount { found, expected: size })
    }
}
