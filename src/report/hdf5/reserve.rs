//! Room on the disk, before it is needed.
//!
//! When a disk is full in the middle of a collective write, MPI-IO and the HDF5 library do not
//! cope: tried with Open MPI 4.1 and HDF5 1.10, some ranks wait forever, crash when MPI ends, or
//! take a file for whole that is not. So rank 0 reserves what a write can need at most, and that
//! may fail in peace.

use std::fs::File;
use std::io;

/// Makes sure that there is room for so many bytes of a file from its begin; its length stays.
///
/// File systems that cannot tell are taken at their word that they have room.
///
/// # Errors
///
/// When there is none.
#[cfg(target_os = "linux")]
pub(super) fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let bytes = bytes.try_into().map_err(|_| io::ErrorKind::FileTooLarge)?;
    loop {
        // SAFETY: the descriptor is open as long as `file`, and the call takes no pointers.
        if unsafe { libc::fallocate(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, 0, bytes) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL | libc::ENODEV) => return Ok(()),
            _ => return Err(error),
        }
    }
}

/// Other systems have no call for it that keeps the file's length.
#[cfg(not(target_os = "linux"))]
pub fn reserve(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

/// Gives back what lies beyond the end of the file.
pub(super) fn give_back(file: &File) -> io::Result<()> {
    file.set_len(file.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn room_is_no_length() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"seven 7").unwrap();
        reserve(&file, 1 << 20).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 7);
        give_back(&file).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 7);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn no_disk_has_room_for_everything() {
        let file = tempfile::tempfile().unwrap();
        assert!(reserve(&file, u64::MAX).is_err());
        assert!(reserve(&file, i64::MAX as u64).is_err());
    }
}
