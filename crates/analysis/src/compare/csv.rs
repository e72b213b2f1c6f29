//! `strata.csv`: a row a stratum, one-sided ones too.

use model::columns::FACTORS;

use super::{Comparison, Which};
use crate::csv_text::{CsvText, integer, number};
use stats::two_by_two::Contrast;

const COLUMNS: [&str; 26] = [
    "stratum",
    "cpus",
    "nodes",
    "role",
    "base_trials",
    "base_failed",
    "base_stalled",
    "base_n",
    "test_trials",
    "test_failed",
    "test_stalled",
    "test_n",
    "difference",
    "difference_low",
    "difference_high",
    "reduction",
    "reduction_low",
    "reduction_high",
    "method",
    "p",
    "p_holm",
    "p_fisher",
    "throughput_ratio",
    "throughput_ratio_low",
    "throughput_ratio_high",
    "throughput_of",
];

/// The text. Empty is what could not be observed, or does not exist.
pub fn strata(comparison: &Comparison) -> String {
    let mut out = CsvText::new(FACTORS.iter().chain(&COLUMNS));
    for (at, stratum) in comparison.strata.iter().enumerate() {
        let mut row: Vec<String> = stratum.factors.iter().map(|(_, t)| t.to_string()).collect();
        row.push(stratum.name.clone());
        row.extend([integer(stratum.cpus), integer(stratum.nodes)]);
        row.push(if stratum.is_control { "control" } else { "compared" }.to_string());
        for tally in [&stratum.base, &stratum.test] {
            for count in [tally.trials, tally.failed, tally.stalled, tally.observed] {
                row.push(count.to_string());
            }
        }
        match comparison.efficacy.strata.iter().find(|found| found.stratum == at) {
            Some(found) => {
                let difference: &Contrast = &found.effect.difference;
                let interval = difference.intervals.first();
                row.push(number(difference.estimate));
                row.push(number(interval.and_then(|i| i.low)));
                row.push(number(interval.and_then(|i| i.high)));
                let reduction = found.effect.reduction;
                row.extend([reduction.estimate, reduction.low, reduction.high].map(number));
                row.push(found.test_result.method.to_string());
                row.extend([found.test_result.p_value, found.p_holm, found.p_fisher].map(number));
            }
            None => row.extend(std::iter::repeat_n(String::new(), 10)),
        }
        let cost = [(&comparison.cost.control, "all"), (&comparison.cost.unstalled, "unstalled")];
        let ratio = cost.iter().find_map(|(cost, of)| {
            cost.strata.iter().find(|ratio| ratio.stratum == at).map(|ratio| (ratio, *of))
        });
        match ratio {
            Some((found, of)) => {
                let ratio = found.ratio;
                row.extend([ratio.estimate, ratio.low, ratio.high].map(number));
                row.push(of.to_string());
            }
            None => row.extend(std::iter::repeat_n(String::new(), 4)),
        }
        out.row(row);
    }
    for one in &comparison.one_sided {
        let mut row: Vec<String> = one.factors.iter().map(|(_, text)| text.to_string()).collect();
        row.push(one.name.clone());
        row.extend([integer(one.cpus), integer(one.nodes)]);
        row.push(format!("{} only", one.side.name()));
        for side in Which::BOTH {
            match side == one.side {
                true => row.extend([one.trials, one.failed, one.stalled].map(|n| n.to_string())),
                false => row.extend(std::iter::repeat_n(String::new(), 3)),
            }
            row.push(String::new());
        }
        row.extend(std::iter::repeat_n(String::new(), 14));
        out.row(row);
    }
    out.finish()
}
