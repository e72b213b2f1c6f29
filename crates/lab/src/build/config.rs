//! The configuration: allnoconfig with what a guest needs set over it.

use std::fs;

use super::make::Make;
use crate::cache::write_whole;
use crate::error::LabError;

const NEEDED: &str = include_str!("../../kernel-config");
const DEBUG: &str = include_str!("../../kernel-config-debug");

/// Without these a guest can't be talked to; a source that doesn't take them is no use here.
const INDISPENSABLE: [&str; 7] = [
    "CONFIG_64BIT=y",
    "CONFIG_SMP=y",
    "CONFIG_SERIAL_8250_CONSOLE=y",
    "CONFIG_BLK_DEV_INITRD=y",
    "CONFIG_BINFMT_ELF=y",
    "CONFIG_PROC_FS=y",
    "CONFIG_FUTEX=y",
];

/// Configures, unless it is configured so already; returns the settings that the source did not
/// take.
pub(super) fn configure(make: &Make<'_>, debug: bool) -> Result<Vec<String>, LabError> {
    let wanted = if debug { format!("{NEEDED}\n{DEBUG}") } else { NEEDED.to_string() };
    let objects = make.objects;
    fs::create_dir_all(objects).map_err(|error| LabError::file("making", objects, &error))?;
    let (asked, config) = (objects.join("lab-config"), objects.join(".config"));
    if fs::read_to_string(&asked).ok().as_deref() != Some(&wanted) || !config.exists() {
        write_whole(&asked, wanted.as_bytes())?;
        make.target("allnoconfig", Some(&asked))?;
    } else {
        // A patch may have brought new symbols: they get their defaults, and nobody is asked.
        make.target("olddefconfig", None)?;
    }
    let got =
        fs::read_to_string(&config).map_err(|error| LabError::file("reading", &config, &error))?;
    let missing = not_taken(&wanted, &got);
    match missing.iter().find(|line| INDISPENSABLE.contains(&line.as_str())) {
        Some(line) => Err(LabError::Shape(format!(
            "this source does not take {line}, without which no guest can run; is it a Linux of the last ten years, for x86-64?"
        ))),
        None => Ok(missing),
    }
}

/// The settings of `wanted` that are not so in `got`.
fn not_taken(wanted: &str, got: &str) -> Vec<String> {
    let is_set = |line: &str| got.lines().any(|there| there == line);
    wanted
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("CONFIG_"))
        .filter(|line| match line.strip_suffix("=n") {
            Some(name) => got.lines().any(|there| there.starts_with(&format!("{name}="))),
            None => !is_set(line),
        })
        .map(str::to_string)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_was_not_taken_is_told() {
        let got = "CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=m\nCONFIG_D=y\n";
        let wanted = "# words\nCONFIG_A=y\nCONFIG_B=y\nCONFIG_C=n\nCONFIG_B=n\nCONFIG_D=8\n";
        assert_eq!(not_taken(wanted, got), ["CONFIG_B=y", "CONFIG_C=n", "CONFIG_D=8"]);
    }

    #[test]
    fn what_is_indispensable_is_asked_for() {
        for line in INDISPENSABLE {
            assert!(NEEDED.lines().any(|there| there == line), "{line}");
        }
    }
}
