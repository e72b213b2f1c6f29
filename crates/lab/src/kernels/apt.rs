//! apt with a state of its own: sources, lists, cache and status are below the lab's cache, so the
//! system's apt is neither read for packages nor changed. apt checks the archive's signature over
//! the index, and by the index the hash of what it downloads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::cache::write_whole;
use crate::error::LabError;
use crate::kernels::archive::Archive;

/// apt, with its state below a folder.
#[derive(Debug)]
pub struct Apt {
    folder: PathBuf,
}

impl Apt {
    /// Sets the folder up for `archive`.
    pub fn at(folder: &Path, archive: &Archive) -> Result<Apt, LabError> {
        for needed in ["apt-get", "apt-cache", "dpkg-deb"] {
            if !on_path(needed) {
                return Err(LabError::Missing {
                    program: needed.to_string(),
                    what_for: "kernels are fetched from a Debian archive by apt".to_string(),
                    remedy: "on Debian and Ubuntu it is in the packages apt and dpkg".to_string(),
                });
            }
        }
        for part in ["lists/partial", "cache/archives/partial"] {
            let part = folder.join(part);
            fs::create_dir_all(&part).map_err(|error| LabError::file("making", &part, &error))?;
        }
        let sources = archive.sources();
        let path = folder.join("debian.sources");
        if fs::read_to_string(&path).ok().as_deref() != Some(sources.as_str()) {
            write_whole(&path, sources.as_bytes())?;
        }
        write_whole(&folder.join("status"), b"")?;
        write_whole(&folder.join("apt.conf"), configuration(folder).as_bytes())?;
        Ok(Apt { folder: folder.to_path_buf() })
    }

    /// Fetches the suites' indices.
    pub fn update(&self) -> Result<(), LabError> {
        let mut command = self.command("apt-get");
        // A suite that can't be had is an error, not a shorter list.
        command.args(["-qq", "-o", "APT::Update::Error-Mode=any", "update"]);
        output("fetching the indices of the Debian archive", &mut command).map(drop)
    }

    /// The stanzas of all versions of the packages whose names match `pattern`.
    pub fn stanzas(&self, pattern: &str) -> Result<String, LabError> {
        let doing = "reading the indices of the Debian archive";
        let mut search = self.command("apt-cache");
        search.args(["search", "--names-only", pattern]);
        let found = output(doing, &mut search)?;
        let names: Vec<&str> =
            found.lines().filter_map(|line| line.split_whitespace().next()).collect();
        if names.is_empty() {
            return Ok(String::new());
        }
        let mut show = self.command("apt-cache");
        show.args(["show", "--all-versions"]).args(names);
        output(doing, &mut show)
    }

    /// Downloads one version of a package into `folder`; `watch` is called a few times a second
    /// with the bytes that are there.
    pub fn download(
        &self,
        package: &str,
        version: &str,
        folder: &Path,
        watch: &mut dyn FnMut(u64),
    ) -> Result<PathBuf, LabError> {
        let doing = format!("downloading {package} {version}");
        let said = folder.join("apt.said");
        let file =
            fs::File::create(&said).map_err(|error| LabError::file("writing", &said, &error))?;
        let mut command = self.command("apt-get");
        command.args(["-qq", "download", &format!("{package}={version}")]).current_dir(folder);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file)
            .spawn()
            .map_err(|error| LabError::file("starting", "apt-get", &error))?;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => return Err(LabError::file("waiting for", "apt-get", &error)),
            }
            watch(package_file(folder).map_or(0, |(_, size)| size));
            std::thread::sleep(Duration::from_millis(200));
        };
        let said = fs::read(&said).unwrap_or_default();
        if !status.success() {
            return Err(failed(doing, &status.to_string(), &said));
        }
        let Some((file, size)) = package_file(folder) else {
            return Err(failed(doing, "no file was written", &said));
        };
        watch(size);
        Ok(file)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // `-c` is read after /etc/apt, so it wins; APT_CONFIG would be read before.
        command.arg("-c").arg(self.folder.join("apt.conf")).env("LC_ALL", "C.UTF-8");
        command
    }
}

/// Everything that apt would otherwise read from or write to the system's folders, except its
/// proxies and credentials. The system's hooks on an update belong to the system's own lists.
fn configuration(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "Dir::State \"{folder}\";\n\
         Dir::State::lists \"{folder}/lists\";\n\
         Dir::State::status \"{folder}/status\";\n\
         Dir::Cache \"{folder}/cache\";\n\
         Dir::Cache::archives \"{folder}/cache/archives\";\n\
         Dir::Cache::srcpkgcache \"srcpkgcache.bin\";\n\
         Dir::Cache::pkgcache \"pkgcache.bin\";\n\
         Dir::Etc::sourcelist \"{folder}/debian.sources\";\n\
         Dir::Etc::sourceparts \"/dev/null\";\n\
         Dir::Etc::preferences \"/dev/null\";\n\
         Dir::Etc::preferencesparts \"/dev/null\";\n\
         APT::Architecture \"amd64\";\n\
         #clear APT::Architectures;\n\
         APT::Architectures {{ \"amd64\"; }};\n\
         Acquire::Languages \"none\";\n\
         #clear Acquire::IndexTargets::deb::DEP-11;\n\
         #clear Acquire::IndexTargets::deb::Contents-deb;\n\
         #clear APT::Update::Pre-Invoke;\n\
         #clear APT::Update::Post-Invoke;\n\
         #clear APT::Update::Post-Invoke-Success;\n\
         // Root's home is closed to the user that root's apt would download as.\n\
         APT::Sandbox::User \"root\";\n"
    )
}

/// The .deb in a folder, and its size.
fn package_file(folder: &Path) -> Option<(PathBuf, u64)> {
    fs::read_dir(folder).ok()?.filter_map(Result::ok).find_map(|entry| {
        let path = entry.path();
        let is_package = path.extension().is_some_and(|extension| extension == "deb");
        is_package.then(|| Some((path, entry.metadata().ok()?.len()))).flatten()
    })
}

/// Whether a program is on the search path.
pub(crate) fn on_path(program: &str) -> bool {
    find_on_path(program).is_some()
}

/// Where a program is on the search path.
pub(crate) fn find_on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Runs a program to its end and gives what it printed.
pub(crate) fn output(doing: &str, command: &mut Command) -> Result<String, LabError> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| LabError::file("starting", command.get_program(), &error))?;
    if !output.status.success() {
        return Err(failed(doing.to_string(), &output.status.to_string(), &output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The error of a program, with the end of what it said on one line.
pub(crate) fn failed(doing: String, ended: &str, said: &[u8]) -> LabError {
    let said = String::from_utf8_lossy(said);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(6)..).unwrap_or_default().join(" | ");
    let said = if last.is_empty() { "it said nothing".to_string() } else { last };
    LabError::Program { doing, ended: ended.to_string(), said }
}
