//! How long a due growth stays pending on the two sides of a comparison, in one stratum.

use analysis::compare::Comparison;
use analysis::compare::recovery::StratumRecovery;
use stats::survival::summary::CurvePoint;
use stats::words::{counted, p_is, percent};

use super::stall_probability::share_axis;
use super::time_axis::time_axis;
use super::{Figure, survival_curve};
use crate::draw::{Axis, Backend, Canvas, DrawError, Entry, Legend, Look, Plot, look};

/// The most strata that have a figure of their own: where recovery changed, the surest first.
const MOST_STRATA: usize = 4;

/// The figure.
pub struct RecoveryBySide<'a> {
    comparison: &'a Comparison,
    stratum: &'a StratumRecovery,
    /// Its number, where there are several.
    number: Option<usize>,
    left_out: usize,
}

impl<'a> RecoveryBySide<'a> {
    /// One for each stratum in which both sides have times.
    pub fn of(comparison: &'a Comparison) -> Vec<Self> {
        let all = &comparison.recovery.strata;
        let ends = |stratum: &StratumRecovery| {
            let ends = stratum.summary.groups.iter().filter_map(|group| group.curve.last());
            ends.map(|point| point.time).fold(0.0, f64::max)
        };
        let mut drawn: Vec<(usize, &StratumRecovery)> =
            all.iter().enumerate().filter(|(_, stratum)| ends(stratum) > 0.0).collect();
        let known = drawn.len();
        let p = |stratum: &StratumRecovery| {
            stratum.summary.tests.first().and_then(|test| test.result.p_value).unwrap_or(1.0)
        };
        // Of equals, those with the most threads; then the order of tables again.
        drawn.sort_by(|(i, a), (j, b)| p(a).total_cmp(&p(b)).then(j.cmp(i)));
        drawn.truncate(MOST_STRATA);
        drawn.sort_by_key(|(at, _)| *at);
        let left_out = known - drawn.len();
        let several = all.len() > 1;
        let figure = |(at, stratum)| RecoveryBySide {
            comparison,
            stratum,
            number: several.then_some(at + 1),
            left_out,
        };
        drawn.into_iter().map(figure).collect()
    }

    fn look(side: usize) -> Look {
        look(side, false)
    }

    fn x_axis(&self) -> Axis {
        let curves: Vec<&[CurvePoint]> =
            self.stratum.summary.groups.iter().map(|group| group.curve.as_slice()).collect();
        time_axis("seconds since growth became due", &curves)
    }

    fn name_of(&self, side: usize) -> &str {
        if side == 0 { &self.comparison.base.name } else { &self.comparison.test.name }
    }

    fn plot(&self) -> Plot {
        let groups = self.stratum.summary.groups.iter().enumerate();
        let entries = groups.map(|(side, group)| Entry {
            label: format!("{} ({} of {} installed)", self.name_of(side), group.events, group.n),
            colour: Self::look(side).colour,
            marker: None,
            filled: false,
            line: true,
        });
        let p = self.stratum.summary.tests.first().and_then(|test| test.result.p_value);
        let mut subtitle = format!(
            "Kaplan-Meier, with log-log intervals at {}; a cross is a trial whose load ended first. \
             Below: trials still at risk.{}",
            percent(self.comparison.level.get()),
            p.map_or_else(String::new, |p| format!(" Log-rank {}.", p_is(p)))
        );
        if self.left_out > 0 {
            let more = counted(self.left_out as u64, "stratum is", "strata are");
            subtitle += &format!(" {more} not drawn: recovery differs there less surely.");
        }
        Plot::new(
            self.size(),
            &format!("How long a due growth stays pending, {}", self.stratum.name),
            &subtitle,
            self.x_axis(),
            share_axis("still pending"),
            Legend::new(entries.collect()),
        )
        .with_lines_below(self.stratum.summary.groups.len())
    }
}

impl Figure for RecoveryBySide<'_> {
    fn name(&self) -> String {
        match self.number {
            None => "recovery-by-side".into(),
            Some(number) => format!("recovery-by-side-{number}"),
        }
    }

    fn caption(&self) -> String {
        format!(
            "Share of trials in which a due growth is still pending, over the time since it became \
             due, for {} and {} at {}.",
            self.name_of(0),
            self.name_of(1),
            self.stratum.name
        )
    }

    fn size(&self) -> (f64, f64) {
        (640.0, 426.0)
    }

    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let plot = self.plot();
        plot.draw(canvas)?;
        let groups = &self.stratum.summary.groups;
        for (side, group) in groups.iter().enumerate() {
            survival_curve::band(canvas, &plot, &group.curve, Self::look(side))?;
        }
        for (side, group) in groups.iter().enumerate() {
            let look = Self::look(side);
            survival_curve::steps(canvas, &plot, &group.curve, look)?;
            let numbers: Vec<(f64, String)> = self
                .x_axis()
                .ticks
                .iter()
                .filter(|tick| !tick.label.is_empty())
                .map(|tick| {
                    (tick.value, survival_curve::at_risk(&group.curve, tick.value).to_string())
                })
                .collect();
            plot.draw_line_below(canvas, side, look.colour, &numbers)?;
        }
        Ok(())
    }
}
