//! Numbers on the command line: what was given, what is wrong with it and what is accepted.

use std::fmt;
use std::str::FromStr;

/// A number on the command line that is not accepted: what was given, and what is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadNumber(String);

impl fmt::Display for BadNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadNumber {}

impl From<BadNumber> for String {
    fn from(error: BadNumber) -> String {
        error.0
    }
}

/// A whole number from `low` to `high`; `what` names it (`a seed`).
pub fn whole(what: &str, low: u64, high: u64, text: &str) -> Result<u64, BadNumber> {
    let refused = |why: &str| {
        Err(BadNumber(format!("{what} is a whole number from {low} to {high}; `{text}` is {why}")))
    };
    match text.trim().parse::<i128>() {
        Ok(n) if n < 0 => refused("negative"),
        Ok(n) if n < i128::from(low) => refused("below that"),
        Ok(n) if n > i128::from(high) => refused("above that"),
        Ok(n) => u64::try_from(n).or_else(|_| refused("above that")),
        Err(_) if text.trim().parse::<f64>().is_ok() => refused("not a whole number"),
        Err(_) => refused("not a number"),
    }
}

/// A seed of anything that is drawn.
pub fn seed(text: &str) -> Result<u64, BadNumber> {
    whole("a seed", 0, u64::MAX, text)
}

/// How many of something there are to be; the command says how many it takes.
pub fn how_many<T: TryFrom<u64>>(text: &str) -> Result<T, BadNumber> {
    let is_short = T::try_from(u64::from(u32::MAX) + 1).is_err();
    let high = if is_short { u64::from(u32::MAX) } else { u64::MAX };
    let n = whole("a count", 0, high, text)?;
    T::try_from(n).map_err(|_| BadNumber(format!("a count of {n} is more than can be held")))
}

/// Any number; the command says which it takes.
pub fn real(text: &str) -> Result<f64, BadNumber> {
    f64::from_str(text.trim()).map_err(|_| {
        BadNumber(format!("`{text}` is not a number; accepted is one such as 0.5, 12 or 1e-3"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_whole_number_is_told_why() {
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        for (text, why) in [
            ("-1", "`-1` is negative"),
            ("1.5", "`1.5` is not a whole number"),
            ("many", "`many` is not a number"),
            ("", "`` is not a number"),
            ("18446744073709551616", "is above that"),
        ] {
            let sentence = seed(text).unwrap_err().to_string();
            assert!(sentence.starts_with("a seed is a whole number from 0 to "), "{sentence}");
            assert!(sentence.ends_with(why), "{sentence}");
        }
        assert!(
            whole("a share", 1, 3, "0").unwrap_err().to_string().ends_with("`0` is below that")
        );
        assert_eq!(how_many::<u32>("4294967295"), Ok(u32::MAX));
        assert!(
            how_many::<u32>("4294967296").unwrap_err().to_string().contains("from 0 to 4294967295")
        );
        assert_eq!(how_many::<u64>("4294967296"), Ok(4_294_967_296));
    }

    #[test]
    fn a_number_of_any_kind_is_one() {
        assert_eq!(real("-1e-3"), Ok(-1e-3));
        assert!(
            real("half").unwrap_err().to_string().contains("`half` is not a number; accepted is")
        );
    }
}
