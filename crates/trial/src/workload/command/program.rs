//! The program of a `command`: where it is, and whether a library can be preloaded into it.

use std::env;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use model::workload::command::Command as CommandSpec;
use thiserror::Error;

/// Why a program can't be started under the trial's conditions.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// The command has no word.
    #[error("command.argv is empty")]
    NoName,
    /// The file can't be executed.
    #[error("{} is no program that can be executed", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The file is not there.
    #[error("the program {} is not there: {reason}", path.display())]
    NotThere {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        reason: String,
    },
    /// No folder of PATH has the program.
    #[error("the program {name} is not installed: no folder of PATH ({path}) has it")]
    NotInstalled {
        /// The program's name.
        name: String,
        /// The folders that were searched.
        path: String,
    },
    /// The file can't be looked at.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        reason: String,
    },
    /// The loader preloads nothing into the program.
    #[error(
        "the hash of {} can't be set: it is {why}, so nothing is preloaded into it; only `auto` is possible",
        path.display()
    )]
    NoPreload {
        /// The file.
        path: PathBuf,
        /// What it is.
        why: &'static str,
    },
}

/// The program's file: as exec would find it, so that it can be looked at before it is started.
pub fn find(command: &CommandSpec) -> Result<PathBuf, ProgramError> {
    let Some(name) = command.argv.first() else { return Err(ProgramError::NoName) };
    let folder = command.folder.as_deref().map_or(Path::new(""), Path::new);
    if name.contains('/') {
        let path = folder.join(name);
        return match fs::metadata(&path) {
            Ok(meta) if is_program(&meta) => absolute(path),
            Ok(_) => Err(ProgramError::NotExecutable { path }),
            Err(error) => Err(ProgramError::NotThere { path, reason: error.to_string() }),
        };
    }
    // The command's own PATH, if it sets one.
    let own =
        command.env.iter().rev().find(|(key, _)| key == "PATH").map(|(_, value)| value.into());
    let search = own.or_else(|| env::var_os("PATH")).unwrap_or_default();
    let found = env::split_paths(&search)
        .map(|place| folder.join(place).join(name))
        .find(|path| fs::metadata(path).is_ok_and(|meta| is_program(&meta)));
    match found {
        Some(path) => absolute(path),
        None => Err(ProgramError::NotInstalled {
            name: name.clone(),
            path: search.to_string_lossy().into_owned(),
        }),
    }
}

/// The child changes to its folder before it executes the program.
fn absolute(path: PathBuf) -> Result<PathBuf, ProgramError> {
    let unreadable = |error: std::io::Error| ProgramError::Unreadable {
        path: path.clone(),
        reason: error.to_string(),
    };
    std::path::absolute(&path).map_err(unreadable)
}

fn is_program(meta: &fs::Metadata) -> bool {
    meta.is_file() && meta.permissions().mode() & 0o111 != 0
}

/// Refuses a program that the loader preloads nothing into: the report from inside would be
/// missing in the end; this says why before it is run.
pub fn can_be_preloaded(path: &Path) -> Result<(), ProgramError> {
    const SET_UID_OR_GID: u32 = 0o6000;
    let refuse = |why| Err(ProgramError::NoPreload { path: path.to_path_buf(), why });
    let meta = fs::metadata(path).map_err(|error| ProgramError::Unreadable {
        path: path.to_path_buf(),
        reason: error.to_string(),
    })?;
    if meta.mode() & SET_UID_OR_GID != 0 {
        return refuse("set-uid or set-gid");
    }
    match is_static(path) {
        Ok(true) => refuse("statically linked"),
        // What can't be read, or is no ELF file (a script), is decided by what it reports.
        Ok(false) | Err(_) => Ok(()),
    }
}

/// Whether a file is an ELF program that asks for no loader (no PT_INTERP).
fn is_static(path: &Path) -> std::io::Result<bool> {
    const PT_INTERP: u64 = 3;
    let mut file = File::open(path)?;
    let mut header = [0u8; 64];
    let read = file.read(&mut header)?;
    if read < 52 || !header.starts_with(b"\x7fELF") {
        return Ok(false);
    }
    let wide = header[4] == 2;
    let big_endian = header[5] == 2;
    let number = |bytes: &[u8]| {
        let step = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        if big_endian { bytes.iter().fold(0, step) } else { bytes.iter().rev().fold(0, step) }
    };
    // e_phoff, e_phentsize, e_phnum of elf(5).
    let (at, size, count) = if wide {
        (number(&header[32..40]), number(&header[54..56]), number(&header[56..58]))
    } else {
        (number(&header[28..32]), number(&header[42..44]), number(&header[44..46]))
    };
    for entry in 0..count {
        file.seek(SeekFrom::Start(at.saturating_add(entry.saturating_mul(size))))?;
        let mut kind = [0u8; 4];
        file.read_exact(&mut kind)?;
        if number(&kind) == PT_INTERP {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::throughput::Throughput;
    use model::workload::command::Better;

    fn command(program: &str) -> CommandSpec {
        CommandSpec {
            argv: vec![program.into()],
            env: Vec::new(),
            folder: None,
            throughput: Some(Throughput::Regex("([0-9]+)".into())),
            metrics: Default::default(),
            unit: "1/s".into(),
            better: Better::Higher,
            mops_per_unit: None,
            per_thread: false,
        }
    }

    #[test]
    fn a_name_is_looked_for_in_path_and_a_path_is_not() {
        assert!(find(&command("sh")).expect("a shell").ends_with("sh"));
        assert_eq!(find(&command("/bin/sh")), Ok(PathBuf::from("/bin/sh")));
        let error = find(&command("no-such-program")).expect_err("not there").to_string();
        assert!(error.contains("no-such-program is not installed"), "{error}");
        assert!(
            find(&command("/etc/passwd")).expect_err("no program").to_string().contains("executed")
        );
        assert!(
            find(&command("/no/such")).expect_err("not there").to_string().contains("/no/such")
        );
        let mut own = command("sh");
        own.env.push(("PATH".into(), "/nowhere".into()));
        assert!(find(&own).expect_err("not in it").to_string().contains("/nowhere"));
    }

    #[test]
    fn a_program_of_the_system_has_a_loader_and_a_script_is_no_elf_file() {
        assert_eq!(can_be_preloaded(Path::new("/proc/self/exe")), Ok(()));
        assert!(!is_static(Path::new("/proc/self/exe")).expect("readable"));
        assert!(!is_static(Path::new("/etc/passwd")).expect("readable"));
        // The least static program: a header of 64 bytes without any program header.
        let path = env::temp_dir().join(format!("stallscope-static-{}", std::process::id()));
        let mut header = [0u8; 64];
        header[..6].copy_from_slice(b"\x7fELF\x02\x01");
        fs::write(&path, header).expect("written");
        let answer = can_be_preloaded(&path);
        fs::remove_file(&path).expect("removed");
        assert!(answer.expect_err("static").to_string().contains("statically linked"));
    }
}
