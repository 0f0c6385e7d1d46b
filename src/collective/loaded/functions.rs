//! The addresses of the calls. Their types are those of the MPI standard; handles are of type `H`.

use std::ffi::{c_char, c_int, c_void};

use libloading::os::unix::Library;

use super::abi::Handle;

macro_rules! functions {
    ($($field:ident = $name:literal ($($argument:ty),*);)*) => {
        /// The calls of a library.
        pub(super) struct Functions<H> {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl<H: Handle> Functions<H> {
            /// Functions of a library whose handles are of this type.
            ///
            /// # Safety
            ///
            /// The calls have the types of the standard.
            ///
            /// # Errors
            ///
            /// The name of the first call that it lacks.
            pub(super) unsafe fn of(library: &Library) -> Result<Self, &'static str> {
                Ok(Functions {
                    $($field: {
                        // SAFETY: as the caller says.
                        let found = unsafe { library.get(concat!($name, "\0").as_bytes()) };
                        *found.map_err(|_| $name)?
                    },)*
                })
            }
        }
    };
}

functions! {
    init_thread = "MPI_Init_thread" (*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    query_thread = "MPI_Query_thread" (*mut c_int);
    is_thread_main = "MPI_Is_thread_main" (*mut c_int);
    initialized = "MPI_Initialized" (*mut c_int);
    finalized = "MPI_Finalized" (*mut c_int);
    finalize = "MPI_Finalize" ();
    abort = "MPI_Abort" (H, c_int);
    error_string = "MPI_Error_string" (c_int, *mut c_char, *mut c_int);
    get_version = "MPI_Get_version" (*mut c_int, *mut c_int);
    comm_rank = "MPI_Comm_rank" (H, *mut c_int);
    comm_size = "MPI_Comm_size" (H, *mut c_int);
    comm_dup = "MPI_Comm_dup" (H, *mut H);
    comm_split_type = "MPI_Comm_split_type" (H, c_int, c_int, H, *mut H);
    comm_free = "MPI_Comm_free" (*mut H);
    comm_test_inter = "MPI_Comm_test_inter" (H, *mut c_int);
    send = "MPI_Send" (*const c_void, c_int, H, c_int, c_int, H);
    recv = "MPI_Recv" (*mut c_void, c_int, H, c_int, c_int, H, *mut c_void);
    sendrecv = "MPI_Sendrecv" (
        *const c_void, c_int, H, c_int, c_int,
        *mut c_void, c_int, H, c_int, c_int,
        H, *mut c_void
    );
    bcast = "MPI_Bcast" (*mut c_void, c_int, H, c_int, H);
    alltoall = "MPI_Alltoall" (*const c_void, c_int, H, *mut c_void, c_int, H, H);
    allreduce = "MPI_Allreduce" (*const c_void, *mut c_void, c_int, H, H, H);
    barrier = "MPI_Barrier" (H);
}
