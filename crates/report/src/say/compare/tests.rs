//! Comparisons of made-up runs and of the published ones, from folders to sentences.

use std::path::{Path, PathBuf};

use model::record::{Pivot, Status};
use serde_json::{Value, json};
use tempfile::TempDir;

use analysis::compare::cost::CostFinding;
use analysis::compare::drift::Moved;
use analysis::compare::gate::Gate;
use analysis::compare::harm_finding::HarmFinding as Finding;
use analysis::compare::order::Order;
use analysis::compare::recovery::Change;
use analysis::compare::sensitivity::Scenario;
use analysis::compare::verdict::{Because, Kind};
use analysis::compare::{Asked, CompareError, Comparison, Options, Which, compare};
use analysis::synthetic::Synthetic;

use super::error::with_advice;

/// A run on a kernel, with a label.
fn side(kernel: &str, patch: &str, started: &str) -> Made {
    let mut made = Synthetic::new(192);
    made.manifest.started_at = started.into();
    made.manifest.ended_at = Some(format!("{started}1"));
    made.manifest.labels = [("patch".to_string(), patch.to_string())].into();
    Made { made, kernel: kernel.into(), labels: format!("patch={patch}") }
}

struct Made {
    made: Synthetic,
    kernel: String,
    labels: String,
}

impl Made {
    /// Trials at a thread count, the first ones stalled, and as many controls.
    fn trials(mut self, threads: u32, stalled: u32, n: u32) -> Self {
        for at in 0..n {
            let mops = 1000.0 + f64::from(at);
            for (hash, mops) in
                [("auto", if at < stalled { 12.0 } else { mops }), ("slots:512", mops)]
            {
                let row = self.made.trial(threads, hash);
                row.mops_per_s = Some(mops);
                row.kernel = self.kernel.clone();
                row.labels = self.labels.clone();
                row.block = u64::from(at) + 1;
                if hash == "auto" && at < stalled {
                    (row.pivot, row.pivot_s) = (Some(Pivot::Pending), Some(1.0));
                }
            }
        }
        self
    }

    fn change(mut self, change: impl Fn(&mut Synthetic)) -> Self {
        change(&mut self.made);
        self
    }

    fn written(&self) -> (TempDir, PathBuf) {
        self.made.written()
    }
}

fn stock() -> Made {
    side("7.3.0", "stock", "2026-09-01T10:00:00Z")
}

fn fix() -> Made {
    side("7.3.0-fix", "fix", "2026-09-01T11:00:00Z")
}

fn try_with(base: &Made, test: &Made, options: &Options) -> Result<Comparison, CompareError> {
    let (_base, base) = base.written();
    let (_test, test) = test.written();
    compare(&Asked::Runs { base: vec![base], test: vec![test] }, options)
}

/// One run with both sides in its blocks, told apart by the label `patch`.
fn in_one_run(base: &Made, test: &Made) -> Synthetic {
    let mut both = Synthetic::new(192);
    both.manifest = base.made.manifest.clone();
    both.manifest.labels.clear();
    both.manifest.planned += test.made.manifest.planned;
    for made in [&base.made, &test.made] {
        let before = both.rows.len() as u64;
        both.rows.extend(made.rows.iter().cloned());
        both.samples.extend(made.samples.iter().cloned().map(|mut sample| {
            sample.trial += before;
            sample
        }));
    }
    for (at, row) in both.rows.iter_mut().enumerate() {
        (row.sequence, row.trial) = (at as u64 + 1, at as u64 + 1);
    }
    both
}

/// Both sides in the same blocks.
fn compared_with(base: &Made, test: &Made, options: &Options) -> Comparison {
    let (_folder, run) = in_one_run(base, test).written();
    let patch = |made: &Made| vec![made.made.manifest.labels["patch"].clone()];
    let (base, test) = (patch(base), patch(test));
    compare(&Asked::By { runs: vec![run], key: "patch".into(), base, test }, options).unwrap()
}

fn compared(base: &Made, test: &Made) -> Comparison {
    compared_with(base, test, &Options::default())
}

/// One side after the other, a run each.
fn one_after_the_other(base: &Made, test: &Made) -> Comparison {
    try_with(base, test, &Options::default()).unwrap()
}

fn refused(base: &Made, test: &Made) -> String {
    let error = try_with(base, test, &Options::default()).unwrap_err();
    assert!(error.is_request());
    with_advice(&error)
}

fn published(run: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/published").join(run)
}

fn all(comparison: &Comparison) -> String {
    [super::answer(comparison), super::details(comparison)].concat().join("\n")
}

fn says(comparison: &Comparison, text: &str) {
    let all = all(comparison);
    assert!(all.contains(text), "{text:?} is not in\n{all}");
}

#[test]
fn the_published_patch_harms_and_one_side_after_the_other_shows_no_more() {
    let asked =
        Asked::Runs { base: vec![published("3-stock")], test: vec![published("3-patched")] };
    let found = compare(&asked, &Options::default()).unwrap();
    assert_eq!(
        (found.verdict.kind, found.verdict.because),
        (Kind::Undecided, Because::TooFewUnits { of_trials: Kind::Reduced })
    );
    assert_eq!(found.efficacy.strata.len(), 5);
    assert_eq!(found.efficacy.pooled.counts, [[28, 72], [0, 72]]);
    assert_eq!((found.base.name.as_str(), found.test.name.as_str()), ("stock", "blocked-waiters"));
    let linear = found.efficacy.strata.iter().find(|s| s.name.contains("linear:3s")).unwrap();
    assert!((linear.p_fisher.unwrap() - 0.109).abs() < 5e-4);
    assert_eq!(found.harm.finding, Finding::Found);
    let regressed: Vec<&str> = found
        .harm
        .checks
        .iter()
        .filter(|check| check.finding == Finding::Found)
        .map(|check| check.name.as_str())
        .collect();
    assert_eq!(regressed, ["futex: futex_requeue", "futex: futex_requeue_pi"]);
    assert_eq!((found.order, found.gate), (Order::Unknown, Gate::Fail));
    says(&found, "If all trials were independent it would be `reduced`");
    says(&found, "Check `futex: futex_requeue` regressed");
    // What is one machine's label on both sides is a stratum, and no confounder.
    assert!(found.machines.confounded.is_empty());
    assert!(found.trust.can_be_trusted);
}

#[test]
fn four_of_24_against_none_is_undecided_and_says_what_would_decide_it() {
    let found = compared(&stock().trials(192, 4, 24), &fix().trials(192, 0, 24));
    assert_eq!((found.verdict.kind, found.gate), (Kind::Undecided, Gate::Undecided));
    says(&found, "p = 0.109 by Fisher's exact test");
    says(&found, "22 more trials a side at 192 threads, 46 in all, would decide it");
    assert_eq!(found.harm.finding, Finding::NoneSeen);
    says(&found, "Harm: none seen in 48 trials of the test side");
}

