//! Turnbull's estimate: the survival curve of interval-censored times, without assuming a law.

use serde::Serialize;

use super::Lifetime;
use crate::StatError;

/// How far from the maximum the fit may stop, as (largest gradient / trials) − 1. By concavity the
/// log-likelihood is then within trials × this of its maximum.
const TOLERANCE: f64 = 1e-10;

const MAX_ITERATIONS: usize = 20_000;

/// Where the estimate puts mass. Within an interval the data do not say where: the curve falls
/// somewhere between its edges.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mass {
    /// The open left edge; the time itself where `right` is equal.
    pub left: f64,
    /// The closed right edge; `None` for mass beyond the last time followed.
    pub right: Option<f64>,
    /// The probability that the event lies here.
    pub mass: f64,
    /// S just after the right edge; `None` beyond the last time followed.
    pub survival: Option<f64>,
}

/// A Turnbull estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Turnbull {
    masses: Vec<Mass>,
    log_likelihood: f64,
    gap: f64,
    iterations: usize,
}

impl Turnbull {
    /// Estimates the curve from exact, right-, left- and interval-censored times, the intervals
    /// being (left, right].
    ///
    /// Mass can lie only on the innermost intervals: from a left edge to the next edge, if that is
    /// a right one (Peto 1973, Appl. Stat. 22:86; Turnbull 1976, J. R. Stat. Soc. B 38:290). The
    /// masses maximise the likelihood by EM steps (self-consistency) alternating with the iterative
    /// convex minorant (Wellner and Zhan 1997, J. Am. Stat. Assoc. 92:945), until the
    /// Karush-Kuhn-Tucker conditions hold: the gradient is at most n everywhere (to 1e-10
    /// relative), so this is the maximum and not merely a point where steps got small. Each trial's
    /// probability is unique at the maximum; the masses can have ties in degenerate data.
    ///
    /// There is no interval: the estimate converges at the rate n^(1/3) at worst, where neither a
    /// Greenwood variance nor the bootstrap holds. Assumes that the looks say nothing about the
    /// event.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] without a trial; [`StatError::NoConvergence`].
    ///
    /// ```
    /// use stallscope_stats::survival::{Lifetime, Turnbull};
    /// let looks = [(0.0, Some(7.0)), (6.0, Some(10.0)), (7.0, None)];
    /// let trials: Vec<Lifetime> =
    ///     looks.iter().map(|&(l, r)| Lifetime::between(l, r)).collect::<Result<_, _>>()?;
    /// let curve = Turnbull::fit(&trials)?;
    /// assert_eq!(curve.masses().len(), 2);
    /// # Ok::<(), stallscope_stats::StatError>(())
    /// ```
    pub fn fit(trials: &[Lifetime]) -> Result<Self, StatError> {
        if trials.is_empty() {
            return Err(StatError::too_few("a Turnbull estimate", "at least one trial", "none"));
        }
        let problem = Problem::new(trials);
        let m = problem.classes.len();
        let n = trials.len() as f64;
        let mut masses = vec![1.0 / m as f64; m];
        let mut iterations = 0;
        let mut gap = problem.gap(&masses, n);
        while gap > TOLERANCE {
            if iterations == MAX_ITERATIONS {
                return Err(StatError::NoConvergence {
                    what: "a Turnbull estimate".into(),
                    iterations,
                    hint: format!(
                        "the log-likelihood is within {:.1e} of its maximum; fewer distinct edges \
                         (coarser looks) settle sooner",
                        gap * n
                    ),
                });
            }
            problem.convex_minorant_step(&mut masses);
            problem.newton_step(&mut masses);
            problem.em_step(&mut masses, n);
            gap = problem.gap(&masses, n);
            iterations += 1;
        }
        let log_likelihood = problem.log_likelihood(&masses);
        let mut passed = 0.0;
        let masses = problem
            .classes
            .iter()
            .zip(&masses)
            .filter(|(_, mass)| **mass > 0.0)
            .map(|(class, &mass)| {
                passed += mass;
                let right = class.right.is_finite().then_some(class.right);
                let survival = right.map(|_| (1.0 - passed).max(0.0));
                Mass { left: class.left, right, mass, survival }
            })
            .collect();
        Ok(Turnbull { masses, log_likelihood, gap, iterations })
    }

    /// The intervals with mass, ascending.
    pub fn masses(&self) -> &[Mass] {
        &self.masses
    }

