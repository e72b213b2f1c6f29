//! One of several small plots of a figure: a rectangle with two scales and no words of its own.

use super::canvas::{Anchor, Backend, Canvas, DrawError, Weight};
use super::scale::{Scale, Tick};
use super::style::{AXIS, GRID, INK};

/// The size of the numbers at the edges, in points.
pub const SMALL: f64 = 8.0;

/// A small plot.
#[derive(Debug, Clone, Copy)]
pub struct Panel {
    /// Its upper left corner.
    pub from: (f64, f64),
    /// Its lower right corner.
    pub to: (f64, f64),
    /// Where an x stands between the sides.
    pub x: Scale,
    /// Where a y stands between bottom and top.
    pub y: Scale,
}

impl Panel {
    /// Where an x stands.
    pub fn x_at(&self, x: f64) -> f64 {
        self.from.0 + self.x.at(x) * (self.to.0 - self.from.0)
    }

    /// Where a y stands.
    pub fn y_at(&self, y: f64) -> f64 {
        self.to.1 - self.y.at(y) * (self.to.1 - self.from.1)
    }

    /// Where a pair of values stands.
    pub fn point(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x_at(x), self.y_at(y))
    }

    /// Grid lines from side to side at these values of y.
    pub fn draw_level_grid<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        ticks: &[Tick],
    ) -> Result<(), DrawError> {
        for y in ticks.iter().map(|tick| self.y_at(tick.value)) {
            canvas.line(&[(self.from.0, y), (self.to.0, y)], GRID, 1.0)?;
        }
        Ok(())
    }

    /// Grid lines from top to bottom at these values of x.
    pub fn draw_upright_grid<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        ticks: &[Tick],
    ) -> Result<(), DrawError> {
        for x in ticks.iter().map(|tick| self.x_at(tick.value)) {
            canvas.line(&[(x, self.from.1), (x, self.to.1)], GRID, 1.0)?;
        }
        Ok(())
    }

    /// The left and the lower edge.
    pub fn draw_edges<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let ((left, top), (right, bottom)) = (self.from, self.to);
        canvas.line(&[(left, top), (left, bottom), (right, bottom)], AXIS, 1.0)
    }

    /// The numbers of y, left of the panel.
    pub fn draw_y_numbers<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        ticks: &[Tick],
    ) -> Result<(), DrawError> {
        for tick in ticks {
            let y = self.y_at(tick.value);
            canvas.line(&[(self.from.0 - 3.0, y), (self.from.0, y)], AXIS, 1.0)?;
            let at = (self.from.0 - 6.0, y);
            canvas.text(&tick.label, at, Anchor::Right, SMALL, Weight::Regular, INK)?;
        }
        Ok(())
    }

    /// The numbers of x, below the panel.
    pub fn draw_x_numbers<DB: Backend>(
        &self,
        canvas: &Canvas<'_, DB>,
        ticks: &[Tick],
    ) -> Result<(), DrawError> {
        for tick in ticks {
            let x = self.x_at(tick.value);
            canvas.line(&[(x, self.to.1), (x, self.to.1 + 3.0)], AXIS, 1.0)?;
            let at = (x, self.to.1 + 5.0);
            canvas.text(&tick.label, at, Anchor::Top, SMALL, Weight::Regular, INK)?;
        }
        Ok(())
    }
}
