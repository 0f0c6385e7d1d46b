//! System calls about files and descriptors, after the lists of Linux.

/// Effect of a system call on files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Bytes come from a file; the result is their number.
    Read,
    /// Bytes go to a file; the result is their number.
    Write,
    /// Bytes go from one file to another, which are these arguments, from 0; the result is their number.
    Copy {
        /// The file that is read.
        from: u8,
        /// The file that is written.
        to: u8,
    },
    /// Bytes come from a socket; the result is their number.
    Receive,
    /// Bytes go to a socket; the result is their number.
    Send,
    /// Data that was held back goes to a file.
    Sync,
    /// Data moves, and the result does not say how much.
    Data,
    /// A file is opened or made.
    Open,
    /// Descriptors are closed.
    Close,
    /// The place in a file changes where data is read or written next.
    Seek,
    /// Something else happens to a file or a folder.
    Other,
    /// Something else happens to a descriptor, which need not be one of a file.
    Descriptor,
}

impl Class {
    /// Tells whether it moves data of files, or makes sure that it is there.
    pub fn is_data(self) -> bool {
        use Class::{Copy, Data, Read, Sync, Write};
        matches!(self, Read | Write | Copy { .. } | Sync | Data)
    }

    /// Tells whether it does something to files or folders, rather than to sockets and other descriptors.
    pub fn is_of_files(self) -> bool {
        !matches!(self, Class::Receive | Class::Send | Class::Descriptor)
    }
}

/// A system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemCall {
    /// Kind of work.
    pub class: Class,
    /// Set if its first argument is a descriptor.
    pub has_descriptor: bool,
}

macro_rules! system_calls {
    ($($class:expr, $has_descriptor:literal: $($name:literal)*;)*) => {
        /// The system call of this name. `None`: it is about no file and no descriptor, or there is none.
        pub fn find(name: &[u8]) -> Option<SystemCall> {
            let (class, has_descriptor) = match name {
                $($($name)|* => ($class, $has_descriptor),)*
                _ => return None,
            };
            Some(SystemCall { class, has_descriptor })
        }

        /// All names.
        #[cfg(test)]
        const NAMES: &[&[u8]] = &[$($($name),*),*];
    };
}

system_calls! {
    Class::Read, true: b"read" b"pread64" b"pread" b"readv" b"preadv" b"preadv2";
    Class::Write, true: b"write" b"pwrite64" b"pwrite" b"writev" b"pwritev" b"pwritev2" b"vmsplice";
    Class::Copy { from: 1, to: 0 }, true: b"sendfile" b"sendfile64";
    Class::Copy { from: 0, to: 2 }, true: b"copy_file_range" b"splice";
    Class::Copy { from: 0, to: 1 }, true: b"tee";
    Class::Receive, true: b"recv" b"recvfrom" b"recvmsg";
    Class::Send, true: b"send" b"sendto" b"sendmsg";
    Class::Sync, true: b"fsync" b"fdatasync" b"syncfs" b"sync_file_range" b"sync_file_range2";
    Class::Sync, false: b"sync" b"msync";
    Class::Data, true: b"readahead";
    Class::Data, false: b"io_submit";
    Class::Open, true: b"openat" b"openat2" b"open_by_handle_at" b"open_tree";
    Class::Open, false: b"open" b"creat" b"memfd_create";
    Class::Close, true: b"close" b"close_range";
    Class::Seek, true: b"lseek" b"_llseek" b"llseek";
    Class::Other, true:
        b"cachestat" b"dup" b"dup2" b"dup3" b"faccessat" b"faccessat2" b"fadvise64" b"fadvise64_64" b"fallocate"
        b"fchdir" b"fchmod" b"fchmodat" b"fchmodat2" b"fchown" b"fchown32" b"fchownat" b"fcntl" b"fcntl64"
        b"fgetxattr" b"file_getattr" b"file_setattr" b"flistxattr" b"flock" b"fremovexattr" b"fsetxattr" b"fstat"
        b"fstat64" b"fstatat64" b"fstatfs" b"fstatfs64" b"ftruncate" b"ftruncate64" b"futimesat" b"getdents"
        b"getdents64" b"getxattrat" b"inotify_add_watch" b"linkat" b"listxattrat" b"mkdirat" b"mknodat"
        b"name_to_handle_at" b"newfstatat" b"quotactl_fd" b"readlinkat" b"removexattrat" b"renameat" b"renameat2"
        b"setxattrat" b"statx" b"unlinkat" b"utimensat";
    Class::Other, false:
        b"access" b"chdir" b"chmod" b"chown" b"chown32" b"chroot" b"getcwd" b"getxattr" b"lchown" b"lchown32"
        b"lgetxattr" b"link" b"listxattr" b"llistxattr" b"lremovexattr" b"lsetxattr" b"lstat" b"lstat64" b"mkdir"
        b"mknod" b"quotactl" b"readlink" b"removexattr" b"rename" b"rmdir" b"setxattr" b"stat" b"stat64" b"statfs"
        b"statfs64" b"symlink" b"symlinkat" b"truncate" b"truncate64" b"umask" b"unlink" b"utime" b"utimes";
    Class::Descriptor, true:
        b"accept" b"accept4" b"bind" b"connect" b"epoll_ctl" b"epoll_pwait" b"epoll_pwait2" b"epoll_wait"
        b"getpeername" b"getsockname" b"getsockopt" b"inotify_rm_watch" b"io_uring_enter" b"io_uring_register"
        b"ioctl" b"listen" b"pidfd_getfd" b"pidfd_send_signal" b"recvmmsg" b"sendmmsg" b"setsockopt" b"shutdown"
        b"timerfd_gettime" b"timerfd_settime";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_and_there_once() {
        let mut names = NAMES.to_vec();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(names.iter().all(|name| find(name).is_some()));
        let class = |name: &[u8]| find(name).map(|call| call.class);
        assert_eq!(class(b"getcwd"), Some(Class::Other));
        assert_eq!(class(b"copy_file_range"), Some(Class::Copy { from: 0, to: 2 }));
        assert_eq!(class(b"sendfile"), Some(Class::Copy { from: 1, to: 0 }));
        for other in [&b"getc"[..], b"execve", b"brk", b"reads", b""] {
            assert_eq!(find(other), None);
        }
    }
}
