//! The figures, one a file. Each draws to SVG and to PNG by the same calls.

mod looks;
mod recovery;
mod rows;
mod stall_probability;
mod stall_rows;
mod threads_axis;
mod threshold;
mod throughput;
mod throughput_rows;

pub use recovery::Recovery;
pub use stall_probability::StallProbability;
pub use stall_rows::StallRows;
pub use threshold::Threshold;
pub use throughput::Throughput;
pub use throughput_rows::ThroughputRows;

use std::path::Path;

use analysis::Analysis;

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
        figures.extend(Recovery::of(analysis).map(AnyFigure::Recovery));
        figures
    }

    /// Draws it to SVG.
    pub fn svg(&self) -> Result<Drawn, DrawError> {
        fn one(figure: &impl Figure) -> Result<Drawn, DrawError> {
            let svg = svg(figure.size(), |canvas| figure.draw(canvas))?;
            Ok(Drawn { name: figure.name(), caption: figure.caption(), svg })
        }
        match self {
            AnyFigure::StallProbability(figure) => one(figure),
            AnyFigure::StallRows(figure) => one(figure),
            AnyFigure::ThroughputRows(figure) => one(figure),
            AnyFigure::Threshold(figure) => one(figure),
            AnyFigure::Recovery(figure) => one(figure),
            AnyFigure::Throughput(figure) => one(figure),
        }
    }

    /// Draws it to a PNG file.
    pub fn png(&self, file: &Path) -> Result<(), DrawError> {
        fn one(figure: &impl Figure, file: &Path) -> Result<(), DrawError> {
            png(file, figure.size(), PIXELS_A_POINT, |canvas| figure.draw(canvas))
        }
        match self {
            AnyFigure::StallProbability(figure) => one(figure, file),
            AnyFigure::StallRows(figure) => one(figure, file),
            AnyFigure::ThroughputRows(figure) => one(figure, file),
            AnyFigure::Threshold(figure) => one(figure, file),
            AnyFigure::Recovery(figure) => one(figure, file),
            AnyFigure::Throughput(figure) => one(figure, file),
        }
    }
}
