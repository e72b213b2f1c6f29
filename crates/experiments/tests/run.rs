//! `run` and `show`, driven.

mod driven;

use std::collections::BTreeSet;

use driven::{User, has_private_hash};

/// The contract's columns in the contract's order.
const TRIALS: &str = "sequence,trial,block,cell,experiment,workload,threads,ramp,hash,placement,memory,locks,unlock,messengers,duration_s,seed,boot,kernel,cpus,nodes,labels,started_at,elapsed_s,ops,mops_per_s,thread_ops_min,thread_ops_median,thread_ops_max,slots_start,slots_set,slots_loaded,slots_end,slots_expected,pivot,pivot_s,user_s,system_s,voluntary_switches,involuntary_switches,steal_s,splats,status,error";

const SHORT: &str = "--duration 30ms --trials 2 --set threads=1,3";

#[test]
fn every_planned_trial_has_its_row_once() {
    let user = User::new();
    user.experiments(&format!("run race-sweep {SHORT} --out R --label patch=v2 --label a=b")).ok();
    let text = user.read("R/trials.csv");
    assert_eq!(text.lines().next(), Some(TRIALS));
    let plan = user.rows("R/plan.csv");
    let rows = user.rows("R/trials.csv");
    assert_eq!(rows.len(), 8);
    let mut ops = 0;
    for (planned, row) in plan.iter().zip(&rows) {
        for column in ["sequence", "trial", "block", "cell", "threads", "hash", "ramp", "kernel"] {
            assert_eq!(planned[column], row[column], "{column}");
        }
        assert_eq!(row["status"], "ok", "{row:?}");
        assert_eq!(row["labels"], "a=b;patch=v2");
        // A loaded machine may give a thread no turn in so short a trial; all of them it does.
        ops += row["ops"].parse::<u64>().expect("ops");
        assert_eq!(row["splats"], "", "nobody watches this machine's console");
        if has_private_hash() {
            let control = row["hash"] == "slots:512";
            assert_eq!(row["slots_set"] == "512", control, "{row:?}");
            assert_ne!(row["pivot"], "unsupported");
        }
    }
    assert!(ops > 0);
    let numbers: BTreeSet<&String> = rows.iter().map(|row| &row["trial"]).collect();
    assert_eq!(numbers.len(), 8);

    let samples = user.rows("R/timeline.csv");
    for row in &rows {
        let of: Vec<_> = samples.iter().filter(|s| s["trial"] == row["trial"]).collect();
        assert!(!of.is_empty(), "trial {} has no sample", row["trial"]);
        let ops: Vec<u64> = of.iter().map(|s| s["ops"].parse().expect("ops")).collect();
        assert!(ops.is_sorted(), "operations only grow: {ops:?}");
    }

    let manifest: serde_json::Value = serde_json::from_str(&user.read("R/manifest.json")).unwrap();
    assert_eq!(manifest["labels"]["patch"], "v2");
    assert_eq!(manifest["planned"], 8);
    assert!(manifest["ended_at"].is_string());
    assert_eq!(manifest["definition"]["factors"]["threads"], serde_json::json!(["1", "3"]));
}

#[test]
fn a_seed_draws_the_order_and_only_the_order() {
    let user = User::new();
    let show = |seed: u32| user.experiments(&format!("show race-sweep --seed {seed} --json")).ok();
    assert_eq!(show(1), show(1));
    let (one, two) = (show(1), show(2));
    assert_ne!(one, two);
    let parts = |text: &str| -> (serde_json::Value, BTreeSet<String>) {
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        let trials = json["trials"].as_array().unwrap().iter().map(|trial| {
            let mut trial = trial.clone();
            trial.as_object_mut().unwrap().remove("sequence");
            trial.to_string()
        });
        (json["cells"].clone(), trials.collect())
    };
    assert_eq!(parts(&one), parts(&two));
    assert_eq!(user.experiments("show race-sweep").ok(), user.experiments("show race-sweep").ok());
}

