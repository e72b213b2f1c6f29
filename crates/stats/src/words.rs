//! Numbers and lists as sentences have them.

/// A share as a percentage: `25.9 %`, `0.35 %`, `99.999 %`, `100 %`. Never rounds to 0 or to 100 what is
/// not.
pub fn percent(share: f64) -> String {
    let text = match share {
        0.0 => "0".to_string(),
        s if s < 1e-9 && s > 0.0 => format!("{:.0e}", s * 100.0),
        s if s >= 0.1 => trimmed(percent_to(s, 1)),
        _ => significant(share * 100.0, 2),
    };
    format!("{text} %")
}

/// A share in percent, without the sign, to so many decimals, for columns: `25.9`, `100.0`. What is neither
/// none nor all and would read as either has as many more as tell them apart: `99.97`, `0.02`.
pub fn percent_to(share: f64, decimals: usize) -> String {
    let value = share * 100.0;
    // By how much it is off what it must not be taken for; a share has no more than 17 digits.
    let off = value.abs().min((100.0 - value.abs()).abs());
    let half = 0.5 * 10f64.powi(-(decimals as i32));
    let text = match off > 0.0 && off < half {
        true => trimmed(format!("{value:.*}", (-off.log10().floor()).clamp(0.0, 17.0) as usize)),
        false => format!("{value:.decimals$}"),
    };
    // Less than nothing is none.
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|digit| matches!(digit, b'0' | b'.')) => zero.to_string(),
        _ => text,
    }
}

/// How many decimals tell a share from 1, where so many do not: `0.9998` to three is `1.000`.
pub fn decimals_below_one(share: f64, decimals: usize) -> usize {
    // A power of ten may be a rounding below itself.
    let off = (1.0 - share.abs()) * (1.0 + 1e-9);
    match off > 0.0 && off < 0.5 * 10f64.powi(-(decimals as i32)) {
        true => (-off.log10().floor()).clamp(0.0, 17.0) as usize,
        false => decimals,
    }
}

pub use crate::interval::exact_percent;

/// A number to so many significant digits, without a tail of zeros, and below 10^15 without an exponent.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value.is_finite() { "0".into() } else { value.to_string() };
    }
    let magnitude = value.abs().log10().floor() as i32;
    // No measurement has that many digits, and no table room for them.
    if magnitude >= 15 {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    let decimals = (digits as i32 - 1 - magnitude).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    if decimals == 0 { text } else { trimmed(text) }
}

fn trimmed(text: String) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// A ratio of sizes: `0.604`, `1.000`, `12.5`. Near 1 its digits are those behind the point, so that a
/// ratio is not rounded to a bare 1.
pub fn times(ratio: f64) -> String {
    match (0.1..10.0).contains(&ratio) {
        true => format!("{ratio:.3}"),
        false => significant(ratio, 3),
    }
}

/// A throughput with its unit: `1130 Mops/s`, `6.5 Mops/s`.
pub fn mops(value: f64) -> String {
    format!("{} Mops/s", significant(value, 3))
}

/// A time with its unit.
pub fn seconds(value: f64) -> String {
    match value {
        v if v != 0.0 && v < 0.001 => format!("{} µs", significant(v * 1e6, 3)),
        v if v != 0.0 && v < 1.0 => format!("{} ms", significant(v * 1e3, 3)),
        v => format!("{} s", significant(v, 3)),
    }
}

/// A time that lies between two: `169 to 170 s`, `900 ms to 1.2 s`, `at most 2.4 ms`.
pub fn seconds_between(left: f64, right: f64) -> String {
    let (low, high) = (seconds(left), seconds(right));
    if low == high {
        return high;
    }
    if left <= 0.0 {
        return format!("at most {high}");
    }
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((low, unit)), Some((_, same))) if unit == same => format!("{low} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// A p-value, never as 0.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 1e-4 => "<0.0001".to_string(),
        p if p < 0.01 => format!("{p:.4}"),
        p => format!("{p:.3}"),
    }
}

/// `p = 0.109`, `p < 0.0001`.
pub fn p_is(p: f64) -> String {
    let text = p_value(p);
    match text.strip_prefix('<') {
        Some(bound) => format!("p < {bound}"),
        None => format!("p = {text}"),
    }
}

/// `1`, `1 and 2`, `1, 2 and 4`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A sentence of what has neither its capital nor its stop.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// `1 trial`, `3 trials`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `3 of 24 trials`, `0 of 1 trial`.
pub fn out_of(k: u64, n: u64, one: &str, many: &str) -> String {
    format!("{k} of {}", counted(n, one, many))
}

