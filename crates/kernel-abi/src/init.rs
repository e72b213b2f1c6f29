//! What only the first process of a system does: mount the kernel's file systems, make a serial
//! line pass bytes as they are, switch the machine off.

use std::ffi::CString;
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::errno::Errno;

/// Mounts a file system that has no device, such as `proc` on `/proc`. The folder must be there.
///
/// # Errors
/// `EBUSY` when it is mounted there already; what else mount(2) refuses with.
pub fn mount(file_system: &str, folder: &str) -> Result<(), Errno> {
    let text = |text: &str| CString::new(text).map_err(|_| Errno(libc::EINVAL));
    let (file_system, folder) = (text(file_system)?, text(folder)?);
    // SAFETY: the three strings are live and end in NUL; no data is passed.
    Errno::check(unsafe {
        libc::mount(
            file_system.as_ptr(),
            folder.as_ptr(),
            file_system.as_ptr(),
            0,
            std::ptr::null(),
        )
    })
    .map(drop)
}

/// Makes a terminal pass bytes unchanged in both directions, at the speed it has; a read waits for
/// the first byte.
///
/// # Errors
/// `ENOTTY` when it is no terminal.
pub fn make_raw(terminal: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: termios is plain integers: all zeroes is a value.
    let mut settings: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: an open descriptor and a live variable to write to.
    Errno::check(unsafe { libc::tcgetattr(terminal.as_raw_fd(), &mut settings) })?;
    // SAFETY: changes the variable.
    unsafe { libc::cfmakeraw(&mut settings) };
    settings.c_cc[libc::VMIN] = 1;
    settings.c_cc[libc::VTIME] = 0;
    // SAFETY: an open descriptor and a live variable to read from.
    Errno::check(unsafe { libc::tcsetattr(terminal.as_raw_fd(), libc::TCSANOW, &settings) })
        .map(drop)
}

/// Waits until all that was written to a terminal is sent.
///
/// # Errors
/// `ENOTTY` when it is no terminal.
pub fn drain(terminal: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: an open descriptor.
    Errno::check(unsafe { libc::tcdrain(terminal.as_raw_fd()) }).map(drop)
}

/// Switches the machine off; returns only when that fails, as without `CAP_SYS_BOOT`. Nothing is
/// written back first: a guest of the lab has no disk.
pub fn power_off() -> Errno {
    // SAFETY: takes a number, touches no memory of ours.
    unsafe { libc::reboot(libc::RB_POWER_OFF) };
    Errno::last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::{AsFd, FromRawFd, OwnedFd};

    #[test]
    fn a_raw_terminal_passes_every_byte() {
        let (mut master, mut slave) = (0, 0);
        let null = std::ptr::null_mut();
        // SAFETY: two live variables; no name and no settings are asked for.
        let made =
            unsafe { libc::openpty(&mut master, &mut slave, null, null.cast(), null.cast()) };
        assert_eq!(made, 0);
        // SAFETY: two new descriptors that nobody else owns.
        let (master, slave) =
            unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
        make_raw(slave.as_fd()).expect("a terminal");
        let bytes: Vec<u8> = (0..=255).collect();
        // Open to the end: a terminal whose other side is closed is hung up.
        let mut master = std::fs::File::from(master);
        master.write_all(&bytes).expect("written");
        let mut found = vec![0; 256];
        std::fs::File::from(slave).read_exact(&mut found).expect("read");
        assert_eq!(found, bytes);
    }

    #[test]
    fn a_file_is_no_terminal_and_a_bad_mount_is_refused() {
        let file = tempfile::tempfile().expect("a file");
        assert_eq!(make_raw(file.as_fd()), Err(Errno(libc::ENOTTY)));
        assert_eq!(drain(file.as_fd()), Err(Errno(libc::ENOTTY)));
        assert!(mount("no-such-file-system", "/nowhere").is_err());
        assert_eq!(mount("pr\0oc", "/proc"), Err(Errno(libc::EINVAL)));
    }
}
