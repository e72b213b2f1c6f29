//! The permutation test of whole clusters.

use rand::{Rng, RngExt};

use super::super::stream::draws;
use super::super::{Alternative, TestResult};
use super::{Cluster, strata};

/// Random divisions, where all of them are too many: a p-value of 0.05 then has a standard error of
/// 0.0015.
pub const PERMUTATIONS: usize = 19_999;

/// Up to so many divisions all are made: those of 8 and 8 clusters are 12,870.
const MOST_ENUMERATED: f64 = 20_000.0;

/// Statistics that differ by less are the same number summed in another order.
const TIE: f64 = 1e-9;

/// Do the sides differ, where whole clusters are what is independent? The p-value is the share of the
/// divisions of the clusters between the sides, each side keeping its number, that are at least as
/// extreme as the one seen.
///
/// A cluster's score is the mean of what its trials are above expectation, Σₛ (kₛ − nₛ pₛ) / Σₛ nₛ, with
/// pₛ the share of stratum s over both sides. The statistic is Welch's: the difference of the sides'
/// mean scores over its standard error, so that clusters of unequal sizes on the two sides do no harm.
/// Clusters are exchanged only with those that they share strata with: where each machine is a stratum of
/// its own, the test is the paired one. Such groups are combined with weights m₁ m₂ / (m₁ + m₂); a group
/// with one cluster on a side has its squared difference for a variance.
///
/// Assumes that the clusters are independent and, under the hypothesis, exchangeable; nothing of the
/// trials within one. Exact where all divisions are made; else with a random sample of
/// [`PERMUTATIONS`], the data counted among them, so that it never errs more often than it says. No
/// p-value where no group has clusters of both sides, or all clusters are alike.
///
/// Source: E. J. G. Pitman (1937); A. Janssen (1997), *Studentized permutation tests*; A. C. A. Hope
/// (1968) for the sampled p-value.
pub fn test(clusters: &[Cluster], alternative: Alternative, seed: u64) -> TestResult {
    divided(&groups(clusters), alternative, seed)
}

/// The same test of one score a cluster, base and test side.
pub(super) fn of_scores(
    base: &[f64],
    test: &[f64],
    alternative: Alternative,
    seed: u64,
) -> TestResult {
    let scores = [test, base].concat();
    let one = Group { scores, test: test.len() };
    let has_both = !base.is_empty() && !test.is_empty();
    divided(&if has_both { vec![one] } else { Vec::new() }, alternative, seed)
}

fn divided(groups: &[Group], alternative: Alternative, seed: u64) -> TestResult {
    let nothing =
        TestResult { method: "permutation-clusters", alternative, statistic: None, p_value: None };
    let scale = groups.iter().flat_map(|of| &of.scores).fold(0.0_f64, |most, x| most.max(x.abs()));
    if scale == 0.0 {
        return nothing;
    }
    let value = |sums: Sums| sums.statistic(scale);
    let seen = value(groups.iter().map(|of| of.sums(0..of.test)).sum());
    let is_as_extreme = |found: f64| {
        let (found, seen) = match alternative {
            Alternative::TwoSided => (found.abs(), seen.abs()),
            Alternative::Greater => (found, seen),
            Alternative::Less => (-found, -seen),
        };
        found >= seen - TIE * seen.abs().min(1e300)
    };
    let all: f64 = groups.iter().map(Group::divisions).product();
    let p_value = if all <= MOST_ENUMERATED {
        let each: Vec<Vec<Sums>> = groups.iter().map(Group::all).collect();
        let mut found = vec![Sums::default()];
        for group in &each {
            found = found.iter().flat_map(|a| group.iter().map(|b| *a + *b)).collect();
        }
        found.iter().filter(|sums| is_as_extreme(value(**sums))).count() as f64 / found.len() as f64
    } else {
        let extreme = draws(seed, PERMUTATIONS, Vec::new, |rng, places: &mut Vec<usize>| {
            is_as_extreme(value(groups.iter().map(|of| of.drawn(rng, places)).sum()))
        });
        let count = extreme.into_iter().filter(|extreme| *extreme).count();
        (count + 1) as f64 / (PERMUTATIONS + 1) as f64
    };
    TestResult { statistic: seen.is_finite().then_some(seen), p_value: Some(p_value), ..nothing }
}

/// Clusters that share strata, those of the test side first.
struct Group {
    scores: Vec<f64>,
    test: usize,
}

