//! What figures are drawn with: a canvas, scales, axes, a legend and a style.

mod axes;
mod canvas;
mod legend;
mod scale;
mod style;

pub use axes::{Axis, Plot};
pub use canvas::{Backend, Canvas, DrawError, Marker, Weight, png, svg, text_width};
pub use legend::{Entry, Legend, fitted};
pub use scale::{Scale, Tick};
pub use style::{INK, Look, STALL, look};
