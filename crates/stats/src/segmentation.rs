//! Where the level of a series changes: exact penalised segmentation, PELT's optimum by functional
//! pruning.

use super::StatError;

/// A series cut into stretches of one level each.
#[derive(Debug, Clone, PartialEq)]
pub struct Segmentation {
    /// The first index of each segment; the first is 0.
    pub starts: Vec<usize>,
    /// Σ (value − its segment's mean)² / σ² + penalty × changes: the least of all segmentations.
    pub objective: f64,
    /// The noise's standard deviation that was used.
    pub sigma: f64,
    /// The penalty a change that was used.
    pub penalty: f64,
}

impl Segmentation {
    /// The segments as half-open index ranges of a series of `n` values.
    pub fn ranges(&self, n: usize) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let ends = self.starts.iter().skip(1).copied().chain(std::iter::once(n));
        self.starts.iter().zip(ends).map(|(&start, end)| start..end)
    }
}

/// Cuts `values` where their mean changes, the noise being Gaussian with standard deviation
/// `sigma`: of all 2^(n−1) segmentations the one with the least Σ (value − mean)² / σ² +
/// `penalty` × changes. That is the optimum that PELT finds (pruned exact linear time: Killick,
/// Fearnhead and Eckley 2012, J. Am. Stat. Assoc. 107:1590). PELT drops a start of the last segment
/// when it can't win at any level, and takes quadratic time where nothing changes, as in a trial that
/// is stalled to its end. Here a start is dropped when no level is left at which it is the cheapest
/// (functional pruning: Maidstone, Hocking, Rigaill and Fearnhead 2017, Stat. Comput. 27:519), which
/// drops at least as many: a handful is left at any time, and the time is linear in practice.
///
/// Noise that is correlated gives more changes than there are.
///
/// # Errors
///
/// [`StatError::TooFew`] without a value; [`StatError::Domain`] for a value that is not finite,
/// or a sigma or penalty that is not a finite number above 0.
///
/// ```
/// use stallscope_stats::segmentation::segment;
/// let cut = segment(&[1.0, 1.1, 0.9, 5.0, 5.1], 0.1, 6.0)?;
/// assert_eq!(cut.starts, [0, 3]);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn segment(values: &[f64], sigma: f64, penalty: f64) -> Result<Segmentation, StatError> {
    if values.is_empty() {
        return Err(StatError::too_few("a segmentation", "at least one value", "none"));
    }
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        let what = format!("value {} of a series", at + 1);
        return Err(StatError::domain(what, values[at], "a finite number"));
    }
    for (what, value) in [("the noise's sigma", sigma), ("the penalty a change", penalty)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(StatError::domain(what, value, "a finite number above 0"));
        }
    }
    let sums = Sums::new(values, sigma);
    let n = values.len();
    // best[t] is the least objective of the first t values, plus one penalty; last[t] is where its
    // last segment starts.
    let mut best = vec![0.0; n + 1];
    let mut last = vec![0; n + 1];
    let mut pieces = vec![Piece { start: 0, low: sums.least, high: sums.most }];
    let mut next: Vec<Piece> = Vec::new();
    for t in 1..=n {
        let (mut at, mut least) = (0, f64::INFINITY);
        for piece in &pieces {
            let cost = best[piece.start] + sums.cost(piece.start, t);
            if cost < least {
                (at, least) = (piece.start, cost);
            }
        }
        last[t] = at;
        best[t] = least + penalty;
        next.clear();
        for piece in &pieces {
            // At which levels the start costs no more than a new segment from here on. The margins are
            // for rounding: a start kept too long is only slower.
            let own = best[piece.start] + sums.cost(piece.start, t);
            let room = best[t] - own + 1e-9 * (1.0 + best[t].abs());
            let (mean, count) = sums.mean(piece.start, t);
            let reach = (room.max(0.0) / count).sqrt();
            let (low, high) = (piece.low.max(mean - reach), piece.high.min(mean + reach));
            if room < 0.0 || low > high {
                cover(&mut next, t, piece.low, piece.high);
                continue;
            }
            if piece.low < low {
                cover(&mut next, t, piece.low, low);
            }
            next.push(Piece { start: piece.start, low, high });
            if high < piece.high {
                cover(&mut next, t, high, piece.high);
            }
        }
        std::mem::swap(&mut pieces, &mut next);
    }
    let mut starts = Vec::new();
    let mut t = n;
    while t > 0 {
        t = last[t];
        starts.push(t);
    }
    starts.reverse();
    Ok(Segmentation { starts, objective: best[n] - penalty, sigma, penalty })
}

