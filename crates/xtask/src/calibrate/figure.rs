//! What intervals cover: a proportion's, curve by curve over p, and all others by their least and mean
//! coverage, a line a size.

use plotters::style::WHITE;
use stats::words::{percent, percent_to};

use super::{Coverage, CoverageSummary, Family, How, summarize};

use report::draw::{
    Anchor, Backend, Canvas, DrawError, Entry, INK, Legend, Look, Marker, Panel, QUIET, SMALL,
    STALL, Scale, Tick, Weight, fitted, look, svg, text_width, wrapped,
};

const WIDTH: f64 = 780.0;
const EDGE: f64 = 14.0;
const TITLE: f64 = 13.0;
const TEXT: f64 = 10.0;
const LINE: f64 = 13.5;

/// Of the curves: the height of a panel, the room left of the first and between two.
const PANEL: f64 = 76.0;
const LEFT: f64 = 110.0;
const GAP: f64 = 8.0;

/// Of the lines: how many columns of them, the room for a size's name, the height of a line and of a
/// heading.
const COLUMNS: usize = 3;
const NAME: f64 = 88.0;
const PITCH: f64 = 9.0;
const HEADING: f64 = 15.0;

/// The least coverage that the axis of the lines has room for; below it stands a number.
const FLOOR: f64 = 0.8;

/// The figure.
pub struct CoverageFigure {
    level: f64,
    methods: Vec<Method>,
    blocks: Vec<Block>,
}

/// A proportion's interval: its coverage over p, at each size.
struct Method {
    name: String,
    sizes: Vec<(String, Vec<(f64, f64)>)>,
}

/// Another interval, at all its sizes.
struct Block {
    heading: String,
    family: Family,
    lines: Vec<CoverageSummary>,
}

/// How high a column of blocks is.
fn height(column: &[Block]) -> f64 {
    let names = (0..column.len()).filter(|at| is_named(column, *at)).count();
    let block = |block: &Block| HEADING + PITCH * block.lines.len() as f64 + 4.0;
    HEADING * names as f64 + column.iter().map(block).sum::<f64>()
}

/// Whether the family's name stands above a block: it is the first of its column or its family.
fn is_named(column: &[Block], at: usize) -> bool {
    at == 0 || column[at - 1].family != column[at].family
}