/// The groups that have clusters of both sides.
fn groups(clusters: &[Cluster]) -> Vec<Group> {
    let count = strata(clusters);
    let shares: Vec<f64> = (0..count)
        .map(|stratum| {
            let sum = clusters.iter().map(|of| of.at(stratum));
            let [k, n] = sum.fold([0.0, 0.0], |[k, n], [x, y]| [k + x, n + y]);
            if n > 0.0 { k / n } else { 0.0 }
        })
        .collect();
    // The group of a stratum is the lowest stratum that clusters link it to.
    let mut group_of: Vec<usize> = (0..count).collect();
    for cluster in clusters {
        let has: Vec<usize> = (0..count).filter(|at| cluster.at(*at)[1] > 0.0).collect();
        let Some(lowest) = has.iter().map(|at| group_of[*at]).min() else { continue };
        let linked: Vec<usize> = has.iter().map(|at| group_of[*at]).collect();
        for group in group_of.iter_mut().filter(|group| linked.contains(group)) {
            *group = lowest;
        }
    }
    let mut sides: Vec<[Vec<f64>; 2]> = vec![Default::default(); count];
    for cluster in clusters {
        let (mut above, mut trials, mut group) = (0.0, 0.0, None);
        for (stratum, share) in shares.iter().enumerate() {
            let [k, n] = cluster.at(stratum);
            if n > 0.0 {
                above += k - n * share;
                trials += n;
                group = Some(group_of[stratum]);
            }
        }
        if let Some(group) = group {
            sides[group][usize::from(cluster.is_test)].push(above / trials);
        }
    }
    let both = sides.into_iter().filter(|[base, test]| !base.is_empty() && !test.is_empty());
    both.map(|[base, mut scores]| {
        let test = scores.len();
        scores.extend(base);
        Group { scores, test }
    })
    .collect()
}

impl Group {
    /// How many ways there are to choose the test side.
    fn divisions(&self) -> f64 {
        let (m, k) = (self.scores.len(), self.test.min(self.scores.len() - self.test));
        (0..k).map(|i| (m - i) as f64 / (k - i) as f64).product()
    }

    /// What the clusters at these places add to the statistic as the test side.
    fn sums(&self, test: impl Iterator<Item = usize>) -> Sums {
        let (mut chosen, mut squares) = (0.0, 0.0);
        for at in test {
            chosen += self.scores[at];
            squares += self.scores[at] * self.scores[at];
        }
        let (m1, m2) = (self.test as f64, (self.scores.len() - self.test) as f64);
        let all: f64 = self.scores.iter().sum();
        let all_squares: f64 = self.scores.iter().map(|x| x * x).sum();
        let rest = all - chosen;
        let difference = chosen / m1 - rest / m2;
        let weight = m1 * m2 / (m1 + m2);
        let variance = if m1 < 2.0 || m2 < 2.0 {
            difference * difference
        } else {
            let spread = |sum: f64, squares: f64, m: f64| {
                (squares - sum * sum / m).max(0.0) / (m * (m - 1.0))
            };
            spread(chosen, squares, m1) + spread(rest, all_squares - squares, m2)
        };
        Sums { difference: weight * difference, variance: weight * weight * variance }
    }

    /// All divisions.
    fn all(&self) -> Vec<Sums> {
        let m = self.scores.len();
        let mut places: Vec<usize> = (0..self.test).collect();
        let mut found = Vec::new();
        loop {
            found.push(self.sums(places.iter().copied()));
            // The next combination in order: the last place that can move on does, and those behind it
            // follow it closely.
            let last = (0..self.test).rev().find(|at| places[*at] < m - self.test + at);
            let Some(at) = last else { return found };
            places[at] += 1;
            for next in at + 1..self.test {
                places[next] = places[next - 1] + 1;
            }
        }
    }

    /// A random division.
    fn drawn(&self, rng: &mut impl Rng, places: &mut Vec<usize>) -> Sums {
        places.clear();
        places.extend(0..self.scores.len());
        for at in 0..self.test {
            let other = rng.random_range(at..places.len());
            places.swap(at, other);
        }
        self.sums(places[..self.test].iter().copied())
    }
}

/// The statistic's numerator, and its denominator squared.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    difference: f64,
    variance: f64,
}

impl Sums {
    /// Rounding leaves some of a variance that is 0, in units of the scores' largest.
    fn statistic(self, scale: f64) -> f64 {
        let nothing = 1e-12 * scale;
        if self.difference.abs() <= nothing {
            0.0
        } else if self.variance <= nothing * nothing {
            self.difference.signum() * f64::INFINITY
        } else {
            self.difference / self.variance.sqrt()
        }
    }
}

impl std::ops::Add for Sums {
    type Output = Sums;

    fn add(self, other: Sums) -> Sums {
        Sums {
            difference: self.difference + other.difference,
            variance: self.variance + other.variance,
        }
    }
}

impl std::iter::Sum for Sums {
    fn sum<I: Iterator<Item = Sums>>(all: I) -> Sums {
        all.fold(Sums::default(), |a, b| a + b)
    }
}