#[test]
fn a_fix_that_leaves_one_mode_is_judged_by_the_cut_of_both_sides() {
    let split = Options { stall: Some("split".parse().unwrap()), ..Options::default() };
    let (base, test) = (stock().trials(96, 12, 80), fix().trials(96, 0, 80));
    let found = compared_with(&base, &test, &split);
    assert_eq!(found.efficacy.pooled.counts, [[12, 80], [0, 80]]);
    assert_eq!(found.verdict.kind, Kind::Fixed);
}

#[test]
fn of_one_stratum_its_ratio_and_the_common_one_are_the_same() {
    let found = compared(&stock().trials(96, 9, 24), &fix().trials(96, 3, 24));
    let [only] = &found.efficacy.strata[..] else { panic!("{:?}", found.efficacy.strata) };
    let pooled = &found.efficacy.pooled.effect;
    assert_eq!((&only.effect.ratio, only.effect.reduction), (&pooled.ratio, pooled.reduction));
    assert_eq!(only.effect.ratio.intervals[0].method, "miettinen-nurminen");
}

#[test]
fn enough_trials_without_a_stall_are_a_fix_and_pass_the_gate() {
    let found = compared(&stock().trials(192, 40, 60), &fix().trials(192, 0, 60));
    assert_eq!((found.verdict.kind, found.gate), (Kind::Fixed, Gate::Pass));
    assert_eq!(found.gate.status(), 0);
    assert_eq!(found.drift.moved, Moved::Held);
    assert_eq!(found.cost.control.finding, Some(CostFinding::NonInferior));
    assert_eq!(found.order, Order::Interleaved);
    let json: Value = serde_json::from_str(&found.json()).unwrap();
    assert_eq!(json["verdict"]["kind"], "fixed");
    assert_eq!(json["gate"], "pass");
    assert_eq!(json["base"]["name"], "stock");
    let csv = found.files().remove(0).1;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.contains(",compared,60,0,40,60,60,0,0,60,"), "{csv}");
}

#[test]
fn the_sides_can_be_chosen_within_a_run() {
    let mut both = stock().trials(192, 20, 30);
    both.made.rows.extend(fix().trials(192, 0, 30).made.rows);
    for (at, row) in both.made.rows.iter_mut().enumerate() {
        (row.sequence, row.trial) = (at as u64 + 1, at as u64 + 1);
    }
    let (_folder, run) = both.written();
    let by = |key: &str, base: &str, test: &str| {
        let (base, test) = (vec![base.to_string()], vec![test.to_string()]);
        let asked = Asked::By { runs: vec![run.clone()], key: key.into(), base, test };
        compare(&asked, &Options::default())
    };
    let found = by("kernel", "7.3.0", "7.3.0-fix").unwrap();
    assert_eq!((found.verdict.kind, found.order), (Kind::Reduced, Order::Interleaved));
    assert_eq!(found.base.name, "7.3.0");
    assert_eq!(found.told_by.len(), 2, "the kernel and the label: {:?}", found.told_by);
    let labelled = by("patch", "stock", "fix").unwrap();
    assert_eq!(labelled.verdict, found.verdict);
    assert!(
        super::again::words(&labelled).join(" ").contains("--by patch --base stock --test fix")
    );
    let error = |key: &str, base: &str, test: &str| {
        by(key, base, test).map_err(|error| with_advice(&error)).unwrap_err()
    };
    assert!(
        error("patch", "stock", "v3").contains("no trial has patch v3. There are fix and stock")
    );
    assert!(error("vendor", "a", "b").contains("Accepted here: kernel and patch"));
    assert!(error("patch", "fix", "fix").contains("named for both sides"));
    assert!(error("cpus", "96", "192").contains("another size"));
    let empty = Asked::By { runs: vec![run], key: "patch".into(), base: vec![], test: vec![] };
    let error =
        compare(&empty, &Options::default()).map_err(|error| with_advice(&error)).unwrap_err();
    assert!(error.contains("the base side is empty"), "{error}");
}

#[test]
fn a_run_on_both_sides_its_copy_and_no_run_are_refused() {
    let (folder, run) = stock().trials(192, 4, 8).written();
    let of = |base: &Path, test: &Path| {
        let asked = Asked::Runs { base: vec![base.into()], test: vec![test.into()] };
        compare(&asked, &Options::default()).map_err(|error| with_advice(&error)).unwrap_err()
    };
    assert!(of(&run, &run.join(".")).contains("is on both sides"));
    let copy = folder.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    for file in ["manifest.json", "trials.csv"] {
        std::fs::copy(run.join(file), copy.join(file)).unwrap();
    }
    assert!(of(&run, &copy).contains("one is a copy of the other"));
    assert!(of(&run, Path::new("nowhere")).contains("nowhere does not exist"));
    assert!(of(&run, folder.path()).contains("is not a run: it has no manifest.json"));
    let asked = Asked::Runs { base: vec![], test: vec![run] };
    let error =
        compare(&asked, &Options::default()).map_err(|error| with_advice(&error)).unwrap_err();
    assert!(error.contains("the base side is empty"), "{error}");
}

#[test]
fn a_side_without_trials_or_with_failed_ones_only_is_refused() {
    assert!(refused(&stock(), &fix().trials(96, 0, 8)).contains("no trial has ended in"));
    let failing = fix().change(|made| {
        for _ in 0..5 {
            made.failed(192, "auto", Status::Crashed, "race-trial was killed: SIGSEGV");
        }
    });
    let error = refused(&stock().trials(192, 4, 8), &failing);
    assert!(error.contains("all 5 trials of the test side failed"), "{error}");
    assert!(error.contains("SIGSEGV"), "{error}");
}

#[test]
fn sides_without_a_common_stratum_are_told_what_differs() {
    let error = refused(&stock().trials(96, 4, 8), &fix().trials(192, 0, 8));
    assert!(error.contains("they differ in threads (96 and 192)"), "{error}");
    let larger = fix().trials(96, 0, 8).change(|made| {
        for row in &mut made.rows {
            row.cpus = Some(96);
        }
    });
    let error = refused(&stock().trials(96, 4, 8), &larger);
    assert!(error.contains("they differ in CPUs (192 and 96)"), "{error}");
    let only_control = |made: &mut Synthetic| made.rows.retain(|r| r.hash.to_string() != "auto");
    let (base, test) = (stock().trials(96, 4, 8), fix().trials(96, 0, 8));
    let error = refused(&base.change(only_control), &test.change(only_control));
    assert!(error.contains("are all controls (slots:512)"), "{error}");
}

