//! A canvas in points, drawn to SVG or to a bitmap of any resolution by the same calls.

use std::path::Path;
use std::sync::OnceLock;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor, ShapeStyle, TextStyle, WHITE,
    register_font,
};

/// Why a figure was not drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawError(pub String);

impl std::fmt::Display for DrawError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "drawing a figure failed: {}", self.0)
    }
}

impl std::error::Error for DrawError {}

/// What a canvas is drawn to.
pub trait Backend: DrawingBackend {}
impl<DB: DrawingBackend> Backend for DB {}

/// The generic family: SVG viewers take their own sans-serif, which is narrower than the one that is
/// measured and drawn here; what does not overlap here does not overlap there.
const FAMILY: &str = "sans-serif";

fn fonts() -> Result<(), DrawError> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    let registered = REGISTERED.get_or_init(|| {
        register_font(FAMILY, FontStyle::Normal, dejavu::sans::regular()).is_ok()
            && register_font(FAMILY, FontStyle::Bold, dejavu::sans::bold()).is_ok()
    });
    if *registered { Ok(()) } else { Err(DrawError("the built-in font does not load".into())) }
}

/// How heavy a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Of a paragraph.
    Regular,
    /// Of a title.
    Bold,
}

fn font(size: f64, weight: Weight) -> FontDesc<'static> {
    let style = match weight {
        Weight::Regular => FontStyle::Normal,
        Weight::Bold => FontStyle::Bold,
    };
    FontDesc::new(FontFamily::SansSerif, size, style)
}

/// How wide a text is, in points.
pub fn text_width(text: &str, size: f64, weight: Weight) -> f64 {
    if fonts().is_err() {
        return 0.6 * size * text.chars().count() as f64;
    }
    // Measured large: the layout rounds to whole pixels.
    let measured = font(size * 10.0, weight).box_size(text);
    measured.map_or(0.6 * size * text.chars().count() as f64, |(width, _)| f64::from(width) / 10.0)
}

/// Which point of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Left end, middle height.
    Left,
    /// Right end, middle height.
    Right,
    /// Middle of the upper edge.
    Top,
    /// Left end of the upper edge.
    TopLeft,
    /// The centre.
    Centre,
}

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A diamond.
    Diamond,
    /// A triangle that points down.
    TriangleDown,
}

/// A canvas whose unit is a point of 1/72 inch, from the upper left corner.
pub struct Canvas<'a, DB: Backend> {
    area: &'a DrawingArea<DB, Shift>,
    scale: f64,
    /// How far below its place a text stands that is centred on it, a share of its size.
    lowered: f64,
}

type Drawn = Result<(), DrawError>;

fn failed(error: impl std::fmt::Display) -> DrawError {
    DrawError(error.to_string())
}

