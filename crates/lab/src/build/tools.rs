//! What a kernel build needs of this system.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::LabError;
use crate::kernels::apt::on_path;

/// Program and the Debian package that it is in.
const PROGRAMS: [(&str, &str); 6] = [
    ("make", "make"),
    ("gcc", "gcc"),
    ("flex", "flex"),
    ("bison", "bison"),
    ("bc", "bc"),
    ("patch", "patch"),
];

/// Header and the Debian package that it is in.
const HEADERS: [(&str, &str); 2] = [("gelf.h", "libelf-dev"), ("openssl/opensslv.h", "libssl-dev")];

/// Fails with all that is missing, and the command that gets it.
pub(super) fn require(source: &Path) -> Result<(), LabError> {
    let mut missing: Vec<(&str, &str)> =
        PROGRAMS.into_iter().filter(|(program, _)| !on_path(program)).collect();
    if source.is_file() {
        let name = source.to_string_lossy();
        for (ending, program, package) in
            [(".xz", "xz", "xz-utils"), (".zst", "zstd", "zstd"), ("", "tar", "tar")]
        {
            if name.ends_with(ending) && !on_path(program) {
                missing.push((program, package));
            }
        }
    }
    if on_path("gcc") {
        missing.extend(HEADERS.into_iter().filter(|(header, _)| !has_header(header)));
    }
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    let mut packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    if !on_path("gcc") {
        // Without a compiler nobody knows whether the headers are here; to install them twice is
        // nothing.
        packages.extend(HEADERS.map(|(_, package)| package));
    }
    Err(LabError::Missing {
        program: names.join(", "),
        what_for: "a kernel is built with it".to_string(),
        remedy: format!("on Debian: apt-get install {}", packages.join(" ")),
    })
}

fn has_header(header: &str) -> bool {
    let child = Command::new("gcc")
        .args(["-E", "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return false };
    if let Some(mut input) = child.stdin.take() {
        let _ = std::io::Write::write_all(&mut input, format!("#include <{header}>\n").as_bytes());
    }
    child.wait().is_ok_and(|status| status.success())
}
