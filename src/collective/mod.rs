//! How the ranks of a job talk to each other: the only place that knows MPI, bincode and the
//! plumbing of ranks.
//!
//! [`start`] gives a [`Communicator`]: [`Solo`] for one process, `World` (feature `mpi` or `mpi-load`) for the
//! ranks of an MPI job. With `mpi` the program is linked with the MPI of the build, with `mpi-load` it finds one when it
//! runs. With both, `mpi` counts. Tests run ranks as threads of one process (`run_team`, feature `testing`).
//! Everything above is written once, for any number of ranks, against `&dyn Communicator`: rank, size, and its typed functions (broadcast, gather, exchange, reduce of
//! any serde type). Bytes travel in pieces below a limit ([`PieceLimit`]),
//! encoded by [`codec`]. [`install_panic_hook`], [`end_on_signals`] and `abort` make
//! sure that no rank waits for one that has failed; [`threads`] says how many threads a rank should use.
//!
//! Only the thread that called [`start`] may communicate (MPI's *funneled* level): a communicator
//! is not `Sync`, so the compiler sees to it.
//!
//! ```
//! use streamfold_collective::{start, Communicator, MpiMode, PieceLimit};
//!
//! let ranks: Box<dyn Communicator> = start(MpiMode::Off, PieceLimit::DEFAULT)?;
//! let greeting = ranks.broadcast(0, (ranks.rank() == 0).then(|| "hello".to_string()))?;
//! let sum = ranks.all_reduce(1u64, |a, b| a + b)?;
//! assert_eq!((greeting.as_str(), sum), ("hello", ranks.size() as u64));
//! # Ok::<(), streamfold_collective::Error>(())
//! ```

#[cfg(any(feature = "mpi", feature = "mpi-load"))]
mod calls;
pub mod codec;
mod communicator;
mod error;
mod failure;
pub mod forward;
mod hops;
pub mod inject;
mod launch;
#[cfg(feature = "mpi")]
#[path = "linked.rs"]
mod library;
#[cfg(all(feature = "mpi-load", not(feature = "mpi")))]
#[path = "loaded/mod.rs"]
mod library;
#[cfg(not(any(feature = "mpi", feature = "mpi-load")))]
#[path = "without.rs"]
mod library;
mod pieces;
mod signals;
mod solo;
mod speaker;
pub mod stop;
pub mod team;
pub mod threads;
mod typed;
#[cfg(any(feature = "mpi", feature = "mpi-load"))]
mod world;

pub use communicator::Communicator;
pub use error::Error;
pub use failure::{end_out_of_memory, install_panic_hook, memory_can_be_limited, EXIT_RANK_FAILED};
pub use launch::{detect, speaks_first, start, Absent, Host, Launched, MpiMode};
pub use library::mpi_library;
pub use pieces::PieceLimit;
pub use signals::{end_on_signals, work_is_done};
pub use solo::Solo;
#[cfg(feature = "testing")]
pub use team::run as run_team;
#[cfg(any(feature = "mpi", feature = "mpi-load"))]
pub use world::World;
