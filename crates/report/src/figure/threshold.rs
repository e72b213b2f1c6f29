//! From how many threads on: the logistic curve, and the isotonic steps that assume no curve.

use analysis::Analysis;
use analysis::series::Series;
use stats::threshold::{Beyond, Threshold as Curve};
use stats::words::percent;

use super::Figure;
use super::looks::looks;
use super::stall_probability::share_axis;
use super::threads_axis::{MOST_SERIES, thread_counts, threads_axis};
use crate::draw::{Backend, Canvas, DrawError, Entry, INK, Legend, Plot};
use crate::say::word::{HAVE, TRIALS};

/// How many straight pieces a curve is drawn in.
const PIECES: usize = 80;

/// The figure.
pub struct Threshold<'a> {
    analysis: &'a Analysis,
    curves: Vec<(&'a Series, &'a Curve)>,
    counts: Vec<u64>,
}

impl<'a> Threshold<'a> {
    /// The figure, if a series stalls and not always, and its curve rises.
    pub fn of(analysis: &'a Analysis) -> Option<Self> {
        let curves: Vec<(&Series, &Curve)> = analysis
            .threshold
            .iter()
            .filter(|found| found.stalled > 0 && found.stalled < found.n)
            .filter_map(|found| Some((analysis.series.get(found.series)?, found.curve.as_ref()?)))
            .filter(|(_, curve)| curve.fit.slope > 0.0)
            .take(MOST_SERIES)
            .collect();
        let series: Vec<&Series> = curves.iter().map(|(series, _)| *series).collect();
        let counts = thread_counts(analysis, &series);
        (!curves.is_empty()).then_some(Threshold { analysis, curves, counts })
    }

    /// The least and the greatest thread count.
    fn range(&self) -> Option<(f64, f64)> {
        Some((*self.counts.first()? as f64, *self.counts.last()? as f64))
    }

    /// Whether an interval has an end within the thread counts and another beyond them.
    fn an_interval_goes_on(&self) -> bool {
        let Some(range) = self.range() else { return false };
        let estimated =
            self.curves.iter().filter(|(_, curve)| curve.t50.estimate.is_some() && curve.fits());
        estimated.map(|(_, curve)| goes_on(ends(curve), range)).any(|[below, above]| below || above)
    }

    fn plot(&self) -> Plot {
        let series: Vec<&Series> = self.curves.iter().map(|(series, _)| *series).collect();
        let mut entries: Vec<Entry> = self
            .curves
            .iter()
            .zip(looks(self.analysis, &series))
            .map(|((series, curve), look)| Entry {
                label: format!("{}{}", series.name, half_beyond(curve)),
                colour: look.colour,
                marker: Some(look.marker),
                filled: true,
                line: true,
            })
            .collect();
        entries.push(Entry {
            label: format!("at half: where half of the trials {HAVE}, with its interval"),
            colour: INK,
            marker: None,
            filled: false,
            line: true,
        });
        let subtitle = format!(
            "Points: share of {TRIALS}. {}Interval at {}{}.",
            match self.curves.iter().map(|(_, curve)| curve.fits()).collect::<Vec<_>>() {
                fits if fits.iter().all(|fits| *fits) =>
                    "Curve: Firth's logistic regression on log2(threads). Dashes: isotonic estimate, which \
                     assumes only that the share does not fall. ",
                _ =>
                    "Curve: Firth's logistic regression on log2(threads), left out where the trials do not \
                      follow it. Steps: isotonic estimate, which assumes only that the share does not fall. ",
            },
            percent(self.analysis.level.get()),
            if self.an_interval_goes_on() {
                "; an arrow: it goes on beyond the counts"
            } else {
                ""
            }
        );
        Plot::new(
            self.size(),
            &format!("From how many threads on trials {HAVE}"),
            &subtitle,
            threads_axis(&self.counts),
            share_axis(&TRIALS.to_string()),
            Legend::new(entries),
        )
    }
}

