//! What the rows of `trials.csv` and the cells record of the hash.

use model::event::Event;
use model::factor::BadValue;
use model::record::Pivot;
use polars::prelude::{DataFrame, PolarsResult};
use serde::Serialize;

use super::InTrial;

/// The columns of `trials.csv` that this case reads.
pub const COLUMNS: [&str; 3] = ["slots_expected", "pivot", "pivot_s"];

/// Those columns of a table, read row by row.
pub struct Rows<'a> {
    slots_expected: Box<dyn Iterator<Item = Option<u64>> + 'a>,
    pivot: Box<dyn Iterator<Item = Option<&'a str>> + 'a>,
    pivot_s: Box<dyn Iterator<Item = Option<f64>> + 'a>,
}

impl<'a> Rows<'a> {
    /// # Errors
    /// The table lacks one of [`COLUMNS`].
    pub fn of(frame: &'a DataFrame) -> PolarsResult<Self> {
        let [slots_expected, pivot, pivot_s] = COLUMNS;
        Ok(Rows {
            slots_expected: Box::new(frame.column(slots_expected)?.u64()?.iter()),
            pivot: Box::new(frame.column(pivot)?.str()?.iter()),
            pivot_s: Box::new(frame.column(pivot_s)?.f64()?.iter()),
        })
    }

    /// What became of the growth in the next row, and what else it has.
    ///
    /// # Errors
    /// Its `pivot` is none.
    pub fn next_row(&mut self) -> Result<(Option<Event>, InTrial), BadValue> {
        let slots_expected = self.slots_expected.next().flatten();
        let pivot_s = self.pivot_s.next().flatten();
        let pivot = self.pivot.next().flatten().filter(|text| !text.is_empty());
        let pivot = pivot.map(str::parse::<Pivot>).transpose()?;
        let event = pivot.map(|pivot| Event::of_pivot(pivot, pivot_s));
        Ok((event, InTrial { slots_expected }))
    }
}

/// The trials of a cell that did their work, by what became of the growth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Growth {
    /// None was due.
    pub none: u64,
    /// Installed under load.
    pub settled: u64,
    /// Still due when the load ended.
    pub pending: u64,
    /// The kernel has no private hash.
    pub unsupported: u64,
    /// Not recorded.
    pub unknown: u64,
}

impl Growth {
    /// Counts a trial that did its work.
    pub(super) fn count(&mut self, event: Option<Event>) {
        *match event {
            Some(Event::NotDue) => &mut self.none,
            Some(Event::Over { .. }) => &mut self.settled,
            Some(Event::Pending { .. }) => &mut self.pending,
            Some(Event::Absent) => &mut self.unsupported,
            None => &mut self.unknown,
        } += 1;
    }

    /// The trials of several cells together.
    pub(super) fn of(cells: &[&crate::cells::Cell]) -> Growth {
        cells.iter().map(|cell| cell.of_case.growth).fold(Growth::default(), |a, b| Growth {
            none: a.none + b.none,
            settled: a.settled + b.settled,
            pending: a.pending + b.pending,
            unsupported: a.unsupported + b.unsupported,
            unknown: a.unknown + b.unknown,
        })
    }
}
