//! `epoll`: threads ask one epoll instance, without waiting, for a file that is always readable. A
//! call that reports nothing is a false negative.

use kernel_abi::clock;
use kernel_abi::epoll::AlwaysReady;
use model::record::{Moment, Sample, TrialRecord};
use model::workload::BATCH;
use model::workload::epoll::FALSE_NEGATIVES;

use crate::error::TrialError;
use crate::stage::Seat;
use crate::work::{Driven, Work};

/// What all threads ask.
#[derive(Debug)]
pub struct Epoll(AlwaysReady);

/// What one thread saw.
#[derive(Debug, Default)]
pub struct Seen {
    false_negatives: u64,
    /// CLOCK_MONOTONIC just after the first.
    first_ns: Option<u64>,
}

impl Epoll {
    /// Opens the files.
    pub fn new() -> Result<Epoll, TrialError> {
        AlwaysReady::new()
            .map(Epoll)
            .map_err(|errno| TrialError::Call { call: "epoll".to_string(), errno })
    }
}

impl Work for Epoll {
    type Own = Seen;

    const CALL: &'static str = "epoll_wait";

    fn own(&self, _index: usize) -> Seen {
        Seen::default()
    }

    fn run(&self, seat: &Seat, seen: &mut Seen) {
        let mut ops = 0;
        while !seat.stage.stopped() {
            for _ in 0..BATCH {
                match self.0.is_reported() {
                    Ok(true) => {}
                    Ok(false) => {
                        seen.false_negatives += 1;
                        seen.first_ns.get_or_insert_with(clock::monotonic_ns);
                    }
                    Err(errno) => return seat.stage.fail(errno),
                }
            }
            ops += BATCH;
            seat.count(ops);
        }
    }

    fn finish(&self, driven: &Driven, owns: Vec<Seen>, record: &mut TrialRecord) {
        let all: u64 = owns.iter().map(|seen| seen.false_negatives).sum();
        record.metric(FALSE_NEGATIVES, all as f64, "");
        let Some(first_ns) = owns.iter().filter_map(|seen| seen.first_ns).min() else { return };
        let t_s = first_ns.saturating_sub(driven.start_ns) as f64 / 1e9;
        let ops = Some(ops_at(t_s, &record.timeline, driven.ops));
        record.moments.push(Moment { fact: FALSE_NEGATIVES.to_string(), t_s, ops });
    }
}

/// Operations of all threads at a moment, on the line between the samples around it: no thread reads
/// what another counts.
fn ops_at(t_s: f64, timeline: &[Sample], all: u64) -> u64 {
    let after = timeline.partition_point(|sample| sample.t_s < t_s);
    let Some(next) = timeline.get(after) else { return all };
    let before = after.checked_sub(1).and_then(|at| timeline.get(at));
    let (since_s, done) = before.map_or((0.0, 0), |sample| (sample.t_s, sample.ops));
    let part = (t_s - since_s) / (next.t_s - since_s).max(1e-9);
    done + (next.ops.saturating_sub(done) as f64 * part.clamp(0.0, 1.0)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_at_a_moment_lie_between_those_of_the_samples_around_it() {
        let sample = |t_s, ops| Sample { t_s, threads: 2, ops, slots: None };
        let timeline = [sample(0.0, 0), sample(0.5, 100), sample(1.0, 300)];
        assert_eq!(ops_at(0.25, &timeline, 320), 50);
        assert_eq!(ops_at(0.5, &timeline, 320), 100);
        assert_eq!(ops_at(0.75, &timeline, 320), 200);
        assert_eq!(ops_at(1.1, &timeline, 320), 320);
    }
}
