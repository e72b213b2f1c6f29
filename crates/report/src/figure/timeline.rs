//! Throughput over time of a few trials of one cell: one that stalled and recovered, one that did not
//! recover, one of the control; with the changes of level that were found, and the recovery.
//!
//! A trial with more samples than the figure has room for is drawn as the range of its samples,
//! stretch by stretch, so that no sample that stands out is lost.

use analysis::Analysis;
use analysis::timeline::shown::{Role, Shown};
use stats::recovery::{Course, PartialKind, Sample};
use stats::words::{percent, significant};

use super::Figure;
use super::rows::at_threads;
use crate::draw::{
    Axis, Backend, Canvas, DrawError, Entry, INK, Legend, Look, Marker, Plot, STALL, Scale, look,
};
use crate::say::word::HAD_NONE;

/// The most stretches that a line is drawn of.
const MOST_STRETCHES: usize = 600;

/// The most changes that are marked: noise that is correlated has many, and they say nothing then.
const MOST_CHANGES: usize = 40;

/// The figure.
pub struct Timeline<'a> {
    analysis: &'a Analysis,
    shown: Vec<&'a Shown>,
    last_s: f64,
}

impl<'a> Timeline<'a> {
    /// The figure, if a trial stalled by its throughput.
    pub fn of(analysis: &'a Analysis) -> Option<Self> {
        let stalled =
            analysis.shown.iter().any(|one| one.found.onset.is_some() && one.role != Role::Control);
        if !stalled {
            return None;
        }
        let has_control = analysis.shown.iter().any(|one| one.role == Role::Control);
        // One that never stalled looks as the control does, and would cover it.
        let shown: Vec<&Shown> = analysis
            .shown
            .iter()
            .filter(|one| !(has_control && one.role == Role::NeverStalled))
            .collect();
        let ends = shown.iter().filter_map(|one| one.samples.last()).map(|sample| sample.t_s);
        let last_s = ends.fold(0.0, f64::max);
        (last_s > 0.0).then_some(Timeline { analysis, shown, last_s })
    }

    fn look(&self, at: usize) -> Look {
        let role = self.shown[at].role;
        let look = look(at, role == Role::Control);
        if role == Role::NotRecovered { Look { colour: STALL, ..look } } else { look }
    }

    fn number(&self, one: &Shown) -> u64 {
        self.analysis.trials.get(one.trial).map_or(0, |trial| trial.trial)
    }

    fn label(&self, one: &Shown) -> String {
        let time = |t: f64| significant(t, 4);
        let of = match (one.role, one.found.course) {
            (Role::Control, _) => "the control".to_string(),
            (_, Course::NeverStalled) => HAD_NONE.to_string(),
            (_, Course::Recovered(at)) => {
                format!("back at {} to {} s", time(at.left_s), time(at.right_s))
            }
            (_, Course::NotRecovered { until_s }) => format!("not back by {} s", time(until_s)),
        };
        format!("trial {}: {of}", self.number(one))
    }

    /// The name of the cell's series and its threads.
    fn cell(&self) -> String {
        let cell = self.shown.first().map_or(0, |one| one.cell);
        let series = self.analysis.series.iter().find(|series| series.cells.contains(&cell));
        let threads = self.analysis.cells.get(cell).map_or(0, |cell| cell.factors.threads());
        let name = series.map_or("", |series| series.name.as_str());
        format!("{name}, {}", at_threads(threads))
    }

    /// The throughput that is to be reached, and the share of the control that it is.
    fn reach(&self) -> Option<(f64, f64)> {
        let asked = self.shown.first()?.asked;
        Some((asked.share * asked.control_mops, asked.share))
    }

    fn plot(&self) -> Plot {
        let mut entries: Vec<Entry> = (0..self.shown.len())
            .map(|at| Entry {
                label: self.label(self.shown[at]),
                colour: self.look(at).colour,
                marker: None,
                filled: false,
                line: true,
            })
            .collect();
        let mark = |label: &str, marker, filled| Entry {
            label: label.into(),
            colour: INK,
            marker: Some(marker),
            filled,
            line: false,
        };
        if self.shown.iter().any(|one| !changes(one).is_empty()) {
            entries.push(mark("change of level", Marker::Diamond, false));
        }
        if self.shown.iter().any(|one| matches!(one.found.course, Course::Recovered(_))) {
            entries.push(mark("recovery", Marker::Circle, true));
        }
        if self.shown.iter().any(|one| !rises(one).is_empty()) {
            entries.push(mark("rise that was no recovery", Marker::TriangleDown, true));
        }
        let hold = self.shown.first().map_or(0.0, |one| one.asked.hold_s);
        let mut subtitle = format!(
            "{}. Recovered is what keeps the dashed share of the control for {}.",
            self.cell(),
            stats::words::seconds(hold)
        );
        let (mut zeros, mut ranges) = (0, false);
        for one in &self.shown {
            zeros += one.samples.iter().filter(|sample| sample.throughput <= 0.0).count();
            ranges |= one.samples.len() > MOST_STRETCHES;
        }
        if ranges {
            subtitle += " Lines are the ranges of neighbouring samples.";
        }
        if zeros > 0 {
            let zeros = stats::words::counted(zeros as u64, "sample", "samples");
            subtitle += &format!(" On the axis itself: {zeros} with 0 Mops/s.");
        }
        let values = self.shown.iter().flat_map(|one| &one.samples).map(|sample| sample.throughput);
        let scale = Scale::log_around(values.chain(self.reach().map(|(mops, _)| mops)), 0.08);
        let x = Scale::Linear { low: 0.0, high: self.last_s * 1.02 };
        Plot::new(
            self.size(),
            "Throughput over time",
            &subtitle,
            Axis { title: "seconds since the trial's start".into(), scale: x, ticks: x.steps(8) },
            Axis { title: "throughput, Mops/s".into(), scale, ticks: scale.decades() },
            Legend::new(entries),
        )
    }
}

