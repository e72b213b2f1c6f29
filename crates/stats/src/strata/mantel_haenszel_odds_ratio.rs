//! Mantel and Haenszel's common odds ratio.

use super::super::proportion::two_sided_z;
use super::super::{Interval, Level};
use super::{Contrast, Stratum};

/// R₊ and S₊ of the estimate R₊ / S₊, with the sums of the Robins-Breslow-Greenland variance.
#[derive(Debug, Default, Clone, Copy)]
struct Sums {
    r: f64,
    s: f64,
    pr: f64,
    ps_qr: f64,
    qs: f64,
}

fn sums(strata: &[Stratum]) -> Sums {
    let mut sums = Sums::default();
    for c in strata.iter().filter_map(Stratum::cells) {
        let n = c.trials();
        let (r, s) = (c.y1 * (c.n2 - c.y2) / n, (c.n1 - c.y1) * c.y2 / n);
        let (p, q) = ((c.y1 + c.n2 - c.y2) / n, (c.n1 - c.y1 + c.y2) / n);
        sums.r += r;
        sums.s += s;
        sums.pr += p * r;
        sums.ps_qr += p * s + q * r;
        sums.qs += q * s;
    }
    sums
}

/// The estimate, test against base: `None` where no stratum has a discordant pair for it (it is
/// infinite, or nothing is known).
pub fn estimate(strata: &[Stratum]) -> Option<f64> {
    let sums = sums(strata);
    (sums.s > 0.0).then(|| sums.r / sums.s)
}

/// The estimate with the interval from the Robins-Breslow-Greenland variance of its logarithm,
/// which holds both for few large strata and for many sparse ones. An estimate of 0 or infinity has
/// no interval: its logarithm has none.
///
/// Source: N. Mantel and W. Haenszel (1959); J. Robins, N. Breslow and S. Greenland (1986).
pub fn contrast(strata: &[Stratum], level: Level) -> Contrast {
    let Sums { r, s, pr, ps_qr, qs } = sums(strata);
    let (low, high) = if r > 0.0 && s > 0.0 {
        let variance = pr / (2.0 * r * r) + ps_qr / (2.0 * r * s) + qs / (2.0 * s * s);
        let reach = two_sided_z(level) * variance.sqrt();
        let ln = (r / s).ln();
        ((ln - reach).exp(), (ln + reach).exp())
    } else {
        (f64::NAN, f64::NAN)
    };
    Contrast {
        estimate: estimate(strata),
        intervals: vec![Interval::new("mantel-haenszel", level, low, high)],
    }
}
