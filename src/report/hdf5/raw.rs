//! Writing a part of a dataset: the calls into the HDF5 library that its crate has not.
//!
//! The crate writes values of types that are known when it is compiled, and never collectively.
//! Tables have columns of a width that is known at run time, and compressed data can be written by
//! several ranks in collective calls only.

use hdf5_metno::sync::sync;
use hdf5_metno::{h5check, Dataset, Datatype, File, H5Type, Result};
use hdf5_metno_sys::h5d::H5Dwrite;
use hdf5_metno_sys::h5f::H5Fget_file_image;
use hdf5_metno_sys::h5i::hid_t;
use hdf5_metno_sys::h5p::{H5Pclose, H5P_DEFAULT};
use hdf5_metno_sys::h5s::{
    H5Sclose, H5Screate_simple, H5Sselect_hyperslab, H5Sselect_none, H5S_SELECT_SET,
};

/// Ranks that take part in writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transfer {
    /// This process alone.
    Alone,
    /// All ranks that have the file open, each with a part of its own, which may be empty.
    #[cfg(feature = "mpi")]
    Collective,
}

/// Writes `values` at `start` into a dataset of one dimension whose elements are of this type.
pub(super) fn write_values<T: H5Type>(
    dataset: &Dataset,
    start: u64,
    values: &[T],
    transfer: Transfer,
) -> Result<()> {
    let memory = Datatype::from_type::<T>()?;
    // SAFETY: `memory` describes `T`, and `values` holds as many as it says.
    unsafe { write(dataset, &memory, start, values.len() as u64, values.as_ptr().cast(), transfer) }
}

/// Writes rows, encoded as the dataset's own type says, at `start` into a dataset of one dimension.
///
/// # Panics
///
/// When `bytes` are not whole rows.
pub(super) fn write_rows(dataset: &Dataset, start: u64, bytes: &[u8]) -> Result<()> {
    let row = dataset.dtype()?;
    assert_eq!(bytes.len() % row.size(), 0, "rows are whole");
    let rows = (bytes.len() / row.size()) as u64;
    // SAFETY: `rows` are as many as `bytes` holds; rows are numbers and texts of a fixed length, so
    // any bytes are values, and none of them is a pointer.
    unsafe { write(dataset, &row, start, rows, bytes.as_ptr().cast(), Transfer::Alone) }
}

/// The bytes of a file that is kept in memory.
pub(super) fn image(file: &File) -> Result<Vec<u8>> {
    file.flush()?;
    sync(|| {
        // SAFETY: without a buffer the call only says how long it has to be; then the buffer is.
        unsafe {
            let length = h5check(H5Fget_file_image(file.id(), std::ptr::null_mut(), 0))? as usize;
            let mut bytes = vec![0; length];
            h5check(H5Fget_file_image(file.id(), bytes.as_mut_ptr().cast(), length))?;
            Ok(bytes)
        }
    })
}

/// # Safety
///
/// `values` points to `count` values of the type `memory`.
unsafe fn write(
    dataset: &Dataset,
    memory: &Datatype,
    start: u64,
    count: u64,
    values: *const std::ffi::c_void,
    transfer: Transfer,
) -> Result<()> {
    sync(|| {
        // SAFETY: all identifiers are open, the pointers to counts point to one each, which is the
        // number of dimensions, and the library checks that the part lies inside of the dataset.
        unsafe {
            let from = Closing(h5check(H5Screate_simple(1, &count, std::ptr::null()))?, H5Sclose);
            let space = dataset.space()?;
            if count == 0 {
                h5check(H5Sselect_none(from.0))?;
                h5check(H5Sselect_none(space.id()))?;
            } else {
                let (stride, block) = (std::ptr::null(), std::ptr::null());
                let set = H5S_SELECT_SET;
                h5check(H5Sselect_hyperslab(space.id(), set, &start, stride, &count, block))?;
            }
            let how = transfer_list(transfer)?;
            h5check(H5Dwrite(dataset.id(), memory.id(), from.0, space.id(), how.0, values))?;
        }
        Ok(())
    })
}

/// An identifier, and what closes it.
struct Closing(hid_t, unsafe extern "C" fn(hid_t) -> i32);

impl Drop for Closing {
    fn drop(&mut self) {
        if self.0 != H5P_DEFAULT {
            // SAFETY: nobody else has the identifier, and it is dropped inside of the lock. Closing
            // fails for identifiers only that are not open.
            unsafe { self.1(self.0) };
        }
    }
}

#[allow(clippy::unnecessary_wraps)] // with MPI there is something that can fail
fn transfer_list(transfer: Transfer) -> Result<Closing> {
    match transfer {
        Transfer::Alone => Ok(Closing(H5P_DEFAULT, H5Pclose)),
        #[cfg(feature = "mpi")]
        Transfer::Collective => {
            use hdf5_metno_sys::h5p::{
                H5FD_mpio_xfer_t, H5Pcreate, H5Pset_dxpl_mpio, H5P_CLS_DATASET_XFER,
            };
            // SAFETY: the class is the library's own, and the list is the one just made.
            unsafe {
                let list = Closing(h5check(H5Pcreate(*H5P_CLS_DATASET_XFER))?, H5Pclose);
                h5check(H5Pset_dxpl_mpio(list.0, H5FD_mpio_xfer_t::H5FD_MPIO_COLLECTIVE))?;
                Ok(list)
            }
        }
    }
}