impl CoverageFigure {
    /// The figure of these rows, which are of one level.
    pub fn of(rows: &[Coverage]) -> Self {
        let (proportions, others): (Vec<_>, Vec<_>) =
            rows.iter().cloned().partition(|row| row.setting.family == Family::Proportions);
        let mut methods: Vec<Method> = Vec::new();
        for row in &proportions {
            let truth = row.setting.truth.strip_prefix("p=").and_then(|p| p.parse::<f64>().ok());
            let Some(p) = truth else { continue };
            let at = methods.iter().position(|method| method.name == row.method);
            let at = at.unwrap_or_else(|| {
                methods.push(Method { name: row.method.clone(), sizes: Vec::new() });
                methods.len() - 1
            });
            let sizes = &mut methods[at].sizes;
            match sizes.iter_mut().find(|(size, _)| *size == row.setting.size) {
                Some((_, curve)) => curve.push((p, row.coverage)),
                None => sizes.push((row.setting.size.clone(), vec![(p, row.coverage)])),
            }
        }
        // The worst truth comes behind the grid's.
        for (_, curve) in methods.iter_mut().flat_map(|method| &mut method.sizes) {
            curve.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let mut blocks: Vec<Block> = Vec::new();
        for line in summarize(&others) {
            // A broken assumption has a block of its own.
            let heading = match line.size.split_once(", ") {
                Some((_, broken)) => format!("{}, {}: {broken}", line.quantity, line.method),
                None => format!("{}, {}", line.quantity, line.method),
            };
            let family = line.family;
            let known =
                blocks.iter_mut().find(|block| block.heading == heading && block.family == family);
            match known {
                Some(block) => block.lines.push(line),
                None => blocks.push(Block { heading, family, lines: vec![line] }),
            }
        }
        for block in &mut blocks {
            // No interval at all is nothing to draw.
            block.lines.retain(|line| line.unbounded < 1.0);
        }
        blocks.retain(|block| !block.lines.is_empty());
        CoverageFigure { level: rows.first().map_or(0.95, |row| row.level.get()), methods, blocks }
    }

    /// The SVG text.
    ///
    /// # Errors
    /// Those of the drawing.
    pub fn svg(&self) -> Result<String, DrawError> {
        svg(self.size(), |canvas| self.draw(canvas))
    }

    fn subtitle(&self) -> Vec<String> {
        let mut words = String::from(
            "How often an interval does not exclude the truth, over repeated data; the dark line is the \
             nominal level. A missing bound excludes nothing.",
        );
        if !self.methods.is_empty() {
            words += " Curves: a proportion's intervals over p, enumerated; above one half they are \
                      the mirror image.";
        }
        if !self.blocks.is_empty() {
            words +=
                " Lines: from the least coverage over all truths tried to the mean, a line a size.";
        }
        wrapped(&words, TEXT, Weight::Regular, WIDTH - 2.0 * EDGE)
    }

    /// Where what is below the subtitle begins.
    fn top(&self) -> f64 {
        EDGE + TITLE + 7.0 + self.subtitle().len() as f64 * LINE + 8.0
    }

    fn curves_height(&self) -> f64 {
        match self.methods.len() {
            0 => 0.0,
            rows => 16.0 + rows as f64 * (PANEL + GAP) + 34.0,
        }
    }

    /// The blocks of each column, about equally high.
    fn columns(&self) -> Vec<&[Block]> {
        let all = height(&self.blocks);
        // From an equal share upward, the first height that all fit in.
        let mut limit = all / COLUMNS as f64;
        loop {
            let mut columns: Vec<&[Block]> = Vec::new();
            let mut start = 0;
            for at in 0..self.blocks.len() {
                if at > start && height(&self.blocks[start..=at]) > limit {
                    columns.push(&self.blocks[start..at]);
                    start = at;
                }
            }
            columns.push(&self.blocks[start..]);
            if columns.len() <= COLUMNS || limit > all {
                return columns;
            }
            limit += PITCH;
        }
    }

    fn lines_height(&self) -> f64 {
        match self.blocks.is_empty() {
            true => 0.0,
            false => {
                let highest = self.columns().into_iter().map(height).fold(0.0, f64::max);
                highest + 2.0 * (SMALL + 8.0) + self.legend().height() + 8.0
            }
        }
    }

    /// How a line is drawn: below its level by more than chance, or not.
    fn look(&self, line: &CoverageSummary) -> Look {
        // The least of several simulated ones lies low by about a standard error.
        let allowed = match line.how {
            How::Enumerated | How::Searched => 1e-9,
            How::Simulated => 3.0 * line.standard_error,
        };
        match line.least < self.level - allowed {
            true => Look { colour: STALL, marker: Marker::Diamond },
            false => Look { colour: look(0, false).colour, marker: Marker::Circle },
        }
    }

    fn legend(&self) -> Legend {
        let level = percent(self.level);
        let held = look(0, false).colour;
        let entry = |label: String, colour, marker, filled| Entry {
            label,
            colour,
            marker: Some(marker),
            filled,
            line: true,
        };
        Legend::new(vec![
            entry(
                format!("least: not below {level}, or by three standard errors at most"),
                held,
                Marker::Circle,
                true,
            ),
            entry(
                format!("least: below {level} by more than chance"),
                STALL,
                Marker::Diamond,
                true,
            ),
            entry(
                "hollow: in some setting over 5 % of the data have neither bound".into(),
                held,
                Marker::Circle,
                false,
            ),
            Entry {
                label: "the line's other end: mean".into(),
                colour: held,
                marker: None,
                filled: false,
                line: true,
            },
        ])
        .laid_out(WIDTH - 2.0 * EDGE)
    }

    fn draw_curves<DB: Backend>(&self, canvas: &Canvas<'_, DB>, top: f64) -> Result<(), DrawError> {
        let sizes: Vec<&str> = self.methods.first().map_or(Vec::new(), |method| {
            method.sizes.iter().map(|(size, _)| size.as_str()).collect()
        });
        let columns = sizes.len().max(1) as f64;
        let wide = (WIDTH - LEFT - EDGE - GAP * (columns - 1.0)) / columns;
        let lowest = self
            .methods
            .iter()
            .flat_map(|method| &method.sizes)
            .flat_map(|(_, curve)| curve)
            .map(|(_, coverage)| *coverage)
            .fold(self.level, f64::min);
        let y = Scale::Linear { low: (lowest * 20.0 - 0.2).floor() / 20.0, high: 1.006 };
        let x = Scale::Linear { low: 0.0, high: 0.5 };
        let y_ticks = in_percent(y.steps(4));
        let x_ticks = x.steps(3);
        for (row, method) in self.methods.iter().enumerate() {
            let up = top + 16.0 + row as f64 * (PANEL + GAP);
            let colour = look(row, false).colour;
            let middle = up + PANEL / 2.0;
            for (line, part) in halves(&method.name).into_iter().enumerate() {
                let at = (EDGE, middle - 6.0 + 12.0 * line as f64);
                let part = fitted(part, TEXT, LEFT - EDGE - 34.0);
                canvas.text(&part, at, Anchor::Left, TEXT, Weight::Bold, colour)?;
            }
            for (column, size) in sizes.iter().enumerate() {
                let left = LEFT + column as f64 * (wide + GAP);
                let panel = Panel { from: (left, up), to: (left + wide, up + PANEL), x, y };
                panel.draw_level_grid(canvas, &y_ticks)?;
                panel.draw_edges(canvas)?;
                if column == 0 {
                    panel.draw_y_numbers(canvas, &y_ticks)?;
                }
                if row == 0 {
                    let at = (left + wide / 2.0, up - 15.0);
                    canvas.text(&spaced(size), at, Anchor::Top, TEXT, Weight::Regular, INK)?;
                }
                if row + 1 == self.methods.len() {
                    panel.draw_x_numbers(canvas, &x_ticks)?;
                }
                let nominal = panel.y_at(self.level);
                canvas.line(&[(left, nominal), (left + wide, nominal)], INK, 1.0)?;
                let curve = method.sizes.iter().find(|(of, _)| of == size);
                let points: Vec<(f64, f64)> = curve
                    .iter()
                    .flat_map(|(_, curve)| curve)
                    .map(|(p, coverage)| panel.point(*p, *coverage))
                    .collect();
                canvas.line(&points, colour, 1.4)?;
            }
        }
        let under = top + 16.0 + self.methods.len() as f64 * (PANEL + GAP) + 8.0;
        let middle = (LEFT + WIDTH - EDGE) / 2.0;
        canvas.text("true p", (middle, under), Anchor::Top, TEXT, Weight::Regular, INK)
    }

    fn draw_lines<DB: Backend>(&self, canvas: &Canvas<'_, DB>, top: f64) -> Result<(), DrawError> {
        let columns = self.columns();
        let gap = 16.0;
        let wide = (WIDTH - 2.0 * EDGE - gap * (COLUMNS - 1) as f64) / COLUMNS as f64;
        let x = Scale::Linear { low: FLOOR, high: 1.0 };
        let ticks = in_percent(
            [0.8, 0.85, 0.9, 0.95, 1.0].map(|value| Tick { value, label: String::new() }).to_vec(),
        );
        for (at, column) in columns.iter().enumerate() {
            let left = EDGE + at as f64 * (wide + gap);
            let from = (left + NAME, top + SMALL + 5.0);
            let to = (left + wide - 13.0, from.1 + height(column));
            let panel = Panel { from, to, x, y: Scale::Linear { low: 0.0, high: 1.0 } };
            panel.draw_upright_grid(canvas, &ticks)?;
            panel.draw_x_numbers(canvas, &ticks)?;
            for tick in &ticks {
                let place = (panel.x_at(tick.value), top);
                canvas.text(&tick.label, place, Anchor::Top, SMALL, Weight::Regular, INK)?;
            }
            let nominal = panel.x_at(self.level);
            canvas.line(&[(nominal, from.1), (nominal, to.1)], INK, 1.0)?;
            let mut y = from.1;
            for (place, block) in column.iter().enumerate() {
                if is_named(column, place) {
                    let name = block.family.name().replace('-', " ");
                    self.draw_heading(canvas, &name, (left, y), wide, Weight::Bold)?;
                    y += HEADING;
                }
                self.draw_heading(canvas, &block.heading, (left, y), wide, Weight::Regular)?;
                y += HEADING;
                for line in &block.lines {
                    self.draw_line(canvas, line, &panel, left, y + PITCH / 2.0)?;
                    y += PITCH;
                }
                y += 4.0;
            }
        }
        let under = top + self.lines_height() - self.legend().height();
        self.legend().draw(canvas, EDGE, under)
    }

    /// A heading over the width of a column; no grid line runs through it.
    fn draw_heading<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        text: &str,
        (x, y): (f64, f64),
        width: f64,
        weight: Weight,
    ) -> Result<(), DrawError> {
        let text = fitted(text, SMALL + 0.5, width);
        let end = x + text_width(&text, SMALL + 0.5, weight) + 3.0;
        canvas.fill((x, y + 2.0), (end, y + HEADING), WHITE, 1.0)?;
        let at = (x, y + HEADING / 2.0 + 1.0);
        canvas.text(&text, at, Anchor::Left, SMALL + 0.5, weight, INK)
    }

