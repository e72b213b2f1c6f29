//! Functional checks of both sides, each against its like: those of a side's runs, added up by name.
//!
//! Checks are deterministic by intent. One that never failed on the base and fails on the test side
//! regressed, whatever a p-value says of 1 against 1; one that fails on the base too is held to Fisher's
//! test. One that passed on the base and has no result on the test side is no pass: a kernel that dies
//! in it leaves no line in the log either.

use std::collections::BTreeMap;
use std::path::Path;

use records::RecordError;
use serde::Serialize;

use super::harm_finding::HarmFinding;
use crate::factors::natural;
use stats::two_by_two::{TwoByTwo, fisher};
use stats::{Alternative, Level};

/// A functional check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// Passed and failed, base side; `None` where the base does not bring it.
    pub base: Option<[u64; 2]>,
    /// Passed and failed, test side.
    pub test: Option<[u64; 2]>,
    /// Fisher's exact test that both sides fail alike, two-sided.
    pub p_value: Option<f64>,
    /// What it says.
    pub finding: HarmFinding,
}

/// Passed and failed, by the check's name.
pub fn read<'a>(
    runs: impl IntoIterator<Item = &'a Path>,
) -> Result<BTreeMap<String, [u64; 2]>, RecordError> {
    let mut checks: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for run in runs {
        for (name, passed, failed) in crate::checks::read(run)? {
            let sum = checks.entry(name).or_default();
            for (sum, count) in sum.iter_mut().zip([passed, failed]) {
                *sum = sum.saturating_add(count);
            }
        }
    }
    Ok(checks)
}

/// Every check of either side, in the natural order of names.
pub fn compare(
    base: &BTreeMap<String, [u64; 2]>,
    test: &BTreeMap<String, [u64; 2]>,
    level: Level,
) -> Vec<Check> {
    let mut names: Vec<&String> = base.keys().chain(test.keys()).collect();
    names.sort_unstable();
    names.dedup();
    names.sort_by(|a, b| natural(a, b));
    let of = |name: &String| {
        let (base, test) = (base.get(name).copied(), test.get(name).copied());
        let count = |[passed, failed]: [u64; 2]| (failed, passed.saturating_add(failed));
        let table = base.zip(test).and_then(|(base, test)| {
            let ((k1, n1), (k2, n2)) = (count(base), count(test));
            TwoByTwo::new(k1, n1, k2, n2).ok()
        });
        let p_value = table.and_then(|table| fisher::test(table, Alternative::TwoSided).p_value);
        let finding = match (base, test) {
            // It passed, and what became of it is not known.
            (Some([passed, _]), None | Some([0, 0])) if passed > 0 => HarmFinding::Unclear,
            (_, None) | (_, Some([_, 0])) => HarmFinding::NoneSeen,
            // It failed, and nobody knows how the base does.
            (None | Some([0, 0]), Some(_)) => HarmFinding::Unclear,
            (Some([_, 0]), Some(_)) => HarmFinding::Found,
            (Some(_), Some(_)) => {
                let more = table.is_some_and(|table| table.difference() > 0.0);
                match p_value {
                    Some(p) if more && p <= level.alpha() => HarmFinding::Found,
                    _ if more => HarmFinding::Unclear,
                    _ => HarmFinding::NoneSeen,
                }
            }
        };
        Check { name: name.clone(), base, test, p_value, finding }
    };
    names.into_iter().map(of).collect()
}

/// Whether a side has a result of it.
fn ran(side: Option<[u64; 2]>) -> bool {
    side.is_some_and(|counts| counts != [0, 0])
}

impl Check {
    /// Whether the test side has a result of it.
    pub fn ran_on_test(&self) -> bool {
        ran(self.test)
    }

    /// Whether the base side has a result of it.
    pub fn ran_on_base(&self) -> bool {
        ran(self.base)
    }

    /// Whether it passed on the base side, and has no result on the test side.
    pub fn is_lost(&self) -> bool {
        self.base.is_some_and(|[passed, _]| passed > 0) && !self.ran_on_test()
    }

