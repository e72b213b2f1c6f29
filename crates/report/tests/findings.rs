//! What an analysis says, whole, from made-up runs.

use analysis::synthetic::Synthetic;
use analysis::warning::Warning;
use analysis::{Analysis, AnalysisError, Options, analyze};
use model::factor::Span;
use model::outcome::Condition;
use model::record::{Pivot, Status};
use serde_json::{Value, json};
use stats::Level;

fn analysis(made: &Synthetic) -> Analysis {
    with(made, &Options::default()).unwrap()
}

fn with(made: &Synthetic, options: &Options) -> Result<Analysis, AnalysisError> {
    let (_folder, run) = made.written();
    analyze(&[run], options)
}

fn answer(made: &Synthetic) -> String {
    stallscope_report::say::all(&analysis(made)).join("\n")
}

fn small_machine() -> Synthetic {
    let mut made = Synthetic::new(2);
    for threads in [1, 2, 4] {
        for trial in 0..10 {
            made.trial(threads, "auto").mops_per_s = Some(4.0 + f64::from(trial) / 10.0);
            made.trial(threads, "slots:512").mops_per_s = Some(4.05 + f64::from(trial) / 10.0);
        }
    }
    made
}

#[test]
fn a_machine_that_cannot_show_the_race_says_so_first() {
    let lines = stallscope_report::say::all(&analysis(&small_machine()));
    assert_eq!(
        lines,
        [
            "This machine can't show the race: on 2 CPUs the kernel asks for no more than 16 slots, which \
             every threaded process has from its start. No growth of the private hash was due in any of 30 \
             trials. A machine with more than 4 CPUs can, or the lab on this one: `experiments run \
             race-sweep --kernel debian:7.0 --cpus 32`.",
            "Throughput of `auto` against its control, where no growth is due: 0.989 times."
        ]
    );
}

#[test]
fn slow_trials_where_nothing_is_due_are_not_called_the_race() {
    let mut made = small_machine();
    made.rows[0].mops_per_s = Some(0.5);
    let answer = answer(&made);
    assert!(answer.starts_with("This machine can't show the race"), "{answer}");
    assert!(answer.contains("1 of 30 trials of `auto` was slow by the rule `control:0.5`"));
    assert!(!answer.contains("stalled from"), "{answer}");
}

#[test]
fn too_few_threads_on_a_large_machine_are_the_threads_fault() {
    let mut made = Synthetic::new(96);
    for _ in 0..10 {
        made.trial(4, "auto");
        made.trial(4, "slots:512");
    }
    let answer = answer(&made);
    assert!(answer.starts_with("These thread counts can't show the race: up to 4 threads"));
}

#[test]
fn the_reported_machine_stalls_from_48_threads_on() {
    let lines = stallscope_report::say::all(&analysis(&Synthetic::reported()));
    assert_eq!(
        lines,
        [
            "`auto` stalled from 48 threads on: 1 of 10 at 48, 8 of 10 at 56, 10 of 10 at 64, 9 of \
             10 at 72 and 10 of 10 at 96 (rule `absolute:100`). 0 of 10 at each of 24, 32 and 40 \
             threads (at most 25.9 %), with 95 % confidence for each.",
            "By a logistic curve over log2(threads), half of the trials of `auto` stall at 53.2 \
             threads (49.5 to 56.8, 95 % interval), a tenth at 45.1 and nine tenths at 62.7.",
            "In all 38 stalled trials of `auto` the growth of the private hash was pending to the \
             end of the load.",
            "Stalled trials of `auto` ran at 1.1 % of their control's median throughput (the median \
             of 38; 9.4 Mops/s).",
            "At 96 threads the growth of `auto` was installed under load in 0 of 10 trials: it takes \
             longer than the load lasted. At fewer threads: at 72 in 1 of 10; at 64 in 0 of 10; at 56 \
             in 2 of 10; at 48 in 9 of 10, median 20 ms (20 ms to 20 ms); at 40 in 10 of 10, median \
             20 ms; at 32 in 10 of 10, median 20 ms; at 24 in 10 of 10, median 20 ms.",
            "By its timeline, throughput of `auto` at 96 threads was below 50 % of the control's in 10 \
             of 10 trials (the control's own in 0 of 10), and in none of them back there for 100 ms before its samples end. \
             At fewer threads: at 72 in 10 of 10 (control: 0 of 10, p < 0.0001), none back; at 64 in 10 of \
             10 (control: 0 of 10, p < 0.0001), none back; at 56 in 8 of 10 (control: 0 of 10, p = \
             0.0004), none back; at 48 in 3 of 10 (control: 0 of 10, p = 0.105), none back.",
            "With fewer than 25 trials, intervals by Greenwood's variance are rough, and the restricted \
             mean's covers too little; for curve and median, the beta product keeps its level at any \
             size."
        ]
    );
}

