//! Writes a file whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a new file beside `file`, syncs it, and renames it over `file`: who reads it, also after a
/// crash, has the old one or the new one.
pub fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut next = file.as_os_str().to_owned();
    next.push(".next");
    let next = Path::new(&next);
    let written = || -> io::Result<()> {
        // A file of that name may be a link: it is not written through.
        match fs::remove_file(next) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut out = File::create_new(next)?;
        out.write_all(bytes)?;
        out.sync_all()?;
        fs::rename(next, file)
    };
    written().inspect_err(|_| drop(fs::remove_file(next)))?;
    match file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_written_leaves_the_old_file_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cells.csv");
        write(&file, b"one").unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", folder.path().join("cells.csv.next"))
            .unwrap();
        write(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        fs::create_dir(folder.path().join("taken.csv")).unwrap();
        assert!(write(&folder.path().join("taken.csv"), b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