#[test]
fn what_only_one_side_has_is_listed_and_not_used() {
    let base = stock().trials(96, 8, 8).trials(128, 8, 8);
    let found = compared(&base, &fix().trials(96, 0, 8).trials(192, 3, 8));
    assert_eq!(found.efficacy.strata.len(), 1);
    let names: Vec<(Which, &str)> =
        found.one_sided.iter().map(|one| (one.side, one.name.as_str())).collect();
    assert_eq!(names.len(), 4, "with their controls: {names:?}");
    says(&found, "Cells that only one side has are not used: 2 cells on the base side");
}

#[test]
fn other_durations_and_rules_need_force_and_are_then_said() {
    let longer = |made: &mut Synthetic| made.rows.iter_mut().for_each(|r| r.duration_s = Some(3.0));
    let (base, test) = (stock().trials(96, 8, 8), fix().trials(96, 0, 8).change(longer));
    let error = refused(&base, &test);
    assert!(error.contains("the duration of a trial is 1 s on the base side and 3 s"), "{error}");
    let force = Options { force: true, ..Options::default() };
    let found = try_with(&base, &test, &force).unwrap();
    says(
        &found,
        "Forced: the duration of a trial is 1 s on the base side and 3 s on the test side",
    );
    let other = |made: &mut Synthetic| {
        made.manifest.definition["outcome"]["stall"] = json!("absolute:100");
    };
    let test = fix().trials(96, 0, 8).change(other);
    assert!(refused(&base, &test).contains("the stall rule is control:0.5 on the base side"));
    says(&try_with(&base, &test, &force).unwrap(), "Forced: the stall rule is control:0.5");
    let one = Options { stall: Some("absolute:50".parse().unwrap()), ..Options::default() };
    assert!(try_with(&base, &test, &one).unwrap().forced.is_empty());
}

#[test]
fn several_kernels_on_a_side_are_not_pooled_in_silence() {
    let mut base = stock().trials(96, 8, 8);
    let older = side("7.2.0", "stock", "").trials(96, 2, 8).made.rows;
    base.made.rows.extend(older);
    for (at, row) in base.made.rows.iter_mut().enumerate() {
        (row.sequence, row.trial) = (at as u64 + 1, at as u64 + 1);
    }
    let test = fix().trials(96, 0, 8);
    assert!(refused(&base, &test).contains("the base side holds the kernels 7.2.0 and 7.3.0"));
    let force = Options { force: true, ..Options::default() };
    says(&try_with(&base, &test, &force).unwrap(), "Forced: the base side pools the kernels");
}

#[test]
fn different_machines_are_a_confounder() {
    let other = |made: &mut Synthetic| made.manifest.machine.cpu_model = Some("EPYC 9R45".into());
    let (base, test) = (stock().trials(96, 40, 60), fix().trials(96, 0, 60).change(other));
    let found = one_after_the_other(&base, &test);
    assert!(!found.trust.can_be_trusted);
    assert_eq!((found.verdict.kind, found.gate), (Kind::Undecided, Gate::Undecided));
    says(&found, "This comparison can't be trusted");
    says(&found, "Confounded with the machine: the base side ran on Xeon 6975P-C, 192 CPUs");
}

/// The fix loses a fifth everywhere, the control included.
fn slower(made: &mut Synthetic) {
    made.rows.iter_mut().for_each(|row| row.mops_per_s = row.mops_per_s.map(|mops| 0.8 * mops));
}

#[test]
fn a_control_that_moved_between_the_sides_takes_the_trust_away() {
    let (base, test) = (stock().trials(96, 40, 60), fix().trials(96, 0, 60).change(slower));
    let found = one_after_the_other(&base, &test);
    assert_eq!((found.drift.moved, found.drift.may_be_the_machine), (Moved::Moved, true));
    assert_eq!(found.gate, Gate::Undecided);
    says(&found, "The control moved between the sides: its throughput is 0.8 times the base's");
}

#[test]
fn within_the_same_blocks_a_moved_control_is_the_patch_s_cost() {
    let mut both = stock().trials(96, 40, 60);
    both.made.rows.extend(fix().trials(96, 0, 60).change(slower).made.rows);
    for (at, row) in both.made.rows.iter_mut().enumerate() {
        (row.sequence, row.trial) = (at as u64 + 1, at as u64 + 1);
    }
    let (_folder, run) = both.written();
    let (base, test) = (vec!["stock".into()], vec!["fix".into()]);
    let asked = Asked::By { runs: vec![run], key: "patch".into(), base, test };
    let found = compare(&asked, &Options::default()).unwrap();
    assert_eq!((found.drift.moved, found.drift.may_be_the_machine), (Moved::Moved, false));
    assert!(found.trust.can_be_trusted);
    assert_eq!(found.cost.control.finding, Some(CostFinding::Inferior));
    says(&found, "a loss of more than 5 % is shown in the control cells: the throughput is 0.800");
    assert_eq!((found.verdict.kind, found.gate), (Kind::Fixed, Gate::Undecided));
    says(&found, "`--gate` does not pass with such a loss");
}

/// Sides that are fixed at 96 threads, with so many base trials at 192, where the test side has a share
/// of the base's throughput.
fn costly_at_192(base_n: u32, share: f64) -> Comparison {
    let base = stock().trials(96, 40, 60).trials(192, 0, base_n);
    let test = fix().trials(96, 0, 60).trials(192, 0, 60).change(|made| {
        for row in made.rows.iter_mut().filter(|row| row.threads == 192) {
            if row.hash.to_string() == "auto" {
                row.mops_per_s = row.mops_per_s.map(|mops| mops * share);
            }
        }
    });
    compared(&base, &test)
}

#[test]
fn a_stratum_with_few_values_is_named_and_its_loss_said_first() {
    let found = costly_at_192(4, 0.6);
    assert_eq!((found.verdict.kind, found.gate), (Kind::Fixed, Gate::Undecided));
    let cost = &found.cost.unstalled;
    assert_eq!(cost.finding, Some(CostFinding::NonInferior), "of the mean");
    assert_eq!(cost.losses.len(), 1);
    assert!(cost.losses[0].p_value.unwrap() < 1e-4);
    assert_eq!((cost.losses[0].ratio.low, cost.strata[1].ratio.high), (None, None));
    says(
        &found,
        "Cost: a loss of more than 5 % is shown in trials that did not stall: the throughput is 0.617 of \
         the base's at 192 threads (too few values for an interval; Mann and Whitney's exact test",
    );
    says(
        &found,
        "of the base's throughput in trials that did not stall at 96 threads: there, a loss",
    );
    says(&found, "no loss is excluded there: 192 threads (0.617 of 4 and 60 values)");
}

#[test]
fn a_stratum_with_few_values_and_no_loss_is_named_and_passes() {
    let found = costly_at_192(2, 0.98);
    assert_eq!((found.verdict.kind, found.gate), (Kind::Fixed, Gate::Pass));
    says(&found, "192 threads (1.008 of 2 and 60 values)");
    assert!(found.cost.unstalled.losses.is_empty());
}

