use analysis::finding::against_control::{AgainstControl, RatioRange};
use stats::words::{counted, p_is, significant};

use super::{interval, threads};

pub(super) fn cell(it: &AgainstControl) -> String {
    let trials = match it.n {
        [1, 1] => "1 trial each".to_string(),
        [a, b] if a == b => format!("{a} trials each"),
        [a, b] => format!("{a} and {b} trials"),
    };
    let Some(ratio) = it.ratio.estimate else {
        return format!(
            "{} of `{}` at {} has no ratio to that of its control, whose median is 0: nothing was done \
             there ({trials}).",
            what(&it.what),
            it.series,
            threads(it.threads)
        );
    };
    let times = significant(ratio, 3);
    let interval = match interval(&it.ratio, it.level) {
        Some(interval) => format!("{interval}; {trials}"),
        None => format!("{trials}, so without an interval"),
    };
    let test = it.p.filter(|_| it.n.iter().all(|n| *n > 1));
    let test = test.map_or_else(String::new, |p| format!("; Mann-Whitney {}", p_is(p)));
    format!(
        "{} of `{}` at {} is {times} times its control's ({interval}{test}).",
        what(&it.what),
        it.series,
        threads(it.threads)
    )
}

pub(super) fn range(it: &RatioRange) -> String {
    format!(
        "{} of {} is from {} (`{}`) to {} (`{}`) times that of the control: the table has each.",
        what(&it.what),
        counted(it.cells, "cell", "cells"),
        significant(it.low.0, 3),
        it.low.1,
        significant(it.high.0, 3),
        it.high.1
    )
}

fn what(name: &str) -> String {
    match name {
        "throughput" => "The throughput".to_string(),
        metric => format!("`{metric}`"),
    }
}
