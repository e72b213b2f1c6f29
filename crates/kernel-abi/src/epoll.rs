//! epoll(7) on a file that is always readable.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::errno::Errno;

/// An epoll instance that watches one eventfd with a count above 0, which nobody reads.
#[derive(Debug)]
pub struct AlwaysReady {
    epoll: OwnedFd,
    /// Watched as long as it is open.
    _event: OwnedFd,
}

impl AlwaysReady {
    /// Makes both.
    ///
    /// # Errors
    /// What epoll_create1(2), eventfd(2) or epoll_ctl(2) refuses with.
    pub fn new() -> Result<AlwaysReady, Errno> {
        // SAFETY: takes numbers, touches no memory of ours.
        let epoll = Errno::check(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        // SAFETY: a new descriptor that nobody else owns.
        let epoll = unsafe { OwnedFd::from_raw_fd(epoll) };
        // SAFETY: takes numbers, touches no memory of ours.
        let event = Errno::check(unsafe { libc::eventfd(1, libc::EFD_CLOEXEC) })?;
        // SAFETY: a new descriptor that nobody else owns.
        let event = unsafe { OwnedFd::from_raw_fd(event) };
        let mut asked = libc::epoll_event { events: libc::EPOLLIN as u32, u64: 0 };
        let (of, file) = (epoll.as_raw_fd(), event.as_raw_fd());
        // SAFETY: both descriptors are open, and the event is live and only read.
        Errno::check(unsafe { libc::epoll_ctl(of, libc::EPOLL_CTL_ADD, file, &mut asked) })?;
        Ok(AlwaysReady { epoll, _event: event })
    }

    /// Whether `epoll_wait` with room for one event and no timeout reports the file. It should.
    ///
    /// # Errors
    /// What epoll_wait(2) refuses with.
    #[inline]
    pub fn is_reported(&self) -> Result<bool, Errno> {
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        // SAFETY: the pointer is to one live event, and room for one is told.
        let found = unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), &mut event, 1, 0) };
        Errno::check(found).map(|found| found > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_alone_is_told_of_the_file_each_time() {
        let ready = AlwaysReady::new().expect("epoll");
        assert!((0..100).all(|_| ready.is_reported() == Ok(true)));
    }
}
