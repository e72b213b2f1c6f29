//! What ends a trial before its event, in the families of times.
//!
//! The event's rate is 1 unless said otherwise, so that the unit of time is its mean.

use rand_chacha::ChaCha8Rng;

use super::draw::exponential;
use stats::survival::FollowUp;

/// What ends a trial before its event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Censoring {
    /// Nothing.
    None,
    /// The length of the run, which this share of the trials outlasts.
    Fixed(f64),
    /// An exponential time that has nothing to do with the event, and comes first in this share of
    /// the trials.
    Random(f64),
}

/// Those that are tried.
pub(super) const CENSORINGS: [Censoring; 5] = [
    Censoring::None,
    Censoring::Fixed(0.3),
    Censoring::Fixed(0.6),
    Censoring::Random(0.3),
    Censoring::Random(0.6),
];

impl Censoring {
    pub(super) fn name(self) -> String {
        match self {
            Censoring::None => "none censored".into(),
            Censoring::Fixed(share) => format!("{:.0} % outlast the run", 100.0 * share),
            Censoring::Random(share) => format!("{:.0} % censored at random", 100.0 * share),
        }
    }

    /// The end of follow-up of one trial.
    fn end(self, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Censoring::None => f64::INFINITY,
            Censoring::Fixed(share) => -share.ln(),
            // At rate c it comes before the event with probability c / (c + 1).
            Censoring::Random(share) => exponential(rng) * (1.0 - share) / share,
        }
    }

    /// A trial whose event has this rate.
    pub(super) fn trial(self, rate: f64, rng: &mut ChaCha8Rng) -> (f64, bool) {
        let event = exponential(rng) / rate;
        let end = self.end(rng);
        (event.min(end), event <= end)
    }

    pub(super) fn trials(self, n: usize, rate: f64, rng: &mut ChaCha8Rng) -> Vec<FollowUp> {
        (0..n)
            .filter_map(|_| {
                let (time, seen) = self.trial(rate, rng);
                FollowUp::new(time, seen).ok()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::stream::stream;

    #[test]
    fn the_shares_censored_are_those_named() {
        let mut rng = stream(8, 0);
        for (censoring, expected) in CENSORINGS.into_iter().zip([0.0, 0.3, 0.6, 0.3, 0.6]) {
            let count = (0..50_000).filter(|_| !censoring.trial(1.0, &mut rng).1).count();
            let share = count as f64 / 50_000.0;
            assert!((share - expected).abs() < 0.012, "{censoring:?}: {share}");
        }
    }
}
