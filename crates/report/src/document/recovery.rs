//! How long the case's event took, and how long throughput stayed low, cell by cell, with what was censored.

use analysis::Analysis;
use analysis::recovery::{CellRecovery, SeenBy, Sense};
use stats::survival::{PointwiseMethod, notes};
use stats::words::{counted, p_value, percent, seconds, seconds_between};

use super::factor_columns::{FactorColumns, always};
use super::room::MOST_ROWS;
use super::{Block, Table};
use crate::say::case;

/// The fewest recoveries for which the test of a constant hazard is shown: with 15 it rejects 7 of
/// 100 constant ones at 5 %, below that more (`stats::survival::shape_test`).
const ENOUGH_FOR_SHAPE: u64 = 15;

/// The sections; nothing where there was nothing to recover from.
pub fn section(analysis: &Analysis) -> Vec<Block> {
    let mut blocks = of_sense(analysis, Sense::Event);
    blocks.extend(of_sense(analysis, Sense::Throughput));
    blocks
}

fn of_sense(analysis: &Analysis, sense: Sense) -> Vec<Block> {
    let fits = |one: &&CellRecovery| {
        one.sense == sense && one.n > 0 && analysis.cells.get(one.cell).is_some()
    };
    let found: Vec<&CellRecovery> = analysis.recovery.iter().filter(fits).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let factors = |one: &CellRecovery| &analysis.cells[one.cell].factors;
    let columns = FactorColumns::of(found.iter().map(|one| factors(one)), &always(analysis));
    let level = percent(analysis.level.get());
    let by_throughput = found.iter().all(|one| one.seen_by == SeenBy::Throughput);
    // One column for the shape where it is shown at all.
    let shape = found.iter().any(|one| one.events >= ENOUGH_FOR_SHAPE && one.shape_p.is_some());
    let mut header = columns.header();
    let texts = header.len();
    header.push("n".into());
    header.push(if by_throughput { "recovered" } else { case::event().over }.into());
    header.push("censored".into());
    header.push(format!("median ({level})"));
    header.push(format!("mean ({level})"));
    header.push("up to".into());
    if shape {
        header.push("Weibull shape".into());
        header.push("p, shape = 1".into());
    }
    let row = |one: &&CellRecovery| {
        let mut row = columns.row(factors(one));
        row.push(one.n.to_string());
        row.push(one.events.to_string());
        row.push((one.n - one.events.min(one.n)).to_string());
        let between = one.throughput.as_ref().and_then(|watched| watched.turnbull_median);
        row.push(match between.and_then(|at| Some((at.left_s, at.right_s?))) {
            Some((left, right)) => {
                with_bounds(seconds_between(left, right), one.median.low, one.median.high)
            }
            None => time(one.median.estimate, one.median.low, one.median.high, "not reached"),
        });
        row.push(time(one.rmst.estimate, one.rmst.low, one.rmst.high, "-"));
        row.push(one.until_s.map_or_else(String::new, seconds));
        if shape {
            let enough = one.events >= ENOUGH_FOR_SHAPE;
            let text = |value: Option<f64>, as_text: fn(f64) -> String| {
                value.filter(|_| enough).map_or_else(String::new, as_text)
            };
            row.push(text(one.weibull_shape, |shape| stats::words::significant(shape, 3)));
            row.push(text(one.shape_p, p_value));
        }
        row
    };
    let rows = found.iter().take(MOST_ROWS).map(row).collect();
    let what = match (sense, by_throughput) {
        (Sense::Throughput, _) => {
            "From the moment at which throughput fell below its share of the control to the first sample \
             from which on it kept that share, as the timelines say"
        }
        (Sense::Event, true) => {
            "From the start of the load to the recovery of the throughput, as the source tells it"
        }
        (Sense::Event, false) => case::event().from_to,
    };
    let median = match sense {
        Sense::Event => "The median is Kaplan and Meier's, with the log-log interval",
        Sense::Throughput => {
            "Trials that were below for single samples only are not among them. Begin and end are known \
             between two samples, and so is the median, by Turnbull; its interval is Kaplan and Meier's, \
             log-log, from the shortest to the longest times that the samples allow"
        }
    };
    let mut text = format!(
        "{what}. A trial whose load ended first is censored there: it counts as at least that long. \
         {median}; where fewer than half came to an end, it is not reached. The mean is the area under the curve up to the time beside it."
    );
    if shape {
        text += " Weibull's shape is below 1 where what has lasted long will last longer still, \
                 1 where the time already waited does not matter; p is the likelihood-ratio test of 1.";
    } else if found.iter().any(|one| one.events > 0) {
        text += &format!(
            " Whether the time already waited matters is not tested: that takes {ENOUGH_FOR_SHAPE} that \
             came to an end in a cell."
        );
    }
    let fewest = found.iter().map(|one| one.n).min().unwrap_or_default();
    if let Some(few) = notes::few_trials(fewest, PointwiseMethod::default()) {
        text += &format!(" {}", stats::said::survival::note(&few));
    }
    let mut blocks = vec![
        Block::Heading(
            2,
            match sense {
                Sense::Event => "Recovery".into(),
                Sense::Throughput => "Recovery of throughput".into(),
            },
        ),
        Block::Paragraph(text),
        Block::Table(Table { header, texts, rows }),
    ];
    if found.len() > MOST_ROWS {
        let more = counted((found.len() - MOST_ROWS) as u64, "more row is", "more rows are");
        blocks.push(Block::Paragraph(format!("{more} in `analysis/recovery.csv`.")));
    }
    blocks
}

/// `169 s (14 s to 300 s)`; what has no estimate has its lower bound.
fn time(estimate: Option<f64>, low: Option<f64>, high: Option<f64>, without: &str) -> String {
    with_bounds(estimate.map_or_else(|| without.to_string(), seconds), low, high)
}

fn with_bounds(what: String, low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("{what} ({} to {})", seconds(low), seconds(high)),
        (Some(low), None) => format!("{what} (above {})", seconds(low)),
        (None, Some(high)) => format!("{what} (below {})", seconds(high)),
        (None, None) => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_says_what_is_known_of_it() {
        assert_eq!(time(Some(169.0), Some(14.0), Some(300.0), "-"), "169 s (14 s to 300 s)");
        assert_eq!(time(Some(3.17), Some(1.04), None, "-"), "3.17 s (above 1.04 s)");
        assert_eq!(time(None, Some(2.0), None, "not reached"), "not reached (above 2 s)");
        assert_eq!(time(None, None, None, "not reached"), "not reached");
    }
}