    /// The maximum of Σ log P(trial's interval).
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The bound on how far the log-likelihood is from its maximum, a trial.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// How many rounds the fit took.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The quantile: `None` where the curve stays above 1 − p within the time followed.
    ///
    /// Where the curve is at 1 − p exactly over a stretch, every time of it is a quantile: the interval
    /// is from where it may first be reached to where the curve may last leave it, and the one shown
    /// is the middle, as Kaplan and Meier's median has it.
    pub fn quantile(&self, p: f64) -> Option<Quantile> {
        let target = 1.0 - p;
        let fallen = |mass: &Mass| mass.survival.is_some_and(|s| s <= target + FLAT);
        let at = self.masses.iter().position(fallen)?;
        let mass = self.masses[at];
        let reached = mass.right?;
        let exactly =
            Quantile { left: mass.left, right: Some(reached), shown: reached, flat_from: None };
        if mass.survival? < target - FLAT {
            return Some(exactly);
        }
        let lower = |mass: &&Mass| mass.survival.is_none_or(|s| s < target - FLAT);
        let leaves = self.masses[at..].iter().find(lower).and_then(|next| next.right);
        Some(Quantile {
            right: leaves,
            shown: leaves.map_or(reached, |end| reached + (end - reached) / 2.0),
            flat_from: Some(reached),
            ..exactly
        })
    }
}

/// How near to 1 − p a value of S counts as equal to it: above what is left of the fit's
/// [`TOLERANCE`], far below the step of a curve of a million trials.
const FLAT: f64 = 1e-9;

/// Where a quantile lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantile {
    /// The open left edge; the time itself where `right` is equal.
    pub left: f64,
    /// The closed right edge; `None` where the curve is at 1 − p to the end of the time followed.
    pub right: Option<f64>,
    /// The one that is shown: the right edge, by which the curve is at 1 − p or below; of a stretch
    /// at 1 − p, the middle by the right edges, or its start where the curve never leaves it.
    pub shown: f64,
    /// From when the curve is at 1 − p exactly, if it is over a stretch.
    pub flat_from: Option<f64>,
}

/// An edge of an interval, ordered so that a closed left edge comes before a right edge of the
/// same time, and that before an open left edge.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Edge {
    time: f64,
    kind: EdgeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EdgeKind {
    ClosedLeft,
    Right,
    OpenLeft,
}

impl Edge {
    fn cmp(&self, other: &Edge) -> std::cmp::Ordering {
        self.time.total_cmp(&other.time).then(self.kind.cmp(&other.kind))
    }
}

fn edges(trial: Lifetime) -> (Edge, Edge) {
    let (left, right, kind) = match trial {
        Lifetime::Exact(time) => (time, time, EdgeKind::ClosedLeft),
        Lifetime::RightCensored(time) => (time, f64::INFINITY, EdgeKind::OpenLeft),
        // Left-censored at a first look: an event at 0 itself is in.
        Lifetime::Between { left: 0.0, right } => (0.0, right, EdgeKind::ClosedLeft),
        Lifetime::Between { left, right } => (left, right, EdgeKind::OpenLeft),
    };
    (Edge { time: left, kind }, Edge { time: right, kind: EdgeKind::Right })
}

/// An innermost interval.
#[derive(Debug, Clone, Copy)]
struct Class {
    left: f64,
    right: f64,
}

/// Trials that cover the same innermost intervals, `first` to `end` exclusive.
#[derive(Debug, Clone, Copy)]
struct Pattern {
    first: usize,
    end: usize,
    count: f64,
}

struct Problem {
    classes: Vec<Class>,
    patterns: Vec<Pattern>,
}

impl Problem {
    fn new(trials: &[Lifetime]) -> Self {
        let mut all: Vec<Edge> = trials
            .iter()
            .flat_map(|&trial| {
                let (left, right) = edges(trial);
                [left, right]
            })
            .collect();
        all.sort_unstable_by(Edge::cmp);
        all.dedup();
        let innermost: Vec<(Edge, Edge)> = all
            .windows(2)
            .filter(|pair| pair[0].kind != EdgeKind::Right && pair[1].kind == EdgeKind::Right)
            .map(|pair| (pair[0], pair[1]))
            .collect();
        let mut ranges: Vec<(usize, usize)> = trials
            .iter()
            .map(|&trial| {
                let (left, right) = edges(trial);
                let first = innermost.partition_point(|class| class.0.cmp(&left).is_lt());
                let end = innermost.partition_point(|class| class.1.cmp(&right).is_le());
                (first, end)
            })
            .collect();
        ranges.sort_unstable();
        let patterns = ranges
            .chunk_by(|a, b| a == b)
            .map(|same| Pattern { first: same[0].0, end: same[0].1, count: same.len() as f64 })
            .collect();
        let classes =
            innermost.iter().map(|(l, r)| Class { left: l.time, right: r.time }).collect();
        Problem { classes, patterns }
    }

