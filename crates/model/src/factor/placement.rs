//! `placement`: on which CPUs the threads may run.

use std::fmt;
use std::str::FromStr;

use super::BadValue;

const ACCEPTED: &str = "`unpinned`, `cpus:0-31`, `node:0`, `pin:0-31`, `compact` or `scatter`";

/// On which CPUs the threads of a trial may run. Whether the CPUs exist is decided against a
/// machine, not here; the lists are kept as their text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Wherever the process may run.
    Unpinned,
    /// All threads share this mask.
    Cpus(String),
    /// All threads share the mask of one NUMA node.
    Node(u32),
    /// Thread i runs on the i-th CPU of the list.
    Pin(String),
    /// A CPU a thread: fill a core complex, then a node, then a socket.
    Compact,
    /// A CPU a thread: spread over nodes first.
    Scatter,
}

/// Whether a text is a list of CPUs or nodes: `0-31,64`. Ranges must ascend.
pub(super) fn is_list(text: &str) -> bool {
    !text.is_empty()
        && text.split(',').all(|part| match part.split_once('-') {
            Some((low, high)) => match (low.parse::<u32>(), high.parse::<u32>()) {
                (Ok(low), Ok(high)) => low <= high && high < 65_536,
                _ => false,
            },
            None => part.parse::<u32>().is_ok_and(|n| n < 65_536),
        })
}

impl FromStr for Placement {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let bad = || BadValue::new("placement", text, ACCEPTED);
        let list = |part: &str| {
            if is_list(part) {
                Ok(part.to_string())
            } else {
                Err(bad().because(format!("{part:?} is no list of CPUs such as 0-31,64")))
            }
        };
        match text {
            "unpinned" => return Ok(Placement::Unpinned),
            "compact" => return Ok(Placement::Compact),
            "scatter" => return Ok(Placement::Scatter),
            _ => {}
        }
        match text.split_once(':') {
            Some(("cpus", rest)) => Ok(Placement::Cpus(list(rest)?)),
            Some(("pin", rest)) => Ok(Placement::Pin(list(rest)?)),
            Some(("node", rest)) => rest.parse().map(Placement::Node).map_err(|_| bad()),
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Placement::Unpinned => write!(f, "unpinned"),
            Placement::Cpus(list) => write!(f, "cpus:{list}"),
            Placement::Node(node) => write!(f, "node:{node}"),
            Placement::Pin(list) => write!(f, "pin:{list}"),
            Placement::Compact => write!(f, "compact"),
            Placement::Scatter => write!(f, "scatter"),
        }
    }
}

super::as_text!(Placement);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_contract_prints_back() {
        for text in
            ["unpinned", "cpus:0-31", "cpus:0-3,8", "node:0", "pin:0-31", "compact", "scatter"]
        {
            assert_eq!(text.parse::<Placement>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_list_that_is_none_is_refused() {
        for text in [
            "",
            "cpus",
            "cpus:",
            "cpus:3-1",
            "cpus:a",
            "pin:0-",
            "node:x",
            "node:-1",
            "cpus:0-99999999",
            "near",
        ] {
            assert!(text.parse::<Placement>().is_err(), "{text}");
        }
    }
}
