//! Races of programs that are not ours: a hang, a bad exit, a spike, a line of output, two speeds, each from a
//! definition of ten lines to its probability, and a fix to its verdict.

mod driven;

use driven::User;

/// A definition of a shell script whose trials draw by their seed.
fn definition(rule: &str, script: &str, more: &str) -> String {
    format!(
        "trials = 24\nduration = \"500ms\"\n[factors]\nworkload = \"command\"\nthreads = 1\n\
         [outcome]\nstall = '{rule}'\n[command]\nargv = [\"sh\", \"-c\", '''{script}''']\n{more}"
    )
}

/// The stalled and judged trials of the only cell, and those that failed.
fn counts(user: &User) -> (u64, u64, u64) {
    let cells = user.rows("R/analysis/cells.csv");
    let number = |column: &str| cells[0][column].parse().unwrap_or(0);
    let judged = number("trials") - number("failed");
    (number("stalled"), judged, number("failed"))
}

/// How many of the run's seeds are 0 by this modulus.
fn drawn(user: &User, modulus: u64) -> u64 {
    let trials = user.rows("R/trials.csv");
    let seeds = trials.iter().map(|row| row["seed"].parse::<u64>().expect("a seed"));
    seeds.filter(|seed| seed % modulus == 0).count() as u64
}

#[test]
fn each_kind_of_failure_is_counted_and_called_by_its_name() {
    let one_in_four = "if [ $((STALLSCOPE_SEED % 4)) = 0 ]; then";
    for (rule, script, more, said) in [
        ("exit", format!("{one_in_four} exit 3; fi"), "", "had a bad exit in"),
        ("exit:3", format!("{one_in_four} exit 3; fi"), "", "had a bad exit in"),
        ("signal", format!("{one_in_four} kill -ABRT $$; fi"), "", "had a crash in"),
        ("hang:200ms", format!("{one_in_four} sleep 60; fi"), "", "had a hang in"),
        ("match:lost [0-9]+", format!("{one_in_four} echo lost 7 >&2; fi"), "", "had a match in"),
        (
            "metric:p99>5ms",
            "echo p99 $((STALLSCOPE_SEED % 4 == 0 ? 9000 : 800))".to_string(),
            "metrics.p99 = { regex = 'p99 ([0-9]+)', unit = \"us\" }\n",
            "had a hit in",
        ),
        ("exit:9 or hang:200ms", format!("{one_in_four} sleep 60; fi"), "", "had a hit in"),
    ] {
        let user = User::new();
        user.write("race.toml", &definition(rule, &script, more));
        let ended = user.experiments("run race.toml --out R --no-report").ok();
        let hits = drawn(&user, 4);
        assert!(hits > 0, "the seeds are fixed");
        assert_eq!(counts(&user), (hits, 24, 0), "{rule}: {ended}");
        assert!(ended.contains(said) && !ended.contains("stall"), "{rule}: {ended}");
    }
}

#[test]
fn a_failure_that_the_rule_does_not_name_stays_one() {
    let user = User::new();
    let script = "[ $((STALLSCOPE_SEED % 4)) != 0 ] || exit 3; [ $((STALLSCOPE_SEED % 7)) != 0 ] || kill -9 $$";
    user.write("race.toml", &definition("exit", script, ""));
    let ended = user.experiments("run race.toml --out R --no-report").ok();
    let (hits, judged, failed) = counts(&user);
    assert!(failed > 0 && judged + failed <= 24, "{ended}");
    assert_eq!(hits, drawn(&user, 4), "{ended}");
    assert!(ended.contains("in no count of bad exits"), "{ended}");
}

#[test]
fn an_onset_is_written_for_hits_and_censored_for_the_others() {
    let user = User::new();
    let script = "if [ $((STALLSCOPE_SEED % 4)) = 0 ]; then sleep 60; fi";
    user.write("race.toml", &definition("hang:200ms", script, ""));
    user.experiments("run race.toml --out R --no-report").ok();
    let events = user.rows("R/events.csv");
    assert_eq!(events.len(), 24);
    let seen = events.iter().filter(|row| row["seen"] == "1").count() as u64;
    assert_eq!(seen, drawn(&user, 4));
    assert!(events.iter().all(|row| row["event"] == "onset" && row["ops"].is_empty()));
}

#[test]
fn a_fix_is_a_variant_in_the_same_blocks_and_gets_its_verdict() {
    let user = User::new();
    let script = "if [ $((STALLSCOPE_SEED % 3)) = 0 ]; then exit 1; fi";
    let variants = "[variants]\nbroken = {}\nfixed = { argv = \"true\" }\n";
    user.write(
        "race.toml",
        &definition("exit", script, variants).replace("trials = 24", "trials = 60"),
    );
    let ended = user.experiments("run race.toml --out R --no-report").ok();
    let advice = "experiments compare R --by variants --base broken --test fixed";
    assert!(ended.split_whitespace().collect::<Vec<_>>().join(" ").contains(advice), "{ended}");
    let verdict = user.experiments("compare R --by variants --base broken --test fixed --gate");
    assert_eq!(verdict.status, Some(0), "{verdict:?}");
    assert!(verdict.out.starts_with("Fixed: `fixed` had a bad exit in 0 of 60"), "{verdict:?}");
}

#[test]
fn what_a_rule_can_not_be_judged_by_is_said() {
    let user = User::new();
    user.write("race.toml", &definition("metric:p98>5ms", "echo p99 3", ""));
    let ended = user.experiments("run race.toml --out R --no-report");
    assert!(
        ended.err.contains("no trial has such a metric") && ended.err.contains("`elapsed_s` (s)"),
        "{ended:?}"
    );
    user.write("never.toml", &definition("match:lots", "echo lost 7", ""));
    let ended = user.experiments("run never.toml --out N --no-report").ok();
    assert!(ended.contains("had no match in 24 trials"), "{ended}");
    let details = user.experiments("analyze N --details").ok();
    let flat = details.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("`lots` matches the output of none of 24 trials"), "{details}");
    user.write(
        "storm.toml",
        "[factors]\nworkload = \"wake-storm\"\nthreads = 1\n[outcome]\nstall = \"exit\"\n",
    );
    let ended = user.experiments("show storm.toml");
    assert!(ended.err.contains("needs the workload `command`"), "{ended:?}");
    user.write(
        "called.toml",
        &definition("exit", "true", "").replace("stall = 'exit'", "stall = 'exit'\ncalled = ''"),
    );
    let ended = user.experiments("show called.toml");
    assert!(ended.err.contains("a word or two in the singular"), "{ended:?}");
}
