//! Hartigans' dip: how far is a sample from having one mode?
//!
//! The dip is the least largest distance between the empirical distribution function and any
//! unimodal one, between 1/(2n) and 1/4. Large means two modes or more. The p-value is the share of
//! uniform samples of the same size with a dip at least as large: of all unimodal laws the uniform
//! one has the largest dips for large n, so that the test is conservative for others. It has
//! little power against a second mode that holds a few trials only.
//!
//! The dip depends on the scale (two modes of a logarithm need not be two of the value). Ties count
//! as the atoms that they are.
//!
//! Sources: J. A. Hartigan and P. M. Hartigan, *The dip test of unimodality*, Ann. Statist. 13 (1985).
//! The smallest dip is 1/(2n), as there and by default in R's diptest.

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::super::{StatError, stream};
use super::bootstrap::Resampling;
use super::sorted;

/// Above this size the p-value is that of √n · dip at this size, whose law has settled by then.
const LARGEST_SIMULATED: usize = 2_000;

/// The dip with its p-value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Dip {
    /// The distance to the nearest unimodal distribution function.
    pub statistic: f64,
    /// The share of uniform samples with a dip at least as large, (count + 1)/(samples + 1).
    pub p_value: f64,
}

/// The dip of `values` against `resampling.resamples` uniform samples.
///
/// # Errors
/// An empty sample; a value that is not finite.
pub fn test(values: &[f64], resampling: Resampling) -> Result<Dip, StatError> {
    let ascending = sorted("of the dip", values)?;
    let statistic = statistic(&ascending);
    Ok(Dip { statistic, p_value: p_value(statistic, ascending.len(), resampling) })
}

fn p_value(statistic: f64, n: usize, resampling: Resampling) -> f64 {
    let size = n.min(LARGEST_SIMULATED);
    let scaled = statistic * (n as f64 / size as f64).sqrt();
    let uniform = |rng: &mut ChaCha8Rng, buffer: &mut Vec<f64>| {
        // Uniform order statistics up to scale, which the dip ignores: sums of exponential gaps.
        buffer.clear();
        let mut at = 0.0;
        for _ in 0..size {
            at -= (1.0 - rng.random::<f64>()).ln();
            buffer.push(at);
        }
        self::statistic(buffer)
    };
    let drawn = stream::draws(resampling.seed, resampling.resamples, Vec::new, uniform);
    // 1e-12: equal dips may differ by rounding, above all the least, 1/(2n).
    let as_large = drawn.iter().filter(|&&dip| dip >= scaled - 1e-12).count();
    (as_large + 1) as f64 / (drawn.len() + 1) as f64
}

/// A distinct value, and how many values are below it and up to it.
#[derive(Debug, Clone, Copy)]
struct Step {
    x: f64,
    below: f64,
    up_to: f64,
}

/// The dip of an ascending sample; 0 for an empty one.
///
/// The search of Hartigan and Hartigan, section 5. Within a modal interval [low, high] take the greatest
/// convex minorant from the feet of the steps and the least concave majorant from their heads. Where the
/// two are furthest apart the interval is cut to what lies between their vertices there; what is cut off
/// to the left must be convex and to the right concave, and how far the steps miss that is a dip. The
/// search ends once no gap is larger than a dip already found. Distances are counted in values; the
/// distribution function is missed by half of the largest, on either side.
pub fn statistic(ascending: &[f64]) -> f64 {
    let n = ascending.len();
    let (Some(least), Some(greatest)) = (ascending.first(), ascending.last()) else { return 0.0 };
    let unit = unit_of(least.abs().max(greatest.abs()));
    let mut steps: Vec<Step> = Vec::with_capacity(n);
    for (below, x) in ascending.iter().enumerate() {
        let (below, x) = (below as f64, x * unit);
        // Far below any difference to another value: no slope leaves the range of numbers.
        let x = if x.abs() < 1e-280 { 0.0 } else { x };
        match steps.last_mut() {
            Some(tied) if tied.x == x => tied.up_to = below + 1.0,
            _ => steps.push(Step { x, below, up_to: below + 1.0 }),
        }
    }
    let (mut low, mut high) = (0, steps.len() - 1);
    let mut dip: f64 = 1.0;
    let (mut minorant, mut majorant) = (Vec::new(), Vec::new());
    while low < high {
        hull(&mut minorant, &steps, low, high, |step| step.below, 1.0);
        hull(&mut majorant, &steps, low, high, |step| step.up_to, -1.0);
        let Some((gap, left, right)) = widest(&steps, &minorant, &majorant) else { break };
        if gap < dip {
            break;
        }
        // At the ends of the modal interval an atom is allowed: they do not count.
        let missed_left =
            missed(&steps, &minorant, low..left, |step| step.below, |step, line| step.up_to - line);
        let missed_right = missed(
            &steps,
            &majorant,
            right + 1..high + 1,
            |step| step.up_to,
            |step, line| line - step.below,
        );
        dip = dip.max(missed_left).max(missed_right);
        if (left, right) == (low, high) {
            break;
        }
        (low, high) = (left, right);
    }
    dip / (2 * n) as f64
}

/// A power of two that brings `largest` near 1, so that no product of differences overflows. The dip
/// ignores the scale, and powers of two leave every digit as it is.
fn unit_of(largest: f64) -> f64 {
    if largest > 0.0 { libm::exp2(f64::from((-libm::ilogb(largest)).min(1023))) } else { 1.0 }
}