#[test]
fn a_mean_hides_no_stratum_that_loses() {
    // At 96 threads it gains what it loses at 192.
    let base = stock().trials(96, 40, 60).trials(192, 0, 60);
    let test = fix().trials(96, 0, 60).trials(192, 0, 60).change(|made| {
        for row in made.rows.iter_mut().filter(|row| row.hash.to_string() == "auto") {
            let share = if row.threads == 192 { 0.8 } else { 1.25 };
            row.mops_per_s = row.mops_per_s.map(|mops| mops * share);
        }
    });
    let found = compared(&base, &test);
    assert_eq!(found.cost.unstalled.finding, Some(CostFinding::NonInferior));
    assert_eq!(found.gate, Gate::Undecided);
    says(
        &found,
        "Cost: a loss of more than 5 % is shown in trials that did not stall: the throughput is 0.800 (",
    );
    says(&found, "the mean of 2 strata: a loss of more than 5 % of this mean is excluded");
}

#[test]
fn where_all_trials_of_a_side_stalled_no_cost_is_the_reason_and_not_no_throughput() {
    let no_control = |made: &mut Synthetic| made.rows.retain(|row| row.hash.to_string() == "auto");
    let absolute = Options { stall: Some("absolute:100".parse().unwrap()), ..Options::default() };
    let (base, test) = (
        stock().trials(192, 20, 20).change(no_control),
        fix().trials(192, 0, 20).change(no_control),
    );
    let found = try_with(&base, &test, &absolute).unwrap();
    says(
        &found,
        "Cost: not quoted, as each of the 20 trials of `stock` that have a throughput stalled",
    );
    let silent = test.change(|made| made.rows.iter_mut().for_each(|row| row.mops_per_s = None));
    let pivot = Options { stall: Some("pivot:1s".parse().unwrap()), ..Options::default() };
    let found = try_with(&base, &silent, &pivot).unwrap();
    says(&found, "no throughput of `fix` was recorded in a common stratum");
}

/// Growths that were installed: at 16 threads the later on the test side, at 48 the earlier.
fn opposite_recoveries() -> [Made; 2] {
    let timed = |of: Made, at_16: f64, at_48: f64| {
        of.change(|made| {
            let rows = made.rows.iter_mut().filter(|row| row.hash.to_string() == "auto");
            for (at, row) in rows.enumerate() {
                let median = if row.threads == 16 { at_16 } else { at_48 };
                row.pivot = Some(Pivot::Settled);
                row.pivot_s = Some(median * (0.8 + 0.02 * (at % 20) as f64));
            }
        })
    };
    [
        timed(stock().trials(16, 0, 20).trials(48, 0, 20), 0.35, 4.0),
        timed(fix().trials(16, 0, 20).trials(48, 0, 20), 0.45, 0.8),
    ]
}

#[test]
fn opposite_recoveries_have_no_hazard_ratio_in_common() {
    let [base, test] = opposite_recoveries();
    let found = compared(&base, &test);
    let recovery = &found.recovery;
    assert!(recovery.ratios_differ && recovery.hazard_ratio.is_none());
    let changes: Vec<Change> = recovery.strata.iter().map(|one| one.change).collect();
    assert_eq!(changes, [Change::Slower, Change::Quicker]);
    says(
        &found,
        "The hazard ratio is not the same in all strata (p < 0.0001 by the likelihood ratio)",
    );
    says(&found, "Recovery became slower with `fix` at 16 threads (hazard ratio 0.");
    says(&found, "Recovery became quicker with `fix` at 48 threads (hazard ratio above ");
    says(&found, "Restricted mean time to recovery, test minus base: 0.0");
    let json: Value = serde_json::from_str(&found.json()).unwrap();
    assert_eq!(json["recovery"]["hazard_ratio"], Value::Null);
    assert_eq!(json["recovery"]["strata"][0]["change"], "slower");
    assert!(json["recovery"]["homogeneity"]["p_value"].as_f64().unwrap() < 1e-4);
    // The same ratio twice has one in common.
    let alike = compared(&base, &base_of_another_kernel());
    assert!(!alike.recovery.ratios_differ && alike.recovery.hazard_ratio.is_some());
    says(&alike, "; hazard ratio 1 (");
}

/// The base's times again, on the other kernel.
fn base_of_another_kernel() -> Made {
    let [base, _] = opposite_recoveries();
    let mut other = fix();
    other.made.rows = base.made.rows;
    for row in &mut other.made.rows {
        (row.kernel, row.labels) = (other.kernel.clone(), other.labels.clone());
    }
    other
}

#[test]
fn a_bound_above_the_base_is_said_once_with_what_to_do() {
    let loose = Options { fixed_below: 0.99, ..Options::default() };
    let (base, test) = (stock().trials(192, 20, 40), fix().trials(192, 0, 40));
    let found = compared_with(&base, &test, &loose);
    assert_eq!(found.verdict.because, Because::BaseBelowBound);
    let all = all(&found);
    assert_eq!(all.matches("--fixed-below").count(), 1, "{all}");
}

#[test]
fn a_control_of_one_side_is_told_from_the_cells_beside_it() {
    let found = compared(&stock().trials(96, 4, 8).trials(128, 4, 8), &fix().trials(96, 0, 8));
    says(&found, "2 cells on the base side (128 threads and 128 threads (control))");
}

#[test]
fn controls_that_stall_on_one_side_are_a_drift_too() {
    let test = fix().trials(96, 0, 20).change(|made| {
        for row in made.rows.iter_mut().filter(|row| row.hash.to_string() != "auto").take(8) {
            row.mops_per_s = Some(1.0);
        }
    });
    let found = one_after_the_other(&stock().trials(96, 20, 20), &test);
    assert_eq!(found.drift.stalled, [[0, 20], [8, 20]]);
    assert!(!found.trust.can_be_trusted);
    says(&found, "it stalled in 0 of 20 trials of the base side and 8 of 20 of the test side");
}

#[test]
fn emulated_throughput_is_no_cost() {
    let lab =
        |made: &mut Synthetic| made.manifest.executor = model::manifest::Origin::Lab { boots: 4 };
    let (base, test) = (stock().trials(96, 8, 8).change(lab), fix().trials(96, 0, 8).change(lab));
    let pivot = Options { stall: Some("pivot:1s".parse().unwrap()), ..Options::default() };
    let found = try_with(&base, &test, &pivot).unwrap();
    assert!(found.cost.control.strata.is_empty());
    says(&found, "Cost: not quoted, as the trials ran in guests");
    assert_eq!(found.drift.moved, Moved::NotShown);
    let by_throughput = compared(&base, &test);
    says(&by_throughput, "`--stall pivot:1s` judges by the hash");
}

