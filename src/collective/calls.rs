//! The calls of an MPI library that the ranks need: few, so that every back end is small.
//!
//! [`World`](super::World) is written once over them. `linked.rs` takes them from the library that the build found,
//! `loaded/` from one that is found when the program runs.

use super::Error;

/// The version of a library in a line: its name and version, and those of the standard.
pub(super) fn library_line(library: &str, major: i32, minor: i32) -> String {
    // The first line has the name and the version; implementations add what they were built with.
    let first = library.trim_end_matches('\0').trim_start().lines().next().unwrap_or_default();
    let first = first.split(',').next().unwrap_or_default();
    let name = first.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{name} (MPI {major}.{minor})")
}

/// The text before the first zero.
#[cfg(not(feature = "mpi"))]
pub(super) fn until_zero(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// The kind of a message between two ranks.
pub(super) type Tag = i32;

/// A communicator of an MPI library. Ranks are checked to be below the size, pieces to be below 2^31 bytes.
///
/// # Errors
///
/// [`Error::Mpi`], where the library does not end the job by itself.
pub(super) trait Calls {
    /// This rank's number.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// The same ranks, with messages of their own. Collective.
    fn duplicate(&self) -> Result<Box<dyn Calls>, Error>;

    /// The ranks of this node, in the order of ranks. Collective.
    fn split_shared(&self) -> Result<Box<dyn Calls>, Error>;

    /// Sends bytes to another rank.
    fn send(&self, to: usize, bytes: &[u8], tag: Tag) -> Result<(), Error>;

    /// Waits for as many bytes as there is room.
    fn receive(&self, from: usize, room: &mut [u8], tag: Tag) -> Result<(), Error>;

    /// Sends to one rank while another one sends to this one.
    fn send_receive(
        &self,
        outgoing: (usize, &[u8]),
        incoming: (usize, &mut [u8]),
        tag: Tag,
    ) -> Result<(), Error>;

    /// Fills `bytes` with what `root` has there. Collective.
    fn broadcast(&self, root: usize, bytes: &mut [u8]) -> Result<(), Error>;

    /// Gives a number to each rank, and takes one from each. Collective.
    fn all_to_all(&self, outgoing: &[u64], incoming: &mut [u64]) -> Result<(), Error>;

    /// Tells whether any rank says yes. Collective.
    fn any(&self, yes: bool) -> Result<bool, Error>;

    /// Returns when every rank has called it.
    fn barrier(&self) -> Result<(), Error>;

    /// The communicator as the crate `mpi` has it.
    #[cfg(feature = "mpi")]
    fn raw(&self) -> mpi::ffi::MPI_Comm;
}
