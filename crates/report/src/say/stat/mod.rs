//! The words of `stat`: a file a command, with the sentence that answers and the notes below it.

pub mod adjust;
pub mod power;
pub mod proportion;
pub mod recovery;
pub mod samples;
pub mod strata;
pub mod survival;
pub mod threshold;
pub mod two_by_two;

use stats::words::decimals_below_one;

/// A number to six significant digits, `-` for one that does not exist; below 1 as many as tell it from 1.
pub fn number(value: impl Into<Option<f64>>) -> String {
    let Some(x) = value.into().filter(|x| x.is_finite()) else { return "-".into() };
    if x == 0.0 {
        return "0".into();
    }
    let magnitude = x.abs().log10().floor();
    if !(-5.0..7.0).contains(&magnitude) {
        return format!("{x:.4e}");
    }
    // What is less than 1 is not written as 1: it may be a share.
    let decimals = decimals_below_one(x, (5.0 - magnitude).clamp(0.0, 10.0) as usize);
    let text = format!("{x:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Below this a p-value is written as being below it: none is 0, and what is computed as 0 is beyond the
/// range of numbers.
const LEAST_P: f64 = 1e-300;

/// A p-value to three significant digits; below 1e-4 in scientific notation, never 0.
pub fn p_value(value: impl Into<Option<f64>>) -> String {
    match value.into().filter(|p: &f64| !p.is_nan()) {
        None => "-".into(),
        Some(p) if p < LEAST_P => format!("< {LEAST_P:e}"),
        Some(p) if p < 1e-4 => format!("{p:.2e}"),
        Some(p) => {
            let decimals = (2.0 - p.log10().floor()).clamp(3.0, 7.0) as usize;
            format!("{p:.decimals$}")
        }
    }
}

/// `p = 0.109`, `p < 1e-300`, `no p-value`.
fn p_is(value: Option<f64>) -> String {
    match p_value(value) {
        none if none == "-" => "no p-value".into(),
        small if small.starts_with('<') => format!("p {small}"),
        p => format!("p = {p}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_six_digits() {
        assert_eq!(number(0.490162356), "0.490162");
        assert_eq!(number(11.0217391), "11.0217");
        assert_eq!(number(1e-9), "1.0000e-9");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(-0.25), "-0.25");
        assert_eq!(number(None), "-");
        assert_eq!(number(1234567.0), "1234567");
        assert_eq!([0.9999999, -0.99999999, 1.0].map(number), ["0.9999999", "-0.99999999", "1"]);
        assert_eq!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(number), ["-", "-", "-"]);
    }

    #[test]
    fn p_values_keep_three_digits() {
        assert_eq!(p_value(0.1092199), "0.109");
        assert_eq!(p_value(0.0079365), "0.00794");
        assert_eq!(p_value(1.0), "1.000");
        assert_eq!(p_value(3.2e-9), "3.20e-9");
        assert_eq!([0.0, 5e-324, 9e-301].map(p_value), ["< 1e-300", "< 1e-300", "< 1e-300"]);
        assert_eq!(p_value(1e-300), "1.00e-300");
    }
}