    /// The distribution function: F[j] is the mass before class j.
    fn cumulative(masses: &[f64]) -> Vec<f64> {
        let mut sum = 0.0;
        std::iter::once(0.0)
            .chain(masses.iter().map(|mass| {
                sum += mass;
                sum
            }))
            .collect()
    }

    fn log_likelihood(&self, masses: &[f64]) -> f64 {
        let f = Self::cumulative(masses);
        self.patterns.iter().map(|p| p.count * (f[p.end] - f[p.first]).ln()).sum()
    }

    /// ∂ log-likelihood / ∂ mass of each class.
    fn gradient(&self, masses: &[f64]) -> Vec<f64> {
        let f = Self::cumulative(masses);
        let mut change = vec![0.0; masses.len() + 1];
        for p in &self.patterns {
            let share = p.count / (f[p.end] - f[p.first]);
            change[p.first] += share;
            change[p.end] -= share;
        }
        let mut sum = 0.0;
        change[..masses.len()]
            .iter()
            .map(|c| {
                sum += c;
                sum
            })
            .collect()
    }

    /// The largest gradient over n, less 1: 0 at the maximum, and nowhere less than 0.
    fn gap(&self, masses: &[f64], n: f64) -> f64 {
        self.gradient(masses).iter().fold(0.0, |most: f64, g| most.max(g / n - 1.0))
    }

    /// One step of self-consistency: each mass becomes the mean share of it in the trials.
    fn em_step(&self, masses: &mut [f64], n: f64) {
        let gradient = self.gradient(masses);
        for (mass, g) in masses.iter_mut().zip(gradient) {
            *mass *= g / n;
        }
        normalise(masses);
    }

    /// Moves towards `target` as far as the likelihood does not fall; both sum to 1.
    fn ascend(&self, masses: &mut [f64], target: &[f64]) {
        let before = self.log_likelihood(masses);
        let mut share = 1.0;
        for _ in 0..40 {
            let moved: Vec<f64> =
                masses.iter().zip(target).map(|(m, t)| m + share * (t - m)).collect();
            if self.log_likelihood(&moved) >= before {
                masses.copy_from_slice(&moved);
                return;
            }
            share /= 2.0;
        }
    }

    /// One step of the iterative convex minorant: a Newton step with the diagonal of the Hessian
    /// in F, projected onto ascending F by pooling adjacent violators.
    fn convex_minorant_step(&self, masses: &mut [f64]) {
        let m = masses.len();
        let f = Self::cumulative(masses);
        let mut slope = vec![0.0; m + 1];
        let mut weight = vec![0.0; m + 1];
        for p in &self.patterns {
            let probability = f[p.end] - f[p.first];
            let first = p.count / probability;
            let second = first / probability;
            slope[p.end] += first;
            slope[p.first] -= first;
            weight[p.end] += second;
            weight[p.first] += second;
        }
        // F[0] = 0 and F[m] = 1 are fixed. Blocks of (value, weight, length).
        let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(m);
        for j in 1..m {
            let w = weight[j].max(1e-12);
            let mut block = (f[j] + slope[j] / w, w, 1);
            while let Some(&(value, w, length)) = blocks.last() {
                if value < block.0 {
                    break;
                }
                blocks.pop();
                let total = w + block.1;
                block = ((value * w + block.0 * block.1) / total, total, length + block.2);
            }
            blocks.push(block);
        }
        let mut target = Vec::with_capacity(m);
        let mut before = 0.0;
        for (value, _, length) in blocks {
            let value: f64 = value.clamp(0.0, 1.0);
            target.push(value - before);
            target.extend(std::iter::repeat_n(0.0, length - 1));
            before = value;
        }
        target.push(1.0 - before);
        self.ascend(masses, &target);
    }

