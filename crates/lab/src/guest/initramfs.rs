//! The guest's root: `race-trial` as its init, the shared libraries that it needs, and nothing
//! else. The same program, byte for byte, that does the trials of this machine.
//!
//! The archive is a "newc" cpio (Documentation/driver-api/early-userspace/buffer-format.rst), not
//! compressed: the kernel copies a few megabytes faster than it unpacks them under emulation.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::elf::{Elf, PT_INTERP};
use crate::error::LabError;
use crate::kernels::apt::output;

/// Where the program is in the guest.
pub const PROGRAM: &str = "/race-trial";
/// Where its libraries are; the guest's `LD_LIBRARY_PATH`.
pub const LIBRARIES: &str = "/lib/stallscope";

const FOLDER: u32 = 0o040_755;
const EXECUTABLE: u32 = 0o100_755;

/// Puts `program` and what it needs into an archive.
pub fn build(program: &Path) -> Result<Vec<u8>, LabError> {
    let read =
        |path: &Path| fs::read(path).map_err(|error| LabError::file("reading", path, &error));
    let mut archive = Archive::default();
    archive.file(PROGRAM, &read(program)?);
    if let Some(interpreter) = interpreter(program)? {
        archive.file(&interpreter.display().to_string(), &read(&interpreter)?);
        for (name, path) in libraries(program, &interpreter)? {
            archive.file(&format!("{LIBRARIES}/{name}"), &read(&path)?);
        }
    }
    Ok(archive.finish())
}

/// The program interpreter that a program names; `None` for a static one.
fn interpreter(program: &Path) -> Result<Option<PathBuf>, LabError> {
    let failed = |error: &std::io::Error| LabError::file("reading", program, error);
    let mut file = File::open(program).map_err(|error| failed(&error))?;
    let Some(elf) = Elf::read(&mut file).map_err(|error| failed(&error))? else {
        return Ok(None);
    };
    let segments = elf.segments(&mut file, PT_INTERP).map_err(|error| failed(&error))?;
    Ok(segments.first().map(|bytes| {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        PathBuf::from(String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned())
    }))
}

/// What the interpreter itself loads for the program: its own answer, so no rule of its search is
/// written down here again. glibc and musl both take `--list`.
fn libraries(program: &Path, interpreter: &Path) -> Result<Vec<(String, PathBuf)>, LabError> {
    let mut command = Command::new(interpreter);
    command.arg("--list").arg(program);
    let said = output("asking the dynamic loader for the trial's libraries", &mut command)?;
    Ok(said.lines().filter_map(library).collect())
}

/// From `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f…)`.
fn library(line: &str) -> Option<(String, PathBuf)> {
    let (name, rest) = line.trim().split_once(" => ")?;
    let path = rest.rsplit_once(" (").map_or(rest, |(path, _)| path).trim();
    (path.starts_with('/') && !name.contains('/')).then(|| (name.to_string(), path.into()))
}

#[derive(Debug, Default)]
struct Archive {
    bytes: Vec<u8>,
    inode: u32,
    folders: Vec<String>,
}

impl Archive {
    /// Adds a file, and the folders on its way.
    fn file(&mut self, path: &str, bytes: &[u8]) {
        let path = path.trim_start_matches('/');
        let folders: Vec<String> = path
            .match_indices('/')
            .filter_map(|(at, _)| Some(path.get(..at)?.to_string()))
            .collect();
        for folder in folders {
            if !self.folders.contains(&folder) {
                self.entry(&folder, FOLDER, &[]);
                self.folders.push(folder);
            }
        }
        self.entry(path, EXECUTABLE, bytes);
    }

    fn finish(mut self) -> Vec<u8> {
        self.inode = u32::MAX;
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, bytes: &[u8]) {
        self.inode = self.inode.wrapping_add(1);
        // A file of 4 GiB or more can't stand in this format; none here is near it.
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let name_size = u32::try_from(name.len() + 1).unwrap_or(u32::MAX);
        // inode, mode, uid, gid, links, mtime, size, device and its minor, the device that it is
        // and its minor, the name's size with its NUL, a checksum that this magic doesn't use.
        let fields = [self.inode, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(bytes);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_before_their_files_and_once() {
        let mut archive = Archive::default();
        archive.file("/lib64/ld.so", b"loader");
        archive.file("/lib64/libc.so", b"c");
        let bytes = archive.finish();
        assert_eq!(bytes.len() % 4, 0);
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(text.matches("lib64\0").count(), 1);
        assert!(text.find("lib64\0") < text.find("lib64/ld.so\0"));
        assert!(text.contains("TRAILER!!!\0"));
        assert_eq!(text.matches("070701").count(), 4);
    }

    #[test]
    fn a_program_brings_the_libraries_that_its_loader_names() {
        let program = std::env::current_exe().unwrap();
        let interpreter = interpreter(&program).unwrap().unwrap();
        let names: Vec<String> =
            libraries(&program, &interpreter).unwrap().into_iter().map(|(name, _)| name).collect();
        assert!(names.iter().any(|name| name.starts_with("libc.")), "{names:?}");
        let archive = build(&program).unwrap();
        let text = String::from_utf8_lossy(&archive);
        assert!(text.contains("lib/stallscope/libc."));
        assert!(
            text.contains(&format!(
                "{}\0",
                interpreter.display().to_string().trim_start_matches('/')
            ))
        );
    }

    #[test]
    fn lines_of_the_loader_that_name_no_file_are_passed_over() {
        assert_eq!(library("\tlinux-vdso.so.1 (0x00007fff)"), None);
        assert_eq!(library("\tlibx.so => not found"), None);
        assert_eq!(library("\t/lib64/ld-linux-x86-64.so.2 (0x1)"), None);
        assert_eq!(
            library("\tlibm.so.6 => /usr/lib/libm.so.6 (0x1)"),
            Some(("libm.so.6".into(), "/usr/lib/libm.so.6".into()))
        );
    }
}
