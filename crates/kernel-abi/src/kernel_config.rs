//! The configuration that the running kernel was built with, where it can be read.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

/// Options that are set, by name without `CONFIG_`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelConfig {
    options: BTreeMap<String, String>,
}

impl KernelConfig {
    /// The configuration of the running kernel, whose release is `release`: from `/proc/config.gz`
    /// (by `gzip`), or from where distributions put it. `None` where none of these is there.
    pub fn read(release: &str) -> Option<KernelConfig> {
        let unpacked = || {
            fs::metadata("/proc/config.gz").ok()?;
            let output = Command::new("gzip")
                .args(["-dc", "/proc/config.gz"])
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output()
                .ok()?;
            if output.status.success() { String::from_utf8(output.stdout).ok() } else { None }
        };
        // A release is the kernel's own word, but it becomes part of a path here.
        let plain = || {
            if release.contains('/') {
                return None;
            }
            [format!("/boot/config-{release}"), format!("/lib/modules/{release}/config")]
                .iter()
                .find_map(|path| fs::read_to_string(path).ok())
        };
        let config = KernelConfig::parse(&unpacked().or_else(plain)?);
        (!config.options.is_empty()).then_some(config)
    }

    /// From the text of a `.config`.
    pub fn parse(text: &str) -> KernelConfig {
        let options = text
            .lines()
            .filter_map(|line| line.strip_prefix("CONFIG_")?.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned()))
            .collect();
        KernelConfig { options }
    }

    /// Whether an option is built in or a module.
    pub fn is_set(&self, name: &str) -> bool {
        matches!(self.value(name), Some("y" | "m"))
    }

    /// The value of an option that is set.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_set_is_set() {
        let config = KernelConfig::parse(
            "#\n# General setup\n#\nCONFIG_PREEMPT_NONE=y\n# CONFIG_PREEMPT is not set\n\
             CONFIG_HZ=250\nCONFIG_LOCALVERSION=\"-x\"\nCONFIG_BTRFS_FS=m\n",
        );
        assert!(config.is_set("PREEMPT_NONE") && config.is_set("BTRFS_FS"));
        assert!(!config.is_set("PREEMPT") && !config.is_set("HZ"));
        assert_eq!(config.value("LOCALVERSION"), Some("-x"));
        assert_eq!(KernelConfig::read("../../etc/x"), KernelConfig::read("none"));
    }
}
