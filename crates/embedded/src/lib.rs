//! The programs that the runner starts, inside the runner: `race-trial`, and the library that sets
//! the private hash of a program that is not ours.
//!
//! [`lay`] puts one into a file without a name, so that what runs is what this build holds: nobody can
//! have put another file, or a link, in its place, and nothing is left behind. It is reached by its
//! descriptor, for as long as this process lives.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, MemfdFlags, SealFlags, accessat, fcntl_add_seals, memfd_create};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// A program that can be started. It is there for as long as this is held.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    /// Only read from: a file that somebody may write to can't be executed.
    _file: File,
}

impl Program {
    /// Where any process of this user finds it while this process lives.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// No place is left that a program may be started from.
#[derive(Debug, thiserror::Error)]
#[error("the program {name} can't be laid out in a file that may be executed: {}", tried.join("; "))]
pub struct Nowhere {
    name: String,
    /// Each place with the system's answer.
    tried: Vec<String>,
}

/// Lays `bytes` out as an executable file: in memory, or where the system forbids that, in the temporary
/// folder, the user's cache or `/dev/shm`.
///
/// # Errors
/// When all of them are refused, as by `noexec` mounts.
pub fn lay(name: &str, bytes: &[u8]) -> Result<Program, Nowhere> {
    let variable =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let mut folders = vec![std::env::temp_dir()];
    folders.extend(variable("XDG_CACHE_HOME"));
    folders.extend(variable("HOME").map(|home| home.join(".cache")));
    folders.push(PathBuf::from("/dev/shm"));
    let mut tried = Vec::new();
    match in_memory(name, bytes) {
        Ok(program) => return Ok(program),
        Err(error) => tried.push(format!("memory: {error}")),
    }
    for folder in folders {
        match in_folder(&folder, bytes) {
            Ok(program) => return Ok(program),
            Err(error) => tried.push(format!("{}: {error}", folder.display())),
        }
    }
    Err(Nowhere { name: name.to_string(), tried })
}

fn in_memory(name: &str, bytes: &[u8]) -> io::Result<Program> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Kernels before 6.3 know no other than executable ones, and refuse the flag.
    let file = memfd_create(name, flags | MemfdFlags::EXEC).or_else(|errno| match errno {
        rustix::io::Errno::INVAL => memfd_create(name, flags),
        errno => Err(errno),
    })?;
    let mut file = File::from(file);
    file.write_all(bytes)?;
    fcntl_add_seals(
        &file,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )?;
    executable(file)
}

fn in_folder(folder: &Path, bytes: &[u8]) -> io::Result<Program> {
    let mut file = tempfile::tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.set_permissions(Permissions::from_mode(0o500))?;
    executable(file)
}

/// Opens a file without a name again, to read it only.
fn executable(written: File) -> io::Result<Program> {
    let file = File::open(format!("/proc/self/fd/{}", written.as_raw_fd()))?;
    drop(written);
    let path = PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
    // Refused on a `noexec` mount.
    accessat(rustix::fs::CWD, &path, Access::EXEC_OK, rustix::fs::AtFlags::empty())?;
    Ok(Program { path, _file: file })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_is_laid_runs_and_can_not_be_changed() {
        let shell = std::fs::read("/bin/sh").expect("a shell");
        let folder = tempfile::tempdir().expect("a folder");
        for program in [in_memory("sh", &shell), in_folder(folder.path(), &shell)] {
            let program = program.expect("laid");
            assert_eq!(std::fs::read(program.path()).expect("read"), shell);
            let said = Command::new(program.path()).args(["-c", "echo $0"]).arg("x").output();
            assert_eq!(said.expect("started").stdout, b"x\n");
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 0, "it has no name");
        let program = in_memory("sh", &shell).expect("laid");
        assert!(std::fs::write(program.path(), b"another").is_err(), "it is sealed");
    }

    #[test]
    fn where_nothing_may_be_executed_is_said_with_the_answer() {
        // A process file system holds no files of ours.
        let error = in_folder(Path::new("/proc"), b"x").expect_err("refused").to_string();
        let nowhere = Nowhere { name: "race-trial".into(), tried: vec![format!("/proc: {error}")] };
        assert!(
            nowhere.to_string().contains("race-trial") && nowhere.to_string().contains("/proc:")
        );
    }

    #[test]
    fn the_programs_are_for_this_system() {
        for program in [RACE_TRIAL, PRELOAD] {
            assert!(program.starts_with(b"\x7fELF"), "an ELF file");
        }
    }
}
