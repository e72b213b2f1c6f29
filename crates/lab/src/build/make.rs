//! The kernel's `make`, with its objects beside the tree and what it says in a log.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Step, tail};
use crate::error::LabError;

/// Where to build.
pub(super) struct Make<'a> {
    pub tree: &'a Path,
    pub objects: &'a Path,
    pub name: &'a str,
}

impl Make<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new("make");
        command
            .current_dir(self.tree)
            .arg("ARCH=x86_64")
            .arg(format!("O={}", self.objects.display()))
            // What `uname -r` ends in: a console and a crash tell which kernel it is.
            .arg(format!("LOCALVERSION=-{}", self.name))
            .env("KBUILD_BUILD_USER", "stallscope")
            .env("KBUILD_BUILD_HOST", "lab")
            .env("LC_ALL", "C")
            .env_remove("MAKEFLAGS")
            .stdin(Stdio::null());
        command
    }

    /// A short target; `allnoconfig` sets the file over all that is off.
    pub fn target(&self, target: &str, over: Option<&Path>) -> Result<(), LabError> {
        let mut command = self.command();
        command.arg("-s").arg(target);
        if let Some(over) = over {
            command.env("KCONFIG_ALLCONFIG", over);
        }
        let output =
            command.output().map_err(|error| LabError::file("starting", "make", &error))?;
        if output.status.success() {
            return Ok(());
        }
        let mut said = output.stdout;
        said.extend_from_slice(&output.stderr);
        Err(LabError::Shape(format!("make {target} failed:\n  {}", tail(&said, 8))))
    }

    /// Builds the image and returns its path.
    pub fn image(&self, jobs: usize, say: &mut dyn FnMut(Step)) -> Result<PathBuf, LabError> {
        let log = self.objects.join("build.log");
        let file = File::create(&log).map_err(|error| LabError::file("writing", &log, &error))?;
        let twin = file.try_clone().map_err(|error| LabError::file("writing", &log, &error))?;
        let mut command = self.command();
        command.arg(format!("-j{}", jobs.max(1))).arg("bzImage").stdout(file).stderr(twin);
        // Its compilers go when we go.
        kernel_abi::process::Setup::default().apply(&mut command);
        let mut child =
            command.spawn().map_err(|error| LabError::file("starting", "make", &error))?;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => return Err(LabError::file("waiting for", "make", &error)),
            }
            say(Step::Compiled(compiled(&log), log.clone()));
            std::thread::sleep(Duration::from_millis(500));
        };
        if !status.success() {
            return Err(LabError::Shape(format!(
                "the kernel does not compile:\n  {}\nAll of it is in {}",
                first_errors(&fs::read(&log).unwrap_or_default()),
                log.display()
            )));
        }
        Ok(self.objects.join("arch/x86/boot/bzImage"))
    }
}

/// How many files the log says were compiled.
fn compiled(log: &Path) -> usize {
    let text = fs::read(log).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().filter(|line| line.starts_with("  CC ")).count()
}

/// The compiler's errors, else the last lines.
fn first_errors(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    let errors: Vec<&str> = text.lines().filter(|line| line.contains("error:")).take(5).collect();
    if errors.is_empty() { tail(log, 8) } else { errors.join("\n  ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compilers_errors_come_before_makes() {
        let log = b"  CC      kernel/futex/core.o\nkernel/futex/core.c:12:3: error: expected ';'\nmake[3]: *** Error 1\n";
        assert_eq!(first_errors(log), "kernel/futex/core.c:12:3: error: expected ';'");
        assert_eq!(first_errors(b"a\nb\n"), "a\n  b");
    }
}
