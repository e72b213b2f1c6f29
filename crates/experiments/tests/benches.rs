//! The pairs that the comparisons with other programs share: benches/pairs.sh with programs made up.

use std::path::Path;
use std::process::{Command, Output};

fn bash(script: &str) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new("bash")
        .args(["-euo", "pipefail", "-c", &format!(". benches/pairs.sh\n{script}")])
        .current_dir(root)
        .env("PAIRS", "4")
        .output()
        .expect("bash")
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_order_is_swapped_from_pair_to_pair_and_the_ratio_is_ours_over_theirs() {
    let output = bash(
        "ours() { echo ours >&2; echo 3 30; }; theirs() { echo theirs >&2; echo 2 10; }\n\
         in_pairs_head threads other; in_pairs 8 16 M/s other",
    );
    let said = said(&output);
    let rows: Vec<&str> = said.lines().collect();
    assert!(rows[0].trim_start().starts_with("threads  pairs        other"), "{said}");
    assert!(rows[1].trim_start().starts_with("16      4"), "{said}");
    assert!(said.contains("1.500") && said.contains("3.000"), "by the clock and by CPU: {said}");
    let order: Vec<&str> = std::str::from_utf8(&output.stderr).expect("text").lines().collect();
    assert_eq!(order, ["ours", "theirs", "theirs", "ours", "ours", "theirs", "theirs", "ours"]);
}

#[test]
fn a_run_without_a_rate_ends_the_comparison() {
    let output = bash("ours() { echo 3 30; }; theirs() { :; }\nin_pairs 8 8 M/s perf; echo on");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("a run with 8 gave no rate (perf: '', race-trial: '3 30')"), "{said}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn rates_are_read_out_of_the_trial_s_record() {
    let record = r#"{"status":"ok","elapsed_s":2.0,"ops":8000000,"x":1,"user_s":1.5,"system_s":0.5,"timeline":[{"ops":4000000,"slots":null}]}"#;
    assert_eq!(said(&bash(&format!("echo '{record}' | rates_of_a_trial 1e6"))), "4 2\n");
    let record = r#"{"status":"ok","user_s":1.0,"system_s":1.0,"metrics":[{"metric":"throughput","value":3000.5,"unit":"1/s"}]}"#;
    let command = format!("echo '{record}' | rates_of_a_command 4 2 1e3");
    assert_eq!(said(&bash(&command)), "6.001 12.002\n");
    let failed = bash("echo '{\"status\":\"timeout\"}' | rates_of_a_trial 1e6");
    assert_eq!(said(&failed), "");
}