/// A range of levels of the last segment, and the start that costs least there.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: usize,
    low: f64,
    high: f64,
}

/// Gives a range of levels to a start; the range before it grows if it is the same start's.
fn cover(pieces: &mut Vec<Piece>, start: usize, low: f64, high: f64) {
    match pieces.last_mut() {
        Some(before) if before.start == start => before.high = high,
        _ => pieces.push(Piece { start, low, high }),
    }
}

/// The penalty by Schwarz' criterion, 2 log n: a change costs its place and its level. Consistent
/// for the number of changes in Gaussian noise of known variance (Yao 1988, Stat. Probab. Lett.
/// 6:181).
pub fn schwarz_penalty(n: usize) -> f64 {
    2.0 * (n.max(2) as f64).ln()
}

/// The noise's standard deviation, from the median absolute first difference: changes of level
/// are few among the differences and do not count. Of an even number it is the lower of the two in
/// the middle, so that as many changes as not still leave the noise. 0 if half of the values repeat
/// the one before, or there are fewer than two.
pub fn noise_sigma(values: &[f64]) -> f64 {
    let mut steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    if steps.is_empty() {
        return 0.0;
    }
    steps.sort_unstable_by(f64::total_cmp);
    // A difference of two Gaussian values has √2 of their deviation, and a median of its absolute
    // value of 0.6745 of that.
    const MEDIAN_OF_ABSOLUTE_NORMAL: f64 = 0.674_489_750_196_081_7;
    steps[(steps.len() - 1) / 2] / (MEDIAN_OF_ABSOLUTE_NORMAL * std::f64::consts::SQRT_2)
}

/// Running sums, about the series' mean so that the squares keep their digits.
struct Sums {
    values: Vec<f64>,
    squares: Vec<f64>,
    /// The least and the greatest level that a segment can have.
    least: f64,
    most: f64,
}

impl Sums {
    fn new(values: &[f64], sigma: f64) -> Self {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let (mut value, mut square) = (0.0, 0.0);
        let mut sums = Sums {
            values: vec![0.0],
            squares: vec![0.0],
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        };
        for x in values {
            let z = (x - mean) / sigma;
            (sums.least, sums.most) = (sums.least.min(z), sums.most.max(z));
            value += z;
            square += z * z;
            sums.values.push(value);
            sums.squares.push(square);
        }
        sums
    }

    /// The mean of the values from `s` up to `t`, exclusive, and how many they are.
    fn mean(&self, s: usize, t: usize) -> (f64, f64) {
        let count = (t - s) as f64;
        ((self.values[t] - self.values[s]) / count, count)
    }

