//! The frame of a figure: title, axes, ticks, grid; and where its data go.

use plotters::style::{RGBColor, WHITE};

use super::canvas::{Anchor, Backend, Canvas, DrawError, Weight, text_width};
use super::legend::Legend;
use super::scale::{Scale, Tick};
use super::style::{AXIS, FAINT, GRID, INK, QUIET};

const TITLE: f64 = 13.0;
const SUBTITLE: f64 = 10.0;
const LABEL: f64 = 10.5;
const TICK: f64 = 10.0;
const EDGE: f64 = 14.0;
const LINE: f64 = 13.0;

/// An axis.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What it shows, with its unit.
    pub title: String,
    /// Where a value stands on it.
    pub scale: Scale,
    /// What it names.
    pub ticks: Vec<Tick>,
}

/// A figure's frame, laid out: what is inside is drawn at [`Plot::point`].
#[derive(Debug, Clone)]
pub struct Plot {
    size: (f64, f64),
    title: String,
    subtitle: Vec<String>,
    x: Axis,
    y: Axis,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// Room between the title of x and the legend.
    below: f64,
    /// Whether the grid is that of x.
    upright_grid: bool,
    legend: Legend,
}

impl Plot {
    /// Lays a frame of this size out; the rest of the text takes what it needs from the data's room.
    pub fn new(
        size: (f64, f64),
        title: &str,
        subtitle: &str,
        x: Axis,
        y: Axis,
        legend: Legend,
    ) -> Self {
        let subtitle = wrapped(subtitle, SUBTITLE, size.0 - 2.0 * EDGE);
        let widest = y.ticks.iter().map(|tick| text_width(&tick.label, TICK, Weight::Regular));
        let title_room = if y.title.is_empty() { 0.0 } else { LABEL + 8.0 };
        let left = EDGE + title_room + widest.fold(0.0, f64::max) + 8.0;
        let top = EDGE + TITLE + 7.0 + subtitle.len() as f64 * (SUBTITLE + 3.5) + 10.0;
        let legend = legend.laid_out(size.0 - 2.0 * EDGE);
        let under = 5.0 + TICK + 6.0 + LABEL + 8.0 + legend.height();
        Plot {
            size,
            title: title.to_string(),
            subtitle,
            left,
            right: size.0 - EDGE - 6.0,
            top,
            bottom: size.1 - EDGE - under,
            below: 0.0,
            upright_grid: false,
            x,
            y,
            legend,
        }
    }

    /// Leaves room for so many lines of numbers below the title of x.
    pub fn with_lines_below(mut self, lines: usize) -> Self {
        self.below = lines as f64 * LINE;
        self.bottom -= self.below;
        self
    }

    /// Has the grid lines upright, at the ticks of x.
    pub fn with_upright_grid(mut self) -> Self {
        self.upright_grid = true;
        self
    }

