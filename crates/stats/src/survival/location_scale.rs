//! Maximum likelihood for a law whose log time is location + scale × a standard variable, with
//! exact, right-, left- and interval-censored times. Weibull and log-normal are two such laws.
//!
//! In ρ = 1/scale and γ = location/scale the log-likelihood is concave for every standard variable
//! with a log-concave density (Burridge 1981, J. R. Stat. Soc. B 43:41), so a damped Newton step
//! always ascends and the maximum, where there is one, is the only one. Where there is none is
//! decided from the data before, not from an iteration that ran away.

use super::Lifetime;
use crate::StatError;

/// A standard variable Z with a log-concave density f and survival S.
pub(super) trait StandardLaw {
    /// log f(z) and its first two derivatives.
    fn log_density(z: f64) -> Derivatives;
    /// log S(z) and its first two derivatives.
    fn log_survival(z: f64) -> Derivatives;
    /// log P(a < Z ≤ b) for a < b; `a` may be −∞.
    fn log_between(a: f64, b: f64) -> f64;
}

/// A function's value and its first two derivatives at a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Derivatives {
    pub value: f64,
    pub first: f64,
    pub second: f64,
}

/// A fit of log time = location + scale × Z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LocationScale {
    pub location: f64,
    pub scale: f64,
    /// Of the times, not of their logarithms.
    pub log_likelihood: f64,
}

/// Below this width of an interval in Z, its probability is density × width: the error is
/// width²/24, and the difference of two survivals would lose more.
const NARROW: f64 = 1e-5;

const MAX_ITERATIONS: usize = 200;

/// Maximises the likelihood over location and scale, or over the location at a given scale.
///
/// # Errors
///
/// [`StatError::TooFew`] where the data have no maximum: no event, an event at time 0, or times
/// that a law without spread explains best.
pub(super) fn fit<Z: StandardLaw>(
    law: &'static str,
    trials: &[Lifetime],
    fixed_scale: Option<f64>,
) -> Result<LocationScale, StatError> {
    check_maximum(law, trials, fixed_scale)?;
    let data = Centred::new(trials);
    let mut at = match fixed_scale {
        Some(scale) => Point { rho: 1.0 / scale, gamma: 0.0 },
        None => Point { rho: data.start_rho(), gamma: 0.0 },
    };
    let mut current = data.likelihood::<Z>(at);
    // A start far out can have a likelihood that rounds to 0. A wider law has not.
    while !current.value.is_finite() && fixed_scale.is_none() && at.rho > f64::MIN_POSITIVE {
        at.rho /= 2.0;
        current = data.likelihood::<Z>(at);
    }
    if !current.value.is_finite() {
        // At a given scale, start where the widest time is likely: Z = 0 at the largest.
        at.gamma = at.rho * data.largest;
        current = data.likelihood::<Z>(at);
    }
    let mut settled = false;
    for _ in 0..MAX_ITERATIONS {
        let (step_rho, step_gamma) = current.newton_step(fixed_scale.is_some());
        let ascent = current.rho * step_rho + current.gamma * step_gamma;
        if !ascent.is_finite() {
            break;
        }
        // The step's gain is about ascent / 2. Below the rounding of the sum nothing is left.
        if ascent <= 1e-15 * (1.0 + current.value.abs()) {
            let last = Point { rho: at.rho + step_rho, gamma: at.gamma + step_gamma };
            let polished = data.likelihood::<Z>(last);
            if last.rho > 0.0 && polished.value.is_finite() {
                (at, current) = (last, polished);
            }
            settled = true;
            break;
        }
        let mut share = 1.0;
        let accepted = loop {
            let next =
                Point { rho: at.rho + share * step_rho, gamma: at.gamma + share * step_gamma };
            if next.rho > 0.0 {
                let candidate = data.likelihood::<Z>(next);
                let slack = 1e-14 * (1.0 + current.value.abs());
                if candidate.value >= current.value + 1e-4 * share * ascent - slack {
                    break Some((next, candidate));
                }
            }
            share /= 2.0;
            if share < 1e-12 {
                break None;
            }
        };
        match accepted {
            Some(next) => (at, current) = next,
            // No step gains what rounding does not take: this is the maximum, if little was left.
            None => {
                settled = ascent <= 1e-9 * (1.0 + current.value.abs());
                break;
            }
        }
        // Left- and right-censored times alone can be explained best by a law without end.
        if at.rho < 1e-9 * data.start_rho() {
            return Err(no_maximum(law, "a likelihood that still rises as the spread grows"));
        }
    }
    if !settled {
        return Err(StatError::NoConvergence {
            what: named(law),
            iterations: MAX_ITERATIONS,
            hint: "the times may span too many orders of magnitude; check them for mistakes".into(),
        });
    }
    Ok(LocationScale {
        location: data.centre + at.gamma / at.rho,
        scale: 1.0 / at.rho,
        log_likelihood: current.value - data.log_times,
    })
}

