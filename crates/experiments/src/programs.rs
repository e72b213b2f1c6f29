//! Programs that definitions and the lab use, whether they are here, and the command that gets
//! each with this system's package manager.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Serialize;

/// One program.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// The command.
    pub name: String,
    /// What needs it.
    pub needed_for: &'static str,
    /// Whether it is on the search path and, where it can be asked, answers.
    pub found: bool,
    /// What it says its version is.
    pub version: Option<String>,
    /// How to get it, where it is missing.
    pub get: Option<String>,
}

/// A program that is looked for.
pub struct Wanted {
    /// The command.
    pub name: &'static str,
    /// The argument that makes it tell its version and end; `None` where none is known.
    pub version_argument: Option<&'static str>,
    /// What needs it.
    pub needed_for: &'static str,
    /// Whether `--install` gets it.
    pub is_for_the_lab: bool,
    packages: Packages,
}

impl Wanted {
    /// The package that has it, where a package has it.
    pub fn package(&self, family: Option<Family>) -> Option<&'static str> {
        match (&self.packages, family) {
            (Named(packages), family) => Some(packages[family.map_or(0, |family| family as usize)]),
            _ => None,
        }
    }
}

enum Packages {
    /// By family: Debian, Ubuntu, Fedora, Arch, SUSE.
    Named([&'static str; 5]),
    /// In no archive: this command builds it.
    Source(&'static str),
    /// A part of the system itself.
    System(&'static str),
}

use Packages::{Named, Source, System};

/// What is looked for on a machine of that architecture.
pub fn wanted(architecture: &str) -> Vec<Wanted> {
    let (emulator, emulator_packages) = match architecture {
        "aarch64" => (
            "qemu-system-aarch64",
            [
                "qemu-system-arm",
                "qemu-system-arm",
                "qemu-system-aarch64",
                "qemu-system-aarch64",
                "qemu-arm",
            ],
        ),
        _ => (
            "qemu-system-x86_64",
            [
                "qemu-system-x86",
                "qemu-system-x86",
                "qemu-system-x86",
                "qemu-system-x86",
                "qemu-x86",
            ],
        ),
    };
    vec![
        Wanted {
            name: emulator,
            version_argument: Some("--version"),
            needed_for: "the lab: trials in guests (--kernel)",
            is_for_the_lab: true,
            packages: Named(emulator_packages),
        },
        Wanted {
            name: "apt-get",
            version_argument: Some("--version"),
            needed_for: "the lab: fetching Debian's kernels",
            is_for_the_lab: true,
            packages: Named(["apt", "apt", "apt", "apt", "apt"]),
        },
        Wanted {
            name: "dpkg",
            version_argument: Some("--version"),
            needed_for: "the lab: unpacking Debian's kernels",
            is_for_the_lab: true,
            packages: Named(["dpkg", "dpkg", "dpkg", "dpkg", "dpkg"]),
        },
        Wanted {
            name: "perf",
            version_argument: Some("--version"),
            needed_for: "workload command: perf bench futex",
            is_for_the_lab: false,
            packages: Named(["linux-perf", "linux-tools-generic", "perf", "perf", "perf"]),
        },
        Wanted {
            name: "stress-ng",
            version_argument: Some("--version"),
            needed_for: "workload command: stress-ng --futex",
            is_for_the_lab: false,
            packages: Named(["stress-ng"; 5]),
        },
        Wanted {
            name: "schbench",
            version_argument: None,
            needed_for: "workload command: schbench",
            is_for_the_lab: false,
            packages: Source("git clone https://github.com/masoncl/schbench && make -C schbench"),
        },
        Wanted {
            name: "cc",
            version_argument: Some("--version"),
            needed_for: "the bench against the report's C reproducer",
            is_for_the_lab: false,
            packages: Named(["gcc", "gcc", "gcc", "gcc", "gcc"]),
        },
        Wanted {
            name: "gzip",
            version_argument: Some("--version"),
            needed_for: "reading the kernel's configuration",
            is_for_the_lab: false,
            packages: System("it is part of every distribution's base system"),
        },
    ]
}

/// The system's family, which decides package names and the command; in the order of [`Named`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Debian,
    Ubuntu,
    Fedora,
    Arch,
    Suse,
}

impl Family {
    /// This system's.
    pub fn here() -> Option<Family> {
        ["/etc/os-release", "/usr/lib/os-release"]
            .iter()
            .find_map(|path| fs::read_to_string(path).ok())
            .and_then(|text| Family::from_os_release(&text))
    }

    /// From the text of `os-release`: its ID, else the first family that it is like.
    pub fn from_os_release(text: &str) -> Option<Family> {
        let field = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or("").trim_matches(['"', '\'']).to_owned()
        };
        let ids = field("ID") + " " + &field("ID_LIKE");
        ids.split_ascii_whitespace().find_map(|id| {
            Some(match id {
                "debian" => Family::Debian,
                "ubuntu" => Family::Ubuntu,
                "fedora" | "rhel" | "centos" | "amzn" => Family::Fedora,
                "arch" => Family::Arch,
                "suse" | "opensuse" => Family::Suse,
                _ => return None,
            })
        })
    }

    fn install(self) -> &'static str {
        match self {
            Family::Debian | Family::Ubuntu => "apt-get install",
            Family::Fedora => "dnf install",
            Family::Arch => "pacman -S",
            Family::Suse => "zypper install",
        }
    }
}

/// The command that gets a program.
pub fn get(wanted: &Wanted, family: Option<Family>, root: bool) -> String {
    let package = match &wanted.packages {
        Named(_) => wanted.package(family).unwrap_or_default(),
        Source(text) | System(text) => return (*text).to_owned(),
    };
    match family {
        Some(family) => {
            format!("{}{} {package}", if root { "" } else { "sudo " }, family.install())
        }
        None => format!("with this system's package manager; in Debian the package is {package}"),
    }
}

/// Whether a program is on the search path.
pub fn is_on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_executable(&folder.join(name)))
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Whether this process is root's.
pub fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| effective_user(&status) == Some("0"))
}

