//! A legend below the data, in as many rows as it takes.

use plotters::style::RGBColor;

use super::canvas::{Anchor, Backend, Canvas, DrawError, Marker, Weight, text_width};
use super::style::INK;

const TEXT: f64 = 10.0;
const ROW: f64 = 16.0;
const SAMPLE: f64 = 22.0;
const GAP: f64 = 18.0;

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
    places: Vec<(f64, f64)>,
}

impl Legend {
    /// A legend of these entries.
    pub fn new(entries: Vec<Entry>) -> Self {
        Legend { entries, places: Vec::new() }
    }

    /// Laid out in rows of this width.
    pub fn laid_out(mut self, width: f64) -> Self {
        let (mut x, mut y) = (0.0, 0.0);
        self.places.clear();
        for entry in &mut self.entries {
            entry.label = fitted(&entry.label, TEXT, width - SAMPLE - 6.0);
            let taken = SAMPLE + 6.0 + text_width(&entry.label, TEXT, Weight::Regular);
            if x > 0.0 && x + taken > width {
                (x, y) = (0.0, y + ROW);
            }
            self.places.push((x, y));
            x += taken + GAP;
        }
        self
    }

    /// How high its rows are.
    pub fn height(&self) -> f64 {
        self.places.last().map_or(0.0, |(_, y)| y + ROW + 2.0)
    }

    /// Draws it below this point.
    pub fn draw<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        left: f64,
        top: f64,
    ) -> Result<(), DrawError> {
        for (entry, (x, y)) in self.entries.iter().zip(&self.places) {
            let (x, y) = (left + x, top + y + ROW / 2.0 + 2.0);
            if entry.line {
                canvas.line(&[(x, y), (x + SAMPLE, y)], entry.colour, 1.5)?;
            }
            if let Some(marker) = entry.marker {
                let at = (x + SAMPLE / 2.0, y);
                canvas.marker(marker, at, 7.0, entry.colour, entry.filled)?;
            }
            let at = (x + SAMPLE + 6.0, y);
            canvas.text(&entry.label, at, Anchor::Left, TEXT, Weight::Regular, INK)?;
        }
        Ok(())
    }
}

/// A text cut to a width, with an ellipsis where it was cut.
pub fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size, Weight::Regular) <= width {
        return text.to_string();
    }
    let mut kept = text.to_string();
    while kept.pop().is_some() {
        let cut = format!("{}…", kept.trim_end());
        if text_width(&cut, size, Weight::Regular) <= width {
            return cut;
        }
    }
    String::new()
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
        let long = "a very long name ".repeat(30);
        let legend =
            Legend::new(vec![entry("auto"), entry("slots:512"), entry(&long)]).laid_out(400.0);
        assert_eq!(legend.places[1].1, 0.0);
        assert!(legend.places[2].1 > 0.0);
        assert!(legend.entries[2].label.ends_with('…'));
        assert!(text_width(&legend.entries[2].label, TEXT, Weight::Regular) <= 400.0);
    }
}
