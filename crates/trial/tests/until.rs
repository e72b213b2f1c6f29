//! A trial that ends when there is nothing more to wait for.

mod common;

use model::factor::Until;
use model::record::Status;

#[test]
fn where_no_growth_can_come_the_trial_ends_after_the_tail() {
    // A chosen hash never grows; the duration would be an hour.
    let mut spec = common::spec();
    spec.hash = "slots:64".parse().expect("a hash");
    spec.duration = "1h".parse().expect("a span");
    spec.until = Until::Settled { tail: "20ms".parse().expect("a span") };
    let record = common::trial(&spec);
    // A kernel without the private hash refuses the setting, and that ends at once too.
    if record.status == Status::Ok {
        let elapsed = record.elapsed_s.expect("a window");
        assert!((0.02..3000.0).contains(&elapsed), "{elapsed}");
    }
}
