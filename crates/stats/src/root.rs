//! Where a continuous function crosses zero.

/// The zero of `f` between `a` and `b` by Brent's method (R. P. Brent, 1973, chapter 4): inverse
/// quadratic steps where they help, bisection where they don't, so it ends whatever `f` does.
///
/// `f(a)` and `f(b)` differ in sign, or one of them is zero; otherwise `None`. The answer is exact
/// to a few units in the last place of the argument.
pub(crate) fn crossing(mut f: impl FnMut(f64) -> f64, a: f64, b: f64) -> Option<f64> {
    let (mut a, mut b) = (a, b);
    let (mut fa, mut fb) = (f(a), f(b));
    if fa == 0.0 {
        return Some(a);
    }
    if fb == 0.0 {
        return Some(b);
    }
    if fa.is_nan() || fb.is_nan() || (fa > 0.0) == (fb > 0.0) {
        return None;
    }
    let (mut c, mut fc) = (a, fa);
    let mut step = b - a;
    let mut step_before = step;
    for _ in 0..500 {
        if fc.abs() < fb.abs() {
            (a, b, c) = (b, c, b);
            (fa, fb, fc) = (fb, fc, fb);
        }
        let tolerance = 2.0 * f64::EPSILON * b.abs() + f64::MIN_POSITIVE;
        let half = 0.5 * (c - b);
        if half.abs() <= tolerance || fb == 0.0 {
            return Some(b);
        }
        let mut bisect = true;
        if step_before.abs() >= tolerance && fa.abs() > fb.abs() {
            let s = fb / fa;
            let (mut p, mut q) = if a == c {
                (2.0 * half * s, 1.0 - s)
            } else {
                let (q, r) = (fa / fc, fb / fc);
                (
                    s * (2.0 * half * q * (q - r) - (b - a) * (r - 1.0)),
                    (q - 1.0) * (r - 1.0) * (s - 1.0),
                )
            };
            if p > 0.0 {
                q = -q;
            }
            p = p.abs();
            if 2.0 * p < (3.0 * half * q - (tolerance * q).abs()).min((step_before * q).abs()) {
                step_before = step;
                step = p / q;
                bisect = false;
            }
        }
        if bisect {
            step = half;
            step_before = half;
        }
        (a, fa) = (b, fb);
        b += if step.abs() > tolerance { step } else { tolerance.copysign(half) };
        fb = f(b);
        if fb.is_nan() {
            return None;
        }
        if (fb > 0.0) == (fc > 0.0) {
            (c, fc) = (a, fa);
            step = b - a;
            step_before = step;
        }
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_crossing_of_smooth_and_of_broken_functions() {
        let found = crossing(|x| x * x - 2.0, 0.0, 2.0).unwrap();
        assert!((found - 2f64.sqrt()).abs() < 1e-15);
        let found = crossing(|x| (x - 0.3).powi(9), -10.0, 10.0).unwrap();
        assert!((found - 0.3).abs() < 1e-2);
        let found = crossing(|x| if x < 0.7 { -1.0 } else { 1.0 }, 0.0, 1.0).unwrap();
        assert!((found - 0.7).abs() < 1e-15);
    }

    #[test]
    fn without_a_change_of_sign_there_is_none() {
        assert_eq!(crossing(|x| x * x + 1.0, -1.0, 1.0), None);
        assert_eq!(crossing(|_| f64::NAN, -1.0, 1.0), None);
        assert_eq!(crossing(|x| x, 0.0, 1.0), Some(0.0));
    }
}
