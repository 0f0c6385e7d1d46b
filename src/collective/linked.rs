//! The MPI library that the program was linked with: the crate `mpi`.
//!
//! An error inside the library ends the whole job there.

use mpi::collective::SystemOperation;
use mpi::point_to_point::send_receive_into_with_tags;
use mpi::topology::{Process, Rank, SimpleCommunicator};
use mpi::traits::{
    AsRaw, Communicator as _, CommunicatorCollectives, Destination, Root as _, Source,
};
use mpi::Threading;

use super::calls::{Calls, Tag};
use super::launch::{Absent, Launched};
use super::Error;

/// MPI, started; dropping it ends MPI.
pub(super) type Universe = mpi::environment::Universe;

/// Tells why there is no library: there is always one.
pub(super) fn missing(_: Launched) -> Result<Option<Absent>, Error> {
    Ok(None)
}

/// Starts MPI. Returns the communicator of all ranks.
pub(super) fn start() -> Result<(Box<dyn Calls>, Universe), Error> {
    let (universe, level) =
        mpi::initialize_with_threading(Threading::Funneled).ok_or(Error::AlreadyStarted)?;
    if level < Threading::Funneled {
        return Err(Error::NoThreads);
    }
    Ok((Box::new(universe.world()), universe))
}

/// Ends all ranks where MPI runs; else returns.
pub(super) fn abort(code: i32, before: impl FnOnce()) {
    if mpi::environment::is_initialized() && !mpi::environment::is_finalized() {
        before();
        SimpleCommunicator::world().abort(code);
    }
}

/// The library of the program in a message.
pub(super) fn name() -> String {
    "the MPI library that this program was built with".to_owned()
}

/// The MPI library for people: name and version.
pub fn mpi_library() -> String {
    let library = mpi::environment::library_version().unwrap_or_else(|_| "unknown".to_owned());
    let (major, minor) = mpi::environment::version();
    super::calls::library_line(&library, major, minor)
}

/// A duplicate of a communicator that the program made itself.
pub(super) fn duplicate(host: &impl mpi::traits::Communicator) -> Box<dyn Calls> {
    Box::new(host.duplicate())
}

fn process(comm: &SimpleCommunicator, rank: usize) -> Process<'_> {
    comm.process_at_rank(rank as Rank)
}

impl Calls for SimpleCommunicator {
    fn rank(&self) -> usize {
        mpi::traits::Communicator::rank(self) as usize
    }

    fn size(&self) -> usize {
        mpi::traits::Communicator::size(self) as usize
    }

    fn duplicate(&self) -> Result<Box<dyn Calls>, Error> {
        Ok(duplicate(self))
    }

    fn split_shared(&self) -> Result<Box<dyn Calls>, Error> {
        let key = mpi::traits::Communicator::rank(self);
        Ok(Box::new(mpi::traits::Communicator::split_shared(self, key)))
    }

    fn send(&self, to: usize, bytes: &[u8], tag: Tag) -> Result<(), Error> {
        process(self, to).send_with_tag(bytes, tag);
        Ok(())
    }

    fn receive(&self, from: usize, room: &mut [u8], tag: Tag) -> Result<(), Error> {
        process(self, from).receive_into_with_tag(room, tag);
        Ok(())
    }

    fn send_receive(
        &self,
        (to, bytes): (usize, &[u8]),
        (from, room): (usize, &mut [u8]),
        tag: Tag,
    ) -> Result<(), Error> {
        send_receive_into_with_tags(
            bytes,
            &process(self, to),
            tag,
            room,
            &process(self, from),
            tag,
        );
        Ok(())
    }

    fn broadcast(&self, root: usize, bytes: &mut [u8]) -> Result<(), Error> {
        process(self, root).broadcast_into(bytes);
        Ok(())
    }

    fn all_to_all(&self, outgoing: &[u64], incoming: &mut [u64]) -> Result<(), Error> {
        self.all_to_all_into(outgoing, incoming);
        Ok(())
    }

    fn any(&self, yes: bool) -> Result<bool, Error> {
        let mut any = 0u8;
        self.all_reduce_into(&u8::from(yes), &mut any, SystemOperation::bitwise_or());
        Ok(any != 0)
    }

    fn barrier(&self) -> Result<(), Error> {
        CommunicatorCollectives::barrier(self);
        Ok(())
    }

    fn raw(&self) -> mpi::ffi::MPI_Comm {
        self.as_raw()
    }
}
