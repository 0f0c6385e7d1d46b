//! The three binary interfaces of MPI libraries: the form of their handles, and the few constants that are used.
//!
//! Messages are bytes and no status is asked for, so that the table is small. The numbers are those of the headers
//! `mpi.h` of MPICH 4.0 and 5.0, `mpi.h` of Open MPI 4.1 and 5.0, and `mpi_abi.h` of the MPI 5.0 standard.

use std::ffi::{c_char, c_int, c_void};

use libloading::os::unix::Library;

use super::super::calls;

/// The code of a call that has succeeded: 0 in all of them.
pub(super) const SUCCESS: c_int = 0;

/// Longer than any text that a library writes: 8192 bytes at most for its version, 512 for an error.
pub(super) const LONGEST_TEXT: usize = 1 << 14;

/// A handle of communicators, types, operations and infos.
pub(super) trait Handle: Copy + PartialEq + Send + Sync + 'static {
    /// The handle with this value.
    fn of(value: usize) -> Self;
}

impl Handle for c_int {
    fn of(value: usize) -> Self {
        // A host may have extended the sign.
        value as c_int
    }
}

/// A handle that is an address, or a number in the place of one.
#[derive(Clone, Copy, PartialEq)]
#[repr(transparent)]
pub(super) struct Pointer(*mut c_void);

// SAFETY: this program never looks at what is there; the library does, in the calls that it is given to.
unsafe impl Send for Pointer {}
// SAFETY: as above.
unsafe impl Sync for Pointer {}

impl Handle for Pointer {
    fn of(value: usize) -> Self {
        Pointer(value as *mut c_void)
    }
}

/// The constants of an interface.
pub(super) struct Abi<H> {
    /// `MPI_COMM_WORLD`
    pub world: H,
    /// `MPI_COMM_NULL`
    pub null: H,
    /// `MPI_BYTE`
    pub byte: H,
    /// `MPI_BOR`
    pub or: H,
    /// `MPI_INFO_NULL`
    pub no_info: H,
    /// `MPI_COMM_TYPE_SHARED`
    pub shared: c_int,
    /// `MPI_THREAD_FUNNELED`; higher levels have higher numbers.
    pub funneled: c_int,
    /// `MPI_STATUS_IGNORE`, an address.
    pub ignore_status: usize,
    /// Tells whether a value may be the handle of a communicator, which may be null.
    pub may_be_comm: fn(usize) -> bool,
}

/// MPICH since 3.1, Intel MPI, MVAPICH, Cray MPICH: numbers.
const MPICH: Abi<c_int> = Abi {
    world: 0x4400_0000,
    null: 0x0400_0000,
    byte: 0x4c00_010d,
    or: 0x5800_0008,
    no_info: 0x1c00_0000,
    shared: 1,
    funneled: 1,
    ignore_status: 1,
    // The two highest bits say how it was made, the next four that it is a communicator.
    may_be_comm: |value| value >> 26 & 0xf == 1,
};

/// The standard interface of MPI 5: numbers in the place of addresses.
fn standard() -> Abi<Pointer> {
    Abi {
        world: Pointer::of(0x101),
        null: Pointer::of(0x100),
        byte: Pointer::of(0x247),
        or: Pointer::of(0x29),
        no_info: Pointer::of(0x130),
        shared: 221,
        funneled: 1024,
        ignore_status: 0,
        // All constants are below a page: those of communicators are none, all ranks, and this one alone.
        may_be_comm: |value| value >= 4096 || (0x100..=0x102).contains(&value),
    }
}

/// Open MPI since 1.7: addresses of objects in the library.
fn open_mpi(library: &Library) -> Result<Abi<Pointer>, &'static str> {
    let object = |name: &'static str| {
        // SAFETY: the address is taken as one of anything, and never looked at.
        let found = unsafe { library.get::<*mut c_void>(name.as_bytes()) };
        found.map(|found| Pointer(found.as_raw_ptr())).map_err(|_| name.trim_end_matches('\0'))
    };
    Ok(Abi {
        world: object(OPEN_MPI_WORLD)?,
        null: object("ompi_mpi_comm_null\0")?,
        byte: object("ompi_mpi_byte\0")?,
        or: object("ompi_mpi_op_bor\0")?,
        no_info: object("ompi_mpi_info_null\0")?,
        shared: 0,
        funneled: 1,
        ignore_status: 0,
        may_be_comm: |value| value >= 4096,
    })
}

