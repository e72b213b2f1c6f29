//! Cells that only one side has.

use analysis::compare::{Comparison, Which};
use stats::words::counted;

use super::listed;

/// Which cells are left out.
pub fn one_sided(comparison: &Comparison) -> Option<String> {
    let of = |which: Which| {
        let here = comparison.one_sided.iter().filter(|one| one.side == which);
        let names: Vec<String> = here.map(|one| one.name.clone()).collect();
        let cells = counted(names.len() as u64, "cell", "cells");
        let side = which.name();
        (!names.is_empty()).then(|| format!("{cells} on the {side} side ({})", listed(&names)))
    };
    let sides: Vec<String> = Which::BOTH.into_iter().filter_map(of).collect();
    (!sides.is_empty())
        .then(|| format!("Cells that only one side has are not used: {}.", sides.join("; ")))
}
