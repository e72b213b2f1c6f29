//! Random values of the laws that families draw from.

use rand::{Rng, RngExt};

/// A standard normal value, by the polar method of Marsaglia and Bray (1964).
pub fn normal(rng: &mut impl Rng) -> f64 {
    loop {
        let x = 2.0 * rng.random::<f64>() - 1.0;
        let y = 2.0 * rng.random::<f64>() - 1.0;
        let r = x * x + y * y;
        if r > 0.0 && r < 1.0 {
            return x * (-2.0 * r.ln() / r).sqrt();
        }
    }
}

/// An exponential value of mean 1.
pub fn exponential(rng: &mut impl Rng) -> f64 {
    -(1.0 - rng.random::<f64>()).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::stream::stream;

    #[test]
    fn moments_are_those_of_the_laws() {
        let mut rng = stream(1, 0);
        let count = 200_000;
        let moments = |values: Vec<f64>| {
            let mean = values.iter().sum::<f64>() / count as f64;
            (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count as f64)
        };
        let (mean, variance) = moments((0..count).map(|_| normal(&mut rng)).collect());
        assert!(mean.abs() < 0.012 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        let (mean, variance) = moments((0..count).map(|_| exponential(&mut rng)).collect());
        assert!((mean - 1.0).abs() < 0.012 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
    }
}
