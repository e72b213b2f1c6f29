//! Threads and CPUs rise together: what is seen may be of either.

use serde::Serialize;

use super::Tables;
use crate::cells::Cell;

/// Every cell had as many threads as its machine had CPUs, and there were several counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadsAreCpus {
    /// The smallest count.
    pub fewest: u64,
    /// The largest count.
    pub most: u64,
    /// Whether all was measured elsewhere, so that no other trials can be had here.
    pub imported: bool,
}

pub(super) fn threads_are_cpus(tables: &Tables) -> Option<ThreadsAreCpus> {
    let (fewest, most) = of_cells(tables.cells)?;
    Some(ThreadsAreCpus { fewest, most, imported: tables.imported() })
}

/// The smallest and the largest count, if threads and CPUs are equal everywhere and differ between cells.
fn of_cells(cells: &[Cell]) -> Option<(u64, u64)> {
    let of_cell = |cell: &Cell| {
        let threads = cell.factors.threads();
        (cell.cpus == Some(threads)).then_some(threads)
    };
    let counts: Vec<u64> = cells.iter().map(of_cell).collect::<Option<_>>()?;
    let (fewest, most) = (*counts.iter().min()?, *counts.iter().max()?);
    (fewest < most).then_some((fewest, most))
}