/// The object that every Open MPI has, and no other library.
const OPEN_MPI_WORLD: &str = "ompi_mpi_comm_world\0";

/// A binary interface that this program knows.
pub(super) enum Known {
    /// Handles are numbers.
    Numbers(Abi<c_int>),
    /// Handles are addresses, or are passed like them.
    Pointers(Abi<Pointer>),
}

/// The first major version of the standard interface, and the only one so far.
const STANDARD: c_int = 1;

/// Names that libraries with the interface of MPICH have in the text of their version.
const LIKE_MPICH: [&str; 4] = ["MPICH", "MVAPICH", "Intel(R) MPI", "ParaStation MPI"];

/// Finds the interface of a library by what it exports and says of itself. Returns it with the text of its version.
///
/// # Errors
///
/// The sentence that says why it is not known.
pub(super) fn recognise(library: &Library) -> Result<(Known, String), String> {
    type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
    // SAFETY: the call has this type in every library, without a handle in it.
    let version = unsafe { library.get::<Version>(b"MPI_Get_library_version\0") };
    let Ok(version) = version else {
        return Err("it is no MPI library (MPI 3 or newer)".to_owned());
    };
    let (mut text, mut length) = ([0u8; LONGEST_TEXT], 0);
    // SAFETY: there is more room than any library asks for, and the call may be made at any time.
    unsafe { version(text.as_mut_ptr().cast(), &mut length) };
    let text = calls::until_zero(&text);

    let lacks = |name: &str| format!("it lacks {name}");
    // SAFETY: only whether it is there is asked.
    if unsafe { library.get::<*mut c_void>(OPEN_MPI_WORLD.as_bytes()) }.is_ok() {
        return Ok((Known::Pointers(open_mpi(library).map_err(lacks)?), text));
    }
    match standard_version(library) {
        Some(STANDARD) => Ok((Known::Pointers(standard()), text)),
        Some(other) => {
            Err(format!("it has version {other} of MPI's standard ABI, which is not known"))
        }
        None if LIKE_MPICH.iter().any(|name| text.contains(name)) => {
            Ok((Known::Numbers(MPICH), text))
        }
        None => Err(format!(
            "its ABI is none of MPICH, Open MPI and MPI 5; it calls itself `{}`",
            text.lines().next().unwrap_or_default().trim()
        )),
    }
}

/// The major version of the standard interface; `None` where the library has another one.
fn standard_version(library: &Library) -> Option<c_int> {
    type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    // SAFETY: the standard gives the call this type, and it may be made at any time.
    let version = unsafe { library.get::<Version>(b"MPI_Abi_get_version\0") }.ok()?;
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: as above.
    let code = unsafe { version(&mut major, &mut minor) };
    // A library with an interface of its own has the call as well, and returns -1.
    (code == SUCCESS && major >= 0).then_some(major)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_of_communicators_are_told_from_others() {
        let numbers = |value: c_int| (MPICH.may_be_comm)(value as usize);
        assert!(numbers(MPICH.world) && numbers(0x8400_0000_u32 as c_int));
        for other in [MPICH.byte, MPICH.or, MPICH.no_info, 0, 1] {
            assert!(!numbers(other), "{other:x}");
        }
        let standard = standard();
        assert!((standard.may_be_comm)(0x101) && (standard.may_be_comm)(0x7fff_0000_1000));
        for other in [0, 0x103, 0x29, 0x130, 0x247] {
            assert!(!(standard.may_be_comm)(other), "{other:x}");
        }
    }

    #[test]
    fn a_library_without_mpi_is_none() {
        let reason = recognise(&Library::this()).err().expect("this program is no MPI library");
        assert!(reason.starts_with("it is no MPI library"), "{reason}");
    }
}
