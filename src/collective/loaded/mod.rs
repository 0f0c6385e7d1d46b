//! An MPI library that is found when the program runs: one program for every MPI.
//!
//! `find.rs` chooses the library, `abi.rs` has the constants of the three binary interfaces that there are, and
//! `functions.rs` the addresses of the calls. A library is never unloaded: it leaves threads and handlers behind.

mod abi;
mod find;
mod functions;

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use super::calls::{self, Calls, Tag};
use super::launch::{detect, Absent, Launched};
use super::Error;
use abi::{Abi, Handle};
use functions::Functions;

/// A library and its binary interface, whatever its handles are.
trait Mpi: Send + Sync {
    /// Starts MPI and returns all ranks.
    fn start(&'static self) -> Result<Box<dyn Calls>, Error>;

    /// Ends MPI.
    fn finalize(&self);

    /// Tells whether MPI was started and has not ended.
    fn is_running(&self) -> bool;

    /// Ends all ranks of a job with MPI running.
    fn abort(&self, code: i32);

    /// A duplicate of a communicator of the host program.
    ///
    /// # Safety
    ///
    /// See [`World::of_handle`](super::World::of_handle).
    unsafe fn duplicate(&'static self, handle: usize) -> Result<Box<dyn Calls>, Error>;

    /// Name and version of the library.
    fn line(&self) -> String;

    /// The file that it was loaded from.
    fn path(&self) -> &str;
}

/// The library of this process, once it is chosen.
static CHOSEN: OnceLock<&'static dyn Mpi> = OnceLock::new();

/// MPI, started; dropping it ends MPI.
pub(super) struct Universe(&'static dyn Mpi);

impl Drop for Universe {
    fn drop(&mut self) {
        if self.0.is_running() {
            self.0.finalize();
        }
    }
}

/// Finds a library, and tells why there is none.
pub(super) fn missing(launched: Launched) -> Result<Option<Absent>, Error> {
    Ok(choose(|| find::find(launched))?.err())
}

/// The library that was chosen before, or is found now.
fn choose(
    find: impl FnOnce() -> Result<Result<find::Found, Absent>, Error>,
) -> Result<Result<&'static dyn Mpi, Absent>, Error> {
    if let Some(mpi) = CHOSEN.get() {
        return Ok(Ok(*mpi));
    }
    Ok(match find()? {
        Ok(found) => Ok(*CHOSEN.get_or_init(|| found.mpi)),
        Err(absent) => Err(absent),
    })
}

/// Starts MPI. Returns the communicator of all ranks.
pub(super) fn start() -> Result<(Box<dyn Calls>, Universe), Error> {
    let mpi = choose(|| find::find(detect()))?.map_err(|absent| Error::NoMpi { absent })?;
    Ok((mpi.start()?, Universe(mpi)))
}

/// Ends all ranks where MPI runs; else returns.
pub(super) fn abort(code: i32, before: impl FnOnce()) {
    if let Some(mpi) = CHOSEN.get().filter(|mpi| mpi.is_running()) {
        before();
        mpi.abort(code);
    }
}

/// The library of the program in a message.
pub(super) fn name() -> String {
    let path = CHOSEN.get().map_or("", |mpi| mpi.path());
    format!("the MPI library {path} ({} can name another)", find::VARIABLE)
}

/// The MPI library for people: its name and version, and the file where it was found.
pub fn mpi_library() -> String {
    match choose(|| find::find(detect())) {
        Ok(Ok(mpi)) => format!("{}, loaded from {}", mpi.line(), mpi.path()),
        Ok(Err(absent)) => format!("none: {absent}"),
        Err(error) => format!("none: {error}"),
    }
}

/// A duplicate of a communicator that the host program has made.
///
/// # Safety
///
/// See [`World::of_handle`](super::World::of_handle).
pub(super) unsafe fn duplicate(handle: usize) -> Result<Box<dyn Calls>, Error> {
    let mpi = choose(find::find_in_process)?;
    let mpi = mpi.map_err(|absent| Error::HostComm { reason: absent.to_string() })?;
    // SAFETY: as the caller says.
    unsafe { mpi.duplicate(handle) }
}

/// A library whose handles are of one kind.
struct Library<H> {
    functions: Functions<H>,
    abi: Abi<H>,
    /// Text of its version.
    line: String,
    path: String,
}

impl<H: Handle> Library<H> {
    /// The meaning of a code that a call has returned.
    fn check(&self, call: &'static str, code: c_int) -> Result<(), Error> {
        if code == abi::SUCCESS {
            return Ok(());
        }
        let mut text = [0u8; abi::LONGEST_TEXT];
        let mut length = 0;
        // SAFETY: the text is longer than any that a library writes, and any number may be asked for.
        unsafe { (self.functions.error_string)(code, text.as_mut_ptr().cast(), &mut length) };
        Err(Error::Mpi { call, reason: calls::until_zero(&text) })
    }

    fn flag(&self, of: unsafe extern "C" fn(*mut c_int) -> c_int) -> bool {
        let mut flag = 0;
        // SAFETY: the calls that come here may be made on any thread, and are made when they may be.
        (unsafe { of(&mut flag) }) == abi::SUCCESS && flag != 0
    }

    /// A communicator with its rank and size.
    ///
    /// # Safety
    ///
    /// The handle is one of a communicator, which nobody else frees if it is `owned`.
    unsafe fn comm(&'static self, handle: H, owned: bool) -> Result<Comm<H>, Error> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the handle is a communicator's, and each pointer leads to a number.
        unsafe {
            self.check("MPI_Comm_rank", (self.functions.comm_rank)(handle, &mut rank))?;
            self.check("MPI_Comm_size", (self.functions.comm_size)(handle, &mut size))?;
        }
        let (rank, size) = (rank as usize, size as usize);
        Ok(Comm { library: self, handle, rank, size, owned })
    }
}

impl<H: Handle> Mpi for Library<H> {
    fn start(&'static self) -> Result<Box<dyn Calls>, Error> {
        if self.flag(self.functions.initialized) {
            return Err(Error::AlreadyStarted);
        }
        let mut level = 0;
        let (argc, argv) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: MPI was not started, and takes null for arguments that it shall not see.
        let code =
            unsafe { (self.functions.init_thread)(argc, argv, self.abi.funneled, &mut level) };
        self.check("MPI_Init_thread", code)?;
        if level < self.abi.funneled {
            return Err(Error::NoThreads);
        }
        // SAFETY: the communicator of all ranks is there from the start of MPI to its end.
        Ok(Box::new(unsafe { self.comm(self.abi.world, false) }?))
    }

    fn finalize(&self) {
        // SAFETY: MPI runs, as the caller has seen. An error ends the job in the library.
        unsafe { (self.functions.finalize)() };
    }

    fn is_running(&self) -> bool {
        self.flag(self.functions.initialized) && !self.flag(self.functions.finalized)
    }

    fn abort(&self, code: i32) {
        // SAFETY: MPI runs, as the caller has seen. In practice any thread may call it.
        unsafe { (self.functions.abort)(self.abi.world, code) };
    }

    unsafe fn duplicate(&'static self, handle: usize) -> Result<Box<dyn Calls>, Error> {
        let refused = |reason: &str| Error::HostComm { reason: reason.to_owned() };
        if !self.is_running() {
            return Err(refused("MPI does not run in this process"));
        }
        let mut level = 0;
        // SAFETY: MPI runs.
        self.check("MPI_Query_thread", unsafe { (self.functions.query_thread)(&mut level) })?;
        if level < self.abi.funneled {
            return Err(Error::NoThreads);
        }
        if level == self.abi.funneled && !self.flag(self.functions.is_thread_main) {
            return Err(refused("MPI was started for another thread only (MPI_THREAD_FUNNELED)"));
        }
        let host = H::of(handle);
        if host == self.abi.null || !(self.abi.may_be_comm)(handle) {
            return Err(refused("its handle is null, or none of a communicator"));
        }
        let mut inter = 0;
        // SAFETY: the handle is a communicator's, as the caller promises and as far as a look at it shows.
        unsafe {
            self.check("MPI_Comm_test_inter", (self.functions.comm_test_inter)(host, &mut inter))?;
            if inter != 0 {
                return Err(refused("it connects two groups of ranks (an inter-communicator)"));
            }
            self.comm(host, false)?.duplicate()
        }
    }

    fn line(&self) -> String {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the call may be made at any time, and writes two numbers.
        unsafe { (self.functions.get_version)(&mut major, &mut minor) };
        calls::library_line(&self.line, major, minor)
    }

    fn path(&self) -> &str {
        &self.path
    }
}

/// A communicator.
struct Comm<H: Handle> {
    library: &'static Library<H>,
    handle: H,
    rank: usize,
    size: usize,
    /// Set if this program has made it.
    owned: bool,
}

impl<H: Handle> Drop for Comm<H> {
    fn drop(&mut self) {
        if self.owned && self.library.is_running() {
            // SAFETY: the handle is one that this program has made, and it is not used any more.
            unsafe { (self.library.functions.comm_free)(&mut self.handle) };
        }
    }
}

/// Length of a piece. Pieces are below 2^31 bytes, and MPI counts ranks so.
fn count(length: usize) -> c_int {
    c_int::try_from(length).expect("pieces and ranks are counted in 31 bits")
}

impl<H: Handle> Comm<H> {
    /// A communicator that `make` has made of this one.
    fn made(
        &self,
        call: &'static str,
        make: impl FnOnce(&mut H) -> c_int,
    ) -> Result<Box<dyn Calls>, Error> {
        let mut made = self.library.abi.null;
        self.library.check(call, make(&mut made))?;
        // SAFETY: the library has just made it, for nobody else.
        Ok(Box::new(unsafe { self.library.comm(made, true) }?))
    }
}

// SAFETY of all calls below: the communicator is open, as it is dropped before MPI ends; buffers are as long in bytes as
// is said; the library writes to those only that are lent to be written; no status is asked for.
impl<H: Handle> Calls for Comm<H> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn duplicate(&self) -> Result<Box<dyn Calls>, Error> {
        // SAFETY: see above.
        self.made("MPI_Comm_dup", |made| unsafe {
            (self.library.functions.comm_dup)(self.handle, made)
        })
    }

    fn split_shared(&self) -> Result<Box<dyn Calls>, Error> {
        let Abi { shared, no_info, .. } = self.library.abi;
        let key = count(self.rank);
        // SAFETY: see above.
        self.made("MPI_Comm_split_type", |made| unsafe {
            (self.library.functions.comm_split_type)(self.handle, shared, key, no_info, made)
        })
    }

    fn send(&self, to: usize, bytes: &[u8], tag: Tag) -> Result<(), Error> {
        let Library { functions, abi, .. } = self.library;
        let (start, length) = (bytes.as_ptr().cast::<c_void>(), count(bytes.len()));
        // SAFETY: see above.
        let code =
            unsafe { (functions.send)(start, length, abi.byte, count(to), tag, self.handle) };
        self.library.check("MPI_Send", code)
    }

    fn receive(&self, from: usize, room: &mut [u8], tag: Tag) -> Result<(), Error> {
        let Library { functions, abi, .. } = self.library;
        let (start, length) = (room.as_mut_ptr().cast::<c_void>(), count(room.len()));
        let (from, ignore) = (count(from), abi.ignore_status as *mut c_void);
        // SAFETY: see above.
        let code =
            unsafe { (functions.recv)(start, length, abi.byte, from, tag, self.handle, ignore) };
        self.library.check("MPI_Recv", code)
    }

    fn send_receive(
        &self,
        (to, bytes): (usize, &[u8]),
        (from, room): (usize, &mut [u8]),
        tag: Tag,
    ) -> Result<(), Error> {
        let Library { functions, abi, .. } = self.library;
        // SAFETY: see above.
        let code = unsafe {
            (functions.sendrecv)(
                bytes.as_ptr().cast(),
                count(bytes.len()),
                abi.byte,
                count(to),
                tag,
                room.as_mut_ptr().cast(),
                count(room.len()),
                abi.byte,
                count(from),
                tag,
                self.handle,
                abi.ignore_status as *mut c_void,
            )
        };
        self.library.check("MPI_Sendrecv", code)
    }

    fn broadcast(&self, root: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let Library { functions, abi, .. } = self.library;
        let (start, length) = (bytes.as_mut_ptr().cast::<c_void>(), count(bytes.len()));
        // SAFETY: see above.
        let code = unsafe { (functions.bcast)(start, length, abi.byte, count(root), self.handle) };
        self.library.check("MPI_Bcast", code)
    }

    fn all_to_all(&self, outgoing: &[u64], incoming: &mut [u64]) -> Result<(), Error> {
        assert_eq!([outgoing.len(), incoming.len()], [self.size; 2], "a number for each rank");
        let Library { functions, abi, .. } = self.library;
        let (out, into) = (outgoing.as_ptr().cast::<c_void>(), incoming.as_mut_ptr().cast());
        let each = count(size_of::<u64>());
        // SAFETY: see above.
        let code =
            unsafe { (functions.alltoall)(out, each, abi.byte, into, each, abi.byte, self.handle) };
        self.library.check("MPI_Alltoall", code)
    }

    fn any(&self, yes: bool) -> Result<bool, Error> {
        let Library { functions, abi, .. } = self.library;
        let (yes, mut any) = (u8::from(yes), 0u8);
        let (out, into) = ((&raw const yes).cast::<c_void>(), (&raw mut any).cast::<c_void>());
        // SAFETY: see above.
        let code = unsafe { (functions.allreduce)(out, into, 1, abi.byte, abi.or, self.handle) };
        self.library.check("MPI_Allreduce", code)?;
        Ok(any != 0)
    }

    fn barrier(&self) -> Result<(), Error> {
        // SAFETY: see above.
        let code = unsafe { (self.library.functions.barrier)(self.handle) };
        self.library.check("MPI_Barrier", code)
    }
}