/// Where the level changes, with the levels on both sides; none where there are too many to read.
fn changes(one: &Shown) -> Vec<(f64, f64, f64)> {
    let phases = &one.found.phases;
    if phases.len() > MOST_CHANGES {
        return Vec::new();
    }
    phases.windows(2).map(|pair| (pair[0].to_s, pair[0].throughput, pair[1].throughput)).collect()
}

/// The middles of the rises that were no recovery; one that the samples' end cut off may have been.
fn rises(one: &Shown) -> Vec<(f64, f64)> {
    one.found
        .partial
        .iter()
        .filter(|rise| rise.kind != PartialKind::Unconfirmed)
        .take(MOST_CHANGES)
        .map(|rise| ((rise.phase.from_s + rise.phase.to_s) / 2.0, rise.phase.throughput))
        .collect()
}

/// The corners of a line through samples: each is a mean over its interval. Of more than fit, the
/// range of each stretch.
fn corners(samples: &[Sample]) -> Vec<(f64, f64)> {
    if samples.len() <= MOST_STRETCHES {
        let begins = std::iter::once(0.0).chain(samples.iter().map(|sample| sample.t_s));
        return samples
            .iter()
            .zip(begins)
            .flat_map(|(sample, begin)| {
                [(begin, sample.throughput), (sample.t_s, sample.throughput)]
            })
            .collect();
    }
    samples
        .chunks(samples.len().div_ceil(MOST_STRETCHES))
        .flat_map(|stretch| {
            let values = || stretch.iter().map(|sample| sample.throughput);
            let (low, high) =
                (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
            let middle = (stretch[0].t_s + stretch[stretch.len() - 1].t_s) / 2.0;
            [(middle, low), (middle, high)]
        })
        .collect()
}

impl Figure for Timeline<'_> {
    fn name(&self) -> String {
        "timeline".into()
    }

    fn caption(&self) -> String {
        let trials: Vec<String> = self.shown.iter().map(|one| self.label(one)).collect();
        let (reach, share) = self.reach().unwrap_or_default();
        format!(
            "Throughput over time, on a logarithmic axis, of single trials ({}): {}. A trial has recovered \
             when it keeps {} of its control, {} Mops/s.",
            self.cell(),
            trials.join("; "),
            percent(share),
            significant(reach, 3)
        )
    }

    fn size(&self) -> (f64, f64) {
        (640.0, 400.0)
    }

    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let plot = self.plot();
        plot.draw(canvas)?;
        let place = |(t_s, mops): (f64, f64)| {
            let y = if mops > 0.0 { plot.y_at(mops) } else { plot.floor() };
            (plot.x_at(t_s), y)
        };
        let start = self.shown.first().map_or(0.0, |one| one.found.start_s);
        if start > 0.02 * self.last_s {
            plot.draw_mark(canvas, start, "all threads at work")?;
        }
        if let Some((reach, share)) = self.reach() {
            let name = format!("{} of the control", percent(share));
            plot.draw_level(canvas, reach, &name)?;
        }
        // The control lies below the others.
        let mut order: Vec<usize> = (0..self.shown.len()).collect();
        order.sort_by_key(|at| self.shown[*at].role != Role::Control);
        for at in &order {
            let points: Vec<_> = corners(&self.shown[*at].samples).into_iter().map(place).collect();
            canvas.line(&points, self.look(*at).colour, 1.4)?;
        }
        for at in order {
            let (one, colour) = (self.shown[at], self.look(at).colour);
            for (t_s, before, after) in changes(one) {
                // Between the levels, where no line hides it.
                let middle = if before > 0.0 && after > 0.0 {
                    (before * after).sqrt()
                } else {
                    before.max(after)
                };
                canvas.marker(Marker::Diamond, place((t_s, middle)), 5.0, colour, false)?;
            }
            for rise in rises(one) {
                let (x, y) = place(rise);
                canvas.marker(Marker::TriangleDown, (x, y - 7.0), 6.5, colour, true)?;
            }
            if let Course::Recovered(found) = one.found.course {
                let phase = one.found.phases.iter().find(|phase| phase.to_s >= found.right_s);
                let mops = phase.map_or(0.0, |phase| phase.throughput);
                canvas.marker(Marker::Circle, place((found.right_s, mops)), 7.5, colour, true)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_what_stands_out_however_many_samples_there_are() {
        let samples = |n: usize| -> Vec<Sample> {
            let level = |i: usize| if i == n / 3 { 90.0 } else { 4.0 };
            (0..n).map(|i| Sample { t_s: (i + 1) as f64, throughput: level(i) }).collect()
        };
        for n in [1, 2, 600, 601, 100_000] {
            let corners = corners(&samples(n));
            assert!(corners.len() <= 2 * MOST_STRETCHES, "{n}: {}", corners.len());
            assert!(corners.iter().any(|(_, mops)| *mops == 90.0), "{n}");
        }
        assert_eq!(corners(&samples(2))[..2], [(0.0, 90.0), (1.0, 90.0)]);
        assert!(corners(&[]).is_empty());
    }
}
