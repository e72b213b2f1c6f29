//! The frame of a figure: title, axes, ticks, grid; and where its data go.

use plotters::style::{RGBColor, WHITE};

use super::canvas::{Anchor, Backend, Canvas, DrawError, Weight, text_width};
use super::legend::Legend;
use super::lines::wrapped;
use super::scale::{Scale, Tick};
use super::style::{AXIS, FAINT, GRID, INK, QUIET};

const TITLE: f64 = 13.0;
const SUBTITLE: f64 = 10.0;
const LABEL: f64 = 10.5;
const TICK: f64 = 10.0;
const EDGE: f64 = 14.0;
const LINE: f64 = 13.0;

/// From one line of a title to the next, and of what a tick of y names.
const TITLE_LINE: f64 = TITLE + 4.0;
pub(super) const TICK_LINE: f64 = TICK + 1.5;

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
    title: Vec<String>,
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

/// Where the subtitle begins.
fn below_title(title: &[String]) -> f64 {
    EDGE + TITLE + 7.0 + title.len().saturating_sub(1) as f64 * TITLE_LINE
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
        let title = wrapped(title, TITLE, Weight::Bold, size.0 - 2.0 * EDGE);
        let subtitle = wrapped(subtitle, SUBTITLE, Weight::Regular, size.0 - 2.0 * EDGE);
        let lines = y.ticks.iter().flat_map(|tick| tick.label.lines());
        let widest = lines.map(|line| text_width(line, TICK, Weight::Regular));
        let title_room = if y.title.is_empty() { 0.0 } else { LABEL + 8.0 };
        let left = EDGE + title_room + widest.fold(0.0, f64::max) + 8.0;
        let top = below_title(&title) + subtitle.len() as f64 * (SUBTITLE + 3.5) + 10.0;
        let legend = legend.laid_out(size.0 - 2.0 * EDGE);
        let under = 5.0 + TICK + 6.0 + LABEL + 8.0 + legend.height();
        Plot {
            size,
            title,
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

    /// Where a pair of values stands, one left of the data's room at its left end: a 0 has no place on a
    /// logarithmic axis.
    pub fn point_inside(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x_at(x).max(self.left), self.y_at(y))
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
        for (line, text) in self.title.iter().enumerate() {
            let y = EDGE + line as f64 * TITLE_LINE;
            canvas.text(text, (EDGE, y), Anchor::TopLeft, TITLE, Weight::Bold, INK)?;
        }
        for (line, text) in self.subtitle.iter().enumerate() {
            let y = below_title(&self.title) + line as f64 * (SUBTITLE + 3.5);
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
        let lines = wrapped(text, LABEL, Weight::Regular, (self.right - self.left) * 0.8);
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
            let lines = tick.label.lines().count() as f64;
            let half = (lines - 1.0) * TICK_LINE / 2.0;
            if tick.label.is_empty() || y + half + TICK * 0.6 > free_above {
                continue;
            }
            free_above = y - half - TICK * 0.6;
            for (line, text) in tick.label.lines().enumerate() {
                let at = (self.left - 8.0, y - half + line as f64 * TICK_LINE);
                canvas.text(text, at, Anchor::Right, TICK, Weight::Regular, INK)?;
            }
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
    fn a_long_title_takes_lines_and_its_room_from_the_data() {
        let of = |title: &str| {
            let scale = Scale::Linear { low: 0.0, high: 1.0 };
            let axis = Axis { title: "x".into(), scale, ticks: scale.steps(5) };
            Plot::new((640.0, 400.0), title, "subtitle", axis.clone(), axis, Legend::default())
        };
        let (short, long) = (of("title"), of(&"a title of many words ".repeat(8)));
        assert!(long.title.len() > 1);
        let widest = long.title.iter().map(|line| text_width(line, TITLE, Weight::Bold));
        assert!(widest.fold(0.0, f64::max) <= 640.0 - 2.0 * EDGE);
        let more = (long.title.len() - 1) as f64 * TITLE_LINE;
        assert_eq!((long.top - short.top, long.bottom), (more, short.bottom));
    }

    #[test]
    fn a_name_of_several_lines_takes_the_room_of_its_widest() {
        let of = |label: &str| {
            let x = Axis {
                title: "x".into(),
                scale: Scale::Linear { low: 0.0, high: 1.0 },
                ticks: Vec::new(),
            };
            let tick = Tick { value: 0.5, label: label.into() };
            let y = Axis { title: String::new(), ticks: vec![tick], ..x.clone() };
            Plot::new((640.0, 400.0), "title", "", x, y, Legend::default()).left_end()
        };
        assert_eq!(of("a wide line\nb"), of("a wide line"));
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
}
