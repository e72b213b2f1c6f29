//! Versions of the kernel, in the order in which they came out.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// `7.3.4`, `7.3-rc7`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version {
    numbers: Vec<u32>,
    candidate: Option<u32>,
}

impl Version {
    /// From a Debian package version: `7.3.4-1~bpo13+1`, `7.3~rc7-1~exp1`.
    pub fn of_package(version: &str) -> Option<Version> {
        let upstream = version.rsplit_once('-').map_or(version, |(upstream, _)| upstream);
        upstream.replace("~rc", "-rc").parse().ok()
    }

    /// Whether `prefix` names this version or a series it is in: `7` and `7.3` name 7.3.4, and
    /// `7.3-rc7` only itself.
    pub fn starts_with(&self, prefix: &Version) -> bool {
        match prefix.candidate {
            Some(_) => self == prefix,
            None => self.numbers.starts_with(&prefix.numbers),
        }
    }
}

impl FromStr for Version {
    type Err = ();

    fn from_str(text: &str) -> Result<Version, ()> {
        let (numbers, candidate) = match text.split_once("-rc") {
            Some((numbers, candidate)) => (numbers, Some(number(candidate)?)),
            None => (text, None),
        };
        let numbers = numbers.split('.').map(number).collect::<Result<Vec<u32>, ()>>()?;
        Ok(Version { numbers, candidate })
    }
}

fn number(text: &str) -> Result<u32, ()> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(());
    }
    text.parse().map_err(|_| ())
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers.iter().map(u32::to_string).collect();
        f.write_str(&numbers.join("."))?;
        match self.candidate {
            Some(candidate) => write!(f, "-rc{candidate}"),
            None => Ok(()),
        }
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        // A candidate comes before what it is a candidate of.
        let rank = |version: &Version| version.candidate.unwrap_or(u32::MAX);
        self.numbers.cmp(&other.numbers).then(rank(self).cmp(&rank(other)))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_candidates_come_first() {
        let mut versions =
            ["7.3.4", "6.12.95", "7.3-rc7", "7.10", "6.12.117", "7.3"].map(version).to_vec();
        versions.sort();
        let text: Vec<String> = versions.iter().map(Version::to_string).collect();
        assert_eq!(text, ["6.12.95", "6.12.117", "7.3-rc7", "7.3", "7.3.4", "7.10"]);
    }

    #[test]
    fn a_package_version_loses_its_debian_part() {
        assert_eq!(Version::of_package("7.3.4-1~bpo13+1"), Some(version("7.3.4")));
        assert_eq!(Version::of_package("7.3~rc7-1~exp1"), Some(version("7.3-rc7")));
        assert_eq!(Version::of_package("nonsense"), None);
    }

    #[test]
    fn a_prefix_ends_at_a_dot() {
        assert!(version("6.17.13").starts_with(&version("6.17")));
        assert!(!version("6.17.13").starts_with(&version("6.1")));
        assert!(!version("6.17.13").starts_with(&version("6.17.1")));
        assert!(version("7.3-rc7").starts_with(&version("7.3")));
        assert!(!version("7.3.4").starts_with(&version("7.3-rc4")));
    }

    #[test]
    fn what_is_no_version_is_none() {
        for text in ["", "7.", "a", "7.3-rc", "-1", "7..3", "99999999999", "+7"] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }
}