#[test]
fn the_same_runs_give_the_same_analysis() {
    let (_folder, run) = Synthetic::reported().written();
    let once = analyze(std::slice::from_ref(&run), &Options::default()).unwrap().json();
    let again = analyze(&[run], &Options::default()).unwrap().json();
    assert_eq!(once, again);
    let json: Value = serde_json::from_str(&once).unwrap();
    assert_eq!(json["stall"], "absolute:100");
    assert_eq!(json["level"], 0.95);
    assert_eq!(json["findings"][0]["finding"], "stalls");
    assert_eq!(json["findings"][0]["at"][4], json!({"threads": 56, "stalled": 8, "n": 10}));
    assert_eq!(json["cells"][8]["stall"]["intervals"][0]["method"], "wilson");
}

#[test]
fn nothing_stalled_says_how_often_it_may_still() {
    let mut made = Synthetic::new(96);
    for threads in [48, 96] {
        for _ in 0..24 {
            made.trial(threads, "auto");
            made.trial(threads, "slots:512");
        }
    }
    made.trial(96, "auto");
    let answer = answer(&made);
    assert_eq!(
        answer,
        "`auto` did not stall in 49 trials (rule `control:0.5`). 0 of 25 at 96 threads (at most \
         11.3 %); 0 of 24 at 48 threads (at most 11.7 %), with 95 % confidence for each. This does not prove that it never stalls.\nAt 96 threads the growth of `auto` was installed under \
         load in 25 of 25 trials; the median time is 10 ms. At fewer threads: at 48 in 24 of 24, \
         median 10 ms."
    );
}

#[test]
fn a_kernel_without_the_private_hash_is_a_baseline() {
    let mut made = Synthetic::new(96);
    for _ in 0..10 {
        let row = made.trial(96, "auto");
        row.kernel = "debian:6.12".into();
        row.pivot = Some(Pivot::Unsupported);
        row.pivot_s = None;
        row.slots_expected = None;
        made.failed(96, "slots:512", Status::Refused, "PR_FUTEX_HASH_SET_SLOTS: EINVAL");
    }
    let lines = stallscope_report::say::all(&analysis(&made));
    assert!(lines[0].starts_with("The kernel debian:6.12 has no private futex hash"), "{lines:?}");
    assert!(lines[1].starts_with("10 of 20 trials failed (10 refused)"), "{lines:?}");
    assert_eq!(lines.len(), 2, "{lines:?}");
    let cell = &analysis(&made).cells[0];
    assert_eq!(cell.stall, None, "not observable is not 0");
}

#[test]
fn failed_trials_are_in_no_denominator() {
    let mut made = Synthetic::new(96);
    for trial in 0..10 {
        made.trial(96, "slots:512");
        if trial < 4 {
            made.failed(96, "auto", Status::Timeout, "killed after 21 s");
        } else {
            made.trial(96, "auto").mops_per_s = Some(if trial < 7 { 1.0 } else { 99.0 });
        }
    }
    let found = analysis(&made);
    let auto = &found.cells[0];
    assert_eq!((auto.trials, auto.failed, auto.stalled(), auto.observed()), (10, 4, 3, 6));
    let answer = stallscope_report::say::all(&found).join("\n");
    assert!(answer.contains("`auto` stalled in 3 of 6 trials at 96 threads"), "{answer}");
    assert!(answer.contains("4 of 20 trials failed (4 timeout) and are in no count"), "{answer}");
    assert!(answer.contains("Most frequent (4 of 4): killed after 21 s."), "{answer}");
}

