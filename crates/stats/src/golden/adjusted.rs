//! Holm and Benjamini-Hochberg against R's `p.adjust`.

use std::collections::BTreeMap;

use super::super::multiplicity::{benjamini_hochberg, holm};
use super::{close, rows};

#[test]
fn agrees_with_r_p_adjust() {
    let mut sets: BTreeMap<u32, Vec<[f64; 3]>> = BTreeMap::new();
    for row in rows(include_str!("../../oracle/golden/reference_adjusted.csv")) {
        let number = |i: usize| row[i].parse::<f64>().unwrap();
        sets.entry(row[0].parse().unwrap()).or_default().push([number(1), number(2), number(3)]);
    }
    for set in sets.values() {
        let p: Vec<f64> = set.iter().map(|row| row[0]).collect();
        let by_holm = holm(&p).unwrap();
        let by_rate = benjamini_hochberg(&p).unwrap();
        for (i, row) in set.iter().enumerate() {
            close(Some(by_holm[i]), Some(row[1]), 1e-12, set);
            close(Some(by_rate[i]), Some(row[2]), 1e-12, set);
        }
    }
}
