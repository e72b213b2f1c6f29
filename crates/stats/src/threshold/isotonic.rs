//! The non-decreasing estimate of p over the thread count.
//!
//! Maximum likelihood under the one assumption that p does not fall as threads rise: neighbours out
//! of order are pooled, weighted by their trials, until none is (pool adjacent violators).
//!
//! Source: M. Ayer, H. D. Brunk, G. M. Ewing, W. T. Reid and E. Silverman, *An empirical distribution
//! function for sampling with incomplete information*, Ann. Math. Statist. 26 (1955).

use serde::Serialize;

use super::ThreadsTried;

/// The estimate at one thread count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IsotonicStep {
    /// The thread count.
    pub threads: u64,
    /// The probability of a stall.
    pub p: f64,
}

/// The estimate at each of the rows, which are ascending in threads, one each, all with trials.
pub(super) fn isotonic(rows: &[ThreadsTried]) -> Vec<IsotonicStep> {
    // Blocks of pooled rows: stalled, trials, how many rows.
    let mut blocks: Vec<(u64, u64, usize)> = Vec::new();
    for row in rows {
        let mut block = (row.k, row.n, 1);
        while let Some(&(k, n, size)) = blocks.last() {
            // k/n > block.k/block.n, in whole numbers
            if u128::from(k) * u128::from(block.1) < u128::from(block.0) * u128::from(n) {
                break;
            }
            block = (block.0 + k, block.1 + n, block.2 + size);
            blocks.pop();
        }
        blocks.push(block);
    }
    let of_row =
        blocks.iter().flat_map(|&(k, n, size)| std::iter::repeat_n(k as f64 / n as f64, size));
    rows.iter().zip(of_row).map(|(row, p)| IsotonicStep { threads: row.threads, p }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(k: &[u64], n: &[u64]) -> Vec<f64> {
        let rows: Vec<ThreadsTried> = k
            .iter()
            .zip(n)
            .enumerate()
            .map(|(i, (&k, &n))| ThreadsTried { threads: 1 << i, n, k })
            .collect();
        isotonic(&rows).iter().map(|step| step.p).collect()
    }

    #[test]
    fn neighbours_out_of_order_are_pooled() {
        assert_eq!(
            p(&[0, 0, 0, 1, 8, 10, 9, 10], &[10; 8]),
            [0.0, 0.0, 0.0, 0.1, 0.8, 0.95, 0.95, 1.0]
        );
        assert_eq!(p(&[10, 0], &[10, 30]), [0.25, 0.25]);
        assert_eq!(p(&[3, 2, 1], &[4, 4, 4]), [0.5, 0.5, 0.5]);
        assert_eq!(p(&[1, 2, 3], &[4, 4, 4]), [0.25, 0.5, 0.75]);
    }

    #[test]
    fn the_estimate_never_falls_and_keeps_the_total() {
        let k = [3, 1, 4, 1, 5, 9, 2, 6];
        let n = [10, 7, 9, 12, 8, 10, 11, 6];
        let steps = p(&k, &n);
        assert!(steps.windows(2).all(|pair| pair[0] <= pair[1]));
        let total: f64 = steps.iter().zip(n).map(|(p, n)| p * n as f64).sum();
        assert!((total - 31.0).abs() < 1e-12);
    }
}
