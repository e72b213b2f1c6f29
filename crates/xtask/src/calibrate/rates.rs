//! The interval of a constant rate, where times are seen and where they are looked for.

use super::censoring::{CENSORINGS, Censoring};
use super::{Coverage, Effort, Family, Setting, simulate};
use stats::Interval;
use stats::survival::{ExponentialFit, Lifetime, fit_exponential, fit_exponential_interval};

/// How far apart looks are, in mean times to the event.
const LOOKS: [f64; 2] = [0.25, 1.0];

/// Coverage of the rate: exact by gamma where nothing is censored, exact by Poisson where something
/// is, and by profile likelihood between looks.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[usize] = if effort.whole_grid { &[5, 8, 10, 24, 50] } else { &[8, 24] };
    let mut rows = Vec::new();
    for (i, &n) in sizes.iter().enumerate() {
        for (j, censoring) in CENSORINGS.into_iter().enumerate() {
            rows.extend(followed(n, censoring, effort, 5_500 + 20 * i + j));
        }
        for (j, apart) in LOOKS.into_iter().enumerate() {
            rows.extend(looked_for(n, apart, effort, 5_510 + 20 * i + j));
        }
    }
    rows
}

fn setting(n: usize, truth: String) -> Setting {
    Setting { family: Family::Rates, quantity: "rate".into(), size: format!("n={n}"), truth }
}

/// The interval under its method's name; data without a fit have none.
fn interval(
    fit: Result<ExponentialFit, impl std::error::Error>,
    method: &'static str,
    effort: &Effort,
) -> Interval {
    let (low, high) = fit.map_or((None, None), |fit| (fit.interval.low, fit.interval.high));
    Interval { method, level: effort.level, low, high }
}

fn followed(n: usize, censoring: Censoring, effort: &Effort, number: usize) -> Vec<Coverage> {
    // A sample of which by chance nothing is censored has the gamma's interval, as in use.
    let method = match censoring {
        Censoring::None => "exact-gamma",
        _ => "exact-poisson",
    };
    simulate(&setting(n, censoring.name()), 1.0, effort, number, |rng| {
        let fit = fit_exponential(&censoring.trials(n, 1.0, rng), effort.level);
        vec![interval(fit, method, effort)]
    })
}

/// Looks at equal steps until about 30 % of the trials are left.
fn looked_for(n: usize, apart: f64, effort: &Effort, number: usize) -> Vec<Coverage> {
    let last = (-0.3f64.ln() / apart).round() * apart;
    let outlast = 100.0 * (-last).exp();
    let truth = format!("a look every {apart} of the mean, {outlast:.0} % outlast them");
    simulate(&setting(n, truth), 1.0, effort, number, |rng| {
        let trials: Vec<Lifetime> = (0..n)
            .filter_map(|_| {
                let (time, _) = Censoring::None.trial(1.0, rng);
                let (left, right) = match time > last {
                    true => (last, None),
                    false => ((time / apart).floor() * apart, Some((time / apart).ceil() * apart)),
                };
                Lifetime::between(left, right).ok()
            })
            .collect();
        let fit = fit_exponential_interval(&trials, effort.level);
        vec![interval(fit, "profile-likelihood", effort)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_an_uncensored_rate_is_exact() {
        let effort = Effort { data_sets: 4_000, ..Effort::default() };
        let row = &followed(5, Censoring::None, &effort, 1)[0];
        assert!((row.coverage - 0.95).abs() < 5.0 * 0.0035, "{row:?}");
    }

    #[test]
    fn looks_leave_the_rate_near_its_level() {
        let effort = Effort { data_sets: 1_000, ..Effort::default() };
        for apart in LOOKS {
            let row = &looked_for(24, apart, &effort, 2)[0];
            assert!((row.coverage - 0.95).abs() < 5.0 * 0.007, "{row:?}");
        }
    }
}