#[test]
fn all_failed_and_nothing_finished_conclude_nothing() {
    let mut made = Synthetic::new(96);
    for _ in 0..5 {
        made.failed(96, "auto", Status::Crashed, "signal 9");
    }
    let all_failed = answer(&made);
    assert!(all_failed.starts_with("All 5 trials failed: nothing was measured"), "{all_failed}");
    assert!(!all_failed.contains("0 of"), "{all_failed}");
    let mut made = Synthetic::new(96);
    made.manifest.planned = 40;
    let nothing = answer(&made);
    assert!(nothing.starts_with("No trial has ended yet, of 40 planned"), "{nothing}");
    assert!(nothing.contains("experiments resume "), "{nothing}");
}

#[test]
fn one_trial_a_cell_has_no_interval_for_its_median_and_says_so() {
    let mut made = Synthetic::new(96);
    made.trial(96, "auto");
    made.trial(96, "slots:512");
    let found = analysis(&made);
    let mops = found.cells[0].mops.unwrap();
    assert_eq!((mops.low, mops.high), (None, None));
    let ratio = found.cells[0].control_ratio.unwrap();
    assert_eq!((ratio.estimate, ratio.low), (Some(1.0), None));
    let answer = stallscope_report::say::all(&found).join("\n");
    assert!(answer.contains("2 cells have at most 1 trial each: a median's 95 % interval needs 6"));
}

#[test]
fn an_interrupted_run_is_used_and_named() {
    let mut made = small_machine();
    made.manifest.planned = 160;
    let answer = answer(&made);
    assert!(answer.contains("60 of 160 planned trials are done in "), "{answer}");
}

#[test]
fn in_the_lab_throughput_is_no_slowdown() {
    let mut made = Synthetic::reported();
    made.manifest.executor = model::manifest::Origin::Lab { boots: 1 };
    made.manifest.kernels[0].accelerator = Some("tcg".into());
    let answer = answer(&made);
    assert!(answer.contains("The trials ran in guests (tcg): throughput there is"), "{answer}");
    assert!(answer.contains("`--stall pivot:1s` judges by the hash"), "{answer}");
    assert!(!answer.contains("control's median throughput"), "{answer}");
}

#[test]
fn the_pivot_rule_keeps_what_was_watched_too_short_apart() {
    let mut made = Synthetic::new(96);
    for trial in 0..8 {
        let row = made.trial(96, "auto");
        row.pivot = Some(Pivot::Pending);
        row.pivot_s = Some(if trial < 5 { 0.98 } else { 1.2 });
    }
    made.trial(96, "auto");
    let options = Options {
        stall: Some(Condition::Event { limit: Span::from_ms(1000) }.into()),
        ..Options::default()
    };
    let found = with(&made, &options).unwrap();
    let cell = &found.cells[0];
    assert_eq!((cell.stalled(), cell.observed(), cell.trials), (3, 4, 9));
    let answer = stallscope_report::say::all(&found).join("\n");
    assert!(answer.contains("5 of 9 trials of `auto` have no outcome"), "{answer}");
    assert!(answer.contains("still pending when the load ended, before the rule's limit"));
}

#[test]
fn the_control_that_stalls_is_told() {
    let mut made = Synthetic::reported();
    made.rows[1].mops_per_s = Some(3.0);
    let answer = answer(&made);
    assert!(answer.contains("The control `slots:512` stalled too, in 1 of 80 trials"), "{answer}");
}

#[test]
fn one_mode_without_a_control_may_be_either() {
    let mut made = Synthetic::new(96);
    for trial in 0..8 {
        made.trial(96, "auto").mops_per_s = Some(9.0 + f64::from(trial) / 10.0);
    }
    let options = Options { stall: Some(Condition::Split.into()), ..Options::default() };
    let found = with(&made, &options).unwrap();
    assert_eq!(found.cells[0].stall, None, "all or none of them may have stalled");
    let answer = stallscope_report::say::all(&found).join("\n");
    assert!(answer.contains("one mode and no control beside it"), "{answer}");
}