#[test]
fn recovery_is_compared_with_what_was_pending_censored() {
    let times = |after: &'static [f64], pending: usize| {
        move |made: &mut Synthetic| {
            let auto = made.rows.iter_mut().filter(|row| row.hash.to_string() == "auto");
            for (at, row) in auto.enumerate() {
                (row.pivot, row.pivot_s) = match after.get(at) {
                    Some(after) => (Some(Pivot::Settled), Some(*after)),
                    None if at < after.len() + pending => (Some(Pivot::Pending), Some(4.0)),
                    None => (Some(Pivot::None), None),
                };
            }
        }
    };
    let base = stock().trials(96, 0, 8).change(times(&[1.0, 1.5, 2.0, 2.5, 3.0, 3.5], 2));
    let test = fix().trials(96, 0, 8).change(times(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], 0));
    let found = compared(&base, &test);
    let [one] = found.recovery.strata.as_slice() else { panic!("{:?}", found.recovery) };
    assert_eq!((one.summary.groups[0].events, one.summary.groups[1].events), (6, 8));
    assert!(found.recovery.log_rank.as_ref().unwrap().p_value.unwrap() < 0.001);
    assert!(found.recovery.hazard_ratio.as_ref().unwrap().intervals[0].low.unwrap() > 1.0);
    says(&found, "installed under load in 6 of 8 trials of `stock` and 8 of 8 of `fix`");
    // As `stat survival` says it, by the same function.
    says(
        &found,
        "With fewer than 10 events on a side (base has 6 events and test has 8 events), the",
    );
    assert_eq!(found.recovery.notes, one.summary.contrasts[0].notes);
    let never_due = fix().trials(96, 0, 8).change(times(&[], 0));
    let found = compared(&base, &never_due);
    assert!(found.recovery.log_rank.is_none());
    says(&found, "growth was due on the base side, and in no trial of the test side");
}

#[test]
fn failed_trials_are_counted_and_what_they_could_change_is_said() {
    let failing = |made: &mut Synthetic| {
        let auto = made.rows.iter_mut().filter(|row| row.hash.to_string() == "auto");
        for row in auto.take(20) {
            (row.mops_per_s, row.pivot, row.pivot_s) = (None, None, None);
            (row.status, row.error) = (Status::Timeout, Some("no answer within 60 s".into()));
        }
    };
    let (base, test) = (stock().trials(96, 20, 30), fix().trials(96, 0, 30).change(failing));
    let found = compared(&base, &test);
    assert_eq!(found.verdict.kind, Kind::Reduced);
    let against = found.sensitivity.iter().find(|s| s.scenario == Scenario::AgainstTest).unwrap();
    // 20 of 30 on both sides.
    assert_eq!((against.verdict, against.changes), (Kind::LargeEffectExcluded, true));
    says(&found, "of 60 trials of `fix` 20 failed");
    says(&found, "The verdict would be large effect excluded if");
    assert_eq!(found.harm.finding, Finding::Found, "20 of 60 timeouts against none");
    says(&found, "Timed out: 20 of 60 trials of the test side");
}

#[test]
fn one_kernel_complaint_where_the_base_had_none_is_harm() {
    let watched = |splat: &'static str| {
        move |made: &mut Synthetic| {
            for row in &mut made.rows {
                row.splats = Some("none".into());
            }
            if !splat.is_empty() {
                made.rows[0].splats = Some(splat.into());
            }
        }
    };
    let base = stock().trials(96, 8, 8).change(watched(""));
    let test = fix().trials(96, 0, 8).change(watched("WARNING: kernel/futex/core.c:1"));
    let found = compared(&base, &test);
    assert_eq!((found.harm.finding, found.gate), (Finding::Found, Gate::Fail));
    says(&found, "The kernel complained in 1 of 16 trials of the test side");
    // The same on both sides is no harm of the patch.
    let found = compared(&base.change(watched("WARNING: x")), &test);
    assert_eq!(found.harm.finding, Finding::NoneSeen);
    // Where the base was not watched, nobody knows.
    let found = compared(&stock().trials(96, 8, 8), &test);
    assert_eq!(found.harm.finding, Finding::Unclear);
    says(&found, "Harm is not excluded");
}

/// Puts a run's status column where an import says that its source has it, or leaves it unsaid.
fn imported(status: Option<Value>) -> impl Fn(&mut Synthetic) {
    move |made| {
        made.manifest.executor = model::manifest::Origin::Imported;
        made.manifest.started_at = String::new();
        made.manifest.definition["import"] = match &status {
            Some(status) => json!({ "status": status, "blocks": true }),
            None => json!({ "blocks": true }),
        };
    }
}

#[test]
fn blocks_that_an_import_made_up_are_no_turns() {
    let without = |made: &mut Synthetic| {
        imported(None)(made);
        made.manifest.definition["import"] = json!({});
    };
    let base = stock().trials(96, 40, 60).change(without);
    let found = compared(&base, &fix().trials(96, 0, 60).change(without));
    assert_eq!((found.verdict.kind, found.gate), (Kind::Undecided, Gate::Undecided));
    says(&found, "no record says that the sides were measured in turns");
}

/// Every third trial crashes.
fn crashing(made: &mut Synthetic) {
    for row in made.rows.iter_mut().step_by(3) {
        (row.mops_per_s, row.pivot, row.pivot_s) = (None, None, None);
        (row.status, row.error) = (Status::Crashed, Some("signal 11".into()));
    }
}

#[test]
fn an_imported_status_counts_where_the_source_says_it() {
    let all = || imported(Some(json!("all")));
    let base = stock().trials(96, 40, 60).change(all());
    let crashed = fix().trials(96, 0, 60).change(crashing);
    let found = compared(&base, &crashed.change(all()));
    assert_eq!((found.harm.finding, found.gate), (Finding::Found, Gate::Fail));
    says(&found, "Crashed: 40 of 120 trials of the test side, such as \"signal 11\", 0 of 120 of");
    // A run that was imported before its manifest told it: only the source can have said `crashed`.
    let old = fix().trials(96, 0, 60).change(crashing).change(imported(None));
    assert_eq!(compared(&base, &old).harm.finding, Finding::Found);
    // The base does not say how its trials ended.
    let unsaid = stock().trials(96, 40, 60).change(imported(None));
    let found = one_after_the_other(&unsaid, &old);
    assert_eq!(found.harm.finding, Finding::Unclear);
    says(
        &found,
        "40 of 120 trials of the test side, such as \"signal 11\", and of the base side it",
    );
    // All ended well, as the source says; of ten it does not.
    let some = json!({ "not_of": (1..=10).collect::<Vec<u64>>() });
    let found = one_after_the_other(&base, &fix().trials(96, 0, 60).change(imported(Some(some))));
    assert_eq!((found.harm.finding, found.gate), (Finding::NoneSeen, Gate::Undecided));
    assert_eq!((found.harm.trials, found.harm.compared), (110, 120));
    says(
        &found,
        "none seen in 110 of the 120 trials of the test side, those whose end is recorded",
    );
}

