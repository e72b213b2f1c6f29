//! Colours and markers.
//!
//! The colours are those of M. Okabe and K. Ito (*Color Universal Design*, 2008), which stay apart
//! for people who see fewer colours; every series has a marker of its own as well, so that a figure
//! reads in grey. Yellow is left out: it is too light on white.

use plotters::style::RGBColor;

use super::Marker;

/// Text and marks of first importance.
pub const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Text of second importance.
pub const QUIET: RGBColor = RGBColor(0x5a, 0x5a, 0x5a);
/// Axis lines and ticks.
pub const AXIS: RGBColor = RGBColor(0x44, 0x44, 0x44);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);
/// What is there only to be passed over.
pub const FAINT: RGBColor = RGBColor(0xb8, 0xb8, 0xb8);
/// The control.
pub const CONTROL: RGBColor = RGBColor(0x70, 0x70, 0x70);
/// A stalled trial.
pub const STALL: RGBColor = RGBColor(0xd5, 0x5e, 0x00);

/// Vermilion is kept for [`STALL`].
const COLOURS: [RGBColor; 5] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
];

const MARKERS: [Marker; 5] =
    [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::TriangleDown];

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Its colour.
    pub colour: RGBColor,
    /// Its marker.
    pub marker: Marker,
}

/// The look of the `at`-th series; a control is grey and keeps the marker of its place.
pub fn look(at: usize, is_control: bool) -> Look {
    let colour = if is_control { CONTROL } else { COLOURS[at % COLOURS.len()] };
    Look { colour, marker: MARKERS[at % MARKERS.len()] }
}
