//! Errors between ranks.

use super::codec;
use super::launch::Absent;

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

    /// MPI was asked for, but there is none.
    #[error("MPI was asked for (--mpi on), but {absent}")]
    NoMpi { absent: Absent },

    /// A launcher started several ranks of a program that has no MPI.
    #[error(
        "{variable} says that a launcher started {} of this program, but {absent}, so each would do \
         all the work and overwrite the others' output; start one, or say --mpi off if that is what \
         you want",
        .count.map_or("several ranks".to_string(), |n| format!("{n} ranks"))
    )]
    RanksWithoutMpi { variable: &'static str, count: Option<usize>, absent: Absent },

    /// A library was named or found that cannot be used.
    #[error(
        "cannot use {path} as MPI library: {reason} (STREAMFOLD_MPI names another one, or says none)"
    )]
    MpiLibrary { path: String, reason: String },

    /// A call of the MPI library has failed.
    #[error("{call} has failed: {reason}")]
    Mpi { call: &'static str, reason: String },

    /// The host program gave a communicator that cannot be used.
    #[error("the communicator of the host program cannot be used: {reason}")]
    HostComm { reason: String },

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
         launcher and {library} do not fit (with srun, try --mpi=pmix or --mpi=pmi2; else use that \
         library's own mpirun)"
    )]
    RanksDoNotMeet { variable: &'static str, count: usize, library: String },

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
