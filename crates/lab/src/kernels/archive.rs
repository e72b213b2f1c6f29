//! Which Debian archive kernels are fetched from: the one that this system's apt uses, or a URL
//! that the user names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::LabError;

/// The suites that hold kernels of interest, oldest first.
pub const SUITES: [&str; 6] =
    ["bookworm-backports", "trixie", "trixie-backports", "forky", "sid", "experimental"];

/// Names under which a Debian archive's suites appear in a system's sources.
const DEBIAN_SUITES: [&str; 13] = [
    "bullseye",
    "bookworm",
    "trixie",
    "forky",
    "duke",
    "sid",
    "oldoldstable",
    "oldstable",
    "stable",
    "testing",
    "unstable",
    "experimental",
    "rc-buggy",
];

/// Where the keys of the archive are, by the package debian-archive-keyring.
const KEYRINGS: [&str; 2] = [
    "/usr/share/keyrings/debian-archive-keyring.gpg",
    "/usr/share/keyrings/debian-archive-keyring.pgp",
];

/// An archive, and the keys that its index must be signed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// Its URI, as in a sources file.
    pub uri: String,
    /// The keyring.
    pub keyring: PathBuf,
}

impl Archive {
    /// The archive at `url`, else the one in the system's sources below `etc_apt`.
    pub fn find(url: Option<&str>, etc_apt: &Path) -> Result<Archive, LabError> {
        let uri = match url {
            Some(url) if url.contains(char::is_whitespace) || !url.contains(':') => {
                return Err(LabError::Archive(format!(
                    "`{url}` is no archive's URL: accepted is what a line of apt's sources has, \
                     such as http://HOST/debian or file:/srv/mirror/debian"
                )));
            }
            Some(url) => url.to_string(),
            None => configured(etc_apt).ok_or_else(|| LabError::NoArchive {
                sources: etc_apt.join("sources.list"),
                suites: SUITES.join(", "),
            })?,
        };
        let keyring =
            KEYRINGS.iter().map(PathBuf::from).find(|path| path.exists()).ok_or_else(|| {
                LabError::Missing {
                    program: "the keyring of the Debian archive".to_string(),
                    what_for: "apt checks by it that a kernel is Debian's".to_string(),
                    remedy: "install it: apt-get install debian-archive-keyring".to_string(),
                }
            })?;
        Ok(Archive { uri, keyring })
    }

    /// The sources file for the suites: deb822, one stanza a suite.
    pub fn sources(&self) -> String {
        SUITES
            .iter()
            .map(|suite| {
                format!(
                    "Types: deb\nURIs: {}\nSuites: {suite}\nComponents: main\n\
                     Architectures: amd64\nSigned-By: {}\n\n",
                    self.uri,
                    self.keyring.display()
                )
            })
            .collect()
    }
}

/// The first URI in the system's sources that serves a Debian suite.
fn configured(etc_apt: &Path) -> Option<String> {
    let mut files = vec![etc_apt.join("sources.list")];
    if let Ok(folder) = fs::read_dir(etc_apt.join("sources.list.d")) {
        let mut more: Vec<PathBuf> = folder.filter_map(|entry| Some(entry.ok()?.path())).collect();
        more.sort();
        files.extend(more);
    }
    files.iter().find_map(|file| {
        let text = fs::read_to_string(file).ok()?;
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("sources") => stanza_uri(&text),
            Some("list") => line_uri(&text),
            _ => None,
        }
    })
}

/// Of a deb822 file.
fn stanza_uri(text: &str) -> Option<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.split("\n\n").find_map(|stanza| {
        let field = |name: &str| {
            stanza.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_string())
            })
        };
        if field("Enabled").is_some_and(|value| value.eq_ignore_ascii_case("no")) {
            return None;
        }
        let uris = field("URIs")?;
        let uri = uris.split_whitespace().next()?;
        let suites = field("Suites")?;
        suites.split_whitespace().any(|suite| serves(uri, suite)).then(|| uri.to_string())
    })
}

/// Of a file with a line a source: `deb [options] URI suite component…`.
fn line_uri(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("deb")?;
        if !rest.starts_with([' ', '\t', '[']) {
            return None;
        }
        let rest = match rest.trim().strip_prefix('[') {
            Some(options) => options.split_once(']')?.1,
            None => rest,
        };
        let mut words = rest.split_whitespace();
        let (uri, suite) = (words.next()?, words.next()?);
        serves(uri, suite).then(|| uri.to_string())
    })
}

/// Whether a source is a Debian archive's own, not that of its security updates, which hasn't the
/// other suites.
fn serves(uri: &str, suite: &str) -> bool {
    let base = suite.split(['-', '/']).next().unwrap_or(suite);
    let last = uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    DEBIAN_SUITES.contains(&base) && !suite.contains("security") && !last.contains("security")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured_by(name: &str, text: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sources.list.d")).unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        configured(folder.path())
    }

    #[test]
    fn the_systems_own_archive_is_found_in_both_formats() {
        let stanzas = "Types: deb\n# a comment\nURIs: http://one.example/debian-security\n\
                       Suites: trixie-security\nComponents: main\n\nTypes: deb\n\
                       URIs: http://two.example/debian\nSuites: trixie trixie-updates\n";
        assert_eq!(
            configured_by("sources.list.d/debian.sources", stanzas).as_deref(),
            Some("http://two.example/debian")
        );
        let lines = "# deb http://no.example/debian sid main\n\
                     deb [arch=amd64 signed-by=/k.gpg] http://three.example/debian sid main\n";
        assert_eq!(
            configured_by("sources.list", lines).as_deref(),
            Some("http://three.example/debian")
        );
    }

    #[test]
    fn another_distribution_or_a_disabled_source_is_not_taken() {
        for (name, text) in [
            ("sources.list", "deb http://x.example/ubuntu noble main\n"),
            ("sources.list", "deb-src http://x.example/debian sid main\n"),
            ("sources.list", "deb [arch=amd64 http://x.example/debian sid main\n"),
            ("sources.list.d/a.sources", "Enabled: no\nURIs: http://x/debian\nSuites: sid\n"),
            ("sources.list.d/a.disabled", "deb http://x.example/debian sid main\n"),
        ] {
            assert_eq!(configured_by(name, text), None, "{text}");
        }
    }

    #[test]
    fn without_an_archive_the_sentence_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let error = Archive::find(None, folder.path()).unwrap_err().to_string();
        assert!(error.contains("no Debian archive") && error.contains("sid"), "{error}");
        assert!(Archive::find(Some("debian"), folder.path()).is_err());
    }
}
