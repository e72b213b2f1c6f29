//! What `--kernel` accepts.

use std::path::PathBuf;

use crate::cache::Cache;
use crate::error::LabError;
use crate::kernels::index::Index;
use crate::kernels::version::Version;
use crate::kernels::{About, Kernel, here, image};

/// A kernel by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelName {
    /// `debian:7.3.4`, or a series, `debian:6.17`, whose newest is meant.
    Debian(Version),
    /// The path of an image.
    Path(PathBuf),
    /// The name that one was built under.
    Built(String),
}

impl KernelName {
    /// Tells what kind of name `text` is: `debian:` and a version; with a slash, or the name of a
    /// file that exists, a path; else a name of `kernel build`.
    pub fn parse(text: &str) -> Result<KernelName, LabError> {
        if let Some(version) = text.strip_prefix("debian:") {
            return version.parse().map(KernelName::Debian).map_err(|()| LabError::UnknownKernel {
                asked: text.to_string(),
                accepted:
                    "after `debian:` comes a version such as 7.3.4, or a series such as 6.17 \
                           for the newest of it"
                        .to_string(),
            });
        }
        let path = PathBuf::from(text);
        if text.contains('/') || path.is_file() {
            return Ok(KernelName::Path(path));
        }
        Ok(KernelName::Built(text.to_string()))
    }

    /// The kernel, if it is here. A series is the newest of it that is here.
    pub fn find_here(&self, cache: &Cache) -> Result<Option<Kernel>, LabError> {
        match self {
            KernelName::Path(path) => {
                let found = image::inspect(path)?;
                let path = path.canonicalize().unwrap_or_else(|_| path.clone());
                Ok(Some(Kernel {
                    name: path.display().to_string(),
                    image: path,
                    about: About { release: found.release, ..About::default() },
                }))
            }
            KernelName::Built(name) => {
                Ok(here(cache).into_iter().find(|kernel| &kernel.name == name))
            }
            KernelName::Debian(version) => {
                let mut fetched = here(cache).into_iter().filter_map(|kernel| {
                    let found: Version = kernel.name.strip_prefix("debian:")?.parse().ok()?;
                    found.starts_with(version).then_some(kernel)
                });
                let exactly = format!("debian:{version}");
                let candidates: Vec<Kernel> = fetched.by_ref().collect();
                let exact = candidates.iter().find(|kernel| kernel.name == exactly).cloned();
                Ok(exact.or_else(|| candidates.into_iter().next()))
            }
        }
    }

    /// The error for a name that is nowhere, with the near ones of what is here and, if it is
    /// known, of what can be fetched.
    pub fn unknown(&self, cache: &Cache, index: Option<&Index>) -> LabError {
        let asked = match self {
            KernelName::Debian(version) => format!("debian:{version}"),
            KernelName::Path(path) => path.display().to_string(),
            KernelName::Built(name) => name.clone(),
        };
        let mut known: Vec<String> = here(cache).into_iter().map(|kernel| kernel.name).collect();
        if let Some(index) = index {
            known.extend(index.kernels.iter().map(|kernel| format!("debian:{}", kernel.version)));
        }
        known.dedup();
        let near = nearest(&asked, &known);
        let near = if near.is_empty() {
            String::new()
        } else {
            format!("near it are {}; ", near.join(", "))
        };
        LabError::UnknownKernel {
            asked,
            accepted: format!(
                "{near}accepted are debian:VERSION, the name of a kernel that was built here, and \
                 the path of an image"
            ),
        }
    }
}

/// Up to four names that the asked one may have meant, nearest first.
fn nearest(asked: &str, known: &[String]) -> Vec<String> {
    // `7.3.4` is a slip of `debian:7.3.4`.
    let full = match asked.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("debian:{asked}"),
        false => asked.to_string(),
    };
    let mut scored: Vec<(f64, &String)> = known
        .iter()
        .map(|name| (strsim::jaro_winkler(&full, name), name))
        // Where two words begin to look like a slip of one another; every `debian:` shares a
        // prefix, so less would list them all.
        .filter(|(score, _)| *score > 0.8)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut near: Vec<String> = Vec::new();
    for (_, name) in scored {
        if !near.contains(name) && near.len() < 4 {
            near.push(name.clone());
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::keep;

    #[test]
    fn a_name_is_one_of_three_kinds() {
        assert_eq!(
            KernelName::parse("debian:7.3.4").unwrap(),
            KernelName::Debian("7.3.4".parse().unwrap())
        );
        assert_eq!(KernelName::parse("./x").unwrap(), KernelName::Path("./x".into()));
        assert_eq!(KernelName::parse("mine").unwrap(), KernelName::Built("mine".into()));
        let error = KernelName::parse("debian:latest").unwrap_err().to_string();
        assert!(error.contains("debian:latest") && error.contains("6.17"), "{error}");
    }

    #[test]
    fn a_series_is_the_newest_that_is_here_and_a_slip_gets_near_names() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let mut image = vec![0u8; 0x400];
        image[0x202..0x206].copy_from_slice(b"HdrS");
        for version in ["6.17.8", "6.17.13", "7.3.4"] {
            let folder = cache.folder(&format!("debian/kernels/{version}")).unwrap();
            keep(format!("debian:{version}"), &folder, &image, About::default()).unwrap();
        }
        let find = |name: &str| {
            KernelName::parse(name).unwrap().find_here(&cache).unwrap().map(|kernel| kernel.name)
        };
        assert_eq!(find("debian:6.17").as_deref(), Some("debian:6.17.13"));
        assert_eq!(find("debian:6.17.8").as_deref(), Some("debian:6.17.8"));
        assert_eq!(find("debian:6.12"), None);
        assert_eq!(find("mine"), None);
        let error = KernelName::parse("debian:7.4.3").unwrap().unknown(&cache, None).to_string();
        assert!(error.contains("debian:7.3.4"), "{error}");
        let error = KernelName::parse("7.3.4").unwrap().unknown(&cache, None).to_string();
        assert!(error.contains("near it are debian:7.3.4"), "{error}");
        let error = KernelName::parse("mine").unwrap().unknown(&cache, None).to_string();
        assert!(!error.contains("near"), "{error}");
    }
}
