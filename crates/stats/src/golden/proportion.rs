//! One proportion against statsmodels and scipy.

use super::super::Level;
use super::super::proportion::{Proportion, summarize};
use super::{cases, close, count};

#[test]
fn intervals_agree_with_statsmodels_and_scipy() {
    for case in cases(include_str!("../../oracle/golden/proportion.json")) {
        let of = Proportion::new(count(&case["k"]), count(&case["n"])).unwrap();
        let level = Level::new(case["level"].as_f64().unwrap()).unwrap();
        for interval in summarize(of, level).intervals {
            let expected = &case[interval.method];
            close(interval.low, expected[0].as_f64(), 1e-9, &case);
            close(interval.high, expected[1].as_f64(), 1e-9, &case);
        }
    }
}