/// The second number behind `Uid:`.
fn effective_user(status: &str) -> Option<&str> {
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_ascii_whitespace().nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, architecture: &str) -> Wanted {
        wanted(architecture).into_iter().find(|wanted| wanted.name == name).expect(name)
    }

    #[test]
    fn a_family_is_told_by_its_id_or_by_what_it_is_like() {
        for (text, family) in [
            ("PRETTY_NAME=\"Debian GNU/Linux 13\"\nID=debian\n", Some(Family::Debian)),
            ("ID=ubuntu\nID_LIKE=debian\n", Some(Family::Ubuntu)),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", Some(Family::Ubuntu)),
            ("ID=\"amzn\"\nID_LIKE=\"fedora\"\n", Some(Family::Fedora)),
            ("ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", Some(Family::Suse)),
            ("ID=plan9\n", None),
            ("", None),
        ] {
            assert_eq!(Family::from_os_release(text), family, "{text}");
        }
    }

    #[test]
    fn the_command_fits_the_system() {
        let perf = named("perf", "x86_64");
        assert_eq!(get(&perf, Some(Family::Debian), true), "apt-get install linux-perf");
        assert_eq!(
            get(&perf, Some(Family::Ubuntu), false),
            "sudo apt-get install linux-tools-generic"
        );
        assert_eq!(get(&perf, Some(Family::Arch), true), "pacman -S perf");
        assert!(get(&perf, None, false).contains("linux-perf"));
        assert!(
            get(&named("schbench", "x86_64"), Some(Family::Debian), false).starts_with("git clone")
        );
    }

    #[test]
    fn the_emulator_is_the_one_of_the_architecture() {
        assert_eq!(
            get(&named("qemu-system-aarch64", "aarch64"), Some(Family::Debian), true),
            "apt-get install qemu-system-arm"
        );
        assert!(wanted("x86_64").iter().all(|wanted| wanted.name != "qemu-system-aarch64"));
    }

    #[test]
    fn the_effective_user_counts() {
        assert_eq!(effective_user("Name:\tx\nUid:\t1000\t0\t0\t0\n"), Some("0"));
        assert_eq!(effective_user("Uid:\t1000"), None);
        assert_eq!(effective_user(""), None);
        assert!(!is_executable(Path::new("/")));
    }
}