    /// Fisher's p where the finding goes by it: where the check failed on the base side too.
    pub fn deciding_p(&self) -> Option<f64> {
        self.p_value.filter(|_| self.base.is_some_and(|[_, failed]| failed > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(base: &[(&str, [u64; 2])], test: &[(&str, [u64; 2])]) -> Vec<Check> {
        let map = |of: &[(&str, [u64; 2])]| {
            of.iter().map(|(name, counts)| (name.to_string(), *counts)).collect()
        };
        compare(&map(base), &map(test), Level::P95)
    }

    #[test]
    fn checks_of_several_runs_add_up_and_a_run_without_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let run = |name: &str, text: &str| {
            let run = folder.path().join(name);
            std::fs::create_dir(&run).unwrap();
            if !text.is_empty() {
                std::fs::write(run.join("checks.csv"), format!("check,passed,failed\n{text}"))
                    .unwrap();
            }
            run
        };
        let runs = [run("a", "x,3,0\n"), run("b", "x,1,2\ny,0,1\n"), run("c", "")];
        let found = read(runs.iter().map(|run| run.as_path())).unwrap();
        assert_eq!(found, BTreeMap::from([("x".into(), [4, 2]), ("y".into(), [0, 1])]));
        std::fs::write(runs[2].join("checks.csv"), "check,passed,failed\nx,many,0\n").unwrap();
        let error = read(runs.iter().map(|run| run.as_path())).unwrap_err().to_string();
        assert!(error.contains("line 2: passed is \"many\""), "{error}");
    }

    #[test]
    fn a_check_that_never_failed_and_now_does_regressed_whatever_p_says() {
        let found = checks(
            &[("requeue", [1, 0]), ("wait", [12, 0])],
            &[("requeue", [0, 1]), ("wait", [12, 0])],
        );
        assert_eq!(found[0].finding, HarmFinding::Found);
        assert_eq!((found[0].p_value, found[0].deciding_p()), (Some(1.0), None));
        assert_eq!(found[1].finding, HarmFinding::NoneSeen);
    }

    #[test]
    fn a_check_that_fails_on_the_base_too_needs_an_exact_test() {
        let of = |base, test| checks(&[("flaky", base)], &[("flaky", test)])[0].clone();
        assert_eq!(of([9, 1], [8, 2]).finding, HarmFinding::Unclear);
        assert!(of([9, 1], [8, 2]).deciding_p().is_some());
        assert_eq!(of([99, 1], [60, 40]).finding, HarmFinding::Found);
        assert_eq!(of([8, 2], [8, 2]).finding, HarmFinding::NoneSeen);
    }

    #[test]
    fn a_failure_without_a_base_is_unclear_and_a_failure_of_the_base_alone_is_none() {
        assert_eq!(checks(&[], &[("stress-ng", [0, 1])])[0].finding, HarmFinding::Unclear);
        assert_eq!(checks(&[], &[("stress-ng", [1, 0])])[0].finding, HarmFinding::NoneSeen);
        assert_eq!(checks(&[("x", [0, 1])], &[])[0].finding, HarmFinding::NoneSeen);
        // Skipped there is as if it were not there.
        let skipped = checks(&[("x", [0, 0])], &[("x", [0, 1])]);
        assert_eq!(skipped[0].finding, HarmFinding::Unclear);
    }

    #[test]
    fn a_pass_that_the_test_side_does_not_repeat_is_unclear_and_named() {
        let base = [("a", [1, 0]), ("b", [1, 0]), ("c", [1, 0])];
        let found = checks(&base, &[("a", [1, 0]), ("b", [0, 0])]);
        let findings: Vec<HarmFinding> = found.iter().map(|check| check.finding).collect();
        assert_eq!(findings, [HarmFinding::NoneSeen, HarmFinding::Unclear, HarmFinding::Unclear]);
        assert_eq!(checks(&base, &[]).iter().filter(|check| check.is_lost()).count(), 3);
    }

    #[test]
    fn names_are_in_their_natural_order() {
        let names: Vec<String> = (1..=12).rev().map(|at| format!("other {at} of 12")).collect();
        let all = |counts| names.iter().map(|name| (name.as_str(), counts)).collect::<Vec<_>>();
        let found = checks(&all([1, 0]), &all([0, 1]));
        assert_eq!(found[1].name, "other 2 of 12");
        assert_eq!(found[11].name, "other 12 of 12");
    }
}
