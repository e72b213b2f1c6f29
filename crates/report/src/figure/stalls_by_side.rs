//! Stall probability of the two sides of a comparison, a row a stratum, with Wilson intervals.

use analysis::compare::{Comparison, Which};
use stats::proportion::{Proportion, wilson};
use stats::words::{counted, percent};

use super::Figure;
use crate::draw::{
    Axis, Backend, Canvas, DrawError, Entry, Legend, Look, Plot, Scale, Tick, Weight, look,
    wrapped_at_most,
};
use crate::say::word::{HAS, IS, PROBABILITY, TRIALS};

/// The most strata that a figure has room for.
const MOST_STRATA: usize = 24;

/// The height of a stratum, whose name has up to two lines; and of each further line, in points.
const ROW: f64 = 34.0;
const LINE: f64 = 12.0;

/// The size of a stratum's name, how wide it may be and how many lines it may take.
const NAME: f64 = 10.0;
const MOST_NAME: f64 = 270.0;
const MOST_LINES: usize = 4;

/// How far the two sides of a stratum stand from its middle, in rows.
const APART: f64 = 0.17;

/// One side of a stratum.
struct Seen {
    k: u64,
    n: u64,
    low: f64,
    high: f64,
}

/// The figure.
pub struct StallsBySide<'a> {
    comparison: &'a Comparison,
    rows: Vec<(String, [Seen; 2])>,
    left_out: usize,
}

impl<'a> StallsBySide<'a> {
    /// The figure of what was compared.
    pub fn of(comparison: &'a Comparison) -> Option<Self> {
        let side = |k: u64, n: u64| -> Option<Seen> {
            let interval = wilson(Proportion::new(k, n).ok()?, comparison.level);
            Some(Seen { k, n, low: interval.low?, high: interval.high? })
        };
        let all: Vec<(String, [Seen; 2])> = comparison
            .compared()
            .filter_map(|stratum| {
                let [base, test] = Which::BOTH.map(|which| {
                    let tally = stratum.side(which);
                    side(tally.stalled, tally.observed)
                });
                Some((stratum.name.clone(), [base?, test?]))
            })
            .collect();
        let left_out = all.len().saturating_sub(MOST_STRATA);
        let mut shown = telling(&all).into_iter();
        let rows: Vec<(String, [Seen; 2])> =
            all.into_iter().filter(|_| shown.next() == Some(true)).collect();
        (!rows.is_empty()).then_some(StallsBySide { comparison, rows, left_out })
    }

    fn look(side: usize) -> Look {
        look(side, false)
    }

    fn y_axis(&self) -> Axis {
        let rows = self.rows.len();
        let ticks = self.rows.iter().enumerate();
        Axis {
            title: "stratum".into(),
            // The first row is the highest.
            scale: Scale::Linear { low: -0.6, high: rows as f64 - 0.4 },
            ticks: ticks
                .map(|(at, (name, _))| Tick {
                    value: (rows - 1 - at) as f64,
                    label: lines(name).join("\n"),
                })
                .collect(),
        }
    }

    fn plot(&self) -> Plot {
        let scale = Scale::Linear { low: -0.03, high: 1.03 };
        let ticks = scale
            .steps(6)
            .into_iter()
            .map(|tick| Tick { label: percent(tick.value), ..tick })
            .collect();
        let x = Axis { title: TRIALS.to_string(), scale, ticks };
        let sides = [&self.comparison.base, &self.comparison.test];
        let entries = sides.iter().enumerate().map(|(side, of)| Entry {
            label: of.name.clone(),
            colour: Self::look(side).colour,
            marker: Some(Self::look(side).marker),
            filled: side == 1,
            line: true,
        });
        let mut subtitle = format!(
            "Bars are Wilson intervals at {}. A trial {IS} when {}.",
            percent(self.comparison.level.get()),
            crate::say::rule::in_words(
                &self.comparison.test.stall,
                self.comparison.test.control.as_ref()
            )
        );
        if self.left_out > 0 {
            subtitle += &format!(
                " Shown are the {} strata in which the test side {HAS} most or the sides differ most; {} \
                 in the table only.",
                self.rows.len(),
                counted(self.left_out as u64, "more is", "more are")
            );
        }
        Plot::new(
            self.size(),
            &format!("{PROBABILITY} by side"),
            &subtitle,
            x,
            self.y_axis(),
            Legend::new(entries.collect()),
        )
    }
}