impl<DB: Backend> Canvas<'_, DB> {
    fn at(&self, x: f64, y: f64) -> (i32, i32) {
        let pixel = |v: f64| (v * self.scale).round().clamp(-1e6, 1e6) as i32;
        (pixel(x), pixel(y))
    }

    fn stroke(&self, colour: RGBColor, width: f64) -> ShapeStyle {
        colour.stroke_width((width * self.scale).round().max(1.0) as u32)
    }

    /// A line through points.
    pub fn line(&self, points: &[(f64, f64)], colour: RGBColor, width: f64) -> Drawn {
        let points: Vec<_> = points.iter().map(|(x, y)| self.at(*x, *y)).collect();
        self.area.draw(&PathElement::new(points, self.stroke(colour, width))).map_err(failed)
    }

    /// A line of which every part is upright or level, through points. Each part is a rectangle:
    /// where two points share a pixel, a stroked line would lean.
    pub fn steps(&self, points: &[(f64, f64)], colour: RGBColor, width: f64) -> Drawn {
        let half = ((width * self.scale / 2.0).round() as i32).max(1);
        for pair in points.windows(2) {
            let (a, b) = (self.at(pair[0].0, pair[0].1), self.at(pair[1].0, pair[1].1));
            let corners = [
                (a.0.min(b.0) - half, a.1.min(b.1) - half),
                (a.0.max(b.0) + half, a.1.max(b.1) + half),
            ];
            self.area.draw(&Rectangle::new(corners, colour.filled())).map_err(failed)?;
        }
        Ok(())
    }

    /// A straight line of dashes.
    pub fn dashed(&self, from: (f64, f64), to: (f64, f64), colour: RGBColor, width: f64) -> Drawn {
        const DASH: f64 = 4.0;
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        let dashes = (length / (2.0 * DASH)).ceil().min(10_000.0) as usize;
        for dash in 0..dashes {
            let start = 2.0 * DASH * dash as f64 / length;
            let end = (start + DASH / length).min(1.0);
            let point = |t: f64| (from.0 + t * dx, from.1 + t * dy);
            self.line(&[point(start), point(end)], colour, width)?;
        }
        Ok(())
    }

    /// A filled rectangle from corner to corner, as opaque as `opacity` says.
    pub fn fill(&self, a: (f64, f64), b: (f64, f64), colour: RGBColor, opacity: f64) -> Drawn {
        let corners = [self.at(a.0, a.1), self.at(b.0, b.1)];
        self.area.draw(&Rectangle::new(corners, colour.mix(opacity).filled())).map_err(failed)
    }

    /// A point; `filled` or only its outline on white.
    pub fn marker(
        &self,
        marker: Marker,
        (x, y): (f64, f64),
        size: f64,
        colour: RGBColor,
        filled: bool,
    ) -> Drawn {
        let r = size / 2.0;
        let corners: Vec<(f64, f64)> = match marker {
            Marker::Circle => {
                let (centre, radius) = (self.at(x, y), (r * self.scale).round().max(1.0) as i32);
                let inside = if filled { colour } else { WHITE };
                self.area.draw(&Circle::new(centre, radius, inside.filled())).map_err(failed)?;
                let outline = self.stroke(colour, 1.0);
                return self.area.draw(&Circle::new(centre, radius, outline)).map_err(failed);
            }
            Marker::Square => {
                let r = r * 0.9;
                vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]
            }
            Marker::Diamond => {
                let r = r * 1.2;
                vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)]
            }
            Marker::Triangle => {
                let r = r * 1.15;
                vec![(x, y - r), (x + r, y + r * 0.75), (x - r, y + r * 0.75)]
            }
            Marker::TriangleDown => {
                let r = r * 1.15;
                vec![(x, y + r), (x + r, y - r * 0.75), (x - r, y - r * 0.75)]
            }
        };
        let mut points: Vec<_> = corners.iter().map(|(x, y)| self.at(*x, *y)).collect();
        let inside = if filled { colour } else { WHITE };
        self.area.draw(&Polygon::new(points.clone(), inside.filled())).map_err(failed)?;
        points.extend(points.first().copied());
        self.area.draw(&PathElement::new(points, self.stroke(colour, 1.0))).map_err(failed)
    }

    /// A text.
    pub fn text(
        &self,
        text: &str,
        (x, y): (f64, f64),
        anchor: Anchor,
        size: f64,
        weight: Weight,
        colour: RGBColor,
    ) -> Drawn {
        let lowered = match anchor {
            Anchor::Left | Anchor::Right | Anchor::Centre => size * self.lowered,
            Anchor::Top | Anchor::TopLeft => 0.0,
        };
        self.styled(text, (x, y + lowered), anchor, font(size * self.scale, weight), colour)
    }

    /// A text that reads from below, centred.
    pub fn text_upwards(&self, text: &str, at: (f64, f64), size: f64, colour: RGBColor) -> Drawn {
        let font = font(size * self.scale, Weight::Regular).transform(FontTransform::Rotate270);
        self.styled(text, at, Anchor::Centre, font, colour)
    }

    fn styled(
        &self,
        text: &str,
        (x, y): (f64, f64),
        anchor: Anchor,
        font: FontDesc<'_>,
        colour: RGBColor,
    ) -> Drawn {
        let (h, v) = match anchor {
            Anchor::Left => (HPos::Left, VPos::Center),
            Anchor::Right => (HPos::Right, VPos::Center),
            Anchor::Top => (HPos::Center, VPos::Top),
            Anchor::TopLeft => (HPos::Left, VPos::Top),
            Anchor::Centre => (HPos::Center, VPos::Center),
        };
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(h, v));
        self.area.draw(&Text::new(text.to_string(), self.at(x, y), style)).map_err(failed)
    }
}

/// Units a point in SVG: the drawing library has whole ones only, and a curve of whole points has
/// corners.
const SVG_UNITS: f64 = 4.0;

