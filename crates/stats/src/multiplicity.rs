//! Many contrasts in one report: p-values that account for how many were looked at.
//!
//! Raw and adjusted values are shown side by side; the adjusted one is what a verdict may use.

use super::StatError;

/// Holm's adjusted p-values: reject where they are at most α, and the chance of even one false
/// rejection is at most α, whatever the dependence between the tests. Never less powerful than
/// Bonferroni's. In the order of the input.
///
/// Source: S. Holm (1979).
///
/// # Errors
/// [`StatError::Domain`] for a p-value outside [0, 1], NaN included.
///
/// ```
/// use stallscope_stats::multiplicity::holm;
/// assert_eq!(holm(&[0.01, 0.04, 0.03])?, [0.03, 0.06, 0.06]);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, StatError> {
    let order = ascending(p_values)?;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut so_far: f64 = 0.0;
    for (rank, &i) in order.iter().enumerate() {
        so_far = so_far.max(p_values[i] * (order.len() - rank) as f64).min(1.0);
        adjusted[i] = so_far;
    }
    Ok(adjusted)
}

/// Benjamini and Hochberg's adjusted p-values: reject where they are at most q, and the expected
/// share of false ones among the rejections is at most q, for tests that are independent or
/// positively dependent. In the order of the input.
///
/// Source: Y. Benjamini and Y. Hochberg (1995).
///
/// # Errors
/// [`StatError::Domain`] for a p-value outside [0, 1], NaN included.
pub fn benjamini_hochberg(p_values: &[f64]) -> Result<Vec<f64>, StatError> {
    let order = ascending(p_values)?;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut so_far: f64 = 1.0;
    for (rank, &i) in order.iter().enumerate().rev() {
        so_far = so_far.min(p_values[i] * (order.len() as f64 / (rank + 1) as f64));
        adjusted[i] = so_far;
    }
    Ok(adjusted)
}

/// The positions in ascending order of their p-value.
fn ascending(p_values: &[f64]) -> Result<Vec<usize>, StatError> {
    if let Some((i, p)) = p_values.iter().enumerate().find(|(_, p)| !(0.0..=1.0).contains(*p)) {
        return Err(StatError::domain(format!("p-value {}", i + 1), p, "a number from 0 to 1"));
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_one_and_ties() {
        assert!(holm(&[]).unwrap().is_empty());
        assert!(benjamini_hochberg(&[]).unwrap().is_empty());
        assert_eq!(holm(&[0.2]).unwrap(), [0.2]);
        assert_eq!(benjamini_hochberg(&[0.2]).unwrap(), [0.2]);
        assert_eq!(holm(&[0.5, 0.5]).unwrap(), [1.0, 1.0]);
        assert_eq!(benjamini_hochberg(&[0.5, 0.5]).unwrap(), [0.5, 0.5]);
    }

    #[test]
    fn what_is_no_p_value_is_named() {
        for bad in [-0.1, 1.1, f64::NAN] {
            let error = holm(&[0.5, bad]).unwrap_err().to_string();
            assert!(error.contains("p-value 2"), "{error}");
            assert!(benjamini_hochberg(&[bad]).is_err());
        }
    }
}