    /// Draws a line of numbers below the title of x, each under its x.
    pub fn draw_line_below<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        line: usize,
        colour: RGBColor,
        numbers: &[(f64, String)],
    ) -> Result<(), DrawError> {
        let y = self.bottom + 5.0 + TICK + 6.0 + LABEL + 6.0 + line as f64 * LINE;
        for (x, number) in numbers {
            let at = (self.x_at(*x), y);
            canvas.text(number, at, Anchor::Top, TICK - 1.0, Weight::Regular, colour)?;
        }
        Ok(())
    }

    /// Where a pair of values stands.
    pub fn point(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x_at(x), self.y_at(y))
    }

    /// Where an x stands.
    pub fn x_at(&self, x: f64) -> f64 {
        self.left + self.x.scale.at(x) * (self.right - self.left)
    }

    /// Where a y stands.
    pub fn y_at(&self, y: f64) -> f64 {
        self.bottom - self.y.scale.at(y) * (self.bottom - self.top)
    }

    /// The lower end of the data's room.
    pub fn floor(&self) -> f64 {
        self.bottom
    }

    /// The left end of the data's room.
    pub fn left_end(&self) -> f64 {
        self.left
    }

    /// Draws all but the data.
    pub fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let (middle_x, middle_y) = ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0);
        canvas.text(&self.title, (EDGE, EDGE), Anchor::TopLeft, TITLE, Weight::Bold, INK)?;
        for (line, text) in self.subtitle.iter().enumerate() {
            let y = EDGE + TITLE + 7.0 + line as f64 * (SUBTITLE + 3.5);
            canvas.text(text, (EDGE, y), Anchor::TopLeft, SUBTITLE, Weight::Regular, QUIET)?;
        }
        let gridded = if self.upright_grid { &self.x } else { &self.y };
        for tick in gridded.ticks.iter().filter(|tick| !tick.label.is_empty()) {
            let ends = if self.upright_grid {
                let x = self.x_at(tick.value);
                [(x, self.top), (x, self.bottom)]
            } else {
                let y = self.y_at(tick.value);
                [(self.left, y), (self.right, y)]
            };
            canvas.line(&ends, GRID, 1.0)?;
        }
        canvas.line(&[(self.left, self.top), (self.left, self.bottom)], AXIS, 1.0)?;
        canvas.line(&[(self.left, self.bottom), (self.right, self.bottom)], AXIS, 1.0)?;
        self.draw_y_ticks(canvas)?;
        self.draw_x_ticks(canvas)?;
        let under_ticks = self.bottom + 5.0 + TICK + 6.0;
        canvas.text(
            &self.x.title,
            (middle_x, under_ticks),
            Anchor::Top,
            LABEL,
            Weight::Regular,
            INK,
        )?;
        if !self.y.title.is_empty() {
            canvas.text_upwards(&self.y.title, (EDGE + LABEL / 2.0, middle_y), LABEL, INK)?;
        }
        self.legend.draw(canvas, EDGE, under_ticks + LABEL + 8.0 + self.below)
    }

    /// A thin dashed line over the height of the data's room, with its name beside its upper end.
    pub fn draw_mark<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        x: f64,
        name: &str,
    ) -> Result<(), DrawError> {
        let at = self.x_at(x);
        canvas.dashed((at, self.top), (at, self.bottom), FAINT, 1.0)?;
        let fits_right =
            at + 4.0 + text_width(name, TICK - 1.0, Weight::Regular) < self.size.0 - 4.0;
        let (anchor, x) =
            if fits_right { (Anchor::Left, at + 4.0) } else { (Anchor::Right, at - 4.0) };
        canvas.text(name, (x, self.top + 2.0), anchor, TICK - 1.0, Weight::Regular, QUIET)
    }

    /// A thin dashed line over the width of the data's room, with its name above its left end.
    pub fn draw_level<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        y: f64,
        name: &str,
    ) -> Result<(), DrawError> {
        let at = self.y_at(y);
        canvas.dashed((self.left, at), (self.right, at), QUIET, 1.0)?;
        let place = (self.left + 5.0, at - 7.0);
        canvas.text(name, place, Anchor::Left, TICK - 1.0, Weight::Regular, QUIET)
    }

    /// A remark in the middle of the data's room.
    pub fn draw_remark<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        text: &str,
    ) -> Result<(), DrawError> {
        let lines = wrapped(text, LABEL, (self.right - self.left) * 0.8);
        let x = (self.left + self.right) / 2.0;
        let middle = (self.top + self.bottom) / 2.0;
        let height = lines.len() as f64 * (LABEL + 4.0);
        let widths = lines.iter().map(|line| text_width(line, LABEL, Weight::Regular));
        let half = widths.fold(0.0, f64::max) / 2.0 + 6.0;
        let (top, bottom) = (middle - height / 2.0 - 3.0, middle + height / 2.0 + 3.0);
        canvas.fill((x - half, top), (x + half, bottom), WHITE, 1.0)?;
        for (line, text) in lines.iter().enumerate() {
            let y = middle - height / 2.0 + (line as f64 + 0.5) * (LABEL + 4.0);
            canvas.text(text, (x, y), Anchor::Centre, LABEL, Weight::Regular, QUIET)?;
        }
        Ok(())
    }

    fn draw_y_ticks<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        // From below: a label too near to the one before is left out, its tick stays.
        let mut free_above = f64::INFINITY;
        let mut ticks: Vec<&Tick> = self.y.ticks.iter().collect();
        ticks.sort_by(|a, b| self.y.scale.at(a.value).total_cmp(&self.y.scale.at(b.value)));
        for tick in ticks {
            let y = self.y_at(tick.value);
            let length = if tick.label.is_empty() { 2.5 } else { 5.0 };
            canvas.line(&[(self.left - length, y), (self.left, y)], AXIS, 1.0)?;
            if tick.label.is_empty() || y + TICK * 0.6 > free_above {
                continue;
            }
            free_above = y - TICK * 0.6;
            let at = (self.left - 8.0, y);
            canvas.text(&tick.label, at, Anchor::Right, TICK, Weight::Regular, INK)?;
        }
        Ok(())
    }

    fn draw_x_ticks<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        for tick in &self.x.ticks {
            let x = self.x_at(tick.value);
            let length = if tick.label.is_empty() { 2.5 } else { 5.0 };
            canvas.line(&[(x, self.bottom), (x, self.bottom + length)], AXIS, 1.0)?;
        }
        for tick in self.x_labels() {
            let at = (self.x_at(tick.value), self.bottom + 8.0);
            canvas.text(&tick.label, at, Anchor::Top, TICK, Weight::Regular, INK)?;
        }
        Ok(())
    }

    /// The labels of x that stand apart: the ends first, then what still fits, so that the range is
    /// always named.
    fn x_labels(&self) -> Vec<&Tick> {
        let mut order: Vec<&Tick> =
            self.x.ticks.iter().filter(|tick| !tick.label.is_empty()).collect();
        order.sort_by(|a, b| self.x.scale.at(a.value).total_cmp(&self.x.scale.at(b.value)));
        if order.len() > 1 {
            let last = order.pop();
            order.splice(1..1, last);
        }
        let mut taken: Vec<(f64, f64)> = Vec::new();
        let mut shown = Vec::new();
        for tick in order {
            let half = text_width(&tick.label, TICK, Weight::Regular) / 2.0 + 3.0;
            let (from, to) = (self.x_at(tick.value) - half, self.x_at(tick.value) + half);
            if taken.iter().all(|(a, b)| to <= *a || from >= *b) {
                taken.push((from, to));
                shown.push(tick);
            }
        }
        shown
    }
}

