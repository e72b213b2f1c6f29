//! Short real trials of messengers and workers: above all, that they end.

mod common;

use common::{spec, task, trial};
use model::record::Status;

#[test]
fn requests_are_made_timed_and_ended_under_every_ramp() {
    for (threads, messengers, ramp, hash) in [
        (1, 1, "burst", "auto"),
        (5, 2, "barrier:20ms", "auto"),
        (6, 6, "linear:40ms", "global"),
        (9, 2, "grow:2@40ms", "auto"),
        (40, 3, "poisson:1000/s", "auto"),
    ] {
        let mut spec = spec();
        spec.task = task("messenger", messengers);
        spec.threads = threads;
        spec.ramp = ramp.parse().expect("a ramp");
        spec.hash = hash.parse().expect("a hash");
        let record = trial(&spec);
        assert_eq!((record.status, &record.error), (Status::Ok, &None), "{ramp}");
        assert!(record.ops > Some(0), "{record:?}");
        let made = threads + messengers;
        assert_eq!(record.timeline.last().map(|sample| sample.threads), Some(made));
        let value = |name: &str| {
            let metric = record.metrics.iter().find(|metric| metric.metric == name);
            metric.map(|metric| metric.value).unwrap_or_else(|| panic!("no {name}: {record:?}"))
        };
        let latencies = ["p50", "p90", "p99", "p99.9", "max"]
            .map(|quantile| value(&format!("wakeup_latency_{quantile}")));
        assert!(latencies.is_sorted() && latencies[0] > 0.0, "{latencies:?}");
        let rate = record.ops.expect("operations") as f64 / record.elapsed_s.expect("a window");
        assert!((value("requests_per_s") - rate).abs() <= 1e-9 * rate);
    }
}

#[test]
fn a_messenger_without_a_worker_is_refused() {
    let mut spec = spec();
    spec.task = task("messenger", 3);
    let record = trial(&spec);
    assert_eq!(record.status, Status::Refused);
    assert!(record.error.is_some_and(|error| error.contains("messengers \"3\"")));
}