#[test]
fn what_is_asked_wrong_ends_in_one_sentence_and_leaves_nothing() {
    let user = User::new();
    user.write("key.toml", "trails = 3\n[factors]\nworkload = \"wake-storm\"\nthreads = 1\n");
    user.write("no.toml", "[factors]\nworkload = \"wake-storm\"\nthreads = 1\nramp = \"slow\"\n");
    user.write(
        "program.toml",
        "[factors]\nworkload = \"command\"\nthreads = 1\n[command]\nargv = [\"no-such-benchmark\"]\nregex = \"([0-9]+)\"\nunit = \"ops/s\"\ninstall = \"apt-get install benchmark\"\n",
    );
    user.write("foreign.toml", "[factors]\nworkload = \"wake-storm\"\nthreads = 1\nlocks = 2\n");
    std::fs::create_dir(user.path("full")).unwrap();
    user.write("full/notes.txt", "mine");
    for (args, parts) in [
        ("race-swep", &["race-swep", "race-sweep"][..]),
        ("key.toml", &["key.toml line 1", "trails", "did you mean trials?"]),
        ("no.toml", &["no.toml line 4", "slow", "burst"]),
        ("program.toml", &["no-such-benchmark is not installed", "apt-get install benchmark"]),
        ("missing.toml", &["missing.toml", "can't be read"]),
        ("race-sweep --set ramp=fast", &["fast", "burst"]),
        ("race-sweep --set hash=slots:500", &["slots:500", "power of two"]),
        ("race-sweep --set placement=near", &["near", "scatter"]),
        ("race-sweep --set placement=cpus:4000", &["4000"]),
        ("race-sweep --set placement=node:77", &["node"]),
        ("race-sweep --set memory=bind:77", &["memory bind:77", "node 77"]),
        ("race-sweep --set locks=5", &["--set \"locks=5\"", "the workload mutex", "wake-storm"]),
        ("contended-mutex --set messengers=2", &["messengers=2", "workload messenger", "mutex"]),
        ("foreign.toml", &["foreign.toml line 4: factors.locks", "mutex", "leave it out"]),
        ("pivot-latency --set hash=global", &["hash \"global\"", "resize", "slots:N"]),
        ("pool-growth --set ramp=grow:64@1s --set threads=8", &["grow:64@1s", "would not grow"]),
        ("messenger --set messengers=9 --set threads=8", &["messengers \"9\"", "8 threads"]),
        (
            "messenger --set messengers=4 --set placement=pin:0 --set threads=1",
            &["pin:0", "1 CPU for 5 threads"],
        ),
        ("contended-mutex --set locks=0", &["locks \"0\""]),
        ("race-sweep --label a=b --label a=c", &["twice"]),
        ("race-sweep --set threads=0", &["at least one thread"]),
        ("race-sweep --set threads=50000000", &["50000000", "at most"]),
        ("race-sweep --set thread=3", &["did you mean threads?"]),
        ("race-sweep --trials 0", &["--trials"]),
        ("race-sweep --duration 3", &["3", "unit"]),
        ("race-sweep --stall sometimes", &["sometimes", "control:0.5"]),
        ("race-sweep --label novalue", &["KEY=VALUE"]),
        ("race-sweep --out full", &["full", "not empty"]),
    ] {
        let out = if args.contains("--out") { "" } else { " --out R" };
        user.experiments(&format!("run {args}{out}")).refused(parts);
        assert!(!user.path("R").exists(), "{args} left a folder");
    }
    assert_eq!(std::fs::read_dir(user.path("full")).unwrap().count(), 1);
}

#[test]
fn a_run_in_which_nothing_was_measured_is_told_and_failed() {
    let user = User::new();
    user.write(
        "fails.toml",
        "trials = 1\nduration = \"20ms\"\n[factors]\nworkload = \"command\"\nthreads = 1\nhash = \"auto\"\n[outcome]\nstall = \"absolute:1\"\n[command]\nargv = [\"false\"]\nregex = \"([0-9]+)\"\nunit = \"ops/s\"\n",
    );
    let ended = user.experiments("run fails.toml --out R");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.err.contains("the only trial failed"), "{ended:?}");
    assert_eq!(user.rows("R/trials.csv").len(), 1);
}

