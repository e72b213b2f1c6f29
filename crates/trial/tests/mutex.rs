//! Short real trials of the contended mutex: its count must come out exact in every form.

mod common;

use common::{spec, trial};
use model::factor::Span;
use model::record::{Status, TrialRecord};
use model::spec::TrialSpec;
use model::workload::Task;
use model::workload::mutex::Mutex;

/// Six threads over two locks, changed by the test.
fn mutex(unlock: &str, change: impl FnOnce(&mut Mutex)) -> TrialSpec {
    let mut mutex = Mutex {
        locks: "2".parse().expect("a count"),
        unlock: unlock.parse().expect("a form"),
        critical: Span::from_ns(0),
        think: Span::from_ns(0),
        pairs: None,
    };
    change(&mut mutex);
    TrialSpec { threads: 6, task: Task::Mutex(mutex), ..spec() }
}

fn metric(record: &TrialRecord, name: &str) -> Option<f64> {
    record.metrics.iter().find(|metric| metric.metric == name).map(|metric| metric.value)
}

#[test]
fn both_forms_exclude_each_other_for_a_duration() {
    for unlock in ["exchange", "store-wake"] {
        let spec = mutex(unlock, |mutex| {
            mutex.critical = Span::from_ns(300);
            mutex.think = Span::from_ns(100);
        });
        let record = trial(&spec);
        assert_eq!((record.status, &record.error), (Status::Ok, &None), "{unlock}");
        assert!(record.ops > Some(0));
        assert_eq!((metric(&record, "seconds"), metric(&record, "pairs")), (None, None));
        assert!(metric(&record, "sleeps").is_some());
    }
}

#[test]
fn a_fixed_amount_ends_by_itself_and_reports_its_seconds() {
    let mut spec = mutex("store-wake", |mutex| mutex.pairs = Some(3_001));
    spec.duration = "60s".parse().expect("a span");
    let record = trial(&spec);
    assert_eq!(record.status, Status::Ok, "{record:?}");
    assert_eq!(metric(&record, "pairs"), Some(3_001.0));
    let seconds = metric(&record, "seconds").expect("it was done");
    assert!(seconds > 0.0 && seconds < 60.0, "{seconds}");
    assert_eq!(metric(&record, "seconds_at_least"), None);
    // It may be over before all threads exist; then no window is claimed.
    assert_eq!(record.elapsed_s.is_some(), record.ops.is_some());
}

#[test]
fn who_finds_nothing_left_does_not_end_the_others_work() {
    // 33 pairs are one share of 32 and one of 1: four of the six threads leave at once, and for
    // the 33 ms or more of the others the main thread looks on each millisecond.
    let mut spec = mutex("store-wake", |mutex| {
        mutex.locks = "1".parse().expect("a count");
        mutex.pairs = Some(33);
        mutex.critical = Span::from_ms(1);
    });
    spec.duration = "60s".parse().expect("a span");
    spec.sample = "1ms".parse().expect("a span");
    let record = trial(&spec);
    assert_eq!(record.status, Status::Ok, "{record:?}");
    assert_eq!(metric(&record, "pairs"), Some(33.0), "{record:?}");
    assert!(metric(&record, "seconds").is_some_and(|s| s >= 0.03), "{record:?}");
}

#[test]
fn an_amount_that_is_not_done_in_time_is_censored() {
    let spec = mutex("exchange", |mutex| mutex.pairs = Some(u64::MAX));
    let record = trial(&spec);
    assert_eq!(record.status, Status::Ok, "{record:?}");
    assert_eq!(metric(&record, "seconds"), None);
    assert!(metric(&record, "seconds_at_least").is_some_and(|s| s >= 0.12), "{record:?}");
}

#[test]
fn what_makes_no_sense_is_said() {
    let long = mutex("exchange", |mutex| mutex.critical = Span::from_ms(2000));
    let nothing = mutex("exchange", |mutex| mutex.pairs = Some(0));
    for (spec, part) in [(long, "critical \"2s\""), (nothing, "pairs \"0\"")] {
        let record = trial(&spec);
        assert_eq!(record.status, Status::Refused);
        assert!(record.error.as_ref().is_some_and(|e| e.contains(part)), "{record:?}");
    }
}
