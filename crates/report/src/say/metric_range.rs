use analysis::finding::metric_range::MetricRange;
use stats::words::significant;

use super::threads;

pub(super) fn say(it: &MetricRange) -> String {
    let value = |x: f64| match it.unit.as_str() {
        "1" => significant(x, 3),
        unit => format!("{} {unit}", significant(x, 3)),
    };
    let (low, high) = (value(it.low.0), value(it.high.0));
    let what = format!("`{}` of `{}`", it.metric, it.series);
    match it.low.0 == it.high.0 {
        true => format!("{what} is {low} throughout."),
        false => format!(
            "{what} is from {low} at {} to {high} at {}.",
            threads(it.low.1),
            threads(it.high.1)
        ),
    }
}