/// The log-likelihood of a location and scale, of the times.
pub(super) fn log_likelihood<Z: StandardLaw>(
    trials: &[Lifetime],
    location: f64,
    scale: f64,
) -> f64 {
    let data = Centred::new(trials);
    let rho = 1.0 / scale;
    data.likelihood::<Z>(Point { rho, gamma: (location - data.centre) * rho }).value
        - data.log_times
}

/// Refuses what has no maximum.
fn check_maximum(
    law: &'static str,
    trials: &[Lifetime],
    fixed_scale: Option<f64>,
) -> Result<(), StatError> {
    let mut exact: Option<(f64, f64)> = None;
    // The largest time known to be outlasted, the smallest known to be not.
    let (mut outlasted, mut not_outlasted) = (f64::NEG_INFINITY, f64::INFINITY);
    for trial in trials {
        match *trial {
            Lifetime::Exact(time) => {
                if time <= 0.0 {
                    return Err(no_maximum(law, "an event at time 0, which has no logarithm"));
                }
                let (low, high) = exact.unwrap_or((time, time));
                exact = Some((low.min(time), high.max(time)));
            }
            Lifetime::RightCensored(time) => outlasted = outlasted.max(time),
            Lifetime::Between { left, right } => {
                outlasted = outlasted.max(left);
                not_outlasted = not_outlasted.min(right);
            }
        }
    }
    if !trials.iter().any(|trial| trial.event()) {
        return Err(no_maximum(law, "no event"));
    }
    if fixed_scale.is_some() {
        // The location alone: it needs a time that is outlasted, if only up to the event.
        return if exact.is_none() && outlasted <= 0.0 {
            Err(StatError::too_few(named(law), "a trial that outlasted a look at it", "none"))
        } else {
            Ok(())
        };
    }
    let one_point = match exact {
        Some((low, high)) => low == high && outlasted <= low && high <= not_outlasted,
        None => outlasted <= not_outlasted,
    };
    if one_point {
        let only_looks = !trials.iter().any(|trial| matches!(trial, Lifetime::Exact(_)));
        return Err(no_maximum(
            law,
            match only_looks {
                true => "intervals that all may hold one and the same time, and so no spread",
                false => "only one distinct time, and so no spread",
            },
        ));
    }
    Ok(())
}