#[test]
fn copies_are_refused_on_both_sides_on_one_and_under_other_labels() {
    let (_f, fixed) = fix().trials(96, 0, 20).written();
    let (_b, base) = stock().trials(96, 8, 20).written();
    let force = Options { force: true, ..Options::default() };
    let error = |base: &[&PathBuf], test: &[&PathBuf]| {
        let of = |runs: &[&PathBuf]| runs.iter().map(|run| run.to_path_buf()).collect();
        let asked = Asked::Runs { base: of(base), test: of(test) };
        compare(&asked, &force).map(drop).map_err(|error| with_advice(&error)).err()
    };
    // Gone on with: more rows than the original, the first ones the same.
    let (_r, resumed) = stock().trials(96, 8, 20).trials(192, 8, 20).written();
    for (base_runs, test_runs) in
        [(vec![&base, &resumed], vec![&fixed]), (vec![&base], vec![&resumed])]
    {
        let error = error(&base_runs, &test_runs).expect("refused");
        assert!(error.contains(&base.display().to_string()), "{error}");
        assert!(error.contains(&resumed.display().to_string()), "{error}");
    }
    // Imports of one log under two labels.
    let import = |patch: &str, n: u32, source: &str| {
        let mut of = side("7.3.0", patch, "").trials(96, 3, n).change(imported(None));
        of.made.manifest.source.sha256 = source.into();
        of
    };
    let (_a, stock_log) = import("stock", 20, "a").written();
    let (_c, fix_log) = import("fix", 20, "b").written();
    let error_of = error(&[&stock_log], &[&fix_log]).expect("refused");
    assert!(error_of.contains("hold the same measurements"), "{error_of}");
    // Counts alone may be equal by chance, but not in one text.
    let counts = |patch: &str, source: &str| {
        import(patch, 20, source).change(|made| {
            for row in &mut made.rows {
                (row.mops_per_s, row.ops, row.elapsed_s, row.pivot_s) = (None, None, None, None);
                row.pivot = Some(if row.trial % 2 == 0 { Pivot::None } else { Pivot::Unsupported });
            }
        })
    };
    let ((_d, one), (_e, other)) = (counts("stock", "a").written(), counts("fix", "b").written());
    assert!(error(&[&one], &[&other]).is_none_or(|error| !error.contains("same measurements")));
    let (_g, same) = counts("fix", "a").written();
    assert!(error(&[&one], &[&same]).expect("refused").contains("same measurements"));
}

#[test]
fn harm_that_nobody_looked_for_is_not_observed_and_not_none_seen() {
    let unsaid = || imported(None);
    let base = stock().trials(96, 40, 60).change(unsaid());
    let test = fix().trials(96, 0, 60).change(unsaid());
    let found = compared(&base, &test);
    assert_eq!(found.verdict.kind, Kind::Fixed);
    assert_eq!((found.harm.finding, found.gate), (Finding::NotObserved, Gate::Pass));
    says(&found, "Harm: not observed. The kernel's console was not watched");
    // Checks alone are something that was looked at.
    let (_base, base) = base.written();
    let (_test, test) = test.written();
    for run in [&base, &test] {
        std::fs::write(run.join("checks.csv"), "check,passed,failed\na,1,0\n").unwrap();
    }
    let asked = Asked::Runs { base: vec![base], test: vec![test] };
    let found = compare(&asked, &Options::default()).unwrap();
    assert_eq!((found.harm.finding, found.gate), (Finding::NoneSeen, Gate::Undecided));
    says(&found, "Harm: none seen. How the trials ended is not recorded.");
    says(&found, "1 functional check on the test side, none of which regressed");
}

/// A run of functional checks alone, labelled as its side.
fn checks_run(patch: &str, text: &str) -> (TempDir, PathBuf) {
    let mut made = Synthetic::new(2);
    imported(None)(&mut made);
    made.manifest.labels = [("patch".to_string(), patch.to_string())].into();
    let (folder, run) = made.written();
    std::fs::write(run.join("checks.csv"), format!("check,passed,failed\n{text}")).unwrap();
    (folder, run)
}

#[test]
fn a_run_of_checks_alone_belongs_to_the_side_that_it_is_named_for_or_labelled_with() {
    let (_b, base) = stock().trials(96, 40, 60).written();
    let (_t, test) = fix().trials(96, 0, 60).written();
    let (_cb, base_checks) = checks_run("stock", "a,1,0\nb,1,0\nc,1,0\n");
    let (_ct, failing) = checks_run("fix", "a,1,0\nb,0,1\nc,0,1\n");
    let (_cc, cut) = checks_run("fix", "a,1,0\nb,0,0\n");
    let (_co, other) = checks_run("v3", "a,0,1\n");
    let (_cn, nobody) = checks_run("fix", "a,0,1\n");
    let mut manifest = records::manifest::read(&nobody).unwrap();
    manifest.labels.clear();
    records::manifest::write(&manifest, &nobody).unwrap();
    let named = |tests: &[&PathBuf]| {
        let tests = tests.iter().map(|run| run.to_path_buf()).collect();
        let asked = Asked::Runs { base: vec![base.clone(), base_checks.clone()], test: tests };
        compare(&asked, &Options::default()).unwrap()
    };
    let by = |more: &PathBuf| {
        let runs = [&base, &base_checks, &test, more].map(PathBuf::clone).to_vec();
        let (base, test) = (vec!["stock".into()], vec!["fix".into()]);
        let asked = Asked::By { runs, key: "patch".into(), base, test };
        compare(&asked, &Options::default()).unwrap()
    };
    for found in [named(&[&test, &failing]), by(&failing)] {
        assert_eq!((found.harm.finding, found.gate), (Finding::Found, Gate::Fail));
        says(
            &found,
            "Check `b` regressed: 1 passed, 0 failed on the base side, 0 passed, 1 failed on",
        );
        assert_eq!(found.test.runs.len(), 2, "they are among the side's runs");
    }
    // What passed on the base and has no result on the test side may have taken the kernel with it.
    for found in [named(&[&test, &cut]), by(&cut), named(&[&test])] {
        assert_eq!((found.harm.finding, found.gate), (Finding::Unclear, Gate::Undecided));
    }
    says(
        &by(&cut),
        "Checks `b` and `c` passed on the base side and have no result on the test side",
    );
    says(&named(&[&test]), "Checks `a`, `b` and `c` passed on the base side and have no result");
    // Another label is not asked for; none at all is told.
    assert_ne!(by(&other).harm.finding, Finding::Found);
    let unplaced = by(&nobody);
    assert_eq!(unplaced.harm.finding, Finding::Unclear);
    says(&unplaced, "which belong to no one patch");
    let alone = Asked::Runs { base: vec![base_checks.clone()], test: vec![failing.clone()] };
    let error =
        compare(&alone, &Options::default()).map_err(|error| with_advice(&error)).unwrap_err();
    assert!(error.contains("Functional checks alone tell harm and no effect"), "{error}");
}