    /// One Newton step on the classes that hold mass, where EM and the minorant are slow: the
    /// quadratic model's maximum on the simplex, active classes only. Classes that it would empty
    /// are cut to 0; those that should hold mass come back by the minorant's step.
    fn newton_step(&self, masses: &mut [f64]) {
        let active: Vec<usize> = (0..masses.len()).filter(|&j| masses[j] > 1e-14).collect();
        let k = active.len();
        if !(2..=NEWTON_CLASSES).contains(&k) {
            return;
        }
        let f = Self::cumulative(masses);
        // In the cumulative masses of the active classes but the last, the Hessian is as sparse as
        // the patterns are: each touches the two ends of its range.
        let mut position = vec![0; masses.len() + 1];
        for (at, &j) in active.iter().enumerate() {
            position[j + 1] = at + 1;
        }
        for j in 1..position.len() {
            position[j] = position[j].max(position[j - 1]);
        }
        let size = k - 1;
        let mut hessian = vec![vec![0.0; size]; size];
        let mut slope = vec![0.0; size];
        for p in &self.patterns {
            let probability = f[p.end] - f[p.first];
            let first = p.count / probability;
            let second = first / probability;
            // Variable i is F after i + 1 active classes.
            let inner = |edge: usize| (1..k).contains(&position[edge]).then(|| position[edge] - 1);
            let (low, high) = (inner(p.first), inner(p.end));
            if let Some(i) = low {
                slope[i] -= first;
                hessian[i][i] += second;
            }
            if let Some(i) = high {
                slope[i] += first;
                hessian[i][i] += second;
            }
            if let (Some(i), Some(j)) = (low, high) {
                hessian[i][j] -= second;
                hessian[j][i] -= second;
            }
        }
        let Some(step) = solve_positive(hessian, slope) else { return };
        let mut target = vec![0.0; masses.len()];
        let mut before = 0.0;
        for (at, &j) in active.iter().enumerate() {
            let change = step.get(at).copied().unwrap_or(0.0);
            target[j] = masses[j] + change - before;
            before = change;
        }
        // As far as no mass turns negative; what reaches 0 leaves.
        let mut share: f64 = 1.0;
        for &j in &active {
            if target[j] < 0.0 {
                share = share.min(masses[j] / (masses[j] - target[j]));
            }
        }
        for &j in &active {
            let moved = masses[j] + share * (target[j] - masses[j]);
            target[j] = if moved < 1e-14 { 0.0 } else { moved };
        }
        normalise(&mut target);
        self.ascend(masses, &target);
    }
}

/// Above this many classes a dense Newton step costs more than it saves.
const NEWTON_CLASSES: usize = 400;

fn normalise(masses: &mut [f64]) {
    let sum: f64 = masses.iter().sum();
    if sum > 0.0 {
        masses.iter_mut().for_each(|mass| *mass /= sum);
    }
}