    fn draw_line<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        line: &CoverageSummary,
        panel: &Panel,
        left: f64,
        y: f64,
    ) -> Result<(), DrawError> {
        let size = line.size.split(", ").next().unwrap_or_default();
        let size = fitted(&spaced(size), SMALL - 0.5, NAME - 12.0);
        canvas.text(&size, (left + 8.0, y), Anchor::Left, SMALL - 0.5, Weight::Regular, QUIET)?;
        let Look { colour, marker } = self.look(line);
        let least = panel.x_at(line.least.max(FLOOR));
        let mean = panel.x_at(line.mean.max(FLOOR));
        if line.mean >= FLOOR {
            canvas.line(&[(least, y), (mean, y)], colour, 1.4)?;
            canvas.line(&[(mean, y - 2.5), (mean, y + 2.5)], colour, 1.4)?;
        }
        if line.least >= FLOOR {
            return canvas.marker(marker, (least, y), 5.0, colour, line.unbounded <= 0.05);
        }
        let number = format!("◂ {}", percent_to(line.least, 0));
        let at = (panel.from.0 + 3.0, y);
        let end = at.0 + text_width(&number, SMALL - 0.5, Weight::Regular) + 2.0;
        canvas.fill((at.0, y - PITCH / 2.0 + 0.5), (end, y + PITCH / 2.0 - 0.5), WHITE, 1.0)?;
        canvas.text(&number, at, Anchor::Left, SMALL - 0.5, Weight::Regular, colour)
    }
}

