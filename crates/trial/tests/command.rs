//! Programs as workloads: little real ones that do well, fail, say too little or too much, and
//! leave others behind.

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use common::{spec, trial, trial_with};
use model::factor::Span;
use model::outcome::fact;
use model::record::{Metric, Pivot, Status, TrialRecord};
use model::spec::TrialSpec;
use model::throughput::Throughput;
use model::workload::Task;
use model::workload::command::Better;
use model::workload::command::Command as Program;

fn shell(script: &str) -> TrialSpec {
    let mut spec = spec();
    spec.task = Task::Command(Program {
        argv: vec!["sh".into(), "-c".into(), script.into()],
        env: Vec::new(),
        folder: None,
        throughput: Some(Throughput::Regex(r"rate (\S+)".into())),
        metrics: Default::default(),
        unit: "1/s".into(),
        better: Better::Higher,
        mops_per_unit: None,
        per_thread: false,
    });
    spec
}

fn command(spec: &mut TrialSpec) -> &mut Program {
    match &mut spec.task {
        Task::Command(program) => program,
        other => panic!("{other:?}"),
    }
}

/// The library, built as it is shipped.
fn library() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let built = Command::new(env!("CARGO"))
                .args(["build", "--quiet", "--offline", "--package", "stallscope-preload"])
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .args(["--target-dir", concat!(env!("CARGO_TARGET_TMPDIR"), "/preload")])
                .status()
                .expect("cargo");
            assert!(built.success());
            let folder = concat!(env!("CARGO_TARGET_TMPDIR"), "/preload/debug");
            PathBuf::from(folder).join("libstallscope_preload.so")
        })
        .clone()
}

fn preloaded(spec: &TrialSpec) -> TrialRecord {
    let library = library();
    trial_with(spec, &[("STALLSCOPE_PRELOAD", library.to_str().expect("text"))])
}

fn error_of(record: &TrialRecord, status: Status) -> String {
    assert_eq!(record.status, status, "{record:?}");
    assert_eq!((record.elapsed_s, record.mops_per_s), (None, None), "{record:?}");
    let is_fact = |metric: &Metric| fact::is_one(&metric.metric);
    assert!(record.metrics.iter().all(is_fact), "{record:?}");
    record.error.clone().expect("a reason")
}

#[test]
fn a_program_s_number_is_its_throughput() {
    let mut spec = shell("echo some words; echo \"rate $RATE\"; pwd >&2");
    command(&mut spec).env.push(("RATE".into(), "2500000".into()));
    command(&mut spec).folder = Some("/".into());
    command(&mut spec).mops_per_unit = Some(1e-6);
    let record = trial(&spec);
    assert_eq!((record.status, &record.error), (Status::Ok, &None));
    let [end, metric] = &record.metrics[..] else { panic!("{record:?}") };
    assert_eq!((end.metric.as_str(), end.value), (fact::EXIT_STATUS, 0.0));
    assert_eq!((metric.metric.as_str(), metric.value), ("throughput", 2_500_000.0));
    assert_eq!(metric.unit, "1/s");
    assert_eq!(record.mops_per_s, Some(2.5));
    assert!(record.elapsed_s.is_some() && record.ops.is_none());
    assert!(record.user_s.is_some() && record.voluntary_switches.is_some());
    command(&mut spec).per_thread = true;
    assert_eq!(trial(&spec).mops_per_s, Some(5.0));
}

#[test]
fn a_json_pointer_finds_it_too() {
    let mut spec = shell("echo '{\"a\":[{\"rate\":7}]}'");
    command(&mut spec).throughput = Some(Throughput::Pointer("/a/0/rate".into()));
    assert_eq!(trial(&spec).metrics[1].value, 7.0);
}

#[test]
fn a_program_that_fails_or_says_no_number_has_no_throughput() {
    for (script, part) in [
        ("echo rate 5; echo it broke >&2; exit 3", "ended with status 3; it said: it broke"),
        ("kill -SEGV $$", "was killed by SIGSEGV"),
        ("true", "printed nothing"),
        ("echo nothing here", "matches nothing"),
        ("echo rate 5; echo rate 6", "matches 2 times"),
        ("echo rate fast", "no throughput"),
    ] {
        let error = error_of(&trial(&shell(script)), Status::Crashed);
        assert!(error.contains(part), "{script}: {error}");
    }
}

