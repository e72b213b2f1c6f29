//! Files in memory, without a name: no full disk and no other user gets between who writes and who reads.

use std::fs::File;
use std::io::Write;
use std::os::fd::{FromRawFd, OwnedFd};

use crate::errno::Errno;

/// A new file that every writer appends to, whoever opens it again.
///
/// # Errors
/// What memfd_create(2) refuses with.
pub fn appended() -> Result<File, Errno> {
    let name = c"stallscope";
    // SAFETY: reads a live text that ends with a zero.
    let fd = Errno::check(unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) })?;
    // SAFETY: a new descriptor that nobody else owns.
    let file = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: takes numbers, touches no memory of ours.
    Errno::check(unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_APPEND) })?;
    Ok(File::from(file))
}

/// A new file of these bytes, which can be written to and whose size can't be changed.
///
/// # Errors
/// What memfd_create(2), write(2) or fcntl(2) refuses with.
pub fn of_fixed_size(bytes: &[u8]) -> Result<File, Errno> {
    let name = c"stallscope";
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: reads a live text that ends with a zero.
    let fd = Errno::check(unsafe { libc::memfd_create(name.as_ptr(), flags) })?;
    // SAFETY: a new descriptor that nobody else owns.
    let mut file = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
    file.write_all(bytes).map_err(|error| Errno::of(&error).unwrap_or(Errno(libc::EIO)))?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: takes numbers, touches no memory of ours.
    Errno::check(unsafe { libc::fcntl(fd, libc::F_ADD_SEALS, seals) })?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, SeekFrom};

    use super::*;

    #[test]
    fn what_two_write_stands_one_behind_the_other() {
        let mut file = appended().expect("a file");
        let mut other = file.try_clone().expect("a copy");
        file.write_all(b"one ").expect("written");
        file.seek(SeekFrom::Start(0)).expect("there");
        other.write_all(b"two").expect("written");
        let mut text = String::new();
        file.seek(SeekFrom::Start(0)).expect("there");
        file.read_to_string(&mut text).expect("read");
        assert_eq!(text, "one two");
    }
}
