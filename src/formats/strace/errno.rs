//! Numbers of errors, as Linux has them.

macro_rules! numbers {
    ($($name:ident)*) => {
        const NUMBERS: &[(&str, i32)] = &[$((stringify!($name), libc::$name)),*];
    };
}

numbers! {
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EALREADY EBADF EBADFD EBADMSG EBUSY ECANCELED ECHILD
    ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ EDOM EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH
    EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR ELOOP EMFILE EMLINK EMSGSIZE ENAMETOOLONG ENETDOWN
    ENETRESET ENETUNREACH ENFILE ENOBUFS ENODATA ENODEV ENOENT ENOEXEC ENOLCK ENOMEM ENOMSG ENOPROTOOPT ENOSPC ENOSYS
    ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTSOCK ENOTTY ENXIO EOPNOTSUPP EOVERFLOW EPERM EPIPE EPROTO EPROTONOSUPPORT
    EPROTOTYPE ERANGE EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESTALE ETIME ETIMEDOUT ETXTBSY EUSERS EXDEV
}

/// The number of an error; -1 where its name is not known.
pub fn errno(name: &[u8]) -> i64 {
    let known = NUMBERS.binary_search_by(|(known, _)| known.as_bytes().cmp(name));
    known.map_or(-1, |at| NUMBERS[at].1.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(NUMBERS.is_sorted_by_key(|(name, _)| name.as_bytes()));
        assert_eq!(
            (errno(b"ENOENT"), errno(b"EACCES"), errno(b"E"), errno(b"EXDEV")),
            (2, 13, -1, 18)
        );
    }
}
