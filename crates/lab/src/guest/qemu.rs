//! Finds QEMU and tells its version.

use std::path::PathBuf;
use std::process::Command;

use crate::error::LabError;
use crate::kernels::apt::{find_on_path, output};

/// The program.
const PROGRAM: &str = "qemu-system-x86_64";

/// The variable that names another program instead.
pub const VARIABLE: &str = "STALLSCOPE_QEMU";

/// A QEMU for x86-64 guests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qemu {
    /// The program.
    pub program: PathBuf,
    /// Arguments that come first, from the variable.
    pub arguments: Vec<String>,
    /// Its version.
    pub version: (u32, u32, u32),
}

impl Qemu {
    /// The one on the search path, or the one that `STALLSCOPE_QEMU` names (with arguments, as
    /// `-L DIR` for one that is not installed).
    pub fn find() -> Result<Qemu, LabError> {
        let named = std::env::var(VARIABLE).ok().filter(|text| !text.trim().is_empty());
        let mut words = named.iter().flat_map(|text| text.split_whitespace());
        let program = match words.next() {
            Some(program) => PathBuf::from(program),
            None => find_on_path(PROGRAM).ok_or_else(missing)?,
        };
        let arguments: Vec<String> = words.map(str::to_string).collect();
        // With the arguments, so that one which it refuses is told now and not at each boot.
        let said = output(
            "asking QEMU for its version",
            Command::new(&program).args(&arguments).arg("--version"),
        )
        .map_err(|error| blame(named.as_deref(), &error.to_string()).unwrap_or(error))?;
        let version = version(&said).ok_or_else(|| {
            let first = said.lines().next().unwrap_or_default();
            let problem = format!("{} is no QEMU: {first:?} has no version", program.display());
            blame(named.as_deref(), &problem).unwrap_or(LabError::Shape(problem))
        })?;
        Ok(Qemu { program, arguments, version })
    }

    /// Whether a CPU may go on executing an instruction that another CPU has already replaced: so
    /// up to 8.0, where a block is translated while its page is written to.
    pub fn executes_stale_code(&self) -> bool {
        self.version < (8, 1, 0)
    }
}

/// The error where the variable named what failed.
fn blame(named: Option<&str>, problem: &str) -> Option<LabError> {
    let text = named?;
    Some(LabError::Shape(format!(
        "{VARIABLE}={text:?}: {problem}; accepted is the path of a {PROGRAM}, with arguments that \
         come first; unset, the one on PATH is taken"
    )))
}

fn missing() -> LabError {
    LabError::Missing {
        program: PROGRAM.to_string(),
        what_for: "the lab runs kernels in it".to_string(),
        remedy: format!(
            "on Debian and Ubuntu: apt-get install qemu-system-x86; elsewhere the package with \
             {PROGRAM}, version 7.2 or later; one that is not on PATH is named by {VARIABLE}"
        ),
    }
}

/// From `QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)`.
fn version(said: &str) -> Option<(u32, u32, u32)> {
    let text = said.split_once("version ")?.1;
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let mut numbers = text.get(..end)?.split('.').map(|number| number.parse::<u32>().ok());
    Some((numbers.next()??, numbers.next()??, numbers.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_distributions_print_them() {
        for (said, expected) in [
            ("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\n", Some((7, 2, 22))),
            ("QEMU emulator version 10.0.2\n", Some((10, 0, 2))),
            ("QEMU emulator version 9.1 (v9.1.0-rc2)\n", Some((9, 1, 0))),
            ("QEMU emulator version x\n", None),
            ("", None),
        ] {
            assert_eq!(version(said), expected);
        }
    }
}
