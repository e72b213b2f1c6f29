//! `experiments stat recovery …`: the printed timeline, known change points, a run's timeline, and what
//! it says to a wrong file.

mod driven;

use std::path::Path;

use driven::User;
use serde_json::Value;

/// A sample a second.
fn every_second(values: &[f64]) -> String {
    let rows = values.iter().enumerate().map(|(i, mops)| format!("{},{mops}\n", i + 1));
    format!("t_s,mops_per_s\n{}", rows.collect::<String>())
}

fn json(user: &User, args: &str) -> Value {
    let ended = user.experiments(&format!("stat recovery {args} --json"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    serde_json::from_str(&ended.out).expect("JSON")
}

/// 3.4 for 169 s, then 24.8 34.6 34.7 34.8.
fn printed() -> String {
    let mut values = vec![3.4; 169];
    values.extend([24.8, 34.6, 34.7, 34.8]);
    every_second(&values)
}

/// A few per cent of noise that needs no generator: the fractional parts of multiples of the golden ratio.
fn noisy(levels: &[(f64, usize)]) -> String {
    let levels = levels.iter().flat_map(|&(level, count)| std::iter::repeat_n(level, count));
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let noise = |i: usize| 0.1 * ((i as f64 * golden).fract() - 0.5);
    let values: Vec<f64> = levels.enumerate().map(|(i, level)| level * noise(i).exp()).collect();
    every_second(&values)
}

#[test]
fn the_printed_timeline_recovers_after_169_seconds() {
    let user = User::new();
    user.write("t.csv", &printed());
    let found = json(&user, "t.csv --control 36");
    let keys: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["rule", "trials", "together", "notes"]);
    let rule: Vec<&str> = found["rule"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(rule, ["control", "share", "hold_s", "least_samples", "penalty"]);
    assert_eq!(found["rule"]["least_samples"], 2);
    let trial = &found["trials"][0];
    assert_eq!(trial["outcome"], "recovered");
    assert_eq!(trial["recovery"], serde_json::json!({"left_s": 169.0, "right_s": 170.0}));
    assert_eq!(trial["time_to_recovery"], trial["recovery"]);
    assert_eq!(trial["onset"], serde_json::json!({"left_s": 0.0, "right_s": 0.0}));
    assert_eq!(
        (&trial["stalled_throughput"], &trial["stalled_samples"]),
        (&3.4.into(), &169.into())
    );
    assert!(trial["until_s"].is_null() && trial["trial"].is_null() && found["together"].is_null());
    assert_eq!(trial["partial"], serde_json::json!([]), "24.8 is the second in which it recovered");
    // 2 log 173
    assert!((trial["penalty"].as_f64().unwrap() - 10.306_583_189).abs() < 1e-8);
    assert_eq!(trial["sigma"], 0.01);

    let said = user.experiments("stat recovery t.csv --control 36").ok();
    assert!(
        said.contains("recovered in (169, 170] s: at least 18 (0.5 of the control's 36)"),
        "{said}"
    );
    assert!(said.contains("(0.5 of the control's 36), kept for 3 s."), "{said}");
}

#[test]
fn a_timeline_is_read_from_standard_input() {
    use std::io::Write;
    use std::process::Stdio;
    let user = User::new();
    let mut command = user.command("stat recovery - --control 36 --share 0.5 --hold 3s");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(printed().as_bytes()).unwrap();
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(said.contains("recovered in (169, 170] s"), "{said}");
}

#[test]
fn the_rule_decides_what_a_recovery_is() {
    let user = User::new();
    user.write("t.csv", &printed());
    // It must hold for longer than there are samples: censored where the rise began.
    let trial = &json(&user, "t.csv --control 36 --hold 4s")["trials"][0];
    assert_eq!((&trial["outcome"], &trial["until_s"]), (&"not-recovered".into(), &169.0.into()));
    assert_eq!(trial["time_to_recovery"], serde_json::json!({"left_s": 169.0, "right_s": null}));
    assert_eq!(trial["partial"][0]["kind"], "unconfirmed");
    // 24.8 of 36 is less than 0.8: the recovery is the sample after it, and may have begun in it.
    let trial = &json(&user, "t.csv --control 36 --share 0.8 --hold 2s")["trials"][0];
    assert_eq!(trial["recovery"], serde_json::json!({"left_s": 169.0, "right_s": 171.0}));
    // With the clock at 100 s it takes 69.
    let trial = &json(&user, "t.csv --control 36 --start 100s")["trials"][0];
    assert_eq!(trial["time_to_recovery"], serde_json::json!({"left_s": 69.0, "right_s": 70.0}));
    // A penalty that no change is worth.
    let trial = &json(&user, "t.csv --control 36 --penalty 1e9")["trials"][0];
    assert_eq!(trial["phases"].as_array().unwrap().len(), 1);
    assert_eq!((&trial["outcome"], &trial["penalty"]), (&"not-recovered".into(), &1e9.into()));
}

#[test]
fn known_change_points_partial_recoveries_and_relapses_are_named() {
    let user = User::new();
    let levels =
        [(35.0, 10), (3.4, 40), (7.0, 20), (3.4, 30), (35.0, 1), (3.4, 9), (35.0, 20), (3.4, 5)];
    user.write("t.csv", &noisy(&levels));
    let trial = &json(&user, "t.csv --control 36")["trials"][0];
    assert_eq!(trial["onset"]["right_s"], 11.0);
    assert_eq!(trial["recovery"], serde_json::json!({"left_s": 110.0, "right_s": 111.0}));
    let partial: Vec<(&str, f64, f64)> = trial["partial"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rise| {
            let number = |key: &str| rise[key].as_f64().unwrap();
            (rise["kind"].as_str().unwrap(), number("from_s"), number("to_s"))
        })
        .collect();
    assert_eq!(partial, [("below-share", 50.0, 70.0), ("did-not-hold", 100.0, 101.0)]);
    assert_eq!(trial["relapses"][0]["from_s"], 130.0);
    let said = user.experiments("stat recovery t.csv --control 36").ok();
    for part in ["partial\n", "below-share", "did-not-hold", "relapses", "130"] {
        assert!(said.contains(part), "{part} in {said}");
    }
}

#[test]
fn each_trial_of_a_runs_timeline_gets_its_answer() {
    let user = User::new();
    let mut text = String::from("trial,t_s,threads,ops,mops_per_s,slots\n");
    // A ramp of two seconds, then a stall until the given second.
    for (trial, until) in [(1, 10), (2, 20), (3, 0), (4, 99)] {
        text += &format!("{trial},0,1,0,,16\n");
        for t in 1..=30 {
            let (threads, mops) = match t {
                1 | 2 => (2 * t, 1.0),
                t if t <= until => (8, 3.4),
                _ => (8, 35.0),
            };
            text += &format!("{trial},{t},{threads},{t}000000,{mops},16\n");
        }
    }
    text += "5,1,8,,,16\n";
    user.write("timeline.csv", &text);
    let found = json(&user, "timeline.csv --control 36");
    let outcome = |i: usize| found["trials"][i]["outcome"].as_str().unwrap().to_owned();
    let outcomes: Vec<String> = (0..5).map(outcome).collect();
    assert_eq!(
        outcomes,
        ["recovered", "recovered", "never-stalled", "not-recovered", "not-observable"]
    );
    // The clock starts when all threads exist, as in `analyze`.
    let first = &found["trials"][0];
    assert_eq!((&first["trial"], &first["start_s"]), (&"1".into(), &3.0.into()));
    assert_eq!(first["time_to_recovery"], serde_json::json!({"left_s": 7.0, "right_s": 8.0}));
    assert!(first["notes"][0].as_str().unwrap().contains("all 8 threads existed"));
    // Stalls together, as by `stat survival`.
    assert_eq!((&found["together"]["n"], &found["together"]["events"]), (&3.into(), &2.into()));
    assert_eq!(found["together"]["median"]["estimate"], 18.0);

    let said = user.experiments("stat recovery timeline.csv --control 36").ok();
    assert!(
        said.contains("5 trials: 2 recovered, 1 not, 1 never stalled, 1 not observable"),
        "{said}"
    );
    let one = user.experiments("stat recovery timeline.csv --control 36 --trial 2").ok();
    assert!(one.starts_with("trial 2: recovered in (20, 21] s"), "{one}");
    // From the trial's start the ramp is a stall.
    let third = &json(&user, "timeline.csv --control 36 --trial 3 --start 0s")["trials"][0];
    assert_eq!(third["recovery"], serde_json::json!({"left_s": 2.0, "right_s": 3.0}));
    user.experiments("stat recovery timeline.csv --control 36 --trial 9")
        .refused(&["--trial 9: there is no such trial; there are 1, 2, 3, 4, 5"]);
}

#[test]
fn the_published_run_answers_as_analyze_does() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/published/3-timeline/timeline.csv");
    let user = User::new();
    std::fs::copy(file, user.path("timeline.csv")).expect("copied");
    let trial = &json(&user, "timeline.csv --control 36")["trials"][0];
    assert_eq!(trial["recovery"], serde_json::json!({"left_s": 169.0, "right_s": 170.0}));
    let note = trial["notes"][0].as_str().unwrap();
    assert!(note.contains("from 5 to 169 s there is one sample"), "{note}");
}

#[test]
fn what_is_no_timeline_is_named_with_line_and_column() {
    let user = User::new();
    let with = |text: &str, args: &str| {
        user.write("t.csv", text);
        user.experiments(&format!("stat recovery t.csv {args}"))
    };
    let rows = |rows: &str| with(&format!("t_s,mops_per_s\n{rows}"), "--control 36");
    with("", "--control 36").refused(&["t.csv is empty", "`t_s`, `mops_per_s`"]);
    with("t_s,mops\n1,2\n", "--control 36").refused(&["line 1: there is no column `mops_per_s`"]);
    rows("").refused(&["t.csv has a header and no rows"]);
    rows("1,3.4\n2,fast\n")
        .refused(&["t.csv, line 3, column `mops_per_s`: `fast` is not a number"]);
    rows("1,3.4\n2,-1\n").refused(&["line 3, column `mops_per_s`: -1 is negative"]);
    rows("1,inf\n").refused(&["line 2, column `mops_per_s`: `inf` is not a finite number"]);
    rows("NaN,3\n").refused(&["line 2, column `t_s`: `NaN` is not a finite number"]);
    rows("-1,3\n").refused(&["line 2, column `t_s`: -1 is negative"]);
    rows(",3\n").refused(&["line 2, column `t_s`: the cell is empty"]);
    rows("2,3\n2,3\n").refused(&["line 3, column `t_s`: 2 comes after 2"]);
    rows("1,\n2,\n").refused(&["t.csv: no sample with a throughput begins at or after 0 s"]);
    with("trial,t_s,mops_per_s\n,1,2\n", "--control 36")
        .refused(&["column `trial`: the cell is empty"]);
    let fine = "t_s,mops_per_s\n1,3\n2,3\n";
    with(fine, "--control 0").refused(&["the control's throughput is 0: accepted is"]);
    with(fine, "--control -3").refused(&["the control's throughput is -3"]);
    with(fine, "--control nan").refused(&["the control's throughput is NaN"]);
    with(fine, "").refused(&["--control"]);
    with(fine, "--control 36 --share 1.5").refused(&["the share of the control to reach is 1.5"]);
    with(fine, "--control 36 --hold 3").refused(&["--hold", "a number with its unit"]);
    with(fine, "--control 36 --hold -3s").refused(&["--hold"]);
    with(fine, "--control 36 --start 9s").refused(&["begins at or after 9 s"]);
    with(fine, "--control 36 --penalty 0").refused(&["the penalty a change is 0"]);
    with(fine, "--control 36 --least-samples x").refused(&["--least-samples"]);
    with(fine, "--control 36 --trial 1").refused(&["--trial needs a column `trial`"]);
    user.experiments("stat recovery none.csv --control 36").refused(&["none.csv cannot be read"]);
}

#[test]
fn a_single_sample_gives_way_to_a_longer_stall_and_is_noted() {
    let user = User::new();
    user.write("t.csv", "t_s,mops_per_s\n1,36\n2,36\n3,3\n4,36\n5,36\n6,36\n7,36\n8,36\n");
    let found = json(&user, "t.csv --control 36");
    let note = found["trials"][0]["notes"][0].as_str().unwrap();
    assert!(note.contains("no more than 1 sample in a row"), "{note}");
    let asked = "t.csv --control 36 --least-samples 1 --start 1s";
    let found = json(&user, asked);
    assert_eq!(found["trials"][0]["notes"], serde_json::json!([]));
    assert_eq!(found["trials"][0]["samples"], 7);
    // A later stall that is long enough comes first.
    user.write(
        "t.csv",
        "t_s,mops_per_s\n1,36\n2,3\n3,36\n4,36\n5,36\n6,36\n7,3\n8,3\n9,3\n10,36\n11,36\n12,36\n",
    );
    let found = json(&user, "t.csv --control 36 --hold 2s");
    assert_eq!(found["trials"][0]["onset"]["left_s"], 6.0, "{found}");
    // Short, and half of its steps are changes of level.
    user.write("t.csv", "t_s,mops_per_s\n1,36\n2,3\n3,3\n4,36\n5,36\n");
    let found = json(&user, "t.csv --control 36 --hold 1s");
    assert_eq!(found["trials"][0]["outcome"], "recovered");
}
