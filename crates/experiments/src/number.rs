//! Numbers on the command line: what was given, what is wrong with it and what is accepted.

use stats::{Level, StatError};

/// A number on the command line that is refused.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum BadNumber {
    /// It is not a whole number in a range; `what` names it (`a seed`).
    #[error("{what} is a whole number from {low} to {high}; `{found}` is {why}")]
    Whole { what: &'static str, low: u64, high: u64, found: String, why: &'static str },
    #[error("`{0}` is not a number; accepted is one such as 0.5, 12 or 1e-3")]
    Real(String),
    #[error("a share of the trials is a number above 0 and below 1, such as 0.9, not `{0}`")]
    Share(String),
    #[error("a confidence level is a number above 0 and below 1, such as 0.95, not `{0}`")]
    Level(String),
    #[error(transparent)]
    LevelOutOfRange(StatError),
    #[error("{error}; for {percent} % write {}", .percent / 100.0)]
    LevelInPercent { error: StatError, percent: f64 },
}

/// A whole number from `low` to `high`; `what` names it (`a seed`).
pub fn whole(what: &'static str, low: u64, high: u64, text: &str) -> Result<u64, BadNumber> {
    let why = match text.trim().parse::<i128>() {
        Ok(n) if n < 0 => "negative",
        Ok(n) if n < i128::from(low) => "below that",
        Ok(n) => match u64::try_from(n) {
            Ok(n) if n <= high => return Ok(n),
            _ => "above that",
        },
        Err(_) if text.trim().parse::<f64>().is_ok() => "not a whole number",
        Err(_) => "not a number",
    };
    Err(BadNumber::Whole { what, low, high, found: text.to_owned(), why })
}

/// A seed of anything that is drawn.
pub fn seed(text: &str) -> Result<u64, BadNumber> {
    whole("a seed", 0, u64::MAX, text)
}

/// How many of something there are to be; the command says how many it takes.
pub fn how_many<T: TryFrom<u64>>(text: &str) -> Result<T, BadNumber> {
    let is_short = T::try_from(u64::from(u32::MAX) + 1).is_err();
    let high = if is_short { u64::from(u32::MAX) } else { u64::MAX };
    let what = "a count";
    T::try_from(whole(what, 0, high, text)?).map_err(|_| {
        let found = text.to_owned();
        BadNumber::Whole { what, low: 0, high, found, why: "more than can be held" }
    })
}

/// Any number; the command says which it takes.
pub fn real(text: &str) -> Result<f64, BadNumber> {
    text.trim().parse().map_err(|_| BadNumber::Real(text.to_owned()))
}

/// A share that is neither none nor all.
pub fn share(text: &str) -> Result<f64, BadNumber> {
    let share = text.trim().parse().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| BadNumber::Share(text.to_owned()))
}

/// A confidence level.
pub fn level(text: &str) -> Result<Level, BadNumber> {
    let number: f64 = text.trim().parse().map_err(|_| BadNumber::Level(text.to_owned()))?;
    Level::new(number).map_err(|error| match number {
        percent @ 1.0..100.0 => BadNumber::LevelInPercent { error, percent },
        _ => BadNumber::LevelOutOfRange(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused<T: std::fmt::Debug>(parsed: Result<T, BadNumber>) -> String {
        parsed.unwrap_err().to_string()
    }

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
            let sentence = refused(seed(text));
            assert!(sentence.starts_with("a seed is a whole number from 0 to "), "{sentence}");
            assert!(sentence.ends_with(why), "{sentence}");
        }
        assert!(refused(whole("a share", 1, 3, "0")).ends_with("`0` is below that"));
        assert_eq!(how_many::<u32>("4294967295"), Ok(u32::MAX));
        assert!(refused(how_many::<u32>("4294967296")).contains("from 0 to 4294967295"));
        assert_eq!(how_many::<u64>("4294967296"), Ok(4_294_967_296));
    }

    #[test]
    fn a_number_of_any_kind_is_one() {
        assert_eq!(real("-1e-3"), Ok(-1e-3));
        assert!(refused(real("half")).contains("`half` is not a number; accepted is"));
    }

    #[test]
    fn a_share_is_neither_none_nor_all() {
        assert_eq!(share("0.9"), Ok(0.9));
        for bad in ["0", "1", "-0.1", "NaN", "90%"] {
            assert!(refused(share(bad)).contains("above 0 and below 1"), "{bad}");
        }
    }

    #[test]
    fn a_level_in_percent_is_refused_with_the_right_spelling() {
        assert!(refused(level("95")).contains("write 0.95"));
        assert!(level("NaN").is_err() && level("0").is_err() && level("x").is_err());
        assert_eq!(level("0.95"), Ok(Level::P95));
    }
}