/// Which strata are drawn where not all can be, in their order: half of the room is of those in which the
/// test side stalls most, so that what keeps a verdict from `fixed` is seen; the rest of those in which
/// the sides differ most.
fn telling(all: &[(String, [Seen; 2])]) -> Vec<bool> {
    let share = |seen: &Seen| seen.k as f64 / seen.n.max(1) as f64;
    let left = |at: &usize| all.get(*at).map_or(0.0, |(_, [_, test])| share(test));
    let apart = |at: &usize| {
        all.get(*at).map_or(0.0, |(_, [base, test])| (share(base) - share(test)).abs())
    };
    let mut places: Vec<usize> = (0..all.len()).collect();
    let mut shown = vec![false; all.len()];
    let mut free = MOST_STRATA;
    let mut take = |places: &[usize], most: usize| {
        for at in places.iter().take(most) {
            if let Some(shown) = shown.get_mut(*at).filter(|shown| !**shown && free > 0) {
                *shown = true;
                free -= 1;
            }
        }
    };
    places.sort_by(|a, b| left(b).total_cmp(&left(a)));
    let stall = places.iter().take_while(|at| left(at) > 0.0).count();
    take(&places, stall.min(MOST_STRATA / 2));
    places.sort_by(|a, b| apart(b).total_cmp(&apart(a)).then(left(b).total_cmp(&left(a))));
    take(&places, all.len());
    shown
}

fn lines(name: &str) -> Vec<String> {
    wrapped_at_most(MOST_LINES, name, NAME, Weight::Regular, MOST_NAME)
}

impl Figure for StallsBySide<'_> {
    fn name(&self) -> String {
        "stalls-by-side".into()
    }

    fn caption(&self) -> String {
        let rows: Vec<String> = self
            .rows
            .iter()
            .map(|(name, [base, test])| {
                format!("{name}: {} of {} and {} of {}", base.k, base.n, test.k, test.n)
            })
            .collect();
        format!(
            "Share of {TRIALS} of {} and {} in each stratum, with {} Wilson intervals. {}.",
            self.comparison.base.name,
            self.comparison.test.name,
            percent(self.comparison.level.get()),
            rows.join("; ")
        )
    }

    fn size(&self) -> (f64, f64) {
        let lines = self.rows.iter().map(|(name, _)| lines(name).len()).max().unwrap_or(1);
        let row = ROW + LINE * lines.saturating_sub(2) as f64;
        (640.0, 180.0 + row * self.rows.len() as f64)
    }

    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let plot = self.plot();
        plot.draw(canvas)?;
        for (at, (_, sides)) in self.rows.iter().enumerate() {
            let middle = (self.rows.len() - 1 - at) as f64;
            for (side, seen) in sides.iter().enumerate() {
                let look = Self::look(side);
                let row = middle + if side == 0 { APART } else { -APART };
                let (low, high) = (plot.point(seen.low, row), plot.point(seen.high, row));
                canvas.line(&[low, high], look.colour, 1.2)?;
                for (x, y) in [low, high] {
                    canvas.line(&[(x, y - 2.5), (x, y + 2.5)], look.colour, 1.2)?;
                }
                let share = seen.k as f64 / seen.n.max(1) as f64;
                canvas.marker(look.marker, plot.point(share, row), 7.0, look.colour, side == 1)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strata(counts: &[[u64; 2]]) -> Vec<(String, [Seen; 2])> {
        let seen = |k: u64| Seen { k, n: 20, low: 0.0, high: 1.0 };
        counts.iter().map(|[base, test]| (String::new(), [seen(*base), seen(*test)])).collect()
    }

    #[test]
    fn of_many_strata_those_that_still_stall_and_those_that_changed_are_drawn() {
        // The first 40 never stall; then one that was mended, and one that stalls as before.
        let mut counts = vec![[0, 0]; 40];
        counts.extend([[20, 0], [20, 20]]);
        let shown = telling(&strata(&counts));
        assert_eq!(shown.iter().filter(|shown| **shown).count(), MOST_STRATA);
        assert_eq!(shown[40..], [true, true]);
        // 40 mended ones do not crowd out the one that was not.
        let mut counts = vec![[20, 0]; 40];
        counts.push([20, 19]);
        assert!(telling(&strata(&counts))[40]);
        // Where there is room, all are.
        assert!(telling(&strata(&[[0, 0]; 24])).iter().all(|shown| *shown));
    }
}
