//! Short real trials that set the slots under load; they work on two CPUs.

mod common;

use common::{spec, task, trial};
use model::record::{Pivot, Status};

#[test]
fn each_set_is_a_pivot_with_its_duration() {
    for (hash, sizes) in [("auto", None), ("slots:64", Some((64, 128)))] {
        let mut spec = spec();
        spec.task = task("resize", 0);
        spec.hash = hash.parse().expect("a hash");
        spec.duration = "400ms".parse().expect("a span");
        let record = trial(&spec);
        if record.status == Status::Refused {
            // A kernel without the private hash.
            assert!(record.error.is_some_and(|error| error.contains("PR_FUTEX_HASH")));
            assert_eq!((record.ops, record.elapsed_s), (None, None));
            continue;
        }
        assert_eq!((record.status, &record.error), (Status::Ok, &None));
        assert!(!record.pivots.is_empty(), "{record:?}");
        let (small, large) = sizes.unwrap_or((record.pivots[0].from, record.pivots[0].to));
        assert_eq!(large, 2 * small);
        for (index, set) in record.pivots.iter().enumerate() {
            assert_eq!(set.index as usize, index);
            let way = if index % 2 == 0 { (small, large) } else { (large, small) };
            assert_eq!((set.from, set.to), way);
            assert!(set.seconds > 0.0 && set.errno.is_none(), "{set:?}");
        }
        assert!(record.slots_end.is_some_and(|slots| slots == small || slots == large));
        assert_ne!(record.pivot, Some(Pivot::Pending));
        // It samples meanwhile: at least before, within and at the end.
        assert!(record.timeline.len() >= 3, "{record:?}");
    }
}

#[test]
fn policies_that_cannot_be_resized_are_refused_by_name() {
    for hash in ["global", "slots:64+immutable"] {
        let mut spec = spec();
        spec.task = task("resize", 0);
        spec.hash = hash.parse().expect("a hash");
        let record = trial(&spec);
        assert_eq!(record.status, Status::Refused);
        assert!(record.error.is_some_and(|error| error.contains(hash)));
    }
}
