//! Error numbers of the kernel, by the name that its documentation uses.

use std::fmt;

/// An error number as the kernel returned it. Prints as `EINVAL (Invalid argument)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

impl Errno {
    /// The number that the last failed libc call left in this thread.
    pub fn last() -> Errno {
        Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
    }

    /// The number in an I/O error, where it has one.
    pub fn of(error: &std::io::Error) -> Option<Errno> {
        error.raw_os_error().map(Errno)
    }

    /// The name in `errno.h`. A number that no name is known for prints as `errno 1234`.
    pub fn name(self) -> String {
        match NAMES.iter().find(|(number, _)| *number == self.0) {
            Some((_, name)) => (*name).to_owned(),
            None => format!("errno {}", self.0),
        }
    }

    /// The C library's sentence for it: `Invalid argument`.
    pub fn sentence(self) -> String {
        let text = std::io::Error::from_raw_os_error(self.0).to_string();
        match text.rfind(" (os error ") {
            Some(end) => text[..end].to_owned(),
            None => text,
        }
    }

    /// What a libc call that answers -1 on error returned, as a result.
    pub(crate) fn check(returned: libc::c_int) -> Result<libc::c_int, Errno> {
        if returned == -1 { Err(Errno::last()) } else { Ok(returned) }
    }

    /// What a `pthread_` call, which returns its error, returned.
    pub(crate) fn check_returned(returned: libc::c_int) -> Result<(), Errno> {
        if returned == 0 { Ok(()) } else { Err(Errno(returned)) }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.sentence())
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl std::error::Error for Errno {}

macro_rules! names {
    ($($name:ident)*) => { &[$((libc::$name, stringify!($name))),*] };
}

// EWOULDBLOCK and ENOTSUP are the same numbers as EAGAIN and EOPNOTSUPP; the kernel's own name is kept.
const NAMES: &[(i32, &str)] = names! {
    EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT
    ENOTBLK EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG
    ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY
    ELOOP ENOMSG EIDRM ENODATA ETIME EPROTO EBADMSG EOVERFLOW EILSEQ ERESTART EUSERS ENOTSOCK
    EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT EOPNOTSUPP EAFNOSUPPORT
    EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ECONNABORTED ECONNRESET ENOBUFS EISCONN
    ENOTCONN ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE EDQUOT
    ECANCELED EOWNERDEAD ENOTRECOVERABLE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_its_name_and_sentence() {
        assert_eq!(Errno(libc::EINVAL).to_string(), "EINVAL (Invalid argument)");
        assert_eq!(Errno(libc::EAGAIN).name(), "EAGAIN");
        assert_eq!(Errno(libc::EOPNOTSUPP).name(), "EOPNOTSUPP");
    }

    #[test]
    fn an_unknown_number_is_printed_as_one() {
        assert_eq!(Errno(4711).name(), "errno 4711");
        assert!(!Errno(-3).sentence().is_empty());
    }

    #[test]
    fn no_number_has_two_names() {
        for (i, (number, name)) in NAMES.iter().enumerate() {
            for (other, second) in &NAMES[i + 1..] {
                assert_ne!(number, other, "{name} and {second}");
            }
        }
    }
}