/// Draws to SVG text.
pub fn svg(
    (width, height): (f64, f64),
    draw: impl FnOnce(&Canvas<'_, SVGBackend<'_>>) -> Drawn,
) -> Result<String, DrawError> {
    fonts()?;
    let mut text = String::new();
    let units = |points: f64| (points * SVG_UNITS).ceil() as u32;
    let (wide, high) = (units(width), units(height));
    {
        let area = SVGBackend::with_string(&mut text, (wide, high)).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        draw(&Canvas { area: &area, scale: SVG_UNITS, lowered: 0.0 })?;
        area.present().map_err(failed)?;
    }
    // Shown at its size in points; `viewBox` keeps the units.
    let shown = |points: f64| format!("{}", points.ceil());
    let text =
        text.replacen(&format!("width=\"{wide}\""), &format!("width=\"{}\"", shown(width)), 1);
    Ok(text.replacen(&format!("height=\"{high}\""), &format!("height=\"{}\"", shown(height)), 1))
}

/// Pixels drawn for a pixel kept, each way: the drawing library has whole pixels only.
const FINER: usize = 2;

/// The drawing library centres the box of a text, which is higher than its letters.
const LOWERED: f64 = 0.16;

/// Draws to a PNG file with so many pixels a point.
pub fn png(
    file: &Path,
    (width, height): (f64, f64),
    scale: f64,
    draw: impl FnOnce(&Canvas<'_, BitMapBackend<'_>>) -> Drawn,
) -> Drawn {
    fonts()?;
    let (wide, high) = ((width * scale).ceil() as u32, (height * scale).ceil() as u32);
    let finer = FINER as u32;
    let mut fine = vec![0; (wide * finer * high * finer * 3) as usize];
    {
        let size = (wide * finer, high * finer);
        let area = BitMapBackend::with_buffer(&mut fine, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let scale = scale * f64::from(finer);
        draw(&Canvas { area: &area, scale, lowered: LOWERED })?;
        area.present().map_err(failed)?;
    }
    let mut backend = BitMapBackend::new(file, (wide, high));
    backend.blit_bitmap((0, 0), (wide, high), &averaged(&fine, wide as usize)).map_err(failed)?;
    backend.present().map_err(failed)
}

/// An image of RGB bytes with the mean of each square of [`FINER`] pixels as one, `wide` of them a
/// line.
fn averaged(fine: &[u8], wide: usize) -> Vec<u8> {
    let line = wide * FINER * 3;
    fine.chunks_exact(line * FINER)
        .flat_map(|lines| {
            (0..wide * 3).map(move |at| {
                let (pixel, channel) = (at / 3, at % 3);
                let square = (0..FINER * FINER).map(|n| {
                    let (x, y) = (pixel * FINER + n % FINER, n / FINER);
                    lines.get(y * line + x * 3 + channel).map_or(0, |byte| u32::from(*byte))
                });
                (square.sum::<u32>() / (FINER * FINER) as u32) as u8
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_text_is_wider() {
        let width = |text| text_width(text, 10.0, Weight::Regular);
        assert!(width("threads") > width("thread"));
        assert!((width("threads") * 2.0 - width("threadsthreads")).abs() < 1.0);
    }

    #[test]
    fn four_pixels_are_kept_as_their_mean() {
        // Two lines of four pixels, black but for one white pixel in the second square.
        let mut fine = vec![0; 2 * 4 * 3];
        fine[2 * 3..3 * 3].fill(255);
        assert_eq!(averaged(&fine, 2), [0, 0, 0, 63, 63, 63]);
    }

    #[test]
    fn steps_that_share_a_pixel_stay_upright() {
        let drawn = svg((100.0, 50.0), |canvas| {
            canvas.steps(&[(10.0, 10.0), (10.05, 10.0), (10.05, 40.0)], RGBColor(1, 2, 3), 1.5)
        })
        .unwrap();
        assert_eq!(drawn.matches("<rect").count(), 3, "the page and two parts: {drawn}");
        assert!(!drawn.contains("<poly"), "{drawn}");
    }

    #[test]
    fn every_marker_is_drawn_and_a_text_is_escaped() {
        let drawn = svg((100.0, 50.0), |canvas| {
            for marker in [
                Marker::Circle,
                Marker::Square,
                Marker::Triangle,
                Marker::Diamond,
                Marker::TriangleDown,
            ] {
                canvas.marker(marker, (50.0, 25.0), 6.0, RGBColor(1, 2, 3), false)?;
            }
            canvas.text("a<b", (0.0, 0.0), Anchor::TopLeft, 9.0, Weight::Bold, RGBColor(0, 0, 0))
        })
        .unwrap();
        assert!(drawn.contains("<circle") && drawn.contains("<polygon"), "{drawn}");
        assert!(drawn.contains("a&lt;b"), "{drawn}");
    }
}