impl Figure for Threshold<'_> {
    fn name(&self) -> String {
        "threshold".into()
    }

    fn caption(&self) -> String {
        let names: Vec<String> =
            self.curves.iter().map(|(series, _)| series.name.clone()).collect();
        format!(
            "Share of {TRIALS} over the thread count with the fitted logistic curve and the \
             isotonic steps, for {}.",
            stats::words::list(&names)
        )
    }

    fn size(&self) -> (f64, f64) {
        (640.0, 400.0)
    }

    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let plot = self.plot();
        plot.draw(canvas)?;
        let Some((first, last)) = self.range() else { return Ok(()) };
        let (low, high) = (first.log2(), last.log2());
        let series: Vec<&Series> = self.curves.iter().map(|(series, _)| *series).collect();
        let curves = self.curves.len() as f64;
        let all = self.curves.iter().zip(looks(self.analysis, &series)).enumerate();
        for (at, ((series, curve), look)) in all {
            for pair in curve.isotonic.windows(2) {
                let (from, to) = (&pair[0], &pair[1]);
                let (start, corner) = (
                    plot.point(from.threads as f64, from.p),
                    plot.point(to.threads as f64, from.p),
                );
                let end = plot.point(to.threads as f64, to.p);
                if curve.fits() {
                    canvas.dashed(start, corner, look.colour, 1.0)?;
                    canvas.dashed(corner, end, look.colour, 1.0)?;
                } else {
                    canvas.line(&[start, corner, end], look.colour, 1.6)?;
                }
            }
            let line: Vec<(f64, f64)> = (0..=PIECES)
                .map(|piece| {
                    let x = low + (high - low) * piece as f64 / PIECES as f64;
                    let odds = curve.fit.intercept + curve.fit.slope * x;
                    plot.point(x.exp2(), 1.0 / (1.0 + (-odds).exp()))
                })
                .collect();
            if curve.fits() {
                canvas.line(&line, look.colour, 1.6)?;
            }
            for cell in series.cells.iter().map(|at| &self.analysis.cells[*at]) {
                if let Some(stall) = &cell.stall {
                    let at = plot.point(cell.factors.threads().max(1) as f64, stall.estimate);
                    canvas.marker(look.marker, at, 7.0, look.colour, true)?;
                }
            }
            // Side by side, so that two intervals stay apart.
            let aside = |(x, y): (f64, f64)| (x, y + 6.0 * (at as f64 - (curves - 1.0) / 2.0));
            let inside = |t: f64| t.clamp(first, last);
            let bar = |t: f64, half_height: f64| {
                let (x, y) = aside(plot.point(t, 0.5));
                canvas.line(&[(x, y - half_height), (x, y + half_height)], look.colour, 1.8)
            };
            if let Some(half) = curve.t50.estimate.filter(|_| !curve.fits()) {
                bar(half, 5.0)?;
            } else if let Some(half) = curve.t50.estimate {
                let (low, high) = ends(curve);
                if low < last && high > first {
                    let ends = [inside(low), inside(high)].map(|t| aside(plot.point(t, 0.5)));
                    canvas.line(&ends, look.colour, 1.8)?;
                }
                // An estimate beyond the thread counts has no bar, an end beyond them an arrow.
                for (t, height) in [(low, 2.5), (half, 5.0), (high, 2.5)] {
                    if (first..=last).contains(&t) {
                        bar(t, height)?;
                    }
                }
                let arrow = |tip: f64, back: f64| {
                    let (x, y) = aside(plot.point(tip, 0.5));
                    let head = [(x - back, y - 3.0), (x, y), (x - back, y + 3.0)];
                    canvas.line(&head, look.colour, 1.8)
                };
                let [below, above] = goes_on((low, high), (first, last));
                if below {
                    arrow(first, -4.0)?;
                }
                if above {
                    arrow(last, 4.0)?;
                }
            }
        }
        Ok(())
    }
}

/// `, half below 16 threads`, where that lies beyond the thread counts tried.
fn half_beyond(curve: &Curve) -> String {
    match (curve.beyond.t50, curve.range()) {
        (Some(Beyond::Below), Some((from, _))) => format!(", half below {from} threads"),
        (Some(Beyond::Above), Some((_, to))) => format!(", half above {to} threads"),
        _ => String::new(),
    }
}

/// The ends of the interval of the count at which half of the trials stall; a bound that is missing is
/// beyond every count.
fn ends(curve: &Curve) -> (f64, f64) {
    (curve.t50.low.unwrap_or(f64::MIN_POSITIVE), curve.t50.high.unwrap_or(f64::MAX))
}

/// Whether an interval that reaches into a range goes on below it, and above it.
fn goes_on((low, high): (f64, f64), (first, last): (f64, f64)) -> [bool; 2] {
    [low < first && high > first, high > last && low < last]
}
