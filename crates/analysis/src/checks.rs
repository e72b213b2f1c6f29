//! `checks.csv` of a run: functional checks, such as kselftest's, with how often each passed and
//! failed.
//!
//! The unit is one check: its repetitions share a probability of failing, and an interval says what
//! they leave open. A check that ran once can't be told from one that fails every now and then, and
//! its interval says so. Different checks are no sample of one probability, so their total is a
//! count without an interval.

use std::path::Path;

use model::columns::CHECKS;
use records::RecordError;
use records::table::Table;
use serde::Serialize;

use crate::csv_text::{CsvText, number};
use crate::error::AnalysisError;
use crate::run::Run;
use stats::proportion::{Proportion, ProportionSummary, summarize};
use stats::{Interval, Level};

const FILE: &str = "checks.csv";

/// One check of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// Times it passed.
    pub passed: u64,
    /// Times it failed.
    pub failed: u64,
    /// Its probability of failing; `None` where it was skipped every time.
    pub failure: Option<ProportionSummary>,
}

impl Check {
    /// Clopper and Pearson's interval for its probability of failing.
    pub fn exact(&self) -> Option<&Interval> {
        let failure = self.failure.as_ref()?;
        failure.intervals.iter().find(|interval| interval.method == "clopper-pearson")
    }
}

/// The checks of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunChecks {
    /// The run, by its place among the runs.
    pub run: usize,
    /// Its checks, in the order of its file.
    pub checks: Vec<Check>,
}

impl RunChecks {
    /// How many passed every time, failed at least once, and never ran.
    pub fn counts(&self) -> [u64; 3] {
        let count =
            |is: fn(&Check) -> bool| self.checks.iter().filter(|one| is(one)).count() as u64;
        [
            count(|one| one.failed == 0 && one.passed > 0),
            count(|one| one.failed > 0),
            count(|one| one.failed == 0 && one.passed == 0),
        ]
    }
}

/// Name, passed and failed of each check of a run; empty where the run has none.
///
/// # Errors
/// A file that can't be read; a count that is no whole number; a check that is there twice.
pub fn read(folder: &Path) -> Result<Vec<(String, u64, u64)>, RecordError> {
    let file = folder.join(FILE);
    if !file.exists() {
        return Ok(Vec::new());
    }
    let table = Table::read(&file, &CHECKS)?;
    table.unique("check")?;
    // The table's reader has checked that each is a whole number.
    let counts = |column: &str| -> Vec<u64> {
        table.column(column).into_iter().filter_map(|(_, cell)| cell.parse().ok()).collect()
    };
    let (passed, failed) = (counts("passed"), counts("failed"));
    let names = table.column("check").into_iter().map(|(_, name)| name);
    Ok(names
        .zip(passed)
        .zip(failed)
        .map(|((name, passed), failed)| (name, passed, failed))
        .collect())
}

/// The checks of every run that has some.
pub fn of(runs: &[Run], level: Level) -> Result<Vec<RunChecks>, AnalysisError> {
    let mut found = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let mut checks = Vec::new();
        for (name, passed, failed) in read(&run.folder)? {
            let n = passed.saturating_add(failed);
            let failure = match n {
                0 => None,
                n => Some(summarize(Proportion::new(failed, n)?, level)),
            };
            checks.push(Check { name, passed, failed, failure });
        }
        if !checks.is_empty() {
            found.push(RunChecks { run: at, checks });
        }
    }
    Ok(found)
}

/// The text of `analysis/checks.csv`.
pub fn csv(checks: &[RunChecks], runs: &[Run]) -> String {
    let columns = ["run", "check", "passed", "failed", "failure_p", "exact_low", "exact_high"];
    let mut out = CsvText::new(columns.iter());
    for of_run in checks {
        let name = runs.get(of_run.run).map(Run::name).unwrap_or_default();
        for check in &of_run.checks {
            let exact = check.exact();
            out.row(vec![
                name.clone(),
                check.name.clone(),
                check.passed.to_string(),
                check.failed.to_string(),
                number(check.failure.as_ref().map(|failure| failure.estimate)),
                number(exact.and_then(|interval| interval.low)),
                number(exact.and_then(|interval| interval.high)),
            ]);
        }
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Synthetic;
    use crate::{Options, analyze};

    fn with(checks: &str) -> Result<crate::Analysis, AnalysisError> {
        let mut made = Synthetic::new(2);
        made.manifest.executor = model::manifest::Origin::Imported;
        made.manifest.definition = serde_json::json!({"name": "self"});
        let (_folder, run) = made.written();
        std::fs::write(run.join(FILE), format!("check,passed,failed\n{checks}")).unwrap();
        analyze(&[run], &Options::default())
    }

    #[test]
    fn a_run_of_checks_alone_is_analysed_without_a_rule() {
        let found = with("futex: a,1,0\nfutex: b,0,1\nfutex: c,7,3\nfutex: d,0,0\n").unwrap();
        assert_eq!(found.checks[0].counts(), [1, 2, 1]);
        let once = found.checks[0].checks[0].exact().unwrap();
        assert_eq!(once.low, Some(0.0));
        assert!((once.high.unwrap() - 0.975).abs() < 1e-12, "{once:?}");
        let ten = found.checks[0].checks[2].exact().unwrap();
        assert!((ten.low.unwrap() - 0.066740).abs() < 1e-6, "{ten:?}");
        assert!((ten.high.unwrap() - 0.652453).abs() < 1e-6, "{ten:?}");
        assert_eq!(found.checks[0].checks[3].failure, None, "skipped is neither");
        let crate::finding::Finding::Checks(counted) = &found.findings[0] else { panic!() };
        assert_eq!((counted.passed, counted.failed.len(), counted.skipped), (1, 2, 1));
        let csv = csv(&found.checks, &found.runs);
        assert!(csv.lines().nth(3).unwrap().contains(",futex: c,7,3,0.3,0.0667"), "{csv}");
        assert!(csv.ends_with(",futex: d,0,0,,,\n"), "{csv}");
    }

    #[test]
    fn a_count_that_is_none_and_a_check_that_is_twice_are_named() {
        let error = |checks| with(checks).unwrap_err().to_string();
        assert!(error("a,1,-1\n").contains("checks.csv line 2: failed is \"-1\""));
        assert!(error("a,1,0\na,1,0\n").contains("checks.csv line 3"));
    }
}