#[test]
fn what_the_test_side_lost_or_has_alone_is_unclear() {
    let base = stock().trials(96, 40, 60);
    // Planned checks without a result.
    let cut = |made: &mut Synthetic| {
        made.manifest.definition["import"] = json!({ "checks_without_result": 2 });
    };
    let found = one_after_the_other(&base, &fix().trials(96, 0, 60).change(cut));
    assert_eq!((found.harm.finding, found.gate), (Finding::Unclear, Gate::Undecided));
    says(&found, "2 checks planned in the test side's logs have no result in them");
    let equal = one_after_the_other(
        &stock().trials(96, 40, 60).change(cut),
        &fix().trials(96, 0, 60).change(cut),
    );
    assert_eq!(equal.harm.finding, Finding::NoneSeen);
    // Planned trials without a row.
    let stopped = |made: &mut Synthetic| made.manifest.planned += 7;
    let found = one_after_the_other(&base, &fix().trials(96, 0, 60).change(stopped));
    assert_eq!((found.harm.finding, found.gate), (Finding::Unclear, Gate::Undecided));
    says(&found, "7 trials planned on the test side have no row");
    // A crash in a cell that the base lacks.
    let alone = |made: &mut Synthetic| {
        let like = made.rows[0].clone();
        made.failed(384, "auto", Status::Crashed, "signal 7");
        if let Some(row) = made.rows.last_mut() {
            (row.kernel, row.labels) = (like.kernel, like.labels);
        }
    };
    let found = one_after_the_other(&base, &fix().trials(96, 0, 60).change(alone));
    assert_eq!((found.harm.finding, found.gate), (Finding::Unclear, Gate::Undecided));
    says(&found, "In cells that only the test side has, 1 of 1 trial failed");
    says(&found, "such as \"signal 7\"");
}

#[test]
fn when_all_that_is_compared_failed_that_is_said_and_that_it_is_harm() {
    let hanging = |made: &mut Synthetic| {
        for row in made.rows.iter_mut().filter(|row| row.hash.to_string() == "auto") {
            (row.mops_per_s, row.pivot, row.pivot_s) = (None, None, None);
            (row.status, row.error) = (Status::Timeout, Some("no answer within 60 s".into()));
        }
    };
    let error = refused(&stock().trials(96, 8, 12), &fix().trials(96, 0, 12).change(hanging));
    for part in [
        "all 12 trials of the test side in the strata that both sides have failed",
        "most often: no answer within 60 s",
        "Harm found. Timed out: 12 of 24 trials of the test side",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!error.contains("--stall"), "{error}");
}

#[test]
fn stolen_time_is_said_and_left_out_for_a_second_look() {
    let stolen = |made: &mut Synthetic| {
        made.rows.iter_mut().for_each(|row| row.steal_s = Some(0.0));
        made.rows.iter_mut().take(4).for_each(|row| row.steal_s = Some(20.0));
    };
    let found = compared(&stock().trials(96, 8, 12), &fix().trials(96, 0, 12).change(stolen));
    assert_eq!((found.test.disturbed.trials, found.test.disturbed.known), (4, 24));
    assert!(found.sensitivity.iter().any(|s| s.scenario == Scenario::WithoutDisturbed));
    says(&found, "stolen by a hypervisor in 4 of 24 trials of `fix`");
}

#[test]
fn a_comparison_of_like_with_like_says_so() {
    let again = side("7.3.0", "stock", "2026-09-01T12:00:00Z");
    let found = one_after_the_other(&stock().trials(96, 8, 8), &again.trials(96, 8, 8));
    assert_eq!(
        found.verdict.because,
        Because::TooFewUnits { of_trials: Kind::LargeEffectExcluded }
    );
    assert_eq!((found.base.name.as_str(), found.test.name.as_str()), ("base", "test"));
    says(&found, "Nothing that was recorded tells the sides apart");
}

#[test]
fn a_share_out_of_its_range_is_refused() {
    let (base, test) = (stock().trials(96, 8, 8), fix().trials(96, 0, 8));
    for options in [
        Options { margin: 0.0, ..Options::default() },
        Options { fixed_below: f64::NAN, ..Options::default() },
    ] {
        let error = try_with(&base, &test, &options).unwrap_err();
        assert!(error.is_request() && error.to_string().contains("such as 5%"), "{error}");
    }
}

#[test]
fn several_labels_confound_and_are_all_named() {
    let with = |made: Made, compiler: &str| {
        made.change(|made| {
            for row in &mut made.rows {
                row.labels = format!("{};compiler={compiler}", row.labels);
            }
        })
    };
    let base = with(stock().trials(192, 60, 60), "gcc");
    let test = with(fix().trials(192, 0, 60), "clang");
    let found = one_after_the_other(&base, &test);
    assert_eq!((found.base.name.as_str(), found.test.name.as_str()), ("gcc, stock", "clang, fix"));
    assert_eq!(found.gate, Gate::Undecided);
    says(&found, "The labels `compiler` and `patch` all tell the sides apart");
}

#[test]
fn a_fix_that_hangs_on_trials_without_an_outcome_does_not_pass() {
    let unknown = |n: u32| {
        fix().trials(192, 0, 80).change(|made| {
            let mut left = n;
            for row in made.rows.iter_mut().filter(|row| row.hash.to_string() == "auto") {
                if left > 0 {
                    (row.pivot, row.pivot_s, row.mops_per_s) = (None, None, None);
                    left -= 1;
                }
            }
        })
    };
    let base = stock().trials(192, 70, 80);
    assert_eq!(compared(&base, &unknown(0)).gate, Gate::Pass);
    let found = compared(&base, &unknown(15));
    assert_eq!((found.verdict.kind, found.gate), (Kind::Fixed, Gate::Undecided));
    says(&found, "The verdict would be reduced if");
}

#[test]
fn a_duration_that_one_side_does_not_tell_is_a_limit() {
    let base = stock().trials(192, 60, 60);
    let test = fix().trials(192, 0, 60).change(|made| {
        for row in &mut made.rows {
            row.duration_s = None;
        }
    });
    says(
        &compared(&base, &test),
        "How long a trial lasted is known of one side only at 192 threads",
    );
}

