//! Short real trials of the workload that all else is compared with, and of every ramp.

mod common;

use common::{race_trial, spec, trial};
use model::record::{Pivot, Status, TrialRecord};

/// What holds of every trial that went well, whatever the machine's speed.
fn is_whole(record: &TrialRecord, threads: u32, duration_s: f64) {
    assert_eq!((record.status, &record.error), (Status::Ok, &None));
    assert!(record.elapsed_s.is_some_and(|s| s >= duration_s), "{record:?}");
    let ops = record.ops.expect("operations");
    let (min, median, max) = (
        record.thread_ops_min.expect("a least"),
        record.thread_ops_median.expect("a median"),
        record.thread_ops_max.expect("a most"),
    );
    assert!(min <= median && median <= max && max <= ops, "{record:?}");
    assert!(ops > 0 && ops <= max * u64::from(threads), "{record:?}");
    let first = record.timeline.first().expect("a sample");
    assert_eq!((first.threads, first.ops), (0, 0));
    let last = record.timeline.last().expect("a sample");
    assert_eq!(last.threads, threads);
    assert!(last.ops >= ops);
    for pair in record.timeline.windows(2) {
        assert!(pair[0].t_s <= pair[1].t_s && pair[0].ops <= pair[1].ops, "{pair:?}");
        assert!(pair[0].threads <= pair[1].threads, "{pair:?}");
    }
    assert!(record.user_s.is_some() && record.system_s.is_some());
}

#[test]
fn every_ramp_brings_all_threads_to_work() {
    for ramp in
        ["burst", "barrier:30ms", "linear:60ms", "steps:2x40ms", "poisson:100/s", "grow:2@60ms"]
    {
        let mut spec = spec();
        spec.threads = 5;
        spec.ramp = ramp.parse().expect("a ramp");
        let record = trial(&spec);
        is_whole(&record, 5, 0.12);
        if ramp == "barrier:30ms" {
            // Before it opens nobody works.
            let before = record.timeline.iter().filter(|sample| sample.t_s < 0.03);
            assert!(before.clone().count() > 0);
            assert!(before.map(|sample| sample.ops).all(|ops| ops == 0), "{record:?}");
        }
        let names: Vec<_> = record.metrics.iter().map(|metric| metric.metric.as_str()).collect();
        assert_eq!(names.contains(&"first_pool_rate"), ramp == "grow:2@60ms", "{ramp}");
    }
}

#[test]
fn slots_that_are_set_are_there_to_the_end() {
    let mut spec = spec();
    spec.hash = "slots:512".parse().expect("a hash");
    let record = trial(&spec);
    if record.status == Status::Refused {
        // A kernel without the private hash: said, and nothing measured.
        assert!(record.error.is_some_and(|error| error.contains("SET_SLOTS, 512")));
        assert_eq!((record.ops, record.pivot), (None, None));
        return;
    }
    is_whole(&record, 2, 0.12);
    assert_eq!(
        (record.slots_start, record.slots_set, record.slots_loaded, record.slots_end),
        (Some(0), Some(512), Some(512), Some(512))
    );
    assert_eq!((record.pivot, record.pivot_s), (Some(Pivot::None), None));
}

#[test]
fn the_global_hash_is_no_slots() {
    let mut spec = spec();
    spec.hash = "global".parse().expect("a hash");
    let record = trial(&spec);
    is_whole(&record, 2, 0.12);
    assert!(record.slots_loaded.is_none_or(|slots| slots == 0), "{record:?}");
}

#[test]
fn a_growth_of_the_hash_is_judged_where_one_is_due() {
    let mut spec = spec();
    spec.threads = 5;
    let record = trial(&spec);
    is_whole(&record, 5, 0.12);
    match record.pivot {
        Some(Pivot::Unsupported) => {
            assert!(record.slots_loaded.is_none_or(|slots| slots == 0));
            assert_eq!((record.slots_expected, record.pivot_s), (None, None));
        }
        Some(Pivot::None) => {
            assert_eq!((record.slots_expected, record.pivot_s), (Some(16), None));
        }
        Some(Pivot::Settled | Pivot::Pending) => {
            assert_eq!(record.slots_expected, Some(32));
            assert!(record.pivot_s.is_some());
        }
        None => panic!("not judged: {record:?}"),
    }
}

#[test]
fn the_last_immutable_kernel_is_gone_or_grants_it() {
    let mut spec = spec();
    spec.hash = "slots:64+immutable".parse().expect("a hash");
    let record = trial(&spec);
    match record.status {
        Status::Ok => assert_eq!(record.slots_loaded, Some(64)),
        Status::Refused => {
            let error = record.error.expect("a reason");
            assert!(error.contains("SET_SLOTS, 64, FH_IMMUTABLE): EINVAL"), "{error}");
            assert_eq!(record.ops, None);
        }
        other => panic!("{other}"),
    }
}

#[test]
fn pinned_threads_and_shared_masks_run_and_missing_cpus_are_named() {
    let cpu = kernel_abi::affinity::current().expect("affinity").first().expect("a CPU");
    for placement in [format!("pin:{cpu},{cpu}"), format!("cpus:{cpu}"), "compact".into()] {
        let mut spec = spec();
        spec.placement = placement.parse().expect("a placement");
        is_whole(&trial(&spec), 2, 0.12);
    }
    let mut spec = spec();
    spec.placement = "cpus:0,9999".parse().expect("a placement");
    let record = trial(&spec);
    assert_eq!(record.status, Status::Refused);
    let error = record.error.expect("a reason");
    assert!(error.contains("cpus:0,9999") && error.contains("9999"), "{error}");
}

#[test]
fn a_contradiction_is_refused_before_anything_runs() {
    let mut spec = spec();
    spec.ramp = "grow:8@1s".parse().expect("a ramp");
    let record = trial(&spec);
    assert_eq!(record.status, Status::Refused);
    assert!(record.error.is_some_and(|error| error.contains("grow:8@1s")));
    assert_eq!((record.slots_start, record.timeline.len()), (None, 0));
}

#[test]
fn what_is_no_spec_is_answered_with_a_record_and_status_2() {
    for input in ["", "\n", "{}\n", "[1]\n", "{\"trial\":1,\"threads\":-3}\n", "\u{1F600}\n"] {
        let (status, output) = race_trial(input);
        assert_eq!(status, Some(2), "{input:?}");
        let record: TrialRecord = serde_json::from_str(&output).expect("one record");
        assert_eq!(record.status, Status::Refused);
        assert!(record.error.is_some_and(|error| error.contains("standard input")));
    }
}
