//! Whether documented coverages are those that are computed.

use std::fmt;

use super::{Coverage, How};

/// A coverage that is documented otherwise than it was computed, or not at all.
#[derive(Debug)]
pub struct Difference {
    found: Coverage,
    documented: Option<f64>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Coverage { setting, method, coverage, .. } = &self.found;
        let (family, quantity) = (setting.family.name(), &setting.quantity);
        write!(
            f,
            "{family} {quantity} {} {} {method}: computed {coverage}",
            setting.size, setting.truth
        )?;
        match self.documented {
            Some(documented) => write!(f, ", documented {documented}"),
            None => f.write_str(", not documented"),
        }
    }
}

/// What differs. Enumerated coverages are the same to rounding; simulated ones, of `data_sets` data sets
/// each, are within five standard errors. Searched ones depend on the grid and are not compared.
pub fn differences(
    documented: &[Coverage],
    found: Vec<Coverage>,
    data_sets: usize,
) -> Vec<Difference> {
    let differs = |found: Coverage| {
        let known = documented
            .iter()
            .find(|known| known.setting == found.setting && known.method == found.method);
        let Some(known) = known else { return Some(Difference { found, documented: None }) };
        let apart = (known.coverage - found.coverage).abs();
        let is_same = match found.how {
            How::Enumerated => apart < 1e-12 && (known.unbounded - found.unbounded).abs() < 1e-12,
            // By the documented coverage: that of few data sets may be 1 with no error at all.
            How::Simulated => {
                let variance = known.coverage * (1.0 - known.coverage) / data_sets as f64;
                apart < 5.0 * variance.sqrt().max(0.004)
            }
            How::Searched => true,
        };
        (!is_same).then_some(Difference { documented: Some(known.coverage), found })
    };
    found.into_iter().filter_map(differs).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Effort, Family, calibrate, rows};
    use super::*;

    /// The rows of docs/appendix/coverage.csv.
    fn documented() -> Vec<Coverage> {
        let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/appendix"));
        rows::read(&[docs.join("coverage.csv")]).unwrap()
    }

    #[test]
    fn a_sample_of_what_is_documented_is_what_is_computed() {
        let effort = Effort { data_sets: 100, seed: 2, ..Effort::default() };
        let families = [Family::Proportions, Family::Rates, Family::Shifts];
        let found = calibrate(&families, &effort).unwrap();
        assert!(found.len() > 50, "{}", found.len());
        let wrong = differences(&documented(), found, effort.data_sets);
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn what_is_documented_otherwise_or_not_at_all_is_named() {
        let effort = Effort { data_sets: 100, ..Effort::default() };
        let found = calibrate(&[Family::Proportions], &effort).unwrap();
        let mut documented = found.clone();
        documented[0].coverage += 1e-6;
        documented.pop();
        let named = differences(&documented, found, 100);
        let [first, last] = &named[..] else { panic!("{named:?}") };
        assert!(first.to_string().starts_with("proportions p n="), "{first}");
        assert!(first.to_string().contains(", documented 0."), "{first}");
        assert!(last.to_string().ends_with(", not documented"), "{last}");
    }

    #[test]
    fn no_exact_interval_is_documented_below_its_level() {
        let documented = documented();
        for method in [
            "clopper-pearson",
            "exact",
            "order-statistics",
            "beta-product",
            "hodges-lehmann",
            "exact-gamma",
            "exact-poisson",
        ] {
            let rows = documented.iter().filter(|row| row.method == method);
            // A comma: an assumption that is broken on purpose.
            let held: Vec<_> = rows.filter(|row| !row.setting.size.contains(", ")).collect();
            assert!(!held.is_empty(), "no row of {method}");
            for row in held {
                let chance = 4.0 * row.standard_error + 1e-12;
                assert!(row.coverage >= row.level.get() - chance, "{row:?}");
            }
        }
    }
}