/// Breaks a text into lines that fit.
pub fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size, Weight::Regular) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(counts: &[f64]) -> Plot {
        let ticks =
            counts.iter().map(|c| Tick { value: *c, label: format!("{c}") }).collect::<Vec<_>>();
        let x = Axis {
            title: "threads".into(),
            scale: Scale::log_around(counts.iter().copied(), 0.04),
            ticks,
        };
        let scale = Scale::Linear { low: 0.0, high: 1.0 };
        let y = Axis { title: "y".into(), scale, ticks: scale.steps(5) };
        Plot::new((640.0, 400.0), "title", "subtitle", x, y, Legend::default())
    }

    #[test]
    fn labels_never_overlap_and_name_both_ends() {
        let many: Vec<f64> = (1..=192).map(f64::from).collect();
        let plot = plot(&many);
        let mut spans: Vec<(f64, f64)> = plot
            .x_labels()
            .iter()
            .map(|tick| {
                let half = text_width(&tick.label, TICK, Weight::Regular) / 2.0;
                (plot.x_at(tick.value) - half, plot.x_at(tick.value) + half)
            })
            .collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(spans.windows(2).all(|pair| pair[0].1 < pair[1].0), "{spans:?}");
        let labels: Vec<&str> = plot.x_labels().iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(&labels[..2], ["1", "192"]);
        assert!(labels.len() > 10, "{labels:?}");
    }

    #[test]
    fn a_text_is_broken_where_it_must_be() {
        let lines = wrapped("a few words that do not fit on one line", 10.0, 80.0);
        assert!(lines.len() > 1);
        assert!(lines.iter().all(|line| text_width(line, 10.0, Weight::Regular) <= 80.0));
    }
}