/// The vertices of the convex (`turn` 1) or concave (−1) hull of the points (x, y(step)).
fn hull(
    vertices: &mut Vec<usize>,
    steps: &[Step],
    low: usize,
    high: usize,
    y: impl Fn(&Step) -> f64,
    turn: f64,
) {
    vertices.clear();
    for new in low..=high {
        while let [.., before, last] = vertices[..] {
            let (a, b, c) = (&steps[before], &steps[last], &steps[new]);
            let turned = (y(b) - y(a)) * (c.x - b.x) - (y(c) - y(b)) * (b.x - a.x);
            // b on the line or on its wrong side
            if turned * turn < 0.0 {
                break;
            }
            vertices.pop();
        }
        vertices.push(new);
    }
}

/// The line through two points at `x`.
fn line(x: f64, (x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> f64 {
    y0 + (x - x0) * ((y1 - y0) / (x1 - x0))
}

/// The largest gap between the hulls at a vertex, with the minorant's vertex at or before it and the
/// majorant's at or after it. The last of equal ones; `None` where both hulls are one straight line.
fn widest(steps: &[Step], minorant: &[usize], majorant: &[usize]) -> Option<(f64, usize, usize)> {
    let foot = |i: usize| (steps[i].x, steps[i].below);
    let head = |i: usize| (steps[i].x, steps[i].up_to);
    let (first, last) = (*minorant.first()?, *minorant.last()?);
    let mut best: Option<(f64, usize, usize)> = None;
    let mut offer = |gap: f64, left: usize, right: usize| {
        if best.is_none_or(|(most, _, _)| gap >= most) {
            best = Some((gap, left, right));
        }
    };
    // Ties at an end are a gap of their own: there the mode may be.
    let ties = |i: usize| steps[i].up_to - steps[i].below;
    if ties(first) > 1.0 {
        offer(ties(first), first, first);
    }
    // Positions of the next vertex of each, both beyond the shared left end.
    let (mut i, mut j) = (1, 1);
    while i + 1 < minorant.len() || j + 1 < majorant.len() {
        let (g, l) = (minorant[i], majorant[j]);
        if l < g {
            let before = minorant[i - 1];
            offer(steps[l].up_to - line(steps[l].x, foot(before), foot(g)), before, l);
            j += 1;
        } else {
            let before = majorant[j - 1];
            offer(line(steps[g].x, head(before), head(l)) - steps[g].below, g, l);
            i += 1;
        }
        i = i.min(minorant.len() - 1);
        j = j.min(majorant.len() - 1);
    }
    if ties(last) > 1.0 {
        offer(ties(last), last, last);
    }
    best
}

/// The largest `distance` between the steps of `range` and a hull.
fn missed(
    steps: &[Step],
    vertices: &[usize],
    range: Range<usize>,
    y: impl Fn(&Step) -> f64,
    distance: impl Fn(&Step, f64) -> f64,
) -> f64 {
    let mut most: f64 = 0.0;
    for pair in vertices.windows(2) {
        let (first, last) = (pair[0], pair[1]);
        let (a, b) = (&steps[first], &steps[last]);
        let between = first.max(range.start)..(last + 1).min(range.end);
        for step in steps.get(between).unwrap_or_default() {
            let on = line(step.x, (a.x, y(a)), (b.x, y(b)));
            most = most.max(distance(step, on));
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenly_spaced_values_have_the_least_dip() {
        let even: Vec<f64> = (0..20).map(f64::from).collect();
        assert!((statistic(&even) - 1.0 / 40.0).abs() < 1e-15);
        assert_eq!(statistic(&[5.0]), 0.5);
        assert_eq!(statistic(&[]), 0.0);
        assert_eq!(statistic(&[2.0; 10]), 0.05);
    }

    #[test]
    fn two_distant_heaps_have_a_quarter() {
        let mut heaps: Vec<f64> = (0..500).map(|i| f64::from(i) * 1e-6).collect();
        heaps.extend((0..500).map(|i| 1.0 + f64::from(i) * 1e-6));
        assert!((statistic(&heaps) - 0.25).abs() < 0.002, "{}", statistic(&heaps));
    }

    #[test]
    fn the_dip_ignores_place_and_scale() {
        let values = [1.0, 1.5, 2.0, 2.1, 7.0, 7.5, 7.7, 9.0];
        let moved: Vec<f64> = values.iter().map(|x| 40.0 * x - 13.0).collect();
        assert!((statistic(&values) - statistic(&moved)).abs() < 1e-14);
        let mut mirrored: Vec<f64> = values.iter().map(|x| -x).collect();
        mirrored.reverse();
        assert!((statistic(&values) - statistic(&mirrored)).abs() < 1e-14);
    }

    #[test]
    fn the_dip_of_any_size_of_number_is_finite() {
        let values = [1.0, 1.5, 2.0, 2.1, 7.0, 7.5, 7.7, 9.0];
        for scale in [1e307, 1e-310] {
            let scaled: Vec<f64> = values.iter().map(|x| x * scale).collect();
            assert!((statistic(&scaled) - statistic(&values)).abs() < 0.01, "{scale:e}");
        }
        assert_eq!(statistic(&[f64::MIN, 0.0, 5e-324, f64::MAX]), 0.125);
    }

    #[test]
    fn p_values_tell_one_mode_from_two() {
        let resampling = Resampling { resamples: 400, seed: 1 };
        let one: Vec<f64> = (1..60).map(|i| (f64::from(i) / 60.0).powi(2)).collect();
        let two: Vec<f64> =
            (1..60).map(|i| f64::from(i) / 60.0 + if i > 30 { 3.0 } else { 0.0 }).collect();
        assert!(test(&one, resampling).unwrap().p_value > 0.2);
        assert!(test(&two, resampling).unwrap().p_value < 0.005);
    }
}