/// x of Ax = b by Cholesky; `None` where A is not positive definite.
fn solve_positive(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for j in 0..n {
        let own = a[j][j];
        let pivot = own - (0..j).map(|l| a[j][l] * a[j][l]).sum::<f64>();
        if pivot.is_nan() || pivot <= 1e-13 * own {
            return None;
        }
        let root = pivot.sqrt();
        a[j][j] = root;
        let (above, below) = a.split_at_mut(j + 1);
        let row = &above[j];
        for other in below {
            let dot: f64 = other[..j].iter().zip(&row[..j]).map(|(x, y)| x * y).sum();
            other[j] = (other[j] - dot) / root;
        }
        b[j] = (b[j] - (0..j).map(|l| a[j][l] * b[l]).sum::<f64>()) / root;
    }
    for j in (0..n).rev() {
        b[j] = (b[j] - (j + 1..n).map(|l| a[l][j] * b[l]).sum::<f64>()) / a[j][j];
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survival::{FollowUp, KaplanMeier};

    fn between(looks: &[(f64, Option<f64>)]) -> Vec<Lifetime> {
        looks.iter().map(|&(left, right)| Lifetime::between(left, right).unwrap()).collect()
    }

    #[test]
    fn exact_and_right_censored_times_give_kaplan_meier() {
        let times =
            [(1.0, true), (2.0, false), (2.0, true), (3.5, true), (4.0, false), (9.0, true)];
        let trials = times.map(|(time, event)| FollowUp::new(time, event).unwrap());
        let km = KaplanMeier::fit(&trials).unwrap();
        let turnbull = Turnbull::fit(&trials.map(Lifetime::from)).unwrap();
        for mass in turnbull.masses() {
            let right = mass.right.unwrap();
            assert_eq!(mass.left, right);
            assert!((mass.survival.unwrap() - km.survival_at(right)).abs() < 1e-9, "{mass:?}");
        }
    }

    #[test]
    fn mass_lies_on_innermost_intervals() {
        let curve = Turnbull::fit(&between(&[
            (0.0, Some(7.0)),
            (0.0, Some(8.0)),
            (6.0, Some(10.0)),
            (7.0, Some(16.0)),
            (7.0, Some(14.0)),
            (17.0, None),
        ]))
        .unwrap();
        let edges: Vec<_> = curve.masses().iter().map(|mass| (mass.left, mass.right)).collect();
        assert_eq!(
            edges,
            [(6.0, Some(7.0)), (7.0, Some(8.0)), (17.0, None)]
                .into_iter()
                .filter(|edge| edges.contains(edge))
                .collect::<Vec<_>>()
        );
        let total: f64 = curve.masses().iter().map(|mass| mass.mass).sum();
        assert!((total - 1.0).abs() < 1e-12);
        assert!(curve.gap() <= TOLERANCE);
    }

    #[test]
    fn touching_looks_do_not_overlap() {
        // (1, 2] and (2, 3] share no time.
        let curve = Turnbull::fit(&between(&[(1.0, Some(2.0)), (2.0, Some(3.0))])).unwrap();
        assert_eq!(curve.masses().len(), 2);
        assert_eq!(curve.masses()[0].mass, 0.5);
        // S is at 1/2 from its first fall to its second.
        let median = curve.quantile(0.5).unwrap();
        assert_eq!((median.left, median.right, median.shown), (1.0, Some(3.0), 2.5));
        // An event at 2 exactly is in (1, 2] and not in (2, 3].
        let curve = Turnbull::fit(&between(&[(1.0, Some(2.0)), (2.0, Some(2.0))])).unwrap();
        assert_eq!(curve.masses().len(), 1);
        assert_eq!((curve.masses()[0].left, curve.masses()[0].right), (2.0, Some(2.0)));
    }

    #[test]
    fn all_right_censored_has_its_mass_beyond() {
        let curve = Turnbull::fit(&between(&[(1.0, None), (5.0, None)])).unwrap();
        assert_eq!(curve.masses().len(), 1);
        assert_eq!((curve.masses()[0].left, curve.masses()[0].right), (5.0, None));
        assert_eq!(curve.quantile(0.5), None);
        assert!(Turnbull::fit(&[]).is_err());
    }

    #[test]
    fn a_stretch_at_one_half_is_in_the_median() {
        let of = |looks: &[(f64, Option<f64>)]| {
            let quantile = Turnbull::fit(&between(looks)).unwrap().quantile(0.5).unwrap();
            (quantile.left, quantile.right, quantile.shown, quantile.flat_from)
        };
        assert_eq!(of(&[(1.0, Some(2.0)), (5.0, Some(6.0))]), (1.0, Some(6.0), 4.0, Some(2.0)));
        // As Kaplan and Meier's, of exact times.
        let exact = of(&[(0.0, Some(0.0)), (14.0, Some(14.0))]);
        assert_eq!(exact, (0.0, Some(14.0), 7.0, Some(0.0)));
        // Half of them never fall: any later time will do.
        let open = of(&[(0.0, Some(1.0)), (1.0, None)]);
        assert_eq!(open, (0.0, None, 1.0, Some(1.0)));
        // Below 1/2 at once: no stretch.
        let three = of(&[(0.0, Some(1.0)), (2.0, Some(3.0)), (4.0, Some(5.0))]);
        assert_eq!(three, (2.0, Some(3.0), 3.0, None));
        // Also where the fit has to find the half: the masses of overlapping looks.
        let overlapping = [(0.0, Some(2.0)), (1.0, Some(3.0)), (4.0, Some(6.0)), (5.0, Some(7.0))];
        assert_eq!(of(&overlapping), (1.0, Some(6.0), 4.0, Some(2.0)));
    }

    #[test]
    fn one_trial_has_all_the_mass() {
        let curve = Turnbull::fit(&between(&[(3.0, Some(4.0))])).unwrap();
        assert_eq!(curve.masses()[0].mass, 1.0);
        assert_eq!(curve.masses()[0].survival, Some(0.0));
        let median = curve.quantile(0.5).unwrap();
        assert_eq!((median.left, median.right, median.shown), (3.0, Some(4.0), 4.0));
        assert_eq!(median.flat_from, None);
    }
}
