//! `hash`: what the process asks of its private futex hash before it has a thread.

use std::fmt;
use std::str::FromStr;

use super::BadValue;

const ACCEPTED: &str =
    "`auto`, `slots:512` (a power of two from 2), `slots:512+immutable` or `global`";

/// What the process asks of its private futex hash before its first thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hash {
    /// Nothing: the kernel sizes the hash, and grows it, as threads are created.
    Auto,
    /// A fixed number of slots; the kernel then never resizes by itself.
    Slots {
        /// A power of two, at least 2: what the kernel accepts.
        slots: u32,
        /// With the immutable flag of 6.16; later kernels refuse it.
        immutable: bool,
    },
    /// No private hash: the process uses the kernel's global one.
    Global,
}

impl FromStr for Hash {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let bad = || BadValue::new("hash", text, ACCEPTED);
        match text {
            "auto" => return Ok(Hash::Auto),
            "global" => return Ok(Hash::Global),
            _ => {}
        }
        let rest = text.strip_prefix("slots:").ok_or_else(bad)?;
        let (number, immutable) = match rest.strip_suffix("+immutable") {
            Some(number) => (number, true),
            None => (rest, false),
        };
        let slots: u32 = number.parse().map_err(|_| bad())?;
        match slots {
            0 => Err(bad().because("0 slots is the global hash, written `global`")),
            n if n >= 2 && n.is_power_of_two() => Ok(Hash::Slots { slots, immutable }),
            n => Err(bad().because(format!("the kernel takes a power of two from 2, not {n}"))),
        }
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hash::Auto => write!(f, "auto"),
            Hash::Slots { slots, immutable: false } => write!(f, "slots:{slots}"),
            Hash::Slots { slots, immutable: true } => write!(f, "slots:{slots}+immutable"),
            Hash::Global => write!(f, "global"),
        }
    }
}

super::as_text!(Hash);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_contract_prints_back() {
        for text in ["auto", "slots:512", "slots:512+immutable", "global"] {
            assert_eq!(text.parse::<Hash>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_the_kernel_would_refuse_is_refused_before() {
        for text in [
            "",
            "Auto",
            "slots",
            "slots:",
            "slots:0",
            "slots:1",
            "slots:500",
            "slots:99999999999",
            "slots:512+",
        ] {
            assert!(text.parse::<Hash>().is_err(), "{text}");
        }
    }
}