/// `n=24` with room around the sign, `20 strata of 2+2` in fewer letters.
fn spaced(size: &str) -> String {
    size.replace('=', " = ").replace(" strata of ", " × ").replace(" a count", "")
}

/// A name in one line or in two, broken after its hyphen.
fn halves(name: &str) -> Vec<&str> {
    match name.split_once('-') {
        Some((first, _)) if name.chars().count() > 8 => {
            let (first, rest) = name.split_at(first.len() + 1);
            vec![first, rest]
        }
        _ => vec![name],
    }
}

fn in_percent(ticks: Vec<Tick>) -> Vec<Tick> {
    ticks.into_iter().map(|tick| Tick { label: percent(tick.value), ..tick }).collect()
}

impl CoverageFigure {
    fn size(&self) -> (f64, f64) {
        (WIDTH, self.top() + self.curves_height() + self.lines_height() + EDGE)
    }

    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let title = format!("What {} intervals cover", percent(self.level));
        canvas.text(&title, (EDGE, EDGE), Anchor::TopLeft, TITLE, Weight::Bold, INK)?;
        for (line, text) in self.subtitle().iter().enumerate() {
            let at = (EDGE, EDGE + TITLE + 7.0 + line as f64 * LINE);
            canvas.text(text, at, Anchor::TopLeft, TEXT, Weight::Regular, QUIET)?;
        }
        if !self.methods.is_empty() {
            self.draw_curves(canvas, self.top())?;
        }
        if !self.blocks.is_empty() {
            self.draw_lines(canvas, self.top() + self.curves_height())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Effort, calibrate};

    use super::*;

    fn drawn(families: &[Family]) -> String {
        let effort = Effort { data_sets: 100, resamples: 100, ..Effort::default() };
        CoverageFigure::of(&calibrate(families, &effort).unwrap()).svg().unwrap()
    }

    #[test]
    fn every_method_and_size_is_drawn() {
        let both = drawn(&[Family::Proportions, Family::TwoProportions, Family::Shifts]);
        for name in ["wilson", "clopper-", "n = 24", "two proportions", "difference, newcombe"] {
            assert!(both.contains(name), "{name}");
        }
        // The broken assumption apart from the held one.
        assert!(both.contains("shift, hodges-lehmann: b wider"), "{both}");
    }

    #[test]
    fn a_part_is_drawn_alone() {
        let curves = drawn(&[Family::Proportions]);
        assert!(curves.contains("true p") && !curves.contains("least: below"));
        let lines = drawn(&[Family::Shifts]);
        assert!(!lines.contains("true p") && lines.contains("least: below"));
        assert!(CoverageFigure::of(&[]).svg().is_ok());
    }
}