#[test]
fn a_rule_without_throughputs_says_nothing_of_modes() {
    let mut made = Synthetic::new(96);
    made.trial(96, "auto").mops_per_s = None;
    let options = Options { stall: Some(Condition::Split.into()), ..Options::default() };
    let found = with(&made, &options).unwrap();
    assert_eq!(
        stallscope_report::say::all(&found)[0],
        "By the rule `split`, the only trial of `auto` has no outcome: no throughput was recorded."
    );
    let of_modes = found.warnings.iter().any(|it| matches!(it, Warning::Modes { .. }));
    assert!(!of_modes, "{:?}", found.warnings);
}

fn imported(mut made: Synthetic) -> Synthetic {
    made.manifest.executor = model::manifest::Origin::Imported;
    made.manifest.definition = json!({"import": {}});
    made
}

#[test]
fn an_imported_run_without_a_rule_is_judged_by_its_source() {
    let mut made = Synthetic::new(96);
    for labels in ["machine=a", "machine=b"] {
        for threads in [8, 96] {
            made.trial(threads, "auto").labels = labels.into();
        }
    }
    // None of them is missing: what the source has is all that there is.
    made.manifest.planned = 9;
    let found = analysis(&imported(made));
    let lines = stallscope_report::say::all(&found);
    assert_eq!(
        lines[0],
        "The source does not say whether these trials stalled: nothing follows about stalls."
    );
    let answer = lines.join("\n");
    assert!(!answer.contains("resume") && !answer.contains("--trials"), "{answer}");
    assert!(answer.contains("4 cells have at most 1 throughput each"), "{answer}");
}

#[test]
fn trials_without_an_outcome_are_told_by_what_was_measured() {
    let mut made = Synthetic::new(96);
    for trial in 0..6 {
        made.trial(96, "auto").mops_per_s = Some(10.0 + f64::from(trial));
        made.trial(96, "slots:512").mops_per_s = Some(100.0 + f64::from(trial));
    }
    let answer = stallscope_report::say::all(&analysis(&imported(made))).join("\n");
    // Exact: none of 6 and 6 overlap, 2 of C(12, 6).
    assert!(
        answer.contains("The throughput of `auto` at 96 threads is 0.122 times its control's (")
            && answer.contains("6 trials each; Mann-Whitney p = 0.0022)."),
        "{answer}"
    );
}

#[test]
fn a_recovery_seen_by_throughput_is_not_called_an_installed_growth() {
    let mut made = Synthetic::new(192);
    for after in [14.0, 33.0, 165.0] {
        let row = made.trial(192, "auto");
        row.labels = "seen-by=throughput".into();
        row.pivot_s = Some(after);
    }
    let answer = stallscope_report::say::all(&analysis(&imported(made))).join("\n");
    assert!(
        answer.contains("At 192 threads the throughput of `auto` recovered under load in 3 of 3"),
        "{answer}"
    );
    assert!(!answer.contains("growth") && !answer.contains("hash"), "{answer}");
}

#[test]
fn one_trial_is_not_one_trials() {
    let mut made = Synthetic::new(96);
    made.trial(96, "auto").mops_per_s = Some(1.0);
    made.trial(96, "slots:512");
    made.trial(96, "slots:64");
    let answer = answer(&made);
    assert!(answer.contains("`auto` stalled in the only trial at 96 threads"), "{answer}");
    assert!(answer.contains("`slots:64` did not stall in its only trial"), "{answer}");
    assert!(answer.contains("0 of 1 at 96 threads (at most 95 %), with 95 % confidence. "));
    for wrong in ["1 trials", "1 threads", "for each", "all 1"] {
        assert!(!answer.contains(wrong), "{wrong}: {answer}");
    }
}

#[test]
fn a_higher_level_is_wider_and_is_said() {
    let options = Options { level: Level::new(0.99).unwrap(), ..Options::default() };
    let found = with(&Synthetic::reported(), &options).unwrap();
    let interval = found.cells[8].stall_interval("wilson").unwrap();
    assert!(interval.low.unwrap() < 0.490162);
    assert!(stallscope_report::say::all(&found)[0].contains("with 99 % confidence"));
}
