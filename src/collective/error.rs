//! Errors between ranks.

use super::codec;

/// An error of starting or communicating. See [`Communicator`](super::Communicator) for the ways to
/// handle it.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Error {
    /// A message could not be encoded or decoded.
    #[error(transparent)]
    Codec(#[from] codec::Error),

    /// A rank that is not there was addressed.
    #[error("rank {rank} was addressed, but there are {size} ranks, counted from 0")]
    NoSuchRank { rank: usize, size: usize },

    /// A rank sent to, or waited for, itself.
    #[error("rank {rank} cannot send to or receive from itself")]
    MessageToSelf { rank: usize },

    /// The rank that a value comes from brought none.
    #[error("rank {root} is the root of a broadcast but brought no value")]
    NoValueAtRoot { root: usize },

    /// An exchange needs one buffer for each rank.
    #[error("an exchange got {found} buffers for {expected} ranks")]
    BufferCount { found: usize, expected: usize },

    /// A message is announced that is too long for this rank's memory.
    #[error("rank {from} sends a message of {length} bytes; {received} came, then memory ran out")]
    OutOfMemory { from: usize, length: u64, received: usize },

    /// A limit for pieces of messages that no message can keep.
    #[error("messages cannot travel in pieces of {bytes} bytes; 1 to {max} are possible", max = i32::MAX)]
    PieceLimit { bytes: usize },

    /// MPI was asked for, but this program was built without it.
    #[error("MPI was asked for (--mpi on), but this program was built without it (feature `mpi`)")]
    BuiltWithoutMpi,

    /// A launcher started several ranks of a program that was built without MPI.
    #[error(
        "{variable} says that a launcher started {} of this program, but it was built without MPI \
         (feature `mpi`), so each would do all the work and overwrite the others' output; start one, \
         or say --mpi off if that is what you want",
        .count.map_or("several ranks".to_string(), |n| format!("{n} ranks"))
    )]
    RanksWithoutMpi { variable: &'static str, count: Option<usize> },

    /// srun started several processes, and nothing that MPI could find them by.
    #[error(
        "srun started {count} of this program ({variable}), but no MPI between them, so each would \
         do all the work and overwrite the others' output; say srun --mpi=pmix (srun --mpi=list \
         shows what there is), use mpirun, or say --mpi off if that is what you want"
    )]
    CopiesWithoutMpi { variable: &'static str, count: usize },

    /// The launcher started several ranks, but MPI sees each of them alone.
    #[error(
        "{variable} says that the launcher started {count} ranks, but MPI sees only this one; the \
         launcher and the MPI library that this program was built with do not fit (with srun, try \
         --mpi=pmix or --mpi=pmi2; else use that library's own mpirun)"
    )]
    RanksDoNotMeet { variable: &'static str, count: usize },

    /// MPI can be started only once in a process.
    #[error("MPI was started before in this process")]
    AlreadyStarted,

    /// The MPI library cannot be used in a process with threads.
    #[error("the MPI library does not allow threads beside it (MPI_THREAD_FUNNELED)")]
    NoThreads,

    /// Signals cannot be waited for.
    #[error("cannot wait for signals: {reason}")]
    Signals { reason: String },

    /// The threads of this rank could not be started.
    #[error("cannot start {count} threads: {reason}")]
    ThreadPool { count: usize, reason: String },
}
