//! A legend below the data, in as many rows as it takes.

use plotters::style::RGBColor;

use super::canvas::{Anchor, Backend, Canvas, DrawError, Marker, Weight, text_width};
use super::lines::wrapped_at_most;
use super::style::INK;

const TEXT: f64 = 10.0;
const ROW: f64 = 16.0;
const SAMPLE: f64 = 22.0;
const GAP: f64 = 18.0;

/// From one line of a label to the next, and how many lines it may take.
const LINE: f64 = 12.0;
const MOST_LINES: usize = 3;

/// What a mark of the figure means.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The meaning.
    pub label: String,
    /// The colour.
    pub colour: RGBColor,
    /// The marker; without one it is a line or nothing.
    pub marker: Option<Marker>,
    /// Whether the marker is filled.
    pub filled: bool,
    /// Whether a line runs through it.
    pub line: bool,
}

/// Entries in rows.
#[derive(Debug, Clone, Default)]
pub struct Legend {
    entries: Vec<Entry>,
    /// The lines of each entry's label, and where the entry stands.
    places: Vec<(Vec<String>, (f64, f64))>,
    height: f64,
}

impl Legend {
    /// A legend of these entries.
    pub fn new(entries: Vec<Entry>) -> Self {
        Legend { entries, ..Legend::default() }
    }

    /// Laid out in rows of this width.
    pub fn laid_out(mut self, width: f64) -> Self {
        let (mut x, mut y, mut high) = (0.0, 0.0, 0.0_f64);
        self.places.clear();
        for entry in &self.entries {
            let room = width - SAMPLE - 6.0;
            let lines = wrapped_at_most(MOST_LINES, &entry.label, TEXT, Weight::Regular, room);
            let widths = lines.iter().map(|line| text_width(line, TEXT, Weight::Regular));
            let taken = SAMPLE + 6.0 + widths.fold(0.0, f64::max);
            if x > 0.0 && x + taken > width {
                (x, y, high) = (0.0, y + high, 0.0);
            }
            high = high.max(ROW + LINE * lines.len().saturating_sub(1) as f64);
            self.places.push((lines, (x, y)));
            x += taken + GAP;
        }
        self.height = if self.places.is_empty() { 0.0 } else { y + high + 2.0 };
        self
    }

    /// How high its rows are.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Draws it below this point.
    pub fn draw<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        left: f64,
        top: f64,
    ) -> Result<(), DrawError> {
        for (entry, (lines, (x, y))) in self.entries.iter().zip(&self.places) {
            let (x, y) = (left + x, top + y + ROW / 2.0 + 2.0);
            if entry.line {
                canvas.line(&[(x, y), (x + SAMPLE, y)], entry.colour, 1.5)?;
            }
            if let Some(marker) = entry.marker {
                let at = (x + SAMPLE / 2.0, y);
                canvas.marker(marker, at, 7.0, entry.colour, entry.filled)?;
            }
            for (line, text) in lines.iter().enumerate() {
                let at = (x + SAMPLE + 6.0, y + line as f64 * LINE);
                canvas.text(text, at, Anchor::Left, TEXT, Weight::Regular, INK)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_flow_into_rows_and_stay_inside() {
        let entry = |label: &str| Entry {
            label: label.into(),
            colour: INK,
            marker: None,
            filled: false,
            line: true,
        };
        let long = "a very long name ".repeat(12);
        let legend = Legend::new(vec![entry("auto"), entry("slots:512"), entry(&long), entry("b")])
            .laid_out(400.0);
        let at: Vec<(f64, f64)> = legend.places.iter().map(|(_, at)| *at).collect();
        assert_eq!((at[1].1, at[2].0), (0.0, 0.0));
        assert!(at[2].1 > 0.0);
        let lines = &legend.places[2].0;
        assert!(lines.len() > 1 && lines.concat().matches("name").count() == 12, "{lines:?}");
        assert!(lines.iter().all(|line| text_width(line, TEXT, Weight::Regular) <= 400.0));
        // What follows stands below all of its lines.
        assert!(at[3].1 >= at[2].1 + LINE * lines.len() as f64, "{at:?}");
        assert_eq!(Legend::default().laid_out(400.0).height(), 0.0);
    }
}
