//! What may be read as an input: a file of bounded length that does not make its reader wait for ever.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// The most bytes of a text that a user names: a log, a table, a mapping.
pub const MOST_BYTES: u64 = 256 << 20;

fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Without waiting for the other end of a pipe.
fn open_now(file: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(file)
}

/// Opens a file of a run, which is a regular file.
///
/// # Errors
/// It can't be opened, or is a folder, a pipe or a device.
pub fn regular(file: &Path) -> io::Result<File> {
    let opened = open_now(file)?;
    let kind = opened.metadata()?.file_type();
    let found = match () {
        () if kind.is_file() => return Ok(opened),
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () => "a device",
    };
    Err(refused(format!("it is {found}, and a regular file is needed")))
}

/// The text of a file that a user named.
///
/// # Errors
/// As [`named`]; the bytes are not UTF-8.
pub fn text(file: &Path) -> io::Result<String> {
    let bytes = named(file)?;
    String::from_utf8(bytes).map_err(|_| refused("it holds bytes that are not UTF-8".to_string()))
}

/// The bytes of a file that a user named, which may be a pipe: of one that nobody writes to, none.
///
/// # Errors
/// It can't be read, is a folder, or has more than [`MOST_BYTES`].
pub fn named(file: &Path) -> io::Result<Vec<u8>> {
    let opened = open_now(file)?;
    let kind = opened.metadata()?.file_type();
    if kind.is_dir() {
        return Err(refused("it is a folder, and a file of text is needed".to_string()));
    }
    let flags = fcntl_getfl(&opened)?;
    fcntl_setfl(&opened, flags.difference(OFlags::NONBLOCK))?;
    let bytes = bounded(opened)?;
    if bytes.is_empty() && kind.is_fifo() {
        return Err(refused("it is a pipe that nobody writes to".to_string()));
    }
    Ok(bytes)
}

/// All that a source gives.
///
/// # Errors
/// It can't be read, or gives more than [`MOST_BYTES`].
pub fn bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST_BYTES {
        true => Err(refused(format!("it has more than {} MiB", MOST_BYTES >> 20))),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_and_what_nobody_writes_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let says = |error: io::Error| error.to_string();
        assert_eq!(says(named(&pipe).unwrap_err()), "it is a pipe that nobody writes to");
        assert!(says(regular(&pipe).unwrap_err()).starts_with("it is a pipe, and a regular"));
        assert!(says(text(folder.path()).unwrap_err()).starts_with("it is a folder"));
        let zero = Path::new("/dev/zero");
        assert!(says(regular(zero).unwrap_err()).starts_with("it is a device"));
        assert_eq!(
            says(bounded(File::open(zero).unwrap()).unwrap_err()),
            "it has more than 256 MiB"
        );
        assert_eq!(named(Path::new("/dev/null")).unwrap().len(), 0);
    }
}