    /// Σ (value − mean)² / σ² of the values from `s` up to `t`, exclusive.
    fn cost(&self, s: usize, t: usize) -> f64 {
        let sum = self.values[t] - self.values[s];
        let square = self.squares[t] - self.squares[s];
        (square - sum * sum / (t - s) as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;
    use rand::RngExt;

    fn objective(values: &[f64], starts: &[usize], sigma: f64, penalty: f64) -> f64 {
        let ends = starts.iter().skip(1).copied().chain([values.len()]);
        let cost: f64 = starts
            .iter()
            .zip(ends)
            .map(|(&s, t)| {
                let mean = values[s..t].iter().sum::<f64>() / (t - s) as f64;
                values[s..t].iter().map(|x| ((x - mean) / sigma).powi(2)).sum::<f64>()
            })
            .sum();
        cost + penalty * (starts.len() - 1) as f64
    }

    /// Levels that change at random, with noise that is roughly Gaussian.
    fn random_series(seed: u64, n: usize) -> Vec<f64> {
        let mut rng = stream(seed, 0);
        let mut level = 0.0;
        (0..n)
            .map(|_| {
                if rng.random::<f64>() < 0.15 {
                    level = 8.0 * rng.random::<f64>();
                }
                let noise: f64 = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
                level + noise
            })
            .collect()
    }

    #[test]
    fn it_is_the_best_of_all_segmentations() {
        for seed in 0..60 {
            let values = random_series(seed, 11);
            for penalty in [0.5, 3.0, 10.0] {
                let found = segment(&values, 1.0, penalty).unwrap();
                let least = (0..1u32 << 10)
                    .map(|cuts| {
                        let cut = |i: &usize| cuts >> (i - 1) & 1 == 1;
                        let starts: Vec<usize> =
                            std::iter::once(0).chain((1..11).filter(cut)).collect();
                        objective(&values, &starts, 1.0, penalty)
                    })
                    .fold(f64::INFINITY, f64::min);
                let own = objective(&values, &found.starts, 1.0, penalty);
                assert!((own - least).abs() < 1e-9, "seed {seed}: {own} {least}");
                assert!((found.objective - own).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn pruning_loses_nothing_to_optimal_partitioning() {
        for seed in 0..24 {
            let n = if seed < 20 { 300 } else { 2000 };
            let mut values = random_series(1000 + seed, n);
            if seed % 3 == 0 {
                // One level and its noise, in which a start lives long.
                values.iter_mut().for_each(|x| *x = x.fract());
            }
            let penalty = schwarz_penalty(values.len());
            let found = segment(&values, 1.0, penalty).unwrap();
            // Every start of the last segment, none pruned.
            let sums = Sums::new(&values, 1.0);
            let mut best = vec![0.0];
            for t in 1..=values.len() {
                let least = (0..t).map(|s| best[s] + sums.cost(s, t)).fold(f64::INFINITY, f64::min);
                best.push(least + penalty);
            }
            assert!((found.objective - (best[values.len()] - penalty)).abs() < 1e-7, "{seed}");
        }
    }

    #[test]
    fn a_long_series_without_a_change_takes_no_quadratic_time() {
        let mut rng = stream(3, 4);
        let values: Vec<f64> = (0..300_000).map(|_| rng.random::<f64>()).collect();
        let sigma = (1.0f64 / 12.0).sqrt();
        let found = segment(&values, sigma, 4.0 * schwarz_penalty(values.len())).unwrap();
        assert_eq!(found.starts, [0]);
        // All the same, and one that is not.
        let mut flat = vec![2.5; 100_000];
        assert_eq!(segment(&flat, 0.01, 20.0).unwrap().starts, [0]);
        flat[70_000] = 9.0;
        assert_eq!(segment(&flat, 0.01, 20.0).unwrap().starts, [0, 70_000, 70_001]);
    }

    #[test]
    fn noise_alone_is_one_segment() {
        let mut cuts = 0;
        for seed in 0..50 {
            let mut rng = stream(seed, 1);
            let values: Vec<f64> =
                (0..300).map(|_| (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0).collect();
            cuts += segment(&values, 1.0, schwarz_penalty(300)).unwrap().starts.len() - 1;
        }
        assert!(cuts <= 10, "{cuts} changes found in 50 series without one");
    }

    #[test]
    fn the_noise_is_seen_through_changes() {
        let mut values = random_series(5, 2000);
        values.iter_mut().enumerate().for_each(|(i, x)| *x += (i / 500) as f64 * 100.0);
        let sigma = noise_sigma(&values);
        assert!((sigma - 1.0).abs() < 0.35, "{sigma}");
        assert_eq!(noise_sigma(&[1.0]), 0.0);
        assert_eq!(noise_sigma(&[2.0; 9]), 0.0);
        // As many changes as not: the changes are not the noise.
        assert_eq!(noise_sigma(&[36.0, 3.0, 3.0, 36.0, 36.0]), 0.0);
    }

    #[test]
    fn what_is_no_series_is_refused() {
        assert!(segment(&[], 1.0, 1.0).is_err());
        assert!(segment(&[1.0, f64::NAN], 1.0, 1.0).is_err());
        assert!(segment(&[1.0], 0.0, 1.0).is_err());
        assert!(segment(&[1.0], 1.0, f64::INFINITY).is_err());
        assert_eq!(segment(&[1.0], 1.0, 1.0).unwrap().starts, [0]);
    }
}
