//! Stall probability at one thread count: a row a series, with its Wilson interval.

use analysis::Analysis;
use analysis::cells::Cell;
use analysis::series::Series;
use stats::words::percent;

use super::Figure;
use super::rows::{MOST_ROWS, RowNames, at_threads, control_mark, rows};
use super::stall_probability::{left_out_in_words, named, remark, share_axis};
use crate::draw::{Backend, Canvas, DrawError, Legend, Plot, look};
use crate::say::word::{IS, PROBABILITY, TRIALS};

/// The figure.
pub struct StallRows<'a> {
    analysis: &'a Analysis,
    threads: u64,
    rows: Vec<(&'a Series, &'a Cell)>,
    left_out: usize,
}

impl<'a> StallRows<'a> {
    /// The figure, if trials of one thread count have outcomes, and of no other.
    pub fn of(analysis: &'a Analysis) -> Option<Self> {
        let (threads, mut rows) = rows(analysis, |cell| cell.observed() > 0)?;
        let left_out = rows.len().saturating_sub(MOST_ROWS);
        rows.truncate(MOST_ROWS);
        Some(StallRows { analysis, threads, rows, left_out })
    }

    fn names(&self) -> RowNames {
        let name = |(series, cell): &(&Series, &Cell)| {
            let (k, n) = (cell.stalled(), cell.observed());
            (series.name.clone(), format!("{}, {k} of {n}", control_mark(series)))
        };
        RowNames::new(self.rows.iter().map(name))
    }

    fn plot(&self) -> Plot {
        let names = self.names();
        let mut subtitle = format!(
            "Bars are Wilson intervals at {}. A trial {IS} when {}.",
            percent(self.analysis.level.get()),
            crate::say::rule::in_words(&self.analysis.stall, self.analysis.control.as_ref())
        );
        subtitle += &left_out_in_words(self.left_out);
        if let Some(text) = remark(self.analysis) {
            subtitle = format!("{text} {subtitle}");
        }
        Plot::new(
            self.size(),
            &format!("{PROBABILITY} at {}", at_threads(self.threads)),
            &subtitle,
            share_axis(&TRIALS.to_string()),
            names.axis(),
            Legend::default(),
        )
        .with_upright_grid()
    }
}

impl Figure for StallRows<'_> {
    fn name(&self) -> String {
        "stall-probability".into()
    }

    fn caption(&self) -> String {
        let names: Vec<String> = self.rows.iter().map(|(series, _)| named(series)).collect();
        format!(
            "Share of {TRIALS} at {}, with {} Wilson intervals, for {}.",
            at_threads(self.threads),
            percent(self.analysis.level.get()),
            stats::words::list(&names)
        )
    }

    fn size(&self) -> (f64, f64) {
        (640.0, 120.0 + self.names().row() * self.rows.len() as f64)
    }

    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let plot = self.plot();
        plot.draw(canvas)?;
        for (row, (series, cell)) in self.rows.iter().enumerate() {
            let Some(stall) = &cell.stall else { continue };
            let look = look(0, series.is_control);
            let (x, y) = plot.point(stall.estimate, row as f64);
            let interval = cell.stall_interval("wilson");
            if let Some((low, high)) = interval.and_then(|i| Some((i.low?, i.high?))) {
                let (low, high) = (plot.x_at(low), plot.x_at(high));
                canvas.steps(&[(low, y), (high, y)], look.colour, 1.2)?;
                for end in [low, high] {
                    canvas.steps(&[(end, y - 3.0), (end, y + 3.0)], look.colour, 1.2)?;
                }
            }
            canvas.marker(look.marker, (x, y), 7.0, look.colour, !series.is_control)?;
        }
        Ok(())
    }
}
