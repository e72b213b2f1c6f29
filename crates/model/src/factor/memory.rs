//! `memory`: the process's NUMA memory policy, set before its first thread.

use std::fmt;
use std::str::FromStr;

use super::BadValue;
use super::placement::is_list;

const ACCEPTED: &str = "`default`, `local`, `bind:0-2` or `interleave:0-2`";

/// The NUMA memory policy of the process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Memory {
    /// The system's.
    Default,
    /// On the node of the CPU that first touches a page.
    Local,
    /// Only on these nodes.
    Bind(String),
    /// Page by page over these nodes.
    Interleave(String),
}

impl FromStr for Memory {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let bad = || BadValue::new("memory", text, ACCEPTED);
        match text.split_once(':') {
            None if text == "default" => Ok(Memory::Default),
            None if text == "local" => Ok(Memory::Local),
            Some(("bind", list)) if is_list(list) => Ok(Memory::Bind(list.to_string())),
            Some(("interleave", list)) if is_list(list) => Ok(Memory::Interleave(list.to_string())),
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Memory::Default => write!(f, "default"),
            Memory::Local => write!(f, "local"),
            Memory::Bind(list) => write!(f, "bind:{list}"),
            Memory::Interleave(list) => write!(f, "interleave:{list}"),
        }
    }
}

super::as_text!(Memory);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_contract_prints_back() {
        for text in ["default", "local", "bind:0-2", "interleave:0-2"] {
            assert_eq!(text.parse::<Memory>().unwrap().to_string(), text);
        }
        for text in ["", "bind", "bind:", "bind:x", "interleave:2-0", "far"] {
            assert!(text.parse::<Memory>().is_err(), "{text}");
        }
    }
}