#[test]
fn a_folder_with_a_run_is_not_written_over() {
    let user = User::new();
    user.experiments(&format!("run race-sweep {SHORT} --out R --no-report")).ok();
    let before = user.read("R/trials.csv");
    user.experiments("run race-sweep --quick --out R").refused(&["holds another run", "resume"]);
    assert_eq!(user.read("R/trials.csv"), before);
}

#[test]
fn lists_pages_and_completions_are_there() {
    let user = User::new();
    assert!(user.experiments("list").ok().contains("race-sweep"));
    user.write("broken.toml", "a = [");
    let list = user.experiments("list --dir . --json").ok();
    assert!(list.contains("\"error\": \"./broken.toml line 1: it is not TOML"), "{list}");
    assert!(user.experiments("man").ok().contains(".TH"));
    for shell in ["bash", "zsh", "fish"] {
        let completions = user.experiments(&format!("completions {shell}")).ok();
        assert!(completions.contains("experiments") && completions.contains("no-report"));
    }
}

#[test]
fn a_command_that_there_is_none_of_is_told_with_those_that_there_are() {
    let user = User::new();
    user.experiments("conform").refused(&["no command \"conform\"", "analyze", "import"]);
    user.experiments("kernel fetsh").refused(&["experiments kernel", "did you mean fetch?"]);
}

const NO_SUCH_PROGRAM: &str = "\
    [factors]\nworkload = \"command\"\nthreads = 1\nhash = \"auto\"\n[outcome]\nstall = \"absolute:1\"\n\
    [command]\nargv = \"stallscope-nonesuch\"\nregex = \"(.)\"\nunit = \"ops/s\"\n";

#[test]
fn show_ends_as_run_would_behind_the_plan() {
    let user = User::new();
    user.write("none.toml", NO_SUCH_PROGRAM);
    for (plan, why) in [
        ("race-sweep --set placement=cpus:9999", "9999"),
        ("race-sweep --set memory=bind:4000", "node 4000"),
        ("race-sweep --set threads=1000000", "more than this system allows"),
        ("none.toml", "stallscope-nonesuch"),
    ] {
        let run = user.experiments(&format!("run {plan} --out R"));
        run.refused(&[why]);
        for form in ["", " --json"] {
            let shown = user.experiments(&format!("show {plan}{form}"));
            assert_eq!(shown.status, run.status, "{plan}{form}");
            assert!(shown.err.contains(why), "{}", shown.err);
            assert!(shown.out.contains("`run` refuses it here: "), "{}", shown.out);
            assert!(shown.out.contains("wake-storm") || shown.out.contains("command"));
        }
    }
}

#[test]
fn numbers_that_are_none_are_named_with_what_is_accepted() {
    let user = User::new();
    for (args, parts) in [
        ("--seed -1", ["'--seed <N>'", "a seed is a whole number from 0 to", "`-1` is negative"]),
        ("--seed=1.5", ["'--seed <N>'", "a seed is a whole number", "`1.5` is not a whole number"]),
        ("--trials -3", ["'--trials <N>'", "a whole number from 0 to", "`-3` is negative"]),
        ("--duration -3s", ["'--duration <SPAN>'", "it is below 0", "accepted is a number with"]),
        ("--kernel x --boots -1", ["'--boots <N>'", "a whole number from 0", "`-1` is negative"]),
        ("--kernel x --cpus many", ["'--cpus <N>'", "a whole number", "`many` is not a number"]),
        ("--set ramp=linear:1000h", ["linear:1000h", "longer than a week", "`linear:3s`"]),
        ("--set critical=1", ["critical=1", "it has no unit", "`50us`"]),
        ("--set critical:1us", ["critical:1us", "names no factor", "FACTOR=VALUE"]),
    ] {
        user.experiments(&format!("run race-sweep {args} --out R")).refused(&parts);
        assert!(!user.path("R").exists(), "{args}");
    }
}

#[test]
fn the_time_of_trials_that_may_end_early_is_the_most_that_it_can_be() {
    let user = User::new();
    let show = |name: &str| user.experiments(&format!("show {name} --quick")).ok();
    assert!(show("race-sweep").contains("; about "));
    for name in ["contended-mutex", "recovery"] {
        assert!(show(name).contains("; at most "), "{name}");
    }
}
