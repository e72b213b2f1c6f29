//! `--install`: gets the programs that the lab lacks, by apt.

use std::io;
use std::process::{Command, Stdio};

use crate::cmd::run::say;
use crate::failure::Failure;
use crate::programs::{self, Family, Wanted};
use crate::words::counted;

/// What the lab needs and this machine lacks.
pub fn missing_for_the_lab() -> Vec<Wanted> {
    let qemu_is_named = std::env::var_os(lab::guest::qemu::VARIABLE).is_some();
    programs::wanted(std::env::consts::ARCH)
        .into_iter()
        .filter(|wanted| {
            wanted.is_for_the_lab && !(qemu_is_named && wanted.name.starts_with("qemu"))
        })
        .filter(|wanted| !programs::is_on_path(wanted.name))
        .collect()
}

/// Installs what the lab lacks, and says before what it does; nothing where all is there.
pub fn for_the_lab() -> Result<(), Failure> {
    let missing = missing_for_the_lab();
    if missing.is_empty() {
        return Ok(());
    }
    let is_root = programs::is_root();
    let family = Family::here();
    let packages: Vec<&str> = missing.iter().filter_map(|wanted| wanted.package(family)).collect();
    if !programs::is_on_path("apt-get") || !matches!(family, Some(Family::Debian | Family::Ubuntu))
    {
        let by_hand: Vec<String> =
            missing.iter().map(|wanted| programs::get(wanted, family, is_root)).collect();
        return Err(Failure::Request(format!(
            "--install installs by apt, and this system has no apt for its programs. Install {} by hand: {}",
            counted(missing.len() as u64, "program"),
            by_hand.join("; ")
        )));
    }
    let arguments = [["install", "-y", "--no-install-recommends"].as_slice(), &packages].concat();
    say(&format!("installing {}: {}", packages.join(", "), line(is_root, &arguments)));
    if !apt(is_root, &arguments)? {
        say(&format!("the lists of packages may be old: {}", line(is_root, &["update"])));
        let _ = apt(is_root, &["update"])?;
        if !apt(is_root, &arguments)? {
            return Err(Failure::Running(format!(
                "`{}` failed; what it said stands above",
                line(is_root, &arguments)
            )));
        }
    }
    Ok(())
}

fn line(is_root: bool, arguments: &[&str]) -> String {
    format!("{}apt-get {}", if is_root { "" } else { "sudo " }, arguments.join(" "))
}

/// Whether apt-get did it. What it says goes to standard error: results stand on standard output.
fn apt(is_root: bool, arguments: &[&str]) -> Result<bool, Failure> {
    let mut command = Command::new(if is_root { "apt-get" } else { "sudo" });
    if !is_root {
        command.arg("apt-get");
    }
    command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::inherit())
        .stdout(io::stderr())
        .status()
        .map(|status| status.success())
        .map_err(|error| {
            Failure::Running(format!("`{}` can't be started: {error}", line(is_root, arguments)))
        })
}
