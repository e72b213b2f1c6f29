//! The figures, one a file. Each draws to SVG and to PNG by the same calls.

mod looks;
mod recovery;
mod recovery_by_side;
mod rows;
mod stall_probability;
mod stall_rows;
mod stalls_by_side;
mod survival_curve;
mod threads_axis;
mod threshold;
mod throughput;
mod throughput_rows;
mod time_axis;
mod timeline;

pub use recovery::Recovery;
pub use recovery_by_side::RecoveryBySide;
pub use stall_probability::StallProbability;
pub use stall_rows::StallRows;
pub use stalls_by_side::StallsBySide;
pub use threshold::Threshold;
pub use throughput::Throughput;
pub use throughput_rows::ThroughputRows;
pub use timeline::Timeline;

use std::path::Path;

use analysis::Analysis;
use analysis::compare::Comparison;
use analysis::recovery::Sense;

use crate::draw::{Backend, Canvas, DrawError, png, svg};

/// Pixels a point in PNG files: sharp at twice the size of a text.
const PIXELS_A_POINT: f64 = 2.0;

/// A figure.
pub trait Figure {
    /// Its file name, without the ending.
    fn name(&self) -> String;

    /// What it shows, in a sentence or two, for who can't see it.
    fn caption(&self) -> String;

    /// Width and height in points.
    fn size(&self) -> (f64, f64);

    /// Draws it.
    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError>;
}

/// A figure that has been drawn.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Its file name, without the ending.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// It.
    pub svg: String,
}

/// Every figure that an analysis has the data for, in the order of a report.
pub enum AnyFigure<'a> {
    /// Stall probability over threads.
    StallProbability(StallProbability<'a>),
    /// Stall probability at one thread count, a row a series.
    StallRows(StallRows<'a>),
    /// The fitted curve over threads.
    Threshold(Threshold<'a>),
    /// How long growths stayed pending.
    Recovery(Recovery<'a>),
    /// Throughput over threads.
    Throughput(Throughput<'a>),
    /// Throughput at one thread count, a row a series.
    ThroughputRows(ThroughputRows<'a>),
    /// Throughput over time.
    Timeline(Timeline<'a>),
}

impl<'a> AnyFigure<'a> {
    /// Those of an analysis.
    pub fn of(analysis: &'a Analysis) -> Vec<AnyFigure<'a>> {
        let mut figures = Vec::new();
        figures.extend(StallProbability::of(analysis).map(AnyFigure::StallProbability));
        figures.extend(StallRows::of(analysis).map(AnyFigure::StallRows));
        figures.extend(Threshold::of(analysis).map(AnyFigure::Threshold));
        figures.extend(Throughput::of(analysis).into_iter().map(AnyFigure::Throughput));
        figures.extend(ThroughputRows::of(analysis).map(AnyFigure::ThroughputRows));
        figures.extend(Timeline::of(analysis).map(AnyFigure::Timeline));
        figures.extend(Recovery::of(analysis, Sense::Event).map(AnyFigure::Recovery));
        figures.extend(Recovery::of(analysis, Sense::Throughput).map(AnyFigure::Recovery));
        figures
    }

    /// Draws it to SVG.
    pub fn svg(&self) -> Result<Drawn, DrawError> {
        match self {
            AnyFigure::StallProbability(figure) => to_svg(figure),
            AnyFigure::StallRows(figure) => to_svg(figure),
            AnyFigure::ThroughputRows(figure) => to_svg(figure),
            AnyFigure::Threshold(figure) => to_svg(figure),
            AnyFigure::Recovery(figure) => to_svg(figure),
            AnyFigure::Throughput(figure) => to_svg(figure),
            AnyFigure::Timeline(figure) => to_svg(figure),
        }
    }

    /// Draws it to a PNG file.
    pub fn png(&self, file: &Path) -> Result<(), DrawError> {
        match self {
            AnyFigure::StallProbability(figure) => to_png(figure, file),
            AnyFigure::StallRows(figure) => to_png(figure, file),
            AnyFigure::ThroughputRows(figure) => to_png(figure, file),
            AnyFigure::Threshold(figure) => to_png(figure, file),
            AnyFigure::Recovery(figure) => to_png(figure, file),
            AnyFigure::Throughput(figure) => to_png(figure, file),
            AnyFigure::Timeline(figure) => to_png(figure, file),
        }
    }
}

/// Every figure of a comparison.
pub enum ComparisonFigure<'a> {
    /// Stall probability by side.
    Stalls(StallsBySide<'a>),
    /// How long growths stayed pending on each side.
    Recovery(RecoveryBySide<'a>),
}

impl<'a> ComparisonFigure<'a> {
    /// Those that a comparison has the data for.
    pub fn of(comparison: &'a Comparison) -> Vec<ComparisonFigure<'a>> {
        let mut figures = Vec::new();
        figures.extend(StallsBySide::of(comparison).map(ComparisonFigure::Stalls));
        figures.extend(RecoveryBySide::of(comparison).into_iter().map(ComparisonFigure::Recovery));
        figures
    }

    /// Draws it to SVG.
    pub fn svg(&self) -> Result<Drawn, DrawError> {
        match self {
            ComparisonFigure::Stalls(figure) => to_svg(figure),
            ComparisonFigure::Recovery(figure) => to_svg(figure),
        }
    }

    /// Draws it to a PNG file.
    pub fn png(&self, file: &Path) -> Result<(), DrawError> {
        match self {
            ComparisonFigure::Stalls(figure) => to_png(figure, file),
            ComparisonFigure::Recovery(figure) => to_png(figure, file),
        }
    }
}

fn to_svg(figure: &impl Figure) -> Result<Drawn, DrawError> {
    let svg = svg(figure.size(), |canvas| figure.draw(canvas))?;
    Ok(Drawn { name: figure.name(), caption: figure.caption(), svg })
}

fn to_png(figure: &impl Figure, file: &Path) -> Result<(), DrawError> {
    png(file, figure.size(), PIXELS_A_POINT, |canvas| figure.draw(canvas))
}