/// The fit in a sentence.
fn named(law: &str) -> String {
    format!("{} {law} fit", if law.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" })
}

fn no_maximum(law: &'static str, found: &str) -> StatError {
    StatError::too_few(named(law), "at least two distinguishable events, all after time 0", found)
}

#[derive(Debug, Clone, Copy)]
struct Point {
    rho: f64,
    gamma: f64,
}

/// Log times about their mean, so that location and scale are nearly independent and no digit is
/// lost to a large common offset.
struct Centred {
    trials: Vec<LogTime>,
    centre: f64,
    spread: f64,
    largest: f64,
    /// The sum of the exact log times: what turns the density of a log time into that of a time.
    log_times: f64,
}

#[derive(Debug, Clone, Copy)]
enum LogTime {
    Exact(f64),
    After(f64),
    /// The edges, and how far apart they are: the difference of two large logs has no digits left.
    Between {
        left: f64,
        right: f64,
        width: f64,
    },
}

impl Centred {
    fn new(trials: &[Lifetime]) -> Self {
        // One typical point a trial, for the centre and the spread alone.
        let typical: Vec<f64> = trials
            .iter()
            .map(|trial| match *trial {
                Lifetime::Exact(time) | Lifetime::RightCensored(time) => time,
                Lifetime::Between { left, right } => left + (right - left) / 2.0,
            })
            .filter(|&time| time > 0.0)
            .map(f64::ln)
            .collect();
        let count = typical.len().max(1) as f64;
        let centre = typical.iter().sum::<f64>() / count;
        let squares: f64 = typical.iter().map(|y| (y - centre).powi(2)).sum();
        let log_times = trials
            .iter()
            .map(|trial| if let Lifetime::Exact(time) = trial { time.ln() } else { 0.0 })
            .sum();
        let mut largest = f64::NEG_INFINITY;
        let trials = trials
            .iter()
            // Censored at 0 says nothing: the event is later, as every event is.
            .filter(|trial| !matches!(trial, Lifetime::RightCensored(time) if *time <= 0.0))
            .map(|trial| {
                let about = |time: f64| time.ln() - centre;
                let (log_time, end) = match *trial {
                    Lifetime::Exact(time) => (LogTime::Exact(about(time)), about(time)),
                    Lifetime::RightCensored(time) => (LogTime::After(about(time)), about(time)),
                    Lifetime::Between { left, right } => {
                        let width = ((right - left) / left).ln_1p();
                        let (left, right) = (about(left), about(right));
                        (LogTime::Between { left, right, width }, right)
                    }
                };
                largest = largest.max(end);
                log_time
            })
            .collect();
        Centred { trials, centre, spread: (squares / count).sqrt(), largest, log_times }
    }

    fn start_rho(&self) -> f64 {
        if self.spread > 1e-8 { 1.0 / self.spread } else { 1.0 }
    }

    fn likelihood<Z: StandardLaw>(&self, at: Point) -> Likelihood {
        let mut sum = Likelihood::default();
        for trial in &self.trials {
            match *trial {
                LogTime::Exact(x) => sum.add_exact::<Z>(x, at, at.rho.ln()),
                LogTime::After(x) => sum.add_at(Z::log_survival(at.z(x)), x),
                LogTime::Between { left, right, width } => {
                    let (a, b) = (at.z(left), at.z(right));
                    if at.rho * width < NARROW {
                        let log_width = (at.rho * width).ln();
                        sum.add_exact::<Z>(left + width / 2.0, at, log_width);
                    } else {
                        sum.add_between::<Z>(left, right, a, b);
                    }
                }
            }
        }
        sum
    }
}

impl Point {
    fn z(self, x: f64) -> f64 {
        self.rho * x - self.gamma
    }
}

/// The log-likelihood with its gradient and Hessian in (ρ, γ).
#[derive(Debug, Clone, Copy, Default)]
struct Likelihood {
    value: f64,
    rho: f64,
    gamma: f64,
    rho_rho: f64,
    rho_gamma: f64,
    gamma_gamma: f64,
}

impl Likelihood {
    /// Adds a function of z = ρx − γ.
    fn add_at(&mut self, of_z: Derivatives, x: f64) {
        self.value += of_z.value;
        self.rho += of_z.first * x;
        self.gamma -= of_z.first;
        self.rho_rho += of_z.second * x * x;
        self.rho_gamma -= of_z.second * x;
        self.gamma_gamma += of_z.second;
    }

    /// Adds a density at x; `log_width` is log ρ, or log(ρ × width) of a narrow interval.
    fn add_exact<Z: StandardLaw>(&mut self, x: f64, at: Point, log_width: f64) {
        self.add_at(Z::log_density(at.z(x)), x);
        self.value += log_width;
        self.rho += 1.0 / at.rho;
        self.rho_rho -= 1.0 / (at.rho * at.rho);
    }

    /// Adds log P(a < Z ≤ b), where a = z(left) and b = z(right).
    fn add_between<Z: StandardLaw>(&mut self, left: f64, right: f64, a: f64, b: f64) {
        let log_p = Z::log_between(a, b);
        self.value += log_p;
        let upper = Z::log_density(b);
        let rb = (upper.value - log_p).exp();
        let second_b = rb * upper.first - rb * rb;
        self.rho += rb * right;
        self.gamma -= rb;
        self.rho_rho += second_b * right * right;
        self.rho_gamma -= second_b * right;
        self.gamma_gamma += second_b;
        if a.is_finite() {
            let lower = Z::log_density(a);
            let ra = (lower.value - log_p).exp();
            let second_a = -ra * lower.first - ra * ra;
            let mixed = ra * rb;
            self.rho -= ra * left;
            self.gamma += ra;
            self.rho_rho += second_a * left * left + 2.0 * mixed * left * right;
            self.rho_gamma -= second_a * left + mixed * (left + right);
            self.gamma_gamma += second_a + 2.0 * mixed;
        }
    }

    fn newton_step(&self, location_only: bool) -> (f64, f64) {
        if location_only {
            return (0.0, -self.gamma / self.gamma_gamma);
        }
        let determinant = self.rho_rho * self.gamma_gamma - self.rho_gamma * self.rho_gamma;
        if self.rho_rho < 0.0 && determinant > 0.0 {
            return (
                (self.rho_gamma * self.gamma - self.gamma_gamma * self.rho) / determinant,
                (self.rho_gamma * self.rho - self.rho_rho * self.gamma) / determinant,
            );
        }
        // Rounding has flattened the curvature: each direction by its own.
        let own = |slope: f64, curvature: f64| slope / curvature.abs().max(f64::MIN_POSITIVE);
        (own(self.rho, self.rho_rho), own(self.gamma, self.gamma_gamma))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Checks a law's derivatives against differences, and its interval against its survival.
    pub fn check_law<Z: StandardLaw>(range: std::ops::Range<i32>) {
        let h = 1e-4;
        for k in range {
            let z = f64::from(k) / 4.0;
            for f in [Z::log_density, Z::log_survival] {
                let (below, here, above) = (f(z - h), f(z), f(z + h));
                let first = (above.value - below.value) / (2.0 * h);
                let second = (above.first - below.first) / (2.0 * h);
                let scale = 1.0 + here.second.abs() + here.first.abs();
                assert!((first - here.first).abs() < 1e-5 * scale, "first at {z}");
                assert!((second - here.second).abs() < 1e-5 * scale, "second at {z}");
            }
            let (a, b) = (z, z + 0.5);
            let direct = Z::log_survival(a).value.exp() - Z::log_survival(b).value.exp();
            if direct > 1e-6 {
                assert!((Z::log_between(a, b) - direct.ln()).abs() < 1e-8, "between at {z}");
            }
        }
    }
}