#[test]
fn what_cannot_be_run_is_refused_with_its_name() {
    let mut absent = shell("");
    command(&mut absent).argv = vec!["no-such-benchmark".into()];
    let mut nowhere = shell("echo rate 1");
    command(&mut nowhere).folder = Some("/no/such/folder".into());
    let mut empty = shell("");
    command(&mut empty).argv.clear();
    let mut group = shell("");
    command(&mut group).throughput = Some(Throughput::Regex("rate".into()));
    let mut pinned = shell("");
    pinned.placement = "compact".parse().expect("a placement");
    let mut ramped = shell("");
    ramped.ramp = "linear:1s".parse().expect("a ramp");
    let mut unit = shell("");
    command(&mut unit).mops_per_unit = Some(0.0);
    for (spec, part) in [
        (absent, "no-such-benchmark is not installed"),
        (nowhere, "/no/such/folder"),
        (empty, "command.argv \"\" is not possible"),
        (group, "no group"),
        (pinned, "compact"),
        (ramped, "linear:1s"),
        (unit, "mops_per_unit"),
    ] {
        let error = error_of(&trial(&spec), Status::Refused);
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_a_program_leaves_behind_is_ended() {
    // One in its group, one that left it; both say where they are.
    let script = "sleep 1000 & echo first $!; setsid sleep 1000 & echo second $!; echo rate 1";
    let mut spec = shell(script);
    command(&mut spec).throughput =
        Some(Throughput::Regex(r"(?s)first (?<value>\d+).second \d+.rate".into()));
    let record = trial(&spec);
    assert_eq!(record.status, Status::Ok, "{record:?}");
    let pid = record.metrics[0].value;
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    assert!(state.is_err(), "it outlived its trial: {state:?}");
    let left = record.metrics.iter().find(|metric| metric.metric == "left_behind");
    assert!(left.is_some_and(|left| left.value >= 1.0), "{record:?}");
}

#[test]
fn the_hash_is_set_inside_and_shown_to_have_held() {
    // A program that returns from its main; a shell ends by _exit(2).
    let mut spec = shell("");
    command(&mut spec).argv = vec!["echo".into(), "rate 1".into()];
    spec.hash = "slots:256".parse().expect("a hash");
    let record = preloaded(&spec);
    if record.error.as_ref().is_some_and(|error| error.contains("no private futex hash")) {
        assert_eq!(record.status, Status::Refused);
        return;
    }
    assert_eq!((record.status, &record.error), (Status::Ok, &None));
    assert_eq!(
        (record.slots_start, record.slots_set, record.slots_end, record.pivot),
        (Some(0), Some(256), Some(256), Some(Pivot::None))
    );

    // A child has a hash of its own, and is asked again.
    let mut spec = shell("(echo rate 1) & wait; env echo done");
    spec.hash = "global".parse().expect("a hash");
    let record = preloaded(&spec);
    assert_eq!((record.status, record.slots_end), (Status::Ok, Some(0)), "{record:?}");
}

#[test]
fn a_setting_that_can_not_be_shown_is_refused() {
    let mut spec = shell("echo rate 1; kill -KILL $$");
    spec.hash = "slots:256".parse().expect("a hash");
    let without = error_of(&trial(&spec), Status::Refused);
    if without.contains("no private futex hash") {
        return;
    }
    assert!(without.contains("STALLSCOPE_PRELOAD does not say"), "{without}");
    // A program that clears its environment has nothing preloaded in what it starts; here the
    // first one still has, and the slots of the other are not known.
    let mut spec = shell("exec env -i sh -c 'echo rate 1'");
    spec.hash = "slots:256".parse().expect("a hash");
    let error = error_of(&preloaded(&spec), Status::Refused);
    assert!(error.contains("can't be shown"), "{error}");
    let mut spec = shell("echo rate 1");
    spec.hash = "slots:256+immutable".parse().expect("a hash");
    let record = preloaded(&spec);
    if record.status != Status::Ok {
        let error = error_of(&record, Status::Refused);
        assert!(error.contains("FH_IMMUTABLE") && error.contains("EINVAL"), "{error}");
    }
}

#[test]
fn under_auto_the_slots_are_only_read() {
    let record = preloaded(&shell("echo rate 1"));
    assert_eq!((record.status, record.slots_set), (Status::Ok, record.slots_start));
    // Without the library they are not known, which is not a zero.
    let record = trial(&shell("echo rate 1"));
    assert_eq!((record.status, record.slots_end), (Status::Ok, None));
}

#[test]
fn a_program_that_floods_is_ended_and_told() {
    let error = error_of(&trial(&shell("yes & cat /dev/zero")), Status::Crashed);
    assert!(error.contains("printed more than 64 MiB"), "{error}");
}

#[test]
fn numbers_are_printed_as_in_every_locale_unless_the_definition_chooses_one() {
    let mut spec = shell("case ${LC_ALL:-$LANG} in C) echo rate 12.5;; *) echo rate 7;; esac");
    let rate = |spec: &TrialSpec| {
        let record = trial_with(spec, &[("LC_ALL", "de_DE.UTF-8"), ("LANG", "de_DE.UTF-8")]);
        record.metrics.iter().find(|metric| metric.metric == "throughput").map(|it| it.value)
    };
    assert_eq!(rate(&spec), Some(12.5));
    command(&mut spec).env.push(("LC_ALL".into(), "de_DE.UTF-8".into()));
    assert_eq!(rate(&spec), Some(7.0));
}

#[test]
fn what_a_rule_may_look_at_is_told_of_every_end() {
    let fact_of = |record: &TrialRecord, name: &str| {
        record.metrics.iter().find(|metric| metric.metric == name).map(|metric| metric.value)
    };
    let moment_of = |record: &TrialRecord, name: &str| {
        record.moments.iter().find(|moment| moment.fact == name).map(|moment| moment.t_s)
    };
    let mut spec = shell("echo rate 1; echo lost 3 events >&2; sleep 60");
    spec.watch.hang = Some(Span::from_ms(300));
    spec.watch.expressions = vec!["lost [0-9]+ events".into(), "never".into()];
    let record = trial(&spec);
    assert_eq!(record.status, Status::Timeout, "{record:?}");
    assert!(record.error.as_ref().is_some_and(|error| error.contains("no progress for 0.3 s")));
    assert!(fact_of(&record, fact::IDLE_S).is_some_and(|idle| idle >= 0.3), "{record:?}");
    let began = moment_of(&record, fact::IDLE_S).expect("its onset");
    assert!(began < moment_of(&record, fact::END).expect("its end"), "{record:?}");
    assert_eq!(fact_of(&record, "match:lost [0-9]+ events"), Some(1.0));
    assert_eq!(fact_of(&record, "match:never"), Some(0.0));

    let mut late = shell("while :; do :; done");
    late.watch.hang = Some(Span::from_ms(300));
    late.watch.limit = Some(Span::from_ms(600));
    let record = trial(&late);
    assert!(record.error.as_ref().is_some_and(|it| it.contains("limit of 0.6 s")), "{record:?}");
    assert!(fact_of(&record, fact::IDLE_S).is_some_and(|idle| idle < 0.3), "it works: {record:?}");
}

#[test]
fn a_program_that_adds_to_its_page_has_operations_and_a_timeline() {
    // Eight bytes behind the page's first line, a number that grows, then stands still.
    let script = r#"
        page=$STALLSCOPE_PROGRESS
        for n in 1 2 3 4 5; do
            printf "\\00$n\\000\\000\\000\\000\\000\\000\\000" |
                dd of="$page" bs=8 seek=8 conv=notrunc status=none
            sleep 0.06
        done
        sleep 60"#;
    let mut spec = shell(script);
    command(&mut spec).throughput = None;
    spec.watch.hang = Some(Span::from_ms(400));
    let record = trial(&spec);
    assert_eq!(record.status, Status::Timeout, "{record:?}");
    assert!(record.timeline.len() > 4, "{record:?}");
    assert_eq!(record.timeline.last().map(|look| look.ops), Some(5));
    let hang = record.moments.iter().find(|moment| moment.fact == fact::IDLE_S);
    assert_eq!(hang.and_then(|moment| moment.ops), Some(5), "{record:?}");
}
