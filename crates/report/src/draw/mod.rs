//! What figures are drawn with: a canvas, scales, axes, a legend and a style.

mod axes;
mod canvas;
mod legend;
mod lines;
mod panel;
mod scale;
mod style;

pub use axes::{Axis, Plot};
pub use canvas::{Anchor, Backend, Canvas, DrawError, Marker, Weight, png, svg, text_width};
pub use legend::{Entry, Legend};
pub use lines::{NO_BREAK, fitted, wrapped, wrapped_at_most};
pub use panel::{Panel, SMALL};
pub use scale::{Scale, Tick};
pub use style::{INK, Look, QUIET, STALL, look};
