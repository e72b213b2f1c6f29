//! Functional checks: what failed, and what a single run of a check leaves open.

use analysis::Analysis;
use analysis::checks::Check;
use stats::words::{counted, percent};

use super::numbers::probability;
use super::room::MOST_ROWS;
use super::{Block, Table};

/// The section; nothing where no run has checks.
pub fn section(analysis: &Analysis) -> Vec<Block> {
    let mut blocks = Vec::new();
    let level = percent(analysis.level.get());
    for of_run in &analysis.checks {
        let name = analysis.runs.get(of_run.run).map(|run| run.name()).unwrap_or_default();
        blocks.push(Block::Heading(
            2,
            match analysis.checks.len() {
                1 => "Checks".to_string(),
                _ => format!("Checks of {name}"),
            },
        ));
        let row = |check: &Check| {
            let exact = check.exact();
            vec![
                check.name.clone(),
                check.passed.to_string(),
                check.failed.to_string(),
                match exact.and_then(|interval| Some((interval.low?, interval.high?))) {
                    Some((low, high)) => format!("{} to {}", probability(low), probability(high)),
                    None => "skipped".to_string(),
                },
            ]
        };
        // What failed comes first; what was skipped last.
        let mut checks: Vec<&Check> = of_run.checks.iter().collect();
        checks.sort_by_key(|check| (check.failed == 0, check.passed + check.failed == 0));
        let rows = checks.iter().take(MOST_ROWS).map(|check| row(check)).collect();
        blocks.push(Block::Paragraph(
            "The interval is Clopper and Pearson's for the probability that the check fails: what its \
             repetitions leave open. Different checks are no sample of one probability, so their total \
             has none."
                .into(),
        ));
        let header = ["check", "passed", "failed"].map(str::to_string).into_iter();
        let header = header.chain([format!("exact {level}")]).collect();
        blocks.push(Block::Table(Table { header, texts: 1, rows }));
        if checks.len() > MOST_ROWS {
            let more =
                counted((checks.len() - MOST_ROWS) as u64, "more check is", "more checks are");
            blocks.push(Block::Paragraph(format!("{more} in `analysis/checks.csv`.")));
        }
    }
    blocks
}