/// `any of 24 trials`, `the only trial`: of what holds for none.
pub fn any_of(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("the only {one}") } else { format!("any of {n} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_beyond_all_measurement_keeps_its_digits() {
        assert_eq!(significant(1e308, 3), "1.00e308");
        assert_eq!(significant(-2.5e15, 2), "-2.5e15");
        assert_eq!(significant(123_456_789.0, 3), "123456789");
    }

    #[test]
    fn a_percentage_never_rounds_to_none_or_all() {
        for (share, text) in [
            (0.0, "0 %"),
            (1.0, "100 %"),
            (0.2589, "25.9 %"),
            (0.5, "50 %"),
            (0.0035, "0.35 %"),
            (0.9995, "99.95 %"),
            (0.99949, "99.9 %"),
            (0.99999, "99.999 %"),
            (0.999999999, "99.9999999 %"),
            (1e-9, "0.0000001 %"),
            (2e-15, "2e-13 %"),
            (0.0999, "10 %"),
            (-0.0, "0 %"),
            (-0.25, "-25 %"),
        ] {
            assert_eq!(percent(share), text);
        }
        let nearest = percent(1.0 - f64::EPSILON / 2.0);
        assert!(nearest.starts_with("99.9999999"), "{nearest}");
    }

    #[test]
    fn a_column_s_percentage_has_more_digits_where_it_would_be_none_or_all() {
        for (share, decimals, text) in [
            (0.259, 1, "25.9"),
            (1.0, 1, "100.0"),
            (0.0, 1, "0.0"),
            (-0.0, 0, "0"),
            (0.99967, 1, "99.97"),
            (0.00012, 1, "0.01"),
            (0.0037, 0, "0.4"),
            (-0.0037, 0, "-0.4"),
            (-0.36, 0, "-36"),
            (-0.999, 0, "-99.9"),
            (0.99999999, 1, "99.999999"),
        ] {
            assert_eq!(percent_to(share, decimals), text, "{share}");
        }
    }

    #[test]
    fn a_share_below_one_has_decimals_that_say_so() {
        for (share, decimals) in
            [(0.5, 3), (1.0, 3), (0.0, 3), (0.9994, 3), (0.9998, 4), (-0.99999, 5), (1.2, 3)]
        {
            assert_eq!(decimals_below_one(share, 3), decimals, "{share}");
        }
    }

    #[test]
    fn numbers_keep_their_size() {
        assert_eq!(mops(1128.7), "1129 Mops/s");
        assert_eq!(mops(6.5), "6.5 Mops/s");
        assert_eq!(mops(0.0), "0 Mops/s");
        assert_eq!(
            [1.0, 0.99961, 0.604, 36.25, 0.0].map(times),
            ["1.000", "1.000", "0.604", "36.2", "0"]
        );
        assert_eq!(seconds(0.0131), "13.1 ms");
        assert_eq!(seconds(169.0), "169 s");
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!(significant(f64::INFINITY, 3), "inf");
        assert_eq!([0.109, 0.0044, 0.0].map(p_is), ["p = 0.109", "p = 0.0044", "p < 0.0001"]);
    }

    #[test]
    fn lists_end_with_and() {
        let items = |texts: &[&str]| texts.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        assert_eq!(list(&items(&["24"])), "24");
        assert_eq!(list(&items(&["24", "32", "40"])), "24, 32 and 40");
        assert_eq!(counted(1, "trial", "trials"), "1 trial");
        assert_eq!(sentence("a weibull fit needs more"), "A weibull fit needs more.");
        assert_eq!(out_of(0, 1, "trial", "trials"), "0 of 1 trial");
        assert_eq!(out_of(1, 24, "trial", "trials"), "1 of 24 trials");
        assert_eq!(
            [1, 24].map(|n| any_of(n, "trial", "trials")),
            ["the only trial", "any of 24 trials"]
        );
    }

    #[test]
    fn a_time_between_two_has_its_unit_once() {
        assert_eq!(seconds_between(169.0, 170.0), "169 to 170 s");
        assert_eq!(seconds_between(0.9, 1.2), "900 ms to 1.2 s");
        assert_eq!(seconds_between(0.0, 0.0024), "at most 2.4 ms");
        assert_eq!(seconds_between(7.0, 7.0), "7 s");
    }
}