#[test]
fn boots_are_counted_and_not_their_trials() {
    // Boots of both sides in each block, a guest each.
    let booted = |made: Made, boots: u32, of_side: u32| {
        made.change(move |made| {
            for row in made.rows.iter_mut() {
                row.boot = Some(2 * ((row.block as u32 - 1) % boots) + of_side);
            }
        })
    };
    let of = |boots: u32, stalled: u32, left: u32| {
        let base = booted(stock().trials(192, stalled, 60), boots, 1);
        compared(&base, &booted(fix().trials(192, left, 60), boots, 2))
    };
    let one = of(1, 54, 0);
    assert_eq!((one.verdict.kind, one.gate), (Kind::Undecided, Gate::Undecided));
    assert_eq!(one.verdict.because, Because::TooFewUnits { of_trials: Kind::Fixed });
    says(&one, "Undecided: `fix` stalled in 0 of 60 trials, `stock` in 54 of 60.");
    says(
        &one,
        "If all trials were independent it would be `fixed`, but they come from one boot a side",
    );
    says(
        &one,
        "12 boots of 5 trials a cell for each side would do, instead of one boot: `--boots 12`.",
    );
    assert!(one.outlook.is_none());
    let twelve = of(12, 54, 0);
    assert_eq!(twelve.verdict.because, Because::BoundNotReached);
    assert_eq!((twelve.units.base, twelve.units.test), (12, 12));
    says(
        &twelve,
        "up to 22.1 % of trials like these may still stall, above the 5 % that `fixed` allows",
    );
    says(
        &twelve,
        "59 boots of `fix` without a stall where `stock` stalls would make it `fixed` (at most 5 %).",
    );
    says(&twelve, "Probability that `fix` stalls less often than `stock`: above 99.9 %");
    assert_eq!(of(59, 54, 0).verdict.kind, Kind::Fixed);
}

#[test]
fn a_boot_that_is_a_label_is_a_unit_and_no_factor() {
    let labelled = |made: Made, of_side: u64| {
        made.change(move |made| {
            for row in made.rows.iter_mut() {
                row.labels =
                    format!("boot={};{}", 2 * ((row.block - 1) % 12) + of_side, row.labels);
            }
        })
    };
    let base = labelled(stock().trials(192, 54, 60), 1);
    let found = compared(&base, &labelled(fix().trials(192, 0, 60), 2));
    assert_eq!((found.efficacy.strata.len(), found.units.base, found.units.test), (1, 12, 12));
    assert!(found.trust.can_be_trusted, "{:?}", found.trust);
    assert_eq!(found.verdict.because, Because::BoundNotReached);
}

#[test]
fn a_perfect_fix_of_a_rare_stall_is_told_how_many_trials_would_show_it() {
    let found = compared(&stock().trials(96, 1, 300), &fix().trials(96, 0, 300));
    assert_eq!(found.verdict.because, Because::NeitherShownNorExcluded);
    says(
        &found,
        "About 2400 trials a side at 96 threads would show such a difference (0.33 % and 0 %)",
    );
}

#[test]
fn words_and_table_go_by_one_test() {
    // Where the base stalls always, and where it never does: the second stratum is worse by the table.
    let base = stock().trials(96, 20, 20).trials(192, 0, 20);
    let found = compared(&base, &fix().trials(96, 0, 20).trials(192, 6, 20));
    let [_, second] = &found.efficacy.strata[..] else { panic!("{:?}", found.efficacy.strata) };
    assert!(second.p_holm.is_some_and(|p| p <= 0.05), "{second:?}");
    assert_eq!(found.verdict.because, Because::MoreStallsInStratum { stratum: 1 });
    // And an interval leaves out no effect only where the test rejects it.
    let found = compared(&stock().trials(96, 24, 24), &fix().trials(96, 20, 24));
    assert_eq!(found.verdict.kind, Kind::LargeEffectExcluded);
    assert_eq!(found.efficacy.pooled.effect.ratio.intervals[0].high, Some(1.0));
}

#[test]
fn one_side_after_the_other_decides_nothing() {
    let (base, test) = (stock().trials(192, 40, 60), fix().trials(192, 0, 60));
    let found = one_after_the_other(&base, &test);
    assert_eq!((found.verdict.kind, found.gate), (Kind::Undecided, Gate::Undecided));
    assert_eq!(found.order, Order::OneAfterTheOther);
    says(&found, "the sides were not measured in turns");
    says(
        &found,
        "Measure both in the same blocks of one run, or 12 runs of 5 trials a cell for each side",
    );
}

#[test]
fn runs_in_turns_are_counted_as_stretches() {
    let mut folders = Vec::new();
    let mut asked = [Vec::new(), Vec::new()];
    for turn in 0..6 {
        for (side, patch, kernel) in [(0, "stock", "7.3.0"), (1, "fix", "7.3.0-fix")] {
            let at = 2 * turn + side;
            let made = self::side(kernel, patch, &format!("2026-09-01T10:{at:02}:00Z"));
            let made = made.trials(192, if side == 0 { 4 } else { 0 }, 5).change(|made| {
                made.rows.iter_mut().for_each(|row| row.seed += 100 * at as u64);
                made.manifest.seed = at as u64;
            });
            let (folder, run) = made.written();
            folders.push(folder);
            asked[side].push(run);
        }
    }
    let [base, test] = asked;
    let found = compare(&Asked::Runs { base, test }, &Options::default()).unwrap();
    assert_eq!((found.order, found.units.base, found.units.test), (Order::Alternating, 6, 6));
    assert_eq!(found.verdict.kind, Kind::Reduced);
    says(&found, "from 6 stretches of time a side");
}

#[test]
fn stalls_where_the_base_had_none_are_named() {
    let base = stock().trials(96, 60, 60).trials(192, 0, 100);
    let found = compared(&base, &fix().trials(96, 0, 60).trials(192, 2, 100));
    assert_eq!(found.verdict.kind, Kind::Fixed);
    says(
        &found,
        "`fix` also stalled where `stock` did not: in 2 of 100 at 192 threads (base: 0 of 100)",
    );
    // And where it is shown to be above the bound, more trials elsewhere are no advice.
    let base = stock().trials(96, 20, 20).trials(192, 0, 20);
    let found = compared(&base, &fix().trials(96, 0, 20).trials(192, 4, 20));
    assert_eq!(found.verdict.because, Because::StratumAboveBound { stratum: 1 });
    says(
        &found,
        "at 192 threads it stalls in more than the 5 % that `fixed` allows (4 of 20 stalled)",
    );
    says(&found, "only if `fix` really stalls in less than 5 % at 192 threads, and 4 of 20 speak");
}

#[test]
fn of_one_stretch_a_side_no_recovery_is_told_from_chance() {
    let found = one_after_the_other(&stock().trials(96, 8, 24), &fix().trials(96, 0, 24));
    assert!(found.recovery.log_rank.is_none() && !found.recovery.are_enough);
    says(&found, "too few stretches of time to tell it from chance");
}
